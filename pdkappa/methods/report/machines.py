"""Machines among the raters: how far people agree, machines with them, and the difference."""

from __future__ import annotations

from itertools import combinations, product
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import pandas as pd

from pdkappa.coefficients.intervals import FISHER_CAP, fisher_of_many
from pdkappa.coefficients.pair_kappas import correlations
from pdkappa.methods.comparisons.differences import contrast, in_turn, kappas_of, t_test, tested
from pdkappa.methods.estimates.pair_frames import whole
from pdkappa.methods.groups.strata import clusters_span_groups
from pdkappa.methods.machine.ceiling import shares, telling, turns
from pdkappa.methods.report.core.apart import means_apart
from pdkappa.methods.report.figures import Line
from pdkappa.present import schema
from pdkappa.present.sheets import Sheet
from pdkappa.ratings.raters import weights_of_groups

if TYPE_CHECKING:
    from collections.abc import Sequence

    from pdkappa._typing import BoolArray, Label
    from pdkappa.coefficients.pair_kappas import PairKappas
    from pdkappa.methods.comparisons.differences import Contrast
    from pdkappa.methods.report.analysis import Analysis

ALL = "all machines"
FEWEST_HUMANS = 2
ONE_HUMAN = "There is one human, so the agreement of humans with each other is unknown."
BY_GROUP = (
    "The rows of groups compare means of the coefficients in a group; the summary compares means "
    "on Fisher's z scale over the groups."
)


class Machines(NamedTuple):
    """The machines of a report: a sheet of all comparisons, and the lines of the summary."""

    sheet: Sheet
    lines: list[Line]


def compare_machines(asked: Analysis) -> Machines | None:
    """Compare machines with humans, by the mean coefficients of their pairs; None without any."""
    if not asked.machines:
        return None
    humans = [name for name in asked.raters if name not in asked.machines]
    pairs = [*product(asked.machines, humans), *combinations(humans, 2)]
    kappas = kappas_of(asked.study, pairs, asked.coefficient)
    is_human = np.array([a not in asked.machines for a, _ in pairs])
    rows = {name: np.array([a == name for a, _ in pairs]) for name in asked.machines}
    if len(rows) > 1:
        rows[ALL] = ~is_human
    level = asked.interval.level
    apart = [_apart(kappas, pairs, [name], humans) for name in asked.machines]
    if len(rows) > 1:
        apart.append(_apart(kappas, pairs, asked.machines, humans))
    parts = [
        _compared(kappas, own, is_human, one, level)
        for own, one in zip(rows.values(), apart, strict=True)
    ]
    labels = pd.Index(list(rows), name="machine", dtype=object)
    frame = pd.concat([part.assign(machine=name) for name, part in zip(labels, parts, strict=True)])
    order = np.arange(len(frame)).reshape(len(labels), -1).T.reshape(-1)
    frame = frame.iloc[order].set_axis(asked.study.groups.each(labels))[list(schema.MACHINES)]
    notes = [] if len(humans) >= FEWEST_HUMANS else [ONE_HUMAN]
    notes += [BY_GROUP] if asked.by_group else []
    title = f"Machines with humans, and humans with each other: {asked.method}"
    sheet = Sheet("machines", frame, title, notes=tuple(notes))
    figures = _over_groups(asked, kappas, pairs, is_human) if asked.by_group else None
    if figures is None:
        figures = _overall(kappas, is_human, apart[-1], level)
    names = ("Humans with each other", "Machines with humans", "Machines less humans")
    n_items = float(kappas.rows.n_items.sum())
    lines = [
        Line(name, asked.weights, pd.Series({"n_items": n_items, **row}), None, place < 2)  # noqa: PLR2004
        for place, (name, row) in enumerate(zip(names, figures, strict=True))
    ]
    return Machines(sheet, lines if len(humans) >= FEWEST_HUMANS else lines[1:2])


def _apart(
    kappas: PairKappas,
    pairs: list[tuple[Label, Label]],
    machines: Sequence[Label],
    humans: list[Label],
) -> Contrast:
    """Subtract the mean of humans from that of machines; for one of them as `ceiling` does."""
    is_human = np.array([a in humans for a, _ in pairs])
    used = telling(kappas, is_human, np.array([a in machines for a, _ in pairs]))
    if len(machines) == 1:
        return in_turn(kappas, turns(used, pairs, [*machines, *humans]))
    return contrast(kappas, shares(used, ~is_human) - shares(used, is_human))


def _compared(
    kappas: PairKappas,
    of_machine: BoolArray,
    is_human: BoolArray,
    difference: Contrast,
    level: float,
) -> pd.DataFrame:
    """Compare a machine's pairs with those of humans in every group, as `ceiling` does."""
    used = telling(kappas, is_human, of_machine)
    machine, human = shares(used, of_machine), shares(used, is_human)
    columns: dict[str, Any] = {
        "n_items": whole(kappas.rows.n_items),
        **tested(difference, level),
        "estimate_machine": contrast(kappas, machine).estimate,
        "estimate_humans": contrast(kappas, human).estimate,
        "n_machine_pairs": used[of_machine].sum(axis=0),
        "n_human_pairs": used[is_human].sum(axis=0),
        "reason": difference.reason,
    }
    if not is_human.any():
        reason = np.where(difference.reason == "", "no_other_pair", difference.reason)
        names = ["estimate_humans", *tested(difference, level)]
        columns |= dict.fromkeys(names, np.nan) | {"reason": reason}
    return pd.DataFrame(columns)


def _overall(
    kappas: PairKappas, is_human: BoolArray, apart: Contrast, level: float
) -> list[dict[str, float]]:
    """Return the means of humans and of machines, and their difference, without groups."""
    used = telling(kappas, is_human, ~is_human)
    human, machine = shares(used, is_human), shares(used, ~is_human)
    found = []
    for weights in (human, machine):
        one = contrast(kappas, weights)
        worst = np.where(weights > 0, weights * kappas.worst, 0.0).sum(axis=0)
        limits = fisher_of_many(one.estimate, one.se, kappas.units, worst).limits(level)
        found.append((one.estimate, one.se, *limits))
    test = t_test(apart, level)
    found.append((apart.estimate, apart.se, test.low, test.high))
    return [_row(*(float(figure[0]) for figure in figures)) for figures in found]


def _over_groups(
    asked: Analysis, kappas: PairKappas, pairs: list[tuple[Label, Label]], is_human: BoolArray
) -> list[dict[str, float]]:
    """Return the Fisher-z means of humans and of machines over the groups, and the difference."""
    study, level = asked.study, asked.interval.level
    known = {frozenset(pair): n for n, pair in enumerate(combinations(study.raters, 2))}
    order = [known[frozenset(pair)] for pair in pairs]
    estimates = asked.estimates.summary.estimate.reshape(study.n_groups, -1)[:, order].T
    every = asked.panels()
    unbiased_z, se = (
        np.stack(part) for part in zip(*(every[n].on_fisher_z for n in order), strict=True)
    )
    weight = weights_of_groups(study.frame, study.groups.labels, asked.group_weights)
    found = means_apart(
        estimates,
        np.broadcast_to(weight, estimates.shape),
        se,
        correlations(kappas),
        unbiased_z=unbiased_z,
        is_first=~is_human,
        clip=FISHER_CAP,
        level=level,
    )
    means = [
        _row(mean.estimate, np.nan, mean.ci_low, mean.ci_high)
        for mean in (found.second, found.first)
    ]
    spans = clusters_span_groups(kappas.rows)
    limits = (np.nan,) * 3 if spans else (found.se, found.low, found.high)
    return [*means, _row(found.difference, *limits)]


def _row(estimate: float, se: float, low: float, high: float) -> dict[str, float]:
    """Name the figures of a line."""
    return {"estimate": estimate, "se": se, "ci_low": low, "ci_high": high}
