"""The sheet of all raters together -> the same sheet, with formulas."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from pdkappa.present.excel.formulas import CellRange, Formula, over, same_as
from pdkappa.workbook.figures import Live, formula, guarded
from pdkappa.workbook.links import place

if TYPE_CHECKING:
    import pandas as pd

    from pdkappa.present.excel.sheets import Sheet
    from pdkappa.workbook.links import Formulas

CLOSE = 1e-12  # sums of weights, added up in two ways
FIXED = {"percent", "brennan_prediger"}  # whose chance agreement needs no items


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
