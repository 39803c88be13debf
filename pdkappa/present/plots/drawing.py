"""What all pictures share: colours, plain text, and figures with room for their labels."""

from __future__ import annotations

import math
import textwrap
from typing import TYPE_CHECKING, Any

from pdkappa.errors import MissingDependencyError
from pdkappa.present.fonts import give_fonts, warn_of_lost
from pdkappa.present.labels import one_line, shortened

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from matplotlib.axes import Axes
    from matplotlib.text import Text
    from matplotlib.transforms import Bbox

# Colours of Okabe and Ito (2008), told apart with any colour vision; shapes tell the rest.
BLUE, VERMILION, GREY = "#0072B2", "#D55E00", "#707070"

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
    try:
        import matplotlib as mpl  # noqa: F401
    except ImportError as error:
        message = (
            "Drawing needs Matplotlib, which is not installed. Run: pip install 'pdkappa[plot]'"
        )
        raise MissingDependencyError(message) from error


def check_characters(*labels: Iterable[object]) -> None:
    """Warn once of all characters in some labels that no installed font has."""
    warn_of_lost(one_line(one) for some in labels for one in some)


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
