"""Scores of two raters in groups -> how far apart they are for each, in units of all."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from pdkappa.coefficients.pair_kappas import has_one_score, in_units

if TYPE_CHECKING:
    from pdkappa._typing import FloatArray
    from pdkappa.coefficients.rating_rows import RatingRows


class Standardised(NamedTuple):
    """Standardised difference of means in G groups; every field has shape (G,)."""

    estimate: FloatArray
    se: FloatArray


def difference_of_means(rows: RatingRows, scores: FloatArray) -> Standardised:
    r"""Compare the means of two raters in each group, both standardised by all groups.

    Parameters
    ----------
    rows : RatingRows
        Ratings of two raters, none of them missing.
    scores : ndarray of float, shape (K,)
        What each code stands for.

    Returns
    -------
    Standardised
        Of the second rater less the first, with the standard error for independent items; NaN
        where a rater does not vary, and the error with a single item.

    Notes
    -----
    With the standard scores :math:`z_a, z_b` of an item, which both have mean 0 and variance 1
    over all items, and their means in group g, which is a share :math:`\pi` of the items,

    .. math:: \text{DSM}_g = \bar z_b - \bar z_a, \qquad
              \psi_i = \frac{[i \in g]}{\pi} (z_b - z_a - \text{DSM}_g) - (z_b - z_a)
              - \bar z_b \frac{z_b^2 - 1}{2} + \bar z_a \frac{z_a^2 - 1}{2},

    and the squared standard error is :math:`\sum \psi_i^2 / \{N (N - 1)\}` with N items in all.
    """
    _, scores = in_units(rows, scores)
    whole = rows.with_rows(group=np.zeros_like(rows.group), n_groups=1)
    a, b = (_standard(whole, scores[codes]) for codes in rows.codes)
    n, total = rows.n_items, rows.n_items.sum()
    with np.errstate(divide="ignore", invalid="ignore"):  # no items
        mean_a, mean_b = rows.total(a) / n, rows.total(b) / n
        estimate = mean_b - mean_a
        # An influence is that of the group, `own`, and a sum of three that all items have.
        own, share = b - a - estimate[rows.group], n / total
        three = np.stack([b - a, (b**2 - 1) / 2, (a**2 - 1) / 2])
        times = np.stack([-np.ones(len(n)), -mean_b, mean_a], axis=1)
        products = (rows.count * three) @ three.T
        crossed = np.stack([rows.total(own * one) for one in three], axis=1)
        squares = ((times @ products + 2 * crossed / share[:, None]) * times).sum(axis=1)
        squares += rows.total(own**2) / share**2
        # Standard deviations are divided by n - 1, which changes all by a factor.
        factor = np.sqrt(np.where(total > 1, 1 - 1 / total, np.nan))
        se = factor * np.sqrt(np.maximum(squares, 0) / total / np.where(n > 1, total - 1, np.nan))
    return Standardised(factor * estimate, se)


def _standard(whole: RatingRows, values: FloatArray) -> FloatArray:
    """Standardise values by their mean and standard deviation; NaN if they do not vary."""
    n = whole.n_items
    with np.errstate(divide="ignore", invalid="ignore"):
        away = values - whole.total(values) / n
        spread = np.sqrt(whole.total(away**2) / n)
        spread[has_one_score(whole, values)] = np.nan
        result: FloatArray = away / spread
    return result
