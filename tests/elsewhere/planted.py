"""Ratings with a planted truth, and the same without it: what a report must say, and must not.

`planted` is how much of the truth is planted, from 0 to 1.
"""

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pandas as pd

from pdkappa.methods.machine import audit
from pdkappa.methods.report import cautions, findings

LABELS = np.array(["praise", "insult", "threat", "spam", "other"])
NAMES = ["Noor", "Tobi", "Lena", "Sam", "Ravi"]


def labels(rng, planted, n=300, kind="rater"):
    """Draw comments labelled by five annotators, four of five right; Tobi guesses, if planted."""
    truth = rng.integers(0, 5, n)
    frame = {}
    for name in NAMES:
        share = 0.2 + 0.3 * planted * (kind == "rater" and name == "Tobi")
        said = np.where(rng.random(n) < share, rng.integers(0, 5, n), truth)
        if planted and kind == "confusion" and name == "Tobi":  # takes a threat for an insult
            said = np.where((truth == 2) & (rng.random(n) < planted), 1, said)
        if planted and kind == "two" and name in {"Tobi", "Lena"}:  # who swap them
            said = np.choose(said, [0, 2, 1, 3, 4])
        if planted and kind == "category":  # a threat looks like an insult
            said = np.where((truth == 2) & (rng.random(n) < 0.6 * planted), 1, said)
        gone = 0.25 + 0.25 * planted * (kind in {"missing", "hard"} and name == "Tobi")
        gone += 0.4 * planted * (truth == 2) * (kind == "hard" and name == "Tobi")
        frame[name] = pd.Series(LABELS[said], dtype=object).where(rng.random(n) > gone)
    return pd.DataFrame(frame)


def scans(rng, planted, kind="rater in a group", n=120):
    """Draw scores of five readers at two sites; one is noisy, or severe, or a site, if planted."""
    parts = []
    few = 40 if kind == "small" else n
    for site, size in [("Lyon", n), ("Oslo", few), ("Porto", n)][: 2 + (kind == "small")]:
        truth = rng.normal(2.5, 1.1, size)
        part = pd.DataFrame({"site": [site] * size})
        for name in NAMES:
            in_one, every = kind in {"rater in a group", "small"}, kind == "groups"
            one = in_one and name == "Tobi"
            noise = 0.5 + planted * (site == "Oslo") * (1.1 * one + 0.7 * every)
            noise += planted * 0.45 * (kind == "everywhere" and name == "Tobi")
            severe = 0.9 * planted * (kind == "severe" and name == "Tobi")
            part[name] = np.clip(np.rint(truth - severe + rng.normal(0, noise, size)), 0, 5)
        parts.append(part)
    return pd.concat(parts, ignore_index=True)


def graded(rng, planted):
    """Draw the same labels as grades in an order; Tobi takes one for another, if planted."""
    return labels(rng, planted, kind="confusion").astype(pd.CategoricalDtype(LABELS, ordered=True))


def shared(rng, planted, n=300):
    """Draw labels of twelve annotators in two batches; each item has three of them, if planted."""
    truth = rng.integers(0, 5, n)
    said = np.where(rng.random((n, 12)) < 0.2, rng.integers(0, 5, (n, 12)), truth[:, None])
    frame = pd.DataFrame(LABELS[said], dtype=object).add_prefix("w")
    gone = rng.random(said.shape).argsort(axis=1) >= (3 if planted else 12)
    return frame.mask(gone).assign(batch=np.arange(n) % 2)


def sites(rng, planted, n=80):
    """Draw the same at six sites, one of them noisy, if planted."""
    parts = []
    for number in range(6):
        noise = 0.5 + 1.1 * planted * (number == 4)
        truth = rng.normal(2.5, 1.1, n)
        ratings = {name: truth + rng.normal(0, noise, n) for name in NAMES[:3]}
        part = pd.DataFrame(ratings).round().clip(0, 5).assign(site=f"site {number}")
        parts.append(part)
    return pd.concat(parts, ignore_index=True)


def alike(rng, planted, n=60):
    """Draw scores of three readers at three sites, two of whom never differ at one, if planted."""
    data = scans(rng, planted=False, n=n)
    more = scans(rng, planted=False, n=n).query("site == 'Oslo'").assign(site="Rome")
    data = pd.concat([data, more], ignore_index=True)[["site", *NAMES[:3]]]
    data["Lena"] = data["Lena"].mask(data["site"].eq("Oslo") & bool(planted), data["Tobi"])
    return data


def lesions(rng, planted, n=200):
    """Draw what three readers see at three sites; at one almost nobody has a lesion, if planted."""
    parts = []
    for site in ("Lyon", "Oslo", "Rome"):
        ill = rng.random(n) < (0.02 if planted and site == "Oslo" else 0.3)
        seen = {x: rng.random(n) < np.where(ill, 0.9, 0.03) for x in NAMES[:3]}
        parts.append(pd.DataFrame(seen).replace({True: "lesion", False: "clear"}).assign(site=site))
    return pd.concat(parts, ignore_index=True)


def essays(rng, planted, kind="leaning", n=220):
    """Draw essay sets of three scales, by two humans and an engine, which errs in set 2."""
    parts = []
    for number, (low, high) in enumerate(((1, 6), (0, 4), (0, 20)), start=1):
        spread = (high - low) / 5
        truth = rng.normal((low + high) / 2, spread, n)
        part = pd.DataFrame({"essay_set": [number] * n})
        errs = planted * (number == 2)
        for name in ("ann", "bob", "engine"):
            own = errs * (name == "engine")
            bias = 0.45 * own * (kind == "leaning")
            noise = 0.5 + 0.8 * own * (kind == "machine in groups")
            scores = truth + spread * (bias + rng.normal(0, noise, n))
            part[name] = np.clip(np.rint(scores), low, high).astype(int)
        parts.append(part)
    return pd.concat(parts, ignore_index=True)


def answers(rng, planted, n=400, kind="leaning"):
    """Draw verdicts of three people and a model, which passes too many, or guesses, if planted."""
    good = rng.random(n) < 0.55
    frame = {}
    for name in ("Ana", "Ben", "Cem", *(["other"] if kind == "machine of two" else []), "model"):
        said = np.where(rng.random(n) < 0.12, ~good, good)
        if planted and name == "model" and kind != "leaning":
            said = np.where(rng.random(n) < 0.6 * planted, rng.random(n) < 0.5, said)
        elif planted and name == "model":
            said |= rng.random(n) < 0.3 * planted
        frame[name] = np.where(said, "pass", "fail")
    return pd.DataFrame(frame)


def months(rng, planted, n=110):
    """Draw scores of three readers in six months, who agree less and less, if planted."""
    parts = []
    for number in range(6):
        truth, noise = rng.normal(2.5, 1.1, n), 0.5 + 0.14 * number * planted
        part = {name: (truth + rng.normal(0, noise, n)).round().clip(0, 5) for name in NAMES[:3]}
        parts.append(pd.DataFrame(part).assign(month=f"2026-{number + 1:02}"))
    return pd.concat(parts, ignore_index=True)


def judged(rng, planted, kind="order", n=400):
    """Draw the better of two answers by three people and a judge, who was asked both ways round.

    If planted, the judge likes what stands first, says A too often, or is careless in the last
    month.
    """
    better = rng.random(n) < 0.5
    names = {**dict.fromkeys(("Ana", "Ben", "Cem"), 0.12), "judge": 0.15, "swapped": 0.15}
    data = {name: better ^ (rng.random(n) < share) for name, share in names.items()}
    if planted and kind == "order":
        data["judge"] |= rng.random(n) < 0.2 * planted
        data["swapped"] &= rng.random(n) < 1 - 0.2 * planted
    if planted and kind == "leaning":
        data["judge"] |= rng.random(n) < 0.3 * planted
    month = np.repeat(["2026-01", "2026-02", "2026-03", "2026-04"], n // 4)
    if planted and kind == "drift":
        guesses = (month == "2026-04") & (rng.random(n) < planted)
        data["judge"] = np.where(guesses, rng.random(n) < 0.5, data["judge"])
    frame = {name: np.where(one, "A", "B") for name, one in data.items()}
    return pd.DataFrame({**frame, "month": month})


def twice(rng, planted):
    """Draw the same labels, of items that have an identifier and stand there twice, if planted."""
    frame = labels(rng, planted=False)
    return frame.assign(comment=np.arange(len(frame)) // (2 if planted else 1))


def by_length(rng, planted, n=400):
    """Draw the better of two answers by three people and a judge who likes longer ones, if planted.

    The judge says A and B as often as people do.
    """
    better, longer = rng.random((2, n)) < 0.5
    said = {name: better ^ (rng.random(n) < 0.12) for name in ("Ana", "Ben", "Cem", "judge")}
    said["judge"] = np.where(rng.random(n) < 0.4 * planted, longer, said["judge"])
    frame = pd.DataFrame(said).replace({True: "A", False: "B"})
    return frame.assign(longer=np.where(longer, "A longer", "B longer"))


def audited(data, **options):
    """Audit the judge."""
    return data.kappa.machine.audit(["Ana", "Ben", "Cem"], "judge", **options)


def reported(data, **options):
    """Make a report."""
    return data.kappa.report(**options)


def spoiled(rng, planted, kind):
    """Spoil the labels, if planted: a constant rater, one with other labels, no joint item."""
    frame = labels(rng, planted=False)
    if planted and kind == "constant rater":
        frame["Tobi"] = "other"
    if planted and kind == "no shared label":
        frame["Tobi"] = rng.choice(["b1", "b2", "b3"], len(frame))
    if planted and kind in {"copy", "most"}:
        changed = frame["Noor"].notna() & (rng.random(len(frame)) < 0.03 * (kind == "most"))
        frame["Tobi"] = frame["Noor"].mask(changed, rng.choice(LABELS, len(frame)))
    if planted and kind == "warning":
        frame["Tobi"] = frame["Tobi"].replace("insult", "Insult")
    if planted and kind == "no joint item":
        frame.loc[: len(frame) // 2, "Tobi"] = None
        frame.loc[len(frame) // 2 + 1 :, "Noor"] = None
    return frame[: 20 if planted and kind == "few items" else None]


@dataclass(frozen=True)
class Case:
    """Data with something planted or not, the options of the report, and whom it must name."""

    draw: Callable[..., pd.DataFrame]
    name: str = ""
    options: dict[str, Any] = field(default_factory=dict)
    more: dict[str, Any] = field(default_factory=dict)
    make: Callable[..., Any] = reported

    def data(self, seed, *, planted):
        """Make one draw."""
        return self.draw(np.random.default_rng(seed), planted, **self.more)

    def report(self, seed, *, planted):
        """Make a report, or an audit, of one draw."""
        return self.make(self.data(seed, planted=planted), **self.options)


OF_ESSAYS = {"by": "essay_set", "machine": "engine", "weights": "quadratic"}
OF_SITES = {"by": "site", "weights": "quadratic"}
OF_JUDGE = {"swapped": {"judge": "swapped"}, "by": "month"}
FINDINGS: dict[str, Case] = {
    "leaning": Case(essays, "engine", OF_ESSAYS),
    "leaning of labels": Case(answers, "model", {"machine": "model"}),
    "leaning in groups": Case(by_length, "longer judge says", {"machine": "judge", "by": "longer"}),
    "machine of two": Case(
        answers, "model Each", {"machine": ["other", "model"]}, {"kind": "machine of two"}
    ),
    "machine": Case(
        answers, "worse by more than", {"machine": "model", "margin": 0.05}, {"kind": "machine"}
    ),
    "machine in groups": Case(essays, "essay set 2", OF_ESSAYS, {"kind": "machine in groups"}),
    "rater": Case(labels, "Tobi"),
    "confusion": Case(labels, "say threat, Tobi says insult", {}, {"kind": "confusion"}),
    "confusion of two": Case(labels, "Tobi and Lena say", {}, {"kind": "two"}),
    "confusion of grades": Case(graded, "say threat, Tobi says insult"),
    "rater in a group": Case(scans, "Tobi In Oslo", OF_SITES),
    "rater in all groups": Case(scans, "Tobi Tobi agrees", OF_SITES, {"kind": "everywhere"}),
    "severity of a rater": Case(scans, "Tobi scores", {"by": "site"}, {"kind": "severe"}),
    "groups": Case(scans, "Oslo", OF_SITES, {"kind": "groups"}),
    "groups of many": Case(sites, "site 4", OF_SITES),
    "categories": Case(labels, "threat", {}, {"kind": "category"}),
    "drift": Case(months, "month", {"by": "month", "weights": "quadratic"}),
    "leaning of a judge": Case(
        judged, "judge says A more often", OF_JUDGE, {"kind": "leaning"}, audited
    ),
    "order of a judge": Case(judged, "The order of the options moves judge", OF_JUDGE, {}, audited),
    "drift of a judge": Case(judged, "differs by month", OF_JUDGE, {"kind": "drift"}, audited),
}
CAUTIONS: dict[str, Case] = {
    "constant rater": Case(spoiled, "Tobi", {}, {"kind": "constant rater"}),
    "no joint item": Case(spoiled, "Noor and Tobi", {}, {"kind": "no joint item"}),
    "few joint items": Case(shared, "Pairs of raters share few items", {"by": "batch"}),
    "no shared label": Case(spoiled, "Tobi", {"raters": NAMES}, {"kind": "no shared label"}),
    "copy": Case(spoiled, "Noor and Tobi gave the same rating to all", {}, {"kind": "copy"}),
    "copy of most": Case(spoiled, "Noor and Tobi gave different", {}, {"kind": "most"}),
    "raised mean": Case(alike, "Tobi and Lena agree perfectly in Oslo", {"by": "site"}),
    "rare category": Case(lesions, "% of the ratings are clear", {"by": "site"}),
    "few items": Case(spoiled, "Fewer than", {}, {"kind": "few items"}),
    "repeated item": Case(twice, "150 values of 'comment'", {"raters": NAMES, "id": "comment"}),
    "missing of a kind": Case(labels, "than of the rest", {}, {"kind": "hard"}),
    "missing": Case(labels, "Tobi left out", {}, {"kind": "missing"}),
    "warning": Case(spoiled, "'Insult'", {}, {"kind": "warning"}),
}
CASES = FINDINGS | CAUTIONS
NAMELESS = {"agreement", "replacement"}  # kinds of audits, which name nobody


def without_data():
    """Return the kinds of findings and cautions, of reports and audits, that nothing is planted of.

    A case is named after its kind, and more.
    """
    of_judges = {f"{kind} of a judge" for kind in audit.KINDS if kind not in NAMELESS}
    return {*findings.KINDS, *cautions.CAUTIONS, *of_judges} - {*CASES}


def named(report):
    """Say whom a report names: in findings that are shown, and in cautions."""
    found = report.findings
    findings = [f"{one.name} {one.sentence}" for one in found.findings if one.name]
    return [*findings, *(one.text for one in found.cautions)]
