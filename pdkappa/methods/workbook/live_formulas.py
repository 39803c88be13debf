"""Where the formulas of a workbook are, and which cells they read."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from pdkappa.coefficients.chance import COEFFICIENTS
from pdkappa.errors import ExportError
from pdkappa.methods.workbook.sheets import CATEGORIES, LINKED, Live, filled, formula, guarded
from pdkappa.present.sheets import MAX_COLUMNS, MAX_ROWS, CellRange, Formula, over, same_as

if TYPE_CHECKING:
    from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Sequence

    import pandas as pd

    from pdkappa._typing import FloatArray
    from pdkappa.methods.estimates.pair_frames import Estimates
    from pdkappa.present.sheets import Sheet
    from pdkappa.ratings.counted_pairs import PairTables

    Formulas = dict[tuple[int, int], Formula]


class Block(NamedTuple):
    """Rows of a frame: the groups of one pair of raters, and below them their means."""

    first: int  # row of the first group
    live: Live
    tables: Sequence[int | None]  # of each group; None where it has no figures

    @property
    def last(self) -> int:
        """Row of the last group."""
        return self.first + len(self.tables) - 1

    @property
    def mean(self) -> int:
        """Row of the Fisher-z mean."""
        return self.last + 1


def live_tables(estimates: Estimates, coefficient: str, name: Hashable = None) -> Live | None:
    """Take confusion tables as live; None without any, or where they do not give the figures."""
    if not estimates.tables.counts.n_tables:
        return None
    return Live(estimates, coefficient, name)


def place(sheet: Sheet, row: int, column: Hashable) -> tuple[int, int]:
    """Find a cell of a frame by its row and the name of its column."""
    return row, [*sheet.frame.columns].index(column)


def cell(sheet: Sheet, row: int, column: Hashable) -> CellRange:
    """Refer to a cell of a frame."""
    return span(sheet, row, row, column)


def span(sheet: Sheet, first: int, last: int, column: Hashable) -> CellRange:
    """Refer to some rows of a column of a frame."""
    number = place(sheet, first, column)[1]
    return CellRange(sheet.called, (first, last), (number, number))


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
    n_raters, n_pairs = len(tables.raters), tables.n_pairs
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


BOTH, ROW, COLUMN = "both", "row", "column"  # how the names of the cells begin


def with_categories(sheet: Sheet, live: Live) -> Sheet:
    """Let the share of the other raters who give a category too be that of the tables."""
    tables, in_use = live.estimates.tables, live.estimates.scale.in_use
    used = np.broadcast_to(in_use, (tables.n_groups, in_use.shape[-1]))
    if used.sum() != len(sheet.frame):
        return sheet
    formulas: Formulas = {}
    rows = iter(range(len(sheet.frame)))
    for group, one in enumerate(used):
        numbers = [group * tables.n_pairs + pair for pair in range(tables.n_pairs)]
        k = int(one.sum())
        for position in range(k):
            cells = dict(_cells(live, numbers, position, k))
            formulas[place(sheet, next(rows), "specific_agreement")] = share_of(cells)
    return replace(sheet, formulas=formulas)


def together(shares: Iterable[Formula]) -> Formula:
    """Compute one share of the cells of several, such as of a category in several groups."""
    return share_of({name: cell for one in shares for name, cell in one.cells.items()})


def share_of(cells: Mapping[str, CellRange]) -> Formula:
    """Twice the ratings of both raters over those of either."""
    both, row, column = (_sum(name, cells) for name in (BOTH, ROW, COLUMN))
    return Formula(guarded(f"{row}+{column}>0", f"2*{both}/({row}+{column})"), cells)


def _sum(begins: str, cells: Iterable[str]) -> str:
    """Add up the cells whose names begin so."""
    names = [f"{{{name}}}" for name in cells if name.partition("_")[0] == begins]
    return f"SUM({','.join(names)})"


def _cells(
    live: Live, numbers: Iterable[int], position: int, k: int
) -> Iterator[tuple[str, CellRange]]:
    """Find the cells of a category of K in some tables: on the diagonal, and its totals."""
    here, total = (position, position), (k, k)
    for number in numbers:
        key = live.key(number)
        yield f"{BOTH}_{number}", CellRange(key, here, here)
        yield f"{ROW}_{number}", CellRange(key, here, total)
        yield f"{COLUMN}_{number}", CellRange(key, total, here)


MEANS = ("fixed", "random")  # below the Fisher-z mean
WEIGHTED = "SUMPRODUCT({weight}*ISNUMBER({estimate}))"


def blocks_of(lives: Sequence[Live]) -> list[Block]:
    """Find the groups of the pairs of raters of each, one pair below the other."""
    blocks, first = list[Block](), 0
    for live in lives:
        n_tables, n_pairs = live.estimates.tables.counts.n_tables, live.estimates.tables.n_pairs
        for pair in range(n_pairs):
            blocks.append(block_of(live, range(pair, n_tables, n_pairs), first))
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
        "pooled": lambda sheet: with_means(sheet, groups, blocks)
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


CLOSE = 1e-12  # sums of weights, added up in two ways
EXPECTED = {row.many: row.expected for row in COEFFICIENTS.values()}


def with_agreement(sheet: Sheet, live: Live) -> Sheet:
    """Let coefficients of all raters be those of the tables, where no rating is missing.

    Light's kappa is the mean of Cohen's in any case.
    """
    tables, frame = live.estimates.tables, sheet.frame
    n_coefficients = len(frame) // tables.n_groups
    formulas: Formulas = {}
    for row in range(len(frame)):
        group = row // n_coefficients
        numbers = [group * tables.n_pairs + pair for pair in range(tables.n_pairs)]
        name = frame.index.get_level_values("coefficient")[row]
        if tables.only_joint or not all(map(live.has_figures, numbers)):
            continue
        is_light, is_pair = name not in EXPECTED, len(numbers) == 1
        found = _light(live, numbers) if is_light and not is_pair else {}
        if is_light and is_pair:  # Cohen's kappa of the joint items
            found = _all_raters("conger", live, numbers)
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
    chance, (names, cells) = EXPECTED[name], _names(live, numbers)
    observed, of_observed = _named("AVERAGE", "observed_disagreement", live, numbers)
    cells |= of_observed
    expected = filled(_one_term(chance.formula), names)
    by_chance = f"1-{expected}/{{largest_disagreement}}"
    estimate = guarded(f"{expected}>0", f"1-{observed}/({expected})")
    needs = filled(chance.needs, names)
    by_chance, estimate = guarded(needs, by_chance), guarded(needs, estimate)
    agreed = f"1-{observed}/{{largest_disagreement}}"
    return {
        "observed_agreement": formula(guarded("{n_items}>0", agreed), cells),
        "expected_agreement": formula(guarded("{n_items}>0", by_chance), cells),
        "estimate": formula(guarded("{n_items}>0", estimate), cells),
    }


def _names(live: Live, numbers: list[int]) -> tuple[dict[str, str], dict[str, CellRange]]:
    """Write the names of `Expected` for R raters who rated all items, over cells with names."""
    own, crossed = _named("AVERAGE", "margins_ab", live, numbers)
    pooled, of_margins = _pooled("margins", live, numbers)
    same, of_same = _pooled("same", live, numbers)
    figures = ("n_items", "largest_disagreement", "even_disagreement")
    cells = {name: live.figure(numbers[0], name) for name in figures}
    names = {
        "n_raters": str(len(live.estimates.tables.raters)),
        "n_categories": CATEGORIES,
        "own_margins": own,
        "pooled_margins": pooled,
        "pooled_same": same,
    }
    return names, cells | {"weights": live.weights(numbers[0])} | crossed | of_margins | of_same


def _one_term(text: str) -> str:
    """Put a sum into brackets, so that it can be compared and divided.

    >>> _one_term("{a}*(1-{b})"), _one_term("({a})-(1-{b})")
    ('{a}*(1-{b})', '(({a})-(1-{b}))')
    """
    depth = [text[:place].count("(") - text[:place].count(")") for place in range(len(text))]
    is_sum = any(one in "+-" and not deep for one, deep in zip(text, depth, strict=True))
    return f"({text})" if is_sum else text


def _named(
    function: str, figure: str, live: Live, numbers: list[int]
) -> tuple[str, dict[str, CellRange]]:
    """Apply a function to a figure of several tables; name the cells after it."""
    cells = {f"{figure}_{number}": live.figure(number, figure) for number in numbers}
    return f"{function}({','.join(f'{{{name}}}' for name in cells)})", cells


def _pooled(kind: str, live: Live, numbers: list[int]) -> tuple[str, dict[str, CellRange]]:
    """Draw twice from the mean of the totals of R raters, all of whom rated all items."""
    tables = live.estimates.tables
    own: dict[str, CellRange] = {}
    for number, (a, b) in zip(numbers, tables.pairs, strict=True):
        own.setdefault(f"{kind}_of_{a}", live.figure(number, f"{kind}_aa"))
        own.setdefault(f"{kind}_of_{b}", live.figure(number, f"{kind}_bb"))
    across, crossed = _named("SUM", f"{kind}_ab", live, numbers)
    alone = ",".join(f"{{{name}}}" for name in own)
    return f"(SUM({alone})+2*{across})/{len(tables.raters) ** 2}", own | crossed


MOST_CONFUSION_SHEETS = 200
MOST_SHEET_CATEGORIES = 200
TOO_FINE = (
    f"tables of more than {MOST_SHEET_CATEGORIES} categories, which nobody can read. Round the "
    "ratings or merge categories."
)
AROUND = 8  # rows of a sheet beside those of its table: title, headings and notes
N_MEANS = 3  # rows of the means below the groups of each pair


def check_fits(n_groups: int, n_raters: int, *, only_joint: bool = False) -> None:
    """Refuse what has more rows or columns than a worksheet holds.

    Only the pairs who share an item are listed where `only_joint` is true.
    """
    n_pairs = 1 if only_joint else n_raters * (n_raters - 1) // 2
    rows = max(n_groups * n_pairs, n_groups * n_raters) + N_MEANS * n_pairs + AROUND
    what = f"{n_raters} raters" + (f" in {n_groups} groups" if n_groups > 1 else "")
    for needed, most, unit in ((rows, MAX_ROWS, "rows"), (n_raters + 2, MAX_COLUMNS, "columns")):
        if needed > most:
            raise ExportError(
                f"A workbook of {what} needs a sheet of about {needed} {unit}, and {most} is the "
                "most that a worksheet holds. Pass fewer raters or groups, or save the frames of "
                "pairs() with to_csv or to_parquet."
            )


def why_no_tables(every: Sequence[PairTables]) -> str:
    """Say why confusion tables are left out of a workbook or page; nothing if they fit."""
    n_tables = sum(tables.counts.n_tables for tables in every)
    most = max(len(tables.categories) for tables in every)
    if n_tables > MOST_CONFUSION_SHEETS:
        why = f"{n_tables:,} confusion tables: at most {MOST_CONFUSION_SHEETS} can be read"
    elif most > MOST_SHEET_CATEGORIES:
        return f"Left out: {TOO_FINE} Without them, figures are plain values."
    else:
        return ""
    return (
        f"Left out: {why}. confusion(rater_a, rater_b) gives any of them, and a report of fewer "
        "raters or groups has them. Without them, figures are plain values."
    )
