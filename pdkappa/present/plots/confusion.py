"""A table of two raters → coloured cells: counts, and residuals against chance."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from pdkappa.present.labels import drawn
from pdkappa.present.plots.drawing import check_characters, check_matplotlib
from pdkappa.present.plots.matrix import PictureCells, Shades, draw_cells

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.axes import Axes

SATURATED = 4.0  # a residual that is hardly chance, from where on the colours are the same
RESIDUAL = "Pearson residual against chance"


def draw_confusion(
    counts: pd.DataFrame,
    residuals: pd.DataFrame | None = None,
    *,
    ax: Axes | None = None,
) -> Axes:
    """Draw how often two raters gave which categories, and how that differs from chance.

    Parameters
    ----------
    counts : DataFrame, shape (K, K)
        As `confusion` returns it: the index is named after the first rater, the columns after
        the second.
    residuals : DataFrame, shape (K, K), optional
        What to colour; each is written below its count. Default: the counts have the
        colours.

    Notes
    -----
    Residuals are blue where the cell has more items than by chance, red where it has
    fewer, and have the same colours from 4 on [1]_. A cell is hatched if chance expects no item
    in it.

    References
    ----------
    .. [1] Friendly, M. (1994). Mosaic displays for multi-way contingency tables. Journal of the
           American Statistical Association, 89(425), 190-200.
           https://doi.org/10.1080/01621459.1994.10476460
    """
    check_matplotlib()
    check_characters(counts.index, counts.columns, counts.index.names, counts.columns.names)
    found = counts.to_numpy(dtype=np.float64)
    written = [[[f"{value:.10g}" for value in row] for row in found]]
    if residuals is None:
        shown = found
        highest = found.max(initial=0)
        shades = Shades("Blues", 0, highest if highest > 0 else 1, 0, "items")
    else:
        shown = residuals.to_numpy(dtype=np.float64)
        written.append([[_signed(value) for value in row] for row in shown])
        shades = Shades("RdBu", -SATURATED, SATURATED, -SATURATED, RESIDUAL)
    cells = PictureCells(
        values=shown,
        lines=written,
        blank=np.zeros(shown.shape, dtype=bool),
        rows=[drawn(label) for label in counts.index],
        columns=[drawn(label) for label in counts.columns],
    )
    names = drawn(counts.index.name), drawn(counts.columns.name)
    return draw_cells(cells, shades, names=names, ax=ax)


def _signed(value: float) -> str:
    """Write a residual with its sign; nothing for NaN."""
    from matplotlib.ticker import Formatter

    return "" if np.isnan(value) else Formatter.fix_minus(f"{value:+z.1f}")
