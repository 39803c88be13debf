"""Samples of items of a few kinds, and their coefficients when the kinds are counted anew."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Protocol

import numpy as np

from pdkappa.coefficients.multirater import Basics
from pdkappa.coefficients.pairwise import corrected_for_chance
from pdkappa.coefficients.within_items import disagreement_within
from pdkappa.counts.core.pairs import BLOCK, PairCounts
from pdkappa.counts.core.rows import RatingRows

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from pdkappa._typing import FloatArray, IntArray
    from pdkappa.coefficients.chance import Coefficient
    from pdkappa.coefficients.multirater import MultiraterModel
    from pdkappa.coefficients.weights import Scale

LARGEST_WHOLE = 2.0**53


def has_whole_counts(counts: PairCounts | RatingRows) -> bool:
    """Whether the items can be drawn: their weights are whole numbers, or clusters are drawn."""
    if isinstance(counts, RatingRows) and counts.cluster is not None:
        return True
    if isinstance(counts, PairCounts) and counts.unit != 1:
        return False
    whole = bool((counts.count == np.rint(counts.count)).all())
    return whole and float(counts.count.sum()) <= LARGEST_WHOLE


def estimates_only(counts: PairCounts, scale: Scale, coefficient: Coefficient) -> FloatArray:
    """Estimate a coefficient without its standard errors, shape (S,).

    The estimates are those of `pdkappa.coefficients.pairwise.chance_corrected`, bit by bit; cells
    without items are allowed.
    """
    apart = scale.between(counts.table, counts.row, counts.col)
    with np.errstate(divide="ignore", invalid="ignore"):  # no items
        observed = counts.sum(counts.shares * apart)
        n = counts.total * counts.unit
        return _corrected(observed, counts.margins(), n, scale, coefficient)


def by_content(rows: RatingRows) -> RatingRows:
    """Sort rows by their ratings, and clusters by their rows: where they stood is forgotten."""
    codes = np.where(rows.codes < 0, np.int64(rows.n_categories), rows.codes)
    order = np.lexsort((rows.count, *codes[::-1]))
    rows, codes = rows.select(order), codes[:, order]
    if rows.cluster is None or not len(order):
        return rows
    differ = (np.diff(codes) != 0).any(axis=0) | (np.diff(rows.count) != 0)
    kind = np.append(0, np.cumsum(differ)).astype(">i8")
    order = np.argsort(rows.cluster, kind="stable")
    _, first, place = np.unique(rows.cluster[order], return_index=True, return_inverse=True)
    contents = [part.tobytes() for part in np.split(kind[order], first[1:])]
    number = np.empty(len(first), dtype=np.int64)
    number[sorted(range(len(first)), key=contents.__getitem__)] = np.arange(len(first))
    rows = replace(rows.select(order), cluster=number[place])
    return rows.select(np.argsort(number[place], kind="stable"))


class Sample(Protocol):
    """Independent units of a few kinds, and M coefficients of them."""

    @property
    def times(self) -> IntArray:
        """Number of units of each kind, shape (U,)."""
        ...

    @property
    def cells(self) -> int:
        """Numbers held for each resample."""
        ...

    def estimates(self, draws: IntArray) -> FloatArray:
        """Compute the coefficients, shape (B, M), of B draws of counts, shape (B, U)."""
        ...

    def left_out(self) -> FloatArray:
        """Compute the coefficients without one unit of each kind, shape (U, M)."""
        ...

    def pulls(self) -> FloatArray:
        """Return how a unit of each kind moves the coefficients, up to a factor, (U, M)."""
        ...


@dataclass(frozen=True)
class PairSample:
    """The items of one table; `rest` others were not rated by both raters."""

    counts: PairCounts
    scale: Scale
    coefficient: Coefficient
    rest: int = 0

    @property
    def times(self) -> IntArray:
        """Items of each cell, and last those not rated by both, if any."""
        extra = [self.rest] if self.rest else []
        return np.concatenate([self.counts.count, np.array(extra, dtype=np.int64)])

    @property
    def cells(self) -> int:
        """Cells of the table, or categories."""
        return max(len(self.counts.count) + 1, self.counts.n_categories)

    def estimates(self, draws: IntArray) -> FloatArray:
        """Take the draws for so many tables."""
        n_draws, n_cells = len(draws), len(self.counts.count)
        tables = replace(
            self.counts,
            table=np.repeat(np.arange(n_draws), n_cells),
            row=np.tile(self.counts.row, n_draws),
            col=np.tile(self.counts.col, n_draws),
            count=draws[:, :n_cells].ravel(),
            n_tables=n_draws,
        )
        return estimates_only(tables, self.scale, self.coefficient)[:, None]

    def left_out(self) -> FloatArray:
        """Change the margins by one item instead of counting every table anew."""
        counts, n = self.counts, float(self.counts.count.sum())
        apart = self.scale.between(counts.table, counts.row, counts.col)
        margins = [
            np.bincount(category, weights=counts.count, minlength=counts.n_categories)
            for category in (counts.row, counts.col)
        ]
        result = np.empty(len(self.times))
        result[len(apart) :] = estimates_only(counts, self.scale, self.coefficient)
        observed = ((counts.count * apart).sum() - apart) / (n - 1)
        for block in blocks_of(len(apart), counts.n_categories):
            rows = np.arange(len(apart))[block] - block.start
            row, col = (np.repeat(margin[None], len(rows), axis=0) for margin in margins)
            row[rows, counts.row[block]] -= 1
            col[rows, counts.col[block]] -= 1
            with np.errstate(divide="ignore", invalid="ignore"):  # a single item
                result[block] = _corrected(
                    observed[block],
                    (row / (n - 1), col / (n - 1)),
                    np.full(len(rows), n - 1),
                    self.scale,
                    self.coefficient,
                )
        return result[:, None]

    def pulls(self) -> FloatArray:
        """Jackknife values, centred; those that are 0/0 pull nowhere."""
        values, times = self.left_out(), self.times[:, None]
        defined = ~np.isnan(values)
        kept = np.where(defined, values, 0.0)
        mean = (times * kept).sum(axis=0) / np.maximum((times * defined).sum(axis=0), 1)
        return np.where(defined, mean - kept, 0.0)


@dataclass(frozen=True)
class RowSample:
    """Rows of ratings of one group, by kinds or in clusters."""

    rows: RatingRows
    scale: Scale
    models: Sequence[MultiraterModel]
    basics: Basics
    unit: IntArray
    times: IntArray

    @classmethod
    def of(
        cls, rows: RatingRows, scale: Scale, models: Sequence[MultiraterModel], *, by_items: bool
    ) -> RowSample:
        """Find what is drawn, and what no draw changes."""
        if rows.cluster is None:
            unit, times = np.arange(len(rows.count)), np.rint(rows.count).astype(np.int64)
            rows = replace(rows, count=np.ones(len(times)))
        else:
            unit = np.unique(rows.cluster, return_inverse=True)[1]
            times = np.ones(int(unit.max()) + 1, dtype=np.int64)
        nothing = np.empty(0)
        basics = Basics(
            rows.n_ratings > 1, nothing, nothing, disagreement_within(rows, scale), by_items
        )
        return cls(rows, scale, models, basics, unit, times)

    @property
    def cells(self) -> int:
        """Ratings, or categories of every rater."""
        n_raters, n_rows = self.rows.codes.shape
        return n_raters * max(n_rows, self.rows.n_categories + 1)

    def estimates(self, draws: IntArray) -> FloatArray:
        """Take the draws for so many groups."""
        rows, basics, _ = self._drawn(draws)
        with np.errstate(divide="ignore", invalid="ignore"):  # undefined
            return np.stack([model(rows, self.scale, basics).estimate for model in self.models], 1)

    def left_out(self) -> FloatArray:
        """Count all other units of each kind anew."""
        found = []
        for block in blocks_of(len(self.times), self.cells):
            draws = np.repeat(self.times[None], block.stop - block.start, axis=0)
            draws[np.arange(len(draws)), np.arange(block.start, block.stop)] -= 1
            found.append(self.estimates(draws))
        return np.concatenate(found)

    def pulls(self) -> FloatArray:
        """Influence values, summed over the rows of a cluster."""
        rows, basics, hit = self._drawn(self.times[None])
        weight, unit = self.rows.count[hit], self.unit[hit]
        result = np.empty((len(self.times), len(self.models)))
        for number, model in enumerate(self.models):
            with np.errstate(divide="ignore", invalid="ignore"):  # undefined
                influence = np.nan_to_num(model(rows, self.scale, basics).influence)
            result[:, number] = np.bincount(
                unit, weights=weight * influence, minlength=len(self.times)
            )
        return result

    def _drawn(self, draws: IntArray) -> tuple[RatingRows, Basics, IntArray]:
        """Rows of every draw as a group, what is known of them, and which rows they are."""
        drawn = draws[:, self.unit]
        group, hit = np.nonzero(drawn)
        rows = replace(
            self.rows,
            codes=self.rows.codes[:, hit],
            count=self.rows.count[hit] * drawn[group, hit],
            group=group,
            n_groups=len(draws),
            cluster=None,
            spread=None,
        )
        paired = self.basics.paired[hit]
        basics = self.basics._replace(
            paired=paired,
            n_items=rows.n_items,
            n_paired=rows.total(paired),
            apart=self.basics.apart[hit],
        )
        return rows, basics, hit


def _corrected(
    observed: FloatArray,
    margins: tuple[FloatArray, FloatArray],
    n: FloatArray,
    scale: Scale,
    coefficient: Coefficient,
) -> FloatArray:
    """Correct observed disagreement for chance, shape (S,)."""
    row, col = margins
    expected = coefficient.chance(row, col, scale, n).expected
    ratio = observed / np.where((n > 0) & (expected > 0), expected, np.nan)
    return corrected_for_chance(ratio, row, col, coefficient)[0]


def blocks_of(n: int, cells: int) -> list[slice]:
    """Cut what takes so many cells each into blocks that fit in memory."""
    step = max(1, BLOCK // max(cells, 1))
    return [slice(start, min(start + step, n)) for start in range(0, n, step)]


@dataclass(frozen=True)
class TotalsSample:
    """Units whose totals decide M coefficients, so that no unit is looked at again.

    Attributes
    ----------
    values : ndarray of float, shape (U, T)
        What a unit of each kind adds to the totals.
    times : ndarray of int, shape (U,)
        Number of units of each kind.
    of_totals : callable
        Coefficients, shape (B, M), of totals of shape (B, T).
    """

    values: FloatArray
    times: IntArray
    of_totals: Callable[[FloatArray], FloatArray]

    @property
    def cells(self) -> int:
        """Kinds of units."""
        return len(self.times)

    def estimates(self, draws: IntArray) -> FloatArray:
        """Take the totals of the draws."""
        return self.of_totals(draws.astype(np.float64) @ self.values)  # BLAS takes no integers

    def left_out(self) -> FloatArray:
        """Take one unit of each kind from the totals."""
        return self.of_totals(self.times @ self.values - self.values)

    def pulls(self) -> FloatArray:
        """Return how the coefficients change without a unit, against their mean."""
        values = self.left_out()
        mean: FloatArray = self.times @ np.nan_to_num(values) / self.times.sum()
        return np.nan_to_num(mean - values)
