"""Tests of differences: `compare`, `compare_groups`, `homogeneity`."""

from __future__ import annotations

from itertools import combinations
from typing import TYPE_CHECKING, Any

import numpy as np

from pdkappa.coefficients.all_raters import MULTIRATER
from pdkappa.coefficients.chance import COEFFICIENTS
from pdkappa.coefficients.influence import moments_of_pairs
from pdkappa.coefficients.pair_kappas import correlation, of_pairs
from pdkappa.errors import OptionError, RatingsError, check_choice, listing
from pdkappa.methods.comparisons.differences import (
    PAIR,
    all_equal,
    by_group,
    by_margin,
    check_different,
    columns_named,
    contrast,
    kappas_of,
    read_compared,
    repeated,
    tested,
)
from pdkappa.methods.estimates import asked as has
from pdkappa.methods.estimates.asks import asks, option
from pdkappa.methods.estimates.group_differences import differences_of_groups
from pdkappa.methods.estimates.options import IntervalOptions, with_adjusted
from pdkappa.methods.estimates.pair_frames import (
    SYNONYMS,
    check_covariances,
    whole,
)
from pdkappa.methods.estimates.together import SYNONYMS_OF_ALL, summarise_together

if TYPE_CHECKING:
    import pandas as pd

    from pdkappa._typing import Label
    from pdkappa.coefficients.all_raters import MultiraterModel
    from pdkappa.coefficients.intervals import RaterFigures
    from pdkappa.present.text_tables import Result
    from pdkappa.ratings.coded import Counted

FEWEST_TO_DIFFER = 3


class OfPairsOfRaters(
    has.By, has.Coefficient, has.Weights, has.Categories, has.Missing, has.WeightType, has.Cluster
):
    """How pairs of raters are read, and what they are compared by."""


class OfCompare(OfPairsOfRaters, has.Level, has.Margin, has.Adjusted):
    """Options of `compare`."""

    first: tuple[Label, Label] = option(
        'Such as ``("human", "model_1")``.', "pair of column labels", kw_only=False
    )
    second: tuple[Label, Label] = option(
        'Such as ``("human", "model_2")``. The two pairs may share a rater or none.',
        "pair of column labels",
        kw_only=False,
    )


@asks(
    OfCompare,
    by="To compare groups with each other, use `compare_groups`.",
    missing="Here those of a pair, or all raters in question.",
    p_adjust="The groups of `by` with a p-value are one family.",
)
def compare(data: pd.DataFrame | Counted, asked: OfCompare) -> Result:
    """Compare the agreement of two pairs of raters on the same items.

    Does the first model agree with the human better than the second? Coefficients of the same
    items are dependent, especially if the pairs share a rater; tests for independent coefficients
    then miss real differences.

    Returns
    -------
    DataFrame
        One row (for each group): ``first, second, n_items, difference, se, ci_low, ci_high, z,
        p_value, p_adjusted, margin, p_non_inferior, p_equivalent, estimate_first, estimate_second,
        correlation, n_first, n_second, reason, remark``. `n_items` counts the items that one pair
        or both rated, `n_first` and `n_second` those of each pair. `difference` is first minus
        second, `correlation` that of the two estimates over samples of items, in [-1, 1]. `p_value`
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

        `p_non_inferior` and `p_equivalent` need a `margin`:
        the one-sided p-value of the hypothesis that the difference is ``-margin`` or less,
        and that of two one-sided tests, of the hypothesis that it is as far from zero as
        the margin. They are below a exactly if the interval at the level ``1 - 2 a`` lies
        above ``-margin``, or within both margins.

    Raises
    ------
    OptionError
        If `first` or `second` is not a pair of column labels.
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
    pairs = [_pair(asked.first, "first"), _pair(asked.second, "second")]
    raters = list(dict.fromkeys([*pairs[0], *pairs[1]]))
    study = read_compared(data, raters, asked.reading, asked.coefficient)
    kappas = kappas_of(study, pairs, asked.coefficient)
    difference = contrast(kappas, np.array([1.0, -1.0]))
    columns: dict[str, Any] = {
        "first": repeated(pairs[0], study.n_groups),
        "second": repeated(pairs[1], study.n_groups),
        "n_items": whole(kappas.rows.n_items),
        **tested(difference, asked.level),
        **by_margin(difference, asked.margin),
        "estimate_first": kappas.estimate[0],
        "estimate_second": kappas.estimate[1],
        "correlation": correlation(kappas),
        "n_first": whole(kappas.n_items[0]),
        "n_second": whole(kappas.n_items[1]),
        "reason": difference.reason,
    }
    return with_adjusted(by_group(study, columns, "difference"), asked.p_adjust)


class OfHomogeneity(has.Raters, OfPairsOfRaters, has.Adjusted):
    """Options of `homogeneity`."""


@asks(
    OfHomogeneity,
    raters="Here three or more.",
    p_adjust="The groups of `by` with a p-value are one family.",
)
def homogeneity(data: pd.DataFrame | Counted, asked: OfHomogeneity) -> Result:
    """Test whether all pairs of raters agree equally well.

    Is one figure for the agreement of the raters enough, or does someone differ?

    Returns
    -------
    DataFrame
        One row (for each group): ``n_items, f, df1, df2, p_value, p_adjusted, n_pairs, reason,
        remark``. `f`
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
    study = read_compared(data, asked.raters, asked.reading, asked.coefficient)
    n_raters = len(study.coded.raters)
    check_covariances(n_raters, study.n_groups)
    model, scale = COEFFICIENTS[asked.coefficient], study.scale
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
    return with_adjusted(by_group(study, columns, "f"), asked.p_adjust)


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


class OfCompareGroups(
    has.Raters,
    has.ByGroups,
    has.PairOrAll,
    has.Weights,
    has.Categories,
    has.Missing,
    has.WeightType,
    has.Cluster,
    has.Formula,
    has.Margin,
    has.Adjusted,
):
    """Options of `compare_groups`."""

    of_both = (
        "Limits of differences were made of those of both groups as if these were of variances "
        "(Zou & Donner, 2008)."
    )


@asks(
    OfCompareGroups,
    cluster="A cluster that spans two groups counts as one in each: their covariance is ignored.",
    p_adjust="All comparisons with a p-value are one family.",
)
def compare_groups(data: pd.DataFrame | Counted, asked: OfCompareGroups) -> Result:
    """Compare the agreement of raters between groups of items.

    Do the raters agree better on one essay set than on another, on the essays of one school than on
    those of another? Two raters or all together are compared, with the coefficient of a pair or of
    all. The items of two groups are independent. Ratings of the same items at two times, or of the
    same persons, are not: compare them with `compare`.

    Returns
    -------
    DataFrame
        One row for every two groups: the columns of `compare` without `correlation`, with the
        labels of the groups as `first` and `second`, tuples if `by` names several columns.
        `difference` is first minus second. Its limits come from those of both groups, and the
        p-values, with or without a `margin`, are the levels at which its limits reach the null.
        Reasons for NaN are those of the groups in `pairs` or `agreement`; `remark` holds those on
        the limits of both.
        ``attrs["all_groups"]`` holds ``q``, ``df`` and ``p_value`` of the test that all groups have
        the same coefficient.

    Raises
    ------
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
    With the coefficients k1 and k2 of two groups and their limits l and u, the limits of the
    difference are ``k1 - k2 - sqrt((k1 - l1)**2 + (u2 - k2)**2)`` and
    ``k1 - k2 + sqrt((u1 - k1)**2 + (k2 - l2)**2)`` [1]_. `se` is ``sqrt(se1**2 + se2**2)``, on
    which neither limits nor tests depend. The test of all groups is Cochran's Q around a mean
    weighted with the reciprocal variances, each recovered from the limit on the side of the mean.

    References
    ----------
    .. [1] Zou, G. Y., & Donner, A. (2008). Construction of confidence limits about effect
           measures: a general approach. Statistics in Medicine, 27(10), 1693-1702.
           https://doi.org/10.1002/sim.3095

    Examples
    --------
    >>> df = pdkappa.datasets.load_essays()
    >>> found = df.kappa.compare_groups(["human_1", "human_2"], by="essay_set")
    >>> found[["first", "second", "difference", "se", "p_value"]].head(2).round(3)
       first  second  difference     se  p_value
    0      1       2      -0.269  0.050      0.0
    1      1       3      -0.227  0.055      0.0

    All three raters together:

    >>> raters = ["human_1", "human_2", "machine"]
    >>> found = df.kappa.compare_groups(raters, by="essay_set", weights="quadratic")
    >>> {name: round(value, 4) for name, value in found.attrs["all_groups"].items()}
    {'q': 23.5605, 'df': 7, 'p_value': 0.0014}
    """
    study = read_compared(data, asked.raters, asked.reading)
    name = coefficient_of(asked.coefficient, len(study.raters))
    study.warn_of_categories([name])
    asked.tell(coefficient=asked.coefficient or ("cohen" if len(study.raters) == PAIR else "light"))
    models: dict[str, MultiraterModel] = {name: MULTIRATER[name]}

    def figures_at(level: float) -> RaterFigures:
        return summarise_together(study, models, IntervalOptions(asked.ci, level))[0][name]

    return differences_of_groups(
        figures_at,
        study.groups,
        study.raters,
        level=asked.level,
        margin=asked.margin,
        p_adjust=asked.p_adjust,
    )


def coefficient_of(given: str | None, n_raters: int) -> str:
    """Return the coefficient of all raters, which that of a pair is for two."""
    if n_raters > PAIR:
        name = "light" if given is None else given
        check_choice("coefficient", name, MULTIRATER, SYNONYMS_OF_ALL)
        return name
    name = "cohen" if given is None else given
    check_choice("coefficient", name, COEFFICIENTS, SYNONYMS)
    return COEFFICIENTS[name].many
