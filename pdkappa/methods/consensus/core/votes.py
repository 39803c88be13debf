"""Votes on items -> shares of the votes, the leading label of each item, figures of the raters."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from scipy.sparse import csr_array, diags_array

from pdkappa.coefficients.score_limits import ROUNDING

if TYPE_CHECKING:
    from pdkappa._typing import BoolArray, FloatArray, IntArray


@dataclass(frozen=True)
class Votes:
    """M ratings of N items by R raters into K categories; every item has one or more.

    Attributes
    ----------
    item, rater, category : ndarray of int, shape (M,)
        The ratings, in any order.
    n_items, n_raters, n_categories : int
        N, R and K.
    weights : ndarray of float, shape (N,)
        How much each item counts, more than zero.
    """

    item: IntArray
    rater: IntArray
    category: IntArray
    n_items: int
    n_raters: int
    n_categories: int
    weights: FloatArray

    @cached_property
    def counts(self) -> csr_array:
        """How many raters put each item into each category, shape (N, K)."""
        return self.weighted(np.ones(len(self.item)))

    @cached_property
    def given(self) -> csr_array:
        """Who put which item into which category, shape (R * K, N)."""
        row = self.rater.astype(np.int64) * self.n_categories + self.category
        shape = (self.n_raters * self.n_categories, self.n_items)
        return csr_array((np.ones(len(row)), (row, self.item)), shape=shape)

    @cached_property
    def n_ratings(self) -> IntArray:
        """Number of ratings of each item, shape (N,)."""
        number: IntArray = np.bincount(self.item, minlength=self.n_items)
        return number

    def weighted(self, weights: FloatArray) -> csr_array:
        """Add up weights of the ratings, shape (M,), by item and category, shape (N, K)."""
        shape = (self.n_items, self.n_categories)
        found = csr_array((weights, (self.item, self.category)), shape=shape)
        found.sum_duplicates()
        return found

    def at(self, cells: csr_array) -> FloatArray:
        """Look up the cell of the item and the category of each rating, shape (M,)."""
        k = self.n_categories
        row = np.repeat(np.arange(self.n_items), np.diff(cells.indptr))
        stored = np.append(row * k + cells.indices, self.n_items * k)
        asked = self.item * k + self.category
        place = np.searchsorted(stored, asked)
        return np.where(stored[place] == asked, np.append(cells.data, 0.0)[place], 0.0)

    def of_rater(self, values: FloatArray) -> FloatArray:
        """Add up a figure of each rating, shape (M,), by rater, items as they count, shape (R,)."""
        values = values * self.weights[self.item]
        total = np.bincount(self.rater, values, minlength=self.n_raters)
        return total.astype(np.float64, copy=False)


class Leading(NamedTuple):
    """The label of each item, every field of shape (N,).

    Attributes
    ----------
    category : ndarray of int
        The most probable category, the first of several.
    probability : ndarray of float
        Its probability.
    margin : ndarray of float
        How much more probable it is than any other, 0 where several are.
    tied : ndarray of bool
        Whether several are.
    """

    category: IntArray
    probability: FloatArray
    margin: FloatArray
    tied: BoolArray


class RaterFigures(NamedTuple):
    """What the labels say of R raters, every field of shape (R,); NaN where it is 0/0.

    Attributes
    ----------
    n_ratings : ndarray of float
        Number of ratings, or their total weight.
    accuracy : ndarray of float
        Share of the ratings that are right, where each is with the probability of its label.
    agreement : ndarray of float
        Share of the other ratings of the same items that are the same.
    share_of_agreement : ndarray of float
        Part of all pairs of equal ratings, half a pair for each of the two.
    """

    n_ratings: FloatArray
    accuracy: FloatArray
    agreement: FloatArray
    share_of_agreement: FloatArray


def shares(weights: csr_array) -> csr_array:
    """Divide each row by its sum."""
    totals = np.repeat(weights.sum(axis=1), np.diff(weights.indptr))
    cells = (weights.data / totals, weights.indices, weights.indptr)
    return csr_array(cells, shape=weights.shape)


def leading(probability: csr_array) -> Leading:
    """Find the most probable category of each item; what differs by rounding is the same."""
    starts, value, place = probability.indptr[:-1], probability.data, probability.indices
    row = np.repeat(np.arange(len(starts)), np.diff(probability.indptr))
    top = np.maximum.reduceat(value, starts)
    first = value >= (top - ROUNDING)[row]
    n_first = np.add.reduceat(first, starts, dtype=np.int64)
    at = np.minimum.reduceat(np.where(first, np.arange(len(value)), len(value)), starts)
    others = value.copy()
    others[at] = 0.0
    next_best = np.maximum.reduceat(others, starts)
    tied = n_first > 1
    margin = np.where(tied, 0.0, value[at] - next_best)
    return Leading(place[at].astype(np.int64), np.minimum(value[at], 1.0), margin, tied)


def certain(labels: Leading, n_categories: int) -> csr_array:
    """Take the labels for the truth: the probability 1 of each, shape (N, K)."""
    n_items = len(labels.category)
    pointers = np.arange(n_items + 1)
    cells = (np.ones(n_items), labels.category, pointers)
    return csr_array(cells, shape=(n_items, n_categories))


def figures_of_raters(votes: Votes, truth: csr_array) -> RaterFigures:
    """Compare each rater with the truth, as far as it is known, and with the other raters.

    Parameters
    ----------
    votes : Votes
        The ratings.
    truth : sparse array, shape (N, K)
        Probability of each category of each item.
    """
    n_ratings = votes.of_rater(np.ones(len(votes.item)))
    right = votes.of_rater(votes.at(truth))
    same = votes.of_rater(votes.at(votes.counts) - 1)
    others = votes.of_rater((votes.n_ratings[votes.item] - 1).astype(np.float64))
    with np.errstate(invalid="ignore"):  # who rated nothing, or alone
        return RaterFigures(
            n_ratings=n_ratings,
            accuracy=right / n_ratings,
            agreement=same / others,
            share_of_agreement=np.where(others > 0, same / same.sum(), np.nan),
        )


def confusion(votes: Votes, truth: csr_array) -> FloatArray:
    """Estimate how often each rater calls one category another one.

    Returns
    -------
    ndarray of float, shape (R, K, K)
        Share of the ratings `l` of rater `r` among those of items of category `k`, at
        ``[r, k, l]``. NaN where the rater rated no such item.
    """
    expected = votes.given @ (diags_array(votes.weights) @ truth).toarray()
    k = votes.n_categories
    by_truth = expected.reshape(votes.n_raters, k, k).transpose(0, 2, 1)
    with np.errstate(invalid="ignore"):
        result: FloatArray = by_truth / by_truth.sum(axis=-1, keepdims=True)
    return result
