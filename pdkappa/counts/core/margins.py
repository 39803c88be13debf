"""Additive sufficient statistics: how often each item, or rater, has each category.

Item by category they are all that coefficients need which do not know who rated; rater by
category they are the margins of those that do. Counts of chunks of the data add up.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from pdkappa.counts.core.pairs import add_up

if TYPE_CHECKING:
    from pdkappa._typing import CountArray, FloatArray, IntArray


@dataclass(frozen=True)
class Margins:
    """Counts of K categories of S subjects, as the cells that occur.

    Attributes
    ----------
    subject, category : ndarray of int, shape (C,)
        The item or rater of each cell, and its category; sorted by both, and no cell twice.
    count : ndarray of int or float, shape (C,)
        Number of ratings (or their total weight) in each cell.
    n_subjects, n_categories : int
        S, counting subjects without any cell, and K.
    """

    subject: IntArray
    category: IntArray
    count: CountArray
    n_subjects: int
    n_categories: int

    @classmethod
    def from_keys(
        cls, keys: IntArray, count: CountArray, n_subjects: int, n_categories: int
    ) -> Margins:
        """Build from cell numbers ``subject * K + category``, ascending and distinct."""
        subject, category = np.divmod(keys, max(n_categories, 1))
        return cls(subject, category, count, n_subjects, n_categories)

    @classmethod
    def from_dense(cls, dense: CountArray) -> Margins:
        """Build from one row for each subject, shape (S, K)."""
        flat = dense.reshape(-1)
        keys = np.flatnonzero(flat)
        return cls.from_keys(keys, flat[keys], *dense.shape)

    @property
    def keys(self) -> IntArray:
        """Number of each cell, ``subject * K + category``, shape (C,)."""
        result: IntArray = self.subject.astype(np.int64) * self.n_categories + self.category
        return result

    def __add__(self, other: Margins) -> Margins:
        """Add the counts of two disjoint sets of ratings cell by cell."""
        keys, total = add_up(
            np.concatenate([self.keys, other.keys]), np.concatenate([self.count, other.count])
        )
        return self.from_keys(keys, total, self.n_subjects, self.n_categories)

    def total(self, values: CountArray) -> FloatArray:
        """Sum a value of each cell over the cells of each subject, shape (S,)."""
        sums = np.bincount(self.subject, weights=values, minlength=self.n_subjects)
        return sums.astype(np.float64, copy=False)

    def occurring(self) -> tuple[IntArray, Margins]:
        """Return the subjects that have a cell, and the same counts of them alone."""
        is_new = np.diff(self.subject, prepend=-1) != 0
        number = np.cumsum(is_new) - 1
        known = self.subject[is_new]
        return known, replace(self, subject=number, n_subjects=len(known))

    def take(self, start: int, stop: int) -> Margins:
        """Return the counts of some subjects that follow each other."""
        part = slice(*np.searchsorted(self.subject, [start, stop]))
        return replace(
            self,
            subject=self.subject[part] - start,
            category=self.category[part],
            count=self.count[part],
            n_subjects=stop - start,
        )

    def dense(self) -> FloatArray:
        """Return one row for each subject, shape (S, K)."""
        result = np.zeros(self.n_subjects * self.n_categories)
        result[self.keys] = self.count
        return result.reshape(self.n_subjects, self.n_categories)


def count_categories(
    subject: IntArray,
    category: IntArray,
    n_subjects: int,
    n_categories: int,
    weights: FloatArray | None = None,
) -> Margins:
    """Count the categories of ratings by their items, or by their raters.

    Parameters
    ----------
    subject, category : ndarray of int, shape (M,)
        The item (or rater, or rater of a group) of each rating, and its category.
    n_subjects, n_categories : int
        S and K.
    weights : ndarray of float, shape (M,), optional
        Frequency weight of each rating, greater than zero.

    Returns
    -------
    Margins
        Whole numbers without weights. Counts of parts of the ratings add up.
    """
    keys = subject.astype(np.int64) * n_categories + category
    return Margins.from_keys(*add_up(keys, weights), n_subjects, n_categories)
