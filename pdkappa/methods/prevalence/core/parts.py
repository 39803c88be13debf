"""Influence values of the labelled and the unlabelled items -> covariances of their figures."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from pdkappa.coefficients.influence import clusters_of, units_of

if TYPE_CHECKING:
    from pdkappa._typing import BoolArray, FloatArray, IntArray
    from pdkappa.coefficients.rating_rows import RatingRows


class Part(NamedTuple):
    """C figures of some of the items of G groups, as sums of what M units contribute.

    A unit is an item like each row, or a cluster of items.

    Attributes
    ----------
    values : ndarray of float, shape (C, M)
        Contributions: influence values of items, or their sums in clusters, divided by the number
        of items.
    share : ndarray of float, shape (M,)
        Part of the items that are like each row; 1 for clusters.
    group, cluster : ndarray of int, shape (M,)
        Group of each unit and, where items are nested, the number of its cluster, else None.
    times : ndarray of float, shape (G,)
        Number of units with share 1: of items, or 1 for clusters.
    divisor : ndarray of float, shape (G,)
        What sums of products are divided by, to be covariances.
    units : ndarray of float, shape (G,)
        Number of what is independent.
    """

    values: FloatArray
    share: FloatArray
    group: IntArray
    cluster: IntArray | None
    times: FloatArray
    divisor: FloatArray
    units: FloatArray

    def mean(self, values: FloatArray) -> FloatArray:
        """Sum a value of each unit by its share, shape (G,)."""
        sums = np.bincount(self.group, weights=self.share * values, minlength=len(self.units))
        return sums.astype(np.float64, copy=False)

    def covariance(self, first: FloatArray, second: FloatArray) -> FloatArray:
        """Covariance of two figures, from what units contribute; NaN of fewer than two, (G,)."""
        with np.errstate(divide="ignore", invalid="ignore"):
            return np.where(self.units > 1, self.mean(first * second) / self.divisor, np.nan)


def part_of(rows: RatingRows, keep: BoolArray, values: FloatArray, *, ddof: int = 1) -> Part:
    """Take the rows of a part, shape (U,), with their influence values, shape (C, U).

    Variances divide by n (n - ddof); those of clusters are bias-reduced (CR2): see
    `pdkappa.coefficients.influence.standard_error`.
    """
    own = rows.select(keep)
    n, units = own.n_items, units_of(own)
    share = own.count / n[own.group]
    if own.cluster is None:
        return Part(values[:, keep], share, own.group, None, n, n - ddof, units)
    found, one = clusters_of(own), np.ones(len(units))
    with np.errstate(divide="ignore", invalid="ignore"):  # a single cluster
        rest = np.sqrt(1 - found.size / n[found.group])
        sums = np.stack([found.total(share * some) for some in values[:, keep]]) / rest
    return Part(sums, np.ones(len(rest)), found.group, np.unique(own.cluster), one, one, units)


def between(first: Part, second: Part, of_first: int, of_second: int) -> FloatArray:
    """Covariance of figures of two parts, shape (G,): zero but for clusters with items in both."""
    if first.cluster is None or second.cluster is None:
        return np.zeros(len(first.units))
    _, here, there = np.intersect1d(first.cluster, second.cluster, return_indices=True)
    products = first.values[of_first, here] * second.values[of_second, there]
    sums = np.bincount(first.group[here], weights=products, minlength=len(first.units))
    return sums.astype(np.float64, copy=False)
