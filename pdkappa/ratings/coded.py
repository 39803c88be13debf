"""Frame -> coded ratings of all raters: every check of the input."""

from __future__ import annotations

import os
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any, ClassVar, Self

import numpy as np
import pandas as pd

from pdkappa.errors import (
    HEARING,
    ColumnsLeftOutWarning,
    OptionError,
    RatingsError,
    RatingTypeError,
    TooLargeError,
    check_choice,
    listing,
    plural,
    reasons,
    shown,
    warn,
)
from pdkappa.ratings.categories import CategorySet, of_fractions, recode, united
from pdkappa.ratings.columns import Column, as_sets, code_column, declared_sets, native
from pdkappa.ratings.items import (
    columns_of_groups,
    how_many,
    is_column,
    read_items,
    warn_of_ungrouped,
    where_in,
)
from pdkappa.ratings.raters import check_fewest, not_raters, rater_names
from pdkappa.ratings.suspicious_labels import FEWEST_SCORES, group_like, refuse_long, warn_of_looks

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from pdkappa._typing import (
        BoolArray,
        Categories,
        FloatArray,
        IntArray,
        ItemWeights,
        Label,
        Raters,
    )
    from pdkappa.ratings.items import Groups, Items
    from pdkappa.ratings.options import Reading


def as_read(coded: Any, rated: BoolArray, kind: type | None = None) -> Any:
    """Note which groups have a rating, and let the result that is being made know what was read.

    `rated` says which items have one, shape (N,); see `of_sample` for the rest.
    """
    coded = replace(coded, groups=coded.groups.rated_by(rated))
    heard = HEARING.get()
    if heard is not None:
        heard.read(coded, coded.size(rated), getattr(kind, "unit", "item"))
    return of_sample(coded, rated)


def of_sample(coded: Any, rated: BoolArray) -> Any:
    """Scale weights of a sample to a mean of 1 of the items in each group that are `rated`, (N,).

    So neither other groups nor items without ratings count. The groups keep their means.
    """
    if coded.spread is None or coded.weights is None:
        return coded
    groups = coded.groups
    place = groups.within(np.zeros(len(rated), dtype=np.int64))
    n, total = (np.bincount(place, some, groups.n) for some in (rated, rated * coded.weights))
    mean = np.where(n > 0, total, 1.0) / np.maximum(n, 1)
    every = total.sum() / n.sum() if n.any() else 1.0
    weights = coded.weights / mean[place]
    groups = replace(groups, mean_weight=mean / every)
    return replace(coded, weights=weights, spread=weights**2, groups=groups)


MISSING = ("pairwise", "listwise", "raise")
OF_FRAMES = ("collect_schema", "__dataframe__", "__arrow_c_stream__")
MOST_TYPED = 20  # raters that a hint names
LARGEST_SCALES = 1 << 28


@dataclass(frozen=True)
class Counted:
    """Distinct rows of ratings with how often each occurs, as a contingency table holds them."""

    frame: pd.DataFrame  # one column for each rater, one row for each distinct row of ratings
    counts: FloatArray  # how many items each row stands for, (len(frame),)
    # The categories in order, or their scores, if there is an order.
    declared: Categories | None = None
    anonymous: bool = False  # whether the columns are ratings in no order rather than raters
    # The column of item weights that the counts are sums of, to be told.
    weight: Label | None = None
    unit: ClassVar[str] = "item"  # what a row of the frame is

    @property
    def given(self) -> dict[Label, float]:
        """Number of ratings of each rater, if the rows do not say."""
        return {}


@dataclass(frozen=True)
class Codes:
    """Ratings of R raters as codes of K categories, shape (R, N), -1 where one is missing."""

    codes: IntArray
    categories: CategorySet
    reals: ClassVar[None] = None

    @property
    def rated(self) -> BoolArray:
        """Which ratings are there, shape (R, N)."""
        return self.codes >= 0

    def some(self, items: IntArray | slice) -> tuple[IntArray, FloatArray | None]:
        """Return codes of some items, and the numbers that they stand for, if they do."""
        return self.codes[:, items], self.categories.numbers

    def take(self, items: BoolArray) -> Codes:
        """Keep some of the items."""
        return replace(self, codes=self.codes[:, items])

    def by(self, raters: BoolArray) -> Codes:
        """Keep some of the raters."""
        return replace(self, codes=self.codes[raters])

    def used(self) -> Codes:
        """Leave out categories that were not declared and do not occur."""
        if self.categories.declared:
            return self
        used = np.zeros(len(self.categories) + 1, dtype=bool)
        used[self.codes] = True
        place = np.append(np.cumsum(used[:-1]) - 1, -1).astype(self.codes.dtype)
        return Codes(place[self.codes], self.categories.restricted_to(used[:-1]))


@dataclass(frozen=True)
class Reals:
    """Fractions of R raters, shape (R, N), NaN where one is missing; codes are made when asked."""

    reals: FloatArray

    @cached_property
    def rated(self) -> BoolArray:
        """Which ratings are there, shape (R, N)."""
        return ~np.isnan(self.reals)

    @cached_property
    def _coded(self) -> tuple[IntArray, CategorySet]:
        return of_fractions(self.reals)

    @property
    def codes(self) -> IntArray:
        """Category of each rating, shape (R, N), -1 where it is missing."""
        return self._coded[0]

    @property
    def categories(self) -> CategorySet:
        """The K fractions that occur."""
        return self._coded[1]

    def some(self, items: IntArray | slice) -> tuple[IntArray, FloatArray | None]:
        """Return codes of some items, and the numbers that they stand for: few only if all are."""
        codes, categories = of_fractions(self.reals[:, items])
        if len(categories) < FEWEST_SCORES:
            return self.codes[:, items], self.categories.numbers
        return codes, categories.numbers

    def take(self, items: BoolArray) -> Reals:
        """Keep some of the items, and the fractions that occur there."""
        return Reals(self.reals[:, items])

    def by(self, raters: BoolArray) -> Reals:
        """Keep some of the raters."""
        return Reals(self.reals[raters])

    def used(self) -> Reals:
        """Return the same, all of which occurs."""
        return self


@dataclass(frozen=True)
class Coded:
    """Ratings of N items by R raters in G groups, coded by one set of K categories."""

    held: Codes | Reals  # the ratings, and their categories
    raters: list[Label]  # names of the raters
    items: pd.Index  # labels of the N items in the frame
    groups: Groups  # the G groups of the items
    weights: FloatArray | None = None  # weights of the items, all positive, (N,)
    clusters: IntArray | None = None  # what each item is nested in, numbered over all groups, (N,)
    # Squared weights of a sample (see `of_sample`), where single items are clusters of their own,
    # (N,).
    spread: FloatArray | None = None
    # Which rows of the frame the items are, all of them without an array.
    keep: BoolArray | IntArray | slice | None = None
    # Whether disagreements count by distance, so that numbers are positions.
    by_distance: bool = False
    # Items with a rating that ``missing="listwise"`` left out; of a sample their number.
    left_out: float = 0.0
    lost: float = 0.0  # items without any that it left out, too
    # The columns that say something about the items: groups, weights, clusters.
    named: list[Any] = field(default_factory=list)
    nameless: bool = False  # whether nobody knows who rated

    @property
    def named_raters(self) -> list[Label]:
        """Names of those who rated something, but none where nobody knows who rated."""
        return [] if self.nameless else [self.raters[one] for one in self.active]

    @property
    def active(self) -> IntArray:
        """Those who rated something, as positions among the raters; all, if that is not known."""
        rated: BoolArray = np.logical_or.reduce(self.held.rated, axis=1)
        n_raters = len(self.raters)
        return np.flatnonzero(rated) if len(rated) == n_raters else np.arange(n_raters)

    @property
    def codes(self) -> IntArray:
        """Category of each rating, shape (R, N), -1 where it is missing."""
        return self.held.codes

    @property
    def categories(self) -> CategorySet:
        """The K categories."""
        return self.held.categories

    @property
    def unrated(self) -> float:
        """Number of items without any rating."""
        nobody: BoolArray = ~np.logical_or.reduce(self.held.rated, axis=0)
        return self.lost + self.size(nobody)

    @property
    def n_groups(self) -> int:
        """G; 1 without groups."""
        return self.groups.n

    @property
    def rows(self) -> IntArray:
        """Positions of the N items in the frame, shape (N,)."""
        kept = np.arange(len(self.items)) if not isinstance(self.keep, np.ndarray) else self.keep
        return np.flatnonzero(kept) if kept.dtype == bool else kept.astype(np.intp)

    @cached_property
    def in_use(self) -> BoolArray:
        """Categories on the scale of each group, shape (G, K), or (1, K) if all share one.

        They do without distances. By distance, numbers that were not declared form the scale of
        the group in which they occur.
        """
        self.check_places()
        return self.listed if self.by_distance else np.ones((1, len(self.categories)), dtype=bool)

    def check_places(self) -> None:
        """Refuse more groups and categories than can be counted, before anything is."""
        k = len(self.categories)
        if self.groups.of_item is not None and self.n_groups * k > LARGEST_SCALES:
            raise TooLargeError(
                f"{self.n_groups} groups of {k} categories have more than {LARGEST_SCALES} places. "
                "Name fewer with categories=[...], round the ratings, or compute some groups at a "
                "time."
            )

    @property
    def listed(self) -> BoolArray:
        """Categories that tell something of each group, shape (G, K) or (1, K).

        All do, but numbers that were not declared and do not occur in a group.
        """
        is_open = self.categories.numeric and not self.categories.declared
        return self.occurring if is_open else np.ones((1, len(self.categories)), dtype=bool)

    @cached_property
    def occurring(self) -> BoolArray:
        """Categories that occur in each group, shape (G, K); all, (1, K), without groups."""
        k, groups = len(self.categories), self.groups.of_item
        if groups is None:
            return np.ones((1, k), dtype=bool)
        self.check_places()
        used = np.zeros((self.n_groups, k + 1), dtype=bool)  # missing ones before all others
        first = groups * np.int64(k + 1) + 1
        for codes in self.codes:
            used.reshape(-1)[first + codes] = True
        return used[:, 1:]

    def where(self, category: int) -> str:
        """Tell where the first ratings in a category stand, for messages."""
        for rater, codes in zip(self.raters, self.codes, strict=True):
            rows = np.flatnonzero(codes == category)
            if len(rows):
                return f" in column {shown(rater)}{where_in(self.items, rows)}"
        return ""

    def size(self, items: BoolArray) -> float:
        """Count some of the items, each by its weight unless that is of a sample."""
        weights = None if self.spread is not None else self.weights
        return float(items.sum() if weights is None else weights[items].sum())

    def by(self, raters: BoolArray) -> Coded:
        """Keep some of the raters."""
        names = [one for one, kept in zip(self.raters, raters, strict=True) if kept]
        return replace(self, held=self.held.by(raters), raters=names)

    def take(self, items: BoolArray, ratings: BoolArray | None = None) -> Self:
        """Keep some of the items, with their groups, weights and clusters.

        `ratings` are theirs, where these are not one for each item.
        """
        return replace(
            self,
            held=self.held.take(items if ratings is None else ratings),
            items=self.items[items],
            groups=self.groups.take(items),
            weights=None if self.weights is None else self.weights[items],
            clusters=None if self.clusters is None else self.clusters[items],
            spread=None if self.spread is None else self.spread[items],
            keep=self.rows[items],
        )


def encode(
    data: pd.DataFrame | Counted,
    raters: Raters | None,
    reading: Reading,
    *,
    needs_order: str | None = None,
    fewest_raters: int = 2,
    needs_identity: bool = True,
    by_distance: bool = False,
    warns: bool = True,
    lookalikes: bool = True,
    rated_by: list[Label] | None = None,
) -> Coded:
    """Check the ratings and code them by one set of categories.

    By default, all columns are raters but those that say something about the items. `needs_order`
    is the option that needs an order, for the message; `needs_identity` says whether it must be
    known who gave which rating, `warns` whether the data are read for the first time, and
    `lookalikes` whether labels that look like mistakes can be some. `rated_by` are those who gave
    the ratings of one column.
    """
    check_choice("missing", reading.missing, MISSING)
    frame, weight, categories = opened(
        data, reading.sample_weight, reading.categories, needs_identity=needs_identity
    )
    of_rows = not (isinstance(data, Counted) and data.anonymous)
    counts = data.counts if isinstance(data, Counted) and of_rows else None
    by = [] if reading.by is None else columns_of_groups(frame, reading.by)
    named = by + [name for name in (weight, reading.cluster) if is_column(frame, name)]
    frame = native(frame, named)
    names = rater_names(frame, raters, named, fewest_raters, reading.beside)
    items = read_items(frame, by, weight, reading, counts)
    if warns and by and not isinstance(items.keep, slice):
        warn_of_ungrouped(frame, by, counts, number=not _given(data))
    columns, declared = _columns(frame, names, items, categories, reading)
    guesses = raters is None and of_rows
    never = _left_out(columns, data, items, fewest_raters) if guesses else {}
    unnamed = guesses and not _given(data)
    columns = [column for column in columns if column.name not in never]
    columns, held, doubts = _united(columns, declared, needs_order, items.counts, look=unnamed)
    if isinstance(held, Codes) and held.categories.scores is None:
        needs_order = None
    _check_complete(columns, items.counts, reading)
    _warn_of_left_out(never, doubts, names)
    if unnamed:
        refuse_long(columns)
    if warns and lookalikes and of_rows and categories is None:
        warn_of_looks(columns, lambda: held.categories.numbers, by_distance=needs_order is not None)
    coded = Coded(
        held,
        [column.name for column in columns] if rated_by is None else rated_by,
        **items.of(frame.index),
        by_distance=by_distance,
        named=named,
        nameless=not of_rows,
    )
    return _after_missing(coded, reading.missing, type(data))


def _after_missing(coded: Coded, missing: str, kind: type) -> Coded:
    """Leave out items with a missing rating if asked to, and let it be known what was read."""
    coded = _listwise(coded) if missing == "listwise" else coded
    return as_read(coded, np.logical_or.reduce(coded.held.rated, axis=0), kind)


def _united(
    columns: list[Column],
    declared: Categories | None,
    order: str | None,
    counts: FloatArray | None,
    *,
    look: bool,
) -> tuple[list[Column], Codes | Reals, dict[Label, str]]:
    """Code ratings by their shared categories; without what looks like groups, if it shall look."""
    held = _held(columns, declared, order, counts)
    doubts = group_like(columns, held.some, counts) if look else {}
    if doubts:
        columns = [column for column in columns if column.name not in doubts]
        held = _held(columns, declared, order, counts)
    return columns, held, doubts


def _held(
    columns: list[Column], declared: Categories | None, order: str | None, counts: FloatArray | None
) -> Codes | Reals:
    """Put the ratings of all raters together; fractions of items need no codes so far."""
    values = [column.reals for column in columns if column.reals is not None]
    if declared is None and counts is None and len(values) == len(columns):
        reals = np.array(values)
        reals += 0.0  # so that -0.0 becomes 0.0
        return Reals(reals)
    found, places = united(columns, declared, order)
    return Codes(recode(columns, found, places), found)


def _columns(
    frame: pd.DataFrame,
    names: list[Label],
    items: Items,
    categories: Categories | None,
    reading: Reading,
) -> tuple[list[Column], Categories | None]:
    """Code the items that count, column by column, and read the declared categories likewise.

    Distinct rows with counts stand nowhere.
    """
    keep = items.keep
    ratings = (frame[name] if isinstance(keep, slice) else frame[name][keep] for name in names)
    if reading.of_sets:
        ratings = (as_sets(one, name, reading) for one, name in zip(ratings, names, strict=True))
    columns = [code_column(one, name) for one, name in zip(ratings, names, strict=True)]
    if items.counts is not None:
        columns = [replace(column, index=None, counts=items.counts) for column in columns]
    return columns, declared_sets(categories, reading)


def _given(data: pd.DataFrame | Counted) -> dict[Label, float]:
    """Return the number of ratings of each rater, if they were counted before."""
    return data.given if isinstance(data, Counted) else {}


def _left_out(
    columns: list[Column], data: pd.DataFrame | Counted, items: Items, fewest: int
) -> dict[Label, str]:
    """Say which columns cannot be ratings, and why; refuse to guess of how many items they are.

    At least the `fewest` are left.
    """

    def found(columns: list[Column]) -> dict[Label, str]:
        def given() -> dict[Label, float]:
            return {column.name: column.n_ratings for column in columns} | _given(data)

        return not_raters(columns, given, items.groups.of_item)

    never = found(columns)
    if isinstance(data, Counted) and data.weight is not None:  # counts are sums of weights
        of_rows = found([replace(column, counts=None) for column in columns])
        if doubtful := [
            one.name for one in columns if (one.name in never) != (one.name in of_rows)
        ]:
            raise RatingsError(
                f"Whether {listing(doubtful)} {plural(len(doubtful), 'holds', 'hold')} ratings is "
                f"not known: rows are counted by the weights in {shown(data.weight)}. Name the "
                "raters: raters=[...]."
            )
    if never:
        check_fewest([one.name for one in columns if one.name not in never], fewest, never)
    return never


def _warn_of_left_out(
    never: Mapping[Label, str], doubts: Mapping[Label, str], names: Iterable[Label]
) -> None:
    """Give one warning of the columns that are no raters, if there are any, and name the others.

    Some of the columns can `never` be ratings, others look like groups or weights: `doubts`.
    """
    found = {**never, **doubts}
    if not found:
        return
    kept = [name for name in names if name not in found]
    raters = ", ".join(map(shown, kept)) if len(kept) <= MOST_TYPED else "..."
    more = f"name {listing(doubts)}, which look like groups or weights, there, too"
    warn(
        f"Columns that cannot be ratings are left out: {reasons(found)}. "
        f"Pass raters=[{raters}] to say so, or {more if doubts else 'name others there'}.",
        ColumnsLeftOutWarning,
    )


def opened(
    data: pd.DataFrame | Counted,
    sample_weight: ItemWeights | None,
    categories: Categories | None,
    *,
    needs_identity: bool = True,
) -> tuple[pd.DataFrame, ItemWeights | None, Categories | None]:
    """Return the frame that holds the ratings, with its weights and categories."""
    if isinstance(data, Counted):
        if needs_identity:
            check_identity(data)
        data, sample_weight, categories = _uncounted(data, sample_weight, categories)
    _check_frame(data)
    return data, sample_weight, categories


def _check_frame(data: object) -> None:
    """Make sure that the ratings come in a frame."""
    if not isinstance(data, pd.DataFrame):
        package = type(data).__module__.partition(".")[0].lstrip("_")
        whose = "" if package == "builtins" else f" of {package}"
        raise RatingTypeError(
            f"data must be a pandas DataFrame with a column for each rater, got "
            f"{type(data).__name__}{whose}. {_other_way(data, package)}"
        )


def _other_way(data: object, package: str) -> str:
    """Say where data of another kind are taken."""
    if package.startswith("dask"):
        return "Import pdkappa.dask, and call the methods of data.kappa."
    if hasattr(data, "read"):
        return "Read it first, as with pandas.read_csv(data)."
    if isinstance(data, str | bytes | os.PathLike):
        return "Pass pandas.read_csv(data), or pdkappa.scan(data) for what does not fit in memory."
    if package != "pandas" and any(hasattr(data, name) for name in OF_FRAMES):
        return "Pass pdkappa.from_frame(data)."
    return "Make one with pandas.DataFrame(data); for two sequences use pdkappa.qwk."


def check_identity(data: Counted) -> None:
    """Make sure that it is known who gave which rating."""
    if data.anonymous:
        raise OptionError(
            "Counts of categories do not say who rated, so raters cannot be compared. Use "
            "agreement() with percent, brennan_prediger, fleiss, gwet or krippendorff, items() and "
            "categories() with coefficient='fleiss', or consensus()."
        )


def _uncounted(
    data: Counted, sample_weight: ItemWeights | None, categories: Categories | None
) -> tuple[pd.DataFrame, ItemWeights, Categories | None]:
    """Use the counts of distinct rows as frequency weights."""
    if sample_weight is not None:
        raise OptionError(
            "sample_weight cannot be given for a table of counts, which are the weights."
        )
    return data.frame, data.counts, data.declared if categories is None else categories


def _check_complete(columns: list[Column], counts: FloatArray | None, reading: Reading) -> None:
    """Make sure that every item is rated by every rater, if that is asked for."""
    for column in columns if reading.missing == "raise" else []:
        rows = np.flatnonzero(~column.rated)
        if len(rows):
            raise missing_error(column.name, rows, column.index, counts)


def check_complete(columns: list[pd.Series]) -> None:
    """Refuse columns with missing values."""
    for column in columns:
        rows = np.flatnonzero(column.isna())
        if len(rows):
            raise missing_error(column.name, rows, column.index, None)


def missing_error(
    rater: Label, rows: IntArray, index: pd.Index | None, counts: FloatArray | None = None
) -> RatingsError:
    """Say that a rater did not rate some rows."""
    return RatingsError(
        f"Column {shown(rater)} has {how_many(rows, counts, 'missing rating')}"
        f"{where_in(index, rows)}. Pass missing='pairwise' or 'listwise' to leave them out."
    )


def _listwise(coded: Coded) -> Coded:
    """Leave out items that some rater did not rate, and categories that only they used."""
    rated = coded.held.rated
    keep: BoolArray = np.logical_and.reduce(rated, axis=0)
    if keep.all():
        return coded
    size = coded.size(~keep & rated.any(axis=0))
    kept = replace(coded.take(keep), left_out=size, lost=coded.unrated)
    return replace(kept, held=kept.held.used())
