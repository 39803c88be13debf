"""The rows that two raters rated, of one pair of raters after the other or of many at once."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any, NamedTuple, cast

import numpy as np

from pdkappa.counts.core.listed_rows import ListedRows
from pdkappa.counts.core.long import joint_ratings
from pdkappa.counts.core.rows import RatingRows

if TYPE_CHECKING:
    from collections.abc import Iterator

    from pdkappa._typing import BoolArray, FloatArray, IntArray
    from pdkappa.counts.core.base_rows import Rows

MOST_JOINT = 1 << 16  # joint ratings in memory at a time
MANY_PAIRS, FEW_JOINT = 10, 1 << 10  # of pairs with so few joint ratings many are taken at once


class Joint(NamedTuple):
    """The rows that two raters rated, of S pairs of raters in a group.

    Attributes
    ----------
    raters : ndarray of int, shape (2, S)
        The two raters.
    group : ndarray of int, shape (S,)
        The group of the rows.
    places : ndarray of int, shape (J,)
        Where the rows stand among those of all raters; ascending within a pair.
    rows : RatingRows
        The J rows with the ratings of the two, none of them missing, and no clusters. Each of the
        S pairs is a group of its own.
    """

    raters: IntArray
    group: IntArray
    places: IntArray
    rows: RatingRows

    @property
    def is_single(self) -> bool:
        """Whether it is one pair of raters, so that each row is there once."""
        return bool((self.raters == self.raters[:, :1]).all())

    def add_to(self, total: FloatArray, values: FloatArray) -> None:
        """Add a value of each of the J rows to those of all rows, shape (U,)."""
        if self.is_single:
            total[self.places] += values
        else:
            total += np.bincount(self.places, weights=values, minlength=len(total))

    def sum(self, values: FloatArray, n_groups: int) -> FloatArray:
        """Sum a value of each pair, shape (S,) or (S, K), over the pairs of each group."""
        if values.ndim == 1:
            sums = np.bincount(self.group, weights=values, minlength=n_groups)
            return sums.astype(np.float64, copy=False)
        result = np.zeros((n_groups, values.shape[1]))
        for column, one in zip(result.T, values.T, strict=True):
            column[:] = self.sum(one, n_groups)
        return result


def wide(rows: Rows) -> RatingRows:
    """Return the ratings as an array of all raters."""
    if not isinstance(rows, ListedRows):
        return cast("RatingRows", rows)
    kind = np.min_scalar_type(-max(rows.n_categories, 1))
    codes = np.full((rows.crowd, len(rows.count)), -1, dtype=kind)
    codes[rows.rater, rows.row] = rows.code
    known = (rows.n_groups, rows.n_categories, rows.cluster, rows.spread)
    return RatingRows(codes, rows.count, rows.group, *known)


def listed(rows: Rows) -> ListedRows:
    """Return the ratings one below the other."""
    if isinstance(rows, ListedRows):
        return rows
    codes = wide(rows).codes
    row, rater = np.nonzero(codes.T >= 0)
    known = (rows.n_groups, rows.n_categories, rows.cluster, rows.spread)
    return ListedRows(row, rater, codes[rater, row], len(codes), rows.count, rows.group, *known)


def joint_of(rows: RatingRows, pair: tuple[int, int]) -> Joint:
    """Return the rows that two raters rated."""
    first, second = (rows.codes[rater] for rater in pair)
    places = np.flatnonzero((first >= 0) & (second >= 0))
    kept: dict[str, Any] = {"cluster": None, "spread": None}
    if len(places) < len(first):
        first, second, kept = first[places], second[places], rows.of_rows(places) | kept
    rows = replace(rows, codes=np.stack([first, second]), **kept)
    raters = np.repeat(np.array(pair)[:, None], rows.n_groups, axis=1)
    return Joint(raters, np.arange(rows.n_groups), places, rows)


def each_joint(rows: RatingRows) -> Iterator[Joint]:
    """Return the rows that two raters rated, for one pair of raters after the other.

    A pair costs time and memory in proportion to what its first rater rated, so that
    many raters may share few items. Sum over the pairs rather than keep them.
    """
    for first in range(len(rows.codes) - 1):
        rated = np.flatnonzero(rows.codes[first] >= 0)
        part = replace(rows, codes=rows.codes[first:]).select(rated)
        for second in range(1, len(part.codes)):
            found = joint_of(part, (0, second))
            yield found._replace(raters=found.raters + first, places=rated[found.places])


def joints(rows: Rows) -> Iterator[Joint]:
    """Return the rows that two raters rated, for some of the pairs of raters after others.

    Pairs that share no row may be left out. Sum over the pairs rather than keep them.
    """
    n_pairs = rows.n_raters * (rows.n_raters - 1) // 2
    few = n_pairs > MANY_PAIRS and rows.n_joint < FEW_JOINT * n_pairs
    if isinstance(rows, RatingRows) and not few:
        yield from each_joint(rows)
        return
    ratings = listed(rows)
    for some in _first_raters(ratings):
        found = [
            (first[own], second[own])
            for first, second in joint_ratings(ratings.row)
            if (own := some[ratings.rater[first]]).any()
        ]
        if found:
            sides = (np.concatenate(side) for side in zip(*found, strict=True))
            yield _joint_of_many(ratings, *sides)


def _first_raters(rows: ListedRows) -> Iterator[BoolArray]:
    """Cut the raters into parts that are the first in so many joint ratings, (R,)."""
    later = (np.cumsum(rows.n_ratings)[rows.row] - 1 - np.arange(len(rows.row))).astype(int)
    times = np.bincount(rows.rater, weights=later, minlength=rows.crowd)
    part = (np.cumsum(times) - times) // MOST_JOINT
    for number in np.unique(part[times > 0]):
        yield (part == number) & (times > 0)


def _joint_of_many(rows: ListedRows, first: IntArray, second: IntArray) -> Joint:
    """Sort every two ratings of a row by their raters."""
    group = rows.group[rows.row[first]].astype(np.int64)
    key = (rows.rater[first].astype(np.int64) * rows.crowd + rows.rater[second]) * rows.n_groups
    key += group
    order = np.argsort(key, kind="stable")
    first, second, key = first[order], second[order], key[order]
    is_new = np.diff(key, prepend=-1) != 0
    pair, of_group = np.divmod(key[is_new], rows.n_groups)
    places = rows.row[first]
    of_pairs = RatingRows(
        codes=np.stack([rows.code[first], rows.code[second]]),
        count=rows.count[places],
        group=np.cumsum(is_new) - 1,
        n_groups=len(pair),
        n_categories=rows.n_categories,
    )
    return Joint(np.stack(np.divmod(pair, rows.crowd)), of_group, places, of_pairs)
