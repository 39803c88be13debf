"""How often a judge and each human are nearer to the others -> whether the judge may replace them.

Everything here is a function of three counts: of the items, and of those on which one or the other
is nearer.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from pdkappa.coefficients.score_limits import ROUNDING, stdtr

if TYPE_CHECKING:
    from pdkappa._typing import BoolArray, FloatArray, IntArray
    from pdkappa.methods.judges.core.alignment import Wins

FEWEST_FOR_T = 30
GRID = 1001  # distributions over which the exact test looks for the greatest probability


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
    for size in np.unique(n[exact]):
        same = exact & (n == size)
        judge, human = (np.rint(one[same]).astype(np.int64) for one in (wins.judge, wins.human))
        p_value[same] = exact_tests(round(size), epsilon)[judge, human]
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


def exact_tests(n: int, epsilon: float) -> FloatArray:
    """p-values of the exact test of the same, for every outcome of n items.

    Returns
    -------
    ndarray of float, shape (n + 1, n + 1)
        By the number of items on which the judge is nearer, and on which the human is; NaN where
        there are more than n together.

    Notes
    -----
    Outcomes are put in order by the score statistic ``(mean(d) - epsilon) / se``, whose standard
    error is that of the most likely distribution with the mean `epsilon`. The p-value is the
    greatest probability, over the distributions with that mean, of an outcome as low or lower;
    distributions with a greater mean give lower ones.
    """
    from scipy import special

    places = np.indices((n + 1, n + 1)).reshape(2, -1)
    judge, human = places[:, places.sum(axis=0) <= n].astype(np.float64)
    order, new = _ordered(_score(n, judge, human, epsilon))
    judge, human = judge[order], human[order]
    low = np.linspace(0.0, (1 - epsilon) / 2, GRID)[:, None]  # probability that the judge is nearer
    counts = (judge, human, n - judge - human)
    shares = (low, low + epsilon, np.maximum(1 - 2 * low - epsilon, 0.0))
    logs = special.gammaln(n + 1) + sum(
        special.xlogy(count, share) - special.gammaln(count + 1)
        for count, share in zip(counts, shares, strict=True)
    )
    tail = np.cumsum(np.exp(logs), axis=1).max(axis=0)
    found = np.full((n + 1, n + 1), np.nan)
    last = np.append(np.flatnonzero(new)[1:], len(tail)) - 1  # of those that are equally low
    found[judge.astype(int), human.astype(int)] = np.minimum(tail[last][np.cumsum(new) - 1], 1.0)
    return found


def _score(n: int, judge: FloatArray, human: FloatArray, epsilon: float) -> FloatArray:
    """Score statistic of the hypothesis that the mean of d is `epsilon`, as Tango (1998) has it."""
    linear = (judge + human) * (1 - epsilon) - 2 * epsilon * (n - human)
    root = np.sqrt(linear**2 + 8 * n * judge * epsilon * (1 - epsilon))
    likely = (linear + root) / (4 * n)  # probability that the judge is nearer
    variance = n * (2 * likely + epsilon - epsilon**2)
    with np.errstate(invalid="ignore"):  # no item differs, and epsilon is 0
        score = (human - judge - n * epsilon) / np.sqrt(variance)
    return np.where(variance > 0, score, 0.0)


def _ordered(score: FloatArray) -> tuple[IntArray, BoolArray]:
    """Put scores in ascending order; tell which are greater than the one before."""
    order = np.argsort(score, kind="stable")
    new: BoolArray = np.diff(score[order], prepend=-np.inf) > ROUNDING
    return order, new


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
