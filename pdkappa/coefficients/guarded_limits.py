"""Guarded limits on Fisher's z: one more item, of even ratings, of agreement, of disagreement."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, NamedTuple, Protocol

import numpy as np

from pdkappa.coefficients.chance import (
    FEWEST_ITEMS,
    Chance,
    over_product,
    product_of,
    scaled,
    slope_of,
)
from pdkappa.coefficients.score_limits import (
    betaincc,
    betaincinv,
    degrees_of,
    half_width,
    ndtri,
    stdtr,
    two_sided,
)
from pdkappa.coefficients.weights import dot

if TYPE_CHECKING:
    from pdkappa._typing import BoolArray, FloatArray, IntArray
    from pdkappa.coefficients.chance import Agreement, Coefficient, Product
    from pdkappa.coefficients.pair_counts import PairCounts
    from pdkappa.coefficients.weights import Scale

SKEWED = 0.9  # a level whose upper quantiles of a rate lie above those of the normal
FEW = 5  # items from which on they do
MANY = 1e9  # disagreements whose rate is normal to the digits that a quantile of it has
ENDLESS = 1e100  # as good as infinitely many, and its square is a number
SURE = 1e-300  # as small as the p is whose z is not infinite


@dataclass(frozen=True)
class Around:
    """A centre and its standard error, with a t distribution."""

    # Degrees of freedom may be infinite, (S,).
    centre: FloatArray
    se: FloatArray
    df: FloatArray
    # Whether on Fisher's z scale, which ends at -1 and 1; a centre beyond them stays on its own.
    on_z: bool

    def worth(self, effect: FloatArray) -> Around:
        """Divide the number of items by so much."""
        return replace(self, se=self.se * np.sqrt(effect))

    def limits(self, level: float) -> tuple[FloatArray, FloatArray]:
        """Centre plus and minus quantiles: ``tanh(atanh(k) -/+ t * se / (1 - k**2))``."""
        k, inside = self.centre, self._inside
        with np.errstate(divide="ignore", invalid="ignore"):
            half = half_width(level, self.df) * self.se
            z, half_z = np.arctanh(k), half / (1 - k**2)
            low = np.where(inside, np.tanh(z - half_z), k - half)
            high = np.where(inside, np.tanh(z + half_z), k + half)
        return low, high

    def test(self, null: float) -> tuple[FloatArray, FloatArray]:
        """Distance from the null in standard errors, and its p; NaN where the error is zero."""
        z = self.distance(null)
        return z, two_sided(z, self.df)

    def distance(self, null: float) -> FloatArray:
        """Distance from the null in standard errors; NaN where the error is zero."""
        k, se = self.centre, np.where(self.se > 0, self.se, np.nan)
        with np.errstate(divide="ignore", invalid="ignore"):
            on_z = (np.arctanh(k) - np.arctanh(null)) * (1 - k**2)
        return np.where(self._inside, on_z, k - null) / se

    @property
    def _inside(self) -> BoolArray:
        """Whether the scale is Fisher's, shape (S,)."""
        return self.on_z & (np.abs(self.centre) < 1)


class Moments(NamedTuple):
    """A coefficient and the variance of its influence values, each of shape (S,)."""

    centre: FloatArray
    variance: FloatArray


class Mixture(Protocol):
    """Coefficients of items of which a share is replaced by what is not in the data."""

    def mixed(self, share: FloatArray) -> Mixed:
        """Mix in ratings that are even over the categories that were used."""


class Rates(NamedTuple):
    """Disagreement over what is expected of all n items, each of shape (S,).

    `ratio` is one minus the coefficient, `squares` the sum of the squares of what each item adds to
    it, and `largest` the most that one could add.
    """

    ratio: FloatArray
    squares: FloatArray
    largest: FloatArray


@dataclass(frozen=True)
class Guarded:
    r"""What guarded limits and tests of S coefficients are made of.

    All arrays have shape (S,).

    Notes
    -----
    A sample without large disagreements does not say that there are none, and its standard error is
    too small. Each limit is therefore guarded by what is not in the data [1]_:

    - lower: Fisher's z of the table with one more item that is even over its :math:`L^2` cells
      [2]_; or the limit of a rate, where one more item of the largest disagreement is counted
      [3]_, and which is exact without a disagreement [5]_, whichever is greater;
    - upper: the greatest of those of Fisher's z of the table itself, of the former, and of the one
      with one more item of agreement, which is even over the diagonal.

    L are the categories that were used. Quantiles are those of t with n - 1 degrees of freedom, or
    with those of the clusters. The test of chance, 0, is the published one [4]_; p of another
    hypothesis is the level at which it is a limit, and z the normal quantile of p.

    References
    ----------
    .. [1] The technical note of the documentation, *Guarded limits*.
    .. [2] Perks, 1947
    .. [3] Fay & Feuer, 1997
    .. [4] Fleiss et al., 1969
    .. [5] Clopper & Pearson, 1934
    """

    # The coefficient, its standard error, and the one under agreement by chance alone.
    estimate: FloatArray
    se: FloatArray
    se_null: FloatArray
    n: FloatArray  # number of items
    # What one more disagreement weighs: that of one of R raters with all the others, 2 / R.
    weight: FloatArray
    rates: Rates
    mixture: Mixture
    # How many items say as much as an independent one; see
    # `pdkappa.coefficients.score_limits.design_effect`.
    effect: FloatArray
    df: FloatArray | None = None  # degrees of freedom of that number, where it is estimated

    def worth(self, effect: FloatArray) -> Guarded:
        """Divide the number of items by so much."""
        return replace(self, effect=self.effect * effect)

    def nested(self, effect: FloatArray, df: FloatArray) -> Guarded:
        """Count items in clusters as so many fewer, with so many degrees of freedom."""
        return replace(self.worth(effect), df=df)

    def limits(self, level: float) -> tuple[FloatArray, FloatArray]:
        """Take the guarded limits."""
        low, high = self._on_z.limits(level)
        return np.fmax(low[0], 1 - self._rate(low[0], level)), np.fmax.reduce(high)

    def _rate(self, low: FloatArray, level: float) -> FloatArray:
        """Upper limit of the rate with one more disagreement, where it lifts a lower limit.

        It is a slow function, and above a normal quantile where there are more than a few items.
        """
        scale, first, second = self._beta
        with np.errstate(divide="ignore", invalid="ignore"):
            both = first + second
            share = first / both
            half = half_width(max(level, SKEWED)) * np.sqrt(share * (1 - share) / (both + 1))
            rate = scale * (share + half)
            near = ~(1 - rate <= low) | (self.n < FEW * self.effect) | (level < SKEWED)
            near &= first < MANY
            rate[near] = scale[near] * betaincinv(first[near], second[near], (1 + level) / 2)
        return rate

    def test(self, null: float) -> tuple[FloatArray, FloatArray]:
        """Return z and the two-sided p: as published for chance, else from the limits."""
        with np.errstate(divide="ignore", invalid="ignore"):
            if null == 0:
                z = self.estimate / (self.se_null * np.sqrt(self.effect))
                z = np.where((self.estimate == 0) & self._known, 0.0, z)
                return z, two_sided(z, self.df)
            scale, first, second = self._beta
            of_rate = 2 * betaincc(first, second, np.minimum((1 - null) / scale, 1.0))
            on_z = self._on_z
            distance = on_z.distance(null)
            lower = np.fmin(2 * stdtr(on_z.df, -distance[0]), of_rate)
            upper = np.fmax.reduce(2 * stdtr(on_z.df, distance))
            p_value = np.minimum(np.where(null < self.estimate, lower, upper), 1.0)
        sign = np.sign(self.estimate - null)
        return -sign * ndtri(np.maximum(p_value, SURE) / 2), p_value

    @property
    def _known(self) -> BoolArray:
        """Whether there are limits, shape (S,)."""
        return ~np.isnan(self.rates.ratio)

    @cached_property
    def _on_z(self) -> Around:
        """The coefficient with one more item, even or agreeing, and as it is: of shape (3, S)."""
        df = degrees_of(self.n)
        if self.df is not None:  # of the clusters: of items, and of what these count
            df = 1 / (1 / df + 1 / self.df)
        items = self.n / self.effect
        with np.errstate(divide="ignore", invalid="ignore"):
            mixed = self.mixture.mixed(self.weight / (items + self.weight))
            even = mixed.independent
            if (self.weight != 1).any():
                mixed = self.mixture.mixed(1 / (items + 1))
            agreed = mixed.same
            centre = np.stack([even.centre, agreed.centre, self.estimate])
            errors = (
                np.sqrt(even.variance / (items + self.weight)),
                np.sqrt(agreed.variance / (items + 1)),
            )
        se = np.stack([*errors, self.se * np.sqrt(self.effect)])
        return Around(np.where(self._known, centre, np.nan), se, df, on_z=True)

    @cached_property
    def _beta(self) -> tuple[FloatArray, FloatArray, FloatArray]:
        """Range and both shapes of the beta distribution of the rate with one more disagreement."""
        more = self.rates.largest * self.weight * self.effect
        items = np.clip(self.n / self.effect, 1.0, ENDLESS)
        with np.errstate(divide="ignore", invalid="ignore"):
            total = self.rates.ratio + more
            shape = total**2 / (self.rates.squares * self.effect + more**2)
            shape = np.minimum(shape, ENDLESS)
        return items * total, shape, (items - 1) * shape + 1


class Mixed(NamedTuple):
    """A mixture of items with pairs of even ratings, and how its slopes vary over the items.

    With d the disagreement of an item and s the slope of the expected one, each of shape (S,).
    """

    share: FloatArray  # of the pairs
    items: tuple[FloatArray, FloatArray]  # mean and variance of d
    product: Product  # of even ratings
    expected: FloatArray
    mean: FloatArray  # of s over the items
    variance: FloatArray
    covariance: FloatArray  # of s and d
    chance: Chance

    @property
    def independent(self) -> Moments:
        """The two ratings of a pair are independent."""
        apart = (1 - self.share) * self.items[0] + self.share * self.product.apart
        ratio = apart / self.expected
        return self._moments(ratio, over_product(self.product, scaled(self.chance, ratio)))

    @property
    def same(self) -> Moments:
        """The two ratings of a pair are the same."""
        ratio = (1 - self.share) * self.items[0] / self.expected
        return self._moments(ratio, on_diagonal(self.product.row, scaled(self.chance, ratio)))

    def _moments(self, ratio: FloatArray, other: tuple[FloatArray, FloatArray]) -> Moments:
        """Return the coefficient, and the variance of ``ratio * s - d`` over both parts."""
        share, items = self.share, self.items
        mean = ratio * self.mean - items[0]
        variance = ratio**2 * self.variance - 2 * ratio * self.covariance + items[1]
        within = (1 - share) * np.maximum(variance, 0.0) + share * other[1]
        between = share * (1 - share) * (mean - other[0]) ** 2
        return Moments(1 - ratio, (within + between) / self.expected**2)


def on_diagonal(even: FloatArray, chance: Chance) -> tuple[FloatArray, FloatArray]:
    """Mean and variance of the slopes of items on which two ratings are the same."""
    slope = chance.by_row + chance.by_col
    mean = dot(even, slope)
    return mean, dot(even, (slope - mean[:, None]) ** 2)


def even_over(used: BoolArray, scale: Scale) -> Product:
    """Describe two independent ratings that are even over the categories `used`, (S or 1, K)."""
    even = used / used.sum(axis=-1, keepdims=True)
    across = scale.spread(even)
    return product_of(even, even, scale, (across, across))


@dataclass(frozen=True)
class Drawn:
    """What all coefficients of many raters take for chance, each computed once."""

    shares: FloatArray  # (S, K), of the categories among all ratings
    scale: Scale

    @cached_property
    def apart(self) -> FloatArray:
        """Mean disagreement of each category with all ratings, (S, K)."""
        return self.scale.spread(self.shares)

    @cached_property
    def even(self) -> Product:
        """Describe ratings in equal shares of those categories that were used."""
        return even_over(self.shares > 0, self.scale)

    def take(self, groups: IntArray) -> Drawn:
        """Return those of some groups."""
        return Drawn(self.shares[groups], self.scale.take(groups))


@dataclass(frozen=True)
class OfTables:
    """Tables of two raters, of which a share of the items is replaced."""

    counts: PairCounts
    scale: Scale
    coefficient: Coefficient
    even: Product  # of categories that were used, in equal shares
    apart: FloatArray  # (C,), the disagreement of each cell
    of_items: tuple[FloatArray, FloatArray]  # its mean, and that of its square

    def mixed(self, share: FloatArray) -> Mixed:
        """Put a part of an item into each cell, or each of those on the diagonal."""
        counts, even = self.counts, self.even.row
        extra = share[:, None] * even
        row, col = ((1 - share)[:, None] * one + extra for one in counts.margins())
        chance = self.coefficient.chance(row, col, self.scale, counts.total * counts.unit + 1)
        slope, shares = slope_of(counts, chance), counts.shares
        mean = counts.sum(shares * slope)
        around = slope - mean[counts.table]
        weighed = shares * around
        variance, covariance = counts.sum(weighed * around), counts.sum(weighed * self.apart)
        first, second = self.of_items
        items, slopes = (first, second - first**2), (mean, variance, covariance)
        return Mixed(share, items, self.even, chance.expected, *slopes, chance)


@dataclass(frozen=True)
class OfInfluence:
    """Items of many raters, of which a share is replaced by pairs of ratings.

    Items keep their influence values, in units of what is expected; chance is that of all ratings.
    All arrays have shape (S,), but for those with K columns.
    """

    estimate: FloatArray
    variance: FloatArray  # of the influence values
    expected: FloatArray  # disagreement, in units of the scale
    drawn: Drawn

    def mixed(self, share: FloatArray) -> Mixed:
        """Mix in pairs of ratings."""
        even = self.drawn.even
        across = dot(self.drawn.shares, even.across_row)
        expected = (1 - share) ** 2 * self.expected + 2 * share * (1 - share) * across
        expected = expected + share**2 * even.apart
        slope = (1 - share)[:, None] * self.drawn.apart + share[:, None] * even.across_row
        mean, zero = 2 * ((1 - share) * self.expected + share * across), np.zeros_like(share)
        chance = Chance(expected, slope, slope, None)
        items = ((1 - self.estimate) * self.expected, self.variance * self.expected**2)
        return Mixed(share, items, even, expected, mean, zero, zero, chance)


def effective_number(total: FloatArray, squares: FloatArray) -> FloatArray:
    """Count disagreements as if all were equal: the squared sum over the sum of squares, (S,)."""
    with np.errstate(divide="ignore", invalid="ignore"):  # no items
        return np.where(total == 0, 0.0, total / squares * total)


def guarded(
    agreement: Agreement, counts: PairCounts, scale: Scale, coefficient: Coefficient
) -> Guarded:
    """Describe two raters whose chance has their margins: see `Guarded`."""
    row, col = counts.margins()
    used = (row > 0) | (col > 0)
    if scale.is_shared and (used == used[:1]).all():
        used = used[:1]
    apart, n = agreement.apart, agreement.n_items
    with np.errstate(divide="ignore", invalid="ignore"):  # no items, or a single category
        expected = (1 - agreement.expected) * scale.largest
        unknown = np.isnan(agreement.estimate) | (n < FEWEST_ITEMS)
        n = np.where(unknown, np.nan, n)
        weighed = counts.shares * apart
        square = counts.sum(weighed * apart)
        rates = Rates(
            np.where(unknown, np.nan, 1 - agreement.estimate),
            square / (n * expected**2),
            scale.largest_among(used) / (n * expected),
        )
        even = even_over(used, scale)
    mixture = OfTables(counts, scale, coefficient, even, apart, (counts.sum(weighed), square))
    one = np.ones(n.shape)
    return Guarded(agreement.estimate, agreement.se, agreement.se_null, n, one, rates, mixture, one)
