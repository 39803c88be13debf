"""Sheets -> the same sheets, with references to the figures below the confusion tables."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from pdkappa.present.excel.formulas import Cells, Formula, over, same_as
from pdkappa.workbook.figures import LINKED, Live, formula, guarded

if TYPE_CHECKING:
    from collections.abc import Callable, Hashable, Sequence

    import pandas as pd

    from pdkappa._typing import FloatArray
    from pdkappa.estimation.frames import Estimates
    from pdkappa.present.excel.sheets import Sheet

    Formulas = dict[tuple[int, int], Formula]

CLOSE = 1e-12  # sums of weights, added up in two ways
MEANS = ("fixed", "random")  # below the Fisher-z mean
FIXED = {"percent", "brennan_prediger"}  # whose chance agreement needs no items
WEIGHTED = "SUMPRODUCT({weight}*ISNUMBER({estimate}))"


class Block(NamedTuple):
    """Rows of a frame: the groups of one pair of raters, and below them their means.

    Attributes
    ----------
    first : int
        Row of the first group.
    live : Live
        The confusion tables.
    tables : sequence of (int or None)
        Table of each group; None where it has no figures.
    """

    first: int
    live: Live
    tables: Sequence[int | None]

    @property
    def last(self) -> int:
        """Row of the last group."""
        return self.first + len(self.tables) - 1

    @property
    def mean(self) -> int:
        """Row of the Fisher-z mean."""
        return self.last + 1


def live_tables(
    estimates: Estimates, options: dict[str, Any], name: Hashable = None
) -> Live | None:
    """Take confusion tables as live; None without any, or where they do not give the figures."""
    if options["missing"] == "em" or not estimates.tables.counts.n_tables:
        return None
    return Live(estimates, options["coefficient"], name)


def place(sheet: Sheet, row: int, column: Hashable) -> tuple[int, int]:
    """Find a cell of a frame by its row and the name of its column."""
    return row, [*sheet.frame.columns].index(column)


def cell(sheet: Sheet, row: int, column: Hashable) -> Cells:
    """Refer to a cell of a frame."""
    return span(sheet, row, row, column)


def span(sheet: Sheet, first: int, last: int, column: Hashable) -> Cells:
    """Refer to some rows of a column of a frame."""
    number = place(sheet, first, column)[1]
    return Cells(sheet.called, (first, last), (number, number))


def with_rows(sheet: Sheet, block: Block) -> Sheet:
    """Let the figures of each row be those of its table, and lead to it."""
    formulas, links, live = dict(sheet.formulas), dict(sheet.links), block.live
    for row, number in enumerate(block.tables, block.first):
        if number is not None:
            for name in LINKED:
                formulas[place(sheet, row, name)] = same_as(live.figure(number, name))
            for name in ("n_items", "estimate"):
                links[place(sheet, row, name)] = live.key(number)
    return replace(sheet, formulas=formulas, links=links)


def with_cells(sheet: Sheet, live: Live) -> Sheet:
    """Let the cells of a matrix of raters be those of the tables, and lead to them."""
    tables, formulas, links = live.estimates.tables, {}, {}
    n_raters, n_pairs = len(tables.raters), len(tables.pairs)
    for number in range(tables.counts.n_tables):
        group, pair = divmod(number, n_pairs)
        if not live.has_figures(number):
            continue
        for a, b in (tables.pairs[pair], tables.pairs[pair][::-1]):
            where = (group * n_raters + a, b)
            links[where] = live.key(number)
            if sheet.stat in LINKED:
                formulas[where] = same_as(live.figure(number, sheet.stat))
    return replace(sheet, formulas=formulas, links=links)


def block_of_pairs(frame: pd.DataFrame, live: Live) -> Block:
    """Find the table of each row of `pairs`, which leaves out raters that share no item."""
    n_items = live.estimates.summary.n_items
    every = np.arange(len(n_items)) if len(frame) == len(n_items) else np.flatnonzero(n_items > 0)
    return block_of(live, every.tolist())


def block_of(live: Live, tables: Sequence[int], first: int = 0) -> Block:
    """Take the rows of some tables, as far as these have figures."""
    return Block(first, live, [one if live.has_figures(one) else None for one in tables])


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
    n_pairs, blocks, first = len(live.estimates.tables.pairs), [], 0
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


def _fisher_z(estimate: Cells, clip: float | None) -> Formula:
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
    """Average the groups of all pairs of raters, in the last row."""
    row = len(sheet.frame) - 1
    weights = over("SUM", [cell(sheet, block.mean, "weight") for block in blocks])
    items = over("SUM", [cell(sheet, block.mean, "n_items") for block in blocks])
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
    return found | {place(sheet, row, "n_items"): items}


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
    count, size = f"SUMPRODUCT({used})", f"SUMPRODUCT({used},{{n_items}})"
    means = {
        "equal": guarded(f"{count}>0", f"SUMPRODUCT({used},{{estimate}})/{count}"),
        "size": guarded(f"{size}>0", f"SUMPRODUCT({used},{{n_items}},{{estimate}})/{size}"),
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
            terms.append(f"{{n{number}}}*N({{{name[0]}{number}}})")
        sums[name] = f"({'+'.join(terms)})"
    return Formula(f"1-{sums['observed_disagreement']}/{sums['expected_disagreement']}", cells)


def with_sums(sheet: Sheet, live: Live, weight: FloatArray) -> Sheet:
    """Let the counts of all groups together be the sums of those that have a weight."""
    in_use = live.estimates.tables.in_use
    groups = np.flatnonzero(weight > 0).tolist()
    used = np.broadcast_to(in_use, (len(weight), in_use.shape[1]))[:, in_use.any(axis=0)]
    position = np.cumsum(used, axis=1) - 1
    formulas = dict(sheet.formulas)
    for i, j in np.ndindex(used.shape[1], used.shape[1]):
        cells = [
            Cells(live.key(g), (row, row), (column, column))
            for g in groups
            if used[g, i] and used[g, j]
            for row, column in [(int(position[g, i]), int(position[g, j]))]
        ]
        if cells:
            formulas[i, j] = over("SUM", cells)
    return replace(sheet, formulas=formulas)


def with_agreement(sheet: Sheet, live: Live) -> Sheet:
    """Let coefficients of all raters be those of the tables, where no rating is missing.

    Light's kappa is the mean of Cohen's in any case.
    """
    tables, frame = live.estimates.tables, sheet.frame
    n_coefficients = len(frame) // tables.n_groups
    formulas: Formulas = {}
    for row in range(len(frame)):
        group = row // n_coefficients
        numbers = [group * len(tables.pairs) + pair for pair in range(len(tables.pairs))]
        name = frame.index.get_level_values("coefficient")[row]
        if tables.only_joint or not all(map(live.has_figures, numbers)):
            continue
        found = _light(live, numbers) if name == "light" else {}
        if _is_complete(frame, row, len(tables.raters)):
            found = found or _all_raters(name, live, numbers)
            found["n_items"] = same_as(live.figure(numbers[0], "n_items"))
        for column, one in found.items():
            formulas[place(sheet, row, column)] = one
    return replace(sheet, formulas=formulas)


def _is_complete(frame: pd.DataFrame, row: int, n_raters: int) -> bool:
    """Tell whether all raters rated all items."""
    n_items, n_ratings = (float(frame[name].iloc[row]) for name in ("n_items", "n_ratings"))
    return n_items > 0 and bool(np.isclose(n_ratings, n_raters * n_items, rtol=CLOSE))


def _light(live: Live, numbers: list[int]) -> dict[str, Formula]:
    """Average the kappas of the pairs that are defined."""
    kappas = [live.cohen(number) for number in numbers]
    mean, count = over("AVERAGE", kappas), over("COUNT", kappas)
    estimate = Formula(guarded(f"{count.text}>0", mean.text), mean.cells)
    if any(np.isnan(live.known[number]["cohen_kappa"]) for number in numbers):
        return {"estimate": estimate}
    top = {"top": live.figure(numbers[0], "largest_disagreement")}
    observed, of_observed = _named("AVERAGE", "observed_disagreement", live, numbers)
    expected, of_expected = _named("AVERAGE", "margins_ab", live, numbers)
    every, cells = f"{count.text}={len(kappas)}", top | dict(count.cells)
    return {
        "estimate": estimate,
        "observed_agreement": Formula(guarded(every, f"1-{observed}/{{top}}"), of_observed | cells),
        "expected_agreement": Formula(guarded(every, f"1-{expected}/{{top}}"), of_expected | cells),
    }


def _all_raters(name: str, live: Live, numbers: list[int]) -> dict[str, Formula]:
    """Compute a coefficient of R raters who rated all items."""
    n_raters = len(live.estimates.tables.raters)
    observed, cells = _named("AVERAGE", "observed_disagreement", live, numbers)
    conger, crossed = _named("AVERAGE", "margins_ab", live, numbers)
    pooled, of_margins = _pooled("margins", live, numbers)
    same, of_same = _pooled("same", live, numbers)
    cells |= crossed | of_margins | of_same
    cells |= {
        "n": live.figure(numbers[0], "n_items"),
        "top": live.figure(numbers[0], "largest_disagreement"),
        "even": live.figure(numbers[0], "even_disagreement"),
        "weights": live.weights(numbers[0]),
    }
    expected = {
        "percent": "{top}",
        "brennan_prediger": "{even}",
        "fleiss": pooled,
        "conger": conger,
        "gwet": f"({{top}}-({{top}}-{{even}})*ROWS({{weights}})/(ROWS({{weights}})-1)*(1-{same}))",
        "krippendorff": f"{pooled}*{n_raters}*{{n}}/({n_raters}*{{n}}-1)",
    }[name]
    by_chance = f"1-{expected}/{{top}}"
    estimate = guarded(f"{expected}>0", f"1-{observed}/({expected})")
    if name == "krippendorff":
        enough = f"{n_raters}*{{n}}>1"
        by_chance = guarded(enough, guarded(f"{expected}>0", by_chance))
        estimate = guarded(enough, estimate)
    if name == "gwet":
        several = "ROWS({weights})>1"
        by_chance, estimate = (guarded(several, one) for one in (by_chance, estimate))
    if name not in FIXED:
        by_chance = guarded("{n}>0", by_chance)
    return {
        "observed_agreement": formula(guarded("{n}>0", f"1-{observed}/{{top}}"), cells),
        "expected_agreement": formula(by_chance, cells),
        "estimate": formula(guarded("{n}>0", estimate), cells),
    }


def _named(
    function: str, figure: str, live: Live, numbers: list[int]
) -> tuple[str, dict[str, Cells]]:
    """Apply a function to a figure of several tables; name the cells after it."""
    cells = {f"{figure}_{number}": live.figure(number, figure) for number in numbers}
    return f"{function}({','.join(f'{{{name}}}' for name in cells)})", cells


def _pooled(kind: str, live: Live, numbers: list[int]) -> tuple[str, dict[str, Cells]]:
    """Draw twice from the mean of the totals of R raters, all of whom rated all items."""
    tables = live.estimates.tables
    own: dict[str, Cells] = {}
    for number, (a, b) in zip(numbers, tables.pairs, strict=True):
        own.setdefault(f"{kind}_of_{a}", live.figure(number, f"{kind}_aa"))
        own.setdefault(f"{kind}_of_{b}", live.figure(number, f"{kind}_bb"))
    across, crossed = _named("SUM", f"{kind}_ab", live, numbers)
    alone = ",".join(f"{{{name}}}" for name in own)
    return f"(SUM({alone})+2*{across})/{len(tables.raters) ** 2}", own | crossed
