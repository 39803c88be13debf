"""Chunks that were counted as pairs of raters -> counts."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from pdkappa.counts.cells import pairs_of, rows_of_labels
from pdkappa.counts.concat import settle, stack
from pdkappa.counts.core.pairs import PairCounts
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
    counted = _of_cells(coded, data, len(found.pairs))
    return replace(found, counts=found.counts + counted, in_use=coded.in_use, groups=coded.groups)


def _of_cells(coded: Coded, data: CountedPairs, n_pairs: int) -> PairCounts:
    """Give counts of pairs the numbers of the groups and categories of all rows."""
    counts, n_raters = data.cells.counts, len(data.cells.raters)
    position = np.full(len(data.frame), -1, dtype=np.int64)  # -1: a row without a group
    position[np.asarray(coded.items)] = np.arange(len(coded.items))
    group, rater, code = data.cells.given
    kept = position[data.places]
    known = kept >= 0
    category = np.zeros((len(data.cells.groups), n_raters, counts.n_categories), dtype=np.int64)
    category[group[known], rater[known], code[known]] = coded.codes[rater[known], kept[known]]
    new_group = np.full(len(data.cells.groups), -1, dtype=np.int64)
    of_item = coded.groups.of_item
    new_group[group[known]] = 0 if of_item is None else of_item[kept[known]]
    first, second = np.array(pairs_of(n_raters), dtype=np.int64).T
    old, pair = np.divmod(counts.table, len(first))
    use = (new_group[old] >= 0) & (pair < n_pairs)
    old, pair, k = old[use], pair[use], len(coded.categories)
    row = category[old, first[pair], counts.row[use]]
    col = category[old, second[pair], counts.col[use]]
    keys = ((new_group[old] * n_pairs + pair) * k + row) * k + col
    distinct, where = np.unique(keys, return_inverse=True)
    total = np.bincount(where, weights=counts.count[use]).astype(np.float64, copy=False)
    return PairCounts.from_keys(distinct, total, coded.n_groups * n_pairs, k)
