"""The metric of two sequences: `qwk`."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pandas as pd

from pdkappa.errors import KappaError, RatingsError
from pdkappa.estimation.old import estimate
from pdkappa.ratings.items import align, check_weights, sequence

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
    try:
        estimates = estimate(frame, None, weights=weights, categories=labels, sample_weight=counts)
    except KappaError as error:  # which names the option as all other functions do
        raise type(error)(str(error).replace("categories=", "labels=")) from None
    return float(estimates.summary.estimate[0])


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
