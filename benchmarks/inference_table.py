"""Cells of the simulation of `inference.py`, and the Markdown that is made of them."""

from __future__ import annotations

import math
from collections import defaultdict
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Iterable

PAGE = Path(__file__).with_name("inference.md")
INSIDE = {"coverage": (0.93, 0.97), "size": (0.03, 0.07)}
WORST = {"coverage": (0.88, 1.0), "size": (0.0, 0.12)}
HALF = 0.5  # of the samples say so
FIELDS = ("family", "shares", "raters", "condition", "n")


class Cell(NamedTuple):
    """What came out for one row of one call in one design."""

    call: str
    row: str
    figure: str
    family: str
    shares: str
    raters: str
    condition: str
    n: str
    value: float
    marked: bool
    undefined: float
    is_second: bool = False

    def again(self, parts: Iterable[Cell]) -> Cell:
        """Return the cell of more samples, which came in several parts of the same size."""
        value, marked = np.mean([(part.value, part.marked) for part in parts], axis=0)
        return self._replace(value=float(value), marked=bool(marked >= HALF), is_second=True)

    @property
    def is_silent(self) -> bool:
        """Whether the share is outside, and the call does not say so."""
        return not (math.isnan(self.value) or self.is_inside or self.marked)

    @property
    def is_inside(self) -> bool:
        """Whether the share is as near to its level as is aimed at."""
        low, high = INSIDE[self.figure]
        return bool(low <= round(self.value, 3) <= high)

    @property
    def is_bad(self) -> bool:
        """Whether the share is so far off that the call must say so."""
        low, high = WORST[self.figure]
        return not low <= round(self.value, 3) <= high

    @property
    def name(self) -> str:
        """What was simulated."""
        return f"`{self.call}` {self.row}".strip()


def table(head: Iterable[str], rows: Iterable[Iterable[str]], n_texts: int) -> list[str]:
    """Write a Markdown table whose first columns are texts."""
    head = list(head)
    rule = "|---" * n_texts + "|---:" * (len(head) - n_texts) + "|"
    return [f"| {' | '.join(head)} |", rule, *(f"| {' | '.join(row)} |" for row in rows)]


def short(value: float) -> str:
    """Write a share without the zero before the point."""
    return f"{value:.3f}".removeprefix("0")


def parts_of(cells: list[Cell], *names: str) -> dict[tuple[str, ...], list[Cell]]:
    """Sort cells by some of their fields."""
    parts = defaultdict(list)
    for cell in cells:
        parts[tuple(getattr(cell, name) for name in names)].append(cell)
    return parts


def counted(cells: list[Cell], *by: str) -> list[str]:
    """Count the cells inside, and those outside without a mark, by some fields."""
    rows = []
    for names, some in parts_of(cells, *by, "figure").items():
        silent = [cell for cell in some if cell.is_silent]
        quantiles = np.quantile([cell.value for cell in some], (0, 0.5, 1))
        share = np.mean([cell.is_inside for cell in some])
        bad = sum(cell.is_bad for cell in silent)
        figures = [f"{share:.0%}", *map(short, quantiles), str(len(silent)), str(bad)]
        rows.append([*names, str(len(some)), *figures])
    last = ("inside", "lowest", "median", "highest", "outside, no mark", "bad, no mark")
    return table([*by, "figure", "cells", *last], rows, len(by) + 1)


def ranges(cells: list[Cell], columns: list[str]) -> list[str]:
    """Give the lowest and the highest share of every test and interval at each n."""
    rows = []
    for names, some in parts_of(cells, "name", "figure", "condition").items():
        at = parts_of(some, "n")
        values = [[cell.value for cell in at.get((n,), [])] for n in columns]
        rows.append([*names, *(f"{short(min(v))} to {short(max(v))}" if v else "" for v in values)])
    return table(["call", "figure", "ratings", *(f"n = {n}" for n in columns)], sorted(rows), 3)


def every(cells: list[Cell], columns: list[tuple[str, str]]) -> list[str]:
    """Write a line for each row of a call in each design, and a column for condition and n."""
    rows = []
    for names, some in sorted(parts_of(cells, "name", "figure", *FIELDS[:3]).items()):
        at = {(cell.condition, cell.n): cell for cell in some}
        rows.append([*names, *(shown(at[c]) if c in at else "" for c in columns)])
    head = ["call", "figure", "ratings", "shares", "R or G"]
    return table([*head, *(" ".join(column) for column in columns)], rows, len(head))


def shown(cell: Cell) -> str:
    """Write a share: bold is outside, a star says that the call marks it, ' that it is second."""
    value = short(cell.value) + "'" * cell.is_second
    return (value if cell.is_inside else f"**{value}**") + (r"\*" if cell.marked else "")


def named(cells: list[Cell]) -> list[str]:
    """List the cells that are bad and not marked."""
    bad = [cell for cell in cells if cell.is_bad and not cell.marked]
    return [
        f"- {name}, {figure}, {condition}: "
        + ", ".join(f"{c.family} {c.shares} {c.raters}/{c.n} {short(c.value)}" for c in some)
        for (name, figure, condition), some in parts_of(bad, "name", "figure", "condition").items()
    ] or ["None."]


def order(column: tuple[str, str]) -> tuple[bool, str, int, str]:
    """Sort complete ratings first, then by condition, then by n."""
    condition, n = column
    return condition != "complete", condition, len(n), n


def page(cells: list[Cell], n_samples: int) -> list[str]:
    """Return the summary, what is bad and not marked, and all cells."""
    cells = [cell for cell in cells if not math.isnan(cell.value)]
    of_groups = [cell for cell in cells if cell.call == "grouped"]
    of_raters = [cell for cell in cells if cell.call != "grouped"]
    inside, undefined = (
        np.mean([getattr(c, f) for c in cells]) for f in ("is_inside", "undefined")
    )
    n_bad = sum(cell.is_bad and not cell.marked for cell in cells)
    first = (
        f"{len(cells):,} cells of {n_samples:,} samples: {inside:.1%} inside; {n_bad} with a "
        f"coverage below .88 or a size above .12 are not marked. {undefined:.2%} of the "
        f"estimates are undefined. {sum(cell.is_second for cell in cells)} cells, outside without "
        "a mark, were simulated again with five times the samples."
    )
    text = ["<!-- summary -->", "", first, "", *counted(cells, "name")]
    for field in FIELDS:
        text += ["", *counted(of_raters, field)]
    for some in (of_raters, of_groups):
        columns = list(dict.fromkeys(cell.n for cell in some))
        text += ["", *ranges(some, sorted(columns, key=lambda n: (len(n), n)))]
    text += ["", "<!-- end of summary -->", "<!-- bad -->", "", *named(cells)]
    text += ["", "<!-- end of bad -->"]
    for some in (of_raters, of_groups):
        columns = {(cell.condition, cell.n) for cell in some}
        text += ["", *every(some, sorted(columns, key=order))]
    return text
