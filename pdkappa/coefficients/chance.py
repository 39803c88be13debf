"""Counts of a pair of raters -> a chance-corrected coefficient and its standard errors."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol

import numpy as np

from pdkappa.coefficients.pair_counts import BYTES
from pdkappa.coefficients.score_limits import ROUNDING, at_least, one_minus, without_rounding
from pdkappa.coefficients.weights import dot

if TYPE_CHECKING:
    from collections.abc import Callable

    from pdkappa._typing import BoolArray, FloatArray, IntArray
    from pdkappa.coefficients.pair_counts import PairCounts
    from pdkappa.coefficients.weights import Scale


class Chance(NamedTuple):
    """Expected disagreement of S tables and what the standard errors need of it."""

    expected: FloatArray  # disagreement expected by chance, in the units of the scale, (S,)
    # Its derivatives with respect to the shares of the row and column categories, (S, K).
    by_row: FloatArray
    by_col: FloatArray
    # Margins whose product is the table of raters who agree by chance alone; None where no such
    # table exists, (S, K).
    null: tuple[FloatArray, FloatArray] | None


class ChanceModel(Protocol):
    """Map the margins of tables and the scale to the disagreement expected by chance."""

    def __call__(self, row: FloatArray, col: FloatArray, scale: Scale, n: FloatArray) -> Chance:
        """Take margins of shape (S, K) and the number of items of each table, shape (S,)."""


def own_margins(row: FloatArray, col: FloatArray, scale: Scale, n: FloatArray) -> Chance:  # noqa: ARG001
    """Each rater keeps to the categories in their own proportions (Cohen, 1960)."""
    by_row, by_col = scale.spread(np.stack([col, row]))
    return Chance(dot(row, by_row), by_row, by_col, (row, col))


def pooled_margins(row: FloatArray, col: FloatArray, scale: Scale, n: FloatArray) -> Chance:  # noqa: ARG001
    """Both raters share the mean of their proportions (Scott, 1955)."""
    mean = (row + col) / 2
    slope = scale.spread(mean)
    return Chance(dot(mean, slope), slope, slope, (mean, mean))


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
    mean_disagreement = _even_disagreement(scale)
    with np.errstate(divide="ignore", invalid="ignore"):  # a single category
        pull = np.where(q > 1, (scale.largest - mean_disagreement) * q / (q - 1), np.nan)
    expected = scale.largest - pull * (mean * (1 - mean)).sum(axis=-1)
    slope = -pull[:, None] * (1 - 2 * mean) / 2
    return Chance(expected, slope, slope, None)


def none_at_all(row: FloatArray, col: FloatArray, scale: Scale, n: FloatArray) -> Chance:  # noqa: ARG001
    """Nothing is ascribed to chance: the coefficient is the observed agreement."""
    flat = np.zeros_like(row)
    return Chance(np.broadcast_to(scale.largest, n.shape), flat, flat, None)


TOGETHER = 1 << 14  # items whose products are summed at a time
EXACT_IN_SHORT = 1 << 24  # whole numbers up to which floats of 32 bits are exact


class Sums(NamedTuple):
    """Sums of the scores of R raters, each of shape (R, R): of items that another rated, too."""

    n: FloatArray  # number of items that both rated
    score: FloatArray  # of the first of the two, over these
    square: FloatArray
    product: FloatArray


def sums_of_scores(codes: IntArray, scores: FloatArray) -> Sums:
    """Sum the scores of every two raters over the items that both rated.

    The scores, of shape (K,), are whole numbers, ascending, as are then all sums: those below 2**53
    are exact. The codes have the shape (R, N), and -1 for a missing rating.
    """
    n_raters, is_complete = len(codes), codes.min(initial=0) == 0
    step = min(TOGETHER, max(BYTES // max(n_raters, 1), 1))
    is_short = step * np.abs(scores).max(initial=1.0) ** 2 <= EXACT_IN_SHORT
    kind: Any = np.float32 if is_short else np.float64
    is_even = scores[-1] - scores[0] == len(scores) - 1  # so that no score has to be looked up
    values = scores[:1].astype(kind) if is_even else np.append(scores, 0.0).astype(kind)
    sums = Sums(*np.zeros((4, n_raters, n_raters)))
    for start in range(0, codes.shape[1], step):
        part = codes[:, start : start + step]
        some = part[:1] if is_complete else part  # all have rated the same
        rated: Any = (some >= 0).astype(values.dtype)
        one = (part.astype(values.dtype) + values[0]) * rated if is_even else values.take(part)
        sums.n[:] += rated @ rated.T
        sums.score[:] += one @ rated.T
        sums.product[:] += one @ one.T
        if not is_complete:
            sums.square[:] += one**2 @ rated.T
    if is_complete:
        sums.square[:] = np.diagonal(sums.product)[:, None]
    return sums


class Moments(NamedTuple):
    """Sums of the scores of S pairs of raters over the n items that both rated, each (S,).

    `x` and `y` are those of the scores of either, `xx` and `yy` those of their squares, `xy` that
    of their products. With squared distances and whole scores, everything here is a quotient of
    whole numbers, which integers hold where floats do not.
    """

    n: IntArray
    x: IntArray
    y: IntArray
    xx: IntArray
    yy: IntArray
    xy: IntArray

    @property
    def observed(self) -> FloatArray:
        """Mean squared distance of the two scores of an item, shape (S,)."""
        return (self.xx + self.yy - 2 * self.xy) / self.n

    @property
    def is_constant(self) -> BoolArray:
        """Whether a rater gave all items the same score, shape (S,)."""
        return (self.n * self.xx == self.x**2) | (self.n * self.yy == self.y**2)


def own_moments(at: Moments, scale: Scale) -> FloatArray:  # noqa: ARG001
    """Return what `own_margins` expects of squared distances."""
    return (at.n * (at.xx + at.yy) - 2 * at.x * at.y) / at.n**2


def pooled_moments(at: Moments, scale: Scale) -> FloatArray:  # noqa: ARG001
    """Return what `pooled_margins` expects of squared distances."""
    return (2 * at.n * (at.xx + at.yy) - (at.x + at.y) ** 2) / (2 * at.n**2)


def pooled_moments_of_sample(at: Moments, scale: Scale) -> FloatArray:
    """Return what `pooled_ratings` expects of squared distances."""
    return 2 * at.n / (2 * at.n - 1) * pooled_moments(at, scale)


def even_moments(at: Moments, scale: Scale) -> FloatArray:
    """Return what `uniform` expects."""
    return np.full(at.n.shape, _even_disagreement(scale))


def no_moments(at: Moments, scale: Scale) -> FloatArray:
    """Return what `none_at_all` expects."""
    return np.full(at.n.shape, scale.largest)


def _even_disagreement(scale: Scale) -> FloatArray:
    """Mean disagreement of categories that are equally likely, shape (S,) or (1,)."""
    even = _even_shares(scale)
    return (even * scale.spread(even)).sum(axis=-1)


def _even_shares(scale: Scale) -> FloatArray:
    """Equal shares of the categories in use, shape (S, K) or (1, K)."""
    return scale.in_use / np.maximum(scale.n_categories, 1)[:, None]


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
    of_moments : callable or None
        The disagreement that the chance model expects of squared distances, from the moments of
        the scores alone; None if it depends on more.
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
    of_moments: Callable[[Moments, Scale], FloatArray] | None = None
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
        with np.errstate(divide="ignore", invalid="ignore"):  # a single category
            return 1 - scale.largest / _even_disagreement(scale)


COEFFICIENTS: dict[str, Coefficient] = {
    "cohen": Coefficient(
        own_margins,
        Expected("{own_margins}", "Each rater has individual totals (Cohen)."),
        spoken="Cohen's kappa",
        many="conger",
        of_moments=own_moments,
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
        of_moments=pooled_moments,
        source="Scott, 1955",
        synonyms=("pi",),
        of_margins=True,
    ),
    "brennan_prediger": Coefficient(
        uniform,
        Expected("{even_disagreement}", "All categories are equally likely."),
        spoken="the Brennan-Prediger coefficient",
        many="brennan_prediger",
        of_moments=even_moments,
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
        of_moments=pooled_moments_of_sample,
        source="Krippendorff, 1970",
        synonyms=("alpha",),
        of_margins=True,
    ),
    "percent": Coefficient(
        none_at_all,
        Expected("{largest_disagreement}", "There is no correction for chance."),
        spoken="percent agreement",
        many="percent",
        of_moments=no_moments,
        floor=0.0,
        tested=False,
    ),
}


ONE_PSEUDO_ITEM = 1.0
FEWEST_ITEMS = 2 - 1e-9  # by weight, up to rounding error
# Ratings outside one category; at the level .05 tests of fewer reject in up to .1 of samples,
# of fewer than five in up to .4, and 95 % limits hold in down to .92 and .86.
FEWEST_OUTSIDE = 10


class Agreement(NamedTuple):
    """Agreement in S tables; every field but the last has shape (S,).

    Attributes
    ----------
    n_items : ndarray of float
        Number of items that both raters rated, or their total weight.
    observed, expected : ndarray of float
        Observed agreement and agreement expected by chance, 1 for agreement on all items
        and 0 for the largest disagreement on all items.
    estimate : ndarray of float
        The coefficient, at most 1; NaN where no disagreement is possible by chance (0/0)
        or there are no items.
    se : ndarray of float
        Large-sample standard error of the estimate. NaN where the estimate is, with fewer
        than two items, and where a rater who uses a single category fixes the estimate.
    se_null : ndarray of float
        Standard error under agreement by chance alone, NaN where `se` is; `se` itself for
        a coefficient without a table of chance, and NaN for one without that hypothesis.
    is_fixed : ndarray of bool
        Whether a rater who uses a single category fixes the estimate, defined or not.
    apart : ndarray of float, shape (C,)
        Disagreement of each cell, where tables were counted.
    """

    n_items: FloatArray
    observed: FloatArray
    expected: FloatArray
    estimate: FloatArray
    se: FloatArray
    se_null: FloatArray
    is_fixed: BoolArray
    apart: FloatArray


class Point(NamedTuple):
    """A coefficient of two raters at S distributions of their ratings."""

    n: FloatArray  # number of items, (S,)
    # Shares of the categories of the two raters, (S, K).
    row: FloatArray
    col: FloatArray
    chance: Chance  # the disagreement that they let expect, with its slopes
    # Disagreement, in units of the scale; NaN without items, and where none is expected, (S,).
    observed: FloatArray
    expected: FloatArray
    ratio: FloatArray  # observed over expected disagreement: one minus the coefficient, (S,)

    @property
    def is_constant(self) -> BoolArray:
        """Whether a rater used a single category, shape (S,)."""
        return ((self.row > 0).sum(axis=-1) == 1) | ((self.col > 0).sum(axis=-1) == 1)

    @property
    def mean(self) -> FloatArray:
        """Mean of the slopes over the items, shape (S,)."""
        return (self.row * self.chance.by_row + self.col * self.chance.by_col).sum(axis=-1)

    def factor(self, n_items: FloatArray) -> FloatArray:
        """Return what a change of the disagreement of one of `n_items` does, shape (S,)."""
        with np.errstate(divide="ignore", invalid="ignore"):  # no joint items
            return n_items / self.n / self.expected


class Product(NamedTuple):
    """Tables whose rows and columns are independent, and the disagreement in them.

    `across_row` and `across_col`, of shape (S, K), are the mean disagreement of each row
    category with the columns, and of each column category with the rows; `apart` and
    `square`, of shape (S,), are the means of the disagreement and of its square.
    """

    row: FloatArray
    col: FloatArray
    across_row: FloatArray
    across_col: FloatArray
    apart: FloatArray
    square: FloatArray


def point(counts: PairCounts, apart: FloatArray, scale: Scale, coefficient: Coefficient) -> Point:
    """Compute a coefficient of tables, or of rows of two ratings, each of which is then a cell.

    `apart`, of shape (C,), is the disagreement of each cell.
    """
    with np.errstate(invalid="ignore"):  # no items
        observed = counts.sum(counts.count * apart) / counts.total
    return point_of(observed, counts.margins(), counts.total * counts.unit, scale, coefficient)


def point_of(
    observed: FloatArray,
    margins: tuple[FloatArray, FloatArray],
    n: FloatArray,
    scale: Scale,
    coefficient: Coefficient,
) -> Point:
    """Compute a coefficient from the observed disagreement, (S,), and the margins, each (S, K)."""
    row, col = margins
    chance = coefficient.chance(row, col, scale, n)
    observed = np.where(n > 0, observed, np.nan)
    expected = np.where(chance.expected > 0, chance.expected, np.nan)
    return Point(n, row, col, chance, observed, expected, observed / expected)


def influence(at: Point, counts: PairCounts, apart: FloatArray, n_items: FloatArray) -> FloatArray:
    """Compute what one more item in each cell does to a coefficient, shape (C,).

    It is `n_items`, of shape (S,), times the derivative with respect to the share of the item among
    so many. The cells need not be those of which the point is.
    """
    slope, table = slope_of(counts, at.chance), counts.table
    moved = at.ratio[table] * (slope - at.mean[table]) - (apart - at.observed[table])
    return at.factor(n_items)[table] * moved


def chance_corrected(counts: PairCounts, scale: Scale, coefficient: Coefficient) -> Agreement:
    r"""Estimate a chance-corrected agreement coefficient and its standard errors.

    The coefficient compares the observed disagreement with the one expected by chance,

    .. math:: \kappa = 1 - \frac{D_o}{D_e}, \qquad D_o = \sum_{kl} d_{kl}\, p_{kl}.

    Parameters
    ----------
    counts : PairCounts
        Tables of counts: the first rater in the rows, the second in the columns.
    scale : Scale
        Disagreement of the categories.
    coefficient : Coefficient
        Its chance model gives the expected disagreement of the margins. The coefficients
        shipped with pdkappa are in ``COEFFICIENTS``.

    Returns
    -------
    Agreement
        One value per table.

    Notes
    -----
    The standard error is the delta method on the multinomial cell shares,
    :math:`n \operatorname{Var}(\hat\kappa) = \sum p\,(h - \sum p h)^2` with
    :math:`h_{kl} = [(1 - \kappa)\,\partial D_e / \partial p_{kl} - d_{kl}] / D_e`.
    With each rater's own margins it is the formula of Fleiss, Cohen and Everitt [1]_,
    whose standard error under the null is the same expression at the table of raters
    who agree by chance alone. The sum is divided by n, as SAS and statsmodels do.

    References
    ----------
    .. [1] Fleiss et al., 1969

    Examples
    --------
    >>> from pdkappa.coefficients.chance import COEFFICIENTS
    >>> from pdkappa.coefficients.pair_counts import PairCounts
    >>> from pdkappa.coefficients.weights import WEIGHTS, Scale
    >>> counts = PairCounts.from_tables(np.array([[20, 5], [10, 15]]))
    >>> scale = Scale(WEIGHTS[None], np.array([[0.0, 1.0]]), np.ones((1, 2), dtype=bool))
    >>> kappa = chance_corrected(counts, scale, COEFFICIENTS["cohen"])
    >>> print(f"{kappa.estimate[0]:.3f} +/- {kappa.se[0]:.3f}")
    0.400 +/- 0.127
    """
    apart = scale.between(counts.table, counts.row, counts.col)
    n = counts.total * counts.unit
    observed = counts.sum(counts.shares * apart)
    at = point_of(observed, counts.margins(), n, scale, coefficient)
    chance = at.chance
    share = _share_of_largest(counts, apart, scale.largest)
    found = agreement_at(
        Apart(n, observed, chance.expected, share, at.is_constant), scale, coefficient
    )
    h = (1 - found.estimate)[counts.table] * slope_of(counts, chance) - apart
    with np.errstate(invalid="ignore", over="ignore"):  # no items, or next to none
        variance = over_cells(counts, counts.shares, h)[1] / n
        se = without_rounding(np.sqrt(variance) / at.expected)
        se_null = _null_se(chance, coefficient, scale, n)
    undefined = np.isnan(found.estimate) | found.is_fixed | (n < FEWEST_ITEMS)
    return found._replace(
        se=np.where(undefined, np.nan, se),
        se_null=np.where(undefined, np.nan, se if se_null is None else se_null),
        apart=apart,
    )


class Apart(NamedTuple):
    """Disagreement of S pairs of raters, each of shape (S,)."""

    n: FloatArray  # number of items
    # In units of the scale.
    observed: FloatArray
    expected: FloatArray
    share: FloatArray  # the observed one in units of the largest
    is_constant: BoolArray  # whether a rater used a single category


def agreement_at(apart: Apart, scale: Scale, coefficient: Coefficient) -> Agreement:
    """Return a coefficient and shares of agreement, without standard errors."""
    n, some = apart.n, apart.n > 0
    ratio = np.where(some, apart.observed, np.nan) / np.where(
        apart.expected > 0, apart.expected, np.nan
    )
    estimate = corrected_for_chance(ratio, apart.is_constant, coefficient)
    unknown = np.full(n.shape, np.nan)
    return Agreement(
        n_items=n,
        observed=1 - apart.share,
        expected=np.where(some, 1 - apart.expected / scale.largest, np.nan),
        estimate=at_least(coefficient.lowest(scale), estimate),
        se=unknown,
        se_null=unknown,
        is_fixed=apart.is_constant & coefficient.keeps_margins,
        apart=np.empty(0),
    )


def corrected_for_chance(
    ratio: FloatArray, is_constant: BoolArray, coefficient: Coefficient
) -> FloatArray:
    """Turn ratios of disagreements, shape (S,), into coefficients.

    A rater who uses a single category fixes some of them at zero, or leaves them undefined. A share
    of agreement is not negative.
    """
    estimate = one_minus(ratio)  # zero for raters who share no label
    if not coefficient.tested:
        estimate = np.maximum(without_rounding(1 - ratio), 0.0)
    if not coefficient.keeps_margins:
        return estimate
    # Observed and expected disagreement are then equal, though not always in floats.
    return np.where(is_constant & ~np.isnan(estimate), 0.0, estimate)


def smoothed(
    counts: PairCounts, scale: Scale, coefficient: Coefficient
) -> tuple[FloatArray, FloatArray]:
    """Estimate and standard error after one pseudo-item is spread over the whole table.

    The pseudo-item is the product of the margins, each smoothed with half an item for
    every category that one of the two raters used, or for all if they used a single one.
    It keeps the standard error of a small table, or of one with perfect agreement, away
    from zero; it serves intervals only. The variance is divided by the number of items
    less one, the pseudo-item included.
    """
    n = counts.total * counts.unit
    row, col = counts.margins()
    used = _categories_of_pair(row, col, scale)
    pseudo_row, pseudo_col = _smooth_margin(row, used, n), _smooth_margin(col, used, n)
    share = ONE_PSEUDO_ITEM / (n + ONE_PSEUDO_ITEM)

    def mix(items: FloatArray, pseudo: FloatArray) -> FloatArray:
        weight = share.reshape(-1, *(1,) * (items.ndim - 1))
        return (1 - weight) * items + weight * pseudo

    margins = mix(row, pseudo_row), mix(col, pseudo_col)
    chance = coefficient.chance(*margins, scale, n + ONE_PSEUDO_ITEM)
    apart = scale.between(counts.table, counts.row, counts.col)
    shares = counts.shares
    product = product_of(pseudo_row, pseudo_col, scale)
    with np.errstate(
        divide="ignore", invalid="ignore", over="ignore"
    ):  # no items, or a single category
        rest = mix(counts.sum(shares * apart), product.apart) / chance.expected
        chance = scaled(chance, rest)
        mean, of_items = over_cells(counts, shares, slope_of(counts, chance) - apart)
        mean_of_pseudo, of_pseudo = over_product(product, chance)
        # A mixture varies within its two parts and by the difference of their means.
        variance = mix(of_items, of_pseudo)
        variance += share * (1 - share) * (mean - mean_of_pseudo) ** 2
        return 1 - rest, np.sqrt(variance / n) / chance.expected


def _share_of_largest(counts: PairCounts, apart: FloatArray, largest: FloatArray) -> FloatArray:
    """Mean disagreement in units of the largest, exactly 0 and 1 at both ends, shape (S,).

    Both sums run over the same counts in the same order, so that their ratio is never
    beyond 1, and 1 where all items are as far apart as can be. NaN for an empty table.
    """
    share = apart / (largest if len(largest) == 1 else largest[counts.table])
    with np.errstate(invalid="ignore"):  # no items
        return counts.sum(counts.count * share) / counts.total


def slope_of(counts: PairCounts, chance: Chance) -> FloatArray:
    """Differentiate the expected disagreement with respect to each cell, shape (C,)."""
    by_row, by_col = chance.by_row.take(counts.row_place), chance.by_col.take(counts.col_place)
    return by_row + by_col


def over_cells(
    counts: PairCounts, shares: FloatArray, values: FloatArray
) -> tuple[FloatArray, FloatArray]:
    """Mean and (centred) variance of a value of each cell over the items."""
    mean = counts.sum(shares * values)
    return mean, counts.sum(shares * (values - mean[counts.table]) ** 2)


def product_of(
    row: FloatArray,
    col: FloatArray,
    scale: Scale,
    across: tuple[FloatArray, FloatArray] | None = None,
) -> Product:
    """Describe the disagreement when rows and columns are independent.

    Its means `across` the categories of the other rater may be known already.
    """
    across_row, across_col = across or (scale.spread(col), scale.spread(row))
    apart = dot(row, across_row)
    square = dot(row, scale.spread(col, power=2))
    return Product(row, col, across_row, across_col, apart, square)


def scaled(chance: Chance, factor: FloatArray) -> Chance:
    """Multiply the derivatives of the expected disagreement by a factor of shape (S,)."""
    by_row, by_col = (factor[:, None] * slope for slope in (chance.by_row, chance.by_col))
    return chance._replace(by_row=by_row, by_col=by_col)


def over_product(product: Product, chance: Chance) -> tuple[FloatArray, FloatArray]:
    """Mean and variance of slope minus disagreement over a product table.

    Row and column are independent, so the slopes of both have no covariance with each
    other, and with the disagreement only through its mean in the row or column. A variance
    that is no more than the rounding error of its terms is zero.
    """
    # Var(r + c - d) = Var r + Var c + Var d - 2 Cov(r, d) - 2 Cov(c, d), as Cov(r, c) = 0.
    mean_row = dot(product.row, chance.by_row)
    mean_col = dot(product.col, chance.by_col)
    row = product.row * (chance.by_row - mean_row[:, None])
    col = product.col * (chance.by_col - mean_col[:, None])
    variance = (
        dot(row, chance.by_row - 2 * product.across_row)
        + dot(col, chance.by_col - 2 * product.across_col)
        + product.square
        - product.apart**2
    )
    known = variance > ROUNDING * product.square
    return mean_row + mean_col - product.apart, np.where(known, variance, 0.0)


def _null_se(
    chance: Chance, coefficient: Coefficient, scale: Scale, n: FloatArray
) -> FloatArray | None:
    """Compute the standard error at the table of chance; None where there is no such table."""
    if not coefficient.tested:
        return np.full(n.shape, np.nan)
    if chance.null is None:
        return None
    row, col = chance.null
    at_null = chance if coefficient.keeps_margins else coefficient.chance(row, col, scale, n)
    # The slopes of a chance that keeps the margins are the means across them.
    across = (chance.by_row, chance.by_col) if coefficient.keeps_margins else None
    product = product_of(row, col, scale, across)
    expected = np.where((n > 0) & (at_null.expected > 0), at_null.expected, np.nan)
    variance = over_product(product, scaled(at_null, product.apart / expected))[1]
    with np.errstate(divide="ignore", invalid="ignore", over="ignore"):  # no items
        return np.sqrt(variance / n) / expected


def _categories_of_pair(row: FloatArray, col: FloatArray, scale: Scale) -> BoolArray:
    """Mark the categories that one of two raters used; all, if they used but a single one."""
    used = (row > 0) | (col > 0)
    single = used.sum(axis=-1, keepdims=True) < 2  # noqa: PLR2004
    return np.where(single, scale.in_use, used)


def _smooth_margin(margin: FloatArray, used: BoolArray, n: FloatArray) -> FloatArray:
    """Add half an item to every category in use in the margin of a rater."""
    half = 0.5 * used
    items = n[:, None]
    with np.errstate(invalid="ignore"):  # no items
        return (items * np.nan_to_num(margin) + half) / (items + half.sum(axis=-1, keepdims=True))
