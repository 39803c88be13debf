"""Differences of coefficients of independent groups, and a test that all are equal, by limits.

Limits of a coefficient are not symmetric, and say more than its standard error: the variance on
the side of the null is recovered from the limit there.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from pdkappa.coefficients.score_limits import chdtrc, ndtr, ndtri

if TYPE_CHECKING:
    from collections.abc import Callable

    from pdkappa._typing import FloatArray, IntArray

    LimitsAt = Callable[[float], tuple[FloatArray, FloatArray]]

FARTHEST = 7.0  # normal quantile: the p-value is 3e-12
KNOTS = 28  # normal quantiles at which limits are computed; between them a cubic
STEPS = 60  # of halving an interval
MOST_STEPS = 100


@dataclass(frozen=True)
class Mover:
    """Differences of P pairs of G groups, whose limits are known at any confidence level.

    Attributes
    ----------
    estimate : ndarray of float, shape (G,)
        Coefficients of the groups.
    one, other : ndarray of int, shape (P,)
        The groups that are compared.
    limits_at : callable
        Lower and upper limits of the groups, each (G,), at a confidence level.
    level : float
        The level that is shown.

    Notes
    -----
    With the coefficients k1 and k2 and their limits l and u, those of the difference are [1]_

    ``k1 - k2 - sqrt((k1 - l1)**2 + (u2 - k2)**2)`` and
    ``k1 - k2 + sqrt((u1 - k1)**2 + (k2 - l2)**2)``.

    A p-value is the level at which a limit reaches the null. Limits are computed at some levels,
    that which is shown among them, so that p and limits never contradict each other.

    References
    ----------
    .. [1] Zou, G. Y., & Donner, A. (2008). Construction of confidence limits about effect
           measures: a general approach. Statistics in Medicine, 27(10), 1693-1702.
           https://doi.org/10.1002/sim.3095
    """

    estimate: FloatArray
    one: IntArray
    other: IntArray
    limits_at: LimitsAt
    level: float

    @property
    def difference(self) -> FloatArray:
        """First minus second, shape (P,)."""
        return self.estimate[self.one] - self.estimate[self.other]

    def limits(self) -> tuple[FloatArray, FloatArray]:
        """Limits of the differences at the level that is shown, each (P,)."""
        below, above = self._reach(self.level)
        return self.difference - below, self.difference + above

    def quantile(self, null: float) -> FloatArray:
        """Find the normal quantile of the level at which a limit is `null`, with its sign, (P,)."""
        apart = self.difference - null
        quantiles, below, above = self._curves
        reach = np.where(apart > 0, below, above)
        return np.sign(apart) * _where_it_is(quantiles, reach, np.abs(apart))

    def _reach(self, level: float) -> tuple[FloatArray, FloatArray]:
        """How far the limits of the differences are from these, each (P,)."""
        low, high = self.limits_at(level)
        down, up = self.estimate - low, high - self.estimate
        one, other = self.one, self.other
        return np.hypot(down[one], up[other]), np.hypot(up[one], down[other])

    @cached_property
    def _curves(self) -> tuple[FloatArray, FloatArray, FloatArray]:
        """The same at some normal quantiles, shape (Q,), each of shape (Q, P)."""
        shown = float(ndtri((1 + self.level) / 2))
        quantiles = np.unique([*np.linspace(FARTHEST / KNOTS, FARTHEST, KNOTS), shown])
        reach = [
            self._reach(self.level if one == shown else 1 - 2 * float(ndtr(-one)))
            for one in quantiles
        ]
        below, above = (
            np.maximum.accumulate(np.concatenate([np.zeros((1, len(self.one))), part]))
            for part in (np.array([one[side] for one in reach]) for side in (0, 1))
        )
        return np.append(0.0, quantiles), below, above


def _where_it_is(quantiles: FloatArray, reach: FloatArray, wanted: FloatArray) -> FloatArray:
    """Find where P rising curves, given at Q quantiles, reach what is wanted, shape (P,).

    Beyond the last quantile they go on as straight lines.
    """
    from scipy.interpolate import PchipInterpolator

    known = np.isfinite(reach).all(axis=0) & np.isfinite(wanted)
    curves = PchipInterpolator(quantiles, np.where(known, reach, 0.0), axis=0)
    piece = np.clip((reach < wanted).sum(axis=0) - 1, 0, len(quantiles) - 2)
    cubic = curves.c[:, piece, np.arange(len(wanted))]
    low, high = np.zeros(len(wanted)), np.diff(quantiles)[piece]
    for _ in range(STEPS):
        middle = (low + high) / 2
        short = ((cubic[0] * middle + cubic[1]) * middle + cubic[2]) * middle + cubic[3] < wanted
        low, high = np.where(short, middle, low), np.where(short, high, middle)
    slope = np.maximum((reach[-1] - reach[-2]) / (quantiles[-1] - quantiles[-2]), 1e-9)
    beyond = quantiles[-1] + (wanted - reach[-1]) / slope
    found = np.where(wanted > reach[-1], beyond, quantiles[piece] + high)
    return np.where(known, found, np.nan)


class Equality(NamedTuple):
    """Test that coefficients of G groups are equal."""

    q: float
    df: int
    p_value: float


def all_groups_equal(estimate: FloatArray, limits_at: LimitsAt, level: float) -> Equality:
    """Test that independent coefficients, shape (G,), are equal, by Cochran's Q.

    The variance of each is recovered from its limit on the side of the common mean, as for
    differences; the mean is weighted with the reciprocals. Groups without limits are left out.
    """
    low, high = limits_at(level)
    known = np.isfinite(low) & np.isfinite(high) & (high > low)
    k, low, high = estimate[known], low[known], high[known]
    df = int(known.sum()) - 1
    if df < 1:
        return Equality(np.nan, max(df, 0), np.nan)
    quantile = float(ndtri((1 + level) / 2))
    mean = float(k.mean())
    for _ in range(MOST_STEPS):
        se = np.where(k > mean, k - low, high - k) / quantile
        weight = 1 / np.maximum(se, 1e-9) ** 2
        before, mean = mean, float((weight * k).sum() / weight.sum())
        if abs(mean - before) < 1e-12:  # noqa: PLR2004
            break
    q = float((weight * (k - mean) ** 2).sum())
    return Equality(q, df, float(chdtrc(df, q)))
