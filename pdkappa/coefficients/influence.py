"""What each item, cluster or rater does to a coefficient: influence values and jackknives."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from pdkappa.coefficients.chance import influence, point
from pdkappa.coefficients.pair_counts import PairCounts, blocks_of, joint_ratings, sums_at
from pdkappa.coefficients.rating_rows import ListedRows
from pdkappa.coefficients.score_limits import (
    FEWEST_CLUSTERS,
    LEAST_EFFECT,
    at_least,
    degrees_of,
    half_width,
    one_minus,
    without_rounding,
)
from pdkappa.coefficients.sparse_rows import each_joint, joint_of, listed, wide

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from pdkappa._typing import BoolArray, FloatArray, IntArray
    from pdkappa.coefficients.chance import Coefficient, Point
    from pdkappa.coefficients.pair_counts import Margins
    from pdkappa.coefficients.rating_rows import RatingRows, Rows
    from pdkappa.coefficients.sparse_rows import Joint
    from pdkappa.coefficients.weights import Scale

PAIR = 2
LEAST_SHARE = 1e-9  # of a degree of freedom: clusters of one item tell no effect


def cluster_of_all(rows: Rows) -> IntArray:
    """Return the cluster of each row among those of all groups, shape (U,)."""
    return np.asarray(rows.cluster) // rows.n_groups


def spans_groups(rows: Rows) -> bool:
    """Whether some cluster has items in several groups."""
    if rows.cluster is None:
        return False
    return len(np.unique(rows.cluster)) > len(np.unique(cluster_of_all(rows)))


def ddof_of(rows: Rows) -> BoolArray:
    """Whether variances of all raters divide by n (n - 1), as for more than two a row, (G,).

    They divide by n squared where no item has more than two ratings, as that of two raters does.
    """
    return rows.total(rows.n_ratings > PAIR) > 0


def standard_error(rows: Rows, influence: FloatArray, *, ddof: int | BoolArray = 1) -> FloatArray:
    """Compute the standard error of a coefficient from its influence values.

    Parameters
    ----------
    rows : Rows
        U rows of ratings in G groups, with counts, and clusters if there are any.
    influence : ndarray of float, shape (U,)
        Influence of an item like each row.
    ddof : {0, 1}, or ndarray of bool, shape (G,)
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
    2002). See `Rows.units` for its degrees of freedom.
    """
    return without_rounding(np.sqrt(covariance(rows, [influence], ddof=ddof)[:, 0, 0]))


def covariance(
    rows: Rows, influences: Sequence[FloatArray], *, ddof: int | BoolArray = 1
) -> FloatArray:
    """Compute the covariances of several coefficients of the same items, shape (G, C, C).

    See `standard_error` for the arguments and the formula.
    """
    factor = factor_of_products(rows, ddof=ddof)
    return sum_of_products(rows, np.stack(influences), rows) * factor[:, None, None]


def variances(rows: Rows, influences: FloatArray) -> FloatArray:
    """Compute the variances of several coefficients of the same items, shape (C, G).

    See `standard_error` for the formula; the influence values are of shape (C, U).
    """
    values, weight, group = _of_units(rows, influences, rows)
    squares = [np.bincount(group, weight * one * one, rows.n_groups) for one in values]
    return np.stack(squares) * factor_of_products(rows)


def factor_of_products(rows: Rows, *, ddof: int | BoolArray = 1) -> FloatArray:
    """Return what turns sums of products of influence values into covariances, shape (G,).

    The sums are in units of ``rows.unit``. NaN with fewer than two items, or clusters.
    """
    units, size = rows.units, (rows.n_items / rows.unit) ** 2
    with np.errstate(divide="ignore", invalid="ignore"):  # fewer than two items or clusters
        factor = 1 / size if rows.cluster is not None else units / (units - ddof) / size / rows.unit
        return np.where(units > 1, factor, np.nan)


class Worth(NamedTuple):
    """What the items of G groups are worth to a mean of theirs, each of shape (G,)."""

    n: FloatArray  # as many independent items say as much
    df: FloatArray  # degrees of freedom: units less one
    stretch: FloatArray | float = 1.0  # of limits that take n for known: t over normal quantiles


def worth_of(rows: Rows, away: FloatArray, level: float = 0.95) -> Worth:
    """Count the independent items that say as much about a mean as items in clusters do.

    Parameters
    ----------
    rows : Rows
        U rows of ratings in G groups, perhaps in clusters.
    away : ndarray of float, shape (U,)
        How far the value of an item like each row is from the mean.
    level : float
        Confidence level of the limits that `stretch` is for.

    Notes
    -----
    With S the sum of a cluster and h its share of the n items, the variance of a mean is
    ``sum(S**2 / (1 - h)) / n**2`` (Bell & McCaffrey, 2002), and that of m independent items
    ``sum(away**2) / n / (m - 1)``: m is the number at which they are the same (Kish, 1965), at most
    4 n. It is n if each cluster is an item, and the number of clusters if each is one item over and
    over, or nothing varies. With v degrees of freedom of the clusters, what n items are worth has
    ``1 / (1 / v - 1 / (n - 1))``.
    """
    n, units = rows.n_items, rows.units
    if rows.cluster is None:
        return Worth(n, n - 1)
    found = rows.clusters
    sums, df = found.total((rows.count * away)[found.rated]), units - 1
    with np.errstate(divide="ignore", invalid="ignore"):
        rest = 1 - found.size / n[found.group]
        squares = np.bincount(found.group, sums**2 / np.where(rest > 0, rest, 1), rows.n_groups)
        own = rows.total(np.where(rows.n_ratings > 0, away**2, 0.0))
        worth = np.minimum(n * own / squares + 1, n / LEAST_EFFECT)
        worth = np.where((own > 0) & (units >= FEWEST_CLUSTERS), worth, units)
        of_ratio = 1 / np.maximum(1 / df - 1 / (n - 1), LEAST_SHARE)
        return Worth(worth, df, half_width(level, of_ratio) / half_width(level))


def of_own_units(units: FloatArray, own: FloatArray) -> FloatArray:
    """Compute by what influence values grow of a figure of a part of the items.

    Where ratings are missing, a pair of raters rated m of n items (or clusters), and its variance
    is that of m: their sum of squares over ``m (m - 1)``, where all together would have it over
    ``n (n - 1)`` with influence values n / m times as large. 1 for fewer than two.

    Parameters
    ----------
    units, own : ndarray of float, of shapes that fit
        The n and the m, see `Rows.units`.
    """
    with np.errstate(divide="ignore", invalid="ignore"):  # no items, or a single one
        grown = np.sqrt((1 - 1 / units) / (1 - 1 / np.maximum(own, FEWEST_CLUSTERS)))
        return np.where(units >= FEWEST_CLUSTERS, grown, 1.0)


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
        some = rows.rated
        return values[:, some], rows.count[some] / whole.unit, rows.group[some]
    found = rows.clusters
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


FEW_CATEGORIES = 64
BLOCK = 1 << 18


def disagreement_within(rows: Rows, scale: Scale) -> FloatArray:
    """Sum the disagreement of all ordered pairs of ratings within each row, shape (U,)."""
    if isinstance(rows, ListedRows):
        cells = rows.by_row
        return cells.total(cells.count * spread_of(cells, scale, rows.group))
    rows = wide(rows)
    if rows.n_categories <= FEW_CATEGORIES:
        return _by_category(rows, scale)
    result = np.zeros(rows.codes.shape[1])
    for r, first in enumerate(rows.codes):
        for second in rows.codes[r + 1 :]:
            both = (first >= 0) & (second >= 0)
            result[both] += 2 * scale.between(rows.group[both], first[both], second[both])
    return result


def mean_apart(rows: Rows, within: FloatArray) -> FloatArray:
    """Average the disagreement of every two ratings of a row, shape (U,); 0 of fewer than two.

    `within` is what `disagreement_within` gives.
    """
    with np.errstate(divide="ignore", invalid="ignore"):
        each = within / (rows.n_ratings * (rows.n_ratings - 1))
    return np.where(rows.n_ratings > 1, each, 0.0)


@dataclass(frozen=True)
class Basics:
    """What all coefficients need of rows, each computed once."""

    rows: Rows
    apart: FloatArray  # (U,), sum of the disagreement over all ordered pairs of ratings
    by_items: bool  # whether category shares average over items, not ratings

    @cached_property
    def paired(self) -> BoolArray:
        """Whether a row has two ratings or more, shape (U,)."""
        return self.rows.n_ratings > 1

    @cached_property
    def n_paired(self) -> FloatArray:
        """Number of items with two or more, shape (G,)."""
        return self.rows.total(self.paired)

    @cached_property
    def each(self) -> FloatArray:
        """Mean disagreement of every two ratings of a row, shape (U,)."""
        return mean_apart(self.rows, self.apart)

    @cached_property
    def sums(self) -> tuple[FloatArray, FloatArray]:
        """Sums of that, and of its squares, over the items, each of shape (G,)."""
        return self.rows.total(self.each), self.rows.total(self.each**2)

    @cached_property
    def share(self) -> FloatArray:
        """Mean share of one rating in the ratings of an item with two or more, shape (G,)."""
        with np.errstate(divide="ignore", invalid="ignore"):  # no item has two ratings
            each = np.where(self.paired, 1 / self.rows.n_ratings, 0.0)
            return np.divide(self.rows.total(each), self.n_paired)


def apart_from_others(rows: Rows, scale: Scale) -> FloatArray:
    """Count the rows that each rater shares with others, and add up their squares, (2, R, G).

    Squared is the mean disagreement of the rater with all others who rated the row.
    """
    found, k = np.zeros((2, rows.n_raters, rows.n_groups)), rows.n_categories
    weight = np.where(rows.n_ratings > 1, rows.count, 0.0)
    others = np.maximum(rows.n_ratings - 1, 1)
    if isinstance(rows, ListedRows) or k > FEW_CATEGORIES:
        rows = listed(rows)
        cells = rows.by_row
        spread = spread_of(cells, scale, rows.group) / others[cells.subject]
        squares, keys = weight[cells.subject] * spread**2, cells.keys
        for rater, (row, code) in enumerate(rows.each_rater()):
            place = np.searchsorted(keys, row.astype(np.int64) * k + code)
            both = np.stack([weight[row], squares[place]])
            found[:, rater] = _by_group(both, rows.group[row], rows.n_groups)
        return found
    codes = wide(rows).codes
    step = max(1, BLOCK // max(k, len(codes)))
    for start in range(0, codes.shape[1], step):
        block = slice(start, start + step)
        own, group = codes[:, block], rows.group[block]
        squares = np.zeros((len(group), k + 1))  # without a rating nothing
        spread = scale.take(group).spread(_times(own, k)) / others[block, None]
        squares[:, :-1] = weight[block, None] * spread**2
        found[0] += _by_group(np.where(own >= 0, weight[block], 0.0), group, rows.n_groups)
        found[1] += _by_group(squares[np.arange(len(group)), own], group, rows.n_groups)
    return found


def _by_group(values: FloatArray, group: IntArray, n_groups: int) -> FloatArray:
    """Add up the values of the rows of each group, from (R, U) to (R, G)."""
    if n_groups == 1:
        return values.sum(axis=1, keepdims=True)
    return np.stack([np.bincount(group, one, n_groups) for one in values])


def spread_of(cells: Margins, scale: Scale, group: IntArray) -> FloatArray:
    """Sum the disagreement of each category that a subject has with all ratings of the subject.

    `group` is that of each subject, shape (S,); the result is that of each cell, shape (C,).
    """
    n_pairs = float((np.bincount(cells.subject).astype(np.float64) ** 2).sum())
    n_places = float(cells.n_subjects) * cells.n_categories
    closed = scale.weighting.spread is not None
    if n_pairs < n_places * (1 if closed else cells.n_categories):
        return _spread_by_pairs(cells, scale, group)
    result = np.empty(len(cells.count))
    step = max(1, BLOCK // max(cells.n_categories, 1))
    for start in range(0, cells.n_subjects, step):
        block = cells.take(start, min(start + step, cells.n_subjects))
        spread = scale.take(group[start : start + step]).spread(block.dense())
        first = int(np.searchsorted(cells.subject, start))
        result[first : first + len(block.count)] = spread.reshape(-1)[block.keys]
    return result


def _spread_by_pairs(cells: Margins, scale: Scale, group: IntArray) -> FloatArray:
    """Take every two categories that one subject has."""
    result, subject = np.zeros(len(cells.count)), cells.subject
    for first, second in joint_ratings(subject):
        apart = scale.between(group[subject[first]], cells.category[first], cells.category[second])
        result[first] += cells.count[second] * apart
        result[second] += cells.count[first] * apart
    return result


def _by_category(rows: RatingRows, scale: Scale) -> FloatArray:
    """Count the categories of each row first: cheap for many raters and few categories."""
    n_rows, k = rows.codes.shape[1], rows.n_categories
    result = np.zeros(n_rows)
    for block in blocks_of(n_rows, k, BLOCK):
        codes = rows.codes[:, block]
        times = rows.times[block] if rows.has_times else _times(codes, k)
        spread = scale.take(rows.group[block]).spread(times)
        result[block] = (times * spread).sum(axis=-1)
    return result


def _times(codes: IntArray, k: int) -> FloatArray:
    """Count the ratings of rows by their categories, shape (U, K)."""
    times = np.empty((codes.shape[1], k))
    for category in range(k):
        times[:, category] = (codes == category).sum(axis=0)
    return times


class JointCells(NamedTuple):
    """Cells of the rows that both raters rated, their disagreement, and the cell of each row."""

    counts: PairCounts
    apart: FloatArray
    of_row: IntArray | slice

    def point(self, scale: Scale, coefficient: Coefficient) -> Point:
        """Compute the coefficient."""
        return point(self.counts, self.apart, scale, coefficient)

    def influence(self, at: Point, n_items: FloatArray) -> FloatArray:
        """Influence of each row on a coefficient at some point, see `influence`; shape (J,)."""
        return influence(at, self.counts, self.apart, n_items)[self.of_row]


def cells_of(joint: Joint, scale: Scale) -> JointCells:
    """Count the cells of joint rows; of fewer rows than cells, each is a cell itself."""
    rows, k = joint.rows, joint.rows.n_categories
    (row, col), n_cells = rows.codes, rows.n_groups * k * k
    of_row: IntArray | slice = slice(None)
    counts = PairCounts(rows.group, row, col, rows.count, rows.n_groups, k)
    if len(row) >= n_cells:
        keys, occurs = counts.keys, np.zeros(n_cells, dtype=bool)
        occurs[keys] = True  # also where a row counts nothing
        total = sums_at(keys, rows.count, n_cells)[occurs]
        counts = PairCounts.from_keys(np.flatnonzero(occurs), total, rows.n_groups, k)
        of_row = np.cumsum(occurs)[keys] - 1
    return JointCells(counts, scale.between(counts.table, counts.row, counts.col), of_row)


class Functional(NamedTuple):
    """A coefficient of G groups as a function of the distribution of the items.

    The estimate is at most 1, and NaN where no disagreement is possible by chance (0/0), or no
    item has two ratings. Observed and expected disagreement are in units of the scale. The
    influence is that of one more item like each row: n times the derivative of the estimate
    with respect to the item's weight. Its mean over the items of a group is zero.
    """

    estimate: FloatArray  # (G,)
    observed: FloatArray  # (G,)
    expected: FloatArray  # (G,)
    influence: FloatArray  # (U,)


def of_pair(
    rows: RatingRows, scale: Scale, coefficient: Coefficient, pair: tuple[int, int]
) -> Functional:
    """Coefficient of two of the raters, with the influence of every item on it.

    An item that one of them did not rate has no influence. The small-sample factor of
    Krippendorff's alpha is held fixed in the influence values.
    """
    joint = joint_of(rows, pair)
    found = of_joint(joint, scale, coefficient, rows.n_items)
    influence = np.zeros(rows.codes.shape[1])
    influence[joint.places] = found.influence
    return found._replace(influence=influence)


def of_joint(
    joint: Joint, scale: Scale, coefficient: Coefficient, n_items: FloatArray
) -> Functional:
    """Coefficient of two raters from the rows that both rated, given the items of each group.

    Its influence values, of shape (J,), are those of these rows.
    """
    cells = cells_of(joint, scale)
    at = cells.point(scale, coefficient)
    estimate = at_least(coefficient.lowest(scale), one_minus(at.ratio))
    return Functional(estimate, at.observed, at.expected, cells.influence(at, n_items))


class Moments(NamedTuple):
    """How P coefficients of the same items in G groups vary.

    Attributes
    ----------
    covariance : ndarray of float, shape (G, P, P)
        NaN where a coefficient is undefined.
    concentration : ndarray of float, shape (G,)
        Sum of the squared shares of the items (or clusters) in the variation of the differences
        from the mean coefficient: 1 / n if they are equal, 1 if it is all of one item. NaN where
        nothing varies.
    """

    covariance: FloatArray
    concentration: FloatArray


def moments_of(rows: Rows, influence: FloatArray) -> Moments:
    """Compute the moments of P coefficients from their influence values, shape (P, U)."""
    total = sum_of_products(rows, influence, rows)
    squares = sums_of_squares(rows, influence - influence.mean(axis=0), rows)
    return _moments(rows, total, *squares)


def moments_of_pairs(rows: RatingRows, scale: Scale, coefficient: Coefficient) -> Moments:
    """Compute the moments of the coefficients of all P pairs of raters.

    The influence values of all pairs would take far more memory than the ratings, so that they
    are computed for a part of the rows at a time, and their products summed.
    """
    found: list[tuple[Point, FloatArray]] = []
    units = rows.units
    for joint in each_joint(rows):
        at = cells_of(joint, scale).point(scale, coefficient)
        found.append((at, rows.n_items * of_own_units(units, units_of_joint(rows, joint))))
    total, squares = np.zeros((rows.n_groups, len(found), len(found))), np.zeros((2, rows.n_groups))
    # So many rows that the values of all pairs are no more numbers than the ratings are.
    for part in rows.parts(len(rows.codes) * rows.codes.shape[1] // len(found)):
        values = np.zeros((len(found), part.codes.shape[1]))
        for value, (at, n_items), joint in zip(values, found, each_joint(part), strict=True):
            value[joint.places] = cells_of(joint, scale).influence(at, n_items)
        total += sum_of_products(part, values, rows)
        values -= values.mean(axis=0)
        squares += sums_of_squares(part, values, rows)
    unknown = np.isnan(np.stack([at.ratio for at, _ in found], axis=1))
    total[unknown[:, :, None] | unknown[:, None]] = np.nan
    return _moments(rows, total, *squares)


def units_of_joint(rows: Rows, joint: Joint) -> FloatArray:
    """Count what is independent among the joint rows of each of the S pairs, shape (S,)."""
    own = joint.rows
    if rows.cluster is not None:
        spread = None if rows.spread is None else rows.spread[joint.places]
        cluster = rows.cluster[joint.places] * own.n_groups + own.group  # those of each pair
        own = replace(own, cluster=cluster, spread=spread)
    return own.units


def _moments(rows: Rows, total: FloatArray, first: FloatArray, second: FloatArray) -> Moments:
    """Make moments of sums over items."""
    with np.errstate(divide="ignore", invalid="ignore"):  # nothing varies
        return Moments(total * factor_of_products(rows)[:, None, None], second / first**2)


OTHERS_WEIGH = 10.0  # as many items with a disagreement


class InTurn(NamedTuple):
    """Standard errors of a contrast with each of R raters in its place, both of shape (R, G).

    `se` is NaN where the contrast is undefined, or has no standard error; `df` are its degrees of
    freedom.
    """

    se: FloatArray
    df: FloatArray


def error_in_turn(rows: Rows, influence: Iterable[FloatArray], defined: BoolArray) -> InTurn:
    """Compute the standard errors of one contrast, with each of R raters in its place in turn.

    Parameters
    ----------
    rows : Rows
        U rows of ratings in G groups.
    influence : iterable of R ndarrays of float, shape (U,)
        Influence of an item like each row on the agreement of one rater with the others, less
        that among the others.
    defined : ndarray of bool, shape (R, G)
        Where the contrast is defined.

    Returns
    -------
    InTurn
        Each of shape (R, G).

    Notes
    -----
    A rater who by luck caused none of a few disagreements seems to be known without error.
    Raters who are alike have the same variance v, so that each v is averaged with the mean of all:
    ``(m v + 10 mean(v)) / (m + 10)``. With h the mean square of the influences of an item (or
    cluster), ``m = sum(h)**2 / sum(h**2)`` counts those with a disagreement: where there are
    many, what is added is gone.

    Of n items v has n - 1 degrees of freedom, and f of clusters. What clusters add to its noise,
    ``1 / f - 1 / (n - 1)``, is that of each rater, so that the average of R of them divides it by
    ``1 / (w**2 + (1 - w**2) / R)``, with ``w = m / (m + 10)``. That of items is common to all.
    """
    own = np.empty(defined.shape)
    squares = np.zeros(1)
    for number, (known, one) in enumerate(zip(defined, influence, strict=True)):
        used = np.where(known[rows.group], one, 0.0)
        own[number] = standard_error(rows, used) ** 2
        squares = squares + _sums(rows, used) ** 2.0
    n_defined = np.maximum(defined.sum(axis=0), 1)
    everyone = np.where(defined, own, 0.0).sum(axis=0) / n_defined
    seen = _units_seen(rows, squares)
    weight = seen / (seen + OTHERS_WEIGH)
    variance = np.where(defined, weight * own + (1 - weight) * everyone, np.nan)
    df = _degrees(rows, weight**2 + (1 - weight**2) / n_defined)
    return InTurn(np.sqrt(variance), np.broadcast_to(df, variance.shape))


def _degrees(rows: Rows, averaged: FloatArray) -> FloatArray:
    """Degrees of freedom if so much is left of what clusters add to the noise, shape (G,)."""
    of_all = degrees_of(rows.units)
    if rows.cluster is None:
        return of_all
    # Weights, or rounding, may say that clusters add nothing.
    common = 1 / np.maximum(degrees_of(_worth(rows)), of_all)
    return 1 / (common + (1 / of_all - common) * averaged)


def _worth(rows: Rows) -> FloatArray:
    """Count the rated items; of a sample with weights as many equal ones as they are worth."""
    if rows.spread is None:
        return rows.n_items
    rated = rows.n_ratings > 0
    squares = np.bincount(rows.group[rated], rows.spread[rated], minlength=rows.n_groups)
    with np.errstate(divide="ignore", invalid="ignore"):  # no items
        return rows.n_items**2 / squares


def _sums(rows: Rows, influence: FloatArray) -> FloatArray:
    """Influence of each item, or the sum over each cluster."""
    if rows.cluster is None:
        return influence
    _, cluster = np.unique(rows.cluster, return_inverse=True)
    sums = np.bincount(cluster, weights=rows.count / rows.unit * influence)
    return np.asarray(sums, dtype=np.float64)


def _units_seen(rows: Rows, h: FloatArray) -> FloatArray:
    """Count the items (or clusters) with a disagreement, as if all had the same, shape (G,)."""
    count, group, unit = rows.count / rows.unit, rows.group, rows.unit
    if rows.cluster is not None:
        _, first = np.unique(rows.cluster, return_index=True)
        count, group, unit = np.ones(len(first)), group[first], 1.0
    total, square = (
        np.bincount(group, weights=count * power, minlength=rows.n_groups) for power in (h, h**2)
    )
    with np.errstate(divide="ignore", invalid="ignore"):  # no item has any influence
        return np.where(square > 0, unit * (total**2 / square), 0.0)
