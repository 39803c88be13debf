"""Coefficients of two kinds of pairs of raters -> both means on Fisher's z scale, how far apart."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from pdkappa.coefficients.means_over_groups import PooledMean, dependent_fisher_mean
from pdkappa.coefficients.score_limits import ndtri

if TYPE_CHECKING:
    from pdkappa._typing import BoolArray, FloatArray


class Apart(NamedTuple):
    """Two means, and the first less the second with its standard error and limits."""

    first: PooledMean
    second: PooledMean
    difference: float
    se: float
    low: float
    high: float


def means_apart(
    estimates: FloatArray,
    weights: FloatArray,
    se_fisher_z: FloatArray,
    correlation: FloatArray,
    *,
    unbiased_z: FloatArray,
    is_first: BoolArray,
    clip: float,
    level: float,
) -> Apart:
    """Average the coefficients of two kinds of pairs, and compare the means.

    Parameters
    ----------
    estimates, weights, se_fisher_z, correlation, unbiased_z
        Of C pairs in G groups, as in `dependent_fisher_mean`.
    is_first : ndarray of bool, shape (C,)
        Which pairs are of the first kind.
    clip, level : float
        As in `dependent_fisher_mean`.

    Notes
    -----
    With ``m = tanh(sum(w z) / sum(w))`` for each kind, the difference moves by ``(1 - m**2) w /
    sum(w)`` with each z, by less that much with those of the second kind. The variance is the
    sum over the groups, which are independent, of these slopes and the covariances of the z.
    """
    slopes = np.zeros(estimates.shape)
    means: list[PooledMean] = []
    for sign, kind in ((1.0, is_first), (-1.0, ~is_first)):
        inner = correlation[:, kind][:, :, kind]
        mean = dependent_fisher_mean(
            estimates[kind],
            weights[kind],
            se_fisher_z[kind],
            inner,
            unbiased_z=unbiased_z[kind],
            clip=clip,
            level=level,
        )
        used = ~np.isnan(estimates[kind]) & (weights[kind] > 0)
        share = np.where(used, weights[kind], 0.0)
        with np.errstate(divide="ignore", invalid="ignore"):  # no pair at all
            slopes[kind] = sign * (1 - mean.estimate**2) * share / share.sum()
        means.append(mean)
    parts = np.where(slopes == 0, 0.0, slopes * se_fisher_z).T
    variance = np.einsum("gp,gpq,gq->", parts, correlation, parts)
    difference, se = means[0].estimate - means[1].estimate, float(np.sqrt(np.maximum(variance, 0)))
    half = float(ndtri((1 + level) / 2)) * se
    return Apart(means[0], means[1], difference, se, difference - half, difference + half)
