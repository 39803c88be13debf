"""Sheets of tables, and what is said about them -> one page that needs nothing else."""

from __future__ import annotations

import base64
import hashlib
import re
from dataclasses import replace
from functools import cache
from importlib import resources
from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias

import pandas as pd

from pdkappa.errors import needed_for, plural
from pdkappa.present.html_drawings import WHOLE, left_out, plain_table, short_labels, without_codes
from pdkappa.present.html_strips import (
    MOST_LANES,
    MOST_MATRICES,
    SOLID,
    by_group,
    confusion_table,
    effects,
    forest,
    matrix_tables,
)
from pdkappa.present.labels import groups_of, heading_of, reason_in_words, visible
from pdkappa.present.sheets import totals_in
from pdkappa.present.text_markup import version_of

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from jinja2 import Template

    from pdkappa.present.findings import Findings
    from pdkappa.present.sheets import Sheet

Pieces: TypeAlias = list[tuple[str, Any]]  # of a section: the kind of each, and what is shown
MOST_CONFUSIONS = 60  # tables on a page
MOST_CATEGORIES = 100  # of a confusion table
MOST_OPEN, FEW_CATEGORIES = 3, 8  # confusion tables that are not folded, and their size
MOST_SQUARES = 8  # matrices that are not folded
MOST_OPEN_SQUARES = 2  # matrices beside the raters
FEWEST_RANDOM = 5  # groups, for random effects to be drawn
MOST_DISCUSSED = 10  # items that are shown at once
BELOW = "Below the diagonal: agreement. Above: items that both rated. Most alike first."
SHADES = "The darker, the more agreement. Most alike first; columns are in the order of the rows."
PAIR = 2
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
    """One part of the page."""

    id: str
    title: str
    sentence: str  # what stands above the pieces
    # Tables (``"table"``, ``"heat"``, ``"counts"``), forest plots (``"forest"``), rows with
    # pictures (``"lanes"``), lists of terms with their texts and addresses (``"list"``), texts to
    # copy (``"copy"``), a title with more of these, which are folded up, and a class (``"fold"``),
    # and several of these (``"folds"``).
    pieces: Pieces
    notes: list[str]  # what stands below them


def sections(
    sheets: Sequence[Sheet], level: str, call: str, handouts: Sequence[Handout], found: Findings
) -> list[Section]:
    """Put the sheets into sections: those of `FRONT` open, all others in one fold at the end.

    The basis of what was found is not said again.
    """
    made, rest = [], Pieces()
    told, homes = {found.basis}, _homes(sheets)
    for name, (title, sentence, _) in SECTIONS.items():
        own = [sheet for sheet, home in zip(sheets, homes, strict=True) if home == name]
        if name == "paper" and handouts:
            made.append(Section(name, title, sentence, list(_texts(handouts)), []))
        if not own:
            continue
        pieces, notes = _pieces(name, [_without(one, told) for one in own], sheets, level, found)
        told |= {note for sheet in own for note in sheet.notes}
        if name in FRONT:
            made.append(Section(name, title, sentence, pieces, notes))
        elif pieces:
            rest.append(_folded(title, [*pieces, *((("note", notes),) if notes else ())]))
    if found.cautions:
        texts = [one.text for one in found.cautions]
        rest.insert(0, _folded("Cautions in full", [("note", texts)]))
    if call:
        rest.append(_folded("The call that makes this again", [("copy", call)]))
    title = REST if call else OF_FRAMES
    made.append(Section("rest", "Everything else", "", [_folded(title, [("folds", rest)])], []))
    return made


def _homes(sheets: Sequence[Sheet]) -> list[str]:
    """Choose where all sheets stand; where none would be open, all tables are."""
    homes = [_section_of(sheet, sheets) for sheet in sheets]
    if {*homes} & {*FRONT}:
        return homes
    return [
        home if one.kind in {"text", "confusion"} else "figures"
        for one, home in zip(sheets, homes, strict=True)
    ]


def _pieces(
    name: str, found: list[Sheet], sheets: Sequence[Sheet], level: str, said: Findings
) -> tuple[Pieces, list[str]]:
    """Show the sheets found for a section, and tell which are left out."""
    if name in LANES:
        return LANES[name](found, level, said), []
    if name == "discuss":
        return _discuss(found, level), []
    if name in {"who", "matrix"}:
        return _who(found, sheets, said)
    if name == "confusion":
        shown, notes = _few(found)
        return _by_group(shown), notes
    if name == "method":
        reasons = _reasons(sheets)
        lists = [one for sheet in found for one in _lists(sheet.frame, reasons)]
        folded = [_folded(heading, [("list", lines)]) for heading, lines in lists]
        return [("folds", folded)], []
    tables = [one for sheet in found for one in _tables(sheet, level)]
    if name == "figures" and len(found) == 1:  # which the heading names
        tables = [
            (kind, view._replace(untitled=True)) if kind == "table" else (kind, view)
            for kind, view in tables
        ]
    return tables, []


def _matrices(found: Sequence[Sheet], sheets: Sequence[Sheet]) -> tuple[Pieces, list[str]]:
    """Show squares of raters, some of them if there are many."""
    pairs = next((sheet.frame for sheet in sheets if sheet.name == "pairs"), None)
    frame = found[0].frame
    notes = left_out(len(frame) // max(1, frame.shape[1]), MOST_MATRICES, "groups")
    squares = [("heat", one) for sheet in found for one in matrix_tables(sheet, pairs)]
    more = squares[MOST_SQUARES:]
    rest = [_folded(f"{len(more)} more {plural(len(more), 'group')}", more)] if more else []
    return [*squares[:MOST_SQUARES], *rest], notes


def _who(
    found: Sequence[Sheet], sheets: Sequence[Sheet], said: Findings
) -> tuple[Pieces, list[str]]:
    """Show raters with their effects, and beside them their matrix."""
    tables = [one for one in found if one.name == "raters" and one.frame["effect"].notna().any()]
    pieces: Pieces = [("lanes", effects(x, said.named(x.name))) for x in tables]
    long = [("table", plain_table(one)) for one in tables if len(one.frame) > MOST_LANES]
    pieces += [_folded("All raters", long)] if long else []
    matrices = [one for one in found if one.kind == "matrix"]
    squares, notes = _matrices(matrices, sheets) if matrices else ([], [])
    told = {SHADES if one.frame.shape[1] > SOLID else BELOW for one in matrices}
    return [*pieces, *squares], [*notes, *told]


def _discuss(found: Sequence[Sheet], level: str) -> Pieces:
    """List the first items, without room for a decision: those of a machine alone before all."""
    pieces: Pieces = []
    for sheet in sorted(found, key=lambda one: one.name):
        frame = sheet.frame.drop(columns="decision", errors="ignore").rename(columns=heading_of)
        frame.index = frame.index.set_names([x or "item" for x in frame.index.names])
        table = plain_table(replace(sheet, frame=frame), level, first=MOST_DISCUSSED // len(found))
        pieces.append(("table", table._replace(untitled=len(found) == 1)))
    return pieces


def _groups(found: Sequence[Sheet], level: str, said: Findings) -> Pieces:
    """Show one row for each group, with a line at the figure of the headline."""
    mean = said.figures[0]
    return [("lanes", by_group(one, level, said.named(one.name), mean)) for one in found]


def _categories(found: Sequence[Sheet], level: str, said: Findings) -> Pieces:
    """Show the agreement on each category, and the confusions of the pair that agrees least."""
    pieces: Pieces = []
    for sheet in found:
        if sheet.kind == "confusion":
            pieces.append(("counts", confusion_table(sheet)))
        else:
            mean = float(sheet.frame["estimate"].mean())
            pieces.append(("lanes", by_group(sheet, level, said.named(sheet.name), mean)))
    return pieces


def _without(sheet: Sheet, told: set[str]) -> Sheet:
    """Leave out the notes that a section above has, and codes."""
    notes = (without_codes(note) for note in sheet.notes if note not in told)
    return replace(sheet, notes=tuple(notes))


def _texts(handouts: Sequence[Handout]) -> Iterator[tuple[str, Any]]:
    """Show texts to copy, the first open."""
    first, *rest = handouts
    yield "copy", first.text
    yield ("folds", [_folded(one.title, [("copy", one.text)], printed=one.printed) for one in rest])


def _folded(title: str, pieces: Pieces, *, printed: bool = False) -> tuple[str, Any]:
    """Fold pieces up; on paper they are left out, or open if they are printed."""
    return "fold", (title, pieces, "printed" if printed else "")


def _by_group(sheets: list[Sheet]) -> Pieces:
    """Fold confusion tables up by group; few small ones stay open."""
    tables = [("counts", confusion_table(sheet)) for sheet in sheets]
    if len(sheets) <= MOST_OPEN and all(len(sheet.frame) <= FEW_CATEGORIES for sheet in sheets):
        return tables
    groups: dict[str, Pieces] = {}
    for sheet, table in zip(sheets, tables, strict=True):
        groups.setdefault(visible(sheet.group), []).append(table)
    whole = "All groups together" if any(groups) else "Pairs of raters"
    folded = [
        _folded(f"{group or whole}: {len(of_group):,} {plural(len(of_group), 'table')}", of_group)
        for group, of_group in groups.items()
    ]
    return [("folds", folded)]


def _section_of(sheet: Sheet, sheets: Sequence[Sheet]) -> str:
    """Choose where a sheet stands; empty if another one shows the same."""
    names = {one.name for one in sheets}
    if sheet.kind == "matrix":
        n_raters = sheet.frame.shape[1]
        few = len(sheet.frame) <= MOST_OPEN_SQUARES * n_raters
        where = "who" if few and PAIR < n_raters <= SOLID else "matrix"
        return where if sheet.stat == "estimate" else ""
    if sheet.kind == "confusion" and sheet.name != "worst pair":
        return "confusion"
    if {"summary": "pairs", "items": "to discuss"}.get(sheet.name) in names:
        return ""
    if sheet.name == "groups" and "by group" not in names:
        return "figures"
    homes = (name for name, (_, _, listed) in SECTIONS.items() if sheet.name in listed)
    home = "method" if sheet.kind == "text" else next(homes, "more")
    return "more" if _is_long(sheet, sheets) else home


def _is_long(sheet: Sheet, sheets: Sequence[Sheet]) -> bool:
    """Whether raters or categories stand in too many groups, or with machines, to be drawn."""
    if sheet.name == "categories":
        return sheet.frame.index.nlevels > 1
    of_machine = any(one.name == "by group" and "difference" in one.frame for one in sheets)
    is_long = sheet.frame.index.nlevels > 1 and len(sheet.frame) > MOST_LANES
    return sheet.name == "raters" and (of_machine or is_long)


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
    """Show a table, or a forest plot in its place if it has estimates of one kind."""
    if sheet.kind == "matrix":
        yield from (("heat", one) for one in matrix_tables(sheet))
        return
    table = plain_table(sheet, level)
    if (frame := _with_intervals(sheet)) is None:
        yield "table", table
        return
    plot = forest(sheet.title, frame, level, sheet.emphasis)
    own = [note for note in table.notes if note not in plot.notes]
    yield "forest", plot._replace(notes=[*plot.notes, *own])
    yield _folded("All figures", [("table", table._replace(more="", notes=[], untitled=True))])


def _with_intervals(sheet: Sheet) -> pd.DataFrame | None:
    """Return what is drawn of a sheet, if anything is."""
    frame = sheet.frame
    if sheet.name == "groups":
        return _without_random(sheet)
    if sheet.name == "agreement" and frame.index.nlevels == 1:
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


def _without_random(sheet: Sheet) -> pd.DataFrame:
    """Leave out random effects of few groups, whose limits are too wide to draw."""
    frame, levels = sheet.frame, [*range(sheet.frame.index.nlevels - 1)]
    is_mean = pd.Series(totals_in(frame.index, sheet.emphasis), frame.index)
    n_groups = (~is_mean).groupby(level=levels).transform("sum") if levels else (~is_mean).sum()
    is_random = is_mean & (frame.index.get_level_values(-1) == "random")
    return frame[~(is_random & (n_groups < FEWEST_RANDOM)).to_numpy()]


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


LANES = {"groups": _groups, "categories": _categories}
FRONT = ("who", "groups", "figures", "discuss", "categories", "paper")
OF_FRAMES = "Options and the meaning of columns"
REST = "All coefficients, pairs, options, and how they were computed"

# Identifier of a section: its title, what it tells, and the names of the sheets in it.
SECTIONS: dict[str, tuple[str, str, tuple[str, ...]]] = {
    "groups": ("Group by group", "", ("by group",)),
    "figures": ("Figures", "", ()),
    "who": ("Who agrees with whom?", "", ("raters",)),
    "discuss": ("Discuss these first", "", ("to discuss", "against humans")),
    "categories": ("Which categories are hard to tell apart?", "", ("categories", "worst pair")),
    "paper": ("For your paper", "Complete what is in brackets.", ()),
    "machines": (
        "Humans and machine: all figures",
        "",
        ("machines", "leaning", "leaning in groups", "recall"),
    ),
    "of groups": (
        "Means over the groups",
        "",
        (
            *("groups", "pooled", "heterogeneity", "equality", "stratified", "leave_one_out"),
            "treated",
        ),
    ),
    "matrix": ("Every rater with every other", "", ()),
    "agreement": ("All raters together, by every coefficient", "", ("agreement",)),
    "pairs": ("Pairs of raters", "", ("pairs",)),
    "items": ("Items", "", ("items",)),
    "more": ("More tables", "", ("usage",)),
    "confusion": ("Confusion tables: the first rater in the rows", "", ()),
    "crosscheck": ("The same figures from other packages", "", ("crosscheck",)),
    "method": ("Options, columns, versions", "", ()),
}


# The browser fetches nothing, and runs what has these hashes.
POLICY = (
    "default-src 'none'; img-src data:; style-src 'sha256-{style}'; "
    "script-src 'sha256-{script}'; base-uri 'none'; form-action 'none'"
)


def page(
    sheets: Sequence[Sheet],
    found: Findings,
    call: str,
    level: str = "",
    handouts: Sequence[Handout] = (),
) -> str:
    """Lay out what was found and all sheets on one page, which runs no script but its own.

    The `call` is the code that makes the result again, and `handouts` are texts to copy. The same
    result gives the same HTML.
    """
    with needed_for("An HTML report", "Jinja2", "'pdkappa[report]'"):
        import jinja2  # noqa: F401
    style, script = _file("report.css"), _file("report.js")
    return _template().render(
        policy=POLICY.format(style=_digest(style), script=_digest(script)),
        style=style,
        script=script,
        version=version_of("pdkappa"),
        found=found,
        sections=sections(sheets, level, call, handouts, found),
    )


@cache
def _template() -> Template:
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
