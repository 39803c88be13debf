"""Ratings one below the other with how often each row occurs, for many raters of few items each."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from itertools import pairwise
from typing import TYPE_CHECKING

import numpy as np

from pdkappa.counts.core.base_rows import Rows
from pdkappa.counts.core.margins import count_categories

if TYPE_CHECKING:
    from collections.abc import Iterator

    from pdkappa._typing import BoolArray, FloatArray, IntArray
    from pdkappa.counts.core.margins import Margins


@dataclass(frozen=True)
class ListedRows(Rows):
    """M ratings of U rows by R raters, in G groups, with counts, one below the other.

    Attributes
    ----------
    row, rater, code : ndarray of int, shape (M,)
        The row of each rating, from 0 to U - 1, who gave it, and its category; sorted by row and
        by rater within a row, none twice and none missing.
    crowd : int
        R.
    count, group, n_groups, n_categories, cluster, spread
        As in `Rows`.
    """

    row: IntArray
    rater: IntArray
    code: IntArray
    crowd: int
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
        result: IntArray = self.group[self.row].astype(np.int64) * self.n_raters + self.rater
        return result

    def _sum(self, values: FloatArray) -> FloatArray:
        """Sum a value of each rating over the ratings of each row, shape (U,)."""
        sums = np.bincount(self.row, weights=values, minlength=len(self.count))
        return sums.astype(np.float64, copy=False)

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
        for own in self._of_each_rater():
            of_rows = np.zeros(len(self.count))
            of_rows[self.row[own]] = values[own]
            yield of_rows

    def each_rater(self) -> Iterator[tuple[IntArray, IntArray]]:
        """Return the rows and the categories of the ratings of one rater after the other."""
        for own in self._of_each_rater():
            yield self.row[own], self.code[own]

    def _of_each_rater(self) -> Iterator[IntArray]:
        """Return the ratings of one rater after the other."""
        order = np.argsort(self.rater, kind="stable")
        ends = np.searchsorted(self.rater[order], np.arange(self.crowd + 1))
        for start, stop in pairwise(ends):
            yield order[start:stop]

    def margins(self, per_rating: FloatArray) -> FloatArray:
        """Sum a weight of each row over the ratings of each category, shape (G, K)."""
        shape = (self.n_groups, self.n_categories)
        place = self.group[self.row].astype(np.int64) * self.n_categories + self.code
        weights = (self.count * per_rating)[self.row]
        flat = np.bincount(place, weights=weights, minlength=shape[0] * shape[1])
        return flat.astype(np.float64, copy=False).reshape(shape)

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

    def compressed(self) -> ListedRows:
        """Return the rows as they are: they hardly ever repeat, and are sorted by item."""
        return self
