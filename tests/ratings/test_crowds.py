"""Ratings of crowds, which stay listed, say the same as a wide frame of all raters."""

import re
from decimal import Decimal
from unittest.mock import PropertyMock, patch

import numpy as np
import pandas as pd
import pytest
from pandas.testing import assert_frame_equal

import pdkappa
from conftest import each, exactly, function_of
from pdkappa.coefficients import sparse_rows
from pdkappa.coefficients.all_raters import MULTIRATER
from pdkappa.coefficients.weights import WEIGHTS
from pdkappa.errors import CategoryError, LeftOutWarning, RatingsError, TooLargeError
from pdkappa.methods.drilldown.categories import ADDITIVE
from pdkappa.methods.drilldown.items import LEAVE_ONE_OUT
from pdkappa.ratings.crowds import _parts_of
from pdkappa.ratings.long_ratings import Listed

pytestmark = pytest.mark.filterwarnings("ignore::pdkappa.errors.KappaWarning")
COLUMNS = {"item": "essay", "rater": "who", "rating": "score"}


def long_frame(n_items=40, n_raters=7, share=0.45):
    """Return ratings of few raters an item, some of one, with columns of the items."""
    rng = np.random.default_rng(20261122)
    truth = rng.integers(1, 5, n_items)
    item, rater = np.nonzero(rng.random((n_items, n_raters)) < share)
    frame = pd.DataFrame({"essay": item, "who": rater})
    frame["score"] = np.clip(truth[item] + rng.integers(-1, 2, len(item)), 1, 4)
    for name, values in {
        "site": rng.choice(["x", "y"], n_items),
        "author": np.arange(n_items) // 3,
        "times": rng.integers(0, 4, n_items),
    }.items():
        frame[name] = values[item]
    return frame.sample(frac=1, random_state=1)


LONG = long_frame()
RATINGS = pdkappa.from_long(LONG, **COLUMNS)
WEIGHT = np.linspace(0.5, 2, len(RATINGS.item_labels))
OPTIONS = [
    {},
    {"by": "site"},
    {"sample_weight": "times", "by": "site"},
    {"sample_weight": WEIGHT, "raters": [5, 0, 2, 3], "weight_type": "frequency"},
    {"sample_weight": "times", "weight_type": "probability", "cluster": "author", "by": "site"},
    {"cluster": "author", "missing": "listwise", "raters": [1, 4]},
    {"cluster": "author", "vary": "both"},
    {"shares": "ratings", "vary": "raters", "ci": "wald"},
    {"ci": "percentile", "n_resamples": 20, "rng": 1},
]
OF_LIMITS = ("weight_type", "cluster", "ci", "n_resamples", "rng")


def both(call):
    """Return what a method gives for the list, and for the wide frame."""
    found = []
    for is_crowd in (True, False):
        with patch.object(Listed, "is_crowd", new_callable=PropertyMock, return_value=is_crowd):
            found.append(call(RATINGS))
    return found


def assert_same(call):
    found, expected = both(call)
    assert_frame_equal(pd.DataFrame(found), pd.DataFrame(expected), rtol=1e-11, atol=1e-13)


def test_agreement_by_every_weighting_and_option():
    for weights in [*WEIGHTS, "krippendorff_ordinal"]:
        named = {"coefficients": ["krippendorff"]} if weights not in WEIGHTS else {}
        for options in OPTIONS[:5] if weights == "quadratic" else OPTIONS[4:5]:
            assert_same(
                lambda x, o=options, n=named, w=weights: function_of("agreement")(
                    x, weights=w, **n, **o
                )
            )
    for options in OPTIONS[5:]:
        assert_same(lambda x, o=options: function_of("agreement")(x, **o))


def test_joint_ratings_are_added_up_as_they_come():
    found = []
    for most in (1000, 3):
        with patch.object(sparse_rows, "MOST_WAITING", most):
            crowd, _ = both(lambda _: pdkappa.from_long(LONG, **COLUMNS).pairs())
        found.append(crowd)
    assert_frame_equal(*found)


def test_raters_who_always_say_the_same_have_an_error():
    constant = pdkappa.from_long(LONG.assign(score=LONG["who"] % 3), **COLUMNS)
    found = both(lambda _: constant.agreement(coefficients=["conger", "fleiss"]))
    assert_frame_equal(*found, rtol=1e-11)
    assert (found[0]["se"] > 0).all()


def test_every_method_of_a_coefficient():
    options = {"by": "site", "sample_weight": "times"}
    for name in LEAVE_ONE_OUT:
        assert_same(lambda x, n=name: x.items(coefficient=n, weights="linear", **options))
    for name in ADDITIVE:
        assert_same(lambda x, n=name: x.categories(coefficient=n, **options))
        assert_same(lambda x, n=name: x.categories(coefficient=n, **options, kind="cut"))
    assert set(LEAVE_ONE_OUT) == set(MULTIRATER)


def test_pairs_with_clusters_and_weights_of_a_sample():
    for options in [*OPTIONS[:6], OPTIONS[8]]:
        for coefficient in ("cohen", "krippendorff"):
            more = {"coefficient": coefficient, **options}
            assert_same(lambda x, o=more: function_of("pairs")(x, weights="quadratic", **o))
            assert_same(lambda x, o=more: function_of("pairwise")(x, stat="ci_low", **o))
            seen = {name: value for name, value in more.items() if name not in OF_LIMITS}
            assert_same(lambda x, o=seen: function_of("pairwise")(x, **o))


def test_raters_and_what_they_use():
    for options in OPTIONS[:5]:
        assert_same(lambda x, o=options: function_of("raters")(x, weights="quadratic", **o))
    assert_same(lambda x: x.usage(by="site", sample_weight="times"))
    assert_same(lambda x: x.items(columns=["site"], id="author"))


def crowd_frame(n_items=300, n_raters=201, per_item=3):
    """Return ratings of many raters, of whom a few rate each item."""
    rng = np.random.default_rng(20261122)
    rater = rng.permuted(np.tile(np.arange(n_raters), (n_items, 1)), axis=1)[:, :per_item]
    rater.flat[:n_raters] = np.arange(n_raters)
    item = np.repeat(np.arange(n_items), per_item)
    frame = pd.DataFrame({"essay": item, "who": rater.reshape(-1)}).drop_duplicates()
    truth = rng.integers(1, 5, n_items)[frame["essay"]]
    frame["score"] = np.clip(truth + rng.integers(-1, 2, len(frame)), 1, 4)
    return frame


CROWD = pdkappa.from_long(crowd_frame(), **COLUMNS)
LEFT_OUT = (
    "'light' is left out: 201 raters are 20100 pairs, many of which share few items or none. By "
    "default it is computed for up to 200 raters; name it in coefficients=[...] to include it."
)


def test_light_is_there_for_many_raters_if_it_is_named():
    wide = CROWD.wide
    for own in (CROWD, wide.kappa):
        with pytest.warns(LeftOutWarning, match=exactly(LEFT_OUT)):
            assert "light" not in own.agreement().index
    found = CROWD.agreement(coefficients=["light", "conger"])
    expected = wide.kappa.agreement(coefficients=["light", "conger"])
    assert_frame_equal(pd.DataFrame(found), pd.DataFrame(expected), rtol=1e-9)
    some = {"raters": CROWD.rater_labels[:200]}
    assert "light" in CROWD.agreement(**some).index


def test_light_is_of_those_who_rated():
    """Neither columns without a rating count, nor raters of other groups."""
    frame = CROWD.wide[CROWD.rater_labels].astype(float)
    frame.loc[:, CROWD.rater_labels[2:]] = np.nan
    assert "light" in frame.kappa.agreement().index
    nested = crowd_frame(n_items=400, n_raters=100)
    nested = nested.assign(site=nested["essay"] % 3)
    nested["who"] += 100 * nested["site"]  # of three sites, each with raters of its own
    assert nested["who"].nunique() > 200
    found = pdkappa.from_long(nested, **COLUMNS).agreement(by="site")
    assert "light" in found.index.get_level_values("coefficient")


def test_many_pairs_of_a_wide_frame_are_taken_at_once():
    """Either way of `RatingRows.joints`, and the two ways of Light's kappa, give the same."""
    data, found = RATINGS.wide[RATINGS.rater_labels], []
    for many in (10, 1000):
        for calls in (1, 10**9):
            with (
                patch.multiple("pdkappa.coefficients.sparse_rows", MANY_PAIRS=many),
                patch.multiple(
                    "pdkappa.coefficients.all_raters", FEWEST_ROWS=1, PRODUCTS_OF_JOINT=calls
                ),
            ):
                parts = [data.kappa.agreement(weights=w) for w in (None, "linear")]
                parts += [data.kappa.items(), data.kappa.raters(), data.kappa.categories()]
                found.append([pd.DataFrame(part) for part in parts])
    for other in found[1:]:
        for one, two in zip(found[0], other, strict=True):
            assert_frame_equal(one, two, rtol=1e-9, atol=1e-12)


def test_what_a_crowd_cannot_do_is_said_before_anything_is_computed():
    message = "Column 0 has 295 missing ratings, at index 1, 2, 3, 4, 5 and 290 more."
    with pytest.raises(RatingsError, match=f"^{re.escape(message)} Pass missing='pairwise'"):
        CROWD.agreement(missing="raise")
    with pytest.raises(CategoryError, match=r"at index \(\d+, \d+\), \(\d+, \d+\)"):
        CROWD.agreement(categories=[1, 2])
    message = (
        "This needs all raters side by side: 300 items by 201 raters are 60300 cells; the limit is "
        "1000. Pass fewer raters, or use agreement, pairs, raters, items or categories, which need "
        "no such frame."
    )
    crowd, two = pdkappa.from_long(crowd_frame(), **COLUMNS), CROWD.wide[[0, 1]]
    with patch("pdkappa.ratings.long_ratings.LARGEST_FRAME", 1000):
        for call in (lambda: crowd.agreement(ci="bca"), crowd.scores.concordance, crowd.report):
            with pytest.raises(TooLargeError, match=exactly(message)):
                call()
        assert CROWD.agreement(missing="listwise")["estimate"].isna().all()
        assert CROWD.confusion(0, 1).shape == two.kappa.confusion(0, 1).shape


def test_methods_of_some_raters_need_no_others():
    a, b, c = 0, 1, 2
    wide = CROWD.wide
    with patch.object(Listed, "wide", new_callable=PropertyMock, side_effect=AssertionError):
        for call in (
            lambda x: x.confusion(a, b),
            lambda x: x.compare((a, b), (a, c)),
            lambda x: x.machine.ceiling(machine=a, humans=[b, c]),
            lambda x: x.cells(a, b),
            lambda x: x.scores.bland_altman(a, b),
            lambda x: x.machine.evaluate(a, b),
            lambda x: x.machine.prevalence(a, b),
            lambda x: x.machine.prediction_powered(b, a, c),
            lambda x: x.agreement([a, b, c]),
            lambda x: x.pairs([a, b, c]),
        ):
            assert_frame_equal(pd.DataFrame(call(CROWD)), pd.DataFrame(call(wide.kappa)))


def test_other_packages_are_not_asked_about_every_pair_of_a_crowd(refuses):
    with refuses():
        CROWD.crosscheck()


@pytest.mark.filterwarnings("ignore::pdkappa.errors.KappaWarning")
@each("by", [None, "g"])
def test_errors_of_clusters_are_those_of_the_pairs_that_are_kept(by):
    """A pair that was left out once lent its error to one of another group."""
    rng = np.random.default_rng(3)
    parts = [
        pd.DataFrame(
            {"i": i, "w": rng.choice(30, 4, replace=False), "l": rng.integers(0, 3, 4)}
        ).assign(g=i % 2, c=i // 3)
        for i in range(150)
    ]
    ratings = pdkappa.from_long(pd.concat(parts), item="i", rater="w", rating="l")
    options = {"cluster": "c", "by": by}
    full = ratings.pairs(**options)
    for least in (2, 3, 4):
        kept = full[full["n_items"] >= least].reset_index(drop=True)
        found = ratings(min_items=least).pairs(**options).reset_index(drop=True)
        columns = ["rater_a", "rater_b", "n_items", "estimate", "se", "ci_low", "p_value"]
        assert len(found) > 0
        pd.testing.assert_frame_equal(found[columns], kept[columns], check_dtype=False)


NUMBERS = [0, 1, -1, -2, 7, 2**31 - 1, -(2**31), 2**53, 2**61 - 1, 2**61, -(2**63), 2**63 - 1]


def test_equal_items_are_in_one_part_whatever_holds_them():
    numbers = pd.Series(NUMBERS)
    expected = _parts_of(numbers, 1000)
    small, positive = numbers.abs() <= 2**53, numbers >= 0
    for some, values in [
        (small | ~small, numbers.astype(object)),
        (small | ~small, numbers.astype("Int64")),
        (positive, numbers[positive].astype("uint64")),
        (small, numbers[small].astype(float)),
        (small, numbers[small].map(Decimal)),
    ]:
        assert _parts_of(values, 1000).tolist() == expected[some].tolist()


@pytest.mark.parametrize("kind", ["int64", "str"])
def test_parts_are_alike_whatever_the_items_are_called(kind):
    """Those of numbers in steps would all be in one part if no hash was mixed."""
    parts = _parts_of(pd.Series(range(0, 30_000, 10)).astype(kind), 10)
    assert np.bincount(parts.astype(int), minlength=10).min() > 200
