"""Sheets of groups -> the same sheets, with their means as formulas."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from pdkappa.present.sheets import CellRange, Formula, over, same_as
from pdkappa.workbook.figures import Live, formula, guarded
from pdkappa.workbook.links import Block, block_of, cell, place, span, with_rows

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from pdkappa._typing import FloatArray
    from pdkappa.present.sheets import Sheet
    from pdkappa.workbook.links import Formulas

MEANS = ("fixed", "random")  # below the Fisher-z mean
WEIGHTED = "SUMPRODUCT({weight}*ISNUMBER({estimate}))"


def blocks_of(lives: Sequence[Live]) -> list[Block]:
    """Find the groups of pairs of raters, one below the other, each with tables of its own."""
    blocks, first = [], 0
    for live in lives:
        n_groups = live.estimates.tables.n_groups
        blocks.append(block_of(live, range(n_groups), first))
        first = blocks[-1].mean + 1 + len(MEANS)
    return blocks


def blocks_of_pairs(live: Live) -> list[Block]:
    """Find the groups of pairs of raters, one below the other, among the tables of all raters."""
    n_pairs, blocks, first = live.estimates.tables.n_pairs, [], 0
    for pair in range(n_pairs):
        numbers = range(pair, live.estimates.tables.counts.n_tables, n_pairs)
        blocks.append(block_of(live, numbers, first))
        first = blocks[-1].mean + 1 + len(MEANS)
    return blocks


def with_panel(
    groups: Sheet,
    panel: list[Sheet],
    blocks: list[Block],
    clip: float | None,
    whole: Live | None = None,
) -> list[Sheet]:
    """Let groups be those of the tables, and what is computed from groups those of the groups.

    `whole` is the table of all groups together, for two raters.
    """
    groups = with_groups(groups, blocks, clip)
    makers: dict[str, Callable[[Sheet], Sheet]] = {
        "pooled": lambda sheet: with_means(sheet, groups, blocks),
    }
    if len(blocks) == 1:
        makers |= {
            "leave_one_out": lambda sheet: without_one(sheet, groups, blocks[0]),
            "stratified": lambda sheet: with_strata(sheet, groups, blocks[0], whole),
        }
    linked = [makers[one.name](one) if one.name in makers else one for one in panel]
    return [groups, *linked]


def with_groups(sheet: Sheet, blocks: list[Block], clip: float | None) -> Sheet:
    """Let groups be those of the tables, and the Fisher-z mean that of the groups."""
    for block in blocks:
        sheet = with_rows(sheet, block)
    estimate = sheet.frame["estimate"].to_numpy(dtype=np.float64)
    groups = [row for block in blocks for row in range(block.first, block.last + 1)]
    if clip is None and (np.abs(estimate[groups]) == 1).any():  # infinite, and so is the mean
        return sheet
    formulas = dict(sheet.formulas)
    for row in groups:
        formulas[place(sheet, row, "fisher_z")] = _fisher_z(cell(sheet, row, "estimate"), clip)
    for block in blocks:
        formulas |= _mean_of(sheet, block)
    if len(sheet.frame) > blocks[-1].mean + 1 + len(MEANS):
        formulas |= _mean_of_all(sheet, blocks)
    return replace(sheet, formulas=formulas)


def _fisher_z(estimate: CellRange, clip: float | None) -> Formula:
    """Transform an estimate, clipped."""
    text = "{e}" if clip is None else f"MAX(-{clip!r},MIN({clip!r},{{e}}))"
    return Formula(guarded("ISNUMBER({e})", f"FISHER({text})"), {"e": estimate})


def _mean_of(sheet: Sheet, block: Block) -> Formulas:
    """Average the groups of one pair of raters."""
    names = ("n_items", "estimate", "fisher_z", "weight")
    spans = {name: span(sheet, block.first, block.last, name) for name in names}
    z = guarded(f"{WEIGHTED}>0", f"SUMPRODUCT({{weight}},{{fisher_z}})/{WEIGHTED}")
    rows = range(block.mean, block.mean + 1 + len(MEANS))
    return {
        place(sheet, block.mean, "fisher_z"): formula(z, spans),
        place(sheet, block.mean, "weight"): formula(WEIGHTED, spans),
        place(sheet, block.mean, "estimate"): _carried_back(sheet, block.mean),
    } | {place(sheet, row, "n_items"): formula("SUM({n_items})", spans) for row in rows}


def _mean_of_all(sheet: Sheet, blocks: list[Block]) -> Formulas:
    """Average the groups of all pairs of raters, in the last row.

    Where all pairs have the same items, these are its items; else they are in no table.
    """
    row, n_items = len(sheet.frame) - 1, sheet.frame["n_items"].to_numpy(dtype=np.float64)
    weights = over("SUM", [cell(sheet, block.mean, "weight") for block in blocks])
    items = over("MAX", [cell(sheet, block.mean, "n_items") for block in blocks])
    cells, terms = {"all": cell(sheet, row, "weight")}, []
    for number, block in enumerate(blocks):
        for letter, name in (("w", "weight"), ("z", "fisher_z")):
            cells[f"{letter}{number}"] = span(sheet, block.first, block.last, name)
        terms.append(f"SUMPRODUCT({{w{number}}},{{z{number}}})")
    z = guarded("{all}>0", f"({'+'.join(terms)})/{{all}}")
    found = {
        place(sheet, row, "weight"): weights,
        place(sheet, row, "fisher_z"): Formula(z, cells),
        place(sheet, row, "estimate"): _carried_back(sheet, row),
    }
    is_same = (n_items[[row, *(block.mean for block in blocks)]] == n_items[row]).all()
    return found | ({place(sheet, row, "n_items"): items} if is_same else {})


def _carried_back(sheet: Sheet, row: int) -> Formula:
    """Carry a mean of z back to the scale of the coefficient."""
    return Formula(guarded("ISNUMBER({z})", "FISHERINV({z})"), {"z": cell(sheet, row, "fisher_z")})


def with_means(sheet: Sheet, groups: Sheet, blocks: list[Block]) -> Sheet:
    """Let the Fisher-z means of the sheet of means be those of the sheet of groups."""
    rows = {number * (1 + len(MEANS)): block.mean for number, block in enumerate(blocks)}
    if len(sheet.frame) > len(blocks) * (1 + len(MEANS)):
        rows[len(sheet.frame) - 1] = len(groups.frame) - 1
    formulas = {
        place(sheet, row, "estimate"): same_as(cell(groups, source, "estimate"))
        for row, source in rows.items()
        if place(groups, source, "estimate") in groups.formulas
    }
    return replace(sheet, formulas=formulas)


def without_one(sheet: Sheet, groups: Sheet, block: Block) -> Sheet:
    """Let the Fisher-z mean without each group be computed from the sheet of groups."""
    if place(groups, block.mean, "estimate") not in groups.formulas:
        return sheet
    weight = groups.frame["weight"].to_numpy(dtype=np.float64)[block.first : block.last + 1]
    names = ("estimate", "fisher_z", "weight")
    spans = {name: span(groups, block.first, block.last, name) for name in names}
    rest = f"({WEIGHTED}-{{w}}*ISNUMBER({{e}}))"
    text = guarded(
        f"{rest}>0", f"FISHERINV((SUMPRODUCT({{weight}},{{fisher_z}})-{{w}}*N({{z}}))/{rest})"
    )
    formulas = {}
    known = sheet.frame["fisher_mean"].notna().tolist()
    for row, group in enumerate(np.flatnonzero(weight > 0) + block.first):
        one = {
            letter: cell(groups, int(group), name)
            for letter, name in zip("ezw", names, strict=True)
        }
        if known[row]:
            formulas[place(sheet, row, "fisher_mean")] = formula(text, spans | one)
    return replace(sheet, formulas=formulas)


def with_strata(sheet: Sheet, groups: Sheet, block: Block, whole: Live | None) -> Sheet:
    """Let the means on the scale of the coefficient be computed from groups and tables."""
    names = ("n_items", "estimate", "weight")
    spans = {name: span(groups, block.first, block.last, name) for name in names}
    used = "({weight}>0)*ISNUMBER({estimate})"
    n_items = f"{{n_items}}{_times_means(block.live)}"
    count, size = f"SUMPRODUCT({used})", f"SUMPRODUCT({used},{n_items})"
    means = {
        "equal": guarded(f"{count}>0", f"SUMPRODUCT({used},{{estimate}})/{count}"),
        "size": guarded(f"{size}>0", f"SUMPRODUCT({used},{n_items},{{estimate}})/{size}"),
    }
    rows = sheet.frame.index.tolist()
    formulas = {
        place(sheet, rows.index(name), "estimate"): formula(text, spans)
        for name, text in means.items()
    }
    within = _within(groups, block)
    if within is not None and sheet.frame["estimate"].notna()["within"]:
        formulas[place(sheet, rows.index("within"), "estimate")] = within
    if whole is not None and whole.has_figures(0):
        where = place(sheet, rows.index("crude"), "estimate")
        formulas[where] = same_as(whole.figure(0, "estimate"))
    return replace(sheet, formulas=formulas)


def _within(groups: Sheet, block: Block) -> Formula | None:
    """Compare all disagreement with all that is expected within the groups."""
    weight = groups.frame["weight"].to_numpy(dtype=np.float64)
    counted = [one for row, one in enumerate(block.tables, block.first) if weight[row] > 0]
    tables = [number for number in counted if number is not None]
    if len(tables) < len(counted):
        return None
    cells, sums = {}, {}
    for name in ("observed_disagreement", "expected_disagreement"):
        terms = []
        for number in tables:
            cells[f"n{number}"] = block.live.figure(number, "n_items")
            cells[f"{name[0]}{number}"] = block.live.figure(number, name)
            times = _times_mean(block.live, number)
            terms.append(f"{{n{number}}}{times}*N({{{name[0]}{number}}})")
        sums[name] = f"({'+'.join(terms)})"
    return Formula(f"1-{sums['observed_disagreement']}/{sums['expected_disagreement']}", cells)


def with_sums(sheet: Sheet, live: Live, weight: FloatArray) -> Sheet:
    """Let the counts of all groups together be the sums of those that have a weight."""
    in_use = live.estimates.scale.in_use
    groups = np.flatnonzero(weight > 0).tolist()
    used = np.broadcast_to(in_use, (len(weight), in_use.shape[1]))[:, in_use.any(axis=0)]
    position = np.cumsum(used, axis=1) - 1
    formulas = dict(sheet.formulas)
    for i, j in np.ndindex(used.shape[1], used.shape[1]):
        cells = {
            g: CellRange(live.key(g), (row, row), (column, column))
            for g in groups
            if used[g, i] and used[g, j]
            for row, column in [(int(position[g, i]), int(position[g, j]))]
        }
        if cells and live.estimates.tables.groups.mean_weight is None:
            formulas[i, j] = over("SUM", [*cells.values()])
        elif cells:
            terms = [f"{{g{group}}}{_times_mean(live, group)}" for group in cells]
            named = {f"g{group}": one for group, one in cells.items()}
            formulas[i, j] = Formula("+".join(terms), named)
    return replace(sheet, formulas=formulas)


def _times_mean(live: Live, group: int) -> str:
    """Weigh a group of a sample as it counts beside others; empty elsewhere."""
    mean = live.estimates.tables.groups.mean_weight
    return "" if mean is None else f"*{float(mean[group])!r}"


def _times_means(live: Live) -> str:
    """Weigh all groups of a sample, one below the other, as they count beside each other."""
    mean = live.estimates.tables.groups.mean_weight
    return "" if mean is None else f"*{{{{{';'.join(map(repr, mean.tolist()))}}}}}"
