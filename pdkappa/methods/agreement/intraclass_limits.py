"""Limits and tests of intraclass correlations from the items themselves, not from normal scores."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from pdkappa.coefficients.resampling import TotalsSample
from pdkappa.coefficients.score_limits import chdtri, stdtr, stdtrit
from pdkappa.methods.agreement.variances import MOST_STEPS, NO_ERROR, components, sums_of

if TYPE_CHECKING:
    from pdkappa._typing import BoolArray, FloatArray, IntArray
    from pdkappa.methods.agreement.variances import Sums

LARGEST = 1 << 23  # numbers that are held at once
FEWEST_PARTS = 20
STEPS_OF_PART = 3  # without a part of the items the variances are nearly the same
HALVINGS = 60
LEAST = 1e-200  # quantile of the variance of raters: none is so small
MOST = 500.0  # of a logarithm: the correlation is 1 to all digits
ABSOLUTE = 1  # place of ICC(A,1) among ICC(1,1), ICC(A,1) and ICC(C,1)


def on_log(rho: FloatArray, k: FloatArray | float) -> FloatArray:
    """Logarithm of the ratio of mean squares, or what is like it for ICC(A,1).

    ``log((1 + (k - 1) rho) / (1 - rho))``, NaN where it is infinite.
    """
    with np.errstate(divide="ignore", invalid="ignore"):
        found = np.log((1 + (k - 1) * rho) / (1 - rho))
    return np.where(np.isfinite(found), found, np.nan)


def from_log(theta: FloatArray, k: FloatArray | float) -> FloatArray:
    """Turn it back into a correlation."""
    ratio = np.exp(np.minimum(theta, MOST))
    result: FloatArray = (ratio - 1) / (ratio + k - 1)
    return result


@dataclass(frozen=True)
class Ratings:
    """Ratings of the items of one group by R raters, of whom each rated some.

    Attributes
    ----------
    scores : ndarray of float, shape (R, U)
        Zero where there is none; their mean is near zero.
    rated : ndarray of bool, shape (R, U)
    count : ndarray of float, shape (U,)
        How often each row counts.
    cluster : ndarray of int, shape (U,), or None
        Items that belong together, from zero on.
    """

    scores: FloatArray
    rated: BoolArray
    count: FloatArray
    cluster: IntArray | None

    @cached_property
    def is_complete(self) -> bool:
        """Whether all raters rated all items."""
        return bool(self.rated.all())

    @cached_property
    def sums(self) -> Sums:
        """What each row adds, where ratings are missing."""
        return sums_of(self.scores, self.rated)

    @cached_property
    def added(self) -> FloatArray:
        """What each row adds to the totals that decide the correlations, shape (U, T)."""
        if not self.is_complete:
            return self.sums.flat()
        y = self.scores
        rows = [np.ones((1, y.shape[1])), y, (y**2).sum(axis=0)[None], (y.sum(axis=0) ** 2)[None]]
        return np.concatenate(rows).T

    def correlations(self, totals: FloatArray, start: list[FloatArray] | None = None) -> FloatArray:
        """Correlate single ratings in B samples with such totals, shape (B, 3).

        With `start`, the variances of nearly the same samples, a few steps have to do.
        """
        if self.is_complete:
            return _of_complete(totals, len(self.scores))
        sums, of_both = self.sums.like(totals), []
        for of_raters in (False, True):
            near, most = (None, MOST_STEPS) if start is None else (start[of_raters], STEPS_OF_PART)
            of_both.append(components(sums, of_raters=of_raters, start=near, most=most))
        (error, items, _), (rest, shared, raters) = (one.T for one in of_both)
        with np.errstate(divide="ignore", invalid="ignore"):
            parts = items / (items + error), shared / (shared + rest + raters)
            return np.stack([*parts, shared / (shared + rest)], axis=1)

    def by_parts(self) -> tuple[FloatArray, FloatArray, IntArray | None]:
        """Return what rows add, how often they count, and their clusters; merged where too many.

        Rows that stand next to each other in the order of their content are merged.
        """
        added, count, cluster = self.added, self.count, self.cluster
        most = max(LARGEST // added.shape[1], FEWEST_PARTS)
        if self.is_complete or len(count) <= most:
            return added, count, cluster
        order = np.lexsort(added.T) if cluster is None else np.argsort(cluster, kind="stable")
        part = np.arange(len(order)) * most // len(order)
        if cluster is not None:  # none is cut
            part = cluster[order] * most // (cluster.max() + 1)
        merged = np.zeros((int(part.max()) + 1, added.shape[1]))
        np.add.at(merged, part, added[order] * count[order, None])
        return merged, np.ones(len(merged)), None if cluster is None else np.arange(len(merged))

    def without_each(self) -> tuple[FloatArray, FloatArray, FloatArray, IntArray | None]:
        """Correlate single ratings without a unit of each row, shape (U, 3).

        Also return how much of each was left out, how often it counts, and its cluster.
        """
        added, count, cluster = self.by_parts()
        part = np.minimum(count, 1.0)
        whole, start = count @ added, None
        if not self.is_complete:
            sums = self.sums.like(whole[None])
            start = [components(sums, of_raters=one)[0] for one in (False, True)]
        found = np.concatenate(
            [
                self.correlations(whole - part[some, None] * added[some], start)
                for some in _blocks(len(count), added.shape[1])
            ]
        )
        return found, part, count, cluster

    def sample(self) -> TotalsSample:
        """Return what resamples are drawn from: correlations of one rating and of means of k."""
        times = np.rint(self.count).astype(np.int64)
        added, k = self.added, float(len(self.scores))
        if self.cluster is not None:
            merged = np.zeros((int(self.cluster.max()) + 1, added.shape[1]))
            np.add.at(merged, self.cluster, added * self.count[:, None])
            added, times = merged, np.ones(len(merged), dtype=np.int64)
        if not self.is_complete:
            items = self.sums.items.T @ self.count
            k = float(items.sum() / (items / self.sums.size).sum())

        def six(totals: FloatArray) -> FloatArray:
            parts = _blocks(len(totals), added.shape[1])
            one = np.concatenate([self.correlations(totals[some]) for some in parts])
            with np.errstate(divide="ignore", invalid="ignore"):
                both = np.concatenate([one, k * one / (1 + (k - 1) * one)], axis=1)
            return np.where(np.isfinite(both), both, np.nan)

        return TotalsSample(added, times, six)


def _blocks(n: int, width: int) -> list[slice]:
    """Cut what takes so many numbers each into blocks."""
    step = max(LARGEST // max(width, 1), 1)
    return [slice(first, first + step) for first in range(0, n, step)]


def _of_complete(totals: FloatArray, n_raters: int) -> FloatArray:
    """Correlate single ratings by mean squares, shape (B, 3)."""
    n, of_raters, square, of_items = totals[:, 0], totals[:, 1:-2], totals[:, -2], totals[:, -1]
    k = float(n_raters)
    with np.errstate(divide="ignore", invalid="ignore"):
        mean = of_raters.sum(axis=1) ** 2 / (n * k)
        among, between = (of_raters**2).sum(axis=1) / n - mean, of_items / k - mean
        within = square - of_items / k
        none = 1e5 * NO_ERROR * square  # of differences of sums
        left = within - among
        items, raters = between / (n - 1), among / (k - 1)
        error = np.where(left > none, left, 0.0) / ((n - 1) * (k - 1))
        alone = np.where(within > none, within, 0.0) / (n * (k - 1))
        rest = k / n * (raters - error)
        return np.stack(
            [
                (items - alone) / (items + (k - 1) * alone),
                (items - error) / (items + (k - 1) * error + rest),
                (items - error) / (items + (k - 1) * error),
            ],
            axis=1,
        )


class Jackknife(NamedTuple):
    """What is known of three correlations on the log scale; every field of shape (3,).

    `centre` is the mean of pseudo-values, `se` their standard error, `df` its degrees of freedom.
    """

    centre: FloatArray
    se: FloatArray
    df: FloatArray


def jackknife(ratings: Ratings, theta: FloatArray, k: float) -> Jackknife:
    r"""Leave out item by item; of clusters add up what their items do.

    Notes
    -----
    With :math:`\theta_{(i)}` the value without item i of n, pseudo-values are
    :math:`n\theta - (n - 1)\theta_{(i)}`. Their mean has the variance
    :math:`\frac{n-1}{n}\sum_i(\theta_{(i)} - \bar\theta)^2`, with the degrees of freedom of a
    chi-squared variable with the same mean and variance (Satterthwaite, 1946): with b their
    kurtosis, the fourth moment over the square of the second, :math:`2n / (b - 1)`, at most
    n - 1. With clusters the sums over their items take the place of items.
    """
    values, part, count, cluster = ratings.without_each()
    total = count.sum()
    apart = (theta - on_log(values, k)) * ((1 - part / total) / part)[:, None]
    weight = count[:, None]
    centre = theta + (weight * apart).sum(axis=0)
    apart = apart - (weight * apart).sum(axis=0) / total
    n = total
    if cluster is not None:
        n_clusters = int(cluster.max()) + 1
        sums = np.zeros((n_clusters, len(theta)))
        np.add.at(sums, cluster, weight * apart)
        apart, weight, n = sums, np.ones((n_clusters, 1)), float(n_clusters)
    square, fourth = ((weight * apart**power).sum(axis=0) for power in (2, 4))
    with np.errstate(divide="ignore", invalid="ignore"):
        variance = n / (n - 1) * square
        df = np.minimum(2 * n / (n * fourth / square**2 - 1), n - 1)
    known = (variance > 0) & (df > 0)
    return Jackknife(*(np.where(known, one, np.nan) for one in (centre, np.sqrt(variance), df)))


@dataclass(frozen=True)
class Squares:
    """The mean squares that ICC(A,1) is made of, and how many ratings they are of.

    Attributes
    ----------
    items, raters, error : float
        Mean squares.
    k, n : float
        Ratings of an item, and items of a rater.
    n_raters : float
    """

    items: float
    raters: float
    error: float
    k: float
    n: float
    n_raters: float

    def away(self, tail: float) -> float:
        """How far theta of ICC(A,1) is from that of raters whose variance is at such a limit.

        The variance of raters, beyond what errors make of it, is in proportion to a chi-squared
        variable with one degree of freedom less than raters.
        """
        df = self.n_raters - 1
        beyond = max(self.raters - self.error, 0.0)
        other = beyond * df / max(float(chdtri(df, tail)), LEAST)
        return abs(self._theta(beyond) - self._theta(other))

    @property
    def variance(self) -> float:
        """Variance of theta of ICC(A,1) that is due to the raters, if they are normal."""
        beyond = max(self.raters - self.error, 0.0)
        rest = self.k / self.n * beyond
        slope = 1 / (self.k * self.items + rest) - 1 / (self.k * self.error + rest)
        return float((slope * rest) ** 2 * 2 / (self.n_raters - 1))

    def _theta(self, beyond: float) -> float:
        rest = self.k / self.n * beyond
        with np.errstate(divide="ignore", invalid="ignore"):
            apart = self.k * (self.items - self.error) / (self.k * self.error + rest)
            return float(np.log1p(apart))


def limits_on_log(found: Jackknife, squares: Squares, tail: float) -> tuple[FloatArray, FloatArray]:
    """Limits with so much beyond each, shape (3,): t quantiles, and for A those of the raters.

    Items and raters are independent, so that the squares of both distances add (Zou & Donner,
    2008): the lower limit of A is that of raters who differ more, the upper one of those who differ
    less.
    """
    below = stdtrit(found.df, 1 - tail) * found.se
    above = below.copy()
    below[ABSOLUTE] = np.hypot(below[ABSOLUTE], squares.away(1 - tail))
    above[ABSOLUTE] = np.hypot(above[ABSOLUTE], squares.away(tail))
    return found.centre - below, found.centre + above


def one_sided(found: Jackknife, squares: Squares, theta: FloatArray, null: float) -> FloatArray:
    """Find the share beyond the lower limit that is at the null, shape (3,).

    Limits reach to the estimate, so that no null between it and the centre is rejected.
    """
    with np.errstate(divide="ignore", invalid="ignore"):
        p_value = np.asarray(stdtr(found.df, (null - found.centre) / found.se))
    if not np.isnan(p_value[ABSOLUTE]):
        low, high = 0.0, 0.5
        for _ in range(HALVINGS):
            tail = (low + high) / 2
            ends = limits_on_log(found, squares, tail)
            inside = ends[0][ABSOLUTE] < null < ends[1][ABSOLUTE]
            low, high = (tail, high) if inside else (low, tail)
        p_value[ABSOLUTE] = high if found.centre[ABSOLUTE] > null else 1 - high
    between = (found.centre - null) * (theta - null) < 0
    return np.where(between & ~np.isnan(p_value), 0.5, p_value)
