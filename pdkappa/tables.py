"""Contingency tables -> distinct rows of ratings with their counts."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from pdkappa.errors import RatingsError, listing
from pdkappa.ratings import Counted, check_weights

if TYPE_CHECKING:
    from pdkappa._typing import Categories, Label


def read_table(table: Any, *, categories: Categories | None = None) -> Counted:
    """Read a contingency table of two raters, shape (K, K).

    Its labels are the declared categories; they are ordered if they are numbers or the
    index is an ordered `CategoricalIndex`.
    """
    if not isinstance(table, pd.DataFrame):
        table = pd.DataFrame(_matrix_of_counts(table))
    _check_table(table)
    counts = check_weights(table.to_numpy().reshape(-1), "table", table.size)
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
    return Counted(frame, counts, categories)


def _matrix_of_counts(table: Any) -> Any:
    """Return an array of counts with two axes."""
    values = np.asarray(table)
    if values.ndim != 2:  # noqa: PLR2004
        message = (
            f"table must have two axes, a row and a column for each category, got {values.ndim}."
        )
        raise RatingsError(message)
    return values


def _check_table(table: pd.DataFrame) -> None:
    """A table of two raters has the same categories in its rows and columns."""
    for axis, name in ((table.index, "rows"), (table.columns, "columns")):
        if axis.hasnans:
            message = f"table has a missing label in its {name}. A missing rating is no category."
            raise RatingsError(message)
        if not axis.is_unique:
            message = f"table names {listing(axis[axis.duplicated()])} twice in its {name}."
            raise RatingsError(message)
    if len(table.index) != len(table.columns) or not table.index.isin(table.columns).all():
        message = (
            f"table must have the same categories in rows and columns, got {listing(table.index)} "
            f"and {listing(table.columns)}. Add the unused ones with table.reindex."
        )
        raise RatingsError(message)


def _names_of_raters(table: pd.DataFrame) -> list[Label]:
    """Name the raters after the axes of the table."""
    names = [table.index.name, table.columns.name]
    if None in names or names[0] == names[1]:
        return ["rater_a", "rater_b"]
    return names
