"""The table of two raters -> what its charts show: Bangdiwala's B, and residuals from chance."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from pdkappa._typing import FloatArray


def bangdiwala(table: FloatArray, agreement: FloatArray) -> float:
    r"""Compute which part of the rectangles of the margins is filled by agreement.

    Category i has a rectangle with the sides :math:`n_{i.}` and :math:`n_{.i}`, and in it one
    with the sides :math:`n_{ii}` for exact agreement. With partial agreement, the categories
    that are at least so near to i fill a larger one, and what each step adds counts with its
    weight [1]_, [2]_:

    .. math:: B = \frac{\sum_i \sum_q w_{iq} (R_{iq} - R_{i, q - 1})}{\sum_i n_{i.} n_{.i}},
              \quad R_{iq} = \sum_{j: w_{ij} \ge w_{iq}} n_{ij}
                             \sum_{j: w_{ij} \ge w_{iq}} n_{ji}.

    Parameters
    ----------
    table : ndarray of float, shape (K, K)
        Items by the categories of both raters.
    agreement : ndarray of float, shape (K, K)
        Agreement weights w in [0, 1], symmetric, with ones on the diagonal.

    Returns
    -------
    float
        In [0, 1]; NaN where no category was used by both raters.

    References
    ----------
    .. [1] Bangdiwala, S. I. (1985). A graphical test for observer agreement. Proceedings of
           the International Statistical Institute, 45th session, Amsterdam, 307-308.
    .. [2] Bangdiwala, S. I., & Shankar, V. (2013). The agreement chart. BMC Medical Research
           Methodology, 13, 97. https://doi.org/10.1186/1471-2288-13-97
    """
    nearest_first = np.argsort(-agreement, axis=1, kind="stable")
    weight, of_row, of_column = (
        np.take_along_axis(values, nearest_first, axis=1) for values in (agreement, table, table.T)
    )
    filled = np.cumsum(of_row, axis=1) * np.cumsum(of_column, axis=1)
    added = np.diff(filled, axis=1, prepend=0)
    whole = table.sum(axis=1) @ table.sum(axis=0)
    return float((weight * added).sum() / whole) if whole > 0 else float("nan")


def residuals(table: FloatArray) -> FloatArray:
    r"""Compare the cells of a table with those of chance: Pearson's residuals, shape (K, K).

    .. math:: r_{ij} = (n_{ij} - E_{ij}) / \sqrt{E_{ij}}, \quad E_{ij} = n_{i.} n_{.j} / n.

    NaN where chance expects no item.
    """
    with np.errstate(divide="ignore", invalid="ignore"):
        expected = np.outer(table.sum(axis=1), table.sum(axis=0)) / table.sum()
        return np.where(expected > 0, (table - expected) / np.sqrt(expected), np.nan)
