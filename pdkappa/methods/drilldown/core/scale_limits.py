"""Rows of ratings -> standard errors and limits of agreement on each category, or cut."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from pdkappa.coefficients.chance import COEFFICIENTS
from pdkappa.coefficients.influence import standard_error
from pdkappa.coefficients.intervals import Limits
from pdkappa.coefficients.multirater import Basics, agreeing_at, shares_of, weighed
from pdkappa.coefficients.pair_summary import summarise
from pdkappa.coefficients.rounding import positive
from pdkappa.coefficients.weights import NOMINAL, Scale
from pdkappa.counts.core.pairs import PairCounts
from pdkappa.methods.drilldown.core.categories import A_PAIR, dichotomised, pair_margins

if TYPE_CHECKING:
    from pdkappa._typing import FloatArray, IntArray
    from pdkappa.coefficients.score import Agreeing
    from pdkappa.counts.core.base_rows import Rows
    from pdkappa.counts.core.joint import Joint
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
            at = _influence(joint, shares, each, ratio[of_group], places, cumulative=cumulative)
            at *= (units.n_items[of_group] / positive(pair.n[:, 0]))[joint.rows.group]
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


def _influence(
    joint: Joint,
    shares: _Shares,
    gaps: FloatArray,
    ratio: FloatArray,
    places: IntArray,
    *,
    cumulative: bool,
) -> FloatArray:
    """Influence of the J items of a pair on observed less `ratio` times expected, (places, J)."""
    group, (one, other) = joint.rows.group, joint.rows.codes
    size, observed, expected = shares.size, shares.observed, shares.expected
    of_one, of_other = gaps * (1 - 2 * shares.col) * size, gaps * (1 - 2 * shares.row) * size
    mean = of_one * shares.row + of_other * shares.col  # of the two below
    in_all = [
        np.cumsum(each[:, ::-1], axis=-1)[:, ::-1] if cumulative else each
        for each in (of_one, of_other)
    ]
    total = in_all[0][group, one] + in_all[1][group, other] - mean.sum(axis=-1)[group]
    result = np.empty((len(places), len(group)))
    for number, k in enumerate(places):
        x, y = (codes <= k if cumulative else codes == k for codes in (one, other))
        apart = (gaps * size)[group, k] * (x != y) - observed[group, k] * (1 + total)
        chance = of_one[group, k] * x + of_other[group, k] * y - mean[group, k]
        by_chance = chance - expected[group, k] * total
        result[number] = apart - ratio[group, k] * by_chance
    return result
