"""Scores of two sequences, and means of scores, without a frame."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from pdkappa.coefficients.intervals import FISHER_CAP
from pdkappa.coefficients.pooling import weighted_fisher_mean
from pdkappa.errors import (
    DuplicateRatingError,
    KappaError,
    LeftOutWarning,
    OptionError,
    RatingsError,
    RatingTypeError,
    WeightsError,
    listing,
    warn,
)
from pdkappa.estimation.estimate import check_clip, estimate
from pdkappa.estimation.frames import pairs_frame
from pdkappa.ratings.columns import numbers_of
from pdkappa.ratings.items import align, check_weights, sequence

if TYPE_CHECKING:
    import numpy.typing as npt

    from pdkappa._typing import (
        Categories,
        Coefficient,
        Distance,
        FloatArray,
        Interval,
        ItemWeights,
        Missing,
        Progress,
        Seed,
        Weights,
    )


def qwk(
    y_true: npt.ArrayLike,
    y_pred: npt.ArrayLike,
    *,
    labels: Categories | None = None,
    weights: Weights | None = "quadratic",
    sample_weight: npt.ArrayLike | None = None,
) -> float:
    """Score predictions with quadratic weighted kappa.

    It fits ``sklearn.metrics.make_scorer`` and ``df.corr(method=pdkappa.qwk)``.

    Parameters
    ----------
    y_true, y_pred : array-like, shape (N,)
        Two sequences of ratings. Two Series are aligned on their index.
    labels : list or dict, optional
        The categories in order, or their scores, as `categories` in `pairs`.
    weights : default "quadratic"
        As in `pairs`.
    sample_weight : array-like of shape (N,), optional
        Frequency weights.

    Returns
    -------
    float
        At most 1. NaN where it is undefined: both sequences hold one and the same value,
        or no item has both.

    Raises
    ------
    RatingsError
        If the sequences differ in length, or two Series in their labels.
    KappaError
        As in `pairs`.

    Warns
    -----
    UndefinedKappaWarning
        If the result is NaN.

    Examples
    --------
    >>> round(pdkappa.qwk([1, 2, 3, 4, 3], [2, 2, 4, 4, 5]), 6)
    0.615385

    The distance of 1 and 4 is 3, even if nobody used 2 and 3:

    >>> round(pdkappa.qwk([1, 1, 4, 4, 5], [1, 4, 4, 5, 5]), 6)
    0.642857
    """
    frame, counts = _two_columns(y_true, y_pred, sample_weight)
    try:
        estimates = estimate(frame, None, weights=weights, categories=labels, sample_weight=counts)
    except KappaError as error:  # which names the option as all other functions do
        raise type(error)(str(error).replace("categories=", "labels=")) from None
    return float(estimates.summary.estimate[0])


def fisher_mean(
    kappas: npt.ArrayLike,
    weights: npt.ArrayLike | None = None,
    *,
    clip: float | None = FISHER_CAP,
) -> float:
    """Average coefficients on Fisher's z scale, as `grouped` does.

    Parameters
    ----------
    kappas : array-like of float, shape (G,)
        Coefficients in [-1, 1]. NaN, an undefined coefficient, is left out.
    weights : array-like of float, shape (G,), optional
        Weights, not negative and not all zero; only their ratios matter.
    clip : float or None, default 0.999
        Coefficients are clipped to [-clip, clip] first; None averages exactly.

    Returns
    -------
    float
        In [-1, 1]. NaN where no coefficient with a positive weight is defined, and, with
        ``clip=None``, where both 1 and -1 are among them.

    Raises
    ------
    OptionError
        If a coefficient lies outside [-1, 1], or `clip` outside (0, 1).
    WeightsError
        If the weights are negative, not finite, all zero, or not one for each coefficient.

    See Also
    --------
    grouped : Compute the coefficients and their mean, with standard errors.

    Notes
    -----
    ``tanh(sum(w * atanh(kappa)) / sum(w))``, the evaluation metric of the essay-scoring
    competition of 2012 (B. Hamner, Metrics). A Series of weights is aligned on the index.

    Examples
    --------
    >>> round(pdkappa.fisher_mean([0.5, 0.8], [1, 0.5]), 6)
    0.624536

    Perfect agreement counts as 0.999:

    >>> round(pdkappa.fisher_mean([1.0, 1.0]), 6)
    0.999
    """
    check_clip(clip)
    if isinstance(kappas, pd.Series) and isinstance(weights, pd.Series):
        weights = align(weights, kappas.index, "weights")
    values = numbers_of(kappas, "kappas", OptionError)
    if values.ndim != 1:
        message = f"kappas must be one-dimensional, got shape {values.shape}. Pass a list of them."
        raise OptionError(message)
    outside = values[np.abs(values) > 1]
    if len(outside):
        message = (
            f"kappas must lie between -1 and 1, got {listing(outside.tolist())}. "
            "Other values have no Fisher z."
        )
        raise OptionError(message)
    w = np.ones(len(values)) if weights is None else check_weights(weights, "weights", len(values))
    if len(w) and not w.any():
        message = "weights are all zero. Give at least one coefficient a positive weight."
        raise WeightsError(message)
    return weighted_fisher_mean(values, w, clip=clip).estimate


def with_(
    data: pd.Series,
    other: pd.Series,
    *,
    coefficient: Coefficient = "cohen",
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
) -> pd.Series:
    """Estimate the agreement of two Series of ratings, aligned on their index.

    It is to agreement what ``s1.corr(s2)`` is to correlation, with the standard error.

    Parameters
    ----------
    data, other : Series
        The ratings of two raters, one for each item. Never changed.
    coefficient, weights, categories, distance, missing
        As in `pairs`. An item that only one of the two Series has is one that the other did
        not rate, and `missing` says what becomes of it.
    sample_weight, cluster : Series or array, optional
        As in `pairs`: a Series with the labels of all items, or an array in the order of the
        items where both Series have the same index.
    ci, confidence_level, n_resamples, rng, progress
        As in `pairs`.

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
        As in `pairs`.

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
    >>> found = ann.kappa.with_(bob, weights="quadratic")
    >>> print(f"{found['estimate']:.3f}, standard error {found['se']:.3f}")
    0.615, standard error 0.159
    """
    frame = _aligned(data, other)
    found = pairs_frame(
        estimate(
            frame,
            list(frame.columns),
            coefficient=coefficient,
            weights=weights,
            categories=categories,
            distance=distance,
            missing=missing,
            sample_weight=sample_weight,
            cluster=cluster,
            ci=ci,
            confidence_level=confidence_level,
            n_resamples=n_resamples,
            rng=rng,
            progress=progress,
        )
    )
    n_apart = len(frame) - data.index.isin(other.index).sum()
    if n_apart and missing != "em":
        message = (
            f"{n_apart} of {len(frame)} items are left out: only one of the two Series has them. "
            "If that is not so, the labels of the index are spelled in two ways."
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
                    "cannot be told apart. Give every item a label of its own."
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


def _two_columns(
    y_true: npt.ArrayLike, y_pred: npt.ArrayLike, sample_weight: npt.ArrayLike | None
) -> tuple[pd.DataFrame, FloatArray | None]:
    """Put two sequences side by side, aligned on the index if both have one."""
    first = sequence(y_true, "y_true", "ratings")
    second = sequence(y_pred, "y_pred", "ratings")
    if len(first) != len(second):
        message = (
            f"y_true has {len(first)} ratings and y_pred {len(second)}. "
            "Pass one of each for every item."
        )
        raise RatingsError(message)
    labelled = [values.index for values in (y_true, y_pred) if isinstance(values, pd.Series)]
    if len(labelled) == 2:  # noqa: PLR2004
        second = align(second, first.index, "y_pred")
    if labelled and isinstance(sample_weight, pd.Series):
        sample_weight = align(sample_weight, labelled[0], "sample_weight")
    columns = {"y_true": first.reset_index(drop=True), "y_pred": second.reset_index(drop=True)}
    counts = None
    if sample_weight is not None:
        counts = check_weights(sample_weight, "sample_weight", len(first))
    return pd.DataFrame(columns), counts
