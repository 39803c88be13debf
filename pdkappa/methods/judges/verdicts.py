"""Figures of a judge -> a verdict in plain words, and what its interval does not show."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import pandas as pd

from pdkappa.present.labels import rounded
from pdkappa.present.schema import LEAST_P, REASONS
from pdkappa.ratings.items import index_of

if TYPE_CHECKING:
    from collections.abc import Mapping

FEW = 2  # judges of whom all is said at once
NOT_ALLOWED = "not said"
SIGNIFICANT = 0.05  # a convention, for the choice of words only
CONCLUSIONS = {
    "better": "agrees better with humans than they do with each other",
    "as good": "agrees with humans as well as they do with each other, within the margin",
    "nearly": "agrees with humans less than they do with each other, but within the margin",
    "worse": "agrees with humans less than they do with each other, by more than the margin",
    "open": "has not been shown to agree with humans as well as they do with each other",
}
NOT_SAID = {
    "better": (
        "The interval does not show that the judge is right where humans differ from it, nor that "
        "it is better by more than {lowest}."
    ),
    "as good": "The interval includes 0, so it does not show which of the two agrees better.",
    "nearly": (
        "The whole interval is below 0, so it does not show that the judge is as good as a human."
    ),
    "worse": (
        "The interval does not show that the judge is of no use: only that it agrees less by "
        "{least} or more, not what that costs."
    ),
    "open": (
        "The interval includes {margin}, so it shows neither that the judge is worse than the "
        "margin allows, nor that it is not. More items may decide."
    ),
    "lower": (
        "The interval is below 0 but includes {margin}, so it does not show whether the judge is "
        "within the margin. More items may decide."
    ),
}


def conclusion_of(low: float, high: float, margin: float) -> str:
    """Name what the interval of a difference, judge less humans, says beside a margin.

    >>> [conclusion_of(*limits, 0.1) for limits in ((0.02, 0.2), (-0.05, 0.1), (-0.09, -0.01))]
    ['better', 'as good', 'nearly']
    >>> [conclusion_of(*limits, 0.1) for limits in ((-0.3, -0.2), (-0.3, 0.2), (-0.2, -0.05))]
    ['worse', 'open', 'lower']
    """
    if low > 0:
        return "better"
    if low > -margin:
        return "as good" if high >= 0 else "nearly"
    if high < -margin:
        return "worse"
    return "open" if high >= 0 else "lower"


def findings_of(row: Mapping[Any, Any], level: float) -> dict[str, str]:
    """Say what the figures of a judge mean, by what they are about.

    Parameters
    ----------
    row : mapping
        The columns of an audit but those in words.
    level : float
        The confidence level.

    Returns
    -------
    dict of str
        ``agreement``, and as far as they are known ``replacement, asked again, order, drift``, and
        `NOT_ALLOWED`: what the interval of the difference does not show.
    """
    low, high, margin = (
        float(row[name]) for name in ("difference_low", "difference_high", "margin")
    )
    if math.isnan(low):
        why = REASONS.get(str(row["reason"]), "There are too few items.")
        return {"agreement": f"It is undecided how the judge compares. {why}", **_beside(row)}
    found = conclusion_of(low, high, margin)
    main = CONCLUSIONS["open" if found == "lower" else found]
    figures = (
        f"{rounded(row['estimate'])} with humans, {rounded(row['estimate_humans'])} among "
        f"them, difference {rounded(row['difference'])} ({100 * level:.10g} % interval "
        f"{rounded(low)} to {rounded(high)})"
    )
    beside = _beside(row)
    if "replacement" in beside and bool(row["non_inferior"]) != bool(row["replaces"]):
        beside["replacement"] += (
            " That test asks a different question, with a different answer here."
        )
    limits = {"margin": f"{-margin or 0:g}", "least": rounded(-high), "lowest": rounded(low)}
    not_said = NOT_SAID[found].format(**limits)
    return {"agreement": f"The judge {main}: {figures}.", **beside, NOT_ALLOWED: not_said}


def verdict_of(findings: Mapping[str, str]) -> tuple[str, str]:
    """Put findings into a few sentences; beside them what may not be said, or empty text."""
    said = [text for about, text in findings.items() if about != NOT_ALLOWED]
    return " ".join(said), findings.get(NOT_ALLOWED, "")


def _beside(row: Mapping[Any, Any]) -> dict[str, str]:
    """Say what else was found: the alternative annotator test, consistency, order, drift."""
    said = {}
    rate, flips = float(row["winning_rate"]), float(row["flip_rate"])
    if not math.isnan(rate):
        n, may = int(row["n_annotators"]), "may" if row["replaces"] else "may not"
        said["replacement"] = (
            f"By the alternative annotator test it {may} replace a human: it beats "
            f"{round(rate * n)} of {n}."
        )
    if not math.isnan(flips):
        share = f"{100 * flips:.2g} %"
        said["asked again"] = f"Asked again, it changes its mind on {share} of the items."
    for about, name, yes, no in (
        (
            "order",
            "p_position",
            "The order of the options matters",
            "No effect of the order is seen",
        ),
        (
            "drift",
            "p_drift",
            "Its agreement differs between batches",
            "No drift between batches is seen",
        ),
    ):
        p = float(row[name])
        if not math.isnan(p):
            told = f"p < {LEAST_P}" if p < LEAST_P else f"p = {p:.4f}"
            said[about] = f"{yes if p < SIGNIFICANT else no} ({told})."
    return said


def told(frame: pd.DataFrame, level: float) -> pd.DataFrame:
    """List the findings on each judge, one row for each."""
    rows = [
        (judge, about, text)
        for judge, row in zip(frame.index, frame.to_dict("records"), strict=True)
        for about, text in findings_of(row, level).items()
    ]
    listed = pd.DataFrame(rows, columns=["judge", "about", "finding"], dtype=object)
    return listed.drop(columns="judge").set_axis(index_of([row[0] for row in rows], "judge"))


def sentences_of(frame: pd.DataFrame, level: float, most: int) -> tuple[str, ...]:
    """Say the verdicts: all of a judge or two, what they agree of several, and of no more."""
    found = [findings_of(row, level) for row in frame.head(most).to_dict("records")]
    if len(frame) <= FEW:
        said = [" ".join(one.values()) for one in found]
        return tuple(f"{judge}: {text}" for judge, text in zip(frame.index, said, strict=True))
    made = [f"{judge}: {one['agreement']}" for judge, one in zip(frame.index, found, strict=False)]
    rest = len(frame) - most
    more = f" {rest} more judges are only listed there." if rest > 0 else ""
    return (*made, f"The table of verdicts has the rest, and what the data do not show.{more}")
