"""Chunks of ratings -> their distinct rows with how often each occurs, which add up.

Distinct rows stand in the order of their first appearance, which does not depend on how the
rows are cut into chunks. What is counted chunk by chunk is therefore what the whole frame gives.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from itertools import combinations
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from pdkappa.coefficients.pair_counts import PairCounts, add_up, count_pairs
from pdkappa.coefficients.rating_rows import LARGEST_KEY
from pdkappa.errors import (
    CategoryError,
    RatingTypeError,
    TooLargeError,
    WeightsError,
    listing,
    shown,
)
from pdkappa.ratings.columns import (
    code_without_hashing,
    factorize,
    is_plain,
    numbers_of,
    plain_values,
    with_sets,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Sequence

    from pdkappa._typing import Add, CountArray, FloatArray, IntArray, Label

Types = dict[Any, list[pd.CategoricalDtype]]


def stack(frames: Sequence[pd.DataFrame]) -> pd.DataFrame:
    """Put frames of the same columns one below the other, each column of one type.

    Categoricals that differ become one without an order; see `settle`.
    """
    n_rows, names = sum(map(len, frames)), frames[0].columns
    columns = {
        place: stack_columns([frame.iloc[:, place] for frame in frames], name)
        for place, name in enumerate(names)
    }
    return pd.DataFrame(columns, index=pd.RangeIndex(n_rows)).set_axis(names, axis=1)


def stack_columns(columns: Sequence[pd.Series], name: Label) -> pd.Series:
    """Put columns one below the other, Categoricals with the categories of all."""
    filled = [column for column in columns if len(column)] or list(columns[:1])
    if len({str(column.dtype) for column in filled}) == 1 and not _is_categorical(filled[0]):
        return pd.concat(filled, ignore_index=True)
    if {column.dtype.kind for column in filled} == {"i", "u"}:  # or they would become floats
        filled = [column.astype("uint64" if (column >= 0).all() else object) for column in filled]
    if any(map(_is_categorical, filled)):
        filled = _with_one_set_of_categories(filled, name)
    return pd.concat(filled, ignore_index=True)


def _is_categorical(column: pd.Series) -> bool:
    """Whether a column brings its categories."""
    return isinstance(column.dtype, pd.CategoricalDtype)


def _with_one_set_of_categories(columns: list[pd.Series], name: Label) -> list[pd.Series]:
    """Give all chunks of a Categorical the same categories; an empty one takes them too."""
    known: list[Any] = [column.dtype for column in columns if _is_categorical(column)]
    others = [column for column in columns if not (_is_categorical(column) or column.isna().all())]
    if others:
        raise RatingTypeError(
            f"Column {shown(name)} is a Categorical in one part of the data and holds "
            f"{others[0].dtype} in another. Convert all parts to the same type."
        )
    same = all(
        dtype == known[0] and dtype.categories.equals(known[0].categories) for dtype in known
    )
    dtype = known[0] if same else _without_order(known)
    return [column.astype(dtype) for column in columns]


def _without_order(types: Sequence[pd.CategoricalDtype]) -> pd.CategoricalDtype:
    """Return the categories of all, in order of first appearance, which means nothing."""
    categories = dict.fromkeys(label for dtype in types for label in dtype.categories.tolist())
    return pd.CategoricalDtype(list(categories), ordered=False)


def types_of(frame: pd.DataFrame) -> Types:
    """Return the types of the columns that are Categoricals, if there is any row."""
    categorical = frame.dtypes[[isinstance(dtype, pd.CategoricalDtype) for dtype in frame.dtypes]]
    return {name: [dtype] for name, dtype in categorical.items()} if len(frame) else {}


def add_types(parts: Sequence[Types]) -> Types:
    """Gather the orders of each column, each once, and the categories of those without one."""
    result: Types = {}
    for name in dict.fromkeys(name for part in parts for name in part):
        types = [dtype for part in parts for dtype in part.get(name, [])]
        unordered = [dtype for dtype in types if not dtype.ordered]
        orders = dict.fromkeys(dtype for dtype in types if dtype.ordered)
        result[name] = [*orders, *([_without_order(unordered)] if unordered else [])]
    return result


def settle(frame: pd.DataFrame, types: Types, declared: Collection[Label] = ()) -> pd.DataFrame:
    """Give each Categorical the one order that is that of all its parts.

    All parts have to be known by then: whether an order holds all others does not depend on
    how they were grouped. `types` are those that each column has in the parts; of `declared`
    columns the user gives the categories, so that no order of their own matters.
    """
    return frame.astype(
        {
            name: _settled(known, name, is_declared=name in declared)
            for name, known in types.items()
            if isinstance(frame.dtypes[name], pd.CategoricalDtype)
        }
    )


def stack_all(frames: Sequence[pd.DataFrame], declared: Collection[Label] = ()) -> pd.DataFrame:
    """Put all parts of a frame one below the other, each Categorical with its one order."""
    return settle(stack(frames), add_types([types_of(frame) for frame in frames]), declared)


def _settled(
    types: list[pd.CategoricalDtype], name: Label, *, is_declared: bool
) -> pd.CategoricalDtype:
    """Return the longest order if it holds all others, or all categories if there is none."""
    longest = max(types, key=lambda dtype: (bool(dtype.ordered), len(dtype.categories)))
    if not longest.ordered:
        return _without_order(types)
    for other in types:
        known = longest.categories.isin(other.categories)
        if other.ordered and longest.categories[known].tolist() == other.categories.tolist():
            continue
        if is_declared:
            return _without_order(types)
        none = "" if other.ordered else " without an order"
        raise CategoryError(
            f"Column {shown(name)} is an ordered Categorical with different categories in two "
            f"parts of the data: {listing(longest.categories)} against "
            f"{listing(other.categories)}{none}. Give all parts one order with "
            ".cat.set_categories(..., ordered=True), or pass categories=[...]."
        )
    return longest


def code_values(values: pd.Series) -> IntArray:
    """Give each distinct value of a column a number from 0 up, shape (N,); -1 is missing."""
    if isinstance(values.dtype, pd.CategoricalDtype):
        return values.cat.codes.to_numpy()
    coded = code_without_hashing(plain_values(values))
    if coded is not None:
        return coded[0]
    values = with_sets(values, f"Column {shown(values.name)}")
    codes = factorize(values, f"Column {shown(values.name)}")[0]
    if not is_plain(values) or values.dtype != object:
        return codes
    if pd.api.types.infer_dtype(values, skipna=True).startswith("mixed"):
        # True is the same label as 1; that both occur is told by who codes the ratings.
        is_bool = np.array([isinstance(value, bool | np.bool_) for value in values])
        return np.where(codes < 0, codes, 2 * codes + is_bool)
    return codes


def number_rows(codes: Sequence[IntArray], n_rows: int) -> tuple[IntArray, IntArray]:
    """Give each distinct row of some columns of codes a number, in order of first appearance.

    Return where each of the U distinct rows stands first, shape (U,), and the number of each row,
    shape (N,). Codes are at least -1.
    """
    key, n_keys = np.zeros(n_rows, dtype=np.int64), 1
    for column in codes:
        levels = int(column.max(initial=0)) + 2
        if n_keys * levels > LARGEST_KEY:
            key, known = pd.factorize(key)
            n_keys = len(known)
        key = key * levels
        key += column
        key += 1
        n_keys *= levels
    if n_keys <= n_rows:
        return _number_keys(key, n_keys)
    place, known = pd.factorize(key)
    first = np.empty(len(known), dtype=np.int64)
    first[place[::-1]] = np.arange(n_rows)[::-1]
    return first, place


def _number_keys(key: IntArray, n_keys: int) -> tuple[IntArray, IntArray]:
    """Do the same with few keys, which need no hashing."""
    first_of = np.full(n_keys, len(key), dtype=np.int64)
    first_of[key[::-1]] = np.arange(len(key))[::-1]
    order = np.argsort(first_of)[: np.count_nonzero(first_of < len(key))]
    number = np.empty(n_keys, dtype=np.int64)
    number[order] = np.arange(len(order))
    return first_of[order], number[key]


@dataclass(frozen=True)
class PairCells:
    """Counts of all pairs of R raters in G groups, each rater coded by their own labels."""

    # The groups, in order of first appearance, a row with missing values included; one row without
    # columns if there are no groups, (G, ...).
    groups: pd.DataFrame
    raters: list[Label]  # the R raters
    labels: list[pd.Series]  # the distinct ratings of each rater, in order of first appearance
    # Tables of all pairs of raters, and then of each rater with themselves, group by group.
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


LARGEST_CHUNK = 1 << 26  # cells, of 9 bytes or fewer
LARGEST_WHOLE = 2.0**32
FEWEST_ROWS = 1 << 12
MOST_WAITING = 1 << 17  # rows


@dataclass(frozen=True)
class Chunk:
    """The distinct rows of some columns, with how often each occurs.

    Attributes
    ----------
    frame : DataFrame, shape (U, C)
        The distinct rows, in order of first appearance.
    count : ndarray of int, shape (U,)
        Number of items with these values, or the sum of their weights where these are whole.
    unit : ndarray of float, shape (U,), or None
        What one count stands for, if the items have weights: 1 where these are whole, the
        weight itself where it is zero, fractional or very large; rows of one unit are distinct
        from those of another.
    raters : list of column labels, or None
        The raters, if nothing but their pairs will be asked for.
    cells : PairCells or None
        The counts of their pairs in rows that hardly repeat, and so are not in `frame`.
    types : dict
        The types of the columns that are Categoricals in the chunks that were added up.
    """

    frame: pd.DataFrame
    count: IntArray
    unit: FloatArray | None = None
    raters: list[Label] | None = None
    cells: PairCells | None = None
    types: Types = field(default_factory=dict)

    @property
    def size(self) -> int:
        """Number of counts."""
        return len(self.count) + (0 if self.cells is None else len(self.cells.counts.count))

    @property
    def weights(self) -> FloatArray:
        """Number of items with these values, or their total weight, shape (U,)."""
        count = self.count.astype(np.float64)
        return count if self.unit is None else count * self.unit


def count_rows(
    frame: pd.DataFrame,
    columns: list[Label],
    *,
    weight: Label | None = None,
    of_pairs: list[Label] | None = None,
    times: IntArray | None = None,
) -> Chunk:
    """Count the distinct rows of some columns of a frame, which is never changed.

    `weight` is the column of the frequency weights, which are no part of the rows. If nothing but
    the pairs of the raters `of_pairs` will be asked for, rows that hardly repeat are given as
    counts of pairs. `times` is how often each row occurs, shape (N,), if that was counted before.
    """
    count: IntArray = np.ones(len(frame), dtype=np.int64) if times is None else times
    unit = None
    if weight is not None:
        whole, unit = _whole_weights(
            numbers_of(frame[weight], f"sample_weight={shown(weight)}", WeightsError)
        )
        count = count * whole
    rows = frame[columns]
    return _smaller(_distinct(Chunk(rows, count, unit, of_pairs, types=types_of(rows))))


def merge(chunks: Sequence[Chunk]) -> Chunk:
    """Add up chunks of the same columns, at least one, in the order of the rows of the whole."""
    if len(chunks) == 1:
        return chunks[0]
    if any(chunk.cells is not None for chunk in chunks):
        chunks = [_as_cells(chunk, LARGEST_KEY) for chunk in chunks]
    units = [chunk.unit for chunk in chunks if chunk.unit is not None]
    rows = _distinct(
        Chunk(
            stack([chunk.frame for chunk in chunks]),
            np.concatenate([chunk.count for chunk in chunks]),
            np.concatenate(units) if units else None,
            chunks[0].raters,
            types=add_types([chunk.types for chunk in chunks]),
        )
    )
    cells = [chunk.cells for chunk in chunks if chunk.cells is not None]
    merged = replace(rows, cells=add_cells(cells)) if cells else _smaller(rows)
    check_distinct_rows(*merged.frame.shape)
    n_cells = merged.size - len(merged.count)
    if n_cells > LARGEST_CHUNK:
        raise TooLargeError(
            f"Pairs of raters have {n_cells} cells of two ratings; the limit is {LARGEST_CHUNK}. "
            "Pass fewer raters, or round the ratings."
        )
    return merged


def most_distinct_rows(n_columns: int) -> int:
    """Return the most distinct rows that some columns should have."""
    return LARGEST_CHUNK // max(n_columns, 1)


def check_distinct_rows(n_rows: int, n_columns: int) -> None:
    """Refuse more distinct rows."""
    if n_rows > most_distinct_rows(n_columns):
        raise TooLargeError(
            f"{n_rows} distinct rows of {n_columns} columns are {n_rows * n_columns} cells; the "
            f"limit is {LARGEST_CHUNK}. Pass fewer raters, round the ratings, or leave out "
            "columns that tell items apart, such as cluster."
        )


class Adder:
    """Adds up counts in the order of the rows; few wait to be added, so that little is held."""

    def __init__(self, add: Add = merge) -> None:
        """Start without a count."""
        self._add = add
        self._known: list[Any] = []
        self._waiting: list[Any] = []

    def add(self, count: Any) -> None:
        """Take one count more, which has a size."""
        self._waiting.append(count)
        known, waiting = (sum(one.size for one in held) for held in (self._known, self._waiting))
        if waiting > max(MOST_WAITING, 2 * known):
            self.total()

    def if_any(self) -> list[Any]:
        """Return the sum of the counts, if there are any."""
        return [self.total()] if self._known or self._waiting else []

    def total(self) -> Any:
        """Return the sum of the counts, of which there must be one or more."""
        self._known, self._waiting = [self._add([*self._known, *self._waiting])], []
        return self._known[0]


def _whole_weights(weights: FloatArray) -> tuple[IntArray, FloatArray]:
    """Split weights into a whole number and its unit, so that sums are those of integers."""
    whole = (weights == np.floor(weights)) & (weights > 0) & (weights < LARGEST_WHOLE)
    count = np.where(whole, weights, 1.0).astype(np.int64)
    return count, np.where(whole, 1.0, weights + 0.0)


def _distinct(chunk: Chunk) -> Chunk:
    """Merge equal rows, in order of first appearance."""
    columns = [chunk.frame.iloc[:, place] for place in range(chunk.frame.shape[1])]
    codes = [code_values(column) for column in columns]
    if chunk.unit is not None:
        codes.append(pd.factorize(chunk.unit)[0])
    first, place = number_rows(codes, len(chunk.count))
    if len(first) == len(chunk.count):
        return chunk
    count = np.zeros(len(first), dtype=np.int64)
    np.add.at(count, place, chunk.count)
    unit = None if chunk.unit is None else chunk.unit[first]
    return replace(chunk, frame=chunk.frame.iloc[first], count=count, unit=unit)


def _smaller(chunk: Chunk) -> Chunk:
    """Count pairs instead of rows, if nothing else matters and this takes less room."""
    n_rows = len(chunk.count)
    return chunk if n_rows < FEWEST_ROWS else _as_cells(chunk, n_rows * len(chunk.raters or ()))


def _as_cells(chunk: Chunk, largest: int) -> Chunk:
    """Count pairs instead of the rows of whole weights, if nothing else matters."""
    whole = np.ones(len(chunk.count), dtype=bool) if chunk.unit is None else chunk.unit == 1
    if chunk.raters is None or chunk.cells is not None or not whole.any():
        return chunk
    cells = cells_of_rows(chunk.frame[whole], chunk.count[whole], chunk.raters, largest=largest)
    if cells is None:
        return chunk
    unit = None if chunk.unit is None else chunk.unit[~whole]
    count = chunk.count[~whole]
    return replace(chunk, frame=chunk.frame[~whole], count=count, unit=unit, cells=cells)
