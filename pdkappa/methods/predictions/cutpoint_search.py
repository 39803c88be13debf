"""Cuts on a score that maximise kappa: the search, steadier rules, cross-validation."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, NamedTuple, TypeAlias

import numpy as np
import scipy

from pdkappa.coefficients.pair_counts import are_first, starts_of, sums_at
from pdkappa.coefficients.score_limits import ndtri
from pdkappa.errors import WeightsError

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from pdkappa._typing import BoolArray, FloatArray, IntArray

    Rule: TypeAlias = "Callable[[Scored, Costs, np.random.Generator], FloatArray]"
    Smoother: TypeAlias = "Callable[[Bins, FloatArray, np.random.Generator], FloatArray]"

MOST_CELLS = 1 << 22  # cells of a dense table of scores by classes
SHOWN_PLACES = 200  # of a cut, in a profile


@dataclass(frozen=True)
class Costs:
    """What a prediction costs.

    Attributes
    ----------
    matrix : ndarray of float, shape (K, K)
        Disagreement of the truth (rows) with the prediction (columns); zero on the diagonal,
        not negative, and not necessarily symmetric.
    scores : ndarray of float, shape (K,), or None
        The ascending scores whose squared distance the cost is; None for other costs.
    """

    matrix: FloatArray
    scores: FloatArray | None = None


@dataclass(frozen=True)
class Scored:
    """Items with a score and a true class, sorted by score; equal scores are one group."""

    score: FloatArray  # distinct scores, ascending and finite, (G,)
    # Group (ascending) and true class of each item, (N,).
    group: IntArray
    truth: IntArray
    count: FloatArray  # weight of each item, greater than zero, (N,)
    n_classes: int  # K

    @classmethod
    def of(cls, score: FloatArray, truth: IntArray, count: FloatArray, n_classes: int) -> Scored:
        """Sort items by score, class and weight, so that their order makes no difference."""
        order = np.argsort(score)
        ordered = score[order]
        starts = are_first(ordered)
        group = np.cumsum(starts) - 1
        truth, count = truth[order].astype(np.intp), count[order]
        if not starts.all():
            order = np.lexsort((count, truth, group))
            truth, count = truth[order], count[order]
        return cls(ordered[starts], group, truth, count, n_classes)

    def select(self, items: BoolArray) -> Scored:
        """Keep some of the items."""
        kept = np.flatnonzero(items)
        truth, count = self.truth.take(kept), self.count.take(kept)
        if self.is_tieless:
            score = self.score.take(kept)
            return Scored(score, np.arange(len(kept)), truth, count, self.n_classes)
        group = self.group.take(kept)
        first = starts_of(group)
        return Scored(
            self.score.take(group.take(first)),
            np.repeat(np.arange(len(first)), np.diff(first, append=len(kept))),
            truth,
            count,
            self.n_classes,
        )

    @property
    def is_tieless(self) -> bool:
        """Whether every item is a group of its own, which saves work."""
        return len(self.score) == len(self.group)

    @cached_property
    def mass(self) -> FloatArray:
        """Weight of each group, shape (G,)."""
        return self.count if self.is_tieless else self._by_group(self.count)

    @cached_property
    def margin(self) -> FloatArray:
        """Weight of each true class, shape (K,)."""
        return sums_at(self.truth, self.count, self.n_classes)

    def sums(self, values: FloatArray) -> FloatArray:
        """Weighted sum of a number of each class in every group, shape (G,)."""
        weighted = self.count * values[self.truth]
        return weighted if self.is_tieless else self._by_group(weighted)

    def _by_group(self, values: FloatArray) -> FloatArray:
        """Add up numbers of the items of each group, shape (G,)."""
        return sums_at(self.group, values, len(self.score))

    def ends(self, cuts: FloatArray) -> IntArray:
        """Count the groups below each cut, shape (K - 1,)."""
        return np.searchsorted(self.score, cuts, side="left")

    def predicted(self, ends: IntArray) -> IntArray:
        """Class of each item, shape (N,): j in the groups from ``ends[j - 1]`` to ``ends[j]``."""
        edges = np.searchsorted(self.group, ends)
        n_items = np.diff(edges, prepend=0, append=len(self.group))
        return np.repeat(np.arange(self.n_classes), n_items)

    def table(self, predicted: IntArray) -> FloatArray:
        """Weight of the items by true class (rows) and predicted class, shape (K, K)."""
        k = self.n_classes
        return sums_at(self.truth * k + predicted, self.count, k * k).reshape(k, k)


def kappa_of(table: FloatArray, costs: Costs) -> float:
    """Weighted kappa of a table of truth by prediction; NaN where no disagreement is expected."""
    truth, predicted = table.sum(axis=1), table.sum(axis=0)
    expected = predicted @ (truth @ costs.matrix)
    if not expected > 0:
        return np.nan
    if np.count_nonzero(predicted) == 1:  # 0 by the definition, and not only up to rounding
        return 0.0
    return float(1 - (table * costs.matrix).sum() * table.sum() / expected)


def cuts_at(ends: IntArray, lowest: FloatArray, highest: FloatArray) -> FloatArray:
    """Put cuts between groups, shape (K - 1,): from each cut upwards is the next class.

    Parameters
    ----------
    ends : ndarray of int, shape (K - 1,)
        Number of groups below each cut.
    lowest, highest : ndarray of float, shape (G,)
        The range of scores of each group.

    Returns
    -------
    ndarray of float, shape (K - 1,)
        Halfway between two scores, or the upper one where no float lies between them; -inf
        below all scores and inf above them.
    """
    low = np.append(-np.inf, highest)[ends]
    high = np.append(lowest, np.inf)[ends]
    with np.errstate(over="ignore", invalid="ignore"):
        middle = low + (high - low) / 2
    # The difference of two finite scores may be beyond the largest float.
    middle = np.where(np.isfinite(middle), middle, low / 2 + high / 2)
    inside = np.where(middle > low, middle, high)
    return np.where(np.isinf(low), low, np.where(np.isinf(high), high, inside))


def exact_ends(items: Scored, costs: Costs) -> IntArray:
    """Find the cuts of greatest kappa among all, shape (K - 1,), as numbers of groups below.

    Parameters
    ----------
    items : Scored
        At least one item.
    costs : Costs
        Any; squared distances have a closed form, whose time does not depend on K.

    Returns
    -------
    ndarray of int, shape (K - 1,)
        Not descending. No relation of score and truth gives a single class, and kappa 0.

    Notes
    -----
    The margins of the truth are given, so that kappa is one minus a ratio of sums over items,
    ``A / B``, and Dinkelbach's iteration [1]_ reaches its minimum in finitely many steps:
    minimise ``A - ratio * B``, and put the ratio found in its place. Each minimum over all
    monotone assignments is that of a chain, `_chain`.

    References
    ----------
    .. [1] Dinkelbach, 1967
    """
    if costs.scores is not None:
        means = items.sums(costs.scores) / items.mass
        return stretched_ends(means, items.mass, items.margin, costs.scores)
    expected = items.margin @ costs.matrix / items.margin.sum()
    step = _steps(items, costs)
    best, kappa = _constant(expected, len(items.score)), 0.0
    while True:
        ends = _chain(step, items.mass, expected, 1 - kappa)
        found = kappa_of(items.table(items.predicted(ends)), costs)
        if not found > kappa:
            return best
        best, kappa = ends, found


def _constant(expected: FloatArray, n_groups: int) -> IntArray:
    """Put all groups into the class with the least disagreement above zero, shape (K - 1,)."""
    costs = np.where(expected > 0, expected, np.inf)
    return np.where(np.arange(len(costs) - 1) < costs.argmin(), 0, n_groups)


def _step(items: Scored, costs: Costs, j: int) -> FloatArray:
    """Return E_j: what t groups cost more in class j than in class j + 1, shape (G + 1,)."""
    change = costs.matrix[:, j] - costs.matrix[:, j + 1]
    return np.append(0.0, np.cumsum(items.sums(change)))


def _steps(items: Scored, costs: Costs) -> Callable[[int], FloatArray]:
    """Return `_step` as a function of j: all are kept if few, else computed again each time."""
    k, n_groups = items.n_classes, len(items.score)
    if n_groups * k > MOST_CELLS:
        return lambda j: _step(items, costs, j)
    cells = sums_at(items.group * k + items.truth, items.count, n_groups * k)
    every = np.zeros((k - 1, n_groups + 1))
    change = costs.matrix[:, :-1] - costs.matrix[:, 1:]
    np.cumsum((cells.reshape(n_groups, k) @ change).T, axis=1, out=every[:, 1:])
    return every.__getitem__


def _chain(
    step: Callable[[int], FloatArray], mass: FloatArray, expected: FloatArray, ratio: float
) -> IntArray:
    """Minimise ``A - ratio * B`` over all monotone assignments, shape (K - 1,).

    With t_j groups below cut j, it is a constant and the sum of ``D_j(t_j)``, so that
    ``V_j(t) = D_j(t) + min(V_{j-1}(s) for s <= t)`` is the least sum up to cut j.
    """
    below = np.append(0.0, np.cumsum(mass))
    change = expected[:-1] - expected[1:]
    lower = np.empty((len(change), len(below)), dtype=bool)  # than all before
    least = np.zeros(len(below))
    for j, slope in enumerate(change):
        least = np.minimum.accumulate(step(j) - ratio * slope * below + least)
        lower[j, 0] = True
        np.less(least[1:], least[:-1], out=lower[j, 1:])
    ends = np.empty(len(change), dtype=np.intp)
    end = len(mass)
    for j in reversed(range(len(change))):
        end -= int(lower[j, end::-1].argmax())
        ends[j] = end
    return ends


def stretched_ends(
    means: FloatArray, mass: FloatArray, margin: FloatArray, scores: FloatArray
) -> IntArray:
    """Cut where the expected truth, stretched by 1 / kappa, is nearer to the next class.

    Parameters
    ----------
    means, mass : ndarray of float, shape (G,)
        Expected score of the truth in each group, and the weight of the group.
    margin, scores : ndarray of float, shape (K,)
        Weights and ascending scores of the true classes.

    Returns
    -------
    ndarray of int, shape (K - 1,)
        Number of groups below each cut.

    Notes
    -----
    With squared distances, ``A - (1 - kappa) * B`` is ``kappa * sum((p - z)**2)`` and a
    constant, where p are the predicted scores and ``z = mean + (y - mean) / kappa``. The best
    monotone p is hence the class nearest to ``mean + (m - mean) / kappa``, where m is the
    isotonic regression of the truth on the score, and kappa its own value: Dinkelbach's
    iteration again.
    """
    total = margin.sum()
    mean = (margin @ scores) / total
    spread = float(margin @ (scores - mean) ** 2)
    fit = scipy.optimize.isotonic_regression(means, weights=mass)
    away, weight = fit.x[fit.blocks[:-1]] - mean, fit.weights
    middles = (scores[:-1] + scores[1:]) / 2 - mean
    place = np.where(away < 0, 0, len(scores) - 1)
    best, kappa = None, 0.0
    while True:
        p = scores[place] - mean
        found = 2 * float(weight @ (p * away)) / (spread + float(weight @ p**2))
        if not found > kappa:
            break
        best, kappa = place, found
        place = np.searchsorted(middles, away / kappa, side="right")
    if best is None or best[0] == best[-1]:
        return _constant(spread / total + (scores - mean) ** 2, len(mass))
    blocks = np.searchsorted(best, np.arange(len(scores) - 1), side="right")
    return fit.blocks[blocks]


def profile(items: Scored, costs: Costs, cuts: FloatArray, j: int) -> tuple[FloatArray, FloatArray]:
    """Move one cut from the one below it to the one above, and see what it does to kappa.

    Parameters
    ----------
    items, costs : Scored, Costs
    cuts : ndarray of float, shape (K - 1,)
        Not descending.
    j : int
        Number of the cut that moves.

    Returns
    -------
    places : ndarray of float, shape (P,)
        Where the cut is put, ascending: between any two neighbouring scores, or at some 200
        such places and at the cut itself.
    kappa : ndarray of float, shape (P,)
    """
    ends = items.ends(cuts)
    first = ends[j - 1] if j else 0
    last = ends[j + 1] if j + 1 < len(ends) else len(items.score)
    many = np.linspace(first, last, min(last - first + 1, SHOWN_PLACES)).astype(np.intp)
    tried = np.unique(np.append(many, ends[j]))
    table = items.table(items.predicted(ends))
    expected = items.margin @ costs.matrix / items.margin.sum()
    gained = _step(items, costs, j)
    below = np.append(0.0, np.cumsum(items.mass))
    a = (table * costs.matrix).sum() + gained[tried] - gained[ends[j]]
    b = table.sum(axis=0) @ expected
    b = b + (expected[j] - expected[j + 1]) * (below[tried] - below[ends[j]])
    with np.errstate(divide="ignore", invalid="ignore"):
        kappa = np.where(b > 0, 1 - a / b, np.nan)
    places = cuts_at(tried, items.score, items.score)
    return np.where(tried == ends[j], cuts[j], places), kappa


AUTO = "auto"
N_BAGS = 30
N_DRAWS = 1000  # of estimates, for the optimism
MOST_BINS = 1024  # groups of scores that a smooth curve is fitted to
DEGREE = 3


class FoundCuts(NamedTuple):
    """Cut-points, and how well they do."""

    cuts: FloatArray  # (K - 1,)
    method: str  # the rule, that chosen if it was "auto"
    table: FloatArray  # weights of the items by truth (rows) and prediction, (K, K)
    estimate: float  # kappa of that table
    # Kappa of predictions for items left out, for each rule that was tried.
    cv_estimates: dict[str, float]
    # That of the rule, less what choosing it by these figures is expected to add.
    cv_estimate: float


def find_cuts(
    items: Scored, costs: Costs, *, method: str, n_folds: int, rng: np.random.Generator
) -> FoundCuts:
    """Put cuts by a rule, or by the rule that does best in cross-validation.

    Parameters
    ----------
    items : Scored
        At least one item.
    costs : Costs
    method : str
        "auto" or one of `RULES`.
    n_folds : int
        Number of folds, at most one for each item; with fewer than two there is no
        cross-validation, and "auto" is "exact".
    rng : Generator
        For the folds and the bags. A rule draws the same, whether "auto" chose it or not.
    """
    n_folds = min(n_folds, len(items.truth))
    folds, bags, *others, draws = rng.spawn(3 + n_folds)
    rules = list(RULES) if method == AUTO else [method]
    best, optimism, estimates = rules[0], 0.0, dict.fromkeys(rules, np.nan)
    if n_folds > 1:
        fold = draw_folds(items.truth, n_folds, folds)
        predicted = _left_out(items, costs, rules, fold, others)
        estimates = {r: kappa_of(items.table(p), costs) for r, p in predicted.items()}
        if len(rules) > 1:
            best, optimism = _steadiest(items, costs, predicted, estimates, draws)
    cuts = _put(best, items, costs, bags)
    table = items.table(items.predicted(items.ends(cuts)))
    estimate, held_out = kappa_of(table, costs), estimates[best] - optimism
    return FoundCuts(cuts, best, table, estimate, estimates, held_out)


def draw_folds(truth: IntArray, n_folds: int, rng: np.random.Generator) -> IntArray:
    """Give each item a fold at random, the items of a class to all folds evenly, shape (N,)."""
    drawn = rng.permutation(len(truth))
    classes = truth.astype(np.min_scalar_type(truth.max(initial=0)))  # which sort faster
    drawn = drawn[np.argsort(classes[drawn], kind="stable")]
    fold = np.empty(len(truth), dtype=np.intp)
    fold[drawn] = np.arange(len(truth)) % n_folds
    return fold


def _left_out(
    items: Scored,
    costs: Costs,
    rules: list[str],
    fold: IntArray,
    streams: Sequence[np.random.Generator],
) -> dict[str, IntArray]:
    """Predict the items of each fold from the others by every rule, shape (N,)."""
    predicted: dict[str, IntArray] = {rule: np.empty(len(fold), dtype=np.intp) for rule in rules}
    for number, stream in enumerate(streams):
        here = fold == number
        known, unknown = items.select(~here), items.select(here)
        for rule in rules:
            cuts = _put(rule, known, costs, stream)
            predicted[rule][here] = unknown.predicted(unknown.ends(cuts))
    return predicted


def _steadiest(
    items: Scored,
    costs: Costs,
    predicted: dict[str, IntArray],
    estimates: dict[str, float],
    rng: np.random.Generator,
) -> tuple[str, float]:
    """Choose the steadiest rule that is not worse than the best by more than a standard error.

    The error is that of the difference of the two kappas for given predictions. Each is one
    minus a ratio of two means over the items, so that it is the error of a mean. The second
    figure is the optimism: by how much the estimate of the rule chosen exceeds its mean, were
    the estimates drawn around themselves with their errors.
    """
    defined = [rule for rule in predicted if not np.isnan(estimates[rule])]
    if len(defined) < len(predicted):
        return next(iter(defined or predicted)), 0.0
    total = items.count.sum()
    by_chance = items.margin @ costs.matrix / total

    def influence(rule: str) -> FloatArray:
        observed = costs.matrix[items.truth, predicted[rule]]
        expected = by_chance[predicted[rule]]
        change = (1 - estimates[rule]) * expected - observed
        return items.count * change / (items.count @ expected)

    values = np.stack([influence(rule) for rule in defined])
    known = np.array([estimates[rule] for rule in defined])
    error = np.sqrt(np.square(values[:, None] - values).sum(axis=2))
    noise = rng.standard_normal((N_DRAWS, len(known))) @ _root(values @ values.T)
    of_draws = _near_best(known + noise, error)
    optimism = max(float(np.take_along_axis(noise, of_draws[:, None], axis=1).mean()), 0.0)
    return defined[_near_best(known[None], error)[0]], optimism


def _near_best(estimates: FloatArray, error: FloatArray) -> IntArray:
    """Last of R rules within an error of the best, by estimates of shape (B, R); shape (B,)."""
    least = estimates.max(axis=1, keepdims=True) - error[estimates.argmax(axis=1)]
    return estimates.shape[1] - 1 - (estimates >= least)[:, ::-1].argmax(axis=1)


def _root(cov: FloatArray) -> FloatArray:
    """Symmetric square root of covariances, shape (R, R)."""
    size, axes = np.linalg.eigh(cov)
    return (axes * np.sqrt(size.clip(0))) @ axes.T


def _put(rule: str, items: Scored, costs: Costs, rng: np.random.Generator) -> FloatArray:
    """Put cuts by a rule, shape (K - 1,); a single true class is predicted for all."""
    classes = np.flatnonzero(items.margin)
    if len(classes) > 1:
        return RULES[rule](items, costs, rng)
    return np.where(np.arange(items.n_classes - 1) < classes[0], -np.inf, np.inf)


# --- rules -------------------------------------------------------------------------------------


def exact(items: Scored, costs: Costs, rng: np.random.Generator) -> FloatArray:  # noqa: ARG001
    """Cuts of the greatest kappa in these items."""
    return cuts_at(exact_ends(items, costs), items.score, items.score)


def isotonic(items: Scored, costs: Costs, rng: np.random.Generator) -> FloatArray:
    """Best cuts for the mean of isotonic regressions of 30 bootstrap samples."""
    return _smooth_cuts(items, costs, _bagged, rng)


def fixed_point(items: Scored, costs: Costs, rng: np.random.Generator) -> FloatArray:
    """Best cuts for a cubic regression on the normal scores of the scores."""
    return _smooth_cuts(items, costs, _cubic, rng)


def _smooth_cuts(
    items: Scored, costs: Costs, smooth: Smoother, rng: np.random.Generator
) -> FloatArray:
    """Find the best cuts if the truth were distributed as a smooth curve says.

    For squared distances the curve is the expected score of the truth. For other costs there
    is one for each class but the lowest: the probability of a truth at least as high.
    """
    bins = Bins.of(items)
    if costs.scores is not None:
        means = smooth(bins, costs.scores[:, None], rng)[:, 0]
        ends = stretched_ends(means, bins.mass, items.margin, costs.scores)
        return cuts_at(ends, bins.lowest, bins.highest)
    k = items.n_classes
    at_least = smooth(bins, np.tri(k, k - 1, -1), rng).clip(0, 1)
    at_least = np.minimum.accumulate(at_least, axis=1)
    shares = -np.diff(at_least, prepend=1, append=0, axis=1)
    bin_, truth = np.divmod(np.arange(shares.size), k)
    count = (shares * bins.mass[:, None]).ravel()
    expected = Scored(bins.lowest, bin_, truth, count, k)
    return cuts_at(exact_ends(expected, costs), bins.lowest, bins.highest)


# --- curves ------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Bins:
    """Neighbouring groups of equal scores, merged where there are very many."""

    # Range of the scores in each bin, (B,).
    lowest: FloatArray
    highest: FloatArray
    table: FloatArray  # weight of the items of each true class, (B, K)
    n_items: int  # number of items

    @classmethod
    def of(cls, items: Scored) -> Bins:
        """Merge groups into at most 1,024 bins of about the same weight."""
        k, n_groups = items.n_classes, len(items.score)
        bin_ = np.arange(n_groups)
        if n_groups > MOST_BINS:
            middle = np.cumsum(items.mass) - items.mass / 2
            share = (middle / items.mass.sum() * MOST_BINS).astype(np.intp)
            bin_ = np.cumsum(np.diff(share, prepend=share[0]) != 0)
        first = np.flatnonzero(np.diff(bin_, prepend=-1))
        last = np.append(first[1:], n_groups) - 1
        cell = bin_[items.group] * k + items.truth
        table = sums_at(cell, items.count, len(first) * k).reshape(-1, k)
        return cls(items.score[first], items.score[last], table, len(items.truth))

    @property
    def mass(self) -> FloatArray:
        """Weight of each bin, shape (B,)."""
        return self.table.sum(axis=1)


def _cubic(bins: Bins, values: FloatArray, rng: np.random.Generator) -> FloatArray:  # noqa: ARG001
    """Regress T numbers of each class, shape (K, T), on normal scores; shape (B, T)."""
    mass = bins.mass
    normal = ndtri((np.cumsum(mass) - mass / 2) / mass.sum())
    powers = np.vander(normal, DEGREE + 1)
    root = np.sqrt(mass)[:, None]
    found = np.linalg.lstsq(powers * root, bins.table @ values / root)[0]
    return powers @ found


def _bagged(bins: Bins, values: FloatArray, rng: np.random.Generator) -> FloatArray:
    """Average isotonic regressions of T numbers of each class, shape (K, T); shape (B, T)."""
    used = np.flatnonzero(bins.table)
    share = bins.table.ravel()[used]
    share = share / share.sum()
    every = np.arange(len(bins.table))
    total = np.zeros((len(every), values.shape[1]))
    for _ in range(N_BAGS):
        drawn = np.zeros(bins.table.shape)
        drawn.ravel()[used] = rng.multinomial(bins.n_items, share)
        mass = drawn.sum(axis=1)
        held = np.flatnonzero(mass)
        means = (drawn[held] @ values) / mass[held, None]
        for column, mean in enumerate(means.T):
            fit = scipy.optimize.isotonic_regression(mean, weights=mass[held]).x
            total[:, column] += np.interp(every, held, fit)
    return total / N_BAGS


# From the closest to the items to the steadiest.
RULES: dict[str, Rule] = {"exact": exact, "isotonic": isotonic, "fixed_point": fixed_point}


MOST_ITEMS = 1 << 22  # that whole-number weights may stand for
LEAST_WEIGHT = 1e-12  # of the largest
NORMAL = (1e-100, 1e100)  # weights that can be multiplied safely


def items_of(
    score: FloatArray, truth: IntArray, counts: FloatArray | None, n_classes: int
) -> tuple[Scored, int]:
    """Sort the items; their weights are divided by 2 to the power of the number returned.

    Whole-number weights are so many items each.
    """
    exponent = 0
    if counts is None:
        counts = np.ones(len(score))
    elif (counts == np.rint(counts)).all() and counts.sum() <= MOST_ITEMS:
        times = counts.astype(np.int64)
        score, truth, counts = score.repeat(times), truth.repeat(times), np.ones(times.sum())
    elif counts.max() * LEAST_WEIGHT > counts.min():
        raise WeightsError(
            f"sample_weight reaches from {counts.min():g} to {counts.max():g}, too far apart for "
            "one fit. Leave out items that hardly count."
        )
    elif not NORMAL[0] < counts.min() <= counts.max() < NORMAL[1]:
        exponent = int(np.frexp(counts.max())[1])
        counts = np.ldexp(counts, -exponent)
    return Scored.of(score, truth, counts, n_classes), exponent
