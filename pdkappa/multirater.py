"""Coefficients of all raters together, their influence values and covariances."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import combinations
from typing import TYPE_CHECKING

import pandas as pd

from pdkappa import weighting
from pdkappa.core.benchmarks import BENCHMARKS, PROBABILISTIC
from pdkappa.core.chance import COEFFICIENTS
from pdkappa.core.emsummary import summarise_many_missing
from pdkappa.core.influence import covariance as covariance_of
from pdkappa.core.manysummary import summarise_many
from pdkappa.core.multirater import MULTIRATER, basics_of, krippendorff_ordinal, of_pair
from pdkappa.engines.pandas import rating_rows
from pdkappa.errors import OptionError, check_choice, unknown_choice
from pdkappa.estimation import DISTANCES, check_joint
from pdkappa.frames import agreement_frame, warn_of_undefined_rows
from pdkappa.intervals import check_interval, resample_many
from pdkappa.ratings import Counted, encode

if TYPE_CHECKING:
    from collections.abc import Sequence

    from pdkappa._typing import (
        By,
        Categories,
        Coefficient,
        Distance,
        Interval,
        ItemWeights,
        Missing,
        Progress,
        Raters,
        Seed,
        Weights,
    )
    from pdkappa.core.multirater import MultiraterModel
    from pdkappa.core.rows import RatingRows
    from pdkappa.core.weights import Scale
    from pdkappa.ratings import Coded

ORDINAL_METRIC = "krippendorff_ordinal"
OF_PERSONS = {"conger", "light"}
MARGINS = ("items", "ratings")
SYNONYMS = {
    "kappa": "'conger', or 'light' for the mean of the pairs",
    "cohen": "'conger' for all raters together",
    "scott": "'fleiss' for all raters together",
    "randolph": "'brennan_prediger'",
    "alpha": "'krippendorff'",
    "ac1": "'gwet'",
    "ac2": "'gwet'",
}


@dataclass(frozen=True)
class Rows:
    """Coded ratings as rows with counts, and their scale."""

    coded: Coded
    rows: RatingRows
    scale: Scale


def agreement(
    data: pd.DataFrame | Counted,
    raters: Raters | None = None,
    *,
    by: By | None = None,
    coefficients: Sequence[str] | None = None,
    weights: Weights | None = None,
    categories: Categories | None = None,
    distance: Distance = "value",
    missing: Missing = "pairwise",
    sample_weight: ItemWeights | None = None,
    cluster: ItemWeights | None = None,
    ci: Interval = "fisher",
    confidence_level: float = 0.95,
    n_resamples: int = 2000,
    rng: Seed = None,
    progress: Progress = False,
    margins: str = "items",
    interpretation: str = "landis_koch",
) -> pd.DataFrame:
    """Estimate the agreement of all raters together, by every coefficient.

    How far do the raters agree as a group, beyond chance, and how sure is that? Missing
    ratings and unequal numbers of raters are part of the definition of each coefficient.

    Parameters
    ----------
    data, raters, by
        As in `pairs`. The raters need not be the same for all items, except for "conger"
        and "light", which compare raters as persons.
    coefficients : list of str, optional
        Some of ``percent, brennan_prediger, fleiss, conger, light, gwet, krippendorff``;
        default: all of them.
    weights : as in `pairs`, or "krippendorff_ordinal"
        The latter is Krippendorff's own ordinal metric, for his coefficient alone; it is
        not the "ordinal" of Gwet, and depends on how often each category was used.
    categories, distance
        As in `pairs`.
    missing : {"pairwise", "listwise", "raise", "em"}
        Use all ratings there are, or the items that all raters rated, or refuse; or
        estimate the joint distribution of all raters, as in `pairs`.
    sample_weight : column label or array of shape (N,), optional
        As in `pairs`.
    cluster : column label or array of shape (N,), optional
        Items are nested in clusters, such as the essays of one student: standard errors
        count by cluster. The estimates are the same.
    ci : {"fisher", "wald", "percentile", "bca", "jackknife"}
        Limits on Fisher's z scale; estimate plus and minus t quantiles of the standard
        error; or resampled, as in `pairs`.
    confidence_level, n_resamples, rng, progress
        As in `pairs`.
    margins : {"items", "ratings"}
        Whether category shares are averaged over items, so that an item with many ratings
        counts no more than one with few (Gwet), or over the ratings of all items with two
        or more. Without effect on "conger", "light" and "krippendorff", and where all
        items have the same number of ratings.
    interpretation : {"landis_koch", "krippendorff", "altman", "fleiss", "cicchetti", "gwet"}
        The scheme of the verbal labels. "gwet" gives the level of Landis and Koch that is
        reached with 95 % probability. Labels are conventions: they know nothing of the
        number of categories or of what hangs on the ratings.

    Returns
    -------
    DataFrame
        One row for each coefficient (and group): ``n_items, n_raters, n_ratings,
        observed_agreement, expected_agreement, estimate, se, ci_low, ci_high, z, p_value,
        interpretation, reason``. The estimate is at most 1. `p_value` is two-sided, from
        the standard error of the estimate and a t distribution. What is NaN has its
        reason:

        - ``no_items``, ``no_joint_items``: nobody rated, or no item has two ratings;
        - ``constant_ratings``: only one category was used, 0/0;
        - ``constant_rater``: one of two raters used a single category, so that "conger"
          and "light" are 0 whatever the items are, and have no standard error;
        - ``n_lt_2``: no standard error from fewer than two items (or clusters).

    Raises
    ------
    KappaError
        As in `pairs`.

    Warns
    -----
    UndefinedKappaWarning
        Once, if some coefficient is NaN.

    See Also
    --------
    pairs : Agreement of every two raters.
    influence : What each item does to a coefficient.

    Notes
    -----
    Every coefficient is ``1 - D_o / D_e``. Observed disagreement is the mean, over items
    with two ratings or more, of the disagreement of their pairs of ratings; for
    Krippendorff's alpha every rating of such an item weighs the same. Expected is that of
    the chance model: pooled category shares (fleiss), each rater's own (conger), equal
    ones (brennan_prediger), Gwet's, and Krippendorff's drawing without replacement.
    "light" is the mean of the pairwise kappas. With two raters and no missing ratings,
    fleiss is Scott's pi, and conger and light are Cohen's kappa.

    Standard errors come from influence values and divide by n (n - 1), n being the number
    of items with a rating. With missing ratings they are not those of Gwet's book, which
    takes the share of items with two ratings for fixed [1]_.

    References
    ----------
    .. [1] Gwet, K. L. (2014). Handbook of Inter-Rater Reliability (4th ed.). Advanced
           Analytics.
    .. [2] Conger, A. J. (1980). Integration and generalization of kappas for multiple
           raters. Psychological Bulletin, 88(2), 322-328.
           https://doi.org/10.1037/0033-2909.88.2.322
    .. [3] Krippendorff, K. (2004). Content Analysis (2nd ed.), chapter 11. Sage.

    Examples
    --------
    >>> df = pdkappa.datasets.load_reliability_data()
    >>> pdkappa.agreement(df)[["n_items", "n_ratings", "estimate", "se"]].round(3)
                      n_items  n_ratings  estimate     se
    coefficient
    percent                12         41     0.818  0.101
    brennan_prediger       12         41     0.773  0.127
    fleiss                 12         41     0.761  0.135
    conger                 12         41     0.762  0.133
    light                  12         41     0.700  0.151
    gwet                   12         41     0.775  0.125
    krippendorff           12         41     0.743  0.141
    """
    interval = check_interval(ci, confidence_level, n_resamples, rng, progress)
    check_choice("margins", margins, MARGINS)
    schemes = [*BENCHMARKS, PROBABILISTIC]
    check_choice("interpretation", interpretation, schemes)
    models = _models(data, coefficients, weights)
    found = _rows(
        data,
        raters,
        by=by,
        weights=weights,
        categories=categories,
        distance=distance,
        missing=missing,
        sample_weight=sample_weight,
        cluster=cluster,
        ci=ci,
        needs_identity=bool(OF_PERSONS & models.keys()),
    )
    summarise = summarise_many_missing if missing == "em" else summarise_many
    summaries = summarise(
        found.rows,
        found.scale,
        models,
        by_items=margins == "items",
        ci=interval.first,
        level=interval.level,
    )
    if interval.ci != interval.first:
        summaries = resample_many(
            summaries, found.rows, found.scale, models, interval, by_items=margins == "items"
        )
    frame = agreement_frame(summaries, found.coded.group_index, interpretation)
    warn_of_undefined_rows(frame)
    return frame


def influence(
    data: pd.DataFrame | Counted,
    raters: Raters | None = None,
    *,
    by: By | None = None,
    coefficients: Sequence[str] | None = None,
    weights: Weights | None = None,
    categories: Categories | None = None,
    distance: Distance = "value",
    missing: Missing = "pairwise",
    sample_weight: ItemWeights | None = None,
    margins: str = "items",
) -> pd.DataFrame:
    """Show what each item does to the coefficients of all raters.

    The influence of an item is n times the derivative of a coefficient with respect to
    the weight of the item: leaving it out changes the coefficient by about minus its
    influence divided by n.

    Parameters
    ----------
    data, raters, by, coefficients, weights, categories, distance, missing
        As in `agreement`.
    sample_weight : column label or array of shape (N,), optional
        As in `agreement`.
    margins : {"items", "ratings"}
        As in `agreement`.

    Returns
    -------
    DataFrame, shape (N, number of coefficients)
        One row for each item that counts, with its label in `data`: not those without a
        group, without weight, or, with ``missing="listwise"``, without all ratings. An
        item without any rating has no influence, 0. The weighted mean over the items of a
        group is 0. NaN where the coefficient is undefined.

    Raises
    ------
    KappaError
        As in `pairs`.

    See Also
    --------
    covariance : Covariances of the pairwise coefficients, from the same values.

    Notes
    -----
    The squared standard error of a coefficient is the sum of the squared influences of n
    items, divided by n (n - 1). The small-sample factor of Krippendorff's alpha is held
    fixed.

    Examples
    --------
    >>> df = pdkappa.datasets.load_anxiety()
    >>> values = pdkappa.influence(df, weights="quadratic")
    >>> n = len(values)
    >>> se = (values**2).sum() ** 0.5 / (n * (n - 1)) ** 0.5
    >>> bool(np.isclose(se["fleiss"], pdkappa.agreement(df, weights="quadratic").se["fleiss"]))
    True
    """
    check_choice("margins", margins, MARGINS)
    models = _models(data, coefficients, weights)
    found = _rows(
        data,
        raters,
        by=by,
        weights=weights,
        categories=categories,
        distance=distance,
        missing=missing,
        sample_weight=sample_weight,
        cluster=None,
        needs_identity=bool(OF_PERSONS & models.keys()),
    )
    basics = basics_of(found.rows, found.scale, by_items=margins == "items")
    columns = {
        name: model(found.rows, found.scale, basics).influence for name, model in models.items()
    }
    return pd.DataFrame(columns, index=found.coded.items)


def covariance(
    data: pd.DataFrame | Counted,
    raters: Raters | None = None,
    *,
    coefficient: Coefficient = "cohen",
    weights: Weights | None = None,
    categories: Categories | None = None,
    distance: Distance = "value",
    missing: Missing = "pairwise",
    sample_weight: ItemWeights | None = None,
    cluster: ItemWeights | None = None,
) -> pd.DataFrame:
    """Estimate the covariances of all pairwise coefficients.

    They share items, and often a rater, so that they are not independent. Any contrast of
    them, such as the mean of some minus that of others, has the variance ``c @ V @ c``.

    Parameters
    ----------
    data, raters, coefficient, weights, categories, distance, missing, sample_weight
        As in `pairs`.
    cluster : column label or array of shape (N,), optional
        As in `agreement`.

    Returns
    -------
    DataFrame, shape (P, P)
        Rows and columns are the pairs of raters, in the order of `pairs`. NaN where a
        coefficient is undefined. The diagonal holds squared standard errors; they divide
        by n (n - 1) with n the number of items with any rating, and so are a little larger
        than those of `pairs`, which divide by n.

    Raises
    ------
    KappaError
        As in `pairs`.

    Examples
    --------
    >>> df = pdkappa.datasets.load_anxiety()
    >>> v = pdkappa.covariance(df, weights="quadratic")
    >>> v.shape
    (3, 3)
    """
    check_choice("coefficient", coefficient, COEFFICIENTS)
    found = _rows(
        data,
        raters,
        by=None,
        weights=weights,
        categories=categories,
        distance=distance,
        missing=missing,
        sample_weight=sample_weight,
        cluster=cluster,
    )
    pairs = list(combinations(range(len(found.coded.raters)), 2))
    model = COEFFICIENTS[coefficient]
    values = [of_pair(found.rows, found.scale, model, pair).influence for pair in pairs]
    names = [tuple(found.coded.raters[rater] for rater in pair) for pair in pairs]
    index = pd.MultiIndex.from_tuples(names, names=["rater_a", "rater_b"])
    return pd.DataFrame(covariance_of(found.rows, values)[0], index=index, columns=index)


def _models(
    data: pd.DataFrame | Counted, coefficients: Sequence[str] | None, weights: Weights | None
) -> dict[str, MultiraterModel]:
    """Return the coefficients of all raters that the user wants."""
    anonymous = isinstance(data, Counted) and data.anonymous
    known = [name for name in MULTIRATER if not (anonymous and name in OF_PERSONS)]
    names = [coefficients] if isinstance(coefficients, str) else list(coefficients or known)
    for name in names:
        if name not in MULTIRATER:
            raise unknown_choice("coefficients", name, MULTIRATER, SYNONYMS)
    if not _is_ordinal_metric(weights):
        return {name: MULTIRATER[name] for name in names}
    if names != ["krippendorff"]:
        message = (
            f"weights={ORDINAL_METRIC!r} belongs to Krippendorff's alpha alone, for which the "
            "metric depends on the ratings. Pass coefficients=['krippendorff']."
        )
        raise OptionError(message)
    return {"krippendorff": krippendorff_ordinal}


def _is_ordinal_metric(weights: Weights | None) -> bool:
    """Whether the weights are Krippendorff's ordinal metric."""
    return isinstance(weights, str) and weights == ORDINAL_METRIC


def _rows(
    data: pd.DataFrame | Counted,
    raters: Raters | None,
    *,
    by: By | None,
    weights: Weights | None,
    categories: Categories | None,
    distance: str,
    missing: str,
    sample_weight: ItemWeights | None,
    cluster: ItemWeights | None,
    ci: str = "fisher",
    needs_identity: bool = True,
) -> Rows:
    """Check the ratings, and put them into rows with their scale."""
    check_choice("distance", distance, DISTANCES)
    coded = encode(
        data,
        raters,
        by=by,
        categories=categories,
        needs_order=_needs_order(weights),
        missing=missing,
        sample_weight=sample_weight,
        cluster=cluster,
        needs_identity=needs_identity,
    )
    if missing == "em":
        check_joint(coded, cluster, ci)
    if _is_ordinal_metric(weights):
        weights, distance = "quadratic", "rank"
    scale = weighting.scale_of(weights, coded.categories, distance, coded.in_use)
    return Rows(coded, rating_rows(coded), scale)


def _needs_order(weights: Weights | None) -> str | None:
    """Name the option that needs ordered categories, for messages; None if none does."""
    if _is_ordinal_metric(weights):
        return f"weights={weights!r}"
    return weighting.needs_order(weights)
