"""Ratings of any number of raters -> the figures of coefficients of all of them."""

from __future__ import annotations

from dataclasses import fields, replace
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from pdkappa.coefficients.all_raters import (
    FEWEST_JOINT,
    MULTIRATER,
    krippendorff_ordinal,
    pairs_share_few,
)
from pdkappa.coefficients.all_raters_estimates import compute_many, with_raters_as_sample
from pdkappa.coefficients.chance import COEFFICIENTS
from pdkappa.coefficients.intervals import Figures, RaterFigures
from pdkappa.coefficients.sparse_rows import merged
from pdkappa.errors import BiasedKappaWarning, warn
from pdkappa.methods.estimates.options import IntervalOptions, resample_many
from pdkappa.methods.estimates.pair_frames import SYNONYMS_OF_MANY, check_raters_vary, estimate
from pdkappa.methods.estimates.study import left_of_population
from pdkappa.ratings.coded import Coded, Codes
from pdkappa.ratings.counted_pairs import ALONE, CountedPairs
from pdkappa.ratings.crowds import Crowd
from pdkappa.ratings.long_ratings import CodedList

if TYPE_CHECKING:
    from collections.abc import Callable

    from pdkappa._typing import BoolArray, IntArray
    from pdkappa.coefficients.all_raters import MultiraterModel
    from pdkappa.methods.estimates.study import Study

PAIR = 2
SYNONYMS_OF_ALL = SYNONYMS_OF_MANY | {
    "kappa": "'conger', or 'light' for the mean of the pairs",
    "cohen": "'conger' for all raters together",
    "scott": "'fleiss' for all raters together",
}


class OfTwo(NamedTuple):
    """The groups that two raters rated, and their ratings as those of one pair."""

    groups: BoolArray  # (G,)
    study: Study  # the ratings of the first and the second rater of each of them, and no others


def of_two(study: Study) -> OfTwo | None:
    """Put the two raters side by side who alone rated in a group; None if no group is theirs.

    Raters without a rating are as those whom a list does not name.
    """
    rows, counted = study.ratings.compressed, isinstance(study.data, Crowd | CountedPairs)
    is_pair = rows.n_raters == PAIR
    groups = (rows.n_active == PAIR) | is_pair
    if study.coded.nameless or not groups.any():
        return None
    if is_pair and not (study.is_listed or counted):
        return OfTwo(groups, study if study.tables.n_pairs else replace(study, only_joint=False))
    group, rater = np.divmod(rows.by_rater.occurring()[0], rows.n_raters)
    first = np.searchsorted(group, np.flatnonzero(groups))
    who = np.full((PAIR, rows.n_groups), -1)
    who[:, groups] = ALONE if is_pair else rater[first + ALONE]
    coded = study.coded if counted else _side_by_side(study.coded, who)
    found = replace(study, coded=coded, only_joint=False)
    known: dict[str, Any] = {"scale": study.scale}
    if counted:
        known |= {"ratings": study.ratings, "tables": study.tables.of_groups(who)}
    vars(found).update(known)
    return OfTwo(groups, found)


def _side_by_side(coded: Coded, who: IntArray) -> Coded:
    """Keep the ratings of two raters of each group, (2, G), or nobody's, -1, as of a pair."""
    n_items, of_item = len(coded.items), coded.groups.of_item
    own = who[:, np.zeros(n_items, dtype=np.intp) if of_item is None else of_item]
    if isinstance(coded, CodedList):
        codes = np.full((PAIR, n_items), -1, dtype=coded.codes.dtype)
        for side, rater in zip(codes, own, strict=True):
            ratings = coded.rater == rater[coded.item]
            side[coded.item[ratings]] = coded.codes[0][ratings]
    else:
        codes = np.take_along_axis(coded.codes, own, axis=0)
        codes[own < 0] = -1
    known = {one.name: getattr(coded, one.name) for one in fields(Coded)}
    held = Codes(codes, coded.categories)
    return Coded(**known | {"held": held, "raters": coded.raters[:PAIR]})


def summarise_together(
    study: Study,
    models: dict[str, MultiraterModel],
    interval: IntervalOptions,
    *,
    shares: str | None = None,
) -> tuple[dict[str, RaterFigures], str]:
    """Estimate coefficients of all raters; say what was lost if limits are resampled."""
    n_raters = int(study.ratings.compressed.n_active.max(initial=0))
    check_raters_vary(interval.vary, study.data, n_raters)
    two = of_two(study) if interval.vary == "items" else None
    asked: Any = (models, interval, shares)
    if two is None:
        return _of_many(study, *asked)
    found = _of_two(two.study, *asked)
    return found if two.groups.all() else _put_in(two.groups, found, _of_many(study, *asked))


def _of_two(
    study: Study, models: dict[str, MultiraterModel], interval: IntervalOptions, shares: str | None
) -> tuple[dict[str, RaterFigures], str]:
    """Take the figures of the pair, unless the shares of single ratings are asked for."""
    rows = study.ratings
    of_pair = np.full(rows.n_groups, krippendorff_ordinal not in models.values())
    if shares is not None:
        of_pair &= rows.total(rows.n_ratings == 1) == 0
    if not of_pair.any():  # or the metric depends on the ratings
        return _of_many(study, models, interval, shares)
    found = _of_the_pair(study, models, interval)
    if of_pair.all():
        return found
    return _put_in(of_pair, found, _of_many(study, models, interval, shares))


def _put_in(
    groups: BoolArray,
    some: tuple[dict[str, RaterFigures], str],
    rest: tuple[dict[str, RaterFigures], str],
) -> tuple[dict[str, RaterFigures], str]:
    """Put the figures of some groups among those of the rest."""
    found = {name: _either(groups, one, rest[0][name]) for name, one in some[0].items()}
    return found, " ".join(filter(None, (some[1], rest[1])))


def _either(groups: BoolArray, some: RaterFigures, rest: RaterFigures) -> RaterFigures:
    """Take some figures in some groups, (G,), and others in the rest."""
    names = [one.name for one in fields(RaterFigures)]
    return RaterFigures(
        **{name: np.where(groups, getattr(some, name), getattr(rest, name)) for name in names}
    )


def _of_many(
    study: Study, models: dict[str, MultiraterModel], interval: IntervalOptions, shares: str | None
) -> tuple[dict[str, RaterFigures], str]:
    """Take the figures of any number of raters."""
    ci, by_items = interval.first, shares != "ratings"
    given: dict[str, Any] = {"ci": ci, "level": interval.level, "null": interval.null}
    drawn = study.rows if interval.ci != interval.first else None  # before anything is computed
    rows = study.ratings.compressed
    left = left_of_population(study, interval, rows.n_items)
    alike = rows if interval.vary != "items" or [*models] == ["light"] else merged(rows)
    whole = [*models] if alike is rows else ["light"]
    found: dict[str, RaterFigures] = {}
    for is_whole in (True, False):
        some = {name: model for name, model in models.items() if (name in whole) == is_whole}
        if some:
            of = rows if is_whole else alike
            known = compute_many(of, study.scale, some, by_items=by_items, ci=ci)
            found |= known.summaries(left=left, **given)
    summaries = {name: found[name] for name in models}
    if interval.vary != "items":
        given["vary"] = interval.vary
        summaries = with_raters_as_sample(
            summaries, rows, study.scale, models, by_items=by_items, **given
        )
    if drawn is None:
        return summaries, ""
    return resample_many(summaries, drawn, study.scale, models, interval, by_items=by_items)


def default_of_all(study: Study) -> str:
    """Return Light's kappa, or Conger's where pairs share too few items for a kappa each."""
    return "conger" if pairs_share_few(study.ratings) else "light"


def warn_if_biased(study: Study, name: str) -> None:
    """Warn of Light's kappa where pairs share too few items for a kappa each."""
    if name == "light" and default_of_all(study) != name:
        warn(
            f"Pairs of raters share fewer than {FEWEST_JOINT} items on average. Kappas of so few "
            "are biased, and so is their mean, Light's kappa. Pass coefficient='conger', which "
            "adds up all pairs before it divides.",
            BiasedKappaWarning,
        )


def at_levels(study: Study, name: str, ci: str) -> Callable[[float], RaterFigures]:
    """Return what gives a coefficient of all raters with its limits, by a formula, at a level."""
    models: dict[str, MultiraterModel] = {name: MULTIRATER[name]}
    two = of_two(study)
    if two is not None and two.groups.all():
        return lambda level: _of_the_pair(two.study, models, IntervalOptions(ci, level))[0][name]
    rows = study.ratings.compressed
    rows = rows if name == "light" else merged(rows)
    of_all = compute_many(rows, study.scale, models, by_items=True, ci=ci).at_levels(name, ci=ci)
    if two is None:
        return of_all

    def of_each(level: float) -> RaterFigures:
        own = _of_the_pair(two.study, models, IntervalOptions(ci, level))[0][name]
        return _either(two.groups, own, of_all(level))

    return of_each


def _of_the_pair(
    study: Study, models: dict[str, MultiraterModel], interval: IntervalOptions
) -> tuple[dict[str, RaterFigures], str]:
    """Give the figures of the pair where there are only two raters: one question, one answer."""
    of_pairs = {row.many: name for name, row in COEFFICIENTS.items()} | {"light": "cohen"}
    rows = study.ratings
    summaries, lost = {}, dict[str, str]()
    for name in models:
        found = estimate(study, of_pairs[name], interval)
        same = {one.name: getattr(found.summary, one.name) for one in fields(Figures)}
        same["reason"] = found.column("reason")
        summaries[name] = RaterFigures(
            **same,
            n_joint=found.summary.n_items,
            n_raters=rows.n_active,
            n_ratings=rows.total(rows.n_ratings),
        )
        lost[found.lost] = name
    return summaries, " ".join(filter(None, lost))
