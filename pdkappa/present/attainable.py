"""Pairs of raters with the agreement that they could reach → a picture; no statistics."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np

from pdkappa.present.drawing import (
    BLUE,
    GREY,
    INCH,
    NAMES,
    PLAIN,
    check_matplotlib,
    fit_figure,
    fit_subplots,
    new_axes,
    one_line,
    two_decimals,
    wrapped,
)

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.axes import Axes

    from pdkappa._typing import FloatArray

ROW_HEIGHT = 1.75  # times the size of the font
EXTRA_LINE = 0.75  # rows that each new line of a label takes
MOST_ROWS = 100  # rows of a new figure that all have text
COMPACT_HEIGHT = 7.0  # inches of a picture of more rows than that
LOWEST_ROW = 6.0  # points: text of a lower row cannot be read
LABELLED_ROW = 14.0  # points between labels if not every row has one
MARGIN = 0.04  # of the range of the data, at either side
GAP = 14.0  # points between the plot and the text at the right
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
        ``rater_a, rater_b, estimate, min_estimate, max_estimate, reason``. Columns to the left
        of these are those of the groups.
    coefficient : str
        Name of the coefficient as in the options, for the label of the horizontal axis.
    weights : str, optional
        Name of the weighting, for the same label.
    ax : Axes, optional
        Where to draw. A figure with several subplots should have ``layout="constrained"``.
        Default: a new figure with room for everything.

    Returns
    -------
    Axes
        The vertical axis points down, and the first pair is at 0.

    Raises
    ------
    MissingDependencyError
        If Matplotlib is not installed.
    """
    check_matplotlib()
    is_new = ax is None
    labels = _labels(frame)
    heights = np.array([1 + EXTRA_LINE * label.count("\n") for label in labels])
    ax = new_axes(_height(heights)) if ax is None else ax
    points = ax.get_window_extent().height * INCH / ax.get_figure(root=True).dpi  # type: ignore[union-attr]
    step = 1
    if points < LOWEST_ROW * (heights.sum() + 1):
        step = math.ceil(LABELLED_ROW * len(frame) / points)
        labels = [" ".join(label.split("\n")) for label in labels]
        heights = np.ones(len(frame))
    y = np.cumsum(heights) - heights / 2 - 0.5
    row = points / (heights.sum() + 1)
    _draw(ax, frame, y, thickness=min(THICK * row, THICKEST))
    ax.set_ylim(heights.sum() - 0.5, -1.5)
    size = _font_size(row * step)
    ax.set_yticks(y[::step], labels[::step], fontsize=size, **PLAIN)
    ax.tick_params(axis="y", length=0)
    if step == 1:
        _write(ax, frame, y, size)
    name, of = NAMES.get(coefficient, coefficient), f", {weights} weights" if weights else ""
    ax.set_xlabel(f"{name}{of}: estimate and attainable range", **PLAIN)
    if is_new:
        fit_figure(ax)
    else:
        fit_subplots(ax)
    return ax


def _labels(frame: pd.DataFrame) -> list[str]:
    """Name each row by its raters and its group."""
    groups = list(frame.columns[: frame.columns.get_loc("rater_a")])
    labels = []
    for row in frame.to_dict("records"):
        pair = f"{one_line(row['rater_a'])} with {one_line(row['rater_b'])}"
        place = [f"{one_line(name)}={one_line(row[name])}" for name in groups]
        labels.append(wrapped(", ".join([*place, pair])))
    return labels


def _height(heights: FloatArray) -> float:
    """Choose the height of a new figure, in inches."""
    from matplotlib import rcParams

    if len(heights) > MOST_ROWS:
        return COMPACT_HEIGHT
    return float(heights.sum() + 1) * ROW_HEIGHT * rcParams["font.size"] / INCH


def _draw(ax: Axes, frame: pd.DataFrame, y: FloatArray, *, thickness: float) -> None:
    """Draw a bar from the least to the greatest value of each row, and a dot on it."""
    low, high, estimate = (
        frame[name].to_numpy(dtype=float) for name in ("min_estimate", "max_estimate", "estimate")
    )
    values = np.concatenate([low, high, estimate, [0.0]])
    values = values[np.isfinite(values)]
    margin = MARGIN * (np.ptp(values) or 1.0)
    ax.set_xlim(values.min() - margin, values.max() + margin)
    ax.locator_params(axis="x", steps=(1, 2, 5, 10))
    known = np.isfinite(low) & np.isfinite(high)
    ax.hlines(y[known], low[known], high[known], color=LIGHT, linewidth=thickness)
    ax.axvline(0, color=GREY, linewidth=0.8, linestyle=(0, (4, 3)), zorder=0.5)
    found = np.isfinite(estimate)
    ax.scatter(estimate[found], y[found], s=thickness**2, color=BLUE, zorder=3)
    ax.spines[["left", "right", "top"]].set_visible(False)


def _write(ax: Axes, frame: pd.DataFrame, y: FloatArray, size: float) -> None:
    """Write at the right what was reached of what, or why there is no such figure."""
    style: dict[str, Any] = {
        "xycoords": ax.get_yaxis_transform(),
        "textcoords": "offset points",
        "verticalalignment": "center_baseline",
        "fontsize": size,
        "annotation_clip": False,
        **PLAIN,
    }
    ax.annotate("estimate of maximum", (1, -1), (GAP, 0), **style)
    for row, place in zip(frame.to_dict("records"), y, strict=True):
        text = ax.annotate(_figures(row), (1, place), (GAP, 0), **style)
        if not math.isfinite(row["estimate"]):
            text.set_color(GREY)


def _figures(row: dict[Any, Any]) -> str:
    """Write the estimate and the maximum."""
    if not math.isfinite(row["estimate"]):
        return f"undefined: {row['reason']}"
    high = two_decimals(row["max_estimate"]) if math.isfinite(row["max_estimate"]) else "?"
    return f"{two_decimals(row['estimate'])} of {high}"


def _font_size(row: float) -> float:
    """Choose the size of text that fits into a row of so many points."""
    from matplotlib import rcParams

    return float(min(rcParams["font.size"], 0.8 * row))
