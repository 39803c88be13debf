"""Means without each group: those that a loop finds, without the loop."""

from __future__ import annotations

import warnings

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose

from conftest import each
from pdkappa.coefficients import means_over_groups as pooling
from pdkappa.methods.groups import strata as leave_one_out

LEVEL = 0.95
MOST_CALLS = 20


def in_a_loop(pool, *groups):
    """Pool the figures of all groups but one, for each of them."""
    places = range(len(groups[0]))
    return np.array([pool(*(np.delete(figure, place) for figure in groups)) for place in places])


def random_effect(method):
    def pool(z, se):
        tau2 = pooling.TAU2[method](z, se)
        return pooling.random_effects(z, se, tau2, level=LEVEL).estimate

    return pool


def fixed_effect(z, se):
    return pooling.fixed_effect(z, se, level=LEVEL).estimate


@st.composite
def effects(draw, fewest=0):
    """Draw z and standard errors: alike or far apart, sometimes one of next to no error."""
    n = draw(st.integers(fewest, 30))
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    z = rng.normal(draw(st.integers(-4, 4)) / 2, draw(st.sampled_from([0, 0.01, 1])), n)
    se = np.exp(rng.normal(-1, draw(st.sampled_from([0, 0.1, 1])), n))
    if n and draw(st.booleans()):
        se[0] *= draw(st.sampled_from([1e-3, 1e3]))
        z[0] += draw(st.sampled_from([0, 3]))
    return z, se


@settings(max_examples=200)
@given(groups=effects())
def test_means_of_effects_are_those_of_a_loop(groups):
    found = leave_one_out.fixed_effects_without(*groups)
    assert_allclose(found, in_a_loop(fixed_effect, *groups), rtol=0, atol=1e-12)
    for method in pooling.TAU2:
        found = leave_one_out.random_effects_without(*groups, method)
        expected = in_a_loop(random_effect(method), *groups)
        assert_allclose(found, expected, rtol=0, atol=tolerance(method, groups))


def tolerance(method, groups):
    """Allow for the digits that the moments of Q lose where one group outweighs all others."""
    apart = np.ptp(np.log(groups[1])) if len(groups[1]) else 0.0
    return 1e-8 if method == "dersimonian_laird" and apart > 5 else 1e-12


@each("method", pooling.TAU2)
@settings(max_examples=200)
@given(groups=effects(fewest=3))
def test_tau2_is_that_of_a_loop(method, groups):
    found = leave_one_out.TAU2_WITHOUT_EACH[method](*groups)
    expected = in_a_loop(pooling.TAU2[method], *groups)
    slack = 1e3 * tolerance(method, groups)
    assert_allclose(found, expected, rtol=slack, atol=slack * groups[1].max() ** 2)


@each("method", pooling.TAU2)
def test_a_group_of_next_to_no_error_takes_no_digits_from_tau2(method):
    """Its weight is 1e10 of the others': squares about any other point would drown them."""
    se = np.array([2.32913110e-05, 0.592383432, 2.93602729])
    z = np.array([3.48951993, 0.50874657, 0.49302394])
    found = leave_one_out.TAU2_WITHOUT_EACH[method](z, se)
    assert_allclose(found, in_a_loop(pooling.TAU2[method], z, se), rtol=1e-6)


@settings(max_examples=200)
@given(data=st.data(), clip=st.sampled_from([pooling.FISHER_CAP, None]))
def test_means_of_the_scorer_are_those_of_a_loop(data, clip):
    n = data.draw(st.integers(0, 12))
    kappa = st.floats(-1, 1) | st.sampled_from([np.nan, 1.0, -1.0])
    weight = st.floats(0, 10) | st.sampled_from([1e-300, 1e-5, 1e300])
    estimates, weights = (
        np.array(data.draw(st.lists(one, min_size=n, max_size=n)), dtype=float)
        for one in (kappa, weight)
    )

    def pool(estimate, weight):
        return pooling.weighted_fisher_mean(estimate, weight, clip=clip).estimate

    found = leave_one_out.fisher_means_without(estimates, weights, clip=clip)
    assert_allclose(found, in_a_loop(pool, estimates, weights), rtol=0, atol=1e-12)


@each("method", pooling.TAU2)
def test_many_groups_take_few_sums(method, monkeypatch):
    """The number of sums does not grow with that of the groups, and a sample of them is right."""
    calls, add_up = [], leave_one_out.without_each

    def counted(values):
        calls.append(values.shape)
        return add_up(values)

    rng = np.random.default_rng(0)
    n = 20_000
    z, se = rng.normal(0.8, 0.3, n), np.exp(rng.normal(-1.5, 0.5, n))
    with monkeypatch.context() as patch:
        patch.setattr(leave_one_out, "without_each", counted)
        found = leave_one_out.random_effects_without(z, se, method)
    assert len(calls) <= MOST_CALLS * leave_one_out.TERMS
    for place in (0, 7, n - 1):
        rest = np.delete(z, place), np.delete(se, place)
        assert found[place] == pytest.approx(random_effect(method)(*rest), rel=0, abs=1e-12)


def test_sums_without_each():
    assert leave_one_out.without_each(np.array([1.0, 2.0, 4.0])).tolist() == [6, 5, 3]
    assert leave_one_out.without_each(np.array([1e300, 1e-300])).tolist() == [1e-300, 1e300]
    assert leave_one_out.without_each(np.array([5.0])).tolist() == [0]
    assert leave_one_out.without_each(np.empty((2, 0))).shape == (2, 0)


def test_nothing_is_warned_of_at_the_edges():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        for n in range(4):
            same = np.full(n, 0.5)
            for method in pooling.TAU2:
                found = leave_one_out.random_effects_without(same, same, method)
                assert_allclose(found, np.tanh(same) if n > 1 else np.full(n, np.nan), rtol=1e-12)
            assert np.isnan(
                leave_one_out.fisher_means_without(same * np.nan, same, clip=None)
            ).all()
