"""What a reader hands over: columns, counts of distinct rows, and records of tools."""

from __future__ import annotations

import inspect
from abc import ABC, abstractmethod
from collections import Counter, defaultdict
from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from functools import partial
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
import pandas as pd

from pdkappa.accessor import Needs, Ratings
from pdkappa.coefficients.all_raters import MULTIRATER
from pdkappa.coefficients.resampling import RESAMPLED
from pdkappa.errors import (
    ColumnNotFoundError,
    LeftOutWarning,
    LookalikeLabelsWarning,
    OptionError,
    RatingsError,
    RatingTypeError,
    TooLargeError,
    UnfinishedLogWarning,
    did_you_mean,
    listing,
    shown,
    warn,
)
from pdkappa.methods.agreement.all_raters import agreement
from pdkappa.methods.agreement.pairs import pairs, pairwise
from pdkappa.methods.drilldown.raters import usage
from pdkappa.ratings.categories import declared_set
from pdkappa.ratings.columns import LabelSet
from pdkappa.ratings.counted_chunks import count_rows, merge
from pdkappa.ratings.counted_pairs import as_counted
from pdkappa.ratings.crowds import (
    Crowd,
    Names,
    Part,
    Parts,
    add_coded,
    add_found,
    coded_in,
    found_in,
    known_of,
)
from pdkappa.ratings.items import (
    check_columns,
    check_distinct,
    check_fractional,
    columns_of_groups,
    is_column,
)
from pdkappa.ratings.long_ratings import LARGEST_FRAME, AllRaters, Listed, read_long
from pdkappa.ratings.raters import rater_names
from pdkappa.sources.file_formats import MISSING_WORDS, ending, read_csv, read_records

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterator, Sequence
    from pathlib import Path

    from pdkappa._typing import Categories, Label
    from pdkappa.accessor import Method
    from pdkappa.ratings.counted_chunks import Chunk
    from pdkappa.ratings.crowds import Known


MOST_HELD = 1 << 25  # ratings that are held as numbers


class Source(ABC):
    """Where the columns of the ratings are read from, in parts, of which counts add up.

    An engine reads; what is counted of a part, and how counts are added up, is the same for all.

    Attributes
    ----------
    in_memory : bool
        Whether the rows are a frame of pandas, which needs no reading.
    """

    in_memory: ClassVar[bool] = False

    @property
    @abstractmethod
    def columns(self) -> list[Label]:
        """Labels of all columns, in order."""

    @abstractmethod
    def total(
        self,
        columns: list[Label],
        count: Callable[[pd.DataFrame], Any],
        add: Callable[[Sequence[Any]], Any],
    ) -> Any:
        """Count parts of the rows of some columns, and add up the counts in the order of the rows.

        What is counted must have a `size`, of which little may wait to be added up.
        """

    @abstractmethod
    def gather(self, columns: list[Label], *, declared: Collection[Label] = ()) -> pd.DataFrame:
        """Return all rows of some columns, in order.

        Raises
        ------
        TooLargeError
            By `check_room`: before they are read, where their number is known.
        CategoryError
            If a column is a Categorical of different orders, other than those of which the
            categories are declared.
        """

    def count(
        self,
        columns: list[Label],
        *,
        weight: Label | None = None,
        of_pairs: list[Label] | None = None,
    ) -> Chunk:
        """Count the distinct rows of some columns, as `count_rows` does.

        Rows stand in the order of their first appearance, if the source has an order, and
        in one that does not depend on how the source was read otherwise.
        """
        read = columns if weight is None else [*columns, weight]
        return self.total(
            read, partial(count_rows, columns=columns, weight=weight, of_pairs=of_pairs), merge
        )

    def whole(self, known: Known, n_ratings: int) -> Parts:
        """Give numbers to ratings one below the other, in parts of whole items.

        They are held if they are not too many, and else read again, some items at a time.
        """
        n_parts = max(-(-n_ratings // MOST_HELD), 1)

        def part(number: int) -> Part:
            code = partial(coded_in, known=known, number=number, n_parts=n_parts)
            return Part.of(self.total(known.columns, code, add_coded), known)

        if n_parts > 1:
            return Parts(lambda: map(part, range(n_parts)))
        held = [part(0)]
        return Parts(lambda: held)


def check_room(n_rows: int, columns: list[Label]) -> None:
    """Refuse more cells than a frame of all rows should have."""
    n_cells = n_rows * len(columns)
    if n_cells > LARGEST_FRAME:
        message = (
            f"This needs every row at once: {n_rows} rows of {len(columns)} columns are {n_cells} "
            f"cells; the limit is {LARGEST_FRAME}. Pass fewer raters, or a sample of the rows as "
            "a pandas frame."
        )
        raise TooLargeError(message)


@dataclass(frozen=True, repr=False, eq=False)
class SourceRatings(Ratings):
    """Ratings that are read from their source by each method, as far as it needs them.

    Attributes
    ----------
    source : Source
        Where the columns are read from.
    declared : list, dict or None
        The categories in order, or their scores, if there is an order.
    names : Names or None
        The columns of ratings one below the other.
    """

    source: Source
    declared: Categories | None = None
    names: Names | None = None
    _crowds: dict[tuple[Label, ...], Crowd] = field(default_factory=dict)

    def __str__(self) -> str:
        """Say where the ratings are."""
        return f"Ratings of {self.source}"

    def _call(self, method: Method, /, *args: Any, **kwargs: Any) -> Any:
        """Call a function for the counts of what it needs, or for all rows of these columns."""
        bound = method.bind(self, args, kwargs)
        bound.apply_defaults()
        given = bound.arguments
        if "categories" in given and given["categories"] is None:
            given["categories"] = self.declared
        if self.names is None:
            self._read(method, given)
        elif _needs_counts(method, given):
            given["data"] = self._crowd(method, given, self.names)
        else:
            read = self._gathered(given, self.names)
            return read._call(method, *args, **kwargs)  # noqa: SLF001 (its own kind)
        return method.function(*bound.args, **bound.kwargs)

    def _crowd(self, method: Method, given: dict[str, Any], names: Names) -> Crowd:
        """Count ratings one below the other, of which the labels are looked at once."""
        if method.function is agreement:
            given["coefficients"] = _without_light(given["coefficients"])
        header = pd.DataFrame(columns=pd.Index(self.source.columns, dtype=object))
        by = [] if given["by"] is None else columns_of_groups(header, given["by"])
        if tuple(by) not in self._crowds:
            columns = [*dict.fromkeys([*by, *names])]
            found = self.source.total(columns, partial(found_in, names=names, by=by), add_found)
            known, counts = known_of(found, names, by)
            self._crowds[tuple(by)] = Crowd(
                frame=known.labels,
                counts=counts.astype(np.float64),
                declared=self.declared,
                known=known,
                parts=self.source.whole(known, int(counts.sum())),
            )
        least = given.get("min_items", 0) if method.function is pairs else 0
        is_number = isinstance(least, int | float) and not isinstance(least, bool)
        return replace(self._crowds[tuple(by)], least=least if is_number else 0)

    def _gathered(self, given: dict[str, Any], names: Names) -> ListedRatings:
        """Read the ratings and the columns that some options name into memory."""
        known = pd.Index(self.source.columns, dtype=object, tupleize_cols=False)
        wanted = {*names}
        for option in ("by", "cluster", "sample_weight", "group_weights", "id", "columns"):
            found = given.get(option)
            if not isinstance(found, np.ndarray | pd.Series):
                wanted |= {name for name in labels_of(found, known) if name in known}
        data = self.source.gather(self._in_order(wanted)).reset_index(drop=True)
        return ListedRatings.of(data, **names._asdict(), categories=self.declared)

    def _read(self, method: Method, given: dict[str, Any]) -> None:
        """Count the rows that a function needs, or gather them."""
        items, raters = self._columns_of(method, given)
        declared = [] if given.get("categories") is None else raters
        weight = given.get("sample_weight")
        kind = given.get("weight_type")
        is_sampled = isinstance(kind, str) and kind == "probability"
        beside = {*items, *raters}  # where a weight is refused by the function, if not by itself
        if method.needs is not Needs.ROWS and weight not in beside and not is_sampled:
            columns = self._in_order({*items, *raters})
            of_pairs = raters if _needs_pairs(method, given) else None
            chunk = self.source.count(columns, weight=weight, of_pairs=of_pairs)
            if chunk.unit is not None and given.get("weight_type", "frequency") is None:
                check_fractional(chunk.unit, None)
            given["data"] = as_counted(chunk, weight, declared)
            given["sample_weight"] = None  # which the counts hold
        else:
            columns = self._in_order(beside if weight is None else {*beside, weight})
            given["data"] = self.source.gather(columns, declared=declared)

    def _in_order(self, names: set[Label]) -> list[Label]:
        """Return some of the columns in their order in the source."""
        return [name for name in self.source.columns if name in names]

    def _columns_of(self, method: Method, given: dict[str, Any]) -> tuple[list[Label], list[Label]]:
        """Find the columns that the arguments name: of the items but their weights, of raters."""
        names = pd.Index(self.source.columns, dtype=object, tupleize_cols=False)
        header = pd.DataFrame(columns=names)
        items = [] if given.get("by") is None else columns_of_groups(header, given["by"])
        if given.get("cluster") is not None:
            items.append(_named(header, "cluster", given["cluster"], "cluster"))
        if is_column(header, given.get("group_weights")):
            items.append(given["group_weights"])
        beside = [] if given.get("id") is None else [given["id"]]
        others: Any = given.get("columns")
        beside += list(others) if pd.api.types.is_list_like(others) else []
        check_columns(header, beside, "shown")
        weight = given.get("sample_weight")
        weights = [] if weight is None else [_named(header, "sample_weight", weight, "weight")]
        if "raters" in method.raters:
            others = [name for name in (*items, *weights) if name != given.get("group_weights")]
            raters = rater_names(header, given["raters"], others, 1, beside)
            return [*items, *beside], raters
        # What is left out names no rater, even where a column is called None.
        parameters = inspect.signature(method.function).parameters
        left_out = {name for name, one in parameters.items() if given.get(name) is one.default}
        named = [given[option] for option in method.raters if option not in left_out]
        mentioned = [labels_of(one, header.columns) for one in named]
        raters = list(dict.fromkeys(name for labels in mentioned for name in labels))
        check_columns(header, raters, "rater")
        return items, raters


def listed_in(source: Source, names: Names, declared: Categories | None) -> SourceRatings:
    """Check the columns of ratings one below the other."""
    header = pd.DataFrame(columns=pd.Index(source.columns, dtype=object))
    for role, name in names._asdict().items():
        check_columns(header, [name], role)
    check_distinct(list(names), "from_long", "column")
    if declared is not None:
        declared_set(declared)
    return SourceRatings(source, declared, names)


def _named(header: pd.DataFrame, option: str, value: Any, role: str) -> Label:
    """Return the column that an option about the items names, which cannot be an array."""
    if not pd.api.types.is_hashable(value):
        message = (
            f"{option} must name a column, got {type(value).__name__}: the rows are not in memory "
            "to be lined up with it. Add it to the data as a column."
        )
        raise OptionError(message)
    check_columns(header, [value], role)
    return value


def _needs_pairs(method: Method, given: dict[str, Any]) -> bool:
    """Whether a function needs nothing but counts of pairs of raters, given its options."""
    if method.needs is not Needs.PAIR_COUNTS or given["cluster"] is not None:
        return False
    return given["missing"] == "pairwise" and given["ci"] not in RESAMPLED


def labels_of(value: Any, known: pd.Index) -> list[Label]:
    """Return the columns that an argument names: one, a list of them, or of pairs, or a dict.

    What cannot name any is left to the function, which refuses it.
    """
    is_label = pd.api.types.is_hashable(value)
    if is_label and value in known:
        return [value]
    if value is None:
        return []
    if isinstance(value, dict):
        return [name for one in value.values() for name in labels_of(one, known)]
    if pd.api.types.is_list_like(value):
        return [name for one in value for name in labels_of(one, known)]
    return [value] if is_label else []


COUNTED = (agreement, pairs, pairwise, usage)
OF_ROWS = ("cluster", "sample_weight", "weight_type", "population", "sep")


class ListedRatings(Listed, Ratings):
    """Ratings one below the other, whose raters are no columns."""

    @classmethod
    def of(cls, data: Any, **options: Any) -> ListedRatings:
        """Read them from a frame, with the options of `read_long`."""
        return cls(**vars(read_long(data, **options)))

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


def _needs_counts(method: Method, given: dict[str, Any]) -> bool:
    """Whether a function needs nothing but counts, given its options."""
    if method.function not in COUNTED or any(given.get(name) is not None for name in OF_ROWS):
        return False
    if given.get("missing", "pairwise") != "pairwise" or given.get("vary", "items") != "items":
        return False
    named = given.get("coefficients")
    light = named == "light" or (isinstance(named, list | tuple) and "light" in named)
    return given.get("ci", "auto") not in RESAMPLED and not light


def _without_light(coefficients: Any) -> Any:
    """Leave out what needs every rating at once, unless the user named it."""
    if coefficients is not None:
        return coefficients
    warn(
        "'light' is left out: its standard error needs every rating at once. Name it in "
        "coefficients=[...] to have all ratings read into memory.",
        LeftOutWarning,
    )
    return [name for name in MULTIRATER if name != "light"]


NOBODY = "?"  # who is known to have given a label
FEWEST = 2  # columns of a frame of ratings
AS_EXPORTED = "Pass the export unchanged."


@dataclass(frozen=True)
class Record:
    """A record, or a part of one.

    Attributes
    ----------
    held : dict
        Its fields.
    place : str
        Where it is, for errors.
    """

    held: dict[str, Any]
    place: str

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
            sizes = ", ".join(f"{len(values)} in {name!r}" for name, values in lists.items())
            message = f"Lists of {self.place} differ in length: {sizes}. {AS_EXPORTED}"
            raise RatingsError(message)
        return zip(*lists.values(), strict=True)

    def wrong(self, name: str, what: str) -> RatingsError:
        """Build the error for a field that does not hold what it must."""
        got = f"got {shown(self.held[name])}" if name in self.held else "there is none"
        return RatingsError(f"{name!r} in {self.place} must be {what}, {got}. {AS_EXPORTED}")


FINISHED = ("", "success")


@dataclass
class End:
    """How a log ends, as far as it says so.

    Attributes
    ----------
    status : str
        What it says of itself; empty if nothing.
    n_announced : int
        How many records it should hold; 0 if unknown.
    n_failed : int
        How many of them ended in an error.
    """

    status: str = ""
    n_announced: int = 0
    n_failed: int = 0

    def check(self, path: Path, n_found: int) -> None:
        """Warn of a log that is not whole."""
        is_short = n_found < self.n_announced
        if self.status in FINISHED and not is_short and not self.n_failed:
            return
        of = f" of {self.n_announced} announced" if self.n_announced else ""
        parts = (
            "" if self.status in FINISHED else f"its status is {self.status!r}",
            f"it holds {n_found}{of} record(s)",
            f"{self.n_failed} of them failed" if self.n_failed else "",
        )
        message = (
            f"{path.name!r} is not the whole log: {', '.join(filter(None, parts))}. Run the "
            "evaluation to its end, or take the figures for a part of it."
        )
        warn(message, UnfinishedLogWarning)


@dataclass
class Annotations:
    """What was read from files of a tool.

    Attributes
    ----------
    source : str
        Names the files.
    names : tuple of str
        What the tool calls item, rater and label.
    rows : list of tuple
        Item, rater and the labels that one gave to the other.
    left_out : Counter
        How many annotations are left out, by the reason.
    beside : dict
        What stands beside the ratings of an item, by the name of the column and the item.
    """

    source: str
    names: tuple[str, str, str]
    rows: list[tuple[Any, Any, list[Any]]] = field(default_factory=list)
    left_out: Counter[str] = field(default_factory=Counter)
    beside: dict[str, dict[Any, Any]] = field(default_factory=lambda: defaultdict(dict))

    def add(self, record: Record, item: Any, rater: Any, labels: list[Any]) -> None:
        """Add an annotation if its labels are those of the whole item; an empty text is none."""
        labels = [label for label in labels if not is_blank(label)]
        if not labels:
            self.left_out["without a label"] += 1
        elif not all(isinstance(label, str | int | float) for label in labels):
            self.left_out["with labels of parts"] += 1
        else:
            for name, value, role in zip(
                self.names, (item, rater), ("item", "rater"), strict=False
            ):
                if is_blank(value) or not isinstance(value, str | int | float):
                    message = (
                        f"{record.place[:1].upper()}{record.place[1:]} names no {role} in "
                        f"{name!r}: {shown(value)}. Fill it in, or leave the label out."
                    )
                    raise RatingsError(message)
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
                f"{words.total()} label(s) in {self.source} are words for missing values: "
                f"{listing(sorted(words))}. Here they are labels, though in tables that pandas or "
                "scan reads they are not. If they are none, leave them out of the file."
            )
            warn(message, LookalikeLabelsWarning)

    @property
    def remark(self) -> str:
        """How many annotations are left out and why."""
        n_left_out = self.left_out.total()
        reasons = ", ".join(f"{times} {reason}" for reason, times in self.left_out.items())
        return (
            f"{n_left_out} of {len(self.rows) + n_left_out} annotation(s) in {self.source} are "
            f"left out: {reasons or 'none'}."
        )

    def frame(self) -> pd.DataFrame:
        """Return one row for each annotation; all are sets where one has several labels."""
        if not self.rows:
            message = f"There is no label of an item by a rater. {self.remark}"
            raise RatingsError(message)
        items, raters, labels = map(list, zip(*self.rows, strict=True))
        are_sets = any(len(set(given)) > 1 for given in labels)
        ratings = [LabelSet(given) if are_sets else given[0] for given in labels]
        columns = dict(zip(self.names, (items, raters, ratings), strict=True))
        others = {name: list(map(held.get, items)) for name, held in self.beside.items()}
        try:
            return pd.DataFrame(columns | others)
        except UnicodeEncodeError as error:  # of the strings of pandas 3
            raise no_text(error, self.source) from error

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
    is_table = ending(path) == ".csv"
    if is_table:
        frame = read_csv(path, ",", keep_default_na=False, na_values=[""])
        rows: list[Any] = frame.to_dict("records")
    else:
        rows = read_records(path)
    if not rows:
        below = " below the names of its columns" if is_table else ""
        message = f"{name} holds no record{below}. Export it when something is annotated."
        raise RatingsError(message)
    kind = "row" if is_table else "record"
    return [Record(row, f"{kind} {at} of {name}") for at, row in enumerate(rows, 1)]


def records_in(given: Any) -> list[Record]:
    """Check records that are no file."""
    if isinstance(given, pd.DataFrame):
        as_lists = given.map(lambda one: one.tolist() if isinstance(one, np.ndarray) else one)
        held: list[Any] = as_lists.to_dict("records")
        return [Record(row, f"row {at}") for at, row in enumerate(held, 1)]
    if isinstance(given, bytes | dict) or hasattr(given, "read") or not isinstance(given, Iterable):
        message = f"records must be a path or a list of dicts, got {shown(given)}."
        raise OptionError(message)
    found = []
    for at, record in enumerate(given, 1):
        if not isinstance(record, dict):
            message = f"Record {at} must be a dict of fields, got {shown(record)}. {AS_EXPORTED}"
            raise RatingsError(message)
        found.append(Record(record, f"record {at}"))
    return found


def no_text(error: UnicodeEncodeError, source: str) -> RatingTypeError:
    """Build the error for text with half of a pair of surrogates, which no file can hold."""
    return RatingTypeError(
        f"Text in {source} is not valid Unicode: {shown(error.object)}. Replace the characters "
        f"from "
        "\\ud800 to \\udfff in it."
    )


def is_blank(value: Any) -> bool:
    """Whether there is no value."""
    is_empty = isinstance(value, str) and value == ""
    is_nan = isinstance(value, float) and value != value  # noqa: PLR0124
    return value is None or value is pd.NA or is_empty or is_nan


def fields_of(records: list[Record]) -> list[str]:
    """Name the fields that occur in some record."""
    return list(dict.fromkeys(str(name) for record in records for name in record.held))


def check_known(name: Any, known: Iterable[str], what: str, source: str) -> None:
    """Make sure that a field is there."""
    names = list(known)
    if not isinstance(name, str) or name not in names:
        message = (
            f"No {what} {shown(name)} in {source}.{did_you_mean(name, names)} "
            f"There is {listing(names) or 'none'}."
        )
        raise ColumnNotFoundError(message)


def names_of(paths: Iterable[Path]) -> str:
    """Name files in a message."""
    return listing(path.name for path in paths)
