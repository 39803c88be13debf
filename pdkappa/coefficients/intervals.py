"""Estimate and standard error -> interval, z and p."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple, Protocol

import numpy as np

from pdkappa.coefficients.distributions import ndtr, ndtri, stdtrit
from pdkappa.coefficients.pairwise import smoothed
from pdkappa.coefficients.rounding import AT_FLOOR

if TYPE_CHECKING:
    from pdkappa._typing import FloatArray
    from pdkappa.coefficients.chance import Coefficient
    from pdkappa.coefficients.pairwise import Agreement
    from pdkappa.coefficients.weights import Scale
    from pdkappa.counts.core.pairs import PairCounts

# Of the scorer of the essay-scoring competition of 2012, whose mean of essay sets it is.
FISHER_CAP = 0.999
FEWEST_DEGREES = 1e-9  # the t quantile of none is not defined


class Limits(NamedTuple):
    """Lower and upper confidence limits, each of shape (S,)."""

    low: FloatArray
    high: FloatArray

    def within(self, estimate: FloatArray, se: FloatArray, floor: FloatArray) -> Limits:
        """Widen to the estimate, keep inside the range, and be NaN where the SE is.

        A coefficient below its usual floor, possible with weights that are no distances,
        has no floor.
        """
        bottom = np.where(estimate < floor - AT_FLOOR, -np.inf, floor)
        low = np.minimum(np.maximum(self.low, bottom), estimate)
        high = np.minimum(np.maximum(self.high, estimate), 1.0)
        unknown = np.isnan(se)
        return Limits(np.where(unknown, np.nan, low), np.where(unknown, np.nan, high))


class IntervalMethod(Protocol):
    """Compute confidence limits of the coefficient in each table."""

    def __call__(
        self,
        agreement: Agreement,
        counts: PairCounts,
        scale: Scale,
        coefficient: Coefficient,
        level: float,
    ) -> Limits:
        """Return limits at confidence `level`."""
        ...


def wald(
    agreement: Agreement,
    counts: PairCounts,  # noqa: ARG001
    scale: Scale,  # noqa: ARG001
    coefficient: Coefficient,  # noqa: ARG001
    level: float,
) -> Limits:
    """Estimate plus and minus normal quantiles of the standard error."""
    half = ndtri((1 + level) / 2) * agreement.se
    return Limits(agreement.estimate - half, agreement.estimate + half)


def fisher(
    agreement: Agreement, counts: PairCounts, scale: Scale, coefficient: Coefficient, level: float
) -> Limits:
    """Fisher's z of the table with one pseudo-item, and a t quantile.

    The limits come from the estimate and standard error of the smoothed table. They never
    leave (-1, 1], and are never equal, not even under perfect agreement.
    """
    return _around(*smoothed(counts, scale, coefficient), agreement.n_items, level)


def fisher_of_many(
    estimate: FloatArray, se: FloatArray, n: FloatArray, worst: FloatArray, level: float
) -> Limits:
    """Fisher's z of a coefficient of many raters, and a t quantile.

    All arrays have shape (S,): `n` is the number of items or clusters, and `worst` the largest
    disagreement in units of the expected one.
    """
    return _around(*with_pseudo_item(estimate, se, n, worst), n, level)


def with_pseudo_item(
    estimate: FloatArray, se: FloatArray, n: FloatArray, worst: FloatArray
) -> tuple[FloatArray, FloatArray]:
    """Add a pseudo-item where the standard error is zero: estimate and standard error.

    It disagrees as often as chance would have it, wholly or not at all, so that limits are
    never equal and no group of items is known without error. See `fisher_of_many` for the
    arguments.
    """
    share = 1 / (n + 1)
    # Its disagreement in units of the expected one is `worst` with probability 1 / worst, or 0.
    with np.errstate(divide="ignore", invalid="ignore"):  # fewer than two items
        pseudo = np.sqrt(np.maximum(share * worst - share**2, 0) / n)
    exact = se == 0
    return np.where(exact, (1 - share) * estimate, estimate), np.where(exact, pseudo, se)


def wald_of_many(
    estimate: FloatArray,
    se: FloatArray,
    n: FloatArray,
    worst: FloatArray,  # noqa: ARG001
    level: float,
) -> Limits:
    """Estimate plus and minus t quantiles of the standard error."""
    half = stdtrit(np.maximum(n - 1, FEWEST_DEGREES), (1 + level) / 2) * se
    return Limits(estimate - half, estimate + half)


def limits(
    agreement: Agreement,
    counts: PairCounts,
    scale: Scale,
    coefficient: Coefficient,
    *,
    method: str,
    level: float,
) -> Limits:
    """Compute limits inside the range of the coefficient; NaN where its SE is."""
    found = INTERVALS[method](agreement, counts, scale, coefficient, level)
    return found.within(agreement.estimate, agreement.se, coefficient.lowest(scale))


def _around(centre: FloatArray, se: FloatArray, n: FloatArray, level: float) -> Limits:
    """``tanh(atanh(k) -/+ t * se / (1 - k**2))``; on its own scale outside (-1, 1)."""
    with np.errstate(divide="ignore", invalid="ignore"):
        half = stdtrit(np.maximum(n - 1, FEWEST_DEGREES), (1 + level) / 2) * se
        z, half_z = np.arctanh(centre), half / (1 - centre**2)
        inside = np.abs(centre) < 1
        low = np.where(inside, np.tanh(z - half_z), centre - half)
        high = np.where(inside, np.tanh(z + half_z), centre + half)
    return Limits(low, high)


def z_test(agreement: Agreement) -> tuple[FloatArray, FloatArray]:
    """Test that the raters agree by chance alone: z and the two-sided p, each (S,).

    NaN where the standard error is zero or NaN.
    """
    se = np.where(agreement.se_null > 0, agreement.se_null, np.nan)
    z = agreement.estimate / se
    return z, 2 * ndtr(-np.abs(z))


def fisher_z(estimate: FloatArray, clip: float | None = FISHER_CAP) -> FloatArray:
    """Fisher's z, ``atanh``, of coefficients clipped to [-clip, clip]."""
    with np.errstate(divide="ignore", invalid="ignore"):
        result: FloatArray = np.arctanh(
            estimate if clip is None else np.clip(estimate, -clip, clip)
        )
    return result


INTERVALS: dict[str, IntervalMethod] = {"fisher": fisher, "wald": wald}
INTERVALS_OF_MANY = {"fisher": fisher_of_many, "wald": wald_of_many}
