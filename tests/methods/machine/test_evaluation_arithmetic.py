"""The figures of automated scoring: other packages and plain NumPy, rounding, edges."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from conftest import each
from pdkappa.coefficients.rating_rows import RatingRows
from pdkappa.methods.machine.evaluation import Evaluation, compare_scores, to_nearest, to_whole

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
    return compare_scores(rows, scores, values, pooled=pooled, level=0.95)


@pytest.fixture
def scored():
    rng = np.random.default_rng(5)
    human = rng.integers(1, 7, size=120).astype(float)
    machine = 0.7 * human + 1 + rng.normal(scale=0.8, size=120)
    return human, machine, np.clip(np.rint(machine), 1, 6)


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


@each("exponent", [-1000, -660, 240])
def test_the_unit_of_the_scores_does_not_matter(scored, exponent):
    """But for what is in that unit, and for what is within a point."""
    unit = 2.0**exponent
    found, other = figures(*scored), figures(*(one * unit for one in scored))
    for name in set(NUMBERS) - {"adjacent_agreement"}:
        factor = unit if name in {"mean_a", "mean_b", "sd_a", "sd_b", "rmse"} else 1
        assert_array_equal(getattr(other, name), getattr(found, name) * factor, err_msg=name)


# --- Rounding ----------------------------------------------------------------------------------


def test_halves_go_up_and_the_range_is_kept():
    human = [1, 2, 3, 4, 3, 2, 1]
    machine = np.array([-3.2, 0.5, 1.4999, 2.5, 3.5, 8.1, 0.49999999999999994])
    assert_array_equal(to_whole(np.array(human, dtype=float), machine), [1, 1, 1, 3, 4, 4, 1])


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
        {"sd_a", "sd_b", "smd", "correlation", "r2"} | {"se_qwk", "qwk_low", "qwk_high"},
    ),
    "constant human": (
        [0.1, 0.1, 0.1],
        [0.1, 0.2, 0.3],
        "constant_rater",
        {"smd", "correlation", "r2", "se_qwk", "qwk_low", "qwk_high"},
    ),
    "constant machine": (
        [0.1, 0.2, 0.3],
        [0.1, 0.1, 0.1],
        "constant_rater",
        {"correlation", "se_qwk", "qwk_low", "qwk_high"},
    ),
    "all the same": (
        [0.1, 0.1, 0.1],
        [0.1, 0.1, 0.1],
        "constant_ratings",
        {"smd", "correlation", "r2", "qwk", "cohen", "se_qwk", "qwk_low", "qwk_high"},
    ),
}


@each(("x", "y", "reason", "undefined"), EDGES.values())
def test_edges(x, y, reason, undefined):
    found = figures(x, y)
    assert {name for name in NUMBERS if np.isnan(getattr(found, name)[0])} == undefined
    assert found.reason.tolist() == [reason]
