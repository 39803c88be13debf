"""Ratings one below the other -> counts of the pairs of raters who share items."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from pdkappa.counts.core.pairs import PairCounts, add_up, starts_of

if TYPE_CHECKING:
    from collections.abc import Iterator

    from pdkappa._typing import CountArray, FloatArray, IntArray

    Found = tuple[IntArray, CountArray]

MOST_WAITING = 1 << 24  # joint ratings kept before they are added up
NOTHING = (np.empty(0, dtype=np.int64), np.empty(0, dtype=np.int64))


def count_listed(
    item: IntArray,
    rater: IntArray,
    category: IntArray,
    *,
    n_raters: int,
    n_categories: int,
    group: IntArray | None = None,
    n_groups: int = 1,
    weights: FloatArray | None = None,
    with_itself: bool = False,
) -> tuple[IntArray, PairCounts]:
    """Count the categories that pairs of raters gave to the items that both rated.

    It takes time in proportion to the joint ratings, and memory to the cells that occur:
    raters who share no item cost nothing.

    Parameters
    ----------
    item, rater, category : ndarray of int, shape (M,)
        The ratings, sorted by item and by rater within an item; none occurs twice.
    n_raters, n_categories : int
        R and K; ``(R * K)**2 * G`` must be less than 2**63.
    group : ndarray of int, shape (M,), optional
        Group of the item of each rating, from 0 to `n_groups` - 1.
    n_groups : int
        G.
    weights : ndarray of float, shape (M,), optional
        Frequency weight of the item of each rating, greater than zero.
    with_itself : bool
        Whether to pair each rater with itself too.

    Returns
    -------
    pairs : ndarray of int, shape (P, 2)
        The pairs that share an item in some group, in ascending order.
    counts : PairCounts
        G x P tables; pair ``p`` of group ``g`` is table ``g * P + p``.
    """
    cells = max(n_categories, 1) ** 2
    known: Found = NOTHING
    waiting: list[tuple[IntArray, CountArray | None]] = []
    # What the first and the second of two ratings put into the number of their cell.
    table = n_groups * cells
    as_first = rater.astype(np.int64) * (n_raters * table)
    as_first += category.astype(np.int64) * n_categories
    as_second = rater.astype(np.int64) * table
    as_second += category
    if group is not None:
        as_first += group.astype(np.int64) * cells
    for first, second in joint_ratings(item, with_itself=with_itself):
        key = as_first[first]
        key += as_second[second]
        waiting.append((key, None if weights is None else weights[first]))
        if sum(len(keys) for keys, _ in waiting) > max(MOST_WAITING, len(known[0])):
            known, waiting = _merge(known, waiting), []
    return _by_table(*_merge(known, waiting), n_raters, n_groups, n_categories)


def _merge(known: Found, waiting: list[tuple[IntArray, CountArray | None]]) -> Found:
    """Add up what was found to what is known; None counts one each."""
    if not waiting:
        return known
    weights = [count for _, count in waiting if count is not None]
    keys = np.concatenate([keys for keys, _ in waiting])
    found = add_up(keys, np.concatenate(weights) if weights else None)
    if not len(known[0]):
        return found
    return add_up(*(np.concatenate(parts) for parts in zip(known, found, strict=True)))


def joint_ratings(
    item: IntArray, *, with_itself: bool = False
) -> Iterator[tuple[IntArray, IntArray]]:
    """Return the places of every two ratings of an item, of sorted items, some at a time."""
    first, distance = np.arange(len(item)), 0 if with_itself else 1
    while len(first):
        first = first[: np.searchsorted(first, len(item) - distance)]
        first = first[item[first + distance] == item[first]]
        yield first, first + distance
        distance += 1


def _by_table(
    keys: IntArray, count: CountArray, n_raters: int, n_groups: int, n_categories: int
) -> tuple[IntArray, PairCounts]:
    """Find the pairs that occur, and number the tables by group, and by pair within a group."""
    cells = max(n_categories, 1) ** 2
    pair = keys // (cells * n_groups)  # ascending, as the keys are
    starts = starts_of(pair)
    known = pair[starts]
    number = np.repeat(np.arange(len(known)), np.diff(starts, append=len(pair)))
    pair *= cells * n_groups
    cell = np.subtract(keys, pair, out=pair)
    if n_groups > 1:
        group, cell = np.divmod(cell, cells)
        number += group * len(known)
        order = np.argsort(number * cells + cell)
        number, cell, count = number[order], cell[order], count[order]
    pairs = np.stack(np.divmod(known, n_raters), axis=1)
    return pairs, PairCounts.from_cells(
        number, cell, count, n_tables=n_groups * len(known), n_categories=n_categories
    )
