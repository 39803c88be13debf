"""Counts -> every figure that is reported about a pair of raters."""

from __future__ import annotations

from dataclasses import fields, replace
from functools import partial
from itertools import chain
from typing import TYPE_CHECKING

import numpy as np

from pdkappa.coefficients.attainable import least_disagreement
from pdkappa.coefficients.clustered_pairs import errors_of_joint, errors_of_pairs
from pdkappa.coefficients.figures import PairFigures, with_inference, with_standard_errors
from pdkappa.coefficients.intervals import (
    INTERVALS,
    Inference,
    auto,
    clustered,
    infer,
    with_pseudo_item,
)
from pdkappa.coefficients.pairwise import FEWEST_ITEMS, Agreement, chance_corrected, smoothed
from pdkappa.counts.core.repeated import repeated, taken
from pdkappa.counts.core.rows import RatingRows

if TYPE_CHECKING:
    from collections.abc import Callable

    from pdkappa._typing import FloatArray, IntArray, ObjectArray
    from pdkappa.coefficients.chance import Coefficient
    from pdkappa.coefficients.intervals import Pivot
    from pdkappa.coefficients.weights import Scale
    from pdkappa.counts.core.base_rows import Rows
    from pdkappa.counts.core.pairs import PairCounts

MOST_PROGRAMMES = 1000  # linear programmes for the greatest agreement, some 2 ms each
INFERENCE = frozenset({"ci_low", "ci_high", "z", "p_value", "reason"})
ERRORS = ("se", "se_null", "se_fisher_z")
ON_FISHER_Z = frozenset({"centre", "se_fisher_z"})


EVERY_FIGURE = frozenset(field.name for field in fields(PairFigures))


def summarise(
    counts: PairCounts,
    scale: Scale,
    coefficient: Coefficient,
    *,
    ci: str,
    level: float,
    null: float = 0.0,
    needed: frozenset[str] = EVERY_FIGURE,
) -> PairFigures:
    """Estimate every table, in blocks that fit in memory.

    The tables lie group by group, and have one scale, or one for each group. `needed` are the
    fields that are read: limits, what is on Fisher's z scale and the greatest estimate cost
    more than all the others together, and are NaN where they are not needed.
    """
    few = counts.n_tables <= MOST_PROGRAMMES
    of_block = partial(
        _summarise_block, ci=ci, level=level, null=null, needed=needed, programmes=few
    )
    if not few:
        tables = np.arange(counts.n_tables)
        own = scale.of_tables(tables, counts.n_tables)
        kinds = [one for one in (own.scores, own.in_use) if len(one) > 1]
        known = repeated(counts, kinds)
        if known is not None:
            distinct, scale = taken(counts, known.first), own.take(known.first)
            return _of_blocks(distinct, scale, coefficient, of_block).at(known.number)
    return _of_blocks(counts, scale, coefficient, of_block)


def _of_blocks(
    counts: PairCounts,
    scale: Scale,
    coefficient: Coefficient,
    of_block: Callable[..., PairFigures],
) -> PairFigures:
    """Estimate the tables block by block."""
    parts = (
        of_block(block, scale.of_tables(tables, counts.n_tables), coefficient)
        for tables, block in counts.blocks()
    )
    first = next(parts)
    if len(first.estimate) == counts.n_tables:
        return first
    whole = {name: np.empty(counts.n_tables, one.dtype) for name, one in vars(first).items()}
    start = 0
    for part in chain([first], parts):
        stop = start + len(part.estimate)
        for name, values in vars(part).items():
            whole[name][start:stop] = values
        start = stop
    return replace(first, **whole)


def _summarise_block(
    counts: PairCounts,
    scale: Scale,
    coefficient: Coefficient,
    *,
    ci: str,
    level: float,
    null: float,
    needed: frozenset[str],
    programmes: bool,
) -> PairFigures:
    """Estimate the tables of one block."""
    agreement, (row, col) = chance_corrected(counts, scale, coefficient), counts.margins()
    unknown = centre = se_fisher_z = greatest = np.full(agreement.estimate.shape, np.nan)
    if needed & ON_FISHER_Z:
        centre, se_fisher_z = _on_fisher_z(agreement, counts, scale, coefficient)
    if "max_estimate" in needed:
        least = least_disagreement(counts, scale, programmes=programmes)
        with np.errstate(divide="ignore", invalid="ignore"):
            # Expected disagreement is a share of the largest one, the least in units of the scale.
            greatest = 1 - least / ((1 - agreement.expected) * scale.largest)
        # It is between the estimate and 1, though not always in floats.
        greatest = np.minimum(
            np.where(greatest < agreement.estimate, agreement.estimate, greatest), 1
        )
    figures = PairFigures(
        n_items=agreement.n_items,
        n_categories=np.broadcast_to(scale.n_categories, agreement.n_items.shape),
        observed_agreement=agreement.observed,
        expected_agreement=agreement.expected,
        estimate=agreement.estimate,
        se=agreement.se,
        se_null=agreement.se_null,
        ci_low=unknown,
        ci_high=unknown,
        z=unknown,
        p_value=unknown,
        centre=centre,
        se_fisher_z=se_fisher_z,
        max_estimate=np.where(agreement.is_fixed, agreement.estimate, greatest),
        lowest=np.broadcast_to(coefficient.lowest(scale), agreement.n_items.shape),
        share_outside=1 - (row + col).max(axis=1, initial=0) / 2,
        reason=_reasons(agreement, scale),
    )
    if not needed & INFERENCE:
        return figures
    pivot = INTERVALS[ci](agreement, counts, scale, coefficient)
    found = infer(pivot, figures.estimate, figures.lowest, level=level, null=null)
    return with_inference(figures, found, tested=coefficient.tested or null != 0)


def with_clusters(
    figures: PairFigures,
    rows: Rows,
    counts: PairCounts,
    scale: Scale,
    coefficient: Coefficient,
    *,
    pairs: list[tuple[int, int]],
    ci: str,
    level: float,
    null: float = 0.0,
) -> PairFigures:
    """Replace every figure that assumes independent items by one that counts clusters.

    Standard errors come from influence values summed over clusters; limits and tests have the
    degrees of freedom of the clusters.
    """
    if isinstance(rows, RatingRows):
        se, units = errors_of_pairs(rows, counts, scale, coefficient, pairs)
    else:
        se, units = errors_of_joint(rows, counts.n_tables, scale, coefficient, pairs)
    figures = with_errors_of_pairs(figures, se, units, coefficient, ci=ci, level=level, null=null)
    if ci != "auto":
        return figures

    def nested(tables: IntArray, agreement: Agreement, block: PairCounts, own: Scale) -> Pivot:
        errors = (figures.se[tables], agreement.se, agreement.n_items, units[tables])
        return clustered(auto(agreement, block, own, coefficient), *errors)

    return _inferred_anew(figures, counts, scale, coefficient, nested, level=level, null=null)


def with_population(
    figures: PairFigures,
    counts: PairCounts,
    scale: Scale,
    coefficient: Coefficient,
    left: FloatArray,
    *,
    ci: str,
    level: float,
    null: float = 0.0,
) -> PairFigures:
    """Correct every standard error, limit and test for the part of the items that is left.

    `left`, of shape (S,), is what variances are multiplied by.
    """

    def corrected(tables: IntArray, agreement: Agreement, block: PairCounts, own: Scale) -> Pivot:
        return INTERVALS[ci](agreement, block, own, coefficient).worth(left[tables])

    errors = {name: getattr(figures, name) * np.sqrt(left) for name in ERRORS}
    figures = replace(figures, **errors)
    return _inferred_anew(figures, counts, scale, coefficient, corrected, level=level, null=null)


def _inferred_anew(
    figures: PairFigures,
    counts: PairCounts,
    scale: Scale,
    coefficient: Coefficient,
    pivot_of: Callable[[IntArray, Agreement, PairCounts, Scale], Pivot],
    *,
    level: float,
    null: float,
) -> PairFigures:
    """Replace limits and tests by those of other pivots, in blocks that fit in memory."""
    parts = []
    for tables, block in counts.blocks():
        own = scale.of_tables(tables, counts.n_tables)
        agreement = chance_corrected(block, own, coefficient)
        pivot, lowest = pivot_of(tables, agreement, block, own), figures.lowest[tables]
        parts.append(infer(pivot, agreement.estimate, lowest, level=level, null=null))
    found = Inference(*(np.concatenate(each) for each in zip(*parts, strict=True)))
    return with_inference(figures, found, tested=coefficient.tested or null != 0)


def with_errors_of_pairs(
    figures: PairFigures,
    se: FloatArray,
    units: FloatArray,
    coefficient: Coefficient,
    *,
    ci: str,
    level: float,
    null: float = 0.0,
) -> PairFigures:
    """Replace the standard errors of pairs of raters, and every figure that comes from them.

    The parameters are those of `with_standard_errors`.
    """
    tested = coefficient.tested or null != 0
    figures = with_standard_errors(figures, se, units, tested=tested, ci=ci, level=level, null=null)
    se = figures.se
    centre, centre_se = with_pseudo_item(figures.estimate, se, units, figures.worst)
    return replace(
        figures,
        se_null=np.where((se > 0) & coefficient.tested, se, np.nan),
        centre=centre,
        se_fisher_z=_of_fisher_z(centre_se, centre),
    )


def _on_fisher_z(
    agreement: Agreement, counts: PairCounts, scale: Scale, coefficient: Coefficient
) -> tuple[FloatArray, FloatArray]:
    """Estimate, and standard error of its Fisher's z: ``se / (1 - estimate**2)``.

    Where the standard error is zero, as under perfect agreement, both are those of the
    smoothed table: no group of items is known without error.
    """
    centre, se = agreement.estimate, agreement.se
    exact = se == 0
    if exact.any():
        found = smoothed(counts, scale, coefficient)
        centre, se = np.where(exact, found[0], centre), np.where(exact, found[1], se)
    return centre, _of_fisher_z(se, centre)


def _of_fisher_z(se: FloatArray, estimate: FloatArray) -> FloatArray:
    """Carry a standard error over to Fisher's z, which exists between -1 and 1 only."""
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.where(np.abs(estimate) < 1, se / (1 - estimate**2), np.nan)


def _reasons(agreement: Agreement, scale: Scale) -> ObjectArray:
    """Say why a figure is NaN; empty text where none is.

    Chance itself is unknown on a scale of one category, and to alpha where there is no
    second rating to draw.
    """
    alone = np.isnan(agreement.expected) & (scale.n_categories > 1)
    reason = np.full(agreement.estimate.shape, "", dtype=object)
    reason[agreement.is_fixed] = "constant_rater"
    reason[agreement.n_items < FEWEST_ITEMS] = "n_lt_2"
    reason[np.isnan(agreement.estimate) & ~alone] = "constant_ratings"
    reason[agreement.n_items == 0] = "no_joint_items"
    return reason
