"""Ratings with how often each row occurs, however they are kept."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import replace
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Self

    from pdkappa._typing import BoolArray, FloatArray, IntArray
    from pdkappa.counts.core.margins import Margins


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
            found: FloatArray = 1 - counts.max(axis=1, initial=0) / counts.sum(axis=1)
        return found

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

    @abstractmethod
    def compressed(self) -> Self:
        """Merge rows that are equal, if that is worth it, and sort them."""

    @cached_property
    def n_items(self) -> FloatArray:
        """Number of items with any rating in each group, shape (G,)."""
        return self.total(self.n_ratings > 0)

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
            found: FloatArray = self.total(self.n_ratings * (self.n_ratings - 1)) / pairs
        return found

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

    def among_groups(self, mean_weight: FloatArray | None) -> Self:
        """Return the same with the weights of a sample as they are beside those of other groups.

        `mean_weight`, of shape (G,), is what they were divided by in each group; None without any.
        """
        if mean_weight is None or self.spread is None:
            return self
        times = mean_weight[self.group]
        return self.with_rows(count=self.count * times, spread=self.spread * times**2)

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
