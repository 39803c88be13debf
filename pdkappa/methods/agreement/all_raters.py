"""Coefficients of all raters together, their influence values and covariances."""

from __future__ import annotations

from dataclasses import fields, replace
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from pdkappa.coefficients.benchmarks import BENCHMARKS, PROBABILISTIC
from pdkappa.coefficients.chance import COEFFICIENTS
from pdkappa.coefficients.figures import Figures, RaterFigures
from pdkappa.coefficients.many_summary import summarise_many
from pdkappa.coefficients.missing_summary import summarise_many_missing
from pdkappa.coefficients.multirater import (
    MULTIRATER,
    krippendorff_ordinal,
)
from pdkappa.coefficients.rater_sample import with_raters_as_sample
from pdkappa.counts.core.joint import wide
from pdkappa.counts.core.profiles import merged
from pdkappa.errors import (
    LeftOutWarning,
    OptionError,
    UndefinedKappaWarning,
    check_choice,
    shown,
    warn,
)
from pdkappa.estimation.adjusted import with_adjusted
from pdkappa.estimation.checks import SYNONYMS_OF_MANY, check_joint, check_raters_vary
from pdkappa.estimation.estimate import estimate
from pdkappa.estimation.frames import agreement_frame
from pdkappa.estimation.gate import gate
from pdkappa.estimation.intervals import IntervalOptions, resample_many
from pdkappa.estimation.population import left_of_population
from pdkappa.estimation.study import read
from pdkappa.estimation.undefined import warn_of_undefined_rows
from pdkappa.present.text.result import result
from pdkappa.ratings.coded import Counted
from pdkappa.ratings.reading import Reading

if TYPE_CHECKING:
    from collections.abc import Sequence

    from pdkappa._typing import (
        Adjustment,
        By,
        Categories,
        Distance,
        Interval,
        ItemWeights,
        Missing,
        Population,
        Progress,
        Raters,
        Seed,
        Vary,
        Weights,
        WeightType,
    )
    from pdkappa.coefficients.multirater import MultiraterModel
    from pdkappa.estimation.study import Study
    from pdkappa.ratings.long import Listed

ORDINAL_METRIC = "krippendorff_ordinal"
SHARES = ("items", "ratings")
MOST_RATERS_OF_LIGHT = 200
PAIR = 2
SYNONYMS = SYNONYMS_OF_MANY | {
    "kappa": "'conger', or 'light' for the mean of the pairs",
    "cohen": "'conger' for all raters together",
    "scott": "'fleiss' for all raters together",
}


@gate
def agreement(
    data: pd.DataFrame | Counted | Listed,
    raters: Raters | None = None,
    *,
    by: By | None = None,
    coefficients: Sequence[str] | None = None,
    weights: Weights | None = None,
    categories: Categories | None = None,
    distance: Distance = "value",
    missing: Missing = "pairwise",
    sample_weight: ItemWeights | None = None,
    weight_type: WeightType | None = None,
    population: Population | None = None,
    cluster: ItemWeights | None = None,
    vary: Vary = "items",
    ci: Interval = "auto",
    confidence_level: float = 0.95,
    null: float = 0.0,
    n_resamples: int = 2000,
    rng: Seed = None,
    progress: Progress = False,
    shares: str | None = None,
    interpretation: str = "landis_koch",
    p_adjust: Adjustment | None = None,
    sep: str | None = None,
) -> pd.DataFrame:
    """Estimate the agreement of all raters together, by every coefficient.

    How far do the raters agree as a group, beyond chance, and how sure is that? Missing
    ratings and unequal numbers of raters are part of the definition of each coefficient.

    Parameters
    ----------
    data : DataFrame, shape (N, ...)
        One row for each item, one column for each rater. Never changed.
    raters : list of column labels, optional
        Two or more, who need not be the same for all items, except for "conger" and "light", which
        compare raters as persons. Default: all columns that can be ratings.
    by : column label or list of column labels, optional
        One result for each group. See `pairs`.
    coefficients : list of str, optional
        Some of ``percent, brennan_prediger, fleiss, conger, light, gwet, krippendorff``;
        default: all of them, but "light" for up to 200 raters only; of more, most pairs share
        few items.
    weights : str, array, DataFrame, callable or None, default None
        How much a disagreement counts; None counts all alike. See `pairs`. Here
        "krippendorff_ordinal", too: Krippendorff's own ordinal metric, for his coefficient
        alone; it is not the "ordinal" of Gwet, and depends on how often each category was used.
    categories : list or dict, optional
        The categories in order, or their scores ``{category: score}``. See `pairs`.
    distance : {"value", "rank"}
        Whether distances are those of the values or of the ranks of the categories.
    missing : {"pairwise", "listwise", "raise", "em"}
        Use all ratings there are, or the items that all raters rated, or refuse; or
        estimate the joint distribution of all raters by the EM algorithm. See `pairs`.
    sample_weight : column label or array of shape (N,), optional
        How much each item counts: by default, 2 counts an item twice.
    weight_type : {"frequency", "probability"} or None
        What weights are: numbers of items, or what items of a sample stand for, of which only
        the proportions matter; see `pdkappa.pairs`. None: numbers, if they are whole.
    population : number or dict or Series, optional
        How many items there are, of which those in `data` were drawn. See `pairs`.
    cluster : column label or array of shape (N,), optional
        Items are nested in clusters, such as the essays of one student: standard errors
        count by cluster. The estimates are the same.
    vary : {"items", "raters", "both"}
        What else might have been drawn, so that errors, limits and tests hold for more of it:
        other items, rated by these very raters; other raters of these very items; or both.
        Raters as a sample need three or more, and have no score limits: "auto" is "fisher" for
        them. See the notes.
    ci : {"auto", "fisher", "wald", "percentile", "bca", "jackknife"}
        Score limits of the coefficients whose chance has the shares of the ratings, and
        limits on Fisher's z scale of the others; the latter for all; estimate plus and minus
        t quantiles of the standard error; or resampled. See `pairs`.
    confidence_level : float, default 0.95
        Between 0 and 1.
    null : float, default 0
        The agreement that is tested, between -1 and 1. See `pairs`.
    n_resamples : int, default 2000
        Number of resamples for the limits that need them, up to 1,000,000.
    rng : None, int or numpy Generator
        Where resamples are drawn from; a number makes them repeatable.
    progress : bool or callable, default False
        Whether to show a bar of the resamples, or what to tell ``(done, total)``.
    shares : {None, "items", "ratings"}
        Whether category shares are averaged over items, so that an item with many ratings
        counts no more than one with few (Gwet), or over the ratings of all items with two
        or more. Without effect on "conger", "light" and "krippendorff", and where all
        items have the same number of ratings. By default "items", but for two raters, whose
        single ratings then count no more than in `pairs`.
    interpretation : {"landis_koch", "krippendorff", "altman", "fleiss", "cicchetti", "gwet"}
        The scheme of the verbal labels. "gwet" gives the level of Landis and Koch that is
        reached with 95 % probability. Labels are conventions: they know nothing of the
        number of categories or of what hangs on the ratings. "percent" has none: the
        schemes are for coefficients that correct for chance.
    p_adjust : {None, "bonferroni", "sidak", "holm", "holm-sidak", "simes-hochberg", "hommel", \
"fdr_bh", "fdr_by"}
        Adjust p-values for their number, in the column ``p_adjusted`` after ``p_value``. All
        coefficients (and groups) with a p-value are one family.
    sep : str, optional
        Ratings are sets of labels, written as text with this between them: "a|b" with "|".

    Returns
    -------
    DataFrame
        One row for each coefficient (and group): ``n_items, n_raters, n_ratings,
        observed_agreement, expected_agreement, estimate, se, ci_low, ci_high, z, p_value,
        interpretation, reason``. The estimate is at most 1; with missing ratings, and by
        Gwet's or equal chances, it may be less than -1. `p_value` is two-sided, and
        inverts the limits as in `pairs`. What is NaN has its reason:

        - ``no_items``, ``no_joint_items``: nobody rated, or no item has two ratings;
        - ``constant_ratings``: only one category was used, 0/0;
        - ``constant_rater``: one of two raters used a single category for their joint
          items, so that "light" and "conger" are 0 whatever the items are, and have no
          standard error;
        - ``not_converged``: the EM algorithm of ``missing="em"`` did not;
        - ``n_lt_2``: no standard error from fewer than two items (or clusters), and no
          "krippendorff" from no more than one rating, by weight, that can be paired;
        - ``no_variance``: the standard error is zero, so that ``ci="wald"`` has no test;
        - ``few_raters``: with `vary` "raters" or "both", fewer than three raters rated;
        - ``undefined_without``, ``undefined_resamples``, ``one_sided_resamples``: there are
          no limits, as in `pairs`, or no coefficient without some rater where raters vary.

        "percent" has no test of chance, for which no reason is given.

    Raises
    ------
    KappaError
        If an option is not known, or the ratings cannot be read. See `pdkappa.errors`.

    Warns
    -----
    UndefinedKappaWarning
        Once, if some coefficient is NaN.
    LeftOutWarning
        If "light" is left out of the default, for more than 200 raters.

    See Also
    --------
    pairs : Agreement of every two raters.
    influence : What each item does to a coefficient.

    Notes
    -----
    Every coefficient but "light" is ``1 - D_o / D_e``. Observed disagreement is the mean,
    over items with two ratings or more, of the disagreement of their pairs of ratings; for
    Krippendorff's alpha every rating of such an item weighs the same. Expected is that of
    the chance model: pooled category shares (fleiss), each rater's own (conger), equal
    ones (brennan_prediger), Gwet's, and Krippendorff's drawing without replacement.
    "light", its observed and its expected agreement are the means over the pairs of raters
    whose kappa is defined; others are left out without a warning.

    With two raters each row is that of `pairs`, to the last bit: fleiss is Scott's pi, and
    conger and light are Cohen's kappa. With more, an item with one rating counts for the
    shares of the categories of fleiss, conger and gwet [1]_; with two, if `shares` says so.

    With three raters or more, standard errors come from influence values and divide by
    n (n - 1), n being the number of items with a rating. With missing ratings they are not
    those of Gwet's book, which takes the share of items with two ratings for fixed [1]_.

    These errors are about the raters at hand. Where they stand for a population of raters who
    vary, limits for its value need ``vary="both"``. As in Gwet's book (section 5.4) and Stata's
    kappaetc [4]_, the variance over R raters is that of the jackknife,
    ``(R - 1) / R * sum((t - mean(t))**2)`` with t the coefficient without one of them, and is
    added to that over the items. The degrees of freedom of the sum are Satterthwaite's, R - 1
    for the raters alone, where kappaetc has n - 1 for either. In simulations with 3, 5, 8 and
    15 raters of 100 items, whose bias and noise vary, 95 % limits hold the population's value
    in .93 to .96 of samples, and those over items in .39 to .78. "conger" and "light" compare
    raters as persons, but those left over have such a coefficient, too; it is the same
    jackknife. Every coefficient is computed anew without each rater, which takes time where
    there are hundreds of them.

    References
    ----------
    .. [1] Gwet, K. L. (2014). Handbook of Inter-Rater Reliability (4th ed.). Advanced
           Analytics.
    .. [2] Conger, A. J. (1980). Integration and generalization of kappas for multiple
           raters. Psychological Bulletin, 88(2), 322-328.
           https://doi.org/10.1037/0033-2909.88.2.322
    .. [3] Krippendorff, K. (2004). Content Analysis (2nd ed.), chapter 11. Sage.
    .. [4] Klein, D. (2018). Implementing a general framework for assessing interrater
           agreement in Stata. Stata Journal, 18(4), 871-901.
           https://doi.org/10.1177/1536867X1801800408

    Examples
    --------
    >>> df = pdkappa.datasets.load_reliability_data()
    >>> pdkappa.agreement(df)[["n_items", "n_ratings", "estimate", "se"]].round(3)
                      n_items  n_ratings  estimate     se
    coefficient
    percent                12         41     0.818  0.101
    brennan_prediger       12         41     0.773  0.127
    fleiss                 12         41     0.761  0.135
    conger                 12         41     0.762  0.133
    light                  12         41     0.700  0.151
    gwet                   12         41     0.775  0.125
    krippendorff           12         41     0.743  0.141
    """
    if shares is not None:
        check_choice("shares", shares, SHARES)
    check_choice("interpretation", interpretation, [*BENCHMARKS, PROBABILISTIC])
    interval = IntervalOptions(
        ci, confidence_level, n_resamples, rng, progress, null, vary, population
    )
    models = models_of(data, coefficients, weights)
    reading = Reading(
        by, weights, categories, distance, missing, sample_weight, weight_type, cluster, sep=sep
    )
    study = read_together(data, raters, reading, models, allows_em=True)
    models = without_light(models, len(study.raters), coefficients)
    summaries, lost = summarise_together(study, models, interval, shares=shares)
    if lost:
        warn(lost, UndefinedKappaWarning)
    frame = agreement_frame(summaries, study.groups, interpretation)
    warn_of_undefined_rows(frame)
    return with_adjusted(result(frame, study.named_raters), p_adjust)


def summarise_together(
    study: Study,
    models: dict[str, MultiraterModel],
    interval: IntervalOptions,
    *,
    shares: str | None = None,
) -> tuple[dict[str, RaterFigures], str]:
    """Estimate coefficients of all raters; say what was lost if limits are resampled."""
    check_raters_vary(interval.vary, study.reading, study.data, len(study.raters))
    if _is_of_a_pair(study, models, shares):
        return _of_the_pair(study, models, interval)
    by_items = shares != "ratings"
    missing = study.reading.missing == "em"
    if missing:
        check_joint(study.rows, interval.ci)
    given: dict[str, Any] = {"ci": interval.first, "level": interval.level, "null": interval.null}
    given["by_items"] = by_items
    drawn = study.rows if interval.ci != interval.first else None  # before anything is computed
    rows = study.ratings.compressed()
    left = left_of_population(study, interval, rows.n_items)
    if missing:
        summaries = summarise_many_missing(wide(rows), study.scale, models, **given)
    else:
        alone = {name: model for name, model in models.items() if name == "light"}
        if interval.vary != "items":
            alone = models
        found = summarise_many(rows, study.scale, alone, left=left, **given) if alone else {}
        others = {name: model for name, model in models.items() if name not in found}
        if others:
            found |= summarise_many(merged(rows), study.scale, others, left=left, **given)
        summaries = {name: found[name] for name in models}
    if interval.vary != "items":
        summaries = with_raters_as_sample(
            summaries, rows, study.scale, models, vary=interval.vary, **given
        )
    if drawn is None:
        return summaries, ""
    return resample_many(summaries, drawn, study.scale, models, interval, by_items=by_items)


def _is_of_a_pair(study: Study, models: dict[str, MultiraterModel], shares: str | None) -> bool:
    """Whether all raters are a pair, and nobody asks for the shares of single ratings."""
    anonymous = isinstance(study.data, Counted) and study.data.anonymous
    by_ranks = krippendorff_ordinal in models.values()  # whose metric depends on the ratings
    if len(study.raters) != PAIR or anonymous or by_ranks:
        return False
    return shares is None or not (study.ratings.n_ratings == 1).any()


def _of_the_pair(
    study: Study, models: dict[str, MultiraterModel], interval: IntervalOptions
) -> tuple[dict[str, RaterFigures], str]:
    """Give the figures of the pair where there are only two raters: one question, one answer."""
    of_pairs = {row.many: name for name, row in COEFFICIENTS.items()} | {"light": "cohen"}
    rows = study.ratings
    subject, _ = rows.by_rater.occurring()
    n_active = np.bincount(subject // rows.n_raters, minlength=rows.n_groups)
    summaries, lost = {}, dict[str, str]()
    for name in models:
        found = estimate(study, of_pairs[name], interval)
        same = {one.name: getattr(found.summary, one.name) for one in fields(Figures)}
        same["reason"] = found.column("reason")
        summaries[name] = RaterFigures(
            **same,
            n_raters=n_active.astype(np.float64),
            n_ratings=rows.total(rows.n_ratings),
            influence=np.empty(0),
        )
        lost[found.lost] = name
    return summaries, " ".join(filter(None, lost))


def read_together(
    data: pd.DataFrame | Counted | Listed,
    raters: Raters | None,
    reading: Reading,
    models: dict[str, MultiraterModel],
    *,
    allows_em: bool = False,
) -> Study:
    """Read the ratings for coefficients of all raters; an ordinal metric starts from ranks."""
    needs_order, identity = None, any(MULTIRATER[name].of_persons for name in models)
    if _is_ordinal_metric(reading.weights):
        needs_order = f"weights={reading.weights!r}"
        reading = replace(reading, weights="quadratic", distance="rank")
    study = read(
        data,
        raters,
        reading,
        needs_order=needs_order,
        needs_identity=identity,
        allows_em=allows_em,
        of_crowds=True,
    )
    study.warn_of_categories(models)
    return study


def _listed(coefficients: Any) -> list[str]:
    """Return the coefficients that the user listed, at least one."""
    listed = [coefficients] if isinstance(coefficients, str) else coefficients
    names = list(listed) if pd.api.types.is_list_like(listed) else []
    if not names:
        message = (
            f"coefficients must be None or a list of one coefficient or more, got "
            f"{shown(coefficients)}. Choose some of: {', '.join(map(repr, MULTIRATER))}."
        )
        raise OptionError(message)
    return names


def without_light(
    models: dict[str, MultiraterModel], n_raters: int, named: Sequence[str] | None
) -> dict[str, MultiraterModel]:
    """Leave out the mean over all pairs where raters are many, unless the user named it."""
    if named is not None or n_raters <= MOST_RATERS_OF_LIGHT or "light" not in models:
        return models
    warn(
        f"'light' is left out: {n_raters} raters are {n_raters * (n_raters - 1) // 2} pairs, many "
        f"of whom share few items or none. By default it is for up to {MOST_RATERS_OF_LIGHT} "
        "raters; name it in coefficients=[...] to have it.",
        LeftOutWarning,
    )
    return {name: model for name, model in models.items() if name != "light"}


def _is_ordinal_metric(weights: Weights | None) -> bool:
    """Whether the weights are Krippendorff's ordinal metric."""
    return isinstance(weights, str) and weights == ORDINAL_METRIC


def models_of(
    data: pd.DataFrame | Counted | Listed,
    coefficients: Sequence[str] | None,
    weights: Weights | None,
) -> dict[str, MultiraterModel]:
    """Return the coefficients of all raters that the user wants."""
    anonymous = isinstance(data, Counted) and data.anonymous
    known = [name for name, row in MULTIRATER.items() if not (anonymous and row.of_persons)]
    names = known if coefficients is None else _listed(coefficients)
    for name in names:
        check_choice("coefficients", name, MULTIRATER, SYNONYMS)
    if not _is_ordinal_metric(weights):
        return {name: MULTIRATER[name] for name in names}
    if names != ["krippendorff"]:
        message = (
            f"weights={ORDINAL_METRIC!r} belongs to Krippendorff's alpha alone, for which the "
            "metric depends on the ratings. Pass coefficients=['krippendorff']."
        )
        raise OptionError(message)
    return {"krippendorff": krippendorff_ordinal}
