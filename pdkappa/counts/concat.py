"""Columns of several chunks -> one column, and the numbers of distinct values and rows."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pandas as pd

from pdkappa.errors import CategoryError, RatingTypeError, listing

if TYPE_CHECKING:
    from collections.abc import Collection, Sequence

    from pdkappa._typing import Label


Types = dict[Any, list[pd.CategoricalDtype]]


def stack(frames: Sequence[pd.DataFrame]) -> pd.DataFrame:
    """Put frames of the same columns one below the other, each column of one type.

    Categoricals that differ become one without an order; see `settle`.
    """
    n_rows, names = sum(map(len, frames)), frames[0].columns
    columns = {
        place: stack_columns([frame.iloc[:, place] for frame in frames], name)
        for place, name in enumerate(names)
    }
    return pd.DataFrame(columns, index=pd.RangeIndex(n_rows)).set_axis(names, axis=1)


def stack_columns(columns: Sequence[pd.Series], name: Label) -> pd.Series:
    """Put columns one below the other, Categoricals with the categories of all."""
    filled = [column for column in columns if len(column)] or list(columns[:1])
    if len({str(column.dtype) for column in filled}) == 1 and not _is_categorical(filled[0]):
        return pd.concat(filled, ignore_index=True)
    if any(map(_is_categorical, filled)):
        filled = _with_one_set_of_categories(filled, name)
    return pd.concat(filled, ignore_index=True)


def _is_categorical(column: pd.Series) -> bool:
    """Whether a column brings its categories."""
    return isinstance(column.dtype, pd.CategoricalDtype)


def _with_one_set_of_categories(columns: list[pd.Series], name: Label) -> list[pd.Series]:
    """Give all chunks of a Categorical the same categories; an empty one takes them too."""
    known: list[Any] = [column.dtype for column in columns if _is_categorical(column)]
    others = [column for column in columns if not (_is_categorical(column) or column.isna().all())]
    if others:
        message = (
            f"Column {name!r} is a Categorical in one part of the data and holds "
            f"{others[0].dtype} in another. Convert all parts to the same type."
        )
        raise RatingTypeError(message)
    same = all(
        dtype == known[0] and dtype.categories.equals(known[0].categories) for dtype in known
    )
    dtype = known[0] if same else _without_order(known)
    return [column.astype(dtype) for column in columns]


def _without_order(types: Sequence[pd.CategoricalDtype]) -> pd.CategoricalDtype:
    """Return the categories of all, in order of first appearance, which means nothing."""
    categories = dict.fromkeys(label for dtype in types for label in dtype.categories.tolist())
    return pd.CategoricalDtype(list(categories), ordered=False)


def types_of(frame: pd.DataFrame) -> Types:
    """Return the types of the columns that are Categoricals, if there is any row."""
    categorical = frame.dtypes[[isinstance(dtype, pd.CategoricalDtype) for dtype in frame.dtypes]]
    return {name: [dtype] for name, dtype in categorical.items()} if len(frame) else {}


def add_types(parts: Sequence[Types]) -> Types:
    """Gather the orders of each column, each once, and the categories of those without one."""
    result: Types = {}
    for name in dict.fromkeys(name for part in parts for name in part):
        types = [dtype for part in parts for dtype in part.get(name, [])]
        unordered = [dtype for dtype in types if not dtype.ordered]
        orders = dict.fromkeys(dtype for dtype in types if dtype.ordered)
        result[name] = [*orders, *([_without_order(unordered)] if unordered else [])]
    return result


def settle(frame: pd.DataFrame, types: Types, declared: Collection[Label] = ()) -> pd.DataFrame:
    """Give each Categorical the one order that is that of all its parts.

    All parts have to be known by then: whether an order holds all others does not depend on
    how they were grouped. `types` are those that each column has in the parts; of `declared`
    columns the user gives the categories, so that no order of their own matters.
    """
    return frame.astype(
        {
            name: _settled(known, name, is_declared=name in declared)
            for name, known in types.items()
            if isinstance(frame.dtypes[name], pd.CategoricalDtype)
        }
    )


def stack_all(frames: Sequence[pd.DataFrame], declared: Collection[Label] = ()) -> pd.DataFrame:
    """Put all parts of a frame one below the other, each Categorical with its one order."""
    return settle(stack(frames), add_types([types_of(frame) for frame in frames]), declared)


def _settled(
    types: list[pd.CategoricalDtype], name: Label, *, is_declared: bool
) -> pd.CategoricalDtype:
    """Return the longest order if it holds all others, or all categories if there is none."""
    longest = max(types, key=lambda dtype: (bool(dtype.ordered), len(dtype.categories)))
    if not longest.ordered:
        return _without_order(types)
    for other in types:
        known = longest.categories.isin(other.categories)
        if other.ordered and longest.categories[known].tolist() == other.categories.tolist():
            continue
        if is_declared:
            return _without_order(types)
        message = (
            f"Column {name!r} is an ordered Categorical with different categories in two parts of "
            f"the data: {listing(longest.categories)} against {listing(other.categories)}. Give "
            "all parts one order with .cat.set_categories, or pass categories=[...]."
        )
        raise CategoryError(message)
    return longest
