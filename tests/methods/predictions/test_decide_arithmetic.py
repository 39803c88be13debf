"""Labels from class probabilities: against all labelings there are, and the closed forms."""

from __future__ import annotations

from itertools import product

import numpy as np
from hypothesis import settings
from numpy.testing import assert_allclose

from conftest import each
from pdkappa.coefficients.weights import WEIGHTS
from pdkappa.methods.predictions.decide import best_labels, kappa_of_means, means_of

some = settings(max_examples=60)

# A row for each item of how likely each class is, up to a constant; then whole-numbered costs.


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


# --- Laws --------------------------------------------------------------------------------


# --- Edges -------------------------------------------------------------------------------


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
