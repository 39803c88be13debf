"""Agreement without chance: scores that are near each other, and items in the same order."""

from __future__ import annotations

from dataclasses import replace
from itertools import combinations
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from pdkappa.errors import OptionError, shown
from pdkappa.methods.agreement.core.shares import concord, share_within
from pdkappa.methods.estimates.options import check_level, gate, is_number
from pdkappa.methods.estimates.pair_frames import check_by, check_pairs, warn_if_undefined, whole
from pdkappa.methods.estimates.real_scores import read_scores
from pdkappa.present import schema
from pdkappa.present.text_tables import result
from pdkappa.ratings.items import index_of
from pdkappa.ratings.options import Reading

if TYPE_CHECKING:
    from pdkappa._typing import By, Categories, ItemWeights, Missing, Raters
    from pdkappa.ratings.coded import Counted


@gate
def within(
    data: pd.DataFrame | Counted,
    raters: Raters | None = None,
    *,
    tolerance: float = 1.0,
    together: bool = False,
    by: By | None = None,
    missing: Missing = "pairwise",
    sample_weight: ItemWeights | None = None,
    confidence_level: float = 0.95,
) -> pd.DataFrame:
    """Estimate the share of items on which raters' scores are close to each other.

    On how many items do they agree well enough? There is no correction for chance: raters who all
    give the same middling score to everything are within a point of each other.

    Parameters
    ----------
    data : DataFrame, shape (N, ...)
        One row for each item, one column for each rater. Never changed.
    raters : list of column labels, optional
        Two or more, whose ratings must be numbers. Default: all columns that can be ratings.
    tolerance : float, default 1.0
        How far apart scores may be; 0 requires equal scores.
    together : bool, default False
        Whether all ratings of an item must be within the tolerance, rather than those of each
        pair.
    by : column label or list of column labels, optional
        One result for each group. See `pairs`.
    missing : {"pairwise", "listwise", "raise"}
        Use the items with two ratings (by a pair, or by anyone), use those that all rated, or
        raise an error.
    sample_weight : column label or array of shape (N,), optional
        Frequency weights: 2 counts an item twice.
    confidence_level : float, default 0.95
        Between 0 and 1.

    Returns
    -------
    DataFrame
        One row for each pair (and group), with ``rater_a, rater_b``, or one for all raters:

        - ``n_items``, those with two ratings;
        - ``estimate, se, ci_low, ci_high``: the share, and Wilson's limits, in [0, 1];
        - ``reason`` for NaN: ``no_items``, ``no_joint_items``, ``zero_total_weight``.

    Raises
    ------
    RatingTypeError
        If the ratings are not numbers.
    KappaError
        If an option is not known, or the ratings cannot be read. See `pdkappa.errors`.

    Warns
    -----
    UndefinedKappaWarning
        Once, if some share is NaN.

    See Also
    --------
    agreement : The coefficient "percent" is the share of equal ratings, averaged over pairs.
    bland_altman : How far apart two raters are on most items.

    References
    ----------
    .. [1] Wilson, E. B. (1927). Probable inference, the law of succession, and statistical
           inference. Journal of the American Statistical Association, 22(158), 209-212.
           https://doi.org/10.1080/01621459.1927.10502953

    Examples
    --------
    >>> df = pdkappa.datasets.load_anxiety()
    >>> near = df.kappa.within(tolerance=1)
    >>> near[["rater_a", "rater_b", "estimate", "ci_low", "ci_high"]].round(2)
       rater_a  rater_b  estimate  ci_low  ci_high
    0  rater_1  rater_2      0.65    0.43     0.82
    1  rater_1  rater_3      0.50    0.30     0.70
    2  rater_2  rater_3      0.60    0.39     0.78
    >>> df.kappa.within(tolerance=1, together=True)["estimate"].round(2).item()
    0.35
    """
    level = check_level(confidence_level)
    if not is_number(tolerance) or not 0 <= tolerance < np.inf:
        message = f"tolerance={shown(tolerance)} must be a number from 0 upwards."
        raise OptionError(message)
    check_by(by, set(schema.WITHIN))
    reading = Reading(by=by, missing=missing, sample_weight=sample_weight)
    scored = read_scores(data, raters, reading)
    rows, names = scored.rows, scored.coded.raters
    if not together:
        check_pairs(len(names), "within")
    chosen = [range(len(names))] if together else list(combinations(range(len(names)), 2))
    parts = []
    for some in chosen:
        share = share_within(
            replace(rows, codes=rows.codes[list(some)]), scored.scores, tolerance, level
        )
        columns: dict[str, Any] = share._asdict()
        columns["reason"] = np.where(share.n_items > 0, "", "no_joint_items")
        columns["reason"] = np.where(scored.empty == "", columns["reason"], scored.empty)
        columns["n_items"] = whole(share.n_items)
        parts.append(pd.DataFrame(columns))
    order = np.arange(len(parts) * rows.n_groups).reshape(len(parts), -1).T.reshape(-1)
    frame = pd.concat(parts).iloc[order].reset_index(drop=True)
    if not together:
        for side, name in enumerate(("rater_a", "rater_b")):
            of_pairs = [names[pair[side]] for pair in chosen]
            frame[name] = index_of(of_pairs * rows.n_groups)
    frame = frame[[name for name in schema.WITHIN if name in frame]]
    frame = scored.coded.groups.label(frame)
    warn_if_undefined("share", frame["estimate"].isna(), frame["reason"])
    return result(frame, names)


@gate
def kendall_w(
    data: pd.DataFrame | Counted,
    raters: Raters | None = None,
    *,
    by: By | None = None,
    categories: Categories | None = None,
    sample_weight: ItemWeights | None = None,
) -> pd.DataFrame:
    """Compute Kendall's coefficient of concordance of all raters, with Friedman's test.

    Do the raters put the items into the same order, whatever scores they give?

    Parameters
    ----------
    data : DataFrame, shape (N, ...)
        One row for each item, one column for each rater. Never changed.
    raters : list of column labels, optional
        Two or more, whose ratings are numbers or ordered categories. Default: all columns that
        can be ratings.
    by : column label or list of column labels, optional
        One result for each group. See `pairs`.
    categories : list or dict, optional
        The categories in order, or their scores ``{category: score}``. See `pairs`.
    sample_weight : column label or array of shape (N,), optional
        Frequency weights: 2 counts an item twice.

    Returns
    -------
    DataFrame
        One row (for each group):

        - ``n_items``, those that all raters rated: others are left out;
        - ``estimate``: W in [0, 1], corrected for ties; 1 is the same order;
        - ``chi2, df, p_value``: of the hypothesis that orders have nothing to do with each other;
        - ``n_raters``;
        - ``reason`` for NaN: ``no_items``, ``zero_total_weight``, ``n_lt_2``,
          ``constant_ratings`` (every rater gave all items one rating).

    Raises
    ------
    CategoryError
        If the order of the categories is not known.
    KappaError
        If an option is not known, or the ratings cannot be read. See `pdkappa.errors`.

    Warns
    -----
    UndefinedKappaWarning
        Once, if W is NaN.

    See Also
    --------
    icc : The same question of scores, which ask for distances, too.

    Notes
    -----
    W is ``(1 + (m - 1) r) / m`` with r the mean of Spearman's correlations of the pairs of m
    raters, where there are no ties. The distribution of ``chi2`` is near that of chi-squared from
    some eight items on [1]_.

    References
    ----------
    .. [1] Kendall, M. G., & Babington Smith, B. (1939). The problem of m rankings. The Annals of
           Mathematical Statistics, 10(3), 275-287. https://doi.org/10.1214/aoms/1177732186

    Examples
    --------
    >>> pdkappa.kendall_w(pdkappa.datasets.load_anxiety()).round(3)
       n_items  estimate    chi2  df  p_value  n_raters reason
    0       20      0.54  30.76  19    0.043         3
    """
    check_by(by, set(schema.KENDALL_W))
    reading = Reading(by=by, categories=categories, missing="listwise", sample_weight=sample_weight)
    scored = read_scores(data, raters, reading, needs_order="kendall_w")
    rows, coded = scored.rows, scored.coded
    found = concord(rows, scored.scores)
    columns: dict[str, Any] = found._asdict()
    few = np.where(found.n_items < 2, "n_lt_2", "constant_ratings")  # noqa: PLR2004
    reason = np.where(np.isnan(found.p_value), few, "")
    columns["reason"] = np.where(scored.empty == "", reason, scored.empty)
    columns["n_raters"] = np.full(rows.n_groups, len(coded.raters))
    columns |= {"n_items": whole(found.n_items), "df": whole(np.maximum(found.df, 0))}
    frame = coded.groups.label(pd.DataFrame(columns)[list(schema.KENDALL_W)])
    warn_if_undefined("coefficient", frame["estimate"].isna(), frame["reason"])
    return result(frame, coded.raters)
