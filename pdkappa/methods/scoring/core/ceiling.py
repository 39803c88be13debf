"""Reliability of human scores -> the quadratic weighted kappa that a machine can reach."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

if TYPE_CHECKING:
    from pdkappa._typing import FloatArray


class Ceilings(NamedTuple):
    """What qwk of machines with the mean of k humans is at most, each field of shape (k,)."""

    reliability: FloatArray
    true_scores: FloatArray
    greatest: FloatArray
    human: FloatArray


def ceilings(reliability: float, n_humans: FloatArray) -> Ceilings:
    r"""Compute the ceilings under classical test theory with equal means.

    Notes
    -----
    A human score is ``t + e`` with the reliability :math:`r = \text{var}(t) / \text{var}(t + e)`,
    that of the mean of k humans is :math:`r_k = k r / \{1 + (k - 1) r\}` (Spearman, Brown), and
    scorers with equal means and independent errors have :math:`\kappa = 2\,\text{cov} /
    (\text{var}_1 + \text{var}_2)`, so that scorers of the reliabilities r and s have
    :math:`2 / (1/r + 1/s)`. By the inequality of the two means, and as no machine correlates
    higher with the humans than true scores do, it never exceeds :math:`\sqrt{r_k}`.
    """
    of_mean = n_humans * reliability / (1 + (n_humans - 1) * reliability)
    return Ceilings(
        reliability=of_mean,
        true_scores=2 / (1 + 1 / of_mean),
        greatest=np.sqrt(of_mean),
        human=2 / (1 / reliability + 1 / of_mean),
    )
