"""Tests of a judge against humans: SciPy's, the exact level, and simple cases by hand."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose
from scipy import stats

from pdkappa.methods.machine.alt_test import Wins, adjusted, exact_tests, t_test

seeds = st.integers(0, 2**32 - 1)


def wins(*columns):
    """Return the counts of some humans, each as items, judge, human."""
    return Wins(*np.array(columns, dtype=float).T[:, :, None])


@given(seeds)
def test_the_t_test_is_that_of_scipy(seed):
    rng = np.random.default_rng(seed)
    d = rng.integers(-1, 2, (5, rng.integers(3, 60)))
    d[:, :3] = -1, 0, 1
    judge, human = ((d == side).sum(axis=1) for side in (-1, 1))
    counts = wins(*zip(np.full(5, d.shape[1]), judge, human, strict=True))
    epsilon = float(rng.uniform(0, 0.5))
    expected = stats.ttest_1samp(d, epsilon, axis=1, alternative="less").pvalue
    assert_allclose(t_test(counts, epsilon)[:, 0], expected, rtol=1e-9)


def test_who_never_differs_is_beaten_and_who_always_wins_is_not():
    found = t_test(wins((40, 0, 0), (40, 40, 0), (40, 0, 40)), 0.1)
    assert found[:, 0].tolist() == [0.0, 0.0, 1.0]
    assert t_test(wins((40, 0, 0)), 0.0).item() == 1.0


@given(seeds)
def test_adjusted_p_values_are_those_of_scipy(seed):
    p = np.random.default_rng(seed).random((6, 3)) ** 3
    assert_allclose(adjusted(p), stats.false_discovery_control(p, axis=0, method="by"))
    p[2:4, 0] = p[0, 1] = np.nan
    found = adjusted(p)
    for column, own in zip(p.T, found.T, strict=True):
        known = ~np.isnan(column)
        expected = stats.false_discovery_control(column[known], method="by")
        assert_allclose(own[known], expected)
        assert np.isnan(own[~known]).all()


def test_the_exact_test_is_what_it_says():
    """Of seven items, by searching for the most likely and the least favourable distribution."""
    n, epsilon = 7, 0.15
    low = np.linspace(0, (1 - epsilon) / 2, 4001)
    shares = np.stack([low, low + epsilon, 1 - 2 * low - epsilon], axis=1)
    outcomes = [(i, j, n - i - j) for i in range(n + 1) for j in range(n + 1 - i)]
    chance = np.stack([stats.multinomial.pmf(one, n, np.abs(shares)) for one in outcomes])
    likely = low[chance.argmax(axis=1)]
    spread = np.sqrt(n * (2 * likely + epsilon - epsilon**2))
    score = np.array([(human - judge) - n * epsilon for judge, human, _ in outcomes]) / spread
    found = exact_tests(n, epsilon)
    for (judge, human, _), one in zip(outcomes, score, strict=True):
        expected = chance[score <= one + 1e-3].sum(axis=0).max()
        assert_allclose(found[judge, human], min(expected, 1), rtol=1e-3)


@pytest.mark.parametrize("epsilon", [0.0, 0.1, 0.2])
def test_the_exact_test_holds_its_level_whatever_the_share_of_ties(epsilon):
    """Of all outcomes of 11 items, by their probabilities under many true hypotheses."""
    n = 11
    p_value = exact_tests(n, epsilon)
    judge, human = np.nonzero(~np.isnan(p_value))
    for nearer in np.linspace(0, (1 - epsilon) / 2, 8):
        for extra in (0.0, 0.1, 0.4):
            other = min(nearer + epsilon + extra, 1 - nearer)
            shares = [nearer, other, max(1 - nearer - other, 0.0)]
            counts = np.stack([judge, human, n - judge - human], axis=1)
            chance = stats.multinomial(n, shares).pmf(counts)
            for level in (0.01, 0.05, 0.2):
                assert chance[p_value[judge, human] <= level].sum() <= level + 1e-4
