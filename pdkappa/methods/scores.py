"""Scores that need not be whole numbers: concordance, Bland-Altman, shares within a distance."""

from __future__ import annotations

from dataclasses import replace
from itertools import combinations
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, TypeAlias

import numpy as np
import pandas as pd
import scipy

from pdkappa._typing import Plain
from pdkappa.coefficients.all_raters import concord
from pdkappa.coefficients.influence import worth_of
from pdkappa.coefficients.pair_kappas import DISTANCES, concordance_figures, in_units, joint_scores
from pdkappa.coefficients.score_limits import chdtri, half_width, ndtri, positive, two_sided, wilson
from pdkappa.errors import shown
from pdkappa.methods.estimates import asked as has
from pdkappa.methods.estimates.asks import anew, asks
from pdkappa.methods.estimates.options import check_by, number_that
from pdkappa.methods.estimates.pair_frames import (
    check_pairs,
    in_turns,
    warn_if_undefined,
    warn_of_undefined_rows,
    whole,
)
from pdkappa.methods.estimates.real_scores import OF_PAIRS, of_many_pairs, read_scores, where_few
from pdkappa.present import schema
from pdkappa.present.text_tables import result
from pdkappa.ratings.categories import index_of
from pdkappa.ratings.options import Reading

if TYPE_CHECKING:
    from pdkappa._typing import BoolArray, FloatArray, ItemWeights, Label, Missing
    from pdkappa.coefficients.influence import Worth
    from pdkappa.coefficients.rating_rows import RatingRows
    from pdkappa.ratings.coded import Coded, Counted

Kind: TypeAlias = Literal["ccc", "linear"]
Limits: TypeAlias = Literal["auto", "fisher", "wald"]
WITHIN = 0.95  # share of the differences that lie within the limits of agreement
FIGURES = ("bias", "sd", "lower_limit", "upper_limit", "slope")
NO_SPREAD = 8 * np.finfo(float).eps  # of the largest score: what is left of none by rounding


class Figure(NamedTuple):
    """A figure of G groups, its limits, and the test that it is zero; every field is (G,)."""

    estimate: FloatArray
    se: FloatArray
    ci_low: FloatArray
    ci_high: FloatArray
    p_value: FloatArray


def nctdtrit(df: Any, centre: Any, p: Any) -> Any:
    """Find the quantile `p` of noncentral t distributions, each of them once."""
    known, where = np.unique(df, return_inverse=True)
    of_known = np.empty(known.shape)
    of_known[where] = centre
    return np.asarray(scipy.stats.nct.ppf(p, known, of_known))[where]


def bland_altman_figures(
    rows: RatingRows, scores: FloatArray, level: float, *, ci: str = "auto"
) -> tuple[dict[str, Figure], dict[str, BoolArray]]:
    r"""Describe the differences of two raters' scores, the first less the second.

    Parameters
    ----------
    rows : RatingRows
        Ratings of two raters, none of them missing.
    scores : ndarray of float, shape (K,)
        What each code stands for.
    level : float
        Confidence level.
    ci : {"auto", "wald"}
        Of the standard deviation and its limits of agreement: exact, or by their standard errors.

    Returns
    -------
    dict of Figure
        By the names of `FIGURES`.
    dict of ndarray of bool, shape (G,)
        By the same names, where there is no variance to estimate from: the differences are all the
        same; for the slope so are all means, or what is off the line.

    Notes
    -----
    With mean :math:`\bar d`, standard deviation s of n differences and :math:`z = 1.96`, an end
    of the limits of agreement is :math:`\bar d \pm z s`, and its confidence limits are
    :math:`\bar d \pm s\, t'_q(n - 1, z \sqrt n) / \sqrt n`, with quantiles of the noncentral t
    distribution. Of items in clusters, n is what they are worth for the mean of d, for that of its
    square, and for the products of the slope, and limits are the wider the fewer clusters say what
    items are worth: those of s on the scale of its logarithm; see `worth_of`.
    """
    first, second = scores[rows.codes]
    n = rows.n_items

    def mean(values: FloatArray) -> FloatArray:
        return rows.total(values) / n

    def centred(values: FloatArray) -> FloatArray:
        near = values - mean(values)[rows.group]
        return near - mean(near)[rows.group]  # a mean of large values misses by more than an ulp

    largest = np.zeros(rows.n_groups)
    np.maximum.at(largest, rows.group, np.abs(scores[rows.codes]).max(axis=0, initial=0))

    def is_constant(values: FloatArray, times: Any = 1.0) -> BoolArray:
        return rows.total(np.abs(values) > NO_SPREAD * largest[rows.group] * times) == 0

    with np.errstate(divide="ignore", invalid="ignore"):
        bias, apart = mean(first - second), centred(first - second)
        along = (centred(first) + centred(second)) / 2
        same = is_constant(apart)
        square = mean(apart**2)
        sd = np.where(same, 0 * positive(n - 1), np.sqrt(square * n / positive(n - 1)))
        of_mean, of_square = (
            worth_of(rows, one, level) for one in (apart, apart**2 - square[rows.group])
        )
        figures = _of_spread(bias, sd, np.sqrt(square), (of_mean, of_square), level)
        if ci == "wald":
            figures = {
                name: _by_t(one.estimate, one.se, of_mean.df, level)._replace(p_value=one.p_value)
                for name, one in figures.items()
            }
        slope = np.where(is_constant(along), np.nan, mean(apart * along) / mean(along**2))
        rest = apart - slope[rows.group] * along
        of_slope = worth_of(rows, rest * along)
        spread = np.sqrt(mean(rest**2) / mean(along**2) / positive(of_slope.n - 2))
        on_line = is_constant(rest, 1 + np.abs(slope[rows.group]))
    figures["slope"] = _by_t(slope, np.where(on_line, np.nan, spread), of_slope.df - 1, level)
    no_variance = dict.fromkeys(figures, same) | {"slope": on_line & (n > 2)}  # noqa: PLR2004
    return {name: figures[name] for name in FIGURES}, no_variance


def _of_spread(
    bias: FloatArray, sd: FloatArray, root: FloatArray, worth: tuple[Worth, Worth], level: float
) -> dict[str, Figure]:
    """Describe the mean and the standard deviation of differences, and their sums.

    `root` is that of the mean square, of which the errors are made, and `worth` that of the items
    for the mean and for the mean square.
    """
    z, none = ndtri((1 + WITHIN) / 2), np.full(bias.shape, np.nan)
    (n, df_of_mean, _), df = worth[0], positive(worth[1].n - 1)
    error = np.where(sd > 0, root, np.nan) / np.sqrt(positive(n - 1))
    known = positive(sd)
    tails = (1 - level) / 2, (1 + level) / 2
    near, far = (error * nctdtrit(df, z * np.sqrt(n), q) for q in tails)
    near, far = (z * sd + worth[1].stretch * (end - z * sd) for end in (near, far))
    low, high = (known * np.sqrt(df / chdtri(df, q)) ** worth[1].stretch for q in tails)
    se = np.sqrt(error**2 + (known * z) ** 2 / (2 * df))
    return {
        "bias": _by_t(bias, error, df_of_mean, level),
        "sd": Figure(sd, known / np.sqrt(2 * df), low, high, none),
        "lower_limit": Figure(bias - z * sd, se, bias - far, bias - near, none),
        "upper_limit": Figure(bias + z * sd, se, bias + near, bias + far, none),
    }


def _by_t(estimate: FloatArray, se: FloatArray, df: FloatArray, level: float) -> Figure:
    """Give limits to a figure, and test that it is zero, by a t distribution."""
    half = half_width(level, df) * se
    with np.errstate(divide="ignore", invalid="ignore", over="ignore"):  # of an error that is zero
        p_value = two_sided(estimate / se, df)
    return Figure(estimate, se, estimate - half, estimate + half, p_value)


class OfBlandAltman(has.Pair, has.By, has.Units, has.PlainLimits):
    """Options of `bland_altman`."""


@asks(
    OfBlandAltman,
    rater_a="Their ratings must be numbers.",
    ci="Of the standard deviation and of the limits of agreement: exact for normal "
    "differences [2]_, or by their standard errors [1]_. Others have t quantiles.",
)
def bland_altman(data: pd.DataFrame | Counted, asked: OfBlandAltman) -> pd.DataFrame:
    """Estimate the bias and the limits of agreement of two raters, in units of the scores.

    Does one rater score higher, and how far apart are they on most items? No coefficient shows
    that, since coefficients are relative to the differences between items.

    Returns
    -------
    DataFrame
        Five rows (for each group), named ``figure``, of the differences, first rater less second:

        - ``bias``: their mean;
        - ``sd``: their standard deviation, divided by n - 1;
        - ``lower_limit, upper_limit``: of agreement, between which 95% of the differences lie if
          they are normal;
        - ``slope``: of the differences on the means of the two scores. If it is not zero, one
          rater spreads the scores more widely, and the limits do not apply to the whole scale.

        The columns are ``n_items, estimate, se, ci_low, ci_high, p_value, reason, remark``. Only
        bias and slope have a `p_value`: of the hypothesis that they are zero. Reasons for NaN are
        ``no_items``, ``zero_total_weight``, ``no_joint_items``, ``n_lt_2``, ``few_items`` (two have
        no error of the slope) or ``no_variance`` (all differences are the same; for the slope so
        are all means, or all differences lie on the line, as where one rater always says the same).

    See Also
    --------
    within : How many items have scores that are close to each other.

    Notes
    -----
    The limits of agreement are the bias plus and minus 1.96 standard deviations [1]_. Their own
    confidence limits are exact for normal differences, from the noncentral t distribution [2]_;
    those of [1]_ are too narrow outside and too wide inside for few items. `se` is that of [1]_.
    With `cluster`, limits of 10, 15 and 25 clusters of four items that share half of the variance
    held the limits of agreement in .95, the slope in .94 to .95, and the standard deviation, which
    few clusters underestimate, in .93 to .94 of 2,000 samples; in .92 if one in four clusters had
    more than half of the items.

    References
    ----------
    .. [1] Bland & Altman, 1999
    .. [2] Carkeet, 2015

    Examples
    --------
    >>> df = pdkappa.datasets.load_essays()
    >>> found = df[df["essay_set"] == 1].kappa.scores.bland_altman("machine", "human_1")
    >>> found[["n_items", "estimate", "ci_low", "ci_high", "p_value"]].round(2)
                 n_items  estimate  ci_low  ci_high  p_value
    figure
    bias             300     -0.04   -0.17     0.09     0.58
    sd               300      1.16    1.07     1.26      NaN
    lower_limit      300     -2.31   -2.55    -2.10      NaN
    upper_limit      300      2.23    2.02     2.47      NaN
    slope            300     -0.20   -0.29    -0.12     0.00

    The machine has no bias, but the slope says that it keeps to the middle of the scale.
    """
    check_by(asked.by, set(schema.BLAND_ALTMAN))
    scored = read_scores(data, [asked.rater_a, asked.rater_b], asked.reading)
    rows = joint_scores(scored.rows, (0, 1)).compressed
    unit, scores = in_units(rows, scored.scores)
    figures, no_variance = bland_altman_figures(rows, scores, asked.level, ci=asked.ci)
    parts = []
    for name, figure in figures.items():
        scale = 1.0 if name == "slope" else unit
        columns: dict[str, Any] = {
            field: values * (1.0 if field == "p_value" else scale)
            for field, values in figure._asdict().items()
        }
        reason = np.where(np.isnan(figure.ci_low), _why(rows.units, no_variance[name]), "")
        reason = np.where(scored.empty == "", reason, scored.empty)
        parts.append(columns | {"n_items": rows.n_items, "reason": reason, "remark": ""})
    inner = pd.Index(FIGURES, name="figure")
    frame = in_turns(parts, schema.BLAND_ALTMAN, scored.coded.groups, inner)
    warn_of_undefined_rows(frame)
    return result(frame, scored.coded.raters)


def differences(
    data: pd.DataFrame | Counted,
    rater_a: Label,
    rater_b: Label,
    *,
    missing: Missing = "pairwise",
    sample_weight: ItemWeights | None = None,
) -> pd.DataFrame:
    """List the pairs of scores that occur, for a picture.

    Parameters
    ----------
    data : DataFrame, shape (N, ...)
        One row for each item.
    rater_a, rater_b : column labels
        The two raters.
    missing, sample_weight : optional
        See `bland_altman`.

    Returns
    -------
    DataFrame
        Their ``mean``, the ``difference``, first less second, and ``n_items``.

    Examples
    --------
    >>> df = pd.DataFrame({"a": [1, 1, 2], "b": [2, 2, 2]})
    >>> differences(df, "a", "b")
       mean  difference  n_items
    0   1.5        -1.0      2.0
    1   2.0         0.0      1.0
    """
    reading = Reading(missing=missing, sample_weight=sample_weight)
    scored = read_scores(data, [rater_a, rater_b], reading)
    rows = joint_scores(scored.rows, (0, 1)).compressed
    first, second = scored.scores[rows.codes]
    columns = {"mean": (first + second) / 2, "difference": first - second, "n_items": rows.count}
    return pd.DataFrame(columns)


def _why(n: FloatArray, same: Any) -> Any:
    """Say why a group has no limits."""
    cases = [n == 0, n < 2, same]  # noqa: PLR2004
    return np.select(cases, ["no_joint_items", "n_lt_2", "no_variance"], "few_items")


KINDS = {"ccc": "quadratic", "linear": "linear"}  # distances


class OfConcordance(has.Raters, has.By, has.Units, has.Level):
    """Options of `concordance`."""

    kind: Kind = anew(
        has.Additive,
        "kind",
        also='A difference of scores counts by its square, "ccc", which is Lin\'s concordance '
        "correlation, or by its size.",
        choices=Kind,
        default="ccc",
        synonyms={"quadratic": "'ccc'", "lin": "'ccc'"},
    )
    ci: Limits = anew(
        has.Interval,
        "ci",
        also="Up to a hundred distinct scores of a pair in a group, as in `pairs`. Of more, on "
        "Fisher's z scale, with t quantiles of the standard error of the jackknife; or estimate "
        "plus and minus normal quantiles of `se`. With `cluster` both use t quantiles of `se`.",
        choices=Limits,
        default="auto",
        more="",
    )


@asks(OfConcordance, raters="Their ratings must be numbers.")
def concordance(data: pd.DataFrame | Counted, asked: OfConcordance) -> pd.DataFrame:
    """Estimate the agreement of every pair of raters whose scores need not be whole numbers.

    How well do unrounded predictions, or measurements, agree with each other and with whole
    scores? There are no categories, and nothing is rounded.

    Returns
    -------
    DataFrame
        One row for each pair (and group): the columns of `by`, and

        - ``rater_a, rater_b, n_items``;
        - ``estimate, se, ci_low, ci_high``: Lin's concordance correlation, which is kappa with
          quadratic weights, or kappa with linear ones, in [-1, 1];
        - ``kappa_u, se_kappa_u``: the same without most of its bias in small samples, in
          (-inf, 1]; for "ccc" the intraclass correlation ICC(A,1);
        - ``correlation``: Pearson's, in [-1, 1];
        - ``lin_accuracy``: Lin's C_b in (0, 1], the factor by which different means and standard
          deviations reduce the correlation; for "ccc" the estimate is their product;
        - ``difference``: mean of the first rater minus that of the second;
        - ``reason`` for NaN: ``no_items``, ``no_joint_items``, ``zero_total_weight``,
          ``constant_ratings``, ``constant_rater`` (kappa is 0 and has no standard error; no
          correlation, no accuracy), ``n_lt_2``; and ``remark``.

    Raises
    ------
    RatingsError
        If a score is infinite.

    See Also
    --------
    pairs : The same estimate, where scores are categories, with p-values.

    Notes
    -----
    For "ccc", with the moments of the sample divided by n, the estimate is
    ``2 cov / (var_a + var_b + (mean_a - mean_b)**2)`` [1]_. Up to a hundred distinct scores of
    a pair in a group the estimate, its error and its limits are those of `pairs`; of more, the
    estimate equals that of `pairs` to the last digits, at less cost. The
    correction is ``kappa_u = n kappa / (n - 1 + kappa)``: among the pairs of scores that say
    what to expect by chance, it leaves out those of one and the same item. It assumes
    independent items.

    The jackknife leaves out every item exactly. In samples from normal distributions with
    correlations of 0.5 and 0.9, intervals of 95% cover 94% for 10 items and 95% for 20 or
    more; for lognormal scores, which are very skewed, 87% for 20 and 91% for 200. With a
    correlation of 0.5 and 20 items the bias is -0.031, and that of `kappa_u` -0.020.

    References
    ----------
    .. [1] Lin, 1989
    .. [2] McGraw & Wong, 1996

    Examples
    --------
    >>> df = pd.DataFrame({"human": [1, 2, 4, 4, 3], "machine": [1.6, 2.2, 3.4, 3.1, 2.9]})
    >>> df.kappa.scores.concordance()[["n_items", "estimate", "kappa_u", "correlation"]].round(3)
       n_items  estimate  kappa_u  correlation
    0        5     0.826    0.855        0.982

    Rounding first is another question:

    >>> df.round().kappa.scores.concordance()[["estimate", "kappa_u", "correlation"]].round(3)
       estimate  kappa_u  correlation
    0     0.634    0.684         0.91
    """
    check_by(asked.by, set(schema.CONCORDANCE))
    scored = read_scores(data, asked.raters, asked.reading)
    check_pairs(len(scored.coded.raters), "concordance")
    distance, names = DISTANCES[KINDS[asked.kind]], scored.coded.raters
    parts = []
    sides = list(combinations(range(len(names)), 2))
    shared = (joint_scores(scored.rows, pair) for pair in sides)
    options: dict[str, Any] = {"ci": asked.ci, "level": asked.level}
    found = of_many_pairs(shared, scored.scores, KINDS[asked.kind], **options)
    for (first, second), (rows, few) in zip(sides, found, strict=True):
        of_scores = concordance_figures(rows, scored.scores, distance, **options)._asdict()
        of_scores["reason"] = np.where(scored.empty == "", of_scores["reason"], scored.empty)
        of_scores = where_few(of_scores, few, dict(zip(OF_PAIRS, OF_PAIRS, strict=True)))
        parts.append({"rater_a": names[first], "rater_b": names[second], **of_scores, "remark": ""})
    frame = _of_pairs(scored.coded, parts, schema.CONCORDANCE)

    def pair(row: int) -> str:
        a, b = frame[["rater_a", "rater_b"]].iloc[row]
        return f"{shown(a)} with {shown(b)}{scored.coded.groups.at(row // len(parts))}"

    warn_if_undefined("coefficient", frame["estimate"].isna(), frame["reason"], pair)
    return result(frame, names)


def _of_pairs(coded: Coded, parts: list[dict[str, Any]], names: tuple[str, ...]) -> pd.DataFrame:
    """Put one row for each part, which names two raters, in each group if there are groups."""
    raters, rows = names[:2], pd.RangeIndex(len(parts))
    frame = in_turns(parts, names[2:], coded.groups, rows).reset_index(drop=True)
    for place, name in enumerate(raters):
        frame.insert(place, name, index_of([part[name] for part in parts] * coded.n_groups))
    return coded.groups.label(frame)


class Share(NamedTuple):
    """A share of the items of G groups with score limits; every field is (G,)."""

    n_items: FloatArray
    estimate: FloatArray
    se: FloatArray
    ci_low: FloatArray
    ci_high: FloatArray


def share_within(
    rows: RatingRows, scores: FloatArray, tolerance: float, level: float, *, ci: str = "auto"
) -> Share:
    """Estimate the share of items whose scores, two or more, are no further apart than allowed."""
    rows = rows if rows.cluster is None else rows.compressed
    values = np.append(scores, np.nan)[rows.codes]
    joint = rows.n_ratings > 1
    apart = np.fmax.reduce(values) - np.fmin.reduce(values)
    slack = NO_SPREAD * np.fmax.reduce(np.abs(values))  # 0.3 and 0.2 are 0.1 apart
    rows, near = rows.select(joint), (apart <= tolerance + slack)[joint]
    with np.errstate(divide="ignore", invalid="ignore"):
        p = rows.total(near) / rows.n_items
        worth = worth_of(rows, near - np.nan_to_num(p)[rows.group])
        se, half = np.sqrt(p * (1 - p) / worth.n), half_width(level)
        if rows.cluster is not None:
            half = half_width(level, positive(worth.df))
            se = np.where(np.isnan(half), np.nan, se)
        limits = wilson(p, worth.n, half)
        if ci == "wald":
            limits = np.clip(p - half * se, 0, 1), np.clip(p + half * se, 0, 1)
        return Share(rows.n_items, p, se, *limits)


class OfWithin(has.Raters, has.By, has.Units, has.Level):
    """Options of `within`."""

    tolerance: float = anew(
        has.Tolerance,
        "tolerance",
        also="Scores may be so far apart; 0 requires equal scores.",
        default=1.0,
        check=number_that(lambda value: 0 <= value < np.inf, "be a number from 0 upwards"),
    )
    together: bool = anew(
        has.Together,
        "together",
        default=False,
        also="All ratings of an item must then be within the tolerance.",
    )
    ci: Plain = anew(
        has.Interval,
        "ci",
        also="Wilson's limits [1]_, or the share plus and minus quantiles of `se`. Of clusters, "
        "of as many items as they are worth, with t quantiles.",
        choices=Plain,
        default="auto",
        more="",
    )


@asks(OfWithin, raters="Their ratings must be numbers.")
def within(data: pd.DataFrame | Counted, asked: OfWithin) -> pd.DataFrame:
    """Estimate the share of items on which raters' scores are close to each other.

    On how many items do they agree well enough? There is no correction for chance: raters who all
    give the same middling score to everything are within a point of each other.

    Returns
    -------
    DataFrame
        One row for each pair (and group), or one for all raters, with

        - ``rater_a, rater_b``, missing where all are together;
        - ``n_items``, those with two ratings;
        - ``estimate, se, ci_low, ci_high``: the share, and its limits, in [0, 1];
        - ``remark``, and the ``reason`` for NaN: ``no_items``, ``no_joint_items``,
          ``zero_total_weight``, ``n_lt_2`` (a single cluster).

    See Also
    --------
    agreement : The coefficient "percent" is the share of equal ratings, averaged over pairs.
    bland_altman : How far apart two raters are on most items.

    References
    ----------
    .. [1] Wilson, 1927

    Examples
    --------
    >>> df = pdkappa.datasets.load_anxiety()
    >>> near = df.kappa.scores.within(tolerance=1)
    >>> near[["rater_a", "rater_b", "estimate", "ci_low", "ci_high"]].round(2)
       rater_a  rater_b  estimate  ci_low  ci_high
    0  rater_1  rater_2      0.65    0.43     0.82
    1  rater_1  rater_3      0.50    0.30     0.70
    2  rater_2  rater_3      0.60    0.39     0.78
    >>> df.kappa.scores.within(tolerance=1, together=True)["estimate"].round(2).item()
    0.35
    """
    check_by(asked.by, set(schema.WITHIN))
    scored = read_scores(data, asked.raters, asked.reading)
    rows, names = scored.rows, scored.coded.raters
    if not asked.together:
        check_pairs(len(names), "within")
    chosen = [range(len(names))] if asked.together else list(combinations(range(len(names)), 2))
    parts = []
    for some in chosen:
        of_some = replace(rows, codes=rows.codes[list(some)])
        share = share_within(of_some, scored.scores, asked.tolerance, asked.level, ci=asked.ci)
        few = np.where(np.isnan(share.se), "n_lt_2", "")  # clusters
        reason = np.where(share.n_items > 0, few, "no_joint_items")
        reason = np.where(scored.empty == "", reason, scored.empty)
        first, second = (None, None) if asked.together else (names[one] for one in some)
        told = {"rater_a": first, "rater_b": second, "reason": reason, "remark": ""}
        parts.append(share._asdict() | told)
    frame = _of_pairs(scored.coded, parts, schema.WITHIN)
    warn_if_undefined("share", frame["estimate"].isna(), frame["reason"])
    return result(frame, names)


Complete: TypeAlias = Literal["listwise", "raise"]


class OfKendallW(has.Raters, has.By, has.Categories, has.SampleWeight):
    """Options of `kendall_w`."""

    missing: Complete = anew(
        has.Missing,
        "missing",
        also="Here all raters are compared at once.",
        choices=Complete,
        default="listwise",
        more="",
    )


@asks(OfKendallW, raters="Their ratings are numbers or ordered categories.")
def kendall_w(data: pd.DataFrame | Counted, asked: OfKendallW) -> pd.DataFrame:
    """Compute Kendall's coefficient of concordance of all raters, with Friedman's test.

    Do the raters put the items into the same order, whatever scores they give?

    Returns
    -------
    DataFrame
        One row (for each group):

        - ``n_items``, those that all raters rated: others are left out;
        - ``estimate``: W in [0, 1], corrected for ties; 1 is the same order;
        - ``chi2, df, p_value``: of the hypothesis that orders have nothing to do with each other;
        - ``n_raters``;
        - ``reason`` for NaN: ``no_items``, ``zero_total_weight``, ``n_lt_2``,
          ``constant_ratings`` (every rater gave all items one rating); and ``remark``.

    See Also
    --------
    icc : The same question of scores, which ask for distances, too.

    Notes
    -----
    W is ``(1 + (m - 1) r) / m`` with r the mean of Spearman's correlations of the pairs of m
    raters, where there are no ties. The distribution of ``chi2`` is near that of chi-squared from
    some eight items on [1]_.

    References
    ----------
    .. [1] Kendall & Babington Smith, 1939

    Examples
    --------
    >>> pdkappa.datasets.load_anxiety().kappa.scores.kendall_w().round(3)
       n_items  estimate   chi2  df  p_value  n_raters reason remark
    0       20      0.54  30.76  19    0.043         3
    """
    check_by(asked.by, set(schema.KENDALL_W))
    scored = read_scores(data, asked.raters, asked.reading, needs_order="kendall_w")
    rows, coded = scored.rows, scored.coded
    columns = concord(rows, scored.scores)
    n, df = columns["n_items"], columns["df"]
    few = np.where(n < 2, "n_lt_2", "constant_ratings")  # noqa: PLR2004
    reason = np.where(np.isnan(columns["p_value"]), few, "")
    columns["reason"] = np.where(scored.empty == "", reason, scored.empty)
    columns["n_raters"] = np.full(rows.n_groups, len(coded.raters))
    columns |= {"n_items": whole(n), "df": whole(np.maximum(df, 0)), "remark": ""}
    frame = coded.groups.label(pd.DataFrame(columns)[list(schema.KENDALL_W)])
    warn_if_undefined("coefficient", frame["estimate"].isna(), frame["reason"])
    return result(frame, coded.raters)
