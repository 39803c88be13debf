"""Codes of all raters -> distinct rows with how often each occurs."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import pairwise
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from pdkappa.coefficients.pair_counts import (
    Margins,
    count_categories,
    distinct,
    listed_ranges,
    order_of,
    sums_at,
)
from pdkappa.coefficients.score_limits import units_of_sizes

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from typing import Self

    from pdkappa._typing import BoolArray, CountArray, FloatArray, IntArray
    from pdkappa.coefficients.pair_counts import PairCounts


class Clusters(NamedTuple):
    """The M clusters of the rated rows."""

    rated: BoolArray | slice  # the rows with a rating, (U,)
    place: IntArray  # cluster of each rated row
    group: IntArray  # group of each cluster, (M,)
    size: FloatArray  # number of items of each cluster, or their total weight, (M,)
    # What its variance is proportional to if items are independent: its size, or the sum of the
    # squared weights of a sample, (M,).
    spread: FloatArray

    def total(self, values: FloatArray) -> FloatArray:
        """Sum a value of each rated row over its cluster, shape (M,)."""
        return sums_at(self.place, values, len(self.group))


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

    @cached_property
    def share_outside(self) -> FloatArray:
        """Share of the ratings of each group outside its most frequent category, shape (G,).

        NaN without ratings.
        """
        counts = self.margins(np.ones(len(self.count)))
        with np.errstate(invalid="ignore"):  # no ratings
            return 1 - counts.max(axis=1, initial=0) / counts.sum(axis=1)

    @cached_property
    def shares_by_items(self) -> FloatArray:
        """Shares of the categories, averaged over the items with a rating, shape (G, K)."""
        each = 1 / np.maximum(self.n_ratings, 1)
        with np.errstate(invalid="ignore"):  # no items
            return self.margins(each) / self.n_items[:, None]

    @cached_property
    def shares_by_ratings(self) -> FloatArray:
        """Shares of the categories among all ratings of items with two, shape (G, K)."""
        paired = (self.n_ratings > 1).astype(np.float64)
        with np.errstate(divide="ignore", invalid="ignore"):
            return self.margins(paired) / self.total(paired * self.n_ratings)[:, None]

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
    def select(self, keep: BoolArray | IntArray) -> Self:
        """Return some of the rows, by a mask or by their places."""

    @abstractmethod
    def without(self, rater: int) -> Self:
        """Return the ratings of all raters but one."""

    @abstractmethod
    def recoded(self, places: IntArray, n_categories: int) -> Self:
        """Put each of the K categories into one of others."""

    @property
    @abstractmethod
    def compressed(self) -> Self:
        """The rows, sorted, with those merged that are equal, if that is worth it."""

    @abstractmethod
    def without_clusters(self) -> tuple[Self, IntArray | slice]:
        """Merge rows whatever their clusters, if worth it, and say where each row is now."""

    @cached_property
    def n_items(self) -> FloatArray:
        """Number of items with any rating in each group, shape (G,)."""
        rated = self.n_ratings > 0
        if self.n_groups == 1 and (self.count == 1).all():
            return np.array([float(np.count_nonzero(rated))])
        return self.total(rated)

    @cached_property
    def rated(self) -> BoolArray | slice:
        """The rows with a rating, (U,): all of them without a copy."""
        rated: BoolArray = self.n_ratings > 0
        return slice(None) if rated.all() else rated

    @cached_property
    def clusters(self) -> Clusters:
        """The clusters of the rated rows, in the order of their numbers."""
        rated = self.rated
        number = np.asarray(self.cluster)[rated]
        first, place = distinct(number, int(number.max(initial=0)) + 1)
        size = sums_at(place, self.count[rated], len(first))
        spread = size
        if self.spread is not None:
            spread = np.bincount(place, self.spread[rated], len(first)).astype(np.float64)
        return Clusters(rated, place, self.group[rated][first], size, spread)

    @cached_property
    def units(self) -> FloatArray:
        """Number of what is independent: the rated items of each group, or their clusters, (G,).

        Clusters of m sizes are worth as many equal ones as the degrees of freedom of the standard
        error, and one; see `degrees_of_freedom`.
        """
        if self.cluster is None:
            return self.n_items
        found = self.clusters
        return units_of_sizes(found.size, found.spread, found.group, self.n_groups)

    @cached_property
    def n_active(self) -> FloatArray:
        """Number of raters with any rating in each group, shape (G,)."""
        subject, _ = self.by_rater.occurring()
        number = np.bincount(subject // self.n_raters, minlength=self.n_groups)
        return number.astype(np.float64)

    @property
    def items_of_pair(self) -> FloatArray:
        """Mean number of items of each two of a group's raters, shape (G,); NaN if there are none.

        Items without a rating by both do not count.
        """
        pairs = self.n_active * (self.n_active - 1)
        with np.errstate(invalid="ignore"):
            return np.divide(self.total(self.n_ratings * (self.n_ratings - 1)), pairs)

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
        return sums_at(self.group, self.count * values, self.n_groups)

    def among_groups(self, mean_weight: FloatArray | None) -> Self:
        """Return the same with the weights of a sample as they are beside those of other groups.

        `mean_weight`, of shape (G,), is what they were divided by in each group; None without any.
        """
        if mean_weight is None or self.spread is None:
            return self
        times = mean_weight[self.group]
        return self.with_rows(count=self.count * times, spread=self.spread * times**2)

    def together(self) -> Self:
        """Return all groups as a single one; the parts of a cluster that spans groups are one."""
        cluster = None if self.cluster is None else self.cluster // self.n_groups
        return self.with_rows(group=np.zeros_like(self.group), n_groups=1, cluster=cluster)

    def as_one_group(self, keep: BoolArray | IntArray) -> Self:
        """Return some of the rows as a group of their own."""
        return self.select(keep).together()

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


# Numbers of rows and cells, and the levels added to them in between, fit a 64-bit integer.
LARGEST_KEY = 1 << 62
FEW_RATERS = 2  # for each category


@dataclass(frozen=True)
class RatingRows(Rows):
    """Ratings of U rows by R raters, in G groups, with counts, as an array of all raters."""

    codes: IntArray  # category of each rating, -1 where it is missing, (R, U)
    # As in `Rows`.
    count: FloatArray
    group: IntArray
    n_groups: int
    n_categories: int
    cluster: IntArray | None = None
    spread: FloatArray | None = None

    @classmethod
    def of_cells(cls, counts: PairCounts, times: float) -> Self:
        """Return the cells of tables as rows, each table a group; a count stands for so many."""
        return cls(
            codes=np.stack([counts.row, counts.col]),
            count=counts.count * times,
            group=counts.table,
            n_groups=counts.n_tables,
            n_categories=counts.n_categories,
        )

    @property
    def n_raters(self) -> int:
        """R."""
        return len(self.codes)

    @cached_property
    def n_ratings(self) -> FloatArray:
        """Number of ratings of each row, shape (U,)."""
        return self._number(self.codes >= 0).astype(np.float64)

    def _number(self, marked: BoolArray) -> IntArray:
        """Count the marks of each row, shape (U,), in as few bytes as will do."""
        return np.add.reduce(marked.view("u1"), axis=0, dtype=np.min_scalar_type(len(marked)))

    @cached_property
    def n_active(self) -> FloatArray:
        """Number of raters with any rating in each group, shape (G,)."""
        rated = self.codes.max(axis=1, initial=-1) >= 0
        return np.sum([rated], axis=1) * 1.0 if self.n_groups == 1 else super().n_active

    @property
    def has_times(self) -> bool:
        """Whether raters are so many that it pays to count the categories of each row first."""
        return len(self.codes) > FEW_RATERS * self.n_categories > 0

    @cached_property
    def times(self) -> FloatArray:
        """Number of ratings of each row in each category, shape (U, K)."""
        counted = [self._number(self.codes == k) for k in range(self.n_categories)]
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
        return sums_at(place, weights, self.n_groups * k).reshape(self.n_groups, k)[:, :-1]

    def is_constant(self, pair: tuple[int, int]) -> BoolArray:
        """Whether each of two raters gave all their joint items one category, shape (2, G)."""
        codes = self.codes[list(pair)]
        both = np.asarray((codes >= 0).all(axis=0), dtype=np.float64)
        used = np.stack([(self.margin_of(own, both) > 0).sum(axis=-1) for own in codes])
        return np.asarray(used == 1)

    def select(self, keep: BoolArray | IntArray) -> RatingRows:
        """Return some of the rows, by a mask or by their places."""
        kept = np.flatnonzero(keep) if keep.dtype == bool else keep
        return replace(self, codes=self.codes.take(kept, axis=1), **self.of_rows(keep))

    def recoded(self, places: IntArray, n_categories: int) -> RatingRows:
        """Put each of the K categories into one of others."""
        to = np.append(places, -1).astype(np.min_scalar_type(-n_categories))
        return replace(self, codes=to.take(self.codes), n_categories=n_categories)

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
        return rater * self.codes.shape[1] + row

    def of_raters(self, values: FloatArray) -> Iterator[FloatArray]:
        """Return the values of the ratings of one rater after the other, (U,); 0 without one."""
        return iter(values.reshape(self.codes.shape))

    @cached_property
    def compressed(self) -> RatingRows:
        """The rows, sorted, with those merged that are equal in a group (and cluster).

        What is computed from the result depends neither on the order of the rows nor on
        whether they were merged before.
        """
        return self.distinct()[0]

    def without_clusters(self) -> tuple[RatingRows, IntArray]:
        """Merge equal rows of a group, whatever their clusters, and say where each row is now."""
        return self.with_rows(cluster=None, spread=None).distinct()

    @property
    def outer(self) -> IntArray:
        """The cluster of each row, or its group, outside of which no row is equal, shape (U,)."""
        return self.group if self.cluster is None else self.cluster

    def distinct(self) -> tuple[RatingRows, IntArray]:
        """Merge equal rows, and say where each row is now."""
        levels = self.n_categories + bool((self.codes < 0).any())
        first, place = distinct_rows(self.outer, self.codes, levels)
        return self.of_first(first, place), place

    def of_first(self, first: IntArray, place: IntArray) -> RatingRows:
        """Keep the first of equal rows, which stand for all; each row has its place there."""
        kept = self.of_rows(first) | {"count": sums_at(place, self.count, len(first))}
        if self.spread is not None:
            kept["spread"] = sums_at(place, self.spread, len(first))
        return replace(self, codes=self.codes.take(first, axis=1), **kept)


def distinct_rows(outer: IntArray, codes: IntArray, levels: int) -> tuple[IntArray, IntArray]:
    """Find the first of each distinct row, and the place of each row among them, sorted.

    Missing ratings are the last level. A number of the row so far that does not fit an integer
    together with the next rating is replaced by its rank.
    """
    key, n_keys = outer.astype(np.int64), int(outer.max(initial=0)) + 1
    for ratings in codes:
        if n_keys * levels > LARGEST_KEY:
            known, first, key = np.unique(key, return_index=True, return_inverse=True)
            n_keys = len(known)
            if n_keys == len(key):  # already
                return first, key
        key *= levels
        key += ratings
        if ratings.min(initial=0) < 0:
            key += levels * (ratings < 0)
        n_keys *= levels
    return distinct(key, n_keys)


def distinct_scores(outer: IntArray, scores: FloatArray) -> tuple[IntArray, IntArray]:
    """Find distinct rows of scores, (R, U), NaN where missing, as `distinct_rows` those of codes.

    The first rater mostly tells, and the others where their scores are tied.
    """
    one = scores[0]
    order = np.lexsort((one, outer)) if outer.any() else np.argsort(one)
    is_new = _changes(outer[order]) | _changes(one[order])
    tied = np.flatnonzero(~(is_new & np.append(is_new[1:], True)))
    if len(tied):
        some = order[tied]
        order[tied] = some[np.lexsort((*scores[:0:-1, some], np.cumsum(is_new)[tied]))]
        for other in scores[1:]:
            is_new |= _changes(other[order])
    place = np.empty_like(order)
    place[order] = np.cumsum(is_new) - 1
    return order[is_new], place


def _changes(values: IntArray | FloatArray) -> BoolArray:
    """Whether each value differs from the one before; one that is missing equals another."""
    both = np.isnan(values[1:]) & np.isnan(values[:-1])
    return np.append(np.ones(len(values[:1]), dtype=bool), (values[1:] != values[:-1]) & ~both)


@dataclass(frozen=True)
class ListedRows(Rows):
    """M ratings of U rows by R raters, in G groups, with counts, one below the other."""

    # The row of each rating, from 0 to U - 1, who gave it, and its category; sorted by row and by
    # rater within a row, none twice and none missing, (M,).
    row: IntArray
    rater: IntArray
    code: IntArray
    crowd: int  # R
    # As in `Rows`.
    count: FloatArray
    group: IntArray
    n_groups: int
    n_categories: int
    cluster: IntArray | None = None
    spread: FloatArray | None = None

    @property
    def n_raters(self) -> int:
        """R, counting raters without a rating."""
        return self.crowd

    @cached_property
    def n_ratings(self) -> FloatArray:
        """Number of ratings of each row, shape (U,)."""
        return np.bincount(self.row, minlength=len(self.count)).astype(np.float64)

    @cached_property
    def by_row(self) -> Margins:
        """Number of ratings of each row in each category, whatever the row's own count is."""
        return count_categories(self.row, self.code, len(self.count), self.n_categories)

    @cached_property
    def by_rater(self) -> Margins:
        """Total weight of the categories of each rater, who is subject ``g * R + r`` in a group."""
        n_subjects = self.n_groups * self.n_raters
        weights = self.count[self.row]
        return count_categories(self.subject, self.code, n_subjects, self.n_categories, weights)

    @cached_property
    def subject(self) -> IntArray:
        """The rater of each rating, as a subject of `by_rater`, shape (M,)."""
        return self.group[self.row].astype(np.int64) * self.n_raters + self.rater

    def _sum(self, values: FloatArray) -> FloatArray:
        """Sum a value of each rating over the ratings of each row, shape (U,)."""
        return sums_at(self.row, values, len(self.count))

    def sum_of(self, values: FloatArray) -> FloatArray:
        """Sum a value of each group and category, shape (G, K), over the ratings of each row."""
        group = 0 if len(values) == 1 else self.group[self.row]
        return self._sum(values[group, self.code])

    def sum_by_rater(self, values: FloatArray) -> FloatArray:
        """Sum a value of each cell of `by_rater` over the ratings of each row, shape (U,)."""
        keys = self.subject * self.n_categories + self.code
        return self._sum(values[np.searchsorted(self.by_rater.keys, keys)])

    @property
    def n_places(self) -> int:
        """Number of places for the values of all ratings."""
        return len(self.row)

    def places_of(self, rater: IntArray, row: IntArray) -> IntArray:
        """Return the places of the ratings that raters gave to rows, each of shape (J,)."""
        return np.searchsorted(self._place, row * np.int64(self.crowd) + rater)

    @cached_property
    def _place(self) -> IntArray:
        """Number of each rating among all that there might be, ascending, shape (M,)."""
        return self.row * np.int64(self.crowd) + self.rater

    def of_raters(self, values: FloatArray) -> Iterator[FloatArray]:
        """Return the values of the ratings of one rater after the other, (U,); 0 without one."""
        for own in self._of_each_rater:
            of_rows = np.zeros(len(self.count))
            of_rows[self.row[own]] = values[own]
            yield of_rows

    def each_rater(self) -> Iterator[tuple[IntArray, IntArray]]:
        """Return the rows and the categories of the ratings of one rater after the other."""
        for own in self._of_each_rater:
            yield self.row[own], self.code[own]

    @cached_property
    def _of_each_rater(self) -> list[IntArray]:
        """The places of the ratings of one rater after the other."""
        order = np.argsort(self.rater, kind="stable")
        ends = np.searchsorted(self.rater[order], np.arange(self.crowd + 1))
        return [order[start:stop] for start, stop in pairwise(ends)]

    def margins(self, per_rating: FloatArray) -> FloatArray:
        """Sum a weight of each row over the ratings of each category, shape (G, K)."""
        shape = (self.n_groups, self.n_categories)
        place = self.group[self.row].astype(np.int64) * self.n_categories + self.code
        weights = (self.count * per_rating)[self.row]
        return sums_at(place, weights, shape[0] * shape[1]).reshape(shape)

    def select(self, keep: BoolArray | IntArray) -> ListedRows:
        """Return some of the rows, by a mask or by their places, each of them once."""
        places = np.flatnonzero(keep) if keep.dtype == bool else keep
        number = np.full(len(self.count), -1, dtype=np.int64)
        number[places] = np.arange(len(places))
        row = number[self.row]
        ratings = np.flatnonzero(row >= 0)
        ratings = ratings[np.argsort(row[ratings], kind="stable")]
        kept = self._of_ratings(ratings, row[ratings])
        return kept.with_rows(**self.of_rows(places))

    def recoded(self, places: IntArray, n_categories: int) -> ListedRows:
        """Put each of the K categories into one of others."""
        return replace(self, code=places[self.code], n_categories=n_categories)

    def without(self, rater: int) -> ListedRows:
        """Return the ratings of all raters but one, who keep their numbers."""
        ratings = np.flatnonzero(self.rater != rater)
        return self._of_ratings(ratings, self.row[ratings])

    def _of_ratings(self, ratings: IntArray, row: IntArray) -> ListedRows:
        """Return some of the ratings, in their rows."""
        return replace(self, row=row, rater=self.rater[ratings], code=self.code[ratings])

    @property
    def compressed(self) -> ListedRows:
        """The rows as they are: they hardly ever repeat, and are sorted by item."""
        return self

    def without_clusters(self) -> tuple[ListedRows, slice]:
        """Return the rows as they are, but for their clusters."""
        return self.with_rows(cluster=None, spread=None), slice(None)


FEWEST_TIMES = 2  # that a table must occur, on average, for it to be worth while
MIX = (0x9E3779B97F4A7C15, 0xBF58476D1CE4E5B9, 0x94D049BB133111EB)  # those of SplitMix64


class Repeated(NamedTuple):
    """Tables of which many are equal."""

    first: IntArray  # (D,): the first of each distinct table
    number: IntArray  # (S,): the place of each table among these


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
    order = order_of(number, 1 << 32)  # whose last bits tell, as they are mixed
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
    starts = np.cumsum(n_cells) - n_cells
    table, cells = listed_ranges(starts[tables], n_cells[tables])
    return counts.of_cells(cells, table, len(tables))


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
