"""Cells of text -> what a terminal and a notebook show of them."""

from __future__ import annotations

import html
import importlib.util
import textwrap
from typing import TYPE_CHECKING

import numpy as np
import pandas as pd

from pdkappa.present.text.compact import TextCells
from pdkappa.present.text.styler import NO_MATHS, styler_of

if TYPE_CHECKING:
    from pdkappa._typing import IntArray

MOST_COLUMNS = 20  # where pandas leaves it to the width of a terminal
GAP = "..."  # what stands for rows and columns that are not shown


def as_text(cells: TextCells, width: int) -> str:
    """Show a table as text, a long one without its middle."""
    return cells.text.to_string(  # type: ignore[call-overload,no-any-return]
        max_rows=pd.get_option("display.max_rows"),
        min_rows=pd.get_option("display.min_rows"),
        max_colwidth=pd.get_option("display.max_colwidth"),
        line_width=width,
        show_dimensions="truncate",
    )


def as_html(cells: TextCells, above: str = "", below: str = "") -> str | None:
    """Show a table in a notebook, with colours if Jinja2 is there; None if HTML is not wanted.

    A long or wide table has no middle, as far as pandas' options ``display.max_rows``,
    ``min_rows`` and ``max_columns`` want it.
    """
    if not pd.get_option("display.notebook_repr_html"):
        return None
    shape = cells.text.shape
    short = shortened(cells)
    if importlib.util.find_spec("jinja2"):
        table = styler_of(short).to_html()
    else:
        table = short.text.to_html()
    cut = f"{shape[0]:,} rows x {shape[1]:,} columns" if short.text.shape != shape else ""
    lines = [f"<p>{html.escape(line)}</p>" if line else "" for line in (above, cut, below)]
    return f'<div class="{NO_MATHS}">{lines[0]}{table}{lines[1]}{lines[2]}</div>'


def fold(text: str, width: int) -> str:
    """Break a sentence into lines."""
    return textwrap.fill(text, width)


def shortened(cells: TextCells) -> TextCells:
    """Leave out the middle of a table that is longer or wider than pandas shows it."""
    rows = _kept(
        len(cells.text), pd.get_option("display.max_rows"), pd.get_option("display.min_rows")
    )
    columns = _kept(cells.text.shape[1], pd.get_option("display.max_columns") or MOST_COLUMNS, None)
    texts, heat = cells.text.to_numpy(dtype=object), cells.heat
    for axis, kept in enumerate((rows, columns)):
        gap = np.flatnonzero(np.diff(kept) > 1) + 1
        texts = np.insert(texts.take(kept, axis), gap, GAP, axis)
        heat = np.insert(heat.take(kept, axis), gap, np.nan, axis)
    index, header = _labels(cells.text.index, rows), _labels(cells.text.columns, columns)
    return TextCells(pd.DataFrame(texts, index=index, columns=header), heat)


def _kept(n: int, most: int | None, few: int | None) -> IntArray:
    """Find what is shown of n rows or columns: the first and the last ones."""
    if not most or n <= most:
        return np.arange(n)
    shown = min(few or most, most)
    return np.r_[: (shown + 1) // 2, n - shown // 2 : n]


def _labels(labels: pd.Index, kept: IntArray) -> pd.Index:
    """Keep the labels of what is shown, with one for what is not."""
    if len(kept) == len(labels):
        return labels
    gap = int(np.flatnonzero(np.diff(kept) > 1)[0]) + 1
    shown = list(labels.take(kept))
    if isinstance(labels, pd.MultiIndex):
        shown.insert(gap, (GAP,) * labels.nlevels)
        return pd.MultiIndex.from_tuples(shown, names=labels.names)
    shown.insert(gap, GAP)
    return pd.Index(shown, dtype=object, tupleize_cols=False, name=labels.name)
