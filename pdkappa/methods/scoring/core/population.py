"""Scores of two raters in groups -> how far apart they are for each, in units of all."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from pdkappa.coefficients.concordance import has_one_score, in_units
from pdkappa.coefficients.influence import standard_error, units_of

if TYPE_CHECKING:
    from pdkappa._typing import FloatArray
    from pdkappa.counts.core.rows import RatingRows


class Standardised(NamedTuple):
    """Standardised difference of means in G groups; every field has shape (G,).

    Clusters, or items, count as `units`.
    """

    estimate: FloatArray
    se: FloatArray
    units: FloatArray


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
        Of the second rater less the first; NaN where a rater does not vary.

    Notes
    -----
    With the standard scores :math:`z_a, z_b` of an item, which both have mean 0 and variance 1
    over all items, and their means in group g, which is a share :math:`\pi` of the items,

    .. math:: \text{DSM}_g = \bar z_b - \bar z_a, \qquad
              \psi_i = \frac{[i \in g]}{\pi} (z_b - z_a - \text{DSM}_g) - (z_b - z_a)
              - \bar z_b \frac{z_b^2 - 1}{2} + \bar z_a \frac{z_a^2 - 1}{2}.
    """
    _, scores = in_units(rows, scores)
    whole = rows.with_rows(group=np.zeros_like(rows.group), n_groups=1)
    a, b = (_standard(whole, scores[codes]) for codes in rows.codes)
    n = rows.n_items
    estimate, se = np.full((2, rows.n_groups), np.nan)
    with np.errstate(divide="ignore", invalid="ignore"):  # no items
        mean_a, mean_b = rows.total(a) / n, rows.total(b) / n
        share = n / n.sum()
    # Standard deviations are divided by n - 1, which changes no influence but by a factor.
    factor = np.sqrt(1 - 1 / max(float(n.sum()), 2.0))
    for group in np.flatnonzero(n > 0):
        own = (rows.group == group) / share[group]
        estimate[group] = factor * (mean_b[group] - mean_a[group])
        influence = (
            own * (b - a - (mean_b[group] - mean_a[group]))
            - (b - a)
            - mean_b[group] * (b**2 - 1) / 2
            + mean_a[group] * (a**2 - 1) / 2
        )
        se[group] = standard_error(whole, influence)[0]
    se[np.isnan(estimate)] = np.nan
    return Standardised(estimate, factor * se, units_of(rows))


def _standard(whole: RatingRows, values: FloatArray) -> FloatArray:
    """Standardise values by their mean and standard deviation; NaN if they do not vary."""
    n = whole.n_items
    with np.errstate(divide="ignore", invalid="ignore"):
        away = values - whole.total(values) / n
        spread = np.sqrt(whole.total(away**2) / n)
        spread[has_one_score(whole, values)] = np.nan
        result: FloatArray = away / spread
    return result
