"""Votes -> the probability of each label, by the methods of a consensus."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple, Protocol

import numpy as np
from scipy.sparse import csr_array

from pdkappa.methods.consensus.core.votes import certain, leading, shares

if TYPE_CHECKING:
    from pdkappa._typing import FloatArray
    from pdkappa.methods.consensus.core.votes import Votes


class Steps(NamedTuple):
    """When the steps of an algorithm end: after so many, or when they hardly gain any more.

    Attributes
    ----------
    most : int
        The most steps.
    tolerance : float
        The gain of the log-likelihood, as a part of it, that is none any more.
    """

    most: int
    tolerance: float


class Found(NamedTuple):
    """What a method made of the votes.

    Attributes
    ----------
    probability : sparse array, shape (N, K)
        Probability of each category of each item, 0 where nothing is stored.
    truth : sparse array, shape (N, K)
        The same, by which raters are judged: the labels themselves, unless errors are modelled.
    log_likelihood : ndarray of float, shape (steps,)
        That of the votes at each step, empty where nothing is modelled.
    converged : bool
        Whether the steps came to an end.
    """

    probability: csr_array
    truth: csr_array
    log_likelihood: FloatArray
    converged: bool = True


class Method(Protocol):
    """A way from votes to labels."""

    def __call__(self, votes: Votes, steps: Steps) -> Found:
        """Return the probability of each label."""
        ...


def majority(votes: Votes, steps: Steps) -> Found:  # noqa: ARG001
    """Take the label with the most votes; its probability is its share of them."""
    return _judged(votes, shares(votes.counts))


def weighted(votes: Votes, steps: Steps) -> Found:  # noqa: ARG001
    """Let each vote count by the share of the rater's votes that are with the majority.

    Where none of an item's votes counts anything, all count the same.
    """
    first = leading(shares(votes.counts)).category
    with_majority = votes.of_rater((first[votes.item] == votes.category).astype(np.float64))
    rated = votes.of_rater(np.ones(len(votes.item)))
    skill = with_majority / np.where(rated > 0, rated, 1.0)
    weight = skill[votes.rater]
    none_counts = np.bincount(votes.item, weight, minlength=votes.n_items) == 0
    return _judged(votes, shares(votes.weighted(np.where(none_counts[votes.item], 1.0, weight))))


def _judged(votes: Votes, probability: csr_array) -> Found:
    """Judge raters by the labels."""
    truth = certain(leading(probability), votes.n_categories)
    return Found(probability, truth, np.empty(0))


def dawid_skene(votes: Votes, steps: Steps) -> Found:
    """Estimate errors of the raters and classes of the items by EM (Dawid & Skene, 1979).

    In the symbols of the source, T[i, j] is the probability that item i is of class j, p[j] the
    share of the class, and pi[k, j, l] the probability that rater k calls it l. The first T are
    the shares of the votes. Neither step lowers the likelihood of the votes.
    """
    given, by_item = votes.given, csr_array(votes.given.T)
    k, weights = votes.n_categories, votes.weights
    classes = shares(votes.counts).toarray()
    total, path = weights.sum(), [-np.inf]
    converged = False
    while not converged and len(path) <= steps.most:
        weighted_classes = classes * weights[:, None]
        p = weighted_classes.sum(axis=0) / total
        calls = (given @ weighted_classes).reshape(votes.n_raters, k, k)
        with np.errstate(divide="ignore", invalid="ignore"):  # classes that are none
            pi = calls / calls.sum(axis=1, keepdims=True)
            log_pi = np.log(np.where(calls > 0, pi, 0.0)).reshape(-1, k)
            joint = by_item @ log_pi + np.log(p)
        largest = joint.max(axis=1, keepdims=True)
        classes = np.exp(joint - largest)
        of_item = classes.sum(axis=1, keepdims=True)
        classes /= of_item
        path.append(float(weights @ (largest + np.log(of_item))[:, 0]))
        converged = path[-1] - path[-2] <= steps.tolerance * abs(path[-1])
    probability = _dense(classes)
    return Found(probability, probability, np.array(path[1:]), converged)


def _dense(values: FloatArray) -> csr_array:
    """Store every value of a matrix, zeros too."""
    n_rows, n_columns = values.shape
    columns = np.tile(np.arange(n_columns), n_rows)
    pointers = np.arange(n_rows + 1) * n_columns
    return csr_array((values.reshape(-1), columns, pointers), shape=values.shape)


METHODS: dict[str, Method] = {
    "majority": majority,
    "weighted": weighted,
    "dawid_skene": dawid_skene,
}
