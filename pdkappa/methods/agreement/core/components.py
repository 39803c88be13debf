"""Scores with holes -> variances of items, raters and errors, by restricted maximum likelihood.

Items are many and raters few: all that the likelihood needs of the items are sums over those with
equally many ratings, so that an iteration costs the same for a hundred items and a million.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

if TYPE_CHECKING:
    from pdkappa._typing import BoolArray, FloatArray

MOST_STEPS = 200
DAMPED = 20  # steps after which only half of each is taken
CLOSE = 1e-10  # of the variance of all ratings: the last step
EXACT_FIT = 1e-6  # of the variance of all ratings: raters who fit exactly


class Sums(NamedTuple):
    """What the likelihood needs to know of the ratings of R raters.

    Items with equally many ratings form a stratum, of S.

    Attributes
    ----------
    size, items : ndarray of float, shape (S,)
        How many ratings each item has, and how many such items there are.
    shared : ndarray of float, shape (S, R, R)
        How many of these items two raters share.
    products : ndarray of float, shape (S, R)
        Sums, over the items of a rater, of the total score of an item.
    squares : ndarray of float, shape (S,)
        Sum of the squares of these totals.
    totals : ndarray of float, shape (R,)
        Sum of the scores of each rater.
    square : float
        Sum of the squares of all scores.
    """

    size: FloatArray
    items: FloatArray
    shared: FloatArray
    products: FloatArray
    squares: FloatArray
    totals: FloatArray
    square: float

    @property
    def n_ratings(self) -> float:
        """Number of ratings."""
        return float(self.size @ self.items)


def sums_of(scores: FloatArray, rated: BoolArray, count: FloatArray) -> Sums:
    """Add up scores of shape (R, U), zero where there are none, of rows that count several times.

    Their mean should be near zero, for the sake of the digits.
    """
    n_ratings, total = rated.sum(axis=0), scores.sum(axis=0)
    sizes = np.unique(n_ratings[n_ratings > 0])
    items, shared, products, squares = [], [], [], []
    for size in sizes:
        some = n_ratings == size
        weight, marks = count[some], rated[:, some].astype(np.float64)
        weighted = marks * weight
        items.append(weight.sum())
        shared.append(weighted @ marks.T)
        products.append(weighted @ total[some])
        squares.append(weight @ total[some] ** 2)
    return Sums(
        sizes.astype(np.float64),
        np.array(items),
        np.array(shared),
        np.array(products),
        np.array(squares),
        scores @ count,
        float((scores**2 @ count).sum()),
    )


def components(sums: Sums, *, of_raters: bool) -> FloatArray:
    """Estimate the variances of errors, items and raters, none below zero, shape (3,).

    Parameters
    ----------
    sums : Sums
    of_raters : bool
        Whether raters have a variance of their own; otherwise it is zero, and theirs is error.

    Returns
    -------
    ndarray of float, shape (3,)
        NaN where the ratings cannot tell them apart, or the iteration does not end.

    Notes
    -----
    Fisher scoring: with V the covariance of all ratings, P what projects out their mean, and V_i
    the derivative of V by variance i, the variances solve
    ``sum_j tr(P V_i P V_j) s_j = y' P V_i P y``, where both sides depend on them. Each step solves
    it, none below zero. No error at all has no likelihood; a millionth of the variance is none.
    """
    total = sums.square / sums.n_ratings
    n = 3 if of_raters else 2
    variances = total / np.array([2, 4, 4 if of_raters else np.inf])
    for step in range(MOST_STEPS):
        information, quadratic = (part[..., :n] for part in _system(sums, variances))
        found = _solve(information[:n], quadratic)
        if found is None:
            break
        found = np.append(found, np.zeros(3 - n))
        found[0] = max(found[0], EXACT_FIT * total)
        change = np.abs(found - variances).max()
        variances = found if step < DAMPED else (found + variances) / 2
        if change < CLOSE * total:
            return np.where(variances <= EXACT_FIT * total, 0.0, variances)
    return np.full(3, np.nan)


def _solve(information: FloatArray, quadratic: FloatArray) -> FloatArray | None:
    """Solve the equations under the condition that nothing is below zero; None if singular."""
    from scipy.optimize import nnls

    scale = np.sqrt(np.diagonal(information))
    try:
        root = np.linalg.cholesky(information / np.outer(scale, scale))
    except np.linalg.LinAlgError:
        return None
    return nnls(root.T, np.linalg.solve(root, quadratic / scale))[0] / scale


def _system(sums: Sums, variances: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Compute the traces ``tr(P V_i P V_j)``, (3, 3), and the quadratic forms of the scores, (3,).

    With Z the marks of the raters and T the inverse of V without them, ``P = T - T Z Q Z' T``.
    What has to do with errors follows from ``P V P = P`` and ``tr(P V) = M - 1``.
    """
    error, items, raters = variances
    one = np.ones(len(sums.totals))
    v = 1 / (error + sums.size * items)
    shared = np.tensordot(v, sums.shared, 1)  # Z' T Z is this less what is in `between`
    between = (np.diag(_own(sums)) - items * shared) / error
    means = (sums.totals - items * v @ sums.products) / error
    inner = np.linalg.inv(np.eye(len(one)) + raters * between)
    h = inner @ one
    q = raters * inner + np.outer(h, h) / (one @ between @ h)
    fitted = q @ means
    squared = np.tensordot(v**2, sums.shared, 1)
    # The same as I - Q Z'TZ and Z'TZ less that, though not in floats where errors are small.
    left = inner - np.outer(h, between @ h) / (one @ between @ h)
    rest = between @ left
    crossed, n_v = q @ squared, sums.items * sums.size * v
    along = np.einsum("ij,sij->s", q, sums.shared)
    trace = np.array([n_v.sum() - np.trace(crossed), np.trace(rest)])
    cross = ((squared @ left) * left).sum()
    of_items = n_v @ (sums.size * v) - 2 * along @ (sums.size * v**3) + (crossed * crossed.T).sum()
    known = np.array([[of_items, cross], [cross, (rest**2).sum()]])
    apart = sums.squares - 2 * sums.products @ fitted
    apart += np.einsum("i,sij,j->s", fitted, sums.shared, fitted)
    forms = np.array([v**2 @ apart, ((left.T @ means) ** 2).sum()])
    whole = (sums.square - items * v @ sums.squares) / error - means @ fitted
    return _with_errors(
        known, trace, forms, whole=whole, n_ratings=sums.n_ratings, variances=variances
    )


def _own(sums: Sums) -> FloatArray:
    """Count the ratings of each rater, shape (R,)."""
    result: FloatArray = np.einsum("sii->i", sums.shared)
    return result


def _with_errors(
    known: FloatArray,
    trace: FloatArray,
    forms: FloatArray,
    *,
    whole: float,
    n_ratings: float,
    variances: FloatArray,
) -> tuple[FloatArray, FloatArray]:
    """Add what follows for the errors from what is known of items and raters."""
    error, others = variances[0], variances[1:]
    mixed = (trace - known @ others) / error
    trace_of_errors = (n_ratings - 1 - trace @ others) / error
    corner = (trace_of_errors - mixed @ others) / error
    information = np.block([[np.array([[corner]]), mixed[None]], [mixed[:, None], known]])
    return information, np.append((whole - forms @ others) / error, forms)
