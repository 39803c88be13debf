"""Labels of all raters -> one set of categories, in order; shares and tables in that order."""

from __future__ import annotations

import numbers
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from decimal import Decimal
from functools import cached_property, lru_cache
from itertools import combinations, pairwise
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import pandas as pd

from pdkappa.errors import CategoryError, RatingsError, RatingTypeError, check_text, listing, shown
from pdkappa.ratings.columns import (
    EXACT_IN_FLOAT,
    LabelSet,
    as_float,
    bools_and_bits,
    check_hashable,
    kinds_in_words,
    kinds_of,
    numbers_of,
    plain_label,
)
from pdkappa.ratings.items import where_in
from pdkappa.ratings.suspicious_labels import looks_long

if TYPE_CHECKING:
    from collections.abc import Hashable, Sequence

    from pdkappa._typing import BoolArray, Categories, FloatArray, IntArray, Label, ObjectArray
    from pdkappa.ratings.columns import Column

FEW_TEXTS = 100  # labels whose index is kept
FEWEST_IN_DOUBT = 4  # rows that may be ratings one below the other, if kinds differ


def index_of(labels: Sequence[Label], name: Hashable = None) -> pd.Index:
    """Make an index of labels, in which a tuple is one label; of few texts it is made once."""
    if len(labels) <= FEW_TEXTS and all(type(label) is str for label in labels):
        index = _index_of_texts(tuple(labels), pd.get_option("mode.string_storage"))
        return index.view() if name is None else index.rename(name)
    return pd.Index(labels, tupleize_cols=False, name=name)


@lru_cache
def _index_of_texts(texts: tuple[str, ...], storage: str) -> pd.Index:  # noqa: ARG001
    """Make an index of texts, which are held in such a storage."""
    return pd.Index(texts)


def texts_of(values: ObjectArray) -> Any:
    """Hold texts as a frame does: of equal ones each is not looked at."""
    if len(values) and (values == values[0]).all():
        return taken(index_of([values[0]]).array, np.zeros(len(values), dtype=np.intp))
    return values


def taken(array: Any, places: IntArray) -> Any:
    """Take labels; a single one is cut out, which is several times faster."""
    if len(places) == 1:
        return array[places[0] : places[0] + 1]
    return array.take(places)


@dataclass(frozen=True)
class CategorySet:
    """The categories that all raters share."""

    named: list[Any] | None  # the K categories; None where they are the scores, and nobody may ask
    # Their positions on the scale; None where nothing says what their order is, (K,).
    scores: FloatArray | None
    # Whether the set was declared, so that an unused category belongs to it, rather than found in
    # the ratings.
    declared: bool
    numeric: bool = False  # whether they are numbers that stand for themselves

    @cached_property
    def labels(self) -> list[Any]:
        """The K categories."""
        return np.asarray(self.scores).tolist() if self.named is None else self.named

    def __len__(self) -> int:
        """Count the categories."""
        return len(self.labels if self.scores is None else self.scores)

    def index(self) -> pd.Index:
        """Return the categories as the index of a table, every one as it is."""
        index = index_of(self.labels)
        is_rounded = index.dtype.kind == "f" and index.tolist() != self.labels
        return pd.Index(self.labels, dtype=object) if is_rounded or not self.labels else index

    @property
    def numbers(self) -> FloatArray | None:
        """Return the categories, shape (K,), if they are numbers that stand for themselves."""
        return self.scores if self.numeric else None

    def restricted_to(self, used: BoolArray) -> CategorySet:
        """Keep only some of the categories."""
        labels = [label for label, keep in zip(self.labels, used, strict=True) if keep]
        scores = None if self.scores is None else self.scores[used]
        return replace(self, named=labels, scores=scores)

    def turned(self) -> CategorySet:
        """Put the categories in the opposite order."""
        scores = None if self.scores is None else self.scores[::-1]
        return replace(self, named=self.labels[::-1], scores=scores)


def unite(
    columns: list[Column], declared: Categories | None, needs_order: str | None
) -> CategorySet:
    """Find the categories that all raters share, from a column for each.

    `needs_order` is the option that needs ordered categories, as the user typed it, for the
    message; None where no order is needed.
    """
    return united(columns, declared, needs_order)[0]


def united(
    columns: list[Column], declared: Categories | None, needs_order: str | None
) -> tuple[CategorySet, Iterable[IntArray]]:
    """Find the shared categories, and the places of the labels of each column among them."""
    kind = _common_kind(columns)
    if declared is not None:
        categories = declared_set(declared)
        _check_kind(columns, categories.labels)
        _check_all_inside(columns, categories.labels, "categories")
        return categories, _places(columns, categories)
    ordered = [column for column in columns if column.ordered]
    fixed = any(column.declared is not None for column in columns)
    held = None if fixed else _many_numbers(columns)
    if held is not None:
        return _of_numbers(columns, held)
    if ordered:
        categories = _of_ordered(columns, ordered, needs_order)
    else:
        categories = _of_unordered(columns, kind)
    if needs_order and categories.scores is None and any(column.labels for column in columns):
        raise CategoryError(_no_order_message(columns, kind, needs_order))
    return categories, _places(columns, categories)


def recode(
    columns: list[Column], categories: CategorySet, places_of: Iterable[IntArray] | None = None
) -> IntArray:
    """Code the ratings of all raters by the shared categories, shape (R, N); -1 is missing.

    The places of the labels of each column among them may be known.
    """
    codes = np.empty(
        (len(columns), columns[0].n_rows), dtype=np.min_scalar_type(-len(categories) - 1)
    )
    places_of = _places(columns, categories) if places_of is None else places_of
    for out, places, column in zip(codes, places_of, columns, strict=True):
        if np.array_equal(places, column.slots):
            out[:] = column.codes
            continue
        lookup = np.full(int(column.slots.max(initial=-1)) + 2, -1, dtype=codes.dtype)
        lookup[column.slots] = places
        np.take(lookup, column.codes, out=out, mode="wrap")
    return codes


def _places(columns: list[Column], categories: CategorySet) -> Iterator[IntArray]:
    """Yield the place of each label of each column among the categories."""
    ascending, held = categories.numbers, _many_numbers(columns)
    if held is not None and ascending is not None and (np.diff(ascending) > 0).all():
        yield from (np.searchsorted(ascending, one) for one in held)
        return
    place = {label: number for number, label in enumerate(categories.labels)}
    for column in columns:
        yield np.array([place[label] for label in column.labels], dtype=np.intp)


def _many_numbers(columns: list[Column]) -> list[FloatArray] | None:
    """Return the labels of all columns as floats, if some are many and nothing is lost by that."""
    exact = (float, int)
    if all(x.reals is None for x in columns) or not all(
        x.reals is not None or all(type(y) in exact and abs(y) < EXACT_IN_FLOAT for y in x.labels)
        for x in columns
    ):
        return None
    return [np.array(x.labels, np.float64) if x.numbers is None else x.numbers for x in columns]


def _common_kind(columns: list[Column]) -> str | None:
    """Return the kind of value that all raters hold; None where there is no rating at all."""
    kinds = frozenset().union(*(column.kinds for column in columns))
    if len(kinds) > 1 and not bools_and_bits(
        kinds, [label for column in columns for label in column.labels]
    ):
        first, other = _of_different_kinds([column for column in columns if column.kinds])
        message = (
            f"Raters {shown(first.name)} and {shown(other.name)} hold different kinds of ratings: "
            f"{_described(first)} and {_described(other)}, so that equal ratings may not match. "
            "Convert one with astype, or pass only the columns that hold ratings. "
            f"{looks_long(columns, FEWEST_IN_DOUBT)}"
        ).rstrip()
        raise RatingTypeError(message)
    if "set" in kinds:
        kinds_of([label for column in columns for label in column.labels], "The scale of raters")
    return "number" if len(kinds) > 1 else next(iter(kinds), None)


def _of_different_kinds(columns: list[Column]) -> tuple[Column, Column]:
    """Return the first two columns whose kinds of values do not go together."""
    return next(
        (one, other)
        for one, other in combinations(columns, 2)
        if len(kinds := one.kinds | other.kinds) > 1
        and not bools_and_bits(kinds, [*one.labels, *other.labels])
    )


def _described(column: Column) -> str:
    """Name the kind of a column's ratings, its dtype, and an example beyond 0 and 1.

    Where texts are numbers but for a few, these are the example.
    """
    labels = column.labels or column.declared or []
    example = next((label for label in labels if label not in (0, 1)), labels[0])
    held = f"{kinds_in_words(column.kinds)} ({column.dtype})"
    return f"{held} {_culprits(column) or f'such as {shown(example)}'}"


def _culprits(column: Column) -> str:
    """Name the texts that keep a column from being numbers; empty if they are not few."""
    texts = [x for x in column.labels if isinstance(x, str) and not is_numeric_text(x)]
    if not texts or 2 * len(texts) >= len(column.labels):
        return ""
    place = ""
    if column.index is not None:
        slots = [s for s, x in zip(column.slots, column.labels, strict=True) if x in texts]
        rows = np.flatnonzero(np.isin(column.codes, slots))
        place = f" at index {listing(column.index[rows])}"
    return f"because of {listing(texts)}{place}, which is no number"


def declared_set(declared: Categories) -> CategorySet:
    """Check what the user passed as `categories`."""
    unordered = isinstance(declared, set | frozenset)
    if unordered or isinstance(declared, str | bytes) or not pd.api.types.is_list_like(declared):
        given = "a set, which has no order" if unordered else shown(declared)
        raise CategoryError(
            f"categories must be an ordered list or a dict of scores, got {given}. "
            "Pass a list such as ['low', 'mid', 'high']."
        )
    labels = [plain_label(label) for label in declared]
    _check_declared(labels)
    if isinstance(declared, Mapping):
        return _of_scores(labels, list(declared.values()))
    if kinds_of(labels, "categories") <= {"number", "bool"}:
        steps = {low < high for low, high in pairwise(labels)}
        if len(steps) > 1:
            raise CategoryError(
                f"categories holds numbers that are neither ascending nor descending: "
                f"{listing(labels)}. Sort them, or pass a dict of scores."
            )
        return CategorySet(labels, scores_of_numbers(labels), declared=True, numeric=True)
    return CategorySet(labels, np.arange(1.0, len(labels) + 1), declared=True)


def _check_declared(labels: list[Any]) -> None:
    """Make sure that declared categories are there, are labels, and are distinct."""
    if not labels:
        raise CategoryError(
            "categories is empty. Pass at least one category, or None to use the ratings."
        )
    check_hashable(labels, "categories")
    check_text(labels, "categories")
    if any(pd.api.types.is_scalar(label) and pd.isna(label) for label in labels):
        raise CategoryError(
            "categories holds a missing value, which is never a category. "
            "Leave it out: missing ratings need no category."
        )
    repeated = [label for label, times in Counter(labels).items() if times > 1]
    if repeated:
        raise CategoryError(
            f"categories holds {listing(repeated)} more than once. Name each category once."
        )


def _of_scores(labels: list[Any], scores: list[Any]) -> CategorySet:
    """Order categories by the scores of a dict."""
    for label, score in zip(labels, scores, strict=True):
        is_number = isinstance(score, numbers.Real | Decimal)
        if not is_number or not np.isfinite(as_float(score)):
            raise CategoryError(
                f"categories gives {shown(label)} the score {shown(score)}. "
                "Give every category a finite number."
            )
    values = scores_of_numbers(scores)
    order = np.argsort(values, kind="stable")
    tie = np.flatnonzero(np.diff(values[order]) == 0)
    if len(tie):
        first, second = order[tie[0]], order[tie[0] + 1]
        raise CategoryError(
            f"categories gives {shown(labels[first])} and {shown(labels[second])} the same score "
            f"{shown(scores[first])}. Give each category its own, or merge them in the data."
        )
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
            raise CategoryError(
                f"Raters {shown(first.name)} and {shown(column.name)} are ordered Categoricals "
                f"with different categories: {listing(labels)} against {others}. "
                "Give both one order with .cat.set_categories, or pass categories=[...]."
            )
    if needs_order:
        _check_all_inside(columns, labels, f"the ordered categories of {shown(first.name)}")
        return CategorySet(labels, np.arange(1.0, len(labels) + 1), declared=True)
    union = dict.fromkeys(labels)
    for column in columns:
        union.update(dict.fromkeys([*(column.declared or []), *column.labels]))
    same = len(union) == len(labels) and all(one.declared == labels for one in ordered)
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


def _of_numbers(
    columns: list[Column], held: list[FloatArray]
) -> tuple[CategorySet, Iterable[IntArray]]:
    """Collect numbers, many of them; one that is 1 here and 1.0 there is as it was first."""
    scores, place = np.unique(np.concatenate(held), return_inverse=True)
    places = np.split(place, np.cumsum([len(values) for values in held])[:-1])
    labels = None
    if any(column.reals is None for column in columns):
        labels = scores.tolist()
        for column, own in zip(columns[::-1], places[::-1], strict=True):
            for number, label in zip(own.tolist(), column.labels, strict=True):
                labels[number] = label
    return CategorySet(labels, scores, declared=False, numeric=True), places


def of_fractions(values: FloatArray) -> tuple[IntArray, CategorySet]:
    """Code fractions of raters, of shape (R, N), by all that occur; NaN is missing, -1."""
    scores, codes = np.unique(values, return_inverse=True)
    k = len(scores) - np.count_nonzero(np.isnan(scores[-1:]))
    codes = codes.reshape(values.shape).astype(np.min_scalar_type(-k - 1))
    codes[codes == k] = -1
    return codes, CategorySet(None, scores[:k], declared=False, numeric=True)


def _sorted_if_possible(labels: list[Any]) -> list[Any]:
    """Sort for display; values without an order stay in order of appearance."""
    if labels and all(isinstance(label, LabelSet) for label in labels):
        return sorted(labels, key=lambda label: label.place)
    try:
        return sorted(labels)
    except (TypeError, ValueError):
        return labels


def scores_of_numbers(labels: list[Any]) -> FloatArray:
    """Numbers as the nearest floats."""
    try:
        return np.array(labels, dtype=np.float64)
    except OverflowError:
        return np.array([as_float(label) for label in labels], dtype=np.float64)


def _check_kind(columns: list[Column], labels: list[Any]) -> None:
    """Make sure that declared categories and ratings are of one kind."""
    kinds = kinds_of(labels, "categories")
    for column in columns:
        if column.labels and not _comparable(kinds, column.kinds):
            raise CategoryError(
                f"categories holds {kinds_in_words(kinds)} such as {shown(labels[0])}, but column "
                f"{shown(column.name)} {kinds_in_words(column.kinds)} such as "
                f"{shown(column.labels[0])}. Convert one of them."
            )


def _comparable(one: frozenset[str], other: frozenset[str]) -> bool:
    """Whether values of two kinds can be equal; bools can be 0 or 1."""
    numeric = {"bool", "number"}
    return bool(one & other) or (one <= numeric and other <= numeric)


def _check_all_inside(columns: list[Column], labels: list[Any], where: str) -> None:
    """Every rating must be one of the declared categories."""
    known = set(labels)
    for column in columns:
        outside = [i for i, label in enumerate(column.labels) if label not in known]
        if not outside:
            continue
        place = where_in(column.index, np.flatnonzero(np.isin(column.codes, column.slots[outside])))
        beside = [column.labels[i] for i in outside]
        message = (
            f"Column {shown(column.name)} holds ratings that are not in {where}: {listing(beside)}"
            f"{place}. Add them to the categories, or set those ratings to missing."
        )
        if where != "categories" and all(isinstance(one, float) for one in beside):
            message += " If they are scores, make the Categoricals numbers with astype(float)."
        raise CategoryError(message)


def _no_order_message(columns: list[Column], kind: str | None, needs_order: str) -> str:
    """Explain that distances need an order, and what to do about it."""
    labels = [label for column in columns for label in column.labels]
    spoiled = next((x for x in columns if kind == "text" and _culprits(x)), None)
    name = next(x.name for x in columns if x.labels) if spoiled is None else spoiled.name
    held = "values without an order" if kind in (None, "other") else kinds_in_words([kind])
    why = "" if spoiled is None else f" {_culprits(spoiled)}"
    message = (
        f"{needs_order} needs ordered categories, but column {shown(name)} holds {held}{why}. "
        "Pass categories=[...] in order, or make the columns ordered Categoricals."
    )
    if kind == "text" and all(is_numeric_text(label) for label in labels):
        message += (
            " All of it is numeric text, which would sort '10' before '2': "
            "convert the columns with pd.to_numeric."
        )
    return message


def is_numeric_text(label: str) -> bool:
    """Whether a text reads as a number."""
    try:
        return np.isfinite(float(label))
    except ValueError:
        return False


class Numbers(NamedTuple):
    """Numbers for each category, as the user passed them."""

    option: str  # the option that they belong to, for messages
    held: FloatArray  # (..., L)
    labels: list[Any] | None  # the L categories; None for a bare array
    # All categories in their order, if the labels are an ordered Categorical.
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
        raise RatingsError(f"{option} has no categories. Give it a number for each category.")
    if not isinstance(given, pd.DataFrame | pd.Series):
        return Numbers(option, values, None)
    axis: Any = given.columns if isinstance(given, pd.DataFrame) else given.index
    labels = [plain_label(label) for label in axis]
    _check_labels(labels, option)
    ordered = isinstance(axis, pd.CategoricalIndex) and bool(axis.ordered)
    order = [plain_label(label) for label in axis.categories] if ordered else None
    return Numbers(option, values, labels, order)


def in_one_order(
    tables: list[Numbers], categories: Categories | Iterator[Label] | None, needs_order: str | None
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
        raise CategoryError(
            f"prior has a share for {listing(unknown)}, which neither the columns nor "
            f"categories have. The classes are {listing(classes)}."
        )


def _check_labels(labels: list[Any], option: str) -> None:
    """Make sure that labels can be categories, and are distinct."""
    check_hashable(labels, f"The labels of {option}")
    if any(pd.api.types.is_scalar(label) and pd.isna(label) for label in labels):
        raise CategoryError(
            f"{option} has a missing label, which is never a category. Leave it out."
        )
    repeated = [label for label, times in Counter(labels).items() if times > 1]
    if repeated:
        raise CategoryError(
            f"{option} names {listing(repeated)} more than once. Name each category once."
        )


def _labels(table: Numbers, default: list[Any]) -> list[Any]:
    """Return the labels of a table; a bare array needs as many as there are."""
    if table.labels is not None:
        return table.labels
    if table.held.shape[-1] != len(default):
        raise RatingsError(
            f"{table.option} has shape {table.held.shape}, but there are {len(default)} "
            f"categories: {listing(default)}. Give it a number for each, used or not."
        )
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
        raise CategoryError(
            f"{table.option} has numbers for {listing(outside)}, which are not among the "
            f"categories: {listing(categories.labels)}. Add them to categories, or leave them out."
        )
    values = np.zeros((*table.held.shape[:-1], len(categories)))
    values[..., [place[label] for label in labels]] = table.held
    return values
