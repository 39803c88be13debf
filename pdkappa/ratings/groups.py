"""Groups of items: which one an item is in, and how the rows of a frame are labelled by them."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np
import pandas as pd

if TYPE_CHECKING:
    from pdkappa._typing import BoolArray, FloatArray, IntArray, Label, ObjectArray


@dataclass(frozen=True)
class Groups:
    """G groups of N items; a single one without a label where items are not grouped.

    Attributes
    ----------
    labels : Index or None
        The groups, named as the columns of `by`.
    of_item : ndarray of int, shape (N,), or None
        Group of each item.
    has_ratings : ndarray of bool, shape (G,)
        Whether there is any rating in a group.
    no_weight : ndarray of bool, shape (G,)
        Whether a group holds items, but all of them have the weight zero.
    mean_weight : ndarray of float, shape (G,), or None
        Mean weight of the items of each group beside that of all, where weights are those of a
        sample; those of the items of each group have a mean of 1.
    """

    labels: pd.Index | None
    of_item: IntArray | None
    has_ratings: BoolArray
    no_weight: BoolArray
    mean_weight: FloatArray | None = None

    @property
    def n(self) -> int:
        """G; 1 where the items are not grouped."""
        return 1 if self.labels is None else len(self.labels)

    def within(self, numbers: IntArray) -> IntArray:
        """Give what items are numbered by another number in each group, shape (N,)."""
        return numbers if self.of_item is None else numbers * self.n + self.of_item

    def index(self, groups: IntArray, inner: list[pd.Index]) -> pd.Index:
        """Label rows by their groups, shape (rows,), if there are groups, and by some indices."""
        outer = self.labels
        if outer is None and len(inner) == 1:
            return inner[0]
        levels = [] if outer is None else [outer.get_level_values(i) for i in range(outer.nlevels)]
        taken = [level.take(groups) for level in levels] + inner
        return pd.MultiIndex.from_arrays(taken, names=[level.name for level in taken])

    def each(self, inner: pd.Index) -> pd.Index:
        """Repeat the labels of rows for every group; as they are where there are no groups."""
        if self.labels is None:
            return inner
        rows = np.arange(self.n * len(inner))
        levels = [inner.get_level_values(i) for i in range(inner.nlevels)]
        places = rows % max(len(inner), 1)
        return self.index(rows // max(len(inner), 1), [level.take(places) for level in levels])

    def of_items(self, items: pd.Index) -> pd.Index:
        """Label N items by their groups, if there are groups, and by themselves."""
        if self.of_item is None:
            return items
        taken = [] if self.labels is None or items.nlevels == 1 else self.labels.names
        names = [name for name in items.names if name not in taken]
        levels = [items.get_level_values(i) for i in range(items.nlevels)]
        return self.index(self.of_item, [one for one in levels if one.name in names])

    def label(self, frame: pd.DataFrame) -> pd.DataFrame:
        """Label the rows of a new frame, as many for every group, by their groups."""
        if self.labels is not None:
            frame.index = self.labels.repeat(len(frame) // max(self.n, 1))
        return frame

    def values(self, group: int) -> dict[Label, Label]:
        """Return the columns that define the groups with their values in one of them."""
        if self.labels is None:
            return {}
        label = self.labels[group]
        values = label if self.labels.nlevels > 1 else (label,)
        return dict(zip(self.labels.names, values, strict=True))

    def name(self, group: int, between: str = ", ") -> str:
        """Name a group in words; empty where there are none."""
        return between.join(f"{name}={value}" for name, value in self.values(group).items())

    def at(self, group: int, between: str = ", ") -> str:
        """Say in which group something is; empty where there are none."""
        return f" at {self.name(group, between)}" if self.labels is not None else ""

    def why_empty(self) -> ObjectArray:
        """Say of each group why it has no ratings; empty where it has some, shape (G,)."""
        if self.has_ratings.all():
            return np.full(self.n, "", dtype=object)
        why = np.where(self.no_weight, "zero_total_weight", "no_items")
        return np.where(self.has_ratings, "", why).astype(object)

    def rated_by(self, codes: IntArray) -> Groups:
        """Note which groups hold a rating, of codes of shape (R, N)."""
        rated: BoolArray = np.logical_or.reduce(codes >= 0, axis=0)
        of_item = np.zeros(len(rated), dtype=np.int64) if self.of_item is None else self.of_item
        found = np.zeros(self.n, dtype=bool)
        found[of_item if rated.all() else of_item[rated]] = True
        return replace(self, has_ratings=found)

    def alone(self, group: int) -> Groups:
        """Return one of the groups as if there were no others, and no label."""
        one = slice(group, group + 1)
        return Groups(None, None, self.has_ratings[one], self.no_weight[one])

    def together(self) -> Groups:
        """Return all groups as a single one, without a label."""
        rated, no_weight = self.has_ratings.any(), self.n > 0 and self.no_weight.all()
        return Groups(None, None, np.array([rated]), np.array([no_weight]))

    def take(self, items: BoolArray | IntArray | slice) -> Groups:
        """Keep some of the items; groups stay, and what is known of their ratings."""
        return replace(self, of_item=None if self.of_item is None else self.of_item[items])

    @classmethod
    def of(
        cls, labels: pd.Index | None, of_item: IntArray | None, weights: FloatArray | None
    ) -> Groups:
        """Make the groups of items with some weights; an item without a group is in -1."""
        n = 1 if labels is None else len(labels)
        no_weight = np.zeros(n, dtype=bool)
        if weights is not None:
            place = np.zeros(len(weights), dtype=np.int64) if of_item is None else of_item
            held, positive = (
                np.bincount(place[some & (place >= 0)], minlength=n) > 0
                for some in (np.ones(len(weights), dtype=bool), weights > 0)
            )
            no_weight = held & ~positive
        return cls(labels, of_item, np.zeros(n, dtype=bool), no_weight)
