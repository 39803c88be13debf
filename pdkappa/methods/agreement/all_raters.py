"""Coefficients of all raters together."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pdkappa.coefficients.score_limits import BENCHMARKS, PROBABILISTIC
from pdkappa.errors import (
    UndefinedKappaWarning,
    check_choice,
    warn,
)
from pdkappa.methods.agreement.together import (
    SHARES,
    models_of,
    read_together,
    summarise_together,
    without_light,
)
from pdkappa.methods.estimates.options import IntervalOptions, gate, with_adjusted
from pdkappa.methods.estimates.pair_frames import agreement_frame, warn_of_undefined_rows
from pdkappa.present.text_tables import result
from pdkappa.ratings.options import Reading

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
    from pdkappa.ratings.long_ratings import Listed


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
    """Estimate the agreement of all raters together, with every coefficient.

    How well do the raters agree as a group, beyond chance, and how precisely is that known? Missing
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
        default: all of them, except "light" for more than 200 raters, most pairs of whom share few
        items.
    weights : str, array, DataFrame, callable or None, default None
        How much each disagreement counts; None counts all equally. See `pairs`. Here
        "krippendorff_ordinal", too: Krippendorff's own ordinal metric, for that coefficient
        alone; it is not the "ordinal" of Gwet, and depends on how often each category was used.
    categories : list or dict, optional
        The categories in order, or their scores ``{category: score}``. See `pairs`.
    distance : {"value", "rank"}
        Whether distances are those of the values or of the ranks of the categories.
    missing : {"pairwise", "listwise", "raise", "em"}
        Use all ratings, use only the items that all raters rated, or raise an error; or
        estimate the joint distribution of all raters by the EM algorithm. See `pairs`.
    sample_weight : column label or array of shape (N,), optional
        How much each item counts: by default, 2 counts an item twice.
    weight_type : {"frequency", "probability"} or None
        Whether weights are numbers of items or sampling weights, of which only the proportions
        matter; see `pdkappa.pairs`. None: numbers of items, if they are whole.
    population : number or dict or Series, optional
        Number of items in the population from which those in `data` were sampled. See `pairs`.
    cluster : column label or array of shape (N,), optional
        Items are nested in clusters, such as the essays of one student: standard errors
        count by cluster. The estimates are the same.
    vary : {"items", "raters", "both"}
        What standard errors, limits and tests treat as a random sample: the items, with these
        raters fixed; the raters, with these items fixed; or both. Random raters need three or more,
        and have no score limits: "auto" is then "fisher". See the notes.
    ci : {"auto", "fisher", "wald", "percentile", "bca", "jackknife"}
        "auto": score limits for coefficients whose chance agreement depends on the category
        shares, and limits on Fisher's z scale for the others. "fisher": the latter for all.
        "wald": estimate plus and minus t quantiles times the standard error. The others
        resample. See `pairs`.
    confidence_level : float, default 0.95
        Between 0 and 1.
    null : float, default 0
        The agreement that is tested, between -1 and 1. See `pairs`.
    n_resamples : int, default 2000
        Number of resamples for the limits that need them, up to 1,000,000.
    rng : None, int or numpy Generator
        Random number generator or seed of the resamples; a number makes them reproducible.
    progress : bool or callable, default False
        Whether to show a progress bar of the resamples, or a function of ``(done, total)``.
    shares : {None, "items", "ratings"}
        Whether category shares are averaged over items, so that an item with many ratings counts
        no more than one with few (Gwet), or over the ratings of all items with two or more.
        Without effect on "conger", "light" and "krippendorff", and if all items have the same
        number of ratings. By default "items", except for two raters, where items with a single
        rating are then ignored as in `pairs`.
    interpretation : {"landis_koch", "krippendorff", "altman", "fleiss", "cicchetti", "gwet"}
        The scheme of the verbal labels. "gwet" gives the level of Landis and Koch that is
        reached with 95 % probability. Labels are conventions: they take no account
        of the number of categories or of the consequences of an error. "percent" has none: the
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
        interpretation, reason, remark``. The estimate is at most 1; with missing ratings, and for
        "gwet" and "brennan_prediger", it may be less than -1. `p_value` is two-sided, and
        inverts the limits as in `pairs`. Reasons for NaN:

        - ``no_items``, ``no_joint_items``: there are no ratings, or no item has two;
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

        "percent" has no test against chance; no reason is given for that. `remark` is as in
        `pairs`; that of Light's kappa depends on the mean number of items that two raters share.

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
    pairs : Agreement of each pair of raters.
    influence : What each item does to a coefficient.

    Notes
    -----
    Every coefficient but "light" is ``1 - D_o / D_e``. Observed disagreement is the mean, over
    items with two ratings or more, of the disagreement of their pairs of ratings; for
    Krippendorff's alpha every rating of such an item has the same weight. Expected disagreement
    depends on the chance model: pooled category shares (fleiss), each rater's shares (conger),
    equal shares (brennan_prediger), Gwet's model, or two ratings drawn without replacement
    (krippendorff). "light", its observed and its expected agreement are the means over the pairs
    of raters whose kappa is defined; others are left out without a warning.

    With two raters each row equals that of `pairs`, to the last bit: fleiss is Scott's pi, and
    conger and light are Cohen's kappa. With more raters, an item with one rating counts in the
    category shares of fleiss, conger and gwet [1]_; with two raters, it does if `shares` is
    "items".

    With three raters or more, standard errors come from influence values and divide by
    n (n - 1), n being the number of items with a rating. With missing ratings they differ from
    those of Gwet's book, which treats the share of items with two ratings as fixed [1]_.

    These standard errors treat the raters as fixed. For a population of raters, limits need
    ``vary="both"``. As in Gwet's book (section 5.4) and Stata's kappaetc [4]_, the variance over R
    raters is that of the jackknife, ``(R - 1) / R * sum((t - mean(t))**2)`` with t the coefficient
    without one of them, and is added to that over the items. The degrees of freedom of the sum are
    Satterthwaite's, R - 1 for the raters alone, where kappaetc has n - 1 for either. In
    simulations with 3, 5, 8 and 15 raters of 100 items, whose bias and noise vary, 95 % limits
    cover the population's value in .93 to .96 of samples, and those with fixed raters in .39 to
    .78. The same jackknife is used for "conger" and "light". Every coefficient is computed again
    without each rater, which is slow for hundreds of raters.

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
