"""Result objects: frames with the ways to show and export them."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from pdkappa.present.text.shown import ShownTables
from pdkappa.workbook import sheets as workbook
from pdkappa.workbook.exported import Exported

if TYPE_CHECKING:
    import os
    from pathlib import Path

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
        """Return all tables, unless they are too many for a workbook."""
        workbook.check_number(self.sheets)
        return list(self.sheets)

    def to_html(self, path: str | os.PathLike[str], *, overwrite: bool = True) -> Path:
        """Write the report to one page, which a browser shows without fetching anything.

        The page has the main figure in plain words, heat maps, forest plots, confusion
        tables, tables that can be sorted, the cross-check, notes on the method, and the
        call that makes it again. Tables beyond what can be read on a page are cut, and
        say so.

        Parameters
        ----------
        path : str or path-like
            File to write, usually ending in ``.html``.
        overwrite : bool, default True
            Whether an existing file is replaced. The old file is kept if anything fails.

        Returns
        -------
        Path
            The file written; its content is the same for the same report.

        Raises
        ------
        FileExistsError
            If the file exists and `overwrite` is False.
        MissingDependencyError
            If Jinja2 is not installed.

        Examples
        --------
        >>> df = pdkappa.datasets.load_anxiety()
        >>> df.kappa.report(weights="quadratic").to_html("agreement.html").name
        'agreement.html'
        """
        from pdkappa.present.html.page import write_page

        return write_page(path, self.sheets, self.headline, self.call, overwrite=overwrite)

    def _title(self, table: str) -> str:
        """Say in one line what a table shows."""
        return dict(zip(self.tables, self.sheets, strict=True))[table].title

    def _level(self) -> float | None:
        """Return the confidence level of the limits."""
        return self.confidence_level
