"""Intraclass correlations of scores: `icc`, and their arithmetic."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import pandas as pd

from pdkappa._typing import OfIcc as IntervalOfIcc
from pdkappa.coefficients.intraclass_limits import (
    NO_ERROR,
    Ratings,
    Squares,
    components,
    from_log,
    jackknife,
    limits_on_log,
    on_log,
    one_sided,
    sums_of,
)
from pdkappa.coefficients.pair_kappas import unit_of
from pdkappa.coefficients.resampling import QUANTILES, ResampledLimits, limits_of_all
from pdkappa.coefficients.score_limits import ROUNDING, fdtrc, fdtri, ndtri
from pdkappa.errors import TooLargeError, UndefinedKappaWarning, shown, warn
from pdkappa.methods.estimates import asked as has
from pdkappa.methods.estimates.asks import anew, asks
from pdkappa.methods.estimates.options import (
    check_by,
    check_whole_items,
    check_work,
    number_that,
    what_is_lost,
)
from pdkappa.methods.estimates.pair_frames import in_turns, warn_of_undefined_rows
from pdkappa.methods.estimates.real_scores import NumericRows, read_scores
from pdkappa.present import schema
from pdkappa.present.text_tables import Result, result

if TYPE_CHECKING:
    from pdkappa._typing import BoolArray, FloatArray, IntArray, ObjectArray
    from pdkappa.coefficients.rating_rows import RatingRows
    from pdkappa.ratings.coded import Counted

FORMS = ("ICC(1,1)", "ICC(A,1)", "ICC(C,1)", "ICC(1,k)", "ICC(A,k)", "ICC(C,k)")


class MeanSquares(NamedTuple):
    """Mean squares of G groups; every field has shape (G,).

    Attributes
    ----------
    items, raters, error : ndarray of float
        Between items, between raters, and of the rest. Where raters are not told apart, that
        between raters is part of the rest, and zero itself.
    k, n : ndarray of float
        How many ratings an item has, and how many items a rater rated.
    df_items, df_raters, df_error : ndarray of float
        Degrees of freedom.
    """

    items: FloatArray
    raters: FloatArray
    error: FloatArray
    k: FloatArray
    n: FloatArray
    df_items: FloatArray
    df_raters: FloatArray
    df_error: FloatArray


class Intraclass(NamedTuple):
    """An intraclass correlation of G groups, its limits and its test; every field is (G,)."""

    estimate: FloatArray
    se: FloatArray
    ci_low: FloatArray
    ci_high: FloatArray
    f: FloatArray
    df1: FloatArray
    df2: FloatArray
    p_value: FloatArray


class Analysis(NamedTuple):
    """Mean squares without and with raters, and what is known of the G groups.

    `n_items` and `n_raters` are those with any rating; `varies` says whether ratings differ, and
    `joint` whether some item has two.
    """

    one_way: MeanSquares
    two_way: MeanSquares
    n_items: FloatArray
    n_raters: FloatArray
    varies: BoolArray
    joint: BoolArray


def analyse(rows: RatingRows, scores: FloatArray) -> Analysis:
    """Compute the mean squares of each group: of complete ratings by sums, of others by REML.

    Parameters
    ----------
    rows : RatingRows
    scores : ndarray of float, shape (R, U)
        Zero where there is none.
    """
    rated, place = rows.codes >= 0, 0 if rows.n_groups == 1 else rows.group
    held = _total(rows, rated)  # of each rater, (R, G)
    n, n_raters, n_ratings = rows.n_items, np.sum(held > 0, axis=0), held.sum(axis=0)
    varies = _varies(rows, scores)
    with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
        mean = _total(rows, scores.sum(axis=0)) / n_ratings
        apart = scores - mean[place]
        apart[~(rated & varies[place])] = 0.0
        total = _total(rows, np.einsum("ru,ru->u", apart, apart)) / n_ratings
        own = apart.sum(axis=0) / n_raters[place]
        of_raters = _total(rows, apart) / n
        rest = apart - own
        rest -= of_raters[:, place].reshape(len(apart), -1)
        rest[~rated] = 0.0
        left = _total(rows, np.einsum("ru,ru->u", rest, rest))
        between, among = _total(rows, own**2) * n_raters, (of_raters**2).sum(axis=0) * n
        within, least = among + left, NO_ERROR * total * n_ratings
        between, left, within = (np.where(x > least, x, 0.0) for x in (between, left, within))
        df = n - 1, n_raters - 1.0, (n - 1) * (n_raters - 1)
        k, none = n_raters.astype(np.float64), np.zeros(rows.n_groups)
        squares = between / df[0], among / df[1], left / df[2]
        two_way = MeanSquares(*squares, k, n, *df)
        one_way = MeanSquares(squares[0], none, within / (n * df[1]), k, n, df[0], none, n * df[1])
    one_way, two_way = (MeanSquares(*map(np.copy, one)) for one in (one_way, two_way))
    has_holes = (rows.n_ratings > 0) & (rows.n_ratings < n_raters[place])
    for group in np.flatnonzero(_total(rows, has_holes)):  # sums of weights would be rounded
        some = rows.group == group
        one, two = _with_holes(apart[:, some], rated[:, some], rows.count[some])
        for record, found in ((one_way, one), (two_way, two)):
            for field, value in zip(record, found, strict=True):
                field[group] = value
    joint = _total(rows, rows.n_ratings > 1) > 0
    return Analysis(one_way, two_way, n, k, varies, joint)


def _total(rows: RatingRows, values: FloatArray | BoolArray) -> FloatArray:
    """Sum values of rows, of shape (..., U), over the items of each group, (..., G)."""
    if rows.n_groups == 1:  # some times as fast
        return np.asarray(np.einsum("...u,u->...", values, rows.count))[..., None]
    return np.apply_along_axis(rows.total, -1, values)


def _varies(rows: RatingRows, scores: FloatArray) -> BoolArray:
    """Whether a group has ratings that differ, shape (G,)."""
    some, rated = np.full(rows.n_groups, np.nan), rows.codes >= 0
    for one, is_there in zip(scores, rated, strict=True):
        if np.isnan(some).any():
            some[rows.group[is_there]] = one[is_there]
    other = (scores != some[0 if rows.n_groups == 1 else rows.group]) & rated
    return _total(rows, other.any(axis=0)) > 0


def _with_holes(scores: FloatArray, rated: BoolArray, count: FloatArray) -> list[list[float]]:
    """Compute the mean squares that complete ratings with the same components would have.

    Items have as many ratings, and raters as many items, as in the harmonic mean [1]_. All NaN
    where the components cannot be told apart.

    References
    ----------
    .. [1] Thomas & Hultquist, 1978
    """
    sums = sums_of(scores, rated, count, np.zeros(len(count), dtype=np.int64))
    each, items = sums.each[0], sums.items[0]
    n_items, n_raters = items.sum(), np.count_nonzero(each)
    k, n = n_items / (items / sums.size).sum(), n_raters / (1 / each[each > 0]).sum()
    found = []
    for of_raters in (False, True):
        [df] = sums.degrees(of_raters=of_raters)
        few = df < 1 or n_items <= 1 or not sums.square[0]
        [parts] = np.full((1, 3), np.nan) if few else components(sums, of_raters=of_raters)
        error, items_, raters = parts
        squares = [k * items_ + error, n * raters + error, error]
        found.append([*squares, k, n, n_items - 1, float(n_raters - 1), df])
    return found


def consistency(squares: MeanSquares, null: FloatArray, level: float) -> Intraclass:
    """Correlate single ratings of an item: ICC(1,1) or ICC(C,1), by what the mean squares are."""
    k, df1, df2 = squares.k, squares.df_items, squares.df_error
    ratio = squares.items / squares.error
    # Multiplied by the error, which may be none.
    estimate = (squares.items - squares.error) / (squares.items + (k - 1) * squares.error)
    low, high = (
        (one - 1) / (one + k - 1)
        for one in (
            ratio / fdtri(df1, df2, (1 + level) / 2),
            ratio * fdtri(df2, df1, (1 + level) / 2),
        )
    )
    slope = k / (ratio + k - 1) ** 2
    se = slope * ratio * np.sqrt(2 / df1 + 2 / df2)
    f = ratio * (1 - null) / (1 + (k - 1) * null)
    return Intraclass(estimate, se, low, high, f, df1, df2, fdtrc(df1, df2, f))


def absolute(squares: MeanSquares, null: FloatArray, level: float) -> Intraclass:
    """Correlate single ratings of an item where differences of raters count: ICC(A,1)."""
    items, raters, error, k, n, df1, df_raters, df_error = squares
    whole = items + (k - 1) * error + k / n * (raters - error)
    estimate = (items - error) / whole

    def beside(rho: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Return the mean square that items have if rho is true, and its degrees of freedom."""
        a = k * rho / (n * (1 - rho))
        parts = a * raters, (1 + (n - 1) * a) * error
        df = sum(parts) ** 2 / (parts[0] ** 2 / df_raters + parts[1] ** 2 / df_error)
        return parts[0] + parts[1], df

    df2 = beside(np.maximum(estimate, 0))[1]
    least, most = fdtri(df1, df2, (1 + level) / 2), fdtri(df2, df1, (1 + level) / 2)
    rest = k * raters + (k * n - k - n) * error
    low = n * (items - least * error) / (least * rest + n * items)
    high = n * (most * items - error) / (rest + n * most * items)
    slopes = 1 - estimate, -estimate * k / n, -1 - estimate * (k - 1 - k / n)
    parts = (items, df1), (raters, df_raters), (error, df_error)
    variance = sum((s * ms) ** 2 * 2 / df for s, (ms, df) in zip(slopes, parts, strict=True))
    expected, df2 = beside(null)
    f = items / expected
    return Intraclass(
        estimate, np.sqrt(variance) / whole, low, high, f, df1, df2, fdtrc(df1, df2, f)
    )


def averaged(one: Intraclass, k: FloatArray) -> Intraclass:
    """Turn the correlation of single ratings into that of means of k, by Spearman and Brown."""

    def of_means(rho: FloatArray) -> FloatArray:
        size = 1 + (k - 1) * rho  # of the variance of means, in that of single ratings
        return np.where(size > ROUNDING, k * rho / size, np.nan)

    slope = k / (1 + (k - 1) * one.estimate) ** 2
    return one._replace(
        estimate=of_means(one.estimate),
        se=slope * one.se,
        ci_low=of_means(one.ci_low),
        ci_high=of_means(one.ci_high),
    )


def nulls(null: float, k: FloatArray) -> list[FloatArray]:
    """Return what single ratings correlate if they, or means of k, do so by the null."""
    of_mean: FloatArray = null / (k - (k - 1) * null)
    return [np.full_like(k, null), of_mean]


def intraclass(found: Analysis, null: float, level: float) -> dict[str, Intraclass]:
    """Estimate the six forms of McGraw and Wong, in the order of `FORMS`, for normal scores."""
    with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
        k = found.one_way.k
        forms = []
        for mean_of, of_one in zip((np.ones_like(k), k), nulls(null, k), strict=True):
            three = (
                consistency(found.one_way, of_one, level),
                absolute(found.two_way, of_one, level),
                consistency(found.two_way, of_one, level),
            )
            forms += [averaged(one, mean_of) for one in three]
    return dict(zip(FORMS, map(_without_rest, forms), strict=True))


def _without_rest(found: Intraclass) -> Intraclass:
    """Leave out limits and tests where mean squares of zero make some of them infinite or sure."""
    known = np.isfinite(np.array(found)).all(axis=0) & (found.se > 0) & (found.f > 0)
    tested = {
        name: np.where(known, values, np.nan)
        for name, values in found._asdict().items()
        if name != "estimate"
    }
    return found._replace(**tested)


FEWEST_DEGREES = 10
FEWEST_SKEWED, SKEWED = 20, 0.5  # chosen by simulation
OF_SKEWED = (
    f"fewer than {FEWEST_SKEWED} degrees of freedom of skewed items: a few decide, and limits and "
    "test are approximate"
)
FEW_DEGREES = (
    f"fewer than {FEWEST_DEGREES} degrees of freedom: a few items decide, and limits and test are "
    "approximate"
)
TWO_RATERS = "two raters say little of how raters differ: limits and test are approximate"
MOST_RATERS = 300  # with holes, whose variances take a matrix of raters for each number of ratings


class OfIcc(has.Raters, has.By, has.Units, has.Level, has.Resamples):
    """Options of `icc`."""

    figure = "intraclass correlations"

    ci: IntervalOfIcc = anew(
        has.Interval,
        "ci",
        choices=IntervalOfIcc,
        default="auto",
        synonyms={"jackknife": "'auto'"},
        also='"auto": by leaving out each item in turn, whatever the scores are distributed like. '
        '"f": by F, for normal scores of independent items.',
    )
    null: float | None = anew(
        has.Limits,
        "null",
        default=None,
        check=number_that(lambda value: 0 <= value < 1, "be at least 0 and below 1"),
        also="It is tested against larger ones, and at least 0.",
    )


@asks(
    OfIcc,
    raters="Their ratings must be numbers.",
    missing='"pairwise" uses all ratings.',
    cluster="Of the items that are left out, the sums over a cluster count.",
)
def icc(data: pd.DataFrame | Counted, asked: OfIcc) -> Result:
    """Estimate the intraclass correlations of all raters, in all six forms.

    How much of the variance of scores is due to the items, and how reliable is one rating, or the
    mean of all? The forms are 1, if each item has different raters, so that differences between
    raters are unknown; A, for absolute agreement, if the raters are the same and their differences
    count; C, for consistency, if it does not matter that some are stricter.

    Returns
    -------
    DataFrame
        Six rows (for each group), named ``form``: ``ICC(1,1), ICC(A,1), ICC(C,1)`` of one rating,
        and ``ICC(1,k), ICC(A,k), ICC(C,k)`` of the mean of k ratings; and the columns

        - ``n_items``, those with any rating;
        - ``estimate, se, ci_low, ci_high``: at most 1; below 0 if items differ less than expected
          by chance, and unbounded below for means;
        - ``z, df, p_value``: the one-sided test of `null` by inverting the limits, p-value and its
          normal quantile, and the degrees of freedom of the error from the items;
        - ``f, df1, df2``: what is F under the null if scores are normal, and its degrees of
          freedom; p is that of F for ``ci="f"``;
        - ``n_raters``, and ``ratings_per_item``, which is k;
        - ``reason`` for NaN: ``no_items``, ``zero_total_weight``, ``no_joint_items`` (no item has
          two ratings), ``n_lt_2``, ``constant_ratings``, ``few_items`` (no ratings are left to
          tell errors from items and raters), ``not_converged``, ``no_variance`` (the raters
          agree without any error, which has no limits, or nothing else varies, or items even less
          than by chance, so that a mean's correlation is below all bounds), or
          ``undefined_without`` (the same without some item);
        - ``remark``: empty, or that limits are approximate: they have fewer than ten degrees of
          freedom, as where a few items have most of the variance; fewer than 20 of items whose
          means have a skewness above .5, as samples of a long tail often lack its end; or, for A,
          two raters.

    Raises
    ------
    TooLargeError
        If there are more than 300 raters, and not all of them rated all items.

    See Also
    --------
    concordance : Lin's coefficient, which is ICC(A,1) for pairs but for a factor of n / (n - 1).
    agreement : Krippendorff's alpha with quadratic weights is near ICC(1,1).

    Notes
    -----
    Shrout and Fleiss [2]_ call the forms ICC(1,1), ICC(2,1) and ICC(3,1), and ICC(1,k), ICC(2,k)
    and ICC(3,k). With mean squares of items, raters and errors, and within items,

    - ICC(1,1) is ``(MSR - MSW) / (MSR + (k - 1) MSW)``, and ICC(C,1) the same with MSE for MSW;
    - ICC(A,1) is ``(MSR - MSE) / (MSR + (k - 1) MSE + k (MSC - MSE) / n)``;
    - of means, ``k r / (1 + (k - 1) r)`` of each.

    By default limits come from the items: from pseudo-values of the jackknife for
    ``log((1 + (k - 1) r) / (1 - r))``, which is log F for 1 and C and steadies its variance [3]_,
    with a t quantile whose degrees of freedom are Satterthwaite's [4]_: 2n over the kurtosis of the
    values without each item less 1, and at most n - 1. With `cluster` or probability weights the
    sums of clusters take the place of items. For A the differences of raters, beyond those that
    errors make, are another source of error: their variance has the limits of a normal variable,
    and the squares of both distances from the estimate add [5]_.

    For ``ci="f"`` limits and tests are those of [1]_, exact for normal scores but for A, which has
    Satterthwaite's degrees of freedom (those of 0 where the estimate is negative); `se` is that of
    large samples. For scores with long tails these limits are far too short; the documentation
    lists the coverage of both.

    Where ratings are missing, the variances of items, raters and errors are estimated by restricted
    maximum likelihood, none below zero; k and n are harmonic means of the numbers of ratings of
    items and of raters, and F that of the mean squares that complete ratings with these
    variances had. Without each item the likelihood takes three steps from there.

    References
    ----------
    .. [1] McGraw & Wong, 1996
    .. [2] Shrout & Fleiss, 1979
    .. [3] Ukoumunne et al., 2003
    .. [4] Satterthwaite, 1946
    .. [5] Zou & Donner, 2008

    Examples
    --------
    Four judges and six targets, of Shrout and Fleiss:

    >>> df = pd.DataFrame(
    ...     {
    ...         "ann": [9, 6, 8, 7, 10, 6],
    ...         "bob": [2, 1, 4, 1, 5, 2],
    ...         "eve": [5, 3, 6, 2, 6, 4],
    ...         "joe": [8, 2, 8, 6, 9, 7],
    ...     }
    ... )
    >>> df.kappa.icc()[["estimate", "ci_low", "ci_high", "df", "p_value"]].round(2)
              estimate  ci_low  ci_high   df  p_value
    form
    ICC(1,1)      0.17   -0.17     0.67  5.0     0.15
    ICC(A,1)      0.29   -0.06     0.65  5.0     0.06
    ICC(C,1)      0.71    0.26     0.92  5.0     0.00
    ICC(1,k)      0.44   -1.31     0.89  5.0     0.15
    ICC(A,k)      0.62   -0.32     0.88  5.0     0.06
    ICC(C,k)      0.91    0.58     0.98  5.0     0.00

    Six targets say little of their variance. If it is normal, F says more:

    >>> df.kappa.icc(ci="f")[["ci_low", "ci_high", "f", "p_value"]].round(2).head(3)
              ci_low  ci_high      f  p_value
    form
    ICC(1,1)   -0.13     0.72   1.79     0.16
    ICC(A,1)    0.02     0.76  11.03     0.00
    ICC(C,1)    0.34     0.95  11.03     0.00

    Bob is strict, which A counts and C does not. Ratings may be missing:

    >>> df.mask(df == 9).kappa.icc()["estimate"].round(2).head(3).tolist()
    [0.09, 0.28, 0.68]
    """
    check_by(asked.by, set(schema.ICC))
    if asked.ci == "f":
        because = "ci='f' takes all items for independent"
        asked.refuse("cluster", "weight_type", because=because, instead="Pass another ci")
    asked.refuse_draws()
    scored = read_scores(data, asked.raters, asked.reading)
    rows, scores = scored.distinct(drawn=asked.ci in QUANTILES)
    _check_raters(rows.codes, scored)
    scores = np.where(rows.codes >= 0, scores / unit_of(scores), 0.0)
    found = analyse(rows, scores)
    forms = intraclass(found, (asked.null or 0.0), asked.level)
    if asked.ci == "auto":
        asked.tell(ci="log_f")
    limits, lost = ({}, "") if asked.ci == "f" else by_items(rows, scores, found, forms, asked)
    if lost:
        warn(lost, UndefinedKappaWarning)
    frame = _frame(found, forms, limits, scored)
    warn_of_undefined_rows(frame)
    return result(frame, scored.coded.raters)


def by_items(
    rows: RatingRows,
    scores: FloatArray,
    found: Analysis,
    forms: dict[str, Intraclass],
    asked: OfIcc,
) -> tuple[dict[str, dict[str, FloatArray]], str]:
    """Replace errors, limits and p of each form by those from the items of each group.

    Also say what resamples lost.
    """
    estimates = np.stack([one.estimate for one in forms.values()], axis=1)  # (G, 6)
    known = np.stack([~np.isnan(one.p_value) for one in forms.values()], axis=1)
    figures = np.full((6, rows.n_groups, len(FORMS)), np.nan)
    samples = []
    for group in range(rows.n_groups):
        ratings = _ratings_of(rows, scores, group) if known[group].any() else None
        samples.append(ratings)
        if ratings is not None:
            figures[:, group] = _of_group(found, ratings, estimates[group], group, asked)
    lost = ""
    if asked.ci in QUANTILES:
        figures[1:4], lost = _resampled(rows, samples, estimates, known, asked)
        figures[4:] = np.nan
    figures = np.where(known, figures, np.nan)
    names = ("se", "ci_low", "ci_high", "p_value", "df", "skewness")
    return {
        form: dict(zip(names, figures[:, :, place], strict=True))
        for place, form in enumerate(FORMS)
    }, lost


def _ratings_of(rows: RatingRows, scores: FloatArray, group: int) -> Ratings:
    """Take the ratings of one group, of raters who rated there."""
    own: Any = (rows.group == group) & (rows.n_ratings > 0)
    own = slice(None) if own.all() else np.flatnonzero(own)  # without a copy of all
    rated, values, count = rows.codes[:, own] >= 0, scores[:, own], rows.count[own]
    active = rated.any(axis=1)
    rated, values = (rated, values) if active.all() else (rated[active], values[active])
    values = values - (values @ count).sum() / (rated @ count).sum()
    values[~rated] = 0.0
    cluster = None if rows.cluster is None else np.unique(rows.cluster[own], return_inverse=True)[1]
    return Ratings(values, rated, count, cluster)


def _of_group(
    found: Analysis, ratings: Ratings, estimates: FloatArray, group: int, asked: OfIcc
) -> FloatArray:
    """Leave out the items of a group one by one: what is known of the six forms, (6, 6).

    These are se, limits, p, df and the skewness of the items.
    """
    two = found.two_way
    parts = (two.items, two.raters, two.error, two.k, two.n, found.n_raters)
    squares = Squares(*(float(one[group]) for one in parts))
    k, one = squares.k, estimates[: len(FORMS) // 2]
    theta = on_log(one, k)
    jack = jackknife(ratings, theta, k)
    low, high = (from_log(end, k) for end in limits_on_log(jack, squares, (1 - asked.level) / 2))
    low, high = np.fmin(low, np.where(np.isnan(low), np.nan, one)), np.maximum(high, one)
    slope = (1 - one) * (1 + (k - 1) * one) / k
    error = slope * np.sqrt(jack.se**2 + [0.0, squares.variance, 0.0])
    size = 1 + (k - 1) * np.stack([one, low, high])
    with np.errstate(divide="ignore", invalid="ignore"):
        means, of_mean = k * np.stack([one, low, high]) / size, k / size[0] ** 2 * error
        at_null = [float(on_log(null[group], k)) for null in nulls((asked.null or 0.0), two.k)]
        p_values = [one_sided(jack, squares, theta, at) for at in at_null]
    return np.stack(
        [
            np.concatenate([error, of_mean]),
            np.concatenate([low, means[1]]),
            np.concatenate([high, means[2]]),
            np.concatenate(p_values),
            np.tile(jack.df, 2),
            np.full(len(FORMS), ratings.skewness),
        ]
    )


def _resampled(
    rows: RatingRows,
    samples: list[Ratings | None],
    estimates: FloatArray,
    known: BoolArray,
    asked: OfIcc,
) -> tuple[FloatArray, str]:
    """Draw the items of each group anew: limits and one-sided p, (3, G, 6), and what was lost."""
    options = asked.interval
    check_whole_items(rows, f"ci={shown(options.ci)} resamples items")
    check_work(estimates.size, options)
    drawn = limits_of_all(
        (None if one is None else one.sample() for one in samples), estimates, options.drawing
    )
    low, high = np.fmin(drawn[0], estimates), np.fmax(drawn[1], estimates)
    two_sided = np.maximum(drawn[2], 1 / (options.n_resamples + 1))
    p_value = np.where(estimates > (asked.null or 0.0), two_sided / 2, 1 - two_sided / 2)
    lost = np.where(known, drawn[3], 0).astype(np.int64)
    found = ResampledLimits(low, high, p_value, lost)
    unknown = np.isnan(drawn[0])
    return np.where(unknown, np.nan, np.stack([low, high, p_value])), what_is_lost(found, options)


def _frame(
    found: Analysis,
    forms: dict[str, Intraclass],
    limits: dict[str, dict[str, FloatArray]],
    scored: NumericRows,
) -> pd.DataFrame:
    """Put the figures of all forms into a frame, group by group."""
    parts: list[dict[str, Any]] = []
    groups = scored.coded.groups
    for form, figures in forms.items():
        squares = found.one_way if form.startswith("ICC(1") else found.two_way
        unknown = dict.fromkeys(("df", "skewness"), np.full(groups.n, np.nan))
        known = {**unknown, **figures._asdict(), **limits.get(form, {})}
        reason = _reasons(found, squares.df_error, figures.estimate, figures.p_value)
        lost = np.isnan(known["ci_low"]) & (reason == "")
        remark = _remarks(found, known["df"], known["skewness"], of_raters=form.startswith("ICC(A"))
        columns = {
            **known,
            "z": -ndtri(known["p_value"]),
            "n_items": found.n_items,
            "n_raters": found.n_raters,
            "ratings_per_item": squares.k,
            "reason": np.where(lost, "undefined_without", reason),
            "remark": np.where(np.isnan(known["ci_low"]), "", remark),
        }
        columns["reason"] = np.where(scored.empty == "", columns["reason"], scored.empty)
        parts.append(columns)
    return in_turns(parts, schema.ICC, groups, pd.Index(FORMS, name="form"))


def _remarks(
    found: Analysis, df: FloatArray, skewness: FloatArray, *, of_raters: bool
) -> ObjectArray:
    """Say where limits from items are approximate, shape (G,)."""
    remark = np.full(df.shape, "", dtype=object)
    two = found.n_raters == 2  # noqa: PLR2004
    remark[two & of_raters & ~np.isnan(df)] = TWO_RATERS
    remark[(df < FEWEST_SKEWED) & (np.abs(skewness) > SKEWED)] = OF_SKEWED
    remark[df < FEWEST_DEGREES] = FEW_DEGREES
    return remark


def _check_raters(codes: IntArray, scored: NumericRows) -> None:
    """Refuse more raters than the variances of ratings with holes leave room for."""
    if len(codes) > MOST_RATERS and (codes < 0).any():
        raise TooLargeError(
            f"icc with missing ratings takes up to {MOST_RATERS} raters, got "
            f"{len(scored.coded.raters)}. Pass fewer raters, or missing='listwise'."
        )


def _reasons(
    found: Analysis, df_error: FloatArray, estimate: FloatArray, p_value: FloatArray
) -> ObjectArray:
    """Say why a figure is NaN; empty text where none is."""
    reason = np.where(np.isnan(p_value), "no_variance", "").astype(object)
    reason[np.isnan(estimate) & np.isnan(found.two_way.error)] = "not_converged"
    reason[~(df_error >= 1)] = "few_items"
    reason[~found.varies] = "constant_ratings"
    reason[found.n_items < 2] = "n_lt_2"  # noqa: PLR2004
    reason[~found.joint] = "no_joint_items"
    return reason
