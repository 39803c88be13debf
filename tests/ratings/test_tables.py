"""Contingency tables: what can be read as one, and what cannot."""

import warnings
from decimal import Decimal
from itertools import product

import numpy as np
import pandas as pd
import pytest
from pandas.testing import assert_frame_equal

import pdkappa
from pdkappa import errors

nan = float("nan")
TRUE = [1, 2, 3, 4, 3, 1]
PRED = [2, 2, 4, 4, 5, 1]


def test_a_table_says_the_same_as_its_items():
    table = pd.crosstab(pd.Series(TRUE, name="true"), pd.Series(PRED, name="pred"))
    table = table.reindex(index=range(1, 6), columns=range(1, 6), fill_value=0)
    ratings = pdkappa.from_table(table)
    frame = pd.DataFrame({"true": TRUE, "pred": PRED})
    for weights, coefficient in product((None, "linear", "quadratic"), ("cohen", "gwet")):
        options = {"weights": weights, "coefficient": coefficient}
        expected = frame.kappa.pairs(categories=range(1, 6), **options)
        assert_frame_equal(ratings.pairs(**options), expected)
        shuffled = pdkappa.from_table(table.loc[[3, 1, 5, 2, 4], [5, 4, 3, 2, 1]])
        assert_frame_equal(shuffled.pairs(**options), expected)


@pytest.mark.parametrize(
    "table",
    [
        [[20, 5], [10, 15]],
        np.array([[20, 5], [10, 15]], dtype="uint8"),
        [[20.0, 5.0], [10.0, 15.0]],
        [[Decimal(20), 5], [10, 15]],
        np.array([[2, 0.5], [1, 1.5]]) * 10,
        pd.DataFrame([[20, 5], [10, 15]], dtype="Int64"),
    ],
)
def test_counts_of_every_type(table):
    row = pdkappa.from_table(table).pairs().iloc[0]
    assert (row["n_items"], row["estimate"]) == (50, pytest.approx(0.4))
    assert (row["rater_a"], row["rater_b"]) == ("rater_a", "rater_b")


NAMED = pd.DataFrame([[20, 5], [10, 15]], index=["x", "y"], columns=["x", "y"])


def test_the_categories_of_a_bare_table():
    rows = [[20, 5, 1], [10, 15, 2], [0, 1, 3]]
    for categories in (["lo", "mid", "hi"], ("lo", "mid", "hi"), iter(["lo", "mid", "hi"])):
        ratings = pdkappa.from_table(rows, categories=categories)
        table = ratings.confusion("rater_a", "rater_b")
        assert table.to_numpy().tolist() == rows
        assert table.index.tolist() == ["lo", "mid", "hi"]
        linear = ratings.pairs(weights="linear")["estimate"]
        assert (
            linear.tolist() == pdkappa.from_table(rows).pairs(weights="linear")["estimate"].tolist()
        )
    scores = {"hi": 9, "lo": 0, "mid": 2}
    table = pdkappa.from_table(rows, categories=scores).confusion("rater_a", "rater_b")
    assert table.loc["hi", "lo"] == 5
    assert table.index.tolist() == ["lo", "mid", "hi"]


NO_TABLES = {
    "three axes": ([[[1]]], errors.RatingsError, "must have two axes, got 3"),
    "nothing": (None, errors.RatingsError, "must have two axes, got 0"),
    "empty row": ([[]], errors.RatingsError, r"shape \(1, 0\)"),
    "ragged": ([[1, 2], [3]], errors.WeightsError, "rows of different lengths"),
    "text": ([["1", "2"], ["3", "4"]], errors.WeightsError, "must hold numbers"),
    "complex": ([[1j, 2], [3, 4]], errors.WeightsError, "must hold numbers"),
    "negative": ([[1, -1], [2, 3]], errors.WeightsError, "got -1.0 in row 0, column 1"),
    "NaN": ([[1, 2], [nan, 3]], errors.WeightsError, "got nan in row 1, column 0"),
    "infinite": (NAMED.replace(5, np.inf), errors.WeightsError, "got inf in row 'x', column 'y'"),
    "missing": (
        NAMED.astype("Int64").replace(5, pd.NA),
        errors.WeightsError,
        "got nan in row 'x', column 'y'",
    ),
    "too much": ([[1e308, 1e308], [0, 0]], errors.WeightsError, "beyond the range"),
    "text and numbers": (
        NAMED.set_axis([1, 2]).set_axis(["1", "2"], axis=1),
        errors.RatingsError,
        "the same categories",
    ),
    "no unused column": (NAMED[["x"]], errors.RatingsError, "the same categories"),
    "missing label": (NAMED.set_axis(["x", None]), errors.RatingsError, "missing label"),
    "levels": (
        NAMED.set_axis(pd.MultiIndex.from_tuples([("g", "x"), ("g", "y")])),
        errors.RatingsError,
        "2 levels in its rows",
    ),
}


@pytest.mark.parametrize(("table", "error", "words"), NO_TABLES.values(), ids=NO_TABLES)
def test_what_is_no_table(table, error, words):
    with pytest.raises(error, match=f"table .*{words}|of table .*{words}|of table {words}"):
        pdkappa.from_table(table)


@pytest.mark.parametrize(
    ("table", "reason"),
    [
        ([[0, 0], [0, 0]], "zero_total_weight"),
        ([[5]], "constant_ratings"),
        ([[7, 0], [0, 0]], "cons"),
    ],
)
def test_tables_without_a_coefficient(table, reason):
    with pytest.warns(errors.UndefinedKappaWarning, match=reason):
        assert np.isnan(pdkappa.from_table(table).pairs()["estimate"].item())


@pytest.mark.parametrize(
    "labels",
    [
        [False, True],
        [1.0, 2.0],
        pd.to_datetime(["2020", "2021"]),
        pd.Index([(1,), (2,)], tupleize_cols=False),
        pd.IntervalIndex.from_breaks([0, 1, 2]),
        pd.CategoricalIndex(["lo", "hi"], categories=["lo", "hi"], ordered=True),
    ],
)
def test_labels_of_any_kind(labels):
    table = pd.DataFrame([[20, 5], [10, 15]], index=labels, columns=labels)
    assert pdkappa.from_table(table).pairs()["estimate"].item() == pytest.approx(0.4)


def test_an_ordered_index_is_the_order():
    order = pd.CategoricalIndex(["mid", "lo", "hi"], categories=["lo", "mid", "hi"], ordered=True)
    table = pd.DataFrame([[9, 1, 2], [3, 8, 0], [1, 2, 7]], index=order, columns=order)
    plain = table.set_axis([2, 1, 3]).set_axis([2, 1, 3], axis=1)
    for weights in ("linear", "quadratic"):
        expected = pdkappa.from_table(plain).pairs(weights=weights)
        assert_frame_equal(pdkappa.from_table(table).pairs(weights=weights), expected)
    text = pd.DataFrame(table.to_numpy(), index=list(order), columns=list(order))
    with pytest.raises(errors.CategoryError, match="needs ordered categories"):
        pdkappa.from_table(text).pairs(weights="linear")


def test_axes_of_one_name_do_not_name_the_raters():
    labels = pd.Index(["x", "y"], name="label")
    pair = pdkappa.from_table(pd.DataFrame([[5, 1], [2, 4]], labels, labels)).pairs()
    assert pair[["rater_a", "rater_b"]].to_numpy().tolist() == [["rater_a", "rater_b"]]


def test_what_coincides_with_margins_in_a_small_table_is_none():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        pdkappa.from_table([[5, 5], [5, 5]])
        pdkappa.from_table(np.zeros((3, 3)))
        pdkappa.from_table([[1, 2, 3], [2, 2, 4], [3, 4, 6]])


COUNTS = pd.DataFrame([[3, 0, 0], [1, 2, 0], [0, 1, 2], [0, 0, 3]], columns=["x", "y", "z"])


def fleiss(counts, **options):
    """Return Fleiss' kappa of counts of categories."""
    return (
        pdkappa.from_counts(counts).agreement(coefficients="fleiss", **options)["estimate"].item()
    )


def by_hand(counts):
    """Compute Fleiss' kappa as it is defined."""
    n = counts.sum(axis=1).iloc[0]
    observed = ((counts * (counts - 1)).sum(axis=1) / (n * (n - 1))).mean()
    expected = (counts.sum() / counts.to_numpy().sum()).pow(2).sum()
    return (observed - expected) / (1 - expected)


def test_counts_of_categories():
    for counts in [
        COUNTS,
        COUNTS.astype(float),
        COUNTS.astype("Int64"),
        COUNTS.astype("uint8"),
        COUNTS.astype(object),
        COUNTS.map(Decimal),
        COUNTS.astype(pd.SparseDtype("int64", 0)),
        COUNTS.set_axis([1, 2, 3], axis=1),
        COUNTS.set_axis([0.5, 1, 2], axis=1),
        COUNTS.set_axis(pd.to_datetime(["2020", "2021", "2022"]), axis=1),
        COUNTS.set_axis(pd.Index([(1,), (2,), (3,)], tupleize_cols=False), axis=1),
        COUNTS.set_axis(pd.CategoricalIndex(["x", "y", "z"]), axis=1),
        COUNTS.set_axis([0, 0, 0, 0]),
        COUNTS[["z", "x", "y"]],
        COUNTS.assign(unused=0),
    ]:
        assert fleiss(counts) == pytest.approx(by_hand(COUNTS)), counts


def test_the_order_of_counted_categories():
    numbers = COUNTS.set_axis([1, 2, 3], axis=1)
    expected = fleiss(numbers, weights="linear")
    order = pd.CategoricalIndex(["x", "y", "z"], categories=["z", "y", "x"], ordered=True)
    assert fleiss(COUNTS.set_axis(order, axis=1), weights="linear") == pytest.approx(expected)
    fewer = numbers - np.array([[1, 0, 0], [0, 0, 0], [0, 0, 0], [0, 0, 0]])
    ordered = fleiss(fewer.set_axis(order, axis=1), weights="linear")
    assert ordered == pytest.approx(fleiss(fewer, weights="linear"))
    with pytest.raises(errors.CategoryError, match="needs ordered categories"):
        fleiss(COUNTS, weights="linear")
    assert fleiss(COUNTS, weights="linear", categories=["x", "y", "z"]) == pytest.approx(expected)


@pytest.mark.parametrize(
    ("counts", "error"),
    [
        (COUNTS.astype(str), errors.WeightsError),
        (COUNTS.where(COUNTS > 0), errors.WeightsError),
        (COUNTS * 1e300, errors.TooLargeError),
        (COUNTS * 4000, errors.TooLargeError),
        (COUNTS.set_axis(["x", None, "z"], axis=1), errors.RatingsError),
        (
            COUNTS.set_axis(pd.MultiIndex.from_product([["g"], ["x", "y", "z"]]), axis=1),
            errors.RatingsError,
        ),
    ],
)
def test_what_are_no_counts_of_categories(counts, error):
    with pytest.raises(error, match="counts"):
        pdkappa.from_counts(counts)


@pytest.mark.parametrize(
    ("counts", "reason"),
    [
        (COUNTS * 0, "no_items"),
        (COUNTS.head(0), "no_items"),
        (COUNTS[[]], "no_items"),
        (COUNTS[["x"]], "constant_ratings"),
        (COUNTS.clip(upper=1).iloc[[0, 3]], "no_joint_items"),
    ],
)
def test_counts_without_a_coefficient(counts, reason):
    with pytest.warns(errors.UndefinedKappaWarning, match=reason):
        assert np.isnan(fleiss(counts))


WITHOUT_RATERS = ("agreement", "items", "categories")


@pytest.mark.parametrize("name", WITHOUT_RATERS)
def test_what_counts_of_categories_can_do(name):
    ratings = pdkappa.from_counts(COUNTS.set_axis([1, 2, 3], axis=1))
    several = name == "agreement"
    found = getattr(ratings, name)(**{"coefficients" if several else "coefficient": "fleiss"})
    assert len(found)
    assert f"`{name}`" in pdkappa.from_counts.__doc__


def test_what_counts_of_categories_cannot_do():
    """Every other method that can be called without more than a pair of raters refuses."""
    ratings = pdkappa.from_counts(COUNTS.set_axis([1, 2, 3], axis=1))
    others = ("pairs", "pairwise", "raters", "usage", "homogeneity", "report")
    for name in (*others, "crosscheck"):
        with pytest.raises(errors.OptionError, match="do not say who rated"):
            getattr(ratings, name)()
    for name in ("confusion", "cells"):
        with pytest.raises(errors.OptionError, match="do not say who rated"):
            getattr(ratings, name)(0, 1)


def test_ratings_in_no_order_give_no_false_alarm():
    """The first rating of each item is x or y and the second z or w, as they are sorted."""
    counts = pd.DataFrame([[1, 0, 1, 0], [0, 1, 0, 1], [1, 0, 0, 1]], columns=list("xyzw"))
    assert fleiss(counts) < 0
