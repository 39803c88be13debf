"""Two arrays of whole numbers -> Cohen's kappa alone, for a metric that is called very often."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from pdkappa.coefficients.score_limits import ROUNDING
from pdkappa.coefficients.weights import Scale

if TYPE_CHECKING:
    from pdkappa._typing import FloatArray, IntArray
    from pdkappa.coefficients.weights import Weighting

LONGEST = 1 << 8  # categories from the lowest to the highest rating
EXACT_IN_FLOAT = 2**53


def kappa_of_plain(first: IntArray, second: IntArray, weighting: Weighting) -> float:
    """Estimate the kappa of two raters, or NaN where there may be something to warn of.

    There is not on a short scale, most categories of which were used by both and more than once.
    """
    low, high = int(min(first.min(), second.min())), int(max(first.max(), second.max()))
    k = high - low + 1
    if k > LONGEST or max(-low, high) >= EXACT_IN_FLOAT:
        return np.nan
    items = np.bincount(first * k + second - low * (k + 1))
    cells = np.flatnonzero(items)
    row, col = np.divmod(cells, k)
    count = items[cells]
    by_row, by_col = (np.bincount(place, weights=count, minlength=k) for place in (row, col))
    used = by_row + by_col > 0
    n_row, n_col = np.count_nonzero(by_row), np.count_nonzero(by_col)
    n_shared = n_row + n_col - np.count_nonzero(used)
    if not n_shared or 2 * n_shared < min(n_row, n_col) or 2 * max(n_row, n_col) > len(first):
        return np.nan
    scores = np.arange(low, high + 1, dtype=np.float64)
    apart = weighting.disagreement(scores[row], scores[col], scores[:1], scores[-1:])
    margins = by_row[used] / len(first), by_col[used] / len(first)
    return _kappa(apart, count / len(first), margins, scores[used], weighting)


def _kappa(
    apart: FloatArray,
    shares: FloatArray,
    margins: tuple[FloatArray, FloatArray],
    scores: FloatArray,
    weighting: Weighting,
) -> float:
    """Estimate kappa from the disagreement and the share of each cell that occurs.

    Sums run in the same order as in `chance_corrected`, for the same number to the last bit.
    """
    row, col = margins
    scale = Scale(weighting, scores[None], np.ones((1, len(scores)), dtype=np.bool_))
    expected = (row * scale.spread(col[None])).sum(axis=-1).item()
    if not expected > 0:
        return np.nan
    if 1 in (np.count_nonzero(row), np.count_nonzero(col)):
        return 0.0  # observed and expected disagreement are equal, though not always in floats
    observed = np.add.accumulate(shares * apart)[-1].item()
    estimate = 1 - observed / expected
    return 0.0 if abs(estimate) < ROUNDING else max(estimate, -1.0)
