"""Agreement on each category and on each cut of an ordered scale: `categories`."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any, NamedTuple, get_args

import numpy as np

from pdkappa._typing import Additive
from pdkappa.coefficients.all_raters import FEWEST_AT_ONCE, MULTIRATER, PRODUCT, basics_of, is_dense
from pdkappa.coefficients.all_raters_estimates import compute_many, guarded_light
from pdkappa.coefficients.chance import COEFFICIENTS, FEWEST_ITEMS
from pdkappa.coefficients.influence import standard_error
from pdkappa.coefficients.pair_counts import PairCounts, PairMargins
from pdkappa.coefficients.pair_estimates import summarise
from pdkappa.coefficients.score_limits import degrees_of, half_width, one_minus, positive
from pdkappa.coefficients.sparse_rows import joints, margins_of, margins_of_all, pair_margins, wide
from pdkappa.coefficients.weights import NOMINAL, Scale
from pdkappa.methods.estimates import asked as has
from pdkappa.methods.estimates.asks import asks
from pdkappa.methods.estimates.pair_frames import framed, warn_if_undefined
from pdkappa.methods.estimates.study import check_cells, read
from pdkappa.methods.estimates.together import of_two, warn_if_biased
from pdkappa.present import schema
from pdkappa.present.text_tables import Result, tidy

if TYPE_CHECKING:
    import pandas as pd

    from pdkappa._typing import BoolArray, FloatArray, IntArray, ObjectArray
    from pdkappa.coefficients.all_raters import MultiraterModel
    from pdkappa.coefficients.influence import Functional
    from pdkappa.coefficients.rating_rows import RatingRows, Rows
    from pdkappa.coefficients.sparse_rows import Joint
    from pdkappa.methods.estimates.study import Study
    from pdkappa.ratings.coded import Counted
    from pdkappa.ratings.long_ratings import Listed

ADDITIVE = get_args(Additive)
A_PAIR = 2


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
    estimate : ndarray of float
        Agreement on this against the rest; NaN where all ratings fall on one side.
    weight : ndarray of float
        Part of the expected disagreement; the weights add up to one.
    specific_agreement : ndarray of float
        Given one rating in this category, the share of the other ratings that are in it, too.
    by_chance : ndarray of float
        What two raters disagree by chance, averaged over the pairs who do not both keep to one
        side; NaN where there is no such pair.
    pairs : PairMargins or None
        The counts of every pair of raters, of a single group where they are few beside its ratings.
    """

    n_ratings: FloatArray
    pooled_share: FloatArray
    prevalence: FloatArray
    bias: FloatArray
    estimate: FloatArray
    weight: FloatArray
    specific_agreement: FloatArray
    by_chance: FloatArray
    pairs: PairMargins | None


def scale_parts(
    rows: Rows, name: str, gaps: FloatArray | None = None, *, cumulative: bool = False
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
    once = rows.n_groups == 1 and is_dense(rows)  # tables that fit in memory, and are used twice
    pairs = margins_of_all(rows.in_units(), cumulative=cumulative) if once else None
    of_pairs = _parts_of_pairs(rows, each, pairs, cumulative=cumulative)
    observed, expected = of_pairs.observed, of_pairs.expected
    if name != "light":
        observed, expected = _parts_of_all(rows, name, each, cumulative=cumulative)
    with np.errstate(divide="ignore", invalid="ignore"):
        kappa = one_minus(observed / positive(expected))
        weight = expected / positive(expected.sum(axis=-1, keepdims=True))
    counts = rows.margins(np.ones(len(rows.count)))
    n_ratings = counts.sum(axis=-1, keepdims=True)
    counts = np.cumsum(counts, axis=-1) if cumulative else counts
    with np.errstate(invalid="ignore"):  # no ratings
        share = counts / n_ratings
    prevalence, bias = _mean_and_range(rows, cumulative=cumulative)
    return ScaleParts(
        n_ratings=counts,
        pooled_share=share,
        prevalence=prevalence,
        bias=bias,
        estimate=kappa,
        weight=weight,
        specific_agreement=of_pairs.specific_agreement,
        by_chance=of_pairs.by_chance,
        pairs=pairs,
    )


def shares_of_raters(rows: Rows) -> tuple[IntArray, FloatArray]:
    """Share of the ratings of each rater in each category, for those who rated in a group.

    Returns
    -------
    subject : ndarray of int, shape (S,)
        Rater r of group g as ``g * R + r``, ascending.
    shares : ndarray of float, shape (S, K)
    """
    subject, cells = rows.by_rater.occurring()
    counts = cells.dense()
    return subject, counts / counts.sum(axis=-1, keepdims=True)


def _mean_and_range(rows: Rows, *, cumulative: bool) -> tuple[FloatArray, FloatArray]:
    """Average the shares of those who rated in a group, and tell how far apart they are, (G, K).

    Of two raters, it is by how much the first one's are larger; NaN if not both rated.
    """
    subject, shares = shares_of_raters(rows)
    shares = np.cumsum(shares, axis=-1) if cumulative else shares
    group, first = np.unique(subject // rows.n_raters, return_index=True)
    mean, spread = np.full((2, rows.n_groups, rows.n_categories), np.nan)
    if len(group):
        number = np.diff(first, append=len(subject))[:, None]
        mean[group] = np.add.reduceat(shares, first) / number
        spread[group] = np.maximum.reduceat(shares, first) - np.minimum.reduceat(shares, first)
        if rows.n_raters == A_PAIR:
            both = number[:, 0] == A_PAIR
            spread[group] = np.nan
            spread[group[both]] = shares[first[both]] - shares[first[both] + 1]
    return mean, spread


def _added_up(values: FloatArray, group: IntArray, n_groups: int) -> FloatArray:
    """Sum values of pairs, shape (S, K), over the pairs of each group, shape (G, K)."""
    k = values.shape[1]
    place = (group[:, None] * k + np.arange(k)).reshape(-1)
    sums = np.bincount(place, values.reshape(-1), n_groups * k)
    return sums.astype(np.float64, copy=False).reshape(n_groups, k)


class _OfPairs(NamedTuple):
    """Sums and means over the pairs of raters, (G, K)."""

    observed: FloatArray  # disagreement, relative to all that the pair expects
    expected: FloatArray
    by_chance: FloatArray  # see `ScaleParts`
    specific_agreement: FloatArray


def _parts_of_pairs(
    rows: Rows, gaps: FloatArray, pairs: PairMargins | None, *, cumulative: bool
) -> _OfPairs:
    """Go through all pairs once."""
    observed, expected, chance, apart, agree, named = np.zeros((6, *gaps.shape))
    known = None if pairs is None else [(np.zeros(len(pairs.n), dtype=np.int64), pairs)]
    for group, pair in known or pair_margins(rows.in_units(), cumulative=cumulative):
        each, g = gaps[group], rows.n_groups
        by_chance = pair.row * pair.above_col + pair.col * pair.above_row
        found = each * pair.n * ((pair.row - pair.both) + (pair.col - pair.both))
        total = (each * by_chance).sum(axis=-1, keepdims=True)
        size = np.divide(1.0, total, out=np.zeros_like(total), where=total > 0)
        observed += _added_up(found * size, group, g)
        expected += _added_up(each * by_chance * size, group, g)
        chance += _added_up(np.nan_to_num(by_chance / positive(pair.n) ** 2), group, g)
        apart += _added_up(np.sign(by_chance), group, g)
        agree += _added_up(2 * pair.both, group, g)
        named += _added_up(pair.row + pair.col, group, g)
    with np.errstate(divide="ignore", invalid="ignore"):  # no such pair, or rating
        return _OfPairs(observed, expected, chance / apart, agree / named)


def _parts_of_all(
    rows: Rows, name: str, gaps: FloatArray, *, cumulative: bool
) -> tuple[FloatArray, FloatArray]:
    """Observed and expected disagreement on each category, or cut, of all raters together."""
    observed, expected = np.zeros(gaps.shape), np.zeros(gaps.shape)
    for k in range(rows.n_categories):
        if gaps[:, k].any():
            _, found = dichotomised(rows, name, k, cumulative=cumulative)
            unknown = np.isnan(found.observed) | np.isinf(found.expected)  # for all k alike
            observed[:, k] = gaps[:, k] * found.observed
            by_chance = np.where(unknown, np.nan, np.nan_to_num(found.expected))
            expected[:, k] = gaps[:, k] * by_chance
    return observed, expected


def dichotomised(rows: Rows, name: str, k: int, *, cumulative: bool) -> tuple[Rows, Functional]:
    """Estimate a coefficient of one category, or all up to it, against the rest."""
    two = dichotomy(rows, k, cumulative=cumulative)
    return two, MULTIRATER[name](two, TWO_CLASSES, basics_of(two, TWO_CLASSES))


def dichotomy(rows: Rows, k: int, *, cumulative: bool) -> Rows:
    """Put ratings into two classes: one category, or all up to it, and the rest."""
    places = np.arange(rows.n_categories)
    rest = (places > k if cumulative else places != k).astype(np.int64)
    return rows.recoded(rest, 2)


def gaps_of(scale: Scale, n_groups: int) -> FloatArray:
    """Distance of each category in use to the next one; 0 for the last and others, (G, K)."""
    shape = (n_groups, scale.scores.shape[-1])
    scores, used = np.broadcast_to(scale.scores, shape), np.broadcast_to(scale.in_use, shape)
    gaps = np.zeros(shape)
    for group in range(n_groups):
        places = np.flatnonzero(used[group])
        gaps[group, places[:-1]] = np.abs(np.diff(scores[group, places]))
    return gaps


LARGEST_BLOCK = 1 << 22  # influence values that are held at once
TWO_CLASSES = Scale(NOMINAL, np.array([[1.0, 2.0]]), np.ones((1, 2), dtype=bool))


class ScaleLimits(NamedTuple):
    """How sure the agreement on each category, or cut, is; every field of shape (G, K)."""

    se: FloatArray
    ci_low: FloatArray
    ci_high: FloatArray


def scale_limits(
    rows: Rows,
    name: str,
    parts: ScaleParts,
    gaps: FloatArray | None = None,
    *,
    cumulative: bool = False,
    level: float,
    ci: str = "auto",
) -> ScaleLimits:
    """Say how sure each estimate of `scale_parts` is, which takes the same arguments.

    Of two raters, Light's kappa of a category is Cohen's kappa of a 2 x 2 table, with its
    standard error and limits, and other coefficients are those of all raters, of two categories.
    Of more raters, the standard error of Light's is that of the influence values of the items (the
    delta method), and its limits are guarded as those of Light's kappa of two categories.
    """
    nested = rows.cluster is not None
    if name == "light" and rows.n_raters == A_PAIR and not nested:
        return _of_two(rows, cumulative=cumulative, level=level, ci=ci)
    if name != "light":
        return _of_all(rows, name, parts, cumulative=cumulative, level=level, ci=ci)
    shape = parts.estimate.shape
    each = np.ones(shape) if gaps is None else np.broadcast_to(gaps, shape)
    n = rows.total(rows.n_ratings > 1)[:, None]
    unknown = np.isnan(parts.estimate) | (n < FEWEST_ITEMS)
    own = [rows, rows.with_rows(cluster=None, spread=None)] if nested else [rows]
    found = [_of_light(one, parts, each, cumulative=cumulative) for one in own]
    se, alone = (np.where(unknown, np.nan, found[place]) for place in (0, -1))
    if ci == "wald":
        half = half_width(level, degrees_of(rows.units))[:, None] * se
        low, high = parts.estimate - half, parts.estimate + half
        return ScaleLimits(se, np.maximum(low, -1.0), np.minimum(high, 1.0))
    limits = np.full((2, *shape), np.nan)
    known = np.where(unknown, np.nan, parts.estimate)
    for k in range(shape[1]):
        two = dichotomy(rows, k, cumulative=cumulative)
        about, errors = (known[:, k], parts.by_chance[:, k]), (se[:, k], alone[:, k])
        limits[:, :, k] = guarded_light(two, TWO_CLASSES, about, errors, level)
    return ScaleLimits(se, *limits)


def _of_all(
    rows: Rows, name: str, parts: ScaleParts, *, cumulative: bool, level: float, ci: str
) -> ScaleLimits:
    """Take the limits of all raters for each category, or cut, against the rest."""
    limits = np.full((len(ScaleLimits._fields), *parts.estimate.shape), np.nan)
    for k in range(parts.estimate.shape[1]):
        two = dichotomy(rows, k, cumulative=cumulative)
        models: dict[str, MultiraterModel] = {name: MULTIRATER[name]}
        known = compute_many(two, TWO_CLASSES, models, by_items=True, ci=ci)
        found = known.summaries(ci=ci, level=level)
        limits[:, :, k] = [getattr(found[name], field) for field in ScaleLimits._fields]
    return ScaleLimits(*np.where(np.isnan(parts.estimate), np.nan, limits))


def _of_two(rows: Rows, *, cumulative: bool, level: float, ci: str) -> ScaleLimits:
    """Estimate Cohen's kappa of the table of each category, or cut, against the rest."""
    [(_, pair)] = pair_margins(rows, cumulative=cumulative)
    one, other = pair.row - pair.both, pair.col - pair.both
    tables = np.stack([pair.both, one, other, pair.n - pair.both - one - other], axis=-1)
    counts = PairCounts.from_tables(tables.reshape(-1, 2, 2))
    needed = frozenset({"se", "ci_low", "ci_high"})
    found = summarise(counts, TWO_CLASSES, COEFFICIENTS["cohen"], ci=ci, level=level, needed=needed)
    shape = pair.row.shape
    return ScaleLimits(*(getattr(found, name).reshape(shape) for name in ScaleLimits._fields))


def _of_light(rows: Rows, parts: ScaleParts, gaps: FloatArray, *, cumulative: bool) -> FloatArray:
    """Return standard errors of a mean over the pairs, shape (G, K)."""
    shape, block = gaps.shape, max(LARGEST_BLOCK // max(len(rows.count), 1), 1)
    se = np.zeros(shape)
    units = rows.in_units()
    of_pairs = _of_products if is_dense(rows) else _of_joints
    for first in range(0, shape[1], block):
        places = np.arange(first, min(first + block, shape[1]))
        influence, expected = of_pairs(units, gaps, parts, places, cumulative=cumulative)
        for number, k in enumerate(places):
            by_chance = positive(expected[:, k])[rows.group]
            se[:, k] = standard_error(rows, -influence[number] / by_chance)
    return se


def _of_joints(
    units: Rows, gaps: FloatArray, parts: ScaleParts, places: IntArray, *, cumulative: bool
) -> tuple[FloatArray, FloatArray]:
    """Add up the influence of the items on some places, and what is expected, pair by pair."""
    influence, expected = np.zeros((len(places), len(units.count))), np.zeros(gaps.shape)
    ratio = np.nan_to_num(1 - parts.estimate)
    for joint in joints(units):
        pair, of_group = margins_of(joint, cumulative=cumulative), joint.group
        each = gaps[of_group]
        shares = _shares(pair, each)
        expected += joint.sum(shares.expected, units.n_groups)
        weight = units.n_items[of_group] / positive(pair.n[:, 0])
        terms = _terms(shares, each, ratio[of_group], weight[:, None], cumulative=cumulative)
        at = _influence(joint, terms, places, cumulative=cumulative)
        for of_rows, values in zip(influence, at, strict=True):
            joint.add_to(of_rows, values)
    return influence, expected


BLOCK = 1 << 17  # places of a matrix of some rows


def _of_products(
    units: Rows, gaps: FloatArray, parts: ScaleParts, places: IntArray, *, cumulative: bool
) -> tuple[FloatArray, FloatArray]:
    """Do the same by products of matrices for each group."""
    influence, expected = np.zeros((len(places), len(units.count))), np.zeros(gaps.shape)
    ratio = np.nan_to_num(1 - parts.estimate)
    for group in range(units.n_groups):
        own = np.flatnonzero(units.group == group)
        rows = wide(units).as_one_group(own)
        each = gaps[[group]]
        pair = parts.pairs or margins_of_all(rows, cumulative=cumulative)
        shares = _shares(pair, each)
        expected[group] = shares.expected.sum(axis=0)
        weight = np.nan_to_num(rows.n_items / positive(pair.n))  # pairs that share no item
        terms = _terms(shares, each, ratio[[group]], weight, cumulative=cumulative)
        influence[:, own] = _of_rows(rows, terms, places, cumulative=cumulative)
    return influence, expected


def _of_rows(rows: RatingRows, terms: _Terms, places: IntArray, *, cumulative: bool) -> FloatArray:
    """Compute the influence of U rows of all raters on some places, shape (places, U).

    What a pair of ratings does is what each does beside the other rater, whatever that one's
    rating is, but for `apart`, which counts if one of the two is at the place: the sum over the
    pairs is a product of the ratings, as zeros and ones, with a matrix, and a quadratic form.
    """
    (n_raters, n_rows), k = rows.codes.shape, rows.n_categories
    sides = np.triu_indices(n_raters, 1)

    def squared(one: FloatArray, other: FloatArray) -> FloatArray:
        """Put a term of the pairs, (S, ...), where the two raters of each meet, (R, R, ...)."""
        found = np.zeros((n_raters, n_raters, one.shape[1]))
        found[sides], found[sides[::-1]] = one, other
        return found

    alone, in_total, on_one, on_other, apart = (term[:, places] for term in terms[:5])
    alone = (alone - in_total * terms.mean[:, None]) / 2
    is_at = (np.triu(np.ones((k, k))) if cumulative else np.eye(k))[:, places]
    matrix = (
        squared(terms.of_one, terms.of_other)[..., None] * squared(in_total, in_total)[:, :, None]
    )
    matrix += squared(alone, alone)[:, :, None]
    matrix += squared(on_one + apart, on_other + apart)[:, :, None] * is_at
    matrix, is_complete = matrix.transpose(2, 0, 1, 3), bool((rows.codes >= 0).all())
    matrix = matrix.sum(axis=2) if is_complete else matrix.reshape(k, n_raters, -1)
    both = np.ascontiguousarray(squared(apart, apart).transpose(2, 0, 1))
    influence = np.zeros((len(places), n_rows))
    step = width = max(min(BLOCK // max(n_raters * k, matrix.shape[2]), n_rows), 1)
    if is_complete:  # few rows to a product: threads would make a small one slower
        width = min(max(PRODUCT // max(n_raters**2, matrix.size), FEWEST_AT_ONCE), step)
    step = -(-step // width) * width
    levels = np.arange(k, dtype=rows.codes.dtype)[:, None, None, None]
    for start in range(0, n_rows, step):
        codes = rows.codes[:, start : start + step].T
        codes = np.pad(codes, ((0, -len(codes) % width), (0, 0)), constant_values=-1)
        used = (codes.reshape(-1, width, n_raters) == levels).astype(np.float64)
        of_rows = (used @ matrix[:, None]).sum(axis=0).reshape(len(codes), -1)
        if not is_complete:
            of_rows = of_rows.reshape(len(codes), n_raters, -1)
            of_rows = np.einsum("url,ur->ul", of_rows, used.sum(axis=0).reshape(-1, n_raters))
        at = np.cumsum(used, axis=0) if cumulative else used
        for number, place in enumerate(places):
            values = np.einsum("bur,bur->bu", at[place] @ both[number], at[place])
            of_rows[:, number] -= values.reshape(-1)
        influence[:, start : start + step] = of_rows[: n_rows - start].T
    return influence


class _Shares(NamedTuple):
    """What a pair of raters has of each category, or cut; of shape (G, K) but for `size`.

    With shares r and c of a category and b of both, a pair disagrees on it in ``r + c - 2 b``,
    and in ``r (1 - c) + c (1 - r)`` by chance. Both are divided by the sum of the latter over
    the categories, whose reciprocal is `size`, and then summed over the pairs.
    """

    row: FloatArray
    col: FloatArray
    size: FloatArray  # (G, 1)
    observed: FloatArray
    expected: FloatArray


def _shares(pair: PairMargins, gaps: FloatArray) -> _Shares:
    """Turn the counts of a pair into shares."""
    n = positive(pair.n)
    row, col, both = (np.nan_to_num(one / n) for one in (pair.row, pair.col, pair.both))
    chance = gaps * (row * (1 - col) + col * (1 - row))
    total = chance.sum(axis=-1, keepdims=True)
    size = np.divide(1.0, total, out=np.zeros_like(total), where=total > 0)
    return _Shares(row, col, size, gaps * (row + col - 2 * both) * size, chance * size)


class _Terms(NamedTuple):
    """What the influence of an item is made of, for each category or cut; of shape (G, K).

    It is ``alone + total * in_total``, with `on_one` where the first rater put the item there,
    `on_other` where the second did, and `apart` where only one of them did. `total` is that of
    the two categories of an item: the sum of `of_one` at the first and of `of_other` at the
    second, less their `mean`.
    """

    alone: FloatArray
    in_total: FloatArray
    on_one: FloatArray
    on_other: FloatArray
    apart: FloatArray
    of_one: FloatArray
    of_other: FloatArray
    mean: FloatArray  # (G,)


def _terms(
    shares: _Shares, gaps: FloatArray, ratio: FloatArray, weight: FloatArray, *, cumulative: bool
) -> _Terms:
    """Collect the terms of the influence on observed less `ratio` times expected, weighted."""
    size, observed, expected = shares.size, shares.observed, shares.expected
    of_one, of_other = gaps * (1 - 2 * shares.col) * size, gaps * (1 - 2 * shares.row) * size
    mean = of_one * shares.row + of_other * shares.col
    in_all = [
        np.cumsum(each[:, ::-1], axis=-1)[:, ::-1] if cumulative else each
        for each in (of_one, of_other)
    ]
    return _Terms(
        weight * (ratio * mean - observed),
        weight * (ratio * expected - observed),
        -weight * ratio * of_one,
        -weight * ratio * of_other,
        weight * gaps * size,
        of_one=in_all[0],
        of_other=in_all[1],
        mean=mean.sum(axis=-1),
    )


def _influence(joint: Joint, terms: _Terms, places: IntArray, *, cumulative: bool) -> FloatArray:
    """Compute the influence of the J items of a pair on some places, shape (places, J)."""
    group, (one, other) = joint.rows.group, joint.rows.codes
    total = terms.of_one[group, one] + terms.of_other[group, other] - terms.mean[group]
    alone, in_total, *on = (term[:, places].T for term in terms[:5])
    several = len(joint.group) > 1
    result: FloatArray = (in_total[:, group] if several else in_total) * total
    result += alone[:, group] if several else alone
    if cumulative:
        is_one, is_other = one <= places[:, None], other <= places[:, None]
        for term, where in zip(on, (is_one, is_other, is_one != is_other), strict=True):
            result += np.where(where, term[:, group], 0.0)
        return result
    apart = np.where(one == other, 0.0, 1.0)
    first = places[0]
    for codes, own in ((one, on[0]), (other, on[1])):
        [items] = np.nonzero((codes >= first) & (codes <= places[-1]))
        here, of_items = codes[items] - first, group[items]
        result[here, items] += own[here, of_items] + apart[items] * on[2][here, of_items]
    return result


def whether_defined(
    study: Study, groups: IntArray, undefined: BoolArray, n_joint: FloatArray
) -> ObjectArray:
    """Say why a row has no coefficient; empty text where it has one."""
    reason = np.full(groups.shape, "", dtype=object)
    reason[undefined] = "constant_ratings"
    reason[undefined & (n_joint == 0)[groups]] = "no_joint_items"
    return unless_empty(study, groups, reason)


def unless_empty(study: Study, groups: IntArray, reason: ObjectArray) -> ObjectArray:
    """Put why a group has no ratings before any other reason of its rows."""
    empty = study.groups.why_empty()[groups]
    return np.where(empty == "", reason, empty)


class OfCategories(has.Raters, has.By, has.Additive, has.Categories, has.Units, has.PlainLimits):
    """Options of `categories`."""


@asks(
    OfCategories,
    ci='"auto": those of `pairs` or `agreement` for the category against the rest. "wald": '
    "the estimate plus and minus quantiles of `se`.",
)
def categories(data: pd.DataFrame | Counted | Listed, asked: OfCategories) -> Result:
    """Show how well the raters agree on each category against the rest, or on each cut.

    Which categories do the raters tell apart, and which do they confuse? And where on an ordered
    scale do they disagree: about what passes, or about what excels?

    Returns
    -------
    DataFrame
        One row for each category (and group), or for each category but the highest with what
        holds for the ratings up to this one against those above:

        - ``n_ratings``;
        - ``prevalence``: the share of the category, averaged over the raters;
        - ``bias``: for two raters, the share of the first minus that of the second; for more, the
          largest share minus the smallest; NaN if raters are unknown, as in `from_counts`, where
          `prevalence` is the share of all ratings;
        - ``estimate``: kappa of this category against all others together, or of the two sides of
          the cut, at most 1;
        - ``se, ci_low, ci_high``: its standard error and limits: for two raters those of
          `pairs`, for more those of the delta method and of `agreement`, also with `cluster`;
        - ``weight``: its part of the disagreement expected by chance; these add up to one,
          and the mean of `estimate` with them is the nominal coefficient, or that with linear
          weights [2]_, exactly;
        - ``specific_agreement``: the probability that another rating of the item is in the
          category, if one is, in [0, 1];
        - ``reason`` for a kappa that is NaN: ``no_items``, ``no_joint_items``,
          ``constant_ratings`` (nobody used the category, or nobody another one); or for a
          standard error that is: ``n_lt_2``, ``constant_rater``.

    Raises
    ------
    CategoryError
        If cuts are asked for, and the order of the categories is not known.

    See Also
    --------
    cells : Which two categories are confused.

    Notes
    -----
    With ``n[k, k]`` items on which two raters agree, specific agreement is
    ``2 n[k, k] / (n[k, .] + n[., k])``, which is F1; for more raters, or missing ratings,
    both sums run over all pairs of raters. Light's kappa is split within each pair of
    raters, and `estimate` is the mean over the pairs with the weights of the category in
    each.

    References
    ----------
    .. [1] Fleiss, 1971
    .. [2] Vanbelle & Albert, 2009

    Examples
    --------
    >>> df = pdkappa.datasets.load_psychiatric_diagnoses()
    >>> found = df.kappa.categories(coefficient="fleiss")
    >>> found[["estimate", "prevalence", "weight", "specific_agreement"]].round(3)
                          estimate  prevalence  weight  specific_agreement
    category
    Depression               0.245       0.144   0.158               0.354
    Personality Disorder     0.245       0.144   0.158               0.354
    Schizophrenia            0.520       0.167   0.178               0.600
    Neurosis                 0.471       0.306   0.272               0.633
    Other                    0.566       0.239   0.233               0.670

    The weighted mean is Fleiss' kappa:

    >>> print(f"{(found['estimate'] * found['weight']).sum():.3f}")
    0.430

    On which cut of the scale do two raters of anxiety disagree?

    >>> df = pdkappa.datasets.load_anxiety()
    >>> found = df.kappa.categories(["rater_1", "rater_2"], kind="cut")
    >>> found[["estimate", "prevalence", "bias", "weight"]].round(3)
         estimate  prevalence  bias  weight
    cut
    1       0.643       0.075  0.05   0.095
    2       0.565       0.350  0.10   0.311
    3      -0.023       0.675 -0.05   0.297
    4      -0.167       0.825 -0.15   0.203
    5      -0.071       0.925  0.05   0.095
    """
    reading, identity = asked.reading, MULTIRATER[asked.coefficient].of_persons
    reading = reading if asked.kind == "category" else replace(reading, weights="linear")
    study = read(data, asked.raters, reading, needs_identity=identity, of_crowds=True)
    check_cells(study)
    warn_if_biased(study, asked.coefficient)
    frame = category_frame(study, asked.coefficient, asked.level, ci=asked.ci, name=asked.kind)
    warn_if_undefined("kappa", frame["estimate"].isna(), frame["reason"])
    return tidy(frame, study.named_raters)


def additive(name: str) -> str:
    """Name the coefficient that is split: the same if it can be, or else Light's."""
    return name if name in ADDITIVE else "light"


def category_frame(
    study: Study, coefficient: str, level: float, *, ci: str = "auto", name: str = "category"
) -> pd.DataFrame:
    """Return one row for each category, or cut between categories, in each group if there are."""
    gaps = gaps_of(study.scale, study.n_groups) if name == "cut" else None
    figures, two = _figures_of(study, coefficient, gaps, level=level, ci=ci), of_two(study)
    if two is not None and two.study is not study:
        own = _figures_of(two.study, coefficient, gaps, level=level, ci=ci)
        here = two.groups[:, None]
        figures = {key: np.where(here, own[key], rest) for key, rest in figures.items()}
    keep = study.in_use if gaps is None else study.in_use & (gaps > 0)
    return _scale_frame(study, figures, keep, name)


def _figures_of(
    study: Study, coefficient: str, gaps: FloatArray | None, *, level: float, ci: str
) -> dict[str, FloatArray]:
    """Compute what holds for each category, or cut if there are gaps, of each group, (G, K)."""
    rows, is_cut = study.ratings.compressed, gaps is not None
    parts = scale_parts(rows, coefficient, gaps, cumulative=is_cut)
    limits = scale_limits(rows, coefficient, parts, gaps, cumulative=is_cut, level=level, ci=ci)
    if study.coded.nameless:  # of which nothing compares the raters
        unknown = np.full(parts.bias.shape, np.nan)
        parts = parts._replace(prevalence=parts.pooled_share, bias=unknown)
    known = parts._asdict() | limits._asdict()
    return {key: known[key] for key in schema.CATEGORIES[:-2]}


def _scale_frame(
    study: Study, figures: dict[str, FloatArray], keep: BoolArray, name: str
) -> pd.DataFrame:
    """Show what holds for each category, or cut, of the scale of each group."""
    groups, places = np.nonzero(keep)
    columns: dict[str, Any] = {key: one[groups, places] for key, one in figures.items()}
    n_joint = study.ratings.total(study.ratings.n_ratings > 1)
    reason = whether_defined(study, groups, np.isnan(columns["estimate"]), n_joint)
    unsure = (reason == "") & np.isnan(columns["se"] + columns["ci_low"])
    few = (n_joint < FEWEST_ITEMS)[groups]
    columns["reason"] = np.where(unsure, np.where(few, "n_lt_2", "constant_rater"), reason)
    labels = study.coded.categories.index().rename(name)
    return framed(columns, study.groups.index(groups, [labels.take(places)]))
