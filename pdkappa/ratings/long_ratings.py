"""Ratings one below the other -> coded ratings, without a frame that is wider than they are."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any, Self

import numpy as np
import pandas as pd

from pdkappa.coefficients.sparse_rows import FULLEST
from pdkappa.errors import (
    DuplicateRatingError,
    OptionError,
    RatingsError,
    RatingTypeError,
    TooLargeError,
    as_python,
    check_choice,
    listing,
    plural,
    shown,
)
from pdkappa.ratings.categories import declared_set, recode, unite
from pdkappa.ratings.coded import MISSING, Coded, Codes, as_read, missing_error
from pdkappa.ratings.columns import (
    Column,
    as_sets,
    code_column,
    declared_sets,
    factorize,
    is_plain,
    native,
    plain_label,
)
from pdkappa.ratings.items import (
    check_columns,
    check_distinct,
    check_names,
    columns_of_groups,
    read_items,
    warn_of_ungrouped,
    where_in,
)
from pdkappa.ratings.options import Reading
from pdkappa.ratings.raters import rater_names
from pdkappa.ratings.suspicious_labels import warn_of_looks

if TYPE_CHECKING:
    from pdkappa._typing import BoolArray, Categories, IntArray, Label, Raters

LARGEST_FRAME = 1 << 26  # cells, of 9 bytes or fewer
FEWEST_PLACES = 1 << 16
WORD = 63  # bits of a number without its sign


class AllRaters(list["Label"]):
    """All raters of a list, none of whom was named."""


@dataclass(frozen=True)
class Listed:
    """M ratings of N items by R raters, one below the other."""

    # The ratings, sorted by item and by rater within an item, and all other columns, (M, ...).
    data: pd.DataFrame
    rating: Label  # the column of the ratings
    # The item and the rater of each rating, as positions among these, (M,).
    item: IntArray
    rater: IntArray
    item_labels: pd.Index  # labels of the items, (N,)
    rater_labels: list[Label]  # names of the R raters
    # The categories in order, or their scores, if there is an order.
    declared: Categories | None = None

    @cached_property
    def ratings(self) -> pd.Series:
        """The ratings by item and rater, shape (M,)."""
        raters = pd.Index(self.rater_labels, dtype=object, tupleize_cols=False)
        levels: Any = [self.item_labels.to_flat_index(), raters]
        codes: Any = [self.item, self.rater]
        index = pd.MultiIndex(levels, codes, verify_integrity=False)
        return self.data[self.rating].set_axis(index)

    @cached_property
    def wide(self) -> pd.DataFrame:
        """One row for each item: a column for each rater, and those of the items."""
        return self._of_raters(self.rater_labels)

    def _of_raters(self, names: list[Label]) -> pd.DataFrame:
        """Return one row for each item: a column for some of the raters, and those of the items."""
        check_room(len(self.item_labels), len(names))
        n_cells = len(self.item_labels) * len(self.rater_labels)
        ratings = self.data[self.rating]
        if is_plain(ratings) and ratings.dtype.kind in "iub" and n_cells > len(ratings):
            ratings = ratings.convert_dtypes()  # to integers and booleans that can be missing
        order = np.argsort(self.rater, kind="stable")
        ends = np.searchsorted(self.rater[order], np.arange(len(self.rater_labels) + 1))
        place = {name: number for number, name in enumerate(self.rater_labels)}
        columns = [
            self._column(ratings.array, order[ends[place[name]] : ends[place[name] + 1]])
            for name in names
        ]
        columns += [self.item_frame.iloc[:, i].array for i in range(self.item_frame.shape[1])]
        frame = pd.DataFrame(dict(enumerate(columns)), index=self.item_labels)
        frame.columns = pd.Index([*names, *self._of_items], tupleize_cols=False)
        frame.attrs = {**self.data.attrs}
        return frame

    @cached_property
    def item_frame(self) -> pd.DataFrame:
        """The columns that an item has only one value of, one row for each item."""
        first = np.searchsorted(self.item, np.arange(len(self.item_labels)))
        return self.data[self._of_items].iloc[first].set_axis(self.item_labels)

    @property
    def is_crowd(self) -> bool:
        """Whether the wide frame would be nearly empty, or too large."""
        n_cells = len(self.item_labels) * len(self.rater_labels)
        return n_cells > min(LARGEST_FRAME, FULLEST * len(self.item))

    @cached_property
    def is_sparse(self) -> bool:
        """Whether it takes less to count the joint ratings than to make the wide frame."""
        n_cells = len(self.item_labels) * len(self.rater_labels)
        return n_cells > LARGEST_FRAME or number_joint(self.item) < n_cells

    @cached_property
    def _of_items(self) -> list[Label]:
        """Name the columns that are the same in all ratings of an item."""
        others = [name for name in self.data.columns if name != self.rating]
        return [name for name in others if self._is_of_items(self.data[name])]

    def _is_of_items(self, column: Any) -> bool:
        """Whether a column is the same in all ratings of an item."""
        same_item = self.item[1:] == self.item[:-1]
        try:
            codes, _ = factorize(column, "")
        except RatingTypeError:
            return False
        return bool((codes[1:] == codes[:-1])[same_item].all())

    def _column(self, values: Any, rows: IntArray) -> Any:
        """Return the ratings of one rater, missing where there is none."""
        place = np.full(len(self.item_labels), -1)
        place[self.item[rows]] = rows
        return values.take(place, allow_fill=True)


def check_room(n_items: int, n_raters: int) -> None:
    """Refuse more cells than a frame of all raters should have."""
    n_cells = n_items * n_raters
    if n_cells > LARGEST_FRAME:
        raise TooLargeError(
            f"This needs all raters side by side: {n_items} items by {n_raters} raters are "
            f"{n_cells} cells; the limit is {LARGEST_FRAME}. Pass fewer raters, or use agreement, "
            "pairs, raters, items or categories, which need no such frame."
        )


def names_among(labels: list[Label], raters: Raters | None) -> list[Label]:
    """Return the raters that are wanted, of whom there are two or more."""
    if raters is None and len(labels) > 1:
        return labels
    known = pd.Index(labels, dtype=object, tupleize_cols=False)
    return rater_names(pd.DataFrame(columns=known), raters, [], 2)


def restricted(data: Listed, raters: Raters | None) -> Listed:
    """Keep some of the raters, in the order given."""
    if raters is None and len(data.rater_labels) > 1:
        return data
    names = names_among(data.rater_labels, raters)
    number = {name: place for place, name in enumerate(names)}
    rater = np.array([number.get(name, -1) for name in data.rater_labels])[data.rater]
    rows = np.flatnonzero(rater >= 0)
    rows = rows[np.lexsort((rater[rows], data.item[rows]))]
    return replace(
        data,
        data=data.data.iloc[rows].reset_index(drop=True),
        item=data.item[rows],
        rater=rater[rows],
        rater_labels=names,
    )


def read_long(
    data: object,
    *,
    item: Label | list[Label],
    rater: Label,
    rating: Label,
    categories: Categories | None = None,
    sep: str | None = None,
) -> Listed:
    """Read ratings one below the other; items and raters are sorted."""
    if not isinstance(data, pd.DataFrame):
        raise RatingTypeError(
            "data must be a frame with one rating in each row, of pandas, Dask, polars, pyarrow or "
            f"DuckDB, got {type(data).__name__}. Files have pdkappa.scan_long, and wide frames "
            "df.kappa."
        )
    of_items = _columns_of_items(data, item, rater, rating)
    if categories is not None:
        declared_set(categories)
    rated = native(data[data[rating].notna().to_numpy()])
    if not len(rated):
        raise RatingsError(f"Column {shown(rating)} holds no rating. Name the column that does.")
    if sep is not None:
        rated = rated.copy(deep=False)
        rated[rating] = as_sets(rated[rating], rating, Reading(sep=sep))
    places, items = _numbered_together(rated, of_items, "item")
    by, raters = _numbered(rated, rater, "rater")
    order = _order_of(places * max(len(raters), 1) + by)
    places, by = places[order], by[order]
    again = (np.diff(places) == 0) & (np.diff(by) == 0)
    _check_duplicates(rated.iloc[order], of_items, rater, again)
    once = rated.columns[~rated.columns.duplicated(keep=False)]
    kept = [name for name in once if name != rater and (isinstance(item, list) or name != item)]
    return Listed(
        data=rated[kept].iloc[order].reset_index(drop=True),
        rating=rating,
        item=places,
        rater=by,
        item_labels=items,
        rater_labels=raters.tolist(),
        declared=categories,
    )


def _columns_of_items(
    data: pd.DataFrame, item: Label | list[Label], rater: Label, rating: Label
) -> list[Label]:
    """List the columns that tell the items apart; all that are named are there, and differ."""
    of_items = item if isinstance(item, list) else [item]
    if not of_items:
        raise OptionError("item is an empty list. Name the column of the items, or several.")
    for names, role in ((of_items, "item"), ([rater], "rater"), ([rating], "rating")):
        check_columns(data, names, role)
    check_distinct([*of_items, rater, rating], "from_long", "column")
    return of_items


def _numbered_together(
    data: pd.DataFrame, names: list[Label], role: str
) -> tuple[IntArray, pd.Index]:
    """Return the combinations of values of columns as numbers in sorted order."""
    key, index = _numbered(data, names[0], role)
    if len(names) == 1:
        return key, index.rename(names[0])
    parts = [(key, index), *(_numbered(data, name, role) for name in names[1:])]
    for codes, labels in parts[1:]:
        _, key = np.unique(key * len(labels) + codes, return_inverse=True)
    _, first = np.unique(key, return_index=True)
    levels = [labels.take(codes[first]) for codes, labels in parts]
    return key, pd.MultiIndex.from_arrays(levels, names=names)


def _numbered(data: pd.DataFrame, name: Label, role: str) -> tuple[IntArray, pd.Index]:
    """Return the values of a column as numbers in sorted order; none may be missing."""
    column = data[name]
    if is_plain(column) and column.dtype.kind == "i":
        values = column.to_numpy()
        low, high = int(values.min()), int(values.max())
        if high - low < max(len(values), FEWEST_PLACES):  # which needs no hashing
            return _by_place(values, low, high)
    codes, labels = factorize(column.reset_index(drop=True), f"Column {shown(name)}")
    missing = np.flatnonzero(codes < 0)
    if len(missing):
        raise RatingsError(
            f"Column {shown(name)} must name the {role} of each rating, and is missing at index "
            f"{listing(data.index[missing])}. Fill in the {role}, or drop those rows."
        )
    check_names(labels, f"Column {shown(name)}")
    index = pd.Index(labels, tupleize_cols=False)
    order = _sorted(index)
    place = np.empty(len(index), dtype=np.int64)
    place[order] = np.arange(len(index))
    return place[codes], index[order]


def _by_place(values: IntArray, low: int, high: int) -> tuple[IntArray, pd.Index]:
    """Return whole numbers between two others as numbers in sorted order."""
    offset = values.astype(np.int64) - low
    occurs = np.zeros(high - low + 1, dtype=bool)
    occurs[offset] = True
    labels = np.flatnonzero(occurs) + low
    return (np.cumsum(occurs) - 1)[offset], pd.Index(labels.astype(values.dtype))


def _order_of(keys: IntArray) -> IntArray:
    """Sort numbers from zero up, equal ones in their order; with their places if both fit."""
    bits = len(keys).bit_length()
    if int(keys.max(initial=0)).bit_length() + bits >= WORD:
        return np.argsort(keys, kind="stable")
    both = np.sort(keys << bits | np.arange(len(keys)))  # many times faster than argsort
    return both & ((1 << bits) - 1)


def _sorted(index: pd.Index) -> IntArray:
    """Return the order of labels, or that in which they appear if they have none."""
    try:
        return index.argsort()
    except TypeError:
        return np.arange(len(index))


def _check_duplicates(
    data: pd.DataFrame, item: list[Label], rater: Label, again: BoolArray
) -> None:
    """Make sure that no rater rated an item twice; `again` is about rows but the first."""
    repeated = np.flatnonzero(again)
    if not len(repeated):
        return
    first, n = int(repeated[0]), len(repeated)
    *name, who = (plain_label(data[column].iloc[first]) for column in (*item, rater))
    raise DuplicateRatingError(
        f"{n} {plural(n, 'rating repeats', 'ratings repeat')} the item and the rater of another "
        f"one, such as item {listing(name)} by {shown(who)}, at index "
        f"{listing(data.index[first : first + 2])}. Keep one of them, as with "
        f"data.drop_duplicates({as_python([*item, rater])}, keep='last'); of several criteria "
        f"name the column, too: item={as_python([*item, 'criterion'])}; of trials of one item name "
        f"the trial in item={as_python([*item, 'trial'])}, and cluster={shown(item[0])}."
    )


def number_joint(item: IntArray) -> int:
    """Count how often two raters rated one item; `item` is sorted, shape (M,)."""
    starts = np.flatnonzero(np.diff(item, prepend=-1))
    times = np.diff(starts, append=len(item))
    return int((times * (times - 1) // 2).sum())


def is_told_apart(data: pd.DataFrame, item: list[Label], rater: Label, rating: Label) -> bool:
    """Whether a column of fewer values than items, a criterion, tells repeated ratings apart."""
    once = data.columns[~data.columns.duplicated(keep=False)]
    named = [*item, rater, rating]
    if not once.isin(named).sum() == len(named) == len(set(named)):
        return False
    rated = data[data[rating].notna().to_numpy()]
    n_items = len(rated.drop_duplicates(item))

    def tells(name: Label) -> bool:
        try:
            is_repeated = rated.duplicated([*item, name, rater]).any()
            return rated[name].nunique() < n_items and not is_repeated
        except TypeError:  # values that cannot be labels
            return False

    return any(tells(name) for name in once if name not in named)


@dataclass(frozen=True)
class CodedList(Coded):
    """M ratings of N items by R raters in G groups, one below the other.

    Attributes
    ----------
    held : Codes
        Category of each rating, shape (1, M); none is missing.
    item, rater : ndarray of int, shape (M,)
        The item and the rater of each rating; sorted by item and by rater within an item.
    places : Index, shape (M,)
        Labels of the item and the rater of each rating, for messages.
    """

    item: IntArray = field(kw_only=True)
    rater: IntArray = field(kw_only=True)
    places: pd.Index = field(kw_only=True)

    @property
    def active(self) -> IntArray:
        """Those who rated something, as positions among the raters."""
        return np.unique(self.rater)

    @cached_property
    def occurring(self) -> BoolArray:
        """Categories that occur in each group, shape (G, K); all, (1, K), without groups."""
        k, groups = len(self.categories), self.groups.of_item
        if groups is None:
            return np.ones((1, k), dtype=bool)
        self.check_places()
        used = np.zeros(self.n_groups * k, dtype=bool)
        used[groups[self.item].astype(np.int64) * k + self.codes[0]] = True
        return used.reshape(self.n_groups, k)

    def where(self, category: int) -> str:
        """Tell where the ratings in a category stand, for messages."""
        return where_in(self.places, np.flatnonzero(self.codes[0] == category))

    def take(self, items: BoolArray, ratings: BoolArray | None = None) -> Self:
        """Keep some of the items, with their ratings, groups, weights and clusters."""
        kept = items[self.item] if ratings is None else ratings
        item = (np.cumsum(items) - 1)[self.item[kept]]
        found = super().take(items, kept)
        return replace(found, item=item, rater=self.rater[kept], places=self.places[kept])


def encode_list(
    data: Listed,
    raters: Raters | None,
    reading: Reading,
    *,
    needs_order: str | None = None,
    by_distance: bool = False,
    warns: bool = True,
) -> CodedList:
    """Check ratings one below the other and code them by one set of categories.

    The options are those of `pdkappa.ratings.coded.encode`.
    """
    check_choice("missing", reading.missing, MISSING)
    frame = data.item_frame
    data = restricted(data, raters)
    by = [] if reading.by is None else columns_of_groups(frame, reading.by)
    items = read_items(frame, by, reading.sample_weight, reading, None)
    keep = np.ones(len(frame), dtype=bool) if isinstance(items.keep, slice) else items.keep
    if warns and by and not keep.all():
        warn_of_ungrouped(frame, by)
    kept = slice(None) if keep.all() else keep[data.item]
    column = _coded_column(data, kept, reading)
    declared = declared_sets(reading.categories, reading)
    found = unite([column], declared, needs_order)
    coded = CodedList(
        Codes(recode([column], found), found),
        data.rater_labels,
        **items.of(frame.index),
        by_distance=by_distance,
        item=(np.cumsum(keep) - 1)[data.item[kept]],
        rater=data.rater[kept],
        places=data.ratings.index[kept],
    )
    if reading.missing == "raise":
        _check_complete(coded)
    by_scores = found.scores is not None and bool(needs_order)
    if warns and reading.categories is None:
        warn_of_looks([column], by_distance=by_scores)
    coded = _listwise(coded) if reading.missing == "listwise" else coded
    return as_read(coded, np.bincount(coded.item, minlength=len(coded.items)) > 0)


def _coded_column(data: Listed, kept: BoolArray | slice, reading: Reading) -> Column:
    """Code the ratings that are kept by their own categories."""
    ratings = data.ratings[kept]
    if reading.of_sets:
        ratings = as_sets(ratings, data.rating, reading)
    return code_column(ratings, data.rating)


def _check_complete(coded: CodedList) -> None:
    """Make sure that every item is rated by every rater."""
    n_items = len(coded.items)
    n_ratings = np.bincount(coded.rater, minlength=len(coded.raters))
    for rater in np.flatnonzero(n_ratings < n_items)[:1]:
        rated = coded.item[coded.rater == rater]
        rows = np.setdiff1d(np.arange(n_items), rated)
        raise missing_error(coded.raters[rater], rows, coded.items)


def _listwise(coded: CodedList) -> CodedList:
    """Leave out items that some rater did not rate, and categories that only they used."""
    n_ratings = np.bincount(coded.item, minlength=len(coded.items))
    complete = n_ratings == len(coded.raters)
    if complete.all():
        return coded
    left_out = coded.size(~complete & (n_ratings > 0))
    kept = replace(coded.take(complete), left_out=left_out)
    return replace(kept, held=kept.held.used())
