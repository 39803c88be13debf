"""Ratings of any number of raters -> the figures of coefficients of all of them."""

from __future__ import annotations

from dataclasses import fields, replace
from typing import TYPE_CHECKING, Any

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

if TYPE_CHECKING:
    from collections.abc import Callable

    from pdkappa._typing import BoolArray
    from pdkappa.coefficients.all_raters import MultiraterModel
    from pdkappa.methods.estimates.study import Study

PAIR = 2
SYNONYMS_OF_ALL = SYNONYMS_OF_MANY | {
    "kappa": "'conger', or 'light' for the mean of the pairs",
    "cohen": "'conger' for all raters together",
    "scott": "'fleiss' for all raters together",
}


def summarise_together(
    study: Study,
    models: dict[str, MultiraterModel],
    interval: IntervalOptions,
    *,
    shares: str | None = None,
) -> tuple[dict[str, RaterFigures], str]:
    """Estimate coefficients of all raters; say what was lost if limits are resampled."""
    study = without_empty(study)
    check_raters_vary(interval.vary, study.data, len(study.raters))
    if _is_of_a_pair(study, models, shares):
        return _of_the_pair(study, models, interval)
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
    study = without_empty(study)
    if _is_of_a_pair(study, models, None):
        return lambda level: _of_the_pair(study, models, IntervalOptions(ci, level))[0][name]
    rows = study.ratings.compressed
    rows = rows if name == "light" else merged(rows)
    known = compute_many(rows, study.scale, models, by_items=True, ci=ci)
    return lambda level: known.summaries(ci=ci, level=level)[name]


def without_empty(study: Study) -> Study:
    """Leave out raters without a rating beside a pair, as those are whom a list does not name."""
    if study.is_listed or study.coded.nameless or len(study.raters) <= PAIR:
        return study
    used: BoolArray = np.logical_or.reduce(study.coded.held.rated, axis=1)
    return replace(study, coded=study.coded.by(used)) if used.sum() == PAIR else study


def _is_of_a_pair(study: Study, models: dict[str, MultiraterModel], shares: str | None) -> bool:
    """Whether all raters are a pair, and nobody asks for the shares of single ratings."""
    by_ranks = krippendorff_ordinal in models.values()  # whose metric depends on the ratings
    if len(study.raters) != PAIR or study.coded.nameless or by_ranks:
        return False
    if not study.tables.n_pairs:  # of a list, in which they share no item
        return False
    return shares is None or not (study.ratings.n_ratings == 1).any()


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
