"""Chance models: the disagreement expected of raters who do not look at the items.

A new chance-corrected coefficient costs one function here and one row in `COEFFICIENTS`.
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
    """Each rater keeps to the categories in their own proportions (Cohen, 1960)."""
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


class Expected(NamedTuple):
    """A chance model in words, for those who show how its figure comes about.

    Attributes
    ----------
    formula : str
        The disagreement expected, over names in braces: ``n_raters, n_items, n_categories``;
        ``largest_disagreement, even_disagreement``, the largest and the mean entry of the
        scale; of two ratings drawn at random their disagreement, ``own_margins`` if they are
        those of two raters and ``pooled_margins`` if they are of any, and ``pooled_same``, the
        probability that the latter are in one category.
    meaning : str
        The same as a sentence.
    needs : str
        What must hold for it to be defined, in the same names.
    """

    formula: str
    meaning: str
    needs: str = ""


@dataclass(frozen=True)
class Coefficient:
    """A chance-corrected coefficient of two raters: one row for all who use it.

    Attributes
    ----------
    chance : callable
        Its chance model.
    expected : Expected
        The same in words.
    spoken : str
        What it is called in a sentence.
    many : str
        The coefficient of all raters with this chance model, a key of ``MULTIRATER``.
    mean : str or None
        The same of the mean over all pairs of raters, if that has a name.
    synonyms : tuple of str
        What others call it, in lower case.
    keeps_margins : bool
        Whether raters agree by chance at their own margins. The coefficient is then
        exactly zero, whatever the items, where a rater uses a single category.
    of_margins : bool
        Whether chance has the margins of the raters, each of them or pooled.
    floor : float or None
        Smallest value under distance weights, for the limits of intervals; None for a
        coefficient whose smallest value is that of the largest disagreement on all items
        that are spread evenly over the categories.
    of_number : bool
        Whether it depends on the number of categories, used or not.
    tested : bool
        Whether agreement by chance alone is a hypothesis about it.
    source : str
        Author and year of the publication.
    """

    chance: ChanceModel
    expected: Expected
    spoken: str
    many: str
    mean: str | None = None
    synonyms: tuple[str, ...] = ()
    keeps_margins: bool = False
    of_margins: bool = False
    floor: float | None = -1.0
    of_number: bool = False
    tested: bool = True
    source: str = ""

    @property
    def together(self) -> str:
        """The coefficient of all raters that is shown beside it, a key of ``MULTIRATER``."""
        return self.mean or self.many

    def lowest(self, scale: Scale) -> FloatArray:
        """Return the smallest value on each scale, shape (S,) or (1,), whatever the ratings."""
        if self.floor is not None:
            return np.array([self.floor])
        even = _even_shares(scale)
        with np.errstate(divide="ignore", invalid="ignore"):  # a single category
            lowest: FloatArray = 1 - scale.largest / (even * scale.spread(even)).sum(axis=-1)
        return lowest


COEFFICIENTS: dict[str, Coefficient] = {
    "cohen": Coefficient(
        own_margins,
        Expected("{own_margins}", "Each rater has individual totals (Cohen)."),
        spoken="Cohen's kappa",
        many="conger",
        source="Cohen, 1960",
        mean="light",
        synonyms=("kappa",),
        keeps_margins=True,
        of_margins=True,
    ),
    "scott": Coefficient(
        pooled_margins,
        Expected("{pooled_margins}", "Both raters have the mean of their totals (Scott)."),
        spoken="Scott's pi",
        many="fleiss",
        source="Scott, 1955",
        synonyms=("pi",),
        of_margins=True,
    ),
    "brennan_prediger": Coefficient(
        uniform,
        Expected("{even_disagreement}", "All categories are equally likely."),
        spoken="the Brennan-Prediger coefficient",
        many="brennan_prediger",
        source="Brennan & Prediger, 1981",
        synonyms=("bennett", "pabak"),
        floor=None,
        of_number=True,
    ),
    "gwet": Coefficient(
        hard_items,
        Expected(
            "{largest_disagreement}-({largest_disagreement}-{even_disagreement})"
            "*{n_categories}/({n_categories}-1)*(1-{pooled_same})",
            "Only hard items are rated by chance (Gwet).",
            needs="{n_categories}>1",
        ),
        spoken="Gwet's coefficient",
        many="gwet",
        source="Gwet, 2008",
        synonyms=("ac1", "ac2"),
        floor=None,
        of_number=True,
    ),
    "krippendorff": Coefficient(
        pooled_ratings,
        Expected(
            "{pooled_margins}*{n_raters}*{n_items}/({n_raters}*{n_items}-1)",
            "Two of all ratings are drawn without replacement (Krippendorff).",
            needs="{n_raters}*{n_items}>1",
        ),
        spoken="Krippendorff's alpha",
        many="krippendorff",
        source="Krippendorff, 1970",
        synonyms=("alpha",),
        of_margins=True,
    ),
    "percent": Coefficient(
        none_at_all,
        Expected("{largest_disagreement}", "There is no correction for chance."),
        spoken="percent agreement",
        many="percent",
        floor=0.0,
        tested=False,
    ),
}
