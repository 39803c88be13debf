"""All figures of a pair together: blocks, groups with their own scales, and reasons."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from numpy.testing import assert_allclose, assert_array_equal

from conftest import each
from pdkappa.coefficients import pair_counts as counts_module
from pdkappa.coefficients import pair_estimates as summary_module
from pdkappa.coefficients.chance import COEFFICIENTS, smoothed
from pdkappa.coefficients.pair_counts import PairCounts
from pdkappa.coefficients.pair_estimates import EVERY_FIGURE, summarise, with_errors_of_pairs
from pdkappa.coefficients.rating_rows import taken
from pdkappa.coefficients.weights import WEIGHTS, Scale

every_coefficient = each("coefficient", COEFFICIENTS)
every_weighting = each("weights", WEIGHTS)
few = settings(max_examples=4)

# Six tables: two pairs of raters in three groups.
stacks = arrays(np.int64, (6, 3, 3), elements=st.integers(0, 6))
UNLIKE = np.array([[[3, 1, 0], [2, 4, 1], [0, 1, 5]], [[2, 0, 0], [0, 3, 0], [0, 0, 1]]])


def scale_of(weights, in_use=None):
    """Return the scale 1, 2, 4, or the scales of groups that use some of it."""
    in_use = np.ones((1, 3), dtype=bool) if in_use is None else in_use
    scores = np.array([[1.0, 2.0, 4.0]])
    if WEIGHTS[weights].ranks:
        scores = np.cumsum(in_use, axis=1, dtype=float)
    return Scale(WEIGHTS[weights], scores, in_use)


def summary(coefficient, weights, stack, in_use=None, *, ci="fisher"):
    """Summarise a stack of tables."""
    counts, scale = PairCounts.from_tables(np.asarray(stack)), scale_of(weights, in_use)
    return summarise(counts, scale, COEFFICIENTS[coefficient], ci=ci, level=0.95)


def assert_same(found, expected):
    """Compare every figure of two summaries; a null error of zero is a rounding error."""
    for name in EVERY_FIGURE:
        one, other = getattr(found, name), getattr(expected, name)
        if name == "reason":
            assert_array_equal(one, other)
        elif name not in ("z", "p_value"):
            assert_allclose(one, other, rtol=1e-7, atol=1e-7, err_msg=name)


# --- Laws --------------------------------------------------------------------------------


@few
@given(stack=stacks, block=st.integers(1, 12), in_use=arrays(np.bool_, (3, 3)))
@every_coefficient
@every_weighting
def test_blocks_do_not_show(coefficient, weights, stack, block, in_use):
    """However many tables are worked on at a time, each group keeps its own scale."""
    in_use = in_use.copy()
    in_use[:, [0, 2]] |= ~in_use.any(axis=1, keepdims=True)
    stack = stack * np.repeat(in_use[:, :, None] & in_use[:, None, :], 2, axis=0)
    whole = summary(coefficient, weights, stack, in_use)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(counts_module, "BLOCK", block)
        assert_same(summary(coefficient, weights, stack, in_use), whole)
    for number, used in enumerate(np.repeat(in_use, 2, axis=0)):
        alone = summary(coefficient, weights, stack[number : number + 1], used[None])
        assert_same(whole.at(slice(number, number + 1)), alone)


# --- Numerical truth ---------------------------------------------------------------------


@few
@given(stack=stacks)
@every_coefficient
@every_weighting
def test_the_error_of_fisher_z_is_the_delta_method(coefficient, weights, stack):
    """And that of the smoothed table where the standard error is zero."""
    found = summary(coefficient, weights, stack)
    inside = (abs(found.estimate) < 1) & (found.se > 0)
    expected = found.se[inside] / (1 - found.estimate[inside] ** 2)
    assert_allclose(found.se_fisher_z[inside], expected, rtol=1e-12)
    own = COEFFICIENTS[coefficient]
    kappa, se = smoothed(PairCounts.from_tables(stack), scale_of(weights), own)
    exact = (found.se == 0) & (abs(kappa) < 1)
    assert_allclose(found.centre[exact], kappa[exact], rtol=1e-12)
    expected = se[exact] / (1 - kappa[exact] ** 2)
    assert_allclose(found.se_fisher_z[exact], expected, rtol=1e-12)
    assert (found.se_fisher_z[exact] > 0).all()
    assert np.isnan(found.se_fisher_z[~inside & ~exact]).all()


# --- Edges -------------------------------------------------------------------------------


TABLES = {
    "": [[5, 1, 0], [0, 4, 2], [1, 0, 3]],
    "constant_rater": [[5, 1, 2], [0, 0, 0], [0, 0, 0]],
    "constant_ratings": [[5, 0, 0], [0, 0, 0], [0, 0, 0]],
    "n_lt_2": [[0, 1, 0], [0, 0, 0], [0, 0, 0]],
    "no_joint_items": np.zeros((3, 3), dtype=int),
}


@every_weighting
def test_reasons(weights):
    found = summary("cohen", weights, list(TABLES.values()))
    assert found.reason.tolist() == list(TABLES)
    assert_array_equal(np.isnan(found.estimate), [False, False, True, False, True])
    assert_array_equal(np.isnan(found.se), [False, True, True, True, True])
    assert_array_equal(np.isnan(found.max_estimate), [False, False, True, False, True])


@every_coefficient
@every_weighting
def test_a_reason_for_whatever_is_undefined(coefficient, weights):
    found = summary(coefficient, weights, list(TABLES.values()))
    for name in ("estimate", "se", "ci_low", "ci_high", "max_estimate"):
        assert (found.reason[np.isnan(getattr(found, name))] != "").all(), name
    if COEFFICIENTS[coefficient].tested:
        assert_array_equal(found.reason != "", np.isnan(found.z) | np.isnan(found.se))


@every_weighting
def test_alpha_of_no_more_than_one_rating_has_too_few_items(weights):
    """A second rating cannot be drawn: the ratings are not constant for that."""
    tables = 0.1 * np.array([[[1, 2, 0], [0, 1, 0], [0, 0, 1]], [[5, 0, 0], [0] * 3, [0] * 3]])
    assert summary("krippendorff", weights, tables).reason.tolist() == ["n_lt_2", "n_lt_2"]
    for coefficient in sorted({*COEFFICIENTS} - {"krippendorff", "percent"}):
        reasons = summary(coefficient, weights, tables).reason.tolist()
        assert reasons[0] == "n_lt_2"
        chance_is_shares = coefficient in ("cohen", "scott")
        assert reasons[1] == ("constant_ratings" if chance_is_shares else "n_lt_2")


def test_clusters_among_which_nothing_varies():
    """Perfect agreement: the test rests on a pseudo-item."""
    alone = summary("cohen", None, [np.diag([3, 2, 4])])
    assert (alone.reason, alone.z > 0) == ("", True)
    zero, units = np.zeros(1), np.array([4.0])
    own = {"ci": "fisher", "level": 0.95}
    found = with_errors_of_pairs(alone, zero, units, COEFFICIENTS["cohen"], **own)
    assert 0 < found.z < alone.z
    assert found.reason == [""]
    own["ci"] = "wald"
    none = with_errors_of_pairs(alone, zero, units, COEFFICIENTS["cohen"], **own)
    assert np.isnan(none.z)
    assert none.reason == ["no_variance"]
    again = with_errors_of_pairs(none, zero + 0.1, units, COEFFICIENTS["cohen"], **own)
    assert again.z == 10
    assert again.reason == [""]


@few
@given(table=arrays(np.int64, (2, 3), elements=st.integers(1, 9), fill=st.nothing()))
def test_one_rater_never_below_the_other(table):
    """Whoever rates what, the mean distance is that of the means: chance is not rejected."""
    both = np.zeros((5, 5), dtype=int)
    both[:2, 2:] = table
    scale = Scale(WEIGHTS["linear"], np.array([[0, 1, 3, 5, 6.0]]), np.ones((1, 5), dtype=bool))
    found = summarise(
        PairCounts.from_tables(both), scale, COEFFICIENTS["cohen"], ci="fisher", level=0.95
    )
    assert_allclose(found.estimate, 0, atol=1e-12)
    assert found.p_value > 0.5


@each("bias", [0, 10, 1e3, 1e4, 1e5, 1e7])
def test_a_test_across_a_great_distance_is_right_or_undefined(bias):
    """Raters whose scales lie far apart correlate as well as before."""
    rng = np.random.default_rng(0)
    x = rng.integers(0, 4, 60)
    y = np.clip(x + rng.integers(-1, 2, 60), 0, 3)
    table = np.zeros((8, 8), dtype=int)
    np.add.at(table, (x, y + 4), 1)
    scores = np.array([[0, 1, 2, 3, bias + 3.5, bias + 4.5, bias + 5.5, bias + 6.5]])
    scale = Scale(WEIGHTS["quadratic"], scores, np.ones((1, 8), dtype=bool))
    found = summarise(
        PairCounts.from_tables(table), scale, COEFFICIENTS["cohen"], ci="fisher", level=0.95
    )
    if bias < 1e4 or found.se_null > 0:
        expected = np.sqrt(60) * np.corrcoef(x, y)[0, 1]
        assert_allclose(found.estimate / found.se_null, expected, rtol=1e-3)


@every_weighting
def test_many_tables_are_not_worth_a_programme_each(weights, monkeypatch):
    monkeypatch.setattr(summary_module, "MOST_PROGRAMMES", 1)
    table = np.arange(9).reshape(3, 3)
    one, two = summary("cohen", weights, [table]), summary("cohen", weights, [table, table])
    assert one.max_estimate >= one.estimate
    if WEIGHTS[weights].convex or not WEIGHTS[weights].ordered:
        assert_array_equal(two.max_estimate, one.max_estimate.repeat(2))
    elif weights in ("radical", "circular"):
        assert np.isnan(two.max_estimate).all()
    assert_allclose(two.estimate, one.estimate.repeat(2), rtol=1e-12)


@each("name", sorted(EVERY_FIGURE))
def test_a_figure_is_the_same_whatever_else_is_needed(name):
    counts, scale = PairCounts.from_tables(UNLIKE), scale_of("linear")
    options = {"ci": "fisher", "level": 0.95}
    every = summarise(counts, scale, COEFFICIENTS["cohen"], **options)
    alone = summarise(counts, scale, COEFFICIENTS["cohen"], **options, needed=frozenset([name]))
    assert_array_equal(getattr(alone, name), getattr(every, name))


@pytest.mark.parametrize("weights", [None, "quadratic", "ordinal"])
def test_many_equal_tables_are_each_what_they_are_alone(monkeypatch, weights):
    rng = np.random.default_rng(3)
    few = rng.integers(0, 3, (6, 4, 4))
    number = rng.integers(0, 6, 60)
    counts = PairCounts.from_tables(few[number])
    in_use = (few.sum(axis=1) + few.sum(axis=2) > 0)[number]
    scale = Scale(WEIGHTS[weights], np.arange(4.0)[None], in_use)
    options = {"ci": "auto", "level": 0.95}
    alone = summarise(counts, scale, COEFFICIENTS["cohen"], **options)
    monkeypatch.setattr(summary_module, "MOST_PROGRAMMES", 1)
    seen = []
    monkeypatch.setattr(summary_module, "taken", lambda *x: seen.append(x) or taken(*x))
    found = summarise(counts, scale, COEFFICIENTS["cohen"], **options)
    assert seen
    for name in vars(alone).keys() - {"max_estimate"}:
        np.testing.assert_array_equal(getattr(found, name), getattr(alone, name))
