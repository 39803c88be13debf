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
from conftest import raising
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
        "decide": pdkappa.decide(values, weights="quadratic"),
        "argmax": values.argmax(axis=1),
        "mean": np.rint(values @ np.arange(6)).astype(int),
    }
    reached = {name: pdkappa.qwk(truth, labels) for name, labels in rules.items()}
    for name, labels in rules.items():
        assert_allclose(
            pdkappa.expected_kappa(values, labels, weights="quadratic"), reached[name], atol=0.01
        )
    assert reached["decide"] > max(reached["argmax"], reached["mean"]) + 0.01


# --- Labels ------------------------------------------------------------------------------


def test_the_index_is_kept():
    expected = pd.Series([1, 1, 2, 3], index=FRAME.index, name="decision")
    assert_series_equal(pdkappa.decide(FRAME, weights="quadratic"), expected)
    assert_series_equal(
        pdkappa.decide(FRAME.to_numpy(), categories=[1, 2, 3], weights="quadratic"),
        expected.reset_index(drop=True),
    )


def test_the_order_of_text_is_given():
    expected = ["low", "high", "mid"]
    assert pdkappa.decide(TEXT, categories=ORDER, weights="quadratic").tolist() == expected
    scores = {"high": 3, "mid": 2, "low": 1}
    assert pdkappa.decide(TEXT, categories=scores, weights="quadratic").tolist() == expected
    array = TEXT[ORDER].to_numpy()
    assert pdkappa.decide(array, categories=ORDER, weights="quadratic").tolist() == expected
    in_order_of_columns = {"high": 3, "low": 1, "mid": 2}
    assert (
        pdkappa.decide(
            TEXT.to_numpy(), categories=in_order_of_columns, weights="quadratic"
        ).tolist()
        == expected
    )


def test_an_ordered_categorical_index_brings_its_order_and_stays_one():
    dtype = pd.CategoricalDtype(["never", *ORDER], ordered=True)
    frame = TEXT.set_axis(pd.CategoricalIndex(TEXT.columns, dtype=dtype), axis=1)
    found = pdkappa.decide(frame, weights="quadratic")
    assert found.dtype == dtype
    assert found.tolist() == ["low", "high", "mid"]


def test_text_without_an_order():
    assert pdkappa.decide(TEXT, weights=None).isin(TEXT.columns).all()
    matrix = pd.DataFrame(1 - np.eye(3), index=ORDER, columns=ORDER)
    assert_series_equal(pdkappa.decide(TEXT, weights=matrix), pdkappa.decide(TEXT, weights=None))


def test_an_item_without_probabilities_gets_no_label():
    frame = FRAME.copy()
    frame.loc["tom"] = nan
    found = pdkappa.decide(frame, weights="quadratic")
    assert np.isnan(found["tom"])
    assert found.drop("tom").tolist() == pdkappa.decide(FRAME, weights="quadratic").tolist()
    assert pdkappa.decide(frame.loc[["tom"]], weights="quadratic").isna().all()
    text = pdkappa.decide(TEXT.mask(TEXT["high"] == 0.1), categories=ORDER, weights="quadratic")
    assert text.isna().tolist() == [True, False, False]
    labels = [1, 1, 2, 3, 1]
    found = pdkappa.expected_kappa(frame, labels, weights="quadratic")
    assert found == pdkappa.expected_kappa(FRAME, labels[:4], weights="quadratic")


def test_a_class_without_a_column_is_never_certain_but_may_be_the_best():
    """Costs of 0, 1 and 4 between the first and the last class make the middle one cheap."""
    frame = pd.DataFrame({1: [0.5, 0.5, 0.9], 3: [0.5, 0.5, 0.1]})
    wider = frame.assign(**{"2": 0.0}).rename(columns={"2": 2})
    assert_series_equal(
        pdkappa.decide(frame, categories=[1, 2, 3], weights="quadratic"),
        pdkappa.decide(wider, weights="quadratic"),
        check_dtype=False,
    )


# --- Prior and costs ---------------------------------------------------------------------


def test_the_prior_is_matched_by_class():
    expected = pdkappa.decide(FRAME, prior=[0.6, 0.3, 0.1], weights="quadratic")
    for prior in (pd.Series({3: 0.1, 2: 0.3, 1: 0.6}), {2: 0.3, 1: 0.6, 3: 0.1}):
        assert_series_equal(pdkappa.decide(FRAME, prior=prior, weights="quadratic"), expected)
        assert_series_equal(
            pdkappa.decide(FRAME[[2, 3, 1]], prior=prior, weights="quadratic"), expected
        )
    shuffled = pdkappa.decide(FRAME[[2, 3, 1]], prior=[0.3, 0.1, 0.6], weights="quadratic")
    assert_series_equal(shuffled, expected)
    assert_series_equal(
        pdkappa.decide(FRAME, prior={1: 1.0}, weights="quadratic"),
        pdkappa.decide(FRAME, prior=[1, 0, 0], weights="quadratic"),
    )


def test_labels_depend_on_what_else_there_is():
    """Alone, an item says nothing of what chance would give, and any label is worth nothing."""
    assert pdkappa.decide(FRAME, weights="quadratic")["joe"] == 3
    assert pdkappa.decide(FRAME.loc[["joe"]], weights="quadratic").item() == 2


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


# --- Classes of the prior ----------------------------------------------------------------


def test_a_class_of_the_prior_without_a_share_changes_nothing():
    prior = {1: 0.2, 2: 0.3, 3: 0.5}
    expected = pdkappa.expected_kappa(FRAME, [1, 1, 2, 3], prior=prior, weights="quadratic")
    found = pdkappa.expected_kappa(
        FRAME, [1, 1, 2, 3], prior={**prior, 20: 0.0}, weights="quadratic"
    )
    assert found == expected
    with pytest.raises(pdkappa.errors.CategoryError, match="labels holds 20"):
        pdkappa.expected_kappa(FRAME, [1, 1, 2, 20], prior={**prior, 20: 0.0}, weights="quadratic")


def test_categories_may_name_a_class_of_the_prior_without_a_column():
    prior = {1: 0.2, 4: 0.8}
    declared = pdkappa.decide(FRAME, prior=prior, categories=[1, 2, 3, 4], weights="quadratic")
    dtype = pd.CategoricalDtype([1, 2, 3, 4], ordered=True)
    columns = pd.CategoricalIndex(FRAME.columns, dtype=dtype)
    by_columns = pdkappa.decide(FRAME.set_axis(columns, axis=1), prior=prior, weights="quadratic")
    assert by_columns.tolist() == declared.tolist()


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
    with pytest.warns(pdkappa.errors.UndefinedKappaWarning, match=f"^{re.escape(message)}$"):
        assert np.isnan(pdkappa.expected_kappa(frame, labels, weights="quadratic"))


def test_labels_are_aligned_on_the_index():
    labels = pdkappa.decide(FRAME, weights="quadratic")
    found = pdkappa.expected_kappa(FRAME, labels.iloc[::-1], weights="quadratic")
    assert found == pdkappa.expected_kappa(FRAME, labels, weights="quadratic")


# --- Errors ------------------------------------------------------------------------------

ERRORS = {
    "one axis": lambda: pdkappa.decide([0.2, 0.8], weights="quadratic"),
    "no classes": lambda: pdkappa.decide(pd.DataFrame(index=[0, 1]), weights="quadratic"),
    "beyond 1": lambda: pdkappa.decide(FRAME.replace(0.9, 1.9), weights="quadratic"),
    "partly missing": lambda: pdkappa.decide(FRAME.replace(0.9, nan), weights="quadratic"),
    "sums": lambda: pdkappa.decide(FRAME.replace(0.9, 0.8), weights="quadratic"),
    "text": lambda: pdkappa.decide(TEXT.astype(str), weights="quadratic"),
    "no order": lambda: pdkappa.decide(TEXT, weights="quadratic"),
    "no order of an array": lambda: pdkappa.decide(TEXT, weights=1 - np.eye(3)),
    "numeric text": lambda: pdkappa.decide(FRAME.rename(columns=str), weights="quadratic"),
    "not among the categories": lambda: pdkappa.decide(
        FRAME, categories=[1, 2], weights="quadratic"
    ),
    "prior of others": lambda: pdkappa.decide(
        FRAME.to_numpy(), categories=[1, 2, 3], prior={1: 0.5, 4: 0.5}, weights="quadratic"
    ),
    "prior of a class without a column": lambda: pdkappa.decide(
        FRAME, prior={1: 0.2, 20: 0.8}, weights="quadratic"
    ),
    "prior of a class that an array does not have": lambda: pdkappa.expected_kappa(
        FRAME.to_numpy(), [0, 1, 2, 2], prior={1: 0.2, "2": 0.8}, weights="quadratic"
    ),
    "number of categories": lambda: pdkappa.decide(
        FRAME.to_numpy(), categories=[1, 2], weights="quadratic"
    ),
    "twice": lambda: pdkappa.decide(FRAME.set_axis([1, 2, 2], axis=1), weights="quadratic"),
    "missing label": lambda: pdkappa.decide(
        FRAME.set_axis([1, 2, nan], axis=1), weights="quadratic"
    ),
    "kinds": lambda: pdkappa.decide(FRAME.set_axis([1, 2, "c"], axis=1), weights="quadratic"),
    "shape of the prior": lambda: pdkappa.decide(
        FRAME, prior=[[0.2, 0.3, 0.5]], weights="quadratic"
    ),
    "prior of counts": lambda: pdkappa.decide(FRAME, prior=[2, 3, 5], weights="quadratic"),
    "number of labels": lambda: pdkappa.expected_kappa(FRAME, [1, 2], weights="quadratic"),
    "other labels": lambda: pdkappa.expected_kappa(FRAME, [1, 2, 3, 4], weights="quadratic"),
}


@raising("decide", ERRORS)
def test_the_whole_message(call, refused):
    with refused():
        call()
