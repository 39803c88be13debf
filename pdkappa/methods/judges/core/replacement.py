"""How often a judge and each human are nearer to the others -> whether the judge may replace them.

Everything here is a function of three counts: of the items, and of those on which one or the other
is nearer.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from pdkappa.coefficients.distributions import stdtr

if TYPE_CHECKING:
    from pdkappa._typing import BoolArray, FloatArray
    from pdkappa.methods.judges.core.alignment import Wins

FEWEST_FOR_T = 30
GRID = 129
FLAT = 1e-6  # steps of a probability within which the tail hardly changes


class Replacement(NamedTuple):
    """Tests of a judge against each of H humans in G groups, each of shape (H, G).

    Attributes
    ----------
    tested : ndarray of bool
        Which humans count.
    exact : ndarray of bool
        Of whom there are too few items for a t test.
    p_value, p_adjusted : ndarray of float
        NaN for those who do not count.
    """

    tested: BoolArray
    exact: BoolArray
    p_value: FloatArray
    p_adjusted: FloatArray


def replacement(wins: Wins, epsilon: float, min_items: float) -> Replacement:
    """Test that a human is less than `epsilon` more often nearer to the others than a judge.

    Parameters
    ----------
    wins : Wins
        Of shape (H, G).
    epsilon : float
        In [0, 1).
    min_items : float
        Humans with fewer do not count, unless this is true of all.

    Notes
    -----
    With d = 1, 0 or -1 where the human, neither or the judge is nearer, the hypothesis is that the
    mean of d is `epsilon` or more. It is tested by t where there are 30 items, and else exactly.
    P-values are adjusted as by Benjamini and Yekutieli, over the humans of a group.
    """
    n = wins.n_items
    enough = n >= min_items
    tested = np.where(enough.any(axis=0), enough, n > 0)
    exact = tested & (n < FEWEST_FOR_T)
    p_value = np.where(tested, t_test(wins, epsilon), np.nan)
    counts = np.stack([n[exact], (wins.human - wins.judge)[exact]], axis=1)
    cases, place = np.unique(np.rint(counts).astype(np.int64), axis=0, return_inverse=True)
    found = np.array([exact_test(size, total, epsilon) for size, total in cases.tolist()])
    p_value[exact] = found[place.reshape(-1)] if len(cases) else []
    return Replacement(tested, exact, p_value, adjusted(p_value))


def t_test(wins: Wins, epsilon: float) -> FloatArray:
    """One-sided p-value of the t test that the mean of d is below `epsilon`, shape (H, G).

    Where d does not vary, it is 0 if d is below, else 1. Without meaning below two items.
    """
    n = wins.n_items
    with np.errstate(divide="ignore", invalid="ignore"):
        mean = (wins.human - wins.judge) / n
        variance = ((wins.human + wins.judge) / n - mean**2) * n / (n - 1)
        t = (mean - epsilon) / np.sqrt(variance / n)
    constant = (wins.human == n) | (wins.judge == n) | (wins.human + wins.judge == 0)
    known = ~constant & (n > 1)
    p_value = stdtr(np.where(known, n - 1, 1.0), np.where(known, t, 0.0))
    result: FloatArray = np.where(constant, np.where(mean < epsilon, 0.0, 1.0), p_value)
    return result


def exact_test(n: int, total: int, epsilon: float) -> float:
    """p-value of the exact test of the same, of n values of d with this total.

    It is the greatest probability, over all distributions of d with the mean `epsilon`, of a sum
    of d as low as this or lower. Distributions with a greater mean give lower ones.
    """
    low, high = 0.0, (1 - epsilon) / 2  # probability that the judge is nearer
    while True:
        grid = np.linspace(low, high, GRID)
        tail = _tail(n, total, grid, epsilon)
        best = int(tail.argmax())
        step = (high - low) / (GRID - 1)
        if step < FLAT:
            return float(min(tail[best], 1.0))
        low, high = (float(x) for x in np.clip(grid[best] + [-step, step], low, high))


def _tail(n: int, total: int, judge: FloatArray, epsilon: float) -> FloatArray:
    """Probability that n values of d sum up to `total` or less, by that of d = -1; shape (P,)."""
    human = judge + epsilon
    tie = np.maximum(1 - judge - human, 0.0)
    chance = np.zeros((len(judge), 2 * n + 1))
    chance[:, n] = 1.0
    for _ in range(n):
        after = tie[:, None] * chance
        after[:, 1:] += human[:, None] * chance[:, :-1]
        after[:, :-1] += judge[:, None] * chance[:, 1:]
        chance = after
    result: FloatArray = chance[:, : n + total + 1].sum(axis=1)
    return result


def adjusted(p_value: FloatArray) -> FloatArray:
    """Adjust p-values for their number in each column, under any dependence; shape (H, G).

    Of m p-values in ascending order, ``min over k >= i of p_k m (1 + 1/2 + ... + 1/m) / k``.
    Missing ones stay so and do not count.
    """
    m = (~np.isnan(p_value)).sum(axis=0)
    order = np.argsort(p_value, axis=0, kind="stable")  # the missing ones last
    rank = np.arange(1, len(p_value) + 1)[:, None]
    harmonic = np.append(0.0, np.cumsum(1 / rank))[m]
    scaled = np.take_along_axis(p_value, order, axis=0) * (m * harmonic) / rank
    lowest = np.fmin.accumulate(scaled[::-1], axis=0)[::-1]
    found = np.empty_like(p_value)
    np.put_along_axis(found, order, np.minimum(lowest, 1.0), axis=0)
    return np.where(np.isnan(p_value), np.nan, found)
