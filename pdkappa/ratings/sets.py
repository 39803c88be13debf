"""Several labels at once -> one label: a set, from sets, lists, tuples and text."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from pdkappa.errors import CategoryError, RatingTypeError, listing, shown

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from pdkappa._typing import Categories, Label
    from pdkappa.ratings.reading import Reading

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
        message = (
            f"{where} holds {shown(labels)}, which cannot be a set of labels. "
            "Let each hold text or numbers alone."
        )
        raise RatingTypeError(message) from error
    if any(pd.api.types.is_scalar(one) and pd.isna(one) for one in found):
        message = (
            f"{where} holds {shown(labels)}, a set with a missing label. Leave the label out, or "
            "set the whole rating to missing."
        )
        raise RatingTypeError(message)
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
    where = f"Column {name!r}"
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
        message = (
            f"sep={reading.sep!r} parts text, but {where[:1].lower()}{where[1:]} holds "
            f"{shown(value)} ({type(value).__name__}). Convert it with astype(str)."
        )
        raise RatingTypeError(message)
    message = (
        f"weights={reading.weights!r} compares sets of labels, but {where[:1].lower()}{where[1:]} "
        f"holds {shown(value)} ({type(value).__name__}). Pass sets, lists or tuples; text such as "
        "'a|b' becomes sets by data[...].str.split('|')."
    )
    raise RatingTypeError(message)


def _mapped(values: pd.Series, labels: list[Any]) -> pd.Series:
    """Put labels in the place of values."""
    objects = np.empty(len(labels), dtype=object)
    objects[:] = labels
    return pd.Series(objects, index=values.index, name=values.name)


def check_sets(labels: list[Any], option: str) -> None:
    """Make sure that all labels are sets."""
    others = [label for label in labels if not isinstance(label, LabelSet)]
    if others:
        message = (
            f"{option} compares sets of labels, but the categories are {listing(others)}. Pass "
            "categories that are sets, lists or tuples."
        )
        raise CategoryError(message)
