"""Scores of two sequences, and means of scores, without a frame."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from pdkappa.errors import (
    DuplicateRatingError,
    LeftOutWarning,
    RatingsError,
    RatingTypeError,
    listing,
    warn,
)
from pdkappa.methods.estimates.options import IntervalOptions, gate
from pdkappa.methods.estimates.pair_frames import estimate, pairs_frame, read_pairs
from pdkappa.ratings.options import Reading

if TYPE_CHECKING:
    from pdkappa._typing import (
        Categories,
        Coefficient,
        Distance,
        Interval,
        ItemWeights,
        Missing,
        Population,
        Progress,
        Seed,
        Weights,
        WeightType,
    )


@gate
def pair(
    data: pd.Series,
    other: pd.Series,
    *,
    coefficient: Coefficient = "cohen",
    weights: Weights | None = None,
    categories: Categories | None = None,
    distance: Distance = "value",
    missing: Missing = "pairwise",
    sample_weight: ItemWeights | None = None,
    weight_type: WeightType | None = None,
    population: Population | None = None,
    cluster: ItemWeights | None = None,
    ci: Interval = "auto",
    confidence_level: float = 0.95,
    null: float = 0.0,
    n_resamples: int = 2000,
    rng: Seed = None,
    progress: Progress = False,
    sep: str | None = None,
) -> pd.Series:
    """Estimate the agreement of two Series of ratings, aligned on their index.

    It is to agreement what ``s1.corr(s2)`` is to correlation, with the standard error.

    Parameters
    ----------
    data, other : Series
        The ratings of two raters, one for each item. Never changed.
    coefficient : {"cohen", "scott", "brennan_prediger", "gwet", "krippendorff", "percent"}
        How chance agreement is defined. See `pairs`.
    weights : str, array, DataFrame, callable or None, default None
        How much each disagreement counts; None counts all equally. See `pairs`.
    categories : list or dict, optional
        The categories in order, or their scores ``{category: score}``. See `pairs`.
    distance : {"value", "rank"}
        Whether distances are those of the values or of the ranks of the categories.
    missing : {"pairwise", "listwise", "raise", "em"}
        Use the items that both rated, or refuse, or the EM algorithm. An item that only one of the
        two Series has is one that the other did not rate. See `pairs`.
    sample_weight : Series or array, optional
        Frequency weights: a Series with the labels of all items, or an array in the order of the
        items where both Series have the same index.
    weight_type : {"frequency", "probability"} or None
        Whether weights are numbers of items or sampling weights, of which only the proportions
        matter; see `pdkappa.pairs`. None: numbers of items, if they are whole.
    population : number, optional
        How many items there are, of which these were drawn. See `pairs`.
    cluster : Series or array, optional
        Items are nested in clusters, of which errors, limits and p-values take account; in the same
        form as `sample_weight`.
    ci : {"auto", "fisher", "wald", "percentile", "bca", "jackknife"}
        How the limits are computed. See `pairs`.
    confidence_level : float, default 0.95
        Between 0 and 1.
    null : float, default 0
        The agreement that is tested, between -1 and 1. See `pairs`.
    n_resamples : int, default 2000
        Number of resamples for the limits that need them, up to 1,000,000.
    rng : None, int or numpy Generator
        Random number generator or seed of the resamples; a number makes them reproducible.
    progress : bool or callable, default False
        Whether to show a progress bar of the resamples, or a function of ``(done, total)``.
    sep : str, optional
        Separator of the labels of a rating that is a set of labels. See `pairs`.

    Returns
    -------
    Series
        The row of `pairs`, named after the coefficient: ``rater_a, rater_b, n_items,
        observed_agreement, expected_agreement, estimate, se, ci_low, ci_high, z, p_value,
        max_estimate, reason``. The raters are called as the Series are, or "self" and "other"
        where these names do not tell them apart. `n_items` counts the items that both rated.

    Raises
    ------
    DuplicateRatingError
        If the indexes differ, and one has a label more than once.
    RatingsError
        If they have no label in common.
    RatingTypeError
        If `other` is no Series.
    KappaError
        If an option is not known, or the ratings cannot be read. See `pdkappa.errors`.

    Warns
    -----
    LeftOutWarning
        If some items are left out because only one of the two Series has them.
    UndefinedKappaWarning
        If the coefficient is NaN.

    See Also
    --------
    pairs : The same for the columns of a frame.
    qwk : Quadratic weighted kappa as a number.

    Examples
    --------
    >>> ann = pd.Series([1, 2, 3, 4, 3], index=["a", "b", "c", "d", "e"], name="ann")
    >>> bob = pd.Series([5, 4, 4, 2, 2], index=["e", "d", "c", "b", "a"], name="bob")
    >>> found = ann.kappa.pair(bob, weights="quadratic")
    >>> print(f"{found['estimate']:.3f}, standard error {found['se']:.3f}")
    0.615, standard error 0.159
    """
    frame = _aligned(data, other)
    reading = Reading(
        None, weights, categories, distance, missing, sample_weight, weight_type, cluster, sep=sep
    )
    interval = IntervalOptions(
        ci, confidence_level, n_resamples, rng, progress, null, population=population
    )
    study = read_pairs(frame, list(frame.columns), reading, coefficient, interval)
    estimates = estimate(study, coefficient, interval)
    estimates.warn_if_undefined()
    found = pairs_frame(estimates)
    n_apart = len(frame) - data.index.isin(other.index).sum()
    if n_apart and missing != "em":
        message = (
            f"{n_apart} of {len(frame)} items are left out: only one of the two Series has them. "
            "If that is unexpected, check the spelling of the labels in both indices."
        )
        warn(message, LeftOutWarning)
    return found.iloc[0].rename(coefficient)


def _aligned(data: pd.Series, other: Any) -> pd.DataFrame:
    """Put two Series side by side by the labels of their indexes; what one lacks is missing."""
    if not isinstance(other, pd.Series):
        message = (
            f"other must be a Series, got {type(other).__name__}. Make one with the index of the "
            "items: pd.Series(values, index=...)."
        )
        raise RatingTypeError(message)
    both = [data, other]
    if not data.index.equals(other.index):
        for one, name in zip(both, ("the Series", "other"), strict=True):
            if not one.index.is_unique:
                again = one.index[one.index.duplicated()].unique()
                message = (
                    f"The index of {name} has {listing(again)} more than once, so that its items "
                    f"cannot be told apart. Give every item a unique label."
                )
                raise DuplicateRatingError(message)
        alike = data.index.nlevels == other.index.nlevels
        if not (alike and data.index.isin(other.index).any()):
            message = (
                "The two Series have no item in common: the index of one holds "
                f"{listing(data.index) or 'nothing'}, that of the other "
                f"{listing(other.index) or 'nothing'}. "
                "Give the same items the same labels."
            )
            raise RatingsError(message)
        index = data.index.append(other.index[~other.index.isin(data.index)])
        both = [_reindexed(one, index) for one in both]
    frame = pd.concat(both, axis=1, keys=[0, 1])
    names = pd.Index([data.name, other.name], dtype=object, tupleize_cols=False)
    is_apart = names.notna().all() and names.is_unique
    frame.columns = names if is_apart else pd.Index(["self", "other"], dtype=object)
    return frame


def _reindexed(values: pd.Series, index: pd.Index) -> pd.Series:
    """Put a Series in the order of an index; whole numbers stay what they are beside gaps."""
    if isinstance(values.dtype, np.dtype) and len(values) < len(index):
        values = values.astype(object)
    return values.reindex(index)
