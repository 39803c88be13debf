"""Light's kappa: the mean of Cohen's kappas of all pairs of raters, and what each row does to it.

The kappas come from counts of the pairs. The influence of a row sums what its every two ratings
do, which is looked up for ratings that are listed, and a product of matrices for an array of all
raters.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from pdkappa.coefficients.chance import COEFFICIENTS
from pdkappa.coefficients.joint_items import Functional, Point, of_joint
from pdkappa.coefficients.rounding import at_least, one_minus, positive
from pdkappa.counts.core.joint import joints
from pdkappa.counts.core.pairs import count_pairs
from pdkappa.counts.core.rows import RatingRows

if TYPE_CHECKING:
    from pdkappa._typing import FloatArray, IntArray
    from pdkappa.coefficients.weights import Scale
    from pdkappa.counts.core.base_rows import Rows
    from pdkappa.counts.core.pairs import PairCounts

PAIR = 2
COHEN = COEFFICIENTS["cohen"]
MOST_CATEGORIES = 32  # of an array whose pairs of ratings are summed by products of matrices
FEWEST_ROWS = 256  # of each group
PRODUCTS_OF_JOINT = 1000  # that take as long as to look up a pair of ratings
BLOCK = 1 << 15  # numbers in memory at a time
PRODUCT = 1 << 18  # multiplications of one product, which threads would not make any faster
FEWEST_AT_ONCE = 16  # rows of a product


def light(rows: Rows, scale: Scale, basics: object) -> Functional:  # noqa: ARG001
    """Average the kappas of all pairs of raters that are defined (Light, 1971)."""
    few = len(rows.count) < FEWEST_ROWS * rows.n_groups or rows.n_categories > MOST_CATEGORIES
    if few or rows.n_raters == PAIR or not isinstance(rows, RatingRows):
        return _pair_by_pair(rows, scale)
    n_products = rows.codes.size * rows.n_raters * (2 * rows.n_categories + 1)
    is_dense = rows.n_joint * PRODUCTS_OF_JOINT > n_products
    return _by_products(rows, scale) if is_dense else _pair_by_pair(rows, scale)


def mean_reciprocal(rows: Rows) -> FloatArray:
    """Average one over the number of joint items over the pairs of raters that have any, (G,).

    It is divided by the number of pairs once more.
    """
    pairs, reciprocals = np.zeros((2, rows.n_groups))
    if (rows.n_ratings == rows.n_raters).all():
        return 1 / positive(rows.n_items * (rows.n_raters * (rows.n_raters - 1) / 2))
    if isinstance(rows, RatingRows):
        joint = _joint_items(rows)
        pairs = (joint > 0).sum(axis=1)
        reciprocals = np.divide(1.0, joint, out=np.zeros_like(joint), where=joint > 0).sum(axis=1)
    else:
        for some in joints(rows):
            joint = some.rows.n_items
            has_any = (joint > 0).astype(np.float64)
            pairs += some.sum(has_any, rows.n_groups)
            reciprocals += some.sum(has_any / positive(joint), rows.n_groups)
    return reciprocals / positive(pairs) ** 2


def _joint_items(rows: RatingRows) -> FloatArray:
    """Count the items that every two raters rated, shape (G, P)."""
    first, second = np.triu_indices(rows.n_raters, 1)
    counts = count_pairs(
        (rows.codes >= 0).astype(np.int8) - 1,
        1,
        pairs=list(zip(first.tolist(), second.tolist(), strict=True)),
        groups=rows.group if rows.n_groups > 1 else None,
        n_groups=rows.n_groups,
        weights=None if (rows.count == 1).all() else rows.count,
    )
    return counts.total.reshape(rows.n_groups, len(first))


def _pair_by_pair(rows: Rows, scale: Scale) -> Functional:
    """Take the rows of some pairs of raters after the other."""
    n_defined, estimate, observed, expected = np.zeros((4, rows.n_groups))
    influence = np.zeros(len(rows.count))
    for joint in joints(rows):
        pair = of_joint(joint, scale.take(joint.group), COHEN, rows.n_items[joint.group])
        defined = ~np.isnan(pair.estimate)
        n_defined += joint.sum(defined, rows.n_groups)
        estimate += joint.sum(np.where(defined, pair.estimate, 0), rows.n_groups)
        observed += joint.sum(np.where(defined, pair.observed, 0), rows.n_groups)
        expected += joint.sum(np.where(defined, pair.expected, 0), rows.n_groups)
        known = np.where(defined[joint.rows.group], pair.influence, 0)
        joint.add_to(influence, known)
    with np.errstate(divide="ignore", invalid="ignore"):  # no pair is defined
        means = (estimate / n_defined, observed / n_defined, expected / n_defined)
        influence = influence / n_defined[rows.group]
    if rows.n_raters == PAIR:  # whose own figures need no kappa to be averaged
        by_chance = np.where(pair.observed >= 0, np.nan_to_num(pair.expected), np.nan)
        means = (means[0], pair.observed, by_chance)
    return Functional(*means, influence)


def _by_products(rows: RatingRows, scale: Scale) -> Functional:
    """Sum what every two ratings of a row do by products of matrices, group by group."""
    if rows.n_groups == 1:
        return _of_group(rows, scale)
    (estimate, observed, expected), influence = (
        np.empty((3, rows.n_groups)),
        np.empty(rows.count.shape),
    )
    for number in range(rows.n_groups):
        own = np.flatnonzero(rows.group == number)
        found = _of_group(rows.as_one_group(own), scale.take(np.array([number])))
        influence[own] = found.influence
        for all_groups, one in zip((estimate, observed, expected), found[:3], strict=True):
            all_groups[number] = one[0]
    return Functional(estimate, observed, expected, influence)


def _of_group(rows: RatingRows, scale: Scale) -> Functional:
    """Sum what every two ratings of a row of one group do.

    With f(r, s) the factor of two raters and d the disagreement, the influence of ratings k and l
    is ``f(r, s) * (ratio * (by_row[k] + by_col[l] - mean) + observed - d[k, l])``.
    """
    first, second = np.triu_indices(len(rows.codes), 1)
    pairs = list(zip(first.tolist(), second.tolist(), strict=True))
    weights = None if (rows.count == 1).all() else rows.count
    counts = count_pairs(rows.codes, rows.n_categories, pairs=pairs, weights=weights)
    at = _at_tables(counts, scale, rows.n_items)
    estimate = at_least(COHEN.lowest(scale), one_minus(at.ratio))
    defined = ~np.isnan(estimate)
    with np.errstate(divide="ignore", invalid="ignore"):  # no pair is defined
        estimate, observed, expected = (
            np.array([one[defined].sum() / defined.sum()])
            for one in (estimate, at.observed, at.expected)
        )

    def square(above: FloatArray, below: FloatArray) -> FloatArray:
        """Put a number of each pair on either side of the diagonal; 0 if there is no kappa."""
        result = np.zeros((len(rows.codes),) * 2)
        result[first, second], result[second, first] = np.nan_to_num((above, below))
        return result

    constant = at.factor * (at.observed - at.ratio * at.mean) / 2
    by_row, by_col = (
        (at.factor * at.ratio)[:, None] * slope + constant[:, None]
        for slope in (at.by_row, at.by_col)
    )
    slopes = [square(by_row[:, k], by_col[:, k]) for k in range(rows.n_categories)]
    influence = _sum_of_products(rows.codes, slopes, square(at.factor / 2, at.factor / 2), scale)
    with np.errstate(divide="ignore", invalid="ignore"):
        return Functional(estimate, observed, expected, influence / defined.sum())


def _at_tables(counts: PairCounts, scale: Scale, n_items: FloatArray) -> Point:
    """Compute Cohen's kappa of the tables of all pairs, with its slopes."""
    row, col = counts.margins()
    chance = COHEN.chance(row, col, scale, counts.total)
    apart = scale.between(np.zeros_like(counts.table), counts.row, counts.col)
    mean = (row * chance.by_row).sum(axis=-1) + (col * chance.by_col).sum(axis=-1)
    with np.errstate(divide="ignore", invalid="ignore"):  # no items
        expected = np.where(chance.expected > 0, chance.expected, np.nan)
        observed = counts.sum(counts.count * apart) / counts.total
        factor = n_items / counts.total / expected
        ratio = observed / expected
    return Point(observed, expected, ratio, chance.by_row, chance.by_col, mean, factor)


def _sum_of_products(
    codes: IntArray, slopes: list[FloatArray], factor: FloatArray, scale: Scale
) -> FloatArray:
    """Sum over every two ratings of a row, from matrices of shape (R, R), shape (U,).

    Each of the ratings k of a rater r and l of a rater s adds ``slopes[k][r, s]`` and takes away
    ``factor[r, s] * d[k, l]``.
    """
    n_raters, n_rows = codes.shape
    apart = np.concatenate([scale.matrix(), np.zeros((len(slopes), 1))], axis=1)
    is_nominal = (apart == 1 - np.eye(*apart.shape))[:, :-1].all()
    if is_nominal:  # d = 1 of all ratings, less what is equal
        slopes = [slope - factor for slope in slopes]
    result = np.zeros(n_rows)
    width = max(PRODUCT // n_raters**2, FEWEST_AT_ONCE)
    step = max(BLOCK // n_raters // width, 1) * width
    for start in range(0, n_rows, step):
        block = _stacked(codes[:, start : start + step], width)
        rated = (block >= 0).astype(np.float64)
        is_complete = rated.all()
        total = np.zeros((len(block), width))
        for k, slope in enumerate(slopes):
            given = (block == k).astype(np.float64)
            both = factor @ (given if is_nominal else -apart[k][block])
            both += slope.sum(axis=1, keepdims=True) if is_complete else slope @ rated
            total += np.einsum("bru,bru->bu", given, both)
        result[start : start + step] = total.reshape(-1)[: n_rows - start]
    return result


def _stacked(codes: IntArray, width: int) -> IntArray:
    """Cut rows into parts of one width, of which the last may have missing ratings, (B, R, u)."""
    n_raters, n_rows = codes.shape
    if n_rows % width:
        codes = np.pad(codes, ((0, 0), (0, -n_rows % width)), constant_values=-1)
    return np.ascontiguousarray(codes.reshape(n_raters, -1, width).transpose(1, 0, 2))
