"""What quadratic weighted kappa the errors of humans allow: `qwk_ceiling`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from pdkappa.errors import OptionError, shown
from pdkappa.methods.estimates.options import gate, is_number
from pdkappa.methods.scoring.core.ceiling import ceilings

if TYPE_CHECKING:
    from collections.abc import Sequence


@gate
def qwk_ceiling(reliability: float, n_humans: int | Sequence[int] = (1, 2)) -> pd.DataFrame:
    """Compute the largest quadratic weighted kappa of a machine, given the reliability of humans.

    Is .75 far from what is possible? Even a machine that knew the true scores would disagree
    with humans, whose scores have errors.

    Parameters
    ----------
    reliability : float
        Of a single human score: the part of its variance that is not error, in (0, 1]. The
        kappa of two humans with equal means and variances is one, as is an intraclass
        correlation; see `icc`.
    n_humans : int or list of int, default (1, 2)
        How many humans' mean the machine is compared with.

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
    >>> pdkappa.qwk_ceiling(0.7).round(3)
              reliability  true_scores  greatest  human
    n_humans
    1               0.700        0.824     0.837  0.700
    2               0.824        0.903     0.907  0.757

    A machine whose kappa with one human is .80 is near the end of what can be asked for.
    """
    if not is_number(reliability) or not 0 < reliability <= 1:
        message = (
            f"reliability={shown(reliability)} must be a number above 0 and up to 1: the part of "
            "the variance of human scores that is not error."
        )
        raise OptionError(message)
    given: Any = n_humans
    numbers = list(given) if pd.api.types.is_list_like(given) else [given]
    for number in numbers:
        if not is_number(number) or not 1 <= number < np.inf or number != np.round(number):
            message = f"n_humans={shown(n_humans)} must hold whole numbers from 1 upwards."
            raise OptionError(message)
    found = ceilings(float(reliability), np.array(numbers, dtype=np.float64))
    return pd.DataFrame(found._asdict(), index=pd.Index(numbers, name="n_humans"))
