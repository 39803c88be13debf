"""Warn of labels and columns that look like a mistake in the data; they are taken literally."""

from __future__ import annotations

import unicodedata
from typing import TYPE_CHECKING, Any

import numpy as np

from pdkappa.errors import LookalikeLabelsWarning, listing, warn

if TYPE_CHECKING:
    from collections.abc import Iterator

    from pdkappa.categories import Column

CLOSE = 1e-9
FEWEST_IDS = 20
ZERO_WIDTH = dict.fromkeys(map(ord, "\u200b\u200c\u200d\u2060\ufeff\u00ad"))


def warn_of_lookalikes(columns: list[Column], *, declared: bool) -> None:
    """Give one warning that lists everything that looks like a mistake.

    Parameters
    ----------
    columns : list of Column
        The ratings of each rater.
    declared : bool
        Whether the user declared the categories, so that their labels are as meant.
    """
    findings: list[str] = []
    if not declared:
        findings += _close_labels(columns)
        findings += _unrounded(columns)
    findings += _id_like(columns)
    findings += _nothing_shared(columns)
    if findings:
        text = " ".join(findings)
        warn(f"{text} They were taken literally.", LookalikeLabelsWarning)


def _close_labels(columns: list[Column]) -> Iterator[str]:
    """Labels that differ only in ways that are easily overlooked."""
    labels = list(dict.fromkeys(label for column in columns for label in column.labels))
    texts = [label for label in labels if isinstance(label, str)]
    seen: dict[str, str] = {}
    pairs = [
        (seen[key], text) for text in texts if seen.setdefault(key := _plain(text), text) != text
    ]
    if pairs:
        yield f"Labels that look alike: {_pairs(pairs)}."
    floats = sorted({float(label) for label in labels if isinstance(label, float)})
    if floats:
        near = np.flatnonzero(np.diff(floats) < CLOSE)
        if len(near):
            yield f"Numbers closer than 1e-9: {_pairs([(floats[i], floats[i + 1]) for i in near])}."


def _plain(text: str) -> str:
    """Reduce a label to what a reader sees: case, white space, Unicode forms, 1 and 1.0."""
    if not text.isascii():
        text = unicodedata.normalize("NFC", text.translate(ZERO_WIDTH))
    text = " ".join(text.split()).casefold()
    if text[:1].isdigit() or text[:1] in ("-", "+", "."):
        try:
            return repr(float(text))
        except ValueError:
            return text
    return text


def _pairs(pairs: list[tuple[Any, Any]]) -> str:
    """Show pairs of labels."""
    return "; ".join(f"{a!r} and {b!r}" for a, b in pairs[:5]) + (" …" if len(pairs) > 5 else "")  # noqa: PLR2004


def _unrounded(columns: list[Column]) -> Iterator[str]:
    """Unrounded predictions beside integer scores."""
    numeric = [column for column in columns if column.labels and column.kinds == {"number"}]
    fractional = [
        any(label % 1 for label in column.labels if label == label and abs(label) != np.inf)
        for column in numeric
    ]  # noqa: PLR0124, E501
    if any(fractional) and not all(fractional):
        first = numeric[fractional.index(True)]
        whole = numeric[fractional.index(False)]
        example = next(label for label in first.labels if label % 1)
        yield (
            f"Column {first.name!r} holds fractions such as {example!r} beside the whole scores "
            f"of {whole.name!r}: round predictions first if they stand for scores."
        )


def _id_like(columns: list[Column]) -> Iterator[str]:
    """A column that numbers or names the items rather than rating them."""
    suspicious = [_all_distinct(column) for column in columns]
    if any(suspicious) and not all(suspicious):
        names = [column.name for column, odd in zip(columns, suspicious, strict=True) if odd]
        yield f"Column(s) {listing(names)} look like identifiers: no value occurs twice."


def _all_distinct(column: Column) -> bool:
    """Whether many whole numbers or texts never repeat."""
    n = len(column.labels)
    if n < FEWEST_IDS or not column.kinds <= {"number", "text"}:
        return False
    if any(isinstance(label, float) and label % 1 for label in column.labels):
        return False
    return n == int((column.codes >= 0).sum())


def _nothing_shared(columns: list[Column]) -> Iterator[str]:
    """Raters who have no label in common with any other rater."""
    rated = [column for column in columns if column.labels]
    if len(rated) < 2:  # noqa: PLR2004
        return
    uses: dict[Any, int] = {}
    for column in rated:
        for label in column.labels:
            uses[label] = uses.get(label, 0) + 1
    alone = [column for column in rated if all(uses[label] == 1 for label in column.labels)]
    if alone:
        names = listing(column.name for column in alone)
        yield f"Rater(s) {names} share no label with any other rater."
