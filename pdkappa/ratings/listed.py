"""Ratings one below the other -> coded ratings, without a frame that is wider than they are."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from pdkappa.errors import check_choice
from pdkappa.ratings.categories import recode, unite
from pdkappa.ratings.coded import MISSING, Coded, missing_error, with_used_categories
from pdkappa.ratings.columns import Column, code_column
from pdkappa.ratings.items import columns_of_groups, read_items, warn_of_ungrouped, where_in
from pdkappa.ratings.long import restricted
from pdkappa.ratings.lookalikes import Looked, warn_of_looks
from pdkappa.ratings.samples import of_sample
from pdkappa.ratings.sets import as_sets, declared_sets

if TYPE_CHECKING:
    import pandas as pd

    from pdkappa._typing import BoolArray, IntArray, Raters
    from pdkappa.ratings.long import Listed
    from pdkappa.ratings.reading import Reading


@dataclass(frozen=True)
class CodedList(Coded):
    """M ratings of N items by R raters in G groups, one below the other.

    Attributes
    ----------
    codes : ndarray of int, shape (1, M)
        Category of each rating; none is missing.
    item, rater : ndarray of int, shape (M,)
        The item and the rater of each rating; sorted by item and by rater within an item.
    places : Index, shape (M,)
        Labels of the item and the rater of each rating, for messages.
    """

    item: IntArray = field(kw_only=True)
    rater: IntArray = field(kw_only=True)
    places: pd.Index = field(kw_only=True)

    @cached_property
    def occurring(self) -> BoolArray:
        """Categories that occur in each group, shape (G, K); all, (1, K), without groups."""
        k, groups = len(self.categories), self.groups.of_item
        if groups is None:
            return np.ones((1, k), dtype=bool)
        self.check_places()
        used = np.zeros(self.n_groups * k, dtype=bool)
        used[groups[self.item].astype(np.int64) * k + self.codes[0]] = True
        return used.reshape(self.n_groups, k)

    def where(self, category: int) -> str:
        """Tell where the ratings in a category stand, for messages."""
        return where_in(self.places, np.flatnonzero(self.codes[0] == category))

    def take(self, items: BoolArray) -> CodedList:
        """Keep some of the items, with their ratings, groups, weights and clusters."""
        kept = items[self.item]
        number = np.cumsum(items) - 1
        return replace(
            self,
            items=self.items[items],
            groups=self.groups.take(items),
            weights=None if self.weights is None else self.weights[items],
            clusters=None if self.clusters is None else self.clusters[items],
            spread=None if self.spread is None else self.spread[items],
            keep=self.rows[items],
            codes=self.codes[:, kept],
            item=number[self.item[kept]],
            rater=self.rater[kept],
            places=self.places[kept],
        )


def encode_list(
    data: Listed,
    raters: Raters | None,
    reading: Reading,
    *,
    needs_order: str | None = None,
    if_ordered: bool = False,
    by_distance: bool = False,
    warns: bool = True,
) -> CodedList:
    """Check ratings one below the other and code them by one set of categories.

    The options are those of `pdkappa.ratings.coded.encode`.
    """
    check_choice("missing", reading.missing, MISSING)
    frame = data.item_frame
    data = restricted(data, raters)
    by = [] if reading.by is None else columns_of_groups(frame, reading.by)
    items = read_items(frame, by, reading.sample_weight, reading, None)
    keep = np.ones(len(frame), dtype=bool) if isinstance(items.keep, slice) else items.keep
    if warns and by and not keep.all():
        warn_of_ungrouped(frame, by)
    kept = keep[data.item]
    column = _coded_column(data, kept, reading)
    declared = declared_sets(reading.categories, reading)
    found = unite([column], declared, None if if_ordered else needs_order)
    codes = recode([column], found)
    coded = CodedList(
        codes,
        data.rater_labels,
        found,
        items=frame.index[items.keep],
        groups=items.groups,
        weights=items.weights,
        clusters=items.clusters,
        spread=items.spread,
        keep=items.keep,
        by_distance=by_distance,
        item=(np.cumsum(keep) - 1)[data.item[kept]],
        rater=data.rater[kept],
        places=data.ratings.index[kept],
    )
    if reading.missing == "raise":
        _check_complete(coded)
    warn_of_looks(
        Looked(
            [column], codes, found, None, by_distance=found.scores is not None and bool(needs_order)
        ),
        labels=warns and reading.categories is None,
        raters=False,
        left_out={},
    )
    coded = _listwise(coded) if reading.missing == "listwise" else _rated(coded)
    return of_sample(coded, np.bincount(coded.item, minlength=len(coded.items)) > 0)


def _coded_column(data: Listed, kept: BoolArray, reading: Reading) -> Column:
    """Code the ratings that are kept by their own categories."""
    ratings = data.ratings if kept.all() else data.ratings[kept]
    if reading.of_sets:
        ratings = as_sets(ratings, data.rating, reading)
    return code_column(ratings, data.rating)


def _rated(coded: CodedList) -> CodedList:
    """Note which groups hold a rating."""
    rated = np.zeros((1, len(coded.items)), dtype=bool)
    rated[0, coded.item] = True
    return replace(coded, groups=coded.groups.rated_by(rated.astype(np.int8) - 1))


def _check_complete(coded: CodedList) -> None:
    """Make sure that every item is rated by every rater."""
    n_items = len(coded.items)
    n_ratings = np.bincount(coded.rater, minlength=len(coded.raters))
    for rater in np.flatnonzero(n_ratings < n_items)[:1]:
        rated = coded.item[coded.rater == rater]
        rows = np.setdiff1d(np.arange(n_items), rated)
        raise missing_error(coded.raters[rater], rows, coded.items)


def _listwise(coded: CodedList) -> CodedList:
    """Leave out items that some rater did not rate, and categories that only they used."""
    n_ratings = np.bincount(coded.item, minlength=len(coded.items))
    complete = n_ratings == len(coded.raters)
    if complete.all():
        return coded
    left_out = coded.size(~complete & (n_ratings > 0))
    return with_used_categories(_rated(replace(coded.take(complete), left_out=left_out)))
