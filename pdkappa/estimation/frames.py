"""Counts and estimates -> labelled frames."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from pdkappa.coefficients.attainable import LARGEST_PROGRAMME
from pdkappa.coefficients.benchmarks import interpret
from pdkappa.coefficients.pair_summary import MOST_PROGRAMMES
from pdkappa.errors import UndefinedKappaWarning, warn
from pdkappa.present import schema

if TYPE_CHECKING:
    from pdkappa._typing import CountArray, FloatArray, ObjectArray
    from pdkappa.coefficients.many_summary import ManySummary
    from pdkappa.coefficients.pair_summary import Summary
    from pdkappa.coefficients.weights import Scale
    from pdkappa.counts.core.rows import RatingRows
    from pdkappa.counts.tables import PairTables

MOST_NAMED = 5
LARGEST_INTEGER = 2.0**63


@dataclass(frozen=True)
class Estimates:
    """Counts of all pairs, and every figure computed from them."""

    tables: PairTables
    scale: Scale
    summary: Summary
    rows: RatingRows | None = None  # where items are nested in clusters

    def of_pair(self, pair: int) -> Estimates:
        """Return the figures of one pair in all groups, as they are among all raters."""
        tables, rows = self.tables.of_pair(pair), self.rows
        own = slice(pair, None, len(self.tables.pairs))
        figures = self.summary._asdict().items()
        summary = self.summary._replace(**{name: values[own] for name, values in figures})
        if rows is not None:
            rows = replace(rows, codes=rows.codes[list(self.tables.pairs[pair])]).compressed()
        return replace(self, tables=tables, summary=summary, rows=rows)

    def column(self, name: str) -> Any:
        """Return one figure of every table, shape (G x P,), as a frame would hold it."""
        if name == "reason":
            return self._reasons()
        values = getattr(self.summary, name)
        return whole(values) if name == "n_items" else values

    def frame(self, columns: tuple[str, ...]) -> pd.DataFrame:
        """Return one row for each pair (and group), with the columns of the schema."""
        raters = np.empty(len(self.tables.raters), dtype=object)
        raters[:] = self.tables.raters
        first, second = raters[self.tables.sides]
        names = {"rater_a": first, "rater_b": second}
        data = {
            name: np.tile(names[name], self.tables.n_groups) if name in names else self.column(name)
            for name in columns
        }
        frame = pd.DataFrame(data)
        frame["rater_a"], frame["rater_b"] = (frame[n].infer_objects() for n in names)
        return frame

    def group_frame(self) -> pd.DataFrame | None:
        """Return the labels of the group of every table; None without groups."""
        index = self.tables.group_index
        if index is None:
            return None
        n_pairs = len(self.tables.pairs)
        return index[np.repeat(np.arange(len(index)), n_pairs)].to_frame(index=False)

    def warn_if_undefined(self) -> None:
        """Give one warning that counts the undefined coefficients and names the first."""
        first, second = self.tables.sides
        meant = np.tile(first != second, self.tables.n_groups)
        if self.tables.only_joint:
            meant &= self.summary.n_items > 0
        cells = np.flatnonzero(np.isnan(self.summary.estimate) & meant)
        if not len(cells):
            return
        reasons = self._reasons()
        named = [f"{self._name(cell)} ({reasons[cell]})" for cell in cells[:MOST_NAMED]]
        warn_of_undefined("coefficient", len(cells), int(meant.sum()), named)

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
        group, pair = divmod(cell, len(self.tables.pairs))
        a, b = (self.tables.raters[rater] for rater in self.tables.pairs[pair])
        place = self.tables.group_name(group)
        where = ", ".join(f"{name}={value}" for name, value in place.items())
        return f"{a!r} with {b!r} at {where}" if place else f"{a!r} with {b!r}"

    def _reasons(self) -> ObjectArray:
        """Say why a figure is undefined; empty where none is, shape (G x P,)."""
        reason = self.summary.reason.copy()
        why = np.where(self.tables.no_weight, "zero_total_weight", "no_items").astype(object)
        n_pairs = len(self.tables.pairs)
        empty = np.repeat(~self.tables.has_ratings, n_pairs)
        return np.where(empty, np.repeat(why, n_pairs), reason)


def whole(values: CountArray) -> CountArray:
    """Return whole numbers as integers, if all are and none is beyond them."""
    if ((values == np.floor(values)) & (np.abs(values) < LARGEST_INTEGER)).all():
        return values.astype(np.int64)
    return values


def pairs_frame(estimates: Estimates) -> pd.DataFrame:
    """One row for each pair of raters, in each group if there are groups."""
    estimates.warn_if_unsolved()
    frame = estimates.frame(schema.PAIRS)
    groups = estimates.group_frame()
    frame = frame if groups is None else pd.concat([groups, frame], axis=1)
    shared = frame["n_items"] > 0
    if estimates.tables.only_joint and not shared.all():
        return frame[shared].reset_index(drop=True)
    return frame


def matrix_frame(estimates: Estimates, stat: str, min_items: float) -> pd.DataFrame:
    """Square frame of one figure, raters by raters, one below the other for groups."""
    tables = estimates.tables
    n_raters = len(tables.raters)
    values = np.asarray(estimates.column(stat))
    if stat == "max_estimate":
        estimates.warn_if_unsolved()
    few = estimates.summary.n_items < min_items
    if stat == "reason":
        values = np.where(few & (values == ""), "fewer_than_min_items", values)
    elif stat != "n_items" and few.any():
        values = np.where(few, np.nan, values)
    values = values.reshape(tables.n_groups, len(tables.pairs))
    alone = {"reason": "no_joint_items", "n_items": 0}.get(stat, np.nan)  # listed, sharing none
    square = np.full((tables.n_groups, n_raters, n_raters), alone, dtype=values.dtype)
    first, second = tables.sides
    square[:, first, second] = values
    square[:, second, first] = values
    columns = pd.Index(tables.raters, tupleize_cols=False)
    index = columns if tables.group_index is None else _by_group(tables, columns.rename("rater"))
    return pd.DataFrame(square.reshape(-1, n_raters), index=index, columns=columns)


def confusion_frame(
    tables: PairTables, *, normalize: str | None, margins: bool, margins_name: str
) -> pd.DataFrame:
    """Contingency table of the only pair, one below the other for groups."""
    dense: CountArray = tables.counts.tables() * tables.counts.unit
    totals = {
        None: 1,
        "all": dense.sum(axis=(1, 2), keepdims=True),
        "index": dense.sum(axis=2, keepdims=True),
        "columns": dense.sum(axis=1, keepdims=True),
    }
    total = totals[normalize]
    labels = tables.categories.index()
    if margins:
        dense = np.concatenate([dense, dense.sum(axis=1, keepdims=True)], axis=1)
        dense = np.concatenate([dense, dense.sum(axis=2, keepdims=True)], axis=2)
        labels = labels.astype(object).append(pd.Index([margins_name], dtype=object))
        if normalize in {"index", "columns"}:
            axis = 1 if normalize == "index" else 2
            total = np.concatenate([total, np.sum(total, axis=axis, keepdims=True)], axis=axis)
    if normalize is None:
        values = whole(dense)
    else:
        values = np.divide(dense, total, out=np.full(dense.shape, np.nan), where=total > 0)
    name_a, name_b = tables.raters
    index = _by_group(tables, labels.rename(name_a))
    return pd.DataFrame(
        values.reshape(len(index), len(labels)), index=index, columns=labels.rename(name_b)
    )


def _by_group(tables: PairTables, labels: pd.Index) -> pd.Index:
    """Repeat the labels of rows for every group; as they are where there are no groups."""
    if tables.group_index is None:
        return labels
    groups = tables.group_index.repeat(len(labels))
    outer = [groups.get_level_values(level) for level in range(groups.nlevels)]
    inner = labels.take(np.tile(np.arange(len(labels)), tables.n_groups))
    return pd.MultiIndex.from_arrays([*outer, inner], names=[*groups.names, labels.name])


def groups_frame(estimates: Estimates, fisher_z: FloatArray, weights: FloatArray) -> pd.DataFrame:
    """One row for each group of the only pair."""
    extra = {"fisher_z": fisher_z, "weight": weights}
    data = {n: extra[n] if n in extra else estimates.column(n) for n in schema.GROUPS}
    return pd.DataFrame(data, index=estimates.tables.group_index)


def agreement_frame(
    summaries: dict[str, ManySummary], groups: pd.Index | None, interpretation: str
) -> pd.DataFrame:
    """One row for each coefficient of all raters, in each group if there are groups."""
    parts = []
    for name, summary in summaries.items():
        columns = summary._asdict()
        corrected = np.where(name == "percent", np.nan, summary.estimate)
        columns["interpretation"] = interpret(corrected, summary.se, interpretation)
        for count in ("n_items", "n_raters", "n_ratings"):
            columns[count] = whole(columns[count])
        part = pd.DataFrame({column: columns[column] for column in schema.AGREEMENT})
        part.index = pd.Index([name] * len(part), name="coefficient")
        parts.append(part)
    frame = pd.concat(parts)
    if groups is None:
        return frame
    order = np.arange(len(frame)).reshape(len(parts), -1).T.reshape(-1)
    levels = [groups.get_level_values(level).repeat(len(parts)) for level in range(groups.nlevels)]
    frame = frame.iloc[order]
    frame.index = pd.MultiIndex.from_arrays(
        [*levels, frame.index], names=[*groups.names, "coefficient"]
    )
    return frame


def warn_of_undefined_rows(frame: pd.DataFrame) -> None:
    """Give one warning that counts the undefined coefficients and names the first."""
    undefined = frame[frame["estimate"].isna()]
    if not len(undefined):
        return
    reasons = undefined["reason"].head(MOST_NAMED)
    labels = [label if isinstance(label, tuple) else (label,) for label in reasons.index]
    named = [
        f"{' at '.join(map(str, reversed(label)))} ({reason})"
        for label, reason in zip(labels, reasons, strict=True)
    ]
    warn_of_undefined("coefficient", len(undefined), len(frame), named)


def warn_of_undefined(what: str, n_undefined: int, n_all: int, named: list[str]) -> None:
    """Give one warning that counts what is undefined and names the first, with their reasons."""
    rest = n_undefined - len(named)
    more = f" and {rest} more" if rest else ""
    warn(
        f"{n_undefined} of {n_all} {what}(s) are undefined (NaN): {', '.join(named)}{more}. "
        "The column 'reason' says why.",
        UndefinedKappaWarning,
    )
