"""Estimate and standard error -> interval, z and p."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, NamedTuple, Protocol

import numpy as np

from pdkappa.coefficients.distributions import stdtr, stdtrit
from pdkappa.coefficients.goodness_of_fit import goodness_of_fit, is_binary
from pdkappa.coefficients.pairwise import smoothed
from pdkappa.coefficients.rounding import AT_FLOOR, ROUNDING
from pdkappa.coefficients.score import Agreeing, Proportion, Score, design_effect

if TYPE_CHECKING:
    from pdkappa._typing import BoolArray, FloatArray
    from pdkappa.coefficients.chance import Coefficient
    from pdkappa.coefficients.pairwise import Agreement
    from pdkappa.coefficients.weights import Scale
    from pdkappa.counts.core.pairs import PairCounts

# Of the scorer of the essay-scoring competition of 2012, whose mean of essay sets it is.
FISHER_CAP = 0.999
FEWEST_DEGREES = 1e-9  # the t quantile of none is not defined


class Limits(NamedTuple):
    """Lower and upper confidence limits, each of shape (S,)."""

    low: FloatArray
    high: FloatArray

    def within(self, estimate: FloatArray, se: FloatArray, floor: FloatArray) -> Limits:
        """Keep `around` the estimate, and be NaN where the standard error is."""
        low, high = self.around(estimate, floor)
        unknown = np.isnan(se)
        return Limits(np.where(unknown, np.nan, low), np.where(unknown, np.nan, high))

    def around(self, estimate: FloatArray, floor: FloatArray) -> Limits:
        """Widen to the estimate, and keep inside the range.

        A coefficient below its usual floor, possible with weights that are no distances,
        has no floor.
        """
        bottom = np.where(estimate < floor - AT_FLOOR, -np.inf, floor)
        low = np.minimum(np.maximum(self.low, bottom), estimate)
        return Limits(low, np.minimum(np.maximum(self.high, estimate), 1.0))


class Pivot(Protocol):
    """What limits and tests of S coefficients are made of: each is the other, inverted."""

    def limits(self, level: float) -> tuple[FloatArray, FloatArray]:
        """Return lower and upper limits at confidence `level`, each of shape (S,)."""
        ...

    def test(self, null: float) -> tuple[FloatArray, FloatArray]:
        """Return the statistic and the two-sided p-value of a hypothesis, each (S,)."""
        ...

    def worth(self, effect: FloatArray) -> Pivot:
        """Divide the number of items by so much, for each of the S."""
        ...


class OfItems(Pivot, Protocol):
    """A pivot that knows how many items are behind it."""

    def worth(self, effect: FloatArray) -> OfItems:
        """Divide the number of items by so much, for each of the S."""
        ...

    def nested(self, effect: FloatArray, df: FloatArray) -> OfItems:
        """Count items in clusters as so many fewer, with so many degrees of freedom."""
        ...


class IntervalMethod(Protocol):
    """Turn the coefficient in each table into its limits and tests."""

    def __call__(
        self, agreement: Agreement, counts: PairCounts, scale: Scale, coefficient: Coefficient
    ) -> Pivot:
        """Return what limits and tests are made of."""
        ...


@dataclass(frozen=True)
class Around:
    """A centre and its standard error, with a t distribution.

    Attributes
    ----------
    centre, se, df : ndarray of float, shape (S,)
        Degrees of freedom may be infinite.
    on_z : bool
        Whether on Fisher's z scale, which ends at -1 and 1; a centre beyond them stays on its own.
    """

    centre: FloatArray
    se: FloatArray
    df: FloatArray
    on_z: bool

    def worth(self, effect: FloatArray) -> Around:
        """Divide the number of items by so much."""
        return replace(self, se=self.se * np.sqrt(effect))

    def limits(self, level: float) -> tuple[FloatArray, FloatArray]:
        """Centre plus and minus quantiles: ``tanh(atanh(k) -/+ t * se / (1 - k**2))``."""
        k, inside = self.centre, self._inside
        with np.errstate(divide="ignore", invalid="ignore"):
            half = stdtrit(self.df, (1 + level) / 2) * self.se
            z, half_z = np.arctanh(k), half / (1 - k**2)
            low = np.where(inside, np.tanh(z - half_z), k - half)
            high = np.where(inside, np.tanh(z + half_z), k + half)
        return low, high

    def test(self, null: float) -> tuple[FloatArray, FloatArray]:
        """Distance from the null in standard errors, and its p; NaN where the error is zero."""
        k, se = self.centre, np.where(self.se > 0, self.se, np.nan)
        with np.errstate(divide="ignore", invalid="ignore"):
            on_z = (np.arctanh(k) - np.arctanh(null)) * (1 - k**2)
        z = np.where(self._inside, on_z, k - null) / se
        return z, 2 * stdtr(self.df, -np.abs(z))

    @property
    def _inside(self) -> BoolArray:
        """Whether the scale is Fisher's, shape (S,)."""
        result: BoolArray = self.on_z & (np.abs(self.centre) < 1)
        return result


@dataclass(frozen=True)
class Either:
    """One pivot in some places, another elsewhere."""

    where: BoolArray
    first: OfItems
    second: OfItems

    def worth(self, effect: FloatArray) -> Either:
        """Divide the number of items by so much."""
        return Either(self.where, self.first.worth(effect), self.second.worth(effect))

    def nested(self, effect: FloatArray, df: FloatArray) -> Either:
        """Count items in clusters as so many fewer."""
        return Either(self.where, self.first.nested(effect, df), self.second.nested(effect, df))

    def limits(self, level: float) -> tuple[FloatArray, FloatArray]:
        """Return the limits of each."""
        low, high = np.where(self.where, self.first.limits(level), self.second.limits(level))
        return low, high

    def test(self, null: float) -> tuple[FloatArray, FloatArray]:
        """Return the test of each."""
        z, p_value = np.where(self.where, self.first.test(null), self.second.test(null))
        return z, p_value


class Inference(NamedTuple):
    """Limits at a confidence level and the test of a hypothesis, each of shape (S,).

    At the level .95, p is less than .05 exactly where the hypothesis lies outside the limits.
    """

    low: FloatArray
    high: FloatArray
    z: FloatArray
    p_value: FloatArray


def wald(
    agreement: Agreement,
    counts: PairCounts,  # noqa: ARG001
    scale: Scale,  # noqa: ARG001
    coefficient: Coefficient,  # noqa: ARG001
) -> Pivot:
    """Estimate plus and minus normal quantiles of the standard error."""
    many = np.full(agreement.se.shape, np.inf)
    return Around(agreement.estimate, agreement.se, many, on_z=False)


def fisher(
    agreement: Agreement, counts: PairCounts, scale: Scale, coefficient: Coefficient
) -> Pivot:
    """Fisher's z of the table with one pseudo-item, and a t quantile.

    The limits come from the estimate and standard error of the smoothed table. They never
    leave (-1, 1], and are never equal, not even under perfect agreement.
    """
    centre, se = smoothed(counts, scale, coefficient)
    se = np.where(np.isnan(agreement.se), np.nan, se)
    return Around(centre, se, degrees_of(agreement.n_items), on_z=True)


def auto(
    agreement: Agreement, counts: PairCounts, scale: Scale, coefficient: Coefficient
) -> OfItems:
    """Score limits, by the goodness of fit where raters used two categories.

    Where chance has not the margins of the raters, it is the share of disagreement that counts.
    """
    if not coefficient.of_margins:
        return proportion(agreement)
    binary = is_binary(*counts.margins())
    if not binary.any():
        return score(agreement, counts, scale, coefficient)
    fits = goodness_of_fit(agreement, counts, scale, coefficient)
    if binary.all():
        return fits
    return Either(binary, fits, score(agreement, counts, scale, coefficient))


def score(
    agreement: Agreement, counts: PairCounts, scale: Scale, coefficient: Coefficient
) -> Score:
    """Describe two raters whose chance has their margins: see `Score`."""
    n = agreement.n_items
    row, col = counts.margins()
    chance = coefficient.chance(row, col, scale, n)
    slopes = zip(chance.null or (row, col), (chance.by_row, chance.by_col), strict=True)
    with np.errstate(divide="ignore", invalid="ignore"):  # no items
        of_ratings = (
            sum(
                (share * slope**2).sum(axis=-1) - (share * slope).sum(axis=-1) ** 2
                for share, slope in slopes
            )
            / chance.expected**2
        )
        varied = 1 - (((row + col) / 2) ** 2).sum(axis=-1)
        at_chance = n * agreement.se_null**2
    model = Agreeing(n, varied, at_chance, slope=of_ratings, shared=2 * of_ratings)
    return model.score(agreement.estimate, agreement.se)


def proportion(agreement: Agreement) -> Proportion:
    """Describe two raters whose chance is known: see `Proportion`."""
    by_chance = 1 - agreement.expected
    return Proportion.of(agreement.estimate, agreement.se, agreement.n_items, by_chance)


def fisher_of_many(
    estimate: FloatArray, se: FloatArray, units: FloatArray, worst: FloatArray
) -> Pivot:
    """Fisher's z of a coefficient of many raters, and a t quantile.

    All arrays have shape (S,): `units` is the number of items or clusters, and `worst` the largest
    disagreement in units of the expected one.
    """
    return Around(*with_pseudo_item(estimate, se, units, worst), degrees_of(units), on_z=True)


def wald_of_many(
    estimate: FloatArray,
    se: FloatArray,
    units: FloatArray,
    worst: FloatArray,  # noqa: ARG001
) -> Pivot:
    """Estimate plus and minus t quantiles of the standard error."""
    return Around(estimate, se, degrees_of(units), on_z=False)


def with_pseudo_item(
    estimate: FloatArray, se: FloatArray, n: FloatArray, worst: FloatArray
) -> tuple[FloatArray, FloatArray]:
    """Add a pseudo-item where the standard error is zero: estimate and standard error.

    It disagrees as often as chance would have it, wholly or not at all, so that limits are
    never equal and no group of items is known without error. See `fisher_of_many` for the
    arguments.
    """
    share = 1 / (n + 1)
    # Its disagreement in units of the expected one is `worst` with probability 1 / worst, or 0.
    with np.errstate(divide="ignore", invalid="ignore"):  # fewer than two items
        pseudo = np.sqrt(np.maximum(share * worst - share**2, 0) / n)
    exact = se == 0
    return np.where(exact, (1 - share) * estimate, estimate), np.where(exact, pseudo, se)


def clustered(
    pivot: OfItems, se: FloatArray, independent: FloatArray, n: FloatArray, units: FloatArray
) -> OfItems:
    """Count the items of clusters as their standard errors say: see `design_effect`.

    The effect is a ratio of two variances of the same items, and varies less than the one of
    clusters does alone: with its degrees of freedom v, ``1 / (1 / v - 1 / (n - 1))`` are those of
    the ratio. Clusters of one item have any number of them, as no effect is estimated. Weights by
    which there are fewer items than clusters say nothing of it: v is left as it is.
    """
    of_clusters = degrees_of(units)
    with np.errstate(divide="ignore", invalid="ignore"):  # one item
        of_items = np.where(n - 1 < of_clusters * (1 - ROUNDING), 0.0, 1 / (n - 1))
    df = 1 / np.maximum(1 / of_clusters - of_items, 1e-9)
    return pivot.nested(design_effect(se, independent, n, units), df)


def infer(
    pivot: Pivot, estimate: FloatArray, floor: FloatArray, *, level: float, null: float
) -> Inference:
    """Compute limits inside the range of coefficients, and test that they are `null`.

    A centre that is not the estimate has limits that are widened to it; no value between the
    two is then rejected. Nor is a value within the limits by their being cut at the range.
    """
    unbounded = estimate < floor - AT_FLOOR
    low, high = Limits(*pivot.limits(level)).around(estimate, floor)
    z, p_value = pivot.test(null)
    between = z * (estimate - null) < 0
    outside = ((null < floor) & ~unbounded) | (null > 1)
    p_value = np.where(outside & ~np.isnan(p_value), 0.0, np.where(between, 1.0, p_value))
    return Inference(low, high, np.where(between, 0.0, z), p_value)


def limits(
    agreement: Agreement,
    counts: PairCounts,
    scale: Scale,
    coefficient: Coefficient,
    *,
    method: str,
    level: float,
) -> Limits:
    """Compute limits inside the range of the coefficient."""
    pivot = INTERVALS[method](agreement, counts, scale, coefficient)
    return Limits(*pivot.limits(level)).around(agreement.estimate, coefficient.lowest(scale))


def degrees_of(units: FloatArray) -> FloatArray:
    """Degrees of freedom of a standard error from so many units."""
    result: FloatArray = np.maximum(units - 1, FEWEST_DEGREES)
    return result


def fisher_z(estimate: FloatArray, clip: float | None = FISHER_CAP) -> FloatArray:
    """Fisher's z, ``atanh``, of coefficients clipped to [-clip, clip]."""
    with np.errstate(divide="ignore", invalid="ignore"):
        result: FloatArray = np.arctanh(
            estimate if clip is None else np.clip(estimate, -clip, clip)
        )
    return result


INTERVALS: dict[str, IntervalMethod] = {"auto": auto, "fisher": fisher, "wald": wald}
INTERVALS_OF_MANY = {"auto": fisher_of_many, "fisher": fisher_of_many, "wald": wald_of_many}
