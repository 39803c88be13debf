"""Pairs of raters with the agreement that they could reach → a picture; no statistics."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from pdkappa.present.fonts import drawable
from pdkappa.present.labels import drawn, group_in_words, groups_of, measure, two_decimals
from pdkappa.present.plots.drawing import (
    BLUE,
    check_characters,
    check_matplotlib,
    points_of,
)
from pdkappa.present.plots.rows import (
    LOWEST_ROW,
    MOST_ROWS,
    Rows,
    finish,
    place_rows,
    set_range,
    undefined,
    write_columns,
)

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from pdkappa._typing import FloatArray

THICK = 0.5  # of a row, the bar of what is possible
THICKEST = 8.0  # points
LIGHT = "#BFBFBF"
FILLED = 0.8  # of a row with several bars
ROOMY = 2.0  # times the height of a row with one bar
SMALLEST_DOT, LARGEST_DOT = 2.0, 4.0  # points, a dot on one of several bars
HEADER = "estimate of maximum"
GOES_ON = "bars that touch the left edge begin further left"


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

    Notes
    -----
    The axis holds the estimates and the maxima; the least agreement may be far below. Where rows
    would be too many for text, each rater has one, with a bar for each other rater, sorted.
    """
    check_matplotlib()
    check_characters(frame["rater_a"], frame["rater_b"], frame.index, frame.index.names)
    most = MOST_ROWS if ax is None else points_of(ax)[1] / LOWEST_ROW - 1
    what = f"{measure(coefficient, weights)}: estimate and attainable range"
    if len(frame) > most:
        ax, rows = _draw_raters(frame, ax)
        what += ", a bar for each other rater"
    else:
        ax, rows = _draw_pairs(frame, ax)
    if (frame["min_estimate"] < ax.get_xlim()[0]).any():
        what += f"\n{GOES_ON}"
    finish(ax, rows, what)
    return ax


def _draw_pairs(frame: pd.DataFrame, ax: Axes | None) -> tuple[Axes, Rows]:
    """Draw a row for each pair."""
    records = frame.to_dict("records")
    labels = [
        _labelled(frame, group, f"{drawn(row['rater_a'])} with {drawn(row['rater_b'])}")
        for group, row in zip(groups_of(frame), records, strict=True)
    ]
    ax, rows = place_rows(labels, ax)
    thickness = min(THICK * rows.height, THICKEST)
    _draw(ax, frame, rows.y, thickness=thickness, size=thickness)
    figures = [_of_highest(row["estimate"], row["max_estimate"]) for row in records]
    write_columns(ax, rows, {HEADER: figures}, undefined(frame, "estimate"))
    return ax, rows


def _draw_raters(frame: pd.DataFrame, ax: Axes | None) -> tuple[Axes, Rows]:
    """Draw a row for each rater (of each group), with a bar for each of their pairs."""
    places: dict[tuple[Any, Any], list[int]] = {}
    for place, (group, row) in enumerate(
        zip(groups_of(frame), frame.to_dict("records"), strict=True)
    ):
        for rater in (row["rater_a"], row["rater_b"]):
            places.setdefault((group, rater), []).append(place)
    parts = [frame.iloc[some].sort_values("estimate") for some in places.values()]
    labels = [_labelled(frame, group, drawn(rater)) for group, rater in places]
    ax, rows = place_rows(labels, ax, least=ROOMY)
    span = FILLED * (ROOMY if rows.step == 1 else 1)
    y = np.concatenate(
        [
            middle + span * ((np.arange(len(part)) + 0.5) / len(part) - 0.5)
            for middle, part in zip(rows.y, parts, strict=True)
        ]
    )
    bar = span * rows.height / max(map(len, parts))
    size = min(max(SMALLEST_DOT, bar), LARGEST_DOT)
    _draw(ax, pd.concat(parts), y, thickness=min(bar, THICKEST), size=size)
    means = [part[["estimate", "max_estimate"]].mean() for part in parts]
    write_columns(
        ax,
        rows,
        {f"mean {HEADER}": [_of_highest(*mean) for mean in means]},
        [undefined(part, "estimate")[0] for part in parts],  # sorted: NaN first if all are
    )
    return ax, rows


def _labelled(frame: pd.DataFrame, group: tuple[Any, ...], label: str) -> str:
    """Put the group, if there is one, before a label."""
    place = drawable(group_in_words(frame.index.names, group))
    return f"{place}, {label}" if place else label


def _draw(ax: Axes, frame: pd.DataFrame, y: FloatArray, *, thickness: float, size: float) -> None:
    """Draw a bar from the least to the greatest value of each row, and a dot on it."""
    low, high, estimate = (
        frame[name].to_numpy(dtype=float) for name in ("min_estimate", "max_estimate", "estimate")
    )
    set_range(ax, np.concatenate([high, estimate]), zero=False)
    known = np.isfinite(low) & np.isfinite(high)
    ax.hlines(y[known], low[known], high[known], color=LIGHT, linewidth=thickness)
    found = np.isfinite(estimate)
    ax.scatter(estimate[found], y[found], s=size**2, color=BLUE, zorder=3)


def _of_highest(estimate: float, highest: float) -> str:
    """Write the estimate and the maximum."""
    high = two_decimals(highest) if math.isfinite(highest) else "?"
    return f"{two_decimals(estimate)} of {high}"
