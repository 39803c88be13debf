"""Estimates with their intervals → strips on a common axis, as a forest plot has them."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias

import numpy as np

from pdkappa.present.excel.sheets import totals_in
from pdkappa.present.html.cells import SHORT, Cell
from pdkappa.present.html.views import (
    MOST_ROWS,
    OF_ROWS,
    ROWS,
    label,
    left_out,
    number,
    reasons_in,
    row_heading,
)
from pdkappa.present.labels import reason_in_words
from pdkappa.present.text.figures import UNDEFINED, with_interval

if TYPE_CHECKING:
    from collections.abc import Hashable, Sequence

    import pandas as pd

    from pdkappa._typing import BoolArray

EDGE = 4.0  # per cent of the width that stay free at either side
MOST_TICKS = 6  # of an axis, unless no step is wide enough
TICK_STEPS = (0.02, 0.05, 0.1, 0.2, 0.5, 1.0, 2.0, 5.0, 10.0)
NARROWEST = 0.1  # axis, on which there are ticks
LARGEST, SMALLEST = 11.0, 5.0  # pixels, sides of the squares
MOST_STRIPS = 45  # that are shown at once
LONG_FOREST = 15  # strips, beyond which there is an axis above, too


class Strip(NamedTuple):
    """One row of a forest plot.

    Attributes
    ----------
    label, n_items, figures : Cell
        What is written: the figures are the estimate and its interval.
    low, middle, high : str
        Where the interval and the estimate are, in per cent of the width; empty where there
        is none.
    tip : str
        Where the estimate is between the limits, in per cent of their distance.
    size : str
        Side of the square in pixels; empty for a mean, which is a diamond.
    later : bool
        Whether it waits until all are asked for.
    """

    label: Cell
    n_items: Cell
    figures: Cell
    low: str
    middle: str
    high: str
    tip: str
    size: str
    later: bool = False


Blocks: TypeAlias = list[tuple[str, list[Strip]]]


class Forest(NamedTuple):
    """Strips in blocks, each with a title that may be empty, and what they share.

    Attributes
    ----------
    caption : str
    header : str
        What the labels of the strips are.
    level : str
        The confidence level in words.
    blocks : list of (str, list of Strip)
    ticks : list of (str, str)
        Places on the axis in per cent, with their numbers.
    zero : str
        The place of agreement by chance; empty if it is beyond the axis.
    notes : list of str
    more : str
        How many strips are shown at first, and of how many; empty if all are.
    is_long : bool
        Whether it has an axis above, too.
    """

    caption: str
    header: str
    level: str
    blocks: list[tuple[str, list[Strip]]]
    ticks: list[tuple[str, str]]
    zero: str
    notes: list[str]
    more: str = ""
    is_long: bool = False


class Axis(NamedTuple):
    """The range of numbers that the width of a strip stands for."""

    low: float
    high: float

    def place(self, value: float) -> str:
        """Return the place of a number in per cent of the width; empty for NaN."""
        if math.isnan(value):
            return ""
        share = (value - self.low) / (self.high - self.low)
        return f"{EDGE + (100 - 2 * EDGE) * share:.2f}"

    def ticks(self) -> list[tuple[str, str]]:
        """Choose round numbers; return the place and the text of each."""
        for step in TICK_STEPS:
            # A tick on the very edge may miss it by rounding.
            first, last = math.ceil(self.low / step - 1e-9), math.floor(self.high / step + 1e-9)
            if last - first < MOST_TICKS:
                break
        values = [step * place for place in range(first, last + 1)]
        return [(self.place(one), f"{one:z.2f}".rstrip("0").rstrip(".")) for one in values]


def forest(
    caption: str, frame: pd.DataFrame, level: str, totals: Sequence[Hashable] = ()
) -> Forest:
    """Lay out the strips of a frame.

    Parameters
    ----------
    caption : str
        The caption.
    frame : DataFrame
        With the columns ``n_items, estimate, ci_low, ci_high, reason``, and either ``se`` or
        ``se_fisher_z`` for the size of the squares. The last level of the index names the
        strips, the others the blocks.
    level : str
        The confidence level in words, such as ``"95 %"``.
    totals : list of hashable, default ()
        Labels of strips that are means.
    """
    is_mean = totals_in(frame.index, totals)
    is_shown = np.where(is_mean, is_mean.cumsum(), (~is_mean).cumsum()) <= MOST_ROWS
    shown, axis = frame[is_shown], _axis(frame[is_shown])
    size = _sizes(shown, is_mean[is_shown])
    blocks: dict[str, list[Strip]] = {}
    sides = np.where(is_mean[is_shown], "", size).tolist()
    are_known = shown.index.names[-1] in OF_ROWS
    for labels, side, (_, row) in zip(shown.index, sides, shown.iterrows(), strict=True):
        names = labels if isinstance(labels, tuple) else (labels,)
        block = " x ".join(text for text in (label(one).text for one in names[:-1]) if text)
        name = ROWS.get(names[-1], names[-1]) if are_known or not side else names[-1]
        strip = _strip(name, row, axis, side)
        blocks.setdefault(block, []).append(strip)
    n_strips = int((~is_mean[is_shown]).sum())
    made, n_first = _first(list(blocks.items()))
    return Forest(
        caption,
        row_heading(frame.index.names[-1] or "").text,
        level,
        made,
        axis.ticks(),
        axis.place(0.0) if axis.low <= 0 <= axis.high else "",
        [*left_out(int((~is_mean).sum()), MOST_ROWS), *reasons_in(shown)],
        more=f"{n_first} of {n_strips} rows" if n_first < n_strips else "",
        is_long=len(shown) > LONG_FOREST,
    )


def _first(blocks: Blocks) -> tuple[Blocks, int]:
    """Let strips of a long plot wait, and the means of blocks that wait; count the others."""
    found: Blocks = []
    n, is_long = 0, sum(len(strips) for _, strips in blocks) > MOST_STRIPS
    for name, strips in blocks:
        room = min(SHORT, MOST_STRIPS - n) if is_long else len(strips)
        first = [one for one in strips if one.size][:room]
        waits = not first and any(one.size for one in strips)
        known = {id(one) for one in first}
        found.append(
            (
                name,
                [
                    one._replace(later=waits or bool(one.size and id(one) not in known))
                    for one in strips
                ],
            )
        )
        n += len(first)
    return found, n


def _axis(frame: pd.DataFrame) -> Axis:
    """Choose the range that holds every estimate and limit; 0 to 1 if there is none."""
    values = frame[["estimate", "ci_low", "ci_high"]].to_numpy(float)
    values = values[np.isfinite(values)]
    if not len(values):
        return Axis(0.0, 1.0)
    low, high = float(values.min()), float(values.max())
    missing = max(0.0, NARROWEST - (high - low)) / 2
    over = max(0.0, high + missing - 1) if high <= 1 else 0.0  # which no coefficient is
    return Axis(low - missing - over, high + missing - over)


def _sizes(frame: pd.DataFrame, is_mean: BoolArray) -> list[str]:
    """Choose the sides of the squares: the smaller the standard error, the larger."""
    se = frame["se_fisher_z" if "se_fisher_z" in frame else "se"].astype(float)
    least = se[(se > 0) & ~is_mean].min()
    sides = (LARGEST * least / se.where(se > 0, least)).clip(lower=SMALLEST)
    return [f"{side:.1f}" for side in sides.fillna(SMALLEST)]


def _strip(name: Hashable, row: pd.Series[Any], axis: Axis, size: str) -> Strip:
    """Lay out one strip."""
    estimate, low, high = (float(row[one]) for one in ("estimate", "ci_low", "ci_high"))
    text = with_interval(estimate, low, high) if math.isfinite(estimate) else UNDEFINED
    reason = reason_in_words(row["reason"]) if isinstance(row["reason"], str) else ""
    figures = number(estimate, "agreement")._replace(text=f"{text} {reason}".rstrip())
    width = high - low
    return Strip(
        label=label(name),
        n_items=number(row["n_items"], "count"),
        figures=figures,
        low=axis.place(low),
        middle=axis.place(estimate),
        high=axis.place(high),
        tip=f"{100 * (estimate - low) / width:.2f}" if width > 0 else "",
        size=size,
    )
