"""Decisions from class probabilities, by the public functions: labels, order, prior, errors."""

from __future__ import annotations

import re
from itertools import product

import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_allclose
from pandas.testing import assert_series_equal
from scipy.stats import norm

import pdkappa
from pdkappa.coefficients.weights import WEIGHTS

nan = float("nan")
FRAME = pd.DataFrame(
    {1: [0.6, 0.4, 0.0, 0.0], 2: [0.4, 0.6, 0.9, 0.6], 3: [0.0, 0.0, 0.1, 0.4]},
    index=["ann", "bob", "eve", "joe"],
)
TEXT = pd.DataFrame(
    [[0.1, 0.7, 0.2], [0.6, 0.1, 0.3], [0.3, 0.2, 0.5]], columns=["high", "low", "mid"]
)
ORDER = ["low", "mid", "high"]


def exact_kappa(values, prior, labels, matrix):
    """Average the observed disagreement over all truths, one by one."""
    n, k = values.shape
    observed = 0.0
    for truth in product(range(k), repeat=n):
        chance = np.prod(values[np.arange(n), truth])
        observed += chance * matrix[list(truth), labels].sum()
    return 1 - observed / (prior @ matrix[:, labels]).sum()


# --- Numerical truth ---------------------------------------------------------------------


@pytest.mark.parametrize("weights", WEIGHTS)
def test_the_expected_kappa_of_labels(weights):
    rng = np.random.default_rng(3)
    x = np.arange(1.0, 4)
    matrix = WEIGHTS[weights].disagreement(x[:, None], x, x[:1], x[-1:])
    for _ in range(5):
        values, labels = rng.dirichlet(np.ones(3), 5), rng.integers(3, size=5)
        frame = pd.DataFrame(values, columns=[1, 2, 3])
        found = pdkappa.expected_kappa(frame, labels + 1, weights=weights)
        expected = exact_kappa(values, values.mean(axis=0), labels, matrix)
        assert_allclose(found, expected, atol=1e-12)
        prior = rng.dirichlet(np.ones(3))
        found = pdkappa.expected_kappa(frame, labels + 1, weights=weights, prior=prior)
        assert_allclose(found, exact_kappa(values, prior, labels, matrix), atol=1e-12)


@pytest.mark.parametrize("weights", WEIGHTS)
def test_no_labels_are_expected_to_reach_more(weights):
    for with_prior in [False, True]:
        rng = np.random.default_rng(4)
        for _ in range(4):
            frame = pd.DataFrame(rng.dirichlet(np.ones(3), 4), columns=[1, 2, 5])
            options = {"weights": weights}
            if with_prior:
                options["prior"] = rng.dirichlet(np.ones(3))
            labels = pdkappa.decide(frame, **options)
            best = max(
                pdkappa.expected_kappa(frame, list(others), **options)
                for others in product([1, 2, 5], repeat=4)
            )
            found = pdkappa.expected_kappa(frame, labels, **options)
            assert_allclose(found, best, atol=1e-12, err_msg=f"{with_prior=}")


def test_the_score_of_many_items_is_what_was_expected():
    """A latent normal score in six classes, with noise; true classes drawn by probability."""
    rng = np.random.default_rng(5)
    score, cuts = rng.normal(size=40_000) * 0.8, np.array([-1.5, -0.8, 0, 0.8, 1.5])
    below = norm.cdf((cuts - score[:, None]) / 0.6)
    values = np.diff(below, axis=1, prepend=0, append=1)
    truth = (rng.random((len(values), 1)) > np.cumsum(values, axis=1)).sum(axis=1)
    rules = {
        "decide": pdkappa.decide(values),
        "argmax": values.argmax(axis=1),
        "mean": np.rint(values @ np.arange(6)).astype(int),
    }
    reached = {name: pdkappa.qwk(truth, labels) for name, labels in rules.items()}
    for name, labels in rules.items():
        assert_allclose(pdkappa.expected_kappa(values, labels), reached[name], atol=0.01)
    assert reached["decide"] > max(reached["argmax"], reached["mean"]) + 0.01


# --- Labels ------------------------------------------------------------------------------


def test_the_index_is_kept():
    expected = pd.Series([1, 1, 2, 3], index=FRAME.index, name="decision")
    assert_series_equal(pdkappa.decide(FRAME), expected)
    assert_series_equal(
        pdkappa.decide(FRAME.to_numpy(), categories=[1, 2, 3]), expected.reset_index(drop=True)
    )


def test_an_array_has_the_classes_from_zero():
    assert pdkappa.decide(FRAME.to_numpy()).tolist() == [0, 0, 1, 2]


def test_the_order_of_the_columns_does_not_matter():
    for columns in ([3, 1, 2], [2, 3, 1]):
        assert_series_equal(pdkappa.decide(FRAME[columns]), pdkappa.decide(FRAME))


def test_the_order_of_text_is_given():
    expected = ["low", "high", "mid"]
    assert pdkappa.decide(TEXT, categories=ORDER).tolist() == expected
    scores = {"high": 3, "mid": 2, "low": 1}
    assert pdkappa.decide(TEXT, categories=scores).tolist() == expected
    array = TEXT[ORDER].to_numpy()
    assert pdkappa.decide(array, categories=ORDER).tolist() == expected
    in_order_of_columns = {"high": 3, "low": 1, "mid": 2}
    assert pdkappa.decide(TEXT.to_numpy(), categories=in_order_of_columns).tolist() == expected


def test_an_ordered_categorical_index_brings_its_order_and_stays_one():
    dtype = pd.CategoricalDtype(["never", *ORDER], ordered=True)
    frame = TEXT.set_axis(pd.CategoricalIndex(TEXT.columns, dtype=dtype), axis=1)
    found = pdkappa.decide(frame)
    assert found.dtype == dtype
    assert found.tolist() == ["low", "high", "mid"]


def test_text_without_an_order():
    assert pdkappa.decide(TEXT, weights=None).isin(TEXT.columns).all()
    matrix = pd.DataFrame(1 - np.eye(3), index=ORDER, columns=ORDER)
    assert_series_equal(pdkappa.decide(TEXT, weights=matrix), pdkappa.decide(TEXT, weights=None))


def test_an_item_without_probabilities_gets_no_label():
    frame = FRAME.copy()
    frame.loc["tom"] = nan
    found = pdkappa.decide(frame)
    assert np.isnan(found["tom"])
    assert found.drop("tom").tolist() == pdkappa.decide(FRAME).tolist()
    assert pdkappa.decide(frame.loc[["tom"]]).isna().all()
    text = pdkappa.decide(TEXT.mask(TEXT["high"] == 0.1), categories=ORDER)
    assert text.isna().tolist() == [True, False, False]
    labels = [1, 1, 2, 3, 1]
    found = pdkappa.expected_kappa(frame, labels)
    assert found == pdkappa.expected_kappa(FRAME, labels[:4])


def test_no_items():
    assert pdkappa.decide(FRAME.iloc[:0]).tolist() == []


def test_a_class_without_a_column_is_never_certain_but_may_be_the_best():
    """Costs of 0, 1 and 4 between the first and the last class make the middle one cheap."""
    frame = pd.DataFrame({1: [0.5, 0.5, 0.9], 3: [0.5, 0.5, 0.1]})
    wider = frame.assign(**{"2": 0.0}).rename(columns={"2": 2})
    assert_series_equal(
        pdkappa.decide(frame, categories=[1, 2, 3]), pdkappa.decide(wider), check_dtype=False
    )


def test_rows_are_normalised_within_rounding():
    rough = FRAME.to_numpy() * np.array([[1 + 5e-7], [1 - 5e-7], [1], [1]])
    found = pdkappa.expected_kappa(rough, [0, 0, 1, 2])
    assert_allclose(found, pdkappa.expected_kappa(FRAME, [1, 1, 2, 3]), rtol=1e-14)


def test_the_frame_is_not_changed():
    frame = FRAME.copy()
    pdkappa.decide(frame, prior={1: 0.2, 2: 0.5, 3: 0.3})
    pd.testing.assert_frame_equal(frame, FRAME)


@pytest.mark.parametrize("dtype", ["float32", "Float64", "object"])
def test_any_dtype_of_numbers(dtype):
    assert pdkappa.decide(FRAME.astype(dtype)).tolist() == [1, 1, 2, 3]


# --- Prior and costs ---------------------------------------------------------------------


def test_the_prior_is_matched_by_class():
    expected = pdkappa.decide(FRAME, prior=[0.6, 0.3, 0.1])
    for prior in (pd.Series({3: 0.1, 2: 0.3, 1: 0.6}), {2: 0.3, 1: 0.6, 3: 0.1}):
        assert_series_equal(pdkappa.decide(FRAME, prior=prior), expected)
        assert_series_equal(pdkappa.decide(FRAME[[2, 3, 1]], prior=prior), expected)
    shuffled = pdkappa.decide(FRAME[[2, 3, 1]], prior=[0.3, 0.1, 0.6])
    assert_series_equal(shuffled, expected)
    assert_series_equal(
        pdkappa.decide(FRAME, prior={1: 1.0}), pdkappa.decide(FRAME, prior=[1, 0, 0])
    )


def test_labels_depend_on_what_else_there_is():
    """Alone, an item says nothing of what chance would give, and any label is worth nothing."""
    assert pdkappa.decide(FRAME)["joe"] == 3
    assert pdkappa.decide(FRAME.loc[["joe"]]).item() == 2


def test_missing_a_disease_may_cost_more_than_a_false_alarm():
    frame = pd.DataFrame({"well": [0.9, 0.75, 0.2], "ill": [0.1, 0.25, 0.8]})
    costs = pd.DataFrame([[0, 1], [9, 0]], index=["well", "ill"], columns=["well", "ill"])
    assert pdkappa.decide(frame, weights=costs).tolist() == ["well", "ill", "ill"]
    assert pdkappa.decide(frame, weights=costs.T).tolist() == ["well", "well", "ill"]
    shuffled = costs.loc[["ill", "well"]]
    assert pdkappa.decide(frame, weights=shuffled).tolist() == ["well", "ill", "ill"]
    as_agreement = 1 - costs.to_numpy() / 9
    array = pdkappa.decide(frame, weights=as_agreement, categories=["well", "ill"])
    assert array.tolist() == ["well", "ill", "ill"]


def test_coefficients_of_raters_still_refuse_asymmetric_weights():
    with pytest.raises(pdkappa.WeightsError, match=r"^weights must be symmetric, got 1\.0"):
        pdkappa.pairs(pd.DataFrame({"a": [0, 1], "b": [1, 1]}), weights=[[0, 1], [9, 0]])


# --- Classes of the prior ----------------------------------------------------------------


def test_a_class_of_the_prior_without_a_share_changes_nothing():
    prior = {1: 0.2, 2: 0.3, 3: 0.5}
    expected = pdkappa.expected_kappa(FRAME, [1, 1, 2, 3], prior=prior)
    found = pdkappa.expected_kappa(FRAME, [1, 1, 2, 3], prior={**prior, 20: 0.0})
    assert found == expected
    with pytest.raises(pdkappa.CategoryError, match="labels holds 20"):
        pdkappa.expected_kappa(FRAME, [1, 1, 2, 20], prior={**prior, 20: 0.0})


def test_categories_may_name_a_class_of_the_prior_without_a_column():
    prior = {1: 0.2, 4: 0.8}
    declared = pdkappa.decide(FRAME, prior=prior, categories=[1, 2, 3, 4])
    dtype = pd.CategoricalDtype([1, 2, 3, 4], ordered=True)
    columns = pd.CategoricalIndex(FRAME.columns, dtype=dtype)
    by_columns = pdkappa.decide(FRAME.set_axis(columns, axis=1), prior=prior)
    assert by_columns.tolist() == declared.tolist()


def test_categories_may_be_a_generator():
    array = FRAME.to_numpy()
    found = pdkappa.decide(array, categories=(x for x in [1, 2, 3]))
    assert found.tolist() == pdkappa.decide(array, categories=[1, 2, 3]).tolist()


# --- Undefined ---------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("frame", "labels", "why"),
    [
        (pd.DataFrame({1: [1.0], 2: [0.0]}), [1], "no disagreement is expected by chance"),
        (FRAME, [nan] * 4, "no item has both"),
    ],
)
def test_undefined_is_nan_with_a_warning(frame, labels, why):
    message = f"The expected kappa of the labels is undefined (NaN): {why}."
    with pytest.warns(pdkappa.UndefinedKappaWarning, match=f"^{re.escape(message)}$"):
        assert np.isnan(pdkappa.expected_kappa(frame, labels))


def test_labels_are_aligned_on_the_index():
    labels = pdkappa.decide(FRAME)
    found = pdkappa.expected_kappa(FRAME, labels.iloc[::-1])
    assert found == pdkappa.expected_kappa(FRAME, labels)


# --- Errors ------------------------------------------------------------------------------

ERRORS = {
    "one axis": (
        lambda: pdkappa.decide([0.2, 0.8]),
        pdkappa.RatingsError,
        (
            "probabilities must have a row for each item and a column for each class, got shape "
            "(2,). For a single item, pass [probabilities]."
        ),
    ),
    "no classes": (
        lambda: pdkappa.decide(pd.DataFrame(index=[0, 1])),
        pdkappa.RatingsError,
        "probabilities has no categories. Give it a number for each category.",
    ),
    "beyond 1": (
        lambda: pdkappa.decide(FRAME.replace(0.9, 1.9)),
        pdkappa.RatingsError,
        (
            "probabilities must lie between 0 and 1, got 1.9 in column 2 at index 'eve'. Set all "
            "of an item's probabilities to missing to leave it out."
        ),
    ),
    "partly missing": (
        lambda: pdkappa.decide(FRAME.replace(0.9, nan)),
        pdkappa.RatingsError,
        (
            "probabilities must lie between 0 and 1, got nan in column 2 at index 'eve'. Set all "
            "of an item's probabilities to missing to leave it out."
        ),
    ),
    "sums": (
        lambda: pdkappa.decide(FRAME.replace(0.9, 0.8)),
        pdkappa.RatingsError,
        (
            "probabilities must add up to 1 for each item, but 1 do not, at index 'eve'; the first "
            "adds up to 0.9. Divide them by their sums, as with "
            "df[columns].div(df[columns].sum(axis=1), axis=0)."
        ),
    ),
    "text": (
        lambda: pdkappa.decide(TEXT.astype(str)),
        pdkappa.RatingsError,
        "probabilities must hold numbers, got '0.1' (str). Convert it, as with pd.to_numeric.",
    ),
    "no order": (
        lambda: pdkappa.decide(TEXT),
        pdkappa.CategoryError,
        (
            "weights='quadratic' needs ordered categories, but nothing says what the order of "
            "'high', 'low', 'mid' is (text). Pass categories=[...] in order."
        ),
    ),
    "no order of an array": (
        lambda: pdkappa.decide(TEXT, weights=1 - np.eye(3)),
        pdkappa.CategoryError,
        (
            "an array of weights needs ordered categories, but nothing says what the order of "
            "'high', 'low', 'mid' is (text). Pass categories=[...] in order."
        ),
    ),
    "numeric text": (
        lambda: pdkappa.decide(FRAME.rename(columns=str)),
        pdkappa.CategoryError,
        (
            "weights='quadratic' needs ordered categories, but nothing says what the order of '1', "
            "'2', '3' is (text). Pass categories=[...] in order. All of it is numeric text, which "
            "would sort '10' before '2': convert the labels with pd.to_numeric."
        ),
    ),
    "not among the categories": (
        lambda: pdkappa.decide(FRAME, categories=[1, 2]),
        pdkappa.CategoryError,
        (
            "probabilities has numbers for 3, which are not among the categories: 1, 2. Add them "
            "to categories, or leave them out."
        ),
    ),
    "prior of others": (
        lambda: pdkappa.decide(FRAME.to_numpy(), categories=[1, 2, 3], prior={1: 0.5, 4: 0.5}),
        pdkappa.CategoryError,
        (
            "prior has numbers for 4, which are not among the categories: 1, 2, 3. Add them to "
            "categories, or leave them out."
        ),
    ),
    "prior of a class without a column": (
        lambda: pdkappa.decide(FRAME, prior={1: 0.2, 20: 0.8}),
        pdkappa.CategoryError,
        (
            "prior has a share for class(es) 20, which neither the columns nor categories have. "
            "The classes are 1, 2, 3."
        ),
    ),
    "prior of a class that an array does not have": (
        lambda: pdkappa.expected_kappa(FRAME.to_numpy(), [0, 1, 2, 2], prior={1: 0.2, "2": 0.8}),
        pdkappa.CategoryError,
        (
            "prior has a share for class(es) '2', which neither the columns nor categories have. "
            "The classes are 0, 1, 2."
        ),
    ),
    "number of categories": (
        lambda: pdkappa.decide(FRAME.to_numpy(), categories=[1, 2]),
        pdkappa.RatingsError,
        (
            "probabilities has shape (4, 3), but there are 2 categories: 1, 2. Give it a number "
            "for each, used or not."
        ),
    ),
    "twice": (
        lambda: pdkappa.decide(FRAME.set_axis([1, 2, 2], axis=1)),
        pdkappa.CategoryError,
        "probabilities names 2 more than once. Name each category once.",
    ),
    "missing label": (
        lambda: pdkappa.decide(FRAME.set_axis([1, 2, nan], axis=1)),
        pdkappa.CategoryError,
        "probabilities has a missing label, which is never a category. Leave it out.",
    ),
    "kinds": (
        lambda: pdkappa.decide(FRAME.set_axis([1, 2, "c"], axis=1)),
        pdkappa.RatingTypeError,
        (
            "The scale of probabilities mixes numbers and text, such as 1, 'c', so that equal "
            "ratings may not match. Convert all to one type."
        ),
    ),
    "shape of the prior": (
        lambda: pdkappa.decide(FRAME, prior=[[0.2, 0.3, 0.5]]),
        pdkappa.OptionError,
        (
            "prior must be one share for each class, got shape (1, 3). Pass a Series, a dict "
            "{class: share}, or an array in the order of the columns."
        ),
    ),
    "prior of counts": (
        lambda: pdkappa.decide(FRAME, prior=[2, 3, 5]),
        pdkappa.OptionError,
        (
            "prior must be shares from 0 upwards that add up to 1, got 2.0, 3.0, 5.0. Divide "
            "counts by their sum."
        ),
    ),
    "number of labels": (
        lambda: pdkappa.expected_kappa(FRAME, [1, 2]),
        pdkappa.RatingsError,
        "There are 2 labels, but probabilities of 4 items. Pass one label for each item.",
    ),
    "other labels": (
        lambda: pdkappa.expected_kappa(FRAME, [1, 2, 3, 4]),
        pdkappa.CategoryError,
        (
            "labels holds 4, which are not among the classes: 1, 2, 3. Label items with the "
            "columns of probabilities."
        ),
    ),
}


@pytest.mark.parametrize(("call", "error", "message"), ERRORS.values(), ids=ERRORS)
def test_the_whole_message(call, error, message):
    with pytest.raises(error) as caught:
        call()
    assert type(caught.value) is error
    assert str(caught.value) == message
