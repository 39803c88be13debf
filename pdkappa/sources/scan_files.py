"""Files of ratings, one below the other, that need not fit in memory -> `Ratings`: `scan`."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass, field, replace
from functools import partial
from io import IOBase
from itertools import zip_longest
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple, TypeVar
from zipfile import ZipFile, is_zipfile

import pandas as pd

from pdkappa.errors import (
    ColumnNotFoundError,
    LeftOutWarning,
    MissingDependencyError,
    OptionError,
    RatingsError,
    RatingTypeError,
    listing,
    plural,
    shown,
    warn,
)
from pdkappa.methods.estimates import asked as has
from pdkappa.methods.estimates.asks import anew, asks, option
from pdkappa.methods.estimates.options import whole_from
from pdkappa.present.sheets import progress_of
from pdkappa.ratings.columns import is_plain
from pdkappa.ratings.counted_chunks import Adder, count_rows, merge, stack_all
from pdkappa.ratings.crowds import Names
from pdkappa.ratings.raters import nameless
from pdkappa.sources.file_formats import (
    FORMATS,
    UNKNOWN,
    Wanted,
    as_floats,
    ending,
    format_of,
    frame_of,
    header_of,
    named,
    read_csv,
    read_records,
    readable,
    unknown_ending,
    warn_of_sheets,
)
from pdkappa.sources.ratings import Placed
from pdkappa.sources.source import Source, SourceRatings, check_room, listed_in
from pdkappa.sources.unpacking import check_members, check_size, usual_of

if TYPE_CHECKING:
    from collections.abc import Callable, Collection

    from pdkappa._typing import Add, Count, Label, PathLike, Progress
    from pdkappa.accessor import Ratings
    from pdkappa.ratings.counted_chunks import Chunk
    from pdkappa.sources.file_formats import Format, Header, Look


class Piece(NamedTuple):
    """Rows as a format reads them, frames or tables of pyarrow."""

    rows: Any
    form: Format
    path: Path

    def is_like(self, other: Piece) -> bool:
        """Whether this piece and another one may become one frame."""
        return self.form == other.form and self.form.are_alike(self.rows, other.rows)


def framed(pieces: list[Piece]) -> pd.DataFrame:
    """Make one frame of pieces that are alike."""
    form = pieces[0].form
    try:
        return form.frame([piece.rows for piece in pieces])
    except Exception:
        for piece in pieces:  # the file that is broken is named
            with readable(piece.path):
                form.frame([piece.rows])
        raise


@dataclass
class Waiting:
    """Pieces that are alike, until they are enough rows: small files cost no more than large."""

    most: int
    pieces: list[Piece] = field(default_factory=list)
    n_rows: int = 0

    def batches(self, pieces: Iterable[Piece]) -> Iterator[list[Piece]]:
        """Take more pieces; return those that were enough, or unlike the next one."""
        for piece in pieces:
            if self.pieces and not piece.is_like(self.pieces[-1]):
                yield self.taken()
            self.pieces.append(piece)
            self.n_rows += len(piece.rows)
            if self.n_rows >= self.most:
                yield self.taken()

    def taken(self) -> list[Piece]:
        """Give up what waits."""
        result, self.pieces, self.n_rows = self.pieces, [], 0
        return result


class Masked:
    """Which columns are masked arrays in a file of no row, which files of one schema share."""

    def __init__(self) -> None:
        """Start without a file."""
        self.last: Piece | None = None
        self.names: set[Label] = set()

    def of(self, empty: Piece) -> set[Label]:
        """Look at a piece without rows, unless the last one was alike."""
        if self.last is None or not empty.is_like(self.last):
            frame = framed([empty])
            self.names = {name for name in frame if not is_plain(frame[name])}
        self.last = empty
        return self.names


class Reading:
    """One file as it is read: what its columns turn out to be."""

    def __init__(self, path: Path, wanted: Wanted, of_empty: Masked) -> None:
        """Keep what is to be read."""
        self.path, self.wanted, self.of_empty = path, wanted, of_empty
        self.kinds: dict[Label, str] = {}
        self.mixed: set[Label] = set()
        self.masked: set[Label] = set()

    def pieces(self, tell: Callable[[float], object]) -> Iterator[Piece]:
        """Read the file until its end, or until a column is numbers and text."""
        form = format_of(self.path)
        for rows, share in form.read(self.path, self.wanted):
            piece = Piece(rows, form, self.path)
            if not len(rows):
                self.masked |= self.of_empty.of(piece)
            for name, kind in form.kinds_of(rows).items():
                if self.kinds.get(name, UNKNOWN) not in (kind, UNKNOWN):
                    self.mixed.add(name)
                self.kinds[name] = kind
            if self.mixed:
                return
            yield piece
            tell(share)


T = TypeVar("T")
BATCH_ROWS = 1 << 17
BATCH_CELLS = 1 << 21


class OfScan(has.Categories):
    """Options of `scan`."""

    paths: PathLike | Iterable[PathLike] = option(
        'Files, or a folder, or a pattern such as ``"ratings/*.parquet"``: Parquet, Feather or '
        "Arrow files, which need pyarrow, ``.csv``, ``.tsv`` and ``.txt`` (separated by tabs), and "
        "``.jsonl`` or ``.ndjson`` (a record in each line); text may be compressed, as "
        "``.csv.gz``. Files of a folder or a pattern are sorted by name. Nothing may be written to "
        "them until all has been computed.",
        "str or path-like, or list of them",
        kw_only=False,
        also="They have one row for each item and one column for each rater.",
    )
    batch_rows: int = option(
        "The most rows read at a time; fewer of more than 16 columns.",
        "int",
        default=BATCH_ROWS,
        check=whole_from(1, " of rows"),
    )
    progress: Progress = anew(
        has.Resamples, "progress", default=False, also="It is about the bytes read."
    )


@asks(OfScan)
def scan(asked: OfScan) -> Ratings:
    """Read ratings from files that need not fit in memory.

    Nothing but the names of the columns is read at first (of JSON lines, all). Each method then
    reads the columns that it needs (of text files all, of which it keeps these), in batches,
    and counts their distinct rows; results are those of the whole frame, to the last bit,
    whatever the batches (but for rounding where `pairwise` does not count a frame in memory,
    with quadratic weights).

    Returns
    -------
    Ratings
        An object with the methods of ``df.kappa``. `by`, `cluster` and `sample_weight` name
        columns. What has a value for each item, such as `items`, and scores without
        categories, such as `concordance`, gather all rows of the columns that they need; a
        `report` has no sheet of items.

    Raises
    ------
    OptionError
        If `paths` is no path, or the ending of a file is not known.
    RatingsError
        If there is no file, or one of them cannot be read, has rows with more fields than
        columns, or is written to after this call.
    DuplicateRatingError
        If two columns of a file have the same name.
    ColumnNotFoundError
        If a file has not the columns of the first one.
    RatingTypeError
        If a column holds numbers in one file and text in another.
    TooLargeError
        By methods: if all rows are needed and are more than 2**26 cells, or the distinct ones
        are.
    MissingDependencyError
        If pyarrow is needed and not installed.

    See Also
    --------
    from_frame : Read a frame of another package, such as polars.

    Notes
    -----
    Counts are integers, and weights are summed as integers where they are whole. Sums of
    fractional weights do not depend on the batches either, but may differ from those of the
    whole frame in the last digit.

    Text is read as pandas reads it. Integers beside missing values become floats, as in
    pandas, unless they are too large for that.

    Examples
    --------
    >>> df = pd.DataFrame({"ann": [1, 2, 3, 4, 3], "bob": [2, 2, 4, 4, 5]})
    >>> df[:3].to_csv("part_1.csv", index=False)
    >>> df[3:].to_csv("part_2.csv", index=False)
    >>> ratings = pdkappa.scan("part_*.csv")
    >>> print(ratings)
    Ratings of 2 files with columns 'ann', 'bob'
    >>> ratings.pairwise(weights="quadratic").round(3)
           ann    bob
    ann  1.000  0.615
    bob  0.615  1.000
    """
    files = Files.of(_looked_at(asked.paths), asked.batch_rows, progress_of(asked.progress, "byte"))
    return SourceRatings(files, asked.categories)


class OfScanLong(Placed, has.Categories):
    """Options of `scan_long`."""

    paths: PathLike | Iterable[PathLike] = anew(
        OfScan,
        "paths",
        kw_only=False,
        also="They have one row for each rating, and the three columns.",
    )
    item: Label = anew(has.Item, "item")


@asks(OfScanLong)
def scan_long(asked: OfScanLong) -> Ratings:
    """Read long data from files that need not fit in memory.

    How far does a crowd of raters agree, of whom nobody rated more than a few items?

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
    ColumnNotFoundError
        If a file lacks one of the three columns.
    DuplicateRatingError
        If a rater rated an item more than once, or two columns of a file have the same name.
    RatingTypeError
        If a column holds numbers in one file and text in another; if two items or raters are a
        number and a text that look alike, such as 1 and "1".
    TooLargeError
        By methods that need every rating: if these are more than 2**26 cells; if items have too
        many different sets of ratings.
    MissingDependencyError
        If pyarrow is needed and not installed.

    Warns
    -----
    LeftOutWarning
        By `agreement`, if "light" is left out.
    LookalikeLabelsWarning
        If names of items or raters differ by white space alone.

    See Also
    --------
    from_long : The same from a frame, of Dask, too.
    scan : Files with a column for each rater.

    Notes
    -----
    Items with equal ratings are one row with a count, whoever rated them. Coefficients that ask
    who did (Conger's) read the ratings again, and need of each such row no more than the mean and
    variance of a sum over the item. All that is counted are whole numbers, so that results do not
    depend on files or on the order of the rows. Up to 2**25 ratings are held as numbers, about 10
    bytes each if items are whole numbers; more are read again for each so many of them.

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
    looked, names = _looked_at(asked.paths), Names(asked.item, asked.rater, asked.rating)
    for path, _, look in looked:
        for name in names:
            if name not in look.kinds:
                raise ColumnNotFoundError(
                    f"{shown(path.name)} has no column {shown(name)}; it has "
                    f"{listing(look.kinds)}. Every file must have the columns of the items, raters "
                    "and ratings."
                )
    first, *others = (look.kinds for _, _, look in looked)
    shared = [name for name in first if all(name in kinds for kinds in others)]
    files = [
        (path, state, look._replace(kinds={name: look.kinds[name] for name in shared}))
        for path, state, look in looked
    ]
    return listed_in(Files.of(files), names, asked.categories)


def _looked_at(paths: Any) -> list[tuple[Path, State, Look]]:
    """Find the files, of which there must be one; note what they are, which must not change."""
    files = list(files_of(paths))
    if not files:
        raise RatingsError(
            f"No file to read was found in {shown(paths)}. "
            f"Files are known by their ending: {', '.join(FORMATS)}."
        )
    formats = [format_of(path) for path in files]
    states = [State.of(path) for path in files]
    looks = [form.look(path) for form, path in zip(formats, files, strict=True)]
    return list(zip(files, states, looks, strict=True))


class State(NamedTuple):
    """How large a file is, and when it was last written to."""

    size: int
    time: int

    @classmethod
    def of(cls, path: Path) -> State:
        """Look at a file."""
        status = path.stat()
        return cls(status.st_size, status.st_mtime_ns)

    @contextmanager
    def kept(self, path: Path) -> Iterator[None]:
        """Refuse a file that is not as it was, before it is read and after, or where that fails."""
        self._check(path)
        try:
            yield
        except (RatingsError, OSError):
            self._check(path)
            raise
        self._check(path)

    def _check(self, path: Path) -> None:
        """Refuse a file that was written to."""
        if self != (now := State.of(path)):
            raise RatingsError(
                f"{shown(path.name)} was changed after it was first read: it had {self.size} "
                f"bytes and has {now.size}. Read it again when it is complete."
            )


@dataclass(frozen=True, eq=False)
class Files(Source):
    """Files with the same columns, whose rows stand one below the other."""

    paths: list[Path]
    states: list[State]
    headers: list[Header | None]
    names: list[Label]
    batch_rows: int
    report: Callable[[int, int], object] | None

    @classmethod
    def of(
        cls,
        looked: list[tuple[Path, State, Look]],
        batch_rows: int = BATCH_ROWS,
        report: Callable[[int, int], object] | None = None,
    ) -> Files:
        """Check the columns of files that were looked at."""
        paths, states, looks = map(list, zip(*looked, strict=True))
        _check_columns(paths, [look.kinds for look in looks])
        headers, names = [look.header for look in looks], list(looks[0].kinds)
        return cls(paths, states, headers, names, batch_rows, report)

    def __str__(self) -> str:
        """Say how many files there are, of which columns."""
        n = len(self.paths)
        return f"{n} {plural(n, 'file')} with columns {listing(self.names)}"

    @property
    def columns(self) -> list[Label]:
        """Labels of all columns, in order."""
        return self.names

    def count(
        self,
        columns: list[Label],
        *,
        weight: Label | None = None,
        of_pairs: list[Label] | None = None,
    ) -> Chunk:
        """Count the distinct rows; whole numbers beside missing values become floats."""
        masked: set[Label] = set()
        read = columns if weight is None else [*columns, weight]
        count = partial(count_rows, columns=columns, weight=weight, of_pairs=of_pairs)
        total: Chunk = self._total(read, count, merge, masked)
        return replace(total, frame=as_floats(total.frame, masked))

    def total(self, columns: list[Label], count: Count, add: Add) -> Any:
        """Count some columns batch by batch."""
        return self._total(columns, count, add, set())

    def _total(self, read: list[Label], count: Count, add: Add, masked: set[Label]) -> Any:
        """Do so, and note which columns are masked arrays in some file."""
        n_rows = self._most_rows(read)

        def counted(pieces: list[Piece]) -> Any:
            return count(framed(pieces))

        def of_file(pieces: Iterator[Piece]) -> tuple[list[Any], list[Piece]]:
            rest, parts = Waiting(n_rows), Adder(add)
            for batch in rest.batches(pieces):
                parts.add(counted(batch))
            return parts.if_any(), rest.pieces

        adder, waiting = Adder(add), Waiting(n_rows)
        for (parts, rest), of_this in self._each(read, of_file):
            masked |= of_this
            if parts and waiting.pieces:
                adder.add(counted(waiting.taken()))
            for part in parts:
                adder.add(part)
            for batch in waiting.batches(rest):
                adder.add(counted(batch))
        if waiting.pieces:
            adder.add(counted(waiting.taken()))
        return adder.total()

    def gather(self, columns: list[Label], *, declared: Collection[Label] = ()) -> pd.DataFrame:
        """Return all rows of some columns, if they are not too many."""
        known = [format_of(path).n_rows(path) for path in self.paths]
        check_room(sum(n_rows for n_rows in known if n_rows), columns)
        parts: list[pd.DataFrame] = []
        masked: set[Label] = set()

        def gathered(pieces: Iterator[Piece]) -> list[pd.DataFrame]:
            found, n_rows = [], sum(map(len, parts))
            for piece in pieces:
                found.append(framed([piece]))
                n_rows += len(piece.rows)
                check_room(n_rows, columns)
            return found

        for frames, of_file in self._each(columns, gathered):
            parts += frames
            masked |= of_file
        return as_floats(stack_all(parts, declared), masked)

    def _most_rows(self, columns: list[Label]) -> int:
        """Return the most rows of some columns to be read at a time."""
        return min(self.batch_rows, max(BATCH_CELLS // len(columns), 1))

    def _each(
        self, columns: list[Label], read: Callable[[Iterator[Piece]], T]
    ) -> Iterator[tuple[T, set[Label]]]:
        """Read each file with a function of its pieces; return its masked columns, too.

        A column that is numbers at first and text below is text, and the file is read again.
        """
        sizes = [max(state.size, 1) for state in self.states]
        n_rows, masked = self._most_rows(columns), Masked()
        kinds: dict[Label, tuple[str, Path]] = {}
        for place, path in enumerate(self.paths):
            text: set[Label] = set()
            while True:
                wanted = Wanted(columns, n_rows, text, self.headers[place])
                reading = Reading(path, wanted, masked)
                told = partial(self._tell, sum(sizes[:place]), sizes[place], sum(sizes))
                with self.states[place].kept(path):
                    result = read(reading.pieces(told))
                if not reading.mixed:
                    break
                text |= reading.mixed
            _check_kinds(kinds, reading.kinds, path)
            yield result, reading.masked

    def _tell(self, before: int, size: int, total: int, share: float) -> None:
        """Tell how many bytes have been read."""
        if self.report is not None:
            self.report(before + round(share * size), total)


def _check_kinds(kinds: dict[Label, tuple[str, Path]], found: dict[Label, str], path: Path) -> None:
    """Make sure that a column is of one kind in all files, and remember where it was found."""
    for name, kind in found.items():
        known, first = kinds.setdefault(name, (kind, path))
        if kind != known:
            raise RatingTypeError(
                f"Column {shown(name)} holds {known} in {shown(first.name)} and {kind} in "
                f"{shown(path.name)}, so that equal ratings may not match. Write all files with "
                "one type."
            )


def files_of(paths: Any) -> Iterator[Path]:
    """List the files that the user means: those named, in a folder, or of a pattern."""
    if not isinstance(paths, str | os.PathLike):
        single = isinstance(paths, bytes | IOBase) or getattr(paths, "ndim", 1) == 0
        if single or not isinstance(paths, Iterable):
            raise OptionError(
                f"paths must be a path or a list of them, got {shown(paths)} "
                f"({type(paths).__name__})."
            )
        for path in paths:
            yield from files_of(path)
        return
    path = Path(paths)
    if path.is_dir():
        inside = sorted(file for file in path.rglob("*") if ending(file) in FORMATS)
        hidden = (".", "_")
        yield from (file for file in inside if file.is_file() and not file.name.startswith(hidden))
    elif set(str(path)) & set("*?[") and not path.exists():
        root = Path(path.anchor)
        found = sorted(root.glob(str(path.relative_to(root))))
        # A folder may match as well as the files in it, which are read once.
        yield from dict.fromkeys(file for match in found for file in files_of(match))
    else:
        yield path


def _check_columns(files: list[Path], kinds: list[dict[Label, str]]) -> None:
    """Make sure that all files have the same columns, of the same kinds as far as is known."""
    known: dict[Label, tuple[str, Path]] = {}
    for path, found in zip(files, kinds, strict=True):
        for one, other, file in ((kinds[0], found, path), (found, kinds[0], files[0])):
            absent = [name for name in one if name not in other]
            if absent:
                raise ColumnNotFoundError(
                    f"{shown(file.name)} lacks {listing(absent)}, which "
                    f"{shown((files[0] if file == path else path).name)} has. Give all files the "
                    "same columns."
                )
        _check_kinds(known, {name: x for name, x in found.items() if x != UNKNOWN}, path)


CELL = 8  # bytes
FEWEST = 2  # columns
NEEDED_FOR = {".parquet": "pyarrow", ".xlsx": "openpyxl"}
SIGNS = (b"<f", b't="e"', b"<mergeCell ")
NO_RESULT = ("f", "n", None)  # type of a formula, and that and the value of its result


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
        raise MissingDependencyError(
            f"Reading {shown(path.name)} needs {package}. Run: pip install 'pdkappa[all]'"
        ) from error
    return data.iloc[:, 1:] if data.shape[1] > FEWEST and _has_saved_index(data) else data


def _has_saved_index(data: pd.DataFrame) -> bool:
    """Whether the first column is the row number that pandas, or R, writes without a name."""
    counted = [[*range(first, first + len(data))] for first in (0, 1)]
    return data.columns[0] in nameless(list(data)) and data.iloc[:, 0].tolist() in counted


def _read_excel(path: Path) -> pd.DataFrame:
    """Read the first sheet of a workbook, with text for the names of the columns."""
    if is_zipfile(path):  # or openpyxl says what it is not
        with ZipFile(path) as packed:
            check_members(path, packed)
    with pd.ExcelFile(path, engine="openpyxl") as book:
        sheet, *others = book.book.worksheets
        if sheet.sheet_state != "visible":
            raise RatingsError(
                f"The first sheet of {shown(path.name)}, {shown(sheet.title)}, is hidden. Show it, "
                "or move the sheet of the ratings to the front."
            )
        first = pd.read_excel(book, header=None, nrows=1, dtype=object, na_filter=False)
        frame = pd.read_excel(book)
        if frame.shape[1] < FEWEST:
            raise RatingsError(
                f"The first sheet of {shown(path.name)}, {shown(sheet.title)}, which alone is "
                f"read, has fewer than two columns. Move the sheet of the ratings to the front."
            )
        given = [str(name) for name in (first.iloc[0] if len(first) else ())]
        header = header_of(path, [*given, *[""] * (frame.shape[1] - len(given))])
        warn_of_sheets(path, sheet, others)
        if _has_signs(path, (b' t="b"',)):  # cells with TRUE or FALSE
            _keep_booleans(frame, book)
        if frame.isna().any(axis=None) and _has_signs(path, SIGNS):
            _warn_of_no_value(path, sheet)
        return named(frame.set_axis(header.names, axis=1), header, path)


def _keep_booleans(frame: pd.DataFrame, book: pd.ExcelFile) -> None:
    """Put TRUE and FALSE among numbers back in place, of which pandas makes 1 and 0.

    They are read as tuples, as old versions take values that are equal for one and the same.
    """

    def apart(value: Any) -> Any:
        return (value,) if isinstance(value, bool) else value

    converters: dict[int | str, Callable[[Any], Any]] = dict.fromkeys(range(frame.shape[1]), apart)
    for place, (_, held) in enumerate(pd.read_excel(book, converters=converters).items()):
        if frame.dtypes.iloc[place].kind in "iuf" and tuple in set(map(type, held)):
            values = [x[0] if isinstance(x, tuple) else x for x in held]
            frame.isetitem(place, pd.Series(values, dtype=object).array)


def _has_signs(path: Path, signs: tuple[bytes, ...]) -> bool:
    """Whether a workbook has such cells, as formulas, errors or merged ones, in short time."""
    with ZipFile(path) as packed:
        sheets = [packed.read(name) for name in packed.namelist() if "/worksheets/" in name]
    return any(sign in sheet for sheet in sheets for sign in signs)


def _warn_of_no_value(path: Path, sheet: Any) -> None:
    """Warn of cells that are missing, but not empty."""
    import openpyxl
    from openpyxl.cell.read_only import EMPTY_CELL  # where a row ends early

    with closing(openpyxl.load_workbook(path)) as book:
        rows = zip(sheet.iter_rows(), book.worksheets[0].iter_rows(), strict=False)
        cells = [both for row in rows for both in zip_longest(*row, fillvalue=EMPTY_CELL)]
    found = [f"{x.coordinate} ({why})" for cell, x in cells if (why := _why_missing(cell, x))]
    if found:
        n = len(found)
        warn(
            f"{n} {plural(n, 'cell')} of {shown(path.name)} {plural(n, 'holds', 'hold')} no value: "
            f"{listing(found)}. Ratings there are missing. Mend the formulas, split merged cells, "
            "and save the file in a spreadsheet program.",
            LeftOutWarning,
        )


def _why_missing(cell: Any, formula: Any) -> str:
    """Say why a cell holds no value: it is an error, or has no result, or another one has it."""
    if cell.data_type == "e" or (formula.data_type, cell.data_type, cell.value) == NO_RESULT:
        return str(cell.value or "a formula without a result")
    is_merged = type(formula).__name__ == "MergedCell" and formula.row > 1
    return "merged with another" if is_merged else ""


def _read_parquet(path: Path) -> pd.DataFrame:
    """Read a file or a folder of Parquet as `scan` does, so that large numbers lose no digit."""
    files = Files.of(_looked_at(path))
    for file in files.paths:
        size = CELL * len(files.columns) * (format_of(file).n_rows(file) or 0)
        check_size(file, "unpacks to", size, usual_of(file))
    return files.gather(files.columns)


def _read_json(path: Path) -> pd.DataFrame:
    """Read records, which need not have all fields."""
    rows = read_records(path)
    if len(rows) == 1 and rows[0] and all(isinstance(x, dict | list) for x in rows[0].values()):
        raise RatingsError(
            f"{shown(path.name)} holds columns, or records in a field, where it must hold a record "
            "for each item. Write them as with df.to_json(path, orient='records')."
        )
    return frame_of(rows, list(dict.fromkeys(name for row in rows for name in row)))


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
