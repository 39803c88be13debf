"""Two raters, two categories -> limits and tests by the goodness of fit of a common kappa."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from pdkappa.coefficients.chance import COEFFICIENTS
from pdkappa.coefficients.distributions import half_width, two_sided
from pdkappa.coefficients.pairwise import FEWEST_ITEMS
from pdkappa.coefficients.weights import NOMINAL, Scale

if TYPE_CHECKING:
    from pdkappa._typing import BoolArray, FloatArray
    from pdkappa.coefficients.chance import Coefficient
    from pdkappa.coefficients.pairwise import Agreement
    from pdkappa.counts.core.pairs import PairCounts

SCOTT = COEFFICIENTS["scott"]


@dataclass(frozen=True)
class GoodnessOfFit:
    r"""What limits and tests of S tables of two raters and two categories are made of.

    All arrays have shape (S,).

    Attributes
    ----------
    kappa : ndarray of float
        Scott's pi, which for two categories is the intraclass kappa.
    mixed : ndarray of float
        The product of the mean shares of the two categories, in (0, 1/4].
    n : ndarray of float
        Number of items.
    ratio : ndarray of float
        Disagreement that Scott's pi expects, in units of what the coefficient expects.
    precision : ndarray of float
        Variance of the coefficient of raters who agree by chance alone, in units of the one that
        it would have if `ratio` were known.
    df : ndarray of float or None
        Degrees of freedom of the number of items, where it is estimated; see
        `pdkappa.coefficients.score.design_effect`.

    Notes
    -----
    With the share :math:`\pi` of a category and :math:`m = \pi (1 - \pi)`, an item is put into
    it by both raters with probability :math:`\pi^2 + \kappa m`, by one with
    :math:`2 m (1 - \kappa)`, by none with :math:`(1 - \pi)^2 + \kappa m`. The chi-squared
    statistic of the three counts is

    .. math:: X^2(\kappa) = \frac{n (\hat\kappa - \kappa)^2 (1 + \kappa)}
              {(1 - \kappa) \{1 + \kappa (1/m - 2) + \kappa^2\}},

    and the limits are the two values at which it meets the quantile of one degree of freedom
    [1]_. The statistic holds whatever the margins of the two raters are. Coefficients that
    expect more, as Cohen's kappa does of raters with different margins, are
    :math:`1 - (1 - \kappa)\,r` with their own ratio r. What r takes from their variance is known
    for raters who agree by chance alone, and taken to be the same elsewhere: z is then that of the
    published test of chance.

    References
    ----------
    .. [1] Donner, A., & Eliasziw, M. (1992). A goodness-of-fit approach to inference procedures
           for the kappa statistic. Statistics in Medicine, 11(11), 1511-1519.
           https://doi.org/10.1002/sim.4780111109
    """

    kappa: FloatArray
    mixed: FloatArray
    n: FloatArray
    ratio: FloatArray
    precision: FloatArray
    df: FloatArray | None = None

    def worth(self, effect: FloatArray) -> GoodnessOfFit:
        """Divide the number of items by so much."""
        return replace(self, n=self.n / effect)

    def nested(self, effect: FloatArray, df: FloatArray) -> GoodnessOfFit:
        """Count items in clusters as so many fewer, with so many degrees of freedom."""
        return replace(self.worth(effect), df=df)

    def limits(self, level: float) -> tuple[FloatArray, FloatArray]:
        """Solve the cubic equation of the statistic: the two of its roots in (-1, 1]."""
        k, h = self.kappa, 1 / self.mixed - 2
        g = half_width(level, self.df) ** 2 * self.precision / self.n
        low, high = _greater_roots(
            (1 - 2 * k + g * (h - 1)) / (1 + g),
            (k * k - 2 * k - g * (h - 1)) / (1 + g),
            (k * k - g) / (1 + g),
        )
        return 1 - (1 - low) * self.ratio, 1 - (1 - high) * self.ratio

    def test(self, null: float) -> tuple[FloatArray, FloatArray]:
        """Return the signed root of the statistic, and the two-sided p."""
        k = 1 - (1 - null) / self.ratio
        with np.errstate(divide="ignore", invalid="ignore"):
            # No such kappa is possible with this share: its statistic is infinite.
            variance = np.where(k > -1, np.fmax(variance_of(k, self.mixed), 0.0), 0.0)
            z = (self.kappa - k) * np.sqrt(self.n / (variance * self.precision))
        z = np.where(self.kappa == k, 0.0, z)  # where the share allows no smaller one, it is 0/0
        return z, two_sided(z, self.df)


def variance_of(kappa: FloatArray, mixed: FloatArray) -> FloatArray:
    """Return what divides ``n * (estimate - kappa)**2`` in the statistic, shape (S,)."""
    with np.errstate(divide="ignore", invalid="ignore"):
        found: FloatArray = (1 - kappa) * (1 + kappa * (1 / mixed - 2) + kappa**2) / (1 + kappa)
    return found


def goodness_of_fit(
    agreement: Agreement, counts: PairCounts, scale: Scale, coefficient: Coefficient
) -> GoodnessOfFit:
    """Describe tables of two categories; all is NaN where a table has another number of them."""
    row, col = counts.margins()
    alike = Scale(NOMINAL, scale.scores, scale.in_use)
    expected, pooled = (
        one.chance(row, col, alike, agreement.n_items).expected for one in (coefficient, SCOTT)
    )
    usable = is_binary(row, col) & (agreement.n_items >= FEWEST_ITEMS)
    n = np.where(usable, agreement.n_items, np.nan)
    mixed = np.where(usable, pooled / 2, np.nan)
    with np.errstate(divide="ignore", invalid="ignore"):  # no items, or a single category
        ratio = np.where(usable, pooled / expected, np.nan)
        of_chance = variance_of(1 - 1 / ratio, mixed) * ratio**2
        precision = n * agreement.se_null**2 / of_chance
    return GoodnessOfFit(
        kappa=1 - (1 - agreement.estimate) / ratio,
        mixed=mixed,
        n=n,
        ratio=ratio,
        precision=np.where(usable, np.fmin(precision, 1.0), np.nan),
    )


def is_binary(row: FloatArray, col: FloatArray) -> BoolArray:
    """Whether the two raters used two categories, each of them one or both, shape (S,)."""
    result: BoolArray = ((row > 0) | (col > 0)).sum(axis=-1) == 2  # noqa: PLR2004
    return result


def _greater_roots(b: FloatArray, c: FloatArray, d: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Middle and greatest root of ``x**3 + b x**2 + c x + d``, which has three real ones."""
    third = b / 3
    p = np.maximum(third**2 - c / 3, 0)
    q = third**3 - third * c / 2 + d / 2
    with np.errstate(divide="ignore", invalid="ignore"):
        angle = np.arccos(np.clip(-q / p**1.5, -1, 1)) / 3
    reach = 2 * np.sqrt(p)
    return reach * np.cos(angle - 2 * np.pi / 3) - third, reach * np.cos(angle) - third
