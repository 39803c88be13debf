"""The results of `grouped`: of one pair of raters, and of several."""

from __future__ import annotations

import math
from abc import abstractmethod
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import pandas as pd

from pdkappa.coefficients.chance import COEFFICIENTS
from pdkappa.coefficients.intervals import fisher_z
from pdkappa.errors import CrudeKappaWarning, OptionError, listing, plural, shown, warn
from pdkappa.methods.estimates.group_differences import Compared, ComparedPairs
from pdkappa.methods.estimates.told import called_with
from pdkappa.methods.groups.mean_over_groups import MOST_CRUDE, heterogeneity_frame, pooled_frame
from pdkappa.methods.workbook.book import Book, Exported
from pdkappa.methods.workbook.live_formulas import (
    blocks_of,
    check_fits,
    live_tables,
    why_no_tables,
    with_panel,
    with_sums,
)
from pdkappa.methods.workbook.sheets import (
    CRUDE,
    Live,
    confusion_sheets,
    groups_sheet,
    method_of,
    pooling_sheets,
)
from pdkappa.present.findings import Caution, Finding, Findings, with_minus
from pdkappa.present.labels import listed, name_of, one_line, place_of, rounded, spoken_by, titled
from pdkappa.present.schema import REASONS
from pdkappa.present.text_markup import counted
from pdkappa.present.text_tables import result
from pdkappa.ratings.categories import index_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    from matplotlib.axes import Axes

    from pdkappa._typing import Label
    from pdkappa.coefficients.means_over_groups import PooledMean
    from pdkappa.methods.estimates.pair_frames import Estimates
    from pdkappa.methods.groups.mean_over_groups import Pooling
    from pdkappa.present.sheets import Sheet


PAIR, MOST_NAMED = 2, 5


def findings_of(mean: pd.Series, frame: pd.DataFrame, n: int, told: dict[str, Any]) -> Findings:
    """Read out the mean over the groups, a row with its limits, and the range of the groups."""
    known = frame["estimate"].dropna().sort_values(kind="stable")
    row = COEFFICIENTS[told["coefficient"]]
    estimate, low, high = (float(mean[name]) for name in ("estimate", "ci_low", "ci_high"))
    raters = told["raters"]
    who = listed(raters) if len(raters) > PAIR else " and ".join(map(one_line, raters))
    figure = f"{called_with(row.spoken, told['weights'])} {with_minus(estimate, low, high)}"
    said = f"{who} agree at {figure} on average over {counted(n, 'group')}"
    why = REASONS.get(str(mean["reason"]), "")
    if math.isnan(estimate):
        said = f"The agreement of {who} is undefined. {why}".strip().rstrip(".")
    elif math.isnan(low) and why:
        said = f"{said}, without limits. {why}".rstrip(".")
    found: tuple[Finding, ...] = ()
    if len(known) > 1:
        ends = [
            f"{rounded(known.iloc[end])} ({place_of(known.index.names, known.index[end])})"
            for end in (0, -1)
        ]
        text = f"Groups range from {ends[0]} to {ends[1]}."
        found = (Finding("groups", "", text, "groups", verdict="cannot tell"),)
    level = f"{100 * float(told['confidence_level']):.10g}% CI"
    parts = [method_of(told["coefficient"], told["weights"]), level, f"missing: {told['missing']}"]
    n_items = float(mean["n_items"])
    items = f"{n_items:,.10g} {plural(n_items, 'item')}"
    return Findings(
        f"{said}.",
        found,
        basis=" \N{MIDDLE DOT} ".join([*parts, items]),
        figures=(estimate, low, high),
        subject=f"Agreement of {who}, by {spoken_by(told['by'])}",
    )


def _some(labels: pd.Index) -> str:
    """Name some rows."""
    names = [place_of(labels.names, one) for one in labels[:MOST_NAMED]]
    more = f" and {len(labels) - MOST_NAMED} more" if len(labels) > MOST_NAMED else ""
    return f"{'; '.join(names)}{more}"


def sheets_of_pair(
    frame: pd.DataFrame, panel: dict[str, pd.DataFrame], *, pooling: Pooling, live: Live | None
) -> list[Sheet]:
    """Show the groups of two raters, and their means.

    Without `live` there are no confusion tables, or the figures
    are no function of them.
    """
    method = method_of(pooling.coefficient, pooling.weights)
    groups = groups_sheet(frame, method)
    sheets = pooling_sheets(panel)
    if live is None:
        return [groups, *sheets]
    clip, whole = pooling.averaging.clip, _together(pooling, live)
    return with_panel(groups, sheets, blocks_of([live]), clip, whole)


def sheets_of_all(pooling: Pooling, live: Live) -> list[Sheet]:
    """Show the ratings of all groups together, of which ``crude`` is made."""
    whole = _together(pooling, live)
    [table] = confusion_sheets(whole.estimates, whole)
    table = replace(
        table, name=f"all {table.name}", title=f"{table.title}, all groups together", notes=(CRUDE,)
    )
    return [with_sums(table, live, pooling.weight)]


def _together(pooling: Pooling, live: Live) -> Live:
    """Take the table of all groups together as live."""
    return Live(pooling.together(), live.coefficient, "all groups")


def sheets_of_pairs(
    frame: pd.DataFrame, panel: dict[str, pd.DataFrame], *, every: Sequence[Pooling]
) -> tuple[list[Sheet], list[Sheet]]:
    """Show the groups of several pairs, their means, and their confusion tables if they fit."""
    one, estimates = every[0], [pooling.estimates for pooling in every]
    method = method_of(one.coefficient, one.weights)
    groups = groups_sheet(frame, method)
    sheets = [groups, *pooling_sheets(panel)]
    if why_no_tables([known.tables for known in estimates]):
        return sheets, []
    lives = [live_tables(known, one.coefficient, number) for number, known in enumerate(estimates)]
    blocks = blocks_of([live for live in lives if live is not None])
    if blocks:
        sheets = with_panel(groups, sheets[1:], blocks, one.averaging.clip)
    tables = [
        table
        for known, live in zip(estimates, lives, strict=True)
        for table in confusion_sheets(known, live)
    ]
    return sheets, tables


def panels_of(one: ByGroup) -> dict[str, pd.DataFrame]:
    """Return the tables beside that of the groups, and how single groups were treated."""
    beside = {name: table for name, table in one.tables.items() if name != "groups"}
    return {**beside, "treated": one.treated.to_frame()}


TABLES = ("groups", "pooled", "heterogeneity", "equality", "stratified", "leave_one_out")
OF_MEANS = ("estimate", "ci_low", "ci_high", "z", "p_value", "se_fisher_z", "reason", "remark")
SHOWN = ["n_items", "estimate", "ci_low", "ci_high", "se", "max_estimate", "weight", "reason"]


class ByGroup(Exported):
    """What results of one pair of raters, and of several, have in common."""

    @property
    @abstractmethod
    def groups(self) -> pd.DataFrame:
        """One row for each group."""

    @property
    def treated(self) -> pd.Series:
        """How single groups were treated: clipped, smoothed, or left out, and why.

        Returns
        -------
        Series
            A text for each group that was treated differently from the others, or has so few
            items outside one category that tests of such groups are unreliable.
        """
        remarks = self.groups["remark"]
        found = remarks[remarks != ""].copy()
        found.attrs.clear()
        return found

    @property
    @abstractmethod
    def _raters(self) -> list[Label]:
        """All raters, each once."""

    def _table(self, frame: pd.DataFrame) -> pd.DataFrame:
        """Let a frame say what this result says, as one of its tables."""
        return self._told.of(result(frame.copy(), self._raters))

    def _of_pairs(
        self, frames: dict[tuple[Label, Label], pd.DataFrame], inner: str | None = None
    ) -> pd.DataFrame:
        """Put the frames of pairs of raters one below the other, as one of the tables."""
        names = next(iter(frames.values())).index.names if inner is None else [inner]
        return self._table(pd.concat(frames, names=["rater_a", "rater_b", *names]))

    @property
    def remarks(self) -> list[str]:
        """The warnings that were raised, and how single groups were treated."""
        alike = self.treated.groupby(self.treated, sort=False).groups
        rows = [f"{_some(groups)}: {text}" for text, groups in alike.items()]
        return [*self._told.remarks, *rows]

    def _with_remarks(self, found: Findings) -> Findings:
        """Let the remarks stand below what was found."""
        basis = self._told.line or found.basis
        return replace(found, cautions=tuple(map(Caution, self.remarks)), basis=basis)

    @property
    def tables(self) -> dict[str, pd.DataFrame]:
        """The frames of the panel by name, as in the workbook.

        Returns
        -------
        dict of DataFrame
            ``groups, pooled, heterogeneity, equality, stratified, leave_one_out``.
        """
        return {name: getattr(self, name) for name in TABLES}

    def _main(self) -> pd.DataFrame:
        """Return the groups and the means, with the most telling columns."""
        return self.to_frame()[SHOWN]


@dataclass(frozen=True, eq=False, repr=False)
class GroupedAgreement(ByGroup, Compared):
    """Agreement of two raters group by group, and the means over the groups.

    Attributes
    ----------
    groups : DataFrame
        One row for each group, with the columns ``n_items, n_categories,
        observed_agreement, expected_agreement, estimate, se, ci_low, ci_high, fisher_z,
        se_fisher_z, weight, max_estimate, reason``.
    raters : tuple
        The two raters.
    estimates : Estimates
        The counts, and every figure computed from them.
    options : dict
        The options of the call.

    See Also
    --------
    df.kappa.grouped : Compute it.
    """

    raters: tuple[Label, Label]
    estimates: Estimates
    options: dict[str, Any]
    panel: Pooling = field(repr=False)
    _code: str = field(repr=False, default="")

    @cached_property
    def groups(self) -> pd.DataFrame:
        """One row for each group: see the attributes."""
        labels = self.estimates.tables.groups.labels
        return self._table(pd.DataFrame(self.panel.groups, index=labels))

    @cached_property
    def pooled(self) -> pd.DataFrame:
        """Means over the groups, computed on Fisher's z scale.

        Returns
        -------
        DataFrame
            The rows ``fisher_mean`` (weighted by `group_weights`, and what ``float(result)``
            is), ``fixed`` (one true coefficient, weighted by items) and
            ``random`` (true coefficients that vary between groups), with the columns
            ``estimate, se_fisher_z, ci_low, ci_high, prediction_low, prediction_high,
            n_groups, n_clipped, n_undefined, reason``. The prediction interval is for the
            true coefficient of one more group. The limits of ``fisher_mean`` are for the mean
            of the true z of these groups, and lie around a mean without the bias of small
            tables; they reach to the estimate. Reasons for NaN:

            - ``no_items`` and the reasons of `groups`: no group, or one without a standard
              error in the mean;
            - ``one_group``: differences between groups need two.

            `remark` is empty, or says that limits are approximate: some group has fewer than ten
            items outside one category; or that those of ``random`` are wide (with a coverage of up
            to 1): fewer than ten groups, or groups that differ no more than by chance.
        """
        return self._table(pooled_frame(self.panel.pooled, pd.Index(MEANS, name="mean")))

    @property
    def heterogeneity(self) -> pd.DataFrame:
        """How much the groups differ beyond what their standard errors explain.

        Returns
        -------
        DataFrame
            One row: ``q`` (Cochran's Q), ``df``, ``p_value``, ``i2`` in [0, 1) and ``tau2``, the
            variance of the true z of the groups, and limits of both, by Q profiles (Viechtbauer
            2007). NaN with fewer than two groups (``one_group``); no p-value and no limits where
            groups are not independent (``clusters_span_groups``).
        """
        return self._table(heterogeneity_frame([self.panel.heterogeneity], pd.RangeIndex(1)))

    @property
    def leave_one_out(self) -> pd.DataFrame:
        """Each mean without each group in turn, to see whether one group decides it.

        Returns
        -------
        DataFrame
            One row for each group that has a weight; columns ``fisher_mean, fixed, random``.
            ``result.leave_one_out.agg(["min", "max"])`` is the range. What corrects the z of
            small tables in the last two is that of all groups.
        """
        return self._table(self.panel.leave_one_out)

    @property
    def stratified(self) -> pd.DataFrame:
        """Coefficients for all groups together, on their own scale.

        Returns
        -------
        DataFrame
            The rows ``equal``, ``size`` and ``inverse_variance`` (means with these weights,
            Barlow, Lai & Azen 1991), ``within`` (one less all disagreement over all that is
            expected within the groups) and ``crude`` (all items as if there were no groups);
            columns ``n_groups, estimate, se, ci_low, ci_high, reason, remark``.

        Notes
        -----
        ``within`` and ``crude`` use the items that both raters rated, whatever `missing`.

        A group that happens to agree well has a small variance, so that ``inverse_variance`` is too
        high where groups are small: simulated with quadratic weights, a kappa of .72 and 6 groups
        of 40 items, or 20 of 100, its limits hold the true value in .6 of samples, and those of
        ``size`` in .92 to .96. `remark` says so where it is above ``size`` by more than half of its
        standard error.
        """
        return self._table(self.panel.stratified)

    @property
    def equality(self) -> pd.DataFrame:
        """Tests that all groups have the same coefficient.

        Returns
        -------
        DataFrame
            The rows ``fisher_z`` (Cochran's Q on Fisher's z scale), ``kappa`` (on its own
            scale) and ``donner_eliasziw_klar`` (intraclass kappas of two categories);
            columns ``chi2, df, p_value, n_groups, reason, remark``. Reasons for NaN:
            ``one_group``, ``no_items``, and for the last row ``not_binary``, ``clusters`` and
            ``impossible_counts`` (the common kappa is so low that it expects negative counts).
            `remark` is as in `pooled`.
        """
        return self._table(self.panel.equality)

    @property
    def within(self) -> float:
        """Agreement within the groups: ``1 - sum(n * Do) / sum(n * De)``."""
        return float(self.stratified["estimate"]["within"])

    @property
    def crude(self) -> float:
        """Agreement of all items together, as if there were no groups.

        Groups with different scales or levels make the ratings of all items vary, so that any
        two raters who know which group an item belongs to agree well.

        Warns
        -----
        CrudeKappaWarning
            If it exceeds `within` by more than 0.1.
        """
        if self.is_crude_misleading:
            warn(self.crude_note(), CrudeKappaWarning)
        return self._crude

    @property
    def plot(self) -> GroupPlots:
        """Pictures of the groups and their means."""
        panel = self.panel
        weights, level = name_of(panel.weights), panel.averaging.level
        a, b = self.raters
        title, line = f"{a} with {b}", self._told.line
        return GroupPlots(self.groups, self.pooled, title, panel.coefficient, weights, level, line)

    @property
    def _raters(self) -> list[Label]:
        """The two raters."""
        return [*self.raters]

    def __float__(self) -> float:
        """Return the Fisher-z weighted mean."""
        return float(self.pooled["estimate"]["fisher_mean"])

    def to_frame(self) -> pd.DataFrame:
        """Return the groups followed by the rows of the pooled means.

        Returns
        -------
        DataFrame
            The columns of `groups`. In a pooled row ``n_items`` is the sum over the
            groups, ``fisher_z`` the mean of z, and what is not defined for a mean is NaN;
            ``weight`` is the sum of the weights of the groups in ``fisher_mean``; the other
            means do not use them.
        """
        means = self.pooled[list(OF_MEANS)].assign(
            n_items=self.groups["n_items"].sum(),
            fisher_z=fisher_z(self.pooled["estimate"].to_numpy(), None),
            weight=[weight_of(self.panel), np.nan, np.nan],
        )
        names = self.groups.index.names
        if len(names) > 1:
            blank = ("",) * (len(names) - 1)
            means.index = pd.MultiIndex.from_tuples([(*blank, one) for one in means.index])
        return below(self.groups.astype({"n_categories": "Int64"}), means)

    def _book(self) -> Book:
        """Collect groups, the pooling panel, and confusion tables if they fit."""
        check_fits(len(self.groups), len(self.raters))
        left_out = why_no_tables([self.estimates.tables])
        fits, panel = not left_out, self.panel
        live = live_tables(self.estimates, panel.coefficient) if fits else None
        sheets = sheets_of_pair(self.to_frame(), panels_of(self), pooling=panel, live=live)
        tables = [*confusion_sheets(self.estimates, live)] if fits else []
        tables += sheets_of_all(panel, live) if live is not None else []
        return Book(tuple(sheets), self.options, tuple(tables), live is not None, left_out)

    @property
    def findings(self) -> Findings:
        """What was found: the Fisher-z mean, the range of the groups, how some were treated."""
        mean = self.to_frame().iloc[len(self.groups)]
        told = findings_of(mean, self.groups, len(self.groups), self.options)
        return self._with_remarks(told)

    @property
    def _crude(self) -> float:
        """Agreement of all items together."""
        return float(self.stratified["estimate"]["crude"])

    @property
    def is_crude_misleading(self) -> bool:
        """Whether the crude kappa credits the raters with telling the groups apart."""
        return self._crude - self.within > MOST_CRUDE

    def crude_note(self) -> str:
        """Say by how much and why the crude kappa misleads.

        Returns
        -------
        str
            One sentence, and what to report instead.
        """
        return (
            f"The kappa of all items together, {rounded(self._crude)}, exceeds that within the "
            f"groups, {rounded(self.within)}, by more than {MOST_CRUDE:g}: it credits the raters "
            "with telling the groups apart. Report 'within' or one of the pooled means."
        )


def weight_of(panel: Pooling) -> float:
    """Sum the weights of the groups that have a coefficient."""
    return float(panel.weight[~np.isnan(panel.estimates.summary.estimate)].sum())


MEANS = ("fisher_mean", "fixed", "random")


class MeanOfPairs(NamedTuple):
    """The mean over all pairs and groups, its row, and the items and weights that are in it."""

    mean: PooledMean
    row: dict[str, Any]
    n_items: float
    weight: float

    @property
    def figures(self) -> dict[str, Any]:
        """The row as it stands below the groups."""
        found = {name: self.row[name] for name in OF_MEANS}
        z = fisher_z(np.array(self.mean.estimate), None)
        return found | {"n_items": self.n_items, "fisher_z": z, "weight": self.weight}


@dataclass(frozen=True, eq=False, repr=False)
class GroupedPairs(ByGroup, ComparedPairs):
    """Agreement of several pairs of raters group by group, and the mean over all of them.

    ``result["human_1", "machine"]`` is the `GroupedAgreement` of one pair.

    Attributes
    ----------
    results : dict
        The `GroupedAgreement` of each pair of raters.

    See Also
    --------
    df.kappa.grouped : Compute it, from a list of pairs.
    """

    results: dict[tuple[Label, Label], GroupedAgreement]
    _whole: MeanOfPairs = field(repr=False)
    _code: str = field(repr=False, default="")

    @property
    def mean(self) -> PooledMean:
        """The Fisher-z weighted mean over all pairs and groups."""
        return self._whole.mean

    @property
    def n_items(self) -> float:
        """Number of items that both raters of some pair rated; each counts once."""
        return self._whole.n_items

    @property
    def groups(self) -> pd.DataFrame:
        """One row for each pair and group in which one of the two rated anything.

        Returns
        -------
        DataFrame
            The columns of `GroupedAgreement.groups`, indexed by ``rater_a, rater_b`` and the
            columns of the groups. A domain in which a group is not rated at all is left out.
        """
        has_ratings = [one.estimates.tables.groups.has_ratings for one in self.results.values()]
        return self._table(self._every_group[np.concatenate(has_ratings)])

    @cached_property
    def _every_group(self) -> pd.DataFrame:
        """One row for each pair and group, put together once."""
        parts = [one.panel.groups for one in self.results.values()]
        columns = {name: np.concatenate([part[name] for part in parts]) for name in parts[0]}
        labels = next(iter(self.results.values())).groups.index
        group = np.arange(len(parts) * len(labels)) % len(labels)
        raters = [index_of(one).repeat(len(labels)) for one in zip(*self.results, strict=True)]
        levels = [labels.get_level_values(level).take(group) for level in range(labels.nlevels)]
        names = ["rater_a", "rater_b", *labels.names]
        index = pd.MultiIndex.from_arrays([*raters, *levels], names=names)
        return pd.DataFrame(columns, index=index)

    @property
    def pooled(self) -> pd.DataFrame:
        """The pooled means of each pair, and the mean over all pairs and groups last.

        Returns
        -------
        DataFrame
            The columns of `GroupedAgreement.pooled`, indexed by ``rater_a, rater_b, mean``.
            The last row, ``all pairs``, is what ``float(result)`` returns: the mean over
            every pair and group with its weight. Its standard error accounts for items that
            several pairs rated, and its remark is the first of theirs.
        """
        return self._table(self._pooled)

    @cached_property
    def _pooled(self) -> pd.DataFrame:
        """The pooled means, put together once."""
        rows = [row for one in self.results.values() for row in one.panel.pooled]
        labels = [(a, b, mean) for a, b in self.results for mean in MEANS]
        names = ["rater_a", "rater_b", "mean"]
        last = ("all pairs", "", "fisher_mean")  # at first, as pandas sorts no text after tuples
        index = pd.MultiIndex.from_tuples([last, *labels], names=names)
        return pooled_frame([*rows, self._whole.row], index[[*range(1, len(index)), 0]])

    @property
    def heterogeneity(self) -> pd.DataFrame:
        """How far the groups differ, one row for each pair: see `GroupedAgreement`."""
        index = pd.MultiIndex.from_tuples(self.results, names=["rater_a", "rater_b"])
        found = [one.panel.heterogeneity for one in self.results.values()]
        return self._table(heterogeneity_frame(found, index))

    @property
    def equality(self) -> pd.DataFrame:
        """Tests that all groups have the same coefficient, for each pair: see `GroupedAgreement`.

        Returns
        -------
        DataFrame
            Indexed by ``rater_a, rater_b, test``.
        """
        return self._of_pairs({pair: one.equality for pair, one in self.results.items()}, "test")

    @property
    def stratified(self) -> pd.DataFrame:
        """Coefficients of each pair for all groups together: see `GroupedAgreement`.

        Returns
        -------
        DataFrame
            Indexed by ``rater_a, rater_b, mean``.
        """
        return self._of_pairs({pair: one.stratified for pair, one in self.results.items()}, "mean")

    @property
    def leave_one_out(self) -> pd.DataFrame:
        """Each mean of each pair without each group in turn: see `GroupedAgreement`.

        Returns
        -------
        DataFrame
            Indexed by ``rater_a, rater_b`` and the columns of the groups.
        """
        return self._of_pairs({pair: one.leave_one_out for pair, one in self.results.items()})

    @property
    def within(self) -> pd.Series:
        """Agreement of each pair within the groups, indexed by ``rater_a, rater_b``."""
        return self._figure("within")

    @property
    def crude(self) -> pd.Series:
        """Agreement of each pair on all items together: see `GroupedAgreement`.

        Warns
        -----
        CrudeKappaWarning
            Once, if that of some pair exceeds `within` by more than 0.1.
        """
        for one in self.results.values():
            if one.is_crude_misleading:
                warn(one.crude_note(), CrudeKappaWarning)
                break
        return self._figure("crude")

    def _figure(self, name: str) -> pd.Series:
        """Return one figure of each pair."""
        return self.stratified["estimate"].xs(name, level="mean").rename(name)

    @property
    def plot(self) -> GroupPlots:
        """Pictures of the groups of all pairs, and of their means."""
        groups, means = self.groups, self.pooled
        means = means[means.index.get_level_values("mean") == "fisher_mean"]
        names = [" with ".join(map(str, filter(None, pair))) for *pair, _ in means.index]
        levels = [groups.index.get_level_values(level) for level in range(groups.index.nlevels)]
        both = [f"{a} with {b}" for a, b in zip(*levels[:PAIR], strict=True)]
        labels = pd.MultiIndex.from_arrays(
            [both, *levels[PAIR:]], names=[None, *groups.index.names[PAIR:]]
        )
        one = next(iter(self.results.values())).plot
        return replace(
            one,
            groups=groups.set_axis(labels),
            pooled=means.set_axis(names),
            title=f"{len(self.results)} pairs of raters",
        )

    def __float__(self) -> float:
        """Return the Fisher-z weighted mean over all pairs and groups."""
        return self.mean.estimate

    def __getitem__(self, pair: tuple[Label, Label]) -> GroupedAgreement:
        """Return the result of one pair of raters."""
        pair = pair if pair in self.results else pair[::-1]
        if pair not in self.results:
            raise OptionError(
                f"{shown(pair[::-1])} is not one of the pairs: {listing(self.results)}."
            )
        return self.results[pair]

    def to_frame(self) -> pd.DataFrame:
        """Return the groups and the means of every pair, and the mean over all pairs last.

        Returns
        -------
        DataFrame
            The columns of `GroupedAgreement.to_frame`, indexed by ``rater_a, rater_b`` and
            the columns of the groups. In the last row, `n_items` counts each item once.
        """
        every, n_means = list(self.results.values()), len(MEANS)
        groups = self._every_group.astype({"n_categories": "Int64"})
        frame = below(groups, self._means())
        first, n = np.arange(len(every))[:, None], len(groups) // len(every)
        order = np.concatenate(
            [first * n + np.arange(n), len(groups) + first * n_means + np.arange(n_means)], axis=1
        )
        return below(frame.iloc[order.ravel()], self._last())

    def _means(self) -> pd.DataFrame:
        """Return the means over the groups of each pair, as they stand in the frame."""
        every, pooled = list(self.results.values()), self._pooled.iloc[:-1]
        n_groups = self._every_group.index.nlevels - PAIR
        weight = np.full((len(every), len(MEANS)), np.nan)
        weight[:, 0] = [weight_of(one.panel) for one in every]
        items = np.array([one.estimates.column("n_items").sum() for one in every])
        means = pooled[list(OF_MEANS)].assign(
            n_items=np.repeat(items, len(MEANS)),
            fisher_z=fisher_z(pooled["estimate"].to_numpy(), None),
            weight=weight.ravel(),
        )
        blank = ("",) * (n_groups - 1)
        labels = [(a, b, *blank, mean) for a, b, mean in pooled.index]
        return means.set_axis(pd.MultiIndex.from_tuples(labels))

    def _last(self) -> pd.DataFrame:
        """Return the mean over all pairs and groups as a frame of one row."""
        first = next(iter(self.results.values()))
        labels = ("all pairs", *("",) * first.groups.index.nlevels, "fisher_mean")
        return pd.DataFrame([self._whole.figures], index=pd.MultiIndex.from_tuples([labels]))

    def _book(self) -> Book:
        """Collect the groups and the means of every pair, and confusion tables if they fit."""
        first = next(iter(self.results.values()))
        check_fits(len(first.groups) * len(self.results), len(first.raters))
        options = first.options | {"raters": self._raters}
        left_out = why_no_tables([one.estimates.tables for one in self.results.values()])
        every = [one.panel for one in self.results.values()]
        sheets, tables = sheets_of_pairs(self.to_frame(), panels_of(self), every=every)
        is_live = any(sheet.formulas for sheet in sheets)
        return Book(tuple(sheets), options, tuple(tables), is_live, left_out)

    @property
    def findings(self) -> Findings:
        """What was found: the mean over all pairs and groups, their range, what was treated."""
        first = next(iter(self.results.values()))
        options = first.options | {"raters": self._raters}
        told = findings_of(self.to_frame().iloc[-1], self.groups, len(first.groups), options)
        return self._with_remarks(told)

    @property
    def _raters(self) -> list[Label]:
        """All raters of the pairs, each once."""
        return list(dict.fromkeys(rater for pair in self.results for rater in pair))


@dataclass(frozen=True)
class GroupPlots:
    """Pictures of the agreement of raters by group.

    See Also
    --------
    df.kappa.grouped : The result that they show.
    """

    groups: pd.DataFrame
    pooled: pd.DataFrame
    title: str
    coefficient: str
    weights: str | None
    level: float
    line: str = ""

    def __call__(self, ax: Axes | None = None) -> Axes:
        """Draw the forest."""
        return self.forest(ax)

    def forest(self, ax: Axes | None = None, *, order: bool = True) -> Axes:
        """Draw each group's coefficient with its interval, and the pooled means below.

        The larger a square, the more precise is its coefficient, and the more it counts in
        the fixed-effect mean; `group_weights` are not drawn.

        Means are diamonds as wide as their intervals. The thin line in the last row is the
        prediction interval for the true coefficient of one more group.

        Parameters
        ----------
        ax : matplotlib Axes, optional
            Where to draw. Default: a new figure, high enough for all groups.
        order : bool, default True
            Whether groups are sorted by their estimate, the greatest first.

        Returns
        -------
        Axes
            With the coefficient on the horizontal axis, from 0 to 1 unless something lies outside.

        Raises
        ------
        MissingDependencyError
            If Matplotlib is not installed.
        """
        from pdkappa.present.plot_drawing import About
        from pdkappa.present.plot_estimates import draw_forest

        groups = self.groups.sort_values("estimate", ascending=False) if order else self.groups
        spoken = titled(COEFFICIENTS[self.coefficient].spoken)
        about = About(spoken, self.weights, self.level, self.line)
        return draw_forest(groups, self.pooled, self.title, about, ax)


def below(frame: pd.DataFrame, means: pd.DataFrame) -> pd.DataFrame:
    """Put rows that know some of the columns below a frame, whose types stay."""
    n, places = len(frame), pd.RangeIndex(len(frame) + len(means))
    result = frame.set_axis(places[:n]).reindex(places)
    for name in means:
        result.loc[n:, name] = means[name].to_numpy()
    result["n_items"] = result["n_items"].astype(frame["n_items"].dtype)
    labels = frame.index, means.index
    if means.index.nlevels == 1:
        index = pd.Index([*labels[0], *labels[1]], dtype=object, tupleize_cols=False)
    else:  # levels are not sorted, of which some may be tuples
        both = zip(*map(_levels, labels), strict=True)
        codes, levels = zip(*(one.append(two).factorize() for one, two in both), strict=True)
        index = pd.MultiIndex([*levels], [*codes])
    return result.set_axis(index.set_names(frame.index.names))


def _levels(labels: pd.Index) -> list[pd.Index]:
    """Return the values of each level."""
    return [labels.get_level_values(level) for level in range(labels.nlevels)]
