"""Ratings one below the other, against the same ratings in an array of all raters."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from pdkappa.coefficients.pair_counts import count_categories
from pdkappa.coefficients.rating_rows import ListedRows
from pdkappa.coefficients.sparse_rows import wide


@st.composite
def crowds(draw):
    """Draw listed ratings, of which many are missing, in groups and clusters, with counts."""
    n_raters, n_items, k = (
        draw(st.integers(2, 6)),
        draw(st.integers(1, 12)),
        draw(st.integers(1, 4)),
    )
    n_groups = draw(st.integers(1, 3))
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    rated = rng.random((n_items, n_raters)) < draw(st.sampled_from([0.2, 0.6, 1.0]))
    row, rater = np.nonzero(rated)
    group = rng.integers(0, n_groups, n_items)
    return ListedRows(
        row,
        rater,
        rng.integers(0, k, len(row)),
        n_raters,
        rng.choice([0.5, 1.0, 2.0], n_items),
        group,
        n_groups,
        k,
        group + n_groups * rng.integers(0, 3, n_items),
    )


@given(crowds(), st.integers(0, 2**32 - 1))
def test_sums_are_those_of_the_array(rows, seed):
    rng, array = np.random.default_rng(seed), wide(rows)
    per_row = rng.random(len(rows.count))
    of_groups = rng.random((rows.n_groups, rows.n_categories))
    of_cells = rng.random(len(rows.by_rater.count))
    keep = rng.permutation(len(rows.count))[: rng.integers(len(rows.count) + 1)]
    for one, other in [
        (rows, array),
        (rows.without(0), array.without(0)),
        (rows.select(keep), array.select(keep)),
        (rows.as_one_group(rows.group == 0), array.as_one_group(rows.group == 0)),
    ]:
        np.testing.assert_array_equal(one.n_ratings, other.n_ratings)
        np.testing.assert_array_equal(one.n_items, other.n_items)
    np.testing.assert_array_equal(rows.by_rater.keys, array.by_rater.keys)
    np.testing.assert_array_equal(rows.by_rater.count, array.by_rater.count)
    np.testing.assert_array_equal(wide(rows.select(keep)).codes, array.select(keep).codes)
    for one, other in [
        (rows.sum_of(of_groups), array.sum_of(of_groups)),
        (rows.sum_of(of_groups[:1]), array.sum_of(of_groups[:1])),
        (rows.margins(per_row), array.margins(per_row)),
        (rows.sum_by_rater(of_cells), array.sum_by_rater(of_cells)),
        (
            rows.by_row.dense(),
            np.stack([(array.codes == k).sum(0) for k in range(rows.n_categories)], 1),
        ),
    ]:
        np.testing.assert_allclose(one, other, rtol=1e-14)


@given(crowds(), st.integers(0, 12))
def test_counts_of_parts_add_up(rows, cut):
    shape = (rows.crowd, rows.n_categories)
    first, second = (
        count_categories(rows.rater[part], rows.code[part], *shape)
        for part in (rows.row < cut, rows.row >= cut)
    )
    whole = count_categories(rows.rater, rows.code, *shape)
    both = first + second
    np.testing.assert_array_equal(both.keys, whole.keys)
    np.testing.assert_array_equal(both.count, whole.count)
    np.testing.assert_array_equal(whole.dense().sum(axis=1), whole.total(whole.count))
    np.testing.assert_array_equal(whole.take(1, 2).dense()[0], whole.dense()[1])
