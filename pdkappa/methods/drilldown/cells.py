"""Kappa of two raters by the cells of their table, and by bias, scale and noise."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from pdkappa.coefficients.moments import moments, split_parts
from pdkappa.errors import TooLargeError
from pdkappa.estimation.gate import gate
from pdkappa.estimation.study import read
from pdkappa.estimation.undefined import warn_if_undefined
from pdkappa.methods.drilldown.core.cells import cell_parts
from pdkappa.methods.drilldown.frames import frame_of, whether_defined
from pdkappa.present.text.result import result
from pdkappa.ratings.reading import Reading

if TYPE_CHECKING:
    from pdkappa._typing import By, Categories, Distance, ItemWeights, Label, Missing, Weights
    from pdkappa.estimation.study import Study
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


@gate
def split(
    data: pd.DataFrame | Counted,
    rater_a: Label,
    rater_b: Label,
    *,
    by: By | None = None,
    categories: Categories | None = None,
    distance: Distance = "value",
    missing: Missing = "pairwise",
    sample_weight: ItemWeights | None = None,
) -> pd.DataFrame:
    """Split one minus quadratic weighted kappa into bias, scale and noise.

    Does a rater or a machine score too high, use the scale too widely or too narrowly, or
    rank the items differently? The first two can be corrected by rescaling, noise cannot.

    Parameters
    ----------
    data : DataFrame, shape (N, ...)
        One row for each item. Never changed.
    rater_a, rater_b : column labels
        The two raters.
    by : column label or list of column labels, optional
        One result for each group. See `pairs`.
    categories : list or dict, optional
        The categories in order, or their scores ``{category: score}``; without them the ratings
        must be numbers, or ordered.
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
        One row (for each group, which is the index then):

        - ``n_items``: items rated by both;
        - ``one_minus_kappa``: one less quadratic weighted kappa, the sum of the next three;
        - ``bias``: due to different means; at least 0, as are the other two;
        - ``scale``: due to different standard deviations;
        - ``noise``: due to a correlation below one;
        - ``correlation``: Pearson's, in [-1, 1];
        - ``mean_a, mean_b, sd_a, sd_b``: of the scores; variances are divided by n;
        - ``reason`` for NaN: ``no_items``, ``no_joint_items``, ``constant_ratings`` (no
          disagreement is possible by chance), ``constant_rater`` (there is no correlation).

    Raises
    ------
    CategoryError
        If the order of the categories is not known.
    KappaError
        If an option is not known, or the ratings cannot be read. See `pdkappa.errors`.

    Warns
    -----
    UndefinedKappaWarning
        Once, if `one_minus_kappa` is NaN.

    Notes
    -----
    Quadratic weighted kappa is Lin's concordance correlation with variances divided by n.
    With means m, standard deviations s and correlation r, one minus kappa is
    ``((m_a - m_b)**2 + (s_a - s_b)**2 + 2 * s_a * s_b * (1 - r)) / D`` with
    ``D = s_a**2 + s_b**2 + (m_a - m_b)**2``.

    References
    ----------
    .. [1] Lin, L. I. (1989). A concordance correlation coefficient to evaluate
           reproducibility. Biometrics, 45(1), 255-268. https://doi.org/10.2307/2532051

    Examples
    --------
    >>> df = pdkappa.datasets.load_essays()
    >>> found = pdkappa.split(df, "human_1", "machine", by="essay_set")
    >>> found[["one_minus_kappa", "bias", "scale", "noise", "correlation"]].head(3).round(3)
               one_minus_kappa   bias  scale  noise  correlation
    essay_set
    1                    0.262  0.000  0.016  0.246        0.750
    2                    0.223  0.003  0.006  0.214        0.784
    3                    0.319  0.001  0.003  0.315        0.684
    """
    reading = Reading(by, "quadratic", categories, distance, missing, sample_weight)
    study = read(data, [rater_a, rater_b], reading)
    rows = study.rows.compressed()
    scaled = moments(rows, study.scale.scores)
    values = study.coded.categories.scores
    plain = scaled if distance == "rank" or values is None else moments(rows, values[None])
    parts = split_parts(scaled)
    undefined = np.isnan(parts.one_minus_kappa)
    reason = whether_defined(study, np.arange(study.n_groups), undefined, scaled.n_items)
    reason[(reason == "") & rows.is_constant((0, 1)).any(axis=0)] = "constant_rater"
    columns = {
        "n_items": scaled.n_items,
        **parts._asdict(),
        **{name: getattr(plain, name) for name in ("mean_a", "mean_b", "sd_a", "sd_b")},
        "reason": reason,
    }
    index = study.groups.labels
    frame = frame_of(columns, pd.RangeIndex(1) if index is None else index)
    warn_if_undefined("kappa", undefined, frame["reason"])
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
