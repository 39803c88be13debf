"""Result objects: frames with the ways to show and export them."""

from __future__ import annotations

from dataclasses import dataclass, field
from html import escape
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from pdkappa import workbook
from pdkappa.present.excel import write_workbook

if TYPE_CHECKING:
    import os
    from pathlib import Path

    from pdkappa._typing import Label
    from pdkappa.frames import Estimates
    from pdkappa.present.sheets import Sheet


@dataclass(frozen=True, eq=False, repr=False)
class GroupedAgreement:
    """Agreement of two raters group by group, and the mean over the groups.

    Attributes
    ----------
    groups : DataFrame
        One row for each group, with the columns ``n_items, n_categories,
        observed_agreement, expected_agreement, estimate, se, ci_low, ci_high, fisher_z,
        se_fisher_z, weight, max_estimate, reason``.
    pooled : DataFrame
        The row ``fisher_mean``: the weighted mean on Fisher's z scale, with the columns
        ``estimate, se_fisher_z, ci_low, ci_high, n_groups, n_clipped, n_undefined``.
    raters : tuple
        The two raters.
    estimates : Estimates
        The counts, and every figure computed from them.
    options : dict
        The options of the call.

    See Also
    --------
    pdkappa.grouped : Compute it.
    """

    groups: pd.DataFrame
    pooled: pd.DataFrame
    raters: tuple[Label, Label]
    estimates: Estimates
    options: dict[str, Any]

    def __float__(self) -> float:
        """Return the Fisher-z weighted mean."""
        return float(self.pooled["estimate"].to_numpy()[0])

    def to_frame(self) -> pd.DataFrame:
        """Return the groups followed by the row ``fisher_mean``.

        Returns
        -------
        DataFrame
            The columns of `groups`. In the pooled row ``n_items`` is the sum over the
            groups, ``weight`` the sum of the weights, ``fisher_z`` the mean of z, and what
            is not defined for a mean is NaN.
        """
        mean = self.pooled.loc["fisher_mean"]
        row = {
            "n_items": self.groups["n_items"].sum(),
            **{name: mean[name] for name in ("estimate", "ci_low", "ci_high", "se_fisher_z")},
            "fisher_z": np.arctanh(mean["estimate"]),
            "weight": self.groups["weight"].sum(),
            "reason": self._reason_of_mean(),
        }
        places = range(len(self.groups) + 1)
        frame = self.groups.astype({"n_categories": "Int64"}).set_axis(places[:-1]).reindex(places)
        for name, value in row.items():
            frame.loc[places[-1], name] = value
        frame["n_items"] = frame["n_items"].astype(self.groups["n_items"].dtype)
        return frame.set_axis(self.groups.index.append(self._index_of_mean()))

    def to_excel(self, path: str | os.PathLike[str], *, overwrite: bool = True) -> Path:
        """Write groups, confusion tables and notes to a workbook.

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
        sheets = [
            workbook.groups_sheet(self.to_frame(), self.options, (self.note(),)),
            *workbook.confusion_sheets(self.estimates.tables),
            workbook.notes_sheet(list(self.groups.columns), self.options),
        ]
        return write_workbook(path, sheets, overwrite=overwrite)

    def __repr__(self) -> str:
        """Show the groups and the mean as text."""
        return f"{self.note()}\n\n{self._shown().to_string()}"

    def _repr_html_(self) -> str:
        """Show the groups and the mean as a table."""
        return f"<p>{escape(self.note())}</p>{self._shown().to_html()}"

    def note(self) -> str:
        """Say in one line what the mean is, and what was done for it.

        Returns
        -------
        str
            Raters, mean, number of groups, and how many were clipped or left out.

        Examples
        --------
        >>> df = pdkappa.datasets.load_essays()
        >>> print(df.kappa.grouped("human_1", "machine", by="essay_set").note())
        human_1 with machine: Fisher-z weighted mean 0.7432 of 8 groups.
        """
        a, b = self.raters
        mean = self.pooled.iloc[0]
        text = (
            f"{a} with {b}: Fisher-z weighted mean {float(self):.4f} of {mean['n_groups']:g} groups"
        )
        if mean["n_clipped"]:
            text += f", {mean['n_clipped']:g} clipped to {self.options['clip']:g}"
        if mean["n_undefined"]:
            text += f", {mean['n_undefined']:g} undefined and left out"
        if self._reason_of_mean():
            text += f"; its standard error or itself is NaN ({self._reason_of_mean()})"
        return f"{text}."

    def _reason_of_mean(self) -> str:
        """Say why the mean or its standard error is NaN: the reason of a group that lacks it."""
        mean = self.pooled.iloc[0]
        if not np.isnan(mean["se_fisher_z"]):
            return ""
        column = "se" if mean["n_groups"] else "estimate"
        groups = self.groups[(self.groups["weight"] > 0) & self.groups[column].isna()]
        return str(groups["reason"].iloc[0]) if len(groups) else "no_items"

    def _shown(self) -> pd.DataFrame:
        """Return the frame to show: without reasons where there are none."""
        frame = self.to_frame()
        return frame if frame["reason"].any() else frame.drop(columns="reason")

    def _index_of_mean(self) -> pd.Index:
        """Return the label of the mean as an index, named as the groups are."""
        names = self.groups.index.names
        if len(names) > 1:
            return pd.MultiIndex.from_tuples(
                [("",) * (len(names) - 1) + ("fisher_mean",)], names=names
            )
        return pd.Index(["fisher_mean"], name=names[0], dtype=object)


@dataclass(frozen=True, eq=False)
class Report:
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

    def to_excel(self, path: str | os.PathLike[str], *, overwrite: bool = True) -> Path:
        """Write all tables to one workbook.

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
        return write_workbook(path, self.sheets, overwrite=overwrite)

    def __repr__(self) -> str:
        """Name the tables with their shapes."""
        shapes = (f"  {name}: {len(t)} x {t.shape[1]}" for name, t in self.tables.items())
        return "\n".join(["Report of", *shapes])

    def _repr_html_(self) -> str:
        """List the tables with their shapes."""
        shapes = (f"<li>{escape(n)}: {len(t)} x {t.shape[1]}</li>" for n, t in self.tables.items())
        return f"<p>Report of</p><ul>{''.join(shapes)}</ul>"
