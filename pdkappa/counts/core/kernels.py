"""Ways of counting pairs of ratings: the same whole numbers, each the fastest for some shape.

`pdkappa.counts.core.pairs.count_pairs` chooses among them. How fast each of them is, and the ways
that were tried and left out, stand in ``benchmarks/README.md``.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Iterator

    from pdkappa._typing import CountArray, FloatArray, IntArray

MOST_BINS = 1 << 16  # bins of a histogram that stay in a core's cache
DENSE_PER_ITEM = 4  # bins per item up to which a histogram beats sorting
WORD = 64  # items whose bits fill a word
WORDS = 1000  # words counted at a time; the bits that they share must fit in 16 bits
TILE = 1 << 15  # words compared at a time, which stay in a core's cache
BYTES = 1 << 22  # bytes turned into bits at a time

Pairs = list[tuple[int, int]]


def by_bits(codes: IntArray, k: int, pairs: Pairs) -> CountArray:
    """Count pairs of raters from bits, without groups and weights, shape (P, K, K).

    A bit for each item says whether a rater gave it a category. The bits that two raters'
    categories share are counted 64 items at a time. If every item is rated, the cells of
    the last category are what the margins leave.
    """
    first, second = np.array(pairs, dtype=np.int64).reshape(-1, 2).T
    n_raters, n_items = codes.shape
    is_complete = not (codes < 0).any()
    n_counted = k - is_complete
    tables = np.zeros((len(pairs), k, k), dtype=np.int64)
    margins = np.zeros((n_raters, n_counted), dtype=np.int64)
    runs = list(_runs_by_first(first, second))
    for start in range(0, n_items, WORD * WORDS):
        bits = _bits(codes[:, start : start + WORD * WORDS], n_counted)
        margins += np.bitwise_count(bits).sum(axis=-1, dtype=np.int64)
        for rater, others, places in runs:
            tables[places, :n_counted, :n_counted] += _shared_bits(bits[rater], bits[others])
    if is_complete:
        inside = tables[:, :n_counted, :n_counted]
        tables[:, :n_counted, -1] = margins[first] - inside.sum(axis=2)
        tables[:, -1, :n_counted] = margins[second] - inside.sum(axis=1)
        tables[:, -1, -1] = n_items - tables.sum(axis=(1, 2))
    return tables


def _runs_by_first(
    first: IntArray, second: IntArray
) -> Iterator[tuple[int, slice | IntArray, slice | IntArray]]:
    """Gather pairs by their first rater: that rater, the second ones, and places of the pairs."""
    order = np.lexsort((second, first))
    starts = np.flatnonzero(np.diff(first[order], prepend=-1))
    for start, stop in zip(starts, np.append(starts[1:], len(order)), strict=True):
        places = order[start:stop]
        yield int(first[places[0]]), _as_slice(second[places]), _as_slice(places)


def _as_slice(numbers: IntArray) -> slice | IntArray:
    """Return whole numbers as a slice where they follow each other, which spares a copy."""
    low, high = int(numbers[0]), int(numbers[-1])
    consecutive = np.array_equal(numbers, np.arange(low, high + 1))
    return slice(low, high + 1) if consecutive else numbers


def _bits(codes: IntArray, n_counted: int) -> IntArray:
    """Turn codes into one bit for each item, rater and category, shape (R, n_counted, words)."""
    n_raters, n_items = codes.shape
    levels = np.arange(n_counted, dtype=codes.dtype)[:, None]
    packed = np.zeros((n_raters, n_counted, -(-n_items // WORD) * (WORD // 8)), dtype=np.uint8)
    step = max(1, BYTES // max(n_counted * n_items, 1))
    for start in range(0, n_raters, step):
        part = slice(start, start + step)
        bits = np.packbits(codes[part, None] == levels, axis=-1)
        packed[part, :, : bits.shape[-1]] = bits
    return packed.view(np.uint64)


def _shared_bits(one: IntArray, others: IntArray) -> IntArray:
    """Count the bits that one rater's categories share with others', shape (M, L, L).

    `one` has the shape (L, words), the bits of the M `others` have (M, L, words).
    """
    n_others, n_counted, n_words = others.shape
    flat = others.reshape(n_others * n_counted, n_words)
    shared = np.empty((n_counted, len(flat)), dtype=np.int64)
    step = max(1, TILE // max(n_counted * n_words, 1))
    for start in range(0, len(flat), step):
        both = one[:, None] & flat[start : start + step]
        number = np.bitwise_count(both)
        shared[:, start : start + step] = np.add.reduce(number, axis=-1, dtype=np.uint16)
    return shared.reshape(n_counted, n_others, n_counted).swapaxes(0, 1)


def raters_per_block(n_raters: int, n_items: int, levels: int) -> int:
    """Most raters whose joint histogram with as many others stays small."""
    room = min(max(n_items, MOST_BINS // 16), MOST_BINS)
    size = 1
    while size < n_raters and levels > 1 and levels ** (2 * (size + 1)) <= room:
        size += 1
    return size


def by_blocks(
    codes: IntArray, k: int, pairs: Pairs, size: int, weights: FloatArray | None
) -> CountArray:
    """Count pairs from joint histograms of blocks of raters, without groups, shape (P, K, K).

    One pass over the items for two blocks of three raters serves nine pairs of raters.
    """
    levels = k + bool((codes < 0).any())
    n_raters = len(codes)
    square: CountArray = np.zeros(
        (n_raters, n_raters, k, k), dtype=np.int64 if weights is None else np.float64
    )
    blocks = [range(n_raters)[start : start + size] for start in range(0, n_raters, size)]
    numbers = [_number_rows(codes[block.start : block.stop], levels) for block in blocks]
    for i, (first, rows) in enumerate(zip(blocks, numbers, strict=True)):
        for second, cols in zip(blocks[i:], numbers[i:], strict=True):
            n_rows, n_cols = levels ** len(first), levels ** len(second)
            key = rows * n_cols + cols
            joint = _histogram(key, n_rows * n_cols, weights).reshape(n_rows, n_cols)
            for a, by_a in zip(first, _margins_of(joint, levels, len(first)), strict=True):
                margins = _margins_of(by_a.T, levels, len(second))
                for b, by_both in zip(second, margins, strict=True):
                    square[a, b] = by_both.T[:k, :k]
    return np.stack([square[a, b] if a <= b else square[b, a].T for a, b in pairs])


def _number_rows(codes: IntArray, levels: int) -> IntArray:
    """Assign a number to each row of ratings of a few raters; missing is the last level."""
    number = np.zeros(codes.shape[1], dtype=np.int64)
    for one in codes:
        number *= levels
        number += one
        number += levels * (one < 0)
    return number


def _margins_of(joint: CountArray, levels: int, n_raters: int) -> list[CountArray]:
    """Sum the rows of a histogram, numbered as above, to the levels of one rater at a time."""
    shapes = [(levels**r, levels, levels ** (n_raters - r - 1), -1) for r in range(n_raters)]
    return [joint.reshape(shape).sum(axis=(0, 2)) for shape in shapes]


def one_by_one(
    codes: IntArray,
    k: int,
    pairs: Pairs,
    *,
    groups: IntArray | None,
    n_groups: int,
    weights: FloatArray | None,
) -> tuple[IntArray, CountArray]:
    """Count one pair after the other: the numbers of the cells found, and their counts.

    The numbers are ``((group * P + pair) * K + row) * K + col``, in ascending order. Histograms
    hold all cells of a pair; where these are many more than the items, items are sorted instead.
    """
    n_bins = n_groups * (k + bool((codes < 0).any())) ** 2
    if n_bins <= max(DENSE_PER_ITEM * codes.shape[1], MOST_BINS):
        found = list(
            _by_histogram(codes, k, pairs, groups=groups, n_groups=n_groups, weights=weights)
        )
    else:
        found = [_by_sorting(codes[a], codes[b], k, groups, weights) for a, b in pairs]
    return _in_order_of_tables(found, k, n_groups)


def _by_histogram(
    codes: IntArray,
    k: int,
    pairs: Pairs,
    *,
    groups: IntArray | None,
    n_groups: int,
    weights: FloatArray | None,
) -> Iterator[tuple[IntArray, CountArray]]:
    """Count every pair in all groups, with a row and a column for missing ratings before all."""
    absent = int((codes < 0).any())
    levels = k + absent
    shape = (n_groups, levels, levels)
    start = np.zeros(1, dtype=np.int64) if groups is None else groups.astype(np.int64) * levels
    rows, known = start, -1
    key = np.empty(codes.shape[1], dtype=np.int64)
    for a, b in pairs:
        if a != known:
            known, rows = a, (start + codes[a] + absent) * levels + absent
        counts = _histogram(np.add(rows, codes[b], out=key), math.prod(shape), weights)
        dense = counts.reshape(shape)[:, absent:, absent:].reshape(-1)
        found = np.flatnonzero(dense)
        yield found, dense[found]


def _by_sorting(
    a: IntArray, b: IntArray, k: int, groups: IntArray | None, weights: FloatArray | None
) -> tuple[IntArray, CountArray]:
    """Count one pair in all groups, however many categories there are."""
    rated = (a >= 0) & (b >= 0)
    key = np.zeros(1, dtype=np.int64) if groups is None else groups[rated].astype(np.int64)
    key = (key * k + a[rated]) * k + b[rated]
    if weights is None:
        return np.unique(key, return_counts=True)
    found, where = np.unique(key, return_inverse=True)
    return found, _histogram(where, len(found), weights[rated])


def _histogram(key: IntArray, n_bins: int, weights: FloatArray | None) -> CountArray:
    """Count whole numbers, or sum their weights as floats even where there are none."""
    counts = np.bincount(key, weights=weights, minlength=n_bins)
    return counts if weights is None else counts.astype(np.float64, copy=False)


def _in_order_of_tables(
    found: list[tuple[IntArray, CountArray]], k: int, n_groups: int
) -> tuple[IntArray, CountArray]:
    """Merge the cells of all pairs, numbered by group first and by pair within a group."""
    n_pairs, firsts = len(found), np.arange(n_groups + 1) * k * k
    ends = np.array([np.searchsorted(cells, firsts) for cells, _ in found]).T
    sizes = np.diff(ends, axis=0)  # of each group and pair
    starts = (np.cumsum(sizes) - sizes.reshape(-1)).reshape(sizes.shape)
    keys = np.empty(sizes.sum(), dtype=np.int64)
    counts = np.concatenate([count for _, count in found])
    for number, (cells, count) in enumerate(found):
        group, size = np.arange(n_groups), sizes[:, number]
        places = np.arange(len(cells)) + np.repeat(starts[:, number] - ends[:-1, number], size)
        keys[places] = cells + np.repeat((group * (n_pairs - 1) + number) * (k * k), size)
        counts[places] = count
    return keys, counts
