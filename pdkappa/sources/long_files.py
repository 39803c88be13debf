"""Files with one rating in each row that need not fit in memory -> `Ratings`: `scan_long`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pandas as pd

from pdkappa.errors import ColumnNotFoundError, RatingsError, listing, shown
from pdkappa.methods.estimates.options import gate
from pdkappa.ratings.crowds import Names
from pdkappa.sources.crowds import CrowdRatings
from pdkappa.sources.duck import DuckTable, connected
from pdkappa.sources.files import files_of
from pdkappa.sources.formats import unknown_ending
from pdkappa.sources.ratings import with_methods
from pdkappa.sources.text import ending, readable

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

    from pdkappa._typing import Categories, Label, PathLike
    from pdkappa.accessor import Ratings

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
