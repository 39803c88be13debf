"""A planned study -> its power, by formulas and by drawn studies.

Nothing is supposed of a large sample: studies are drawn from what is assumed, and their limits are
those of `pairs`, or of `agreement`. Draws are seeded by the number of items, so that the same
question has the same answer.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property, reduce
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol

import numpy as np
import scipy

from pdkappa.coefficients.all_raters import MULTIRATER
from pdkappa.coefficients.all_raters_estimates import compute_many
from pdkappa.coefficients.chance import COEFFICIENTS
from pdkappa.coefficients.influence import of_pair
from pdkappa.coefficients.pair_counts import PairCounts
from pdkappa.coefficients.pair_estimates import INFERENCE, summarise
from pdkappa.coefficients.rating_rows import RatingRows
from pdkappa.coefficients.score_limits import ndtr, ndtri, owens_t
from pdkappa.coefficients.weights import WEIGHTS, Scale

if TYPE_CHECKING:
    from collections.abc import Callable

    from pdkappa._typing import FloatArray, IntArray
    from pdkappa.coefficients.all_raters import MultiraterModel

COHEN = COEFFICIENTS["cohen"]
STRONGEST = 1 - 1e-9  # correlation, short of a table without any noise
FARTHEST_QUANTILE = 38.0  # normal quantile of the smallest share that a float can hold
SAME = 1e-9  # numbers that a user types, and sums of them
SAME_KAPPA = 12  # digits in which two tables have the same kappa


class Family(Protocol):
    """Tables of two raters with given margins, one for each kappa within reach."""

    @property
    def reach(self) -> tuple[float, float]:
        """Smallest and largest kappa of the family."""
        ...

    def at(self, kappa: float) -> FloatArray:
        """Return the table with a kappa within reach, shape (K, K); it adds up to 1."""
        ...


def influence_in(table: FloatArray, scale: Scale) -> tuple[float, FloatArray]:
    """Cohen's kappa of a table of shares, and its influence values in all cells, (K, K).

    A cell without any item has an influence all the same: it depends on the margins only.
    """
    k = len(table)
    rows = RatingRows(
        codes=np.indices((k, k)).reshape(2, -1),
        count=table.reshape(-1),
        group=np.zeros(k * k, dtype=np.int64),
        n_groups=1,
        n_categories=k,
    )
    found = of_pair(rows, scale, COHEN, (0, 1))
    return float(found.estimate[0]), found.influence.reshape(k, k)


def kappa_of_shares(table: FloatArray, scale: Scale) -> float:
    """Cohen's kappa of a table of shares; NaN where it is 0/0."""
    return influence_in(table, scale)[0]


def spread_of(table: FloatArray, scale: Scale) -> float:
    """Compute the standard error of kappa, times the root of the number of items."""
    _, influence = influence_in(table, scale)
    return math.sqrt((table * influence**2).sum())


# --- families of tables ------------------------------------------------------------------------


@dataclass(frozen=True)
class Binormal:
    """Two correlated normal variables, cut into the categories of two raters."""

    # Shares of the categories of each rater, (K,).
    row: FloatArray
    col: FloatArray
    scale: Scale  # disagreement of the categories

    @cached_property
    def reach(self) -> tuple[float, float]:
        """Kappa of the strongest correlations, negative and positive."""
        ends = sorted(self.kappa_of(rho) for rho in (-STRONGEST, STRONGEST))
        return ends[0], ends[1]

    def at(self, kappa: float) -> FloatArray:
        """Return the table of the correlation that gives this kappa."""
        return binormal_table(self.row, self.col, self.correlation(kappa))

    def correlation(self, kappa: float) -> float:
        """Find the correlation that gives this kappa."""

        def miss(rho: float) -> float:
            return self.kappa_of(rho) - kappa

        return float(scipy.optimize.brentq(miss, -STRONGEST, STRONGEST, xtol=1e-15, rtol=1e-14))

    def kappa_of(self, rho: float) -> float:
        """Return the kappa of a correlation."""
        return kappa_of_shares(binormal_table(self.row, self.col, rho), self.scale)


def binormal_table(row: FloatArray, col: FloatArray, rho: float) -> FloatArray:
    """Probabilities of the cells of two normal variables cut into categories, shape (K, K).

    Each variable is cut at the normal quantiles of the cumulative shares of one rater; a
    cell is the probability of a rectangle.
    """
    to_row, to_col = np.cumsum(row), np.cumsum(col)
    below = np.zeros((len(row) + 1, len(col) + 1))
    below[1:-1, 1:-1] = both_below(cuts_of(to_row)[:, None], cuts_of(to_col), rho)
    below[1:, -1], below[-1, 1:] = to_row, to_col
    cells = np.maximum(np.diff(np.diff(below, axis=0), axis=1), 0.0)
    return cells / cells.sum()


def cuts_of(cumulative: FloatArray) -> FloatArray:
    """Find the normal quantiles between the categories, shape (K - 1,)."""
    return np.clip(ndtri(np.minimum(cumulative[:-1], 1.0)), -FARTHEST_QUANTILE, FARTHEST_QUANTILE)


def both_below(h: FloatArray, k: FloatArray, rho: float) -> FloatArray:
    """Probability that two normal variables lie below `h` and below `k` (Owen, 1956)."""
    noise = math.sqrt((1 - rho) * (1 + rho))
    with np.errstate(divide="ignore", invalid="ignore"):  # a cut at zero
        of_h, of_k = (k - rho * h) / (h * noise), (h - rho * k) / (k * noise)
    centre = (h == 0) & (k == 0)
    # The limit along h = k.
    of_h, of_k = (np.where(centre, (1 - rho) / noise, slope) for slope in (of_h, of_k))
    apart = (h * k < 0) | ((h * k == 0) & (h + k < 0))
    return (ndtr(h) + ndtr(k) - apart) / 2 - owens_t(h, of_h) - owens_t(k, of_k)


@dataclass(frozen=True)
class Mixture:
    """Mixtures of tables with the same margins, in each of which kappa is linear."""

    kappas: list[float]  # kappas of the tables, ascending
    tables: list[FloatArray]  # (K, K): the tables that are mixed with their neighbours

    @classmethod
    def around(cls, table: FloatArray, scale: Scale, *, ordered: bool) -> Mixture:
        """Mix a table with that of chance, and with one of the most agreement.

        The latter pairs the ratings of both raters in ascending order, or without an order
        puts on the diagonal all that the margins share.
        """
        row, col = table.sum(axis=1), table.sum(axis=0)
        most = _in_order(row, col) if ordered else _on_diagonal(row, col)
        known = {}
        for one in (np.outer(row, col), most, table):  # the table itself replaces its equals
            kappa = kappa_of_shares(one, scale)
            known[round(kappa, SAME_KAPPA)] = (kappa, one)
        kappas, tables = zip(*(known[key] for key in sorted(known)), strict=True)
        return cls(list(kappas), list(tables))

    @property
    def reach(self) -> tuple[float, float]:
        """From where a cell becomes empty to the table of most agreement."""
        if len(self.kappas) == 1:
            return self.kappas[0], self.kappas[0]
        first, second = self.tables[:2]
        fewer = second > first
        room = (first[fewer] / (second - first)[fewer]).min()
        return self.kappas[0] - float(room) * (self.kappas[1] - self.kappas[0]), self.kappas[-1]

    def at(self, kappa: float) -> FloatArray:
        """Mix the two tables whose kappas are next to this one."""
        if len(self.kappas) == 1:
            return self.tables[0]
        right = min(max(int(np.searchsorted(self.kappas, kappa)), 1), len(self.kappas) - 1)
        low, high = self.kappas[right - 1], self.kappas[right]
        share = (kappa - low) / (high - low)
        mixed = (1 - share) * self.tables[right - 1] + share * self.tables[right]
        return np.maximum(mixed, 0.0)


def _in_order(row: FloatArray, col: FloatArray) -> FloatArray:
    """Pair the ratings of two raters in ascending order, shape (K, K)."""
    both = np.minimum.outer(np.cumsum(row), np.cumsum(col))
    result: FloatArray = np.diff(np.diff(both, axis=0, prepend=0), axis=1, prepend=0)
    return np.maximum(result, 0.0)


def _on_diagonal(row: FloatArray, col: FloatArray) -> FloatArray:
    """Let two raters agree wherever they can, and at random elsewhere, shape (K, K)."""
    shared = np.minimum(row, col)
    rest = 1 - shared.sum()
    table: FloatArray = np.diag(shared)
    return table + np.outer(row - shared, col - shared) / rest if rest > 0 else table


@dataclass(frozen=True)
class WorstCase:
    """The tables in which kappa has the largest spread, whatever the raters confuse.

    Notes
    -----
    Given margins and kappa, the influence values are fixed, so that the mean of their
    squares is linear in the shares of the cells: a linear programme finds its maximum
    (Flack, Afifi, Lachenbruch & Schouten, 1988, for unweighted kappa and equal margins).
    """

    # Shares of the categories of each rater, (K,).
    row: FloatArray
    col: FloatArray
    scale: Scale  # disagreement of the categories

    @cached_property
    def reach(self) -> tuple[float, float]:
        """Kappa of all tables with these margins, smallest and largest."""
        apart = self.scale.matrix()
        ends = sorted(kappa_of_shares(self._least(cost), self.scale) for cost in (apart, -apart))
        return ends[0], ends[1]

    def at(self, kappa: float) -> FloatArray:
        """Solve the linear programme of the largest spread."""
        apart = self.scale.matrix()
        disagreement = (1 - kappa) * float(self.row @ apart @ self.col)
        some = self._least(np.zeros(apart.shape), disagreement)
        _, influence = influence_in(some, self.scale)
        return self._least(-(influence**2), disagreement)

    def _least(self, cost: FloatArray, disagreement: float | None = None) -> FloatArray:
        """Find the cheapest table with these margins, and with this disagreement, (K, K)."""
        k = len(self.row)
        sparse = scipy.sparse
        unit, ones = sparse.eye_array(k), np.ones((1, k))
        # Both margins have the same total: the last sum follows from all others.
        sums: Any = sparse.vstack([sparse.kron(unit, ones), sparse.kron(ones, unit)]).tocsr()[:-1]
        totals = np.concatenate([self.row, self.col])[:-1]
        if disagreement is not None:
            spread = sparse.csr_array(self.scale.matrix().reshape(1, -1))
            sums = sparse.vstack([sums, spread]).tocsr()
            totals = np.append(totals, disagreement)
        solution: Any = scipy.optimize.linprog(cost.reshape(-1), A_eq=sums, b_eq=totals)
        table = np.maximum(solution.x, 0.0).reshape(k, k)
        return table / table.sum()


@dataclass(frozen=True)
class CommonKappa:
    """Raters with the same margins of two categories, who all agree or guess.

    Notes
    -----
    The number of raters who choose the category is binomial for a part 1 - kappa of the
    items, and R or none for the others. For two raters these are all tables with equal
    margins, and kappa is the intraclass kappa (Donner & Eliasziw, 1992).
    """

    share: float  # share of one of the two categories, in (0, 1)
    n_raters: int  # R

    @property
    def reach(self) -> tuple[float, float]:
        """From where unanimous raters become impossible to perfect agreement."""
        by_chance = min(self.share, 1 - self.share) ** (self.n_raters - 1)
        return -by_chance / (1 - by_chance), 1.0

    def at(self, kappa: float) -> FloatArray:
        """Return the table of any two of the raters, shape (2, 2)."""
        margin = np.array([1 - self.share, self.share])
        return (1 - kappa) * np.outer(margin, margin) + kappa * np.diag(margin)

    def votes(self, kappa: float) -> FloatArray:
        """Probability that 0 to R raters choose the category, shape (R + 1,)."""
        one = np.array([1 - self.share, self.share])
        result: FloatArray = (1 - kappa) * reduce(np.convolve, [one] * self.n_raters)
        result[[0, -1]] += kappa * one
        return result

    def distance(self, kappa: float, null: float) -> float:
        """Root of the chi-squared distance from the votes under the null, of one item."""
        low, high = self.reach
        if not low < null < high:
            return math.inf
        here, there = self.votes(kappa), self.votes(null)
        possible = there > 0  # but for what is too small for a float
        return math.sqrt(((here - there)[possible] ** 2 / there[possible]).sum())


# --- items and power ---------------------------------------------------------------------------


class Effect(NamedTuple):
    """How far a test has to see, and the spread of what it looks at."""

    distance: float  # distance of the assumed kappa from the null, on the scale of the test
    # Standard error from n items, times the root of n, under the null and as assumed.
    under_null: float
    under_truth: float


def effect_of(family: Family, scale: Scale, kappa: float, null: float, *, fisher: bool) -> Effect:
    """Compare two kappas on their own scale, or on Fisher's z scale."""
    spreads = [spread_of(family.at(one), scale) for one in (null, kappa)]
    if not fisher:
        return Effect(abs(kappa - null), *spreads)
    distance = abs(math.atanh(kappa) - math.atanh(null))
    return Effect(distance, spreads[0] / (1 - null**2), spreads[1] / (1 - kappa**2))


def items_for_power(effect: Effect, quantile: float, power: float) -> float:
    """Find the number of items with which a test has this power, not rounded.

    The test rejects where the estimate lies `quantile` standard errors, as they are under
    the null, from the null.
    """
    needed = quantile * effect.under_null + float(ndtri(power)) * effect.under_truth
    return items_to_see(effect.distance, max(needed, 0.0))


def items_to_see(distance: float, needed: float) -> float:
    """Square `needed` by `distance`; infinite where that is beyond the range of a float."""
    ratio = needed / distance if distance > 0 else math.inf
    return ratio * ratio


def power_of_items(effect: Effect, quantile: float, n_items: float) -> float:
    """Power of a test with this number of items; the inverse of `items_for_power`."""
    lead = effect.distance * math.sqrt(n_items) - quantile * effect.under_null
    if effect.under_truth == 0:
        return float(lead >= 0)
    return float(ndtr(lead / effect.under_truth))


CI = "auto"  # the limits that `pairs` and `agreement` report
SEED = 1960
ROUNDING = 1e-12  # a share that is none
FEWEST = 2  # items or raters
MOST_ITEMS = 10**9  # beyond them, formulas of large samples hold to all digits that are shown
BEYOND = 10 * MOST_ITEMS  # where the search ends
STUDIES = 20_000  # for one power, whose error is then some .003
MOST_CELLS = 4 * 10**6  # of all tables of one number of items
FEWEST_STUDIES = 200
COARSE, FINE = 10, 4  # parts of them that say between which numbers of items to look, and where
STEP = 1.25
MARGIN = 1.1  # how far the line reaches beyond these numbers
POINTS = 12  # numbers of items that the line goes through
ERRORS = 1.5  # standard errors that a power may be off
CLOSE = 0.005  # of the logarithm of the width
FARTHEST = 1.1  # from where the line is zero
BY_CHANCE = 0.3  # by how much all is more than nearly all, in normal quantiles
STEPS = 500  # parts of the items that are added or left out at once


class Limits(NamedTuple):
    """What every study finds, each of shape (S,); NaN where it does not. `p_value` is of chance."""

    estimate: FloatArray
    low: FloatArray
    high: FloatArray
    p_value: FloatArray


class Study(Protocol):
    """A study that can be drawn over and over."""

    @property
    def n_cells(self) -> int:
        """Kinds of items that may occur."""
        ...

    def limits(self, n_items: int, n_studies: int, level: float) -> Limits:
        """Draw so many studies, and compute the limits of each."""
        ...


@dataclass(frozen=True)
class PairStudy:
    """Two raters, whose ratings fall into the cells of `table`, shape (K, K)."""

    table: FloatArray
    scale: Scale

    @property
    def n_cells(self) -> int:
        """Cells that may have items."""
        return len(self._cells)

    @property
    def _cells(self) -> IntArray:
        return np.flatnonzero(self.table > ROUNDING)

    def limits(self, n_items: int, n_studies: int, level: float) -> Limits:
        """Take the limits of `pairs`."""
        cells = self._cells
        drawn = drawn_items(self.table.reshape(-1)[cells], n_items, n_studies)
        study, place = np.nonzero(drawn)
        keys = study * self.table.size + cells[place]
        counts = PairCounts.from_keys(keys, drawn[study, place], n_studies, len(self.table))
        found = summarise(
            counts, self.scale, COEFFICIENTS["cohen"], ci=CI, level=level, needed=INFERENCE
        )
        return Limits(found.estimate, found.ci_low, found.ci_high, found.p_value)


@dataclass(frozen=True)
class VoteStudy:
    """Many raters, 0 to R of whom choose one of two categories with the shares `votes`."""

    votes: FloatArray

    @property
    def n_cells(self) -> int:
        """Ratings of all kinds of items."""
        return len(self.votes) * (len(self.votes) - 1)

    def limits(self, n_items: int, n_studies: int, level: float) -> Limits:
        """Take the limits of Fleiss' kappa in `agreement`."""
        drawn = drawn_items(self.votes, n_items, n_studies)
        study, chosen = np.nonzero(drawn)
        raters = np.arange(len(self.votes) - 1)
        rows = RatingRows(
            codes=(raters[:, None] < chosen).astype(np.int64),
            count=drawn[study, chosen].astype(np.float64),
            group=study,
            n_groups=n_studies,
            n_categories=2,
        )
        scale = Scale(WEIGHTS[None], np.arange(2.0)[None], np.ones((1, 2), dtype=bool))
        models: dict[str, MultiraterModel] = {"fleiss": MULTIRATER["fleiss"]}
        known = compute_many(rows, scale, models, by_items=True, ci=CI)
        found = known.summaries(ci=CI, level=level)["fleiss"]
        return Limits(found.estimate, found.ci_low, found.ci_high, found.p_value)


def drawn_items(shares: FloatArray, n_items: int, n_studies: int) -> IntArray:
    """Draw the items of studies, shape (S, cells); the number of items is the seed."""
    rng = np.random.default_rng([SEED, n_items])
    return rng.multinomial(n_items, shares / shares.sum(), size=n_studies)


@dataclass(frozen=True)
class Simulation:
    """A study, and the level of its limits."""

    study: Study  # what is drawn
    level: float  # that of both limits, also where only one of them matters
    one_sided: bool  # whether only the limit on the side of the null matters, or the lower one

    def power(self, n_items: int, kappa: float, null: float, part: int = 1) -> float:
        """Share of studies whose test rejects the null, as where limits leave it out."""
        found = self._limits(n_items, part)
        above, below = found.low > null, found.high < null  # neither where they are NaN
        if null == 0:  # it has a test of its own
            rejected = found.p_value < 1 - self.level
            above, below = rejected & (found.estimate > 0), rejected & (found.estimate < 0)
        if self.one_sided:
            return float((above if kappa > null else below).mean())
        return float((above | below).mean())

    def half_width(self, n_items: int, part: int = 1) -> float:
        """Mean distance of the limits from their middle; of the lower from the estimate."""
        found = self._limits(n_items, part)
        half = found.estimate - found.low if self.one_sided else (found.high - found.low) / 2
        known = half[~np.isnan(half)]
        return float(known.mean()) if len(known) else np.inf

    def items_for_power(self, kappa: float, null: float, power: float, start: float) -> float:
        """Find the number of items with which so many studies leave the null out."""

        def excess(n_items: int, part: int) -> float:
            return float(ndtri(self.power(n_items, kappa, null, part)) - ndtri(power))

        return zero_of(excess, start, noise_of(power, self._n_studies))

    def items_for_precision(self, half: float, start: float) -> float:
        """Find the number of items with which limits are this close on average."""

        def excess(n_items: int, part: int) -> float:
            with np.errstate(divide="ignore"):  # limits of studies that are all at the estimate
                return -float(np.log(self.half_width(n_items, part) / half))

        return zero_of(excess, start, CLOSE)

    def _limits(self, n_items: int, part: int) -> Limits:
        return self.study.limits(n_items, self._n_studies // part, self.level)

    @property
    def _n_studies(self) -> int:
        return max(min(MOST_CELLS // self.study.n_cells, STUDIES), FEWEST_STUDIES)


def noise_of(power: float, n_studies: int) -> float:
    """Compute how far the probit of a power may be off that so many studies have."""
    quantile = float(ndtri(power))
    density = math.exp(-(quantile**2) / 2) / math.sqrt(2 * math.pi)
    return ERRORS * math.sqrt(power * (1 - power) / n_studies) / density


def zero_of(excess: Callable[[int, int], float], start: float, close: float) -> float:
    """Find the number of items at which a noisy, increasing function is zero, not rounded.

    Zero is what is as `close` to it. The function gets a number of items, and how small a part
    of the studies will do. A line says where to look; around it the function may go up and
    down, since few disagreements are whole numbers.
    """
    low, high = _around(excess, start)
    if high > BEYOND:
        return math.inf
    return _step_by_step(excess, max(_on_a_line(excess, low, high), FEWEST), close)


def _around(excess: Callable[[int, int], float], start: float) -> tuple[int, int]:
    """Find two numbers of items, not far apart, between which the function changes sign."""
    low = high = int(min(max(start, FEWEST), MOST_ITEMS))
    if excess(high, COARSE) >= 0:
        while low > FEWEST and excess(low, COARSE) >= 0:
            low, high = max(int(low / STEP), FEWEST), low
    else:
        while high <= BEYOND and excess(high, COARSE) < 0:
            low, high = high, int(high * STEP) + 1
    return low, high


def _on_a_line(excess: Callable[[int, int], float], low: int, high: int) -> float:
    """Lay a straight line in the logarithm of the items through the function."""
    ends = math.log(max(low / MARGIN, FEWEST)), math.log(high * MARGIN + FEWEST)
    items = np.unique(np.rint(np.exp(np.linspace(*ends, POINTS)))).astype(np.int64)
    found = np.array([excess(int(n_items), FINE) for n_items in items])
    known = found[np.isfinite(found)]  # neither no study nor all
    if len(known) < 2:  # noqa: PLR2004
        return float(high)
    # To leave all or none out would bend the line, since it is chance which they are.
    found = np.clip(found, known.min() - BY_CHANCE, known.max() + BY_CHANCE)
    slope, level = np.polyfit(np.log(items), found, 1)
    return math.exp(-level / slope) if slope > 0 else float(high)


def _step_by_step(excess: Callable[[int, int], float], found: float, close: float) -> float:
    """Go on to more items as long as the function is negative there, or back to fewer."""
    n_items = math.ceil(found)
    step, here = n_items // STEPS + 1, excess(n_items, 1)
    if abs(here) <= close:
        return found
    while here < -close and n_items < FARTHEST * found + FEWEST / close:
        n_items += step
        here = excess(n_items, 1)
    least = max(found / FARTHEST - FEWEST / close, FEWEST)
    while here > close and n_items - step >= least:
        here = excess(n_items - step, 1)
        n_items -= step if here >= 0 else 0
    return float(n_items)
