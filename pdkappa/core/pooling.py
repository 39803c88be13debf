"""Coefficients of several groups -> one number."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from pdkappa.core.distributions import ndtri
from pdkappa.core.inference import FISHER_CAP, fisher_z

if TYPE_CHECKING:
    from pdkappa._typing import FloatArray


class PooledMean(NamedTuple):
    """The Fisher-z weighted mean of coefficients.

    Attributes
    ----------
    estimate : float
        In [-1, 1]; NaN where no group with a positive weight has a defined coefficient.
    se_fisher_z : float
        Standard error of the mean on Fisher's z scale; NaN where that of a group is.
    ci_low, ci_high : float
        Limits on the scale of the coefficient.
    n_groups, n_clipped, n_undefined : int
        Groups in the mean, how many of them were clipped, and groups left out because
        their coefficient is NaN.
    """

    estimate: float
    se_fisher_z: float
    ci_low: float
    ci_high: float
    n_groups: int
    n_clipped: int
    n_undefined: int


def weighted_fisher_mean(
    estimates: FloatArray,
    weights: FloatArray,
    *,
    se_fisher_z: FloatArray | None = None,
    clip: float | None = FISHER_CAP,
    level: float = 0.95,
) -> PooledMean:
    """Average coefficients on Fisher's z scale, as the essay-set scorer does.

    Parameters
    ----------
    estimates : ndarray of float, shape (G,)
        Coefficients; NaN where undefined.
    weights : ndarray of float, shape (G,)
        Weights, not negative; only their ratios matter.
    se_fisher_z : ndarray of float, shape (G,), optional
        Standard errors of the groups' z.
    clip : float or None
        Coefficients are clipped to [-clip, clip] first; None leaves them.
    level : float
        Confidence level of the limits.

    Returns
    -------
    PooledMean
        ``tanh(sum(w * z) / sum(w))`` over the groups with a defined coefficient.

    Notes
    -----
    The groups are independent, so the variance of the mean z is ``sum(w**2 * se**2)``
    divided by ``sum(w)**2``. The mean with its cap of 0.999 is the evaluation metric of
    the essay-scoring competition of 2012.
    """
    defined = ~np.isnan(estimates) & (weights > 0)
    used, w = estimates[defined], weights[defined]
    w = w / w.max(initial=0.0) if len(w) else w
    z = fisher_z(used, clip)
    with np.errstate(divide="ignore", invalid="ignore"):  # no group, or +inf and -inf
        mean = np.float64((w * z).sum()) / w.sum()
        se = np.float64(np.nan)
        if se_fisher_z is not None and len(w):
            se = np.sqrt(((w * se_fisher_z[defined]) ** 2).sum()) / w.sum()
    half = ndtri((1 + level) / 2) * se
    return PooledMean(
        estimate=float(np.tanh(mean)),
        se_fisher_z=float(se),
        ci_low=float(np.tanh(mean - half)),
        ci_high=float(np.tanh(mean + half)),
        n_groups=int(defined.sum()),
        n_clipped=0 if clip is None else int((np.abs(used) > clip).sum()),
        n_undefined=int(np.isnan(estimates).sum()),
    )
