"""Three raters assumed of a study -> the power to tell two of their kappas apart, by drawn studies.

The three are correlated normal variables, cut into categories: a shared rater, and two who are
compared by their agreement with the shared one. The test is that of `compare`: the difference of
the kappas by its standard error, which knows that the kappas are of the same items.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from pdkappa.coefficients.chance import COEFFICIENTS
from pdkappa.coefficients.influence import standard_error
from pdkappa.coefficients.pair_kappas import of_pairs
from pdkappa.coefficients.rating_rows import RatingRows
from pdkappa.coefficients.score_limits import ndtr, ndtri, stdtrit
from pdkappa.methods.planning.core.icc import first_above
from pdkappa.methods.planning.core.power import both_below, cuts_of
from pdkappa.methods.planning.core.simulation import (
    BEYOND,
    FEWEST_STUDIES,
    MOST_ITEMS,
    ROUNDING,
    drawn_items,
    noise_of,
    zero_of,
)

if TYPE_CHECKING:
    from pdkappa._typing import CountArray, FloatArray, IntArray
    from pdkappa.coefficients.weights import Scale

CLAIMS = ("difference", "non_inferiority", "equivalence")
NODES = 40  # of a quadrature within each category
STUDIES = 5000
MOST_CELLS = 10**6  # of all tables of one number of items
MANY = 1e9  # items
PAIRS = [(0, 1), (0, 2)]


class Differences(NamedTuple):
    """Differences of two kappas, and their standard errors, each of shape (S,)."""

    estimate: FloatArray
    se: FloatArray


def trinormal_table(shared: FloatArray, compared: FloatArray, rho: FloatArray) -> FloatArray:
    """Probabilities of the cells of three normal variables cut into categories, (K, K, K).

    `rho` holds the correlations of the shared variable with either, and of the two with each
    other. Given the shared one, the other two are normal: rectangles of them are averaged
    over each of its categories.
    """
    first, second, between = rho
    noise = np.sqrt((1 - rho[:2]) * (1 + rho[:2]))
    partial = float((between - first * second) / noise.prod())
    k = len(shared)
    cuts = cuts_of(np.cumsum(compared))
    ends = np.concatenate([[0.0], np.minimum(np.cumsum(shared), 1.0)])
    nodes, weights = np.polynomial.legendre.leggauss(NODES)
    result = np.zeros((k, k, k))
    for category in np.flatnonzero(shared):
        low, high = ends[category], ends[category + 1]
        at = ndtri(low + (high - low) * (nodes + 1) / 2)[:, None]
        h, g = ((cuts - one * at) / sd for one, sd in zip(rho[:2], noise, strict=True))
        below = np.zeros((NODES, k + 1, k + 1))
        below[:, 1:-1, 1:-1] = both_below(h[:, :, None], g[:, None, :], partial)
        below[:, 1:-1, -1], below[:, -1, 1:-1], below[:, -1, -1] = ndtr(h), ndtr(g), 1.0
        cells = np.diff(np.diff(below, axis=1), axis=2)
        result[category] = (high - low) / 2 * np.tensordot(weights, cells, axes=1)
    return np.maximum(result, 0.0) / result.sum()


@dataclass(frozen=True)
class Comparison:
    """A comparison of two pairs of raters, still to be done.

    Attributes
    ----------
    table : ndarray of float, shape (K, K, K)
        Shares of the ratings of the shared rater and of the two who are compared.
    scale : Scale
        Disagreement of the categories.
    claim : str
        What is to be shown, of ``CLAIMS``.
    margin : float
        What difference does not matter; zero where a difference is to be shown.
    level : float
        One less the size of the test.
    """

    table: FloatArray
    scale: Scale
    claim: str
    margin: float
    level: float

    def power(self, n_items: int, part: int = 1) -> float:
        """Share of studies that show what is claimed."""
        if n_items > BEYOND:
            return self._of_large(n_items)
        found, df = self._drawn(n_items, part), n_items - 1
        tail = (1 - self.level) / (2 if self.claim == "difference" else 1)
        half = float(stdtrit(df, 1 - tail)) * found.se
        low, high = found.estimate - half, found.estimate + half
        if self.claim == "difference":
            shown = (low > 0) | (high < 0)
        else:
            shown = (low > -self.margin) & (
                (self.claim == "non_inferiority") | (high < self.margin)
            )
        return float((shown & (found.se > 0)).mean())

    def items_for_power(self, power: float) -> float:
        """Find the number of items with which so many studies show it, not rounded."""
        start = first_above(lambda n_items: self._of_large(n_items) - power)
        if start > MOST_ITEMS:
            return start

        def excess(n_items: int, part: int) -> float:
            return float(ndtri(self.power(n_items, part)) - ndtri(power))

        return zero_of(excess, start, noise_of(power, self._n_studies))

    def _of_large(self, n_items: float) -> float:
        """Compute the power as if the difference were normal."""
        difference, of_many = self._population
        se = float(of_many[0]) * math.sqrt(MANY / n_items)
        tail = (1 - self.level) / (2 if self.claim == "difference" else 1)
        reach = -float(ndtri(tail))
        known = float(difference[0])
        if self.claim == "difference":
            return float(ndtr(abs(known) / se - reach))
        below, above = (float(ndtr((self.margin + one) / se - reach)) for one in (known, -known))
        return below if self.claim == "non_inferiority" else max(below + above - 1, 0.0)

    @cached_property
    def _population(self) -> Differences:
        """Return the difference itself, and its standard error in a study of `MANY` items."""
        cells = self._cells
        shares = self.table.reshape(-1)[cells]
        one = np.zeros(len(cells), dtype=np.int64)
        return self._differences(cells, MANY * shares, one, 1)

    @property
    def _cells(self) -> IntArray:
        return np.flatnonzero(self.table > ROUNDING)

    @property
    def _n_studies(self) -> int:
        return max(min(MOST_CELLS // len(self._cells), STUDIES), FEWEST_STUDIES)

    def _drawn(self, n_items: int, part: int) -> Differences:
        """Draw studies of so many items."""
        cells, n_studies = self._cells, self._n_studies // part
        drawn = drawn_items(self.table.reshape(-1)[cells], n_items, n_studies)
        study, place = np.nonzero(drawn)
        return self._differences(cells[place], drawn[study, place], study, n_studies)

    def _differences(
        self, cells: IntArray, count: CountArray, study: IntArray, n_studies: int
    ) -> Differences:
        """Subtract the kappas of every study."""
        rows = RatingRows(
            codes=np.stack(np.unravel_index(cells, self.table.shape)),
            count=count.astype(np.float64),
            group=study,
            n_groups=n_studies,
            n_categories=len(self.table),
        )
        kappas = of_pairs(rows, self.scale, COEFFICIENTS["cohen"], PAIRS)
        se = standard_error(kappas.rows, kappas.influence[0] - kappas.influence[1])
        known = np.isin(kappas.reason, ["", "no_variance"]).all(axis=0)
        difference = kappas.estimate[0] - kappas.estimate[1]
        return Differences(difference, np.where(known, se, np.nan))
