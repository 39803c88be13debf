"""Truth and predictions of a scorecard: the items that are scored, in groups, and counted."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from pdkappa.coefficients.chance import COEFFICIENTS
from pdkappa.coefficients.means_over_groups import weighted_fisher_mean
from pdkappa.coefficients.pair_estimates import summarise
from pdkappa.errors import OptionError
from pdkappa.methods.estimates.weightings import scale_of
from pdkappa.methods.predictions.core.scores import add_up, average_precision, log_loss
from pdkappa.methods.predictions.inputs import read_answers, read_ranking
from pdkappa.methods.predictions.probabilities import read_probabilities
from pdkappa.ratings.categories import CategorySet
from pdkappa.ratings.coded import Coded
from pdkappa.ratings.counted_pairs import pair_tables
from pdkappa.ratings.items import columns_of_groups, item_weights, read_items, warn_of_ungrouped

if TYPE_CHECKING:
    from pdkappa._typing import FloatArray, IntArray
    from pdkappa.coefficients.pair_counts import PairCounts
    from pdkappa.methods.predictions.core.scores import LabelSets
    from pdkappa.methods.predictions.inputs import Answers
    from pdkappa.ratings.counted_pairs import PairTables
    from pdkappa.ratings.items import Groups
    from pdkappa.ratings.options import Reading

POOLED = "pooled"
KAPPAS = {"cohen": None, "qwk": "quadratic"}


@dataclass(frozen=True)
class ScoredItems:
    """What is known about the items that are scored, in G groups.

    Attributes
    ----------
    groups : Groups
        Groups of the N items.
    group : ndarray of int, shape (N,)
        Group of each item, 0 where they are not grouped.
    weight : ndarray of float, shape (N,)
    no_weight : bool
        Whether there were items, but all have the weight zero.
    n_missing : ndarray of float, shape (G,)
        How many items were left out.
    of_items : dict
        Scores of the items that are averaged, each of shape (N,).
    sets : LabelSets
    counts : PairCounts or None
        Truth by prediction in each group, over sets of labels.
    kappas : dict
        Coefficients of the groups, each of shape (G,).
    """

    groups: Groups
    group: IntArray
    weight: FloatArray
    no_weight: bool
    n_missing: FloatArray
    of_items: dict[str, FloatArray]
    sets: LabelSets
    counts: PairCounts | None = None
    kappas: dict[str, FloatArray] = field(default_factory=dict)

    def pooled(self, group_weights: FloatArray) -> ScoredItems:
        """Put all items into one group, but average the coefficients of the groups."""
        counts = self.counts
        if counts is not None:  # cells of all tables into one: some are there twice
            counts = replace(counts, table=np.zeros_like(counts.table), n_tables=1)
        return replace(
            self,
            groups=self.groups.together(),
            group=np.zeros_like(self.group),
            n_missing=self.n_missing.sum(keepdims=True),
            counts=counts,
            kappas={
                name: np.array([weighted_fisher_mean(kappas, group_weights).estimate])
                for name, kappas in self.kappas.items()
            },
        )


def read_scored(
    data: pd.DataFrame,
    reading: Reading,
    truth: Any,
    prediction: Any,
    *,
    probabilities: Any,
    ranked: Any,
    k: int | None,
) -> ScoredItems:
    """Read the items, leave out those about which something is not known, and count."""
    weights = item_weights(data, reading.sample_weight)
    by = [] if reading.by is None else columns_of_groups(data, reading.by)
    items = read_items(data, by, weights, reading, None)
    if by and not isinstance(items.keep, slice):
        warn_of_ungrouped(data, by)
    _check_names(items.groups, reading.by)
    rows = data if isinstance(items.keep, slice) else data[items.keep]
    answers = read_answers(rows, truth, prediction, reading.categories)
    known = answers.truth >= 0
    of_items = {}
    if answers.prediction is not None:
        known &= answers.prediction >= 0
    if probabilities is not None:
        of_items["log_loss"] = log_loss(read_probabilities(rows, probabilities, answers, truth))
        known &= ~np.isnan(of_items["log_loss"])
    if ranked is not None:
        ranking, is_ranked = read_ranking(rows, ranked, answers, reading.categories)
        places = k or int(ranking.place.max(initial=1))
        of_items["map_at_k"] = average_precision(
            answers.sets, answers.truth, ranking, places, len(answers.labels)
        )
        known &= is_ranked
    groups, n = items.groups, len(rows)
    group = np.zeros(n, dtype=np.int64) if groups.of_item is None else groups.of_item
    weight = np.ones(n) if items.weights is None else items.weights
    scored = ScoredItems(
        groups.take(known),
        group[known],
        weight[known],
        no_weight=weights is not None and len(weights) > 0 and not weights.any(),
        n_missing=add_up(group[~known], weight[~known], groups.n),
        of_items={name: values[known] for name, values in of_items.items()},
        sets=answers.sets,
    )
    if answers.prediction is None:
        return scored
    tables = _tables(np.stack([answers.truth, answers.prediction])[:, known], answers, scored)
    return replace(scored, counts=tables.counts, kappas=_kappas(tables))


def _check_names(groups: Groups, by: Any) -> None:
    """Refuse a group that is called as the last row."""
    if groups.labels is not None and POOLED in groups.labels.get_level_values(0):
        message = (
            f"by={by!r} has a group {POOLED!r}, which is the name of the last row. "
            "Rename that group."
        )
        raise OptionError(message)


def _tables(codes: IntArray, answers: Answers, scored: ScoredItems) -> PairTables:
    """Cross-tabulate truth and prediction in every group, over sets of labels."""
    labels = answers.labels
    if not answers.single:
        labels = CategorySet([*range(len(answers.sets))], None, declared=True)
    coded = Coded(
        codes,
        ["truth", "prediction"],
        labels,
        items=pd.RangeIndex(codes.shape[1]),
        groups=scored.groups,
        weights=scored.weight,
    )
    return pair_tables(coded)


def _kappas(tables: PairTables) -> dict[str, FloatArray]:
    """Estimate kappa in every group, and with quadratic weights if there is an order."""
    wanted = {"cohen": None} if tables.categories.scores is None else KAPPAS
    kappas = {}
    for name, weights in wanted.items():
        scale = scale_of(weights, tables.categories, "value", tables.in_use)
        summary = summarise(tables.counts, scale, COEFFICIENTS["cohen"], ci="auto", level=0.95)
        kappas[name] = summary.estimate
    return kappas
