"""How results look in a notebook or a paper: an estimate with its interval, and colours."""

from __future__ import annotations

import functools
import hashlib
import html
import math
from typing import TYPE_CHECKING, Any

import pandas as pd

from pdkappa.errors import MissingDependencyError
from pdkappa.present.text.figures import has_default_rows, plain
from pdkappa.present.text.markup import latex, latex_labels

if TYPE_CHECKING:
    from pandas.io.formats.style import Styler

    from pdkappa.present.text.window import TextCells


# White is chance; on the way to perfect agreement it turns into the sky blue of Okabe and Ito
# (2008), below chance into their orange. Both are told apart with any colour vision, and black
# text on them is easy to read.
WHITE, BLUE, ORANGE = (255, 255, 255), (86, 180, 233), (230, 159, 0)

UNIQUE = 12  # characters of the name of a table
NO_MATHS = "tex2jax_ignore mathjax_ignore"  # for a notebook, in which $ begins a formula

IN_LATEX = {"hrules": True, "multirow_align": "naive", "multicol_align": "naive-r"}

LAYOUT = (
    ("caption", "caption-side: top; text-align: left; padding: 0.3em 0.6em"),
    ("th", "text-align: left; vertical-align: top; padding: 0.2em 0.6em"),
    ("th.col_heading", "text-align: right; white-space: nowrap"),
    ("td", "text-align: right; white-space: nowrap; padding: 0.2em 0.6em"),
    ("td", "font-variant-numeric: tabular-nums"),
)


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


def styler_of(cells: TextCells, caption: str = "") -> Styler:
    """Show cells as a table with colours.

    Parameters
    ----------
    cells : TextCells
        The cells.
    caption : str, optional
        A line above the table.

    Returns
    -------
    Styler
        Its HTML and its LaTeX have all text of the data escaped.

    Raises
    ------
    MissingDependencyError
        If Jinja2 is not installed.
    """
    check_jinja2()
    text = cells.text.set_axis(plain(cells.text.index), axis=0)
    text = text.set_axis(plain(cells.text.columns), axis=1)
    styler = (
        text.style.set_uuid(_name_of(text)).format(escape="html").set_caption(html.escape(caption))
    )
    styler = styler.format_index(escape="html", axis=0).format_index(escape="html", axis=1)
    if has_default_rows(cells.text):
        styler = styler.hide(axis="index")
    styler = styler.set_table_attributes(f'class="dataframe {NO_MATHS}"')
    rules = [{"selector": selector, "props": props} for selector, props in LAYOUT]
    for i, line in enumerate(cells.heat):
        for j, value in enumerate(line):
            if not math.isnan(value):
                props = f"background-color: {heat(value)}; color: #000000"
                rules.append({"selector": f"td.row{i}.col{j}", "props": props})
    styler.to_latex = functools.partial(_latex_of, cells)  # type: ignore[method-assign]
    return styler.set_table_styles(rules)  # type: ignore[arg-type]


def _latex_of(cells: TextCells, buf: Any = None, **options: Any) -> Any:
    """Write LaTeX with the colours of the cells; the rules of HTML would not compile."""
    filled = [
        [_fill(value) + latex(one) for one, value in zip(*line, strict=True)]
        for line in zip(cells.text.to_numpy(dtype=object), cells.heat, strict=True)
    ]
    labels = latex_labels(cells.text.index), latex_labels(cells.text.columns)
    text, n_labels = pd.DataFrame(filled, *labels), cells.text.index.nlevels
    styler: Any = text.style
    if has_default_rows(cells.text):
        styler, n_labels = styler.hide(axis="index"), 0
    sides = {"column_format": "l" * n_labels + "r" * text.shape[1]}
    return styler.to_latex(buf, **(IN_LATEX | sides | options))


def _fill(value: float) -> str:
    """Write the colour behind a coefficient for the package xcolor."""
    return "" if math.isnan(value) else rf"\cellcolor[HTML]{{{heat(value)[1:].upper()}}} "


def _name_of(text: pd.DataFrame) -> str:
    """Name a table after its content, so that the same table has the same HTML."""
    return hashlib.sha256(text.to_csv().encode(errors="backslashreplace")).hexdigest()[:UNIQUE]


def check_jinja2() -> None:
    """Make sure that Jinja2 is installed."""
    try:
        import jinja2  # noqa: F401
    except ImportError as error:
        message = "Styling needs Jinja2, which is not installed. Run: pip install 'pdkappa[report]'"
        raise MissingDependencyError(message) from error
