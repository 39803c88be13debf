"""Categories, raters, machines, differences of scores, cut-points -> pictures."""

from __future__ import annotations

import math
import textwrap
from typing import TYPE_CHECKING, Any

import numpy as np

from pdkappa.present.labels import drawn, reason_in_words, two_decimals, weighted, wrapped
from pdkappa.present.plot_drawing import (
    BLACK,
    BLUE,
    FEWEST,
    GREY,
    INCH,
    LABELS,
    LOWEST_TEXT,
    PLAIN,
    VERMILION,
    About,
    Rows,
    check_characters,
    check_matplotlib,
    dpi_of,
    draw_intervals,
    extent_of,
    finish,
    fit,
    labels_of,
    mark_mean,
    new_axes,
    points_of,
    room_of,
    rows_of,
    set_range,
    settle,
    shorten_to,
    show_unit,
    undefined,
    with_limits,
    with_line,
    write_columns,
)

if TYPE_CHECKING:
    from collections.abc import Collection, Hashable, Iterable, Mapping, Sequence

    import numpy.typing as npt
    import pandas as pd
    from matplotlib.artist import Artist
    from matplotlib.axes import Axes

    from pdkappa._typing import BoolArray

LARGEST, SMALLEST = 11.0, 2.5  # points, the dots
DIAMOND = 4.5  # points
WIDEST = 0.9  # of a row


def draw_categories(frame: pd.DataFrame, about: About, ax: Axes | None = None) -> Axes:
    """Draw how well the raters agree on each category, or on each cut of the scale.

    Parameters
    ----------
    frame : DataFrame
        As `categories` returns it, indexed by ``category`` or ``cut`` (after the
        group), and drawn from top to bottom, with the columns ``estimate, ci_low, ci_high,
        prevalence, bias, weight, specific_agreement, reason``.

    Notes
    -----
    The area of a dot is proportional to the weight of its kappa in the coefficient of the whole
    scale, but never too small to be seen; the line through it are its limits. Diamonds are the
    specific agreement, of which chance is not taken off.
    """
    of_cuts = frame.index.names[-1] == "cut"
    labels = [f"up to {label}" if of_cuts else label for label in labels_of(frame.index)]
    ax, rows = rows_of(frame, ax, labels)
    _draw(ax, frame, rows)
    texts = {f"kappa [{about.interval}]": [with_limits(row) for row in frame.to_dict("records")]}
    texts |= {
        header: ["" if np.isnan(value) else two_decimals(value) for value in frame[name]]
        for header, name in COLUMNS.items()
    }
    write_columns(ax, rows, texts, undefined(frame, "estimate"))
    of = "each cut" if of_cuts else "each category against the rest"
    what = f"{about.coefficient} of {of}{weighted(about.weights)}"
    what += " (dots; line: whole scale)\nspecific agreement (diamonds)"
    finish(ax, rows, what, about.line)
    return ax


def _draw(ax: Axes, frame: pd.DataFrame, rows: Rows) -> None:
    """Draw a dot with its limits and a diamond in each row."""
    names = ["estimate", "weight", "specific_agreement", "ci_low", "ci_high"]
    kappa, weight, specific, low, high = frame[names].to_numpy(float).T
    show_unit(ax, np.concatenate([kappa, specific, low, high]))
    counted = np.isfinite(kappa * weight)
    if frame.index.nlevels == 1 and weight[counted].any():
        mark_mean(ax, float(np.average(kappa[counted], weights=weight[counted])))
    widest = min(LARGEST, WIDEST * rows.height)
    found = np.isfinite(kappa)
    share = weight[found] / weight[found].max(initial=0) if weight[found].any() else weight[found]
    area = np.maximum(share * widest**2, SMALLEST**2)
    ax.scatter(kappa[found], rows.y[found], s=area, color=BLUE, zorder=3)
    draw_intervals(ax, rows, np.ones(len(frame), dtype=bool), (low, high), BLUE)
    shown = np.isfinite(specific)
    diamond = min(DIAMOND, WIDEST * rows.height) ** 2
    ax.scatter(
        specific[shown],
        rows.y[shown],
        s=diamond,
        marker="D",
        facecolor=ax.get_facecolor(),  # not hidden by a dot, nor hiding it
        edgecolor=GREY,
        zorder=4,
    )


# What is written at the right of the kappa, by header.
COLUMNS: dict[str, str] = {"weight": "weight", "share": "prevalence", "bias": "bias"}


DIGITS = 3  # of effects, which are small among many raters, and of p-values
LEAST_P = 10**-DIGITS
AXIS = (
    "the team agrees less (left of 0) or more (right) because of this rater\n"
    "Light's kappa with the rater minus without"
)


def draw_raters(
    frame: pd.DataFrame,
    about: About,
    *,
    named: Collection[Hashable] = (),
    machines: Collection[Hashable] = (),
    ax: Axes | None = None,
) -> Axes:
    """Draw what each rater does to agreement, with its interval.

    Parameters
    ----------
    frame : DataFrame
        As `raters` returns it, indexed by the rater (or by group and rater), and drawn from
        top to bottom, with the columns ``estimate, effect, effect_low, effect_high, p_value,
        reason``.
    named : collection of label
        Rows that are diamonds; all others are dots.
    machines : collection of label
        Raters, who are orange; all others are blue.
    """
    is_named = np.array([one in named for one in frame.index], dtype=bool)
    raters = frame.index.get_level_values(-1)
    is_machine = np.array([one in machines for one in raters], dtype=bool)
    records, figure = frame.to_dict("records"), ("effect", "effect_low", "effect_high")
    effects = [
        with_limits(row, figure, DIGITS, f", no interval: {reason_in_words(row['reason'])}")
        for row in records
    ]
    return draw_figures(
        frame,
        figure,
        caption=AXIS + weighted(about.weights),
        columns={
            "mean kappa": [two_decimals(row["estimate"]) for row in records],
            f"effect [{about.interval}]": effects,
            "p": [_p(row["p_value"]) for row in records],
        },
        marks=[
            (some & these, colour, marker)
            for some, colour in ((~is_machine, BLUE), (is_machine, VERMILION))
            for these, marker in ((is_named, "D"), (~is_named, "o"))
        ],
        below=about.line,
        ax=ax,
    )


def _p(value: float) -> str:
    """Write a p-value; nothing for NaN."""
    if np.isnan(value):
        return ""
    return f"<{LEAST_P:g}" if value < LEAST_P else f"{value:.{DIGITS}f}"


DOT = 6.0  # points


def draw_figures(
    frame: pd.DataFrame,
    figure: tuple[str, ...],
    *,
    caption: str,
    columns: Mapping[str, Sequence[str]],
    bad: npt.ArrayLike = False,
    marks: Sequence[tuple[BoolArray, str, str]] = (),
    line: float = math.nan,
    below: str = "",
    ax: Axes | None = None,
) -> Axes:
    """Draw a figure of each row with its limits.

    Parameters
    ----------
    frame : DataFrame
        Drawn from top to bottom, with the columns of the figure, and ``reason``.
    figure : tuple of str
        The figure, and its lower and upper limit if it has some.
    caption : str
        What the horizontal axis is.
    columns : mapping of str to list of str
        What is written at the right.
    bad : array-like of bool
        Rows that are red diamonds; the others are blue dots.
    marks : sequence of (mask, colour, marker)
        How some rows are marked instead.
    line : float
        Where a dotted line is drawn; NaN for none.
    below : str
        What the figures are.

    Notes
    -----
    Text at the right needs rows that are high enough (in a new figure: up to 100).
    """
    ax, rows = rows_of(frame, ax)
    value, *limits = frame[[*figure]].to_numpy(float).T
    low, high = limits or np.full((2, len(value)), np.nan)
    set_range(ax, np.concatenate([value, low, high, [0.0 if math.isnan(line) else line]]))
    if line and not math.isnan(line):  # one at zero is there anyway
        ax.axvline(line, color=VERMILION, linewidth=0.8, linestyle=(0, (1, 2)), zorder=0.5)
    size, red = min(DOT, 0.7 * rows.height), np.broadcast_to(bad, value.shape)
    for some, colour, marker in marks or ((red, VERMILION, "D"), (~red, BLUE, "o")):
        if (here := some & np.isfinite(value)).any():
            draw_intervals(ax, rows, here, (low, high), colour)
            ax.scatter(value[here], rows.y[here], s=size**2, color=colour, marker=marker, zorder=3)
    write_columns(ax, rows, dict(columns), undefined(frame, figure[0]))
    finish(ax, rows, caption, below)
    return ax


def in_decimals(values: Iterable[float]) -> list[str]:
    """Write figures, empty where they are NaN."""
    return ["" if math.isnan(x) else two_decimals(x) for x in values]


def in_brackets(frame: pd.DataFrame, figure: tuple[str, str, str]) -> list[str]:
    """Write a figure of each row and its interval, or that there is none."""
    records = frame.to_dict("records")
    return [with_limits(row, figure, none=", no interval") for row in records]


BLAND_ALTMAN_SIZE = (3.4, 4.8)  # inches: height, width
SMALLEST_AREA, LARGEST_AREA = 9.0, 220.0  # square points of a dot
LINES = {"lower_limit": (GREY, "--"), "bias": (BLACK, "-"), "upper_limit": (GREY, "--")}


def draw_bland_altman(
    points: pd.DataFrame, figures: pd.DataFrame, *, line: str = "", ax: Axes | None = None
) -> Axes:
    """Draw the differences of two raters against the means of their scores.

    Parameters
    ----------
    points : DataFrame
        One row for each pair of scores, with the columns ``mean, difference, n_items``; in its
        ``attrs["raters"]`` the names of the two.
    figures : DataFrame
        As `bland_altman` returns it.
    """
    check_matplotlib()
    check_characters(figures.attrs["raters"])
    is_new = ax is None
    ax = new_axes(*BLAND_ALTMAN_SIZE) if ax is None else ax
    count = points["n_items"].to_numpy(dtype=float)
    size = np.clip(count / count.max(initial=1) * LARGEST_AREA, SMALLEST_AREA, None)
    if (count == count.max(initial=0)).all():
        size[:] = SMALLEST_AREA
    ax.scatter(points["mean"], points["difference"], s=size, color=GREY, alpha=0.6, linewidths=0)
    ax.axhline(0, color=GREY, linewidth=0.6)
    rows: dict[Any, Any] = figures.to_dict("index")
    beside = ax.get_yaxis_transform()
    for name, (color, dashes) in LINES.items():
        row = rows[name]
        if not np.isfinite(row["estimate"]):
            continue
        ax.axhline(row["estimate"], color=color, linestyle=dashes, linewidth=1.2)
        if np.isfinite(row["ci_low"]):
            ax.axhspan(row["ci_low"], row["ci_high"], color=color, alpha=0.15, linewidth=0)
        text = f"{name.replace('_', ' ')} {two_decimals(row['estimate'])}"
        ax.text(1.02, row["estimate"], text, transform=beside, va="center", **PLAIN)
    first, second = (drawn(name) for name in figures.attrs["raters"])
    ax.set_xlabel(with_line("mean of the two scores", line), **PLAIN)
    ax.set_ylabel(wrapped(f"{first} minus {second}"), **PLAIN)
    fit(ax, is_new=is_new)
    return ax


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
