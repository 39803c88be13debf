"""Formulas: cells of frames by position, put into the words of a spreadsheet."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple, TypeAlias

from pdkappa.present.excel.cells import cell_name
from pdkappa.present.excel.names import quoted

if TYPE_CHECKING:
    from collections.abc import Hashable, Mapping, Sequence

    from pdkappa.present.excel.sheets import Grid

Places: TypeAlias = "Mapping[tuple[Hashable, int], Grid]"

LONGEST = 8192  # characters of a formula


class Cells(NamedTuple):
    """Cells of a frame in a workbook: one, or a rectangle of them.

    Attributes
    ----------
    sheet : hashable
        Key of the sheet.
    rows, columns : tuple of (int, int)
        First and last position in the frame, without its labels; both count from 0.
    part : int
        0 for the frame of the sheet itself, else the number of its part.
    """

    sheet: Hashable
    rows: tuple[int, int]
    columns: tuple[int, int]
    part: int = 0


@dataclass(frozen=True)
class Formula:
    """A formula over cells.

    Parameters
    ----------
    text : str
        The formula without its equals sign; ``{name}`` stands for cells.
    cells : mapping of str to Cells
        What the names stand for.
    """

    text: str
    cells: Mapping[str, Cells]


def same_as(cells: Cells) -> Formula:
    """Show what another cell shows."""
    return Formula("{cell}", {"cell": cells})


def over(function: str, cells: Sequence[Cells]) -> Formula:
    """Apply a function to several cells, such as a sum over sheets.

    >>> over("SUM", [Cells("a", (0, 0), (0, 0)), Cells("b", (0, 0), (0, 0))]).text
    'SUM({c0},{c1})'
    """
    names = [f"c{number}" for number in range(len(cells))]
    arguments = ",".join(f"{{{name}}}" for name in names)
    return Formula(f"{function}({arguments})", dict(zip(names, cells, strict=True)))


def written(formula: Formula, places: Places, here: Hashable) -> str | None:
    """Write a formula as it stands in a cell of one of the sheets.

    Parameters
    ----------
    formula : Formula
    places : mapping of (key, part) to Grid
        Where the frames of the workbook stand.
    here : hashable
        Key of the sheet that holds the formula.

    Returns
    -------
    str or None
        The formula; None if it is longer than a cell can hold.
    """
    names = {
        name: address(cells, places[cells.sheet, cells.part], is_here=cells.sheet == here)
        for name, cells in formula.cells.items()
    }
    text = "=" + formula.text.format_map(names)
    return text if len(text) <= LONGEST else None


def address(cells: Cells, grid: Grid, *, is_here: bool) -> str:
    """Name cells as a formula does."""
    corners = zip(cells.rows, cells.columns, strict=True)
    ends = [cell_name(grid.top + row, grid.n_labels + column) for row, column in corners]
    name = ends[0] if ends[0] == ends[1] else ":".join(ends)
    return name if is_here else f"{quoted(grid.name)}!{name}"
