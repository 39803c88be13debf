"""What each rater does to agreement -> standard errors that few disagreements cannot shrink."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from pdkappa.coefficients.influence import standard_error, units_of
from pdkappa.coefficients.intervals import degrees_of

if TYPE_CHECKING:
    from collections.abc import Iterable

    from pdkappa._typing import BoolArray, FloatArray
    from pdkappa.counts.core.base_rows import Rows

OTHERS_WEIGH = 10.0  # as many items with a disagreement


class InTurn(NamedTuple):
    """Standard errors of a contrast with each of R raters in its place, both of shape (R, G).

    `se` is NaN where the contrast is undefined, or has no standard error; `df` are its degrees of
    freedom.
    """

    se: FloatArray
    df: FloatArray


def error_in_turn(rows: Rows, influence: Iterable[FloatArray], defined: BoolArray) -> InTurn:
    """Compute the standard errors of one contrast, with each of R raters in its place in turn.

    Parameters
    ----------
    rows : Rows
        U rows of ratings in G groups.
    influence : iterable of R ndarrays of float, shape (U,)
        Influence of an item like each row on the agreement of one rater with the others, less
        that among the others.
    defined : ndarray of bool, shape (R, G)
        Where the contrast is defined.

    Returns
    -------
    InTurn
        Each of shape (R, G).

    Notes
    -----
    A rater who by luck caused none of a few disagreements seems to be known without error.
    Raters who are alike have the same variance v, so that each v is averaged with the mean of all:
    ``(m v + 10 mean(v)) / (m + 10)``. With h the mean square of the influences of an item (or
    cluster), ``m = sum(h)**2 / sum(h**2)`` counts those with a disagreement: where there are
    many, what is added is gone.

    Of n items v has n - 1 degrees of freedom, and f of clusters. What clusters add to its noise,
    ``1 / f - 1 / (n - 1)``, is that of each rater, so that the average of R of them divides it by
    ``1 / (w**2 + (1 - w**2) / R)``, with ``w = m / (m + 10)``. That of items is common to all.
    """
    own = np.empty(defined.shape)
    squares = np.zeros(1)
    for number, (known, one) in enumerate(zip(defined, influence, strict=True)):
        used = np.where(known[rows.group], one, 0.0)
        own[number] = standard_error(rows, used) ** 2
        squares = squares + _sums(rows, used) ** 2.0
    n_defined = np.maximum(defined.sum(axis=0), 1)
    everyone = np.where(defined, own, 0.0).sum(axis=0) / n_defined
    seen = _units_seen(rows, squares)
    weight = seen / (seen + OTHERS_WEIGH)
    variance = np.where(defined, weight * own + (1 - weight) * everyone, np.nan)
    df = _degrees(rows, weight**2 + (1 - weight**2) / n_defined)
    return InTurn(np.sqrt(variance), np.broadcast_to(df, variance.shape))


def _degrees(rows: Rows, averaged: FloatArray) -> FloatArray:
    """Degrees of freedom if so much is left of what clusters add to the noise, shape (G,)."""
    of_all = degrees_of(units_of(rows))
    if rows.cluster is None:
        return of_all
    # Weights, or rounding, may say that clusters add nothing.
    common = 1 / np.maximum(degrees_of(_worth(rows)), of_all)
    result: FloatArray = 1 / (common + (1 / of_all - common) * averaged)
    return result


def _worth(rows: Rows) -> FloatArray:
    """Count the rated items; of a sample with weights as many equal ones as they are worth."""
    if rows.spread is None:
        return rows.n_items
    rated = rows.n_ratings > 0
    squares = np.bincount(rows.group[rated], rows.spread[rated], minlength=rows.n_groups)
    with np.errstate(divide="ignore", invalid="ignore"):  # no items
        return np.where(squares > 0, rows.n_items**2 / squares, 0.0)


def _sums(rows: Rows, influence: FloatArray) -> FloatArray:
    """Influence of each item, or the sum over each cluster."""
    if rows.cluster is None:
        return influence
    _, cluster = np.unique(rows.cluster, return_inverse=True)
    sums = np.bincount(cluster, weights=rows.count / rows.unit * influence)
    return np.asarray(sums, dtype=np.float64)


def _units_seen(rows: Rows, h: FloatArray) -> FloatArray:
    """Count the items (or clusters) with a disagreement, as if all had the same, shape (G,)."""
    count, group, unit = rows.count / rows.unit, rows.group, rows.unit
    if rows.cluster is not None:
        _, first = np.unique(rows.cluster, return_index=True)
        count, group, unit = np.ones(len(first)), group[first], 1.0
    total, square = (
        np.bincount(group, weights=count * power, minlength=rows.n_groups) for power in (h, h**2)
    )
    with np.errstate(divide="ignore", invalid="ignore"):  # no item has any influence
        return np.where(square > 0, unit * (total**2 / square), 0.0)
