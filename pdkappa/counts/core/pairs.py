"""Additive sufficient statistics: how often two raters gave each pair of categories.

Counts are kept as a list of observed cells rather than as K x K tables, so that one kernel
serves five categories and a hundred thousand labels alike, and groups, pairs of raters and
resamples are all just more tables. Counts of chunks of the data add up to those of the whole.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from pdkappa.counts.core.kernels import by_bits, by_blocks, one_by_one, raters_per_block

if TYPE_CHECKING:
    from collections.abc import Iterator

    from pdkappa._typing import BoolArray, CountArray, FloatArray, IntArray

LARGEST_SHORT = np.iinfo(np.int32).max
BLOCK = 1 << 16  # entries of an S x K margin worked on at a time
MOST_COUNTED_BY_BITS = 8  # categories up to which bits beat histograms


@dataclass(frozen=True)
class PairCounts:
    """Contingency tables of S pairs of raters over K categories, as observed cells.

    Attributes
    ----------
    table, row, col : ndarray of int, shape (C,)
        The table of each cell, the first rater's category and the second rater's; sorted
        by table, and no cell twice.
    count : ndarray of int or float, shape (C,)
        Number (or total weight) of items in each cell, greater than zero.
    n_tables : int
        S, counting tables without any cell.
    n_categories : int
        K.
    unit : float
        What one count stands for. Other than 1 only where item weights are so large or
        small that their sums would lose digits.
    """

    table: IntArray
    row: IntArray
    col: IntArray
    count: CountArray
    n_tables: int
    n_categories: int
    unit: float = 1.0

    @classmethod
    def from_keys(
        cls, keys: IntArray, count: CountArray, n_tables: int, n_categories: int
    ) -> PairCounts:
        """Build from cell numbers ``(table * K + row) * K + col``, ascending and distinct."""
        table, cell = np.divmod(keys, max(n_categories, 1) ** 2)
        return cls.from_cells(table, cell, count, n_tables=n_tables, n_categories=n_categories)

    @classmethod
    def from_cells(
        cls,
        table: IntArray,
        cell: IntArray,
        count: CountArray,
        *,
        n_tables: int,
        n_categories: int,
    ) -> PairCounts:
        """Build from tables and the numbers ``row * K + col`` of their cells, sorted likewise."""
        k = max(n_categories, 1)
        if k**2 <= LARGEST_SHORT:
            cell = cell.astype(np.int32)
        row, col = np.divmod(cell, k)
        return cls(table, row, col, count, n_tables, n_categories)

    @classmethod
    def from_tables(cls, tables: CountArray) -> PairCounts:
        """Build from dense tables, shape (..., K, K); leading axes are flattened."""
        k = tables.shape[-1]
        flat = np.asarray(tables).reshape(-1)
        keys = np.flatnonzero(flat)
        return cls.from_keys(keys, flat[keys], math.prod(tables.shape[:-2]), k)

    @property
    def keys(self) -> IntArray:
        """Number of each cell, ``(table * K + row) * K + col``, shape (C,)."""
        k = self.n_categories
        result: IntArray = (self.table.astype(np.int64) * k + self.row) * k + self.col
        return result

    def tables(self) -> CountArray:
        """Return dense tables, shape (S, K, K); the inverse of `from_tables`."""
        k = self.n_categories
        dense = np.zeros(self.n_tables * k * k, dtype=self.count.dtype)
        dense[self.keys] = self.count
        return dense.reshape(self.n_tables, k, k)

    def only(self, table: int) -> CountArray:
        """Return one dense table, shape (K, K)."""
        first, last = np.searchsorted(self.table, [table, table + 1])
        dense = np.zeros((self.n_categories, self.n_categories), dtype=self.count.dtype)
        dense[self.row[first:last], self.col[first:last]] = self.count[first:last]
        return dense

    def __add__(self, other: PairCounts) -> PairCounts:
        """Add the counts of two disjoint sets of items cell by cell."""
        unit = max(self.unit, other.unit)
        parts = [self.count * (self.unit / unit), other.count * (other.unit / unit)]
        if self.unit == other.unit:
            parts = [self.count, other.count]
        keys, total = add_up(np.concatenate([self.keys, other.keys]), np.concatenate(parts))
        return replace(self.from_keys(keys, total, self.n_tables, self.n_categories), unit=unit)

    def together(self, tables: BoolArray) -> PairCounts:
        """Add up some of the tables, cell by cell, into one."""
        kept, k = tables[self.table], self.n_categories
        keys, where = np.unique((self.row * k + self.col)[kept], return_inverse=True)
        total = np.zeros(len(keys), dtype=self.count.dtype)
        np.add.at(total, where, self.count[kept])
        return replace(self.from_keys(keys, total, 1, k), unit=self.unit)

    def blocks(self) -> Iterator[tuple[IntArray, PairCounts]]:
        """Cut into runs of tables whose margins fit in memory, with the numbers of the tables."""
        step = max(1, BLOCK // max(self.n_categories, 1))
        for start in range(0, max(self.n_tables, 1), step):
            stop = min(start + step, self.n_tables)
            first, last = np.searchsorted(self.table, [start, stop])
            part = slice(first, last)
            yield (
                np.arange(start, stop),
                PairCounts(
                    self.table[part] - start,
                    self.row[part],
                    self.col[part],
                    self.count[part],
                    stop - start,
                    self.n_categories,
                    self.unit,
                ),
            )

    def sum(self, values: CountArray) -> FloatArray:
        """Sum a value of each cell over the cells of each table, shape (S,)."""
        sums = np.bincount(self.table, weights=values, minlength=self.n_tables)
        return sums.astype(np.float64, copy=False)

    @cached_property
    def row_place(self) -> IntArray:
        """Place of the row category of each cell in an array of shape (S, K), shape (C,)."""
        result: IntArray = self.table * self.n_categories + self.row
        return result

    @cached_property
    def col_place(self) -> IntArray:
        """Place of the column category of each cell in an array of shape (S, K), shape (C,)."""
        result: IntArray = self.table * self.n_categories + self.col
        return result

    @cached_property
    def total(self) -> FloatArray:
        """Sum of the counts of each table, shape (S,)."""
        return self.sum(self.count)

    @cached_property
    def shares(self) -> FloatArray:
        """Share of each cell in its table, shape (C,)."""
        result: FloatArray = self.count / self.total[self.table]
        return result

    def margins(self) -> tuple[FloatArray, FloatArray]:
        """Shares of the categories of the first and of the second rater, each (S, K)."""
        return self._margins

    @cached_property
    def _margins(self) -> tuple[FloatArray, FloatArray]:
        """Keep them: they are asked for several times."""
        row, col = self._margin(self.row_place), self._margin(self.col_place)
        with np.errstate(invalid="ignore"):  # an empty table has no shares
            total = self.total[:, None]
            return row / total, col / total

    def _margin(self, place: IntArray) -> FloatArray:
        """Total count of each category, shape (S, K)."""
        k = self.n_categories
        flat = np.bincount(place, weights=self.count, minlength=self.n_tables * k)
        return flat.astype(np.float64, copy=False).reshape(self.n_tables, k)


def add_up(keys: IntArray, count: CountArray | None = None) -> tuple[IntArray, CountArray]:
    """Sum the counts of equal keys, by default one each; keys come back ascending."""
    if count is None:
        keys = np.sort(keys)
    else:
        # Sums of fractions depend on their order, sums of integers do not.
        order = np.argsort(keys, kind="stable" if count.dtype.kind == "f" else None)
        keys, count = keys[order], count[order]
    starts = starts_of(keys)
    if count is None:
        times = np.empty(len(starts), dtype=np.int64)
        np.subtract(starts[1:], starts[:-1], out=times[:-1])
        times[-1:] = len(keys) - starts[-1:]
        return keys[starts], times
    return keys[starts], np.add.reduceat(count, starts) if len(starts) else count


def starts_of(keys: IntArray) -> IntArray:
    """Find where each distinct one of some sorted keys stands first."""
    is_first: BoolArray = np.ones(len(keys), dtype=bool)
    np.not_equal(keys[1:], keys[:-1], out=is_first[1:])
    return np.flatnonzero(is_first)


def count_pairs(
    codes: IntArray,
    n_categories: int,
    *,
    pairs: list[tuple[int, int]],
    groups: IntArray | None = None,
    n_groups: int = 1,
    weights: FloatArray | None = None,
) -> PairCounts:
    """Count the categories that pairs of raters gave to the items that both rated.

    Parameters
    ----------
    codes : ndarray of int, shape (R, N)
        Category of each rating, a row for each rater; -1 where there is none.
    n_categories : int
        K.
    pairs : list of (int, int)
        The P pairs of raters to count.
    groups : ndarray of int, shape (N,), optional
        Group of each item, from 0 to `n_groups` - 1.
    n_groups : int
        G.
    weights : ndarray of float, shape (N,), optional
        Frequency weight of each item, greater than zero.

    Returns
    -------
    PairCounts
        G x P tables; pair ``p`` of group ``g`` is table ``g * P + p``.
    """
    k = max(n_categories, 1)
    if groups is None and (tables := _tables_at_once(codes, k, pairs, weights)) is not None:
        flat = tables.reshape(-1)
        cells = np.flatnonzero(flat)
        return PairCounts.from_keys(cells, flat[cells], len(pairs), n_categories)
    keys, count = one_by_one(codes, k, pairs, groups=groups, n_groups=n_groups, weights=weights)
    return PairCounts.from_keys(keys, count, n_groups * len(pairs), n_categories)


def _tables_at_once(
    codes: IntArray, k: int, pairs: list[tuple[int, int]], weights: FloatArray | None
) -> CountArray | None:
    """Count all pairs in the way that is the fastest for this shape, shape (P, K, K).

    None where it is the fastest to count one pair after the other.
    """
    if weights is None and k <= MOST_COUNTED_BY_BITS:
        return by_bits(codes, k, pairs)
    levels = k + bool((codes < 0).any())
    size = raters_per_block(len(codes), codes.shape[1], levels)
    n_blocks = -(-len(codes) // size)
    if size > 1 and n_blocks * (n_blocks + 1) // 2 < len(pairs):
        return by_blocks(codes, k, pairs, size, weights)
    return None
