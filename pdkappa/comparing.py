"""Comparisons of coefficients: two pairs of raters, groups, all pairs, a machine and people."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import combinations
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from pdkappa import weighting
from pdkappa.core.chance import COEFFICIENTS
from pdkappa.core.contrasts import (
    all_equal,
    contrast,
    correlation,
    independent_difference,
    non_inferiority,
    of_pairs,
    t_test,
)
from pdkappa.engines.pandas import rating_rows
from pdkappa.errors import (
    DuplicateRatingError,
    OptionError,
    RatingsError,
    UndefinedKappaWarning,
    check_choice,
    listing,
    shown,
    warn,
)
from pdkappa.estimation import DISTANCES, SYNONYMS
from pdkappa.intervals import check_level
from pdkappa.ratings import encode

if TYPE_CHECKING:
    from collections.abc import Sequence

    from pdkappa._typing import (
        BoolArray,
        By,
        Categories,
        Coefficient,
        Distance,
        FloatArray,
        IntArray,
        ItemWeights,
        Label,
        Missing,
        ObjectArray,
        Raters,
        Weights,
    )
    from pdkappa.core.contrasts import Contrast, PairKappas
    from pdkappa.ratings import Coded, Counted

PAIR = 2
FEWEST_TO_DIFFER = 3
MISSING = ("pairwise", "listwise", "raise")
MOST_NAMED = 5


@dataclass(frozen=True)
class Found:
    """Coded ratings, and the coefficients of some pairs of raters in every group."""

    coded: Coded
    kappas: PairKappas


def compare(
    data: pd.DataFrame | Counted,
    first: Raters,
    second: Raters,
    *,
    by: By | None = None,
    coefficient: Coefficient = "cohen",
    weights: Weights | None = None,
    categories: Categories | None = None,
    distance: Distance = "value",
    missing: Missing = "pairwise",
    sample_weight: ItemWeights | None = None,
    cluster: ItemWeights | None = None,
    confidence_level: float = 0.95,
) -> pd.DataFrame:
    """Compare the agreement of two pairs of raters on the same items.

    Does the first model agree with the human better than the second? Coefficients of the
    same items are dependent, the more so where the pairs share a rater; tests for
    independent ones then miss differences that are there.

    Parameters
    ----------
    data : DataFrame, shape (N, ...)
        One row for each item, one column for each rater. Never changed.
    first, second : pair of column labels
        Such as ``("human", "model_1")`` and ``("human", "model_2")``. They may share a
        rater or none.
    by : column label or list of column labels, optional
        One comparison for each group. To compare groups with each other, use
        `compare_groups`.
    coefficient, weights, categories, distance
        As in `pairs`.
    missing : {"pairwise", "listwise", "raise"}
        Use the items that both raters of a pair rated, or that all raters in question
        rated, or refuse.
    sample_weight : column label or array of shape (N,), optional
        Frequency weights: 2 counts an item twice.
    cluster : column label or array of shape (N,), optional
        Items are nested in clusters, such as the essays of one student: the standard
        error counts by cluster.
    confidence_level : float, default 0.95
        Between 0 and 1.

    Returns
    -------
    DataFrame
        One row (for each group): the columns of `by`, ``first, second, n_items, n_first,
        n_second, estimate_first, estimate_second, difference, se, ci_low, ci_high, z,
        p_value, correlation, reason``. `n_items` counts the items that one pair or both
        rated, `n_first` and `n_second` those of each pair. `difference` is first minus
        second, `correlation` that of the two estimates over samples of items, in [-1, 1].
        `p_value` is two-sided. What is NaN has its reason:

        - ``no_items``, ``no_joint_items``, ``zero_total_weight``: nothing to compare;
        - ``constant_ratings``: both raters of a pair used one and the same category, 0/0;
        - ``constant_rater``: a rater used a single category, so that Cohen's kappa is 0
          whatever the items are, and has no standard error;
        - ``n_lt_2``: no standard error from fewer than two items (or clusters);
        - ``no_variance``: no item has any influence on the difference, as for a pair and
          itself: its standard error is 0, and there is no test and no interval.

    Raises
    ------
    OptionError
        If `first` or `second` is not a pair of column labels.
    DuplicateRatingError
        If a pair names one rater twice.
    KappaError
        As in `pairs`.

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
    The influence of an item on the difference is that on the first coefficient minus that
    on the second, 0 for a pair that did not rate it. The squared standard error is the sum
    of the squared influences of n items, divided by n (n - 1); the test and the interval
    take t quantiles of n - 1 degrees of freedom. It is the delta method for dependent
    kappas [1]_, which has no need of a bootstrap [2]_. Standard errors of a single
    coefficient in `pairs` divide by n squared.

    References
    ----------
    .. [1] Vanbelle, S. (2017). Comparing dependent kappa coefficients obtained on
           multilevel data. Biometrical Journal, 59(5), 1016-1034.
           https://doi.org/10.1002/bimj.201600093
    .. [2] Vanbelle, S., & Albert, A. (2008). A bootstrap method for comparing correlated
           kappa coefficients. Journal of Statistical Computation and Simulation, 78(11),
           1009-1015. https://doi.org/10.1080/00949650701410249

    Examples
    --------
    >>> df = pdkappa.datasets.load_essays()
    >>> humans, machine = ("human_1", "human_2"), ("human_1", "machine")
    >>> found = pdkappa.compare(df, humans, machine, by="essay_set", weights="quadratic")
    >>> found[["essay_set", "difference", "se", "p_value", "correlation"]].head(3).round(3)
       essay_set  difference     se  p_value  correlation
    0          1      -0.009  0.024    0.716        0.564
    1          2       0.027  0.023    0.243        0.436
    2          3       0.028  0.032    0.389        0.440
    """
    check_level(confidence_level)
    pairs = [_pair(first, "first"), _pair(second, "second")]
    found = _found(
        data,
        pairs,
        by=by,
        coefficient=coefficient,
        weights=weights,
        categories=categories,
        distance=distance,
        missing=missing,
        sample_weight=sample_weight,
        cluster=cluster,
    )
    kappas = found.kappas
    difference = contrast(kappas, np.array([1.0, -1.0]))
    names = {"first": pairs[0], "second": pairs[1]}
    columns: dict[str, Any] = {
        **{name: _repeated(pair, found.coded.n_groups) for name, pair in names.items()},
        "n_items": _counted(kappas.rows.n_items),
        "n_first": _counted(kappas.n_items[0]),
        "n_second": _counted(kappas.n_items[1]),
        "estimate_first": kappas.estimate[0],
        "estimate_second": kappas.estimate[1],
        **_tested(difference, confidence_level),
        "correlation": correlation(kappas),
        "reason": _reasons(found, difference.reason),
    }
    return _by_group(found, columns, "difference")


def compare_groups(
    data: pd.DataFrame,
    rater_a: Label,
    rater_b: Label,
    *,
    by: By,
    coefficient: Coefficient = "cohen",
    weights: Weights | None = None,
    categories: Categories | None = None,
    distance: Distance = "value",
    missing: Missing = "pairwise",
    sample_weight: ItemWeights | None = None,
    cluster: ItemWeights | None = None,
    confidence_level: float = 0.95,
) -> pd.DataFrame:
    """Compare the agreement of two raters between groups of items.

    Do the raters agree better on one essay set than on another, before training than
    after? The items of two groups are independent, so the variances add.

    Parameters
    ----------
    data : DataFrame, shape (N, ...)
        One row for each item. Never changed.
    rater_a, rater_b : column labels
        The two raters.
    by : column label or list of column labels
        What defines the groups, two or more. Rows with a missing group are left out.
    coefficient, weights, categories, distance, missing, sample_weight
        As in `compare`.
    cluster : column label or array of shape (N,), optional
        As in `compare`. A cluster that spans two groups is taken for one in each.
    confidence_level : float, default 0.95
        Between 0 and 1.

    Returns
    -------
    DataFrame
        One row for every two groups: the columns of `compare` without `correlation`, with
        the labels of the groups as `first` and `second`, tuples if `by` names several
        columns. The p-values are not adjusted for their number. What is NaN has its
        reason, as in `compare`.

    Raises
    ------
    RatingsError
        If there are fewer than two groups.
    KappaError
        As in `pairs`.

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
    check_level(confidence_level)
    pair = (rater_a, rater_b)
    _check_distinct(pair, "The pair")
    found = _found(
        data,
        [pair],
        by=by,
        coefficient=coefficient,
        weights=weights,
        categories=categories,
        distance=distance,
        missing=missing,
        sample_weight=sample_weight,
        cluster=cluster,
    )
    labels = found.coded.group_index
    n_groups = 0 if labels is None else len(labels)
    if labels is None or n_groups < PAIR:
        message = f"compare_groups needs two groups or more, got {n_groups}. Pass another by."
        raise RatingsError(message)
    kappas, alone = found.kappas, contrast(found.kappas, np.array([1.0]))
    pairs = list(combinations(range(n_groups), 2))
    parts = [independent_difference(alone, *two) for two in pairs]
    difference = type(alone)(*(np.concatenate(field) for field in zip(*parts, strict=True)))
    one, other = (list(side) for side in zip(*pairs, strict=True))
    columns: dict[str, Any] = {
        "first": labels.take(one).to_numpy(),
        "second": labels.take(other).to_numpy(),
        "n_items": _counted(kappas.n_items[0][one] + kappas.n_items[0][other]),
        "n_first": _counted(kappas.n_items[0][one]),
        "n_second": _counted(kappas.n_items[0][other]),
        "estimate_first": kappas.estimate[0][one],
        "estimate_second": kappas.estimate[0][other],
        **_tested(difference, confidence_level),
        "reason": _reasons(found, difference.reason),
    }
    frame = pd.DataFrame(columns)
    places = [f"{a!r} with {b!r}" for a, b in zip(frame["first"], frame["second"], strict=True)]
    _warn_of_undefined(frame, "difference", places)
    return frame


def homogeneity(
    data: pd.DataFrame | Counted,
    raters: Raters | None = None,
    *,
    by: By | None = None,
    coefficient: Coefficient = "cohen",
    weights: Weights | None = None,
    categories: Categories | None = None,
    distance: Distance = "value",
    missing: Missing = "pairwise",
    sample_weight: ItemWeights | None = None,
    cluster: ItemWeights | None = None,
) -> pd.DataFrame:
    """Test whether all pairs of raters agree equally well.

    Is one figure for the agreement of the raters enough, or does someone stand apart?

    Parameters
    ----------
    data, raters, by, coefficient, weights, categories, distance
        As in `pairs`, with three raters or more.
    missing, sample_weight, cluster
        As in `compare`.

    Returns
    -------
    DataFrame
        One row (for each group): the columns of `by`, ``n_pairs, n_items, statistic, f,
        df1, df2, p_value, reason``. `statistic` is Hotelling's T squared, not negative.
        What is NaN has its reason, as in `compare`, where some pair has one, and:

        - ``few_items``: no more items (or clusters) than pairs, less one;
        - ``no_variance``: some difference of the pairs does not vary.

    Raises
    ------
    RatingsError
        If there are fewer than three raters.
    KappaError
        As in `pairs`.

    Warns
    -----
    UndefinedKappaWarning
        Once, if some statistic is NaN.

    See Also
    --------
    compare : Two of the pairs.

    Notes
    -----
    With q differences d of the q + 1 coefficients, V their covariance matrix and n items
    or clusters, ``T2 = d' inv(V) d`` and ``F = T2 (n - q) / ((n - 1) q)`` with q and n - q
    degrees of freedom [1]_. F keeps its level far better than the chi-squared
    distribution of T2 itself, though with few items it still rejects a little too often.

    References
    ----------
    .. [1] Vanbelle, S. (2017). Comparing dependent kappa coefficients obtained on
           multilevel data. Biometrical Journal, 59(5), 1016-1034.
           https://doi.org/10.1002/bimj.201600093

    Examples
    --------
    >>> df = pdkappa.datasets.load_anxiety()
    >>> pdkappa.homogeneity(df, weights="quadratic").round(3)
       n_pairs  n_items  statistic      f  df1   df2  p_value reason
    0        3       20      1.425  0.675  2.0  18.0    0.522
    """
    found = _found(
        data,
        None,
        raters=raters,
        by=by,
        coefficient=coefficient,
        weights=weights,
        categories=categories,
        distance=distance,
        missing=missing,
        sample_weight=sample_weight,
        cluster=cluster,
    )
    test = all_equal(found.kappas)
    columns: dict[str, Any] = {
        "n_pairs": np.full(found.coded.n_groups, len(found.kappas.estimate)),
        "n_items": _counted(found.kappas.rows.n_items),
        "statistic": test.statistic,
        "f": test.f,
        "df1": test.df1,
        "df2": test.df2,
        "p_value": test.p_value,
        "reason": _reasons(found, test.reason),
    }
    return _by_group(found, columns, "statistic")


def ceiling(
    data: pd.DataFrame | Counted,
    machine: Label,
    humans: Raters,
    *,
    margin: float = 0.0,
    by: By | None = None,
    coefficient: Coefficient = "cohen",
    weights: Weights | None = None,
    categories: Categories | None = None,
    distance: Distance = "value",
    missing: Missing = "pairwise",
    sample_weight: ItemWeights | None = None,
    cluster: ItemWeights | None = None,
    confidence_level: float = 0.95,
) -> pd.DataFrame:
    """Compare a machine's agreement with humans to that of the humans among themselves.

    Is the machine as good as one more human? How far humans agree is the ceiling of what
    can be asked of it.

    Parameters
    ----------
    data : DataFrame, shape (N, ...)
        One row for each item, one column for each rater. Never changed.
    machine : column label
        The rater in question.
    humans : list of column labels
        The raters it is measured by, two or more.
    margin : float, default 0.0
        How much less agreement would still do, for the test of non-inferiority.
    by, coefficient, weights, categories, distance, missing, sample_weight, cluster
        As in `compare`.
    confidence_level : float, default 0.95
        Between 0 and 1.

    Returns
    -------
    DataFrame
        One row (for each group): the columns of `by`, ``machine, n_items,
        n_machine_pairs, n_human_pairs, estimate_machine, estimate_humans, difference, se,
        ci_low, ci_high, z, p_value, margin, p_non_inferior, non_inferior, reason``. The
        estimates are mean coefficients, of the machine with each human, and of all pairs
        of humans; pairs without joint items are left out of them. `difference` is machine
        minus humans, `p_value` two-sided. `p_non_inferior` is the one-sided p-value of
        the hypothesis that the difference is ``-margin`` or less; `non_inferior` says
        whether the interval lies above ``-margin``, so that this p-value is below
        ``(1 - confidence_level) / 2``; <NA> where it is undefined. What is NaN has its
        reason, as in `compare`.

    Raises
    ------
    OptionError
        If `margin` is negative or not finite, or `humans` is not a list of columns.
    DuplicateRatingError
        If a rater is named twice.
    RatingsError
        If there are fewer than two humans.
    KappaError
        As in `pairs`.

    Warns
    -----
    UndefinedKappaWarning
        Once, if some difference is NaN.

    See Also
    --------
    compare : Two pairs of raters.

    Notes
    -----
    A large p-value proves no equality. To show that a machine will do, state the margin
    beforehand and read `non_inferior`, a one-sided test at the level .025 by default, as
    is usual [1]_. With a hundred items it errs about twice as often, since differences
    that come out high come with standard errors that are low; with thousands it keeps its
    level. The standard error is that of a contrast of dependent coefficients, as in
    `compare`.

    References
    ----------
    .. [1] ICH E9 Expert Working Group (1999). Statistical principles for clinical trials.
           Statistics in Medicine, 18(15), 1905-1942.

    Examples
    --------
    >>> df = pdkappa.datasets.load_essays()
    >>> found = pdkappa.ceiling(
    ...     df, "machine", ["human_1", "human_2"], by="essay_set", weights="quadratic", margin=0.1
    ... )
    >>> found[["essay_set", "difference", "se", "p_value", "non_inferior"]].head(3).round(3)
       essay_set  difference     se  p_value  non_inferior
    0          1       0.010  0.022    0.652          True
    1          2      -0.040  0.021    0.053          True
    2          3      -0.023  0.027    0.388          True
    """
    check_level(confidence_level)
    _check_margin(margin)
    names = _humans(humans, machine)
    pairs = [*((machine, human) for human in names), *combinations(names, 2)]
    found = _found(
        data,
        pairs,
        by=by,
        coefficient=coefficient,
        weights=weights,
        categories=categories,
        distance=distance,
        missing=missing,
        sample_weight=sample_weight,
        cluster=cluster,
    )
    observed = found.kappas.n_items > 0
    of_machine, of_humans = np.zeros(observed.shape), np.zeros(observed.shape)
    of_machine[: len(names)] = _shares(observed[: len(names)])
    of_humans[len(names) :] = _shares(observed[len(names) :])
    difference = contrast(found.kappas, of_machine - of_humans)
    p_non_inferior = non_inferiority(difference, margin)
    verdict = pd.array(p_non_inferior < (1 - confidence_level) / 2, dtype="boolean")
    verdict[np.isnan(p_non_inferior)] = pd.NA
    columns: dict[str, Any] = {
        "machine": _repeated(machine, found.coded.n_groups),
        "n_items": _counted(found.kappas.rows.n_items),
        "n_machine_pairs": observed[: len(names)].sum(axis=0),
        "n_human_pairs": observed[len(names) :].sum(axis=0),
        "estimate_machine": contrast(found.kappas, of_machine).estimate,
        "estimate_humans": contrast(found.kappas, of_humans).estimate,
        **_tested(difference, confidence_level),
        "margin": float(margin),
        "p_non_inferior": p_non_inferior,
        "non_inferior": verdict,
        "reason": _reasons(found, difference.reason),
    }
    return _by_group(found, columns, "difference")


def _found(
    data: pd.DataFrame | Counted,
    pairs: Sequence[tuple[Label, Label]] | None,
    *,
    raters: Raters | None = None,
    by: By | None,
    coefficient: str,
    weights: Weights | None,
    categories: Categories | None,
    distance: str,
    missing: str,
    sample_weight: ItemWeights | None,
    cluster: ItemWeights | None,
) -> Found:
    """Check the options, code the ratings, and estimate some pairs, or all pairs of raters."""
    check_choice("coefficient", coefficient, COEFFICIENTS, SYNONYMS)
    check_choice("distance", distance, DISTANCES)
    _check_missing(missing)
    coded = encode(
        data,
        raters if pairs is None else list(dict.fromkeys(name for pair in pairs for name in pair)),
        by=by,
        categories=categories,
        needs_order=weighting.needs_order(weights),
        missing=missing,
        sample_weight=sample_weight,
        cluster=cluster,
    )
    places = _places(coded.raters, pairs)
    scale = weighting.scale_of(weights, coded.categories, distance, coded.in_use)
    rows = rating_rows(coded).compressed()
    return Found(coded, of_pairs(rows, scale, COEFFICIENTS[coefficient], places))


def _places(
    raters: list[Label], pairs: Sequence[tuple[Label, Label]] | None
) -> list[tuple[int, int]]:
    """Return the positions of the raters of each pair; of all pairs if none are named."""
    if pairs is not None:
        return [(raters.index(a), raters.index(b)) for a, b in pairs]
    if len(raters) < FEWEST_TO_DIFFER:
        message = (
            f"homogeneity needs three raters or more, got {len(raters)}: {listing(raters)}. "
            "Two raters are one pair; pairs() has its test."
        )
        raise RatingsError(message)
    return list(combinations(range(len(raters)), 2))


def _pair(given: Any, option: str) -> tuple[Label, Label]:
    """Return a pair of raters as the user named it."""
    names = _listed(given, option, "a pair of raters")
    if len(names) != PAIR:
        message = (
            f"{option} must be a pair of raters, got {len(names)} column(s): {listing(names)}. "
            f"Write {option}=('human', 'model')."
        )
        raise OptionError(message)
    _check_distinct(names, option)
    return names[0], names[1]


def _humans(given: Any, machine: Label) -> list[Label]:
    """Return the raters that a machine is measured by."""
    names = _listed(given, "humans", "a list of columns")
    _check_distinct(names, "humans")
    if machine in names:
        message = f"machine={machine!r} is among the humans too. Leave it out of humans."
        raise DuplicateRatingError(message)
    if len(names) < PAIR:
        message = (
            f"ceiling needs two humans or more, got {len(names)}: "
            "the ceiling is how far they agree with each other."
        )
        raise RatingsError(message)
    return names


def _listed(given: Any, option: str, what: str) -> list[Label]:
    """Return the columns that the user listed, in order."""
    listed = pd.api.types.is_list_like(given) and not isinstance(given, set | frozenset | dict)
    if not listed:
        message = f"{option} must be {what}, got {shown(given)}. Write {option}=('ann', 'bob')."
        raise OptionError(message)
    names = list(given)
    for name in names:
        if not pd.api.types.is_hashable(name):
            message = f"{option} must hold column labels, got {shown(name)}. Name the columns."
            raise OptionError(message)
    return names


def _check_distinct(names: Sequence[Label], option: str) -> None:
    """Make sure that no rater is paired with himself."""
    repeated = [name for name in dict.fromkeys(names) if list(names).count(name) > 1]
    if repeated:
        message = f"{option} names {listing(repeated)} more than once. Name different raters."
        raise DuplicateRatingError(message)


def _check_missing(missing: str) -> None:
    """Refuse what gives no influence of an item on a coefficient."""
    if missing == "em":
        message = (
            "missing='em' estimates each coefficient from all items, and knows nothing of how "
            f"two of them vary together. Choose one of: {', '.join(map(repr, MISSING))}."
        )
        raise OptionError(message)
    check_choice("missing", missing, MISSING)


def _check_margin(margin: object) -> None:
    """Refuse a margin that is no finite number, or negative."""
    is_number = isinstance(margin, float | int) and not isinstance(margin, bool)
    if not is_number or not 0 <= margin < np.inf:  # type: ignore[operator]
        message = (
            f"margin={margin!r} must be a number of zero or more: how much less agreement "
            "would still do."
        )
        raise OptionError(message)


def _shares(observed: BoolArray) -> FloatArray:
    """Equal weights of the pairs that were observed, NaN where none was; shape (C, G)."""
    with np.errstate(invalid="ignore"):
        return np.where(observed, 1.0, 0.0) / observed.sum(axis=0)


def _tested(difference: Contrast, level: float) -> dict[str, FloatArray]:
    """Return the columns of a difference and its test."""
    test = t_test(difference, level)
    return {
        "difference": difference.estimate,
        "se": difference.se,
        "ci_low": test.low,
        "ci_high": test.high,
        "z": test.z,
        "p_value": test.p_value,
    }


def _reasons(found: Found, reason: ObjectArray) -> ObjectArray:
    """Say that there are no items because none has a weight, where that is why."""
    if not found.coded.no_weight:
        return reason
    return np.where(reason == "no_items", "zero_total_weight", reason)


def _repeated(value: object, times: int) -> ObjectArray:
    """Repeat a value as it is, be it a tuple."""
    result = np.empty(times, dtype=object)
    result[:] = [value] * times
    return result


def _counted(n_items: FloatArray) -> FloatArray | IntArray:
    """Show numbers of items as integers, if they are."""
    return n_items.astype(np.int64) if (n_items == np.floor(n_items)).all() else n_items


def _by_group(found: Found, columns: dict[str, Any], figure: str) -> pd.DataFrame:
    """Put the columns into a frame, after the labels of the groups; warn of what is NaN."""
    frame = pd.DataFrame(columns)
    groups = found.coded.group_index
    if groups is None:
        _warn_of_undefined(frame, figure, None)
        return frame
    labels = groups.to_frame(index=False)
    places = [
        ", ".join(f"{name}={value}" for name, value in zip(labels.columns, row, strict=True))
        for row in labels.itertuples(index=False, name=None)
    ]
    _warn_of_undefined(frame, figure, places)
    return pd.concat([labels, frame], axis=1)


def _warn_of_undefined(frame: pd.DataFrame, figure: str, places: Sequence[str] | None) -> None:
    """Give one warning that counts the undefined comparisons and names the first."""
    undefined = np.flatnonzero(frame[figure].isna())
    if not len(undefined):
        return
    reasons = frame["reason"].to_numpy()
    shown_rows = undefined[:MOST_NAMED]
    names = [reasons[k] if places is None else f"{places[k]} ({reasons[k]})" for k in shown_rows]
    more = f" and {len(undefined) - MOST_NAMED} more" if len(undefined) > MOST_NAMED else ""
    warn(
        f"{len(undefined)} of {len(frame)} comparison(s) are undefined (NaN): "
        f"{', '.join(names)}{more}. The column 'reason' says why.",
        UndefinedKappaWarning,
    )
