"""Sheets of results -> the same sheets in the words of people who write no Python."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import pandas as pd

from pdkappa.coefficients.all_raters import MULTIRATER
from pdkappa.present import schema
from pdkappa.present.labels import heading_of, titled
from pdkappa.present.sheets import totals_in

if TYPE_CHECKING:
    from collections.abc import Collection, Hashable, Mapping

    from pdkappa.present.sheets import Formula, Sheet

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
    "remarks": "Remarks",
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
    "kappas": "Humans and judges",
    "judges": "Judges",
    "tests": "Tests",
    "annotators": "Human by human",
    "classes": "Labels",
    "repeats": "Asked again",
    "positions": "Order of options",
    "drift": "Drift",
    "verdicts": "Verdicts",
}
MEANS: dict[Hashable, Hashable] = {
    "fisher_mean": "Mean (Fisher z)",
    "fixed": "One true value (fixed)",
    "random": "Varying groups (random)",
}
SILENT = ("reason", "remark", "note")  # folded away where they are empty
TECHNICAL = {
    *("fisher_z", "se_fisher_z", "weight", "max_estimate", "n_raters", "n_ratings"),
    *("effect_ci_low", "effect_ci_high", "se_effect", "kappa_with_others", "light_without"),
    *("n_machine_pairs", "n_human_pairs", "n_clipped"),
}
FIXED: dict[str, dict[Hashable, str]] = {  # of a kind of sheets
    "table": {None: "Row"},
    "text": {"item": "Word", "text": "Meaning"},
    "list": {"meaning": "What it is"},
}
OF_WORDS = {"verdicts"}  # whose columns are in no result
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
        own = sheet.name in OF_WORDS
        known += [name for name in frame.columns if own or name in by or _is_known(name)]
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


def _is_known(name: object) -> bool:
    """Tell whether a column is one of the vocabulary."""
    return isinstance(name, str) and name in schema.COLUMNS


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
