"""Scores of humans and a machine -> limits of what a board asks for, and what they say of it."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from pdkappa.coefficients.influence import standard_error, units_of
from pdkappa.coefficients.intervals import Around, degrees_of, fisher_of_many
from pdkappa.coefficients.pair_kappas import DISTANCES, in_units, influence_of, moments
from pdkappa.coefficients.pair_kappas import joint_scores as joint_rows
from pdkappa.coefficients.score_limits import wilson

if TYPE_CHECKING:
    from pdkappa._typing import BoolArray, FloatArray, ObjectArray
    from pdkappa.coefficients.rating_rows import RatingRows

FEWEST = 2
PASS, FAIL, UNKNOWN = "pass", "fail", "cannot tell"


class Bounded(NamedTuple):
    """A figure of G groups with its limits; every field has shape (G,)."""

    n_items: FloatArray
    value: FloatArray
    ci_low: FloatArray
    ci_high: FloatArray


def correlation(rows: RatingRows, scores: FloatArray, level: float) -> Bounded:
    r"""Correlate two raters who both rated all rows; limits on Fisher's z scale, with a t quantile.

    Notes
    -----
    The influence of an item is that of the jackknife, ``n - 1`` times what r loses without it, so
    that scores need not be normal. With standard scores z, the sums of squares and products
    without it are those of all less :math:`z_a^2, z_b^2, z_a z_b` times ``n / (n - 1)``.
    """
    a, b, r = _standard(rows, scores)
    of_row, n = r[rows.group], rows.n_items[rows.group]
    with np.errstate(divide="ignore", invalid="ignore"):  # two items, or one score but for one item
        left = n / (n - 1)
        squares = (n - left * a**2) * (n - left * b**2)
        without = (n * of_row - left * a * b) / np.sqrt(np.where(squares > 0, squares, np.nan))
        by_slope = a * b - of_row * (a**2 + b**2) / 2
        influence = np.where(np.isnan(without), by_slope, (n - 1) * (of_row - without))
    se = standard_error(rows, influence)
    low, high = fisher_of_many(r, se, units_of(rows), np.ones(len(r))).limits(level)
    return Bounded(rows.n_items, r, *_known(se, low, np.minimum(high, 1)))


def mean_difference(rows: RatingRows, scores: FloatArray, level: float) -> Bounded:
    r"""Standardise the difference of means, second less first, by the first's standard deviation.

    Notes
    -----
    With the standard scores z of the first and differences d in units of its standard deviation,
    an item has the influence :math:`d - \bar d - \bar d (z^2 - 1) / 2`.
    """
    _, scores = in_units(rows, scores)
    spread, n = moments(rows, scores[None]), rows.n_items
    first, second = scores[rows.codes]
    with np.errstate(divide="ignore", invalid="ignore"):  # a single item
        sd = spread.sd_a * np.sqrt(np.where(n > 1, n / (n - 1), np.nan))
        sd = np.where(sd > 0, sd, np.nan)
        value = (spread.mean_b - spread.mean_a) / sd
        away = (second - first) / sd[rows.group] - value[rows.group]
        z = (first - spread.mean_a[rows.group]) / spread.sd_a[rows.group]
        influence = away - value[rows.group] * (z**2 - 1) / 2
    return _around(rows, value, influence, level)


def degradation(rows: RatingRows, scores: FloatArray, level: float) -> Bounded:
    """Subtract the first rater's qwk with the last, the machine, from that with the second."""
    total, value = np.zeros(rows.codes.shape[1]), np.zeros(rows.n_groups)
    for sign, pair in ((1, (0, 1)), (-1, (0, len(rows.codes) - 1))):
        both = np.flatnonzero((rows.codes[list(pair)] >= 0).all(axis=0))
        joint = joint_rows(rows, pair)
        estimate, influence = influence_of(joint, scores, DISTANCES["quadratic"])
        with np.errstate(divide="ignore", invalid="ignore"):  # no items
            total[both] += sign * influence * (rows.n_items / joint.n_items)[joint.group]
        value += sign * estimate
    every: BoolArray = np.logical_and.reduce(rows.codes >= 0, axis=0)
    return _around(rows, value, total, level)._replace(n_items=rows.total(every))


def share(rows: RatingRows, value: FloatArray, level: float) -> Bounded:
    """Bound a share of the items by Wilson's limits; of clusters as if each were one item."""
    return Bounded(rows.n_items, value, *wilson(value, units_of(rows), level))


def verdicts(found: Bounded, threshold: float, bound: str) -> ObjectArray:
    """Say whether the limits are on the right side of a threshold, the wrong one, or on both."""
    low, high = found.ci_low, found.ci_high
    if bound == "at least":
        passes, fails = low >= threshold, high < threshold
    elif bound == "at most":
        passes, fails = high <= threshold, low > threshold
    else:
        passes = (low >= -threshold) & (high <= threshold)
        fails = (low > threshold) | (high < -threshold)
    verdict: ObjectArray = np.select([passes, fails], [PASS, FAIL], UNKNOWN).astype(object)
    return verdict


def _standard(rows: RatingRows, scores: FloatArray) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Standardise the scores of two raters in each group, (U,), and correlate them, (G,)."""
    _, scores = in_units(rows, scores)
    spread = moments(rows, scores[None])
    first, second = scores[rows.codes]
    with np.errstate(divide="ignore", invalid="ignore"):
        a = (first - spread.mean_a[rows.group]) / spread.sd_a[rows.group]
        b = (second - spread.mean_b[rows.group]) / spread.sd_b[rows.group]
        r = np.clip(rows.total(a * b) / rows.n_items, -1, 1)
    return a, b, r


def _around(rows: RatingRows, value: FloatArray, influence: FloatArray, level: float) -> Bounded:
    """Take t quantiles of the standard error that influence values give."""
    se = standard_error(rows, influence)
    low, high = Around(value, se, degrees_of(units_of(rows)), on_z=False).limits(level)
    return Bounded(rows.n_items, value, *_known(se, low, high))


def _known(se: FloatArray, low: FloatArray, high: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Hide limits where there is no standard error."""
    return np.where(np.isnan(se), np.nan, low), np.where(np.isnan(se), np.nan, high)
