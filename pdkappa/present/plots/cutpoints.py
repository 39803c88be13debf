"""Cut-points → a picture of the scores of each class, and of kappa along each cut."""

from __future__ import annotations

import math
import textwrap
from typing import TYPE_CHECKING, Any

import numpy as np

from pdkappa.present.labels import drawn
from pdkappa.present.plots.drawing import (
    BLUE,
    FEWEST,
    GREY,
    INCH,
    LABELS,
    LOWEST_TEXT,
    PLAIN,
    VERMILION,
    check_characters,
    check_matplotlib,
    dpi_of,
    extent_of,
    fit,
    points_of,
    room_of,
    settle,
    shorten_to,
)

if TYPE_CHECKING:
    from collections.abc import Sequence

    import numpy.typing as npt
    import pandas as pd
    from matplotlib.artist import Artist
    from matplotlib.axes import Axes

MOST_LABELS = 20  # classes that all have a label
CUTPOINTS_SIZE = (6.4, 6.4)  # inches
USUAL_LABEL = 1.0  # inches, a label of a class for which that is wide enough
BAND = 0.9  # height of a band; classes are 1 apart
SHADE = 0.25  # opacity of a band
MARGIN = 0.05  # of the range of the scores, at either side
THIN, THICK, CUTPOINTS_DOT = 1.0, 4.0, 5.0  # points
GAP = 5.0  # points between what is below the axes
LINE = 1.3  # times the size of a label, from one to the next at least
LOWEST_ROW = LINE * LOWEST_TEXT  # points
TICK = 2.0  # times the size of the font, from one number of the axis to the next at least
MOST_TICKS = 6


def draw_cutpoints(
    classes: pd.DataFrame,
    profile: pd.DataFrame,
    *,
    title: str,
    note: str = "",
    ax: Sequence[Axes] | None = None,
) -> npt.NDArray[Any]:
    """Draw the scores of each class with the cuts, and kappa along each cut.

    Parameters
    ----------
    classes : DataFrame
        One row for each class, drawn from bottom to top, with the columns ``category, lower,
        upper, q05, q25, q50, q75, q95``.
    profile : DataFrame
        Kappa with one cut moved, in the columns ``category, cut, estimate``.
    title : str
        Text above the plot.
    note : str
        Text below the plot: what to know of the cuts.
    ax : sequence of two Axes, optional
        Where to draw. Default: a new figure.

    Notes
    -----
    A grey band holds the scores that are given to a class. Dots are medians of the scores of the
    true classes, thick lines hold the middle half and thin ones 90 per cent.
    """
    check_matplotlib()
    check_characters(classes["category"], [title])
    is_new = ax is None
    upper, lower = axes = np.asarray(_new_axes() if ax is None else ax, dtype=object)
    room = math.inf if is_new else LABELS * room_of(upper)[0]
    _draw_classes(upper, classes)
    _label(upper, classes, room)
    _draw_profile(lower, profile, classes)
    upper.set_title(title, **PLAIN)
    lower.set_xlabel("score", **PLAIN)
    if is_new:
        _widen(upper)
    _explain(upper, _of_classes())
    _explain(lower, _of_profile())
    _remark(lower, note)
    settle(upper)
    for one in (*axes, *axes):  # what is below one takes room from the other
        fit(one, is_new=False)
        _part(upper, lower)
        _label(upper, classes, room)
    most = points_of(lower)[1] / (TICK * float(lower.yaxis.label.get_fontsize()))
    if most < MOST_TICKS:
        lower.locator_params(axis="y", nbins=max(int(most), 1))
    return axes


def _new_axes() -> npt.NDArray[Any]:
    """Make a figure of two plots with the same scores."""
    from matplotlib import pyplot as plt

    return plt.subplots(2, 1, sharex=True, figsize=CUTPOINTS_SIZE, layout="constrained")[1]


def _draw_classes(ax: Axes, classes: pd.DataFrame) -> None:
    """Draw a band from cut to cut, and the quantiles of the scores, for each class."""
    y = np.arange(len(classes))
    edges = classes[["lower", "upper", "q05", "q95"]].to_numpy(dtype=float)
    known = edges[np.isfinite(edges)]
    low, high = (known.min(), known.max()) if len(known) else (0.0, 1.0)
    margin = MARGIN * (high - low or 1.0)
    ax.set_xlim(low - margin, high + margin)
    band = edges[:, :2].clip(low - margin, high + margin)
    ax.barh(y, band[:, 1] - band[:, 0], BAND, left=band[:, 0], color=GREY, alpha=SHADE)
    row = points_of(ax)[1] / max(len(y), 1)
    ax.hlines(y, classes["q05"], classes["q95"], color=BLUE, linewidth=min(THIN, 0.2 * row))
    ax.hlines(y, classes["q25"], classes["q75"], color=BLUE, linewidth=min(THICK, 0.4 * row))
    ax.plot(classes["q50"], y, "o", color=VERMILION, markersize=min(CUTPOINTS_DOT, 0.6 * row))
    ax.set_ylabel("true class", **PLAIN)


def _label(ax: Axes, classes: pd.DataFrame, room: float) -> None:
    """Label the classes, or some of them if there are many, in so many points."""
    row = points_of(ax)[1] / max(len(classes), 1)
    step = max(-(-len(classes) // MOST_LABELS), math.ceil(LOWEST_ROW / row), 1)
    size = min(float(ax.yaxis.label.get_fontsize()), row * step / LINE)
    labels = [drawn(label) for label in classes["category"].iloc[::step]]
    y = np.arange(0, len(classes), step)
    ax.set_yticks(y, shorten_to(ax, labels, room, size), fontsize=size, **PLAIN)


def _draw_profile(ax: Axes, profile: pd.DataFrame, classes: pd.DataFrame) -> None:
    """Draw kappa along each cut as a line, and the cut itself as a point."""
    cuts = dict(zip(classes["category"], classes["lower"], strict=True))
    for number, (category, part) in enumerate(profile.groupby("category", sort=False)):
        inner = part[np.isfinite(part["cut"].to_numpy(dtype=float))]
        color, line = (BLUE, "-") if number % 2 else (VERMILION, "--")
        ax.plot(inner["cut"], inner["estimate"], color=color, linestyle=line, linewidth=1)
        at = inner[inner["cut"] == cuts[category]]
        ax.plot(at["cut"], at["estimate"], "o", color=color, markersize=CUTPOINTS_DOT)
    ax.set_ylabel("kappa", **PLAIN)


# --- what the marks are ------------------------------------------------------------------------


def _of_classes() -> dict[str, Artist]:
    """Name the marks of the scores of the classes."""
    from matplotlib.lines import Line2D
    from matplotlib.patches import Patch

    return {
        "median": Line2D(
            [], [], color=VERMILION, marker="o", linestyle="", markersize=CUTPOINTS_DOT
        ),
        "middle half": Line2D([], [], color=BLUE, linewidth=THICK),
        "middle 90 %": Line2D([], [], color=BLUE, linewidth=THIN),
        "assigned to the class": Patch(color=GREY, alpha=SHADE, linewidth=0),
    }


def _of_profile() -> dict[str, Any]:
    """Name the marks of the curves, of which there are two kinds by turns."""
    from matplotlib.lines import Line2D

    kinds: dict[str, Any] = {VERMILION: "--", BLUE: "-"}
    dot: dict[str, Any] = {"marker": "o", "linestyle": "", "markersize": CUTPOINTS_DOT}
    return {
        "kappa if the cut were here": tuple(
            Line2D([], [], color=color, linestyle=line, linewidth=THIN)
            for color, line in kinds.items()
        ),
        "chosen cut": tuple(Line2D([], [], color=color, **dot) for color in kinds),
    }


def _below(ax: Axes) -> float:
    """Find out how far below the axes there is room, in points."""
    outer = ax.get_tightbbox() or ax.bbox
    return float((ax.get_window_extent().y0 - outer.y0) * INCH / dpi_of(ax)) + GAP


def _explain(ax: Axes, marks: dict[str, Any]) -> None:
    """Write below the axes what the marks are."""
    from matplotlib.legend_handler import HandlerTuple
    from matplotlib.transforms import ScaledTranslation

    down = ScaledTranslation(0, -_below(ax) / INCH, ax.figure.dpi_scale_trans)
    for ncols in range(len(marks), 0, -1):
        legend = ax.legend(
            [*marks.values()],
            [*marks],
            ncols=ncols,
            loc="upper right",
            bbox_to_anchor=(1, 0),
            bbox_transform=ax.transAxes + down,
            borderpad=0,
            borderaxespad=0,
            columnspacing=1.2,
            handlelength=2.2,
            fontsize="small",
            frameon=False,
            handler_map={tuple: HandlerTuple(ndivide=None, pad=0.5)},
        )
        if legend.get_window_extent().width <= ax.get_window_extent().width:
            return


def _remark(ax: Axes, note: str) -> None:
    """Write a note below the axes, in lines no longer than these."""
    written = ax.annotate(
        note,
        (1, 0),
        (0, -_below(ax)),
        xycoords="axes fraction",
        textcoords="offset points",
        horizontalalignment="right",
        verticalalignment="top",
        fontsize="small",
        annotation_clip=False,
        **PLAIN,
    )
    width = len(note)
    while width > FEWEST and extent_of(written).width > ax.get_window_extent().width:
        width -= 1
        written.set_text(textwrap.fill(note, width))


def _part(upper: Axes, lower: Axes) -> None:
    """Move two subplots apart, until there is room between them for what is below the upper."""
    figure, spec, other = upper.figure, upper.get_subplotspec(), lower.get_subplotspec()
    if figure.get_layout_engine() is not None or spec is None or other is None:
        return
    box, outer = upper.get_window_extent(), upper.get_tightbbox() or upper.bbox
    n_rows = spec.get_geometry()[0]
    needed = box.y0 - outer.y0 + GAP * dpi_of(upper) / INCH
    if other.rowspan.start == spec.rowspan.stop and box.y0 - needed < lower.get_window_extent().y1:
        spaces = figure.subplotpars
        height = (spaces.top - spaces.bottom) * figure.bbox.height - (n_rows - 1) * needed
        if height > 0:
            figure.subplots_adjust(hspace=needed * n_rows / height)


def _widen(ax: Axes) -> None:
    """Make a figure wider by what its labels need beyond the usual."""
    figure = ax.get_figure(root=True)
    widths = [extent_of(one).width for one in ax.get_yticklabels()]
    beyond = max(widths, default=0) / dpi_of(ax) - USUAL_LABEL
    if figure is not None and beyond > 0:
        figure.set_figwidth(CUTPOINTS_SIZE[0] + beyond)
