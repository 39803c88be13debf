"""Rows of ratings -> agreement on each category, or cut of the scale, against the rest.

The categories add up to nominal agreement, and the cuts to linear agreement.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from pdkappa.coefficients.multirater import MULTIRATER, basics_of
from pdkappa.coefficients.rounding import one_minus, positive
from pdkappa.coefficients.weights import NOMINAL, Scale

if TYPE_CHECKING:
    from collections.abc import Iterator

    from pdkappa._typing import FloatArray
    from pdkappa.coefficients.joint_items import Functional
    from pdkappa.counts.core.rows import RatingRows

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
        Given one rating here, the share of the other ratings that are here too.
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
        kappa = one_minus(observed / positive(expected))
        weight = expected / positive(expected.sum(axis=-1, keepdims=True))
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
        estimate=kappa,
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


def pair_margins(rows: RatingRows, *, cumulative: bool) -> Iterator[PairMargins]:
    """Count the categories of the joint items of every pair of raters."""
    for joint in rows.joints():
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
        yield PairMargins(n, row, col, both, *above)


def _parts_of_pairs(
    rows: RatingRows, gaps: FloatArray, *, cumulative: bool
) -> tuple[FloatArray, FloatArray]:
    """Sum observed and expected disagreement over pairs, each relative to its own total."""
    observed, expected = np.zeros(gaps.shape), np.zeros(gaps.shape)
    for pair in pair_margins(rows.in_units(), cumulative=cumulative):
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
            _, found = dichotomised(rows, name, k, cumulative=cumulative)
            unknown = np.isnan(found.observed) | np.isinf(found.expected)  # for all k alike
            observed[:, k] = gaps[:, k] * found.observed
            by_chance = np.where(unknown, np.nan, np.nan_to_num(found.expected))
            expected[:, k] = gaps[:, k] * by_chance
    return observed, expected


def dichotomised(
    rows: RatingRows, name: str, k: int, *, cumulative: bool
) -> tuple[RatingRows, Functional]:
    """Estimate a coefficient of one category, or all up to it, against the rest."""
    rest = rows.codes > k if cumulative else rows.codes != k
    codes = np.where(rows.codes < 0, -1, rest)
    two = replace(rows, codes=codes, n_categories=2).compressed()
    scale = Scale(NOMINAL, np.array([[1.0, 2.0]]), np.ones((1, 2), dtype=bool))
    return two, MULTIRATER[name](two, scale, basics_of(two, scale))


def _specific_agreement(rows: RatingRows, *, cumulative: bool) -> FloatArray:
    """Share of agreement among the ratings of a category, over all pairs of ratings, (G, K)."""
    agree = np.zeros((rows.n_groups, rows.n_categories))
    named = np.zeros_like(agree)
    for pair in pair_margins(rows, cumulative=cumulative):
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
