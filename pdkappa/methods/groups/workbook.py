"""Figures of groups -> the sheets of their workbook, with formulas over the confusion tables."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from pdkappa.methods.workbook.live_formulas import (
    block_of,
    blocks_of,
    live_tables,
    why_no_tables,
    with_panel,
    with_sums,
)
from pdkappa.methods.workbook.sheets import (
    CRUDE,
    Live,
    confusion_sheets,
    groups_sheet,
    method_of,
    pooling_sheets,
)

if TYPE_CHECKING:
    from collections.abc import Sequence

    import pandas as pd

    from pdkappa.methods.groups.panel import Pooling
    from pdkappa.present.sheets import Sheet


def sheets_of_pair(
    frame: pd.DataFrame,
    panel: dict[str, pd.DataFrame],
    note: str,
    *,
    pooling: Pooling,
    live: Live | None,
) -> list[Sheet]:
    """Show the groups of two raters, and their means.

    The `note` says what the mean is. Without `live` there are no confusion tables, or the figures
    are no function of them.
    """
    method = method_of(pooling.coefficient, pooling.weights)
    groups = groups_sheet(frame, method, (note,))
    sheets = pooling_sheets(panel)
    if live is None:
        return [groups, *sheets]
    blocks = [block_of(live, range(len(pooling.weight)))]
    return with_panel(groups, sheets, blocks, pooling.averaging.clip, _together(pooling, live))


def sheets_of_all(pooling: Pooling, live: Live) -> list[Sheet]:
    """Show the ratings of all groups together, of which ``crude`` is made."""
    whole = _together(pooling, live)
    [table] = confusion_sheets(whole.estimates, whole)
    table = replace(
        table,
        name=f"all {table.name}",
        title=f"{table.title}, all groups together",
        notes=(CRUDE,),
    )
    return [with_sums(table, live, pooling.weight)]


def _together(pooling: Pooling, live: Live) -> Live:
    """Take the table of all groups together as live."""
    return Live(pooling.together(), live.coefficient, "all groups")


def sheets_of_pairs(
    frame: pd.DataFrame,
    panel: dict[str, pd.DataFrame],
    note: str,
    *,
    every: Sequence[Pooling],
    missing: str,
) -> tuple[list[Sheet], list[Sheet]]:
    """Show the groups of several pairs, their means, and their confusion tables if they fit."""
    one, estimates = every[0], [pooling.estimates for pooling in every]
    method = method_of(one.coefficient, one.weights)
    groups = groups_sheet(frame, method, (note,))
    sheets = [groups, *pooling_sheets(panel)]
    if why_no_tables([known.tables for known in estimates]):
        return sheets, []
    lives = [
        live_tables(known, one.coefficient, missing, number)
        for number, known in enumerate(estimates)
    ]
    blocks = blocks_of([live for live in lives if live is not None])
    if blocks:
        sheets = with_panel(groups, sheets[1:], blocks, one.averaging.clip)
    tables = [
        table
        for known, live in zip(estimates, lives, strict=True)
        for table in confusion_sheets(known, live)
    ]
    return sheets, tables
