"""What a user passes as truth, prediction and ranking -> codes of N items."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from itertools import chain, pairwise
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import pandas as pd

from pdkappa.errors import OptionError, RatingsError, RatingTypeError, shown
from pdkappa.methods.predictions.core.scores import LabelSets, Ranking
from pdkappa.ratings.categories import CategorySet, recode, unite
from pdkappa.ratings.columns import EXACT_IN_FLOAT, Column, code_column, numbers_of
from pdkappa.ratings.items import (
    align,
    check_columns,
    check_distinct,
    check_weights,
    column_of,
    is_column,
    sequence,
    where_in,
)
from pdkappa.ratings.suspicious_labels import warn_of_labels

if TYPE_CHECKING:
    from pdkappa._typing import BoolArray, Categories, FloatArray, IntArray, Label

SETS = (set, frozenset)
LISTS = (list, np.ndarray)


@dataclass(frozen=True)
class Labelled:
    """True or predicted labels of N items.

    Attributes
    ----------
    column : Column
        All labels, those of one item after the other.
    item : ndarray of int
        The item of each label.
    missing : ndarray of bool, shape (N,)
        Items about which nothing is known, which is not the same as to have no label.
    single : bool
        Whether the column holds one label for each item.
    """

    column: Column
    item: IntArray
    missing: BoolArray
    single: bool = False


@dataclass(frozen=True)
class Answers:
    """True and predicted labels of N items, coded by one set of L labels.

    Attributes
    ----------
    truth, prediction : ndarray of int, shape (N,)
        The set of labels of each item, -1 where it is missing. `prediction` is None where
        no labels are predicted.
    sets : LabelSets
        The S sets of labels.
    labels : CategorySet
        The L labels.
    columns : list of Column
        Where the labels come from.
    single : bool
        Whether every item has one label, so that sets are labels.
    """

    truth: IntArray
    prediction: IntArray | None
    sets: LabelSets
    labels: CategorySet
    columns: list[Column]
    single: bool


class Ranked(NamedTuple):
    """A ranking of labels for N items, and whether there is one, shape (N,)."""

    ranking: Ranking
    known: BoolArray


def read_answers(
    data: pd.DataFrame, truth: Any, prediction: Any, categories: Categories | None
) -> Answers:
    """Read true and predicted labels: a column, a column of lists, or columns of 0 and 1."""
    found = [_read_labels(data, truth, "truth", None)]
    if prediction is not None:
        names = names_of(data, truth)
        found.append(_read_labels(data, prediction, "prediction", names))
    columns = [labelled.column for labelled in found]
    single = all(labelled.single for labelled in found)
    if not single:
        _check_lists(found)
    labels = unite(columns, categories, None)
    orders = [column.declared for column in columns if column.ordered]
    if categories is None and any(order != orders[0] for order in orders):
        labels = replace(labels, scores=None)  # one contradicts the other
    if single and categories is None and len(columns) > 1:
        warn_of_labels(columns)
    codes = [recode([column], labels)[0] for column in columns]
    sets = LabelSets.of_one(len(labels))
    if not single:
        sets, codes = _as_sets(found, codes, len(labels))
    return Answers(codes[0], codes[1] if len(codes) > 1 else None, sets, labels, columns, single)


def read_ranking(
    data: pd.DataFrame, given: Any, answers: Answers, categories: Categories | None
) -> Ranked:
    """Read labels ranked from best to worst: a column of lists, or a column for each place."""
    names = names_of(data, given)
    if names is None:
        lists = _of_lists(column_of(data, given, "ranked"), given, (*LISTS, tuple))
        columns, item, missing = [lists.column], lists.item, lists.missing
        place = np.arange(1, len(item) + 1) - np.searchsorted(item, item)
    else:
        check_names(data, names, "ranked")
        columns = [code_column(data[name], name) for name in names]
        missing = np.logical_and.reduce([column.codes < 0 for column in columns])
        item = np.arange(len(data)).repeat(len(columns))
        place = np.tile(np.arange(1, len(columns) + 1), len(data))
    together = unite([answers.columns[0], *columns], categories, None)
    places = {label: number for number, label in enumerate(answers.labels.labels)}
    known = np.array([places.get(label, -1) for label in together.labels] + [-1])
    label = known[recode(columns, together).T.reshape(-1)]
    return Ranked(Ranking(item, place, label), ~missing)


def read_sequences(
    first: Any, second: Any, sample_weight: Any, kinds: dict[str, str]
) -> tuple[pd.Series, pd.Series, FloatArray | None]:
    """Read two sequences with weights, each Series aligned on the index of the first one.

    `kinds` says of each option what it holds, for the messages.
    """
    one, other = (
        sequence(given, option, kind).rename(option)
        for given, (option, kind) in zip((first, second), kinds.items(), strict=True)
    )
    if len(one) != len(other):
        kind, other_kind = (f" {kind}" for kind in kinds.values())
        message = (
            f"{one.name} has {len(one)}{kind} and {other.name} {len(other)}"
            f"{other_kind if other_kind != kind else ''}. Pass one of each for every item."
        )
        raise RatingsError(message)
    labelled = [values.index for values in (first, second) if isinstance(values, pd.Series)]
    if len(labelled) == 2:  # noqa: PLR2004
        other = align(other, one.index, str(other.name))
    if labelled and isinstance(sample_weight, pd.Series):
        sample_weight = align(sample_weight, labelled[0], "sample_weight")
    if sample_weight is None:
        return one, other, None
    return one, other, check_weights(sample_weight, "sample_weight", len(one))


def whole_numbers(values: Any) -> IntArray | None:
    """Return a list, array or Series of nothing but whole numbers as an array of them."""
    if isinstance(values, pd.Series) and isinstance(values.dtype, np.dtype):
        values = values.to_numpy()
    if type(values) is np.ndarray and values.dtype == object:
        values = values.tolist()
    if type(values) is list and set(map(type, values)) in ({int}, {float}):
        values = np.array(values)
    if type(values) is not np.ndarray or values.ndim != 1 or not len(values):
        return None
    if values.dtype.kind == "f" and float(abs(values).max()) < EXACT_IN_FLOAT:
        whole = values.astype(np.int64)
        return whole if np.array_equal(whole, values) else None
    if values.dtype == bool or not np.can_cast(values.dtype, np.int64):
        return None
    return values.astype(np.int64, copy=False)


def names_of(data: pd.DataFrame, given: Any) -> list[Label] | None:
    """Return the columns of a list; None for what may be the label of one column."""
    unordered = isinstance(given, str | bytes | Mapping | set | frozenset)
    if unordered or is_column(data, given) or not pd.api.types.is_list_like(given):
        return None
    return list(given)


def check_names(data: pd.DataFrame, names: list[Label], option: str) -> None:
    """Make sure that a list names columns, each once."""
    if not names:
        message = f"{option} is an empty list. Name the columns, or pass None."
        raise OptionError(message)
    check_columns(data, names, option)
    check_distinct(names, option, "column")


def _read_labels(
    data: pd.DataFrame, given: Any, role: str, true_names: list[Label] | None
) -> Labelled:
    """Read the labels of every item, in whichever of the three forms they are."""
    names = names_of(data, given)
    if names is None:
        series = column_of(data, given, role)
        if _holds_lists(series):
            return _of_lists(series, given, (*LISTS, *SETS))
        column = code_column(series, given)
        return Labelled(column, np.arange(len(series)), column.codes < 0, single=True)
    check_names(data, names, role)
    if true_names is not None and len(names) != len(true_names):
        message = (
            f"truth names {len(true_names)} columns and prediction {len(names)}. "
            "Name one column for each label, in the same order."
        )
        raise OptionError(message)
    return _of_indicators(data, names, role, true_names or names)


def _holds_lists(series: pd.Series) -> bool:
    """Whether a column holds several labels for an item."""
    if not isinstance(series.dtype, pd.ArrowDtype) and series.dtype != object:
        return False
    return any(isinstance(cell, (*LISTS, *SETS)) for cell in series)


def _of_lists(series: pd.Series, name: Label, kinds: tuple[type, ...]) -> Labelled:
    """Read a column of lists, each label with its item."""
    cells = series.tolist()
    is_list = np.array([isinstance(cell, kinds) for cell in cells], dtype=bool)
    for place in np.flatnonzero(~is_list).tolist():
        cell = cells[place]
        if not pd.api.types.is_scalar(cell) or not pd.isna(cell):
            message = (
                f"Column {name!r} must hold lists of labels, got {shown(cell)} "
                f"({type(cell).__name__}) at index {shown(series.index[place])}. "
                "Put the labels of each item into a list."
            )
            raise RatingTypeError(message)
    held = [cell if known else () for cell, known in zip(cells, is_list, strict=True)]
    item = np.arange(len(cells)).repeat([len(cell) for cell in held])
    labels = pd.Series(list(chain.from_iterable(held)), index=series.index[item], dtype=object)
    return Labelled(code_column(labels, name), item, ~is_list)


def _of_indicators(
    data: pd.DataFrame, names: list[Label], role: str, labels: list[Label]
) -> Labelled:
    """Read a column of 0 and 1 for each label, each label with its item."""
    held = [numbers_of(data[name], f"Column {name!r}", RatingsError) for name in names]
    values = np.column_stack(held)
    for name, column in zip(names, held, strict=True):
        wrong = np.flatnonzero(~np.isnan(column) & (column != 0) & (column != 1))
        if len(wrong):
            message = (
                f"Column {name!r} must hold 0 or 1, as one of several columns of {role}, "
                f"got {shown(column[wrong[0]].item())} at index "
                f"{shown(data.index[wrong[0]])}. Pass a single column for classes."
            )
            raise RatingsError(message)
    missing: BoolArray = np.logical_or.reduce(np.isnan(values), axis=1)
    item, label = np.nonzero((values == 1) & ~missing[:, None])
    index = pd.Index(labels, tupleize_cols=False)
    series = pd.Series(pd.Categorical.from_codes(label, index), index=data.index[item])
    return Labelled(code_column(series, role), item, missing)


def _check_lists(found: list[Labelled]) -> None:
    """Make sure that there are lists of labels everywhere, and no gaps in them."""
    for labelled in found:
        column = labelled.column
        if labelled.single and column.labels:
            message = (
                f"Column {column.name!r} holds one label for each item, such as "
                f"{shown(column.labels[0])}, beside lists of labels. Put it into lists too, or "
                "pass the lists as ranked."
            )
            raise RatingTypeError(message)
        gaps = np.flatnonzero((column.codes < 0) & ~labelled.missing[labelled.item])
        if len(gaps):
            gaps = gaps[np.unique(labelled.item[gaps], return_index=True)[1]]  # one for each list
            message = (
                f"Column {column.name!r} has missing labels in its lists"
                f"{where_in(column.index, gaps)}. Drop them from the lists, or set a whole list to "
                "missing."
            )
            raise RatingTypeError(message)


def _as_sets(
    found: list[Labelled], codes: list[IntArray], n_labels: int
) -> tuple[LabelSets, list[IntArray]]:
    """Find the distinct sets of labels, and code the items by them; -1 is missing."""
    held: list[bytes] = []
    for labelled, code in zip(found, codes, strict=True):
        known = code >= 0
        key = np.sort(labelled.item[known] * n_labels + code[known])
        key = key[np.diff(key, prepend=-1) > 0]
        ends = np.searchsorted(key, np.arange(len(labelled.missing) + 1) * n_labels)
        label = key % max(n_labels, 1)
        held += [label[start:end].tobytes() for start, end in pairwise(ends)]
    together = np.empty(len(held), dtype=object)
    together[:] = held
    number, distinct = pd.factorize(together)
    labels = [np.frombuffer(one, dtype=np.int64) for one in distinct]
    start = np.concatenate([[0], np.cumsum([len(one) for one in labels], dtype=np.int64)])
    sets = LabelSets(start, np.concatenate([np.empty(0, dtype=np.int64), *labels]))
    parts = np.split(number, len(found))
    return sets, [np.where(x.missing, -1, part) for x, part in zip(found, parts, strict=True)]
