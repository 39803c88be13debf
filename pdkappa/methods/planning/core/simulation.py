"""Drawn studies -> how often the limits to be reported leave a kappa out, and how wide they are.

Nothing is supposed of a large sample: studies are drawn from what is assumed, and their limits are
those of `pairs`, or of `agreement`. Draws are seeded by the number of items, so that the same
question has the same answer.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple, Protocol

import numpy as np

from pdkappa.coefficients.all_raters import MULTIRATER
from pdkappa.coefficients.all_raters_estimates import summarise_many
from pdkappa.coefficients.chance import COEFFICIENTS
from pdkappa.coefficients.pair_counts import PairCounts
from pdkappa.coefficients.pair_estimates import INFERENCE, summarise
from pdkappa.coefficients.rating_rows import RatingRows
from pdkappa.coefficients.score_limits import ndtri
from pdkappa.coefficients.weights import WEIGHTS, Scale

if TYPE_CHECKING:
    from collections.abc import Callable

    from pdkappa._typing import FloatArray, IntArray
    from pdkappa.coefficients.all_raters import MultiraterModel

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
    """Estimate and limits of every study, each of shape (S,); NaN where there are none."""

    estimate: FloatArray
    low: FloatArray
    high: FloatArray


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
        return Limits(found.estimate, found.ci_low, found.ci_high)


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
        found = summarise_many(rows, scale, models, by_items=True, ci=CI, level=level)["fleiss"]
        return Limits(found.estimate, found.ci_low, found.ci_high)


def drawn_items(shares: FloatArray, n_items: int, n_studies: int) -> IntArray:
    """Draw the items of studies, shape (S, cells); the number of items is the seed."""
    rng = np.random.default_rng([SEED, n_items])
    return rng.multinomial(n_items, shares / shares.sum(), size=n_studies)


@dataclass(frozen=True)
class Simulation:
    """A study, and the level of its limits.

    Attributes
    ----------
    study : Study
        What is drawn.
    level : float
        That of both limits, also where only one of them matters.
    one_sided : bool
        Whether only the limit on the side of the null matters, or the lower one.
    """

    study: Study
    level: float
    one_sided: bool

    def power(self, n_items: int, kappa: float, null: float, part: int = 1) -> float:
        """Share of studies whose limits leave the null out."""
        found = self._limits(n_items, part)
        above, below = found.low > null, found.high < null  # neither where they are NaN
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
