"""The doors: `df.kappa`, `df.groupby(...).kappa` and `Ratings` are the functions, bound."""

from __future__ import annotations

import inspect

import pandas as pd
import pytest
from pandas.testing import assert_frame_equal

import pdkappa
from pdkappa.accessor import KappaAccessor, KappaGroupBy, KappaMethods, Ratings

METHODS = [name for name in vars(KappaMethods) if not name.startswith("_")]


@pytest.fixture
def ratings():
    return pd.DataFrame(
        {
            "site": ["x", "y"] * 6,
            "sex": ["f", "f", "m"] * 4,
            "ann": [1, 2, 3, 1, 2, 3, 1, 2, 3, 3, 2, 1],
            "bob": [1, 2, 3, 2, 2, 3, 1, 3, 3, 3, 2, 2],
            "eve": [1, 1, 3, 1, 2, 3, 2, 2, 3, 1, 2, 1],
        }
    )


@pytest.mark.parametrize("name", METHODS)
@pytest.mark.parametrize("owner", [KappaAccessor, KappaGroupBy, Ratings])
def test_every_method_has_the_signature_of_its_function(owner, name):
    method = list(inspect.signature(getattr(owner, name)).parameters.values())
    function = list(inspect.signature(getattr(pdkappa, name)).parameters.values())
    assert method[1:] == function[1:]
    assert getattr(owner, name).__doc__ == getattr(pdkappa, name).__doc__


def test_every_function_of_a_frame_is_a_method():
    functions = [getattr(pdkappa, name) for name in pdkappa.__all__]
    of_frames = [
        f.__name__
        for f in functions
        if inspect.isfunction(f) and next(iter(inspect.signature(f).parameters)) == "data"
    ]
    assert sorted(of_frames) == sorted(METHODS)


def test_the_accessor_keeps_the_frame_and_nothing_else(ratings):
    assert vars(ratings.kappa) == {"_data": ratings}
    assert "kappa" in dir(ratings)


def test_it_sees_the_frame_as_it_is_now(ratings):
    accessor = ratings[["ann", "bob"]].copy().kappa
    frame = accessor._data
    before = accessor.pairs()["estimate"].item()
    frame.loc[0, "ann"] = 3
    assert accessor.pairs()["estimate"].item() < before
    assert_frame_equal(accessor.pairs(), pdkappa.pairs(frame))


RATERS = ["ann", "bob", "eve"]


@pytest.mark.filterwarnings("ignore::pdkappa.UndefinedKappaWarning")
@pytest.mark.parametrize("by", ["site", ["site", "sex"]])
def test_groups_of_columns_are_by(ratings, by):
    grouped = ratings.drop(columns="sex").groupby("site") if by == "site" else ratings.groupby(by)
    assert_frame_equal(
        grouped.kappa.pairwise(weights="quadratic"),
        ratings.kappa.pairwise(RATERS, weights="quadratic", by=by),
    )


def test_selected_columns_are_the_raters(ratings):
    assert_frame_equal(
        ratings.groupby("site")[["ann", "bob"]].kappa.pairs(),
        ratings.kappa.pairs(["ann", "bob"], by="site"),
    )
    assert_frame_equal(
        ratings.groupby("site").kappa.pairs(["ann", "eve"]),
        ratings.kappa.pairs(["ann", "eve"], by="site"),
    )


def test_two_raters_are_named_as_ever(ratings):
    found = ratings.groupby("site").kappa.grouped("ann", "bob")
    expected = ratings.kappa.grouped("ann", "bob", by="site")
    assert_frame_equal(found.groups, expected.groups)
    assert_frame_equal(
        ratings.groupby("site").kappa.confusion("ann", "bob"),
        ratings.kappa.confusion("ann", "bob", by="site"),
    )


def test_the_order_of_the_groups_does_not_matter(ratings):
    unsorted = ratings.iloc[::-1].groupby("site", sort=False)[RATERS]
    assert_frame_equal(unsorted.kappa.pairs(), ratings.kappa.pairs(RATERS, by="site"))


def test_a_column_named_kappa_is_still_reached(ratings):
    frame = ratings.assign(kappa=1.0)
    assert frame.groupby("site").kappa.sum().tolist() == [6.0, 6.0]


@pytest.mark.parametrize(
    "key",
    [
        lambda frame: frame["ann"] % 2,
        lambda _: lambda row: row % 2,
        lambda frame: frame["site"].str.upper(),
    ],
    ids=["series", "function", "series named as a column"],
)
def test_groups_that_are_no_columns_are_refused(ratings, key):
    with pytest.raises(pdkappa.OptionError, match="Assign the groups to a column first"):
        ratings.groupby(key(ratings)).kappa.pairs(RATERS)


def test_missing_groups_that_are_kept_are_refused(ratings):
    ratings.loc[0, "site"] = None
    with pytest.raises(pdkappa.OptionError, match="with missing ones left out"):
        ratings.groupby("site", dropna=False).kappa.pairs(RATERS)
    assert_frame_equal(
        ratings.groupby("site").kappa.pairs(RATERS), ratings.kappa.pairs(RATERS, by="site")
    )


def test_by_is_not_given_twice(ratings):
    with pytest.raises(
        pdkappa.OptionError, match=r"^by= is what the frame is grouped by already\."
    ):
        ratings.groupby("site").kappa.pairs(by="sex")


def test_a_table_has_the_same_methods():
    table = pd.DataFrame([[20, 5], [10, 15]], index=["no", "yes"], columns=["no", "yes"])
    ratings = pdkappa.from_table(table)
    assert repr(ratings) == "Ratings of 50 items by 'rater_a' and 'rater_b'"
    assert ratings.confusion("rater_a", "rater_b").to_numpy().tolist() == table.to_numpy().tolist()
    assert_frame_equal(ratings.pairs(), pdkappa.pairs(ratings))
    assert round(ratings.pairs()["estimate"].item(), 12) == 0.4
    assert ratings.pairwise().shape == (2, 2)
    assert ratings.crosscheck()["agrees"].all()
