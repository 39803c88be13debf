"""Frame -> coded ratings of all raters: every check of the input."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from pdkappa.categories import (
    CategorySet,
    code_column,
    code_small_range,
    is_plain,
    recode,
    unite,
)
from pdkappa.errors import (
    ColumnNotFoundError,
    DuplicateRatingError,
    OptionError,
    RatingsError,
    RatingTypeError,
    WeightsError,
    listing,
    unknown_choice,
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

MISSING = ("pairwise", "listwise", "raise")


@dataclass(frozen=True)
class Counted:
    """Distinct rows of ratings with how often each occurs, as a contingency table holds them.

    Attributes
    ----------
    frame : DataFrame
        One column for each rater, one row for each distinct row of ratings.
    counts : ndarray of float, shape (len(frame),)
    categories : list or None
        The declared order, if there is one.
    """

    frame: pd.DataFrame
    counts: FloatArray
    categories: Categories | None = None


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
    groups : ndarray of int, shape (N,), or None
        Group of each item.
    group_index : Index or None
        Labels of the G groups, named as the columns of `by`.
    weights : ndarray of float, shape (N,), or None
        Frequency weights of the items, all positive.
    no_weight : bool
        Whether there were ratings, but all items have the weight zero.
    """

    codes: IntArray
    raters: list[Label]
    categories: CategorySet
    groups: IntArray | None = None
    group_index: pd.Index | None = None
    weights: FloatArray | None = None
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
        rated = (self.codes >= 0).any(axis=0)
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
    fewest_raters: int = 2,
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
    fewest_raters : int
        Number of raters below which there is nothing to compare.

    Raises
    ------
    KappaError
        See the classes in `pdkappa.errors`; each message says what to do.
    """
    if missing not in MISSING:
        raise unknown_choice("missing", missing, MISSING)
    if isinstance(data, Counted):
        data, sample_weight, categories = _uncounted(data, sample_weight, categories)
    if not isinstance(data, pd.DataFrame):
        message = (
            f"data must be a pandas DataFrame with a column for each rater, "
            f"got {type(data).__name__}. For two sequences use pdkappa.qwk."
        )
        raise RatingTypeError(message)
    by_columns = [] if by is None else _by_columns(data, by)
    named = [*by_columns, sample_weight] if _is_column(data, sample_weight) else by_columns
    names = _rater_names(data, raters, named, fewest_raters)
    columns = [code_column(data[name], name) for name in names]
    found = unite(columns, categories, needs_order)
    warn_of_lookalikes(columns, declared=categories is not None)
    coded = Coded(recode(columns, found), names, found, weights=item_weights(data, sample_weight))
    if by is not None:
        groups, group_index = _number_groups(data, by_columns)
        coded = replace(coded, groups=groups, group_index=group_index)
    if missing == "raise":
        _check_complete(coded, data.index)
    return _drop_rows(coded, listwise=missing == "listwise")


def _uncounted(
    data: Counted, sample_weight: ItemWeights | None, categories: Categories | None
) -> tuple[pd.DataFrame, ItemWeights, Categories | None]:
    """Use the counts of distinct rows as frequency weights."""
    if sample_weight is not None:
        message = "sample_weight cannot be given for a table of counts, which are the weights."
        raise OptionError(message)
    return data.frame, data.counts, data.categories if categories is None else categories


def _is_column(data: pd.DataFrame, value: object) -> bool:
    """Whether an option names a column rather than holding the values itself."""
    return value is not None and pd.api.types.is_hashable(value) and value in data.columns


def column_of(data: pd.DataFrame, name: Label, role: str) -> pd.Series:
    """Return one column, or say which ones there are."""
    _check_columns(data, [name], role)
    return data[name]


def _check_columns(data: pd.DataFrame, names: list[Label], role: str) -> None:
    """Every named column must be in the frame, once."""
    for name in names:
        if not pd.api.types.is_hashable(name) or name not in data.columns:
            message = f"No {role} column {name!r}. The frame has columns {listing(data.columns)}."
            raise ColumnNotFoundError(message)
        if isinstance(data.columns.get_loc(name), int):
            continue
        message = (
            f"The frame has several columns {name!r}, so the {role} is ambiguous. "
            "Rename or drop the others."
        )
        raise DuplicateRatingError(message)


def _by_columns(data: pd.DataFrame, by: By) -> list[Label]:
    """Return the columns that define the groups."""
    columns: list[Label] = list(by) if isinstance(by, list) else [by]
    if not columns:
        message = "by is an empty list. Name a column, or pass None for no groups."
        raise OptionError(message)
    _check_columns(data, columns, "group")
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
    by = columns[0] if len(columns) == 1 else columns
    grouped = data[columns].groupby(by, observed=True, sort=True, dropna=True)
    return grouped.ngroup().to_numpy(), grouped.size().index


def _rater_names(
    data: pd.DataFrame, raters: Raters | None, named: list[Any], fewest: int
) -> list[Label]:
    """Return the columns of the raters."""
    if isinstance(raters, str | bytes) or (
        raters is not None and not pd.api.types.is_list_like(raters)
    ):
        message = (
            f"raters must be a list of columns, got {raters!r}. Write raters=[{raters!r}, ...]."
        )
        raise OptionError(message)
    names = [name for name in data.columns if name not in named] if raters is None else list(raters)
    _check_columns(data, names, "rater")
    repeated = [name for name in dict.fromkeys(names) if names.count(name) > 1]
    if repeated:
        message = f"raters names {listing(repeated)} more than once. Name each rater once."
        raise DuplicateRatingError(message)
    both = [name for name in names if name in named]
    if both:
        message = f"Column(s) {listing(both)} cannot be a rater and a group or weight at once."
        raise OptionError(message)
    if len(names) < fewest:
        held = f" in columns {listing(names)}" if names else ""
        message = f"Agreement needs two raters or more, got {len(names)}{held}."
        raise RatingsError(message)
    return names


def item_weights(data: pd.DataFrame, sample_weight: ItemWeights | None) -> FloatArray | None:
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


def align(values: pd.Series, index: pd.Index, option: str) -> pd.Series:
    """Put a Series in the order of an index with the same labels."""
    if values.index.equals(index):
        return values
    same = values.index.is_unique and index.is_unique and len(values) == len(index)
    if not same or not values.index.isin(index).all():
        message = (
            f"{option} is a Series whose index is not that of the data. "
            "Give it the same labels, or pass an array in the order of the rows."
        )
        raise RatingsError(message)
    return values.reindex(index)


def check_weights(values: Any, option: str, length: int) -> FloatArray:
    """Check weights of items or groups: numeric, finite, not negative."""
    try:
        weights = np.asarray(values, dtype=np.float64)
    except (TypeError, ValueError, OverflowError) as error:
        message = f"{option} must hold numbers. {str(error)[:1].upper()}{str(error)[1:]}."
        raise WeightsError(message) from error
    if weights.shape != (length,):
        message = f"{option} has shape {weights.shape}, but one weight each is needed for {length}."
        raise WeightsError(message)
    wrong = np.flatnonzero(~np.isfinite(weights) | (weights < 0))
    if len(wrong):
        message = (
            f"{option} must be finite and not negative, got {weights[wrong[0]]} at position "
            f"{wrong[0]}. Set it to zero to leave the item out."
        )
        raise WeightsError(message)
    if not np.isfinite(weights.sum()):
        message = f"The sum of {option} is beyond the range of a float. Divide it by a constant."
        raise WeightsError(message)
    return weights


def _check_complete(coded: Coded, index: pd.Index) -> None:
    """Every item must be rated by every rater."""
    absent = coded.codes < 0
    if absent.any():
        rater = int(np.flatnonzero(absent.any(axis=1))[0])
        rows = np.flatnonzero(absent[rater])
        message = (
            f"Column {coded.raters[rater]!r} has {len(rows)} missing rating(s), first at index "
            f"{listing(index[rows[:6]])}. Pass missing='pairwise' or 'listwise' to leave them out."
        )
        raise RatingsError(message)


def _drop_rows(coded: Coded, *, listwise: bool) -> Coded:
    """Leave out items that count for nothing, and categories that only they used."""
    keep = np.ones(coded.codes.shape[1], dtype=bool)
    if listwise:
        keep &= (coded.codes >= 0).all(axis=0)
    if coded.groups is not None:
        keep &= coded.groups >= 0
    if coded.weights is not None:
        keep &= coded.weights > 0
    if keep.all():
        return coded
    no_weight = coded.weights is not None and not (coded.weights > 0).any()
    coded = replace(
        coded,
        codes=coded.codes[:, keep],
        groups=None if coded.groups is None else coded.groups[keep],
        weights=None if coded.weights is None else coded.weights[keep],
        no_weight=no_weight,
    )
    if coded.categories.declared:
        return coded
    used = np.zeros(len(coded.categories) + 1, dtype=bool)
    used[coded.codes] = True
    used = used[:-1]
    place = np.append(np.cumsum(used) - 1, -1).astype(coded.codes.dtype)
    return replace(coded, codes=place[coded.codes], categories=coded.categories.restricted_to(used))
