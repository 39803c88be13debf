"""The sheet of categories -> the same sheet, with the shares that agree as formulas."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from pdkappa.present.sheets import CellRange, Formula
from pdkappa.workbook.figures import guarded
from pdkappa.workbook.links import place

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from pdkappa.present.sheets import Sheet
    from pdkappa.workbook.figures import Live
    from pdkappa.workbook.links import Formulas

BOTH, ROW, COLUMN = "both", "row", "column"  # how the names of the cells begin


def with_categories(sheet: Sheet, live: Live) -> Sheet:
    """Let the share of the other raters who give a category too be that of the tables."""
    tables, in_use = live.estimates.tables, live.estimates.scale.in_use
    used = np.broadcast_to(in_use, (tables.n_groups, in_use.shape[-1]))
    if used.sum() != len(sheet.frame):
        return sheet
    formulas: Formulas = {}
    rows = iter(range(len(sheet.frame)))
    for group, one in enumerate(used):
        numbers = [group * tables.n_pairs + pair for pair in range(tables.n_pairs)]
        k = int(one.sum())
        for position in range(k):
            cells = dict(_cells(live, numbers, position, k))
            formulas[place(sheet, next(rows), "specific_agreement")] = share_of(cells)
    return replace(sheet, formulas=formulas)


def together(shares: Iterable[Formula]) -> Formula:
    """Compute one share of the cells of several, such as of a category in several groups."""
    return share_of({name: cell for one in shares for name, cell in one.cells.items()})


def share_of(cells: Mapping[str, CellRange]) -> Formula:
    """Twice the ratings of both raters over those of either."""
    both, row, column = (_sum(name, cells) for name in (BOTH, ROW, COLUMN))
    return Formula(guarded(f"{row}+{column}>0", f"2*{both}/({row}+{column})"), cells)


def _sum(begins: str, cells: Iterable[str]) -> str:
    """Add up the cells whose names begin so."""
    names = [f"{{{name}}}" for name in cells if name.partition("_")[0] == begins]
    return f"SUM({','.join(names)})"


def _cells(
    live: Live, numbers: Iterable[int], position: int, k: int
) -> Iterator[tuple[str, CellRange]]:
    """Find the cells of a category of K in some tables: on the diagonal, and its totals."""
    here, total = (position, position), (k, k)
    for number in numbers:
        key = live.key(number)
        yield f"{BOTH}_{number}", CellRange(key, here, here)
        yield f"{ROW}_{number}", CellRange(key, here, total)
        yield f"{COLUMN}_{number}", CellRange(key, total, here)
