"""Coded ratings of a pandas frame -> counts."""

from __future__ import annotations

from dataclasses import replace
from itertools import combinations
from typing import TYPE_CHECKING

import numpy as np

from pdkappa.counts.core.pairs import count_pairs
from pdkappa.counts.core.rows import RatingRows
from pdkappa.counts.tables import PairTables
from pdkappa.errors import TooLargeError

if TYPE_CHECKING:
    from pdkappa._typing import FloatArray
    from pdkappa.ratings.coded import Coded

MOST_TABLES = 1 << 23  # half a kilobyte each, or more
LARGEST_EXACT = 2.0**53
SMALLEST_NORMAL = 1e-290


def pair_tables(coded: Coded, *, with_itself: bool = False) -> PairTables:
    """Count all pairs of raters.

    Parameters
    ----------
    coded : Coded
        Ratings of N items by R raters.
    with_itself : bool
        Whether to pair each rater with itself too, after all other pairs.

    Raises
    ------
    TooLargeError
        If there are more than 2**23 pairs of raters, in all groups together.
    """
    raters = range(len(coded.raters))
    _check_size(len(raters), coded.n_groups)
    pairs = list(combinations(raters, 2))
    if with_itself:
        pairs += [(rater, rater) for rater in raters]
    weights, unit = in_units(coded.weights)
    counts = count_pairs(
        coded.codes,
        len(coded.categories),
        pairs=pairs,
        groups=coded.groups,
        n_groups=coded.n_groups,
        weights=weights,
    )
    return PairTables(
        counts=replace(counts, unit=unit),
        raters=coded.raters,
        pairs=pairs,
        categories=coded.categories,
        in_use=coded.in_use,
        has_ratings=coded.has_ratings(),
        group_index=coded.group_index,
        no_weight=np.full(coded.n_groups, coded.no_weight),
    )


def _check_size(n_raters: int, n_groups: int) -> None:
    """Refuse more tables than there is room for."""
    n_tables = n_raters * (n_raters - 1) // 2 * n_groups
    if n_tables > MOST_TABLES:
        message = (
            f"All pairs of {n_raters} raters in {n_groups} group(s) are {n_tables} tables; the "
            f"limit is {MOST_TABLES}. Pass fewer raters, or use agreement, which needs no tables."
        )
        raise TooLargeError(message)


def in_units(weights: FloatArray | None) -> tuple[FloatArray | None, float]:
    """Divide weights whose sums would lose digits by the largest, which is then the unit."""
    if weights is not None and len(weights):
        largest, smallest = float(weights.max()), float(weights.min())
        if largest > LARGEST_EXACT or smallest < SMALLEST_NORMAL:
            return weights / largest, largest
    return weights, 1.0


def rating_rows(coded: Coded) -> RatingRows:
    """Turn coded ratings into rows with counts, for the coefficients of many raters."""
    n_items = coded.codes.shape[1]
    return RatingRows(
        codes=coded.codes,
        count=np.ones(n_items) if coded.weights is None else coded.weights,
        group=np.zeros(n_items, dtype=np.int64) if coded.groups is None else coded.groups,
        n_groups=coded.n_groups,
        n_categories=len(coded.categories),
        cluster=coded.clusters,
    )
