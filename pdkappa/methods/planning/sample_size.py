"""How many items a study of one kappa needs: `sample_size`, `power`."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal, TypeAlias

import numpy as np
import pandas as pd

from pdkappa.coefficients.score_limits import ndtri
from pdkappa.errors import OptionError, TooLargeError, listing, shown
from pdkappa.methods.estimates import asked as has
from pdkappa.methods.estimates.asks import Asked, anew, asks, option
from pdkappa.methods.estimates.options import check_share, check_size, is_number, is_whole
from pdkappa.methods.estimates.study import read
from pdkappa.methods.estimates.weightings import needs_an_order
from pdkappa.methods.planning.power import (
    FEWEST,
    MOST_ITEMS,
    SAME,
    Binormal,
    CommonKappa,
    Effect,
    Mixture,
    PairStudy,
    Simulation,
    VoteStudy,
    WorstCase,
    effect_of,
    items_for_power,
    items_to_see,
    kappa_of_shares,
    power_of_items,
    spread_of,
)
from pdkappa.present.text_cells import as_html, cells_of
from pdkappa.present.text_tables import result
from pdkappa.ratings.coded import Counted
from pdkappa.ratings.columns import numbers_of
from pdkappa.ratings.counted_pairs import read_table
from pdkappa.ratings.options import Reading

if TYPE_CHECKING:
    import numpy.typing as npt

    from pdkappa._typing import FloatArray, Label, Weights
    from pdkappa.coefficients.weights import Scale
    from pdkappa.methods.planning.power import Family, Study

OF_MANY = {"simulation": 50, "goodness_of_fit": 1000}  # raters at most


@dataclass(frozen=True)
class Test:
    """A method, and the limits of the interval that its test and precision are about."""

    method: str  # how power is computed
    level: float  # confidence level of both limits, also where only one of them matters
    one_sided: bool  # whether only one of them does

    @classmethod
    def of(cls, method: str, alternative: str, level: float) -> Test:
        """Check the options; the lower limit of 90 % is held in 95 %."""
        level, one_sided = float(level), alternative == "one-sided"
        both = 2 * level - 1 if one_sided else level
        if both <= 0:
            raise OptionError(
                f"confidence_level={level:g} leaves a one-sided limit on the wrong side of the "
                "estimate. Pass more than 0.5."
            )
        return cls(method, both, one_sided)

    @property
    def quantile(self) -> float:
        """How many standard errors from the null a large-sample test rejects it."""
        return -float(ndtri((1 - self.level) / 2))


def check_null(null: float | None) -> float:
    """Make sure that there is something to be told from."""
    if null is None:
        raise OptionError("Pass null=, the value to test against.")
    return null


def rounded_up(exact: float) -> int:
    """Return a number of items; refuse one beyond all numbers."""
    if not math.isfinite(exact):
        raise OptionError(
            "The number of items is too large to compute. Pass a larger half_width or margin, or "
            "values that are farther apart."
        )
    return max(math.ceil(exact), FEWEST)


def check_raters(n_raters: int, method: str) -> int:
    """Refuse more raters than a method is about, and a method that is not known."""
    n_raters = check_whole("n_raters", n_raters, max(OF_MANY.values()))
    if n_raters > 2 and method not in OF_MANY:  # noqa: PLR2004
        raise OptionError(
            f"method={shown(method)} is for two raters, got n_raters={n_raters}. "
            "Choose method='simulation' or 'goodness_of_fit', for two categories."
        )
    if n_raters > OF_MANY.get(method, n_raters):
        raise OptionError(
            f"method={shown(method)} takes up to {OF_MANY[method]} raters, got "
            f"n_raters={n_raters}. Choose method='goodness_of_fit'."
        )
    return n_raters


def check_whole(option: str, value: object, most: int | None = None) -> int:
    """Refuse what is no whole number from 2 upwards, or more than `most`."""
    check_size(option, value)
    number = int(value) if is_whole(value) else 0
    if number < FEWEST or (most is not None and number > most):
        end = "upwards" if most is None else f"to {most}"
        raise OptionError(f"{option}={shown(value)} must be a whole number from {FEWEST} {end}.")
    return number


MOST_CATEGORIES = 256
FEWEST_OTHERS = 1e-6  # share of all categories but the most frequent; programmes solve to 1e-7


@dataclass(frozen=True)
class Design:
    """Tables of two raters, read: their shares, and the scale of their K categories."""

    shares: FloatArray  # (K, K)
    scale: Scale
    labels: pd.Index
    raters: list[Label]


@dataclass(frozen=True)
class Plan:
    """A kappa to expect, the family of tables that it is expected of, and a test."""

    kappa: float
    family: Family
    design: Design
    test: Test

    def items_for_power(self, null: float, power: float) -> float:
        """Count the items that tell kappa from the null, not rounded."""
        found = items_for_power(self._effect(null), self.test.quantile, power)
        if self._is_simulated(found):
            return self._simulation.items_for_power(self.kappa, null, power, found)
        return found

    def power(self, n_items: int, null: float) -> float:
        """Compute the probability that so many items tell kappa from the null."""
        if self._is_simulated(n_items):
            return self._simulation.power(n_items, self.kappa, null)
        return power_of_items(self._effect(null), self.test.quantile, n_items)

    def items_for_precision(self, half: float) -> float:
        """Count the items whose limits are this close to kappa, not rounded."""
        quantile = self.test.quantile
        if isinstance(self.family, CommonKappa):
            limits = [self.kappa - half, self.kappa + half][: 1 if self.test.one_sided else 2]
            apart = [self.family.distance(self.kappa, one) for one in limits]
            found = max(items_to_see(one, quantile) for one in apart)
        else:
            spread = spread_of(self.family.at(self.kappa), self.design.scale)
            found = items_to_see(half, quantile * spread)
        if self._is_simulated(found):
            return self._simulation.items_for_precision(half, found)
        return found

    def _is_simulated(self, n_items: float) -> bool:
        return self.test.method == "simulation" and n_items <= MOST_ITEMS

    @property
    def _simulation(self) -> Simulation:
        study: Study = (
            VoteStudy(self.family.votes(self.kappa))
            if isinstance(self.family, CommonKappa)
            else PairStudy(self.family.at(self.kappa), self.design.scale)
        )
        return Simulation(study, self.test.level, self.test.one_sided)

    def _effect(self, null: float) -> Effect:
        """Say how far the test has to see."""
        if isinstance(self.family, CommonKappa):
            return Effect(self.family.distance(self.kappa, null), 1.0, 1.0)
        on_fisher = self.test.method in {"simulation", "fisher"}
        return effect_of(self.family, self.design.scale, self.kappa, null, fisher=on_fisher)

    def frame(self, kappa: float) -> pd.DataFrame:
        """Label the table of the family with this kappa."""
        rows, columns = (self.design.labels.rename(name) for name in self.design.raters)
        return pd.DataFrame(self.family.at(kappa), index=rows, columns=columns)


def assume(asked: OfDesign, kappa: float | None, null: float | None) -> Plan:
    """Check what a study assumes, and find the family of its tables."""
    test = Test.of(asked.method, asked.alternative, asked.confidence_level)
    margins, table, reading = asked.margins, asked.table, asked.reading
    n_raters = check_raters(asked.n_raters, test.method)
    if (margins is None) == (table is None) or (kappa is None) == (table is None):
        raise OptionError(
            "Pass either kappa= and margins=, the shares of the categories, or table=, which "
            "has a kappa and margins of its own."
        )
    design = read_design(margins, table, reading)
    kappa = kappa_of_shares(design.shares, design.scale) if kappa is None else kappa
    for name, value in (("kappa", kappa), ("null", null)):
        if value is not None and not (is_number(value) and -1 < value < 1):
            of_table = " of the table" if name == "kappa" and table is not None else ""
            raise OptionError(f"{name}={shown(value)}{of_table} must lie between -1 and 1.")
    if null is not None and abs(kappa - null) < SAME:
        raise OptionError(
            f"kappa and null are both {null:g}, which no number of items can tell apart."
        )
    family = _family(design, reading.weights, test.method, n_raters, is_table=table is not None)
    check_reach(family.reach, kappa, null)
    return Plan(float(kappa), family, design, test)


def _family(
    design: Design, weights: Weights | None, method: str, n_raters: int, *, is_table: bool
) -> Family:
    """Choose the family of tables that the study assumes."""
    row, col = design.shares.sum(axis=1), design.shares.sum(axis=0)
    if method == "goodness_of_fit" or n_raters > 2:  # noqa: PLR2004
        if is_table or len(row) != 2 or np.abs(row - col).max() > SAME:  # noqa: PLR2004
            raise OptionError(
                "More than two raters, and method='goodness_of_fit', assume two categories, whose "
                "shares are the same for all raters. Pass kappa= and margins=[p, 1 - p]."
            )
        return CommonKappa(float(row[1]), n_raters)
    if method == "worst_case":
        return WorstCase(row, col, design.scale)
    ordered = needs_an_order(weights) is not None
    if ordered and not is_table:
        return Binormal(row, col, design.scale)
    return Mixture.around(design.shares, design.scale, ordered=ordered)


def read_design(
    margins: npt.ArrayLike | None, table: npt.ArrayLike | pd.DataFrame | None, reading: Reading
) -> Design:
    """Read margins, as the table of chance, or a table, in the order of the categories."""
    if margins is not None:
        by_chance = np.outer(*_margins(margins))
        labels = margins.index if isinstance(margins, pd.Series) else None
        blank = np.ones(by_chance.shape)
        named = blank if labels is None else pd.DataFrame(blank, index=labels, columns=labels)
        held = read_table(named, categories=reading.categories)
        counts = by_chance.reshape(-1)
    else:
        held = read_table(table, categories=reading.categories)  # type: ignore[arg-type]  # not None
        counts = held.counts
    # Every cell counts once here, so that a category without a share stays on the scale.
    every_cell = Counted(held.frame, np.ones(len(counts)), held.declared)
    study = read(every_cell, None, Reading(weights=reading.weights))
    k = study.rows.n_categories
    if k > MOST_CATEGORIES:
        raise TooLargeError(
            f"There are {k} categories; the limit is {MOST_CATEGORIES}. Merge some of them."
        )
    shares = np.zeros((k, k))
    shares[tuple(study.rows.codes)] = counts
    shares = _shares_of(shares)
    _check_variety(shares, study.scale, "table" if margins is None else "margins")
    return Design(shares, study.scale, study.coded.categories.index(), list(held.frame.columns))


def _margins(margins: npt.ArrayLike) -> tuple[FloatArray, FloatArray]:
    """Return the shares of the categories of both raters, each of shape (K,)."""
    values = numbers_of(margins, "margins", OptionError)
    if values.ndim not in {1, 2} or (values.ndim == 2 and len(values) != 2):  # noqa: PLR2004
        raise OptionError(
            f"margins must hold the shares of the categories, of both raters or of each, got "
            f"shape {values.shape}. Pass [...], or [[...], [...]]."
        )
    wrong = values[~np.isfinite(values) | (values < 0)]
    if len(wrong):
        raise OptionError(
            f"margins must be finite and not negative, got {listing(wrong.tolist())}."
        )
    row, col = (values, values) if values.ndim == 1 else values
    return _shares_of(row), _shares_of(col)


def _shares_of(values: FloatArray) -> FloatArray:
    """Divide numbers by their sum, which may be beyond the range of a float; NaN for 0/0."""
    with np.errstate(divide="ignore", invalid="ignore"):  # no share at all
        parts = values / values.max(initial=0)
        result: FloatArray = parts / parts.sum()
    return result


def _check_variety(shares: FloatArray, scale: Scale, option: str) -> None:
    """Refuse raters who use a single category, or whose categories all count the same."""
    row, col = shares.sum(axis=1), shares.sum(axis=0)
    by_chance = row @ scale.matrix() @ col
    if not by_chance > 0 or min((row > 0).sum(), (col > 0).sum()) == 1:
        raise OptionError(
            f"{option} makes kappa undefined: each rater needs two categories or more, "
            "and some disagreement must count. Add shares of other categories."
        )
    most = max(row.max(), col.max())
    if 1 - most < FEWEST_OTHERS:
        raise OptionError(
            f"{option} puts all but a share below {FEWEST_OTHERS:g} of a rater's ratings into one "
            "category, and kappa is lost in rounding. Assume a larger share of the others."
        )


def check_reach(reach: tuple[float, float], *kappas: float | None) -> None:
    """Refuse kappas that no table of the family has."""
    low, high = reach
    for kappa in kappas:
        if kappa is not None and not low <= kappa <= high:
            raise OptionError(
                f"A kappa of {kappa:g} is outside the range of the assumed tables, which is from "
                f"{low:.4g} to {high:.4g}. Assume more similar margins, or another kappa."
            )


@dataclass(frozen=True, eq=False, repr=False)
class SampleSize:
    """The number of items that a study needs, and the assumptions behind it.

    Attributes
    ----------
    n_items : int
        Number of items, rounded up; at least 2. ``int(result)`` is the same.
    exact : float
        The number before rounding.
    method : str
        How it was found.
    table : DataFrame, shape (K, K), or None
        The assumed table of two raters, which adds up to 1; None for an ICC and for two kappas.
    null_table : DataFrame, shape (K, K), or None
        The table under the null hypothesis; None without one.
    settings : dict
        The other options, ``kappa`` among them, also where it is that of a table.

    See Also
    --------
    pdkappa.sample_size : Compute it for a kappa.
    pdkappa.plan.sample_size_icc : Compute it for an intraclass correlation.
    pdkappa.plan.sample_size_compare : Compute it for two kappas of the same items.
    """

    n_items: int
    exact: float
    method: str
    table: pd.DataFrame | None
    null_table: pd.DataFrame | None
    settings: dict[str, Any]

    def __int__(self) -> int:
        """Return the number of items."""
        return self.n_items

    def __repr__(self) -> str:
        """Say in one line how many items serve which purpose."""
        given = self.settings
        how = f"level {given['confidence_level']:g}, {self.method}"
        if "alternative" in given:
            how = f"{given['alternative']}, {how}"
        return f"{self.n_items} items to {self._goal} ({how})"

    @property
    def _goal(self) -> str:
        """Say what the items are for."""
        given = self.settings
        power = "" if given["power"] is None else f"with power {given['power']:g}"
        if "claim" in given:
            claim = given["claim"].replace("_", "-")
            what = f"show {claim} of kappas {given['first']:g} and {given['second']:g}"
            within = f" by margin {given['margin']:g}" if given["margin"] else ""
            return f"{what}{within} {power}"
        what = given.get("form", "kappa")
        value = given["icc" if "form" in given else "kappa"]
        if given["null"] is None:
            return f"estimate {what} {value:.4g} to within {given['half_width']:g}"
        return f"tell {what} {value:.4g} from {given['null']:g} {power}"

    def _repr_html_(self) -> str | None:
        """Show in a notebook the same, and the table that was assumed, shaded by its shares."""
        if self.table is None:
            return None
        names = ["rater_a", "rater_b"]
        table = result(self.table.rename_axis(index=names[0], columns=names[1]), names)
        return as_html(cells_of(table), table.shape, above=[f"{self!r}. Assumed shares:"])


Method: TypeAlias = Literal["simulation", "fisher", "wald", "worst_case", "goodness_of_fit"]
Alternative: TypeAlias = Literal["two-sided", "one-sided"]


class OfTest(Asked):
    """How sure a study is to be."""

    alternative: Alternative = option(
        "Whether the figure may differ from `null` either way, or only on the side where it is "
        "expected; and whether `half_width` is about both limits, or about the lower one alone, "
        "which is that of an interval of level ``2 * confidence_level - 1``.",
        choices=Alternative,
        default="two-sided",
    )
    confidence_level: float = anew(
        has.Level,
        "confidence_level",
        default=0.95,
        also="Above 0.5 if one-sided; the size of the test is 1 less it.",
    )


class OfGoal(Asked):
    """What a study is for."""

    null: float | None = anew(
        has.Limits, "null", default=None, check=None, also="Pass this or `half_width`."
    )
    half_width: float | None = option(
        "Half the width of the confidence interval, on average.",
        "float",
        default=None,
        check=check_share,
    )
    power: float | None = option(
        "Probability that the study shows what is claimed, in (0, 1).",
        "float",
        default=None,
        check=check_share,
        also="Default: 0.8 if there is a `null`.",
    )

    def aims(self) -> tuple[float | None, float | None]:
        """Return the power that is wanted, or the half width; refuse both or none."""
        if (self.null is None) == (self.half_width is None):
            raise OptionError(
                "Pass either null=, the value to test against, or half_width=, the precision of "
                "the estimate."
            )
        if self.half_width is None:
            return float(self.power or 0.8), None
        self.refuse(
            "power", because="half_width= is about limits, not a test", instead="Pass null="
        )
        return None, float(self.half_width)


class OfDesign(has.Weights, has.Categories, OfTest):
    """What is assumed of the raters of a kappa."""

    margins: npt.ArrayLike | None = option(
        "Shares of the categories, of both raters or of each; only their ratios matter. The index "
        "of a Series names the categories, which are 0 to K - 1 otherwise.",
        "array-like, shape (K,) or (2, K)",
        default=None,
    )
    table: npt.ArrayLike | pd.DataFrame | None = anew(
        has.Table,
        "table",
        default=None,
        also="Instead of `kappa` and `margins`: an assumed table, or that of a pilot study. Only "
        "ratios matter.",
    )
    n_raters: int = option(
        "Number of raters who rate each item.",
        "int",
        default=2,
        also="More than two for two categories only, whose shares are the same for all of them.",
    )
    method: Method = anew(
        has.Method,
        "method",
        also='"simulation": draw studies, and count those in which `pairs` rejects `null`; for '
        "more than two raters, those of Fleiss' kappa in `agreement`. "
        '"fisher": the formula '
        'of large samples, on Fisher\'s z scale. "wald": on the scale of kappa, as in Cantor '
        '[1]_. "worst_case": the same for those tables, among all with these margins and '
        'kappas, that take most items (Flack et al. [2]_). "goodness_of_fit": test of the '
        "numbers of raters who choose one of two categories (Donner & Eliasziw [3]_), in large "
        "samples.",
        choices=Method,
        default="simulation",
    )


class OfSampleSize(OfDesign, OfGoal):
    """Options of `sample_size`."""

    kappa: float | None = option(
        "The kappa to expect, in (-1, 1). Left out with `table`, which has its own.",
        "float",
        default=None,
        kw_only=False,
    )


@asks(OfSampleSize)
def sample_size(asked: OfSampleSize) -> SampleSize:
    r"""Find the number of items that a study of agreement needs.

    How many items are needed to tell a kappa from another one (`null`), or to estimate it
    precisely enough (`half_width`)? The answer depends on an assumed table of the raters.

    Returns
    -------
    SampleSize
        ``.n_items`` or ``int(result)`` is the number, ``.table`` and ``.null_table`` are the
        tables it was computed for.

    Raises
    ------
    OptionError
        If no assumed table has such a kappa, all but a share below 1e-6 of a rater's ratings are in
        one category, or the number of items is too large to compute.
    TooLargeError
        If there are more than 256 categories.

    See Also
    --------
    power : The power of a given number of items.

    Notes
    -----
    By default, thousands of studies of each number of items are drawn from the assumed table,
    fewer if it has hundreds of cells. Power is the share of them in which `null` is outside
    the limits that `pairs` gives by default, or for 0 its test rejects it, which knows how raters
    agree by chance: 40 items with kappa .3 and shares of .9 and .1 have a power of .47 against 0,
    and of .15 against .001. And `half_width` is the
    mean of the distance of the limits from their middle (one-sided: of the lower limit from the
    estimate). A study without
    limits, such as one with a constant rater, rejects nothing, and has no width. A straight
    line through probits of the power says about which number of items to try. Power does not
    rise with every item: disagreements come in whole numbers, so that with few of them it goes
    up and down by a few hundredths, and the answer is a number near the line that has the
    power. Draws are seeded, so that the same question has the same answer, within .005 of the
    power or so. Beyond a billion items the formula of large samples serves.

    All other methods are formulas of large samples. The tests and intervals that they plan
    are not quite those of `pairs`, so that its power is often less than they promise: with
    kappa .9 against .8 and two even categories, .62 instead of .80. With tau the standard deviation
    of the influence values of kappa, which is that of Fleiss, Cohen and Everitt (see
    `pairs`), at the table assumed for each kappa,

    .. math:: n = \left(\frac{z_{1-\alpha/2}\,\tau_0 + z_{power}\,\tau_1}
              {\kappa_1 - \kappa_0}\right)^2, \qquad
              n = \left(\frac{z_{1-\alpha/2}\,\tau_1}{half\_width}\right)^2.

    On Fisher's z scale each tau is divided by :math:`1 - \kappa^2`, and the kappas are
    replaced by their atanh; for `half_width`, ``fisher`` and ``wald`` are the same.
    Goodness of fit has 1 for each tau, and for the difference of the kappas the root of

    .. math:: \sum_{l=0}^{R} \frac{[P_l(\kappa_1) - P_l(\kappa_0)]^2}{P_l(\kappa_0)}, \quad
              P_l(\kappa) = (1 - \kappa)\,\mathrm{Bin}(l; R, p)
              + \kappa\,[p\,1_{l=R} + (1 - p)\,1_{l=0}],

    where the limits of the interval take the place of the null (Donner & Rotondi [4]_).
    These formulas do not count a rejection on the wrong side as power.

    Tables are assumed as follows. With weights that need an order, two correlated normal
    variables are cut into the categories. Without weights, and with a frame of them, raters
    agree wherever they can on some items, and by chance alone on the others. A `table` is
    mixed with that of chance, or with that of most agreement, until its kappa is `null`. For
    two categories all these are the same: margins and kappa determine the table. More than
    two raters all agree on some items, and choose by chance alone on the others.

    References
    ----------
    .. [1] Cantor, 1996
    .. [2] Flack et al., 1988
    .. [3] Donner & Eliasziw, 1992
    .. [4] Donner & Rotondi, 2010

    Examples
    --------
    >>> shares = [0.1, 0.2, 0.4, 0.2, 0.1]
    >>> found = pdkappa.sample_size(0.65, null=0.5, margins=shares, weights="quadratic")
    >>> found
    174 items to tell kappa 0.65 from 0.5 with power 0.8 (two-sided, level 0.95, simulation)
    >>> found.n_items
    174

    To estimate it to within 0.08 takes more:

    >>> pdkappa.sample_size(0.65, half_width=0.08, margins=shares, weights="quadratic")
    226 items to estimate kappa 0.65 to within 0.08 (two-sided, level 0.95, simulation)

    More raters take fewer items, though not in proportion:

    >>> for n_raters in (2, 3, 6):
    ...     found = pdkappa.sample_size(0.6, null=0.4, margins=[0.7, 0.3], n_raters=n_raters)
    ...     print(n_raters, int(found))
    2 195
    3 127
    6 97
    """
    power, half_width = asked.aims()
    null, plan = asked.null, assume(asked, asked.kappa, asked.null)
    if half_width is not None:
        exact = plan.items_for_precision(half_width)
    else:
        exact = plan.items_for_power(null, power)  # type: ignore[arg-type]  # are given
    names = ("kappa", "null", "half_width", "n_raters", "alternative", "confidence_level", "power")
    settings = {name: getattr(asked, name) for name in names}
    settings |= {"kappa": plan.kappa, "half_width": half_width, "power": power}
    return SampleSize(
        n_items=rounded_up(exact),
        exact=exact,
        method=asked.method,
        table=plan.frame(plan.kappa),
        null_table=None if null is None else plan.frame(null),
        settings=settings,
    )


class OfPower(OfDesign):
    """Options of `power`."""

    n_items: int = option(
        "Number of items, from 2 upwards.", "int", kw_only=False, check=check_whole
    )
    kappa: float | None = anew(OfSampleSize, "kappa", default=None, kw_only=False)
    null: float | None = anew(OfGoal, "null", default=None, kw_only=False)


@asks(OfPower)
def power(asked: OfPower) -> float:
    """Compute the power to tell one kappa from another with a number of items.

    It is the inverse of `sample_size`.

    Returns
    -------
    float
        Probability that the test rejects `null`, in [0, 1].

    Raises
    ------
    OptionError
        If no assumed table has such a kappa.

    See Also
    --------
    sample_size : The number of items for a given power.

    References
    ----------
    .. [1] Cantor, 1996
    .. [2] Flack et al., 1988
    .. [3] Donner & Eliasziw, 1992

    Examples
    --------
    >>> shares = [0.1, 0.2, 0.4, 0.2, 0.1]
    >>> for n_items in (50, 100, 200):
    ...     found = pdkappa.power(n_items, 0.65, 0.5, margins=shares, weights="quadratic")
    ...     print(n_items, round(found, 3))
    50 0.194
    100 0.514
    200 0.864
    """
    null = check_null(asked.null)
    return assume(asked, asked.kappa, null).power(int(asked.n_items), null)
