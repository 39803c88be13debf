"""The way of pairs of raters: a study -> counts -> every figure of every pair."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pdkappa.coefficients.chance import COEFFICIENTS
from pdkappa.coefficients.missing_by_em import summarise_missing
from pdkappa.coefficients.pair_estimates import (
    EVERY_FIGURE,
    summarise,
    with_clusters,
    with_population,
)
from pdkappa.coefficients.rating_rows import RatingRows
from pdkappa.errors import check_choice
from pdkappa.estimation.checks import SYNONYMS, check_by, check_joint
from pdkappa.estimation.estimates import Estimates
from pdkappa.estimation.intervals import resample_pairs
from pdkappa.estimation.population import left_of_population
from pdkappa.estimation.study import read
from pdkappa.present import schema
from pdkappa.ratings.coded import MISSING

if TYPE_CHECKING:
    import pandas as pd

    from pdkappa._typing import Raters
    from pdkappa.estimation.intervals import IntervalOptions
    from pdkappa.estimation.study import Study
    from pdkappa.ratings.coded import Counted
    from pdkappa.ratings.long_ratings import Listed
    from pdkappa.ratings.options import Reading


def read_pairs(
    data: pd.DataFrame | Counted | Listed,
    raters: Raters | None,
    reading: Reading,
    coefficient: str,
    interval: IntervalOptions,
    *,
    warns: bool = True,
) -> Study:
    """Check the options of the functions of pairs, and read the ratings."""
    check_choice("coefficient", coefficient, COEFFICIENTS, SYNONYMS)
    check_choice("missing", reading.missing, MISSING)
    check_by(reading.by, {*schema.PAIRS, *schema.ADJUSTED, "rater"})
    # Clusters, weights of a sample, EM and resamples need the rows; else a list is counted.
    by_list = reading.cluster is None and reading.missing == "pairwise"
    by_list = by_list and interval.ci == interval.first and not reading.is_sampled
    study = read(
        data, raters, reading, allows_em=True, by_list=by_list, of_crowds=True, warns=warns
    )
    if warns:
        study.warn_of_categories([coefficient])
    return study


def estimate(
    study: Study,
    coefficient: str,
    interval: IntervalOptions,
    *,
    with_itself: bool = False,
    needed: frozenset[str] = EVERY_FIGURE,
    min_items: float = 0,
) -> Estimates:
    """Estimate all pairs of raters, each with itself too if that is asked for.

    Pairs with fewer joint items than `min_items` in every group are left out.
    """
    drawn = study.rows if interval.ci != interval.first else None  # before anything is computed
    tables = study.count(with_itself=True) if with_itself else study.tables
    if min_items > 0 and study.reading.missing != "em":  # which uses all items
        tables = tables.sharing(min_items)
    scale, model = study.scale, COEFFICIENTS[coefficient]
    ci, level, null = interval.first, interval.level, interval.null
    if study.reading.missing == "em":
        check_joint(study.rows, interval.ci)
        summary = summarise_missing(
            study.rows, scale, model, tables.pairs, ci=ci, level=level, null=null
        )
    else:
        summary = summarise(
            tables.counts, scale, model, needed=needed, ci=ci, level=level, null=null
        )
    left = left_of_population(study, interval, summary.n_items)
    if left is not None:
        summary = with_population(
            summary, tables.counts, scale, model, left, ci=ci, level=level, null=null
        )
    rows = None
    if study.coded.clusters is not None:
        found = study.ratings.compressed()
        parts, pairs = (found, tables.counts, scale, model), tables.pairs
        summary = with_clusters(summary, *parts, pairs=pairs, ci=ci, level=level, null=null)
        rows = found if isinstance(found, RatingRows) else None
    if drawn is None:
        return Estimates(tables, scale, summary, rows)
    summary, lost = resample_pairs(summary, tables, drawn, scale, model=model, options=interval)
    return Estimates(tables, scale, summary, rows, lost)
