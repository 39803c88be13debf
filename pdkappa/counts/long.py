"""Coded ratings one below the other -> counts."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, cast

import numpy as np

from pdkappa.counts.core.long import count_listed
from pdkappa.counts.tables import PairTables, in_units
from pdkappa.errors import TooLargeError

if TYPE_CHECKING:
    import pandas as pd

    from pdkappa._typing import Label
    from pdkappa.ratings.coded import Coded

MOST_CELLS = (1 << 63) - 1


def listed_tables(coded: Coded, raters: list[Label], *, with_itself: bool = False) -> PairTables:
    """Count the pairs of raters who share items.

    The ratings are the only column of `coded`, indexed by item and rater, and sorted; `raters` are
    in the order of their level of the index.
    """
    n_raters, n_categories = len(raters), len(coded.categories)
    n_cells = (n_raters * max(n_categories, 1)) ** 2 * coded.n_groups
    if n_cells > MOST_CELLS:
        message = (
            f"The pairs of {n_raters} raters have {n_cells} cells of {n_categories} categories, "
            "more than can be numbered. Round the ratings or merge categories."
        )
        raise TooLargeError(message)
    item, rater = cast("pd.MultiIndex", coded.items).codes
    weights, unit = in_units(coded.weights)
    pairs, counts = count_listed(
        np.asarray(item),
        np.asarray(rater),
        coded.codes[0],
        n_raters=n_raters,
        n_categories=n_categories,
        group=coded.groups.of_item,
        n_groups=coded.n_groups,
        weights=weights,
        with_itself=with_itself,
    )
    return PairTables(
        counts=replace(counts, unit=unit),
        raters=raters,
        sides=pairs.T,
        categories=coded.categories,
        in_use=coded.in_use,
        groups=coded.groups,
        only_joint=True,
    )
