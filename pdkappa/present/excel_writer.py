"""Grids in, one workbook out: what is written, and what it looks like."""

from __future__ import annotations

import datetime as dt
import re
from io import BytesIO
from itertools import groupby
from typing import TYPE_CHECKING, Any, NamedTuple

from pdkappa.errors import ExportError, check_flag, needed_for
from pdkappa.present import excel_looks as looks
from pdkappa.present import schema
from pdkappa.present.excel_grids import (
    SheetGrid,
    folded_in_all,
    make_grids,
    quoted,
    shared_widths,
    sheet_names,
    written,
)
from pdkappa.present.files import check_target, deliver
from pdkappa.present.labels import SHORT, one_line
from pdkappa.present.sheets import Content, Sheet, cell_name, laid_out, legal

if TYPE_CHECKING:
    from collections.abc import Hashable, Iterable, Iterator
    from pathlib import Path

    from xlsxwriter import Workbook
    from xlsxwriter.format import Format
    from xlsxwriter.worksheet import Worksheet

    from pdkappa.present.excel_grids import Places
    from pdkappa.present.files import Target

__all__ = ["Sheet", "sheet_names", "workbook_bytes", "write_workbook"]

CREATED = dt.datetime(1980, 1, 1, tzinfo=dt.UTC)  # fixed: the same tables give the same bytes
LEAST = 1e-300  # of numbers that are not zero
FOLDED = {"level": 1, "hidden": True}
TITLE_SIZE, PART_SIZE = 14, 12  # of the title of a worksheet, and of a further table on it


def write_workbook(
    path: Target,
    sheets: Iterable[Sheet],
    *,
    formulas: bool = True,
    overwrite: bool = True,
    title: str = "",
) -> Path | None:
    """Write sheets to an Excel workbook, whole or not at all.

    Values are written as they are, never rounded: number formats do the rounding on the screen.
    Text stays text, whatever it begins with. The same sheets give the same bytes.

    Parameters
    ----------
    path : str, path-like or file object
        The file, ending in ``.xlsx``, or a file object that takes bytes.
    sheets : iterable of Sheet
        At least one.
    formulas : bool, default True
        Whether cells that the workbook can compute hold a formula, or their value only.
    overwrite : bool, default True
        Whether an existing file may be replaced.
    title : str, default ""
        The title among the properties of the workbook.

    Returns
    -------
    Path or None
        The file that was written; None for a file object.

    Raises
    ------
    ExportError
        If something does not fit a workbook: too many rows or columns, too long a text, a control
        character. Nothing is written then.
    OSError
        `FileExistsError` if the file exists and `overwrite` is False; and whatever the file
        system reports. An existing file is left as it was.
    """
    check_workbook(path, formulas=formulas, overwrite=overwrite)
    content = workbook_bytes(sheets, formulas=formulas, title=title)
    return deliver(path, content, overwrite=overwrite)


def check_workbook(path: Target, *, formulas: bool, overwrite: bool) -> None:
    """Check that a workbook can be written to a file, before any work is done for it."""
    check_flag("formulas", formulas)
    check_target(path, overwrite=overwrite, text=False)


def workbook_bytes(sheets: Iterable[Sheet], *, formulas: bool = True, title: str = "") -> bytes:
    """Build the workbook that `write_workbook` writes.

    Parameters
    ----------
    sheets : iterable of Sheet
        At least one.
    formulas, title
        As in `write_workbook`.

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
    book = _new_book(memory, title)
    names = sheet_names([sheet.name for sheet in sheets])
    pages = [make_grids(sheet, name) for sheet, name in zip(sheets, names, strict=True)]
    places = _places(pages)
    pen = _Pen(looks.Styles(book), places, formulas=formulas)
    for grids in pages:
        _draw(book.add_worksheet(grids[0].name), pen, grids)
    book.close()
    return memory.getvalue()


def _places(pages: list[list[SheetGrid]]) -> dict[tuple[Hashable, int], SheetGrid]:
    """Find the tables by key and number; a part with a key of its own begins to count anew."""
    places: dict[tuple[Hashable, int], SheetGrid] = {}
    for grids in pages:
        called, part = grids[0].sheet.called, 0
        for grid in grids:
            if grid.sheet.key is not None and grid is not grids[0]:
                called, part = grid.sheet.key, 0
            places.setdefault((called, part), grid)
            part += 1
    return places


def _new_book(memory: BytesIO, title: str) -> Workbook:
    """Open a workbook in which text is never a formula, a link or a number."""
    with needed_for("Writing a workbook", "xlsxwriter", "xlsxwriter"):
        from xlsxwriter import Workbook
    texts = dict.fromkeys(("strings_to_formulas", "strings_to_urls", "strings_to_numbers"), False)
    letters = {
        "default_format_properties": {"font_name": looks.FONT, "font_size": looks.POINTS_OF_CELLS}
    }
    book = Workbook(memory, {"in_memory": True, "nan_inf_to_errors": False, **texts, **letters})
    told = {"created": CREATED, "comments": "Written by pdkappa."}
    book.set_properties(told | ({"title": one_line(title)} if title else {}))
    return book


# --- drawing -----------------------------------------------------------------------------------


class _Exact(float):
    """A number that is written with all its digits; the writer would stop at 16 of 17."""

    __slots__ = ()

    def __format__(self, spec: str, /) -> str:
        return repr(float(self))


class _Pen(NamedTuple):
    """What every cell of a workbook is written with."""

    styles: looks.Styles
    places: Places
    formulas: bool


def _draw(page: Worksheet, pen: _Pen, grids: list[SheetGrid]) -> None:
    """Fill and furnish one worksheet."""
    folded = folded_in_all(grids)
    for j, width in enumerate(shared_widths(grids)):
        page.set_column(j, j, width, None, FOLDED if j in folded else {})
    for grid in grids:
        size = TITLE_SIZE if grid.start == 0 else PART_SIZE
        page.set_row(grid.start, looks.TITLE_HEIGHT)
        _put(page, grid.start, 0, grid.sheet.title, pen.styles(looks.Look(bold=True, size=size)))
        _draw_header(page, pen.styles, grid)
        looks.set_heights(page, grid)
        _draw_body(page, pen, grid)
        for row, note in enumerate(grid.sheet.notes, grid.notes_row):
            _put(page, row, 0, note, pen.styles(looks.Look(colour=looks.DARK)))
        _colour(page, pen.styles, grid)
        for chart, row, left in laid_out(grid.sheet.charts):
            drawn = looks.draw(pen.styles.book, chart, pen.places)
            where = {"x_offset": left, "object_position": 2, "description": chart.spoken}
            page.insert_chart(grid.charts_row + row, 0, drawn, where)
    if any(grid.sheet.folded for grid in grids):
        looks.fold(page, grids)
    if grids[0].sheet.hidden:
        page.hide()
    else:
        looks.set_print(page, grids)
    looks.set_view(page, grids)


def _draw_header(page: Worksheet, styles: looks.Styles, grid: SheetGrid) -> None:
    """Write the headings, the last row of them above a line."""
    for number, headings in enumerate(grid.header):
        for j, value in enumerate(headings):
            _put(page, grid.head + number, j, value, styles(looks.heading_look(grid, number, j)))


def _draw_body(page: Worksheet, pen: _Pen, grid: SheetGrid) -> None:
    """Write the values, those that the workbook can compute as formulas."""
    formulas = grid.sheet.formulas if pen.formulas else {}
    for j, column in enumerate(grid.columns):
        look = looks.column_look(grid, j)
        for i, value in enumerate(column):
            place = (i, j - grid.n_labels)
            row, style = grid.top + i, pen.styles(looks.cell_look(grid, look, i, j))
            if value is not None and (target := _target(pen.places, grid, place)):
                page.write_url(row, j, target, style, "link")
            formula = formulas.get(place)
            text = formula and written(formula, pen.places, grid.name)
            if text:
                page.write_formula(row, j, text, style, _cached(value))
            else:
                _put(page, row, j, value, style)


def _target(places: Places, grid: SheetGrid, place: tuple[int, int]) -> str:
    """Say where a cell leads to; nothing for nowhere."""
    if place not in grid.sheet.links:
        return ""
    target = places[grid.sheet.links[place], 0]
    return f"internal:{quoted(target.name)}!{cell_name(target.start, 0)}"


def _cached(value: Content) -> Content:
    """Give what a formula shows until it is computed: an empty text where nothing is defined."""
    return "" if value is None else _Exact(value) if isinstance(value, float) else value


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
    text = legal(text)
    if text.startswith("<r>") and text.endswith("</r>"):
        page.write_rich_string(row, column, *_pieces(text), style)
    else:
        page.write_string(row, column, text, style)


def _pieces(text: str) -> list[str]:
    """Cut a text where the writer, which escapes pieces twice, then finds nothing to escape."""
    return [text[0], text[1], *re.split("(?<=_)", re.sub("\r\n?", "\n", text[2:]))]


# --- colours -----------------------------------------------------------------------------------


def _colour(page: Worksheet, styles: looks.Styles, grid: SheetGrid) -> None:
    """Lay colours over the values, which keep them when they change."""
    if grid.sheet.kind == "matrix" and schema.kind_of(grid.sheet.stat) == "agreement":
        _over_values(page, grid, _agreement_scale())
    elif grid.sheet.kind == "confusion":
        _over_values(page, grid, _zero(styles))
        _over_values(page, grid, _count_scale())
    for j in (j for j, kind in enumerate(grid.kinds) if kind == "flag"):
        for word, look in looks.FLAGS.items():
            rule = {"type": "cell", "criteria": "==", "value": f'"{word}"'}
            rule["format"] = styles.over(**look)
            page.conditional_format(grid.top, j, max(grid.top, grid.bottom), j, rule)
    _round_rightly(page, styles, grid)


def _round_rightly(page: Worksheet, styles: looks.Styles, grid: SheetGrid) -> None:
    """Show nothing short of 1 as 1.000 and nothing below 0 as -0.000, also when it changes."""
    if grid.sheet.kind == "lead":
        for rule in _exceptions("0.00", "agreement"):
            shown = styles.over(num_format=rule["format"])
            page.conditional_format(grid.top, 0, grid.top, 0, rule | {"format": shown})
        return
    bottom = max(grid.top, grid.bottom)
    for j in range(grid.n_labels, len(grid.kinds)):
        places = {(grid.top, bottom): grid.kinds[j]}
        if grid.sheet.kind == "list":
            rows = range(grid.top, bottom + 1)
            places = {(row, row): looks.kind_of(grid, row - grid.top, j) for row in rows}
        for (top, low), kind in places.items():
            for rule in _exceptions(schema.NUMBER_FORMATS[kind], kind):
                shown = styles.over(num_format=rule["format"])
                page.conditional_format(top, j, low, j, rule | {"format": shown})


def _exceptions(usual: str, kind: schema.Kind) -> Iterator[dict[str, Any]]:
    """Give the numbers that a format such as 0.000 would show wrongly, and their own formats."""
    if set(usual) != set("0."):
        return
    half = 0.5 * 10 ** -(usual.count("0") - 1)
    between = {"type": "cell", "criteria": "between"}
    yield between | {"minimum": -half, "maximum": -LEAST, "format": f"{usual};{usual}"}
    if kind == "agreement":
        low, high, most = 1 - half, 1 - SHORT, f"{1 - 2 * half:g}"
        yield between | {"minimum": low, "maximum": high, "format": f'">{most}"'}
        yield between | {"minimum": -high, "maximum": -low, "format": f'"";"<-{most}"'}


def _agreement_scale() -> dict[str, Any]:
    """Run from perfect disagreement over the agreement of chance to all, as on a page."""
    points = {"min": (-1, looks.LOW), "mid": (0, looks.MIDDLE), "max": (1, looks.HIGH)}
    scale: dict[str, Any] = {"type": "3_color_scale"}
    for point, (value, colour) in points.items():
        scale |= {f"{point}_type": "num", f"{point}_value": value, f"{point}_color": colour}
    return scale


def _count_scale() -> dict[str, Any]:
    """Run from none to the largest count."""
    scale = {"type": "2_color_scale", "min_type": "num", "min_value": 0}
    return scale | {"min_color": looks.MIDDLE, "max_color": looks.HIGH}


def _zero(styles: looks.Styles) -> dict[str, Any]:
    """Let empty cells of a confusion matrix step back."""
    faint = styles.over(font_color=looks.FAINT)
    return {"type": "cell", "criteria": "==", "value": 0, "format": faint}


def _over_values(page: Worksheet, grid: SheetGrid, rule: dict[str, Any]) -> None:
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
