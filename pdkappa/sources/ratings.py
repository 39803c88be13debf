"""Tables, counts and long ratings -> `Ratings`: `from_long`, `from_table`, `scan_long`."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from pdkappa.accessor import Ratings
from pdkappa.errors import (
    ColumnNotFoundError,
    DuplicateRatingError,
    MissingDependencyError,
    OptionError,
    RatingsError,
    listing,
    shown,
)
from pdkappa.methods.estimates.options import gate
from pdkappa.ratings.coded import Counted
from pdkappa.ratings.counted_chunks import count_rows
from pdkappa.ratings.counted_pairs import read_counts, read_table
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
from pdkappa.ratings.long_ratings import AllRaters, Listed, is_told_apart, read_long
from pdkappa.sources.file_formats import as_floats, as_frame, ending, readable, unknown_ending
from pdkappa.sources.source import CrowdRatings, CrowdSource, check_room, labels_of

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

    import duckdb
    import numpy.typing as npt

    from pdkappa._typing import Categories, IntArray, Label, PathLike
    from pdkappa.accessor import Method
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


class CountedRatings(Counted, Ratings):
    """Ratings of which each distinct row has its count."""

    __repr__ = Ratings.__repr__

    def __str__(self) -> str:
        """Say how many ratings of whom there are."""
        if self.anonymous:
            return f"Ratings of {self.counts.sum():g} items by up to {self.frame.shape[1]} raters"
        names = " and ".join(map(repr, self.frame.columns))
        return f"Ratings of {self.counts.sum():g} items by {names}"


class ListedRatings(Listed, Ratings):
    """Ratings one below the other, whose raters are no columns."""

    def _call(self, method: Method, /, *args: Any, **kwargs: Any) -> Any:
        """Call a function for the list if it takes one, and any other one for a wide frame."""
        given = method.bind(self, args, kwargs)
        own: dict[str, Any] = {"categories": self.declared}
        if not method.takes_lists:
            given.arguments["data"] = self._beside_each_other(method, given.arguments)
            own["raters"] = AllRaters(self.rater_labels)
        given.arguments |= {
            option: value
            for option, value in own.items()
            if option in given.signature.parameters and given.arguments.get(option) is None
        }
        return method.function(*given.args, **given.kwargs)

    def _beside_each_other(self, method: Method, given: dict[str, Any]) -> pd.DataFrame:
        """Make the frame of the raters whom the arguments name, or of all of them."""
        if "raters" in method.raters and given.get("raters") is None:
            return self.wide
        known = pd.Index(self.rater_labels, dtype=object, tupleize_cols=False)
        named = [labels_of(given.get(option), known) for option in method.raters]
        raters = {name for labels in named for name in labels}
        return self._of_raters([name for name in self.rater_labels if name in raters])

    __repr__ = Ratings.__repr__

    def __str__(self) -> str:
        """Say how many ratings of how many items there are."""
        n_items, n_raters = len(self.item_labels), len(self.rater_labels)
        return f"{len(self.item)} ratings of {n_items} items by {n_raters} raters"


@dataclass(frozen=True, repr=False, eq=False)
class RepeatedRatings(Ratings):
    """Ratings one below the other of items that a rater rated once by each of several criteria.

    Attributes
    ----------
    data : DataFrame
        The ratings.
    item : list of column labels
        What tells the items apart, but for the criterion.
    options : dict
        The other options of `from_long`.
    error : DuplicateRatingError
        What is wrong with them all together.
    """

    data: pd.DataFrame
    item: list[Label]
    options: dict[str, Any]
    error: DuplicateRatingError

    def __str__(self) -> str:
        """Say what they are and what to do."""
        return f"{len(self.data)} ratings of items by several criteria, for methods with by="

    def _call(self, method: Method, /, *args: Any, **kwargs: Any) -> Any:
        """Call a function for the items of each group, or say that items are rated repeatedly."""
        by = method.bind(self, args, kwargs).arguments.get("by")
        if by is None:
            raise DuplicateRatingError(str(self.error))
        item = [*self.item, *(by if isinstance(by, list) else [by])]
        read = read_long(self.data, item=item, **self.options)
        return ListedRatings(**vars(read))._call(method, *args, **kwargs)  # noqa: SLF001


@gate
def from_long(
    data: Any,
    *,
    item: Label | list[Label],
    rater: Label,
    rating: Label,
    categories: Categories | None = None,
    sep: str | None = None,
) -> Ratings:
    """Read long data: one row for each rating of an item by a rater.

    No wide frame is made if many raters share few items: only the categories of each item, those
    of each rater, and the joint ratings are needed.

    Parameters
    ----------
    data : DataFrame, shape (M, ...)
        One row for each rating, in any order. Never changed. Of pandas; a Dask frame, which is
        shuffled by item once, if `pdkappa.dask` is imported; or one of polars, a table of pyarrow
        or a relation of DuckDB, which need DuckDB: `agreement`, `usage`, `pairs` and `pairwise` of
        these are counted part by part, and all else reads the ratings into memory; see `scan_long`.
    item, rater, rating : column labels
        What was rated, by whom, and how. Rows without a rating are left out. `item` may be a
        list of columns, such as those of the text and of the criterion that it is rated by; they
        can be named as `by` and `cluster`, too. Items that are rated once by each criterion may
        do without its name, for methods with the criterion as `by`.
    categories : list or dict, optional
        The categories in order, or their scores, as in `pairs`. Default: numbers are their own
        scores, and an ordered Categorical defines the order.
    sep : str, optional
        Ratings are sets of labels, written as text with this between them: "a|b" with "|".

    Returns
    -------
    Ratings
        An object with the methods of ``df.kappa``. Items and raters are sorted, as by
        ``DataFrame.pivot``. Any other column that is the same in all ratings of an item can
        be named as `by`, `cluster` or `sample_weight`; an array or a Series has a value for
        each item. Pairs of raters who share no item are absent from `pairs`, and NaN in
        `pairwise`, with the reason ``no_joint_items``.

    Raises
    ------
    DuplicateRatingError
        If a rater rated an item more than once, and no other column tells the ratings apart;
        if one does, by methods without `by`.
    RatingsError
        If a rating has no item or no rater, or there is none.
    TooLargeError
        By methods that need all raters side by side, if items times raters are more than
        2**26: all but `agreement`, `influence`, `pairs`, `pairwise`, `raters`, `usage`,
        `items`, `categories` and `cuts`, and these with resampled limits.
        What names raters, such as `confusion` and `compare`, needs no others.

    See Also
    --------
    scan_long : From files that need not fit in memory.
    from_label_studio, from_prodigy, from_doccano, from_argilla, from_mturk : From files of \
annotation tools.
    from_inspect, from_promptfoo, from_deepeval, from_lm_eval : From logs of evaluations.
    from_records : From records in which ratings are nested fields.

    Notes
    -----
    `pairs` and `pairwise` count the joint ratings, as the product of the sparse matrix of
    ratings (items by raters and categories) with itself does. Where this takes more than a
    wide frame would, as it does if all raters rated all items, the frame is made instead; by
    the other methods, where an eighth of its cells or more would be ratings. The figures are
    those of the wide frame, up to rounding errors.

    Examples
    --------
    >>> df = pd.DataFrame(
    ...     {
    ...         "essay": [1, 1, 2, 2, 3, 3, 4, 5],
    ...         "who": ["ann", "bob", "ann", "bob", "ann", "bob", "eve", "eve"],
    ...         "score": [4, 4, 2, 3, 1, 1, 3, 2],
    ...     }
    ... )
    >>> ratings = pdkappa.from_long(df, item="essay", rater="who", rating="score")
    >>> print(ratings)
    8 ratings of 5 items by 3 raters
    >>> ratings.pairs(weights="quadratic")[["rater_a", "rater_b", "n_items", "estimate"]].round(3)
      rater_a rater_b  n_items  estimate
    0     ann     bob        3     0.897

    Eve shares no essay with the others:

    >>> ratings.pairwise(weights="quadratic").round(3)
           ann    bob  eve
    ann  1.000  0.897  NaN
    bob  0.897  1.000  NaN
    eve    NaN    NaN  1.0
    """
    if not isinstance(data, pd.DataFrame):
        source = long_source(data, item, rater, rating, sep)
        if source is not None:
            return CrowdRatings.of(source, categories, with_methods)
    options: dict[str, Any] = {
        "rater": rater,
        "rating": rating,
        "categories": categories,
        "sep": sep,
    }
    try:
        return with_methods(read_long(data, item=item, **options))
    except DuplicateRatingError as error:
        items = item if isinstance(item, list) else [item]
        if is_told_apart(data, items, rater, rating):
            return RepeatedRatings(data, items, options, error)
        raise


def with_methods(data: Listed) -> Ratings:
    """Give ratings in memory the methods of ``df.kappa``."""
    return ListedRatings(**vars(data))


def long_source(
    data: Any, item: Any, rater: Label, rating: Label, sep: str | None
) -> CrowdSource | None:
    """Find out whose frame it is; None if nobody knows it."""
    package = type(data).__module__.partition(".")[0].lstrip("_")
    if package not in ("dask", "dask_expr", "duckdb", "polars", "pyarrow"):
        return None
    if isinstance(item, list) or sep is not None:
        message = (
            f"A list of items and sep= are for frames of pandas, got one of {package}. Make one "
            "column of the items, and pass data.compute() or data.to_pandas() of sets."
        )
        raise OptionError(message)
    names = Names(item, rater, rating)
    if package.startswith("dask"):
        from pdkappa.dask import DaskList

        return DaskList(data, names)
    return table_of(data, names)


@gate
def from_table(
    table: pd.DataFrame | npt.ArrayLike, *, categories: Categories | None = None
) -> Ratings:
    """Read a contingency table of two raters.

    Parameters
    ----------
    table : DataFrame or array, shape (K, K)
        Number of items for each category of the first rater (rows) and of the second
        (columns). The labels of a frame must be the same in rows and columns, in any
        order; its axis names become the names of the raters. The categories of a bare
        array are those given as `categories`, or 0 to K - 1.
    categories : list or dict, optional
        The categories in order, or their scores, as in `pairs`. Default: numbers are their own
        scores, and an ordered `CategoricalIndex` defines the order.

    Returns
    -------
    Ratings
        An object with the methods of ``df.kappa``.

    Raises
    ------
    RatingsError
        If rows and columns have different labels.
    WeightsError
        If a count is negative or not finite.

    Examples
    --------
    >>> cohen = pdkappa.datasets.load_cohen1968()
    >>> pdkappa.from_table(cohen).pairs()[["n_items", "estimate", "se"]].round(3)
       n_items  estimate     se
    0      200     0.492  0.051

    The order of text is never guessed, not even from the rows of a table:

    >>> pdkappa.from_table(cohen, categories=list(cohen.index)).pairs(weights="linear").shape
    (1, 14)
    """
    return CountedRatings(**vars(read_table(table, categories=categories)))


@gate
def from_counts(counts: pd.DataFrame, *, categories: Categories | None = None) -> Ratings:
    """Read how many raters put each item into each category.

    Parameters
    ----------
    counts : DataFrame, shape (N, K)
        One row for each item, one column for each category; whole numbers. Items may have
        different numbers of ratings.
    categories : list or dict, optional
        The categories in order, or their scores, as in `pairs`. Default: columns that are
        numbers stand for themselves.

    Returns
    -------
    Ratings
        An object with the methods of ``df.kappa`` that need not know who rated:
        `agreement`, `influence`, `items`, `categories` and `cuts`, without the coefficients
        "conger" and "light". All other methods raise `OptionError`.

    Raises
    ------
    RatingsError
        If two columns have the same label.
    WeightsError
        If a count is no whole number from zero upwards.

    Examples
    --------
    Fleiss' own example, 30 patients with six diagnoses each:

    >>> df = pdkappa.datasets.load_psychiatric_diagnoses()
    >>> counts = df.apply(lambda row: row.value_counts(), axis=1).fillna(0)
    >>> pdkappa.from_counts(counts).agreement(coefficients="fleiss")["estimate"].round(3).item()
    0.43
    """
    return CountedRatings(**vars(read_counts(counts, categories=categories)))


COMMAS: dict[str, Any] = {"header": True, "sep": ",", "union_by_name": True}
TABS: dict[str, Any] = {"header": True, "sep": "\t", "union_by_name": True}
LINES: dict[str, Any] = {"format": "newline_delimited"}
READERS = {  # methods of DuckDB
    ".parquet": ("read_parquet", {}),
    ".csv": ("read_csv", COMMAS),
    ".tsv": ("read_csv", TABS),
    ".txt": ("read_csv", TABS),
    ".jsonl": ("read_json", LINES),
    ".ndjson": ("read_json", LINES),
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
    """Read long data from files that need not fit in memory, through DuckDB.

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
        numbers stand for themselves, text in its own order; files do not tell DuckDB the order
        of a Categorical.
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
    fleiss    0.550
    gwet      0.561
    Name: estimate, dtype: float64
    """
    from pdkappa.sources.scan_files import files_of

    files = list(files_of(paths))
    if not files:
        message = (
            f"No file to read was found in {shown(paths)}. "
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
    reader, options = READERS[endings[0]]
    if "sep" in options and len(files) > 1:
        _check_headers(files, [item, rater, rating], options["sep"])
    with readable(files[0]):
        query = getattr(connection, reader)([str(file) for file in files], **options)
    text = f"{len(files)} file(s)"
    names = Names(item, rater, rating)
    table = DuckTable(query, names, text, files[0], connection=connection)
    return CrowdRatings.of(table, categories, with_methods)


def _check_headers(files: list[Path], names: list[Label], sep: str) -> None:
    """Refuse files of which one lacks a column: its rows would have no item, rater or rating."""
    for file in files:
        with readable(file):
            columns = pd.read_csv(file, sep=sep, nrows=0).columns
        for name in names:
            if name not in columns:
                message = (
                    f"{file.name} has no column {name!r}; it has {listing(columns)}. "
                    "Every file must have the columns of the items, raters and ratings."
                )
                raise ColumnNotFoundError(message)
