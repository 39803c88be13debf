"""The least and the greatest agreement that raters with given margins can reach."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from pdkappa.coefficients.influence import disagreement_within
from pdkappa.coefficients.rating_rows import RatingRows

if TYPE_CHECKING:
    from pdkappa._typing import FloatArray
    from pdkappa.coefficients.pair_counts import PairCounts
    from pdkappa.coefficients.weights import Scale

LARGEST_PROGRAMME = 256


def least_disagreement(counts: PairCounts, scale: Scale, *, programmes: bool = True) -> FloatArray:
    """Smallest observed disagreement that the margins of each table allow, shape (S,).

    The parameters are those of `extreme_disagreement`, with S tables instead of margins.
    """
    return extreme_disagreement(*counts.margins(), scale, programmes=programmes)


def extreme_disagreement(
    row: FloatArray,
    col: FloatArray,
    scale: Scale,
    *,
    greatest: bool = False,
    programmes: bool = True,
) -> FloatArray:
    """Smallest or greatest observed disagreement of all tables with given margins.

    Parameters
    ----------
    row, col : ndarray of float, shape (S, K)
        Shares of the categories of the first and of the second rater.
    scale : Scale
        Disagreement of the categories.
    greatest : bool
        Whether the greatest disagreement is wanted rather than the smallest.
    programmes : bool
        Whether to solve linear programmes where there is no closed form.

    Returns
    -------
    ndarray of float, shape (S,)
        In the units of the scale. NaN for an empty table, and where a linear programme
        would be needed that is not wanted, or has more than 256 categories in use.

    Notes
    -----
    Nominal weights: all that the margins share lies on the diagonal, or only what cannot be
    elsewhere. Convex functions of the difference of the scores, as linear and quadratic
    weights are, satisfy the Monge condition, so that pairing both raters' items in ascending
    order is best, and in opposite orders worst [1]_. Other weights need the linear programme
    of the transportation problem.

    References
    ----------
    .. [1] Hoffman, A. J. (1963). On simple linear programming problems. Proceedings of
           Symposia in Pure Mathematics, 7, 317-327.
    """
    if not scale.weighting.ordered:
        if greatest:
            return np.minimum(1, 2 - (row + col).max(axis=-1, initial=0))
        return 1 - np.minimum(row, col).sum(axis=-1)
    if is_monge(scale):
        return _paired_in_order(row, col, scale, opposite=greatest)
    if not programmes:
        return np.full(len(row), np.nan)
    sign = -1 if greatest else 1
    costs = (sign * scale.matrix(s) for s in range(len(row)))
    return np.array([sign * _transport(*one) for one in zip(row, col, costs, strict=True)])


def least_disagreement_together(
    margins: FloatArray, scale: Scale, *, programmes: bool = True
) -> FloatArray:
    """Smallest mean disagreement of all pairs of R raters of the same items, shape (G,).

    The margins, of shape (R, G, K), are the numbers of items that each rater puts into each
    category; the rest is as in `extreme_disagreement`. The result is in the units of the
    scale, and NaN for an empty group, and for three raters or more with weights that do not
    satisfy the Monge condition.

    Notes
    -----
    If all raters' items are paired in ascending order, so are those of every two raters:
    what is best for each pair is best for all of them at once.
    """
    n_raters, n_groups, _ = margins.shape
    n_items = margins[0].sum(axis=-1)
    if n_raters == 2:  # noqa: PLR2004
        with np.errstate(invalid="ignore"):  # an empty group has no shares
            row, col = margins / n_items[:, None]
        return extreme_disagreement(row, col, scale, programmes=programmes)
    if not is_monge(scale):
        return np.full(n_groups, np.nan)
    in_order = _rows_in_order(margins)
    apart = in_order.total(disagreement_within(in_order, scale)) / (n_raters * (n_raters - 1))
    with np.errstate(invalid="ignore"):
        result: FloatArray = apart / n_items
    return result


def smallest_estimates(
    counts: PairCounts,
    scale: Scale,
    expected: FloatArray,
    *,
    programmes: bool = True,
) -> FloatArray:
    """Smallest chance-corrected coefficient that the margins of each table allow, shape (S,).

    The S tables lie group by group; `expected`, of shape (S,), is the agreement by chance,
    from the margins alone. The rest is as in `extreme_disagreement`.
    """
    parts = []
    for tables, block in counts.blocks():
        own = scale.of_tables(tables, counts.n_tables)
        most = extreme_disagreement(*block.margins(), own, greatest=True, programmes=programmes)
        with np.errstate(divide="ignore", invalid="ignore"):
            parts.append(1 - most / ((1 - expected[tables]) * own.largest))
    return np.concatenate(parts)


def is_monge(scale: Scale) -> bool:
    """Whether crossing two pairs of categories never costs less than keeping their order."""
    if scale.weighting.convex:
        return True
    if not scale.weighting.ordered or not scale.is_shared:
        return False
    cost = scale.matrix()[np.ix_(scale.in_use[0], scale.in_use[0])]
    kept, crossed = cost[:-1, :-1] + cost[1:, 1:], cost[:-1, 1:] + cost[1:, :-1]
    return bool((kept <= crossed).all())


def _rows_in_order(margins: FloatArray) -> RatingRows:
    """Pair the items of R raters in ascending order; margins have the shape (R, G, K).

    Each step of any of the distribution functions is a row of ratings.
    """
    n_raters, n_groups, k = margins.shape
    ends = np.cumsum(margins, axis=-1)
    codes, counts = [np.empty((n_raters, 0), dtype=np.int64)], [np.empty(0)]
    for group in range(n_groups):
        steps = np.unique(np.append(ends[:, group], 0))
        middle = (steps[1:] + steps[:-1]) / 2
        places = [np.searchsorted(one, middle, side="right") for one in ends[:, group]]
        codes.append(np.minimum(places, k - 1))
        counts.append(np.diff(steps))
    return RatingRows(
        codes=np.concatenate(codes, axis=1),
        count=np.concatenate(counts),
        group=np.repeat(np.arange(n_groups), [len(count) for count in counts[1:]]),
        n_groups=n_groups,
        n_categories=k,
    )


def _paired_in_order(
    row: FloatArray, col: FloatArray, scale: Scale, *, opposite: bool
) -> FloatArray:
    """Disagreement when the items of both raters are paired in ascending, or opposite, order.

    Each step between neighbouring values of the two distribution functions is a share of
    items for which both raters' categories are known.
    """
    k = row.shape[-1]
    col = col[:, ::-1] if opposite else col
    steps = np.concatenate([np.cumsum(row, axis=-1), np.cumsum(col, axis=-1)], axis=-1)
    order = np.argsort(steps, axis=-1, kind="stable")
    share = np.diff(np.take_along_axis(steps, order, axis=-1), axis=-1, prepend=0)
    from_row = order < k
    row_category = np.minimum(np.cumsum(from_row, axis=-1) - from_row, k - 1)
    col_category = np.minimum(np.cumsum(~from_row, axis=-1) - ~from_row, k - 1)
    col_category = k - 1 - col_category if opposite else col_category
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
        # There is only one table.
        return float(row @ cost @ col)
    from scipy.optimize import milp
    from scipy.sparse import csc_array

    # Each cell counts in the sum of its row and in that of its column. Both margins have the same
    # total: the last sum follows from all others.
    cells = np.arange(k * m, dtype=np.int32)  # which is what the solver of older SciPy takes
    sums = np.stack([cells // m, k + cells % m], axis=1, dtype=np.int32).reshape(-1)
    at = (np.ones(len(sums)), sums, np.arange(0, len(sums) + 1, 2, dtype=np.int32))
    constraints = csc_array(at, shape=(k + m, k * m))[:-1]
    totals = np.concatenate([row[used_row], col[used_col]])[:-1]
    unit = np.abs(cost).max() or 1.0  # the solver has absolute tolerances, and 1e20 is infinite
    used = cost[np.ix_(used_row, used_col)].reshape(-1)
    solution = milp(used / unit, constraints=(constraints, totals, totals))  # of no whole numbers
    return float(np.asarray(solution.fun, dtype=np.float64) * unit)
