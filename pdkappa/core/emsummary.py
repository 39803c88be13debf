"""Figures of raters with missing ratings, from the joint distribution that EM estimates."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from pdkappa.core.counts import PairCounts
from pdkappa.core.manysummary import (
    ManySummary,
    summarise_many,
    with_standard_errors_of_many,
)
from pdkappa.core.missing import (
    TOLERANCE_OF_ERRORS,
    joint_distribution,
    pair_tables_of,
    tabulate,
    without_one,
)
from pdkappa.core.multirater import basics_of
from pdkappa.core.pairwise import chance_corrected
from pdkappa.core.rows import RatingRows
from pdkappa.core.summary import Summary, summarise, with_standard_errors

if TYPE_CHECKING:
    from pdkappa._typing import FloatArray
    from pdkappa.core.chance import Coefficient
    from pdkappa.core.multirater import MultiraterModel
    from pdkappa.core.weights import Scale


def summarise_missing(
    rows: RatingRows,
    scale: Scale,
    coefficient: Coefficient,
    pairs: list[tuple[int, int]],
    *,
    ci: str,
    level: float,
) -> Summary:
    """Estimate every pair of raters from all items, complete or not, in every group.

    Standard errors are those of the jackknife over items; one item is left out of each
    distinct row of ratings in turn, and the joint distribution estimated again.
    """
    parts = [
        _summarise_group(
            rows.select(rows.group == group).compressed(),
            scale.take(np.array([group])),
            coefficient,
            pairs,
            ci=ci,
            level=level,
        )
        for group in range(rows.n_groups)
    ]
    return Summary(*(np.concatenate(fields) for fields in zip(*parts, strict=True)))


def _summarise_group(
    rows: RatingRows,
    scale: Scale,
    coefficient: Coefficient,
    pairs: list[tuple[int, int]],
    *,
    ci: str,
    level: float,
) -> Summary:
    """Estimate every pair of raters in one group."""
    k, n = rows.n_categories, float(rows.count[rows.n_ratings > 0].sum())
    tables = tabulate(rows)
    if not tables:
        nothing = PairCounts.from_tables(np.zeros((len(pairs), k, k)))
        return summarise(nothing, scale, coefficient, ci=ci, level=level)
    joint = joint_distribution(tables)
    counts = PairCounts.from_tables(n * pair_tables_of(joint, pairs)[0])
    summary = summarise(counts, scale, coefficient, ci=ci, level=level)
    left_out, times = [], []
    for changed, occurs in without_one(tables):
        one_less = (n - 1) * pair_tables_of(
            joint_distribution(changed, start=joint, tolerance=TOLERANCE_OF_ERRORS), pairs
        )
        found = chance_corrected(PairCounts.from_tables(one_less), scale, coefficient)
        left_out.append(found.estimate.reshape(len(occurs), len(pairs)))
        times.append(occurs)
    se = _jackknife_error(np.concatenate(left_out), np.concatenate(times), n)
    units = np.full(len(pairs), n)
    summary = summary._replace(n_items=units)
    return with_standard_errors(summary, se, units, coefficient, ci=ci, level=level)


def summarise_many_missing(
    rows: RatingRows,
    scale: Scale,
    models: dict[str, MultiraterModel],
    *,
    by_items: bool,
    ci: str,
    level: float,
) -> dict[str, ManySummary]:
    """Estimate coefficients of many raters from all items, complete or not.

    The coefficients are those of the joint distribution of all raters; standard errors are
    those of the jackknife, as in `summarise_missing`.
    """
    parts = [
        _many_of_group(
            rows.select(rows.group == group).compressed(),
            scale.take(np.array([group])),
            models,
            by_items=by_items,
            ci=ci,
            level=level,
        )
        for group in range(rows.n_groups)
    ]
    return {
        name: ManySummary(
            *(
                np.concatenate(fields)
                for fields in zip(*(part[name] for part in parts), strict=True)
            )
        )
        for name in models
    }


def _many_of_group(
    rows: RatingRows,
    scale: Scale,
    models: dict[str, MultiraterModel],
    *,
    by_items: bool,
    ci: str,
    level: float,
) -> dict[str, ManySummary]:
    """Estimate coefficients of many raters in one group."""
    rows = replace(rows, group=np.zeros_like(rows.group), n_groups=1)
    plain = summarise_many(rows, scale, models, by_items=by_items, ci=ci, level=level)
    tables = tabulate(rows)
    if not tables:
        return plain
    n = float(rows.n_items[0])
    joint = joint_distribution(tables)
    found = summarise_many(
        _complete_rows(n * joint, rows), scale, models, by_items=by_items, ci=ci, level=level
    )
    left_out: dict[str, list[FloatArray]] = {name: [] for name in models}
    times = []
    for changed, occurs in without_one(tables):
        one_less = _complete_rows(
            (n - 1) * joint_distribution(changed, start=joint, tolerance=TOLERANCE_OF_ERRORS), rows
        )
        basics = basics_of(one_less, scale, by_items=by_items)
        for name, model in models.items():
            left_out[name].append(model(one_less, scale, basics).estimate[:, None])
        times.append(occurs)
    result = {}
    for name, summary in found.items():
        se = _jackknife_error(np.concatenate(left_out[name]), np.concatenate(times), n)
        of_all = with_standard_errors_of_many(
            summary, se, np.array([n]), name=name, ci=ci, level=level
        )
        result[name] = of_all._replace(n_items=plain[name].n_items, n_ratings=plain[name].n_ratings)
    return result


def _complete_rows(counts: FloatArray, rows: RatingRows) -> RatingRows:
    """Turn counts of complete rows, shape (B, K, ..., K), into rows of B groups."""
    n_sets, n_raters = len(counts), counts.ndim - 1
    grid = np.indices(counts.shape[1:], dtype=rows.codes.dtype).reshape(n_raters, -1)
    flat = counts.reshape(-1)
    keep = flat > 0
    return RatingRows(
        codes=np.tile(grid, n_sets)[:, keep],
        count=flat[keep],
        group=np.repeat(np.arange(n_sets), grid.shape[1])[keep],
        n_groups=n_sets,
        n_categories=rows.n_categories,
    )


def _jackknife_error(left_out: FloatArray, times: FloatArray, n: float) -> FloatArray:
    """Compute it from estimates with one item left out of each distinct row, shape (P,)."""
    mean = (times[:, None] * left_out).sum(axis=0) / n
    squares = (times[:, None] * (left_out - mean) ** 2).sum(axis=0)
    result: FloatArray = np.sqrt((n - 1) / n * squares)
    return result
