"""`report`, `to_excel`, `to_html`: an analysis -> the sheets of a workbook and a page."""

from __future__ import annotations

import warnings
from collections import Counter
from contextlib import contextmanager, suppress
from dataclasses import replace
from functools import cache
from math import gcd
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from pdkappa.coefficients.all_raters import MULTIRATER
from pdkappa.coefficients.intervals import FISHER_CAP
from pdkappa.coefficients.pair_estimates import ON_FISHER_Z
from pdkappa.errors import HEARING, CategoryError, KappaWarning
from pdkappa.methods.agreement.crosscheck import COMPARED, compare_packages
from pdkappa.methods.drilldown.categories import additive, category_frame
from pdkappa.methods.drilldown.items import item_frame
from pdkappa.methods.drilldown.raters import rater_frame
from pdkappa.methods.estimates.asks import asks
from pdkappa.methods.estimates.options import USUAL_INTERVALS
from pdkappa.methods.estimates.pair_frames import (
    agreement_frame,
    estimate,
    matrix_frame,
    pairs_frame,
)
from pdkappa.methods.estimates.together import summarise_together
from pdkappa.methods.estimates.told import kept
from pdkappa.methods.groups.grouped_results import (
    GroupedAgreement,
    panels_of,
    sheets_of_all,
    sheets_of_pair,
)
from pdkappa.methods.machine.readiness import verdicts
from pdkappa.methods.machine.verdicts import FAIL, PASS, UNKNOWN
from pdkappa.methods.report.analysis import (
    FEWEST_ORDERED,
    Line,
    OfPage,
    OfReport,
    OfWorkbook,
    analyse,
    main_figures,
    other_weights,
)
from pdkappa.methods.report.cautions import Seen
from pdkappa.methods.report.findings import findings_of
from pdkappa.methods.report.machines import (
    against_humans,
    compare_machines,
    leanings,
    recall_of_machines,
)
from pdkappa.methods.report.write_up import Report, write_up
from pdkappa.methods.workbook.book import Book
from pdkappa.methods.workbook.live_formulas import (
    TOO_FINE,
    block_of_pairs,
    blocks_of,
    cell,
    live_tables,
    place,
    why_no_tables,
    with_agreement,
    with_categories,
    with_cells,
    with_panel,
    with_rows,
)
from pdkappa.methods.workbook.sheets import (
    MATRICES,
    confusion_sheet,
    confusion_sheets,
    crosscheck_sheet,
    groups_sheet,
    matrix_sheet,
    pairs_sheet,
    pooling_sheets,
)
from pdkappa.present import schema
from pdkappa.present.files import check_target
from pdkappa.present.labels import as_rating, one_line, visible, weights_in_words
from pdkappa.present.sheets import Sheet, is_known, same_as
from pdkappa.present.text_markup import call_of
from pdkappa.ratings.coded import Counted

if TYPE_CHECKING:
    from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Sequence
    from pathlib import Path

    from pdkappa.methods.report.analysis import Analysis
    from pdkappa.methods.report.machines import Machines
    from pdkappa.methods.workbook.sheets import Live
    from pdkappa.present.sheets import Formula

QWK, BELOW, SHIFT = 0.7, 0.1, 0.15  # the criteria of Williamson, Xi & Breyer (2012)
CRITERIA = (
    "Criteria of Williamson, Xi and Breyer (2012) for the whole interval: \N{CHECK MARK} "
    "all of it passes, \N{BALLOT X} all of it fails, ? the data do not tell."
)
SIGNS = {PASS: "\N{CHECK MARK} pass", FAIL: "\N{BALLOT X} fail", UNKNOWN: "? open"}
MOST_ITEMS, MOST_VOTERS = 50, 4


def agreement_sheet(asked: Analysis) -> Sheet:
    """Show every coefficient of all raters together."""
    study = asked.study
    summaries, _ = summarise_together(study, {**MULTIRATER}, asked.interval)
    frame = agreement_frame(summaries, study.groups, "landis_koch")
    weights = weights_in_words(study.reading.weights)
    return Sheet("agreement", frame, f"Agreement of all raters together, {weights}")


def drilldown_sheets(asked: Analysis) -> Iterator[Sheet]:
    """Show which raters, categories and items cost agreement.

    A single pair has no rater who stands apart; rows of a table are no items.
    """
    study = asked.study
    together, weights = asked.together, weights_in_words(asked.weights)
    if asked.several:
        frame = rater_frame(study, level=asked.interval.level)
        title = f"Each rater compared with the others, by Cohen's kappa, {weights}"
        yield Sheet("raters", frame, title)
    split, plain = additive(together), study.of_items()
    if asked.has_few_categories:
        frame = category_frame(plain.weighted(None), split, asked.interval.level)
        title = f"Agreement on each category against the rest: {MULTIRATER[split].spoken}, "
        yield Sheet("categories", frame, f"{title}unweighted")
    if not isinstance(study.data, Counted):
        frame = item_frame(plain, coefficient=together, shown=asked.beside)
        yield _items_sheet(asked, frame, f"{MULTIRATER[together].spoken}, {weights}")


def _items_sheet(asked: Analysis, frame: pd.DataFrame, coefficient: str) -> Sheet:
    """Show the items that cost most agreement, with what stands beside them and their ratings.

    Those on which all agree, and which cost nothing, are left out, unless there is nothing else.
    """
    effect, apart = (frame[name].reset_index(drop=True) for name in ("effect", "disagreement"))
    costs = (effect < 0) | (apart > 0)
    order = (effect[costs] if costs.any() else effect).sort_values(kind="stable").index[:MOST_ITEMS]
    worst, labels = frame.iloc[order], asked.study.groups.labels
    data = asked.study.frame.iloc[asked.study.coded.rows[order]].set_axis(worst.index)
    groups = {name: name for name in ([] if labels is None else labels.names)}
    columns = groups | dict(zip(asked.raters, _rating_columns(asked), strict=True))
    new = [name for name in columns if name not in asked.beside.names]
    names = [*(columns[name] for name in new), *worst.columns]
    places: Any = [data.columns.get_loc(name) for name in new]
    worst = pd.concat([data.iloc[:, places], worst], axis=1, ignore_index=True)
    worst.columns = pd.Index(names, dtype=object, tupleize_cols=False)
    shown = f"The {len(worst)} items" if len(worst) < len(frame) else "Items, those first"
    return Sheet(
        "items",
        worst,
        f"{shown} that cost most agreement: {coefficient}",
        notes=(f"{len(worst):,} of {len(frame):,} items, those that cost most first.",),
        index=True,
    )


def cost_something(items: Sheet) -> bool:
    """Whether there is any item that costs agreement, among those that cost most."""
    if items.name != "items":
        return False
    frame = items.frame
    return bool((frame["effect"] < 0).any() or (frame["disagreement"] > 0).any())


def discuss_sheet(asked: Analysis, items: Sheet) -> Sheet:
    """List the items to talk about first: id, text, votes, and room for the decision."""
    frame, study = items.frame, asked.study
    columns = dict(zip(_rating_columns(asked), asked.raters, strict=True))
    rated = _columns_of(frame, columns)  # but of a rater who names the items
    few = len(rated.columns) <= MOST_VOTERS
    names = [one_line(columns[name]) for name in rated] if few else []
    votes = [_votes(row, names) for row in rated.astype(object).to_numpy().tolist()]
    groups = [] if study.groups.labels is None else list(study.groups.labels.names)
    shown = _columns_of(frame, [*asked.beside.columns]).assign(votes=votes)
    shown = pd.concat([shown, _columns_of(frame, groups)], axis=1).assign(decision="")
    title = "The items that cost most agreement"
    return Sheet("to discuss", shown, title, notes=items.notes, index=True)


def _rating_columns(asked: Analysis) -> list[Any]:
    """Name the column of ratings of each rater, so that it is not taken for one of the figures."""
    kept, taken = asked.beside.names, {*asked.beside.names, *asked.raters}

    def named(one: Any, name: Any) -> Any:
        is_free = name == one or name not in taken
        return name if is_free and not is_known(name) else named(one, f"rating of {name}")

    return [one if one in kept else named(one, one) for one in asked.raters]


def _columns_of(frame: pd.DataFrame, names: Iterable[Any]) -> pd.DataFrame:
    """Take those columns that are there, by labels that may be text without a code in UTF-8."""
    known = [name for name in names if name in frame.columns]
    return frame[pd.Index(known, dtype=object, tupleize_cols=False)]


def _votes(row: Sequence[Any], names: Sequence[str] = ()) -> str:
    """Count the ratings of an item, the most frequent first; of few raters, say whose they are.

    >>> _votes(["spam", "ham", "spam"]), _votes([1, float("nan")], ["ann", "bob"])
    ('spam \N{MULTIPLICATION SIGN}2, ham \N{MULTIPLICATION SIGN}1', 'ann: 1')
    """
    known = [not (pd.api.types.is_scalar(one) and pd.isna(one)) for one in row]
    if names:
        pairs = zip(names, row, known, strict=True)
        return ", ".join(f"{name}: {as_rating(one)}" for name, one, given in pairs if given)
    given = Counter(one for one, is_given in zip(row, known, strict=True) if is_given)
    times = "\N{MULTIPLICATION SIGN}"
    return ", ".join(f"{as_rating(one)} {times}{n}" for one, n in given.most_common())


def group_sheet(asked: Analysis, frames: Mapping[str, pd.DataFrame]) -> Sheet | None:
    """Show one row for each group: of all raters, or of humans and machines with criteria."""
    if not asked.by_group:
        return None
    if not asked.machines:
        name, frame = asked.together, frames["agreement"]
        frame = frame[frame.index.get_level_values("coefficient") == name]
        frame = frame.droplevel("coefficient")[[*schema.BY_GROUP, "reason"]]
        title = f"{MULTIRATER[name].spoken}, {weights_in_words(asked.weights)}, in each group"
        return Sheet("by group", frame, f"{title[0].upper()}{title[1:]}")
    frame = frames["machines"]
    frame = frame[frame.index.get_level_values("machine").isin(asked.machines)]
    columns = frame[list(schema.BY_MACHINE)].copy()
    low, high = columns["ci_low"], columns["ci_high"]
    lean = frames.get("leaning", pd.DataFrame())
    is_scale = "smd" in lean and "category" not in lean.index.names
    if is_scale:
        lean = lean.reorder_levels([*frame.index.names]).reindex(frame.index)  # type: ignore[arg-type]
        columns["smd"] = lean["smd"]
    if asked.is_quadratic:
        ends = frame["estimate_machine_low"], frame["estimate_machine_high"]
        columns["QWK \N{GREATER-THAN OR EQUAL TO} .70"] = _criterion(*ends, QWK, "at least")
    columns["not .10 below"] = _criterion(low, high, -BELOW, "at least")
    if is_scale:
        sd = (lean["difference"] / lean["smd"]).abs()
        low, high = lean["ci_low"] / sd, lean["ci_high"] / sd
        columns["within .15 SD"] = _criterion(low, high, SHIFT, "within")
    if len(asked.machines) == 1:
        columns = columns.droplevel("machine")
    return Sheet(
        "by group", columns, f"Humans and machine in each group: {asked.method}", notes=(CRITERIA,)
    )


def _criterion(low: pd.Series, high: pd.Series, threshold: float, bound: str) -> list[str]:
    """Say whether all of an interval meets a criterion, none of it does, or neither is shown."""
    found = verdicts(low.to_numpy(float), high.to_numpy(float), threshold, bound)
    return [SIGNS[one] for one in found]


def summary_sheet(lines: Sequence[Line], title: str) -> Sheet:
    """Show the main figures, each a link to where it is read from."""
    frame = pd.DataFrame(
        [[visible(one.name), weights_in_words(one.weights), *one.figures] for one in lines],
        columns=list(schema.SUMMARY),
    )
    formulas: dict[tuple[int, int], Formula] = {}
    links: dict[tuple[int, int], Hashable] = {}
    for number, line in enumerate(lines):
        if line.place is None:
            continue
        sheet, row = line.place
        for column in ("n_items", "estimate"):
            if place(sheet, row, column) in sheet.formulas:
                where = number, schema.SUMMARY.index(column)
                formulas[where] = same_as(cell(sheet, row, column))
        links[number, 0] = sheet.called
    return Sheet("summary", frame, title, formulas=formulas, links=links)


CHECKED = frozenset({*COMPARED, *ON_FISHER_Z})
MOST_OF_PAIR = 12  # categories of the pair that agrees least
OF_PAIRS = {"pairwise", "pairs", *(f"pairwise {stat}" for stat in MATRICES)}
MOST_CHECKED = 40  # confusion tables that other packages are asked about
MARKED = {"pairwise", "pairs", "agreement", "groups", "raters", "items"}


@contextmanager
def heard() -> Iterator[list[warnings.WarningMessage]]:
    """Collect the warnings that are raised, and give them again at the end."""
    with warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always")
        yield told
    for one in told:
        warnings.warn_explicit(one.message, one.category, one.filename, one.lineno)


def made(data: pd.DataFrame | Counted, given: OfReport, *, in_workbook: bool = False) -> Report:
    """Make a report, and keep the warnings that were raised."""
    with heard() as told:
        asked = analyse(data, given, in_workbook=in_workbook)
        return collect(asked, report, told)


def collect(
    asked: Analysis, function: Callable[..., Report], told: Sequence[warnings.WarningMessage]
) -> Report:
    """Collect the sheets of a report, what was found, and the call of `function` that makes it."""
    parts = asked.given
    book = _book(asked)
    live = live_tables(asked.estimates, asked.coefficient) if book.is_live else None
    machines = compare_machines(asked)
    figures = _figures(asked, live, machines)
    lines = _lines(figures, asked, machines)
    n_machines = len(machines.lines) if machines else 0
    found = findings_of(
        Seen(
            asked,
            {sheet.name: sheet.frame for sheet in figures},
            lines[n_machines] if len(lines) > n_machines else None,
            [line for line in lines[n_machines + 1 :] if line.weights is not asked.weights],
            lines[:n_machines],
            _quadratic(asked),
            [one for one in told if issubclass(one.category, KappaWarning)],
            kept(asked.study.data),
        )
    )
    late = cache(lambda: _crosscheck(asked)) if "crosscheck" in parts.parts else None
    unshown = tuple(one for one in figures if asked.is_large and one.name in OF_PAIRS)
    shown = tuple(one for one in figures if not (asked.is_large and one.name in OF_PAIRS))
    book = replace(book, sheets=shown, unshown=unshown, main=max(n_machines - 2, 0), late=late)
    call = call_of(function, asked.passed(), asked.entry)
    summary = summary_sheet(lines, found.subject)
    return Report(
        asked.interval.level,
        _found=found,
        _code=call,
        write_up=write_up(asked, figures, lines, call, found),
        book=replace(book, summary=summary),
        _asked=parts,
        _together=asked.together,
        _heard=HEARING.get(),
    )


def _book(asked: Analysis) -> Book:
    """Collect the confusion tables, unless they are not wanted or too many."""
    parts = asked.given
    wanted = not {"counts", "confusion"}.isdisjoint(parts.parts)
    left_out = why_no_tables([asked.estimates.tables]) if wanted else ""
    live, tables = None, tuple[Sheet, ...]()
    if wanted and not left_out:
        live = live_tables(asked.estimates, asked.coefficient)
        tables = (*confusion_sheets(asked.estimates, live), *_whole(asked, live))
    is_live, also, is_brief = live is not None, parts.also, parts.is_brief
    return Book((), asked.options(), tables, is_live, left_out, also=also, is_brief=is_brief)


def _figures(asked: Analysis, live: Live | None, machines: Machines | None) -> list[Sheet]:
    """Show all but the confusion tables, the cross-check and the notes."""
    sheets = [
        *_pairs(asked, live, brief="matrices" not in asked.given.parts),
        *_groups(asked, live),
    ]
    sheets += [machines.sheet] if machines else []
    sheets += leanings(asked)
    drilled: list[Sheet] = []
    is_drilled = "drilldown" in asked.given.parts
    if is_drilled:
        looks = (recall_of_machines(asked), against_humans(asked))
        drilled = [*(one for one in looks if one), *drilldown_sheets(asked)]
        drilled += [discuss_sheet(asked, one) for one in drilled if cost_something(one)]
    sheets += [
        with_categories(one, live) if live and one.name == "categories" else one for one in drilled
    ]
    sheets += worst_pair(asked) if is_drilled else []
    by_group = group_sheet(asked, {sheet.name: sheet.frame for sheet in sheets})
    return _marked([*sheets, *([by_group] if by_group else [])], asked)


def _quadratic(asked: Analysis) -> list[Line]:
    """Compare machines with quadratic weights, too, where ratings have an order and no weights."""
    is_ordered = asked.study.has_order and len(asked.study.coded.categories) >= FEWEST_ORDERED
    if not (asked.machines and is_ordered and asked.weights is None):
        return []
    with suppress(CategoryError):  # infinite scores have no distances
        found = compare_machines(asked.weighted("quadratic"))
        return found.lines if found else []
    return []


def worst_pair(asked: Analysis) -> list[Sheet]:
    """Show the counts of the pair that agrees least, of few categories, many items, no groups."""
    estimate = asked.estimates.summary.estimate
    can_be_read = len(asked.study.coded.categories) <= MOST_OF_PAIR and not asked.shares_few
    if asked.by_group or not can_be_read or np.isnan(estimate).all():
        return []
    one = confusion_sheet(asked.estimates.on_scale, int(np.nanargmin(estimate)), None)
    what = "The pair that agrees least: " if asked.several else ""
    return [replace(one, name="worst pair", title=f"{what}{one.title}")]


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
        replace(sheet, notes=(*sheet.notes, note), machines=asked.machines)
        if sheet.name in MARKED
        else sheet
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
    if "drilldown" in asked.given.parts and not asked.has_few_categories:
        together = replace(together, notes=(*together.notes, f"Left out: {TOO_FINE}"))
    if asked.is_large:
        note = (
            f"Sheets and pictures of the {asked.estimates.tables.n_pairs:,} pairs of "
            f"{len(asked.raters)} raters are left out. Use pairs(), or name fewer raters."
        )
        return [*matrices, pairs, replace(together, notes=(*together.notes, note))]
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
        panels = panels_of(result)
        return sheets_of_pair(result.to_frame(), panels, pooling=result.panel, live=live)
    groups = groups_sheet(result.to_frame(), asked.method)
    # The rest of its tables has rows for each pair and group, of which a report may have many.
    means = {"pooled": result.pooled, "heterogeneity": result.heterogeneity}
    panel = pooling_sheets({**means, "treated": result.treated.to_frame()})
    if live is None:
        return [groups, *panel]
    return with_panel(groups, panel, blocks_of([live]), FISHER_CAP)


def _whole(asked: Analysis, live: Live | None) -> list[Sheet]:
    """Show the table of two raters in all groups together, of which the crude figure is made."""
    if live is None or not asked.by_group or not isinstance(asked.groups, GroupedAgreement):
        return []
    return sheets_of_all(asked.groups.panel, live)


@asks(OfReport)
def report(data: pd.DataFrame | Counted, asked: OfReport) -> Report:
    """Collect all results on the agreement of some raters, ready for export.

    Returns
    -------
    Report
        ``.findings``: the headline, at most three findings, cautions and the basis, which all
        outputs begin with; ``.cautions``, every warning that was raised among them.
        ``.tables``, a dict of frames: ``summary``, ``pairwise`` (for three raters and more
        also ``pairwise_n_items``, ``pairwise_observed_agreement`` and ``pairwise_se``),
        ``pairs``, ``agreement`` of all raters together, with `by` also ``groups``, which holds
        each pair's groups, as they are in ``pairs``, and their means, ``pooled`` and
        ``heterogeneity`` (for two raters the whole panel of `grouped`); with `machine` the
        comparisons with humans, ``leaning``, where on the scale, or towards which category, it
        leans, also ``leaning_in_groups``, ``recall``, what share of the humans' ratings of each
        category each gives, too, beside that of another human, and ``against_humans``, the 50
        items on which all humans, two or more, agree and a machine is furthest from them (of
        files and Dask frames their labels, and how many items have these); of the drill-down
        ``raters`` (of three and more), ``categories`` and ``items``, up to 50 that cost most
        agreement; then the confusion tables, ``crosscheck`` and ``notes``. And
        ``.to_excel(path)``, where kappas are formulas over the confusion tables,
        ``.to_html(path)``, and ``.methods()`` and ``.grras()``, texts for a paper.

        There is no drill-down into items of a table. Of more than 200 raters side by side page and
        workbook leave out what is shown of pairs, which their ``.tables`` hold.

    Raises
    ------
    ColumnNotFoundError
        If `id` or `columns` is no column, or `machine` names what is no rater.
    OptionError
        If there are `group_weights` without `by`, `machine` names none or all of the raters, or
        an option would change nothing.
    TooLargeError
        If there are 1,000 raters or more, most of whom share items, or more than 2**23 pairs of
        raters, or if the groups have more than 2**28 covariances of these together, as 50 raters
        have in 179 groups.

    Warns
    -----
    LeftOutWarning
        Of people who rated nothing, if there are two other raters.

    Examples
    --------
    >>> df = pdkappa.datasets.load_essays().query("essay_set == 1")
    >>> report = df.kappa.report(["human_1", "human_2", "machine"], weights="quadratic")
    >>> print(report.findings.headline)
    human_1, human_2 and machine agree at quadratic weighted kappa 0.74 [0.68, 0.78].
    >>> list(report.tables)[:4]
    ['summary', 'pairwise', 'pairs', 'agreement']
    """
    return made(data, asked)


@asks(OfWorkbook, path="It ends in ``.xlsx``.")
def to_excel(data: pd.DataFrame | Counted, asked: OfWorkbook) -> Path | None:
    """Write all results on the agreement of some raters to an Excel workbook.

    It is ``report(...).to_excel(path)``, which is how to write it with other limits, columns or
    parts of `report`: a cover with the main figure in words, what was
    analysed, a summary and two charts; then the pairwise matrix, the groups with their means (or
    the pairs and all raters together), the raters, the items to look at, and all counts. Kappas
    are formulas over the counts.

    Returns
    -------
    Path or None
        The file written; None for a file object.

    Raises
    ------
    ExportError
        If a table does not fit a worksheet, which is known before anything is computed, or a
        label cannot be written.
    FileExistsError
        If the file exists and `overwrite` is False.

    See Also
    --------
    report : The same tables without a file.
    to_html : The same tables on a page.

    Examples
    --------
    >>> df = pdkappa.datasets.load_anxiety()
    >>> df.kappa.to_excel("agreement.xlsx", weights="quadratic").name
    'agreement.xlsx'
    """
    from pdkappa.present.excel_writer import check_workbook

    told: dict[str, Any] = {"formulas": asked.formulas, "overwrite": asked.overwrite}
    check_workbook(asked.path, **told)
    made_of = made(data, asked.of_report, in_workbook=True).titled(asked.title)
    return made_of.to_excel(asked.path, detail=asked.detail, **told)


@asks(OfPage)
def to_html(data: pd.DataFrame | Counted, asked: OfPage) -> Path | None:
    """Write all results on the agreement of some raters to a self-contained HTML page.

    It is ``report(...).to_html(path)``, which is how to write it with other limits, columns or
    parts of `report`: the main figure in plain words, heat maps, forest
    plots, confusion tables, tables that can be sorted, notes, and methods and results to copy into
    a paper (see `Report.methods`). The page loads nothing from the network.

    Returns
    -------
    Path or None
        The file written; None for a file object.

    Raises
    ------
    ExportError
        If the name of the file does not end in ".html" or ".htm".
    FileExistsError
        If the file exists and `overwrite` is False.
    MissingDependencyError
        If Jinja2 is not installed.

    See Also
    --------
    report : The same tables without a file.
    to_excel : The same tables in a workbook.

    Examples
    --------
    >>> df = pdkappa.datasets.load_anxiety()
    >>> df.kappa.to_html("agreement.html", weights="quadratic").name
    'agreement.html'
    """
    check_target(asked.path, overwrite=asked.overwrite)
    written = (
        made(data, asked.of_report)
        .titled(asked.title)
        .to_html(asked.path, overwrite=asked.overwrite)
    )
    return None if isinstance(written, str) else written
