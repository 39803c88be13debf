"""Kappa of two raters by the cells of their table."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from pdkappa.errors import TooLargeError
from pdkappa.methods.drilldown.core.cells import cell_parts
from pdkappa.methods.drilldown.frames import frame_of, whether_defined
from pdkappa.methods.estimates.options import gate
from pdkappa.methods.estimates.pair_frames import warn_if_undefined
from pdkappa.methods.estimates.study import read
from pdkappa.present.text_tables import result
from pdkappa.ratings.options import Reading

if TYPE_CHECKING:
    import pandas as pd

    from pdkappa._typing import By, Categories, Distance, ItemWeights, Label, Missing, Weights
    from pdkappa.methods.estimates.study import Study
    from pdkappa.ratings.coded import Counted

LARGEST_TABLE = 1 << 26


@gate
def cells(
    data: pd.DataFrame | Counted,
    rater_a: Label,
    rater_b: Label,
    *,
    by: By | None = None,
    weights: Weights | None = None,
    categories: Categories | None = None,
    distance: Distance = "value",
    missing: Missing = "pairwise",
    sample_weight: ItemWeights | None = None,
) -> pd.DataFrame:
    """Split Cohen's kappa of two raters into the cells of their table.

    Which confusions cost most, and which are rarer than expected by chance?

    Parameters
    ----------
    data : DataFrame, shape (N, ...)
        One row for each item. Never changed.
    rater_a, rater_b : column labels
        The raters in the rows and in the columns of the table.
    by : column label or list of column labels, optional
        One result for each group. See `pairs`.
    weights : str, array, DataFrame, callable or None, default None
        How much each disagreement counts; None counts all equally. See `pairs`.
    categories : list or dict, optional
        The categories in order, or their scores ``{category: score}``. See `pairs`.
    distance : {"value", "rank"}
        Whether distances are those of the values or of the ranks of the categories.
    missing : {"pairwise", "listwise", "raise"}
        Use the items that both raters of a pair rated, use those that all raters rated, or raise
        an error.
    sample_weight : column label or array of shape (N,), optional
        Frequency weights: 2 counts an item twice.

    Returns
    -------
    DataFrame
        One row for each cell (and group), indexed by the categories of both raters; use
        ``frame["contribution"].unstack()`` for a table.

        - ``n_items``: items in the cell;
        - ``expected_items``: items expected by chance, given the raters' shares;
        - ``disagreement``: of the two categories, in [0, 1];
        - ``contribution``: the contributions sum to kappa, exactly; below zero for a confusion
          that is more frequent than by chance, and 0 on the diagonal;
        - ``reason`` for NaN: ``no_items``, ``no_joint_items``, ``constant_ratings``.

    Raises
    ------
    TooLargeError
        If there would be more than 2**26 cells.
    KappaError
        If an option is not known, or the ratings cannot be read. See `pdkappa.errors`.

    Warns
    -----
    UndefinedKappaWarning
        Once, if the contributions of a group are NaN.

    See Also
    --------
    confusion : The counts alone.

    Notes
    -----
    With disagreement weights d, cell shares P and margins p and q, a cell contributes
    ``d * (p * q - P) / sum(d * p * q)``.

    Examples
    --------
    >>> df = pdkappa.datasets.load_anxiety()
    >>> found = pdkappa.cells(df, "rater_1", "rater_2", weights="linear")
    >>> found["contribution"].sort_values().head(2).round(3)
    rater_1  rater_2
    3        4         -0.068
    6        3         -0.061
    Name: contribution, dtype: float64
    >>> print(f"{found['contribution'].sum():.3f}")
    0.189
    """
    reading = Reading(by, weights, categories, distance, missing, sample_weight)
    study = read(data, [rater_a, rater_b], reading)
    _check_size(study)
    parts = cell_parts(study.rows.compressed(), study.scale)
    used = study.in_use
    groups, first, second = np.nonzero(used[:, :, None] & used[:, None, :])
    columns: dict[str, Any] = {
        name: values[groups, first, second] for name, values in parts._asdict().items()
    }
    undefined, n_joint = np.isnan(columns["contribution"]), parts.n_items.sum(axis=(1, 2))
    columns["reason"] = whether_defined(study, groups, undefined, n_joint)
    labels = study.coded.categories.index()
    inner = [labels.take(first).rename(rater_a), labels.take(second).rename(rater_b)]
    frame = frame_of(columns, study.groups.index(groups, inner))
    warn_if_undefined("contribution", undefined, frame["reason"])
    return result(frame, study.raters)


def _check_size(study: Study) -> None:
    """Refuse more cells than a frame can hold."""
    k = study.rows.n_categories
    if study.n_groups * k**2 > LARGEST_TABLE:
        message = (
            f"There would be {study.n_groups * k**2} cells, from {k} categories; the limit is "
            f"{LARGEST_TABLE}. Round the ratings or merge categories."
        )
        raise TooLargeError(message)
