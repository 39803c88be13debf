"""Coefficients of groups -> the frames of the pooling panel.

Everything here is computed when it is first asked for, but for the means themselves.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from pdkappa.coefficients.chance import COEFFICIENTS
from pdkappa.coefficients.distributions import ndtri
from pdkappa.coefficients.intervals import fisher_z
from pdkappa.coefficients.multirater import of_pair
from pdkappa.coefficients.pair_summary import summarise
from pdkappa.coefficients.pooling import (
    TAU2,
    fixed_effect,
    heterogeneity,
    leave_one_out,
    random_effects,
    weighted_fisher_mean,
    with_error,
)
from pdkappa.counts.core.pairs import PairCounts
from pdkappa.counts.core.rows import RatingRows
from pdkappa.estimation import weights as weighting
from pdkappa.estimation.estimates import Estimates
from pdkappa.methods.groups.core.strata import (
    BINARY,
    EqualityTest,
    OneKappa,
    across_groups,
    clusters_span_groups,
    donner_eliasziw_klar,
    error_of_mean,
    same_mean,
    weighted_mean,
    within_groups,
)
from pdkappa.present import schema

if TYPE_CHECKING:
    from pdkappa._typing import BoolArray, FloatArray
    from pdkappa.coefficients.pooling import PooledMean

MOST_CRUDE = 0.1  # by which the crude kappa may exceed the one within groups


@dataclass(frozen=True)
class Pooling:
    """The panel of means, tests and comparisons over the groups of two raters.

    Attributes
    ----------
    estimates : Estimates
        Counts and figures of G groups.
    weight : ndarray of float, shape (G,)
        Weights of the groups in the Fisher-z mean. A group without weight counts nowhere.
    options : dict
        The options of the call: coefficient, weights, distance, clip, confidence_level,
        tau2_method and others.
    """

    estimates: Estimates
    weight: FloatArray
    options: dict[str, Any]

    @cached_property
    def pooled(self) -> pd.DataFrame:
        """Frame of the means on Fisher's z scale: one row for each way to average."""
        means = {"fisher_mean": self._fisher_mean(), "fixed": self._fixed, "random": self._random}
        frame = pd.DataFrame([mean._asdict() for mean in means.values()], index=list(means))
        return frame[list(schema.POOLED)]

    @cached_property
    def heterogeneity(self) -> pd.Series:
        """Cochran's Q and its p-value, I2 and tau2."""
        found = heterogeneity(*self._effects, self._tau2(*self._effects))
        if self._spans:
            found = found._replace(p_value=np.nan)
        return pd.Series(found._asdict(), name="heterogeneity", dtype=np.float64)

    @cached_property
    def leave_one_out(self) -> pd.DataFrame:
        """Frame of the means without each group in turn."""
        clip, level = self.options["clip"], self.options["confidence_level"]
        z, se = (np.full(self.weight.shape, np.nan) for _ in range(2))
        z[self._usable], se[self._usable] = self._effects

        def scorer(estimate: FloatArray, weight: FloatArray) -> float:
            return weighted_fisher_mean(estimate, weight, clip=clip).estimate

        def effect(z: FloatArray, se: FloatArray, *, random: bool) -> float:
            known = ~np.isnan(z)
            z, se = z[known], se[known]
            if random:
                return random_effects(z, se, self._tau2(z, se), level=level).estimate
            return fixed_effect(z, se, level=level).estimate

        columns = {
            "fisher_mean": leave_one_out(scorer, self.estimates.summary.estimate, self.weight),
            "fixed": leave_one_out(lambda z, se: effect(z, se, random=False), z, se),
            "random": leave_one_out(lambda z, se: effect(z, se, random=True), z, se),
        }
        frame = pd.DataFrame(columns, index=self.estimates.tables.groups.labels)
        return frame[self.weight > 0]

    @cached_property
    def stratified(self) -> pd.DataFrame:
        """Frame of the coefficients for all groups together, on their own scale."""
        summary = self.estimates.summary
        defined = ~np.isnan(summary.estimate) & (self.weight > 0)
        with np.errstate(invalid="ignore"):  # no standard error
            own = np.where(self._is_smoothed, self._smooth_errors, summary.se)[defined]
        estimate, n_items = summary.estimate[defined], summary.n_items[defined]
        smooth, smooth_se = self._raw
        found = {
            "equal": weighted_mean(estimate, own, np.ones(len(estimate))),
            "size": weighted_mean(estimate, own, n_items),
            "inverse_variance": weighted_mean(smooth, smooth_se, 1 / smooth_se**2),
            "within": within_groups(self._rows, self.estimates.scale, self._coefficient),
            "crude": across_groups(self._rows, self._common_scale, self._coefficient),
        }
        n_groups = [len(estimate), len(estimate), len(smooth), *[int(self._has_items.sum())] * 2]
        frame = pd.DataFrame(
            [self._limits(name, one) for name, one in found.items()], index=list(found)
        )
        return frame.assign(n_groups=n_groups)[list(schema.STRATIFIED)]

    @cached_property
    def equality(self) -> pd.DataFrame:
        """Frame of tests that all groups have the same coefficient."""
        tests = {
            "fisher_z": same_mean(*self._effects),
            "kappa": same_mean(*self._raw),
            "donner_eliasziw_klar": self._binary_test(),
        }
        if self._spans:
            for name in ("fisher_z", "kappa"):
                tests[name] = tests[name]._replace(
                    chi2=np.nan, p_value=np.nan, reason="clusters_span_groups"
                )
        frame = pd.DataFrame([test._asdict() for test in tests.values()], index=list(tests))
        return frame[list(schema.EQUALITY)]

    @cached_property
    def remarks(self) -> pd.Series:
        """What was done to single groups: clipped, smoothed, or left out, and why."""
        summary, clip = self.estimates.summary, self.options["clip"]
        reason = self.estimates.column("reason")
        remarks = np.full(reason.shape, "", dtype=object)
        if clip is not None:
            remarks[np.abs(summary.estimate) > clip] = f"clipped to {clip:g} in fisher_mean"
        lacking = ~self._usable & (self.weight > 0)
        for group in np.flatnonzero(lacking):
            where = "" if np.isnan(summary.estimate[group]) else " of fixed, random and tests"
            why = reason[group] or "no_variance"
            remarks[group] = "; ".join(filter(None, [remarks[group], f"left out{where}: {why}"]))
        for group in np.flatnonzero(self._is_smoothed & self._usable):
            remark = "one pseudo-item in standard errors, fixed, random and tests"
            remarks[group] = "; ".join(filter(None, [remarks[group], remark]))
        remarks[self.weight == 0] = "left out: weight 0"
        found = pd.Series(remarks, index=self.estimates.tables.groups.labels, name="remark")
        return found[found != ""]

    def together(self) -> Estimates:
        """Estimate the coefficient of all items, as if there were no groups."""
        tables, kept = self.estimates.tables, self.weight[self.estimates.tables.counts.table] > 0
        counts, k = tables.counts, tables.counts.n_categories
        keys, where = np.unique((counts.row * k + counts.col)[kept], return_inverse=True)
        total = np.zeros(len(keys), dtype=counts.count.dtype)
        np.add.at(total, where, counts.count[kept])
        in_use: BoolArray = np.logical_or.reduce(tables.in_use, axis=0, keepdims=True)
        one = replace(PairCounts.from_keys(keys, total, 1, k), unit=counts.unit)
        whole = replace(
            tables,
            counts=one,
            in_use=in_use,
            groups=tables.groups.together(),
        )
        scale, level = self._common_scale, self.options["confidence_level"]
        summary = summarise(one, scale, self._coefficient, ci="fisher", level=level)
        return Estimates(whole, scale, summary)

    def _fisher_mean(self) -> PooledMean:
        """Average as the essay-set scorer does."""
        summary, clip, level = (
            self.estimates.summary,
            self.options["clip"],
            self.options["confidence_level"],
        )
        mean = weighted_fisher_mean(
            summary.estimate,
            self.weight,
            se_fisher_z=summary.se_fisher_z,
            clip=clip,
            level=level,
        )
        if self._spans:
            mean = self._across_clusters(mean, self.weight)
        return mean._replace(reason=mean.reason or self._reason_of(mean))

    def _across_clusters(self, mean: PooledMean, weight: FloatArray) -> PooledMean:
        """Put in the standard error that knows of clusters in several groups."""
        summary, rows = self.estimates.summary, self._rows
        influence = of_pair(rows, self.estimates.scale, self._coefficient, (0, 1)).influence
        exact = np.where(self._is_smoothed, summary.se_fisher_z, 0.0)
        figures = (influence, summary.centre, weight, exact)
        se = error_of_mean(rows, *(figure[None] for figure in figures))
        return with_error(mean, se, self.options["confidence_level"])

    def _reason_of(self, mean: PooledMean) -> str:
        """Say why the mean or its standard error is NaN: the reason of a group that lacks it."""
        if not np.isnan(mean.se_fisher_z):
            return ""
        summary = self.estimates.summary
        undefined = np.isnan(summary.estimate)
        lacks = ~undefined & np.isnan(summary.se_fisher_z) if mean.n_groups else undefined
        return self._first_reason((self.weight > 0) & lacks, "no_items")

    @property
    def _fixed(self) -> PooledMean:
        """Average with the reciprocals of the variances."""
        z, se = self._effects
        found = fixed_effect(z, se, level=self.options["confidence_level"])
        if self._spans and len(z):
            weight = np.zeros(self.weight.shape)
            weight[self._usable] = se**-2
            found = self._across_clusters(found, weight)
        return self._counted(found)

    @property
    def _random(self) -> PooledMean:
        """Average over a population of groups."""
        found = random_effects(
            *self._effects,
            self._tau2(*self._effects),
            level=self.options["confidence_level"],
            least_scale=1.0 if self._is_smoothed[self._usable].any() else 0.0,
        )
        if self._spans:
            found = with_error(found, np.nan, 0.95)._replace(
                prediction_low=np.nan, prediction_high=np.nan, reason="clusters_span_groups"
            )
        return self._counted(found)

    def _counted(self, found: PooledMean) -> PooledMean:
        """Count the groups left out, and say why all were, if they were."""
        reason = found.reason
        if not found.n_groups:
            reason = self._first_reason(self.weight > 0, "no_items")
        return found._replace(n_undefined=self._n_left_out, reason=reason)

    def _first_reason(self, groups: BoolArray, otherwise: str) -> str:
        """Return the reason of the first of some groups that has one."""
        return next(filter(None, self.estimates.column("reason")[groups]), otherwise)

    def _tau2(self, z: FloatArray, se: FloatArray) -> float:
        """Variance of the true z of the groups, by the method asked for."""
        return TAU2[self.options["tau2_method"]](z, se)

    @property
    def _is_smoothed(self) -> BoolArray:
        """Groups whose standard error is zero, shape (G,)."""
        return self.estimates.summary.se == 0

    @property
    def _usable(self) -> BoolArray:
        """Groups with a coefficient, a standard error and a weight, shape (G,)."""
        summary = self.estimates.summary
        return (np.abs(summary.centre) < 1) & (summary.se_fisher_z > 0) & (self.weight > 0)

    @property
    def _n_left_out(self) -> int:
        """Groups with a weight that the inverse-variance means cannot use."""
        return int((~self._usable & (self.weight > 0)).sum())

    @property
    def _effects(self) -> tuple[FloatArray, FloatArray]:
        """Fisher's z and its standard error of the usable groups, with their pseudo-items."""
        summary, usable = self.estimates.summary, self._usable
        return fisher_z(summary.centre[usable], None), summary.se_fisher_z[usable]

    @property
    def _raw(self) -> tuple[FloatArray, FloatArray]:
        """Estimates and standard errors of the usable groups, with their pseudo-items."""
        z, se = self._effects
        estimate = np.tanh(z)
        return estimate, se * (1 - estimate**2)

    @cached_property
    def _spans(self) -> bool:
        """Whether clusters span groups, which then are not independent."""
        return clusters_span_groups(self._rows)

    @property
    def _coefficient(self) -> Any:
        """The coefficient of all groups."""
        return COEFFICIENTS[self.options["coefficient"]]

    @cached_property
    def _rows(self) -> RatingRows:
        """Rows of the two raters in all groups that have a weight."""
        counts = self.estimates.tables.counts
        rows = self.estimates.rows
        if rows is None:
            rows = RatingRows(
                codes=np.stack([counts.row, counts.col]),
                count=counts.count * counts.unit,
                group=counts.table,
                n_groups=counts.n_tables,
                n_categories=counts.n_categories,
            )
        return rows.select(self.weight[rows.group] > 0)

    @property
    def _has_items(self) -> BoolArray:
        """Groups with a weight and joint items, shape (G,)."""
        return (self.estimates.summary.n_items > 0) & (self.weight > 0)

    @property
    def _common_scale(self) -> Any:
        """One scale for the categories of all groups."""
        tables = self.estimates.tables
        in_use = np.logical_or.reduce(tables.in_use, axis=0, keepdims=True)
        given, distance = self.options["weights"], self.options["distance"]
        return weighting.scale_of(given, tables.categories, distance, in_use)

    @property
    def _smooth_errors(self) -> FloatArray:
        """Standard errors with a pseudo-item where there is none, shape (G,)."""
        summary = self.estimates.summary
        return summary.se_fisher_z * (1 - summary.centre**2)

    def _limits(self, name: str, one: OneKappa) -> dict[str, Any]:
        """Put normal limits on Fisher's z scale around a coefficient."""
        estimate, se = np.float64(one.estimate), np.float64(one.se)
        reason = ""
        if self._spans and name not in ("within", "crude"):
            se, reason = np.float64(np.nan), "clusters_span_groups"
        elif np.isnan(estimate) or np.isnan(se):
            lacking = np.isnan(self.estimates.summary.se) & (self.weight > 0)
            reason = self._first_reason(lacking, "no_joint_items")
        elif not (abs(estimate) < 1 and se > 0):
            reason = "no_variance"
        with np.errstate(divide="ignore", invalid="ignore"):
            half = ndtri((1 + self.options["confidence_level"]) / 2) * se / (1 - estimate**2)
            low, high = np.tanh([np.arctanh(estimate) - half, np.arctanh(estimate) + half])
        limits = (np.nan, np.nan) if reason else (low, high)
        figures = ("estimate", "se", "ci_low", "ci_high", "reason")
        return dict(zip(figures, (estimate, se, *limits, reason), strict=True))

    def _binary_test(self) -> EqualityTest:
        """Compare the groups where there are two categories; NaN elsewhere."""
        tables = self.estimates.tables
        if len(tables.categories) != BINARY:
            return EqualityTest(np.nan, 0, np.nan, 0, "not_binary")
        if self.estimates.rows is not None:
            return EqualityTest(np.nan, 0, np.nan, 0, "clusters")
        counts = tables.counts.tables() * tables.counts.unit
        return donner_eliasziw_klar(counts[self.weight > 0])
