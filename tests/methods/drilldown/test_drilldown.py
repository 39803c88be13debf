"""Raters, items, categories, cuts, and cells: outside values, pandas, reasons."""

from __future__ import annotations

import math

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose

import pdkappa
from conftest import function_of
from elsewhere.parts import DATASETS, ENTRIES
from pdkappa.datasets import load_anxiety, load_essays

undefined = pytest.mark.filterwarnings("ignore::pdkappa.errors.UndefinedKappaWarning")


def test_all_outside_values_are_here():
    """Which ``test_validation.py`` holds to ours."""
    assert len(DATASETS) == 23
    assert len({entry["id"] for _, entry in ENTRIES}) == len(ENTRIES) == 208


# --- What adds up, through the public functions --------------------------------------------


@st.composite
def frames(draw):
    n = draw(st.integers(3, 12))
    rating = st.sampled_from([1.0, 2.0, 3.0, 5.0, math.nan])
    frame = pd.DataFrame({name: draw(st.lists(rating, min_size=n, max_size=n)) for name in "abc"})
    frame["site"] = draw(st.lists(st.sampled_from("xy"), min_size=n, max_size=n))
    return frame


def total(series):
    """Sum by group; NaN where a group has nothing but NaN."""
    return series.groupby(level=0).sum(min_count=1)


@undefined
@settings(max_examples=30)
@given(frame=frames())
def test_all_parts_add_up_by_group(frame):
    options = {"by": "site", "categories": [1, 2, 3, 5]}
    two = frame[["a", "b", "site"]].kappa.pairs(weights="linear", **options)
    kappa = two["estimate"]

    def agree(found, expected):
        joined = pd.concat([found, expected], axis=1, keys=["found", "expected"]).astype(float)
        joined = joined[joined["expected"].notna()]
        assert_allclose(joined["found"], joined["expected"], atol=1e-12)

    cells = frame.kappa.cells("a", "b", weights="linear", **options)
    agree(total(cells["contribution"]), kappa)
    cuts = frame.kappa.categories(["a", "b"], **options, kind="cut")
    agree(total(cuts["estimate"].fillna(0) * cuts["weight"]), kappa)
    nominal = frame[["a", "b", "site"]].kappa.pairs(**options)["estimate"]
    categories = frame.kappa.categories(["a", "b"], **options)
    agree(total(categories["estimate"].fillna(0) * categories["weight"]), nominal)
    items = frame.kappa.items(list("abc"), weights="linear", **options)
    light = frame.kappa.pairs(list("abc"), weights="linear", **options)
    light = light.groupby("site")["estimate"].mean()
    agree(items["gain"].groupby("site").sum(min_count=1), 1 - light)


@undefined
@settings(max_examples=15)
@given(frame=frames())
def test_the_effect_of_an_item_is_that_of_dropping_it(frame):
    chosen = {"raters": list("abc"), "weights": "quadratic", "categories": [1, 2, 3, 5]}
    items = frame.kappa.items(**chosen)
    whole = frame.kappa.pairs(**chosen)["estimate"].mean()
    for label in frame.index:
        rest = frame.drop(index=label).kappa.pairs(**chosen)["estimate"].mean()
        assert_allclose(items.loc[label, "effect"], whole - rest, atol=1e-10)


def test_the_effect_of_a_rater_is_that_of_dropping_his_column():
    df = load_anxiety()
    found = df.kappa.raters(weights="quadratic")
    whole = df.kappa.pairs(weights="quadratic")["estimate"].mean()
    for name in df:
        rest = df.drop(columns=name)
        rest = rest.kappa.pairs(weights="quadratic", categories=range(1, 7))["estimate"].mean()
        assert_allclose(found.loc[name, "light_without"], rest)
        assert_allclose(found.loc[name, "effect"], whole - rest)


# --- As a pandas user expects --------------------------------------------------------------


def test_items_keep_the_labels_of_the_items_that_count():
    df = pd.DataFrame(
        {"a": [1, 2, 3, 1, 2], "b": [1, 2, 2, 1, 3], "n": [1, 0, 2, 1, 1]}, index=list("vwxyz")
    )
    before = df.copy()
    found = df.kappa.items(weights="linear", sample_weight="n")
    assert list(found.index) == list("vxyz")
    assert found["share"].sum() == pytest.approx(1)
    pd.testing.assert_frame_equal(df, before)
    twice = df.loc[list("vxxyz"), ["a", "b"]].kappa.items(weights="linear")
    assert found.loc["x", "gain"] == pytest.approx(twice.loc["x", "gain"].sum())


def test_usage_shows_unused_categories_and_groups():
    df = pd.DataFrame({"a": ["no", "yes"], "b": ["no", "no"], "site": [1, 2]})
    found = df.kappa.usage(by="site", categories=["no", "yes", "maybe"])
    assert list(found.columns) == ["no", "yes", "maybe"]
    assert found.index.names == ["site", "rater"]
    assert found.loc[(2, "a")].tolist() == [0, 1, 0]


def test_numbers_have_the_scale_of_their_group():
    essays = load_essays()
    cuts = essays.kappa.categories(["human_1", "machine"], by="essay_set", kind="cut")
    assert cuts.index.names == ["essay_set", "cut"]
    used = essays.melt("essay_set", ["human_1", "machine"]).groupby("essay_set")["value"].nunique()
    assert (cuts.groupby(level="essay_set").size() == used - 1).all()


def test_cells_without_disagreement_are_a_plain_zero():
    cells = load_anxiety().kappa.cells("rater_1", "rater_3", categories=range(1, 8))
    assert (cells["contribution"] == 0).any()
    assert not np.signbit(cells.loc[cells["contribution"] == 0, "contribution"]).any()


def test_counts_without_raters_have_categories_but_no_bias():
    df = pdkappa.datasets.load_psychiatric_diagnoses()
    counts = df.apply(lambda row: row.value_counts(), axis=1).fillna(0)
    nameless = pdkappa.from_counts(counts)
    found = nameless.categories(coefficient="fleiss")
    expected = df.kappa.categories(coefficient="fleiss").loc[found.index]
    assert_allclose(found["estimate"], expected["estimate"])
    assert_allclose(found["prevalence"], expected["prevalence"])
    assert found["bias"].isna().all()
    assert nameless.items(coefficient="gwet")["share"].sum() == pytest.approx(1)
    for function in (function_of("categories"), function_of("items"), function_of("raters")):
        with pytest.raises(pdkappa.errors.OptionError, match="who rated"):
            function(nameless)


# --- What is undefined, and what is refused -------------------------------------------------


def test_two_raters_have_no_others():
    df = pd.DataFrame({"a": [1, 2, 1], "b": [1, 2, 2]})
    with pytest.warns(pdkappa.errors.UndefinedKappaWarning, match="2 of 2 rater"):
        found = df.kappa.raters()
    assert set(found["reason"]) == {"no_other_pair"}
    assert found["estimate"].notna().all()


@undefined
@pytest.mark.parametrize(
    ("frame", "reason"),
    [
        ({"a": [1.0, 1], "b": [1.0, 1]}, "constant_ratings"),
        ({"a": [1, None], "b": [None, 2.0]}, "no_joint_items"),
        ({"a": [None, None], "b": [None, None]}, "no_items"),
    ],
)
def test_reasons(frame, reason):
    df = pd.DataFrame(frame, dtype=float)
    declared = [1, 2]
    assert set(df.kappa.raters(categories=declared)["reason"]) == {reason}
    assert set(df.kappa.items(categories=declared)["reason"]) == {reason}
    assert set(df.kappa.categories(categories=declared)["reason"]) == {reason}
    assert set(df.kappa.categories(categories=declared, kind="cut")["reason"]) == {reason}
    assert set(df.kappa.cells("a", "b", categories=declared)["reason"]) == {reason}


@pytest.mark.parametrize("rows", [0, 2])
@pytest.mark.filterwarnings("ignore::pdkappa.errors.LeftOutWarning")
def test_without_groups_nobody_used_anything(rows):
    df = pd.DataFrame({"a": [1, 2], "b": [1, 2], "site": [np.nan, np.nan]})[:rows]
    assert df.kappa.usage(by="site").shape == (0, 0)
    assert df.kappa.usage(by="site", categories=[1, 2, 3]).shape == (0, 3)


def test_a_table_that_is_too_large():
    df = pd.DataFrame({"a": np.arange(9000), "b": np.arange(9000)})
    with pytest.raises(pdkappa.errors.TooLargeError) as caught:
        df.kappa.cells("a", "b")
    assert str(caught.value) == (
        "There would be 81000000 cells, from 9000 categories; the limit is 67108864. "
        "Round the ratings or merge categories."
    )
