"""Frame -> coded ratings of all raters: every check of the input."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from pdkappa.categories import (
    CategorySet,
    Column,
    check_hashable,
    code_column,
    code_small_range,
    factorize,
    is_plain,
    numbers_of,
    recode,
    unite,
)
from pdkappa.errors import (
    ColumnNotFoundError,
    DuplicateRatingError,
    OptionError,
    RatingsError,
    RatingTypeError,
    TooLargeError,
    WeightsError,
    check_choice,
    did_you_mean,
    listing,
    shown,
)
from pdkappa.lookalikes import warn_of_lookalikes

if TYPE_CHECKING:
    from pdkappa._typing import (
        BoolArray,
        By,
        Categories,
        FloatArray,
        IntArray,
        ItemWeights,
        Label,
        Raters,
    )

MISSING = ("pairwise", "listwise", "raise", "em")
LARGEST_SCALES = 1 << 28


@dataclass(frozen=True)
class Counted:
    """Distinct rows of ratings with how often each occurs, as a contingency table holds them.

    Attributes
    ----------
    frame : DataFrame
        One column for each rater, one row for each distinct row of ratings.
    counts : ndarray of float, shape (len(frame),)
    declared : list, dict or None
        The categories in order, or their scores, if there is an order.
    anonymous : bool
        Whether the columns are ratings in no order rather than raters.
    """

    frame: pd.DataFrame
    counts: FloatArray
    declared: Categories | None = None
    anonymous: bool = False


@dataclass(frozen=True)
class Coded:
    """Ratings of N items by R raters in G groups, coded by one set of K categories.

    Attributes
    ----------
    codes : ndarray of int, shape (R, N)
        Category of each rating, -1 where it is missing.
    raters : list
        Names of the raters.
    categories : CategorySet
        The K categories.
    items : Index
        Labels of the N items in the frame.
    groups : ndarray of int, shape (N,), or None
        Group of each item.
    group_index : Index or None
        Labels of the G groups, named as the columns of `by`.
    weights : ndarray of float, shape (N,), or None
        Frequency weights of the items, all positive.
    clusters : ndarray of int, shape (N,), or None
        What each item is nested in, numbered over all groups.
    no_weight : bool
        Whether there were ratings, but all items have the weight zero.
    """

    codes: IntArray
    raters: list[Label]
    categories: CategorySet
    items: pd.Index
    groups: IntArray | None = None
    group_index: pd.Index | None = None
    weights: FloatArray | None = None
    clusters: IntArray | None = None
    no_weight: bool = False

    @property
    def n_groups(self) -> int:
        """G; 1 without groups."""
        return 1 if self.group_index is None else len(self.group_index)

    @property
    def in_use(self) -> BoolArray:
        """Categories on the scale of each group, shape (G, K), or (1, K) if all share one.

        Numbers that were not declared form the scale of the group in which they occur.
        """
        k = len(self.categories)
        if self.groups is None or self.categories.declared or not self.categories.numeric:
            return np.ones((1, k), dtype=bool)
        if self.n_groups * k > LARGEST_SCALES:
            message = (
                f"{self.n_groups} groups with a scale of their own, of {k} numbers in all, are "
                f"more than {LARGEST_SCALES} places. Pass categories=[...], the same scale for "
                "all groups, or round the ratings."
            )
            raise TooLargeError(message)
        used = np.zeros(self.n_groups * k + 1, dtype=bool)
        for codes in self.codes:
            place = self.groups.astype(np.int64)
            place *= k
            place += codes
            place[codes < 0] = self.n_groups * k
            used[place] = True
        return used[:-1].reshape(self.n_groups, k)

    def has_ratings(self) -> BoolArray:
        """Whether there is any rating in each group, shape (G,)."""
        rated: BoolArray = np.logical_or.reduce(self.codes >= 0, axis=0)
        groups = np.zeros(len(rated), dtype=np.int64) if self.groups is None else self.groups
        found = np.zeros(self.n_groups, dtype=bool)
        found[groups if rated.all() else groups[rated]] = True
        return found


def encode(
    data: pd.DataFrame | Counted,
    raters: Raters | None,
    *,
    by: By | None = None,
    categories: Categories | None = None,
    needs_order: str | None = None,
    missing: str = "pairwise",
    sample_weight: ItemWeights | None = None,
    cluster: ItemWeights | None = None,
    fewest_raters: int = 2,
    needs_identity: bool = True,
    quiet: bool = False,
) -> Coded:
    """Check the ratings and code them by one set of categories.

    Parameters
    ----------
    data : DataFrame or Counted
        One row for each item, one column for each rater. Never changed.
    raters : list of column labels, optional
        Default: all columns but those named by `by` and `sample_weight`.
    by : column label or list of them, optional
        Columns that define groups of items; rows with a missing group are left out.
    categories : list or dict, optional
        Ordered categories, or their scores.
    needs_order : str, optional
        The option that needs an order, for the message.
    missing : {"pairwise", "listwise", "raise"}
        What becomes of items that some rater did not rate.
    sample_weight : column label or array, shape (N,), optional
        Frequency weights.
    cluster : column label or array, shape (N,), optional
        What the items are nested in.
    fewest_raters : int
        Number of raters below which there is nothing to compare.
    needs_identity : bool
        Whether it must be known who gave which rating.
    quiet : bool
        Whether to leave out warnings, which another call has given already.

    Raises
    ------
    KappaError
        See the classes in `pdkappa.errors`; each message says what to do.
    """
    check_choice("missing", missing, MISSING)
    anonymous = isinstance(data, Counted) and data.anonymous
    if isinstance(data, Counted):
        if needs_identity and anonymous:
            message = (
                "Counts of categories do not say who rated, so raters cannot be compared. Use "
                "agreement() with percent, brennan_prediger, fleiss, gwet or krippendorff."
            )
            raise OptionError(message)
        data, sample_weight, categories = _uncounted(data, sample_weight, categories)
    _check_frame(data)
    by_columns = [] if by is None else _by_columns(data, by)
    options = [option for option in (sample_weight, cluster) if _is_column(data, option)]
    named = [*by_columns, *options]
    names = _rater_names(data, raters, named, fewest_raters)
    weights = item_weights(data, sample_weight)
    groups, group_index = (None, None) if by is None else _number_groups(data, by_columns)
    keep = _rows_that_count(groups, weights)
    groups = None if groups is None else groups[keep]
    clusters = None if cluster is None else _number_clusters(data, cluster, keep, groups)
    columns = [code_column(data[name][keep], name) for name in names]
    found = unite(columns, categories, needs_order)
    if categories is None and not (quiet or anonymous):
        warn_of_lookalikes(columns, by_distance=needs_order is not None)
    if missing == "raise":
        _check_complete(columns)
    coded = Coded(
        recode(columns, found),
        names,
        found,
        items=data.index[keep],
        groups=groups,
        group_index=group_index,
        weights=None if weights is None else weights[keep],
        clusters=clusters,
        no_weight=weights is not None and len(weights) > 0 and not weights.any(),
    )
    return _listwise(coded) if missing == "listwise" else coded


def _check_frame(data: object) -> None:
    """Make sure that the ratings come in a frame."""
    if not isinstance(data, pd.DataFrame):
        message = (
            f"data must be a pandas DataFrame with a column for each rater, "
            f"got {type(data).__name__}. For two sequences use pdkappa.qwk."
        )
        raise RatingTypeError(message)


def _uncounted(
    data: Counted, sample_weight: ItemWeights | None, categories: Categories | None
) -> tuple[pd.DataFrame, ItemWeights, Categories | None]:
    """Use the counts of distinct rows as frequency weights."""
    if sample_weight is not None:
        message = "sample_weight cannot be given for a table of counts, which are the weights."
        raise OptionError(message)
    return data.frame, data.counts, data.declared if categories is None else categories


def _is_column(data: pd.DataFrame, value: object) -> bool:
    """Whether an option names a column rather than holding the values itself."""
    return value is not None and pd.api.types.is_hashable(value) and value in data.columns


def column_of(data: pd.DataFrame, name: Label, role: str) -> pd.Series:
    """Return one column, or say which ones there are."""
    _check_columns(data, [name], role)
    return data[name]


def _check_columns(data: pd.DataFrame, names: list[Label], role: str) -> None:
    """Make sure that every named column is in the frame, once."""
    for name in names:
        if not pd.api.types.is_hashable(name) or name not in data.columns:
            held = listing(data.columns)
            message = (
                f"No {role} column {shown(name)}.{did_you_mean(name, data.columns)} "
                f"The frame has {f'columns {held}' if held else 'no columns'}."
            )
            raise ColumnNotFoundError(message)
        if isinstance(data.columns.get_loc(name), int):
            continue
        message = (
            f"The frame has several columns {name!r}, so the {role} is ambiguous. "
            "Rename or drop the others."
        )
        raise DuplicateRatingError(message)


def _check_distinct(names: list[Label], option: str, what: str) -> None:
    """Make sure that no column is named twice."""
    repeated = [name for name in dict.fromkeys(names) if names.count(name) > 1]
    if repeated:
        message = f"{option} names {listing(repeated)} more than once. Name each {what} once."
        raise DuplicateRatingError(message)


def _by_columns(data: pd.DataFrame, by: By) -> list[Label]:
    """Return the columns that define the groups."""
    if not isinstance(by, list) and not pd.api.types.is_hashable(by):
        message = (
            f"by must be a column label or a list of them, got {type(by).__name__}. "
            "Add the groups to the frame as a column and name it."
        )
        raise OptionError(message)
    columns: list[Label] = list(by) if isinstance(by, list) else [by]
    if not columns:
        message = "by is an empty list. Name a column, or pass None for no groups."
        raise OptionError(message)
    _check_columns(data, columns, "group")
    _check_distinct(columns, "by", "column")
    return columns


def _number_groups(data: pd.DataFrame, columns: list[Label]) -> tuple[IntArray, pd.Index]:
    """Return the group of each item, -1 where it is missing, and the labels of the groups."""
    first = data[columns[0]]
    if len(columns) == 1 and len(data) and is_plain(first) and first.dtype.kind in "iu":
        coded = code_small_range(first.to_numpy())
        if coded is not None:
            codes, slots, labels = coded
            place = np.zeros(int(slots[-1]) + 1, dtype=np.int32)
            place[slots] = np.arange(len(slots))
            return place[codes], pd.Index(labels, dtype=first.dtype, name=columns[0])
    keys = [data[name].reset_index(drop=True) for name in columns]
    try:
        grouped = keys[0].groupby(keys, observed=True, sort=True, dropna=True)
        places, index = grouped.ngroup(), grouped.size().index
    except (TypeError, NotImplementedError) as error:  # the latter from Arrow
        for key, name in zip(keys, columns, strict=True):
            check_hashable(key, f"Column {name!r}", error)
        raise
    return places.fillna(-1).to_numpy(dtype=np.int64), index


def _number_clusters(
    data: pd.DataFrame, cluster: Any, keep: BoolArray | slice, groups: IntArray | None
) -> IntArray:
    """Return the cluster of each item; one that spans two groups is a cluster in each."""
    if isinstance(cluster, str) or _is_column(data, cluster):
        values = column_of(data, cluster, "cluster")
    elif isinstance(cluster, pd.Series):
        values = align(cluster, data.index, "cluster")
    else:
        values = sequence(cluster, "cluster", "labels")
    if len(values) != len(data):
        message = (
            f"cluster has {len(values)} values, but there are {len(data)} items. "
            "Give each item the label of its cluster."
        )
        raise RatingsError(message)
    values = values[keep]
    missing = np.flatnonzero(values.isna())
    if len(missing):
        message = (
            f"cluster is missing for {len(missing)} item(s), at index "
            f"{listing(values.index[missing])}. "
            "Give an item that stands alone a cluster of its own."
        )
        raise RatingsError(message)
    codes = factorize(values, "cluster")[0].astype(np.int64)
    return codes if groups is None else codes * (int(groups.max(initial=-1)) + 1) + groups


def _rows_that_count(groups: IntArray | None, weights: FloatArray | None) -> BoolArray | slice:
    """Select the items that have a group and a weight."""
    counts = [] if groups is None else [groups >= 0]
    counts += [] if weights is None else [weights > 0]
    keep: BoolArray = np.logical_and.reduce(counts) if counts else np.ones(0, dtype=np.bool_)
    return slice(None) if keep.all() else keep


def _rater_names(
    data: pd.DataFrame, raters: Raters | None, named: list[Any], fewest: int
) -> list[Label]:
    """Return the columns of the raters."""
    names: list[Label] = [name for name in data.columns if name not in named]
    if raters is not None:
        names = _listed(raters)
    _check_columns(data, names, "rater")
    _check_distinct(names, "raters", "rater")
    both = [name for name in names if name in named]
    if both:
        message = f"Column(s) {listing(both)} cannot be a rater and a group or weight at once."
        raise OptionError(message)
    if len(names) < fewest:
        held = f" in columns {listing(names)}" if names else ""
        message = f"Agreement needs two raters or more, got {len(names)}{held}."
        raise RatingsError(message)
    return names


def _listed(raters: Any) -> list[Label]:
    """Return the columns that the user listed."""
    if isinstance(raters, set | frozenset):
        message = "raters is a set, which has no order. Pass a list of columns."
        raise OptionError(message)
    if isinstance(raters, str | bytes) or not pd.api.types.is_list_like(raters):
        given = shown(raters)
        message = f"raters must be a list of columns, got {given}. Write raters=[{given}, ...]."
        raise OptionError(message)
    return list(raters.tolist() if isinstance(raters, np.ndarray) else raters)


def item_weights(data: pd.DataFrame, sample_weight: Any) -> FloatArray | None:
    """Return frequency weights as floats that can be summed without loss."""
    if sample_weight is None:
        return None
    if isinstance(sample_weight, str) or _is_column(data, sample_weight):
        values = column_of(data, sample_weight, "weight")
    elif isinstance(sample_weight, pd.Series):
        values = align(sample_weight, data.index, "sample_weight")
    else:
        values = sample_weight
    return check_weights(values, "sample_weight", len(data))


def sequence(values: Any, name: str, what: str) -> pd.Series:
    """Return a sequence as a Series, each value as it is, or refuse what is none."""
    if isinstance(values, pd.Series):
        return values
    unordered = isinstance(values, set | frozenset | Mapping)
    if unordered or not pd.api.types.is_list_like(values):
        message = (
            f"{name} must be a sequence of {what}, got {shown(values)} "
            f"({type(values).__name__}). Pass a list, an array or a Series."
        )
        raise RatingTypeError(message)
    if getattr(values, "ndim", 1) != 1:
        message = (
            f"{name} must be one-dimensional, got shape {np.shape(values)}. "
            "Pass a single column of it."
        )
        raise RatingsError(message)
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
        message = (
            f"{option} is a Series whose index differs from that of the data. "
            "Give it the same labels, or pass an array in the order of the rows."
        )
        raise RatingsError(message)
    return values.reindex(index)


def check_weights(values: object, option: str, length: int) -> FloatArray:
    """Check weights of items or groups: numeric, finite, not negative."""
    weights = numbers_of(values, option, WeightsError)
    if weights.shape != (length,):
        message = (
            f"{option} has shape {weights.shape}, but shape ({length},) is needed: "
            "one weight for each."
        )
        raise WeightsError(message)
    wrong = np.flatnonzero(~np.isfinite(weights) | (weights < 0))
    if len(wrong):
        message = (
            f"{option} must be finite and not negative, got {weights[wrong[0]]} at position "
            f"{wrong[0]}. Set it to zero to leave it out."
        )
        raise WeightsError(message)
    with np.errstate(over="ignore"):
        total = weights.sum()
    if not np.isfinite(total):
        message = f"The sum of {option} is beyond the range of a float. Divide it by a constant."
        raise WeightsError(message)
    return weights


def _check_complete(columns: list[Column]) -> None:
    """Make sure that every item is rated by every rater."""
    for column in columns:
        rows = np.flatnonzero(column.codes < 0)
        if len(rows):
            message = (
                f"Column {column.name!r} has {len(rows)} missing rating(s), at index "
                f"{listing(column.index[rows])}. Pass missing='pairwise' or 'listwise' to leave "
                "them out."
            )
            raise RatingsError(message)


def _listwise(coded: Coded) -> Coded:
    """Leave out items that some rater did not rate, and categories that only they used."""
    keep: BoolArray = np.logical_and.reduce(coded.codes >= 0, axis=0)
    if keep.all():
        return coded
    coded = replace(
        coded,
        codes=coded.codes[:, keep],
        items=coded.items[keep],
        groups=None if coded.groups is None else coded.groups[keep],
        weights=None if coded.weights is None else coded.weights[keep],
        clusters=None if coded.clusters is None else coded.clusters[keep],
    )
    if coded.categories.declared:
        return coded
    used = np.zeros(len(coded.categories) + 1, dtype=bool)
    used[coded.codes] = True
    used = used[:-1]
    place = np.append(np.cumsum(used) - 1, -1).astype(coded.codes.dtype)
    return replace(coded, codes=place[coded.codes], categories=coded.categories.restricted_to(used))
