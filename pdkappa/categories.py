"""Columns of ratings -> their kind, one set of categories for all raters, order and scores."""

from __future__ import annotations

import datetime as dt
import numbers
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from decimal import Decimal
from itertools import pairwise
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from pdkappa.errors import CategoryError, RatingTypeError, listing, shown

if TYPE_CHECKING:
    import numpy.typing as npt

    from pdkappa._typing import (
        BoolArray,
        Categories,
        FloatArray,
        IntArray,
        Label,
        ObjectArray,
    )
    from pdkappa.errors import KappaError

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

DIVERSE = ("datetime", "period", "other")


@dataclass(frozen=True)
class Column:
    """The ratings of one rater, coded by themselves.

    Attributes
    ----------
    name : hashable
    dtype : object
        The dtype in the frame, for messages.
    index : Index, shape (N,)
        Labels of the items, for messages.
    codes : ndarray of int, shape (N,)
        Slot of each rating; -1 where it is missing.
    slots : ndarray of int
        The slots that occur.
    labels : list
        The rating that each of `slots` stands for.
    kinds : frozenset of str
        What sorts of values they are, those of an unused category included.
    declared : list or None
        The categories of a Categorical, in their order.
    ordered : bool
        Whether that order means something.
    """

    name: Label
    dtype: object
    index: pd.Index
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
        """Return the categories as the index of a table, every one as it is."""
        index = pd.Index(self.labels, tupleize_cols=False)
        is_rounded = index.dtype.kind == "f" and index.tolist() != self.labels
        return pd.Index(self.labels, dtype=object) if is_rounded or not self.labels else index

    def restricted_to(self, used: BoolArray) -> CategorySet:
        """Keep only some of the categories."""
        labels = [label for label, keep in zip(self.labels, used, strict=True) if keep]
        scores = None if self.scores is None else self.scores[used]
        return CategorySet(labels, scores, self.declared, self.numeric)


def code_column(series: pd.Series, name: Label) -> Column:
    """Give each distinct rating of a column a slot."""
    dtype = series.dtype
    if isinstance(dtype, pd.CategoricalDtype):
        return _code_categorical(series, name)
    values = _values(series)
    if isinstance(values, np.ndarray) and values.dtype.kind in "iub" and len(values):
        coded = code_small_range(values)
        if coded is not None:
            codes, slots, labels = coded
            kind = "bool" if values.dtype.kind == "b" else "number"
            return Column(name, dtype, series.index, codes, slots, labels, frozenset([kind]))
    codes, uniques = factorize(values, f"Column {name!r}")
    labels = [plain_label(label) for label in uniques.tolist()]
    kinds = _kinds(labels, f"Column {name!r}", _hidden_bools(values, labels))
    return Column(name, dtype, series.index, codes, np.arange(len(labels)), labels, kinds)


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
        categories = declared_set(declared)
        _check_kind(columns, categories.labels)
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
    declared = [plain_label(label) for label in series.cat.categories.tolist()]
    slots = np.flatnonzero(np.bincount(codes + 1, minlength=len(declared) + 1)[1:])
    return Column(
        name,
        series.dtype,
        series.index,
        codes,
        slots,
        [declared[slot] for slot in slots],
        _kinds(declared, f"Column {name!r}"),
        declared,
        bool(series.cat.ordered),
    )


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


def _values(series: pd.Series) -> pd.Series | npt.NDArray[Any]:
    """Return plain numbers as an array, floats of every sort with NaN for all that is missing."""
    if isinstance(series.dtype, pd.SparseDtype):
        series = pd.Series(series.to_numpy())
    dtype = series.dtype
    if not isinstance(dtype, np.dtype) and dtype.kind == "f":
        return series.to_numpy(dtype=np.float64, na_value=np.nan)
    if not is_plain(series) and series.isna().all():  # which Arrow's null type calls a value
        return np.full(len(series), np.nan)
    if not is_plain(series) or dtype.kind not in "iubf":
        return series
    values = series.to_numpy()
    return values + 0.0 if dtype.kind == "f" else values  # so that -0.0 becomes 0.0


def is_plain(series: pd.Series) -> bool:
    """Whether a column is a NumPy array rather than an extension array."""
    return isinstance(series.dtype, np.dtype)


def factorize(
    values: pd.Series | npt.NDArray[Any], where: str
) -> tuple[IntArray, pd.Index | ObjectArray]:
    """Give each distinct value a number, in order of appearance; -1 is missing."""
    try:
        return pd.factorize(values)
    except (TypeError, NotImplementedError) as error:  # the latter from Arrow
        check_hashable(values, where, error)
        return pd.factorize(pd.Series(list(values), dtype=object))


def check_hashable(values: Iterable[object], where: str, error: Exception | None = None) -> None:
    """Every value must be something that can be a label."""
    for value in values:
        if not pd.api.types.is_hashable(value):
            message = (
                f"{where} holds values that cannot be labels, such as {shown(value)} "
                f"({type(value).__name__}). Convert them to text or to tuples."
            )
            raise RatingTypeError(message) from error


def plain_label(label: Any) -> Any:
    """Return a rating as Python holds it, so that what is equal by value also matches.

    >>> [plain_label(x) for x in (np.int8(3), Decimal("0.10"), Decimal("2.0"), "a")]
    [3, 0.1, 2, 'a']
    """
    if isinstance(label, np.datetime64):
        return pd.Timestamp(label)
    if isinstance(label, np.timedelta64):
        return pd.Timedelta(label)
    if isinstance(label, np.generic):
        return label.item()
    if isinstance(label, Decimal) and label.is_finite():
        nearest = float(label)
        if Decimal(repr(nearest)) != label or abs(nearest) >= EXACT_IN_FLOAT:
            return label
        return int(nearest) if nearest.is_integer() else nearest
    return label


def _kinds(labels: list[Any], where: str, hidden: frozenset[str] = frozenset()) -> frozenset[str]:
    """Sorts of values among some labels, and those `hidden` behind equal ones."""
    kind_of: dict[type, str] = {}
    examples: dict[str, Any] = {}
    for label in labels:
        cls = type(label)
        kind = kind_of.get(cls) or kind_of.setdefault(cls, _kind_of(cls, where))
        if kind in DIVERSE:
            kind = _kind_within(kind, label, where)
        examples.setdefault(kind, label)
    found = hidden.union(examples)
    if len(found) > 1 and not _bools_and_bits(found, labels):
        message = (
            f"{where} mixes {kinds_in_words(found)}, such as "
            f"{listing(examples.get(kind, True) for kind in sorted(found))}, "
            f"so that equal ratings may not match. Convert all to one type."
        )
        raise RatingTypeError(message)
    return found


def _kind_of(cls: type, where: str) -> str:
    """Sort of values that a class stands for."""
    if issubclass(cls, complex | np.complexfloating):
        message = f"{where} holds complex numbers, which have no agreement scale."
        raise RatingTypeError(message)
    return next((kind for types, kind in KINDS if issubclass(cls, types)), "other")


def _kind_within(kind: str, label: Any, where: str) -> str:
    """Sort of a label among those of its class."""
    if kind == "datetime" and label.tzinfo is not None:
        return "zoned datetime"
    if kind == "period":
        return f"{label.freqstr} period"
    if isinstance(label, tuple) and any(pd.api.types.is_scalar(x) and pd.isna(x) for x in label):
        message = (
            f"{where} holds a tuple with a missing value, {shown(label)}, which equals no other. "
            "Set the whole rating to missing."
        )
        raise RatingTypeError(message)
    return kind


def _hidden_bools(values: object, labels: list[Any]) -> frozenset[str]:
    """Whether booleans hide among objects, where True is the same label as 1."""
    if not isinstance(values, pd.Series) or values.dtype != object:
        return frozenset()
    bits = any(isinstance(label, int | float) and label in (0, 1) for label in labels)
    hidden = bits and any(isinstance(value, bool | np.bool_) for value in values)
    return frozenset(["bool"] if hidden else [])


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
        message = (
            f"Raters {first.name!r} and {other.name!r} hold different kinds of ratings: "
            f"{_described(first)} and {_described(other)}, so that equal ratings may not match. "
            "Convert one with astype."
        )
        raise RatingTypeError(message)
    return "number" if len(kinds) > 1 else next(iter(kinds), None)


def _described(column: Column) -> str:
    """Name the kind of a column's ratings, its dtype, and an example beyond 0 and 1."""
    labels = column.labels or column.declared or []
    example = next((label for label in labels if label not in (0, 1)), labels[0])
    return f"{kinds_in_words(column.kinds)} ({column.dtype}) such as {shown(example)}"


def declared_set(declared: Categories) -> CategorySet:
    """Check what the user passed as `categories`."""
    unordered = isinstance(declared, set | frozenset)
    if unordered or isinstance(declared, str | bytes) or not isinstance(declared, Iterable):
        given = "a set, which has no order" if unordered else shown(declared)
        message = (
            f"categories must be an ordered list or a dict of scores, got {given}. "
            "Pass a list such as ['low', 'mid', 'high']."
        )
        raise CategoryError(message)
    labels = [plain_label(label) for label in declared]
    _check_declared(labels)
    if isinstance(declared, Mapping):
        return _of_scores(labels, list(declared.values()))
    if _kinds(labels, "categories") <= {"number", "bool"}:
        steps = {low < high for low, high in pairwise(labels)}
        if len(steps) > 1:
            message = (
                f"categories holds numbers that are neither ascending nor descending: "
                f"{listing(labels)}. Sort them, or pass a dict of scores."
            )
            raise CategoryError(message)
        return CategorySet(labels, scores_of_numbers(labels), declared=True, numeric=True)
    return CategorySet(labels, np.arange(1.0, len(labels) + 1), declared=True)


def _check_declared(labels: list[Any]) -> None:
    """Make sure that declared categories are there, are labels, and are distinct."""
    if not labels:
        message = "categories is empty. Pass at least one category, or None to use the ratings."
        raise CategoryError(message)
    check_hashable(labels, "categories")
    if any(pd.api.types.is_scalar(label) and pd.isna(label) for label in labels):
        message = (
            "categories holds a missing value, which is never a category. "
            "Leave it out: missing ratings need no category."
        )
        raise CategoryError(message)
    repeated = [label for label, times in Counter(labels).items() if times > 1]
    if repeated:
        message = f"categories holds {listing(repeated)} more than once. Name each category once."
        raise CategoryError(message)


def _of_scores(labels: list[Any], scores: list[Any]) -> CategorySet:
    """Order categories by the scores of a dict."""
    for label, score in zip(labels, scores, strict=True):
        is_number = isinstance(score, numbers.Real | Decimal)
        if not is_number or not np.isfinite(as_float(score)):
            message = (
                f"categories gives {shown(label)} the score {shown(score)}. "
                "Give every category a finite number."
            )
            raise CategoryError(message)
    values = scores_of_numbers(scores)
    order = np.argsort(values, kind="stable")
    tie = np.flatnonzero(np.diff(values[order]) == 0)
    if len(tie):
        first, second = order[tie[0]], order[tie[0] + 1]
        message = (
            f"categories gives {shown(labels[first])} and {shown(labels[second])} the same score "
            f"{shown(scores[first])}. Give each category its own, or merge them in the data."
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
            others = listing(column.declared or [])
            message = (
                f"Raters {first.name!r} and {column.name!r} are ordered Categoricals with "
                f"different categories: {listing(labels)} against {others}. "
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
    except (TypeError, ValueError):
        return labels


def scores_of_numbers(labels: list[Any]) -> FloatArray:
    """Numbers as the nearest floats."""
    return np.array([as_float(label) for label in labels], dtype=np.float64)


def as_float(number: Any) -> float:
    """Return the nearest float, infinite beyond the largest."""
    try:
        return float(number)
    except OverflowError:
        return np.inf if number > 0 else -np.inf


def numbers_of(values: object, option: str, error: type[KappaError]) -> FloatArray:
    """Return what must be numbers as floats; a missing one is NaN, and text is no number."""
    try:
        array = np.asarray(values)
    except ValueError as cause:
        message = f"{option} has rows of different lengths. Give each row as many numbers."
        raise error(message) from cause
    if array.dtype.kind in "biuf":
        return array.astype(np.float64)
    items = array.reshape(-1).tolist() if array.dtype.kind == "O" else []
    wrong = [f"{shown(x)} ({type(x).__name__})" for x in items if not _is_number(x)]
    if wrong or array.dtype.kind != "O":
        found = wrong[0] if wrong else f"the type {array.dtype}"
        message = f"{option} must hold numbers, got {found}. Convert it, as with pd.to_numeric."
        raise error(message)
    floats = [np.nan if pd.isna(item) else as_float(item) for item in items]
    return np.array(floats, dtype=np.float64).reshape(array.shape)


def _is_number(item: Any) -> bool:
    """Whether an object is a real number, or a missing one."""
    if isinstance(item, numbers.Real | Decimal):
        return True
    return bool(pd.api.types.is_scalar(item) and pd.isna(item))


def _check_kind(columns: list[Column], labels: list[Any]) -> None:
    """Make sure that declared categories and ratings are of one kind."""
    kinds = _kinds(labels, "categories")
    for column in columns:
        if column.labels and not _comparable(kinds, column.kinds):
            message = (
                f"categories holds {kinds_in_words(kinds)} such as {shown(labels[0])}, but column "
                f"{column.name!r} {kinds_in_words(column.kinds)} such as "
                f"{shown(column.labels[0])}. Convert one of them."
            )
            raise CategoryError(message)


def _comparable(one: frozenset[str], other: frozenset[str]) -> bool:
    """Whether values of two kinds can be equal; bools can be 0 or 1."""
    numeric = {"bool", "number"}
    return bool(one & other) or (one <= numeric and other <= numeric)


def kinds_in_words(kinds: Iterable[str]) -> str:
    """Name kinds of values in a sentence.

    >>> kinds_in_words(["number"]), kinds_in_words(["text"]), kinds_in_words(["period"])
    ('numbers', 'text', 'period values')
    """
    words = {"number": "numbers", "bool": "booleans", "text": "text"}
    return " and ".join(words.get(kind, f"{kind} values") for kind in sorted(kinds))


def _check_all_inside(columns: list[Column], labels: list[Any], where: str) -> None:
    """Every rating must be one of the declared categories."""
    known = set(labels)
    for column in columns:
        outside = [i for i, label in enumerate(column.labels) if label not in known]
        if not outside:
            continue
        rows = np.flatnonzero(np.isin(column.codes, column.slots[outside]))
        message = (
            f"Column {column.name!r} holds {len(rows)} rating(s) that are not in {where}: "
            f"{listing(column.labels[i] for i in outside)}, at index "
            f"{listing(column.index[rows])}. Add them to the categories, or set those ratings "
            "to missing."
        )
        raise CategoryError(message)


def _no_order_message(columns: list[Column], kind: str | None, needs_order: str) -> str:
    """Explain that distances need an order, and what to do about it."""
    labels = [label for column in columns for label in column.labels]
    name = next(column.name for column in columns if column.labels)
    held = "values without an order" if kind in (None, "other") else kinds_in_words([kind])
    message = (
        f"{needs_order} needs ordered categories, but column {name!r} holds {held}. "
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
