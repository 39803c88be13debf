"""How far the ratings of one item are apart."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from pdkappa._typing import FloatArray
    from pdkappa.coefficients.weights import Scale
    from pdkappa.counts.core.rows import Joint, RatingRows

FEW_CATEGORIES = 64
BLOCK = 1 << 18


def disagreement_within(rows: RatingRows, scale: Scale) -> FloatArray:
    """Sum the disagreement of all ordered pairs of ratings within each row, shape (U,)."""
    if rows.n_categories <= FEW_CATEGORIES:
        return _by_category(rows, scale)
    result = np.zeros(rows.codes.shape[1])
    for r, first in enumerate(rows.codes):
        for second in rows.codes[r + 1 :]:
            both = (first >= 0) & (second >= 0)
            result[both] += 2 * scale.between(rows.group[both], first[both], second[both])
    return result


def _by_category(rows: RatingRows, scale: Scale) -> FloatArray:
    """Count the categories of each row first: cheap for many raters and few categories."""
    n_rows, k = rows.codes.shape[1], rows.n_categories
    result = np.zeros(n_rows)
    step = max(1, BLOCK // max(k, 1))
    for start in range(0, n_rows, step):
        block = slice(start, start + step)
        codes = rows.codes[:, block]
        times = np.empty((codes.shape[1], k))
        for category in range(k):
            times[:, category] = (codes == category).sum(axis=0)
        spread = scale.take(rows.group[block]).spread(times)
        result[block] = (times * spread).sum(axis=-1)
    return result


def disagreement_of(joint: Joint, scale: Scale) -> FloatArray:
    """Disagreement of the two ratings of each row, shape (J,)."""
    return scale.between(joint.rows.group, *joint.rows.codes)
