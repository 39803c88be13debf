"""Everything about the agreement of some raters, in a workbook or on a page."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

from pdkappa.methods.drilldown.items import beside
from pdkappa.methods.estimates.options import IntervalOptions, gate
from pdkappa.methods.estimates.weightings import AUTO_WEIGHTS
from pdkappa.methods.report.analysis import Parts, analyse
from pdkappa.methods.report.collect import collect
from pdkappa.methods.report.report import report
from pdkappa.present.files import check_target
from pdkappa.ratings.options import Reading

if TYPE_CHECKING:
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
        Label,
        Missing,
        Raters,
        Seed,
        Weights,
        WeightType,
    )
    from pdkappa.methods.workbook.book import Detail
    from pdkappa.present.files import Target
    from pdkappa.ratings.coded import Counted


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
    distance: Distance = "value",
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
    distance : {"value", "rank"}
        Whether distances are those of the values or of the ranks of the categories.
    missing : {"pairwise", "listwise", "raise", "em"}
        Use the items that both raters of a pair rated, use those that all raters rated, or raise
        an error; or estimate by the EM algorithm. See `pairs`.
    sample_weight : column label or array of shape (N,), optional
        How much each item counts: by default, 2 counts an item twice.
    weight_type : {"frequency", "probability"} or None
        Whether weights are numbers of items or sampling weights, of which only the proportions
        matter; see `pdkappa.pairs`. None: numbers of items, if they are whole.
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
    >>> pdkappa.to_excel(df, "agreement.xlsx", weights="quadratic").name
    'agreement.xlsx'
    """
    from pdkappa.present.excel_writer import check_workbook

    check_workbook(path, formulas=formulas, overwrite=overwrite)
    parts = Parts(confusion, drilldown, crosscheck, title, detail)
    reading = Reading(
        by, weights, categories, distance, missing, sample_weight, weight_type, cluster
    )
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
    distance: Distance = "value",
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
    distance : {"value", "rank"}
        Whether distances are those of the values or of the ranks of the categories.
    missing : {"pairwise", "listwise", "raise", "em"}
        Use the items that both raters of a pair rated, use those that all raters rated, or raise
        an error; or estimate by the EM algorithm. See `pairs`.
    sample_weight : column label or array of shape (N,), optional
        How much each item counts: by default, 2 counts an item twice.
    weight_type : {"frequency", "probability"} or None
        Whether weights are numbers of items or sampling weights, of which only the proportions
        matter; see `pdkappa.pairs`. None: numbers of items, if they are whole.
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
    >>> pdkappa.to_html(df, "agreement.html", weights="quadratic").name
    'agreement.html'
    """
    check_target(path, overwrite=overwrite)
    parts = Parts(confusion, drilldown, crosscheck, title, detail)
    reading = Reading(
        by, weights, categories, distance, missing, sample_weight, weight_type, cluster
    )
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
