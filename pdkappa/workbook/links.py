"""Sheets -> the same sheets, with references to the figures below the confusion tables."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from pdkappa.present.sheets import CellRange, Formula, same_as
from pdkappa.workbook.figures import LINKED, Live

if TYPE_CHECKING:
    from collections.abc import Hashable, Sequence

    import pandas as pd

    from pdkappa.methods.estimates.pair_frames import Estimates
    from pdkappa.present.sheets import Sheet

    Formulas = dict[tuple[int, int], Formula]


class Block(NamedTuple):
    """Rows of a frame: the groups of one pair of raters, and below them their means."""

    first: int  # row of the first group
    live: Live
    tables: Sequence[int | None]  # of each group; None where it has no figures

    @property
    def last(self) -> int:
        """Row of the last group."""
        return self.first + len(self.tables) - 1

    @property
    def mean(self) -> int:
        """Row of the Fisher-z mean."""
        return self.last + 1


def live_tables(
    estimates: Estimates, coefficient: str, missing: str, name: Hashable = None
) -> Live | None:
    """Take confusion tables as live; None without any, or where they do not give the figures."""
    if missing == "em" or not estimates.tables.counts.n_tables:
        return None
    return Live(estimates, coefficient, name)


def place(sheet: Sheet, row: int, column: Hashable) -> tuple[int, int]:
    """Find a cell of a frame by its row and the name of its column."""
    return row, [*sheet.frame.columns].index(column)


def cell(sheet: Sheet, row: int, column: Hashable) -> CellRange:
    """Refer to a cell of a frame."""
    return span(sheet, row, row, column)


def span(sheet: Sheet, first: int, last: int, column: Hashable) -> CellRange:
    """Refer to some rows of a column of a frame."""
    number = place(sheet, first, column)[1]
    return CellRange(sheet.called, (first, last), (number, number))


def with_rows(sheet: Sheet, block: Block) -> Sheet:
    """Let the figures of each row be those of its table, and lead to it."""
    formulas, links, live = dict(sheet.formulas), dict(sheet.links), block.live
    for row, number in enumerate(block.tables, block.first):
        if number is not None:
            for name in LINKED:
                formulas[place(sheet, row, name)] = same_as(live.figure(number, name))
            for name in ("n_items", "estimate"):
                links[place(sheet, row, name)] = live.key(number)
    return replace(sheet, formulas=formulas, links=links)


def with_cells(sheet: Sheet, live: Live) -> Sheet:
    """Let the cells of a matrix of raters be those of the tables, and lead to them."""
    tables, formulas, links = live.estimates.tables, {}, {}
    n_raters, n_pairs = len(tables.raters), tables.n_pairs
    for number in range(tables.counts.n_tables):
        group, pair = divmod(number, n_pairs)
        if not live.has_figures(number):
            continue
        for a, b in (tables.pairs[pair], tables.pairs[pair][::-1]):
            where = (group * n_raters + a, b)
            links[where] = live.key(number)
            if sheet.stat in LINKED:
                formulas[where] = same_as(live.figure(number, sheet.stat))
    return replace(sheet, formulas=formulas, links=links)


def block_of_pairs(frame: pd.DataFrame, live: Live) -> Block:
    """Find the table of each row of `pairs`, which leaves out raters that share no item."""
    n_items = live.estimates.summary.n_items
    every = np.arange(len(n_items)) if len(frame) == len(n_items) else np.flatnonzero(n_items > 0)
    return block_of(live, every.tolist())


def block_of(live: Live, tables: Sequence[int], first: int = 0) -> Block:
    """Take the rows of some tables, as far as these have figures."""
    return Block(first, live, [one if live.has_figures(one) else None for one in tables])
