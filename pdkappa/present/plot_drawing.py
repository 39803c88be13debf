"""What all pictures share: colours, axes, rows of labels."""

from __future__ import annotations

import math
import textwrap
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from pdkappa.errors import needed_for
from pdkappa.present.labels import (
    decimals,
    drawn,
    fold,
    give_fonts,
    heading_of,
    one_line,
    reason_in_words,
    shortened,
    warn_of_lost,
    weighted,
    wrapped,
)

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    import pandas as pd
    from matplotlib.axes import Axes
    from matplotlib.text import Annotation, Text
    from matplotlib.transforms import Bbox

    from pdkappa._typing import BoolArray, FloatArray

# Colours of Okabe and Ito (2008), told apart with any colour vision; shapes tell the rest.
BLUE, VERMILION, GREY = "#0072B2", "#D55E00", "#707070"
BLACK = "#000000"  # means of all
LETTERS = 64  # of the line below a picture

# Text that comes from the data: no dollar sign or underscore of it is mathematics.
PLAIN: dict[str, Any] = {"parse_math": False, "usetex": False}

PLOT_WIDTH = 3.6  # inches between the labels and the text at the right
INCH = 72.0  # points
EDGE = 0.05  # inches that stay free at the edges of the figure
LOWEST_TEXT = 6.5  # points: smaller text cannot be read
LABELS = 0.36  # of the width, or the height, of a subplot of the caller, its labels at most
FEWEST = 6  # characters that a label keeps


def check_matplotlib() -> None:
    """Make sure that Matplotlib is installed."""
    with needed_for("Drawing", "Matplotlib", "'pdkappa[plot]'"):
        import matplotlib as mpl  # noqa: F401


def check_characters(*labels: Iterable[object]) -> None:
    """Warn once of all characters in some labels that no installed font has."""
    warn_of_lost(one_line(one) for some in labels for one in some)


class About(NamedTuple):
    """What stands beside a picture."""

    coefficient: str = ""  # what it is called
    weights: str | None = None  # the name of its weighting
    level: float = math.nan  # confidence level of the limits
    line: str = ""  # what the figures are, to stand below

    @property
    def measure(self) -> str:
        """The coefficient with its weights."""
        return self.coefficient + weighted(self.weights)

    @property
    def interval(self) -> str:
        """The level of the limits, as headers have it."""
        return f"{100 * self.level:g} %"


def new_axes(height: float, width: float = PLOT_WIDTH) -> Axes:
    """Make a figure whose axes fill it, so many inches high and wide."""
    from matplotlib import pyplot as plt

    edges = {"left": 0, "bottom": 0, "right": 1, "top": 1}
    size = (width, height)
    return plt.subplots(figsize=size, layout="constrained", gridspec_kw=edges)[1]


def points_of(ax: Axes) -> tuple[float, float]:
    """Measure the width and the height of the axes, in points."""
    box, dpi = ax.get_window_extent(), dpi_of(ax)
    return box.width * INCH / dpi, box.height * INCH / dpi


def dpi_of(ax: Axes) -> float:
    """Tell how many pixels of the figure are an inch."""
    figure = ax.get_figure(root=True)
    return INCH if figure is None else figure.dpi


def settle(ax: Axes) -> None:
    """Let the layout of the figure, if it has one, choose the size of the axes now."""
    figure = ax.get_figure(root=True)
    if figure is not None and figure.get_layout_engine() is not None:
        give_fonts(ax)
        figure.draw_without_rendering()


def room_of(ax: Axes) -> tuple[float, float]:
    """Measure what a subplot and its text share, in points; axes that stay where they are: all."""
    spec = ax.get_subplotspec()
    if spec is None:
        return math.inf, math.inf
    box, scale = ax.figure.bbox, INCH / dpi_of(ax)
    n_rows, n_columns = spec.get_geometry()[:2]
    width, height = len(spec.colspan) / n_columns, len(spec.rowspan) / n_rows
    return scale * box.width * width, scale * box.height * height


def width_of(ax: Axes, texts: Iterable[str], size: float) -> float:
    """Measure the widest line of some texts, in points."""
    sample = ax.text(0, 0, "\n".join(texts), fontsize=size, **PLAIN)
    width = extent_of(sample).width * INCH / dpi_of(ax)
    sample.remove()
    return float(width)


def shorten_to(ax: Axes, labels: Sequence[str], room: float, size: float) -> list[str]:
    """Shorten those of some labels that are longer than so many points."""
    cut, most = list(labels), max(map(len, labels), default=0)
    while most > FEWEST and (width := width_of(ax, cut, size)) > room:
        most = max(min(most - 1, int(most * room / width)), FEWEST)
        cut = shortened(labels, most, distinct=False)
    return cut


def fit(ax: Axes, *, is_new: bool) -> None:
    """Make room for everything beside the plot, in a figure made for it or among subplots."""
    if is_new:
        _fit_figure(ax)
        return
    _fit_subplots(ax)
    if any(_length(one) > most for one, most in _captions(ax, ax.get_window_extent())):
        settle(ax)
        _wrap_captions(ax)
        _fit_subplots(ax)
        settle(ax)
        _move_captions(ax)


def _fit_figure(ax: Axes) -> None:
    """Add to the figure what is outside the axes, which fill it."""
    give_fonts(ax)
    figure, inner, outer = ax.get_figure(root=True), ax.get_window_extent(), _extent(ax)
    if figure is not None:
        captions = [extent_of(text).width for text in (ax.title, ax.xaxis.label)]
        width = max(inner.width, *captions) + outer.width - inner.width
        height = max(inner.height, extent_of(ax.yaxis.label).height)
        height += outer.height - inner.height
        edges = 2 * EDGE
        figure.set_size_inches(width / figure.dpi + edges, height / figure.dpi + edges)


def _fit_subplots(ax: Axes) -> None:
    """Move the edges of the subplots in until nothing is cut, unless a layout sees to it."""
    give_fonts(ax)
    figure = ax.figure
    if figure.get_layout_engine() is not None or ax.get_subplotspec() is None:
        return
    outer, edge, box, spaces = _extent(ax), EDGE * figure.dpi, figure.bbox, figure.subplotpars
    left = spaces.left + max(0.0, box.x0 + edge - outer.x0) / box.width
    right = spaces.right - max(0.0, outer.x1 + edge - box.x1) / box.width
    bottom = spaces.bottom + max(0.0, box.y0 + edge - outer.y0) / box.height
    top = spaces.top - max(0.0, outer.y1 + edge - box.y1) / box.height
    if left < right and bottom < top:
        figure.subplots_adjust(left=left, right=right, bottom=bottom, top=top)


def _captions(ax: Axes, box: Bbox) -> list[tuple[Text, float]]:
    """List the captions of axes, with the length that each may have beside such a box."""
    return [(ax.title, box.width), (ax.xaxis.label, box.width), (ax.yaxis.label, box.height)]


def _wrap_captions(ax: Axes) -> None:
    """Break captions into lines that are no longer than the axes with their labels."""
    for text, most in _captions(ax, _beside(ax)):
        lines = text.get_text().split("\n")
        width = max(map(len, lines))
        while width > FEWEST and _length(text) > most:
            width -= 1
            text.set_text(
                "\n".join(textwrap.fill(line, width, break_on_hyphens=False) for line in lines)
            )


def _move_captions(ax: Axes) -> None:
    """Move captions that stick out beyond the axes with their labels back beside them."""
    inner, outer = ax.get_window_extent(), _beside(ax)
    for text, _ in _captions(ax, outer):
        box, (x, y) = extent_of(text), text.get_position()
        right = max(outer.x0 - box.x0, 0) + min(outer.x1 - box.x1, 0)
        up = max(outer.y0 - box.y0, 0) + min(outer.y1 - box.y1, 0)
        if text is ax.yaxis.label:
            text.set_y(y + up / inner.height)
        else:
            text.set_x(x + right / inner.width)


def _beside(ax: Axes) -> Bbox:
    """Find the box along whose sides captions stand: the axes with their labels, but no title."""
    from matplotlib.transforms import Bbox

    outer = _extent(ax)
    return Bbox.from_extents(outer.x0, outer.y0, outer.x1, ax.get_window_extent().y1)


def _length(text: Text) -> float:
    """Measure a caption along its lines, in pixels."""
    box = extent_of(text)
    return box.height if text.get_rotation() else box.width


def extent_of(text: Text) -> Bbox:
    """Find the box around a text, in pixels, in the fonts that it will have."""
    give_fonts(text)
    return text.get_window_extent()


def _extent(ax: Axes) -> Bbox:
    """Find the box around the axes and all their text, in pixels; captions may be wider."""
    return ax.get_tightbbox(for_layout_only=True) or ax.get_window_extent()


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
    """Where the rows are."""

    y: FloatArray  # (N,): middle of each row
    header: float  # middle of the header
    height: float  # points of a row of one line
    step: int  # every how many rows there is a label; text at the right needs 1
    size: float  # size of the text, in points
    is_new: bool  # whether the figure was made for them


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


def rows_of(frame: pd.DataFrame, ax: Axes | None, labels: Sequence[str] = ()) -> tuple[Axes, Rows]:
    """Place a row for each row of a frame, with these labels, or else those of its index."""
    check_matplotlib()
    check_characters(frame.index, frame.index.names)
    return place_rows(labels or labels_of(frame.index), ax)


def draw_intervals(
    ax: Axes, rows: Rows, known: BoolArray, limits: tuple[FloatArray, FloatArray], colour: str
) -> None:
    """Draw a line from the lower to the upper limit of some rows, where both are known."""
    low, high = limits
    here = known & np.isfinite(low) & np.isfinite(high)
    ax.hlines(rows.y[here], low[here], high[here], color=colour, linewidth=1.2)


def set_range(ax: Axes, values: FloatArray) -> None:
    """Show all these values, and 0, with a line for it if it is among them."""
    known = np.append(values[np.isfinite(values)], 0.0)
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


def with_line(caption: str, line: str) -> str:
    """Add to a caption what the figures are."""
    return "\n".join(filter(None, [caption, fold(line, LETTERS)]))


def show_unit(ax: Axes, values: FloatArray) -> None:
    """Show 0 to 1, and whatever lies outside; all pictures of agreement have this axis."""
    known = np.append(values[np.isfinite(values)], (0.0, 1.0))
    low, high = known.min(), known.max()
    margin = MARGIN * (high - low)
    ax.set_xlim(low - margin * (low < 0), high + margin * (high > 1))
    ax.locator_params(axis="x", nbins=MOST_TICKS, steps=(1, 2, 5, 10))
    if low < 0:
        ax.axvline(0, color=GREY, linewidth=0.8, linestyle=(0, (4, 3)), zorder=0.5)


def mark_mean(ax: Axes, mean: float) -> None:
    """Draw a line at the mean."""
    if math.isfinite(mean):
        ax.axvline(mean, color=BLACK, linewidth=0.8, zorder=0.4)


def finish(ax: Axes, rows: Rows, caption: str, line: str = "") -> None:
    """Write below the plot what its axis shows, and make room for everything."""
    ax.set_xlabel(with_line(caption, line), **PLAIN)
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


LIMITS = ("estimate", "ci_low", "ci_high")


def with_limits(
    row: Mapping[Any, Any], names: Sequence[str] = LIMITS, digits: int = 2, none: str = ""
) -> str:
    """Write a figure of a row and its interval, or behind it that there is `none`."""
    value, *ends = (decimals(row[name], digits) for name in names)
    known = all(math.isfinite(row[name]) for name in names[1:])
    return value + (f" [{', '.join(ends)}]" if known else none)


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
