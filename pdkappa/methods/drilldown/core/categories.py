"""Rows of ratings -> agreement on each category, or cut of the scale, against the rest.

The categories add up to nominal agreement, and the cuts to linear agreement.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from pdkappa.coefficients.all_raters import MULTIRATER, basics_of
from pdkappa.coefficients.score_limits import one_minus, positive
from pdkappa.coefficients.sparse_rows import joints
from pdkappa.coefficients.weights import NOMINAL, Scale

if TYPE_CHECKING:
    from collections.abc import Iterator

    from pdkappa._typing import FloatArray, IntArray
    from pdkappa.coefficients.influence import Functional
    from pdkappa.coefficients.rating_rows import Rows
    from pdkappa.coefficients.sparse_rows import Joint

ADDITIVE = ("light", "fleiss", "conger", "krippendorff")
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
    """

    n_ratings: FloatArray
    pooled_share: FloatArray
    prevalence: FloatArray
    bias: FloatArray
    estimate: FloatArray
    weight: FloatArray
    specific_agreement: FloatArray


class PairMargins(NamedTuple):
    """Counts of each category, or at each cut and below, of the items of a pair, (G, K)."""

    n: FloatArray  # (G, 1)
    row: FloatArray
    col: FloatArray
    both: FloatArray
    above_row: FloatArray
    above_col: FloatArray


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
    if name == "light":
        observed, expected = _parts_of_pairs(rows, each, cumulative=cumulative)
    else:
        observed, expected = _parts_of_all(rows, name, each, cumulative=cumulative)
    with np.errstate(divide="ignore", invalid="ignore"):
        kappa = one_minus(observed / positive(expected))
        weight = expected / positive(expected.sum(axis=-1, keepdims=True))
    counts = rows.margins(np.ones(len(rows.count)))
    n_ratings = counts.sum(axis=-1, keepdims=True)
    counts = np.cumsum(counts, axis=-1) if cumulative else counts
    prevalence, bias = _mean_and_range(rows, cumulative=cumulative)
    return ScaleParts(
        n_ratings=counts,
        pooled_share=np.divide(
            counts, n_ratings, out=np.full(counts.shape, np.nan), where=n_ratings > 0
        ),
        prevalence=prevalence,
        bias=bias,
        estimate=kappa,
        weight=weight,
        specific_agreement=_specific_agreement(rows, cumulative=cumulative),
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


def pair_margins(rows: Rows, *, cumulative: bool) -> Iterator[tuple[Joint, PairMargins]]:
    """Count the categories of the joint items of pairs of raters, of S pairs at a time, (S, K)."""
    for joint in joints(rows):
        pair, ones = joint.rows, np.ones(len(joint.places))
        first, second = pair.codes
        row, col = (pair.margin_of(codes, ones) for codes in (first, second))
        if cumulative:
            highest = pair.margin_of(np.maximum(first, second), ones)
            row, col, both = (np.cumsum(one, axis=-1) for one in (row, col, highest))
            above = row[:, -1:] - row, col[:, -1:] - col
            n = row[:, -1:]
        else:
            both = pair.margin_of(first, ones * (first == second))
            n = row.sum(axis=-1, keepdims=True)
            above = n - row, col.sum(axis=-1, keepdims=True) - col
        yield joint, PairMargins(n, row, col, both, *above)


def _parts_of_pairs(
    rows: Rows, gaps: FloatArray, *, cumulative: bool
) -> tuple[FloatArray, FloatArray]:
    """Sum observed and expected disagreement over pairs, each relative to its own total."""
    observed, expected = np.zeros(gaps.shape), np.zeros(gaps.shape)
    for joint, pair in pair_margins(rows.in_units(), cumulative=cumulative):
        each = gaps[joint.group]
        by_chance = each * (pair.row * pair.above_col + pair.col * pair.above_row)
        found = each * pair.n * ((pair.row - pair.both) + (pair.col - pair.both))
        total = by_chance.sum(axis=-1, keepdims=True)
        size = np.divide(1.0, total, out=np.zeros_like(total), where=total > 0)
        observed += joint.sum(found * size, rows.n_groups)
        expected += joint.sum(by_chance * size, rows.n_groups)
    return observed, expected


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
    places = np.arange(rows.n_categories)
    rest = (places > k if cumulative else places != k).astype(np.int64)
    two = rows.recoded(rest, 2).compressed()
    scale = Scale(NOMINAL, np.array([[1.0, 2.0]]), np.ones((1, 2), dtype=bool))
    return two, MULTIRATER[name](two, scale, basics_of(two, scale))


def _specific_agreement(rows: Rows, *, cumulative: bool) -> FloatArray:
    """Share of agreement among the ratings of a category, over all pairs of ratings, (G, K)."""
    agree = np.zeros((rows.n_groups, rows.n_categories))
    named = np.zeros_like(agree)
    for joint, pair in pair_margins(rows, cumulative=cumulative):
        agree += joint.sum(2 * pair.both, rows.n_groups)
        named += joint.sum(pair.row + pair.col, rows.n_groups)
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
