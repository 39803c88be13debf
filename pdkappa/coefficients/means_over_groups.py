"""Coefficients of groups -> their mean, and how much they differ.

A table of twenty items has a z that is off by as much as the mean of thirty such tables is
uncertain, and an error that is small where the table happens to agree well. Both are put right
by what all tables have in common.

Differences of independent groups come from limits, which are not symmetric and say more than a
standard error: the variance on the side of the null is recovered from the limit there.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import scipy

from pdkappa.coefficients.intervals import FISHER_CAP, fisher_z
from pdkappa.coefficients.score_limits import ROUNDING, chdtrc, chdtri, half_width, ndtr, two_sided
from pdkappa.coefficients.weights import NOMINAL, Scale

if TYPE_CHECKING:
    from collections.abc import Callable

    from pdkappa._typing import BoolArray, FloatArray, IntArray
    from pdkappa.coefficients.chance import Coefficient
    from pdkappa.coefficients.pair_counts import PairCounts

    LimitsAt = Callable[[float], tuple[FloatArray, FloatArray]]

FEWEST_TO_DIFFER = 2
FEWEST_TO_PREDICT = 3
MOST_STEPS = 100


class PooledMean(NamedTuple):
    """A mean of coefficients on Fisher's z scale; or several, each field of shape (...)."""

    # In [-1, 1]; NaN where no group with a positive weight has a defined coefficient.
    estimate: float
    # Standard error of the mean on Fisher's z scale; NaN where that of a group is.
    se_fisher_z: float
    # Limits on the scale of the coefficient.
    ci_low: float
    ci_high: float
    # Groups in the mean, how many of them were clipped, and groups left out because their
    # coefficient, or the standard error that the mean needs, is NaN.
    n_groups: int
    n_clipped: int
    n_undefined: int
    # Limits for the true coefficient of one more group; NaN for a mean that says nothing about it.
    prediction_low: float = np.nan
    prediction_high: float = np.nan
    reason: str = ""  # why a figure is NaN; empty where none is
    centre: float = np.nan  # the z around which the limits lie

    def each(self) -> list[PooledMean]:
        """Return the means one by one."""
        columns = (np.broadcast_to(one, np.size(self.estimate)).tolist() for one in self)
        return [PooledMean(*one) for one in zip(*columns, strict=True)]


class Heterogeneity(NamedTuple):
    """How much the groups differ beyond what their standard errors explain, each of shape (...)."""

    # Cochran's Q: the weighted sum of squared deviations from the fixed-effect mean, with a chi-
    # squared distribution of `df` degrees of freedom where all groups are equal.
    q: FloatArray | float
    df: IntArray | int  # groups less one
    p_value: FloatArray | float  # of Q; NaN with fewer than two groups
    # Share of the variation between the groups that is not chance, ``max(0, 1 - df / Q)``.
    i2: FloatArray | float
    tau2: FloatArray | float  # variance of the true z of the groups; NaN with fewer than two groups
    # Confidence limits by Q profiles.
    i2_low: FloatArray | float = np.nan
    i2_high: FloatArray | float = np.nan
    tau2_low: FloatArray | float = np.nan
    tau2_high: FloatArray | float = np.nan


def weighted_fisher_mean(
    estimates: FloatArray,
    weights: FloatArray,
    *,
    se_fisher_z: FloatArray | None = None,
    unbiased_z: FloatArray | None = None,
    clip: float | None = FISHER_CAP,
    level: float = 0.95,
) -> PooledMean:
    """Average coefficients on Fisher's z scale, as the essay-set scorer does.

    It is ``tanh(sum(w * z) / sum(w))`` over the groups with a defined coefficient; the arrays
    have shape (..., G), and only the ratios of the weights matter. Without `clip` coefficients are
    averaged as they are.

    Notes
    -----
    The groups are independent, so the variance of the mean z is ``sum(w**2 * se**2)``
    divided by ``sum(w)**2``. The limits lie around the same mean of `unbiased_z`, where it is
    given, and reach to the estimate. The mean with its cap of 0.999 is the evaluation metric of
    the essay-scoring competition of 2012.
    """
    defined = ~np.isnan(estimates) & (weights > 0)

    def total(values: FloatArray | BoolArray) -> Any:
        return np.where(defined, values, 0.0).sum(axis=-1)[()]

    with np.errstate(divide="ignore", invalid="ignore"):  # no group, or +inf and -inf
        # The squares of huge weights would overflow.
        w = np.where(defined, weights, 0.0)
        w = w / w.max(axis=-1, keepdims=True, initial=0.0)
        mean = total(w * fisher_z(estimates, clip)) / total(w)
        error = np.nan if se_fisher_z is None else np.sqrt(total((w * se_fisher_z) ** 2)) / total(w)
        centre = mean if unbiased_z is None else total(w * unbiased_z) / total(w)
    endless = np.isinf(mean)  # a perfect group without a cap
    found = PooledMean(
        estimate=np.tanh(mean),
        se_fisher_z=np.nan,
        ci_low=np.nan,
        ci_high=np.nan,
        n_groups=defined.sum(axis=-1),
        n_clipped=total(np.abs(estimates) > (np.inf if clip is None else clip)).astype(int),
        n_undefined=(np.isnan(estimates) & (weights > 0)).sum(axis=-1),
        reason=_either(endless, "infinite_z", ""),
        centre=centre,
    )
    return with_error(found, _either(endless, np.nan, error), level)


def z_and_p(mean: PooledMean, null: float, df: float) -> tuple[float, float]:
    """Test that a mean is `null`, by what its limits are made of: the statistic and its p.

    Limits that reach to the estimate reject no value between it and their centre.
    """
    at_null = np.arctanh(null)
    with np.errstate(divide="ignore", invalid="ignore"):  # a mean of 1
        z, estimate = (mean.centre - at_null) / mean.se_fisher_z, np.arctanh(mean.estimate)
    if z * (estimate - at_null) < 0:
        return 0.0, 1.0
    return float(z), float(two_sided(z, df))


def dependent_fisher_mean(
    estimates: FloatArray,
    weights: FloatArray,
    se_fisher_z: FloatArray,
    variance_of: Callable[[FloatArray], float],
    *,
    unbiased_z: FloatArray | None = None,
    clip: float | None,
    level: float,
) -> PooledMean:
    """Average the coefficients of P pairs of raters in G groups on Fisher's z scale.

    The arrays, of shape (P, G), and the rest are as in `weighted_fisher_mean`. The coefficients of
    a group are correlated, since the pairs share its items: `variance_of` computes the variance of
    a sum from the standard errors of what each adds to it, see `variance_of_sum`.
    """
    mean = weighted_fisher_mean(
        estimates.ravel(),
        weights.ravel(),
        se_fisher_z=se_fisher_z.ravel(),
        unbiased_z=None if unbiased_z is None else unbiased_z.ravel(),
        clip=clip,
        level=level,
    )
    [mean] = mean.each()
    if np.isnan(mean.se_fisher_z):
        return mean
    used = ~np.isnan(estimates) & (weights > 0)
    weights = np.where(used, weights, 0.0) / weights[used].max()
    variance = variance_of(np.where(used, weights * se_fisher_z, 0.0))
    return with_error(mean, float(np.sqrt(variance) / weights.sum()), level)


def with_error(mean: PooledMean, se: float, level: float) -> PooledMean:
    """Replace the standard error of a mean, and its limits by normal ones that reach to it."""
    half = half_width(level) * se
    low, high = np.tanh(mean.centre - half), np.tanh(mean.centre + half)
    low, high = np.minimum(low, mean.estimate), np.maximum(high, mean.estimate)
    return mean._replace(se_fisher_z=se, ci_low=low, ci_high=high)


def fixed_effect(z: FloatArray, se: FloatArray, *, level: float) -> PooledMean:
    """Average z, of shape (..., G), with the reciprocals of the variances as weights.

    It estimates the coefficient that all groups have in common, if they have one. The standard
    errors of the z are greater than zero. A group whose z is NaN is left out.
    """
    n = (~np.isnan(z)).sum(axis=-1)
    mean, error = _weighted(z, se)
    reason = _either(n > 0, "", "no_items")
    return _pooled(mean, error, half_width(level), n, reason)


def random_effects(
    z: FloatArray, se: FloatArray, tau2: FloatArray | float, *, level: float
) -> PooledMean:
    """Average z over a population of groups, with the interval of Hartung and Knapp.

    Parameters
    ----------
    z, se : ndarray of float, shape (..., G)
        Fisher's z of the groups, and their standard errors, greater than zero. A group whose z is
        NaN is left out.
    tau2 : ndarray of float, shape (...)
        Variance of the true z of the groups.
    level : float
        Confidence level of the limits.

    Returns
    -------
    PooledMean
        The standard error and its limits are NaN with a single group.

    Notes
    -----
    With ``w = 1 / (se**2 + tau2)`` the squared standard error is that of w, ``1 / sum(w)``,
    times ``max(1, sum(w * (z - mean)**2) / (G - 1))``, and the limits take the t quantile with
    G - 1 degrees of freedom [1]_: the groups are never taken to differ less than by chance [2]_.
    The prediction interval is ``mean -/+ t * sqrt(tau2 + se_mean**2)`` with G - 2 degrees of
    freedom [3]_.

    References
    ----------
    .. [1] Hartung & Knapp, 2001
    .. [2] Knapp & Hartung, 2003
    .. [3] Higgins et al., 2009
    """
    n = (~np.isnan(z)).sum(axis=-1)
    differ, n_others = n >= FEWEST_TO_DIFFER, np.maximum(n - 1, 1)
    tau2 = np.where(differ, tau2, 0.0)
    mean, error = _weighted(z, se, tau2)
    q = _squares(z, _weights(z, se, tau2)).sum(axis=-1)
    error = np.where(differ, error * np.sqrt(np.maximum(q / n_others, 1.0)), np.nan)
    reason = _either(differ, "", _either(n > 0, "one_group", "no_items"))
    found = _pooled(mean, error, half_width(level, n_others), n, reason)
    half = half_width(level, np.maximum(n - 2, 1)) * np.sqrt(tau2 + error**2)
    half = _either(n < FEWEST_TO_PREDICT, np.nan, half)
    return found._replace(prediction_low=np.tanh(mean - half), prediction_high=np.tanh(mean + half))


def heterogeneity(
    z: FloatArray, se: FloatArray, tau2: FloatArray | float, *, level: float = 0.95
) -> Heterogeneity:
    """Test whether all groups have the same true z, shape (..., G), and say how far they differ.

    A group whose z is NaN is left out.

    Notes
    -----
    The test is Cochran's, I2 that of Higgins and Thompson. The limits of tau2 are the values at
    which Q is a quantile of chi-squared, zero where it is below that already; those of I2 are
    ``tau2 / (tau2 + v)`` with the typical variance ``v = (G - 1) sum(w) / (sum(w)**2 -
    sum(w**2))``, where ``w = 1 / se**2`` [1]_.

    References
    ----------
    .. [1] Viechtbauer, 2007
    """
    n, w = (~np.isnan(z)).sum(axis=-1), _weights(z, se)
    df = np.maximum(n - 1, 0)
    with np.errstate(divide="ignore", invalid="ignore"):  # fewer than two groups
        q = _squares(z, w).sum(axis=-1)
        is_known = (n >= FEWEST_TO_DIFFER) & ~np.isnan(q)  # nor of groups without an error
        q = _either(is_known, q, np.nan)
        low, high = (
            _either(is_known, tau2_at(z, se, chdtri(np.maximum(df, 1), tail)), np.nan)
            for tail in ((1 - level) / 2, (1 + level) / 2)
        )
        share = w / w.sum(axis=-1, keepdims=True)
        typical = df / w.sum(axis=-1) / (share * (1 - share)).sum(axis=-1)
        share_of_chance = np.divide(df, q, out=np.ones(n.shape), where=q > df)
        return Heterogeneity(
            q=q,
            df=df,
            p_value=chdtrc(df, q),
            i2=_either(is_known, 1 - share_of_chance, np.nan),
            tau2=_either(is_known, tau2, np.nan),
            i2_low=low / (low + typical),
            i2_high=high / (high + typical),
            tau2_low=low,
            tau2_high=high,
        )


def paule_mandel(z: FloatArray, se: FloatArray) -> FloatArray:
    """Estimate tau2 as the value at which Q meets its expectation, G - 1.

    References
    ----------
    .. [1] Paule & Mandel, 1982
    """
    return tau2_at(z, se, (~np.isnan(z)).sum(axis=-1) - 1.0)


def tau2_at(z: FloatArray, se: FloatArray, q: FloatArray) -> FloatArray:
    """Find the tau2 at which Q has the value `q`, shape (...); 0 where it is below that already.

    Q falls in tau2 and is convex, so that Newton's steps from zero stay below the root.
    """
    n = (~np.isnan(z)).sum(axis=-1)
    tau2 = np.zeros(n.shape)
    with np.errstate(divide="ignore", invalid="ignore"):  # no group
        for _ in range(MOST_STEPS):
            weight = _weights(z, se, tau2)
            square = _squares(z, weight)
            excess = square.sum(axis=-1) - q
            # dQ/dtau2 = -sum(w**2 (z - mean)**2): what the mean contributes vanishes.
            fall = (weight * square).sum(axis=-1)
            before = tau2
            tau2 = before + np.divide(excess, fall, out=np.zeros(n.shape), where=excess > 0)
            if (tau2 == before).all():
                break
    return _either(n < FEWEST_TO_DIFFER, np.nan, tau2)


def dersimonian_laird(z: FloatArray, se: FloatArray) -> FloatArray:
    """Estimate tau2 from the moments of Q in one step; 0 where Q is below G - 1.

    References
    ----------
    .. [1] DerSimonian & Laird, 1986
    """
    n, w = (~np.isnan(z)).sum(axis=-1), _weights(z, se)
    with np.errstate(divide="ignore", invalid="ignore"):  # fewer than two groups
        beyond, total = _squares(z, w).sum(axis=-1) - (n - 1), w.sum(axis=-1)
        tau2 = np.maximum(0.0, beyond / (total - (w**2).sum(axis=-1) / total))
    return _either(n < FEWEST_TO_DIFFER, np.nan, tau2)


def _weighted(
    z: FloatArray, se: FloatArray, tau2: FloatArray | float = 0.0
) -> tuple[FloatArray, FloatArray]:
    """Mean with the weights ``1 / (se**2 + tau2)``, and its standard error, shape (...)."""
    weight = _weights(z, se, tau2)
    total = weight.sum(axis=-1)
    with np.errstate(divide="ignore", invalid="ignore"):  # no group
        return (weight * np.where(np.isnan(z), 0.0, z)).sum(axis=-1) / total, 1 / np.sqrt(total)


def _weights(z: FloatArray, se: FloatArray, tau2: FloatArray | float = 0.0) -> FloatArray:
    """Weights ``1 / (se**2 + tau2)``, shape (..., G); 0 of what is left out, whose z is NaN."""
    return np.where(np.isnan(z), 0.0, 1 / (se**2 + np.asarray(tau2)[..., None]))


def _squares(z: FloatArray, weight: FloatArray) -> FloatArray:
    """Weighted squared deviations from the weighted mean, whose sum is Q, shape (..., G)."""
    z = np.where(np.isnan(z), 0.0, z)
    with np.errstate(invalid="ignore"):  # no group
        mean = (weight * z).sum(axis=-1, keepdims=True) / weight.sum(axis=-1, keepdims=True)
    return weight * (z - mean) ** 2


def _pooled(mean: Any, se: FloatArray, quantile: float, n_groups: Any, reason: Any) -> PooledMean:
    """Carry a mean of z and its limits over to the scale of the coefficient."""
    half = quantile * se
    return PooledMean(
        estimate=np.tanh(mean),
        se_fisher_z=_either(n_groups > 0, se, np.nan),
        ci_low=np.tanh(mean - half),
        ci_high=np.tanh(mean + half),
        n_groups=n_groups,
        n_clipped=0,
        n_undefined=0,
        reason=reason,
        centre=mean,
    )


def _either(where: BoolArray, one: Any, other: Any) -> Any:
    """Choose, in an array or a single figure."""
    return np.where(where, one, other)[()]


TAU2: dict[str, Callable[[FloatArray, FloatArray], FloatArray]] = {
    "paule_mandel": paule_mandel,
    "dersimonian_laird": dersimonian_laird,
}


class Moments(NamedTuple):
    """What items do to the coefficients of S tables; every field has shape (S,)."""

    # Means of the disagreement and of its square, in units of the expected disagreement.
    ratio: FloatArray
    square: FloatArray
    # Of the estimate, to the first order in 1 / n, times the number n of items.
    variance: FloatArray
    bias: FloatArray


class Effects(NamedTuple):
    """Fisher's z of G groups, and the variances of it; every field has shape (..., G)."""

    z: FloatArray  # without the bias of a small table
    variance: FloatArray  # what the group's own ratings say of the variance of its z
    # The mean over all items of that variance for one item, divided by the group's number of items:
    # it does not depend on the group's own estimate.
    common: FloatArray
    raw: FloatArray  # the same for the coefficient itself


def moments(counts: PairCounts, scale: Scale, coefficient: Coefficient) -> Moments:
    r"""Describe what items do to the coefficients of S tables.

    Notes
    -----
    With the slopes s of the expected disagreement :math:`D_e` by the shares of the cells, and
    :math:`r = D_o / D_e`, the estimate :math:`1 - r` has the bias

    .. math:: \frac{1}{n} \left[\frac{\operatorname{Cov}(d, s) - r \operatorname{Var}(s)}{D_e^2}
       + \frac{r}{D_e} \Bigl(\sum p\, D_e^{(kl)} - D_e\Bigr)\right]

    to the first order. :math:`D_e^{(kl)}` is what would be expected of raters who always use the
    categories of cell kl: the expected disagreement is a quadratic function of the shares.
    """
    parts = [
        _moments_of_block(block, scale.of_tables(tables, counts.n_tables), coefficient)
        for tables, block in counts.blocks()
    ]
    return Moments(*(np.concatenate(part) for part in zip(*parts, strict=True)))


def effects(
    estimate: FloatArray, se: FloatArray, n_items: FloatArray, worst: FloatArray, found: Moments
) -> Effects:
    r"""Compute Fisher's z of groups, each array of shape (..., G), and its variances.

    Parameters
    ----------
    estimate, se, n_items : ndarray of float
        Coefficients in [-1, 1], their standard errors, and numbers of items, at least two. All
        figures of a group whose coefficient is NaN are left out, and NaN.
    worst : ndarray of float
        Largest disagreement in units of the expected one, for groups none of which has any.
    found : Moments
        Of the tables of the groups.

    Notes
    -----
    One disagreement takes C / n from a coefficient, with C the ratio of the sums of the squared
    disagreements and of the disagreements of all groups. As half an item in each cell does for
    log odds, half a disagreement, of raters who agree by chance, makes
    :math:`\operatorname{atanh}(\kappa n / (n + C / 2))` finite and almost unbiased. What is left
    of the bias is that of :math:`\kappa`, and of the transform; both are taken from the means of
    all groups, weighted by their items, so that they do not depend on the group's own estimate.
    The group's own variance is that with a whole disagreement more (Gart & Zweifel, 1967). Where
    items are nested in clusters, the larger variance enlarges bias and C, too.

    References
    ----------
    .. [1] Gart & Zweifel, 1967
    """
    used = ~np.isnan(estimate)

    def mean(values: FloatArray) -> FloatArray:
        return np.where(used, share * values, 0.0).sum(axis=-1, keepdims=True)

    with np.errstate(divide="ignore", invalid="ignore"):  # of what is left out, or nothing is used
        share = np.where(used, n_items, 0.0)
        share = share / share.max(axis=-1, keepdims=True, initial=0.0)
        share = share / share.sum(axis=-1, keepdims=True)
        own = se**2 * n_items / (n_items - 1)
        by_items, ratio = mean(found.variance), mean(found.ratio)
        varies = by_items > ROUNDING**2
        design = np.where(varies, mean(n_items * se**2) / by_items, 1.0)
        bias = design * mean(found.bias)
        one = np.where(ratio > 0, design * mean(found.square) / ratio, mean(worst))
        centre = np.clip(mean(estimate - bias / n_items), -1.0, 1.0)
        centre = centre * n_items / (n_items + one)
        slope = 1 / (1 - centre**2)
        spread = mean(n_items * own)
        left = (one / 2 * centre - bias) * slope - centre * spread * slope**2
        z = np.arctanh(estimate * n_items / (n_items + one / 2)) + left / n_items
        inner = estimate * n_items / (n_items + one)
        variance = (own + (one / n_items) ** 2) / (1 - inner**2) ** 2
        variance = np.maximum(variance, ROUNDING**2)  # no z is known better than it is computed
        common = mean(n_items * variance) / n_items
        raw = np.where(spread > 0, spread / n_items, common / slope**2)
    return Effects(*(np.where(used, one, np.nan) for one in (z, variance, common, raw)))


def _moments_of_block(counts: PairCounts, scale: Scale, coefficient: Coefficient) -> Moments:
    """Describe the tables of one block."""
    n = counts.total * counts.unit
    row, col = counts.margins()
    chance = coefficient.chance(row, col, scale, n)
    expected = np.where(chance.expected > 0, chance.expected, np.nan)
    apart = scale.between(counts.table, counts.row, counts.col)
    slope = chance.by_row.take(counts.row_place) + chance.by_col.take(counts.col_place)

    def mean(values: FloatArray) -> FloatArray:
        return counts.sum(counts.shares * values)

    ratio = mean(apart) / expected
    off = apart - mean(apart)[counts.table]
    tilt = slope - mean(slope)[counts.table]
    alone = expected_of_cells(counts, apart, scale, coefficient, n)
    curve = mean(alone) - expected
    return Moments(
        ratio=ratio,
        square=mean(apart**2) / expected**2,
        variance=mean((ratio[counts.table] * tilt - off) ** 2) / expected**2,
        bias=(mean(off * tilt) - ratio * mean(tilt**2)) / expected**2 + ratio * curve / expected,
    )


def expected_of_cells(
    counts: PairCounts, apart: FloatArray, scale: Scale, coefficient: Coefficient, n: FloatArray
) -> FloatArray:
    """Disagreement expected of raters who always use the categories of a cell, shape (C,).

    Chance that has the margins expects a part of the disagreement of the cell; other chance asks no
    more than whether both categories are the same.
    """
    of_margins = coefficient.of_margins
    scale = Scale(NOMINAL, np.array([[0.0, 1.0]]), np.ones((1, 2), bool)) if of_margins else scale
    one = np.zeros((len(n), scale.scores.shape[-1]))
    one[:, :1] = 1.0
    unlike, same = (
        coefficient.chance(one, other, scale, n).expected[counts.table]
        for other in (np.roll(one, 1, axis=1), one)
    )
    return unlike * apart if of_margins else np.where(counts.row == counts.col, same, unlike)


LEAST_LEVEL = 1e-6  # even there guarded limits are not at the estimate
FARTHEST = 7.0  # normal quantile: the p-value is 3e-12
KNOTS = 28  # normal quantiles at which limits are computed; between them a cubic
STEPS = 60  # of halving an interval


@dataclass(frozen=True)
class Mover:
    """Differences of P pairs of G groups, whose limits are known at any confidence level.

    Notes
    -----
    With the coefficients k1 and k2 and their limits l and u, those of the difference are [1]_

    ``k1 - k2 - sqrt((k1 - l1)**2 + (u2 - k2)**2)`` and
    ``k1 - k2 + sqrt((u1 - k1)**2 + (k2 - l2)**2)``.

    A p-value is the level at which a limit reaches the null. Limits are computed at some levels,
    that which is shown among them, so that p and limits never contradict each other.

    References
    ----------
    .. [1] Zou & Donner, 2008
    """

    estimate: FloatArray  # coefficients of the groups, (G,)
    # The groups that are compared, (P,).
    one: IntArray
    other: IntArray
    limits_at: LimitsAt  # lower and upper limits of the groups, each (G,), at a confidence level
    level: float  # the level that is shown

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
        shown = float(half_width(self.level))
        quantiles = np.unique([0.0, *np.linspace(FARTHEST / KNOTS, FARTHEST, KNOTS), shown])
        reach = [
            self._reach(self.level if one == shown else max(1 - 2 * float(ndtr(-one)), LEAST_LEVEL))
            for one in quantiles
        ]
        below, above = (
            np.maximum.accumulate(part)
            for part in (np.array([one[side] for one in reach]) for side in (0, 1))
        )
        return quantiles, below, above


def against_the_rest(estimate: FloatArray, limits_at: LimitsAt, level: float) -> Mover:
    """Compare each of G groups with the mean of the others, see `Mover`.

    The squared distances of the limits of a mean are the sums of those of its groups, which are
    independent. The means stand behind the groups, as if each were one more.
    """
    groups = np.arange(len(estimate))

    def of_the_rest(values: FloatArray, power: int = 1) -> FloatArray:
        total = (values**power).sum() - values**power
        found: FloatArray = np.maximum(total, 0.0) ** (1 / power) / (len(values) - 1)
        return found if power > 1 else total / (len(values) - 1)

    rest = of_the_rest(estimate)

    def with_the_rest(level: float) -> tuple[FloatArray, FloatArray]:
        low, high = limits_at(level)
        lowest = rest - of_the_rest(estimate - low, 2)
        highest = rest + of_the_rest(high - estimate, 2)
        return np.concatenate([low, lowest]), np.concatenate([high, highest])

    every = np.concatenate([estimate, rest])
    return Mover(every, groups, groups + len(groups), with_the_rest, level)


def along_a_line(
    estimate: FloatArray, weight: FloatArray, limits_at: LimitsAt, level: float
) -> Mover:
    """Compare what rises with what falls along a weighted line through G groups in order.

    The slope is a sum over the groups, those of the later half positive, and thus the difference
    of two sums of independent groups, whose squared distances of the limits add up: see `Mover`.
    """
    places = np.arange(len(estimate))
    away = places - np.average(places, weights=weight)
    share = weight * away / (weight * away**2).sum()
    parts = np.maximum([share, -share], 0.0)
    sums = parts @ estimate

    def of_sums(level: float) -> tuple[FloatArray, FloatArray]:
        low, high = limits_at(level)
        below, above = (np.sqrt(parts**2 @ one**2) for one in (estimate - low, high - estimate))
        return sums - below, sums + above

    return Mover(sums, np.array([0]), np.array([1]), of_sums, level)


def _where_it_is(quantiles: FloatArray, reach: FloatArray, wanted: FloatArray) -> FloatArray:
    """Find where P rising curves, given at Q quantiles, reach what is wanted, shape (P,).

    Beyond the last quantile they go on as straight lines.
    """
    known = np.isfinite(reach).all(axis=0) & np.isfinite(wanted)
    curves = scipy.interpolate.PchipInterpolator(quantiles, np.where(known, reach, 0.0), axis=0)
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
    quantile = float(half_width(level))
    mean = float(k.mean())
    for _ in range(MOST_STEPS):
        se = np.where(k > mean, k - low, high - k) / quantile
        weight = 1 / np.maximum(se, 1e-9) ** 2
        before, mean = mean, float((weight * k).sum() / weight.sum())
        if abs(mean - before) < 1e-12:  # noqa: PLR2004
            break
    q = float((weight * (k - mean) ** 2).sum())
    return Equality(q, df, float(chdtrc(df, q)))
