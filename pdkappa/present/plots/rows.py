"""Labels and figures, row by row, beside a plot; no statistics."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from pdkappa.present.labels import one_line, wrapped
from pdkappa.present.plots.drawing import GREY, INCH, PLAIN, fit_figure, fit_subplots, new_axes

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

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
MOST_TICKS = 6
GAP = 14.0  # points between the plot and the text at the right, and between its columns


class Rows(NamedTuple):
    """Where the rows are.

    Attributes
    ----------
    y : ndarray of float, shape (N,)
        Middle of each row.
    height : float
        Points of a row of one line.
    step : int
        Every how many rows there is a label; text at the right needs 1.
    size : float
        Size of the text, in points.
    is_new : bool
        Whether the figure was made for them.
    """

    y: FloatArray
    height: float
    step: int
    size: float
    is_new: bool


def place_rows(labels: Sequence[str], ax: Axes | None) -> tuple[Axes, Rows]:
    """Divide the height of the axes among rows with these labels, below a row for a header.

    Parameters
    ----------
    labels : sequence of str
        One for each row, from top to bottom.
    ax : Axes or None
        Where to draw; None for a new figure, high enough for all rows.

    Returns
    -------
    Axes
        Its vertical axis points down, and the first row is at 0.
    Rows
        Where the rows are.
    """
    from matplotlib import rcParams

    is_new = ax is None
    labels = [wrapped(label) for label in labels]
    heights = np.array([1 + EXTRA_LINE * label.count("\n") for label in labels])
    if ax is None:
        row = ROW_HEIGHT * rcParams["font.size"] / INCH
        ax = new_axes(COMPACT_HEIGHT if len(labels) > MOST_ROWS else float(heights.sum() + 1) * row)
    points = ax.get_window_extent().height * INCH / ax.get_figure(root=True).dpi  # type: ignore[union-attr]
    step = 1
    if points < LOWEST_ROW * (heights.sum() + 1):
        step = math.ceil(LABELLED_ROW * len(labels) / points)
        labels = [" ".join(label.split("\n")) for label in labels]
        heights = np.ones(len(labels))
    y = np.cumsum(heights) - heights / 2 - 0.5
    height = float(points / (heights.sum() + 1))
    size = min(rcParams["font.size"], 0.8 * height * step)
    ax.set_ylim(heights.sum() - 0.5, -1.5)
    ax.set_yticks(y[::step], labels[::step], fontsize=size, **PLAIN)
    ax.tick_params(axis="y", length=0)
    ax.spines[["left", "right", "top"]].set_visible(False)
    return ax, Rows(y, height, step, size, is_new)


def set_range(ax: Axes, values: FloatArray) -> None:
    """Show all these values and 0, which has a line."""
    known = np.append(values[np.isfinite(values)], 0.0)
    margin = MARGIN * (np.ptp(known) or 1.0)
    ax.set_xlim(known.min() - margin, known.max() + margin)
    ax.locator_params(axis="x", nbins=MOST_TICKS, steps=(1, 2, 5, 10))
    ax.axvline(0, color=GREY, linewidth=0.8, linestyle=(0, (4, 3)), zorder=0.5)


def write_columns(
    ax: Axes, rows: Rows, columns: Mapping[str, Sequence[str]], undefined: Sequence[str]
) -> None:
    """Write columns of figures at the right, or in grey why a row has none.

    Parameters
    ----------
    ax : Axes
        Where `rows` are.
    rows : Rows
        As `place_rows` returns them. Where they are too low for text, nothing is written.
    columns : mapping of sequences of str
        What stands in each row, by header.
    undefined : sequence of str
        What is written instead; empty text for a row that has figures.
    """
    if rows.step > 1:
        return
    style: dict[str, Any] = {
        "xycoords": ax.get_yaxis_transform(),
        "textcoords": "offset points",
        "verticalalignment": "center_baseline",
        "fontsize": rows.size,
        "annotation_clip": False,
        **PLAIN,
    }
    figure = ax.get_figure(root=True)
    dpi = figure.dpi if figure is not None else INCH
    left = GAP
    for place, (header, texts) in enumerate(columns.items()):
        written = [ax.annotate(header, (1, -1), (left, 0), **style)]
        for text, y, why in zip(texts, rows.y, undefined, strict=True):
            if not why:
                written.append(ax.annotate(text, (1, y), (left, 0), **style))
            elif place == 0:
                ax.annotate(why, (1, y), (left, 0), color=GREY, **style)
        left += GAP + max(one.get_window_extent().width for one in written) * INCH / dpi


def fit(ax: Axes, rows: Rows) -> None:
    """Make room for everything beside the plot."""
    if rows.is_new:
        fit_figure(ax)
    else:
        fit_subplots(ax)


def labels_of(index: pd.Index) -> list[str]:
    """Label each row by the last level of its index, after the names and values of its group."""
    if index.nlevels == 1:
        return [one_line(value) for value in index]
    names = [f"{one_line(name)}=" for name in index.names[:-1]] + [""]
    return [
        ", ".join(name + one_line(of) for name, of in zip(names, row, strict=True)) for row in index
    ]
