"""Rows of ratings -> standard errors and limits of agreement on each category, or cut."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from pdkappa.coefficients.all_raters import Basics, agreeing_at, shares_of, weighed
from pdkappa.coefficients.chance import COEFFICIENTS
from pdkappa.coefficients.influence import standard_error
from pdkappa.coefficients.intervals import Limits
from pdkappa.coefficients.pair_counts import PairCounts
from pdkappa.coefficients.pair_estimates import summarise
from pdkappa.coefficients.score_limits import positive
from pdkappa.coefficients.weights import NOMINAL, Scale
from pdkappa.methods.drilldown.core.categories import A_PAIR, dichotomised, pair_margins

if TYPE_CHECKING:
    from pdkappa._typing import FloatArray, IntArray
    from pdkappa.coefficients.rating_rows import Rows
    from pdkappa.coefficients.score_limits import Agreeing
    from pdkappa.coefficients.sparse_rows import Joint
    from pdkappa.methods.drilldown.core.categories import PairMargins, ScaleParts

FEWEST_ITEMS = 2
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
) -> ScaleLimits:
    """Say how sure each estimate of `scale_parts` is, which takes the same arguments.

    Of two raters, Light's kappa of a category is Cohen's kappa of a 2 x 2 table, with its
    standard error and limits. Of more, and of the other coefficients, the standard error is
    that of the influence values of the items (the delta method), and limits are those of a
    coefficient of many raters.
    """
    if name == "light" and rows.n_raters == A_PAIR:
        return _of_two(rows, cumulative=cumulative, level=level)
    shape = parts.estimate.shape
    se = np.full(shape, np.nan)
    if name == "light":
        each = np.ones(shape) if gaps is None else np.broadcast_to(gaps, shape)
        se = _of_light(rows, parts, each, cumulative=cumulative)
    else:
        for k in range(shape[1]):
            two, found = dichotomised(rows, name, k, cumulative=cumulative)
            se[:, k] = standard_error(two, found.influence)
    n = np.broadcast_to(rows.total(rows.n_ratings > 1)[:, None], shape)
    se = np.where(np.isnan(parts.estimate) | (n < FEWEST_ITEMS), np.nan, se)
    known = np.where(np.isnan(se), np.nan, parts.estimate)
    pivot = _two_classes(rows, name, cumulative=cumulative).score(known, se)
    limits = Limits(*pivot.limits(level)).around(known, np.full(shape, -1.0))
    return ScaleLimits(se, *limits)


def _two_classes(rows: Rows, name: str, *, cumulative: bool) -> Agreeing:
    """Describe raters who put items into a category, or up to it, or not, shape (G, K)."""
    paired = rows.n_ratings > 1
    basics = Basics(paired, rows.n_items, rows.total(paired), np.zeros(paired.shape), by_items=True)
    shares = shares_of(rows, basics)
    share = np.cumsum(shares, axis=1) if cumulative else shares
    mixed = np.maximum(share * (1 - share), 0.0)
    of_slope = mixed * (1 - 2 * share) ** 2
    model = agreeing_at(rows, 2 * mixed, of_slope, 2 * mixed * (1 - 2 * mixed), 2 * mixed)
    return weighed(model, rows, name)


def _of_two(rows: Rows, *, cumulative: bool, level: float) -> ScaleLimits:
    """Estimate Cohen's kappa of the table of each category, or cut, against the rest."""
    [(_, pair)] = pair_margins(rows, cumulative=cumulative)
    one, other = pair.row - pair.both, pair.col - pair.both
    tables = np.stack([pair.both, one, other, pair.n - pair.both - one - other], axis=-1)
    counts = PairCounts.from_tables(tables.reshape(-1, 2, 2))
    needed = frozenset({"se", "ci_low", "ci_high"})
    found = summarise(
        counts, TWO_CLASSES, COEFFICIENTS["cohen"], ci="auto", level=level, needed=needed
    )
    shape = pair.row.shape
    return ScaleLimits(*(getattr(found, name).reshape(shape) for name in ScaleLimits._fields))


def _of_light(rows: Rows, parts: ScaleParts, gaps: FloatArray, *, cumulative: bool) -> FloatArray:
    """Return standard errors of a mean over the pairs, shape (G, K)."""
    shape, block = gaps.shape, max(LARGEST_BLOCK // max(len(rows.count), 1), 1)
    se, expected = np.zeros((2, *shape))
    ratio, units = np.nan_to_num(1 - parts.estimate), rows.in_units()
    for first in range(0, shape[1], block):
        places = np.arange(first, min(first + block, shape[1]))
        influence = np.zeros((len(places), len(rows.count)))
        for joint, pair in pair_margins(units, cumulative=cumulative):
            of_group, each = joint.group, gaps[joint.group]
            shares = _shares(pair, each)
            expected[:, places] += joint.sum(shares.expected[:, places], rows.n_groups)
            weight = units.n_items[of_group] / positive(pair.n[:, 0])
            terms = _terms(shares, each, ratio[of_group], weight[:, None], cumulative=cumulative)
            at = _influence(joint, terms, places, cumulative=cumulative)
            if joint.is_single and len(joint.places) == influence.shape[1]:
                influence += at
            elif joint.is_single:
                influence[:, joint.places] += at
            else:
                for of_rows, values in zip(influence, at, strict=True):
                    joint.add_to(of_rows, values)
        for number, k in enumerate(places):
            by_chance = positive(expected[:, k])[rows.group]
            se[:, k] = standard_error(rows, -influence[number] / by_chance)
    return se


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
