"""How much of a long or wide table is shown: its ends."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np
import pandas as pd

if TYPE_CHECKING:
    from pdkappa._typing import FloatArray, IntArray

GAP = "..."  # stands for what is left out
MOST_COLUMNS = 20  # where pandas leaves it to the width of a terminal


class TextCells(NamedTuple):
    """A frame as it is shown.

    Attributes
    ----------
    text : DataFrame, shape (N, M)
        What stands in each cell; the labels of the rows are those of the frame.
    heat : ndarray of float, shape (N, M)
        The coefficient that a cell shows, which gives it its colour; NaN for all others.
    """

    text: pd.DataFrame
    heat: FloatArray


class Window(NamedTuple):
    """The most rows and columns that are shown, and how many rows of a longer table."""

    max_rows: int | None = None
    min_rows: int | None = None
    max_columns: int | None = None

    def rows(self, n: int) -> IntArray:
        """Find the rows that are shown of so many."""
        return _ends(n, self.max_rows, self.min_rows)

    def columns(self, n: int) -> IntArray:
        """Find the columns that are shown of so many."""
        return _ends(n, self.max_columns, None)


WHOLE = Window()


def usual() -> Window:
    """Show as much as pandas does."""
    return Window(
        pd.get_option("display.max_rows"),
        pd.get_option("display.min_rows"),
        pd.get_option("display.max_columns") or MOST_COLUMNS,
    )


def with_gaps(cells: TextCells, rows: IntArray, columns: IntArray) -> TextCells:
    """Mark where rows and columns were left out."""
    texts, heat = cells.text.to_numpy(dtype=object), cells.heat
    labels = []
    for axis, (kept, own) in enumerate(((rows, cells.text.index), (columns, cells.text.columns))):
        gap = np.flatnonzero(np.diff(kept) > 1) + 1
        texts, heat = np.insert(texts, gap, GAP, axis), np.insert(heat, gap, np.nan, axis)
        labels.append(_labels(own, int(gap[0])) if len(gap) else own)
    index, header = labels
    return cells._replace(text=pd.DataFrame(texts, index=index, columns=header), heat=heat)


def _ends(n: int, most: int | None, few: int | None) -> IntArray:
    """Find the first and the last ones of n, or all if they are few."""
    if not most or n <= most:
        return np.arange(n)
    shown = min(few or most, most)
    return np.r_[: (shown + 1) // 2, n - shown // 2 : n]


def _labels(labels: pd.Index, gap: int) -> pd.Index:
    """Put a label where some were left out."""
    shown = list(labels)
    if isinstance(labels, pd.MultiIndex):
        shown.insert(gap, (GAP,) * labels.nlevels)
        return pd.MultiIndex.from_tuples(shown, names=labels.names)
    shown.insert(gap, GAP)
    return pd.Index(shown, dtype=object, tupleize_cols=False, name=labels.name)
