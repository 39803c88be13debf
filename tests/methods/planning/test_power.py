"""Families of tables, their spread, and the arithmetic of power."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose
from scipy import stats
from scipy.linalg import null_space

from conftest import each
from pdkappa.coefficients.chance import COEFFICIENTS, chance_corrected
from pdkappa.coefficients.pair_counts import PairCounts
from pdkappa.coefficients.weights import WEIGHTS, Scale
from pdkappa.methods.planning.power import (
    Binormal,
    CommonKappa,
    Effect,
    Mixture,
    WorstCase,
    binormal_table,
    influence_in,
    items_for_power,
    kappa_of_shares,
    power_of_items,
    spread_of,
)

some = settings(max_examples=20)
MIDDLE = np.array([0.1, 0.2, 0.4, 0.2, 0.1])
SKEWED = np.array([0.55, 0.2, 0.12, 0.08, 0.05])
weighted = each("weights", [None, "linear", "quadratic", "radical"])


def scale_of(weights, k=5):
    return Scale(WEIGHTS[weights], np.arange(1.0, k + 1)[None], np.ones((1, k), dtype=bool))


def spread_of_estimates(table, scale):
    """Return the standard error reported for a table, times the root of its items."""
    n = 1e6
    found = chance_corrected(PairCounts.from_tables(table * n), scale, COEFFICIENTS["cohen"])
    return found.se[0] * np.sqrt(n)


def shares(k):
    cells = st.lists(st.integers(1, 20), min_size=k, max_size=k)
    return cells.map(lambda values: np.array(values) / sum(values))


# --- Spread ------------------------------------------------------------------------------------


@weighted
def test_the_spread_is_that_of_the_estimates(weights):
    scale = scale_of(weights)
    for rho in (-0.5, 0, 0.7):
        table = binormal_table(MIDDLE, SKEWED, rho)
        assert_allclose(spread_of(table, scale), spread_of_estimates(table, scale), rtol=1e-10)


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


# --- Binormal ----------------------------------------------------------------------------------


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


@each("rho", [-0.9, 0.0, 0.6])
def test_two_halves(rho):
    """Sheppard's formula, 1899."""
    half = np.array([0.5, 0.5])
    expected = 0.25 + np.arcsin(rho) / (2 * np.pi)
    assert_allclose(binormal_table(half, half, rho)[0, 0], expected, rtol=1e-14)


@weighted
def test_the_correlation_gives_the_kappa(weights):
    family = Binormal(MIDDLE, SKEWED, scale_of(weights))
    low, high = family.reach
    for kappa in np.linspace(low, high, 9):
        assert_allclose(kappa_of_shares(family.at(kappa), family.scale), kappa, atol=1e-12)


# --- Mixtures ----------------------------------------------------------------------------------


@weighted
@each("ordered", [False, True])
def test_mixtures_keep_margins_and_reach_every_kappa(weights, ordered):
    scale = scale_of(weights)
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


def test_the_most_agreement():
    """In order, raters a step apart stay so; without order, they agree where they can."""
    row, col = np.array([0.5, 0.5, 0.0]), np.array([0.0, 0.5, 0.5])
    chance = np.outer(row, col)
    in_order, on_diagonal = (
        Mixture.around(chance, scale_of("quadratic", 3), ordered=ordered).tables[-1]
        for ordered in (True, False)
    )
    assert_allclose(in_order, [[0, 0.5, 0], [0, 0, 0.5], [0, 0, 0]])
    nominal = Mixture.around(chance, scale_of(None, 3), ordered=False).tables[-1]
    assert_allclose(nominal, [[0, 0, 0.5], [0, 0.5, 0], [0, 0, 0]])
    assert_allclose(on_diagonal.sum(axis=1), row)


def test_nominal_tables_are_those_of_a_common_kappa():
    margin = np.array([0.5, 0.3, 0.2])
    chance = np.outer(margin, margin)
    family = Mixture.around(chance, scale_of(None, 3), ordered=False)
    assert_allclose(family.at(0.4), 0.6 * chance + 0.4 * np.diag(margin))


def test_a_weighting_under_which_all_tables_are_alike():
    """Where only what both raters never use would count, kappa is the same in every table."""
    family = Mixture([0.25], [np.full((2, 2), 0.25)])
    assert family.reach == (0.25, 0.25)
    assert_allclose(family.at(0.25), 0.25)


# --- The worst case ----------------------------------------------------------------------------


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
    scale = scale_of(weights)
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


@weighted
def test_the_worst_table_has_the_margins_and_the_kappa(weights):
    worst = WorstCase(MIDDLE, SKEWED, scale_of(weights))
    low, high = worst.reach
    for kappa in np.linspace(low, high, 7):
        table = worst.at(kappa)
        assert_allclose(kappa_of_shares(table, worst.scale), kappa, atol=1e-6)
        assert_allclose(table.sum(axis=1), MIDDLE, atol=1e-7)
        assert_allclose(table.sum(axis=0), SKEWED, atol=1e-7)


@each("weights", ["linear", "quadratic"])
def test_the_largest_kappa_of_all_tables_is_binormal(weights):
    row, col, scale = MIDDLE, SKEWED, scale_of(weights)
    assert_allclose(WorstCase(row, col, scale).reach, Binormal(row, col, scale).reach, atol=1e-4)


# --- Several raters ----------------------------------------------------------------------------


@each("n_raters", [2, 3, 5])
@each("kappa", [-0.01, 0.0, 0.4])
def test_votes_by_counting_all_ratings(n_raters, kappa):
    p, expected = 0.3, np.zeros(n_raters + 1)
    for ratings in product([0, 1], repeat=n_raters):
        by_chance = np.prod([p if one else 1 - p for one in ratings])
        alike = p * (sum(ratings) == n_raters) + (1 - p) * (sum(ratings) == 0)
        expected[sum(ratings)] += (1 - kappa) * by_chance + kappa * alike
    assert_allclose(CommonKappa(p, n_raters).votes(kappa), expected, rtol=1e-12)


@some
@given(share=st.floats(0.02, 0.98), n_raters=st.integers(2, 30), kappa=st.floats(-0.9, 0.99))
def test_votes_within_reach(share, n_raters, kappa):
    family = CommonKappa(share, n_raters)
    low, high = family.reach
    within = low <= kappa <= high
    votes = family.votes(kappa)
    assert votes.sum() == pytest.approx(1)
    if abs(kappa - low) > 1e-6:
        assert (votes.min() >= -1e-15) == within
    if within:
        assert_allclose(kappa_of_shares(family.at(kappa), scale_of(None, 2)), kappa, atol=1e-9)


def test_very_many_raters():
    assert 0 < CommonKappa(0.01, 1000).distance(0.6, 0.4) < 1


# --- Power -------------------------------------------------------------------------------------

effects = st.builds(
    Effect, st.floats(0.01, 2), st.floats(0.1, 3), st.one_of(st.just(0.0), st.floats(0.1, 3))
)


@given(effect=effects, power=st.floats(0.01, 0.99), quantile=st.floats(0.1, 3))
def test_items_and_power_are_inverse(effect, power, quantile):
    n = items_for_power(effect, quantile, power)
    assert power_of_items(effect, quantile, n * (1 + 1e-9)) >= power - 1e-6
    if n > 0 and effect.under_truth > 0:
        assert_allclose(power_of_items(effect, quantile, n), power, rtol=1e-6)


@given(delta=st.floats(2, 4))
def test_goodness_of_fit_has_the_power_of_a_noncentral_chi_squared(delta):
    """But for a rejection on the wrong side, which is rare."""
    quantile = stats.norm.ppf(0.975)
    expected = stats.ncx2.sf(quantile**2, 1, delta**2)
    assert_allclose(power_of_items(Effect(delta, 1.0, 1.0), quantile, 1), expected, atol=1e-4)


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


def test_the_power_of_the_numbers_of_kappa_size():
    """Its search stops where the power is within 1e-5 of the one asked for."""
    cases = [(0.3, 2, 0.4, 0.6, 0.8, 190.456402398022), (0.5, 4, 0.4, 0.6, 0.9, 85.5630288693584)]
    cases.append((0.2, 3, 0.6, 0.8, 0.8, 121.099694560481))
    for share, n_raters, null, kappa, power, n in cases:
        effect = Effect(CommonKappa(share, n_raters).distance(kappa, null), 1.0, 1.0)
        assert_allclose(power_of_items(effect, stats.norm.ppf(0.975), n), power, atol=1e-5)
