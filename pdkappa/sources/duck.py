"""Long ratings in files, tables and frames that DuckDB reads -> `Ratings`: `scan_long`."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from pdkappa.counts.chunks import count_rows
from pdkappa.counts.crowds import (
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
from pdkappa.errors import (
    MissingDependencyError,
    RatingsError,
    listing,
    shown,
)
from pdkappa.estimation.gate import gate
from pdkappa.sources.arrow import as_floats, as_frame
from pdkappa.sources.base import check_room
from pdkappa.sources.crowds import CrowdRatings, CrowdSource
from pdkappa.sources.files import files_of
from pdkappa.sources.formats import unknown_ending
from pdkappa.sources.text import ending, readable

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

    import duckdb

    from pdkappa._typing import Categories, IntArray, Label, PathLike
    from pdkappa.accessor import Ratings
    from pdkappa.counts.chunks import Chunk
    from pdkappa.counts.crowds import Known

WORD = 62  # bits of a number that holds item, rater and label
MOST_HELD = 1 << 25  # ratings that are held as such numbers
ROWS_OF_PART = 1 << 17  # ratings of whole items that are counted at a time
ROWS_OF_BATCH = 1 << 17
ROWS_OF_READING = 1 << 21  # ratings that are read at a time, if they are not held
READERS = {
    ".parquet": "read_parquet({})",
    ".csv": "read_csv({}, header=true, delim=',')",
    ".tsv": "read_csv({}, header=true, delim='\t')",
    ".txt": "read_csv({}, header=true, delim='\t')",
    ".jsonl": "read_json({}, format='newline_delimited')",
    ".ndjson": "read_json({}, format='newline_delimited')",
}


@gate
def scan_long(
    paths: PathLike | Iterable[PathLike],
    *,
    item: Label,
    rater: Label,
    rating: Label,
    categories: Categories | None = None,
    memory_limit: str = "512MB",
) -> Ratings:
    """Read ratings one below the other from files that need not fit in memory, through DuckDB.

    How far does a crowd of raters agree, of whom nobody rated more than a few items?

    Parameters
    ----------
    paths : str or path-like, or list of them
        Files with one row for each rating, or a folder, or a pattern such as
        ``"votes/*.parquet"``: all of them Parquet, ``.csv``, ``.tsv`` or ``.txt`` (separated by
        tabs), or ``.jsonl`` or ``.ndjson`` (a record in each line); text may be compressed, as
        ``.csv.gz``. Nothing may be written to them until all has been computed.
    item, rater, rating : column labels
        What was rated, by whom, and how. Rows without a rating are left out.
    categories : list or dict, optional
        The categories in order, or their scores, as in `pairs`, for all methods. Default:
        numbers stand for themselves, an ordered Categorical or an enum for its order.
    memory_limit : str, default "512MB"
        What DuckDB may use before it writes to disk. What is counted comes on top of it.

    Returns
    -------
    Ratings
        An object with the methods of ``df.kappa``. `agreement`, `usage`, `pairs` and `pairwise`
        are counted part by part; `by` names columns that are the same in all ratings of an item.
        By default `agreement` leaves "light" out, whose standard error needs every rating at
        once. All other methods and options read the ratings into memory, as `from_long` has
        them.

    Raises
    ------
    RatingsError
        If there is no file, or one of them cannot be read, or a rating has no item or no rater,
        or there is none.
    OptionError
        If `paths` is no path, the ending of a file is not known, or an item is in two groups.
    DuplicateRatingError
        If a rater rated an item more than once.
    TooLargeError
        By methods that need every rating: if these are more than 2**26 cells; if items have too
        many different sets of ratings.
    MissingDependencyError
        If duckdb or pyarrow is not installed.

    Warns
    -----
    LeftOutWarning
        By `agreement`, if "light" is left out.

    See Also
    --------
    from_long : The same from a frame, of Dask, too.
    scan : Files with a column for each rater.

    Notes
    -----
    Items with equal ratings are one row with a count, whoever rated them. Coefficients that ask
    who did (Conger's) read the ratings again, and need of each such row no more than the mean and
    variance of a sum over the item. All that is counted are whole numbers, so that results do not
    depend on files, threads or the order of the rows.

    Examples
    --------
    >>> votes = pd.DataFrame(
    ...     {
    ...         "item": [1, 1, 1, 2, 2, 3, 3, 3],
    ...         "worker": ["w7", "w2", "w5", "w7", "w9", "w2", "w5", "w9"],
    ...         "label": [0, 0, 1, 1, 1, 0, 0, 0],
    ...     }
    ... )
    >>> votes.to_csv("votes.csv", index=False)
    >>> ratings = pdkappa.scan_long("votes.csv", item="item", rater="worker", rating="label")
    >>> ratings.agreement(coefficients=["fleiss", "gwet"])["estimate"].round(3)
    coefficient
    fleiss    0.534
    gwet      0.591
    Name: estimate, dtype: float64
    """
    files = list(files_of(paths))
    if not files:
        message = (
            f"There is no file to read in {shown(paths)}. "
            f"Files are known by their ending: {', '.join(READERS)}."
        )
        raise RatingsError(message)
    endings = sorted({ending(file) for file in files})
    if endings[0] not in READERS:
        raise unknown_ending(files[0], READERS)
    if len(endings) > 1:
        message = (
            f"Files of one kind are read together, and these are {' and '.join(endings)}. "
            "Call scan_long for one kind, or write them anew."
        )
        raise RatingsError(message)
    connection = connected(memory_limit)
    names = "[" + ", ".join("'" + str(file).replace("'", "''") + "'" for file in files) + "]"
    with readable(files[0]):
        query = connection.sql(f"SELECT * FROM {READERS[endings[0]].format(names)}")  # noqa: S608
    text = f"{len(files)} file(s)"
    return CrowdRatings.of(DuckTable(query, Names(item, rater, rating), text, files[0]), categories)


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
    if hasattr(data, "to_arrow"):
        data = data.to_arrow()
    orders = {
        name: data.column(name).unify_dictionaries().chunk(0).dictionary.to_pylist()
        for name, dtype in zip(data.schema.names, data.schema.types, strict=True)
        if getattr(dtype, "ordered", False) and len(data)
    }
    return DuckTable(connection.from_arrow(data), names, text, orders=orders)


@dataclass(frozen=True, eq=False)
class DuckTable(CrowdSource):
    """Rows that DuckDB reads, from wherever they are."""

    query: duckdb.DuckDBPyRelation
    names: Names
    text: str
    path: Path | None = None
    orders: dict[str, list[Any]] = field(default_factory=dict)  # which DuckDB does not keep

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
