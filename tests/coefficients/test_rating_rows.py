"""Rows of ratings: merged, cut into parts, and seen by two of the raters."""

from collections import Counter

import numpy as np
from numpy.testing import assert_allclose, assert_array_equal

from conftest import each
from pdkappa.coefficients.pair_counts import count_categories, order_of
from pdkappa.coefficients.rating_rows import ListedRows, RatingRows
from pdkappa.coefficients.sparse_rows import Numbered, count_listed, joints, tables_of
from pdkappa.methods.drilldown.items import JointTables, joints_or_tables
from pdkappa.ratings.counted_chunks import number_rows


def drawn_rows(n_items=60, *, seed=1, clustered=False):
    rng = np.random.default_rng(seed)
    codes = rng.integers(-1, 3, (4, n_items)).astype(np.int8)
    group = rng.integers(0, 2, n_items)
    cluster = 2 * rng.integers(0, 7, n_items) + group if clustered else None
    return RatingRows(codes, rng.choice([0.5, 1.0, 2.0], n_items), group, 2, 3, cluster)


def test_raters_with_a_rating_in_a_group_are_counted():
    for seed in range(20):
        rows = drawn_rows(4, seed=seed)
        parts = [rows.codes[:, rows.group == group] for group in range(2)]
        assert rows.n_active.tolist() == [(part >= 0).any(axis=1).sum() for part in parts]


@each("n_items", [1, 3, 100, 1e-300, 1e300])
def test_counts_are_divided_without_loss(n_items):
    count = np.array([1 / 3, 1.0, 0.1]) * n_items
    rows = RatingRows(np.zeros((2, 3), dtype=np.int8), count, np.zeros(3, dtype=int), 1, 1)
    found = rows.in_units().count
    assert 0.5 <= found.sum() <= 2
    assert_array_equal(np.frexp(found)[0], np.frexp(count)[0])


def weights_of_patterns(rows):
    """Sum the counts of equal rows, one by one."""
    outer = rows.group if rows.cluster is None else rows.cluster
    found = Counter()
    for place, count in enumerate(rows.count):
        found[(int(outer[place]), *rows.codes[:, place].tolist())] += float(count)
    return found


@each("bits", [0, 1, 15, 16, 17, 32, 33, 62])
def test_numbers_of_any_size_are_sorted_and_equal_ones_stay_in_order(bits):
    rng = np.random.default_rng(bits)
    keys = rng.choice(rng.integers(0, 1 << bits, 30, endpoint=False), 300)
    keys[:2] = (1 << bits) - 1  # the largest
    for some in (keys, keys[:0]):
        assert_array_equal(order_of(some, 1 << bits), np.argsort(some, kind="stable"))


@each(("n_raters", "n_categories"), [(4, 3), (80, 3), (400, 5), (30, 1000)])
def test_rows_of_any_number_of_raters_are_merged_and_sorted(n_raters, n_categories):
    """Six to the power of 400 is more than a float holds."""
    rng = np.random.default_rng(1)
    distinct = rng.integers(-1, n_categories, (n_raters, 40))
    place, weight = rng.integers(0, 40, 300), rng.integers(1, 9, 300)
    outer = rng.integers(0, 2, 300)
    rows = RatingRows(distinct[:, place], weight.astype(float), outer, 2, n_categories)
    expected: dict[tuple[int, ...], int] = {}
    for where, codes, count in zip(outer, rows.codes.T, weight, strict=True):
        key = (where, *np.where(codes < 0, n_categories, codes))
        expected[key] = expected.get(key, 0) + count
    found = rows.compressed
    levels = np.where(found.codes < 0, n_categories, found.codes)
    assert [*zip(found.group, *levels, strict=True)] == sorted(expected)
    assert found.count.tolist() == [expected[key] for key in sorted(expected)]


def test_columns_that_together_exceed_an_integer_are_told_apart():
    most = 2**31 - 2
    columns = [np.array([0, 4, most]), np.full(3, most), np.full(3, most)]
    first, place = number_rows(columns, 3)
    assert_array_equal(first, [0, 1, 2])
    assert_array_equal(place, [0, 1, 2])


@each("size", [0, 1, 7, 59, 60, 100])
@each("clustered", [False, True])
def test_parts_hold_every_row_once_and_clusters_whole(size, clustered):
    rows = drawn_rows(clustered=clustered)
    parts = list(rows.parts(size))
    assert sum((weights_of_patterns(part) for part in parts), Counter()) == weights_of_patterns(
        rows
    )
    if clustered:
        clusters = [set(part.cluster.tolist()) for part in parts]
        assert sum(map(len, clusters)) == len(set().union(*clusters))
    else:
        assert {len(part.count) for part in parts[:-1]} <= {max(size, 1)}


def test_tables_of_pairs_stand_for_the_rows_that_they_share():
    """A value of each cell reaches the rows in it, and a sum of the pairs their group."""
    drawn = drawn_rows(n_items=200)
    codes = np.where(drawn.codes < 0, np.arange(200) % 4 - 1, drawn.codes)  # some are missing
    rows = drawn.with_rows(codes=codes, count=np.full(200, 0.5))
    value = np.arange(9.0).reshape(3, 3) ** 2
    found = []
    for every in (joints, joints_or_tables):
        of_rows, of_groups, n_items = np.zeros(200), np.zeros(2), np.zeros(2)
        for one in every(rows):
            one.add_to(of_rows, value[*one.rows.codes])
            of_groups += one.sum(one.rows.total(value[*one.rows.codes]), 2)
            n_items += one.sum(one.rows.n_items, 2)
            assert_allclose(one.weight, 0.5)
        found.append((of_rows, of_groups, n_items))
    assert {type(one) for one in joints_or_tables(rows)} == {JointTables}
    for plain, by_tables in zip(*found, strict=True):
        assert_allclose(by_tables, plain)


def test_pairs_of_ratings_are_counted():
    rows = drawn_rows()
    rated = rows.codes >= 0
    pairs = [rated[i] & rated[j] for i in range(4) for j in range(i)]
    assert rows.n_joint == np.sum(pairs)


def test_sets_of_categories_of_many_groups_are_told_apart():
    """Counts of thirty categories fit into a number of 64 bits, but not beside 64 groups."""
    n_categories, n_groups = 30, 64
    code = [[0], [0, 29], [0, 0, 0], [0, 0, 29]]
    row = np.repeat(np.arange(4), [len(one) for one in code])
    rater = np.concatenate([np.arange(len(one)) for one in code])
    rows = ListedRows(
        row=row,
        rater=rater,
        code=np.concatenate(code),
        crowd=3,
        count=np.ones(4),
        group=np.array([0, 0, 63, 63]),
        n_groups=n_groups,
        n_categories=n_categories,
    )
    found = Numbered.of(rows)
    assert len(found.first) == 4
    assert len({*found.place.tolist()}) == 4


@each("n_groups", [1, 2, 3])
@each("with_itself", [False, True])
def test_cells_of_pairs_are_in_the_order_of_their_tables(n_groups, with_itself):
    """Counted one by one: group by group, a rater's own table after those of the pairs."""
    rng = np.random.default_rng(1)
    codes, group = rng.integers(-1, 3, (4, 40)), rng.integers(0, n_groups, 40)
    item, rater = np.nonzero(codes.T >= 0)
    rows = ListedRows(item, rater, codes[rater, item], 4, np.ones(40), group, n_groups, 3)
    cells = count_listed(rows, with_itself=with_itself)
    if with_itself:
        subject = group[item] * 4 + rater
        margins = count_categories(subject, codes[rater, item], n_groups * 4, 3)
        again = count_listed(rows).with_raters(margins, n_groups)
        assert_array_equal([cells.keys, cells.count], [again.keys, again.count])
    (first, second), counts = tables_of(cells, 4, n_groups, 3)
    pairs = [(i, j) for i in range(4) for j in range(i + 1, 4)]
    assert [*zip(first, second, strict=True)] == pairs + [(i, i) for i in range(4)] * with_itself
    expected = np.zeros((n_groups, len(first), 3, 3))
    for g, column in zip(group, codes.T, strict=True):
        for place, (i, j) in enumerate(zip(first, second, strict=True)):
            if column[i] >= 0 and column[j] >= 0:
                expected[g, place, column[i], column[j]] += 1
    assert (np.diff(counts.table) >= 0).all()
    assert_array_equal(counts.tables().reshape(expected.shape), expected)
