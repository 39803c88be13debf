"""Scores of two sequences, and means of scores."""

import warnings
from array import array
from collections import deque
from decimal import Decimal

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.dummy import DummyClassifier
from sklearn.metrics import cohen_kappa_score, make_scorer
from sklearn.model_selection import cross_val_score
from sklearn.naive_bayes import GaussianNB

import pdkappa
from pdkappa import errors

nan = float("nan")
TRUE = [1, 2, 3, 4, 3, 1]
PRED = [2, 2, 4, 4, 5, 1]
QWK = pdkappa.qwk(TRUE, PRED)


def test_it_is_a_float():
    assert type(QWK) is float
    frame = pd.DataFrame({"true": TRUE, "pred": PRED})
    assert frame.kappa.pairs(weights="quadratic")["estimate"].item() == QWK
    assert pdkappa.qwk(TRUE, PRED, weights=None) == frame.kappa.pairs()["estimate"].item()
    assert pdkappa.qwk(PRED, TRUE) == pytest.approx(QWK)


@pytest.mark.oracle
@pytest.mark.parametrize("weights", [None, "linear", "quadratic"])
def test_it_is_the_number_of_scikit_learn(weights):
    theirs = cohen_kappa_score(TRUE, PRED, labels=range(1, 6), weights=weights)
    assert pdkappa.qwk(TRUE, PRED, weights=weights) == pytest.approx(theirs)


SEQUENCES = {
    "list": list,
    "tuple": tuple,
    "array": np.array,
    "int8": lambda x: np.array(x, dtype="int8"),
    "objects": lambda x: np.array(x, dtype=object),
    "Series": pd.Series,
    "labelled Series": lambda x: pd.Series(x, index=list("abcdef")),
    "Index": pd.Index,
    "Int64": lambda x: pd.array(x, dtype="Int64"),
    "arrow": lambda x: pd.array(x, dtype=pd.ArrowDtype(pa.int8())),
    "generator": lambda x: (y for y in x),
    "deque": deque,
    "array.array": lambda x: array("i", x),
    "Decimals": lambda x: [Decimal(y) for y in x],
    "floats": lambda x: [float(y) for y in x],
    "NumPy scalars": lambda x: [np.int16(y) for y in x],
    "masked array": lambda x: np.ma.array(x, mask=[False] * len(x)),
}


def test_every_sequence_will_do():
    for make in SEQUENCES.values():
        assert pdkappa.qwk(make(TRUE), make(PRED)) == QWK, make
        assert pdkappa.qwk(make(TRUE), PRED) == QWK, make
        assert pdkappa.qwk(np.array(TRUE), make(PRED)) == QWK, make


@pytest.mark.parametrize(
    "sequence",
    [
        [1, None, 3, 4],
        [1, nan, 3, 4],
        [1, pd.NA, 3, 4],
        [1, Decimal("NaN"), 3, 4],
        np.ma.array([1, 2, 3, 4], mask=[False, True, False, False]),
        pd.array([1, None, 3, 4], dtype="Int64"),
        pd.Series([1, nan, 3, 4]),
    ],
)
def test_missing_ratings_are_left_out(sequence):
    assert pdkappa.qwk(sequence, [1, 1, 4, 4]) == pdkappa.qwk([1, 3, 4], [1, 4, 4])


def test_integers_beside_a_missing_one_keep_identity():
    top = 2**53
    true, pred = [top, top + 1, top + 3, None], [top + 1, top + 1, top + 3, top]
    assert pdkappa.qwk(true, pred) == pytest.approx(pdkappa.qwk([0, 1, 3], [1, 1, 3]))


@pytest.mark.parametrize(
    ("true", "pred", "reason"),
    [
        ([], [], "no_items"),
        (pd.Series([], dtype=float), pd.Series([], dtype=float), "no_items"),
        ([None, None], [None, None], "no_items"),
        ([1, None], [None, 2], "no_joint_items"),
        ([3, 3], [3, 3], "constant_ratings"),
        ([3], [3], "constant_ratings"),
    ],
)
def test_undefined(true, pred, reason):
    with pytest.warns(errors.UndefinedKappaWarning, match=reason):
        assert np.isnan(pdkappa.qwk(true, pred))


SAME = ("list", "array", "int8", "objects", "floats")
PLAIN = {name: SEQUENCES[name] for name in SAME} | {
    "big-endian": lambda x: np.array(x, dtype=">i4"),
    "float": lambda x: np.array(x, dtype=float),
    "half": lambda x: np.array(x, dtype="float16"),
    "Series": lambda x: pd.Series(x, dtype="int16"),
    "Series of objects": lambda x: pd.Series(x, dtype=object),
}


def figure_and_warnings(function):
    with warnings.catch_warnings(record=True) as given_warnings:
        warnings.simplefilter("always")
        figure = function()
    return figure, [(one.category, str(one.message)) for one in given_warnings]


def test_plain_ratings_need_no_frame(monkeypatch):
    monkeypatch.setattr(pdkappa.methods.predictions.scorecard, "read", None)
    true, pred = TRUE * 2, PRED * 2
    for make in PLAIN.values():
        assert pdkappa.qwk(make(true), make(pred)) == QWK, make
        assert pdkappa.qwk(make(true), pred) == QWK, make
    labels = list("edcba")
    for make in (list, np.array, pd.Series, lambda texts: np.array(texts, dtype=object)):
        of_texts = (make([labels[score - 1] for score in scores]) for scores in (true, pred))
        expected = pdkappa.qwk(true, pred, labels=[1, 2, 3, 4, 5])
        assert pdkappa.qwk(*of_texts, labels=labels) == expected, make


@given(data=st.data())
def test_a_shorter_way_gives_the_same_number_and_the_same_warnings(data):
    make = PLAIN[data.draw(st.sampled_from(list(PLAIN)))]
    weights = data.draw(st.sampled_from([None, "linear", "quadratic", "ordinal"]))
    low = data.draw(st.integers(-40, 40))
    score = st.integers(low, low + data.draw(st.sampled_from([1, 3, 6, 60])))
    size = data.draw(st.integers(1, 60))
    true, pred = (make(data.draw(st.lists(score, min_size=size, max_size=size))) for _ in "ab")
    frame = pd.DataFrame({"y_true": true, "y_pred": pred})
    labels = data.draw(st.sampled_from([None, [*range(low - 1, low + 62)]]))
    weight = data.draw(st.sampled_from([None, np.linspace(0.5, 2.5, size)]))
    if labels is not None and data.draw(st.booleans()):
        true, pred, labels = ([f"grade {one:g}" for one in some] for some in (true, pred, labels))
        frame = pd.DataFrame({"y_true": true, "y_pred": pred})

    def whole_way():
        given = {"weights": weights, "categories": labels, "sample_weight": weight}
        kind = None if weight is None else "frequency"
        found = frame.kappa(weight_type=kind).pairs(["y_true", "y_pred"], **given)
        return found["estimate"].item()

    def short_way():
        return pdkappa.qwk(true, pred, weights=weights, labels=labels, sample_weight=weight)

    score, warned = figure_and_warnings(short_way)
    expected, expected_warnings = figure_and_warnings(whole_way)
    apart = 0 if weight is None and labels is None else 1e-14
    assert score == pytest.approx(expected, abs=apart, rel=0, nan_ok=True)
    unsolved = "max_estimate is not computed"
    assert warned == [one for one in expected_warnings if not one[1].startswith(unsolved)]


@pytest.mark.parametrize(
    "odd",
    [
        [True, False, 1, 0],
        [1, 2.5, 1, 2.5],
        [1, "2", 1, "2"],
        [1, None, 1, None],
        [1.0, nan, 1.0, nan],
        [2**53, 2**53 + 1, 2**53, 2**53 + 1],
        [2**64, 2**64 + 1, 2**64, 2**64 + 1],
        [-1, 2**63, -1, 2**63],
        [1.0, float("inf"), 1.0, 1.0],
        np.array([1, 2, 1, 2], dtype="M8[D]"),
        np.array([2**63, 2**63 + 1] * 2, dtype="uint64"),
        np.array([1, 2, 1, 2], dtype=complex),
    ],
    ids=repr,
)
def test_what_is_not_plain_goes_the_whole_way(odd, monkeypatch):
    class WholeWayError(Exception):
        pass

    def whole_way(*_):
        raise WholeWayError

    monkeypatch.setattr(pdkappa.methods.predictions.scorecard, "read_sequences", whole_way)
    with pytest.raises(WholeWayError):
        pdkappa.qwk(odd, odd)


def test_two_series_are_aligned_on_their_index():
    true, pred = (pd.Series(x, index=list("abcdef")) for x in (TRUE, PRED))
    for order in ("fedcba", "badcfe"):
        assert pdkappa.qwk(true, pred[list(order)]) == QWK
        assert pdkappa.qwk(true[list(order)], pred) == pytest.approx(QWK)
    assert pdkappa.qwk(true[list("fedcba")], true) == 1
    assert pdkappa.qwk(true, PRED) == pdkappa.qwk(TRUE, pred) == QWK


@pytest.mark.parametrize(
    "index", [list("uvwxyz"), list("aabcde"), range(6), list("bcdefg")], ids=str
)
def test_other_labels_are_refused(index):
    true = pd.Series(TRUE, index=list("abcdef"))
    for pair in ((true, pd.Series(PRED, index=index)), (pd.Series(TRUE, index=index), true)):
        with pytest.raises(errors.RatingsError, match="y_pred is a Series whose index differs"):
            pdkappa.qwk(*pair)


@pytest.mark.parametrize("make", [list, np.array, pd.Series])
def test_lengths_must_be_the_same(make):
    with pytest.raises(errors.RatingsError, match="y_true has 6 ratings and y_pred 5"):
        pdkappa.qwk(make(TRUE), make(PRED[:5]))


NO_SEQUENCES = {
    "text": "112",
    "bytes": b"112",
    "None": None,
    "number": 3,
    "array without axes": np.array(3),
    "set": {1, 2, 3},
    "dict": {1: 2, 3: 4},
}


@pytest.mark.parametrize("value", NO_SEQUENCES.values(), ids=NO_SEQUENCES)
def test_what_is_no_sequence(value):
    for pair, name in (((value, PRED), "y_true"), ((TRUE, value), "y_pred")):
        with pytest.raises(errors.RatingTypeError, match=f"{name} must be a sequence of ratings"):
            pdkappa.qwk(*pair)


@pytest.mark.parametrize("value", [np.ones((6, 1)), np.ones((2, 3)), pd.DataFrame({"a": TRUE})])
def test_more_than_one_axis(value):
    with pytest.raises(errors.RatingsError, match="must be one-dimensional, got shape"):
        pdkappa.qwk(value, PRED)


def test_text_needs_labels():
    words = {1: "bad", 2: "poor", 3: "fair", 4: "good", 5: "great"}
    true, pred = ([words[x] for x in side] for side in (TRUE, PRED))
    assert pdkappa.qwk(true, pred, labels=list(words.values())) == QWK
    assert pdkappa.qwk(true, pred, labels={word: x for x, word in words.items()}) == QWK
    with pytest.raises(errors.CategoryError, match=r"needs ordered .* Pass labels=\[\.\.\.\] in"):
        pdkappa.qwk(true, pred)
    assert pdkappa.qwk(true, pred, weights=None) == pytest.approx(
        pdkappa.qwk(TRUE, PRED, weights=None)
    )


@pytest.mark.parametrize("make", [list, tuple, np.array, pd.Series])
def test_sample_weights_count_items_again(make):
    times = [1, 3, 2, 1, 2, 1]
    expected = pdkappa.qwk(np.repeat(TRUE, times), np.repeat(PRED, times))
    assert pdkappa.qwk(TRUE, PRED, sample_weight=make(times)) == pytest.approx(expected)
    assert pdkappa.qwk(TRUE, PRED, sample_weight=np.array(times) * 1e200) == pytest.approx(expected)


def test_a_series_of_weights_is_aligned_if_anything_has_labels():
    true, pred = (pd.Series(x, index=list("abcdef")) for x in (TRUE, PRED))
    times = pd.Series([1, 3, 2, 1, 2, 1], index=list("abcdef"))
    expected = pdkappa.qwk(TRUE, PRED, sample_weight=times)
    for pair in ((true, pred), (TRUE, pred), (true, PRED)):
        assert pdkappa.qwk(*pair, sample_weight=times[::-1]) == expected
        with pytest.raises(errors.RatingsError, match="sample_weight is a Series whose index"):
            pdkappa.qwk(*pair, sample_weight=times.reset_index(drop=True))
    assert pdkappa.qwk(TRUE, PRED, sample_weight=times[::-1]) != expected


@pytest.mark.oracle
def test_it_is_a_scorer_of_scikit_learn():
    rng = np.random.default_rng(3)
    truth = rng.integers(0, 4, 120)
    features = truth[:, None] + rng.normal(0, 1, (120, 3))
    ours = make_scorer(pdkappa.qwk)
    theirs = make_scorer(cohen_kappa_score, weights="quadratic", labels=range(4))
    for model in (GaussianNB(), DummyClassifier(strategy="stratified", random_state=1)):
        for target in (truth, truth.astype(np.int8), pd.Series(truth), truth * 1.0):
            scores = cross_val_score(model, features, target, scoring=ours, cv=4)
            expected = cross_val_score(model, features, truth, scoring=theirs, cv=4)
            assert scores == pytest.approx(expected)


KAPPAS = [0.5, 0.8, -0.2]
MEAN = np.tanh(np.arctanh(KAPPAS).mean())


def test_means_of_every_sequence():
    for kappas in [
        KAPPAS,
        tuple(KAPPAS),
        np.array(KAPPAS),
        pd.Series(KAPPAS, index=list("xyz")),
        pd.array(KAPPAS, dtype="Float64"),
        pd.array(KAPPAS, dtype=pd.ArrowDtype(pa.float64())),
        [Decimal(str(x)) for x in KAPPAS],
        np.array(KAPPAS, dtype=object),
        [*KAPPAS, nan],
        [None, *KAPPAS],
        pd.array([*KAPPAS, None], dtype="Float64"),
    ]:
        mean = pdkappa.fisher_mean(kappas)
        assert type(mean) is float, kappas
        assert mean == pytest.approx(MEAN), kappas


def test_weights_are_aligned_by_label():
    kappas = pd.Series(KAPPAS, index=list("xyz"))
    weights = pd.Series([1, 2, 4], index=list("xyz"))
    expected = np.tanh(np.average(np.arctanh(KAPPAS), weights=[1, 2, 4]))
    for given_weights in (weights, weights[::-1], [1, 2, 4]):
        assert pdkappa.fisher_mean(kappas, given_weights) == pytest.approx(expected)
    with pytest.raises(errors.RatingsError, match="weights is a Series whose index differs"):
        pdkappa.fisher_mean(kappas, weights.reset_index(drop=True))


@pytest.mark.parametrize("size", [2**62, 1e-320, 1e200, 1e307, 7])
def test_only_ratios_of_weights_matter(size):
    assert pdkappa.fisher_mean(KAPPAS, [size] * 3) == pytest.approx(MEAN)


def test_clipping():
    assert pdkappa.fisher_mean([-1]) == pytest.approx(-0.999)
    assert pdkappa.fisher_mean([0.95, 0.5], clip=0.9) == pdkappa.fisher_mean([0.9, 0.5])
    assert pdkappa.fisher_mean([1, 0.5], clip=None) == 1


@pytest.mark.parametrize(
    ("kappas", "weights"), [([], None), ([nan, nan], None), ([nan, 0.5], [1, 0]), ([None], [2])]
)
def test_no_mean_without_a_coefficient(kappas, weights):
    assert np.isnan(pdkappa.fisher_mean(kappas, weights))


@pytest.mark.parametrize(
    ("kappas", "words"),
    [
        ([1.0000001], "must lie between -1 and 1, got 1.0000001"),
        ([0.5, -2, 3], "must lie between -1 and 1, got -2.0, 3.0"),
        ([np.inf], "must lie between -1 and 1, got inf"),
        (["0.5"], "must hold numbers"),
        (["0.5", None], r"must hold numbers, got '0.5' \(str\)"),
        ([0.5j], "must hold numbers"),
        (0.5, "must be one-dimensional"),
        ([[0.5]], "must be one-dimensional"),
        ([[0.5], [0.5, 0.1]], "rows of different lengths"),
        ({0.5}, "must hold numbers"),
        ({"x": 0.5}, "must hold numbers"),
        (pd.to_timedelta([0], "s"), "must hold numbers"),
    ],
)
def test_what_are_no_coefficients(kappas, words):
    with pytest.raises(errors.OptionError, match=f"kappas .*{words}|kappas {words}"):
        pdkappa.fisher_mean(kappas)
