"""The way of every public function: check the options, code, count, estimate."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

from pdkappa.coefficients.chance import COEFFICIENTS
from pdkappa.coefficients.missing import MOST_COMPLETIONS, MOST_ROWS, size_of
from pdkappa.coefficients.missing_summary import summarise_missing
from pdkappa.coefficients.pair_summary import EVERY_FIGURE, summarise, with_clusters
from pdkappa.coefficients.resampling import RESAMPLED
from pdkappa.counts.counted import CountedPairs, counted_tables
from pdkappa.counts.long import listed_tables
from pdkappa.counts.pandas import pair_tables, rating_rows
from pdkappa.errors import OptionError, TooLargeError, check_choice
from pdkappa.estimation import weights as weighting
from pdkappa.estimation.frames import Estimates
from pdkappa.estimation.intervals import check_interval, resample_pairs
from pdkappa.present import schema
from pdkappa.ratings.coded import Counted, encode
from pdkappa.ratings.group_weights import have_no_weight
from pdkappa.ratings.items import is_column
from pdkappa.ratings.long import Listed, restricted

if TYPE_CHECKING:
    import pandas as pd

    from pdkappa._typing import By, Categories, ItemWeights, Progress, Raters, Seed, Weights
    from pdkappa.counts.tables import PairTables
    from pdkappa.ratings.coded import Coded

LARGEST_COVARIANCE = 1 << 26
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
    data: pd.DataFrame | Counted | Listed,
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
    needed: frozenset[str] = EVERY_FIGURE,
    quiet: bool = False,
) -> Estimates:
    """Check the options, count, and estimate all pairs; the way of every public function."""
    check_choice("coefficient", coefficient, COEFFICIENTS, SYNONYMS)
    check_choice("distance", distance, weighting.DISTANCES)
    check_by(by, {*schema.PAIRS, "rater"})
    interval = check_interval(ci, confidence_level, n_resamples, rng, progress)
    by_list = cluster is None and missing == "pairwise" and interval.ci == interval.first
    read, coded, tables = _count(
        data,
        raters,
        by_list=by_list,
        with_itself=with_itself,
        by=by,
        categories=categories,
        needs_order=weighting.needs_order(weights),
        missing=missing,
        sample_weight=sample_weight,
        cluster=cluster,
        quiet=quiet,
    )
    if isinstance(read, Counted):
        read, sample_weight = read.frame, read.counts
    if not (sample_weight is None or tables.has_ratings.all()):
        no_weight = have_no_weight(read, tables.group_index, sample_weight)
        tables = replace(tables, no_weight=no_weight)
    scale = weighting.scale_of(weights, tables.categories, distance, tables.in_use)
    model, level, first = COEFFICIENTS[coefficient], interval.level, interval.first
    if missing == "em":
        check_joint(coded, cluster, ci)
        summary = summarise_missing(
            rating_rows(coded), scale, model, tables.pairs, ci=first, level=level
        )
    else:
        summary = summarise(tables.counts, scale, model, ci=first, level=level, needed=needed)
    rows = None if cluster is None else rating_rows(coded).compressed()
    if rows is not None:
        summary = with_clusters(summary, rows, scale, model, tables.pairs, ci=first, level=level)
    if interval.ci != first:
        summary = resample_pairs(
            summary,
            tables,
            rating_rows(coded),
            scale,
            coefficient=coefficient,
            options=interval,
            quiet=quiet,
        )
    estimates = Estimates(tables, scale, summary, rows)
    if not quiet:
        estimates.warn_if_undefined()
    return estimates


def _count(
    data: pd.DataFrame | Counted | Listed,
    raters: Raters | None,
    *,
    by_list: bool,
    with_itself: bool,
    **options: Any,
) -> tuple[pd.DataFrame | Counted, Coded, PairTables]:
    """Return what was read, its codes, and the counts of all pairs, or of those sharing items.

    Listed ratings of few joint items are counted as they stand, if `by_list` allows it and the
    weights are a column, and in a wide frame otherwise.
    """
    if isinstance(data, CountedPairs):
        coded = encode(data, raters, **options)
        return data, coded, counted_tables(coded, data, with_itself=with_itself)
    if not isinstance(data, Listed):
        coded = encode(data, raters, **options)
        return data, coded, pair_tables(coded, with_itself=with_itself)
    weight = options["sample_weight"]
    named = weight is None or isinstance(weight, str) or is_column(data.frame, weight)
    if by_list and named and data.is_sparse:
        data = restricted(data, raters)
        coded = encode(data.frame, [data.rating], fewest_raters=1, **options)
        return data.frame, coded, listed_tables(coded, data.rater_labels, with_itself=with_itself)
    coded = encode(data.wide, data.rater_labels if raters is None else raters, **options)
    return data.wide, coded, pair_tables(coded, with_itself=with_itself).joint()


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
    n_rows, n_completions = size_of(rating_rows(coded))
    too_large = (n_rows > MOST_ROWS) | (n_completions > MOST_COMPLETIONS)
    for rows, completions in zip(n_rows[too_large], n_completions[too_large], strict=True):
        message = (
            f"missing='em' would estimate how {rows} distinct rows of ratings are spread over "
            f"{completions:.7g} completions; the limits are {MOST_ROWS} and {MOST_COMPLETIONS}. "
            "Pass fewer raters, or leave out items with few ratings."
        )
        raise TooLargeError(message)


def check_covariances(n_raters: int, n_groups: int = 1) -> None:
    """Refuse more raters than the covariances of all pairs leave room for."""
    n_pairs = n_raters * (n_raters - 1) // 2
    n_cells = n_pairs**2 * n_groups
    if n_cells > LARGEST_COVARIANCE:
        message = (
            f"{n_pairs} pairs of {n_raters} raters in {n_groups} group(s) have {n_cells} "
            f"covariances; the limit is {LARGEST_COVARIANCE}. Pass fewer raters."
        )
        raise TooLargeError(message)


def check_clip(clip: object) -> None:
    """Refuse a cap that is neither None nor a number between 0 and 1."""
    if clip is None:
        return
    if isinstance(clip, bool) or not isinstance(clip, float | int) or not 0 < clip < 1:
        message = f"clip={clip!r} must lie between 0 and 1. Pass None to average without a cap."
        raise OptionError(message)
