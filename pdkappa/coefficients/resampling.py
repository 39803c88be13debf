"""Limits of coefficients from redrawn counts: percentile, BCa and jackknife.

Drawing n items with replacement is drawing the counts of the distinct kinds of items from a
multinomial distribution. A kind is a cell of the table of two raters, a distinct row of
ratings, or a cluster, so a resample costs as much as a table, however many items there are.

Every table (or group) draws from a random stream of its own, one resample after the other,
and kinds are drawn in the order of what they hold: neither the size of the blocks nor the order
of the tables, of the rows or of the clusters changes a bit of the result.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, NamedTuple, Protocol

import numpy as np

from pdkappa.coefficients.chance import corrected_for_chance, point_of
from pdkappa.coefficients.guarded_limits import Around
from pdkappa.coefficients.influence import Basics, disagreement_within, of_pair
from pdkappa.coefficients.pair_counts import BLOCK, PairCounts, blocks_of, starts_of
from pdkappa.coefficients.rating_rows import RatingRows
from pdkappa.coefficients.score_limits import ROUNDING, ndtr, ndtri
from pdkappa.coefficients.sparse_rows import wide

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from pdkappa._typing import BoolArray, FloatArray, IntArray
    from pdkappa.coefficients.all_raters import MultiraterModel
    from pdkappa.coefficients.chance import Agreement, Coefficient
    from pdkappa.coefficients.influence import Functional
    from pdkappa.coefficients.intervals import Figures
    from pdkappa.coefficients.rating_rows import Rows
    from pdkappa.coefficients.weights import Scale

    Seed = int | np.random.Generator | None
    Progress = Callable[[int, int], object]

LARGEST_WHOLE = 2.0**53


def has_whole_counts(counts: PairCounts | RatingRows) -> bool:
    """Whether the items can be drawn: their weights are whole numbers, or clusters are drawn."""
    if isinstance(counts, RatingRows) and counts.cluster is not None:
        return True
    if isinstance(counts, PairCounts) and counts.unit != 1:
        return False
    whole = bool((counts.count == np.rint(counts.count)).all())
    return whole and float(counts.count.sum()) <= LARGEST_WHOLE


def by_content(rows: RatingRows) -> RatingRows:
    """Sort rows by their ratings, and clusters by their rows: where they stood is forgotten."""
    codes = np.where(rows.codes < 0, np.int64(rows.n_categories), rows.codes)
    order = np.lexsort((rows.count, *codes[::-1]))
    rows, codes = rows.select(order), codes[:, order]
    if rows.cluster is None or not len(order):
        return rows
    differ = (np.diff(codes) != 0).any(axis=0) | (np.diff(rows.count) != 0)
    kind = np.append(0, np.cumsum(differ)).astype(">i8")
    order = np.argsort(rows.cluster, kind="stable")
    _, first, place = np.unique(rows.cluster[order], return_index=True, return_inverse=True)
    contents = [part.tobytes() for part in np.split(kind[order], first[1:])]
    number = np.empty(len(first), dtype=np.int64)
    number[sorted(range(len(first)), key=contents.__getitem__)] = np.arange(len(first))
    rows = replace(rows.select(order), cluster=number[place])
    return rows.select(np.argsort(number[place], kind="stable"))


class Sample(Protocol):
    """Independent units of a few kinds, and M coefficients of them."""

    @property
    def times(self) -> IntArray:
        """Number of units of each kind, shape (U,)."""

    @property
    def cells(self) -> int:
        """Numbers held for each resample."""

    def estimates(self, draws: IntArray) -> FloatArray:
        """Compute the coefficients, shape (B, M), of B draws of counts, shape (B, U)."""

    def left_out(self) -> FloatArray:
        """Compute the coefficients without one unit of each kind, shape (U, M)."""

    def pulls(self) -> FloatArray:
        """Return how a unit of each kind moves the coefficients, up to a factor, (U, M)."""


@dataclass(frozen=True)
class PairSample:
    """The items of one table; `rest` others were not rated by both raters."""

    counts: PairCounts
    scale: Scale
    coefficient: Coefficient
    rest: int = 0

    @property
    def times(self) -> IntArray:
        """Items of each cell, and last those not rated by both, if any."""
        extra = [self.rest] if self.rest else []
        return np.concatenate([self.counts.count, np.array(extra, dtype=np.int64)])

    @property
    def cells(self) -> int:
        """Cells of the table, or categories."""
        return max(len(self.counts.count) + 1, self.counts.n_categories)

    def estimates(self, draws: IntArray) -> FloatArray:
        """Estimate so many tables, bit by bit as `chance_corrected` does; cells may be empty."""
        counts = self.counts
        times = draws.T[: len(counts.count)].astype(np.float64, order="C")
        apart = self.scale.between(counts.table, counts.row, counts.col)
        with np.errstate(invalid="ignore"):  # no items
            total = times.sum(axis=0)  # of whole numbers, exactly
            parts = times / total * apart[:, None]
            observed = sum(parts) if len(draws) > 1 else np.add.accumulate(parts, axis=0)[-1]
            row, col = (
                np.ascontiguousarray((self._margin(times, one) / total).T)
                for one in (counts.row, counts.col)
            )
        return self._of(observed, (row, col), total * counts.unit)[:, None]

    def _of(
        self, observed: FloatArray, shares: tuple[FloatArray, FloatArray], n: FloatArray
    ) -> FloatArray:
        """Estimate tables of n items of their disagreement, (B,), and shares, each (B, K)."""
        at = point_of(observed, shares, n, self.scale, self.coefficient)
        return corrected_for_chance(at.ratio, at.is_constant, self.coefficient)

    def _margin(self, times: FloatArray, category: IntArray) -> FloatArray:
        """Add up the cells of each category, from (cells, B) to (K, B)."""
        found = np.zeros((self.counts.n_categories, times.shape[1]))
        order = np.argsort(category, kind="stable")
        starts = starts_of(category[order])
        found[category[order[starts]]] = np.add.reduceat(times[order], starts, axis=0)
        return found

    def left_out(self) -> FloatArray:
        """Change the margins by one item instead of counting every table anew."""
        counts, n = self.counts, float(self.counts.count.sum())
        apart = self.scale.between(counts.table, counts.row, counts.col)
        margins = [
            np.bincount(category, weights=counts.count, minlength=counts.n_categories)
            for category in (counts.row, counts.col)
        ]
        result = np.empty(len(self.times))
        if self.rest:
            whole = np.add.accumulate(counts.count / n * apart)[-1:]
            shares = margins[0][None] / n, margins[1][None] / n
            result[len(apart) :] = self._of(whole, shares, np.array([n]))
        observed = ((counts.count * apart).sum() - apart) / (n - 1)
        for block in blocks_of(len(apart), counts.n_categories, BLOCK):
            rows = np.arange(len(apart))[block] - block.start
            row, col = (np.repeat(margin[None], len(rows), axis=0) for margin in margins)
            row[rows, counts.row[block]] -= 1
            col[rows, counts.col[block]] -= 1
            with np.errstate(divide="ignore", invalid="ignore"):  # a single item
                rest = row / (n - 1), col / (n - 1)
                left = np.full(len(rows), n - 1)
                result[block] = self._of(observed[block], rest, left)
        return result[:, None]

    def pulls(self) -> FloatArray:
        """Jackknife values, centred; those that are 0/0 pull nowhere."""
        values, times = self.left_out(), self.times[:, None]
        defined = ~np.isnan(values)
        kept = np.where(defined, values, 0.0)
        mean = (times * kept).sum(axis=0) / np.maximum((times * defined).sum(axis=0), 1)
        return np.where(defined, mean - kept, 0.0)


@dataclass(frozen=True)
class RowSample:
    """Rows of ratings of one group, by kinds or in clusters."""

    rows: RatingRows
    scale: Scale
    models: Sequence[MultiraterModel]
    apart: FloatArray  # see `Basics`
    by_items: bool
    unit: IntArray
    times: IntArray

    @classmethod
    def of(
        cls, rows: RatingRows, scale: Scale, models: Sequence[MultiraterModel], *, by_items: bool
    ) -> RowSample:
        """Find what is drawn, and what no draw changes."""
        if rows.cluster is None:
            unit, times = np.arange(len(rows.count)), np.rint(rows.count).astype(np.int64)
            rows = replace(rows, count=np.ones(len(times)))
        else:
            unit = np.unique(rows.cluster, return_inverse=True)[1]
            times = np.ones(int(unit.max()) + 1, dtype=np.int64)
        apart = disagreement_within(rows, scale)
        return cls(rows, scale, models, apart, by_items, unit, times)

    @property
    def cells(self) -> int:
        """Ratings, or categories of every rater."""
        n_raters, n_rows = self.rows.codes.shape
        return n_raters * max(n_rows, self.rows.n_categories + 1)

    def estimates(self, draws: IntArray) -> FloatArray:
        """Take the draws for so many groups."""
        rows, basics, _ = self._drawn(draws)
        with np.errstate(divide="ignore", invalid="ignore"):  # undefined
            return np.stack([model(rows, self.scale, basics).estimate for model in self.models], 1)

    def left_out(self) -> FloatArray:
        """Count all other units of each kind anew."""
        found = []
        for block in blocks_of(len(self.times), self.cells, BLOCK):
            draws = np.repeat(self.times[None], block.stop - block.start, axis=0)
            draws[np.arange(len(draws)), np.arange(block.start, block.stop)] -= 1
            found.append(self.estimates(draws))
        return np.concatenate(found)

    def pulls(self) -> FloatArray:
        """Influence values, summed over the rows of a cluster."""
        rows, basics, hit = self._drawn(self.times[None])
        weight, unit = self.rows.count[hit], self.unit[hit]
        result = np.empty((len(self.times), len(self.models)))
        for number, model in enumerate(self.models):
            with np.errstate(divide="ignore", invalid="ignore"):  # undefined
                influence = np.nan_to_num(model(rows, self.scale, basics).influence)
            result[:, number] = np.bincount(
                unit, weights=weight * influence, minlength=len(self.times)
            )
        return result

    def _drawn(self, draws: IntArray) -> tuple[RatingRows, Basics, IntArray]:
        """Rows of every draw as a group, what is known of them, and which rows they are."""
        drawn = draws[:, self.unit]
        group, hit = np.nonzero(drawn)
        rows = replace(
            self.rows,
            codes=self.rows.codes[:, hit],
            count=self.rows.count[hit] * drawn[group, hit],
            group=group,
            n_groups=len(draws),
            cluster=None,
            spread=None,
        )
        return rows, Basics(rows, self.apart[hit], self.by_items), hit


@dataclass(frozen=True)
class TotalsSample:
    """Units whose totals decide M coefficients, so that no unit is looked at again."""

    added: FloatArray  # what a unit of each kind adds to the totals, (U, T)
    times: IntArray  # number of units of each kind, (U,)
    # Coefficients, shape (B, M), of totals of shape (B, T).
    of_totals: Callable[[FloatArray], FloatArray]

    @property
    def cells(self) -> int:
        """Kinds of units."""
        return len(self.times)

    def estimates(self, draws: IntArray) -> FloatArray:
        """Take the totals of the draws."""
        return self.of_totals(draws.astype(np.float64) @ self.added)  # BLAS takes no integers

    def left_out(self) -> FloatArray:
        """Take one unit of each kind from the totals."""
        return self.of_totals(self.times @ self.added - self.added)

    def pulls(self) -> FloatArray:
        """Return how the coefficients change without a unit, against their mean."""
        values = self.left_out()
        mean: FloatArray = self.times @ np.nan_to_num(values) / self.times.sum()
        return np.nan_to_num(mean - values)


class ResampledLimits(NamedTuple):
    """Limits of S tables or groups, each field of shape (S,).

    Attributes
    ----------
    low, high : ndarray of float
        Confidence limits; NaN where the standard error is.
    p_value : ndarray of float
        Two-sided p of the hypothesis: the level at which it is a limit, from 1 / (B + 1) on.
    n_undefined : ndarray of int
        Number of resamples whose coefficient is 0/0; they are left out of the quantiles.
        For the jackknife, the number of items (or clusters) without which the coefficient
        is 0/0; its limits are then NaN.
    """

    low: FloatArray
    high: FloatArray
    p_value: FloatArray
    n_undefined: IntArray


class Drawing(NamedTuple):
    """How limits are drawn."""

    # Quantiles of the resamples; the same, corrected for bias and acceleration; or estimate plus
    # and minus t quantiles of the jackknife's standard error, {"percentile", "bca", "jackknife"}.
    method: str
    level: float  # confidence level
    n_resamples: int  # B; without effect on the jackknife
    rng: Seed = None  # every table, or group, draws from a stream spawned from it
    # Gets the numbers of resamples (for the jackknife, of tables or groups) done and to do.
    progress: Progress | None = None
    null: float = 0.0  # the coefficient that is tested


class ByQuantiles(Protocol):
    """Compute limits of M coefficients, and p, shape (3, M), from their B resamples."""

    def __call__(
        self, drawn: FloatArray, estimate: FloatArray, sample: Sample, drawing: Drawing
    ) -> FloatArray:
        """Take resamples of shape (B, M) and estimates of shape (M,)."""


def resampled_limits(
    agreement: Agreement | Figures,
    counts: PairCounts,
    scale: Scale,
    coefficient: Coefficient,
    drawing: Drawing,
    *,
    n_all: FloatArray | None = None,
) -> ResampledLimits:
    r"""Compute limits of a coefficient of two raters by redrawing its tables.

    Parameters
    ----------
    agreement : Agreement or Figures
        What was found in the tables; only estimates and standard errors are read.
    counts : PairCounts
        S tables of whole counts (see `has_whole_counts`), group by group.
    scale : Scale
        One scale for all tables, or one for each of G groups.
    coefficient : Coefficient
    drawing : Drawing
    n_all : ndarray of float, shape (S,), optional
        Whole number of items, those not rated by both included. These are drawn too, so
        that the number of joint items varies from one resample to the next.

    Returns
    -------
    ResampledLimits
        One value per table.

    Notes
    -----
    With :math:`\theta_{(i)}` the estimate without item i, the variance of the jackknife is
    :math:`\frac{n-1}{n} \sum_i (\theta_{(i)} - \bar\theta)^2` and the acceleration of BCa
    :math:`\sum_i L_i^3 / \{6 (\sum_i L_i^2)^{3/2}\}`, :math:`L_i = \bar\theta -
    \theta_{(i)}` [1]_. Items of the same cell have the same value. Its bias correction is
    the normal quantile of the share of resamples below the estimate, ties counting half.

    References
    ----------
    .. [1] Efron, 1987

    Examples
    --------
    >>> from pdkappa.coefficients.chance import COEFFICIENTS
    >>> from pdkappa.coefficients.pair_counts import PairCounts
    >>> from pdkappa.coefficients.chance import chance_corrected
    >>> from pdkappa.coefficients.weights import WEIGHTS, Scale
    >>> counts = PairCounts.from_tables(np.array([[20, 5], [10, 15]]))
    >>> scale = Scale(WEIGHTS[None], np.array([[0.0, 1.0]]), np.ones((1, 2), dtype=bool))
    >>> cohen = COEFFICIENTS["cohen"]
    >>> found = resampled_limits(
    ...     chance_corrected(counts, scale, cohen), counts, scale, cohen,
    ...     Drawing("jackknife", level=0.95, n_resamples=0),
    ... )
    >>> print(f"{found.low[0]:.3f} to {found.high[0]:.3f}")
    0.139 to 0.661
    """
    ends = np.searchsorted(counts.table, np.arange(counts.n_tables + 1))
    known = ~np.isnan(agreement.se)

    def sample(table: int) -> Sample:
        part = slice(ends[table], ends[table + 1])
        cells = counts.of_cells(part, np.zeros(part.stop - part.start, dtype=np.int64), 1)
        cells = replace(cells, count=np.rint(cells.count).astype(np.int64))
        rest = 0.0 if n_all is None else float(n_all[table]) - float(cells.count.sum())
        own = scale.of_tables(np.array([table]), counts.n_tables)
        return PairSample(cells, own, coefficient, max(round(rest), 0))

    found = limits_of_all(
        (sample(table) if known[table] else None for table in range(counts.n_tables)),
        agreement.estimate[:, None],
        drawing,
    )
    return _as_limits(found[..., 0], known)


def resampled_limits_of_many(
    rows: RatingRows,
    scale: Scale,
    models: Sequence[MultiraterModel],
    estimates: FloatArray,
    se: FloatArray,
    *,
    drawing: Drawing,
    by_items: bool = True,
) -> ResampledLimits:
    """Compute limits of coefficients of rows of ratings by redrawing rows or clusters.

    All coefficients of a group share their resamples. The acceleration of BCa comes from
    influence values, which those of the jackknife come close to at a higher price.

    Parameters
    ----------
    rows : RatingRows
        Rows in G groups, with whole counts or in clusters (see `has_whole_counts`).
    scale : Scale
        One scale for all groups, or one for each.
    models : list of callable
        M coefficients as in ``MULTIRATER``, or of pairs of raters (`model_of_pair`).
    estimates, se : ndarray of float, shape (G, M)
        What they are in all the rows; without a standard error there are no limits.
    by_items : bool
        Whether category shares average over items rather than ratings.
    drawing : Drawing

    Returns
    -------
    ResampledLimits
        One value per group and coefficient, each field of shape (G, M).
    """
    known = ~np.isnan(se)
    merged = rows.select(rows.n_ratings > 0).compressed
    order = np.argsort(merged.group, kind="stable")
    ends = np.searchsorted(merged.group[order], np.arange(rows.n_groups + 1))

    def sample(group: int) -> Sample:
        part = by_content(merged.as_one_group(order[ends[group] : ends[group + 1]]))
        return RowSample.of(part, scale.take(np.array([group])), models, by_items=by_items)

    found = limits_of_all(
        (sample(group) if known[group].any() else None for group in range(rows.n_groups)),
        estimates,
        drawing,
    )
    return _as_limits(found, known)


def model_of_pair(coefficient: Coefficient, pair: tuple[int, int]) -> MultiraterModel:
    """Make a coefficient of two of the raters one of rows of ratings."""

    def model(rows: Rows, scale: Scale, basics: Basics) -> Functional:  # noqa: ARG001
        return of_pair(wide(rows), scale, coefficient, pair)

    return model


def percentile(
    drawn: FloatArray,
    estimate: FloatArray,  # noqa: ARG001
    sample: Sample,  # noqa: ARG001
    drawing: Drawing,
) -> FloatArray:
    """Quantiles of the resamples that are defined (Efron, 1979)."""
    tails = np.array([(1 - drawing.level) / 2, (1 + drawing.level) / 2])
    limits = np.stack([_quantiles(one, tails) for one in drawn.T], axis=1)
    return np.vstack([limits, _two_sided(*_tails_of(drawn, drawing.null))])


def bca(drawn: FloatArray, estimate: FloatArray, sample: Sample, drawing: Drawing) -> FloatArray:
    """Quantiles at levels that correct for bias and acceleration (Efron, 1987).

    NaN where all resamples lie on one side of the estimate.
    """
    pulls, times, level = sample.pulls(), sample.times[:, None], drawing.level
    with np.errstate(divide="ignore", invalid="ignore"):  # nothing varies
        ratio = (times * pulls**3).sum(axis=0) / (times * pulls**2).sum(axis=0) ** 1.5 / 6
        acceleration = np.nan_to_num(ratio)
        away = drawn - estimate
        below = (away < -ROUNDING).sum(axis=0) + (np.abs(away) <= ROUNDING).sum(axis=0) / 2
        bias = ndtri(below / (~np.isnan(drawn)).sum(axis=0))
        shift = bias + ndtri([[(1 - level) / 2], [(1 + level) / 2]])
        tails = ndtr(bias + shift / (1 - acceleration * shift))
        # The same the other way round: at which level the null is a limit.
        beyond = ndtri(_tails_of(drawn, drawing.null)) - bias
        at_null = ndtr(
            np.where(np.isinf(beyond), beyond, beyond / (1 + acceleration * beyond) - bias)
        )
    pairs = zip(drawn.T, tails.T, strict=True)
    limits = np.stack([_quantiles(one, both) for one, both in pairs], axis=1)
    return np.vstack([limits, _two_sided(*at_null)])


MANY_KINDS = 4096
QUANTILES: dict[str, ByQuantiles] = {"percentile": percentile, "bca": bca}
RESAMPLED = (*QUANTILES, "jackknife")


def limits_of_all(
    samples: Iterable[Sample | None], estimates: FloatArray, drawing: Drawing
) -> FloatArray:
    """Low, high, p and number undefined of every sample and coefficient, shape (4, S, M)."""
    method, _, n_resamples, rng, progress, _ = drawing
    streams = np.random.default_rng(rng).spawn(len(estimates))
    steps = n_resamples if method in QUANTILES else 1
    found = np.zeros((4, *estimates.shape))
    every = zip(samples, estimates, streams, strict=True)
    for number, (sample, estimate, stream) in enumerate(every):

        def report(done: int, before: int = number * steps) -> None:
            if progress is not None:
                progress(before + done, len(estimates) * steps)

        if sample is None:
            report(steps)
        elif method in QUANTILES:
            drawn = _draw(sample, n_resamples, stream, report)
            found[:3, number] = QUANTILES[method](drawn, estimate, sample, drawing)
            found[3, number] = np.isnan(drawn).sum(axis=0)
        else:
            found[:, number] = _jackknife(sample, estimate, drawing)
            report(steps)
    return found


def _draw(
    sample: Sample, n_resamples: int, stream: np.random.Generator, report: Callable[[int], None]
) -> FloatArray:
    """Draw as many units as there are, over and over: the coefficients, shape (B, M)."""
    n = int(sample.times.sum())
    shares = sample.times / n
    # Many units of as many kinds are drawn one by one, which is several times faster.
    singly = len(shares) == n > MANY_KINDS
    found = []
    for block in blocks_of(n_resamples, sample.cells, BLOCK):
        size = block.stop - block.start
        if singly:
            units = (stream.integers(n, size=n) for _ in range(size))
            draws = np.stack([np.bincount(one, minlength=n) for one in units])
        else:
            draws = stream.multinomial(n, shares, size=size)
        found.append(sample.estimates(draws))
        report(block.stop)
    return np.concatenate(found)


def _jackknife(sample: Sample, estimate: FloatArray, drawing: Drawing) -> FloatArray:
    """Limits, p, and the number of units that must not be left out, shape (4, M)."""
    values, times = sample.left_out(), sample.times[:, None]
    n = float(times.sum())
    mean = (times * values).sum(axis=0) / n
    variance = (n - 1) / n * (times * (values - mean) ** 2).sum(axis=0)
    pivot = Around(estimate, np.sqrt(variance), np.full(mean.shape, n - 1), on_z=False)
    undefined = (times * np.isnan(values)).sum(axis=0)
    return np.stack([*pivot.limits(drawing.level), pivot.test(drawing.null)[1], undefined * 1.0])


def _tails_of(drawn: FloatArray, null: float) -> FloatArray:
    """Levels whose quantile is the null: the greatest and the least, shape (2, M)."""
    found = np.full((2, drawn.shape[1]), np.nan)
    for number, one in enumerate(drawn.T):
        known = np.sort(one[~np.isnan(one)])
        places = np.searchsorted(known, null, "right"), np.searchsorted(known, null, "left")
        for tail, place in enumerate(places):
            if 0 < place < len(known):
                below, above = known[place - 1 : place + 1]
                part = (null - below) / (above - below)
                found[tail, number] = (place - 1 + part) / (len(known) - 1)
            elif len(known):
                found[tail, number] = float(place > 0)
    return found


def _two_sided(most: FloatArray, least: FloatArray) -> FloatArray:
    """Turn the share of a distribution up to a value, and below it, into a p-value."""
    return np.clip(2 * np.minimum(most, 1 - least), None, 1.0)


def _quantiles(drawn: FloatArray, tails: FloatArray) -> FloatArray:
    """Quantiles of what is defined, shape (2,); NaN where nothing is."""
    defined = drawn[~np.isnan(drawn)]
    if len(defined) == 0 or np.isnan(tails).any():
        return np.full(2, np.nan)
    return np.quantile(defined, tails)


def _as_limits(found: FloatArray, known: BoolArray) -> ResampledLimits:
    """Hide limits where there is no standard error."""
    low, high, p_value = np.where(known, found[:3], np.nan)
    return ResampledLimits(low, high, p_value, found[3].astype(np.int64))
