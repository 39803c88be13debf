"""Rows of ratings with how often each occurs: what the coefficients of many raters are made of."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from pdkappa.counts.core.margins import Margins

if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Self

    from pdkappa._typing import BoolArray, FloatArray, IntArray
    from pdkappa.counts.core.listed_rows import ListedRows

# Numbers of rows and cells, and the levels added to them in between, fit a 64-bit integer.
LARGEST_KEY = 1 << 62
FEW_RATERS = 2  # for each category
MANY_PAIRS, FEW_JOINT = 10, 1 << 10  # of pairs with so few joint ratings many are taken at once


class Rows(ABC):
    """Ratings of U rows by R raters, in G groups, with counts: what holds however they are kept.

    Attributes
    ----------
    count : ndarray of float, shape (U,)
        Number of items with these ratings, or their total weight; greater than zero.
    group : ndarray of int, shape (U,)
        Group of each row, from 0 to G - 1.
    n_groups, n_categories : int
        G and K.
    cluster : ndarray of int, shape (U,), or None
        Cluster of each row, numbered over all groups, where items are nested in clusters.
    spread : ndarray of float, shape (U,), or None
        Sum of the squared weights of the items of each row, where counts are weights of a sample.
    """

    count: FloatArray
    group: IntArray
    n_groups: int
    n_categories: int
    cluster: IntArray | None
    spread: FloatArray | None

    @property
    @abstractmethod
    def n_raters(self) -> int:
        """R, counting raters without a rating."""

    @property
    @abstractmethod
    def n_ratings(self) -> FloatArray:
        """Number of ratings of each row, shape (U,)."""

    @property
    @abstractmethod
    def by_rater(self) -> Margins:
        """Total weight of the categories of each rater, who is subject ``g * R + r`` in a group."""

    @abstractmethod
    def sum_of(self, values: FloatArray) -> FloatArray:
        """Sum a value of each group and category, shape (G, K), over the ratings of each row."""

    @abstractmethod
    def sum_by_rater(self, values: FloatArray) -> FloatArray:
        """Sum a value of each cell of `by_rater` over the ratings of each row, shape (U,)."""

    @abstractmethod
    def margins(self, per_rating: FloatArray) -> FloatArray:
        """Sum a weight of each row over the ratings of each category, shape (G, K)."""

    @abstractmethod
    def each_rater(self) -> Iterator[tuple[IntArray, IntArray]]:
        """Return the rows and the categories of the ratings of one rater after the other."""

    @property
    @abstractmethod
    def n_places(self) -> int:
        """Number of places for the values of all ratings."""

    @abstractmethod
    def places_of(self, rater: IntArray, row: IntArray) -> IntArray:
        """Return the places of the ratings that raters gave to rows, each of shape (J,)."""

    @abstractmethod
    def of_raters(self, values: FloatArray) -> Iterator[FloatArray]:
        """Return the values of the ratings of one rater after the other, (U,); 0 without one."""

    @abstractmethod
    def joints(self) -> Iterator[Joint]:
        """Return the rows that two raters rated, for some of the pairs of raters after others.

        Pairs that share no row may be left out. Sum over the pairs rather than keep them.
        """

    @abstractmethod
    def select(self, keep: BoolArray | IntArray) -> Self:
        """Return some of the rows, by a mask or by their places."""

    @abstractmethod
    def without(self, rater: int) -> Self:
        """Return the ratings of all raters but one."""

    @abstractmethod
    def recoded(self, places: IntArray, n_categories: int) -> Self:
        """Put each of the K categories into one of others."""

    @abstractmethod
    def compressed(self) -> Self:
        """Merge rows that are equal, if that is worth it, and sort them."""

    @abstractmethod
    def listed(self) -> ListedRows:
        """Return the ratings one below the other."""

    @abstractmethod
    def wide(self) -> RatingRows:
        """Return the ratings as an array of all raters."""

    @cached_property
    def n_items(self) -> FloatArray:
        """Number of items with any rating in each group, shape (G,)."""
        return self.total(self.n_ratings > 0)

    @property
    def n_joint(self) -> float:
        """Number of pairs of ratings of the same row."""
        return float((self.n_ratings * (self.n_ratings - 1)).sum() / 2)

    @cached_property
    def unit(self) -> float:
        """Return a power of two near the largest group, by which to divide without loss."""
        largest = self.n_items.max(initial=0.0)
        return float(np.ldexp(0.5, np.frexp(largest)[1])) if largest > 0 else 1.0

    def in_units(self) -> Self:
        """Return the same with counts near 1, whose products neither overflow nor vanish."""
        return self.with_rows(count=self.count / self.unit)

    def total(self, values: FloatArray | BoolArray) -> FloatArray:
        """Sum a value of each row over the items of each group, shape (G,)."""
        sums = np.bincount(self.group, weights=self.count * values, minlength=self.n_groups)
        return sums.astype(np.float64, copy=False)

    def as_one_group(self, keep: BoolArray | IntArray) -> Self:
        """Return some of the rows as a group of their own."""
        kept = self.select(keep)
        return kept.with_rows(group=np.zeros_like(kept.group), n_groups=1)

    def parts(self, size: int) -> Iterator[Self]:
        """Cut into parts of `size` rows, or somewhat more: no cluster is in two of them."""
        order, n_rows = np.arange(len(self.group)), len(self.group)
        last = np.ones(n_rows, dtype=bool)
        if self.cluster is not None:
            order = np.argsort(self.cluster, kind="stable")
            last[:-1] = np.diff(self.cluster[order]) != 0
        start = 0
        while start < n_rows:
            stop = min(start + max(size, 1), n_rows) - 1
            stop += int(np.argmax(last[stop:])) + 1
            yield self.select(order[start:stop])
            start = stop

    def with_rows(self, **changed: Any) -> Self:
        """Return the same ratings of rows of which something else is known."""
        return replace(self, **changed)  # type: ignore[type-var]

    def of_rows(self, keep: BoolArray | IntArray) -> dict[str, Any]:
        """Return what belongs to some of the rows themselves, and not to their ratings."""
        return {
            "count": self.count[keep],
            "group": self.group[keep],
            "cluster": None if self.cluster is None else self.cluster[keep],
            "spread": None if self.spread is None else self.spread[keep],
        }


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

    def wide(self) -> RatingRows:
        """Return it as it is."""
        return self

    def listed(self) -> ListedRows:
        """Return the ratings one below the other."""
        from pdkappa.counts.core.listed_rows import ListedRows

        row, rater = np.nonzero(self.codes.T >= 0)
        code = self.codes[rater, row]
        known = (self.n_groups, self.n_categories, self.cluster, self.spread)
        return ListedRows(row, rater, code, len(self.codes), self.count, self.group, *known)

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
        place = self.group.astype(np.int64) * k + np.where(codes < 0, self.n_categories, codes)
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

    def joint(self, pair: tuple[int, int]) -> Joint:
        """Return the rows that two raters rated."""
        first, second = (self.codes[rater] for rater in pair)
        places = np.flatnonzero((first >= 0) & (second >= 0))
        kept = self.of_rows(places) | {"cluster": None, "spread": None}
        rows = replace(self, codes=np.stack([first[places], second[places]]), **kept)
        raters = np.repeat(np.array(pair)[:, None], self.n_groups, axis=1)
        return Joint(raters, np.arange(self.n_groups), places, rows)

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

    def joints(self) -> Iterator[Joint]:
        """Return the rows that two raters rated, one pair after the other or many at once."""
        n_pairs = len(self.codes) * (len(self.codes) - 1) // 2
        if n_pairs > MANY_PAIRS and self.n_joint < FEW_JOINT * n_pairs:
            return self.listed().joints()
        return self.each_joint()

    def each_joint(self) -> Iterator[Joint]:
        """Return the rows that two raters rated, for one pair of raters after the other.

        A pair costs time and memory in proportion to what its first rater rated, so that
        many raters may share few items. Sum over the pairs rather than keep them.
        """
        for first in range(len(self.codes) - 1):
            rated = np.flatnonzero(self.codes[first] >= 0)
            part = replace(self, codes=self.codes[first:]).select(rated)
            for second in range(1, len(part.codes)):
                found = part.joint((0, second))
                yield found._replace(raters=found.raters + first, places=rated[found.places])

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

    def add_to(self, total: FloatArray, values: FloatArray) -> None:
        """Add a value of each of the J rows to those of all rows, shape (U,)."""
        if (self.raters == self.raters[:, :1]).all():  # each row once
            total[self.places] += values
        else:
            total += np.bincount(self.places, weights=values, minlength=len(total))

    def sum(self, values: FloatArray, n_groups: int) -> FloatArray:
        """Sum a value of each pair, shape (S,) or (S, K), over the pairs of each group."""
        if values.ndim == 1:
            sums = np.bincount(self.group, weights=values, minlength=n_groups)
            return sums.astype(np.float64, copy=False)
        return np.stack([self.sum(one, n_groups) for one in values.T], axis=1)


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
