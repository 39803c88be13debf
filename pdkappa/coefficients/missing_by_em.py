"""Ratings with holes -> figures from the joint distribution that EM estimates."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from pdkappa.coefficients.all_raters import basics_of
from pdkappa.coefficients.all_raters_estimates import summarise_many
from pdkappa.coefficients.chance import FEWEST_ITEMS, chance_corrected
from pdkappa.coefficients.intervals import joined, with_standard_errors
from pdkappa.coefficients.pair_counts import count_pairs
from pdkappa.coefficients.pair_estimates import summarise, with_errors_of_pairs
from pdkappa.coefficients.rating_rows import RatingRows, distinct_rows

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from scipy.sparse import csr_array

    from pdkappa._typing import BoolArray, FloatArray, IntArray, ObjectArray
    from pdkappa.coefficients.all_raters import MultiraterModel
    from pdkappa.coefficients.chance import Coefficient
    from pdkappa.coefficients.intervals import AnyFigures, PairFigures, RaterFigures
    from pdkappa.coefficients.pair_counts import PairCounts
    from pdkappa.coefficients.weights import Scale

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


NOT_CONVERGED, UNDEFINED_WITHOUT = "not_converged", "undefined_without"


def summarise_missing(
    rows: RatingRows,
    scale: Scale,
    coefficient: Coefficient,
    pairs: list[tuple[int, int]],
    *,
    ci: str,
    level: float,
    null: float = 0.0,
) -> PairFigures:
    """Estimate every pair of raters from all items, complete or not, in every group.

    Standard errors are those of the jackknife over items: one item is left out of each
    distinct row of ratings in turn, and the joint distribution estimated again. They are
    NaN where the coefficient is undefined without some item, and all figures are if the EM
    algorithm did not converge.

    Notes
    -----
    Where ratings are few for the number of categories and raters, the joint distribution
    depends on single items, and these standard errors are on the large side.
    """

    def of_group(rows: RatingRows, scale: Scale) -> PairFigures:
        def figures(rows: RatingRows) -> list[PairFigures]:
            counts = _counts(rows, pairs)
            return [summarise(counts, scale, coefficient, ci=ci, level=level, null=null)]

        def estimates(data_sets: RatingRows) -> FloatArray:
            found = chance_corrected(_counts(data_sets, pairs), scale, coefficient).estimate
            return found.reshape(-1, len(pairs))

        n = rows.n_items[0]
        if n == 0:
            return figures(rows)[0]
        [(found, se)] = _by_em(rows, figures, estimates)
        units = np.full(len(pairs), n)
        greatest = np.where(found.reason == NOT_CONVERGED, np.nan, found.max_estimate)
        found = replace(found, n_items=units, max_estimate=greatest)
        return with_errors_of_pairs(found, se, units, coefficient, ci=ci, level=level, null=null)

    if not rows.n_groups:
        return summarise(_counts(rows, pairs), scale, coefficient, ci=ci, level=level, null=null)
    return joined([of_group(*one) for one in _groups(rows, scale)])


def summarise_many_missing(
    rows: RatingRows,
    scale: Scale,
    models: dict[str, MultiraterModel],
    *,
    by_items: bool,
    ci: str,
    level: float,
    null: float = 0.0,
) -> dict[str, RaterFigures]:
    """Estimate coefficients of many raters from all items, complete or not.

    The coefficients are those of the joint distribution of all raters; standard errors are
    those of `summarise_missing`.
    """

    def of_group(rows: RatingRows, scale: Scale) -> list[RaterFigures]:
        def figures(rows: RatingRows) -> list[RaterFigures]:
            found = summarise_many(
                rows, scale, models, by_items=by_items, ci=ci, level=level, null=null
            )
            return list(found.values())

        def estimates(data_sets: RatingRows) -> FloatArray:
            basics = basics_of(data_sets, scale, by_items=by_items)
            each = [model(data_sets, scale, basics).estimate for model in models.values()]
            return np.stack(each, axis=1)

        n, n_ratings = rows.n_items, rows.total(rows.n_ratings)
        if n[0] == 0:
            return figures(rows)
        result = []
        for name, (found, se) in zip(models, _by_em(rows, figures, estimates), strict=True):
            given = replace(found, n_items=n, n_joint=n, n_ratings=n_ratings)
            tested = name != "percent" or null != 0
            result.append(
                with_standard_errors(given, se, n, tested=tested, ci=ci, level=level, null=null)
            )
        return result

    if not rows.n_groups:
        return summarise_many(rows, scale, models, by_items=by_items, ci=ci, level=level, null=null)
    groups = zip(*(of_group(*one) for one in _groups(rows, scale)), strict=True)
    return {name: joined(parts) for name, parts in zip(models, groups, strict=True)}


def _groups(rows: RatingRows, scale: Scale) -> Iterator[tuple[RatingRows, Scale]]:
    """Cut into groups, each with its scale."""
    for group in range(rows.n_groups):
        yield rows.as_one_group(rows.group == group), scale.take(np.array([group]))


def _by_em(
    rows: RatingRows,
    figures: Callable[[RatingRows], list[AnyFigures]],
    estimates: Callable[[RatingRows], FloatArray],
) -> list[tuple[AnyFigures, FloatArray]]:
    """Compute figures of one group from its joint distribution, with their standard errors.

    `figures` computes those of complete rows, and `estimates` the estimates alone, of each
    group of rows, shape (B, E).
    """
    completions = complete(rows)
    joint = joint_distribution(completions)
    found = figures(_complete_rows(joint.completions, joint.shares[:, None], rows.n_items[0]))
    of_all = np.concatenate([one.estimate for one in found])
    errors, converged = _jackknife(completions, joint, of_all, estimates)
    errors_of = np.split(errors, len(found))
    if not converged:
        found = [_undetermined(one) for one in found]
    return [
        (replace(one, reason=_of_undefined(one, se)), se)
        for one, se in zip(found, errors_of, strict=True)
    ]


def _complete_rows(completions: Completions, shares: FloatArray, n: float) -> RatingRows:
    """Turn shares of complete rows, shape (C, B), of `n` items into rows of B groups."""
    rows, codes = completions.rows, completions.codes
    n_cells, n_sets = shares.shape
    count = (shares * n).T.reshape(-1)
    keep = count > 0
    return RatingRows(
        codes=np.tile(codes, n_sets)[:, keep],
        count=count[keep],
        group=np.repeat(np.arange(n_sets), n_cells)[keep],
        n_groups=n_sets,
        n_categories=rows.n_categories,
    )


def _counts(rows: RatingRows, pairs: list[tuple[int, int]]) -> PairCounts:
    """Count every pair of raters in every group of rows."""
    return count_pairs(
        rows.codes,
        rows.n_categories,
        pairs=pairs,
        groups=rows.group,
        n_groups=rows.n_groups,
        weights=rows.count,
    )


def _jackknife(
    completions: Completions,
    joint: JointDistribution,
    of_all: FloatArray,
    estimates: Callable[[RatingRows], FloatArray],
) -> tuple[FloatArray, bool]:
    """Compute standard errors, shape (E,), and tell whether every distribution converged.

    One item is left out of each distinct row in turn. `of_all`, of shape (E,), are the
    estimates from all items; `estimates` gives those of each group of rows, shape (B, E).
    """
    count = joint.completions.rows.count
    n, unknown = count.sum(), np.full(of_all.shape, np.nan)
    if n < FEWEST_ITEMS or not joint.converged:
        return unknown, joint.converged
    changes = []
    for one in without_one(completions):
        if not one.converged:
            return unknown, False
        rows = _complete_rows(one.completions, one.shares, n - one.part)
        rows = replace(rows, codes=np.where(one.silent[:, rows.group], -1, rows.codes))
        changes.append((estimates(rows) - of_all) / one.part[:, None])
    change, times = np.concatenate(changes), count[:, None]
    mean = (times * change).sum(axis=0) / n
    variance = (n - 1) / n * (times * (change - mean) ** 2).sum(axis=0)
    return np.sqrt(variance), True


def _of_undefined(figures: AnyFigures, se: FloatArray) -> ObjectArray:
    """Give the reason of errors, shape (E,), that are NaN, where there is no other."""
    alone = (figures.reason == "") | (figures.reason == "no_variance")
    return np.where(alone & np.isnan(se), UNDEFINED_WITHOUT, figures.reason)


def _undetermined(figures: AnyFigures) -> AnyFigures:
    """Take back the estimates that the EM algorithm did not come to."""
    unknown = np.full(figures.estimate.shape, np.nan)
    return replace(
        figures,
        observed_agreement=unknown,
        expected_agreement=unknown,
        estimate=unknown,
        se=unknown,
        reason=np.full(unknown.shape, NOT_CONVERGED, dtype=object),
    )
