"""The headline of a report in plain words, and the call that makes it again."""

from __future__ import annotations

import numpy as np
import pandas as pd

import pdkappa
from conftest import function_of
from pdkappa.present.html_headline import CONVENTION
from pdkappa.present.text_markup import call_of

ESSAYS = pdkappa.datasets.load_essays()
SET = ESSAYS[ESSAYS["essay_set"] == 1]


def headline(data, raters=None, **options):
    return data.kappa.report(raters, **options).headline


def test_two_raters():
    found = headline(SET, ["human_1", "machine"], weights="quadratic")
    expected = SET.kappa.pairs(["human_1", "machine"], weights="quadratic").iloc[0]
    assert found[2:5] == tuple(expected[["estimate", "ci_low", "ci_high"]])
    assert found.subject == "human_1 and machine"
    assert found.measure == "Cohen's kappa, quadratic weights"
    assert found.interval == "95 % interval 0.68 to 0.78"
    observed, chance = 100 * expected[["observed_agreement", "expected_agreement"]].astype(float)
    main, words, others, share, most = found.sentences
    assert main == (
        "On 300 items, the agreement of human_1 and machine is Cohen's kappa 0.74 (95 % interval "
        "0.68 to 0.78; quadratic weights)."
    )
    assert words == (
        "In the words of Landis and Koch (1977) that is substantial (the whole interval). "
        f"{CONVENTION}"
    )
    unweighted = SET.kappa.pairs(["human_1", "machine"])["estimate"][0]
    assert others.startswith(f"Unweighted it is {unweighted:.2f} (95 % interval ")
    assert share == (
        f"Observed agreement is {observed:.0f} %, near misses counted in part; by chance alone it "
        f"would be {chance:.0f} %."
    )
    assert most == f"Their category shares allow at most {expected['max_estimate']:.2f}."
    facts = dict(found.facts)
    assert facts["items"] == "300 with 600 ratings"
    assert facts["raters"] == "2: human_1, machine"


# --- the call ----------------------------------------------------------------------------------


def test_the_call_makes_the_report_again():
    made = ESSAYS.kappa.report(
        ["human_1", "machine"],
        by="essay_set",
        weights="quadratic",
        group_weights={n: n / 2 for n in range(1, 9)},
        confidence_level=0.9,
        crosscheck=False,
    )
    assert made.call == (
        "df.kappa.report(\n"
        "    raters=['human_1', 'machine'],\n"
        "    by='essay_set',\n"
        "    weights='quadratic',\n"
        "    confidence_level=0.9,\n"
        "    group_weights={1: 0.5, 2: 1.0, 3: 1.5, 4: 2.0, 5: 2.5, 6: 3.0, 7: 3.5, 8: 4.0},\n"
        "    crosscheck=False,\n"
        ")"
    )
    again = eval(made.call, {"df": ESSAYS})  # noqa: S307
    assert again.tables.keys() == made.tables.keys()
    for name, frame in again.tables.items():
        pd.testing.assert_frame_equal(frame, made.tables[name])


def test_what_is_no_code_is_described():
    options = {
        "weights": np.eye(4),
        "sample_weight": pd.Series([1.0, 2.0]),
        "categories": [1, 2, 3, 4],
        "rng": np.random.default_rng(1),
        "ci": "bca",
        "confusion": None,
    }
    text = call_of(function_of("report"), options, "df.kappa")
    assert text == (
        "df.kappa.report(\n    weights=<ndarray of shape (4, 4)>,\n"
        "    sample_weight=<Series of shape (2,)>,\n    categories=[1, 2, 3, 4],\n"
        "    rng=<Generator>,\n    ci='bca',\n)"
    )
    assert call_of(function_of("report"), {"weights": np.hypot}, "x") == "x.report(weights=<hypot>)"
