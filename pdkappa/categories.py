"""Columns of ratings -> their kind, one set of categories for all raters, order and scores."""

from __future__ import annotations

import datetime as dt
import numbers
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from decimal import Decimal
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from pdkappa.errors import CategoryError, RatingTypeError, listing

if TYPE_CHECKING:
    from pdkappa._typing import BoolArray, Categories, FloatArray, IntArray, Label

SMALL_RANGE = 1 << 16
EXACT_IN_FLOAT = 2**53

KINDS: tuple[tuple[type | tuple[type, ...], str], ...] = (
    ((bool, np.bool_), "bool"),
    ((pd.Timestamp, dt.datetime, np.datetime64), "datetime"),
    (dt.date, "date"),
    ((pd.Timedelta, dt.timedelta, np.timedelta64), "timedelta"),
    (pd.Period, "period"),
    ((numbers.Real, Decimal), "number"),
    (str, "text"),
)


@dataclass(frozen=True)
class Column:
    """The ratings of one rater, coded by themselves.

    Attributes
    ----------
    name : hashable
    dtype : object
        The dtype in the frame, for messages.
    codes : ndarray of int, shape (N,)
        Slot of each rating; -1 where it is missing.
    slots : ndarray of int
        The slots that occur.
    labels : list
        The rating that each of `slots` stands for.
    kinds : frozenset of str
        What sorts of values they are; empty where all are missing.
    declared : list or None
        The categories of a Categorical, in their order.
    ordered : bool
        Whether that order means something.
    """

    name: Label
    dtype: object
    codes: IntArray
    slots: IntArray
    labels: list[Any]
    kinds: frozenset[str]
    declared: list[Any] | None = None
    ordered: bool = False


@dataclass(frozen=True)
class CategorySet:
    """The categories that all raters share.

    Attributes
    ----------
    labels : list
        The K categories.
    scores : ndarray of float, shape (K,), or None
        Their positions on the scale; None where nothing says what their order is.
    declared : bool
        Whether the set was declared, so that an unused category belongs to it, rather
        than found in the ratings.
    numeric : bool
        Whether they are numbers that stand for themselves.
    """

    labels: list[Any]
    scores: FloatArray | None
    declared: bool
    numeric: bool = False

    def __len__(self) -> int:
        """Count the categories."""
        return len(self.labels)

    def index(self) -> pd.Index:
        """Return the categories as the index of a table."""
        return pd.Index(self.labels) if self.labels else pd.Index([], dtype=object)

    def restricted_to(self, used: BoolArray) -> CategorySet:
        """Keep only some of the categories."""
        labels = [label for label, keep in zip(self.labels, used, strict=True) if keep]
        scores = None if self.scores is None else self.scores[used]
        return CategorySet(labels, scores, self.declared, self.numeric)


def code_column(series: pd.Series, name: Label) -> Column:
    """Give each distinct rating of a column a slot."""
    dtype = series.dtype
    if isinstance(dtype, pd.SparseDtype):
        series = series.sparse.to_dense()
    if isinstance(dtype, pd.CategoricalDtype):
        return _code_categorical(series, name)
    values = series.to_numpy() if is_plain(series) and series.dtype.kind in "iubf" else None
    if values is not None and values.dtype.kind in "iub" and len(values):
        coded = code_small_range(values)
        if coded is not None:
            codes, slots, labels = coded
            kind = "bool" if values.dtype.kind == "b" else "number"
            return Column(name, dtype, codes, slots, labels, frozenset([kind]))
    try:
        codes, uniques = pd.factorize(series if values is None else values)
    except TypeError as error:
        found = next(value for value in series if not _is_hashable(value))
        message = (
            f"Column {name!r} holds values that cannot be labels, such as {found!r} "
            f"({type(found).__name__}). Convert them to text or to tuples."
        )
        raise RatingTypeError(message) from error
    labels = uniques.tolist()
    return Column(name, dtype, codes, np.arange(len(labels)), labels, _kinds(labels, name))


def unite(
    columns: list[Column], declared: Categories | None, needs_order: str | None
) -> CategorySet:
    """Find the categories that all raters share.

    Parameters
    ----------
    columns : list of Column
        One for each rater.
    declared : list or dict, optional
        What the user passed as `categories`.
    needs_order : str or None
        The option that needs ordered categories, as the user typed it, for the message;
        None where no order is needed.

    Raises
    ------
    CategoryError
        If a rating is not among the declared categories, orders contradict each other,
        or an order is needed and nothing gives one.
    RatingTypeError
        If raters hold different kinds of values.
    """
    kind = _common_kind(columns)
    if declared is not None:
        categories = _declared(declared)
        _check_all_inside(columns, categories.labels, "categories")
        return categories
    ordered = [column for column in columns if column.ordered]
    if ordered:
        categories = _of_ordered(columns, ordered, needs_order)
    else:
        categories = _of_unordered(columns, kind)
    if needs_order and categories.scores is None and any(column.labels for column in columns):
        raise CategoryError(_no_order_message(columns, kind, needs_order))
    return categories


def recode(columns: list[Column], categories: CategorySet) -> IntArray:
    """Code the ratings of all raters by the shared categories, shape (R, N); -1 is missing."""
    place = {label: number for number, label in enumerate(categories.labels)}
    n_items = len(columns[0].codes)
    codes = np.empty((len(columns), n_items), dtype=np.min_scalar_type(-len(categories) - 1))
    for out, column in zip(codes, columns, strict=True):
        lookup = np.full(int(column.slots.max(initial=-1)) + 2, -1, dtype=codes.dtype)
        lookup[column.slots] = [place[label] for label in column.labels]
        np.take(lookup, column.codes, out=out, mode="wrap")
    return codes


def _code_categorical(series: pd.Series, name: Label) -> Column:
    """Take over the codes of a Categorical; its values, not its codes, are compared later."""
    codes = series.cat.codes.to_numpy()
    declared = series.cat.categories.tolist()
    slots = np.flatnonzero(np.bincount(codes + 1, minlength=len(declared) + 1)[1:])
    return Column(
        name,
        series.dtype,
        codes,
        slots,
        [declared[slot] for slot in slots],
        _kinds(declared, name),
        declared,
        bool(series.cat.ordered),
    )


def is_plain(series: pd.Series) -> bool:
    """Whether a column is a NumPy array rather than an extension array."""
    return isinstance(series.dtype, np.dtype)


def code_small_range(values: IntArray) -> tuple[IntArray, IntArray, list[Any]] | None:
    """Code integers of a small range by their distance from the smallest, without hashing."""
    low, high = int(values.min()), int(values.max())
    if high - low >= max(SMALL_RANGE, len(values)):
        return None
    if values.dtype.kind == "b":
        return values.view(np.uint8), *_slots_of(values.view(np.uint8), 0, bool)
    offset = np.subtract(values, low, dtype=values.dtype if low >= 0 else np.int64)
    codes = offset.astype(np.min_scalar_type(-(high - low) - 1), copy=False)
    return codes, *_slots_of(codes, low, int)


def _slots_of(codes: IntArray, low: int, kind: type) -> tuple[IntArray, list[Any]]:
    """Slots that occur, and the values they stand for."""
    slots = np.flatnonzero(np.bincount(codes))
    return slots, [kind(low + slot) for slot in slots.tolist()]


def _is_hashable(value: object) -> bool:
    """Whether a value can be a label at all."""
    try:
        hash(value)
    except TypeError:
        return False
    return True


def _kinds(labels: list[Any], name: Label) -> frozenset[str]:
    """Sorts of values among the labels of a column."""
    found = {}
    for kind_of_label in set(map(type, labels)):
        if issubclass(kind_of_label, complex | np.complexfloating):
            message = f"Column {name!r} holds complex numbers, which have no agreement scale."
            raise RatingTypeError(message)
        kind = next((kind for types, kind in KINDS if issubclass(kind_of_label, types)), "other")
        found[kind] = kind_of_label
    if len(found) > 1 and not _bools_and_bits(found.keys(), labels):
        examples = [next(x for x in labels if type(x) is one) for one in found.values()]
        message = (
            f"Column {name!r} mixes {' and '.join(sorted(found))}, such as {listing(examples)}, "
            f"so that equal ratings may not match. Convert it to one type with astype."
        )
        raise RatingTypeError(message)
    return frozenset(found)


def _bools_and_bits(kinds: Iterable[str], labels: list[Any]) -> bool:
    """Whether booleans stand beside numbers that are all 0 or 1."""
    return set(kinds) == {"bool", "number"} and all(label in (0, 1) for label in labels)


def _common_kind(columns: list[Column]) -> str | None:
    """Return the kind of value that all raters hold; None where there is no rating at all."""
    kinds = frozenset().union(*(column.kinds for column in columns))
    labels = [label for column in columns for label in column.labels]
    if len(kinds) > 1 and not _bools_and_bits(kinds, labels):
        first = next(column for column in columns if column.kinds)
        other = next(column for column in columns if column.kinds - first.kinds)
        examples = [first.labels or first.declared, other.labels or other.declared]
        shown = " and ".join(repr(values[0]) for values in examples if values)
        message = (
            f"Raters {first.name!r} and {other.name!r} hold different kinds of ratings "
            f"({first.dtype}, {other.dtype}), so {shown} would not match. Convert one with astype."
        )
        raise RatingTypeError(message)
    return "number" if len(kinds) > 1 else next(iter(kinds), None)


def _declared(declared: Categories) -> CategorySet:
    """Check what the user passed as `categories`."""
    if isinstance(declared, str | bytes | set | frozenset) or not isinstance(declared, Iterable):
        message = (
            f"categories must be an ordered list or a dict of scores, got {declared!r}. "
            "Pass a list such as ['low', 'mid', 'high']."
        )
        raise CategoryError(message)
    labels = list(declared)
    labels = [label.item() if isinstance(label, np.generic) else label for label in labels]
    if not labels:
        message = "categories is empty. Pass at least one category, or None to use the ratings."
        raise CategoryError(message)
    if any(pd.api.types.is_scalar(label) and pd.isna(label) for label in labels):
        message = "categories holds a missing value. A missing rating is never a category."
        raise CategoryError(message)
    repeated = [label for label, times in Counter(labels).items() if times > 1]
    if repeated:
        message = f"categories holds {listing(repeated)} more than once. Name each category once."
        raise CategoryError(message)
    if isinstance(declared, Mapping):
        return _of_scores(labels, [declared[label] for label in declared])
    if _kinds(labels, "categories") <= {"number", "bool"}:
        scores = scores_of_numbers(labels)
        steps = np.diff(scores)
        if not ((steps > 0).all() or (steps < 0).all()):
            message = (
                f"categories holds numbers that are neither ascending nor descending: "
                f"{listing(labels)}. Sort them, or pass a dict of scores."
            )
            raise CategoryError(message)
        return CategorySet(labels, scores, declared=True, numeric=True)
    return CategorySet(labels, np.arange(1.0, len(labels) + 1), declared=True)


def _of_scores(labels: list[Any], scores: list[Any]) -> CategorySet:
    """Order categories by the scores of a dict."""
    for label, score in zip(labels, scores, strict=True):
        if not isinstance(score, numbers.Real | Decimal) or not np.isfinite(float(score)):
            message = f"categories gives {label!r} the score {score!r}. Scores are finite numbers."
            raise CategoryError(message)
    values = np.array([float(score) for score in scores])
    order = np.argsort(values, kind="stable")
    tie = np.flatnonzero(np.diff(values[order]) == 0)
    if len(tie):
        first, second = order[tie[0]], order[tie[0] + 1]
        message = (
            f"categories gives {labels[first]!r} and {labels[second]!r} the same score "
            f"{scores[first]!r}. Give each category its own, or merge them in the data."
        )
        raise CategoryError(message)
    return CategorySet([labels[i] for i in order], values[order], declared=True)


def _of_ordered(
    columns: list[Column], ordered: list[Column], needs_order: str | None
) -> CategorySet:
    """Take the order of ordered Categoricals, which all raters must share if it is needed."""
    first = ordered[0]
    labels = list(first.declared or [])
    for column in ordered[1:]:
        if column.declared != labels and needs_order:
            message = (
                f"Raters {first.name!r} and {column.name!r} are ordered Categoricals with "
                f"different categories: {listing(labels)} against {listing(column.declared or [])}. "
                "Give both one order with .cat.set_categories, or pass categories=[...]."
            )
            raise CategoryError(message)
    if needs_order:
        _check_all_inside(columns, labels, f"the ordered categories of {first.name!r}")
        return CategorySet(labels, np.arange(1.0, len(labels) + 1), declared=True)
    union = dict.fromkeys(labels)
    for column in columns:
        union.update(dict.fromkeys([*(column.declared or []), *column.labels]))
    same = len(union) == len(labels)
    return CategorySet(
        list(union), np.arange(1.0, len(labels) + 1) if same else None, declared=True
    )


def _of_unordered(columns: list[Column], kind: str | None) -> CategorySet:
    """Collect the categories of all raters; only numbers bring their own order."""
    declared = [column.declared for column in columns if column.declared is not None]
    union = dict.fromkeys(label for labels in declared for label in labels)
    for column in columns:
        union.update(dict.fromkeys(column.labels))
    labels = list(union)
    if kind == "bool":
        labels = [False, True]
    elif kind == "number":
        labels = sorted(int(label) if isinstance(label, bool) else label for label in labels)
    elif not declared:
        labels = _sorted_if_possible(labels)
    fixed = bool(declared) or kind == "bool"
    if kind in ("number", "bool"):
        return CategorySet(labels, scores_of_numbers(labels), declared=fixed, numeric=True)
    return CategorySet(labels, None, declared=fixed)


def _sorted_if_possible(labels: list[Any]) -> list[Any]:
    """Sort for display; values without an order stay in order of appearance."""
    try:
        return sorted(labels)
    except TypeError:
        return labels


def scores_of_numbers(labels: list[Any]) -> FloatArray:
    """Numbers as floats; integers beyond 2**53 as exact distances from the smallest."""
    if any(abs(label) > EXACT_IN_FLOAT for label in labels) and all(
        isinstance(label, int) for label in labels
    ):
        low = min(labels)
        return np.array([float(label - low) for label in labels])
    return np.array([float(label) for label in labels], dtype=np.float64)


def _check_all_inside(columns: list[Column], labels: list[Any], where: str) -> None:
    """Every rating must be one of the declared categories."""
    known = set(labels)
    for column in columns:
        outside = [i for i, label in enumerate(column.labels) if label not in known]
        if not outside:
            continue
        is_outside = np.isin(column.codes, column.slots[outside])
        rows = np.flatnonzero(is_outside)
        message = (
            f"Column {column.name!r} holds {len(rows)} rating(s) that are not in {where}: "
            f"{listing(column.labels[i] for i in outside)}, first in row(s) "
            f"{listing(rows.tolist())}. Add them to the categories, or set those ratings to missing."
        )
        raise CategoryError(message)


def _no_order_message(columns: list[Column], kind: str | None, needs_order: str) -> str:
    """Explain that distances need an order, and what to do about it."""
    labels = [label for column in columns for label in column.labels]
    name = next(column.name for column in columns if column.labels)
    message = (
        f"{needs_order} needs ordered categories, but column {name!r} holds "
        f"{kind if kind != 'other' else 'values without an order'}. "
        "Pass categories=[...] in order, or make the columns ordered Categoricals."
    )
    if kind == "text" and all(_is_numeric_text(label) for label in labels):
        message += (
            " All of it is numeric text, which would sort '10' before '2': "
            "convert the columns with pd.to_numeric."
        )
    return message


def _is_numeric_text(label: str) -> bool:
    """Whether a text reads as a number."""
    try:
        return np.isfinite(float(label))
    except ValueError:
        return False
