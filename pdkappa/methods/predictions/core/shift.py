"""How each true class is predicted -> kappa under another distribution of the classes."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from pdkappa.coefficients.chance import FEWEST_ITEMS
from pdkappa.coefficients.intervals import Limits, fisher_of_many
from pdkappa.coefficients.score_limits import without_rounding

if TYPE_CHECKING:
    from pdkappa._typing import FloatArray, IntArray
    from pdkappa.coefficients.rating_rows import RatingRows
    from pdkappa.coefficients.weights import Scale

BLOCK = 1 << 20
HALF_ITEM = 0.5


@dataclass(frozen=True)
class Confusion:
    """How the items of T true classes are predicted, in J ways.

    Attributes
    ----------
    classes : ndarray of int, shape (T,)
        Codes of the true classes that have items, ascending.
    n_items : ndarray of float, shape (T,)
        Number of items of each class.
    rows : ndarray of float, shape (T, J)
        Shares of the predictions among the items of a class; each row adds up to 1.
    apart : ndarray of float, shape (T, J)
        Disagreement of each class and prediction.
    largest : float
        Largest disagreement on the scale.
    """

    classes: IntArray
    n_items: FloatArray
    rows: FloatArray
    apart: FloatArray
    largest: float

    @property
    def prior(self) -> FloatArray:
        """Observed shares of the classes, shape (T,)."""
        return self.n_items / self.n_items.sum()

    @cached_property
    def observed(self) -> FloatArray:
        """Mean disagreement of each class with its predictions, shape (T,)."""
        result: FloatArray = (self.rows * self.apart).sum(axis=1)
        return result

    @cached_property
    def expected(self) -> FloatArray:
        """Mean disagreement of each class with the predictions of each class, shape (T, T)."""
        result: FloatArray = self.apart @ self.rows.T
        return result

    def kappa(self, priors: FloatArray) -> FloatArray:
        """Kappa under some priors of shape (P, T); NaN where no disagreement is possible, (P,)."""
        expected = ((priors @ self.expected) * priors).sum(axis=1)
        return 1 - (priors @ self.observed) / np.where(expected > 0, expected, np.nan)


class Shifted(NamedTuple):
    """Kappa under one prior, with its standard error and limits.

    `n_effective` is the number of items of the new prior that say as much about the
    confusion rows; `reason` says why something is NaN.
    """

    n_effective: float
    estimate: float
    se: float
    ci_low: float
    ci_high: float
    reason: str


def confusion_of(rows: RatingRows, scale: Scale, group: int) -> Confusion:
    """Cross-tabulate truth and prediction, the two raters of the rows, in one group."""
    truth, prediction = rows.codes
    some = np.flatnonzero((rows.group == group) & (truth >= 0) & (prediction >= 0))
    classes, row = np.unique(truth[some], return_inverse=True)
    predictions, column = np.unique(prediction[some], return_inverse=True)
    shape = (len(classes), len(predictions))
    flat = np.bincount(
        row * shape[1] + column, weights=rows.count[some], minlength=shape[0] * shape[1]
    )
    table = flat.astype(np.float64, copy=False).reshape(shape)
    n_items = table.sum(axis=1)
    first, second = (x.reshape(-1) for x in np.meshgrid(classes, predictions, indexing="ij"))
    apart = scale.between(np.full(first.shape, group), first, second).reshape(shape)
    largest = np.broadcast_to(scale.largest, (rows.n_groups,))[group]
    return Confusion(classes, n_items, table / n_items[:, None], apart, float(largest))


def size_of(rows: RatingRows, group: int) -> tuple[int, int]:
    """Count the true classes and the different predictions of one group."""
    some = (rows.group == group) & (rows.codes >= 0).all(axis=0)
    truth, prediction = rows.codes[:, some]
    return len(np.unique(truth)), len(np.unique(prediction))


def shifted(confusion: Confusion, prior: FloatArray, level: float) -> Shifted:
    r"""Compute kappa under another prior, with the confusion rows held.

    Parameters
    ----------
    confusion : Confusion
        How the items of T classes are predicted.
    prior : ndarray of float, shape (T,)
        Shares of the classes, which add up to 1.
    level : float
        Confidence level.

    Returns
    -------
    Shifted
        The estimate is NaN where prior and predictions are all in one class.

    Notes
    -----
    With shares :math:`\pi`, rows :math:`C` and disagreement :math:`d`,

    .. math:: \kappa(\pi) = 1 - \frac{\pi' e}{\pi' M \pi}, \qquad
              e_k = \sum_j C_{kj} d_{kj}, \qquad M_{kl} = \sum_j d_{kj} C_{lj}.

    The rows are independent multinomials, and the prior is known. The limits are those of
    Fisher's z for as many items as the sample is worth, :math:`1 / \sum \pi_k^2 / n_k`,
    which is n at the observed prior; and for rows with half an item more, spread as all
    predictions under the prior are, since few items that are predicted alike say little.
    """
    used = prior > 0
    n = float(1 / (prior[used] ** 2 / confusion.n_items[used]).sum())
    kappa = float(confusion.kappa(prior[None])[0])
    if np.isnan(kappa):
        return Shifted(n, np.nan, np.nan, np.nan, np.nan, "constant_ratings")
    if used.sum() == 1 or (prior @ confusion.rows > 0).sum() == 1:
        return Shifted(n, 0.0, np.nan, np.nan, np.nan, "constant_rater")
    if n < FEWEST_ITEMS:
        return Shifted(n, kappa, np.nan, np.nan, np.nan, "n_lt_2")
    at, se = np.array([kappa]), standard_error(confusion, prior)
    smoothed = _smoothed(confusion, prior)
    worst = confusion.largest / (prior @ smoothed.expected @ prior)
    pivot = fisher_of_many(
        smoothed.kappa(prior[None]),
        standard_error(smoothed, prior),
        np.array([n]),
        np.array([worst]),
    )
    limits = Limits(*pivot.limits(level)).within(at, se, np.array([-1.0]))
    reason = "" if se[0] > 0 else "no_variance"
    return Shifted(n, kappa, float(se[0]), float(limits.low[0]), float(limits.high[0]), reason)


def standard_error(confusion: Confusion, prior: FloatArray) -> FloatArray:
    """Compute the standard error of kappa under a prior, shape (1,)."""
    slope = slopes(confusion, prior)
    mean = (confusion.rows * slope).sum(axis=1, keepdims=True)
    variance = (confusion.rows * (slope - mean) ** 2).sum(axis=1) / confusion.n_items
    return without_rounding(np.sqrt(variance.sum(keepdims=True)))


def _smoothed(confusion: Confusion, prior: FloatArray) -> Confusion:
    """Add half an item to each class, spread as all predictions under the prior are."""
    n_items = confusion.n_items[:, None]
    rows = (n_items * confusion.rows + HALF_ITEM * (prior @ confusion.rows)) / (n_items + HALF_ITEM)
    return replace(confusion, rows=rows)


def slopes(confusion: Confusion, prior: FloatArray) -> FloatArray:
    """Differentiate kappa under a prior with respect to each share of the rows, shape (T, J)."""
    expected = prior @ confusion.expected @ prior
    ratio = (prior @ confusion.observed) / expected
    result: FloatArray = (
        prior[:, None] * (ratio * (prior @ confusion.apart) - confusion.apart) / expected
    )
    return result


def dirichlet_range(
    confusion: Confusion,
    prior: FloatArray,
    concentration: float,
    level: float,
    *,
    n_draws: int,
    rng: np.random.Generator,
) -> tuple[float, float]:
    """Draw priors around a prior, and return the central quantiles of kappa under them.

    Parameters
    ----------
    confusion, prior, level
        As in `shifted`; classes without a share never get one.
    concentration : float
        Sum of the parameters of the Dirichlet distribution whose mean is the prior: a
        share p has the variance ``p * (1 - p) / (concentration + 1)``.
    n_draws : int
        Number of priors.
    rng : Generator
        Where they are drawn from.

    Returns
    -------
    tuple of float
        NaN where kappa is undefined under all priors drawn; where under some, they are
        left out.
    """
    used = np.flatnonzero(prior > 0)
    step = max(1, BLOCK // max(len(prior), 1))
    values = []
    for start in range(0, n_draws, step):
        drawn = np.zeros((min(step, n_draws - start), len(prior)))
        drawn[:, used] = rng.dirichlet(concentration * prior[used], len(drawn))
        values.append(confusion.kappa(drawn))
    kappa = np.concatenate(values)
    kappa = kappa[~np.isnan(kappa)]
    if not len(kappa):
        return np.nan, np.nan
    low, high = np.quantile(kappa, [(1 - level) / 2, (1 + level) / 2])
    return float(low), float(high)
