"""One column -> its labels and codes, what kind they are, or its numbers."""

from __future__ import annotations

import contextlib
import datetime as dt
import numbers
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from pdkappa.coefficients.weights import PARTS, in_parts
from pdkappa.errors import CategoryError, RatingTypeError, check_text, listing, no_text, shown

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    import numpy.typing as npt

    from pdkappa._typing import BoolArray, Categories, FloatArray, IntArray, Label, ObjectArray
    from pdkappa.errors import KappaError
    from pdkappa.ratings.options import Reading

MANY = (set, frozenset, list, np.ndarray)  # which are no labels themselves


class LabelSet(frozenset[Any]):
    """A frozenset that looks the same in every process, whatever the seed of hashes.

    >>> LabelSet("cab"), LabelSet()
    ({'a', 'b', 'c'}, {})
    >>> LabelSet("ab") == {"a", "b"}
    True
    """

    __slots__ = ()

    def __iter__(self) -> Iterator[Any]:
        """List the labels in their own order, or in that of how they are written."""
        members = super().__iter__()
        try:
            return iter(sorted(members))
        except TypeError:
            return iter(sorted(super().__iter__(), key=repr))

    def __repr__(self) -> str:
        """Write it as a set, the empty one too."""
        return f"{{{', '.join(map(repr, self))}}}"

    __str__ = __repr__

    @property
    def place(self) -> tuple[int, str]:
        """Say where it stands among others for display: after those of fewer labels."""
        return len(self), repr(self)


def set_of(labels: Iterable[Any], where: str) -> LabelSet:
    """Make a set of several labels, all of which are there and can be labels."""
    try:
        found = LabelSet(labels.tolist() if isinstance(labels, np.ndarray) else labels)
    except TypeError as error:
        raise RatingTypeError(
            f"{where} holds {shown(labels)}, which cannot be a set of labels. "
            "Let each hold text or numbers alone."
        ) from error
    if any(pd.api.types.is_scalar(one) and pd.isna(one) for one in found):
        raise RatingTypeError(
            f"{where} holds {shown(labels)}, a set with a missing label. Leave the label out, or "
            "set the whole rating to missing."
        )
    return found


def with_sets(values: pd.Series, where: str) -> pd.Series:
    """Turn the sets, lists and arrays among objects into sets that can be labels."""
    if values.dtype != object or pd.api.types.infer_dtype(values, skipna=True) != "mixed":
        return values
    if not any(type(one) in MANY for one in values):
        return values
    return _mapped(values, [set_of(x, where) if isinstance(x, MANY) else x for x in values])


def as_sets(values: pd.Series, name: Label, reading: Reading) -> pd.Series:
    """Turn ratings into sets where the options ask for them; tuples are sets then, too."""
    where = f"Column {shown(name)}"
    missing = values.isna().to_numpy()
    return _mapped(
        values,
        [
            None if gone else _as_set(one, where, reading)
            for one, gone in zip(values, missing, strict=True)
        ],
    )


def declared_sets(declared: Categories | None, reading: Reading) -> Categories | None:
    """Turn declared categories into sets where the options ask for them."""
    if not (reading.of_sets and isinstance(declared, Sequence | Mapping)):
        return declared
    if isinstance(declared, str | bytes):  # which are refused later
        return declared
    try:
        labels = [_as_set(one, "categories", reading) for one in declared]
    except RatingTypeError as error:
        raise CategoryError(str(error)) from None
    scores = declared.values() if isinstance(declared, Mapping) else None
    return labels if scores is None else dict(zip(labels, scores, strict=True))


def _as_set(value: Any, where: str, reading: Reading) -> LabelSet:
    """Make a set of one rating."""
    if isinstance(value, (*MANY, tuple)):
        return set_of(value, where)
    if isinstance(value, str) and reading.sep is not None:
        return LabelSet(part for one in value.split(reading.sep) if (part := one.strip()))
    if reading.sep is not None:
        raise RatingTypeError(
            f"sep={shown(reading.sep)} parts text, but {where[:1].lower()}{where[1:]} holds "
            f"{shown(value)} ({type(value).__name__}). Convert it with astype(str)."
        )
    raise RatingTypeError(
        f"weights={shown(reading.weights)} compares sets of labels, but "
        f"{where[:1].lower()}{where[1:]} holds {shown(value)} ({type(value).__name__}). Pass sets, "
        "lists or tuples; text such as 'a|b' becomes sets by data[...].str.split('|')."
    )


def _mapped(values: pd.Series, labels: list[Any]) -> pd.Series:
    """Put labels in the place of values."""
    objects = np.empty(len(labels), dtype=object)
    objects[:] = labels
    return pd.Series(objects, index=values.index, name=values.name)


def check_sets(labels: list[Any], option: str) -> None:
    """Make sure that all labels are sets."""
    others = [label for label in labels if not isinstance(label, LabelSet)]
    if others:
        raise CategoryError(
            f"{option} compares sets of labels, but the categories are {listing(others)}. Pass "
            "categories that are sets, lists or tuples."
        )


SMALL_RANGE = 1 << 16
# Halves, quarters and tenths from the lowest to the highest: so many, or of the ratings one for so
# many, are coded; more are quicker as the numbers that they are.
FEW_PARTS, RATINGS_OF_PART = 1 << 8, 16
EXACT_IN_FLOAT = 2**53
FIRST = 100  # ratings, which mostly tell of what kind all are

KINDS: tuple[tuple[type | tuple[type, ...], str], ...] = (
    ((bool, np.bool_), "bool"),
    ((pd.Timestamp, dt.datetime, np.datetime64), "datetime"),
    (dt.date, "date"),
    ((pd.Timedelta, dt.timedelta, np.timedelta64), "timedelta"),
    (pd.Period, "period"),
    ((numbers.Real, Decimal), "number"),
    (str, "text"),
    (LabelSet, "set"),
)

DIVERSE = ("datetime", "period", "other")


@dataclass(frozen=True)
class Column:
    """The ratings of one rater, coded by themselves."""

    name: Label
    dtype: object  # the dtype in the frame, for messages
    index: pd.Index | None  # labels of the items, for messages, if they have any, (N,)
    kinds: frozenset[str]  # what sorts of values they are, those of an unused category included
    # What `codes`, `slots` and `labels` are; or fractions, NaN where one is missing, which get
    # codes and labels when somebody asks, (N,).
    held: tuple[IntArray, IntArray, list[Any]] | FloatArray
    declared: list[Any] | None = None  # the categories of a Categorical, in their order
    ordered: bool = False  # whether that order means something
    # How many items each row stands for, if rows are distinct ones; None is one each, (N,).
    counts: FloatArray | None = None

    @property
    def reals(self) -> FloatArray | None:
        """The ratings, shape (N,), NaN where one is missing, if they are fractions."""
        return self.held if isinstance(self.held, np.ndarray) else None

    @cached_property
    def _coded(self) -> tuple[IntArray, IntArray, Any]:
        if isinstance(self.held, tuple):
            return self.held
        codes, numbers = pd.factorize(self.held)
        return codes, np.arange(len(numbers)), numbers

    @property
    def codes(self) -> IntArray:
        """Slot of each rating, shape (N,); -1 where it is missing."""
        return self._coded[0]

    @property
    def slots(self) -> IntArray:
        """The slots that occur."""
        return self._coded[1]

    @cached_property
    def labels(self) -> list[Any]:
        """The rating that each of `slots` stands for."""
        labels = self._coded[2]
        return labels if isinstance(labels, list) else labels.tolist()

    @property
    def numbers(self) -> FloatArray | None:
        """The labels again, if they are fractions."""
        return None if self.reals is None else self._coded[2]

    @property
    def n_rows(self) -> int:
        """N."""
        return len(self.codes if self.reals is None else self.reals)

    @property
    def n_items(self) -> float:
        """Number of items that the rows stand for."""
        return self.n_rows if self.counts is None else float(self.counts.sum())

    @property
    def n_ratings(self) -> float:
        """Number of ratings."""
        n = np.count_nonzero(self.rated) if self.counts is None else self.counts[self.rated].sum()
        return float(n)

    @cached_property
    def rated(self) -> BoolArray:
        """Which ratings are there, shape (N,)."""
        return self.codes >= 0 if self.reals is None else ~np.isnan(self.reals)

    @cached_property
    def is_empty(self) -> bool:
        """Whether there is no rating at all."""
        return not len(self.slots) if self.reals is None else not self.rated.any()

    def has_more_labels(self, most: int) -> bool:
        """Whether there are more labels than that; of fractions the first ones mostly tell."""
        if self.reals is not None:
            quarter = len(self.reals) // 4
            for n_rows in (min(FIRST + 4 * most, quarter), quarter):
                first = self.reals[:n_rows]
                if len(np.unique(first[~np.isnan(first)])) > most:
                    return True
        return len(self.slots) > most

    @cached_property
    def ends(self) -> tuple[Any, Any]:
        """The smallest and the largest label."""
        if self.reals is not None:
            return float(np.fmin.reduce(self.reals)), float(np.fmax.reduce(self.reals))
        return min(self.labels), max(self.labels)

    @cached_property
    def span(self) -> tuple[float, float]:
        """The smallest and the largest number, as floats."""
        return as_float(self.ends[0]), as_float(self.ends[1])


def code_column(series: pd.Series, name: Label) -> Column:
    """Give each distinct rating of a column a slot."""
    if is_swapped(series.dtype):
        series = pd.Series(_in_order(series.to_numpy()), series.index)
    dtype = series.dtype
    if isinstance(dtype, pd.CategoricalDtype):
        return _code_categorical(series, name)
    if dtype.kind == "O":
        series = with_sets(series, f"Column {shown(name)}")
    values = plain_values(series)
    coded = code_without_hashing(values)
    if coded is not None:
        kind = "bool" if values.dtype.kind == "b" else "number"
        return Column(name, dtype, series.index, frozenset([kind]), coded)
    if isinstance(values, np.ndarray) and values.dtype.kind == "f":
        kinds = frozenset() if np.isnan(values).all() else frozenset(["number"])
        return Column(name, dtype, series.index, kinds, values.astype(np.float64, copy=False))
    codes, uniques = factorize(values, f"Column {shown(name)}")
    labels = [plain_label(label) for label in uniques.tolist()]

    def place(label: Any) -> str:
        rows = np.flatnonzero(codes == next(i for i, one in enumerate(labels) if one is label))
        return f" {shown(label)} is at index {listing(series.index[rows])}."

    kinds = kinds_of(labels, f"Column {shown(name)}", _hidden_bools(values, labels), place)
    return Column(name, dtype, series.index, kinds, (codes, np.arange(len(labels)), labels))


def _code_categorical(series: pd.Series, name: Label) -> Column:
    """Take over the codes of a Categorical; its values, not its codes, are compared later."""
    codes = series.cat.codes.to_numpy()
    declared = [plain_label(label) for label in series.cat.categories.tolist()]
    check_text(declared, f"Column {shown(name)}")
    slots = np.flatnonzero(np.bincount(codes + 1, minlength=len(declared) + 1)[1:])
    return Column(
        name,
        series.dtype,
        series.index,
        kinds_of(declared, f"Column {shown(name)}"),
        (codes, slots, [declared[slot] for slot in slots]),
        declared,
        bool(series.cat.ordered),
    )


def code_without_hashing(
    values: pd.Series | npt.NDArray[Any],
) -> tuple[IntArray, IntArray, list[Any]] | None:
    """Code booleans, and numbers of a small range that are whole, or in `PARTS`, however held."""
    if not len(values):
        return None
    if isinstance(values, pd.Series):
        if values.dtype.kind not in "iu":
            return None
        return _code_floats(values.to_numpy(dtype=np.float64, na_value=np.nan), 1, int)
    if values.dtype.kind in "iub":
        return code_small_range(values)
    first = values[:FIRST].astype(np.float64)
    parts = (n for n in PARTS if in_parts(first, n) is not None)
    return next(filter(None, (_code_floats(values, n) for n in parts)), None)


def code_small_range(values: IntArray) -> tuple[IntArray, IntArray, list[Any]] | None:
    """Code integers of a small range by their distance from the smallest, without hashing."""
    low, high = int(values.min()), int(values.max())
    if high - low >= max(SMALL_RANGE, len(values)):
        return None
    if values.dtype.kind == "b":
        return values.view(np.uint8), *_slots_of(values.view(np.uint8), 0, 1, bool)
    codes = values.astype(np.min_scalar_type(-(high - low) - 1))  # which may wrap around,
    codes -= np.array(low).astype(codes.dtype)  # and this wraps back
    return codes, *_slots_of(codes, low, high, int)


def _code_floats(
    values: FloatArray, parts: int, kind: type = float
) -> tuple[IntArray, IntArray, list[Any]] | None:
    """Do the same with floats that are so many parts of whole numbers, or NaN if missing."""
    values = values.astype(np.float64, copy=False)
    with np.errstate(over="ignore"):
        whole = values if parts == 1 else np.rint(values * parts)
    low, high = float(np.fmin.reduce(whole)), float(np.fmax.reduce(whole))
    exact = low.is_integer() and max(-low, high) < EXACT_IN_FLOAT
    few = (SMALL_RANGE, len(values)) if parts == 1 else (FEW_PARTS, len(values) // RATINGS_OF_PART)
    if not exact or high - low >= max(few):
        return None
    offset = whole - low
    with np.errstate(invalid="ignore"):  # missing
        codes = offset.astype(np.min_scalar_type(-int(high - low) - 1))
    rated, missing = codes == offset, np.isnan(offset)
    if parts > 1:
        rated &= whole / parts == values
    if (rated == missing).any():  # neither: a fraction
        return None
    codes *= rated
    codes -= missing
    slots, labels = _slots_of(codes, int(low), int(high), kind)
    return codes, slots, labels if parts == 1 else [label / parts for label in labels]


def _slots_of(codes: IntArray, low: int, high: int, kind: type) -> tuple[IntArray, list[Any]]:
    """Slots that occur, and the values they stand for."""
    if codes.itemsize == 1:  # a search for a byte ends where it is found
        held = codes.tobytes()
        found = [slot for slot in range(high - low + 1) if slot in held]
    else:
        held_at = np.zeros(high - low + 2, dtype=bool)  # the last place is of missing ones
        held_at[codes.astype(np.intp)] = True
        found = np.flatnonzero(held_at[:-1]).tolist()
    return np.array(found, dtype=np.int64), [kind(low + slot) for slot in found]


def plain_values(series: pd.Series) -> pd.Series | npt.NDArray[Any]:
    """Return plain numbers as an array, floats of every sort with NaN for all that is missing."""
    dtype = series.dtype
    if isinstance(dtype, np.dtype):
        if dtype.kind in "iubf":
            return series.to_numpy()
        return _unboxed(series) if dtype.kind == "O" else series
    if isinstance(dtype, pd.SparseDtype):
        return plain_values(pd.Series(series.to_numpy()))
    if dtype.kind == "f":
        return series.to_numpy(dtype=np.float64, na_value=np.nan)
    if series.isna().all():  # which Arrow's null type calls a value
        return np.full(len(series), np.nan)
    return series


def native(frame: pd.DataFrame, names: Sequence[Any] | None = None) -> pd.DataFrame:
    """Return numbers in the byte order of the machine, in which pandas can look for them.

    Nobody may look at other columns than those of some `names`, if there are any.
    """
    looked_at = names is None or any(is_swapped(frame[name].dtypes) for name in names)
    dtypes = frame.dtypes if looked_at else ()
    swapped = [place for place, dtype in enumerate(dtypes) if is_swapped(dtype)]
    if not swapped and not is_swapped(frame.index.dtype):
        return frame
    frame = frame.copy(deep=False)
    for place in swapped:
        frame.isetitem(place, _in_order(frame.iloc[:, place].to_numpy()))
    if is_swapped(frame.index.dtype):
        frame.index = pd.Index(_in_order(frame.index.to_numpy()), name=frame.index.name)
    return frame


def _in_order(values: npt.NDArray[Any]) -> npt.NDArray[Any]:
    """Return the same values in the byte order of the machine."""
    return values.astype(values.dtype.newbyteorder("="))


def is_swapped(dtype: object) -> bool:
    """Whether numbers are held in another byte order than that of the machine."""
    return isinstance(dtype, np.dtype) and not dtype.isnative


def _unboxed(series: pd.Series) -> pd.Series | npt.NDArray[Any]:
    """Return floats as an array, integers too, masked where some are missing; others as is."""
    kind = pd.api.types.infer_dtype(series, skipna=True)
    if kind == "floating":
        return series.to_numpy(dtype=np.float64, na_value=np.nan)
    if kind == "integer":
        with contextlib.suppress(OverflowError):  # too large
            try:
                return series.to_numpy().astype(np.int64)
            except (TypeError, ValueError):
                missing = series.isna().to_numpy()
            whole = np.where(missing, 0, series.to_numpy()).astype(np.int64)
            return pd.Series(pd.arrays.IntegerArray(whole, missing), index=series.index)
    return series


def is_plain(series: pd.Series) -> bool:
    """Whether a column is a NumPy array rather than an extension array."""
    return isinstance(series.dtype, np.dtype)


def factorize(
    values: pd.Series | npt.NDArray[Any], where: str
) -> tuple[IntArray, pd.Index | ObjectArray]:
    """Give each distinct value a number, in order of appearance; -1 is missing."""
    try:
        codes, labels = pd.factorize(values)
    except UnicodeEncodeError as error:
        raise no_text(error.object, where) from error
    except (TypeError, OverflowError, NotImplementedError) as error:  # the last from Arrow
        check_hashable(values, where, error)
        objects = np.empty(len(values), dtype=object)  # whose labels no index must hold
        objects[:] = list(values)
        codes, labels = pd.factorize(objects)
    check_text(labels, where)
    return codes, labels


def check_hashable(values: Iterable[object], where: str, error: Exception | None = None) -> None:
    """Every value must be something that can be a label."""
    for value in values:
        if not pd.api.types.is_hashable(value):
            is_record = isinstance(value, dict)
            other = "text, or use from_votes for dicts of raters" if is_record else "text or tuples"
            raise RatingTypeError(
                f"{where} holds values that cannot be labels, such as {shown(value)} "
                f"({type(value).__name__}). Convert them to {other}."
            ) from error


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
    if isinstance(label, set | frozenset | list):
        return set_of(label, "A rating")
    return _plain_decimal(label) if isinstance(label, Decimal) and label.is_finite() else label


def _plain_decimal(label: Decimal) -> Any:
    """Return a decimal as the integer or float that it is, if it is one."""
    nearest = float(label)
    if Decimal(repr(nearest)) != label or abs(nearest) >= EXACT_IN_FLOAT:
        return label
    return int(nearest) if nearest.is_integer() else nearest


def kinds_of(
    labels: list[Any],
    where: str,
    hidden: frozenset[str] = frozenset(),
    place: Callable[[Any], str] | None = None,
) -> frozenset[str]:
    """Sorts of values among some labels, and those `hidden` behind equal ones.

    `place` tells, for messages, where a label stands.
    """
    kind_of: dict[type, str] = {}
    examples: dict[str, Any] = {}
    times: dict[str, int] = {}
    for label in labels:
        cls = type(label)
        kind = kind_of.get(cls) or kind_of.setdefault(cls, _kind_of(cls, where))
        if kind in DIVERSE:
            kind = _kind_within(kind, label, where)
        examples.setdefault(kind, label)
        times[kind] = times.get(kind, 0) + 1
    found = hidden.union(examples)
    if len(found) > 1 and not bools_and_bits(found, labels):
        message = (
            f"{where} mixes {kinds_in_words(found)}, such as "
            f"{listing(examples.get(kind, True) for kind in sorted(found))}, "
            f"so that equal ratings may not match. Convert all to one type."
        )
        if place is not None and len(times) > 1:
            message += place(examples[min(reversed(times), key=times.__getitem__)])
        raise RatingTypeError(message)
    if "set" in found:
        kinds_of([*LabelSet(frozenset().union(*labels))], f"{where}, in its sets,")
    return found


def _kind_of(cls: type, where: str) -> str:
    """Sort of values that a class stands for."""
    if issubclass(cls, complex | np.complexfloating):
        raise RatingTypeError(
            f"{where} holds complex numbers, which have no agreement scale. Pass their real parts."
        )
    return next((kind for types, kind in KINDS if issubclass(cls, types)), "other")


def _kind_within(kind: str, label: Any, where: str) -> str:
    """Sort of a label among those of its class."""
    if kind == "datetime" and label.tzinfo is not None:
        return "zoned datetime"
    if kind == "period":
        return f"{label.freqstr} period"
    if isinstance(label, tuple) and any(pd.api.types.is_scalar(x) and pd.isna(x) for x in label):
        raise RatingTypeError(
            f"{where} holds a tuple with a missing value, {shown(label)}, which equals no other. "
            "Set the whole rating to missing."
        )
    return kind


def _hidden_bools(values: object, labels: list[Any]) -> frozenset[str]:
    """Whether booleans hide among objects, where True is the same label as 1."""
    if not isinstance(values, pd.Series) or values.dtype != object:
        return frozenset()
    bits = any(isinstance(label, int | float) and label in (0, 1) for label in labels)
    hidden = bits and any(issubclass(kind, bool | np.bool_) for kind in set(map(type, values)))
    return frozenset(["bool"] if hidden else [])


def bools_and_bits(kinds: Iterable[str], labels: list[Any]) -> bool:
    """Whether booleans stand beside numbers that are all 0 or 1."""
    return set(kinds) == {"bool", "number"} and all(label in (0, 1) for label in labels)


def kinds_in_words(kinds: Iterable[str]) -> str:
    """Name kinds of values in a sentence.

    >>> kinds_in_words(["number"]), kinds_in_words(["text"]), kinds_in_words(["period"])
    ('numbers', 'text', 'period values')
    """
    words = {"number": "numbers", "bool": "booleans", "text": "text", "set": "sets"}
    return " and ".join(words.get(kind, f"{kind} values") for kind in sorted(kinds))


def numbers_of(
    values: object, option: str, error: type[KappaError] = RatingTypeError
) -> FloatArray:
    """Return what must be numbers as floats; a missing one is NaN, and text is no number."""
    try:
        array = np.asarray(values)
    except ValueError as cause:
        raise error(
            f"{option} has rows of different lengths. Give each row as many numbers."
        ) from cause
    if array.dtype.kind in "biuf":
        return array.astype(np.float64)
    items = array.reshape(-1).tolist() if array.dtype.kind == "O" else []
    wrong = [f"{shown(x)} ({type(x).__name__})" for x in items if not _is_number(x)]
    if wrong or array.dtype.kind != "O":
        found = wrong[0] if wrong else f"the type {array.dtype}"
        raise error(f"{option} must hold numbers, got {found}. Convert it, as with pd.to_numeric.")
    floats = [np.nan if pd.isna(item) else as_float(item) for item in items]
    return np.array(floats, dtype=np.float64).reshape(array.shape)


def _is_number(item: Any) -> bool:
    """Whether an object is a real number, or a missing one."""
    if isinstance(item, numbers.Real | Decimal):
        return True
    return bool(pd.api.types.is_scalar(item) and pd.isna(item))


def as_float(number: Any) -> float:
    """Return the nearest float, infinite beyond the largest."""
    try:
        return float(number)
    except OverflowError:
        return np.inf if number > 0 else -np.inf
