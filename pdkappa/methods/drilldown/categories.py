"""Agreement on each category, and on each cut of an ordered scale."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from pdkappa.coefficients.all_raters import MULTIRATER
from pdkappa.errors import check_choice
from pdkappa.methods.drilldown.core.categories import ADDITIVE, gaps_of, scale_parts
from pdkappa.methods.drilldown.core.scale_limits import FEWEST_ITEMS, scale_limits
from pdkappa.methods.drilldown.frames import SYNONYMS, frame_of, whether_defined
from pdkappa.methods.estimates.options import check_level, gate
from pdkappa.methods.estimates.pair_frames import warn_if_undefined
from pdkappa.methods.estimates.study import read
from pdkappa.present import schema
from pdkappa.present.text_tables import result
from pdkappa.ratings.coded import Counted
from pdkappa.ratings.options import Reading

if TYPE_CHECKING:
    import pandas as pd

    from pdkappa._typing import (
        BoolArray,
        By,
        Categories,
        Distance,
        FloatArray,
        ItemWeights,
        Missing,
        Raters,
    )
    from pdkappa.methods.drilldown.core.categories import ScaleParts
    from pdkappa.methods.drilldown.core.scale_limits import ScaleLimits
    from pdkappa.methods.estimates.study import Study
    from pdkappa.ratings.long_ratings import Listed


@gate
def categories(
    data: pd.DataFrame | Counted | Listed,
    raters: Raters | None = None,
    *,
    by: By | None = None,
    coefficient: str = "light",
    categories: Categories | None = None,
    missing: Missing = "pairwise",
    sample_weight: ItemWeights | None = None,
    confidence_level: float = 0.95,
) -> pd.DataFrame:
    """Show how well the raters agree on each category against the rest.

    Which categories do the raters tell apart, and which do they confuse?

    Parameters
    ----------
    data : DataFrame, shape (N, ...)
        One row for each item, one column for each rater. Never changed.
    raters : list of column labels, optional
        Two or more. Default: all columns that can be ratings. See `pairs`.
    by : column label or list of column labels, optional
        One result for each group. See `pairs`.
    coefficient : {"light", "fleiss", "conger", "krippendorff"}
        The coefficient that is split. Light's is the mean of the pairwise kappas, and
        Cohen's kappa for two raters.
    categories : list or dict, optional
        The categories in order, or their scores ``{category: score}``. See `pairs`.
    missing : {"pairwise", "listwise", "raise"}
        Use the items that both raters of a pair rated, use those that all raters rated, or raise
        an error.
    sample_weight : column label or array of shape (N,), optional
        Frequency weights: 2 counts an item twice.
    confidence_level : float, default 0.95
        Between 0 and 1.

    Returns
    -------
    DataFrame
        One row for each category (and group):

        - ``n_ratings``;
        - ``prevalence``: the share of the category, averaged over the raters;
        - ``bias``: for two raters, the share of the first minus that of the second; for more, the
          largest share minus the smallest; NaN if raters are unknown, as in `from_counts`, where
          `prevalence` is the share of all ratings;
        - ``estimate``: kappa of this category against all others together, at most 1;
        - ``se, ci_low, ci_high``: its standard error and limits: for two raters those of
          `pairs`, for more those of the delta method and of `agreement`;
        - ``weight``: its part of the disagreement expected by chance; these add up to one,
          and the mean of `estimate` with them is the nominal coefficient, exactly;
        - ``specific_agreement``: the probability that another rating of the item is in the
          category, if one is, in [0, 1];
        - ``reason`` for a kappa that is NaN: ``no_items``, ``no_joint_items``,
          ``constant_ratings`` (nobody used the category, or nobody another one); or for a
          standard error that is: ``n_lt_2``, ``constant_rater``.

    Raises
    ------
    KappaError
        If an option is not known, or the ratings cannot be read. See `pdkappa.errors`.

    Warns
    -----
    UndefinedKappaWarning
        Once, if some kappa is NaN.

    See Also
    --------
    cuts : The same for ordered categories, split between neighbours.
    cells : Which two categories are confused.

    Notes
    -----
    With ``n[k, k]`` items on which two raters agree, specific agreement is
    ``2 n[k, k] / (n[k, .] + n[., k])``, which is F1; for more raters, or missing ratings,
    both sums run over all pairs of raters. Light's kappa is split within each pair of
    raters, and `estimate` is the mean over the pairs with the weights of the category in
    each.

    References
    ----------
    .. [1] Fleiss, J. L. (1971). Measuring nominal scale agreement among many raters.
           Psychological Bulletin, 76(5), 378-382. https://doi.org/10.1037/h0031619

    Examples
    --------
    >>> df = pdkappa.datasets.load_psychiatric_diagnoses()
    >>> found = pdkappa.categories(df, coefficient="fleiss")
    >>> found[["estimate", "prevalence", "weight", "specific_agreement"]].round(3)
                          estimate  prevalence  weight  specific_agreement
    category
    Depression               0.245       0.144   0.158               0.354
    Personality Disorder     0.245       0.144   0.158               0.354
    Schizophrenia            0.520       0.167   0.178               0.600
    Neurosis                 0.471       0.306   0.272               0.633
    Other                    0.566       0.239   0.233               0.670

    The weighted mean is Fleiss' kappa:

    >>> print(f"{(found['estimate'] * found['weight']).sum():.3f}")
    0.430
    """
    check_choice("coefficient", coefficient, ADDITIVE, SYNONYMS)
    level = check_level(confidence_level)
    reading = Reading(by=by, categories=categories, missing=missing, sample_weight=sample_weight)
    study = read(
        data, raters, reading, needs_identity=MULTIRATER[coefficient].of_persons, of_crowds=True
    )
    frame = category_frame(study, coefficient=coefficient, level=level)
    warn_if_undefined("kappa", frame["estimate"].isna(), frame["reason"])
    return result(frame, study.named_raters)


def category_frame(study: Study, *, coefficient: str, level: float = 0.95) -> pd.DataFrame:
    """Return one row for each category, in each group if there are groups."""
    rows = study.ratings.compressed()
    parts = scale_parts(rows, coefficient)
    limits = scale_limits(rows, coefficient, parts, level=level)
    return _scale_frame(study, parts, limits, study.in_use, "category")


@gate
def cuts(
    data: pd.DataFrame | Counted | Listed,
    raters: Raters | None = None,
    *,
    by: By | None = None,
    coefficient: str = "light",
    categories: Categories | None = None,
    distance: Distance = "value",
    missing: Missing = "pairwise",
    sample_weight: ItemWeights | None = None,
    confidence_level: float = 0.95,
) -> pd.DataFrame:
    """Show how well the raters agree on each cut of an ordered scale.

    Where on the scale do the raters disagree: about what passes, or about what excels?

    Parameters
    ----------
    data : DataFrame, shape (N, ...)
        One row for each item, one column for each rater. Never changed.
    raters : list of column labels, optional
        Two or more. Default: all columns that can be ratings. See `pairs`.
    by : column label or list of column labels, optional
        One result for each group. See `pairs`.
    coefficient : {"light", "fleiss", "conger", "krippendorff"}
        The coefficient that is split. Light's is the mean of the pairwise kappas, and
        Cohen's kappa for two raters.
    categories : list or dict, optional
        The categories in order, or their scores ``{category: score}``; without them the ratings
        must be ordered. See `pairs`.
    distance : {"value", "rank"}
        Whether distances are those of the values or of the ranks of the categories.
    missing : {"pairwise", "listwise", "raise"}
        Use the items that both raters of a pair rated, use those that all raters rated, or raise
        an error.
    sample_weight : column label or array of shape (N,), optional
        Frequency weights: 2 counts an item twice.
    confidence_level : float, default 0.95
        Between 0 and 1.

    Returns
    -------
    DataFrame
        One row for each category but the highest (and group), with what holds for the
        ratings up to this category against those above: ``n_ratings, estimate, se, ci_low,
        ci_high, prevalence, bias, weight, specific_agreement, reason``, as in `categories`.
        The mean of `estimate` with the weights is the coefficient with linear weights, exactly.

    Raises
    ------
    CategoryError
        If the order of the categories is not known.
    KappaError
        If an option is not known, or the ratings cannot be read. See `pdkappa.errors`.

    Warns
    -----
    UndefinedKappaWarning
        Once, if some kappa is NaN.

    See Also
    --------
    categories : Each category against all others.

    References
    ----------
    .. [1] Vanbelle, S., & Albert, A. (2009). A note on the linearly weighted kappa
           coefficient for ordinal scales. Statistical Methodology, 6(2), 157-163.
           https://doi.org/10.1016/j.stamet.2008.06.001

    Examples
    --------
    >>> df = pdkappa.datasets.load_anxiety()
    >>> found = pdkappa.cuts(df, ["rater_1", "rater_2"])
    >>> found[["estimate", "prevalence", "bias", "weight"]].round(3)
         estimate  prevalence  bias  weight
    cut
    1       0.643       0.075  0.05   0.095
    2       0.565       0.350  0.10   0.311
    3      -0.023       0.675 -0.05   0.297
    4      -0.167       0.825 -0.15   0.203
    5      -0.071       0.925  0.05   0.095
    """
    check_choice("coefficient", coefficient, ADDITIVE, SYNONYMS)
    level = check_level(confidence_level)
    reading = Reading(by, "linear", categories, distance, missing, sample_weight)
    study = read(
        data, raters, reading, needs_identity=MULTIRATER[coefficient].of_persons, of_crowds=True
    )
    gaps = gaps_of(study.scale, study.n_groups)
    rows = study.ratings.compressed()
    parts = scale_parts(rows, coefficient, gaps, cumulative=True)
    limits = scale_limits(rows, coefficient, parts, gaps, cumulative=True, level=level)
    frame = _scale_frame(study, parts, limits, study.in_use & (gaps > 0), "cut")
    warn_if_undefined("kappa", frame["estimate"].isna(), frame["reason"])
    return result(frame, study.named_raters)


def _nameless(study: Study, parts: ScaleParts) -> dict[str, FloatArray]:
    """Drop what compares raters where nobody knows who rated."""
    if isinstance(study.data, Counted) and study.data.anonymous:
        named = parts.specific_agreement.shape
        parts = parts._replace(prevalence=parts.pooled_share, bias=np.full(named, np.nan))
    return {name: values for name, values in parts._asdict().items() if name != "pooled_share"}


def _scale_frame(
    study: Study, parts: ScaleParts, limits: ScaleLimits, keep: BoolArray, name: str
) -> pd.DataFrame:
    """Show what holds for each category, or cut, of the scale of each group."""
    groups, places = np.nonzero(keep)
    figures = _nameless(study, parts) | limits._asdict()
    columns: dict[str, Any] = {
        column: figures[column][groups, places] for column in schema.CATEGORIES[:-1]
    }
    n_joint = study.ratings.total(study.ratings.n_ratings > 1)
    reason = whether_defined(study, groups, np.isnan(columns["estimate"]), n_joint)
    unsure = (reason == "") & np.isnan(columns["se"])
    few = (n_joint < FEWEST_ITEMS)[groups]
    columns["reason"] = np.where(unsure, np.where(few, "n_lt_2", "constant_rater"), reason)
    labels = study.coded.categories.index().rename(name)
    return frame_of(columns, study.groups.index(groups, [labels.take(places)]))
