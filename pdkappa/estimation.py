"""The way of every public function: check the options, code, count, estimate."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pdkappa import weighting
from pdkappa.core.chance import COEFFICIENTS
from pdkappa.core.emsummary import summarise_missing
from pdkappa.core.missing import LARGEST_JOINT
from pdkappa.core.resampling import RESAMPLED
from pdkappa.core.summary import summarise, with_clusters
from pdkappa.engines.pandas import pair_tables, rating_rows
from pdkappa.errors import OptionError, TooLargeError, check_choice
from pdkappa.frames import Estimates
from pdkappa.intervals import check_interval, resample_pairs
from pdkappa.present import schema
from pdkappa.ratings import encode

if TYPE_CHECKING:
    import pandas as pd

    from pdkappa._typing import By, Categories, ItemWeights, Progress, Raters, Seed, Weights
    from pdkappa.ratings import Coded, Counted

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
    cluster: ItemWeights | None = None,
    ci: str = "fisher",
    confidence_level: float = 0.95,
    n_resamples: int = 2000,
    rng: Seed = None,
    progress: Progress = False,
    with_itself: bool = False,
    quiet: bool = False,
) -> Estimates:
    """Check the options, count, and estimate all pairs; the way of every public function."""
    check_choice("coefficient", coefficient, COEFFICIENTS, SYNONYMS)
    check_choice("distance", distance, DISTANCES)
    check_by(by, {*schema.PAIRS, "rater"})
    interval = check_interval(ci, confidence_level, n_resamples, rng, progress)
    coded = encode(
        data,
        raters,
        by=by,
        categories=categories,
        needs_order=weighting.needs_order(weights),
        missing=missing,
        sample_weight=sample_weight,
        cluster=cluster,
        quiet=quiet,
    )
    tables = pair_tables(coded, with_itself=with_itself)
    scale = weighting.scale_of(weights, tables.categories, distance, tables.in_use)
    model, level, first = COEFFICIENTS[coefficient], interval.level, interval.first
    if missing == "em":
        check_joint(coded, cluster, ci)
        summary = summarise_missing(
            rating_rows(coded), scale, model, tables.pairs, ci=first, level=level
        )
    else:
        summary = summarise(tables.counts, scale, model, ci=first, level=level)
    if cluster is not None:
        rows = rating_rows(coded)
        summary = with_clusters(summary, rows, scale, model, tables.pairs, ci=first, level=level)
    if interval.ci != first:
        rows = rating_rows(coded)
        summary = resample_pairs(
            summary, tables, rows, scale, coefficient=coefficient, options=interval, quiet=quiet
        )
    estimates = Estimates(tables, scale, summary)
    if not quiet:
        estimates.warn_if_undefined()
    return estimates


def check_by(by: object, taken: set[str]) -> None:
    """Refuse to group by a column that is named as a column of the result."""
    for name in by if isinstance(by, list) else [by]:
        if isinstance(name, str) and name in taken:
            message = (
                f"by={name!r} is a column of the result, too. Rename the column in data with "
                "data.rename(columns=...)."
            )
            raise OptionError(message)


def check_joint(coded: Coded, cluster: object, ci: str) -> None:
    """Refuse a joint distribution that is too large, and what it cannot do."""
    if cluster is not None:
        message = "missing='em' supposes independent items. Leave out cluster, or use 'pairwise'."
        raise OptionError(message)
    if ci in RESAMPLED:
        message = f"missing='em' is not resampled by ci={ci!r}. Use ci='fisher' or 'wald'."
        raise OptionError(message)
    k, n_raters = len(coded.categories), len(coded.raters)
    n_rows = len(rating_rows(coded).compressed().count)
    if float(k) ** n_raters * n_rows > LARGEST_JOINT:
        message = (
            f"missing='em' would fit the joint distribution of {n_raters} raters over {k} "
            f"categories, {k}**{n_raters} cells, once for each of {n_rows} distinct rows; the "
            f"limit of their product is {LARGEST_JOINT}. Pass fewer raters."
        )
        raise TooLargeError(message)


def check_clip(clip: object) -> None:
    """Refuse a cap that is neither None nor a number between 0 and 1."""
    if clip is None:
        return
    if isinstance(clip, bool) or not isinstance(clip, float | int) or not 0 < clip < 1:
        message = f"clip={clip!r} must lie between 0 and 1. Pass None to average without a cap."
        raise OptionError(message)
