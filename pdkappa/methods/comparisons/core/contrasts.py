"""Coefficients of pairs of raters -> their differences and contrasts, with tests.

Coefficients of the same items are dependent, the more so where they share a rater. Every
contrast of them has influence values, and so its own standard error.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from pdkappa.coefficients.distributions import fdtrc, stdtr, stdtrit
from pdkappa.coefficients.influence import ROUNDING, covariance, standard_error, without_rounding
from pdkappa.coefficients.intervals import with_pseudo_item
from pdkappa.coefficients.many_summary import units_of
from pdkappa.coefficients.multirater import of_pair
from pdkappa.coefficients.pairwise import FEWEST_ITEMS

if TYPE_CHECKING:
    from collections.abc import Sequence

    from pdkappa._typing import BoolArray, FloatArray, ObjectArray
    from pdkappa.coefficients.chance import Coefficient
    from pdkappa.coefficients.multirater import Functional
    from pdkappa.coefficients.weights import Scale
    from pdkappa.counts.core.rows import RatingRows

SINGULAR = 1e-9

SEVERITY = (
    "",
    "no_variance",
    "few_items",
    "n_lt_2",
    "constant_rater",
    "constant_ratings",
    "no_joint_items",
    "no_items",
)


@dataclass(frozen=True)
class PairKappas:
    """Coefficients of C pairs of raters in G groups, of the items that some pair rated.

    Attributes
    ----------
    rows : RatingRows
        The U rows that at least one of the pairs rated.
    units : ndarray of float, shape (G,)
        Number of these items, or of the clusters they are nested in.
    n_items : ndarray of float, shape (C, G)
        Number of items that both raters of a pair rated.
    estimate : ndarray of float, shape (C, G)
        NaN where a coefficient is undefined.
    worst : ndarray of float, shape (C, G)
        Largest disagreement in units of the expected one.
    influence : ndarray of float, shape (C, U)
        Influence of each row; zero where the pair did not rate it.
    reason : ndarray of str, shape (C, G)
        Why an estimate or its standard error is undefined; empty where neither is.
    """

    rows: RatingRows
    units: FloatArray
    n_items: FloatArray
    estimate: FloatArray
    worst: FloatArray
    influence: FloatArray
    reason: ObjectArray


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


def of_pairs(
    rows: RatingRows,
    scale: Scale,
    coefficient: Coefficient,
    pairs: Sequence[tuple[int, int]],
    *,
    keep_influence: bool = True,
) -> PairKappas:
    """Estimate the coefficients of some pairs of raters, with their influence values.

    Parameters
    ----------
    rows : RatingRows
        Rows of ratings in G groups.
    scale : Scale
        One scale for all groups, or one for each.
    coefficient : Coefficient
        A value of ``COEFFICIENTS``.
    pairs : list of tuple of int
        C pairs of raters. Their order within a pair changes nothing.
    keep_influence : bool
        Whether the influence values, C x U of them, are wanted.
    """
    some_rating = rows.n_items > 0
    ordered = [(min(pair), max(pair)) for pair in pairs]
    some = np.zeros(rows.codes.shape[1], dtype=bool)
    for first, second in ordered:
        some |= (rows.codes[first] >= 0) & (rows.codes[second] >= 0)
    rows = rows.select(some)
    found, influence = [], []
    for pair in ordered:
        one = of_pair(rows, scale, coefficient, pair)
        if keep_influence:
            influence.append(_influence(one, rows))
        found.append(one._replace(influence=influence[-1] if influence else np.empty(0)))
    n_items = np.stack(
        [rows.total((rows.codes[a] >= 0) & (rows.codes[b] >= 0)) for a, b in ordered]
    )
    estimate = np.stack([one.estimate for one in found])
    fixed = coefficient.keeps_margins & np.stack([is_constant(rows, pair) for pair in ordered])
    units = units_of(rows)
    return PairKappas(
        rows=rows,
        units=units,
        n_items=n_items,
        estimate=np.where(fixed & ~np.isnan(estimate), 0.0, estimate),
        worst=np.stack([scale.largest / one.expected for one in found]),
        influence=np.stack([one.influence for one in found]),
        reason=_reasons(estimate, n_items, units, fixed=fixed, some_rating=some_rating),
    )


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
    covariances. The variance divides by ``n (n - 1)``, or is that of m clusters with
    ``m - 1`` degrees of freedom.
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


def correlation(kappas: PairKappas) -> FloatArray:
    """Correlation of the first two estimates over samples of items, shape (G,).

    NaN where one of them is undefined or does not vary.
    """
    cov = covariance(kappas.rows, list(kappas.influence))
    known = _varies(kappas, cov)[:2].all(axis=0)
    return np.where(known, _correlations(kappas, cov)[:, 0, 1], np.nan)


def correlations(kappas: PairKappas) -> FloatArray:
    """Correlations of all estimates over samples of items, shape (G, C, C).

    One on the diagonal, and zero where one of two is undefined or does not vary.
    """
    return _correlations(kappas, covariance(kappas.rows, list(kappas.influence)))


def _correlations(kappas: PairKappas, cov: FloatArray) -> FloatArray:
    """Correlations of all estimates from their covariances, both of shape (G, C, C)."""
    size = np.where(_varies(kappas, cov).T, np.sqrt(np.diagonal(cov, axis1=1, axis2=2)), np.inf)
    found = np.clip(np.nan_to_num(cov) / (size[:, :, None] * size[:, None]), -1.0, 1.0)
    places = np.arange(cov.shape[1])
    found[:, places, places] = 1.0
    return found


def _varies(kappas: PairKappas, cov: FloatArray) -> BoolArray:
    """Whether an estimate is defined and has a standard error above zero, shape (C, G)."""
    se = np.sqrt(np.diagonal(cov, axis1=1, axis2=2)).T
    varies: BoolArray = (kappas.reason == "") & (se > ROUNDING)
    return varies


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


def worst(reasons: ObjectArray) -> ObjectArray:
    """Return the gravest reason of each column, shape (G,), of reasons of shape (C, G)."""
    rank = np.zeros(reasons.shape[1], dtype=np.intp)
    for k, reason in enumerate(SEVERITY):
        rank[(reasons == reason).any(axis=0)] = k
    return np.array(SEVERITY, dtype=object)[rank]


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


def _influence(found: Functional, rows: RatingRows) -> FloatArray:
    """Influence of each row, zero where the coefficient is undefined."""
    return np.where(np.isnan(found.estimate)[rows.group], 0.0, found.influence)


def is_constant(rows: RatingRows, pair: tuple[int, int]) -> BoolArray:
    """Whether one of two raters gave all their joint items one category, shape (G,)."""
    both = np.asarray((rows.codes[list(pair)] >= 0).all(axis=0), dtype=np.float64)
    used = [(rows.margin_of(rows.codes[rater], both) > 0).sum(axis=-1) for rater in pair]
    return np.minimum(*used) == 1


def _reasons(
    estimate: FloatArray,
    n_items: FloatArray,
    units: FloatArray,
    *,
    fixed: BoolArray,
    some_rating: BoolArray,
) -> ObjectArray:
    """Say why an estimate or its standard error is undefined, shape (C, G)."""
    reason = np.full(estimate.shape, "", dtype=object)
    reason[:, units < FEWEST_ITEMS] = "n_lt_2"
    reason[fixed] = "constant_rater"
    reason[np.isnan(estimate)] = "constant_ratings"
    reason[n_items == 0] = "no_joint_items"
    reason[:, ~some_rating] = "no_items"
    return reason
