"""Which rows of tests say of themselves that they are weak."""

import numpy as np
import pandas as pd
import pytest

import pdkappa

REMARK = "fewer than 5 ratings outside one category: mistrust the test"


def frame(n_rare):
    """Make four raters of thirty items with so many in a rare category, and of thirty even ones."""
    rng = np.random.default_rng(8)
    columns = {}
    for name in "abcd":
        rare = np.zeros(30, dtype=int)
        rare[rng.permutation(12)[:n_rare]] = 1
        columns[name] = np.concatenate([rare, rng.integers(0, 2, 30)])
    return pd.DataFrame(columns).assign(g=np.repeat(["rare", "even"], 30))


def remarks(data):
    """Every function that tests differences, by the group that is marked."""
    raters, by = list("abcd"), {"by": "g"}
    return {
        "compare": pdkappa.compare(data, ("a", "b"), ("c", "d"), **by)["remark"],
        "homogeneity": pdkappa.homogeneity(data, raters, **by)["remark"],
        "ceiling": pdkappa.ceiling(data, "a", ["b", "c", "d"], **by)["remark"],
        "several": pdkappa.ceiling(data, ["a", "d"], ["b", "c"], **by)["remark"],
        "raters": pdkappa.raters(data, raters, **by)["remark"],
    }


def test_rows_of_groups_with_a_rare_category_say_so():
    for name, found in remarks(frame(4)).items():
        marked = {group: set(found.loc[[group]]) for group in ("rare", "even")}
        assert marked == {"rare": {REMARK}, "even": {""}}, name
    for name, found in remarks(frame(5)).items():
        assert set(found) == {""}, name
    [between] = pdkappa.compare_groups(frame(4), "a", "b", by="g")["remark"]
    assert between == REMARK


def test_only_the_rater_with_few_ratings_is_marked():
    data = frame(6)[lambda d: d["g"] == "even"].reset_index(drop=True)
    data["d"] = data["d"].where(data.index < 6)
    found = pdkappa.raters(data, list("abcd"))["remark"]
    assert found.to_dict() == {"a": "", "b": "", "c": "", "d": REMARK}


@pytest.mark.filterwarnings("ignore::pdkappa.UndefinedKappaWarning")
def test_no_ratings_are_no_remark():
    data = frame(4)
    data.loc[data["g"] == "rare", list("abcd")] = np.nan
    found = pdkappa.homogeneity(data, list("abcd"), by="g")
    assert found.loc["rare", ["reason", "remark"]].to_list() == ["no_items", ""]


def test_pairs_with_few_items_are_marked():
    data = frame(6)[lambda d: d["g"] == "even"].reset_index(drop=True)
    told = "fewer than 15 items a pair of raters: mistrust the test"
    assert pdkappa.homogeneity(data, list("abcd"))["remark"].item() == ""
    assert pdkappa.homogeneity(data[:14], list("abcd"))["remark"].item() == told
    data["a"] = data["a"].where(data.index < 4)
    assert pdkappa.compare(data, ("a", "b"), ("a", "c"))["remark"].item() == told
