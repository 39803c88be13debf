"""All raters together: which coefficients are wanted, how they are read and estimated."""

from __future__ import annotations

from dataclasses import fields, replace
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from pdkappa.coefficients.all_raters import (
    MULTIRATER,
    krippendorff_ordinal,
)
from pdkappa.coefficients.all_raters_estimates import summarise_many, with_raters_as_sample
from pdkappa.coefficients.chance import COEFFICIENTS
from pdkappa.coefficients.intervals import Figures, RaterFigures
from pdkappa.coefficients.missing_by_em import summarise_many_missing
from pdkappa.coefficients.sparse_rows import merged, wide
from pdkappa.errors import (
    LeftOutWarning,
    OptionError,
    check_choice,
    shown,
    warn,
)
from pdkappa.methods.estimates.options import IntervalOptions, resample_many
from pdkappa.methods.estimates.pair_frames import (
    SYNONYMS_OF_MANY,
    check_joint,
    check_raters_vary,
    estimate,
)
from pdkappa.methods.estimates.study import left_of_population, read
from pdkappa.ratings.coded import Counted

if TYPE_CHECKING:
    from collections.abc import Sequence

    from pdkappa._typing import (
        Raters,
        Weights,
    )
    from pdkappa.coefficients.all_raters import MultiraterModel
    from pdkappa.methods.estimates.study import Study
    from pdkappa.ratings.long_ratings import Listed
    from pdkappa.ratings.options import Reading

ORDINAL_METRIC = "krippendorff_ordinal"
SHARES = ("items", "ratings")
MOST_RATERS_OF_LIGHT = 200
PAIR = 2
SYNONYMS = SYNONYMS_OF_MANY | {
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
    check_raters_vary(interval.vary, study.reading, study.data, len(study.raters))
    if _is_of_a_pair(study, models, shares):
        return _of_the_pair(study, models, interval)
    by_items = shares != "ratings"
    missing = study.reading.missing == "em"
    if missing:
        check_joint(study.rows, interval.ci)
    given: dict[str, Any] = {"ci": interval.first, "level": interval.level, "null": interval.null}
    given["by_items"] = by_items
    drawn = study.rows if interval.ci != interval.first else None  # before anything is computed
    rows = study.ratings.compressed()
    left = left_of_population(study, interval, rows.n_items)
    if missing:
        summaries = summarise_many_missing(wide(rows), study.scale, models, **given)
    else:
        alone = {name: model for name, model in models.items() if name == "light"}
        if interval.vary != "items":
            alone = models
        found = summarise_many(rows, study.scale, alone, left=left, **given) if alone else {}
        others = {name: model for name, model in models.items() if name not in found}
        if others:
            found |= summarise_many(merged(rows), study.scale, others, left=left, **given)
        summaries = {name: found[name] for name in models}
    if interval.vary != "items":
        summaries = with_raters_as_sample(
            summaries, rows, study.scale, models, vary=interval.vary, **given
        )
    if drawn is None:
        return summaries, ""
    return resample_many(summaries, drawn, study.scale, models, interval, by_items=by_items)


def _is_of_a_pair(study: Study, models: dict[str, MultiraterModel], shares: str | None) -> bool:
    """Whether all raters are a pair, and nobody asks for the shares of single ratings."""
    anonymous = isinstance(study.data, Counted) and study.data.anonymous
    by_ranks = krippendorff_ordinal in models.values()  # whose metric depends on the ratings
    if len(study.raters) != PAIR or anonymous or by_ranks:
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
            influence=np.empty(0),
        )
        lost[found.lost] = name
    return summaries, " ".join(filter(None, lost))


def read_together(
    data: pd.DataFrame | Counted | Listed,
    raters: Raters | None,
    reading: Reading,
    models: dict[str, MultiraterModel],
    *,
    allows_em: bool = False,
) -> Study:
    """Read the ratings for coefficients of all raters; an ordinal metric starts from ranks."""
    needs_order, identity = None, any(MULTIRATER[name].of_persons for name in models)
    if _is_ordinal_metric(reading.weights):
        needs_order = f"weights={reading.weights!r}"
        reading = replace(reading, weights="quadratic", distance="rank")
    study = read(
        data,
        raters,
        reading,
        needs_order=needs_order,
        needs_identity=identity,
        allows_em=allows_em,
        of_crowds=True,
    )
    study.warn_of_categories(models)
    return study


def _listed(coefficients: Any) -> list[str]:
    """Return the coefficients that the user listed, at least one."""
    listed = [coefficients] if isinstance(coefficients, str) else coefficients
    names = list(listed) if pd.api.types.is_list_like(listed) else []
    if not names:
        message = (
            f"coefficients must be None or a list of one coefficient or more, got "
            f"{shown(coefficients)}. Choose some of: {', '.join(map(repr, MULTIRATER))}."
        )
        raise OptionError(message)
    return names


def without_light(
    models: dict[str, MultiraterModel], n_raters: int, named: Sequence[str] | None
) -> dict[str, MultiraterModel]:
    """Leave out the mean over all pairs where raters are many, unless the user named it."""
    if named is not None or n_raters <= MOST_RATERS_OF_LIGHT or "light" not in models:
        return models
    warn(
        f"'light' is left out: {n_raters} raters are {n_raters * (n_raters - 1) // 2} pairs, "
        f"many of which share few items or none. By default it is computed for up to "
        f"{MOST_RATERS_OF_LIGHT} "
        "raters; name it in coefficients=[...] to include it.",
        LeftOutWarning,
    )
    return {name: model for name, model in models.items() if name != "light"}


def _is_ordinal_metric(weights: Weights | None) -> bool:
    """Whether the weights are Krippendorff's ordinal metric."""
    return isinstance(weights, str) and weights == ORDINAL_METRIC


def models_of(
    data: pd.DataFrame | Counted | Listed,
    coefficients: Sequence[str] | None,
    weights: Weights | None,
) -> dict[str, MultiraterModel]:
    """Return the coefficients of all raters that the user wants."""
    anonymous = isinstance(data, Counted) and data.anonymous
    known = [name for name, row in MULTIRATER.items() if not (anonymous and row.of_persons)]
    names = known if coefficients is None else _listed(coefficients)
    for name in names:
        check_choice("coefficients", name, MULTIRATER, SYNONYMS)
    if not _is_ordinal_metric(weights):
        return {name: MULTIRATER[name] for name in names}
    if names != ["krippendorff"]:
        message = (
            f"weights={ORDINAL_METRIC!r} belongs to Krippendorff's alpha alone, for which the "
            "metric depends on the ratings. Pass coefficients=['krippendorff']."
        )
        raise OptionError(message)
    return {"krippendorff": krippendorff_ordinal}
