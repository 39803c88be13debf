"""Result objects: frames with the ways to show and export them."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass, field
from html import escape
from typing import TYPE_CHECKING

from pdkappa.present.excel import write_workbook

if TYPE_CHECKING:
    import os
    from pathlib import Path

    import pandas as pd

    from pdkappa.present.sheets import Sheet


class Exported(ABC):
    """What can be written to a workbook."""

    @abstractmethod
    def _sheets(self) -> list[Sheet]:
        """Return the sheets of the workbook."""

    def to_excel(self, path: str | os.PathLike[str], *, overwrite: bool = True) -> Path:
        """Write all tables, and notes on them, to a workbook.

        Parameters
        ----------
        path : str or path-like
            File to write, usually ending in ``.xlsx``.
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
        return write_workbook(path, self._sheets(), overwrite=overwrite)


@dataclass(frozen=True, eq=False)
class Report(Exported):
    """Tables on the agreement of some raters, ready to be exported.

    Attributes
    ----------
    tables : dict of DataFrame
        The tables by name, in the order of the workbook.

    See Also
    --------
    pdkappa.report : Compute it.
    """

    sheets: tuple[Sheet, ...] = field(repr=False)

    @property
    def tables(self) -> dict[str, pd.DataFrame]:
        """Return the tables by name."""
        return {sheet.name: sheet.frame for sheet in self.sheets}

    def _sheets(self) -> list[Sheet]:
        """Return all tables."""
        return list(self.sheets)

    def __repr__(self) -> str:
        """Name the tables with their shapes."""
        shapes = (f"  {name}: {len(t)} x {t.shape[1]}" for name, t in self.tables.items())
        return "\n".join(["Report of", *shapes])

    def _repr_html_(self) -> str:
        """List the tables with their shapes."""
        shapes = (f"<li>{escape(n)}: {len(t)} x {t.shape[1]}</li>" for n, t in self.tables.items())
        return f"<p>Report of</p><ul>{''.join(shapes)}</ul>"
