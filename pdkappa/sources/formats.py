"""One file of ratings -> its columns, and frames of some of its rows at a time."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import islice
from typing import TYPE_CHECKING, Any, Protocol

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

UNKNOWN = "unknown"
KINDS = {"integer": "numbers", "floating": "numbers", "boolean": "booleans"}


class Format(Protocol):
    """How a kind of file is read."""

    def kinds(self, path: Path) -> dict[Label, str]:
        """Return the columns of a file in order, each with the kind of its values, if known."""

    def n_rows(self, path: Path) -> int | None:
        """Return the number of rows of a file, where it says that."""

    def kinds_of(self, frame: pd.DataFrame) -> dict[Label, str]:
        """Return the kinds of the values of those columns of which the file does not say it."""

    def read(
        self, path: Path, columns: list[Label], n_rows: int, text: AbstractSet[Label]
    ) -> Iterator[tuple[pd.DataFrame, float]]:
        """Read some columns, with the share of the file that has been read by then.

        Parameters
        ----------
        path : Path
            The file.
        columns : list of column labels
            The columns to read.
        n_rows : int
            The most rows at a time.
        text : set of column labels
            Columns to be read as text, where the file does not say what they are.
        """


@dataclass(frozen=True)
class Csv:
    """Text in columns, with their names in the first row."""

    separator: str

    def kinds(self, path: Path) -> dict[Label, str]:
        """Return the names; what they hold is not known before it is read."""
        header = read_header(path, self.separator)
        return {name: UNKNOWN for name in header.names if name not in header.unnamed}

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

    def read(
        self, path: Path, columns: list[Label], n_rows: int, text: AbstractSet[Label]
    ) -> Iterator[tuple[pd.DataFrame, float]]:
        """Read some columns as pandas does.

        The others are parsed, too: pandas cuts a row of too many fields if it may skip columns.
        """
        size = max(path.stat().st_size, 1)
        header = read_header(path, self.separator)
        others = set(header.names).difference(columns)
        options: dict[str, Any] = {
            "dtype": dict.fromkeys(others.union(text), str),
            "compression": "gzip" if path.suffix.lower() == ".gz" else None,
            "index_col": False,
            "low_memory": False,
        }
        with (
            readable(path),
            path.open("rb") as file,
            pd.read_csv(file, sep=self.separator, chunksize=n_rows, **options) as frames,
        ):
            for frame in frames:
                yield named(frame, header, path)[columns], file.tell() / size


@dataclass(frozen=True)
class JsonLines:
    """A record in each line, which need not have all fields."""

    def kinds(self, path: Path) -> dict[Label, str]:
        """Return the fields of all records."""
        with readable(path), opened(path) as file:
            return {name: UNKNOWN for record in json_lines(path, file) for name in record}

    def n_rows(self, path: Path) -> int | None:  # noqa: ARG002
        """Say that nothing is known."""
        return None

    def kinds_of(self, frame: pd.DataFrame) -> dict[Label, str]:  # noqa: ARG002
        """Say nothing: each value says itself what it is."""
        return {}

    def read(
        self,
        path: Path,
        columns: list[Label],
        n_rows: int,
        text: AbstractSet[Label],  # noqa: ARG002
    ) -> Iterator[tuple[pd.DataFrame, float]]:
        """Read some fields of all records."""
        size, names = max(path.stat().st_size, 1), [str(name) for name in columns]
        with readable(path), path.open("rb") as file:
            records = json_lines(path, unpacked(path, file))
            while batch := list(islice(records, n_rows)):
                rows = [[record.get(name) for name in names] for record in batch]
                yield pd.DataFrame(rows, columns=columns), file.tell() / size


@dataclass(frozen=True)
class Arrow:
    """Columns with their types, as pyarrow reads them."""

    name: str

    def kinds(self, path: Path) -> dict[Label, str]:
        """Return the columns but those of the index, each with the kind of its type."""
        with readable(path):
            schema = self._dataset(path).schema
            index = (schema.pandas_metadata or {}).get("index_columns", [])
            return {field.name: _kind(field.type) for field in schema if field.name not in index}

    def n_rows(self, path: Path) -> int:
        """Return the number of rows."""
        with readable(path):
            n_rows: int = self._dataset(path).count_rows()
        return n_rows

    def kinds_of(self, frame: pd.DataFrame) -> dict[Label, str]:  # noqa: ARG002
        """Say nothing: the file did."""
        return {}

    def read(
        self,
        path: Path,
        columns: list[Label],
        n_rows: int,
        text: AbstractSet[Label],  # noqa: ARG002
    ) -> Iterator[tuple[pd.DataFrame, float]]:
        """Read some columns, first of no row at all."""
        import pyarrow as pa

        with readable(path):
            dataset = self._dataset(path)
            size, done = dataset.count_rows(), 0
            empty = dataset.schema.empty_table().select(columns)
            yield as_frame(empty), 0.0
            batches = dataset.to_batches(
                columns=columns,
                batch_size=n_rows,
                batch_readahead=0,
                fragment_readahead=0,
                use_threads=False,
            )
            for batch in batches:
                done += batch.num_rows
                yield as_frame(pa.Table.from_batches([batch])), done / max(size, 1)

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
