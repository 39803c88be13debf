"""Frames -> tables and drawings in HTML, within what a page can hold."""

from __future__ import annotations

import math
import re
from typing import TYPE_CHECKING, Any, NamedTuple
from unicodedata import east_asian_width

import pandas as pd

from pdkappa.present import schema
from pdkappa.present.labels import (
    OF_ROWS,
    ROWS,
    heading_of,
    reason_in_words,
    rounded,
    shortened,
    visible,
)
from pdkappa.present.sheets import content, flag, totals_in
from pdkappa.present.text_cells import limits_in
from pdkappa.present.text_markup import UNDEFINED, has_default_rows, with_interval

if TYPE_CHECKING:
    from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence

    from pdkappa.present.sheets import Sheet

SHORT = 15  # rows of a long one that are shown until all are asked for
MOST_SHORT = 20  # rows that are shown at once


class Cell(NamedTuple):
    """What stands in one cell."""

    text: str  # what is seen, rounded
    value: str = ""  # the full value of a number that was rounded or grouped for show
    # Classes: ``n`` number, ``none`` undefined, ``h0`` to ``h9`` and ``m0`` to ``m3`` colours,
    # ``same`` the diagonal, ``sum`` a total.
    css: str = ""
    title: str = ""  # what the cell tells when it is pointed at


class PageRow(NamedTuple):
    """One row, its labels before the others."""

    labels: list[Cell]
    cells: list[Cell]


class Table(NamedTuple):
    """One table of a page.

    Long ones show some rows until all are asked for. So do wide ones with their columns: cells of
    the class ``later`` wait everywhere, those of ``wide`` on a phone.
    """

    caption: str
    header: list[Cell]  # the names of the columns, those of the labels first
    above: str  # what the columns have in common, written above their names
    # The body, which can be sorted, and the rows that stay at the end.
    rows: list[PageRow]
    foot: list[PageRow]
    notes: list[str]  # sentences below the table
    sortable: bool = True
    # Which rows and columns are shown at first on a desk and on a phone; empty if all are.
    more: str = ""
    on_phones: str = ""
    css: str = ""  # classes: ``dense`` if a phone shows colours only, ``solid`` if any screen does
    untitled: bool = False  # whether the caption is for those who do not see the heading above it
    first: int = SHORT  # how many rows of a long one are shown at first

    @property
    def is_long(self) -> bool:
        """Whether some rows wait until all are asked for."""
        return len(self.rows) > max(self.first, MOST_SHORT)

    @property
    def shortest(self) -> int:
        """How many rows are shown at first."""
        return self.first if self.is_long else len(self.rows)


DESK, PHONE = 140, 41  # characters that stand side by side in 1,280 and 360 pixels
AROUND = {DESK: 2.5, PHONE: 1.4}  # a text, in characters
ARROW = 2  # of a heading that sorts
LONGEST, LONGEST_ON_PHONES = 32, 18  # texts beyond are broken into lines
MOST_SHOWN = 10  # columns, beyond which a table is not read but searched

# What a reader looks for first, and what last; all else is in between, in its order.
FIRST = ("estimate", "qwk", "dsm", "rater_b", "difference", "effect", "value", "verdict", "n_items")
LAST = frozenset(
    {
        *("z", "fisher_z", "se_fisher_z", "n_categories", "n_raters", "n_ratings", "df", "q"),
        *("told", "n_clipped", "n_undefined", "weight", "gain", "share", "expected_agreement"),
        *("light_without", "se_effect", "prediction_low", "prediction_high", "bias", "version"),
        *("p_value", "n_machine_pairs", "n_human_pairs", "abs_difference", "tau2", "n_groups"),
    }
)


def fitted(table: Table, names: Sequence[Hashable], n_labels: int) -> Table:
    """Mark the columns for which a desk or a phone is too narrow, and say what there is to ask for.

    Parameters
    ----------
    table : Table
        All of it.
    names : list of hashable, length M
        The names of its columns in the frame, those of the labels first.
    n_labels : int
        How many are labels of rows, which always stay.
    """
    cells = [[*row.labels, *row.cells] for row in (*table.rows, *table.foot)]
    columns = list(zip(table.header, *cells, strict=True))
    order = sorted(range(len(names)), key=lambda j: (j >= n_labels, _rank(names[j]), j))
    shown = {
        limit: _shown(columns, order, n_labels, limit, longest)
        for limit, longest in ((DESK, LONGEST), (PHONE, LONGEST_ON_PHONES))
    }
    css = [
        "" if j in shown[PHONE] else "wide" if j in shown[DESK] else "later"
        for j in range(len(names))
    ]
    return table._replace(
        header=_marked(table.header, css),
        rows=[_row(row, css) for row in table.rows],
        foot=[_row(row, css) for row in table.foot],
        more=_told(table, len(shown[DESK]), len(names)),
        on_phones=_told(table, len(shown[DESK] & shown[PHONE]), len(names)),
    )


def _told(table: Table, n_shown: int, n_columns: int) -> str:
    """Say which rows and columns are shown at first; nothing if all are."""
    told = [f"{table.shortest} of {len(table.rows)} rows"] if table.is_long else []
    if n_shown < n_columns:
        told.append(f"{n_shown} of {n_columns} columns")
    return ", ".join(told)


def width_of(text: str) -> int:
    r"""Count the places of a text in a line, two for a character of East Asia.

    >>> width_of("kappa"), width_of("\u662f\u5426")
    (5, 4)
    """
    return sum(2 if east_asian_width(one) in "WF" else 1 for one in text)


def _rank(name: Hashable) -> int:
    """Tell how early a column is shown."""
    if name in FIRST:
        return FIRST.index(name)
    return len(FIRST) + (name in LAST)


def _shown(
    columns: Sequence[Sequence[Cell]], order: Sequence[int], n_labels: int, limit: int, longest: int
) -> set[int]:
    """Choose the columns that fit side by side, the most wanted first."""
    shown, used = set(order[: n_labels + 1]), 0.0
    for place, j in enumerate(order):
        used += _width(columns[j], longest) + AROUND[limit]
        if place > n_labels and (used > limit or len(shown) == MOST_SHOWN):
            break
        shown.add(j)
    return shown


def _width(column: Sequence[Cell], longest: int) -> int:
    """Estimate the width of a column in characters; headings may be broken between words."""
    head, *cells = column
    words = max((width_of(word) for word in head.text.split(" ")), default=0) + ARROW
    texts = max((min(width_of(cell.text), longest) for cell in cells), default=0)
    return max(words, texts)


def _row(row: PageRow, css: Sequence[str]) -> PageRow:
    """Mark the cells of a row."""
    n = len(row.labels)
    return row._replace(labels=_marked(row.labels, css[:n]), cells=_marked(row.cells, css[n:]))


def _marked(cells: Sequence[Cell], css: Sequence[str]) -> list[Cell]:
    """Add classes to those that cells have."""
    return [
        one._replace(css=f"{one.css} {more}".strip()) if more else one
        for one, more in zip(cells, css, strict=True)
    ]


MOST_ROWS = 500  # of one table on a page
FORMATS: dict[schema.Kind, str] = {"z": "z.2f", "p": "z.4f", "difference": ".0e"}
DECIMALS = 3  # of a measure; more where all are small
MOST_TEXT = 240  # characters of a text that are shown
LONG, MID = 32, 16  # characters of a text that may be broken into lines, there or on a phone
LONGEST_LABEL = 22  # characters of a label beside many others
NBSP = "\N{NO-BREAK SPACE}"
WHOLE = "All of it is in .tables of the report."


def number(value: Any, kind: schema.Kind, decimals: int = DECIMALS) -> Cell:
    """Show a number as its kind is shown, and keep the full value.

    >>> number(0.73812, "agreement")
    Cell(text='0.74', value='0.73812', css='n', title='0.73812')
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
        text = rounded(value)
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
    return Cell(text, css="long" if len(text) > LONG else "mid" if len(text) > MID else "")


def short_labels(values: Sequence[Hashable]) -> list[Cell]:
    """Show labels beside each other, of long ones a part that tells them apart."""
    cells = [label(one) for one in values]
    texts = shortened([one.text for one in cells], LONGEST_LABEL)
    return [
        one if text == one.text else Cell(text, css="mid", title=one.title or one.text)
        for one, text in zip(cells, texts, strict=True)
    ]


def heading(name: Hashable, between: str = "") -> Cell:
    """Show the name of a column, with its meaning if it is known, and what its limits are."""
    parts = name if isinstance(name, tuple) else (name,)
    known = schema.COLUMNS.get(name) if isinstance(name, str) else None
    if known is None:
        return Cell(" / ".join(label(part).text for part in parts))
    numeric = known.kind not in {"label", "text", "flag"}
    text = heading_of(name)
    text = f"{text} [{between.replace(' ', NBSP)}]" if between else text
    return Cell(text, css="n" if numeric else "", title=known.meaning)


def row_heading(name: Hashable) -> Cell:
    """Show what stands above the labels of rows, such as the column of the groups."""
    if name is None:
        return Cell("")
    return heading(name) if name in schema.COLUMNS else label(heading_of(name))


def plain_table(sheet: Sheet, level: str = "", *, first: int = SHORT) -> Table:
    """Show a frame with a row for each of its rows, totals last; a note tells what is left out.

    Limits at the confidence level, in words, stand in the cell of what they are the limits of.
    """
    frame = sheet.frame
    if sheet.name in TESTS:
        frame = frame.rename(index=TESTS[sheet.name])
    reasons = reasons_in(frame)
    if "reason" in frame and not reasons:
        frame = frame.drop(columns="reason")
    if "remark" in frame and frame["remark"].eq("").all():
        frame = frame.drop(columns="remark")
    totals = totals_in(frame.index, sheet.emphasis)
    body, foot = frame[~totals], frame[totals]
    notes = [*left_out(len(body), MOST_ROWS), *sheet.notes, *_tally(frame), *reasons]
    indexed = not has_default_rows(frame) if sheet.index is None else sheet.index
    limits = limits_in(schema.COLUMNS.keys() & set(frame.columns))
    sides = {side for pair in limits.values() for side in pair}
    columns = [name for name in frame.columns if name not in sides]
    levels = [*frame.index.names] if indexed else []
    between = level or "CI"
    heads = [row_heading(one) for one in levels]
    heads += [heading(one, between * (one in limits)) for one in columns]
    table = Table(
        sheet.title,
        _short_heads(heads),
        "",
        _rows(body.head(MOST_ROWS), columns, limits, indexed=indexed),
        _rows(foot.head(MOST_ROWS), columns, limits, indexed=indexed, totals=True),
        notes,
        first=first,
    )
    told = {one for one in columns if one in frame and _is_told(frame[one])}
    names = ["told" if one in told else one for one in (*levels, *columns)]
    return fitted(table, names, frame.index.nlevels if indexed else 1)


def _is_told(column: pd.Series[Any]) -> bool:
    """Whether a column has sentences, which are read elsewhere."""
    is_text = not pd.api.types.is_numeric_dtype(column.dtype)
    longest = max((len(str(one)) for one in column), default=0) if is_text else 0
    return longest > LONG and column.name in schema.COLUMNS


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
    return [f"{reason_in_words(code)}: {schema.REASONS[code]}" for code in codes]


def _short_heads(heads: list[Cell]) -> list[Cell]:
    """Shorten long headings that are the names of raters."""
    texts = shortened([one.text for one in heads], LONG)
    return [
        one if one.title or text == one.text else one._replace(text=text, title=one.text)
        for one, text in zip(heads, texts, strict=True)
    ]


def _rows(
    frame: pd.DataFrame,
    columns: Iterable[Any],
    limits: Mapping[Any, tuple[str, str]],
    *,
    indexed: bool,
    totals: bool = False,
) -> list[PageRow]:
    """Turn the rows of a frame into rows of cells; without an index the first cell is the label."""
    cells = [
        _with_limits(frame[[name, *limits[name]]], schema.kind_of(name))
        if name in limits
        else _column(frame[name], schema.kind_of(name))
        for name in columns
    ]
    if indexed:
        labels = [[label(one) for one in names] for names in _labels(frame.index, totals=totals)]
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
    missing = Cell(
        UNDEFINED, css="n none" if pd.api.types.is_numeric_dtype(values.dtype) else "none"
    )
    if values.name in SPOKEN:
        spoken = SPOKEN[values.name]
        return [missing if pd.isna(one) else label(spoken(str(one))) for one in values]
    gone = values.isna()  # of a list, no
    return [missing if no else label(one) for one, no in zip(values, gone, strict=True)]


def _in_words(name: str) -> str:
    """Say what a figure is called.

    >>> _in_words("max_estimate"), _in_words("light"), _in_words("observed_agreement")
    ('Largest possible', "Light's kappa", 'Observed agreement')
    """
    known = heading_of(name) if name in schema.COLUMNS else name.replace("_", " ")
    return ROWS.get(name, known)


def without_codes(text: str) -> str:
    """Put the names of reasons and figures in a text into words.

    >>> without_codes("left out: n_lt_2; clipped to 0.999 in fisher_mean; essay_set 3")
    'left out: n < 2; clipped to 0.999 in Fisher-z mean; essay_set 3'
    """

    def spoken(found: re.Match[str]) -> str:
        name = found.group()
        return reason_in_words(name) if name in schema.REASONS else _in_words(name)

    return KNOWN.sub(spoken, text)


def _with_limits(frame: pd.DataFrame, kind: schema.Kind) -> list[Cell]:
    """Turn a column and those of its limits into cells."""
    digits = 2 if kind == "agreement" else _decimals(frame.iloc[:, 0])
    cells = []
    for value, low, high in frame.to_numpy(dtype=float, na_value=math.nan).tolist():
        text = with_interval(value, low, high, digits=digits)
        full = "" if math.isnan(low) or math.isnan(high) else f" [{low!r}, {high!r}]"
        cell = number(value, kind, digits)
        cells.append(
            cell if cell.text == UNDEFINED else Cell(text, repr(value), "n", f"{value!r}{full}")
        )
    return cells


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


def _labels(index: pd.Index[Any], *, totals: bool) -> list[tuple[Any, ...]]:
    """List the labels of all rows, one for each level, and coefficients and means in words."""
    known = [ROWS if name in OF_ROWS else {} for name in index.names]
    if totals:
        known[-1] = ROWS
    rows = index if isinstance(index, pd.MultiIndex) else [(one,) for one in index]
    return [
        tuple(words.get(one, one) for words, one in zip(known, labels, strict=True))
        for labels in rows
    ]


def _tally(frame: pd.DataFrame) -> list[str]:
    """Count the figures of other packages that are the same."""
    if "agrees" not in frame:
        return []
    compared = frame["agrees"].dropna()
    return [f"{compared.sum():,} of {len(compared):,} figures are the same up to rounding error."]


# Columns whose values are names of ours, and how these are spoken.
SPOKEN: dict[Hashable, Callable[[str], str]] = {
    "statistic": _in_words,
    "reason": reason_in_words,
    "remark": without_codes,
    "weights": lambda name: "unweighted" if name == "none" else name,
}

# The same of single sheets.
TESTS: dict[str, dict[Hashable, str]] = {
    "equality": {
        "fisher_z": "on Fisher's z scale",
        "kappa": "on the scale of kappa",
        "donner_eliasziw_klar": "of two categories (Donner, Eliasziw, Klar)",
    },
    "stratified": {
        "equal": "mean, equal weights",
        "size": "mean, weights by items",
        "inverse_variance": "mean, inverse variance",
        "within": "within the groups",
        "crude": "crude: all items together",
    },
}
CODES = [name for name in map(str, (*schema.REASONS, *ROWS, "fisher_z")) if "_" in name]
KNOWN = re.compile(rf"\b({'|'.join(CODES)})\b")
