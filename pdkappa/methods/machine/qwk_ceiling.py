"""What quadratic weighted kappa the reliability of humans allows: `qwk_ceiling`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from pdkappa.errors import OptionError, shown
from pdkappa.methods.estimates.asks import Asked, asks, option
from pdkappa.methods.estimates.options import is_number

if TYPE_CHECKING:
    from collections.abc import Sequence

    from pdkappa._typing import FloatArray


def ceilings(reliability: float, n_humans: FloatArray) -> dict[str, FloatArray]:
    r"""Bound qwk of machines with the mean of k humans by test theory, each of shape (k,).

    The theory is the classical one, of scorers with equal means.

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
    return {
        "reliability": of_mean,
        "true_scores": 2 / (1 + 1 / of_mean),
        "greatest": np.sqrt(of_mean),
        "human": 2 / (1 / reliability + 1 / of_mean),
    }


def _check_reliability(name: str, value: object) -> None:
    """Refuse what is no part of a variance."""
    if not is_number(value) or not 0 < value <= 1:
        message = (
            f"{name}={shown(value)} must be a number above 0 and up to 1: the part of "
            "the variance of human scores that is not error."
        )
        raise OptionError(message)


class OfQwkCeiling(Asked):
    """Options of `qwk_ceiling`."""

    reliability: float = option(
        "Of a single human score: the part of its variance that is not error, in (0, 1]. The "
        "kappa of two humans with equal means and variances is one, as is an intraclass "
        "correlation; see `icc`.",
        "float",
        kw_only=False,
        check=_check_reliability,
    )
    n_humans: int | Sequence[int] = option(
        "How many humans' mean the machine is compared with.",
        "int or list of int",
        default=(1, 2),
        kw_only=False,
    )


@asks(OfQwkCeiling)
def qwk_ceiling(asked: OfQwkCeiling) -> pd.DataFrame:
    """Compute the largest quadratic weighted kappa of a machine, given the reliability of humans.

    Is .75 far from what is possible? Even a machine that knew the true scores would disagree
    with humans, whose scores have errors.

    Returns
    -------
    DataFrame
        One row for each number of humans, ``n_humans``; all columns are in (0, 1]:

        - ``reliability``: of the mean of so many humans;
        - ``true_scores``: kappa of a machine that gives the true scores;
        - ``greatest``: the greatest kappa of any machine, which gives true scores spread as
          widely as human scores are;
        - ``human``: kappa of one more human.

    Raises
    ------
    OptionError
        If `reliability` is no number in (0, 1], or `n_humans` no whole number from 1 upwards.

    See Also
    --------
    attainable : What kappa the shares of the categories allow.
    prmse : How well a machine predicts true scores, which has no ceiling but 1.

    Notes
    -----
    Under classical test theory, with human scores of equal means, variances and reliabilities r,
    errors that are independent, and no rounding, kappa of a machine that gives the true scores is
    ``2 r / (1 + r)`` with one human; that of scorers of the reliabilities r and s is
    ``2 / (1 / r + 1 / s)``, and the greatest is the root of the reliability.

    Examples
    --------
    >>> pdkappa.plan.qwk_ceiling(0.7).round(3)
              reliability  true_scores  greatest  human
    n_humans
    1               0.700        0.824     0.837  0.700
    2               0.824        0.903     0.907  0.757

    A machine whose kappa with one human is .80 is near the end of what can be asked for.
    """
    given: Any = asked.n_humans
    numbers = list(given) if pd.api.types.is_list_like(given) else [given]
    for number in numbers:
        if not is_number(number) or not 1 <= number < np.inf or number != np.round(number):
            message = f"n_humans={shown(asked.n_humans)} must hold whole numbers from 1 upwards."
            raise OptionError(message)
    found = ceilings(float(asked.reliability), np.array(numbers, dtype=np.float64))
    return pd.DataFrame(found, index=pd.Index(numbers, name="n_humans"))
