"""Bangdiwala's B, and residuals from chance."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp
from numpy.testing import assert_allclose
from scipy.stats import chi2_contingency

from conftest import each
from pdkappa.methods.plots.core.crosstable import bangdiwala, residuals

# Agreement of married couples (Hout, Duncan & Sobel 1987) and of two readers of mammograms (Kundel
# & Polansky 2003), with what agreementplot of the R package vcd prints on its pages: the weights
# are 1, 8/9 for neighbours, and 0 beyond.
SEXUAL_FUN = [[7, 7, 2, 3], [2, 8, 3, 7], [1, 5, 4, 9], [2, 8, 9, 14]]
MAMMOGRAMS = [[34, 10, 2, 0], [6, 8, 8, 2], [2, 5, 4, 12], [0, 1, 2, 14]]
STEPS = np.abs(np.subtract.outer(range(4), range(4)))

tables = (
    st.integers(1, 5)
    .flatmap(lambda k: hnp.arrays(np.int64, (k, k), elements=st.integers(0, 9)))
    .map(lambda table: table.astype(float))
)


def weights(k, power):
    steps = np.abs(np.subtract.outer(range(k), range(k)))
    return 1 - (steps / max(k - 1, 1)) ** power


@each(
    ("table", "exact", "weighted"),
    [(SEXUAL_FUN, 0.1464624, 0.4981723), (MAMMOGRAMS, 0.4272076, 0.8366481)],
)
def test_the_values_of_vcd(table, exact, weighted):
    table = np.array(table, dtype=float)
    assert_allclose(bangdiwala(table, np.eye(4)), exact, atol=5e-8)
    assert_allclose(bangdiwala(table, np.array([1, 8 / 9, 0, 0])[STEPS]), weighted, atol=5e-8)


def brute_force(table, agreement):
    """Weigh each cell of the grid into which a category's own ratings cut its rectangle."""
    filled = sum(
        min(agreement[i, j], agreement[i, k]) * table[i, j] * table[k, i]
        for i, j, k in np.ndindex(*(len(table),) * 3)
    )
    return filled / (table.sum(axis=1) @ table.sum(axis=0))


@given(tables, st.sampled_from([0.5, 1, 2]))
def test_b_is_the_share_of_the_area(table, power):
    agreement = weights(len(table), power)
    found = bangdiwala(table, agreement)
    if table.sum(axis=1) @ table.sum(axis=0) == 0:
        assert np.isnan(found)
        return
    assert_allclose(found, brute_force(table, agreement), rtol=1e-12)
    assert 0 <= bangdiwala(table, np.eye(len(table))) <= found <= 1 + 1e-12
    assert_allclose(bangdiwala(table.T, agreement), found, rtol=1e-12)


@given(tables, st.randoms(use_true_random=False))
def test_the_order_of_the_categories_changes_nothing(table, random):
    order = list(range(len(table)))
    random.shuffle(order)
    agreement = weights(len(table), 1)
    places = np.ix_(order, order)
    assert_allclose(
        bangdiwala(table[places], agreement[places]), bangdiwala(table, agreement), rtol=1e-12
    )


def test_exact_agreement_is_the_squares_on_the_diagonal():
    table = np.array([[5.0, 2], [1, 4]])
    assert bangdiwala(table, np.eye(2)) == (25 + 16) / (7 * 6 + 5 * 6)
    assert bangdiwala(np.diag([3.0, 0, 4]), np.eye(3)) == 1
    assert bangdiwala(table, np.ones((2, 2))) == 1


def test_nothing_to_fill():
    assert np.isnan(bangdiwala(np.zeros((2, 2)), np.eye(2)))
    assert np.isnan(bangdiwala(np.zeros((0, 0)), np.eye(0)))
    assert np.isnan(bangdiwala(np.array([[0.0, 3], [0, 0]]), np.eye(2)))


@given(tables)
def test_residuals_add_up_to_the_chi_square_of_scipy(table):
    found = residuals(table)
    rows, columns = table.sum(axis=1) > 0, table.sum(axis=0) > 0
    assert (np.isfinite(found) == np.outer(rows, columns)).all()
    if rows.any():
        used = chi2_contingency(table[np.ix_(rows, columns)], correction=False)
        assert_allclose(np.nansum(found**2), used.statistic, atol=1e-9)


def test_residuals_by_hand():
    apart = 1 / np.sqrt(2)
    found = residuals(np.array([[3.0, 1, 0], [1, 3, 0], [0, 0, 0]]))
    nan = np.nan
    expected = [[apart, -apart, nan], [-apart, apart, nan], [nan] * 3]
    assert_allclose(found, expected)
    assert np.isnan(residuals(np.zeros((2, 2)))).all()
    assert residuals(np.zeros((0, 0))).shape == (0, 0)
