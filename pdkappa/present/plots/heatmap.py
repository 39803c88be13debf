"""A square of raters → a heatmap of their agreement, or one for each group; no statistics."""

from __future__ import annotations

import math
import textwrap
from typing import TYPE_CHECKING, Any

import numpy as np

from pdkappa.present.fonts import drawable
from pdkappa.present.headings import heading_of
from pdkappa.present.labels import drawn, measure, shortened, two_decimals, wrapped
from pdkappa.present.plots.drawing import (
    FEWEST,
    INCH,
    PLAIN,
    check_characters,
    check_matplotlib,
    fit,
    points_of,
    settle,
)
from pdkappa.present.plots.matrix import (
    PictureCells,
    Shades,
    draw_cells,
    paint_cells,
    refit_cells,
    sides_of,
    write_cells,
)
from pdkappa.present.schema import COLUMNS

if TYPE_CHECKING:
    from collections.abc import Sequence

    import numpy.typing as npt
    import pandas as pd
    from matplotlib.axes import Axes

    from pdkappa._typing import FloatArray

WIDEST = 20.0  # inches, all squares of a row
ONE_ROW = 3  # squares that stand in one row
SMALLEST = 2.4  # inches, a square among several
BESIDE, ABOVE = 1.1, 0.4  # inches: the colour bar, and a title
TITLE = 0.75  # of the width of a square, at most: layouts take some of it
LETTER = 0.6  # of the size of the font, a letter
LINES = 2  # of a title above a square of the caller


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
    check_matplotlib()
    check_characters(values.columns)
    cells = _cells(values, n_items, stat)
    return draw_cells(cells, _shades([cells], stat, measure(coefficient, weights)), ax=ax)


def draw_heatmaps(
    groups: dict[str, tuple[pd.DataFrame, pd.DataFrame]],
    *,
    stat: str,
    coefficient: str,
    weights: str | None = None,
    ax: Sequence[Axes] | None = None,
) -> npt.NDArray[Any]:
    """Draw a heatmap for each of some groups, with the same colours.

    Parameters
    ----------
    groups : dict
        By the title of each group, `values` and `n_items` of `draw_heatmap`, with the same raters.
    stat, coefficient, weights : str
        As of `draw_heatmap`.
    ax : sequence of Axes, optional
        As many as groups. Default: a new figure, in which neighbours share labels.
    """
    check_matplotlib()
    check_characters(groups, *(values.columns for values, _ in groups.values()))
    all_cells = [_cells(values, n_items, stat) for values, n_items in groups.values()]
    shades = _shades(all_cells, stat, measure(coefficient, weights))
    is_new = ax is None
    axes, n_columns = _grid(all_cells) if ax is None else _given(ax)
    painted, titles = [], list(groups) if is_new else _short(axes[0], list(groups))
    for place, (one, title, cells) in enumerate(zip(axes, titles, all_cells, strict=True)):
        is_last = place % n_columns == n_columns - 1
        painted.append(paint_cells(one, cells, shades, is_new=is_new, bar=is_last))
        if is_new:
            is_lowest = place + n_columns >= len(axes)
            one.tick_params(labelleft=place % n_columns == 0, labelbottom=is_lowest)
        _entitle(one, title)
        fit(one, is_new=False)
    settle(axes[0])
    if not is_new:
        for one, cells in zip(axes, all_cells, strict=True):
            refit_cells(one, cells)
            fit(one, is_new=False)
        settle(axes[0])
    for one, cells, rgba in zip(axes, all_cells, painted, strict=True):
        write_cells(one, cells, rgba)
    return axes


def _entitle(ax: Axes, title: str) -> None:
    """Write a title above a square, in lines no wider than that."""
    ax.set_title(textwrap.fill(drawable(title), _letters(ax)), **PLAIN)


def _letters(ax: Axes) -> int:
    """Count the letters of a title that are as wide as a square."""
    width = TITLE * points_of(ax)[0] / (LETTER * float(ax.title.get_fontsize()))
    return max(int(width), FEWEST)


def _short(ax: Axes, titles: list[str]) -> list[str]:
    """Shorten titles to what has room above a square of the caller."""
    return shortened([drawable(title) for title in titles], LINES * _letters(ax), distinct=False)


def _given(ax: Sequence[Axes]) -> tuple[npt.NDArray[Any], int]:
    """Take given axes as those of one row."""
    axes = np.asarray(ax, dtype=object).ravel()
    return axes, len(axes)


def _grid(cells: list[PictureCells]) -> tuple[npt.NDArray[Any], int]:
    """Make a figure with as many axes, and tell how many are in a row."""
    from matplotlib import pyplot as plt
    from matplotlib import rcParams

    n_columns = len(cells) if len(cells) <= ONE_ROW else math.ceil(math.sqrt(len(cells)))
    n_rows = math.ceil(len(cells) / n_columns)
    side = max(min(sides_of(cells[0])[0], WIDEST / n_columns), SMALLEST)
    lines = [line for label in cells[0].columns for line in wrapped(label).split("\n")]
    label = LETTER * rcParams["font.size"] / INCH * max(map(len, lines), default=0)
    width = n_columns * side + label + BESIDE
    height = n_rows * (side + ABOVE) + label
    grid = plt.subplots(
        n_rows, n_columns, squeeze=False, figsize=(width, height), layout="constrained"
    )[1]
    axes = grid.ravel()
    for one in axes[len(cells) :]:
        one.remove()
    return axes[: len(cells)], n_columns


def _cells(values: pd.DataFrame, n_items: pd.DataFrame, stat: str) -> PictureCells:
    """Write what is in the cells."""
    found = values.to_numpy(dtype=np.float64)
    labels = [drawn(name) for name in values.columns]
    lines = [[[_number(value, _kind(stat)) for value in row] for row in found]]
    counts = [[f"n={value:.10g}" for value in row] for row in n_items.to_numpy(dtype=np.float64)]
    return PictureCells(
        values=found,
        lines=lines if stat == "n_items" else [*lines, counts],
        blank=np.eye(len(labels), dtype=bool),
        rows=labels,
        columns=labels,
    )


def _kind(stat: str) -> str:
    """Tell what kind of number it is."""
    return COLUMNS[stat].kind if stat in COLUMNS else "measure"


def _number(value: float, kind: str) -> str:
    """Write a value; nothing for NaN."""
    if np.isnan(value):
        return ""
    return f"{value:.10g}" if kind == "count" else two_decimals(value)


def _shades(cells: list[PictureCells], stat: str, name: str) -> Shades:
    """Choose colours: the same for all agreement, or from the least to the greatest value."""
    label = name if stat == "estimate" else f"{heading_of(stat)} ({name})"
    found = np.concatenate([found[~blank] for found, _, blank, *_ in cells])
    known: FloatArray = found[np.isfinite(found)]
    if _kind(stat) == "agreement":
        return Shades("RdBu", -1, 1, -1 if (known < 0).any() else 0, label)
    low, high = (known.min(), known.max()) if len(known) else (0.0, 1.0)
    return Shades("Blues", min(low, 0), high if high > min(low, 0) else 1, min(low, 0), label)
