"""Additive sufficient statistics: how often two raters gave each pair of categories.

Counts are kept as a list of observed cells rather than as K x K tables, so that one kernel
serves five categories and a hundred thousand labels alike, and groups, pairs of raters and
resamples are all just more tables. Counts of chunks of the data add up to those of the whole.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Iterator

    from pdkappa._typing import CountArray, FloatArray, IntArray

BLOCK = 1 << 18  # entries of an S x K margin worked on at a time
MOST_BINS = 1 << 16  # bins of a histogram that stay in a core's cache
DENSE_PER_ITEM = 4  # bins per item up to which a histogram beats sorting


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
        row, col = np.divmod(cell, max(n_categories, 1))
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
        keys, where = np.unique(np.concatenate([self.keys, other.keys]), return_inverse=True)
        unit = max(self.unit, other.unit)
        parts = [self.count * (self.unit / unit), other.count * (other.unit / unit)]
        if self.unit == other.unit:
            parts = [self.count, other.count]
        total = np.zeros(len(keys), dtype=np.result_type(*parts))
        np.add.at(total, where, np.concatenate(parts))
        made = self.from_keys(keys, total, self.n_tables, self.n_categories)
        return PairCounts(
            made.table, made.row, made.col, total, self.n_tables, self.n_categories, unit
        )

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

    @property
    def total(self) -> FloatArray:
        """Sum of the counts of each table, shape (S,)."""
        return self.sum(self.count)

    @property
    def shares(self) -> FloatArray:
        """Share of each cell in its table, shape (C,)."""
        result: FloatArray = self.count / self.total[self.table]
        return result

    def margins(self) -> tuple[FloatArray, FloatArray]:
        """Shares of the categories of the first and of the second rater, each (S, K)."""
        row, col = self._margin(self.row), self._margin(self.col)
        with np.errstate(invalid="ignore"):  # an empty table has no shares
            total = self.total[:, None]
            return row / total, col / total

    def _margin(self, category: IntArray) -> FloatArray:
        """Total count of each category, shape (S, K)."""
        k = self.n_categories
        place = self.table * k + category
        flat = np.bincount(place, weights=self.count, minlength=self.n_tables * k)
        return flat.astype(np.float64, copy=False).reshape(self.n_tables, k)


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
    levels = n_categories + bool((codes < 0).any())
    size = _raters_per_block(len(codes), codes.shape[1], levels)
    if groups is None and size > 1:
        tables = _count_in_blocks(codes, k, levels, size, weights)
        ordered = [tables[a, :, b] if a <= b else tables[b, :, a].T for a, b in pairs]
        flat = np.stack(ordered).reshape(-1)
        cells = np.flatnonzero(flat)
        return PairCounts.from_keys(cells, flat[cells], len(pairs), n_categories)
    found = [_count_one(codes[a], codes[b], k, groups, n_groups, weights=weights) for a, b in pairs]
    keys, count = _in_order_of_tables(found, k, n_groups)
    return PairCounts.from_keys(keys, count, n_groups * len(pairs), n_categories)


def _raters_per_block(n_raters: int, n_items: int, levels: int) -> int:
    """Most raters whose joint histogram with as many others stays small."""
    room = min(max(n_items, MOST_BINS // 16), MOST_BINS)
    size = 1
    while size < n_raters and levels > 1 and levels ** (2 * (size + 1)) <= room:
        size += 1
    return size


def _count_in_blocks(
    codes: IntArray, k: int, levels: int, size: int, weights: FloatArray | None
) -> CountArray:
    """Count all pairs of raters from joint histograms of blocks of raters, shape (R, K, R, K).

    One pass over the items for two blocks of three raters serves nine pairs of raters.
    Only pairs with first <= second are filled.
    """
    shape = (len(codes), k, len(codes), k)
    tables: CountArray = np.zeros(shape, dtype=np.int64 if weights is None else np.float64)
    blocks = [range(len(codes))[start : start + size] for start in range(0, len(codes), size)]
    numbers = [_number_rows(codes[block.start : block.stop], levels) for block in blocks]
    for i, (first, rows) in enumerate(zip(blocks, numbers, strict=True)):
        for second, cols in zip(blocks[i:], numbers[i:], strict=True):
            n_rows, n_cols = levels ** len(first), levels ** len(second)
            key = rows * n_cols + cols
            joint = _histogram(key, n_rows * n_cols, weights).reshape(n_rows, n_cols)
            for a, by_a in zip(first, _margins_of(joint, levels, len(first)), strict=True):
                margins = _margins_of(by_a.T, levels, len(second))
                for b, by_both in zip(second, margins, strict=True):
                    tables[a, :, b] = by_both.T[:k, :k]
    return tables


def _number_rows(codes: IntArray, levels: int) -> IntArray:
    """Assign a number to each row of ratings of a few raters; missing is the last level."""
    number = np.zeros(codes.shape[1], dtype=np.int64)
    for one in codes:
        number *= levels
        number += one
        number += levels * (one < 0)
    return number


def _margins_of(joint: CountArray, levels: int, n_raters: int) -> list[CountArray]:
    """Sum the rows of a histogram, numbered as above, to the levels of one rater at a time."""
    shapes = [(levels**r, levels, levels ** (n_raters - r - 1), -1) for r in range(n_raters)]
    return [joint.reshape(shape).sum(axis=(0, 2)) for shape in shapes]


def _count_one(
    a: IntArray,
    b: IntArray,
    k: int,
    groups: IntArray | None,
    n_groups: int,
    *,
    weights: FloatArray | None,
) -> tuple[IntArray, CountArray]:
    """Count one pair of raters in all groups: numbers of the cells found, and their counts."""
    rated = (a >= 0) & (b >= 0)
    if not rated.all():
        a, b = a[rated], b[rated]
        groups = None if groups is None else groups[rated]
        weights = None if weights is None else weights[rated]
    key = np.zeros(len(a), dtype=np.int64) if groups is None else groups.astype(np.int64)
    for category in (a, b):
        key *= k
        key += category
    n_cells = n_groups * k * k
    if n_cells <= max(DENSE_PER_ITEM * len(key), MOST_BINS):
        dense = _histogram(key, n_cells, weights)
        found = np.flatnonzero(dense)
        return found, dense[found]
    if weights is None:
        return np.unique(key, return_counts=True)
    found, where = np.unique(key, return_inverse=True)
    return found, _histogram(where, len(found), weights)


def _histogram(key: IntArray, n_bins: int, weights: FloatArray | None) -> CountArray:
    """Count whole numbers, or sum their weights as floats even where there are none."""
    counts = np.bincount(key, weights=weights, minlength=n_bins)
    return counts if weights is None else counts.astype(np.float64, copy=False)


def _in_order_of_tables(
    found: list[tuple[IntArray, CountArray]], k: int, n_groups: int
) -> tuple[IntArray, CountArray]:
    """Merge the cells of all pairs, numbered by group first and by pair within a group."""
    keys = []
    for number, (cells, _) in enumerate(found):
        group, cell = np.divmod(cells, k * k)
        keys.append((group * len(found) + number) * (k * k) + cell)
    all_keys = np.concatenate([np.empty(0, dtype=np.int64), *keys])
    counts = np.concatenate([count for _, count in found])
    if n_groups > 1 and len(found) > 1:
        order = np.argsort(all_keys, kind="stable")
        return all_keys[order], counts[order]
    return all_keys, counts
