"""The order of raters in which those who agree are side by side."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest
from scipy.cluster.hierarchy import linkage, to_tree

from conftest import each
from pdkappa.methods import plots as ordering
from pdkappa.methods.plots import order_by_likeness


def in_groups(groups, within=0.9, between=0.1):
    """Make agreement that is high within the groups, and raters in the order given."""
    groups = np.array(groups)
    square = np.where(groups[:, None] == groups, within, between)
    np.fill_diagonal(square, 1)
    return square


def test_groups_come_together():
    groups = np.array([0, 1, 2, 0, 1, 2, 0, 1, 2])
    order = order_by_likeness(in_groups(groups))
    assert sorted(order) == list(range(9))
    assert (np.diff(groups[order]) != 0).sum() == 2


def test_a_chain_is_unrolled():
    """Each rater agrees most with his neighbours; the order is found whatever that of the input."""
    places = np.random.default_rng(1).permutation(12)
    agreement = 1 - np.abs(np.subtract.outer(places, places)) / 12
    assert list(places[order_by_likeness(agreement)]) in ([*range(12)], [*range(11, -1, -1)])


def test_without_the_best_order_groups_still_come_together(monkeypatch):
    monkeypatch.setattr(ordering, "MOST_OPTIMAL", 2)
    groups = np.array([0, 1, 0, 1, 0, 1])
    assert (np.diff(groups[order_by_likeness(in_groups(groups))]) != 0).sum() == 1


@each("off", [0, 2, 4])
def test_who_agrees_with_few_is_last(off):
    agreement = np.full((5, 5), 0.8) + np.linspace(0, 0.01, 25).reshape(5, 5)
    agreement = (agreement + agreement.T) / 2
    agreement[off] = agreement[:, off] = -0.2
    assert order_by_likeness(agreement)[-1] == off


def orders(tree):
    """List all orders of the leaves that a tree allows."""
    if tree.is_leaf():
        return [[tree.id]]
    left, right = orders(tree.left), orders(tree.right)
    return [one + other for a, b in ((left, right), (right, left)) for one in a for other in b]


@each("seed", range(25))
def test_the_order_is_the_best_that_average_linkage_allows(seed):
    agreement = np.random.default_rng(seed).uniform(-0.2, 1, (6, 6))
    agreement = (agreement + agreement.T) / 2
    apart = 1 - agreement
    allowed = orders(to_tree(linkage(apart[np.triu_indices(6, 1)], "average")))
    found = list(order_by_likeness(agreement))
    assert found in allowed

    def between_neighbours(order):
        return sum(apart[one, other] for one, other in pairwise(order))

    assert between_neighbours(found) == pytest.approx(min(map(between_neighbours, allowed)))


def test_nothing_depends_on_the_diagonal():
    agreement = in_groups([0, 1, 0, 1])
    expected = order_by_likeness(agreement)
    np.fill_diagonal(agreement, np.nan)
    np.testing.assert_array_equal(order_by_likeness(agreement), expected)


def test_what_is_undefined_counts_as_the_mean():
    rng = np.random.default_rng(2)
    agreement = rng.uniform(0, 1, (6, 6))
    agreement = (agreement + agreement.T) / 2
    agreement[1, 4] = agreement[4, 1] = np.nan
    known = agreement[np.triu_indices(6, 1)]
    filled = np.where(np.isnan(agreement), np.nanmean(known), agreement)
    np.testing.assert_array_equal(order_by_likeness(agreement), order_by_likeness(filled))


@each("n_raters", [0, 1, 2, 4])
def test_without_a_figure_the_order_is_kept(n_raters):
    nothing = np.full((n_raters, n_raters), np.nan)
    np.testing.assert_array_equal(order_by_likeness(nothing), np.arange(n_raters))


def test_two_raters_keep_their_order():
    np.testing.assert_array_equal(order_by_likeness(np.array([[1, 0.3], [0.3, 1]])), [0, 1])


def test_agreement_above_one_is_no_negative_distance():
    agreement = in_groups([0, 0, 1], within=1 + 1e-12)
    assert set(order_by_likeness(agreement)[:2]) == {0, 1}
