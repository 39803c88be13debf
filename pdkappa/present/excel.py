"""Grids in, one workbook out: what is written, and what it looks like."""

from __future__ import annotations

import datetime as dt
import math
import re
from io import BytesIO
from itertools import groupby
from typing import TYPE_CHECKING, Any, NamedTuple

from pdkappa.errors import ExportError, MissingDependencyError
from pdkappa.present import schema
from pdkappa.present.cells import Content, cell_name, display_width, is_minus_zero
from pdkappa.present.files import StrPath, atomic_write, destination
from pdkappa.present.sheets import HEADER_ROW, Grid, Sheet, make_grid, sheet_names

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from pathlib import Path

    from xlsxwriter import Workbook
    from xlsxwriter.format import Format
    from xlsxwriter.worksheet import Worksheet

__all__ = ["Sheet", "sheet_names", "workbook_bytes", "write_workbook"]

CREATED = dt.datetime(1980, 1, 1, tzinfo=dt.UTC)  # fixed: the same tables give the same bytes
LONG_TABLE = 20  # rows beyond which a table gets filter buttons
LONG_TEXT = 255  # characters beyond which some versions show a cell of format "@" as ####

# Widths are in characters.
WIDEST_FROZEN = 60
PAGE_WIDTH = 146  # what fits across a landscape page at full size
SMALLEST_SCALE = 0.25  # a sheet that would shrink more goes over several pages
DEFAULT_WIDTH = 8.43
TITLE_SIZE, TITLE_SCALE = 14, 1.4

# Heights are in points.
TITLE_HEIGHT = 24
LINE_HEIGHT = 15
MAX_HEIGHT = 409

# Legible below black text, and told apart by readers who do not see red and green.
LOW, MIDDLE, HIGH = "#F4A582", "#FFFFFF", "#92C5DE"
LINE, HEAD, EMPTY, FAINT, DARK = "#D9D9D9", "#F2F2F2", "#D9D9D9", "#A6A6A6", "#595959"
FLAGS = {
    "yes": {"bg_color": "#C6EFCE", "font_color": "#006100"},
    "no": {"bg_color": "#FFC7CE", "font_color": "#9C0006"},
}


def write_workbook(path: StrPath, sheets: Iterable[Sheet], *, overwrite: bool = True) -> Path:
    """Write sheets to an Excel workbook, whole or not at all.

    Values are written as they are, never rounded: number formats do the rounding on the screen.
    Text stays text, whatever it begins with. The same sheets give the same bytes.

    Parameters
    ----------
    path : str or path-like
        The file, ending in ``.xlsx``.
    sheets : iterable of Sheet
        At least one.
    overwrite : bool, default True
        Whether an existing file may be replaced.

    Returns
    -------
    Path
        The file that was written.

    Raises
    ------
    ExportError
        If something does not fit a workbook: too many rows or columns, too long a text, a control
        character. Nothing is written then.
    OSError
        `FileExistsError` if the file exists and `overwrite` is False; and whatever the file
        system reports. An existing file is left as it was.
    """
    if destination(path, overwrite=overwrite).suffix.lower() != ".xlsx":
        raise ExportError(
            f"The name of a workbook must end in '.xlsx', got {str(path)!r}. "
            "For a text file, use the to_csv of a frame.",
        )
    data = workbook_bytes(sheets)
    return atomic_write(path, lambda handle: handle.write(data), overwrite=overwrite)


def workbook_bytes(sheets: Iterable[Sheet]) -> bytes:
    """Build the workbook that `write_workbook` writes.

    Parameters
    ----------
    sheets : iterable of Sheet
        At least one.

    Returns
    -------
    bytes
        The content of the file, the same for the same sheets.

    Raises
    ------
    ExportError
        If something does not fit a workbook.

    Examples
    --------
    >>> import pandas as pd
    >>> matrix = pd.DataFrame([[1, 0.4], [0.4, 1]], ["a", "b"], ["a", "b"])
    >>> workbook_bytes([Sheet("Pairwise", matrix, "Cohen's kappa", kind="matrix")])[:2]
    b'PK'
    """
    sheets = list(sheets)
    if not sheets:
        raise ExportError("A workbook needs at least one sheet, got none.")
    memory = BytesIO()
    book = _new_book(memory)
    names = sheet_names([sheet.name for sheet in sheets])
    grids = [make_grid(sheet, name) for sheet, name in zip(sheets, names, strict=True)]
    styles = _Styles(book)
    for grid in grids:
        _draw(book.add_worksheet(grid.name), styles, grid)
    book.close()
    return memory.getvalue()


def _new_book(memory: BytesIO) -> Workbook:
    """Open a workbook in which text is never a formula, a link or a number."""
    try:
        from xlsxwriter import Workbook
    except ImportError as error:
        raise MissingDependencyError(
            "Writing a workbook needs xlsxwriter, which is not installed. "
            "Run: pip install xlsxwriter",
        ) from error
    texts = dict.fromkeys(("strings_to_formulas", "strings_to_urls", "strings_to_numbers"), False)
    book = Workbook(memory, {"in_memory": True, "nan_inf_to_errors": False, **texts})
    book.set_properties({"created": CREATED, "comments": "Written by pdkappa."})
    return book


# --- looks -------------------------------------------------------------------------------------


class _Look(NamedTuple):
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
        }
        look |= {"bg_color": self.fill} if self.fill else {}
        look |= {"bottom": 1, "bottom_color": self.below} if self.below else {}
        look |= {"top": 1, "top_color": self.above} if self.above else {}
        return look | ({"border": 1, "border_color": self.boxed} if self.boxed else {})


class _Styles:
    """The formats of one workbook, each made once."""

    def __init__(self, book: Workbook) -> None:
        self.book = book
        self.made: dict[_Look, Format] = {}

    def __call__(self, look: _Look) -> Format:
        """Give the format of a look."""
        if look not in self.made:
            self.made[look] = self.book.add_format(look.properties())
        return self.made[look]

    def over(self, **properties: str) -> Format:
        """Give a format that a condition lays over another."""
        return self.book.add_format(properties)


def _column_look(grid: Grid, j: int) -> _Look:
    """Decide what the cells of a column have in common."""
    kind = grid.sheet.kind
    is_label = j < grid.n_labels
    return _Look(
        align=_align(grid, j),
        valign="top" if kind == "text" else "vcenter",
        indent=_indent(grid, j),
        bold=grid.strong_columns[j] or (is_label and kind != "table"),
        wrap=grid.wraps[j],
        below="" if kind == "text" else LINE,
    )


def _cell_look(grid: Grid, look: _Look, i: int, j: int) -> _Look:
    """Decide what one cell looks like, given the look of its column."""
    value, kind = grid.columns[j][i], grid.sheet.kind
    look = look._replace(number=_number_format(value, grid.kinds[j]), above=_line_above(grid, i))
    if grid.strong_rows[i]:
        look = look._replace(bold=True)
    if grid.strong_rows[i] and kind == "text":
        look = look._replace(valign="bottom", wrap=False)
    if kind == "confusion" and _is_diagonal(grid, i, j):
        return look._replace(boxed=DARK)
    if kind == "matrix" and value is None and j >= grid.n_labels:
        return look._replace(fill=EMPTY)
    return look


def _number_format(value: Content, kind: schema.Kind) -> str:
    """Choose a number format for what a cell holds."""
    if isinstance(value, str):
        return "@" if len(value) <= LONG_TEXT else "General"
    if isinstance(value, dt.datetime):
        return "yyyy-mm-dd hh:mm:ss"
    if isinstance(value, dt.date):
        return "yyyy-mm-dd"
    plain = schema.NUMBER_FORMATS[kind]
    return f"{plain};{plain}" if is_minus_zero(value, plain) else plain


def _align(grid: Grid, j: int) -> str:
    """Put text to the left, numbers to the right, what is coloured in the middle."""
    if j < grid.n_labels or grid.kinds[j] == "text":
        return "left"
    if grid.sheet.kind in {"matrix", "confusion"} or grid.kinds[j] == "flag":
        return "center"
    return "left" if grid.kinds[j] == "label" else "right"


def _indent(grid: Grid, j: int) -> int:
    """Keep text away from the numbers to its left."""
    return int(j > 0 and _align(grid, j) == "left" and _align(grid, j - 1) == "right")


def _line_above(grid: Grid, i: int) -> str:
    """Draw a line above totals and between groups."""
    if i == 0 or grid.sheet.kind == "text":
        return ""
    outer = grid.columns[0] if grid.n_labels > 1 else None
    new_group = outer is not None and outer[i] != outer[i - 1]
    new_total = grid.strong_rows[i] and not grid.strong_rows[i - 1]
    return DARK if new_group or new_total else ""


def _is_diagonal(grid: Grid, i: int, j: int) -> bool:
    """Tell whether a cell of a confusion matrix counts agreement."""
    if not 0 < grid.n_labels <= j or grid.strong_rows[i] or grid.strong_columns[j]:
        return False
    return grid.columns[grid.n_labels - 1][i] == grid.header[-1][j] is not None


# --- drawing -----------------------------------------------------------------------------------


class _Exact(float):
    """A number that is written with all its digits; the writer would stop at 16 of 17."""

    __slots__ = ()

    def __format__(self, spec: str, /) -> str:
        return repr(float(self))


def _draw(page: Worksheet, styles: _Styles, grid: Grid) -> None:
    """Fill and furnish one worksheet."""
    page.set_row(0, TITLE_HEIGHT)
    _put(page, 0, 0, grid.sheet.title, styles(_Look(bold=True, size=TITLE_SIZE)))
    _draw_header(page, styles, grid)
    _set_heights(page, grid)
    for j, column in enumerate(grid.columns):
        page.set_column(j, j, grid.widths[j])
        look = _column_look(grid, j)
        for i, value in enumerate(column):
            _put(page, grid.top + i, j, value, styles(_cell_look(grid, look, i, j)))
    for row, note in enumerate(grid.sheet.notes, grid.notes_row):
        _put(page, row, 0, note, styles(_Look(colour=DARK)))
    _colour(page, styles, grid)
    _set_view(page, grid)
    _set_print(page, grid)


def _draw_header(page: Worksheet, styles: _Styles, grid: Grid) -> None:
    """Write the headings, the last row of them above a line."""
    valign = "top" if _is_filtered(grid) else "bottom"
    for row, headings in enumerate(grid.header, HEADER_ROW):
        last = row == grid.top - 1
        for j, value in enumerate(headings):
            look = _Look(
                number=_number_format(value, "label"),
                align=_align(grid, j) if last else "left",
                valign=valign,
                indent=_indent(grid, j) if last else 0,
                bold=True,
                wrap=j >= grid.n_labels and grid.heading_wraps(row - HEADER_ROW),
                fill=HEAD,
                below=DARK if last else "",
            )
            _put(page, row, j, value, styles(look))


def _put(page: Worksheet, row: int, column: int, value: Content, style: Format) -> None:
    """Write one cell as what it is."""
    if value is None:
        page.write_blank(row, column, None, style)
    elif isinstance(value, str):
        _put_text(page, row, column, value, style)
    elif isinstance(value, dt.date):
        page.write_datetime(row, column, value, style)
    else:
        number = _Exact(value) if isinstance(value, float) else value
        page.write_number(row, column, number, style)


def _put_text(page: Worksheet, row: int, column: int, text: str, style: Format) -> None:
    """Write a text; what the writer would take for its own mark-up goes in pieces."""
    if text.startswith("<r>") and text.endswith("</r>"):
        page.write_rich_string(row, column, *_pieces(text), style)
    else:
        page.write_string(row, column, text, style)


def _pieces(text: str) -> list[str]:
    """Cut a text where the writer, which escapes pieces twice, then finds nothing to escape."""
    return [text[0], text[1], *re.split("(?<=_)", re.sub("\r\n?", "\n", text[2:]))]


# --- colours -----------------------------------------------------------------------------------


def _colour(page: Worksheet, styles: _Styles, grid: Grid) -> None:
    """Lay colours over the values, which keep them when they change."""
    if grid.sheet.kind == "matrix" and schema.kind_of(grid.sheet.stat) == "agreement":
        _over_values(page, grid, _agreement_scale())
    elif grid.sheet.kind == "confusion":
        _over_values(page, grid, _zero(styles))
        _over_values(page, grid, _count_scale())
    for j in (j for j, kind in enumerate(grid.kinds) if kind == "flag"):
        for word, look in FLAGS.items():
            rule = {"type": "cell", "criteria": "==", "value": f'"{word}"'}
            rule["format"] = styles.over(**look)
            page.conditional_format(grid.top, j, max(grid.top, grid.bottom), j, rule)


def _agreement_scale() -> dict[str, Any]:
    """Run from the agreement of chance over half of what is possible beyond it to all."""
    points = {"min": (0, LOW), "mid": (0.5, MIDDLE), "max": (1, HIGH)}
    scale: dict[str, Any] = {"type": "3_color_scale"}
    for point, (value, colour) in points.items():
        scale |= {f"{point}_type": "num", f"{point}_value": value, f"{point}_color": colour}
    return scale


def _count_scale() -> dict[str, Any]:
    """Run from none to the largest count."""
    scale = {"type": "2_color_scale", "min_type": "num", "min_value": 0}
    return scale | {"min_color": MIDDLE, "max_color": HIGH}


def _zero(styles: _Styles) -> dict[str, Any]:
    """Let empty cells of a confusion matrix step back."""
    faint = styles.over(font_color=FAINT)
    return {"type": "cell", "criteria": "==", "value": 0, "format": faint}


def _over_values(page: Worksheet, grid: Grid, rule: dict[str, Any]) -> None:
    """Apply a rule to all values but the totals."""
    rows = list(_runs(grid.strong_rows, grid.top))
    columns = list(_runs(grid.strong_columns[grid.n_labels :], grid.n_labels))
    blocks = [(top, left, low, right) for top, low in rows for left, right in columns]
    if blocks:
        ranges = (f"{cell_name(*block[:2])}:{cell_name(*block[2:])}" for block in blocks)
        page.conditional_format(*blocks[0], rule | {"multi_range": " ".join(ranges)})


def _runs(strong: list[bool], start: int) -> Iterator[tuple[int, int]]:
    """Find where the stretches without emphasis begin and end."""
    for is_strong, run in groupby(enumerate(strong, start), key=lambda item: item[1]):
        if not is_strong:
            first, *rest = (number for number, _ in run)
            yield first, rest[-1] if rest else first


# --- view and print ----------------------------------------------------------------------------


def _set_heights(page: Worksheet, grid: Grid) -> None:
    """Make room for wrapped text; not every program does so itself."""
    for number in range(len(grid.header)):
        _set_height(page, HEADER_ROW + number, grid.heading_lines(number))
    if _is_filtered(grid):  # the buttons lie below the words
        _set_height(page, grid.top - 1, max(2, grid.heading_lines(len(grid.header) - 1)))
    for i, strong in enumerate(grid.strong_rows):
        if strong and grid.sheet.kind == "text":
            page.set_row(grid.top + i, TITLE_HEIGHT)
        else:
            _set_height(page, grid.top + i, grid.lines(i))


def _set_height(page: Worksheet, row: int, lines: int) -> None:
    """Set the height of a row of more than one line."""
    if lines > 1:
        page.set_row(row, min(lines * LINE_HEIGHT, MAX_HEIGHT))


def _set_view(page: Worksheet, grid: Grid) -> None:
    """Keep headings and labels in sight; show lines of our own only."""
    page.hide_gridlines(2)
    page.freeze_panes(grid.top, _frozen(grid))
    if grid.columns and grid.top <= grid.bottom:
        last = len(grid.columns) - 1
        used = f"A1:{cell_name(grid.bottom, last)}"
        page.ignore_errors({"number_stored_as_text": used})
        if _is_filtered(grid):
            page.autofilter(grid.top - 1, 0, grid.bottom, last)


def _frozen(grid: Grid) -> int:
    """Count the leading columns that name a row, as far as they leave room for others."""
    if grid.sheet.kind == "text":
        return 0
    leading = grid.n_labels
    if not leading:
        labels = [kind == "label" for kind in grid.kinds]
        leading = labels.index(False) if False in labels else 0
    while sum(grid.widths[:leading]) > WIDEST_FROZEN:
        leading -= 1
    return leading


def _is_filtered(grid: Grid) -> bool:
    """Tell whether a table is long enough to be searched; totals must stay below."""
    is_long = grid.sheet.kind == "table" and len(grid.strong_rows) > LONG_TABLE
    return is_long and not any(grid.strong_rows)


def _set_print(page: Worksheet, grid: Grid) -> None:
    """Print across landscape pages, with headings, sheet name and number on every one."""
    pages = _pages_wide(grid)
    page.set_landscape()
    page.set_paper(9)
    page.set_margins(left=0.5, right=0.5, top=0.6, bottom=0.75)
    page.fit_to_pages(pages, 0)
    page.repeat_rows(0, grid.top - 1)
    if pages > 1 and grid.n_labels:
        page.repeat_columns(0, grid.n_labels - 1)
    page.print_area(0, 0, grid.last_row, _print_columns(grid) - 1)
    page.set_footer("&L&A&RPage &P of &N")


def _pages_wide(grid: Grid) -> int:
    """Count the pages across: one, unless nobody could read it."""
    pages = sum(grid.widths) / PAGE_WIDTH
    return 1 if pages * SMALLEST_SCALE <= 1 else math.ceil(pages / 2)


def _print_columns(grid: Grid) -> int:
    """Count the columns to print: the table's, and those that the title and the notes run over."""
    texts = [display_width(note) for note in grid.sheet.notes]
    texts.append(math.ceil(display_width(grid.sheet.title) * TITLE_SCALE))
    missing = min(max(texts), PAGE_WIDTH) - sum(grid.widths)
    return max(1, len(grid.widths) + max(0, math.ceil(missing / DEFAULT_WIDTH)))
