"""Scores of two sequences, and means of scores, without a frame."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pandas as pd

from pdkappa.columns import numbers_of
from pdkappa.core.inference import FISHER_CAP
from pdkappa.core.pooling import weighted_fisher_mean
from pdkappa.errors import (
    OptionError,
    RatingsError,
    WeightsError,
    listing,
)
from pdkappa.estimation import check_clip, estimate
from pdkappa.item_options import align, check_weights, sequence

if TYPE_CHECKING:
    import numpy.typing as npt

    from pdkappa._typing import Categories, FloatArray, Weights


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
    estimates = estimate(frame, None, weights=weights, categories=labels, sample_weight=counts)
    return float(estimates.summary.estimate[0])


def fisher_mean(
    kappas: npt.ArrayLike,
    weights: npt.ArrayLike | None = None,
    *,
    clip: float | None = FISHER_CAP,
) -> float:
    """Average coefficients on Fisher's z scale, as the essay-set scorer does.

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
