"""What the functions share that show where agreement is lost: coefficients, frames, reasons."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from pdkappa.methods.estimates.pair_frames import SYNONYMS_OF_MANY, whole

if TYPE_CHECKING:
    from pdkappa._typing import BoolArray, FloatArray, IntArray, ObjectArray
    from pdkappa.methods.estimates.study import Study

COUNTS = ("n_items", "n_ratings")
SYNONYMS = SYNONYMS_OF_MANY | {
    "kappa": "'light' for the mean of the pairs, or 'conger'",
    "cohen": "'light', which is Cohen's kappa for two raters",
    "scott": "'fleiss', which is Scott's pi for two raters",
}


def whether_defined(
    study: Study, groups: IntArray, undefined: BoolArray, n_joint: FloatArray
) -> ObjectArray:
    """Say why a row has no coefficient; empty text where it has one."""
    reason = np.full(groups.shape, "", dtype=object)
    reason[undefined] = "constant_ratings"
    reason[undefined & (n_joint == 0)[groups]] = "no_joint_items"
    return unless_empty(study, groups, reason)


def unless_empty(study: Study, groups: IntArray, reason: ObjectArray) -> ObjectArray:
    """Put why a group has no ratings before any other reason of its rows."""
    empty = study.no_ratings()[groups]
    return np.where(empty == "", reason, empty)


def frame_of(columns: dict[str, Any], index: pd.Index) -> pd.DataFrame:
    """Put columns into a frame, counts as integers where they are whole."""
    for name in COUNTS:
        if name in columns:
            columns[name] = whole(columns[name])
    return pd.DataFrame(columns, index=index)
