"""Rules that put cut-points on a score, and cross-validation to choose among them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple, TypeAlias

import numpy as np

from pdkappa.coefficients.score_limits import ndtri
from pdkappa.methods.predictions.core.cutpoints import (
    Costs,
    Scored,
    cuts_at,
    exact_ends,
    kappa_of,
    stretched_ends,
    sums_at,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from pdkappa._typing import FloatArray, IntArray

    Rule: TypeAlias = "Callable[[Scored, Costs, np.random.Generator], FloatArray]"
    Smoother: TypeAlias = "Callable[[Bins, FloatArray, np.random.Generator], FloatArray]"

AUTO = "auto"
N_BAGS = 30
N_DRAWS = 1000  # of estimates, for the optimism
MOST_BINS = 1024  # groups of scores that a smooth curve is fitted to
DEGREE = 3


class FoundCuts(NamedTuple):
    """Cut-points, and how well they do.

    Attributes
    ----------
    cuts : ndarray of float, shape (K - 1,)
    method : str
        The rule, that chosen if it was "auto".
    table : ndarray of float, shape (K, K)
        Weights of the items by truth (rows) and prediction.
    estimate : float
        Kappa of that table.
    cv_estimates : dict
        Kappa of predictions for items left out, for each rule that was tried.
    cv_estimate : float
        That of the rule, less what choosing it by these figures is expected to add.
    """

    cuts: FloatArray
    method: str
    table: FloatArray
    estimate: float
    cv_estimates: dict[str, float]
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
    places: IntArray = estimates.shape[1] - 1 - (estimates >= least)[:, ::-1].argmax(axis=1)
    return places


def _root(cov: FloatArray) -> FloatArray:
    """Symmetric square root of covariances, shape (R, R)."""
    size, axes = np.linalg.eigh(cov)
    root: FloatArray = (axes * np.sqrt(size.clip(0))) @ axes.T
    return root


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
    """Neighbouring groups of equal scores, merged where there are very many.

    Attributes
    ----------
    lowest, highest : ndarray of float, shape (B,)
        Range of the scores in each bin.
    table : ndarray of float, shape (B, K)
        Weight of the items of each true class.
    n_items : int
        Number of items.
    """

    lowest: FloatArray
    highest: FloatArray
    table: FloatArray
    n_items: int

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
    fitted: FloatArray = powers @ found
    return fitted


def _bagged(bins: Bins, values: FloatArray, rng: np.random.Generator) -> FloatArray:
    """Average isotonic regressions of T numbers of each class, shape (K, T); shape (B, T)."""
    from scipy.optimize import isotonic_regression

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
            fit = isotonic_regression(mean, weights=mass[held]).x
            total[:, column] += np.interp(every, held, fit)
    return total / N_BAGS


# From the closest to the items to the steadiest.
RULES: dict[str, Rule] = {"exact": exact, "isotonic": isotonic, "fixed_point": fixed_point}
