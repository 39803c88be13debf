"""Contingency tables -> distinct rows of ratings with their counts."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

import numpy as np
import pandas as pd

from pdkappa.categories import declared_set, numbers_of
from pdkappa.errors import LookalikeLabelsWarning, RatingsError, WeightsError, listing, shown, warn
from pdkappa.ratings import Counted, check_weights

if TYPE_CHECKING:
    import numpy.typing as npt

    from pdkappa._typing import Categories, FloatArray, Label

FEWEST_WITH_MARGINS = 3


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
    counts = _counts(table)
    labels = table.index
    ordered = isinstance(labels, pd.CategoricalIndex) and bool(labels.ordered)
    if isinstance(labels, pd.CategoricalIndex):
        labels = labels.categories
    rows, cols = np.divmod(np.arange(table.size), len(table.columns))
    sides = labels.get_indexer(table.index)[rows], labels.get_indexer(table.columns)[cols]
    frame = pd.DataFrame(
        {
            number: pd.Categorical.from_codes(codes, categories=labels, ordered=ordered)
            for number, codes in enumerate(sides)
        }
    )
    frame.columns = pd.Index(_names_of_raters(table), tupleize_cols=False)
    return Counted(frame, counts.reshape(-1), categories)


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
        labels = pd.Index(list(categories), tupleize_cols=False)
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
    """Make sure that rows and columns have the same categories, and the same number of levels."""
    for axis, name in ((table.index, "rows"), (table.columns, "columns")):
        if axis.nlevels > 1:
            message = (
                f"table has {axis.nlevels} levels in its {name}, but a table of two raters has "
                "one. Pass one group at a time, as table.loc[group]."
            )
            raise RatingsError(message)
        if axis.hasnans:
            message = (
                f"table has a missing label in its {name}, which is never a category. "
                "Drop it, as with pandas.crosstab(..., dropna=True)."
            )
            raise RatingsError(message)
        if not axis.is_unique:
            message = (
                f"table names {listing(axis[axis.duplicated()])} twice in its {name}. "
                "Name each category once."
            )
            raise RatingsError(message)
    if len(table.index) != len(table.columns) or not table.index.isin(table.columns).all():
        message = (
            f"table must have the same categories in rows and columns, got {listing(table.index)} "
            f"and {listing(table.columns)}. Add the unused ones with table.reindex."
        )
        raise RatingsError(message)


def _counts(table: pd.DataFrame) -> FloatArray:
    """Return the counts, finite and not negative, shape (K, K)."""
    counts = numbers_of(table, "table", WeightsError)
    wrong = np.argwhere(~np.isfinite(counts) | (counts < 0))
    if len(wrong):
        row, col = wrong[0]
        message = (
            f"table must hold finite counts, not negative, got {counts[row, col]} in row "
            f"{shown(table.index[row])}, column {shown(table.columns[col])}. "
            "Where there is no item, the count is 0."
        )
        raise WeightsError(message)
    counts = check_weights(counts.reshape(-1), "table", counts.size).reshape(counts.shape)
    if _has_margins(counts):
        warn(
            f"The last row and column of the table, {shown(table.index[-1])}, are the sums of the "
            "others, as margins are. They were taken literally.",
            LookalikeLabelsWarning,
        )
    return counts


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
