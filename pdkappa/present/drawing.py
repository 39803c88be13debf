"""What all pictures share: colours, plain text, and figures with room for their labels."""

from __future__ import annotations

import textwrap
from typing import TYPE_CHECKING, Any

from pdkappa.errors import MissingDependencyError

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.transforms import Bbox

# Colours of Okabe and Ito (2008), told apart with any colour vision; shapes tell the rest.
BLUE, VERMILION, GREY = "#0072B2", "#D55E00", "#707070"

# Text that comes from the data: no dollar sign or underscore of it is mathematics.
PLAIN: dict[str, Any] = {"parse_math": False, "usetex": False}

LONGEST_LINE = 40  # characters of a label before it goes on in a new line
PLOT_WIDTH = 3.6  # inches between the labels and the text at the right
INCH = 72.0  # points
EDGE = 0.05  # inches that stay free at the edges of the figure

# How the coefficients are called in print.
NAMES: dict[str, str] = {
    "cohen": "Cohen's kappa",
    "scott": "Scott's pi",
    "brennan_prediger": "Brennan-Prediger coefficient",
    "gwet": "Gwet's coefficient",
    "krippendorff": "Krippendorff's alpha",
    "percent": "Percent agreement",
}


def check_matplotlib() -> None:
    """Make sure that Matplotlib is installed.

    Raises
    ------
    MissingDependencyError
        If it is not.
    """
    try:
        import matplotlib as mpl  # noqa: F401
    except ImportError as error:
        message = (
            "Drawing needs Matplotlib, which is not installed. Run: pip install 'pdkappa[plot]'"
        )
        raise MissingDependencyError(message) from error


def new_axes(height: float) -> Axes:
    """Make a figure whose axes fill it, so many inches high."""
    from matplotlib import pyplot as plt

    edges = {"left": 0, "bottom": 0, "right": 1, "top": 1}
    size = (PLOT_WIDTH, height)
    return plt.subplots(figsize=size, layout="constrained", gridspec_kw=edges)[1]


def fit_figure(ax: Axes) -> None:
    """Add to the figure what is outside the axes, which fill it."""
    figure, inner, outer = ax.get_figure(root=True), ax.get_window_extent(), _extent(ax)
    if figure is not None:
        captions = [text.get_window_extent().width for text in (ax.title, ax.xaxis.label)]
        width = max(inner.width, *captions) + outer.width - inner.width
        edges = 2 * EDGE
        figure.set_size_inches(width / figure.dpi + edges, outer.height / figure.dpi + edges)


def fit_subplots(ax: Axes) -> None:
    """Move the edges of the subplots in until nothing is cut, unless a layout sees to it."""
    figure, outer = ax.figure, _extent(ax)
    if figure.get_layout_engine() is not None or ax.get_subplotspec() is None:
        return
    edge = EDGE * figure.dpi
    lack = max(0.0, figure.bbox.x0 + edge - outer.x0), max(0.0, outer.x1 + edge - figure.bbox.x1)
    left = figure.subplotpars.left + lack[0] / figure.bbox.width
    right = figure.subplotpars.right - lack[1] / figure.bbox.width
    if left < right:
        figure.subplots_adjust(left=left, right=right)


def one_line(value: object) -> str:
    """Write a label in one line; None is no label."""
    return "" if value is None else " ".join(str(value).split())


def wrapped(label: str) -> str:
    """Break a long label into lines."""
    return textwrap.fill(label, LONGEST_LINE)


def two_decimals(value: float) -> str:
    """Write two decimals, with the minus sign of the user's fonts."""
    from matplotlib.ticker import Formatter

    return Formatter.fix_minus(f"{value:z.2f}")


def _extent(ax: Axes) -> Bbox:
    """Find the box around the axes and all their text, in pixels; captions may be wider."""
    return ax.get_tightbbox(for_layout_only=True) or ax.get_window_extent()
