"""Chance models: the disagreement expected of raters who do not look at the items.

A new chance-corrected coefficient costs one function here and one line in `COEFFICIENTS`.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple, Protocol

import numpy as np

if TYPE_CHECKING:
    from pdkappa._typing import FloatArray
    from pdkappa.coefficients.weights import Scale


class Chance(NamedTuple):
    """Expected disagreement of S tables and what the standard errors need of it.

    Attributes
    ----------
    expected : ndarray of float, shape (S,)
        Disagreement expected by chance, in the units of the scale.
    by_row, by_col : ndarray of float, shape (S, K)
        Its derivatives with respect to the shares of the row and column categories.
    null : tuple of two ndarray of float, shape (S, K), or None
        Margins whose product is the table of raters who agree by chance alone; None
        where no such table exists.
    """

    expected: FloatArray
    by_row: FloatArray
    by_col: FloatArray
    null: tuple[FloatArray, FloatArray] | None


class ChanceModel(Protocol):
    """Map the margins of tables and the scale to the disagreement expected by chance."""

    def __call__(self, row: FloatArray, col: FloatArray, scale: Scale, n: FloatArray) -> Chance:
        """Take margins of shape (S, K) and the number of items of each table, shape (S,)."""
        ...


def own_margins(row: FloatArray, col: FloatArray, scale: Scale, n: FloatArray) -> Chance:  # noqa: ARG001
    """Each rater keeps to the categories in his own proportions (Cohen, 1960)."""
    by_row = scale.spread(col)
    by_col = scale.spread(row)
    return Chance((row * by_row).sum(axis=-1), by_row, by_col, (row, col))


def pooled_margins(row: FloatArray, col: FloatArray, scale: Scale, n: FloatArray) -> Chance:  # noqa: ARG001
    """Both raters share the mean of their proportions (Scott, 1955)."""
    mean = (row + col) / 2
    slope = scale.spread(mean)
    return Chance((mean * slope).sum(axis=-1), slope, slope, (mean, mean))


def pooled_ratings(row: FloatArray, col: FloatArray, scale: Scale, n: FloatArray) -> Chance:
    """Two of all 2n ratings are drawn without putting the first back (Krippendorff, 1970)."""
    chance = pooled_margins(row, col, scale, n)
    with np.errstate(divide="ignore", invalid="ignore"):  # nothing is left to draw
        factor = np.where(2 * n > 1, 2 * n / (2 * n - 1), np.nan)
    slope = factor[:, None] * chance.by_row
    return Chance(factor * chance.expected, slope, slope, chance.null)


def uniform(row: FloatArray, col: FloatArray, scale: Scale, n: FloatArray) -> Chance:  # noqa: ARG001
    """All categories are equally likely (Brennan & Prediger, 1981)."""
    even = np.broadcast_to(_even_shares(scale), row.shape)
    flat = np.zeros_like(row)
    return Chance((even * scale.spread(even)).sum(axis=-1), flat, flat, (even, even))


def hard_items(row: FloatArray, col: FloatArray, scale: Scale, n: FloatArray) -> Chance:  # noqa: ARG001
    """Chance plays on hard items only, as likely as the ratings are varied (Gwet, 2008).

    In agreement weights w, with T their sum and q categories, the expected agreement is
    ``T / (q (q - 1)) * sum(pi * (1 - pi))``; this is the same in units of disagreement.
    """
    mean = (row + col) / 2
    q = scale.n_categories.astype(np.float64)
    even = _even_shares(scale)
    mean_disagreement = (even * scale.spread(even)).sum(axis=-1)
    with np.errstate(divide="ignore", invalid="ignore"):  # a single category
        pull = np.where(q > 1, (scale.largest - mean_disagreement) * q / (q - 1), np.nan)
    expected = scale.largest - pull * (mean * (1 - mean)).sum(axis=-1)
    slope = -pull[:, None] * (1 - 2 * mean) / 2
    return Chance(expected, slope, slope, None)


def none_at_all(row: FloatArray, col: FloatArray, scale: Scale, n: FloatArray) -> Chance:  # noqa: ARG001
    """Nothing is ascribed to chance: the coefficient is the observed agreement."""
    flat = np.zeros_like(row)
    return Chance(np.broadcast_to(scale.largest, n.shape), flat, flat, None)


def _even_shares(scale: Scale) -> FloatArray:
    """Equal shares of the categories in use, shape (S, K) or (1, K)."""
    result: FloatArray = scale.in_use / np.maximum(scale.n_categories, 1)[:, None]
    return result


@dataclass(frozen=True)
class Coefficient:
    """A chance-corrected coefficient of two raters.

    Attributes
    ----------
    chance : callable
        Its chance model.
    keeps_margins : bool
        Whether raters agree by chance at their own margins. The coefficient is then
        exactly zero, whatever the items, where a rater uses a single category.
    floor : float or None
        Smallest value under distance weights, for the limits of intervals; None for a
        coefficient whose smallest value is that of the largest disagreement on all items
        that are spread evenly over the categories.
    tested : bool
        Whether agreement by chance alone is a hypothesis about it.
    """

    chance: ChanceModel
    keeps_margins: bool = False
    floor: float | None = -1.0
    tested: bool = True

    def lowest(self, scale: Scale) -> FloatArray:
        """Return the smallest value on each scale, shape (S,) or (1,), whatever the ratings."""
        if self.floor is not None:
            return np.array([self.floor])
        even = _even_shares(scale)
        with np.errstate(divide="ignore", invalid="ignore"):  # a single category
            lowest: FloatArray = 1 - scale.largest / (even * scale.spread(even)).sum(axis=-1)
        return lowest


COEFFICIENTS: dict[str, Coefficient] = {
    "cohen": Coefficient(own_margins, keeps_margins=True),
    "scott": Coefficient(pooled_margins),
    "brennan_prediger": Coefficient(uniform, floor=None),
    "gwet": Coefficient(hard_items, floor=None),
    "krippendorff": Coefficient(pooled_ratings),
    "percent": Coefficient(none_at_all, floor=0.0, tested=False),
}
