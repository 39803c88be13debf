"""Figures of groups -> the sheets of their workbook, with formulas over the confusion tables."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

from pdkappa.workbook import sheets as workbook
from pdkappa.workbook.figures import Live
from pdkappa.workbook.group_links import blocks_of, with_panel, with_sums
from pdkappa.workbook.links import block_of, live_tables

if TYPE_CHECKING:
    from collections.abc import Sequence

    import pandas as pd

    from pdkappa.estimation.estimates import Estimates
    from pdkappa.methods.groups.panel import Pooling
    from pdkappa.present.excel.sheets import Sheet


def sheets_of_pair(
    frame: pd.DataFrame,
    panel: dict[str, pd.DataFrame],
    note: str,
    *,
    pooling: Pooling,
    options: dict[str, Any],
    live: Live | None,
) -> tuple[list[Sheet], list[Sheet]]:
    """Show the groups of two raters and the panel of their means.

    Parameters
    ----------
    frame : DataFrame
        The groups, and below them their means.
    panel : dict of DataFrame
        Means, tests and comparisons over the groups.
    note : str
        What the mean is.
    pooling : Pooling
        What the panel was computed from.
    options : dict
        The options of the call.
    live : Live or None
        The confusion tables of the groups; None where there are none, or the figures are no
        function of them.

    Returns
    -------
    list of Sheet, list of Sheet
        Groups and panel; and the table of all groups together, which ``crude`` is about.
    """
    groups = workbook.groups_sheet(frame, options, (note,))
    sheets = workbook.pooling_sheets(panel)
    if live is None:
        return [groups, *sheets], []
    whole = Live(pooling.together(), live.coefficient, "all groups")
    [table] = workbook.confusion_sheets(whole.estimates, whole)
    table = replace(table, name=f"all {table.name}", title=f"{table.title}, all groups together")
    table = with_sums(table, live, pooling.weight)
    blocks = [block_of(live, range(len(pooling.weight)))]
    return with_panel(groups, sheets, blocks, options["clip"], whole), [table]


def sheets_of_pairs(
    frame: pd.DataFrame,
    panel: dict[str, pd.DataFrame],
    note: str,
    every: Sequence[Estimates],
    options: dict[str, Any],
) -> list[Sheet]:
    """Show the groups of several pairs, their means, and their confusion tables if they fit."""
    groups = workbook.groups_sheet(frame, options, (note,))
    sheets = [groups, *workbook.pooling_sheets(panel)]
    if not workbook.fit_sheets(every):
        return sheets
    lives = [live_tables(one, options, number) for number, one in enumerate(every)]
    known = [live for live in lives if live is not None]
    if known:
        blocks = blocks_of(known)
        sheets = with_panel(groups, sheets[1:], blocks, options["clip"])
    for one, live in zip(every, lives, strict=True):
        sheets += workbook.confusion_sheets(one, live)
    return sheets
