"""The sheet of all raters together -> the same sheet, with formulas."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from pdkappa.coefficients.chance import COEFFICIENTS
from pdkappa.present.sheets import CellRange, Formula, over, same_as
from pdkappa.workbook.figures import CATEGORIES, Live, filled, formula, guarded
from pdkappa.workbook.links import place

if TYPE_CHECKING:
    import pandas as pd

    from pdkappa.present.sheets import Sheet
    from pdkappa.workbook.links import Formulas

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
