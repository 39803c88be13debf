"""The main figures of a report: what was estimated, with which weights, and where it stands."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from pdkappa.coefficients.all_raters import MULTIRATER
from pdkappa.coefficients.chance import COEFFICIENTS
from pdkappa.errors import CategoryError
from pdkappa.methods.agreement.all_raters import summarise_together
from pdkappa.methods.estimates.pair_frames import agreement_frame, pairs_frame
from pdkappa.methods.groups.grouped_results import GroupedPairs
from pdkappa.present.labels import groups_of, heading_of, listed
from pdkappa.present.sheets import totals_in

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    import pandas as pd

    from pdkappa._typing import Weights
    from pdkappa.coefficients.all_raters import MultiraterModel
    from pdkappa.methods.report.analysis import Analysis
    from pdkappa.present.sheets import Sheet

PAIR = 2
MOST_PAIRS = 10
ON_SCALES = (None, "quadratic")  # both are shown on an ordered scale
FEWEST_ORDERED = 3  # categories; of two, all weights are alike


class Line(NamedTuple):
    """One figure of the summary; its place is the sheet and row that it is read from."""

    name: str
    weights: Weights | None
    row: pd.Series
    place: tuple[Sheet, int] | None = None
    is_figure: bool = True  # an estimate, which has a name in words, and no difference

    @property
    def figures(self) -> list[float]:
        """Number of items, estimate and limits."""
        return [self.row[name] for name in ("n_items", "estimate", "ci_low", "ci_high")]

    @property
    def remark(self) -> str:
        """Why its limits are unreliable; empty if nothing speaks against them."""
        return str(self.row.get("remark", ""))


def main_figures(named: Mapping[str, Sheet], asked: Analysis) -> Iterator[Line]:
    """Name the main figures, and the sheet and row where they stand."""

    def line(name: str, sheet: Sheet, row: int) -> Line:
        return Line(name, asked.weights, sheet.frame.iloc[row], (sheet, row))

    groups, pairs = named.get("groups"), named["pairs"]
    if groups is not None:
        for name, row in _fisher_means(groups, asked):
            yield line(name, groups, row)
    elif asked.several:
        sheet = named["agreement"]
        together = COEFFICIENTS[asked.coefficient].together
        spoken = MULTIRATER[together].spoken
        what = "Light's kappa, the mean of the pairs" if together == "light" else spoken
        yield line(f"All raters: {what}", sheet, sheet.frame.index.tolist().index(together))
    estimate = pairs.frame["estimate"].to_numpy(dtype=np.float64)
    if np.isnan(estimate).all():
        return
    best, worst = int(np.nanargmax(estimate)), int(np.nanargmin(estimate))
    if best == worst:
        yield line(_pair_name(pairs.frame, best), pairs, best)
    else:
        yield line(f"Highest: {_pair_name(pairs.frame, best)}", pairs, best)
        yield line(f"Lowest: {_pair_name(pairs.frame, worst)}", pairs, worst)


def other_weights(asked: Analysis) -> Iterator[tuple[Weights | None, pd.Series]]:
    """Estimate the main figure without weights and with quadratic ones, if there is an order.

    Neither makes the other superfluous: weights forgive near misses, and the figure without them
    depends on how fine the scale is.
    """
    if not asked.study.has_order or len(asked.study.coded.categories) < FEWEST_ORDERED:
        return
    for weights in ON_SCALES:
        if isinstance(asked.weights, str | None) and asked.weights == weights:
            continue
        try:
            yield weights, _main_row(asked, weights)
        except CategoryError:  # infinite scores have no distances
            return


def _main_row(asked: Analysis, weights: Weights | None) -> pd.Series:
    """Return the main figure with its limits, with other weights."""
    if asked.by_group:
        result = asked.weighted(weights).groups
        if isinstance(result, GroupedPairs):
            return result.last()
        return result.to_frame().iloc[len(result.groups)]
    if not asked.several:
        return pairs_frame(asked.weighted(weights).estimates).iloc[0]
    together, study = COEFFICIENTS[asked.coefficient].together, asked.study.weighted(weights)
    models: dict[str, MultiraterModel] = {together: MULTIRATER[together]}
    summaries, _ = summarise_together(study, models, asked.interval)
    return agreement_frame(summaries, study.groups, "landis_koch").iloc[0]


def _fisher_means(groups: Sheet, asked: Analysis) -> Iterator[tuple[str, int]]:
    """Name the Fisher-z means over the groups, of all pairs first."""
    index = groups.frame.index
    labels = [label if isinstance(label, tuple) else (label,) for label in index]
    means = np.flatnonzero(totals_in(index, ["fisher_mean"])).tolist()
    if not asked.several:
        yield f"Fisher-z mean of the groups: {listed(asked.raters)}", means[-1]
        return
    yield "Fisher-z mean of all pairs and groups", means[-1]
    for row in means[:-1][:MOST_PAIRS]:
        yield f"Fisher-z mean of the groups: {listed(labels[row][:PAIR])}", row


def _pair_name(pairs: pd.DataFrame, row: int) -> str:
    """Name the raters of a row, and their group."""
    one = pairs.iloc[row]
    group = zip(pairs.index.names, groups_of(pairs)[row], strict=False)
    where = "".join(f", {heading_of(name)} {value}" for name, value in group)
    return f"{one['rater_a']} with {one['rater_b']}{where}"
