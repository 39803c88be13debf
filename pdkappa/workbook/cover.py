"""What a result says first -> the first sheet of a workbook."""

from __future__ import annotations

import math
import textwrap
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import pandas as pd

from pdkappa.present.labels import heading_of, visible
from pdkappa.present.sheets import CellRange, Sheet, display_width, same_as
from pdkappa.workbook.plain import NAMES

if TYPE_CHECKING:
    from collections.abc import Hashable, Iterator, Sequence

    from pdkappa.present.html_page import Headline
    from pdkappa.present.sheets import Chart

WIDE, OF_FACT, OF_TITLE = 125, 100, 90  # characters of a line of text
SUMMARY = "summary"


def cover_sheet(
    headline: Headline,
    summary: Sheet | None,
    main: int,
    charts: Sequence[Chart],
    sheets: Sequence[Sheet],
) -> Sheet:
    """Say the main figure in large type and in words, what was analysed, and where the rest is.

    A verdict stands in the place of a figure.

    The figure is that of row `main` of the summary, and follows it.
    """
    is_known = not math.isnan(headline.estimate)
    figure = headline.estimate if is_known else headline.verdict or "undefined"
    lines: list[Any] = [figure, *_lines(headline)]
    frame = pd.DataFrame({0: pd.Series(lines, dtype=object)})
    frame.columns = pd.RangeIndex(1)
    parts, formulas = [_list("What was analysed", list(_facts(headline.facts)))], {}
    if summary is not None and len(summary.frame):
        place = [*summary.frame.columns].index("estimate")
        if is_known and (main, place) in summary.formulas:
            formulas[0, 0] = same_as(CellRange(SUMMARY, (main, main), (place, place)))
        headings: dict[Hashable, str] = {name: heading_of(name) for name in summary.frame.columns}
        notes = tuple(line for note in summary.notes for line in _wrapped(note, WIDE))
        parts.append(replace(summary, key=SUMMARY, title="Summary", parts=(), notes=notes))
        parts[-1] = replace(parts[-1], headings=headings)
    if charts:
        parts.append(replace(_list("In pictures", []), frame=pd.DataFrame(), charts=tuple(charts)))
    parts.append(_contents(sheets))
    return Sheet(
        "Cover",
        frame,
        visible(headline.title) or _title(headline.heading),
        kind="lead",
        formulas=formulas,
        key=("cover",),
        parts=tuple(parts),
    )


def _lines(headline: Headline) -> Iterator[str]:
    """Break what is said into lines, each sentence into its own."""
    measure = headline.measure[:1].upper() + headline.measure[1:]
    limits = "" if headline.verdict else f"; {headline.interval or 'no interval'}"
    for text in (f"{measure}{limits}", *headline.sentences):
        yield from _wrapped(text, WIDE)


def _title(heading: str) -> str:
    """Keep a heading to one line."""
    first, *rest = _wrapped(heading, OF_TITLE)
    return f"{first}\N{HORIZONTAL ELLIPSIS}" if rest else first


def _wrapped(text: str, most: int) -> list[str]:
    """Break a text into lines of some width."""
    shown = visible(text)
    width = int(most * len(shown) / max(display_width(shown), 1))
    return textwrap.wrap(shown, min(max(width, 1), most)) or [""]


def _facts(facts: Sequence[tuple[str, str]]) -> Iterator[tuple[str, str]]:
    """Break what was analysed into lines, of which the first has the name."""
    for name, text in facts:
        first, *rest = _wrapped(text, OF_FACT)
        yield f"{name[:1].upper()}{name[1:]}", first
        yield from (("", line) for line in rest)


def _contents(sheets: Sequence[Sheet]) -> Sheet:
    """List the sheets, with links to them; of confusion tables the first."""
    tables = [sheet for sheet in sheets if sheet.kind == "confusion"][:1]
    listed = [
        sheet
        for sheet in sheets
        if sheet in tables or (sheet.kind != "confusion" and not sheet.hidden)
    ]
    rows = [
        (NAMES.get(sheet.name, sheet.name), sheet.title)
        if sheet.kind != "confusion"
        else (sheet.name, "A confusion table; the estimates elsewhere lead to theirs")
        for sheet in listed
    ]
    links: dict[tuple[int, int], Hashable] = {
        (row, 0): sheet.called for row, sheet in enumerate(listed)
    }
    return replace(_list("Sheets", rows), links=links)


def _list(title: str, rows: Sequence[tuple[str, str]]) -> Sheet:
    """Make a list of names with texts."""
    frame = pd.DataFrame([list(map(visible, row)) for row in rows])
    return Sheet(title, frame, title, kind="list", index=False)
