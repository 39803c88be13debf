"""Figures of groups -> the sheets of their workbook, with formulas over the confusion tables."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from pdkappa.workbook import sheets as workbook
from pdkappa.workbook.figures import Live
from pdkappa.workbook.group_links import blocks_of, with_panel, with_sums
from pdkappa.workbook.links import block_of, live_tables

if TYPE_CHECKING:
    from collections.abc import Sequence

    import pandas as pd

    from pdkappa.methods.groups.panel import Pooling
    from pdkappa.present.excel.sheets import Sheet


def sheets_of_pair(
    frame: pd.DataFrame,
    panel: dict[str, pd.DataFrame],
    note: str,
    *,
    pooling: Pooling,
    live: Live | None,
) -> tuple[list[Sheet], list[Sheet]]:
    """Show the groups of two raters, their means, and all groups together (for ``crude``).

    The `note` says what the mean is. Without `live` there are no confusion tables, or the figures
    are no function of them.
    """
    method = workbook.method_of(pooling.coefficient, pooling.weights)
    groups = workbook.groups_sheet(frame, method, (note,))
    sheets = workbook.pooling_sheets(panel)
    if live is None:
        return [groups, *sheets], []
    whole = Live(pooling.together(), live.coefficient, "all groups")
    [table] = workbook.confusion_sheets(whole.estimates, whole)
    table = replace(table, name=f"all {table.name}", title=f"{table.title}, all groups together")
    table = with_sums(table, live, pooling.weight)
    blocks = [block_of(live, range(len(pooling.weight)))]
    return with_panel(groups, sheets, blocks, pooling.averaging.clip, whole), [table]


def sheets_of_pairs(
    frame: pd.DataFrame,
    panel: dict[str, pd.DataFrame],
    note: str,
    *,
    every: Sequence[Pooling],
    missing: str,
) -> list[Sheet]:
    """Show the groups of several pairs, their means, and their confusion tables if they fit."""
    one, estimates = every[0], [pooling.estimates for pooling in every]
    method = workbook.method_of(one.coefficient, one.weights)
    groups = workbook.groups_sheet(frame, method, (note,))
    sheets = [groups, *workbook.pooling_sheets(panel)]
    if not workbook.fit_sheets(estimates):
        return sheets
    lives = [
        live_tables(known, one.coefficient, missing, number)
        for number, known in enumerate(estimates)
    ]
    blocks = blocks_of([live for live in lives if live is not None])
    if blocks:
        sheets = with_panel(groups, sheets[1:], blocks, one.averaging.clip)
    for known, live in zip(estimates, lives, strict=True):
        sheets += workbook.confusion_sheets(known, live)
    return sheets
