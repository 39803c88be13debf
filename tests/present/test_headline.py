"""The headline of a report in plain words, and the call that makes it again."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

import pdkappa
from conftest import each
from pdkappa.present.html_headline import AT_HAND, CONVENTION, FISHER
from pdkappa.present.text_markup import call_of

RATINGS = pd.DataFrame(
    {
        "ann": [1, 2, 3, 4, 3, 1, 2, 4],
        "bob": [2, 2, 4, 4, 3, 1, 2, 3],
        "eve": [1, 2, 2, 4, 3, 1, 3, 4],
    }
)
ESSAYS = pdkappa.datasets.load_essays()
SET = ESSAYS[ESSAYS["essay_set"] == 1]


def headline(data, raters=None, **options):
    return pdkappa.report(data, raters, **options).headline


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


@each(
    ("coefficient", "name", "row"),
    [
        ("scott", "Fleiss' kappa (Scott's pi for several raters)", "fleiss"),
        ("krippendorff", "Krippendorff's alpha", "krippendorff"),
        ("brennan_prediger", "the Brennan-Prediger coefficient", "brennan_prediger"),
        ("percent", "percent agreement", "percent"),
    ],
)
def test_several_raters_by_another_coefficient(coefficient, name, row):
    found = headline(RATINGS, coefficient=coefficient)
    assert found.estimate == RATINGS.kappa.agreement()["estimate"][row]
    assert found.measure == f"{name}, unweighted"
    assert any("Landis" in sentence for sentence in found.sentences) == (coefficient != "percent")


def test_groups_of_two_raters():
    options = {"weights": "quadratic", "group_weights": "essay_weight"}
    found = headline(ESSAYS, ["human_1", "machine"], by="essay_set", **options)
    expected = ESSAYS.kappa.grouped("human_1", "machine", by="essay_set", **options)
    assert found.estimate == float(expected)
    assert found.measure == "Mean over groups of Cohen's kappa, quadratic weights"
    assert found.sentences[0] == (
        "On 2,000 items, the agreement of human_1 and machine is Cohen's kappa 0.74 on average "
        "(95 % interval 0.72 to 0.76; quadratic weights)."
    )
    assert found.sentences[2] == "Unweighted it is 0.31 (95 % interval 0.28 to 0.34)."
    assert found.sentences[3:] == (
        f"It is the weighted mean over 8 groups. {FISHER}",
        AT_HAND,
        "Groups range from 0.68 (Essay set 3) to 0.80 (Essay set 4).",
        "The groups differ by more than chance explains (Cochran's Q, p = 0.0402).",
    )
    assert expected.heterogeneity["p_value"] == pytest.approx(0.0402, abs=5e-5)


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


def test_a_call_without_options():
    assert RATINGS.kappa.report().call == "df.kappa.report()"
    assert pdkappa.from_table(pd.crosstab(RATINGS["ann"], RATINGS["bob"])).report().call == (
        "ratings.report()"
    )


def test_what_is_no_code_is_described():
    options = {
        "weights": np.eye(4),
        "sample_weight": pd.Series([1.0, 2.0]),
        "categories": [1, 2, 3, 4],
        "rng": np.random.default_rng(1),
        "ci": "bca",
        "confusion": None,
    }
    text = call_of(pdkappa.report, options, "df.kappa")
    assert text == (
        "df.kappa.report(\n    weights=<ndarray of shape (4, 4)>,\n"
        "    sample_weight=<Series of shape (2,)>,\n    categories=[1, 2, 3, 4],\n"
        "    rng=<Generator>,\n    ci='bca',\n)"
    )
    assert call_of(pdkappa.report, {"weights": np.hypot}, "x") == "x.report(weights=<hypot>)"


def test_a_long_option_is_described():
    weights = {"sample_weight": [0.5] * 10_000, "raters": ["ann", "bob"]}
    text = call_of(pdkappa.report, weights, "df.kappa")
    assert text == "df.kappa.report(sample_weight=<list of length 10000>, raters=['ann', 'bob'])"
