"""Coefficients of many raters: every entry of ``tests/data/many``.

Where pdkappa means to differ, the difference itself is held: Krippendorff's alpha has its
small-sample factor in the standard error, too, and with missing ratings the share of items with two
ratings is not taken for fixed (see the notes of `agreement`), so that the standard error is
smaller than theirs. `smaller` lists these.
"""

import json
from collections.abc import Iterator
from functools import cache
from typing import Any

import numpy as np
import pandas as pd

import pdkappa
from elsewhere import DATA, Held, kappa_of

Entry = dict[str, Any]

DATASETS = {
    path.stem: json.loads(path.read_text(encoding="utf-8"))
    for path in sorted((DATA / "many").glob("*.json"))
}
ENTRIES = [(name, entry) for name, data in DATASETS.items() for entry in data["expected"]]

NAMES = {
    "percent_agreement": "percent",
    "brennan_prediger": "brennan_prediger",
    "fleiss_kappa": "fleiss",
    "conger_kappa": "conger",
    "light_kappa": "light",
    "gwet_ac": "gwet",
    "krippendorff_alpha": "krippendorff",
}
WEIGHTS = {
    "unweighted": None,
    "metric:nominal": None,
    "metric:interval": "quadratic",
    "metric:ratio": "ratio",
    "metric:ordinal": "krippendorff_ordinal",
}
# The standard error of a null hypothesis is not one of `agreement`; its value still is compared.
NULL = "null (H0: coefficient = 0)"
SCHOUTEN = "schouten (= gwet_linearized * sqrt((n-1)/n))"
LINEARIZED = "gwet_linearized"
WITH_SE = [(n, e) for n, e in ENTRIES if e["options"].get("se") in {LINEARIZED, SCHOUTEN}]


def source(name: str, missing: str, q: int | None) -> tuple[Any, list[Any] | None]:
    """Return ratings as pdkappa takes them, and the categories that the system knew."""
    data = DATASETS[name]
    frame = pd.DataFrame(data["rows"], columns=data["columns"])
    categories = data["categories"]
    if data["layout"] == "counts":
        return pdkappa.from_counts(frame[[str(c) for c in data["categories"]]]), None
    frame = frame[data["raters"]]
    if missing == "listwise" and q != len(categories) and not isinstance(categories[0], str):
        return frame, None  # these systems know the categories of the complete rows only
    return frame, categories


@cache
def result(  # noqa: PLR0917
    name: str, weights: str, missing: str, shares: str, coefficient: str, level: float, q: int
) -> pd.Series:
    """Return the row that the entries with these options share."""
    data, categories = source(name, missing, q)
    return (
        kappa_of(data)
        .agreement(
            coefficients=[coefficient],
            weights=weights,
            categories=categories,
            missing=missing,
            shares=shares,
            ci="wald",
            confidence_level=level,
        )
        .loc[coefficient]
    )


def row_of(name: str, entry: Entry) -> pd.Series:
    """Return the row of pdkappa that an entry is about."""
    missing = entry["options"].get("missing") or "none"
    return result(
        name,
        WEIGHTS.get(entry["weights"], entry["weights"]),
        "listwise" if missing == "listwise" else "pairwise",
        "ratings" if missing == "available_pooled_margins" else "items",
        NAMES[entry["coefficient"]],
        entry.get("ci_level", 0.95),
        entry["options"].get("q"),
    )


def is_smaller(name: str, entry: Entry) -> bool:
    """Whether our standard error is meant to be smaller than theirs."""
    data = DATASETS[name]
    alone = any(sum(cell is not None for cell in row) == 1 for row in data["rows"])
    return alone and data["layout"] != "counts" and entry["options"]["missing"] == "available"


def is_of_two(name: str) -> bool:
    """Whether there are two raters only."""
    return len(DATASETS[name]["raters"] or "all") == 2


def standard_error(name: str, entry: Entry, found: pd.Series) -> tuple[float, str]:
    """Return the standard error of an entry with the divisor of pdkappa, and what was done.

    For two raters pdkappa divides by n, as it does in `pairs`.
    """
    expected, done = entry["se"], ""
    if is_of_two(name):
        expected *= np.sqrt((found["n_items"] - 1) / found["n_items"])
        done = "theirs with the divisor n"
    if entry["options"]["se"] == SCHOUTEN:
        expected *= np.sqrt(found["n_items"] / (found["n_items"] - 1))
        done = "theirs with the divisor n (n - 1)"
    if entry["coefficient"] == "krippendorff_alpha":
        expected *= (found["n_ratings"] - 1) / found["n_ratings"]
        done = "theirs with the small-sample factor of alpha" + (", divisor n" if done else "")
    return expected, done


def p_value(entry: Entry) -> float:
    """Return the p value of an entry, two-sided.

    irrCAC's bp.coeff.raw gives a one-sided p; its other functions double theirs.
    """
    one_sided = entry["coefficient"] == "brennan_prediger" and "doubled" not in str(
        entry["options"].get("p")
    )
    return (2 if one_sided else 1) * entry["p"]


def limits(entry: Entry, found: pd.Series, tolerance: float) -> Iterator[tuple[Any, ...]]:
    """Give the limits of t with n - 1 degrees of freedom, and the p value."""
    if entry["options"].get("ci") != "t df=n-1" or entry["options"]["se"] != LINEARIZED:
        return
    if entry["coefficient"] == "krippendorff_alpha":  # whose standard error differs
        return
    yield "ci_low", entry["ci_low"], found["ci_low"], tolerance, ""
    cut = "cut at 1" if entry["ci_high"] > 1 else ""
    yield "ci_high", min(entry["ci_high"], 1.0), found["ci_high"], tolerance, cut
    if entry["coefficient"] != "percent_agreement" and "p" in entry:
        expected = p_value(entry)
        yield "p", expected, found["p_value"], 1e-4 * expected + 1e-8, ""


def figures(name: str, entry: Entry) -> Iterator[tuple[Any, ...]]:
    """Give field, value, ours, tolerance and remark of all that an entry says."""
    found = row_of(name, entry)
    yield "value", entry["value"], found["estimate"], max(entry["tolerance"], 1e-12), ""
    if (name, entry) not in WITH_SE or is_smaller(name, entry):
        return
    expected, done = standard_error(name, entry, found)
    tolerance = max(entry["tolerance"], 1e-10)
    yield "se", expected, found["se"], tolerance, done
    if not is_of_two(name):
        yield from limits(entry, found, tolerance)


def smaller() -> Iterator[tuple[Entry, float, float]]:
    """Give the entries whose standard error is meant to be larger than ours, theirs and ours."""
    for name, entry in WITH_SE:
        if is_smaller(name, entry):
            found = row_of(name, entry)
            factor = 1 if entry["options"]["se"] == LINEARIZED else found["n_items"]
            theirs = entry["se"] * np.sqrt(factor / max(factor - 1, 1))
            yield entry, theirs, found["se"]


def held() -> Iterator[Held]:
    """Give every figure of every entry that is compared."""
    for name, entry in ENTRIES:
        weights = "" if entry["weights"] == "unweighted" else f", {entry['weights']}"
        missing = entry["options"].get("missing") or "none"
        rows = "" if missing == "none" else f"; {missing}"
        for field, value, ours, tolerance, done in figures(name, entry):
            yield Held(
                data=name,
                figure=f"{entry['coefficient']}{weights}; all raters{rows}; {field}",
                system=entry["from"],
                value=value,
                ours=ours,
                tolerance=tolerance,
                confirmed_by=entry.get("confirmed_by", ()),
                remark=done,
            )
