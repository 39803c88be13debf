"""Records of tools, checked field by field -> items, raters and labels, or what is wrong."""

from __future__ import annotations

import os
from collections import Counter, defaultdict
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from pdkappa.errors import (
    ColumnNotFoundError,
    LeftOutWarning,
    LookalikeLabelsWarning,
    OptionError,
    RatingsError,
    UnfinishedLogWarning,
    check_text,
    did_you_mean,
    listing,
    plural,
    shown,
    warn,
)
from pdkappa.methods.estimates import asked as has
from pdkappa.ratings.columns import LabelSet
from pdkappa.sources.file_formats import (
    MISSING_WORDS,
    as_path,
    ending,
    read_csv,
    read_records,
    unknown_ending,
)

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path


NOBODY = "?"  # who is known to have given a label
FEWEST = 2  # columns of a frame of ratings
OF_PARTS = "with labels of parts"
TO_SPANS = " Spans of text, one in each row of a frame, go to pdkappa.from_spans."
AS_EXPORTED = "Pass the export unchanged."
EXPORTED = (".csv", ".jsonl", ".ndjson", ".json")
NO_EXPORT = (".tsv", ".xlsx", ".xls", ".parquet", ".feather", ".arrow")


class OfTool(has.Categories):
    """Options of a reader of what a tool wrote."""

    raises = {  # noqa: RUF012
        "ColumnNotFoundError": "If what an option names is absent (a column, field, metric, filter "
        "or control), or a field of the format.",
        "DuplicateRatingError": "If somebody rated an item more than once, or two records have one "
        "name.",
        "RatingsError": "If there is no rating, or a file is not in the format of the tool.",
    }


@dataclass(frozen=True)
class Record:
    """A record, or a part of one."""

    held: dict[str, Any]  # its fields
    place: str  # where it is, for errors

    def get(self, name: str) -> Any:
        """Return what a field holds, None if it is not there."""
        return self.held.get(name)

    def text(self, name: str) -> str | None:
        """Return a text, or None if there is none."""
        value = self.get(name)
        if not isinstance(value, str | None):
            raise self.wrong(name, "a text")
        return value

    def choice(self, name: str, choices: Sequence[str]) -> str:
        """Return one of some words."""
        value = self.get(name)
        if not isinstance(value, str) or value not in choices:
            raise self.wrong(name, f"one of {listing(choices)}")
        return value

    def list_of(self, name: str, what: str = "a list") -> list[Any]:
        """Return a list, empty if there is none."""
        value = self.get(name)
        if not isinstance(value, list | None):
            raise self.wrong(name, what)
        return value or []

    def dict_of(self, name: str) -> dict[str, Any]:
        """Return a dict of fields, empty if there is none."""
        value = self.get(name)
        if not isinstance(value, dict | None):
            raise self.wrong(name, "a dict of fields")
        return value or {}

    def records(self, name: str) -> list[Record]:
        """Return the records that a field lists, and which must be there."""
        if name not in self.held:
            raise self.wrong(name, "a list")
        values = self.list_of(name)
        if not all(isinstance(value, dict) for value in values):
            raise self.wrong(name, "a list of records")
        return [Record(value, self.place) for value in values]

    def side_by_side(self, names: list[str]) -> Iterator[tuple[Any, ...]]:
        """Return what stands at the same place of several lists."""
        lists = {name: self.list_of(name) for name in names}
        if len({len(values) for values in lists.values()}) > 1:
            sizes = ", ".join(f"{len(values)} in {shown(name)}" for name, values in lists.items())
            raise RatingsError(f"Lists of {self.place} differ in length: {sizes}. {AS_EXPORTED}")
        return zip(*lists.values(), strict=True)

    def wrong(self, name: str, what: str) -> RatingsError:
        """Build the error for a field that does not hold what it must."""
        got = f"got {shown(self.held[name])}" if name in self.held else "there is none"
        return RatingsError(f"{shown(name)} in {self.place} must be {what}, {got}. {AS_EXPORTED}")


FINISHED = ("", "success")


@dataclass
class End:
    """How a log ends, as far as it says so."""

    status: str = ""  # what it says of itself; empty if nothing
    n_announced: int = 0  # how many records it should hold; 0 if unknown
    n_failed: int = 0  # how many of them ended in an error

    def check(self, path: Path, n_found: int) -> None:
        """Warn of a log that is not whole."""
        is_short = n_found < self.n_announced
        if self.status in FINISHED and not is_short and not self.n_failed:
            return
        of = f" of {self.n_announced} announced" if self.n_announced else ""
        parts = (
            "" if self.status in FINISHED else f"its status is {shown(self.status)}",
            f"it holds {n_found}{of} {plural(self.n_announced or n_found, 'record')}",
            f"{self.n_failed} of them failed" if self.n_failed else "",
        )
        message = (
            f"{shown(path.name)} is not the whole log: {', '.join(filter(None, parts))}. Run the "
            "evaluation to its end, or take the figures for a part of it."
        )
        warn(message, UnfinishedLogWarning)


@dataclass
class Annotations:
    """What was read from files of a tool."""

    source: str  # names the files
    names: tuple[str, str, str]  # what the tool calls item, rater and label
    # Item, rater and the labels that one gave to the other.
    rows: list[tuple[Any, Any, list[Any]]] = field(default_factory=list)
    # How many annotations are left out, by the reason.
    left_out: Counter[str] = field(default_factory=Counter)
    # What stands beside the ratings of an item, by the name of the column and the item.
    beside: dict[str, dict[Any, Any]] = field(default_factory=lambda: defaultdict(dict))

    def add(self, record: Record, item: Any, rater: Any, labels: list[Any]) -> None:
        """Add an annotation if its labels are those of the whole item; an empty text is none."""
        labels = [label for label in labels if not is_blank(label)]
        if not labels:
            self.left_out["without a label"] += 1
        elif not all(isinstance(label, str | int | float) for label in labels):
            self.left_out[OF_PARTS] += 1
        else:
            for name, value, role in zip(
                self.names, (item, rater), ("item", "rater"), strict=False
            ):
                if is_blank(value) or not isinstance(value, str | int | float):
                    raise RatingsError(
                        f"{record.place[:1].upper()}{record.place[1:]} names no {role} in "
                        f"{shown(name)}: {shown(value)}. Fill it in, or leave the label out."
                    )
            self.rows.append((item, rater, labels))

    @property
    def is_anonymous(self) -> bool:
        """Whether nobody says who gave which label."""
        return all(rater is NOBODY for _, rater, _ in self.rows) and bool(self.rows)

    def warn(self) -> None:
        """Say how many annotations are left out, and how many labels look like missing ones."""
        if self.left_out:
            warn(self.remark, LeftOutWarning)
        words = Counter(one for *_, labels in self.rows for one in labels if one in MISSING_WORDS)
        if words:
            message = (
                f"Words for missing values are labels in {self.source}, {words.total()} in all: "
                f"{listing(sorted(words))}. In tables that pandas or scan reads they are not. If "
                "they are none, leave them out of the file."
            )
            warn(message, LookalikeLabelsWarning)

    @property
    def remark(self) -> str:
        """How many annotations are left out and why."""
        n_left_out = self.left_out.total()
        n = len(self.rows) + n_left_out
        reasons = ", ".join(f"{times} {reason}" for reason, times in self.left_out.items())
        return (
            f"{n_left_out} of {n} {plural(n, 'annotation')} in {self.source} "
            f"{plural(n_left_out, 'is', 'are')} left out: {reasons or 'none'}."
            f"{TO_SPANS if OF_PARTS in self.left_out else ''}"
        )

    def frame(self) -> pd.DataFrame:
        """Return one row for each annotation; all are sets where one has several labels."""
        if not self.rows:
            why = self.remark if self.source else "No file was found."
            raise RatingsError(f"There is no label of an item by a rater. {why}")
        items, raters, labels = map(list, zip(*self.rows, strict=True))
        are_sets = any(len(set(given)) > 1 for given in labels)
        ratings = [LabelSet(given) if are_sets else given[0] for given in labels]
        columns = dict(zip(self.names, (items, raters, ratings), strict=True))
        columns |= {name: list(map(held.get, items)) for name, held in self.beside.items()}
        for values in columns.values():
            check_text(values, self.source[:1].upper() + self.source[1:])
        return pd.DataFrame(columns)

    def side_by_side(self) -> pd.DataFrame:
        """Return one row for each item, with all of its labels in no order."""
        item, _, rating = self.names
        given = self.frame().groupby(item, sort=False)[rating].agg(list)
        cells = np.empty((len(given), max(int(given.map(len).max()), FEWEST)), dtype=object)
        for row, labels in zip(cells, given, strict=True):
            row[: len(labels)] = labels
        return pd.DataFrame(cells, index=given.index)


def read_file(path: Path) -> list[Record]:
    """Read the records of a file, or the rows of a table.

    In a table no text but the empty one is missing, since "None" is a label.
    """
    name = shown(path.name)
    if ending(path) in NO_EXPORT:
        raise unknown_ending(path, EXPORTED)
    is_table = ending(path) == ".csv"
    if is_table:
        frame = read_csv(path, ",", keep_default_na=False, na_values=[""])
        rows: list[Any] = frame.to_dict("records")
    else:
        rows = read_records(path)
    if not rows:
        below = " below the names of its columns" if is_table else ""
        raise RatingsError(f"{name} holds no record{below}. Export it when something is annotated.")
    kind = "row" if is_table else "record"
    return [Record(row, f"{kind} {at} of {name}") for at, row in enumerate(rows, 1)]


def rows_of(given: Any) -> tuple[list[Record], str]:
    """Return the records of a file, or those that are passed, and what they are called."""
    if isinstance(given, str | os.PathLike):
        file = as_path(given, "records")
        return read_file(file), names_of([file])
    return _records_in(given), "the records"


def _records_in(given: Any) -> list[Record]:
    """Check records that are no file."""
    if isinstance(given, pd.DataFrame):
        held: list[Any] = given.to_dict("records")
        return [Record(as_in_json(row), f"row {at}") for at, row in enumerate(held, 1)]
    if isinstance(given, bytes | dict) or hasattr(given, "read") or not isinstance(given, Iterable):
        raise OptionError(f"records must be a path or a list of dicts, got {shown(given)}.")
    found = []
    for at, record in enumerate(given, 1):
        if not isinstance(record, dict):
            raise RatingsError(
                f"Record {at} must be a dict of fields, got {shown(record)}. {AS_EXPORTED}"
            )
        found.append(Record(as_in_json(record), f"record {at}"))
    return found


def as_in_json(value: Any) -> Any:
    """Return what a record holds as JSON has it: plain numbers and lists for those of NumPy.

    >>> as_in_json({"votes": (np.int64(1), np.True_), "text": np.array(["a"]), "at": pd.NaT})
    {'votes': [1, True], 'text': ['a'], 'at': None}
    """
    if isinstance(value, dict):
        return {as_in_json(name): as_in_json(one) for name, one in value.items()}
    if isinstance(value, list | tuple):
        return [as_in_json(one) for one in value]
    if isinstance(value, np.ndarray | np.generic) and value.dtype.kind not in "mM":
        plain = value.tolist()  # a long double stays one
        return plain if type(plain) is type(value) else as_in_json(plain)
    return None if value is pd.NaT else value


def is_blank(value: Any) -> bool:
    """Whether there is no value."""
    is_empty = isinstance(value, str) and value == ""
    is_nan = isinstance(value, float) and value != value  # noqa: PLR0124
    return value is None or value is pd.NA or is_empty or is_nan


def fields_of(records: list[Record]) -> list[str]:
    """Name the fields that occur in some record."""
    return list(dict.fromkeys(str(name) for record in records for name in record.held))


def check_known(named: Iterable[Any], known: Iterable[str], what: str, source: str) -> None:
    """Make sure that fields are there."""
    names = list(known)
    for name in named:
        if not isinstance(name, str) or name not in names:
            raise ColumnNotFoundError(
                f"No {what} {shown(name)} in {source}.{did_you_mean(name, names)} "
                f"There is {listing(names) or 'none'}."
            )


def names_of(paths: Iterable[Path]) -> str:
    """Name files in a message."""
    return listing(path.name for path in paths)
