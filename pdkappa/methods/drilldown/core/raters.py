"""Rows of ratings -> what each rater does to agreement."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from pdkappa.coefficients.chance import COEFFICIENTS
from pdkappa.coefficients.influence import (
    error_in_turn,
    of_joint,
    of_own_units,
    standard_error,
    units_of,
    units_of_joint,
)
from pdkappa.coefficients.score_limits import ROUNDING, half_width, positive, two_sided
from pdkappa.coefficients.sparse_rows import joints

if TYPE_CHECKING:
    from pdkappa._typing import FloatArray, ObjectArray
    from pdkappa.coefficients.rating_rows import Rows
    from pdkappa.coefficients.weights import Scale

COHEN = COEFFICIENTS["cohen"]


class RaterParts(NamedTuple):
    """What each of R raters does to agreement in G groups, every field of shape (R, G).

    Attributes
    ----------
    n_ratings : ndarray of float
        Number of ratings, or their total weight.
    estimate, se, ci_low, ci_high : ndarray of float
        Mean of Cohen's kappa with the other raters, over the pairs that are defined.
    kappa_with_others : ndarray of float
        One minus the sum of observed over the sum of expected disagreement with the others.
    light_without : ndarray of float
        Mean of the pairwise kappas of all others.
    effect, se_effect : ndarray of float
        The mean of all pairwise kappas, less that of all others.
    effect_ci_low, effect_ci_high : ndarray of float
        Limits of the effect, which hold 0 where the test below does not reject it.
    outlier_z, p_value : ndarray of float
        Test of ``estimate == light_without``, which is that of ``effect == 0``.
    reason : ndarray of object
        Why something is NaN; empty where nothing is.
    """

    n_ratings: FloatArray
    estimate: FloatArray
    se: FloatArray
    ci_low: FloatArray
    ci_high: FloatArray
    kappa_with_others: FloatArray
    light_without: FloatArray
    effect: FloatArray
    se_effect: FloatArray
    effect_ci_low: FloatArray
    effect_ci_high: FloatArray
    outlier_z: FloatArray
    p_value: FloatArray
    reason: ObjectArray


class _Sums(NamedTuple):
    """Sums over the defined pairs of each rater, and of all of them in the last place."""

    pairs: FloatArray  # (R + 1, G)
    kappa: FloatArray  # (R + 1, G)
    observed: FloatArray  # (R + 1, G)
    expected: FloatArray  # (R + 1, G)
    joint: FloatArray  # (R + 1, G)


def rater_parts(rows: Rows, scale: Scale, level: float = 0.95) -> RaterParts:
    """Compare the agreement of each rater with all others to that among the others.

    Standard errors come from the influence values of the differences, so that they know
    of the correlation of kappas that share a rater, or just the items.
    """
    sums, influence = _sums_over_pairs(rows, scale)
    rest = _Sums(*(values[-1] - values[:-1] for values in sums))
    own = _Sums(*(values[:-1] for values in sums))
    # What a row does to the sum of all pairs counts two raters each.
    group, total = rows.group, sum(rows.of_raters(influence)) / 2
    with np.errstate(divide="ignore", invalid="ignore"):  # no pair is defined
        mean, without = own.kappa / own.pairs, rest.kappa / rest.pairs
        part = own.pairs / sums.pairs[-1]
        difference = mean - without
        se_mean = _errors_of_means(rows, influence, own.pairs)
        per_pair = zip(rows.of_raters(influence), own.pairs, rest.pairs, strict=True)
        apart = (
            one / its_pairs[group] - (total - one) / other_pairs[group]
            for one, its_pairs, other_pairs in per_pair
        )
        se, df = error_in_turn(rows, apart, ~np.isnan(difference))
        se_mean = np.where(np.isnan(mean), np.nan, se_mean)
        z = difference / np.where(se > ROUNDING, se, np.nan)
        degrees = np.maximum(units_of(rows) - 1, 1)
        half = np.where(np.isnan(z), np.nan, half_width(level, np.maximum(df, 1)) * part * se)
        half_of_mean = np.where(se_mean > ROUNDING, half_width(level, degrees) * se_mean, np.nan)
        margins = rows.by_rater
        n_ratings = margins.total(margins.count).reshape(rows.n_groups, rows.n_raters).T
        return RaterParts(
            n_ratings=n_ratings,
            estimate=mean,
            se=se_mean,
            ci_low=np.maximum(mean - half_of_mean, -1.0),
            ci_high=np.minimum(mean + half_of_mean, 1.0),
            kappa_with_others=1 - own.observed / positive(own.expected),
            light_without=without,
            effect=part * difference,
            se_effect=part * se,
            effect_ci_low=part * difference - half,
            effect_ci_high=part * difference + half,
            outlier_z=z,
            p_value=two_sided(z, np.maximum(df, 1)),
            reason=_reasons_of_raters(n_ratings, own, difference, se, z),
        )


def _errors_of_means(rows: Rows, influence: FloatArray, pairs: FloatArray) -> FloatArray:
    """Compute the standard error of the mean kappa of each rater, shape (R, G)."""
    found = [
        standard_error(rows, np.nan_to_num(one / number[rows.group]))
        for one, number in zip(rows.of_raters(influence), pairs, strict=True)
    ]
    return np.stack(found)


def _sums_over_pairs(rows: Rows, scale: Scale) -> tuple[_Sums, FloatArray]:
    """Add up the defined kappas of each rater, and the influence of each rating on the sum."""
    n_raters, n_groups = rows.n_raters, rows.n_groups
    sums = np.zeros((5, (n_raters + 1) * n_groups))
    influence, units = np.zeros(rows.n_places), units_of(rows)
    for joint in joints(rows):
        pair = of_joint(joint, scale.take(joint.group), COHEN, rows.n_items[joint.group])
        defined = ~np.isnan(pair.estimate)
        of_pairs = (
            defined,
            np.where(defined, pair.estimate, 0),
            np.nan_to_num(pair.observed),
            np.nan_to_num(pair.expected),
            ~np.isnan(pair.observed),
        )
        grown = of_own_units(units[joint.group], units_of_joint(rows, joint))
        of_items = np.where(defined, grown, 0)[joint.rows.group] * np.nan_to_num(pair.influence)
        for rater in (*joint.raters, np.full(len(joint.group), n_raters)):
            place = rater * n_groups + joint.group
            np.add.at(sums.T, place, np.stack(of_pairs, axis=1))
        for rater in joint.raters:
            rating = rows.places_of(rater[joint.rows.group], joint.places)
            np.add.at(influence, rating, of_items)
    return _Sums(*sums.reshape(5, n_raters + 1, n_groups)), influence


def _reasons_of_raters(
    n_ratings: FloatArray, own: _Sums, difference: FloatArray, se: FloatArray, z: FloatArray
) -> ObjectArray:
    """Say why a figure of a rater is NaN; later reasons outweigh earlier ones."""
    reason = np.full(n_ratings.shape, "", dtype=object)
    reason[np.isnan(z)] = "no_variance"
    reason[np.isnan(se)] = "n_lt_2"
    reason[np.isnan(difference)] = "no_other_pair"
    reason[own.pairs == 0] = "constant_ratings"
    reason[own.joint == 0] = "no_joint_items"
    reason[n_ratings == 0] = "no_items"
    return reason
