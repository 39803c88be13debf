"""Class probabilities -> the labels that maximise expected kappa."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

if TYPE_CHECKING:
    from pdkappa._typing import FloatArray, IntArray

TIE = 1e-14  # of the largest disagreement: labels as near as this are equally good


class Decision(NamedTuple):
    """One label for each of N items, and the kappa that they are expected to have.

    Attributes
    ----------
    labels : ndarray of int, shape (N,)
    estimate : float
        NaN where the labels cannot disagree with the truth by chance (0/0).
    """

    labels: IntArray
    estimate: float


def best_labels(apart: FloatArray, by_chance: FloatArray) -> Decision:
    """Find the labels that maximise one less observed over expected disagreement.

    Parameters
    ----------
    apart : ndarray of float, shape (N, K)
        Expected disagreement of the true class of each item with each label; N > 0.
    by_chance : ndarray of float, shape (K,)
        Expected disagreement of the true class of any item with each label.

    Notes
    -----
    With A and B the sums of `apart` and of `by_chance` over the labels, the greatest kappa
    1 - A / B belongs to the labels that minimise A - (A* / B*) B, where A* and B* are their
    own sums: one item at a time, starting from A = B, until nothing improves. The steps are
    those of Newton's method on a concave function that is linear in pieces, so that they end
    at its root after finitely many [1]_.

    References
    ----------
    .. [1] Dinkelbach, W. (1967). On nonlinear fractional programming. Management Science,
           13(7), 492-498. https://doi.org/10.1287/mnsc.13.7.492
    """
    observed = expected = 1.0
    best: IntArray | None = None
    while True:
        labels = _cheapest(apart, by_chance, observed, expected)
        found = means_of(apart, by_chance, labels)
        if best is not None and not found[0] * expected < found[1] * observed:
            return Decision(best, kappa_of_means(observed, expected))
        best, (observed, expected) = labels, found


def means_of(apart: FloatArray, by_chance: FloatArray, labels: IntArray) -> tuple[float, float]:
    """Return the observed and the expected disagreement of some labels."""
    observed = apart[np.arange(len(apart)), labels].mean()
    return float(observed), float(by_chance[labels].mean())


def kappa_of_means(observed: float, expected: float) -> float:
    """Return one less observed over expected disagreement; NaN where none is expected."""
    return 1 - observed / expected if expected > 0 else np.nan


def _cheapest(
    apart: FloatArray, by_chance: FloatArray, observed: float, expected: float
) -> IntArray:
    """Minimise A - (observed / expected) B; among equals, A."""
    cost = expected * apart - observed * by_chance
    slack = TIE * (expected * apart.max() + observed * by_chance.max())
    equal = cost <= cost.min(axis=1, keepdims=True) + slack
    return np.where(equal, apart, np.inf).argmin(axis=1)
