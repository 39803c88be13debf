"""What stands above the columns of a sheet, and how wide these may be."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import pandas as pd

from pdkappa.present.excel.cells import Content, content, display_width
from pdkappa.present.labels import shortened

if TYPE_CHECKING:
    from pdkappa.present.excel.sheets import Sheet, SheetKind

# Narrowest and widest column of values, in characters; beyond that, text is wrapped.
WIDTHS: dict[SheetKind, tuple[float, float]] = {
    "table": (8, 50),
    "matrix": (9, 20),
    "confusion": (5, 16),
    "text": (12, 110),
    "list": (5, 40),
    "lead": (5, 40),
}
EVEN: set[SheetKind] = {"matrix", "confusion"}  # all columns of values are alike
BARE: set[SheetKind] = {"text", "list", "lead"}  # without headings where columns only count
PADDING = 2  # free beside the text
BOLD = 1.05  # bold text is wider
FEWEST = 6  # characters that are left of a long label


def header_of(sheet: Sheet, n_labels: int) -> list[list[Content]]:
    """Read the headings: names of the row labels, and labels of the columns."""
    names = sheet.frame.index.names
    labels: pd.Index[Any] = sheet.frame.columns
    if sheet.kind in BARE and isinstance(labels, pd.RangeIndex):
        return []
    corner = [headed(sheet, name) for name in names][:n_labels]
    levels = [labels.get_level_values(level) for level in range(labels.nlevels)]
    rows = [[headed(sheet, label) for label in level] for level in levels]
    if sheet.kind in EVEN:
        rows = [_narrowed(row, sheet.kind) for row in rows]
    if sheet.kind == "confusion":
        corner[-1:] = [_role("Rows", name) for name in corner[-1:]]
        second = _role("Columns", content(labels.names[-1]))
        rows.insert(0, [second if j == 0 else None for j in range(len(labels))])
    blank: list[Content] = [None] * n_labels
    return [blank + row for row in rows[:-1]] + [corner + rows[-1]]


def headed(sheet: Sheet, label: Any) -> Content:
    """Say what stands above a column, or before a row of a list."""
    return content(sheet.headings.get(label, label))


def _narrowed(headings: list[Content], kind: SheetKind) -> list[Content]:
    """Shorten headings that are wider than their columns may be; the rows have them whole."""
    most = math.floor(WIDTHS[kind][1] / BOLD) - PADDING
    long = [one for one in headings if isinstance(one, str) and display_width(one) > most]
    if not long:
        return headings
    wide = max(display_width(text) / len(text) for text in long)
    short = _short(long, max(math.floor(most / max(wide, 1.0)), FEWEST))
    known = dict(zip(long, short, strict=True))
    return [known.get(one, one) if isinstance(one, str) else one for one in headings]


def _short(texts: list[str], most: int) -> list[str]:
    """Shorten texts, by their numbers where no part of them tells all apart.

    >>> _short(["Disorder of the eye, other", "Disorder of the ear, other"], 12)
    ['…eye, other', '…ear, other']
    >>> _short(["eye, left, inner side", "eye, left, outer side", "eye, right, inner side"], 8)
    ['1 eye,…', '2 eye,…', '3 eye,…']
    """
    short = shortened(texts, most)
    if max(map(len, short)) <= most:
        return short
    numbered = (f"{number} {text}" for number, text in enumerate(texts, 1))
    return [f"{text[: most - 1].rstrip()}\N{HORIZONTAL ELLIPSIS}" for text in numbered]


def _role(role: str, name: Content) -> str:
    """Say whose ratings are where."""
    return role if name is None else f"{role}: {name}"
