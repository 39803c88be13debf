"""How far raters agree with each other -> an order with those side by side who agree."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from pdkappa._typing import FloatArray, IntArray

MOST_OPTIMAL = 500  # raters whose leaves are put in the best order, which takes O(R**3) steps


def order_by_likeness(agreement: FloatArray) -> IntArray:
    """Put raters side by side who agree.

    Raters are clustered by their disagreement, one less agreement, with average linkage. Of
    the orders that the clusters allow, it is the one with the least disagreement between
    neighbours [1]_ (of up to 500 raters). Of its two directions it is that in which the
    first rater agrees more with all others than the last one. Where agreement is undefined,
    the mean of all pairs takes its place.

    Parameters
    ----------
    agreement : ndarray of float, shape (R, R)
        Symmetric, at most 1; NaN where undefined. The diagonal is not read.

    Returns
    -------
    ndarray of int, shape (R,)
        The raters in their new order; that given where no pair or one is defined.

    References
    ----------
    .. [1] Bar-Joseph, Z., Gifford, D. K., & Jaakkola, T. S. (2001). Fast optimal leaf ordering
           for hierarchical clustering. Bioinformatics, 17(suppl. 1), S22-S29.
           https://doi.org/10.1093/bioinformatics/17.suppl_1.S22
    """
    n_raters = len(agreement)
    pairs = np.triu_indices(n_raters, 1)
    apart = 1 - agreement[pairs]
    known = np.isfinite(apart)
    if known.sum() <= 1:
        return np.arange(n_raters)
    from scipy.cluster.hierarchy import leaves_list, linkage

    apart = np.where(known, apart, apart[known].mean())
    square = np.zeros((n_raters, n_raters))
    square[pairs] = square[pairs[::-1]] = apart
    tree = linkage(np.maximum(apart, 0), "average")
    order = _best_order(tree, square) if n_raters <= MOST_OPTIMAL else leaves_list(tree)
    total = square.sum(axis=0)
    return order[::-1] if total[order[0]] > total[order[-1]] else order


def _best_order(tree: FloatArray, apart: FloatArray) -> IntArray:
    """Find the order that a tree allows with the least sum of distances between neighbours.

    From the leaves upwards, the least sum for each cluster and each pair of its outermost
    leaves; two such leaves u and w belong to one cluster only, that in which they meet. What
    `optimal_leaf_ordering` of SciPy returns is often longer.
    """
    n = len(apart)
    least, meeting = np.zeros((n, n)), np.where(np.eye(n, dtype=bool), np.arange(n), -1)
    ends = np.zeros((2, n, n), dtype=np.intp)  # where the halves from u to w touch
    leaves = [np.array([leaf]) for leaf in range(n)]
    for number, (a, b) in enumerate(tree[:, :2].astype(int)):
        left, right = leaves[a], leaves[b]
        inner = [
            np.where(meeting[np.ix_(one, one)] == child, least[np.ix_(one, one)], np.inf)
            for one, child in ((left, a), (right, b))
        ]
        place, mirrored = np.ix_(left, right), np.ix_(right, left)
        crossed, last = _shortest(inner[0], apart[place])
        sums, first = _shortest(crossed, inner[1])
        last = np.take_along_axis(last, first, axis=1)
        least[place], least[mirrored] = sums, sums.T
        meeting[place] = meeting[mirrored] = n + number
        for there, back, found in ((0, 1, left[last]), (1, 0, right[first])):
            ends[there][place], ends[back][mirrored] = found, found.T
        leaves.append(np.concatenate([left, right]))
    u, w = np.unravel_index(np.where(meeting == 2 * n - 2, least, np.inf).argmin(), (n, n))
    return _walk(int(u), int(w), ends)


def _shortest(first: FloatArray, second: FloatArray) -> tuple[FloatArray, IntArray]:
    """Add distances (A, M) and (M, B) over the best of M places; tell which, both (A, B)."""
    place = np.stack([(row[:, None] + second).argmin(axis=0) for row in first])
    columns = np.arange(second.shape[1])
    return np.take_along_axis(first, place, axis=1) + second[place, columns], place


def _walk(u: int, w: int, ends: IntArray) -> IntArray:
    """List the leaves from one end to the other."""
    order, left = [], [(u, w)]
    while left:
        u, w = left.pop()
        if u == w:
            order.append(u)
        else:
            left += [(int(ends[1, u, w]), w), (u, int(ends[0, u, w]))]
    return np.array(order)
