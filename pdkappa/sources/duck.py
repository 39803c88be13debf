"""Long ratings in whatever DuckDB reads -> parts of whole items."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from pdkappa.errors import (
    MissingDependencyError,
    listing,
)
from pdkappa.ratings.counted_chunks import count_rows
from pdkappa.ratings.crowds import (
    Crowd,
    Found,
    Names,
    Part,
    check_named,
    part_of,
    rater_places,
    rating_places,
    repeated,
    small,
)
from pdkappa.sources.arrow import as_floats, as_frame
from pdkappa.sources.base import check_room
from pdkappa.sources.crowds import CrowdSource
from pdkappa.sources.text import readable

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    import duckdb

    from pdkappa._typing import Categories, IntArray, Label
    from pdkappa.ratings.counted_chunks import Chunk
    from pdkappa.ratings.crowds import Known

WORD = 62  # bits of a number that holds item, rater and label
MOST_HELD = 1 << 25  # ratings that are held as such numbers
ROWS_OF_PART = 1 << 17  # ratings of whole items that are counted at a time
ROWS_OF_BATCH = 1 << 17
ROWS_OF_READING = 1 << 21  # ratings that are read at a time, if they are not held


def connected(memory_limit: str = "512MB") -> Any:
    """Open a database in memory that spills to disk."""
    try:
        import duckdb
        import pyarrow as pa  # noqa: F401
    except ImportError as error:
        message = "This needs DuckDB, which is not installed. Run: pip install 'pdkappa[duckdb]'"
        raise MissingDependencyError(message) from error
    return duckdb.connect(config={"memory_limit": memory_limit})


def table_of(data: Any, names: Names) -> DuckTable:
    """Let DuckDB read a relation of its own, or a table of polars or pyarrow."""
    connection = connected()
    text = f"a {type(data).__module__.partition('.')[0].lstrip('_')} {type(data).__name__}"
    if hasattr(data, "aggregate") and hasattr(data, "project"):  # a relation
        return DuckTable(data, names, text)
    if hasattr(data, "collect"):  # a lazy frame of polars
        data = data.collect()
    orders = {}
    if hasattr(data, "to_arrow"):
        enums = {n: kind for n, kind in data.schema.items() if type(kind).__name__ == "Enum"}
        orders = {name: kind.categories.to_list() for name, kind in enums.items()}
        data = data.to_arrow()
    orders |= {
        name: data.column(name).unify_dictionaries().chunk(0).dictionary.to_pylist()
        for name, dtype in zip(data.schema.names, data.schema.types, strict=True)
        if getattr(dtype, "ordered", False) and len(data)
    }
    table = connection.from_arrow(data)
    return DuckTable(table, names, text, orders=orders, connection=connection)


@dataclass(frozen=True, eq=False)
class DuckTable(CrowdSource):
    """Rows that DuckDB reads, from wherever they are."""

    query: duckdb.DuckDBPyRelation
    names: Names
    text: str
    path: Path | None = None
    orders: dict[str, list[Any]] = field(default_factory=dict)  # which DuckDB does not keep
    connection: Any = None  # which is closed where nothing names it

    def __str__(self) -> str:
        """Say what they are."""
        return f"{self.text} with columns {listing(self.columns)}"

    @property
    def columns(self) -> list[Label]:
        """Labels of all columns, in order."""
        return list(self.query.columns)

    def found(self, by: list[Label]) -> Found:
        """Look for all ratings (in groups) and raters."""
        names = self.names
        labels = self._counted([*by, names.rating])
        raters = self._counted([names.rater])
        item = quoted(names.item)
        kind = str(self.query.types[self.columns.index(names.item)])
        is_whole = kind.endswith(("INT", "INTEGER")) and kind != "HUGEINT"
        ends = f"min({item}), max({item})" if is_whole else "NULL, NULL"
        [(n_missing, *span)] = self.query.aggregate(f"count(*) - count({item}), {ends}").fetchall()
        if n_missing:
            n_missing = self.rated.filter(f"{item} IS NULL").count("*").fetchall()[0][0]
        check_named(names.item, "item", n_missing)
        check_named(names.rater, "rater", raters.count[raters.frame[names.rater].isna()].sum())
        return Found(labels, raters, None if None in span else (int(span[0]), int(span[1])))

    def _counted(self, columns: list[Label]) -> Chunk:
        """Count the distinct rows of some columns."""
        chosen = ", ".join(map(quoted, columns))
        frame = self.frame(self.rated.aggregate(f"{chosen}, count(*) AS n_"))
        return count_rows(frame, columns, times=frame["n_"].to_numpy(dtype=np.int64))

    @cached_property
    def rated(self) -> duckdb.DuckDBPyRelation:
        """The rows with a rating; NaN is none."""
        rating = quoted(self.names.rating)
        place = self.columns.index(self.names.rating)
        number = str(self.query.types[place]) in {"DOUBLE", "FLOAT"}
        condition = f"{rating} IS NOT NULL" + (f" AND NOT isnan({rating})" if number else "")
        return self.query.filter(condition)

    def frame(self, rows: duckdb.DuckDBPyRelation) -> pd.DataFrame:
        """Have rows computed; an enum is ordered."""
        with readable(self.path or Path(self.text)):
            found = as_floats(as_frame(rows.to_arrow_table()), set())
        enums: dict[str, Any] = {
            str(name): found[name].cat.as_ordered() for name in found if hasattr(found[name], "cat")
        }
        ordered = {
            name: pd.Categorical(found[name], categories=labels, ordered=True)
            for name, labels in self.orders.items()
            if name in found
        }
        return found.assign(**enums, **ordered)

    def crowd(self, known: Known, counts: IntArray, declared: Categories | None) -> Crowd:
        """Return what counts the ratings: held as numbers, if they are not too many for that."""
        given: dict[str, Any] = {
            "frame": known.labels,
            "counts": counts.astype(np.float64),
            "declared": declared,
            "known": known,
            "table": self,
        }
        packing = Packing.of(known, int(counts.sum()))
        return PartsOfTable(**given) if packing is None else HeldKeys(**given, packing=packing)

    def gather(self, columns: list[Label]) -> pd.DataFrame:
        """Return some columns of all ratings, if they are not too many."""
        check_room(self.rated.count("*").fetchall()[0][0], columns)
        return self.frame(self.rated.project(", ".join(map(quoted, columns))))

    def batches(self, columns: list[Label]) -> Iterator[Any]:
        """Read some columns in batches of pyarrow, in any order."""
        with readable(self.path or Path(self.text)):
            rows = self.rated.project(", ".join(map(quoted, columns)))
            new = hasattr(rows, "to_arrow_reader")  # since DuckDB 1.4
            yield from (rows.to_arrow_reader if new else rows.fetch_arrow_reader)(ROWS_OF_BATCH)


def quoted(name: Label) -> str:
    """Write the name of a column in SQL."""
    return '"' + str(name).replace('"', '""') + '"'


@dataclass(frozen=True)
class Packing:
    """How an item, a rater and a label are one number: items are whole numbers from `low` up."""

    low: int
    bits_of_rater: int
    bits_of_label: int
    n_ratings: int

    @classmethod
    def of(cls, known: Known, n_ratings: int) -> Packing | None:
        """Find it; None where the ratings are too many, or the items are other labels."""
        if n_ratings > MOST_HELD or known.by or known.span is None:
            return None
        low, high = known.span
        bits = [(len(labels) - 1).bit_length() for labels in (known.raters, known.labels)]
        fits = (high - low).bit_length() + sum(bits) <= WORD
        return cls(low, bits[0], bits[1], n_ratings) if fits else None

    def part(self, keys: IntArray) -> Part:
        """Take sorted numbers apart."""
        label = keys & ((1 << self.bits_of_label) - 1)
        rater = (keys >> self.bits_of_label) & ((1 << self.bits_of_rater) - 1)
        item = keys >> (self.bits_of_label + self.bits_of_rater)
        is_new = np.ones(len(keys), dtype=bool)
        np.not_equal(item[1:], item[:-1], out=is_new[1:])
        return Part(small(np.cumsum(is_new) - 1), small(rater), small(label))


@dataclass(frozen=True, kw_only=True)
class HeldKeys(Crowd):
    """Ratings that are read once, and held as one number each, sorted."""

    table: DuckTable
    packing: Packing
    held: list[Part] = field(default_factory=list)

    @property
    def parts(self) -> list[Part]:
        """The ratings of some items each, which are read once."""
        if not self.held:
            self.held.extend(self._parts(self._keys()))
        return self.held

    def _parts(self, keys: IntArray) -> Iterator[Part]:
        """Cut the ratings between items."""
        start, shift = 0, self.packing.bits_of_label + self.packing.bits_of_rater
        while start < len(keys):
            stop = min(start + ROWS_OF_PART, len(keys))
            if stop < len(keys):  # where the next item begins
                stop = int(np.searchsorted(keys, ((keys[stop - 1] >> shift) + 1) << shift))
            yield self.packing.part(keys[start:stop])
            start = stop

    def _keys(self) -> IntArray:
        """Read the ratings, shape (M,)."""
        packing, known = self.packing, self.known
        keys, stop = np.empty(packing.n_ratings, dtype=np.int64), 0
        for batch in self.table.batches(list(known.names)):
            item, rater, rating = (as_numpy(column) for column in batch.columns)
            start, stop = stop, stop + batch.num_rows
            place = item.astype(np.int64) - packing.low
            place <<= packing.bits_of_rater
            place |= rater_places(rater, known)
            place <<= packing.bits_of_label
            place |= rating_places(rating, known)
            keys[start:stop] = place
        keys.sort()
        self._check_duplicates(keys)
        return keys

    def _check_duplicates(self, keys: IntArray) -> None:
        """Refuse a rater who rated an item twice."""
        for start in range(0, len(keys), ROWS_OF_PART):
            both = keys[start : start + ROWS_OF_PART + 1] >> self.packing.bits_of_label
            again = np.flatnonzero(both[1:] == both[:-1])
            if len(again):
                item, rater = divmod(int(both[again[0]]), 1 << self.packing.bits_of_rater)
                raise repeated(item + self.packing.low, self.rater_labels[rater])

    def total(self, count: Callable[[Part], Any], add: Callable[[Sequence[Any]], Any]) -> Any:
        """Count every part, and add up the counts."""
        return add([count(part) for part in self.parts])


@dataclass(frozen=True, kw_only=True)
class PartsOfTable(Crowd):
    """Ratings that are read again for each question, a part of the items at a time."""

    table: DuckTable
    kept: dict[int, Part] = field(default_factory=dict)

    def total(self, count: Callable[[Part], Any], add: Callable[[Sequence[Any]], Any]) -> Any:
        """Count every part, and add up the counts."""
        found: list[Any] = []
        for part in self._parts():
            found.append(count(part))
            if len(found) == 8:  # noqa: PLR2004
                found = [add(found)]
        return add(found)

    def _parts(self) -> Iterator[Part]:
        """Read parts of the items; they are kept if all of them are few."""
        names, n_ratings = self.known.names, int(self.counts.sum())
        n_parts = max(-(-n_ratings // ROWS_OF_READING), 1)
        columns = ", ".join(map(quoted, [*names, *self.known.by]))
        for number in range(n_parts):
            if number in self.kept:
                yield self.kept[number]
                continue
            own = f"hash({quoted(names.item)}) % {n_parts} = {number}"
            rows = self.table.rated.filter(own).project(columns)
            part = part_of(self.table.frame(rows), self.known)
            if n_ratings <= MOST_HELD:
                self.kept[number] = part
            yield part


def as_numpy(column: Any) -> Any:
    """Return a column of pyarrow as an array, text as an index of pandas."""
    import pyarrow as pa

    if pa.types.is_integer(column.type) or pa.types.is_floating(column.type):
        return column.to_numpy(zero_copy_only=False)
    return column.to_pandas().astype(object)
