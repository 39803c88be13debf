"""One file, packed or not -> its columns, and some of its rows at a time."""

from __future__ import annotations

import csv
import json
import os
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import chain, islice
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol
from zipfile import ZipFile

import numpy as np
import pandas as pd
from pandas.api.types import infer_dtype

from pdkappa.errors import (
    DuplicateRatingError,
    KappaError,
    LeftOutWarning,
    OptionError,
    RatingsError,
    listing,
    needed_for,
    plural,
    shown,
    warn,
)
from pdkappa.ratings.columns import EXACT_IN_FLOAT, is_plain
from pdkappa.sources.unpacking import Archive, check_members, opened

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from collections.abc import Set as AbstractSet

    import pyarrow as pa

    from pdkappa._typing import FloatArray, Label

TEXT = (".csv", ".tsv", ".txt", ".jsonl", ".ndjson", ".json")
FIRST_BYTES = 1 << 16
SEPARATORS = set(",;\t|")
MISSING_WORDS = {  # of pandas, in text; the empty one in JSON, too
    *("#N/A", "#N/A N/A", "#NA", "-1.#IND", "-1.#QNAN", "-NaN", "-nan", "1.#IND", "1.#QNAN"),
    *("<NA>", "N/A", "NA", "NULL", "NaN", "None", "n/a", "nan", "null"),
}


def as_path(path: Any, option: str = "path") -> Path:
    """Refuse what names no file, such as an open one."""
    if isinstance(path, str | os.PathLike) and isinstance(os.fspath(path), str):
        return Path(path)
    raise OptionError(
        f"{option} must name a file, got {shown(path)} ({type(path).__name__}). "
        "Write what is not in a file yet to one."
    )


def ending(path: Path) -> str:
    """Return what tells how a file is read; ``.gz`` says that text is compressed."""
    last, inner = path.suffix.lower(), Path(path.stem).suffix.lower()
    return inner if last == ".gz" and inner in TEXT else last


@contextmanager
def readable(path: Path) -> Iterator[None]:
    """Say of which file it is that a package cannot read something, whatever it raises.

    What the file system reports stays as it is, and so does a package that is not installed. A pipe
    would wait for ever when it is opened for the second time.
    """
    if path.is_fifo():
        raise RatingsError(
            f"{shown(path.name)} is a pipe, which is read only once. Save it as a file."
        )
    try:
        yield
    except (KappaError, ImportError, MemoryError):
        raise
    except Exception as error:  # packages let any error of their parsers through
        if isinstance(error, OSError) and error.errno is not None:
            raise
        what = " ".join(str(error).split()) or type(error).__name__
        how = ", text as UTF-8 with the names of the columns in its first row"
        raise RatingsError(
            f"{shown(path.name)} cannot be read: {what.removesuffix('.')}. "
            f"Write it anew{how if ending(path) in TEXT else ''}."
        ) from error


class Header(NamedTuple):
    """The first row of a table."""

    names: list[Any]  # as pandas names the columns, those without a name too
    # Those that have no name, but for the first, which may be an index that pandas wrote.
    unnamed: list[Any]

    @property
    def given(self) -> list[Any]:
        """Those that the row has."""
        return [name for at, name in enumerate(self.names) if name != f"Unnamed: {at}"]


def read_header(path: Path, separator: str) -> Header:
    """Read the names of the columns of a text, if each row has a field for each of them.

    Of rows that have more, pandas makes the first column an index, and shifts all others.
    """
    with readable(path):
        with opened(path, separator) as file:
            start = file.read(FIRST_BYTES)
        if b"\0" in start:
            raise RatingsError(
                f"{shown(path.name)} is not UTF-8 text: it contains null bytes. Save it as UTF-8."
            )
        uneven = None
        try:
            first = _first_rows(path, separator, 2)
        except pd.errors.ParserError as error:  # pandas says so of all rows below the first two
            first, uneven = _first_rows(path, separator, 1), error
        header = header_of(path, first.iloc[0].tolist())
        if len(header.names) == 1 and set(header.names[0]) & SEPARATORS:
            raise RatingsError(
                f"{shown(path.name)} has a single column, {shown(header.names[0])}. Separate "
                "columns by commas in a .csv file, and by tabs in .tsv and .txt."
            )
        if uneven is not None:
            _check_fields(path, separator, header.names, uneven)
    return header


def _first_rows(path: Path, separator: str, n_rows: int) -> pd.DataFrame:
    """Read the first rows of a text in columns, with that of the names, as they stand."""
    options: dict[str, Any] = {"header": None, "dtype": str, "na_filter": False}
    with opened(path, separator) as file:
        return pd.read_csv(file, sep=separator, nrows=n_rows, **options)


def header_of(path: Path, first: list[Any]) -> Header:
    """Refuse two columns of one name; number those that have none, as pandas does."""
    blank = [name == "" or bool(pd.isna(name)) for name in first]
    given = pd.Series([name for name, is_blank in zip(first, blank, strict=True) if not is_blank])
    twice = given[given.duplicated()].unique().tolist()
    if twice:
        raise DuplicateRatingError(
            f"The first row of {shown(path.name)} names {listing(twice)} more than once. "
            "Give each column a name of its own."
        )
    names = [f"Unnamed: {at}" if blank[at] else name for at, name in enumerate(first)]
    return Header(names, [name for at, name in enumerate(names) if at and blank[at]])


def _check_fields(path: Path, separator: str, names: list[str], error: Exception) -> None:
    """Refuse rows of more fields than names, unless each one only ends in a separator."""
    line, row, is_ended = _first_row(path, separator, len(names))
    if len(row) <= len(names):
        raise error
    if not is_ended:
        raise RatingsError(
            f"Line {line} of {shown(path.name)} has {len(row)} fields, but its first row names "
            f"{len(names)}: {listing(names)}. Name all columns, that of row names too, and quote "
            f"text that holds {shown(separator)}."
        ) from None


def _rows(path: Path, separator: str) -> Iterator[tuple[int, list[str]]]:
    """Return the rows below the first one as text, each with the line in which it ends."""
    with opened(path) as file:
        lines = (line.decode("utf-8-sig") for line in file)
        table = csv.reader(lines, delimiter=separator)
        yield from islice(((table.line_num, row) for row in table if row), 1, None)


def _first_row(path: Path, separator: str, n_names: int) -> tuple[int, list[str], bool]:
    """Return the first row of values, its line, and whether each row only ends in a separator."""
    rows = _rows(path, separator)
    line, row = next(rows)
    every = chain([row], (further for _, further in rows))
    return line, row, all(len(one) == n_names + 1 and not one[-1] for one in every)


def _check_repeated(frame: pd.DataFrame, header: Header, path: Path, separator: str) -> None:
    """Refuse a row of the names of the columns, unless these are labels of other rows, too."""
    names = header.given
    texts = frame[names].select_dtypes(["object", "string"])
    if texts.empty or not (texts.iloc[:, 0] == texts.columns[0]).any():
        return
    again = texts == texts.columns
    rows = again.all(axis=1)
    if not rows.any() or again[~rows].to_numpy().any():
        return
    row, place = frame.loc[rows, names].iloc[0], f"Row {int(rows.argmax()) + 2}"
    if any(_plain(x) != _plain(name) for name, x in row.items()):
        return
    if separator:  # the frame may be a part of the file
        line = _repeating(path, separator, header, {*texts.columns})
        if line is None:
            return
        place = f"Line {line}"
    raise RatingsError(
        f"{place} of {shown(path.name)} repeats the names of the columns, as where files were "
        "joined. Leave it out, or rename the columns if these are ratings."
    )


def _repeating(path: Path, separator: str, header: Header, texts: set[Any]) -> int | None:
    """Find the first line that repeats the names; none if some name is a text of other rows."""
    first = None
    for line, row in _rows(path, separator):
        both = zip(header.names, row, strict=False)
        same = {name for name, x in both if _plain(name) == _plain(x)}
        if same.issuperset(header.given):
            first = first or line
        elif not texts.isdisjoint(same):
            return None
    return first


def _plain(value: object) -> str:
    """Write a name, or a number that may have become a fraction beside missing ones."""
    return str(value).removesuffix(".0")


def warn_of_sheets(path: Path, sheet: Any, others: list[Any]) -> None:
    """Warn of sheets of a workbook that are not read, though they have the columns of the first."""
    names = [next(one.iter_rows(max_row=1, values_only=True), ()) for one in (sheet, *others)]
    same = [one.title for one, own in zip(others, names[1:], strict=True) if own == names[0]]
    if same:
        message = (
            f"Only the first sheet of {shown(path.name)}, {shown(sheet.title)}, is read: "
            f"{listing(same)} {plural(len(same), 'has', 'have')} the same columns. Put all ratings "
            "on one sheet."
        )
        warn(message, LeftOutWarning)


def named(frame: pd.DataFrame, header: Header, path: Path, separator: str = "") -> pd.DataFrame:
    """Drop columns without a name, which must be empty, as after a separator that ends rows.

    Values have no separator in a workbook.
    """
    _check_repeated(frame, header, path, separator)
    for name in header.unnamed:
        if frame[name].notna().any():
            raise RatingsError(
                f"Column {header.names.index(name) + 1} of {shown(path.name)} has values and no "
                "name. Name it in the first row."
            )
    return frame.drop(columns=header.unnamed) if header.unnamed else frame


def with_missing(frame: pd.DataFrame) -> pd.DataFrame:
    """Take words for missing values that pandas leaves beside numbers of 2**63 and more."""
    changed: dict[str, Any] = {}
    for name, column in frame.select_dtypes(["object", "string"]).items():
        first = column.iloc[0] if len(column) else None
        if isinstance(first, str) and (first in MISSING_WORDS or first.isdecimal() or not first):
            changed[str(name)] = column.mask(column.isin(["", *MISSING_WORDS]))
    return frame.assign(**changed) if changed else frame


def read_csv(path: Path, separator: str, **options: Any) -> pd.DataFrame:
    """Read a text in columns whole."""
    header = read_header(path, separator)
    with readable(path), opened(path, separator) as file:
        frame = pd.read_csv(file, sep=separator, index_col=False, low_memory=False, **options)
    frame = named(frame, header, path, separator)
    return frame if options else with_missing(frame)


def json_lines(path: Path, file: Iterable[bytes]) -> Iterator[dict[str, Any]]:
    """Read one record in each line; a line ends nowhere but at the end of the line."""
    decoder = _decoder(path)
    for number, line in enumerate(file, 1):
        text = line.decode("utf-8-sig" if number == 1 else "utf-8").strip()
        if text:
            yield _record(path, f"line {number}", _parsed(path, decoder, text, number))


def frame_of(records: list[dict[str, Any]], names: list[str]) -> pd.DataFrame:
    """Make columns of fields; an empty text is missing, as in tables.

    Large whole numbers beside missing ones stay objects, as they would lose digits.
    """
    rows = [[None if (one := row.get(name)) == "" else one for name in names] for row in records]
    held = pd.DataFrame(rows, columns=names, dtype=object)
    found = held.infer_objects()
    floats = found.select_dtypes("float").abs().max()
    large = floats.index[floats >= EXACT_IN_FLOAT]
    return found.assign(**{name: held[name] for name in large})


def read_records(path: Path) -> list[dict[str, Any]]:
    """Read a JSON list of records, or one record in each line."""
    with readable(path), opened(path) as file:
        is_document = ending(path) == ".json"  # whose lines may be of any length
        content = file.read() if is_document else file.readline()
        if not content.removeprefix(b"\xef\xbb\xbf").lstrip().startswith(b"["):
            lines = content.split(b"\n") if is_document else chain([content], file)
            return list(json_lines(path, lines))
        text = (content + file.read()).decode("utf-8-sig")
        records = _parsed(path, _decoder(path), text, 1)
        return [_record(path, f"record {at}", one) for at, one in enumerate(records, 1)]


def read_document(path: Path) -> dict[str, Any]:
    """Read a file that is one JSON object."""
    with readable(path), opened(path) as file:
        text = file.read().decode("utf-8-sig")
        try:
            document = _decoder(path).decode(text)
        except json.JSONDecodeError as error:
            raise RatingsError(
                f"{shown(path.name)} is not JSON: {error.msg} in line {error.lineno}, column "
                f"{error.colno}. Pass the file as it was exported."
            ) from error
        return _record(path, "line 1", document)


class Twice(dict[str, Any]):
    """A record that holds fields more than once, and refuses to say what these hold."""

    def __init__(self, record: dict[str, Any], twice: list[str], file: str) -> None:
        """Remember which."""
        super().__init__(record)
        self.twice, self.file = twice, file

    def __getitem__(self, name: str) -> Any:
        """Return what a field holds that is there once."""
        if name in self.twice:
            raise self.error("A record")
        return super().__getitem__(name)

    def get(self, name: str, default: Any = None) -> Any:
        """Return what a field holds that is there once, or not at all."""
        return super().get(name, default) if name not in self.twice else self[name]

    def items(self) -> Any:
        """Refuse to list what fields hold."""
        raise self.error("A record")

    values = items

    def error(self, place: str) -> DuplicateRatingError:
        """Build the error for fields of which the last ones would count."""
        return DuplicateRatingError(
            f"{place} of {shown(self.file)} holds the field {listing(self.twice)} more than once. "
            "Give each field a name of its own."
        )


def _decoder(path: Path) -> json.JSONDecoder:
    """Make what reads JSON of a file."""

    def fields(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        record = dict(pairs)
        if len(record) == len(pairs):
            return record
        names = [name for name, _ in pairs]
        return Twice(record, [name for name in record if names.count(name) > 1], path.name)

    return json.JSONDecoder(object_pairs_hook=fields)


def _parsed(path: Path, decoder: json.JSONDecoder, text: str, line: int) -> Any:
    """Read JSON that begins in a line."""
    try:
        return decoder.decode(text)
    except json.JSONDecodeError as error:
        raise RatingsError(
            f"{shown(path.name)} is neither a list in JSON nor JSON lines: {error.msg} in line "
            f"{line + error.lineno - 1}, column {error.colno}. Pass the file as it was exported."
        ) from error


def _record(path: Path, place: str, record: Any) -> dict[str, Any]:
    """Refuse what has no fields, or one of them twice; what it holds is not looked at."""
    if not isinstance(record, dict):
        raise RatingsError(
            f"{shown(path.name)} must hold records, got {shown(record)} in {place}. "
            "Pass the file as it was exported."
        )
    if isinstance(record, Twice):
        raise record.error(f"{place[:1].upper()}{place[1:]}")
    return record


@contextmanager
def archived(path: Path) -> Iterator[Archive]:
    """Open an archive."""
    with readable(path), ZipFile(path) as file:
        check_members(path, file)
        yield Archive(path, file, {member.filename: member for member in file.infolist()})


def document_in(archive: Archive, name: str) -> dict[str, Any]:
    """Return the JSON object that a member of an archive holds."""
    text = archive.content(name).decode("utf-8-sig")
    return _record(archive.path, name, _decoder(archive.path).decode(text))


MASKED = ("Int8", "Int16", "Int32", "Int64", "UInt8", "UInt16", "UInt32", "UInt64")


def as_frame(table: pa.Table) -> pd.DataFrame:
    """Turn a table into a frame; integers beside missing values are masked arrays."""
    import pyarrow as pa

    masked = {getattr(pa, name.lower())(): pd.api.types.pandas_dtype(name) for name in MASKED}
    for place, field in enumerate(table.schema):
        if pa.types.is_dictionary(field.type):  # whose codes may be unsigned
            plain = pa.dictionary(pa.int32(), field.type.value_type, ordered=field.type.ordered)
            table = table.set_column(place, field.name, table.column(place).cast(plain))
    frame: pd.DataFrame = table.to_pandas(types_mapper=masked.get).reset_index(drop=True)
    wanted = table.slice(0, 0).to_pandas().dtypes
    changed: dict[str, Any] = {
        name: frame[name].to_numpy(dtype)
        for name, dtype in wanted.items()
        if isinstance(dtype, np.dtype) and dtype.kind in "iu" and not frame[name].hasnans
    }
    return frame.assign(**changed)


def as_floats(frame: pd.DataFrame, kept: AbstractSet[Label]) -> pd.DataFrame:
    """Turn integers beside missing values into floats, as pandas does, unless digits are lost.

    They are masked arrays in the frame; `kept` columns are so in the file already.
    """
    changed: dict[str, FloatArray] = {}
    for name, column in frame.items():
        if name in kept or is_plain(column) or column.dtype.kind not in "iuf":
            continue
        largest = column.abs().max()
        if column.dtype.kind == "f" or largest is pd.NA or largest <= EXACT_IN_FLOAT:
            changed[str(name)] = column.to_numpy(dtype=np.float64, na_value=np.nan)
    return frame.assign(**changed)


UNKNOWN = "unknown"
KINDS = {"integer": "numbers", "floating": "numbers", "boolean": "booleans"}


class Look(NamedTuple):
    """What is known of a file before it is read."""

    kinds: dict[Label, str]  # its columns in order, each with the kind of its values, if known
    header: Header | None = None  # its first row, of a text in columns


class Format(Protocol):
    """How a kind of file is read: in pieces, of which several may become one frame."""

    def look(self, path: Path) -> Look:
        """Return what is known of a file before it is read."""

    def n_rows(self, path: Path) -> int | None:  # noqa: ARG002
        """Return the number of rows of a file, where it says that."""
        return None

    def kinds_of(self, frame: pd.DataFrame) -> dict[Label, str]:  # noqa: ARG002
        """Return the kinds of the values of those columns of which the file does not say it."""
        return {}

    def read(self, path: Path, wanted: Wanted) -> Iterator[tuple[Any, float]]:
        """Read what is wanted in pieces, with the share of the file that has been read by then."""

    def are_alike(self, piece: Any, other: Any) -> bool:
        """Whether two pieces of this format have columns of the same types."""

    def frame(self, pieces: list[Any]) -> pd.DataFrame:
        """Put pieces that are alike one below the other."""


class Wanted(NamedTuple):
    """What is to be read of a file."""

    columns: list[Label]  # the columns to read
    n_rows: int  # the most rows at a time
    # Columns to be read as text, where the file does not say what they are.
    text: AbstractSet[Label]
    header: Header | None  # the first row, of a text in columns, as it was looked at


class Frames(Format):
    """Pieces that are frames."""

    def are_alike(self, piece: pd.DataFrame, other: pd.DataFrame) -> bool:
        """Whether two pieces of this format have columns of the same types."""
        return piece.dtypes.tolist() == other.dtypes.tolist()

    def frame(self, pieces: list[pd.DataFrame]) -> pd.DataFrame:
        """Put pieces that are alike one below the other."""
        return pieces[0] if len(pieces) == 1 else pd.concat(pieces, ignore_index=True)


@dataclass(frozen=True)
class Csv(Frames):
    """Text in columns, with their names in the first row."""

    separator: str

    def look(self, path: Path) -> Look:
        """Return the names; what they hold is not known before it is read."""
        header = read_header(path, self.separator)
        kinds = {name: UNKNOWN for name in header.names if name not in header.unnamed}
        return Look(kinds, header)

    def kinds_of(self, frame: pd.DataFrame) -> dict[Label, str]:
        """Tell numbers from text and booleans, as pandas read them."""
        return {
            name: KINDS.get(infer_dtype(values, skipna=True), "text")
            for name, values in frame.items()
            if not values.isna().all()
        }

    def read(self, path: Path, wanted: Wanted) -> Iterator[tuple[pd.DataFrame, float]]:
        """Read some columns as pandas does.

        The others are parsed, too: pandas cuts a row of too many fields if it may skip columns.
        """
        size = max(path.stat().st_size, 1)
        header = read_header(path, self.separator) if wanted.header is None else wanted.header
        others = set(header.names).difference(wanted.columns)
        options: dict[str, Any] = {
            "dtype": dict.fromkeys(others, object) | dict.fromkeys(wanted.text, str),
            "index_col": False,
            "low_memory": False,
        }
        with (
            readable(path),
            opened(path, self.separator) as file,
            pd.read_csv(file, sep=self.separator, chunksize=wanted.n_rows, **options) as frames,
        ):
            for frame in frames:
                kept = with_missing(named(frame, header, path, self.separator)[wanted.columns])
                yield kept, file.packed.tell() / size


@dataclass(frozen=True)
class JsonLines(Frames):
    """A record in each line, which need not have all fields."""

    def look(self, path: Path) -> Look:
        """Return the fields of all records."""
        with readable(path), opened(path) as file:
            return Look({name: UNKNOWN for record in json_lines(path, file) for name in record})

    def read(self, path: Path, wanted: Wanted) -> Iterator[tuple[pd.DataFrame, float]]:
        """Read some fields of all records."""
        size, names = max(path.stat().st_size, 1), [str(name) for name in wanted.columns]
        with readable(path), opened(path) as file:
            records = json_lines(path, file)
            while batch := list(islice(records, wanted.n_rows)):
                yield frame_of(batch, names), file.packed.tell() / size


@dataclass(frozen=True)
class Arrow(Format):
    """Columns with their types, as pyarrow reads them."""

    name: str

    def look(self, path: Path) -> Look:
        """Return the columns but those of the index, each with the kind of its type."""
        with readable(path):
            schema = self._dataset(path).schema
            index = (schema.pandas_metadata or {}).get("index_columns", [])
            return Look({x.name: _kind(x.type) for x in schema if x.name not in index})

    def n_rows(self, path: Path) -> int:
        """Return the number of rows."""
        with readable(path):
            return self._dataset(path).count_rows()

    def read(self, path: Path, wanted: Wanted) -> Iterator[tuple[pa.Table, float]]:
        """Read some columns, first of no row at all."""
        import pyarrow as pa

        with readable(path):
            dataset = self._dataset(path)
            size, done = dataset.count_rows(), 0
            yield dataset.schema.empty_table().select(wanted.columns), 0.0
            batches = dataset.to_batches(
                columns=wanted.columns,
                batch_size=wanted.n_rows,
                batch_readahead=0,
                fragment_readahead=0,
                use_threads=False,
            )
            for batch in batches:
                done += batch.num_rows
                yield pa.Table.from_batches([batch]), done / max(size, 1)

    def are_alike(self, piece: pa.Table, other: pa.Table) -> bool:
        """Whether two pieces have one schema, and no column brings categories of its own."""
        from pyarrow import types

        is_coded = any(types.is_dictionary(dtype) for dtype in piece.schema.types)
        return not is_coded and piece.schema.equals(other.schema, check_metadata=True)

    def frame(self, pieces: list[pa.Table]) -> pd.DataFrame:
        """Put pieces that are alike one below the other."""
        import pyarrow as pa

        return as_frame(pieces[0] if len(pieces) == 1 else pa.concat_tables(pieces))

    def _dataset(self, path: Path) -> Any:
        """Open the file."""
        with needed_for(f"Reading {shown(path.name)}", "pyarrow", "'pdkappa[files]'"):
            from pyarrow import dataset
        return dataset.dataset(path, format=self.name)


FORMATS: dict[str, Format] = {
    ".parquet": Arrow("parquet"),
    ".feather": Arrow("ipc"),
    ".arrow": Arrow("ipc"),
    ".csv": Csv(","),
    ".tsv": Csv("\t"),
    ".txt": Csv("\t"),
    ".jsonl": JsonLines(),
    ".ndjson": JsonLines(),
}


def format_of(path: Path) -> Format:
    """Tell by its name how a file is read."""
    if ending(path) not in FORMATS:
        raise unknown_ending(path, FORMATS)
    return FORMATS[ending(path)]


def unknown_ending(path: Path, known: Iterable[str]) -> OptionError:
    """Build the error for a file of which the name does not say how it is read."""
    return OptionError(
        f"Cannot tell what {shown(path.name or str(path))} is. Use one of: {', '.join(known)}; "
        "text may be compressed, as .csv.gz."
    )


def _kind(dtype: pa.DataType) -> str:
    """Name what can stand in one column with what."""
    from pyarrow import types

    kinds = {
        "numbers": (types.is_integer, types.is_floating, types.is_decimal),
        "text": (types.is_string, types.is_large_string),
        "a Categorical": (types.is_dictionary,),
        UNKNOWN: (types.is_null,),
    }
    return next((kind for kind, tests in kinds.items() if any(t(dtype) for t in tests)), str(dtype))
