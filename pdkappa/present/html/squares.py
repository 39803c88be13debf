"""Squares of raters or of categories → tables of coloured cells."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

from pdkappa.present import schema
from pdkappa.present.html.cells import Cell, PageRow, Table
from pdkappa.present.html.views import label, left_out, number, row_heading, short_labels
from pdkappa.present.labels import group_in_words, groups_of, reason_in_words
from pdkappa.present.text.figures import UNDEFINED

if TYPE_CHECKING:
    from collections.abc import Hashable, Mapping

    import pandas as pd

    from pdkappa.present.excel.sheets import Sheet

MOST_COLUMNS = 100  # of a matrix
MOST_MATRICES = 60  # of groups
MOST_NAMED = 8  # columns of a matrix with their names; more have numbers
LONGEST_HEAD, LONGEST_HEADS = 6, 36  # characters of one and of all of a confusion table, likewise
DENSE, SOLID = 6, 30  # columns, beyond which a phone, or any screen, shows colours only
DENSE_COUNTS, SOLID_COUNTS = 12, 45  # the same of confusion tables
STEPS = 10  # of the colours from 0 to 1
STEPS_BELOW = 4  # of those from 0 to -1


def matrix_tables(sheet: Sheet, pairs: pd.DataFrame | None = None) -> list[Table]:
    """Show a square of raters as a heat map, one for each group.

    The frame of pairs has the reasons of what is undefined.
    """
    frame = sheet.frame
    why = {} if pairs is None else _reasons_of_pairs(pairs)
    if frame.index.nlevels == 1:
        one = _matrix(frame, sheet.title, (), why, schema.kind_of(sheet.stat))
        return [one._replace(untitled=True)]
    names = frame.index.names[:-1]
    n_raters = frame.shape[1]
    tables = []
    for first in range(0, min(len(frame), MOST_MATRICES * n_raters), n_raters):
        part = frame.iloc[first : first + n_raters]
        group = part.index[0][:-1]
        title = group_in_words(names, group)
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
    names, heads = short_labels(list(frame.index)), short_labels(list(frame.columns))
    lengths = [len(one.text) for one in heads]
    if max(lengths, default=0) > LONGEST_HEAD and sum(lengths) > LONGEST_HEADS:
        names, heads = _numbered(names, heads, len(heads) - len(inner.columns))
    for name, shown, values in zip(frame.index, names, frame.to_numpy().tolist(), strict=True):
        total = name in sheet.emphasis
        cells = [
            _count(value, largest, same=name == other, total=total or other in sheet.emphasis)
            for other, value in zip(frame.columns, values, strict=True)
        ]
        (foot if total else rows).append(PageRow([shown], cells))
    heads = [
        one._replace(css="n sum") if name in sheet.emphasis else one
        for name, one in zip(frame.columns, heads, strict=True)
    ]
    header = [label(frame.index.name), *heads]
    above = label(frame.columns.name).text
    css = _density(len(rows), DENSE_COUNTS, SOLID_COUNTS)
    return Table(sheet.title, header, above, rows, foot, [], sortable=False, css=css)


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


def _matrix(
    frame: pd.DataFrame,
    title: str,
    group: tuple[Hashable, ...],
    why: Mapping[tuple[Any, ...], str],
    kind: schema.Kind,
) -> Table:
    """Show the square of one group."""
    shown = frame.iloc[:MOST_COLUMNS, :MOST_COLUMNS]
    names, heads = short_labels(list(shown.index)), short_labels(list(shown.columns))
    if len(names) > MOST_NAMED:
        names, heads = _numbered(names, heads)
    rows = [
        PageRow(
            [name],
            [
                _heat(value, kind, why.get((*group, _pair(a, b))), same=a == b)
                for b, value in zip(shown.columns, line, strict=True)
            ],
        )
        for name, a, line in zip(names, shown.index, shown.to_numpy(float).tolist(), strict=True)
    ]
    notes = [*left_out(len(frame), MOST_COLUMNS, "raters")]
    if shown.isna().to_numpy().any():
        notes.append(f"{UNDEFINED} is undefined: the table of pairs says why.")
    header = [row_heading(frame.index.name), *heads]
    return Table(title, header, "", rows, [], notes, sortable=False, css=_density(len(heads)))


def _numbered(
    names: list[Cell], heads: list[Cell], but_last: int = 0
) -> tuple[list[Cell], list[Cell]]:
    """Give numbers to rows and columns, but the last, and names to rows only."""
    n = len(heads) - but_last
    rows = [
        one._replace(text=f"{place} {one.text}") for place, one in enumerate(names[:n], start=1)
    ]
    columns = [
        Cell(str(place), title=one.title or one.text)
        for place, one in enumerate(heads[:n], start=1)
    ]
    return [*rows, *names[n:]], [*columns, *heads[n:]]


def _density(n_columns: int, dense: int = DENSE, solid: int = SOLID) -> str:
    """Choose the class of a table of so many columns; where there are many, colours suffice."""
    return "solid" if n_columns > solid else "dense" if n_columns > dense else ""


def _heat(value: float, kind: schema.Kind, reason: str | None, *, same: bool) -> Cell:
    """Colour a cell of a matrix, but for raters with themselves; say why it is undefined."""
    cell = number(value, kind)
    title = schema.REASONS.get(reason or "", "") if math.isnan(value) else cell.title
    css = "n none" if math.isnan(value) else "n own" if same else f"n {shade(value)}"
    if reason and title:
        title = f"{reason_in_words(reason)}: {title}"
    return cell._replace(css=css, title=title)


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
