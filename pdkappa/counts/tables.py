"""What every engine returns: counts of pairs of raters, with the labels that they stand for."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from itertools import combinations
from typing import TYPE_CHECKING

import numpy as np

from pdkappa.coefficients.pair_counts import PairCounts, count_pairs
from pdkappa.coefficients.rating_rows import RatingRows
from pdkappa.errors import TooLargeError

if TYPE_CHECKING:
    from pdkappa._typing import BoolArray, FloatArray, IntArray, Label
    from pdkappa.ratings.categories import CategorySet
    from pdkappa.ratings.coded import Coded
    from pdkappa.ratings.groups import Groups


ALONE = np.array([[0], [1]])  # the sides of a single pair


@dataclass(frozen=True)
class PairTables:
    """Counts of P pairs of raters in G groups, and the names of everything in them.

    Attributes
    ----------
    counts : PairCounts
        G x P tables, group by group.
    raters : list
        The R raters.
    sides : ndarray of int, shape (2, P)
        The first and the second rater of each pair, as positions among the raters.
    categories : CategorySet
        The K categories.
    in_use : ndarray of bool, shape (G, K) or (1, K)
        The categories on the scale of each group.
    groups : Groups
        The G groups.
    only_joint : bool
        Whether only pairs that share an item in some group are there, and meant.
    n_dropped : int
        Number of pairs (in groups) that were counted and not kept.
    """

    counts: PairCounts
    raters: list[Label]
    sides: IntArray
    categories: CategorySet
    in_use: BoolArray
    groups: Groups
    only_joint: bool = False
    n_dropped: int = 0

    @property
    def n_groups(self) -> int:
        """G; 1 where the items are not grouped."""
        return self.groups.n

    @cached_property
    def pairs(self) -> list[tuple[int, int]]:
        """The P pairs of raters; of a crowd they take more room than their counts."""
        first, second = self.sides.tolist()
        return list(zip(first, second, strict=True))

    @property
    def n_pairs(self) -> int:
        """P."""
        return self.sides.shape[1]

    def joint(self) -> PairTables:
        """Leave out pairs that share no item in any group."""
        group, pair = np.divmod(self.counts.table, max(self.n_pairs, 1))
        known, place = np.unique(pair, return_inverse=True)
        table = group * len(known) + place
        counts = replace(self.counts, table=table, n_tables=self.n_groups * len(known))
        return replace(self, counts=counts, sides=self.sides[:, known], only_joint=True)

    @property
    def n_meant(self) -> int:
        """Number of pairs, in each group if there are groups, that there is something to say of."""
        n_tables = self.n_groups * self.n_pairs
        shown = int((self.counts.total > 0).sum()) if self.only_joint else n_tables
        return shown + self.n_dropped

    def sharing(self, n_items: float) -> PairTables:
        """Leave out pairs that share fewer items than that in every group."""
        total = (self.counts.total * self.counts.unit).reshape(self.n_groups, self.n_pairs)
        kept: BoolArray = np.logical_or.reduce(total >= n_items, axis=0)
        if kept.all():
            return self
        group, pair = np.divmod(self.counts.table, self.n_pairs)
        cells = np.flatnonzero(kept[pair])
        counts = replace(
            self.counts,
            table=group[cells] * kept.sum() + (np.cumsum(kept) - 1)[pair[cells]],
            row=self.counts.row[cells],
            col=self.counts.col[cells],
            count=self.counts.count[cells],
            n_tables=self.n_groups * int(kept.sum()),
        )
        return replace(self, counts=counts, sides=self.sides[:, kept])

    def of_pair(self, pair: int) -> PairTables:
        """Return the tables of one pair in all groups, over the categories of all raters."""
        counts, own = self.counts, self._cells_of_pairs[pair]
        return replace(
            self,
            counts=replace(
                counts,
                table=counts.table[own] // self.n_pairs,
                row=counts.row[own],
                col=counts.col[own],
                count=counts.count[own],
                n_tables=self.n_groups,
            ),
            raters=[self.raters[rater] for rater in self.sides[:, pair]],
            sides=ALONE,
        )

    @cached_property
    def _cells_of_pairs(self) -> list[IntArray]:
        """The places of the cells of each pair, in all groups."""
        pair = self.counts.table % self.n_pairs
        order = np.argsort(pair, kind="stable")
        return np.split(order, np.searchsorted(pair[order], np.arange(1, self.n_pairs)))

    def select(self, group: int, pair: int) -> PairTables:
        """Return the table of one pair in one group, over the categories in use there."""
        number = group * self.n_pairs + pair
        used = self.in_use[group if len(self.in_use) > 1 else 0]
        dense = self.counts.only(number)[np.ix_(used, used)]
        return PairTables(
            counts=replace(PairCounts.from_tables(dense[None]), unit=self.counts.unit),
            raters=[self.raters[rater] for rater in self.sides[:, pair]],
            sides=ALONE,
            categories=self.categories.restricted_to(used),
            in_use=np.ones((1, int(used.sum())), dtype=bool),
            groups=self.groups.alone(group),
        )


MOST_TABLES = 1 << 23  # half a kilobyte each, or more
LARGEST_EXACT = 2.0**53
SMALLEST_NORMAL = 1e-290


def pair_tables(coded: Coded, *, with_itself: bool = False) -> PairTables:
    """Count all pairs of raters, and if asked for, each rater with itself after all other pairs."""
    raters = range(len(coded.raters))
    _check_size(len(raters), coded.n_groups)
    pairs = list(combinations(raters, 2))
    if with_itself:
        pairs += [(rater, rater) for rater in raters]
    weights, unit = in_units(coded.weights)
    counts = count_pairs(
        coded.codes,
        len(coded.categories),
        pairs=pairs,
        groups=coded.groups.of_item,
        n_groups=coded.n_groups,
        weights=weights,
    )
    return PairTables(
        counts=replace(counts, unit=unit),
        raters=coded.raters,
        sides=np.array(pairs, dtype=np.int64).reshape(-1, 2).T,
        categories=coded.categories,
        in_use=coded.in_use,
        groups=coded.groups,
    )


def _check_size(n_raters: int, n_groups: int) -> None:
    """Refuse more tables than there is room for."""
    n_tables = n_raters * (n_raters - 1) // 2 * n_groups
    if n_tables > MOST_TABLES:
        message = (
            f"All pairs of {n_raters} raters in {n_groups} group(s) are {n_tables} tables; the "
            f"limit is {MOST_TABLES}. Pass fewer raters, or use agreement, which needs no tables."
        )
        raise TooLargeError(message)


def in_units(weights: FloatArray | None) -> tuple[FloatArray | None, float]:
    """Divide weights whose sums would lose digits by the largest, which is then the unit."""
    if weights is not None and len(weights):
        largest, smallest = float(weights.max()), float(weights.min())
        if largest > LARGEST_EXACT or smallest < SMALLEST_NORMAL:
            return weights / largest, largest
    return weights, 1.0


def rating_rows(coded: Coded) -> RatingRows:
    """Turn coded ratings into rows with counts, for the coefficients of many raters."""
    n_items, group = coded.codes.shape[1], coded.groups.of_item
    return RatingRows(
        codes=coded.codes,
        count=np.ones(n_items) if coded.weights is None else coded.weights,
        group=np.zeros(n_items, dtype=np.int64) if group is None else group,
        n_groups=coded.n_groups,
        n_categories=len(coded.categories),
        cluster=coded.clusters,
        spread=coded.spread,
    )
