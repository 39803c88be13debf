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
    texts = [str(value) for value in headings if isinstance(value, str)]
    if max(map(display_width, texts), default=0) + PADDING <= WIDTHS[kind][1]:
        return headings
    most = math.floor(WIDTHS[kind][1] / BOLD) - PADDING
    narrow = max((display_width(text) / max(len(text), 1) for text in texts), default=1.0)
    short = iter(shortened(texts, max(math.floor(most / max(narrow, 1.0)), FEWEST)))
    return [next(short) if isinstance(value, str) else value for value in headings]


def _role(role: str, name: Content) -> str:
    """Say whose ratings are where."""
    return role if name is None else f"{role}: {name}"
