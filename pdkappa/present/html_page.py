"""Sheets of tables, and what is said about them -> one page that needs nothing else."""

from __future__ import annotations

import base64
import hashlib
import math
import re
from dataclasses import replace
from functools import cache
from importlib import resources
from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias

import pandas as pd

from pdkappa.errors import MissingDependencyError
from pdkappa.present.files import check_target, deliver
from pdkappa.present.html_drawings import WHOLE, left_out, plain_table, short_labels, without_codes
from pdkappa.present.html_strips import MOST_MATRICES, Axis, confusion_table, forest, matrix_tables
from pdkappa.present.labels import groups_of, heading_of, reason_in_words, rounded, visible
from pdkappa.present.text_markup import with_interval

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence
    from pathlib import Path

    from jinja2 import Template

    from pdkappa.present.files import Target
    from pdkappa.present.html_drawings import Table
    from pdkappa.present.sheets import Sheet

MOST_CONFUSIONS = 60  # tables on a page
MOST_CATEGORIES = 100  # of a confusion table
MOST_OPEN, FEW_CATEGORIES = 3, 8  # confusion tables that are not folded, and their size
MOST_SQUARES = 8  # matrices that are not folded
OF_WORKBOOKS = ("Formulas",)  # headings of notes
SPOKEN: dict[str, Callable[[str], str]] = {  # headings, and how the names below them are spoken
    **dict.fromkeys(("Options", "Method", "Columns"), heading_of),
    "Reasons": reason_in_words,
}
ADDRESS = re.compile(r"https://doi\.org/\S+")


class Handout(NamedTuple):
    """A text to copy, with its title, and whether it is printed though it is folded up."""

    title: str
    text: str
    printed: bool = False


class Section(NamedTuple):
    """One part of the page.

    Attributes
    ----------
    id, title : str
    sentence : str
        What stands above the pieces.
    pieces : list of (str, view)
        Tables (``"table"``, ``"heat"``, ``"counts"``), forest plots (``"forest"``), lists of terms
        with their texts and addresses (``"list"``), texts to copy (``"copy"``), a title with more
        of these, which are folded up, and a class (``"fold"``), and several of these
        (``"folds"``).
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


def sections(
    sheets: Sequence[Sheet], level: str, call: str, handouts: Sequence[Handout] = ()
) -> list[Section]:
    """Put the sheets into their sections; what `SECTIONS` does not name is in the last but one."""
    made, told = [], set[str]()
    for name, (title, sentence, _) in SECTIONS.items():
        found = [sheet for sheet in sheets if _section_of(sheet) == name]
        if name == "summary":  # of which nothing is left if all is undefined
            found = [sheet for sheet in found if len(sheet.frame)]
        if name == "reporting" and handouts:
            made.append(Section(name, title, sentence, list(_texts(handouts)), []))
        elif found:
            pieces, notes = _pieces(name, [_without(sheet, told) for sheet in found], sheets, level)
            told |= {note for sheet in found for note in sheet.notes}
            code = call if name == "method" else ""
            made.append(Section(name, title, sentence, pieces, notes, code))
    return made


def _pieces(
    name: str, found: list[Sheet], sheets: Sequence[Sheet], level: str
) -> tuple[list[tuple[str, Any]], list[str]]:
    """Show the sheets found for a section, and tell which are left out."""
    if name == "matrix":
        pairs = next((sheet.frame for sheet in sheets if sheet.name == "pairs"), None)
        frame = found[0].frame
        notes = left_out(len(frame) // max(1, frame.shape[1]), MOST_MATRICES, "groups")
        squares = [("heat", one) for sheet in found for one in matrix_tables(sheet, pairs)]
        more = squares[MOST_SQUARES:]
        rest = [_folded(f"{len(more)} more groups", more)] if more else []
        return [*squares[:MOST_SQUARES], *rest], notes
    if name == "confusion":
        shown, notes = _few(found)
        return _by_group(shown), notes
    if name == "method":
        reasons = _reasons(sheets)
        lists = [one for sheet in found for one in _lists(sheet.frame, reasons)]
        folded = [_folded(heading, [("list", lines)]) for heading, lines in lists]
        return [("folds", folded)], []
    pieces = [one for sheet in found for one in _tables(sheet, level)]
    drawn_above = name == "pairs" and any(sheet.name == "groups" for sheet in sheets)
    if (name == "crosscheck" or drawn_above) and pieces:
        table = pieces[-1][1]
        return [_all_figures(table)], table.notes
    return pieces, []


def _without(sheet: Sheet, told: set[str]) -> Sheet:
    """Leave out the notes that a section above has, and codes."""
    notes = (without_codes(note) for note in sheet.notes if note not in told)
    return replace(sheet, notes=tuple(notes))


def _texts(handouts: Sequence[Handout]) -> Iterator[tuple[str, Any]]:
    """Show texts to copy, the first open."""
    first, *rest = handouts
    yield "copy", first.text
    yield (
        "folds",
        [_folded(one.title, [("copy", one.text)], printed=one.printed) for one in rest],
    )


def _folded(title: str, pieces: list[tuple[str, Any]], *, printed: bool = False) -> tuple[str, Any]:
    """Fold pieces up; on paper they are left out, or open if they are printed."""
    return "fold", (title, pieces, "printed" if printed else "")


def _all_figures(table: Table) -> tuple[str, Any]:
    """Fold a table up, of which all rows and columns are shown, but not its notes."""
    whole = table._replace(more="", notes=[], untitled=True)
    return _folded(f"All figures: {_counted(table.rows, 'row')}", [("table", whole)])


def _by_group(sheets: list[Sheet]) -> list[tuple[str, Any]]:
    """Fold confusion tables up by group; few small ones stay open."""
    tables = [("counts", confusion_table(sheet)) for sheet in sheets]
    if len(sheets) <= MOST_OPEN and all(len(sheet.frame) <= FEW_CATEGORIES for sheet in sheets):
        return tables
    groups: dict[str, list[tuple[str, Any]]] = {}
    for sheet, table in zip(sheets, tables, strict=True):
        groups.setdefault(visible(sheet.group), []).append(table)
    whole = "All groups together" if any(groups) else "Pairs of raters"
    folded = [
        _folded(f"{group or whole}: {_counted(of_group, 'table')}", of_group)
        for group, of_group in groups.items()
    ]
    return [("folds", folded)]


def _counted(many: Sequence[Any], what: str) -> str:
    """Count things.

    >>> _counted([1], "table"), _counted([1, 2], "table")
    ('1 table', '2 tables')
    """
    return f"1 {what}" if len(many) == 1 else f"{len(many):,} {what}s"


def _section_of(sheet: Sheet) -> str:
    """Choose where a sheet stands; what a matrix besides the first holds is in the pairs."""
    if sheet.kind == "matrix":
        return "matrix" if sheet.stat == "estimate" else ""
    if sheet.kind in {"confusion", "text"}:
        return "confusion" if sheet.kind == "confusion" else "method"
    homes = (name for name, (_, _, names) in SECTIONS.items() if sheet.name in names)
    return next(homes, "more")


def _reasons(sheets: Sequence[Sheet]) -> set[str]:
    """Collect the reasons that occur in any sheet."""
    frames = [sheet.frame for sheet in sheets if "reason" in sheet.frame]
    return {code for frame in frames for code in frame["reason"].dropna()}


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
    table = plain_table(sheet, level)
    if sheet.name == "summary":
        table = _with_weights(table)
    if sheet.name == "pooled":  # which the plot of the groups shows
        yield _folded(sheet.title, [("table", table._replace(untitled=True, more=""))])
        return
    if (frame := _with_intervals(sheet)) is None:
        yield "table", table
        return
    plot = forest(sheet.title, frame, level, sheet.emphasis)
    own = [note for note in table.notes if note not in plot.notes]
    yield "forest", plot._replace(notes=[*plot.notes, *own])
    yield _all_figures(table)


def _with_weights(table: Table) -> Table:
    """Add the weights to the names of figures that have others than the first, for a phone."""
    main = table.rows[0].cells[0].text if table.rows else ""
    rows = [
        row if (weights := row.cells[0].text) == main else row._replace(aside=f", {weights}")
        for row in table.rows
    ]
    return table._replace(rows=rows)


def _with_intervals(sheet: Sheet) -> pd.DataFrame | None:
    """Return what is drawn of a sheet, if anything is."""
    frame = sheet.frame
    if sheet.name in ("groups", "kappas") or (
        sheet.name == "agreement" and frame.index.nlevels == 1
    ):
        return frame
    if sheet.name == "pairs" and len(frame) > 1 and not any(groups_of(frame)):
        raters = list(dict.fromkeys([*frame["rater_a"], *frame["rater_b"]]))
        short = {name: cell.text for name, cell in zip(raters, short_labels(raters), strict=True)}
        names = [
            f"{short[a]} x {short[b]}"
            for a, b in zip(frame["rater_a"], frame["rater_b"], strict=True)
        ]
        return frame.set_axis(pd.Index(names, name="pair"))
    return None


def _lists(
    notes: pd.DataFrame, reasons: set[str]
) -> Iterator[tuple[str, list[tuple[str, str, str]]]]:
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
            spoken = SPOKEN.get(heading, str)
            yield (
                heading,
                [(spoken(item), without_codes(text), address) for item, text, address in lines],
            )


# Identifier of a section: its title, what it tells, and the names of the sheets in it.
SECTIONS: dict[str, tuple[str, str, tuple[str, ...]]] = {
    "summary": (
        "Main figures",
        "The words are those of Landis and Koch (1977), a convention.",
        ("summary",),
    ),
    "machines": (
        "Humans and machines",
        (
            "How well machines agree with humans, and humans with each other; the difference is "
            "machines minus humans."
        ),
        ("machines", "recall", "against humans"),
    ),
    "judges": (
        "Judges compared with humans",
        "The diamond is the agreement of humans with each other, the benchmark for a judge.",
        (
            *("verdicts", "kappas", "judges", "tests", "annotators", "classes"),
            *("repeats", "positions", "drift"),
        ),
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
            "treated",
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
        "The coefficients differ in how they define agreement by chance.",
        ("agreement",),
    ),
    "pairs": (
        "Pairs of raters",
        (
            "Each pair with its interval, and the largest value that the category shares of the "
            "two allow."
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
        "How well the raters agree on one category, or on one cut of the scale, against the rest.",
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
        "The same figures from other packages; a note explains any difference.",
        ("crosscheck",),
    ),
    "more": ("More tables", "", ()),
    "reporting": (
        "For your report",
        "Methods and results, to copy: complete what is in brackets.",
        (),
    ),
    "method": (
        "Method",
        "This call reproduces the report:",
        (),
    ),
}


# The browser fetches nothing, and runs what has these hashes.
POLICY = (
    "default-src 'none'; img-src data:; style-src 'sha256-{style}'; "
    "script-src 'sha256-{script}'; base-uri 'none'; form-action 'none'"
)

MIDDLE, BESIDE = (16,), (10, 22)  # where marks stand on a gauge, in pixels from above
DIFFERENCE = "Difference"

Figures: TypeAlias = tuple[float, float, float]  # an estimate and its limits


class Headline(NamedTuple):
    """What a report says first; a figure that is undefined is NaN."""

    subject: str  # whose agreement it is
    measure: str  # which coefficient it is, and of what
    estimate: float
    low: float
    high: float
    level: str  # in words, such as "95 %"
    sentences: tuple[str, ...]  # the same in plain words
    facts: tuple[tuple[str, str], ...]  # what was rated, by whom and how
    title: str = ""  # what stands above all; empty for the subject
    others: tuple[tuple[str, Figures], ...] = ()  # the same with other weights
    compared: tuple[tuple[str, Figures], ...] = ()  # humans, machines, and their difference
    of_compared: str = ""  # which coefficient these are of
    verdict: str = ""  # what stands in the place of the figure, which then is NaN

    @property
    def figures(self) -> str:
        """The coefficient and its interval as text."""
        return with_interval(self.estimate, self.low, self.high)

    @property
    def interval(self) -> str:
        """The interval in words; empty if there is none."""
        return interval(self.low, self.high, self.level)

    @property
    def heading(self) -> str:
        """What stands above the page."""
        return self.title or f"Agreement of {self.subject}"

    @property
    def in_short(self) -> str:
        """The figures with all weights in one line, after those of humans and machines."""
        both = [f"{name} {with_interval(*figures)}" for name, figures in self.compared]
        rest = [f"{weights} {with_interval(*figures)}" for weights, figures in self.others]
        return "; ".join([*both, f"{self.measure}: {self.figures}", *rest])


def interval(low: float, high: float, level: str) -> str:
    """Write an interval in words; empty if there is none."""
    if math.isnan(low) or math.isnan(high):
        return ""
    return f"{level} interval {rounded(low)} to {rounded(high)}"


def with_limits(estimate: float, low: float, high: float, level: str) -> str:
    """Write a figure in a sentence, with its interval if there is one.

    >>> with_limits(0.5, 0.4, 0.61, "95 %"), with_limits(float("nan"), 0, 0, "95 %")
    ('0.50 (95 % interval 0.40 to 0.61)', 'undefined')
    """
    if math.isnan(estimate):
        return "undefined"
    limits = interval(low, high, level)
    return f"{rounded(estimate)} ({limits})" if limits else rounded(estimate)


class Mark(NamedTuple):
    """Where a figure stands on a scale, in per cent of its width; empty for what is undefined."""

    low: str
    middle: str
    high: str
    y: int  # from above, in pixels


class Gauge(NamedTuple):
    """Where the headline's figure stands on its scale, or those of humans and machines."""

    marks: list[Mark]
    ticks: list[tuple[str, str]]  # places of round numbers, and the numbers
    says: str  # the same in words


def write_page(
    path: Target,
    sheets: Sequence[Sheet],
    headline: Headline,
    call: str,
    *,
    handouts: Sequence[Handout] = (),
    overwrite: bool = True,
) -> Path | None:
    """Write the page to a file, whole or not at all, or to a file object."""
    check_target(path, overwrite=overwrite)
    content = page(sheets, headline, call, handouts).encode(errors="backslashreplace")
    return deliver(path, content, overwrite=overwrite)


def page(
    sheets: Sequence[Sheet], headline: Headline, call: str, handouts: Sequence[Handout] = ()
) -> str:
    """Lay out all sheets on one page, which fetches nothing and runs no script but its own.

    The `call` is the code that makes the report again, and `handouts` are texts to copy. The same
    report gives the same HTML.
    """
    from importlib.metadata import version

    template = _template()
    style, script = _file("report.css"), _file("report.js")
    return template.render(
        policy=POLICY.format(style=_digest(style), script=_digest(script)),
        style=style,
        script=script,
        version=version("pdkappa"),
        headline=headline,
        figure=headline.verdict or with_interval(headline.estimate),
        interval=headline.interval,
        compared=[
            (name, _signed(figures[0], name), interval(*figures[1:], headline.level))
            for name, figures in headline.compared
        ],
        gauge=_gauge(headline),
        sections=sections(sheets, headline.level, call, handouts),
    )


def _template() -> Template:
    """Return the page to be filled in."""
    try:
        import jinja2  # noqa: F401
    except ImportError as error:
        message = (
            "An HTML report needs Jinja2, which is not installed. "
            "Run: pip install 'pdkappa[report]'"
        )
        raise MissingDependencyError(message) from error
    return _compiled()


@cache
def _compiled() -> Template:
    """Compile the template, which takes longer than to fill it in, and escapes all data."""
    from jinja2 import Environment, StrictUndefined

    environment = Environment(
        autoescape=True, undefined=StrictUndefined, trim_blocks=True, lstrip_blocks=True
    )
    return environment.from_string(_file("report.html.j2"))


def _file(name: str) -> str:
    """Read a file of the page."""
    return resources.files(__package__).joinpath("templates", name).read_text(encoding="utf-8")


def _digest(text: str) -> str:
    """Name a text by its hash, so that a browser runs this script and no other."""
    return base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()


def _signed(figure: float, name: str) -> str:
    """Write a figure, a difference with its sign."""
    if math.isnan(figure):
        return "undefined"
    return f"{'+' if name == DIFFERENCE and figure > 0 else ''}{rounded(figure)}"


def _gauge(headline: Headline) -> Gauge | None:
    """Place the figure, or those of humans and machines, on a scale that ends in 1.

    None if one is undefined.
    """
    one = [(headline.estimate, headline.low, headline.high)]
    shown = [figures for _, figures in headline.compared[:-1]] or one
    if any(math.isnan(estimate) for estimate, *_ in shown):
        return None
    least = min([0.0, *(one for figures in shown for one in figures if not math.isnan(one))])
    axis = Axis(math.floor(5 * least) / 5, 1.0)
    names = [f"{name} " for name, _ in headline.compared[:-1]] or [""]
    said = "; ".join(
        f"{name}{with_interval(*figures)}" for name, figures in zip(names, shown, strict=True)
    )
    rows = MIDDLE if len(shown) == 1 else BESIDE
    return Gauge(
        [
            Mark(axis.place(low), axis.place(estimate), axis.place(high), y)
            for (estimate, low, high), y in zip(shown, rows, strict=True)
        ],
        ticks=axis.ticks(),
        says=f"{said} on a scale from {axis.low:g} to 1",
    )
