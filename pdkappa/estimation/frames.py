"""Counts and estimates -> labelled frames."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pandas as pd

from pdkappa.coefficients.score_limits import interpret
from pdkappa.estimation.labels import whole
from pdkappa.estimation.remarks import remarks_on_limits
from pdkappa.present import schema
from pdkappa.present.text_tables import result
from pdkappa.ratings.items import index_of

if TYPE_CHECKING:
    from pdkappa._typing import CountArray, FloatArray, Label
    from pdkappa.coefficients.intervals import RaterFigures
    from pdkappa.estimation.estimates import Estimates
    from pdkappa.ratings.counted_pairs import PairTables
    from pdkappa.ratings.items import Groups


def pairs_frame(estimates: Estimates, min_items: float = 0) -> pd.DataFrame:
    """One row for each pair of raters with so many items, in each group if there are groups."""
    estimates.warn_if_unsolved()
    frame = estimates.frame(schema.PAIRS)
    frame = estimates.tables.groups.label(frame)
    meant = frame["n_items"] >= min_items
    if estimates.tables.only_joint:
        meant &= frame["n_items"] > 0
    if not meant.all():
        frame = frame[meant]
        if estimates.tables.groups.labels is None:
            frame = frame.reset_index(drop=True)
    return result(frame, estimates.tables.raters)


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
    values = values.reshape(tables.n_groups, tables.n_pairs)
    alone = {"reason": "no_joint_items", "n_items": 0}.get(stat, np.nan)  # listed, sharing none
    square = np.full((tables.n_groups, n_raters, n_raters), alone, dtype=values.dtype)
    first, second = tables.sides
    square[:, first, second] = values
    square[:, second, first] = values
    columns = index_of(tables.raters)
    groups = tables.groups
    index = columns if groups.labels is None else groups.each(columns.rename("rater"))
    frame = pd.DataFrame(square.reshape(-1, n_raters), index=index, columns=columns)
    return result(frame, tables.raters)


def confusion_frame(
    tables: PairTables, *, normalize: str | None, margins: bool, margins_name: Label
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
        labels = pd.Index([*labels, margins_name], dtype=object, tupleize_cols=False)
        if normalize in {"index", "columns"}:
            axis = 1 if normalize == "index" else 2
            total = np.concatenate([total, np.sum(total, axis=axis, keepdims=True)], axis=axis)
    if normalize is None:
        values = whole(dense)
    else:
        values = np.divide(dense, total, out=np.full(dense.shape, np.nan), where=total > 0)
    name_a, name_b = tables.raters
    index = tables.groups.each(labels.rename(name_a))
    frame = pd.DataFrame(
        values.reshape(len(index), len(labels)), index=index, columns=labels.rename(name_b)
    )
    shown = result(frame, tables.raters)
    if margins:
        shown.attrs["margins_name"] = margins_name
    return shown


def groups_frame(estimates: Estimates, fisher_z: FloatArray, weights: FloatArray) -> pd.DataFrame:
    """One row for each group of the only pair."""
    extra = {"fisher_z": fisher_z, "weight": weights}
    data = {n: extra[n] if n in extra else estimates.column(n) for n in schema.GROUPS}
    return pd.DataFrame(data, index=estimates.tables.groups.labels)


def agreement_frame(
    summaries: dict[str, RaterFigures], groups: Groups, interpretation: str
) -> pd.DataFrame:
    """One row for each coefficient of all raters, in each group if there are groups."""
    parts = []
    for name, summary in summaries.items():
        columns = dict(vars(summary))
        corrected = np.where(name == "percent", np.nan, summary.estimate)
        columns["interpretation"] = interpret(corrected, summary.se, interpretation)
        columns["remark"] = remarks_on_limits(summary, summary.n_joint)
        for count in ("n_items", "n_raters", "n_ratings"):
            columns[count] = whole(columns[count])
        parts.append(columns)
    by_group = {
        column: np.stack([part[column] for part in parts], axis=1).reshape(-1)
        for column in schema.AGREEMENT
    }
    index = groups.each(pd.Index(list(summaries), name="coefficient"))
    return pd.DataFrame(by_group, index=index)
