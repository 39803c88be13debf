"""Matrices -> coloured cells: coefficients of pairs, counts and residuals."""

from __future__ import annotations

import math
import textwrap
from typing import TYPE_CHECKING, Any, NamedTuple, cast

import numpy as np

from pdkappa.present.labels import (
    drawable,
    drawn,
    give_fonts,
    heading_of,
    shortened,
    two_decimals,
    wrapped,
)
from pdkappa.present.plot_drawing import (
    FEWEST,
    GREY,
    INCH,
    LABELS,
    LOWEST_TEXT,
    PLAIN,
    About,
    check_characters,
    check_matplotlib,
    dpi_of,
    extent_of,
    fit,
    new_axes,
    points_of,
    room_of,
    settle,
    shorten_to,
    width_of,
    with_line,
)
from pdkappa.present.schema import COLUMNS

if TYPE_CHECKING:
    from collections.abc import Sequence

    import numpy.typing as npt
    import pandas as pd
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
    """How values become colours."""

    name: str  # a colour map of Matplotlib that is told apart with any colour vision
    # Values of the first and the last colour; what is beyond has the same.
    low: float
    high: float
    least: float  # where the colour bar begins, if that is above `low`
    label: str  # what the values are


class PictureCells(NamedTuple):
    """What is in a rectangle of R x C cells."""

    numbers: FloatArray  # what is coloured; a cell with NaN is hatched, (R, C)
    lines: Sequence[Sequence[Sequence[str]]]  # each R x C texts; the first is larger
    blank: BoolArray  # cells without a colour, a hatching or text, (R, C)
    # Labels.
    rows: list[str]
    columns: list[str]
    # Cells with a text alone, which have no colour of their own, (R, C).
    counts: BoolArray | None = None

    @property
    def plain(self) -> BoolArray:
        """Cells that are not coloured."""
        return self.blank if self.counts is None else self.blank | self.counts


def draw_cells(
    cells: PictureCells, shades: Shades, *, names: tuple[str, str], ax: Axes | None
) -> Axes:
    """Draw coloured cells with their text, a colour bar, and the names of rows and columns."""
    is_new = ax is None
    ax = new_axes(*sides_of(cells)) if ax is None else ax
    rgba = paint_cells(ax, cells, shades, is_new=is_new)
    ax.set_ylabel(wrapped(names[0]), **PLAIN)
    ax.set_xlabel(names[1], **PLAIN)
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
    n_rows, n_columns = cells.numbers.shape
    ax.set_xlim(-0.5, max(n_columns, 1) - 0.5)
    ax.set_ylim(max(n_rows, 1) - 0.5, -0.5)
    rgba = _colour(ax, cells, shades)
    if bar:
        _add_bar(ax, cells, shades)
    ax.tick_params(length=0)
    ax.grid(visible=False)
    ax.spines[:].set_visible(False)
    if cells.numbers.size:
        _label(ax, cells, [math.inf] * 2 if is_new else [LABELS * side for side in room_of(ax)])
    return rgba


def refit_cells(ax: Axes, cells: PictureCells) -> None:
    """Label cells and colour bar once more, in axes that got smaller to make room for labels."""
    if cells.numbers.size:
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
    return [min(max(n * CELL, SMALLEST_CELL) * font, LARGEST) for n in cells.numbers.shape]


def _colour(ax: Axes, cells: PictureCells, shades: Shades) -> FloatArray:
    """Draw the colours and the hatching; return the colours, shape (R, C, 4)."""
    from matplotlib.collections import PatchCollection
    from matplotlib.colors import to_rgba
    from matplotlib.patches import Rectangle

    undefined = np.isnan(cells.numbers) & ~cells.plain
    known = np.where(undefined | cells.plain, shades.low, cells.numbers)
    rgba: FloatArray = np.asarray(_scale(shades).to_rgba(known))
    rgba[undefined | cells.plain] = to_rgba("white")
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
    known = cells.numbers[~np.isnan(cells.numbers) & ~cells.plain]
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
    n_rows, n_columns = cells.numbers.shape
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
    if not cells.numbers.size:
        return
    size, n_lines = _size_of_text(ax, cells)
    style: dict[str, Any] = {
        "textcoords": "offset points",
        "horizontalalignment": "center",
        "verticalalignment": "center",
        **PLAIN,
    }
    # White text has more contrast than black where the luminance of the colour is small.
    white = rgba[..., :3] ** GAMMA @ LUMINANCE < DARK
    for i, j in np.argwhere(~cells.blank):
        found = [(k, lines[i][j]) for k, lines in enumerate(cells.lines[:n_lines]) if lines[i][j]]
        # Two lines stand about the middle; the lower one is smaller, and a little further off.
        offsets = (0.54 * size, -0.66 * size) if len(found) > 1 else (0.0,)
        for (k, text), offset in zip(found, offsets, strict=False):
            written = ax.annotate(text, (j, i), (0, offset), **style)
            written.set(fontsize=size * SIZES[k], color=INK[bool(white[i, j])])
            if np.isnan(cells.numbers[i, j]) and not cells.plain[i, j]:  # keep the hatching away
                written.set_bbox({"facecolor": "white", "edgecolor": "none", "pad": 1})


def _size_of_text(ax: Axes, cells: PictureCells) -> tuple[float, int]:
    """Find the size of text, in points, and how many lines of it go into a cell."""
    from matplotlib import rcParams

    sides = zip(points_of(ax), cells.numbers.shape[::-1], strict=True)
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


WIDEST = 20.0  # inches, all squares of a row
ONE_ROW = 3  # squares that stand in one row
SMALLEST = 2.4  # inches, a square among several
BESIDE, ABOVE = 1.1, 0.4  # inches: the colour bar, and a title
TITLE = 0.75  # of the width of a square, at most: layouts take some of it
LETTER = 0.6  # of the size of the font, a letter
ABOVE_DIAGONAL = "above the diagonal: number of joint items"
LINES = 2  # of a title above a square of the caller


def draw_heatmap(
    values: pd.DataFrame, n_items: pd.DataFrame, stat: str, about: About, ax: Axes | None = None
) -> Axes:
    """Draw what holds between each pair of raters as coloured cells.

    Parameters
    ----------
    values : DataFrame, shape (R, R)
        Rows and columns are the raters, in the order in which they are drawn. The diagonal is
        left blank.
    n_items : DataFrame, shape (R, R)
        How many items each pair has in common.
    stat : str
        Which column of `pairs` the values are.

    Notes
    -----
    Agreement has the same colours in all pictures: white at 0, blue above and red below it.
    NaN is hatched. Text goes into the cells where it can be read: value and n, or the value
    alone, or nothing.
    """
    check_matplotlib()
    check_characters(values.columns)
    cells = _cells(values, n_items, stat)
    shades = _shades([cells], stat, about.measure)
    return draw_cells(cells, shades, names=("", with_line(ABOVE_DIAGONAL, about.line)), ax=ax)


def draw_heatmaps(
    groups: dict[str, tuple[pd.DataFrame, pd.DataFrame]],
    stat: str,
    about: About,
    ax: Sequence[Axes] | None = None,
) -> npt.NDArray[Any]:
    """Draw a heatmap for each of some groups, with the same colours.

    Parameters
    ----------
    groups : dict
        By the title of each group, `values` and `n_items` of `draw_heatmap`, with the same raters.
    stat : str
        As of `draw_heatmap`.
    ax : sequence of Axes, optional
        As many as groups. Default: a new figure, in which neighbours share labels.
    """
    check_matplotlib()
    check_characters(groups, *(values.columns for values, _ in groups.values()))
    all_cells = [_cells(values, n_items, stat) for values, n_items in groups.values()]
    shades = _shades(all_cells, stat, about.measure)
    is_new = ax is None
    axes, n_columns = _grid(all_cells) if ax is None else _given(ax)
    painted, titles = [], list(groups) if is_new else _short(axes[0], list(groups))
    for place, (one, title, cells) in enumerate(zip(axes, titles, all_cells, strict=True)):
        is_last = place % n_columns == n_columns - 1
        painted.append(paint_cells(one, cells, shades, is_new=is_new, bar=is_last))
        if is_new:
            is_lowest = place + n_columns >= len(axes)
            one.tick_params(labelleft=place % n_columns == 0, labelbottom=is_lowest)
        one.set_title(textwrap.fill(drawable(title), _letters(one)), **PLAIN)
        fit(one, is_new=False)
    axes[-1].set_xlabel(with_line(ABOVE_DIAGONAL, about.line), **PLAIN)
    give_fonts(axes[-1])
    settle(axes[0])
    if not is_new:
        for one, cells in zip(axes, all_cells, strict=True):
            refit_cells(one, cells)
            fit(one, is_new=False)
        settle(axes[0])
    for one, cells, rgba in zip(axes, all_cells, painted, strict=True):
        write_cells(one, cells, rgba)
    return axes


def _letters(ax: Axes) -> int:
    """Count the letters of a title that are as wide as a square."""
    width = TITLE * points_of(ax)[0] / (LETTER * float(ax.title.get_fontsize()))
    return max(int(width), FEWEST)


def _short(ax: Axes, titles: list[str]) -> list[str]:
    """Shorten titles to what has room above a square of the caller."""
    return shortened([drawable(title) for title in titles], LINES * _letters(ax), distinct=False)


def _given(ax: Sequence[Axes]) -> tuple[npt.NDArray[Any], int]:
    """Take given axes as those of one row."""
    axes = np.asarray(ax, dtype=object).ravel()
    return axes, len(axes)


def _grid(cells: list[PictureCells]) -> tuple[npt.NDArray[Any], int]:
    """Make a figure with as many axes, and tell how many are in a row."""
    from matplotlib import pyplot as plt
    from matplotlib import rcParams

    n_columns = len(cells) if len(cells) <= ONE_ROW else math.ceil(math.sqrt(len(cells)))
    n_rows = math.ceil(len(cells) / n_columns)
    side = max(min(sides_of(cells[0])[0], WIDEST / n_columns), SMALLEST)
    lines = [line for label in cells[0].columns for line in wrapped(label).split("\n")]
    label = LETTER * rcParams["font.size"] / INCH * max(map(len, lines), default=0)
    width = n_columns * side + label + BESIDE
    height = n_rows * (side + ABOVE) + label
    grid = plt.subplots(
        n_rows, n_columns, squeeze=False, figsize=(width, height), layout="constrained"
    )[1]
    axes = grid.ravel()
    for one in axes[len(cells) :]:
        one.remove()
    return axes[: len(cells)], n_columns


def _cells(values: pd.DataFrame, n_items: pd.DataFrame, stat: str) -> PictureCells:
    """Write what is in the cells."""
    found = values.to_numpy(dtype=np.float64)
    labels = [drawn(name) for name in values.columns]
    above = np.triu(np.ones(found.shape, dtype=bool), 1)
    counts = n_items.to_numpy(dtype=np.float64)
    lines = [
        [_count(n) if is_above else _number(value, _kind(stat)) for n, value, is_above in row]
        for row in (zip(*rows, strict=True) for rows in zip(counts, found, above, strict=True))
    ]
    return PictureCells(
        numbers=np.where(above, np.nan, found),
        lines=[lines],
        blank=np.eye(len(labels), dtype=bool),
        counts=above,
        rows=labels,
        columns=labels,
    )


def _count(n: float) -> str:
    """Write a number of items."""
    return f"{n:.10g}"


def _kind(stat: str) -> str:
    """Tell what kind of number it is."""
    return COLUMNS[stat].kind if stat in COLUMNS else "measure"


def _number(value: float, kind: str) -> str:
    """Write a value; nothing for NaN."""
    if np.isnan(value):
        return ""
    return f"{value:.10g}" if kind == "count" else two_decimals(value)


def _shades(cells: list[PictureCells], stat: str, name: str) -> Shades:
    """Choose colours: the same for all agreement, or from the least to the greatest value."""
    label = name if stat == "estimate" else f"{heading_of(stat)} ({name})"
    found = np.concatenate([one.numbers[~one.plain] for one in cells])
    known: FloatArray = found[np.isfinite(found)]
    if _kind(stat) == "agreement":
        return Shades("RdBu", -1, 1, -1 if (known < 0).any() else 0, label)
    low, high = (known.min(), known.max()) if len(known) else (0.0, 1.0)
    return Shades("Blues", min(low, 0), high if high > min(low, 0) else 1, min(low, 0), label)


SATURATED = 4.0  # a residual that is hardly chance, from where on the colours are the same
RESIDUAL = "Pearson residual against chance"


def draw_confusion(
    counts: pd.DataFrame, residuals: pd.DataFrame | None, *, line: str = "", ax: Axes | None = None
) -> Axes:
    """Draw how often two raters gave which categories, and how that differs from chance.

    Parameters
    ----------
    counts : DataFrame, shape (K, K)
        As `confusion` returns it: the index is named after the first rater, the columns after
        the second.
    residuals : DataFrame, shape (K, K), optional
        What to colour; each is written below its count. Default: the counts have the
        colours.

    Notes
    -----
    Residuals are blue where the cell has more items than by chance, red where it has
    fewer, and have the same colours from 4 on [1]_. A cell is hatched if chance expects no item
    in it.

    References
    ----------
    .. [1] Friendly, 1994
    """
    check_matplotlib()
    check_characters(counts.index, counts.columns, counts.index.names, counts.columns.names)
    found = counts.to_numpy(dtype=np.float64)
    written = [[[f"{value:.10g}" for value in row] for row in found]]
    if residuals is None:
        shown = found
        highest = found.max(initial=0)
        shades = Shades("Blues", 0, highest if highest > 0 else 1, 0, "items")
    else:
        shown = residuals.to_numpy(dtype=np.float64)
        written.append([[_signed(value) for value in row] for row in shown])
        shades = Shades("RdBu", -SATURATED, SATURATED, -SATURATED, RESIDUAL)
    cells = PictureCells(
        numbers=shown,
        lines=written,
        blank=np.zeros(shown.shape, dtype=bool),
        rows=[drawn(label) for label in counts.index],
        columns=[drawn(label) for label in counts.columns],
    )
    names = drawn(counts.index.name), with_line(wrapped(drawn(counts.columns.name)), line)
    return draw_cells(cells, shades, names=names, ax=ax)


def _signed(value: float) -> str:
    """Write a residual with its sign; nothing for NaN."""
    from matplotlib.ticker import Formatter

    return "" if np.isnan(value) else Formatter.fix_minus(f"{value:+z.1f}")
