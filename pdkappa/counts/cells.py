"""Rows that hardly repeat -> how often each pair of raters gave each pair of ratings."""

from __future__ import annotations

from dataclasses import dataclass, replace
from itertools import combinations
from typing import TYPE_CHECKING

import numpy as np
import pandas as pd

from pdkappa.coefficients.pair_counts import PairCounts, add_up, count_pairs
from pdkappa.coefficients.rating_rows import LARGEST_KEY
from pdkappa.counts.concat import stack, stack_columns
from pdkappa.counts.distinct import code_values, number_rows

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from pdkappa._typing import CountArray, IntArray, Label


@dataclass(frozen=True)
class PairCells:
    """Counts of all pairs of R raters in G groups, each rater coded by their own labels.

    Attributes
    ----------
    groups : DataFrame, shape (G, ...)
        The groups, in order of first appearance, a row with missing values included; one
        row without columns if there are no groups.
    raters : list of column labels
        The R raters.
    labels : list of Series
        The distinct ratings of each rater, in order of first appearance.
    counts : PairCounts
        Tables of all pairs of raters, and then of each rater with themselves, group by group.
    """

    groups: pd.DataFrame
    raters: list[Label]
    labels: list[pd.Series]
    counts: PairCounts

    @property
    def given_count(self) -> CountArray:
        """How often each of `given` occurs, shape (M,)."""
        pair = self.counts.table % _n_pairs(len(self.raters))
        return self.counts.count[pair >= _n_pairs(len(self.raters)) - len(self.raters)]

    @property
    def given(self) -> tuple[IntArray, IntArray, IntArray]:
        """Group, rater and label of what occurs, each of shape (M,), sorted."""
        group, pair = np.divmod(self.counts.table, _n_pairs(len(self.raters)))
        rater = pair - _n_pairs(len(self.raters)) + len(self.raters)
        itself = rater >= 0
        return group[itself], rater[itself], self.counts.row[itself]


def pairs_of(n_raters: int) -> list[tuple[int, int]]:
    """List all pairs of raters, and each rater with themselves."""
    return [*combinations(range(n_raters), 2), *((rater, rater) for rater in range(n_raters))]


def _n_pairs(n_raters: int) -> int:
    """Count these pairs."""
    return n_raters * (n_raters + 1) // 2


def cells_of_rows(
    frame: pd.DataFrame, count: IntArray, raters: list[Label], *, largest: int = LARGEST_KEY
) -> PairCells | None:
    """Count the pairs of raters in rows, unless the tables might hold more than `largest` cells.

    `frame` holds the U distinct rows of ratings, whose columns that are no rater's define the
    groups, and `count` how often each occurs, shape (U,).
    """
    groups = frame[[name for name in frame.columns if name not in raters]]
    first, group = number_rows([code_values(groups[name]) for name in groups], len(frame))
    coded = [_labels_of(frame[name]) for name in raters]
    n_categories = max(len(labels) for _, labels in coded)
    if len(first) * _n_pairs(len(raters)) * n_categories**2 > largest:
        return None
    counts = count_pairs(
        np.stack([codes for codes, _ in coded]),
        n_categories,
        pairs=pairs_of(len(raters)),
        groups=group if len(first) > 1 else None,
        n_groups=len(first),
        weights=count.astype(np.float64),
    )
    return PairCells(groups.iloc[first], raters, [labels for _, labels in coded], counts)


def _labels_of(ratings: pd.Series) -> tuple[IntArray, pd.Series]:
    """Code the ratings of a rater by their first appearance; -1 is missing."""
    codes = code_values(ratings)
    rated = codes >= 0
    first, place = number_rows([codes[rated]], int(rated.sum()))
    result = np.full(len(codes), -1, dtype=np.int64)
    result[rated] = place
    return result, ratings[rated].iloc[first]


def add_cells(parts: Sequence[PairCells]) -> PairCells:
    """Add up the counts of parts of the rows, in the order of the rows."""
    if len(parts) == 1:
        return parts[0]
    raters, groups = parts[0].raters, stack([part.groups for part in parts])
    first, group = number_rows([code_values(groups[name]) for name in groups], len(groups))
    labels: list[pd.Series] = []
    codes: list[list[IntArray]] = [[] for _ in parts]  # of each part, an array for each rater
    for rater, name in enumerate(raters):
        found, known = _labels_of(stack_columns([part.labels[rater] for part in parts], name))
        labels.append(known)
        for own, cut in zip(
            codes, _cut(found, [part.labels[rater] for part in parts]), strict=True
        ):
            own.append(cut)
    n_categories = max(map(len, labels))
    of_parts = [
        _recoded(part.counts, place, own, n_categories)
        for part, place, own in zip(
            parts, _cut(group, [part.groups for part in parts]), codes, strict=True
        )
    ]
    counts = _summed(of_parts, len(first) * _n_pairs(len(raters)), n_categories)
    return PairCells(groups.iloc[first], raters, labels, counts)


def _summed(
    parts: Sequence[tuple[IntArray, CountArray]], n_tables: int, n_categories: int
) -> PairCounts:
    """Add up the counts of the cells of all parts, by their numbers."""
    keys, total = add_up(*(np.concatenate(arrays) for arrays in zip(*parts, strict=True)))
    return PairCounts.from_keys(keys, total.astype(np.float64), n_tables, n_categories)


def _cut(values: IntArray, like: Sequence[pd.Series | pd.DataFrame]) -> list[IntArray]:
    """Cut an array into parts of the lengths of others."""
    return np.split(values, np.cumsum([len(one) for one in like])[:-1])


def _recoded(
    counts: PairCounts, groups: IntArray, codes: Sequence[IntArray], n_categories: int
) -> tuple[IntArray, CountArray]:
    """Give the cells of a part the numbers of the groups and labels of all parts."""
    n_raters = len(codes)
    group, pair = np.divmod(counts.table, _n_pairs(n_raters))
    lookup = np.zeros((n_raters, counts.n_categories), dtype=np.int64)
    for own, row in zip(codes, lookup, strict=True):
        row[: len(own)] = own
    first, second = np.array(pairs_of(n_raters), dtype=np.int64).T
    table = groups[group] * _n_pairs(n_raters) + pair
    row, col = lookup[first[pair], counts.row], lookup[second[pair], counts.col]
    return (table * n_categories + row) * n_categories + col, counts.count


def rows_of_labels(cells: PairCells) -> tuple[pd.DataFrame, IntArray]:
    """Show each label that a rater gave in a group, at least once, as rows of ratings.

    Returns
    -------
    DataFrame
        A column for each rater and each column of the groups, and as many rows for a group as
        a rater has labels there; a rater with fewer repeats their first one.
    ndarray of int, shape (M,)
        The row of each of `PairCells.given`.
    """
    n_groups, n_raters = len(cells.groups), len(cells.raters)
    group, rater, code = cells.given
    place = group * n_raters + rater
    n_labels = np.bincount(place, minlength=n_groups * n_raters)
    slot = np.arange(len(place)) - (np.cumsum(n_labels) - n_labels)[place]
    n_rows = np.maximum(n_labels.reshape(n_groups, n_raters).max(axis=1), 1)
    rows = (np.cumsum(n_rows) - n_rows)[group] + slot
    codes = np.full((n_raters, n_rows.sum()), -1, dtype=np.int64)
    first = slot == 0
    starts = np.full((n_raters, n_groups), -1, dtype=np.int64)
    starts[rater[first], group[first]] = code[first]
    codes[:] = np.repeat(starts, n_rows, axis=1)
    codes[rater, rows] = code
    columns = {
        name: labels.reset_index(drop=True).reindex(own).reset_index(drop=True)
        for name, labels, own in zip(cells.raters, cells.labels, codes, strict=True)
    }
    groups = cells.groups.iloc[np.repeat(np.arange(n_groups), n_rows)].reset_index(drop=True)
    return pd.DataFrame({**columns, **{name: groups[name] for name in groups}}), rows


def cells_of_tables(
    raters: list[Label],
    alone: Sequence[tuple[pd.DataFrame, IntArray]],
    joint: Callable[[Label, Label], tuple[pd.DataFrame, IntArray]],
) -> PairCells:
    """Put together what was counted rater by rater, and pair by pair.

    `alone` has for each rater the distinct rows of the groups and their ratings, with their counts;
    `joint` gives the same for two raters, whose columns are the last ones.
    """
    groups = stack(
        [frame.drop(columns=name) for name, (frame, _) in zip(raters, alone, strict=True)]
    )
    first, _ = number_rows([code_values(groups[name]) for name in groups], len(groups))
    base = PairCells(
        groups.iloc[first],
        raters,
        [_labels_of(frame[name])[1] for name, (frame, _) in zip(raters, alone, strict=True)],
        PairCounts.from_tables(np.zeros((1, 1, 1))),
    )
    n_categories = max(map(len, base.labels))
    parts = []
    for number, (a, b) in enumerate(pairs_of(len(raters))):
        frame, count = alone[a] if a == b else joint(raters[a], raters[b])
        row, col = (_codes_like(frame[raters[rater]], base.labels[rater]) for rater in (a, b))
        table = _groups_like(frame, base.groups) * _n_pairs(len(raters)) + number
        keys = (table * n_categories + row) * n_categories + col
        both = (row >= 0) & (col >= 0)
        parts.append((keys[both], count[both]))
    n_tables = len(base.groups) * _n_pairs(len(raters))
    return replace(base, counts=_summed(parts, n_tables, n_categories))


def _codes_like(ratings: pd.Series, labels: pd.Series) -> IntArray:
    """Code the ratings of a rater by their labels, all of which are known; -1 is missing."""
    return _labels_of(stack_columns([labels, ratings], ratings.name))[0][len(labels) :]


def _groups_like(frame: pd.DataFrame, groups: pd.DataFrame) -> IntArray:
    """Find the group of each row, shape (U,)."""
    both = stack([groups, frame[list(groups.columns)]])
    return number_rows([code_values(both[name]) for name in both], len(both))[1][len(groups) :]
