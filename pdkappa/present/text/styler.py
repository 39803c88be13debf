"""How results look in a notebook or a paper: an estimate with its interval, and colours."""

from __future__ import annotations

import html
import math
from typing import TYPE_CHECKING, Any

import pandas as pd

from pdkappa.errors import MissingDependencyError
from pdkappa.present.plots.drawing import one_line

if TYPE_CHECKING:
    from pandas.io.formats.style import Styler

    from pdkappa.present.text.compact import Cells

UNDEFINED = "\N{EN DASH}"

# White is chance; on the way to perfect agreement it turns into the sky blue of Okabe and Ito
# (2008), below chance into their orange. Both are told apart with any colour vision, and black
# text on them is easy to read.
WHITE, BLUE, ORANGE = (255, 255, 255), (86, 180, 233), (230, 159, 0)

LAYOUT = (
    ("caption", "caption-side: top; text-align: left; padding: 0.3em 0.6em"),
    ("th", "text-align: left; vertical-align: top; padding: 0.2em 0.6em"),
    ("th.col_heading", "text-align: right; white-space: nowrap"),
    ("td", "text-align: right; white-space: nowrap; padding: 0.2em 0.6em"),
    ("td", "font-variant-numeric: tabular-nums"),
)


def with_interval(
    estimate: float, low: float = math.nan, high: float = math.nan, *, digits: int = 2
) -> str:
    """Write an estimate with its confidence interval, as in "0.71 [0.65, 0.77]".

    Parameters
    ----------
    estimate : float
        The estimate. A dash stands for NaN.
    low, high : float, optional
        Limits of its interval. Where one is NaN, the estimate stands alone.
    digits : int, default 2
        Number of decimals.

    Returns
    -------
    str
        Numbers are rounded as pandas rounds what it shows: to the nearest, from the double
        itself, and to the even digit in a tie such as 0.125. No zero has a minus sign.

    Examples
    --------
    >>> with_interval(0.714, 0.648, 0.771)
    '0.71 [0.65, 0.77]'
    >>> with_interval(-0.001), with_interval(float("nan")) == UNDEFINED
    ('0.00', True)
    """
    if math.isnan(estimate):
        return UNDEFINED
    text = f"{estimate:z.{digits}f}"
    if math.isnan(low) or math.isnan(high):
        return text
    return f"{text} [{low:z.{digits}f}, {high:z.{digits}f}]"


def heat(value: float) -> str:
    """Find the colour behind a coefficient, on which text is black.

    Parameters
    ----------
    value : float
        The coefficient; below -1 it has the colour of -1.

    Returns
    -------
    str
        In hexadecimal: from white for 0 to blue for 1, and to orange for -1. The contrast of
        black text is at least 9 to 1.

    Examples
    --------
    >>> heat(0.0), heat(0.5), heat(-1.0)
    ('#ffffff', '#aadaf4', '#e69f00')
    """
    end, share = (BLUE if value > 0 else ORANGE), min(abs(value), 1.0)
    parts = [round(white + share * (full - white)) for white, full in zip(WHITE, end, strict=True)]
    return "#" + "".join(f"{part:02x}" for part in parts)


def styler_of(cells: Cells, caption: str = "") -> Styler:
    """Show cells as a table with colours.

    Parameters
    ----------
    cells : Cells
        The cells.
    caption : str, optional
        A line above the table.

    Returns
    -------
    Styler
        Its HTML has all text of the data escaped.

    Raises
    ------
    MissingDependencyError
        If Jinja2 is not installed.
    """
    check_jinja2()
    text = cells.text.set_axis(_plain(cells.text.index), axis=0)
    text = text.set_axis(_plain(cells.text.columns), axis=1)
    styler = text.style.format(escape="html").set_caption(html.escape(caption))
    styler = styler.format_index(escape="html", axis=0).format_index(escape="html", axis=1)
    if has_default_rows(cells.text):
        styler = styler.hide(axis="index")
    rules = [{"selector": selector, "props": props} for selector, props in LAYOUT]
    for i, line in enumerate(cells.heat):
        for j, value in enumerate(line):
            if not math.isnan(value):
                props = f"background-color: {heat(value)}; color: #000000"
                rules.append({"selector": f"td.row{i}.col{j}", "props": props})
    return styler.set_table_styles(rules)  # type: ignore[arg-type]


def has_default_rows(frame: pd.DataFrame) -> bool:
    """Whether the rows have numbers that say nothing, rather than labels."""
    return isinstance(frame.index, pd.RangeIndex) and frame.index.name is None


def check_jinja2() -> None:
    """Make sure that Jinja2 is installed.

    Raises
    ------
    MissingDependencyError
        If it is not.
    """
    try:
        import jinja2  # noqa: F401
    except ImportError as error:
        message = "Styling needs Jinja2, which is not installed. Run: pip install 'pdkappa[report]'"
        raise MissingDependencyError(message) from error


def _plain(labels: pd.Index) -> pd.Index:
    """Write labels as text, and their names as HTML, which a Styler does not escape."""
    names = [None if name is None else html.escape(one_line(name)) for name in labels.names]
    if isinstance(labels, pd.MultiIndex):
        texts: list[Any] = [tuple(map(one_line, label)) for label in labels]
        return pd.MultiIndex.from_tuples(texts, names=names)
    texts = [one_line(label) for label in labels]
    return pd.Index(texts, dtype=object, name=names[0])
