"""Light's kappa: the mean of Cohen's kappas of all pairs of raters, and what each row does to it.

The kappas come from counts of the pairs. The influence of a row sums what its every two ratings
do, which is looked up for ratings that are listed, and a product of matrices for an array of all
raters.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from pdkappa.coefficients.chance import COEFFICIENTS
from pdkappa.coefficients.joint_items import Functional, Point, of_joint
from pdkappa.coefficients.rounding import at_least, one_minus
from pdkappa.counts.core.listed_rows import ListedRows
from pdkappa.counts.core.pairs import PairCounts, count_pairs

if TYPE_CHECKING:
    from collections.abc import Sequence

    from pdkappa._typing import FloatArray, IntArray
    from pdkappa.coefficients.multirater import Basics
    from pdkappa.coefficients.weights import Scale
    from pdkappa.counts.core.rows import RatingRows, Rows

PAIR = 2
COHEN = COEFFICIENTS["cohen"]
MOST_CATEGORIES = 32  # of an array whose pairs of ratings are summed by products of matrices
FEWEST_ROWS = 256  # of each group
BLOCK = 1 << 17  # numbers in memory at a time
PRODUCT = 1 << 18  # multiplications of one product, which threads would not make any faster
FEWEST_AT_ONCE = 16  # rows of a product


class Slopes(NamedTuple):
    """Cohen's kappa of S tables, with the influence of an item of each of C cells on it."""

    estimate: FloatArray  # (S,)
    observed: FloatArray  # (S,)
    expected: FloatArray  # (S,)
    influence: FloatArray  # (C,)


def light(rows: Rows, scale: Scale, basics: Basics) -> Functional:  # noqa: ARG001
    """Average the kappas of all pairs of raters that are defined (Light, 1971)."""
    if isinstance(rows, ListedRows):
        return _of_list(rows, scale)
    rows = rows.wide()
    n_rows, k = rows.codes.shape[1], rows.n_categories
    few = len(rows.codes) == PAIR or k > MOST_CATEGORIES or n_rows < FEWEST_ROWS * rows.n_groups
    return _pair_by_pair(rows, scale) if few else _by_products(rows, scale)


def slopes_of(counts: PairCounts, scale: Scale, group: IntArray, n_items: FloatArray) -> Slopes:
    """Compute Cohen's kappa of pairs in groups with so many items, shapes (S,) and (G,)."""
    figures, influence = np.empty((3, counts.n_tables)), np.empty(len(counts.count))
    start = 0
    for tables, part in counts.blocks():
        own, table = group[tables], part.table
        at, apart = _at_tables(part, scale, own, n_items)
        slope = at.by_row.take(part.row_place) + at.by_col.take(part.col_place)
        of_cell = at.ratio[table] * (slope - at.mean[table]) - (apart - at.observed[table])
        figures[:, tables] = _estimate(at, scale), at.observed, at.expected
        stop = start + len(table)
        influence[start:stop] = at.factor[table] * of_cell
        start = stop
    estimate, observed, expected = figures
    return Slopes(estimate, observed, expected, np.nan_to_num(influence))


def _at_tables(
    counts: PairCounts, scale: Scale, group: IntArray, n_items: FloatArray
) -> tuple[Point, FloatArray]:
    """Compute Cohen's kappa of tables with its slopes, and the disagreement in each cell."""
    row, col = counts.margins()
    chance = COHEN.chance(row, col, scale.take(group), counts.total)
    apart = scale.between(group[counts.table], counts.row, counts.col)
    slope = (row * chance.by_row).sum(axis=-1) + (col * chance.by_col).sum(axis=-1)
    with np.errstate(divide="ignore", invalid="ignore"):  # no items
        expected = np.where(chance.expected > 0, chance.expected, np.nan)
        observed = counts.sum(counts.count * apart) / counts.total
        factor = n_items[group] / counts.total / expected
        ratio = observed / expected
    at = Point(observed, expected, ratio, chance.by_row, chance.by_col, slope, factor)
    return at, apart


def _estimate(at: Point, scale: Scale) -> FloatArray:
    """Turn ratios of disagreements into kappas."""
    return at_least(COHEN.lowest(scale), one_minus(at.ratio))


def _mean(
    figures: Sequence[FloatArray], group: IntArray, n_groups: int
) -> tuple[FloatArray, list[FloatArray]]:
    """Count the pairs of each group whose kappa, the first figure, is defined; average all."""
    defined = ~np.isnan(figures[0])
    number = np.bincount(group[defined], minlength=n_groups).astype(np.float64)
    with np.errstate(divide="ignore", invalid="ignore"):  # no pair is defined
        return number, [
            np.bincount(group[defined], weights=one[defined], minlength=n_groups) / number
            for one in figures
        ]


def _of_list(rows: ListedRows, scale: Scale) -> Functional:
    """Look up what every two ratings of a row do to the kappa of their raters."""
    keys, count = rows.joint()
    cells = max(rows.n_categories, 1) ** 2
    table, cell = np.divmod(keys, cells)
    known, number = np.unique(table, return_inverse=True)
    group = known % rows.n_groups
    counts = PairCounts.from_keys(number * cells + cell, count, len(known), rows.n_categories)
    found = slopes_of(counts, scale, group, rows.n_items)
    n_defined, (estimate, observed, expected) = _mean(found[:3], group, rows.n_groups)
    with np.errstate(divide="ignore", invalid="ignore"):
        influence = rows.sum_joint(keys, found.influence) / n_defined[rows.group]
    return Functional(estimate, observed, expected, influence)


def _pair_by_pair(rows: RatingRows, scale: Scale) -> Functional:
    """Take the rows of one pair of raters after the other."""
    n_defined, estimate, observed, expected = np.zeros((4, rows.n_groups))
    influence = np.zeros(rows.codes.shape[1])
    for joint in rows.joints():
        pair = of_joint(joint, scale, COHEN, rows.n_items)
        defined = ~np.isnan(pair.estimate)
        n_defined += defined
        estimate += np.where(defined, pair.estimate, 0)
        observed += np.where(defined, pair.observed, 0)
        expected += np.where(defined, pair.expected, 0)
        influence[joint.places] += np.where(defined[joint.rows.group], pair.influence, 0)
    with np.errstate(divide="ignore", invalid="ignore"):  # no pair is defined
        means = (estimate / n_defined, observed / n_defined, expected / n_defined)
        influence = influence / n_defined[rows.group]
    if len(rows.codes) == PAIR:  # whose own figures need no kappa to be averaged
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
    group = np.zeros(len(pairs), dtype=np.int64)
    at, _ = _at_tables(counts, scale, group, rows.n_items)
    figures = _estimate(at, scale), at.observed, at.expected
    n_defined, (estimate, observed, expected) = _mean(figures, group, 1)

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
        return Functional(estimate, observed, expected, influence / n_defined)


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
            both = factor @ (rated - given if is_nominal else apart[k][block])
            both -= slope.sum(axis=1, keepdims=True) if is_complete else slope @ rated
            total -= np.einsum("bru,bru->bu", given, both)
        result[start : start + step] = total.reshape(-1)[: n_rows - start]
    return result


def _stacked(codes: IntArray, width: int) -> IntArray:
    """Cut rows into parts of one width, of which the last may have missing ratings, (B, R, u)."""
    n_raters, n_rows = codes.shape
    if n_rows % width:
        codes = np.pad(codes, ((0, 0), (0, -n_rows % width)), constant_values=-1)
    return codes.reshape(n_raters, -1, width).transpose(1, 0, 2)
