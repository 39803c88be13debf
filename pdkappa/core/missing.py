"""Joint distribution of raters with missing ratings, by maximum likelihood.

Leaving out incomplete items is right if ratings are missing completely at random. If what
is missing depends on the ratings that are there (missing at random), the estimates of the
incomplete items have to be carried along: the EM algorithm spreads each of them over the
complete rows that it may stand for.
"""

from __future__ import annotations

from itertools import compress
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Iterator

    from pdkappa._typing import FloatArray
    from pdkappa.core.rows import RatingRows

LARGEST_JOINT = 1 << 19  # cells of the joint table times distinct rows of ratings
BLOCK = 1 << 21
TOLERANCE = 1e-10
TOLERANCE_OF_ERRORS = 1e-7  # of data sets with an item left out, whose spread is some 1/n
MOST_STEPS = 5_000

Tables = dict[tuple[int, ...], "FloatArray"]


def tabulate(rows: RatingRows) -> Tables:
    """Count the rows of one group by which ratings are missing.

    Returns
    -------
    dict
        For the raters who are missing, a table of shape (1, K or 1, ..., K or 1): a
        leading axis, then one for each rater, of length 1 where he is missing.
    """
    k, n_raters = rows.n_categories, len(rows.codes)
    tables: Tables = {}
    masks, kind = np.unique(rows.codes < 0, axis=1, return_inverse=True)
    for number, mask in enumerate(masks.T):
        if mask.all():
            continue
        chosen = kind.reshape(-1) == number
        shape = tuple(np.where(mask, 1, k))
        place = np.ravel_multi_index(
            tuple(np.where(one < 0, 0, one) for one in rows.codes[:, chosen]), shape
        )
        counts = np.bincount(place, weights=rows.count[chosen], minlength=int(np.prod(shape)))
        table = counts.astype(np.float64, copy=False).reshape(1, *shape)
        tables[tuple(compress(range(n_raters), mask))] = table
    return tables


def joint_distribution(
    tables: Tables, start: FloatArray | None = None, *, tolerance: float = TOLERANCE
) -> FloatArray:
    """Estimate the shares of all complete rows, by the EM algorithm.

    Parameters
    ----------
    tables : dict
        As `tabulate` returns them, with a leading axis of length B: data sets.
    start : ndarray of float, shape (1, K, ..., K), optional
        Where to begin; by default the product of the raters' own shares.
    tolerance : float
        Change of a share below which a step is the last one.

    Returns
    -------
    ndarray of float, shape (B, K, ..., K)
        Shares, adding up to 1. With two raters of whom one rated everything, it is
        ``p(k) * p(l | k)`` with the first from all items and the second from the complete
        ones. A category that occurs in incomplete rows only says nothing of the other
        raters, who then keep to the start.
    """
    total = sum(table.reshape(len(table), -1).sum(axis=1) for table in tables.values())
    joint = _independent(tables) if start is None else start
    n_raters = joint.ndim - 1
    size = np.asarray(total).reshape(-1, *(1,) * n_raters)
    for _ in range(MOST_STEPS):
        spread = np.zeros(np.broadcast_shapes(joint.shape, size.shape))
        for missing, table in tables.items():
            axes = tuple(rater + 1 for rater in missing)
            margin = joint.sum(axis=axes, keepdims=True)
            spread += joint * _ratio(table, margin)
        spread /= size
        change = np.abs(spread - joint).max()
        joint = spread
        if change < tolerance:
            break
    return joint


def without_one(tables: Tables) -> Iterator[tuple[Tables, FloatArray]]:
    """Take one item out of every distinct row, in blocks of data sets.

    Yields
    ------
    tables : dict
        As above, with one data set for each distinct row.
    times : ndarray of float, shape (B,)
        How often each of these rows occurs.
    """
    shapes = np.array([table.shape[1:] for table in tables.values()])
    step = max(1, BLOCK // int(np.prod(shapes.max(axis=0))))
    for missing, table in tables.items():
        found = np.flatnonzero(table)
        for start in range(0, len(found), step):
            block = found[start : start + step]
            changed = {key: np.repeat(value, len(block), axis=0) for key, value in tables.items()}
            flat = changed[missing].reshape(len(block), -1)
            flat[np.arange(len(block)), block] -= 1
            yield changed, table.reshape(-1)[block]


def pair_tables_of(joint: FloatArray, pairs: list[tuple[int, int]]) -> FloatArray:
    """Sum a joint distribution to the tables of pairs of raters, shape (B, P, K, K)."""
    raters = range(joint.ndim - 1)
    tables = []
    for first, second in pairs:
        rest = tuple(rater + 1 for rater in raters if rater not in (first, second))
        margin = joint.sum(axis=rest)
        tables.append(margin if first != second else margin[..., None] * np.eye(margin.shape[-1]))
    return np.stack(tables, axis=1)


def _independent(tables: Tables) -> FloatArray:
    """Product of the raters' own shares among all they rated, shape (B, K, ..., K)."""
    n_axes = next(iter(tables.values())).ndim
    joint = np.ones((1,) * n_axes)
    for axis in range(1, n_axes):
        others = tuple(other for other in range(1, n_axes) if other != axis)
        seen = [
            table.sum(axis=others, keepdims=True)
            for missing, table in tables.items()
            if axis - 1 not in missing
        ]
        share = np.sum(seen, axis=0) if seen else np.ones((1,) * n_axes)
        total = share.sum(axis=axis, keepdims=True)
        joint = joint * _ratio(share, total)
    return joint


def _ratio(part: FloatArray, whole: FloatArray) -> FloatArray:
    """Divide, with zero where there is nothing to divide by."""
    shape = np.broadcast_shapes(part.shape, whole.shape)
    return np.divide(part, whole, out=np.zeros(shape), where=whole > 0)
