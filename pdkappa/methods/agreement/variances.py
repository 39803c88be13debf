"""Variances of items, raters and errors of ratings of which some are missing, by REML."""

from __future__ import annotations

from itertools import product
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

if TYPE_CHECKING:
    from pdkappa._typing import BoolArray, FloatArray

NO_ERROR = 1e-18  # of the variance of all ratings: what is left of none by rounding
MOST_STEPS = 200
DAMPED = 20  # steps after which only half of each is taken
CLOSE = 1e-10  # of the variance of all ratings: the last step
SINGULAR = 1e-12  # least eigenvalue of a scaled matrix that can be solved
EXACT_FIT = 1e-6  # of the variance of all ratings: raters who fit exactly


class Sums(NamedTuple):
    """What the likelihood needs to know of the ratings of R raters, of B samples at once.

    Items with equally many ratings form a stratum, of S.

    Attributes
    ----------
    size : ndarray of float, shape (S,)
        How many ratings each item of a stratum has.
    items : ndarray of float, shape (B, S)
        How many such items there are.
    shared : ndarray of float, shape (B, S, R, R)
        How many of these items two raters share.
    products : ndarray of float, shape (B, S, R)
        Sums, over the items of a rater, of the total score of an item.
    squares : ndarray of float, shape (B, S)
        Sum of the squares of these totals.
    totals : ndarray of float, shape (B, R)
        Sum of the scores of each rater.
    square : ndarray of float, shape (B,)
        Sum of the squares of all scores.
    """

    size: FloatArray
    items: FloatArray
    shared: FloatArray
    products: FloatArray
    squares: FloatArray
    totals: FloatArray
    square: FloatArray

    @property
    def n_ratings(self) -> FloatArray:
        """Number of ratings, shape (B,)."""
        return self.items @ self.size

    @property
    def each(self) -> FloatArray:
        """Number of ratings of each rater, shape (B, R)."""
        result: FloatArray = np.einsum("bsii->bi", self.shared)
        return result

    def degrees(self, *, of_raters: bool) -> FloatArray:
        """Count the ratings that are left to tell errors from items, and raters, (B,)."""
        n_raters = np.count_nonzero(self.each, axis=1)
        return self.n_ratings - self.items.sum(axis=1) - (n_raters - 1) * of_raters

    def flat(self) -> FloatArray:
        """Put all that adds up side by side, shape (B, T)."""
        return np.concatenate([one.reshape(len(one), -1) for one in self[1:]], axis=1)

    def like(self, flat: FloatArray) -> Sums:
        """Return such sums of other samples; `flat` undone."""
        ends = np.cumsum([one[0].size for one in self[1:]])[:-1]
        parts = zip(np.split(flat, ends, axis=1), self[1:], strict=True)
        return Sums(self.size, *(part.reshape(len(flat), *one.shape[1:]) for part, one in parts))


def sums_of(scores: FloatArray, rated: BoolArray) -> Sums:
    """Return what each of U rows adds, with scores of shape (R, U), zero where there are none.

    Their mean should be near zero, for the sake of the digits.
    """
    n_ratings, total = rated.sum(axis=0), scores.sum(axis=0)
    sizes = np.unique(n_ratings[n_ratings > 0])
    items = (n_ratings[:, None] == sizes).astype(np.float64)
    marks = rated.T.astype(np.float64)
    return Sums(
        sizes.astype(np.float64),
        items,
        np.einsum("us,ui,uj->usij", items, marks, marks),
        np.einsum("us,ui,u->usi", items, marks, total),
        items * (total**2)[:, None],
        scores.T,
        (scores**2).sum(axis=0),
    )


def components(
    sums: Sums, *, of_raters: bool, start: FloatArray | None = None, most: int = MOST_STEPS
) -> FloatArray:
    """Estimate the variances of errors, items and raters, none below zero, shape (B, 3).

    Parameters
    ----------
    sums : Sums
    of_raters : bool
        Whether raters have a variance of their own; otherwise it is zero, and theirs is error.
    start : ndarray of float, shape (3,), optional
        Variances of nearly the same ratings, from which a few steps suffice.
    most : int
        The most steps.

    Returns
    -------
    ndarray of float, shape (B, 3)
        NaN where the ratings cannot tell them apart, or `MOST_STEPS` do not end.

    Notes
    -----
    Fisher scoring: with V the covariance of all ratings, P what projects out their mean, and V_i
    the derivative of V by variance i, the variances solve
    ``sum_j tr(P V_i P V_j) s_j = y' P V_i P y``, where both sides depend on them. Each step solves
    it, none below zero. No error at all has no likelihood; a millionth of the variance is none.
    """
    total = sums.square / sums.n_ratings
    n = 3 if of_raters else 2
    usual = np.array([1 / 2, 1 / 4, of_raters / 4])
    variances = total[:, None] * usual if start is None else np.repeat(start[None], len(total), 0)
    variances[:, 0] = np.maximum(variances[:, 0], EXACT_FIT * total)
    close = np.zeros(len(total), dtype=bool)
    for step in range(most):
        information, quadratic = _system(sums, variances)
        found = np.zeros(variances.shape)
        found[:, :n] = _solve(information[:, :n, :n], quadratic[:, :n])
        found[:, 0] = np.fmax(found[:, 0], EXACT_FIT * total)
        change = np.abs(found - variances).max(axis=1)
        variances = found if step < DAMPED else (found + variances) / 2
        close = ~(change >= CLOSE * total)
        if close.all():
            break
    known = (close | (most < MOST_STEPS)) & (sums.degrees(of_raters=of_raters) >= 1)
    result = np.where(variances <= EXACT_FIT * total[:, None], 0.0, variances)
    known &= ~np.isnan(variances).any(axis=1)
    return np.where(known[:, None], result, np.nan)


def _solve(information: FloatArray, quadratic: FloatArray) -> FloatArray:
    """Solve equations under the condition that nothing is below zero, (B, V); NaN if singular.

    Some are zero, and the rest solves what is left of the equations. Of those ways that leave
    nothing below zero, the likeliest is taken.
    """
    diagonal = np.einsum("bii->bi", information)
    scale = np.sqrt(np.where(diagonal > 0, diagonal, np.nan))
    matrix = information / (scale[:, :, None] * scale[:, None, :])
    right, n = quadratic / scale, scale.shape[1]
    known = np.isfinite(matrix).all(axis=(1, 2)) & np.isfinite(right).all(axis=1)
    matrix = np.where(known[:, None, None], matrix, np.eye(n))
    known &= np.linalg.eigvalsh(matrix)[:, 0] > SINGULAR
    best, least = np.full(right.shape, np.nan), np.full(len(right), np.inf)
    for some in map(np.flatnonzero, product((False, True), repeat=n)):
        part = np.where(known[:, None, None], matrix[:, some[:, None], some], np.eye(len(some)))
        found = np.zeros(right.shape)
        found[:, some] = np.linalg.solve(part, right[:, some, None])[..., 0]
        cost = np.einsum("bi,bij,bj->b", found, matrix, found) / 2 - (found * right).sum(axis=1)
        better = known & (found >= 0).all(axis=1) & (cost < least)
        best[better], least[better] = found[better], cost[better]
    return best / scale


def _system(sums: Sums, variances: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Compute traces ``tr(P V_i P V_j)``, (B, 3, 3), and quadratic forms of the scores, (B, 3).

    With Z the marks of the raters and T the inverse of V without them, ``P = T - T Z Q Z' T``.
    What has to do with errors follows from ``P V P = P`` and ``tr(P V) = M - 1``.
    """
    error, items, raters = variances.T
    one = np.eye(sums.totals.shape[1])
    v = 1 / (error[:, None] + sums.size * items[:, None])
    shared = np.einsum("bs,bsij->bij", v, sums.shared)  # Z' T Z is this less what is in `between`
    between = (sums.each[:, :, None] * one - items[:, None, None] * shared) / error[:, None, None]
    crossing = np.einsum("bs,bsi->bi", v, sums.products)
    means = (sums.totals - items[:, None] * crossing) / error[:, None]
    inner = np.linalg.inv(one + raters[:, None, None] * between)
    h = inner.sum(axis=2)
    along_h = np.einsum("bij,bj->bi", between, h)
    size = along_h.sum(axis=1)[:, None, None]
    q = raters[:, None, None] * inner + h[:, :, None] * h[:, None, :] / size
    fitted = np.einsum("bij,bj->bi", q, means)
    squared = np.einsum("bs,bsij->bij", v**2, sums.shared)
    # The same as I - Q Z'TZ and Z'TZ less that, though not in floats where errors are small.
    left = inner - h[:, :, None] * along_h[:, None, :] / size
    rest = between @ left
    crossed, n_v = q @ squared, sums.items * sums.size * v
    along = np.einsum("bij,bsij->bs", q, sums.shared)
    trace = np.stack([n_v.sum(axis=1) - _trace(crossed), _trace(rest)], axis=1)
    cross = ((squared @ left) * left).sum(axis=(1, 2))
    of_items = (n_v * sums.size * v).sum(axis=1) - 2 * (along * sums.size * v**3).sum(axis=1)
    of_items += (crossed * crossed.transpose(0, 2, 1)).sum(axis=(1, 2))
    known = np.stack([of_items, cross, cross, (rest**2).sum(axis=(1, 2))], axis=1).reshape(-1, 2, 2)
    apart = sums.squares - 2 * np.einsum("bsi,bi->bs", sums.products, fitted)
    apart = apart + np.einsum("bi,bsij,bj->bs", fitted, sums.shared, fitted)
    of_raters = (np.einsum("bji,bj->bi", left, means) ** 2).sum(axis=1)
    forms = np.stack([(v**2 * apart).sum(axis=1), of_raters], axis=1)
    whole = (sums.square - items * (v * sums.squares).sum(axis=1)) / error
    whole = whole - (means * fitted).sum(axis=1)
    # What follows for the errors from what is known of items and raters.
    others = variances[:, 1:]
    mixed = (trace - np.einsum("bij,bj->bi", known, others)) / error[:, None]
    of_errors = (sums.n_ratings - 1 - (trace * others).sum(axis=1)) / error
    corner = (of_errors - (mixed * others).sum(axis=1)) / error
    information = np.empty((len(error), 3, 3))
    information[:, 0, 0], information[:, 1:, 1:] = corner, known
    information[:, 0, 1:] = information[:, 1:, 0] = mixed
    first = (whole - (forms * others).sum(axis=1)) / error
    return information, np.concatenate([first[:, None], forms], axis=1)


def _trace(matrices: FloatArray) -> FloatArray:
    """Sum the diagonals, shape (B,)."""
    result: FloatArray = np.einsum("bii->b", matrices)
    return result
