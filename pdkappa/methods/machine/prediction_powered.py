"""Agreement with people, from few of their labels and many of a machine's."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from pdkappa.coefficients.chance import COEFFICIENTS, FEWEST_ITEMS, chance_corrected, smoothed
from pdkappa.coefficients.guarded_limits import Around
from pdkappa.coefficients.influence import of_pair
from pdkappa.coefficients.intervals import Limits
from pdkappa.coefficients.pair_counts import count_pairs
from pdkappa.coefficients.score_limits import ROUNDING, degrees_of, without_rounding
from pdkappa.methods.estimates import asked as has
from pdkappa.methods.estimates.asks import asks, column
from pdkappa.methods.estimates.options import check_by
from pdkappa.methods.estimates.pair_frames import framed, joined, remarks_of, warn_if_undefined
from pdkappa.methods.estimates.study import read
from pdkappa.methods.machine.judged_means import (
    NO_DRIFT,
    Figures,
    InCommon,
    OfPowered,
    Powered,
    best_lambda,
    part_of,
    powered,
    read_lambda,
    warn_of_unjudged,
)
from pdkappa.present import schema
from pdkappa.present.text_tables import result

if TYPE_CHECKING:
    import pandas as pd

    from pdkappa._typing import BoolArray, FloatArray, Label, ObjectArray
    from pdkappa.coefficients.chance import Coefficient as ChanceModel
    from pdkappa.coefficients.rating_rows import RatingRows
    from pdkappa.coefficients.weights import Scale
    from pdkappa.methods.machine.judged_means import Part
    from pdkappa.ratings.coded import Counted

HUMAN, MACHINE, STAND_IN = range(3)
WITH_HUMAN, WITH_STAND_IN = (HUMAN, MACHINE), (MACHINE, STAND_IN)


class PoweredKappas(NamedTuple):
    """Coefficients of a machine with a human in G groups, each of shape (G,).

    `humans_only` and `se_humans_only` are those of the labelled items alone, `stand_in_only` that
    of the machine with the stand-in on all items; `correlation` is that of the errors of the first
    with those of the same with the stand-in.
    """

    n_labelled: FloatArray
    n_unlabelled: FloatArray
    estimate: FloatArray
    se: FloatArray
    ci_low: FloatArray
    ci_high: FloatArray
    lam: FloatArray
    correlation: FloatArray
    humans_only: FloatArray
    se_humans_only: FloatArray
    stand_in_only: FloatArray
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
    """Estimate the agreement of a machine with a human from labels and those of a stand-in.

    Parameters
    ----------
    rows : RatingRows
        Codes of the human, the machine and the stand-in, in that order. Items that the machine or
        the stand-in did not rate tell nothing; those that the human did not rate are unlabelled.
    scale, coefficient
        How far categories are apart, and what chance is taken to be.
    lam : float or None
        None: the best one of each group; see `best_lambda`.
    level : float
        Of the limits.
    """
    rows = rows.select(np.all(rows.codes[[MACHINE, STAND_IN]] >= 0, axis=0)).compressed
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
        np.where(seen.constant, np.nan, without_rounding(np.sqrt(labelled.variance()))),
        of_pair(rows, scale, coefficient, WITH_STAND_IN).estimate,
        reason,
    )


def _seen(rows: RatingRows, scale: Scale, coefficient: ChanceModel) -> _Seen:
    """Estimate each coefficient in each part, with what units contribute to it."""
    has_label = rows.codes[HUMAN] >= 0
    places = np.arange(2 * rows.n_groups)
    parts = rows.with_rows(group=2 * rows.group + ~has_label, n_groups=len(places))
    of_parts = scale.take(places // 2)
    human, judge = (
        of_pair(parts, of_parts, coefficient, pair) for pair in (WITH_HUMAN, WITH_STAND_IN)
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
    """Influence of items on the stand-in's coefficient, less its mean in each part, shape (U,).

    It is that midway between the labelled and the other items, so that it tells the difference
    of both coefficients to the second order: the few labelled ones may by chance be such that
    next to nothing has an influence.
    """
    n_labelled, n_others = parts.n_items.reshape(-1, 2).T
    with np.errstate(divide="ignore", invalid="ignore"):  # a part without items
        evenly = np.where(rows.codes[HUMAN] >= 0, 1.0, (n_labelled / n_others)[rows.group])
        midway = rows.with_rows(count=rows.count * evenly)
        values = of_pair(midway, scale, coefficient, WITH_STAND_IN).influence
        return values - (parts.total(values) / parts.n_items)[parts.group]


def _in_common(rows: RatingRows, scale: Scale) -> InCommon:
    """Kappa of the human with the stand-in on the labelled items."""
    labelled = rows.select(rows.codes[HUMAN] >= 0)
    found = of_pair(labelled, scale, COEFFICIENTS["cohen"], (HUMAN, STAND_IN))
    part = part_of(labelled, labelled.count > 0, np.nan_to_num(found.influence[None]))
    return InCommon(found.estimate, without_rounding(np.sqrt(part.variance())))


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
    size = labelled.variance(0) * labelled.variance(1)
    with np.errstate(divide="ignore", invalid="ignore"):
        found = labelled.covariance(*labelled.contributions) / np.sqrt(size)
    return np.where(known & (size > ROUNDING**4), np.clip(found, -1, 1), np.nan)


class OfPredictionPowered(OfPowered, has.Kappa):
    """Options of `prediction_powered`."""

    stand_in: Label = column(
        "Another machine that rated all items, in whose place people rated some.", kw_only=False
    )


@asks(
    OfPredictionPowered,
    lam="It is shrunk towards zero as far as it may be noise.",
    cluster="Limits account for it whether all items of a cluster are labelled, some or none.",
)
def prediction_powered(data: pd.DataFrame | Counted, asked: OfPredictionPowered) -> pd.DataFrame:
    """Estimate a machine's agreement with people from few of their labels and another machine.

    How well does a machine agree with people, if human labels are expensive and those of another
    machine are not? The stand-in replaces the human on the other items, and the labelled items
    show how far that misleads.

    Returns
    -------
    DataFrame
        One row (for each group):

        - ``n_labelled, n_unlabelled``: items that all three rated, and all but the human;
        - ``estimate, se, ci_low, ci_high``: the coefficient of the machine with the human, at most
          1, its standard error and limits;
        - ``lam``: the one that was used; 0 is the labelled items alone;
        - ``correlation``: of the errors of the coefficients with the human and with the stand-in on
          the labelled items, in [-1, 1], whose square is about the part of the variance that the
          stand-in takes away; NaN where one has none;
        - ``humans_only, se_humans_only, stand_in_only``: the coefficient with the human on the
          labelled items, and with the stand-in on all;
        - ``reason`` for NaN: ``no_items``, ``zero_total_weight``, ``no_joint_items`` (no
          labelled item), ``n_lt_2``, ``constant_ratings``, ``constant_rater``, and for a fixed
          `lam` ``no_unlabelled``;
        - ``remark`` where the labelled items are too few or a category too rare, as in `compare`.

    Warns
    -----
    LeftOutWarning
        Once, if items that the machine and the human rated have no rating by the stand-in.

    See Also
    --------
    prevalence : The same of shares.
    compare : Whether two raters agree equally well with a third.

    Notes
    -----
    With k the coefficient, M, H and J machine, human and stand-in, L the labelled and U the other
    items, the estimate is ``k_L(M, H) + lam * (k_U(M, J) - k_L(M, J))``: prediction-powered
    inference [1]_ of a coefficient. Its variance is that of the influence values (see `influence`),
    ``Var_L(psi_H - lam * psi_J) / n + lam**2 * Var_U(psi_J) / N``, and least at
    ``lam = Cov_L(psi_H, psi_J) / (Var_L(psi_J) + n / N * Var_U(psi_J))``. So the result is valid
    however bad the stand-in is: for a useless stand-in it is that of the labelled items, and for a
    stand-in who says the opposite lambda is below zero.

    A lambda from few items costs what a stand-in does not bring in [2]_, so that Cohen's kappa of
    human and stand-in on the labelled items holds it back. If the stand-in's errors do not depend
    on the machine, lambda is about that kappa times ``Var(psi_H) / Var(psi_J)``: so it has that
    sign and at most 1.5 times that size. And it is multiplied by ``max(0, 1 - 3 / t**2)`` [3]_,
    with t the kappa divided by its error. psi_J is that midway between L and U, less its mean in
    each, residuals are those of an item left out, and limits are Fisher's z with a t quantile and
    one pseudo-item, as in ``ci="fisher"`` of `pairs`. The variance divides by n - 1, so that the
    standard error of the labels alone is a little larger than that of `pairs`.

    This assumes that the stand-in errs on the unlabelled items as on the labelled ones, which the
    `remark` says: how far limits fail if it does not, `prevalence` shows.

    With 50 to 200 labels, kappas of .4 to .85 and stand-ins from guessing to nearly right and to
    the opposite, the coverage of 95 % limits is .94 to .97, and the variance is at most 1.01 times
    that of the labels alone; at a correlation of .5 it is .73 to .82 times as large
    (`benchmarks/simulations.md`). With a stand-in that shifts all categories cyclically by one, so
    that the kappa is not zero but the correlation is, it is up to 1.07 times as large with 50
    labels, and the coverage is .92.

    References
    ----------
    .. [1] Angelopoulos, Duchi, et al., 2023
    .. [2] Mani et al., 2025
    .. [3] Breiman, 1995

    Examples
    --------
    One human scored every eighth essay of a set, another scorer all:

    >>> df = pdkappa.datasets.load_essays().query("essay_set == 1")
    >>> df = df[["machine", "human_1", "human_2"]].reset_index(drop=True)
    >>> df["human_1"] = df["human_1"].where(df.index % 8 == 0)
    >>> found = df.kappa.machine.prediction_powered(
    ...     "human_1", "machine", "human_2", weights="quadratic"
    ... )
    >>> found[["n_labelled", "estimate", "se", "lam", "humans_only", "se_humans_only"]].round(3)
       n_labelled  estimate     se    lam  humans_only  se_humans_only
    0          38     0.708  0.056  0.658        0.711           0.072
    """
    weight = read_lambda(asked.lam)
    check_by(asked.by, {*schema.PREDICTION_POWERED})
    study = read(data, [*asked.people, asked.machine, asked.stand_in], asked.reading)
    study.warn_of_categories([asked.coefficient])
    way_out = "Let the stand-in rate them, or use compare or pairs without one."
    warn_of_unjudged(data, study.coded, (HUMAN, MACHINE), STAND_IN, way_out)
    model, rows, groups = COEFFICIENTS[asked.coefficient], study.rows, study.groups
    columns: dict[str, Any] = powered_kappas(
        rows, study.scale, model, weight, asked.level
    )._asdict()
    empty = study.groups.why_empty()
    columns["reason"] = np.where(empty == "", columns["reason"], empty)
    of_both = rows.select(np.all(rows.codes >= 0, axis=0)).without(STAND_IN)
    powered = (columns["lam"] != 0) & (columns["reason"] == "")
    columns["remark"] = joined(remarks_of(of_both, study.scale), np.where(powered, NO_DRIFT, ""))
    frame = framed(columns)[list(schema.PREDICTION_POWERED)]
    warn_if_undefined("coefficient", frame["estimate"].isna(), frame["reason"], groups.name)
    return result(groups.label(frame), study.raters)
