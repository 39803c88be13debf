"""What native charts of a workbook show, and where they stand."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal, TypeAlias

from pdkappa.present.excel.cells import display_width

if TYPE_CHECKING:
    from collections.abc import Hashable, Sequence

# Sizes are in pixels.
LINE_HEIGHT = 20  # of a row of cells
WIDTH, WHOLE_WIDTH, HEIGHT = 530, 1080, 300
ABOVE, BELOW, BESIDE = 50, 58, 20  # of the plot area
AXIS = 0.9  # part of the width that the labels of columns have
OF_DIGIT, OF_SMALL_DIGIT = 6.2, 4.8  # of a label
APART = 0.3  # of labels, in digits
POINT, MEAN, HEAD = "point", "mean", "head"
Form: TypeAlias = Literal["narrow", "wide", "flat"]


@dataclass(frozen=True)
class Chart:
    """What a chart shows.

    Parameters
    ----------
    kind : {"forest", "bars"}
        Estimates with their limits, one below the other; or a bar for each row.
    title, unit : str
        What stands above, and beside the axis of the values.
    source : hashable
        Key of the sheet with the data. Of a forest the columns are the label, the estimate, its
        distances from its limits, the place from below and the least value of the axis; of bars
        the labels, and the value last.
    names : tuple of str
        Labels of the rows, from above.
    kinds : tuple of {"point", "mean", "head"}, default ()
        What the rows of a forest are: estimates, means of others, or words alone.
    axis : tuple of (float, float), default (0, 1)
        Least and greatest value.
    step : float, default 0.2
        Distance of two values that the axis names.
    n_labels : int, default 1
        Columns of labels, of bars.
    of_labels : str, default ""
        What the labels of bars are.
    """

    kind: Literal["forest", "bars"]
    title: str
    unit: str
    source: Hashable
    names: tuple[str, ...]
    kinds: tuple[str, ...] = ()
    axis: tuple[float, float] = (0.0, 1.0)
    step: float = 0.2
    n_labels: int = 1
    of_labels: str = ""

    @property
    def form(self) -> Form:
        """How bars are drawn: columns if their labels have room beside each other."""
        room = sum(display_width(name) + APART for name in self.names)
        if room * OF_DIGIT <= AXIS * WIDTH:
            return "narrow"
        return "wide" if room * OF_SMALL_DIGIT <= AXIS * WHOLE_WIDTH else "flat"

    @property
    def width(self) -> int:
        """Width in pixels."""
        return WHOLE_WIDTH if self.kind == "bars" and self.form == "wide" else WIDTH

    @property
    def height(self) -> int:
        """Height in pixels."""
        has_rows = self.kind == "forest" or self.form == "flat"
        return max(LINE_HEIGHT * len(self.names) * has_rows + ABOVE + BELOW, HEIGHT)

    @property
    def spoken(self) -> str:
        """What is told to those who do not see it."""
        what = "Forest plot" if self.kind == "forest" else "Bar chart"
        return f"{what}: {self.title}. The sheet Chart data, which is hidden, has its figures."

    @property
    def n_rows(self) -> int:
        """Rows of cells that the chart covers, and one free below."""
        return math.ceil(self.height / LINE_HEIGHT) + 1


def laid_out(charts: Sequence[Chart]) -> list[tuple[Chart, int, int]]:
    """Place charts side by side as far as they fit; with row of cells and pixels from the left."""
    found: list[tuple[Chart, int, int]] = []
    row = left = deepest = 0
    for chart in charts:
        if left + chart.width > WHOLE_WIDTH:
            row, left, deepest = row + deepest, 0, 0
        found.append((chart, row, left))
        left, deepest = left + chart.width + BESIDE, max(deepest, chart.n_rows)
    return found
