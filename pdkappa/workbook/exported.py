"""Results with a way into a workbook."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import os
    from pathlib import Path

    from pdkappa.present.excel.sheets import Sheet


class Exported(ABC):
    """What can be written to a workbook."""

    @abstractmethod
    def _sheets(self) -> list[Sheet]:
        """Return the sheets of the workbook."""

    def to_excel(
        self, path: str | os.PathLike[str], *, formulas: bool = True, overwrite: bool = True
    ) -> Path:
        """Write all tables, and notes on them, to a workbook.

        Parameters
        ----------
        path : str or path-like
            File to write, usually ending in ``.xlsx``.
        formulas : bool, default True
            Whether what is a function of the confusion tables in the workbook is a formula
            over them, so that it follows when a count is changed; else its value only.
        overwrite : bool, default True
            Whether an existing file is replaced. The old file is kept if anything fails.

        Returns
        -------
        Path
            The file written.

        Raises
        ------
        ExportError
            If a table does not fit a worksheet, or a label cannot be written.
        FileExistsError
            If the file exists and `overwrite` is False.
        """
        from pdkappa.present.excel.writer import write_workbook

        return write_workbook(path, self._sheets(), formulas=formulas, overwrite=overwrite)
