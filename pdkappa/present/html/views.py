"""One frame → the rows and cells of a table on a page, within what a page can hold."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any, NamedTuple

import pandas as pd

from pdkappa.present import schema
from pdkappa.present.excel.cells import content, flag
from pdkappa.present.excel.sheets import totals_in
from pdkappa.present.labels import groups_of, rounded, visible
from pdkappa.present.text.figures import UNDEFINED, has_default_rows

if TYPE_CHECKING:
    from collections.abc import Hashable, Iterable, Mapping

    from pdkappa.present.excel.sheets import Sheet

MOST_ROWS = 500  # of one table on a page
MOST_COLUMNS = 100  # of a matrix
MOST_MATRICES = 60  # of groups
STEPS = 10  # of the colours from 0 to 1
STEPS_BELOW = 4  # of those from 0 to -1
FORMATS: dict[schema.Kind, str] = {
    "z": "z.2f",
    "p": "z.4f",
    "difference": ".0e",
}
DECIMALS = 3  # of a measure; more where all are small
MOST_TEXT = 240  # characters of a text that are shown
LONG = 32  # characters of a text that may be broken into lines
WHOLE = "All of it is in .tables of the report."


class Cell(NamedTuple):
    """What stands in one cell.

    Attributes
    ----------
    text : str
        What is seen, rounded.
    value : str
        The full value of a number that was rounded or grouped for show.
    css : str
        Classes: ``n`` number, ``none`` undefined, ``h0`` to ``h9`` and ``m0`` to ``m3``
        colours, ``same`` the diagonal, ``sum`` a total.
    title : str
        What the cell tells when it is pointed at.
    """

    text: str
    value: str = ""
    css: str = ""
    title: str = ""


class PageRow(NamedTuple):
    """One row."""

    labels: list[Cell]
    cells: list[Cell]


class Table(NamedTuple):
    """One table of a page.

    Attributes
    ----------
    caption : str
    header : list of Cell
        The names of the columns, those of the labels first.
    above : str
        What the columns have in common, written above their names.
    rows, foot : list of PageRow
        The body, which can be sorted, and the rows that stay at the end.
    notes : list of str
        Sentences below the table.
    sortable : bool
    """

    caption: str
    header: list[Cell]
    above: str
    rows: list[PageRow]
    foot: list[PageRow]
    notes: list[str]
    sortable: bool = True


def number(value: Any, kind: schema.Kind, decimals: int = DECIMALS) -> Cell:
    """Show a number as its kind is shown, and keep the full value.

    >>> number(0.73812, "agreement")
    Cell(text='0.738', value='0.73812', css='n', title='0.73812')
    >>> number(0.00001, "p").text, number(12000, "count").text
    ('<0.0001', '12,000')
    """
    if pd.isna(value):
        return Cell(UNDEFINED, css="n none")
    full = repr(float(value)) if isinstance(value, float) else str(value)
    if kind == "p" and value < schema.LEAST_P:
        text = f"<{schema.LEAST_P}"
    elif math.isinf(value):
        text = str(value)
    elif kind == "count":
        text = count(value)
    elif kind == "agreement":
        text = rounded(value, DECIMALS)
    else:
        text = format(value, FORMATS.get(kind, f"z.{decimals}f"))
    full = full.removesuffix(".0")
    return Cell(text, css="n") if text == full else Cell(text, full, "n", full)


def count(value: float) -> str:
    """Write a number of items, which weights may have made a fraction.

    >>> count(12000.0), count(36.514)
    ('12,000', '36.51')
    """
    return f"{value:,.0f}" if float(value).is_integer() else f"{value:,.2f}"


def label(value: object) -> Cell:
    """Show a label or a text in one line; what is cut of a long one is told when pointed at."""
    known = content(value)
    if isinstance(known, int | float):
        return Cell(f"{known:.15g}", css="n")
    text = "" if known is None else visible(" ".join(str(known).split()))
    if len(text) > MOST_TEXT:
        return Cell(f"{text[:MOST_TEXT].rstrip()} …", text, "long", text)
    return Cell(text, css="long" if len(text) > LONG else "")


def heading(name: Hashable) -> Cell:
    """Show the name of a column, with its meaning if it is known."""
    parts = name if isinstance(name, tuple) else (name,)
    known = schema.COLUMNS.get(name) if isinstance(name, str) else None
    if known is None:
        return Cell(" / ".join(label(part).text for part in parts))
    numeric = known.kind not in {"label", "text", "flag"}
    return Cell(str(name).replace("_", " "), css="n" if numeric else "", title=known.meaning)


def shade(value: float) -> str:
    """Choose the colour of a value in [-1, 1].

    >>> shade(0.0), shade(0.99), shade(1.0), shade(-0.3), shade(float("nan"))
    ('h0', 'h9', 'h9', 'm1', 'none')
    """
    if math.isnan(value):
        return "none"
    if value < 0:
        return f"m{min(int(-value * STEPS_BELOW), STEPS_BELOW - 1)}"
    return f"h{min(int(value * STEPS), STEPS - 1)}"


def plain_table(sheet: Sheet, *, most: int = MOST_ROWS) -> Table:
    """Show a frame with a row for each of its rows, totals last; a note tells what is left out."""
    frame = sheet.frame
    reasons = reasons_in(frame)
    if "reason" in frame and not reasons:
        frame = frame.drop(columns="reason")
    if "remark" in frame and frame["remark"].eq("").all():
        frame = frame.drop(columns="remark")
    totals = totals_in(frame.index, sheet.emphasis)
    body, foot = frame[~totals], frame[totals]
    notes = [*left_out(len(body), most), *sheet.notes, *_tally(frame), *reasons]
    indexed = not has_default_rows(frame) if sheet.index is None else sheet.index
    names = [*(frame.index.names if indexed else ()), *frame.columns]
    columns = frame.columns
    return Table(
        sheet.title,
        [heading("row" if name is None else name) for name in names],
        "",
        _rows(body.head(most), columns, indexed=indexed),
        _rows(foot.head(most), columns, indexed=indexed),
        notes,
    )


def left_out(n: int, most: int, what: str = "rows") -> list[str]:
    """Tell what is not shown."""
    if n <= most:
        return []
    return [f"The first {most:,} of {n:,} {what} are shown. {WHOLE}"]


def reasons_in(frame: pd.DataFrame) -> list[str]:
    """Explain the reasons that occur in a frame."""
    if "reason" not in frame:
        return []
    codes = [code for code in frame["reason"].dropna().unique() if code in schema.REASONS]
    return [f"{code}: {schema.REASONS[code]}" for code in codes]


def matrix_tables(sheet: Sheet, pairs: pd.DataFrame | None = None) -> list[Table]:
    """Show a square of raters as a heat map, one for each group.

    The frame of pairs has the reasons of what is undefined.
    """
    frame = sheet.frame
    why = {} if pairs is None else _reasons_of_pairs(pairs)
    if frame.index.nlevels == 1:
        return [_matrix(frame, sheet.title, (), why, schema.kind_of(sheet.stat))]
    names = frame.index.names[:-1]
    n_raters = frame.shape[1]
    tables = []
    for first in range(0, min(len(frame), MOST_MATRICES * n_raters), n_raters):
        part = frame.iloc[first : first + n_raters]
        group = part.index[0][:-1]
        title = ", ".join(f"{name} {one}" for name, one in zip(names, group, strict=True))
        part = part.set_axis(part.index.get_level_values(-1))
        tables.append(_matrix(part, title, group, why, schema.kind_of(sheet.stat)))
    return tables


def confusion_table(sheet: Sheet) -> Table:
    """Show the counts of a pair of raters, the darker the more items."""
    frame = sheet.frame
    inner = frame.loc[~frame.index.isin(sheet.emphasis), ~frame.columns.isin(sheet.emphasis)]
    largest = float(inner.to_numpy(float).max(initial=0)) or 1.0
    rows: list[PageRow] = []
    foot: list[PageRow] = []
    for name, values in zip(frame.index, frame.to_numpy().tolist(), strict=True):
        total = name in sheet.emphasis
        cells = [
            _count(value, largest, same=name == other, total=total or other in sheet.emphasis)
            for other, value in zip(frame.columns, values, strict=True)
        ]
        (foot if total else rows).append(PageRow([label(name)], cells))
    header = [label(frame.index.name), *map(label, frame.columns)]
    above = label(frame.columns.name).text
    return Table(sheet.title, header, above, rows, foot, [], sortable=False)


def _rows(frame: pd.DataFrame, columns: Iterable[Any], *, indexed: bool) -> list[PageRow]:
    """Turn the rows of a frame into rows of cells; without an index the first cell is the label."""
    cells = [_column(frame[name], schema.kind_of(name)) for name in columns]
    if indexed:
        labels = [[label(one) for one in names] for names in _labels(frame.index)]
    else:
        labels, cells = [[cell] for cell in cells[0]], cells[1:]
    values = list(zip(*cells, strict=True)) or [()] * len(labels)
    return [PageRow(names, list(row)) for names, row in zip(labels, values, strict=True)]


def _column(values: pd.Series[Any], kind: schema.Kind) -> list[Cell]:
    """Turn a column into cells."""
    if not pd.api.types.is_numeric_dtype(values.dtype):  # whatever the column is called
        kind = "flag" if kind == "flag" else "label"
    if kind == "flag":
        return [_yes_or_no(value) for value in values]
    if kind == "measure" or (kind == "label" and _has_fractions(values)):
        decimals = _decimals(values)
        return [number(value, kind, decimals) for value in values.tolist()]
    if kind in {*FORMATS, "agreement", "count"}:
        return [number(value, kind) for value in values.tolist()]
    return [Cell(UNDEFINED, css="none") if pd.isna(one) else label(one) for one in values]


def _yes_or_no(value: object) -> Cell:
    """Show a flag."""
    text = flag(value)
    return Cell(UNDEFINED, css="none") if text is None else Cell(str(text))


def _has_fractions(values: pd.Series[Any]) -> bool:
    """Whether a column holds numbers that are not all whole."""
    return pd.api.types.is_float_dtype(values.dtype) and bool((values.dropna() % 1 != 0).any())


def _decimals(values: pd.Series[Any]) -> int:
    """Choose the decimals that leave two digits or more of the largest value."""
    largest = values.abs().max()
    small = 0 < largest < math.inf
    return max(DECIMALS, 1 - math.floor(math.log10(largest))) if small else DECIMALS


def _labels(index: pd.Index[Any]) -> list[tuple[Any, ...]]:
    """List the labels of all rows, one for each level."""
    return [one if isinstance(index, pd.MultiIndex) else (one,) for one in index]


def _matrix(
    frame: pd.DataFrame,
    title: str,
    group: tuple[Hashable, ...],
    why: Mapping[tuple[Any, ...], str],
    kind: schema.Kind,
) -> Table:
    """Show the square of one group."""
    shown = frame.iloc[:MOST_COLUMNS, :MOST_COLUMNS]
    rows = [
        PageRow(
            [label(a)],
            [
                _heat(value, kind, why.get((*group, _pair(a, b))))
                for b, value in zip(shown.columns, line, strict=True)
            ],
        )
        for a, line in zip(shown.index, shown.to_numpy(float).tolist(), strict=True)
    ]
    notes = [*left_out(len(frame), MOST_COLUMNS, "raters")]
    if shown.isna().to_numpy().any():
        notes.append(f"{UNDEFINED} is undefined: the table of pairs says why.")
    header = [label(frame.index.name), *map(label, shown.columns)]
    return Table(title, header, "", rows, [], notes, sortable=False)


def _heat(value: float, kind: schema.Kind, reason: str | None) -> Cell:
    """Colour a cell of a matrix; say why it is undefined."""
    cell = number(value, kind)
    title = schema.REASONS.get(reason or "", "") if math.isnan(value) else cell.title
    css = "n none" if math.isnan(value) else f"n {shade(value)}"
    return cell._replace(css=css, title=f"{reason}: {title}" if reason and title else title)


def _count(value: float, largest: float, *, same: bool, total: bool) -> Cell:
    """Colour a cell of a confusion table by its number of items."""
    cell = number(value, "count")
    if total:
        return cell._replace(css="n sum")
    css = shade(value / largest) if value else "zero"
    return cell._replace(css=f"n {css} same" if same else f"n {css}")


def _reasons_of_pairs(pairs: pd.DataFrame) -> dict[tuple[Any, ...], str]:
    """Look up why the coefficient of a pair (in a group) is undefined."""
    undefined = pairs[pairs["estimate"].isna()]
    rows = zip(*(undefined[name] for name in ("rater_a", "rater_b", "reason")), strict=True)
    return {
        (*group, _pair(a, b)): reason
        for group, (a, b, reason) in zip(groups_of(undefined), rows, strict=True)
    }


def _pair(a: Hashable, b: Hashable) -> frozenset[Hashable]:
    """Name a pair of raters whatever their order."""
    return frozenset((a, b))


def _tally(frame: pd.DataFrame) -> list[str]:
    """Count the figures of other packages that are the same."""
    if "agrees" not in frame:
        return []
    compared = frame["agrees"].dropna()
    return [f"{compared.sum():,} of {len(compared):,} figures are the same up to rounding error."]
