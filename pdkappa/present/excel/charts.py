"""What native charts of a workbook show, and where they stand."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

if TYPE_CHECKING:
    from collections.abc import Hashable, Sequence

# Sizes are in pixels.
LINE_HEIGHT = 20  # of a row of cells
WIDTH, WHOLE_WIDTH, HEIGHT = 560, 1140, 300
MOST_NARROW = 20  # bars that a narrow chart has room for
ABOVE, BELOW, BESIDE = 50, 58, 20  # of the plot area
POINT, MEAN, HEAD = "point", "mean", "head"


@dataclass(frozen=True)
class Chart:
    """What a chart shows.

    Parameters
    ----------
    kind : {"forest", "bars"}
        Estimates with their limits, one below the other; or a column for each row.
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
    n_labels: int = 1
    of_labels: str = ""

    @property
    def width(self) -> int:
        """Width in pixels."""
        return WHOLE_WIDTH if self.kind == "bars" and len(self.names) > MOST_NARROW else WIDTH

    @property
    def height(self) -> int:
        """Height in pixels."""
        if self.kind == "bars":
            return HEIGHT
        return max(LINE_HEIGHT * len(self.names) + ABOVE + BELOW, HEIGHT // 2)

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
