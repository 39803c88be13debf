"""How many items a comparison, or an intraclass correlation, needs."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from functools import cached_property, partial
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, TypeAlias

import numpy as np
import scipy

from pdkappa.coefficients.chance import COEFFICIENTS
from pdkappa.coefficients.influence import standard_error
from pdkappa.coefficients.intraclass_limits import (
    added_to,
    from_log,
    of_complete,
    of_pseudo_values,
    on_log,
)
from pdkappa.coefficients.pair_kappas import of_pairs
from pdkappa.coefficients.rating_rows import RatingRows
from pdkappa.coefficients.score_limits import fdtrc, fdtri, half_width, ndtr, ndtri, stdtrit
from pdkappa.errors import OptionError, TooLargeError, shown
from pdkappa.methods.estimates import asked as has
from pdkappa.methods.estimates.asks import anew, asks, option
from pdkappa.methods.estimates.options import check_share, is_number
from pdkappa.methods.planning.power import (
    BEYOND,
    FARTHEST_QUANTILE,
    FEWEST_STUDIES,
    MOST_ITEMS,
    ROUNDING,
    SAME,
    SEED,
    Binormal,
    both_below,
    cuts_of,
    drawn_items,
    noise_of,
    zero_of,
)
from pdkappa.methods.planning.sample_size import (
    OfDesign,
    OfGoal,
    OfPower,
    OfTest,
    SampleSize,
    Test,
    check_null,
    check_reach,
    check_whole,
    read_design,
    rounded_up,
)

if TYPE_CHECKING:
    from collections.abc import Callable

    import numpy.typing as npt

    from pdkappa._typing import CountArray, FloatArray, IntArray
    from pdkappa.coefficients.weights import Scale

FEWEST = 2  # items
NODES_OF_F = 100  # of a quadrature, good to four digits and, from ten items on, to six
MOST_ITEMS_OF_ICC = 1e9  # beyond which older F quantiles lose their digits
MOST_ITEMS_DRAWN = 10**4  # beyond which limits from items are those of F to four digits
MOST_SCORES = 2 * 10**6  # of all studies of one number of items
STUDIES_OF_ICC = 30_000  # that would say as much of the power
CLOSE = 0.001  # of the logarithm of the width


@dataclass(frozen=True)
class Form:
    """What an intraclass correlation is of."""

    of_mean: bool  # whether it is that of the mean of all raters, or of a single one
    two_way: bool  # whether the same raters score all items, so that their means are no error

    def degrees(self, n_items: float, n_raters: int) -> tuple[float, float]:
        """Degrees of freedom of both mean squares."""
        items = n_items - 1
        return items, items * (n_raters - 1) if self.two_way else n_items * (n_raters - 1)

    def ratio(self, icc: Any, n_raters: int) -> Any:
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
    """A study of an intraclass correlation, still to be done."""

    form: Form  # of what it is
    icc: float  # what is expected
    n_raters: int  # R
    level: float  # that of both limits, also where only one of them matters
    one_sided: bool  # whether only the limit on the side of the null matters, or the lower one
    ci: str  # whose limits they are: ``"f"``, or ``"auto"`` as `icc` has them

    def power(self, n_items: float, null: float, part: int = 1) -> float:
        """Probability that the limits leave the null out."""
        degrees = self.form.degrees(n_items, self.n_raters)
        low, high = self._quantiles(degrees)
        null_to_truth = self.form.ratio(null, self.n_raters) / self._ratio
        above = float(fdtrc(*degrees, high * null_to_truth))
        below = 1 - float(fdtrc(*degrees, low * null_to_truth))
        exact = above + below if not self.one_sided else above if self.icc > null else below
        if self.is_exact(n_items):
            return exact

        def told(low: FloatArray, high: FloatArray, _: FloatArray) -> FloatArray:
            is_above, is_below = low > null, high < null  # neither where they are NaN
            either = is_above | is_below
            found = either if not self.one_sided else is_above if self.icc > null else is_below
            return found.astype(np.float64)

        return min(max(exact + self._beside_f(told, int(n_items), part), 0.0), 1.0)

    def half_width(self, n_items: float, part: int = 1) -> float:
        """Mean distance of the limits from their middle; of the lower from the estimate."""

        def half(low: FloatArray, high: FloatArray, middle: FloatArray) -> FloatArray:
            return middle - low if self.one_sided else (high - low) / 2

        degrees = self.form.degrees(n_items, self.n_raters)
        nodes, weights = np.polynomial.legendre.leggauss(NODES_OF_F)
        of_nodes = self._by_f(self._ratio * fdtri(*degrees, (1 + nodes) / 2), degrees)
        exact = float((weights * half(*of_nodes)).sum() / 2)
        if self.is_exact(n_items):
            return exact
        return exact + self._beside_f(half, int(n_items), part)

    def is_exact(self, n_items: float) -> bool:
        """Whether the limits are those of F, or next to them."""
        return self.ci == "f" or n_items > MOST_ITEMS_DRAWN

    def _by_f(self, ratio: FloatArray, degrees: tuple[float, float]) -> tuple[FloatArray, ...]:
        """Limits of F, and the estimate, where such ratios are observed."""
        every = (ratio / one for one in (*self._quantiles(degrees)[::-1], 1.0))
        low, high, middle = (self.form.of_ratio(one, self.n_raters) for one in every)
        return low, high, middle

    def _beside_f(self, figure: Callable[..., FloatArray], n_items: int, part: int) -> float:
        """By how much the mean of a figure of the limits of `icc` is above that of F limits.

        Both are computed from the same drawn studies, so that few of them say much.
        """
        raters = self.n_raters
        n_studies = max(MOST_SCORES // (n_items * raters * part), FEWEST_STUDIES // part)
        rng = np.random.default_rng([SEED, n_items])
        errors = rng.standard_normal((raters, n_studies, n_items))
        items = rng.standard_normal(errors.shape[1:]) * math.sqrt(self._ratio / raters)
        ends = self.limits(errors - errors.mean(axis=0) + items)
        ratio = self.form.ratio(ends[2], raters)
        beside = figure(*ends) - figure(*self._by_f(ratio, self.form.degrees(n_items, raters)))
        known = ~np.isnan(beside)
        return float(beside[known].mean()) if known.any() else math.inf

    def limits(self, scores: FloatArray) -> tuple[FloatArray, ...]:
        """Limits that `icc` has by default, and the estimate, of scores (R, S, n) of S studies."""
        n_raters, _, n_items = scores.shape
        k, place = float(n_raters), 2 if self.form.two_way else 0
        added = added_to(scores.reshape(n_raters, -1)).reshape(*scores.shape[1:], -1)
        totals = added.sum(axis=1)
        without = of_complete((totals[:, None] - added).reshape(-1, added.shape[-1]))[:, place]
        theta, ones = on_log(of_complete(totals)[:, place], k), np.ones(n_items)
        values = on_log(without.reshape(-1, n_items).T, k)
        found = of_pseudo_values(theta, values, ones, ones)
        away = half_width(self.level, found.df) * found.se
        low, high = np.minimum(found.centre - away, theta), np.maximum(found.centre + away, theta)
        every = (from_log(one, k) for one in (low, high, theta))
        with np.errstate(divide="ignore"):  # scores that agree as little as they can
            low, high, middle = (
                k * r / (1 + (k - 1) * r) if self.form.of_mean else r for r in every
            )
        return low, high, middle

    @property
    def _ratio(self) -> float:
        return float(self.form.ratio(self.icc, self.n_raters))

    def _quantiles(self, degrees: tuple[float, float]) -> tuple[float, float]:
        """Between them F lies with the probability of the level."""
        tail = (1 - self.level) / 2
        return float(fdtri(*degrees, tail)), float(fdtri(*degrees, 1 - tail))


def first_above(excess: Callable[[float], float]) -> float:
    """Find where an increasing function of the number of items becomes zero, not rounded."""
    low = high = float(FEWEST)
    while excess(high) < 0:
        low, high = high, 2 * high
        if high > MOST_ITEMS_OF_ICC:
            return math.inf
    return high if low == high else float(scipy.optimize.brentq(excess, low, high, xtol=1e-9))


IccForm: TypeAlias = Literal["ICC(1,1)", "ICC(C,1)", "ICC(1,k)", "ICC(C,k)"]
MOST_RATERS = 1000


class OfIcc(OfTest):
    """What is assumed of an intraclass correlation."""

    n_raters: int = anew(OfDesign, "n_raters", default=2, also="Up to 1,000.")
    form: IccForm = option(
        "Other raters for each item (1), or the same ones for all, whose means may differ (C); of "
        "the scores of one rater, or of the means of all of them (k).",
        choices=IccForm,
        default="ICC(1,1)",
    )
    ci: Literal["auto", "f"] = anew(
        has.Interval,
        "ci",
        choices=Literal["auto", "f"],
        default="auto",
        also='"auto": as `icc` does by default. "f": as ``icc(ci="f")`` does, for those who are '
        "sure that scores are normal.",
    )


class OfSampleSizeIcc(OfIcc, OfGoal):
    """Options of `sample_size_icc`."""

    icc: float = option("The ICC to expect, below 1.", "float", kw_only=False)


@asks(OfSampleSizeIcc)
def sample_size_icc(asked: OfSampleSizeIcc) -> SampleSize:
    r"""Find the number of items that a study of an intraclass correlation needs.

    How many items, each scored by a given number of raters, are needed to tell an ICC from another
    one (`null`), or to estimate it precisely enough (`half_width`)?

    Returns
    -------
    SampleSize
        ``.n_items`` or ``int(result)`` is the number; ``.table`` is None.

    Raises
    ------
    OptionError
        If the number of items is too large to compute.

    See Also
    --------
    power_icc : The power of a given number of items.
    sample_size : The same for kappa.

    Notes
    -----
    Scores are supposed to be normal. With n items and R raters the ratio of the mean squares
    of items and of error, divided by its expectation :math:`\theta`, has an F distribution
    with n - 1 and, in this order of the forms, n(R - 1) or (n - 1)(R - 1) degrees of freedom.
    The test and the limits of McGraw and Wong [1]_ rest on this ratio alone:

    .. math:: \theta = \frac{1 + (R - 1)\rho}{1 - \rho} = \frac{1}{1 - \rho_k}, \qquad
              \mathrm{power} = P\left(F > \frac{\theta_0}{\theta_1} F_{1-\alpha/2}\right)
              + P\left(F < \frac{\theta_0}{\theta_1} F_{\alpha/2}\right),

    of which a one-sided test has one summand, with :math:`\alpha` for :math:`\alpha/2`; the mean
    width of the limits is an integral over F. Walter et al. [2]_ and Bonett [3]_ approximate both.

    That is exact for ``ci="f"``. The default limits of `icc`, which hold for other scores, too, are
    wider: by what, is found from drawn studies, of which both are computed, and added. Draws are
    seeded, so that the same question has the same answer. Normal scores take some ten items more
    than with ``ci="f"``; above 10,000 items the limits are the same. Scores with long tails
    take more items than that, which no formula knows.

    ICC(A,1) and ICC(A,k) are not here: their limits depend on the variance of the raters, about
    whom further items say little. Plan these for more raters instead.

    References
    ----------
    .. [1] McGraw & Wong, 1996
    .. [2] Walter et al., 1998
    .. [3] Bonett, 2002

    Examples
    --------
    >>> pdkappa.plan.sample_size_icc(0.8, null=0.6)
    56 items to tell ICC(1,1) 0.8 from 0.6 with power 0.8 (two-sided, level 0.95, simulation)
    >>> pdkappa.plan.sample_size_icc(0.85, half_width=0.1, n_raters=4, form="ICC(C,1)")
    29 items to estimate ICC(C,1) 0.85 to within 0.1 (two-sided, level 0.95, simulation)

    The limits of F, for those who are sure that scores are normal, take fewer:

    >>> pdkappa.plan.sample_size_icc(0.8, null=0.6, ci="f")
    50 items to tell ICC(1,1) 0.8 from 0.6 with power 0.8 (two-sided, level 0.95, exact)

    More raters take fewer items:

    >>> for n_raters in (3, 6):
    ...     print(n_raters, int(pdkappa.plan.sample_size_icc(0.8, null=0.6, n_raters=n_raters)))
    3 40
    6 31
    """
    power, half = asked.aims()
    null, study = asked.null, _assume_icc(asked, asked.icc, asked.null)

    def excess(study: IccStudy, n_items: float, part: int = 1) -> float:
        if half is not None:
            return -float(np.log(study.half_width(n_items, part) / half))
        found = study.power(n_items, null, part)  # type: ignore[arg-type]  # is given
        return float(np.clip(ndtri(found), -FARTHEST_QUANTILE, FARTHEST_QUANTILE) - ndtri(power))

    exact = first_above(partial(excess, replace(study, ci="f")))
    if not study.is_exact(exact):
        noise = CLOSE if power is None else noise_of(power, STUDIES_OF_ICC)
        exact = zero_of(partial(excess, study), exact, noise)
    names = ("icc", "null", "half_width", "form", "n_raters", "alternative", "confidence_level")
    settings = {name: getattr(asked, name) for name in names} | {"half_width": half, "power": power}
    settings |= {"icc": study.icc, "n_raters": study.n_raters}
    method = "exact" if study.ci == "f" else "simulation"
    return SampleSize(rounded_up(exact), exact, method, None, None, settings)


class OfPowerIcc(OfIcc):
    """Options of `power_icc`."""

    n_items: int = anew(OfPower, "n_items", kw_only=False)
    icc: float = anew(OfSampleSizeIcc, "icc", kw_only=False)
    null: float = anew(OfGoal, "null", kw_only=False)


@asks(OfPowerIcc)
def power_icc(asked: OfPowerIcc) -> float:
    """Compute the power to tell one ICC from another with a number of items.

    It is the inverse of `sample_size_icc`.

    Returns
    -------
    float
        Probability that the test rejects `null`, in [0, 1].

    See Also
    --------
    sample_size_icc : The number of items for a given power.

    Examples
    --------
    >>> for n_items in (20, 40, 80):
    ...     print(n_items, round(pdkappa.plan.power_icc(n_items, 0.8, 0.6), 3))
    20 0.329
    40 0.631
    80 0.929
    """
    null = check_null(asked.null)
    return _assume_icc(asked, asked.icc, null).power(int(asked.n_items), null)


def _assume_icc(asked: OfIcc, icc: object, null: object) -> IccStudy:
    """Check what a study assumes."""
    form = asked.form
    raters = check_whole("n_raters", asked.n_raters, MOST_RATERS)
    test = Test.of("exact", asked.alternative, asked.confidence_level)
    lowest = FORMS[form].lowest(raters)
    for name, value in (("icc", icc), ("null", null)):
        if value is None and name == "null":
            continue
        if not (is_number(value) and lowest < value < 1):
            raise OptionError(
                f"{name}={shown(value)} of {form} must lie between {lowest:.4g} and 1."
            )
    if is_number(icc) and is_number(null) and abs(icc - null) < SAME:
        raise OptionError(
            f"icc and null are both {null:g}, which no number of items can tell apart."
        )
    number = float(icc)  # type: ignore[arg-type]  # it is one
    return IccStudy(FORMS[form], number, raters, test.level, test.one_sided, asked.ci)


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
    """A comparison of two pairs of raters, still to be done."""

    # Shares of the ratings of the shared rater and of the two who are compared, (K, K, K).
    table: FloatArray
    scale: Scale  # disagreement of the categories
    claim: str  # what is to be shown, of ``CLAIMS``
    margin: float  # what difference does not matter; zero where a difference is to be shown
    level: float  # one less the size of the test

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


Claim: TypeAlias = Literal["difference", "non_inferiority", "equivalence"]
MOST_CATEGORIES = 20


class OfThreeRaters(has.Weights, has.Categories):
    """What is assumed of a comparison of two kappas."""

    margins: npt.ArrayLike = anew(
        OfDesign, "margins", also="Here of all three raters, or of the shared one and of the two."
    )
    claim: Claim = option(
        'What is to be shown. "difference": the kappas differ, two-sided. "non_inferiority": the '
        'first is less than the second by no more than `margin`. "equivalence": they differ by '
        "less than `margin`.",
        choices=Claim,
        default="difference",
    )
    margin: float | None = anew(has.Margin, "margin", default=None)
    confidence_level: float = anew(OfTest, "confidence_level", default=0.95)


class OfSampleSizeCompare(OfThreeRaters):
    """Options of `sample_size_compare`."""

    first: float = anew(
        has.First,
        "first",
        kind="float",
        kw_only=False,
        also="The kappa to expect of it with the rater that both share.",
    )
    second: float = anew(has.First, "second", kind="float", kw_only=False, also="In the same way.")
    between: float | None = option(
        "The kappa to expect of these two with each other: the larger, the fewer items. Default: "
        "what they have in common is what both share with the shared rater.",
        "float",
        default=None,
        kw_only=False,
    )

    power: float = anew(OfGoal, "power", default=0.8, check=check_share, also="")


@asks(OfSampleSizeCompare)
def sample_size_compare(asked: OfSampleSizeCompare) -> SampleSize:
    """Find the number of items that a comparison of two kappas needs.

    How many items are needed to show that one model agrees better with a human than another one,
    or hardly less? Both are compared with the same rater on the same items, as in `compare`.

    Returns
    -------
    SampleSize
        ``.n_items`` or ``int(result)`` is the number; ``.table`` is None.

    Raises
    ------
    OptionError
        If the kappas are not as claimed, or no three raters have them.
    TooLargeError
        If there are more than 20 categories.

    See Also
    --------
    power_compare : The power of a given number of items.
    compare : The test itself.

    Notes
    -----
    The ratings are supposed to be three correlated normal variables, cut into categories, in
    their order; the correlations are those that give the kappas. Studies of three raters are
    drawn, seeded, and their difference is tested as by `compare`: by its linearised standard
    error and a t distribution; non-inferiority and equivalence by one-sided tests. For the
    search see `sample_size`.

    Examples
    --------
    >>> shares = [0.1, 0.2, 0.4, 0.2, 0.1]
    >>> pdkappa.plan.sample_size_compare(0.7, 0.6, 0.6, margins=shares, weights="quadratic")
    321 items to show difference of kappas 0.7 and 0.6 with power 0.8 (level 0.95, simulation)

    To show that a model is not much worse than another one takes fewer, if both are as good:

    >>> pdkappa.plan.sample_size_compare(
    ...     0.7, 0.7, 0.7, margins=shares, weights="quadratic", claim="non_inferiority", margin=0.1
    ... ).n_items
    176
    """
    study = _assume(asked)
    exact = study.items_for_power(float(asked.power))
    names = ("first", "second", "between", "claim", "margin", "confidence_level", "power")
    settings = {name: getattr(asked, name) for name in names}
    return SampleSize(rounded_up(exact), exact, "simulation", None, None, settings)


class OfPowerCompare(OfThreeRaters):
    """Options of `power_compare`."""

    n_items: int = anew(OfPower, "n_items", kw_only=False)
    first: float = anew(OfSampleSizeCompare, "first", kw_only=False)
    second: float = anew(OfSampleSizeCompare, "second", kw_only=False)
    between: float | None = anew(OfSampleSizeCompare, "between", default=None, kw_only=False)


@asks(OfPowerCompare)
def power_compare(asked: OfPowerCompare) -> float:
    """Compute the power of a comparison of two kappas with a number of items.

    It is the inverse of `sample_size_compare`.

    Returns
    -------
    float
        Probability that the study shows what is claimed, in [0, 1].

    Raises
    ------
    OptionError
        If the kappas are not as claimed, or no three raters have them.

    See Also
    --------
    sample_size_compare : The number of items for a given power.

    Examples
    --------
    >>> shares = [0.1, 0.2, 0.4, 0.2, 0.1]
    >>> found = pdkappa.plan.power_compare(100, 0.7, 0.6, 0.6, margins=shares, weights="quadratic")
    >>> round(found, 2)
    0.34
    """
    return _assume(asked).power(int(asked.n_items))


def _assume(asked: OfSampleSizeCompare | OfPowerCompare) -> Comparison:
    """Check what a study assumes, and find the table of three raters."""
    first, second, between, claim = asked.first, asked.second, asked.between, asked.claim
    kappas = {"first": first, "second": second}
    kappas |= {} if between is None else {"between": between}
    for name, value in kappas.items():
        if not (is_number(value) and -1 < value < 1):
            raise OptionError(f"{name}={shown(value)} must lie between -1 and 1.")
    far = _check_margin(claim, asked.margin)
    _check_claim(claim, float(first) - float(second), far)
    design = read_design(asked.margins, None, asked.reading)
    shared, compared = design.shares.sum(axis=1), design.shares.sum(axis=0)
    if len(shared) > MOST_CATEGORIES:
        raise TooLargeError(
            f"There are {len(shared)} categories; for three raters the limit is "
            f"{MOST_CATEGORIES}. Merge some of them."
        )
    with_shared = Binormal(shared, compared, design.scale)
    check_reach(with_shared.reach, first, second)
    rho = [with_shared.correlation(one) for one in (first, second)]
    rho.append(_between(between, rho, Binormal(compared, compared, design.scale)))
    table = trinormal_table(shared, compared, np.array(rho))
    return Comparison(table, design.scale, claim, far, float(asked.confidence_level))


def _check_margin(claim: str, margin: object) -> float:
    """Return the margin, zero for a difference; refuse one that does not fit the claim."""
    if claim == "difference":
        if margin is not None:
            raise OptionError(
                f"margin={shown(margin)} is about claim='non_inferiority' or 'equivalence'. "
                "Choose one of them, or leave margin= out."
            )
        return 0.0
    if not (is_number(margin) and 0 < margin < 2):  # noqa: PLR2004
        raise OptionError(
            f"claim={shown(claim)} needs margin=, the largest difference that does not matter, "
            f"between 0 and 2, got {shown(margin)}."
        )
    return float(margin)


def _check_claim(claim: str, difference: float, margin: float) -> None:
    """Refuse to plan for what is not so."""
    is_so = {
        "difference": abs(difference) > SAME,
        "non_inferiority": difference > SAME - margin,
        "equivalence": abs(difference) < margin - SAME,
    }
    if not is_so[claim]:
        raise OptionError(
            f"With first - second = {difference:.4g} there is no {claim} to show"
            f"{f' by margin={margin:g}' if margin else ''}. Assume other kappas, or another margin."
        )


def _between(between: float | None, rho: list[float], family: Binormal) -> float:
    """Find the correlation of the two raters who are compared, and refuse what cannot be."""
    middle = rho[0] * rho[1]
    if between is None:
        return middle
    check_reach(family.reach, between)
    room = math.sqrt((1 - rho[0] ** 2) * (1 - rho[1] ** 2)) * (1 - SAME)
    found = family.correlation(between)
    if not abs(found - middle) <= room:
        low, high = (family.kappa_of(middle + one) for one in (-room, room))
        raise OptionError(
            f"between={between:g} is beyond what three raters with such kappas have, from "
            f"{low:.4g} to {high:.4g}. Assume a value between these, or leave it out."
        )
    return found
