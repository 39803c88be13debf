"""Estimate, standard error and counts -> limits and tests."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, NamedTuple, Protocol, TypeVar

import numpy as np

from pdkappa.coefficients.chance import COEFFICIENTS, FEWEST_ITEMS, smoothed
from pdkappa.coefficients.guarded_limits import Around, guarded
from pdkappa.coefficients.score_limits import (
    AT_FLOOR,
    ROUNDING,
    Agreeing,
    Proportion,
    Score,
    degrees_of,
    design_effect,
    half_width,
    two_sided,
    without_rounding,
)
from pdkappa.coefficients.weights import NOMINAL, Scale, dot

if TYPE_CHECKING:
    from collections.abc import Callable

    from pdkappa._typing import BoolArray, FloatArray, IntArray, ObjectArray
    from pdkappa.coefficients.chance import Agreement, Coefficient
    from pdkappa.coefficients.pair_counts import PairCounts

SCOTT = COEFFICIENTS["scott"]
PAIR = 2


@dataclass(frozen=True)
class GoodnessOfFit:
    r"""What limits and tests of S tables of two raters and two categories are made of.

    All arrays have shape (S,).

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
    :math:`1 - (1 - \kappa)\,r` with their own ratio r, which is pdkappa's own, not of [1]_. What r
    takes from their variance is known
    for raters who agree by chance alone, and taken to be the same elsewhere: z is then that of the
    published test of chance.

    References
    ----------
    .. [1] Donner & Eliasziw, 1992
    """

    kappa: FloatArray  # Scott's pi, which for two categories is the intraclass kappa
    mixed: FloatArray  # the product of the mean shares of the two categories, in (0, 1/4]
    n: FloatArray  # number of items
    # Disagreement that Scott's pi expects, in units of what the coefficient expects.
    ratio: FloatArray
    # Variance of the coefficient of raters who agree by chance alone, in units of the one that it
    # would have if `ratio` were known.
    precision: FloatArray
    # Degrees of freedom of the number of items, where it is estimated; see
    # `pdkappa.coefficients.score_limits.design_effect`.
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
        return (1 - kappa) * (1 + kappa * (1 / mixed - 2) + kappa**2) / (1 + kappa)


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
    return ((row > 0) | (col > 0)).sum(axis=-1) == 2  # noqa: PLR2004


def _greater_roots(b: FloatArray, c: FloatArray, d: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Middle and greatest root of ``x**3 + b x**2 + c x + d``, which has three real ones."""
    third = b / 3
    p = np.maximum(third**2 - c / 3, 0)
    q = third**3 - third * c / 2 + d / 2
    with np.errstate(divide="ignore", invalid="ignore"):
        angle = np.arccos(np.clip(-q / p**1.5, -1, 1)) / 3
    reach = 2 * np.sqrt(p)
    return reach * np.cos(angle - 2 * np.pi / 3) - third, reach * np.cos(angle) - third


# Of the scorer of the essay-scoring competition of 2012, whose mean of essay sets it is.
FISHER_CAP = 0.999


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

    def test(self, null: float) -> tuple[FloatArray, FloatArray]:
        """Return the statistic and the two-sided p-value of a hypothesis, each (S,)."""

    def worth(self, effect: FloatArray) -> Pivot:
        """Divide the number of items by so much, for each of the S."""


class OfItems(Pivot, Protocol):
    """A pivot that knows how many items are behind it."""

    def worth(self, effect: FloatArray) -> OfItems:
        """Divide the number of items by so much, for each of the S."""

    def nested(self, effect: FloatArray, df: FloatArray) -> OfItems:
        """Count items in clusters as so many fewer, with so many degrees of freedom."""


class IntervalMethod(Protocol):
    """Turn the coefficient in each table into its limits and tests."""

    def __call__(
        self, agreement: Agreement, counts: PairCounts, scale: Scale, coefficient: Coefficient
    ) -> Pivot:
        """Return what limits and tests are made of."""


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


def wald(agreement: Agreement, counts: PairCounts, scale: Scale, coefficient: Coefficient) -> Pivot:  # noqa: ARG001
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
    """Guarded limits on Fisher's z.

    Where chance has not the margins of the raters, it is the share of disagreement that counts.
    """
    if not coefficient.of_margins:
        return proportion(agreement)
    return guarded(agreement, counts, scale, coefficient)


def score(
    agreement: Agreement, counts: PairCounts, scale: Scale, coefficient: Coefficient
) -> OfItems:
    """Score limits of pdkappa's own, by the goodness of fit where raters used two categories.

    Where chance has not the margins of the raters, it is the share of disagreement that counts.
    """
    if not coefficient.of_margins:
        return proportion(agreement)
    binary = is_binary(*counts.margins())
    if not binary.any():
        return agreeing_by(agreement, counts, scale, coefficient)
    fits = goodness_of_fit(agreement, counts, scale, coefficient)
    if binary.all():
        return fits
    return Either(binary, fits, agreeing_by(agreement, counts, scale, coefficient))


def agreeing_by(
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
    df = 1 / np.maximum(1 / of_clusters - of_items, 1e-15)
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


def fisher_z(estimate: FloatArray, clip: float | None = FISHER_CAP) -> FloatArray:
    """Fisher's z, ``atanh``, of coefficients clipped to [-clip, clip]."""
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.arctanh(estimate if clip is None else np.clip(estimate, -clip, clip))


# Those that know how many items are behind them, which clusters are worth fewer of.
OF_ITEMS: dict[str, Callable[[Agreement, PairCounts, Scale, Coefficient], OfItems]] = {
    "auto": auto,
    "score": score,
}
INTERVALS: dict[str, IntervalMethod] = {**OF_ITEMS, "fisher": fisher, "wald": wald}
INTERVALS_OF_MANY = dict.fromkeys(INTERVALS, fisher_of_many) | {"wald": wald_of_many}


def agreeing_items(scale: Scale, n: FloatArray, observed: FloatArray) -> FloatArray:
    """Count the items that agree, shape (S,); inf where some disagreements weigh more."""
    plain = (scale.n_categories <= PAIR) | (scale.weighting is NOMINAL)
    return np.where(plain, n * observed, np.inf)


def outside(shares: FloatArray, scale: Scale) -> FloatArray:
    """Share of the ratings outside the most frequent category, as if all were as far from it, (S,).

    `shares`, of shape (S, K), are those of the categories. A few ratings far away decide what
    disagreement is expected, and many next to it do not.
    """
    top = shares.max(axis=-1, keepdims=True, initial=0.0)
    most = shares >= top * (1 - ROUNDING)
    with np.errstate(divide="ignore", invalid="ignore"):  # a single category, or none
        apart = scale.spread(most / most.sum(axis=-1, keepdims=True))
        total, square = dot(shares, apart), dot(shares, apart**2)
        return np.fmin(1 - top[..., 0], total / square * total)


AnyFigures = TypeVar("AnyFigures", bound="Figures")


@dataclass(frozen=True, kw_only=True)
class Figures:
    """Figures of S tables or groups, each of shape (S,); the names are those of the frames."""

    n_items: FloatArray
    observed_agreement: FloatArray
    expected_agreement: FloatArray
    estimate: FloatArray
    se: FloatArray
    ci_low: FloatArray
    ci_high: FloatArray
    z: FloatArray
    p_value: FloatArray
    lowest: FloatArray  # that limits may be
    share_outside: FloatArray  # of the ratings, outside the most frequent category: `outside`
    effective_disagreements: FloatArray
    n_agreeing: FloatArray  # items that agree, where a disagreement is one or none; else inf
    reason: ObjectArray

    @property
    def worst(self) -> FloatArray:
        """Largest disagreement in units of the expected one, shape (S,)."""
        with np.errstate(divide="ignore", invalid="ignore"):
            return 1 / (1 - self.expected_agreement)


@dataclass(frozen=True, kw_only=True)
class PairFigures(Figures):
    """Figures of pairs of raters."""

    n_categories: FloatArray
    se_null: FloatArray
    centre: FloatArray  # the estimate, with one pseudo-item where its standard error is zero
    se_fisher_z: FloatArray
    max_estimate: FloatArray

    def at(self, tables: slice | IntArray) -> PairFigures:
        """Return the figures of some tables."""
        return replace(self, **{name: values[tables] for name, values in vars(self).items()})


@dataclass(frozen=True, kw_only=True)
class RaterFigures(Figures):
    """Figures of all raters together."""

    n_joint: FloatArray  # items of a pair, whose kappas are averaged; of others `n_items`
    n_raters: FloatArray
    n_ratings: FloatArray


def with_standard_errors(
    figures: AnyFigures,
    se: FloatArray,
    units: FloatArray,
    *,
    tested: bool,
    ci: str,
    level: float,
    null: float = 0.0,
    left: FloatArray | None = None,
) -> AnyFigures:
    """Put in standard errors, and every figure that comes from them.

    `units`, of shape (S,) as the errors are, is the number of independent items or clusters
    behind them. Where the standard error of `figures` is NaN, it stays so. `tested` says
    whether `null` is a hypothesis about the coefficient. Variances are multiplied by `left`.
    """
    figures, pivot = with_errors(figures, se, units, ci=ci, left=left)
    found = infer(pivot, figures.estimate, figures.lowest, level=level, null=null)
    return with_inference(figures, found, tested=tested)


def with_errors(
    figures: AnyFigures, se: FloatArray, units: FloatArray, *, ci: str, left: FloatArray | None
) -> tuple[AnyFigures, Pivot]:
    """Put in standard errors alone, and return what limits are made of: see above."""
    few = units < FEWEST_ITEMS
    se = np.where(np.isnan(figures.se) | few, np.nan, without_rounding(se))
    pivot = INTERVALS_OF_MANY[ci](figures.estimate, se, units, figures.worst)
    if left is not None:
        pivot, se = pivot.worth(left), se * np.sqrt(left)
    is_free = np.isin(figures.reason, ["", "no_variance"])
    reason = np.where(few & is_free, "n_lt_2", figures.reason)
    return replace(figures, se=se, reason=reason), pivot


def with_inference(figures: AnyFigures, found: Inference, *, tested: bool) -> AnyFigures:
    """Put in limits and tests, and say where there is no test because nothing varies."""
    p_value = np.where(tested, found.p_value, np.nan)
    return replace(
        figures,
        ci_low=found.low,
        ci_high=found.high,
        z=np.where(tested, found.z, np.nan),
        p_value=p_value,
        reason=_of_no_variance(figures.reason, np.isnan(p_value) & ~np.isnan(figures.se) & tested),
    )


def _of_no_variance(reason: ObjectArray, constant: BoolArray) -> ObjectArray:
    """Say that there is no test where nothing varies, if nothing else is to be said."""
    other = np.where(reason == "no_variance", "", reason)
    return np.where(constant & (other == ""), "no_variance", other)
