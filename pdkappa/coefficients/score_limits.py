"""Limits of shares and kappas by inverting a test, and the verbal labels of coefficients."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import scipy

from pdkappa.coefficients.pair_counts import sums_at

if TYPE_CHECKING:
    from collections.abc import Callable

    from pdkappa._typing import BoolArray, FloatArray, IntArray, ObjectArray


def _special(name: str, *given: Any) -> Any:
    """Call a function of `scipy.special`, which is loaded when one is first called."""
    return getattr(scipy.special, name)(*given)


ndtr = partial(_special, "ndtr")  # share of a normal distribution below x
ndtri = partial(_special, "ndtri")  # its quantile p
owens_t = partial(_special, "owens_t")  # share of two normal variables in a wedge
stdtr = partial(_special, "stdtr")  # share of a t distribution below t
fdtri = partial(_special, "fdtri")  # quantile p of an F distribution
fdtrc = partial(_special, "fdtrc")  # its share above x
chdtri = partial(_special, "chdtri")  # above it is the share p of a chi-squared distribution
chdtrc = partial(_special, "chdtrc")  # its share above x
betaincinv = partial(_special, "betaincinv")  # quantile p of a beta distribution
betaincc = partial(_special, "betaincc")  # its share above x


def two_sided(z: Any, df: Any = None) -> Any:
    """Share of a normal distribution at least as far from zero; of a t distribution with `df`."""
    return 2 * (ndtr(-np.abs(z)) if df is None else stdtr(df, -np.abs(z)))


def half_width(level: float, df: Any = None) -> Any:
    """Find how far from zero the share `level` of a normal, or a t, distribution reaches."""
    return ndtri((1 + level) / 2) if df is None else stdtrit(df, (1 + level) / 2)


MOST_DEGREES = 1e10


def stdtrit(df: Any, p: Any) -> Any:
    """Find the quantile `p` of a t distribution with `df` degrees of freedom, each of them once.

    It takes a microsecond, and few of a million pairs differ in their degrees of freedom. With
    more than MOST_DEGREES, which the oldest SciPy takes, it is that of a normal distribution.
    """
    if np.ndim(df) == 1 and len(df) > 1:
        known, where = np.unique(df, return_inverse=True)
        return stdtrit(known[:, None], p)[where, 0]
    most = scipy.special.stdtrit(np.minimum(df, MOST_DEGREES), p)
    return np.where(np.greater(df, MOST_DEGREES), ndtri(p), most)[()]


# Coefficients, Fisher's z, shares and influence values are free of units: what is below this is
# none. A rounding error is 1e-16 of a term; sums and quotients of many terms gather thousands.
ROUNDING = 1e-12
# How far an estimate may lie below its floor and still be there. It is a quotient of disagreements,
# which keeps fewer digits than ROUNDING asks for where both are small.
AT_FLOOR = 1e-9


def without_rounding(values: FloatArray) -> FloatArray:
    """Set to zero what is no more than rounding error: a coefficient or standard error."""
    return np.where(np.abs(values) < ROUNDING, 0.0, values)


def at_least(floor: FloatArray | float, estimate: FloatArray) -> FloatArray:
    """Lift a coefficient that misses its floor by rounding.

    Observed disagreement is at most twice the expected one where weights are distances, though
    not always in floats. One that is far below has other weights, and no floor.
    """
    missed = (estimate < floor) & (estimate >= floor - AT_FLOOR)
    return np.where(missed, floor, estimate)


def one_minus(ratio: FloatArray) -> FloatArray:
    """Turn a ratio of observed to expected disagreement into a coefficient.

    It is exactly zero for raters who agree as chance would have it, as without a shared label.
    """
    return at_least(-1.0, without_rounding(1 - ratio))


def positive(values: FloatArray, size: FloatArray | float = 0.0) -> FloatArray:
    """Keep what is more than rounding error of terms of this size; NaN elsewhere."""
    return np.where(values > ROUNDING * size, values, np.nan)


def wilson(share: Any, n: Any, z: Any) -> tuple[FloatArray, FloatArray]:
    """Compute Wilson's limits of shares p of n: the true e has ``n (p - e)**2 = z**2 e (1 - e)``.

    They are in [0, 1], each of shape (S,), and NaN where n is 0, or z is NaN.

    >>> [round(float(one), 3) for one in wilson(0.1, 50, half_width(0.95))]
    [0.043, 0.214]
    """
    n = np.asarray(n, dtype=np.float64)
    with np.errstate(divide="ignore", invalid="ignore"):
        middle = (share + z**2 / (2 * n)) / (1 + z**2 / n)
        half = z * np.sqrt(share * (1 - share) / n + z**2 / (4 * n**2)) / (1 + z**2 / n)
    low, high = np.maximum(middle - half, 0.0), np.minimum(middle + half, 1.0)
    known = ~np.isnan(middle)
    return np.where((share == 0) & known, 0.0, low), np.where((share == 1) & known, 1.0, high)


def clopper_pearson(hits: Any, n: Any, level: float) -> tuple[FloatArray, FloatArray]:
    """Compute the exact limits of shares of n (Clopper & Pearson, 1934); NaN where n is 0."""
    tail = (1 - level) / 2
    low = betaincinv(hits, n - hits + 1, tail)
    high = betaincinv(hits + 1, n - hits, 1 - tail)
    return np.where((hits == 0) & (n > 0), 0.0, low), np.where((hits == n) & (n > 0), 1.0, high)


def ratio_of_sums(hits: Any, cases: Any, n: float) -> tuple[float, float]:
    r"""Estimate a share r of hits m among cases c over n units, and its standard error.

    .. math:: r = \sum m_i / \sum c_i, \quad
              s^2 = \frac{n}{n - 1} \sum (m_i - r c_i)^2 / \left(\sum c_i\right)^2.
    """
    with np.errstate(divide="ignore", invalid="ignore"):
        share = hits.sum() / cases.sum()
        se = np.sqrt(np.divide(n, n - 1) * ((hits - share * cases) ** 2).sum()) / cases.sum()
    return share, se


FEW = 5.0  # expected disagreements that say as much of the variance as the model does
FEWEST_UNITS = 2
LEAST_EFFECT = 0.25  # of clusters whose items differ more than those of two clusters
MOST_STEPS = 60  # each of which halves what is left, at least
NEAR = 1e-8  # the error of the next step is its square


@dataclass(frozen=True)
class Agreeing:
    r"""Raters who all give the same rating to a part of the items, and guess the others.

    All arrays have shape (S,).

    Notes
    -----
    If the part is :math:`\kappa`, then

    .. math:: V(\kappa) = (1 - \kappa) \{V_0 + \kappa (1 - \kappa) (1 + B)
              + \kappa^2 (1 + A)\}

    is the variance of the influence values of one item, with :math:`V_0` at chance, A the slope and
    B what is shared; for two raters and two equal categories it is :math:`1 - \kappa^2`. Below
    zero it is taken to be that of chance.
    """

    n: FloatArray  # number of items
    varied: FloatArray  # share of the pairs of any two ratings that differ
    at_chance: FloatArray  # variance of the coefficient of one item if all are guessed
    # Variance of the expected disagreement of an item's ratings, in units of its square: of ratings
    # that are guessed, and of ratings that are the same.
    slope: FloatArray
    shared: FloatArray

    def variance(self, kappa: FloatArray | float) -> FloatArray:
        """Return the variance of one item, shape (S,)."""
        k = np.maximum(kappa, 0.0)
        return (1 - k) * (
            self.at_chance + k * (1 - k) * (1 + self.shared) + k * k * (1 + self.slope)
        )

    def score(self, estimate: FloatArray, se: FloatArray) -> Score:
        """Put in the estimates and their linearised standard errors."""
        with np.errstate(divide="ignore", invalid="ignore"):
            fit = np.log(self.n * se**2 / self.variance(estimate))
            disagreements = self.n * self.varied
            share = disagreements / (disagreements + FEW)
        return Score(self, estimate, np.where(np.isfinite(fit), fit * share, 0.0))


@dataclass(frozen=True)
class Score:
    r"""What score limits and tests of S coefficients are made of: a model of pdkappa's own.

    Notes
    -----
    The statistic is :math:`(\hat\kappa - \kappa) \sqrt{n / V(\kappa)}`, and the limits are the
    values at which it meets a normal quantile, as Wilson's are for a proportion. Ratings that agree
    by chance alone have no other table than that of independent ones, so that :math:`V_0` is exact,
    and z is the published one [1]_.

    Raters who confuse neighbours have another variance elsewhere. It is that of the model times
    the ratio at the estimate of the linearised variance to the model's, to the power of
    :math:`\kappa / \hat\kappa`, at least 0 and at most 1. The ratio is known from some
    disagreements only; with as many as `FEW` expected by chance it counts half.

    References
    ----------
    .. [1] Fleiss et al., 1969
    """

    model: Agreeing  # where the variance comes from
    estimate: FloatArray  # the coefficient, (S,)
    # Logarithm of how much greater the variance at the estimate is than the model has it, (S,).
    fit: FloatArray
    # Degrees of freedom of the number of items, where it is estimated; see `design_effect`, (S,).
    df: FloatArray | None = None

    def worth(self, effect: FloatArray) -> Score:
        """Divide the number of items by so much."""
        return replace(self, model=replace(self.model, n=self.model.n / effect))

    def nested(self, effect: FloatArray, df: FloatArray) -> Score:
        """Count items in clusters as so many fewer, with so many degrees of freedom."""
        return replace(self.worth(effect), df=df)

    def variance(self, kappa: FloatArray | float) -> FloatArray:
        """Return the variance of one item under a hypothesis, shape (S,)."""
        with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
            part = np.minimum(np.maximum(kappa / self.estimate, 0.0), 1.0)
            way = np.where(self.estimate > 0, part, 0.0)
        return self.model.variance(kappa) * np.exp(self.fit * way)

    def limits(self, level: float) -> tuple[FloatArray, FloatArray]:
        """Find where the statistic meets the quantile, on both sides of the estimate."""
        quantile = half_width(level, self.df)
        half = quantile * np.sqrt(self.model.at_chance / self.model.n)
        found = np.stack([self.estimate - half, self.estimate + half])  # which they are below zero
        shape, found = found.shape, found.reshape(2, -1)
        side, place = np.nonzero(found > 0)
        square = np.broadcast_to(quantile, half.shape).reshape(-1)[place] ** 2

        every = self.at(place)

        def beyond(kappa: FloatArray, which: IntArray) -> FloatArray:
            own = every if len(which) == len(place) else every.at(which)
            with np.errstate(over="ignore", invalid="ignore"):  # next to no items
                needed = square[which] * own.variance(kappa) / own.model.n
                return (own.estimate - kappa) ** 2 - needed

        estimate = self.estimate.reshape(-1)[place]
        inside = np.where(side > 0, np.maximum(estimate, 0.0), estimate)
        found[side, place] = root_between(beyond, inside, side.astype(np.float64))
        low, high = found.reshape(shape)
        return low, high

    def at(self, places: IntArray) -> Score:
        """Return some of the coefficients, by their places in the flat array."""
        shape = self.estimate.shape

        def taken(values: FloatArray) -> FloatArray:
            whole = values if values.shape == shape else np.broadcast_to(values, shape)
            return whole.reshape(-1)[places]

        model = Agreeing(**{name: taken(values) for name, values in vars(self.model).items()})
        df = None if self.df is None else taken(self.df)
        return Score(model, taken(self.estimate), taken(self.fit), df)

    def test(self, null: float) -> tuple[FloatArray, FloatArray]:
        """Return the statistic, and the two-sided p.

        A variance that grows or falls fast between zero and the null may make the nearer of the two
        the less likely one. What lies between an estimate and zero is then not rejected unless
        zero is, and what lies above zero is, if zero is and the estimate lies below.
        """
        z = self._distance(null)
        if null > 0:
            through_zero = (self.estimate > null) | (self.estimate < 0)
            z = np.where(through_zero, np.minimum(z, self._distance(0.0)), z)
        return z, two_sided(z, self.df)

    def _distance(self, null: float) -> FloatArray:
        """Distance from the null in its own standard errors, shape (S,)."""
        with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
            variance = self.variance(null)
            return (self.estimate - null) * np.sqrt(
                self.model.n / np.where(variance > 0, variance, np.nan)
            )


FEWEST_DEGREES = 1e-9  # the t quantile of none is not defined


FEWEST_CLUSTERS = 2


def units_of_sizes(
    size: FloatArray, spread: FloatArray, group: IntArray, n_groups: int
) -> FloatArray:
    """Count clusters of some sizes by what they are worth; those without items do not count."""
    number = np.bincount(group, weights=size > 0, minlength=n_groups)
    several = number >= FEWEST_CLUSTERS
    df = degrees_of_freedom(size, spread, group, n_groups)
    return np.where(several, np.maximum(df, 1.0) + 1, number)


def degrees_of_freedom(
    size: FloatArray, spread: FloatArray, group: IntArray, n_groups: int
) -> FloatArray:
    """Compute the degrees of freedom of the variance of clusters, shape (G,).

    Parameters
    ----------
    size : ndarray of float, shape (M,)
        Number of items of each cluster, or their total weight.
    spread : ndarray of float, shape (M,)
        What the variance of each cluster is proportional to; see `Rows.clusters`.
    group : ndarray of int, shape (M,)
        Group of each cluster.
    n_groups : int
        G.

    Returns
    -------
    ndarray of float, shape (G,)
        Between 1 and the number of clusters, less one, which equal clusters have. NaN with
        fewer than two of them.

    Notes
    -----
    They are those of Satterthwaite: twice the squared mean of the variance estimate over its
    variance, if items were independent (Bell & McCaffrey, 2002; Pustejovsky & Tipton, 2018).
    With h and u the shares of the clusters in size and spread, the sums of the residuals then
    have covariances proportional to ``C = diag(u) - h u' - u h' + h h'``, which is
    ``diag(h) - h h'`` where they are the same; the weights are ``a = 1 / (1 - h)``, and the
    degrees of freedom are ``sum(a * diag(C))**2 / sum(a a' * C**2)``.
    """

    def total(values: FloatArray) -> FloatArray:
        return sums_at(group, values, n_groups)

    with np.errstate(divide="ignore", invalid="ignore"):  # a single cluster
        h = size / total(size)[group]
        u = spread / total(spread)[group]
        a, outer = 1 / (1 - h), h**2 - 2 * h * u
        hh, hu, uu = total(a * h**2), total(a * h * u), total(a * u**2)
        crossed = 2 * hh * uu + 2 * hu**2 - 4 * hh * hu + hh**2
        return total(a * (u + outer)) ** 2 / (crossed + total(a**2 * (u**2 + 2 * u * outer)))


def degrees_of(units: FloatArray) -> FloatArray:
    """Degrees of freedom of a standard error from so many units."""
    return np.maximum(units - 1, FEWEST_DEGREES)


def design_effect(
    se: FloatArray, independent: FloatArray, n: FloatArray, units: FloatArray
) -> FloatArray:
    """Compute how many items in clusters say as much as one that is independent.

    Parameters
    ----------
    se, independent : ndarray of float, shape (S,)
        Standard errors of clusters, and as if items were independent.
    n, units : ndarray of float, shape (S,)
        Number of items, and how many clusters of equal size theirs are worth.

    Returns
    -------
    ndarray of float, shape (S,)
        The squared ratio of the two errors (Kish, 1965), which few clusters may by luck make next
        to zero: at least a quarter. The size of the clusters where there is no error, as of a
        rater who used one category. NaN of fewer than two clusters.
    """
    with np.errstate(divide="ignore", invalid="ignore"):
        known = np.maximum((se / independent) ** 2, LEAST_EFFECT)
        effect = np.where((se > 0) & (independent > 0), known, n / units)
    return np.where(units < FEWEST_UNITS, np.nan, effect)


def root_between(
    function: Callable[[FloatArray, IntArray], FloatArray], inside: FloatArray, outside: FloatArray
) -> FloatArray:
    """Find where functions that are negative inside and positive outside are zero.

    It is the method of Ridders (1979). Each root depends on its own function only: what is
    found is not computed again, so that `function` gets the numbers of those that are searched.
    """
    root, which = outside.astype(np.float64), np.arange(len(outside))
    a, b, before = inside.astype(np.float64), root.copy(), np.full(root.shape, np.nan)
    at_a, at_b = function(a, which), function(b, which)
    # Hardly any variance inside: only the sign says where to go.
    at_a = np.where(-at_a < NEAR * at_b, -at_b, at_a)
    searched = (at_a < 0) & (at_b > 0)
    for _ in range(MOST_STEPS):
        if not searched.any():
            break
        if not searched.all():
            which = which[searched]
            a, b, at_a, at_b, before = (one[searched] for one in (a, b, at_a, at_b, before))
        middle = (a + b) / 2
        at_middle = function(middle, which)
        with np.errstate(divide="ignore", invalid="ignore"):
            way = at_middle / np.sqrt(at_middle**2 - at_a * at_b)
            better = np.where(np.abs(way) <= 1, middle + (a - middle) * way, middle)
        at_better = function(better, which)
        moved, before = np.abs(better - before), better
        root[which] = better
        apart = (at_middle < 0) != (at_better < 0)
        is_inside = at_better < 0
        a, at_a = (
            np.where(is_inside, one, np.where(apart, other, end))
            for one, other, end in ((better, middle, a), (at_better, at_middle, at_a))
        )
        b, at_b = (
            np.where(is_inside, np.where(apart, other, end), one)
            for one, other, end in ((better, middle, b), (at_better, at_middle, at_b))
        )
        searched = ~(moved <= NEAR) & (at_better != 0)
    return root


@dataclass(frozen=True)
class Proportion:
    r"""What Wilson's limits and tests of coefficients are made of whose chance is known.

    All arrays have shape (S,).

    Notes
    -----
    The share m of disagreement has the variance ``m (1 - m) / n`` under a hypothesis [1]_, and the
    coefficient is ``1 - m / by_chance``. Partial disagreements, and margins on which chance
    depends, make for another number n than that of the items: their ratio is that of the two
    variances at the estimate, as far as it is known, see `Score`.

    References
    ----------
    .. [1] Wilson, 1927
    """

    share: FloatArray  # disagreement, as a share of the largest
    by_chance: FloatArray  # the same expected by chance
    n: FloatArray  # number of items that say as much if each disagrees wholly or not at all
    # Degrees of freedom of that number, where it is estimated; see `design_effect`.
    df: FloatArray | None = None

    def worth(self, effect: FloatArray) -> Proportion:
        """Divide the number of items by so much."""
        return replace(self, n=self.n / effect)

    def nested(self, effect: FloatArray, df: FloatArray) -> Proportion:
        """Count items in clusters as so many fewer, with so many degrees of freedom."""
        return replace(self.worth(effect), df=df)

    @classmethod
    def of(
        cls, estimate: FloatArray, se: FloatArray, n: FloatArray, by_chance: FloatArray
    ) -> Proportion:
        """Compare the linearised standard error with that of a proportion of n items."""
        share = (1 - estimate) * by_chance
        with np.errstate(divide="ignore", invalid="ignore"):
            # Raters who never agree have no such variance, though not always in floats.
            fit = np.log((se * by_chance) ** 2 * n / positive(share * (1 - share), 1.0))
            known = n * by_chance / (n * by_chance + FEW / 2)
        fit = np.where(np.isfinite(fit), fit * known, 0.0)
        return cls(share, by_chance, np.where(np.isnan(se), np.nan, n * np.exp(-fit)))

    def limits(self, level: float) -> tuple[FloatArray, FloatArray]:
        """Solve the quadratic equation of the statistic."""
        g = half_width(level, self.df) ** 2 / self.n
        centre = self.share + g / 2
        half = np.sqrt(np.maximum(g * (self.share * (1 - self.share) + g / 4), 0.0))
        with np.errstate(divide="ignore", invalid="ignore"):  # a single category
            low, high = (1 - (centre + way * half) / (1 + g) / self.by_chance for way in (1, -1))
        return low, high

    def test(self, null: float) -> tuple[FloatArray, FloatArray]:
        """Return the statistic, infinite where no share gives the null, and the two-sided p."""
        share = (1 - null) * self.by_chance
        with np.errstate(divide="ignore", invalid="ignore"):
            variance = np.maximum(share * (1 - share), 0.0)
            z = (share - self.share) * np.sqrt(self.n / variance)
        return z, two_sided(z, self.df)


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
        return (value > bounds) | at_bound


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
        (-np.inf, 0.2, 0.4, 0.6, 0.8), ("poor", "fair", "moderate", "good", "very good")
    ),
    # Fleiss (1981), Statistical Methods for Rates and Proportions, 2nd ed., p. 218: below .40
    # poor, .40 to .75 fair to good, greater than .75 excellent.
    "fleiss": Benchmark((-np.inf, 0.4, 0.75), ("poor", "fair to good", "excellent"), closed=(0.4,)),
    # Cicchetti & Sparrow (1981), American Journal of Mental Deficiency 86, 127-137.
    "cicchetti": Benchmark(
        (-np.inf, 0.4, 0.6, 0.75), ("poor", "fair", "good", "excellent"), closed=(0.4, 0.6, 0.75)
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
        the coefficient reaches with a probability of 95 % ([1]_, chapter 6). The probabilities of
        the levels are normal around the estimate, within [-1, 1]; the label is empty where
        there is no standard error.

    References
    ----------
    .. [1] Gwet, 2014
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
