"""The table of two raters -> residuals from chance."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from pdkappa._typing import FloatArray


def residuals(table: FloatArray) -> FloatArray:
    r"""Compare the cells of a table with those of chance: Pearson's residuals, shape (K, K).

    .. math:: r_{ij} = (n_{ij} - E_{ij}) / \sqrt{E_{ij}}, \quad E_{ij} = n_{i.} n_{.j} / n.

    NaN where chance expects no item.
    """
    with np.errstate(divide="ignore", invalid="ignore"):
        expected = np.outer(table.sum(axis=1), table.sum(axis=0)) / table.sum()
        return np.where(expected > 0, (table - expected) / np.sqrt(expected), np.nan)
