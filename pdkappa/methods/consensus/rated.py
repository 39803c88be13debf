"""A study -> its items, and the votes on those of each group."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, cast

import numpy as np

from pdkappa.methods.consensus.core.votes import Votes

if TYPE_CHECKING:
    from collections.abc import Iterator

    import pandas as pd

    from pdkappa._typing import FloatArray, IntArray
    from pdkappa.estimation.study import Study
    from pdkappa.ratings.coded import Coded


@dataclass(frozen=True)
class Rated:
    """N items and their M ratings, whether they were read one below the other or not.

    Attributes
    ----------
    items : Index, shape (N,)
        Labels of the items.
    group : ndarray of int, shape (N,)
        Group of each item.
    weights : ndarray of float, shape (N,)
        How much each item counts.
    item, rater, category : ndarray of int, shape (M,)
        The ratings.
    """

    items: pd.Index
    group: IntArray
    weights: FloatArray
    item: IntArray
    rater: IntArray
    category: IntArray

    def index(self, study: Study) -> pd.Index:
        """Label the items by their groups, if there are groups, and by themselves."""
        if study.groups.labels is None:
            return self.items
        levels = [self.items.get_level_values(i) for i in range(self.items.nlevels)]
        return study.groups.index(self.group, levels)


def rated_items(study: Study) -> Rated:
    """List the items and their ratings by number."""
    coded = study.coded
    items, first, item, rater, category = _listed(coded) if study.listed else _wide(coded)
    n_items, group, weights = len(items), coded.groups.of_item, coded.weights
    return Rated(
        items=items,
        group=np.zeros(n_items, dtype=np.int64) if group is None else group[first],
        weights=np.ones(n_items) if weights is None else weights[first],
        item=item,
        rater=rater,
        category=category,
    )


def _wide(coded: Coded) -> tuple[pd.Index, IntArray, IntArray, IntArray, IntArray]:
    """Return the items with their places, and who put which of them into which category."""
    rater, item = np.nonzero(coded.codes >= 0)
    return coded.items, np.arange(len(coded.items)), item, rater, coded.codes[rater, item]


def _listed(coded: Coded) -> tuple[pd.Index, IntArray, IntArray, IntArray, IntArray]:
    """Return the same of ratings one below the other, places being those of the first ratings."""
    index = cast("pd.MultiIndex", coded.items)
    number, rater = map(np.asarray, index.codes)
    used, first, item = np.unique(number, return_index=True, return_inverse=True)
    return index.levels[0].take(used), first, item, rater, coded.codes[0]


def votes_by_group(rated: Rated, study: Study) -> Iterator[tuple[int, IntArray, Votes]]:
    """Give each group that has ratings, its rated items, and the votes on them."""
    group = rated.group[rated.item]
    order = np.argsort(group, kind="stable")
    found, starts = np.unique(group[order], return_index=True)
    for number, rows in zip(found.tolist(), np.split(order, starts[1:]), strict=False):
        items, place = np.unique(rated.item[rows], return_inverse=True)
        yield (
            number,
            items,
            Votes(
                item=place,
                rater=rated.rater[rows],
                category=rated.category[rows],
                n_items=len(items),
                n_raters=len(study.raters),
                n_categories=len(study.coded.categories),
                weights=rated.weights[items],
            ),
        )
