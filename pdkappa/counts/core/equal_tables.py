"""Many tables of few items -> those that differ, since raters of a crowd share an item or two."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from pdkappa.counts.core.pairs import starts_of

if TYPE_CHECKING:
    from pdkappa._typing import IntArray
    from pdkappa.counts.core.pairs import PairCounts

FEWEST_TABLES = 1 << 12  # which take no time
MOST_CELLS = 8  # of a table on average: of more, hardly two are equal
MIXERS = (0x9E3779B97F4A7C15, 0xBF58476D1CE4E5B9, 0x94D049BB133111EB)  # of splitmix64


def distinct_tables(counts: PairCounts) -> tuple[PairCounts, IntArray] | None:
    """Leave out tables that are equal to another one.

    Parameters
    ----------
    counts : PairCounts
        S tables.

    Returns
    -------
    PairCounts
        The D tables that differ.
    ndarray of int, shape (S,)
        The number of each table among them. None instead of both where little is to be won.
    """
    n_tables, n_cells = counts.n_tables, len(counts.table)
    if n_tables < FEWEST_TABLES or n_cells > MOST_CELLS * n_tables:
        return None
    starts = starts_of(counts.table)
    start, size = np.full(n_tables, n_cells), np.zeros(n_tables, dtype=np.int64)
    start[counts.table[starts]] = starts
    size[counts.table[starts]] = np.diff(starts, append=n_cells)
    digest = np.zeros(n_tables, dtype=np.uint64)
    digest[counts.table[starts]] = np.add.reduceat(_digests(counts), starts) if n_cells else 0
    _, first, number = np.unique(digest, return_index=True, return_inverse=True)
    if 2 * len(first) > n_tables or not _are_equal(counts, start, size, first[number]):
        return None
    place = np.full(n_tables, -1, dtype=np.int64)
    place[np.sort(first)] = np.arange(len(first))
    table = place[counts.table]
    kept = np.flatnonzero(table >= 0)
    distinct = replace(
        counts,
        table=table[kept],
        row=counts.row[kept],
        col=counts.col[kept],
        count=counts.count[kept],
        n_tables=len(first),
    )
    return distinct, place[first][number]


def _digests(counts: PairCounts) -> IntArray:
    """Mix what is in each cell to a number whose sums hardly ever coincide, shape (C,)."""
    mixed = counts.row.astype(np.uint64) * counts.n_categories + counts.col.astype(np.uint64)
    mixed = mixed * np.uint64(MIXERS[0]) + counts.count.view(np.uint64)
    for mixer, shift in zip(MIXERS[1:], (30, 27), strict=True):
        mixed = (mixed ^ (mixed >> np.uint64(shift))) * np.uint64(mixer)
    return mixed ^ (mixed >> np.uint64(31))


def _are_equal(counts: PairCounts, start: IntArray, size: IntArray, like: IntArray) -> bool:
    """Whether each table is equal to the one that it is said to be like."""
    if (size != size[like]).any():
        return False
    other = np.arange(len(counts.table)) + (start[like] - start)[counts.table]
    return all(
        bool((values == values[other]).all()) for values in (counts.row, counts.col, counts.count)
    )
