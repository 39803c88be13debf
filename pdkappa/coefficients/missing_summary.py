"""Figures of raters with missing ratings, from the joint distribution that EM estimates."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from pdkappa.coefficients.figures import joined, with_standard_errors
from pdkappa.coefficients.many_summary import summarise_many
from pdkappa.coefficients.missing import complete, joint_distribution, without_one
from pdkappa.coefficients.multirater import basics_of
from pdkappa.coefficients.pair_summary import summarise, with_errors_of_pairs
from pdkappa.coefficients.pairwise import FEWEST_ITEMS, chance_corrected
from pdkappa.counts.core.pairs import count_pairs
from pdkappa.counts.core.rows import RatingRows

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from pdkappa._typing import FloatArray, ObjectArray
    from pdkappa.coefficients.chance import Coefficient
    from pdkappa.coefficients.figures import AnyFigures, PairFigures, RaterFigures
    from pdkappa.coefficients.missing import Completions, JointDistribution
    from pdkappa.coefficients.multirater import MultiraterModel
    from pdkappa.coefficients.weights import Scale
    from pdkappa.counts.core.pairs import PairCounts

NOT_CONVERGED, UNDEFINED_WITHOUT = "not_converged", "undefined_without"


def summarise_missing(
    rows: RatingRows,
    scale: Scale,
    coefficient: Coefficient,
    pairs: list[tuple[int, int]],
    *,
    ci: str,
    level: float,
    null: float = 0.0,
) -> PairFigures:
    """Estimate every pair of raters from all items, complete or not, in every group.

    Standard errors are those of the jackknife over items: one item is left out of each
    distinct row of ratings in turn, and the joint distribution estimated again. They are
    NaN where the coefficient is undefined without some item, and all figures are if the EM
    algorithm did not converge.

    Notes
    -----
    Where ratings are few for the number of categories and raters, the joint distribution
    depends on single items, and these standard errors are on the large side.
    """

    def of_group(rows: RatingRows, scale: Scale) -> PairFigures:
        def figures(rows: RatingRows) -> list[PairFigures]:
            counts = _counts(rows, pairs)
            return [summarise(counts, scale, coefficient, ci=ci, level=level, null=null)]

        def estimates(data_sets: RatingRows) -> FloatArray:
            found = chance_corrected(_counts(data_sets, pairs), scale, coefficient).estimate
            return found.reshape(-1, len(pairs))

        n = rows.n_items[0]
        if n == 0:
            return figures(rows)[0]
        [(found, se)] = _by_em(rows, figures, estimates)
        units = np.full(len(pairs), n)
        greatest = np.where(found.reason == NOT_CONVERGED, np.nan, found.max_estimate)
        found = replace(found, n_items=units, max_estimate=greatest)
        return with_errors_of_pairs(found, se, units, coefficient, ci=ci, level=level, null=null)

    if not rows.n_groups:
        return summarise(_counts(rows, pairs), scale, coefficient, ci=ci, level=level, null=null)
    return joined([of_group(*one) for one in _groups(rows, scale)])


def summarise_many_missing(
    rows: RatingRows,
    scale: Scale,
    models: dict[str, MultiraterModel],
    *,
    by_items: bool,
    ci: str,
    level: float,
    null: float = 0.0,
) -> dict[str, RaterFigures]:
    """Estimate coefficients of many raters from all items, complete or not.

    The coefficients are those of the joint distribution of all raters; standard errors are
    those of `summarise_missing`.
    """

    def of_group(rows: RatingRows, scale: Scale) -> list[RaterFigures]:
        def figures(rows: RatingRows) -> list[RaterFigures]:
            found = summarise_many(
                rows, scale, models, by_items=by_items, ci=ci, level=level, null=null
            )
            return list(found.values())

        def estimates(data_sets: RatingRows) -> FloatArray:
            basics = basics_of(data_sets, scale, by_items=by_items)
            each = [model(data_sets, scale, basics).estimate for model in models.values()]
            return np.stack(each, axis=1)

        n, n_ratings = rows.n_items, rows.total(rows.n_ratings)
        if n[0] == 0:
            return figures(rows)
        result = []
        for name, (found, se) in zip(models, _by_em(rows, figures, estimates), strict=True):
            given = replace(found, n_items=n, n_joint=n, n_ratings=n_ratings)
            tested = name != "percent" or null != 0
            result.append(
                with_standard_errors(given, se, n, tested=tested, ci=ci, level=level, null=null)
            )
        return result

    if not rows.n_groups:
        return summarise_many(rows, scale, models, by_items=by_items, ci=ci, level=level, null=null)
    groups = zip(*(of_group(*one) for one in _groups(rows, scale)), strict=True)
    return {name: joined(parts) for name, parts in zip(models, groups, strict=True)}


def _groups(rows: RatingRows, scale: Scale) -> Iterator[tuple[RatingRows, Scale]]:
    """Cut into groups, each with its scale."""
    for group in range(rows.n_groups):
        yield rows.as_one_group(rows.group == group), scale.take(np.array([group]))


def _by_em(
    rows: RatingRows,
    figures: Callable[[RatingRows], list[AnyFigures]],
    estimates: Callable[[RatingRows], FloatArray],
) -> list[tuple[AnyFigures, FloatArray]]:
    """Compute figures of one group from its joint distribution, with their standard errors.

    `figures` computes those of complete rows, and `estimates` the estimates alone, of each
    group of rows, shape (B, E).
    """
    completions = complete(rows)
    joint = joint_distribution(completions)
    found = figures(_complete_rows(joint.completions, joint.shares[:, None], rows.n_items[0]))
    of_all = np.concatenate([one.estimate for one in found])
    errors, converged = _jackknife(completions, joint, of_all, estimates)
    errors_of = np.split(errors, len(found))
    if not converged:
        found = [_undetermined(one) for one in found]
    return [
        (replace(one, reason=_of_undefined(one, se)), se)
        for one, se in zip(found, errors_of, strict=True)
    ]


def _complete_rows(completions: Completions, shares: FloatArray, n: float) -> RatingRows:
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
    joint: JointDistribution,
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


def _of_undefined(figures: AnyFigures, se: FloatArray) -> ObjectArray:
    """Give the reason of errors, shape (E,), that are NaN, where there is no other."""
    alone = (figures.reason == "") | (figures.reason == "no_variance")
    return np.where(alone & np.isnan(se), UNDEFINED_WITHOUT, figures.reason)


def _undetermined(figures: AnyFigures) -> AnyFigures:
    """Take back the estimates that the EM algorithm did not come to."""
    unknown = np.full(figures.estimate.shape, np.nan)
    return replace(
        figures,
        observed_agreement=unknown,
        expected_agreement=unknown,
        estimate=unknown,
        se=unknown,
        reason=np.full(unknown.shape, NOT_CONVERGED, dtype=object),
    )
