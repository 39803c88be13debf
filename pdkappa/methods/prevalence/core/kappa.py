"""Ratings of a rater, of a human on some items and of a judge on all -> powered coefficients."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from pdkappa.coefficients.chance import COEFFICIENTS, FEWEST_ITEMS, chance_corrected, smoothed
from pdkappa.coefficients.influence import of_pair
from pdkappa.coefficients.intervals import Around, Limits, degrees_of
from pdkappa.coefficients.pair_counts import count_pairs
from pdkappa.coefficients.score_limits import ROUNDING, without_rounding
from pdkappa.methods.prevalence.core.parts import part_of
from pdkappa.methods.prevalence.core.powered import (
    Figures,
    InCommon,
    Powered,
    best_lambda,
    powered,
)

if TYPE_CHECKING:
    from pdkappa._typing import BoolArray, FloatArray, ObjectArray
    from pdkappa.coefficients.chance import Coefficient as ChanceModel
    from pdkappa.coefficients.rating_rows import RatingRows
    from pdkappa.coefficients.weights import Scale
    from pdkappa.methods.prevalence.core.parts import Part

RATER, HUMAN, JUDGE = range(3)
WITH_HUMAN, WITH_JUDGE = (RATER, HUMAN), (RATER, JUDGE)


class PoweredKappas(NamedTuple):
    """Coefficients of a rater with a human in G groups, each of shape (G,).

    `human_only` and `se_human_only` are those of the labelled items alone, `judge_only` that of
    the rater with the judge on all items; `correlation` is that of the errors of the first with
    those of the same with the judge.
    """

    n_labelled: FloatArray
    n_unlabelled: FloatArray
    estimate: FloatArray
    se: FloatArray
    ci_low: FloatArray
    ci_high: FloatArray
    lam: FloatArray
    correlation: FloatArray
    human_only: FloatArray
    se_human_only: FloatArray
    judge_only: FloatArray
    reason: ObjectArray


class _Seen(NamedTuple):
    """What the ratings of G groups say before anything is combined."""

    figures: Figures
    labelled: Part
    others: Part
    n: FloatArray  # (2, G), numbers of labelled and other items
    constant: BoolArray  # (G,), whether one of the two used a single category, and kappa is 0


def powered_kappas(
    rows: RatingRows, scale: Scale, coefficient: ChanceModel, lam: float | None, level: float
) -> PoweredKappas:
    """Estimate the agreement of a rater with a human from labels and judgements.

    Parameters
    ----------
    rows : RatingRows
        Codes of the rater, the human and the judge, in that order. Items that the rater or the
        judge did not rate tell nothing; those that the human did not rate are unlabelled.
    scale, coefficient
        How far categories are apart, and what chance is taken to be.
    lam : float or None
        None: the best one of each group; see `best_lambda`.
    level : float
        Of the limits.
    """
    rows = rows.select(np.all(rows.codes[[RATER, JUDGE]] >= 0, axis=0)).compressed()
    seen = _seen(rows, scale, coefficient)
    figures, labelled = seen.figures, seen.labelled
    known = ~np.isnan(figures.judge) & ~seen.constant
    usable = known & ~np.isnan(figures.rest)
    if lam is None:
        weights = np.where(usable, best_lambda(labelled, seen.others, _in_common(rows, scale)), 0.0)
    else:
        weights = np.full(rows.n_groups, float(lam))
    floor = coefficient.lowest(scale)
    found = powered(figures, labelled, seen.others, weights, steady=lam is None)
    reason = _reasons(found, seen)
    estimate = np.clip(found.estimate, np.minimum(floor, figures.human), 1.0)
    estimate = np.where((reason == "") | (reason == "n_lt_2"), estimate, np.nan)
    estimate = np.where(reason == "constant_rater", found.estimate, estimate)
    se = np.where(reason == "", without_rounding(np.sqrt(found.variance)), np.nan)
    centre, wider = _with_pseudo_item(rows, scale, coefficient, se)
    pivot = Around(centre + estimate - figures.human, wider, degrees_of(found.df + 1), on_z=True)
    limits = Limits(*pivot.limits(level)).within(estimate, se, floor)
    own = labelled.covariance(*labelled.values[[0, 0]])
    return PoweredKappas(
        seen.n[0],
        seen.n[1],
        estimate,
        se,
        limits.low,
        limits.high,
        np.where(np.isnan(estimate), np.nan, weights),
        _correlation(labelled, known),
        figures.human,
        np.where(seen.constant, np.nan, without_rounding(np.sqrt(own))),
        of_pair(rows, scale, coefficient, WITH_JUDGE).estimate,
        reason,
    )


def _seen(rows: RatingRows, scale: Scale, coefficient: ChanceModel) -> _Seen:
    """Estimate each coefficient in each part, with what units contribute to it."""
    has_label = rows.codes[HUMAN] >= 0
    places = np.arange(2 * rows.n_groups)
    parts = rows.with_rows(group=2 * rows.group + ~has_label, n_groups=len(places))
    of_parts = scale.take(places // 2)
    human, judge = (
        of_pair(parts, of_parts, coefficient, pair) for pair in (WITH_HUMAN, WITH_JUDGE)
    )
    fixed: BoolArray = np.logical_or.reduce(parts.is_constant(WITH_HUMAN))
    constant = coefficient.keeps_margins & fixed[::2]
    by_human = np.where(constant & ~np.isnan(human.estimate[::2]), 0.0, human.estimate[::2])
    midway = _midway(rows, parts, scale, coefficient)
    values = np.nan_to_num(np.stack([human.influence, midway]))
    return _Seen(
        Figures(by_human, judge.estimate[::2], judge.estimate[1::2]),
        part_of(rows, has_label, values),
        part_of(rows, ~has_label, values[1:]),
        parts.n_items.reshape(-1, 2).T,
        constant,
    )


def _midway(
    rows: RatingRows, parts: RatingRows, scale: Scale, coefficient: ChanceModel
) -> FloatArray:
    """Influence of items on the judge's coefficient, less its mean in each part, shape (U,).

    It is that midway between the labelled and the other items, so that it tells the difference
    of both coefficients to the second order: the few labelled ones may by chance be such that
    next to nothing has an influence.
    """
    n_labelled, n_others = parts.n_items.reshape(-1, 2).T
    with np.errstate(divide="ignore", invalid="ignore"):  # a part without items
        evenly = np.where(rows.codes[HUMAN] >= 0, 1.0, (n_labelled / n_others)[rows.group])
        midway = rows.with_rows(count=rows.count * evenly)
        values = of_pair(midway, scale, coefficient, WITH_JUDGE).influence
        return values - (parts.total(values) / parts.n_items)[parts.group]


def _in_common(rows: RatingRows, scale: Scale) -> InCommon:
    """Kappa of the human with the judge on the labelled items."""
    labelled = rows.select(rows.codes[HUMAN] >= 0)
    found = of_pair(labelled, scale, COEFFICIENTS["cohen"], (HUMAN, JUDGE))
    part = part_of(labelled, labelled.count > 0, np.nan_to_num(found.influence[None]))
    variance = part.covariance(*part.values[[0, 0]])
    return InCommon(found.estimate, without_rounding(np.sqrt(variance)))


def _with_pseudo_item(
    rows: RatingRows, scale: Scale, coefficient: ChanceModel, se: FloatArray
) -> tuple[FloatArray, FloatArray]:
    """Return the centre of the limits of the labelled items alone, and the error of the estimate.

    One pseudo-item moves the centre as in `fisher`, and changes both errors by the same factor.
    """
    counts = count_pairs(
        rows.codes,
        rows.n_categories,
        pairs=[WITH_HUMAN],
        groups=rows.group,
        n_groups=rows.n_groups,
        weights=rows.count / rows.unit,
    )
    counts = replace(counts, unit=rows.unit)
    plain = chance_corrected(counts, scale, coefficient).se
    centre, with_pseudo = smoothed(counts, scale, coefficient)
    with np.errstate(divide="ignore", invalid="ignore"):
        wider = np.where(plain > 0, se * with_pseudo / plain, np.hypot(se, with_pseudo))
    return centre, wider


def _reasons(found: Powered, seen: _Seen) -> ObjectArray:
    """Say why an estimate or its standard error is undefined, shape (G,)."""
    n_labelled, n_others = seen.n
    used = found.lam != 0
    reason = np.full(len(n_labelled), "", dtype=object)
    reason[(seen.labelled.units < FEWEST_ITEMS) | (used & (seen.others.units < FEWEST_ITEMS))] = (
        "n_lt_2"
    )
    reason[seen.constant] = "constant_rater"
    reason[used & (np.isnan(seen.figures.judge) | np.isnan(seen.figures.rest))] = "constant_ratings"
    reason[used & (n_others == 0)] = "no_unlabelled"
    reason[np.isnan(seen.figures.human)] = "constant_ratings"
    reason[n_labelled == 0] = "no_joint_items"
    return reason


def _correlation(labelled: Part, known: BoolArray) -> FloatArray:
    """Correlation of the errors of both figures of the labelled items; NaN if one has none."""
    human, judge = labelled.values
    size = labelled.covariance(human, human) * labelled.covariance(judge, judge)
    with np.errstate(divide="ignore", invalid="ignore"):
        found = labelled.covariance(human, judge) / np.sqrt(size)
    return np.where(known & (size > ROUNDING**4), np.clip(found, -1, 1), np.nan)
