"""Ratings one below the other -> counts of items and of pairs, which add up.

Most coefficients do not ask who rated an item, and items with the same ratings are then one row
with a count, however many there are. Those that do ask sum a value of each rating over the item;
of these sums no more than their mean and variance is needed, for each of those rows.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from itertools import combinations
from typing import TYPE_CHECKING, Any, NamedTuple, cast

import numpy as np

from pdkappa.coefficients.pair_counts import (
    Margins,
    PairCounts,
    PairMargins,
    add_up,
    count_pairs,
    in_common,
    joint_ratings,
    starts_of,
)
from pdkappa.coefficients.rating_rows import ListedRows, RatingRows, Rows, distinct_rows

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from pdkappa._typing import CountArray, FloatArray, IntArray, ObjectArray

    Found = tuple[IntArray, CountArray]


MOST_WAITING = 1 << 24  # joint ratings kept before they are added up
NOTHING = (np.empty(0, dtype=np.int64), np.empty(0, dtype=np.int64))


def count_listed(
    rows: ListedRows, weights: FloatArray | None = None, *, with_itself: bool = False
) -> JointCells:
    """Count the categories that pairs of raters gave to the items that both rated.

    It takes time in proportion to the joint ratings, and memory to the cells that occur:
    raters who share no item cost nothing.

    Parameters
    ----------
    rows : ListedRows
        The ratings, sorted by item and by rater within an item; none occurs twice.
        ``(R * K)**2 * G`` must be less than 2**63.
    weights : ndarray of float, shape (U,), optional
        Frequency weight of each item, greater than zero; by default each counts once.
    with_itself : bool
        Whether to pair each rater with itself too.

    Returns
    -------
    JointCells
        The cells that occur.
    """
    cells = max(rows.n_categories, 1) ** 2
    known: Found = NOTHING
    waiting: list[tuple[IntArray, CountArray | None]] = []
    of_rating = None if weights is None else weights[rows.row]
    # What the first and the second of two ratings put into the number of their cell.
    table = rows.n_groups * cells
    as_first = rows.rater.astype(np.int64) * (rows.n_raters * table)
    as_first += rows.code.astype(np.int64) * rows.n_categories
    as_second = rows.rater.astype(np.int64) * table
    as_second += rows.code
    if rows.n_groups > 1:
        as_first += rows.group[rows.row].astype(np.int64) * cells
    for first, second in joint_ratings(rows.row, with_itself=with_itself):
        key = as_first[first]
        key += as_second[second]
        waiting.append((key, None if of_rating is None else of_rating[first]))
        if sum(len(keys) for keys, _ in waiting) > max(MOST_WAITING, len(known[0])):
            known, waiting = _merge(known, waiting), []
    return JointCells(*_merge(known, waiting))


def _merge(known: Found, waiting: list[tuple[IntArray, CountArray | None]]) -> Found:
    """Add up what was found to what is known; None counts one each."""
    if not waiting:
        return known
    weights = [count for _, count in waiting if count is not None]
    keys = np.concatenate([keys for keys, _ in waiting])
    found = add_up(keys, np.concatenate(weights) if weights else None)
    if not len(known[0]):
        return found
    return add_up(*(np.concatenate(parts) for parts in zip(known, found, strict=True)))


MOST_JOINT = 1 << 16  # joint ratings in memory at a time
MANY_PAIRS, FEW_JOINT = 10, 1 << 10  # of pairs with so few joint ratings many are taken at once
FULLEST = 8  # cells for each rating, of ratings beside each other that are not nearly empty
FULL = 4  # of so many pairs of raters and rows that there are, one is a pair of ratings


class Joint(NamedTuple):
    """The rows that two raters rated, of S pairs of raters in a group."""

    raters: IntArray  # the two raters, (2, S)
    group: IntArray  # the group of the rows, (S,)
    # Where the rows stand among those of all raters; ascending within a pair, (J,).
    places: IntArray
    # The J rows with the ratings of the two, none of them missing, and no clusters. Each of the S
    # pairs is a group of its own.
    rows: RatingRows

    @property
    def weight(self) -> FloatArray:
        """What each of the J rows counts, shape (J,)."""
        return self.rows.count

    @property
    def is_single(self) -> bool:
        """Whether it is one pair of raters, so that each row is there once."""
        return bool((self.raters == self.raters[:, :1]).all())

    def add_to(self, total: FloatArray, values: FloatArray) -> None:
        """Add a value of each of the J rows to those of all rows, shape (U,)."""
        if self.is_single:
            total[self.places] += values
        else:
            total += np.bincount(self.places, weights=values, minlength=len(total))

    def sum(self, values: FloatArray, n_groups: int) -> FloatArray:
        """Sum a value of each pair, shape (S,) or (S, K), over the pairs of each group."""
        if values.ndim == 1:
            sums = np.bincount(self.group, weights=values, minlength=n_groups)
            return sums.astype(np.float64, copy=False)
        result = np.zeros((n_groups, values.shape[1]))
        for column, one in zip(result.T, values.T, strict=True):
            column[:] = self.sum(one, n_groups)
        return result


def wide(rows: Rows) -> RatingRows:
    """Return the ratings as an array of all raters."""
    if not isinstance(rows, ListedRows):
        return cast("RatingRows", rows)
    kind = np.min_scalar_type(-max(rows.n_categories, 1))
    codes = np.full((rows.crowd, len(rows.count)), -1, dtype=kind)
    codes[rows.rater, rows.row] = rows.code
    known = (rows.n_groups, rows.n_categories, rows.cluster, rows.spread)
    return RatingRows(codes, rows.count, rows.group, *known)


def listed(rows: Rows) -> ListedRows:
    """Return the ratings one below the other."""
    if isinstance(rows, ListedRows):
        return rows
    codes = wide(rows).codes
    row, rater = np.nonzero(codes.T >= 0)
    known = (rows.n_groups, rows.n_categories, rows.cluster, rows.spread)
    return ListedRows(row, rater, codes[rater, row], len(codes), rows.count, rows.group, *known)


def is_nearly_empty(rows: RatingRows) -> bool:
    """Whether so many raters gave so few ratings that these are rather listed."""
    return rows.n_raters > FULLEST and rows.codes.size > FULLEST * rows.n_ratings.sum()


def joint_of(rows: RatingRows, pair: tuple[int, int]) -> Joint:
    """Return the rows that two raters rated."""
    first, second = (rows.codes[rater] for rater in pair)
    places = np.flatnonzero((first >= 0) & (second >= 0))
    kept: dict[str, Any] = {"cluster": None, "spread": None}
    if len(places) < len(first):
        first, second, kept = first[places], second[places], rows.of_rows(places) | kept
    rows = replace(rows, codes=np.stack([first, second]), **kept)
    raters = np.repeat(np.array(pair)[:, None], rows.n_groups, axis=1)
    return Joint(raters, np.arange(rows.n_groups), places, rows)


def each_joint(rows: RatingRows) -> Iterator[Joint]:
    """Return the rows that two raters rated, for one pair of raters after the other.

    A pair costs time and memory in proportion to what its first rater rated, so that
    many raters may share few items. Sum over the pairs rather than keep them.
    """
    for first in range(len(rows.codes) - 1):
        rated = np.flatnonzero(rows.codes[first] >= 0)
        part = replace(rows, codes=rows.codes[first:]).select(rated)
        for second in range(1, len(part.codes)):
            found = joint_of(part, (0, second))
            yield found._replace(raters=found.raters + first, places=rated[found.places])


def is_side_by_side(rows: Rows) -> bool:
    """Whether pairs of raters share so many rows that they are taken one after the other."""
    n_pairs = rows.n_raters * (rows.n_raters - 1) // 2
    few = n_pairs > MANY_PAIRS and rows.n_joint < FEW_JOINT * n_pairs
    return isinstance(rows, RatingRows) and not few


def joints(rows: Rows) -> Iterator[Joint]:
    """Return the rows that two raters rated, for some of the pairs of raters after others.

    Pairs that share no row may be left out. Sum over the pairs rather than keep them.
    """
    if is_side_by_side(rows):
        yield from each_joint(wide(rows))
        return
    ratings = listed(rows)
    for first, second in _of_first_raters(ratings):
        yield _joint_of_many(ratings, first, second)


MOST_CELLS = 1 << 22  # of the tables of pairs that are held at once


def pair_margins(rows: Rows, *, cumulative: bool) -> Iterator[tuple[IntArray, PairMargins]]:
    """Count the categories of the joint items of pairs of raters, of S pairs at a time.

    Yields
    ------
    group : ndarray of int, shape (S,)
    PairMargins
        Every field of shape (S, K) or (S, 1); pairs of raters that stand side by side are sorted.
    """
    if is_side_by_side(rows) or is_full(rows):
        yield from every_pair_margins(wide(rows), cumulative=cumulative)
        return
    for joint in joints(rows):
        yield joint.group, margins_of(joint, cumulative=cumulative)


def is_full(rows: Rows) -> bool:
    """Whether raters share so many rows that tables of all pairs are small beside their ratings."""
    n_pairs = rows.n_raters * (rows.n_raters - 1) // 2
    most = max(len(rows.count), rows.n_groups * rows.n_categories**2)
    return isinstance(rows, RatingRows) and FULL * rows.n_joint >= n_pairs * most


def counts_of_pairs(rows: RatingRows) -> Iterator[tuple[list[tuple[int, int]], PairCounts, float]]:
    """Count all pairs of raters, some at a time: the pairs, their tables, and the unit of these."""
    every = list(combinations(range(len(rows.codes)), 2))
    each = rows.count.max(initial=0.0)  # of rows that may be in units, and are often alike
    is_even = bool((rows.count == each).all())
    known: dict[str, Any] = {"weights": None if is_even else rows.count}
    if rows.n_groups > 1:
        known |= {"groups": rows.group, "n_groups": rows.n_groups}
    step = max(MOST_CELLS // max(rows.n_groups * rows.n_categories**2, 1), 1)
    for start in range(0, len(every), step):
        some = every[start : start + step]
        counts = count_pairs(rows.codes, rows.n_categories, pairs=some, **known)
        yield some, counts, float(each) if is_even else 1.0


def every_pair_margins(
    rows: RatingRows, *, cumulative: bool
) -> Iterator[tuple[IntArray, PairMargins]]:
    """Do it for every pair in their order, also those that share no item."""
    codes, count, k = rows.codes, rows.count, rows.n_categories
    found = None if rows.n_groups > 1 else in_common(codes, count, k, cumulative=cumulative)
    if found is not None:
        yield np.zeros(len(found.n), dtype=np.int64), found
        return
    for some, counts, each in counts_of_pairs(rows):
        tables = counts.tables() * each
        group = np.arange(rows.n_groups).repeat(len(some))
        margins = tables.sum(axis=2), tables.sum(axis=1)
        if cumulative:
            tables = np.cumsum(np.cumsum(tables, axis=1), axis=2)
        both = np.diagonal(tables, axis1=1, axis2=2)
        yield group, _with_rest(*margins, both, cumulative=cumulative)


def margins_of_all(rows: Rows, *, cumulative: bool) -> PairMargins:
    """Do it for all pairs of one group at once."""
    found = [pair for _, pair in every_pair_margins(wide(rows), cumulative=cumulative)]
    return PairMargins(*map(np.concatenate, zip(*found, strict=True)))


def margins_of(joint: Joint, *, cumulative: bool) -> PairMargins:
    """Count them in the rows that the raters share."""
    pair, ones = joint.rows, np.ones(len(joint.places))
    first, second = pair.codes
    row, col = (pair.margin_of(codes, ones) for codes in (first, second))
    if cumulative:
        both = np.cumsum(pair.margin_of(np.maximum(first, second), ones), axis=-1)
    else:
        both = pair.margin_of(first, ones * (first == second))
    return _with_rest(row, col, both, cumulative=cumulative)


def _with_rest(
    row: FloatArray, col: FloatArray, both: FloatArray, *, cumulative: bool
) -> PairMargins:
    """Add what is not in a category, or above a cut: exactly zero if nothing of a rater's is."""
    if cumulative:
        row, col = np.cumsum(row, axis=-1), np.cumsum(col, axis=-1)
    n, of_col = (x[:, -1:] if cumulative else x.sum(axis=-1, keepdims=True) for x in (row, col))
    return PairMargins(n, row, col, both, n - row, of_col - col)


def with_themselves(rows: Rows) -> Joint:
    """Return the rows that each rater rated, as those of a pair of the rater with itself."""
    ratings = listed(rows)
    every = np.arange(len(ratings.row))
    return _joint_of_many(ratings, every, every)


def _of_first_raters(rows: ListedRows) -> Iterator[tuple[IntArray, IntArray]]:
    """Return the places of every two ratings of a row, those of some first raters at a time."""
    later = np.cumsum(rows.n_ratings)[rows.row].astype(int) - 1 - np.arange(len(rows.row))
    times = np.bincount(rows.rater, weights=later, minlength=rows.crowd)
    part = (np.cumsum(times) - times) // MOST_JOINT
    own = np.flatnonzero(later)
    own = own[np.argsort(part[rows.rater[own]], kind="stable")]
    for some in np.split(own, starts_of(part[rows.rater[own]])[1:]):
        n = later[some]
        first = np.repeat(some, n)
        yield first, first + 1 + np.arange(len(first)) - np.repeat(np.cumsum(n) - n, n)


def _joint_of_many(rows: ListedRows, first: IntArray, second: IntArray) -> Joint:
    """Sort every two ratings of a row by their raters."""
    group = rows.group[rows.row[first]].astype(np.int64)
    key = (rows.rater[first].astype(np.int64) * rows.crowd + rows.rater[second]) * rows.n_groups
    key += group
    order = np.argsort(key, kind="stable")
    first, second, key = first[order], second[order], key[order]
    is_new = np.diff(key, prepend=-1) != 0
    pair, of_group = np.divmod(key[is_new], rows.n_groups)
    places = rows.row[first]
    of_pairs = RatingRows(
        codes=np.stack([rows.code[first], rows.code[second]]),
        count=rows.count[places],
        group=np.cumsum(is_new) - 1,
        n_groups=len(pair),
        n_categories=rows.n_categories,
    )
    return Joint(np.stack(np.divmod(pair, rows.crowd)), of_group, places, of_pairs)


@dataclass(frozen=True)
class JointCells:
    """Joint ratings of pairs of R raters in G groups over K categories, as the cells that occur."""

    # Number of each cell, ``(((r * R + s) * G + g) * K + k) * K + l``, ascending and distinct,
    # (C,).
    keys: IntArray
    count: CountArray  # number of items, (C,)
    n_dropped: int = 0  # number of the pairs (in groups) that were counted and not kept

    def __add__(self, other: JointCells) -> JointCells:
        """Add the counts of other items."""
        keys = np.concatenate([self.keys, other.keys])
        found = add_up(keys, np.concatenate([self.count, other.count]))
        return JointCells(*found, self.n_dropped + other.n_dropped)

    def split(self, n_parts: int, per_pair: int) -> list[JointCells]:
        """Cut into parts of which each has all cells of its pairs; a pair has so many numbers."""
        part = (self.keys // per_pair) % n_parts
        chosen = (np.flatnonzero(part == number) for number in range(n_parts))
        return [JointCells(self.keys[cells], self.count[cells]) for cells in chosen]

    def with_raters(self, margins: Margins, n_groups: int) -> JointCells:
        """Add each rater with themselves, who agrees with all of the own ratings."""
        n_raters, k = margins.n_subjects // n_groups, margins.n_categories
        group, rater = np.divmod(margins.subject, n_raters)
        pair = rater.astype(np.int64) * n_raters + rater
        keys = ((pair * n_groups + group) * k + margins.category) * k + margins.category
        order = np.argsort(keys)
        own = JointCells(keys[order], margins.count[order])
        return self + own


def drop_few(cells: JointCells, n_items: float, n_groups: int, n_categories: int) -> JointCells:
    """Count pairs that share fewer items in every group, and do not keep them."""
    if n_items <= 1 or not len(cells.keys):
        return cells
    table = cells.keys // max(n_categories, 1) ** 2
    starts = starts_of(table)
    enough = np.add.reduceat(cells.count, starts) >= n_items
    pair = table[starts] // n_groups
    of_pair = starts_of(pair)
    kept = np.logical_or.reduceat(enough, of_pair)
    n_groups_of = np.diff(of_pair, append=len(pair))
    n_tables = np.diff(starts, append=len(table))
    keep = np.repeat(np.repeat(kept, n_groups_of), n_tables)
    n_dropped = cells.n_dropped + int(n_groups_of[~kept].sum())
    return JointCells(cells.keys[keep], cells.count[keep], n_dropped)


def gathered(parts: Sequence[JointCells]) -> JointCells:
    """Put together the cells of different pairs."""
    keys = np.concatenate([part.keys for part in parts])
    count = np.concatenate([part.count for part in parts])
    order = np.argsort(keys)
    return JointCells(keys[order], count[order], sum(part.n_dropped for part in parts))


def tables_of(
    cells: JointCells, n_raters: int, n_groups: int, n_categories: int
) -> tuple[IntArray, PairCounts]:
    """Order the tables by group, and by pair within a group: their sides, (2, P), and counts.

    Raters with themselves come after all other pairs.
    """
    keys, count, per_table = cells.keys, cells.count, max(n_categories, 1) ** 2
    pair = keys // (per_table * n_groups)  # ascending, as the keys are
    starts = starts_of(pair)
    known = pair[starts]
    sides = np.stack(np.divmod(known, n_raters))
    is_same = sides[0] == sides[1]
    order = np.append(np.flatnonzero(~is_same), np.flatnonzero(is_same))
    place = np.empty_like(order)
    place[order] = np.arange(len(order))
    number = np.repeat(place, np.diff(starts, append=len(pair)))
    pair *= per_table * n_groups
    cell = np.subtract(keys, pair, out=pair)
    if n_groups > 1:
        group, cell = np.divmod(cell, per_table)
        number += group * len(known)
    if n_groups > 1 or is_same.any():
        cells_in_order = np.argsort(number * per_table + cell)
        number, cell, count = (one[cells_in_order] for one in (number, cell, count))
    counts = PairCounts.from_cells(
        number, cell, count, n_tables=n_groups * len(known), n_categories=n_categories
    )
    return sides[:, order], counts


WORD = 1 << 31
FEW_CELLS = 1 << 20  # that are counted without sorting
PACKED = 62  # bits of a number that counts the ratings of all categories
EXACT_BITS = 52  # of a sum over an item, which is rounded to that many
HALF = 26


@dataclass(frozen=True)
class Profiles:
    """U sets of categories that items were put into, in G groups."""

    codes: IntArray  # the categories of each set, ascending, and -1 behind the last one, (R, U)
    group: IntArray  # the group of the items, (U,)
    count: IntArray  # number of items, (U,)
    # Whole numbers of any size: the sum over the items of what each one's ratings add up to, and
    # that of its square, (2, U).
    powers: ObjectArray | None = None


@dataclass(frozen=True)
class Numbered:
    """Items with the number of the set of categories of each."""

    rows: ListedRows  # the items, each of them with a rating
    # The first rating of each item, and the number of its set, (N,).
    starts: IntArray
    place: IntArray
    first: IntArray  # an item of each set, (U,)

    @classmethod
    def of(cls, rows: ListedRows) -> Numbered:
        """Give each set of categories of a group a number."""
        starts = starts_of(rows.row)
        first, place = _numbered(rows, starts)
        return cls(rows, starts, place, first)

    @cached_property
    def cell(self) -> IntArray:
        """Number the group, rater and category of each rating together, shape (M,)."""
        return _cells(self.rows)

    def margins(self) -> Margins:
        """Count the categories of each rater, as whole numbers."""
        n_subjects, k = self.rows.n_groups * self.rows.n_raters, self.rows.n_categories
        if n_subjects * k > FEW_CELLS:
            return Margins.from_keys(*add_up(self.cell.astype(np.int64)), n_subjects, k)
        found = np.bincount(self.cell, minlength=n_subjects * k)
        return Margins.from_dense(found.reshape(n_subjects, k))

    def profiles(self, values: IntArray | None = None) -> Profiles:
        """Count the sets of categories.

        `values`, of shape (G * R * K,), are those of a rating by its group, rater and category, as
        whole numbers: their sums over an item are less than 2**52.
        """
        rows, first = self.rows, self.first
        powers = None
        if values is not None:
            sums = np.add.reduceat(values[self.cell], self.starts)
            powers = _powers(sums, self.place, len(first))
        count = np.bincount(self.place, minlength=len(first))
        return Profiles(_codes_of(rows, self.starts, first), rows.group[first], count, powers)


def _cells(rows: ListedRows) -> IntArray:
    """Give group, rater and category of each rating one number, in few bytes if they are few."""
    few = rows.n_groups * rows.n_raters * rows.n_categories < WORD
    cell: IntArray = rows.rater.astype(np.int32 if few else np.int64)
    if rows.n_groups > 1:
        cell += (rows.group[rows.row] * rows.n_raters).astype(cell.dtype)
    cell *= rows.n_categories
    cell += rows.code.astype(cell.dtype)
    return cell


def add_profiles(parts: Sequence[Profiles], n_categories: int) -> Profiles:
    """Add up what was counted of other items; the result is sorted, whatever the parts are."""
    most = max(len(part.codes) for part in parts)
    codes = np.concatenate(
        [np.pad(x.codes, ((0, most - len(x.codes)), (0, 0)), constant_values=-1) for x in parts],
        axis=1,
    )
    group = np.concatenate([part.group for part in parts])
    first, place = distinct_rows(group, codes, n_categories + 1)
    count = np.zeros(len(first), dtype=np.int64)
    np.add.at(count, place, np.concatenate([part.count for part in parts]))
    powers: ObjectArray | None = None
    known = [part.powers for part in parts if part.powers is not None]
    if known:
        powers = np.zeros((2, len(first)), dtype=object)
        for total, values in zip(powers, np.concatenate(known, axis=1), strict=True):
            np.add.at(total, place, values)
    return Profiles(codes[:, first], group[first], count, powers)


def _numbered(rows: ListedRows, starts: IntArray) -> tuple[IntArray, IntArray]:
    """Give each set of categories of a group a number: its first row, and that of each row."""
    times = np.diff(starts, append=len(rows.row))
    bits = int(times.max(initial=0)).bit_length()
    if bits * rows.n_categories + int(rows.n_groups).bit_length() > PACKED:
        codes = _codes_of(rows, starts, np.arange(len(starts)))
        return distinct_rows(rows.group, codes, rows.n_categories + 1)
    one_of = np.int64(1) << (bits * np.arange(rows.n_categories))
    packed = np.add.reduceat(one_of[rows.code], starts)
    if rows.n_groups > 1:
        packed = packed * rows.n_groups + rows.group
    ascending = np.sort(packed)  # many times faster than to sort their places
    place = np.searchsorted(ascending[starts_of(ascending)], packed)
    first = np.empty(int(place.max(initial=-1)) + 1, dtype=np.int64)
    first[place[::-1]] = np.arange(len(place))[::-1]
    return first, place


def _codes_of(rows: ListedRows, starts: IntArray, wanted: IntArray) -> IntArray:
    """Sort the categories of some rows, shape (R, number of rows)."""
    times = np.diff(starts, append=len(rows.row))[wanted]
    row = np.repeat(np.arange(len(wanted)), times)
    slot = np.arange(len(row)) - np.repeat(np.cumsum(times) - times, times)
    code = rows.code[np.repeat(starts[wanted], times) + slot].astype(np.int64)
    code = np.sort(row * rows.n_categories + code) - row * rows.n_categories
    kind = np.min_scalar_type(-max(rows.n_categories, 1))
    codes = np.full((int(times.max(initial=0)), len(wanted)), -1, dtype=kind)
    codes[slot, row] = code
    return codes


def _powers(sums: IntArray, place: IntArray, n_profiles: int) -> ObjectArray:
    """Sum whole numbers and their squares by their places, without rounding, shape (2, U)."""
    low_half = (1 << HALF) - 1

    def total(values: IntArray) -> ObjectArray:
        halves = (values >> HALF, values & low_half)  # whose sums are exact as floats
        sums = [np.bincount(place, half, minlength=n_profiles) for half in halves]
        first, second = (one.astype(np.int64).astype(object) for one in sums)
        return first * (1 << HALF) + second

    high, low = sums >> HALF, sums & low_half
    parts = ((high * high, 2 * HALF), (high * low, HALF + 1), (low * low, 0))
    squares = sum(total(part) * (1 << shift) for part, shift in parts)
    return np.stack([total(sums), squares])


@dataclass(frozen=True)
class ProfileRows(RatingRows):
    """Items by the categories they were put into, of a crowd of raters that is known by counts.

    Attributes
    ----------
    codes, count, group, n_groups, n_categories
        As in `RatingRows`, but that raters have no places: each set of categories is there twice
        with half of its items, so that a sum over the ratings of an item that depends on who gave
        them can have its mean and its variance.
    crowd : int
        R.
    of_raters : Margins
        Number of ratings of each rater in each category.
    summed : callable
        Turn a value of each group, rater and category into profiles with powers.
    """

    crowd: int = 0
    of_raters: Any = None
    summed: Callable[[IntArray], Profiles] | None = None

    @classmethod
    def of(cls, found: Profiles, margins: Margins, crowd: int, **known: Any) -> ProfileRows:
        """Put the items of each set of categories into two halves."""
        return cls(
            codes=np.tile(found.codes, 2),
            count=np.tile(found.count / 2, 2),
            group=np.tile(found.group, 2),
            n_categories=margins.n_categories,
            crowd=crowd,
            of_raters=margins,
            **known,
        )

    @property
    def n_raters(self) -> int:
        """R, counting raters without a rating."""
        return self.crowd

    n_active = Rows.n_active  # codes of these rows are no raters, but places in an item

    @property
    def by_rater(self) -> Margins:
        """Number of ratings of each rater in each category, who is subject ``g * R + r``."""
        return self.of_raters

    def sum_by_rater(self, values: FloatArray) -> FloatArray:
        """Sum a value of each cell of `by_rater` over the ratings of each row, shape (U,).

        The two halves of a set of categories are one standard deviation below the mean, and above.
        """
        most = float(np.abs(values).max(initial=0.0)) * len(self.codes)
        if most == 0 or not np.isfinite(most) or self.summed is None:
            return np.full(len(self.count), 0.0 if most == 0 else np.nan)
        unit = 2.0 ** (np.ceil(np.log2(most)) - EXACT_BITS + 1)
        whole = replace(self.by_rater, count=np.rint(values / unit))
        found = self.summed(whole.dense().reshape(-1).astype(np.int64))
        mean, spread = _mean_and_spread(found.count, np.asarray(found.powers))
        return unit * np.concatenate([mean - spread, mean + spread])

    @property
    def compressed(self) -> ProfileRows:
        """The rows as they are: it is sorted, and no row is there more than twice."""
        return self


def _mean_and_spread(count: IntArray, powers: ObjectArray) -> tuple[FloatArray, FloatArray]:
    """Mean and standard deviation of numbers that were summed exactly, each of shape (U,)."""
    n, (first, second) = count.astype(object), powers
    mean = (first / n).astype(np.float64)
    variance = ((n * second - first * first) / (n * n)).astype(np.float64)
    return mean, np.sqrt(variance)


def merged(rows: Rows) -> Rows:
    """Merge items with the same ratings, whoever gave them, of a list without weights or clusters.

    What is computed of them depends neither on the order of the items nor on parts of them.
    """
    plain = rows.cluster is None and rows.spread is None
    if not isinstance(rows, ListedRows) or not plain or not (rows.count == 1).all():
        return rows
    rated = rows.n_ratings > 0
    numbered = Numbered.of(rows if rated.all() else rows.select(rated))

    def summed(values: IntArray | None = None) -> Profiles:
        return add_profiles([numbered.profiles(values)], rows.n_categories)

    return ProfileRows.of(
        summed(), numbered.margins(), rows.n_raters, n_groups=rows.n_groups, summed=summed
    )
