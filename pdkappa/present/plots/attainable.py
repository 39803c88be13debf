"""Pairs of raters with the agreement that they could reach → a picture; no statistics."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np

from pdkappa.present.labels import drawn, groups_of, measure, two_decimals
from pdkappa.present.plots.drawing import BLUE, PLAIN, check_matplotlib, fit
from pdkappa.present.plots.rows import place_rows, set_range, undefined, write_columns

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.axes import Axes

    from pdkappa._typing import FloatArray

THICK = 0.5  # of a row, the bar of what is possible
THICKEST = 8.0  # points
LIGHT = "#BFBFBF"


def draw_attainable(
    frame: pd.DataFrame, *, coefficient: str, weights: str | None = None, ax: Axes | None = None
) -> Axes:
    """Draw what each pair reached within the range of what it could reach.

    Parameters
    ----------
    frame : DataFrame
        One row for each pair (and group), drawn from top to bottom, with the columns
        ``rater_a, rater_b, estimate, min_estimate, max_estimate, reason``. The
        index names the groups, if there are any.
    coefficient : str
        What the coefficient is called, for the label of the horizontal axis.
    weights : str, optional
        Name of the weighting, for the same label.
    """
    check_matplotlib()
    ax, rows = place_rows(_labels(frame), ax)
    _draw(ax, frame, rows.y, thickness=min(THICK * rows.height, THICKEST))
    figures = {"estimate of maximum": [_figures(row) for row in frame.to_dict("records")]}
    write_columns(ax, rows, figures, undefined(frame, "estimate"))
    ax.set_xlabel(f"{measure(coefficient, weights)}: estimate and attainable range", **PLAIN)
    fit(ax, is_new=rows.is_new)
    return ax


def _labels(frame: pd.DataFrame) -> list[str]:
    """Name each row by its raters and its group."""
    names, labels = frame.index.names, []
    for group, row in zip(groups_of(frame), frame.to_dict("records"), strict=True):
        pair = f"{drawn(row['rater_a'])} with {drawn(row['rater_b'])}"
        place = [f"{drawn(names[i])}={drawn(label)}" for i, label in enumerate(group)]
        labels.append(", ".join([*place, pair]))
    return labels


def _draw(ax: Axes, frame: pd.DataFrame, y: FloatArray, *, thickness: float) -> None:
    """Draw a bar from the least to the greatest value of each row, and a dot on it."""
    low, high, estimate = (
        frame[name].to_numpy(dtype=float) for name in ("min_estimate", "max_estimate", "estimate")
    )
    set_range(ax, np.concatenate([low, high, estimate]))
    known = np.isfinite(low) & np.isfinite(high)
    ax.hlines(y[known], low[known], high[known], color=LIGHT, linewidth=thickness)
    found = np.isfinite(estimate)
    ax.scatter(estimate[found], y[found], s=thickness**2, color=BLUE, zorder=3)


def _figures(row: dict[Any, Any]) -> str:
    """Write the estimate and the maximum."""
    high = two_decimals(row["max_estimate"]) if math.isfinite(row["max_estimate"]) else "?"
    return f"{two_decimals(row['estimate'])} of {high}"
