"""Means on the scale of kappa, and the mean without each group.

Sums without one group are those of the groups before it and after it: nothing is subtracted, so
that the others keep their digits whatever its weight is.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from pdkappa.coefficients.influence import cluster_of_all, of_pair, standard_error
from pdkappa.coefficients.intervals import fisher_z
from pdkappa.coefficients.means_over_groups import (
    FEWEST_TO_DIFFER,
    MOST_STEPS,
    dersimonian_laird,
    paule_mandel,
    weighted_fisher_mean,
)
from pdkappa.coefficients.score_limits import chdtrc, one_minus, without_rounding

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from pdkappa._typing import CountArray, FloatArray
    from pdkappa.coefficients.chance import Coefficient
    from pdkappa.coefficients.rating_rows import RatingRows
    from pdkappa.coefficients.weights import Scale

FEWEST_ITEMS_TO_DIFFER = 2
BINARY = 2


class OneKappa(NamedTuple):
    """A coefficient for all groups together: estimate and standard error, NaN if undefined."""

    estimate: float
    se: float


class EqualityTest(NamedTuple):
    """A chi-squared test that all groups have the same coefficient.

    `chi2` is not negative; what is NaN has its `reason`.
    """

    chi2: float
    df: int
    p_value: float
    n_groups: int
    reason: str


def weighted_mean(estimate: FloatArray, se: FloatArray, weight: FloatArray) -> OneKappa:
    """Average the coefficients of independent groups, each array of shape (G,).

    The mean is ``sum(w * k) / sum(w)``, with the standard error ``sqrt(sum(w**2 * se**2)) /
    sum(w)``. Equal weights, numbers of items and reciprocal variances are those of Barlow,
    Lai and Azen (1991).
    """
    total = np.float64(weight.sum())
    with np.errstate(divide="ignore", invalid="ignore"):  # no group
        mean = (weight * estimate).sum() / total
        error = np.sqrt(((weight * se) ** 2).sum()) / total
    return OneKappa(float(mean), float(error))


def within_groups(rows: RatingRows, scale: Scale, coefficient: Coefficient) -> OneKappa:
    """Compare all disagreement with all that is expected by chance within the G groups.

    It is ``1 - sum(n_g * Do_g) / sum(n_g * De_g)``: a mean of the groups' coefficients with
    the weights ``n_g * De_g``. The sizes of the groups are held fixed in its standard error.
    """
    rows = rows.select(np.logical_and.reduce(rows.codes >= 0))
    first, second = rows.codes
    ones = np.ones(len(first))
    n, group = rows.total(ones), rows.group
    with np.errstate(divide="ignore", invalid="ignore"):  # a group without items, or no variation
        row, col = (np.nan_to_num(rows.margin_of(codes, ones) / n[:, None]) for codes in rows.codes)
        chance = coefficient.chance(row, col, scale, n)
        apart = scale.between(group, first, second)
        expected = np.float64((n * chance.expected).sum())
        rest = rows.total(apart).sum() / expected
        slope = rows.lookup(chance.by_row, first) + rows.lookup(chance.by_col, second)
        change = rest * slope - apart
        centred = change - (rows.total(change) / n)[group]
    se = _error_of_all(rows, centred * n.sum() / expected) if expected > 0 else np.nan
    estimate = float(without_rounding(one_minus(rest))) if expected > 0 else np.nan
    return OneKappa(estimate, se)


def across_groups(rows: RatingRows, scale: Scale, coefficient: Coefficient) -> OneKappa:
    """Estimate the coefficient of all items together, as if there were no groups.

    The scale is one for the categories of all groups.
    """
    together = rows.as_one_group(np.logical_and.reduce(rows.codes >= 0))
    found = of_pair(together, scale, coefficient, (0, 1))
    return OneKappa(float(found.estimate[0]), _error_of_all(together, found.influence))


def same_mean(estimate: FloatArray, se: FloatArray) -> EqualityTest:
    """Test that independent estimates, each of shape (G,), have the same mean.

    Cochran's Q, ``sum((k - mean)**2 / se**2)`` around the mean that is weighted with
    reciprocal variances (Fleiss, 1981).
    """
    n = len(estimate)
    if n < FEWEST_ITEMS_TO_DIFFER:
        return EqualityTest(np.nan, max(n - 1, 0), np.nan, n, "one_group" * n or "no_items")
    mean = weighted_mean(estimate, se, 1 / se**2).estimate
    return _chi_squared((((estimate - mean) / se) ** 2).sum(), n)


def donner_eliasziw_klar(tables: CountArray) -> EqualityTest:
    r"""Test that two raters agree equally well in all groups on one of two categories.

    Parameters
    ----------
    tables : ndarray, shape (G, 2, 2)
        Counts of the groups.

    Notes
    -----
    With prevalence :math:`\pi_h` and n items, group h has the intraclass kappa (Scott's pi)
    :math:`k_h = 1 - d_h / (2 n_h \pi_h (1 - \pi_h))` of its d discordant items, and all have
    the mean k weighted by :math:`n_h \pi_h (1 - \pi_h)`. The statistic compares the numbers
    of items that both, one, or neither put into the category with those expected under the
    mean: ``sum((observed - expected)**2 / expected)`` with G - 1 degrees of freedom [1]_.
    Groups that used a single category have no kappa, and are left out.

    References
    ----------
    .. [1] Donner et al., 1996
    """
    both, neither = tables[:, 0, 0], tables[:, 1, 1]
    one = tables[:, 0, 1] + tables[:, 1, 0]
    n = both + one + neither
    with np.errstate(invalid="ignore"):  # no items
        prevalence = (2 * both + one) / (2 * n)
    mixed = prevalence * (1 - prevalence)
    used = mixed > 0
    if used.sum() < FEWEST_ITEMS_TO_DIFFER:
        n_used = int(used.sum())
        return EqualityTest(
            np.nan, max(n_used - 1, 0), np.nan, n_used, "one_group" * n_used or "no_items"
        )
    n, prevalence, mixed = n[used], prevalence[used], mixed[used]
    kappa = 1 - one[used].sum() / 2 / (n * mixed).sum()
    expected = n * np.stack(
        [
            prevalence**2 + kappa * mixed,
            2 * mixed * (1 - kappa),
            (1 - prevalence) ** 2 + kappa * mixed,
        ]
    )
    if (expected < 0).any():
        return EqualityTest(np.nan, len(n) - 1, np.nan, len(n), "impossible_counts")
    observed = np.stack([both, one, neither])[:, used]
    with np.errstate(invalid="ignore"):  # none expected, none observed: all agree
        parts = (observed - expected) ** 2 / expected
    return _chi_squared(np.nan_to_num(parts).sum(), len(n))


def _chi_squared(statistic: np.float64, n_groups: int) -> EqualityTest:
    """Look the statistic up in the chi-squared distribution of n - 1 degrees of freedom."""
    df = n_groups - 1
    return EqualityTest(float(statistic), df, float(chdtrc(df, statistic)), n_groups, "")


def error_of_mean(
    rows: RatingRows,
    influences: Iterable[FloatArray],
    estimates: FloatArray,
    weights: FloatArray,
    exact: FloatArray,
) -> float:
    """Compute the standard error of a weighted mean of z whose clusters span groups.

    Parameters
    ----------
    rows : RatingRows
        U rows in G groups, with clusters.
    influences : iterable of ndarray of float, each of shape (U,)
        Influence of each row on the coefficient of one of P pairs of raters in its group.
    estimates, weights : ndarray of float, shape (P, G)
        Coefficients and their weights. Those that are undefined or have no weight are not
        in the mean.
    exact : ndarray of float, shape (P, G)
        Standard errors of z where a pseudo-item, and no influence value, is behind them;
        zero elsewhere.
    """
    share = np.where(np.isnan(estimates), 0.0, weights)
    with np.errstate(divide="ignore", invalid="ignore"):  # perfect, not in the mean, or no mean
        share = share / share.sum()
        slopes = np.where((share > 0) & (exact == 0), share / (1 - estimates**2), 0.0)
        slopes = slopes / rows.n_items
        weight = np.zeros(len(rows.group))
        for slope, influence in zip(slopes, influences, strict=True):
            known = np.nan_to_num(influence)  # NaN in a group that is not in the mean
            weight += np.where(known != 0, rows.count * slope[rows.group] * known, 0.0)
    _, place = np.unique(cluster_of_all(rows), return_inverse=True)
    if place.max(initial=0) == 0:
        return np.nan
    own = rows.clusters  # the part of a cluster in each group
    with np.errstate(divide="ignore", invalid="ignore"):  # alone in its group, which varies not
        part = weight[own.rated] / np.sqrt(1 - own.size / rows.n_items[own.group])[own.place]
    sums = np.bincount(place[own.rated], weights=np.where(weight[own.rated] != 0, part, 0.0))
    return float(np.sqrt((sums**2).sum() + ((share * exact) ** 2).sum()))


def _error_of_all(rows: RatingRows, influence: FloatArray) -> float:
    """Compute the standard error of a figure of all groups from its influence values."""
    return float(standard_error(rows.together(), influence, ddof=0)[0])


TERMS = 17  # of a power series, whose last one is 1e-17 of the first
WIDTH = np.log(1.2)  # of an interval of log variances: its ends are a tenth from its middle
LAST_STEP = 1e-9  # of tau2, whose square is nothing


def fisher_means_without(
    estimates: FloatArray, weights: FloatArray, *, clip: float | None
) -> FloatArray:
    """Average coefficients as `weighted_fisher_mean` does without each, all of shape (G,)."""
    used = ~np.isnan(estimates) & (weights > 0)
    largest = int(np.argmax(np.where(used, weights, 0.0))) if used.any() else 0
    weight = np.where(used, weights, 0.0) / (weights[largest] if used.any() else 1.0)
    z = fisher_z(np.where(used, estimates, 0.0), clip)
    with np.errstate(divide="ignore", invalid="ignore"):  # no group, or +inf and -inf
        moments = np.stack([weight, np.where(used, weight * z, 0.0)])
        total, mean = without_each(moments)
        means: FloatArray = np.tanh(mean / total)
    if used.any():  # the others may be next to nothing beside it
        rest = (np.delete(one, largest) for one in (estimates, weights))
        means[largest] = weighted_fisher_mean(*rest, clip=clip).estimate
    return means


def fixed_effects_without(z: FloatArray, se: FloatArray) -> FloatArray:
    """Average z as `fixed_effect` does without each, all of shape (G,)."""
    return _means(z, se, np.zeros(z.shape))


def random_effects_without(z: FloatArray, se: FloatArray, tau2_method: str) -> FloatArray:
    """Average z as `pooling.random_effects` does without each, all of shape (G,)."""
    if len(z) - 1 < FEWEST_TO_DIFFER:
        return fixed_effects_without(z, se)
    return _means(z, se, TAU2_WITHOUT_EACH[tau2_method](z, se))


def without_each(values: FloatArray) -> FloatArray:
    """Sum all but each along the last axis."""
    before, after = np.zeros(values.shape), np.zeros(values.shape)
    np.cumsum(values[..., :-1], axis=-1, out=before[..., 1:])
    np.cumsum(values[..., :0:-1], axis=-1, out=after[..., -2::-1])
    return before + after


def paule_mandel_without(z: FloatArray, se: FloatArray) -> FloatArray:
    """Solve for tau2 without each, of shape (G,), by Newton's steps for all of them at once.

    They begin at the tau2 of all groups. As Q falls in tau2 and is convex, no step but the first
    is backward, and each squares the error.
    """
    tau2, surest = np.full(z.shape, paule_mandel(z, se)), np.argmin(se)
    tau2[surest] = _without_the_surest(paule_mandel, z, se)
    for _ in range(MOST_STEPS):
        q, fall, _ = _cochran_q(z, se, tau2)
        with np.errstate(divide="ignore", invalid="ignore"):  # all others have the same z
            step = np.where(fall > 0, (q - (len(z) - 2)) / fall, -tau2)
        step[surest] = 0.0
        before, tau2 = tau2, np.maximum(tau2 + step, 0.0)
        if (np.abs(tau2 - before) <= LAST_STEP * tau2).all():
            break
    return tau2


def dersimonian_laird_without(z: FloatArray, se: FloatArray) -> FloatArray:
    """Estimate tau2 without each, of shape (G,), from the moments of Q."""
    q, _, (total, squares) = _cochran_q(z, se, np.zeros(z.shape))
    tau2 = np.maximum(0.0, (q - (len(z) - 2)) / (total - squares / total))
    tau2[np.argmin(se)] = _without_the_surest(dersimonian_laird, z, se)
    return tau2


def _without_the_surest(
    solve: Callable[[FloatArray, FloatArray], FloatArray], z: FloatArray, se: FloatArray
) -> FloatArray:
    """Solve for tau2 without the group of the least error, at which the sums are centred."""
    surest = np.argmin(se)
    return solve(np.delete(z, surest), np.delete(se, surest))


def _means(z: FloatArray, se: FloatArray, tau2: FloatArray) -> FloatArray:
    """Average z without each by its own tau2."""
    (total, weighted), _ = _weighted_sums(np.stack([np.ones(z.shape), z]), se, tau2)
    with np.errstate(divide="ignore", invalid="ignore"):  # no other group
        means: FloatArray = np.tanh(weighted / total)
    return means


def _cochran_q(
    z: FloatArray, se: FloatArray, tau2: FloatArray
) -> tuple[FloatArray, FloatArray, tuple[FloatArray, FloatArray]]:
    """Q without each at its own tau2, how fast it falls there, and sums of weights and squares.

    They are sums of squares less a square. About the group of the largest weight the squares are
    small, so that little is lost, unless that group is the one left out.
    """
    z = z - z[np.argmin(se)]
    powers = np.stack([np.ones(z.shape), z, z * z])
    (total, weighted, square), slopes = _weighted_sums(powers, se, tau2)
    mean = weighted / total
    return (
        square - mean * weighted,
        slopes[2] - 2 * mean * slopes[1] + mean**2 * slopes[0],
        (total, slopes[0]),
    )


def _weighted_sums(
    values: FloatArray, se: FloatArray, tau2: FloatArray
) -> tuple[FloatArray, FloatArray]:
    """Sum some values, shape (V, G), with the weights ``1 / (se**2 + tau2)`` without each group.

    Every group has its own tau2, and so the others other weights. In an interval of tau2 around
    a middle they are the power series ``sum((middle - tau2)**k / (se**2 + middle)**(k + 1))``,
    whose sums serve all groups. With the weights stand their squares, which are the slopes.
    """
    variance = se**2
    least = variance.min(initial=np.inf)
    intervals = np.floor(np.log1p(tau2 / least) / WIDTH)
    sums, slopes = np.empty(values.shape), np.empty(values.shape)
    for interval in np.unique(intervals):
        own = intervals == interval
        unit = least * np.exp((interval + 0.5) * WIDTH)  # the least variance with the middle
        weight = unit / (variance - least + unit)
        away = 1 - (tau2[own] + least) / unit
        total, slope = np.zeros((len(values), own.sum())), np.zeros((len(values), own.sum()))
        for power in range(TERMS, 0, -1):
            slope = slope * away + total
            total = total * away + without_each(weight**power * values)[:, own]
        sums[:, own], slopes[:, own] = total / unit, slope / unit**2
    return sums, slopes


TAU2_WITHOUT_EACH: dict[str, Callable[[FloatArray, FloatArray], FloatArray]] = {
    "paule_mandel": paule_mandel_without,
    "dersimonian_laird": dersimonian_laird_without,
}
