"""Public and private parts: the first-order formulas against random splits."""

from __future__ import annotations

import numpy as np
from numpy.testing import assert_allclose
from scipy import stats

from conftest import each
from pdkappa.methods.comparisons.core.leaderboards import sd_between_parts, swap_probability


def one(*values):
    """Return each value as an array of one."""
    return [np.array([float(value)]) for value in values]


def test_a_mean_is_split_exactly():
    """The standard error of a mean is that of sampling without replacement."""
    values = np.random.default_rng(1).gamma(2.0, size=60)
    n_public = 20
    rng = np.random.default_rng(2)
    order = rng.permuted(np.tile(values, (40_000, 1)), axis=1)
    public, private = order[:, :n_public].mean(axis=1), order[:, n_public:].mean(axis=1)
    se = values.std(ddof=1) / np.sqrt(len(values))
    found = sd_between_parts(*one(se, n_public, 40))
    assert_allclose((public - private).std(), found, rtol=0.02)


def test_a_difference_of_two_normal_means_changes_sign_as_often():
    rng = np.random.default_rng(3)
    values = rng.normal(size=200)
    values += 0.08 - values.mean()
    order = rng.permuted(np.tile(values, (40_000, 1)), axis=1)
    public, private = order[:, :50].mean(axis=1), order[:, 50:].mean(axis=1)
    se = values.std(ddof=1) / np.sqrt(200)
    found = swap_probability(*one(0.08, se, 50, 150)).item()
    assert_allclose((public * private < 0).mean(), found, atol=0.01)


@each("n_public", [1, 30, 50, 99])
def test_the_probability_is_that_of_its_integral(n_public):
    """Of the public deviation x, the private one being -x n1 / n2."""
    d, se, n_private = 0.3, 0.2, 100 - n_public
    sd = se * np.sqrt(n_private / n_public)
    x = stats.norm.ppf((np.arange(200_000) + 0.5) / 200_000) * sd
    swapped = (d + x) * (d - x * n_public / n_private) < 0
    found = swap_probability(*one(d, se, n_public, n_private))
    assert_allclose(found, swapped.mean(), atol=1e-4)
    assert_allclose(swap_probability(*one(-d, se, n_public, n_private)), found)


def test_equal_scores_always_swap_unless_nothing_varies():
    assert swap_probability(*one(0, 0.1, 30, 70)).item() == 1
    assert swap_probability(*one(0, 0, 30, 70)).item() == 0
    assert swap_probability(*one(0.2, 0, 30, 70)).item() == 0


@each("parts", [(0, 10), (10, 0), (0, 0)])
def test_a_part_without_items(parts):
    assert np.isnan(sd_between_parts(*one(0.1, *parts))).all()
    assert np.isnan(swap_probability(*one(0.1, 0.1, *parts))).all()


def test_what_is_unknown_stays_unknown():
    assert np.isnan(sd_between_parts(*one(np.nan, 3, 7))).all()
    assert np.isnan(swap_probability(*one(0.1, np.nan, 3, 7))).all()
