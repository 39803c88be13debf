"""Coefficients of independent groups -> a frame of their differences, two at a time."""

from __future__ import annotations

from functools import lru_cache, partial
from itertools import combinations
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from pdkappa.coefficients.intervals import INTERVALS
from pdkappa.coefficients.means_over_groups import (
    Mover,
    against_the_rest,
    all_groups_equal,
    along_a_line,
)
from pdkappa.coefficients.pair_kappas import worst
from pdkappa.coefficients.score_limits import ndtr, two_sided
from pdkappa.errors import RatingsError, shown
from pdkappa.methods.estimates.options import check_adjustment, check_margin, with_adjusted
from pdkappa.methods.estimates.pair_frames import (
    joined,
    remarks_on_limits,
    warn_if_undefined,
    whole,
)
from pdkappa.present import schema
from pdkappa.present.text_tables import Result, result

if TYPE_CHECKING:
    from collections.abc import Callable

    from pdkappa._typing import Adjustment, FloatArray, IntArray, Label, ObjectArray
    from pdkappa.coefficients.intervals import Figures
    from pdkappa.coefficients.means_over_groups import LimitsAt
    from pdkappa.methods.estimates.pair_frames import Estimates
    from pdkappa.ratings.items import Groups

FEWEST_GROUPS = 2


def differences_of_groups(
    figures_at: Callable[[float], Figures],
    groups: Groups,
    raters: list[Label],
    *,
    level: float,
    margin: float | None = None,
    p_adjust: str | None = None,
) -> Result:
    """Compare every two groups; `figures_at` gives their figures at a confidence level."""
    labels = groups.labels
    if labels is None or len(labels) < FEWEST_GROUPS:
        number = 0 if labels is None else len(labels)
        raise RatingsError(
            f"compare_groups needs two groups or more, got {number}. Pass another by."
        )
    figures_at = lru_cache(maxsize=None)(figures_at)
    figures, limits_at = figures_at(level), _limits_at(figures_at)
    one, other = np.array(list(combinations(range(len(labels)), 2))).T
    mover = Mover(figures.estimate, one, other, limits_at, level)
    frame = pd.DataFrame(
        {
            "first": _values_of(labels.take(one)),
            "second": _values_of(labels.take(other)),
            **_columns(mover, figures, margin, groups.why_empty()),
        }
    )
    names = [
        f"{shown(a)} with {shown(b)}" for a, b in zip(frame["first"], frame["second"], strict=True)
    ]
    warn_if_undefined("comparison", frame["difference"].isna(), frame["reason"], names.__getitem__)
    found = result(with_adjusted(frame, p_adjust), raters)
    found.attrs["all_groups"] = all_groups_equal(figures.estimate, limits_at, level)._asdict()
    if len(_with_limits(figures)) > FEWEST_GROUPS:
        rest = differences_from_the_rest(figures_at, groups, level=level)
        found.attrs["from_the_rest"] = rest.to_dict("index")
    return found


def differences_from_the_rest(
    figures_at: Callable[[float], Figures], groups: Groups, *, level: float
) -> pd.DataFrame:
    """Compare each group that has limits with the mean of the others that have."""
    figures = figures_at(level)
    known = _with_limits(figures)
    mover = against_the_rest(figures.estimate[known], _limits_at(figures_at, known), level)
    labels: pd.Index = groups.labels  # type: ignore[assignment]
    columns = {"estimate": figures.estimate[known], **_tested(mover)}
    return pd.DataFrame(columns, index=labels.take(known))


def drift_of_groups(
    figures_at: Callable[[float], Figures], groups: Groups, *, level: float
) -> pd.DataFrame:
    """Fit a line through the groups that have limits, in order, each by its items: one row.

    ``first`` and ``last`` are the groups at its ends, with their estimates.
    """
    figures, labels = figures_at(level), groups.labels
    known = _with_limits(figures)
    ordered: pd.Index = labels.take(known)  # type: ignore[union-attr]
    known = known[ordered.argsort()]
    estimate, n_items = (getattr(figures, name)[known] for name in ("estimate", "n_items"))
    mover = along_a_line(estimate, n_items, _limits_at(figures_at, known), level)
    ends = {
        "first": [labels[known[0]]],  # type: ignore[index]
        "last": [labels[known[-1]]],  # type: ignore[index]
        "estimate_first": estimate[:1],
        "estimate_last": estimate[-1:],
    }
    return pd.DataFrame(ends | _tested(mover))


def _values_of(labels: pd.Index) -> pd.Series:
    """Return labels of the same type, so that none is text which has no code in UTF-8."""
    return pd.Series(labels.to_numpy(), dtype=labels.dtype)


def _with_limits(figures: Figures) -> IntArray:
    """Find the groups that have limits."""
    return np.flatnonzero(np.isfinite(figures.ci_low) & np.isfinite(figures.ci_high))


def _tested(mover: Mover) -> dict[str, FloatArray]:
    """Return differences with their limits and their tests."""
    low, high = mover.limits()
    z = mover.quantile(0.0)
    return {
        "difference": mover.difference,
        "ci_low": low,
        "ci_high": high,
        "z": z,
        "p_value": two_sided(z),
    }


def _limits_at(figures_at: Callable[[float], Figures], some: Any = slice(None)) -> LimitsAt:
    """Return what gives the limits of some groups at a level."""

    def limits_at(level: float) -> tuple[FloatArray, FloatArray]:
        found = figures_at(level)
        return found.ci_low[some], found.ci_high[some]

    return limits_at


def _columns(
    mover: Mover, figures: Figures, margin: float | None, empty: ObjectArray
) -> dict[str, Any]:
    """Return the figures of the differences; `empty` says why a group has no ratings."""
    one, other = mover.one, mover.other
    tested, n_items = _tested(mover), whole(figures.n_items)
    reasons = worst(np.stack([figures.reason[one], figures.reason[other]]))
    for side in (other, one):
        reasons = np.where(empty[side] != "", empty[side], reasons)
    remarks = remarks_on_limits(figures, getattr(figures, "n_joint", figures.n_items))
    remark = joined(remarks[one], remarks[other])
    return {
        "n_items": n_items[one] + n_items[other],
        "difference": mover.difference,
        "se": np.hypot(figures.se[one], figures.se[other]),
        **tested,
        **_by_margin(mover, margin),
        "estimate_first": figures.estimate[one],
        "estimate_second": figures.estimate[other],
        "n_first": n_items[one],
        "n_second": n_items[other],
        "reason": np.where(np.isnan(tested["z"]), reasons, ""),
        "remark": np.where(np.isnan(tested["z"]), "", remark),
    }


def _by_margin(mover: Mover, margin: float | None) -> dict[str, Any]:
    """Test that the first is less by no more than the margin, and that both differ by less."""
    if margin is None:
        return dict.fromkeys(schema.BY_MARGIN, np.nan)
    less, more = ndtr(-mover.quantile(-margin)), ndtr(mover.quantile(margin))
    return {"margin": float(margin), "p_non_inferior": less, "p_equivalent": np.maximum(less, more)}


class Compared:
    """Groups of two raters, which can be compared."""

    raters: tuple[Label, Label]
    estimates: Estimates
    options: dict[str, Any]
    panel: Any

    def differences(
        self, *, margin: float | None = None, p_adjust: Adjustment | None = None
    ) -> pd.DataFrame:
        """Compare every two groups, as `compare_groups` does.

        Parameters
        ----------
        margin : float, optional
            The largest difference that does not matter, for tests of non-inferiority and
            equivalence.
        p_adjust : {None, "bonferroni", "sidak", "holm", "holm-sidak", "simes-hochberg", "hommel", \
"fdr_bh", "fdr_by"}
            Adjust p-values for their number, in the column ``p_adjusted``.

        Returns
        -------
        DataFrame
            One row for every two groups; see `compare_groups`. Limits that were resampled are
            those of ``ci="auto"`` here.

        Examples
        --------
        >>> df = pdkappa.datasets.load_essays()
        >>> result = df.kappa.grouped("human_1", "machine", by="essay_set")
        >>> result.differences()[["first", "second", "difference", "p_value"]].head(2).round(3)
           first  second  difference  p_value
        0      1       2      -0.039    0.383
        1      1       3       0.057    0.227
        """
        panel, ci = self.panel, self.options["ci"]
        if margin is not None:
            check_margin("margin", margin)
        check_adjustment("p_adjust", p_adjust)
        return differences_of_groups(
            partial(panel.figures_at, ci=ci if ci in INTERVALS else "auto"),
            self.estimates.tables.groups,
            list(self.raters),
            level=panel.averaging.level,
            margin=margin,
            p_adjust=p_adjust,
        )


class ComparedPairs:
    """Groups of several pairs of raters, which can be compared."""

    results: dict[tuple[Label, Label], Any]

    def differences(
        self, *, margin: float | None = None, p_adjust: Adjustment | None = None
    ) -> pd.DataFrame:
        """Compare every two groups of each pair: see `GroupedAgreement`.

        Parameters
        ----------
        margin, p_adjust : optional
            As for one pair.

        Returns
        -------
        DataFrame
            Indexed by ``rater_a, rater_b``. The p-values of each pair are a family.
        """
        found = {
            pair: one.differences(margin=margin, p_adjust=p_adjust)
            for pair, one in self.results.items()
        }
        frame = pd.concat(found, names=["rater_a", "rater_b", None]).droplevel(2)
        return result(frame, list(dict.fromkeys(name for pair in found for name in pair)))
