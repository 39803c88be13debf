"""A coefficient of two raters on the items both rated, with what each of these does to it."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from pdkappa.coefficients.influence import (
    factor_of_products,
    of_own_units,
    sum_of_products,
    sums_of_squares,
    units_of,
)
from pdkappa.coefficients.rounding import at_least, one_minus
from pdkappa.coefficients.within_items import disagreement_of
from pdkappa.counts.core.joint import each_joint, joint_of

if TYPE_CHECKING:
    from pdkappa._typing import FloatArray
    from pdkappa.coefficients.chance import Coefficient
    from pdkappa.coefficients.weights import Scale
    from pdkappa.counts.core.base_rows import Rows
    from pdkappa.counts.core.joint import Joint
    from pdkappa.counts.core.rows import RatingRows


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
    apart = disagreement_of(joint, scale)
    at = at_joint(joint, apart, scale, coefficient, n_items)
    estimate = at_least(coefficient.lowest(scale), one_minus(at.ratio))
    return Functional(estimate, at.observed, at.expected, influence_at(at, joint, apart))


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
    found, units = list[Point](), units_of(rows)
    for joint in each_joint(rows):
        apart = disagreement_of(joint, scale)
        at = at_joint(joint, apart, scale, coefficient, rows.n_items)
        grown = of_own_units(units, units_of_joint(rows, joint))
        found.append(at._replace(factor=at.factor * grown))
    total, squares = np.zeros((rows.n_groups, len(found), len(found))), np.zeros((2, rows.n_groups))
    # So many rows that the values of all pairs are no more numbers than the ratings are.
    for part in rows.parts(len(rows.codes) * rows.codes.shape[1] // len(found)):
        values = np.zeros((len(found), part.codes.shape[1]))
        for value, at, joint in zip(values, found, each_joint(part), strict=True):
            value[joint.places] = influence_at(at, joint, disagreement_of(joint, scale))
        total += sum_of_products(part, values, rows)
        values -= values.mean(axis=0)
        squares += sums_of_squares(part, values, rows)
    unknown = np.isnan(np.stack([at.ratio for at in found], axis=1))
    total[unknown[:, :, None] | unknown[:, None]] = np.nan
    return _moments(rows, total, *squares)


def units_of_joint(rows: Rows, joint: Joint) -> FloatArray:
    """Count what is independent among the joint rows of each of the S pairs, shape (S,)."""
    own = joint.rows
    if rows.cluster is not None:
        spread = None if rows.spread is None else rows.spread[joint.places]
        cluster = rows.cluster[joint.places] * own.n_groups + own.group  # those of each pair
        own = replace(own, cluster=cluster, spread=spread)
    return units_of(own)


def _moments(rows: Rows, total: FloatArray, first: FloatArray, second: FloatArray) -> Moments:
    """Make moments of sums over items."""
    with np.errstate(divide="ignore", invalid="ignore"):  # nothing varies
        return Moments(total * factor_of_products(rows)[:, None, None], second / first**2)


class Point(NamedTuple):
    """A coefficient of two raters with its slopes, at one distribution of their ratings.

    `ratio` is that of observed to expected disagreement, and `mean` that of the slopes.
    """

    observed: FloatArray  # (G,)
    expected: FloatArray  # (G,)
    ratio: FloatArray  # (G,)
    by_row: FloatArray  # (G, K)
    by_col: FloatArray  # (G, K)
    mean: FloatArray  # (G,)
    factor: FloatArray  # (G,)


def at_joint(
    joint: Joint, apart: FloatArray, scale: Scale, coefficient: Coefficient, n_items: FloatArray
) -> Point:
    """Compute a coefficient and its slopes from the rows that both raters rated."""
    rows, ones = joint.rows, np.ones(len(joint.places))
    n = rows.total(ones)
    with np.errstate(divide="ignore", invalid="ignore"):
        row, col = (rows.margin_of(codes, ones) / n[:, None] for codes in rows.codes)
        chance = coefficient.chance(row, col, scale, n)
        expected = np.where(chance.expected > 0, chance.expected, np.nan)
        observed = rows.total(apart) / n
        return Point(
            observed=observed,
            expected=expected,
            ratio=observed / expected,
            by_row=chance.by_row,
            by_col=chance.by_col,
            mean=((row * chance.by_row) + (col * chance.by_col)).sum(axis=-1),
            factor=n_items / n / expected,
        )


def influence_at(at: Point, joint: Joint, apart: FloatArray) -> FloatArray:
    """Influence of the rows that both raters rated, shape (J,)."""
    rows, (first, second), group = joint.rows, joint.rows.codes, joint.rows.group
    slope = rows.lookup(at.by_row, first) + rows.lookup(at.by_col, second)
    influence = at.ratio[group] * (slope - at.mean[group]) - (apart - at.observed[group])
    return at.factor[group] * influence
