"""Codes -> how often each pair of raters gave each pair of categories: counts that add up.

Item by category they are all that coefficients need which do not know who rated; rater by
category they are the margins of those that do. Counts of chunks of the data add up.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Iterator

    from pdkappa._typing import BoolArray, CountArray, FloatArray, IntArray

MOST_BINS = 1 << 16  # bins of a histogram that stay in a core's cache
DENSE_PER_ITEM = 4  # bins per item up to which a histogram beats sorting
WORD = 64  # items whose bits fill a word
WORDS = 1000  # words counted at a time; the bits that they share must fit in 16 bits
TILE = 1 << 15  # words compared at a time, which stay in a core's cache
BYTES = 1 << 22  # bytes turned into bits at a time, and the most counts of all pairs in common

Pairs = list[tuple[int, int]]


def by_bits(codes: IntArray, k: int, pairs: Pairs) -> CountArray:
    """Count pairs of raters from bits, without groups and weights, shape (P, K, K).

    A bit for each item says whether a rater gave it a category. The bits that two raters'
    categories share are counted 64 items at a time. If every item is rated, the cells of
    the last category are what the margins leave.
    """
    first, second = np.array(pairs, dtype=np.int64).reshape(-1, 2).T
    n_raters, n_items = codes.shape
    is_complete = not (codes < 0).any()
    n_counted = k - is_complete
    tables = np.zeros((len(pairs), k, k), dtype=np.int64)
    margins = np.zeros((n_raters, n_counted), dtype=np.int64)
    runs = list(_runs_by_first(first, second))
    for start in range(0, n_items, WORD * WORDS):
        bits = _bits(codes[:, start : start + WORD * WORDS], n_counted)
        margins += np.bitwise_count(bits).sum(axis=-1, dtype=np.int64)
        for rater, others, places in runs:
            tables[places, :n_counted, :n_counted] += _shared_bits(bits[rater], bits[others])
    if is_complete:
        inside = tables[:, :n_counted, :n_counted]
        tables[:, :n_counted, -1] = margins[first] - inside.sum(axis=2)
        tables[:, -1, :n_counted] = margins[second] - inside.sum(axis=1)
        tables[:, -1, -1] = n_items - tables.sum(axis=(1, 2))
    return tables


def _runs_by_first(
    first: IntArray, second: IntArray
) -> Iterator[tuple[int, slice | IntArray, slice | IntArray]]:
    """Gather pairs by their first rater: that rater, the second ones, and places of the pairs."""
    order = np.lexsort((second, first))
    starts = np.flatnonzero(np.diff(first[order], prepend=-1))
    for start, stop in zip(starts, np.append(starts[1:], len(order)), strict=True):
        places = order[start:stop]
        yield int(first[places[0]]), _as_slice(second[places]), _as_slice(places)


def _as_slice(numbers: IntArray) -> slice | IntArray:
    """Return whole numbers as a slice where they follow each other, which spares a copy."""
    part = slice(int(numbers[0]), int(numbers[-1]) + 1)
    return part if np.array_equal(numbers, np.arange(part.start, part.stop)) else numbers


def _bits(codes: IntArray, n_counted: int) -> IntArray:
    """Turn codes into one bit for each item, rater and category, shape (R, n_counted, words)."""
    n_raters, n_items = codes.shape
    levels = np.arange(n_counted, dtype=codes.dtype)[:, None]
    packed = np.zeros((n_raters, n_counted, -(-n_items // WORD) * (WORD // 8)), dtype=np.uint8)
    for part in blocks_of(n_raters, n_counted * n_items, BYTES):
        bits = np.packbits(codes[part, None] == levels, axis=-1)
        packed[part, :, : bits.shape[-1]] = bits
    return packed.view(np.uint64)


def _shared_bits(one: IntArray, others: IntArray) -> IntArray:
    """Count the bits that one rater's categories share with others', shape (M, L, L).

    `one` has the shape (L, words), the bits of the M `others` have (M, L, words).
    """
    n_others, n_counted, n_words = others.shape
    flat = others.reshape(n_others * n_counted, n_words)
    shared = np.empty((n_counted, len(flat)), dtype=np.int64)
    for part in blocks_of(len(flat), n_counted * n_words, TILE):
        both = one[:, None] & flat[part]
        number = np.bitwise_count(both)
        shared[:, part] = np.add.reduce(number, axis=-1, dtype=np.uint16)
    return shared.reshape(n_counted, n_others, n_counted).swapaxes(0, 1)


def raters_per_block(n_raters: int, n_items: int, levels: int) -> int:
    """Most raters whose joint histogram with as many others stays small."""
    room = min(max(n_items, MOST_BINS // 16), MOST_BINS)
    size = 1
    while size < n_raters and levels > 1 and levels ** (2 * (size + 1)) <= room:
        size += 1
    return size


def by_blocks(
    codes: IntArray, k: int, pairs: Pairs, size: int, weights: FloatArray | None
) -> CountArray:
    """Count pairs from joint histograms of blocks of raters, without groups, shape (P, K, K).

    One pass over the items for two blocks of three raters serves nine pairs of raters.
    """
    levels = k + bool((codes < 0).any())
    n_raters = len(codes)
    square: CountArray = np.zeros(
        (n_raters, n_raters, k, k), dtype=np.int64 if weights is None else np.float64
    )
    blocks = [range(n_raters)[start : start + size] for start in range(0, n_raters, size)]
    numbers = [_number_rows(codes[block.start : block.stop], levels) for block in blocks]
    for i, (first, rows) in enumerate(zip(blocks, numbers, strict=True)):
        for second, cols in zip(blocks[i:], numbers[i:], strict=True):
            n_rows, n_cols = levels ** len(first), levels ** len(second)
            key = rows * n_cols + cols
            joint = _histogram(key, n_rows * n_cols, weights).reshape(n_rows, n_cols)
            by_levels = _is_at(levels, len(first)) @ joint @ _is_at(levels, len(second)).T
            tables = by_levels.reshape(len(first), levels, len(second), levels).swapaxes(1, 2)
            square[first.start : first.stop, second.start : second.stop] = tables[..., :k, :k]
    return np.stack([square[a, b] if a <= b else square[b, a].T for a, b in pairs])


def _number_rows(codes: IntArray, levels: int) -> IntArray:
    """Assign a number to each row of ratings of a few raters; missing is the last level."""
    number = np.zeros(codes.shape[1], dtype=np.int64)
    for one in codes:
        number *= levels
        number += one
        number += levels * (one < 0)
    return number


def _is_at(levels: int, n_raters: int) -> FloatArray:
    """Mark the bins of a histogram, numbered as above, at each level of each rater, (R x L, L**R).

    A product with it sums the bins; of whole numbers, exactly.
    """
    digits = np.indices((levels,) * n_raters).reshape(n_raters, 1, -1)
    is_at = digits == np.arange(levels)[:, None]
    return is_at.reshape(n_raters * levels, -1).astype(np.float64)


def one_by_one(
    codes: IntArray,
    k: int,
    pairs: Pairs,
    *,
    groups: IntArray | None,
    n_groups: int,
    weights: FloatArray | None,
) -> tuple[IntArray, CountArray]:
    """Count one pair after the other: the numbers of the cells found, and their counts.

    The numbers are ``((group * P + pair) * K + row) * K + col``, in ascending order. Histograms
    hold all cells of a pair; where these are many more than the items, items are sorted instead.
    """
    absent = int((codes < 0).any())
    levels = k + absent
    n_bins = n_groups * levels**2
    if n_bins > max(DENSE_PER_ITEM * codes.shape[1], MOST_BINS):
        found = [_by_sorting(codes[a], codes[b], k, groups, weights) for a, b in pairs]
        return _in_order_of_tables(found, k, n_groups)
    # With a row and a column for missing ratings before all others.
    start = np.zeros(1, dtype=np.int64) if groups is None else groups * np.int64(levels**2)
    rows, known, found = start, -1, []
    key, kind = np.empty(codes.shape[1], dtype=np.int64), np.min_scalar_type(-(levels**2))
    for a, b in pairs:
        if a != known:  # a table has few cells, whose numbers are short, and quick to add
            known, rows = a, (codes[a].astype(kind) + absent) * levels + absent
        counts = _histogram(np.add(start, rows + codes[b], out=key), n_bins, weights)
        dense = counts.reshape(n_groups, levels, levels)[:, absent:, absent:].reshape(-1)
        cells = np.flatnonzero(dense != 0)
        found.append((cells, dense[cells]))
    return _in_order_of_tables(found, k, n_groups)


def _by_sorting(
    a: IntArray, b: IntArray, k: int, groups: IntArray | None, weights: FloatArray | None
) -> tuple[IntArray, CountArray]:
    """Count one pair in all groups, however many categories there are."""
    rated = (a >= 0) & (b >= 0)
    key = np.zeros(1, dtype=np.int64) if groups is None else groups[rated].astype(np.int64)
    key = (key * k + a[rated]) * k + b[rated]
    return add_up(key, None if weights is None else weights[rated].astype(np.float64))


def _histogram(key: IntArray, n_bins: int, weights: FloatArray | None) -> CountArray:
    """Count whole numbers, or sum their weights as floats even where there are none."""
    counts = np.bincount(key, weights=weights, minlength=n_bins)
    return counts if weights is None else counts.astype(np.float64, copy=False)


def _in_order_of_tables(
    found: list[tuple[IntArray, CountArray]], k: int, n_groups: int
) -> tuple[IntArray, CountArray]:
    """Merge the cells of all pairs, numbered by group first and by pair within a group."""
    if len(found) == 1:
        return found[0]
    n_pairs, firsts = len(found), np.arange(n_groups + 1) * k * k
    ends = np.array([np.searchsorted(cells, firsts) for cells, _ in found]).T
    sizes = np.diff(ends, axis=0)  # of each group and pair
    starts = (np.cumsum(sizes) - sizes.reshape(-1)).reshape(sizes.shape)
    keys = np.empty(sizes.sum(), dtype=np.int64)
    counts = np.concatenate([count for _, count in found])
    for number, (cells, count) in enumerate(found):
        group, size = np.arange(n_groups), sizes[:, number]
        places = np.arange(len(cells)) + np.repeat(starts[:, number] - ends[:-1, number], size)
        keys[places] = cells + np.repeat((group * (n_pairs - 1) + number) * (k * k), size)
        counts[places] = count
    return keys, counts


def by_lists(
    codes: IntArray, k: int, pairs: Pairs, groups: IntArray | None, weights: FloatArray | None
) -> tuple[IntArray, CountArray]:
    """Do the same by a list of the ratings of each item, in time in proportion to joint ratings.

    No pair may be asked for twice, and the first of two raters comes before the second.
    """
    number = np.full((len(codes),) * 2, -1)
    number[tuple(np.array(pairs).T)] = np.arange(len(pairs))
    item, rater = np.nonzero(codes.T >= 0)
    category, kind = codes[rater, item], np.int64 if weights is None else np.float64
    parts: list[tuple[IntArray, CountArray]] = [(np.zeros(0, np.int64), np.zeros(0, kind))]
    for first, second in joint_ratings(item):
        pair = number[rater[first], rater[second]]
        one, other, pair = first[pair >= 0], second[pair >= 0], pair[pair >= 0]
        if groups is not None:
            pair += groups[item[one]].astype(np.int64) * len(pairs)
        key = (pair * k + category[one]) * k + category[other]
        parts.append(add_up(key, None if weights is None else weights[item[one]].astype(kind)))
    return add_up(*(np.concatenate(one) for one in zip(*parts, strict=True)))


def joint_ratings(
    item: IntArray, *, with_itself: bool = False
) -> Iterator[tuple[IntArray, IntArray]]:
    """Return the places of every two ratings of an item, of sorted items, some at a time."""
    first, distance = np.arange(len(item)), 0 if with_itself else 1
    while len(first):
        first = first[: np.searchsorted(first, len(item) - distance)]
        first = first[item[first + distance] == item[first]]
        yield first, first + distance
        distance += 1


class PairMargins(NamedTuple):
    """Counts of each category, or at each cut and below, of the items of a pair, (G, K)."""

    n: FloatArray  # (G, 1)
    row: FloatArray
    col: FloatArray
    both: FloatArray
    above_row: FloatArray
    above_col: FloatArray


MOST_IN_COMMON = 32  # categories up to which bits are quicker than tables of pairs


def in_common(
    codes: IntArray, count: FloatArray, k: int, *, cumulative: bool = False
) -> PairMargins | None:
    """Count what every pair has in common without a table of it, in the order of `combinations`.

    None where some rating is missing, where items do not `count` the same, (N,), or where all of
    that is too large.
    """
    n_raters, n_items = codes.shape
    first, second = np.triu_indices(n_raters, 1)
    is_large = k > MOST_IN_COMMON or len(first) * k > BYTES
    if is_large or not codes.size or (count != count[0]).any() or (codes < 0).any():
        return None
    own, both = (np.zeros((n, k), dtype=np.int64) for n in (n_raters, len(first)))
    width = WORD * max(1, min(WORDS, TILE // (n_raters * k)))
    for start in range(0, n_items, width):
        bits, place = _bits(codes[:, start : start + width], k), 0
        bits = np.bitwise_or.accumulate(bits, axis=1) if cumulative else bits
        own += np.bitwise_count(bits).sum(axis=-1, dtype=np.int64)
        for rater in range(n_raters):
            number = np.bitwise_count(bits[rater] & bits[rater + 1 :])
            part = slice(place, place := place + len(number))
            both[part] += np.add.reduce(number, axis=-1, dtype=np.uint16)
    n, row, col, both = (count[0] * x for x in (n_items, own[first], own[second], both))
    return PairMargins(np.full((len(first), 1), n), row, col, both, n - row, n - col)


LARGEST_SHORT = np.iinfo(np.int32).max
BLOCK = 1 << 16  # entries of an S x K margin worked on at a time
MOST_COUNTED_BY_BITS = 8  # categories up to which bits beat histograms
FEWEST_BITS = 1 << 13  # items of a single pair from which on they do
FEWEST_LISTED = 100  # pairs from which on joint ratings may be listed,
MOST_LISTED = 1 << 24  # so many of them
BITS, BINS = 4000, 16  # cells counted by bits, and items of a pair by bins, in the time of one


@dataclass(frozen=True)
class PairCounts:
    """Contingency tables of S pairs of raters over K categories, as observed cells."""

    # The table of each cell, the first rater's category and the second rater's; sorted by table,
    # and no cell twice, (C,).
    table: IntArray
    row: IntArray
    col: IntArray
    count: CountArray  # number (or total weight) of items in each cell, greater than zero, (C,)
    n_tables: int  # S, counting tables without any cell
    n_categories: int  # K
    # What one count stands for. Other than 1 only where item weights are so large or small that
    # their sums would lose digits.
    unit: float = 1.0

    @classmethod
    def from_keys(
        cls, keys: IntArray, count: CountArray, n_tables: int, n_categories: int
    ) -> PairCounts:
        """Build from cell numbers ``(table * K + row) * K + col``, ascending and distinct."""
        table, cell = np.divmod(keys, max(n_categories, 1) ** 2)
        return cls.from_cells(table, cell, count, n_tables=n_tables, n_categories=n_categories)

    @classmethod
    def from_cells(
        cls, table: IntArray, cell: IntArray, count: CountArray, *, n_tables: int, n_categories: int
    ) -> PairCounts:
        """Build from tables and the numbers ``row * K + col`` of their cells, sorted likewise."""
        k = max(n_categories, 1)
        if k**2 <= LARGEST_SHORT:
            cell = cell.astype(np.int32)
        row, col = np.divmod(cell, k)
        return cls(table, row, col, count, n_tables, n_categories)

    @classmethod
    def from_tables(cls, tables: CountArray) -> PairCounts:
        """Build from dense tables, shape (..., K, K); leading axes are flattened."""
        k = tables.shape[-1]
        flat = np.asarray(tables).reshape(-1)
        keys = np.flatnonzero(flat != 0)
        return cls.from_keys(keys, flat[keys], math.prod(tables.shape[:-2]), k)

    @property
    def keys(self) -> IntArray:
        """Number of each cell, ``(table * K + row) * K + col``, shape (C,)."""
        k = self.n_categories
        return (self.table.astype(np.int64) * k + self.row) * k + self.col

    def tables(self) -> CountArray:
        """Return dense tables, shape (S, K, K); the inverse of `from_tables`."""
        k = self.n_categories
        dense = np.zeros(self.n_tables * k * k, dtype=self.count.dtype)
        dense[self.keys] = self.count
        return dense.reshape(self.n_tables, k, k)

    def only(self, table: int) -> CountArray:
        """Return one dense table, shape (K, K)."""
        first, last = np.searchsorted(self.table, [table, table + 1])
        dense = np.zeros((self.n_categories, self.n_categories), dtype=self.count.dtype)
        dense[self.row[first:last], self.col[first:last]] = self.count[first:last]
        return dense

    def __add__(self, other: PairCounts) -> PairCounts:
        """Add the counts of two disjoint sets of items cell by cell."""
        unit = max(self.unit, other.unit)
        parts = [self.count * (self.unit / unit), other.count * (other.unit / unit)]
        if self.unit == other.unit:
            parts = [self.count, other.count]
        keys, total = add_up(np.concatenate([self.keys, other.keys]), np.concatenate(parts))
        return replace(self.from_keys(keys, total, self.n_tables, self.n_categories), unit=unit)

    def of_cells(self, cells: slice | IntArray, table: IntArray, n_tables: int) -> PairCounts:
        """Keep some of the cells, in tables of other numbers, which are sorted likewise."""
        row, col, count = self.row[cells], self.col[cells], self.count[cells]
        return replace(self, table=table, row=row, col=col, count=count, n_tables=n_tables)

    def together(self, tables: BoolArray) -> PairCounts:
        """Add up some of the tables, cell by cell, into one."""
        kept, k = tables[self.table], self.n_categories
        keys, total = add_up((self.row * k + self.col)[kept], self.count[kept])
        return replace(self.from_keys(keys, total, 1, k), unit=self.unit)

    def blocks(self) -> Iterator[tuple[IntArray, PairCounts]]:
        """Cut into runs of tables whose margins fit in memory, with the numbers of the tables."""
        step = max(1, BLOCK // max(self.n_categories, 1))
        if self.n_tables <= step:
            yield np.arange(self.n_tables), self
            return
        for start in range(0, max(self.n_tables, 1), step):
            stop = min(start + step, self.n_tables)
            first, last = np.searchsorted(self.table, [start, stop])
            part = slice(first, last)
            own = self.of_cells(part, self.table[part] - start, stop - start)
            yield np.arange(start, stop), own

    def sum(self, values: CountArray) -> FloatArray:
        """Sum a value of each cell over the cells of each table, shape (S,)."""
        return sums_at(self.table, values, self.n_tables)

    @cached_property
    def row_place(self) -> IntArray:
        """Place of the row category of each cell in an array of shape (S, K), shape (C,)."""
        return self.table * self.n_categories + self.row

    @cached_property
    def col_place(self) -> IntArray:
        """Place of the column category of each cell in an array of shape (S, K), shape (C,)."""
        return self.table * self.n_categories + self.col

    @cached_property
    def total(self) -> FloatArray:
        """Sum of the counts of each table, shape (S,)."""
        return self.sum(self.count)

    @cached_property
    def shares(self) -> FloatArray:
        """Share of each cell in its table, shape (C,)."""
        return self.count / self.total[self.table]

    def margins(self) -> tuple[FloatArray, FloatArray]:
        """Shares of the categories of the first and of the second rater, each (S, K)."""
        return self._margins

    @cached_property
    def _margins(self) -> tuple[FloatArray, FloatArray]:
        """Keep them: they are asked for several times."""
        row, col = self._margin(self.row_place), self._margin(self.col_place)
        with np.errstate(invalid="ignore"):  # an empty table has no shares
            total = self.total[:, None]
            return row / total, col / total

    def _margin(self, place: IntArray) -> FloatArray:
        """Total count of each category, shape (S, K)."""
        k = self.n_categories
        return sums_at(place, self.count, self.n_tables * k).reshape(self.n_tables, k)


FEW_FREE, MOST_FREE = 4, 1 << 20  # places of keys that are counted without sorting


def sums_at(places: IntArray, values: CountArray, n: int) -> FloatArray:
    """Sum the values that belong to each of n places, as floats even where there are none, (n,)."""
    return np.bincount(places, values, n).astype(np.float64, copy=False)


def add_up(keys: IntArray, count: CountArray | None = None) -> tuple[IntArray, CountArray]:
    """Sum the counts of equal keys, by default one each; keys come back ascending."""
    is_exact = count is None or count.dtype.kind == "f"
    if is_exact and keys.max(initial=0) < min(FEW_FREE * len(keys), MOST_FREE):
        known = np.flatnonzero((times := np.bincount(keys)) != 0)  # of bytes, which is fast
        return known, times[known] if count is None else np.bincount(keys, count)[known]
    if count is None:
        starts = starts_of(keys := np.sort(keys))
        return keys[starts], np.diff(starts, append=len(keys))
    # Sums of fractions depend on their order, sums of integers do not.
    order = np.argsort(keys, kind="stable" if count.dtype.kind == "f" else None)
    keys, count = keys[order], count[order]
    starts = starts_of(keys)
    return keys[starts], np.add.reduceat(count, starts) if len(starts) else count


DIGIT = 16  # bits, by which NumPy sorts without comparing


def order_of(keys: IntArray, n_keys: int) -> IntArray:
    """Sort whole numbers below so many, equal ones in their order."""
    order = np.argsort(keys.astype(np.uint16), kind="stable")  # the last bits
    for shift in range(DIGIT, (n_keys - 1).bit_length(), DIGIT):
        order = order[np.argsort((keys >> shift).astype(np.uint16)[order], kind="stable")]
    return order


def distinct(key: IntArray, n_keys: int) -> tuple[IntArray, IntArray]:
    """Find where each distinct key occurs first, and the place of each key among them."""
    if n_keys > len(key):
        order = order_of(key, n_keys)
        is_new = np.diff(key[order], prepend=-1) != 0
        place = np.empty(len(key), dtype=np.intp)
        place[order] = np.cumsum(is_new) - 1
        return order[is_new], place
    first_of = np.full(n_keys, -1, dtype=np.int64)
    first_of[key[::-1]] = np.arange(len(key))[::-1]
    used = first_of >= 0
    return first_of[used], (np.cumsum(used) - 1)[key]


def are_first(values: FloatArray | IntArray) -> BoolArray:
    """Mark the first of each run of equal values."""
    first: BoolArray = np.ones(len(values), dtype=bool)
    np.not_equal(values[1:], values[:-1], out=first[1:])
    return first


def blocks_of(n: int, cells: int, most: int) -> list[slice]:
    """Cut what takes so many cells each into blocks of at most that many, or single ones."""
    step = max(1, most // max(cells, 1))
    return [slice(start, min(start + step, n)) for start in range(0, n, step)]


def starts_of(keys: IntArray) -> IntArray:
    """Find where each distinct one of some sorted keys stands first."""
    return np.flatnonzero(are_first(keys))


def listed_ranges(first: IntArray, size: IntArray) -> tuple[IntArray, IntArray]:
    """List the places of ranges, of which the first place and the size are known.

    Returns
    -------
    ndarray of int
        The range of each place.
    ndarray of int
        The place.
    """
    which = np.repeat(np.arange(len(size)), size)
    return which, np.arange(len(which)) + (first - (np.cumsum(size) - size))[which]


def count_pairs(
    codes: IntArray,
    n_categories: int,
    *,
    pairs: list[tuple[int, int]],
    groups: IntArray | None = None,
    n_groups: int = 1,
    weights: FloatArray | None = None,
) -> PairCounts:
    """Count the categories that pairs of raters gave to the items that both rated.

    Parameters
    ----------
    codes : ndarray of int, shape (R, N)
        Category of each rating, a row for each rater; -1 where there is none.
    n_categories : int
        K.
    pairs : list of (int, int)
        The P pairs of raters to count.
    groups : ndarray of int, shape (N,), optional
        Group of each item, from 0 to `n_groups` - 1.
    n_groups : int
        G.
    weights : ndarray of float, shape (N,), optional
        Frequency weight of each item, greater than zero.

    Returns
    -------
    PairCounts
        G x P tables; pair ``p`` of group ``g`` is table ``g * P + p``.
    """
    k = max(n_categories, 1)
    in_bits = groups is None and weights is None and k <= MOST_COUNTED_BY_BITS
    if _has_few_joint(codes, pairs, BITS // k**2 if in_bits else BINS):
        found = by_lists(codes, k, pairs, groups, weights)
    elif groups is None and (tables := _tables_at_once(codes, k, pairs, weights)) is not None:
        flat = tables.reshape(-1)
        cells = np.flatnonzero(flat != 0)
        found = cells, flat[cells]
    else:
        found = one_by_one(codes, k, pairs, groups=groups, n_groups=n_groups, weights=weights)
    return PairCounts.from_keys(*found, n_groups * len(pairs), n_categories)


def _has_few_joint(codes: IntArray, pairs: list[tuple[int, int]], per_joint: int) -> bool:
    """Whether items of pairs are so many, for each joint rating, that to list these is faster."""
    if len(pairs) < FEWEST_LISTED or any(a >= b for a, b in pairs):
        return False
    rated = codes >= 0
    least = np.count_nonzero(rated) ** 2 / max(codes.size, 1) ** 2  # if items have as many each
    if least * per_joint > 1 or len({*pairs}) < len(pairs):
        return False
    n_ratings = np.add.reduce(rated, axis=0, dtype=np.int64)
    n_joint = (n_ratings * (n_ratings - 1)).sum() // 2
    return bool(n_joint * per_joint < len(pairs) * codes.shape[1] and n_joint <= MOST_LISTED)


def _tables_at_once(
    codes: IntArray, k: int, pairs: list[tuple[int, int]], weights: FloatArray | None
) -> CountArray | None:
    """Count all pairs in the way that is the fastest for this shape, shape (P, K, K).

    None where it is the fastest to count one pair after the other.
    """
    is_little = len(pairs) == 1 and codes.shape[1] < FEWEST_BITS
    if weights is None and k <= MOST_COUNTED_BY_BITS and not is_little:
        return by_bits(codes, k, pairs)
    levels = k + bool((codes < 0).any())
    size = raters_per_block(len(codes), codes.shape[1], levels)
    n_blocks = -(-len(codes) // size)
    if size > 1 and n_blocks * (n_blocks + 1) // 2 < len(pairs):
        return by_blocks(codes, k, pairs, size, weights)
    return None


@dataclass(frozen=True)
class Margins:
    """Counts of K categories of S subjects, as the cells that occur."""

    # The item or rater of each cell, and its category; sorted by both, and no cell twice, (C,).
    subject: IntArray
    category: IntArray
    count: CountArray  # number of ratings (or their total weight) in each cell, (C,)
    # S, counting subjects without any cell, and K.
    n_subjects: int
    n_categories: int

    @classmethod
    def from_keys(
        cls, keys: IntArray, count: CountArray, n_subjects: int, n_categories: int
    ) -> Margins:
        """Build from cell numbers ``subject * K + category``, ascending and distinct."""
        subject, category = np.divmod(keys, max(n_categories, 1))
        return cls(subject, category, count, n_subjects, n_categories)

    @classmethod
    def from_dense(cls, dense: CountArray) -> Margins:
        """Build from one row for each subject, shape (S, K)."""
        flat = dense.reshape(-1)
        keys = np.flatnonzero(flat != 0)
        return cls.from_keys(keys, flat[keys], *dense.shape)

    @property
    def keys(self) -> IntArray:
        """Number of each cell, ``subject * K + category``, shape (C,)."""
        return self.subject.astype(np.int64) * self.n_categories + self.category

    def __add__(self, other: Margins) -> Margins:
        """Add the counts of two disjoint sets of ratings cell by cell."""
        keys, total = add_up(
            np.concatenate([self.keys, other.keys]), np.concatenate([self.count, other.count])
        )
        return self.from_keys(keys, total, self.n_subjects, self.n_categories)

    def total(self, values: CountArray) -> FloatArray:
        """Sum a value of each cell over the cells of each subject, shape (S,)."""
        return sums_at(self.subject, values, self.n_subjects)

    def occurring(self) -> tuple[IntArray, Margins]:
        """Return the subjects that have a cell, and the same counts of them alone."""
        is_new = np.diff(self.subject, prepend=-1) != 0
        number = np.cumsum(is_new) - 1
        known = self.subject[is_new]
        return known, replace(self, subject=number, n_subjects=len(known))

    def take(self, start: int, stop: int) -> Margins:
        """Return the counts of some subjects that follow each other."""
        part = slice(*np.searchsorted(self.subject, [start, stop]))
        return replace(
            self,
            subject=self.subject[part] - start,
            category=self.category[part],
            count=self.count[part],
            n_subjects=stop - start,
        )

    def dense(self) -> FloatArray:
        """Return one row for each subject, shape (S, K)."""
        result = np.zeros(self.n_subjects * self.n_categories)
        result[self.keys] = self.count
        return result.reshape(self.n_subjects, self.n_categories)


def count_categories(
    subject: IntArray,
    category: IntArray,
    n_subjects: int,
    n_categories: int,
    weights: FloatArray | None = None,
) -> Margins:
    """Count the categories of ratings by their items, or by their raters.

    Parameters
    ----------
    subject, category : ndarray of int, shape (M,)
        The item (or rater, or rater of a group) of each rating, and its category.
    n_subjects, n_categories : int
        S and K.
    weights : ndarray of float, shape (M,), optional
        Frequency weight of each rating, greater than zero.

    Returns
    -------
    Margins
        Whole numbers without weights. Counts of parts of the ratings add up.
    """
    keys = subject.astype(np.int64) * n_categories + category
    return Margins.from_keys(*add_up(keys, weights), n_subjects, n_categories)
