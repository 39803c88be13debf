"""A table of two raters → Bangdiwala's agreement chart; no statistics."""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING

import numpy as np

from pdkappa.present.fonts import drawable
from pdkappa.present.labels import one_line, wrapped
from pdkappa.present.plots.drawing import (
    GREY,
    INCH,
    LABELS,
    PLAIN,
    VERMILION,
    check_characters,
    check_matplotlib,
    fit,
    new_axes,
    points_of,
    room_of,
    settle,
    shorten_to,
    width_of,
)
from pdkappa.present.plots.spread import APART, place_labels, spread_labels

if TYPE_CHECKING:
    from collections.abc import Iterator

    import pandas as pd
    from matplotlib.axes import Axes

    from pdkappa._typing import FloatArray, IntArray

SIDE, LARGEST = 4.2, 12.0  # inches
LINE = 1.2  # times the size of the font


def draw_agreement_chart(
    counts: pd.DataFrame,
    agreement: FloatArray,
    *,
    title: str = "",
    ax: Axes | None = None,
) -> Axes:
    """Draw the agreement of two raters as areas.

    Parameters
    ----------
    counts : DataFrame, shape (K, K)
        As `confusion` returns it: the index is named after the first rater, the columns after
        the second.
    agreement : ndarray of float, shape (K, K)
        Agreement weights in [0, 1], with ones on the diagonal.
    title : str
        Text above the chart.

    Notes
    -----
    Each category has a rectangle whose sides are the items that each rater put into it. In it
    the items on which both agree make a black one; with partial agreement, lighter ones around
    it hold those of near categories. Where rectangles leave the diagonal, one rater uses a
    category more than the other [1]_.

    References
    ----------
    .. [1] Bangdiwala, S. I., & Shankar, V. (2013). The agreement chart. BMC Medical Research
           Methodology, 13, 97. https://doi.org/10.1186/1471-2288-13-97
    """
    check_matplotlib()
    check_characters(counts.index, counts.columns, counts.index.names, counts.columns.names)
    is_new = ax is None
    table = counts.to_numpy(dtype=np.float64)
    sides = [
        ([wrapped(one_line(label)) for label in labels], table.sum(axis=way))
        for labels, way in ((counts.index, 1), (counts.columns, 0))
    ]
    ax = new_axes(*[_side(sides)] * 2) if ax is None else ax
    n = table.sum() or 1.0
    ax.set_xlim(0, n)
    ax.set_ylim(0, n)
    ax.grid(visible=False)
    ax.set_facecolor("white")  # of which black is told apart in a dark style, too
    for i in range(len(table)):
        _draw_category(ax, table, agreement[i], i)
    ax.plot([0, n], [0, n], color=VERMILION, linewidth=1, linestyle=(0, (5, 3)), zorder=4)
    ax.set_title(drawable(title), **PLAIN)
    names = counts.index.name, counts.columns.name
    for axis, name, (labels, sizes), side in zip(
        (ax.yaxis, ax.xaxis), names, sides, (0, 1), strict=True
    ):
        axis.set_label_text(wrapped(one_line(name)), **PLAIN)
        used = np.flatnonzero(sizes)
        middles = (np.cumsum(sizes) - sizes / 2)[used]
        texts = [labels[place] for place in used]
        place_labels(ax, axis, middles, texts if is_new else _shortened(ax, texts, side))
    if not is_new:
        fit(ax, is_new=False)
        settle(ax)
    for axis, (_, sizes) in zip((ax.yaxis, ax.xaxis), sides, strict=True):
        spread_labels(ax, axis, sizes[sizes > 0])
    fit(ax, is_new=is_new)
    return ax


def _side(sides: list[tuple[list[str], FloatArray]]) -> float:
    """Choose the side of a new figure so that all labels have room, in inches."""
    from matplotlib import rcParams

    lines = max(
        sum(text.count("\n") + 1 for text, size in zip(*side, strict=True) if size)
        for side in sides
    )
    needed = lines * APART * LINE * rcParams["font.size"] / INCH
    return float(np.clip(needed, SIDE, LARGEST))


def _shortened(ax: Axes, labels: list[str], side: int) -> list[str]:
    """Shorten labels of rows or columns to their part of a subplot, and to a line if need be."""
    from matplotlib import rcParams

    size, room = rcParams["font.size"], LABELS * room_of(ax)[side]
    needed = sum(text.count("\n") + 1 for text in labels) * APART * LINE * size
    if needed <= points_of(ax)[1 - side] and width_of(ax, labels, size) <= room:
        return labels
    return shorten_to(ax, [" ".join(text.split("\n")) for text in labels], room, size)


def _draw_category(ax: Axes, table: FloatArray, weight: FloatArray, i: int) -> None:
    """Draw the rectangle of a category, and the agreement in it from the widest inwards."""
    from matplotlib.patches import Rectangle

    left, bottom = table[:, :i].sum(), table[:i].sum()
    width, height = table[:, i].sum(), table[i].sum()
    edges_x = left + np.append(0, np.cumsum(table[:, i]))
    edges_y = bottom + np.append(0, np.cumsum(table[i]))
    for least in np.unique(weight[weight > 0]):
        for start, stop in _runs(np.flatnonzero(weight >= least)):
            for low, high in _runs(np.flatnonzero(weight >= least)):
                place = edges_x[start], edges_y[low]
                sides = edges_x[stop] - edges_x[start], edges_y[high] - edges_y[low]
                if min(sides) > 0:
                    ax.add_patch(Rectangle(place, *sides, color=_shade(least), linewidth=0))
    if min(width, height) > 0:
        frame = Rectangle((left, bottom), width, height, fill=False, edgecolor=GREY, zorder=3)
        frame.set_linewidth(0.8)
        ax.add_patch(frame)


def _runs(places: IntArray) -> Iterator[tuple[int, int]]:
    """Join consecutive places: where each run begins, and where the next would go on."""
    breaks = np.flatnonzero(np.diff(places) > 1) + 1
    for first, last in pairwise([0, *breaks, len(places)]):
        yield int(places[first]), int(places[last - 1]) + 1


def _shade(weight: float) -> str:
    """Choose a grey: black for exact agreement, the lighter the less it counts."""
    return f"{np.sqrt(1 - weight**2):.3f}"
