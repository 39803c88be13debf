"""One contrast with each rater in its place: standard errors from the definition, laws, edges."""

from __future__ import annotations

import numpy as np
from numpy.testing import assert_allclose

from pdkappa.coefficients.influence import error_in_turn, units_of
from pdkappa.coefficients.rating_rows import RatingRows

INFLUENCE = np.array(
    [[1.0, -1, 0.5, 0, 0, -0.5], [0, 1, -1, 0.25, 0, -0.25], [-1, 0, 0.5, 0, 0, 0]]
)
COUNT = np.array([1.0, 2, 1, 3, 5, 1])
EVERYWHERE = np.ones((3, 1), dtype=bool)


def rows_of(count, cluster=None):
    """Rows of one group, whose codes do not matter."""
    n = len(count)
    codes, group = np.zeros((3, n), dtype=int), np.zeros(n, dtype=int)
    return RatingRows(codes, np.asarray(count), group, 1, 2, cluster)


def by_hand(values):
    """Of one value for each rater and item (or cluster sum), with n of them."""
    n = values.shape[1]
    own = [sum(x * x for x in one) / (n * (n - 1)) for one in values]
    h = [sum(x * x for x in item) / 3 for item in values.T]
    m = sum(h) ** 2 / sum(x * x for x in h)
    return [np.sqrt((m * v + 10 * sum(own) / 3) / (m + 10)) for v in own]


def test_the_error_follows_its_definition():
    found = error_in_turn(rows_of(COUNT), INFLUENCE, EVERYWHERE).se[:, 0]
    assert_allclose(found, by_hand(INFLUENCE.repeat(COUNT.astype(int), axis=1)))


def test_the_average_has_more_degrees_of_freedom_than_each():
    """What clusters add to the noise of each variance, with the weights of independent ones."""
    cluster = np.array([0, 0, 1, 1, 2, 3])
    found = error_in_turn(rows_of(np.ones(6), cluster), INFLUENCE, EVERYWHERE).df[:, 0]
    sums = np.stack([INFLUENCE[:, cluster == one].sum(axis=1) for one in range(4)], axis=1)
    h = (sums**2).mean(axis=0)
    m = h.sum() ** 2 / (h**2).sum()
    weights = np.array([m / (m + 10) + 10 / (m + 10) / 3, *[10 / (m + 10) / 3] * 2])
    f = units_of(rows_of(np.ones(6), cluster))[0] - 1
    expected = 1 / (1 / 5 + (1 / f - 1 / 5) * (weights**2).sum())
    assert_allclose(found, expected)
    assert f < expected < 5
    for alone in (rows_of(COUNT), rows_of(np.ones(13), np.arange(13))):
        influence = INFLUENCE.repeat(COUNT.astype(int), axis=1)[:, : len(alone.count)]
        influence = INFLUENCE if alone.cluster is None else influence
        assert_allclose(error_in_turn(alone, influence, EVERYWHERE).df, 12)
    one = rows_of(np.ones(6), cluster)
    assert_allclose(error_in_turn(one, INFLUENCE[:1], EVERYWHERE[:1]).df, f)
