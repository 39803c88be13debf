"""Where cells are, in the words of a spreadsheet."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeAlias

from pdkappa.present.excel.cells import cell_name
from pdkappa.present.excel.names import quoted

if TYPE_CHECKING:
    from collections.abc import Hashable, Mapping

    from pdkappa.present.excel.formulas import CellRange, Formula
    from pdkappa.present.excel.grids import SheetGrid

Places: TypeAlias = "Mapping[tuple[Hashable, int], SheetGrid]"
LONGEST = 8192  # characters of a formula


def written(formula: Formula, places: Places, here: str) -> str | None:
    """Write a formula as it stands in a cell of one of the sheets.

    Parameters
    ----------
    formula : Formula
    places : mapping of (key, part) to SheetGrid
        Where the frames of the workbook stand.
    here : str
        Name of the worksheet that holds the formula.

    Returns
    -------
    str or None
        The formula; None if it is longer than a cell can hold.
    """
    names = {
        name: address(cells, places[cells.sheet, cells.part], here)
        for name, cells in formula.cells.items()
    }
    text = "=" + formula.text.format_map(names)
    return text if len(text) <= LONGEST else None


def address(cells: CellRange, grid: SheetGrid, here: str) -> str:
    """Name cells as a formula does."""
    corners = zip(cells.rows, cells.columns, strict=True)
    ends = [cell_name(grid.top + row, grid.n_labels + column) for row, column in corners]
    name = ends[0] if ends[0] == ends[1] else ":".join(ends)
    return name if grid.name == here else f"{quoted(grid.name)}!{name}"


def area(grid: SheetGrid, rows: tuple[int, int], columns: tuple[int, int]) -> str:
    """Name cells as a chart does, labels being columns too; both ends are within."""
    corners = zip(rows, columns, strict=True)
    ends = [cell_name(grid.top + row, column, fixed=True) for row, column in corners]
    return f"{quoted(grid.name)}!{':'.join(ends)}"
