"""Human scores with errors and those of a machine -> how well the machine predicts true scores."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from pdkappa.coefficients.pair_kappas import in_units
from pdkappa.coefficients.resampling import TotalsSample, by_content, limits_of_all
from pdkappa.coefficients.score_limits import ROUNDING, positive

if TYPE_CHECKING:
    from collections.abc import Callable

    from pdkappa._typing import BoolArray, FloatArray, ObjectArray
    from pdkappa.coefficients.rating_rows import RatingRows
    from pdkappa.coefficients.resampling import Drawing

    OfTotals = Callable[[FloatArray], FloatArray]

N_TOTALS = 7


class Prmse(NamedTuple):
    """How well true scores are predicted in G groups; every field has shape (G,)."""

    n_items: FloatArray
    n_raters: FloatArray
    prmse: FloatArray
    ci_low: FloatArray
    ci_high: FloatArray
    error_variance: FloatArray
    true_variance: FloatArray
    mse: FloatArray
    reason: ObjectArray


def prmse_figures(
    rows: RatingRows, scores: FloatArray, error_variance: float | None, drawing: Drawing
) -> Prmse:
    """Estimate the proportional reduction in mean squared error by the last rater, the machine.

    Parameters
    ----------
    rows : RatingRows
        Ratings of the humans, and last of the machine, in G groups, with whole counts or clusters.
    scores : ndarray of float, shape (K,)
        What each code stands for.
    error_variance : float or None
        That of single human ratings; None estimates it.
    drawing : Drawing
        How items, or clusters, are drawn for the limits.

    Returns
    -------
    Prmse
        One value for each group.
    """
    known = (rows.codes[-1] >= 0) & (rows.codes[:-1] >= 0).any(axis=0)
    merged = rows.select(known).compressed()
    unit, scores = in_units(merged, scores)
    given = None if error_variance is None else error_variance / unit**2

    def of_totals(totals: FloatArray) -> FloatArray:
        return figures_of(totals, given)[:, -1:]

    order = np.argsort(merged.group, kind="stable")
    starts = np.searchsorted(merged.group[order], np.arange(rows.n_groups))
    parts = [by_content(merged.as_one_group(some)) for some in np.split(order, starts)[1:]]
    samples = [sample_of(part, scores, of_totals) for part in parts]
    every = np.array([one.times @ one.values for one in samples]).reshape(-1, N_TOTALS)
    found = figures_of(every, given)
    several = np.array([one.times.sum() > 1 for one in samples], dtype=bool)
    defined = ~np.isnan(found[:, -1]) & several
    low, high, _, lost = limits_of_all(
        (one if is_defined else None for one, is_defined in zip(samples, defined, strict=True)),
        found[:, -1:],
        drawing,
    )[..., 0]
    low, high = (np.where(defined, one, np.nan) for one in (low, high))
    raters = np.array([(part.codes[:-1] >= 0).any(axis=1).sum() for part in parts])
    reason = _reasons(every, found, several)
    lost = np.where(lost < drawing.n_resamples, "one_sided_resamples", "undefined_resamples")
    reason = np.where((reason == "") & np.isnan(low), lost, reason)
    n = np.array([part.count.sum() for part in parts], dtype=np.float64)
    error, true, mse = unit**2 * found[:, :-1].T
    return Prmse(n, raters, found[:, -1], low, high, error, true, mse, reason)


def sample_of(rows: RatingRows, scores: FloatArray, of_totals: OfTotals) -> TotalsSample:
    """Return what each item, or each cluster of items, adds to the totals.

    These are, with the n ratings h of an item, their mean, and the machine's score m: 1, n, n
    squared, the sum of h, n times the squared mean, the squared deviations of h from their mean,
    and n times the squared difference of m from it. Scores are taken from about the humans' mean.
    """
    given = scores[rows.codes[:-1][rows.codes[:-1] >= 0]]
    middle = given.sum() / max(len(given), 1)
    values = np.append(scores - middle, np.nan)[rows.codes]
    human, machine = values[:-1], values[-1]
    n = (rows.codes[:-1] >= 0).sum(axis=0).astype(np.float64)
    total = np.nansum(human, axis=0)
    mean = total / n
    apart = np.nansum((human - mean) ** 2, axis=0)
    columns = [np.ones(len(n)), n, n**2, total, n * mean**2, apart, n * (machine - mean) ** 2]
    added = np.stack(columns, axis=1)
    if rows.cluster is None:
        return TotalsSample(added, np.rint(rows.count).astype(np.int64), of_totals)
    _, place = np.unique(rows.cluster, return_inverse=True)
    sums = np.zeros((place.max(initial=-1) + 1, added.shape[1]))
    np.add.at(sums, place.reshape(-1), rows.count[:, None] * added)
    return TotalsSample(sums, np.ones(len(sums), dtype=np.int64), of_totals)


def figures_of(totals: FloatArray, given: float | None) -> FloatArray:
    r"""Compute the variances of errors and true scores, the MSE and PRMSE, shape (B, 4).

    Parameters
    ----------
    totals : ndarray of float, shape (B, 7)
        As in `sample_of`.
    given : float or None
        The variance of errors, if it is known.

    Notes
    -----
    With :math:`n_i` ratings of item i, their mean :math:`\bar h_i`, the machine's score
    :math:`m_i`, N items and :math:`n = \sum n_i` ratings of mean :math:`\bar h` (Loukina et al.,
    2020),

    .. math:: V_e = \frac{\sum_i \sum_j (h_{ij} - \bar h_i)^2}{n - N}, \qquad
              V_T = \frac{\sum_i n_i (\bar h_i - \bar h)^2 - (N - 1) V_e}{n - \sum n_i^2 / n},

    .. math:: \text{MSE} = \frac{\sum_i n_i (m_i - \bar h_i)^2 - N V_e}{n}, \qquad
              \text{PRMSE} = 1 - \text{MSE} / V_T.
    """
    items, n, squares, total, of_means, within, to_machine = totals.T
    with np.errstate(divide="ignore", invalid="ignore"):  # no items, or one
        error = within / positive(n - items, n) if given is None else np.full(n.shape, given)
        between = of_means - total**2 / n
        true = (between - (items - 1) * error) / positive(n - squares / n, n)
        mse = (to_machine - items * error) / n
        # What is left of nothing by rounding is no variance, nor where all means are alike.
        estimate = 1 - mse / np.where(true > ROUNDING * (of_means / n + error), true, np.nan)
    return np.stack([error, true, mse, estimate], axis=1)


def _reasons(totals: FloatArray, found: FloatArray, several: BoolArray) -> ObjectArray:
    """Say why an estimate is NaN; empty text where none is."""
    error, estimate = found[:, 0], found[:, -1]
    cases = {
        "no_joint_items": totals[:, 0] == 0,
        "no_double_ratings": np.isnan(error),
        "n_lt_2": ~several,
        "no_true_variance": np.isnan(estimate),
    }
    return np.select([*cases.values()], [*cases], "").astype(object)
