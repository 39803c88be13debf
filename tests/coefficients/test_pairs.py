"""Counts of pairs: every path of counting against a loop, and sums of counts."""

from itertools import combinations, combinations_with_replacement
from typing import NamedTuple

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from numpy.testing import assert_allclose, assert_array_equal

from conftest import each
from pdkappa.coefficients import chance
from pdkappa.coefficients import pair_counts as kernels
from pdkappa.coefficients.pair_counts import PairCounts, count_pairs


class Ratings(NamedTuple):
    """What is counted: codes of shape (R, N), and what may belong to the items."""

    codes: np.ndarray
    n_categories: int
    groups: np.ndarray | None = None
    n_groups: int = 1
    weights: np.ndarray | None = None
    asked: tuple[tuple[int, int], ...] = ()

    def items(self, which):
        """Return some of the items."""
        return self._replace(
            codes=self.codes[:, which],
            groups=None if self.groups is None else self.groups[which],
            weights=None if self.weights is None else self.weights[which],
        )

    @property
    def pairs(self):
        """Return all pairs of raters, each with itself too, the last first, or those asked for."""
        if self.asked:
            return list(self.asked)
        return [*combinations_with_replacement(range(len(self.codes)), 2)][::-1]

    def count(self, pairs=None):
        """Count with the package."""
        return count_pairs(
            self.codes,
            self.n_categories,
            pairs=self.pairs if pairs is None else pairs,
            groups=self.groups,
            n_groups=self.n_groups,
            weights=self.weights,
        )

    def loop(self):
        """Count item by item: tables of shape (G, P, K, K)."""
        k = self.n_categories
        tables = np.zeros((self.n_groups, len(self.pairs), k, k))
        for item in range(self.codes.shape[1]):
            group = 0 if self.groups is None else self.groups[item]
            weight = 1 if self.weights is None else self.weights[item]
            for number, (a, b) in enumerate(self.pairs):
                first, second = self.codes[a, item], self.codes[b, item]
                if first >= 0 and second >= 0:
                    tables[group, number, first, second] += weight
        return tables.reshape(-1, k, k)


@st.composite
def ratings(draw, max_categories=4):
    """Draw ratings with or without missing ones, groups and weights."""
    n_raters = draw(st.integers(2, 7))
    n_items = draw(st.integers(0, 12))
    k = draw(st.integers(1, max_categories))
    lowest = -1 if draw(st.booleans()) else 0
    codes = draw(arrays(np.int8, (n_raters, n_items), elements=st.integers(lowest, k - 1)))
    n_groups = draw(st.integers(1, 4))
    groups = arrays(np.int64, n_items, elements=st.integers(0, n_groups - 1))
    weights = arrays(np.float64, n_items, elements=st.integers(1, 9))
    if draw(st.booleans()):
        groups, n_groups = st.none(), 1
    if draw(st.booleans()):
        weights = st.none()
    return Ratings(codes, k, draw(groups), n_groups, draw(weights))


def simulated(n_raters, n_items, k, *, missing=0.2, n_groups=None, weighted=False, seed=1):
    """Draw ratings of one shape."""
    rng = np.random.default_rng(seed)
    codes = rng.integers(0, k, (n_raters, n_items)).astype(np.int32)
    codes[rng.random(codes.shape) < missing] = -1
    return Ratings(
        codes,
        k,
        None if n_groups is None else rng.integers(0, n_groups, n_items),
        n_groups or 1,
        rng.integers(1, 5, n_items).astype(float) if weighted else None,
    )


def assert_valid(counts):
    """Cells ascend, occur once, and count something; ints stay ints."""
    assert (np.diff(counts.keys) > 0).all()
    assert (counts.count > 0).all()
    assert counts.table.shape == counts.row.shape == counts.col.shape == counts.count.shape
    for category in (counts.row, counts.col):
        assert ((category >= 0) & (category < counts.n_categories)).all()
    assert ((counts.table >= 0) & (counts.table < counts.n_tables)).all()


@given(drawn=ratings(), data=st.data())
def test_counts_of_chunks_add_up(drawn, data):
    n_items = drawn.codes.shape[1]
    first = data.draw(arrays(np.bool_, n_items))
    total = drawn.items(first).count() + drawn.items(~first).count()
    assert_valid(total)
    assert_array_equal(total.tables(), drawn.count().tables())
    assert total.count.dtype == drawn.count().count.dtype


@given(drawn=ratings())
def test_totals_shares_and_margins_belong_together(drawn):
    counts = drawn.count()
    tables = counts.tables().astype(float)
    n = tables.sum(axis=(1, 2))
    assert_array_equal(counts.total, n)
    rated = n > 0
    row, col = counts.margins()
    assert_allclose(row[rated], tables.sum(axis=2)[rated] / n[rated, None], rtol=1e-14)
    assert_allclose(col[rated], tables.sum(axis=1)[rated] / n[rated, None], rtol=1e-14)
    assert np.isnan(row[~rated]).all()
    assert np.isnan(col[~rated]).all()
    assert_allclose(counts.sum(counts.shares), rated, atol=1e-14)
    assert_allclose(counts.shares * n[counts.table], counts.count, rtol=1e-14)


@given(
    tables=arrays(
        np.int64,
        st.tuples(*[st.integers(1, 4)] * 2, st.just(3), st.just(3)),
        elements=st.integers(0, 9),
    )
)
def test_dense_tables_come_back(tables):
    counts = PairCounts.from_tables(tables)
    assert_valid(counts)
    assert counts.n_tables == tables.shape[0] * tables.shape[1]
    assert_array_equal(counts.tables().reshape(tables.shape), tables)
    again = PairCounts.from_keys(counts.keys, counts.count, counts.n_tables, counts.n_categories)
    assert_array_equal(again.tables(), counts.tables())
    for number, table in enumerate(tables.reshape(-1, 3, 3)):
        assert_array_equal(counts.only(number), table)


@given(drawn=ratings(), block=st.integers(1, 30))
def test_blocks_cover_all_tables_in_order(drawn, block):
    counts = drawn.count()
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(kernels, "BLOCK", block)
        parts = list(counts.blocks())
    assert_array_equal(np.concatenate([numbers for numbers, _ in parts]), range(counts.n_tables))
    assert_array_equal(np.concatenate([part.tables() for _, part in parts]), counts.tables())
    for numbers, part in parts:
        assert_valid(part)
        assert part.n_tables == len(numbers)
        assert part.n_tables * part.n_categories <= max(block, part.n_categories)


@each("exponents", [(3, 3), (3, 5), (5, 3)])
def test_units_add_up(exponents):
    """Counts of huge weights are kept in a common unit."""
    units = [10.0**exponent for exponent in exponents]
    parts = [
        PairCounts(*(np.array([i]) for i in (0, 0, place, 2.0)), 1, 2, unit)
        for place, unit in enumerate(units)
    ]
    total = parts[0] + parts[1]
    assert_allclose(total.tables()[0, 0] * total.unit, [2 * unit for unit in units], rtol=1e-15)
    assert total.unit == max(units)
    assert next(iter(total.blocks()))[1].unit == total.unit


def test_whole_numbers_stay_whole():
    """Int64 counts beyond 2**53 are added without passing through floats."""
    large = PairCounts.from_tables(np.array([[[2**53 + 1, 0], [0, 1]]]))
    assert_array_equal((large + large).tables(), [[[2**54 + 2, 0], [0, 2]]])


@settings(max_examples=100)
@given(drawn=ratings())
def test_small_shapes_against_a_loop(drawn):
    counts = drawn.count()
    assert_valid(counts)
    assert counts.n_tables == drawn.n_groups * len(drawn.pairs)
    assert counts.n_categories == drawn.n_categories
    assert counts.unit == 1
    assert_array_equal(counts.tables(), drawn.loop())
    if counts.count.size:
        assert (counts.count.dtype.kind == "i") == (drawn.weights is None)


def as_cells(tables):
    """Numbers of the cells of dense tables that are not empty, and their counts."""
    flat = tables.reshape(-1)
    return np.flatnonzero(flat), flat[np.flatnonzero(flat)]


def one_by_one(drawn, *, sorting):
    """Count one pair after the other, by histograms or by sorting the items."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(kernels, "MOST_BINS", 0 if sorting else 1 << 30)
        patch.setattr(kernels, "DENSE_PER_ITEM", 0)
        return kernels.one_by_one(
            drawn.codes,
            drawn.n_categories,
            drawn.pairs,
            groups=drawn.groups,
            n_groups=drawn.n_groups,
            weights=drawn.weights,
        )


KERNELS = {
    "bits": lambda drawn: as_cells(kernels.by_bits(drawn.codes, drawn.n_categories, drawn.pairs)),
    **{
        f"blocks of {size}": lambda drawn, size=size: as_cells(
            kernels.by_blocks(drawn.codes, drawn.n_categories, drawn.pairs, size, drawn.weights)
        )
        for size in (1, 2, 3)
    },
    "histograms": lambda drawn: one_by_one(drawn, sorting=False),
    "sorting": lambda drawn: one_by_one(drawn, sorting=True),
    "lists": lambda drawn: kernels.by_lists(
        drawn.codes, drawn.n_categories, drawn.pairs, drawn.groups, drawn.weights
    ),
}
every_kernel = each("kernel", KERNELS.values())


@st.composite
def shapes(draw):
    """Draw ratings of more items than fill a word, and of some raters who share few items."""
    drawn = simulated(
        draw(st.integers(2, 6)),
        draw(st.sampled_from([0, 1, 7, 8, 63, 64, 65, 127, 128, 129, 200])),
        draw(st.integers(1, 5)),
        missing=draw(st.sampled_from([0.0, 0.3, 0.95])),
        n_groups=draw(st.sampled_from([None, 1, 3])),
        weighted=draw(st.booleans()),
        seed=draw(st.integers(0, 2**32 - 1)),
    )
    raters = st.integers(0, len(drawn.codes) - 1)
    pairs = draw(st.lists(st.tuples(raters, raters), min_size=1, max_size=12))
    return drawn._replace(asked=tuple(pairs))


@given(
    drawn=shapes(), words=st.integers(1, 3), tile=st.integers(1, 40), n_bytes=st.integers(1, 2000)
)
@every_kernel
def test_every_kernel_against_a_loop(kernel, drawn, words, tile, n_bytes):
    """Pairs may come in any order, and, but in lists, more than once, and with a rater himself."""
    if kernel is KERNELS["lists"]:
        asked = {(min(pair), max(pair)): None for pair in drawn.asked if pair[0] != pair[1]}
        drawn = drawn._replace(asked=tuple(asked) or ((0, 1),))
    elif kernel not in (KERNELS["histograms"], KERNELS["sorting"]):
        drawn = drawn._replace(groups=None, n_groups=1)
    if kernel is KERNELS["bits"]:
        drawn = drawn._replace(weights=None)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(kernels, "WORDS", words)
        patch.setattr(kernels, "TILE", tile)
        patch.setattr(kernels, "BYTES", n_bytes)
        keys, count = kernel(drawn)
    expected_keys, expected = as_cells(drawn.loop())
    assert_array_equal(keys, expected_keys)
    assert_array_equal(count, expected)
    assert count.dtype == (np.int64 if drawn.weights is None else np.float64)


@given(
    seed=st.integers(0, 2**32 - 1),
    n_groups=st.sampled_from([None, 3]),
    weighted=st.booleans(),
    twice=st.sampled_from([(), ((0, 1),), ((1, 0),), ((2, 2),)]),
)
def test_many_raters_who_share_few_items_against_a_loop(seed, n_groups, weighted, twice):
    """They are listed, unless a pair is asked for that lists do not have."""
    drawn = simulated(16, 60, 3, missing=0.9, n_groups=n_groups, weighted=weighted, seed=seed)
    drawn = drawn._replace(asked=(*combinations(range(16), 2), *twice))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(kernels, "BITS", 0)  # as if these, and bins, took long
        patch.setattr(kernels, "BINS", 0)
        for other in ("by_lists",) if twice else ("by_bits", "by_blocks", "one_by_one"):
            patch.setattr(kernels, other, None)
        counts = drawn.count()
    assert_valid(counts)
    assert_array_equal(counts.tables(), drawn.loop())


@given(
    codes=arrays(
        np.int8, st.tuples(st.integers(1, 5), st.integers(1, 200)), elements=st.integers(0, 3)
    ),
    words=st.integers(1, 3),
    tile=st.integers(1, 40),
    cumulative=st.booleans(),
    each_counts=st.sampled_from([1.0, 0.25, 3.0]),
)
def test_what_raters_have_in_common_is_that_of_their_tables(
    codes, words, tile, cumulative, each_counts
):
    """Complete ratings of items that count the same need no cell off the diagonal."""
    count = np.full(codes.shape[1], each_counts)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(kernels, "WORDS", words)
        patch.setattr(kernels, "TILE", tile)
        found = kernels.in_common(codes, count, 4, cumulative=cumulative)
    pairs = list(combinations(codes, 2))
    assert_array_equal(found.n, np.full((len(pairs), 1), count.sum()))
    for k in range(4):
        marks = [(a <= k, b <= k) if cumulative else (a == k, b == k) for a, b in pairs]
        assert_array_equal(found.row[:, k], [count[a].sum() for a, _ in marks])
        assert_array_equal(found.col[:, k], [count[b].sum() for _, b in marks])
        assert_array_equal(found.both[:, k], [count[a & b].sum() for a, b in marks])


def test_what_raters_have_in_common_is_of_complete_ratings_that_count_the_same():
    codes, count = np.zeros((3, 4), dtype=np.int8), np.ones(4)
    assert kernels.in_common(codes, count, 2) is not None
    assert kernels.in_common(codes - (np.arange(4) == 1), count, 2) is None
    assert kernels.in_common(codes, count + np.arange(4), 2) is None
    assert kernels.in_common(codes, count, kernels.MOST_IN_COMMON + 1) is None
    assert kernels.in_common(codes[:, :0], count[:0], 2) is None


@each("more", [-1, 0, 1])
def test_as_many_shared_bits_as_are_counted_at_a_time(more):
    """All items in one category: the sum of the bits is at its largest."""
    n_items = kernels.WORD * kernels.WORDS + more
    tables = kernels.by_bits(np.zeros((2, n_items), dtype=np.int8), 2, [(0, 1)])
    assert_array_equal(tables, [[[n_items, 0], [0, 0]]])


def test_pairs_asked_for_again_need_no_joint_histogram(monkeypatch):
    """A block of one rater serves one pair; the table of all categories might not fit in memory."""
    monkeypatch.setattr(kernels, "by_blocks", None)
    drawn = simulated(2, 40, 30)
    asked = ((0, 1), (1, 0), (0, 0), (1, 1), (0, 1))
    assert_array_equal(drawn.count(list(asked)).tables(), drawn._replace(asked=asked).loop())


@given(
    drawn=ratings(max_categories=12),
    together=st.integers(1, 5),
    power=st.sampled_from([1, 3]),
    scale=st.sampled_from([1, 999]),
)
def test_sums_of_scores_against_a_loop(drawn, together, power, scale):
    """Large scores need long floats, and those that count up no look-up."""
    scores = np.arange(drawn.n_categories, dtype=float) ** power * scale - 7
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(chance, "TOGETHER", together)
        found = chance.sums_of_scores(drawn.codes, scores)
    for a, first in enumerate(drawn.codes):
        for b, second in enumerate(drawn.codes):
            both = (first >= 0) & (second >= 0)
            x, y = scores[first[both]], scores[second[both]]
            expected = [both.sum(), x.sum(), (x * x).sum(), (x * y).sum()]
            assert [one[a, b] for one in found] == expected


def test_many_labels_make_a_short_list():
    """As many categories as items: nothing grows with their square."""
    k = 300_000
    codes = np.stack([np.arange(k), np.arange(k)[::-1]])
    counts = count_pairs(codes, k, pairs=[(0, 1), (0, 0)])
    assert len(counts.count) == 2 * k
    assert_array_equal(counts.row[:k], codes[0])
    assert_array_equal(counts.col[:k], codes[1])
    assert_array_equal(counts.total, [k, k])


@each("n_groups", [None, 3])
def test_no_category_at_all(n_groups):
    codes = np.full((3, 4), -1)
    groups = None if n_groups is None else np.array([0, 1, 2, 2])
    counts = count_pairs(codes, 0, pairs=[(0, 1), (1, 2)], groups=groups, n_groups=n_groups or 1)
    assert counts.n_tables == 2 * (n_groups or 1)
    assert counts.tables().shape == (counts.n_tables, 0, 0)
    assert counts.only(0).shape == (0, 0)
    assert [len(numbers) for numbers, _ in counts.blocks()] == [counts.n_tables]


@each("dtype", [np.int8, np.int16, np.int32, np.int64])
def test_small_integers_do_not_overflow(dtype):
    """127 categories in an int8: the number of a cell does not fit that type."""
    codes = np.array([[0, 126, 126, 90], [126, 0, 126, 91]], dtype=dtype)
    counts = count_pairs(codes, 127, pairs=[(0, 1)])
    assert_array_equal(counts.row, [0, 90, 126, 126])
    assert_array_equal(counts.col, [126, 91, 0, 126])
