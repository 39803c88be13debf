"""A table of two raters → Bangdiwala's agreement chart; no statistics."""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING

import numpy as np

from pdkappa.present.fonts import drawable
from pdkappa.present.labels import one_line, wrapped
from pdkappa.present.plots.drawing import (
    GREY,
    PLAIN,
    VERMILION,
    check_matplotlib,
    fit,
    new_axes,
)

if TYPE_CHECKING:
    from collections.abc import Iterator

    import pandas as pd
    from matplotlib.axes import Axes
    from matplotlib.axis import Axis

    from pdkappa._typing import FloatArray, IntArray

SIDE = 4.2  # inches
APART = 8.0  # pixels between two labels, at least


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
    is_new = ax is None
    ax = new_axes(SIDE, SIDE) if ax is None else ax
    table = counts.to_numpy(dtype=np.float64)
    n = table.sum() or 1.0
    ax.set_xlim(0, n)
    ax.set_ylim(0, n)
    for i in range(len(table)):
        _draw_category(ax, table, agreement[i], i)
    ax.plot([0, n], [0, n], color=VERMILION, linewidth=1, linestyle=(0, (5, 3)), zorder=4)
    ax.set_title(drawable(title), **PLAIN)
    for axis, labels, sizes, name in (
        (ax.yaxis, counts.index, table.sum(axis=1), counts.index.name),
        (ax.xaxis, counts.columns, table.sum(axis=0), counts.columns.name),
    ):
        axis.set_label_text(wrapped(one_line(name)), **PLAIN)
        _label(ax, axis, [wrapped(one_line(label)) for label in labels], sizes)
    fit(ax, is_new=is_new)
    return ax


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


def _label(ax: Axes, axis: Axis, labels: list[str], sizes: FloatArray) -> None:
    """Label the side of each category in use, unless the label before it leaves no room."""
    used = np.flatnonzero(sizes)
    middles = (np.cumsum(sizes) - sizes / 2)[used]
    axis.set_ticks(middles, [labels[place] for place in used], **PLAIN)
    axis.set_tick_params(length=0)
    shown = _apart(ax, axis)
    if axis is ax.xaxis and len(shown) < len(used):
        axis.set_tick_params(rotation=90)
        turned = _apart(ax, axis)
        if len(turned) > len(shown):
            shown = turned
        else:
            axis.set_tick_params(rotation=0)
    axis.set_ticks(middles[shown], [labels[place] for place in used[shown]], **PLAIN)


def _apart(ax: Axes, axis: Axis) -> list[int]:
    """List the labels of an axis that do not run into one listed before."""
    found: list[int] = []
    end = -np.inf
    for place, tick in enumerate(axis.get_ticklabels()):
        box = tick.get_window_extent()
        low, high = (box.x0, box.x1) if axis is ax.xaxis else (box.y0, box.y1)
        if low >= end:
            found.append(place)
            end = high + APART
    return found
