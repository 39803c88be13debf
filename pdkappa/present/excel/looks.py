"""What the cells of a workbook look like: colours, number formats, lines."""

from __future__ import annotations

import datetime as dt
from typing import TYPE_CHECKING, Any, NamedTuple

from pdkappa.present import schema
from pdkappa.present.excel.heads import BARE

if TYPE_CHECKING:
    from xlsxwriter import Workbook
    from xlsxwriter.format import Format

    from pdkappa.present.excel.cells import Content
    from pdkappa.present.excel.grids import SheetGrid

LONG_TEXT = 255  # characters beyond which some versions show a cell of format "@" as ####

# Legible below black text, and told apart by readers who do not see red and green.
LOW, MIDDLE, HIGH = "#F4A582", "#FFFFFF", "#92C5DE"
LINE, HEAD_COLOR, EMPTY, FAINT, DARK = "#D9D9D9", "#F2F2F2", "#D9D9D9", "#A6A6A6", "#595959"
LINK = "#0563C1"
LARGE = 28  # of the main figure
FLAGS = {
    "yes": {"bg_color": "#C6EFCE", "font_color": "#006100"},
    "no": {"bg_color": "#FFC7CE", "font_color": "#9C0006"},
}


class Look(NamedTuple):
    """What a cell looks like."""

    number: str = "General"
    align: str = "left"
    valign: str = "vcenter"
    bold: bool = False
    indent: int = 0
    wrap: bool = False
    size: int = 11
    colour: str = "black"
    fill: str = ""
    below: str = ""
    above: str = ""
    boxed: str = ""
    underline: int = 0

    def properties(self) -> dict[str, Any]:
        """Say it in the words of the writer."""
        look: dict[str, Any] = {
            "num_format": self.number,
            "align": self.align,
            "valign": self.valign,
            "indent": self.indent,
            "bold": self.bold,
            "text_wrap": self.wrap,
            "font_size": self.size,
            "font_color": self.colour,
            "underline": self.underline,
        }
        look |= {"bg_color": self.fill} if self.fill else {}
        look |= {"bottom": 1, "bottom_color": self.below} if self.below else {}
        look |= {"top": 1, "top_color": self.above} if self.above else {}
        return look | ({"border": 1, "border_color": self.boxed} if self.boxed else {})


class Styles:
    """The formats of one workbook, each made once."""

    def __init__(self, book: Workbook) -> None:
        self.book = book
        self.made: dict[Look, Format] = {}

    def __call__(self, look: Look) -> Format:
        """Give the format of a look."""
        if look not in self.made:
            self.made[look] = self.book.add_format(look.properties())
        return self.made[look]

    def over(self, **properties: str) -> Format:
        """Give a format that a condition lays over another."""
        return self.book.add_format(properties)


def column_look(grid: SheetGrid, j: int) -> Look:
    """Decide what the cells of a column have in common."""
    kind = grid.sheet.kind
    is_label = j < grid.n_labels
    return Look(
        align=_align(grid, j),
        valign="top" if kind == "text" else "vcenter",
        indent=_indent(grid, j),
        bold=grid.strong_columns[j] or (is_label and kind != "table"),
        wrap=grid.wraps[j],
        below="" if kind in BARE else LINE,
    )


def cell_look(grid: SheetGrid, look: Look, i: int, j: int) -> Look:
    """Decide what one cell looks like, given the look of its column."""
    value, kind = grid.columns[j][i], grid.sheet.kind
    place = (i, j - grid.n_labels)
    number = _number_format(value, kind_of(grid, i, j))
    look = look._replace(number=number, above=_line_above(grid, i))
    if isinstance(value, str) and place in grid.sheet.links:
        look = look._replace(colour=LINK, underline=1)
    if grid.strong_rows[i]:
        look = look._replace(bold=True)
    if grid.strong_rows[i] and kind == "text":
        look = look._replace(valign="bottom", wrap=False)
    if kind == "lead" and i == 0:
        look = look._replace(number="0.00", bold=True, size=LARGE)
    if j == grid.diagonal[i]:
        return look._replace(boxed=DARK) if kind == "confusion" else look._replace(fill=EMPTY)
    if kind == "matrix" and value is None and j >= grid.n_labels:
        return look._replace(fill=EMPTY)
    return look


def heading_look(grid: SheetGrid, number: int, j: int) -> Look:
    """Decide what one heading looks like, given the number of its row."""
    last = number == len(grid.header) - 1
    value = grid.header[number][j]
    return Look(
        number=_number_format(value, "label"),
        align=_align(grid, j) if last else "left",
        indent=_indent(grid, j) if last else 0,
        bold=True,
        fill=HEAD_COLOR,
        below=DARK if last else "",
    )


def kind_of(grid: SheetGrid, i: int, j: int) -> schema.Kind:
    """Tell what a cell holds: as its column does, in a list as its row is labelled."""
    value = grid.columns[j][i]
    if grid.sheet.kind != "list" or not isinstance(value, int | float):
        return grid.kinds[j]
    known = schema.kind_of(grid.sheet.frame.index[i])
    is_usual = known == "agreement" or (known == "count" and float(value).is_integer())
    return known if is_usual else "measure"


def _number_format(value: Content, kind: schema.Kind) -> str:
    """Choose a number format for what a cell holds."""
    if isinstance(value, str):
        return "@" if len(value) <= LONG_TEXT else "General"
    if isinstance(value, dt.datetime):
        return "yyyy-mm-dd hh:mm:ss"
    if isinstance(value, dt.date):
        return "yyyy-mm-dd"
    return schema.NUMBER_FORMATS[kind]


def _align(grid: SheetGrid, j: int) -> str:
    """Put text to the left, numbers to the right, what is coloured in the middle."""
    if j < grid.n_labels or grid.kinds[j] == "text":
        return "left"
    if grid.sheet.kind in {"matrix", "confusion"} or grid.kinds[j] == "flag":
        return "center"
    return "left" if grid.kinds[j] == "label" else "right"


def _indent(grid: SheetGrid, j: int) -> int:
    """Keep text away from the numbers to its left."""
    left = next((k for k in range(j - 1, -1, -1) if k not in grid.folded_columns), None)
    return int(left is not None and _align(grid, j) == "left" and _align(grid, left) == "right")


def _line_above(grid: SheetGrid, i: int) -> str:
    """Draw a line above totals and between groups."""
    if i == 0 or grid.sheet.kind in BARE:
        return ""
    outer = grid.columns[0] if grid.n_labels > 1 else None
    new_group = outer is not None and outer[i] != outer[i - 1]
    new_total = grid.strong_rows[i] and not grid.strong_rows[i - 1]
    return DARK if new_group or new_total else ""
