"""Control variates by numbers alone: the best lambda, its price, clusters in both parts."""

from __future__ import annotations

import numpy as np
from numpy.testing import assert_allclose, assert_array_equal

from pdkappa.coefficients.rating_rows import RatingRows
from pdkappa.methods.machine.judged_means import (
    Figures,
    InCommon,
    best_lambda,
    part_of,
    powered,
)

RNG = np.random.default_rng(1)
N, OTHERS = 40, 70
HUMAN = RNG.normal(size=N)
JUDGE = 0.7 * HUMAN + RNG.normal(size=N)
REST = RNG.normal(size=OTHERS)
HUMAN, JUDGE, REST = (one - one.mean() for one in (HUMAN, JUDGE, REST))
CLUSTER = np.concatenate([np.arange(N) // 2, np.arange(OTHERS) // 2 + 8])


def parts(*, nested=False):
    """Take items without clusters, or in clusters of which some lie in both parts."""
    n = N + OTHERS
    codes, zeros = np.zeros((2, n), dtype=int), np.zeros(n, dtype=int)
    rows = RatingRows(codes, np.ones(n), zeros, 1, 1, CLUSTER if nested else None)
    labelled = np.arange(n) < N
    values = np.zeros((2, n))
    values[0, :N], values[1] = HUMAN, np.concatenate([JUDGE, REST])
    return part_of(rows, labelled, values), part_of(rows, ~labelled, values[1:])


def lambda_of(labelled, others, kappa, error):
    """Find the best lambda with so much in common."""
    return best_lambda(labelled, others, InCommon(np.array([kappa]), np.array([error])))


def test_the_best_lambda_has_the_least_variance_but_for_its_price():
    for nested in (False, True):
        labelled, others = parts(nested=nested)
        figures = Figures(np.ones(1), np.ones(1), np.ones(1))
        grid = np.linspace(-0.5, 1.5, 1001)
        variances = [
            powered(figures, labelled, others, np.array([lam]), steady=False).variance[0]
            for lam in grid
        ]
        least = grid[np.argmin(variances)]
        for error, drawn in ((0, 1.0), (0.5, 0.25), (0.58, 0.0), (np.inf, 0.0), (np.nan, 0.0)):
            found = lambda_of(labelled, others, 1.0, error)
            assert_allclose(found, least * drawn, atol=2e-3)
        assert_array_equal(lambda_of(labelled, others, np.nan, 0.1), 0)


def test_lambda_is_that_of_the_kappa_with_the_human_and_half_as_much_again_at_most():
    """With the larger variance of the judge: few labelled items may hardly show any."""
    labelled, others = parts()
    of_human, of_judge, of_rest = (np.var(one, ddof=1) for one in (HUMAN, JUDGE, REST))
    assert of_judge > of_rest
    small = lambda_of(labelled, others, 0.1, 0.0)
    assert_allclose(small, 1.5 * 0.1 * of_human / of_judge)
    assert_array_equal(lambda_of(labelled, others, -0.1, 0.0), 0)
    opposed = labelled._replace(contributions=labelled.contributions * [[1], [-0.5]])
    expected = -1.5 * 0.1 * of_human / max(of_judge / 4, of_rest)
    assert_allclose(lambda_of(opposed, others, -0.1, 0.0), expected)


def test_residuals_are_those_of_an_item_left_out():
    """With lambda found by least squares on these items, and all others known."""
    labelled, others = parts()
    slope = (HUMAN @ JUDGE) / (JUDGE @ JUDGE)
    left_out = [
        HUMAN[i]
        - JUDGE[i] * (HUMAN @ JUDGE - HUMAN[i] * JUDGE[i]) / (JUDGE @ JUDGE - JUDGE[i] ** 2)
        for i in range(N)
    ]
    figures = Figures(np.ones(1), np.ones(1), np.ones(1))
    found = powered(figures, labelled, others, np.array([slope]), steady=True)
    expected = np.square(left_out).sum() / N / (N - 1)
    rest = slope**2 * np.var(REST, ddof=1) / OTHERS
    assert_allclose(found.variance, expected + rest)
    df = (expected + rest) ** 2 / (expected**2 / (N - 2) + rest**2 / (OTHERS - 1))
    assert_allclose(found.df, df)
