"""Ratings one below the other -> how often each set of categories occurs: counts that add up.

Most coefficients do not ask who rated an item, and items with the same ratings are then one row
with a count, however many there are. Those that do ask sum a value of each rating over the item;
of these sums no more than their mean and variance is needed, for each of those rows.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from pdkappa.counts.core.listed_rows import ListedRows
from pdkappa.counts.core.margins import Margins
from pdkappa.counts.core.pairs import add_up, starts_of
from pdkappa.counts.core.rows import RatingRows, distinct_rows

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from pdkappa._typing import FloatArray, IntArray, ObjectArray
    from pdkappa.counts.core.base_rows import Rows

WORD = 1 << 31
FEW_CELLS = 1 << 20  # that are counted without sorting
PACKED = 62  # bits of a number that counts the ratings of all categories
EXACT_BITS = 52  # of a sum over an item, which is rounded to that many
HALF = 26


@dataclass(frozen=True)
class Profiles:
    """U sets of categories that items were put into, in G groups.

    Attributes
    ----------
    codes : ndarray of int, shape (R, U)
        The categories of each set, ascending, and -1 behind the last one.
    group : ndarray of int, shape (U,)
        The group of the items.
    count : ndarray of int, shape (U,)
        Number of items.
    powers : ndarray of object, shape (2, U), or None
        Whole numbers of any size: the sum over the items of what each one's ratings add up to, and
        that of its square.
    """

    codes: IntArray
    group: IntArray
    count: IntArray
    powers: ObjectArray | None = None


@dataclass(frozen=True)
class Numbered:
    """Items with the number of the set of categories of each.

    Attributes
    ----------
    rows : ListedRows
        The items, each of them with a rating.
    starts, place : ndarray of int, shape (N,)
        The first rating of each item, and the number of its set.
    first : ndarray of int, shape (U,)
        An item of each set.
    """

    rows: ListedRows
    starts: IntArray
    place: IntArray
    first: IntArray

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
        result: ObjectArray = first * (1 << HALF) + second
        return result

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

    @property
    def by_rater(self) -> Margins:
        """Number of ratings of each rater in each category, who is subject ``g * R + r``."""
        result: Margins = self.of_raters
        return result

    def sum_by_rater(self, values: FloatArray) -> FloatArray:
        """Sum a value of each cell of `by_rater` over the ratings of each row, shape (U,).

        The two halves of a set of categories are one standard deviation below the mean, and above.
        """
        most = float(np.abs(values).max(initial=0.0)) * max(len(self.codes), 1)
        if most == 0 or not np.isfinite(most) or self.summed is None:
            return np.full(len(self.count), 0.0 if most == 0 else np.nan)
        unit = 2.0 ** (np.ceil(np.log2(most)) - EXACT_BITS + 1)
        whole = replace(self.by_rater, count=np.rint(values / unit))
        found = self.summed(whole.dense().reshape(-1).astype(np.int64))
        mean, spread = _mean_and_spread(found.count, np.asarray(found.powers))
        return unit * np.concatenate([mean - spread, mean + spread])

    def compressed(self) -> ProfileRows:
        """Return it as it is: it is sorted, and no row is there more than twice."""
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
