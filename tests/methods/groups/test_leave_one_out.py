"""Means without each group: those that a loop finds, without the loop."""

from __future__ import annotations

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose

from conftest import each
from pdkappa.coefficients import means_over_groups as pooling
from pdkappa.methods.groups import strata as leave_one_out

LEVEL = 0.95


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
