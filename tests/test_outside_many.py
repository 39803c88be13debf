"""Coefficients of many raters against values of independent systems, entry by entry.

Where pdkappa means to differ, the difference itself is tested: Krippendorff's alpha has its
small-sample factor in the standard error, too, and with missing ratings the share of items
with two ratings is not taken for fixed (see the notes of `pdkappa.agreement`).
"""

from __future__ import annotations

import json
from functools import cache
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_allclose

import pdkappa

FOLDER = Path(__file__).parent / "data" / "many"
DATA = {path.stem: json.loads(path.read_text(encoding="utf-8")) for path in FOLDER.glob("*.json")}
ENTRIES = [(name, entry) for name, data in sorted(DATA.items()) for entry in data["expected"]]

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
# The standard error of a null hypothesis is not one of `agreement`; its value still is tested.
NULL = "null (H0: coefficient = 0)"
SCHOUTEN = "schouten (= gwet_linearized * sqrt((n-1)/n))"
LINEARIZED = "gwet_linearized"


def source(name, missing=None, q=None):
    """Ratings as pdkappa takes them, and the categories that the system knew."""
    data = DATA[name]
    frame = pd.DataFrame(data["rows"], columns=data["columns"])
    categories = data["categories"]
    if data["layout"] == "counts":
        return pdkappa.from_counts(frame[[str(c) for c in data["categories"]]]), None
    frame = frame[data["raters"]]
    if missing == "listwise" and q != len(categories) and not isinstance(categories[0], str):
        return frame, None  # these systems know the categories of the complete rows only
    return frame, categories


@cache
def result(name, weights, missing, margins, coefficient, level, q):  # noqa: PLR0917
    data, categories = source(name, missing, q)
    return pdkappa.agreement(
        data,
        coefficients=[coefficient],
        weights=weights,
        categories=categories,
        missing=missing,
        shares=margins,
        ci="wald",
        confidence_level=level,
    ).loc[coefficient]


def row_of(name, entry):
    weights = WEIGHTS.get(entry["weights"], entry["weights"])
    missing = entry["options"].get("missing") or "none"
    return result(
        name,
        weights,
        "listwise" if missing == "listwise" else "pairwise",
        "ratings" if missing == "available_pooled_margins" else "items",
        NAMES[entry["coefficient"]],
        entry.get("ci_level", 0.95),
        entry["options"].get("q"),
    )


def has_missing(name):
    frame, _ = source(name)
    return isinstance(frame, pd.DataFrame) and bool(frame.isna().any(axis=None))


@pytest.mark.parametrize("name", DATA)
def test_the_values(name):
    for entry in DATA[name]["expected"]:
        found, expected = row_of(name, entry)["estimate"], entry["value"]
        atol = max(entry["tolerance"], 1e-12)
        assert_allclose(found, expected, rtol=0, atol=atol, err_msg=entry["id"])


WITH_SE = [(n, e) for n, e in ENTRIES if e["options"].get("se") in {LINEARIZED, SCHOUTEN}]


@pytest.mark.parametrize("name", sorted({name for name, _ in WITH_SE}))
def test_the_standard_errors(name):
    for dataset, entry in WITH_SE:
        if dataset == name:
            check_standard_error(name, entry)


def check_standard_error(name, entry):
    found = row_of(name, entry)
    tolerance = {"rtol": 0, "atol": max(entry["tolerance"], 1e-10), "err_msg": entry["id"]}
    expected = entry["se"]
    if entry["options"]["se"] == SCHOUTEN:
        expected *= np.sqrt(found["n_items"] / (found["n_items"] - 1))
    if entry["options"]["missing"] == "available" and has_missing(name):
        # The factor makes the standard error of alpha smaller, and for all coefficients the
        # linearisation of the whole sample is smaller than the one that takes the share of
        # items with two ratings for fixed, unless every item has two ratings.
        alpha = entry["coefficient"] == "krippendorff_alpha"
        assert found["se"] <= expected + (0 if alpha else tolerance["atol"]), entry["id"]
        return
    if entry["coefficient"] == "krippendorff_alpha":
        n_ratings = found["n_ratings"]
        expected *= (n_ratings - 1) / n_ratings
    assert_allclose(found["se"], expected, **tolerance)
    if entry["options"].get("ci") == "t df=n-1" and entry["options"]["se"] == LINEARIZED:
        if entry["coefficient"] == "krippendorff_alpha":
            return
        assert_allclose(found["ci_low"], entry["ci_low"], **tolerance)
        assert_allclose(found["ci_high"], min(entry["ci_high"], 1.0), **tolerance)
        if entry["coefficient"] != "percent_agreement" and "p" in entry:
            # irrCAC's bp.coeff.raw gives a one-sided p; its other functions double theirs.
            one_sided = entry["coefficient"] == "brennan_prediger" and "doubled" not in str(
                entry["options"].get("p")
            )
            sides = 2 if one_sided else 1
            assert_allclose(found["p_value"], sides * entry["p"], rtol=1e-4, atol=1e-8)


def test_every_entry_is_compared():
    assert len(ENTRIES) == 289
    assert len(WITH_SE) == 195
    kinds = {e["options"].get("se") for _, e in ENTRIES} - {LINEARIZED, SCHOUTEN, NULL, None}
    assert not kinds
