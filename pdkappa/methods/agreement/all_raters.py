"""Coefficients of all raters together."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pdkappa.coefficients.benchmarks import BENCHMARKS, PROBABILISTIC
from pdkappa.errors import (
    UndefinedKappaWarning,
    check_choice,
    warn,
)
from pdkappa.estimation.adjusted import with_adjusted
from pdkappa.estimation.frames import agreement_frame
from pdkappa.estimation.gate import gate
from pdkappa.estimation.intervals import IntervalOptions
from pdkappa.estimation.undefined import warn_of_undefined_rows
from pdkappa.methods.agreement.together import (
    SHARES,
    models_of,
    read_together,
    summarise_together,
    without_light,
)
from pdkappa.present.text.result import result
from pdkappa.ratings.reading import Reading

if TYPE_CHECKING:
    from collections.abc import Sequence

    import pandas as pd

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
    from pdkappa.ratings.coded import Counted
    from pdkappa.ratings.long import Listed


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
        "krippendorff_ordinal", too: Krippendorff's own ordinal metric, for that coefficient
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
        reached with 95 % probability. Labels are conventions: they take no account
        of the number of categories or of what is at stake. "percent" has none: the schemes
        are for coefficients that correct for chance.
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
        interpretation, reason, remark``. The estimate is at most 1; with missing ratings, and by
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

        "percent" has no test of chance, for which no reason is given. `remark` is as in `pairs`;
        that of Light's kappa goes by the items that two raters share on average.

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

    These errors are about these very raters. Where they stand for a population of raters who
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
