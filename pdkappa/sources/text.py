"""A path -> a file that can be read, or an error of ours that names it and says why not."""

from __future__ import annotations

import csv
import gzip
import json
import os
from contextlib import contextmanager
from io import BytesIO
from itertools import chain
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any, NamedTuple

import pandas as pd

from pdkappa.errors import (
    DuplicateRatingError,
    KappaError,
    OptionError,
    RatingsError,
    listing,
    shown,
)

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

TEXT = (".csv", ".tsv", ".txt", ".jsonl", ".ndjson", ".json")
FIRST_BYTES = 1 << 16
SEPARATORS = set(",;\t|")


def as_path(path: Any, option: str = "path") -> Path:
    """Refuse what names no file, such as an open one."""
    if isinstance(path, str | os.PathLike) and isinstance(os.fspath(path), str):
        return Path(path)
    message = (
        f"{option} must name a file, got {shown(path)} ({type(path).__name__}). "
        "Write what is not in a file yet to one."
    )
    raise OptionError(message)


def ending(path: Path) -> str:
    """Return what tells how a file is read; ``.gz`` says that text is compressed."""
    last, inner = path.suffix.lower(), Path(path.stem).suffix.lower()
    return inner if last == ".gz" and inner in TEXT else last


@contextmanager
def readable(path: Path) -> Iterator[None]:
    """Say of which file it is that a package cannot read something, whatever it raises.

    What the file system reports stays as it is, and so does a package that is not installed.
    """
    try:
        yield
    except (KappaError, ImportError, MemoryError):
        raise
    except Exception as error:  # packages let any error of their parsers through
        if isinstance(error, OSError) and error.errno is not None:
            raise
        what = " ".join(str(error).split()) or type(error).__name__
        how = ", text as UTF-8 with the names of the columns in its first row"
        message = (
            f"{path.name!r} cannot be read: {what.removesuffix('.')}. "
            f"Write it anew{how if ending(path) in TEXT else ''}."
        )
        raise RatingsError(message) from error


@contextmanager
def opened(path: Path) -> Iterator[IO[bytes]]:
    """Open a file of text, compressed or not."""
    with path.open("rb") as file:
        yield unpacked(path, file)


def unpacked(path: Path, file: IO[bytes]) -> Any:
    """Read what a file of text holds, compressed or not."""
    return gzip.GzipFile(fileobj=file) if path.suffix.lower() == ".gz" else file


class Header(NamedTuple):
    """The first row of a table.

    Attributes
    ----------
    names : list
        As pandas names the columns, those without a name too.
    unnamed : list
        Those that have no name, but for the first, which may be an index that pandas wrote.
    """

    names: list[Any]
    unnamed: list[Any]


def read_header(path: Path, separator: str) -> Header:
    """Read the names of the columns of a text, if each row has a field for each of them.

    Of rows that have more, pandas makes the first column an index, and shifts all others.
    """
    with readable(path):
        with opened(path) as file:
            start = file.read(FIRST_BYTES)
        if b"\0" in start:
            message = f"{path.name!r} is not UTF-8 text: it contains null bytes. Save it as UTF-8."
            raise RatingsError(message)
        source = BytesIO(start) if len(start) < FIRST_BYTES else path
        options: dict[str, Any] = {"sep": separator, "header": None, "dtype": str}
        uneven = None
        try:
            first = pd.read_csv(source, nrows=2, na_filter=False, **options)
        except pd.errors.ParserError as error:  # pandas says so of all rows below the first two
            first, uneven = pd.read_csv(path, nrows=1, na_filter=False, **options), error
        header = header_of(path, first.iloc[0].tolist())
        if len(header.names) == 1 and set(header.names[0]) & SEPARATORS:
            message = (
                f"{path.name!r} has a single column, {shown(header.names[0])}. Separate columns by "
                "commas in a .csv file, and by tabs in .tsv and .txt."
            )
            raise RatingsError(message)
        if uneven is not None:
            _check_fields(path, separator, header.names, uneven)
    return header


def header_of(path: Path, first: list[Any]) -> Header:
    """Refuse two columns of one name; number those that have none, as pandas does."""
    blank = [name == "" or bool(pd.isna(name)) for name in first]
    given = pd.Series([name for name, is_blank in zip(first, blank, strict=True) if not is_blank])
    twice = given[given.duplicated()].unique().tolist()
    if twice:
        message = (
            f"The first row of {path.name!r} names {listing(twice)} more than once. "
            "Give each column a name of its own."
        )
        raise DuplicateRatingError(message)
    names = [f"Unnamed: {at}" if blank[at] else name for at, name in enumerate(first)]
    return Header(names, [name for at, name in enumerate(names) if at and blank[at]])


def _check_fields(path: Path, separator: str, names: list[str], error: Exception) -> None:
    """Refuse rows of more fields than names, unless each one only ends in a separator."""
    line, row, is_ended = _first_row(path, separator, len(names))
    if len(row) <= len(names):
        raise error
    if not is_ended:
        message = (
            f"Line {line} of {path.name!r} has {len(row)} fields, but its first row names "
            f"{len(names)}: {listing(names)}. Name all columns, that of row names too, and quote "
            f"text that holds {separator!r}."
        )
        raise RatingsError(message) from None


def _first_row(path: Path, separator: str, n_names: int) -> tuple[int, list[str], bool]:
    """Return the first row of values, its line, and whether each row only ends in a separator."""
    with opened(path) as file:
        lines = (line.decode("utf-8-sig") for line in file)
        table = csv.reader(lines, delimiter=separator)
        rows = ((table.line_num, row) for row in table if row)
        next(rows)
        line, row = next(rows)
        every = chain([row], (further for _, further in rows))
        return line, row, all(len(one) == n_names + 1 and not one[-1] for one in every)


def named(frame: pd.DataFrame, header: Header, path: Path) -> pd.DataFrame:
    """Drop columns without a name, which must be empty, as after a separator that ends rows."""
    for name in header.unnamed:
        if frame[name].notna().any():
            message = (
                f"Column {header.names.index(name) + 1} of {path.name!r} has values and no name. "
                "Name it in the first row."
            )
            raise RatingsError(message)
    return frame.drop(columns=header.unnamed)


def read_csv(path: Path, separator: str, **options: Any) -> pd.DataFrame:
    """Read a text in columns whole."""
    header = read_header(path, separator)
    with readable(path):
        frame = pd.read_csv(path, sep=separator, index_col=False, low_memory=False, **options)
    return named(frame, header, path)


def json_lines(path: Path, file: Iterable[bytes]) -> Iterator[dict[str, Any]]:
    """Read one record in each line; a line ends nowhere but at the end of the line."""
    for number, line in enumerate(file, 1):
        text = line.decode("utf-8-sig" if number == 1 else "utf-8").strip()
        if text:
            yield _record(path, f"line {number}", _parsed(path, text, number))


def read_records(path: Path) -> list[dict[str, Any]]:
    """Read a JSON list of records, or one record in each line."""
    with readable(path), opened(path) as file:
        content = file.read()
        if not content.removeprefix(b"\xef\xbb\xbf").lstrip().startswith(b"["):
            return list(json_lines(path, content.split(b"\n")))
        records = _parsed(path, content.decode("utf-8-sig"), 1)
        return [_record(path, f"record {at}", one) for at, one in enumerate(records, 1)]


def read_document(path: Path) -> dict[str, Any]:
    """Read a file that is one JSON object."""
    with readable(path), opened(path) as file:
        text = file.read().decode("utf-8-sig")
        try:
            document = json.loads(text)
        except json.JSONDecodeError as error:
            message = (
                f"{path.name!r} is not JSON: {error.msg} in line {error.lineno}, column "
                f"{error.colno}. Pass the file as it was exported."
            )
            raise RatingsError(message) from error
        return _record(path, "line 1", document)


def _parsed(path: Path, text: str, line: int) -> Any:
    """Read JSON that begins in a line."""
    try:
        return json.loads(text)
    except json.JSONDecodeError as error:
        message = (
            f"{path.name!r} is neither a list in JSON nor JSON lines: {error.msg} in line "
            f"{line + error.lineno - 1}, column {error.colno}. Pass the file as it was exported."
        )
        raise RatingsError(message) from error


def _record(path: Path, place: str, record: Any) -> dict[str, Any]:
    """Refuse what has no fields."""
    if not isinstance(record, dict):
        message = (
            f"{path.name!r} must hold records, got {shown(record)} in {place}. "
            "Pass the file as it was exported."
        )
        raise RatingsError(message)
    return record
