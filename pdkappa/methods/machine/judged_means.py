"""Shares and means of all items from few human labels and a machine of all: the estimators."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal, NamedTuple, TypeAlias

import numpy as np

from pdkappa.coefficients.chance import FEWEST_ITEMS
from pdkappa.coefficients.pair_counts import sums_at
from pdkappa.coefficients.score_limits import (
    ROUNDING,
    degrees_of,
    design_effect,
    half_width,
    wilson,
    without_rounding,
)
from pdkappa.errors import LeftOutWarning, OptionError, shown, warn
from pdkappa.methods.estimates import asked as has
from pdkappa.methods.estimates.asks import anew, option
from pdkappa.methods.estimates.options import is_number
from pdkappa.methods.estimates.pair_frames import in_turns, warn_if_undefined
from pdkappa.present import schema
from pdkappa.present.text_tables import result
from pdkappa.ratings.categories import index_of
from pdkappa.ratings.coded import Counted
from pdkappa.ratings.items import how_many, where_in

if TYPE_CHECKING:
    import pandas as pd

    from pdkappa._typing import BoolArray, FloatArray, IntArray, Label, ObjectArray
    from pdkappa.coefficients.rating_rows import RatingRows
    from pdkappa.ratings.coded import Coded
    from pdkappa.ratings.items import Groups


class Part(NamedTuple):
    """C figures of some of the items of G groups, as sums of what M units contribute.

    A unit is an item like each row, or a cluster of items.
    """

    # Contributions: influence values of items, or their sums in clusters, divided by the number of
    # items, (C, M).
    contributions: FloatArray
    share: FloatArray  # part of the items that are like each row; 1 for clusters, (M,)
    # Group of each unit and, where items are nested, the number of its cluster, else None, (M,).
    group: IntArray
    cluster: IntArray | None
    times: FloatArray  # number of units with share 1: of items, or 1 for clusters, (G,)
    divisor: FloatArray  # what sums of products are divided by, to be covariances, (G,)
    units: FloatArray  # number of what is independent, (G,)

    def mean(self, values: FloatArray) -> FloatArray:
        """Sum a value of each unit by its share, shape (G,)."""
        return sums_at(self.group, self.share * values, len(self.units))

    def covariance(self, first: FloatArray, second: FloatArray) -> FloatArray:
        """Covariance of two figures, from what units contribute; NaN of fewer than two, (G,)."""
        with np.errstate(divide="ignore", invalid="ignore"):
            return np.where(self.units > 1, self.mean(first * second) / self.divisor, np.nan)

    def variance(self, figure: int = 0) -> FloatArray:
        """Variance of one of the figures, shape (G,)."""
        return self.covariance(*self.contributions[[figure, figure]])


def part_of(rows: RatingRows, keep: BoolArray, values: FloatArray, *, ddof: int = 1) -> Part:
    """Take the rows of a part, shape (U,), with their influence values, shape (C, U).

    Variances divide by n (n - ddof); those of clusters are bias-reduced (CR2): see
    `pdkappa.coefficients.influence.standard_error`.
    """
    own = rows.select(keep)
    n, units = own.n_items, own.units
    share = own.count / n[own.group]
    if own.cluster is None:
        return Part(values[:, keep], share, own.group, None, n, n - ddof, units)
    found, one = own.clusters, np.ones(len(units))
    with np.errstate(divide="ignore", invalid="ignore"):  # a single cluster
        rest = np.sqrt(1 - found.size / n[found.group])
        sums = np.stack([found.total(share * some) for some in values[:, keep]]) / rest
    return Part(sums, np.ones(len(rest)), found.group, np.unique(own.cluster), one, one, units)


def between(first: Part, second: Part, of_first: int, of_second: int) -> FloatArray:
    """Covariance of figures of two parts, shape (G,): zero but for clusters with items in both."""
    if first.cluster is None or second.cluster is None:
        return np.zeros(len(first.units))
    _, here, there = np.intersect1d(first.cluster, second.cluster, return_indices=True)
    products = first.contributions[of_first, here] * second.contributions[of_second, there]
    return sums_at(first.group[here], products, len(first.units))


OF_HUMAN, OF_JUDGE, REST = 0, 1, 0  # figures of the labelled items, and of the others
BY_CHANCE = 3.0  # squared distance from zero, in errors, that may be that of a machine that guesses
OF_OWN_ERRORS = 1.5  # most of a lambda, in units of that of a machine whose errors are its own
MOST_LEVERAGE = 0.9  # an item that alone makes the machine's figure vary has no residual


class Powered(NamedTuple):
    """A figure of G groups: estimate, variance and degrees of freedom, each of shape (G,)."""

    estimate: FloatArray
    variance: FloatArray
    df: FloatArray
    lam: FloatArray


class InCommon(NamedTuple):
    """Kappa of the human with the machine and its error, each (G,); NaN: not known."""

    kappa: FloatArray
    error: FloatArray


class Figures(NamedTuple):
    """The figure by the labels, by the judgements of the same and of other items, each (G,)."""

    human: FloatArray
    judge: FloatArray
    rest: FloatArray


def powered(
    figures: Figures, labelled: Part, others: Part, lam: FloatArray, *, steady: bool
) -> Powered:
    """Combine the figures with some lambda.

    Parameters
    ----------
    figures : Figures
    labelled : Part
        Contributions to the first two figures.
    others : Part
        Contributions to the third.
    lam : ndarray of float, shape (G,)
        Where it is zero, judgements are not used at all.
    steady : bool
        Whether lambda was found from few of the same items, which the variance takes into
        account: residuals are those of an item left out, and a degree of freedom is lost.

    Returns
    -------
    Powered
        The variance is that of labels and of judgements, and of what clusters with items in
        both have in common. NaN with fewer than two units in a part that is used.
    """
    used = lam != 0
    with np.errstate(invalid="ignore"):  # a single cluster, which has no error
        values = labelled.contributions[0] - lam[labelled.group] * labelled.contributions[1]
    lost = np.where(used & steady, 2.0, 1.0)
    if steady:
        values = values / (1 - np.where(used[labelled.group], _leverage(labelled), 0.0))
    own = labelled.covariance(values, values)
    rest = np.where(used, lam**2 * others.variance(), 0.0)
    with np.errstate(divide="ignore", invalid="ignore"):  # nothing varies, or next to no units
        shared = 2 * lam * between(labelled, others, OF_HUMAN, REST)
        shared -= 2 * lam**2 * between(labelled, others, OF_JUDGE, REST)
        of_rest = np.where(used, rest**2 / (others.units - 1), 0.0)
        df = (own + rest) ** 2 / (own**2 / (labelled.units - lost) + of_rest)
    moved = np.where(used, lam * (figures.rest - figures.judge), 0.0)
    return Powered(
        figures.human + moved,
        np.maximum(own + rest + np.where(used, shared, 0.0), 0.0),
        np.where(own + rest > 0, df, labelled.units - lost),
        lam,
    )


def best_lambda(labelled: Part, others: Part, common: InCommon) -> FloatArray:
    r"""Find the lambda with the least variance, as far as it is no noise, shape (G,).

    Parameters
    ----------
    labelled, others : Part
        As in `powered`.
    common : InCommon

    Notes
    -----
    The variance is least at ``lam = (C - c) / (V_L + V_U - 2 v)``, with C the covariance of both
    figures of the labelled items, V the variances of the machine's, and c and v what clusters with
    items in both parts have in common. In a small sample this costs more than it gains if the
    judge tells nothing about the human. Two things that their kappa says hold it back.

    If the machine's errors are its own, so that they depend on the human's label alone, an item
    does about kappa times as much to the machine's figure as to the human's, and lambda is near
    ``kappa * V_H / V_J``. So it lies between zero and 1.5 times that, V_J the larger one of the
    labelled and the other items. And it is multiplied by ``max(0, 1 - 3 / t**2)``, Breiman's
    garrote, with t the kappa over its error: zero unless kappa is 1.7 times its error.
    """
    human, judge = labelled.contributions
    gain = labelled.covariance(human, judge) - between(labelled, others, OF_HUMAN, REST)
    own, rest = labelled.variance(OF_JUDGE), others.variance()
    price = own + rest - 2 * between(labelled, others, OF_JUDGE, REST)
    with np.errstate(divide="ignore", invalid="ignore"):  # the machine does not vary
        of_as_few = np.fmax(own, rest * others.units / labelled.units)
        most = OF_OWN_ERRORS * common.kappa * labelled.variance() / of_as_few
        lam = np.clip(gain / price, np.minimum(most, 0.0), np.maximum(most, 0.0))
        lam = lam * np.maximum(0.0, 1 - BY_CHANCE * (common.error / common.kappa) ** 2)
    return np.where((price > ROUNDING**2) & np.isfinite(lam) & (lam != 0), lam, 0.0)


def _leverage(labelled: Part) -> FloatArray:
    """Part of a unit like each row in the variation of the machine's figure, shape (M,)."""
    judge = labelled.contributions[OF_JUDGE]
    with np.errstate(divide="ignore", invalid="ignore"):  # the machine does not vary
        found = judge**2 / (labelled.times * labelled.mean(judge**2))[labelled.group]
    return np.minimum(np.nan_to_num(found), MOST_LEVERAGE)


FEW_IN_CELL = 5.0  # items; with as many in each cell, no pseudo-items are added


class Means(NamedTuple):
    """Means of G groups, each of shape (G,); `lam` is NaN where there is none."""

    estimate: FloatArray
    se: FloatArray
    ci_low: FloatArray
    ci_high: FloatArray
    lam: FloatArray
    reason: ObjectArray


class Values(NamedTuple):
    """What items are worth, by labels of people and by judgements, of U rows in G groups.

    Both are of shape (U,), zero where there is none; `has_label` and `has_judgement` say where
    there is one. `of_shares` says that they are 0 or 1.
    """

    rows: RatingRows
    human: FloatArray
    judge: FloatArray
    has_label: BoolArray
    has_judgement: BoolArray
    of_shares: bool

    def mean(self, values: FloatArray, keep: BoolArray) -> FloatArray:
        """Mean of some of the rows, NaN of none, shape (G,)."""
        with np.errstate(invalid="ignore"):
            return self.rows.total(keep * values) / self.rows.total(keep)

    def judged(self) -> Values:
        """Keep the items with a judgement."""
        keep, names = self.has_judgement, ("human", "judge", "has_label", "has_judgement")
        some: Any = {name: getattr(self, name)[keep] for name in names}
        return self._replace(rows=self.rows.select(keep), **some)

    def around(self, values: FloatArray, keep: BoolArray) -> FloatArray:
        """Values of some of the rows less their mean; the influence on it, shape (U,)."""
        for _ in range(2):  # the second time what the first one rounded, so that equal ones are 0
            values = values - self.mean(values, keep)[self.rows.group]
        return np.where(keep, values, 0.0)


def ppi(values: Values, lam: float | None, level: float) -> Means:
    r"""Correct the mean of the judgements by the labels, or steady that of the labels.

    Notes
    -----
    Prediction-powered inference (Angelopoulos et al., 2023): with Y the labels of n items, f the
    judgements of the same items and of N others, the estimate is
    :math:`\lambda \bar f_N + \overline{(Y - \lambda f)}_n`, its variance
    :math:`\operatorname{Var}_n(Y - \lambda f) / n + \lambda^2 \operatorname{Var}_N(f) / N`; the
    best lambda is :math:`\operatorname{Cov}(Y, f) / ((1 + n / N) \operatorname{Var}(f))`.
    Variances are divided by n, but that of all judgements in lambda by n + N - 1, as in
    `ppi_py` 0.2.3.
    """
    values = values.judged()
    rows, has_label, others = values.rows, values.has_label, ~values.has_label
    each = ((values.human, has_label), (values.judge, has_label), (values.judge, others))
    around = np.stack([values.around(*one) for one in each])
    labelled = part_of(rows, has_label, around[:2], ddof=0)
    rest = part_of(rows, others, around[2:], ddof=0)
    n, n_others = rows.total(has_label), rows.total(others)
    several = rest.units >= FEWEST_ITEMS
    if lam is None:
        weights = np.where(several, _tuned(values, labelled, n, n_others), 0.0)
    else:
        weights = np.full(rows.n_groups, lam)
    figures = Figures(*(values.mean(*one) for one in each))
    found = powered(figures, labelled, rest, weights, steady=False)
    variance, moved = found.variance, np.zeros(rows.n_groups)
    if values.of_shares:
        more, moved = _pseudo_items(values, labelled, weights)
        variance = variance + more
    used = weights != 0
    reason = _reasons(n, np.where(used & ~several, 0.0, labelled.units))
    reason[used & (n_others == 0) & (n > 0)] = "no_unlabelled"
    df = found.df if rows.cluster is not None else None
    half = half_width(level, df) * np.sqrt(variance)
    means = Means(
        found.estimate,
        np.sqrt(variance),
        found.estimate + np.minimum(moved - half, 0.0),
        found.estimate + np.maximum(moved + half, 0.0),
        weights,
        reason,
    )
    return defined(means, of_shares=values.of_shares)


def _tuned(values: Values, labelled: Part, n: FloatArray, n_others: FloatArray) -> FloatArray:
    """Find the best lambda, zero where judgements do not vary or all items have labels."""
    every = np.ones_like(values.has_label)
    whole = part_of(values.rows, every, values.around(values.judge, every)[None])
    with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
        covariance = labelled.covariance(*labelled.contributions) * n
        variance = whole.variance() * (n + n_others)
        lam = covariance / ((1 + n / n_others) * variance)
    return np.where(np.isfinite(lam) & (variance > ROUNDING**2), lam, 0.0)


def _pseudo_items(values: Values, labelled: Part, lam: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Find what half a pseudo-item in each cell adds to the variance and the mean of residuals.

    Nothing where each cell of labels by judgements holds five items or more. Without a single
    disagreement of the two, the machine would else be known to make no errors (Agresti & Min,
    2005).
    """
    choices = [(y, f) for y in (0, 1) for f in (0, 1)]
    cells = np.stack(
        [
            values.rows.total(values.has_label & (values.human == y) & (values.judge == f))
            for y, f in choices
        ]
    )
    residuals = np.stack([y - lam * f for y, f in choices])

    def mean(times: FloatArray, of: FloatArray) -> FloatArray:
        with np.errstate(invalid="ignore"):  # no labels
            found: FloatArray = (times * of).sum(axis=0) / times.sum(axis=0)
        return found

    more = cells + 0.5
    moved = mean(more, residuals) - mean(cells, residuals)
    spread = mean(more, residuals**2) - mean(more, residuals) ** 2
    with np.errstate(invalid="ignore"):  # a single cluster, which has no error
        own = labelled.contributions[0] - lam[labelled.group] * labelled.contributions[1]
    added = np.maximum(spread / more.sum(axis=0) - labelled.covariance(own, own), 0.0)
    few = cells.min(axis=0) < FEW_IN_CELL
    return np.where(few, added, 0.0), np.where(few, moved, 0.0)


def humans_only(values: Values, lam: float | None, level: float) -> Means:  # noqa: ARG001
    """Take the labels of people alone, of all items that have one."""
    return _alone(values, values.human, values.has_label, level)


def machine_only(values: Values, lam: float | None, level: float) -> Means:  # noqa: ARG001
    """Take the judgements alone, of all items that have one, as if the machine never erred."""
    return _alone(values, values.judge, values.has_judgement, level)


def _alone(values: Values, given: FloatArray, keep: BoolArray, level: float) -> Means:
    """Mean of one rater: limits of Wilson for shares, else by a t quantile."""
    ddof = 0 if values.of_shares else 1
    part = part_of(values.rows, keep, values.around(given, keep)[None], ddof=ddof)
    n, estimate = values.rows.total(keep), values.mean(given, keep)
    se = np.sqrt(part.variance())
    nested, df = values.rows.cluster is not None, degrees_of(part.units)
    low, high = (estimate + side * half_width(level, df) * se for side in (-1, 1))
    if values.of_shares:
        with np.errstate(divide="ignore", invalid="ignore"):  # all in the category, or none
            worth = np.where(se > 0, estimate * (1 - estimate) / se**2, part.units)
        low, high = wilson(estimate, worth, half_width(level, df if nested else None))
    reason = _reasons(n, part.units)
    means = Means(estimate, se, low, high, np.full(len(n), np.nan), reason)
    return defined(means, of_shares=values.of_shares)


def defined(means: Means, *, of_shares: bool) -> Means:
    """Set to NaN what is undefined; shares and their limits lie between 0 and 1.

    Scores that are all the same have a standard error of zero, which says nothing of the next one.
    """
    still = (means.reason == "") & (without_rounding(means.se) == 0) & (not of_shares)
    means = means._replace(reason=np.where(still, "no_variance", means.reason))
    sure = means.reason == ""
    known = sure | still | (means.reason == "n_lt_2")
    most = (0.0, 1.0) if of_shares else (-np.inf, np.inf)
    return means._replace(
        estimate=np.where(known, np.clip(means.estimate, *most), np.nan),
        se=np.where(sure, means.se, np.where(still, 0.0, np.nan)),
        ci_low=np.where(sure, np.clip(means.ci_low, *most), np.nan),
        ci_high=np.where(sure, np.clip(means.ci_high, *most), np.nan),
        lam=np.where(known, means.lam, np.nan),
    )


def _reasons(n: FloatArray, units: FloatArray) -> ObjectArray:
    """Say why there is no mean of some items, or no standard error, shape (G,)."""
    reason = np.full(len(n), "", dtype=object)
    reason[units < FEWEST_ITEMS] = "n_lt_2"
    reason[n == 0] = "no_joint_items"
    return reason


def rogan_gladen(values: Values, lam: float | None, level: float) -> Means:  # noqa: ARG001
    r"""Correct the share of the judgements by the machine's sensitivity and specificity.

    Notes
    -----
    With p the share of the unlabelled items that the machine puts into the category, and q1 and q0
    the shares of the labelled items in it, and not in it, that the machine puts where they belong,
    the estimate is :math:`(p + q_0 - 1) / (q_0 + q_1 - 1)` (Rogan & Gladen, 1978). See
    `limits_of_corrected` for the limits, and `_nested` for clusters.
    """
    values = values.judged()
    total, label, inside = values.rows.total, values.has_label, values.human > 0
    parts = (~label, label & ~inside, label & inside)
    rights = tuple(values.judge == right for right in (1, 0, 1))
    n, m0, m1 = numbers = tuple(total(part) for part in parts)
    with np.errstate(divide="ignore", invalid="ignore"):
        p, q0, q1 = shares = tuple(map(values.mean, rights, parts))
        informed = q0 + q1 - 1
        share = np.clip((p - 1 + q0) / informed, 0.0, 1.0)
        error = _error(share, shares, numbers)
        se = error / informed
    reason = np.full(len(n), "", dtype=object)
    df = None
    if values.rows.cluster is not None:
        factors = np.ones_like(share), 1 - share, -share
        with np.errstate(divide="ignore", invalid="ignore"):  # where a part has no items
            influence = [
                np.nan_to_num(by / m)[values.rows.group] * values.around(right, part)
                for by, right, part, m in zip(factors, rights, parts, numbers, strict=True)
            ]
        effect, df = _nested(values, np.sum(influence, axis=0), error)
        numbers, se = tuple(m / effect for m in numbers), se * np.sqrt(effect)
        reason[np.isnan(effect)] = "n_lt_2"
    low, high = limits_of_corrected(shares, numbers, level, df)
    reason[informed <= 0] = "machine_at_chance"
    reason[(m0 == 0) | (m1 == 0)] = "unseen_class"
    reason[n == 0] = "no_unlabelled"
    reason[m0 + m1 == 0] = "no_joint_items"
    means = Means(share, se, low, high, np.full(len(n), np.nan), reason)
    return defined(means, of_shares=True)


def has_one_cluster(values: Values) -> BoolArray:
    """Whether the labelled items in, or outside, the category are worth less than two clusters.

    One says nothing of how the machine's errors differ between clusters, which the error of the
    share then leaves out. Of each group, shape (G,).
    """
    rows, label, inside = values.rows, values.has_label, values.human > 0
    units = (rows.select(label & part).units for part in (inside, ~inside))
    return np.logical_or.reduce([(one > 0) & (one < FEWEST_ITEMS) for one in units])


def _nested(values: Values, influence: FloatArray, se: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Compute the design effect of clusters on a corrected share, and degrees of freedom, (G,).

    Parameters
    ----------
    values : Values
    influence : ndarray of float, shape (U,)
        What an item like each row does to the numerator, by the delta method: its sums over
        clusters have the covariances of all three shares, of labelled and other items of a cluster
        too.
    se : ndarray of float, shape (G,)
        Standard error of the numerator if items were independent.

    Returns
    -------
    tuple of ndarray
        The effect is NaN with fewer than two clusters of labelled, or of other items. As these
        may be few, the degrees of freedom are those of the fewer of both.
    """
    rows, label = values.rows, values.has_label
    every = np.ones_like(label)
    whole = part_of(rows, every, (rows.n_items[rows.group] * influence)[None])
    with_clusters = np.sqrt(whole.variance())
    units = np.minimum(*(rows.select(part).units for part in (label, ~label)))
    effect = design_effect(with_clusters, se, rows.n_items, whole.units)
    return np.where(units < FEWEST_ITEMS, np.nan, effect), degrees_of(units)


def limits_of_corrected(
    shares: tuple[FloatArray, ...],
    numbers: tuple[FloatArray, ...],
    level: float,
    df: FloatArray | None = None,
) -> tuple[FloatArray, FloatArray]:
    """Limits of a corrected share, that of errors of a machine known from few items, each (G,).

    Parameters
    ----------
    shares : p, q0, q1
        Of judgements in the category; specificity and sensitivity of the machine.
    numbers : n, m0, m1
        Of the items that each of them comes from; in clusters, what they are worth.
    level : float
        Between 0 and 1.
    df : ndarray of float, optional
        Degrees of freedom of t quantiles in the place of normal ones.

    Returns
    -------
    tuple of ndarray
        Between 0 and 1, which they are where pseudo-items leave the machine no better than chance.

    Notes
    -----
    Those of Lee et al. (2025): pseudo-items are added, ``z**2`` to n and two to each of the
    others, half of them in the category, and the centre is moved by the curvature of the quotient;
    z is normal there, and t in the half width alone. The estimate is never outside.
    """
    (p, q0, q1), z = shares, half_width(level)
    with np.errstate(divide="ignore", invalid="ignore"):
        estimate = np.clip((p - 1 + q0) / (q0 + q1 - 1), 0, 1)
    p, q0, q1 = (
        (m * q + more / 2) / (m + more)
        for q, m, more in zip(shares, numbers, (z**2, 2, 2), strict=True)
    )
    n, m0, m1 = (m + more for m, more in zip(numbers, (z**2, 2, 2), strict=True))
    with np.errstate(divide="ignore", invalid="ignore"):
        informed = q0 + q1 - 1
        share = (p - 1 + q0) / informed
        moved = 2 * z**2 * (share * q1 * (1 - q1) / m1 - (1 - share) * q0 * (1 - q0) / m0)
        half = half_width(level, df) * _error(share, (p, q0, q1), (n, m0, m1)) / informed
        low, high = share + moved - half, share + moved + half
    some = ~(informed <= 0)
    low, high = np.where(some, low, 0), np.where(some, high, 1)
    return np.clip(np.fmin(low, estimate), 0, 1), np.clip(np.fmax(high, estimate), 0, 1)


def _error(
    share: FloatArray, shares: tuple[FloatArray, ...], numbers: tuple[FloatArray, ...]
) -> FloatArray:
    """Compute the error of the numerator of a corrected share, by the delta method, (G,)."""
    factors = np.ones_like(share), 1 - share, share
    parts = zip(factors, shares, numbers, strict=True)
    return np.sqrt(sum(by**2 * q * (1 - q) / n for by, q, n in parts))


# Where the machine errs more on the others than on the labelled items, limits do not hold.
NO_DRIFT = "if the machine errs on unlabelled items as on labelled ones"
Lam: TypeAlias = float | Literal["tuned"]
HUMAN, JUDGE = 0, 1


class OfPowered(has.HumanAndMachine, has.By, has.Units, has.Level):
    """A machine beside people, who labelled some of the items."""

    humans: Label = anew(
        has.HumanAndMachine,
        "humans",
        also="Those there are belong to a random sample of the items.",
        kw_only=False,
    )
    machine: Label = anew(has.HumanAndMachine, "machine", also="It rated all items.", kw_only=False)
    lam: Lam = option(
        "Weight of the machine in ``ppi``: 0 uses the labelled items alone, 1 the machine "
        'corrected for its bias. ``"tuned"`` minimises the variance, and is below zero for a '
        "machine that says the opposite.",
        '{"tuned"} or float',
        default="tuned",
    )


def read_lambda(lam: object, method: str = "ppi") -> float | None:
    """Return a lambda, None if it is to be tuned; refuse what is neither, or has no use."""
    if isinstance(lam, str) and lam == "tuned":
        return None
    if method != "ppi":
        raise OptionError(
            f"lam is for method='ppi', and method={shown(method)} has none. Leave it out."
        )
    if not is_number(lam) or not np.isfinite(lam):
        raise OptionError(f"lam={shown(lam)} must be a finite number, or 'tuned'.")
    return float(lam)


def warn_of_unjudged(
    data: object, coded: Coded, raters: tuple[int, ...], judge: int, way_out: str
) -> None:
    """Say once that items are left out because the machine did not rate them."""
    rated: BoolArray = np.logical_and.reduce(coded.codes[list(raters)] >= 0)
    rows = np.flatnonzero(rated & (coded.codes[judge] < 0))
    if not len(rows):
        return
    counts, where = None, where_in(coded.items, rows)
    if isinstance(data, Counted):
        counts, where = coded.weights, ""
    names = " and ".join(shown(coded.raters[rater]) for rater in raters)
    warn(
        f"What {shown(coded.raters[judge])} did not rate is left out: "
        f"{how_many(rows, counts, 'item')} with a rating by {names}{where}. {way_out}",
        LeftOutWarning,
    )


def used_by(values: Values, method: str) -> Values:
    """Return the items that a method uses: all that have a label, or those with a judgement."""
    return values if method == "humans_only" else values.judged()


def means_columns(values: Values, found: Means, empty: Any) -> dict[str, Any]:
    """Return the columns of a frame of means, those of the group's items and of either rater."""
    total, label, judged = values.rows.total, values.has_label, values.has_judgement
    figures = found._asdict()
    alike = (found.lam != 0) & ~np.isnan(found.lam) & (total(judged & ~label) > 0)
    return figures | {
        "remark": np.where(alike, NO_DRIFT, ""),
        "n_labelled": total(label),
        "n_unlabelled": total(judged & ~label),
        "humans_only": values.mean(values.human, label),
        "machine_only": values.mean(values.judge, judged),
        "reason": np.where(empty == "", found.reason, empty),
    }


def means_frame(
    parts: list[dict[str, Any]], groups: Groups, inner: list[Any] | None, raters: list[Label]
) -> pd.DataFrame:
    """Put the columns of each part into rows, in each group if there are groups; warn of NaN.

    A part is about a category each, if there are `inner` labels.
    """
    parts = parts or [dict.fromkeys(schema.PREVALENCE, np.empty(0))]
    labels = index_of([""] if inner is None else inner, "category")
    frame = in_turns(parts, schema.PREVALENCE, groups, labels)
    if inner is None:
        frame = groups.label(frame.reset_index(drop=True))

    def name(row: int) -> str:
        group, place = divmod(row, len(parts))
        return groups.name(row) if inner is None else shown(inner[place]) + groups.at(group)

    warn_if_undefined("estimate", frame["estimate"].isna(), frame["reason"], name)
    return result(frame, raters)


def scaled(columns: dict[str, FloatArray], unit: float) -> dict[str, FloatArray]:
    """Give means and their errors the unit of the scores."""
    of_scores = ("estimate", "se", "ci_low", "ci_high", "humans_only", "machine_only")
    return {name: one * unit if name in of_scores else one for name, one in columns.items()}
