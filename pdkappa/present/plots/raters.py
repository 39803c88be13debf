"""Raters with their effect on agreement → a picture of who differs; no statistics."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from pdkappa.present.labels import decimals, reason_in_words, two_decimals, weighted
from pdkappa.present.plots.drawing import (
    BLUE,
    VERMILION,
    check_characters,
    check_matplotlib,
)
from pdkappa.present.plots.rows import (
    finish,
    labels_of,
    place_rows,
    set_range,
    undefined,
    write_columns,
)

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.axes import Axes

DOT = 6.0  # points
DIGITS = 3  # of effects, which are small among many raters, and of p-values
LEAST_P = 10**-DIGITS
AXIS = (
    "the team agrees less (left of 0) or more (right) because of this rater\n"
    "Light's kappa with the rater minus without"
)


def draw_raters(
    frame: pd.DataFrame, *, level: float, weights: str | None = None, ax: Axes | None = None
) -> Axes:
    """Draw what each rater does to agreement, with its interval.

    Parameters
    ----------
    frame : DataFrame
        As `raters` returns it, indexed by the rater (or by group and rater), and drawn from
        top to bottom, with the columns ``estimate, effect, effect_ci_low, effect_ci_high, p_value,
        reason``.
    level : float
        Confidence level of the intervals.
    weights : str, optional
        Name of the weighting, for the label of the horizontal axis.

    Notes
    -----
    A rater whose interval is below zero is a red diamond, all others are blue dots. Text at the
    right needs rows that are high enough (in a new figure: up to 100).
    """
    check_matplotlib()
    check_characters(frame.index, frame.index.names)
    ax, rows = place_rows(labels_of(frame.index), ax)
    effect, low, high = (
        frame[name].to_numpy(dtype=np.float64)
        for name in ("effect", "effect_ci_low", "effect_ci_high")
    )
    set_range(ax, np.concatenate([effect, low, high]))
    size = min(DOT, 0.7 * rows.height)
    # ~(high < 0), not high >= 0: without an interval a rater is a blue dot.
    for off, colour, marker in ((high < 0, VERMILION, "D"), (~(high < 0), BLUE, "o")):
        here = off & np.isfinite(effect)
        known = here & np.isfinite(low) & np.isfinite(high)
        ax.hlines(rows.y[known], low[known], high[known], color=colour, linewidth=1.2)
        ax.scatter(effect[here], rows.y[here], s=size**2, color=colour, marker=marker, zorder=3)
    interval = f"[{100 * level:g} %]"
    records = frame.to_dict("records")
    write_columns(
        ax,
        rows,
        {
            "mean kappa": [two_decimals(row["estimate"]) for row in records],
            f"effect {interval}": [_effect(row) for row in records],
            "p": [_p(row["p_value"]) for row in records],
        },
        undefined(frame, "effect"),
    )
    finish(ax, rows, AXIS + weighted(weights))
    return ax


def _effect(row: dict[Any, Any]) -> str:
    """Write the effect and its interval, or why there is none."""
    effect, low, high = (
        decimals(row[name], DIGITS) for name in ("effect", "effect_ci_low", "effect_ci_high")
    )
    known = np.isfinite(row["effect_ci_low"])
    return (
        f"{effect} [{low}, {high}]"
        if known
        else f"{effect}, no interval: {reason_in_words(row['reason'])}"
    )


def _p(value: float) -> str:
    """Write a p-value; nothing for NaN."""
    if np.isnan(value):
        return ""
    return f"<{LEAST_P:g}" if value < LEAST_P else f"{value:.{DIGITS}f}"
