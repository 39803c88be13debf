"""The result of several pairs of raters: their groups, and the mean over all of them."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np
import pandas as pd

from pdkappa.coefficients.intervals import fisher_z
from pdkappa.errors import CrudeKappaWarning, OptionError, listing, warn
from pdkappa.methods.groups.page import headline_of
from pdkappa.methods.groups.panel import with_test
from pdkappa.methods.groups.results import SHOWN, GroupedAgreement, below, noted, weight_of
from pdkappa.methods.groups.workbook import sheets_of_pairs
from pdkappa.methods.workbook.book import Book, Exported
from pdkappa.methods.workbook.live_formulas import check_fits, why_no_tables
from pdkappa.present.labels import rounded
from pdkappa.present.text_tables import Shown, result

if TYPE_CHECKING:
    from pdkappa._typing import Label
    from pdkappa.coefficients.means_over_groups import PooledMean
    from pdkappa.methods.groups.plots import GroupPlots
    from pdkappa.present.html_page import Headline
    from pdkappa.present.sheets import Sheet


PAIR = 2
MEANS = ("fisher_mean", "fixed", "random")


@dataclass(frozen=True, eq=False, repr=False)
class GroupedPairs(Shown, Exported):
    """Agreement of several pairs of raters group by group, and the mean over all of them.

    ``result["human_1", "machine"]`` is the `GroupedAgreement` of one pair.

    Attributes
    ----------
    results : dict
        The `GroupedAgreement` of each pair of raters.
    mean : PooledMean
        The Fisher-z weighted mean over all pairs and groups.
    n_items : float
        Number of items that both raters of some pair rated; each counts once.
    call : str
        The code that reproduces the result.

    See Also
    --------
    pdkappa.grouped : Compute it, from a list of pairs.
    """

    results: dict[tuple[Label, Label], GroupedAgreement]
    mean: PooledMean
    n_items: float
    call: str = field(repr=False, default="")

    @property
    def groups(self) -> pd.DataFrame:
        """One row for each pair and group in which one of the two rated anything.

        Returns
        -------
        DataFrame
            The columns of `GroupedAgreement.groups`, indexed by ``rater_a, rater_b`` and the
            columns of the groups. A domain in which a group is not rated at all is left out.
        """
        rated = {
            pair: result.groups[result.estimates.tables.groups.has_ratings]
            for pair, result in self.results.items()
        }
        return _of_pairs(rated)

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
        return result(self._pooled.copy(), self._raters)

    @cached_property
    def _pooled(self) -> pd.DataFrame:
        """The pooled means, put together once."""
        frame = _of_pairs({pair: one.pooled for pair, one in self.results.items()}, "mean")
        null = next(iter(self.results.values())).panel.averaging.null
        rough = next(filter(None, frame["remark"].xs("fisher_mean", level="mean")), "")
        row = pd.DataFrame([{**self.mean._asdict(), "remark": rough}])
        row = with_test(row, [self.mean], null)[list(frame.columns)]
        row.index = pd.MultiIndex.from_tuples(
            [("all pairs", "", "fisher_mean")], names=frame.index.names
        )
        return pd.concat([frame, row])

    @property
    def heterogeneity(self) -> pd.DataFrame:
        """How far the groups differ, one row for each pair: see `GroupedAgreement`."""
        index = pd.MultiIndex.from_tuples(self.results, names=["rater_a", "rater_b"])
        rows = [one.heterogeneity for one in self.results.values()]
        frame = pd.DataFrame(rows).set_axis(index)
        frame.attrs["raters"] = self._raters
        return frame

    @property
    def equality(self) -> pd.DataFrame:
        """Tests that all groups have the same coefficient, for each pair: see `GroupedAgreement`.

        Returns
        -------
        DataFrame
            Indexed by ``rater_a, rater_b, test``.
        """
        return _of_pairs({pair: one.equality for pair, one in self.results.items()}, "test")

    @property
    def stratified(self) -> pd.DataFrame:
        """Coefficients of each pair for all groups together: see `GroupedAgreement`.

        Returns
        -------
        DataFrame
            Indexed by ``rater_a, rater_b, mean``.
        """
        return _of_pairs({pair: one.stratified for pair, one in self.results.items()}, "mean")

    @property
    def leave_one_out(self) -> pd.DataFrame:
        """Each mean of each pair without each group in turn: see `GroupedAgreement`.

        Returns
        -------
        DataFrame
            Indexed by ``rater_a, rater_b`` and the columns of the groups.
        """
        return _of_pairs({pair: one.leave_one_out for pair, one in self.results.items()})

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
        groups, means = (
            self.groups,
            self.pooled[self.pooled.index.get_level_values("mean") == "fisher_mean"],
        )
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
            "heterogeneity": self.heterogeneity,
            "equality": self.equality,
            "stratified": self.stratified,
            "leave_one_out": self.leave_one_out,
            "remarks": self.remarks.to_frame(),
        }

    @property
    def remarks(self) -> pd.Series:
        """What was done to single groups of a pair: see `GroupedAgreement`."""
        return self._remarks.copy()

    @cached_property
    def _remarks(self) -> pd.Series:
        """The remarks, put together once."""
        names = next(iter(self.results.values())).groups.index.names
        found = pd.concat(
            {pair: one.remarks for pair, one in self.results.items()},
            names=["rater_a", "rater_b", *names],
        )
        return found[found.index.isin(self.groups.index)]

    def __float__(self) -> float:
        """Return the Fisher-z weighted mean over all pairs and groups."""
        return self.mean.estimate

    def __getitem__(self, pair: tuple[Label, Label]) -> GroupedAgreement:
        """Return the result of one pair of raters."""
        pair = pair if pair in self.results else pair[::-1]
        if pair not in self.results:
            message = f"{pair[::-1]!r} is not one of the pairs: {listing(self.results)}."
            raise OptionError(message)
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
        frames = {pair: one.groups for pair, one in self.results.items()}
        groups = _of_pairs(frames).astype({"n_categories": "Int64"})
        frame = below(groups, self._means())
        first, n = np.arange(len(every))[:, None], len(every[0].groups)
        order = np.concatenate(
            [first * n + np.arange(n), len(groups) + first * n_means + np.arange(n_means)], axis=1
        )
        return below(frame.iloc[order.ravel()], self._last())

    def _means(self) -> pd.DataFrame:
        """Return the means over the groups of each pair, as they stand in the frame."""
        every, pooled = list(self.results.values()), self._pooled.iloc[:-1]
        n_groups = every[0].groups.index.nlevels
        weight = np.full((len(every), len(MEANS)), np.nan)
        weight[:, 0] = [weight_of(one.panel) for one in every]
        items = np.array([one.groups["n_items"].sum() for one in every])
        means = pooled[["estimate", "ci_low", "ci_high", "se_fisher_z", "reason"]].assign(
            n_items=np.repeat(items, len(MEANS)),
            fisher_z=fisher_z(pooled["estimate"].to_numpy(), None),
            weight=weight.ravel(),
        )
        blank = ("",) * (n_groups - 1)
        labels = [(a, b, *blank, mean) for a, b, mean in pooled.index]
        return means.set_axis(pd.MultiIndex.from_tuples(labels))

    def last(self) -> pd.Series:
        """Return the last row of `to_frame` alone: the mean over all pairs and groups.

        Returns
        -------
        Series
            The estimate with its limits, its error on Fisher's z scale, ``n_items`` and the rest.
        """
        return self._last().iloc[0]

    def _last(self) -> pd.DataFrame:
        """Return the mean over all pairs and groups as a frame of one row."""
        first = next(iter(self.results.values()))
        figures = ("estimate", "ci_low", "ci_high", "se_fisher_z", "reason")
        mean = {
            **{name: getattr(self.mean, name) for name in figures},
            "n_items": self.n_items,
            "fisher_z": fisher_z(np.array(self.mean.estimate), None),
            "weight": sum(weight_of(one.panel) for one in self.results.values()),
        }
        labels = ("all pairs", *("",) * first.groups.index.nlevels, "fisher_mean")
        return pd.DataFrame([mean], index=pd.MultiIndex.from_tuples([labels]))

    def _book(self) -> Book:
        """Collect the groups and the means of every pair, and confusion tables if they fit."""
        first = next(iter(self.results.values()))
        check_fits(len(first.groups) * len(self.results), len(first.raters))
        options = first.options | {"raters": self._raters}
        left_out = why_no_tables([one.estimates.tables for one in self.results.values()])
        every = [one.panel for one in self.results.values()]
        sheets, tables = sheets_of_pairs(
            self.to_frame(), self.tables, self.note(), every=every, missing=options["missing"]
        )
        is_live = any(sheet.formulas for sheet in sheets)
        return Book(tuple(sheets), options, tuple(tables), is_live, left_out)

    def _sheets(self) -> list[Sheet]:
        """Return the groups and the means of every pair, their tables, and notes."""
        return self._book().every()

    def _headline(self, sheets: list[Sheet]) -> Headline:
        """Return what the page says first: the mean over all pairs and groups."""
        first = next(iter(self.results.values()))
        options = first.options | {"raters": self._raters}
        return headline_of(self.to_frame().iloc[-1], len(first.groups), sheets, options)

    def _call(self) -> str:
        """Return the code that makes the result again."""
        return self.call

    @property
    def _raters(self) -> list[Label]:
        """All raters of the pairs, each once."""
        return list(dict.fromkeys(rater for pair in self.results for rater in pair))

    def note(self) -> str:
        """Say in one line what the mean over all pairs is.

        Returns
        -------
        str
            Number of pairs, mean, and number of coefficients in it.
        """
        return (
            f"{len(self.results)} pairs of raters: Fisher-z weighted mean "
            f"{rounded(float(self), 4)} of {self.mean.n_groups} coefficients."
        ) + noted(self._remarks)

    def _table(self) -> pd.DataFrame:
        """Return the groups and the means of all pairs, with the most telling columns."""
        return self.to_frame()[SHOWN]

    def _level(self) -> float:
        """Return the confidence level of the limits."""
        return float(next(iter(self.results.values())).options["confidence_level"])


def _of_pairs(
    frames: dict[tuple[Label, Label], pd.DataFrame], inner: str | None = None
) -> pd.DataFrame:
    """Put the frames of pairs of raters one below the other."""
    names = next(iter(frames.values())).index.names if inner is None else [inner]
    frame = pd.concat(frames, names=["rater_a", "rater_b", *names])
    return result(frame, dict.fromkeys(rater for pair in frames for rater in pair))
