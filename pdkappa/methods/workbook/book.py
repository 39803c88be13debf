"""A set of sheets -> a workbook or a page, with its cover."""

from __future__ import annotations

import math
from abc import abstractmethod
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, get_args

import pandas as pd

from pdkappa._typing import Detail
from pdkappa.coefficients.all_raters import MULTIRATER
from pdkappa.errors import OptionError, check_choice
from pdkappa.methods.workbook.pictures import data_sheet, pictures_of
from pdkappa.methods.workbook.sheets import notes_sheet
from pdkappa.present import schema
from pdkappa.present.labels import heading_of, titled
from pdkappa.present.sheets import (
    OF_TITLE,
    CellRange,
    Sheet,
    display_width,
    is_known,
    lead_lines,
    same_as,
    totals_in,
    wrapped,
)
from pdkappa.present.text_tables import Bundle

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Hashable, Iterator, Mapping, Sequence
    from pathlib import Path

    from pdkappa.present.files import Target
    from pdkappa.present.findings import Findings
    from pdkappa.present.sheets import Chart, Formula

NAMES = {
    "pairwise": "Matrix",
    "pairwise n_items": "Matrix of items",
    "pairwise observed_agreement": "Matrix of observed",
    "pairwise se": "Matrix of errors",
    "pairs": "Pairs",
    "agreement": "All raters",
    "groups": "Groups",
    "pooled": "Means",
    "heterogeneity": "Differences of groups",
    "equality": "Tests of equality",
    "stratified": "Strata",
    "leave_one_out": "Leave one out",
    "treated": "Remarks",
    "machines": "Machines",
    "recall": "Recall",
    "against humans": "Against humans",
    "raters": "Raters",
    "categories": "Categories",
    "items": "Items",
    "counts": "Counts",
    "crosscheck": "Cross-check",
    "notes": "Notes",
    "chart data": "Chart data",
    "to discuss": "To discuss",
    "by group": "By group",
    "leaning": "Scale of the machine",
    "leaning in groups": "Scale in groups",
}
MEANS: dict[Hashable, Hashable] = {
    "fisher_mean": "Mean (Fisher z)",
    "fixed": "One true value (fixed)",
    "random": "Varying groups (random)",
}
NARROW: dict[Hashable, str] = {
    "estimate_humans": "Humans",
    "estimate_machine": "Machine",
    "ci_low": "Lower",
    "ci_high": "Upper",
}
SILENT = ("reason", "remark")  # folded away where they are empty
TECHNICAL = {
    *("fisher_z", "se_fisher_z", "weight", "max_estimate", "n_raters", "n_ratings"),
    *("effect_low", "effect_high", "se_effect", "kappa_with_others", "light_without"),
    *("n_machine_pairs", "n_human_pairs", "n_clipped"),
}
FIXED: dict[str, dict[Hashable, str]] = {  # of a kind of sheets
    "table": {None: "Item"},
    "text": {"item": "Word", "text": "Meaning"},
    "list": {"meaning": "What it is"},
}
GREY = "Grey: a rater beside the same rater, or undefined."


def plain(sheet: Sheet, by: Collection[Hashable] = ()) -> Sheet:
    """Give a sheet the headings, labels and name that a reader expects; nothing moves.

    `by` are the columns of the groups.
    """
    return replace(_plain(sheet, by), key=sheet.called)


def _plain(sheet: Sheet, by: Collection[Hashable]) -> Sheet:
    """Do the same with the sheet and its parts."""
    frame, names = sheet.frame, [*sheet.frame.index.names]
    parts = tuple(_plain(part, by) for part in sheet.parts)
    if sheet.kind == "confusion":
        return replace(sheet, parts=parts)
    known: list[Any] = [name for name in names if isinstance(name, str)]
    if sheet.kind == "table":
        known += [name for name in frame.columns if name in by or is_known(name)]
    elif sheet.kind == "list":
        known += [one for one in (*frame.index, "value") if isinstance(one, str)]
    labels, emphasis = _labels(sheet)
    return replace(
        sheet,
        name=NAMES.get(sheet.name, sheet.name),
        frame=frame.set_axis(labels) if labels is not None else frame,
        emphasis=emphasis,
        notes=(GREY,) if sheet.kind == "matrix" else sheet.notes,
        headings=FIXED.get(sheet.kind, {}) | {name: heading_of(name) for name in known},
        folded_columns=_folded(frame) if sheet.kind == "table" else (),
        parts=parts,
    )


def _folded(frame: pd.DataFrame) -> tuple[int, ...]:
    """Find the columns that few will read, and texts that say nothing."""
    names = [*frame.columns]
    silent = [name for name in SILENT if names.count(name) == 1 and not _says(frame[name])]
    return tuple(j for j, name in enumerate(names) if name in TECHNICAL or name in silent)


def _says(texts: pd.Series) -> bool:
    """Tell whether there is any text."""
    return bool((texts.notna() & (texts != "")).any())


def _labels(sheet: Sheet) -> tuple[pd.Index | None, tuple[Hashable, ...]]:
    """Name coefficients and means in words; without any, the labels are None."""
    index = sheet.frame.index
    if sheet.kind == "table" and index.names[-1] == "coefficient":
        spoken = {name: titled(row.spoken) for name, row in MULTIRATER.items()}
        return _with_last(index, [spoken.get(one, one) for one in _last(index)]), sheet.emphasis
    if sheet.kind == "table" and index.names[-1] == "mean":
        return _with_last(index, [MEANS.get(one, one) for one in _last(index)]), sheet.emphasis
    is_mean = totals_in(index, tuple(MEANS))
    if not set(MEANS) & set(sheet.emphasis) or not is_mean.any():
        return None, sheet.emphasis
    labels = [MEANS[one] if mean else one for one, mean in zip(_last(index), is_mean, strict=True)]
    return _with_last(index, labels), tuple(MEANS.get(one, one) for one in sheet.emphasis)


def _last(index: pd.Index) -> list[Any]:
    """Return the labels of the last level."""
    return index.get_level_values(-1).tolist()


def _with_last(index: pd.Index, labels: list[Any]) -> pd.Index:
    """Replace the labels of the last level."""
    last = pd.Index(labels, dtype=object, name=index.names[-1], tupleize_cols=False)
    if index.nlevels == 1:
        return last
    levels = [index.get_level_values(level) for level in range(index.nlevels - 1)]
    return pd.MultiIndex.from_arrays([*levels, last])


def _narrow(sheet: Sheet) -> Sheet:
    """Give columns short headings, so that a page holds the table at a size that can be read."""
    return replace(sheet, headings={**sheet.headings, **NARROW})


def reachable(sheet: Sheet, named: Mapping[str, Sheet], present: Collection[Hashable]) -> Sheet:
    """Let formulas and links go where there is something: past sheets that are left out."""
    formulas = {where: _beyond(one, named, present) for where, one in sheet.formulas.items()}
    links = {where: key for where, key in sheet.links.items() if key in present}
    kept = {where: one for where, one in formulas.items() if one is not None}
    parts = tuple(reachable(part, named, present) for part in sheet.parts)
    return replace(sheet, formulas=kept, links=links, parts=parts)


def _beyond(
    one: Formula, named: Mapping[str, Sheet], present: Collection[Hashable]
) -> Formula | None:
    """Take the formula of a cell that is left out in its place; None if it has none."""
    missing = [
        cell for cell in one.cells.values() if cell.sheet in named and cell.sheet not in present
    ]
    if not missing:
        return one
    [cell, *more] = missing
    if more or len(one.cells) > 1:
        return None
    found = named[str(cell.sheet)].formulas.get((cell.rows[0], cell.columns[0]))
    return None if found is None else _beyond(found, named, present)


SUMMARY = "summary"
OF_MACHINES, MOST_LINES, MOST_OF_GROUPS = 3, 6, 12  # rows of the main figures and groups, on it
WIDEST_MATRIX = 110  # characters


def cover_sheet(
    found: Findings,
    summary: Sheet | None,
    main: int,
    charts: Sequence[Chart],
    more: Sequence[Sheet] = (),
) -> Sheet:
    """Say what was found: the figure in large type, the sentences, main figures, a picture.

    The figure is that of row `main` of the summary, and follows it; `more` are the tables that
    prove it.
    """
    is_known = not math.isnan(found.figures[0])
    lines: list[Any] = [found.figures[0] if is_known else "undefined", *lead_lines(found)]
    frame = pd.DataFrame({0: pd.Series(lines, dtype=object)})
    frame.columns = pd.RangeIndex(1)
    parts, formulas = list[Sheet](), {}
    if summary is not None and len(summary.frame):
        table = _without_weights(_first(summary, OF_MACHINES if main else MOST_LINES))
        place = [*table.frame.columns].index("estimate")
        if is_known and (main, place) in table.formulas:
            formulas[0, 0] = same_as(CellRange(SUMMARY, (main, main), (place, place)))
        headings: dict[Hashable, str] = {name: heading_of(name) for name in table.frame.columns}
        table = replace(table, key=SUMMARY, title="Main figures", headings=headings)
        parts.append(_narrow(table))
    parts += more
    if charts:
        empty = Sheet("", pd.DataFrame(), "", kind="list", index=False)
        parts.append(replace(empty, charts=tuple(charts)))
    return Sheet(
        "Summary",
        frame,
        wrapped(found.subject, OF_TITLE)[0],
        kind="lead",
        formulas=formulas,
        key=("cover",),
        parts=tuple(parts),
    )


def _is_small(sheet: Sheet) -> bool:
    """Whether a page holds a table, or a matrix whose columns are all as wide as a name."""
    frame = sheet.frame
    if sheet.kind != "matrix":
        return len(frame) <= MOST_OF_GROUPS
    names = [display_width(str(name)) + 3 for name in frame.columns]
    return len(frame) == len(names) and (len(names) + 2) * max(11, *names) <= WIDEST_MATRIX


def _first(sheet: Sheet, most: int) -> Sheet:
    """Keep the first rows of a sheet, with their formulas and links."""
    return replace(
        sheet,
        frame=sheet.frame.head(most),
        formulas={place: one for place, one in sheet.formulas.items() if place[0] < most},
        links={place: one for place, one in sheet.links.items() if place[0] < most},
        parts=(),
    )


def _without_weights(sheet: Sheet) -> Sheet:
    """Leave out the weights if all figures have the same, which the sentences name."""
    frame = sheet.frame
    at = [*frame.columns].index("weights")
    if len({*frame["weights"]}) > 1:
        return sheet
    formulas = {(row, j - (j > at)): one for (row, j), one in sheet.formulas.items()}
    return replace(sheet, frame=frame.drop(columns="weights"), formulas=formulas)


DETAILS: tuple[Detail, ...] = get_args(Detail)

# What a brief workbook has: the names of its sheets, and the tables on each.
READ: dict[str, tuple[str, ...]] = {
    "To discuss": ("to discuss", "against humans"),
    "Raters": ("raters", "usage", "leaning", "leaning in groups", "recall", "categories"),
    "Pairs": ("pairwise", "pairs", "agreement"),
    "Groups": ("by group", "groups", "pooled", "heterogeneity", "machines"),
}
SIDES = ("_low", "_high", "se", "reason")  # of figures, for which a page has no room
OF_SUMMARY = ("by group", "pairwise")  # of which the first that is small stands on it
PAIR, MOST_PAIRS = 2, 100
COUNTS = "counts"
LIVE = (
    "In the workbook coefficients of pairs and groups, their Fisher-z means, Light's kappa and the "
    "charts are formulas that follow a changed count; if no rating is missing, so are the other "
    "coefficients of all raters, and bars that put groups together. Standard errors, limits, z, p, "
    "fixed and random means, figures with other weights or of machines, the sheets Raters and To "
    "discuss do not change."
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
    also : tuple of str, default ()
        What is there even in a brief workbook: ``crosscheck``, ``confusion``.
    is_brief : bool, default False
        Whether there are no tables for an audit.
    late : callable, optional
        Gives the figures of other packages, which are asked where they are shown.
    unshown : tuple of Sheet, default ()
        Tables that are too large to be read.
    """

    sheets: tuple[Sheet, ...]
    options: Mapping[str, object]
    tables: tuple[Sheet, ...] = ()
    is_live: bool = False
    left_out: str = ""
    summary: Sheet | None = None
    main: int = 0
    also: tuple[str, ...] = ()
    is_brief: bool = False
    late: Callable[[], Sheet] | None = None
    unshown: tuple[Sheet, ...] = ()

    def pages(self, found: Findings, detail: Detail) -> list[Sheet]:
        """Return the sheets of the workbook, in order.

        Parameters
        ----------
        found : Findings
            What the summary says.
        detail : {"brief", "full"}
            What to read; or all, with what an audit needs behind it.
        """
        check_choice("detail", detail, DETAILS)
        if detail == "full" and self.is_brief:
            raise OptionError(
                "detail='full' needs all tables, and this report was made without some. "
                "Make it with detail='full'."
            )
        last = self.checked(detail)
        every = [*self.sheets, *last]
        named = {sheet.name: sheet for sheet in every}
        shown = list(self._read(named)) if detail == "brief" else list(self.sheets)
        tables, (charts, data) = self._tables(detail), pictures_of(named)
        ends = [self._notes([*every, *data], detail, found)]
        is_folded = [one.name for one in tables] == [COUNTS]
        ends = [*last, *ends, *tables] if is_folded else [*tables, *last, *ends]
        parts = [part for one in shown for part in one.parts]
        present = {one.called for one in (*shown, *parts, *self.tables)}
        summary = self.summary and reachable(self.summary, named, present)
        proofs = [reachable(one, named, present) for one in self._proofs(named)]
        by = self.options.get("by")
        names = by if isinstance(by, list) else [by]
        cover = cover_sheet(
            found, summary, self.main, charts[:1], [_narrow(plain(one, names)) for one in proofs]
        )
        hidden = data_sheet(data)
        ends += hidden if self.is_live else [replace(one, formulas={}) for one in hidden]
        pages = (reachable(one, named, present) for one in [*shown, *ends])
        return [cover, *(plain(one, names) for one in pages)]

    def _read(self, named: dict[str, Sheet]) -> Iterator[Sheet]:
        """Put tables that are read together on one sheet each."""
        for title, names in READ.items():
            tables = [named[name] for name in names if name in named and self._is_read(name, named)]
            if not tables:
                continue
            first, *rest = (replace(one, key=one.called) for one in tables)
            yield replace(first, name=title, parts=(*first.parts, *rest))
        known = {name for names in READ.values() for name in names} | {"items"}
        yield from (one for name, one in named.items() if name not in known and not self.summary)

    def _proofs(self, named: dict[str, Sheet]) -> Iterator[Sheet]:
        """Choose the small table beside the figures: groups, or the matrix."""
        for name in OF_SUMMARY:
            if name in named and self.summary and _is_small(named[name]):
                one = named[name]
                if one.kind == "table":
                    sides = [x for x in one.frame if str(x).endswith(SIDES)]
                    sides += ["n_items", "smd"] if "smd" in one.frame else []
                    one = replace(one, frame=one.frame.drop(columns=sides), formulas={}, links={})
                yield replace(one, key=f"{name} in short", notes=(), parts=())
                return

    def checked(self, detail: Detail) -> list[Sheet]:
        """Ask other packages, if that is shown."""
        is_shown = detail == "full" or "crosscheck" in self.also
        return [self.late()] if self.late and is_shown else []

    @property
    def notes(self) -> list[str]:
        """Say whether figures follow counts, or why not."""
        return [LIVE] if self.is_live else [self.left_out] if self.left_out else []

    def every(self) -> list[Sheet]:
        """Return all sheets as they are, for a page."""
        detail: Detail = "brief" if self.is_brief else "full"
        tables = self.tables if detail == "full" or "confusion" in self.also else ()
        shown = [*self.sheets, *tables, *self.checked(detail)]
        left_out = self.left_out if detail == "full" else ""
        live = self.is_live and bool(tables)
        notes = notes_sheet(
            shown, self.options, live=live, left_out=left_out, brief=detail == "brief"
        )
        return [*shown, notes]

    def _is_read(self, name: str, named: dict[str, Sheet]) -> bool:
        """Tell whether a sheet says what no other one does, and in rows that are read.

        Two raters need no matrix, and nobody reads thousands of pairs.
        """
        if name == "pairwise":
            return named[name].frame.shape[1] > PAIR
        frame = named[name].frame
        if name == "pairs" and len(frame) > MOST_PAIRS:
            return False
        return name != "groups" or len(frame) <= MOST_PAIRS

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
        every = Sheet(COUNTS, intro, "All counts, pair by pair", kind="list", index=False)
        return [replace(every, parts=tuple(folded))]

    def _notes(self, sheets: list[Sheet], detail: Detail, found: Findings) -> Sheet:
        """Tell all cautions; explain options, method and headings, with the name of the column."""
        made = notes_sheet(
            sheets, self.options, live=self.is_live, left_out=self.left_out, brief=detail == "brief"
        )
        told = [*(one.text for one in found.cautions), *self.notes]
        rows: list[Any] = (
            [("Cautions", ""), *((str(n), one) for n, one in enumerate(told, 1))] if told else []
        )
        for item, text in made.frame.itertuples(index=False, name=None):
            known = item in schema.COLUMNS and schema.COLUMNS[item].meaning == text
            rows.append((heading_of(item), f"{item}: {text}") if known else (item, text))
        return replace(made, frame=pd.DataFrame(rows, columns=made.frame.columns, dtype=object))


class Exported(Bundle):
    """What can be written to a workbook and to a page."""

    _code: str  # that makes it again

    @abstractmethod
    def _book(self) -> Book:
        """Return what the workbook is made of."""

    def _sheets(self) -> list[Sheet]:
        """Return all tables, confusion tables if they fit, and notes."""
        return self._book().every()

    def _call(self) -> str:
        """Return the code that makes the result again."""
        return self._code

    def _confidence(self) -> float | None:
        """Return the confidence level of the limits."""
        return float(level) if (level := self._book().options.get("confidence_level")) else None  # type: ignore[arg-type]

    def to_excel(
        self,
        path: Target,
        *,
        detail: Detail = "brief",
        formulas: bool = True,
        overwrite: bool = True,
    ) -> Path | None:
        """Write the figures to a workbook: the main sheets, or everything that an audit needs.

        It begins with a summary on one page: what was found, the main figures, the groups or the
        matrix, and a chart of the estimates with their limits.

        Parameters
        ----------
        path : str, path-like or file object
            File to write, usually ending in ``.xlsx``; or one that is open for bytes, such as
            `io.BytesIO`, which stays open.
        detail : {"brief", "full"}
            Brief: at most seven sheets: the summary, items to discuss, raters, pairs (up to 100),
            groups, notes, and all counts that the figures are computed from. Full: each table on
            its own sheet, each confusion table with its weights and the steps to its figures, the
            cross-check, and notes on the method. Formulas are live in both.
        formulas : bool, default True
            Whether figures that depend only on the confusion tables in the workbook are formulas
            over them, so that they follow if a count is changed; otherwise plain values.
        overwrite : bool, default True
            Whether an existing file is replaced. The old file is kept if anything fails.

        Returns
        -------
        Path or None
            The file written; None for a file object.

        Raises
        ------
        ExportError
            If a table does not fit a worksheet, or a label cannot be written.
        OptionError
            If `detail` is not known, or "full" for a report made with "brief".
        FileExistsError
            If the file exists and `overwrite` is False.
        """
        from pdkappa.present.excel_writer import check_workbook, write_workbook

        check_workbook(path, formulas=formulas, overwrite=overwrite)
        check_choice("detail", detail, DETAILS)
        book = self._book()
        found = self.findings
        pages = book.pages(found, detail)
        return write_workbook(
            path, pages, formulas=formulas, overwrite=overwrite, title=found.subject
        )
