"""A sheet: its frames, charts, formulas and cells, before anything is written."""

from __future__ import annotations

import datetime as dt
import math
import re
import textwrap
import unicodedata
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, TypeAlias, cast

import numpy as np
import pandas as pd

from pdkappa.errors import OptionError, needed_for, plural, shown
from pdkappa.present import schema
from pdkappa.present.labels import as_json, heading_of, visible
from pdkappa.present.text_cells import has_coefficients, is_matrix, spoken_rows
from pdkappa.present.text_markup import in_words

if TYPE_CHECKING:
    from collections.abc import Callable, Hashable, Iterator, Mapping, Sequence

    from pdkappa._typing import BoolArray
    from pdkappa.present.findings import Findings


class CellRange(NamedTuple):
    """Cells of a frame in a workbook: one, or a rectangle of them."""

    sheet: Hashable  # key of the sheet
    # First and last position in the frame, without its labels; both count from 0.
    rows: tuple[int, int]
    columns: tuple[int, int]
    part: int = 0  # 0 for the frame of the sheet itself, else the number of its part


@dataclass(frozen=True)
class Formula:
    """A formula over cells.

    Parameters
    ----------
    text : str
        The formula without its equals sign; ``{name}`` stands for cells.
    cells : mapping of str to CellRange
        What the names stand for.
    """

    text: str
    cells: Mapping[str, CellRange]


def same_as(cells: CellRange) -> Formula:
    """Show what another cell shows."""
    return Formula("{cell}", {"cell": cells})


def over(function: str, cells: Sequence[CellRange]) -> Formula:
    """Apply a function to several cells, such as a sum over sheets.

    >>> over("SUM", [CellRange("a", (0, 0), (0, 0)), CellRange("b", (0, 0), (0, 0))]).text
    'SUM({c0},{c1})'
    """
    names = [f"c{number}" for number in range(len(cells))]
    arguments = ",".join(f"{{{name}}}" for name in names)
    return Formula(f"{function}({arguments})", dict(zip(names, cells, strict=True)))


Content: TypeAlias = str | int | float | dt.date | None

# What Excel can hold.
MAX_ROWS = 1_048_576
MAX_COLUMNS = 16_384
MAX_TEXT = 32_767  # UTF-16 units
MAX_DIGITS = 15  # of a number; it drops any more

ILLEGAL = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\ud800-\udfff\ufffe\uffff]")
SHOWN = 20  # characters of a text that a message quotes

# Of ASCII characters of a proportional font, in units of a digit.
CHARACTER_WIDTHS = {
    **{character: 1.25 if character.isupper() else 1.0 for character in map(chr, range(128))},
    **dict.fromkeys(" !',.:;Iijl|", 0.55),
    **dict.fromkeys('"()*-/[]frt{}', 0.7),
    **dict.fromkeys("%@MWmw", 1.6),
}


def content(value: object) -> Content:
    """Turn a value into what a cell holds, losing nothing.

    Parameters
    ----------
    value : object
        One value or label of a frame.

    Returns
    -------
    str, int, float, date, datetime or None
        Numbers and text by value. None, an empty cell, for what pandas holds to be missing. Text
        for an integer beyond 15 digits, an infinite number, a date with a time zone, outside
        the calendar of a spreadsheet or finer than a second, and for every other object.

    Examples
    --------
    >>> content(0.5), content("=1+1"), content(2**53 + 1), content(True), content(pd.NA)
    (0.5, '=1+1', '9007199254740993', 'True', None)
    """
    value = _unwrap(value)
    if pd.api.types.is_scalar(value) and pd.isna(cast("float", value)):
        return None
    if isinstance(value, str):
        return str.__str__(value)
    if isinstance(value, int) and not isinstance(value, bool):
        return int(value) if abs(value) < 10**MAX_DIGITS else str(int(value))
    if isinstance(value, float):
        return float(value) + 0.0 if math.isfinite(value) else str(float(value))  # no -0.0
    if isinstance(value, dt.date):
        return _date(value)
    return str(value)


def flag(value: object) -> Content:
    """Turn a value of a column of yes and no into what a cell holds.

    >>> flag(True), flag(np.False_), flag(None)
    ('yes', 'no', None)
    """
    value = _unwrap(value)
    return ("no", "yes")[value] if isinstance(value, bool) else content(value)


def legal(text: str) -> str:
    r"""Write characters that no workbook can hold as codes.

    >>> print(legal("a\x07b"))
    a\x07b
    """
    return ILLEGAL.sub(lambda one: one[0].encode("unicode_escape").decode(), text)


def problem(text: str) -> str | None:
    """Tell why a cell cannot hold a text; None if it can."""
    text = legal(text)
    if len(text) > MAX_TEXT // 2 and utf16_length(text) > MAX_TEXT:
        return (
            f"holds {utf16_length(text)} characters, and {MAX_TEXT} is the most a cell can hold. "
            f"Shorten {_excerpt(text)}."
        )
    return None


def cell_name(row: int, column: int, *, fixed: bool = False) -> str:
    """Name a cell as a spreadsheet does; both numbers count from 0.

    >>> cell_name(0, 0), cell_name(6, 27), cell_name(6, 27, fixed=True)
    ('A1', 'AB7', '$AB$7')
    """
    letters = ""
    column += 1
    while column:
        column, letter = divmod(column - 1, 26)
        letters = chr(ord("A") + letter) + letters
    return f"${letters}${row + 1}" if fixed else f"{letters}{row + 1}"


def utf16_length(text: str) -> int:
    """Count characters as a spreadsheet does: those beyond U+FFFF count twice.

    >>> utf16_length("ab\N{GRINNING FACE}")
    4
    """
    return len(text) + sum(character > "\uffff" for character in text)


def display_width(text: str) -> int:
    r"""Estimate the width of the longest line, in units of a digit.

    >>> display_width("essay"), display_width("作文"), display_width("two\nlines")
    (5, 4, 5)
    """
    return max((math.ceil(_line_width(line)) for line in text.splitlines()), default=0)


def line_count(text: str, width: float) -> int:
    r"""Estimate the number of lines that a text takes in a column.

    >>> line_count("two\nlines", 9), line_count("broken between words", 9)
    (2, 3)
    """
    return sum(_wrapped_lines(line, width) for line in text.splitlines())


def _unwrap(value: object) -> object:
    """Take a NumPy scalar out of its wrapping."""
    match value:
        case np.datetime64():
            return pd.Timestamp(value)
        case np.timedelta64():
            return pd.Timedelta(value)
        case np.floating():
            return float(value)
        case np.generic():
            return value.item()
    return value


def _date(value: dt.date) -> dt.date | str:
    """Keep a date that a spreadsheet can hold exactly; spell out every other."""
    if not (1900, 3) <= (value.year, value.month) <= (9999, 12):
        return value.isoformat()
    if not isinstance(value, dt.datetime):
        return value
    if value.tzinfo is not None or value.microsecond or getattr(value, "nanosecond", 0):
        return value.isoformat()
    return value.to_pydatetime() if isinstance(value, pd.Timestamp) else value


def _line_width(line: str) -> float:
    """Add up the widths of the characters."""
    width_of = CHARACTER_WIDTHS.__getitem__ if line.isascii() else _character_width
    return sum(map(width_of, line))


def _character_width(character: str) -> float:
    """Estimate the width of a character."""
    if character.isascii():
        return CHARACTER_WIDTHS[character]
    if unicodedata.combining(character):
        return 0
    if unicodedata.east_asian_width(character) in "WF":
        return 2
    return 1.25 if character.isupper() else 1


def _wrapped_lines(line: str, width: float) -> int:
    """Count the pieces of one line of a text, at least one."""
    characters = width * len(line) / max(_line_width(line), 1)
    return max(1, len(textwrap.wrap(line, max(1, math.floor(characters)))))


def _excerpt(text: str) -> str:
    """Quote the beginning of a text that may be long."""
    return repr(text[:SHOWN]) + ("..." if text[SHOWN:] else "")


# Sizes are in pixels.
LINE_HEIGHT, TIGHT, MANY = 18, 15, 20  # of a row of cells; of a chart of more rows
WIDTH, WHOLE_WIDTH, HEIGHT = 530, 1080, 300
ABOVE, BELOW, BESIDE = 50, 58, 20  # of the plot area
AXIS = 0.9  # part of the width that the labels of columns have
OF_DIGIT, OF_SMALL_DIGIT = 7.0, 5.6  # of a label
APART = 0.3  # of labels, in digits
POINT, MACHINE, MEAN, HEAD = "point", "machine", "mean", "head"
Form: TypeAlias = Literal["narrow", "wide", "flat"]


@dataclass(frozen=True)
class Chart:
    """What a chart shows.

    Parameters
    ----------
    kind : {"forest", "bars"}
        Estimates with their limits, one below the other; or a bar for each row.
    title, unit : str
        What stands above, and beside the axis of the values.
    source : hashable
        Key of the sheet with the data. Of a forest the columns are the label, the estimate, its
        distances from its limits, the place from below and the least value of the axis; of bars
        the labels, and the value last.
    names : tuple of str
        Labels of the rows, from above.
    kinds : tuple of {"point", "machine", "mean", "head"}, default ()
        What the rows of a forest are: estimates, those with a machine, means, or words alone.
    axis : tuple of (float, float), default (0, 1)
        Least and greatest value.
    step : float, default 0.2
        Distance of two values that the axis names.
    n_labels : int, default 1
        Columns of labels, of bars.
    of_labels : str, default ""
        What the labels of bars are.
    """

    kind: Literal["forest", "bars"]
    title: str
    unit: str
    source: Hashable
    names: tuple[str, ...]
    kinds: tuple[str, ...] = ()
    axis: tuple[float, float] = (0.0, 1.0)
    step: float = 0.2
    n_labels: int = 1
    of_labels: str = ""

    @property
    def form(self) -> Form:
        """How bars are drawn: columns if their labels have room beside each other."""
        room = sum(display_width(name) + APART for name in self.names)
        if room * OF_DIGIT <= AXIS * WIDTH:
            return "narrow"
        return "wide" if room * OF_SMALL_DIGIT <= AXIS * WHOLE_WIDTH else "flat"

    @property
    def width(self) -> int:
        """Width in pixels."""
        return WHOLE_WIDTH if self.kind == "bars" and self.form == "wide" else WIDTH

    @property
    def height(self) -> int:
        """Height in pixels."""
        has_rows = self.kind == "forest" or self.form == "flat"
        line = LINE_HEIGHT if len(self.names) <= MANY else TIGHT
        return max(line * len(self.names) * has_rows + ABOVE + BELOW, HEIGHT)

    @property
    def spoken(self) -> str:
        """What is told to those who do not see it."""
        what = "Forest plot" if self.kind == "forest" else "Bar chart"
        return f"{what}: {self.title}. The sheet Chart data, which is hidden, has its figures."

    @property
    def n_rows(self) -> int:
        """Rows of cells that the chart covers, and one free below."""
        return math.ceil(self.height / LINE_HEIGHT) + 1


def laid_out(charts: Sequence[Chart]) -> list[tuple[Chart, int, int]]:
    """Place charts side by side as far as they fit; with row of cells and pixels from the left."""
    found: list[tuple[Chart, int, int]] = []
    row = left = deepest = 0
    for chart in charts:
        if left + chart.width > WHOLE_WIDTH:
            row, left, deepest = row + deepest, 0, 0
        found.append((chart, row, left))
        left, deepest = left + chart.width + BESIDE, max(deepest, chart.n_rows)
    return found


SheetKind: TypeAlias = Literal["table", "matrix", "confusion", "text", "list", "lead"]


@dataclass(frozen=True, eq=False)
class Sheet:
    """One worksheet: a frame, and how to show it.

    Parameters
    ----------
    name : str
        Wanted name of the worksheet; `sheet_names` makes it valid and unique.
    frame : DataFrame
        What to show. Column names of `pdkappa.present.schema` bring their number formats.
    title : str
        Heading in the first cell.
    notes : tuple of str, default ()
        Short lines below the table.
    kind : {"table", "matrix", "confusion", "text", "list"}, default "table"
        A table has one number format a column. A matrix is coloured by value, its undefined
        cells are grey. A confusion matrix has its first rater in the rows, named by the index,
        and its second in the columns, named by the columns' name. Text is wrapped, and rows with
        nothing but a first cell are headings. A list has a number format for what each row is
        labelled; texts in its last column stick out to the right. A lead is one column: a figure
        in large type, then lines of text that stick out. Neither of these has headings where the
        columns only count.
    emphasis : tuple of hashable, default ()
        Row labels, of the last level if there are several, to be set apart as totals; in a
        confusion matrix column labels as well.
    index : bool, optional
        Whether the row labels are shown. By default a matrix shows them, text does not, and a
        table does unless they only count the rows.
    stat : str, default "estimate"
        Column of the schema that the cells of a matrix hold.
    parts : tuple of Sheet, default ()
        More tables below this one, on the same worksheet; their names do not count, unless they
        have a `key` of their own. Parts have parts.
    charts : tuple of Chart, default ()
        Pictures side by side, below the table.
    headings : mapping of label to str, default {}
        What stands above columns and row labels, where it is not their name.
    folded : bool, default False
        Whether the rows are folded away until the reader opens them.
    folded_columns : tuple of int, default ()
        Columns of the frame that are.
    hidden : bool, default False
        Whether the worksheet is shown only to those who ask for it.
    key : hashable, optional
        What formulas and links call the sheet; by default its name. The first of a key counts.
    formulas : mapping of (int, int) to Formula, default {}
        Row and column of cells of the frame that are computed in the workbook. What the frame
        holds there is the value until then.
    links : mapping of (int, int) to hashable, default {}
        Row and column of cells of the frame that lead to another sheet, and its key. An empty
        cell leads nowhere.
    group : str, default ""
        The group that a confusion table is of, in words.
    machines : tuple of label, default ()
        Raters in it that are machines.
    """

    name: str
    frame: pd.DataFrame
    title: str
    notes: tuple[str, ...] = ()
    kind: SheetKind = "table"
    emphasis: tuple[Hashable, ...] = ()
    index: bool | None = None
    stat: str = "estimate"
    parts: tuple[Sheet, ...] = ()
    charts: tuple[Chart, ...] = ()
    headings: Mapping[Hashable, str] = field(default_factory=dict)
    folded: bool = False
    folded_columns: tuple[int, ...] = ()
    hidden: bool = False
    key: Hashable = None
    formulas: Mapping[tuple[int, int], Formula] = field(default_factory=dict)
    links: Mapping[tuple[int, int], Hashable] = field(default_factory=dict)
    group: str = ""
    machines: tuple[Hashable, ...] = ()

    @property
    def called(self) -> Hashable:
        """What formulas and links call the sheet."""
        return self.name if self.key is None else self.key


def sheets_of(
    frames: Mapping[str, pd.DataFrame], line: str, remarks: Sequence[str], told: Mapping[str, Any]
) -> list[Sheet]:
    """Make a sheet of each table of a result, headed in plain words, and one that explains them.

    Of several tables those without rows are left out.
    """
    groups = told.get("by")
    by = [groups, *(groups if isinstance(groups, list) else [])]  # a tuple is a list in JSON
    made: list[Sheet] = []
    named: list[Hashable] = []
    shown = {name: one for name, one in frames.items() if len(one) or len(frames) == 1}
    for name, frame in shown.items():
        columns = () if is_matrix(frame) else frame.columns
        levels = [one for one in frame.index.names if one not in frame.attrs.get("raters", ())]
        own = [one for one in (*columns, *levels) if as_json(one) in by or is_known(one)]
        headings: dict[Hashable, str] = {one: heading_of(one) for one in own}
        named += own
        said = () if made else remarks
        is_square = is_matrix(frame) and has_coefficients(frame)
        made.append(
            Sheet(
                name[:1].upper() + name[1:].rpartition(".")[2].replace("_", " "),
                frame.set_axis(spoken_rows(frame.index)),
                name[:1].upper() + name[1:].replace("_", " "),
                tuple(filter(None, (*said, line))),
                kind="matrix" if is_square else "table",
                headings=headings,
            )
        )
    rows = [
        ("Options", ""),
        *((heading_of(name), in_words(name, value)) for name, value in told.items()),
        ("Columns", ""),
        *((heading_of(name), text) for name, text in schema.definitions(named)),
    ]
    explained = pd.DataFrame(rows, columns=["item", "text"], dtype=object)
    headings = {"item": "Word", "text": "Meaning"}
    return [*made, Sheet("Notes", explained, "Notes", kind="text", index=False, headings=headings)]


WIDE, OF_TITLE = 115, 90  # characters of a line of text


def lead_sheet(found: Findings) -> Sheet:
    """Say what was found, each sentence in lines of its own."""
    return Sheet(
        "Summary",
        pd.DataFrame([[line] for line in lead_lines(found)], dtype=object),
        wrapped(found.subject, OF_TITLE)[0],
        kind="list",
        index=False,
        key=("cover",),
    )


def lead_lines(found: Findings) -> Iterator[str]:
    """Break what was found into lines."""
    for one in found.above:
        yield from wrapped(f"READ THIS FIRST: {one.first}", WIDE)
    yield from wrapped(found.headline, WIDE)
    for finding in found.told:
        yield from wrapped(f"\N{BULLET} {finding.sentence}", WIDE)
    for one in found.below:
        yield from wrapped(f"! {one.first}", WIDE)
    more = f"{found.n_more} more {plural(found.n_more, 'caution')}: see Notes"
    more = f" \N{MIDDLE DOT} {more}" if found.n_more else ""
    yield from wrapped(f"{found.basis}{more}", WIDE)


def wrapped(text: str, most: int) -> list[str]:
    """Break a text into lines of some width."""
    shown = visible(text)
    width = int(most * len(shown) / max(display_width(shown), 1))
    return textwrap.wrap(shown, min(max(width, 1), most)) or [""]


def is_known(name: Hashable) -> bool:
    """Whether a column is one of the vocabulary."""
    return isinstance(name, str) and name in schema.COLUMNS


def totals_in(labels: pd.Index[Any], emphasis: Sequence[Hashable]) -> BoolArray:
    """Find the totals among labels; where something else is called so too, they stand below it.

    >>> totals_in(pd.Index(["random", "x", "mean", "random"]), ["mean", "random"]).tolist()
    [False, False, True, True]
    """
    return labels.get_level_values(-1).isin(list(emphasis)) & ~labels.duplicated(keep="last")


def progress_of(progress: object, unit: str = "resample") -> Callable[[int, int], object] | None:
    """Return what is told how many of how many units are done.

    True draws a bar with tqdm.
    """
    if callable(progress):
        return progress
    if progress is False:
        return None
    if progress is not True:
        raise OptionError(
            f"progress must be True, False or a function of (done, total), got {shown(progress)}."
        )
    with needed_for("progress=True", "tqdm", "'pdkappa[progress]'"):
        from tqdm import tqdm
    bar = tqdm(unit=unit)

    def report(done: int, total: int) -> None:
        bar.total = total
        bar.update(done - bar.n)
        if done >= total:
            bar.close()

    return report
