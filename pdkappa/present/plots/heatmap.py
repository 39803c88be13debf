"""A square of raters → a heatmap of their agreement; no statistics."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from pdkappa.present.labels import drawn, measure, two_decimals
from pdkappa.present.plots.matrix import PictureCells, Shades, draw_cells
from pdkappa.present.schema import COLUMNS

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.axes import Axes

    from pdkappa._typing import FloatArray


def draw_heatmap(
    values: pd.DataFrame,
    n_items: pd.DataFrame,
    *,
    stat: str = "estimate",
    coefficient: str = "Cohen's kappa",
    weights: str | None = None,
    ax: Axes | None = None,
) -> Axes:
    """Draw what holds between each pair of raters as coloured cells.

    Parameters
    ----------
    values : DataFrame, shape (R, R)
        Rows and columns are the raters, in the order in which they are drawn. The diagonal is
        left blank.
    n_items : DataFrame, shape (R, R)
        How many items each pair has in common.
    stat : str
        Which column of `pairs` the values are.
    coefficient : str
        What the coefficient is called, for the label of the colour bar.
    weights : str, optional
        Name of the weighting, for the same label.

    Notes
    -----
    Agreement has the same colours in all pictures: white at 0, blue above and red below it.
    NaN is hatched. Text goes into the cells where it can be read: value and n, or the value
    alone, or nothing.
    """
    found = values.to_numpy(dtype=np.float64)
    labels = [drawn(name) for name in values.columns]
    kind = COLUMNS[stat].kind if stat in COLUMNS else "measure"
    name = measure(coefficient, weights)
    what = name if stat == "estimate" else f"{stat.replace('_', ' ')} ({name})"
    lines = [[[_number(value, kind) for value in row] for row in found]]
    counts = [[f"n={value:.10g}" for value in row] for row in n_items.to_numpy(dtype=np.float64)]
    cells = PictureCells(
        values=found,
        lines=lines if stat == "n_items" else [*lines, counts],
        blank=np.eye(len(labels), dtype=bool),
        rows=labels,
        columns=labels,
    )
    return draw_cells(cells, _shades(found[~cells.blank], kind, what), ax=ax)


def _number(value: float, kind: str) -> str:
    """Write a value; nothing for NaN."""
    if np.isnan(value):
        return ""
    return f"{value:.10g}" if kind == "count" else two_decimals(value)


def _shades(found: FloatArray, kind: str, label: str) -> Shades:
    """Choose colours: the same for all agreement, or from the least to the greatest value."""
    known = found[np.isfinite(found)]
    if kind == "agreement":
        return Shades("RdBu", -1, 1, -1 if (known < 0).any() else 0, label)
    low, high = (known.min(), known.max()) if len(known) else (0.0, 1.0)
    return Shades("Blues", min(low, 0), high if high > min(low, 0) else 1, min(low, 0), label)
