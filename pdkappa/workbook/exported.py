"""Results with a way into a workbook and to a page."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import TYPE_CHECKING

from pdkappa.errors import check_choice
from pdkappa.present.files import check_target
from pdkappa.workbook.book import DETAILS

if TYPE_CHECKING:
    from pathlib import Path

    from pdkappa.present.files import Target
    from pdkappa.present.html_page import Handout, Headline
    from pdkappa.present.sheets import Sheet
    from pdkappa.workbook.book import Book, Detail


class Exported(ABC):
    """What can be written to a workbook and to a page."""

    @abstractmethod
    def _sheets(self) -> list[Sheet]:
        """Return the sheets of the workbook, in order."""

    @abstractmethod
    def _headline(self, sheets: list[Sheet]) -> Headline:
        """Return what the page says first."""

    @abstractmethod
    def _call(self) -> str:
        """Return the code that makes the result again."""

    @abstractmethod
    def _book(self) -> Book:
        """Return what the workbook is made of."""

    def _handouts(self) -> tuple[Handout, ...]:
        """Return the texts that a reader may copy from the page."""
        return ()

    def _heading(self) -> str:
        """Return the title among the properties of the workbook; empty for none."""
        return ""

    def to_excel(
        self,
        path: Target,
        *,
        detail: Detail = "brief",
        formulas: bool = True,
        overwrite: bool = True,
    ) -> Path | None:
        """Write the figures to a workbook: the main sheets, or everything that an audit needs.

        It begins with a cover: the main figure, in words and large, what was analysed, the
        summary, a chart of the estimates with their limits and one of the categories.

        Parameters
        ----------
        path : str, path-like or file object
            File to write, usually ending in ``.xlsx``; or one that is open for bytes, such as
            `io.BytesIO`, which stays open.
        detail : {"brief", "full"}
            Brief: the cover, the main figures (pairs up to 100), notes that explain
            the headings, one sheet with all counts that the figures are computed from, and the
            data of the charts. Full: in addition all other tables, a sheet for each confusion
            table with its weights and the steps to its figures, the cross-check, and notes on the
            method. Formulas are live in both.
        formulas : bool, default True
            Whether figures that depend only on the confusion tables in the workbook are formulas
            over them, so that they follow if a count is changed; otherwise plain values.
        overwrite : bool, default True
            Whether an existing file is replaced. The old file is kept if anything fails.

        Returns
        -------
        Path or None
            The file written; None for a file object.

        Raises
        ------
        ExportError
            If a table does not fit a worksheet, or a label cannot be written.
        OptionError
            If `detail` is not known, or "full" for a report made with "brief".
        FileExistsError
            If the file exists and `overwrite` is False.
        """
        from pdkappa.present.excel_writer import check_workbook, write_workbook

        check_workbook(path, formulas=formulas, overwrite=overwrite)
        check_choice("detail", detail, DETAILS)
        book = self._book()
        pages = book.pages(self._headline([*book.sheets]), detail)
        return write_workbook(
            path, pages, formulas=formulas, overwrite=overwrite, title=self._heading()
        )

    def to_html(self, path: Target, *, overwrite: bool = True) -> Path | None:
        """Write all tables to one self-contained HTML page.

        The page has the main figure in words, forest plots, sortable tables, confusion tables,
        notes on the method, and the call that reproduces it. Long tables show some rows and
        columns until all are requested, and details for an audit are collapsed; in print, only
        open parts appear. Very large tables are cut, with a note.

        Parameters
        ----------
        path : str, path-like or file object
            File to write, usually ending in ``.html``; or one that is open for text or bytes,
            such as `io.StringIO`, which stays open.
        overwrite : bool, default True
            Whether an existing file is replaced. The old file is kept if anything fails.

        Returns
        -------
        Path or None
            The file written, with the same content for the same result; None for a file object.

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
        from pdkappa.present.html_page import write_page

        check_target(path, overwrite=overwrite)
        sheets = self._sheets()
        return write_page(
            path,
            sheets,
            self._headline(sheets),
            self._call(),
            handouts=self._handouts(),
            overwrite=overwrite,
        )
