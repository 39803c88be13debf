"""What the user passes about the items -> their groups, clusters and weights, checked."""

from __future__ import annotations

import warnings
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import pandas as pd

from pdkappa.errors import (
    ColumnNotFoundError,
    DuplicateRatingError,
    LeftOutWarning,
    LookalikeLabelsWarning,
    OptionError,
    RatingsError,
    RatingTypeError,
    WeightsError,
    check_text,
    did_you_mean,
    listing,
    plural,
    shown,
    warn,
)
from pdkappa.ratings.columns import (
    check_hashable,
    code_small_range,
    factorize,
    is_plain,
    native,
    numbers_of,
    plain_label,
)

if TYPE_CHECKING:
    from pandas.api.typing import DataFrameGroupBy

    from pdkappa._typing import BoolArray, By, FloatArray, IntArray, ItemWeights, Label, ObjectArray
    from pdkappa.ratings.options import Reading


@dataclass(frozen=True)
class Groups:
    """G groups of N items; a single one without a label where items are not grouped."""

    labels: pd.Index | None  # the groups, named as the columns of `by`
    of_item: IntArray | None  # group of each item, (N,)
    has_ratings: BoolArray  # whether there is any rating in a group, (G,)
    no_weight: BoolArray  # whether a group holds items, but all of them have the weight zero, (G,)
    # Mean weight of the items of each group beside that of all, where weights are those of a
    # sample; those of the items of each group have a mean of 1, (G,).
    mean_weight: FloatArray | None = None

    @property
    def n(self) -> int:
        """G; 1 where the items are not grouped."""
        return 1 if self.labels is None else len(self.labels)

    def within(self, numbers: IntArray) -> IntArray:
        """Give what items are numbered by another number in each group, shape (N,)."""
        return numbers if self.of_item is None else numbers * self.n + self.of_item

    def index(self, groups: IntArray, inner: list[pd.Index]) -> pd.Index:
        """Label rows by their groups, shape (rows,), if there are groups, and by some indices."""
        outer = self.labels
        if outer is None and len(inner) == 1:
            return inner[0]
        levels = [] if outer is None else [outer.get_level_values(i) for i in range(outer.nlevels)]
        taken = [_decoded(level).take(groups) for level in levels] + inner
        return pd.MultiIndex.from_arrays(taken, names=[level.name for level in taken])

    def each(self, inner: pd.Index) -> pd.Index:
        """Repeat the labels of rows for every group; as they are where there are no groups."""
        if self.labels is None:
            return inner
        rows = np.arange(self.n * len(inner))
        levels = [inner.get_level_values(i) for i in range(inner.nlevels)]
        places = rows % max(len(inner), 1)
        return self.index(rows // max(len(inner), 1), [level.take(places) for level in levels])

    def of_items(self, items: pd.Index) -> pd.Index:
        """Label N items by their groups, if there are groups, and by themselves."""
        if self.of_item is None:
            return items
        taken = [] if self.labels is None or items.nlevels == 1 else self.labels.names
        names = [name for name in items.names if name not in taken]
        levels = [items.get_level_values(i) for i in range(items.nlevels)]
        return self.index(self.of_item, [one for one in levels if one.name in names])

    def label(self, frame: pd.DataFrame) -> pd.DataFrame:
        """Label the rows of a new frame, as many for every group, by their groups."""
        if self.labels is not None:
            frame.index = self.labels.repeat(len(frame) // max(self.n, 1))
        return frame

    def values(self, group: int) -> dict[Label, Label]:
        """Return the columns that define the groups with their values in one of them."""
        if self.labels is None:
            return {}
        label = self.labels[group]
        values = label if self.labels.nlevels > 1 else (label,)
        return dict(zip(self.labels.names, values, strict=True))

    def name(self, group: int, between: str = ", ") -> str:
        """Name a group in words; empty where there are none."""
        return between.join(f"{name}={value}" for name, value in self.values(group).items())

    def at(self, group: int, between: str = ", ") -> str:
        """Say in which group something is; empty where there are none."""
        return f" at {self.name(group, between)}" if self.labels is not None else ""

    def why_empty(self) -> ObjectArray:
        """Say of each group why it has no ratings; empty where it has some, shape (G,)."""
        why = np.where(self.no_weight, "zero_total_weight", "no_items")
        return np.where(self.has_ratings, "", why).astype(object)

    def rated_by(self, rated: BoolArray) -> Groups:
        """Note which groups hold a rating, from which items do, shape (N,)."""
        found = np.full(self.n, self.of_item is None and rated.any())
        if self.of_item is not None:
            place = self.of_item if rated.all() else self.of_item[rated]
            found[place.astype(np.intp)] = True  # four times faster than by shorter numbers
        return replace(self, has_ratings=found)

    def alone(self, group: int) -> Groups:
        """Return one of the groups as if there were no others, and no label."""
        one = slice(group, group + 1)
        return Groups(None, None, self.has_ratings[one], self.no_weight[one])

    def together(self) -> Groups:
        """Return all groups as a single one, without a label."""
        rated, no_weight = self.has_ratings.any(), self.n > 0 and self.no_weight.all()
        return Groups(None, None, np.array([rated]), np.array([no_weight]))

    def take(self, items: BoolArray | IntArray | slice) -> Groups:
        """Keep some of the items; groups stay, and what is known of their ratings."""
        return replace(self, of_item=None if self.of_item is None else self.of_item[items])

    @classmethod
    def of(
        cls, labels: pd.Index | None, of_item: IntArray | None, weights: FloatArray | None
    ) -> Groups:
        """Make the groups of items with some weights; an item without a group is in -1."""
        n = 1 if labels is None else len(labels)
        no_weight = np.zeros(n, dtype=bool)
        if weights is not None:
            place = np.zeros(len(weights), dtype=np.int64) if of_item is None else of_item
            held, positive = (
                np.bincount(place[some & (place >= 0)], minlength=n) > 0
                for some in (np.ones(len(weights), dtype=bool), weights > 0)
            )
            no_weight = held & ~positive
        return cls(labels, of_item, np.zeros(n, dtype=bool), no_weight)


class Items(NamedTuple):
    """The items that count, and what is known of them."""

    # Which rows of the frame they are: those with a group and a weight, (N,).
    keep: BoolArray | slice
    groups: Groups  # their groups; whether these hold any rating is not known yet
    # Their weights, and how often each row stands for an item, if rows are distinct ones.
    weights: FloatArray | None
    counts: FloatArray | None
    clusters: IntArray | None  # what they are nested in
    spread: FloatArray | None  # their squared weights, if these say how likely an item was drawn

    def of(self, labels: pd.Index) -> dict[str, Any]:
        """Return what coded ratings hold of them, of a frame with such labels."""
        known = self._asdict()
        del known["counts"]  # which are in the weights
        return {"items": labels[self.keep], **known}


def read_items(
    data: pd.DataFrame,
    by: list[Label],
    sample_weight: ItemWeights | None,
    reading: Reading,
    counts: FloatArray | None,
) -> Items:
    """Read what the user says about the items, of rows that stand for `counts` of them.

    Of weights of a sample only the proportions count, and an item that is nested in nothing is a
    cluster of its own.
    """
    weights = item_weights(data, sample_weight)
    if weights is not None and reading.weight_type is None and reading.sample_weight is not None:
        check_fractional(weights, data.index)
    of_item, labels = number_groups(data, by) if by else (None, None)
    keep, groups = rows_that_count(of_item, weights), Groups.of(labels, of_item, weights)
    weights, counts = (None if one is None else one[keep] for one in (weights, counts))
    groups = groups.take(keep)
    clusters = spread = None
    if reading.cluster is not None:
        clusters = number_clusters(data, reading.cluster, keep, groups, counts=counts)
    if reading.is_sampled and weights is not None:
        weights = weights / weights.mean() if len(weights) else weights
        spread = weights**2
        if clusters is None:
            clusters = groups.within(np.arange(len(weights)))
    return Items(keep, groups, weights, counts, clusters, spread)


def is_column(data: pd.DataFrame, value: object) -> bool:
    """Whether an option names a column rather than holding the values itself."""
    return value is not None and _holds(data.columns, value)


def _holds(columns: pd.Index, name: object) -> bool:
    """Whether there is such a column; one of several levels refuses to look some values up."""
    try:
        return pd.api.types.is_hashable(name) and name in columns
    except pd.errors.InvalidIndexError:
        return False


def warn_of_ungrouped(
    data: pd.DataFrame, by: list[Label], counts: FloatArray | None = None, *, number: bool = True
) -> None:
    """Warn of items without a group, which are left out; of their `number`, if it is known."""
    lost = np.flatnonzero(data[by].isna().any(axis=1).to_numpy())
    if len(lost) and (counts is None or counts[lost].any()):
        missing = listing(name for name in by if data[name].isna().any())
        index = data.index if counts is None else None
        warn(
            f"Items without a group are left out: {missing} is missing for "
            f"{how_many(lost, counts, 'item') if number else 'some'}{where_in(index, lost)}. Fill "
            "it in to keep them as a group, as with df.fillna(...).",
            LeftOutWarning,
        )


def column_of(data: pd.DataFrame, name: Label, role: str) -> pd.Series:
    """Return one column, or say which ones there are."""
    check_columns(data, [name], role)
    return data[name]


def check_columns(data: pd.DataFrame, names: list[Label], role: str) -> None:
    """Make sure that every named column is in the frame, once."""
    for name in names:
        if not _holds(data.columns, name):
            held, said = listing(data.columns), shown(name)
            levels = pd.Index([one for one in data.index.names if one is not None], dtype=object)
            way = f" {said} is in its index: .reset_index() makes columns of it."
            raise ColumnNotFoundError(
                f"No {role} column {said}.{did_you_mean(name, data.columns)} "
                f"The frame has {f'columns {held}' if held else 'no columns'}."
                f"{way if _holds(levels, name) else ''}"
            )
        if isinstance(data.columns.get_loc(name), int):
            continue
        raise DuplicateRatingError(
            f"The frame has several columns {shown(name)}, so the {role} is ambiguous. "
            "Rename or drop the others."
        )


def check_names(labels: Any, where: str) -> None:
    """Refuse a number and a text that look alike as names of items, raters, groups or clusters.

    Two texts that differ by white space alone are warned of.
    """
    warn_of_names(names_alike(labels, where), where)


def names_alike(labels: Any, where: str) -> list[tuple[str, str]]:
    """Refuse the same, and return the texts."""
    known = getattr(labels, "categories", labels)
    if known is not labels:
        known = known[np.unique(labels.codes[labels.codes >= 0])]
    if known.dtype.kind not in "OU":
        return []
    known = np.asarray(known, dtype=object)  # of which Python makes lists ten times as fast
    texts = [label for label in known if isinstance(label, str)]
    rest = [] if len(texts) == len(known) else [x for x in known if not isinstance(x, str)]
    numbers = {str(plain_label(one)).removesuffix(".0"): one for one in rest}
    for text in texts if numbers else []:
        if (plain := text.strip().removesuffix(".0")) in numbers:
            raise RatingTypeError(
                f"{where} holds {listing([plain_label(numbers[plain]), text])}, which "
                "are not equal. Convert all to one type."
            )
    if len(set(map(str.strip, texts))) == len(texts):
        return []
    seen: dict[str, str] = {}
    return [(seen[x.strip()], x) for x in texts if seen.setdefault(x.strip(), x) != x]


def warn_of_names(pairs: list[tuple[str, str]], where: str) -> None:
    """Warn of names that differ by white space alone."""
    if pairs:
        warn(
            f"{where} holds names that look alike: {listing(pairs)}. Make them one with "
            ".str.strip(), if they are. Nothing was changed.",
            LookalikeLabelsWarning,
        )


def check_distinct(names: list[Label], option: str, what: str) -> None:
    """Make sure that no column is named twice."""
    if len(set(names)) < len(names):
        repeated = [name for name, times in Counter(names).items() if times > 1]
        raise DuplicateRatingError(
            f"{option} names {listing(repeated)} more than once. Name each {what} once."
        )


def columns_of_groups(data: pd.DataFrame, by: By) -> list[Label]:
    """Return the columns that define the groups."""
    if not isinstance(by, list) and not pd.api.types.is_hashable(by):
        raise OptionError(
            f"by must be a column label or a list of them, got {type(by).__name__}. "
            "Add the groups to the frame as a column and name it."
        )
    columns: list[Label] = list(by) if isinstance(by, list) else [by]
    if not columns:
        raise OptionError("by is an empty list. Name a column, or pass None for no groups.")
    check_columns(data, columns, "group")
    check_distinct(columns, "by", "column")
    return columns


UNSORTED = "Groups by {} cannot be sorted together. Convert them to text, as with astype(str)."


def number_groups(data: pd.DataFrame, columns: list[Label]) -> tuple[IntArray, pd.Index]:
    """Return the group of each item, -1 where it is missing, and the labels of the groups."""
    first = data[columns[0]]
    if len(columns) == 1 and len(data) and is_plain(first) and first.dtype.kind in "iu":
        coded = code_small_range(first.to_numpy())
        if coded is not None:
            codes, slots, labels = coded
            place = np.zeros(int(slots[-1]) + 1, dtype=np.int32)
            place[slots] = np.arange(len(slots))
            return place.take(codes), pd.Index(labels, dtype=first.dtype, name=columns[0])
    keys = [data[name].reset_index(drop=True) for name in columns]
    try:
        with warnings.catch_warnings():  # that tuples are filled up to be sorted beside text
            warnings.filterwarnings("error", "Constructing a DataFrame from a list of sequences")
            grouped = keys[0].groupby(keys, observed=True, sort=True, dropna=True)
            places, index = grouped.ngroup(), grouped.size().index
    # The last but one: Arrow.
    except (TypeError, ValueError, OverflowError, NotImplementedError, Warning) as error:
        for key, name in zip(keys, columns, strict=True):
            check_hashable(key, f"Column {shown(name)}", error)
            check_text(key, f"Column {shown(name)}")
        raise RatingTypeError(UNSORTED.format(listing(columns))) from error
    for level, name in enumerate(columns):
        found = index.get_level_values(level).unique()
        if found.dtype == object and len({isinstance(one, tuple) for one in found}) > 1:
            raise RatingTypeError(UNSORTED.format(listing(columns)))  # as pandas 2 sorts them
        check_text(found, f"Column {shown(name)}")
        check_names(found, f"Column {shown(name)}")
    return places.fillna(-1).to_numpy(dtype=np.int64), index


def _decoded(labels: pd.Index) -> pd.Index:
    """Return what an Arrow dictionary stands for; of itself pandas 2 makes no MultiIndex."""
    return labels.astype(object) if str(labels.dtype).startswith("dictionary<") else labels


def is_of_numbers(grouped: Any) -> bool:
    """Whether groups are one column of whole numbers, which functions number as pandas does."""
    frame, name = grouped.obj, grouped.keys
    known = isinstance(name, str) and grouped.sort and grouped.dropna and name in frame.columns
    return bool(known and is_plain(frame[name]) and frame[name].dtype.kind in "iu")


def check_groups(
    grouped: DataFrameGroupBy[Any, Any], used: pd.Index, frame: pd.DataFrame, by: Any
) -> None:
    """Make sure that the groups in use are those that the functions make of the columns."""
    names = list(used.names)
    known = set(names) <= set(frame.columns) - set(frame.index.names)  # or pandas asks which
    if known and not grouped.dropna and frame[names].isna().to_numpy().any():
        raise OptionError(
            "df.groupby(..., dropna=False).kappa would need a group of the items without one in "
            f"{listing(name for name in names if frame[name].isna().any())}. Name that group with "
            "df.fillna(...), or leave out dropna=False."
        )

    if known:
        places, labels = number_groups(frame, names)
        if used.equals(labels) and (grouped.ngroup().fillna(-1) == places).all():
            return
        again = frame.groupby(by, sort=False, observed=True, dropna=True)
    if known and not grouped.sort and grouped.ngroup().equals(again.ngroup()):
        raise OptionError(
            "df.groupby(..., sort=False).kappa would have its groups in the order of the rows, but "
            "groups are sorted. Leave out sort=False, or give the order with pd.Categorical(..., "
            "categories=[...])."
        )
    raise OptionError(
        "df.groupby(...).kappa needs groups that are the values of columns, with missing "
        "ones left out. Assign the groups to a column first, and pass by=."
    )


class Parts(NamedTuple):
    """The rows of each group, and the labels of the groups, None where there are none."""

    rows: list[Any]
    labels: pd.Index | None


def each_group(data: pd.DataFrame, columns: list[Label]) -> Parts:
    """Find the rows of each group, all of which have one; all of them without columns."""
    if not columns:
        return Parts([slice(None)], None)
    group, labels = number_groups(data, columns)
    if not len(labels):
        raise RatingsError(f"No row has a group by {listing(columns)}. Leave out by=.")
    return Parts([group == k for k in range(len(labels))], labels)


def number_clusters(
    data: pd.DataFrame,
    cluster: Any,
    keep: BoolArray | slice,
    groups: Groups,
    *,
    counts: FloatArray | None = None,
) -> IntArray:
    """Return the cluster of each item; one that spans two groups is a cluster in each.

    The number is ``c * G + g`` for cluster c of the data in group g, so that the parts
    of a cluster that spans groups can be found again. Distinct rows have `counts`.
    """
    values = sequence(_of_items(data, cluster, "cluster", "cluster"), "cluster", "labels")
    if len(values) != len(data):
        raise RatingsError(
            f"cluster has {len(values)} values, but there are {len(data)} items. "
            "Give each item the label of its cluster."
        )
    values = values[keep]
    missing = np.flatnonzero(values.isna())
    if len(missing):
        index = values.index if counts is None else None
        raise RatingsError(
            f"cluster is missing for {how_many(missing, counts, 'item')}"
            f"{where_in(index, missing)}. Give a single item its own cluster."
        )
    codes = rank_values(values, "cluster")
    check_names(values.unique(), "cluster")
    return groups.within(codes)


def rows_that_count(groups: IntArray | None, weights: FloatArray | None) -> BoolArray | slice:
    """Select the items that have a group and a weight."""
    counts = [] if groups is None else [groups >= 0]
    counts += [] if weights is None else [weights > 0]
    if not counts:
        return slice(None)
    keep: BoolArray = np.logical_and.reduce(counts)
    return slice(None) if keep.all() else keep


def how_many(rows: IntArray, counts: FloatArray | None, what: str) -> str:
    """Count what some rows are, each of which may stand for several."""
    n = len(rows) if counts is None else counts[rows].sum()
    return f"{n:.15g} {plural(n, what)}"


def where_in(index: pd.Index | None, rows: IntArray) -> str:
    """Tell where some rows stand, unless they are distinct rows, which stand nowhere."""
    return "" if index is None else f", at index {listing(index[rows])}"


def rank_values(given: pd.Series, where: str) -> IntArray:
    """Give values numbers in their own order, whatever that of the items is, if they have one.

    Missing ones are -1.
    """
    codes, labels = factorize(given, where)
    values = np.asarray(labels)
    try:
        order = np.argsort(values, kind="stable")
    except TypeError:
        return codes.astype(np.int64)
    rank = np.full(len(labels) + 1, -1, dtype=np.int64)
    rank[order] = np.arange(len(labels))
    return rank[codes]


def item_weights(data: pd.DataFrame, sample_weight: Any) -> FloatArray | None:
    """Return frequency weights as floats that can be summed without loss."""
    if sample_weight is None:
        return None
    values = _of_items(data, sample_weight, "sample_weight", "weight")
    option = "sample_weight"
    if isinstance(sample_weight, str) or is_column(data, sample_weight):
        option = f"sample_weight={shown(sample_weight)}"
    return check_weights(values, option, len(data))


def check_fractional(weights: FloatArray, index: pd.Index | None) -> None:
    """Refuse weights that are no numbers of items where it is not said what they are."""
    fractional = np.flatnonzero(np.isfinite(weights) & (weights != np.rint(weights)))
    if len(fractional):
        raise WeightsError(
            f"sample_weight is {weights[fractional[0]]:.15g}{where_in(index, fractional[:1])}, "
            "which is no number of items. Pass weight_type='probability' if it is a sampling "
            "weight, or weight_type='frequency' to use it as a number of items."
        )


def _of_items(data: pd.DataFrame, given: Any, option: str, role: str) -> Any:
    """Return what is given for each item: a column, a Series in their order, or the values."""
    if isinstance(given, str) or is_column(data, given):
        return column_of(data, given, role)
    return align(given, data.index, option) if isinstance(given, pd.Series) else given


def sequence(values: Any, name: str, what: str) -> pd.Series:
    """Return a sequence as a Series, each value as it is, or refuse what is none."""
    if isinstance(values, pd.Series):
        return values
    unordered = isinstance(values, set | frozenset | Mapping)
    if unordered or not pd.api.types.is_list_like(values):
        raise RatingTypeError(
            f"{name} must be a sequence of {what}, got {shown(values)} "
            f"({type(values).__name__}). Pass a list, an array or a Series."
        )
    if getattr(values, "ndim", 1) != 1:
        raise RatingsError(
            f"{name} must be one-dimensional, got shape {np.shape(values)}. "
            "Pass a single column of it."
        )
    if isinstance(values, np.ma.MaskedArray):
        is_missing, values = np.ma.getmaskarray(values), np.array(values.data, dtype=object)
        values[is_missing] = None
    typed = isinstance(values, np.ndarray | pd.api.extensions.ExtensionArray | pd.Index)
    if typed and not isinstance(values, pd.MultiIndex):
        return pd.Series(values)
    return pd.Series(list(values), dtype=object)


def align(values: pd.Series, index: pd.Index, option: str) -> pd.Series:
    """Put a Series in the order of an index with the same labels."""
    if values.index.equals(index):
        return values
    same = values.index.is_unique and index.is_unique and len(values) == len(index)
    if not same or not values.index.isin(index).all():
        raise RatingsError(
            f"{option} is a Series whose index differs from that of the data. "
            "Give it the same labels, or pass an array in the order of the rows."
        )
    return values.reindex(index)


def check_weights(values: object, option: str, length: int) -> FloatArray:
    """Check weights of items or groups: numeric, finite, not negative."""
    weights = numbers_of(values, option, WeightsError)
    if weights.shape != (length,):
        raise WeightsError(
            f"{option} has shape {weights.shape}, but shape ({length},) is needed: "
            "one weight for each."
        )
    wrong = np.flatnonzero(~np.isfinite(weights) | (weights < 0))
    if len(wrong):
        raise WeightsError(
            f"{option} must be finite and not negative, got {weights[wrong[0]]} at position "
            f"{wrong[0]}. Set it to zero to leave it out."
        )
    with np.errstate(over="ignore"):
        total = weights.sum()
    if not np.isfinite(total):
        raise WeightsError(
            f"The sum of {option} is beyond the range of a float. Divide it by a constant."
        )
    return weights


def read_columns(
    data: object, call: str, named: dict[str, Label], *, by: By | None = None
) -> tuple[pd.DataFrame, list[Label]]:
    """Check the columns of a call, each named once; leave out rows that have no group.

    Returns
    -------
    DataFrame
        The rows, with numbers as the machine has them.
    list
        The columns of the groups; none without `by`.
    """
    if not isinstance(data, pd.DataFrame):
        raise OptionError(
            f"{call} reads a pandas frame with one rating or span in each row, got "
            f"{type(data).__name__}. Frames of other packages have to_pandas() or compute()."
        )
    for role, name in named.items():
        check_columns(data, [name], role)
    groups = [] if by is None else columns_of_groups(data, by)
    check_distinct([*named.values(), *groups], call, "column")
    data = native(data)
    if groups:
        warn_of_ungrouped(data, groups)
        data = data[data[groups].notna().all(axis=1)]
    return data, groups


def number(data: pd.DataFrame, names: list[Label], role: str) -> tuple[IntArray, pd.Index]:
    """Give what columns name together a number, sorted; nothing may be missing."""
    codes, labels = number_groups(data, names)
    lost = data.index[codes < 0]
    if len(lost):
        raise RatingsError(
            f"There is no {role} in {listing(names)} at index {listing(lost)}. Fill in the {role}, "
            "or drop those rows."
        )
    return codes, labels
