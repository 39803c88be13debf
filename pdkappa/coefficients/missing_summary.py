"""Figures of raters with missing ratings, from the joint distribution that EM estimates."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, TypeVar

import numpy as np

from pdkappa.coefficients.many_summary import (
    ManySummary,
    summarise_many,
    with_standard_errors_of_many,
)
from pdkappa.coefficients.missing import complete, joint_distribution, without_one
from pdkappa.coefficients.multirater import basics_of
from pdkappa.coefficients.pair_summary import Summary, summarise, with_standard_errors
from pdkappa.coefficients.pairwise import FEWEST_ITEMS, chance_corrected
from pdkappa.counts.core.pairs import count_pairs
from pdkappa.counts.core.rows import RatingRows

if TYPE_CHECKING:
    from collections.abc import Callable

    from pdkappa._typing import FloatArray, ObjectArray
    from pdkappa.coefficients.chance import Coefficient
    from pdkappa.coefficients.missing import Completions, Joint
    from pdkappa.coefficients.multirater import MultiraterModel
    from pdkappa.coefficients.weights import Scale
    from pdkappa.counts.core.pairs import PairCounts

NOT_CONVERGED, UNDEFINED_WITHOUT = "not_converged", "undefined_without"
AnySummary = TypeVar("AnySummary", Summary, ManySummary)


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

    Standard errors are those of the jackknife over items: one item is left out of each
    distinct row of ratings in turn, and the joint distribution estimated again. They are
    NaN where the coefficient is undefined without some item, and all figures are if the EM
    algorithm did not converge.

    Notes
    -----
    Where ratings are few for the number of categories and raters, the joint distribution
    hangs on single items, and these standard errors are on the large side.
    """
    if not rows.n_groups:
        return summarise(_counts(rows, pairs), scale, coefficient, ci=ci, level=level)
    parts = [
        _summarise_group(
            rows.select(rows.group == group),
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
    rows = replace(rows, group=np.zeros_like(rows.group), n_groups=1)
    n, n_pairs = rows.n_items[0], len(pairs)
    if n == 0:
        return summarise(_counts(rows, pairs), scale, coefficient, ci=ci, level=level)
    completions = complete(rows)
    joint = joint_distribution(completions)
    whole = _complete_rows(joint.completions, joint.shares[:, None], n)
    summary = summarise(_counts(whole, pairs), scale, coefficient, ci=ci, level=level)

    def estimates(data_sets: RatingRows) -> FloatArray:
        found = chance_corrected(_counts(data_sets, pairs), scale, coefficient).estimate
        return found.reshape(-1, n_pairs)

    se, converged = _jackknife(completions, joint, summary.estimate, estimates)
    summary = summary._replace(reason=_of_undefined(summary, se))
    if not converged:
        summary = _undetermined(summary)._replace(max_estimate=np.full(n_pairs, np.nan))
    units = np.full(n_pairs, n)
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
    those of `summarise_missing`.
    """
    if not rows.n_groups:
        return summarise_many(rows, scale, models, by_items=by_items, ci=ci, level=level)
    parts = [
        _many_of_group(
            rows.select(rows.group == group),
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
    n = rows.n_items
    if n[0] == 0:
        return plain
    completions = complete(rows)
    joint = joint_distribution(completions)
    whole = _complete_rows(joint.completions, joint.shares[:, None], n)
    found = summarise_many(whole, scale, models, by_items=by_items, ci=ci, level=level)

    def estimates(data_sets: RatingRows) -> FloatArray:
        basics = basics_of(data_sets, scale, by_items=by_items)
        each = [model(data_sets, scale, basics).estimate for model in models.values()]
        return np.stack(each, axis=1)

    of_all = np.concatenate([summary.estimate for summary in found.values()])
    errors, converged = _jackknife(completions, joint, of_all, estimates)
    se = dict(zip(found, errors[:, None], strict=True))
    for name, summary in found.items():
        known = summary._replace(reason=_of_undefined(summary, se[name]))
        found[name] = known if converged else _undetermined(summary)
    return {
        name: with_standard_errors_of_many(
            summary, se[name], n, name=name, ci=ci, level=level
        )._replace(n_items=plain[name].n_items, n_ratings=plain[name].n_ratings)
        for name, summary in found.items()
    }


def _complete_rows(
    completions: Completions, shares: FloatArray, n: FloatArray | float
) -> RatingRows:
    """Turn shares of complete rows, shape (C, B), of `n` items into rows of B groups."""
    rows, codes = completions.rows, completions.codes
    n_cells, n_sets = shares.shape
    count = (shares * n).T.reshape(-1)
    keep = count > 0
    return RatingRows(
        codes=np.tile(codes, n_sets)[:, keep],
        count=count[keep],
        group=np.repeat(np.arange(n_sets), n_cells)[keep],
        n_groups=n_sets,
        n_categories=rows.n_categories,
    )


def _counts(rows: RatingRows, pairs: list[tuple[int, int]]) -> PairCounts:
    """Count every pair of raters in every group of rows."""
    return count_pairs(
        rows.codes,
        rows.n_categories,
        pairs=pairs,
        groups=rows.group,
        n_groups=rows.n_groups,
        weights=rows.count,
    )


def _jackknife(
    completions: Completions,
    joint: Joint,
    of_all: FloatArray,
    estimates: Callable[[RatingRows], FloatArray],
) -> tuple[FloatArray, bool]:
    """Compute standard errors, shape (E,), and tell whether every distribution converged.

    One item is left out of each distinct row in turn. `of_all`, of shape (E,), are the
    estimates from all items; `estimates` gives those of each group of rows, shape (B, E).
    """
    count = joint.completions.rows.count
    n, unknown = count.sum(), np.full(of_all.shape, np.nan)
    if n < FEWEST_ITEMS or not joint.converged:
        return unknown, joint.converged
    changes = []
    for one in without_one(completions):
        if not one.converged:
            return unknown, False
        rows = _complete_rows(one.completions, one.shares, n - one.part)
        rows = replace(rows, codes=np.where(one.silent[:, rows.group], -1, rows.codes))
        changes.append((estimates(rows) - of_all) / one.part[:, None])
    change, times = np.concatenate(changes), count[:, None]
    mean = (times * change).sum(axis=0) / n
    variance = (n - 1) / n * (times * (change - mean) ** 2).sum(axis=0)
    return np.sqrt(variance), True


def _of_undefined(summary: AnySummary, se: FloatArray) -> ObjectArray:
    """Give the reason of errors, shape (E,), that are NaN, where there is no other."""
    alone = (summary.reason == "") | (summary.reason == "no_variance")
    return np.where(alone & np.isnan(se), UNDEFINED_WITHOUT, summary.reason)


def _undetermined(summary: AnySummary) -> AnySummary:
    """Take back the estimates that the EM algorithm did not come to."""
    unknown = np.full(summary.estimate.shape, np.nan)
    return summary._replace(
        observed_agreement=unknown,
        expected_agreement=unknown,
        estimate=unknown,
        se=unknown,
        reason=np.full(unknown.shape, NOT_CONVERGED, dtype=object),
    )
