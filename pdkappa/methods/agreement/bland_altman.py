"""How far apart the scores of two raters are, in the units of the scores."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from pdkappa.coefficients.pair_kappas import in_units, joint_scores
from pdkappa.methods.agreement.core.bland_altman import FIGURES, bland_altman_figures
from pdkappa.methods.estimates.options import check_level, gate
from pdkappa.methods.estimates.pair_frames import check_by, warn_of_undefined_rows, whole
from pdkappa.methods.estimates.real_scores import read_scores
from pdkappa.present import schema
from pdkappa.present.text_tables import result
from pdkappa.ratings.options import Reading

if TYPE_CHECKING:
    from pdkappa._typing import By, FloatArray, ItemWeights, Label, Missing
    from pdkappa.ratings.coded import Counted


@gate
def bland_altman(
    data: pd.DataFrame | Counted,
    rater_a: Label,
    rater_b: Label,
    *,
    by: By | None = None,
    missing: Missing = "pairwise",
    sample_weight: ItemWeights | None = None,
    confidence_level: float = 0.95,
) -> pd.DataFrame:
    """Estimate the bias and the limits of agreement of two raters, in units of the scores.

    Does one rater score higher, and how far apart are they on most items? No coefficient shows
    that, since coefficients are relative to the differences between items.

    Parameters
    ----------
    data : DataFrame, shape (N, ...)
        One row for each item. Never changed.
    rater_a, rater_b : column labels
        The two raters, whose ratings must be numbers.
    by : column label or list of column labels, optional
        One result for each group. See `pairs`.
    missing : {"pairwise", "listwise", "raise"}
        Use the items that both rated (the first two choices are the same), or raise an error.
    sample_weight : column label or array of shape (N,), optional
        Frequency weights: 2 counts an item twice.
    confidence_level : float, default 0.95
        Between 0 and 1.

    Returns
    -------
    DataFrame
        Five rows (for each group), named ``figure``, of the differences, second rater less first:

        - ``bias``: their mean;
        - ``sd``: their standard deviation, divided by n - 1;
        - ``lower_limit, upper_limit``: of agreement, between which 95% of the differences lie if
          they are normal;
        - ``slope``: of the differences on the means of the two scores. If it is not zero, one
          rater spreads the scores more widely, and the limits do not apply to the whole scale.

        The columns are ``n_items, estimate, se, ci_low, ci_high, p_value, reason``. Only bias and
        slope have a `p_value`: of the hypothesis that they are zero. Reasons for NaN are
        ``no_items``, ``zero_total_weight``, ``no_joint_items``, ``n_lt_2``, ``few_items`` (two
        have no error of the slope) or ``no_variance`` (all differences are the same).

    Raises
    ------
    RatingTypeError
        If the ratings are not numbers.
    KappaError
        If an option is not known, or the ratings cannot be read. See `pdkappa.errors`.

    Warns
    -----
    UndefinedKappaWarning
        Once, if some estimate is NaN.

    See Also
    --------
    within : How many items have scores that are close to each other.

    Notes
    -----
    The limits of agreement are the bias plus and minus 1.96 standard deviations [1]_. Their own
    confidence limits are exact for normal differences, from the noncentral t distribution [2]_;
    those of [1]_ are too narrow outside and too wide inside for few items. `se` is that of [1]_.

    References
    ----------
    .. [1] Bland, J. M., & Altman, D. G. (1999). Measuring agreement in method comparison studies.
           Statistical Methods in Medical Research, 8(2), 135-160.
           https://doi.org/10.1177/096228029900800204
    .. [2] Carkeet, A. (2015). Exact parametric confidence intervals for Bland-Altman limits of
           agreement. Optometry and Vision Science, 92(3), e71-e80.
           https://doi.org/10.1097/OPX.0000000000000513

    Examples
    --------
    >>> df = pdkappa.datasets.load_essays()
    >>> found = df[df["essay_set"] == 1].kappa.bland_altman("human_1", "machine")
    >>> found[["n_items", "estimate", "ci_low", "ci_high", "p_value"]].round(2)
                 n_items  estimate  ci_low  ci_high  p_value
    figure
    bias             300     -0.04   -0.17     0.09     0.58
    sd               300      1.16    1.07     1.26      NaN
    lower_limit      300     -2.31   -2.55    -2.10      NaN
    upper_limit      300      2.23    2.02     2.47      NaN
    slope            300     -0.20   -0.29    -0.12     0.00

    The machine has no bias, but the slope says that it keeps to the middle of the scale.
    """
    level = check_level(confidence_level)
    check_by(by, set(schema.BLAND_ALTMAN))
    reading = Reading(by=by, missing=missing, sample_weight=sample_weight)
    scored = read_scores(data, [rater_a, rater_b], reading)
    rows = joint_scores(scored.rows, (0, 1)).compressed()
    unit, scores = in_units(rows, scored.scores)
    figures, varies = bland_altman_figures(rows, scores, level)
    parts = []
    for name, figure in figures.items():
        scale = 1.0 if name == "slope" else unit
        columns: dict[str, Any] = {
            field: values * (1.0 if field == "p_value" else scale)
            for field, values in figure._asdict().items()
        }
        columns["n_items"] = whole(rows.n_items)
        reason = np.where(np.isnan(figure.ci_low), _why(rows.n_items, ~varies), "")
        columns["reason"] = np.where(scored.empty == "", reason, scored.empty)
        parts.append(pd.DataFrame(columns)[list(schema.BLAND_ALTMAN)])
    order = np.arange(len(parts) * rows.n_groups).reshape(len(parts), -1).T.reshape(-1)
    frame = pd.concat(parts).iloc[order]
    frame.index = scored.coded.groups.each(pd.Index(FIGURES, name="figure"))
    warn_of_undefined_rows(frame)
    return result(frame, scored.coded.raters)


def differences(
    data: pd.DataFrame | Counted,
    rater_a: Label,
    rater_b: Label,
    *,
    missing: Missing = "pairwise",
    sample_weight: ItemWeights | None = None,
) -> pd.DataFrame:
    """List the pairs of scores that occur, for a picture.

    Parameters
    ----------
    data : DataFrame, shape (N, ...)
        One row for each item.
    rater_a, rater_b : column labels
        The two raters.
    missing, sample_weight : optional
        See `bland_altman`.

    Returns
    -------
    DataFrame
        Their ``mean``, the ``difference``, second less first, and ``n_items``.

    Examples
    --------
    >>> df = pd.DataFrame({"a": [1, 1, 2], "b": [2, 2, 2]})
    >>> differences(df, "a", "b")
       mean  difference  n_items
    0   1.5         1.0      2.0
    1   2.0         0.0      1.0
    """
    reading = Reading(missing=missing, sample_weight=sample_weight)
    scored = read_scores(data, [rater_a, rater_b], reading)
    rows = joint_scores(scored.rows, (0, 1)).compressed()
    first, second = scored.scores[rows.codes]
    columns = {"mean": (first + second) / 2, "difference": second - first, "n_items": rows.count}
    return pd.DataFrame(columns)


def _why(n: FloatArray, same: Any) -> Any:
    """Say why a group has no limits."""
    cases = [n == 0, n < 2, same]  # noqa: PLR2004
    return np.select(cases, ["no_joint_items", "n_lt_2", "no_variance"], "few_items")
