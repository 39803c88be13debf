"""What users pass as weights."""

from decimal import Decimal
from itertools import product

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from pandas.testing import assert_frame_equal

from conftest import estimate
from pdkappa import errors
from pdkappa.coefficients.chance import COEFFICIENTS
from pdkappa.coefficients.weights import SETS, WEIGHTS
from pdkappa.methods.estimates.weightings import SYNONYMS

nan = float("nan")
DATA = pd.DataFrame({"a": [1, 2, 3, 1, 2, 3, 3, 1], "b": [1, 3, 3, 2, 2, 1, 3, 1]})
TEXT = DATA.map({1: "low", 2: "mid", 3: "high"}.get)
FAR = np.array([[0.0, 1, 3], [1, 0, 2], [3, 2, 0]])


def by_definition(data, disagreement):
    """Compute weighted kappa of codes 0, 1, ... as it is defined."""
    a, b = (data[name].to_numpy() for name in data)
    observed = np.mean(disagreement[a, b])
    expected = np.mean([disagreement[i, j] for i, j in product(a, b)])
    return 1 - observed / expected


@pytest.mark.parametrize(("theirs", "ours"), SYNONYMS.items(), ids=SYNONYMS)
def test_a_name_from_elsewhere_is_translated(theirs, ours):
    for name in (theirs, theirs.upper()):
        with pytest.raises(errors.OptionError) as caught:
            DATA.kappa.pairs(weights=name)
        text = f"weights={name!r} is not known here; it is called {ours} in pdkappa."
        assert str(caught.value) == text
    assert ours == "None" or ours.strip("'") in WEIGHTS


@pytest.mark.parametrize(
    ("name", "hint"),
    [
        ("quadratc", " Did you mean 'quadratic'?"),
        ("Linear", " Did you mean 'linear'?"),
        ("ordinals", " Did you mean 'ordinal'?"),
        ("cubic", ""),
        ("", ""),
    ],
)
def test_an_unknown_name(name, hint):
    with pytest.raises(errors.OptionError) as caught:
        DATA.kappa.pairs(weights=name)
    choices = ", ".join(map(repr, [*WEIGHTS, *SETS]))
    assert str(caught.value) == f"weights={name!r} is not known.{hint} Choose one of: {choices}."


@pytest.mark.parametrize(
    "matrix",
    [
        FAR,
        FAR.tolist(),
        FAR.astype(int),
        FAR.astype(object),
        np.asfortranarray(FAR),
        pd.DataFrame(FAR, index=[1, 2, 3], columns=[1, 2, 3]),
        [[Decimal(int(x)) for x in row] for row in FAR],
        5 * FAR,
        FAR * 2.0**-900,
        FAR * 2.0**900,
        1 - FAR / 3,
        1 - FAR / 7,
        lambda scores: FAR,  # noqa: ARG005
        lambda scores: FAR.tolist(),  # noqa: ARG005
        lambda scores: 1 - FAR / 3,  # noqa: ARG005
    ],
)
def test_zeros_or_ones_on_the_diagonal(matrix):
    """Disagreement or agreement, in whatever form and unit."""
    for coefficient in COEFFICIENTS:
        expected = DATA.kappa.pairs(weights=FAR, coefficient=coefficient)
        result = DATA.kappa.pairs(weights=matrix, coefficient=coefficient)
        assert_frame_equal(result, expected, obj=coefficient)
    assert estimate(DATA, weights=matrix) == pytest.approx(by_definition(DATA - 1, FAR))


@pytest.mark.parametrize("name", sorted(set(WEIGHTS) - {"ratio", None}))
def test_a_matrix_says_the_same_as_the_name(name):
    scores = np.array([1.0, 2, 3])
    if name == "ordinal":
        matrix = np.array([[0, 1, 3], [1, 0, 1], [3, 1, 0]])
    else:
        matrix = WEIGHTS[name].disagreement(scores[:, None], scores, np.array(1.0), np.array(3.0))
    for coefficient in COEFFICIENTS:
        expected = DATA.kappa.pairs(weights=name, coefficient=coefficient)
        assert_frame_equal(DATA.kappa.pairs(weights=matrix, coefficient=coefficient), expected)


def test_rounding_errors_are_forgiven():
    noise = np.array([[0, 1, -1], [0, 0, 1], [1, -1, 1]]) * 1e-16
    for matrix in (FAR, 1 - FAR / 3):
        assert estimate(DATA, weights=matrix + noise) == pytest.approx(estimate(DATA, weights=FAR))


NO_MATRIX = {
    "shape": (FAR[:2, :2], "shape (2, 2), but there are 3 categories: 1, 2, 3."),
    "no square": (FAR[:2], "shape (2, 3), but there are 3 categories"),
    "one axis": ([1, 2, 3], "must be a name, an array with a row and a column"),
    "three axes": (FAR[None], "must be a name"),
    "ragged": ([[0], [1, 2]], "must be a name"),
    "number": (2, "must be a name"),
    "bool": (True, "must be a name"),
    "NaN alone": (nan, "must be a name"),
    "dict": ({1: 2}, "must be a name"),
    "list of names": (["linear"], "must be a name"),
    "Series": (pd.Series([1, 2]), "must be a name"),
    "callable without result": (lambda scores: None, "must be a name"),  # noqa: ARG005
    "callable of another shape": (lambda scores: FAR[:2, :2], "shape (2, 2)"),  # noqa: ARG005
    "NaN": (np.where(FAR == 3, nan, FAR), "must be finite, got nan at [0, 2]"),
    "missing": (pd.DataFrame(FAR, dtype="Float64").mask(FAR == 3).to_numpy(), "got nan at [0, 2]"),
    "infinity": (np.where(FAR == 3, np.inf, FAR), "must be finite, got inf at [0, 2]"),
    "negative": (np.where(FAR == 3, -1, FAR), "must not be negative, got -1.0 at [0, 2]"),
    "asymmetric": (np.triu(FAR), "must be symmetric, got 1.0 at [0, 1] and 0.0 at [1, 0]"),
    "mixed diagonal": (FAR + np.diag([0, 1, 0]), "got [0. 1. 0.] with a maximum of 3.0"),
    "diagonal of 2": (FAR + 2 * np.eye(3), "got [2. 2. 2.] with a maximum of 3.0"),
    "agreement above 1": (FAR + np.eye(3), "got [1. 1. 1.] with a maximum of 3.0"),
    "no disagreement": (np.zeros((3, 3)), "no disagreement at all"),
    "text": (FAR.astype(str), "must hold numbers"),
    "text objects": (FAR.astype(str).astype(object), "must hold numbers, got '0.0' (str)"),
    "complex": (FAR.astype(complex), "must hold numbers"),
    "datetimes": (FAR.astype("datetime64[s]"), "must hold numbers"),
}


@pytest.mark.parametrize(("matrix", "words"), NO_MATRIX.values(), ids=NO_MATRIX)
def test_what_is_no_weights(matrix, words):
    with pytest.raises(errors.WeightsError) as caught:
        DATA.kappa.pairs(weights=matrix)
    assert words in str(caught.value)
    if isinstance(matrix, np.ndarray) and matrix.shape == (3, 3):
        frame = pd.DataFrame(matrix, index=[1, 2, 3], columns=[1, 2, 3])
        with pytest.raises(errors.WeightsError) as again:
            DATA.kappa.pairs(weights=frame)
        assert words.split(",", maxsplit=1)[0] in str(again.value)


@given(x=st.floats(), y=st.floats(0), z=st.floats(0), coefficient=st.sampled_from([*COEFFICIENTS]))
def test_any_matrix_gives_numbers_or_is_refused(x, y, z, coefficient):
    matrix = [[0, x, y], [x, 0, z], [y, z, 0]]
    try:
        result = DATA.kappa.pairs(weights=matrix, coefficient=coefficient).iloc[0]
    except errors.WeightsError:
        assert not (np.isfinite([x, y, z]).all() and max(x, y, z) > 0 and min(x, y, z) >= 0)
        return
    assert result["estimate"] <= 1
    assert 0 <= result["observed_agreement"] <= 1


@pytest.mark.filterwarnings("ignore::pdkappa.errors.UndefinedKappaWarning")
def test_a_single_category_has_no_disagreement_to_count():
    data = pd.DataFrame({"a": [1, 1, 1], "b": [1, 1, 1]})
    for weights in ([[0]], [[1]]):
        assert data.kappa.pairs(weights=weights)["reason"].tolist() == ["constant_ratings"]


def test_an_array_belongs_to_an_order():
    for matrix in (FAR, lambda scores: FAR):  # noqa: ARG005
        with pytest.raises(errors.CategoryError, match="needs ordered categories"):
            estimate(TEXT, weights=matrix)
        ordered = {"categories": ["low", "mid", "high"], "weights": matrix}
        assert estimate(TEXT, **ordered) == estimate(DATA, weights=FAR)


LABELLED = pd.DataFrame(FAR, index=["low", "mid", "high"], columns=["low", "mid", "high"])


@pytest.mark.parametrize(
    "frame",
    [
        LABELLED,
        LABELLED.loc[["high", "low", "mid"]],
        LABELLED[["mid", "high", "low"]],
        LABELLED.loc[["high", "mid", "low"], ["mid", "low", "high"]],
        LABELLED.reindex(index=["x", *LABELLED], columns=[*LABELLED, "x"]),
        LABELLED.astype(object),
        LABELLED.set_axis(pd.CategoricalIndex(LABELLED.index), axis=0),
        LABELLED.astype("Int64"),
    ],
)
def test_a_frame_is_aligned_by_label(frame):
    assert estimate(TEXT, weights=frame) == pytest.approx(estimate(DATA, weights=FAR))


@pytest.mark.parametrize(
    ("labels", "ratings"),
    [
        ([1.0, 2.0, 3.0], [1, 2, 3]),
        ([1, 2, 3], [1.0, 2.0, 3.0]),
        ([Decimal(1), Decimal(2), Decimal(3)], [1, 2, 3]),
        ([(1,), (2,), (3,)], [(1,), (2,), (3,)]),
        (pd.to_datetime(["2020", "2021", "2022"]), pd.to_datetime(["2020", "2021", "2022"])),
    ],
)
def test_a_frame_is_aligned_by_value(labels, ratings):
    axis = pd.Index(labels, tupleize_cols=False)
    frame = pd.DataFrame(FAR, index=axis, columns=axis)
    data = DATA.map(dict(zip([1, 2, 3], ratings, strict=True)).get)
    assert estimate(data, weights=frame) == pytest.approx(estimate(DATA, weights=FAR))


@pytest.mark.parametrize("labels", [[False, True], [0, 1]])
def test_labels_that_are_booleans_are_no_mask(labels):
    data = pd.DataFrame({"a": [True, False, True], "b": [True, True, False]})
    frame = pd.DataFrame([[0, 1], [1, 0]], index=labels, columns=labels)
    assert estimate(data, weights=frame) == pytest.approx(estimate(data))


@pytest.mark.parametrize(
    ("frame", "words"),
    [
        (LABELLED.iloc[:2], "weights has no 'high' in its index"),
        (LABELLED.iloc[:, :2], "weights has no 'high' in its columns"),
        (LABELLED.set_axis([1, 2, 3]), "weights has no 'high', 'low', 'mid' in its index"),
        (LABELLED.set_axis(["low", "low", "high"]), "weights names 'low' twice in its index"),
        (LABELLED.set_axis(["x", "x", "x"], axis=1), "weights names 'x', 'x' twice in its columns"),
        (LABELLED.astype(str), "weights must hold numbers, got '0.0' (str)"),
        (LABELLED.astype("Int64").replace(3, pd.NA), "weights must be finite, got nan"),
    ],
)
def test_a_frame_that_does_not_fit(frame, words):
    with pytest.raises(errors.WeightsError) as caught:
        TEXT.kappa.pairs(weights=frame)
    assert words in str(caught.value)


@pytest.mark.parametrize(
    ("options", "scores"),
    [
        ({}, [1, 2, 3]),
        ({"categories": [1, 2, 3, 10]}, [1, 2, 3, 10]),
        ({"categories": {1: 0, 2: 0.5, 3: 7}}, [0, 0.5, 7]),
    ],
)
def test_a_callable_gets_the_scores(options, scores):
    seen = []

    def weigh(values):
        seen.append(values.tolist())
        return np.abs(np.subtract.outer(values, values))

    kappa = estimate(DATA, weights=weigh, **options)
    assert seen == [scores]
    assert kappa == pytest.approx(estimate(DATA, weights="linear", **options))


@pytest.mark.parametrize("scale", [1, 2.0**300])
def test_the_unit_of_a_circle_is_one(scale):
    def weigh(scores):
        around = np.ptp(scores) + 1
        return np.sin(np.pi * np.subtract.outer(scores, scores) / around) ** 2

    data = DATA * scale
    expected = data.kappa.pairs(weights=weigh)
    assert_frame_equal(data.kappa.pairs(weights="circular"), expected)


def test_ratios_need_scores_from_zero_upwards():
    with pytest.raises(errors.WeightsError, match=r"from zero upwards, got -1\."):
        (DATA - 2).kappa.pairs(weights="ratio")
    scores = {"low": -1, "mid": 0, "high": 1}
    with pytest.raises(errors.WeightsError, match=r"got 'low'\."):
        TEXT.kappa.pairs(weights="ratio", categories=scores)
    assert np.isfinite(estimate(DATA - 1, weights="ratio"))
