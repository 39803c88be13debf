"""Errors of a judge, known from labelled items -> the share that the judgements stand for."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from pdkappa.coefficients.chance import FEWEST_ITEMS
from pdkappa.coefficients.influence import units_of
from pdkappa.coefficients.intervals import degrees_of
from pdkappa.coefficients.score_limits import design_effect, half_width
from pdkappa.methods.prevalence.core.means import Means, defined
from pdkappa.methods.prevalence.core.parts import part_of

if TYPE_CHECKING:
    from pdkappa._typing import BoolArray, FloatArray
    from pdkappa.methods.prevalence.core.means import Values


def rogan_gladen(values: Values, lam: float | None, level: float) -> Means:  # noqa: ARG001
    r"""Correct the share of the judgements by the judge's sensitivity and specificity.

    Notes
    -----
    With p the share of the unlabelled items that the judge puts into the category, and q1 and q0
    the shares of the labelled items in it, and not in it, that the judge puts where they belong,
    the estimate is :math:`(p + q_0 - 1) / (q_0 + q_1 - 1)` (Rogan & Gladen, 1978). See
    `limits_of_corrected` for the limits, and `_nested` for clusters.
    """
    values = values.judged()
    total, label, inside = values.rows.total, values.has_label, values.human > 0
    parts = (~label, label & ~inside, label & inside)
    rights = tuple(values.judge == right for right in (1, 0, 1))
    n, m0, m1 = numbers = tuple(total(part) for part in parts)
    with np.errstate(divide="ignore", invalid="ignore"):
        p, q0, q1 = shares = tuple(map(values.mean, rights, parts))
        informed = q0 + q1 - 1
        share = np.clip((p - 1 + q0) / informed, 0.0, 1.0)
        error = _error(share, shares, numbers)
        se = error / informed
    reason = np.full(len(n), "", dtype=object)
    df = None
    if values.rows.cluster is not None:
        factors = np.ones_like(share), 1 - share, -share
        with np.errstate(divide="ignore", invalid="ignore"):  # where a part has no items
            influence = [
                np.nan_to_num(by / m)[values.rows.group] * values.around(right, part)
                for by, right, part, m in zip(factors, rights, parts, numbers, strict=True)
            ]
        effect, df = _nested(values, np.sum(influence, axis=0), error)
        numbers, se = tuple(m / effect for m in numbers), se * np.sqrt(effect)
        reason[np.isnan(effect)] = "n_lt_2"
    low, high = limits_of_corrected(shares, numbers, level, df)
    reason[informed <= 0] = "judge_at_chance"
    reason[(m0 == 0) | (m1 == 0)] = "unseen_class"
    reason[n == 0] = "no_unlabelled"
    reason[m0 + m1 == 0] = "no_joint_items"
    means = Means(share, se, low, high, np.full(len(n), np.nan), reason)
    return defined(means, of_shares=True)


def has_one_cluster(values: Values) -> BoolArray:
    """Whether the labelled items in, or outside, the category are worth less than two clusters.

    One says nothing of how the judge's errors differ between clusters, which the error of the
    share then leaves out. Of each group, shape (G,).
    """
    rows, label, inside = values.rows, values.has_label, values.human > 0
    units = (units_of(rows.select(label & part)) for part in (inside, ~inside))
    found: BoolArray = np.logical_or.reduce([(one > 0) & (one < FEWEST_ITEMS) for one in units])
    return found


def _nested(values: Values, influence: FloatArray, se: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Compute the design effect of clusters on a corrected share, and degrees of freedom, (G,).

    Parameters
    ----------
    values : Values
    influence : ndarray of float, shape (U,)
        What an item like each row does to the numerator, by the delta method: its sums over
        clusters have the covariances of all three shares, of labelled and other items of a cluster
        too.
    se : ndarray of float, shape (G,)
        Standard error of the numerator if items were independent.

    Returns
    -------
    tuple of ndarray
        The effect is NaN with fewer than two clusters of labelled, or of other items. As these
        may be few, the degrees of freedom are those of the fewer of both.
    """
    rows, label = values.rows, values.has_label
    every = np.ones_like(label)
    whole = part_of(rows, every, (rows.n_items[rows.group] * influence)[None])
    with_clusters = np.sqrt(whole.covariance(whole.values[0], whole.values[0]))
    units = np.minimum(*(units_of(rows.select(part)) for part in (label, ~label)))
    effect = design_effect(with_clusters, se, rows.n_items, whole.units)
    return np.where(units < FEWEST_ITEMS, np.nan, effect), degrees_of(units)


def limits_of_corrected(
    shares: tuple[FloatArray, ...],
    numbers: tuple[FloatArray, ...],
    level: float,
    df: FloatArray | None = None,
) -> tuple[FloatArray, FloatArray]:
    """Limits of a corrected share, that of errors of a judge known from few items, each (G,).

    Parameters
    ----------
    shares : p, q0, q1
        Of judgements in the category; specificity and sensitivity of the judge.
    numbers : n, m0, m1
        Of the items that each of them comes from; in clusters, what they are worth.
    level : float
        Between 0 and 1.
    df : ndarray of float, optional
        Degrees of freedom of t quantiles in the place of normal ones.

    Returns
    -------
    tuple of ndarray
        Between 0 and 1, which they are where pseudo-items leave the judge no better than chance.

    Notes
    -----
    Those of Lee et al. (2025): pseudo-items are added, ``z**2`` to n and two to each of the
    others, half of them in the category, and the centre is moved by the curvature of the quotient.
    """
    z = half_width(level, df)
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
