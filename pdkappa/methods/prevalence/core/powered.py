"""A figure of the labelled items, with what judgements of all items say about its error.

With H the figure by the labels of people, J the same by those of the judge, L the labelled and U
the other items, the estimate is ``H_L + lam * (J_U - J_L)``: a control variate.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from pdkappa.coefficients.score_limits import ROUNDING
from pdkappa.methods.prevalence.core.parts import between

if TYPE_CHECKING:
    from pdkappa._typing import FloatArray
    from pdkappa.methods.prevalence.core.parts import Part

OF_HUMAN, OF_JUDGE, REST = 0, 1, 0  # figures of the labelled items, and of the others
BY_CHANCE = 3.0  # squared distance from zero, in errors, that may be that of a judge who guesses
OF_OWN_ERRORS = 1.5  # most of a lambda, in units of that of a judge whose errors are its own
MOST_LEVERAGE = 0.9  # an item that alone makes the judge's figure vary has no residual


class Powered(NamedTuple):
    """A figure of G groups: estimate, variance and degrees of freedom, each of shape (G,)."""

    estimate: FloatArray
    variance: FloatArray
    df: FloatArray
    lam: FloatArray


class InCommon(NamedTuple):
    """Kappa of the human with the judge and its error, each (G,); NaN: not known."""

    kappa: FloatArray
    error: FloatArray


class Figures(NamedTuple):
    """The figure by the labels, by the judgements of the same and of other items, each (G,)."""

    human: FloatArray
    judge: FloatArray
    rest: FloatArray


def powered(
    figures: Figures, labelled: Part, others: Part, lam: FloatArray, *, steady: bool
) -> Powered:
    """Combine the figures with some lambda.

    Parameters
    ----------
    figures : Figures
    labelled : Part
        Contributions to the first two figures.
    others : Part
        Contributions to the third.
    lam : ndarray of float, shape (G,)
        Where it is zero, judgements are not used at all.
    steady : bool
        Whether lambda was found from few of the same items, which the variance takes into
        account: residuals are those of an item left out, and a degree of freedom is lost.

    Returns
    -------
    Powered
        The variance is that of labels and of judgements, and of what clusters with items in
        both have in common. NaN with fewer than two units in a part that is used.
    """
    used = lam != 0
    with np.errstate(invalid="ignore"):  # a single cluster, which has no error
        values = labelled.values[0] - lam[labelled.group] * labelled.values[1]
    lost = np.where(used & steady, 2.0, 1.0)
    if steady:
        values = values / (1 - np.where(used[labelled.group], _leverage(labelled), 0.0))
    own = labelled.covariance(values, values)
    rest = np.where(used, lam**2 * _of_rest(others), 0.0)
    shared = 2 * lam * between(labelled, others, OF_HUMAN, REST)
    shared -= 2 * lam**2 * between(labelled, others, OF_JUDGE, REST)
    with np.errstate(divide="ignore", invalid="ignore"):  # nothing varies, or next to no units
        of_rest = np.where(used, rest**2 / (others.units - 1), 0.0)
        df = (own + rest) ** 2 / (own**2 / (labelled.units - lost) + of_rest)
    moved = np.where(used, lam * (figures.rest - figures.judge), 0.0)
    return Powered(
        figures.human + moved,
        np.maximum(own + rest + shared, 0.0),
        np.where(own + rest > 0, df, labelled.units - lost),
        lam,
    )


def best_lambda(labelled: Part, others: Part, common: InCommon) -> FloatArray:
    r"""Find the lambda with the least variance, as far as it is no noise, shape (G,).

    Parameters
    ----------
    labelled, others : Part
        As in `powered`.
    common : InCommon

    Notes
    -----
    The variance is least at ``lam = (C - c) / (V_L + V_U - 2 v)``, with C the covariance of both
    figures of the labelled items, V the variances of the judge's, and c and v what clusters with
    items in both parts have in common. In a small sample this costs more than it gains if the
    judge tells nothing about the human. Two things that their kappa says hold it back.

    If the judge's errors are its own, so that they depend on the human's label alone, an item does
    about kappa times as much to the judge's figure as to the human's, and lambda is near
    ``kappa * V_H / V_J``. So it lies between zero and 1.5 times that, V_J the larger one of the
    labelled and the other items. And it is multiplied by ``max(0, 1 - 3 / t**2)``, Breiman's
    garrote, with t the kappa over its error: zero unless kappa is 1.7 times its error.
    """
    human, judge = labelled.values
    gain = labelled.covariance(human, judge) - between(labelled, others, OF_HUMAN, REST)
    own, rest = labelled.covariance(judge, judge), _of_rest(others)
    price = own + rest - 2 * between(labelled, others, OF_JUDGE, REST)
    with np.errstate(divide="ignore", invalid="ignore"):  # the judge does not vary
        of_as_few = np.fmax(own, rest * others.units / labelled.units)
        most = OF_OWN_ERRORS * common.kappa * labelled.covariance(human, human) / of_as_few
        lam = np.clip(gain / price, np.minimum(most, 0.0), np.maximum(most, 0.0))
        lam = lam * np.maximum(0.0, 1 - BY_CHANCE * (common.error / common.kappa) ** 2)
    return np.where((price > ROUNDING**2) & np.isfinite(lam) & (lam != 0), lam, 0.0)


def _of_rest(others: Part) -> FloatArray:
    """Variance of the figure of the other items, shape (G,)."""
    [values] = others.values
    return others.covariance(values, values)


def _leverage(labelled: Part) -> FloatArray:
    """Part of a unit like each row in the variation of the judge's figure, shape (M,)."""
    judge = labelled.values[OF_JUDGE]
    with np.errstate(divide="ignore", invalid="ignore"):  # the judge does not vary
        found = judge**2 / (labelled.times * labelled.mean(judge**2))[labelled.group]
    return np.minimum(np.nan_to_num(found), MOST_LEVERAGE)
