"""The metric of two sequences: `qwk`."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pandas as pd

from pdkappa.errors import KappaError
from pdkappa.estimation.estimate import estimate
from pdkappa.estimation.gate import gate
from pdkappa.estimation.intervals import IntervalOptions
from pdkappa.estimation.study import read
from pdkappa.methods.predictions.inputs import read_sequences
from pdkappa.ratings.reading import Reading

if TYPE_CHECKING:
    import numpy.typing as npt

    from pdkappa._typing import Categories, Weights

PLAIN = IntervalOptions("fisher", 0.95, n_resamples=1, rng=None)  # nobody sees the limits


@gate
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
    kinds = {"y_true": "ratings", "y_pred": "ratings"}
    first, second, counts = read_sequences(y_true, y_pred, sample_weight, kinds)
    frame = pd.DataFrame({one.name: one.reset_index(drop=True) for one in (first, second)})
    reading = Reading(weights=weights, categories=labels, sample_weight=counts)
    try:
        found = estimate(read(frame, None, reading), "cohen", PLAIN)
    except KappaError as error:  # which names the option as all other functions do
        raise type(error)(str(error).replace("categories=", "labels=")) from None
    found.warn_if_undefined()
    return float(found.summary.estimate[0])
