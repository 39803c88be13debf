"""What stands around the pairs in a report: a summary, all raters together, and the drill-down."""

from __future__ import annotations

from numbers import Real
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from pdkappa.coefficients.all_raters import MULTIRATER
from pdkappa.coefficients.chance import COEFFICIENTS
from pdkappa.coefficients.score_limits import interpret
from pdkappa.methods.drilldown.categories import ADDITIVE, category_frame
from pdkappa.methods.drilldown.items import item_frame
from pdkappa.methods.drilldown.raters import rater_frame
from pdkappa.methods.estimates.pair_frames import agreement_frame
from pdkappa.methods.estimates.together import summarise_together
from pdkappa.methods.report.analysis import numbers_of
from pdkappa.methods.workbook.live_formulas import cell, place
from pdkappa.present import schema
from pdkappa.present.labels import (
    heading_of,
    listed,
    one_line,
    spoken_by,
    visible,
    weights_in_words,
)
from pdkappa.present.sheets import Sheet, same_as
from pdkappa.ratings.coded import Counted

if TYPE_CHECKING:
    from collections.abc import Hashable, Iterator, Sequence

    from pdkappa._typing import Label
    from pdkappa.methods.report.analysis import Analysis, Line, Numbers
    from pdkappa.present.sheets import Formula

EXTREMES = (
    "The highest and the lowest of many values are partly due to chance; their limits ignore that."
)
PAIR = 2
MOST_ITEMS, MOST_SPANS = 50, 12
MOST_CATEGORIES = 12  # that are listed
LONGEST = 120  # characters of a list of labels
OF_PAIRS = "pairs are compared on the items that both rated"
LIMITS = {
    "fisher": ", Fisher's z",
    "wald": ", Wald's",
    "percentile": ", bootstrap",
    "bca": ", bootstrap (BCa)",
    "jackknife": ", jackknife",
}


def agreement_sheet(asked: Analysis) -> Sheet:
    """Show every coefficient of all raters together."""
    study = asked.study
    summaries, _ = summarise_together(study, {**MULTIRATER}, asked.interval)
    frame = agreement_frame(summaries, study.groups, "landis_koch")
    weights = weights_in_words(study.reading.weights)
    return Sheet("agreement", frame, f"Agreement of all raters together, {weights}")


def drilldown_sheets(asked: Analysis) -> Iterator[Sheet]:
    """Show which raters, categories and items cost agreement.

    A single pair has no rater who stands apart; rows of a table are no items.
    """
    study = asked.study
    together = COEFFICIENTS[asked.coefficient].together
    weights = weights_in_words(asked.weights)
    if asked.several:
        frame = rater_frame(study, level=asked.interval.level)
        title = f"Each rater compared with the others, by Cohen's kappa, {weights}"
        yield Sheet("raters", frame, title)
    split, plain = together if together in ADDITIVE else "light", study.of_items()
    frame = category_frame(plain.nominal(), coefficient=split)
    yield Sheet(
        "categories",
        frame,
        f"Agreement on each category against the rest: {MULTIRATER[split].spoken}, unweighted",
    )
    if not isinstance(study.data, Counted):
        frame = item_frame(plain, coefficient=together, shown=asked.beside)
        yield _items_sheet(asked, frame, f"{MULTIRATER[together].spoken}, {weights}")


def _items_sheet(asked: Analysis, frame: pd.DataFrame, coefficient: str) -> Sheet:
    """Show the items that cost most agreement, with what stands beside them and their ratings.

    Those on which all agree, and which cost nothing, are left out, unless there is nothing else.
    """
    effect, apart = (frame[name].reset_index(drop=True) for name in ("effect", "disagreement"))
    costs = (effect < 0) | (apart > 0)
    order = (effect[costs] if costs.any() else effect).sort_values(kind="stable").index[:MOST_ITEMS]
    worst, labels = frame.iloc[order], asked.study.groups.labels
    data = asked.study.frame.iloc[asked.study.coded.rows[order]].set_axis(worst.index)
    columns = [*([] if labels is None else labels.names), *asked.raters]
    new = [name for name in columns if name not in asked.beside.names]
    if not schema.COLUMNS.keys() & set(new):
        names = pd.Index([*new, *worst.columns], dtype=object, tupleize_cols=False)
        places: Any = [data.columns.get_loc(name) for name in new]
        parts = [data.iloc[:, places], worst]
        worst = pd.concat(parts, axis=1, ignore_index=True).set_axis(names, axis=1)
    shown = f"The {len(worst)} items" if len(worst) < len(frame) else "Items, those first"
    return Sheet(
        "items",
        worst,
        f"{shown} that cost most agreement: {coefficient}",
        notes=(f"{len(worst):,} of {len(frame):,} items, the lowest effect first.",),
        index=True,
    )


def summary_sheet(
    sheets: Sequence[Sheet],
    lines: Sequence[Line],
    asked: Analysis,
    *,
    heading: str | None,
    notes: list[str],
) -> Sheet:
    """Say what was analysed, the main figures in words, and where to find the rest."""
    named = {sheet.name: sheet for sheet in sheets}
    frame = pd.DataFrame([_cells(line, asked) for line in lines], columns=list(schema.SUMMARY))
    formulas: dict[tuple[int, int], Formula] = {}
    links: dict[tuple[int, int], Hashable] = {}
    for number, line in enumerate(lines):
        if line.place is None:
            continue
        sheet, row = line.place
        for column in ("n_items", "estimate"):
            source = place(sheet, row, column)
            if source in sheet.formulas:
                where = number, schema.SUMMARY.index(column)
                formulas[where] = same_as(cell(sheet, row, column))
        links[number, 0] = sheet.called
    told = ["The words are those of Landis and Koch (1977), a convention."]
    if len(lines) > 1 and len(named["pairs"].frame) > PAIR:
        told.append(EXTREMES)
    return Sheet(
        "summary",
        frame,
        heading or f"Agreement of {listed(asked.raters)}: {asked.method}",
        notes=(*told, *notes),
        parts=(_analysed(named, asked), _contents(sheets)),
        formulas=formulas,
        links=links,
    )


def spoken(asked: Analysis) -> str:
    """Say what the coefficient of the main figure is called in a sentence."""
    row = COEFFICIENTS[asked.coefficient]
    all_raters = asked.several and not asked.by_group
    return MULTIRATER[row.together].spoken if all_raters else row.spoken


def _cells(line: Line, asked: Analysis) -> list[Any]:
    """Collect a main figure, its limits, and what they are in words."""
    tested = COEFFICIENTS[asked.coefficient].tested and line.is_figure
    reading = _in_words(*map(float, line.figures[1:])) if tested else ""
    return [visible(line.name), weights_in_words(line.weights), *line.figures, reading]


def _in_words(estimate: float, low: float, high: float) -> str:
    """Say what an estimate and its limits are called.

    >>> _in_words(0.7, 0.55, 0.85)
    'substantial (interval: moderate to almost perfect)'
    """
    level, least, most = interpret(
        np.array([estimate, low, high]), np.full(3, np.nan), "landis_koch"
    )
    if not level:
        return "undefined"
    if not least or not most:
        return f"{level} (no interval)"
    return f"{level} ({f'interval: {least} to {most}' if most != least else 'the whole interval'})"


def _analysed(named: dict[str, Sheet], asked: Analysis) -> Sheet:
    """Say what was analysed."""
    study, interval, frame = asked.study, asked.interval, named["agreement"].frame
    numbers = numbers_of(asked, frame)
    lines = {
        "items": f"{numbers.items:,.10g} with {numbers.ratings:,.10g} ratings",
        "raters": _counted(asked.raters),
        **({"machines": _counted(asked.machines)} if asked.machines else {}),
        "categories": _categories(asked),
    }
    if asked.by_group:
        lines["groups"] = f"{study.n_groups:,}, by {spoken_by(study.reading.by)}"
    lines |= {
        "coefficient": f"{spoken(asked)}, {weights_in_words(asked.weights)}",
        "missing ratings": _missing(numbers),
        "limits": f"{100 * interval.level:.10g} % confidence{LIMITS.get(interval.ci, '')}",
    }
    if undefined := int(named["pairs"].frame["estimate"].isna().sum()):
        every = len(named["pairs"].frame)
        lines["undefined"] = f"{undefined:,} of {every:,} coefficients of pairs"
    return _list("What was analysed", list(lines.items()))


def _missing(numbers: Numbers) -> str:
    """Say how many ratings are missing, and what is made of the rest."""
    if numbers.of_left_out:
        return f"{numbers.of_left_out} (listwise), as not all raters rated them"
    if not numbers.missing:
        return "none"
    return "; ".join(filter(None, [numbers.of_missing, numbers.of_joint or OF_PAIRS]))


def _categories(asked: Analysis) -> str:
    """Say which categories there are, in each group if these differ.

    Those of a scale of numbers are told by the first and the last.
    """
    study, used = asked.study, asked.estimates.scale.in_use
    labels = study.coded.categories.labels
    each = [[labels[k] for k in np.flatnonzero(one)] for one in used]
    found = study.groups.labels
    if len(each) == 1 or found is None:
        return _span(labels, ordered=study.has_order)
    groups = [", ".join(map(one_line, one if isinstance(one, tuple) else (one,))) for one in found]
    spans = list(map(_range, each))
    if len(set(spans)) == 1:
        return _span(each[0], ordered=study.has_order)
    shown = [f"{group}: {one}" for group, one in zip(groups, spans, strict=True)][:MOST_SPANS]
    more = len(spans) - len(shown)
    by = study.reading.by
    name = heading_of(by) if isinstance(by, str) else "Group"
    return f"{name} {'; '.join(shown)}" + (f"; and {more} more" if more else "")


def _range(labels: Sequence[Label]) -> str:
    """Name categories: of several numbers the least and the greatest.

    >>> _range([0, 1, 2, 5]), _range(["no", "yes"]), _range([1])
    ('0 to 5', 'no, yes', '1')
    """
    is_scale = len(labels) > PAIR and all(isinstance(one, Real) for one in labels)
    return f"{one_line(labels[0])} to {one_line(labels[-1])}" if is_scale else listed(labels)


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


def _counted(labels: Sequence[Label]) -> str:
    """Say how many labels there are, and which.

    >>> _counted([0, 1, 2])
    '3: 0, 1, 2'
    """
    most = next((n for n in (12, 6, 3) if len(listed(labels, n)) <= LONGEST), 1)
    return f"{len(labels)}: {listed(labels, most)}"


def _span(labels: Sequence[Label], *, ordered: bool) -> str:
    """Say how many categories there are, and which, or where a long scale begins and ends.

    >>> _span(["lo", "hi"], ordered=True), _span(range(40), ordered=True)
    ('2: lo, hi', '40, from 0 to 39')
    """
    if not ordered or len(labels) <= MOST_CATEGORIES:
        return _counted(labels)
    return f"{len(labels)}, from {listed(labels[:1])} to {listed(labels[-1:])}"
