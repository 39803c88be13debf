"""Coefficients of pairs of raters -> their differences and contrasts, with tests.

Coefficients of the same items are dependent, the more so where they share a rater. Every
contrast of them has influence values, and so its own standard error.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from pdkappa.coefficients.distributions import fdtrc, stdtr, stdtrit
from pdkappa.coefficients.influence import covariance, standard_error
from pdkappa.coefficients.intervals import with_pseudo_item
from pdkappa.coefficients.pair_kappas import PairKappas, worst
from pdkappa.coefficients.rounding import ROUNDING, without_rounding

if TYPE_CHECKING:
    from pdkappa._typing import FloatArray, ObjectArray

SINGULAR = 1e-9


class Contrast(NamedTuple):
    """A weighted sum of coefficients in S places, each of shape (S,).

    `se` is NaN where the estimate is, or where a coefficient has none; `df` are the degrees
    of freedom of the standard error; `reason` says why something is undefined.
    """

    estimate: FloatArray
    se: FloatArray
    df: FloatArray
    reason: ObjectArray


class Inference(NamedTuple):
    """Limits, test statistic and two-sided p-value of a contrast, each of shape (S,)."""

    low: FloatArray
    high: FloatArray
    z: FloatArray
    p_value: FloatArray


class Homogeneity(NamedTuple):
    """Hotelling's test that C coefficients are equal, each of shape (G,)."""

    statistic: FloatArray
    f: FloatArray
    df1: FloatArray
    df2: FloatArray
    p_value: FloatArray
    reason: ObjectArray


def contrast(kappas: PairKappas, weights: FloatArray) -> Contrast:
    """Sum coefficients of the same items with weights.

    Parameters
    ----------
    kappas : PairKappas
        C coefficients in G groups.
    weights : ndarray of float, shape (C,) or (C, G)
        Weight of each coefficient; those with weight zero do not matter.

    Returns
    -------
    Contrast
        Each of shape (G,). The standard error is zero where no item has any influence on
        the sum, as for the difference of a coefficient and itself.

    Notes
    -----
    The influence of an item on the sum is the sum of its influences, which carries all
    covariances. The variance divides by ``n (n - 1)``, or is that of clusters with their
    degrees of freedom; see `standard_error`.
    """
    per_group = weights[:, None] if weights.ndim == 1 else weights
    per_group = np.broadcast_to(per_group, kappas.estimate.shape)
    used = per_group != 0
    estimate = np.where(used, per_group * kappas.estimate, 0.0).sum(axis=0)
    group = kappas.rows.group
    influence = np.where(used[:, group], per_group[:, group] * kappas.influence, 0.0).sum(axis=0)
    se = standard_error(kappas.rows, influence)
    reason = worst(np.where(used, kappas.reason, ""))
    return Contrast(estimate, *_checked(se, reason, kappas.units - 1))


def never_exact(kappas: PairKappas) -> Contrast:
    """Return the first coefficient of each group, smoothed where its standard error is zero.

    Raters who agree on all items of a small group say little about the next item. To take
    the group for known without error would find differences where there are none, so that
    one pseudo-item is added, as for limits. The reason is "no_variance" all the same.
    """
    weights = np.zeros(len(kappas.estimate))
    weights[0] = 1.0
    found = contrast(kappas, weights)
    estimate, se = with_pseudo_item(found.estimate, found.se, kappas.units, kappas.worst[0])
    return found._replace(estimate=estimate, se=se)


def independent_difference(found: Contrast, first: int, second: int) -> Contrast:
    """Subtract the contrasts of two groups that share no items; shape (1,).

    The variances add, with the degrees of freedom of Welch and Satterthwaite. Where
    neither group varies, the difference does not.
    """
    both = [first, second]
    constant = found.reason[both] == "no_variance"
    variance = np.where(constant.all(), 0.0, found.se[both] ** 2)
    with np.errstate(divide="ignore", invalid="ignore"):
        df = variance.sum() ** 2 / (variance**2 / found.df[both]).sum()
    reason = worst(np.where(constant, "", found.reason[both])[:, None])
    estimate = found.estimate[[first]] - found.estimate[[second]]
    return Contrast(estimate, *_checked(np.sqrt(variance.sum())[None], reason, df[None]))


def t_test(found: Contrast, level: float) -> Inference:
    """Test that a contrast is zero, by its standard error and a t distribution.

    All is NaN where the standard error is zero or NaN: zero says that the linear
    approximation sees no variation, not that there is none.
    """
    se, df = np.where(found.se > 0, found.se, np.nan), _positive(found.df)
    half = stdtrit(df, (1 + level) / 2) * se
    z = found.estimate / se
    return Inference(found.estimate - half, found.estimate + half, z, 2 * stdtr(df, -np.abs(z)))


def non_inferiority(found: Contrast, margin: float) -> FloatArray:
    """One-sided p-value of the hypothesis that a contrast is ``-margin`` or less, shape (S,)."""
    se = np.where(found.se > 0, found.se, np.nan)
    p_value: FloatArray = stdtr(_positive(found.df), -(found.estimate + margin) / se)
    return p_value


def all_equal(kappas: PairKappas, cov: FloatArray | None = None) -> Homogeneity:
    """Test that all coefficients of a group are equal (Hotelling, 1931).

    Parameters
    ----------
    kappas : PairKappas
        C coefficients, two or more, in G groups.
    cov : ndarray of float, shape (G, C, C), optional
        Their covariances, where `kappas` does not hold the influence values.

    Returns
    -------
    Homogeneity
        With ``q = C - 1`` differences d, their covariance matrix V, and n items or
        clusters: ``T2 = d' inv(V) d`` and ``F = T2 (n - q) / ((n - 1) q)``, with q and
        n - q degrees of freedom. NaN where a coefficient or its standard error is
        undefined, where ``n <= q`` (``few_items``), and where some difference does not
        vary (``no_variance``).
    """
    q = len(kappas.estimate) - 1
    difference = kappas.estimate[:-1] - kappas.estimate[-1]
    if cov is None:
        cov = covariance(kappas.rows, list(kappas.influence[:-1] - kappas.influence[-1]))
    else:
        last = cov[:, :-1, -1:]
        cov = cov[:, :-1, :-1] - last - last.transpose(0, 2, 1) + cov[:, -1:, -1:]
    df1, df2 = np.full(kappas.units.shape, float(q)), kappas.units - q
    reason = worst(kappas.reason)
    reason[(reason == "") & (df2 <= 0)] = "few_items"
    statistic = np.full(reason.shape, np.nan)
    for g in np.flatnonzero(reason == ""):
        statistic[g] = _squared_length(difference[:, g], cov[g])
    reason[(reason == "") & np.isnan(statistic)] = "no_variance"
    with np.errstate(divide="ignore", invalid="ignore"):  # a single item, undefined already
        f = statistic * df2 / ((kappas.units - 1) * q)
    p_value = np.asarray(fdtrc(df1, np.maximum(df2, 1.0), f), dtype=np.float64)
    return Homogeneity(statistic, f, df1, df2, p_value, reason)


def _checked(
    se: FloatArray, reason: ObjectArray, df: FloatArray
) -> tuple[FloatArray, FloatArray, ObjectArray]:
    """Set standard errors to NaN where there is a reason, to zero where they are rounding."""
    reason = reason.copy()
    se = without_rounding(se)
    reason[(reason == "") & (se == 0)] = "no_variance"
    known = (reason == "") | (reason == "no_variance")
    return np.where(known, se, np.nan), np.where(known, df, np.nan), reason


def _squared_length(difference: FloatArray, cov: FloatArray) -> float:
    """``d' inv(V) d``; NaN where V is singular up to rounding error."""
    scale = np.sqrt(np.diag(cov))
    if scale.min() < ROUNDING:
        return np.nan
    correlation = cov / np.outer(scale, scale)
    if np.linalg.eigvalsh(correlation)[0] < SINGULAR:
        return np.nan
    d = difference / scale
    return float(d @ np.linalg.solve(correlation, d))


def _positive(df: FloatArray) -> FloatArray:
    """Degrees of freedom where there are any, else NaN."""
    return np.where(df > 0, df, np.nan)
