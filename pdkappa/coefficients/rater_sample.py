"""Raters as a sample: what coefficients are without each of them -> errors over raters."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from pdkappa.coefficients.figures import with_standard_errors
from pdkappa.coefficients.influence import units_of
from pdkappa.coefficients.multirater import basics_of

if TYPE_CHECKING:
    from pdkappa._typing import BoolArray, FloatArray
    from pdkappa.coefficients.figures import RaterFigures
    from pdkappa.coefficients.multirater import MultiraterModel
    from pdkappa.coefficients.weights import Scale
    from pdkappa.counts.core.base_rows import Rows

FEWEST_RATERS = 3


def with_raters_as_sample(
    summaries: dict[str, RaterFigures],
    rows: Rows,
    scale: Scale,
    models: dict[str, MultiraterModel],
    *,
    vary: str,
    by_items: bool,
    ci: str,
    level: float,
    null: float,
) -> dict[str, RaterFigures]:
    """Replace the errors over items by those over raters, or over items and raters.

    Notes
    -----
    The variance over m raters is that of the jackknife, ``(m - 1) / m * sum((t - mean(t))**2)``
    with t the coefficient without one rater, and has m - 1 degrees of freedom. With `vary`
    "both" it is added to the variance over items (Gwet, 2014, 5.4), and the degrees of freedom
    of the sum are Satterthwaite's.
    """
    active = np.zeros((rows.n_raters, rows.n_groups), dtype=bool)
    active.T.flat[rows.by_rater.subject] = True
    number, units = active.sum(axis=0).astype(np.float64), units_of(rows)
    without = without_each(rows, scale, models, active, by_items=by_items)
    result = {}
    for (name, found), theta in zip(summaries.items(), without, strict=True):
        of_raters = _jackknife(theta, active)
        variance, worth = of_raters, number
        if vary == "both":
            variance, worth = _sum_of(found.se**2, units, of_raters, number)
        result[name] = with_standard_errors(
            _with_reasons(found, of_raters, number),
            np.sqrt(variance),
            worth,
            tested=name != "percent" or null != 0,
            ci=ci,
            level=level,
            null=null,
        )
    return result


def without_each(
    rows: Rows,
    scale: Scale,
    models: dict[str, MultiraterModel],
    active: BoolArray,
    *,
    by_items: bool,
) -> FloatArray:
    """Compute C coefficients without each of R raters, shape (C, R, G).

    `active`, of shape (R, G), says who has a rating in which group. NaN in groups without
    the rater, in those of fewer than three, and where the others have no coefficient.
    """
    several = active.sum(axis=0) >= FEWEST_RATERS
    result = np.full((len(models), *active.shape), np.nan)
    for rater, present in enumerate(active):
        here = present & several
        if not here.any():
            continue
        part = rows.select(here[rows.group]).without(rater)
        basics = basics_of(part, scale, by_items=by_items)
        for place, model in enumerate(models.values()):
            result[place, rater, here] = model(part, scale, basics).estimate[here]
    return result


def _jackknife(without: FloatArray, active: BoolArray) -> FloatArray:
    """Compute the variance over raters from the values without each of them, shape (G,)."""
    number, values = active.sum(axis=0), np.where(active, without, 0.0)
    with np.errstate(divide="ignore", invalid="ignore"):  # a group without ratings
        mean = values.sum(axis=0) / number
        squares = np.where(active, (values - mean) ** 2, 0.0).sum(axis=0)
        variance: FloatArray = (number - 1) / number * squares
    return variance


def _sum_of(
    of_items: FloatArray, units: FloatArray, of_raters: FloatArray, number: FloatArray
) -> tuple[FloatArray, FloatArray]:
    """Add the two variances; say how many units would have the degrees of freedom of the sum.

    Where nothing varies they are those of the items.
    """
    variance = of_items + of_raters
    with np.errstate(divide="ignore", invalid="ignore"):
        df = variance**2 / (of_items**2 / (units - 1) + of_raters**2 / (number - 1))
    return variance, np.where(variance == 0, units, df + 1)


def _with_reasons(found: RaterFigures, variance: FloatArray, number: FloatArray) -> RaterFigures:
    """Say where there is no error over raters, if nothing else is to be said."""
    open_yet = np.isin(found.reason.astype(str), ["", "no_variance"])
    why = np.where(number < FEWEST_RATERS, "few_raters", "undefined_without")
    lost = np.isnan(variance)
    reason = np.where(lost & open_yet, why, found.reason).astype(object)
    return replace(found, se=np.where(lost, np.nan, found.se), reason=reason)
