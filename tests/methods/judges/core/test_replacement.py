"""Tests of a judge against humans: SciPy's, the exact level, and simple cases by hand."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose
from scipy import stats

from pdkappa.methods.judges.core.alignment import Wins
from pdkappa.methods.judges.core.replacement import adjusted, exact_test, replacement, t_test

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


def test_the_exact_test_in_simple_cases():
    """The judge is always nearer; neither ever is; one item that tells nothing."""
    assert_allclose(exact_test(6, -6, 0.2), 0.4**6, rtol=1e-9)
    assert_allclose(exact_test(3, 3, 0.2), 1.0)
    for n in (1, 5, 12):
        ties = exact_test(n, 0, 0.2)
        assert ties >= 0.8**n - 1e-12
        assert_allclose(exact_test(1, 0, 0.2), 0.8)


@pytest.mark.parametrize("epsilon", [0.0, 0.1, 0.2])
def test_the_exact_test_holds_its_level_whatever_the_share_of_ties(epsilon):
    """Of all outcomes of 11 items, by their probabilities under many hypotheses."""
    n = 11
    p_value = {total: exact_test(n, total, epsilon) for total in range(-n, n + 1)}
    assert np.all(np.diff(list(p_value.values())) >= -1e-9)
    for judge in np.linspace(0, (1 - epsilon) / 2, 8):
        for extra in (0.0, 0.1):
            human = min(judge + epsilon + extra, 1 - judge)
            step = np.array([judge, max(1 - judge - human, 0.0), human])
            chance = np.ones(1)
            for _ in range(n):
                chance = np.convolve(chance, step)
            for level in (0.01, 0.05, 0.2):
                below = [p <= level for p in p_value.values()]
                assert chance[below].sum() <= level + 1e-9


def test_few_items_are_tested_exactly_and_left_out_beside_many():
    both = replacement(wins((29, 20, 1), (30, 20, 1)), 0.2, 10)
    assert both.exact[:, 0].tolist() == [True, False]
    assert_allclose(both.p_value[0, 0], exact_test(29, -19, 0.2))
    beside = replacement(wins((29, 20, 1), (30, 20, 1)), 0.2, 30)
    assert beside.tested[:, 0].tolist() == [False, True]
    assert np.isnan([beside.p_value[0, 0], beside.p_adjusted[0, 0]]).all()
    alone = replacement(wins((29, 20, 1), (0, 0, 0)), 0.2, 30)
    assert alone.tested[:, 0].tolist() == [True, False]
