"""Families of tables, their spread, and the arithmetic of power."""

from itertools import product

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy import stats
from scipy.linalg import null_space

from conftest import each, scale_of
from pdkappa.coefficients.chance import COEFFICIENTS, chance_corrected
from pdkappa.coefficients.pair_counts import PairCounts
from pdkappa.methods.planning.power import (
    CommonKappa,
    Effect,
    Mixture,
    WorstCase,
    binormal_table,
    influence_in,
    items_for_power,
    kappa_of_shares,
    spread_of,
)

MIDDLE = np.array([0.1, 0.2, 0.4, 0.2, 0.1])
SKEWED = np.array([0.55, 0.2, 0.12, 0.08, 0.05])
weighted = each("weights", [None, "linear", "quadratic", "radical"])


def spread_of_estimates(table, scale):
    """Return the standard error reported for a table, times the root of its items."""
    n = 1e6
    found = chance_corrected(PairCounts.from_tables(table * n), scale, COEFFICIENTS["cohen"])
    return found.se[0] * np.sqrt(n)


@weighted
def test_the_influence_of_an_empty_cell(weights):
    """The derivative of kappa as one more item falls into the cell."""
    table = np.array([[0.4, 0.1, 0.0], [0.0, 0.2, 0.1], [0.0, 0.0, 0.2]])
    scale, step = scale_of(weights, 3), 1e-6
    kappa, influence = influence_in(table, scale)
    for cell in np.ndindex(3, 3):
        one = np.zeros((3, 3))
        one[cell] = 1
        moved = kappa_of_shares((1 - step) * table + step * one, scale)
        assert_allclose(influence[cell], (moved - kappa) / step, atol=1e-4)


@each("rho", [-0.97, -0.4, 0, 0.3, 0.8, 0.999])
@each("col", [MIDDLE, SKEWED, np.array([0.25, 0.25, 0.0, 0.5, 0.0])])
def test_cells_are_rectangles_of_two_normal_variables(rho, col):
    """One of the cuts is at zero in both variables; some categories are empty."""
    row = np.array([0.2, 0.3, 0.25, 0.25, 0.0])
    table = binormal_table(row, col, rho)
    normal, cov = stats.multivariate_normal, [[1, rho], [rho, 1]]
    cuts = [np.clip(stats.norm.ppf(np.cumsum(one)[:-1]), -9, 9) for one in (row, col)]
    below = [
        [normal.cdf([h, k], cov=cov, abseps=1e-12, releps=1e-12) for k in cuts[1]] for h in cuts[0]
    ]
    assert_allclose(table.cumsum(axis=0).cumsum(axis=1)[:-1, :-1], below, atol=1e-8)
    assert_allclose(table.sum(axis=1), row, atol=1e-15)
    assert_allclose(table.sum(axis=0), col, atol=1e-15)


@weighted
@each("ordered", [False, True])
def test_mixtures_keep_margins_and_reach_every_kappa(weights, ordered):
    scale = scale_of(weights, 5)
    table = binormal_table(MIDDLE, SKEWED, 0.4)
    family = Mixture.around(table, scale, ordered=ordered)
    assert_allclose(family.at(kappa_of_shares(table, scale)), table)
    low, high = family.reach
    assert low < 0
    for kappa in np.linspace(low, high, 9):
        found = family.at(kappa)
        assert_allclose(kappa_of_shares(found, scale), kappa, atol=1e-12)
        assert_allclose(found.sum(axis=1), MIDDLE)
        assert_allclose(found.sum(axis=0), SKEWED)
    assert family.at(low).min() == pytest.approx(0, abs=1e-15)


def neighbours(table, scale, rng, n):
    """Walk at random among the tables with the same margins and kappa."""
    k = len(table)
    sums = [np.kron(np.eye(k), np.ones(k)), np.kron(np.ones(k), np.eye(k))]
    free = null_space(np.concatenate([*sums, scale.matrix().reshape(1, -1)]))
    place = table.reshape(-1)
    for _ in range(n):
        way = free @ rng.normal(size=free.shape[1])
        way[np.abs(way) < 1e-12] = 0
        room = (place[way < 0] / -way[way < 0]).min()
        place = np.maximum(place + rng.uniform() * room * way, 0)
        yield place.reshape(k, k)


@weighted
@each("kappa", [-0.1, 0.1, 0.3])
def test_no_table_has_a_larger_spread(weights, kappa):
    scale = scale_of(weights, 5)
    worst = WorstCase(MIDDLE, SKEWED, scale)
    largest = spread_of(worst.at(kappa), scale)
    disagreement = (1 - kappa) * MIDDLE @ scale.matrix() @ SKEWED
    rng = np.random.default_rng(1988)
    corners = [worst._least(rng.normal(size=(5, 5)), disagreement) for _ in range(20)]
    found = []
    for table in neighbours(np.mean(corners, axis=0), scale, rng, 150):
        assert_allclose(kappa_of_shares(table, scale), kappa, atol=1e-7)
        found.append(spread_of_estimates(table, scale))
    assert max(found) <= largest * (1 + 1e-6)
    corner = max(spread_of_estimates(table, scale) for table in corners)
    assert max(found) < corner <= largest * (1 + 1e-6)


@each("n_raters", [2, 3, 5])
@each("kappa", [-0.01, 0.0, 0.4])
def test_votes_by_counting_all_ratings(n_raters, kappa):
    p, expected = 0.3, np.zeros(n_raters + 1)
    for ratings in product([0, 1], repeat=n_raters):
        by_chance = np.prod([p if one else 1 - p for one in ratings])
        alike = p * (sum(ratings) == n_raters) + (1 - p) * (sum(ratings) == 0)
        expected[sum(ratings)] += (1 - kappa) * by_chance + kappa * alike
    assert_allclose(CommonKappa(p, n_raters).votes(kappa), expected, rtol=1e-12)


def test_the_formula_of_cantor_with_a_negative_cell():
    """R irr 0.84.1, N.cohen.kappa(.3, .4, k1=.8, k0=.6, power=.9): a kappa that cannot be."""
    row, col, spreads = np.array([0.3, 0.7]), np.array([0.4, 0.6]), []
    chance = np.outer(row, col)
    for kappa in (0.6, 0.8):
        more = kappa * (1 - np.trace(chance)) / 2
        table = chance + more * np.array([[1, -1], [-1, 1]])
        assert kappa_of_shares(table, scale_of(None, 2)) == pytest.approx(kappa)
        spreads.append(spread_of(table, scale_of(None, 2)))
    assert table.min() < 0
    effect = Effect(0.2, *spreads)
    assert np.ceil(items_for_power(effect, stats.norm.ppf(0.95), 0.9)) == 114
