"""Coefficients of groups -> means over them, heterogeneity, and their frames.

Everything here is computed when it is first asked for.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import pandas as pd

from pdkappa.coefficients.chance import COEFFICIENTS, FEWEST_OUTSIDE
from pdkappa.coefficients.influence import of_pair, spans_groups
from pdkappa.coefficients.intervals import fisher_z
from pdkappa.coefficients.means_over_groups import (
    TAU2,
    Effects,
    Heterogeneity,
    Moments,
    effects,
    fixed_effect,
    heterogeneity,
    moments,
    random_effects,
    weighted_fisher_mean,
    with_error,
    z_and_p,
)
from pdkappa.coefficients.pair_estimates import summarise
from pdkappa.coefficients.rating_rows import RatingRows
from pdkappa.coefficients.score_limits import ROUNDING, half_width
from pdkappa.methods.estimates.pair_frames import (
    Estimates,
    figures_of,
    joined,
    on_disagreements,
    told_where,
)
from pdkappa.methods.estimates.weightings import scale_of
from pdkappa.methods.groups.strata import (
    BINARY,
    EqualityTest,
    OneKappa,
    across_groups,
    donner_eliasziw_klar,
    error_of_mean,
    fisher_means_without,
    fixed_effects_without,
    random_effects_without,
    same_mean,
    weighted_mean,
    within_groups,
)
from pdkappa.present import schema

if TYPE_CHECKING:
    from pdkappa._typing import BoolArray, FloatArray, ObjectArray, Weights
    from pdkappa.coefficients.chance import Coefficient
    from pdkappa.coefficients.intervals import PairFigures
    from pdkappa.coefficients.means_over_groups import PooledMean
    from pdkappa.coefficients.weights import Scale

SPANS = "clusters_span_groups"
FEWEST_GROUPS = 10
MOST_LEANING = 0.5  # standard errors by which a mean may be above that by size
LEANING = "groups that happen to agree well weigh more: prefer size"


class Averaging(NamedTuple):
    """How groups are averaged: the cap of estimates, the method for tau2, level and null."""

    clip: float | None
    tau2_method: str
    level: float
    null: float = 0.0


@dataclass(frozen=True)
class Panels:
    """The coefficients of P pairs of raters in G groups, and Fisher's z of them, each (P, G)."""

    estimates: Estimates
    weight: FloatArray  # (G,), in the Fisher-z mean; a group without weight counts nowhere
    coefficient: str
    averaging: Averaging

    @cached_property
    def summary(self) -> PairFigures:
        """The figures of the groups."""
        summary = self.estimates.summary
        return replace(summary, **{n: self._by_pair(one) for n, one in vars(summary).items()})

    @cached_property
    def usable(self) -> BoolArray:
        """Groups with a coefficient, a standard error and a weight."""
        centre, se = self.summary.centre, self.summary.se_fisher_z
        return (np.abs(centre) < 1) & (se > 0) & (self.weight > 0)

    @cached_property
    def is_rare(self) -> BoolArray:
        """Groups with hardly an item outside their most frequent category."""
        largest = [
            (np.add(*block.margins()) / 2).max(axis=-1, initial=0.0)
            for _, block in self.estimates.tables.counts.blocks()
        ]
        outside = self.summary.n_items * (1 - self._by_pair(np.concatenate(largest)))
        return self.usable & (outside < FEWEST_OUTSIDE - 1e-9)

    @cached_property
    def corrected(self) -> Effects:
        """Fisher's z of the usable groups, and variances of it; NaN of the others."""
        summary, known = self.summary, self.estimates
        found = moments(known.tables.counts, known.scale, COEFFICIENTS[self.coefficient])
        return effects(
            np.where(self.usable, summary.estimate, np.nan),
            summary.se,
            summary.n_items,
            summary.worst,
            Moments(*(np.nan_to_num(self._by_pair(values)) for values in found)),
        )

    @cached_property
    def unbiased_z(self) -> FloatArray:
        """Fisher's z of all groups; those that are not usable are as they are."""
        z = fisher_z(self.summary.estimate, self.averaging.clip)
        return np.where(self.usable, self.corrected.z, z)

    @cached_property
    def own_errors(self) -> FloatArray:
        """Standard errors of Fisher's z by the groups' own ratings."""
        own = np.sqrt(self.corrected.variance)
        return np.where(self.usable, own, self.summary.se_fisher_z)

    @cached_property
    def rough(self) -> ObjectArray:
        """What means and tests say of themselves if a group is rare or hardly disagrees, (P,)."""
        counted = self.weight > 0
        few = self.summary.effective_disagreements < FEWEST_EFFECTIVE - 1e-9
        verdict = told_where(np.any(few & self.usable & counted, axis=-1), FEW_EFFECTIVE)
        return np.where(np.any(self.is_rare & counted, axis=-1), ROUGH, verdict)

    @cached_property
    def groups(self) -> dict[str, Any]:
        """Columns of the groups by name."""
        estimates, clip = self.estimates, self.averaging.clip
        known = {
            "fisher_z": fisher_z(self.summary.estimate, clip),
            "weight": np.broadcast_to(self.weight, self.usable.shape),
            "remark": self.remarks,
        }
        names = (*schema.GROUPS, "remark")
        return {n: known[n] if n in known else self._by_pair(estimates.column(n)) for n in names}

    @cached_property
    def remarks(self) -> ObjectArray:
        """What was done to single groups: clipped, smoothed, or left out, and why."""
        usable, counts, clip = self.usable, self.weight > 0, self.averaging.clip
        estimate, reason = self.summary.estimate, self._by_pair(self.estimates.column("reason"))
        left = np.full(usable.shape, "", dtype=object)
        for at in zip(*np.nonzero(~usable & counts), strict=True):
            place = "" if np.isnan(estimate[at]) else " of fixed, random and tests"
            left[at] = f"left out{place}: {reason[at] or 'no_variance'}"
        rare = f"fewer than {FEWEST_OUTSIDE} items outside one category: tests are approximate"
        few = on_disagreements(self.summary.effective_disagreements)
        is_clipped = np.abs(estimate) > (np.inf if clip is None else clip)
        remarks = (
            told_where(is_clipped & counts, f"clipped to {clip or 1:g} in fisher_mean"),
            left,
            told_where((self.summary.se == 0) & usable, "one pseudo-item in its standard error"),
            told_where(self.is_rare & counts, rare),
            np.where(usable & counts, few, ""),
            told_where(np.broadcast_to(~counts, usable.shape), "left out: weight 0"),
        )
        return joined(*(one.ravel() for one in remarks)).reshape(usable.shape)

    @cached_property
    def effects(self) -> tuple[FloatArray, FloatArray]:
        """Fisher's z of the usable groups, and standard errors that go by their items alone."""
        return self.corrected.z, np.sqrt(self.corrected.common)

    @cached_property
    def tau2(self) -> FloatArray:
        """Variance of the true z of the groups, by the method asked for, shape (P,)."""
        return TAU2[self.averaging.tau2_method](*self.effects)

    @cached_property
    def heterogeneity(self) -> Heterogeneity:
        """Cochran's Q and its p-value, I2 and tau2 with their limits, each (P,)."""
        return heterogeneity(*self.effects, self.tau2, level=self.averaging.level)

    @cached_property
    def fisher_means(self) -> list[PooledMean]:
        """Average as the essay-set scorer does."""
        return weighted_fisher_mean(
            self.summary.estimate,
            self.weight,
            se_fisher_z=self.own_errors,
            unbiased_z=self.unbiased_z,
            clip=self.averaging.clip,
            level=self.averaging.level,
        ).each()

    @cached_property
    def fixed(self) -> list[PooledMean]:
        """Average with the reciprocals of the variances."""
        return fixed_effect(*self.effects, level=self.averaging.level).each()

    @cached_property
    def random(self) -> list[PooledMean]:
        """Average over a population of groups."""
        found = random_effects(*self.effects, self.tau2, level=self.averaging.level)
        return found.each()

    def _by_pair(self, values: Any) -> Any:
        """Put figures of tables, which lie group by group, below one another."""
        return values.reshape(-1, self.estimates.tables.n_pairs).T


def _put(values: FloatArray, places: BoolArray, otherwise: float) -> FloatArray:
    """Put values in their places, shape (G,), and something else in all others."""
    result = np.full(places.shape, otherwise)
    result[places] = values
    return result


FEWEST_EFFECTIVE = 5  # of a group
FEW_EFFECTIVE = f"groups with fewer than {FEWEST_EFFECTIVE} effective disagreements: approximate"
ROUGH = f"groups with fewer than {FEWEST_OUTSIDE} items outside one category: approximate"
MOST_CRUDE = 0.1  # by which the crude kappa may exceed the one within groups


@dataclass(frozen=True)
class Pooling:
    """The panel of means, tests and comparisons over the groups of two raters.

    Weights and distance are what the estimates were computed with, as the user passed them.
    """

    estimates: Estimates
    weights: Weights | None
    panels: Panels  # of the two among others, and which they are
    place: int

    @property
    def weight(self) -> FloatArray:
        """Weights in the Fisher-z mean, shape (G,)."""
        return self.panels.weight

    @property
    def coefficient(self) -> str:
        """Name of the coefficient."""
        return self.panels.coefficient

    @property
    def averaging(self) -> Averaging:
        """How the groups are averaged."""
        return self.panels.averaging

    @property
    def groups(self) -> dict[str, Any]:
        """Columns of the groups by name, each of shape (G,)."""
        return {name: values[self.place] for name, values in self.panels.groups.items()}

    @property
    def summary(self) -> PairFigures:
        """The figures of the groups."""
        return self.estimates.summary

    @property
    def mean_weight(self) -> FloatArray | None:
        """Mean weight of the items of a sample beside that of all groups, shape (G,)."""
        return self.estimates.tables.groups.mean_weight

    @property
    def model(self) -> Coefficient:
        """How chance agreement is defined."""
        return COEFFICIENTS[self.coefficient]

    @cached_property
    def common_scale(self) -> Scale:
        """One scale for the categories of all groups."""
        tables = self.estimates.tables
        in_use = np.logical_or.reduce(tables.in_use, axis=0, keepdims=True)
        return scale_of(self.weights, tables.categories, in_use)

    @cached_property
    def rows(self) -> RatingRows:
        """Rows of the two raters in all groups that have a weight, as they count beside others."""
        counts, rows = self.estimates.tables.counts, self.estimates.rows
        rows = RatingRows.of_cells(counts, counts.unit) if rows is None else rows
        return rows.select(self.weight[rows.group] > 0).among_groups(self.mean_weight)

    @cached_property
    def spans(self) -> bool:
        """Whether clusters span groups, which then are not independent."""
        return self.estimates.rows is not None and spans_groups(self.rows)

    @property
    def is_smoothed(self) -> BoolArray:
        """Groups whose standard error is zero, shape (G,)."""
        return self.summary.se == 0

    @property
    def usable(self) -> BoolArray:
        """Groups with a coefficient, a standard error and a weight, shape (G,)."""
        return self.panels.usable[self.place]

    @cached_property
    def corrected(self) -> Effects:
        """Fisher's z of the usable groups, and variances of it, shape (U,)."""
        return Effects(*(one[self.place, self.usable] for one in self.panels.corrected))

    @cached_property
    def effects(self) -> tuple[FloatArray, FloatArray]:
        """Fisher's z of the usable groups, and standard errors that go by their items alone."""
        return self.corrected.z, np.sqrt(self.corrected.common)

    @property
    def raw_effects(self) -> tuple[FloatArray, FloatArray]:
        """Estimates and standard errors of the usable groups, with their pseudo-items."""
        centre, se = (one[self.usable] for one in (self.summary.centre, self.summary.se_fisher_z))
        # No estimate is known better than it is computed, whatever the number of items.
        return centre, np.maximum(se, ROUNDING) * (1 - centre**2)

    @cached_property
    def pooled(self) -> list[dict[str, Any]]:
        """Rows of the means on Fisher's z scale: one for each way to average."""
        null, rough, df = self.averaging.null, self._rough, self.random.n_groups - 1.0
        return [
            row_of(self.fisher_mean, null, rough),
            row_of(self.fixed, null, rough),
            row_of(self.random, null, rough or self.why_wide, df),
        ]

    @property
    def fisher_mean(self) -> PooledMean:
        """Average as the essay-set scorer does."""
        mean = self.panels.fisher_means[self.place]
        if self.spans:
            mean = self._across_clusters(mean, self.weight)
        return mean._replace(reason=mean.reason or self._reason_of(mean))

    @cached_property
    def fixed(self) -> PooledMean:
        """Average with the reciprocals of the variances."""
        se, found = self.effects[1], self.panels.fixed[self.place]
        if self.spans and len(se):
            weight = np.zeros(self.weight.shape)
            weight[self.usable] = se**-2
            found = self._across_clusters(found, weight)
        return self._counted(found)

    @cached_property
    def random(self) -> PooledMean:
        """Average over a population of groups."""
        found = self.panels.random[self.place]
        if self.spans:
            found = with_error(found, np.nan, self.averaging.level)._replace(
                prediction_low=np.nan, prediction_high=np.nan, reason=SPANS
            )
        return self._counted(found)

    @property
    def why_wide(self) -> str:
        """Why the limits of `random` are wider than they need be, if they are.

        Few groups have a t quantile for differences that they may not have, and groups that differ
        less than by chance are taken to differ as much as that.
        """
        if self.usable.sum() < FEWEST_GROUPS:
            return f"fewer than {FEWEST_GROUPS} groups: limits are wide"
        alike = self.panels.tau2[self.place] == 0
        return "groups differ no more than by chance: limits are wide" if alike else ""

    @cached_property
    def heterogeneity(self) -> Heterogeneity:
        """Cochran's Q and its p-value, I2 and tau2 with their limits."""
        found = Heterogeneity(*(np.asarray(one)[self.place] for one in self.panels.heterogeneity))
        if not self.spans:
            return found
        return Heterogeneity(found.q, found.df, np.nan, found.i2, found.tau2)

    @cached_property
    def leave_one_out(self) -> pd.DataFrame:
        """Frame of the means without each group in turn."""
        estimate, clip, usable = self.summary.estimate, self.averaging.clip, self.usable
        random = random_effects_without(*self.effects, self.averaging.tau2_method)
        # A group that is not in a mean changes nothing when it is left out.
        means = {
            "fisher_mean": fisher_means_without(estimate, self.weight, clip=clip),
            "fixed": _put(fixed_effects_without(*self.effects), usable, self.fixed.estimate),
            "random": _put(random, usable, self.random.estimate),
        }
        return pd.DataFrame(means, index=self.estimates.tables.groups.labels)[self.weight > 0]

    @cached_property
    def stratified(self) -> pd.DataFrame:
        """Frame of the coefficients for all groups together, on their own scale."""
        summary = self.summary
        defined = ~np.isnan(summary.estimate) & (self.weight > 0)
        with np.errstate(invalid="ignore"):  # no standard error
            smooth_errors = summary.se_fisher_z * (1 - summary.centre**2)
            own = np.where(self.is_smoothed, smooth_errors, summary.se)[defined]
        size = summary.n_items if self.mean_weight is None else summary.n_items * self.mean_weight
        estimate, n_items = summary.estimate[defined], size[defined]
        smooth, smooth_se = self.raw_effects
        n_groups, joint = len(estimate), int(((summary.n_items > 0) & (self.weight > 0)).sum())
        found = {
            "equal": (weighted_mean(estimate, own, np.ones(n_groups)), n_groups),
            "size": (weighted_mean(estimate, own, n_items), n_groups),
            "inverse_variance": (weighted_mean(smooth, smooth_se, 1 / smooth_se**2), len(smooth)),
            "within": (within_groups(self.rows, self.estimates.scale, self.model), joint),
            "crude": (across_groups(self.rows, self.common_scale, self.model), joint),
        }
        each = [{"n_groups": n, **self._with_limits(x, one)} for x, (one, n) in found.items()]
        frame = pd.DataFrame(each, index=pd.Index(list(found), name="mean"))
        above = frame["estimate"] - frame["estimate"]["size"] > MOST_LEANING * frame["se"]
        remark = np.where(above & (frame.index == "inverse_variance"), LEANING, "")
        return frame.assign(remark=remark)[list(schema.STRATIFIED)]

    @cached_property
    def equality(self) -> pd.DataFrame:
        """Frame of tests that all groups have the same coefficient, in three ways."""
        raw = np.tanh(self.corrected.z), np.sqrt(self.corrected.raw)
        tests = {"fisher_z": same_mean(*self.effects), "kappa": same_mean(*raw)}
        if self.spans:
            tests = {
                name: test._replace(chi2=np.nan, p_value=np.nan, reason=SPANS)
                for name, test in tests.items()
            }
        tests["donner_eliasziw_klar"] = self._binary_test()
        frame = pd.DataFrame([*tests.values()], index=pd.Index(list(tests), name="test"))
        frame["remark"] = np.where(frame["p_value"].isna(), "", self._rough)
        return frame[list(schema.EQUALITY)]

    def figures_at(self, level: float, ci: str) -> PairFigures:
        """Return the figures of the groups with limits at some level."""
        return figures_of(self.estimates, self.coefficient, ci=ci, level=level)

    def together(self) -> Estimates:
        """Estimate the coefficient of all items, as if there were no groups."""
        tables, scale, mean = self.estimates.tables, self.common_scale, self.mean_weight
        counts = tables.counts
        if mean is not None:
            counts = replace(counts, count=counts.count * mean[counts.table])
        whole = replace(
            tables,
            counts=counts.together(self.weight > 0),
            in_use=scale.in_use,
            groups=tables.groups.together(),
        )
        level = self.averaging.level
        return Estimates(
            whole, summarise(whole.counts, scale, self.model, ci="auto", level=level), scale
        )

    @property
    def _rough(self) -> str:
        """What means and tests say of themselves if a group is rare or hardly disagrees."""
        return str(self.panels.rough[self.place])

    def _first_reason(self, groups: BoolArray, otherwise: str) -> str:
        """Return the reason of the first of some groups that has one."""
        return next(filter(None, self.estimates.column("reason")[groups]), otherwise)

    def _across_clusters(self, mean: PooledMean, weight: FloatArray) -> PooledMean:
        """Enlarge the standard error as clusters in several groups enlarge that of influence."""
        influence = of_pair(self.rows, self.estimates.scale, self.model, (0, 1)).influence
        exact = np.where(self.is_smoothed, self.summary.se_fisher_z, 0.0)
        figures = (influence, self.summary.centre, weight, exact)
        se = error_of_mean(self.rows, *(figure[None] for figure in figures))
        apart = weighted_fisher_mean(
            self.summary.estimate, weight, se_fisher_z=self.summary.se_fisher_z
        ).se_fisher_z
        return with_error(mean, mean.se_fisher_z * se / apart, self.averaging.level)

    def _reason_of(self, mean: PooledMean) -> str:
        """Say why the mean or its standard error is NaN: the reason of a group that lacks it."""
        if not np.isnan(mean.se_fisher_z):
            return ""
        undefined = np.isnan(self.summary.estimate)
        lacks = ~undefined & np.isnan(self.summary.se_fisher_z) if mean.n_groups else undefined
        return self._first_reason((self.weight > 0) & lacks, "no_items")

    def _counted(self, found: PooledMean) -> PooledMean:
        """Count the groups left out, and say why all were, if they were."""
        reason = found.reason
        if not found.n_groups:
            reason = self._first_reason(self.weight > 0, "no_items")
        left_out = int((~self.usable & (self.weight > 0)).sum())
        return found._replace(n_undefined=left_out, reason=reason)

    def _with_limits(self, name: str, one: OneKappa) -> dict[str, Any]:
        """Put normal limits on Fisher's z scale around a coefficient."""
        estimate, se = np.float64(one.estimate), np.float64(one.se)
        reason = ""
        if self.spans and name not in ("within", "crude"):
            se, reason = np.float64(np.nan), SPANS
        elif np.isnan(estimate) or np.isnan(se):
            lacking = np.isnan(self.summary.se) & (self.weight > 0)
            reason = self._first_reason(lacking, "no_joint_items")
        elif not (abs(estimate) < 1 and se > 0):
            reason = "no_variance"
        with np.errstate(divide="ignore", invalid="ignore"):
            half = half_width(self.averaging.level) * se / (1 - estimate**2)
            low, high = np.tanh([np.arctanh(estimate) - half, np.arctanh(estimate) + half])
        limits = (np.nan, np.nan) if reason else (low, high)
        figures = ("estimate", "se", "ci_low", "ci_high", "reason")
        return dict(zip(figures, (estimate, se, *limits, reason), strict=True))

    def _binary_test(self) -> EqualityTest:
        """Compare the groups where there are two categories; NaN elsewhere."""
        counts = self.estimates.tables.counts
        if counts.n_categories != BINARY:
            return EqualityTest(np.nan, 0, np.nan, 0, "not_binary")
        if self.estimates.rows is not None:
            return EqualityTest(np.nan, 0, np.nan, 0, "clusters")
        return donner_eliasziw_klar((counts.tables() * counts.unit)[self.weight > 0])


def row_of(mean: PooledMean, null: float, remark: str, df: float = np.inf) -> dict[str, Any]:
    """Return the row of a mean with its test, and what is to be said of its limits."""
    z, p_value = z_and_p(mean, null, df)
    remark = "" if np.isnan(mean.ci_low) else remark
    return {**mean._asdict(), "z": z, "p_value": p_value, "remark": remark}


def pooled_frame(rows: list[dict[str, Any]], index: pd.Index) -> pd.DataFrame:
    """Frame of means on Fisher's z scale."""
    return pd.DataFrame(rows, index=index)[list(schema.POOLED)]


def heterogeneity_frame(found: list[Heterogeneity], index: pd.Index) -> pd.DataFrame:
    """One row for each pair of raters: how much its groups differ."""
    frame = pd.DataFrame(found, index=index, dtype=np.float64)
    reason = np.where(frame["p_value"].isna(), SPANS, "")
    reason = np.where(frame["q"].isna(), "one_group", reason)
    return frame.assign(reason=reason, remark="")[list(schema.HETEROGENEITY)]
