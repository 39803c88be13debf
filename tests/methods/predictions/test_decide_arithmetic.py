"""Labels from class probabilities: against all labelings there are, and the closed forms."""

from __future__ import annotations

from itertools import product

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from numpy.testing import assert_allclose, assert_array_equal

from conftest import each
from pdkappa.coefficients.weights import WEIGHTS
from pdkappa.methods.predictions.decide import best_labels, kappa_of_means, means_of

some = settings(max_examples=60)

# A row for each item of how likely each class is, up to a constant; then whole-numbered costs.
tables = st.tuples(st.integers(1, 8), st.integers(2, 5)).flatmap(
    lambda shape: st.tuples(
        arrays(np.int64, shape, elements=st.integers(0, 5)).map(lambda x: (x + 0.0) + 1e-3),
        arrays(np.int64, (shape[1], shape[1]), elements=st.integers(0, 4)),
    )
)


def costs(weights, k):
    """Return the disagreement of K classes, by name or at random."""
    x = np.arange(k, dtype=float)
    if isinstance(weights, np.random.Generator):
        matrix = weights.uniform(0, 3, (k, k))
        return matrix - np.diag(matrix.diagonal())
    return WEIGHTS[weights].disagreement(x[:, None], x, x[:1], x[-1:])


def problem(rng, n, k):
    """Draw class probabilities, some of them certain."""
    values = rng.dirichlet(np.full(k, rng.choice([0.2, 1.0, 4.0])), n)
    certain = rng.random(n) < 0.2
    values[certain] = np.eye(k)[rng.integers(k, size=certain.sum())]
    return values


def greatest(apart, by_chance):
    """Try all labelings that can be wrong by chance."""
    n, k = apart.shape
    labels = np.array(list(product(range(k), repeat=n)))
    observed = apart[np.arange(n), labels].sum(axis=1)
    expected = by_chance[labels].sum(axis=1)
    return (1 - observed[expected > 0] / expected[expected > 0]).max()


# --- Numerical truth ---------------------------------------------------------------------


@each("weights", [None, "linear", "quadratic", "radical", "costs"])
@each("with_prior", [False, True])
def test_no_labeling_is_better(weights, with_prior):
    """Of all K**N, in 60 problems of each sort: 600 in all."""
    rng = np.random.default_rng(11)
    for _ in range(60):
        n, k = int(rng.integers(1, 7)), int(rng.integers(2, 5))
        values = problem(rng, n, k)
        matrix = costs(rng if weights == "costs" else weights, k)
        prior = rng.dirichlet(np.ones(k)) if with_prior else values.mean(axis=0)
        apart, by_chance = values @ matrix, prior @ matrix
        if not (by_chance > 0).all():
            continue
        found = best_labels(apart, by_chance)
        assert_allclose(found.estimate, greatest(apart, by_chance), rtol=0, atol=1e-12)
        assert found.estimate == kappa_of_means(*means_of(apart, by_chance, found.labels))


def test_quadratic_weights_spread_the_expected_class_out():
    """The class nearest to mu + (E - mu) / kappa, on unequal steps too."""
    rng = np.random.default_rng(12)
    for _ in range(100):
        n, k = int(rng.integers(2, 60)), int(rng.integers(2, 8))
        values, scores = rng.dirichlet(np.ones(k), n), np.cumsum(rng.uniform(0.5, 2, k))
        matrix = np.subtract.outer(scores, scores) ** 2
        found = best_labels(values @ matrix, values.mean(axis=0) @ matrix)
        expected = values @ scores
        stretched = expected.mean() + (expected - expected.mean()) / found.estimate
        assert_array_equal(found.labels, abs(stretched[:, None] - scores).argmin(axis=1))


def test_without_weights_rare_classes_are_preferred():
    """The class with the greatest P - (1 - kappa) pi."""
    rng = np.random.default_rng(13)
    for _ in range(100):
        n, k = int(rng.integers(2, 60)), int(rng.integers(2, 8))
        values, prior = rng.dirichlet(np.ones(k), n), rng.dirichlet(np.ones(k))
        matrix = costs(None, k)
        found = best_labels(values @ matrix, prior @ matrix)
        assert_array_equal(found.labels, (values - (1 - found.estimate) * prior).argmax(axis=1))


# --- Laws --------------------------------------------------------------------------------


@some
@given(drawn=tables)
def test_a_constant_label_is_worth_nothing_so_that_the_best_is_worth_something(drawn):
    values, matrix = drawn[0] / drawn[0].sum(axis=1, keepdims=True), drawn[1] + 1.0
    np.fill_diagonal(matrix, 0)
    apart, by_chance = values @ matrix, values.mean(axis=0) @ matrix
    found = best_labels(apart, by_chance)
    assert -1e-12 <= found.estimate <= 1
    for label in range(len(matrix)):
        constant = np.full(len(values), label)
        assert_allclose(kappa_of_means(*means_of(apart, by_chance, constant)), 0, atol=1e-12)


@some
@given(drawn=tables, times=st.floats(0.01, 100))
def test_neither_the_unit_of_the_costs_nor_repeated_items_matter(drawn, times):
    values, matrix = drawn[0] / drawn[0].sum(axis=1, keepdims=True), drawn[1] + 1.0
    np.fill_diagonal(matrix, 0)
    prior = values.mean(axis=0)
    found = best_labels(values @ matrix, prior @ matrix).estimate
    scaled = times * matrix
    assert_allclose(best_labels(values @ scaled, prior @ scaled).estimate, found, atol=1e-12)
    twice = np.concatenate([values, values])
    assert_allclose(best_labels(twice @ matrix, prior @ matrix).estimate, found, atol=1e-12)


# --- Edges -------------------------------------------------------------------------------


def test_items_that_are_all_alike_get_the_label_that_costs_least():
    """Kappa is 0 whatever the labels are."""
    values, matrix = np.tile([0.5, 0.1, 0.4], (4, 1)), costs("quadratic", 3)
    found = best_labels(values @ matrix, values.mean(axis=0) @ matrix)
    assert found.labels.tolist() == [1, 1, 1, 1]
    assert_allclose(found.estimate, 0, atol=1e-15)


def test_certain_items_of_one_class():
    """No label can be wrong by chance, and none is."""
    values, matrix = np.eye(3)[[2, 2]], costs("linear", 3)
    found = best_labels(values @ matrix, values.mean(axis=0) @ matrix)
    assert found.labels.tolist() == [2, 2]
    assert np.isnan(found.estimate)


def test_a_prior_that_rules_out_what_is_certain():
    """Labels that chance would always get right are left alone, as others gain more."""
    values, matrix = np.eye(2)[[0, 0, 0]], costs(None, 2)
    found = best_labels(values @ matrix, np.array([0.0, 1.0]) @ matrix)
    assert found.labels.tolist() == [0, 0, 0]
    assert found.estimate == 1


def test_a_prior_under_which_no_label_beats_chance():
    """The greatest kappa is negative, and found all the same."""
    values, matrix = np.tile([0.5, 0.5], (3, 1)), costs(None, 2)
    by_chance = np.array([0.1, 0.9]) @ matrix
    uneven = by_chance * np.array([0.5, 0.5])
    found = best_labels(values @ matrix, uneven)
    assert_allclose(found.estimate, greatest(values @ matrix, uneven), atol=1e-15)
    assert found.estimate < 0


def test_a_label_that_chance_always_gets_right_but_the_items_do_not():
    """Its kappa is minus infinity; the search starts there and leaves."""
    apart, by_chance = np.array([[0.1, 0.9], [0.1, 0.9]]), np.array([0.0, 0.5])
    found = best_labels(apart, by_chance)
    assert_allclose(found.estimate, greatest(apart, by_chance))
    assert found.labels.tolist() != [0, 0]
