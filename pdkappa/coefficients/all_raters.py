"""Rows of ratings by many raters -> coefficients, each with its influence values.

A coefficient that corrects for chance by a model of `pdkappa.coefficients.chance` is here already;
one of another form costs a function and a row in `MULTIRATER`. Standard errors, intervals, tests
and comparisons all come from the influence values.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol

import numpy as np

from pdkappa.coefficients.chance import COEFFICIENTS, point, point_of
from pdkappa.coefficients.influence import (
    Basics,
    Functional,
    disagreement_within,
    of_joint,
    spread_of,
)
from pdkappa.coefficients.pair_counts import count_pairs, in_common, sums_at
from pdkappa.coefficients.rating_rows import RatingRows
from pdkappa.coefficients.score_limits import (
    ROUNDING,
    Agreeing,
    at_least,
    chdtrc,
    one_minus,
    positive,
)
from pdkappa.coefficients.sparse_rows import count_listed, joints, listed
from pdkappa.coefficients.weights import NOMINAL, WEIGHTS

if TYPE_CHECKING:
    from collections.abc import Iterator

    from pdkappa._typing import BoolArray, FloatArray, IntArray
    from pdkappa.coefficients.chance import ChanceModel, Point
    from pdkappa.coefficients.guarded_limits import Drawn
    from pdkappa.coefficients.pair_counts import Margins
    from pdkappa.coefficients.rating_rows import Rows
    from pdkappa.coefficients.weights import Scale

PAIR = 2
COHEN = COEFFICIENTS["cohen"]
MOST_CATEGORIES = 32  # of an array whose pairs of ratings are summed by products of matrices
FEWEST_ROWS = 256  # of each group
PRODUCTS_OF_JOINT = 1000  # that take as long as to look up a pair of ratings
BLOCK = 1 << 15  # numbers in memory at a time
PRODUCT = 1 << 18  # multiplications of one product, which threads would not make any faster
LARGEST_PRODUCT = 1 << 22  # places of a matrix of raters by categories, or of those of all groups
FEWEST_AT_ONCE = 16  # rows of a product
FEWEST_JOINT = 30  # items of a pair, in harmonic mean, whose kappas average to that of all


def light(rows: Rows, scale: Scale, basics: object) -> Functional:  # noqa: ARG001
    """Average the kappas of all pairs of raters that are defined (Light, 1971)."""
    few = len(rows.count) < FEWEST_ROWS * rows.n_groups or rows.n_categories > MOST_CATEGORIES
    if few or rows.n_raters == PAIR or not isinstance(rows, RatingRows):
        return _pair_by_pair(rows, scale)
    n_products = rows.codes.size * rows.n_raters * (2 * rows.n_categories + 1)
    is_slower = rows.n_joint * PRODUCTS_OF_JOINT <= n_products
    return _pair_by_pair(rows, scale) if is_slower else _by_products(rows, scale)


def is_dense(rows: Rows) -> bool:
    """Whether products with K x K places for each rating are faster than pair after pair."""
    if not isinstance(rows, RatingRows):
        return False
    k = rows.n_categories
    size = max(rows.n_raters * k, 1)
    fits = k <= MOST_CATEGORIES and max(rows.n_groups, size) * size <= LARGEST_PRODUCT
    n_products = rows.codes.size * rows.n_raters * k**2
    return fits and rows.n_joint * PRODUCTS_OF_JOINT > n_products


def mean_reciprocal(rows: Rows) -> FloatArray:
    """Average one over the number of joint items over the pairs of raters that have any, (G,).

    It is divided by the number of pairs once more.
    """
    pairs, reciprocals = _sharing(rows)
    return reciprocals / positive(pairs) ** 2


def pairs_share_few(rows: Rows) -> bool:
    """Whether pairs share so few items, and not half of all, that their kappas are biased.

    That of a pair with n items is too low by about 1 / n of the scale, one of a single item is 0 or
    undefined. Of several groups it is those with most of the items; two raters are a pair.
    """
    if rows.n_raters <= PAIR:
        return False
    few = (rows.n_active > PAIR) & share_few(items_of_pairs(rows), rows.n_items)
    return bool(rows.n_items[few].sum() > rows.n_items.sum() / 2)


def items_of_pairs(rows: Rows) -> FloatArray:
    """Average the items of the pairs of raters that share any, in harmonic mean; NaN if none, (G,).

    The bias of a mean of their kappas goes by it.
    """
    pairs, reciprocals = _sharing(rows)
    return pairs / positive(reciprocals)


def share_few(joint: FloatArray, n_items: FloatArray) -> BoolArray:
    """Whether pairs share so few of all items, with so many joint ones on average, (G,)."""
    return (joint < FEWEST_JOINT) & (joint < n_items / 2)


def _sharing(rows: Rows) -> tuple[FloatArray, FloatArray]:
    """Count the pairs of raters with joint items, and add up one over their number, each (G,)."""
    if isinstance(rows, RatingRows):
        joint = _joint_items(rows)
        pairs = (joint > 0).sum(axis=1)
        reciprocals = np.divide(1.0, joint, out=np.zeros_like(joint), where=joint > 0).sum(axis=1)
        return pairs, reciprocals
    ratings = listed(rows)
    of_any = replace(ratings, code=np.zeros_like(ratings.row), n_categories=1)
    cells = count_listed(of_any, rows.count)
    group = cells.keys % rows.n_groups
    ones = np.ones(len(group))
    return sums_at(group, ones, rows.n_groups), sums_at(group, ones / cells.count, rows.n_groups)


def _joint_items(rows: RatingRows) -> FloatArray:
    """Count the items that every two raters rated, shape (G, P)."""
    first, second = np.triu_indices(rows.n_raters, 1)
    if (rows.codes >= 0).all():
        return np.broadcast_to(rows.n_items[:, None], (rows.n_groups, len(first)))
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
    """Average the pairs of one group, and sum what every two ratings of a row do."""
    pairs = every_pair(rows, scale)
    at, defined, n_rows = pairs.at, ~np.isnan(pairs.estimate), rows.codes.shape[1]
    influence, start = np.zeros(n_rows), 0
    for values in on_ratings(rows.codes, scale, pairs, at.factor(rows.n_items)):
        stop = min(start + values.size, n_rows)
        influence[start:stop] = values.reshape(-1)[: stop - start]
        start = stop
    with np.errstate(divide="ignore", invalid="ignore"):  # no pair is defined
        estimate, observed, expected = (
            np.array([one[defined].sum() / defined.sum()])
            for one in (pairs.estimate, at.observed, at.expected)
        )
        return Functional(estimate, observed, expected, influence / defined.sum())


class EveryPair(NamedTuple):
    """Every two raters of one group: their places, and Cohen's kappa, each of shape (P,)."""

    first: IntArray
    second: IntArray
    at: Point
    estimate: FloatArray


def every_pair(rows: RatingRows, scale: Scale) -> EveryPair:
    """Estimate Cohen's kappa of every two raters of one group."""
    first, second = np.triu_indices(len(rows.codes), 1)
    found = None
    if scale.weighting is NOMINAL:  # which cells off the diagonal have no part in
        found = in_common(rows.codes, rows.count, rows.n_categories)
    if found is not None:
        n = found.n[:, 0]
        margins = found.row / found.n, found.col / found.n
        at = point_of((n - found.both.sum(axis=1)) / n, margins, n, scale, COHEN)
    else:
        pairs = list(zip(first.tolist(), second.tolist(), strict=True))
        weights = None if (rows.count == 1).all() else rows.count
        counts = count_pairs(rows.codes, rows.n_categories, pairs=pairs, weights=weights)
        at = point(counts, scale.between(counts.table, counts.row, counts.col), scale, COHEN)
    return EveryPair(first, second, at, at_least(COHEN.lowest(scale), one_minus(at.ratio)))


def on_ratings(
    codes: IntArray, scale: Scale, pairs: EveryPair, factor: FloatArray, *, beside: bool = False
) -> Iterator[FloatArray]:
    """Sum what every two ratings of a row do, (B, u), for some rows at once.

    With f the factor of two raters, shape (P,), and d the disagreement, ratings k and l do
    ``f * (ratio * (by_row[k] + by_col[l] - mean) + observed - d[k, l])``. If that is to count for
    each rating `beside` the others, the sums are of shape (B, R, u).
    """
    at, nominal = pairs.at, scale.weighting is NOMINAL

    def square(above: FloatArray, below: FloatArray) -> FloatArray:
        """Put a number of each pair on either side of the diagonal; 0 if there is no kappa."""
        result = np.zeros((len(codes),) * 2)
        sides = pairs.first, pairs.second
        result[sides], result[sides[::-1]] = np.nan_to_num((above, below))
        return result

    f = square(factor, factor) / (1 if beside else 2)
    constant = factor * (at.observed - at.ratio * at.mean) / 2
    by_row, by_col = (
        (factor * at.ratio)[:, None] * slope + constant[:, None]
        for slope in (at.chance.by_row, at.chance.by_col)
    )
    slopes = [square(*both) for both in zip(by_row.T, by_col.T, strict=True)]
    own = [slope - f for slope in slopes] if nominal else slopes  # d = 1, less what is equal
    apart = np.pad(-scale.matrix(), ((0, 0), (0, 1)))
    for block in _stacked(codes):
        rated = (block >= 0).astype(np.float64)
        is_complete, total = rated.all(), np.zeros(())
        last = slopes[-1] if is_complete else np.zeros_like(f)  # of all that is in no other
        others = last.sum(axis=0)[:, None]
        for k, slope in enumerate(own):
            given = (block == k).astype(np.float64)
            both = f @ (given if nominal else apart[k][block])
            both += slope.sum(axis=1, keepdims=True) if is_complete else slope @ rated
            if beside:
                if slopes[k] is not last:
                    others = others + (slopes[k] - last).T @ given
                total = total + np.multiply(both, given, out=both)
            else:  # each pair twice: what its own slope does, and half of the rest
                total = total + np.einsum("bru,bru->bu", given, both)
        yield total + others * rated if beside else total


def _stacked(codes: IntArray) -> Iterator[IntArray]:
    """Cut rows into blocks, and these into parts of one width, (B, R, u); the last is filled up."""
    n_raters, n_rows = codes.shape
    few = 1 << n_rows.bit_length()  # of which the rest would be empty
    width = max(min(PRODUCT // n_raters**2, few), FEWEST_AT_ONCE)
    step = max(BLOCK // n_raters // width, 1) * width
    for start in range(0, n_rows, step):
        block = codes[:, start : start + step]
        block = np.pad(block, ((0, 0), (0, -block.shape[1] % width)), constant_values=-1)
        yield np.ascontiguousarray(block.reshape(n_raters, -1, width).transpose(1, 0, 2))


def concord(rows: RatingRows, scores: FloatArray) -> dict[str, Any]:
    r"""Compute Kendall's W of raters who all rated all items, and its test; each of shape (G,).

    Notes
    -----
    With m raters of n items, S the squared deviations of the sums of ranks, and t the numbers of
    items that a rater put at one rank,

    .. math:: W = \frac{12 S}{m^2 (n^3 - n) - m \sum (t^3 - t)}, \qquad \chi^2 = m (n - 1) W.
    """
    m, n = len(rows.codes), rows.n_items
    ranks, ties = zip(*(_ranks(rows, scores[codes]) for codes in rows.codes), strict=True)
    with np.errstate(divide="ignore", invalid="ignore"):
        deviations = sum(ranks) - (m * (n + 1) / 2)[rows.group]
        most = m**2 * (n**3 - n) - m * sum(ties)
        varies = most > ROUNDING * m**2 * n**3
        w = np.where(varies, 12 * rows.total(deviations**2) / most, np.nan)
        chi2 = m * (n - 1) * w
        p_value = chdtrc(n - 1, chi2)
    return {"n_items": n, "estimate": w, "chi2": chi2, "df": n - 1, "p_value": p_value}


def _ranks(rows: RatingRows, values: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Rank the items of each group, (U,), equal ones at their mean; and ``t**3 - t``, (G,)."""
    order = np.lexsort((values, rows.group))
    group = rows.group[order]
    new = np.append(
        np.ones(min(len(values), 1), dtype=bool),
        (np.diff(values[order]) != 0) | (np.diff(group) != 0),
    )
    run = np.cumsum(new) - 1
    size = np.bincount(run, weights=rows.count[order])
    before = np.cumsum(size) - size
    of_run = group[new]
    start = np.cumsum(rows.n_items) - rows.n_items
    ranks = np.empty(len(values))
    ranks[order] = (before - start[of_run] + (size + 1) / 2)[run]
    return ranks, sums_at(of_run, size**3 - size, rows.n_groups)


class MultiraterModel(Protocol):
    """Compute one coefficient of all groups."""

    def __call__(self, rows: Rows, scale: Scale, basics: Basics) -> Functional:
        """Take rows of ratings, their scale, and what is known of them already."""


@dataclass(frozen=True)
class Multirater:
    """A coefficient of all raters together: a model, and what others ask about it."""

    model: MultiraterModel  # computes it
    spoken: str  # what it is called in a sentence
    synonyms: tuple[str, ...] = ()  # what others call it, in lower case
    # The chance model that gets the shares of the categories, if it is one of shares.
    chance: ChanceModel | None = None
    # Whether it compares raters as persons, so that it has to know who rated.
    of_persons: bool = False
    of_margins: bool = False  # whether chance has the shares of the categories among the ratings
    source: str = ""  # author and year of the publication

    def __call__(self, rows: Rows, scale: Scale, basics: Basics) -> Functional:
        """Compute the coefficient of all groups."""
        return self.model(rows, scale, basics)


def basics_of(rows: Rows, scale: Scale, *, by_items: bool = True) -> Basics:
    """Compute what all coefficients need."""
    return Basics(rows, disagreement_within(rows, scale), by_items)


def corrected_by(chance: ChanceModel) -> MultiraterModel:
    """Make the coefficient of many raters that corrects for chance by a model of shares.

    Observed is the mean, over items with two ratings or more, of the mean disagreement of
    their pairs of ratings. The model gets the shares of the categories (Gwet, 2014).
    """

    def model(rows: Rows, scale: Scale, basics: Basics) -> Functional:
        shares = shares_of(rows, basics)
        by_chance = chance(shares, shares, scale, rows.n_items)
        slope = by_chance.by_row + by_chance.by_col
        of_expected = _influence_of_shares(rows, basics, slope, shares)
        return _one_minus_ratio(rows, basics, by_chance.expected, of_expected)

    return model


def conger(rows: Rows, scale: Scale, basics: Basics) -> Functional:
    """Each rater keeps to the categories in their own proportions (Conger, 1980).

    Expected is the mean over all pairs of raters of the disagreement of independent
    raters with the proportions of these two.
    """
    subject, margins = rows.by_rater.occurring()
    group, who = subject // rows.n_raters, margins.subject
    n_rated = margins.total(margins.count)
    share = margins.count / n_rated[who]
    n_raters = np.bincount(group, minlength=rows.n_groups)
    n_pairs = np.where(n_raters > 1, n_raters * (n_raters - 1), np.nan)
    whole = sum_by_group(replace(margins, count=share), group, rows.n_groups)
    of_whole = scale.spread(whole)
    of_own = spread_of(replace(margins, count=share), scale, group)
    # The sum over all ordered pairs of raters is that over all r and s, less that of r = s.
    own = np.bincount(group[who], weights=share * of_own, minlength=rows.n_groups)
    expected = ((whole * of_whole).sum(axis=-1) - own) / n_pairs
    slope = of_whole[group[who], margins.category] - of_own
    slope -= margins.total(share * slope)[who]
    factor = 2 * rows.n_items[group] / n_rated / n_pairs[group]
    influence = rows.sum_by_rater(factor[who] * slope)
    return _one_minus_ratio(rows, basics, expected, influence)


def sum_by_group(cells: Margins, group: IntArray, n_groups: int) -> FloatArray:
    """Add up the cells of the subjects of each group, shape (G, K)."""
    k = cells.n_categories
    place = group[cells.subject] * k + cells.category
    return sums_at(place, cells.count, n_groups * k).reshape(n_groups, k)


def krippendorff(rows: Rows, scale: Scale, basics: Basics) -> Functional:
    """Pairs of ratings weigh alike, and so do all pairable ratings (Krippendorff, 1970).

    The small-sample factor (N - 1) / N of N pairable ratings is held fixed in the
    influence values: it is no property of the distribution of the items.
    """
    paired, n = basics.paired.astype(np.float64), basics.n_paired
    with np.errstate(divide="ignore", invalid="ignore"):
        of_item = np.where(basics.paired, basics.apart / (rows.n_ratings - 1), 0.0)
        observed = rows.total(of_item) / n
        per_item = rows.total(paired * rows.n_ratings) / n
        shares = rows.margins(paired) / n[:, None]
        n_ratings = n * per_item
        factor = np.where(n_ratings > 1, (n_ratings - 1) / n_ratings, np.nan)  # a second to draw
        slope = scale.spread(shares)
        expected = (shares * slope).sum(axis=-1)
        known = np.where(expected > 0, expected, np.nan)
        ratio = observed * per_item / known
        estimate = one_minus(factor * ratio)
        group = rows.group
        influence = (
            (of_item - observed[group]) * per_item[group]
            + observed[group] * (rows.n_ratings - per_item[group])
            - 2 * ratio[group] * (rows.sum_of(slope) - expected[group])
        ) / known[group]
        influence = -(factor * rows.n_items / n)[group] * paired * influence
        by_chance = expected / per_item**2 / factor
        return Functional(estimate, observed / per_item, by_chance, influence)


def krippendorff_ordinal(rows: Rows, scale: Scale, basics: Basics) -> Functional:
    """Krippendorff's alpha with Krippendorff's ordinal metric (Krippendorff, 2004).

    The squared distance is that of the mean ranks of the categories among all pairable
    ratings, so that the metric itself depends on the ratings; `scale` gives no more than
    the order. The influence values include what an item does to the ranks.
    """
    paired = basics.paired.astype(np.float64)
    times = rows.margins(paired)
    ranks = np.cumsum(times, axis=-1) - times / 2
    ranked = replace(scale, weighting=WEIGHTS["quadratic"], scores=ranks)
    found = krippendorff(rows, ranked, replace(basics, apart=disagreement_within(rows, ranked)))
    to_scale = scale.largest / ranked.largest
    through_ranks = _influence_through_ranks(rows, basics, ranks, times)
    return Functional(
        found.estimate,
        found.observed * to_scale,
        found.expected * to_scale,
        found.influence + through_ranks,
    )


def _influence_through_ranks(
    rows: Rows, basics: Basics, ranks: FloatArray, times: FloatArray
) -> FloatArray:
    """Influence of each row on alpha through the mean ranks of the categories, (U,).

    With alpha = 1 - f * D / E, D the sum of the squared rank distances within the items
    and E that of all pairs of ratings, it is the gradient by the ranks times the change
    of the ranks: an item lifts the rank of every category above its ratings by one.
    """
    paired, r = basics.paired.astype(np.float64), rows.n_ratings
    n_ratings = times.sum(axis=-1, keepdims=True)
    with np.errstate(divide="ignore", invalid="ignore"):
        each = np.where(basics.paired, 1 / (r - 1), 0.0)
        own = ranks * rows.margins(each * r) - rows.margins(each * rows.sum_of(ranks))
        within = 2 * (ranks * own).sum(axis=-1, keepdims=True)
        other = times * (ranks * n_ratings - (ranks * times).sum(axis=-1, keepdims=True))
        across = 2 * (ranks * other).sum(axis=-1, keepdims=True)
        gradient = -4 * (n_ratings - 1) * (own - within * other / across) / across
        # An item lifts the mean rank of its own category by half.
        above = np.cumsum(gradient[:, ::-1], axis=-1)[:, ::-1] - gradient / 2
        return rows.n_items[rows.group] * paired * rows.sum_of(above)


def agreeing(rows: Rows, drawn: Drawn, basics: Basics) -> Agreeing:
    """Describe many raters whose chance has the shares of all ratings: see `Agreeing`."""
    shares, slope = drawn.shares, drawn.apart
    expected = (shares * slope).sum(axis=-1)
    of_slope = (shares * slope**2).sum(axis=-1) - expected**2
    of_pair = (shares * drawn.scale.spread(shares, power=2)).sum(axis=-1) - expected**2
    varied = 1 - (shares**2).sum(axis=-1)
    n, pairs = basics.n_paired, rows.n_ratings * (rows.n_ratings - 1)
    with np.errstate(divide="ignore", invalid="ignore"):  # no item has two ratings
        each_pair = np.where(basics.paired, 1 / pairs, 0.0)
        shared = 4 * of_slope / expected**2
        at_chance = 2 * rows.total(each_pair) / n * (of_pair - 2 * of_slope) / expected**2
        return Agreeing(n, varied, at_chance, slope=shared * basics.share, shared=shared)


def weighed(model: Agreeing, rows: Rows, name: str) -> Agreeing:
    """Put in the variance at chance that a coefficient has where ratings are missing.

    Two ratings of an item vary alone by their disagreement, less what each of them expects. Fleiss'
    and Conger's coefficients weigh items alike, alpha by their ratings, and Light's kappa every two
    ratings by the joint items of their raters.

    A rating that weighs as much in the shares as in pairs cancels out; in Fleiss' kappa one without
    another on the same item does not, nor in Conger's one of a rater who rated fewer items than
    others. What is added is the mean square of the difference of the two weights of the ratings of
    an item, in units of what is shared.
    """
    if (rows.n_ratings == rows.n_raters).all():
        return model
    paired = rows.n_ratings > 1
    joint, r = rows.total(paired), np.where(paired, rows.n_ratings, 2.0)
    with np.errstate(divide="ignore", invalid="ignore"):  # no item has two ratings
        per_pair = rows.total(paired / (r * (r - 1)))
        if name in {"fleiss", "conger"}:
            added = joint * _unmatched(rows, joint, name) / rows.n_items**2
            return replace(model, at_chance=model.at_chance + added * model.shared)
        if name == "light":
            factor = joint**2 * mean_reciprocal(rows) / (2 * per_pair)
        else:
            factor = (
                (joint / rows.total(paired * r)) ** 2 * rows.total(paired * r / (r - 1)) / per_pair
            )
    return replace(model, at_chance=model.at_chance * factor)


def _unmatched(rows: Rows, joint: FloatArray, name: str) -> FloatArray:
    """Square the weight of each rating in the shares less that in pairs, summed over rows, (G,)."""
    each = np.where(rows.n_ratings > 0, 1 / rows.n_ratings, 0.0)
    within = np.where(rows.n_ratings > 1, each * (rows.n_items / joint)[rows.group], 0.0)
    if name == "fleiss":
        return rows.total(rows.n_ratings * (each - within) ** 2)
    subject, margins = rows.by_rater.occurring()
    group, who = subject // rows.n_raters, margins.subject
    n_raters = np.bincount(group, minlength=rows.n_groups)
    own = (rows.n_items[group] / margins.total(margins.count) / n_raters[group])[who]
    square = np.bincount(group[who], margins.count * own**2, minlength=rows.n_groups)
    others = within * (rows.n_ratings * within - 2 * rows.sum_by_rater(own))
    return np.maximum(square + rows.total(others), 0.0)


def shares_of(rows: Rows, basics: Basics) -> FloatArray:
    """Shares of the categories, shape (G, K).

    They are averaged over items with a rating, or over all ratings of items with two.
    """
    return rows.shares_by_items if basics.by_items else rows.shares_by_ratings


def _influence_of_shares(
    rows: Rows, basics: Basics, slope: FloatArray, shares: FloatArray
) -> FloatArray:
    """Influence of each row on a function of the shares with the given derivative, (U,)."""
    centre = (shares * slope).sum(axis=-1)[rows.group]
    found = rows.sum_of(slope)
    with np.errstate(divide="ignore", invalid="ignore"):  # a row without ratings
        if basics.by_items:
            return np.where(rows.n_ratings > 0, found / rows.n_ratings - centre, 0.0)
        per_item = rows.total(basics.paired * rows.n_ratings) / rows.n_items
        return basics.paired * (found - rows.n_ratings * centre) / per_item[rows.group]


def _one_minus_ratio(
    rows: Rows, basics: Basics, expected: FloatArray, of_expected: FloatArray
) -> Functional:
    """One minus observed over expected disagreement, and its influence values."""
    expected = np.where(basics.n_paired > 0, expected, np.nan)  # of no two raters
    group = rows.group
    with np.errstate(divide="ignore", invalid="ignore"):
        observed = basics.sums[0] / basics.n_paired
        known = np.where(expected > 0, expected, np.nan)
        estimate = one_minus(observed / known)
        factor = (rows.n_items / basics.n_paired)[group]
        of_observed = np.where(basics.paired, factor * (basics.each - observed[group]), 0.0)
        influence = ((1 - estimate)[group] * of_expected - of_observed) / known[group]
    return Functional(estimate, observed, expected, influence)


def _of_shares(
    pair: str, spoken: str = "", synonyms: tuple[str, ...] = (), source: str = ""
) -> Multirater:
    """Make the row of a coefficient of pairs that is the same for all raters."""
    row = COEFFICIENTS[pair]
    return Multirater(
        corrected_by(row.chance),
        spoken or row.spoken,
        synonyms,
        row.chance,
        of_margins=row.of_margins,
        source=source or row.source,
    )


MULTIRATER: dict[str, Multirater] = {
    "percent": _of_shares("percent"),
    "brennan_prediger": _of_shares("brennan_prediger", synonyms=("randolph",)),
    "fleiss": _of_shares(
        "scott", "Fleiss' kappa (Scott's pi for several raters)", source="Fleiss, 1971"
    ),
    "conger": Multirater(
        conger, "Conger's kappa", of_persons=True, of_margins=True, source="Conger, 1980"
    ),
    "light": Multirater(
        light,
        "Light's kappa (the mean of the pairs' Cohen's kappas)",
        of_persons=True,
        of_margins=True,
        source="Light, 1971",
    ),
    "gwet": _of_shares("gwet", synonyms=("ac1", "ac2")),
    "krippendorff": Multirater(
        krippendorff,
        "Krippendorff's alpha",
        ("alpha",),
        of_margins=True,
        source="Krippendorff, 1970",
    ),
}
# One that is new in `COEFFICIENTS` needs no row here, unless it is none of shares.
MULTIRATER |= {
    row.many: _of_shares(name, synonyms=row.synonyms)
    for name, row in COEFFICIENTS.items()
    if row.many not in MULTIRATER
}
