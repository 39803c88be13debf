"""Every pair of raters: `pairs`, `pairwise`, `confusion`, and `pair` of two Series."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from pdkappa.errors import (
    DuplicateRatingError,
    LeftOutWarning,
    OptionError,
    RatingsError,
    RatingTypeError,
    TooLargeError,
    check_choice,
    listing,
    warn,
)
from pdkappa.methods.estimates.options import IntervalOptions, gate, with_adjusted
from pdkappa.methods.estimates.pair_frames import (
    confusion_frame,
    estimate,
    matrix_frame,
    pairs_frame,
    read_pairs,
)
from pdkappa.present import schema
from pdkappa.ratings.coded import Counted, encode
from pdkappa.ratings.counted_pairs import pair_tables
from pdkappa.ratings.options import Reading

if TYPE_CHECKING:
    from pdkappa._typing import (
        Adjustment,
        By,
        Categories,
        Coefficient,
        Distance,
        Interval,
        ItemWeights,
        Label,
        Missing,
        Population,
        Progress,
        Raters,
        Seed,
        Weights,
        WeightType,
    )
    from pdkappa.ratings.long_ratings import Listed

STATS = tuple(name for name in schema.PAIRS if name not in ("rater_a", "rater_b", "remark"))


@gate
def pairs(
    data: pd.DataFrame | Counted | Listed,
    raters: Raters | None = None,
    *,
    by: By | None = None,
    coefficient: Coefficient = "cohen",
    weights: Weights | None = None,
    categories: Categories | None = None,
    distance: Distance = "value",
    missing: Missing = "pairwise",
    sample_weight: ItemWeights | None = None,
    weight_type: WeightType | None = None,
    population: Population | None = None,
    cluster: ItemWeights | None = None,
    ci: Interval = "auto",
    confidence_level: float = 0.95,
    null: float = 0.0,
    n_resamples: int = 2000,
    rng: Seed = None,
    progress: Progress = False,
    p_adjust: Adjustment | None = None,
    sep: str | None = None,
    min_items: float = 0,
) -> pd.DataFrame:
    """Estimate the agreement of every pair of raters, with its standard error.

    Which raters agree, how far beyond chance, and how precisely is that known?

    Parameters
    ----------
    data : DataFrame, shape (N, ...)
        One row for each item, one column for each rater. Never changed.
    raters : list of column labels, optional
        Two or more; named columns are always used. Default: all columns except those named by
        `by`, `sample_weight` and `cluster`, and those that cannot be ratings: dates, free text,
        identifiers, and columns with one value in each group.
    by : column label or list of column labels, optional
        One result for each group. Rows with a missing group are left out. Categories are shared,
        unless `weights` are distances of numbers and no `categories` are declared: each group then
        has its own scale.
    coefficient : {"cohen", "scott", "brennan_prediger", "gwet", "krippendorff", "percent"}
        How chance agreement is defined. With two raters, Scott's pi is Fleiss' kappa and Gwet's
        coefficient is AC1, or AC2 with weights.
    weights : {None, "linear", "quadratic", "ordinal", "radical", "ratio", "circular", \
"bipolar", "jaccard", "masi"} or array or DataFrame or callable
        How much each disagreement counts; None counts all equally. An array of shape (K, K)
        with zeros on its diagonal is read as disagreement, with ones as agreement; a
        DataFrame is aligned by category; a callable gets the scores, shape (K,), or, if it
        needs two arguments, two labels at a time, as the distances of NLTK do. The last two
        names compare ratings that are sets of labels: sets, lists, tuples, or text with `sep`.
    categories : list or dict, optional
        The categories in order, or their scores ``{category: score}``. Default: numbers are their
        own scores, and an ordered Categorical defines the order.
    distance : {"value", "rank"}
        Whether distances are those of the values or of the ranks of the categories.
    missing : {"pairwise", "listwise", "raise"}
        Use the items that both raters of a pair rated, use those that all raters rated, or raise
        an error. A missing rating is never a category.
    sample_weight : column label or array of shape (N,), optional
        How much each item counts, as `weight_type` says; zero leaves it out.
    weight_type : {"frequency", "probability"} or None
        "frequency": 2 counts an item twice, as if it occurred twice. "probability": sampling
        weights, such as the inverse of an item's probability of selection, of which only the
        proportions matter. Weights are scaled to a mean of 1, so that `n_items` is their sum, and
        each item is treated as a cluster: standard errors, limits and resamples are as with
        `cluster`, and limits are wider the more unequal the weights are. None: whole numbers are
        frequencies, and others raise an error.
    population : number or dict or Series, optional
        Number of items N in the finite population from which those in `data` were sampled (one
        number for each group, if a dict or Series): standard errors shrink by ``sqrt(1 - n / N)``
        [5]_, to zero if every item is rated. Default: an infinite population.
    cluster : column label or array of shape (N,), optional
        Items are nested in clusters, such as the essays of one student. Estimates stay the
        same; standard errors, limits and p-values count clusters instead of items. Standard errors
        are bias-reduced (CR2), with Satterthwaite degrees of freedom. Clusters equivalent to
        fewer than 30 of equal size give a `FewClustersWarning`.
    ci : {"auto", "fisher", "wald", "percentile", "bca", "jackknife"}
        "auto": score limits, the values that a test with the standard error under the hypothesis
        does not reject; for two categories by goodness of fit [4]_, for percent agreement Wilson's.
        "fisher": limits on Fisher's z scale after adding one pseudo-item.
        "wald": estimate plus and minus normal quantiles times the standard error. "percentile",
        "bca": quantiles from resampled items (or clusters), plain or corrected for bias and
        acceleration. "jackknife": estimate plus and minus t quantiles times the jackknife standard
        error. The documentation lists the coverage of each.
    confidence_level : float, default 0.95
        Between 0 and 1.
    null : float, default 0
        The agreement that `p_value` tests, between -1 and 1; 0 is agreement by chance alone.
    n_resamples : int, default 2000
        Number of resamples, up to 1,000,000. Those that are 0/0 are left out, and a warning counts
        them.
    rng : None, int or numpy Generator
        Random number generator or seed of the resamples; a number makes them reproducible.
    progress : bool or callable, default False
        Whether to show a progress bar of the resamples, or a function of ``(done, total)``.
    p_adjust : {None, "bonferroni", "sidak", "holm", "holm-sidak", "simes-hochberg", "hommel", \
"fdr_bh", "fdr_by"}
        Adjust p-values for their number, in the column ``p_adjusted`` after ``p_value``. All
        pairs (and groups) with a p-value are one family.
    sep : str, optional
        Ratings are sets of labels, written as text with this between them: "a|b" with "|".
    min_items : float, default 0
        Pairs (in a group) with fewer joint items are left out, which may be most pairs of a crowd;
        ``attrs["n_left_out"]`` of the result is their number.

    Returns
    -------
    DataFrame
        One row for each pair (and group): the columns of `by`, ``rater_a, rater_b,
        n_items, observed_agreement, expected_agreement, estimate, se, ci_low, ci_high, z,
        p_value, max_estimate, reason, remark``. Agreements are in [0, 1], the estimate in
        (-inf, 1], or in [-1, 1] with distance weights. `max_estimate` is the largest
        value that the pair's category shares allow; weights without a closed form need a
        linear programme for it, and it is NaN, with a warning, if there are more than 1,000
        pairs (and groups) or 256 categories. `p_value` is two-sided and tests `null` by
        inverting the limits: it is less than .05 exactly where the limits at the level .95
        exclude the null. `z` is its statistic, and the normal quantile of p for limits from
        resamples, whose p is at least 1 / (n_resamples + 1). Reasons for any other NaN:

        - ``no_items``, ``no_joint_items``, ``zero_total_weight``: nothing to compare;
        - ``constant_ratings``: both raters used one and the same category, 0/0;
        - ``constant_rater``: a rater used a single category, so that Cohen's kappa is 0
          whatever the items are, and has no standard error, though limits and a test of two
          categories;
        - ``n_lt_2``: no standard error from fewer than two items (or clusters), and no
          alpha from half an item, by weight, or less;
        - ``no_variance``: nothing varies, so that ``ci="wald"`` has no test;
        - ``undefined_without``, ``undefined_resamples``, ``one_sided_resamples``: there are
          no limits, because the jackknife meets a coefficient of 0/0, all resamples are 0/0,
          or all lie on one side of the estimate, where BCa is not defined.

        Percent agreement has no test against chance; no reason is given for that. `remark` is
        empty, or says that limits and test are approximate or unreliable: fewer than ten, or five,
        of the joint items are expected outside the most frequent category, or there are fewer than
        50.

    Raises
    ------
    CategoryError
        If distances are needed and the order is not known, or a rating is not among the
        categories.
    KappaError
        See the other classes in `pdkappa.errors`.

    Warns
    -----
    UndefinedKappaWarning
        Once, if some coefficient is NaN, and once, if some `max_estimate` is not computed.
    LookalikeLabelsWarning
        Once, if labels look like a mistake in the data, such as 'yes' beside 'yes ', or a
        column among the raters like groups of the items.
    ColumnsLeftOutWarning
        Once, if columns are left out because they cannot be ratings.
    LeftOutWarning
        Once, if items are left out because they have no group.
    CrudeKappaWarning
        Once, if the scale of the raters differs between the values of an unused column.
    UndeclaredCategoriesWarning
        Once, if groups use different categories and the coefficient depends on their number.

    See Also
    --------
    pairwise : The same as a square frame of one figure.
    grouped : Two raters in groups, and the mean over the groups.

    Notes
    -----
    With d the disagreement weights, p the shares of the cells of a pair's table, the coefficient
    is ``1 - D_o / D_e`` with ``D_o = sum(d * p)``; Cohen's expected disagreement is that of the
    product of the raters' own category shares [1]_, [2]_. Standard errors are those of Fleiss,
    Cohen and Everitt [3]_ and divide by n; z tests chance with their standard error under the
    null, as SAS and statsmodels do. For other nulls it is the standard error of raters who all
    agree on some items and guess the others, adapted to the variance at the estimate. With
    `cluster` every p-value compares the estimate with its own standard error,
    by a t distribution.

    References
    ----------
    .. [1] Cohen, J. (1960). A coefficient of agreement for nominal scales. Educational and
           Psychological Measurement, 20(1), 37-46.
           https://doi.org/10.1177/001316446002000104
    .. [2] Cohen, J. (1968). Weighted kappa. Psychological Bulletin, 70(4), 213-220.
           https://doi.org/10.1037/h0026256
    .. [3] Fleiss, J. L., Cohen, J., & Everitt, B. S. (1969). Large sample standard errors
           of kappa and weighted kappa. Psychological Bulletin, 72(5), 323-327.
           https://doi.org/10.1037/h0028106
    .. [4] Donner, A., & Eliasziw, M. (1992). A goodness-of-fit approach to inference
           procedures for the kappa statistic. Statistics in Medicine, 11(11), 1511-1519.
           https://doi.org/10.1002/sim.4780111109
    .. [5] Gwet, K. L. (2014). Handbook of Inter-Rater Reliability (4th ed.). Advanced
           Analytics.

    Examples
    --------
    >>> df = pd.DataFrame({"ann": [1, 2, 3, 4, 3], "bob": [2, 2, 4, 4, 5], "eve": [1, 2, 2, 4, 3]})
    >>> pdkappa.pairs(df, weights="quadratic")[["rater_a", "rater_b", "n_items", "estimate"]]
      rater_a rater_b  n_items  estimate
    0     ann     bob        5  0.615385
    1     ann     eve        5  0.905660
    2     bob     eve        5  0.482759

    A rating that is missing is left out, not taken for a category:

    >>> df.loc[0, "bob"] = np.nan
    >>> pdkappa.pairs(df, weights="quadratic")["n_items"].tolist()
    [4, 5, 4]
    """
    _check_min_items(min_items)
    reading = Reading(
        by, weights, categories, distance, missing, sample_weight, weight_type, cluster, sep=sep
    )
    interval = IntervalOptions(
        ci, confidence_level, n_resamples, rng, progress, null, population=population
    )
    study = read_pairs(data, raters, reading, coefficient, interval)
    needed = frozenset(schema.PAIRS)
    estimates = estimate(study, coefficient, interval, needed=needed, min_items=min_items)
    estimates.warn_if_undefined(min_items)
    found = pairs_frame(estimates, min_items)
    adjusted = with_adjusted(found, p_adjust)
    if min_items > 0:
        adjusted.attrs["n_left_out"] = study.tables.n_meant - len(found)
    return adjusted


@gate
def pairwise(
    data: pd.DataFrame | Counted | Listed,
    raters: Raters | None = None,
    *,
    by: By | None = None,
    coefficient: Coefficient = "cohen",
    weights: Weights | None = None,
    categories: Categories | None = None,
    distance: Distance = "value",
    missing: Missing = "pairwise",
    sample_weight: ItemWeights | None = None,
    weight_type: WeightType | None = None,
    cluster: ItemWeights | None = None,
    ci: Interval = "auto",
    confidence_level: float = 0.95,
    null: float = 0.0,
    n_resamples: int = 2000,
    rng: Seed = None,
    progress: Progress = False,
    stat: str = "estimate",
    min_items: float = 1,
    sep: str | None = None,
) -> pd.DataFrame:
    """Show the agreement of all pairs of raters as a square frame.

    It is to agreement what ``df.corr()`` is to correlation.

    Parameters
    ----------
    data : DataFrame, shape (N, ...)
        One row for each item, one column for each rater. Never changed.
    raters : list of column labels, optional
        Two or more. Default: all columns that can be ratings. See `pairs`.
    by : column label or list of column labels, optional
        One result for each group. See `pairs`.
    coefficient : {"cohen", "scott", "brennan_prediger", "gwet", "krippendorff", "percent"}
        How chance agreement is defined. See `pairs`.
    weights : str, array, DataFrame, callable or None, default None
        How much each disagreement counts; None counts all equally. See `pairs`.
    categories : list or dict, optional
        The categories in order, or their scores ``{category: score}``. See `pairs`.
    distance : {"value", "rank"}
        Whether distances are those of the values or of the ranks of the categories.
    missing : {"pairwise", "listwise", "raise"}
        Use the items that both raters of a pair rated, use those that all raters rated, or raise
        an error. See `pairs`.
    sample_weight : column label or array of shape (N,), optional
        How much each item counts: by default, 2 counts an item twice.
    weight_type : {"frequency", "probability"} or None
        Whether weights are numbers of items or sampling weights, of which only the proportions
        matter; see `pdkappa.pairs`. None: numbers of items, if they are whole.
    cluster : column label or array of shape (N,), optional
        Items are nested in clusters, such as the essays of one student: standard errors, limits
        and tests count clusters. See `pairs`.
    ci : {"auto", "fisher", "wald", "percentile", "bca", "jackknife"}
        How the limits are computed. See `pairs`.
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
    stat : str, default "estimate"
        Which column of `pairs` to show.
    min_items : float, default 1
        Pairs with fewer joint items are NaN.
    sep : str, optional
        Ratings are sets of labels, written as text with this between them: "a|b" with "|".

    Returns
    -------
    DataFrame, shape (R, R)
        Rows and columns are the raters, in their order in `data`. With `by`, the frames of
        the groups stand one below the other, and the rows are labelled by group and rater.
        The diagonal is the agreement of each rater with themselves by definition: 1, or NaN for
        a rater who used a single category. NaN is explained by ``stat="reason"``, as in
        `pairs`, or ``fewer_than_min_items``.

    Raises
    ------
    KappaError
        If an option is not known, or the ratings cannot be read. See `pdkappa.errors`.

    See Also
    --------
    pairs : One row for each pair, with standard errors and limits.

    Examples
    --------
    >>> df = pd.DataFrame({"ann": [1, 2, 3, 4, 3], "bob": [2, 2, 4, 4, 5], "eve": [1, 2, 2, 4, 3]})
    >>> pdkappa.pairwise(df, weights="quadratic").round(3)
           ann    bob    eve
    ann  1.000  0.615  0.906
    bob  0.615  1.000  0.483
    eve  0.906  0.483  1.000

    The order of text is never guessed:

    >>> words = df.map(["", "bad", "poor", "fair", "good", "best"].__getitem__)
    >>> pdkappa.pairwise(words, weights="quadratic")
    Traceback (most recent call last):
        ...
    pdkappa.errors.CategoryError: weights='quadratic' needs ordered categories, but column \
'ann' holds text. Pass categories=[...] in order, or make the columns ordered Categoricals.
    """
    check_choice("stat", stat, STATS, {"kappa": "'estimate'", "n": "'n_items'"})
    _check_min_items(min_items)
    reading = Reading(
        by, weights, categories, distance, missing, sample_weight, weight_type, cluster, sep=sep
    )
    interval = IntervalOptions(ci, confidence_level, n_resamples, rng, progress, null)
    study = read_pairs(data, raters, reading, coefficient, interval)
    shown = frozenset([stat])
    estimates = estimate(study, coefficient, interval, with_itself=True, needed=shown)
    estimates.warn_if_undefined()
    return matrix_frame(estimates, stat, min_items)


def _check_min_items(min_items: object) -> None:
    """Refuse what is no number of items."""
    if isinstance(min_items, bool) or not isinstance(min_items, float | int) or not min_items >= 0:
        message = f"min_items={min_items!r} must be a number of items."
        raise OptionError(message)


NORMALIZE = (None, "all", "index", "columns")
LARGEST_TABLE = 1 << 22


@gate
def confusion(
    data: pd.DataFrame | Counted,
    rater_a: Label,
    rater_b: Label,
    *,
    by: By | None = None,
    categories: Categories | None = None,
    missing: Missing = "pairwise",
    sample_weight: ItemWeights | None = None,
    normalize: str | None = None,
    margins: bool = False,
    margins_name: Label = "All",
) -> pd.DataFrame:
    """Cross-tabulate two raters over all categories, used or not.

    Parameters
    ----------
    data : DataFrame, shape (N, ...)
        One row for each item. Never changed.
    rater_a, rater_b : column labels
        The raters in the rows and in the columns.
    by : column label or list of column labels, optional
        One table for each group, all with the same categories. See `pairs`.
    categories : list or dict, optional
        The categories in order, or their scores ``{category: score}``. See `pairs`.
    missing : {"pairwise", "listwise", "raise"}
        Use the items that both raters of a pair rated, use those that all raters rated, or raise
        an error.
    sample_weight : column label or array of shape (N,), optional
        Frequency weights: 2 counts an item twice.
    normalize : {None, "all", "index", "columns"}
        Show counts, or shares of all items, of the items in a row or in a column; NaN
        where there is no such item.
    margins : bool, default False
        Whether to add sums in a last row and column.
    margins_name : label, default "All"
        Label of the sums.

    Returns
    -------
    DataFrame, shape (K, K)
        The index is named after `rater_a`, the columns after `rater_b`. With `by`, the
        tables of the groups stand one below the other.

    Raises
    ------
    TooLargeError
        If the table would have more than 2**22 cells.
    KappaError
        If an option is not known, or the ratings cannot be read. See `pdkappa.errors`.

    Examples
    --------
    >>> df = pd.DataFrame({"ann": ["yes", "no", "no"], "bob": ["yes", "yes", "no"]})
    >>> pdkappa.confusion(df, "ann", "bob", margins=True)
    bob  no  yes  All
    ann
    no    1    1    2
    yes   0    1    1
    All   1    2    3
    """
    check_choice("normalize", normalize, NORMALIZE)
    if margins_name != "All" and not margins:
        message = "margins_name is for sums that are not shown. Pass margins=True, or leave it out."
        raise OptionError(message)
    reading = Reading(by=by, categories=categories, missing=missing, sample_weight=sample_weight)
    coded = encode(data, [rater_a, rater_b], reading)
    n_cells = coded.n_groups * len(coded.categories) ** 2
    if n_cells > LARGEST_TABLE:
        message = (
            f"The confusion table would have {n_cells} cells, from {len(coded.categories)} "
            f"categories; the limit is {LARGEST_TABLE}. Round the ratings or merge categories."
        )
        raise TooLargeError(message)
    if margins and margins_name in coded.categories.labels:
        message = f"margins_name={margins_name!r} is a category too. Choose another name."
        raise OptionError(message)
    tables = pair_tables(coded)
    return confusion_frame(tables, normalize=normalize, margins=margins, margins_name=margins_name)


@gate
def pair(
    data: pd.Series,
    other: pd.Series,
    *,
    coefficient: Coefficient = "cohen",
    weights: Weights | None = None,
    categories: Categories | None = None,
    distance: Distance = "value",
    missing: Missing = "pairwise",
    sample_weight: ItemWeights | None = None,
    weight_type: WeightType | None = None,
    population: Population | None = None,
    cluster: ItemWeights | None = None,
    ci: Interval = "auto",
    confidence_level: float = 0.95,
    null: float = 0.0,
    n_resamples: int = 2000,
    rng: Seed = None,
    progress: Progress = False,
    sep: str | None = None,
) -> pd.Series:
    """Estimate the agreement of two Series of ratings, aligned on their index.

    It is to agreement what ``s1.corr(s2)`` is to correlation, with the standard error.

    Parameters
    ----------
    data, other : Series
        The ratings of two raters, one for each item. Never changed.
    coefficient : {"cohen", "scott", "brennan_prediger", "gwet", "krippendorff", "percent"}
        How chance agreement is defined. See `pairs`.
    weights : str, array, DataFrame, callable or None, default None
        How much each disagreement counts; None counts all equally. See `pairs`.
    categories : list or dict, optional
        The categories in order, or their scores ``{category: score}``. See `pairs`.
    distance : {"value", "rank"}
        Whether distances are those of the values or of the ranks of the categories.
    missing : {"pairwise", "listwise", "raise"}
        Use the items that both rated, or refuse. An item that only one of the two Series has is
        one that the other did not rate. See `pairs`.
    sample_weight : Series or array, optional
        Frequency weights: a Series with the labels of all items, or an array in the order of the
        items where both Series have the same index.
    weight_type : {"frequency", "probability"} or None
        Whether weights are numbers of items or sampling weights, of which only the proportions
        matter; see `pdkappa.pairs`. None: numbers of items, if they are whole.
    population : number, optional
        How many items there are, of which these were drawn. See `pairs`.
    cluster : Series or array, optional
        Items are nested in clusters, of which errors, limits and p-values take account; in the same
        form as `sample_weight`.
    ci : {"auto", "fisher", "wald", "percentile", "bca", "jackknife"}
        How the limits are computed. See `pairs`.
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
    sep : str, optional
        Separator of the labels of a rating that is a set of labels. See `pairs`.

    Returns
    -------
    Series
        The row of `pairs`, named after the coefficient: ``rater_a, rater_b, n_items,
        observed_agreement, expected_agreement, estimate, se, ci_low, ci_high, z, p_value,
        max_estimate, reason``. The raters are called as the Series are, or "self" and "other"
        where these names do not tell them apart. `n_items` counts the items that both rated.

    Raises
    ------
    DuplicateRatingError
        If the indexes differ, and one has a label more than once.
    RatingsError
        If they have no label in common.
    RatingTypeError
        If `other` is no Series.
    KappaError
        If an option is not known, or the ratings cannot be read. See `pdkappa.errors`.

    Warns
    -----
    LeftOutWarning
        If some items are left out because only one of the two Series has them.
    UndefinedKappaWarning
        If the coefficient is NaN.

    See Also
    --------
    pairs : The same for the columns of a frame.
    qwk : Quadratic weighted kappa as a number.

    Examples
    --------
    >>> ann = pd.Series([1, 2, 3, 4, 3], index=["a", "b", "c", "d", "e"], name="ann")
    >>> bob = pd.Series([5, 4, 4, 2, 2], index=["e", "d", "c", "b", "a"], name="bob")
    >>> found = ann.kappa.pair(bob, weights="quadratic")
    >>> print(f"{found['estimate']:.3f}, standard error {found['se']:.3f}")
    0.615, standard error 0.159
    """
    frame = _aligned(data, other)
    reading = Reading(
        None, weights, categories, distance, missing, sample_weight, weight_type, cluster, sep=sep
    )
    interval = IntervalOptions(
        ci, confidence_level, n_resamples, rng, progress, null, population=population
    )
    study = read_pairs(frame, list(frame.columns), reading, coefficient, interval)
    estimates = estimate(study, coefficient, interval)
    estimates.warn_if_undefined()
    found = pairs_frame(estimates)
    n_apart = len(frame) - data.index.isin(other.index).sum()
    if n_apart:
        message = (
            f"{n_apart} of {len(frame)} items are left out: only one of the two Series has them. "
            "If that is unexpected, check the spelling of the labels in both indices."
        )
        warn(message, LeftOutWarning)
    return found.iloc[0].rename(coefficient)


def _aligned(data: pd.Series, other: Any) -> pd.DataFrame:
    """Put two Series side by side by the labels of their indexes; what one lacks is missing."""
    if not isinstance(other, pd.Series):
        message = (
            f"other must be a Series, got {type(other).__name__}. Make one with the index of the "
            "items: pd.Series(values, index=...)."
        )
        raise RatingTypeError(message)
    both = [data, other]
    if not data.index.equals(other.index):
        for one, name in zip(both, ("the Series", "other"), strict=True):
            if not one.index.is_unique:
                again = one.index[one.index.duplicated()].unique()
                message = (
                    f"The index of {name} has {listing(again)} more than once, so that its items "
                    f"cannot be told apart. Give every item a unique label."
                )
                raise DuplicateRatingError(message)
        alike = data.index.nlevels == other.index.nlevels
        if not (alike and data.index.isin(other.index).any()):
            message = (
                "The two Series have no item in common: the index of one holds "
                f"{listing(data.index) or 'nothing'}, that of the other "
                f"{listing(other.index) or 'nothing'}. "
                "Give the same items the same labels."
            )
            raise RatingsError(message)
        index = data.index.append(other.index[~other.index.isin(data.index)])
        both = [_reindexed(one, index) for one in both]
    frame = pd.concat(both, axis=1, keys=[0, 1])
    names = pd.Index([data.name, other.name], dtype=object, tupleize_cols=False)
    is_apart = names.notna().all() and names.is_unique
    frame.columns = names if is_apart else pd.Index(["self", "other"], dtype=object)
    return frame


def _reindexed(values: pd.Series, index: pd.Index) -> pd.Series:
    """Put a Series in the order of an index; whole numbers stay what they are beside gaps."""
    if isinstance(values.dtype, np.dtype) and len(values) < len(index):
        values = values.astype(object)
    return values.reindex(index)
