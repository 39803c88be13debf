"""Rows of ratings -> what each rater, item, category, cut and cell does to agreement.

Every part here adds up exactly: the items to the disagreement, the categories to nominal
agreement, the cuts of a scale to linear agreement, the cells of a table to kappa.
"""

from __future__ import annotations

from dataclasses import replace
from itertools import combinations
from typing import TYPE_CHECKING, NamedTuple, Protocol

import numpy as np

from pdkappa.core.chance import (
    COEFFICIENTS,
    hard_items,
    none_at_all,
    pooled_margins,
    uniform,
)
from pdkappa.core.distributions import stdtr
from pdkappa.core.influence import standard_error
from pdkappa.core.multirater import MULTIRATER, basics_of, of_pair
from pdkappa.core.weights import NOMINAL, Scale

if TYPE_CHECKING:
    from collections.abc import Iterator

    from pdkappa._typing import BoolArray, FloatArray, ObjectArray
    from pdkappa.core.chance import ChanceModel
    from pdkappa.core.multirater import Basics, Functional
    from pdkappa.core.rows import RatingRows

ROUNDING = 1e-12
A_PAIR = 2


# --- Raters ------------------------------------------------------------------------------


class RaterParts(NamedTuple):
    """What each of R raters does to agreement in G groups, every field of shape (R, G).

    Attributes
    ----------
    n_ratings : ndarray of float
        Number of ratings, or their total weight.
    mean_kappa, se_mean_kappa : ndarray of float
        Mean of Cohen's kappa with the other raters, over the pairs that are defined.
    kappa_with_others : ndarray of float
        One minus the sum of observed over the sum of expected disagreement with the others.
    light_without : ndarray of float
        Mean of the pairwise kappas of all others.
    effect, se_effect : ndarray of float
        The mean of all pairwise kappas, less that of all others.
    outlier_z, p_value : ndarray of float
        Test of ``mean_kappa == light_without``, which is that of ``effect == 0``.
    reason : ndarray of object
        Why something is NaN; empty where nothing is.
    """

    n_ratings: FloatArray
    mean_kappa: FloatArray
    se_mean_kappa: FloatArray
    kappa_with_others: FloatArray
    light_without: FloatArray
    effect: FloatArray
    se_effect: FloatArray
    outlier_z: FloatArray
    p_value: FloatArray
    reason: ObjectArray


class _Sums(NamedTuple):
    """Sums over the defined pairs of each rater, and of all of them in the last place."""

    pairs: FloatArray  # (R + 1, G)
    kappa: FloatArray  # (R + 1, G)
    influence: FloatArray  # (R + 1, U)
    observed: FloatArray  # (R + 1, G)
    expected: FloatArray  # (R + 1, G)
    joint: FloatArray  # (R + 1, G)


def rater_parts(rows: RatingRows, scale: Scale) -> RaterParts:
    """Compare the agreement of each rater with all others to that among the others.

    Standard errors come from the influence values of the differences, so that they know
    of the correlation of kappas that share a rater, or just the items.
    """
    sums = _sums_over_pairs(rows, scale)
    rest = _Sums(*(values[-1] - values[:-1] for values in sums))
    own = _Sums(*(values[:-1] for values in sums))
    with np.errstate(divide="ignore", invalid="ignore"):  # no pair is defined
        mean, without = own.kappa / own.pairs, rest.kappa / rest.pairs
        part = own.pairs / sums.pairs[-1]
        se_mean, se = (np.full(mean.shape, np.nan) for _ in range(2))
        for r, pairs in enumerate(own.pairs):
            of_mean = own.influence[r] / pairs[rows.group]
            of_rest = rest.influence[r] / rest.pairs[r][rows.group]
            se_mean[r] = standard_error(rows, np.nan_to_num(of_mean))
            se[r] = standard_error(rows, np.nan_to_num(of_mean - of_rest))
        difference = mean - without
        se_mean = np.where(np.isnan(mean), np.nan, se_mean)
        se = np.where(np.isnan(difference), np.nan, se)
        z = difference / np.where(se > ROUNDING, se, np.nan)
        p_value = 2 * stdtr(np.maximum(_n_units(rows) - 1, 1), -np.abs(z))
        n_ratings = np.stack([rows.total(codes >= 0) for codes in rows.codes])
        return RaterParts(
            n_ratings=n_ratings,
            mean_kappa=mean,
            se_mean_kappa=se_mean,
            kappa_with_others=1 - own.observed / _positive(own.expected),
            light_without=without,
            effect=part * difference,
            se_effect=part * se,
            outlier_z=z,
            p_value=p_value,
            reason=_reasons_of_raters(n_ratings, own, difference, se, z),
        )


def _sums_over_pairs(rows: RatingRows, scale: Scale) -> _Sums:
    """Add up the defined kappas of each rater, with all that belongs to them."""
    n_raters, n_rows = rows.codes.shape
    pairs, kappa, observed, expected, joint = np.zeros((5, n_raters + 1, rows.n_groups))
    influence = np.zeros((n_raters + 1, n_rows))
    sums = _Sums(pairs, kappa, influence, observed, expected, joint)
    for first, second in combinations(range(n_raters), 2):
        pair = of_pair(rows, scale, COEFFICIENTS["cohen"], (first, second))
        defined = ~np.isnan(pair.estimate)
        is_joint = rows.total((rows.codes[first] >= 0) & (rows.codes[second] >= 0)) > 0
        for place in (first, second, n_raters):
            sums.pairs[place] += defined
            sums.kappa[place] += np.where(defined, pair.estimate, 0)
            sums.influence[place] += np.where(defined[rows.group], pair.influence, 0)
            sums.observed[place] += np.where(is_joint, np.nan_to_num(pair.observed), 0)
            sums.expected[place] += np.where(is_joint, np.nan_to_num(pair.expected), 0)
            sums.joint[place] += is_joint
    return sums


def _n_units(rows: RatingRows) -> FloatArray:
    """Count what is independent: the rated items of each group, or their clusters, (G,)."""
    if rows.cluster is None:
        return rows.n_items
    rated = rows.n_ratings > 0
    _, first = np.unique(rows.cluster[rated], return_index=True)
    return np.bincount(rows.group[rated][first], minlength=rows.n_groups).astype(np.float64)


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


# --- Items -------------------------------------------------------------------------------


class ItemParts(NamedTuple):
    """What each of U rows does to a coefficient, every field of shape (U,).

    Attributes
    ----------
    n_ratings : ndarray of float
    disagreement : ndarray of float
        Mean disagreement of the pairs of its ratings, in [0, 1]; NaN for fewer than two.
    share : ndarray of float
        Its part of the disagreement of all items of the group; they add up to one.
    effect : ndarray of float
        The coefficient, less its value without the row.
    gain : ndarray of float
        What the coefficient would gain if the ratings agreed and the expected disagreement
        stayed what it is; in a group they add up to one minus the coefficient.
    reason : ndarray of object
        Why something is NaN; empty where nothing is.
    """

    n_ratings: FloatArray
    disagreement: FloatArray
    share: FloatArray
    effect: FloatArray
    gain: FloatArray
    reason: ObjectArray


class Without(NamedTuple):
    """A coefficient (G,), its value without each row (U,), and the gain of each row (U,)."""

    estimate: FloatArray
    without: FloatArray
    gain: FloatArray


class LeaveOneOut(Protocol):
    """Compute a coefficient without each row in turn."""

    def __call__(self, rows: RatingRows, scale: Scale, basics: Basics) -> Without:
        """Take rows of ratings, their scale, and what is known of them already."""
        ...


def item_parts(rows: RatingRows, scale: Scale, name: str) -> ItemParts:
    """Compute what each row does to a coefficient of ``LEAVE_ONE_OUT``.

    A row leaves with all its weight. The categories stay what they are, so that Gwet's and
    Brennan and Prediger's coefficients do not lose the one that only this row used.
    """
    basics = basics_of(rows, scale)
    found = LEAVE_ONE_OUT[name](rows, scale, basics)
    apart = _mean_apart(rows, basics)
    group = rows.group
    with np.errstate(divide="ignore", invalid="ignore"):
        share = rows.count * apart / rows.total(apart)[group]
    effect = found.estimate[group] - found.without
    largest = np.broadcast_to(scale.largest, (rows.n_groups,))
    reason = np.full(group.shape, "", dtype=object)
    reason[np.isnan(share)] = "no_disagreement"
    reason[~basics.paired] = "single_rating"
    reason[np.isnan(found.without)] = "undefined_without"
    reason[np.isnan(found.estimate)[group]] = "constant_ratings"
    reason[(basics.n_paired == 0)[group]] = "no_joint_items"
    reason[rows.n_ratings == 0] = "no_items"
    return ItemParts(
        n_ratings=rows.n_ratings,
        disagreement=np.where(basics.paired, apart / largest[group], np.nan),
        share=share,
        effect=effect,
        gain=np.where(np.isnan(found.estimate)[group], np.nan, found.gain),
        reason=reason,
    )


def _mean_apart(rows: RatingRows, basics: Basics) -> FloatArray:
    """Mean disagreement of the pairs of ratings of each row; 0 for fewer than two, (U,)."""
    pairs = np.where(basics.paired, rows.n_ratings * (rows.n_ratings - 1), 1)
    return np.where(basics.paired, basics.apart / pairs, 0.0)


def _positive(values: FloatArray, size: FloatArray | float = 0.0) -> FloatArray:
    """Keep what is more than rounding error of terms of this size; NaN elsewhere."""
    return np.where(values > ROUNDING * size, values, np.nan)


def _light_without(rows: RatingRows, scale: Scale, basics: Basics) -> Without:  # noqa: ARG001
    """Leave each row out of all pairs of raters."""
    shape, n_rows = rows.n_groups, rows.codes.shape[1]
    total, n_pairs = np.zeros(shape), np.zeros(shape)
    total_without, n_without, gain = (np.zeros(n_rows) for _ in range(3))
    for pair in combinations(range(len(rows.codes)), 2):
        one = _pair_without(rows, scale, pair)
        defined, left = ~np.isnan(one.estimate), ~np.isnan(one.without)
        total += np.where(defined, one.estimate, 0)
        n_pairs += defined
        total_without += np.where(left, one.without, 0)
        n_without += left
        gain += np.where(defined[rows.group], one.gain, 0)
    with np.errstate(divide="ignore", invalid="ignore"):  # no pair is defined
        return Without(total / n_pairs, total_without / n_without, gain / n_pairs[rows.group])


def _pair_without(rows: RatingRows, scale: Scale, pair: tuple[int, int]) -> Without:
    """Leave each row out of Cohen's kappa; one that they did not both rate changes nothing."""
    first, second = (rows.codes[rater] for rater in pair)
    both, group = (first >= 0) & (second >= 0), rows.group
    joint = both.astype(np.float64)
    weight, n = rows.count * joint, rows.total(both)
    row, col = (rows.margin_of(codes, joint) for codes in (first, second))
    with np.errstate(divide="ignore", invalid="ignore"):
        by_row, by_col = (np.nan_to_num(scale.spread(margin)) for margin in (col, row))
        expected = (row * by_row).sum(axis=-1)
        apart = np.zeros(len(both))
        apart[both] = scale.between(group[both], first[both], second[both])
        observed = rows.total(apart)
        lost = weight * (rows.lookup(by_row, first) + rows.lookup(by_col, second))
        left = expected[group] - lost + weight**2 * apart
        left = _positive(left, expected[group])
        ratio = (n[group] - weight) * (observed[group] - weight * apart) / left
        size = n / _positive(expected)
        return Without(1 - observed * size, 1 - ratio, weight * apart * size[group])


def _ratio_without(
    rows: RatingRows, basics: Basics, expected: FloatArray, left: FloatArray
) -> Without:
    """Leave each row out of the observed disagreement, given what is then expected, (U,)."""
    group, paired = rows.group, rows.count * basics.paired
    apart = _mean_apart(rows, basics)
    observed = rows.total(apart)
    with np.errstate(divide="ignore", invalid="ignore"):
        known = basics.n_paired * _positive(expected)
        n_left = basics.n_paired[group] - paired
        rest = (observed[group] - paired * apart) / n_left
        without = 1 - rest / _positive(left, expected[group])
        without = np.where(n_left > ROUNDING * basics.n_paired[group], without, np.nan)
        return Without(1 - observed / known, without, paired * apart / known[group])


def _corrected_without(chance: ChanceModel) -> LeaveOneOut:
    """Leave each row out of a coefficient whose chance model is quadratic in the shares.

    Along the line from the shares of all items away from those of the row, the model is a
    parabola. Its value and slope at the one end and its value at the other determine it.
    """

    def model(rows: RatingRows, scale: Scale, basics: Basics) -> Without:
        group, rated = rows.group, rows.n_ratings > 0
        ratings = np.where(rated, rows.n_ratings, 1)
        with np.errstate(divide="ignore", invalid="ignore"):
            shares = rows.margins(rated / ratings) / basics.n_items[:, None]
            found = chance(shares, shares, scale, basics.n_items)
            slope = found.by_row + found.by_col
            rise = rows.sum_of(slope) / ratings - (shares * slope).sum(axis=-1)[group]
            start = found.expected[group]
            end = _expected_of_rows(chance, rows, scale, basics, shares)
            weight = rows.count * rated
            step = weight / (basics.n_items[group] - weight)
            left = start - step * rise + step**2 * (end - start - rise)
            left = np.where(rated, left, start)
        return _ratio_without(rows, basics, found.expected, left)

    return model


def _expected_of_rows(
    chance: ChanceModel, rows: RatingRows, scale: Scale, basics: Basics, shares: FloatArray
) -> FloatArray:
    """Compute what would be expected if all items had the shares of the row, shape (U,)."""
    ratings = np.maximum(rows.n_ratings, 1)
    expected = chance(shares, shares, scale, basics.n_items).expected
    if chance is pooled_margins:
        return basics.apart / ratings**2
    if chance is hard_items:
        largest = np.broadcast_to(scale.largest, expected.shape)
        varied = (shares * (1 - shares)).sum(axis=-1)
        pull = np.divide(largest - expected, varied, out=np.zeros_like(varied), where=varied > 0)
        own = rows.disagreement(Scale(NOMINAL, scale.scores, scale.in_use)) / ratings**2
        return (largest[rows.group] - pull[rows.group] * own).astype(np.float64, copy=False)
    return expected[rows.group]


def _conger_without(rows: RatingRows, scale: Scale, basics: Basics) -> Without:
    """Leave each row out of the shares of every rater."""
    group = rows.group
    rated = rows.codes >= 0
    n_rated = np.stack([rows.total(one) for one in rated])
    ones = np.ones(len(group))
    with np.errstate(divide="ignore", invalid="ignore"):  # a rater without ratings
        shares = np.stack([rows.margin_of(codes, ones) for codes in rows.codes])
        shares = np.nan_to_num(shares / n_rated[:, :, None])
        spread = np.stack([scale.spread(one) for one in shares])
    total, n_pairs = np.zeros(rows.n_groups), np.zeros(rows.n_groups)
    total_left, n_left = np.zeros(len(group)), np.zeros(len(group))
    steps = _steps(rows, n_rated)
    for r, s in combinations(range(len(rows.codes)), 2):
        value = (shares[r] * spread[s]).sum(axis=-1)
        total += value
        n_pairs += (n_rated[r] > 0) & (n_rated[s] > 0)
        a, b = np.nan_to_num(steps[r]), np.nan_to_num(steps[s])
        both = rated[r] & rated[s]
        apart = np.zeros(len(group))
        apart[both] = scale.between(group[both], rows.codes[r][both], rows.codes[s][both])
        left = (1 + a) * (1 + b) * value[group] + a * b * apart
        left -= (1 + a) * b * rows.lookup(spread[r], rows.codes[s])
        left -= (1 + b) * a * rows.lookup(spread[s], rows.codes[r])
        alive = ~np.isnan(steps[r]) & ~np.isnan(steps[s])
        total_left += np.where(alive, left, 0)
        n_left += alive
    with np.errstate(divide="ignore", invalid="ignore"):
        return _ratio_without(rows, basics, total / np.maximum(n_pairs, 1), total_left / n_left)


def _steps(rows: RatingRows, n_rated: FloatArray) -> FloatArray:
    """Weight of each row relative to all others of each rater; NaN without others, (R, U)."""
    of_row = rows.count * (rows.codes >= 0)
    others = n_rated[:, rows.group] - of_row
    steps = np.full(of_row.shape, np.nan)
    np.divide(of_row, others, out=steps, where=others > ROUNDING * n_rated[:, rows.group])
    return steps


def _krippendorff_without(rows: RatingRows, scale: Scale, basics: Basics) -> Without:
    """Leave the pairable ratings of each row out of alpha."""
    group, weight = rows.group, rows.count * basics.paired
    paired = basics.paired.astype(np.float64)
    of_item = np.where(basics.paired, basics.apart / np.maximum(rows.n_ratings - 1, 1), 0.0)
    observed, n_ratings = rows.total(of_item), rows.total(paired * rows.n_ratings)
    margins = rows.margins(paired)
    with np.errstate(divide="ignore", invalid="ignore"):
        spread = np.nan_to_num(scale.spread(margins))
        expected = (margins * spread).sum(axis=-1)
        left = expected[group] - 2 * weight * rows.sum_of(spread) + weight**2 * basics.apart
        n_left = n_ratings[group] - weight * rows.n_ratings
        rest = (n_left - 1) * (observed[group] - weight * of_item)
        size = (n_ratings - 1) / _positive(expected)
        without = 1 - rest / _positive(left, expected[group])
        return Without(1 - observed * size, without, weight * of_item * size[group])


LEAVE_ONE_OUT: dict[str, LeaveOneOut] = {
    "percent": _corrected_without(none_at_all),
    "brennan_prediger": _corrected_without(uniform),
    "fleiss": _corrected_without(pooled_margins),
    "conger": _conger_without,
    "light": _light_without,
    "gwet": _corrected_without(hard_items),
    "krippendorff": _krippendorff_without,
}


# --- Categories and cuts -----------------------------------------------------------------


ADDITIVE = ("light", "fleiss", "conger", "krippendorff")


class ScaleParts(NamedTuple):
    """Agreement on each category, or cut, against the rest; every field of shape (G, K).

    Attributes
    ----------
    n_ratings : ndarray of float
        Number of ratings in the category, or at the cut and below, or their weight.
    pooled_share, prevalence : ndarray of float
        Their share of all ratings, and their share averaged over the raters.
    bias : ndarray of float
        The share of the first of two raters less that of the second; with more raters, the
        largest less the smallest share.
    kappa : ndarray of float
        Agreement on this against the rest; NaN where all ratings fall on one side.
    weight : ndarray of float
        Part of the expected disagreement; the weights add up to one.
    specific_agreement : ndarray of float
        Given one rating here, the share of the other ratings that are here too.
    """

    n_ratings: FloatArray
    pooled_share: FloatArray
    prevalence: FloatArray
    bias: FloatArray
    kappa: FloatArray
    weight: FloatArray
    specific_agreement: FloatArray


class _PairMargins(NamedTuple):
    """Counts of each category, or at each cut and below, of the items of a pair, (G, K)."""

    n: FloatArray  # (G, 1)
    row: FloatArray
    col: FloatArray
    both: FloatArray
    above_row: FloatArray
    above_col: FloatArray


def scale_parts(
    rows: RatingRows, name: str, gaps: FloatArray | None = None, *, cumulative: bool = False
) -> ScaleParts:
    """Split a nominal coefficient into its categories, or a linear one into its cuts.

    Parameters
    ----------
    rows : RatingRows
    name : {"light", "fleiss", "conger", "krippendorff"}
    gaps : ndarray of float, shape (G, K) or (1, K), optional
        What each category or cut counts; default: all count the same.
    cumulative : bool
        Whether to compare all categories up to one with those above.

    Notes
    -----
    Nominal disagreement is half the sum over the categories of the disagreement on each
    against the rest, and linear disagreement the sum over the cuts of that on each, times
    the gap between the scores; observed and expected alike. A ratio of sums is the mean of
    the ratios, weighted by the denominators. For "light" this holds within each pair:
    pairs are averaged with their own weights.
    """
    shape = (rows.n_groups, rows.n_categories)
    each = np.ones(shape) if gaps is None else np.broadcast_to(gaps, shape)
    if name == "light":
        observed, expected = _parts_of_pairs(rows, each, cumulative=cumulative)
    else:
        observed, expected = _parts_of_all(rows, name, each, cumulative=cumulative)
    with np.errstate(divide="ignore", invalid="ignore"):
        kappa = 1 - observed / _positive(expected)
        weight = expected / _positive(expected.sum(axis=-1, keepdims=True))
    counts = rows.margins(np.ones(rows.codes.shape[1]))
    n_ratings = counts.sum(axis=-1, keepdims=True)
    shares = shares_of_raters(rows)
    if cumulative:
        counts, shares = np.cumsum(counts, axis=-1), np.cumsum(shares, axis=-1)
    prevalence, spread = _mean_and_range(shares)
    return ScaleParts(
        n_ratings=counts,
        pooled_share=np.divide(
            counts, n_ratings, out=np.full(counts.shape, np.nan), where=n_ratings > 0
        ),
        prevalence=prevalence,
        bias=shares[0] - shares[1] if len(shares) == A_PAIR else spread,
        kappa=kappa,
        weight=weight,
        specific_agreement=_specific_agreement(rows, cumulative=cumulative),
    )


def shares_of_raters(rows: RatingRows) -> FloatArray:
    """Share of the ratings of each rater in each category, shape (R, G, K).

    NaN for a rater who rated nothing in a group.
    """
    counts = np.stack([rows.margin_of(codes, np.ones(codes.shape)) for codes in rows.codes])
    with np.errstate(divide="ignore", invalid="ignore"):
        result: FloatArray = counts / counts.sum(axis=-1, keepdims=True)
    return result


def _mean_and_range(shares: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Average the shares of those who rated in a group, and tell how far apart they are."""
    mean, spread = np.full((2, *shares.shape[1:]), np.nan)
    for group in range(len(mean)):
        active = shares[~np.isnan(shares[:, group]).any(axis=-1), group]
        if len(active):
            mean[group] = active.mean(axis=0)
            spread[group] = active.max(axis=0) - active.min(axis=0)
    return mean, spread


def _pair_margins(rows: RatingRows, *, cumulative: bool) -> Iterator[_PairMargins]:
    """Count the categories of the joint items of every pair of raters."""
    for first, second in combinations(rows.codes, 2):
        joint = ((first >= 0) & (second >= 0)).astype(np.float64)
        row, col = (rows.margin_of(codes, joint) for codes in (first, second))
        if cumulative:
            highest = rows.margin_of(np.maximum(first, second), joint)
            row, col, both = (np.cumsum(one, axis=-1) for one in (row, col, highest))
            above = row[:, -1:] - row, col[:, -1:] - col
            n = row[:, -1:]
        else:
            both = rows.margin_of(first, joint * (first == second))
            n = row.sum(axis=-1, keepdims=True)
            above = n - row, col.sum(axis=-1, keepdims=True) - col
        yield _PairMargins(n, row, col, both, *above)


def _parts_of_pairs(
    rows: RatingRows, gaps: FloatArray, *, cumulative: bool
) -> tuple[FloatArray, FloatArray]:
    """Sum observed and expected disagreement over pairs, each relative to its own total."""
    observed, expected = np.zeros(gaps.shape), np.zeros(gaps.shape)
    for pair in _pair_margins(rows, cumulative=cumulative):
        by_chance = gaps * (pair.row * pair.above_col + pair.col * pair.above_row)
        found = gaps * pair.n * ((pair.row - pair.both) + (pair.col - pair.both))
        total = by_chance.sum(axis=-1, keepdims=True)
        size = np.divide(1.0, total, out=np.zeros_like(total), where=total > 0)
        observed += found * size
        expected += by_chance * size
    return observed, expected


def _parts_of_all(
    rows: RatingRows, name: str, gaps: FloatArray, *, cumulative: bool
) -> tuple[FloatArray, FloatArray]:
    """Observed and expected disagreement on each category, or cut, of all raters together."""
    observed, expected = np.zeros(gaps.shape), np.zeros(gaps.shape)
    for k in range(rows.n_categories):
        if gaps[:, k].any():
            found = _dichotomised(rows, name, k, cumulative=cumulative)
            unknown = np.isnan(found.observed) | np.isinf(found.expected)  # for all k alike
            observed[:, k] = gaps[:, k] * found.observed
            by_chance = np.where(unknown, np.nan, np.nan_to_num(found.expected))
            expected[:, k] = gaps[:, k] * by_chance
    return observed, expected


def _dichotomised(rows: RatingRows, name: str, k: int, *, cumulative: bool) -> Functional:
    """Estimate a coefficient of one category, or all up to it, against the rest."""
    rest = rows.codes > k if cumulative else rows.codes != k
    codes = np.where(rows.codes < 0, -1, rest)
    two = replace(rows, codes=codes, n_categories=2).compressed()
    scale = Scale(NOMINAL, np.array([[1.0, 2.0]]), np.ones((1, 2), dtype=bool))
    return MULTIRATER[name](two, scale, basics_of(two, scale))


def _specific_agreement(rows: RatingRows, *, cumulative: bool) -> FloatArray:
    """Share of agreement among the ratings of a category, over all pairs of ratings, (G, K)."""
    agree = np.zeros((rows.n_groups, rows.n_categories))
    named = np.zeros_like(agree)
    for pair in _pair_margins(rows, cumulative=cumulative):
        agree += 2 * pair.both
        named += pair.row + pair.col
    return np.divide(agree, named, out=np.full(agree.shape, np.nan), where=named > 0)


def gaps_of(scale: Scale, n_groups: int) -> FloatArray:
    """Distance of each category in use to the next one; 0 for the last and others, (G, K)."""
    shape = (n_groups, scale.scores.shape[-1])
    scores, used = np.broadcast_to(scale.scores, shape), np.broadcast_to(scale.in_use, shape)
    gaps = np.zeros(shape)
    for group in range(n_groups):
        places = np.flatnonzero(used[group])
        gaps[group, places[:-1]] = np.abs(np.diff(scores[group, places]))
    return gaps


# --- Cells -------------------------------------------------------------------------------


class CellParts(NamedTuple):
    """What each cell of the tables of two raters does to kappa, all of shape (G, K, K).

    Attributes
    ----------
    n_items, expected_items : ndarray of float
        Number of items in the cell, and the number that the margins would give by chance.
    disagreement : ndarray of float
        Disagreement of the two categories, in [0, 1].
    contribution : ndarray of float
        Excess of expected over observed disagreement, relative to all that is expected;
        the cells of a table add up to kappa. NaN where no disagreement is expected.
    """

    n_items: FloatArray
    expected_items: FloatArray
    disagreement: FloatArray
    contribution: FloatArray


def cell_parts(rows: RatingRows, scale: Scale) -> CellParts:
    """Split Cohen's kappa of two raters into the cells of their table."""
    first, second = rows.codes
    both = (first >= 0) & (second >= 0)
    k = rows.n_categories
    place = (rows.group[both].astype(np.int64) * k + first[both]) * k + second[both]
    flat = np.bincount(place, weights=rows.count[both], minlength=rows.n_groups * k * k)
    table = flat.astype(np.float64, copy=False).reshape(rows.n_groups, k, k)
    n = table.sum(axis=(1, 2), keepdims=True)
    with np.errstate(divide="ignore", invalid="ignore"):  # no items
        expected = table.sum(axis=2, keepdims=True) * table.sum(axis=1, keepdims=True) / n
        expected = np.nan_to_num(expected)
        tables = range(rows.n_groups)
        apart = (
            np.broadcast_to(scale.matrix(), table.shape)
            if scale.is_shared
            else np.stack([scale.matrix(number) for number in tables])
        )
        total = (apart * expected).sum(axis=(1, 2), keepdims=True)
        contribution = apart * (expected - table) / _positive(total)
    largest = np.broadcast_to(scale.largest, (rows.n_groups,))[:, None, None]
    return CellParts(table, expected, apart / largest, contribution)


# --- Bias, scale and noise ---------------------------------------------------------------


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


class SplitParts(NamedTuple):
    """One minus quadratic weighted kappa and the three parts of it, every field (G,).

    Attributes
    ----------
    one_minus_kappa : ndarray of float
        The sum of the parts; NaN where neither rater varies and both agree.
    bias, scale, noise : ndarray of float
        Due to different means, to different standard deviations, and to a correlation
        below one; each at least 0.
    correlation : ndarray of float
        Pearson's correlation; NaN where a rater does not vary.
    """

    one_minus_kappa: FloatArray
    bias: FloatArray
    scale: FloatArray
    noise: FloatArray
    correlation: FloatArray


def moments(rows: RatingRows, scores: FloatArray) -> Moments:
    """Compute the moments of two raters' scores, given those of the categories, (G or 1, K)."""
    both = np.asarray((rows.codes >= 0).all(axis=0), dtype=np.float64)
    n = rows.total(both)
    values = [rows.lookup(scores, codes) for codes in rows.codes]
    with np.errstate(divide="ignore", invalid="ignore"):  # no items
        means = [rows.total(both * one) / n for one in values]
        a, b = (
            both * (one - np.nan_to_num(mean)[rows.group])
            for one, mean in zip(values, means, strict=True)
        )
        return Moments(
            n,
            means[0],
            means[1],
            np.sqrt(rows.total(a * a) / n),
            np.sqrt(rows.total(b * b) / n),
            rows.total(a * b) / n,
        )


def split_parts(found: Moments) -> SplitParts:
    r"""Split one minus quadratic weighted kappa into bias, scale and noise.

    .. math:: 1 - \kappa = \frac{(\mu_a - \mu_b)^2 + (\sigma_a - \sigma_b)^2
              + 2 \sigma_a \sigma_b (1 - \rho)}{\sigma_a^2 + \sigma_b^2 + (\mu_a - \mu_b)^2}.
    """
    product = found.sd_a * found.sd_b
    apart = (found.mean_a - found.mean_b) ** 2
    with np.errstate(divide="ignore", invalid="ignore"):
        total = _positive(found.sd_a**2 + found.sd_b**2 + apart)
        bias, scale = apart / total, (found.sd_a - found.sd_b) ** 2 / total
        noise = np.maximum(2 * (product - found.covariance), 0) / total
        correlation = np.clip(found.covariance / _positive(product), -1, 1)
    return SplitParts(bias + scale + noise, bias, scale, noise, correlation)


def is_constant(rows: RatingRows) -> BoolArray:
    """Whether each of two raters gave all joint items one category, shape (2, G)."""
    both = np.asarray((rows.codes >= 0).all(axis=0), dtype=np.float64)
    used = np.stack([(rows.margin_of(codes, both) > 0).sum(axis=-1) for codes in rows.codes])
    result: BoolArray = used == 1
    return result
