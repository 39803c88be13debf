"""A study -> its items, and the votes on those of each group."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from pdkappa.methods.consensus.core.votes import Votes
from pdkappa.ratings.long_ratings import CodedList

if TYPE_CHECKING:
    from collections.abc import Iterator

    import pandas as pd

    from pdkappa._typing import FloatArray, IntArray
    from pdkappa.methods.estimates.study import Study


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


def rated_items(study: Study) -> Rated:
    """List the items and their ratings by number."""
    coded = study.coded
    if isinstance(coded, CodedList):
        item, rater, category = coded.item, coded.rater, coded.codes[0]
    else:
        rater, item = np.nonzero(coded.codes >= 0)
        category = coded.codes[rater, item]
    n_items, group, weights = len(coded.items), coded.groups.of_item, coded.weights
    return Rated(
        items=coded.items,
        group=np.zeros(n_items, dtype=np.int64) if group is None else group,
        weights=np.ones(n_items) if weights is None else weights,
        item=item,
        rater=rater,
        category=category,
    )


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
