"""The way of every public function: check the options, code, count, estimate."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pdkappa import weighting
from pdkappa.core.chance import COEFFICIENTS
from pdkappa.core.inference import INTERVALS
from pdkappa.core.summary import summarise
from pdkappa.engines.pandas import pair_tables
from pdkappa.errors import OptionError, unknown_choice
from pdkappa.frames import Estimates
from pdkappa.ratings import encode

if TYPE_CHECKING:
    import pandas as pd

    from pdkappa._typing import By, Categories, ItemWeights, Raters, Weights
    from pdkappa.ratings import Counted

DISTANCES = ("value", "rank")
SYNONYMS = {
    "kappa": "'cohen'",
    "pi": "'scott'",
    "fleiss": "'scott' for a pair of raters",
    "conger": "'cohen' for a pair of raters",
    "alpha": "'krippendorff'",
    "ac1": "'gwet'",
    "ac2": "'gwet'",
    "bennett": "'brennan_prediger'",
    "pabak": "'brennan_prediger'",
}


def estimate(
    data: pd.DataFrame | Counted,
    raters: Raters | None,
    *,
    by: By | None = None,
    coefficient: str = "cohen",
    weights: Weights | None = None,
    categories: Categories | None = None,
    distance: str = "value",
    missing: str = "pairwise",
    sample_weight: ItemWeights | None = None,
    ci: str = "fisher",
    confidence_level: float = 0.95,
    with_itself: bool = False,
) -> Estimates:
    """Check the options, count, and estimate all pairs; the way of every public function."""
    if coefficient not in COEFFICIENTS:
        raise unknown_choice("coefficient", coefficient, COEFFICIENTS, SYNONYMS)
    if distance not in DISTANCES:
        raise unknown_choice("distance", distance, DISTANCES)
    if ci not in INTERVALS:
        raise unknown_choice("ci", ci, INTERVALS)
    _check_level(confidence_level)
    coded = encode(
        data,
        raters,
        by=by,
        categories=categories,
        needs_order=weighting.needs_order(weights),
        missing=missing,
        sample_weight=sample_weight,
    )
    tables = pair_tables(coded, with_itself=with_itself)
    scale = weighting.scale_of(weights, tables.categories, distance, tables.in_use)
    summary = summarise(
        tables.counts, scale, COEFFICIENTS[coefficient], ci=ci, level=confidence_level
    )
    estimates = Estimates(tables, scale, summary)
    estimates.warn_if_undefined()
    return estimates


def _check_level(level: object) -> None:
    """Refuse a confidence level that is no number between 0 and 1."""
    if isinstance(level, bool) or not isinstance(level, float | int) or not 0 < level < 1:
        hint = ""
        if isinstance(level, float | int) and 1 < level < 100:  # noqa: PLR2004
            hint = f" Did you mean {level / 100:g}?"
        message = f"confidence_level={level!r} must lie between 0 and 1.{hint}"
        raise OptionError(message)


def check_clip(clip: object) -> None:
    """Refuse a cap that is neither None nor a number between 0 and 1."""
    if clip is None:
        return
    if isinstance(clip, bool) or not isinstance(clip, float | int) or not 0 < clip < 1:
        message = f"clip={clip!r} must lie between 0 and 1. Pass None to average without a cap."
        raise OptionError(message)
