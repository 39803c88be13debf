"""P-values of a family, adjusted for their number."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from pdkappa.errors import check_choice

if TYPE_CHECKING:
    import pandas as pd

ADJUSTMENTS = (  # as statsmodels names them
    "bonferroni",
    "sidak",
    "holm",
    "holm-sidak",
    "simes-hochberg",
    "hommel",
    "fdr_bh",
    "fdr_by",
)
SYNONYMS = {
    "hochberg": "'simes-hochberg'",
    "bh": "'fdr_bh'",
    "BH": "'fdr_bh'",
    "fdr": "'fdr_bh'",
    "by": "'fdr_by'",
    "BY": "'fdr_by'",
}


def check_adjustment(option: str, method: object) -> None:
    """Refuse a method of adjusting p-values that is not known."""
    if method is not None:
        check_choice(option, method, [None, *ADJUSTMENTS], SYNONYMS)


def with_adjusted(frame: pd.DataFrame, method: str | None) -> pd.DataFrame:
    """Insert ``p_adjusted`` after ``p_value``, if asked for; the family are all rows with a test.

    Parameters
    ----------
    frame : DataFrame
        A result of ours, with the column ``p_value``; it is changed.
    method : str or None
        One of ``METHODS``; None leaves the frame as it is.
    """
    if method is None:
        return frame
    from statsmodels.stats.multitest import multipletests

    adjusted = frame["p_value"].to_numpy(dtype=np.float64, copy=True)
    tested = ~np.isnan(adjusted)
    if tested.any():
        adjusted[tested] = multipletests(adjusted[tested], method=method)[1]
    frame.insert(list(frame).index("p_value") + 1, "p_adjusted", adjusted)
    return frame
