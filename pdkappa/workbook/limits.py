"""What a workbook holds, known before anything is computed for it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pdkappa.errors import ExportError
from pdkappa.present.sheets import MAX_COLUMNS, MAX_ROWS

if TYPE_CHECKING:
    from collections.abc import Sequence

    from pdkappa.ratings.counted_pairs import PairTables

MOST_CONFUSION_SHEETS = 200
MOST_SHEET_CATEGORIES = 1000
AROUND = 8  # rows of a sheet beside those of its table: title, headings and notes
N_MEANS = 3  # rows of the means below the groups of each pair


def check_fits(n_groups: int, n_raters: int, *, only_joint: bool = False) -> None:
    """Refuse what has more rows or columns than a worksheet holds.

    Only the pairs who share an item are listed where `only_joint` is true.
    """
    n_pairs = 1 if only_joint else n_raters * (n_raters - 1) // 2
    rows = max(n_groups * n_pairs, n_groups * n_raters) + N_MEANS * n_pairs + AROUND
    what = f"{n_raters} raters" + (f" in {n_groups} groups" if n_groups > 1 else "")
    for needed, most, unit in ((rows, MAX_ROWS, "rows"), (n_raters + 2, MAX_COLUMNS, "columns")):
        if needed > most:
            message = (
                f"A workbook of {what} needs a sheet of about {needed} {unit}, and {most} is the "
                "most that a worksheet holds. Pass fewer raters or groups, or save the frames of "
                "pairs() with to_csv or to_parquet."
            )
            raise ExportError(message)


def why_no_tables(every: Sequence[PairTables]) -> str:
    """Say why confusion tables are left out of a workbook or page; nothing if they fit."""
    n_tables = sum(tables.counts.n_tables for tables in every)
    most = max(len(tables.categories) for tables in every)
    if n_tables > MOST_CONFUSION_SHEETS:
        why = f"{n_tables:,} confusion tables: at most {MOST_CONFUSION_SHEETS} can be read"
    elif most > MOST_SHEET_CATEGORIES:
        why = f"confusion tables of {most} categories: at most {MOST_SHEET_CATEGORIES} can be read"
    else:
        return ""
    return (
        f"Left out: {why}. confusion(rater_a, rater_b) gives any of them, and a report of fewer "
        "raters or groups has them. Without them, figures are plain values."
    )
