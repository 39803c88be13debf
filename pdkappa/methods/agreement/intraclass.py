"""Intraclass correlations of scores: `icc`, and their arithmetic."""

from __future__ import annotations

from itertools import product
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import pandas as pd

from pdkappa.coefficients.pair_kappas import in_units
from pdkappa.coefficients.score_limits import ROUNDING, fdtrc, fdtri
from pdkappa.errors import OptionError, TooLargeError, shown
from pdkappa.methods.estimates.options import check_level, gate, is_number
from pdkappa.methods.estimates.pair_frames import check_by, warn_of_undefined_rows, whole
from pdkappa.methods.estimates.real_scores import NumericRows, read_scores
from pdkappa.present import schema
from pdkappa.present.text_tables import result
from pdkappa.ratings.options import Reading

if TYPE_CHECKING:
    from pdkappa._typing import (
        BoolArray,
        By,
        FloatArray,
        IntArray,
        ItemWeights,
        Missing,
        ObjectArray,
        Raters,
    )
    from pdkappa.coefficients.rating_rows import RatingRows
    from pdkappa.ratings.coded import Counted

MOST_STEPS = 200
DAMPED = 20  # steps after which only half of each is taken
CLOSE = 1e-10  # of the variance of all ratings: the last step
SINGULAR = 1e-12  # least eigenvalue of a scaled matrix that can be solved
EXACT_FIT = 1e-6  # of the variance of all ratings: raters who fit exactly


class Sums(NamedTuple):
    """What the likelihood needs to know of the ratings of R raters, of B samples at once.

    Items with equally many ratings form a stratum, of S.

    Attributes
    ----------
    size : ndarray of float, shape (S,)
        How many ratings each item of a stratum has.
    items : ndarray of float, shape (B, S)
        How many such items there are.
    shared : ndarray of float, shape (B, S, R, R)
        How many of these items two raters share.
    products : ndarray of float, shape (B, S, R)
        Sums, over the items of a rater, of the total score of an item.
    squares : ndarray of float, shape (B, S)
        Sum of the squares of these totals.
    totals : ndarray of float, shape (B, R)
        Sum of the scores of each rater.
    square : ndarray of float, shape (B,)
        Sum of the squares of all scores.
    """

    size: FloatArray
    items: FloatArray
    shared: FloatArray
    products: FloatArray
    squares: FloatArray
    totals: FloatArray
    square: FloatArray

    @property
    def n_ratings(self) -> FloatArray:
        """Number of ratings, shape (B,)."""
        return self.items @ self.size

    @property
    def each(self) -> FloatArray:
        """Number of ratings of each rater, shape (B, R)."""
        result: FloatArray = np.einsum("bsii->bi", self.shared)
        return result

    def flat(self) -> FloatArray:
        """Put all that adds up side by side, shape (B, T)."""
        return np.concatenate([one.reshape(len(one), -1) for one in self[1:]], axis=1)

    def like(self, flat: FloatArray) -> Sums:
        """Return such sums of other samples; `flat` undone."""
        ends = np.cumsum([one[0].size for one in self[1:]])[:-1]
        parts = zip(np.split(flat, ends, axis=1), self[1:], strict=True)
        return Sums(self.size, *(part.reshape(len(flat), *one.shape[1:]) for part, one in parts))


def sums_of(scores: FloatArray, rated: BoolArray) -> Sums:
    """Return what each of U rows adds, with scores of shape (R, U), zero where there are none.

    Their mean should be near zero, for the sake of the digits.
    """
    n_ratings, total = rated.sum(axis=0), scores.sum(axis=0)
    sizes = np.unique(n_ratings[n_ratings > 0])
    items = (n_ratings[:, None] == sizes).astype(np.float64)
    marks = rated.T.astype(np.float64)
    return Sums(
        sizes.astype(np.float64),
        items,
        np.einsum("us,ui,uj->usij", items, marks, marks),
        np.einsum("us,ui,u->usi", items, marks, total),
        items * (total**2)[:, None],
        scores.T,
        (scores**2).sum(axis=0),
    )


def components(
    sums: Sums, *, of_raters: bool, start: FloatArray | None = None, most: int = MOST_STEPS
) -> FloatArray:
    """Estimate the variances of errors, items and raters, none below zero, shape (B, 3).

    Parameters
    ----------
    sums : Sums
    of_raters : bool
        Whether raters have a variance of their own; otherwise it is zero, and theirs is error.
    start : ndarray of float, shape (3,), optional
        Variances of nearly the same ratings, from which a few steps suffice.
    most : int
        The most steps.

    Returns
    -------
    ndarray of float, shape (B, 3)
        NaN where the ratings cannot tell them apart, or `MOST_STEPS` do not end.

    Notes
    -----
    Fisher scoring: with V the covariance of all ratings, P what projects out their mean, and V_i
    the derivative of V by variance i, the variances solve
    ``sum_j tr(P V_i P V_j) s_j = y' P V_i P y``, where both sides depend on them. Each step solves
    it, none below zero. No error at all has no likelihood; a millionth of the variance is none.
    """
    total = sums.square / sums.n_ratings
    n = 3 if of_raters else 2
    usual = np.array([1 / 2, 1 / 4, of_raters / 4])
    variances = total[:, None] * usual if start is None else np.repeat(start[None], len(total), 0)
    variances[:, 0] = np.maximum(variances[:, 0], EXACT_FIT * total)
    close = np.zeros(len(total), dtype=bool)
    for step in range(most):
        information, quadratic = _system(sums, variances)
        found = np.zeros(variances.shape)
        found[:, :n] = _solve(information[:, :n, :n], quadratic[:, :n])
        found[:, 0] = np.fmax(found[:, 0], EXACT_FIT * total)
        change = np.abs(found - variances).max(axis=1)
        variances = found if step < DAMPED else (found + variances) / 2
        close = ~(change >= CLOSE * total)
        if close.all():
            break
    known = close[:, None] if most == MOST_STEPS else np.ones((len(total), 1), dtype=bool)
    result = np.where(variances <= EXACT_FIT * total[:, None], 0.0, variances)
    return np.where(known & ~np.isnan(variances), result, np.nan)


def _solve(information: FloatArray, quadratic: FloatArray) -> FloatArray:
    """Solve equations under the condition that nothing is below zero, (B, V); NaN if singular.

    Some are zero, and the rest solves what is left of the equations. Of those ways that leave
    nothing below zero, the likeliest is taken.
    """
    scale = np.sqrt(np.einsum("bii->bi", information))
    matrix = information / (scale[:, :, None] * scale[:, None, :])
    right, n = quadratic / scale, scale.shape[1]
    known = np.isfinite(matrix).all(axis=(1, 2)) & np.isfinite(right).all(axis=1)
    matrix = np.where(known[:, None, None], matrix, np.eye(n))
    known &= np.linalg.eigvalsh(matrix)[:, 0] > SINGULAR
    best, least = np.full(right.shape, np.nan), np.full(len(right), np.inf)
    for some in map(np.flatnonzero, product((False, True), repeat=n)):
        part = np.where(known[:, None, None], matrix[:, some[:, None], some], np.eye(len(some)))
        found = np.zeros(right.shape)
        found[:, some] = np.linalg.solve(part, right[:, some, None])[..., 0]
        cost = np.einsum("bi,bij,bj->b", found, matrix, found) / 2 - (found * right).sum(axis=1)
        better = known & (found >= 0).all(axis=1) & (cost < least)
        best[better], least[better] = found[better], cost[better]
    return best / scale


def _system(sums: Sums, variances: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Compute traces ``tr(P V_i P V_j)``, (B, 3, 3), and quadratic forms of the scores, (B, 3).

    With Z the marks of the raters and T the inverse of V without them, ``P = T - T Z Q Z' T``.
    What has to do with errors follows from ``P V P = P`` and ``tr(P V) = M - 1``.
    """
    error, items, raters = variances.T
    one = np.eye(sums.totals.shape[1])
    v = 1 / (error[:, None] + sums.size * items[:, None])
    shared = np.einsum("bs,bsij->bij", v, sums.shared)  # Z' T Z is this less what is in `between`
    between = (sums.each[:, :, None] * one - items[:, None, None] * shared) / error[:, None, None]
    crossing = np.einsum("bs,bsi->bi", v, sums.products)
    means = (sums.totals - items[:, None] * crossing) / error[:, None]
    inner = np.linalg.inv(one + raters[:, None, None] * between)
    h = inner.sum(axis=2)
    along_h = np.einsum("bij,bj->bi", between, h)
    size = along_h.sum(axis=1)[:, None, None]
    q = raters[:, None, None] * inner + h[:, :, None] * h[:, None, :] / size
    fitted = np.einsum("bij,bj->bi", q, means)
    squared = np.einsum("bs,bsij->bij", v**2, sums.shared)
    # The same as I - Q Z'TZ and Z'TZ less that, though not in floats where errors are small.
    left = inner - h[:, :, None] * along_h[:, None, :] / size
    rest = between @ left
    crossed, n_v = q @ squared, sums.items * sums.size * v
    along = np.einsum("bij,bsij->bs", q, sums.shared)
    trace = np.stack([n_v.sum(axis=1) - _trace(crossed), _trace(rest)], axis=1)
    cross = ((squared @ left) * left).sum(axis=(1, 2))
    of_items = (n_v * sums.size * v).sum(axis=1) - 2 * (along * sums.size * v**3).sum(axis=1)
    of_items += (crossed * crossed.transpose(0, 2, 1)).sum(axis=(1, 2))
    known = np.stack([of_items, cross, cross, (rest**2).sum(axis=(1, 2))], axis=1).reshape(-1, 2, 2)
    apart = sums.squares - 2 * np.einsum("bsi,bi->bs", sums.products, fitted)
    apart = apart + np.einsum("bi,bsij,bj->bs", fitted, sums.shared, fitted)
    of_raters = (np.einsum("bji,bj->bi", left, means) ** 2).sum(axis=1)
    forms = np.stack([(v**2 * apart).sum(axis=1), of_raters], axis=1)
    whole = (sums.square - items * (v * sums.squares).sum(axis=1)) / error
    whole = whole - (means * fitted).sum(axis=1)
    # What follows for the errors from what is known of items and raters.
    others = variances[:, 1:]
    mixed = (trace - np.einsum("bij,bj->bi", known, others)) / error[:, None]
    of_errors = (sums.n_ratings - 1 - (trace * others).sum(axis=1)) / error
    corner = (of_errors - (mixed * others).sum(axis=1)) / error
    information = np.empty((len(error), 3, 3))
    information[:, 0, 0], information[:, 1:, 1:] = corner, known
    information[:, 0, 1:] = information[:, 1:, 0] = mixed
    first = (whole - (forms * others).sum(axis=1)) / error
    return information, np.concatenate([first[:, None], forms], axis=1)


def _trace(matrices: FloatArray) -> FloatArray:
    """Sum the diagonals, shape (B,)."""
    result: FloatArray = np.einsum("bii->b", matrices)
    return result


FORMS = ("ICC(1,1)", "ICC(A,1)", "ICC(C,1)", "ICC(1,k)", "ICC(A,k)", "ICC(C,k)")
NO_ERROR = 1e-18  # of the variance of all ratings: what is left of none by rounding


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
    scores : ndarray of float, shape (K,)
        What each code stands for.
    """
    rated = rows.codes >= 0
    held = [rows.total(one) for one in rated]  # of each rater, (R, G)
    n, n_raters, n_ratings = rows.n_items, np.sum(np.array(held) > 0, axis=0), np.sum(held, axis=0)
    padded, varies = np.append(scores, 0.0), _varies(rows)
    with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
        mean = rows.total(padded[rows.codes].sum(axis=0)) / n_ratings
        differs = rated & varies[rows.group]
        apart = np.where(differs, padded[rows.codes] - mean[rows.group], 0.0)
        total = rows.total((apart**2).sum(axis=0)) / n_ratings
        own = apart.sum(axis=0) / n_raters[rows.group]
        of_raters = np.array([rows.total(one) for one in apart]) / n
        rest = np.where(rated, apart - own - of_raters[:, rows.group], 0.0)
        between, among = rows.total(own**2) * n_raters, (of_raters**2).sum(axis=0) * n
        left = rows.total((rest**2).sum(axis=0))
        left = np.where(left > NO_ERROR * total * n_ratings, left, 0.0)
        df = n - 1, n_raters - 1.0, (n - 1) * (n_raters - 1)
        k, none = n_raters.astype(np.float64), np.zeros(rows.n_groups)
        squares = between / df[0], among / df[1], left / df[2]
        within = np.where(among + left > NO_ERROR * total * n_ratings, among + left, 0.0)
        two_way = MeanSquares(*squares, k, n, *df)
        one_way = MeanSquares(squares[0], none, within / (n * df[1]), k, n, df[0], none, n * df[1])
    one_way, two_way = (MeanSquares(*map(np.copy, one)) for one in (one_way, two_way))
    for group in np.flatnonzero(n_ratings < n * n_raters):
        some = rows.group == group
        one, two = _with_holes(apart[:, some], rated[:, some], rows.count[some])
        for record, found in ((one_way, one), (two_way, two)):
            for field, value in zip(record, found, strict=True):
                field[group] = value
    joint = rows.total(rows.n_ratings > 1) > 0
    return Analysis(one_way, two_way, n, k, varies, joint)


def _varies(rows: RatingRows) -> BoolArray:
    """Whether a group has ratings that differ, shape (G,)."""
    some = np.full(rows.n_groups, -1)
    for codes in rows.codes:
        some[rows.group[codes >= 0]] = codes[codes >= 0]
    other = ((rows.codes >= 0) & (rows.codes != some[rows.group])).any(axis=0)
    result: BoolArray = rows.total(other) > 0
    return result


def _with_holes(scores: FloatArray, rated: BoolArray, count: FloatArray) -> list[list[float]]:
    """Compute the mean squares that complete ratings with the same components would have.

    Items have as many ratings, and raters as many items, as in the harmonic mean [1]_. All NaN
    where the components cannot be told apart.

    References
    ----------
    .. [1] Thomas, J. D., & Hultquist, R. A. (1978). Interval estimation for the unbalanced case of
           the one-way random effects model. The Annals of Statistics, 6(3), 582-587.
           https://doi.org/10.1214/aos/1176344202
    """
    rows = sums_of(scores, rated)
    sums = rows.like(count[None] @ rows.flat())
    each, items = sums.each[0], sums.items[0]
    n_items, n_raters, n_ratings = items.sum(), np.count_nonzero(each), sums.n_ratings[0]
    k, n = n_items / (items / sums.size).sum(), n_raters / (1 / each[each > 0]).sum()
    found = []
    for of_raters in (False, True):
        df = n_ratings - n_items - (n_raters - 1) * of_raters
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


def intraclass(found: Analysis, null: float, level: float) -> dict[str, Intraclass]:
    """Estimate the six forms of McGraw and Wong, in the order of `FORMS`."""
    with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
        k = found.one_way.k
        forms = []
        for mean_of in (np.ones_like(k), k):
            # A mean of k ratings correlates as the null says if single ones do so.
            of_one = null / (mean_of - (mean_of - 1) * null)
            three = (
                consistency(found.one_way, of_one, level),
                absolute(found.two_way, of_one, level),
                consistency(found.two_way, of_one, level),
            )
            forms += [averaged(one, mean_of) for one in three]
    return dict(zip(FORMS, map(_without_rest, forms), strict=True))


def _without_rest(found: Intraclass) -> Intraclass:
    """Leave out limits and tests where mean squares of zero make some of them infinite or sure."""
    known = np.isfinite(np.array(found)).all(axis=0) & (found.se > 0)
    tested = {
        name: np.where(known, values, np.nan)
        for name, values in found._asdict().items()
        if name != "estimate"
    }
    return found._replace(**tested)


MOST_RATERS = 300  # with holes, whose variances take a matrix of raters for each number of ratings


@gate
def icc(
    data: pd.DataFrame | Counted,
    raters: Raters | None = None,
    *,
    by: By | None = None,
    missing: Missing = "pairwise",
    sample_weight: ItemWeights | None = None,
    confidence_level: float = 0.95,
    null: float = 0.0,
) -> pd.DataFrame:
    """Estimate the intraclass correlations of all raters, in all six forms.

    How much of the variance of scores is due to the items, and how reliable is one rating, or the
    mean of all? The forms are 1, if each item has different raters, so that differences between
    raters are unknown; A, for absolute agreement, if the raters are the same and their differences
    count; C, for consistency, if it does not matter that some are stricter.

    Parameters
    ----------
    data : DataFrame, shape (N, ...)
        One row for each item, one column for each rater. Never changed.
    raters : list of column labels, optional
        Two or more, whose ratings must be numbers. Default: all columns that can be ratings.
    by : column label or list of column labels, optional
        One result for each group. See `pairs`.
    missing : {"pairwise", "listwise", "raise"}
        Use all ratings, use only the items that all raters rated, or raise an error.
    sample_weight : column label or array of shape (N,), optional
        Frequency weights: 2 counts an item twice.
    confidence_level : float, default 0.95
        Between 0 and 1.
    null : float, default 0.0
        The correlation that is tested against larger ones, at least 0 and below 1.

    Returns
    -------
    DataFrame
        Six rows (for each group), named ``form``: ``ICC(1,1), ICC(A,1), ICC(C,1)`` of one rating,
        and ``ICC(1,k), ICC(A,k), ICC(C,k)`` of the mean of k ratings; and the columns

        - ``n_items``, those with any rating;
        - ``estimate, se, ci_low, ci_high``: at most 1; below 0 if items differ less than expected
          by chance, and unbounded below for means;
        - ``f, df1, df2, p_value``: the one-sided test of `null`;
        - ``n_raters``, and ``ratings_per_item``, which is k;
        - ``reason`` for NaN: ``no_items``, ``zero_total_weight``, ``no_joint_items`` (no item has
          two ratings), ``n_lt_2``, ``constant_ratings``, ``few_items`` (no ratings are left to
          tell errors from items and raters), ``not_converged``, or ``no_variance`` (the raters
          agree without any error, which has no limits, or nothing else varies).

    Raises
    ------
    RatingTypeError
        If the ratings are not numbers.
    TooLargeError
        If there are more than 300 raters, and not all of them rated all items.
    KappaError
        If an option is not known, or the ratings cannot be read. See `pdkappa.errors`.

    Warns
    -----
    UndefinedKappaWarning
        Once, if some estimate is NaN.

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

    Limits and tests are those of [1]_, exact for normal scores but for A, which has Satterthwaite's
    degrees of freedom (those of 0 where the estimate is negative); `se` is that of large samples.

    Where ratings are missing, the variances of items, raters and errors are estimated by restricted
    maximum likelihood, none below zero; k and n are harmonic means of the numbers of ratings of
    items and of raters, and limits those of the mean squares that complete ratings with these
    variances had. In samples of 20 to 100 items with 20 to 60% missing, limits of 95% covered 91 to
    97% where items differ, and 99% where they do not.

    Limits of ICC(1,1) assume that every item has raters of its own: where all have the same three,
    who differ, they covered 90 to 93%.

    References
    ----------
    .. [1] McGraw, K. O., & Wong, S. P. (1996). Forming inferences about some intraclass
           correlation coefficients. Psychological Methods, 1(1), 30-46.
           https://doi.org/10.1037/1082-989X.1.1.30
    .. [2] Shrout, P. E., & Fleiss, J. L. (1979). Intraclass correlations: uses in assessing rater
           reliability. Psychological Bulletin, 86(2), 420-428.
           https://doi.org/10.1037/0033-2909.86.2.420

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
    >>> df.kappa.icc()[["estimate", "ci_low", "ci_high", "f", "p_value"]].round(2)
              estimate  ci_low  ci_high      f  p_value
    form
    ICC(1,1)      0.17   -0.13     0.72   1.79     0.16
    ICC(A,1)      0.29    0.02     0.76  11.03     0.00
    ICC(C,1)      0.71    0.34     0.95  11.03     0.00
    ICC(1,k)      0.44   -0.88     0.91   1.79     0.16
    ICC(A,k)      0.62    0.07     0.93  11.03     0.00
    ICC(C,k)      0.91    0.68     0.99  11.03     0.00

    Bob is strict, which A counts and C does not. Ratings may be missing:

    >>> df.mask(df == 9).kappa.icc()["estimate"].round(2).head(3).tolist()
    [0.09, 0.28, 0.68]
    """
    level = check_level(confidence_level)
    _check_null(null)
    check_by(by, set(schema.ICC))
    reading = Reading(by=by, missing=missing, sample_weight=sample_weight)
    scored = read_scores(data, raters, reading)
    rows = scored.rows.compressed()
    _check_raters(rows.codes, scored)
    found = analyse(rows, in_units(rows, scored.scores)[1])
    forms = intraclass(found, null, level)
    parts = []
    for form, figures in forms.items():
        squares = found.one_way if form.startswith("ICC(1") else found.two_way
        columns: dict[str, Any] = {
            **figures._asdict(),
            "n_items": whole(found.n_items),
            "n_raters": whole(found.n_raters),
            "ratings_per_item": squares.k,
            "reason": _reasons(found, squares.df_error, figures.estimate, figures.p_value),
        }
        columns["reason"] = np.where(scored.empty == "", columns["reason"], scored.empty)
        parts.append(pd.DataFrame(columns)[list(schema.ICC)])
    order = np.arange(len(FORMS) * rows.n_groups).reshape(len(FORMS), -1).T.reshape(-1)
    frame = pd.concat(parts).iloc[order]
    frame.index = scored.coded.groups.each(pd.Index(FORMS, name="form"))
    warn_of_undefined_rows(frame)
    return result(frame, scored.coded.raters)


def _check_null(null: object) -> None:
    """Refuse what is no correlation that could be tested."""
    if not is_number(null) or not 0 <= null < 1:
        message = f"null={shown(null)} must be at least 0 and below 1."
        raise OptionError(message)


def _check_raters(codes: IntArray, scored: NumericRows) -> None:
    """Refuse more raters than the variances of ratings with holes leave room for."""
    if len(codes) > MOST_RATERS and (codes < 0).any():
        message = (
            f"icc with missing ratings takes up to {MOST_RATERS} raters, got "
            f"{len(scored.coded.raters)}. Pass fewer raters, or missing='listwise'."
        )
        raise TooLargeError(message)


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
