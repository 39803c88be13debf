"""An analysis -> the sheets of a report, its headline, and the call that makes it again."""

from __future__ import annotations

from dataclasses import asdict, replace
from math import gcd
from typing import TYPE_CHECKING

from pdkappa.coefficients.chance import COEFFICIENTS
from pdkappa.coefficients.intervals import FISHER_CAP
from pdkappa.coefficients.pair_estimates import ON_FISHER_Z
from pdkappa.methods.agreement.crosscheck import COMPARED, compare_packages
from pdkappa.methods.estimates.options import USUAL_INTERVALS
from pdkappa.methods.estimates.pair_frames import estimate, matrix_frame, pairs_frame
from pdkappa.methods.groups.grouped_results import GroupedAgreement, sheets_of_all, sheets_of_pair
from pdkappa.methods.report.against import Against, against_humans
from pdkappa.methods.report.figures import Line, main_figures, other_weights
from pdkappa.methods.report.machines import compare_machines
from pdkappa.methods.report.overview import agreement_sheet, drilldown_sheets, spoken, summary_sheet
from pdkappa.methods.report.recall import Recall, recall_of_machines
from pdkappa.methods.report.result import Report
from pdkappa.methods.report.write_up import write_up
from pdkappa.methods.workbook.book import Book
from pdkappa.methods.workbook.live_formulas import (
    block_of_pairs,
    blocks_of_pairs,
    live_tables,
    why_no_tables,
    with_agreement,
    with_categories,
    with_cells,
    with_panel,
    with_rows,
)
from pdkappa.methods.workbook.sheets import (
    MATRICES,
    confusion_sheets,
    crosscheck_sheet,
    groups_sheet,
    matrix_sheet,
    pairs_sheet,
    pooling_sheets,
)
from pdkappa.present.text_markup import call_of

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from pdkappa.methods.report.analysis import Analysis, Parts
    from pdkappa.methods.report.machines import Machines
    from pdkappa.methods.workbook.sheets import Live
    from pdkappa.present.html_page import Headline
    from pdkappa.present.sheets import Sheet

CHECKED = frozenset({*COMPARED, *ON_FISHER_Z})
MOST_CHECKED = 40  # confusion tables that other packages are asked about
MARKED = {"pairwise", "pairs", "agreement", "groups", "raters", "items"}


def collect(asked: Analysis, parts: Parts, function: Callable[..., Report]) -> Report:
    """Collect the sheets of a report, its headline, and the call of `function` that makes it."""
    book = _book(asked, parts)
    live = _live(asked) if book.is_live else None
    machines = compare_machines(asked)
    looks = (recall_of_machines(asked), against_humans(asked)) if parts.drilldown else ()
    more = [one for one in looks if one is not None]
    figures = _figures(asked, parts, live, machines, more)
    checks = [_crosscheck(asked)] if parts.has(parts.crosscheck) else []
    sheets = [*figures, *checks]
    book = replace(book, sheets=tuple(sheets), main=len(machines.lines) if machines else 0)
    lines = _lines(figures, asked, machines)
    shown = book.every(checks, tables=parts.has(parts.confusion), brief=parts.is_brief)
    summary = summary_sheet(shown, lines, asked, heading=parts.title, notes=book.notes)
    call = call_of(function, asked.passed() | asdict(parts), asked.door)
    every = [summary, *shown]
    return Report(
        tuple(every),
        asked.interval.level,
        headline=_headline(
            asked,
            every,
            lines,
            machines,
            details=[one.sentence for one in more],
            title=parts.title or "",
        ),
        call=call,
        write_up=write_up(asked, shown, lines, call),
        book=replace(book, summary=summary),
    )


def _book(asked: Analysis, parts: Parts) -> Book:
    """Collect the confusion tables, unless they are not wanted or too many."""
    wanted = parts.confusion is not False
    left_out = why_no_tables([asked.estimates.tables]) if wanted else ""
    live = _live(asked) if wanted and not left_out else None
    tables: list[Sheet] = []
    if wanted and not left_out:
        tables = [*confusion_sheets(asked.estimates, live), *_whole(asked, live)]
    is_live = live is not None
    return Book(
        (),
        asked.options(),
        tuple(tables),
        is_live,
        left_out,
        also=parts.also,
        is_brief=parts.is_brief,
    )


def _headline(
    asked: Analysis,
    sheets: Sequence[Sheet],
    lines: Sequence[Line],
    machines: Machines | None,
    *,
    details: Sequence[str],
    title: str,
) -> Headline:
    """Read out the main figure, and more about machines."""
    from pdkappa.present.html_headline import headline

    row = COEFFICIENTS[asked.coefficient]
    n_machines = len(machines.lines) if machines else 0
    return headline(
        sheets[0],
        {sheet.name: sheet.frame for sheet in sheets[1:]},
        asked.options(),
        name=spoken(asked),
        corrected=row.tested,
        others=[line for line in lines if line.weights is not asked.weights],
        machines=machines.lines if machines else [],
        of_pairs=row.spoken,
        details=details,
        remark=lines[n_machines].remark if len(lines) > n_machines else "",
        title=title,
    )


def _figures(
    asked: Analysis,
    parts: Parts,
    live: Live | None,
    machines: Machines | None,
    more: Sequence[Recall | Against],
) -> list[Sheet]:
    """Show all but the confusion tables, the cross-check and the notes."""
    sheets = [*_pairs(asked, live, brief=parts.is_brief), *_groups(asked, live)]
    sheets += [machines.sheet] if machines else []
    sheets += [one.sheet for one in more]
    drilled = drilldown_sheets(asked) if parts.drilldown else []
    sheets += [
        with_categories(one, live) if live and one.name == "categories" else one for one in drilled
    ]
    return _marked(sheets, asked)


def _live(asked: Analysis) -> Live | None:
    """Take the confusion tables as live, if they give the figures."""
    return live_tables(asked.estimates, asked.coefficient, asked.study.reading.missing)


def _lines(sheets: list[Sheet], asked: Analysis, machines: Machines | None) -> list[Line]:
    """List the figures of the summary: of machines first, then the main one with all weights."""
    lines = list(main_figures({sheet.name: sheet for sheet in sheets}, asked))
    if not lines:
        return []
    others = [Line(lines[0].name, weights, row) for weights, row in other_weights(asked)]
    return [*(machines.lines if machines else []), lines[0], *others, *lines[1:]]


def _marked(sheets: list[Sheet], asked: Analysis) -> list[Sheet]:
    """Say below the tables of raters which of them are machines."""
    if not asked.machines:
        return sheets
    names = ", ".join(map(str, asked.machines))
    note = f"Machines: {names}. All other raters are human."
    return [
        replace(sheet, notes=(*sheet.notes, note)) if sheet.name in MARKED else sheet
        for sheet in sheets
    ]


def _crosscheck(asked: Analysis) -> Sheet:
    """Ask other packages about the pairs of raters, some of them if there are many."""
    plain = asked.study.of_items()
    n_tables = plain.tables.counts.n_tables
    step = max(1, -(-n_tables // MOST_CHECKED))
    while step > 1 and gcd(step, plain.tables.n_pairs) > 1:  # every pair has its turn
        step += 1
    some = range(0, n_tables, step)
    kappa = estimate(plain, "cohen", USUAL_INTERVALS, needed=CHECKED)
    sheet = crosscheck_sheet(compare_packages(plain, kappa, asked.group_weights, tables=some))
    if len(some) == n_tables:
        return sheet
    pair = "one pair of raters" + (" in one group" if asked.by_group else "")
    note = (
        f"{len(some)} of {n_tables} confusion tables were checked, one in {step} from the first "
        f"on, each of {pair}. crosscheck() checks all of them."
    )
    return replace(sheet, notes=(note,))


def _pairs(asked: Analysis, live: Live | None, *, brief: bool) -> list[Sheet]:
    """Show the pairs as matrices and as a table, and all raters together."""
    # No limits are shown in a matrix, so that none are resampled.
    several = asked.estimates.tables.n_pairs > 1 and not brief
    stats = ("estimate", *(MATRICES if several else ()))
    with_itself = estimate(
        asked.study, asked.coefficient, asked.fisher, with_itself=True, needed=frozenset(stats)
    )
    matrices = [
        matrix_sheet(matrix_frame(with_itself, stat, min_items=0), asked.method, stat)
        for stat in stats
    ]
    pairs = pairs_sheet(pairs_frame(asked.estimates), asked.method)
    together = agreement_sheet(asked)
    if live is None:
        return [*matrices, pairs, together]
    return [
        *(with_cells(sheet, live) for sheet in matrices),
        with_rows(pairs, block_of_pairs(pairs.frame, live)),
        with_agreement(together, live),
    ]


def _groups(asked: Analysis, live: Live | None) -> list[Sheet]:
    """Show the groups of every pair of raters, and their means."""
    if not asked.by_group:
        return []
    result = asked.groups
    if isinstance(result, GroupedAgreement):
        return sheets_of_pair(
            result.to_frame(), result.tables, result.note(), pooling=result.panel, live=live
        )
    groups = groups_sheet(result.to_frame(), asked.method, (result.note(),))
    # The rest of its tables has rows for each pair and group, of which a report may have many.
    means = {"pooled": result.pooled, "heterogeneity": result.heterogeneity}
    panel = pooling_sheets({**means, "remarks": result.remarks.to_frame()})
    if live is None:
        return [groups, *panel]
    return with_panel(groups, panel, blocks_of_pairs(live), FISHER_CAP)


def _whole(asked: Analysis, live: Live | None) -> list[Sheet]:
    """Show the table of two raters in all groups together, of which the crude figure is made."""
    if live is None or not asked.by_group or not isinstance(asked.groups, GroupedAgreement):
        return []
    return sheets_of_all(asked.groups.panel, live)
