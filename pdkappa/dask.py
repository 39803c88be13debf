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

from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from itertools import chain
from operator import attrgetter
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from pdkappa.coefficients.sparse_rows import drop_few, gathered
from pdkappa.errors import (
    ColumnNotFoundError,
    KappaError,
    TooLargeError,
    listing,
    needed_for,
    no_text,
    plural,
    shown,
)
from pdkappa.ratings.columns import factorize, plain_label
from pdkappa.ratings.counted_chunks import stack_all
from pdkappa.ratings.crowds import Part, Parts, added, coded_in, joint_in
from pdkappa.ratings.items import warn_of_names
from pdkappa.sources.source import Source, SourceRatings, check_room

with needed_for("pdkappa.dask", "Dask", "'pdkappa[dask]'"):
    from dask.base import compute, persist
    from dask.dataframe.extensions import register_dataframe_accessor
    from dask.delayed import delayed

# Dask chooses. Where `python -O` takes the asserts out, the shuffle that workers do among
# themselves waits for ever (distributed 2025.1 to 2026.8); that by tasks does not.
SHUFFLE = None if __debug__ else "tasks"

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Iterator

    import dask.dataframe as dd

    from pdkappa._typing import Add, Count, Label
    from pdkappa.coefficients.sparse_rows import JointCells
    from pdkappa.ratings.crowds import Coding, Known

FAN_IN = 8
LOST = {"KilledWorker", "NoValidWorkerError"}
MOST_BUCKETS = 64  # of pairs of raters, which are added up apart


@dataclass(frozen=True)
class DaskFrame(Source):
    """A Dask frame, of which no more is read than a method needs."""

    frame: dd.DataFrame

    def __str__(self) -> str:
        """Say what it is."""
        n = self.frame.npartitions
        size = f"{n} {plural(n, 'partition')}"
        return f"a Dask DataFrame in {size} with columns {listing(self.columns)}"

    @property
    def columns(self) -> list[Label]:
        """Labels of all columns, in order."""
        return list(self.frame.columns)

    def total(self, columns: list[Label], count: Count, add: Add) -> Any:
        """Count each partition, and add up the counts in the order of the rows."""
        # Bound beforehand, because Dask looks into the arguments of a call for its own objects.
        counted = delayed(partial(_counted, count=count), pure=False)
        parts = [counted(part) for part in _parts_of(self.frame[columns])]
        [found] = _computed([_tree(parts, add)], columns)
        return found

    def whole(self, known: Known, n_ratings: int) -> Parts:  # noqa: ARG002 (held by workers)
        """Shuffle the ratings by item once, names that look alike together, and number them."""
        item, rated = known.names.item, self.frame[known.columns]
        rated = rated[rated[known.names.rating].notnull()]  # noqa: PD004 (of Dask)
        if rated.npartitions > 1:
            on = item
            if rated.dtypes[item].kind == "O":  # text, Categoricals, and what may be either
                on = "-".join(["place", *map(str, rated.columns)])  # no name of theirs
                rated = rated.map_partitions(_with_places, item, on)
            rated = rated.shuffle(on=on, shuffle_method=SHUFFLE)
        number = delayed(partial(_part_of, known=known), pure=False)
        parts = [number(part) for part in _parts_of(rated)]
        with _workers_alive():
            held = list(persist(*parts))
        alike = _computed(map(delayed(attrgetter("alike"), pure=False), held), [])
        pairs = sorted((min(pair), max(pair)) for pair in chain(*alike))
        warn_of_names(pairs, f"Column {shown(item)}")
        return DaskParts(lambda: held)

    def gather(self, columns: list[Label], *, declared: Collection[Label] = ()) -> pd.DataFrame:
        """Return all rows of some columns, in order, if they are not too many."""
        lengths = _computed(map(delayed(len), _parts_of(self.frame[columns[:1]])), columns)
        check_room(sum(lengths), columns)
        parts = [_as_in_pandas(part) for part in _computed(_parts_of(self.frame[columns]), columns)]
        filled = [part for part in parts if len(part)] or parts[:1]
        index = filled[0].index.append([part.index for part in filled[1:]])
        return stack_all(parts, declared).set_axis(index)


@dataclass(frozen=True)
class DaskParts(Parts):
    """Ratings of whole items in each part: three small integers a rating, held by the workers."""

    def total(self, count: Callable[[Part], Any], add: Add) -> Any:
        """Count every part where it is, and add up the counts as a tree."""
        counted = delayed(count, pure=False)
        [found] = _computed([_tree([counted(part) for part in self.each()], add)], [])
        return found

    def joint(self, coding: Coding, least: float) -> JointCells:
        """Count the joint ratings, each pair of raters in one of several places.

        Pairs with few joint items are left out there, so that all pairs are never in one place.
        """
        parts: list[Any] = list(self.each())
        n_buckets = min(len(parts), MOST_BUCKETS)
        per_pair = coding.n_groups * max(coding.n_categories, 1) ** 2
        cut = delayed(
            partial(_joint_cut, coding=coding, n_buckets=n_buckets, per_pair=per_pair),
            pure=False,
            nout=n_buckets,
        )
        buckets = zip(*(cut(part) for part in parts), strict=True)
        few = delayed(
            partial(
                drop_few, n_items=least, n_groups=coding.n_groups, n_categories=coding.n_categories
            ),
            pure=False,
        )
        found = [few(_tree(list(bucket), added)) for bucket in buckets]
        return gathered(_computed(found, []))


def _parts_of(frame: dd.DataFrame) -> list[Any]:
    """Return what computes each partition."""
    with _as_text():
        return frame.to_delayed()


def _tree(parts: list[Any], add: Add) -> Any:
    """Add up parts, a few at a time."""
    adding = delayed(add, pure=False)
    if len(parts) == 1:  # which is put into the order of any sum
        return adding(parts)
    while len(parts) > 1:
        parts = [adding(parts[start : start + FAN_IN]) for start in range(0, len(parts), FAN_IN)]
    return parts[0]


def _with_places(part: pd.DataFrame, item: Label, place: str) -> pd.DataFrame:
    """Add a number for each item, the same for equal ones and names but for white space."""
    codes, labels = factorize(part[item], f"Column {shown(item)}")
    names = [*map(_plain_name, labels.tolist()), ""]  # the last for missing ones
    return part.assign(**{place: pd.util.hash_array(np.array(names, dtype=object))[codes]})


def _plain_name(label: Any) -> str:
    """Write a label so that equal ones are the same in every process."""
    if isinstance(label, str):
        return label.strip()
    try:
        return str(float(label))  # of 1, 1.0 and True alike
    except (TypeError, ValueError, OverflowError):
        return str(plain_label(label))


def _part_of(part: pd.DataFrame, known: Known) -> Part:
    """Give numbers to the ratings of one partition, which may be empty."""
    return Part.of(coded_in(_as_in_pandas(part), known), known)


def _joint_cut(part: Part, coding: Coding, n_buckets: int, per_pair: int) -> list[JointCells]:
    """Count the joint ratings of one partition, by the place where their pairs belong."""
    return joint_in(coding, part).split(n_buckets, per_pair)


@contextmanager
def _workers_alive() -> Iterator[None]:
    """Say what to do where workers died again and again."""
    try:
        yield
    except Exception as error:
        if type(error).__name__ not in LOST:
            raise
        raise TooLargeError(
            f"Workers of Dask were lost while they counted the ratings, more often than the "
            f"cluster allows ({type(error).__name__}). Usually they have too little memory: give "
            f"them more, or make smaller partitions with data.repartition(...)."
        ) from error


@contextmanager
def _as_text() -> Iterator[None]:
    """Refuse objects of which Dask cannot make its strings."""
    try:
        yield
    except UnicodeEncodeError as error:
        raise no_text(error.object, "The Dask frame") from error


def _computed(parts: Iterable[Any], columns: list[Label]) -> tuple[Any, ...]:
    """Compute something of each partition, which must have the columns that the frame has."""
    try:
        with _workers_alive(), _as_text():
            return compute(*parts)
    except KappaError:
        raise
    except KeyError as error:
        absent = [name for name in columns if repr(name) in str(error)]
        if not absent:
            raise
        raise ColumnNotFoundError(
            f"A partition has no column {listing(absent)}, which the Dask frame has. "
            "Give all partitions the columns of the frame."
        ) from error


def _counted(part: pd.DataFrame, count: Count) -> Any:
    """Count one partition."""
    return count(_as_in_pandas(part))


def _as_in_pandas(part: pd.DataFrame) -> pd.DataFrame:
    """Give text, which Dask keeps as Arrow strings, the type that it has by default in pandas."""
    text = [name for name, dtype in part.dtypes.items() if isinstance(dtype, pd.StringDtype)]
    return part.astype(dict.fromkeys(text, pd.Series([""]).dtype)) if text else part


@register_dataframe_accessor("kappa")
class DaskKappa(SourceRatings):
    """Inter-rater agreement of the columns of a Dask frame, as ``ddf.kappa``.

    Every method is that of ``df.kappa``, and gives the same bits as for a pandas frame with the
    same rows, if weights of items are whole. Otherwise these are added up in one way for all
    partitions, which may differ from that of pandas in the last digit; so may `pairwise` with
    quadratic weights, which does not count a frame in memory.

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
