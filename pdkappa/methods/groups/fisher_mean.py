"""Means of coefficients on Fisher's z scale: `fisher_mean`."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pandas as pd

from pdkappa.coefficients.intervals import FISHER_CAP
from pdkappa.coefficients.means_over_groups import weighted_fisher_mean
from pdkappa.errors import OptionError, WeightsError, listing
from pdkappa.methods.estimates.options import gate
from pdkappa.methods.estimates.pair_frames import check_clip
from pdkappa.ratings.columns import numbers_of
from pdkappa.ratings.items import align, check_weights

if TYPE_CHECKING:
    import numpy.typing as npt


@gate
def fisher_mean(
    kappas: npt.ArrayLike,
    group_weights: npt.ArrayLike | None = None,
    *,
    clip: float | None = FISHER_CAP,
) -> float:
    """Average coefficients on Fisher's z scale, as `grouped` does.

    Parameters
    ----------
    kappas : array-like of float, shape (G,)
        Coefficients in [-1, 1]. NaN, an undefined coefficient, is left out.
    group_weights : array-like of float, shape (G,), optional
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
        If the group weights are negative, not finite, all zero, or not one for each coefficient.

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
    if isinstance(kappas, pd.Series) and isinstance(group_weights, pd.Series):
        group_weights = align(group_weights, kappas.index, "group_weights")
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
    w = np.ones(len(values))
    if group_weights is not None:
        w = check_weights(group_weights, "group_weights", len(values))
    if len(w) and not w.any():
        message = "group_weights are all zero. Give at least one coefficient a positive weight."
        raise WeightsError(message)
    return weighted_fisher_mean(values, w, clip=clip).estimate
