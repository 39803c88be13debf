"""Labels along an axis, moved apart where they would run into each other; no statistics."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from pdkappa.present.plots.drawing import (
    GREY,
    INCH,
    LOWEST_TEXT,
    PLAIN,
    dpi_of,
    extent_of,
    points_of,
)

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.axis import Axis

    from pdkappa._typing import FloatArray, IntArray

APART = 1.15  # times the size of a label, from one to the next
BESIDE = 5.0  # points between labels in one line, at least
LEAD = 12.0  # points of the line from what has a label to a label that was moved
NEAR = 3.5  # points between the axis and labels that need no line


def place_labels(ax: Axes, axis: Axis, places: FloatArray, texts: list[str]) -> None:
    """Label places along an axis; those of columns are upright if they do not fit in one line."""
    axis.set_ticks(places, texts, **PLAIN)
    axis.set_tick_params(length=0, pad=LEAD + 2)
    if axis is ax.xaxis and _apart(ax, axis).sum() > points_of(ax)[0]:
        axis.set_tick_params(rotation=90)


def spread_labels(ax: Axes, axis: Axis, sizes: FloatArray) -> None:
    """Move labels along an axis until they stand apart, with a line to each from its place.

    Text gets smaller where there is no room for all; where it would be too small to read, the
    largest of what is labelled, by these sizes, have labels.
    """
    places = np.asarray(axis.get_ticklocs())
    texts = [one.get_text() for one in axis.get_ticklabels()]
    if not texts:
        return
    length = points_of(ax)[0 if axis is ax.xaxis else 1]
    apart = _apart(ax, axis)
    if apart.sum() > length:
        font = float(axis.get_ticklabels()[0].get_fontsize())
        least = min(LOWEST_TEXT / font, 1.0)
        factor = max(length / apart.sum(), least)
        axis.set_tick_params(labelsize=factor * font)
        shown = _largest(sizes, factor * apart, length)
        places, texts = places[shown], [texts[place] for place in shown]
        apart = (factor * apart)[shown[:-1]]
    low, high = sorted(axis.get_view_interval())
    scale = (high - low) / length
    moved = _moved(places, scale * apart, low, high)
    axis.set_ticks(moved, texts, **PLAIN)
    if np.abs(moved - places).max() > scale:
        _draw_leads(ax, axis, places, moved)
    else:
        axis.set_tick_params(pad=NEAR)


def _apart(ax: Axes, axis: Axis) -> FloatArray:
    """Measure how far the middle of each label has to be from that before, in points."""
    along, upright = ("width", False) if axis is ax.xaxis else ("height", True)
    labels = axis.get_ticklabels()
    boxes = [getattr(extent_of(one), along) * INCH / dpi_of(ax) for one in labels]
    size = np.array(boxes)
    upright = upright or bool(labels and labels[0].get_rotation())
    return (size[1:] + size[:-1]) / 2 * (APART if upright else 1) + (0 if upright else BESIDE)


def _largest(sizes: FloatArray, apart: FloatArray, length: float) -> IntArray:
    """List the largest for whose labels there is room, in their order."""
    most = max(int(length / apart.max()), 1) if apart.sum() > length else len(sizes)
    return np.sort(np.argsort(-sizes, kind="stable")[:most])


def _moved(places: FloatArray, apart: FloatArray, low: float, high: float) -> FloatArray:
    """Move places as little as possible until they are that far apart."""
    from scipy.optimize import isotonic_regression

    before = np.concatenate([[0.0], np.cumsum(apart)])
    free = isotonic_regression(places - before).x
    result: FloatArray = free.clip(low, max(high - before[-1], low)) + before
    return result


def _draw_leads(ax: Axes, axis: Axis, places: FloatArray, moved: FloatArray) -> None:
    """Draw a line from each place to its label."""
    from matplotlib.collections import LineCollection

    width, height = points_of(ax)
    across = np.array([0, -LEAD]) / (width if axis is ax.yaxis else height)
    lines = [
        np.column_stack([across, along] if axis is ax.yaxis else [along, across])
        for along in np.column_stack([places, moved])
    ]
    transform = ax.get_yaxis_transform() if axis is ax.yaxis else ax.get_xaxis_transform()
    leads = LineCollection(lines, colors=GREY, linewidths=0.6, transform=transform, clip_on=False)
    ax.add_collection(leads, autolim=False)
