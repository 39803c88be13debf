"""Joint distribution of raters with missing ratings, by maximum likelihood.

Leaving out incomplete items is valid if ratings are missing completely at random. If missingness
depends on observed ratings (missing at random), the incomplete items have to be carried along: the
EM algorithm spreads each of them over the complete rows that it may stand for. No other complete
row can have a share, so time and memory follow the number of these completions and not that of all
combinations.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from pdkappa.counts.core.rows import distinct_rows

if TYPE_CHECKING:
    from collections.abc import Iterator

    from scipy.sparse import csr_array

    from pdkappa._typing import BoolArray, FloatArray, IntArray
    from pdkappa.counts.core.rows import RatingRows

MOST_COMPLETIONS = 1 << 20  # of the rows of a group: some 100 MB
MOST_ROWS = 1 << 12  # distinct rows of a group, each left out by the jackknife: some minutes
BLOCK = 1 << 19  # complete rows times data sets worked on at a time
TOLERANCE = 1e-10
TOLERANCE_OF_ERRORS = 1e-4  # of the share of what is left out: so far its loss moves a share
MANY_ITEMS = 1000.0  # or more; the shares of fewer are estimated as finely as those of so many
MOST_STEPS = 100_000
STEPS_AT_ONCE = 25  # before complete rows without a share are dropped
MOST_MOVING = 0.8  # of the data sets, before those at their end are put aside
NEGLIGIBLE = 1e-15  # share of a complete row on its way to zero
VANISHING = 0.99  # what a step leaves of such a share; the others keep to what they are
IMPOSSIBLE = -1e300  # logarithm of no share; the difference of two is no NaN
ONE_ITEM = 1 + 1e-9  # by weight, up to rounding error


@dataclass(frozen=True)
class Completions:
    """Rows of ratings of one group, and the complete rows that they may stand for."""

    rows: RatingRows  # U distinct rows with a rating, of one group
    codes: IntArray  # (R, C), the complete rows; -1 for a rater who rated nothing
    fits: csr_array[np.float64]  # (U, C), 1 where a complete row has all ratings of a row

    def restricted_to(self, keep: BoolArray) -> Completions:
        """Leave out complete rows."""
        return replace(self, codes=self.codes[:, keep], fits=self.fits[:, np.flatnonzero(keep)])


class JointDistribution(NamedTuple):
    """Joint distribution of the raters of one group."""

    completions: Completions  # the complete rows that have a share
    shares: FloatArray  # (C,), adding up to 1
    converged: bool  # whether the steps of the EM algorithm came to an end


class Reduced(NamedTuple):
    """Joint distributions of B data sets, each without one item.

    `part` is how much was taken out: one item, or all there is of a row that weighs less.
    """

    completions: Completions  # the complete rows that have a share in any of them
    shares: FloatArray  # (C, B)
    part: FloatArray  # (B,)
    silent: BoolArray  # (R, B), raters who rated nothing else
    converged: bool  # whether the steps came to an end


def size_of(rows: RatingRows) -> tuple[IntArray, FloatArray]:
    """Count the distinct rows of each group and their completions, both of shape (G,).

    A row has as many completions as there are combinations of the categories that its
    missing raters used in the group.
    """
    rows = rows.select(rows.n_ratings > 0).compressed()
    ways = np.ones(rows.codes.shape[1])
    for codes in rows.codes:
        used = (rows.margin_of(codes, np.ones(len(ways))) > 0).sum(axis=-1)
        with np.errstate(over="ignore"):  # hundreds of missing raters
            ways *= np.where(codes < 0, np.maximum(used, 1)[rows.group], 1)
    n_rows = np.bincount(rows.group, minlength=rows.n_groups)
    completions = np.bincount(rows.group, weights=ways, minlength=rows.n_groups)
    return n_rows, completions.astype(np.float64, copy=False)


def complete(rows: RatingRows) -> Completions:
    """List all completions of the rows of one group."""
    from scipy.sparse import csr_array

    rows = rows.select(rows.n_ratings > 0).compressed()
    codes, row = rows.codes, np.arange(rows.codes.shape[1])
    for rater in range(len(codes)):
        used = np.unique(rows.codes[rater][rows.codes[rater] >= 0])
        if not len(used):
            continue
        ways = np.where(codes[rater] < 0, len(used), 1)
        parent = np.repeat(np.arange(len(ways)), ways)
        way = np.arange(len(parent)) - (np.cumsum(ways) - ways)[parent]
        codes, row = codes[:, parent], row[parent]
        codes[rater] = np.where(codes[rater] < 0, used[way], codes[rater])
    no_group = np.zeros(codes.shape[1], dtype=np.int64)
    first, cell = distinct_rows(no_group, codes, rows.n_categories + 1)
    shape = (rows.codes.shape[1], len(first))
    return Completions(rows, codes[:, first], csr_array((np.ones(len(row)), (row, cell)), shape))


def joint_distribution(completions: Completions) -> JointDistribution:
    """Estimate the shares of the complete rows, by the EM algorithm.

    Each step spreads every item over its completions, in proportion to their shares, and
    takes the shares of the result. The first spreads them in proportion to the product of
    the raters' own shares of the categories.

    Notes
    -----
    With two raters of whom one rated everything, it is ``p(k) * p(l | k)`` with the first
    from all items and the second from the complete ones. What the ratings do not determine
    keeps to the start: a category that occurs in incomplete rows only says nothing of the
    other raters. Shares on their way to zero are left out once they are next to nothing.
    """
    count = completions.rows.count[:, None]
    start = _first_step(completions, count[:, 0])[:, None]
    completions, shares, converged = _maximise(completions, count, start, TOLERANCE)
    return JointDistribution(completions, shares[:, 0], converged)


def without_one(completions: Completions) -> Iterator[Reduced]:
    """Take one item out of every distinct row and estimate again, in blocks of data sets.

    Notes
    -----
    Every data set is estimated as if the item had never been there, starting from its own
    margins. The estimate from all items would be nearer, but keeps to what only this item
    said, and a complete row that has no share there would never get one.
    """
    codes, count = completions.rows.codes, completions.rows.count
    step = max(1, BLOCK // sum(completions.fits.shape))
    tolerance = TOLERANCE_OF_ERRORS / max(count.sum(), MANY_ITEMS)
    for start in range(0, len(count), step):
        left_out = np.arange(start, min(start + step, len(count)))
        part = np.where(count[left_out] < ONE_ITEM, count[left_out], 1.0)
        fewer = np.repeat(count[:, None], len(left_out), axis=1)
        fewer[left_out, np.arange(len(left_out))] -= part
        shares = np.stack([_first_step(completions, one) for one in fewer.T], axis=1)
        silent = (codes >= 0) @ fewer <= 0
        finest = max(tolerance * part.min(), TOLERANCE)
        found, shares, converged = _maximise(completions, fewer, shares, finest)
        yield Reduced(found, shares, part, silent, converged)


def _first_step(completions: Completions, count: FloatArray) -> FloatArray:
    """Spread items, of shape (U,), as if raters were independent, shape (C,).

    The products of the raters' own shares are kept as logarithms; those of hundreds of
    raters are too small for a float.
    """
    rows, fits = replace(completions.rows, count=count), completions.fits
    log_share = np.zeros(completions.codes.shape[1])
    for observed, codes in zip(rows.codes, completions.codes, strict=True):
        margin = rows.margin_of(observed, np.ones(len(count)))[0]
        if margin.any():
            log = np.full(len(margin), IMPOSSIBLE)
            np.log(margin / margin.sum(), out=log, where=margin > 0)
            log_share += log[codes]
    found = log_share[fits.indices]
    first = fits.indptr[:-1]
    n_ways = np.diff(fits.indptr)
    # Relative to the likeliest completion of each row, so that the sum is never zero.
    likely = np.exp(found - np.repeat(np.maximum.reduceat(found, first), n_ways))
    likely *= np.repeat(count / np.add.reduceat(likely, first), n_ways)
    shares = np.bincount(fits.indices, weights=likely, minlength=len(log_share))
    result: FloatArray = shares / count.sum()
    return result


def _maximise(
    completions: Completions, count: FloatArray, shares: FloatArray, tolerance: float
) -> tuple[Completions, FloatArray, bool]:
    """Take steps to the end, and leave out the complete rows that have no share there.

    The counts, of shape (U, B), and the shares, (C, B), are those of B data sets.
    """
    converged = False
    for _ in range(MOST_STEPS // STEPS_AT_ONCE):
        shares, converged = _climb(completions, count, shares, tolerance, STEPS_AT_ONCE)
        if converged:
            further = _step(completions.fits, completions.fits.T.tocsr(), count, shares)
            shares = np.where(further < VANISHING * shares, 0.0, shares)
            shares /= shares.sum(axis=0)
        keep = shares.max(axis=1) > NEGLIGIBLE
        completions, shares = completions.restricted_to(keep), shares[keep]
        if converged:
            break
    return completions, shares, converged


def _climb(
    completions: Completions,
    count: FloatArray,
    shares: FloatArray,
    tolerance: float,
    most_steps: int,
) -> tuple[FloatArray, bool]:
    """Take steps of the EM algorithm, and tell whether no share changes any more.

    The counts, of shape (U, B), and the shares, (C, B), are those of B data sets. Those that
    have come to an end are put aside as soon as they are many.
    """
    fits, back = completions.fits, completions.fits.T.tocsr()
    result, moving = shares.copy(), np.arange(shares.shape[1])
    for _ in range(most_steps):
        spread = _step(fits, back, count, shares)
        moves = np.abs(spread - shares).max(axis=0) >= tolerance
        shares = spread
        if moves.mean() < MOST_MOVING:
            result[:, moving] = shares
            moving, count, shares = moving[moves], count[:, moves], shares[:, moves]
        if not len(moving):
            return result, True
    result[:, moving] = shares
    return result, False


def _step(
    fits: csr_array[np.float64],
    back: csr_array[np.float64],
    count: FloatArray,
    shares: FloatArray,
) -> FloatArray:
    """Spread the items over the complete rows by their shares, and take the shares anew."""
    margin = np.asarray(fits @ shares)
    per_share = np.divide(count, margin, out=np.zeros(margin.shape), where=margin > 0)
    result: FloatArray = shares * (back @ per_share) / count.sum(axis=0)
    return result
