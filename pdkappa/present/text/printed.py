"""Cells of text -> what a terminal and a notebook show of them."""

from __future__ import annotations

import html
import importlib.util
import textwrap
from typing import TYPE_CHECKING, Any

import pandas as pd

from pdkappa.present.labels import visible
from pdkappa.present.text.styler import NO_MATHS, styler_of
from pdkappa.present.text.window import GAP

if TYPE_CHECKING:
    from pdkappa.present.text.window import TextCells


def as_text(cells: TextCells, width: int, shape: tuple[int, int]) -> str:
    """Show a table as text; of a part of one, say what shape it has."""
    text = cells.text.set_axis(_seen(cells.text.index), axis=0)
    table: str = text.set_axis(_seen(cells.text.columns), axis=1).to_string(
        max_rows=len(text) or None,
        max_colwidth=pd.get_option("display.max_colwidth"),
        line_width=width,
    )
    return f"{table}\n\n[{_size(shape)}]" if is_part(cells) else table


def as_html(
    cells: TextCells, shape: tuple[int, int], *, above: str = "", below: str = ""
) -> str | None:
    """Show a table in a notebook, with colours if Jinja2 is there; None if HTML is not wanted."""
    if not pd.get_option("display.notebook_repr_html"):
        return None
    table = styler_of(cells).to_html() if importlib.util.find_spec("jinja2") else None
    table = cells.text.to_html() if table is None else table
    lines = [above, _size(shape) if is_part(cells) else "", below]
    above, *rest = (f"<p>{html.escape(line)}</p>" if line else "" for line in lines)
    return f'<div class="{NO_MATHS}">{above}{table}{"".join(rest)}</div>'


def is_part(cells: TextCells) -> bool:
    """Whether rows or columns of a table were left out."""
    return any(GAP in labels.get_level_values(0) for labels in cells.text.axes)


def fold(text: str, width: int) -> str:
    """Break a sentence into lines."""
    return textwrap.fill(text, width)


def _size(shape: tuple[int, int]) -> str:
    """Say how many rows and columns there are."""
    return f"{shape[0]} rows x {shape[1]} columns"


def _seen(labels: pd.Index) -> pd.Index:
    """Show as codes what a terminal would obey."""
    names = [visible(name) if isinstance(name, str) else name for name in labels.names]
    levels = [labels.get_level_values(j) for j in range(labels.nlevels)]
    shown = [[_visible(x) for x in level] for level in levels]
    if isinstance(labels, pd.MultiIndex):
        return pd.MultiIndex.from_arrays(shown, names=names)
    if labels.dtype.kind != "O":  # numbers and dates
        return labels.set_names(names)
    return pd.Index(shown[0], dtype=object, tupleize_cols=False, name=names[0])


def _visible(label: Any) -> Any:
    """Write text, and sets as they write themselves."""
    return visible(str(label)) if isinstance(label, str | frozenset) else label
