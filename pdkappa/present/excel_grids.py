"""Frames -> grids of cells: heads, names and addresses in the words of a spreadsheet."""

from __future__ import annotations

import datetime as dt
import math
import re
import unicodedata
from dataclasses import dataclass
from functools import cached_property
from itertools import chain, zip_longest
from typing import TYPE_CHECKING, Any, TypeAlias

import pandas as pd

from pdkappa.errors import ExportError, shown
from pdkappa.present import schema
from pdkappa.present.labels import shortened
from pdkappa.present.sheets import (
    MAX_COLUMNS,
    MAX_ROWS,
    Content,
    Sheet,
    cell_name,
    content,
    display_width,
    flag,
    laid_out,
    line_count,
    problem,
    totals_in,
    utf16_length,
)

if TYPE_CHECKING:
    from collections.abc import Hashable, Iterator, Mapping, Sequence

    from pdkappa.present.sheets import CellRange, Formula, SheetKind

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


HEADER_ROW = 2  # below the title and an empty row, which keeps the title out of sorting

WIDEST_LABEL = 40
BUTTON = 2  # width of a filter button
LONG_TABLE = 20  # rows beyond which a table gets filter buttons
DECIMALS: dict[schema.Kind, int] = {"agreement": 3, "measure": 3, "z": 2, "p": 5, "difference": 5}


@dataclass(frozen=True, eq=False)
class SheetGrid:
    """All that goes into the cells of one worksheet, and where.

    The columns are those of the row labels, `n_labels` of them, and then those of the frame.
    The title stands in row `start` of the worksheet.
    """

    sheet: Sheet
    name: str
    header: list[list[Content]]
    columns: list[list[Content]]
    kinds: list[schema.Kind]
    n_labels: int
    strong_rows: list[bool]
    strong_columns: list[bool]
    start: int = 0

    @property
    def head(self) -> int:
        """Row where the headings begin."""
        return self.start + HEADER_ROW

    @property
    def top(self) -> int:
        """Row where the values begin."""
        return self.head + len(self.header)

    @property
    def bottom(self) -> int:
        """Row of the last value; above `top` if there is none."""
        return self.top + len(self.strong_rows) - 1

    @cached_property
    def folded_columns(self) -> set[int]:
        """Columns that are folded away."""
        return {self.n_labels + j for j in self.sheet.folded_columns}

    @property
    def is_filtered(self) -> bool:
        """Whether the table is long enough to be searched; totals must stay below."""
        is_long = self.sheet.kind == "table" and len(self.strong_rows) > LONG_TABLE
        return is_long and not any(self.strong_rows) and not self.sheet.parts

    @property
    def notes_row(self) -> int:
        """Row where the notes begin, below an empty one."""
        return self.bottom + 2

    @property
    def last_row(self) -> int:
        """Last row with anything in it."""
        ends = (row + one.n_rows for one, row, _ in laid_out(self.sheet.charts))
        return self.charts_row + max(ends, default=0) - 1

    @property
    def charts_row(self) -> int:
        """Row where the charts begin, below all else."""
        notes = len(self.sheet.notes)
        last = self.notes_row + notes - 1 if notes else max(self.bottom, self.start)
        return last + 1 + bool(self.sheet.charts)

    @cached_property
    def diagonal(self) -> list[int]:
        """The column of each row whose label is the same; -1 for none, and for totals."""
        if self.sheet.kind not in EVEN or not self.n_labels:
            return [-1] * len(self.strong_rows)
        labels = map(content, self.sheet.frame.columns.get_level_values(-1))
        places: dict[Content, int] = {
            label: j
            for j, label in enumerate(labels, self.n_labels)
            if label is not None and not self.strong_columns[j]
        }
        rows = zip(self.columns[self.n_labels - 1], self.strong_rows, strict=True)
        return [-1 if strong else places.get(label, -1) for label, strong in rows]

    @cached_property
    def full_widths(self) -> list[float]:
        """Widths at which no cell is cut; the title and the notes do not count."""
        return [_full_width(self, j) for j in range(len(self.columns))]

    @cached_property
    def widths(self) -> list[float]:
        """Widths of the columns, within reason."""
        low, high = WIDTHS[self.sheet.kind]
        limits = [
            (low, WIDEST_LABEL if j < self.n_labels else high) for j in range(len(self.kinds))
        ]
        widths = [
            min(max(full, narrowest), widest)
            for full, (narrowest, widest) in zip(self.full_widths, limits, strict=True)
        ]
        return evened(widths, self.n_labels) if self.sheet.kind in EVEN else widths

    @cached_property
    def wraps(self) -> list[bool]:
        """Whether the text of a column is broken into lines."""
        pairs = zip(self.full_widths, self.widths, strict=True)
        return [full > width or _has_lines(self, j) for j, (full, width) in enumerate(pairs)]

    def lines(self, i: int) -> int:
        """Count the lines of a row of values."""
        cells = ((self.columns[j][i], j) for j, wraps in enumerate(self.wraps) if wraps)
        return max((_line_count(value, self.widths[j]) for value, j in cells), default=1)

    def sticks_out(self, j: int) -> bool:
        """Tell whether the texts of a column run over those to the right."""
        return self.sheet.kind in {"list", "lead"} and j == len(self.kinds) - 1

    def texts(self) -> Iterator[tuple[int, int, str]]:
        """Go through every text with its row and column."""
        yield self.start, 0, self.sheet.title
        rows = enumerate(self.header, self.head)
        heads = ((i, j, value) for i, row in rows for j, value in enumerate(row))
        columns = enumerate(self.columns)
        body = ((i, j, value) for j, column in columns for i, value in enumerate(column, self.top))
        for i, j, value in chain(heads, body):
            if isinstance(value, str):
                yield i, j, value
        for i, note in enumerate(self.sheet.notes, self.notes_row):
            yield i, 0, note


def make_grids(sheet: Sheet, name: str, start: int = 0) -> list[SheetGrid]:
    """Read a sheet and its parts into cells, one below the other: see `make_grid`."""
    grids = [make_grid(sheet, name, start)]
    for part in sheet.parts:
        grids += make_grids(part, name, start=grids[-1].last_row + 2)
    return grids


def evened(widths: list[float], n_labels: int) -> list[float]:
    """Make all columns but those of labels as wide as the widest of them."""
    return widths[:n_labels] + [max(widths[n_labels:], default=0)] * (len(widths) - n_labels)


def make_grid(sheet: Sheet, name: str, start: int = 0) -> SheetGrid:
    """Read a frame into cells, and check that they fit a worksheet.

    Parameters
    ----------
    sheet : Sheet
        What to show.
    name : str
        Valid name of the worksheet.
    start : int, default 0
        Row of the title.

    Returns
    -------
    SheetGrid
        What every cell holds.

    Raises
    ------
    ExportError
        If there are too many rows or columns, or a text does not fit a cell.
    """
    labels = _label_levels(sheet)
    _check_size(sheet, name, len(labels), start)
    kinds = _kinds(sheet)
    columns = [[content(label) for label in level] for level in labels]
    if sheet.kind == "list":
        columns = [[headed(sheet, label) for label in level] for level in labels]
    columns += [_read(sheet.frame.iloc[:, j], kind) for j, kind in enumerate(kinds)]
    label: schema.Kind = "label"
    grid = SheetGrid(
        sheet=sheet,
        name=name,
        header=header_of(sheet, len(labels)),
        columns=columns,
        kinds=[label] * len(labels) + kinds,
        n_labels=len(labels),
        strong_rows=_strong_rows(sheet, columns),
        strong_columns=[False] * len(labels) + _strong_columns(sheet),
        start=start,
    )
    _check_texts(grid)
    if sheet.kind == "matrix" and schema.kind_of(sheet.stat) == "agreement":
        for i, j in enumerate(grid.diagonal):  # of raters with themselves, it says nothing
            if j >= 0:
                columns[j][i] = None
    return grid


def folded_in_all(grids: list[SheetGrid]) -> set[int]:
    """Find the columns of a worksheet that are folded away: all of its tables can do without."""
    every = set.union(*(grid.folded_columns for grid in grids))
    return {j for j in every if all(j in x.folded_columns or j >= len(x.columns) for x in grids)}


def shared_widths(grids: list[SheetGrid]) -> list[float]:
    """Find the widths of the columns that all tables of a worksheet share."""
    widths = [max(each) for each in zip_longest(*(grid.widths for grid in grids), fillvalue=0.0)]
    even = [grid for grid in grids if grid.sheet.kind in EVEN]
    if not even:
        return widths
    last = max(len(grid.columns) for grid in even)
    return evened(widths[:last], even[0].n_labels) + widths[last:]


# --- frame to cells ----------------------------------------------------------------------------


def _label_levels(sheet: Sheet) -> list[pd.Index]:
    """List the levels of the row labels, none if they are not to be shown."""
    index = sheet.frame.index
    if not _shows_index(sheet):
        return []
    return [index.get_level_values(level) for level in range(index.nlevels)]


def _shows_index(sheet: Sheet) -> bool:
    """Decide whether the row labels say anything."""
    if sheet.index is not None:
        return sheet.index
    if sheet.kind == "table":
        return (
            not isinstance(sheet.frame.index, pd.RangeIndex) or sheet.frame.index.name is not None
        )
    return sheet.kind not in {"text", "lead"}


def _kinds(sheet: Sheet) -> list[schema.Kind]:
    """Tell what each column of the frame holds; counts that are not whole are measures."""
    frame = sheet.frame
    columns = [frame.iloc[:, j] for j in range(frame.shape[1])]
    if sheet.kind == "matrix":
        return [schema.kind_of(sheet.stat) for _ in columns]
    if sheet.kind == "confusion":
        kind: schema.Kind = "count" if all(map(_is_whole, columns)) else "measure"
        return [kind] * len(columns)
    if sheet.kind == "lead":
        return ["text"] * len(columns)
    if sheet.kind == "list":
        return [
            "measure" if pd.api.types.is_numeric_dtype(column.dtype) else "text"
            for column in columns
        ]
    kinds = map(schema.kind_of, frame.columns.get_level_values(-1))
    return [
        "measure" if kind == "count" and not _is_whole(column) else kind
        for kind, column in zip(kinds, columns, strict=True)
    ]


def _is_whole(values: pd.Series) -> bool:
    """Tell whether the numbers among some values are whole."""
    if pd.api.types.is_integer_dtype(values.dtype):
        return True
    numbers = map(content, values.tolist())
    return all(number.is_integer() for number in numbers if isinstance(number, float))


def _read(values: pd.Series, kind: schema.Kind) -> list[Content]:
    """Turn the values of a column into what its cells hold."""
    convert = flag if kind == "flag" else content
    return [convert(value) for value in values.tolist()]


def _strong_rows(sheet: Sheet, columns: list[list[Content]]) -> list[bool]:
    """Find the totals; in a text, the headings: rows with nothing but a first cell."""
    if sheet.kind != "text" or len(columns) <= 1:
        return _emphasised(sheet, sheet.frame.index)
    return [all(value in (None, "") for value in row[1:]) for row in zip(*columns, strict=True)]


def _strong_columns(sheet: Sheet) -> list[bool]:
    """Find the totals of a confusion matrix."""
    labels: pd.Index[Any] = sheet.frame.columns
    return _emphasised(sheet, labels) if sheet.kind == "confusion" else [False] * len(labels)


def _emphasised(sheet: Sheet, labels: pd.Index[Any]) -> list[bool]:
    """Find the labels that are to be set apart."""
    return totals_in(labels, sheet.emphasis).tolist()


# --- limits ------------------------------------------------------------------------------------


def _check_size(sheet: Sheet, name: str, n_labels: int, start: int) -> None:
    """Check that a frame fits a worksheet, before its cells are read."""
    frame = sheet.frame
    header = frame.columns.nlevels + (sheet.kind == "confusion")
    notes = len(sheet.notes) + 1 if sheet.notes else 0
    rows = start + HEADER_ROW + header + len(frame) + notes
    columns = n_labels + frame.shape[1]
    for needed, most, what in ((rows, MAX_ROWS, "rows"), (columns, MAX_COLUMNS, "columns")):
        if needed > most:
            raise ExportError(
                f"Sheet {shown(name)} needs {needed} {what}, and {most} is the most that a "
                f"worksheet holds. Export fewer, or save this table with to_csv or to_parquet."
            )


def _check_texts(grid: SheetGrid) -> None:
    """Check that every text fits a cell."""
    for row, column, text in grid.texts():
        if reason := problem(text):
            raise ExportError(f"Cell {cell_name(row, column)} of sheet {shown(grid.name)} {reason}")


# --- widths ------------------------------------------------------------------------------------


def _full_width(grid: SheetGrid, j: int) -> float:
    """Find the width at which no cell of a column is cut."""
    kind = grid.kinds[j]
    if grid.sticks_out(j):
        return PADDING
    shown = {_shown(value, kind) for value in grid.columns[j]}
    widest = max(map(display_width, shown), default=0)
    heading = max((display_width(_shown(row[j], "label")) for row in _headings(grid)), default=0)
    heading += BUTTON if grid.is_filtered else 0
    return max(widest * (BOLD if any(grid.strong_rows) else 1), heading * BOLD) + PADDING


def _has_lines(grid: SheetGrid, j: int) -> bool:
    """Tell whether any text of a column has a line break of its own."""
    return any(isinstance(value, str) and "\n" in value for value in grid.columns[j])


def _line_count(value: Content, width: float) -> int:
    """Count the lines of a cell, with some room for wider fonts."""
    return max(1, line_count(value, width - 1)) if isinstance(value, str) else 1


def _headings(grid: SheetGrid) -> list[list[Content]]:
    """List the rows of headings, without the second rater's name, which may stick out."""
    return grid.header[1:] if grid.sheet.kind == "confusion" else grid.header


def _shown(value: Content, kind: schema.Kind) -> str:
    """Show a cell about as wide as a spreadsheet does."""
    if value is None or isinstance(value, str):
        return value or ""
    if isinstance(value, dt.date):
        return str(value)
    if kind in DECIMALS:
        return f"{value:z.{DECIMALS[kind]}f}"
    return f"{value:,.10g}" if kind == "count" else f"{value:.10g}"


MAX_NAME = 31  # UTF-16 units
FORBIDDEN = re.compile("[\\[\\]:*?/\\\\\x00-\x1f\ud800-\udfff\ufffe\uffff]")
# The writer would take "FILTER(" within the name of a sheet for the function.
LIKE_A_FUNCTION = re.compile("(?<=[A-Z])\\(")


def sheet_names(wanted: Sequence[str]) -> list[str]:
    r"""Make names of worksheets valid and unique.

    What a name must not hold becomes an underscore, what is too long is cut, and what Excel
    might take for the same name is numbered.

    Parameters
    ----------
    wanted : sequence of str
        Any text, such as labels of raters and groups.

    Returns
    -------
    list of str
        As many names, in the same order.

    Examples
    --------
    >>> sheet_names(["Pairs", "a/b", "PAIRS", "History", ""])
    ['Pairs', 'a_b', 'PAIRS (2)', 'History_', 'Sheet']
    """
    names: list[str] = []
    taken: set[str] = set()
    for name in map(_valid_name, wanted):
        unique, number = name, 1
        while _name_key(unique) in taken:
            number += 1
            ending = f" ({number})"
            unique = _cut(name, MAX_NAME - len(ending)).rstrip() + ending
        taken.add(_name_key(unique))
        names.append(unique)
    return names


def quoted(name: str) -> str:
    """Write a name as a formula does.

    >>> print(quoted("O'Brien x b"))
    'O''Brien x b'
    """
    return "'" + name.replace("'", "''") + "'"


def _valid_name(wanted: str) -> str:
    """Replace what a name must not hold, and cut it to length."""
    wanted = LIKE_A_FUNCTION.sub(" (", FORBIDDEN.sub("_", wanted))
    name = _cut(wanted.strip(" '"), MAX_NAME).rstrip(" '")
    return f"{name}_" if name.casefold() == "history" else name or "Sheet"


def _name_key(name: str) -> str:
    """Give the same key to names that Excel might take for the same."""
    return unicodedata.normalize("NFKC", name).casefold()


def _cut(text: str, length: int) -> str:
    """Cut a text to a number of UTF-16 units."""
    text = text[:length]
    while utf16_length(text) > length:
        text = text[:-1]
    return text


Places: TypeAlias = "Mapping[tuple[Hashable, int], SheetGrid]"
LONGEST = 8192  # characters of a formula


def written(formula: Formula, places: Places, here: str) -> str | None:
    """Write a formula as it stands in a cell of one of the sheets.

    Parameters
    ----------
    formula : Formula
    places : mapping of (key, part) to SheetGrid
        Where the frames of the workbook stand.
    here : str
        Name of the worksheet that holds the formula.

    Returns
    -------
    str or None
        The formula; None if it is longer than a cell can hold.
    """
    names = {
        name: address(cells, places[cells.sheet, cells.part], here)
        for name, cells in formula.cells.items()
    }
    text = "=" + formula.text.format_map(names)
    return text if len(text) <= LONGEST else None


def address(cells: CellRange, grid: SheetGrid, here: str) -> str:
    """Name cells as a formula does."""
    corners = zip(cells.rows, cells.columns, strict=True)
    ends = [cell_name(grid.top + row, grid.n_labels + column) for row, column in corners]
    name = ends[0] if ends[0] == ends[1] else ":".join(ends)
    return name if grid.name == here else f"{quoted(grid.name)}!{name}"


def area(grid: SheetGrid, rows: tuple[int, int], columns: tuple[int, int]) -> str:
    """Name cells as a chart does, labels being columns too; both ends are within."""
    corners = zip(rows, columns, strict=True)
    ends = [cell_name(grid.top + row, column, fixed=True) for row, column in corners]
    return f"{quoted(grid.name)}!{':'.join(ends)}"
