"""Every figure of ``validation.csv`` as a table, without a node for each of its cells."""

from __future__ import annotations

import csv
from html import escape
from itertools import groupby
from operator import itemgetter
from pathlib import Path
from typing import TYPE_CHECKING

from docutils import nodes
from docutils.parsers.rst import Directive

if TYPE_CHECKING:
    from sphinx.application import Sphinx

TABLE = Path(__file__).parent / "validation.csv"
CONFIRMED, FIGURES = 3, range(4, 8)  # a column of systems, and those that are numbers


class Values(Directive):
    """A table for each data set, folded up until somebody asks for it."""

    def run(self) -> list[nodes.Node]:
        """Read the table and return it as HTML."""
        self.state.document.settings.env.note_dependency(str(TABLE))
        with TABLE.open(encoding="utf-8", newline="") as lines:
            header, *rows = csv.reader(lines)
        rows.sort(key=lambda row: row[0].lower())
        text = [folded(name, header, [*own]) for name, own in groupby(rows, itemgetter(0))]
        return [nodes.raw("", "\n".join(text), format="html")]


def folded(name: str, header: list[str], rows: list[list[str]]) -> str:
    """Return the figures of a data set."""
    head = "".join(f"<th>{escape(one.replace('_', ' '))}</th>" for one in header[1:])
    body = "\n".join(f"<tr>{''.join(map(cell, range(1, len(row)), row[1:]))}</tr>" for row in rows)
    return (
        f"<details><summary>{escape(name)}: {len(rows)} rows</summary>"
        f'<div class="table-wrapper"><table class="docutils values"><thead><tr>{head}</tr></thead>'
        f"<tbody>{body}</tbody></table></div></details>"
    )


def cell(column: int, text: str) -> str:
    """Return a cell, numbers to the right; of those who confirm it, how many, and who on demand."""
    if column == CONFIRMED:
        n = len(text.split("; ")) if text else 0
        return f'<td class="number" title="{escape(text)}">{n or ""}</td>'
    kind = ' class="number"' if column in FIGURES else ""
    return f"<td{kind}>{escape(text)}</td>"


def setup(app: Sphinx) -> dict[str, bool]:
    """Register the directive."""
    app.add_directive("every-value", Values)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
