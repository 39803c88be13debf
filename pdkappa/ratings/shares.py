"""Tables with a number for each category -> the same in the order of one set of categories."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import pandas as pd

from pdkappa.errors import CategoryError, RatingsError, listing
from pdkappa.ratings.categories import CategorySet, declared_set, is_numeric_text, scores_of_numbers
from pdkappa.ratings.columns import (
    check_hashable,
    kinds_in_words,
    kinds_of,
    numbers_of,
    plain_label,
)

if TYPE_CHECKING:
    from pdkappa._typing import Categories, FloatArray, Label


class Numbers(NamedTuple):
    """Numbers for each category, as the user passed them.

    Attributes
    ----------
    option : str
        The option that they belong to, for messages.
    held : ndarray of float, shape (..., L)
    labels : list or None
        The L categories; None for a bare array.
    order : list or None
        All categories in their order, if the labels are an ordered Categorical.
    """

    option: str
    held: FloatArray
    labels: list[Any] | None
    order: list[Any] | None = None


def read_numbers(given: Any, option: str) -> Numbers:
    """Read a frame by its columns, a Series by its index, a dict by its keys, or an array."""
    if isinstance(given, Mapping):
        given = pd.Series(list(given.values()), index=pd.Index(list(given), tupleize_cols=False))
    if isinstance(given, pd.DataFrame):
        columns = [numbers_of(column, option, RatingsError) for _, column in given.items()]
        values = np.array(columns).reshape(len(columns), len(given)).T
    else:
        values = numbers_of(given, option, RatingsError)
    if values.ndim == 0 or values.shape[-1] == 0:
        message = f"{option} has no categories. Give it a number for each category."
        raise RatingsError(message)
    if not isinstance(given, pd.DataFrame | pd.Series):
        return Numbers(option, values, None)
    axis: Any = given.columns if isinstance(given, pd.DataFrame) else given.index
    labels = [plain_label(label) for label in axis]
    _check_labels(labels, option)
    ordered = isinstance(axis, pd.CategoricalIndex) and bool(axis.ordered)
    order = [plain_label(label) for label in axis.categories] if ordered else None
    return Numbers(option, values, labels, order)


def in_one_order(
    tables: list[Numbers],
    categories: Categories | Iterator[Label] | None,
    needs_order: str | None,
) -> tuple[CategorySet, list[FloatArray]]:
    """Find the K categories of all tables, and put the numbers in their order, (..., K).

    Bare arrays have the labels of the first table; if that is one too, the categories in the
    order in which they were declared, or 0 to L - 1. A category that a table does not name
    has the number 0 there. `needs_order` is as in `unite`.
    """
    if isinstance(categories, Iterator):
        categories = list(categories)
    declared = None if categories is None else declared_set(categories)
    default = tables[0].labels
    if default is None:
        default = list(range(tables[0].held.shape[-1]))
        if categories is not None:
            default = [plain_label(label) for label in categories]
    tables = [table._replace(labels=_labels(table, default)) for table in tables]
    found = _united(tables, needs_order) if declared is None else declared
    return found, [_aligned(table, found) for table in tables]


def check_known(with_share: list[Any], known: Iterable[Any]) -> None:
    """Make sure that a prior has shares for known classes only."""
    classes = dict.fromkeys(known)
    unknown = [label for label in with_share if label not in classes]
    if unknown:
        message = (
            f"prior has a share for class(es) {listing(unknown)}, which neither the columns nor "
            f"categories have. The classes are {listing(classes)}."
        )
        raise CategoryError(message)


def _check_labels(labels: list[Any], option: str) -> None:
    """Make sure that labels can be categories, and are distinct."""
    check_hashable(labels, f"The labels of {option}")
    if any(pd.api.types.is_scalar(label) and pd.isna(label) for label in labels):
        message = f"{option} has a missing label, which is never a category. Leave it out."
        raise CategoryError(message)
    repeated = [label for label, times in Counter(labels).items() if times > 1]
    if repeated:
        message = f"{option} names {listing(repeated)} more than once. Name each category once."
        raise CategoryError(message)


def _labels(table: Numbers, default: list[Any]) -> list[Any]:
    """Return the labels of a table; a bare array needs as many as there are."""
    if table.labels is not None:
        return table.labels
    if table.held.shape[-1] != len(default):
        message = (
            f"{table.option} has shape {table.held.shape}, but there are {len(default)} "
            f"categories: {listing(default)}. Give it a number for each, used or not."
        )
        raise RatingsError(message)
    return default


def _united(tables: list[Numbers], needs_order: str | None) -> CategorySet:
    """Collect the categories of all tables; only numbers and Categoricals bring their order."""
    where = " and ".join(table.option for table in tables)
    labels = list(dict.fromkeys(label for table in tables for label in table.labels or []))
    kinds = kinds_of(labels, f"The scale of {where}")
    orders = [table.order for table in tables if table.order is not None]
    if orders and all(order == orders[0] for order in orders) and set(labels) <= {*orders[0]}:
        return CategorySet(orders[0], np.arange(1.0, len(orders[0]) + 1), declared=True)
    if kinds <= {"number", "bool"} and not orders:
        labels = sorted(labels)
        return CategorySet(labels, scores_of_numbers(labels), declared=True, numeric=True)
    if needs_order:
        message = (
            f"{needs_order} needs ordered categories, but nothing says what the order of "
            f"{listing(labels)} is ({kinds_in_words(kinds)}). Pass categories=[...] in order."
        )
        if kinds == {"text"} and all(map(is_numeric_text, labels)):
            message += (
                " All of it is numeric text, which would sort '10' before '2': convert the labels "
                "with pd.to_numeric."
            )
        raise CategoryError(message)
    return CategorySet(labels, None, declared=True)


def _aligned(table: Numbers, categories: CategorySet) -> FloatArray:
    """Put the numbers of a table in the order of the categories; 0 where there is none."""
    labels = table.labels or []
    place = {label: number for number, label in enumerate(categories.labels)}
    outside = [label for label in labels if label not in place]
    if outside:
        message = (
            f"{table.option} has numbers for {listing(outside)}, which are not among the "
            f"categories: {listing(categories.labels)}. Add them to categories, or leave them out."
        )
        raise CategoryError(message)
    values = np.zeros((*table.held.shape[:-1], len(categories)))
    values[..., [place[label] for label in labels]] = table.held
    return values
