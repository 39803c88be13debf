"""A table and the width of a screen → the columns that are shown before all are asked for."""

from __future__ import annotations

from typing import TYPE_CHECKING
from unicodedata import east_asian_width

if TYPE_CHECKING:
    from collections.abc import Hashable, Sequence

    from pdkappa.present.html.cells import Cell, PageRow, Table

DESK, PHONE = 140, 41  # characters that stand side by side in 1,280 and 360 pixels
AROUND = {DESK: 2.5, PHONE: 1.4}  # a text, in characters
ARROW = 2  # of a heading that sorts
LONGEST, LONGEST_ON_PHONES = 32, 18  # texts beyond are broken into lines
MOST_SHOWN = 10  # columns, beyond which a table is not read but searched

# What a reader looks for first, and what last; all else is in between, in its order.
FIRST = ("estimate", "difference", "effect", "value", "verdict", "n_items")
LAST = frozenset(
    {
        *("z", "fisher_z", "se_fisher_z", "n_categories", "n_raters", "n_ratings", "df", "q"),
        *("n_clipped", "n_undefined", "weight", "outlier_z", "gain", "share", "expected_agreement"),
        *("light_without", "se_effect", "prediction_low", "prediction_high", "bias", "version"),
        *("p_value", "n_machine_pairs", "n_human_pairs", "abs_difference", "tau2", "n_groups"),
    }
)


def fitted(table: Table, names: Sequence[Hashable], n_labels: int) -> Table:
    """Mark the columns for which a desk or a phone is too narrow, and say what there is to ask for.

    Parameters
    ----------
    table : Table
        All of it.
    names : list of hashable, length M
        The names of its columns in the frame, those of the labels first.
    n_labels : int
        How many are labels of rows, which always stay.
    """
    cells = [[*row.labels, *row.cells] for row in (*table.rows, *table.foot)]
    columns = list(zip(table.header, *cells, strict=True))
    order = sorted(range(len(names)), key=lambda j: (j >= n_labels, _rank(names[j]), j))
    shown = {
        limit: _shown(columns, order, n_labels, limit, longest)
        for limit, longest in ((DESK, LONGEST), (PHONE, LONGEST_ON_PHONES))
    }
    css = [
        "" if j in shown[PHONE] else "wide" if j in shown[DESK] else "later"
        for j in range(len(names))
    ]
    return table._replace(
        header=_marked(table.header, css),
        rows=[_row(row, css) for row in table.rows],
        foot=[_row(row, css) for row in table.foot],
        more=_told(table, len(shown[DESK]), len(names)),
        on_phones=_told(table, len(shown[DESK] & shown[PHONE]), len(names)),
    )


def _told(table: Table, n_shown: int, n_columns: int) -> str:
    """Say which rows and columns are shown at first; nothing if all are."""
    told = [f"{table.shortest} of {len(table.rows)} rows"] if table.is_long else []
    if n_shown < n_columns:
        told.append(f"{n_shown} of {n_columns} columns")
    return ", ".join(told)


def width_of(text: str) -> int:
    r"""Count the places of a text in a line, two for a character of East Asia.

    >>> width_of("kappa"), width_of("\u662f\u5426")
    (5, 4)
    """
    return sum(2 if east_asian_width(one) in "WF" else 1 for one in text)


def _rank(name: Hashable) -> int:
    """Tell how early a column is shown."""
    if name in FIRST:
        return FIRST.index(name)
    return len(FIRST) + (name in LAST)


def _shown(
    columns: Sequence[Sequence[Cell]], order: Sequence[int], n_labels: int, limit: int, longest: int
) -> set[int]:
    """Choose the columns that fit side by side, the most wanted first."""
    shown, used = set(order[: n_labels + 1]), 0.0
    for place, j in enumerate(order):
        used += _width(columns[j], longest) + AROUND[limit]
        if place > n_labels and (used > limit or len(shown) == MOST_SHOWN):
            break
        shown.add(j)
    return shown


def _width(column: Sequence[Cell], longest: int) -> int:
    """Estimate the width of a column in characters; headings may be broken between words."""
    head, *cells = column
    words = max((width_of(word) for word in head.text.split(" ")), default=0) + ARROW
    texts = max((min(width_of(cell.text), longest) for cell in cells), default=0)
    return max(words, texts)


def _row(row: PageRow, css: Sequence[str]) -> PageRow:
    """Mark the cells of a row."""
    n = len(row.labels)
    return row._replace(labels=_marked(row.labels, css[:n]), cells=_marked(row.cells, css[n:]))


def _marked(cells: Sequence[Cell], css: Sequence[str]) -> list[Cell]:
    """Add classes to those that cells have."""
    return [
        one._replace(css=f"{one.css} {more}".strip()) if more else one
        for one, more in zip(cells, css, strict=True)
    ]
