"""One file of ratings -> its columns, and frames of some of its rows at a time."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import islice
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol

import pandas as pd
from pandas.api.types import infer_dtype

from pdkappa.errors import MissingDependencyError, OptionError
from pdkappa.sources.arrow import as_frame
from pdkappa.sources.text import (
    ending,
    json_lines,
    named,
    opened,
    read_header,
    readable,
    unpacked,
)

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from collections.abc import Set as AbstractSet
    from pathlib import Path

    import pyarrow as pa

    from pdkappa._typing import Label
    from pdkappa.sources.text import Header

UNKNOWN = "unknown"
KINDS = {"integer": "numbers", "floating": "numbers", "boolean": "booleans"}


class Look(NamedTuple):
    """What is known of a file before it is read.

    Attributes
    ----------
    kinds : dict
        Its columns in order, each with the kind of its values, if known.
    header : Header or None
        Its first row, of a text in columns.
    """

    kinds: dict[Label, str]
    header: Header | None = None


class Format(Protocol):
    """How a kind of file is read: in pieces, of which several may become one frame."""

    def look(self, path: Path) -> Look:
        """Return what is known of a file before it is read."""

    def n_rows(self, path: Path) -> int | None:
        """Return the number of rows of a file, where it says that."""

    def kinds_of(self, frame: pd.DataFrame) -> dict[Label, str]:
        """Return the kinds of the values of those columns of which the file does not say it."""

    def read(self, path: Path, wanted: Wanted) -> Iterator[tuple[Any, float]]:
        """Read what is wanted in pieces, with the share of the file that has been read by then."""

    def are_alike(self, piece: Any, other: Any) -> bool:
        """Whether two pieces of this format have columns of the same types."""

    def frame(self, pieces: list[Any]) -> pd.DataFrame:
        """Put pieces that are alike one below the other."""


class Wanted(NamedTuple):
    """What is to be read of a file.

    Attributes
    ----------
    columns : list of column labels
        The columns to read.
    n_rows : int
        The most rows at a time.
    text : set of column labels
        Columns to be read as text, where the file does not say what they are.
    header : Header or None
        The first row, of a text in columns, as it was looked at.
    """

    columns: list[Label]
    n_rows: int
    text: AbstractSet[Label]
    header: Header | None


class Frames:
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

    def n_rows(self, path: Path) -> int | None:  # noqa: ARG002
        """Say that nothing is known."""
        return None

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
            "dtype": dict.fromkeys(others.union(wanted.text), str),
            "compression": "gzip" if path.suffix.lower() == ".gz" else None,
            "index_col": False,
            "low_memory": False,
        }
        with (
            readable(path),
            path.open("rb") as file,
            pd.read_csv(file, sep=self.separator, chunksize=wanted.n_rows, **options) as frames,
        ):
            for frame in frames:
                yield named(frame, header, path)[wanted.columns], file.tell() / size


@dataclass(frozen=True)
class JsonLines(Frames):
    """A record in each line, which need not have all fields."""

    def look(self, path: Path) -> Look:
        """Return the fields of all records."""
        with readable(path), opened(path) as file:
            return Look({name: UNKNOWN for record in json_lines(path, file) for name in record})

    def n_rows(self, path: Path) -> int | None:  # noqa: ARG002
        """Say that nothing is known."""
        return None

    def kinds_of(self, frame: pd.DataFrame) -> dict[Label, str]:  # noqa: ARG002
        """Say nothing: each value says itself what it is."""
        return {}

    def read(self, path: Path, wanted: Wanted) -> Iterator[tuple[pd.DataFrame, float]]:
        """Read some fields of all records."""
        size, names = max(path.stat().st_size, 1), [str(name) for name in wanted.columns]
        with readable(path), path.open("rb") as file:
            records = json_lines(path, unpacked(path, file))
            while batch := list(islice(records, wanted.n_rows)):
                rows = [[record.get(name) for name in names] for record in batch]
                yield pd.DataFrame(rows, columns=wanted.columns), file.tell() / size


@dataclass(frozen=True)
class Arrow:
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
            n_rows: int = self._dataset(path).count_rows()
        return n_rows

    def kinds_of(self, frame: pd.DataFrame) -> dict[Label, str]:  # noqa: ARG002
        """Say nothing: the file did."""
        return {}

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
        try:
            from pyarrow import dataset
        except ImportError as error:
            message = (
                f"Reading {path.name!r} needs pyarrow, which is not installed. "
                "Run: pip install 'pdkappa[files]'"
            )
            raise MissingDependencyError(message) from error
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
        f"Cannot tell what {path.name!r} is. Use one of: {', '.join(known)}; text may be "
        "compressed, as .csv.gz."
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
