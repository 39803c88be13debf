"""Limits and tests of intraclass correlations from the items themselves, not from normal scores."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from itertools import product
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from pdkappa.coefficients.pair_counts import blocks_of, starts_of
from pdkappa.coefficients.resampling import TotalsSample
from pdkappa.coefficients.score_limits import chdtri, positive, stdtr, stdtrit

if TYPE_CHECKING:
    from pdkappa._typing import BoolArray, FloatArray, IntArray

NO_ERROR = 1e-18  # of the variance of all ratings: what is left of none by rounding
MOST_STEPS = 200
DAMPED = 20  # steps after which only half of each is taken
CLOSE = 1e-10  # of the variance of all ratings: the last step
SINGULAR = 1e-12  # least eigenvalue of a scaled matrix that can be solved
EXACT_FIT = 1e-6  # of the variance of all ratings: raters who fit exactly


class Sums(NamedTuple):
    """What the likelihood needs to know of the ratings of R raters, of B samples at once.

    Items with equally many ratings form a stratum, of S.
    """

    size: FloatArray  # how many ratings each item of a stratum has, (S,)
    items: FloatArray  # how many such items there are, (B, S)
    shared: FloatArray  # how many of these items two raters share, (B, S, R, R)
    # Sums, over the items of a rater, of the total score of an item, (B, S, R).
    products: FloatArray
    squares: FloatArray  # sum of the squares of these totals, (B, S)
    totals: FloatArray  # sum of the scores of each rater, (B, R)
    square: FloatArray  # sum of the squares of all scores, (B,)

    @property
    def n_ratings(self) -> FloatArray:
        """Number of ratings, shape (B,)."""
        return self.items @ self.size

    @property
    def each(self) -> FloatArray:
        """Number of ratings of each rater, shape (B, R)."""
        return np.einsum("bsii->bi", self.shared)

    def degrees(self, *, of_raters: bool) -> FloatArray:
        """Count the ratings that are left to tell errors from items, and raters, (B,)."""
        n_raters = np.count_nonzero(self.each, axis=1)
        return self.n_ratings - self.items.sum(axis=1) - (n_raters - 1) * of_raters

    def flat(self) -> FloatArray:
        """Put all that adds up side by side, shape (B, T)."""
        return np.concatenate([one.reshape(len(one), -1) for one in self[1:]], axis=1)

    def like(self, flat: FloatArray) -> Sums:
        """Return such sums of other samples; `flat` undone."""
        ends = np.cumsum([one[0].size for one in self[1:]])[:-1]
        parts = zip(np.split(flat, ends, axis=1), self[1:], strict=True)
        return Sums(self.size, *(part.reshape(len(flat), *one.shape[1:]) for part, one in parts))


def sums_of(
    scores: FloatArray,
    rated: BoolArray,
    count: FloatArray | None = None,
    part: IntArray | None = None,
) -> Sums:
    """Sum what U rows add, with scores of shape (R, U), zero where there are none.

    Their mean should be near zero, for the sake of the digits. By default each row counts once, and
    is a sample of its own; else `part` says in which of B it is, shape (U,).
    """
    n_ratings, total, square = rated.sum(axis=0), scores.sum(axis=0), (scores**2).sum(axis=0)
    n_raters, n_rows = scores.shape
    count = np.ones(n_rows) if count is None else count
    part = np.arange(n_rows) if part is None else part
    sizes = np.unique(n_ratings[n_ratings > 0])
    stratum, shape = np.searchsorted(sizes, n_ratings), (int(part.max()) + 1, len(sizes))
    items, squares = np.zeros((2, *shape))
    shared, products = np.zeros((*shape, n_raters, n_raters)), np.zeros((*shape, n_raters))
    totals, of_square = np.zeros((shape[0], n_raters)), np.zeros(shape[0])
    key = np.where(n_ratings > 0, part * shape[1] + stratum, -1)
    order = np.argsort(key, kind="stable")
    for some in np.split(order, starts_of(key[order])[1:]):
        if key[some[0]] >= 0:
            at, weight = np.divmod(key[some[0]], shape[1]), count[some]
            marks, own = rated[:, some].astype(np.float64), weight * total[some]
            items[at], squares[at] = weight.sum(), own @ total[some]
            shared[at], products[at] = (marks * weight) @ marks.T, marks @ own
            totals[at[0]] += scores[:, some] @ weight
            of_square[at[0]] += square[some] @ weight
    return Sums(sizes.astype(np.float64), items, shared, products, squares, totals, of_square)


def components(
    sums: Sums, *, of_raters: bool, start: FloatArray | None = None, most: int = MOST_STEPS
) -> FloatArray:
    """Estimate the variances of errors, items and raters, none below zero, shape (B, 3).

    Parameters
    ----------
    sums : Sums
    of_raters : bool
        Whether raters have a variance of their own; otherwise it is zero, and theirs is error.
    start : ndarray of float, shape (3,), optional
        Variances of nearly the same ratings, from which a few steps suffice.
    most : int
        The most steps.

    Returns
    -------
    ndarray of float, shape (B, 3)
        NaN where the ratings cannot tell them apart, or `MOST_STEPS` do not end.

    Notes
    -----
    Fisher scoring: with V the covariance of all ratings, P what projects out their mean, and V_i
    the derivative of V by variance i, the variances solve
    ``sum_j tr(P V_i P V_j) s_j = y' P V_i P y``, where both sides depend on them. Each step solves
    it, none below zero. No error at all has no likelihood; a millionth of the variance is none.
    """
    total = positive(sums.square / sums.n_ratings)
    n = 3 if of_raters else 2
    usual = np.array([1 / 2, 1 / 4, of_raters / 4])
    variances = total[:, None] * usual if start is None else np.repeat(start[None], len(total), 0)
    variances[:, 0] = np.maximum(variances[:, 0], EXACT_FIT * total)
    close = np.zeros(len(total), dtype=bool)
    for step in range(most):
        information, quadratic = _system(sums, variances)
        found = np.zeros(variances.shape)
        found[:, :n] = _solve(information[:, :n, :n], quadratic[:, :n])
        found[:, 0] = np.fmax(found[:, 0], EXACT_FIT * total)
        change = np.abs(found - variances).max(axis=1)
        variances = found if step < DAMPED else (found + variances) / 2
        close = ~(change >= CLOSE * total)
        if close.all():
            break
    known = (close | (most < MOST_STEPS)) & (sums.degrees(of_raters=of_raters) >= 1)
    result = np.where(variances <= EXACT_FIT * total[:, None], 0.0, variances)
    known &= ~np.isnan(variances).any(axis=1)
    return np.where(known[:, None], result, np.nan)


def _solve(information: FloatArray, quadratic: FloatArray) -> FloatArray:
    """Solve equations under the condition that nothing is below zero, (B, V); NaN if singular.

    Some are zero, and the rest solves what is left of the equations. Of those ways that leave
    nothing below zero, the likeliest is taken.
    """
    diagonal = np.einsum("bii->bi", information)
    scale = np.sqrt(np.where(diagonal > 0, diagonal, np.nan))
    matrix = information / (scale[:, :, None] * scale[:, None, :])
    right, n = quadratic / scale, scale.shape[1]
    known = np.isfinite(matrix).all(axis=(1, 2)) & np.isfinite(right).all(axis=1)
    matrix = np.where(known[:, None, None], matrix, np.eye(n))
    known &= np.linalg.eigvalsh(matrix)[:, 0] > SINGULAR
    best, least = np.full(right.shape, np.nan), np.full(len(right), np.inf)
    for some in map(np.flatnonzero, product((False, True), repeat=n)):
        part = np.where(known[:, None, None], matrix[:, some[:, None], some], np.eye(len(some)))
        found = np.zeros(right.shape)
        found[:, some] = np.linalg.solve(part, right[:, some, None])[..., 0]
        cost = np.einsum("bi,bij,bj->b", found, matrix, found) / 2 - (found * right).sum(axis=1)
        better = known & (found >= 0).all(axis=1) & (cost < least)
        best[better], least[better] = found[better], cost[better]
    return best / scale


def _system(sums: Sums, variances: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Compute traces ``tr(P V_i P V_j)``, (B, 3, 3), and quadratic forms of the scores, (B, 3).

    With Z the marks of the raters and T the inverse of V without them, ``P = T - T Z Q Z' T``.
    What has to do with errors follows from ``P V P = P`` and ``tr(P V) = M - 1``.
    """
    error, items, raters = variances.T
    one = np.eye(sums.totals.shape[1])
    v = 1 / (error[:, None] + sums.size * items[:, None])
    shared = np.einsum("bs,bsij->bij", v, sums.shared)  # Z' T Z is this less what is in `between`
    between = (sums.each[:, :, None] * one - items[:, None, None] * shared) / error[:, None, None]
    crossing = np.einsum("bs,bsi->bi", v, sums.products)
    means = (sums.totals - items[:, None] * crossing) / error[:, None]
    inner = np.linalg.inv(one + raters[:, None, None] * between)
    h = inner.sum(axis=2)
    along_h = np.einsum("bij,bj->bi", between, h)
    size = along_h.sum(axis=1)[:, None, None]
    q = raters[:, None, None] * inner + h[:, :, None] * h[:, None, :] / size
    fitted = np.einsum("bij,bj->bi", q, means)
    squared = np.einsum("bs,bsij->bij", v**2, sums.shared)
    # The same as I - Q Z'TZ and Z'TZ less that, though not in floats where errors are small.
    left = inner - h[:, :, None] * along_h[:, None, :] / size
    rest = between @ left
    crossed, n_v = q @ squared, sums.items * sums.size * v
    along = np.einsum("bij,bsij->bs", q, sums.shared)
    trace = np.stack([n_v.sum(axis=1) - _trace(crossed), _trace(rest)], axis=1)
    cross = ((squared @ left) * left).sum(axis=(1, 2))
    of_items = (n_v * sums.size * v).sum(axis=1) - 2 * (along * sums.size * v**3).sum(axis=1)
    of_items += (crossed * crossed.transpose(0, 2, 1)).sum(axis=(1, 2))
    known = np.stack([of_items, cross, cross, (rest**2).sum(axis=(1, 2))], axis=1).reshape(-1, 2, 2)
    apart = sums.squares - 2 * np.einsum("bsi,bi->bs", sums.products, fitted)
    apart = apart + np.einsum("bi,bsij,bj->bs", fitted, sums.shared, fitted)
    of_raters = (np.einsum("bji,bj->bi", left, means) ** 2).sum(axis=1)
    forms = np.stack([(v**2 * apart).sum(axis=1), of_raters], axis=1)
    whole = (sums.square - items * (v * sums.squares).sum(axis=1)) / error
    whole = whole - (means * fitted).sum(axis=1)
    # What follows for the errors from what is known of items and raters.
    others = variances[:, 1:]
    mixed = (trace - np.einsum("bij,bj->bi", known, others)) / error[:, None]
    of_errors = (sums.n_ratings - 1 - (trace * others).sum(axis=1)) / error
    corner = (of_errors - (mixed * others).sum(axis=1)) / error
    information = np.empty((len(error), 3, 3))
    information[:, 0, 0], information[:, 1:, 1:] = corner, known
    information[:, 0, 1:] = information[:, 1:, 0] = mixed
    first = (whole - (forms * others).sum(axis=1)) / error
    return information, np.concatenate([first[:, None], forms], axis=1)


def _trace(matrices: FloatArray) -> FloatArray:
    """Sum the diagonals, shape (B,)."""
    return np.einsum("bii->b", matrices)


LARGEST = 1 << 23  # numbers of all parts
BLOCK = 1 << 20  # of those that are worked on at once
NEAR = 1 << 16  # of them that fit the cache of a processor
FEWEST_PARTS = 20
SEED = 20051
STEPS_OF_PART = 3  # without a part of the items the variances are nearly the same
ROUNDS, PARTS = 10, 64  # of a search: 60 halvings
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
    return (ratio - 1) / (ratio + k - 1)


@dataclass(frozen=True)
class Ratings:
    """Ratings of the items of one group by R raters, of whom each rated some."""

    scores: FloatArray  # (R, U): zero where there is none; their mean is near zero
    rated: BoolArray  # (R, U)
    count: FloatArray  # (U,): how often each row counts
    cluster: IntArray | None  # (U,): items that belong together, from zero on

    @cached_property
    def is_complete(self) -> bool:
        """Whether all raters rated all items."""
        return bool(self.rated.all())

    @property
    def skewness(self) -> float:
        """Third moment of the means of items, or of clusters, over the power 3/2 of the second."""
        mean, count = self.scores.sum(axis=0) / self.rated.sum(axis=0), self.count
        if self.cluster is not None:
            in_cluster = np.bincount(self.cluster, count)
            mean = np.bincount(self.cluster, count * mean) / in_cluster
            count = np.ones(len(in_cluster))
        apart = mean - np.average(mean, weights=count)
        square, cube = (np.average(x, weights=count) for x in (apart**2, apart * apart**2))
        with np.errstate(divide="ignore", invalid="ignore"):
            return float(cube / square**1.5)

    @cached_property
    def sums(self) -> Sums:
        """What all rows add, where ratings are missing."""
        nowhere = np.zeros(len(self.count), dtype=np.int64)
        return sums_of(self.scores, self.rated, self.count, nowhere)

    @cached_property
    def added(self) -> FloatArray:
        """What each row adds to the totals that decide the correlations, shape (U, T)."""
        return (
            added_to(self.scores) if self.is_complete else sums_of(self.scores, self.rated).flat()
        )

    def correlations(self, totals: FloatArray, start: list[FloatArray] | None = None) -> FloatArray:
        """Correlate single ratings in B samples with such totals, shape (B, 3).

        With `start`, the variances of nearly the same samples, a few steps have to do.
        """
        if self.is_complete:
            return of_complete(totals)
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

        Which rows, or clusters, are merged is drawn, as those that are alike would err alike: from
        the order of what they hold, so that neither rows nor labels have a part in it.
        """
        count, cluster = self.count, self.cluster
        if self.is_complete:
            return self.added, count, cluster
        most = max(LARGEST // self.sums.flat().size, FEWEST_PARTS)
        if len(count) <= most:
            return self.added, count, cluster
        unit = np.arange(len(count)) if cluster is None else cluster
        rng = np.random.default_rng(SEED)
        any_other = rng.standard_normal(len(self.scores)) @ self.rated  # of rows with the same sums
        held = any_other, (self.scores**2).sum(axis=0), self.scores.sum(axis=0)
        order = np.lexsort([np.bincount(unit, count * one) for one in held])
        part = np.empty(len(order), dtype=np.int64)
        part[order] = rng.permutation(np.arange(len(order)) * most // len(order))
        merged = sums_of(self.scores, self.rated, count, part[unit]).flat()
        return merged, np.ones(len(merged)), None if cluster is None else np.arange(len(merged))

    def without_each(self) -> tuple[FloatArray, FloatArray, FloatArray, IntArray | None]:
        """Correlate single ratings without a unit of each row, shape (U, 3).

        Also return how much of each was left out, how often it counts, and its cluster.
        """
        added, count, cluster = self.by_parts()
        part = np.minimum(count, 1.0)
        whole, start = count @ added, None
        if not self.is_complete:
            start = [components(self.sums, of_raters=one)[0] for one in (False, True)]
        blocks = blocks_of(len(count), added.shape[1], NEAR if self.is_complete else BLOCK)
        rest = (whole - part[some, None] * added[some] for some in blocks)
        found = np.concatenate([self.correlations(one, start) for one in rest])
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
            [items] = self.sums.items
            k = float(items.sum() / (items / self.sums.size).sum())

        def six(totals: FloatArray) -> FloatArray:
            parts = blocks_of(len(totals), added.shape[1], BLOCK)
            one = np.concatenate([self.correlations(totals[some]) for some in parts])
            with np.errstate(divide="ignore", invalid="ignore"):
                both = np.concatenate([one, k * one / (1 + (k - 1) * one)], axis=1)
            return np.where(np.isfinite(both), both, np.nan)

        return TotalsSample(added, times, six)


def added_to(y: FloatArray) -> FloatArray:
    """Return what each item of scores without holes, (R, U), adds to totals, shape (U, T)."""
    added = np.empty((len(y) + 3, y.shape[1]))
    added[0], added[1:-2] = 1.0, y
    added[-2], added[-1] = np.einsum("ru,ru->u", y, y), y.sum(axis=0) ** 2
    return added.T


def of_complete(totals: FloatArray) -> FloatArray:
    """Correlate single ratings by mean squares, shape (B, 3)."""
    n, of_raters, square, of_items = totals[:, 0], totals[:, 1:-2], totals[:, -2], totals[:, -1]
    k = float(of_raters.shape[1])
    with np.errstate(divide="ignore", invalid="ignore"):
        mean = of_raters.sum(axis=1) ** 2 / (n * k)
        among, between = (of_raters**2).sum(axis=1) / n - mean, of_items / k - mean
        within = square - of_items / k
        none = 1e5 * NO_ERROR * square  # of differences of sums
        left = within - among
        items = np.where(between > none, between, 0.0) / (n - 1)
        raters = among / (k - 1)
        error = np.where(left > none, left, 0.0) / ((n - 1) * (k - 1))
        alone = np.where(within > none, within, 0.0) / (n * (k - 1))
        rest = k / n * (raters - error)
        return np.stack(
            [
                (items - alone) / (items + (k - 1) * alone),
                (items - error) / (items + (k - 1) * error + rest),
                (items - error) / (items + (k - 1) * error),
            ]
        ).T


class Jackknife(NamedTuple):
    """What is known of F correlations on the log scale; every field of shape (F,).

    `centre` is the mean of pseudo-values, `se` their standard error, `df` its degrees of freedom.
    """

    centre: FloatArray
    se: FloatArray
    df: FloatArray


def jackknife(ratings: Ratings, theta: FloatArray, k: float) -> Jackknife:
    """Leave out item by item of three correlations; of clusters add up what their items do."""
    values, part, count, cluster = ratings.without_each()
    return of_pseudo_values(theta, on_log(values, k), part, count, cluster)


def of_pseudo_values(
    theta: FloatArray,
    without: FloatArray,
    part: FloatArray,
    count: FloatArray,
    cluster: IntArray | None = None,
) -> Jackknife:
    r"""Combine what is left without a part of each of U rows, of shape (U, F).

    Notes
    -----
    With :math:`\theta_{(i)}` the value without item i of n, pseudo-values are
    :math:`n\theta - (n - 1)\theta_{(i)}`. Their mean has the variance
    :math:`\frac{n-1}{n}\sum_i(\theta_{(i)} - \bar\theta)^2`, with the degrees of freedom of a
    chi-squared variable with the same mean and variance (Satterthwaite, 1946): with b their
    kurtosis, the fourth moment over the square of the second, :math:`2n / (b - 1)`, at most
    n - 1. With clusters the sums over their items take the place of items.
    """
    total = count.sum()
    apart = theta - without
    apart *= ((1 - part / total) / part)[:, None]
    moved = count @ apart
    centre = theta + moved
    apart -= moved / total
    weight, n = count, total
    if cluster is not None:
        n_clusters = int(cluster.max()) + 1
        sums = np.zeros((n_clusters, len(theta)))
        np.add.at(sums, cluster, weight[:, None] * apart)
        apart, weight, n = sums, np.ones(n_clusters), np.float64(n_clusters)
    squares = np.multiply(apart, apart, out=apart)
    square, fourth = weight @ squares, np.einsum("u,uf,uf->f", weight, squares, squares)
    with np.errstate(divide="ignore", invalid="ignore"):
        variance = n / (n - 1) * square
        df = np.minimum(2 * n / (n * fourth / square**2 - 1), n - 1)
    known = (variance > 0) & (df > 0)
    return Jackknife(*(np.where(known, one, np.nan) for one in (centre, np.sqrt(variance), df)))


@dataclass(frozen=True)
class Squares:
    """The mean squares that ICC(A,1) is made of, and how many ratings they are of."""

    # Mean squares.
    items: float
    raters: float
    error: float
    # Ratings of an item, and items of a rater.
    k: float
    n: float
    n_raters: float

    def away(self, tail: FloatArray | float) -> FloatArray:
        """How far theta of ICC(A,1) is from that of raters whose variance is at such a limit.

        The variance of raters, beyond what errors make of it, is in proportion to a chi-squared
        variable with one degree of freedom less than raters.
        """
        df = self.n_raters - 1
        beyond = max(self.raters - self.error, 0.0)
        other = beyond * df / np.maximum(chdtri(df, tail), LEAST)
        return np.abs(self._theta(beyond) - self._theta(other))

    @property
    def variance(self) -> float:
        """Variance of theta of ICC(A,1) that is due to the raters, if they are normal."""
        beyond = max(self.raters - self.error, 0.0)
        rest = self.k / self.n * beyond
        if not rest:
            return 0.0
        slope = 1 / (self.k * self.items + rest) - 1 / (self.k * self.error + rest)
        return float((slope * rest) ** 2 * 2 / (self.n_raters - 1))

    def _theta(self, beyond: FloatArray | float) -> FloatArray:
        rest = self.k / self.n * beyond
        with np.errstate(divide="ignore", invalid="ignore"):
            apart = np.divide(self.k * (self.items - self.error), self.k * self.error + rest)
            return np.log1p(apart)


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
        centre, se, df = (one[ABSOLUTE] for one in found)
        is_above = centre > null
        for _ in range(ROUNDS):
            tail = np.linspace(low, high, PARTS + 1)
            away = squares.away(1 - tail if is_above else tail)
            away = np.hypot(stdtrit(df, 1 - tail) * se, away)
            inside = centre - away < null if is_above else null < centre + away
            first = np.count_nonzero(inside[1:-1])  # as long as the tail is small
            low, high = tail[first : first + 2].tolist()
        p_value[ABSOLUTE] = high if is_above else 1 - high
    between = (found.centre - null) * (theta - null) < 0
    return np.where(between & ~np.isnan(p_value), 0.5, p_value)
