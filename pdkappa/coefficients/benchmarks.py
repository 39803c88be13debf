"""Verbal labels for coefficients. They are conventions: what they are worth is up to the reader."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from pdkappa.coefficients.distributions import ndtr

if TYPE_CHECKING:
    from pdkappa._typing import BoolArray, FloatArray, ObjectArray

DIGITS = 12  # of an estimate; what is beyond them is rounding error


class Benchmark(NamedTuple):
    """Levels of agreement, from the lowest up."""

    bounds: tuple[float, ...]  # where each level begins
    names: tuple[str, ...]  # what it is called
    closed: tuple[float, ...] = ()  # bounds that belong to the level above; others to that below

    def reached(self, estimate: FloatArray) -> BoolArray:
        """Whether an estimate reaches each level, shape (..., L), up to rounding error."""
        value = np.round(estimate, DIGITS)[..., None]
        bounds = np.round(self.bounds, DIGITS)
        at_bound = np.isin(self.bounds, self.closed) & (value == bounds)
        result: BoolArray = (value > bounds) | at_bound
        return result


BENCHMARKS: dict[str, Benchmark] = {
    # Landis & Koch (1977), Biometrics 33, 159-174: below .00 poor, .00 to .20 slight.
    "landis_koch": Benchmark(
        (-np.inf, 0.0, 0.2, 0.4, 0.6, 0.8),
        ("poor", "slight", "fair", "moderate", "substantial", "almost perfect"),
        closed=(0.0,),
    ),
    # Krippendorff (2004), Content Analysis, 2nd ed., p. 241.
    "krippendorff": Benchmark(
        (-np.inf, 2 / 3, 0.8),
        ("unreliable", "tentative conclusions", "reliable"),
        closed=(2 / 3, 0.8),
    ),
    # Altman (1991), Practical Statistics for Medical Research, p. 404.
    "altman": Benchmark(
        (-np.inf, 0.2, 0.4, 0.6, 0.8),
        ("poor", "fair", "moderate", "good", "very good"),
    ),
    # Fleiss (1981), Statistical Methods for Rates and Proportions, 2nd ed., p. 218: below .40
    # poor, .40 to .75 fair to good, greater than .75 excellent.
    "fleiss": Benchmark((-np.inf, 0.4, 0.75), ("poor", "fair to good", "excellent"), closed=(0.4,)),
    # Cicchetti & Sparrow (1981), American Journal of Mental Deficiency 86, 127-137.
    "cicchetti": Benchmark(
        (-np.inf, 0.4, 0.6, 0.75),
        ("poor", "fair", "good", "excellent"),
        closed=(0.4, 0.6, 0.75),
    ),
}
PROBABILISTIC = "gwet"
CERTAIN = 0.95


def interpret(estimate: FloatArray, se: FloatArray, scheme: str) -> ObjectArray:
    """Name the level of each estimate, shape (...); empty text where it is NaN.

    Parameters
    ----------
    estimate, se : ndarray of float, shape (...)
        Coefficients and their standard errors.
    scheme : str
        A key of ``BENCHMARKS``, or ``"gwet"``: the highest level of Landis and Koch that
        the coefficient reaches with a probability of 95 % [1]_. The probabilities of the
        levels are normal around the estimate, within [-1, 1]; the label is empty where
        there is no standard error.

    References
    ----------
    .. [1] Gwet, K. L. (2014). Handbook of Inter-Rater Reliability (4th ed.), chapter 6.
    """
    if scheme == PROBABILISTIC:
        return _certain(estimate, se, BENCHMARKS["landis_koch"])
    levels = BENCHMARKS[scheme]
    place = levels.reached(np.nan_to_num(estimate)).sum(axis=-1) - 1
    return np.where(np.isnan(estimate), "", np.array(levels.names, dtype=object)[place])


def _certain(estimate: FloatArray, se: FloatArray, levels: Benchmark) -> ObjectArray:
    """Name the highest level whose cumulative probability, from the top, passes 95 %."""
    low = np.maximum(levels.bounds, -1.0)
    with np.errstate(divide="ignore", invalid="ignore"):  # no standard error, or zero
        z = [(bound - estimate) / se for bound in (*low, 1.0)]
        below = ndtr(np.stack(z, axis=-1))
        reached = (below[..., -1:] - below[..., :-1]) / (below[..., -1:] - below[..., :1])
    reached = np.where(se[..., None] == 0, levels.reached(estimate), np.nan_to_num(reached))
    reached[..., 0] = 1.0
    place = (reached >= CERTAIN).sum(axis=-1) - 1
    unknown = np.isnan(estimate) | np.isnan(se)
    return np.where(unknown, "", np.array(levels.names, dtype=object)[place])
