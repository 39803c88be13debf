"""Scores of all raters -> mean squares -> intraclass correlations with tests and limits."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from pdkappa.coefficients.score_limits import ROUNDING, fdtrc, fdtri
from pdkappa.methods.agreement.core.components import components, sums_of

if TYPE_CHECKING:
    from pdkappa._typing import BoolArray, FloatArray
    from pdkappa.coefficients.rating_rows import RatingRows

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
            for whole, value in zip(record, found, strict=True):
                whole[group] = value
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
    sums = sums_of(scores, rated, count)
    each = rated @ count
    n_items, n_raters, n_ratings = sums.items.sum(), np.count_nonzero(each), sums.n_ratings
    k, n = n_items / (sums.items / sums.size).sum(), n_raters / (1 / each[each > 0]).sum()
    found = []
    for of_raters in (False, True):
        df = n_ratings - n_items - (n_raters - 1) * of_raters
        few = df < 1 or n_items <= 1 or not sums.square
        error, items, raters = np.full(3, np.nan) if few else components(sums, of_raters=of_raters)
        squares = [k * items + error, n * raters + error, error]
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
