"""Ratings one below the other that need not be in memory -> counts, which add up.

What a source gives is parts of the ratings of which every item is whole. All that is asked of a
part are counts; they are whole numbers, so that no cut into parts changes a bit of what they add
up to.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from pdkappa.coefficients.sparse_rows import (
    ProfileRows,
    add_profiles,
    drop_few,
    joint_cells,
    tables_of,
)
from pdkappa.counts.crowd_parts import Coding
from pdkappa.counts.tables import PairTables
from pdkappa.errors import TooLargeError
from pdkappa.ratings.coded import Counted
from pdkappa.ratings.columns import plain_label

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from pdkappa._typing import IntArray, Label
    from pdkappa.coefficients.pair_counts import Margins
    from pdkappa.coefficients.sparse_rows import JointCells, Profiles
    from pdkappa.counts.crowd_parts import Known, Part
    from pdkappa.ratings.coded import Coded

LARGEST_MARGINS = 1 << 26


@dataclass(frozen=True, kw_only=True)
class Crowd(Counted, ABC):
    """Ratings one below the other, of a crowd; `frame` holds the labels, with their counts.

    Every method adds up what is counted in parts of whole items; where they are, the source knows.

    Attributes
    ----------
    known : Known
        What the parts are coded by.
    least : float
        Pairs with fewer joint items are counted, not kept.
    """

    known: Known
    least: float = 0

    @abstractmethod
    def total(self, count: Callable[[Part], Any], add: Callable[[Sequence[Any]], Any]) -> Any:
        """Count every part, and add up the counts."""

    def joint(self, coding: Coding) -> JointCells:
        """Count the joint ratings of pairs of raters, but those with few joint items."""
        cells = self.total(_Joint(coding), add_joint)
        return drop_few(cells, self.least, coding.n_groups, coding.n_categories)

    @property
    def rating(self) -> Label:
        """The column of the ratings."""
        return self.known.names.rating

    @property
    def rater_labels(self) -> list[Label]:
        """Names of the raters."""
        return [plain_label(name) for name in self.known.raters.tolist()]

    def coding(self, coded: Coded) -> Coding:
        """Give the labels the numbers that they were coded by, and the raters wanted theirs."""
        n_labels = len(self.known.labels)
        category, group = np.full((2, n_labels), -1, dtype=np.int64)
        category[coded.rows] = coded.codes[0]
        of_item = coded.groups.of_item
        group[coded.rows] = 0 if of_item is None else of_item
        place = {name: number for number, name in enumerate(coded.raters)}
        rater = [place.get(name, -1) for name in self.rater_labels]
        return Coding(
            category=category,
            group=group,
            rater=np.array(rater, dtype=np.int64),
            n_raters=len(coded.raters),
            n_groups=coded.n_groups,
            n_categories=len(coded.categories),
        )

    def rows(self, coded: Coded) -> ProfileRows:
        """Count the items by their ratings, and the raters by their categories."""
        coding = self.coding(coded)
        n_cells = coding.n_groups * coding.n_raters * coding.n_categories
        if n_cells > LARGEST_MARGINS:
            message = (
                f"{coding.n_raters} raters of {coding.n_categories} categories in "
                f"{coding.n_groups} group(s) are {n_cells} counts; the limit is "
                f"{LARGEST_MARGINS}. Merge categories, or compute some groups at a time."
            )
            raise TooLargeError(message)
        found, margins = self.total(_Rows(coding), AddRows(coding.n_categories))
        return ProfileRows.of(
            found,
            margins,
            coding.n_raters,
            n_groups=coding.n_groups,
            summed=lambda values: self.total(
                _Profiles(coding, values), AddProfiles(coding.n_categories)
            ),
        )

    def tables(self, coded: Coded, *, with_itself: bool) -> PairTables:
        """Count all pairs of raters that share an item."""
        coding = self.coding(coded)
        cells = self.joint(coding)
        if with_itself:
            margins = self.total(_Margins(coding), add_margins)
            cells = cells.with_raters(margins, coding.n_groups)
        sides, counts = tables_of(cells, coding.n_raters, coding.n_groups, coding.n_categories)
        return PairTables(
            counts=counts,
            raters=coded.raters,
            sides=sides,
            categories=coded.categories,
            in_use=coded.in_use,
            groups=coded.groups,
            only_joint=True,
            n_dropped=cells.n_dropped,
        )


# What is sent to workers has to be known by its name.
@dataclass(frozen=True)
class _Joint:
    coding: Coding

    def __call__(self, part: Part) -> JointCells:
        return joint_cells(self.coding.rows(part))


@dataclass(frozen=True)
class _Margins:
    coding: Coding

    def __call__(self, part: Part) -> Margins:
        return part.numbered(self.coding).margins()


@dataclass(frozen=True)
class _Rows:
    coding: Coding

    def __call__(self, part: Part) -> tuple[Profiles, Margins]:
        numbered = part.numbered(self.coding)
        return numbered.profiles(), numbered.margins()


@dataclass(frozen=True)
class _Profiles:
    coding: Coding
    values: IntArray

    def __call__(self, part: Part) -> Profiles:
        return part.numbered(self.coding).profiles(self.values)


@dataclass(frozen=True)
class AddProfiles:
    """Adds up profiles."""

    n_categories: int

    def __call__(self, parts: Sequence[Profiles]) -> Profiles:
        """Add up."""
        return add_profiles(parts, self.n_categories)


@dataclass(frozen=True)
class AddRows:
    """Adds up profiles with the margins of raters."""

    n_categories: int

    def __call__(self, parts: Sequence[tuple[Profiles, Margins]]) -> tuple[Profiles, Margins]:
        """Add up."""
        profiles, margins = zip(*parts, strict=True)
        return add_profiles(profiles, self.n_categories), add_margins(margins)


def add_joint(parts: Sequence[JointCells]) -> JointCells:
    """Add up joint ratings."""
    total, *others = parts
    for part in others:
        total += part
    return total


def add_margins(parts: Sequence[Margins]) -> Margins:
    """Add up margins."""
    total, *others = parts
    for part in others:
        total += part
    return total
