"""Sheets of tables, and what is said about them → one page that needs nothing else."""

from __future__ import annotations

import base64
import hashlib
import math
import re
from dataclasses import replace
from importlib import resources
from typing import TYPE_CHECKING, Any, NamedTuple

import pandas as pd

from pdkappa._version import __version__
from pdkappa.errors import MissingDependencyError
from pdkappa.present.files import atomic_write, destination
from pdkappa.present.html.strips import Axis, forest
from pdkappa.present.html.views import (
    MOST_MATRICES,
    WHOLE,
    confusion_table,
    left_out,
    matrix_tables,
    plain_table,
)
from pdkappa.present.text.figures import with_interval

if TYPE_CHECKING:
    import os
    from collections.abc import Iterator, Sequence
    from pathlib import Path

    from jinja2 import Environment

    from pdkappa.present.excel.sheets import Sheet

MOST_CONFUSIONS = 60  # tables on a page
MOST_CATEGORIES = 100  # of a confusion table
POLICY = (
    "default-src 'none'; img-src data:; style-src 'sha256-{style}'; "
    "script-src 'sha256-{script}'; base-uri 'none'; form-action 'none'"
)
OF_WORKBOOKS = ("Formulas",)  # headings of notes
ADDRESS = re.compile(r"https://doi\.org/\S+")


class Headline(NamedTuple):
    """What a report says first.

    Attributes
    ----------
    subject : str
        Whose agreement it is.
    measure : str
        Which coefficient it is, and of what.
    estimate, low, high : float
        The coefficient and its interval; NaN where undefined.
    level : str
        The confidence level in words, such as ``"95 %"``.
    sentences : tuple of str
        The same in plain words.
    facts : tuple of (str, str)
        What was rated, by whom and how.
    """

    subject: str
    measure: str
    estimate: float
    low: float
    high: float
    level: str
    sentences: tuple[str, ...]
    facts: tuple[tuple[str, str], ...]

    @property
    def figures(self) -> str:
        """The coefficient and its interval as text."""
        return with_interval(self.estimate, self.low, self.high)

    @property
    def interval(self) -> str:
        """The interval in words; empty if there is none."""
        if math.isnan(self.low) or math.isnan(self.high):
            return ""
        return f"{self.level} interval {self.low:z.2f} to {self.high:z.2f}"


class Section(NamedTuple):
    """One part of the page.

    Attributes
    ----------
    id, title : str
    sentence : str
        What stands above the pieces.
    pieces : list of (str, view)
        Tables (``"table"``, ``"heat"``, ``"counts"``), forest plots (``"forest"``) and lists of
        terms with their texts and addresses (``"list"``).
    notes : list of str
        What stands below them.
    call : str
        Code that is shown.
    """

    id: str
    title: str
    sentence: str
    pieces: list[tuple[str, Any]]
    notes: list[str]
    call: str = ""


class Gauge(NamedTuple):
    """Where the headline's figure stands on its scale.

    Attributes
    ----------
    low, middle, high : str
        Places in per cent of the width; empty for a limit that is undefined.
    ticks : list of (str, str)
        Places of round numbers, and the numbers.
    says : str
        The same in words.
    """

    low: str
    middle: str
    high: str
    ticks: list[tuple[str, str]]
    says: str


def write_page(
    path: str | os.PathLike[str],
    sheets: Sequence[Sheet],
    headline: Headline,
    call: str,
    *,
    overwrite: bool = True,
) -> Path:
    """Write the page to a file, whole or not at all.

    Parameters
    ----------
    path : str or path-like
        File to write, usually ending in ``.html``.
    sheets, headline, call
        As in `page`.
    overwrite : bool, default True
        Whether an existing file is replaced.

    Returns
    -------
    Path
        The file written.
    """
    destination(path, overwrite=overwrite)
    content = page(sheets, headline, call).encode(errors="backslashreplace")
    return atomic_write(path, lambda handle: handle.write(content), overwrite=overwrite)


def page(sheets: Sequence[Sheet], headline: Headline, call: str) -> str:
    """Lay out all sheets on one page, which fetches nothing and runs no script but its own.

    Parameters
    ----------
    sheets : sequence of Sheet
        Those that `SECTIONS` names stand in their section, all others in the last but one.
    headline : Headline
    call : str
        The code that makes the report again.

    Returns
    -------
    str
        HTML, the same for the same report.

    Raises
    ------
    MissingDependencyError
        If Jinja2 is not installed.
    """
    template = _environment().from_string(_file("report.html.j2"))
    style, script = _file("report.css"), _file("report.js")
    return template.render(
        policy=POLICY.format(style=_digest(style), script=_digest(script)),
        style=style,
        script=script,
        version=__version__,
        headline=headline,
        figure=with_interval(headline.estimate),
        interval=headline.interval,
        gauge=_gauge(headline),
        sections=list(_sections(sheets, headline.level, call)),
    )


def _environment() -> Environment:
    """Make what fills in the template, and escapes whatever comes from the data."""
    try:
        from jinja2 import Environment, StrictUndefined
    except ImportError as error:
        message = (
            "An HTML report needs Jinja2, which is not installed. "
            "Run: pip install 'pdkappa[report]'"
        )
        raise MissingDependencyError(message) from error
    return Environment(
        autoescape=True, undefined=StrictUndefined, trim_blocks=True, lstrip_blocks=True
    )


def _file(name: str) -> str:
    """Read a file of the page."""
    return resources.files(__package__).joinpath("templates", name).read_text(encoding="utf-8")


def _digest(text: str) -> str:
    """Name a text by its hash, so that a browser runs this script and no other."""
    return base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()


def _gauge(headline: Headline) -> Gauge | None:
    """Place the figure on a scale that ends in 1; None if it is undefined."""
    if math.isnan(headline.estimate):
        return None
    least = min(one for one in (headline.estimate, headline.low, 0.0) if not math.isnan(one))
    axis = Axis(math.floor(5 * least) / 5, 1.0)
    return Gauge(
        low=axis.place(headline.low),
        middle=axis.place(headline.estimate),
        high=axis.place(headline.high),
        ticks=axis.ticks(),
        says=f"{headline.figures} on a scale from {axis.low:g} to 1",
    )


def _sections(sheets: Sequence[Sheet], level: str, call: str) -> Iterator[Section]:
    """Put the sheets into their sections."""
    pairs = next((sheet.frame for sheet in sheets if sheet.name == "pairs"), None)
    frames = [sheet.frame for sheet in sheets if "reason" in sheet.frame]
    reasons = {code for frame in frames for code in frame["reason"].dropna()}
    for name, (title, sentence, _) in SECTIONS.items():
        found = [sheet for sheet in sheets if _section_of(sheet) == name]
        if not found:
            continue
        notes: list[str] = []
        pieces: list[tuple[str, Any]] = []
        if name == "matrix":
            notes = left_out(_n_squares(found[0]), MOST_MATRICES, "groups")
            pieces = [("heat", one) for sheet in found for one in matrix_tables(sheet, pairs)]
        elif name == "confusion":
            found, notes = _few(found)
            pieces = [("counts", confusion_table(sheet)) for sheet in found]
        elif name == "method":
            pieces = [one for sheet in found for one in _lists(sheet.frame, reasons)]
        else:
            pieces = [one for sheet in found for one in _tables(sheet, level)]
        yield Section(name, title, sentence, pieces, notes, call if name == "method" else "")


def _section_of(sheet: Sheet) -> str:
    """Choose where a sheet stands; what a matrix besides the first holds is in the pairs."""
    if sheet.kind == "matrix":
        return "matrix" if sheet.stat == "estimate" else ""
    if sheet.kind in {"confusion", "text"}:
        return "confusion" if sheet.kind == "confusion" else "method"
    homes = (name for name, (_, _, names) in SECTIONS.items() if sheet.name in names)
    return next(homes, "more")


def _n_squares(sheet: Sheet) -> int:
    """Count the groups of a matrix."""
    return len(sheet.frame) // max(1, sheet.frame.shape[1])


def _few(sheets: list[Sheet]) -> tuple[list[Sheet], list[str]]:
    """Choose the confusion tables that can be read on a page; tell which are left out."""
    small = [sheet for sheet in sheets if len(sheet.frame) <= MOST_CATEGORIES]
    shown, notes = small[:MOST_CONFUSIONS], list[str]()
    if large := len(sheets) - len(small):
        notes.append(f"Not shown: {large} with more than {MOST_CATEGORIES} rows. {WHOLE}")
    if more := len(small) - len(shown):
        notes.append(f"Not shown: {more} after the first {MOST_CONFUSIONS}. {WHOLE}")
    return shown, notes


def _tables(sheet: Sheet, level: str) -> Iterator[tuple[str, Any]]:
    """Show a table, and above it a forest plot if it has estimates of one kind."""
    if sheet.name == "summary":  # whose notes are on the workbook
        sheet = replace(sheet, notes=())
    table = plain_table(sheet)
    if (frame := _with_intervals(sheet)) is not None:
        yield "forest", forest(sheet.title, frame, level, sheet.emphasis)
        table = table._replace(caption="All figures")
    yield "table", table


def _with_intervals(sheet: Sheet) -> pd.DataFrame | None:
    """Return what is drawn of a sheet, if anything is."""
    frame = sheet.frame
    if sheet.name == "groups" or (sheet.name == "agreement" and frame.index.nlevels == 1):
        return frame
    if sheet.name == "pairs" and frame.columns[0] == "rater_a":
        names = [f"{a} x {b}" for a, b in zip(frame["rater_a"], frame["rater_b"], strict=True)]
        return frame.set_axis(pd.Index(names, name="pair"))
    return None


def _lists(notes: pd.DataFrame, reasons: set[str]) -> Iterator[tuple[str, Any]]:
    """Divide notes at their headings, which have no text; part addresses from the references."""
    parts: dict[str, list[tuple[str, str, str]]] = {}
    for item, text in notes.itertuples(index=False, name=None):
        if not text:
            parts[item] = lines = []
        else:
            found = ADDRESS.search(text) if item.isdigit() else None
            address = found.group() if found else ""
            lines.append((item, text.removesuffix(address), address))
    parts["Reasons"] = [line for line in parts.get("Reasons", ()) if line[0] in reasons]
    for heading, lines in parts.items():
        if lines and heading not in OF_WORKBOOKS:
            yield "list", (heading, lines)


# Identifier of a section: its title, what it tells, and the names of the sheets in it.
SECTIONS: dict[str, tuple[str, str, tuple[str, ...]]] = {
    "summary": (
        "Main figures",
        "The words are those of Landis and Koch (1977), a convention.",
        ("summary",),
    ),
    "groups": (
        "Groups",
        "The larger a square, the more precise its group; diamonds are means over the groups.",
        (
            "groups",
            "pooled",
            "heterogeneity",
            "equality",
            "stratified",
            "leave_one_out",
            "remarks",
        ),
    ),
    "matrix": (
        "Every rater with every other",
        (
            "1 is perfect agreement, 0 is what chance alone would give, below 0 is worse than "
            "chance. The stronger the colour, the more agreement."
        ),
        (),
    ),
    "agreement": (
        "All raters together",
        "The coefficients differ in what they take for agreement by chance.",
        ("agreement",),
    ),
    "pairs": (
        "Pairs of raters",
        (
            "Each pair with its interval, and the most that the category shares of the two allow "
            "(max estimate)."
        ),
        ("pairs",),
    ),
    "raters": (
        "Raters",
        "An effect below 0 means that the others agree better without this rater.",
        ("raters", "usage"),
    ),
    "items": (
        "Items",
        (
            "An effect below 0 means that agreement is better without this item: these are worth "
            "a second look."
        ),
        ("items",),
    ),
    "categories": (
        "Categories",
        "How far the raters agree on one category, or on one cut of the scale, against the rest.",
        ("categories", "cuts"),
    ),
    "confusion": (
        "Confusions",
        (
            "The first rater in the rows, the second in the columns; framed cells are agreement. "
            "The stronger the colour, the more items."
        ),
        (),
    ),
    "crosscheck": (
        "Cross-check",
        "What other packages make of the same ratings; a note says why where they differ.",
        ("crosscheck",),
    ),
    "more": ("More tables", "", ()),
    "method": (
        "Method",
        "This call makes the report again:",
        (),
    ),
}
