"""Machines among the raters: what share of the humans' ratings of each category they give, too."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from pdkappa.methods.machine.verdicts import classes_of
from pdkappa.present import schema
from pdkappa.present.labels import rounded, visible
from pdkappa.present.sheets import Sheet

if TYPE_CHECKING:
    import pandas as pd

    from pdkappa.methods.report.analysis import Analysis

LIMITS = ["recall_low", "recall_high"]
OF_ITEMS = (
    "There are no limits: for recall they are not available with clusters or sampling weights."
)
TOGETHER = "Items of all groups are pooled."


class Recall(NamedTuple):
    """The recall of machines on each category: a sheet, and what stands out of it."""

    sheet: Sheet
    sentence: str


def recall_of_machines(asked: Analysis) -> Recall | None:
    """Show the recall of each machine on each category, with people's own; None without any."""
    study, level = asked.study, asked.interval.level
    if not asked.machines:
        return None
    humans = [name for name in asked.raters if name not in asked.machines]
    frame = classes_of(study, asked.machines, humans, level)[list(schema.RECALL)]
    frame.index = frame.index.set_names("machine", level=0)
    notes = [TOGETHER] if asked.by_group else []
    if study.reading.cluster is not None or study.reading.weight_type == "probability":
        frame[LIMITS] = np.nan
        notes.append(OF_ITEMS)
    title = "Recall: the share of the humans' ratings of a category that a machine gives, too"
    sheet = Sheet("recall", frame, title, notes=tuple(notes))
    return Recall(sheet, _furthest(frame, f"{100 * level:.10g} %"))


def _furthest(frame: pd.DataFrame, level: str) -> str:
    """Name the recall that is furthest below people's, if its interval is; else nothing."""
    from pdkappa.present.html_page import with_limits

    below = frame[frame["recall_high"] < frame["recall_humans"]]
    if not len(below):
        return ""
    place = int((below["recall_humans"] - below["recall"]).argmax())
    (machine, category), row = below.index[place], below.iloc[place]
    recall, low, high, people = (float(row[name]) for name in ("recall", *LIMITS, "recall_humans"))
    named = visible(f"{machine} on {category}")
    return (
        f"Of {frame['recall'].count()} recalls of a machine on a category, the one furthest "
        f"below that of people is {named}: {with_limits(recall, low, high, level)}, where "
        f"people's is {rounded(people)}."
    )
