"""Items with counts -> shares with their limits, and tests that shares or kappas are the same."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from pdkappa.coefficients.score_limits import ROUNDING, fdtrc, ndtri, stdtrit

if TYPE_CHECKING:
    from pdkappa._typing import FloatArray

HALF_A_COUNT = 0.5
FEWEST = 2
ALIKE_WEIGH = 10.0  # as many items


class Rate(NamedTuple):
    """A share, or a difference of shares, with its limits; NaN where it is 0/0."""

    estimate: float
    low: float
    high: float


NONE = Rate(np.nan, np.nan, np.nan)


def wilson(estimate: float, n: float, level: float) -> Rate:
    """Give a share of n its score limits, where the true one has ``n (p - e)**2 = z**2 e (1 - e)``.

    >>> [round(float(one), 3) for one in wilson(0.1, 50, 0.95)]
    [0.1, 0.043, 0.214]
    """
    if not n > 0:
        return NONE
    z = ndtri((1 + level) / 2)
    middle = (estimate + z**2 / (2 * n)) / (1 + z**2 / n)
    half = z * np.sqrt(estimate * (1 - estimate) / n + z**2 / (4 * n**2)) / (1 + z**2 / n)
    return Rate(estimate, float(max(middle - half, 0.0)), float(min(middle + half, 1.0)))


def ratio(top: FloatArray, bottom: FloatArray, count: FloatArray, level: float) -> Rate:
    """Estimate a share of ratings, of which an item may have several.

    Parameters
    ----------
    top, bottom : ndarray of float, shape (U,)
        Ratings of each item that are counted, and of which they are a part.
    count : ndarray of float, shape (U,)
        Number of items like this.
    level : float
        Confidence level.

    Notes
    -----
    ``R = sum(top) / sum(bottom)``, with the variance ``sum((top - R bottom)**2) /
    sum(bottom)**2``. Of few items that is known badly, so that it is averaged with what it would
    be if all ratings of an item were alike, ``R (1 - R) sum(bottom**2) / sum(bottom)**2``: of m
    items with a part in it, these weigh m to 10. Limits are Wilson's for as many independent
    ratings as would have that variance, at most those that there are.
    """
    m, total = float(count[bottom > 0].sum()), float((count * bottom).sum())
    if not m > 0:
        return NONE
    share = float((count * top).sum() / total)
    alike = float((count * bottom**2).sum()) / total**2
    if not 0 < share < 1:
        return wilson(share, 1 / alike, level)
    own = float((count * (top - share * bottom) ** 2).sum()) / total**2
    binomial = share * (1 - share)
    variance = (m * own + ALIKE_WEIGH * binomial * alike) / (m + ALIKE_WEIGH)
    return wilson(share, min(binomial / variance, total), level)


def mean_of(values: FloatArray, count: FloatArray, level: float) -> Rate:
    """Estimate the mean of a value of each item, with limits by t; none where nothing varies."""
    n = float(count.sum())
    if not n > 0:
        return NONE
    mean = float((count * values).sum() / n)
    if n < FEWEST:
        return Rate(mean, np.nan, np.nan)
    se = float(np.sqrt((count * (values - mean) ** 2).sum() / (n - 1) / n))
    half = stdtrit(n - 1, (1 + level) / 2) * se if se > ROUNDING else np.nan
    return Rate(mean, float(mean - half), float(mean + half))


def shift_of_share(gained: float, lost: float, n: float, level: float) -> Rate:
    """Estimate by how much a share grew among n items, of which some gained it and some lost it.

    Limits are those of Agresti and Min (2005), who add half an item to each of the four cells.
    """
    if not n > 0:
        return NONE
    more, less, all_of_them = gained + HALF_A_COUNT, lost + HALF_A_COUNT, n + 4 * HALF_A_COUNT
    middle = (more - less) / all_of_them
    spread = ((more + less) - (more - less) ** 2 / all_of_them) / all_of_them**2
    half = ndtri((1 + level) / 2) * np.sqrt(spread)
    low, high = max(middle - half, -1.0), min(middle + half, 1.0)
    return Rate((gained - lost) / n, float(low), float(high))


def mcnemar(gained: float, lost: float) -> float:
    """Two-sided p-value of the exact test that as many items gain something as lose it.

    >>> round(mcnemar(9, 1), 6), mcnemar(0, 0)
    (0.021484, 1.0)
    """
    from scipy import special

    n = round(gained + lost)
    return float(min(1.0, 2 * special.bdtr(min(gained, lost), n, 0.5))) if n > 0 else 1.0


def all_equal(estimate: FloatArray, se: FloatArray, df: FloatArray) -> float:
    """p-value of Welch's test that independent estimates, shape (G,), are of the same value.

    NaN with fewer than two of them that have a standard error.
    """
    known = (se > 0) & (df > 0) & ~np.isnan(estimate)
    k = int(known.sum())
    if k < FEWEST:
        return np.nan
    weight = 1 / se[known] ** 2
    share = weight / weight.sum()
    mean = float(share @ estimate[known])
    between = float(weight @ (estimate[known] - mean) ** 2) / (k - 1)
    loss = float(((1 - share) ** 2 / df[known]).sum())
    f = between / (1 + 2 * (k - 2) / (k**2 - 1) * loss)
    return float(fdtrc(k - 1, (k**2 - 1) / (3 * loss), f))
