"""Which rows of tests say of themselves that they are weak."""

import numpy as np
import pandas as pd
import pytest

from conftest import each
from pdkappa.coefficients.chance import COEFFICIENTS

# By the number of ratings in the rare category.
TEST = {
    4: "fewer than 5 ratings outside one category: the test is unreliable",
    9: "fewer than 10 ratings outside one category: the test is approximate",
}
LIMITS = {
    4: "fewer than 5 ratings outside one category: limits and test are unreliable",
    9: "fewer than 10 ratings outside one category: limits and test are approximate",
}
FEW_RATINGS = "fewer than 50 ratings: limits and test are approximate"


def frame(n_rare):
    """Make four raters of thirty items with so many in a rare category, and of thirty even ones."""
    rng = np.random.default_rng(8)
    columns = {}
    for name in "abcd":
        rare = np.zeros(30, dtype=int)
        rare[rng.permutation(20)[:n_rare]] = 1
        columns[name] = np.concatenate([rare, rng.integers(0, 2, 30)])
    return pd.DataFrame(columns).assign(g=np.repeat(["rare", "even"], 30))


def remarks(data):
    """Every function that tests differences, by the group that is marked."""
    raters, by = list("abcd"), {"by": "g"}
    return {
        "compare": data.kappa.compare(("a", "b"), ("c", "d"), **by)["remark"],
        "homogeneity": data.kappa.homogeneity(raters, **by)["remark"],
        "ceiling": data.kappa.machine.ceiling(["b", "c", "d"], "a", **by)["remark"],
        "several": data.kappa.machine.ceiling(["b", "c"], ["a", "d"], **by)["remark"],
        "raters": data.kappa.raters(raters, **by)["remark"],
    }


def test_rows_of_groups_with_a_rare_category_say_so():
    for n_rare, told in TEST.items():
        for name, found in remarks(frame(n_rare)).items():
            marked = {group: set(found.loc[[group]]) for group in ("rare", "even")}
            of_rare = LIMITS[n_rare] if name == "raters" else told
            even = FEW_RATINGS if name == "raters" else ""
            assert marked == {"rare": {of_rare}, "even": {even}}, name
        [between] = frame(n_rare).kappa.compare_groups(["a", "b"], by="g")["remark"]
        assert told.replace("the test is", "limits and test are") in between
    for name, found in remarks(frame(10)).items():
        assert set(found) == {FEW_RATINGS if name == "raters" else ""}, name


def test_only_the_rater_with_few_ratings_is_marked():
    data = pd.concat([frame(10)] * 2, ignore_index=True)
    data["d"] = data["d"].where(data.index < 6)
    found = data.kappa.raters(list("abcd"))["remark"]
    assert found.to_dict() == {"a": "", "b": "", "c": "", "d": LIMITS[4]}


@pytest.mark.filterwarnings("ignore::pdkappa.errors.UndefinedKappaWarning")
def test_no_ratings_are_no_remark():
    data = frame(4)
    data.loc[data["g"] == "rare", list("abcd")] = np.nan
    found = data.kappa.homogeneity(list("abcd"), by="g")
    assert found.loc["rare", ["reason", "remark"]].to_list() == ["no_items", ""]


def test_pairs_with_few_items_are_marked():
    data = frame(10)[lambda d: d["g"] == "even"].reset_index(drop=True)
    told = "fewer than 30 items a pair: the test is approximate"
    assert data.kappa.homogeneity(list("abcd"))["remark"].item() == ""
    assert data[:29].kappa.homogeneity(list("abcd"))["remark"].item() == told
    assert set(data[:29].kappa.raters(list("abcd"))["remark"]) == {FEW_RATINGS}
    data["a"] = data["a"].where(data.index < 4)
    assert data.kappa.compare(("a", "b"), ("a", "c"))["remark"].item() == told


FEW = "fewer than 50 items: limits and test are approximate"


def one_pair(n, n_rare):
    """Two raters who use the rare category so often, on different items."""
    ratings = np.arange(n) < n_rare
    return pd.DataFrame({"a": ratings, "b": ratings[::-1]})


CASES = [(50, 10, ""), (60, 9, LIMITS[9]), (60, 4, LIMITS[4]), (49, 10, FEW)]


@each(("n", "n_rare", "told"), CASES)
def test_limits_of_few_items_or_rare_categories_are_marked(n, n_rare, told):
    """Alike for pairs and all raters, for every coefficient, and by weight."""
    data = one_pair(n, n_rare)
    for coefficient in COEFFICIENTS:
        assert data.kappa.pairs(coefficient=coefficient)["remark"].item() == told
    assert set(data.kappa.agreement()["remark"]) == {told}
    assert set(data.assign(c=data["a"]).kappa.agreement()["remark"]) == {told}
    of_weights = data.iloc[:-1].assign(w=[1] * (n - 2) + [2])  # the last is like the one before
    assert of_weights.kappa.pairs(["a", "b"], sample_weight="w")["remark"].item() == told


def test_the_mean_of_pairs_goes_by_their_items():
    """Of three raters every two share a third of the items."""
    for share, told in (
        (20, "fewer than 30 items a pair: the mean of their kappas is biased"),
        (40, "fewer than 50 items a pair: limits and test are approximate"),
    ):
        values = np.random.default_rng(1).integers(0, 2, (3 * share, 3))
        data = pd.DataFrame(values, columns=list("abc"))
        data = data.mask(np.arange(3 * share)[:, None] // share == np.arange(3))
        found = data.kappa.agreement()["remark"]
        assert found[found != ""].to_dict() == {"light": told}


@pytest.mark.filterwarnings("ignore::pdkappa.errors.UndefinedKappaWarning")
def test_nothing_is_said_of_limits_that_are_not_there():
    data = one_pair(60, 0)
    [pair] = data.kappa.pairs()[["reason", "remark"]].to_numpy().tolist()
    assert pair == ["constant_ratings", ""]
    found = data.assign(c=data["a"]).kappa.agreement(coefficients=["percent", "fleiss"])
    assert found["remark"].to_dict() == {"percent": LIMITS[4], "fleiss": ""}


@each(("n_agree", "told"), [(10, ""), (9, "fewer than 10 items agree: limits are approximate")])
def test_ten_items_that_agree_are_enough(n_agree, told):
    first = np.arange(60) % 3
    second = np.where(np.arange(60) < n_agree, first, (first + 1 + np.arange(60) // 3 % 2) % 3)
    data = pd.DataFrame({"a": first, "b": second})
    assert data.kappa.pairs()["remark"].item() == told
