"""How a worksheet is seen and printed: heights of rows, what stays in sight, pages."""

from __future__ import annotations

import math
from itertools import pairwise
from typing import TYPE_CHECKING

from pdkappa.present.excel.cells import cell_name, display_width
from pdkappa.present.excel.charts import laid_out
from pdkappa.present.excel.grids import shared_widths

if TYPE_CHECKING:
    from collections.abc import Iterator

    from xlsxwriter.worksheet import Worksheet

    from pdkappa.present.excel.grids import SheetGrid

# Widths are in characters.
WIDEST_FROZEN = 60
PAGE_WIDTH, UPRIGHT_WIDTH = 146, 99  # what fits across a page at full size
PAGE_ROWS, UPRIGHT_ROWS = 33, 49  # of cells
COVER_WIDTH = 150
LEGIBLE = 0.65  # smallest scale at which a long table stands upright
FULLEST, FULLEST_COVER = 1.3, 1.8  # pages that several tables may fill to be shrunk to one
SMALLEST_SCALE = 0.25  # a sheet that would shrink more goes over several pages
OF_CELL_DIGIT = 7.2  # pixels of a character
DEFAULT_WIDTH = 8.43  # of a column that nobody set, as Excel has it
MARGIN = 0.7  # of a column beside its text
TITLE_SCALE = 1.4  # of the title, which is larger than the cells

# Heights are in points.
TITLE_HEIGHT = 24
LINE_HEIGHT = 15
MOST_LINES = 6  # of a row of a table that are seen; the cell holds the rest
LARGE_HEIGHT = 39  # of a figure in large type
MAX_HEIGHT = 409  # of a row, the most that Excel takes

A4 = 9  # in the numbers of Excel


def set_heights(page: Worksheet, grid: SheetGrid) -> None:
    """Make room for wrapped text; not every program does so itself."""
    if grid.sheet.kind == "lead":
        page.set_row(grid.top, LARGE_HEIGHT)
    for i, strong in enumerate(grid.strong_rows):
        if strong and grid.sheet.kind == "text":
            page.set_row(grid.top + i, TITLE_HEIGHT)
        else:
            most = MOST_LINES if grid.sheet.kind == "table" else MAX_HEIGHT
            _set_height(page, grid.top + i, min(grid.lines(i), most))


def _set_height(page: Worksheet, row: int, lines: int) -> None:
    """Set the height of a row of more than one line."""
    if lines > 1:
        page.set_row(row, min(lines * LINE_HEIGHT, MAX_HEIGHT))


def set_view(page: Worksheet, grids: list[SheetGrid]) -> None:
    """Keep headings and labels in sight; show lines of our own only."""
    grid = grids[0]
    page.hide_gridlines(2)
    page.freeze_panes(grid.top, _frozen(grid))
    if grid.columns and grid.top <= grid.bottom:
        used = f"A1:{cell_name(grids[-1].bottom, len(shared_widths(grids)) - 1)}"
        doubts = ["number_stored_as_text"]
        if any(one.sheet.formulas for one in grids):
            doubts += ["formula_range", "formula_differs"]
        page.ignore_errors(dict.fromkeys(doubts, used))
        if grid.is_filtered:
            page.autofilter(grid.top - 1, 0, grid.bottom, len(grid.columns) - 1)


def _frozen(grid: SheetGrid) -> int:
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


def fold(page: Worksheet, grids: list[SheetGrid]) -> None:
    """Fold away what is below tables; a button at the left margin opens it."""
    page.outline_settings(symbols_below=False)
    for above, grid in pairwise(grids):
        if not grid.sheet.folded:
            continue
        if not above.sheet.folded:
            page.set_row(grid.start - 1, None, None, {"collapsed": True})
        for row in range(grid.start - above.sheet.folded, grid.last_row + 1):
            page.set_row(row, None, None, {"level": 1, "hidden": True})


def set_print(page: Worksheet, grids: list[SheetGrid]) -> None:
    """Print across A4, with headings, sheet name and number on every page, no table cut in two."""
    grid = grids[0]
    folded, every = grid.folded_columns, shared_widths(grids)
    widths = [0.0 if j in folded else width for j, width in enumerate(every)]
    n_columns, pages = _print_columns(grids, widths), _pages_wide(widths)
    width = sum(widths) + (n_columns - len(widths)) * DEFAULT_WIDTH + n_columns * MARGIN
    most, is_upright = _rows_on_a_page(grids, width)
    if not is_upright:
        page.set_landscape()
    page.set_paper(A4)
    page.set_margins(left=0.5, right=0.5, top=0.6, bottom=0.75)
    fullest = FULLEST_COVER if grid.sheet.kind == "lead" else FULLEST
    is_whole = len(grids) > 1 and pages == 1 and _rows(grids) <= most * fullest
    page.fit_to_pages(pages, int(is_whole))
    if len(grids) == 1:
        page.repeat_rows(0, grid.top - 1)
    elif pages == 1 and not is_whole:
        page.set_h_pagebreaks(_breaks(grids, most))
    if pages > 1 and grid.n_labels:
        page.repeat_columns(0, grid.n_labels - 1)
    page.print_area(0, 0, grids[-1].last_row, n_columns - 1)
    page.set_footer("&L&A&RPage &P of &N")


def _rows_on_a_page(grids: list[SheetGrid], width: float) -> tuple[int, bool]:
    """Count the rows that a page holds, and tell whether it is upright: if that saves pages."""
    scales = [min(1.0, across / width) for across in (UPRIGHT_WIDTH, PAGE_WIDTH)]
    upright, across = (
        int(rows / scale) for rows, scale in zip((UPRIGHT_ROWS, PAGE_ROWS), scales, strict=True)
    )
    pages = [math.ceil(_rows(grids) / most) for most in (upright, across)]
    if grids[0].sheet.kind == "lead" or (scales[0] >= LEGIBLE and pages[0] < pages[1]):
        return upright, True
    return across, False


def _rows(grids: list[SheetGrid]) -> int:
    """Count the rows that are not folded away, with one more for each title, which is higher."""
    return sum(_rows_of(grid) for grid in grids if not grid.sheet.folded)


def _rows_of(grid: SheetGrid) -> int:
    """Count the rows of a table, with its title and the row that parts it from the next one."""
    more = sum(grid.lines(i) - 1 for i in range(len(grid.strong_rows))) if any(grid.wraps) else 0
    return grid.last_row - grid.start + 3 + more


def _breaks(grids: list[SheetGrid], most: int) -> list[int]:
    """Find the tables that begin a page: those without room below the ones before."""
    found, used = [], 0
    for grid in grids:
        if grid.sheet.folded:
            continue
        if used and used + _rows_of(grid) > most:
            found.append(grid.start)
            used = 0
        used += _rows_of(grid)
    return found


def _pages_wide(widths: list[float]) -> int:
    """Count the pages across: one, unless nobody could read it."""
    pages = sum(widths) / PAGE_WIDTH
    return 1 if pages * SMALLEST_SCALE <= 1 else math.ceil(pages / 2)


def _print_columns(grids: list[SheetGrid], widths: list[float]) -> int:
    """Count the columns to print: the table's, and those that texts run over."""
    needed = max(end for grid in grids for end in _ends(grid, widths))
    most = COVER_WIDTH if grids[0].sheet.kind == "lead" else PAGE_WIDTH
    missing = min(needed, most) - sum(widths)
    return max(1, len(widths) + max(0, math.ceil(missing / DEFAULT_WIDTH)))


def _ends(grid: SheetGrid, widths: list[float]) -> Iterator[float]:
    """Find where the texts end that stick out: title, notes, and those of a list."""
    yield math.ceil(display_width(grid.sheet.title) * TITLE_SCALE)
    yield from (
        math.ceil((left + one.width) / OF_CELL_DIGIT)
        for one, _, left in laid_out(grid.sheet.charts)
    )
    yield from map(display_width, grid.sheet.notes)
    last = len(grid.columns) - 1
    if last >= 0 and grid.sticks_out(last):
        texts = (value for value in grid.columns[last] if isinstance(value, str))
        yield sum(widths[:last]) + max(map(display_width, texts), default=0)
