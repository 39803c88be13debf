"""Means of labels and judgements of the same items, with their standard errors and limits."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from pdkappa.coefficients.chance import FEWEST_ITEMS
from pdkappa.coefficients.intervals import degrees_of
from pdkappa.coefficients.score_limits import ROUNDING, half_width, without_rounding
from pdkappa.methods.prevalence.core.parts import part_of
from pdkappa.methods.prevalence.core.powered import Figures, powered

if TYPE_CHECKING:
    from pdkappa._typing import BoolArray, FloatArray, ObjectArray
    from pdkappa.coefficients.rating_rows import RatingRows
    from pdkappa.methods.prevalence.core.parts import Part

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
        keep = self.has_judgement
        return self._replace(
            rows=self.rows.select(keep),
            human=self.human[keep],
            judge=self.judge[keep],
            has_label=self.has_label[keep],
            has_judgement=keep[keep],
        )

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
        covariance = labelled.covariance(*labelled.values) * n
        variance = whole.covariance(whole.values[0], whole.values[0]) * (n + n_others)
        lam = covariance / ((1 + n / n_others) * variance)
    return np.where(np.isfinite(lam) & (variance > ROUNDING**2), lam, 0.0)


def _pseudo_items(values: Values, labelled: Part, lam: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Find what half a pseudo-item in each cell adds to the variance and the mean of residuals.

    Nothing where each cell of labels by judgements holds five items or more. Without a single
    disagreement of the two, the judge would else be known to make no errors (Agresti & Min, 2005).
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
        own = labelled.values[0] - lam[labelled.group] * labelled.values[1]
    added = np.maximum(spread / more.sum(axis=0) - labelled.covariance(own, own), 0.0)
    few = cells.min(axis=0) < FEW_IN_CELL
    return np.where(few, added, 0.0), np.where(few, moved, 0.0)


def human_only(values: Values, lam: float | None, level: float) -> Means:  # noqa: ARG001
    """Take the labels of people alone, of all items that have one."""
    return _alone(values, values.human, values.has_label, level)


def judge_only(values: Values, lam: float | None, level: float) -> Means:  # noqa: ARG001
    """Take the judgements alone, of all items that have one, as if the judge never erred."""
    return _alone(values, values.judge, values.has_judgement, level)


def _alone(values: Values, given: FloatArray, keep: BoolArray, level: float) -> Means:
    """Mean of one rater: limits of Wilson for shares, else by a t quantile."""
    ddof = 0 if values.of_shares else 1
    part = part_of(values.rows, keep, values.around(given, keep)[None], ddof=ddof)
    n, estimate = values.rows.total(keep), values.mean(given, keep)
    se = np.sqrt(part.covariance(part.values[0], part.values[0]))
    nested, df = values.rows.cluster is not None, degrees_of(part.units)
    low, high = (estimate + side * half_width(level, df) * se for side in (-1, 1))
    if values.of_shares:
        with np.errstate(divide="ignore", invalid="ignore"):  # all in the category, or none
            worth = np.where(se > 0, estimate * (1 - estimate) / se**2, part.units)
        low, high = wilson(estimate, worth, half_width(level, df if nested else None))
    reason = _reasons(n, part.units)
    means = Means(estimate, se, low, high, np.full(len(n), np.nan), reason)
    return defined(means, of_shares=values.of_shares)


def wilson(
    share: FloatArray, n: FloatArray, z: FloatArray | float
) -> tuple[FloatArray, FloatArray]:
    """Score limits of a share of n items (Wilson, 1927), each of shape (G,)."""
    with np.errstate(divide="ignore", invalid="ignore"):
        centre = (share + z**2 / (2 * n)) / (1 + z**2 / n)
        half = z / (1 + z**2 / n) * np.sqrt(share * (1 - share) / n + z**2 / (4 * n**2))
    return np.where(share > 0, centre - half, 0.0), np.where(share < 1, centre + half, 1.0)


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
