"""Judges beside people → a picture of who is as good as a human; no statistics."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from pdkappa.present.labels import two_decimals
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


def draw_judges(frame: pd.DataFrame, *, level: float, ax: Axes | None = None) -> Axes:
    """Draw by how much each judge's agreement with humans differs from theirs.

    Parameters
    ----------
    frame : DataFrame
        That of an audit, drawn from top to bottom, with the columns ``estimate, difference,
        difference_low, difference_high, margin, non_inferior, winning_rate, reason``.
    level : float
        Confidence level of the intervals.

    Notes
    -----
    A judge whose whole interval is above -margin is a blue dot, all others are red diamonds. Text
    at the right needs rows that are high enough (in a new figure: up to 100).
    """
    check_matplotlib()
    check_characters(frame.index, frame.index.names)
    ax, rows = place_rows(labels_of(frame.index), ax)
    difference, low, high = (
        frame[name].to_numpy(dtype=np.float64)
        for name in ("difference", "difference_low", "difference_high")
    )
    margin = float(frame["margin"].iloc[0])
    set_range(ax, np.concatenate([difference, low, high, [-margin]]))
    if margin:
        ax.axvline(-margin, color=VERMILION, linewidth=0.8, linestyle=(0, (1, 2)), zorder=0.5)
    size = min(DOT, 0.7 * rows.height)
    good = frame["non_inferior"].fillna(value=False).to_numpy(dtype=bool)
    for some, colour, marker in ((~good, VERMILION, "D"), (good, BLUE, "o")):
        here = some & np.isfinite(difference)
        known = here & np.isfinite(low) & np.isfinite(high)
        ax.hlines(rows.y[known], low[known], high[known], color=colour, linewidth=1.2)
        ax.scatter(difference[here], rows.y[here], s=size**2, color=colour, marker=marker, zorder=3)
    records = frame.to_dict("records")
    write_columns(
        ax,
        rows,
        {
            "estimate": [two_decimals(row["estimate"]) for row in records],
            f"difference [{100 * level:g} %]": [_difference(row) for row in records],
            "humans beaten": [
                "" if np.isnan(x) else f"{100 * x:.0f} %" for x in frame["winning_rate"]
            ],
        },
        undefined(frame, "difference"),
    )
    below = f"; dotted: margin, {two_decimals(-margin)}" if margin else ""
    finish(ax, rows, f"agreement with humans minus agreement among humans{below}")
    return ax


def _difference(row: dict[Any, Any]) -> str:
    """Write the difference and its interval, or why there is none."""
    difference, low, high = (
        two_decimals(row[name]) for name in ("difference", "difference_low", "difference_high")
    )
    known = np.isfinite(row["difference_low"])
    return f"{difference} [{low}, {high}]" if known else f"{difference}, no interval"
