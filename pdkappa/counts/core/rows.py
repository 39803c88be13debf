"""Rows of ratings with how often each occurs: what the coefficients of many raters are made of."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from pdkappa.counts.core.base_rows import Rows
from pdkappa.counts.core.margins import Margins

if TYPE_CHECKING:
    from collections.abc import Iterator

    from pdkappa._typing import BoolArray, FloatArray, IntArray

# Numbers of rows and cells, and the levels added to them in between, fit a 64-bit integer.
LARGEST_KEY = 1 << 62
FEW_RATERS = 2  # for each category


@dataclass(frozen=True)
class RatingRows(Rows):
    """Ratings of U rows by R raters, in G groups, with counts, as an array of all raters.

    Attributes
    ----------
    codes : ndarray of int, shape (R, U)
        Category of each rating, -1 where it is missing.
    count, group, n_groups, n_categories, cluster, spread
        As in `Rows`.
    """

    codes: IntArray
    count: FloatArray
    group: IntArray
    n_groups: int
    n_categories: int
    cluster: IntArray | None = None
    spread: FloatArray | None = None

    @property
    def n_raters(self) -> int:
        """R."""
        return len(self.codes)

    @cached_property
    def n_ratings(self) -> FloatArray:
        """Number of ratings of each row, shape (U,)."""
        return (self.codes >= 0).sum(axis=0).astype(np.float64)

    @property
    def has_times(self) -> bool:
        """Whether raters are so many that it pays to count the categories of each row first."""
        return len(self.codes) > FEW_RATERS * self.n_categories > 0

    @cached_property
    def times(self) -> FloatArray:
        """Number of ratings of each row in each category, shape (U, K)."""
        kind = np.min_scalar_type(len(self.codes))
        counted = [
            np.add.reduce((self.codes == k).view(np.uint8), axis=0, dtype=kind)
            for k in range(self.n_categories)
        ]
        return np.stack(counted, axis=1).astype(np.float64)

    def lookup(self, values: FloatArray, codes: IntArray) -> FloatArray:
        """Look up a value of each group and category, shape (G, K), for the ratings of a rater.

        The result has shape (U,); it is zero where the rating is missing.
        """
        padded = np.concatenate([values, np.zeros((len(values), 1))], axis=1)
        return padded[0][codes] if len(values) == 1 else padded[self.group, codes]

    def sum_of(self, values: FloatArray) -> FloatArray:
        """Sum a value of each group and category, shape (G, K), over the ratings of each row."""
        if self.has_times:
            each = values if len(values) == 1 else values[self.group]
            return np.einsum("uk,uk->u", self.times, np.broadcast_to(each, self.times.shape))
        result = np.zeros(self.codes.shape[1])
        for codes in self.codes:
            result += self.lookup(values, codes)
        return result

    def margins(self, per_rating: FloatArray) -> FloatArray:
        """Sum a weight of each row over the ratings of each category, shape (G, K)."""
        if self.has_times:
            return np.stack([self.total(per_rating * one) for one in self.times.T], axis=1)
        result = np.zeros((self.n_groups, self.n_categories))
        for codes in self.codes:
            result += self.margin_of(codes, per_rating)
        return result

    def margin_of(self, codes: IntArray, per_rating: FloatArray) -> FloatArray:
        """Sum a weight of each row over the categories of one rater, shape (G, K)."""
        k = self.n_categories + 1
        place = np.where(codes < 0, self.n_categories, codes)
        if self.n_groups > 1:
            place = place + self.group.astype(np.int64) * k
        weights = self.count * per_rating
        flat = np.bincount(place, weights=weights, minlength=self.n_groups * k)
        return flat.astype(np.float64, copy=False).reshape(self.n_groups, k)[:, :-1]

    def is_constant(self, pair: tuple[int, int]) -> BoolArray:
        """Whether each of two raters gave all their joint items one category, shape (2, G)."""
        codes = self.codes[list(pair)]
        both = np.asarray((codes >= 0).all(axis=0), dtype=np.float64)
        used = np.stack([(self.margin_of(own, both) > 0).sum(axis=-1) for own in codes])
        result: BoolArray = used == 1
        return result

    def select(self, keep: BoolArray | IntArray) -> RatingRows:
        """Return some of the rows, by a mask or by their places."""
        return replace(self, codes=self.codes[:, keep], **self.of_rows(keep))

    def recoded(self, places: IntArray, n_categories: int) -> RatingRows:
        """Put each of the K categories into one of others."""
        codes = np.append(places, -1)[self.codes]
        return replace(self, codes=codes, n_categories=n_categories)

    def without(self, rater: int) -> RatingRows:
        """Return the ratings of all raters but one."""
        return replace(self, codes=np.delete(self.codes, rater, axis=0))

    @cached_property
    def by_rater(self) -> Margins:
        """Total weight of the categories of each rater, who is subject ``g * R + r`` in a group."""
        if self.n_groups == 1 and self.has_times and (self.count == 1).all():
            counted = [np.count_nonzero(self.codes == k, axis=1) for k in range(self.n_categories)]
            return Margins.from_dense(np.stack(counted, axis=1).astype(np.float64))
        ones = np.ones(self.codes.shape[1])
        dense = np.stack([self.margin_of(codes, ones) for codes in self.codes], axis=1)
        return Margins.from_dense(dense.reshape(self.n_groups * len(self.codes), self.n_categories))

    def sum_by_rater(self, values: FloatArray) -> FloatArray:
        """Sum a value of each cell of `by_rater` over the ratings of each row, shape (U,)."""
        dense = replace(self.by_rater, count=values).dense()
        of_raters = dense.reshape(self.n_groups, len(self.codes), self.n_categories)
        result = np.zeros(self.codes.shape[1])
        for rater, codes in enumerate(self.codes):
            result += self.lookup(of_raters[:, rater], codes)
        return result

    def each_rater(self) -> Iterator[tuple[IntArray, IntArray]]:
        """Return the rows and the categories of the ratings of one rater after the other."""
        for codes in self.codes:
            rated = np.flatnonzero(codes >= 0)
            yield rated, codes[rated]

    @property
    def n_places(self) -> int:
        """Number of places for the values of all ratings."""
        return self.codes.size

    def places_of(self, rater: IntArray, row: IntArray) -> IntArray:
        """Return the places of the ratings that raters gave to rows, each of shape (J,)."""
        result: IntArray = rater * self.codes.shape[1] + row
        return result

    def of_raters(self, values: FloatArray) -> Iterator[FloatArray]:
        """Return the values of the ratings of one rater after the other, (U,); 0 without one."""
        return iter(values.reshape(self.codes.shape))

    def compressed(self) -> RatingRows:
        """Merge equal rows of a group (and cluster), and sort them.

        What is computed from the result depends neither on the order of the rows nor on
        whether they were merged before.
        """
        outer = self.group if self.cluster is None else self.cluster
        levels = self.n_categories + bool((self.codes < 0).any())
        first, place = distinct_rows(outer, self.codes, levels)

        def total(values: FloatArray) -> FloatArray:
            sums = np.bincount(place, weights=values, minlength=len(first))
            return sums.astype(np.float64, copy=False)

        return replace(
            self,
            codes=self.codes.take(first, axis=1),
            count=total(self.count),
            group=self.group[first],
            cluster=None if self.cluster is None else self.cluster[first],
            spread=None if self.spread is None else total(self.spread),
        )


def distinct_rows(outer: IntArray, codes: IntArray, levels: int) -> tuple[IntArray, IntArray]:
    """Find the first of each distinct row, and the place of each row among them, sorted.

    Missing ratings are the last level. A number of the row so far that does not fit an integer
    together with the next rating is replaced by its rank.
    """
    key, n_keys = outer.astype(np.int64), int(outer.max(initial=0)) + 1
    for ratings in codes:
        if n_keys * levels > LARGEST_KEY:
            known, key = np.unique(key, return_inverse=True)
            n_keys = len(known)
        key *= levels
        key += ratings
        key += levels * (ratings < 0)
        n_keys *= levels
    return _distinct(key, n_keys)


def _distinct(key: IntArray, n_keys: int) -> tuple[IntArray, IntArray]:
    """Find where each distinct key occurs first, and the place of each key among them."""
    if n_keys > len(key):
        order = np.argsort(key)  # equal keys in any order, which is many times faster
        is_new = np.diff(key[order], prepend=-1) != 0
        place = np.empty(len(key), dtype=np.intp)
        place[order] = np.cumsum(is_new) - 1
        start = np.flatnonzero(is_new)
        return np.minimum.reduceat(order, start) if len(start) else start, place
    first_of = np.full(n_keys, -1, dtype=np.int64)
    first_of[key[::-1]] = np.arange(len(key))[::-1]
    used = first_of >= 0
    return first_of[used], (np.cumsum(used) - 1)[key]
