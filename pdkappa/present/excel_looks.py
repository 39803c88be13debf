"""What a workbook looks like: formats, widths, and native charts."""

from __future__ import annotations

import datetime as dt
import math
import re
from dataclasses import replace
from itertools import groupby, pairwise
from typing import TYPE_CHECKING, Any, NamedTuple

from pdkappa.present import schema
from pdkappa.present.excel_grids import BARE, area, folded_in_all, shared_widths
from pdkappa.present.sheets import (
    ABOVE,
    BELOW,
    BESIDE,
    HEAD,
    MACHINE,
    MEAN,
    OF_DIGIT,
    POINT,
    cell_name,
    display_width,
    laid_out,
)

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from xlsxwriter import Workbook
    from xlsxwriter.chart import Chart as Drawn
    from xlsxwriter.format import Format
    from xlsxwriter.worksheet import Worksheet

    from pdkappa.present.excel_grids import Places, SheetGrid
    from pdkappa.present.sheets import Chart, Content

LONG_TEXT = 255  # characters beyond which some versions show a cell of format "@" as ####

# Legible below black text, and told apart by readers who do not see red and green.
LOW, MIDDLE, HIGH = "#F4A582", "#FFFFFF", "#92C5DE"
LINE, HEAD_COLOR, EMPTY, FAINT, DARK = "#D9D9D9", "#F2F2F2", "#D9D9D9", "#A6A6A6", "#595959"
LINK = "#0563C1"
LARGE = 26  # of the main figure
FONT, POINTS_OF_CELLS = "Arial", 10  # which is as wide wherever it is replaced
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
    size: int = POINTS_OF_CELLS
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
            "font_name": FONT,
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


# Widths are in characters.
WIDEST_FROZEN = 60
PAGE_WIDTH, UPRIGHT_WIDTH = 151, 104  # what fits across a page at full size
PAGE_ROWS, UPRIGHT_ROWS = 33, 49  # of cells
COVER_WIDTH = 150
LEGIBLE = 0.65  # smallest scale at which a long table stands upright
FULLEST, FULLEST_COVER = 1.3, 1.8  # pages that several tables may fill to be shrunk to one
SMALLEST_SCALE = 0.25  # a sheet that would shrink more goes over several pages
OF_CELL_DIGIT = 7.2  # pixels of a character
DEFAULT_WIDTH = 8.43  # of a column that nobody set, as Excel has it
MARGIN = 0.7  # of a column beside its text
OF_PROSE = 0.9  # of a digit's width: a letter of a sentence has .84 in Liberation Sans
TITLE_SCALE = 1.25  # of the title, in larger letters: .84 of a digit, 1.4 times as large

# Heights are in points.
TITLE_HEIGHT = 24
LINE_HEIGHT = 13.5
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
    if grid.sheet.kind == "lead":  # whose charts are as high as so many rows
        page.set_default_row(LINE_HEIGHT)
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
    folded, every = folded_in_all(grids), shared_widths(grids)
    widths = [0.0 if j in folded else width for j, width in enumerate(every)]
    beyond, pages = _run_over(grids, widths), _pages_wide(widths)
    n_beyond = math.ceil(beyond / DEFAULT_WIDTH)
    n_columns = max(1, len(widths) + n_beyond)
    width = sum(widths) + beyond + n_columns * MARGIN
    if n_beyond:
        page.set_column(len(widths), n_columns - 1, beyond / n_beyond)
    most, is_upright = _rows_on_a_page(grids, width)
    if not is_upright:
        page.set_landscape()
    page.set_paper(A4)
    page.set_margins(left=0.3, right=0.3, top=0.6, bottom=0.75)
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


def _run_over(grids: list[SheetGrid], widths: list[float]) -> float:
    """Find how far texts run over the columns, which is printed, too."""
    needed = max(end for grid in grids for end in _ends(grid, widths))
    most = COVER_WIDTH if grids[0].sheet.kind == "lead" else PAGE_WIDTH
    return max(0.0, min(needed, most) - sum(widths))


def _ends(grid: SheetGrid, widths: list[float]) -> Iterator[float]:
    """Find where the texts end that stick out: title, notes, and those of a list."""
    yield math.ceil(display_width(grid.sheet.title) * TITLE_SCALE)
    yield from (
        math.ceil((left + one.width) / OF_CELL_DIGIT)
        for one, _, left in laid_out(grid.sheet.charts)
    )
    yield from (math.ceil(display_width(note) * OF_PROSE) for note in grid.sheet.notes)
    last = len(grid.columns) - 1
    if last >= 0 and grid.sticks_out(last):
        texts = (value for value in grid.columns[last] if isinstance(value, str))
        yield sum(widths[:last]) + max(map(display_width, texts), default=0)


WIDEST_NAMES = 250  # pixels
SMALLEST, SMALL, TITLE = 8, 10, 11  # sizes of letters
REFERENCE = re.compile(r"!(?=\$?[A-Z]+\$?\d)")
POINTS = {
    POINT: ("square", "#0B5394"),
    MACHINE: ("circle", "#A83E00"),
    MEAN: ("diamond", "#1A202C"),
}


def draw(book: Workbook, chart: Chart, places: Places) -> Drawn:
    """Draw a chart over the cells of its data."""
    title, unit, of_labels = map(_no_reference, (chart.title, chart.unit, chart.of_labels))
    names = tuple(map(_no_reference, chart.names))
    chart = replace(chart, title=title, unit=unit, of_labels=of_labels, names=names)
    drawn = FORMS[chart.kind](book, chart, places)
    drawn.set_title(
        {"name": chart.title, "overlay": False, "name_font": _letters(TITLE, bold=True)}
    )
    drawn.set_legend({"none": True})
    drawn.show_hidden_data()
    drawn.set_size({"width": chart.width, "height": chart.height})
    drawn.set_chartarea({"border": {"color": LINE}})
    return drawn


def _no_reference(text: str) -> str:
    """Widen an exclamation mark by which the writer takes a name, as of a rater, for a cell."""
    return REFERENCE.sub("\N{FULLWIDTH EXCLAMATION MARK}", text)


def _forest(book: Workbook, chart: Chart, places: Places) -> Drawn:
    """Draw points with limits, means in another colour, and the names to the left."""
    drawn = _unbroken(book.add_chart({"type": "scatter"}))
    n, grid = len(chart.names), places[chart.source, 0]
    for kind, run in groupby(range(n), key=chart.kinds.__getitem__):
        rows = list(run)
        if kind != HEAD:
            drawn.add_series(_points(chart.names[rows[0]], kind, grid, (rows[0], rows[-1])))
    drawn.add_series(_names(chart, grid))
    low, high = chart.axis
    drawn.set_x_axis(_values(chart) | {"min": low, "max": high, "crossing": low})
    drawn.set_y_axis(
        {"min": 0.5, "max": n + 0.5, "visible": False, "major_gridlines": {"visible": False}}
    )
    wide = min(max(map(display_width, chart.names)) * OF_DIGIT, WIDEST_NAMES) + BESIDE
    layout = {
        "x": wide / chart.width,
        "y": ABOVE / chart.height,
        "width": (chart.width - wide - BESIDE) / chart.width,
        "height": (chart.height - ABOVE - BELOW) / chart.height,
    }
    drawn.set_plotarea({"layout": layout})
    return drawn


def _points(name: str, kind: str, grid: SheetGrid, rows: tuple[int, int]) -> dict[str, Any]:
    """Describe some rows of a forest: where the points are, and how far their limits."""
    shape, colour = POINTS[kind]
    estimate, minus, plus, place = (
        "=" + area(grid, rows, (column, column)) for column in range(1, 5)
    )
    limits = {"minus_values": minus, "plus_values": plus, "line": {"color": colour}}
    return {
        "name": name,
        "categories": estimate,
        "values": place,
        "line": {"none": True},
        "marker": _marker(shape, colour),
        "x_error_bars": {"type": "custom", **limits},
    }


def _names(chart: Chart, grid: SheetGrid) -> dict[str, Any]:
    """Describe the names of a forest: of points at the left end that are not seen."""
    place, end = (
        "=" + area(grid, (0, len(chart.names) - 1), (column, column)) for column in (4, 5)
    )
    names = [
        {"value": name, "font": _letters(SMALL, bold=kind in {HEAD, MEAN})}
        for name, kind in zip(chart.names, chart.kinds, strict=True)
    ]
    return {
        "name": chart.title,
        "categories": end,
        "values": place,
        "line": {"none": True},
        "marker": {"type": "none"},
        "data_labels": {"value": True, "position": "left", "custom": names},
    }


def _marker(shape: str, colour: str) -> dict[str, Any]:
    """Describe a point."""
    return {"type": shape, "size": 7, "fill": {"color": colour}, "border": {"color": colour}}


def _unbroken(drawn: Drawn) -> Drawn:
    """Keep the names on one line, for which the writer has no option; programs break long ones."""
    write = drawn._xml_empty_tag  # noqa: SLF001

    def tag(name: str, attributes: Sequence[tuple[str, Any]] = ()) -> None:
        more = [("wrap", "none")] if name == "a:bodyPr" else []
        write(name, [*(attributes or ()), *more])

    drawn._xml_empty_tag = tag  # noqa: SLF001
    return drawn


def _bars(book: Workbook, chart: Chart, places: Places) -> Drawn:
    """Draw a column for each row, or a bar from the left where the names are long."""
    is_flat = chart.form == "flat"
    drawn = book.add_chart({"type": "bar" if is_flat else "column"})
    grid, rows, last = places[chart.source, 0], (0, len(chart.names) - 1), chart.n_labels
    drawn.add_series(
        {
            "name": chart.title,
            "categories": "=" + area(grid, rows, (0, last - 1)),
            "values": "=" + area(grid, rows, (last, last)),
            "fill": {"color": POINTS[POINT][1]},
            "gap": 40,
        }
    )
    small = _letters(SMALLEST if chart.form == "wide" else SMALL)
    name = {"name": chart.of_labels, "name_font": _letters(SMALL)}
    names = {**name, "num_font": small, "line": {"color": DARK}, "interval_unit": 1}
    values = _values(chart) | {"min": chart.axis[0], "max": chart.axis[1]}
    if is_flat:  # from above, and the values still below
        drawn.set_x_axis(values)
        drawn.set_y_axis(names | {"reverse": True, "crossing": "max"})
    else:
        drawn.set_x_axis(names)
        drawn.set_y_axis(values)
    return drawn


def _values(chart: Chart) -> dict[str, Any]:
    """Describe the axis of the values."""
    return {
        "name": chart.unit,
        "name_font": _letters(SMALL),
        "num_font": _letters(SMALL),
        "num_format": "0.0",
        "major_unit": chart.step,
        "major_gridlines": {"visible": True, "line": {"color": LINE}},
        "line": {"color": DARK},
    }


def _letters(size: int, *, bold: bool = False) -> dict[str, Any]:
    """Describe the letters of a chart."""
    return {"name": FONT, "size": size, "bold": bold}


FORMS = {"forest": _forest, "bars": _bars}
