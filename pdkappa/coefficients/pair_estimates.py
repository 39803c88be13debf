"""Counts of pairs -> every figure that is reported about a pair of raters."""

from __future__ import annotations

from dataclasses import dataclass, fields, replace
from functools import cached_property, partial
from itertools import chain
from typing import TYPE_CHECKING

import numpy as np

from pdkappa.coefficients.chance import (
    FEWEST_ITEMS,
    Agreement,
    Apart,
    Moments,
    agreement_at,
    chance_corrected,
    influence,
    point,
    smoothed,
    sums_of_scores,
)
from pdkappa.coefficients.guarded_limits import effective_number
from pdkappa.coefficients.influence import of_joint, standard_error
from pdkappa.coefficients.intervals import (
    INTERVALS,
    OF_ITEMS,
    Inference,
    PairFigures,
    agreeing_items,
    clustered,
    infer,
    outside,
    with_inference,
    with_pseudo_item,
    with_standard_errors,
)
from pdkappa.coefficients.pair_counts import sums_at
from pdkappa.coefficients.pair_kappas import least_disagreement
from pdkappa.coefficients.rating_rows import Clusters, RatingRows, repeated, taken
from pdkappa.coefficients.score_limits import design_effect, units_of_sizes, without_rounding
from pdkappa.coefficients.sparse_rows import joints, with_themselves
from pdkappa.coefficients.weights import PARTS, WEIGHTS, in_parts

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from pdkappa._typing import BoolArray, FloatArray, IntArray, ObjectArray
    from pdkappa.coefficients.chance import Coefficient
    from pdkappa.coefficients.intervals import Pivot
    from pdkappa.coefficients.pair_counts import PairCounts
    from pdkappa.coefficients.rating_rows import Rows
    from pdkappa.coefficients.weights import Scale

LARGEST_TABLE = 1 << 16
MOST_LAYERS = 64


def errors_of_pairs(
    rows: RatingRows,
    counts: PairCounts,
    scale: Scale,
    coefficient: Coefficient,
    pairs: Sequence[tuple[int, int]],
) -> tuple[FloatArray, FloatArray]:
    """Compute the standard errors of pairs of raters from the clusters of their joint items.

    Parameters
    ----------
    rows : RatingRows
        Rows of ratings in G groups, with clusters.
    counts : PairCounts
        The same ratings, counted for each of the P pairs: ``G * P`` tables, group by group.
    scale : Scale
    coefficient : Coefficient
    pairs : sequence of (int, int)
        The P pairs.

    Returns
    -------
    se, units : ndarray of float, shape (G * P,)
        Standard errors, and how many equal clusters they come from. A cluster without an item
        that both rated does not count.

    Notes
    -----
    The influence of an item is that of its cell in the table of the pair, which is computed
    once. See `pdkappa.coefficients.influence.standard_error` for the formula.
    """
    influence, n_pairs = _of_cells(counts, scale, coefficient), max(len(pairs), 1)
    places, found = _Places.of(rows), np.empty((2, counts.n_tables))
    order = np.argsort(counts.table % n_pairs, kind="stable")
    last = np.cumsum(np.bincount(counts.table % n_pairs, minlength=n_pairs))
    each = np.split(order, last[:-1])[: len(pairs)]  # there may be none
    for p, (pair, own) in enumerate(zip(pairs, each, strict=True)):
        cells = (counts.table[own] // n_pairs, counts.row[own], counts.col[own])
        found[:, p::n_pairs] = places.errors(pair, places.values(pair, cells, influence[own]))
    return without_rounding(found[0]), found[1]


def errors_of_joint(
    rows: Rows,
    n_tables: int,
    scale: Scale,
    coefficient: Coefficient,
    pairs: Sequence[tuple[int, int]],
) -> tuple[FloatArray, FloatArray]:
    """Compute the same from the joint items of many pairs at once."""
    found, cluster = np.full((2, n_tables), np.nan), np.asarray(rows.cluster)
    number = np.array(pairs, dtype=np.int64).reshape(-1, 2) @ (rows.n_raters, 1)
    order = np.argsort(number)
    n_clusters = int(cluster.max(initial=0)) + 1
    themselves = [with_themselves(rows)] if any(one == other for one, other in pairs) else []
    for joint in chain(joints(rows), themselves):
        own = joint.rows.with_rows(
            cluster=joint.rows.group * n_clusters + cluster[joint.places],
            spread=None if rows.spread is None else rows.spread[joint.places],
        )
        of_items = of_joint(joint, scale.take(joint.group), coefficient, own.n_items)
        key = joint.raters[0] * rows.n_raters + joint.raters[1]
        kept = np.isin(key, number)  # of the others too few items are shared
        table = joint.group[kept] * len(pairs)
        table += order[np.searchsorted(number, key[kept], sorter=order)]
        of_pairs = np.stack([standard_error(own, of_items.influence), own.units])
        found[:, table] = of_pairs[:, kept]
    return without_rounding(found[0]), np.nan_to_num(found[1])


def _of_cells(counts: PairCounts, scale: Scale, coefficient: Coefficient) -> FloatArray:
    """Compute the influence of each cell on the coefficient of its table, shape (C,)."""
    found = [np.empty(0)]
    for tables, block in counts.blocks():
        own = scale.of_tables(tables, counts.n_tables)
        apart = own.between(block.table, block.row, block.col)
        at = point(block, apart, own, coefficient)
        found.append(influence(at, block, apart, at.n))
    return np.concatenate(found)


@dataclass(frozen=True)
class _Places:
    """Rated rows, with what all pairs of raters need of their clusters."""

    rows: RatingRows
    clusters: Clusters
    layers: IntArray  # number of clusters with a first row, with a second, ...

    @staticmethod
    def of(rows: RatingRows) -> _Places:
        """Sort the rated rows by their place in their cluster, and large clusters first.

        The first rows of all clusters then stand together, as do the second ones, and so on.
        """
        cluster = np.asarray(rows.cluster)
        order = np.argsort(cluster, kind="stable")
        order = order[rows.n_ratings[order] > 0]
        start = np.flatnonzero(np.diff(cluster[order], prepend=-1))
        length = np.diff(start, append=len(order))
        by_length = np.argsort(-length, kind="stable")
        rank = np.empty_like(by_length)
        rank[by_length] = np.arange(len(by_length))
        layer = np.arange(len(order)) - np.repeat(start, length)
        place = np.repeat(rank, length)
        again = np.argsort(layer * len(start) + place)
        order, place = order[again], place[again]
        rows, rated = rows.select(order), np.ones(len(order), dtype=bool)
        size = sums_at(place, rows.count, len(start))
        spread = size if rows.spread is None else sums_at(place, rows.spread, len(start))
        clusters = Clusters(rated, place, rows.group[: len(start)], size, spread)
        return _Places(rows, clusters, np.bincount(layer)[:MOST_LAYERS])

    def total(self, values: FloatArray) -> FloatArray:
        """Sum a value of each row over its cluster, shape (M,): layers are quick to add."""
        rest = int(self.layers.sum())
        place = self.clusters.place[rest:]
        sums = np.zeros(len(self.clusters.size))
        sums += np.bincount(place, weights=values[rest:], minlength=len(sums))
        start = 0
        for n in self.layers:
            sums[:n] += values[start : start + n]
            start += n
        return sums

    @cached_property
    def count(self) -> FloatArray | None:
        """Number of items of each row in units, shape (U,), if they are not one item each."""
        return None if (self.rows.count == 1).all() else self.rows.count / self.rows.unit

    @cached_property
    def memory(self) -> FloatArray:
        """Room for a value of each row, shape (U,), which is slow to get once a pair."""
        return np.empty(len(self.rows.group))

    @cached_property
    def complete(self) -> BoolArray:
        """Whether a rater rated every row, shape (R,)."""
        return np.logical_and.reduce(self.rows.codes >= 0, axis=1)

    @cached_property
    def of_all(self) -> tuple[FloatArray, FloatArray]:
        """What `_weights` says of pairs of raters who rated every row."""
        return self._weights(self.clusters.size, self.clusters.spread)

    @cached_property
    def codes(self) -> tuple[IntArray, IntArray] | None:
        """Row and column of each rating in a table for each group, if these are small.

        Missing ratings stand in a row and column after all others. Few bytes are quick to add.
        """
        rows, levels = self.rows, self.rows.n_categories + 1
        size = rows.n_groups * levels**2
        if size > LARGEST_TABLE:
            return None
        col = rows.codes.astype(np.min_scalar_type(size))
        if not self.complete.all():
            col[rows.codes < 0] = rows.n_categories
        return (rows.group.astype(col.dtype) * levels + col) * levels, col

    def values(
        self, pair: tuple[int, int], cells: tuple[IntArray, ...], influence: FloatArray
    ) -> FloatArray:
        """Look up the influence of each row among that of cells: their groups, rows, columns.

        Rows that a rater of the pair did not rate have none.
        """
        rows, k, (first, second) = self.rows, self.rows.n_categories, pair
        if self.codes is not None:
            table = np.zeros((rows.n_groups, k + 1, k + 1))
            table[cells] = influence
            at = self.codes[0][first] + self.codes[1][second]
            return np.take(table, at, out=self.memory, mode="clip")
        joint = np.flatnonzero((rows.codes[[first, second]] >= 0).all(axis=0))
        at = (rows.group[joint], rows.codes[first, joint], rows.codes[second, joint])
        keys, wanted = ((g.astype(np.int64) * k + row) * k + col for g, row, col in (cells, at))
        values = np.zeros(len(rows.group))
        values[joint] = influence[np.searchsorted(keys, wanted)]
        return values

    def errors(self, pair: tuple[int, int], values: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Compute the standard error of a pair from the influence of each row, and its units."""
        rows, clusters = self.rows, self.clusters
        weight, units = self.of_all
        if not self.complete[list(pair)].all():
            joint = (rows.codes[list(pair)] >= 0).all(axis=0)
            size = self.total(rows.count * joint)
            spread = size if rows.spread is None else self.total(rows.spread * joint)
            weight, units = self._weights(size, spread)
        if self.count is not None:
            values *= self.count
        with np.errstate(invalid="ignore"):  # a single cluster
            sums = self.total(values) * weight
        squares = np.array([sums @ sums])  # many times faster than a sum for each group
        if rows.n_groups > 1:
            squares = np.bincount(clusters.group, weights=sums**2, minlength=rows.n_groups)
        return np.where(units > 1, np.sqrt(squares), np.nan), units

    def _weights(self, size: FloatArray, spread: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Say what clusters of some sizes count, shape (M,), and how many they are worth, (G,)."""
        group, n_groups = self.clusters.group, self.rows.n_groups
        n = np.bincount(group, weights=size, minlength=n_groups)[group]
        with np.errstate(divide="ignore", invalid="ignore"):  # a single cluster, or none
            weight = (1 if self.count is None else self.rows.unit) / n / np.sqrt(1 - size / n)
        weight = np.where(size < n, weight, 0.0)  # no error of a single cluster
        return weight, units_of_sizes(size, spread, group, n_groups)


MOST_PROGRAMMES = 1000  # linear programmes for the greatest agreement, some 2 ms each
INFERENCE = frozenset({"ci_low", "ci_high", "z", "p_value", "reason"})
ERRORS = ("se", "se_null", "se_fisher_z")
ON_FISHER_Z = frozenset({"centre", "se_fisher_z"})
OF_MOMENTS = frozenset({"n_items", "observed_agreement", "expected_agreement", "estimate"})
EXACT, EXACT_AS_INTEGERS = 1 << 53, 1 << 62  # whole numbers that floats, or integers, can hold
FEWEST_CELLS = 150  # raters by categories from which moments beat counts if ratings are missing


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
    counts: PairCounts, scale: Scale, coefficient: Coefficient, of_block: Callable[..., PairFigures]
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


def of_moments(
    codes: IntArray, sides: IntArray, scale: Scale, coefficient: Coefficient
) -> PairFigures | None:
    """Estimate pairs of raters without counting: quadratic weights of whole scores.

    What is not of `OF_MOMENTS` is NaN.

    Parameters
    ----------
    codes : ndarray of int, shape (R, N)
        The category of each rating, -1 where there is none.
    sides : ndarray of int, shape (2, P)
        The first and the second rater of each pair.
    scale : Scale
        One for all of them.

    Returns
    -------
    PairFigures or None
        None for other weights, for a coefficient that needs more, for scores that are neither
        evenly spaced nor in `PARTS`, or whose sums may be rounded, and where counting is quicker.
    """
    expected = coefficient.of_moments
    if expected is None or scale.weighting is not WEIGHTS["quadratic"] or not codes.size:
        return None
    scores, (first, second) = scale.scores[0], sides
    if len(codes) * len(scores) < FEWEST_CELLS and codes.min() < 0:
        return None
    whole = _whole(scores)
    if whole is None:
        return None
    scores, n_items = whole - np.floor(whole[0] / 2 + whole[-1] / 2), codes.shape[1]
    largest = min(np.sqrt(EXACT / n_items), np.sqrt(EXACT_AS_INTEGERS) / (2 * n_items))
    if np.abs(scores).max() > largest:
        return None
    scale = replace(scale, scores=scores[None])  # another unit changes nothing
    n, score, square, product = (one.astype(np.int64) for one in sums_of_scores(codes, scores))
    (x, xx), (y, yy) = ((score[pair], square[pair]) for pair in ((first, second), (second, first)))
    at = Moments(n[first, second], x, y, xx, yy, product[first, second])
    with np.errstate(divide="ignore", invalid="ignore"):  # no items
        observed = at.observed
        of_chance, share = expected(at, scale), observed / scale.largest
        apart = Apart(at.n.astype(np.float64), observed, of_chance, share, at.is_constant)
    return _figures(agreement_at(apart, scale, coefficient), scale, coefficient)


def _whole(scores: FloatArray) -> FloatArray | None:
    """Return scores in a unit in which they are whole: codes, which are quick to sum, if even."""
    whole = next((x for n in PARTS if (x := in_parts(scores, n)) is not None), None)
    known = scores if whole is None else whole
    gaps = known[1:] - known[:-1]
    return np.arange(float(len(scores))) if (gaps == gaps[:1]).all() else whole


def _figures(
    agreement: Agreement, scale: Scale, coefficient: Coefficient, **known: FloatArray
) -> PairFigures:
    """Put an agreement into figures; what is not `known` beside is NaN."""
    shape = agreement.estimate.shape
    unknown = np.full(shape, np.nan)
    figures = {
        "n_items": agreement.n_items,
        "n_categories": np.full(shape, scale.n_categories),
        "observed_agreement": agreement.observed,
        "expected_agreement": agreement.expected,
        "estimate": agreement.estimate,
        "se": agreement.se,
        "se_null": agreement.se_null,
        "lowest": np.full(shape, coefficient.lowest(scale)),
        "n_agreeing": agreeing_items(scale, agreement.n_items, agreement.observed),
        "reason": _reasons(agreement, scale),
    }
    return PairFigures(**dict.fromkeys(EVERY_FIGURE, unknown) | figures | known)


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
    centre = se_fisher_z = greatest = np.full(agreement.estimate.shape, np.nan)
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
    figures = _figures(
        agreement,
        scale,
        coefficient,
        centre=centre,
        se_fisher_z=se_fisher_z,
        max_estimate=np.where(agreement.is_fixed, agreement.estimate, greatest),
        effective_disagreements=_effective_disagreements(counts, agreement),
        share_outside=outside((row + col) / 2, scale),
    )
    if not needed & INFERENCE:
        return figures
    pivot = INTERVALS[ci](agreement, counts, scale, coefficient)
    found = infer(pivot, figures.estimate, figures.lowest, level=level, null=null)
    return with_inference(figures, found, tested=coefficient.tested or null != 0)


def _effective_disagreements(counts: PairCounts, agreement: Agreement) -> FloatArray:
    """Count the disagreements of each table, shape (S,): see `effective_number`."""
    apart = agreement.apart
    of_cells = counts.count * apart
    number = effective_number(counts.sum(of_cells), counts.sum(of_cells * apart)) * counts.unit
    return np.where(agreement.n_items > 0, number, np.nan)


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
    effect = design_effect(se, figures.se, figures.n_items, units)
    effective = figures.effective_disagreements / np.fmax(effect, 1.0)
    figures = replace(figures, effective_disagreements=effective)
    figures = with_errors_of_pairs(figures, se, units, coefficient, ci=ci, level=level, null=null)
    if ci not in OF_ITEMS:
        return figures

    def nested(tables: IntArray, agreement: Agreement, block: PairCounts, own: Scale) -> Pivot:
        errors = (figures.se[tables], agreement.se, agreement.n_items, units[tables])
        return clustered(OF_ITEMS[ci](agreement, block, own, coefficient), *errors)

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
