"""Coded ratings one below the other -> counts."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from pdkappa.coefficients.rating_rows import ListedRows
from pdkappa.coefficients.sparse_rows import count_listed
from pdkappa.counts.tables import PairTables, in_units
from pdkappa.errors import TooLargeError

if TYPE_CHECKING:
    from pdkappa.ratings.listed import CodedList

MOST_CELLS = (1 << 63) - 1


def listed_rows(coded: CodedList) -> ListedRows:
    """Turn listed ratings into rows with counts, for the coefficients of many raters."""
    n_items, group = len(coded.items), coded.groups.of_item
    return ListedRows(
        row=coded.item,
        rater=coded.rater,
        code=coded.codes[0],
        crowd=len(coded.raters),
        count=np.ones(n_items) if coded.weights is None else coded.weights,
        group=np.zeros(n_items, dtype=np.int64) if group is None else group,
        n_groups=coded.n_groups,
        n_categories=len(coded.categories),
        cluster=coded.clusters,
        spread=coded.spread,
    )


def listed_tables(coded: CodedList, *, with_itself: bool = False) -> PairTables:
    """Count the pairs of raters who share items."""
    n_raters, n_categories = len(coded.raters), len(coded.categories)
    n_cells = (n_raters * max(n_categories, 1)) ** 2 * coded.n_groups
    if n_cells > MOST_CELLS:
        message = (
            f"The pairs of {n_raters} raters have {n_cells} cells of {n_categories} categories, "
            "more than can be numbered. Round the ratings or merge categories."
        )
        raise TooLargeError(message)
    weights, unit = in_units(coded.weights)
    group = coded.groups.of_item
    pairs, counts = count_listed(
        coded.item,
        coded.rater,
        coded.codes[0],
        n_raters=n_raters,
        n_categories=n_categories,
        group=None if group is None else group[coded.item],
        n_groups=coded.n_groups,
        weights=None if weights is None else weights[coded.item],
        with_itself=with_itself,
    )
    return PairTables(
        counts=replace(counts, unit=unit),
        raters=coded.raters,
        sides=pairs.T,
        categories=coded.categories,
        in_use=coded.in_use,
        groups=coded.groups,
        only_joint=True,
    )
