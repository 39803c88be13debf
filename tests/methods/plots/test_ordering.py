"""The order of raters in which those who agree are side by side."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest
from scipy.cluster.hierarchy import linkage, to_tree

from conftest import each
from pdkappa.methods.plots import order_by_likeness


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
