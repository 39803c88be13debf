"""Scores of raters -> shares of items on which they are near each other, and ranks in concord."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from pdkappa.coefficients.score_limits import ROUNDING, chdtrc, wilson

if TYPE_CHECKING:
    from pdkappa._typing import FloatArray
    from pdkappa.coefficients.rating_rows import RatingRows


class Share(NamedTuple):
    """A share of the items of G groups with score limits; every field is (G,)."""

    n_items: FloatArray
    estimate: FloatArray
    se: FloatArray
    ci_low: FloatArray
    ci_high: FloatArray


class Concord(NamedTuple):
    """Kendall's W of G groups and its test; every field is (G,)."""

    n_items: FloatArray
    estimate: FloatArray
    chi2: FloatArray
    df: FloatArray
    p_value: FloatArray


def share_within(rows: RatingRows, scores: FloatArray, tolerance: float, level: float) -> Share:
    """Estimate the share of items whose scores, two or more, are no further apart than allowed."""
    values = np.append(scores, np.nan)[rows.codes]
    joint = rows.n_ratings > 1
    apart = np.fmax.reduce(values) - np.fmin.reduce(values)
    slack = ROUNDING * np.abs(scores).max(initial=0)  # 0.3 and 0.2 are 0.1 apart
    n = rows.total(joint)
    with np.errstate(divide="ignore", invalid="ignore"):
        p = rows.total(joint & (apart <= tolerance + slack)) / n
        return Share(n, p, np.sqrt(p * (1 - p) / n), *wilson(p, n, level))


def concord(rows: RatingRows, scores: FloatArray) -> Concord:
    r"""Compute Kendall's W of raters who all rated all items.

    Notes
    -----
    With m raters of n items, S the squared deviations of the sums of ranks, and t the numbers of
    items that a rater put at one rank,

    .. math:: W = \frac{12 S}{m^2 (n^3 - n) - m \sum (t^3 - t)}, \qquad \chi^2 = m (n - 1) W.
    """
    m, n = len(rows.codes), rows.n_items
    ranks, ties = zip(*(_ranks(rows, scores[codes]) for codes in rows.codes), strict=True)
    with np.errstate(divide="ignore", invalid="ignore"):
        deviations = sum(ranks) - (m * (n + 1) / 2)[rows.group]
        most = m**2 * (n**3 - n) - m * sum(ties)
        varies = most > ROUNDING * m**2 * n**3
        w = np.where(varies, 12 * rows.total(deviations**2) / most, np.nan)
        chi2 = m * (n - 1) * w
        return Concord(n, w, chi2, n - 1, chdtrc(n - 1, chi2))


def _ranks(rows: RatingRows, values: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Rank the items of each group, (U,), equal ones at their mean; and ``t**3 - t``, (G,)."""
    order = np.lexsort((values, rows.group))
    group = rows.group[order]
    new = np.append(
        np.ones(min(len(values), 1), dtype=bool),
        (np.diff(values[order]) != 0) | (np.diff(group) != 0),
    )
    run = np.cumsum(new) - 1
    size = np.bincount(run, weights=rows.count[order])
    before = np.cumsum(size) - size
    of_run = group[new]
    start = np.cumsum(rows.n_items) - rows.n_items
    ranks = np.empty(len(values))
    ranks[order] = (before - start[of_run] + (size + 1) / 2)[run]
    ties = np.bincount(of_run, weights=size**3 - size, minlength=rows.n_groups)
    return ranks, ties.astype(np.float64, copy=False)
