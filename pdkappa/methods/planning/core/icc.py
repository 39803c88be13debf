"""Intraclass correlations assumed of a study -> its power and the width of its limits, exactly.

With n items that R raters score, the ratio F of the mean squares of items and of error, divided
by its expectation, has an F distribution. The test of McGraw and Wong and their limits rest on
nothing else, so that neither approximation nor simulation is needed.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from pdkappa.coefficients.score_limits import fdtrc, fdtri

if TYPE_CHECKING:
    from collections.abc import Callable

    from pdkappa._typing import FloatArray

FEWEST = 2  # items
NODES_OF_F = 100  # of a quadrature, good to four digits and, from ten items on, to six
MOST_ITEMS_OF_ICC = 1e9  # beyond which older F quantiles lose their digits


@dataclass(frozen=True)
class Form:
    """What an intraclass correlation is of.

    Attributes
    ----------
    of_mean : bool
        Whether it is that of the mean of all raters, or of a single one.
    two_way : bool
        Whether the same raters score all items, so that their means are no error.
    """

    of_mean: bool
    two_way: bool

    def degrees(self, n_items: float, n_raters: int) -> tuple[float, float]:
        """Degrees of freedom of both mean squares."""
        items = n_items - 1
        return items, items * (n_raters - 1) if self.two_way else n_items * (n_raters - 1)

    def ratio(self, icc: float, n_raters: int) -> float:
        """Return the expected mean square of items in units of that of error."""
        return (1 if self.of_mean else 1 + (n_raters - 1) * icc) / (1 - icc)

    def of_ratio(self, ratio: FloatArray, n_raters: int) -> FloatArray:
        """Return the intraclass correlation of such a ratio; the inverse of `ratio`."""
        return (ratio - 1) / (ratio if self.of_mean else ratio + n_raters - 1)

    def lowest(self, n_raters: int) -> float:
        """Where items have no variance at all beside the error."""
        return -math.inf if self.of_mean else -1 / (n_raters - 1)


FORMS = {
    "ICC(1,1)": Form(of_mean=False, two_way=False),
    "ICC(C,1)": Form(of_mean=False, two_way=True),
    "ICC(1,k)": Form(of_mean=True, two_way=False),
    "ICC(C,k)": Form(of_mean=True, two_way=True),
}


@dataclass(frozen=True)
class IccStudy:
    """A study of an intraclass correlation, still to be done.

    Attributes
    ----------
    form : Form
        Of what it is.
    icc : float
        What is expected.
    n_raters : int
        R.
    level : float
        That of both limits, also where only one of them matters.
    one_sided : bool
        Whether only the limit on the side of the null matters, or the lower one.
    """

    form: Form
    icc: float
    n_raters: int
    level: float
    one_sided: bool

    def power(self, n_items: float, null: float) -> float:
        """Probability that the limits leave the null out."""
        degrees = self.form.degrees(n_items, self.n_raters)
        low, high = self._quantiles(degrees)
        null_to_truth = self.form.ratio(null, self.n_raters) / self._ratio
        above = float(fdtrc(*degrees, high * null_to_truth))
        below = 1 - float(fdtrc(*degrees, low * null_to_truth))
        if self.one_sided:
            return above if self.icc > null else below
        return above + below

    def half_width(self, n_items: float) -> float:
        """Mean distance of the limits from their middle; of the lower from the estimate."""
        degrees = self.form.degrees(n_items, self.n_raters)
        nodes, weights = np.polynomial.legendre.leggauss(NODES_OF_F)
        observed = self._ratio * fdtri(*degrees, (1 + nodes) / 2)
        low, high = (
            self.form.of_ratio(observed / one, self.n_raters)
            for one in self._quantiles(degrees)[::-1]
        )
        middle = self.form.of_ratio(observed, self.n_raters)
        half = middle - low if self.one_sided else (high - low) / 2
        return float((weights * half).sum() / 2)

    @property
    def _ratio(self) -> float:
        return self.form.ratio(self.icc, self.n_raters)

    def _quantiles(self, degrees: tuple[float, float]) -> tuple[float, float]:
        """Between them F lies with the probability of the level."""
        tail = (1 - self.level) / 2
        return float(fdtri(*degrees, tail)), float(fdtri(*degrees, 1 - tail))


def first_above(excess: Callable[[float], float]) -> float:
    """Find where an increasing function of the number of items becomes zero, not rounded."""
    from scipy.optimize import brentq

    low = high = float(FEWEST)
    while excess(high) < 0:
        low, high = high, 2 * high
        if high > MOST_ITEMS_OF_ICC:
            return math.inf
    return high if low == high else float(brentq(excess, low, high, xtol=1e-9))
