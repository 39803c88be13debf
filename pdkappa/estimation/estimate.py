"""The way of every public function: check the options, code, count, estimate."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

from pdkappa.coefficients.chance import COEFFICIENTS
from pdkappa.coefficients.missing_summary import summarise_missing
from pdkappa.coefficients.pair_summary import EVERY_FIGURE, summarise, with_clusters
from pdkappa.counts.counted import CountedPairs, counted_tables
from pdkappa.counts.long import listed_tables
from pdkappa.counts.tables import pair_tables, rating_rows
from pdkappa.errors import check_choice
from pdkappa.estimation import weights as weighting
from pdkappa.estimation.checks import SYNONYMS, check_by, check_joint
from pdkappa.estimation.estimates import Estimates
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
