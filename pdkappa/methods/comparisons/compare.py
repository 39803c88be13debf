"""Are differences of agreement real? Contrasts of pairs and groups, and their tests."""

from __future__ import annotations

from functools import partial
from itertools import combinations
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import pandas as pd

from pdkappa.coefficients.all_raters import MULTIRATER
from pdkappa.coefficients.chance import COEFFICIENTS
from pdkappa.coefficients.influence import (
    error_in_turn,
    moments_of,
    moments_of_pairs,
    standard_error,
)
from pdkappa.coefficients.pair_counts import sums_at
from pdkappa.coefficients.pair_kappas import PairKappas, correlation, of_pairs, worst
from pdkappa.coefficients.score_limits import (
    ROUNDING,
    fdtrc,
    half_width,
    positive,
    stdtr,
    two_sided,
    without_rounding,
)
from pdkappa.errors import (
    ColumnNotFoundError,
    DuplicateRatingError,
    OptionError,
    RatingsError,
    check_choice,
    listing,
    shown,
)
from pdkappa.methods.estimates import asked as has
from pdkappa.methods.estimates.asks import anew, asks
from pdkappa.methods.estimates.group_differences import differences_of_groups
from pdkappa.methods.estimates.options import check_label, with_adjusted
from pdkappa.methods.estimates.pair_frames import (
    SYNONYMS,
    check_covariances,
    remarks_of,
    warn_if_undefined,
    whole,
)
from pdkappa.methods.estimates.study import read
from pdkappa.methods.estimates.together import (
    SYNONYMS_OF_ALL,
    at_levels,
    default_of_all,
    warn_if_biased,
)
from pdkappa.methods.estimates.told import of_many_groups, of_two_groups, p_in_words
from pdkappa.present import schema
from pdkappa.present.findings import Findings
from pdkappa.present.labels import place_of
from pdkappa.present.schema import REASONS
from pdkappa.present.text_tables import Result, result
from pdkappa.ratings.categories import index_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    from pdkappa._typing import BoolArray, FloatArray, Label, ObjectArray, Raters
    from pdkappa.coefficients.influence import Moments
    from pdkappa.methods.estimates.study import Study
    from pdkappa.ratings.coded import Counted
    from pdkappa.ratings.options import Reading

PAIR = 2
MOST_OF_ITEM = 3  # degrees of freedom of differences, by simulation


class Contrast(NamedTuple):
    """A weighted sum of coefficients in S places, each of shape (S,).

    `se` is NaN where the estimate is, or where a coefficient has none; `df` are the degrees
    of freedom of the standard error; `reason` says why something is undefined.
    """

    estimate: FloatArray
    se: FloatArray
    df: FloatArray
    reason: ObjectArray


class Inference(NamedTuple):
    """Limits, test statistic and two-sided p-value of a contrast, each of shape (S,)."""

    ci_low: FloatArray
    ci_high: FloatArray
    z: FloatArray
    p_value: FloatArray


class Homogeneity(NamedTuple):
    """Test that P coefficients are equal, each of shape (G,)."""

    f: FloatArray
    df1: FloatArray
    df2: FloatArray
    p_value: FloatArray
    reason: ObjectArray


def contrast(kappas: PairKappas, weights: FloatArray) -> Contrast:
    """Sum coefficients of the same items with weights.

    Parameters
    ----------
    kappas : PairKappas
        C coefficients in G groups.
    weights : ndarray of float, shape (C,) or (C, G)
        Weight of each coefficient; those with weight zero do not matter.

    Returns
    -------
    Contrast
        Each of shape (G,). The standard error is zero where no item has any influence on
        the sum, as for the difference of a coefficient and itself.

    Notes
    -----
    The influence of an item on the sum is the sum of its influences, which carries all
    covariances. The variance divides by ``n (n - 1)``, or is that of clusters with their
    degrees of freedom; see `standard_error`.
    """
    per_group = weights[:, None] if weights.ndim == 1 else weights
    per_group = np.broadcast_to(per_group, kappas.estimate.shape)
    used = per_group != 0
    estimate = np.where(used, per_group * kappas.estimate, 0.0).sum(axis=0)
    se = standard_error(kappas.rows, _influence(kappas, per_group))
    reason = worst(np.where(used, kappas.reason, ""))
    return Contrast(estimate, *_checked(se, reason, kappas.units - 1))


def shares(used: BoolArray, some: BoolArray) -> FloatArray:
    """Equal weights of those of some pairs that are used, 0 of all others; shape (C, G).

    NaN for these pairs in a group where none of them is used.
    """
    found = np.zeros(used.shape)
    with np.errstate(invalid="ignore"):
        found[some] = used[some] / used[some].sum(axis=0)
    return found


def in_turn(
    kappas: PairKappas,
    used: BoolArray,
    pairs: Sequence[tuple[Label, Label]],
    raters: Sequence[Label],
) -> Contrast:
    """Subtract the mean of the pairs among the others from that of the first of R raters.

    Of the pairs that are used, (C, G). The error is steadied by those of the same contrast with
    each of the raters in the place of the first, where it has one, see `error_in_turn`.
    """
    has = np.array([[name in pair for pair in pairs] for name in raters])
    used, group = used & (has.sum(axis=0) == PAIR)[:, None], kappas.rows.group
    found = contrast(kappas, shares(used, has[0]) - shares(used, ~has[0]))
    pair, row, value = kappas.listed
    value, shape = value * used[pair, group[row]], (len(raters), len(group))
    sums, own = np.zeros(shape), has.astype(np.int64) @ used
    for rater in (has.argmax(axis=0), len(has) - 1 - has[::-1].argmax(axis=0)):
        at = rater[pair] * len(group) + row
        sums += np.bincount(at, value, minlength=sums.size).reshape(shape)
    whole, rest = sums.sum(axis=0) / PAIR, used.sum(axis=0) - own
    with np.errstate(divide="ignore", invalid="ignore"):  # there may be no pairs
        influence = sums / own[:, group] - (whole - sums) / rest[:, group]
    se, df = (of_all[0] for of_all in error_in_turn(kappas.rows, influence, (own > 0) & (rest > 0)))
    reason = np.where(found.reason == "no_variance", "", found.reason)
    return Contrast(
        found.estimate, *_checked(se, reason, np.where(kappas.units > 1, df, kappas.units - 1))
    )


def _influence(kappas: PairKappas, weights: FloatArray) -> FloatArray:
    """Influence of each row on a sum of coefficients with weights of shape (C, G); shape (U,)."""
    pair, row, value = kappas.listed
    group = kappas.rows.group
    return sums_at(row, weights[pair, group[row]] * value, len(group))


def t_test(found: Contrast, level: float) -> Inference:
    """Test that a contrast is zero, by its standard error and a t distribution.

    All is NaN where the standard error is zero or NaN: zero says that the linear
    approximation sees no variation, not that there is none.
    """
    se, df = positive(found.se), positive(found.df)
    half, z = half_width(level, df) * se, found.estimate / se
    return Inference(found.estimate - half, found.estimate + half, z, two_sided(z, df))


def non_inferiority(found: Contrast, margin: float) -> FloatArray:
    """One-sided p-value of the hypothesis that a contrast is ``-margin`` or less, shape (S,)."""
    return stdtr(positive(found.df), -(found.estimate + margin) / positive(found.se))


def equivalence(found: Contrast, margin: float) -> FloatArray:
    """p-value of the hypothesis that a contrast is `margin` or more away from 0, shape (S,).

    The greater one of two one-sided p-values (Schuirmann, 1987).
    """
    return stdtr(positive(found.df), (np.abs(found.estimate) - margin) / positive(found.se))


def all_equal(kappas: PairKappas, moments: Moments | None = None) -> Homogeneity:
    """Test that all coefficients of a group are equal, by the ANOVA-type statistic.

    Parameters
    ----------
    kappas : PairKappas
        P coefficients, two or more, in G groups.
    moments : Moments, optional
        Where `kappas` does not hold the influence values.

    Returns
    -------
    Homogeneity
        With k the coefficients, S their covariances and ``T = I - J / P``: ``F = k'Tk / tr(TS)``,
        with the degrees of freedom `_degrees` and as many for each of n - 1 items (or
        clusters). NaN where a coefficient or its standard error is undefined, and where no
        difference varies (``no_variance``).

    Notes
    -----
    Nothing is inverted: a matrix of many covariances from few items is close to singular, and
    its inverse makes differences out of noise. For two coefficients it is the t test of their
    difference; for the means of P columns it is the F test of repeated measures.
    """
    cov, concentration = moments or moments_of(kappas.rows, kappas.influence)
    apart = cov - cov.mean(axis=1, keepdims=True)
    apart -= apart.mean(axis=2, keepdims=True)
    size, trace = (np.trace(of, axis1=1, axis2=2) for of in (cov, apart))
    reason = worst(kappas.reason)
    trace = np.where(reason == "", positive(trace, np.maximum(size, ROUNDING)), np.nan)
    reason[(reason == "") & np.isnan(trace)] = "no_variance"
    f = np.square(kappas.estimate - kappas.estimate.mean(axis=0)).sum(axis=0) / trace
    df1 = _degrees(apart, trace, concentration, kappas.units - 1)
    df2 = df1 * (kappas.units - 1)
    return Homogeneity(f, df1, df2, np.asarray(fdtrc(df1, df2, f)), reason)


def _degrees(
    apart: FloatArray, trace: FloatArray, concentration: FloatArray, n: FloatArray
) -> FloatArray:
    """Degrees of freedom of a sum of squares with covariances TST from n free items, shape (G,).

    ``f = tr(TST)**2 / tr(TSTTST)`` of Box is too low where S is estimated from few items.
    ``((n + 1) f - 2) / (n - f)`` of Huynh and Feldt corrects it for normal values, too little for
    those of which most are next to zero. Without products of an item and itself (Brunner, Bathke &
    Placzek, 2012) numerator and denominator do not depend on how heavy the tails of the values are;
    with fewer than twenty items they are too small, as values are centred, and they see nothing of
    the bend of a kappa of few items. By simulation, the geometric mean of both holds best; each is
    at most P - 1, and 3 n, as a handful of items says little of many differences.
    """
    box = trace**2 / np.einsum("gij,gij->g", apart, apart)
    most = np.maximum(np.minimum(apart.shape[1] - 1, MOST_OF_ITEM * n), box)

    def between(over: FloatArray, under: FloatArray) -> FloatArray:
        with np.errstate(divide="ignore", invalid="ignore"):  # as many items as differences
            return np.where(under > 0, np.clip(over / under, box, most), most)

    normal = between((n + 1) * box - 2, n - box)
    of_two = between(1 - concentration, 1 / box - concentration)
    return np.where(n > 1, np.sqrt(normal * of_two), box)


def _checked(
    se: FloatArray, reason: ObjectArray, df: FloatArray
) -> tuple[FloatArray, FloatArray, ObjectArray]:
    """Set standard errors to NaN where there is a reason, to zero where they are rounding."""
    reason = reason.copy()
    se = without_rounding(se)
    reason[(reason == "") & (se == 0)] = "no_variance"
    reason[(reason == "") & np.isnan(se)] = "n_lt_2"
    known = (reason == "") | (reason == "no_variance")
    return np.where(known, se, np.nan), np.where(known, df, np.nan), reason


def read_compared(
    data: pd.DataFrame | Counted, raters: Raters | None, reading: Reading, *coefficients: str
) -> Study:
    """Read the ratings of those who are compared."""
    study = read(data, raters, reading)
    study.warn_of_categories(coefficients)
    return study


def kappas_of(study: Study, pairs: Sequence[tuple[Label, Label]], coefficient: str) -> PairKappas:
    """Estimate the coefficients of some pairs of raters, in every group."""
    names = study.coded.raters
    places = [(names.index(a), names.index(b)) for a, b in pairs]
    return of_pairs(study.rows.compressed, study.scale, COEFFICIENTS[coefficient], places)


def columns_named(given: Any, option: str, what: str) -> list[Label]:
    """Return the columns that the user listed, in order."""
    is_list = pd.api.types.is_list_like(given) and not isinstance(given, set | frozenset | dict)
    if not is_list:
        alone = isinstance(given, str) and what.startswith("a list")
        example = f"[{shown(given)}]" if alone else "('ann', 'bob')"
        raise OptionError(f"{option} must be {what}, got {shown(given)}. Write {option}={example}.")
    names = list(given)
    for name in names:
        if name is pd.NA or not pd.api.types.is_hashable(name):
            raise OptionError(
                f"{option} must hold column labels, got {shown(name)}. Name the columns."
            )
    return names


def check_different(names: Sequence[Label], option: str) -> None:
    """Make sure that no rater is paired with themselves."""
    twice = [name for name in dict.fromkeys(names) if list(names).count(name) > 1]
    if twice:
        raise DuplicateRatingError(
            f"{option} names {listing(twice)} more than once. Name different raters."
        )


def machines_among(given: Label | list[Label] | None, raters: list[Label]) -> tuple[Label, ...]:
    """Return the raters that are machines."""
    if given is None:
        return ()
    names = given if isinstance(given, list) else [given]
    for name in names:
        check_label("machine", name)
    check_different(names, "machine")
    unknown = [name for name in names if name not in raters]
    if unknown:
        raise ColumnNotFoundError(
            f"machine names {listing(unknown)}, but the raters are {listing(raters)}. Name "
            "machines among the raters, too."
        )
    if not names or len(names) == len(raters):
        raise OptionError(
            f"machine names {len(names)} of {len(raters)} raters. Name those that are machines: "
            "one at least, and not all."
        )
    return tuple(names)


def measured_by(humans: Any, function: str, **given: list[Label]) -> list[Label]:
    """Return the raters that machines are measured by; these are `given` by the option's name."""
    [(option, machines)] = given.items()
    names = columns_named(humans, "humans", "a list of columns")
    check_different(names, "humans")
    both = [machine for machine in machines if machine in names]
    if both:
        raise DuplicateRatingError(
            f"{option}={shown(both[0])} is among the humans too. Leave it out of humans."
        )
    if len(names) < PAIR:
        raise RatingsError(
            f"{function} needs two humans or more, got {len(names)}: "
            "a machine is measured by how well they agree with each other."
        )
    return names


def tested(difference: Contrast, level: float) -> dict[str, FloatArray]:
    """Return the columns of a difference and its test."""
    test = t_test(difference, level)._asdict()
    return {"difference": difference.estimate, "se": difference.se, **test}


def by_margin(difference: Contrast, margin: float | None) -> dict[str, FloatArray | float]:
    """Return the columns of the tests by a margin, NaN without one."""
    if margin is None:
        return dict.fromkeys(schema.BY_MARGIN, np.nan)
    return {
        "margin": float(margin),
        "p_non_inferior": non_inferiority(difference, margin),
        "p_equivalent": equivalence(difference, margin),
    }


def with_no_weight(no_weight: BoolArray, reason: ObjectArray) -> ObjectArray:
    """Say that there are no items because none has a weight, where that is why.

    `no_weight` is that of each group, of as many rows one below the other.
    """
    of_row = no_weight.repeat(len(reason) // max(len(no_weight), 1))
    return np.where(of_row & (reason == "no_items"), "zero_total_weight", reason)


def repeated(value: Any, times: int) -> Any:
    """Repeat a label as it is, be it a tuple."""
    return index_of([value]).repeat(times)


def by_group(study: Study, columns: dict[str, Any], figure: str) -> Result:
    """Put the columns into a frame, after the labels of the groups; warn of what is NaN.

    The last column says of which groups the test is weak, if it says nothing else yet.
    """
    groups = study.groups
    if "remark" not in columns:
        columns["remark"] = remarks_of(study.rows, study.scale)
    columns["reason"] = with_no_weight(groups.no_weight, columns["reason"])
    frame = pd.DataFrame(columns)
    warn_if_undefined("comparison", frame[figure].isna(), frame["reason"], groups.name)
    return result(groups.label(frame), study.raters)


FEWEST_TO_DIFFER = 3


class OfPairsOfRaters(has.By, has.Kappa, has.Units):
    """How pairs of raters are read, and what they are compared by."""


class OfCompare(OfPairsOfRaters, has.PlainLimits, has.Margin, has.Adjusted):
    """Options of `compare`."""

    first: tuple[Label, Label] = anew(
        has.First,
        "first",
        kind="pair of column labels",
        kw_only=False,
        also='Such as ``("human", "model_1")``.',
    )
    second: tuple[Label, Label] = anew(
        has.First,
        "second",
        kind="pair of column labels",
        kw_only=False,
        also='Such as ``("human", "model_2")``. The two pairs may share a rater or none.',
    )


@asks(
    OfCompare,
    ci='The estimate plus and minus quantiles of `se`: "auto" of a t distribution, "wald" of '
    "a normal one, as is the test.",
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
    1 degrees of freedom. The influences on a pair that rated m of the n items grow by ``sqrt((1 - 1
    / n) / (1 - 1 / m))``, so that its own variance is divided by m (m - 1); n and m count clusters
    by what they are worth, see `cluster`. This is the delta method for dependent kappas [1]_; a
    bootstrap [2]_ is not needed. Standard errors of a single coefficient in `pairs` divide by n
    squared. The tests with a margin use the same standard error; that of equivalence is
    Schuirmann's [3]_.

    Simulated with kappas of .6 and .85, 20 to 75 items and two to five categories, the error rate
    of the two-sided test at the level .05 is .03 to .07, and less if the raters disagree on a
    handful of items (.00 to .04 with a kappa of .85 and 20 items). It is too high if some
    categories have few items: with quadratic weights and shares down to .04, it is .10 to .12 with
    20 items and .09 with 40; without weights, it is .11 with 20 items for pairs that share no
    rater.

    References
    ----------
    .. [1] Vanbelle, 2017
    .. [2] Vanbelle & Albert, 2008
    .. [3] Schuirmann, 1987

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
    if asked.ci == "wald":
        difference = difference._replace(df=np.where(difference.df > 0, np.inf, difference.df))
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
    .. [1] Brunner et al., 1997
    .. [2] Huynh & Feldt, 1976
    .. [3] Brunner et al., 2012

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
    kappas = of_pairs(study.rows.compressed, scale, model, pairs)
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
        raise OptionError(
            f"{option} must be a pair of raters, got [{listing(names)}]. "
            f"Write {option}=('human', 'model')."
        )
    check_different(names, option)
    return names[0], names[1]


def _check_enough(raters: list[Label]) -> None:
    """Make sure that there are two pairs or more."""
    if len(raters) < FEWEST_TO_DIFFER:
        raise RatingsError(
            f"homogeneity needs three raters or more, got {len(raters)}: {listing(raters)}. "
            "Two raters are one pair; pairs() has its test."
        )


class OfCompareGroups(
    has.Raters, has.ByGroups, has.PairOrAll, has.Weighted, has.Formula, has.Margin, has.Adjusted
):
    """Options of `compare_groups`."""

    @property
    def other_limits(self) -> tuple[str, str]:
        """Where limits of differences come from."""
        each = "Limits of differences were made of those of both groups as if these were"
        return "", f"{each} of variances (Zou & Donner, 2008)."

    def found_in(self, made: Any) -> Findings:
        """Say whether two groups differ; of more, whether any do, and which is below the others."""
        known = made[made["difference"].notna()]
        by = self.by if isinstance(self.by, list) else [self.by]
        sides = zip(made["first"], made["second"], strict=True)
        names = [[place_of(by, one) for one in pair] for pair in sides]
        if len(made) == 1:
            [row], subject = list(made.to_dict("records")), f"{names[0][0]} and {names[0][1]}"
            if not len(known):
                return Findings(f"The difference is undefined: {REASONS.get(row['reason'], '')}")
            one = of_two_groups(row, names[0], self.level)
            figures = one.figures
            return Findings(one.sentence, figures=figures, subject=f"Agreement in {subject}")
        q, df, p = (float(made.attrs["all_groups"][name]) for name in ("q", "df", "p_value"))
        is_shown = "are shown" if p < 1 - self.level else "are not shown"
        test = f"Q = {q:.1f}, df = {df:.0f}, {p_in_words(p)}"
        rest = made.attrs.get("from_the_rest", {})
        frame = pd.DataFrame([*rest.values()], index=pd.Index([*rest], tupleize_cols=False))
        found = [of_many_groups(frame, partial(place_of, by))] if rest else []
        return Findings(
            f"The groups {is_shown} to differ: {test}.",
            tuple(found),
            subject=f"Agreement in {df + 1:.0f} groups",
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
        the same coefficient; of three groups and more with limits ``attrs["from_the_rest"]`` holds
        the difference of each from the mean of the others, with its limits and p-value.

    Raises
    ------
    RatingsError
        If there are fewer than two groups.

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
    .. [1] Zou & Donner, 2008

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
    is_pair = len(study.raters) == PAIR
    given = asked.coefficient or ("cohen" if is_pair else default_of_all(study))
    name = coefficient_of(given, len(study.raters))
    study.warn_of_categories([name])
    warn_if_biased(study, name)
    asked.tell(coefficient=given)
    return differences_of_groups(
        at_levels(study, name, asked.ci),
        study.groups,
        study.raters,
        level=asked.level,
        margin=asked.margin,
        p_adjust=asked.p_adjust,
    )


def coefficient_of(name: str, n_raters: int) -> str:
    """Return the coefficient of all raters, which that of a pair is for two."""
    if n_raters > PAIR:
        check_choice("coefficient", name, MULTIRATER, SYNONYMS_OF_ALL)
        return name
    check_choice("coefficient", name, COEFFICIENTS, SYNONYMS)
    return COEFFICIENTS[name].many
