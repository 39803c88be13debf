"""Contingency tables -> distinct rows of ratings with their counts."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

import numpy as np
import pandas as pd

from pdkappa.errors import (
    LookalikeLabelsWarning,
    RatingsError,
    TooLargeError,
    WeightsError,
    listing,
    shown,
    warn,
)
from pdkappa.ratings.categories import declared_set
from pdkappa.ratings.coded import Counted
from pdkappa.ratings.columns import numbers_of, plain_label
from pdkappa.ratings.items import check_weights

if TYPE_CHECKING:
    import numpy.typing as npt

    from pdkappa._typing import Categories, FloatArray, IntArray, Label

FEWEST_WITH_MARGINS = 3
MOST_RATINGS = 10_000


def read_table(
    table: npt.ArrayLike | pd.DataFrame,
    *,
    categories: Categories | Iterator[Label] | None = None,
) -> Counted:
    """Read a contingency table of two raters, shape (K, K).

    Its labels are the declared categories; they are ordered if they are numbers or the
    index is an ordered `CategoricalIndex`.
    """
    if isinstance(categories, Iterator):
        categories = list(categories)
    if not isinstance(table, pd.DataFrame):
        table = _labelled(_matrix_of_counts(table), categories)
    _check_axes(table)
    counts = _counts(table, "table")
    if _has_margins(counts):
        warn(
            f"The last row and column of the table, {shown(table.index[-1])}, are the sums of the "
            "others, as margins are. They were taken literally.",
            LookalikeLabelsWarning,
        )
    place = {label: number for number, label in enumerate(table.index)}
    rows, cols = np.divmod(np.arange(table.size), len(table.columns))
    cols = np.array([place[label] for label in table.columns], dtype=np.int64)[cols]
    frame = pd.DataFrame(dict(enumerate(_as_categoricals([rows, cols], table.index))))
    frame.columns = pd.Index(_names_of_raters(table), tupleize_cols=False)
    return Counted(frame, counts.reshape(-1), categories)


def read_counts(counts: object, *, categories: Categories | None = None) -> Counted:
    """Read how many raters put each item into each category, shape (N, K).

    The ratings of an item are put side by side in no order.
    """
    if not isinstance(counts, pd.DataFrame):
        message = (
            f"counts must be a DataFrame with a column for each category, got {shown(counts)}. "
            "Pass pandas.DataFrame(counts, columns=categories)."
        )
        raise RatingsError(message)
    _check_labels(counts.columns, "counts", "columns")
    times = _numbers_of_ratings(counts)
    width = max(int(times.sum(axis=1).max(initial=0)), 2)
    slots = np.arange(width)
    codes = np.full((len(times), width), -1)
    place = np.cumsum(times, axis=1)
    for category in range(times.shape[1]):
        before = place[:, category] - times[:, category]
        codes[(slots >= before[:, None]) & (slots < place[:, [category]])] = category
    columns = _as_categoricals(list(codes.T), counts.columns)
    frame = pd.DataFrame(dict(enumerate(columns)), index=counts.index)
    return Counted(frame, np.ones(len(frame)), categories, anonymous=True)


def _numbers_of_ratings(counts: pd.DataFrame) -> IntArray:
    """Return how often each item got each category, shape (N, K)."""
    values = _counts(counts, "counts")
    if (values != np.floor(values)).any():
        row, col = np.argwhere(values != np.floor(values))[0]
        message = (
            f"counts must be whole numbers of ratings, got {values[row, col]} in row "
            f"{shown(counts.index[row])}, column {shown(counts.columns[col])}. "
            "Count each rating once."
        )
        raise WeightsError(message)
    most = values.sum(axis=1).max(initial=0)
    if most > MOST_RATINGS:
        message = (
            f"counts has an item with {most:g} ratings; the limit is {MOST_RATINGS}. "
            "Divide them by a constant."
        )
        raise TooLargeError(message)
    return values.astype(np.int64)


def _as_categoricals(codes: list[IntArray], labels: pd.Index) -> list[pd.Categorical]:
    """Turn places on an axis into categories; they are ordered if its index is."""
    ordered = isinstance(labels, pd.CategoricalIndex) and bool(labels.ordered)
    if isinstance(labels, pd.CategoricalIndex):
        place = np.append(labels.codes, -1)
        codes, labels = [place[one] for one in codes], labels.categories
    dtype = pd.CategoricalDtype(labels, ordered=ordered)
    return [pd.Categorical.from_codes(one, dtype=dtype) for one in codes]


def _labelled(values: FloatArray, categories: Categories | None) -> pd.DataFrame:
    """Label a bare array with the categories in the order given, or with 0 to K - 1."""
    labels: pd.Index = pd.RangeIndex(len(values))
    if categories is not None:
        k = len(declared_set(categories))
        if k != len(values):
            message = (
                f"table has shape {values.shape}, but there are {k} categories. "
                "Give it a row and a column for each category, used or not."
            )
            raise RatingsError(message)
        labels = pd.Index(list(map(plain_label, categories)), tupleize_cols=False)
    return pd.DataFrame(values, index=labels, columns=labels)


def _matrix_of_counts(table: object) -> FloatArray:
    """Return an array of counts with two axes."""
    values = numbers_of(table, "table", WeightsError)
    if values.ndim != 2:  # noqa: PLR2004
        message = (
            f"table must have two axes, got {values.ndim}. "
            "Give it a row and a column for each category."
        )
        raise RatingsError(message)
    if len(values) != values.shape[1]:
        message = (
            f"table has shape {values.shape}, but needs as many rows as columns. "
            "Give it a row and a column for each category, used or not."
        )
        raise RatingsError(message)
    return values


def _check_axes(table: pd.DataFrame) -> None:
    """Make sure that rows and columns have the same categories."""
    _check_labels(table.index, "table", "rows")
    _check_labels(table.columns, "table", "columns")
    if len(table.index) != len(table.columns) or not table.index.isin(table.columns).all():
        message = (
            f"table must have the same categories in rows and columns, got {listing(table.index)} "
            f"and {listing(table.columns)}. Add the unused ones with table.reindex."
        )
        raise RatingsError(message)


def _check_labels(axis: pd.Index, option: str, name: str) -> None:
    """Make sure that the labels of an axis can be categories."""
    if axis.nlevels > 1:
        message = (
            f"{option} has {axis.nlevels} levels in its {name}, but categories have one. "
            f"Select one group at a time, as {option}.loc[group]."
        )
        raise RatingsError(message)
    if axis.hasnans:
        message = (
            f"{option} has a missing label in its {name}, which is never a category. "
            "Drop it, as with pandas.crosstab(..., dropna=True)."
        )
        raise RatingsError(message)
    if not axis.is_unique:
        message = (
            f"{option} names {listing(axis[axis.duplicated()])} twice in its {name}. "
            "Name each category once."
        )
        raise RatingsError(message)


def _counts(table: pd.DataFrame, option: str) -> FloatArray:
    """Return the counts, finite and not negative, in the shape of the table."""
    counts = numbers_of(table, option, WeightsError)
    wrong = np.argwhere(~np.isfinite(counts) | (counts < 0))
    if len(wrong):
        row, col = wrong[0]
        message = (
            f"{option} must hold finite counts, not negative, got {counts[row, col]} in row "
            f"{shown(table.index[row])}, column {shown(table.columns[col])}. "
            "Where there is no item, the count is 0."
        )
        raise WeightsError(message)
    return check_weights(counts.reshape(-1), option, counts.size).reshape(counts.shape)


def _has_margins(counts: FloatArray) -> bool:
    """Whether the last row and column are the sums of the others."""
    if len(counts) < FEWEST_WITH_MARGINS or not counts.any():
        return False
    inner = counts[:-1, :-1]
    rows = np.array_equal(counts[:-1, -1], inner.sum(axis=1))
    return rows and np.array_equal(counts[-1], counts[:-1].sum(axis=0))


def _names_of_raters(table: pd.DataFrame) -> list[Label]:
    """Name the raters after the axes of the table."""
    names = [table.index.name, table.columns.name]
    if None in names or names[0] == names[1]:
        return ["rater_a", "rater_b"]
    return names
