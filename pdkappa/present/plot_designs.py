"""Pictures of trials and of generalizability studies."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from pdkappa.present.labels import drawn
from pdkappa.present.plot_drawing import (
    BLUE,
    PLAIN,
    VERMILION,
    check_characters,
    check_matplotlib,
    finish,
    fit,
    labels_of,
    new_axes,
    place_rows,
    set_range,
    undefined,
    write_columns,
)

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.axes import Axes

PANELS = {"within": "each rater with themselves", "vs_truth": "each rater with the standard"}
HEIGHT, WIDTH_OF_RATER, NARROWEST = 3.2, 0.55, 2.6  # inches
DOT, WIDEST = 6.0, 4.0  # points; times the largest estimate that limits are drawn to


def draw_trials(frame: pd.DataFrame, *, level: float, ax: Axes | None = None) -> Axes:
    """Draw how often the ratings of each rater match each other, and the standard, in percent.

    Parameters
    ----------
    frame : DataFrame
        The rows "matched" of `trials`, with the columns ``estimate, ci_low, ci_high`` and the
        index ``comparison, rater``.
    level : float
        Confidence level of the limits.
    """
    check_matplotlib()
    parts = [(name, frame.loc[[name]]) for name in PANELS if name in frame.index]
    shown = [(name, part.droplevel(0)) for name, part in parts]
    check_characters(*(part.index for _, part in shown))
    is_new, n = ax is None, sum(len(part) for _, part in shown)
    ax = new_axes(HEIGHT, max(WIDTH_OF_RATER * (n + 1), NARROWEST)) if ax is None else ax
    labels, start = [], 0
    for place, (name, part) in enumerate(shown):
        x = start + np.arange(len(part))
        share, low, high = (100 * part[one] for one in ("estimate", "ci_low", "ci_high"))
        ax.vlines(x, low, high, color=(BLUE, VERMILION)[place], linewidth=1.5)
        ax.plot(x, share, ("o", "D")[place], color=(BLUE, VERMILION)[place], markersize=DOT)
        middle = (x[0] + x[-1]) / 2
        ax.annotate(
            PANELS[name].replace(" with ", "\nwith "),
            (middle, 103),
            ha="center",
            va="bottom",
            annotation_clip=False,
        )
        if place:
            ax.axvline(start - 1, color="0.8", linewidth=0.8)
        labels += [*zip(x.tolist(), map(drawn, part.index), strict=True)]
        start += len(part) + 1
    places, names = zip(*labels, strict=True)
    ax.set_xticks(places, names, rotation=45 if max(map(len, names)) > 6 else 0, **PLAIN)  # noqa: PLR2004
    ax.set_ylim(0, 103)
    ax.set_xlim(-0.7, start - 1.3)
    ax.set_ylabel(f"items that match, % [{100 * level:g} %]")
    ax.spines[["right", "top"]].set_visible(False)
    fit(ax, is_new=is_new)
    return ax


def draw_components(frame: pd.DataFrame, *, level: float, ax: Axes | None = None) -> Axes:
    """Draw the components of variance as bars, with their limits as far as there is room.

    Parameters
    ----------
    frame : DataFrame
        As `components` of a study has it.
    level : float
        Confidence level of the limits.
    """
    check_matplotlib()
    check_characters(frame.index, frame.index.names)
    ax, rows = place_rows(labels_of(frame.index), ax)
    estimate, low, high = (
        frame[name].to_numpy(float) for name in ("estimate", "ci_low", "ci_high")
    )
    most = WIDEST * np.nanmax(estimate, initial=0.0)
    known = np.isfinite(estimate)
    set_range(ax, np.concatenate([estimate, np.minimum(high, most), [0.0]]))
    ax.barh(rows.y[known], estimate[known], height=0.5, color=BLUE, alpha=0.5)
    ax.hlines(rows.y[known], low[known], np.minimum(high, most)[known], color=BLUE, linewidth=1.2)
    far = known & (high > most)
    ax.plot(np.full(far.sum(), most), rows.y[far], ">", color=BLUE, markersize=DOT, clip_on=False)
    records = frame.to_dict("records")
    write_columns(
        ax,
        rows,
        {
            f"variance [{100 * level:g} %]": [
                f"{row['estimate']:.3g} [{row['ci_low']:.3g}, {row['ci_high']:.3g}]"
                if np.isfinite(row["estimate"])
                else ""
                for row in records
            ],
            "share": [
                f"{100 * row['share']:.0f} %" if np.isfinite(row["share"]) else ""
                for row in records
            ],
        },
        undefined(frame, "estimate"),
    )
    finish(ax, rows, "variance of the scores")
    return ax


def draw_projection(frame: pd.DataFrame, *, level: float, ax: Axes | None = None) -> Axes:
    """Draw g and phi against the number of levels of a facet, with bands for their limits.

    Parameters
    ----------
    frame : DataFrame
        As `project` returns it for one facet.
    level : float
        Confidence level of the limits.
    """
    check_matplotlib()
    is_new = ax is None
    ax = new_axes(HEIGHT, HEIGHT * 1.4) if ax is None else ax
    sizes = frame.index.to_numpy()
    for name, colour, line, told in (
        ("g", BLUE, "-", "g, for ranks"),
        ("phi", VERMILION, "--", "phi, for levels"),
    ):
        ax.plot(sizes, frame[name], line, color=colour, marker="o", markersize=DOT / 2, label=told)
        ax.fill_between(
            sizes,
            frame[f"{name}_low"],
            frame[f"{name}_high"],
            color=colour,
            alpha=0.12,
            linewidth=0,
        )
    ax.set_ylim(0, 1)
    ax.set_xlabel(f"number of levels of {drawn(frame.index.name)}", **PLAIN)
    ax.set_ylabel(f"coefficient [{100 * level:g} %]")
    ax.legend(frameon=False, loc="lower right")
    ax.spines[["right", "top"]].set_visible(False)
    fit(ax, is_new=is_new)
    return ax
