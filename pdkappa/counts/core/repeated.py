"""Tables that are equal, of which each need be worked out only once."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Sequence

    from pdkappa._typing import BoolArray, CountArray, FloatArray, IntArray
    from pdkappa.counts.core.pairs import PairCounts

FEWEST_TIMES = 2  # that a table must occur, on average, for it to be worth while
MIX = (0x9E3779B97F4A7C15, 0xBF58476D1CE4E5B9, 0x94D049BB133111EB)  # those of SplitMix64


class Repeated(NamedTuple):
    """Tables of which many are equal.

    Attributes
    ----------
    first : ndarray of int, shape (D,)
        The first of each distinct table.
    number : ndarray of int, shape (S,)
        The place of each table among these.
    """

    first: IntArray
    number: IntArray


def repeated(counts: PairCounts, kinds: Sequence[FloatArray | BoolArray]) -> Repeated | None:
    """Find equal tables, or None if there are hardly any.

    Tables are equal if all their cells are, and their rows of all arrays of `kinds`, which have a
    row for each table, shape (S, K). They are found by a number made of all of these, and compared.
    """
    n_cells = np.bincount(counts.table, minlength=counts.n_tables)
    starts = np.cumsum(n_cells) - n_cells
    cell = counts.row.astype(np.int64) * counts.n_categories + counts.col
    value = counts.count
    number: IntArray = np.zeros(counts.n_tables, dtype=np.uint64)
    of_cells = _of_cells(cell, value)
    number[n_cells > 0] = np.add.reduceat(of_cells, starts[n_cells > 0]) if len(cell) else 0
    for kind in kinds:
        for column in kind.T:
            number = _mixed(number ^ np.ascontiguousarray(column, dtype=np.float64).view(np.uint64))
    order = np.argsort(number)
    is_new = np.diff(number[order], prepend=~number[order[:1]]) != 0
    first = order[is_new]
    if len(first) * FEWEST_TIMES > counts.n_tables:
        return None
    place = np.empty(counts.n_tables, dtype=np.int64)
    place[order] = np.cumsum(is_new) - 1
    like = first[place]
    other = starts[like] - starts
    known = Repeated(first, place)
    is_same = (n_cells[like] == n_cells).all() and all((x[like] == x).all() for x in kinds)
    if is_same:
        cells = np.arange(len(cell)) + other[counts.table]
        is_same = (cell[cells] == cell).all() and (value[cells] == value).all()
    return known if is_same else None


def taken(counts: PairCounts, tables: IntArray) -> PairCounts:
    """Return some of the tables."""
    n_cells = np.bincount(counts.table, minlength=counts.n_tables)
    starts, size = (np.cumsum(n_cells) - n_cells)[tables], n_cells[tables]
    table = np.repeat(np.arange(len(tables)), size)
    cells = np.arange(len(table)) + (starts - (np.cumsum(size) - size))[table]
    return replace(
        counts,
        table=table,
        row=counts.row[cells],
        col=counts.col[cells],
        count=counts.count[cells],
        n_tables=len(tables),
    )


def _of_cells(cell: IntArray, value: CountArray) -> IntArray:
    """Make a number of each cell and its count, which are looked up where there are few kinds."""
    most = int(value.max(initial=0)) + 1
    n_kinds = most * (int(cell.max(initial=0)) + 1)
    if value.dtype.kind != "f" and n_kinds < len(cell):
        kinds, values = np.divmod(np.arange(n_kinds), most)
        return _of_cells(kinds, values.astype(np.float64))[cell * most + value]
    number = np.ascontiguousarray(value, dtype=np.float64).view(np.uint64)
    return _mixed(_mixed(number) + cell.astype(np.uint64))


def _mixed(values: IntArray) -> IntArray:
    """Scatter whole numbers without a sign over all of 64 bits."""
    mixed = values + np.uint64(MIX[0])
    for shift, factor in ((30, MIX[1]), (27, MIX[2])):
        mixed ^= mixed >> np.uint64(shift)
        mixed *= np.uint64(factor)
    mixed ^= mixed >> np.uint64(31)
    return mixed
