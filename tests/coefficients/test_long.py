"""Counts of ratings one below the other, against the counts of all pairs of columns."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pdkappa.coefficients import sparse_rows as listed
from pdkappa.coefficients.pair_counts import count_pairs
from pdkappa.coefficients.sparse_rows import count_listed, tables_of
from pdkappa.ratings.long_ratings import number_joint


@st.composite
def grids(draw):
    """Codes of raters by items, some missing, with groups and weights of the items."""
    n_raters, n_items = draw(st.integers(2, 5)), draw(st.integers(0, 12))
    k, n_groups = draw(st.integers(1, 4)), draw(st.integers(1, 3))
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    codes = rng.integers(-1, k, (n_raters, n_items))
    return codes, k, rng.integers(0, n_groups, n_items), n_groups, rng.integers(1, 9, n_items) / 4


def as_list(codes):
    """Return item, rater and category of each rating."""
    item, rater = np.nonzero(codes.T >= 0)
    return item, rater, codes[rater, item]


@given(grids(), st.booleans(), st.booleans(), st.booleans(), st.sampled_from([1, 1 << 22]))
def test_the_counts_are_those_of_the_columns(grid, grouped, weighted, with_itself, most):
    codes, k, groups, n_groups, weights = grid
    n_groups = n_groups if grouped else 1
    raters = range(len(codes))
    pairs = list(combinations(raters, 2)) + [(r, r) for r in raters if with_itself]
    options = {"groups": groups if grouped else None, "weights": weights if weighted else None}
    expected = count_pairs(codes, k, pairs=pairs, n_groups=n_groups, **options).tables()
    expected = expected.reshape(n_groups, len(pairs), k, k)
    item, rater, category = as_list(codes)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(listed, "MOST_WAITING", most)
        cells = count_listed(
            item,
            rater,
            category,
            n_raters=len(codes),
            n_categories=k,
            group=groups[item] if grouped else None,
            n_groups=n_groups,
            weights=weights[item] if weighted else None,
            with_itself=with_itself,
        )
    sides, counts = tables_of(cells, len(codes), n_groups, k)
    found_pairs = sides.T
    shared = [p for p, pair in enumerate(pairs) if expected[:, p].any()]
    assert sorted(map(tuple, found_pairs.tolist())) == sorted(pairs[p] for p in shared)
    tables = counts.tables().reshape(n_groups, len(shared), k, k)
    order = [pairs.index(tuple(pair)) for pair in found_pairs.tolist()]
    np.testing.assert_allclose(tables, expected[:, order], rtol=1e-14)
    assert (np.diff(counts.keys) > 0).all()


@given(grids())
def test_the_number_of_joint_ratings(grid):
    codes = grid[0]
    rated = codes >= 0
    expected = sum(int((rated[a] & rated[b]).sum()) for a, b in combinations(range(len(codes)), 2))
    assert number_joint(as_list(codes)[0]) == expected
