"""Results -> the sheets of a workbook: for a reader, or for an audit."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Literal, TypeAlias

import pandas as pd

from pdkappa.errors import OptionError, check_choice
from pdkappa.present import schema
from pdkappa.present.labels import heading_of
from pdkappa.present.sheets import Sheet
from pdkappa.workbook.cover import cover_sheet
from pdkappa.workbook.pictures import data_sheet, pictures_of
from pdkappa.workbook.plain import plain, reachable
from pdkappa.workbook.sheets import notes_sheet

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from pdkappa.present.html_page import Headline

Detail: TypeAlias = Literal["brief", "full"]
DETAILS: tuple[Detail, ...] = ("brief", "full")

# What a reader needs, in this order; with groups the first two of the pairs are left out.
READ = (
    *("pairwise", "groups", "pairs", "agreement", "machines"),
    *("verdicts", "kappas", "judges", "tests"),
    *("recall", "classes", "against humans", "raters", "repeats", "positions", "drift", "items"),
)
IN_GROUPS = ("pairs", "agreement")
PAIR, MOST_PAIRS = 2, 100
COUNTS = "counts"
LIVE = (
    "In the workbook coefficients of pairs and groups, their Fisher-z means, Light's kappa and the "
    "charts are formulas that follow a changed count; if no rating is missing, so are the other "
    "coefficients of all raters, and bars that put groups together. Standard errors, limits, z, p, "
    "words, fixed and random means, figures with other weights or of machines, the sheets Raters "
    "and Items, and most of Categories do not change."
)
COUNTED = (
    "The figures are computed from these tables. Change a count, and what depends on it follows.",
    "The buttons at the left margin open the steps from a table to its figures.",
)


@dataclass(frozen=True, eq=False)
class Book:
    """What the workbook of a result is made of.

    Parameters
    ----------
    sheets : tuple of Sheet
        All figures, by the names of their tables.
    options : dict
        The options of the call, which the notes tell.
    tables : tuple of Sheet, default ()
        The confusion tables.
    is_live : bool, default False
        Whether figures are formulas over the confusion tables.
    left_out : str, default ""
        Why there are no confusion tables.
    summary : Sheet, optional
        The main figures.
    main : int, default 0
        Row of the summary of which the cover shows the estimate.
    method : tuple of (str, str), default ()
        More on the method, for the notes.
    also : tuple of str, default ()
        What is there even in a brief workbook: ``crosscheck``, ``confusion``.
    is_brief : bool, default False
        Whether there are no tables for an audit.
    """

    sheets: tuple[Sheet, ...]
    options: Mapping[str, object]
    tables: tuple[Sheet, ...] = ()
    is_live: bool = False
    left_out: str = ""
    summary: Sheet | None = None
    main: int = 0
    method: tuple[tuple[str, str], ...] = ()
    also: tuple[str, ...] = ()
    is_brief: bool = False

    def pages(self, headline: Headline, detail: Detail) -> list[Sheet]:
        """Return the sheets of the workbook, in order.

        Parameters
        ----------
        headline : Headline
            What the cover says first.
        detail : {"brief", "full"}
            What to read; or all, with what an audit needs behind it.
        """
        check_choice("detail", detail, DETAILS)
        if detail == "full" and self.is_brief:
            message = (
                "detail='full' needs all tables, and this report was made with detail='brief'. "
                "Make it with detail='full'."
            )
            raise OptionError(message)
        named = {sheet.name: sheet for sheet in self.sheets}
        front = [named[name] for name in READ if name in named and self._is_read(name, named)]
        behind = [one for one in self.sheets if one not in front]
        if detail == "brief":
            behind = [one for one in behind if one.name in self.also]
        last = [one for one in behind if one.name == "crosscheck"]
        shown = [*front, *(one for one in behind if one not in last)]
        tables, (charts, data) = self._tables(detail), pictures_of(named)
        ends = [self._notes([*front, *behind, *data], detail)]
        is_folded = [one.name for one in tables] == [COUNTS]
        ends = [*last, *ends, *tables] if is_folded else [*tables, *last, *ends]
        present = {one.called for one in shown} | {table.called for table in self.tables}
        summary = self.summary and reachable(self.summary, named, present)
        cover = cover_sheet(headline, summary, self.main, charts, [*shown, *ends])
        hidden = data_sheet(data)
        ends += hidden if self.is_live else [replace(one, formulas={}) for one in hidden]
        by = self.options.get("by")
        names = by if isinstance(by, list) else [by]
        every = (reachable(one, named, present) for one in [*shown, *ends])
        return [cover, *(plain(one, names) for one in every)]

    @property
    def notes(self) -> list[str]:
        """Say whether figures follow counts, or why not."""
        return [LIVE] if self.is_live else [self.left_out] if self.left_out else []

    def every(
        self, last: Sequence[Sheet] = (), *, tables: bool = True, brief: bool = False
    ) -> list[Sheet]:
        """Return all sheets as they are, for a page, some of them behind the confusion tables."""
        figures = [sheet for sheet in self.sheets if sheet not in last]
        shown = [*figures, *(self.tables if tables else ()), *last]
        left_out = self.left_out if tables else ""
        live = self.is_live and tables
        notes = notes_sheet(shown, self.options, live=live, left_out=left_out, brief=brief)
        return [*shown, notes]

    def _is_read(self, name: str, named: dict[str, Sheet]) -> bool:
        """Tell whether a sheet says what no other one does, and in rows that are read.

        Two raters need no matrix, and nobody reads thousands of pairs, or items that cost nothing.
        """
        if name == "pairwise":
            return named[name].frame.shape[1] > PAIR
        frame = named[name].frame
        if name == "pairs" and len(frame) > MOST_PAIRS:
            return False
        if name == "items":
            return bool((frame["effect"] < 0).any() or (frame["disagreement"] > 0).any())
        return name not in IN_GROUPS or "groups" not in named

    def _tables(self, detail: Detail) -> list[Sheet]:
        """Show the confusion tables each on its own sheet, or all below each other."""
        if detail == "full" or "confusion" in self.also:
            return list(self.tables)
        if not self.is_live:
            return []
        folded = [
            replace(table, parts=tuple(replace(part, folded=True) for part in table.parts))
            for table in self.tables
        ]
        intro = pd.DataFrame({"": COUNTED}, dtype=object)
        intro.columns = pd.RangeIndex(1)
        return [
            Sheet(
                COUNTS,
                intro,
                "All counts, pair by pair",
                kind="list",
                index=False,
                parts=tuple(folded),
            )
        ]

    def _notes(self, sheets: list[Sheet], detail: Detail) -> Sheet:
        """Explain options, method and headings, each with the name of its column."""
        made = notes_sheet(
            sheets,
            self.options,
            live=self.is_live,
            left_out=self.left_out,
            brief=detail == "brief",
        )
        rows: list[Any] = [("Method", ""), *self.method] if self.method else []
        for item, text in made.frame.itertuples(index=False, name=None):
            known = item in schema.COLUMNS and schema.COLUMNS[item].meaning == text
            rows.append((heading_of(item), f"{item}: {text}") if known else (item, text))
        return replace(made, frame=pd.DataFrame(rows, columns=made.frame.columns, dtype=object))
