"""Influence values -> standard errors and covariances, of items or of clusters of items."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from pdkappa.coefficients.rounding import without_rounding

if TYPE_CHECKING:
    from collections.abc import Sequence

    from pdkappa._typing import FloatArray, IntArray
    from pdkappa.counts.core.rows import RatingRows


def standard_error(rows: RatingRows, influence: FloatArray, *, ddof: int = 1) -> FloatArray:
    """Compute the standard error of a coefficient from its influence values.

    Parameters
    ----------
    rows : RatingRows
        U rows of ratings in G groups, with counts, and clusters if there are any.
    influence : ndarray of float, shape (U,)
        Influence of an item like each row.
    ddof : {0, 1}
        Divide by n squared or by n (n - 1); without effect where there are clusters.

    Returns
    -------
    ndarray of float, shape (G,)
        NaN with fewer than two items, or clusters; exactly zero where it is rounding error.

    Notes
    -----
    The variance of a smooth function of the distribution of the items is that of its
    influence values, divided by the number of items. Items nested in m clusters count
    by cluster: the variance is ``m / (m - 1) * sum(S**2) / n**2`` with S the sum of the
    influence values of a cluster.
    """
    return without_rounding(np.sqrt(covariance(rows, [influence], ddof=ddof)[:, 0, 0]))


def covariance(rows: RatingRows, influences: Sequence[FloatArray], *, ddof: int = 1) -> FloatArray:
    """Compute the covariances of several coefficients of the same items, shape (G, C, C).

    See `standard_error` for the arguments and the formula.
    """
    factor = factor_of_products(rows, ddof=ddof)
    return sum_of_products(rows, np.stack(influences), rows.unit) * factor[:, None, None]


def factor_of_products(rows: RatingRows, *, ddof: int = 1) -> FloatArray:
    """Return what turns sums of products of influence values into covariances, shape (G,).

    The sums are in units of ``rows.unit``. NaN with fewer than two items, or clusters.
    """
    units = units_of(rows)
    ddof = ddof if rows.cluster is None else 1
    with np.errstate(divide="ignore", invalid="ignore"):  # fewer than two items or clusters
        size = (rows.n_items / rows.unit) ** 2 * (rows.unit if rows.cluster is None else 1.0)
        return np.where(units > 1, units / (units - ddof) / size, np.nan)


def units_of(rows: RatingRows) -> FloatArray:
    """Count what is independent: the rated items of each group, or their clusters, shape (G,)."""
    if rows.cluster is None:
        return rows.n_items
    rated = rows.n_ratings > 0
    _, first = np.unique(rows.cluster[rated], return_index=True)
    return np.bincount(rows.group[rated][first], minlength=rows.n_groups).astype(np.float64)


def sum_of_products(rows: RatingRows, values: FloatArray, unit: float) -> FloatArray:
    """Sum the products of every two influence values of an item, or cluster, shape (G, C, C).

    The values, of shape (C, U), are those of an item like each row on C coefficients, and the
    counts are divided by `unit`. The sums of parts of the rows add up, if no cluster is in two
    of them.
    """
    rated = rows.n_ratings > 0
    values, weight, group = values[:, rated], rows.count[rated] / unit, rows.group[rated]
    if rows.cluster is not None:
        _, first, cluster = np.unique(rows.cluster[rated], return_index=True, return_inverse=True)
        sums = [np.bincount(cluster, weights=weight * one, minlength=len(first)) for one in values]
        values, weight, group = np.stack(sums), np.ones(len(first)), group[first]
    return _products(values, weight, group, rows.n_groups)


def _products(values: FloatArray, weight: FloatArray, group: IntArray, n_groups: int) -> FloatArray:
    """Sum the products of every two values of each unit over each group, shape (G, C, C)."""
    # One product of matrices is many times faster than a pass for every two values.
    if n_groups == 1:
        return ((values * weight) @ values.T)[None]
    n = len(values)
    result = np.empty((n_groups, n, n))
    for i in range(n):
        for j in range(i, n):
            products = weight * values[i] * values[j]
            result[:, i, j] = np.bincount(group, weights=products, minlength=n_groups)
            result[:, j, i] = result[:, i, j]
    return result
