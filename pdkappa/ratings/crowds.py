"""Ratings one below the other that need not be in memory -> counts, which add up.

What a source gives is parts of the ratings of which every item is whole. All that is asked of a
part are counts; they are whole numbers, so that no cut into parts changes a bit of what they add
up to.
"""

from __future__ import annotations

import sys
from collections import Counter
from dataclasses import dataclass, field
from functools import partial, reduce
from operator import add
from typing import TYPE_CHECKING, Any, ClassVar, NamedTuple

import numpy as np
import pandas as pd

from pdkappa.coefficients.pair_counts import are_first
from pdkappa.coefficients.rating_rows import ListedRows
from pdkappa.coefficients.sparse_rows import (
    Numbered,
    ProfileRows,
    add_profiles,
    count_listed,
    drop_few,
)
from pdkappa.errors import DuplicateRatingError, OptionError, RatingsError, TooLargeError, shown
from pdkappa.ratings.coded import Counted
from pdkappa.ratings.columns import code_column, factorize, is_plain, plain_label, with_sets
from pdkappa.ratings.counted_chunks import (
    code_values,
    count_rows,
    merge,
    number_rows,
    settle,
    stack_columns,
)
from pdkappa.ratings.counted_pairs import PairTables
from pdkappa.ratings.items import check_names, names_alike, rank_values

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from pdkappa._typing import Add, IntArray, Label
    from pdkappa.coefficients.pair_counts import Margins
    from pdkappa.coefficients.sparse_rows import JointCells, Profiles
    from pdkappa.ratings.coded import Coded
    from pdkappa.ratings.counted_chunks import Chunk

WORD = 63  # bits of a number without its sign
MIXING = np.uint64(0x9E3779B97F4A7C15)  # 2**64 over the golden ratio (Knuth)
LARGEST_RANGE = 1 << 32  # of items that are their own numbers
MOST_SUMS = 8  # that wait to be added up


class Names(NamedTuple):
    """Which columns are the item, the rater and the rating."""

    item: Label
    rater: Label
    rating: Label


class Found(NamedTuple):
    """What a part of the ratings holds, whether its items are whole or not."""

    labels: Chunk  # the distinct ratings (in the groups of `by`), with how often each occurs
    raters: Chunk  # the distinct raters
    n_nameless: Counter[str]  # how many ratings have no item, and no rater

    @property
    def size(self) -> int:
        """Number of counts."""
        return self.labels.size + self.raters.size


@dataclass(frozen=True)
class Known:
    """What the ratings and raters are coded by in every part."""

    names: Names  # the columns
    by: list[Label]  # the columns of the groups
    # The distinct ratings, in their groups if there are any, in an order of their own, (L, ...).
    labels: pd.DataFrame
    raters: pd.Index  # the raters, (R,)

    @property
    def columns(self) -> list[Label]:
        """All columns that are read, each once."""
        return [*dict.fromkeys([*self.by, *self.names])]


@dataclass(frozen=True)
class CodedPart:
    """Some of the ratings, whose items need not be whole."""

    item: pd.Series  # the item of each rating, (M,)
    # Who gave it, and its place among the labels, (M,).
    rater: IntArray
    label: IntArray

    @property
    def size(self) -> int:
        """Number of ratings."""
        return len(self.rater)


@dataclass(frozen=True)
class Part:
    """The ratings of some items, whole, as numbers: of the labels and raters known.

    Attributes
    ----------
    row, rater, label : ndarray of int, shape (M,)
        The item of each rating, numbered within the part, who gave it, and its place among the
        labels; sorted by item and by rater within it.
    alike : list of tuple
        Names of items that differ by white space alone.
    """

    row: IntArray
    rater: IntArray
    label: IntArray
    alike: list[tuple[str, str]]
    last: list[tuple[Coding, Numbered]] = field(default_factory=list, compare=False)

    @classmethod
    def of(cls, coded: CodedPart, known: Known) -> Part:
        """Sort the ratings of whole items, of which nobody may rate one twice."""
        item, labels, alike = _numbered(coded.item)
        item, rater, label = _sorted(item, coded.rater, coded.label, known)
        again = np.flatnonzero((item[1:] == item[:-1]) & (rater[1:] == rater[:-1]))
        if len(again):
            raise _repeated(labels[item[again[0]]], known.raters[rater[again[0]]])
        is_new = are_first(item)
        row = np.cumsum(is_new) - 1
        if known.by:
            _check_groups(item, labels, label[is_new][row], label, known)
        return cls(small(row), rater, label, alike)

    def numbered(self, coding: Coding) -> Numbered:
        """Return the items with numbers for their ratings, once for each method."""
        if not self.last or self.last[0][0] is not coding:
            self.last[:] = [(coding, Numbered.of(coding.rows(self)))]
        return self.last[0][1]


@dataclass(frozen=True)
class Coding:
    """What becomes of labels and raters: their places among those of a method, or -1."""

    # Of each label, (L,).
    category: IntArray
    group: IntArray
    rater: IntArray  # of each rater, (R,)
    # How many places there are.
    n_raters: int
    n_groups: int
    n_categories: int

    def rows(self, part: Part) -> ListedRows:
        """Give numbers to the ratings of a part; those without a place are left out."""
        category, rater = _taken(self.category, part.label), _taken(self.rater, part.rater)
        row, label = part.row, part.label
        if self.category.min(initial=0) < 0 or self.rater.min(initial=0) < 0:
            kept = np.flatnonzero((category >= 0) & (rater >= 0))
            category, rater, row, label = category[kept], rater[kept], row[kept], label[kept]
            row = np.unique(row, return_inverse=True)[1]
        group = _taken(self.group, label[are_first(row)])
        if (np.diff(self.rater) < 0).any():
            order = np.lexsort((rater, row))
            category, rater = category[order], rater[order]
        return ListedRows(
            row=row,
            rater=rater,
            code=category,
            crowd=self.n_raters,
            count=np.ones(len(group)),
            group=group,
            n_groups=self.n_groups,
            n_categories=self.n_categories,
        )


def _taken(places: IntArray, numbers: IntArray) -> IntArray:
    """Look numbers up, unless each one stands for itself."""
    return numbers if (places == np.arange(len(places))).all() else places[numbers]


def found_in(part: pd.DataFrame, names: Names, by: Sequence[Label]) -> Found:
    """Look for the labels and the raters in any part of the ratings."""
    rated = _rated(part, names)
    labels = count_rows(rated, [*by, names.rating])
    lost = {role: int(rated[name].isna().sum()) for role, name in _roles(names).items()}
    return Found(labels, count_rows(rated, [names.rater]), Counter(lost))


def add_found(parts: Sequence[Found]) -> Found:
    """Add up what was found in some parts."""
    labels, raters, lost = zip(*parts, strict=True)
    return Found(merge(labels), merge(raters), sum(lost, Counter()))


def _roles(names: Names) -> dict[str, Label]:
    """Return the columns that must name something of each rating."""
    return {"item": names.item, "rater": names.rater}


def _rated(part: pd.DataFrame, names: Names) -> pd.DataFrame:
    """Leave out rows without a rating, beside which numbers are masked arrays."""
    is_rated = part[names.rating].notna().to_numpy()
    rated = (part if is_rated.all() else part[is_rated]).copy(deep=False)
    for name, values in [*rated.items()]:
        if not is_plain(values) and values.dtype.kind in "iuf" and not values.hasnans:
            rated[name] = _plain(values)
    rated[names.rating] = with_sets(rated[names.rating], f"Column {shown(names.rating)}")
    return rated


def _plain(values: Any) -> Any:
    """Return the numbers of a masked array of which none is missing."""
    return values.to_numpy(values.dtype.numpy_dtype)


def coded_in(part: pd.DataFrame, known: Known, number: int = 0, n_parts: int = 1) -> CodedPart:
    """Give numbers to the raters and labels of any part of the ratings, or of some of its items."""
    names = known.names
    rated = _rated(part, names)
    if n_parts > 1:
        rated = rated[_parts_of(rated[names.item], n_parts) == number]
    label = _places(rated[[*known.by, names.rating]], known.labels)
    rater = _places(rated[[names.rater]], known.raters.to_frame())
    return CodedPart(rated[names.item], small(rater), small(label))


def add_coded(parts: Sequence[CodedPart]) -> CodedPart:
    """Put ratings one below the other."""
    if len(parts) == 1:
        return parts[0]
    item = stack_columns([part.item for part in parts], parts[0].item.name)
    return CodedPart(
        item,
        np.concatenate([part.rater for part in parts]),
        np.concatenate([part.label for part in parts]),
    )


def _parts_of(items: pd.Series, n_parts: int) -> IntArray:
    """Put items into parts, equal ones of any type into the same, by hashes that are mixed.

    Names that differ by white space alone are in the same part, too.
    """
    if is_plain(items) and items.dtype.kind in "iu":  # what `hash` makes of them, all at once
        wide = items.to_numpy().astype(f"{items.dtype.kind}8")
        hashes = np.fmod(wide, wide.dtype.type(sys.hash_info.modulus)).astype(np.int64)
        hashes[hashes == -1] = -2
    else:
        codes, labels = factorize(items, f"Column {shown(items.name)}")
        plain = (one.strip() if type(one) is str else plain_label(one) for one in labels.tolist())
        hashes = np.array([*map(hash, plain)], dtype=np.int64)[codes]
    return (hashes.astype(np.uint64) * MIXING >> np.uint64(32)) % np.uint64(n_parts)


def _check_groups(
    item: IntArray, labels: Any, first: IntArray, label: IntArray, known: Known
) -> None:
    """Make sure that each rating is in the group of the first one of its item."""
    group = known.labels.groupby(known.by, sort=False, dropna=False).ngroup().to_numpy()
    wrong = np.flatnonzero(group[label] != group[first])
    if len(wrong):
        raise OptionError(
            f"by={shown(known.by)} must be the same in all ratings of an item, and is not in those "
            f"of item {shown(plain_label(labels[item[wrong[0]]]))}. Name columns of the items."
        )


def small(numbers: IntArray) -> IntArray:
    """Hold numbers from zero up in few bytes."""
    return numbers.astype(np.min_scalar_type(-max(int(numbers.max(initial=0)), 1)))


def _numbered(values: pd.Series) -> tuple[IntArray, Any, list[tuple[str, str]]]:
    """Give equal items equal numbers from zero up, the items by their numbers, and those alike."""
    if isinstance(values.dtype, np.dtype) and values.dtype.kind in "iu" and len(values):
        low, high = int(values.min()), int(values.max())
        if high - low < LARGEST_RANGE:
            wide = values.to_numpy().astype(f"{values.dtype.kind}8")
            return (wide - wide.dtype.type(low)).astype(np.int64), range(low, high + 1), []
    where = f"Column {shown(values.name)}"
    codes, labels = factorize(values, where)
    return codes.astype(np.int64), labels, names_alike(labels, where)


def _sorted(
    item: IntArray, rater: IntArray, label: IntArray, known: Known
) -> tuple[IntArray, IntArray, IntArray]:
    """Sort ratings by item, and by rater within it."""
    of_item, of_rater, of_label = (
        int(most).bit_length()
        for most in (item.max(initial=0), len(known.raters), len(known.labels))
    )
    if of_item + of_rater + of_label > WORD:
        order = np.lexsort((rater, item))
        return item[order], rater[order], label[order]
    key = (item << of_rater | rater) << of_label | label
    key.sort()  # many times faster than to sort the places
    label = small(key & ((1 << of_label) - 1))
    key >>= of_label
    rater = small(key & ((1 << of_rater) - 1))
    key >>= of_rater
    return key, rater, label


def _places(values: pd.DataFrame, labels: pd.DataFrame) -> IntArray:
    """Find the rows of some columns among those of labels, which hold them all."""
    first, place = number_rows([code_values(values[name]) for name in values], len(values))
    known, found = (_index_of(frame) for frame in (labels[list(values)], values.iloc[first]))
    once = ~known.duplicated()  # True is 1
    return np.flatnonzero(once)[known[once].get_indexer(found)][place]


def _index_of(rows: pd.DataFrame) -> pd.Index:
    """Turn rows into an index in which equal values of any type match."""
    objects = rows.astype(object)
    if rows.shape[1] == 1:
        return pd.Index(objects.iloc[:, 0], tupleize_cols=False)
    return pd.MultiIndex.from_frame(objects)


def _repeated(item: Any, rater: Any) -> DuplicateRatingError:
    """Say that a rater rated an item twice."""
    return DuplicateRatingError(
        f"Ratings repeat the item and the rater of another one, such as item "
        f"{shown(plain_label(item))} by {shown(plain_label(rater))}. Keep one rating of each item "
        "by each rater; of trials of one item name the trial in item=[...] of from_long, and the "
        "item in cluster=."
    )


def known_of(found: Found, names: Names, by: list[Label]) -> tuple[Known, IntArray]:
    """Sort what was found; the second result is how often each label occurs."""
    frame, count = settle(found.labels.frame, found.labels.types), found.labels.count
    if not len(count):
        raise RatingsError(
            f"Column {shown(names.rating)} holds no rating. Name the column that does."
        )
    for role, name in _roles(names).items():
        if n_lost := found.n_nameless[role]:
            raise RatingsError(
                f"Column {shown(name)} must name the {role} of each rating, and is missing for "
                f"{n_lost}. Fill in the {role}, or leave those rows out."
            )
    ranks = [rank_values(frame[name], f"Column {shown(name)}") for name in reversed(list(frame))]
    order = np.lexsort(ranks)
    labels = frame.iloc[order].reset_index(drop=True)
    code_column(labels[names.rating], names.rating)  # which refuses what cannot be in one column
    raters = pd.Index(found.raters.frame[names.rater]).drop_duplicates()
    check_names(raters, f"Column {shown(names.rater)}")
    try:
        raters = raters.sort_values()
    except TypeError:
        raters = raters[np.argsort([str(name) for name in raters], kind="stable")]
    return Known(names, by, labels, raters), count[order]


LARGEST_MARGINS = 1 << 26


@dataclass(frozen=True)
class Parts:
    """Ratings of whole items, part by part."""

    each: Callable[[], Iterable[Part]]  # returns the parts, which are held, or read again

    def total(self, count: Callable[[Part], Any], add: Add) -> Any:
        """Count every part, and add up the counts."""
        found: list[Any] = []
        for part in self.each():
            found.append(count(part))
            if len(found) == MOST_SUMS:
                found = [add(found)]
        return add(found)

    def joint(self, coding: Coding, least: float) -> JointCells:
        """Count the joint ratings of pairs of raters, but those with few joint items."""
        cells = self.total(partial(joint_in, coding), added)
        return drop_few(cells, least, coding.n_groups, coding.n_categories)


@dataclass(frozen=True, kw_only=True)
class Crowd(Counted):
    """Ratings one below the other, of a crowd; `frame` holds the labels, with their counts.

    Every method adds up what is counted in parts of whole items.
    """

    known: Known  # what the parts are coded by
    parts: Parts  # the ratings
    least: float = 0  # pairs with fewer joint items are counted, not kept
    unit: ClassVar[str] = "rating"

    @property
    def rating(self) -> Label:
        """The column of the ratings."""
        return self.known.names.rating

    @property
    def rater_labels(self) -> list[Label]:
        """Names of the raters."""
        return [plain_label(name) for name in self.known.raters.tolist()]

    def coding(self, coded: Coded) -> Coding:
        """Give the labels the numbers that they were coded by, and the raters wanted theirs."""
        n_labels = len(self.known.labels)
        category, group = np.full((2, n_labels), -1, dtype=np.int64)
        category[coded.rows] = coded.codes[0]
        of_item = coded.groups.of_item
        group[coded.rows] = 0 if of_item is None else of_item
        place = {name: number for number, name in enumerate(coded.raters)}
        rater = [place.get(name, -1) for name in self.rater_labels]
        return Coding(
            category=category,
            group=group,
            rater=np.array(rater, dtype=np.int64),
            n_raters=len(coded.raters),
            n_groups=coded.n_groups,
            n_categories=len(coded.categories),
        )

    def rows(self, coded: Coded) -> ProfileRows:
        """Count the items by their ratings, and the raters by their categories."""
        coding = self.coding(coded)
        n_cells = coding.n_groups * coding.n_raters * coding.n_categories
        if n_cells > LARGEST_MARGINS:
            raise TooLargeError(
                f"Raters x categories x groups, {coding.n_raters} x {coding.n_categories} x "
                f"{coding.n_groups}, are {n_cells} counts; the limit is {LARGEST_MARGINS}. Merge "
                "categories, or compute some groups at a time."
            )
        k = coding.n_categories
        adding = partial(add_profiles, n_categories=k)
        found, margins = self.parts.total(
            partial(_rows_of, coding), partial(_add_rows, n_categories=k)
        )
        return ProfileRows.of(
            found,
            margins,
            coding.n_raters,
            n_groups=coding.n_groups,
            summed=lambda x: self.parts.total(partial(_profiles_of, coding, values=x), adding),
        )

    def tables(self, coded: Coded, *, with_itself: bool) -> PairTables:
        """Count all pairs of raters that share an item."""
        coding = self.coding(coded)
        cells = self.parts.joint(coding, self.least)
        if with_itself:
            margins = self.parts.total(partial(_margins_of, coding), added)
            cells = cells.with_raters(margins, coding.n_groups)
        return PairTables.of_joint(coded, cells)


# What is sent to workers has to be known by its name.
def joint_in(coding: Coding, part: Part) -> JointCells:
    """Count the joint ratings of a part."""
    return count_listed(coding.rows(part))


def _margins_of(coding: Coding, part: Part) -> Margins:
    """Count the categories of the raters of a part."""
    return part.numbered(coding).margins()


def _profiles_of(coding: Coding, part: Part, values: IntArray | None = None) -> Profiles:
    """Count the items of a part by their ratings."""
    return part.numbered(coding).profiles(values)


def _rows_of(coding: Coding, part: Part) -> tuple[Profiles, Margins]:
    """Count both."""
    return _profiles_of(coding, part), _margins_of(coding, part)


def _add_rows(
    parts: Sequence[tuple[Profiles, Margins]], n_categories: int
) -> tuple[Profiles, Margins]:
    """Add up what was counted of rows."""
    profiles, margins = zip(*parts, strict=True)
    return add_profiles(profiles, n_categories), added(margins)


def added(parts: Sequence[Any]) -> Any:
    """Add up joint ratings, or margins."""
    return reduce(add, parts)
