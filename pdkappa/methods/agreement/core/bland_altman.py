"""Scores of two raters -> the mean and the spread of their differences, and limits of agreement."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from pdkappa.coefficients.score_limits import chdtri, nctdtrit, ndtri, stdtr, stdtrit

if TYPE_CHECKING:
    from pdkappa._typing import BoolArray, FloatArray
    from pdkappa.coefficients.rating_rows import RatingRows

WITHIN = 0.95  # share of the differences that lie within the limits of agreement
FIGURES = ("bias", "sd", "lower_limit", "upper_limit", "slope")
NO_SPREAD = 1e-12  # of the largest score: what is left of none by rounding


class Figure(NamedTuple):
    """A figure of G groups, its limits, and the test that it is zero; every field is (G,)."""

    estimate: FloatArray
    se: FloatArray
    ci_low: FloatArray
    ci_high: FloatArray
    p_value: FloatArray


def bland_altman_figures(
    rows: RatingRows, scores: FloatArray, level: float
) -> tuple[dict[str, Figure], BoolArray]:
    r"""Describe the differences of two raters' scores, the second less the first.

    Parameters
    ----------
    rows : RatingRows
        Ratings of two raters, none of them missing.
    scores : ndarray of float, shape (K,)
        What each code stands for.
    level : float
        Confidence level.

    Returns
    -------
    dict of Figure
        By the names of `FIGURES`.
    ndarray of bool, shape (G,)
        Whether differences vary.

    Notes
    -----
    With mean :math:`\bar d`, standard deviation s of n differences and :math:`z = 1.96`, an end
    of the limits of agreement is :math:`\bar d \pm z s`, and its confidence limits are
    :math:`\bar d \pm s\, t'_q(n - 1, z \sqrt n) / \sqrt n`, with quantiles of the noncentral t
    distribution.
    """
    first, second = scores[rows.codes]
    n = rows.n_items

    def mean(values: FloatArray) -> FloatArray:
        return rows.total(values) / n

    with np.errstate(divide="ignore", invalid="ignore"):
        bias, middle = mean(second - first), mean((first + second) / 2)
        apart = second - first - bias[rows.group]
        along = (first + second) / 2 - middle[rows.group]
        varies = rows.total(np.abs(apart) > NO_SPREAD * np.abs(scores).max(initial=0)) > 0
        df = np.where(n >= 2, n - 1, np.nan)  # noqa: PLR2004
        sd = np.where(varies, np.sqrt(rows.total(apart**2) / df), 0 * df)
        figures = _of_spread(bias, sd, n, df, level)
        slope = rows.total(apart * along) / rows.total(along**2)
        rest = rows.total((apart - slope[rows.group] * along) ** 2) / np.where(n > 2, n - 2, np.nan)  # noqa: PLR2004
        spread = np.where(varies, np.sqrt(rest / rows.total(along**2)), np.nan)
    figures["slope"] = _by_t(slope, spread, n - 2, level)
    return {name: figures[name] for name in FIGURES}, varies


def _of_spread(
    bias: FloatArray, sd: FloatArray, n: FloatArray, df: FloatArray, level: float
) -> dict[str, Figure]:
    """Describe the mean and the standard deviation of differences, and their sums."""
    z, none, known = ndtri((1 + WITHIN) / 2), np.full(n.shape, np.nan), np.where(sd > 0, sd, np.nan)
    tails = (1 - level) / 2, (1 + level) / 2
    near, far = (known * nctdtrit(df, z * np.sqrt(n), q) / np.sqrt(n) for q in tails)
    low, high = (known * np.sqrt(df / chdtri(df, q)) for q in tails)
    se = known * np.sqrt(1 / n + z**2 / (2 * df))
    return {
        "bias": _by_t(bias, known / np.sqrt(n), df, level),
        "sd": Figure(sd, known / np.sqrt(2 * df), low, high, none),
        "lower_limit": Figure(bias - z * sd, se, bias - far, bias - near, none),
        "upper_limit": Figure(bias + z * sd, se, bias + near, bias + far, none),
    }


def _by_t(estimate: FloatArray, se: FloatArray, df: FloatArray, level: float) -> Figure:
    """Give limits to a figure, and test that it is zero, by a t distribution."""
    half = stdtrit(df, (1 + level) / 2) * se
    with np.errstate(divide="ignore", invalid="ignore", over="ignore"):  # of an error that is zero
        p_value = 2 * stdtr(df, -np.abs(estimate / se))
    return Figure(estimate, se, estimate - half, estimate + half, p_value)
