"""Tables of several groups -> Fisher's z without the bias of small tables, and its variance.

A table of twenty items has a z that is off by as much as the mean of thirty such tables is
uncertain, and an error that is small where the table happens to agree well. Both are put right
by what all tables have in common.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from pdkappa.coefficients.rounding import ROUNDING
from pdkappa.coefficients.samples import blocks_of

if TYPE_CHECKING:
    from pdkappa._typing import FloatArray
    from pdkappa.coefficients.chance import Coefficient
    from pdkappa.coefficients.weights import Scale
    from pdkappa.counts.core.pairs import PairCounts


class Moments(NamedTuple):
    """What items do to the coefficients of S tables; every field has shape (S,).

    Attributes
    ----------
    ratio, square : ndarray of float
        Means of the disagreement and of its square, in units of the expected disagreement.
    variance, bias : ndarray of float
        Of the estimate, to the first order in 1 / n, times the number n of items.
    """

    ratio: FloatArray
    square: FloatArray
    variance: FloatArray
    bias: FloatArray


class Effects(NamedTuple):
    """Fisher's z of G groups, and the variances of it; every field has shape (G,).

    Attributes
    ----------
    z : ndarray of float
        Without the bias of a small table.
    variance : ndarray of float
        What the group's own ratings say of the variance of its z.
    common : ndarray of float
        The mean over all items of that variance for one item, divided by the group's number of
        items: it does not depend on the group's own estimate.
    raw : ndarray of float
        The same for the coefficient itself.
    """

    z: FloatArray
    variance: FloatArray
    common: FloatArray
    raw: FloatArray


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
    r"""Compute Fisher's z of groups, each array of shape (G,), and its variances.

    Parameters
    ----------
    estimate, se, n_items : ndarray of float
        Coefficients in [-1, 1], their standard errors, and numbers of items, at least two.
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
    .. [1] Gart, J. J., & Zweifel, J. R. (1967). On the bias of various estimators of the logit
           and its variance. Biometrika, 54(1-2), 181-187.
           https://doi.org/10.1093/biomet/54.1-2.181
    """
    if not len(estimate):
        return Effects(estimate, estimate, estimate, estimate)
    share = n_items / n_items.max()
    share = share / share.sum()
    own = se**2 * n_items / (n_items - 1)
    by_items = (share * found.variance).sum()
    design = (share * n_items * se**2).sum() / by_items if by_items > 0 else 1.0
    bias = design * (share * found.bias).sum()
    ratio = (share * found.ratio).sum()
    one = design * (share * found.square).sum() / ratio if ratio > 0 else (share * worst).sum()
    centre = np.clip((share * (estimate - bias / n_items)).sum(), -1.0, 1.0)
    centre = centre * n_items / (n_items + one)
    slope = 1 / (1 - centre**2)
    spread = (share * n_items * own).sum()
    left = (one / 2 * centre - bias) * slope - centre * spread * slope**2
    z = np.arctanh(estimate * n_items / (n_items + one / 2)) + left / n_items
    inner = estimate * n_items / (n_items + one)
    variance = (own + (one / n_items) ** 2) / (1 - inner**2) ** 2
    variance = np.maximum(variance, ROUNDING**2)  # no z is known better than it is computed
    common = (share * n_items * variance).sum() / n_items
    return Effects(z, variance, common, spread / n_items if spread > 0 else common / slope**2)


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
    alone = _expected_of_cells(counts, scale, coefficient, n)
    curve = mean(alone) - expected
    return Moments(
        ratio=ratio,
        square=mean(apart**2) / expected**2,
        variance=mean((ratio[counts.table] * tilt - off) ** 2) / expected**2,
        bias=(mean(off * tilt) - ratio * mean(tilt**2)) / expected**2 + ratio * curve / expected,
    )


def _expected_of_cells(
    counts: PairCounts, scale: Scale, coefficient: Coefficient, n: FloatArray
) -> FloatArray:
    """Disagreement expected of raters who always use the categories of a cell, shape (C,)."""
    found = np.empty(len(counts.table))
    for block in blocks_of(len(found), counts.n_categories):
        table = counts.table[block]
        places = np.arange(len(table))
        row, col = np.zeros((2, len(table), counts.n_categories))
        row[places, counts.row[block]] = col[places, counts.col[block]] = 1.0
        found[block] = coefficient.chance(row, col, scale.take(table), n[table]).expected
    return found
