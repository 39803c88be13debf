"""What stands around the pairs in a report: a summary, all raters together, and the drill-down."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Any

import pandas as pd

from pdkappa.coefficients.all_raters import MULTIRATER
from pdkappa.coefficients.chance import COEFFICIENTS
from pdkappa.methods.drilldown.categories import ADDITIVE, category_frame
from pdkappa.methods.drilldown.items import item_frame
from pdkappa.methods.drilldown.raters import rater_frame
from pdkappa.methods.estimates.pair_frames import agreement_frame
from pdkappa.methods.estimates.together import summarise_together
from pdkappa.methods.workbook.live_formulas import cell, place
from pdkappa.present import schema
from pdkappa.present.labels import one_line, visible, weights_in_words
from pdkappa.present.sheets import Sheet, same_as
from pdkappa.ratings.coded import Counted

if TYPE_CHECKING:
    from collections.abc import Hashable, Iterator, Mapping, Sequence

    from pdkappa.methods.report.analysis import Analysis, Line
    from pdkappa.present.sheets import Formula

QWK, BELOW, SHIFT = 0.7, 0.1, 0.15  # the criteria of Williamson, Xi & Breyer (2012)
CRITERIA = (
    "Criteria of Williamson, Xi and Breyer (2012) for the whole interval: \N{CHECK MARK} "
    "all of it passes, \N{BALLOT X} all of it fails, ? the data do not tell."
)
PASS, FAIL, OPEN = "\N{CHECK MARK} pass", "\N{BALLOT X} fail", "? open"
MOST_ITEMS, MOST_VOTERS = 50, 4


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


def cost_something(items: Sheet) -> bool:
    """Whether there is any item that costs agreement, among those that cost most."""
    if items.name != "items":
        return False
    frame = items.frame
    return bool((frame["effect"] < 0).any() or (frame["disagreement"] > 0).any())


def discuss_sheet(asked: Analysis, items: Sheet) -> Sheet:
    """List the items to talk about first: id, text, votes, and room for the decision."""
    frame, study = items.frame, asked.study
    rated = frame[[name for name in asked.raters if name in frame.columns]]
    names = [one_line(one) for one in rated] if len(rated.columns) <= MOST_VOTERS else []
    votes = [_votes(row, names) for row in rated.itertuples(index=False, name=None)]
    groups = [] if study.groups.labels is None else list(study.groups.labels.names)
    wanted: list[Any] = [*groups, *asked.beside.columns]
    shown = frame[[name for name in wanted if name in frame.columns]].copy()
    shown["votes"] = votes
    shown["decision"] = ""
    return Sheet("to discuss", shown, "Discuss these first", notes=items.notes, index=True)


def _votes(row: Sequence[Any], names: Sequence[str] = ()) -> str:
    """Count the ratings of an item, the most frequent first; of few raters, say whose they are.

    >>> _votes(["spam", "ham", "spam"]), _votes([1, float("nan")], ["ann", "bob"])
    ('spam \N{MULTIPLICATION SIGN}2, ham \N{MULTIPLICATION SIGN}1', 'ann: 1')
    """
    known = [not (pd.api.types.is_scalar(one) and pd.isna(one)) for one in row]
    if names:
        pairs = zip(names, row, known, strict=True)
        return ", ".join(f"{name}: {one_line(one)}" for name, one, given in pairs if given)
    given = Counter(one for one, is_given in zip(row, known, strict=True) if is_given)
    times = "\N{MULTIPLICATION SIGN}"
    return ", ".join(f"{one_line(one)} {times}{n}" for one, n in given.most_common())


def group_sheet(asked: Analysis, frames: Mapping[str, pd.DataFrame]) -> Sheet | None:
    """Show one row for each group: of all raters, or of humans and machines with criteria."""
    if not asked.by_group:
        return None
    if not asked.machines:
        name = COEFFICIENTS[asked.coefficient].together
        frame = frames["agreement"]
        frame = frame[frame.index.get_level_values("coefficient") == name]
        frame = frame.droplevel("coefficient")[[*schema.BY_GROUP, "reason"]]
        title = f"{MULTIRATER[name].spoken}, {weights_in_words(asked.weights)}, in each group"
        return Sheet("by group", frame, f"{title[0].upper()}{title[1:]}")
    frame = frames["machines"]
    frame = frame[frame.index.get_level_values("machine").isin(asked.machines)]
    columns = frame[list(schema.BY_MACHINE)].copy()
    low, high = columns["ci_low"], columns["ci_high"]
    lean = frames.get("leaning", pd.DataFrame())
    is_scale = "smd" in lean and "category" not in lean.index.names
    if is_scale:
        lean = lean.reorder_levels([*frame.index.names]).reindex(frame.index)  # type: ignore[arg-type]
        columns["smd"] = lean["smd"]
    if asked.is_quadratic:
        sides = [frame[f"estimate_machine_{side}"] for side in ("low", "high")]
        columns["QWK \N{GREATER-THAN OR EQUAL TO} .70"] = _criterion(
            sides[0] >= QWK, sides[1] < QWK
        )
    columns["not .10 below"] = _criterion(low >= -BELOW, high < -BELOW)
    if is_scale:
        sd = (lean["difference"] / lean["smd"]).abs()
        low, high = lean["ci_low"] / sd, lean["ci_high"] / sd
        columns["within .15 SD"] = _criterion(
            (low >= -SHIFT) & (high <= SHIFT), (low > SHIFT) | (high < -SHIFT)
        )
    if len(asked.machines) == 1:
        columns = columns.droplevel("machine")
    return Sheet(
        "by group",
        columns,
        f"Humans and machine in each group: {asked.method}",
        notes=(CRITERIA,),
    )


def _criterion(passes: pd.Series, fails: pd.Series) -> list[str]:
    """Say whether all of an interval meets a criterion, none of it does, or neither is shown."""
    return [PASS if yes else FAIL if no else OPEN for yes, no in zip(passes, fails, strict=True)]


def summary_sheet(lines: Sequence[Line], title: str) -> Sheet:
    """Show the main figures, each a link to where it is read from."""
    frame = pd.DataFrame(
        [[visible(one.name), weights_in_words(one.weights), *one.figures] for one in lines],
        columns=list(schema.SUMMARY),
    )
    formulas: dict[tuple[int, int], Formula] = {}
    links: dict[tuple[int, int], Hashable] = {}
    for number, line in enumerate(lines):
        if line.place is None:
            continue
        sheet, row = line.place
        for column in ("n_items", "estimate"):
            if place(sheet, row, column) in sheet.formulas:
                where = number, schema.SUMMARY.index(column)
                formulas[where] = same_as(cell(sheet, row, column))
        links[number, 0] = sheet.called
    return Sheet("summary", frame, title, formulas=formulas, links=links)
