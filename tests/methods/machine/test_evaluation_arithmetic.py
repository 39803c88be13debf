"""The figures of automated scoring: other packages and plain NumPy, rounding, edges."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from numpy.testing import assert_allclose, assert_array_equal

from conftest import each
from pdkappa.coefficients.rating_rows import RatingRows
from pdkappa.methods.machine.evaluation import Evaluation, evaluate, to_nearest, to_whole

NUMBERS = [name for name in Evaluation._fields if name != "reason"]


def rows_of(x, y, count=None, group=None):
    """Put the scores of two raters into rows, with what their codes stand for."""
    scores, codes = np.unique(np.array([x, y], dtype=float), return_inverse=True)
    group = np.zeros(len(x), dtype=np.int64) if group is None else np.asarray(group)
    count = np.ones(len(x)) if count is None else np.asarray(count, dtype=float)
    n_groups = int(group.max(initial=0)) + 1
    return RatingRows(codes.reshape(2, -1), count, group, n_groups, len(scores)), scores


def figures(x, y, rounded=None, *, pooled=False, **options):
    """Evaluate the scores of two raters; one value for each group."""
    rows, scores = rows_of(x, y, **options)
    values = np.asarray(y if rounded is None else rounded, dtype=float)
    return evaluate(rows, scores, values, weights="quadratic", pooled=pooled, level=0.95)


@pytest.fixture
def scored():
    rng = np.random.default_rng(5)
    human = rng.integers(1, 7, size=120).astype(float)
    machine = 0.7 * human + 1 + rng.normal(scale=0.8, size=120)
    return human, machine, np.clip(np.rint(machine), 1, 6)


def test_plain_numpy(scored):
    human, machine, rounded = scored
    found = figures(*scored)
    assert_allclose(found.n_items, 120)
    assert_allclose([found.mean_a[0], found.mean_b[0]], [human.mean(), machine.mean()])
    assert_allclose(found.sample_sd_a, human.std(ddof=1))
    assert_allclose(found.sample_sd_b, machine.std(ddof=1))
    assert_allclose(found.smd, (machine.mean() - human.mean()) / human.std(ddof=1))
    assert_allclose(found.correlation, np.corrcoef(human, machine)[0, 1])
    assert_allclose(found.exact_agreement, (human == rounded).mean())
    assert_allclose(found.adjacent_agreement, (np.abs(human - rounded) <= 1).mean())
    pooled = np.sqrt((human.var(ddof=1) + machine.var(ddof=1)) / 2)
    both = figures(*scored, pooled=True)
    assert_allclose(both.smd, (machine.mean() - human.mean()) / pooled)


@pytest.mark.oracle
@pytest.mark.needs("sklearn")
def test_scikit_learn(scored):
    from sklearn import metrics

    human, machine, rounded = scored
    weight = np.arange(120) % 4 + 0.5
    found = figures(*scored, count=weight)
    assert_allclose(found.r2, metrics.r2_score(human, machine, sample_weight=weight))
    error = metrics.mean_squared_error(human, machine, sample_weight=weight)
    assert_allclose(found.rmse, np.sqrt(error))
    labels = human.astype(int), rounded.astype(int)
    kappa = metrics.cohen_kappa_score(*labels, sample_weight=weight)
    assert_allclose(found.cohen, kappa, rtol=1e-12)
    whole = figures(human, rounded, count=weight)
    quadratic = metrics.cohen_kappa_score(
        *labels, labels=np.arange(1, 7), weights="quadratic", sample_weight=weight
    )
    assert_allclose(whole.qwk, quadratic, rtol=1e-12)


def test_r2_is_no_squared_correlation():
    """A machine that scores in the opposite order predicts worse than the mean does."""
    found = figures([1, 2, 3, 4], [4, 3, 2, 1])
    assert_allclose([found.correlation[0], found.r2[0]], [-1, -3])


@given(arrays(np.int64, (2, 24), elements=st.integers(0, 4)))
def test_groups_are_themselves(values):
    x, y = values
    group = np.arange(24) % 3
    whole = figures(x, y, group=group)
    for g in range(3):
        alone = figures(x[group == g], y[group == g])
        for name in NUMBERS:
            mine, other = getattr(whole, name)[g], getattr(alone, name)[0]
            assert_allclose(mine, other, rtol=1e-9, atol=1e-9, err_msg=name)
        assert whole.reason[g] == alone.reason[0]


@each("exponent", [-1000, -660, 240])
def test_the_unit_of_the_scores_does_not_matter(scored, exponent):
    """But for what is in that unit, and for what is within a point."""
    unit = 2.0**exponent
    found, other = figures(*scored), figures(*(one * unit for one in scored))
    for name in set(NUMBERS) - {"adjacent_agreement"}:
        factor = unit if name in {"mean_a", "mean_b", "sample_sd_a", "sample_sd_b", "rmse"} else 1
        assert_array_equal(getattr(other, name), getattr(found, name) * factor, err_msg=name)


def test_weights_are_copies(scored):
    times = np.arange(120) % 3 + 1
    weighted = figures(*scored, count=times)
    copied = figures(*(np.repeat(one, times) for one in scored))
    for name in NUMBERS:
        assert_allclose(getattr(weighted, name), getattr(copied, name), rtol=1e-11, err_msg=name)


# --- Rounding ----------------------------------------------------------------------------------


def test_halves_go_up_and_the_range_is_kept():
    human = [1, 2, 3, 4, 3, 2, 1]
    machine = np.array([-3.2, 0.5, 1.4999, 2.5, 3.5, 8.1, 0.49999999999999994])
    assert_array_equal(to_whole(np.array(human, dtype=float), machine), [1, 1, 1, 3, 4, 4, 1])


def test_the_range_is_one_of_whole_numbers():
    assert_array_equal(to_whole(np.array([0.5, 3.5, 2.0]), np.array([-1, 0.5, 9])), [1, 1, 3])


def test_nothing_to_round():
    assert to_whole(np.empty(0), np.empty(0)).tolist() == []


def test_rounding_moves_no_score_by_more_than_a_half(scored):
    human, machine, _ = scored
    inside = (machine > 1) & (machine < 6)
    assert np.abs(to_whole(human, machine) - machine)[inside].max() <= 0.5


def test_a_scale_with_half_points():
    scale = np.array([1.0, 1.5, 2.0, 4.0])
    values = np.array([0.0, 1.24, 1.25, 1.75, 2.9, 3.0, 9.0])
    assert_array_equal(to_nearest(scale, values), [1, 1, 1.5, 2, 2, 4, 4])
    assert_array_equal(to_nearest(np.array([3.0]), values), [3] * 7)


# --- Edges -------------------------------------------------------------------------------------

EDGES = {
    "nothing": ([], [], "no_joint_items", set(NUMBERS) - {"n_items"}),
    "one item": (
        [2],
        [3],
        "n_lt_2",
        {"sample_sd_a", "sample_sd_b", "smd", "correlation", "r2"} | {"se", "ci_low", "ci_high"},
    ),
    "constant human": (
        [0.1, 0.1, 0.1],
        [0.1, 0.2, 0.3],
        "constant_rater",
        {"smd", "correlation", "r2", "se", "ci_low", "ci_high"},
    ),
    "constant machine": (
        [0.1, 0.2, 0.3],
        [0.1, 0.1, 0.1],
        "constant_rater",
        {"correlation", "se", "ci_low", "ci_high"},
    ),
    "all the same": (
        [0.1, 0.1, 0.1],
        [0.1, 0.1, 0.1],
        "constant_ratings",
        {"smd", "correlation", "r2", "estimate", "qwk", "cohen", "se", "ci_low", "ci_high"},
    ),
}


@each(("x", "y", "reason", "undefined"), EDGES.values())
def test_edges(x, y, reason, undefined):
    found = figures(x, y)
    assert {name for name in NUMBERS if np.isnan(getattr(found, name)[0])} == undefined
    assert found.reason.tolist() == [reason]


def test_equal_once_they_are_rounded():
    found = figures([2, 2, 2], [1.9, 2.1, 2.2], rounded=[2, 2, 2])
    assert np.isnan(found.cohen[0])
    assert found.exact_agreement == 1
    assert found.qwk == 0
    assert found.reason.tolist() == ["constant_ratings"]


def test_kappa_of_a_constant_rater_is_exactly_zero():
    assert figures([1, 2, 3, 3, 1, 2, 2], [2] * 7).cohen == 0
