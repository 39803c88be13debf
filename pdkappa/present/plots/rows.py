"""Labels and figures, row by row, beside a plot; no statistics."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from pdkappa.present.headings import heading_of
from pdkappa.present.labels import drawn, reason_in_words, wrapped
from pdkappa.present.plots.drawing import (
    GREY,
    INCH,
    LABELS,
    LOWEST_TEXT,
    PLAIN,
    dpi_of,
    extent_of,
    fit,
    new_axes,
    points_of,
    room_of,
    shorten_to,
    width_of,
)

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    import pandas as pd
    from matplotlib.axes import Axes
    from matplotlib.text import Annotation

    from pdkappa._typing import FloatArray

ROW_HEIGHT = 1.75  # times the size of the font
EXTRA_LINE = 0.75  # rows that each new line of a label takes
RULE = 0.75  # rows that the line above the last rows takes
MOST_ROWS = 100  # rows of a new figure that all have text
COMPACT_HEIGHT = 7.0  # inches of a picture of more rows than that
TEXT = 0.7  # of a row, its text
LOWEST_ROW = LOWEST_TEXT / TEXT  # points
LABELLED_ROW = 14.0  # points between labels if not every row has one
MARGIN = 0.04  # of the range of the data, at either side
MOST_TICKS = 6
GAP = 14.0  # points between the plot and the text at the right, and between its columns
LEAST_PLOT = 80.0  # points that text at the right leaves to the plot in it
TICK = 4.0  # times the size of the font, from one number of the axis to the next at least


class Rows(NamedTuple):
    """Where the rows are.

    Attributes
    ----------
    y : ndarray of float, shape (N,)
        Middle of each row.
    header : float
        Middle of the header.
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
    header: float
    height: float
    step: int
    size: float
    is_new: bool


def place_rows(
    labels: Sequence[str], ax: Axes | None, *, below: int = 0, least: float = 1.0
) -> tuple[Axes, Rows]:
    """Divide the height of the axes among rows with these labels, below a row for a header.

    Parameters
    ----------
    labels : sequence of str
        One for each row, from top to bottom.
    ax : Axes or None
        Where to draw; None for a new figure, high enough for all rows.
    below : int, default 0
        How many of the last rows stand below a line; these, and the header, always have text.
    least : float, default 1
        How high a row is at least, where there is room, in rows of one line.

    Returns
    -------
    Axes
        Its vertical axis points down, and the first row is at 0.
    Rows
        Where the rows are.
    """
    from matplotlib import rcParams

    is_new = ax is None
    texts = [wrapped(label) for label in labels]
    is_below = np.arange(len(texts)) >= len(texts) - below
    heights = np.array([max(least, 1 + EXTRA_LINE * text.count("\n")) for text in texts])
    rule = RULE if below else 0.0
    total = float(heights.sum() + 1 + rule)
    if ax is None:
        is_long = len(texts) - below > MOST_ROWS
        row = ROW_HEIGHT * rcParams["font.size"] / INCH
        ax = new_axes(COMPACT_HEIGHT if is_long else total * row)
    points, step = points_of(ax)[1], 1
    if not is_new and points < ROW_HEIGHT * rcParams["font.size"] * total:
        texts, heights = list(labels), np.full(len(texts), least)
        total = float(heights.sum() + 1 + rule)
    if points < LOWEST_ROW * total:
        step = math.ceil(LABELLED_ROW * len(texts) / points)
        texts, heights = list(labels), np.where(is_below, step, 1.0)
    tall = step if below else 1  # what always has text is as high as the rows of one label
    total = float(heights.sum() + (1 + rule) * tall)
    y = np.cumsum(heights) - heights / 2 + rule * tall * is_below
    first, top = (y[0], -heights[0] / 2 - tall) if below else (0.5, -1.5)
    y -= first
    height = points / total
    size = min(rcParams["font.size"], TEXT * height * step)
    ax.set_ylim(heights.sum() + rule * tall - first, top)
    if below:
        middle = y[-below] - (1 + rule) * tall / 2
        ax.axhline(middle, color=ax.xaxis.label.get_color(), linewidth=0.6)
    labelled = np.flatnonzero(is_below | (np.arange(len(texts)) % step == 0))
    room = math.inf if is_new else LABELS * room_of(ax)[0]
    if width_of(ax, texts, size) > room:
        texts = shorten_to(ax, labels, room, size)
    ax.set_yticks(y[labelled], [texts[i] for i in labelled], fontsize=size, **PLAIN)
    ax.tick_params(axis="y", length=0)
    ax.spines[["left", "right", "top"]].set_visible(False)
    return ax, Rows(y, top + 0.5, height, step, size, is_new)


def set_range(ax: Axes, values: FloatArray, *, zero: bool = True) -> None:
    """Show all these values, and 0 if it has to be there; a line for 0 wherever it is in sight."""
    known = values[np.isfinite(values)]
    if zero or not len(known):
        known = np.append(known, 0.0)
    margin = MARGIN * (np.ptp(known) or 1.0)
    low, high = known.min() - margin, known.max() + margin
    ax.set_xlim(low, high)
    ax.locator_params(axis="x", nbins=MOST_TICKS, steps=(1, 2, 5, 10))
    if low < 0 < high:
        ax.axvline(0, color=GREY, linewidth=0.8, linestyle=(0, (4, 3)), zorder=0.5)


def write_columns(
    ax: Axes, rows: Rows, columns: Mapping[str, Sequence[str]], why: Sequence[str]
) -> None:
    """Write columns of figures at the right, or in grey why a row has none.

    Parameters
    ----------
    ax : Axes
        Where `rows` are.
    rows : Rows
        As `place_rows` returns them. Where they are too low for text, nothing is written.
    columns : mapping of sequences of str
        What stands in each row, by header; in a narrow subplot the first of them, or none.
    why : sequence of str
        What is written instead, as of `undefined`; empty text for a row that has figures.
    """
    if rows.step > 1:
        return
    left, room = GAP, room_for_columns(ax, rows)
    for place, (header, texts) in enumerate(columns.items()):
        written, reasons = [write(ax, rows, header, (1, rows.header), left)], []
        for text, y, reason in zip(texts, rows.y, why, strict=True):
            if not reason:
                written.append(write(ax, rows, text, (1, y), left))
            elif place == 0:
                reasons.append(write(ax, rows, reason, (1, y), left, color=GREY))
        if left + widest(ax, [*written, *reasons]) > room:
            for one in (*written, *reasons):
                one.remove()
            return
        left += GAP + widest(ax, written)


def room_for_columns(ax: Axes, rows: Rows) -> float:
    """Measure what a subplot has for text at the right, in points; a new figure grows with it."""
    if rows.is_new:
        return math.inf
    labels = max((extent_of(one).width for one in ax.get_yticklabels()), default=0.0)
    return room_of(ax)[0] - labels * INCH / dpi_of(ax) - LEAST_PLOT


def finish(ax: Axes, rows: Rows, caption: str) -> None:
    """Write below the plot what its axis shows, and make room for everything."""
    ax.set_xlabel(caption, **PLAIN)
    fit(ax, is_new=rows.is_new)
    most = points_of(ax)[0] / (TICK * float(ax.xaxis.label.get_fontsize()))
    if most < MOST_TICKS:
        ax.locator_params(axis="x", nbins=max(int(most), 1))


def write(
    ax: Axes, rows: Rows, text: str, place: tuple[float, float], left: float, **how: Any
) -> Annotation:
    """Write beside the plot, so many points right of a place on its edge, 0 or 1, at some y."""
    return ax.annotate(
        text,
        place,
        (left, 0),
        xycoords=ax.get_yaxis_transform(),
        textcoords="offset points",
        verticalalignment="center_baseline",
        fontsize=rows.size,
        annotation_clip=False,
        **PLAIN,
        **how,
    )


def widest(ax: Axes, texts: Iterable[Annotation]) -> float:
    """Measure the widest of some texts, in points."""
    return max(extent_of(text).width for text in texts) * INCH / dpi_of(ax)


def undefined(frame: pd.DataFrame, name: str) -> list[str]:
    """Say why a figure of each row is undefined; nothing where it is known."""
    known = np.isfinite(frame[name].to_numpy(dtype=np.float64))
    return [
        "" if one else f"undefined: {reason_in_words(reason)}"
        for one, reason in zip(known, frame["reason"], strict=True)
    ]


def labels_of(index: pd.Index, before: Sequence[str] = ()) -> list[str]:
    """Label each row by the last level of its index, after the names and values of its group.

    What stands `before` the value of each level can be given instead of the names.
    """
    if index.nlevels == 1:
        return [drawn(value) for value in index]
    names = before or [*(f"{drawn(heading_of(name))} " for name in index.names[:-1]), ""]
    return [
        ", ".join(name + drawn(of) for name, of in zip(names, row, strict=True)) for row in index
    ]
