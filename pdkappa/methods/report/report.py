"""`report`, `to_excel`, `to_html`: an analysis -> the sheets of a workbook and a page."""

from __future__ import annotations

from dataclasses import asdict, replace
from math import gcd
from typing import TYPE_CHECKING, Literal

from pdkappa.coefficients.chance import COEFFICIENTS
from pdkappa.coefficients.intervals import FISHER_CAP
from pdkappa.coefficients.pair_estimates import ON_FISHER_Z
from pdkappa.methods.agreement.crosscheck import COMPARED, compare_packages
from pdkappa.methods.drilldown.items import beside
from pdkappa.methods.estimates.options import USUAL_INTERVALS, IntervalOptions, gate
from pdkappa.methods.estimates.pair_frames import estimate, matrix_frame, pairs_frame
from pdkappa.methods.estimates.weightings import AUTO_WEIGHTS
from pdkappa.methods.groups.grouped_results import GroupedAgreement, sheets_of_all, sheets_of_pair
from pdkappa.methods.report.analysis import Line, Parts, analyse, main_figures, other_weights
from pdkappa.methods.report.machines import (
    Against,
    Recall,
    against_humans,
    compare_machines,
    recall_of_machines,
)
from pdkappa.methods.report.overview import agreement_sheet, drilldown_sheets, spoken, summary_sheet
from pdkappa.methods.report.write_up import Report, write_up
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
from pdkappa.present.files import check_target
from pdkappa.present.text_markup import call_of
from pdkappa.ratings.options import Reading

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from pathlib import Path

    import pandas as pd

    from pdkappa._typing import (
        By,
        Categories,
        Coefficient,
        GroupWeights,
        Interval,
        ItemWeights,
        Label,
        Missing,
        Raters,
        Seed,
        Weights,
        WeightType,
    )
    from pdkappa.methods.report.analysis import Analysis
    from pdkappa.methods.report.machines import Machines
    from pdkappa.methods.workbook.book import Detail
    from pdkappa.methods.workbook.sheets import Live
    from pdkappa.present.files import Target
    from pdkappa.present.html_page import Headline
    from pdkappa.present.sheets import Sheet
    from pdkappa.ratings.coded import Counted

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
    call = call_of(function, asked.passed() | asdict(parts), asked.entry)
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
    return live_tables(asked.estimates, asked.coefficient)


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


@gate
def report(
    data: pd.DataFrame | Counted,
    raters: Raters | None = None,
    *,
    by: By | None = None,
    coefficient: Coefficient = "cohen",
    weights: Weights | None = AUTO_WEIGHTS,
    categories: Categories | None = None,
    missing: Missing = "pairwise",
    sample_weight: ItemWeights | None = None,
    weight_type: WeightType | None = None,
    cluster: ItemWeights | None = None,
    ci: Interval = "auto",
    confidence_level: float = 0.95,
    n_resamples: int = 2000,
    rng: Seed = None,
    group_weights: GroupWeights | None = None,
    id: Label | None = None,  # noqa: A002
    columns: Raters | None = None,
    machines: Raters | None = None,
    title: str | None = None,
    detail: Literal["full", "brief"] = "full",
    confusion: bool | None = None,
    drilldown: bool = True,
    crosscheck: bool | None = None,
) -> Report:
    """Collect all results on the agreement of some raters, ready for export.

    Parameters
    ----------
    data : DataFrame, shape (N, ...)
        One row for each item, one column for each rater. Never changed.
    raters : list of column labels, optional
        Two or more. Default: all columns that can be ratings. See `pairs`.
    by : column label or list of column labels, optional
        One result for each group. See `pairs`.
    coefficient : {"cohen", "scott", "brennan_prediger", "gwet", "krippendorff", "percent"}
        How chance agreement is defined. See `pairs`.
    weights : str, array, DataFrame, callable or None, default "auto"
        How much each disagreement counts; None counts all equally. See `pairs`. The default,
        "auto", is None, and "quadratic" with `by`, as in `grouped`; but None where
        the categories have no order. On an ordered scale of three categories or more the
        summary shows the main figure without weights and with quadratic ones, too.
    categories : list or dict, optional
        The categories in order, or their scores ``{category: score}``. See `pairs`.
    missing : {"pairwise", "listwise", "raise"}
        Use the items that both raters of a pair rated, use those that all raters rated, or raise
        an error. See `pairs`.
    sample_weight : column label or array of shape (N,), optional
        How much each item counts: by default, 2 counts an item twice.
    weight_type : {"frequency", "probability"} or None
        Whether weights are numbers of items or sampling weights, of which only the proportions
        matter; see `pairs`. None: numbers of items, if they are whole.
    cluster : column label or array of shape (N,), optional
        Items are nested in clusters, such as the essays of one student: standard errors, limits
        and tests count clusters. See `pairs`.
    ci : {"auto", "fisher", "wald", "percentile", "bca", "jackknife"}
        How the limits are computed. See `pairs`.
    confidence_level : float, default 0.95
        Between 0 and 1.
    n_resamples : int, default 2000
        Number of resamples for the limits that need them, up to 1,000,000.
    rng : None, int or numpy Generator
        Random number generator or seed of the resamples; a number makes them reproducible.
    group_weights : column label or dict or Series, optional
        Weight of each group in the mean, which needs `by`. See `grouped`.
    id : column label, optional
        The column that names the items that cost most agreement. See `items`.
    columns : list of column labels, optional
        Columns to show with these items, such as their texts. See `items`.
    machines : list of column labels, optional
        The raters that are machines. The report then starts with the agreement of humans with each
        other, that of machines with humans, both as means of pairs, and the difference;
        ``machines`` holds the comparisons, as in `ceiling`, for each machine.
    title : str, optional
        The title of the page and the workbook; by default it names the raters.
    detail : {"full", "brief"}
        "brief" leaves out what only an audit needs: the confusion tables, all matrices except the
        first, the cross-check, and notes on the method.
    confusion : bool, optional
        Whether to add a confusion table for each pair of raters (in each group). Without them
        a workbook holds plain values: there is nothing to compute them from. More than 200
        of them, or such of more than 1,000 categories, are left out, and the notes say so.
        Default: if `detail` is "full".
    drilldown : bool, default True
        Whether to show which raters, categories and items cost agreement.
    crosscheck : bool, optional
        Whether to add the same numbers from other packages; of many confusion tables some are
        checked, and a note says which. Default: if `detail` is "full".

    Returns
    -------
    Report
        ``.tables``, a dict of frames: ``summary``, ``pairwise`` (for three raters and more
        also ``pairwise n_items``, ``pairwise observed_agreement`` and ``pairwise se``),
        ``pairs``, ``agreement`` of all raters together, with `by` also ``groups``, which holds
        each pair's groups, as they are in ``pairs``, and their means, ``pooled`` and
        ``heterogeneity`` (for two raters the whole panel of `grouped`); with `machines` their
        comparisons with humans, ``recall``, what share of the humans' ratings of each category
        each gives, too, beside that of another human, and ``against humans``, the 50 items on
        which all humans, two or more, agree and a machine is furthest from them (of files and
        Dask frames their labels, and how many items have these); of the drill-down
        ``raters`` (of three and more), ``categories`` and ``items``, up to 50 that cost most
        agreement; then the confusion tables, ``crosscheck`` and ``notes``. And
        ``.to_excel(path)``, where kappas are formulas over the confusion tables,
        ``.to_html(path)``, and ``.methods()`` and ``.grras()``, texts for a paper.

        There is no drill-down into items of a table.

    Raises
    ------
    ColumnNotFoundError
        If `id` or `columns` is no column, or `machines` names what is no rater.
    OptionError
        If there are `group_weights` without `by`, or `machines` are none or all of the raters.
    TooLargeError
        If the groups have more than 2**28 covariances of pairs of raters together, as 50 raters
        have in 179 groups.
    KappaError
        If an option is not known, or the ratings cannot be read. See `pdkappa.errors`.

    Examples
    --------
    >>> df = pd.DataFrame({"ann": [1, 2, 3, 4, 3], "bob": [2, 2, 4, 4, 5]})
    >>> list(df.kappa.report(weights="quadratic", drilldown=False, crosscheck=False).tables)
    ['summary', 'pairwise', 'pairs', 'agreement', 'ann x bob', 'notes']
    """
    parts = Parts(confusion, drilldown, crosscheck, title, detail)
    reading = Reading(by, weights, categories, missing, sample_weight, weight_type, cluster)
    asked = analyse(
        data,
        raters,
        reading,
        coefficient,
        IntervalOptions(ci, confidence_level, n_resamples, rng),
        group_weights=group_weights,
        machines=machines,
        beside=beside(data, id, columns, by),
    )
    return collect(asked, parts, report)


@gate
def to_excel(
    data: pd.DataFrame | Counted,
    path: Target,
    raters: Raters | None = None,
    *,
    by: By | None = None,
    coefficient: Coefficient = "cohen",
    weights: Weights | None = AUTO_WEIGHTS,
    categories: Categories | None = None,
    missing: Missing = "pairwise",
    sample_weight: ItemWeights | None = None,
    weight_type: WeightType | None = None,
    cluster: ItemWeights | None = None,
    ci: Interval = "auto",
    confidence_level: float = 0.95,
    n_resamples: int = 2000,
    rng: Seed = None,
    group_weights: GroupWeights | None = None,
    id: Label | None = None,  # noqa: A002
    columns: Raters | None = None,
    machines: Raters | None = None,
    title: str | None = None,
    detail: Detail = "brief",
    confusion: bool | None = None,
    drilldown: bool = True,
    crosscheck: bool | None = None,
    formulas: bool = True,
    overwrite: bool = True,
) -> Path | None:
    """Write all results on the agreement of some raters to an Excel workbook.

    It is ``report(data, ...).to_excel(path)``: a cover with the main figure in words, what was
    analysed, a summary and two charts; then the pairwise matrix, the groups with their means (or
    the pairs and all raters together), the raters, the items to look at, and all counts. Kappas
    are formulas over the counts.

    Parameters
    ----------
    data : DataFrame, shape (N, ...)
        One row for each item, one column for each rater. Never changed.
    path : str, path-like or file object
        File to write, ending in ``.xlsx``; or one that is open for bytes, such as `io.BytesIO`,
        which stays open.
    raters : list of column labels, optional
        Two or more. Default: all columns that can be ratings. See `pairs`.
    by : column label or list of column labels, optional
        One result for each group. See `pairs`.
    coefficient : {"cohen", "scott", "brennan_prediger", "gwet", "krippendorff", "percent"}
        How chance agreement is defined. See `pairs`.
    weights : str, array, DataFrame, callable or None, default "auto"
        How much a disagreement counts (see `pairs`). The default, "auto", is None, and "quadratic"
        with `by`.
    categories : list or dict, optional
        The categories in order, or their scores ``{category: score}``. See `pairs`.
    missing : {"pairwise", "listwise", "raise"}
        Use the items that both raters of a pair rated, use those that all raters rated, or raise
        an error. See `pairs`.
    sample_weight : column label or array of shape (N,), optional
        How much each item counts: by default, 2 counts an item twice.
    weight_type : {"frequency", "probability"} or None
        Whether weights are numbers of items or sampling weights, of which only the proportions
        matter; see `pairs`. None: numbers of items, if they are whole.
    cluster : column label or array of shape (N,), optional
        Items are nested in clusters, such as the essays of one student: standard errors, limits
        and tests count clusters. See `pairs`.
    ci : {"auto", "fisher", "wald", "percentile", "bca", "jackknife"}
        How the limits are computed. See `pairs`.
    confidence_level : float, default 0.95
        Between 0 and 1.
    n_resamples : int, default 2000
        Number of resamples for the limits that need them, up to 1,000,000.
    rng : None, int or numpy Generator
        Random number generator or seed of the resamples; a number makes them reproducible.
    group_weights : column label or dict or Series, optional
        Weight of each group in the mean, which needs `by`. See `grouped`.
    id : column label, optional
        The column that names the items that cost most agreement. See `items`.
    columns : list of column labels, optional
        Columns to show with these items, such as their texts. See `items`.
    machines : list of column labels, optional
        The raters that are machines, which are compared with the humans. See `report`.
    title : str, optional
        The title; by default it names the raters.
    detail : {"brief", "full"}
        The main sheets; or, in addition, what an audit needs: all matrices, the pairs in groups,
        the tables of pooling and of the categories, a sheet for each confusion table with its
        weights and the steps to its figures, the cross-check, and notes on the method. Formulas
        are live in both: a brief workbook has all counts on one sheet.
    confusion : bool, optional
        Whether to add a sheet for each confusion table, by default if `detail` is "full". False
        leaves out the counts as well, and all figures are plain values.
    drilldown : bool, default True
        Whether to show which raters, categories and items cost agreement.
    crosscheck : bool, optional
        Whether to add the same numbers from other packages. Default: if `detail` is "full".
    formulas : bool, default True
        Whether every kappa, group row and Fisher-z mean is a formula over the confusion tables
        in the workbook, so that it follows when a count is changed; else its value only. What
        stays a value either way, such as standard errors, is named in the notes.
    overwrite : bool, default True
        Whether an existing file is replaced. The old file is kept if anything fails.

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
    KappaError
        If an option is not known, or the ratings cannot be read. See `pdkappa.errors`.

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

    check_workbook(path, formulas=formulas, overwrite=overwrite)
    parts = Parts(confusion, drilldown, crosscheck, title, detail)
    reading = Reading(by, weights, categories, missing, sample_weight, weight_type, cluster)
    asked = analyse(
        data,
        raters,
        reading,
        coefficient,
        IntervalOptions(ci, confidence_level, n_resamples, rng),
        group_weights=group_weights,
        machines=machines,
        beside=beside(data, id, columns, by),
        in_workbook=True,
    )
    made = collect(asked, parts, report)
    return made.to_excel(path, detail=parts.workbook, formulas=formulas, overwrite=overwrite)


@gate
def to_html(
    data: pd.DataFrame | Counted,
    path: Target,
    raters: Raters | None = None,
    *,
    by: By | None = None,
    coefficient: Coefficient = "cohen",
    weights: Weights | None = AUTO_WEIGHTS,
    categories: Categories | None = None,
    missing: Missing = "pairwise",
    sample_weight: ItemWeights | None = None,
    weight_type: WeightType | None = None,
    cluster: ItemWeights | None = None,
    ci: Interval = "auto",
    confidence_level: float = 0.95,
    n_resamples: int = 2000,
    rng: Seed = None,
    group_weights: GroupWeights | None = None,
    id: Label | None = None,  # noqa: A002
    columns: Raters | None = None,
    machines: Raters | None = None,
    title: str | None = None,
    detail: Literal["full", "brief"] = "full",
    confusion: bool | None = None,
    drilldown: bool = True,
    crosscheck: bool | None = None,
    overwrite: bool = True,
) -> Path | None:
    """Write all results on the agreement of some raters to a self-contained HTML page.

    It is ``report(data, ...).to_html(path)``: the main figure in plain words, heat maps, forest
    plots, confusion tables, tables that can be sorted, notes, and methods and results to copy into
    a paper (see `Report.methods`). The page loads nothing from the network.

    Parameters
    ----------
    data : DataFrame, shape (N, ...)
        One row for each item, one column for each rater. Never changed.
    path : str, path-like or file object
        File to write, usually ending in ``.html``; or one that is open for text or bytes, such
        as `io.StringIO`, which stays open.
    raters : list of column labels, optional
        Two or more. Default: all columns that can be ratings. See `pairs`.
    by : column label or list of column labels, optional
        One result for each group. See `pairs`.
    coefficient : {"cohen", "scott", "brennan_prediger", "gwet", "krippendorff", "percent"}
        How chance agreement is defined. See `pairs`.
    weights : str, array, DataFrame, callable or None, default "auto"
        How much a disagreement counts (see `pairs`). The default, "auto", is None, and "quadratic"
        with `by`.
    categories : list or dict, optional
        The categories in order, or their scores ``{category: score}``. See `pairs`.
    missing : {"pairwise", "listwise", "raise"}
        Use the items that both raters of a pair rated, use those that all raters rated, or raise
        an error. See `pairs`.
    sample_weight : column label or array of shape (N,), optional
        How much each item counts: by default, 2 counts an item twice.
    weight_type : {"frequency", "probability"} or None
        Whether weights are numbers of items or sampling weights, of which only the proportions
        matter; see `pairs`. None: numbers of items, if they are whole.
    cluster : column label or array of shape (N,), optional
        Items are nested in clusters, such as the essays of one student: standard errors, limits
        and tests count clusters. See `pairs`.
    ci : {"auto", "fisher", "wald", "percentile", "bca", "jackknife"}
        How the limits are computed. See `pairs`.
    confidence_level : float, default 0.95
        Between 0 and 1.
    n_resamples : int, default 2000
        Number of resamples for the limits that need them, up to 1,000,000.
    rng : None, int or numpy Generator
        Random number generator or seed of the resamples; a number makes them reproducible.
    group_weights : column label or dict or Series, optional
        Weight of each group in the mean, which needs `by`. See `grouped`.
    id : column label, optional
        The column that names the items that cost most agreement. See `items`.
    columns : list of column labels, optional
        Columns to show with these items, such as their texts. See `items`.
    machines : list of column labels, optional
        The raters that are machines, which are compared with the humans. See `report`.
    title : str, optional
        The title; by default it names the raters.
    detail : {"full", "brief"}
        "brief" leaves out what only an audit needs. See `report`.
    confusion : bool, optional
        Whether to add a confusion table for each pair of raters. Default: if `detail` is "full".
    drilldown : bool, default True
        Whether to show which raters, categories and items cost agreement.
    crosscheck : bool, optional
        Whether to add the same numbers from other packages. Default: if `detail` is "full".
    overwrite : bool, default True
        Whether an existing file is replaced. The old file is kept if anything fails.

    Returns
    -------
    Path or None
        The file written; None for a file object.

    Raises
    ------
    FileExistsError
        If the file exists and `overwrite` is False.
    MissingDependencyError
        If Jinja2 is not installed.
    KappaError
        If an option is not known, or the ratings cannot be read. See `pdkappa.errors`.

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
    check_target(path, overwrite=overwrite)
    parts = Parts(confusion, drilldown, crosscheck, title, detail)
    reading = Reading(by, weights, categories, missing, sample_weight, weight_type, cluster)
    asked = analyse(
        data,
        raters,
        reading,
        coefficient,
        IntervalOptions(ci, confidence_level, n_resamples, rng),
        group_weights=group_weights,
        machines=machines,
        beside=beside(data, id, columns, by),
    )
    return collect(asked, parts, report).to_html(path, overwrite=overwrite)
