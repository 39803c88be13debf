"""Counts of all pairs, and every figure computed from them."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from pdkappa.coefficients.attainable import LARGEST_PROGRAMME
from pdkappa.coefficients.pair_estimates import MOST_PROGRAMMES
from pdkappa.errors import UndefinedKappaWarning, warn
from pdkappa.estimation.labels import whole
from pdkappa.estimation.remarks import remarks_on_limits
from pdkappa.estimation.undefined import warn_if_undefined
from pdkappa.ratings.items import index_of

if TYPE_CHECKING:
    from pdkappa._typing import ObjectArray
    from pdkappa.coefficients.intervals import PairFigures
    from pdkappa.coefficients.rating_rows import RatingRows
    from pdkappa.coefficients.weights import Scale
    from pdkappa.ratings.counted_pairs import PairTables


@dataclass(frozen=True)
class Estimates:
    """Counts of all pairs, and every figure computed from them."""

    tables: PairTables
    scale: Scale
    summary: PairFigures
    rows: RatingRows | None = None  # where items are nested in clusters
    lost: str = ""  # what resampling lost, in words

    @property
    def on_scale(self) -> PairTables:
        """The tables with the categories of their scales: a matrix of weights is for all."""
        return replace(self.tables, in_use=self.scale.in_use)

    def of_pair(self, pair: int) -> Estimates:
        """Return the figures of one pair in all groups, as they are among all raters."""
        tables, rows = self.tables.of_pair(pair), self.rows
        own = slice(pair, None, self.tables.n_pairs)
        if rows is not None:
            rows = replace(rows, codes=rows.codes[list(self.tables.pairs[pair])]).compressed()
        return replace(self, tables=tables, summary=self.summary.at(own), rows=rows)

    def column(self, name: str) -> Any:
        """Return one figure of every table, shape (G x P,), as a frame would hold it."""
        if name == "reason":
            return self._reasons()
        if name == "remark":
            return remarks_on_limits(self.summary, self.summary.n_items)
        values = getattr(self.summary, name)
        return whole(values) if name == "n_items" else values

    def frame(self, columns: tuple[str, ...]) -> pd.DataFrame:
        """Return one row for each pair (and group), with the columns of the schema."""
        raters = index_of(self.tables.raters)
        names = dict(zip(("rater_a", "rater_b"), self.tables.sides, strict=True))
        data = {
            name: raters.take(np.tile(names[name], self.tables.n_groups))
            if name in names
            else self.column(name)
            for name in columns
        }
        return pd.DataFrame(data)

    def warn_if_undefined(self, min_items: float = 0) -> None:
        """Give one warning that counts the undefined coefficients and names the first.

        Those of fewer items are not shown.
        """
        if self.lost:
            warn(self.lost, UndefinedKappaWarning)
        first, second = self.tables.sides
        meant = np.tile(first != second, self.tables.n_groups)
        meant &= self.summary.n_items >= min_items
        if self.tables.only_joint:
            meant &= self.summary.n_items > 0
        undefined, cells = np.isnan(self.summary.estimate[meant]), np.flatnonzero(meant)
        if undefined.any():
            reasons = pd.Series(self._reasons()[meant])
            warn_if_undefined(
                "coefficient", undefined, reasons, lambda row: self._name(int(cells[row]))
            )

    def warn_if_unsolved(self) -> None:
        """Give one warning that counts the greatest estimates that were not computed."""
        summary = self.summary
        n_unsolved = int((np.isnan(summary.max_estimate) & ~np.isnan(summary.estimate)).sum())
        if not n_unsolved:
            return
        warn(
            f"max_estimate is not computed (NaN) for {n_unsolved} of {len(summary.estimate)} "
            "row(s): these weights need a linear programme for each, which is left out beyond "
            f"{MOST_PROGRAMMES} rows or {LARGEST_PROGRAMME} categories. Choose fewer raters, "
            "groups or categories if you need it.",
            UndefinedKappaWarning,
        )

    def _name(self, cell: int) -> str:
        """Name one table in words."""
        group, pair = divmod(cell, self.tables.n_pairs)
        a, b = (self.tables.raters[rater] for rater in self.tables.sides[:, pair])
        return f"{a!r} with {b!r}{self.tables.groups.at(group)}"

    def _reasons(self) -> ObjectArray:
        """Say why a figure is undefined; empty where none is, shape (G x P,)."""
        if self.tables.groups.has_ratings.all():
            return self.summary.reason
        empty = np.repeat(self.tables.groups.why_empty(), self.tables.n_pairs)
        return np.where(empty != "", empty, self.summary.reason)
