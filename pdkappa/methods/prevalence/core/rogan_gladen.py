"""Errors of a judge, known from labelled items -> the share that the judgements stand for."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from pdkappa.coefficients.distributions import half_width
from pdkappa.methods.prevalence.core.means import Means, defined

if TYPE_CHECKING:
    from pdkappa._typing import FloatArray
    from pdkappa.methods.prevalence.core.means import Values


def rogan_gladen(values: Values, lam: float | None, level: float) -> Means:  # noqa: ARG001
    r"""Correct the share of the judgements by the judge's sensitivity and specificity.

    Notes
    -----
    With p the share of the unlabelled items that the judge puts into the category, and q1 and q0
    the shares of the labelled items in it, and not in it, that the judge puts where they belong,
    the estimate is :math:`(p + q_0 - 1) / (q_0 + q_1 - 1)` (Rogan & Gladen, 1978). See
    `limits_of_corrected` for the limits.
    """
    values = values.judged()
    total, label, inside = values.rows.total, values.has_label, values.human > 0
    m1, m0, n = total(label & inside), total(label & ~inside), total(~label)
    with np.errstate(divide="ignore", invalid="ignore"):
        q1 = total(label & inside & (values.judge > 0)) / m1
        q0 = total(label & ~inside & (values.judge == 0)) / m0
        p = total(~label & (values.judge > 0)) / n
        informed = q0 + q1 - 1
        share = np.clip((p - 1 + q0) / informed, 0.0, 1.0)
        se = _error(share, (p, q0, q1), (n, m0, m1)) / informed
    low, high = limits_of_corrected((p, q0, q1), (n, m0, m1), level)
    reason = np.full(len(n), "", dtype=object)
    reason[informed <= 0] = "judge_at_chance"
    reason[(m0 == 0) | (m1 == 0)] = "unseen_class"
    reason[n == 0] = "no_unlabelled"
    reason[m0 + m1 == 0] = "no_joint_items"
    means = Means(share, se, low, high, np.full(len(n), np.nan), reason)
    return defined(means, of_shares=True)


def limits_of_corrected(
    shares: tuple[FloatArray, ...], numbers: tuple[FloatArray, ...], level: float
) -> tuple[FloatArray, FloatArray]:
    """Limits of a corrected share, that of errors of a judge known from few items, each (G,).

    Parameters
    ----------
    shares : p, q0, q1
        Of judgements in the category; specificity and sensitivity of the judge.
    numbers : n, m0, m1
        Of the items that each of them comes from.
    level : float
        Between 0 and 1.

    Returns
    -------
    tuple of ndarray
        Between 0 and 1, which they are where pseudo-items leave the judge no better than chance.

    Notes
    -----
    Those of Lee et al. (2025): pseudo-items are added, ``z**2`` to n and two to each of the
    others, half of them in the category, and the centre is moved by the curvature of the quotient.
    """
    z = half_width(level)
    p, q0, q1 = (
        (m * q + more / 2) / (m + more)
        for q, m, more in zip(shares, numbers, (z**2, 2, 2), strict=True)
    )
    n, m0, m1 = (m + more for m, more in zip(numbers, (z**2, 2, 2), strict=True))
    with np.errstate(divide="ignore", invalid="ignore"):
        informed = q0 + q1 - 1
        share = (p - 1 + q0) / informed
        moved = 2 * z**2 * (share * q1 * (1 - q1) / m1 - (1 - share) * q0 * (1 - q0) / m0)
        half = z * _error(share, (p, q0, q1), (n, m0, m1)) / informed
        low, high = share + moved - half, share + moved + half
    some = ~(informed <= 0)
    return np.clip(np.where(some, low, 0), 0, 1), np.clip(np.where(some, high, 1), 0, 1)


def _error(
    share: FloatArray, shares: tuple[FloatArray, ...], numbers: tuple[FloatArray, ...]
) -> FloatArray:
    """Compute the error of the numerator of a corrected share, by the delta method, (G,)."""
    factors = np.ones_like(share), 1 - share, share
    parts = zip(factors, shares, numbers, strict=True)
    return np.sqrt(sum(by**2 * q * (1 - q) / n for by, q, n in parts))
