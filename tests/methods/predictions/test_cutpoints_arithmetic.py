"""Exact cut-points: brute force over all monotone assignments, and no way to better them."""

from __future__ import annotations

from itertools import combinations_with_replacement

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal

from conftest import each
from pdkappa.methods.predictions import cutpoint_search as core
from pdkappa.methods.predictions.cutpoint_search import (
    Costs,
    Scored,
    cuts_at,
    exact_ends,
    kappa_of,
    profile,
)

KINDS = ("quadratic", "linear", "nominal", "asymmetric")
every_kind = each("kind", KINDS)


def costs_of(kind, scores, rng):
    """Disagreement of every two classes; the asymmetric one is drawn."""
    apart = scores[:, None] - scores
    k = len(scores)
    if kind == "asymmetric":
        return Costs(rng.random((k, k)) * (1 - np.eye(k)))
    matrix = {"quadratic": apart**2, "linear": np.abs(apart), "nominal": 1.0 - np.eye(k)}[kind]
    return Costs(matrix, scores if kind == "quadratic" else None)


def kappa(truth, predicted, weight, matrix):
    """Kappa from the definition, pair of items by pair of items."""
    observed = (weight * matrix[truth, predicted]).sum() / weight.sum()
    together = weight[:, None] * weight
    expected = (together * matrix[np.ix_(truth, predicted)]).sum() / together.sum()
    return 1 - observed / expected if expected > 0 else -np.inf


def problem(rng, kind):
    """Few items with ties, weights and uneven scores of the classes."""
    n, k = rng.integers(2, 10), rng.integers(2, 5)
    score = rng.integers(0, rng.integers(2, 12), n).astype(float)
    truth = rng.integers(0, k, n)
    truth[:2] = rng.permutation(k)[:2]
    weight = rng.integers(1, 5, n).astype(float) if rng.random() < 0.5 else rng.random(n) + 0.1
    gaps = rng.random(k) + 0.1 if rng.random() < 0.5 else np.ones(k)
    return score, truth, weight, costs_of(kind, np.cumsum(gaps), rng)


def large(rng, n=1500, k=5, noise=0.8):
    """Draw many items whose scores follow their classes."""
    z = rng.normal(size=n)
    truth = np.clip(np.round(z * 1.2 + (k - 1) / 2), 0, k - 1).astype(int)
    return np.round(z + noise * rng.normal(size=n), 3), truth


def best(items, costs):
    """Kappa of the exact cuts."""
    return kappa_of(items.table(items.predicted(exact_ends(items, costs))), costs)


# --- brute force -------------------------------------------------------------------------------


@every_kind
def test_no_monotone_assignment_is_better(kind):
    """150 problems of each kind, 600 together."""
    rng = np.random.default_rng([1, *kind.encode()])
    for _ in range(150):
        score, truth, weight, costs = problem(rng, kind)
        k = len(costs.matrix)
        values, group = np.unique(score, return_inverse=True)
        most = max(
            kappa(truth, np.searchsorted(ends, group, side="right"), weight, costs.matrix)
            for ends in combinations_with_replacement(range(len(values) + 1), k - 1)
        )
        items = Scored.of(score, truth, weight, k)
        ends = exact_ends(items, costs)
        assert abs(best(items, costs) - most) <= 1e-12
        predicted = np.searchsorted(cuts_at(ends, values, values), score, side="right")
        assert abs(kappa(truth, predicted, weight, costs.matrix) - most) <= 1e-12


def test_the_closed_form_is_the_chain():
    """Squared distances have both, of uneven scores and many classes, too."""
    rng = np.random.default_rng(2)
    for k in (2, 3, 6, 20, 61):
        score, truth = large(rng, k=k)
        scores = np.cumsum(rng.random(k) + 0.1)
        items = Scored.of(score, truth, rng.random(len(score)) + 0.01, k)
        squared = (scores[:, None] - scores) ** 2
        closed, chain = best(items, Costs(squared, scores)), best(items, Costs(squared))
        assert abs(closed - chain) <= 1e-12


# --- the certificate ---------------------------------------------------------------------------


# --- laws --------------------------------------------------------------------------------------


@given(seed=st.integers(0, 10**6))
@every_kind
def test_laws(kind, seed):
    """Order of the items, repeated items, monotone scores and scaled costs change nothing."""
    rng = np.random.default_rng(seed)
    score, truth, weight, costs = problem(rng, kind)
    k = len(costs.matrix)
    items = Scored.of(score, truth, weight, k)
    found = best(items, costs)
    assert -1e-12 <= found <= 1
    order = rng.permutation(len(score))
    again = Scored.of(score[order], truth[order], weight[order], k)
    assert_array_equal(exact_ends(again, costs), exact_ends(items, costs))
    for other in (
        Scored.of(np.exp(score) - 7, truth, weight, k),
        Scored.of(np.tile(score, 3), np.tile(truth, 3), np.tile(weight, 3), k),
        Scored.of(score, truth, 8 * weight, k),
    ):
        assert_allclose(best(other, costs), found, atol=1e-12)
    scaled = Costs(4 * costs.matrix, None if costs.scores is None else 2 * costs.scores + 1)
    assert_allclose(best(items, scaled), found, atol=1e-12)


@every_kind
def test_costs_that_are_computed_again_each_time_are_the_same(kind):
    rng = np.random.default_rng([6, *kind.encode()])
    score, truth = large(rng)
    costs = Costs(costs_of(kind, np.arange(5.0), rng).matrix)
    items = Scored.of(score, truth, rng.integers(1, 4, len(score)).astype(float), 5)
    ends = exact_ends(items, costs)
    step = core._steps(items, costs)
    kept = [step(j) for j in range(4)]
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(core, "MOST_CELLS", 0)
        assert_allclose([core._steps(items, costs)(j) for j in range(4)], kept, atol=1e-9)
        assert_array_equal(exact_ends(items, costs), ends)


# --- edges -------------------------------------------------------------------------------------


# --- cuts as floats ----------------------------------------------------------------------------

TINY = np.finfo(float).smallest_subnormal
HUGE = np.finfo(float).max


@each(
    ("low", "high"),
    [
        (1.0, np.nextafter(1.0, 2.0)),
        (np.nextafter(1.0, 0.0), 1.0),
        (0.0, TINY),
        (-TINY, 0.0),
        (-HUGE, HUGE),
        (HUGE / 2, HUGE),
        (2.0**60, 2.0**60 + 256),
        (0.0, 1.0),
    ],
)
def test_a_cut_separates_any_two_floats(low, high):
    cut = cuts_at(np.array([1]), np.array([low, high]), np.array([low, high]))
    assert low < cut <= high
    assert_array_equal(np.searchsorted(cut, [low, high], side="right"), [0, 1])


# --- profile -----------------------------------------------------------------------------------


@every_kind
def test_the_profile_is_kappa_with_one_cut_moved(kind):
    rng = np.random.default_rng([9, *kind.encode()])
    score, truth = large(rng, n=120)
    costs = costs_of(kind, np.arange(5.0), rng)
    items = Scored.of(score, truth, np.ones(len(score)), 5)
    ends = exact_ends(items, costs)
    cuts = cuts_at(ends, items.score, items.score)
    for j in range(4):
        places, found = profile(items, costs, cuts, j)
        assert (np.diff(places) > 0).all()
        assert_array_equal(places[[0, -1]], [-np.inf, *cuts, np.inf][j : j + 3 : 2])
        assert cuts[j] in places
        assert np.nanmax(found) <= best(items, costs) + 1e-12
        for place, value in zip(places, found, strict=True):
            moved = np.where(np.arange(4) == j, place, cuts)
            table = items.table(items.predicted(items.ends(moved)))
            assert_allclose(value, kappa_of(table, costs), atol=1e-12)
