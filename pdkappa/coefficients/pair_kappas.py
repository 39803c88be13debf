"""Coded scores of two raters -> kappa and concordance without a table of categories.

Nothing here grows with the number of distinct scores: a hundred thousand of them in a thousand
groups cost a sort at most.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
import scipy

from pdkappa.coefficients.chance import FEWEST_ITEMS, influence, point
from pdkappa.coefficients.guarded_limits import Around
from pdkappa.coefficients.influence import (
    covariance,
    factor_of_products,
    of_own_units,
    standard_error,
    variances,
)
from pdkappa.coefficients.intervals import Limits, fisher_of_many, wald_of_many
from pdkappa.coefficients.pair_counts import count_pairs
from pdkappa.coefficients.score_limits import ROUNDING, at_least, one_minus, positive
from pdkappa.coefficients.sparse_rows import joint_of

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from pdkappa._typing import BoolArray, FloatArray, IntArray, ObjectArray
    from pdkappa.coefficients.chance import Coefficient
    from pdkappa.coefficients.pair_counts import PairCounts
    from pdkappa.coefficients.rating_rows import RatingRows
    from pdkappa.coefficients.weights import Scale

LARGEST_PROGRAMME = 256
FEW_KEYS = 4  # times as many places as rows: a table of all is faster than a search


def least_disagreement(counts: PairCounts, scale: Scale, *, programmes: bool = True) -> FloatArray:
    """Smallest observed disagreement that the margins of each table allow, shape (S,).

    The parameters are those of `extreme_disagreement`, with S tables instead of margins.
    """
    return extreme_disagreement(*counts.margins(), scale, programmes=programmes)


def extreme_disagreement(
    row: FloatArray,
    col: FloatArray,
    scale: Scale,
    *,
    greatest: bool = False,
    programmes: bool = True,
) -> FloatArray:
    """Smallest or greatest observed disagreement of all tables with given margins.

    Parameters
    ----------
    row, col : ndarray of float, shape (S, K)
        Shares of the categories of the first and of the second rater.
    scale : Scale
        Disagreement of the categories.
    greatest : bool
        Whether the greatest disagreement is wanted rather than the smallest.
    programmes : bool
        Whether to solve linear programmes where there is no closed form.

    Returns
    -------
    ndarray of float, shape (S,)
        In the units of the scale. NaN for an empty table, and where a linear programme
        would be needed that is not wanted, or has more than 256 categories in use.

    Notes
    -----
    Nominal weights: all that the margins share lies on the diagonal, or only what cannot be
    elsewhere. Convex functions of the difference of the scores, as linear and quadratic
    weights are, satisfy the Monge condition, so that pairing both raters' items in ascending
    order is best, and in opposite orders worst [1]_. Other weights need the linear programme
    of the transportation problem.

    References
    ----------
    .. [1] Hoffman, 1963
    """
    if not scale.weighting.ordered:
        if greatest:
            return np.minimum(1, 2 - (row + col).max(axis=-1, initial=0))
        return 1 - np.minimum(row, col).sum(axis=-1)
    if is_monge(scale):
        return _paired_in_order(row, col, scale, opposite=greatest)
    if not programmes:
        return np.full(len(row), np.nan)
    sign = -1 if greatest else 1
    costs = (sign * scale.matrix(s) for s in range(len(row)))
    return np.array([sign * _transport(*one) for one in zip(row, col, costs, strict=True)])


def is_monge(scale: Scale) -> bool:
    """Whether crossing two pairs of categories never costs less than keeping their order."""
    if scale.weighting.convex:
        return True
    if not scale.weighting.ordered or not scale.is_shared:
        return False
    cost = scale.matrix()[np.ix_(scale.in_use[0], scale.in_use[0])]
    kept, crossed = cost[:-1, :-1] + cost[1:, 1:], cost[:-1, 1:] + cost[1:, :-1]
    return bool((kept <= crossed).all())


def _paired_in_order(
    row: FloatArray, col: FloatArray, scale: Scale, *, opposite: bool
) -> FloatArray:
    """Disagreement when the items of both raters are paired in ascending, or opposite, order.

    Each step between neighbouring values of the two distribution functions is a share of
    items for which both raters' categories are known.
    """
    k = row.shape[-1]
    col = col[:, ::-1] if opposite else col
    steps = np.concatenate([np.cumsum(row, axis=-1), np.cumsum(col, axis=-1)], axis=-1)
    order = np.argsort(steps, axis=-1, kind="stable")
    share = np.diff(np.take_along_axis(steps, order, axis=-1), axis=-1, prepend=0)
    from_row = order < k
    row_category = np.minimum(np.cumsum(from_row, axis=-1) - from_row, k - 1)
    col_category = np.minimum(np.cumsum(~from_row, axis=-1) - ~from_row, k - 1)
    col_category = k - 1 - col_category if opposite else col_category
    table = np.repeat(np.arange(len(row)), 2 * k)
    apart = scale.between(table, row_category.reshape(-1), col_category.reshape(-1))
    return (share * apart.reshape(share.shape)).sum(axis=-1)


def _transport(row: FloatArray, col: FloatArray, cost: FloatArray) -> float:
    """Solve the transportation problem of two margins, shape (K,), by linear programming."""
    used_row, used_col = np.flatnonzero(row > 0), np.flatnonzero(col > 0)
    k, m = len(used_row), len(used_col)
    if not 0 < max(k, m) <= LARGEST_PROGRAMME:
        return np.nan
    if k == 1 or m == 1:
        # There is only one table.
        return float(row @ cost @ col)
    # Each cell counts in the sum of its row and in that of its column. Both margins have the same
    # total: the last sum follows from all others.
    cells = np.arange(k * m, dtype=np.int32)  # which is what the solver of older SciPy takes
    sums = np.stack([cells // m, k + cells % m], axis=1, dtype=np.int32).reshape(-1)
    at = (np.ones(len(sums)), sums, np.arange(0, len(sums) + 1, 2, dtype=np.int32))
    constraints = scipy.sparse.csc_array(at, shape=(k + m, k * m))[:-1]
    totals = np.concatenate([row[used_row], col[used_col]])[:-1]
    unit = np.abs(cost).max() or 1.0  # the solver has absolute tolerances, and 1e20 is infinite
    used = cost[np.ix_(used_row, used_col)].reshape(-1)
    # Of no whole numbers.
    solution = scipy.optimize.milp(used / unit, constraints=(constraints, totals, totals))
    return float(np.asarray(solution.fun, dtype=np.float64) * unit)


SEVERITY = (
    "",
    "no_variance",
    "n_lt_2",
    "constant_rater",
    "constant_ratings",
    "no_joint_items",
    "no_items",
)


@dataclass(frozen=True)
class PairKappas:
    """Coefficients of C pairs of raters in G groups, of the items that some pair rated."""

    rows: RatingRows  # the U rows that at least one of the pairs rated
    pairs: list[tuple[int, int]]
    units: FloatArray  # (G,), number of these items, or of the clusters they are nested in
    n_items: FloatArray  # (C, G), number of items that both raters of a pair rated
    estimate: FloatArray  # (C, G), NaN where undefined
    worst: FloatArray  # (C, G), largest disagreement in units of the expected one
    reason: ObjectArray  # (C, G), why an estimate or its standard error is undefined, or empty
    counts: PairCounts  # G x C tables; that of pair c in group g is g * C + c
    of_cell: FloatArray  # influence of a row in each cell of them on its coefficient

    @cached_property
    def influence(self) -> FloatArray:
        """Influence of each row on every coefficient, shape (C, U)."""
        return np.stack(list(self.influences()))

    @cached_property
    def listed(self) -> tuple[IntArray, IntArray, FloatArray]:
        """Where a row has an influence on a coefficient: number of the pair, row, and value, (N,).

        Many raters share few rows each, so that all values would fill the memory with zeros.
        """
        parts = []
        for number, values in enumerate(self.influences()):
            some = np.flatnonzero(values)
            parts.append(
                (np.full(len(some), number, np.int32), some.astype(np.int32), values[some])
            )
        pair, row, value = (np.concatenate(part) for part in zip(*parts, strict=True))
        return pair, row, value

    def influences(self, times: FloatArray | None = None) -> Iterator[FloatArray]:
        """Look up the influence of each row on one coefficient after the other, each (U,).

        It is zero where the pair did not rate the row, grown as `of_own_units` says, and multiplied
        by `times`, of shape (C, G).
        """
        rows, counts, levels = self.rows, self.counts, self.counts.n_categories + 1
        group, pair = np.divmod(counts.table, len(self.pairs))
        values = self.of_cell if times is None else self.of_cell * times[pair, group]
        order = np.argsort(pair, kind="stable")
        ends = np.searchsorted(pair[order], np.arange(1, len(self.pairs)))
        keys = ((group * levels + counts.row + 1) * levels + counts.col + 1)[order]
        each = zip(np.split(keys, ends), np.split(values[order], ends), strict=True)
        outer, n_keys = rows.group.astype(np.int64) * levels + 1, rows.n_groups * levels**2
        for (first, second), (own, of_own) in zip(self.pairs, each, strict=True):
            wanted = (outer + rows.codes[first]) * levels + rows.codes[second] + 1
            yield looked_up(own, of_own, wanted, n_keys)

    def variances(self) -> FloatArray:
        """Variance of every coefficient, shape (C, G)."""
        if self.rows.cluster is not None:
            return np.concatenate([variances(self.rows, one[None]) for one in self.influences()])
        count = self.counts.count * (self.counts.unit / self.rows.unit)
        squares = self.counts.sum(count * self.of_cell**2).reshape(-1, len(self.pairs)).T
        return squares * factor_of_products(self.rows)


def looked_up(keys: IntArray, values: FloatArray, wanted: IntArray, n_keys: int) -> FloatArray:
    """Return the values of the keys that are wanted, 0 of those that are not among the sorted."""
    if n_keys <= FEW_KEYS * len(wanted):
        table = np.zeros(n_keys)
        table[keys] = values
        return table[wanted]
    places = np.searchsorted(keys, wanted)
    known = np.append(keys, -1)[places] == wanted
    return np.where(known, np.append(values, 0.0)[places], 0.0)


def of_pairs(
    rows: RatingRows,
    scale: Scale,
    coefficient: Coefficient,
    pairs: Sequence[tuple[int, int]],
    counts: PairCounts | None = None,
) -> PairKappas:
    """Estimate the coefficients of some pairs of raters; the order within one changes nothing.

    The pairs are counted here, unless their tables are passed, those of group after group.
    """
    some_rating = rows.n_items > 0
    ordered = [(min(pair), max(pair)) for pair in pairs]
    some = np.zeros(rows.codes.shape[1], dtype=bool)
    for first, second in ordered:
        some |= (rows.codes[first] >= 0) & (rows.codes[second] >= 0)
    rows, n_groups = rows.select(some), rows.n_groups
    if counts is None:
        counts = count_pairs(
            *(rows.codes, rows.n_categories),
            pairs=ordered,
            groups=rows.group,
            n_groups=n_groups,
            weights=rows.count,
        )
    parts = [
        _of_block(block, scale.of_tables(tables, counts.n_tables), coefficient)
        for tables, block in counts.blocks()
    ]
    *of_tables, of_cell = (np.concatenate(part) for part in zip(*parts, strict=True))
    n_items, estimate, worst, fixed = (one.reshape(n_groups, len(ordered)).T for one in of_tables)
    own = n_items
    if rows.cluster is not None:
        own = np.stack([rows.select(joint_of(rows, pair).places).units for pair in ordered])
    with np.errstate(divide="ignore", invalid="ignore"):  # no joint items
        share = rows.n_items / n_items
    grown = np.where(np.isnan(estimate), 0.0, share * of_own_units(rows.units, own))
    return PairKappas(
        rows=rows,
        pairs=ordered,
        units=rows.units,
        n_items=n_items,
        estimate=np.where(fixed & ~np.isnan(estimate), 0.0, estimate),
        worst=worst,
        reason=_reasons(estimate, n_items, rows.units, fixed=fixed, some_rating=some_rating),
        counts=counts,
        of_cell=np.nan_to_num(of_cell) * grown.T.reshape(-1)[counts.table],
    )


class _Found(NamedTuple):
    """What the tables of a block say, each of shape (S,), and the influence of an item, (C,)."""

    n_items: FloatArray
    estimate: FloatArray
    worst: FloatArray
    fixed: BoolArray
    of_cell: FloatArray


def _of_block(counts: PairCounts, scale: Scale, coefficient: Coefficient) -> _Found:
    """Estimate the coefficients of some tables."""
    apart = scale.between(counts.table, counts.row, counts.col)
    at = point(counts, apart, scale, coefficient)
    return _Found(
        n_items=at.n,
        estimate=at_least(coefficient.lowest(scale), one_minus(at.ratio)),
        worst=scale.largest / at.expected,
        fixed=coefficient.keeps_margins & at.is_constant,
        of_cell=influence(at, counts, apart, at.n),
    )


def correlation(kappas: PairKappas) -> FloatArray:
    """Correlation of the first two estimates over samples of items, shape (G,).

    NaN where one of them is undefined or does not vary.
    """
    cov = covariance(kappas.rows, list(kappas.influence[:2]))
    own = np.diagonal(cov, axis1=1, axis2=2).T
    known = _varies(kappas.reason[:2], own).all(axis=0)
    with np.errstate(divide="ignore", invalid="ignore"):  # where it is not known
        found = np.clip(cov[:, 0, 1] / (np.sqrt(own[0]) * np.sqrt(own[1])), -1.0, 1.0)
    return np.where(known, found, np.nan)


def variance_of_sum(kappas: PairKappas, parts: FloatArray) -> float:
    """Variance of the sum of all estimates, given the standard error of what each adds, (C, G).

    Estimates of a group are correlated by the items that they share; one that is undefined or does
    not vary is correlated with no other.
    """
    own = kappas.variances()
    varies = _varies(kappas.reason, own)
    slopes = np.divide(parts, np.sqrt(own), out=np.zeros(parts.shape), where=varies)
    together, apart = np.zeros(len(kappas.rows.group)), float((parts[~varies] ** 2).sum())
    for part in kappas.influences(slopes):
        together += part
    of_sum = np.nan_to_num(variances(kappas.rows, together[None]))
    return float(of_sum.sum()) + apart


def _varies(reason: ObjectArray, variance: FloatArray) -> BoolArray:
    """Whether an estimate is defined and has a standard error above zero."""
    return (reason == "") & (np.sqrt(variance) > ROUNDING)


def worst(reasons: ObjectArray) -> ObjectArray:
    """Return the gravest reason of each column, shape (G,), of reasons of shape (C, G)."""
    rank = np.zeros(reasons.shape[1], dtype=np.intp)
    for k, reason in enumerate(SEVERITY):
        rank[(reasons == reason).any(axis=0)] = k
    return np.array(SEVERITY, dtype=object)[rank]


def _reasons(
    estimate: FloatArray,
    n_items: FloatArray,
    units: FloatArray,
    *,
    fixed: BoolArray,
    some_rating: BoolArray,
) -> ObjectArray:
    """Say why an estimate or its standard error is undefined, shape (C, G)."""
    reason = np.full(estimate.shape, "", dtype=object)
    reason[:, units < FEWEST_ITEMS] = "n_lt_2"
    reason[fixed] = "constant_rater"
    reason[np.isnan(estimate)] = "constant_ratings"
    reason[n_items == 0] = "no_joint_items"
    reason[:, ~some_rating] = "no_items"
    return reason


class Moments(NamedTuple):
    """Moments of the scores of two raters over their joint items, every field (G,).

    The variances are divided by the number of items.
    """

    n_items: FloatArray
    mean_a: FloatArray
    mean_b: FloatArray
    sd_a: FloatArray
    sd_b: FloatArray
    covariance: FloatArray


def moments(rows: RatingRows, scores: FloatArray) -> Moments:
    """Compute the moments of two raters' scores, given those of the categories, (G or 1, K).

    Each item must have a rating by both.
    """
    n, values = rows.n_items, [rows.lookup(scores, codes) for codes in rows.codes]
    with np.errstate(divide="ignore", invalid="ignore"):  # no items
        means = [rows.total(one) / n for one in values]
        a, b = (
            one - np.nan_to_num(mean)[rows.group] for one, mean in zip(values, means, strict=True)
        )
        return Moments(
            n,
            means[0],
            means[1],
            np.sqrt(rows.total(a * a) / n),
            np.sqrt(rows.total(b * b) / n),
            rows.total(a * b) / n,
        )


def correlation_of_moments(found: Moments) -> FloatArray:
    """Compute Pearson's correlation, shape (G,); NaN where a rater does not vary."""
    # The covariance is at most the product (Cauchy, Schwarz), though not always in floats.
    with np.errstate(invalid="ignore"):
        return np.clip(found.covariance / positive(found.sd_a * found.sd_b), -1, 1)


class Distance(NamedTuple):
    """How much a difference of scores counts."""

    # Distance of each score to another one, both of shape (U,).
    between: Callable[[FloatArray, FloatArray], FloatArray]
    # Mean distance of each score, shape (U,), to all scores of the other rater in the group.
    to_all: Callable[[RatingRows, FloatArray, FloatArray], FloatArray]


class Concordance(NamedTuple):
    """Agreement of two raters' scores in G groups; every field has shape (G,)."""

    n_items: FloatArray  # number of items that both rated, or their total weight
    # Kappa, at most 1, and its large-sample standard error, which is divided by n.
    estimate: FloatArray
    se: FloatArray
    # Limits in [-1, 1].
    ci_low: FloatArray
    ci_high: FloatArray
    # The same corrected for its bias in small samples.
    kappa_u: FloatArray
    se_kappa_u: FloatArray
    # Pearson's correlation, Lin's bias correction in (0, 1], and the mean of the first rater less
    # that of the second.
    correlation: FloatArray
    lin_accuracy: FloatArray
    difference: FloatArray
    reason: ObjectArray  # why something is NaN; empty where nothing is


class _Kappa(NamedTuple):
    """Kappa of G groups, and what each of the U rows does to it.

    `estimate` is (G,), `influence` and the exact `change` without an item like the row are
    (U,), and whether each rater gave all items one score, `constant`, is (2, G).
    """

    estimate: FloatArray
    influence: FloatArray
    change: FloatArray
    constant: BoolArray


def joint_scores(rows: RatingRows, pair: tuple[int, int]) -> RatingRows:
    """Return what two of the raters said about the items that both rated."""
    codes = rows.codes[list(pair)]
    both = np.flatnonzero((codes >= 0).all(axis=0))
    return replace(rows, codes=codes).select(both)


def concordance_figures(
    rows: RatingRows, scores: FloatArray, distance: Distance, *, ci: str, level: float
) -> Concordance:
    r"""Estimate the agreement of two raters from the distances of their scores.

    Parameters
    ----------
    rows : RatingRows
        Ratings of two raters, none of them missing.
    scores : ndarray of float, shape (K,)
        What each code stands for.
    distance : Distance
        One of ``DISTANCES``.
    ci : {"auto", "fisher", "wald"}
    level : float
        Confidence level.

    Returns
    -------
    Concordance
        One value for each group.

    Notes
    -----
    With :math:`g_i` the mean distance of the two scores of item i to all scores of the other
    rater, added up, :math:`d_i` their own distance, and :math:`D_e` half the mean of g,

    .. math:: \kappa = 1 - \frac{\bar d}{D_e}, \qquad
              \psi_i = \frac{(1 - \kappa)(g_i - D_e) - d_i}{D_e},

    and the squared standard error is :math:`\sum \psi_i^2 / n^2`. Without item i the two means
    are :math:`(n \bar d - d_i) / (n - 1)` and :math:`(n^2 D_e - n g_i + d_i) / (n - 1)^2`,
    which gives the jackknife at no cost. The corrected kappa replaces :math:`D_e`, which holds
    n pairs of scores of one and the same item, by the mean over different items,
    :math:`(n D_e - \bar d) / (n - 1)`; then :math:`\kappa_U = n \kappa / (n - 1 + \kappa)`.
    """
    unit, _, scores = from_lowest(rows, scores)
    first, second = scores[rows.codes]
    n = rows.n_items
    found = _kappa(rows, first, second, distance)
    k, is_fixed = found.estimate, np.logical_or(*found.constant)
    units = rows.units
    unknown = np.isnan(k) | is_fixed | (n < FEWEST_ITEMS)
    se = np.where(unknown, np.nan, standard_error(rows, found.influence, ddof=0))
    low, high = _limits(rows, found, se, units, ci=ci, level=level)
    with np.errstate(divide="ignore", invalid="ignore"):
        few, size = (n < FEWEST_ITEMS) | (n - 1 + k < ROUNDING), n / rows.unit
        rest = np.where(few, np.nan, n - 1 + k) / rows.unit
        slope = size * ((n - 1) / rows.unit) / rest**2
        kappa_u = size * k / rest
        spread = moments(rows, scores[None])
        squares = spread.sd_a**2 + spread.sd_b**2 + (spread.mean_b - spread.mean_a) ** 2
        accuracy = 2 * spread.sd_a * spread.sd_b / squares
    return Concordance(
        n_items=n,
        estimate=k,
        se=se,
        ci_low=low,
        ci_high=high,
        kappa_u=kappa_u,
        se_kappa_u=slope * se,
        correlation=np.where(is_fixed, np.nan, correlation_of_moments(spread)),
        lin_accuracy=np.where(is_fixed, np.nan, accuracy),
        difference=(spread.mean_a - spread.mean_b) * unit,
        reason=_reasons_of_scores(n, units, k, is_fixed),
    )


def influence_of(
    rows: RatingRows, scores: FloatArray, distance: Distance
) -> tuple[FloatArray, FloatArray]:
    """Return kappa of two raters, (G,), and the influence of each row on it, (U,).

    It is that of the jackknife, ``n - 1`` times what kappa loses without an item like the row.
    """
    _, _, scores = from_lowest(rows, scores)
    first, second = scores[rows.codes]
    found = _kappa(rows, first, second, distance)
    return found.estimate, -(rows.n_items[rows.group] - 1) * found.change


def in_units(rows: RatingRows, scores: FloatArray) -> tuple[float, FloatArray]:
    """Return a power of two near the range of the scores in use, and all scores divided by it.

    The squares of tiny scores would be 0; the division is exact.
    """
    used = scores[rows.codes]
    unit = unit_of(used) if used.size else 1.0
    with np.errstate(over="ignore"):  # scores that are not in use
        return unit, scores / unit


def from_lowest(rows: RatingRows, scores: FloatArray) -> tuple[float, float, FloatArray]:
    """Return such a power of two, the lowest score in use, and all scores from there, divided.

    Large scores that differ by little, such as times, have means that a float cannot tell apart.
    """
    used = scores[rows.codes]
    lowest = float(used.min()) if used.size else 0.0
    with np.errstate(over="ignore"):  # scores that are not in use
        unit, values = in_units(rows, scores - lowest)
    return unit, lowest, values


def unit_of(scores: FloatArray) -> float:
    """Return a power of two near the range of scores, NaN where there is none."""
    high, low = (of.reduce(scores, axis=None, initial=np.nan) for of in (np.fmax, np.fmin))
    return float(np.ldexp(1.0, np.frexp(np.nan_to_num(high - low))[1]))


def _kappa(rows: RatingRows, first: FloatArray, second: FloatArray, distance: Distance) -> _Kappa:
    """Kappa, its influence values, and its exact change when an item is left out."""
    n, group = rows.n_items, rows.group
    constant = np.stack([has_one_score(rows, one) for one in (first, second)])
    apart = distance.between(first, second)
    reach = distance.to_all(rows, first, second) + distance.to_all(rows, second, first)
    with np.errstate(divide="ignore", invalid="ignore", over="ignore"):  # next to no items, too
        observed = rows.total(apart) / n
        expected = rows.total(reach) / (2 * n)
        # One score throughout is 0/0, though distances to its mean may leave some rounding.
        expected[np.logical_and(*constant) & (observed == 0)] = np.nan
        rest = observed / expected
        estimate = np.where(
            np.logical_or(*constant) & ~np.isnan(rest), 0.0, np.maximum(1 - rest, -1)
        )
        one, total, scale = 1 / rows.unit, n[group] / rows.unit, expected[group]
        influence = (rest[group] * (reach - scale) - apart) / scale
        rest_left = total * observed[group] - one * apart
        left = (total**2 * scale - one * (total * reach - one * apart)) / (total - one) ** 2
        without = 1 - rest_left / (total - one) / left
        by_influence = -one * influence / (total - one)
        change = np.where(left > ROUNDING * scale, without - estimate[group], by_influence)
    return _Kappa(estimate, influence, change, constant)


def has_one_score(rows: RatingRows, values: FloatArray) -> BoolArray:
    """Whether all items of a group have one and the same score, shape (G,)."""
    some = np.zeros(rows.n_groups)
    some[rows.group] = values
    return (rows.total(values != some[rows.group]) == 0) & (rows.n_items > 0)


def _limits(
    rows: RatingRows, found: _Kappa, se: FloatArray, units: FloatArray, *, ci: str, level: float
) -> Limits:
    """Compute limits on Fisher's z scale, or on that of kappa itself.

    The standard error of Fisher's limits is that of the jackknife: the one from influence
    values is too small in small samples of scores. Clusters of items are not left out one by
    one, but their standard error has the factor ``m / (m - 1)``.
    """
    k, n = found.estimate, rows.n_items
    worst = np.ones(k.shape)  # where all agree, the pseudo-item does as chance would have it
    if rows.cluster is not None:
        pivot = (wald_of_many if ci == "wald" else fisher_of_many)(k, se, units, worst)
    elif ci != "wald":
        with np.errstate(divide="ignore", invalid="ignore"):
            jackknife = np.sqrt((n - 1) / n * rows.total(found.change**2))
        pivot = fisher_of_many(k, jackknife, n, worst)
    else:
        pivot = Around(k, se, np.full(k.shape, np.inf), on_z=False)
    return Limits(*pivot.limits(level)).within(k, se, np.full(k.shape, -1.0))


def _reasons_of_scores(
    n: FloatArray, units: FloatArray, estimate: FloatArray, is_fixed: BoolArray
) -> ObjectArray:
    """Say why a figure is NaN; empty text where none is."""
    reason = np.full(n.shape, "", dtype=object)
    reason[is_fixed] = "constant_rater"
    reason[(n < FEWEST_ITEMS) | (units < FEWEST_ITEMS)] = "n_lt_2"
    reason[np.isnan(estimate)] = "constant_ratings"
    reason[n == 0] = "no_joint_items"
    return reason


def _mean(rows: RatingRows, values: FloatArray) -> FloatArray:
    """Mean of a value in the group of each row, shape (U,)."""
    return (rows.total(values) / rows.n_items)[rows.group]


def _squared(first: FloatArray, second: FloatArray) -> FloatArray:
    """Squared difference."""
    return (first - second) ** 2


def _squared_to_all(rows: RatingRows, values: FloatArray, others: FloatArray) -> FloatArray:
    """Mean squared difference to the others: that to their mean, and their variance."""
    with np.errstate(divide="ignore", invalid="ignore"):  # a group without items
        centre = _mean(rows, others)
        return _squared(values, centre) + _mean(rows, _squared(others, centre))


def _absolute(first: FloatArray, second: FloatArray) -> FloatArray:
    """Absolute difference."""
    return np.abs(first - second)


def _absolute_to_all(rows: RatingRows, values: FloatArray, others: FloatArray) -> FloatArray:
    """Mean absolute difference to the others, from their sums up to each value.

    With W the weight and S the sum of the others, and w and s those of the others up to a
    value v, it is ``(v * (2 w - W) + S - 2 s) / W``.
    """
    with np.errstate(divide="ignore", invalid="ignore"):  # a group without items
        centre = _mean(rows, others)
    # Sums of scores far from zero would lose digits.
    v, y = values - centre, others - centre
    n_rows = len(v)
    order = np.lexsort((np.concatenate([v, y]), np.tile(rows.group, 2)))
    weight = np.concatenate([np.zeros(n_rows), rows.count])[order]
    of_others = np.concatenate([np.zeros(n_rows), rows.count * y])[order]
    place = np.empty_like(order)
    place[order] = np.arange(len(order))
    place = place[:n_rows]
    total, whole = rows.n_items, rows.total(y)
    before, sum_before = np.cumsum(total) - total, np.cumsum(whole) - whole
    w = np.cumsum(weight)[place] - before[rows.group]
    s = np.cumsum(of_others)[place] - sum_before[rows.group]
    return (v * (2 * w - total[rows.group]) + whole[rows.group] - 2 * s) / total[rows.group]


DISTANCES: dict[str, Distance] = {
    "linear": Distance(_absolute, _absolute_to_all),
    "quadratic": Distance(_squared, _squared_to_all),
}
