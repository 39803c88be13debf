"""Everything about the agreement of some raters in one report."""

from __future__ import annotations

from itertools import combinations
from typing import TYPE_CHECKING, NamedTuple

from pdkappa.coefficients.chance import COEFFICIENTS
from pdkappa.coefficients.intervals import FISHER_CAP
from pdkappa.errors import check_flag
from pdkappa.estimation.estimate import estimate
from pdkappa.estimation.frames import matrix_frame, pairs_frame
from pdkappa.estimation.gate import gate
from pdkappa.estimation.intervals import USUAL, IntervalOptions
from pdkappa.methods.agreement.crosscheck import compare_packages
from pdkappa.methods.groups import workbook as group_sheets
from pdkappa.methods.groups.core.panel import Averaging
from pdkappa.methods.groups.grouped import Ask, of_pair, of_pairs
from pdkappa.methods.report import overview
from pdkappa.methods.report.analysis import analyse
from pdkappa.methods.report.result import Report
from pdkappa.present.files import destination
from pdkappa.present.text.code import call_of
from pdkappa.ratings.coded import Counted
from pdkappa.ratings.reading import Reading
from pdkappa.workbook import sheets as workbook
from pdkappa.workbook.group_links import blocks_of_pairs, with_panel
from pdkappa.workbook.links import block_of_pairs, live_tables, with_cells, with_rows
from pdkappa.workbook.rater_links import with_agreement

if TYPE_CHECKING:
    import os
    from pathlib import Path

    import pandas as pd

    from pdkappa._typing import (
        By,
        Categories,
        Coefficient,
        Distance,
        GroupWeights,
        Interval,
        ItemWeights,
        Missing,
        Raters,
        Seed,
        Weights,
    )
    from pdkappa.methods.report.analysis import Analysis
    from pdkappa.present.excel.sheets import Sheet
    from pdkappa.workbook.figures import Live


@gate
def report(
    data: pd.DataFrame | Counted,
    raters: Raters | None = None,
    *,
    by: By | None = None,
    coefficient: Coefficient = "cohen",
    weights: Weights | None = None,
    categories: Categories | None = None,
    distance: Distance = "value",
    missing: Missing = "pairwise",
    sample_weight: ItemWeights | None = None,
    cluster: ItemWeights | None = None,
    ci: Interval = "fisher",
    confidence_level: float = 0.95,
    n_resamples: int = 2000,
    rng: Seed = None,
    group_weights: GroupWeights | None = None,
    confusion: bool = True,
    drilldown: bool = True,
    crosscheck: bool = True,
) -> Report:
    """Collect everything about the agreement of some raters, ready to be exported.

    Parameters
    ----------
    data, raters, by, coefficient, weights, categories, distance, missing
        As in `pairs`.
    sample_weight, cluster, ci, confidence_level, n_resamples, rng
        As in `pairs`.
    group_weights : column label or dict or Series, optional
        As in `grouped`.
    confusion : bool, default True
        Whether to add a confusion table for each pair of raters (in each group). Without them
        a workbook holds plain values: there is nothing to compute them from.
    drilldown : bool, default True
        Whether to show which raters, categories and items cost agreement.
    crosscheck : bool, default True
        Whether to add the same numbers from other packages.

    Returns
    -------
    Report
        ``.tables``, a dict of frames: ``summary``, ``pairwise`` (for three raters and more
        also ``pairwise n_items``, ``pairwise observed_agreement`` and ``pairwise se``),
        ``pairs``, ``agreement`` of all raters together, with `by` also ``groups``, which holds
        each pair's groups, as they are in ``pairs``, and their means, ``pooled`` and
        ``heterogeneity`` (for two raters the whole panel of `grouped`); of the drill-down
        ``raters`` (of three and more), ``categories`` and ``items``, the 50 that cost most
        agreement; then the confusion tables, ``crosscheck`` and ``notes``. And
        ``.to_excel(path)``, where kappas are formulas over the confusion tables.

        There is no drill-down with ``missing="em"``, and none into items of a table.

    Raises
    ------
    KappaError
        As in `pairs`.

    Examples
    --------
    >>> df = pd.DataFrame({"ann": [1, 2, 3, 4, 3], "bob": [2, 2, 4, 4, 5]})
    >>> list(pdkappa.report(df, weights="quadratic", drilldown=False, crosscheck=False).tables)
    ['summary', 'pairwise', 'pairs', 'agreement', 'ann x bob', 'notes']
    """
    reading = Reading(by, weights, categories, distance, missing, sample_weight, cluster)
    interval = IntervalOptions(ci, confidence_level, n_resamples, rng)
    asked = analyse(data, raters, reading, coefficient, interval, group_weights=group_weights)
    return _collect(asked, Parts(confusion, drilldown, crosscheck))


@gate
def to_excel(
    data: pd.DataFrame | Counted,
    path: str | os.PathLike[str],
    raters: Raters | None = None,
    *,
    by: By | None = None,
    coefficient: Coefficient = "cohen",
    weights: Weights | None = None,
    categories: Categories | None = None,
    distance: Distance = "value",
    missing: Missing = "pairwise",
    sample_weight: ItemWeights | None = None,
    cluster: ItemWeights | None = None,
    ci: Interval = "fisher",
    confidence_level: float = 0.95,
    n_resamples: int = 2000,
    rng: Seed = None,
    group_weights: GroupWeights | None = None,
    confusion: bool = True,
    drilldown: bool = True,
    crosscheck: bool = True,
    formulas: bool = True,
    overwrite: bool = True,
) -> Path:
    """Write everything about the agreement of some raters to an Excel workbook.

    It is ``report(data, ...).to_excel(path)``: a summary, the pairwise matrices, the pairs, all
    raters together, the groups, what costs agreement, each confusion table with its figures and
    weights, the cross-check, and notes. Kappas are formulas over the confusion tables.

    Parameters
    ----------
    data : DataFrame, shape (N, ...)
        One row for each item, one column for each rater. Never changed.
    path : str or path-like
        File to write, usually ending in ``.xlsx``.
    raters, by, coefficient, weights, categories, distance, missing
        As in `pairs`.
    sample_weight, cluster, ci, confidence_level, n_resamples, rng
        As in `pairs`.
    group_weights, confusion, drilldown, crosscheck
        As in `report`.
    formulas : bool, default True
        Whether every kappa, group row and Fisher-z mean is a formula over the confusion tables
        in the workbook, so that it follows when a count is changed; else its value only. What
        stays a value either way, such as standard errors, is named in the notes.
    overwrite : bool, default True
        Whether an existing file is replaced. The old file is kept if anything fails.

    Returns
    -------
    Path
        The file written.

    Raises
    ------
    ExportError
        If a table does not fit a worksheet, or a label cannot be written.
    FileExistsError
        If the file exists and `overwrite` is False.
    KappaError
        As in `pairs`.

    See Also
    --------
    report : The same tables without a file.

    Examples
    --------
    >>> df = pdkappa.datasets.load_anxiety()
    >>> pdkappa.to_excel(df, "agreement.xlsx", weights="quadratic").name
    'agreement.xlsx'
    """
    destination(path, overwrite=overwrite)
    check_flag("formulas", formulas)
    reading = Reading(by, weights, categories, distance, missing, sample_weight, cluster)
    interval = IntervalOptions(ci, confidence_level, n_resamples, rng)
    asked = analyse(data, raters, reading, coefficient, interval, group_weights=group_weights)
    made = _collect(asked, Parts(confusion, drilldown, crosscheck))
    return made.to_excel(path, formulas=formulas, overwrite=overwrite)


class Parts(NamedTuple):
    """Which parts a report has beside the figures themselves."""

    confusion: bool
    drilldown: bool
    crosscheck: bool


def _collect(asked: Analysis, parts: Parts) -> Report:
    """Collect the sheets of a report, its headline, and the call that makes it again."""
    from pdkappa.present.html.headline import headline

    study, estimates, live = asked.study, asked.estimates, None
    if parts.confusion:
        workbook.check_categories(estimates.tables)
        live = live_tables(estimates, asked.coefficient, study.reading.missing)
    groups, whole = _groups(asked, live)
    sheets = [*_pairs(asked, live), *groups]
    if parts.drilldown:
        sheets += overview.drilldown_sheets(asked)
    if parts.confusion:
        sheets += [*workbook.confusion_sheets(estimates, live), *whole]
    if parts.crosscheck:
        plain = study.of_items()
        check = compare_packages(plain, estimate(plain, "cohen", USUAL), asked.group_weights)
        sheets.append(workbook.crosscheck_sheet(check))
    told = asked.options()
    sheets.append(workbook.notes_sheet(sheets, told, live=live is not None))
    summary = overview.summary_sheet(sheets, asked, live)
    passed = told | {"raters": asked.named, "group_weights": asked.group_weights}
    bound = "ratings" if isinstance(study.data, Counted) else "df.kappa"
    return Report(
        (summary, *sheets),
        asked.interval.level,
        headline=headline(
            summary,
            {sheet.name: sheet.frame for sheet in sheets},
            told,
            name=overview.spoken(asked),
            corrected=COEFFICIENTS[asked.coefficient].tested,
        ),
        call=call_of(report, passed | parts._asdict(), bound),
    )


def _pairs(asked: Analysis, live: Live | None) -> list[Sheet]:
    """Show the pairs as matrices and as a table, and all raters together."""
    # No limits are shown in a matrix, so that none are resampled.
    with_itself = estimate(asked.study, asked.coefficient, asked.fisher, with_itself=True)
    several = len(asked.estimates.tables.pairs) > 1
    matrices = [
        workbook.matrix_sheet(matrix_frame(with_itself, stat, min_items=0), asked.method, stat)
        for stat in ("estimate", *(workbook.MATRICES if several else ()))
    ]
    pairs = workbook.pairs_sheet(pairs_frame(asked.estimates), asked.method)
    together = overview.agreement_sheet(asked)
    if live is None:
        return [*matrices, pairs, together]
    return [
        *(with_cells(sheet, live) for sheet in matrices),
        with_rows(pairs, block_of_pairs(pairs.frame, live)),
        with_agreement(together, live),
    ]


def _groups(asked: Analysis, live: Live | None) -> tuple[list[Sheet], list[Sheet]]:
    """Show the groups of every pair of raters, and their means; and all groups together.

    Pairs are those among all raters, with the items and categories of `pairs`.
    """
    study, estimates = asked.study, asked.estimates
    if study.groups.labels is None:
        return [], []
    averaging = Averaging(FISHER_CAP, "paule_mandel", asked.interval.level)
    ask = Ask(asked.coefficient, asked.interval, averaging, asked.group_weights)
    results = {
        pair: of_pair(study, pair, estimates.of_pair(number), ask)
        for number, pair in enumerate(combinations(study.raters, 2))
    }
    if len(results) == 1:
        [one] = results.values()
        return group_sheets.sheets_of_pair(
            one.to_frame(), one.tables, one.note(), pooling=one.panel, live=live
        )
    result = of_pairs(study, results, ask)
    groups = workbook.groups_sheet(result.to_frame(), asked.method, (result.note(),))
    # The rest of its tables has rows for each pair and group, of which a report may have many.
    means = {"pooled": result.pooled, "heterogeneity": result.heterogeneity}
    panel = workbook.pooling_sheets({**means, "remarks": result.remarks.to_frame()})
    if live is None:
        return [groups, *panel], []
    return with_panel(groups, panel, blocks_of_pairs(live), averaging.clip), []
