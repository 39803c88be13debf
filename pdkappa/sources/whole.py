"""A file of ratings that fits in memory -> one frame."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

import pandas as pd

from pdkappa.errors import MissingDependencyError
from pdkappa.sources.formats import unknown_ending
from pdkappa.sources.text import ending, header_of, named, read_csv, read_records, readable

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

NEEDED_FOR = {".parquet": "pyarrow", ".xlsx": "openpyxl"}


def read_whole(path: Path) -> pd.DataFrame:
    """Read a file of ratings by its ending.

    Text such as "NA" and "nan" is taken for a missing rating, as pandas does, and the row
    numbers that pandas and R write are left out.
    """
    kind = ending(path)
    if kind not in READERS:
        raise unknown_ending(path, READERS)
    try:
        with readable(path):
            data = READERS[kind](path)
    except ImportError as error:
        package = NEEDED_FOR.get(kind, "another package")
        message = f"Reading {path.name!r} needs {package}. Run: pip install 'pdkappa[all]'"
        raise MissingDependencyError(message) from error
    return data.drop(columns=[name for name in data.columns[:1] if _is_saved_index(data[name])])


def _is_saved_index(column: pd.Series) -> bool:
    """Whether a column is the row number that pandas, or R, writes without a name."""
    counted = [[*range(first, first + len(column))] for first in (0, 1)]
    return str(column.name) == "Unnamed: 0" and column.tolist() in counted


def _read_excel(path: Path) -> pd.DataFrame:
    """Read the first sheet of a workbook."""
    with pd.ExcelFile(path, engine="openpyxl") as book:
        first = pd.read_excel(book, header=None, nrows=1)
        header = header_of(path, first.iloc[0].tolist() if len(first) else [])
        return named(pd.read_excel(book), header, path)


def _read_parquet(path: Path) -> pd.DataFrame:
    """Read a file or a folder of Parquet."""
    return pd.read_parquet(path)


def _read_json(path: Path) -> pd.DataFrame:
    """Read records, which need not have all fields."""
    return pd.DataFrame(read_records(path))


READERS: dict[str, Callable[[Path], pd.DataFrame]] = {
    ".csv": partial(read_csv, separator=","),
    ".tsv": partial(read_csv, separator="\t"),
    ".txt": partial(read_csv, separator="\t"),
    ".parquet": _read_parquet,
    ".xlsx": _read_excel,
    ".jsonl": _read_json,
    ".ndjson": _read_json,
    ".json": _read_json,
}
