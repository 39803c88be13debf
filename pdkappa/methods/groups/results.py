"""Results of groups of items: frames of the groups and their means, shown and exported."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from pdkappa.coefficients.intervals import fisher_z
from pdkappa.errors import CrudeKappaWarning, warn
from pdkappa.methods.groups.page import headline_of
from pdkappa.methods.groups.panel import MOST_CRUDE
from pdkappa.methods.groups.workbook import sheets_of_all, sheets_of_pair
from pdkappa.methods.workbook.book import Book, Exported
from pdkappa.methods.workbook.live_formulas import check_fits, live_tables, why_no_tables
from pdkappa.methods.workbook.sheets import confusion_sheets
from pdkappa.present.labels import name_of, rounded
from pdkappa.present.text_tables import Shown, result

if TYPE_CHECKING:
    from pdkappa._typing import Label
    from pdkappa.methods.estimates.pair_frames import Estimates
    from pdkappa.methods.groups.panel import Pooling
    from pdkappa.methods.groups.plots import GroupPlots
    from pdkappa.present.html_page import Headline
    from pdkappa.present.sheets import Sheet

MOST_NAMED = 5
SHOWN = ["n_items", "estimate", "ci_low", "ci_high", "se", "max_estimate", "weight", "reason"]


@dataclass(frozen=True, eq=False, repr=False)
class GroupedAgreement(Shown, Exported):
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
    call : str
        The code that reproduces the result.

    See Also
    --------
    pdkappa.grouped : Compute it.
    """

    groups: pd.DataFrame
    raters: tuple[Label, Label]
    estimates: Estimates
    options: dict[str, Any]
    panel: Pooling = field(repr=False)
    call: str = field(repr=False, default="")

    @property
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
        return result(self.panel.pooled.copy(), self.raters)

    @property
    def heterogeneity(self) -> pd.Series:
        """How much the groups differ beyond what their standard errors explain.

        Returns
        -------
        Series
            ``q`` (Cochran's Q), ``df``, ``p_value``, ``i2`` in [0, 1) and ``tau2``, the variance
            of the true z of the groups, and limits of both, by Q profiles (Viechtbauer 2007). NaN
            with fewer than two groups.
        """
        return self.panel.heterogeneity.copy()

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
        return self.panel.leave_one_out.copy()

    @property
    def stratified(self) -> pd.DataFrame:
        """Coefficients for all groups together, on their own scale.

        Returns
        -------
        DataFrame
            The rows ``equal``, ``size`` and ``inverse_variance`` (means with these weights,
            Barlow, Lai & Azen 1991), ``within`` (one less all disagreement over all that is
            expected within the groups) and ``crude`` (all items as if there were no groups);
            columns ``n_groups, estimate, se, ci_low, ci_high, reason``.

        Notes
        -----
        ``within`` and ``crude`` use the items that both raters rated, whatever `missing`.
        """
        return result(self.panel.stratified.copy(), self.raters)

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
        return result(self.panel.equality.copy(), self.raters)

    @property
    def remarks(self) -> pd.Series:
        """How single groups were treated: clipped, smoothed, or left out, and why.

        Returns
        -------
        Series
            A text for each group that was treated differently from the others, or has so few
            items outside one category that tests of such groups are unreliable.
        """
        return self.panel.remarks.copy()

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
    def tables(self) -> dict[str, pd.DataFrame]:
        """The frames of the panel by name, as in the workbook.

        Returns
        -------
        dict of DataFrame
            ``pooled, heterogeneity, equality, stratified, leave_one_out, remarks``.
        """
        return {
            "pooled": self.pooled,
            "heterogeneity": self.heterogeneity.to_frame().T,
            "equality": self.equality,
            "stratified": self.stratified,
            "leave_one_out": self.leave_one_out,
            "remarks": self.remarks.to_frame(),
        }

    @property
    def plot(self) -> GroupPlots:
        """Pictures of the groups and their means."""
        from pdkappa.methods.groups.plots import GroupPlots

        panel = self.panel
        weights, level = name_of(panel.weights), panel.averaging.level
        a, b = self.raters
        return GroupPlots(
            self.groups, self.pooled, f"{a} with {b}", panel.coefficient, weights, level
        )

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
        means = self.pooled[["estimate", "ci_low", "ci_high", "se_fisher_z", "reason"]].assign(
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
        fits, panel, missing = not left_out, self.panel, self.options["missing"]
        live = live_tables(self.estimates, panel.coefficient, missing) if fits else None
        sheets = sheets_of_pair(self.to_frame(), self.tables, self.note(), pooling=panel, live=live)
        tables = [
            *(confusion_sheets(self.estimates, live) if fits else ()),
            *(sheets_of_all(panel, live) if live is not None else ()),
        ]
        return Book(tuple(sheets), self.options, tuple(tables), live is not None, left_out)

    def _sheets(self) -> list[Sheet]:
        """Return groups, the pooling panel, confusion tables if they fit, and notes."""
        return self._book().every()

    def _headline(self, sheets: list[Sheet]) -> Headline:
        """Return what the page says first: the Fisher-z mean."""
        mean = self.to_frame().iloc[len(self.groups)]
        return headline_of(mean, len(self.groups), sheets, self.options)

    def _call(self) -> str:
        """Return the code that makes the result again."""
        return self.call

    def _table(self) -> pd.DataFrame:
        """Return the groups and the means, with the most telling columns."""
        return self.to_frame()[SHOWN]

    def _level(self) -> float:
        """Return the confidence level of the limits."""
        return float(self.options["confidence_level"])

    def note(self) -> str:
        """Say what the mean is, and which groups were treated in another way than the rest.

        Returns
        -------
        str
            Raters, mean, number of groups, and the groups that were clipped, smoothed or left
            out.

        Examples
        --------
        >>> df = pdkappa.datasets.load_essays()
        >>> print(df.kappa.grouped("human_1", "machine", by="essay_set").note())
        human_1 with machine: Fisher-z weighted mean 0.7432 of 8 groups.
        """
        a, b = self.raters
        mean = self.pooled.loc["fisher_mean"]
        text = (
            f"{a} with {b}: Fisher-z weighted mean {rounded(float(self), 4)} of "
            f"{mean['n_groups']:g} {'group' if mean['n_groups'] == 1 else 'groups'}"
        )
        if mean["reason"]:
            text += f"; its standard error or itself is NaN ({mean['reason']})"
        return f"{text}.{noted(self.remarks)}"

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


def noted(remarks: pd.Series) -> str:
    """Name the groups that were treated in another way than the rest."""
    shown = [
        f"{', '.join(map(str, group)) if isinstance(group, tuple) else group} {remark}"
        for group, remark in remarks.head(MOST_NAMED).items()
    ]
    more = f", and {len(remarks) - MOST_NAMED} more" if len(remarks) > MOST_NAMED else ""
    return f" Groups: {'; '.join(shown)}{more}." if shown else ""


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
    else:
        index = labels[0].append(labels[1])
    return result.set_axis(index.set_names(frame.index.names))
