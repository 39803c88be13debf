"""Ratings of parts of the items -> how often two raters gave two categories, which adds up."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from pdkappa.counts.core.long import joint_ratings
from pdkappa.counts.core.pairs import PairCounts, add_up, starts_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    from pdkappa._typing import CountArray, IntArray
    from pdkappa.counts.core.listed_rows import ListedRows
    from pdkappa.counts.core.margins import Margins


@dataclass(frozen=True)
class JointCells:
    """Joint ratings of pairs of R raters in G groups over K categories, as the cells that occur.

    Attributes
    ----------
    keys : ndarray of int, shape (C,)
        Number of each cell, ``(((r * R + s) * G + g) * K + k) * K + l``, ascending and distinct.
    count : ndarray of int, shape (C,)
        Number of items.
    n_dropped : int
        Number of the pairs (in groups) that were counted and not kept.
    """

    keys: IntArray
    count: CountArray
    n_dropped: int = 0

    def __add__(self, other: JointCells) -> JointCells:
        """Add the counts of other items."""
        keys = np.concatenate([self.keys, other.keys])
        found = add_up(keys, np.concatenate([self.count, other.count]))
        return JointCells(*found, self.n_dropped + other.n_dropped)

    def split(self, n_parts: int, per_pair: int) -> list[JointCells]:
        """Cut into parts of which each has all cells of its pairs; a pair has so many numbers."""
        part = (self.keys // per_pair) % n_parts
        chosen = (np.flatnonzero(part == number) for number in range(n_parts))
        return [JointCells(self.keys[cells], self.count[cells]) for cells in chosen]

    def with_raters(self, margins: Margins, n_groups: int) -> JointCells:
        """Add each rater with themselves, who agrees with all of the own ratings."""
        n_raters, k = margins.n_subjects // n_groups, margins.n_categories
        group, rater = np.divmod(margins.subject, n_raters)
        pair = rater.astype(np.int64) * n_raters + rater
        keys = ((pair * n_groups + group) * k + margins.category) * k + margins.category
        order = np.argsort(keys)
        own = JointCells(keys[order], margins.count[order])
        return self + own


def joint_cells(rows: ListedRows) -> JointCells:
    """Count the joint ratings of some items."""
    k, found = rows.n_categories, [np.empty(0, dtype=np.int64)]
    for first, second in joint_ratings(rows.row):
        key = rows.rater[first].astype(np.int64) * rows.n_raters + rows.rater[second]
        key = key * rows.n_groups + rows.group[rows.row[first]]
        found.append((key * k + rows.code[first]) * k + rows.code[second])
    return JointCells(*add_up(np.concatenate(found)))


def drop_few(cells: JointCells, n_items: float, n_groups: int, n_categories: int) -> JointCells:
    """Count pairs that share fewer items in every group, and do not keep them."""
    if n_items <= 1 or not len(cells.keys):
        return cells
    table = cells.keys // max(n_categories, 1) ** 2
    starts = starts_of(table)
    enough = np.add.reduceat(cells.count, starts) >= n_items
    pair = table[starts] // n_groups
    of_pair = starts_of(pair)
    kept = np.logical_or.reduceat(enough, of_pair)
    n_groups_of = np.diff(of_pair, append=len(pair))
    n_tables = np.diff(starts, append=len(table))
    keep = np.repeat(np.repeat(kept, n_groups_of), n_tables)
    n_dropped = cells.n_dropped + int(n_groups_of[~kept].sum())
    return JointCells(cells.keys[keep], cells.count[keep], n_dropped)


def gathered(parts: Sequence[JointCells]) -> JointCells:
    """Put together the cells of different pairs."""
    keys = np.concatenate([part.keys for part in parts])
    count = np.concatenate([part.count for part in parts])
    order = np.argsort(keys)
    return JointCells(keys[order], count[order], sum(part.n_dropped for part in parts))


def tables_of(
    cells: JointCells, n_raters: int, n_groups: int, n_categories: int
) -> tuple[IntArray, PairCounts]:
    """Order the tables by group, and by pair within a group: their sides, (2, P), and counts."""
    per_table = max(n_categories, 1) ** 2
    pair, rest = np.divmod(cells.keys, n_groups * per_table)
    starts = starts_of(pair)
    known = pair[starts]
    number = np.repeat(np.arange(len(known)), np.diff(starts, append=len(pair)))
    group, cell = np.divmod(rest, per_table)
    keys = (group * len(known) + number) * per_table + cell
    order = np.argsort(keys) if n_groups > 1 else slice(None)
    counts = PairCounts.from_keys(
        keys[order], cells.count[order], n_groups * len(known), n_categories
    )
    return np.stack(np.divmod(known, n_raters)), counts
