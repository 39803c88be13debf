"""Everything about the agreement of some raters in one report."""

from __future__ import annotations

from itertools import combinations
from typing import TYPE_CHECKING, Any

import pandas as pd

from pdkappa import workbook
from pdkappa.core.inference import FISHER_CAP
from pdkappa.crosscheck import compare_packages
from pdkappa.estimation import estimate
from pdkappa.frames import matrix_frame, pairs_frame
from pdkappa.grouping import grouped_by, grouped_pairs
from pdkappa.present.files import destination
from pdkappa.results import Report

if TYPE_CHECKING:
    import os
    from collections.abc import Iterator
    from pathlib import Path

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
    )
    from pdkappa.group_results import GroupedAgreement, GroupedPairs
    from pdkappa.present.sheets import Sheet
    from pdkappa.ratings import Counted


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
        Whether to add a confusion table for each pair of raters (in each group).
    crosscheck : bool, default True
        Whether to add the same numbers from other packages.

    Returns
    -------
    Report
        ``.tables``, a dict of frames: ``pairwise``, ``pairs``, with `by` also ``groups``,
        which holds each pair's groups and their means, ``pooled`` and ``heterogeneity`` (for
        two raters the whole panel of `grouped`), then the confusion tables, ``crosscheck``
        and ``notes``; and ``.to_excel(path)``.

    Raises
    ------
    KappaError
        As in `pairs`.

    Examples
    --------
    >>> df = pd.DataFrame({"ann": [1, 2, 3, 4, 3], "bob": [2, 2, 4, 4, 5]})
    >>> list(pdkappa.report(df, weights="quadratic").tables)
    ['pairwise', 'pairs', 'ann x bob', 'crosscheck', 'notes']
    """
    shared: dict[str, Any] = {
        "by": by,
        "weights": weights,
        "categories": categories,
        "distance": distance,
        "missing": missing,
        "sample_weight": sample_weight,
    }
    inference: dict[str, Any] = {
        "coefficient": coefficient,
        "cluster": cluster,
        "ci": ci,
        "confidence_level": confidence_level,
        "n_resamples": n_resamples,
        "rng": rng,
    }
    estimates = estimate(data, raters, **shared, **inference)
    table, raters = pairs_frame(estimates), estimates.tables.raters
    sheets: list[Sheet] = []
    matrix = matrix_frame(
        estimate(data, raters, **shared, **inference, with_itself=True, quiet=True),
        "estimate",
        min_items=1,
    )
    sheets.append(workbook.matrix_sheet(matrix, inference | shared))
    sheets.append(workbook.pairs_sheet(table, inference | shared))
    if by is not None and isinstance(data, pd.DataFrame):
        pooling = {"group_weights": group_weights, "clip": FISHER_CAP}
        sheets += _groups(data, raters, inference | shared | pooling)
    if confusion:
        sheets += workbook.confusion_sheets(estimates.tables)
    if crosscheck:
        check = compare_packages(data, raters, group_weights=group_weights, quiet=True, **shared)
        sheets.append(workbook.crosscheck_sheet(check))
    options = {"raters": raters, **shared, **inference}
    if by is not None:
        options["group_weights"] = group_weights
    columns = [
        name for sheet in sheets for name in (*sheet.frame.index.names, *sheet.frame.columns)
    ]
    sheets.append(workbook.notes_sheet(columns, options))
    return Report(tuple(sheets))


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
    crosscheck: bool = True,
    overwrite: bool = True,
) -> Path:
    """Write everything about the agreement of some raters to an Excel workbook.

    It is ``report(data, ...).to_excel(path)``: a sheet with the pairwise matrix, one with
    the pairs, the groups, each confusion table, the cross-check, and notes.

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
    group_weights, confusion, crosscheck
        As in `report`.
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
    made = report(
        data,
        raters,
        by=by,
        coefficient=coefficient,
        weights=weights,
        categories=categories,
        distance=distance,
        missing=missing,
        sample_weight=sample_weight,
        cluster=cluster,
        ci=ci,
        confidence_level=confidence_level,
        n_resamples=n_resamples,
        rng=rng,
        group_weights=group_weights,
        confusion=confusion,
        crosscheck=crosscheck,
    )
    return made.to_excel(path, overwrite=overwrite)


def _groups(
    data: pd.DataFrame,
    raters: list[Label],
    options: dict[str, Any],
) -> Iterator[Sheet]:
    """Show the groups of every pair of raters, their means, and how far they differ."""
    pairs = list(combinations(raters, 2))
    result: GroupedAgreement | GroupedPairs
    if len(pairs) == 1:
        result = grouped_by(data, *pairs[0], quiet=True, **options)
    else:
        result = grouped_pairs(data, pairs, quiet=True, **options)
    yield workbook.groups_sheet(result.to_frame(), options, (result.note(),))
    yield from workbook.pooling_sheets(result.tables)
