"""What the user assumes of a study -> its tables: one for each kappa, with the scale."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import pandas as pd

from pdkappa.errors import OptionError, TooLargeError, listing, shown
from pdkappa.methods.estimates.options import is_number
from pdkappa.methods.estimates.study import read
from pdkappa.methods.estimates.weightings import needs_an_order
from pdkappa.methods.planning.core.power import (
    Binormal,
    CommonKappa,
    Effect,
    Mixture,
    WorstCase,
    effect_of,
    items_for_power,
    items_to_see,
    kappa_of_shares,
    power_of_items,
    spread_of,
)
from pdkappa.methods.planning.core.simulation import (
    MOST_ITEMS,
    PairStudy,
    Simulation,
    VoteStudy,
)
from pdkappa.methods.planning.goal import Test, check_raters
from pdkappa.ratings.coded import Counted
from pdkappa.ratings.columns import numbers_of
from pdkappa.ratings.counted_pairs import read_table
from pdkappa.ratings.options import Reading

if TYPE_CHECKING:
    import numpy.typing as npt

    from pdkappa._typing import FloatArray, Label, Weights
    from pdkappa.coefficients.weights import Scale
    from pdkappa.methods.planning.core.power import Family
    from pdkappa.methods.planning.core.simulation import Study

MOST_CATEGORIES = 256
SAME = 1e-9  # numbers that a user types, and sums of them
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


def assume(
    kappa: float | None,
    null: float | None,
    *,
    margins: npt.ArrayLike | None,
    table: npt.ArrayLike | pd.DataFrame | None,
    reading: Reading,
    n_raters: int,
    test: Test,
) -> Plan:
    """Check what a study assumes, and find the family of its tables."""
    n_raters = check_raters(n_raters, test.method)
    if (margins is None) == (table is None) or (kappa is None) == (table is None):
        message = (
            "Pass either kappa= and margins=, the shares of the categories, or table=, which "
            "has a kappa and margins of its own."
        )
        raise OptionError(message)
    design = read_design(margins, table, reading)
    kappa = kappa_of_shares(design.shares, design.scale) if kappa is None else kappa
    for name, value in (("kappa", kappa), ("null", null)):
        if value is not None and not (is_number(value) and -1 < value < 1):
            of_table = " of the table" if name == "kappa" and table is not None else ""
            message = f"{name}={shown(value)}{of_table} must lie between -1 and 1."
            raise OptionError(message)
    if null is not None and abs(kappa - null) < SAME:
        message = f"kappa and null are both {null:g}, which no number of items can tell apart."
        raise OptionError(message)
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
            message = (
                "More than two raters, and method='goodness_of_fit', assume two categories, whose "
                "shares are the same for all raters. Pass kappa= and margins=[p, 1 - p]."
            )
            raise OptionError(message)
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
        message = f"There are {k} categories; the limit is {MOST_CATEGORIES}. Merge some of them."
        raise TooLargeError(message)
    shares = np.zeros((k, k))
    shares[tuple(study.rows.codes)] = counts
    shares = _shares_of(shares)
    _check_variety(shares, study.scale, "table" if margins is None else "margins")
    return Design(shares, study.scale, study.coded.categories.index(), list(held.frame.columns))


def _margins(margins: npt.ArrayLike) -> tuple[FloatArray, FloatArray]:
    """Return the shares of the categories of both raters, each of shape (K,)."""
    values = numbers_of(margins, "margins", OptionError)
    if values.ndim not in {1, 2} or (values.ndim == 2 and len(values) != 2):  # noqa: PLR2004
        message = (
            f"margins must hold the shares of the categories, of both raters or of each, got "
            f"shape {values.shape}. Pass [...], or [[...], [...]]."
        )
        raise OptionError(message)
    wrong = values[~np.isfinite(values) | (values < 0)]
    if len(wrong):
        message = f"margins must be finite and not negative, got {listing(wrong.tolist())}."
        raise OptionError(message)
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
        message = (
            f"{option} makes kappa undefined: each rater needs two categories or more, "
            "and some disagreement must count. Add shares of other categories."
        )
        raise OptionError(message)
    most = max(row.max(), col.max())
    if 1 - most < FEWEST_OTHERS:
        message = (
            f"{option} puts all but a share below {FEWEST_OTHERS:g} of a rater's ratings into one "
            "category, and kappa is lost in rounding. Assume a larger share of the others."
        )
        raise OptionError(message)


def check_reach(reach: tuple[float, float], *kappas: float | None) -> None:
    """Refuse kappas that no table of the family has."""
    low, high = reach
    for kappa in kappas:
        if kappa is not None and not low <= kappa <= high:
            message = (
                f"A kappa of {kappa:g} is outside the range of the assumed tables, which is from "
                f"{low:.4g} to {high:.4g}. Assume more similar margins, or another kappa."
            )
            raise OptionError(message)
