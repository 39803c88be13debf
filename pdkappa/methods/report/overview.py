"""What stands around the pairs in a report: a summary, all raters together, and the drill-down."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from pdkappa.coefficients.benchmarks import interpret
from pdkappa.coefficients.chance import COEFFICIENTS
from pdkappa.coefficients.multirater import MULTIRATER
from pdkappa.estimation.frames import agreement_frame
from pdkappa.methods.agreement.all_raters import summarise_together
from pdkappa.methods.drilldown.categories import category_frame
from pdkappa.methods.drilldown.core.categories import ADDITIVE
from pdkappa.methods.drilldown.items import item_frame
from pdkappa.methods.drilldown.raters import rater_frame
from pdkappa.present import schema
from pdkappa.present.excel.formulas import same_as
from pdkappa.present.excel.sheets import Sheet, totals_in
from pdkappa.present.labels import groups_of, visible
from pdkappa.ratings.coded import Counted
from pdkappa.workbook import links as linking
from pdkappa.workbook import sheets as workbook

if TYPE_CHECKING:
    from collections.abc import Hashable, Iterator, Sequence

    from pdkappa._typing import Label
    from pdkappa.methods.report.analysis import Analysis
    from pdkappa.present.excel.formulas import Formula
    from pdkappa.workbook.figures import Live

EXTREMES = "The highest and the lowest of many are so in part by chance; their limits ignore that."
COUNTED_AGAIN = "In the mean of all pairs, n_items counts an item once for each pair."
PAIR = 2
MOST_ITEMS = 50
MOST_PAIRS = 10
MOST_NAMED = 12


def agreement_sheet(asked: Analysis) -> Sheet:
    """Show every coefficient of all raters together."""
    study = asked.study
    summaries, _ = summarise_together(study, {**MULTIRATER}, asked.interval)
    frame = agreement_frame(summaries, study.groups, "landis_koch")
    weights = workbook.shown_weights(study.reading.weights)
    return Sheet("agreement", frame, f"Agreement of all raters together, weights {weights}")


def drilldown_sheets(asked: Analysis) -> Iterator[Sheet]:
    """Show which raters, categories and items cost agreement.

    A single pair has no rater who stands apart; rows of a table are no items.
    """
    study = asked.study
    if study.reading.missing == "em":
        return
    together = COEFFICIENTS[asked.coefficient].together
    if asked.several:
        frame = rater_frame(study, level=asked.interval.level)
        yield Sheet("raters", frame, "Each rater compared with the others, by Cohen's kappa")
    split, plain = together if together in ADDITIVE else "light", study.of_items()
    frame = category_frame(plain.nominal(), coefficient=split)
    yield Sheet("categories", frame, f"Agreement on each category against the rest: {split}")
    if not isinstance(study.data, Counted):
        yield _items_sheet(asked, item_frame(plain, coefficient=together), together)


def _items_sheet(asked: Analysis, frame: pd.DataFrame, coefficient: str) -> Sheet:
    """Show the items that cost most agreement, with their ratings."""
    worst = frame.sort_values("effect", kind="stable").head(MOST_ITEMS)
    data, labels = asked.study.frame, asked.study.groups.labels
    columns = [*([] if labels is None else labels.names), *asked.raters]
    if data.index.is_unique and not schema.COLUMNS.keys() & set(columns):
        names = pd.Index([*columns, *worst.columns], dtype=object, tupleize_cols=False)
        places: Any = [data.columns.get_loc(name) for name in columns]
        parts = [data.iloc[:, places].loc[worst.index], worst]
        worst = pd.concat(parts, axis=1, ignore_index=True).set_axis(names, axis=1)
    shown = f"The {len(worst)} items" if len(worst) < len(frame) else "Items, those first"
    return Sheet(
        "items",
        worst,
        f"{shown} that cost most agreement: {coefficient}",
        notes=(f"{len(worst)} of {len(frame)} items, the lowest effect first.",),
        index=True,
    )


def summary_sheet(sheets: Sequence[Sheet], asked: Analysis, live: Live | None) -> Sheet:
    """Say what was analysed, the main figures in words, and where to find the rest."""
    named = {sheet.name: sheet for sheet in sheets}
    rows = list(_main_figures(named, asked))
    frame = pd.DataFrame(
        [_figures(visible(name), sheet, row, asked) for name, sheet, row in rows],
        columns=list(schema.SUMMARY),
    )
    formulas: dict[tuple[int, int], Formula] = {}
    links: dict[tuple[int, int], Hashable] = {}
    for number, (_, sheet, row) in enumerate(rows):
        for column in ("n_items", "estimate"):
            source = linking.place(sheet, row, column)
            if source in sheet.formulas:
                where = number, schema.SUMMARY.index(column)
                formulas[where] = same_as(linking.cell(sheet, row, column))
        links[number, 0] = sheet.called
    notes = ["The words are those of Landis and Koch (1977), a convention."]
    if len(named["pairs"].frame) > PAIR:
        notes.append(EXTREMES)
    if asked.several and asked.by_group:
        notes.append(COUNTED_AGAIN)
    if live is not None:
        notes.append("Kappas are formulas: change a count in a confusion table, and they follow.")
    return Sheet(
        "summary",
        frame,
        f"Agreement of {_listed(asked.raters)}: {asked.method}",
        notes=tuple(notes),
        parts=(_analysed(named, asked), _contents(sheets)),
        formulas=formulas,
        links=links,
    )


def spoken(asked: Analysis) -> str:
    """Say what the coefficient of the main figure is called in a sentence."""
    row = COEFFICIENTS[asked.coefficient]
    all_raters = asked.several and not asked.by_group
    return MULTIRATER[row.together].spoken if all_raters else row.spoken


def _main_figures(named: dict[str, Sheet], asked: Analysis) -> Iterator[tuple[str, Sheet, int]]:
    """Name the main figures, and the sheet and row where they stand."""
    groups, pairs = named.get("groups"), named["pairs"]
    if groups is not None:
        yield from _fisher_means(groups, asked)
    elif asked.several:
        together = COEFFICIENTS[asked.coefficient].together
        row = named["agreement"].frame.index.tolist().index(together)
        what = "Light's kappa, the mean of the pairs" if together == "light" else together
        yield f"All raters: {what}", named["agreement"], row
    estimate = pairs.frame["estimate"].to_numpy(dtype=np.float64)
    if np.isnan(estimate).all():
        return
    best, worst = int(np.nanargmax(estimate)), int(np.nanargmin(estimate))
    if best == worst:
        yield _pair_name(pairs.frame, best), pairs, best
    else:
        yield f"Highest: {_pair_name(pairs.frame, best)}", pairs, best
        yield f"Lowest: {_pair_name(pairs.frame, worst)}", pairs, worst


def _fisher_means(groups: Sheet, asked: Analysis) -> Iterator[tuple[str, Sheet, int]]:
    """Name the Fisher-z means over the groups, of all pairs first."""
    index = groups.frame.index
    labels = [label if isinstance(label, tuple) else (label,) for label in index]
    means = np.flatnonzero(totals_in(index, ["fisher_mean"])).tolist()
    if not asked.several:
        yield f"Fisher-z mean of the groups: {_listed(asked.raters)}", groups, means[-1]
        return
    yield "Fisher-z mean of all pairs and groups", groups, means[-1]
    for row in means[:-1][:MOST_PAIRS]:
        yield f"Fisher-z mean of the groups: {_listed(labels[row][:PAIR])}", groups, row


def _pair_name(pairs: pd.DataFrame, row: int) -> str:
    """Name the raters of a row, and their group."""
    one = pairs.iloc[row]
    group = zip(pairs.index.names, groups_of(pairs)[row], strict=False)
    where = ", ".join(f"{name} {value}" for name, value in group)
    return f"{one['rater_a']} with {one['rater_b']}" + (f" at {where}" if where else "")


def _figures(name: str, sheet: Sheet, row: int, asked: Analysis) -> list[Any]:
    """Collect a main figure, its limits, and what they are in words."""
    columns = ("n_items", "estimate", "ci_low", "ci_high")
    figures = [sheet.frame[column].iloc[row] for column in columns]
    tested = COEFFICIENTS[asked.coefficient].tested
    reading = _in_words(*map(float, figures[1:])) if tested else ""
    return [name, *figures, reading]


def _in_words(estimate: float, low: float, high: float) -> str:
    """Say what an estimate and its limits are called.

    >>> _in_words(0.7, 0.55, 0.85)
    'substantial; the limits are moderate and almost perfect'
    """
    level, least, most = interpret(
        np.array([estimate, low, high]), np.full(3, np.nan), "landis_koch"
    )
    if not level:
        return "undefined"
    if not least or not most:
        return f"{level}; there are no limits"
    return f"{level}; the limits are {least}" + (f" and {most}" if most != least else ", too")


def _analysed(named: dict[str, Sheet], asked: Analysis) -> Sheet:
    """Say what was analysed."""
    study, interval, frame = asked.study, asked.interval, named["agreement"].frame
    names = frame.index.get_level_values("coefficient")
    first = frame[names.isin(names[:1])]
    lines = {
        "items": f"{first['n_items'].sum():,.10g} with {first['n_ratings'].sum():,.10g} ratings",
        "raters": _counted(asked.raters),
        "categories": _counted(study.coded.categories.labels),
    }
    if asked.by_group:
        lines["groups"] = f"{len(first)} of {study.reading.by}"
    undefined = int(named["pairs"].frame["estimate"].isna().sum())
    lines |= {
        "coefficient": asked.method,
        "missing ratings": study.reading.missing,
        "limits": f"confidence level {interval.level:.10g}, {interval.ci}",
        "undefined": f"{undefined} of {len(named['pairs'].frame)} coefficients of pairs",
    }
    return _list("What was analysed", list(lines.items()))


def _contents(sheets: Sequence[Sheet]) -> Sheet:
    """List the sheets, with links to them."""
    listed = [sheet for sheet in sheets if sheet.kind != "confusion"]
    rows = [(sheet.name, sheet.title) for sheet in listed]
    links: dict[tuple[int, int], Hashable] = {
        (row, 0): sheet.called for row, sheet in enumerate(listed)
    }
    tables = [sheet for sheet in sheets if sheet.kind == "confusion"]
    if tables:
        links[len(rows), 0] = tables[0].called
        rows.append((tables[0].name, "A confusion table; the estimates elsewhere lead to theirs"))
    return _list("Sheets", rows, links)


def _list(
    title: str, rows: list[tuple[str, str]], links: dict[tuple[int, int], Hashable] | None = None
) -> Sheet:
    """Make a list of names with texts."""
    frame = pd.DataFrame([list(map(visible, row)) for row in rows])
    return Sheet(title, frame, title, kind="list", index=False, links=links or {})


def _listed(labels: Sequence[Label]) -> str:
    """List some labels, and say how many more there are."""
    shown = ", ".join(map(str, labels[:MOST_NAMED]))
    more = len(labels) - MOST_NAMED
    return f"{shown} and {more} more" if more > 0 else shown


def _counted(labels: Sequence[Label]) -> str:
    """Say how many labels there are, and which.

    >>> _counted([0, 1, 2])
    '3: 0, 1, 2'
    """
    return f"{len(labels)}: {_listed(labels)}"
