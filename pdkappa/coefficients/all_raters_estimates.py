"""Coefficients of all raters -> errors over items, over raters, limits and tests."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from pdkappa.coefficients.all_raters import (
    agreeing,
    basics_of,
    conger,
    items_of_pairs,
    shares_of,
    weighed,
)
from pdkappa.coefficients.chance import COEFFICIENTS, FEWEST_ITEMS
from pdkappa.coefficients.guarded_limits import Drawn, Guarded, OfInfluence, Rates, effective_number
from pdkappa.coefficients.influence import ddof_of, standard_error
from pdkappa.coefficients.intervals import (
    Limits,
    RaterFigures,
    agreeing_items,
    clustered,
    infer,
    outside,
    with_errors,
    with_inference,
    with_standard_errors,
)
from pdkappa.coefficients.score_limits import at_least, design_effect, without_rounding
from pdkappa.coefficients.sparse_rows import wide

if TYPE_CHECKING:
    from collections.abc import Callable

    from pdkappa._typing import BoolArray, FloatArray, IntArray, ObjectArray
    from pdkappa.coefficients.all_raters import MultiraterModel
    from pdkappa.coefficients.influence import Basics, Functional
    from pdkappa.coefficients.intervals import OfItems, Pivot
    from pdkappa.coefficients.rating_rows import Rows
    from pdkappa.coefficients.score_limits import Agreeing
    from pdkappa.coefficients.weights import Scale


OF_CHANCE = ("auto", "score")  # limits that need to know how raters agree by chance


class Nested(NamedTuple):
    """Rows whose errors are meant, perhaps in clusters, and where each is among distinct ones."""

    rows: Rows
    place: IntArray | slice = slice(None)


class Computed(NamedTuple):
    """Coefficients of all raters in every group, and what limits at any level are made of."""

    rows: Rows  # distinct rows
    nested: Nested  # those whose errors are meant
    drawn: Drawn  # what they take for chance
    basics: Basics
    found: dict[str, Functional]  # the coefficients, with their influence values
    # How raters agree by chance, for coefficients whose limits need to know.
    guesses: dict[str, Agreeing]
    # Their standard errors over units and over items, (G,); those of Conger's kappa, too, where
    # the limits of Light's need them.
    errors: dict[str, tuple[FloatArray, FloatArray]]
    # The share of ratings outside the most frequent category, effective disagreements, and, for
    # Light's kappa, the items of a pair, (G,).
    seen: tuple[FloatArray, FloatArray, FloatArray]

    def summaries(
        self, *, ci: str, level: float, null: float = 0.0, left: FloatArray | None = None
    ) -> dict[str, RaterFigures]:
        """Add errors, limits and tests; variances are multiplied by `left`, of shape (G,)."""
        return {
            name: self.at_levels(name, ci=ci, null=null, left=left)(level) for name in self.found
        }

    def at_levels(
        self, name: str, *, ci: str, null: float = 0.0, left: FloatArray | None = None
    ) -> Callable[[float], RaterFigures]:
        """Return what gives the figures of one coefficient at a level."""
        figures, pivot = _with_pivot(self, name, ci=ci, left=left)
        tested = name != "percent" or null != 0

        def at(level: float) -> RaterFigures:
            found = infer(pivot, figures.estimate, figures.lowest, level=level, null=null)
            return with_inference(figures, found, tested=tested)

        return at


def compute_many(
    rows: Rows, scale: Scale, models: dict[str, MultiraterModel], *, by_items: bool, ci: str
) -> Computed:
    """Compute coefficients of many raters in every group, for such limits.

    `models` are those wanted of ``MULTIRATER``, and `by_items` says whether category shares
    average over items rather than ratings.
    """
    nested = Nested(rows)
    if rows.cluster is not None:
        rows, place = rows.without_clusters()
        nested = nested._replace(place=place)
    basics = basics_of(rows, scale, by_items=by_items)
    drawn, guesses = Drawn(shares_of(rows, basics), scale), {}
    scored = [name for name, model in models.items() if getattr(model, "of_margins", False)]
    if scored and ci in OF_CHANCE:
        guesses = dict.fromkeys(scored, agreeing(rows, drawn, basics))
    found = {name: model(rows, scale, basics) for name, model in models.items()}
    with_errors = dict(found)
    if "light" in guesses and "conger" not in found:
        with_errors["conger"] = conger(rows, scale, basics)
    errors = {name: _errors(rows, nested, one.influence) for name, one in with_errors.items()}
    seen = (
        np.fmin(rows.share_outside, outside(drawn.shares, scale)),
        effective_number(*basics.sums),
        items_of_pairs(rows) if "light" in found else rows.n_items,
    )
    return Computed(rows, nested, drawn, basics, found, guesses, errors, seen)


def _with_pivot(
    known: Computed, name: str, *, ci: str, left: FloatArray | None
) -> tuple[RaterFigures, Pivot]:
    """Put the figures of one coefficient together, and what its limits are made of."""
    rows, nested, drawn, basics, every, guesses, errors, seen = known
    guess, (error, of_items), units = guesses.get(name), errors[name], nested.rows.units
    figures = _plain(known, name)
    figures = replace(figures, share_outside=seen[0], effective_disagreements=seen[1])
    figures = replace(figures, n_joint=seen[2]) if name == "light" else figures
    se = figures.se
    figures, plain = with_errors(figures, se, units, ci=ci, left=left)
    in_clusters = nested.rows.cluster is not None
    if in_clusters:
        effect = design_effect(se, of_items, rows.n_items, units)
        effective = figures.effective_disagreements / np.fmax(effect, 1.0)
        figures = replace(figures, effective_disagreements=effective)
    if guess is None:
        return figures, plain
    if name == "light":  # a perfect pair tells an error of zero; Conger's sums up, then divides
        error, of_items = np.fmax(errors[name], errors["conger"])
    model = weighed(guess, rows, name)
    pivot: OfItems
    if ci == "score":
        estimate = np.where(np.isnan(figures.se), np.nan, figures.estimate)
        pivot = model.score(estimate, np.where(np.isnan(estimate), np.nan, of_items))
    else:
        about = figures.estimate, every[name].expected
        pivot = _guarded(model, rows, drawn, basics, about=about, se=of_items)
    if in_clusters:
        pivot = clustered(pivot, error, of_items, rows.n_items, units)
    if left is not None:
        pivot = pivot.worth(left)
    return figures, pivot


def _plain(known: Computed, name: str) -> RaterFigures:
    """Put together what needs no limits, with the standard errors of the units."""
    rows, scale, basics, found = known.rows, known.drawn.scale, known.basics, known.found[name]
    fixed = _fixed_by_margins(rows, name)
    alone = np.zeros(rows.n_groups, dtype=bool)
    if name == "krippendorff":
        alone = rows.total(basics.paired * rows.n_ratings) <= 1
    estimate = np.where(alone, np.nan, without_rounding(found.estimate))  # no second to draw
    lowest = _lowest(name, scale, estimate.shape)
    estimate = at_least(lowest, estimate)
    se = np.where(np.isnan(estimate) | fixed, np.nan, known.errors[name][0])
    estimate = np.where(fixed & ~np.isnan(estimate), 0.0, estimate)
    observed, expected = _shares(found, scale, alone, is_alpha=name == "krippendorff")
    estimate = observed if name == "percent" else estimate
    limits = ("ci_low", "ci_high", "z", "p_value", "share_outside", "effective_disagreements")
    return RaterFigures(
        n_items=rows.n_items,
        n_joint=rows.n_items,
        n_raters=rows.n_active,
        n_ratings=rows.total(rows.n_ratings),
        observed_agreement=observed,
        expected_agreement=expected,
        estimate=estimate,
        se=se,
        lowest=lowest,
        n_agreeing=agreeing_items(scale, rows.n_items, observed),
        **dict.fromkeys(limits, np.full(estimate.shape, np.nan)),
        reason=_reasons(basics, estimate, se, known.nested.rows.units, alone),
    )


def _shares(
    found: Functional, scale: Scale, alone: BoolArray, *, is_alpha: bool
) -> tuple[FloatArray, FloatArray]:
    """Return observed and expected agreement, which may be beyond 0 and 1 by rounding alone.

    What alpha expects may be below 0, as the first rating is not put back.
    """
    observed = np.clip(1 - found.observed / scale.largest, 0.0, 1.0)
    expected = np.where(alone, np.nan, 1 - found.expected / scale.largest)
    return observed, expected if is_alpha else np.clip(expected, 0.0, 1.0)


def _guarded(
    model: Agreeing,
    rows: Rows,
    drawn: Drawn,
    basics: Basics,
    *,
    about: tuple[FloatArray, FloatArray],
    se: FloatArray,
    own: tuple[FloatArray, FloatArray] | None = None,
) -> Guarded:
    """Describe S estimates, and what they expect, with errors of independent items: see `Guarded`.

    They are those of all groups, or of each rater in all groups, one after the other, with the
    number of their `own` items and the sum of squares of what these disagree.
    """
    estimate, expected = about
    place = np.arange(len(estimate)) % max(rows.n_groups, 1)
    if len(place) > rows.n_groups:
        drawn = drawn.take(place)
    n, squares = own or (model.n, basics.sums[1])
    unknown = np.isnan(estimate) | (n < FEWEST_ITEMS)
    n = np.where(unknown, np.nan, n)
    with np.errstate(divide="ignore", invalid="ignore"):  # no item has two ratings
        rates = Rates(
            np.where(unknown, np.nan, 1 - estimate),
            squares / n / (n * expected**2),
            drawn.scale.largest_among(drawn.shares > 0) / (n * expected),
        )
        se_null = np.sqrt(model.at_chance[place] / n)
    mixture = OfInfluence(estimate, n * se**2, expected, drawn)
    one = np.ones(n.shape)
    return Guarded(estimate, se, se_null, n, 2 * basics.share[place], rates, mixture, one)


def guarded_light(
    rows: Rows,
    scale: Scale,
    about: tuple[FloatArray, FloatArray],
    errors: tuple[FloatArray, FloatArray],
    level: float,
    *,
    own: tuple[FloatArray, FloatArray] | None = None,
) -> Limits:
    """Guard limits of parts of Light's kappa, (S,): see `_guarded`.

    They are `about` an estimate and the disagreement that is expected, and have errors of clusters,
    and of items.
    """
    basics, (se, of_items) = basics_of(rows, scale), errors
    drawn, estimate = Drawn(shares_of(rows, basics), scale), about[0]
    model = agreeing(rows, drawn, basics)
    pivot: OfItems = _guarded(model, rows, drawn, basics, about=about, se=of_items, own=own)
    if rows.cluster is not None:
        place = np.arange(len(estimate)) % max(rows.n_groups, 1)
        pivot = clustered(pivot, se, of_items, rows.n_items[place], rows.units[place])
    return Limits(*pivot.limits(level)).around(estimate, np.full(estimate.shape, -1.0))


def _errors(rows: Rows, nested: Nested, influence: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Return the standard errors of a coefficient over units, and over items, each (G,)."""
    ddof = ddof_of(rows)
    of_items = standard_error(rows, influence, ddof=ddof)
    if nested.rows is rows:
        return of_items, of_items
    return standard_error(nested.rows, influence[nested.place], ddof=ddof), of_items


def _lowest(name: str, scale: Scale, shape: tuple[int, ...]) -> FloatArray:
    """Return the smallest value that limits may take, shape (G,)."""
    known = name in COEFFICIENTS  # others have the margins of raters, and distances
    return np.broadcast_to(COEFFICIENTS[name].lowest(scale) if known else -1.0, shape)


def _fixed_by_margins(rows: Rows, name: str) -> BoolArray:
    """Whether one category of one of two raters makes the coefficient zero, shape (G,).

    Light's kappa has the margins of the joint items; those of Conger's come from all ratings
    of a rater, and expect what is observed only where none is missing.
    """
    if rows.n_raters != 2 or name not in {"conger", "light"}:  # noqa: PLR2004
        return np.zeros(rows.n_groups, dtype=bool)
    alone = rows.total(rows.n_ratings == 1) > 0
    return wide(rows).is_constant((0, 1)).any(axis=0) & ~(alone & (name == "conger"))


def _reasons(
    basics: Basics, estimate: FloatArray, se: FloatArray, units: FloatArray, alone: BoolArray
) -> ObjectArray:
    """Say why a figure is NaN; empty text where none is."""
    reason = np.full(estimate.shape, "", dtype=object)
    reason[np.isnan(se)] = "constant_rater"
    reason[(units < FEWEST_ITEMS) | alone] = "n_lt_2"
    reason[np.isnan(estimate) & ~alone] = "constant_ratings"
    reason[basics.n_paired == 0] = "no_joint_items"
    reason[basics.rows.n_items == 0] = "no_items"
    return reason


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
    number, units = active.sum(axis=0).astype(np.float64), rows.units
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
        return (number - 1) / number * squares


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
