"""What one worksheet, or one part of a page, shows: a frame with its title and notes."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Literal, TypeAlias

if TYPE_CHECKING:
    from collections.abc import Hashable, Mapping, Sequence

    import pandas as pd

    from pdkappa._typing import BoolArray
    from pdkappa.present.excel.charts import Chart
    from pdkappa.present.excel.formulas import Formula

SheetKind: TypeAlias = Literal["table", "matrix", "confusion", "text", "list", "lead"]


@dataclass(frozen=True, eq=False)
class Sheet:
    """One worksheet: a frame, and how to show it.

    Parameters
    ----------
    name : str
        Wanted name of the worksheet; `sheet_names` makes it valid and unique.
    frame : DataFrame
        What to show. Column names of `pdkappa.present.schema` bring their number formats.
    title : str
        Heading in the first cell.
    notes : tuple of str, default ()
        Short lines below the table.
    kind : {"table", "matrix", "confusion", "text", "list"}, default "table"
        A table has one number format a column. A matrix is coloured by value, its undefined
        cells are grey. A confusion matrix has its first rater in the rows, named by the index,
        and its second in the columns, named by the columns' name. Text is wrapped, and rows with
        nothing but a first cell are headings. A list has a number format for what each row is
        labelled; texts in its last column stick out to the right. A lead is one column: a figure
        in large type, then lines of text that stick out. Neither of these has headings where the
        columns only count.
    emphasis : tuple of hashable, default ()
        Row labels, of the last level if there are several, to be set apart as totals; in a
        confusion matrix column labels as well.
    index : bool, optional
        Whether the row labels are shown. By default a matrix shows them, text does not, and a
        table does unless they only count the rows.
    stat : str, default "estimate"
        Column of the schema that the cells of a matrix hold.
    parts : tuple of Sheet, default ()
        More tables below this one, on the same worksheet; their names do not count, unless they
        have a `key` of their own. Parts have parts.
    charts : tuple of Chart, default ()
        Pictures side by side, below the table.
    headings : mapping of label to str, default {}
        What stands above columns and row labels, where it is not their name.
    folded : bool, default False
        Whether the rows are folded away until the reader opens them.
    folded_columns : tuple of int, default ()
        Columns of the frame that are.
    hidden : bool, default False
        Whether the worksheet is shown only to those who ask for it.
    key : hashable, optional
        What formulas and links call the sheet; by default its name. The first of a key counts.
    formulas : mapping of (int, int) to Formula, default {}
        Row and column of cells of the frame that are computed in the workbook. What the frame
        holds there is the value until then.
    links : mapping of (int, int) to hashable, default {}
        Row and column of cells of the frame that lead to another sheet, and its key. An empty
        cell leads nowhere.
    group : str, default ""
        The group that a confusion table is of, in words.
    """

    name: str
    frame: pd.DataFrame
    title: str
    notes: tuple[str, ...] = ()
    kind: SheetKind = "table"
    emphasis: tuple[Hashable, ...] = ()
    index: bool | None = None
    stat: str = "estimate"
    parts: tuple[Sheet, ...] = ()
    charts: tuple[Chart, ...] = ()
    headings: Mapping[Hashable, str] = field(default_factory=dict)
    folded: bool = False
    folded_columns: tuple[int, ...] = ()
    hidden: bool = False
    key: Hashable = None
    formulas: Mapping[tuple[int, int], Formula] = field(default_factory=dict)
    links: Mapping[tuple[int, int], Hashable] = field(default_factory=dict)
    group: str = ""

    @property
    def called(self) -> Hashable:
        """What formulas and links call the sheet."""
        return self.name if self.key is None else self.key


def totals_in(labels: pd.Index[Any], emphasis: Sequence[Hashable]) -> BoolArray:
    """Find the totals among labels; where something else is called so too, they stand below it.

    >>> totals_in(pd.Index(["random", "x", "mean", "random"]), ["mean", "random"]).tolist()
    [False, False, True, True]
    """
    return labels.get_level_values(-1).isin(list(emphasis)) & ~labels.duplicated(keep="last")
