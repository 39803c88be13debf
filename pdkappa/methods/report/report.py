"""Everything about the agreement of some raters in one report."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

from pdkappa.methods.drilldown.items import beside
from pdkappa.methods.estimates.options import IntervalOptions, gate
from pdkappa.methods.estimates.weightings import AUTO_WEIGHTS
from pdkappa.methods.report.analysis import Parts, analyse
from pdkappa.methods.report.collect import collect
from pdkappa.ratings.options import Reading

if TYPE_CHECKING:
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
    from pdkappa.methods.report.result import Report
    from pdkappa.ratings.coded import Counted


@gate
def report(
    data: pd.DataFrame | Counted,
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

        There is no drill-down with ``missing="em"``, and none into items of a table.

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
    >>> list(pdkappa.report(df, weights="quadratic", drilldown=False, crosscheck=False).tables)
    ['summary', 'pairwise', 'pairs', 'agreement', 'ann x bob', 'notes']
    """
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
    return collect(asked, parts, report)
