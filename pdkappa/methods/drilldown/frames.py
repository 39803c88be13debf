"""What the functions share that show where agreement is lost: coefficients, frames, reasons."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from pdkappa.estimation.labels import whole
from pdkappa.estimation.undefined import MOST_NAMED, warn_of_undefined

if TYPE_CHECKING:
    from pdkappa._typing import BoolArray, FloatArray, IntArray, ObjectArray
    from pdkappa.estimation.study import CodedRows

NEED_IDENTITY = ("light", "conger")
COUNTS = ("n_items", "n_ratings")
SYNONYMS = {
    "kappa": "'light' for the mean of the pairs, or 'conger'",
    "cohen": "'light', which is Cohen's kappa for two raters",
    "scott": "'fleiss', which is Scott's pi for two raters",
    "randolph": "'brennan_prediger'",
    "alpha": "'krippendorff'",
    "ac1": "'gwet'",
    "ac2": "'gwet'",
}


def every(n_groups: int, n_places: int) -> tuple[IntArray, IntArray]:
    """Pair every group with every place, group by group."""
    return (
        np.repeat(np.arange(n_groups), n_places),
        np.tile(np.arange(n_places), n_groups),
    )


def reasons_of_rows(
    found: CodedRows, groups: IntArray, undefined: BoolArray, n_joint: FloatArray
) -> ObjectArray:
    """Say why a row has no coefficient; empty text where it has one."""
    reason = np.full(groups.shape, "", dtype=object)
    reason[undefined] = "constant_ratings"
    reason[undefined & (n_joint == 0)[groups]] = "no_joint_items"
    empty = found.no_ratings()[groups]
    return np.where(empty == "", reason, empty)


def frame_of(columns: dict[str, Any], index: pd.Index) -> pd.DataFrame:
    """Put columns into a frame, counts as integers where they are whole."""
    for name in COUNTS:
        if name in columns:
            columns[name] = whole(columns[name])
    return pd.DataFrame(columns, index=index)


def warn_of_rows(frame: pd.DataFrame, undefined: pd.Series, what: str) -> None:
    """Give one warning that counts the undefined figures and names the first."""
    rows = np.flatnonzero(undefined)
    if len(rows):
        reasons = frame["reason"].iloc[rows[:MOST_NAMED]]
        named = [f"{label!r} ({reason})" for label, reason in reasons.items()]
        warn_of_undefined(what, len(rows), len(frame), named)
