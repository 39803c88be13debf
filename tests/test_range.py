"""No coefficient leaves its range by rounding, whatever the size of the item weights."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose

import pdkappa
from conftest import each
from pdkappa.coefficients.chance import COEFFICIENTS
from pdkappa.coefficients.score_limits import AT_FLOOR, at_least
from pdkappa.coefficients.weights import WEIGHTS

# Undefined values are drawn on purpose.
pytestmark = pytest.mark.filterwarnings("ignore::pdkappa.errors.KappaWarning")


@st.composite
def opposites(draw):
    """Draw two raters who never agree, a third who nearly always does, and item weights."""
    low, high = sorted(draw(st.sets(st.floats(0.1, 12), min_size=2, max_size=2)))
    n = 2 * draw(st.integers(1, 12))
    first = np.where(np.arange(n) % 2, low, high)
    second = np.where(np.arange(n) % 2, high, low)
    third = first.copy()
    third[0] = second[0]
    sizes = st.sampled_from([1.0, 0.1, 0.3, 7.0])
    weights = np.repeat(draw(st.lists(sizes, min_size=n // 2, max_size=n // 2)), 2)
    return pd.DataFrame({"a": first, "b": second, "c": third}), weights


@each("weights", WEIGHTS)
@settings(max_examples=3)
@given(drawn=opposites())
def test_every_estimate_lies_in_its_range(weights, drawn):
    frame, sizes = drawn
    study = frame.kappa(weights=weights, sample_weight=sizes, weight_type="frequency")
    for coefficient in COEFFICIENTS:
        found = study.pairs(coefficient=coefficient)
        estimate, most = found["estimate"], found["max_estimate"]
        assert not (estimate < -1).any(), (coefficient, estimate.tolist())
        assert not (estimate > 1).any(), coefficient
        assert not (most < estimate).any(), coefficient
        assert not (most > 1).any(), coefficient
        assert not (most.isna() & estimate.notna()).any(), coefficient
        pdkappa.fisher_mean(estimate)
    for raters in (["a", "b"], ["a", "b", "c"]):
        together = study.agreement(raters)
        assert together["estimate"].dropna().between(-1, 1).all()


@each("weights", ["linear", "quadratic", "radical", "bipolar"])
@each("apart", [1, 2, 10, 1000])
def test_scores_that_lie_next_to_each_other_are_two_scores(weights, apart):
    low = 0.1
    high = low + apart * np.spacing(low)
    near, far = (
        pd.DataFrame({"a": [one, two, two], "b": [two, one, two], "c": [two, two, two]})
        for one, two in ((low, high), (0.0, 1.0))
    )
    for coefficient in COEFFICIENTS:
        found, expected = (
            frame.kappa.pairs(coefficient=coefficient, weights=weights)["estimate"]
            for frame in (near, far)
        )
        pd.testing.assert_series_equal(found, expected, rtol=1e-12)


def test_what_is_far_below_a_floor_stays():
    floor = np.array([-1.0])
    assert at_least(floor, np.array([-1 - 1e-15, -1 - 2 * AT_FLOOR, -0.5])).tolist() == [
        -1,
        -1 - 2 * AT_FLOOR,
        -0.5,
    ]
    assert np.isnan(at_least(-1.0, np.array([np.nan]))).all()
    apart = [[0, 9, 1], [9, 0, 1], [1, 1, 0]]
    frame = pd.DataFrame({"a": [1, 2, 1, 2], "b": [2, 1, 2, 1]})
    found = frame.kappa.pairs(weights=apart, categories=[1, 2, 3])["estimate"]
    assert found.item() == -1


rng = np.random.default_rng(3)
TRUTH = rng.integers(1, 5, 40)
RATED = pd.DataFrame({c: np.clip(TRUTH + rng.integers(-1, 2, 40), 1, 4) for c in "abc"}).assign(
    group=np.arange(40) // 10, cluster=np.arange(40) // 4, weight=rng.integers(1, 9, 40) * 1.0
)
ALL = list("abc")
METHODS = {
    "pairs": lambda k: k.pairs(ALL),
    "agreement": lambda k: k.agreement(ALL),
    "raters": lambda k: k.raters(ALL),
    "items": lambda k: k.items(ALL),
    "categories": lambda k: k.categories(ALL),
    "cuts": lambda k: k.categories(ALL, kind="cut"),
    "usage": lambda k: k.usage(ALL),
    "cells": lambda k: k.cells("a", "b"),
    "compare": lambda k: k.compare(("a", "b"), ("a", "c")),
    "compare_groups": lambda k: k.compare_groups(["a", "b"], by="group"),
    "homogeneity": lambda k: k.homogeneity(ALL),
    "ceiling": lambda k: k.machine.ceiling(["b", "c"], "a"),
    "grouped": lambda k: k.grouped("a", "b", by="group").groups,
    "stratified": lambda k: k.grouped("a", "b", by="group").stratified,
    "attainable": lambda k: k.attainable(ALL),
    "concordance": lambda k: k.scores.concordance(ALL),
    "shift": lambda k: k.predictions.shift("a", "b"),
    "evaluate": lambda k: k.machine.evaluate("a", "b"),
    "prevalence": lambda k: k.machine.prevalence("a", "b"),
    "mean_score": lambda k: k.machine.mean_score("a", "b"),
    "prediction_powered": lambda k: k.machine.prediction_powered(*ALL),
    "scorecard": lambda k: k.predictions.scorecard("a", "b"),
    "crosscheck": lambda k: k.crosscheck(ALL),
}
UNASKED = {  # who take weights without a type
    *("items", "usage", "cells", "attainable"),
    *("scorecard", "crosscheck"),
}
CLUSTERED = ("pairs", "agreement", "compare", "grouped", "concordance")
FIGURES = (
    *("estimate", "observed_agreement", "max_estimate", "contribution", "gain", "cohen", "qwk"),
    *("weight", "bias"),
)


def weighted_by(method, factor, **options):
    frame = RATED.assign(weight=RATED["weight"] * factor)
    if method not in UNASKED:
        options["weight_type"] = "frequency"
    return METHODS[method](frame.kappa(sample_weight="weight", **options))


@each("method", [name for name in METHODS if name != "crosscheck"])
@each("power", [-900, -640, 640, 990])
def test_a_power_of_two_in_the_item_weights_changes_no_bit(method, power):
    plain, found = weighted_by(method, 1.0), weighted_by(method, 2.0**power)
    assert list(found.columns) == list(plain.columns)
    for name in filter(found.columns.__contains__, FIGURES):
        # Alpha counts ratings, and the errors that weigh groups count items.
        by_number = ["krippendorff", "inverse_variance"]
        kept, expected = (one[name].drop(by_number, errors="ignore") for one in (found, plain))
        pd.testing.assert_series_equal(kept, expected, check_exact=True)
    numbers = found.select_dtypes(float).to_numpy()
    assert not np.isinf(numbers).any()


@each("method", CLUSTERED)
@each("factor", [1e200, 1e300])
def test_clustered_errors_of_huge_weights_are_those_of_their_ratios(method, factor):
    found = weighted_by(method, factor, cluster="cluster")
    expected = weighted_by(method, 1.0, cluster="cluster")
    without_alpha = [index for index in found.index if index != "krippendorff"]
    errors = found["se"].loc[without_alpha], expected["se"].loc[without_alpha]
    pd.testing.assert_series_equal(*errors, rtol=1e-9)


def test_cells_of_huge_weights_hold_what_margins_expect():
    frame = pd.DataFrame({"a": [1, 1, 2, 2], "b": [1, 2, 2, 1], "w": [1e200, 5e199, 2e200, 1e200]})
    found = frame.kappa.cells("a", "b", sample_weight="w")
    expected = frame.assign(w=frame["w"] / 1e200).kappa.cells("a", "b", sample_weight="w")
    ratio = found["expected_items"] / expected["expected_items"]
    np.testing.assert_allclose(ratio, 1e200, rtol=1e-12)


@pytest.mark.needs("sklearn", "krippendorff")
@pytest.mark.oracle
@each("factor", [1e-250, 1e200, 1e300])
def test_other_packages_are_asked_without_overflow(factor):
    found = weighted_by("crosscheck", factor)
    shown = found[(found["statistic"] == "estimate") & (found["package"] == "scikit-learn")]
    assert len(shown) == 3
    assert shown["agrees"].all()


def test_numbers_at_the_ends_of_what_floats_hold():
    """They end in a figure or its reason, without a warning of NumPy."""
    data = pd.DataFrame({"a": [1, 2, 3, 1, 2, 3] * 4, "b": [1, 2, 3, 2, 2, 3] * 4, "w": 1e-310})
    found = data.kappa(weight_type="frequency").icc(
        ["a", "b"], sample_weight=np.linspace(1, 2, 24) * 1e-310
    )
    assert found["estimate"].isna().any()
    apart = data.assign(c=1e308, d=np.linspace(0.1, 0.9, 24))
    found = apart.kappa.categories(["a", "b", "c", "d"])
    assert found.loc[1e308, "n_ratings"] == 24


@each("weights", ["linear", "quadratic", "radical"])
def test_the_largest_numbers_are_apart_as_others_are(weights):
    rng = np.random.default_rng(20261126)
    data = pd.DataFrame(rng.integers(0, 3, (40, 2)), columns=["a", "b"])
    found = ((data - 1) * 1e308).kappa.pairs(weights=weights)
    expected = data.kappa.pairs(weights=weights)
    assert_allclose(found["estimate"], expected["estimate"], rtol=1e-12)


def test_no_pair_is_left_of_those_with_clusters():
    data = pd.DataFrame({"a": [1, 2, 1, 1], "b": [1, 2, 1, 2], "g": [1, 1, 2, 2]})
    assert data.kappa(min_items=5).pairs(["a", "b"], cluster="g").empty
