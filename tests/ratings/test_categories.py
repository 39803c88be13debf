"""Categories: their order, their scores, and ratings that are none of them."""

from collections import OrderedDict
from decimal import Decimal
from fractions import Fraction
from itertools import product
from types import MappingProxyType

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from conftest import estimate, two
from pdkappa import errors
from pdkappa.coefficients.chance import COEFFICIENTS
from pdkappa.coefficients.weights import WEIGHTS
from pdkappa.methods.estimates import study
from pdkappa.ratings.categories import index_of, texts_of
from pdkappa.ratings.columns import as_float, plain_label

nan = float("nan")
BY_DISTANCE = sorted(set(WEIGHTS) - {None})


def by_definition(a, b, scores, power=1):
    """Compute weighted kappa as it is defined, in exact arithmetic."""
    x, y = ([Fraction(scores[label]) for label in side] for side in (a, b))
    n = len(x)
    observed = sum(abs(p - q) ** power for p, q in zip(x, y, strict=True)) * n
    expected = sum(abs(p - q) ** power for p, q in product(x, y))
    return float(1 - observed / expected)


MEAT = ["fresh", "turning", "rotten"]
A = ["fresh", "fresh", "turning", "rotten", "rotten", "turning"]
B = ["fresh", "turning", "turning", "rotten", "turning", "fresh"]
MEATS = two(A, B)


@pytest.mark.parametrize("weights", BY_DISTANCE)
def test_a_list_is_the_order(weights):
    numbers = MEATS.map(MEAT.index)
    expected = estimate(numbers + 1, weights=weights)
    assert estimate(MEATS, weights=weights, categories=MEAT) == expected


@pytest.mark.parametrize(
    "categories",
    [
        tuple(MEAT),
        np.array(MEAT),
        np.array(MEAT, dtype=object),
        pd.Index(MEAT),
        pd.Series(MEAT),
        pd.Categorical(MEAT),
        pd.array(MEAT, dtype="string"),
        (label for label in MEAT),
        dict.fromkeys(MEAT).keys(),
        dict(enumerate(MEAT)).values(),
    ],
    ids=[
        *("tuple", "array", "objects", "Index", "Series", "Categorical", "string"),
        *("generator", "keys", "values"),
    ],
)
def test_anything_that_has_an_order_will_do(categories):
    expected = estimate(MEATS, weights="linear", categories=MEAT)
    assert estimate(MEATS, weights="linear", categories=categories) == expected


def test_the_confusion_table_follows_the_order():
    for categories in (MEAT, MEAT[::-1], ["unused", *MEAT]):
        table = MEATS.kappa.confusion("a", "b", categories=categories)
        assert table.index.tolist() == table.columns.tolist() == categories
    by_score = {"rotten": 100, "fresh": 0, "turning": 10}
    assert MEATS.kappa.confusion("a", "b", categories=by_score).index.tolist() == MEAT


def test_minus_zero_is_zero():
    table = two([-0.0, 0.5, 0.5], [0.5, -0.0, 0.5]).kappa.confusion("a", "b")
    assert [str(label) for label in table.index] == ["0.0", "0.5"]


@pytest.mark.filterwarnings("ignore::pdkappa.errors.LookalikeLabelsWarning")
def test_unused_categories_count_beside_fractions():
    fixed = pd.Categorical([1.0, 2, 2], categories=[1.0, 2, 3])
    found = pd.DataFrame({"a": [1.0, 2, 1.5], "b": fixed}).kappa.usage()
    assert list(found) == [1, 1.5, 2, 3]


def test_a_group_with_one_of_two_booleans_has_both():
    data = two([True, True, True, False], [True, True, False, False]).assign(site=[1, 1, 2, 2])
    found = data.kappa.pairs(by="site", coefficient="brennan_prediger")
    assert found["expected_agreement"].tolist() == [0.5, 0.5]


def test_infinity_in_words_is_no_number():
    with pytest.raises(errors.CategoryError) as caught:
        two(["1", "inf"], ["inf", "1"]).kappa.pairs(weights="linear")
    assert "numeric text" not in str(caught.value)


def test_integers_beyond_a_float_are_infinite():
    assert [as_float(sign * 10**400) for sign in (-1, 1)] == [-np.inf, np.inf]


@pytest.mark.parametrize(
    "data",
    [
        MEATS,
        MEATS.astype("category"),
        MEATS.map(lambda label: (label,)),
        MEATS.map(lambda label: pd.Timestamp(2020, 1, 1 + MEAT.index(label))),
    ],
    ids=["text", "Categorical", "tuples", "datetimes"],
)
def test_without_an_order_there_is_no_distance(data):
    for weights in BY_DISTANCE:
        with pytest.raises(errors.CategoryError, match=f"weights='{weights}' needs ordered"):
            estimate(data, weights=weights)
        labels = list(dict.fromkeys([*data["a"], *data["b"]]))
        assert np.isfinite(estimate(data, weights=weights, categories=labels)), weights


def test_numeric_text_is_told_from_text():
    with pytest.raises(errors.CategoryError) as caught:
        estimate(two(["1", "10", "x"], ["1", "2", "10"]), weights="linear")
    assert "to_numeric" not in str(caught.value)


@pytest.mark.parametrize(
    "scores",
    [
        {"fresh": 0, "turning": 10, "rotten": 100},
        {"rotten": 100, "fresh": 0, "turning": 10},
        {"fresh": -1.5, "turning": 0.25, "rotten": 2},
        {"fresh": np.int8(-128), "turning": np.float32(0.5), "rotten": np.uint8(255)},
        {"fresh": Decimal("0.5"), "turning": Fraction(3, 4), "rotten": True},
        MappingProxyType({"fresh": 0, "turning": 10, "rotten": 100}),
        OrderedDict({"rotten": 100, "fresh": 0, "turning": 10, "unused": 7}),
    ],
)
def test_a_dict_gives_scores(scores):
    for power in [1, 2]:
        kappa = estimate(MEATS, weights={1: "linear", 2: "quadratic"}[power], categories=scores)
        plain = {label: float(score) for label, score in scores.items()}
        assert kappa == pytest.approx(by_definition(A, B, plain, power)), power


def test_scores_of_numbers_replace_them():
    data = two([1, 2, 3, 1], [1, 3, 3, 2])
    scores = {1: 0, 2: 1, 3: 5}
    expected = estimate(data.replace(scores), weights="quadratic")
    assert estimate(data, weights="quadratic", categories=scores) == expected
    infinite = data.replace({3: np.inf})
    assert estimate(infinite, weights="quadratic", categories={1: 0, 2: 1, np.inf: 5}) == expected


NO_CATEGORIES = {
    "frozenset": (frozenset("xy"), errors.CategoryError, "a set, which has no order"),
    "bytes": (b"xy", errors.CategoryError, "got b'xy'"),
    "number": (2, errors.CategoryError, "got 2"),
    "dtype": (pd.CategoricalDtype(["x"]), errors.CategoryError, "got CategoricalDtype"),
    "empty dict": ({}, errors.CategoryError, "is empty"),
    "duplicate by value": ([1, 2, 1.0], errors.CategoryError, "1 more than once"),
    "duplicate zero": ([-0.0, 0, 1], errors.CategoryError, "more than once"),
    "duplicate Decimal": ([0.1, Decimal("0.1")], errors.CategoryError, "0.1 more than once"),
    "NaN": (["x", nan], errors.CategoryError, "missing value"),
    "NA": (["x", pd.NA], errors.CategoryError, "missing value"),
    "NaT": (["x", pd.NaT], errors.CategoryError, "missing value"),
    "NaN key": ({"x": 0, nan: 1}, errors.CategoryError, "missing value"),
    "Categorical": (pd.Categorical(["x", None]), errors.CategoryError, "missing value"),
    "infinity in between": ([1, np.inf, 2], errors.CategoryError, "neither ascending"),
    "True and 2": ([True, 2], errors.RatingTypeError, "categories mixes booleans and numbers"),
    "array of rows": (np.eye(2), errors.RatingTypeError, "categories holds values that cannot be"),
    "score None": ({"x": 0, "y": None}, errors.CategoryError, "'y' the score None"),
    "score text": ({"x": 0, "y": "1"}, errors.CategoryError, "'y' the score '1'"),
    "score infinite": ({"x": 0, "y": np.inf}, errors.CategoryError, "'y' the score inf"),
    "score complex": ({"x": 0, "y": 1j}, errors.CategoryError, "'y' the score 1j"),
    "score too large": ({"x": 0, "y": 10**400}, errors.CategoryError, "'y' the score 1000"),
    "score list": ({"x": 0, "y": [1]}, errors.CategoryError, r"'y' the score \[1\]"),
    "tie as floats": ({"x": 2**53, "y": 2**53 + 1}, errors.CategoryError, "the same score"),
}


@pytest.mark.parametrize(
    ("categories", "error", "words"), NO_CATEGORIES.values(), ids=NO_CATEGORIES
)
def test_what_is_no_set_of_categories(categories, error, words):
    for weights in (None, "linear"):
        with pytest.raises(error, match=words):
            two(["x", "y"], ["y", "x"]).kappa.pairs(weights=weights, categories=categories)


def test_categories_match_by_value():
    expected = estimate(two([1, 2, 3], [1, 3, 3]), weights="linear")
    for categories in ([1.0, 2.0, 3.0], [Decimal(1), 2, Fraction(3)], np.array([1, 2, 3], "uint8")):
        assert estimate(two([1, 2, 3], [1, 3, 3]), weights="linear", categories=categories) == (
            expected
        )
    bits = two([True, False, True, False], [True, True, True, False])
    for categories in ([0, 1], [False, True], [1, 0]):
        assert estimate(bits, categories=categories) == estimate(bits)
        assert estimate(bits.astype(int), categories=categories) == estimate(bits)
    tenths = two([Decimal("0.1"), Decimal("0.2")], [Decimal("0.2"), Decimal("0.2")])
    assert estimate(tenths, categories=[0.1, 0.2]) == estimate(tenths)


ints = st.integers(-5, 20)


@given(
    rows=st.lists(st.tuples(ints, ints), min_size=3, max_size=15).filter(lambda x: len(set(x)) > 2)
)
def test_gaps_keep_their_size(rows):
    a, b = map(list, zip(*rows, strict=True))
    scores = {x: x for x in {*a, *b}}
    if len(set(a)) > 1 and len(set(b)) > 1:
        data = two(a, b).rename(index=str)
        for power, weights in ((1, "linear"), (2, "quadratic")):
            kappa = estimate(data, weights=weights, categories=sorted(scores))
            assert kappa == pytest.approx(by_definition(a, b, scores, power), abs=1e-12)
            more = estimate(data, weights=weights, categories=range(-6, 22))
            assert more == pytest.approx(kappa, abs=1e-12)


LABELS = {"numbers": [0, 1, 2], "text": ["no", "yes", "perhaps"], "floats": [0.0, 1.0, 2.0]}


@pytest.mark.filterwarnings("ignore::pdkappa.errors.KappaWarning")
@settings(max_examples=3)
@given(st.data())
def test_without_weights_labels_of_any_kind_share_one_scale(data):
    n = data.draw(st.integers(1, 20))
    codes = st.lists(st.integers(0, 2), min_size=n, max_size=n)
    drawn = pd.DataFrame({"a": data.draw(codes), "b": data.draw(codes)})
    group = [*"xyz"][: data.draw(st.integers(1, 3))] * n
    found = {}
    for kind, labels in LABELS.items():
        frame = drawn.apply(lambda x: x.map(dict(enumerate(labels)))).assign(group=group[:n])  # noqa: B023
        for name in COEFFICIENTS:
            pairs = frame.kappa.pairs(by="group", coefficient=name)["estimate"]
            every = frame.kappa.agreement(by="group", coefficients=COEFFICIENTS[name].many)
            used = sorted({*frame["a"], *frame["b"]}, key=labels.index)
            shared = frame.kappa.pairs(by="group", coefficient=name, categories=used)
            np.testing.assert_allclose(pairs, shared["estimate"])
            both = np.concatenate([pairs, every["estimate"]])
            np.testing.assert_allclose(both, found.setdefault(name, both), err_msg=kind)


def test_groups_with_different_categories_are_told_where_their_number_matters():
    data = two([0, 1, 0, 0, 1, 0], [0, 1, 1, 0, 2, 0]).assign(group=[*"xxxyyy"])
    of_all = (
        "The number of categories matters to 'gwet', and the groups of 'group' use different "
        "ones; each group is given those of all groups. Declare the scale with categories=[...]; "
        "0, 1, 2 occur."
    )
    for call in (
        lambda: data.kappa.pairs(by="group", coefficient="gwet"),
        lambda: data.kappa.grouped("a", "b", by="group", weights=None, coefficient="gwet"),
        lambda: data.kappa.compare_groups(["a", "b"], by="group", coefficient="gwet"),
    ):
        with pytest.warns(errors.UndeclaredCategoriesWarning) as caught:
            call()
        assert [str(warning.message) for warning in caught] == [of_all]
    with pytest.warns(errors.UndeclaredCategoriesWarning) as caught:
        data.kappa.agreement(by="group", weights="linear")
    own = (
        "The number of categories matters to 'brennan_prediger' and 'gwet', and the groups of "
        "'group' use different ones; each group is given its own. Declare the scale with "
        "categories=[...]; 0, 1, 2 occur."
    )
    assert [str(warning.message) for warning in caught] == [own]
    data.kappa.pairs(by="group", coefficient="gwet", categories=[0, 1, 2])
    data.kappa.pairs(by="group")
    data.kappa.pairs(["a", "b"], coefficient="gwet")


@pytest.mark.filterwarnings("ignore::pdkappa.errors.UndefinedKappaWarning")
def test_no_group_with_a_rating_has_no_scale():
    data = two([np.nan] * 4, [np.nan] * 4).assign(group=[*"xxyy"])
    found = data.kappa.pairs(["a", "b"], by="group", coefficient="gwet")
    assert found["reason"].tolist() == ["no_items"] * 2


def test_scales_of_too_many_groups_are_not_compared(monkeypatch):
    """They would take an array of all groups by all categories."""
    data = two([0, 1, 0, 0, 1, 0], [0, 1, 1, 0, 2, 0]).assign(group=[*"xxxyyy"])
    monkeypatch.setattr(study, "LARGEST_SCALES", 5)
    data.kappa.pairs(by="group", coefficient="gwet")


def test_a_label_is_plain_and_loses_nothing():
    for label, plain in [
        (np.int8(-3), -3),
        (np.uint64(2**64 - 1), 2**64 - 1),
        (np.float32(0.5), 0.5),
        (np.str_("x"), "x"),
        (np.True_, True),
        (np.datetime64("2020-01-01"), pd.Timestamp("2020-01-01")),
        (np.timedelta64(1, "D"), pd.Timedelta(days=1)),
        (Decimal("2.00"), 2),
        (Decimal("0.10"), 0.1),
        (Decimal("1e400"), Decimal("1e400")),
        (Decimal("1e23"), Decimal("1e23")),
        (Decimal("Infinity"), Decimal("Infinity")),
        (Decimal("0.1000000000000000055"), Decimal("0.1000000000000000055")),
        (2**53 + 1, 2**53 + 1),
        (Fraction(1, 3), Fraction(1, 3)),
        (("x", 1), ("x", 1)),
    ]:
        assert plain_label(label) == plain, (label, plain)
        assert type(plain_label(label)) is type(plain), (label, plain)


@given(x=st.decimals(allow_nan=False), y=st.decimals(allow_nan=False))
def test_distinct_decimals_stay_distinct(x, y):
    assert (plain_label(x) == plain_label(y)) == (x == y)


def test_an_index_of_few_texts_is_kept_and_its_name_is_not():
    kept = index_of(["a", "b"])
    kept.name = "raters"
    assert index_of(["a", "b"]).name is None
    assert index_of(["a", "b"], "side").name == "side"
    with pd.option_context("mode.string_storage", "python"):
        assert index_of(["a", "b"]).dtype == pd.Index(["a", "b"]).dtype
    for labels in ([1, 2], [True, False], [1.0, 2.0], ["a", 1], [("a", 1), ("a", 2)], []):
        found = index_of(labels)
        assert [(type(x), x) for x in found] == [(type(x), x) for x in labels]


@pytest.mark.parametrize("values", [[""], ["", ""], ["", "n_lt_2"], ["n_lt_2"] * 3, []])
def test_texts_are_held_as_a_frame_holds_them(values):
    texts = np.array(values, dtype=object)
    expected = pd.DataFrame({"reason": texts})
    pd.testing.assert_frame_equal(pd.DataFrame({"reason": texts_of(texts)}), expected)
