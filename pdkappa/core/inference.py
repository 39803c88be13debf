"""Estimate and standard error -> interval, z and p."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple, Protocol

import numpy as np
from scipy.special import ndtr, ndtri, stdtrit

from pdkappa.core.pairwise import smoothed

if TYPE_CHECKING:
    from pdkappa._typing import FloatArray
    from pdkappa.core.chance import Coefficient
    from pdkappa.core.counts import PairCounts
    from pdkappa.core.pairwise import Agreement
    from pdkappa.core.weights import Scale

FISHER_CAP = 0.999


class Limits(NamedTuple):
    """Lower and upper confidence limits, each of shape (S,)."""

    low: FloatArray
    high: FloatArray


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

    The limits are ``tanh(atanh(k) -/+ t * se / (1 - k**2))`` with estimate and standard
    error of the smoothed table, widened to contain the estimate of the table itself.
    They never leave (-1, 1], and are never equal, not even under perfect agreement.
    A coefficient below -1, possible with weights that are no distances, gets limits on
    its own scale.
    """
    centre, se = smoothed(counts, scale, coefficient)
    with np.errstate(divide="ignore", invalid="ignore"):
        half = stdtrit(np.maximum(agreement.n_items - 1, 1e-9), (1 + level) / 2) * se
        z, half_z = np.arctanh(centre), half / (1 - centre**2)
        inside = np.abs(centre) < 1
        low = np.where(inside, np.tanh(z - half_z), centre - half)
        high = np.where(inside, np.tanh(z + half_z), centre + half)
    return Limits(np.minimum(low, agreement.estimate), np.maximum(high, agreement.estimate))


def limits(
    agreement: Agreement,
    counts: PairCounts,
    scale: Scale,
    coefficient: Coefficient,
    *,
    method: str,
    level: float,
) -> Limits:
    """Confidence limits inside the range of the coefficient; NaN where its SE is."""
    low, high = INTERVALS[method](agreement, counts, scale, coefficient, level)
    floor = np.where(agreement.estimate < coefficient.floor, -np.inf, coefficient.floor)
    unknown = np.isnan(agreement.se)
    return Limits(
        np.where(unknown, np.nan, np.maximum(low, floor)),
        np.where(unknown, np.nan, np.minimum(high, 1.0)),
    )


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
