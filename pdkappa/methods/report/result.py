"""Result objects: frames with the ways to show and export them."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from pdkappa.present.text.shown import ShownTables
from pdkappa.workbook.exported import Exported

if TYPE_CHECKING:
    import pandas as pd

    from pdkappa.present.excel.sheets import Sheet
    from pdkappa.present.html.page import Headline


@dataclass(frozen=True, eq=False, repr=False)
class Report(ShownTables, Exported):
    """Tables on the agreement of some raters, ready to be exported.

    Attributes
    ----------
    tables : dict of DataFrame
        The tables by name, in the order of the workbook.
    confidence_level : float or None
        That of the limits in the tables.
    headline : Headline
        The main figure with its interval, in numbers and in plain words.
    call : str
        The code that makes the report again.

    See Also
    --------
    pdkappa.report : Compute it.
    """

    sheets: tuple[Sheet, ...] = field(repr=False)
    confidence_level: float | None = None
    headline: Headline = field(repr=False, kw_only=True)
    call: str = field(repr=False, kw_only=True)

    @property
    def tables(self) -> dict[str, pd.DataFrame]:
        """Return the tables by name; a name that is taken is numbered."""
        found: dict[str, pd.DataFrame] = {}
        for sheet in self.sheets:
            name, number = sheet.name, 1
            while name in found:
                number += 1
                name = f"{sheet.name} ({number})"
            found[name] = sheet.frame
        return found

    def _sheets(self) -> list[Sheet]:
        """Return all tables."""
        return list(self.sheets)

    def _headline(self, sheets: list[Sheet]) -> Headline:  # noqa: ARG002
        """Return what the page says first."""
        return self.headline

    def _call(self) -> str:
        """Return the code that makes the report again."""
        return self.call

    def _heading(self) -> str:
        """Return the title that was given."""
        return self.headline.title

    def _summary(self) -> str:
        """Say the main figure with its weights, and name the tables."""
        heading = self.headline.heading
        stop = "" if heading.endswith((".", "!", "?")) else "."
        return f"{heading}{stop} {self.headline.in_short}. {super()._summary()}"

    def _title(self, table: str) -> str:
        """Say in one line what a table shows."""
        return dict(zip(self.tables, self.sheets, strict=True))[table].title

    def _level(self) -> float | None:
        """Return the confidence level of the limits."""
        return self.confidence_level
