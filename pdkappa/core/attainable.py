"""The greatest agreement that two raters with given margins can reach."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from pdkappa._typing import FloatArray
    from pdkappa.core.counts import PairCounts
    from pdkappa.core.weights import Scale

LARGEST_PROGRAMME = 256


def least_disagreement(counts: PairCounts, scale: Scale, *, programmes: bool = True) -> FloatArray:
    """Smallest observed disagreement that the margins of each table allow.

    Parameters
    ----------
    counts : PairCounts
        S tables over K categories.
    scale : Scale
        Disagreement of the categories.
    programmes : bool
        Whether to solve linear programmes where there is no closed form.

    Returns
    -------
    ndarray of float, shape (S,)
        In the units of the scale. NaN for an empty table, and where a linear programme
        would be needed that is not wanted, or has more than 256 categories in use.

    Notes
    -----
    Nominal weights: all that the margins share lies on the diagonal. Convex functions of
    the difference of the scores, as linear and quadratic weights are, satisfy the Monge
    condition, so that pairing both raters' items in ascending order is optimal [1]_.
    Other weights need the linear programme of the transportation problem.

    References
    ----------
    .. [1] Hoffman, A. J. (1963). On simple linear programming problems. Proceedings of
           Symposia in Pure Mathematics, 7, 317-327.
    """
    row, col = counts.margins()
    if not scale.weighting.ordered:
        return 1 - np.minimum(row, col).sum(axis=-1)
    if scale.weighting.convex or _is_monge(scale):
        return _comonotone(row, col, scale)
    if not programmes:
        return np.full(len(row), np.nan)
    return np.array([_transport(row[s], col[s], scale.matrix(s)) for s in range(len(row))])


def _is_monge(scale: Scale) -> bool:
    """Whether crossing two pairs of categories never costs less than keeping their order."""
    if not scale.is_shared:
        return False
    cost = scale.matrix()[np.ix_(scale.in_use[0], scale.in_use[0])]
    kept, crossed = cost[:-1, :-1] + cost[1:, 1:], cost[:-1, 1:] + cost[1:, :-1]
    return bool((kept <= crossed).all())


def _comonotone(row: FloatArray, col: FloatArray, scale: Scale) -> FloatArray:
    """Disagreement when the items of both raters are paired in ascending order.

    Each step between neighbouring values of the two distribution functions is a share of
    items for which both raters' categories are known.
    """
    k = row.shape[-1]
    steps = np.concatenate([np.cumsum(row, axis=-1), np.cumsum(col, axis=-1)], axis=-1)
    order = np.argsort(steps, axis=-1, kind="stable")
    share = np.diff(np.take_along_axis(steps, order, axis=-1), axis=-1, prepend=0)
    from_row = order < k
    row_category = np.minimum(np.cumsum(from_row, axis=-1) - from_row, k - 1)
    col_category = np.minimum(np.cumsum(~from_row, axis=-1) - ~from_row, k - 1)
    table = np.repeat(np.arange(len(row)), 2 * k)
    apart = scale.between(table, row_category.reshape(-1), col_category.reshape(-1))
    result: FloatArray = (share * apart.reshape(share.shape)).sum(axis=-1)
    return result


def _transport(row: FloatArray, col: FloatArray, cost: FloatArray) -> float:
    """Solve the transportation problem of two margins, shape (K,), by linear programming."""
    used_row, used_col = np.flatnonzero(row > 0), np.flatnonzero(col > 0)
    k, m = len(used_row), len(used_col)
    if not 0 < max(k, m) <= LARGEST_PROGRAMME:
        return np.nan
    if k == 1 or m == 1:
        return float(row @ cost @ col)
    from scipy.optimize import linprog
    from scipy.sparse import eye_array, kron, vstack

    sums = vstack([kron(eye_array(k), np.ones((1, m))), kron(np.ones((1, k)), eye_array(m))])
    solution = linprog(
        cost[np.ix_(used_row, used_col)].reshape(-1),
        A_eq=sums.tocsr()[:-1],  # type: ignore[call-overload]  # sparse is accepted
        b_eq=np.concatenate([row[used_row], col[used_col]])[:-1],
    )
    return float(solution.fun)
