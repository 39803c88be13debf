"""Frames of other packages -> `Ratings`: `from_frame`."""

from __future__ import annotations

from contextlib import contextmanager
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
import pandas as pd

from pdkappa.errors import (
    DuplicateRatingError,
    KappaError,
    RatingTypeError,
    listing,
    needed_for,
    shown,
)
from pdkappa.methods.estimates import asked as has
from pdkappa.methods.estimates.asks import asks, option
from pdkappa.present.labels import one_line
from pdkappa.ratings.counted_chunks import (
    Chunk,
    cells_of_tables,
    check_distinct_rows,
    count_rows,
    most_distinct_rows,
)
from pdkappa.ratings.items import rank_values
from pdkappa.sources.file_formats import as_floats, as_frame
from pdkappa.sources.source import Source, SourceRatings, check_room

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator

    import narwhals as nw
    import pyarrow as pa

    from pdkappa._typing import Add, Count, IntArray, Label
    from pdkappa.accessor import Ratings

MOST_ROWS = 1 << 17  # distinct ones, beyond which pairs of raters are counted one by one
ROWS_OF_PART = 1 << 22  # that are converted at a time


class OfFrame(has.Categories):
    """Options of `from_frame`."""

    frame: Any = option(
        "One row for each item, one column for each rater: a frame of polars, eager or lazy, a "
        "relation of DuckDB, a table of pyarrow, a frame of pandas, or any other frame that "
        "narwhals supports, such as Ibis, Modin and PySpark. Never changed.",
        "DataFrame, shape (N, ...)",
        kw_only=False,
    )


@asks(OfFrame)
def from_frame(asked: OfFrame) -> Ratings:
    """Read ratings from a frame of another package, such as polars or DuckDB.

    The engine of the frame counts, by a group-by over the columns that a method needs; only the
    distinct rows with their counts come back.

    Returns
    -------
    Ratings
        An object with the methods of ``df.kappa``. `by`, `cluster` and `sample_weight` name
        columns. What has a value for each item, such as `items`, and scores without
        categories, such as `concordance`, gather all rows of the columns that they need; a
        `report` has no sheet of items.

    Raises
    ------
    RatingTypeError
        If narwhals does not know the frame; by methods: if a column of polars holds objects.
    TooLargeError
        By methods: if all rows are needed and are more than 2**26 cells, or the distinct ones
        are.
    MissingDependencyError
        If narwhals, or pyarrow, through which the results come, is not installed.

    See Also
    --------
    scan : Read files in batches.

    Notes
    -----
    A missing rating is null or NaN. An Enum of polars or DuckDB is an ordered Categorical, a
    Categorical of polars is text. Integers beside missing values become floats, as in pandas,
    unless they are too large for that.

    Counts are integers, and rows are sorted, so that results do not depend on threads or on
    the order in which an engine returns its groups. Fractional weights are summed in one way,
    too, which may differ from that of pandas in the last digit. Where rows of many raters
    hardly repeat, `pairs` and `pairwise` have each pair of raters counted instead.

    Examples
    --------
    >>> import polars as pl
    >>> df = pl.DataFrame({"ann": [1, 2, 3, 4, 3], "bob": [2, 2, 4, 4, None]})
    >>> ratings = pdkappa.from_frame(df)
    >>> print(ratings)
    Ratings of a polars DataFrame with columns 'ann', 'bob'
    >>> ratings.pairwise(weights="quadratic").round(3)
         ann  bob
    ann  1.0  0.8
    bob  0.8  1.0
    """
    return SourceRatings(known_source(asked.frame, "from_frame"), asked.categories)


def known_source(frame: Any, asked: str, extra: str = "files") -> Source:
    """Tell whose frame it is, and refuse what nobody knows."""
    source = source_of(frame, asked, extra)
    if source is None:
        raise RatingTypeError(
            f"frame must be a frame that narwhals knows, such as one of polars, DuckDB, pyarrow or "
            f"pandas, got {type(frame).__name__}."
        )
    return source


def source_of(frame: Any, asked: str, extra: str = "files") -> Source | None:
    """Tell whose frame it is, None if nobody knows it; name what is asked for, and its extra."""
    if isinstance(frame, pd.DataFrame):
        return PandasFrame(frame)
    package = type(frame).__module__.partition(".")[0]
    if package in ("dask", "dask_expr"):
        from pdkappa.dask import DaskFrame

        is_frame = hasattr(frame, "columns") and frame.ndim > 1  # and no Series, Array or Bag
        return DaskFrame(frame) if is_frame else None
    if package in ("builtins", "numpy", "pandas"):
        return None
    with needed_for(asked, "", f"'pdkappa[{extra}]'"):
        import narwhals as nw
        import pyarrow as pa
    if isinstance(frame, pa.Table):  # whose parts may have dictionaries of their own
        names = pd.Series(frame.column_names)
        if names.duplicated().any():
            twice = listing(names[names.duplicated()].unique())
            raise DuplicateRatingError(
                f"The table has several columns {twice}. Give each column a name of its own."
            )
        frame = frame.unify_dictionaries()
    try:
        return Foreign(nw.from_native(frame))
    except TypeError:
        return None


@dataclass(frozen=True, eq=False)
class PandasFrame(Source):
    """A frame of pandas."""

    frame: pd.DataFrame
    in_memory: ClassVar[bool] = True

    def __str__(self) -> str:
        """Say what it is."""
        return f"a pandas DataFrame with columns {listing(self.columns)}"

    @property
    def columns(self) -> list[Label]:
        """Labels of all columns, in order."""
        return list(self.frame.columns)

    def total(self, columns: list[Label], count: Count, add: Add) -> Any:
        """Count all rows at once."""
        return add([count(self.frame[columns])])

    def gather(self, columns: list[Label], *, declared: Collection[Label] = ()) -> pd.DataFrame:  # noqa: ARG002
        """Return some columns."""
        return self.frame[columns]


@contextmanager
def _engine(frame: Any) -> Iterator[None]:
    """Say of which engine it is that it cannot do what is asked, whatever it raises."""
    try:
        yield
    except (KappaError, ImportError, MemoryError, OSError):
        raise
    except Exception as error:  # engines let any error of their own through
        what = one_line(error).removesuffix(".") or type(error).__name__
        raise RatingTypeError(
            f"{frame.implementation.name.lower()} cannot count the columns: {what}. Convert them "
            "to types that it can group by, or pass a frame of pandas."
        ) from error


@dataclass(frozen=True, eq=False)
class Foreign(Source):
    """A frame that narwhals knows, eager or lazy."""

    frame: nw.DataFrame[Any] | nw.LazyFrame[Any]

    def __str__(self) -> str:
        """Say what it is."""
        kind = type(self.frame.to_native()).__name__
        engine = self.frame.implementation.name.lower()
        return f"a {engine} {kind} with columns {listing(self.columns)}"

    @cached_property
    def types(self) -> dict[str, Any]:
        """The types of the columns, as narwhals calls them."""
        return dict(self.frame.collect_schema())

    @property
    def columns(self) -> list[Label]:
        """Labels of all columns, in order."""
        return list(self.types)

    def count(
        self,
        columns: list[Label],
        *,
        weight: Label | None = None,
        of_pairs: list[Label] | None = None,
    ) -> Chunk:
        """Have the engine count the distinct rows of some columns."""
        import narwhals as nw

        names = columns if weight is None else [*columns, weight]
        odd = (nw.List, nw.Array, nw.Struct, nw.Unknown)  # by which few engines group
        if any(self.types[str(name)] in odd for name in names):
            return count_rows(self.gather(names), columns, weight=weight, of_pairs=of_pairs)
        pairs = of_pairs if weight is None else None
        most = most_distinct_rows(len(names)) if pairs is None else MOST_ROWS
        grouped = self._grouped(names)
        table = self._table(grouped.head(most + 1))
        if len(table) > most:
            if pairs is not None:
                return self._count_pairs(columns, pairs)
            check_distinct_rows(_only_number(grouped), len(names))
        frame, times = self._in_order(table, names)
        chunk = count_rows(frame, columns, weight=weight, of_pairs=of_pairs, times=times)
        return replace(chunk, frame=as_floats(chunk.frame, set()))

    def total(self, columns: list[Label], count: Count, add: Add) -> Any:
        """Have the columns read, and count some rows at a time."""
        table = self._table(self._select(columns)).unify_dictionaries()
        starts = range(0, max(len(table), 1), ROWS_OF_PART)
        return add([count(self._framed(table.slice(at, ROWS_OF_PART))) for at in starts])

    def gather(self, columns: list[Label], *, declared: Collection[Label] = ()) -> pd.DataFrame:  # noqa: ARG002
        """Return all rows of some columns."""
        check_room(_only_number(self.frame), columns)
        return as_floats(self._framed(self._table(self._select(columns)))[columns], set())

    def _count_pairs(self, columns: list[Label], raters: list[Label]) -> Chunk:
        """Have the engine count the ratings of each rater, and of each pair of raters."""
        groups = [name for name in columns if name not in raters]
        cells = cells_of_tables(
            raters,
            [self._counted([*groups, rater]) for rater in raters],
            lambda first, second: self._counted([*groups, first, second]),
        )
        nothing = pd.DataFrame(columns=pd.Index(columns, dtype=object))
        return Chunk(nothing, np.zeros(0, dtype=np.int64), None, raters, cells)

    def _counted(self, names: list[Label]) -> tuple[pd.DataFrame, IntArray]:
        """Have the distinct rows of some columns counted."""
        return self._in_order(self._table(self._grouped(names)), names)

    def _in_order(self, table: pa.Table, names: list[Label]) -> tuple[pd.DataFrame, IntArray]:
        """Put distinct rows into an order of their own; the second result is their counts."""
        frame = self._framed(table)
        times = frame.iloc[:, -1].to_numpy(dtype=np.int64)
        frame = frame[names]
        ranks = [rank_values(frame[name], f"Column {shown(name)}") for name in reversed(names)]
        order = np.lexsort(ranks)
        return frame.iloc[order].reset_index(drop=True), times[order]

    def _grouped(self, names: list[Label]) -> Any:
        """Group by some columns, and count the rows of each group."""
        import narwhals as nw

        count = "n"
        while count in names:
            count += "_"
        with _engine(self.frame):
            keys = sorted(names, key=lambda name: name == "")  # the first shows that they are names
            return self._select(names).group_by(keys).agg(nw.len().alias(count))

    def _select(self, names: list[Label]) -> Any:
        """Select some columns; a Categorical of polars, whose order says nothing, as text."""
        import narwhals as nw

        is_polars = self.frame.implementation.is_polars()
        unknown = [x for x, dtype in self.types.items() if x in names and dtype == nw.Object]
        if is_polars and unknown:  # which leave polars as addresses in memory
            raise RatingTypeError(
                f"Column {shown(unknown[0])} of the polars frame holds Python objects. Cast it to "
                "a type that polars knows, such as pl.String."
            )
        columns = [
            nw.col(name).cast(nw.String) if is_polars and dtype == nw.Categorical else nw.col(name)
            for name, dtype in self.types.items()
            if name in names
        ]
        return self.frame.select(columns)

    def _table(self, frame: Any) -> pa.Table:
        """Have a frame computed."""
        import narwhals as nw

        with _engine(self.frame):
            eager = frame.collect() if isinstance(frame, nw.LazyFrame) else frame
            return eager.to_arrow()

    def _framed(self, table: pa.Table) -> pd.DataFrame:
        """Convert rows; an Enum is ordered."""
        import narwhals as nw

        with _engine(self.frame):
            result = as_frame(table)
        ordered = {
            name: result[name].cat.as_ordered()
            for name, dtype in self.types.items()
            if name in result and dtype != nw.Categorical and hasattr(result[name], "cat")
        }
        return result.assign(**ordered)


def _only_number(frame: Any) -> int:
    """Count the rows of a frame."""
    import narwhals as nw

    with _engine(frame):
        counted = frame.select(nw.len())
        return int((counted.collect() if isinstance(counted, nw.LazyFrame) else counted).item())
