"""How far the ratings of one item are apart."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from pdkappa.counts.core.joint import wide
from pdkappa.counts.core.listed_rows import ListedRows

if TYPE_CHECKING:
    from pdkappa._typing import FloatArray, IntArray
    from pdkappa.coefficients.weights import Scale
    from pdkappa.counts.core.base_rows import Rows
    from pdkappa.counts.core.joint import Joint
    from pdkappa.counts.core.margins import Margins
    from pdkappa.counts.core.rows import RatingRows

FEW_CATEGORIES = 64
BLOCK = 1 << 18


def disagreement_within(rows: Rows, scale: Scale) -> FloatArray:
    """Sum the disagreement of all ordered pairs of ratings within each row, shape (U,)."""
    if isinstance(rows, ListedRows):
        cells = rows.by_row
        return cells.total(cells.count * spread_of(cells, scale, rows.group))
    rows = wide(rows)
    if rows.n_categories <= FEW_CATEGORIES:
        return _by_category(rows, scale)
    result = np.zeros(rows.codes.shape[1])
    for r, first in enumerate(rows.codes):
        for second in rows.codes[r + 1 :]:
            both = (first >= 0) & (second >= 0)
            result[both] += 2 * scale.between(rows.group[both], first[both], second[both])
    return result


def spread_of(cells: Margins, scale: Scale, group: IntArray) -> FloatArray:
    """Sum the disagreement of each category that a subject has with all ratings of the subject.

    `group` is that of each subject, shape (S,); the result is that of each cell, shape (C,).
    """
    n_pairs = float((np.bincount(cells.subject).astype(np.float64) ** 2).sum())
    n_places = float(cells.n_subjects) * cells.n_categories
    closed = scale.weighting.spread is not None
    if n_pairs < n_places * (1 if closed else cells.n_categories):
        return _spread_by_pairs(cells, scale, group)
    result = np.empty(len(cells.count))
    step = max(1, BLOCK // max(cells.n_categories, 1))
    for start in range(0, cells.n_subjects, step):
        block = cells.take(start, min(start + step, cells.n_subjects))
        spread = scale.take(group[start : start + step]).spread(block.dense())
        first = int(np.searchsorted(cells.subject, start))
        result[first : first + len(block.count)] = spread.reshape(-1)[block.keys]
    return result


def _spread_by_pairs(cells: Margins, scale: Scale, group: IntArray) -> FloatArray:
    """Take every two categories that one subject has."""
    result, subject = np.zeros(len(cells.count)), cells.subject
    first, distance = np.arange(len(subject)), 1
    while len(first):
        first = first[: np.searchsorted(first, len(subject) - distance)]
        first = first[subject[first + distance] == subject[first]]
        second = first + distance
        apart = scale.between(group[subject[first]], cells.category[first], cells.category[second])
        result[first] += cells.count[second] * apart
        result[second] += cells.count[first] * apart
        distance += 1
    return result


def _by_category(rows: RatingRows, scale: Scale) -> FloatArray:
    """Count the categories of each row first: cheap for many raters and few categories."""
    n_rows, k = rows.codes.shape[1], rows.n_categories
    result = np.zeros(n_rows)
    step = max(1, BLOCK // max(k, 1))
    for start in range(0, n_rows, step):
        block = slice(start, start + step)
        codes = rows.codes[:, block]
        times = rows.times[block] if rows.has_times else _times(codes, k)
        spread = scale.take(rows.group[block]).spread(times)
        result[block] = (times * spread).sum(axis=-1)
    return result


def _times(codes: IntArray, k: int) -> FloatArray:
    """Count the ratings of rows by their categories, shape (U, K)."""
    times = np.empty((codes.shape[1], k))
    for category in range(k):
        times[:, category] = (codes == category).sum(axis=0)
    return times


def disagreement_of(joint: Joint, scale: Scale) -> FloatArray:
    """Disagreement of the two ratings of each row, shape (J,)."""
    return scale.between(joint.rows.group, *joint.rows.codes)
