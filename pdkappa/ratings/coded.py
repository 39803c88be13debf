"""Frame -> coded ratings of all raters: every check of the input."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from pdkappa.errors import (
    OptionError,
    RatingsError,
    RatingTypeError,
    TooLargeError,
    check_choice,
    listing,
    shown,
)
from pdkappa.ratings.categories import CategorySet, recode, unite
from pdkappa.ratings.columns import Column, code_column
from pdkappa.ratings.items import (
    check_columns,
    check_distinct,
    columns_of_groups,
    how_many,
    is_column,
    item_weights,
    number_clusters,
    number_groups,
    where_in,
)
from pdkappa.ratings.lookalikes import warn_of_lookalikes

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
    weight : column label or None
        The column of item weights that the counts are sums of, to be told.
    """

    frame: pd.DataFrame
    counts: FloatArray
    declared: Categories | None = None
    anonymous: bool = False
    weight: Label | None = None


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
    counted = data if isinstance(data, Counted) and not anonymous else None
    data, sample_weight, categories = opened(
        data, sample_weight, categories, needs_identity=needs_identity
    )
    by_columns = [] if by is None else columns_of_groups(data, by)
    named = by_columns + [name for name in (sample_weight, cluster) if is_column(data, name)]
    names = rater_names(data, raters, named, fewest_raters)
    weights = item_weights(data, sample_weight)
    groups, group_index = (None, None) if by is None else number_groups(data, by_columns)
    keep = rows_that_count(groups, weights)
    groups = None if groups is None else groups[keep]
    clusters = None
    counts = None if counted is None else counted.counts[keep]
    if cluster is not None:
        n_groups = 1 if group_index is None else len(group_index)
        clusters = number_clusters(data, cluster, keep, groups, n_groups, counts=counts)
    ratings = (data[name] if isinstance(keep, slice) else data[name][keep] for name in names)
    columns = [code_column(one, name) for one, name in zip(ratings, names, strict=True)]
    if counted is not None:
        columns = [replace(column, index=None) for column in columns]
    found = unite(columns, categories, needs_order)
    if categories is None and not (quiet or anonymous):
        warn_of_lookalikes(columns, by_distance=needs_order is not None)
    if missing == "raise":
        _check_complete(columns, counts)
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
            _check_identity(data)
        data, sample_weight, categories = _uncounted(data, sample_weight, categories)
    _check_frame(data)
    return data, sample_weight, categories


def _check_frame(data: object) -> None:
    """Make sure that the ratings come in a frame."""
    if not isinstance(data, pd.DataFrame):
        message = (
            f"data must be a pandas DataFrame with a column for each rater, "
            f"got {type(data).__name__}. Pass pdkappa.from_frame(data) for a frame of another "
            "package, such as polars; for two sequences use pdkappa.qwk."
        )
        raise RatingTypeError(message)


def _check_identity(data: Counted) -> None:
    """Make sure that it is known who gave which rating."""
    if data.anonymous:
        message = (
            "Counts of categories do not say who rated, so raters cannot be compared. Use "
            "agreement() with percent, brennan_prediger, fleiss, gwet or krippendorff."
        )
        raise OptionError(message)


def _uncounted(
    data: Counted, sample_weight: ItemWeights | None, categories: Categories | None
) -> tuple[pd.DataFrame, ItemWeights, Categories | None]:
    """Use the counts of distinct rows as frequency weights."""
    if sample_weight is not None:
        message = "sample_weight cannot be given for a table of counts, which are the weights."
        raise OptionError(message)
    return data.frame, data.counts, data.declared if categories is None else categories


def rows_that_count(groups: IntArray | None, weights: FloatArray | None) -> BoolArray | slice:
    """Select the items that have a group and a weight."""
    counts = [] if groups is None else [groups >= 0]
    counts += [] if weights is None else [weights > 0]
    keep: BoolArray = np.logical_and.reduce(counts) if counts else np.ones(0, dtype=np.bool_)
    return slice(None) if keep.all() else keep


def rater_names(
    data: pd.DataFrame, raters: Raters | None, named: list[Any], fewest: int
) -> list[Label]:
    """Return the columns of the raters."""
    names: list[Label] = [name for name in data.columns if name not in named]
    if raters is not None:
        names = _listed(raters)
    check_columns(data, names, "rater")
    check_distinct(names, "raters", "rater")
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


def _check_complete(columns: list[Column], counts: FloatArray | None) -> None:
    """Make sure that every item is rated by every rater, of distinct rows with counts, too."""
    for column in columns:
        rows = np.flatnonzero(column.codes < 0)
        if len(rows):
            message = (
                f"Column {column.name!r} has {how_many(rows, counts)} missing rating(s)"
                f"{where_in(column.index, rows)}. Pass missing='pairwise' or 'listwise' to leave "
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
