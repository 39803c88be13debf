"""The metric of two sequences: `qwk`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from pdkappa.coefficients.weights import WEIGHTS
from pdkappa.errors import KappaError
from pdkappa.methods.estimates.options import IntervalOptions, gate
from pdkappa.methods.estimates.pair_frames import estimate
from pdkappa.methods.estimates.study import read
from pdkappa.methods.predictions.core.plain import kappa_of_plain
from pdkappa.methods.predictions.inputs import read_sequences, whole_numbers
from pdkappa.ratings.options import Reading

if TYPE_CHECKING:
    import numpy.typing as npt

    from pdkappa._typing import Categories, Weights

PLAIN = IntervalOptions("auto", 0.95, n_resamples=1, rng=None)  # nobody sees the limits
WITHOUT_MATRIX = [name for name, weighting in WEIGHTS.items() if weighting.spread]


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
    weights : str, array, DataFrame, callable or None, default "quadratic"
        How much each disagreement counts; None counts all equally. See `pairs`.
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
        If an option is not known, or the ratings cannot be read. See `pdkappa.errors`.

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
    if labels is None and sample_weight is None:
        plain = _of_plain(y_true, y_pred, weights)
        if not np.isnan(plain):
            return plain
    kinds = {"y_true": "ratings", "y_pred": "ratings"}
    first, second, counts = read_sequences(y_true, y_pred, sample_weight, kinds)
    frame = pd.DataFrame({one.name: one.reset_index(drop=True) for one in (first, second)})
    reading = Reading(weights=weights, categories=labels, sample_weight=counts)
    try:
        found = estimate(read(frame, ["y_true", "y_pred"], reading), "cohen", PLAIN)
    except KappaError as error:  # which names the option as all other functions do
        raise type(error)(str(error).replace("categories=", "labels=")) from None
    found.warn_if_undefined()
    return float(found.summary.estimate[0])


def _of_plain(first: Any, second: Any, weights: Any) -> float:
    """Score two sequences of whole numbers without a frame; NaN where it takes more than that."""
    if not (weights is None or isinstance(weights, str)) or weights not in WITHOUT_MATRIX:
        return np.nan
    labelled = isinstance(first, pd.Series) and isinstance(second, pd.Series)
    if labelled and not first.index.equals(second.index):
        return np.nan
    one, other = whole_numbers(first), whole_numbers(second)
    if one is None or other is None or one.shape != other.shape:
        return np.nan
    return kappa_of_plain(one, other, WEIGHTS[weights])
