"""Coefficients of groups -> the frames of the pooling panel.

Everything here is computed when it is first asked for.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np
import pandas as pd

from pdkappa.coefficients.chance import COEFFICIENTS, FEWEST_OUTSIDE
from pdkappa.coefficients.means_over_groups import z_and_p
from pdkappa.coefficients.pair_estimates import summarise
from pdkappa.methods.estimates.pair_frames import Estimates
from pdkappa.methods.estimates.weightings import scale_of
from pdkappa.methods.groups.core.panel import Panel
from pdkappa.present import schema

if TYPE_CHECKING:
    from collections.abc import Sequence

    from pdkappa._typing import FloatArray, Weights
    from pdkappa.coefficients.means_over_groups import PooledMean
    from pdkappa.coefficients.weights import Scale
    from pdkappa.methods.groups.core.panel import Averaging

RANDOM = 2  # place of the mean of a population among the three
ROUGH = f"groups with fewer than {FEWEST_OUTSIDE} items outside one category: approximate"
MOST_CRUDE = 0.1  # by which the crude kappa may exceed the one within groups


@dataclass(frozen=True)
class Pooling:
    """The panel of means, tests and comparisons over the groups of two raters.

    Weights and distance are what the estimates were computed with, as the user passed them.
    """

    estimates: Estimates
    weight: FloatArray  # (G,), in the Fisher-z mean; a group without weight counts nowhere
    coefficient: str
    weights: Weights | None
    distance: str
    averaging: Averaging

    @cached_property
    def pooled(self) -> pd.DataFrame:
        """Frame of the means on Fisher's z scale: one row for each way to average."""
        panel = self._panel
        means = {
            "fisher_mean": panel.fisher_mean(),
            "fixed": panel.fixed(),
            "random": panel.random(),
        }
        frame = pd.DataFrame([mean._asdict() for mean in means.values()], index=list(means))
        remarks = [self._rough, self._rough, self._rough or self._panel.why_wide]
        frame["remark"] = np.where(frame["ci_low"].isna(), "", remarks)
        return with_test(frame[list(schema.POOLED)], list(means.values()), self.averaging.null)

    @cached_property
    def heterogeneity(self) -> pd.Series:
        """Cochran's Q and its p-value, I2 and tau2 with their limits."""
        found = self._panel.heterogeneity()._asdict()
        return pd.Series(found, name="heterogeneity", dtype=np.float64)

    @cached_property
    def leave_one_out(self) -> pd.DataFrame:
        """Frame of the means without each group in turn."""
        groups = self.estimates.tables.groups
        return pd.DataFrame(self._panel.leave_one_out(), index=groups.labels)[self.weight > 0]

    @property
    def on_fisher_z(self) -> tuple[FloatArray, FloatArray]:
        """Fisher's z of all groups without the bias of small tables, and its errors, both (G,)."""
        return self._panel.unbiased_z, self._panel.own_errors

    @cached_property
    def stratified(self) -> pd.DataFrame:
        """Frame of the coefficients for all groups together, on their own scale."""
        found = self._panel.stratified()
        return pd.DataFrame(list(found.values()), index=list(found))[list(schema.STRATIFIED)]

    @cached_property
    def equality(self) -> pd.DataFrame:
        """Frame of tests that all groups have the same coefficient."""
        tests = self._panel.tests()
        frame = pd.DataFrame([test._asdict() for test in tests.values()], index=list(tests))
        frame["remark"] = np.where(frame["p_value"].isna(), "", self._rough)
        return frame[list(schema.EQUALITY)]

    @property
    def _rough(self) -> str:
        """What means and tests say of themselves if some group has a rare category."""
        return ROUGH if (self._panel.is_rare & (self.weight > 0)).any() else ""

    @cached_property
    def remarks(self) -> pd.Series:
        """What was done to single groups: clipped, smoothed, or left out, and why."""
        panel, clip = self._panel, self.averaging.clip
        estimate = panel.summary.estimate
        remarks = np.full(panel.reason.shape, "", dtype=object)
        if clip is not None:
            remarks[np.abs(estimate) > clip] = f"clipped to {clip:g} in fisher_mean"
        for group in np.flatnonzero(~panel.usable & (self.weight > 0)):
            where = "" if np.isnan(estimate[group]) else " of fixed, random and tests"
            why = panel.reason[group] or "no_variance"
            remarks[group] = "; ".join(filter(None, [remarks[group], f"left out{where}: {why}"]))
        for group in np.flatnonzero(panel.is_smoothed & panel.usable):
            remark = "one pseudo-item in its standard error"
            remarks[group] = "; ".join(filter(None, [remarks[group], remark]))
        for group in np.flatnonzero(panel.is_rare & (self.weight > 0)):
            remark = (
                f"fewer than {FEWEST_OUTSIDE} items outside one category: tests are approximate"
            )
            remarks[group] = "; ".join(filter(None, [remarks[group], remark]))
        remarks[self.weight == 0] = "left out: weight 0"
        found = pd.Series(remarks, index=self.estimates.tables.groups.labels, name="remark")
        return found[found != ""]

    def together(self) -> Estimates:
        """Estimate the coefficient of all items, as if there were no groups."""
        tables, scale = self.estimates.tables, self._common_scale
        counts, mean = tables.counts, tables.groups.mean_weight
        if mean is not None:
            counts = replace(counts, count=counts.count * mean[counts.table])
        whole = replace(
            tables,
            counts=counts.together(self.weight > 0),
            in_use=scale.in_use,
            groups=tables.groups.together(),
        )
        model, level = COEFFICIENTS[self.coefficient], self.averaging.level
        summary = summarise(whole.counts, scale, model, ci="auto", level=level)
        return Estimates(whole, scale, summary)

    @cached_property
    def _panel(self) -> Panel:
        """The groups by numbers alone."""
        estimates = self.estimates
        return Panel(
            summary=estimates.summary,
            reason=estimates.column("reason"),
            weight=self.weight,
            mean_weight=estimates.tables.groups.mean_weight,
            counts=estimates.tables.counts,
            nested=estimates.rows,
            scale=estimates.scale,
            common_scale=self._common_scale,
            coefficient=COEFFICIENTS[self.coefficient],
            averaging=self.averaging,
        )

    @cached_property
    def _common_scale(self) -> Scale:
        """One scale for the categories of all groups."""
        tables = self.estimates.tables
        in_use = np.logical_or.reduce(tables.in_use, axis=0, keepdims=True)
        return scale_of(self.weights, tables.categories, self.distance, in_use)


def with_test(frame: pd.DataFrame, means: Sequence[PooledMean], null: float | None) -> pd.DataFrame:
    """Put the tests of means, one a row, after their limits, if there is a hypothesis.

    That of random effects, the last of three, has a t distribution.
    """
    if null is None:
        return frame
    degrees = [mean.n_groups - 1.0 if row == RANDOM else np.inf for row, mean in enumerate(means)]
    tests = [z_and_p(mean, null, df) for mean, df in zip(means, degrees, strict=True)]
    place = list(frame.columns).index("ci_high") + 1
    frame.insert(place, "z", [z for z, _ in tests])
    frame.insert(place + 1, "p_value", [p_value for _, p_value in tests])
    return frame
