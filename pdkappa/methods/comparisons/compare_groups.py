"""Tests whether two raters agree equally well in several groups of items."""

from __future__ import annotations

from itertools import combinations
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from pdkappa.errors import RatingsError
from pdkappa.methods.comparisons.core.contrasts import independent_difference, never_exact
from pdkappa.methods.comparisons.differences import (
    PAIR,
    by_margin,
    check_different,
    check_margin,
    kappas_of,
    read_compared,
    tested,
    with_no_weight,
)
from pdkappa.methods.estimates.options import check_level, gate, with_adjusted
from pdkappa.methods.estimates.pair_frames import remarks_of, warn_if_undefined, whole
from pdkappa.present.text_tables import result
from pdkappa.ratings.options import Reading

if TYPE_CHECKING:
    from pdkappa._typing import (
        Adjustment,
        By,
        Categories,
        Coefficient,
        Distance,
        ItemWeights,
        Label,
        Missing,
        Weights,
        WeightType,
    )
    from pdkappa.methods.comparisons.core.contrasts import Contrast


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
    distance: Distance = "value",
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
    distance : {"value", "rank"}
        Whether distances are those of the values or of the ranks of the categories.
    missing : {"pairwise", "listwise", "raise"}
        Use the items that both raters of a pair rated, use those that all raters rated, or raise
        an error.
    sample_weight : column label or array of shape (N,), optional
        How much each item counts: by default, 2 counts an item twice.
    weight_type : {"frequency", "probability"} or None
        Whether weights are numbers of items or sampling weights, of which only the proportions
        matter; see `pdkappa.pairs`. None: numbers of items, if they are whole.
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
    >>> found = pdkappa.compare_groups(df, "human_1", "human_2", by="essay_set")
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
    reading = Reading(
        by, weights, categories, distance, missing, sample_weight, weight_type, cluster
    )
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
