"""Coefficients of independent groups -> a frame of their differences, two at a time."""

from __future__ import annotations

from functools import lru_cache
from itertools import combinations
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from pdkappa.coefficients.independent_differences import Mover, all_groups_equal
from pdkappa.coefficients.pair_kappas import worst
from pdkappa.coefficients.score_limits import ndtr
from pdkappa.errors import RatingsError
from pdkappa.methods.estimates.options import with_adjusted
from pdkappa.methods.estimates.pair_frames import remarks_on_limits, warn_if_undefined, whole
from pdkappa.present import schema
from pdkappa.present.text_tables import result

if TYPE_CHECKING:
    from collections.abc import Callable

    from pdkappa._typing import FloatArray, Label, ObjectArray
    from pdkappa.coefficients.intervals import Figures
    from pdkappa.ratings.items import Groups

FEWEST_GROUPS = 2


def differences_of_groups(
    figures_at: Callable[[float], Figures],
    groups: Groups,
    raters: list[Label],
    *,
    level: float,
    margin: float | None,
    p_adjust: str | None,
) -> pd.DataFrame:
    """Compare every two groups; `figures_at` gives their figures at a confidence level."""
    labels = groups.labels
    if labels is None or len(labels) < FEWEST_GROUPS:
        number = 0 if labels is None else len(labels)
        message = f"compare_groups needs two groups or more, got {number}. Pass another by."
        raise RatingsError(message)
    figures_at = lru_cache(maxsize=None)(figures_at)
    figures = figures_at(level)

    def limits_at(level: float) -> tuple[FloatArray, FloatArray]:
        found = figures_at(level)
        return found.ci_low, found.ci_high

    one, other = np.array(list(combinations(range(len(labels)), 2))).T
    mover = Mover(figures.estimate, one, other, limits_at, level)
    frame = pd.DataFrame(
        {
            "first": labels.take(one).to_numpy(),
            "second": labels.take(other).to_numpy(),
            **_columns(mover, figures, margin, groups.why_empty()),
        }
    )
    names = [f"{a!r} with {b!r}" for a, b in zip(frame["first"], frame["second"], strict=True)]
    warn_if_undefined("comparison", frame["difference"].isna(), frame["reason"], names.__getitem__)
    found = result(with_adjusted(frame, p_adjust), raters)
    found.attrs["all_groups"] = all_groups_equal(figures.estimate, limits_at, level)._asdict()
    return found


def _columns(
    mover: Mover, figures: Figures, margin: float | None, empty: ObjectArray
) -> dict[str, Any]:
    """Return the figures of the differences; `empty` says why a group has no ratings."""
    one, other = mover.one, mover.other
    low, high = mover.limits()
    z, n_items = mover.quantile(0.0), whole(figures.n_items)
    reasons = worst(np.stack([figures.reason[one], figures.reason[other]]))
    for side in (other, one):
        reasons = np.where(empty[side] != "", empty[side], reasons)
    remarks = remarks_on_limits(figures, getattr(figures, "n_joint", figures.n_items))
    both = zip(remarks[one], remarks[other], strict=True)
    remark = ["; ".join(dict.fromkeys(filter(None, pair))) for pair in both]
    return {
        "n_items": n_items[one] + n_items[other],
        "difference": mover.difference,
        "se": np.hypot(figures.se[one], figures.se[other]),
        "ci_low": low,
        "ci_high": high,
        "z": z,
        "p_value": 2 * ndtr(-np.abs(z)),
        **_by_margin(mover, margin),
        "estimate_first": figures.estimate[one],
        "estimate_second": figures.estimate[other],
        "n_first": n_items[one],
        "n_second": n_items[other],
        "reason": np.where(np.isnan(z), reasons, ""),
        "remark": np.where(np.isnan(z), "", remark),
    }


def _by_margin(mover: Mover, margin: float | None) -> dict[str, Any]:
    """Test that the first is less by no more than the margin, and that both differ by less."""
    if margin is None:
        return dict.fromkeys(schema.BY_MARGIN, np.nan)
    less, more = ndtr(-mover.quantile(-margin)), ndtr(mover.quantile(margin))
    return {"margin": float(margin), "p_non_inferior": less, "p_equivalent": np.maximum(less, more)}
