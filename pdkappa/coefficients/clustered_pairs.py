"""Standard errors of all pairs of raters, where items are nested in clusters."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from pdkappa.coefficients.influence import (
    Clusters,
    standard_error,
    units_of,
    units_of_sizes,
)
from pdkappa.coefficients.joint_items import of_joint, of_pair
from pdkappa.coefficients.rounding import without_rounding
from pdkappa.counts.core.joint import joints
from pdkappa.counts.core.rows import RatingRows

if TYPE_CHECKING:
    from collections.abc import Sequence

    from pdkappa._typing import BoolArray, FloatArray, IntArray
    from pdkappa.coefficients.chance import Coefficient
    from pdkappa.coefficients.weights import Scale
    from pdkappa.counts.core.base_rows import Rows
    from pdkappa.counts.core.pairs import PairCounts

LARGEST_TABLE = 1 << 16
MOST_LAYERS = 64


def errors_of_pairs(
    rows: RatingRows,
    counts: PairCounts,
    scale: Scale,
    coefficient: Coefficient,
    pairs: Sequence[tuple[int, int]],
) -> tuple[FloatArray, FloatArray]:
    """Compute the standard errors of pairs of raters from the clusters of their joint items.

    Parameters
    ----------
    rows : RatingRows
        Rows of ratings in G groups, with clusters.
    counts : PairCounts
        The same ratings, counted for each of the P pairs: ``G * P`` tables, group by group.
    scale : Scale
    coefficient : Coefficient
    pairs : sequence of (int, int)
        The P pairs.

    Returns
    -------
    se, units : ndarray of float, shape (G * P,)
        Standard errors, and how many equal clusters they come from. A cluster without an item
        that both rated does not count.

    Notes
    -----
    The influence of an item is that of its cell in the table of the pair, which is computed
    once. See `pdkappa.coefficients.influence.standard_error` for the formula.
    """
    influence, n_pairs = _of_cells(counts, scale, coefficient), max(len(pairs), 1)
    places, found = _Places.of(rows), np.empty((2, counts.n_tables))
    order = np.argsort(counts.table % n_pairs, kind="stable")
    last = np.cumsum(np.bincount(counts.table % n_pairs, minlength=n_pairs))
    for p, (pair, own) in enumerate(zip(pairs, np.split(order, last[:-1]), strict=True)):
        cells = (counts.table[own] // n_pairs, counts.row[own], counts.col[own])
        found[:, p::n_pairs] = places.errors(pair, places.values(pair, cells, influence[own]))
    return without_rounding(found[0]), found[1]


def errors_of_joint(
    rows: Rows,
    n_tables: int,
    scale: Scale,
    coefficient: Coefficient,
    pairs: Sequence[tuple[int, int]],
) -> tuple[FloatArray, FloatArray]:
    """Compute the same from the joint items of many pairs at once; the pairs are ascending."""
    found, cluster = np.full((2, n_tables), np.nan), np.asarray(rows.cluster)
    number = np.array(pairs, dtype=np.int64).reshape(-1, 2) @ (rows.n_raters, 1)
    n_clusters = int(cluster.max(initial=0)) + 1
    for joint in joints(rows):
        own = joint.rows.with_rows(
            cluster=joint.rows.group * n_clusters + cluster[joint.places],
            spread=None if rows.spread is None else rows.spread[joint.places],
        )
        of_items = of_joint(joint, scale.take(joint.group), coefficient, own.n_items)
        key = joint.raters[0] * rows.n_raters + joint.raters[1]
        kept = np.isin(key, number)  # of the others too few items are shared
        table = joint.group[kept] * len(pairs) + np.searchsorted(number, key[kept])
        of_pairs = np.stack([standard_error(own, of_items.influence), units_of(own)])
        found[:, table] = of_pairs[:, kept]
    return without_rounding(found[0]), np.nan_to_num(found[1])


def _of_cells(counts: PairCounts, scale: Scale, coefficient: Coefficient) -> FloatArray:
    """Compute the influence of each cell on the coefficient of its table, shape (C,)."""
    found = [np.empty(0)]
    for tables, block in counts.blocks():
        cells = RatingRows(
            codes=np.stack([block.row, block.col]),
            count=block.count * block.unit,
            group=block.table,
            n_groups=block.n_tables,
            n_categories=block.n_categories,
        )
        of_block = scale.of_tables(tables, counts.n_tables)
        found.append(of_pair(cells, of_block, coefficient, (0, 1)).influence)
    return np.concatenate(found)


@dataclass(frozen=True)
class _Places:
    """Rated rows, with what all pairs of raters need of their clusters."""

    rows: RatingRows
    clusters: Clusters
    layers: IntArray  # number of clusters with a first row, with a second, ...

    @staticmethod
    def of(rows: RatingRows) -> _Places:
        """Sort the rated rows by their place in their cluster, and large clusters first.

        The first rows of all clusters then stand together, as do the second ones, and so on.
        """
        cluster = np.asarray(rows.cluster)
        order = np.argsort(cluster, kind="stable")
        order = order[rows.n_ratings[order] > 0]
        start = np.flatnonzero(np.diff(cluster[order], prepend=-1))
        length = np.diff(start, append=len(order))
        by_length = np.argsort(-length, kind="stable")
        rank = np.empty_like(by_length)
        rank[by_length] = np.arange(len(by_length))
        layer = np.arange(len(order)) - np.repeat(start, length)
        place = np.repeat(rank, length)
        again = np.argsort(layer * len(start) + place)
        order, place = order[again], place[again]
        rows = replace(rows.select(order), codes=rows.codes.take(order, axis=1))
        rated = np.ones(len(order), dtype=bool)
        size = np.bincount(place, rows.count, len(start)).astype(np.float64, copy=False)
        spread = size
        if rows.spread is not None:
            spread = np.bincount(place, rows.spread, len(start)).astype(np.float64, copy=False)
        clusters = Clusters(rated, place, rows.group[: len(start)], size, spread)
        return _Places(rows, clusters, np.bincount(layer)[:MOST_LAYERS])

    def total(self, values: FloatArray) -> FloatArray:
        """Sum a value of each row over its cluster, shape (M,): layers are quick to add."""
        rest = int(self.layers.sum())
        place = self.clusters.place[rest:]
        sums = np.zeros(len(self.clusters.size))
        sums += np.bincount(place, weights=values[rest:], minlength=len(sums))
        start = 0
        for n in self.layers:
            sums[:n] += values[start : start + n]
            start += n
        return sums

    @cached_property
    def count(self) -> FloatArray | None:
        """Number of items of each row in units, shape (U,), if they are not one item each."""
        return None if (self.rows.count == 1).all() else self.rows.count / self.rows.unit

    @cached_property
    def memory(self) -> FloatArray:
        """Room for a value of each row, shape (U,), which is slow to get once a pair."""
        return np.empty(len(self.rows.group))

    @cached_property
    def complete(self) -> BoolArray:
        """Whether a rater rated every row, shape (R,)."""
        complete: BoolArray = np.logical_and.reduce(self.rows.codes >= 0, axis=1)
        return complete

    @cached_property
    def of_all(self) -> tuple[FloatArray, FloatArray]:
        """What `_weights` says of pairs of raters who rated every row."""
        return self._weights(self.clusters.size, self.clusters.spread)

    @cached_property
    def codes(self) -> tuple[IntArray, IntArray] | None:
        """Row and column of each rating in a table for each group, if these are small.

        Missing ratings stand in a row and column after all others. Few bytes are quick to add.
        """
        rows, levels = self.rows, self.rows.n_categories + 1
        size = rows.n_groups * levels**2
        if size > LARGEST_TABLE:
            return None
        col = rows.codes.astype(np.min_scalar_type(size))
        if not self.complete.all():
            col[rows.codes < 0] = rows.n_categories
        return (rows.group.astype(col.dtype) * levels + col) * levels, col

    def values(
        self, pair: tuple[int, int], cells: tuple[IntArray, ...], influence: FloatArray
    ) -> FloatArray:
        """Look up the influence of each row among that of cells: their groups, rows, columns.

        Rows that a rater of the pair did not rate have none.
        """
        rows, k, (first, second) = self.rows, self.rows.n_categories, pair
        if self.codes is not None:
            table = np.zeros((rows.n_groups, k + 1, k + 1))
            table[cells] = influence
            at = self.codes[0][first] + self.codes[1][second]
            return np.take(table, at, out=self.memory, mode="clip")
        joint = np.flatnonzero((rows.codes[[first, second]] >= 0).all(axis=0))
        at = (rows.group[joint], rows.codes[first, joint], rows.codes[second, joint])
        keys, wanted = ((g.astype(np.int64) * k + row) * k + col for g, row, col in (cells, at))
        values = np.zeros(len(rows.group))
        values[joint] = influence[np.searchsorted(keys, wanted)]
        return values

    def errors(self, pair: tuple[int, int], values: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Compute the standard error of a pair from the influence of each row, and its units."""
        rows, clusters = self.rows, self.clusters
        weight, units = self.of_all
        if not self.complete[list(pair)].all():
            joint = (rows.codes[list(pair)] >= 0).all(axis=0)
            size = self.total(rows.count * joint)
            spread = size if rows.spread is None else self.total(rows.spread * joint)
            weight, units = self._weights(size, spread)
        if self.count is not None:
            values *= self.count
        with np.errstate(invalid="ignore"):  # a single cluster
            sums = self.total(values) * weight
        squares = np.array([sums @ sums])  # many times faster than a sum for each group
        if rows.n_groups > 1:
            squares = np.bincount(clusters.group, weights=sums**2, minlength=rows.n_groups)
        return np.where(units > 1, np.sqrt(squares), np.nan), units

    def _weights(self, size: FloatArray, spread: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Say what clusters of some sizes count, shape (M,), and how many they are worth, (G,)."""
        group, n_groups = self.clusters.group, self.rows.n_groups
        n = np.bincount(group, weights=size, minlength=n_groups)[group]
        with np.errstate(divide="ignore", invalid="ignore"):  # a single cluster, or none
            weight = (1 if self.count is None else self.rows.unit) / n / np.sqrt(1 - size / n)
        weight = np.where(size < n, weight, 0.0)  # no error of a single cluster
        return weight, units_of_sizes(size, spread, group, n_groups)
