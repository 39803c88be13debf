"""Concordance and evaluation: RSMTool's figures, options, groups, messages, reasons."""

from __future__ import annotations

import re
import warnings
from decimal import Decimal

import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from pandas.testing import assert_frame_equal, assert_series_equal

import pdkappa
from pdkappa import errors
from pdkappa.datasets import load_anxiety, load_essays
from pdkappa.present import schema

nan = float("nan")
undefined = pytest.mark.filterwarnings("ignore::pdkappa.UndefinedKappaWarning")


def two(a, b):
    """Return a frame of two raters."""
    return pd.DataFrame({"a": a, "b": b})


@pytest.fixture
def essays():
    """Human scores of three essay sets, and unrounded predictions, some of all missing."""
    frame = load_essays().query("essay_set in [3, 4, 5]").reset_index(drop=True)
    noise = np.random.default_rng(2).normal(scale=0.3, size=len(frame))
    frame["machine"] = frame["machine"] + noise
    frame["student"] = np.arange(len(frame)) % 200
    frame["weight"] = np.arange(len(frame)) % 3 + 1
    frame["human_2"] = frame["human_2"].astype("Int64")
    frame.loc[::9, "human_2"] = pd.NA
    frame.loc[::11, "machine"] = nan
    return frame


# --- Concordance -------------------------------------------------------------------------------


def test_columns_and_rows(essays):
    frame = essays[["essay_set", "human_1", "human_2", "machine"]]
    found = frame.kappa.concordance(by="essay_set")
    assert list(found.columns) == [*schema.CONCORDANCE]
    assert found.index.tolist() == [3] * 3 + [4] * 3 + [5] * 3
    pairs = [("human_1", "human_2"), ("human_1", "machine"), ("human_2", "machine")]
    assert list(found[["rater_a", "rater_b"]].itertuples(index=False, name=None)) == pairs * 3
    assert found["n_items"].dtype.kind == "i"
    assert (found["reason"] == "").all()
    assert_frame_equal(frame.groupby("essay_set").kappa.concordance(), found)


@pytest.mark.parametrize("weights", ["quadratic", "linear"])
@pytest.mark.parametrize(
    "options", [{}, {"by": "essay_set"}, {"sample_weight": "weight"}, {"missing": "listwise"}]
)
def test_whole_scores_are_as_in_pairs(essays, weights, options):
    raters = ["human_1", "human_2"]
    found = pdkappa.concordance(essays, raters, weights=weights, ci="wald", **options)
    expected = pdkappa.pairs(essays, raters, weights=weights, ci="wald", **options)
    same = [name for name in expected if name in found and name != "reason"]
    assert_frame_equal(found[same], expected[same], rtol=1e-10)
    usual = pdkappa.concordance(essays, raters, weights=weights, **options)
    expected = pdkappa.pairs(essays, raters, weights=weights, **options)
    assert_array_equal(usual[same], expected[same])


def test_clusters_are_as_in_pairs(essays):
    raters, options = ["human_1", "machine"], {"cluster": "student", "ci": "wald"}
    complete = essays.dropna(subset=raters)
    found = pdkappa.concordance(complete, raters, **options)
    with pytest.warns(errors.LookalikeLabelsWarning):
        expected = pdkappa.pairs(complete, raters, weights="quadratic", **options)
    for name in ("estimate", "se", "ci_low", "ci_high"):
        assert_allclose(found[name], expected[name], rtol=1e-10)


def test_the_estimate_is_qwk(essays):
    whole = essays[["human_1", "human_2"]].dropna()
    found = pdkappa.concordance(whole)["estimate"].item()
    assert_allclose(found, pdkappa.qwk(whole["human_1"], whole["human_2"]), rtol=1e-13)


def test_a_large_frame():
    x, e = np.random.default_rng(0).normal(size=(2, 100_000))
    frame = two(x, x + e).assign(group=np.arange(100_000) % 1000)
    found = pdkappa.concordance(frame, ["a", "b"], by="group", weights="linear")
    assert len(found) == 1000
    whole = pdkappa.concordance(frame, ["a", "b"])
    assert_allclose(whole["estimate"], 2 / 3, atol=0.01)  # 2 cov / (var_a + var_b) = 2 / (1 + 2)


@pytest.mark.needs("pyarrow")
@pytest.mark.parametrize(
    "make",
    [
        lambda x: x.astype("Float64"),
        lambda x: x.astype("double[pyarrow]"),
        lambda x: x.map(lambda one: Decimal(str(one))),
        lambda x: x.astype("category"),
    ],
    ids=["Float64", "Arrow", "Decimal", "category"],
)
def test_numbers_of_every_sort(make):
    frame = two([1, 2, 4, 4, 3], [1.6, 2.2, 3.4, 3.1, 2.9])
    found = pdkappa.concordance(frame.assign(b=make(frame["b"])))
    assert_frame_equal(found, pdkappa.concordance(frame))


def test_a_table_of_scores():
    table = pd.DataFrame([[20, 5], [10, 15]], index=[1, 2], columns=[1, 2])
    found = pdkappa.from_table(table).concordance()
    assert found["n_items"].item() == 50
    assert_allclose(found["estimate"], 0.4)


def test_reasons_of_concordance():
    frame = pd.DataFrame(
        {
            "g": ["none", "one", "flat", "flat", "same", "same", "fine", "fine", "fine"],
            "a": [nan, 1, 2, 2, 5, 5, 1, 2, 3.5],
            "b": [nan, 2, 1, 3, 5, 5, 2, 1, 3.0],
        }
    )
    message = (
        "2 of 5 coefficient(s) are undefined (NaN): 'a' with 'b' at g=none (no_items), 'a' with "
        "'b' at g=same (constant_ratings). The column 'reason' says why."
    )
    with pytest.warns(errors.UndefinedKappaWarning, match=f"^{re.escape(message)}$"):
        found = pdkappa.concordance(frame, ["a", "b"], by="g")
    assert found["reason"].to_dict() == {
        "none": "no_items",
        "one": "n_lt_2",
        "flat": "constant_rater",
        "same": "constant_ratings",
        "fine": "",
    }
    assert found.loc["flat", "estimate"] == 0
    assert found["mean_difference"].isna().tolist() == [False, False, True, False, False]


@undefined
def test_reasons_without_items():
    empty = pdkappa.concordance(two([], []))
    assert empty["reason"].tolist() == ["no_items"]
    apart = pdkappa.concordance(two([1.5, nan], [nan, 2.5]))
    assert apart["reason"].tolist() == ["no_joint_items"]
    frame = two([1.5, 2.5], [1.5, 2.0]).assign(g=[1, 2], w=[0, 1], zero=0)
    weightless = pdkappa.concordance(frame, ["a", "b"], sample_weight="zero")
    assert weightless["reason"].tolist() == ["zero_total_weight"]
    grouped = pdkappa.concordance(frame, ["a", "b"], by="g", sample_weight="w")
    assert grouped["reason"].tolist() == ["zero_total_weight", "n_lt_2"]


# --- Evaluation --------------------------------------------------------------------------------


def test_rows_of_evaluation(essays):
    found = essays.kappa.evaluation("human_1", "machine", "human_2", by="essay_set")
    assert list(found.columns) == list(schema.EVALUATION)
    assert found.index.names == ["essay_set", "comparison"]
    comparisons = ["consistency", "evaluation", "degradation"]
    assert found.index.tolist() == [(g, name) for g in (3, 4, 5) for name in comparisons]
    assert found["n_items"].dtype.kind == "i"
    single = pdkappa.evaluation(essays, "human_1", "machine")
    assert single.index.tolist() == ["evaluation"]
    assert single.index.name == "comparison"


def test_degradation_is_the_difference(essays):
    found = pdkappa.evaluation(essays, "human_1", "machine", "human_2")
    names = [
        "estimate",
        "qwk",
        "cohen",
        "correlation",
        "smd",
        "exact_agreement",
        "adjacent_agreement",
        "r2",
        "rmse",
    ]
    difference = found.loc["evaluation", names] - found.loc["consistency", names]
    assert_series_equal(found.loc["degradation", names], difference, check_names=False)
    lost = found.loc["degradation", ["mean_a", "sample_sd_b", "se", "ci_low", "ci_high"]]
    assert lost.isna().all()
    all_three = essays[["human_1", "human_2", "machine"]].dropna()
    assert found.loc["degradation", "n_items"] == len(all_three)
    listwise = pdkappa.evaluation(essays, "human_1", "machine", "human_2", missing="listwise")
    assert listwise["n_items"].tolist() == [len(all_three)] * 3


@pytest.mark.parametrize(
    "options",
    [
        {"categories": range(5)},
        {"categories": range(5), "exclude": [0, 4]},
        {"rounded": False},
    ],
)
def test_a_group_is_itself(essays, options):
    raters = ("human_1", "machine", "human_2")
    whole = pdkappa.evaluation(essays, *raters, by="essay_set", **options)
    for label, part in essays.groupby("essay_set"):
        alone = pdkappa.evaluation(part, *raters, **options)
        assert_frame_equal(whole.drop(columns="dsm").loc[label], alone, rtol=1e-9)


def test_the_second_human_changes_nothing_else(essays):
    both = pdkappa.evaluation(essays, "human_1", "machine", "human_2", exclude=0)
    alone = pdkappa.evaluation(essays, "human_1", "machine", exclude=0)
    assert_frame_equal(both.loc[["evaluation"]].drop(columns="disattenuated"), alone)


def test_kappa_and_agreement_of_rounded_scores(essays):
    part = essays.query("essay_set == 5").dropna(subset=["machine"])
    rounded = np.floor(part["machine"] + 0.5).clip(0, 4)
    expected = pdkappa.pairs(part.assign(rounded=rounded), ["human_1", "rounded"])
    found = pdkappa.evaluation(part, "human_1", "machine").loc["evaluation"]
    assert_allclose(found["cohen"], expected["estimate"])
    assert_allclose(found["exact_agreement"], expected["observed_agreement"])
    assert found["n_rounded"] == (rounded != part["machine"]).sum() > 0
    qwk = pdkappa.concordance(part, ["human_1", "machine"]).iloc[0]
    names = {"qwk": "estimate", "se": "se", "ci_low": "ci_low", "ci_high": "ci_high"}
    for ours, theirs in names.items():
        assert found[ours] == qwk[theirs]


def test_whole_machine_scores_are_not_touched():
    found = pdkappa.evaluation(two([1, 2, 3, 2], [1, 2, 6, 4]), "a", "b").loc["evaluation"]
    assert found[["n_rounded", "exact_agreement", "adjacent_agreement"]].tolist() == [0, 0.5, 0.5]


@pytest.mark.parametrize("groups", ["narrow", "some are whole", "second human"])
def test_groups_share_the_range_to_which_scores_are_clipped(groups):
    """A subgroup with low scores is judged as if the scale were declared."""
    human = [1, 2, 3, 1, 2, 3, 4, 5, 6, 4]
    machine = [1.4, 2.6, 3.8, 4.2, 3.7, 2.9, 4.4, 5.2, 6.8, 3.1]
    frame = two(human, machine).assign(g=["low"] * 6 + ["high"] * 4)
    second = {}
    if groups == "some are whole":
        frame.loc[frame["g"] == "high", "b"] = [7, 5, 6, 3]
    if groups == "second human":
        frame["c"] = frame["a"].replace({1: 2, 6: 8})
        second = {"second_human": "c"}
    found = pdkappa.evaluation(frame, "a", "b", by="g", **second)
    scale = range(1, 9 if second else 7)
    expected = pdkappa.evaluation(frame, "a", "b", by="g", categories=scale, **second)
    assert_frame_equal(found, expected)
    low = found.loc[("low", "evaluation")]
    assert low[["n_rounded", "exact_agreement"]].tolist() == [6, 2 / 6]


def test_sets_with_scales_of_their_own():
    """A score beyond the scale of its set is rounded, and a disagreement; it is no match."""
    frame = two([0, 3, 3, 0, 60, 30], [0.2, 3.6, 2.9, 1, 60, 29.7]).assign(g=list("sssbbb"))
    found = pdkappa.evaluation(frame, "a", "b", by="g").xs("evaluation", level="comparison")
    assert found["exact_agreement"].tolist() == pytest.approx([2 / 3, 2 / 3])
    assert found["adjacent_agreement"].tolist() == [1, 1]
    assert found["n_rounded"].tolist() == [1, 3]
    small = frame[frame["g"] == "s"]
    alone = pdkappa.evaluation(small, "a", "b", categories=range(4)).loc["evaluation"]
    assert alone["exact_agreement"] == 1


def test_unrounded_scores_may_stay():
    frame = two([1, 2, 3, 2], [1.0, 2.5, 4.5, 3.0])
    found = pdkappa.evaluation(frame, "a", "b", rounded=False).loc["evaluation"]
    assert found[["n_rounded", "exact_agreement", "adjacent_agreement"]].tolist() == [0, 0.25, 0.75]
    found = pdkappa.evaluation(frame, "a", "b").loc["evaluation"]
    assert found[["n_rounded", "exact_agreement", "adjacent_agreement"]].tolist() == [2, 0.5, 1]


def test_humans_are_not_rounded():
    frame = two([1, 2, 3, 2], [1.0, 2.5, 4.5, 3.0]).assign(c=[1.0, 1.5, 3.0, 2.5])
    found = pdkappa.evaluation(frame, "a", "b", "c")
    assert found["n_rounded"].tolist() == [0, 2, 2]
    assert found["exact_agreement"].tolist() == [0.5, 0.5, 0]


def test_half_points_need_a_scale():
    frame = two([1, 1.5, 3, 2.5], [1.2, 1.4, 2.8, 2.6])
    message = (
        "Column 'a' holds 1.5, 2.5, so the scores of 'b', such as 1.2, cannot be rounded to whole "
        "numbers. Pass categories=[...], the scores of the scale, or rounded=False."
    )
    with pytest.raises(errors.RatingsError, match=f"^{re.escape(message)}$"):
        pdkappa.evaluation(frame, "a", "b")
    scale = [1, 1.5, 2, 2.5, 3]
    found = pdkappa.evaluation(frame, "a", "b", categories=scale).loc["evaluation"]
    assert found[["n_rounded", "exact_agreement", "cohen"]].tolist() == [4, 1, 1]
    assert pdkappa.evaluation(frame, "a", "b", rounded=False)["exact_agreement"].item() == 0
    on_scale = two([1, 1.5, 3, 2.5], [1, 3, 2.5, 1.5])
    assert pdkappa.evaluation(on_scale, "a", "b")["n_rounded"].item() == 0


def test_excluded_scores(essays):
    found = pdkappa.evaluation(essays, "human_1", "machine", "human_2", exclude=0)
    kept = essays.replace({"human_1": {0: nan}, "human_2": {0: pd.NA}})
    expected = pdkappa.evaluation(kept, "human_1", "machine", "human_2")
    assert_frame_equal(found.drop(columns="n_excluded"), expected.drop(columns="n_excluded"))
    every = pdkappa.evaluation(essays, "human_1", "machine", "human_2")
    assert (every["n_excluded"] == 0).all()
    assert (found["n_items"] + found["n_excluded"]).tolist() == every["n_items"].tolist()
    assert found["n_excluded"].min() > 0
    for same in ([0], np.array([0]), (0.0,), {0}):
        assert_frame_equal(found, pdkappa.evaluation(essays, *found_raters(), exclude=same))


def found_raters():
    """Return the raters of `test_excluded_scores`."""
    return "human_1", "machine", "human_2"


def test_zeros_are_never_dropped_unasked():
    frame = two([0, 0, 1, 2], [0, 1, 1, 2])
    assert pdkappa.evaluation(frame, "a", "b")[["n_items", "n_excluded"]].iloc[0].tolist() == [4, 0]


def test_weights_count_items(essays):
    raters = found_raters()
    weighted = pdkappa.evaluation(essays, *raters, sample_weight="weight")
    copied = pdkappa.evaluation(essays.loc[essays.index.repeat(essays["weight"])], *raters)
    assert_frame_equal(weighted, copied, rtol=1e-9)


def test_clusters_change_standard_errors_only(essays):
    plain = pdkappa.evaluation(essays, "human_1", "machine")
    nested = pdkappa.evaluation(essays, "human_1", "machine", cluster="student")
    changed = [name for name in plain if not plain[name].equals(nested[name])]
    assert changed == ["se", "ci_low", "ci_high"]


def test_reasons_of_evaluation():
    frame = pd.DataFrame(
        {
            "g": [1, 1, 2, 2, 3],
            "h": [2, 2, 1, 2, nan],
            "m": [2, 2, 1.4, 1.6, 3],
            "h2": [2, 2, 1, 2, 1],
        }
    )
    message = (
        "4 of 6 comparison(s) are undefined (NaN): consistency at g=1 (constant_ratings), "
        "consistency at g=3 (no_joint_items), evaluation at g=1 (constant_ratings), evaluation at "
        "g=3 (no_joint_items). The column 'reason' says why."
    )
    with pytest.warns(errors.UndefinedKappaWarning, match=f"^{re.escape(message)}$"):
        found = pdkappa.evaluation(frame, "h", "m", "h2", by="g")
    why = ["constant_ratings"] * 3 + [""] * 3 + ["no_joint_items"] * 3
    assert found["reason"].tolist() == why
    assert found.loc[2, "cohen"].tolist() == [1, 1, 0]
    with pytest.warns(errors.UndefinedKappaWarning):
        found = pdkappa.evaluation(frame.assign(h2=nan), "h", "m", "h2", by="g")
    assert found.loc[2, "reason"].tolist() == ["no_joint_items", "", "no_joint_items"]
    with pytest.warns(errors.UndefinedKappaWarning):
        found = pdkappa.evaluation(two([nan], [nan]), "a", "b", exclude=0)
    assert found["reason"].tolist() == ["no_items"]
    with pytest.warns(errors.UndefinedKappaWarning, match=r"^1 of 1 comparison\(s\)"):
        pdkappa.evaluation(two([1, 1], [1, 1]), "a", "b")


@pytest.mark.parametrize("name", ["concordance", "evaluation"])
def test_the_frame_stays_as_it_is(essays, name):
    before = essays.copy()
    args = (["human_1", "machine"],) if name == "concordance" else found_raters()
    getattr(pdkappa, name)(essays, *args, by="essay_set")
    assert_frame_equal(essays, before)


def test_nothing_is_taken_for_a_mistake(essays):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        pdkappa.concordance(essays, ["human_1", "machine"])
        pdkappa.evaluation(essays, "human_1", "machine")


@pytest.mark.parametrize("columns", [schema.CONCORDANCE, schema.EVALUATION])
def test_every_column_has_a_meaning(columns):
    assert set(columns) <= schema.COLUMNS.keys()


# --- Weights, and scales of words --------------------------------------------------------------

WORDS = ["low", "mid", "high"]
SAID = two(
    ["low", "mid", "high", "mid", "low", "high", "high", "mid"],
    ["low", "high", "high", "mid", "mid", "high", "mid", "mid"],
).astype(pd.CategoricalDtype(WORDS, ordered=True))
LIMITED = ["estimate", "se", "ci_low", "ci_high"]


@pytest.mark.filterwarnings("ignore::pdkappa.CrudeKappaWarning")
@pytest.mark.parametrize("weights", [None, "linear", "quadratic"])
@pytest.mark.parametrize("by", [None, "essay_set"])
def test_weights_are_those_of_pairs(weights, by):
    frame = load_essays()
    found = pdkappa.evaluation(frame, "human_1", "machine", weights=weights, by=by)
    expected = pdkappa.pairs(frame, ["human_1", "machine"], weights=weights, by=by)
    assert_array_equal(found[["n_items", *LIMITED]], expected[["n_items", *LIMITED]])
    unlimited = pdkappa.evaluation(frame, "human_1", "machine", by=by)
    assert_frame_equal(found.drop(columns=LIMITED), unlimited.drop(columns=LIMITED))
    assert_allclose(unlimited["estimate"], unlimited["qwk"], rtol=1e-12)
    if weights is None:
        assert_allclose(found["estimate"], found["cohen"], rtol=1e-12, atol=1e-12)
    assert ((found["ci_low"] < found["estimate"]) & (found["estimate"] < found["ci_high"])).all()


def test_linear_weights_of_unrounded_scores(essays):
    found = pdkappa.evaluation(essays, *found_raters(), weights="linear").loc["evaluation"]
    expected = pdkappa.concordance(essays, ["human_1", "machine"], weights="linear").iloc[0]
    assert_array_equal(found[LIMITED], expected[LIMITED])


def test_without_weights_scores_are_rounded(essays):
    found = pdkappa.evaluation(essays, *found_raters(), weights=None)
    assert_allclose(found["estimate"], found["cohen"])
    assert found["n_rounded"].max() > 0
    assert_allclose(
        found.loc["degradation", "estimate"],
        found.loc["evaluation", "estimate"] - found.loc["consistency", "estimate"],
    )


def test_a_machine_that_rounds_to_one_score_has_its_reason():
    frame = two([1, 2, 2, 3], [1.6, 2.1, 2.2, 2.4])
    found = pdkappa.evaluation(frame, "a", "b", weights=None).iloc[0]
    assert (found["estimate"], found["cohen"], found["reason"]) == (0, 0, "constant_rater")
    assert np.isnan(found["se"])


def test_words_count_as_their_ranks():
    ranks = SAID.apply(lambda column: column.cat.codes + 1)
    expected = pdkappa.evaluation(ranks, "a", "b")
    declared = pdkappa.evaluation(SAID.astype(str), "a", "b", categories=WORDS)
    assert_frame_equal(pdkappa.evaluation(SAID, "a", "b"), expected)
    assert_frame_equal(declared, expected)
    assert_allclose(
        declared["estimate"], pdkappa.pairs(SAID, weights="quadratic")["estimate"], rtol=1e-12
    )


def test_words_with_scores():
    scores = {"low": 0.0, "mid": 2.5, "high": 4.0}
    found = pdkappa.evaluation(SAID.astype(str), "a", "b", categories=scores)
    expected = pdkappa.evaluation(
        SAID.astype(str).apply(lambda one: one.map(scores)).astype(float),
        "a",
        "b",
        categories=[0, 2.5, 4],
    )
    assert_frame_equal(found, expected)
    assert found["n_rounded"].item() == 0
    assert found["adjacent_agreement"].item() == found["exact_agreement"].item()


@pytest.mark.parametrize("categories", [WORDS, [*WORDS, "off topic"]])
@pytest.mark.parametrize("exclude", ["off topic", ["off topic"], {"off topic"}])
def test_words_are_excluded(categories, exclude):
    said = SAID.astype(str)
    said.loc[0, "a"] = said.loc[3, "b"] = "off topic"
    found = pdkappa.evaluation(said, "a", "b", categories=categories, exclude=exclude)
    expected = pdkappa.evaluation(SAID.drop(index=[0, 3]), "a", "b")
    assert found["n_excluded"].item() == 2
    assert_frame_equal(found.assign(n_excluded=0), expected)


def test_words_by_group():
    by_group = pdkappa.evaluation(SAID.assign(g=list("xxxxyyyy")), "a", "b", by="g")
    by_group = by_group.drop(columns="dsm")  # which compares groups
    for label, part in SAID.groupby(list("xxxxyyyy")):
        assert_frame_equal(by_group.loc[label], pdkappa.evaluation(part, "a", "b"), rtol=1e-12)


# --- Messages ----------------------------------------------------------------------------------

SCORES = two([1, 2, 4, 4], [1.5, 2.2, 3.1, 4.0]).assign(g=1, qwk=1)
ORDERED = pd.CategoricalDtype([1, 2, 4], ordered=True)
MESSAGES = {
    "text": (
        lambda: pdkappa.concordance(two(["low", "mid"], ["mid", "mid"])),
        errors.RatingTypeError,
        (
            "Scores must be numbers, got 'low' (str). Convert the columns, as with "
            "pd.to_numeric or astype(float)."
        ),
    ),
    "ordered": (
        lambda: pdkappa.concordance(SCORES[["a"]].assign(b=[1, 2, 4, 2]).astype(ORDERED)),
        errors.RatingTypeError,
        (
            "Scores must be numbers, got 1 (an ordered category). Convert the columns, as with "
            "pd.to_numeric or astype(float)."
        ),
    ),
    "infinite": (
        lambda: pdkappa.concordance(two([1, 2, np.inf], [1, 2, 2.5])),
        errors.RatingsError,
        (
            "Scores must lie between -1e+75 and 1e+75, got inf in column 'a', at index 2. Set them "
            "to missing, or divide all by a constant."
        ),
    ),
    "weights": (
        lambda: pdkappa.concordance(SCORES, ["a", "b"], weights="ordinal"),
        errors.OptionError,
        "weights='ordinal' is not known. Choose one of: 'linear', 'quadratic'.",
    ),
    "missing": (
        lambda: pdkappa.concordance(SCORES, ["a", "b"], missing="drop"),
        errors.OptionError,
        "missing='drop' is not known. Choose one of: 'pairwise', 'listwise', 'raise'.",
    ),
    "ci": (
        lambda: pdkappa.concordance(SCORES, ["a", "b"], ci="bca"),
        errors.OptionError,
        "ci='bca' is not known. Choose one of: 'auto', 'fisher', 'wald'.",
    ),
    "level": (
        lambda: pdkappa.evaluation(SCORES, "a", "b", confidence_level=95),
        errors.OptionError,
        "confidence_level=95 must lie between 0 and 1. Did you mean 0.95?",
    ),
    "group": (
        lambda: pdkappa.evaluation(SCORES, "a", "b", by="qwk"),
        errors.OptionError,
        (
            "by='qwk' is a column of the result, too. Rename the column in data with "
            "data.rename(columns=...)."
        ),
    ),
    "exclude": (
        lambda: pdkappa.evaluation(SCORES, "a", "b", exclude=True),
        errors.OptionError,
        "exclude=True must be a score or a list of scores, such as exclude=0, or None.",
    ),
    "excluded text": (
        lambda: pdkappa.evaluation(SCORES, "a", "b", exclude=["off"]),
        errors.OptionError,
        "exclude must hold numbers, got the type <U3. Convert it, as with pd.to_numeric.",
    ),
    "text as categories": (
        lambda: pdkappa.evaluation(SCORES, "a", "b", categories=["low", "high"]),
        errors.CategoryError,
        (
            "categories holds text such as 'low', but column 'a' numbers such as 1. Convert one "
            "of them."
        ),
    ),
    "words without an order": (
        lambda: pdkappa.evaluation(SAID.astype(str), "a", "b"),
        errors.CategoryError,
        (
            "evaluation needs ordered categories, but column 'a' holds text. Pass "
            "categories=[...] in order, or make the columns ordered Categoricals."
        ),
    ),
    "excluded word": (
        lambda: pdkappa.evaluation(SAID, "a", "b", exclude="of topic"),
        errors.OptionError,
        (
            "exclude holds 'of topic', but the categories are 'low', 'mid', 'high'. Name one of "
            "them, or a list of some."
        ),
    ),
    "excluded number": (
        lambda: pdkappa.evaluation(SAID.astype(str), "a", "b", categories=WORDS, exclude=0),
        errors.OptionError,
        (
            "exclude holds 0, but the categories are 'low', 'mid', 'high'. Name one of them, or a "
            "list of some."
        ),
    ),
    "numbers for words": (
        lambda: pdkappa.evaluation(SAID, "a", "b", categories=range(3)),
        errors.RatingTypeError,
        (
            "Scores must be numbers, got 'low' (str). Convert the columns, as with "
            "pd.to_numeric or astype(float)."
        ),
    ),
    "weights of scores": (
        lambda: pdkappa.evaluation(SCORES, "a", "b", weights="ordinal"),
        errors.OptionError,
        "weights='ordinal' is not known. Choose one of: None, 'linear', 'quadratic'.",
    ),
    "beside the categories": (
        lambda: pdkappa.evaluation(SCORES, "a", "b", categories=[1, 2, 3]),
        errors.CategoryError,
        (
            "Column 'a' holds scores that are not in categories: 4.0. Add them to categories, or "
            "exclude them."
        ),
    ),
}


@pytest.mark.parametrize(("call", "error", "message"), MESSAGES.values(), ids=MESSAGES)
def test_messages(call, error, message):
    with pytest.raises(error, match=f"^{re.escape(message)}$"):
        call()


def test_excluded_scores_need_not_be_on_the_scale():
    found = pdkappa.evaluation(SCORES, "a", "b", categories=[1, 2, 3], exclude=4)
    assert found[["n_items", "n_excluded"]].iloc[0].tolist() == [2, 2]


def test_the_intraclass_correlations_of_published_ratings():
    """Pairwise ICC(A,1) of the anxiety ratings, by the mean squares of two-way anova."""
    frame = load_anxiety()
    found = pdkappa.concordance(frame)
    for row in found.itertuples():
        table = frame[[row.rater_a, row.rater_b]].to_numpy(dtype=float)
        n = len(table)
        rows = 2 * table.mean(axis=1).var(ddof=1)
        cols = n * table.mean(axis=0).var(ddof=1)
        rest = (table.var(axis=1, ddof=1).sum() - cols) / (n - 1)
        assert_allclose(row.kappa_u, (rows - rest) / (rows + rest + 2 * (cols - rest) / n))


@pytest.mark.filterwarnings("ignore::pdkappa.UndefinedKappaWarning")
def test_ranges_are_of_the_items_that_count():
    frame = pd.DataFrame({"h1": [1, 2, 9, 4, 5], "m": [0.5, 7.25, -3, 2, None], "g": list("aaabc")})
    options = {"by": "g", "sample_weight": [1, 2, 0, 1, 1], "categories": range(10)}
    found = frame.assign(h2=frame["h1"]).kappa.evaluation("h1", "m", "h2", **options)
    ranges = found[["min_a", "max_a", "min_b", "max_b"]].xs("evaluation", level="comparison")
    assert ranges.loc["a"].tolist() == [1, 2, 0.5, 7.25]
    assert ranges.loc["b"].tolist() == [4, 4, 2, 2]
    assert ranges.loc["c"].isna().all()
    lost = found.xs("degradation", level="comparison")
    assert lost[["min_a", "max_b"]].isna().all(axis=None)
