"""Chunks of ratings -> their distinct rows with how often each occurs, which add up.

Distinct rows stand in the order of their first appearance, which does not depend on how the
rows are cut into chunks. What is counted chunk by chunk is therefore what the whole frame gives.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

import numpy as np
import pandas as pd

from pdkappa.coefficients.rating_rows import LARGEST_KEY
from pdkappa.counts.cells import add_cells, cells_of_rows
from pdkappa.counts.concat import add_types, stack, types_of
from pdkappa.counts.distinct import code_values, number_rows
from pdkappa.errors import TooLargeError, WeightsError
from pdkappa.ratings.columns import numbers_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    from pdkappa._typing import FloatArray, IntArray, Label
    from pdkappa.counts.cells import PairCells
    from pdkappa.counts.concat import Types

LARGEST_CHUNK = 1 << 26  # cells, of 9 bytes or fewer
LARGEST_WHOLE = 2.0**32
FEWEST_ROWS = 1 << 12
MOST_WAITING = 1 << 17  # rows


@dataclass(frozen=True)
class Chunk:
    """The distinct rows of some columns, with how often each occurs.

    Attributes
    ----------
    frame : DataFrame, shape (U, C)
        The distinct rows, in order of first appearance.
    count : ndarray of int, shape (U,)
        Number of items with these values, or the sum of their weights where these are whole.
    unit : ndarray of float, shape (U,), or None
        What one count stands for, if the items have weights: 1 where these are whole, the
        weight itself where it is zero, fractional or very large; rows of one unit are distinct
        from those of another.
    raters : list of column labels, or None
        The raters, if nothing but their pairs will be asked for.
    cells : PairCells or None
        The counts of their pairs in rows that hardly repeat, and so are not in `frame`.
    types : dict
        The types of the columns that are Categoricals in the chunks that were added up.
    """

    frame: pd.DataFrame
    count: IntArray
    unit: FloatArray | None = None
    raters: list[Label] | None = None
    cells: PairCells | None = None
    types: Types = field(default_factory=dict)

    @property
    def size(self) -> int:
        """Number of counts."""
        return len(self.count) + (0 if self.cells is None else len(self.cells.counts.count))

    @property
    def weights(self) -> FloatArray:
        """Number of items with these values, or their total weight, shape (U,)."""
        count = self.count.astype(np.float64)
        return count if self.unit is None else count * self.unit


def count_rows(
    frame: pd.DataFrame,
    columns: list[Label],
    *,
    weight: Label | None = None,
    of_pairs: list[Label] | None = None,
    times: IntArray | None = None,
) -> Chunk:
    """Count the distinct rows of some columns of a frame, which is never changed.

    `weight` is the column of the frequency weights, which are no part of the rows. If nothing but
    the pairs of the raters `of_pairs` will be asked for, rows that hardly repeat are given as
    counts of pairs. `times` is how often each row occurs, shape (N,), if that was counted before.
    """
    count: IntArray = np.ones(len(frame), dtype=np.int64) if times is None else times
    unit = None
    if weight is not None:
        whole, unit = _whole_weights(
            numbers_of(frame[weight], f"sample_weight={weight!r}", WeightsError)
        )
        count = count * whole
    rows = frame[columns]
    return _smaller(_distinct(Chunk(rows, count, unit, of_pairs, types=types_of(rows))))


def merge(chunks: Sequence[Chunk]) -> Chunk:
    """Add up chunks of the same columns, at least one, in the order of the rows of the whole."""
    if len(chunks) == 1:
        return chunks[0]
    if any(chunk.cells is not None for chunk in chunks):
        chunks = [_as_cells(chunk, LARGEST_KEY) for chunk in chunks]
    units = [chunk.unit for chunk in chunks if chunk.unit is not None]
    rows = _distinct(
        Chunk(
            stack([chunk.frame for chunk in chunks]),
            np.concatenate([chunk.count for chunk in chunks]),
            np.concatenate(units) if units else None,
            chunks[0].raters,
            types=add_types([chunk.types for chunk in chunks]),
        )
    )
    cells = [chunk.cells for chunk in chunks if chunk.cells is not None]
    merged = replace(rows, cells=add_cells(cells)) if cells else _smaller(rows)
    check_distinct_rows(*merged.frame.shape)
    n_cells = merged.size - len(merged.count)
    if n_cells > LARGEST_CHUNK:
        message = (
            f"Pairs of raters have {n_cells} cells of two ratings; the limit is {LARGEST_CHUNK}. "
            "Pass fewer raters, or round the ratings."
        )
        raise TooLargeError(message)
    return merged


def check_distinct_rows(n_rows: int, n_columns: int) -> None:
    """Refuse more cells than the distinct rows should have."""
    if n_rows * n_columns > LARGEST_CHUNK:
        message = (
            f"{n_rows} distinct rows of {n_columns} columns are {n_rows * n_columns} cells; the "
            f"limit is {LARGEST_CHUNK}. Pass fewer raters, round the ratings, or leave out "
            "columns that tell items apart, such as cluster."
        )
        raise TooLargeError(message)


class Adder:
    """Adds up chunks in the order of the rows; few wait to be merged, so that little is held."""

    def __init__(self) -> None:
        """Start without a chunk."""
        self._known: list[Chunk] = []
        self._waiting: list[Chunk] = []

    def add(self, chunk: Chunk) -> None:
        """Take one chunk more."""
        self._waiting.append(chunk)
        known, waiting = (sum(one.size for one in held) for held in (self._known, self._waiting))
        if waiting > max(MOST_WAITING, 2 * known):
            self.total()

    def if_any(self) -> list[Chunk]:
        """Return the sum of the chunks, if there are any."""
        return [self.total()] if self._known or self._waiting else []

    def total(self) -> Chunk:
        """Return the sum of the chunks, of which there must be one or more."""
        self._known, self._waiting = [merge([*self._known, *self._waiting])], []
        return self._known[0]


def _whole_weights(weights: FloatArray) -> tuple[IntArray, FloatArray]:
    """Split weights into a whole number and its unit, so that sums are those of integers."""
    whole = (weights == np.floor(weights)) & (weights > 0) & (weights < LARGEST_WHOLE)
    count = np.where(whole, weights, 1.0).astype(np.int64)
    return count, np.where(whole, 1.0, weights + 0.0)


def _distinct(chunk: Chunk) -> Chunk:
    """Merge equal rows, in order of first appearance."""
    columns = [chunk.frame.iloc[:, place] for place in range(chunk.frame.shape[1])]
    codes = [code_values(column) for column in columns]
    if chunk.unit is not None:
        codes.append(pd.factorize(chunk.unit)[0])
    first, place = number_rows(codes, len(chunk.count))
    if len(first) == len(chunk.count):
        return chunk
    count = np.zeros(len(first), dtype=np.int64)
    np.add.at(count, place, chunk.count)
    unit = None if chunk.unit is None else chunk.unit[first]
    return replace(chunk, frame=chunk.frame.iloc[first], count=count, unit=unit)


def _smaller(chunk: Chunk) -> Chunk:
    """Count pairs instead of rows, if nothing else matters and this takes less room."""
    n_rows = len(chunk.count)
    return chunk if n_rows < FEWEST_ROWS else _as_cells(chunk, n_rows * len(chunk.raters or ()))


def _as_cells(chunk: Chunk, largest: int) -> Chunk:
    """Count pairs instead of the rows of whole weights, if nothing else matters."""
    whole = np.ones(len(chunk.count), dtype=bool) if chunk.unit is None else chunk.unit == 1
    if chunk.raters is None or chunk.cells is not None or not whole.any():
        return chunk
    cells = cells_of_rows(chunk.frame[whole], chunk.count[whole], chunk.raters, largest=largest)
    if cells is None:
        return chunk
    unit = None if chunk.unit is None else chunk.unit[~whole]
    count = chunk.count[~whole]
    return replace(chunk, frame=chunk.frame[~whole], count=count, unit=unit, cells=cells)
