"""Counts, probabilities and rankings -> accuracy, F1, log loss, average precision."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

if TYPE_CHECKING:
    from pdkappa._typing import BoolArray, CountArray, FloatArray, IntArray
    from pdkappa.coefficients.pair_counts import PairCounts

EPSILON = float(np.finfo(np.float64).eps)


@dataclass(frozen=True)
class LabelSets:
    """S sets of labels: what an item can have, be it one label or several.

    Attributes
    ----------
    start : ndarray of int, shape (S + 1,)
        Where each set starts in `label`, and where the last one ends.
    label : ndarray of int, shape (M,)
        The labels of all sets, one set after the other, ascending and distinct in each.
    """

    start: IntArray
    label: IntArray

    @classmethod
    def of_one(cls, n_labels: int) -> LabelSets:
        """Return the sets of one label each, numbered as the labels."""
        return cls(np.arange(n_labels + 1), np.arange(n_labels))

    def __len__(self) -> int:
        """Count the sets."""
        return len(self.start) - 1

    def size(self, sets: IntArray) -> IntArray:
        """Count the labels in some sets; -1 is no set and has none."""
        sizes: IntArray = np.append(np.diff(self.start), 0)
        return sizes[sets]

    def members(self, sets: IntArray) -> tuple[IntArray, IntArray]:
        """List the labels in some sets: the place among `sets` of each, and the label."""
        size = self.size(sets)
        owner = np.repeat(np.arange(len(sets)), size)
        first = np.cumsum(size) - size
        return owner, self.label[self.start[sets][owner] + np.arange(len(owner)) - first[owner]]


class LabelScores(NamedTuple):
    """How well predicted labels fit, in each of T tables, each of shape (T,) and in [0, 1].

    Attributes
    ----------
    accuracy : ndarray of float
        Share of items whose predicted set of labels is the true one.
    mean_f1 : ndarray of float
        Mean over the items of the F1 of each item's labels.
    macro_f1 : ndarray of float
        Mean over the labels of the F1 of each label.
    micro_f1 : ndarray of float
        F1 of all pairs of an item and a label.
    """

    accuracy: FloatArray
    mean_f1: FloatArray
    macro_f1: FloatArray
    micro_f1: FloatArray


def label_scores(counts: PairCounts, sets: LabelSets) -> LabelScores:
    """Score predicted labels from how often each met which true ones.

    Parameters
    ----------
    counts : PairCounts
        T tables of truth (rows) by prediction (columns), over S sets of labels.
    sets : LabelSets
        The S sets.

    Returns
    -------
    LabelScores
        NaN where there is no item; an F1 also where there is no label.

    Notes
    -----
    With t true labels, p predicted ones, and h that are both, ``F1 = 2 h / (t + p)``. It is
    0/0 for an item without any label, and for a label that is neither true nor predicted of
    any item; these are left out of the means.
    """
    true, predicted = sets.members(counts.row), sets.members(counts.col)
    n_labels = int(sets.label.max(initial=-1)) + 1
    keys, others = (cell * n_labels + label for cell, label in (true, predicted))
    is_hit = _are_among(keys, others)
    hits = 2 * np.bincount(true[0][is_hit], minlength=len(counts.row))
    labels = sets.size(counts.row) + sets.size(counts.col)
    labelled = np.where(labels > 0, counts.count, 0)
    f1 = np.nan_to_num(_ratio(hits, labels))
    return LabelScores(
        accuracy=_ratio(counts.sum(counts.count * (counts.row == counts.col)), counts.total),
        mean_f1=_ratio(counts.sum(labelled * f1), counts.sum(labelled)),
        macro_f1=_macro_f1(counts, true, predicted, is_hit),
        micro_f1=_ratio(counts.sum(counts.count * hits), counts.sum(counts.count * labels)),
    )


def _macro_f1(
    counts: PairCounts,
    true: tuple[IntArray, IntArray],
    predicted: tuple[IntArray, IntArray],
    is_hit: BoolArray,
) -> FloatArray:
    """Average the F1 of the labels that occur in each table, shape (T,)."""
    cell, label = (np.concatenate(both) for both in zip(true, predicted, strict=True))
    hits = np.concatenate([2 * is_hit, np.zeros(len(predicted[0]), dtype=np.int64)])
    n_labels = int(label.max(initial=-1)) + 1
    key = counts.table[cell].astype(np.int64) * n_labels + label
    occurring, place = np.unique(key, return_inverse=True)
    count = counts.count[cell]
    n = len(occurring)
    f1 = _ratio(add_up(place, count * hits, n), add_up(place, count, n))
    return weighted_mean(f1, occurring // max(n_labels, 1), counts.n_tables, np.ones(n))


def log_loss(probability: FloatArray) -> FloatArray:
    """Compute the loss of each item from the probability of its true class, shape (N,).

    It is ``-ln(p)`` with p clipped to ``[eps, 1 - eps]``, where eps is the distance of 1 from
    the next float, 2.2e-16: at most 36.04.
    """
    loss: FloatArray = -np.log(np.clip(probability, EPSILON, 1 - EPSILON))
    return loss


class Ranking(NamedTuple):
    """Labels ranked for each item, sorted by item and from best to worst.

    Attributes
    ----------
    item, place : ndarray of int, shape (M,)
        The item, and its place in the ranking, counted from 1.
    label : ndarray of int, shape (M,)
        The label there; -1 for one that no item has.
    """

    item: IntArray
    place: IntArray
    label: IntArray


def average_precision(
    sets: LabelSets, truth: IntArray, ranking: Ranking, k: int, n_labels: int
) -> FloatArray:
    """Score the first k ranked labels of each item, shape (N,), in [0, 1].

    Parameters
    ----------
    sets : LabelSets
        The S sets of labels.
    truth : ndarray of int, shape (N,)
        The set of true labels of each item; -1 where it is missing.
    ranking : Ranking
        The labels ranked for each item. One that is ranked twice counts where it comes first.
    k : int
        How many ranked labels count.
    n_labels : int
        Number of labels.

    Returns
    -------
    ndarray of float
        NaN for an item without true labels.

    Notes
    -----
    The precision at each place that holds a true label, summed and divided by the number of
    true labels, or by k if that is less.
    """
    item, place, label = ranking
    known = (place <= k) & (label >= 0)
    item, place, key = item[known], place[known], (item * n_labels + label)[known]
    owner, true = sets.members(truth)
    hit = np.flatnonzero(_are_among(key, owner * n_labels + true))
    hit = hit[np.sort(np.unique(key[hit], return_index=True)[1])]
    item, place = item[hit], place[hit]
    n_hits = np.bincount(item, minlength=len(truth))
    before = np.cumsum(n_hits) - n_hits
    precision = (np.arange(1, len(item) + 1) - before[item]) / place
    return _ratio(add_up(item, precision, len(truth)), np.minimum(sets.size(truth), k))


def weighted_mean(
    values: FloatArray, group: IntArray, n_groups: int, weights: FloatArray
) -> FloatArray:
    """Average the values of each group that are not NaN, shape (G,); NaN where there is none."""
    defined = ~np.isnan(values)
    values, group, weights = values[defined], group[defined], weights[defined]
    return _ratio(add_up(group, values * weights, n_groups), add_up(group, weights, n_groups))


def add_up(group: IntArray, values: CountArray, n_groups: int) -> FloatArray:
    """Add up the values of each group, shape (G,)."""
    return np.bincount(group, values, n_groups).astype(np.float64, copy=False)


def _are_among(keys: IntArray, known: IntArray) -> BoolArray:
    """Whether each key is among known ones, which are ascending."""
    place = np.searchsorted(known, keys)
    result: BoolArray = np.append(known, -1)[place] == keys
    return result


def _ratio(part: CountArray, whole: FloatArray | IntArray) -> FloatArray:
    """Divide; NaN where the whole is zero."""
    return np.divide(part, whole, out=np.full(np.shape(part), np.nan), where=whole > 0)
