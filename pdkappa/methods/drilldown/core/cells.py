"""Rows of ratings of two raters -> the cells of their table."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from pdkappa.coefficients.score_limits import positive

if TYPE_CHECKING:
    from pdkappa._typing import FloatArray
    from pdkappa.coefficients.rating_rows import RatingRows
    from pdkappa.coefficients.weights import Scale


class CellParts(NamedTuple):
    """What each cell of the tables of two raters does to kappa, all of shape (G, K, K).

    A contribution is the excess of expected over observed disagreement, relative to all that is
    expected: the cells of a table add up to kappa. It is NaN where none is expected.
    """

    n_items: FloatArray
    expected_items: FloatArray  # that the margins would give by chance
    disagreement: FloatArray  # in [0, 1]
    contribution: FloatArray


def cell_parts(rows: RatingRows, scale: Scale) -> CellParts:
    """Split Cohen's kappa of two raters into the cells of their table."""
    first, second = rows.codes
    both = (first >= 0) & (second >= 0)
    k = rows.n_categories
    place = (rows.group[both].astype(np.int64) * k + first[both]) * k + second[both]
    unit = rows.unit  # so that products of counts neither overflow nor vanish
    flat = np.bincount(place, weights=rows.count[both] / unit, minlength=rows.n_groups * k * k)
    table = flat.astype(np.float64, copy=False).reshape(rows.n_groups, k, k)
    n = table.sum(axis=(1, 2), keepdims=True)
    with np.errstate(divide="ignore", invalid="ignore"):  # no items
        expected = table.sum(axis=2, keepdims=True) * table.sum(axis=1, keepdims=True) / n
        expected = np.nan_to_num(expected)
        tables = range(rows.n_groups)
        apart = (
            np.broadcast_to(scale.matrix(), table.shape)
            if scale.is_shared
            else np.stack([scale.matrix(number) for number in tables])
        )
        total = (apart * expected).sum(axis=(1, 2), keepdims=True)
        contribution = apart * (expected - table) / positive(total) + 0.0  # no minus zero
    largest = np.broadcast_to(scale.largest, (rows.n_groups,))[:, None, None]
    return CellParts(table * unit, expected * unit, apart / largest, contribution)
