"""`ddf.kappa`: the methods of ``df.kappa`` for Dask frames, registered when this is imported.

Each partition is counted where it is, and the counts are added up as a tree. They are integers,
so that results depend neither on the partitions nor on the scheduler, nor on workers that fail.

Examples
--------
>>> import dask.dataframe as dd
>>> import pdkappa.dask
>>> df = pd.DataFrame({"ann": [1, 2, 3, 4, 3], "bob": [2, 2, 4, 4, 5]})
>>> ddf = dd.from_pandas(df, npartitions=2)
>>> ddf.kappa.pairwise(weights="quadratic").round(3)
       ann    bob
ann  1.000  0.615
bob  0.615  1.000
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any

import pandas as pd

from pdkappa.counts.chunks import count_rows, merge
from pdkappa.counts.concat import stack_all
from pdkappa.errors import ColumnNotFoundError, KappaError, MissingDependencyError, listing
from pdkappa.sources.base import Source, SourceRatings, check_room

try:
    from dask.base import compute
    from dask.dataframe.extensions import register_dataframe_accessor
    from dask.delayed import delayed
except ImportError as error:
    message = "pdkappa.dask needs Dask, which is not installed. Run: pip install 'pdkappa[dask]'"
    raise MissingDependencyError(message) from error

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable

    import dask.dataframe as dd

    from pdkappa._typing import Label
    from pdkappa.counts.chunks import Chunk

FAN_IN = 8


@dataclass(frozen=True)
class DaskFrame(Source):
    """A Dask frame, of which no more is read than a method needs."""

    frame: dd.DataFrame

    def __str__(self) -> str:
        """Say what it is."""
        size = f"{self.frame.npartitions} partition(s)"
        return f"a Dask DataFrame in {size} with columns {listing(self.columns)}"

    @property
    def columns(self) -> list[Label]:
        """Labels of all columns, in order."""
        return list(self.frame.columns)

    def count(
        self,
        columns: list[Label],
        *,
        weight: Label | None = None,
        of_pairs: list[Label] | None = None,
    ) -> Chunk:
        """Count the distinct rows of each partition, and add them up in the order of the rows."""
        read = columns if weight is None else [*columns, weight]
        # Bound beforehand, because Dask looks into the arguments of a call for its own objects.
        count = delayed(
            partial(_count_part, columns=columns, weight=weight, of_pairs=of_pairs), pure=False
        )
        parts = [count(part) for part in self.frame[read].to_delayed()]
        add = delayed(merge, pure=False)
        while len(parts) > 1:
            parts = [add(parts[start : start + FAN_IN]) for start in range(0, len(parts), FAN_IN)]
        [found] = _computed(parts, read)
        return found

    def gather(self, columns: list[Label], *, declared: Collection[Label] = ()) -> pd.DataFrame:
        """Return all rows of some columns, in order, if they are not too many."""
        lengths = _computed(map(delayed(len), self.frame[columns[:1]].to_delayed()), columns)
        check_room(sum(lengths), columns)
        parts = [
            _as_in_pandas(part) for part in _computed(self.frame[columns].to_delayed(), columns)
        ]
        filled = [part for part in parts if len(part)] or parts[:1]
        index = filled[0].index.append([part.index for part in filled[1:]])
        return stack_all(parts, declared).set_axis(index)


def _computed(parts: Iterable[Any], columns: list[Label]) -> tuple[Any, ...]:
    """Compute something of each partition, which must have the columns that the frame has."""
    try:
        return compute(*parts)
    except KappaError:
        raise
    except KeyError as error:
        absent = [name for name in columns if repr(name) in str(error)]
        if not absent:
            raise
        message = (
            f"A partition has no column {listing(absent)}, which the Dask frame has. "
            "Give all partitions the columns of the frame."
        )
        raise ColumnNotFoundError(message) from error


def _count_part(
    part: pd.DataFrame, columns: list[Label], weight: Label | None, of_pairs: list[Label] | None
) -> Chunk:
    """Count the distinct rows of one partition."""
    return count_rows(_as_in_pandas(part), columns, weight=weight, of_pairs=of_pairs)


def _as_in_pandas(part: pd.DataFrame) -> pd.DataFrame:
    """Give text, which Dask keeps as Arrow strings, the type that it has by default in pandas."""
    text = [name for name, dtype in part.dtypes.items() if isinstance(dtype, pd.StringDtype)]
    return part.astype(dict.fromkeys(text, pd.Series([""]).dtype)) if text else part


@register_dataframe_accessor("kappa")
class DaskKappa(SourceRatings):
    """Inter-rater agreement of the columns of a Dask frame, as ``ddf.kappa``.

    Every method is the function of the same name in `pdkappa`, with the frame as its data, and
    gives the same bits as for a pandas frame with the same rows, if weights of items are whole.
    Otherwise these are added up in one way for all partitions, which may differ from that of
    pandas in the last digit.

    `by`, `cluster` and `sample_weight` name columns; a ``groupby`` of Dask has no ``kappa``. What
    has a value for each item, such as `items`, and scores without categories, such as
    `concordance`, gather all rows of the columns that they need, and raise `TooLargeError`
    beforehand if these are more than 2**26 cells.

    A Categorical may have other categories in each partition. Mind that Dask itself turns
    objects of other types than text into text, unless ``dataframe.convert-string`` is off.
    """

    def __init__(self, frame: dd.DataFrame) -> None:
        """Keep the frame; everything is checked by the methods."""
        super().__init__(DaskFrame(frame))
