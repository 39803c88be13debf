"""What a table on a page is made of."""

from __future__ import annotations

from typing import NamedTuple

SHORT = 15  # rows of a long one that are shown until all are asked for
MOST_SHORT = 20  # rows that are shown at once


class Cell(NamedTuple):
    """What stands in one cell.

    Attributes
    ----------
    text : str
        What is seen, rounded.
    value : str
        The full value of a number that was rounded or grouped for show.
    css : str
        Classes: ``n`` number, ``none`` undefined, ``h0`` to ``h9`` and ``m0`` to ``m3``
        colours, ``same`` the diagonal, ``sum`` a total.
    title : str
        What the cell tells when it is pointed at.
    """

    text: str
    value: str = ""
    css: str = ""
    title: str = ""


class PageRow(NamedTuple):
    """One row; its last label has an aside on a phone, where a column that says it has no room."""

    labels: list[Cell]
    cells: list[Cell]
    aside: str = ""


class Table(NamedTuple):
    """One table of a page.

    Long ones show some rows until all are asked for. So do wide ones with their columns: cells of
    the class ``later`` wait everywhere, those of ``wide`` on a phone.

    Attributes
    ----------
    caption : str
    header : list of Cell
        The names of the columns, those of the labels first.
    above : str
        What the columns have in common, written above their names.
    rows, foot : list of PageRow
        The body, which can be sorted, and the rows that stay at the end.
    notes : list of str
        Sentences below the table.
    sortable : bool
    more, on_phones : str
        Which rows and columns are shown at first on a desk and on a phone; empty if all are.
    css : str
        Classes: ``dense`` if a phone shows colours only, ``solid`` if any screen does.
    untitled : bool
        Whether the caption is for those who do not see the heading above it.
    """

    caption: str
    header: list[Cell]
    above: str
    rows: list[PageRow]
    foot: list[PageRow]
    notes: list[str]
    sortable: bool = True
    more: str = ""
    on_phones: str = ""
    css: str = ""
    untitled: bool = False

    @property
    def is_long(self) -> bool:
        """Whether some rows wait until all are asked for."""
        return len(self.rows) > MOST_SHORT

    @property
    def shortest(self) -> int:
        """How many rows are shown at first."""
        return SHORT if self.is_long else len(self.rows)
