"""Chunks that were counted as pairs of raters -> counts."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from pdkappa.coefficients.pair_counts import PairCounts
from pdkappa.counts.cells import pairs_of, rows_of_labels
from pdkappa.counts.concat import settle, stack
from pdkappa.counts.tables import pair_tables
from pdkappa.errors import WeightsError
from pdkappa.ratings.coded import Counted

if TYPE_CHECKING:
    from collections.abc import Collection

    from pdkappa._typing import FloatArray, IntArray, Label
    from pdkappa.counts.cells import PairCells
    from pdkappa.counts.chunks import Chunk
    from pdkappa.counts.tables import PairTables
    from pdkappa.ratings.coded import Coded


@dataclass(frozen=True, kw_only=True)
class CountedPairs(Counted):
    """Distinct rows of ratings with their counts, and counts of pairs from other rows.

    Attributes
    ----------
    cells : PairCells
        The counts of pairs. Rows at the end of `frame` show which labels they are about.
    n_rows : int
        Number of the rows before these.
    places : ndarray of int, shape (M,)
        Row of `frame` of each label that a rater gave in a group.
    """

    cells: PairCells
    n_rows: int
    places: IntArray

    @property
    def given(self) -> dict[Label, float]:
        """Number of ratings of each rater, those of the rows and those that were counted."""
        _, rater, _ = self.cells.given
        counted = np.bincount(rater, self.cells.given_count, minlength=len(self.cells.raters))
        rows, counts = self.frame.iloc[: self.n_rows], self.counts[: self.n_rows]
        return {
            name: number + counts[rows[name].notna().to_numpy()].sum()
            for name, number in zip(self.cells.raters, counted.tolist(), strict=True)
        }


def as_counted(chunk: Chunk, weight: Label | None, declared: Collection[Label]) -> Counted:
    """Return distinct rows as the functions take them, with the labels of pairs below.

    The user gives the categories of `declared` columns, so that no order of their own matters.
    """
    _check_units(chunk.unit)
    if chunk.cells is None:
        rows = settle(chunk.frame.reset_index(drop=True), chunk.types, declared)
        return Counted(rows, chunk.weights, weight=weight)
    labels, places = rows_of_labels(chunk.cells)
    n_rows = len(chunk.frame)
    return CountedPairs(
        settle(stack([chunk.frame, labels[list(chunk.frame.columns)]]), chunk.types, declared),
        np.concatenate([chunk.weights, np.ones(len(labels))]),
        weight=weight,
        cells=chunk.cells,
        n_rows=n_rows,
        places=n_rows + places,
    )


def _check_units(units: FloatArray | None) -> None:
    """Refuse weights that count nothing; where they stand is not known any more."""
    wrong = np.zeros(0) if units is None else units[~np.isfinite(units) | (units < 0)]
    if len(wrong):
        message = (
            f"sample_weight must be finite and not negative, got {wrong[0]}. "
            "Set it to zero to leave it out."
        )
        raise WeightsError(message)


def counted_tables(coded: Coded, data: CountedPairs, *, with_itself: bool) -> PairTables:
    """Count all pairs of raters, those of the rows and those that were counted before."""
    is_row = np.asarray(coded.items) < data.n_rows
    found = pair_tables(coded.take(is_row), with_itself=with_itself)
    counted = _of_cells(coded, data, found.pairs)
    return replace(found, counts=found.counts + counted, in_use=coded.in_use, groups=coded.groups)


def _of_cells(coded: Coded, data: CountedPairs, pairs: list[tuple[int, int]]) -> PairCounts:
    """Give counts of pairs the numbers of the raters, groups and categories of all rows."""
    counts, n_raters = data.cells.counts, len(data.cells.raters)
    position = np.full(len(data.frame), -1, dtype=np.int64)  # -1: a row without a group
    position[np.asarray(coded.items)] = np.arange(len(coded.items))
    group, rater, code = data.cells.given
    kept = position[data.places]
    place = {name: number for number, name in enumerate(coded.raters)}
    new_rater = np.array([place.get(name, -1) for name in data.cells.raters], dtype=np.int64)
    known = (kept >= 0) & (new_rater[rater] >= 0)
    category = np.zeros((len(data.cells.groups), n_raters, counts.n_categories), dtype=np.int64)
    category[group[known], rater[known], code[known]] = coded.codes[
        new_rater[rater[known]], kept[known]
    ]
    new_group = np.full(len(data.cells.groups), -1, dtype=np.int64)
    of_item = coded.groups.of_item
    new_group[group[known]] = 0 if of_item is None else of_item[kept[known]]
    first, second = np.array(pairs_of(n_raters), dtype=np.int64).T
    old, pair = np.divmod(counts.table, len(first))
    number = {pair: place for place, pair in enumerate(pairs)}
    both = zip(new_rater[first].tolist(), new_rater[second].tolist(), strict=True)
    new_pair = np.array([number.get(one, -1) for one in both], dtype=np.int64)[pair]
    use = (new_group[old] >= 0) & (new_pair >= 0)
    old, pair, new_pair, k = old[use], pair[use], new_pair[use], len(coded.categories)
    row = category[old, first[pair], counts.row[use]]
    col = category[old, second[pair], counts.col[use]]
    keys = ((new_group[old] * len(pairs) + new_pair) * k + row) * k + col
    distinct, where = np.unique(keys, return_inverse=True)
    total = np.bincount(where, weights=counts.count[use]).astype(np.float64, copy=False)
    return PairCounts.from_keys(distinct, total, coded.n_groups * len(pairs), k)
