"""Coefficients of pairs of raters -> their differences and contrasts, with tests.

Coefficients of the same items are dependent, the more so where they share a rater. Every
contrast of them has influence values, and so its own standard error.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from pdkappa.coefficients.influence import error_in_turn, moments_of, standard_error
from pdkappa.coefficients.intervals import with_pseudo_item
from pdkappa.coefficients.pair_kappas import PairKappas, worst
from pdkappa.coefficients.score_limits import (
    ROUNDING,
    fdtrc,
    positive,
    stdtr,
    stdtrit,
    without_rounding,
)

if TYPE_CHECKING:
    from pdkappa._typing import FloatArray, ObjectArray
    from pdkappa.coefficients.influence import Moments

MOST_OF_ITEM = 3  # degrees of freedom of differences, by simulation


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
    """Test that P coefficients are equal, each of shape (G,)."""

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
    se = standard_error(kappas.rows, _influence(kappas, per_group))
    reason = worst(np.where(used, kappas.reason, ""))
    return Contrast(estimate, *_checked(se, reason, kappas.units - 1))


def in_turn(kappas: PairKappas, weights: FloatArray) -> Contrast:
    """Return the contrast of the first of R raters, its error steadied by those of the others.

    The weights, of shape (R, C, G), are those of the same contrast with each rater in the place
    of the first; NaN where there is none. See `error_in_turn`.
    """
    found = contrast(kappas, weights[0])
    defined = np.asarray(~np.isnan(weights).any(axis=1))
    influence = np.stack([_influence(kappas, one) for one in weights])
    se, df = (of_all[0] for of_all in error_in_turn(kappas.rows, influence, defined))
    reason = np.where(found.reason == "no_variance", "", found.reason)
    return Contrast(
        found.estimate, *_checked(se, reason, np.where(kappas.units > 1, df, kappas.units - 1))
    )


def _influence(kappas: PairKappas, weights: FloatArray) -> FloatArray:
    """Influence of each row on a sum of coefficients with weights of shape (C, G); shape (U,)."""
    per_row = weights[:, kappas.rows.group]
    influence: FloatArray = np.where(per_row != 0, per_row * kappas.influence, 0.0).sum(axis=0)
    return influence


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


def equivalence(found: Contrast, margin: float) -> FloatArray:
    """p-value of the hypothesis that a contrast is `margin` or more away from 0, shape (S,).

    The greater one of two one-sided p-values (Schuirmann, 1987).
    """
    se = np.where(found.se > 0, found.se, np.nan)
    p_value: FloatArray = stdtr(_positive(found.df), (np.abs(found.estimate) - margin) / se)
    return p_value


def all_equal(kappas: PairKappas, moments: Moments | None = None) -> Homogeneity:
    """Test that all coefficients of a group are equal, by the ANOVA-type statistic.

    Parameters
    ----------
    kappas : PairKappas
        P coefficients, two or more, in G groups.
    moments : Moments, optional
        Where `kappas` does not hold the influence values.

    Returns
    -------
    Homogeneity
        With k the coefficients, S their covariances and ``T = I - J / P``: ``F = k'Tk / tr(TS)``,
        with the degrees of freedom `_degrees` and as many for each of n - 1 items (or
        clusters). NaN where a coefficient or its standard error is undefined, and where no
        difference varies (``no_variance``).

    Notes
    -----
    Nothing is inverted: a matrix of many covariances from few items is close to singular, and
    its inverse makes differences out of noise. For two coefficients it is the t test of their
    difference; for the means of P columns it is the F test of repeated measures.
    """
    cov, concentration = moments or moments_of(kappas.rows, kappas.influence)
    apart = cov - cov.mean(axis=1, keepdims=True)
    apart -= apart.mean(axis=2, keepdims=True)
    size, trace = (np.trace(of, axis1=1, axis2=2) for of in (cov, apart))
    reason = worst(kappas.reason)
    trace = np.where(reason == "", positive(trace, np.maximum(size, ROUNDING)), np.nan)
    reason[(reason == "") & np.isnan(trace)] = "no_variance"
    f = np.square(kappas.estimate - kappas.estimate.mean(axis=0)).sum(axis=0) / trace
    df1 = _degrees(apart, trace, concentration, kappas.units - 1)
    df2 = df1 * (kappas.units - 1)
    return Homogeneity(f, df1, df2, np.asarray(fdtrc(df1, df2, f)), reason)


def _degrees(
    apart: FloatArray, trace: FloatArray, concentration: FloatArray, n: FloatArray
) -> FloatArray:
    """Degrees of freedom of a sum of squares with covariances TST from n free items, shape (G,).

    ``f = tr(TST)**2 / tr(TSTTST)`` of Box is too low where S is estimated from few items.
    ``((n + 1) f - 2) / (n - f)`` of Huynh and Feldt corrects it for normal values, too little for
    those of which most are next to zero. Without products of an item and itself (Brunner, Bathke &
    Placzek, 2012) numerator and denominator do not depend on how heavy the tails of the values are;
    with fewer than twenty items they are too small, as values are centred, and they see nothing of
    the bend of a kappa of few items. By simulation, the geometric mean of both holds best; each is
    at most P - 1, and 3 n, as a handful of items says little of many differences.
    """
    box = trace**2 / np.einsum("gij,gij->g", apart, apart)
    most = np.maximum(np.minimum(apart.shape[1] - 1, MOST_OF_ITEM * n), box)

    def between(over: FloatArray, under: FloatArray) -> FloatArray:
        with np.errstate(divide="ignore", invalid="ignore"):  # as many items as differences
            return np.where(under > 0, np.clip(over / under, box, most), most)

    normal = between((n + 1) * box - 2, n - box)
    of_two = between(1 - concentration, 1 / box - concentration)
    return np.where(n > 1, np.sqrt(normal * of_two), box)


def _checked(
    se: FloatArray, reason: ObjectArray, df: FloatArray
) -> tuple[FloatArray, FloatArray, ObjectArray]:
    """Set standard errors to NaN where there is a reason, to zero where they are rounding."""
    reason = reason.copy()
    se = without_rounding(se)
    reason[(reason == "") & (se == 0)] = "no_variance"
    known = (reason == "") | (reason == "no_variance")
    return np.where(known, se, np.nan), np.where(known, df, np.nan), reason


def _positive(df: FloatArray) -> FloatArray:
    """Degrees of freedom where there are any, else NaN."""
    return np.where(df > 0, df, np.nan)
