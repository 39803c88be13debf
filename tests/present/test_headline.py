"""The headline of a report in plain words, and the call that makes it again."""

from __future__ import annotations

import math

import numpy as np
import pandas as pd
import pytest

import pdkappa
from conftest import each
from pdkappa.present.html_headline import AT_HAND, CONVENTION, FISHER, SHARED
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


def test_agreement_below_chance():
    data = pd.DataFrame({"ann": [1, 2] * 20, "bob": [2, 1] * 20})
    found = headline(data)
    assert found.high < 0
    assert not any("chance alone may explain" in sentence for sentence in found.sentences)


# By hand: ann and bob agree on 5 of 8 items, by chance on a quarter.
def test_two_raters_without_weights_at_another_level():
    found = headline(RATINGS, ["ann", "bob"], confidence_level=0.999)
    assert found.level == "99.9 %"
    assert found.measure == "Cohen's kappa, unweighted"
    assert found.sentences[0].startswith(
        "On 8 items, the agreement of ann and bob is Cohen's kappa 0.50 (99.9 %"
    )
    assert "The interval includes 0: chance alone may explain the agreement." in found.sentences
    assert "Observed agreement is 62 %; by chance alone it would be 25 %." in found.sentences


def test_several_raters():
    found = headline(RATINGS)
    light = RATINGS.kappa.agreement().loc["light"]
    assert found[2:5] == tuple(light[["estimate", "ci_low", "ci_high"]])
    assert found.sentences[0].startswith(
        "On 8 items, the agreement of ann, bob and eve is Light's kappa (the mean of the pairs' "
        "Cohen's kappas) 0.50 (95 % interval "
    )
    assert dict(found.facts)["coefficient"] == found.measure
    assert found.sentences[-1] == "Pairs range from 0.33 (bob and eve) to 0.67 (ann and eve)."


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


def test_groups_that_may_be_alike():
    data = pd.concat([RATINGS.assign(site="x"), RATINGS.assign(site="y")])
    found = headline(data, ["ann", "bob"], by=["site"], confusion=False)
    assert found.sentences[-1] == (
        "Chance alone may explain how the groups differ (Cochran's Q, p = 1.0000)."
    )


def test_groups_of_several_raters():
    raters = ["human_1", "human_2", "machine"]
    found = headline(ESSAYS, raters, by="essay_set", weights="quadratic")
    pairs = [("human_1", "human_2"), ("human_1", "machine"), ("human_2", "machine")]
    expected = ESSAYS.kappa.grouped(pairs=pairs, by="essay_set", weights="quadratic")
    assert found.estimate == float(expected)
    assert found.sentences[0] == (
        "The agreement of human_1, human_2 and machine is Cohen's kappa 0.74 on average (95 % "
        "interval 0.73 to 0.76; quadratic weights)."
    )
    assert found.sentences[-2:] == (
        f"It is the mean of 24 coefficients, one of each pair and group. {FISHER}",
        SHARED,
    )


@pytest.mark.filterwarnings("ignore::pdkappa.UndefinedKappaWarning")
def test_groups_without_a_figure_are_counted():
    alike = RATINGS.assign(ann=1, bob=1, eve=1, site="z")
    data = pd.concat([RATINGS.assign(site="x"), RATINGS.assign(site="y"), alike])
    found = headline(data, ["ann", "bob"], by="site", confusion=False)
    assert f"It is the mean over 2 groups (1 undefined and left out). {FISHER}" in found.sentences
    found = headline(data, ["ann", "bob", "eve"], by="site", confusion=False)
    assert found.sentences[-2] == (
        "It is the mean of 6 coefficients, one of each pair and group (3 undefined and left out). "
        f"{FISHER}"
    )
    found = headline(data[data["site"] != "y"], ["ann", "bob"], by="site", confusion=False)
    assert found.sentences[-2:] == ("It is that of one group (1 undefined and left out).", AT_HAND)
    found = headline(alike, ["ann", "bob"], by="site", confusion=False)
    assert len(found.sentences) == 1


def test_missing_ratings_of_several_raters_are_counted():
    data = RATINGS.assign(bob=RATINGS["bob"].where(RATINGS.index > 2))
    main = headline(data, confusion=False).sentences[0]
    assert main.startswith("On 8 items (21 of 24 ratings), the agreement of ann, bob and eve is L")
    assert "ratings)" not in headline(RATINGS, confusion=False).sentences[0]


def test_percent_agreement_is_not_explained_by_chance():
    data = pd.DataFrame({"ann": [1, 2, 3], "bob": [1, 1, 2]})
    found = headline(data, coefficient="percent", confusion=False)
    assert 0 < found.low < found.estimate
    assert not any("chance" in sentence for sentence in found.sentences)


# Observed by hand: 399 of 400, 1 of 300 and all of 4; by chance the products of the shares.
@each(
    ("ann", "bob", "observed", "by_chance"),
    [
        ([1] * 398 + [2, 2], [1] * 399 + [2], "over 99 %", "99 %"),
        ([*range(300)], [0, *range(2, 300), 1], "under 1 %", "under 1 %"),
        ([1, 2, 1, 2], [1, 2, 1, 2], "100 %", "50 %"),
    ],
)
def test_nearly_all_is_not_all(ann, bob, observed, by_chance):
    found = headline(pd.DataFrame({"ann": ann, "bob": bob}), confusion=False, crosscheck=False)
    shared = next(one for one in found.sentences if one.startswith("Observed"))
    assert shared == f"Observed agreement is {observed}; by chance alone it would be {by_chance}."


@pytest.mark.filterwarnings("ignore::pdkappa.UndefinedKappaWarning")
@each("by", [None, "site"])
def test_what_is_undefined_is_explained(by):
    data = pd.DataFrame({"ann": [1, 1, 1, 1], "bob": [1, 1, 1, 1], "site": [*"xxyy"]})
    found = headline(data, ["ann", "bob"], by=by)
    assert math.isnan(found.estimate)
    assert found.sentences[0].startswith("The agreement of ann and bob is undefined. ")
    assert len(found.sentences[0]) > 60
    assert not any("Landis" in sentence for sentence in found.sentences)


def test_many_raters_are_counted():
    many = pd.DataFrame({f"r{number}": RATINGS["ann"] for number in range(8)})
    found = headline(many, crosscheck=False, confusion=False)
    assert found.subject == "r0, r1, r2, r3, r4 and 3 more"


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
