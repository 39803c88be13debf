"""What agreement category shares allow, by the public functions: bounds, share_of_max, reasons."""

from __future__ import annotations

import warnings
from itertools import permutations, product

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from numpy.testing import assert_allclose, assert_array_equal
from pandas.testing import assert_frame_equal

import pdkappa
from conftest import function_of
from pdkappa.coefficients import pair_kappas as core
from pdkappa.coefficients.chance import COEFFICIENTS
from pdkappa.coefficients.weights import WEIGHTS

weightings = st.sampled_from(list(WEIGHTS))
some = settings(max_examples=25)
nan = float("nan")

BANDS = [[20, 10, 0, 0], [0, 20, 10, 0], [0, 0, 20, 10], [0, 0, 0, 20]]
RATINGS = pd.DataFrame(
    {
        "site": ["x"] * 6 + ["y"] * 6,
        "ann": [1, 2, 3, 1, 2, 3, 1, 2, 3, 4, 2, 1],
        "bob": [1, 2, 3, 2, 2, 4, 1, 3, 3, 4, 2, 2],
        "eve": [1, 1, 3, 1, 2, 3, 2, 2, 4, 4, 2, 1],
    }
)
frames = arrays(
    np.int64, st.tuples(st.integers(2, 12), st.just(3)), elements=st.integers(1, 4)
).map(lambda values: pd.DataFrame(values, columns=["ann", "bob", "eve"]))
few_items = arrays(np.int64, (4, 2), elements=st.integers(1, 4)).map(
    lambda values: pd.DataFrame(values, columns=["ann", "bob"])
)


def quiet(function, *args, **kwargs):
    """Call without the warnings about what was drawn on purpose."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", pdkappa.KappaWarning)
        return function(*args, **kwargs)


# --- Values from elsewhere ---------------------------------------------------------------


def test_a_table_of_bands_reaches_its_maximum():
    """The estimate and maximum of SciPy's linear programme, 4 digits."""
    row = pdkappa.from_table(BANDS).attainable(weights="quadratic").iloc[0]
    assert_allclose([row["estimate"], row["max_estimate"]], 0.8842, atol=5e-5)
    assert row["share_of_max"] == 1
    assert_allclose(pdkappa.from_table(BANDS).attainable()["max_estimate"], 0.8791, atol=5e-5)


def test_predictions_of_essay_scores():
    """SciPy 1.17.1, linprog over all tables with these margins, 3 digits."""
    truth = [0.10, 0.20, 0.30, 0.25, 0.10, 0.05]
    predicted = {
        "to the centre": ([0.01, 0.14, 0.50, 0.30, 0.05, 0], 0.807),
        "uniform": ([1 / 6] * 6, 0.886),
        "one class higher": ([0, 0.10, 0.20, 0.30, 0.25, 0.15], 0.762),
        "constant": ([0, 0, 1, 0, 0, 0], 0.0),
    }
    for name, (shares, known) in predicted.items():
        table = pdkappa.from_table(np.rint(6000 * np.outer(truth, shares)))
        row = table.attainable(weights="quadratic").iloc[0]
        assert row["max_estimate"] == pytest.approx(known, abs=5e-4), name
    assert row["max_estimate"] == row["min_estimate"] == 0


def test_quadratic_maximum_by_moments():
    """2 cov / (variances + squared difference of the means), with both in ascending order."""
    a, b = np.sort(RATINGS["ann"]), np.sort(RATINGS["bob"])
    top = 2 * np.cov(a, b, ddof=0)[0, 1] / (a.var() + b.var() + (a.mean() - b.mean()) ** 2)
    low = 2 * np.cov(a, -np.sort(-b), ddof=0)[0, 1]
    low /= a.var() + b.var() + (a.mean() - b.mean()) ** 2
    row = RATINGS.kappa.attainable(["ann", "bob"], weights="quadratic").iloc[0]
    assert_allclose([row["min_estimate"], row["max_estimate"]], [low, top], rtol=1e-12)


# --- Laws --------------------------------------------------------------------------------


@settings(max_examples=8 * len(WEIGHTS))
@given(weights=weightings, frame=frames)
def test_the_estimate_lies_between_its_bounds(weights, frame):
    found = quiet(function_of("attainable"), frame, weights=weights)
    known = found[found["estimate"].notna()]
    assert (known["min_estimate"] <= known["estimate"]).all()
    assert (known["estimate"] <= known["max_estimate"]).all()
    assert (known["max_estimate"] <= 1).all()
    assert (known["share_of_max"].dropna() <= 1).all()
    pairs = quiet(function_of("pairs"), frame, weights=weights)
    assert_allclose(found["max_estimate"], pairs["max_estimate"], atol=1e-12)
    assert_array_equal(found["estimate"], pairs["estimate"])


@pytest.mark.parametrize("coefficient", ["cohen", "gwet", "krippendorff"])
@settings(max_examples=3 * len(WEIGHTS))
@given(weights=weightings, frame=few_items)
def test_bounds_are_reached_by_some_order_of_the_items(coefficient, weights, frame):
    """All 24 of them."""
    options = {"weights": weights, "coefficient": coefficient, "categories": [1, 2, 3, 4]}
    found = quiet(function_of("attainable"), frame, ["ann", "bob"], **options).iloc[0]
    orders = [frame["bob"].to_numpy()[list(order)] for order in permutations(range(4))]
    distinct = pd.DataFrame({"ann": frame["ann"]} | dict(enumerate(np.unique(orders, axis=0))))
    values = quiet(function_of("pairwise"), distinct, **options).loc["ann"].drop("ann")
    expected = [values.min(), values.max()]
    assert_allclose([found["min_estimate"], found["max_estimate"]], expected, atol=1e-9)


def test_all_raters_together_reach_the_maximum_in_ascending_order():
    raters = RATINGS.drop(columns="site")
    for coefficient, weights in product(COEFFICIENTS, ("linear", "quadratic", "ordinal")):
        options = {"weights": weights, "categories": [1, 2, 3, 4]}
        found = raters.kappa.attainable(coefficient=coefficient, together=True, **options)
        name, case = COEFFICIENTS[coefficient].many, f"{coefficient}, {weights}"
        for frame, column in ((raters, "estimate"), (raters.apply(np.sort), "max_estimate")):
            expected = frame.kappa.agreement(coefficients=[name], **options)["estimate"].item()
            assert_allclose(found[column], expected, rtol=1e-12, err_msg=case)
        assert found["n_raters"].item() == 3, case


@some
@given(frame=frames)
def test_no_order_of_many_raters_is_better(frame):
    """The items of the second and third rater, shuffled."""
    found = quiet(function_of("attainable"), frame, weights="linear", together=True).iloc[0]
    rng = np.random.default_rng(6)
    for _ in range(5):
        other = frame.assign(bob=rng.permutation(frame["bob"]), eve=rng.permutation(frame["eve"]))
        kappa = quiet(function_of("agreement"), other, coefficients=["conger"], weights="linear")
        if np.isnan(found["estimate"]):
            assert np.isnan(kappa["estimate"].item())
        else:
            assert kappa["estimate"].item() <= found["max_estimate"] + 1e-12


@pytest.mark.parametrize("weights", [None, "linear", "radical"])
def test_two_raters_together_are_a_pair(weights):
    pair = RATINGS.kappa.attainable(["ann", "bob"], weights=weights).iloc[0]
    both = RATINGS.kappa.attainable(["ann", "bob"], weights=weights, together=True).iloc[0]
    names = ["n_items", "estimate", "max_estimate", "share_of_max"]
    assert_allclose(both[names].astype(float), pair[names].astype(float), rtol=1e-12)


# --- Frames ------------------------------------------------------------------------------


@pytest.mark.parametrize("together", [False, True])
def test_groups_are_those_of_the_parts(together):
    options = {"weights": "quadratic", "together": together}
    found = RATINGS.kappa.attainable(by="site", **options)
    parts = [part.drop(columns="site") for _, part in RATINGS.groupby("site")]
    expected = pd.concat([part.kappa.attainable(**options) for part in parts], ignore_index=True)
    assert_frame_equal(found.reset_index(drop=True), expected)
    assert_frame_equal(RATINGS.groupby("site").kappa.attainable(**options), found)


@pytest.mark.parametrize("together", [False, True])
def test_weights_are_repeated_rows(together):
    weight, options = np.arange(12) % 3, {"weights": "quadratic", "together": together}
    raters = RATINGS.drop(columns="site")
    found = raters.kappa.attainable(sample_weight=weight, **options)
    repeated = raters.loc[raters.index.repeat(weight)].kappa.attainable(**options)
    assert_frame_equal(found, repeated)


def test_together_uses_the_items_that_all_rated():
    gaps = RATINGS.drop(columns="site").astype(float)
    gaps.loc[3, "eve"] = nan
    found = gaps.kappa.attainable(weights="linear", together=True)
    assert_frame_equal(found, gaps.dropna().kappa.attainable(weights="linear", together=True))
    with pytest.raises(pdkappa.errors.RatingsError, match="missing rating"):
        gaps.kappa.attainable(weights="linear", together=True, missing="raise")


# --- Reasons -----------------------------------------------------------------------------


def test_reasons_of_pairs():
    df = pd.DataFrame(
        {"a": [1, 2, 1, 2], "b": [1, 1, 1, 1], "c": [1, 1, 1, 1], "d": [nan] * 4, "e": [2, 1, 2, 2]}
    )
    with pytest.warns(pdkappa.errors.UndefinedKappaWarning, match=r"^5 of 10 coefficient\(s\)"):
        found = df.kappa.attainable().set_index(["rater_a", "rater_b"])
    assert found["reason"].to_dict() == {
        ("a", "b"): "constant_rater",
        ("a", "c"): "constant_rater",
        ("a", "d"): "no_joint_items",
        ("a", "e"): "",
        ("b", "c"): "constant_ratings",
        ("b", "d"): "no_joint_items",
        ("b", "e"): "constant_rater",
        ("c", "d"): "no_joint_items",
        ("c", "e"): "constant_rater",
        ("d", "e"): "no_joint_items",
    }
    bounds = found[["min_estimate", "estimate", "max_estimate"]]
    assert (bounds[found["reason"] == "constant_rater"] == 0).all(axis=None)
    assert bounds[found["estimate"].isna()].isna().all(axis=None)
    assert found["share_of_max"].isna().equals(found["reason"] != "")


def test_no_agreement_beyond_chance_may_be_attainable():
    """Scott's pi of two raters who share no category is below 0 at best."""
    df = pd.DataFrame({"a": [1, 1, 2], "b": [3, 3, 3]})
    row = df.kappa.attainable(coefficient="scott").iloc[0]
    assert row["max_estimate"] < 0
    assert np.isnan(row["share_of_max"])
    assert row["reason"] == "no_agreement_attainable"


def test_too_many_programmes(monkeypatch):
    monkeypatch.setattr(core, "LARGEST_PROGRAMME", 2)
    with pytest.warns(pdkappa.errors.UndefinedKappaWarning, match="^max_estimate is not computed"):
        found = RATINGS.kappa.attainable(["ann", "bob"], weights="radical").iloc[0]
    assert not np.isnan(found["estimate"])
    assert np.isnan([found["min_estimate"], found["max_estimate"], found["share_of_max"]]).all()
    assert found["reason"] == "too_many_programmes"


def test_many_raters_without_a_closed_form():
    message = (
        r"^max_estimate is not known \(NaN\) for three raters or more together with these weights, "
        r"only with weights such as 'linear' and 'quadratic'\. "
        r"Leave out together=True for the pairs\.$"
    )
    for weights in (None, "radical"):
        with pytest.warns(pdkappa.errors.UndefinedKappaWarning, match=message):
            found = RATINGS.kappa.attainable(
                ["ann", "bob", "eve"], weights=weights, together=True
            ).iloc[0]
        assert not np.isnan(found["estimate"])
        assert np.isnan([found["max_estimate"], found["share_of_max"]]).all()
        assert found["reason"] == "no_closed_form"


def test_reasons_of_all_raters_together():
    df = pd.DataFrame({"g": list("xyz"), "a": [1, 1, nan], "b": [1, 2, nan], "c": [1, 2, nan]})
    with pytest.warns(pdkappa.errors.UndefinedKappaWarning, match=r"x \(constant_ratings\)"):
        found = df.kappa.attainable(by="g", weights="linear", together=True)
    assert found["reason"].tolist()[0] == "constant_ratings"
    assert found["reason"].tolist()[2] == "no_items"


# --- Errors ------------------------------------------------------------------------------
