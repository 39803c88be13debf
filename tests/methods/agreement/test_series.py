"""`s1.kappa.pair(s2)`: the row of `pairs`, whatever the order of the items."""

import inspect

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from pandas.testing import assert_series_equal

from conftest import exactly, function_of
from pdkappa.errors import (
    CategoryError,
    DuplicateRatingError,
    LeftOutWarning,
    RatingsError,
    RatingTypeError,
)

ITEMS = list("abcdefgh")
ANN = pd.Series([1, 2, 3, 4, 3, 1, 2, 4], index=ITEMS, name="ann")
BOB = pd.Series([2, 2, 4, 4, 3, 1, 2, 3], index=ITEMS, name="bob")


def row_of(first, second, **options):
    """Return the row of `pairs` for two Series that are put side by side."""
    frame = pd.concat([first, second], axis=1)
    return function_of("pairs")(frame, **options).iloc[0]


def same(found, expected):
    """Hold a result to a row of `pairs`, whatever the name."""
    assert_series_equal(found, expected, check_names=False)


@pytest.mark.parametrize(
    "options",
    [
        {},
        {"weights": "quadratic"},
        {"coefficient": "krippendorff", "weights": "linear", "ci": "wald"},
        {"coefficient": "gwet", "categories": range(6), "confidence_level": 0.9},
        {"ci": "percentile", "n_resamples": 50, "rng": 1},
        {"weights": "quadratic", "categories": {1: 1, 2: 3, 3: 4, 4: 5, 5: 7}},
        {"weights": "quadratic", "cluster": pd.Series(list("xxyyzzww"), index=ITEMS)},
        {"weights": "quadratic", "sample_weight": range(8)},
    ],
)
@pytest.mark.filterwarnings("ignore::pdkappa.errors.FewClustersWarning")
def test_it_is_the_row_of_pairs(options):
    found = ANN.kappa.pair(BOB, **options)
    same(found, row_of(ANN, BOB, **options))
    assert found.name == options.get("coefficient", "cohen")


def test_a_value_from_elsewhere():
    """scikit-learn 1.9.1: cohen_kappa_score(ANN, BOB, weights="quadratic")."""
    found = ANN.kappa.pair(BOB, weights="quadratic")
    assert found["estimate"] == pytest.approx(0.8333333333333333, abs=1e-15)
    assert found.estimate == found["estimate"]


def test_the_names_of_a_result_are_its_own():
    found = ANN.kappa.pair(BOB)
    found.index.name = "figure"
    assert ANN.kappa.pair(BOB).index.name is None


def test_options_are_those_of_pairs():
    ours = inspect.signature(pd.Series.kappa.pair).parameters
    theirs = inspect.signature(function_of("pairs")).parameters
    kept = [
        name for name in theirs if name not in ("data", "raters", "by", "p_adjust", "min_items")
    ]
    assert {*ours} == {"self", "other", *kept}
    assert all(ours[name] == theirs[name] for name in kept if "weight" not in name)
    assert all(ours[name].default == theirs[name].default for name in kept)


@given(st.permutations(ITEMS))
def test_items_are_matched_by_their_labels(order):
    same(ANN.kappa.pair(BOB[order], weights="linear"), row_of(ANN, BOB, weights="linear"))
    assert ANN.kappa.pair(ANN[order])["estimate"] == 1


def test_items_that_only_one_has_are_left_out_and_told():
    message = (
        "3 of 8 items are left out: only one of the two Series has them. "
        "If that is unexpected, check the spelling of the labels in both indices."
    )
    first, second = ANN.drop(["a"]), BOB.drop(["c", "h"])
    for one, two in [(first, second), (first[::-1], second)]:
        with pytest.warns(LeftOutWarning, match=exactly(message)) as told:
            found = one.kappa.pair(two, weights="quadratic")
        assert [warning.filename for warning in told] == [__file__]
        assert found["n_items"] == 5
        same(found, row_of(first, second, weights="quadratic"))


def test_a_category_that_only_an_unmatched_item_has_is_a_category():
    first, second = ANN.replace({4: 3}), pd.concat([BOB, pd.Series({"i": 9})]).rename("bob")
    with pytest.warns(LeftOutWarning):
        found = first.kappa.pair(second, coefficient="brennan_prediger")
    same(found, row_of(first, second, coefficient="brennan_prediger"))
    assert found["expected_agreement"] == pytest.approx(1 / 5)


def test_missing_says_what_becomes_of_them():
    second = BOB.drop(["a", "b"])
    with pytest.raises(RatingsError, match="missing"):
        ANN.kappa.pair(second, missing="raise")
    with pytest.warns(LeftOutWarning):
        listwise = ANN.kappa.pair(second, missing="listwise")
    same(listwise, row_of(ANN, second, missing="listwise"))


def test_whole_numbers_stay_whole_beside_gaps():
    """Floats would take 2**53 and 2**53 + 1 for the same."""
    large = 2**53 + np.array([0, 1, 0, 1])
    first = pd.Series(large, index=list("abcd"))
    second = pd.Series(large[:3][::-1], index=list("abc"))
    with pytest.warns(LeftOutWarning):
        found = first.kappa.pair(second)
    assert found["observed_agreement"] == 1
    with pytest.warns(LeftOutWarning):
        assert first.kappa.pair(1 + second)["observed_agreement"] == 0


@pytest.mark.parametrize("dtype", ["Int64", "float64", "object", "str", "category", "bool"])
def test_any_type_of_rating(dtype):
    first = (ANN % 2).astype(bool) if dtype == "bool" else ANN.astype(dtype)
    second = (BOB % 2).astype(bool) if dtype == "bool" else BOB.astype(dtype)
    with pytest.warns(LeftOutWarning):
        found = first.kappa.pair(second.drop("a"))
    left = [one.drop("a").astype(object).astype(int) for one in (first, second)]
    assert found["estimate"] == pytest.approx(row_of(*left)["estimate"])


def test_the_order_of_an_ordered_categorical_is_kept():
    levels = pd.CategoricalDtype(["low", "mid", "high"], ordered=True)
    first = pd.Series(["low", "mid", "high", "low"], dtype=levels)
    second = pd.Series(["high", "mid", "low"], index=[2, 1, 0], dtype=levels)
    with pytest.warns(LeftOutWarning):
        assert first.kappa.pair(second, weights="quadratic")["estimate"] == 1
    with pytest.raises(CategoryError, match="needs ordered categories"):
        first.astype(str).kappa.pair(second.astype(str), weights="quadratic")


@pytest.mark.parametrize(
    ("first", "second", "expected"),
    [
        ("ann", "bob", ["ann", "bob"]),
        (0, 1, [0, 1]),
        (("x", 1), ("x", 2), [("x", 1), ("x", 2)]),
        (None, None, ["self", "other"]),
        ("score", "score", ["self", "other"]),
        (None, "self", ["self", "other"]),
        ("ann", None, ["self", "other"]),
        (pd.NA, "bob", ["self", "other"]),
        (float("nan"), float("nan"), ["self", "other"]),
    ],
)
def test_raters_are_called_as_the_series_are(first, second, expected):
    found = ANN.rename(first).kappa.pair(BOB.rename(second))
    assert [found["rater_a"], found["rater_b"]] == expected


def test_rows_of_one_frame_need_no_labels_of_their_own():
    frame = pd.concat([ANN, BOB], axis=1).set_axis(list("aabbccdd"))
    same(frame["ann"].kappa.pair(frame["bob"]), frame.kappa.pairs().iloc[0])


def test_labels_that_occur_twice(refuses):
    one, two = (pd.Series([1, 2, 3, 4], index=list(index)) for index in ("aabc", "abcd"))
    with refuses():
        one.kappa.pair(two)
    with pytest.raises(DuplicateRatingError, match=r"^The index of other has 'a' more"):
        two.kappa.pair(one)


def test_no_item_in_common(refuses):
    first, second = pd.Series([1, 2]), pd.Series([1, 2], index=["0", "1"])
    with refuses():
        first.kappa.pair(second)


@pytest.mark.parametrize("n_levels", [1, 3])
def test_indexes_of_other_levels_have_no_item_in_common(n_levels, refuses):
    first = pd.Series([1, 2], index=pd.MultiIndex.from_tuples([("a", 1), ("a", 2)]))
    second = pd.Series([1, 2], index=pd.MultiIndex.from_arrays([["a", "b"]] * n_levels))
    for one, other in ((first, second), (second, first)):
        with pytest.raises(RatingsError, match=r"^The two Series have no item in common: "):
            one.kappa.pair(other)
    with refuses():
        first.kappa.pair(second.head(0))


def test_what_is_no_series(refuses):
    with refuses():
        pd.Series([1, 2]).kappa.pair([1, 2])
    for other in (np.array([1, 2]), pd.DataFrame({"a": [1, 2]}), None):
        with pytest.raises(RatingTypeError, match=r"^other must be a Series, got "):
            pd.Series([1, 2]).kappa.pair(other)
