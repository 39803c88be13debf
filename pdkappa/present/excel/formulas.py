"""Formulas: cells of frames by position, put into the words of a spreadsheet."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Hashable, Mapping, Sequence


class CellRange(NamedTuple):
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
    cells : mapping of str to CellRange
        What the names stand for.
    """

    text: str
    cells: Mapping[str, CellRange]


def same_as(cells: CellRange) -> Formula:
    """Show what another cell shows."""
    return Formula("{cell}", {"cell": cells})


def over(function: str, cells: Sequence[CellRange]) -> Formula:
    """Apply a function to several cells, such as a sum over sheets.

    >>> over("SUM", [CellRange("a", (0, 0), (0, 0)), CellRange("b", (0, 0), (0, 0))]).text
    'SUM({c0},{c1})'
    """
    names = [f"c{number}" for number in range(len(cells))]
    arguments = ",".join(f"{{{name}}}" for name in names)
    return Formula(f"{function}({arguments})", dict(zip(names, cells, strict=True)))
