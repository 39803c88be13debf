"""What is reported about every coefficient, and the part of it that its standard error gives."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, TypeVar

import numpy as np

from pdkappa.coefficients.intervals import INTERVALS_OF_MANY, infer
from pdkappa.coefficients.pairwise import FEWEST_ITEMS
from pdkappa.coefficients.rounding import without_rounding

if TYPE_CHECKING:
    from collections.abc import Sequence

    from pdkappa._typing import BoolArray, FloatArray, IntArray, ObjectArray
    from pdkappa.coefficients.intervals import Inference

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
    share_outside: FloatArray  # of the ratings, outside the most frequent category
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
    """Figures of all raters together; `influence`, of shape (U,), is that of each row."""

    n_joint: FloatArray  # items of a pair, whose kappas are averaged; of others `n_items`
    n_raters: FloatArray
    n_ratings: FloatArray
    influence: FloatArray


def joined(parts: Sequence[AnyFigures]) -> AnyFigures:
    """Put the figures of several blocks of tables one after the other."""
    names = vars(parts[0])
    return replace(
        parts[0],
        **{name: np.concatenate([getattr(part, name) for part in parts]) for name in names},
    )


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
    estimate, few = figures.estimate, units < FEWEST_ITEMS
    se = np.where(np.isnan(figures.se) | few, np.nan, without_rounding(se))
    pivot = INTERVALS_OF_MANY[ci](estimate, se, units, figures.worst)
    if left is not None:
        pivot, se = pivot.worth(left), se * np.sqrt(left)
    found = infer(pivot, estimate, figures.lowest, level=level, null=null)
    reason = np.where(few & (figures.reason == ""), "n_lt_2", figures.reason)
    return with_inference(replace(figures, se=se, reason=reason), found, tested=tested)


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
