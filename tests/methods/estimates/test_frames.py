"""What the frames say of figures that are not there."""

import warnings

import numpy as np
import pandas as pd
import pytest

from conftest import function_of
from pdkappa.coefficients import pair_estimates as summary
from pdkappa.errors import UndefinedKappaWarning
from pdkappa.methods.estimates.pair_frames import whole

nan = np.nan
GROUPED = pd.DataFrame(
    {
        "site": list("vvwwxxyyz"),
        "ann": [1, 2, 1, 2, nan, nan, 1, 2, 1],
        "bob": [1, 2, 1, 1, nan, nan, nan, nan, 2],
        "times": [1, 2, 0, 0, 1, 1, 1, 1, 0],
    }
)
EXPECTED = {
    "v": "",
    "w": "zero_total_weight",
    "x": "no_items",
    "y": "no_joint_items",
    "z": "zero_total_weight",
}


@pytest.mark.filterwarnings("ignore::pdkappa.errors.UndefinedKappaWarning")
@pytest.mark.parametrize("missing", ["pairwise", "listwise"])
@pytest.mark.parametrize("labels", [None, [3, 3, 4, 4, 5, 5, 6, 6, 7]], ids=["text", "integers"])
def test_a_group_without_weight_is_not_one_without_items(missing, labels):
    data = GROUPED if labels is None else GROUPED.assign(site=labels)
    expected = list(EXPECTED.values())
    if missing == "listwise":
        expected[3] = "no_items"  # complete items are asked for, and there are none
    options = {"by": "site", "missing": missing}
    for times in ("times", GROUPED["times"].to_numpy()):
        raters = ["ann", "bob"]
        found = data.kappa.pairs(raters, sample_weight=times, **options)
        assert found["reason"].tolist() == expected
        result = data.kappa.grouped(*raters, sample_weight=times, weights=None, **options)
        assert result.groups["reason"].tolist() == expected


RATINGS = pd.DataFrame({"a": [1, 2, 3, 1, 2], "b": [1, 3, 3, 2, 2], "c": [2, 2, 3, 1, 1]})


@pytest.mark.parametrize(
    "options",
    [{}, {"sample_weight": [1, 0, 4, 2, 2]}, {"by": "site"}, {"categories": [1, 2, 3, 9]}],
    ids=str,
)
@pytest.mark.parametrize(
    "stat", ["estimate", "n_items", "observed_agreement", "expected_agreement"]
)
def test_a_square_of_complete_ratings_shows_the_pairs(stat, options):
    """Some of it comes from moments; what they cannot tell comes from tables."""
    data = RATINGS.assign(site=list("xxyyy"), d=2, e=2)
    options = {"raters": list("abcde"), "weights": "quadratic"} | options
    with pytest.warns(UndefinedKappaWarning) as expected:
        pairs = data.kappa.pairs(**options)
    with pytest.warns(UndefinedKappaWarning) as found:
        square = data.kappa.pairwise(stat=stat, **options)
    assert [str(one.message) for one in found] == [str(one.message) for one in expected]
    pairs = pairs.reset_index() if "by" in options else pairs
    for row in pairs.to_dict("records"):
        own = square.loc[row["site"]] if "by" in options else square
        np.testing.assert_allclose(own.loc[row["rater_a"], row["rater_b"]], row[stat], rtol=1e-12)


UNSOLVED = (
    "max_estimate is not computed (NaN) for 3 of 3 rows: these weights need a linear programme "
    "for each, which is left out beyond 1000 rows or 256 categories. Choose fewer raters, groups "
    "or categories if you need it."
)


def unsolved(call):
    """Return the messages of the warnings that a call gives."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        call()
    assert all(one.category is UndefinedKappaWarning for one in caught)
    return [str(one.message) for one in caught]


@pytest.fixture(name="few")
def few_programmes(monkeypatch):
    """Allow one linear programme."""
    monkeypatch.setattr(summary, "MOST_PROGRAMMES", 1)


@pytest.mark.usefixtures("few")
def test_programmes_that_are_not_solved_are_counted():
    assert unsolved(lambda: RATINGS.kappa.pairs(weights="radical")) == [UNSOLVED]
    constant = RATINGS.assign(c=1, d=1)
    first, second = unsolved(lambda: constant.kappa.pairs(weights="radical"))
    assert first.startswith("1 of 6 coefficients is undefined")
    assert second.startswith("max_estimate is not computed (NaN) for 1 of 6 rows")


@pytest.mark.usefixtures("few")
def test_only_where_it_is_shown():
    call = function_of("pairwise")
    assert unsolved(lambda: call(RATINGS, weights="radical")) == []
    (text,) = unsolved(lambda: call(RATINGS, weights="radical", stat="max_estimate"))
    assert text.startswith("max_estimate is not computed (NaN) for 6 of 6 rows")
    data = pd.concat([RATINGS.assign(g=1), RATINGS.assign(g=2)])
    options = {"by": "g", "weights": "radical"}
    (text,) = unsolved(lambda: data.kappa.grouped("a", "b", **options))
    assert text.startswith("max_estimate is not computed (NaN) for 2 of 2 rows")
    assert unsolved(lambda: RATINGS.kappa.pairs(weights="quadratic")) == []
    report = unsolved(lambda: RATINGS.kappa.report(weights="radical"))
    assert report == [UNSOLVED]


@pytest.mark.parametrize("method", ["pairs", "pairwise", "attainable", "crosscheck", "report"])
def test_pairs_without_joint_items_are_shown_and_announced(method):
    data = pd.DataFrame({"a": [1, 2, 1, 2, nan, nan], "b": [1, 2, 2, 2, nan, nan], "c": [nan] * 6})
    data.loc[4:, "c"] = [1, 2]
    with pytest.warns(UndefinedKappaWarning) as caught:
        found = getattr(data.kappa, method)()
    assert str(caught[0].message).startswith(
        "2 of 3 coefficients are undefined (NaN): 'a' with 'c' (no_joint_items), 'b' with 'c'"
    )
    if method in ("pairs", "report"):
        table = found.tables["pairs"] if method == "report" else found
        assert table["n_items"].tolist() == [4, 0, 0]


@pytest.mark.parametrize(
    ("largest", "kind"), [(2.0**63, "f"), (np.nextafter(2.0**63, 0), "i"), (0.5, "f"), (3.0, "i")]
)
def test_whole_numbers_are_integers_as_far_as_these_reach(largest, kind):
    for values in (np.array([1, largest]), np.array([-largest])):
        found = whole(values)
        assert found.dtype.kind == kind
        assert [*map(int, found)] == [*map(int, values)]
