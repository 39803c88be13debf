"""Confusion tables and long counts -> distinct rows of ratings with their counts."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
import pandas as pd

from pdkappa.coefficients.pair_counts import PairCounts, count_pairs
from pdkappa.coefficients.rating_rows import ListedRows, RatingRows
from pdkappa.coefficients.sparse_rows import count_listed, tables_of
from pdkappa.errors import (
    LookalikeLabelsWarning,
    RatingsError,
    TooLargeError,
    WeightsError,
    listing,
    shown,
    warn,
)
from pdkappa.ratings.categories import declared_set
from pdkappa.ratings.coded import Counted
from pdkappa.ratings.columns import numbers_of, plain_label
from pdkappa.ratings.counted_chunks import pairs_of, rows_of_labels, settle, stack
from pdkappa.ratings.items import check_weights

if TYPE_CHECKING:
    from collections.abc import Collection

    import numpy.typing as npt

    from pdkappa._typing import BoolArray, Categories, FloatArray, IntArray, Label
    from pdkappa.coefficients.sparse_rows import JointCells
    from pdkappa.ratings.categories import CategorySet
    from pdkappa.ratings.coded import Coded
    from pdkappa.ratings.counted_chunks import Chunk, PairCells
    from pdkappa.ratings.items import Groups
    from pdkappa.ratings.long_ratings import CodedList

ALONE = np.array([[0], [1]])  # the sides of a single pair


@dataclass(frozen=True)
class RaterPairs:
    """P pairs of raters in G groups, and the names of everything in them."""

    raters: list[Label]  # the R raters
    # The first and the second rater of each pair, as positions among the raters, (2, P).
    sides: IntArray
    categories: CategorySet  # the K categories
    in_use: BoolArray  # the categories on the scale of each group, (G, K) or (1, K)
    groups: Groups  # the G groups
    # Whether only pairs that share an item in some group are there, and meant.
    only_joint: bool = False
    n_dropped: int = 0  # number of pairs (in groups) that were counted and not kept

    @property
    def n_groups(self) -> int:
        """G; 1 where the items are not grouped."""
        return self.groups.n

    @cached_property
    def pairs(self) -> list[tuple[int, int]]:
        """The P pairs of raters; of a crowd they take more room than their counts."""
        first, second = self.sides.tolist()
        return list(zip(first, second, strict=True))

    @property
    def n_pairs(self) -> int:
        """P."""
        return self.sides.shape[1]


@dataclass(frozen=True)
class PairTables(RaterPairs):
    """The same with how often each pair gave each two categories."""

    counts: PairCounts = field(kw_only=True)  # G x P tables, group by group

    @classmethod
    def of_joint(cls, coded: Coded | CodedList, cells: JointCells, unit: float = 1.0) -> PairTables:
        """Make the tables of the pairs that share items of their cells."""
        sides, counts = tables_of(cells, len(coded.raters), coded.n_groups, len(coded.categories))
        return cls(
            coded.raters,
            sides,
            coded.categories,
            coded.in_use,
            coded.groups,
            only_joint=True,
            n_dropped=cells.n_dropped,
            counts=replace(counts, unit=unit),
        )

    def joint(self) -> PairTables:
        """Leave out pairs that share no item in any group."""
        group, pair = np.divmod(self.counts.table, max(self.n_pairs, 1))
        known, place = np.unique(pair, return_inverse=True)
        table = group * len(known) + place
        counts = replace(self.counts, table=table, n_tables=self.n_groups * len(known))
        return replace(self, counts=counts, sides=self.sides[:, known], only_joint=True)

    @property
    def n_meant(self) -> int:
        """Number of pairs, in each group if there are groups, that there is something to say of."""
        n_tables = self.n_groups * self.n_pairs
        shown = int((self.counts.total > 0).sum()) if self.only_joint else n_tables
        return shown + self.n_dropped

    def sharing(self, n_items: float) -> PairTables:
        """Leave out pairs that share fewer items than that in every group."""
        total = (self.counts.total * self.counts.unit).reshape(self.n_groups, self.n_pairs)
        kept: BoolArray = np.logical_or.reduce(total >= n_items, axis=0)
        if kept.all():
            return self
        group, pair = np.divmod(self.counts.table, self.n_pairs)
        cells = np.flatnonzero(kept[pair])
        table = group[cells] * kept.sum() + (np.cumsum(kept) - 1)[pair[cells]]
        counts = self.counts.of_cells(cells, table, self.n_groups * int(kept.sum()))
        return replace(self, counts=counts, sides=self.sides[:, kept])

    def of_pair(self, pair: int) -> PairTables:
        """Return the tables of one pair in all groups, over the categories of all raters."""
        counts, own = self.counts, self._cells_of_pairs[pair]
        return replace(
            self,
            counts=counts.of_cells(own, counts.table[own] // self.n_pairs, self.n_groups),
            raters=[self.raters[rater] for rater in self.sides[:, pair]],
            sides=ALONE,
        )

    def of_groups(self, who: IntArray) -> PairTables:
        """Return the table of one pair of each group, raters ``who[:, g]``; -1 is nobody."""
        counts = self.counts
        group, pair = np.divmod(counts.table, max(self.n_pairs, 1))
        own = np.flatnonzero((self.sides[:, pair] == who[:, group]).all(axis=0))
        counts = counts.of_cells(own, group[own], self.n_groups)
        return replace(self, counts=counts, raters=self.raters[:2], sides=ALONE)

    @cached_property
    def _cells_of_pairs(self) -> list[IntArray]:
        """The places of the cells of each pair, in all groups."""
        pair = self.counts.table % self.n_pairs
        order = np.argsort(pair, kind="stable")
        return np.split(order, np.searchsorted(pair[order], np.arange(1, self.n_pairs)))

    def select(self, group: int, pair: int) -> PairTables:
        """Return the table of one pair in one group, over the categories in use there."""
        number = group * self.n_pairs + pair
        used = self.in_use[group if len(self.in_use) > 1 else 0]
        dense = self.counts.only(number)[np.ix_(used, used)]
        return PairTables(
            counts=replace(PairCounts.from_tables(dense[None]), unit=self.counts.unit),
            raters=[self.raters[rater] for rater in self.sides[:, pair]],
            sides=ALONE,
            categories=self.categories.restricted_to(used),
            in_use=np.ones((1, int(used.sum())), dtype=bool),
            groups=self.groups.alone(group),
        )


LARGEST_EXACT = 2.0**53
SMALLEST_NORMAL = 1e-290


def rater_pairs(coded: Coded, *, with_itself: bool = False) -> RaterPairs:
    """List all pairs of raters, and if asked for, each rater with itself after all other pairs."""
    place = np.arange(len(coded.raters))
    sides = np.array(np.nonzero(place[:, None] < place))
    if with_itself:
        sides = np.concatenate([sides, np.array([place, place])], axis=1)
    return RaterPairs(coded.raters, sides, coded.categories, coded.in_use, coded.groups)


def pair_tables(
    coded: Coded, *, with_itself: bool = False, known: PairTables | None = None
) -> PairTables:
    """Count the pairs of `rater_pairs`, of which the first may be known."""
    listed = rater_pairs(coded, with_itself=with_itself)
    weights, unit = in_units(coded.weights)
    n_known = 0 if known is None else known.n_pairs
    counts = count_pairs(
        coded.codes,
        len(coded.categories),
        pairs=list(zip(*listed.sides[:, n_known:].tolist(), strict=True)),
        groups=coded.groups.of_item,
        n_groups=coded.n_groups,
        weights=weights,
    )
    counts = replace(counts, unit=unit)
    if known is not None:
        counts = _beside(known.counts, counts, coded.n_groups)
    return PairTables(**vars(listed), counts=counts)


def _beside(known: PairCounts, more: PairCounts, n_groups: int) -> PairCounts:
    """Put more pairs behind those that are known, group by group."""
    n_pairs, n_tables = known.n_tables // n_groups, known.n_tables + more.n_tables
    group, pair = np.divmod(more.table, more.n_tables // n_groups)
    table = np.concatenate(
        [
            known.table + known.table // n_pairs * (more.n_tables // n_groups),
            group * (n_tables // n_groups) + n_pairs + pair,
        ]
    )
    order = np.argsort(table, kind="stable")
    row, col, count = (
        np.concatenate([getattr(one, name) for one in (known, more)])[order]
        for name in ("row", "col", "count")
    )
    return replace(known, table=table[order], row=row, col=col, count=count, n_tables=n_tables)


def in_units(weights: FloatArray | None) -> tuple[FloatArray | None, float]:
    """Divide weights whose sums would lose digits by a power of two, the unit, which is exact."""
    if weights is not None and len(weights):
        largest, smallest = float(weights.max()), float(weights.min())
        if largest > LARGEST_EXACT or smallest < SMALLEST_NORMAL:
            unit = float(np.ldexp(1.0, np.frexp(largest)[1] - 1))
            return weights / unit, unit
    return weights, 1.0


def rating_rows(coded: Coded) -> RatingRows:
    """Turn coded ratings into rows with counts, for the coefficients of many raters."""
    return RatingRows(coded.codes, **_of_items(coded, len(coded.categories)))


def rated_rows(coded: Coded) -> RatingRows:
    """Turn ratings into rows that say who rated, with a single category."""
    return RatingRows(coded.held.rated.view(np.int8) - np.int8(1), **_of_items(coded, 1))


def _of_items(coded: Coded, n_categories: int) -> dict[str, Any]:
    """Return what rows of items have beside their ratings."""
    group, n_items = coded.groups.of_item, len(coded.items)
    return {
        "count": np.ones(n_items) if coded.weights is None else coded.weights,
        "group": np.zeros(n_items, dtype=np.int64) if group is None else group,
        "n_groups": coded.n_groups,
        "n_categories": n_categories,
        "cluster": coded.clusters,
        "spread": coded.spread,
    }


MOST_CELLS = (1 << 63) - 1


def listed_rows(coded: CodedList) -> ListedRows:
    """Turn listed ratings into rows with counts, for the coefficients of many raters."""
    listed = coded.item, coded.rater, coded.codes[0], len(coded.raters)
    return ListedRows(*listed, **_of_items(coded, len(coded.categories)))


def listed_tables(coded: CodedList, *, with_itself: bool = False) -> PairTables:
    """Count the pairs of raters who share items."""
    n_raters, n_categories = len(coded.raters), len(coded.categories)
    n_cells = (n_raters * max(n_categories, 1)) ** 2 * coded.n_groups
    if n_cells > MOST_CELLS:
        raise TooLargeError(
            f"The pairs of {n_raters} raters have {n_cells} cells of {n_categories} categories, "
            "more than can be numbered. Round the ratings or merge categories."
        )
    weights, unit = in_units(coded.weights)
    cells = count_listed(listed_rows(coded), weights, with_itself=with_itself)
    return PairTables.of_joint(coded, cells, unit)


@dataclass(frozen=True, kw_only=True)
class CountedPairs(Counted):
    """Distinct rows of ratings with their counts, and counts of pairs from other rows."""

    # The counts of pairs. Rows at the end of `frame` show which labels they are about.
    cells: PairCells
    n_rows: int  # number of the rows before these
    places: IntArray  # row of `frame` of each label that a rater gave in a group, (M,)
    unit: ClassVar[str] = ""  # pairs of ratings, of items that nobody counted

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
        raise WeightsError(
            f"sample_weight must be finite and not negative, got {wrong[0]}. "
            "Set it to zero to leave it out."
        )


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


FEWEST_WITH_MARGINS = 3
MOST_RATINGS = 10_000


def read_table(
    table: npt.ArrayLike | pd.DataFrame, *, categories: Categories | Iterator[Label] | None = None
) -> Counted:
    """Read a contingency table of two raters, shape (K, K).

    Its labels are the declared categories; they are ordered if they are numbers or the
    index is an ordered `CategoricalIndex`.
    """
    if isinstance(categories, Iterator):
        categories = list(categories)
    if not isinstance(table, pd.DataFrame):
        table = _labelled(_matrix_of_counts(table), categories)
    _check_axes(table)
    counts = _counts(table, "table")
    if _has_margins(counts):
        warn(
            f"The last row and column of the table, {shown(table.index[-1])}, are the sums of the "
            "others, as margins are. Nothing was changed.",
            LookalikeLabelsWarning,
        )
    place = {label: number for number, label in enumerate(table.index)}
    rows, cols = np.divmod(np.arange(table.size), len(table.columns))
    cols = np.array([place[label] for label in table.columns], dtype=np.int64)[cols]
    frame = pd.DataFrame(dict(enumerate(_as_categoricals([rows, cols], table.index))))
    frame.columns = pd.Index(_names_of_raters(table), tupleize_cols=False)
    return Counted(frame, counts.reshape(-1), categories)


def read_counts(counts: object, *, categories: Categories | None = None) -> Counted:
    """Read how many raters put each item into each category, shape (N, K).

    The ratings of an item are put side by side in no order.
    """
    if not isinstance(counts, pd.DataFrame):
        raise RatingsError(
            f"counts must be a DataFrame with a column for each category, got {shown(counts)}. "
            "Pass pandas.DataFrame(counts, columns=categories)."
        )
    _check_labels(counts.columns, "counts", "columns")
    times = _numbers_of_ratings(counts)
    width = max(int(times.sum(axis=1).max(initial=0)), 2)
    slots = np.arange(width)
    codes = np.full((len(times), width), -1)
    place = np.cumsum(times, axis=1)
    for category in range(times.shape[1]):
        before = place[:, category] - times[:, category]
        codes[(slots >= before[:, None]) & (slots < place[:, [category]])] = category
    columns = _as_categoricals(list(codes.T), counts.columns)
    frame = pd.DataFrame(dict(enumerate(columns)), index=counts.index)
    return Counted(frame, np.ones(len(frame)), categories, anonymous=True)


def _numbers_of_ratings(counts: pd.DataFrame) -> IntArray:
    """Return how often each item got each category, shape (N, K)."""
    values = _counts(counts, "counts")
    if (values != np.floor(values)).any():
        row, col = np.argwhere(values != np.floor(values))[0]
        raise WeightsError(
            f"counts must be whole numbers of ratings, got {values[row, col]} in row "
            f"{shown(counts.index[row])}, column {shown(counts.columns[col])}. "
            "Count each rating once."
        )
    most = values.sum(axis=1).max(initial=0)
    if most > MOST_RATINGS:
        raise TooLargeError(
            f"counts has an item with {most:g} ratings; the limit is {MOST_RATINGS}. "
            "Divide them by a constant."
        )
    return values.astype(np.int64)


def _as_categoricals(codes: list[IntArray], labels: pd.Index) -> list[pd.Categorical]:
    """Turn places on an axis into categories; they are ordered if its index is."""
    ordered = isinstance(labels, pd.CategoricalIndex) and bool(labels.ordered)
    if isinstance(labels, pd.CategoricalIndex):
        place = np.append(labels.codes, -1)
        codes, labels = [place[one] for one in codes], labels.categories
    dtype = pd.CategoricalDtype(labels, ordered=ordered)
    return [pd.Categorical.from_codes(one, dtype=dtype) for one in codes]


def _labelled(values: FloatArray, categories: Categories | None) -> pd.DataFrame:
    """Label a bare array with the categories in the order given, or with 0 to K - 1."""
    labels: pd.Index = pd.RangeIndex(len(values))
    if categories is not None:
        k = len(declared_set(categories))
        if k != len(values):
            raise RatingsError(
                f"table has shape {values.shape}, but there are {k} categories. "
                "Give it a row and a column for each category, used or not."
            )
        labels = pd.Index(list(map(plain_label, categories)), tupleize_cols=False)
    return pd.DataFrame(values, index=labels, columns=labels)


def _matrix_of_counts(table: object) -> FloatArray:
    """Return an array of counts with two axes."""
    values = numbers_of(table, "table", WeightsError)
    if values.ndim != 2:  # noqa: PLR2004
        raise RatingsError(
            f"table must have two axes, got {values.ndim}. "
            "Give it a row and a column for each category."
        )
    if len(values) != values.shape[1]:
        raise RatingsError(
            f"table has shape {values.shape}, but needs as many rows as columns. "
            "Give it a row and a column for each category, used or not."
        )
    return values


def _check_axes(table: pd.DataFrame) -> None:
    """Make sure that rows and columns have the same categories."""
    _check_labels(table.index, "table", "rows")
    _check_labels(table.columns, "table", "columns")
    if len(table.index) != len(table.columns) or not table.index.isin(table.columns).all():
        raise RatingsError(
            f"table must have the same categories in rows and columns, got {listing(table.index)} "
            f"and {listing(table.columns)}. Add the unused ones with table.reindex."
        )


def _check_labels(axis: pd.Index, option: str, name: str) -> None:
    """Make sure that the labels of an axis can be categories."""
    if axis.nlevels > 1:
        raise RatingsError(
            f"{option} has {axis.nlevels} levels in its {name}, but categories have one. "
            f"Select one group at a time, as {option}.loc[group]."
        )
    if axis.hasnans:
        raise RatingsError(
            f"{option} has a missing label in its {name}, which is never a category. "
            "Drop it, as with pandas.crosstab(..., dropna=True)."
        )
    if not axis.is_unique:
        raise RatingsError(
            f"{option} names {listing(axis[axis.duplicated()])} twice in its {name}. "
            "Name each category once."
        )


def _counts(table: pd.DataFrame, option: str) -> FloatArray:
    """Return the counts, finite and not negative, in the shape of the table."""
    counts = numbers_of(table, option, WeightsError)
    wrong = np.argwhere(~np.isfinite(counts) | (counts < 0))
    if len(wrong):
        row, col = wrong[0]
        raise WeightsError(
            f"{option} must hold finite counts, not negative, got {counts[row, col]} in row "
            f"{shown(table.index[row])}, column {shown(table.columns[col])}. "
            "Where there is no item, the count is 0."
        )
    return check_weights(counts.reshape(-1), option, counts.size).reshape(counts.shape)


def _has_margins(counts: FloatArray) -> bool:
    """Whether the last row and column are the sums of the others."""
    if len(counts) < FEWEST_WITH_MARGINS or not counts.any():
        return False
    inner = counts[:-1, :-1]
    rows = np.array_equal(counts[:-1, -1], inner.sum(axis=1))
    return rows and np.array_equal(counts[-1], counts[:-1].sum(axis=0))


def _names_of_raters(table: pd.DataFrame) -> list[Label]:
    """Name the raters after the axes of the table."""
    names = [table.index.name, table.columns.name]
    if None in names or names[0] == names[1]:
        return ["rater_a", "rater_b"]
    return names
