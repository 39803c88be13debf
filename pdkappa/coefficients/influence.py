"""Influence values -> standard errors and covariances, of items or of clusters of items."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from pdkappa.coefficients.rounding import without_rounding

if TYPE_CHECKING:
    from collections.abc import Sequence

    from pdkappa._typing import BoolArray, FloatArray, IntArray
    from pdkappa.counts.core.base_rows import Rows

FEWEST_CLUSTERS = 2


class Clusters(NamedTuple):
    """The M clusters of the rated rows.

    Attributes
    ----------
    rated : ndarray of bool, shape (U,)
        The rows with a rating.
    place : ndarray of int
        Cluster of each rated row.
    group : ndarray of int, shape (M,)
        Group of each cluster.
    size : ndarray of float, shape (M,)
        Number of items of each cluster, or their total weight.
    spread : ndarray of float, shape (M,)
        What its variance is proportional to if items are independent: its size, or the sum of the
        squared weights of a sample.
    """

    rated: BoolArray
    place: IntArray
    group: IntArray
    size: FloatArray
    spread: FloatArray

    def total(self, values: FloatArray) -> FloatArray:
        """Sum a value of each rated row over its cluster, shape (M,)."""
        sums = np.bincount(self.place, weights=values, minlength=len(self.group))
        return sums.astype(np.float64, copy=False)


def standard_error(rows: Rows, influence: FloatArray, *, ddof: int = 1) -> FloatArray:
    """Compute the standard error of a coefficient from its influence values.

    Parameters
    ----------
    rows : Rows
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
    influence values, divided by the number of items. Items nested in clusters count by
    cluster: with S the sum of the influence values of a cluster, and h its share of the n
    items, the variance is ``sum(S**2 / (1 - h)) / n**2``: CR2, the bias-reduced estimator, of
    the residuals of a mean, which is unbiased where items are independent (Bell & McCaffrey,
    2002). See `units_of` for its degrees of freedom.
    """
    return without_rounding(np.sqrt(covariance(rows, [influence], ddof=ddof)[:, 0, 0]))


def covariance(rows: Rows, influences: Sequence[FloatArray], *, ddof: int = 1) -> FloatArray:
    """Compute the covariances of several coefficients of the same items, shape (G, C, C).

    See `standard_error` for the arguments and the formula.
    """
    factor = factor_of_products(rows, ddof=ddof)
    return sum_of_products(rows, np.stack(influences), rows) * factor[:, None, None]


def factor_of_products(rows: Rows, *, ddof: int = 1) -> FloatArray:
    """Return what turns sums of products of influence values into covariances, shape (G,).

    The sums are in units of ``rows.unit``. NaN with fewer than two items, or clusters.
    """
    units, size = units_of(rows), (rows.n_items / rows.unit) ** 2
    with np.errstate(divide="ignore", invalid="ignore"):  # fewer than two items or clusters
        factor = 1 / size if rows.cluster is not None else units / (units - ddof) / size / rows.unit
        return np.where(units > 1, factor, np.nan)


def units_of(rows: Rows) -> FloatArray:
    """Count what is independent: the rated items of each group, or their clusters, shape (G,).

    Clusters of m sizes are worth as many equal ones as the degrees of freedom of the standard
    error, and one; see `degrees_of_freedom`.
    """
    if rows.cluster is None:
        return rows.n_items
    found = clusters_of(rows)
    return units_of_sizes(found.size, found.spread, found.group, rows.n_groups)


def units_of_sizes(
    size: FloatArray, spread: FloatArray, group: IntArray, n_groups: int
) -> FloatArray:
    """Count clusters of some sizes by what they are worth; those without items do not count."""
    number = np.bincount(group, weights=size > 0, minlength=n_groups)
    several = number >= FEWEST_CLUSTERS
    df = degrees_of_freedom(size, spread, group, n_groups)
    return np.where(several, np.maximum(df, 1.0) + 1, number)


def degrees_of_freedom(
    size: FloatArray, spread: FloatArray, group: IntArray, n_groups: int
) -> FloatArray:
    """Compute the degrees of freedom of the variance of clusters, shape (G,).

    Parameters
    ----------
    size : ndarray of float, shape (M,)
        Number of items of each cluster, or their total weight.
    spread : ndarray of float, shape (M,)
        What the variance of each cluster is proportional to; see `Clusters`.
    group : ndarray of int, shape (M,)
        Group of each cluster.
    n_groups : int
        G.

    Returns
    -------
    ndarray of float, shape (G,)
        Between 1 and the number of clusters, less one, which equal clusters have. NaN with
        fewer than two of them.

    Notes
    -----
    They are those of Satterthwaite: twice the squared mean of the variance estimate over its
    variance, if items were independent (Bell & McCaffrey, 2002; Pustejovsky & Tipton, 2018).
    With h and u the shares of the clusters in size and spread, the sums of the residuals then
    have covariances proportional to ``C = diag(u) - h u' - u h' + h h'``, which is
    ``diag(h) - h h'`` where they are the same; the weights are ``a = 1 / (1 - h)``, and the
    degrees of freedom are ``sum(a * diag(C))**2 / sum(a a' * C**2)``.
    """

    def total(values: FloatArray) -> FloatArray:
        sums = np.bincount(group, weights=values, minlength=n_groups)
        return sums.astype(np.float64, copy=False)

    with np.errstate(divide="ignore", invalid="ignore"):  # a single cluster
        h = size / total(size)[group]
        u = spread / total(spread)[group]
        a, outer = 1 / (1 - h), h**2 - 2 * h * u
        hh, hu, uu = total(a * h**2), total(a * h * u), total(a * u**2)
        crossed = 2 * hh * uu + 2 * hu**2 - 4 * hh * hu + hh**2
        df: FloatArray = total(a * (u + outer)) ** 2 / (
            crossed + total(a**2 * (u**2 + 2 * u * outer))
        )
        return df


def of_own_units(units: FloatArray, own: FloatArray) -> FloatArray:
    """Compute by what influence values grow of a figure of a part of the items.

    Where ratings are missing, a pair of raters rated m of n items (or clusters), and its variance
    is that of m: their sum of squares over ``m (m - 1)``, where all together would have it over
    ``n (n - 1)`` with influence values n / m times as large. 1 for fewer than two.

    Parameters
    ----------
    units, own : ndarray of float, of shapes that fit
        The n and the m, see `units_of`.
    """
    with np.errstate(divide="ignore", invalid="ignore"):  # no items, or a single one
        grown = np.sqrt((1 - 1 / units) / (1 - 1 / np.maximum(own, FEWEST_CLUSTERS)))
        return np.where(units >= FEWEST_CLUSTERS, grown, 1.0)


def clusters_of(rows: Rows) -> Clusters:
    """Find the clusters of the rated rows, in the order of their numbers."""
    rated = rows.n_ratings > 0
    number = np.asarray(rows.cluster)[rated]
    _, first, place = np.unique(number, return_index=True, return_inverse=True)
    size = np.bincount(place, rows.count[rated], len(first)).astype(np.float64, copy=False)
    spread = size
    if rows.spread is not None:
        spread = np.bincount(place, rows.spread[rated], len(first)).astype(np.float64, copy=False)
    return Clusters(rated, place, rows.group[rated][first], size, spread)


def sum_of_products(rows: Rows, values: FloatArray, whole: Rows) -> FloatArray:
    """Sum the products of every two influence values of an item, or cluster, shape (G, C, C).

    The values, of shape (C, U), are those of an item like each row on C coefficients, and the
    counts are divided by ``whole.unit``. The rows are `whole` or a part of it: the sums of the
    parts add up, if no cluster is in two of them.
    """
    return _products(*_of_units(rows, values, whole), rows.n_groups)


def sums_of_squares(rows: Rows, values: FloatArray, whole: Rows) -> tuple[FloatArray, FloatArray]:
    """Sum the squared lengths of the values of an item, or cluster, and the squares of these, (G,).

    See `sum_of_products` for the arguments. The second, divided by the square of the first, says
    how far few items carry all: from 1 / n, if all have the same part, to 1.
    """
    if rows.cluster is None:  # without a copy of the values
        rated, unit = rows.n_ratings > 0, whole.unit
        lengths = np.einsum("cu,cu->u", values, values)[rated]
        weight, group = rows.count[rated] / unit, rows.group[rated]
    else:
        units, weight, group = _of_units(rows, values, whole)
        lengths, unit = np.einsum("cu,cu->u", units, units), 1.0
    first, second = (
        np.bincount(group, weight * power, rows.n_groups).astype(float)
        for power in (lengths, lengths**2)
    )
    return first, second / unit


def _of_units(
    rows: Rows, values: FloatArray, whole: Rows
) -> tuple[FloatArray, FloatArray, IntArray]:
    """Return the values of M items, or clusters, shape (C, M), with their weight and group."""
    if rows.cluster is None:
        rated = rows.n_ratings > 0
        return values[:, rated], rows.count[rated] / whole.unit, rows.group[rated]
    found = clusters_of(rows)
    count = rows.count[found.rated] / whole.unit
    with np.errstate(divide="ignore", invalid="ignore"):  # a single cluster
        rest = np.sqrt(1 - found.size / whole.n_items[found.group])
        sums = np.stack([found.total(count * one) for one in values[:, found.rated]]) / rest
    return sums, np.ones(len(rest)), found.group


def _products(values: FloatArray, weight: FloatArray, group: IntArray, n_groups: int) -> FloatArray:
    """Sum the products of every two values of each unit over each group, shape (G, C, C)."""
    if values.shape[0] == n_groups == 1:
        return (weight * values * values).sum(axis=1)[:, None, None]
    # One product of matrices is many times faster than a pass for every two values.
    if n_groups == 1:
        return ((values * weight) @ values.T)[None]
    n = len(values)
    result = np.empty((n_groups, n, n))
    if 0 < n_groups < n * (n + 1) // 2:
        order = np.argsort(group, kind="stable")
        ends = np.searchsorted(group[order], np.arange(1, n_groups))
        for one, own in zip(result, np.split(order, ends), strict=True):
            of_group = values[:, own]
            one[:] = (of_group * weight[own]) @ of_group.T
        return result
    for i in range(n):
        for j in range(i, n):
            products = weight * values[i] * values[j]
            result[:, i, j] = np.bincount(group, weights=products, minlength=n_groups)
            result[:, j, i] = result[:, i, j]
    return result
