"""A square of cells -> colours, text, hatching and a colour bar; no statistics."""

from __future__ import annotations

import math
import textwrap
from typing import TYPE_CHECKING, Any, NamedTuple, cast

import numpy as np

from pdkappa.present.labels import wrapped
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
    settle,
    shorten_to,
    width_of,
)

if TYPE_CHECKING:
    from collections.abc import Sequence

    from matplotlib.axes import Axes
    from matplotlib.cm import ScalarMappable

    from pdkappa._typing import BoolArray, FloatArray

USUAL_FONT = 10.0  # points, for which the next two are
CELL = 0.62  # inches, a cell of a new figure
SMALLEST_CELL = 1.9  # inches, the side of a new figure
LARGEST = 13.2  # inches, with which 40 raters have text
BAR = (1.03, 0.0, 0.045, 1.0)  # the colour bar, in sides of the square
LOWEST_ROW = 9.0  # points between labels: if rows are lower, only some have one
WRAPPED_ROW = 3.0  # lines of text that a row must hold for its label to have several
SIZES = (1.0, 0.8)  # of the lines in a cell, relative to the first
HEIGHTS = (1.2, 2.3)  # of one line and of two, relative to the size of the first
LEAST_WIDTH = 0.5  # of a text, relative to its size
ROOM = 0.86  # of a cell, for its text
TICK = 1.4  # times the size of the font, from one number of a colour bar to the next at least
BLANK = "#E6E6E6"
HATCH = "////"
GAMMA, LUMINANCE, DARK = 2.2, (0.2126, 0.7152, 0.0722), 0.179  # of colours, as in WCAG 2
INK = {False: "black", True: "white"}


class Shades(NamedTuple):
    """How values become colours.

    Attributes
    ----------
    name : str
        A colour map of Matplotlib that is told apart with any colour vision.
    low, high : float
        Values of the first and the last colour; what is beyond has the same.
    least : float
        Where the colour bar begins, if that is above `low`.
    label : str
        What the values are.
    """

    name: str
    low: float
    high: float
    least: float
    label: str


class PictureCells(NamedTuple):
    """What is in a rectangle of R x C cells.

    Attributes
    ----------
    values : ndarray of float, shape (R, C)
        What is coloured; a cell with NaN is hatched.
    lines : sequence of lists
        Each R x C texts; the first is larger.
    blank : ndarray of bool, shape (R, C)
        Cells without a colour, a hatching or text.
    rows, columns : list of str
        Labels.
    """

    values: FloatArray
    lines: Sequence[Sequence[Sequence[str]]]
    blank: BoolArray
    rows: list[str]
    columns: list[str]


def draw_cells(
    cells: PictureCells,
    shades: Shades,
    *,
    names: tuple[str, str] = ("", ""),
    ax: Axes | None = None,
) -> Axes:
    """Draw coloured cells with their text, a colour bar, and the names of rows and columns."""
    is_new = ax is None
    ax = new_axes(*sides_of(cells)) if ax is None else ax
    rgba = paint_cells(ax, cells, shades, is_new=is_new)
    ax.set_ylabel(wrapped(names[0]), **PLAIN)
    ax.set_xlabel(wrapped(names[1]), **PLAIN)
    fit(ax, is_new=is_new)
    settle(ax)
    if not is_new:
        refit_cells(ax, cells)
        fit(ax, is_new=is_new)
        settle(ax)
    write_cells(ax, cells, rgba)
    return ax


def paint_cells(
    ax: Axes, cells: PictureCells, shades: Shades, *, is_new: bool, bar: bool = True
) -> FloatArray:
    """Draw colours, labels and a colour bar; return the colours, shape (R, C, 4).

    Where the axes are not new, labels take no more than their part of them.
    """
    n_rows, n_columns = cells.values.shape
    ax.set_xlim(-0.5, max(n_columns, 1) - 0.5)
    ax.set_ylim(max(n_rows, 1) - 0.5, -0.5)
    rgba = _colour(ax, cells, shades)
    if bar:
        _add_bar(ax, cells, shades)
    ax.tick_params(length=0)
    ax.grid(visible=False)
    ax.spines[:].set_visible(False)
    if cells.values.size:
        _label(ax, cells, [math.inf] * 2 if is_new else [LABELS * side for side in room_of(ax)])
    return rgba


def refit_cells(ax: Axes, cells: PictureCells) -> None:
    """Label cells and colour bar once more, in axes that got smaller to make room for labels."""
    if cells.values.size:
        _label(ax, cells, [LABELS * side for side in room_of(ax)])
    for bar in cast("list[Axes]", ax.child_axes):  # the colour bar, if it has one
        ticks, height = bar.get_yticks(), points_of(bar)[1]
        apart = TICK * float(bar.yaxis.label.get_fontsize())
        bar.set_yticks(ticks[:: max(1, math.ceil(apart * (len(ticks) - 1) / height))])
        _caption(bar, " ".join(bar.get_ylabel().split("\n")))


def sides_of(cells: PictureCells) -> list[float]:
    """Choose the height and the width of a new figure, in inches."""
    from matplotlib import rcParams

    font = rcParams["font.size"] / USUAL_FONT
    return [min(max(n * CELL, SMALLEST_CELL) * font, LARGEST) for n in cells.values.shape]


def _colour(ax: Axes, cells: PictureCells, shades: Shades) -> FloatArray:
    """Draw the colours and the hatching; return the colours, shape (R, C, 4)."""
    from matplotlib.collections import PatchCollection
    from matplotlib.colors import to_rgba
    from matplotlib.patches import Rectangle

    undefined = np.isnan(cells.values) & ~cells.blank
    known = np.where(undefined | cells.blank, shades.low, cells.values)
    rgba: FloatArray = np.asarray(_scale(shades).to_rgba(known))
    rgba[undefined] = to_rgba("white")
    rgba[cells.blank] = to_rgba(BLANK)
    if rgba.size:
        ax.imshow(rgba, aspect="auto", interpolation="none", zorder=0.5)
    squares = [Rectangle((j - 0.5, i - 0.5), 1, 1) for i, j in np.argwhere(undefined)]
    hatched = PatchCollection(squares, facecolor="none", edgecolor=GREY, linewidth=0)
    hatched.set_hatch(HATCH)
    ax.add_collection(hatched, autolim=False)
    return rgba


def _scale(shades: Shades) -> ScalarMappable:
    """Make the colours of Matplotlib."""
    from matplotlib.cm import ScalarMappable
    from matplotlib.colors import Normalize

    return ScalarMappable(Normalize(shades.low, shades.high), shades.name)


def _add_bar(ax: Axes, cells: PictureCells, shades: Shades) -> None:
    """Draw the colour bar beside the cells."""
    bar = ax.inset_axes(BAR)
    known = cells.values[~np.isnan(cells.values) & ~cells.blank]
    beyond = bool((known < shades.low).any()), bool((known > shades.high).any())
    extend = {(0, 0): "neither", (1, 0): "min", (0, 1): "max", (1, 1): "both"}[beyond]
    figure = ax.get_figure(root=True)
    figure.colorbar(_scale(shades), cax=bar, extend=extend)  # type: ignore[union-attr]
    low, high = max(shades.low, shades.least), shades.high
    bar.set_ylim(low, high)
    # A taller figure would have more ticks, and the last might stick out.
    bar.set_yticks([tick for tick in bar.get_yticks() if low <= tick <= high])
    _caption(bar, shades.label)


def _caption(bar: Axes, label: str) -> None:
    """Write what the colours are beside the bar, in as many lines as its height takes."""
    caption, height = bar.set_ylabel(label, **PLAIN), bar.get_window_extent().height
    longest_word = max(map(len, label.split()))
    for width in range(len(label), longest_word - 1, -1):
        caption.set_text(textwrap.fill(label, width))
        if extent_of(caption).height <= height:
            return


def _label(ax: Axes, cells: PictureCells, room: Sequence[float]) -> None:
    """Label rows and columns, those of the columns upright if they do not fit."""
    from matplotlib import rcParams

    width, height = points_of(ax)
    n_rows, n_columns = cells.values.shape
    for axis, n, points, labels, most in (
        (ax.yaxis, n_rows, height, cells.rows, room[0]),
        (ax.xaxis, n_columns, width, cells.columns, room[1]),
    ):
        side = points / n
        step = max(1, math.ceil(LOWEST_ROW / side))
        size = min(rcParams["font.size"], 0.8 * side * step)
        shown = labels[::step]
        if side > WRAPPED_ROW * size:
            shown = [wrapped(label) for label in shown]
        if width_of(ax, shown, size) > most:
            shown = shorten_to(ax, labels[::step], most, size)
        axis.set_ticks(range(0, n, step), shown, fontsize=size, **PLAIN)
    widest = max(extent_of(tick).width for tick in ax.get_xticklabels())
    if widest > ROOM * ax.get_window_extent().width / n_columns:
        for tick in ax.get_xticklabels():
            tick.set(rotation=90, horizontalalignment="center", verticalalignment="top")


def write_cells(ax: Axes, cells: PictureCells, rgba: FloatArray) -> None:
    """Write as many lines into the cells as fit."""
    if not cells.values.size:
        return
    size, n_lines = _size_of_text(ax, cells)
    style: dict[str, Any] = {
        "textcoords": "offset points",
        "horizontalalignment": "center",
        "verticalalignment": "center",
        **PLAIN,
    }
    white = _is_dark(rgba)
    for i, j in np.argwhere(~cells.blank):
        found = [(k, lines[i][j]) for k, lines in enumerate(cells.lines[:n_lines]) if lines[i][j]]
        # Two lines stand about the middle; the lower one is smaller, and a little further off.
        offsets = (0.54 * size, -0.66 * size) if len(found) > 1 else (0.0,)
        for (k, text), offset in zip(found, offsets, strict=False):
            written = ax.annotate(text, (j, i), (0, offset), **style)
            written.set(fontsize=size * SIZES[k], color=INK[bool(white[i, j])])
            if np.isnan(cells.values[i, j]):  # keep the hatching away
                written.set_bbox({"facecolor": "white", "edgecolor": "none", "pad": 1})


def _size_of_text(ax: Axes, cells: PictureCells) -> tuple[float, int]:
    """Find the size of text, in points, and how many lines of it go into a cell."""
    from matplotlib import rcParams

    sides = zip(points_of(ax), cells.values.shape[::-1], strict=True)
    width, height = (ROOM * points / n for points, n in sides)
    widest = [
        _widest(ax, texts) * factor for texts, factor in zip(cells.lines, SIZES, strict=False)
    ]
    for n_lines in range(len(cells.lines), 0, -1):
        size = min(
            rcParams["font.size"],
            height / HEIGHTS[n_lines - 1],
            width / max(*widest[:n_lines], LEAST_WIDTH),
        )
        if size * SIZES[n_lines - 1] >= LOWEST_TEXT:
            return size, n_lines
    return 0.0, 0


def _widest(ax: Axes, texts: Sequence[Sequence[str]]) -> float:
    """Measure the widest text, relative to its size."""
    longest = max((text for row in texts for text in row), key=len, default="")
    sample = ax.text(0, 0, longest, fontsize=INCH, **PLAIN)
    width = extent_of(sample).width / dpi_of(ax)
    sample.remove()
    return float(width)


def _is_dark(rgba: FloatArray) -> BoolArray:
    """Tell where white text has more contrast than black, by the luminance of the colour."""
    result: BoolArray = rgba[..., :3] ** GAMMA @ LUMINANCE < DARK
    return result
