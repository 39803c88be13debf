"""Tests of differences: `compare`, `compare_groups`, `homogeneity`."""

from __future__ import annotations

from itertools import combinations
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from pdkappa.coefficients.chance import COEFFICIENTS
from pdkappa.coefficients.influence import moments_of_pairs
from pdkappa.coefficients.pair_kappas import correlation, of_pairs
from pdkappa.errors import OptionError, RatingsError, listing
from pdkappa.methods.comparisons.differences import (
    PAIR,
    all_equal,
    by_group,
    by_margin,
    check_different,
    check_margin,
    columns_named,
    contrast,
    independent_difference,
    kappas_of,
    never_exact,
    read_compared,
    repeated,
    tested,
    with_no_weight,
)
from pdkappa.methods.estimates.options import check_level, gate, with_adjusted
from pdkappa.methods.estimates.pair_frames import (
    check_covariances,
    remarks_of,
    warn_if_undefined,
    whole,
)
from pdkappa.present.text_tables import result
from pdkappa.ratings.options import Reading

if TYPE_CHECKING:
    from pdkappa._typing import (
        Adjustment,
        By,
        Categories,
        Coefficient,
        ItemWeights,
        Label,
        Missing,
        Raters,
        Weights,
        WeightType,
    )
    from pdkappa.methods.comparisons.differences import Contrast
    from pdkappa.ratings.coded import Counted

FEWEST_TO_DIFFER = 3


@gate
def compare(
    data: pd.DataFrame | Counted,
    first: Raters,
    second: Raters,
    *,
    margin: float | None = None,
    by: By | None = None,
    coefficient: Coefficient = "cohen",
    weights: Weights | None = None,
    categories: Categories | None = None,
    missing: Missing = "pairwise",
    sample_weight: ItemWeights | None = None,
    weight_type: WeightType | None = None,
    cluster: ItemWeights | None = None,
    confidence_level: float = 0.95,
    p_adjust: Adjustment | None = None,
) -> pd.DataFrame:
    """Compare the agreement of two pairs of raters on the same items.

    Does the first model agree with the human better than the second? Coefficients of the same
    items are dependent, especially if the pairs share a rater; tests for independent coefficients
    then miss real differences.

    Parameters
    ----------
    data : DataFrame, shape (N, ...)
        One row for each item, one column for each rater. Never changed.
    first, second : pair of column labels
        Such as ``("human", "model_1")`` and ``("human", "model_2")``. They may share a
        rater or none.
    margin : float, optional
        The largest difference that does not matter. Adds tests that the first pair agrees less by
        no more than this (non-inferiority), and that the two differ by less (equivalence).
    by : column label or list of column labels, optional
        One comparison for each group. To compare groups with each other, use
        `compare_groups`.
    coefficient : {"cohen", "scott", "brennan_prediger", "gwet", "krippendorff", "percent"}
        How chance agreement is defined. See `pairs`.
    weights : str, array, DataFrame, callable or None, default None
        How much each disagreement counts; None counts all equally. See `pairs`.
    categories : list or dict, optional
        The categories in order, or their scores ``{category: score}``. See `pairs`.
    missing : {"pairwise", "listwise", "raise"}
        Use the items that both raters of a pair rated, or that all raters in question
        rated, or refuse.
    sample_weight : column label or array of shape (N,), optional
        How much each item counts: by default, 2 counts an item twice.
    weight_type : {"frequency", "probability"} or None
        Whether weights are numbers of items or sampling weights, of which only the proportions
        matter; see `pairs`. None: numbers of items, if they are whole.
    cluster : column label or array of shape (N,), optional
        Items are nested in clusters, such as the essays of one student: the standard
        error counts by cluster.
    confidence_level : float, default 0.95
        Between 0 and 1.
    p_adjust : {None, "bonferroni", "sidak", "holm", "holm-sidak", "simes-hochberg", "hommel", \
"fdr_bh", "fdr_by"}
        Adjust p-values for their number, in the column ``p_adjusted`` after ``p_value``. The
        groups of `by` with a p-value are one family.

    Returns
    -------
    DataFrame
        One row (for each group): ``first, second, n_items, difference, se, ci_low, ci_high,
        z, p_value, estimate_first, estimate_second, correlation, n_first, n_second,
        reason, remark``. `n_items` counts the items that one pair or both
        rated, `n_first` and `n_second` those of each pair. `difference` is first minus second,
        `correlation` that of the two estimates over samples of items, in [-1, 1]. `p_value`
        is two-sided. Reasons for NaN:

        - ``no_items``, ``no_joint_items``, ``zero_total_weight``: nothing to compare;
        - ``constant_ratings``: both raters of a pair used one and the same category, 0/0;
        - ``constant_rater``: a rater used a single category, so that Cohen's kappa is 0
          whatever the items are, and has no standard error;
        - ``n_lt_2``: no standard error from fewer than two items (or clusters);
        - ``no_variance``: no item has any influence on the difference, as for a pair and
          itself: its standard error is 0, and there is no test and no interval.

        `remark` is empty, or says that a rater is expected to put fewer than ten items, or
        five, outside the most frequent category, or that the pairs of raters have fewer than
        thirty items on average: the test may then reject too often, or too rarely.

        With `margin` there are ``margin, p_non_inferior, p_equivalent`` after ``p_value``:
        the one-sided p-value of the hypothesis that the difference is ``-margin`` or less,
        and that of two one-sided tests, of the hypothesis that it is as far from zero as
        the margin. They are below a exactly if the interval at the level ``1 - 2 a`` lies
        above ``-margin``, or within both margins.

    Raises
    ------
    OptionError
        If `first` or `second` is not a pair of column labels, or `margin` is negative or not
        finite.
    DuplicateRatingError
        If a pair names one rater twice.
    KappaError
        If an option is not known, or the ratings cannot be read. See `pdkappa.errors`.

    Warns
    -----
    UndefinedKappaWarning
        Once, if some difference is NaN.

    See Also
    --------
    compare_groups : One pair of raters in several groups.
    homogeneity : All pairs at once.
    ceiling : A machine and the humans among themselves.

    Notes
    -----
    The influence of an item on the difference is that on the first coefficient minus that on the
    second, 0 for a pair that did not rate it. The squared standard error is the sum of the squared
    influences of n items, divided by n (n - 1); the test and the interval use t quantiles with n -
    1 degrees of freedom. This is the delta method for dependent kappas [1]_; a bootstrap [2]_ is
    not needed. Standard errors of a single coefficient in `pairs` divide by n squared. The tests
    with a margin use the same standard error; that of equivalence is Schuirmann's [3]_.

    Simulated with kappas of .6 and .85, 20 to 75 items and two to five categories, the error rate
    of the two-sided test at the level .05 is .03 to .07, and less if the raters disagree on a
    handful of items (.00 to .04 with a kappa of .85 and 20 items). It is too high if some
    categories have few items: with quadratic weights and shares down to .04, it is .10 to .12 with
    20 items and .09 with 40; without weights, it is .11 with 20 items for pairs that share no
    rater.

    References
    ----------
    .. [1] Vanbelle, S. (2017). Comparing dependent kappa coefficients obtained on
           multilevel data. Biometrical Journal, 59(5), 1016-1034.
           https://doi.org/10.1002/bimj.201600093
    .. [2] Vanbelle, S., & Albert, A. (2008). A bootstrap method for comparing correlated
           kappa coefficients. Journal of Statistical Computation and Simulation, 78(11),
           1009-1015. https://doi.org/10.1080/00949650701410249
    .. [3] Schuirmann, D. J. (1987). A comparison of the two one-sided tests procedure and
           the power approach for assessing the equivalence of average bioavailability.
           Journal of Pharmacokinetics and Biopharmaceutics, 15(6), 657-680.
           https://doi.org/10.1007/BF01068419

    Examples
    --------
    >>> df = pdkappa.datasets.load_essays()
    >>> humans, machine = ("human_1", "human_2"), ("human_1", "machine")
    >>> found = df.kappa.compare(humans, machine, by="essay_set", weights="quadratic")
    >>> found[["difference", "se", "p_value", "correlation"]].head(3).round(3)
               difference     se  p_value  correlation
    essay_set
    1              -0.009  0.024    0.716        0.564
    2               0.027  0.023    0.243        0.436
    3               0.028  0.032    0.389        0.440
    """
    confidence_level = check_level(confidence_level)
    if margin is not None:
        check_margin(margin)
    pairs = [_pair(first, "first"), _pair(second, "second")]
    reading = Reading(by, weights, categories, missing, sample_weight, weight_type, cluster)
    raters = list(dict.fromkeys([*pairs[0], *pairs[1]]))
    study = read_compared(data, raters, reading, coefficient)
    kappas = kappas_of(study, pairs, coefficient)
    difference = contrast(kappas, np.array([1.0, -1.0]))
    columns: dict[str, Any] = {
        "first": repeated(pairs[0], study.n_groups),
        "second": repeated(pairs[1], study.n_groups),
        "n_items": whole(kappas.rows.n_items),
        **tested(difference, confidence_level),
        **by_margin(difference, margin),
        "estimate_first": kappas.estimate[0],
        "estimate_second": kappas.estimate[1],
        "correlation": correlation(kappas),
        "n_first": whole(kappas.n_items[0]),
        "n_second": whole(kappas.n_items[1]),
        "reason": difference.reason,
    }
    return with_adjusted(by_group(study, columns, "difference"), p_adjust)


@gate
def homogeneity(
    data: pd.DataFrame | Counted,
    raters: Raters | None = None,
    *,
    by: By | None = None,
    coefficient: Coefficient = "cohen",
    weights: Weights | None = None,
    categories: Categories | None = None,
    missing: Missing = "pairwise",
    sample_weight: ItemWeights | None = None,
    weight_type: WeightType | None = None,
    cluster: ItemWeights | None = None,
    p_adjust: Adjustment | None = None,
) -> pd.DataFrame:
    """Test whether all pairs of raters agree equally well.

    Is one figure for the agreement of the raters enough, or does someone differ?

    Parameters
    ----------
    data : DataFrame, shape (N, ...)
        One row for each item, one column for each rater. Never changed.
    raters : list of column labels, optional
        Three or more. Default: all columns that can be ratings. See `pairs`.
    by : column label or list of column labels, optional
        One result for each group. See `pairs`.
    coefficient : {"cohen", "scott", "brennan_prediger", "gwet", "krippendorff", "percent"}
        How chance agreement is defined. See `pairs`.
    weights : str, array, DataFrame, callable or None, default None
        How much each disagreement counts; None counts all equally. See `pairs`.
    categories : list or dict, optional
        The categories in order, or their scores ``{category: score}``. See `pairs`.
    missing : {"pairwise", "listwise", "raise"}
        Use the items that both raters of a pair rated, use those that all raters rated, or raise
        an error.
    sample_weight : column label or array of shape (N,), optional
        How much each item counts: by default, 2 counts an item twice.
    weight_type : {"frequency", "probability"} or None
        Whether weights are numbers of items or sampling weights, of which only the proportions
        matter; see `pairs`. None: numbers of items, if they are whole.
    cluster : column label or array of shape (N,), optional
        Items are nested in clusters, such as the essays of one student: standard errors, limits
        and tests count clusters. See `pairs`.
    p_adjust : {None, "bonferroni", "sidak", "holm", "holm-sidak", "simes-hochberg", "hommel", \
"fdr_bh", "fdr_by"}
        Adjust p-values for their number, in the column ``p_adjusted`` after ``p_value``. The
        groups of `by` with a p-value are one family.

    Returns
    -------
    DataFrame
        One row (for each group): ``n_items, f, df1, df2, p_value, n_pairs, reason, remark``. `f`
        is not negative; `df1` lies between 1 and the number of pairs less one. Reasons for NaN are
        those of any pair, as in `compare`, and ``no_variance``: no difference of the pairs varies.
        `remark` says where a category is too rare, as in `compare`.

    Raises
    ------
    RatingsError
        If there are fewer than three raters.
    TooLargeError
        If there are more than 128 raters: every pair has a covariance with every other.
    KappaError
        If an option is not known, or the ratings cannot be read. See `pdkappa.errors`.

    Warns
    -----
    UndefinedKappaWarning
        Once, if some statistic is NaN.

    See Also
    --------
    compare : Two of the pairs.

    Notes
    -----
    With k the coefficients of P pairs, S their covariances and ``T = I - J / P``, the
    statistic is ``F = k'Tk / tr(TS)``, the ANOVA-type statistic [1]_. Its degrees of freedom are
    ``tr(TS)**2 / tr(TSTS)``, corrected for the estimation of S from n items (or clusters), and
    n - 1 times as many. Of the corrections, that for normal values [2]_ is too small where few
    items carry the disagreement, and the one that assumes nothing [3]_ is too large where pairs
    have few items: their geometric mean is taken, at most P - 1 and 3 (n - 1). It is the F test of
    repeated measures with the influence values of the items in the place of measurements.

    Simulated with three to eight raters, 40 to 150 items and kappas of .3 and .6, it rejects
    equal kappas at the level .05 in .02 to .08 of the samples, and up to .13 where one item in
    twenty is in the rarer of two categories. Where raters disagree on a handful of items, as with a
    kappa of .85 and 40 items, it rejects less often, down to never: so few disagreements can fall
    in few ways only. Of 20 items with a fifth of the ratings missing, quadratic weights and a
    category that one item in twenty is in, it rejects in .13 to .21 of the samples, and says so.

    References
    ----------
    .. [1] Brunner, E., Dette, H., & Munk, A. (1997). Box-type approximations in nonparametric
           factorial designs. Journal of the American Statistical Association, 92(440),
           1494-1502. https://doi.org/10.1080/01621459.1997.10473671
    .. [2] Huynh, H., & Feldt, L. S. (1976). Estimation of the Box correction for degrees of
           freedom from sample data in randomized block and split-plot designs. Journal of
           Educational Statistics, 1(1), 69-82. https://doi.org/10.3102/10769986001001069
    .. [3] Brunner, E., Bathke, A. C., & Placzek, M. (2012). Estimation of Box's epsilon for low-
           and high-dimensional repeated measures designs with unequal covariance matrices.
           Biometrical Journal, 54(3), 301-316. https://doi.org/10.1002/bimj.201100160

    Examples
    --------
    >>> df = pdkappa.datasets.load_anxiety()
    >>> found = df.kappa.homogeneity(weights="quadratic")
    >>> found[["n_items", "f", "df1", "df2", "p_value"]].round(3)
       n_items      f  df1   df2  p_value
    0       20  0.654  2.0  38.0    0.526
    """
    reading = Reading(by, weights, categories, missing, sample_weight, weight_type, cluster)
    study = read_compared(data, raters, reading, coefficient)
    n_raters = len(study.coded.raters)
    check_covariances(n_raters, study.n_groups)
    model, scale = COEFFICIENTS[coefficient], study.scale
    pairs = list(combinations(range(n_raters), 2))
    # Influence values of all pairs would fill the memory; their covariances do without.
    kappas = of_pairs(study.rows.compressed(), scale, model, pairs, keep_influence=False)
    moments = moments_of_pairs(kappas.rows, scale, model)
    _check_enough(study.coded.raters)
    test = all_equal(kappas, moments)
    columns: dict[str, Any] = {
        "n_items": whole(kappas.rows.n_items),
        "f": test.f,
        "df1": test.df1,
        "df2": test.df2,
        "p_value": test.p_value,
        "n_pairs": np.full(study.n_groups, len(pairs)),
        "reason": test.reason,
    }
    return with_adjusted(by_group(study, columns, "f"), p_adjust)


def _pair(given: Any, option: str) -> tuple[Label, Label]:
    """Return a pair of raters as the user named it."""
    names = columns_named(given, option, "a pair of raters")
    if len(names) != PAIR:
        message = (
            f"{option} must be a pair of raters, got {len(names)} column(s): {listing(names)}. "
            f"Write {option}=('human', 'model')."
        )
        raise OptionError(message)
    check_different(names, option)
    return names[0], names[1]


def _check_enough(raters: list[Label]) -> None:
    """Make sure that there are two pairs or more."""
    if len(raters) < FEWEST_TO_DIFFER:
        message = (
            f"homogeneity needs three raters or more, got {len(raters)}: {listing(raters)}. "
            "Two raters are one pair; pairs() has its test."
        )
        raise RatingsError(message)


@gate
def compare_groups(
    data: pd.DataFrame,
    rater_a: Label,
    rater_b: Label,
    *,
    by: By,
    margin: float | None = None,
    coefficient: Coefficient = "cohen",
    weights: Weights | None = None,
    categories: Categories | None = None,
    missing: Missing = "pairwise",
    sample_weight: ItemWeights | None = None,
    weight_type: WeightType | None = None,
    cluster: ItemWeights | None = None,
    confidence_level: float = 0.95,
    p_adjust: Adjustment | None = None,
) -> pd.DataFrame:
    """Compare the agreement of two raters between groups of items.

    Do the raters agree better on one essay set than on another, on the essays of one
    school than on those of another? The items of two groups are independent, so the
    variances add. Ratings of the same items at two times, or of the same persons, are not:
    compare them with `compare`.

    Parameters
    ----------
    data : DataFrame, shape (N, ...)
        One row for each item. Never changed.
    rater_a, rater_b : column labels
        The two raters.
    by : column label or list of column labels
        What defines the groups, two or more. Rows with a missing group are left out.
    margin : float, optional
        The largest difference that does not matter. Adds the tests that the first group agrees
        less by no more than this (non-inferiority), and that the two differ by less (equivalence).
    coefficient : {"cohen", "scott", "brennan_prediger", "gwet", "krippendorff", "percent"}
        How chance agreement is defined. See `pairs`.
    weights : str, array, DataFrame, callable or None, default None
        How much each disagreement counts; None counts all equally. See `pairs`.
    categories : list or dict, optional
        The categories in order, or their scores ``{category: score}``. See `pairs`.
    missing : {"pairwise", "listwise", "raise"}
        Use the items that both raters of a pair rated, use those that all raters rated, or raise
        an error.
    sample_weight : column label or array of shape (N,), optional
        How much each item counts: by default, 2 counts an item twice.
    weight_type : {"frequency", "probability"} or None
        Whether weights are numbers of items or sampling weights, of which only the proportions
        matter; see `pairs`. None: numbers of items, if they are whole.
    cluster : column label or array of shape (N,), optional
        Items are nested in clusters, and the standard error counts by cluster. A cluster that
        spans two groups is treated as one in each: the covariance of the two groups is then
        ignored.
    confidence_level : float, default 0.95
        Between 0 and 1.
    p_adjust : {None, "bonferroni", "sidak", "holm", "holm-sidak", "simes-hochberg", "hommel", \
"fdr_bh", "fdr_by"}
        Adjust p-values for their number, in the column ``p_adjusted`` after ``p_value``. All
        comparisons with a p-value are one family.

    Returns
    -------
    DataFrame
        One row for every two groups: the columns of `compare` without `correlation`, with the
        labels of the groups as `first` and `second`, tuples if `by` names several columns. The
        p-values are adjusted for their number by `p_adjust` alone. Reasons for NaN, the `remark`
        on a rare category of either group, and the columns for `margin` are as in `compare`.

    Raises
    ------
    OptionError
        If `margin` is negative or not finite.
    RatingsError
        If there are fewer than two groups.
    KappaError
        If an option is not known, or the ratings cannot be read. See `pdkappa.errors`.

    Warns
    -----
    UndefinedKappaWarning
        Once, if some difference is NaN.

    See Also
    --------
    compare : Two pairs of raters on the same items.
    grouped : The agreement in each group, and its mean.

    Notes
    -----
    The difference has the variance ``v_1 + v_2``, and the t distribution the degrees of
    freedom of Welch and Satterthwaite [1]_, with those of each group one less than its
    items (or clusters).

    Raters who agree on every item of a small group have a standard error of zero there, although
    they may disagree on the next item. If this is so in one of two groups, its estimate and
    standard error for `se`, the limits, `z` and `p_value` are those with one pseudo-item that
    disagrees as often as expected by chance; `difference` is that of the original estimates. If it
    is so in both, there is no test: ``no_variance``.

    In simulated groups of 40 and 75 items with equal kappas of .3 to .8, the error rate of the test
    at the level .05 is .05 to .08. Fifteen items are too few if a category is rare: compared with
    40 items, the error rate is .10 to .17; if all categories are common, it is .02 to .07.

    References
    ----------
    .. [1] Welch, B. L. (1947). The generalization of 'Student's' problem when several
           different population variances are involved. Biometrika, 34(1-2), 28-35.
           https://doi.org/10.1093/biomet/34.1-2.28

    Examples
    --------
    >>> df = pdkappa.datasets.load_essays()
    >>> found = df.kappa.compare_groups("human_1", "human_2", by="essay_set")
    >>> found[["first", "second", "difference", "se", "p_value"]].head(2).round(3)
       first  second  difference     se  p_value
    0      1       2      -0.269  0.050      0.0
    1      1       3      -0.227  0.055      0.0
    """
    confidence_level = check_level(confidence_level)
    if margin is not None:
        check_margin(margin)
    pair = (rater_a, rater_b)
    check_different(pair, "The pair")
    reading = Reading(by, weights, categories, missing, sample_weight, weight_type, cluster)
    study = read_compared(data, list(pair), reading, coefficient)
    kappas = kappas_of(study, [pair], coefficient)
    labels = _two_or_more(study.groups.labels)
    pairs = list(combinations(range(len(labels)), 2))
    one, other = (list(side) for side in zip(*pairs, strict=True))
    difference, remarks = _differences(never_exact(kappas), pairs), remarks_of(study.rows)
    empty = study.groups.no_weight
    columns: dict[str, Any] = {
        "first": labels.take(one).to_numpy(),
        "second": labels.take(other).to_numpy(),
        "n_items": whole(kappas.n_items[0][one] + kappas.n_items[0][other]),
        **tested(difference, confidence_level),
        **by_margin(difference, margin),
        "difference": kappas.estimate[0][one] - kappas.estimate[0][other],
        "estimate_first": kappas.estimate[0][one],
        "estimate_second": kappas.estimate[0][other],
        "n_first": whole(kappas.n_items[0][one]),
        "n_second": whole(kappas.n_items[0][other]),
        "reason": with_no_weight(empty[one] | empty[other], difference.reason),
        "remark": np.where(remarks[one] != "", remarks[one], remarks[other]),
    }
    frame = pd.DataFrame(columns)
    places = [f"{a!r} with {b!r}" for a, b in zip(frame["first"], frame["second"], strict=True)]
    undefined = frame["difference"].isna()
    warn_if_undefined("comparison", undefined, frame["reason"], places.__getitem__)
    return with_adjusted(result(frame, pair), p_adjust)


def _two_or_more(groups: pd.Index | None) -> pd.Index:
    """Return the labels of the groups, of which there must be two or more."""
    n_groups = 0 if groups is None else len(groups)
    if groups is None or n_groups < PAIR:
        message = f"compare_groups needs two groups or more, got {n_groups}. Pass another by."
        raise RatingsError(message)
    return groups


def _differences(alone: Contrast, pairs: list[tuple[int, int]]) -> Contrast:
    """Subtract the coefficient of one group from that of another, for some pairs of groups."""
    parts = [independent_difference(alone, one, other) for one, other in pairs]
    return type(alone)(*(np.concatenate(field) for field in zip(*parts, strict=True)))
