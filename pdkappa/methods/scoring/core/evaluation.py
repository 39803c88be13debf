"""Scores of a human and a machine -> the figures by which automated scoring is judged."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from pdkappa.coefficients.pair_kappas import (
    DISTANCES,
    Concordance,
    Distance,
    concordance_figures,
    has_one_score,
    in_units,
    moments,
)
from pdkappa.coefficients.score_limits import at_least

if TYPE_CHECKING:
    from pdkappa._typing import FloatArray, ObjectArray
    from pdkappa.coefficients.rating_rows import RatingRows

SLACK = 1e-9  # how far two scores may be more than one point apart and still be adjacent
ADJACENT = 1.0
LIMITED = ("estimate", "se", "ci_low", "ci_high")


class Evaluation(NamedTuple):
    """Figures of two raters' scores in G groups; every field has shape (G,).

    The names are those of the tidy frames. The first rater is the one who is predicted.
    """

    n_items: FloatArray
    mean_a: FloatArray
    mean_b: FloatArray
    sample_sd_a: FloatArray
    sample_sd_b: FloatArray
    smd: FloatArray
    correlation: FloatArray
    estimate: FloatArray
    se: FloatArray
    ci_low: FloatArray
    ci_high: FloatArray
    qwk: FloatArray
    cohen: FloatArray
    exact_agreement: FloatArray
    adjacent_agreement: FloatArray
    r2: FloatArray
    rmse: FloatArray
    reason: ObjectArray


def evaluate(
    rows: RatingRows,
    scores: FloatArray,
    rounded: FloatArray,
    *,
    weights: str | None,
    pooled: bool,
    level: float,
) -> Evaluation:
    r"""Compare the scores of two raters.

    Parameters
    ----------
    rows : RatingRows
        Ratings of two raters, none of them missing.
    scores : ndarray of float, shape (K,)
        What each code stands for.
    rounded : ndarray of float, shape (U,)
        Scores of the second rater for what counts equal scores.
    weights : {None, "linear", "quadratic"}
        What the kappa with limits counts: unequal scores, of the rounded ones, or distances of
        the scores as they are.
    pooled : bool
        Whether the mean difference is standardised by both raters' standard deviations, or
        by that of the first.
    level : float
        Confidence level of the limits.

    Notes
    -----
    With the scores h and m of the two raters and :math:`s^2` the variance divided by n - 1,

    .. math:: \text{SMD} = \frac{\bar m - \bar h}{s_h} \quad\text{or}\quad
              \frac{\bar m - \bar h}{\sqrt{(s_h^2 + s_m^2) / 2}}, \qquad
              R^2 = 1 - \frac{\sum (h - m)^2}{\sum (h - \bar h)^2}.
    """
    scale, scores = in_units(rows, scores)
    (first, second), rounded = scores[rows.codes], rounded / scale
    found = concordance_figures(rows, scores, DISTANCES["quadratic"], ci="auto", level=level)
    spread, n = moments(rows, scores[None]), rows.n_items
    constant = [has_one_score(rows, one) for one in (first, second)]
    with np.errstate(divide="ignore", invalid="ignore"):  # no items, or a single one
        factor = np.sqrt(np.where(n > 1, n / (n - 1), np.nan))
        sd_a, sd_b = (
            np.where(fixed & (n > 1), 0.0, factor * sd)
            for fixed, sd in zip(constant, (spread.sd_a, spread.sd_b), strict=True)
        )
        unit = np.sqrt((sd_a**2 + sd_b**2) / 2) if pooled else sd_a
        error = rows.total((first - second) ** 2) / n
        variance = np.where(constant[0], np.nan, spread.sd_a**2)
        exact = rows.total(first == rounded) / n
        adjacent = rows.total(scale * np.abs(first - rounded) <= ADJACENT + SLACK) / n
        smd = found.mean_difference / np.where(unit > 0, unit, np.nan)
        r2, rmse = 1 - error / variance, scale * np.sqrt(error)
    kappa = _nominal_kappa(rows, first, rounded)
    rounded_alike = np.isnan(kappa) & (found.reason == "constant_rater")
    limited = found
    if weights != "quadratic":
        limited = _with_weights(rows, scores, rounded, weights, level=level)
    return Evaluation(
        **{name: getattr(limited, name) for name in LIMITED},
        n_items=n,
        mean_a=scale * spread.mean_a,
        mean_b=scale * spread.mean_b,
        sample_sd_a=scale * sd_a,
        sample_sd_b=scale * sd_b,
        smd=smd,
        correlation=found.correlation,
        qwk=found.estimate,
        cohen=kappa,
        exact_agreement=exact,
        adjacent_agreement=adjacent,
        r2=r2,
        rmse=rmse,
        reason=np.where(rounded_alike, "constant_ratings", limited.reason),
    )


def ranges(rows: RatingRows, scores: FloatArray) -> dict[str, FloatArray]:
    """Return the lowest and the highest score of each rater, each (G,); NaN without items."""
    counted, found = rows.count > 0, {}
    for name, values in zip("ab", scores[rows.codes], strict=True):
        for which, reduce in (("min", np.fmin), ("max", np.fmax)):
            found[f"{which}_{name}"] = np.full(rows.n_groups, np.nan)
            reduce.at(found[f"{which}_{name}"], rows.group[counted], values[counted])
    return found


def _with_weights(
    rows: RatingRows, scores: FloatArray, rounded: FloatArray, weights: str | None, *, level: float
) -> Concordance:
    """Weighted kappa of the scores as they are; without weights that of rounded scores, (U,)."""
    if weights is not None:
        return concordance_figures(rows, scores, DISTANCES[weights], ci="auto", level=level)
    values = np.concatenate([scores[rows.codes[0]], rounded])
    used, codes = np.unique(values, return_inverse=True)
    rows = replace(rows, codes=codes.reshape(2, -1))
    return concordance_figures(rows, used, UNEQUAL, ci="auto", level=level)


def _unequal(first: FloatArray, second: FloatArray) -> FloatArray:
    """Count unequal scores alike."""
    return (first != second).astype(np.float64)


def _unequal_to_all(rows: RatingRows, values: FloatArray, others: FloatArray) -> FloatArray:
    """Share of the others that are unequal."""
    used, place = np.unique(np.concatenate([values, others]), return_inverse=True)
    key = np.tile(rows.group, 2) * max(len(used), 1) + place.reshape(-1)
    _, slot = np.unique(key, return_inverse=True)
    of_values, of_others = np.split(slot.reshape(-1), 2)
    alike = np.bincount(of_others, weights=rows.count, minlength=len(key))
    result: FloatArray = 1 - alike[of_values] / rows.n_items[rows.group]
    return result


UNEQUAL = Distance(_unequal, _unequal_to_all)


def _nominal_kappa(rows: RatingRows, first: FloatArray, second: FloatArray) -> FloatArray:
    """Cohen's kappa of equal and unequal scores, shape (G,); NaN where all are equal."""
    rows = rows.in_units()
    values, place = np.unique(np.concatenate([first, second]), return_inverse=True)
    key = np.tile(rows.group, 2) * max(len(values), 1) + place
    used, slot = np.unique(key, return_inverse=True)
    row, col = (
        np.bincount(one, weights=rows.count, minlength=len(used)) for one in np.split(slot, 2)
    )
    by_chance = np.bincount(used // max(len(values), 1), weights=row * col, minlength=rows.n_groups)
    n, agree = rows.n_items, rows.total(first == second)
    undefined = has_one_score(rows, first) & has_one_score(rows, second) & (agree > 0)
    with np.errstate(divide="ignore", invalid="ignore"):  # no items
        kappa = at_least(-1.0, (n * agree - by_chance) / (n**2 - by_chance))
    return np.where(undefined, np.nan, kappa)


def to_whole(used: FloatArray, values: FloatArray) -> FloatArray:
    """Round half up, within the whole numbers that the range of the scores used holds."""
    below = np.floor(values)
    nearest = below + (values - below >= 0.5)  # noqa: PLR2004
    low, high = np.ceil(used.min(initial=np.inf)), np.floor(used.max(initial=-np.inf))
    return np.clip(nearest, low, high)


def to_nearest(scale: FloatArray, values: FloatArray) -> FloatArray:
    """Return the nearest score of an ascending scale, the higher one of two, shape (U,)."""
    result: FloatArray = scale[np.searchsorted((scale[:-1] + scale[1:]) / 2, values, side="right")]
    return result
