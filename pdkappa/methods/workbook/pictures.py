"""Frames of estimates -> what the charts on the cover show, and the data that they follow."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from numbers import Real
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import pandas as pd

from pdkappa.methods.workbook.live_formulas import cell, place, together
from pdkappa.present.labels import (
    group_in_words,
    heading_of,
    lowered,
    one_line,
    parts_of,
    shortened,
)
from pdkappa.present.sheets import (
    HEAD,
    MACHINE,
    MEAN,
    POINT,
    CellRange,
    Chart,
    Formula,
    Sheet,
    totals_in,
)

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from pdkappa._typing import IntArray

MOST_ROWS = 36  # of a forest, so that its sheet fits a page
MOST_OF_PAIRS = 24  # of groups and means of pairs
MOST_GROUPS = 12
MOST_POOLED = 61
LONGEST = 28  # characters of a name
PAIR, TINY = 2, 1e-9
STEPS = ((0.6, 0.1), (1.2, 0.2), (2.0, 0.5))  # longest axis of a forest with some step
FOREST, BARS = "chart data", "chart of categories"


@dataclass(frozen=True)
class _Row:
    """A row of a forest: of a sheet, or words alone."""

    name: str
    sheet: Sheet | None = None
    row: int = 0
    kind: str = POINT

    def value(self, column: str) -> float:
        """Return what stands in a column; NaN for words."""
        if self.sheet is None:
            return math.nan
        return float(self.sheet.frame[column].iloc[self.row])

    @property
    def is_shown(self) -> bool:
        """Whether there is anything to show."""
        return self.sheet is None or not math.isnan(self.value("estimate"))


def pictures_of(named: Mapping[str, Sheet]) -> tuple[list[Chart], list[Sheet]]:
    """Choose what is shown in pictures; return the charts and the tables of their data."""
    made = [one for one in (_forest(named), _bars(named)) if one is not None]
    return [chart for chart, _ in made], [data for _, data in made]


def data_sheet(data: Sequence[Sheet]) -> list[Sheet]:
    """Put the data of the charts on one sheet."""
    if not data:
        return []
    first, *rest = data
    return [replace(first, name="chart data", parts=tuple(rest), hidden=True)]


# --- estimates with their limits ---------------------------------------------------------------


def _forest(named: Mapping[str, Sheet]) -> tuple[Chart, Sheet] | None:
    """Show the groups and their means, or the pairs and all raters together."""
    if "groups" not in named and "pairs" not in named:
        return None
    rows, title = _of_groups(named["groups"]) if "groups" in named else _of_pairs(named)
    rows = [one for one in rows if one.is_shown]
    least = [_least(one) for one in rows if one.sheet is not None]
    if not least:
        return None
    low, step = _axis(min(least))
    names = tuple(shortened([one.name for one in rows], LONGEST))
    kinds = tuple(one.kind for one in rows)
    unit = "Estimate with its interval"
    chart = Chart("forest", title, unit, FOREST, names, kinds, axis=(low, 1.0), step=step)
    return chart, _data(rows, low, title)


def _axis(least: float) -> tuple[float, float]:
    """Choose where an axis to 1 begins, and its steps, of which it has a whole number.

    >>> _axis(0.56), _axis(0.97), _axis(-0.01), _axis(-1.0)
    ((0.5, 0.1), (0.8, 0.1), (-0.2, 0.2), (-1.0, 0.5))
    """
    for longest, step in STEPS:
        low = round(1 - step * math.ceil((1 - least) / step - TINY), 1)
        if 1 - low <= longest + TINY:
            break
    return min(low, 0.8), step


def _least(row: _Row) -> float:
    """Return the lower limit, or the estimate if there is none."""
    low = row.value("ci_low")
    return row.value("estimate") if math.isnan(low) else low


def _most(row: _Row) -> float:
    """Return the upper limit, or the estimate if there is none."""
    high = row.value("ci_high")
    return row.value("estimate") if math.isnan(high) else high


def _of_groups(groups: Sheet) -> tuple[list[_Row], str]:
    """Choose groups, and means over them."""
    index = groups.frame.index
    is_total = totals_in(index, groups.emphasis)
    mean_at = np.flatnonzero(is_total & (index.get_level_values(-1) == "fisher_mean"))
    at, names = np.flatnonzero(~is_total), [*index.names]
    if index.nlevels > PAIR and names[:PAIR] == ["rater_a", "rater_b"]:
        return _of_groups_of_pairs(groups, at, mean_at)
    title = "Each group, and the mean"
    if len(at) > MOST_ROWS:
        n_items = groups.frame["n_items"].to_numpy(dtype=np.float64)[at]
        title = f"The {MOST_ROWS} of {len(at)} groups with most items, and the mean"
        at = at[np.sort(np.argsort(-n_items, kind="stable")[:MOST_ROWS])]
    rows = [
        _Row(group_in_words(names, parts_of(index[row], names)), groups, row) for row in at.tolist()
    ]
    means = [_Row("Mean of the groups", groups, row, MEAN) for row in mean_at.tolist()]
    return [*rows, *means], title


def _of_groups_of_pairs(groups: Sheet, at: IntArray, mean_at: IntArray) -> tuple[list[_Row], str]:
    """Show the groups below the name of each pair, or only the means of too many.

    The mean of all pairs means nothing where some are of humans, and some of a machine.
    """
    index, of_pairs = groups.frame.index, mean_at[:-1]
    last = [] if groups.machines else [int(mean_at[-1])]
    of_all = [_Row("Mean of all pairs", groups, row, MEAN) for row in last]
    if len(at) + 2 * len(of_pairs) > MOST_OF_PAIRS:
        title = "The mean of the groups, pair by pair"
        of_pairs, title = _ends(groups, of_pairs, title, "pairs")
        rows = [_of_pair(groups, row, index[row]) for row in of_pairs.tolist()]
        return [*rows, *of_all], title
    rows, first = [], 0
    for mean in of_pairs.tolist():
        own = at[(at >= first) & (at < mean)].tolist()
        names = [*index.names[PAIR:]]
        rows.append(_Row(_pair_name(*index[mean][:PAIR]), kind=HEAD))
        rows += [
            _of_pair(groups, row, index[row], group_in_words(names, index[row][PAIR:]))
            for row in own
        ]
        rows.append(_Row("Mean", groups, mean, MEAN))
        first = mean
    return [*rows, *of_all], "Each group, and the means"


def _of_pair(sheet: Sheet, row: int, label: Any, name: str = "") -> _Row:
    """Show a row of two raters; the label begins with them, and names it unless something does."""
    pair = label[:PAIR]
    kind = MACHINE if {*pair} & {*sheet.machines} else POINT
    return _Row(name or _pair_name(*pair), sheet, row, kind)


def _pair_name(first: Any, second: Any) -> str:
    """Name two raters."""
    return f"{one_line(first)} with {one_line(second)}"


def _of_pairs(named: Mapping[str, Sheet]) -> tuple[list[_Row], str]:
    """Choose pairs, or the raters of too many."""
    pairs, raters = named["pairs"], named.get("raters")
    frame, title = pairs.frame, "Each pair of raters"
    if len(frame) == 1:
        return [_Row("Both raters", pairs, 0)], "The agreement of both raters"
    if len(frame) > MOST_ROWS and raters is not None:
        every = np.arange(len(raters.frame))
        at, title = _ends(raters, every, "Each rater with all others", "raters")
        labels = [*map(one_line, raters.frame.index)]
        return [_Row(labels[row], raters, row) for row in at.tolist()], title
    at, title = _ends(pairs, np.arange(len(frame)), title, "pairs")
    names = list(zip(frame["rater_a"], frame["rater_b"], strict=True))
    return [_of_pair(pairs, row, names[row]) for row in at.tolist()], title


def _ends(sheet: Sheet, at: IntArray, title: str, what: str) -> tuple[IntArray, str]:
    """Choose the rows with the highest and the lowest estimates, if there are too many."""
    if len(at) <= MOST_ROWS:
        return at, title
    estimate = sheet.frame["estimate"].to_numpy(dtype=np.float64)[at]
    order, half = np.argsort(estimate, kind="stable"), MOST_ROWS // 2
    known = order[: np.count_nonzero(~np.isnan(estimate))]
    chosen = np.concatenate([known[:half], known[half:][-half:]])
    return at[chosen], f"The {half} lowest and the {half} highest of {len(at)} {what}"


def _data(rows: Sequence[_Row], axis: float, title: str) -> Sheet:
    """Put the figures of a forest into a table, which follows the sheets that they are from."""
    n = len(rows)
    frame = pd.DataFrame(
        {
            "Name": [one.name for one in rows],
            "Estimate": [one.value("estimate") for one in rows],
            "Down to limit": [one.value("estimate") - _least(one) for one in rows],
            "Up to limit": [_most(one) - one.value("estimate") for one in rows],
            "Place": np.arange(n, 0, -1),
            "Left end": np.full(n, axis),
        }
    )
    formulas: dict[tuple[int, int], Formula] = {}
    for row, one in enumerate(rows):
        sheet = one.sheet
        if sheet is None or place(sheet, one.row, "estimate") not in sheet.formulas:
            continue
        cells = {name: cell(sheet, one.row, name) for name in ("estimate", "ci_low", "ci_high")}
        own = {"own": CellRange(FOREST, (row, row), (1, 1))}
        formulas[row, 1] = Formula("N({estimate})", {"estimate": cells["estimate"]})
        if not math.isnan(one.value("ci_low")):
            formulas[row, 2] = Formula("MAX(0,{own}-{low})", own | {"low": cells["ci_low"]})
            formulas[row, 3] = Formula("MAX(0,{high}-{own})", own | {"high": cells["ci_high"]})
    return Sheet(FOREST, frame, title, kind="list", key=FOREST, index=False, formulas=formulas)


# --- categories --------------------------------------------------------------------------------


class _Bar(NamedTuple):
    """A bar: a category of a group or of several, which stand in some rows of the sheet."""

    group: str
    category: str
    rows: list[int]


def _bars(named: Mapping[str, Sheet]) -> tuple[Chart, Sheet] | None:
    """Show for each category which share of the other raters gave it too.

    The groups stand beside each other if there is room.
    """
    sheet = named.get("categories")
    if sheet is None:
        return None
    labels, known = sheet.frame.index, sheet.frame["specific_agreement"].notna().to_numpy()
    rows = np.flatnonzero(known).tolist()
    groups = {labels[row][:-1] for row in rows} if labels.nlevels > 1 else set()
    last = labels.get_level_values(-1)
    if not rows:
        return None
    if 1 < len(groups) <= MOST_GROUPS:
        names = [", ".join(map(one_line, labels[row][:-1])) for row in rows]
        bars = [
            _Bar(name, one_line(last[row]), [row]) for name, row in zip(names, rows, strict=True)
        ]
        chart = _chart([one.category for one in bars], [*labels.names[:-1]])
        if chart.form != "flat":
            return chart, _data_of_bars(bars, sheet, chart)
    bars = _pooled(sheet, rows)
    chart = _chart([one.category for one in bars])
    if chart.form == "flat":
        short = shortened([one.category for one in bars], LONGEST)
        bars = [one._replace(category=name) for one, name in zip(bars, short, strict=True)]
        chart = replace(chart, names=tuple(short))
    return chart, _data_of_bars(bars, sheet, chart, is_whole=len(groups) < PAIR or _no_gaps(named))


def _chart(categories: Sequence[str], by: Sequence[Any] = ()) -> Chart:
    """Describe the bars of some categories, in groups or not."""
    of_labels = (
        f"Category, by {', '.join(lowered(heading_of(one), one) for one in by)}"
        if by
        else "Category"
    )
    title, n_labels = "Other raters who give the same category", 1 + bool(by)
    names = tuple(categories)
    return Chart("bars", title, "Share", BARS, names, n_labels=n_labels, of_labels=of_labels)


def _data_of_bars(
    bars: Sequence[_Bar], sheet: Sheet, chart: Chart, *, is_whole: bool = True
) -> Sheet:
    """Put the figures of bars into a table, which follows the counts.

    Shares of several groups do if it `is_whole`, that is, without missing ratings.
    """
    labels = {"Category": [one.category for one in bars]}
    if chart.n_labels > 1:
        labels = {"Group": _once([one.group for one in bars]), **labels}
    weight, share = sheet.frame[["n_ratings", "specific_agreement"]].to_numpy(float).T
    shares = [float(np.average(share[one.rows], weights=weight[one.rows])) for one in bars]
    data = pd.DataFrame({**labels, "Others who agree": shares})
    formulas: dict[tuple[int, int], Formula] = {}
    for row, one in enumerate(bars):
        found = [sheet.formulas.get(place(sheet, own, "specific_agreement")) for own in one.rows]
        known = [each for each in found if each is not None]
        if len(known) == len(found) and is_whole:
            formulas[row, len(labels)] = together(known)
    return Sheet(BARS, data, chart.title, kind="list", key=BARS, index=False, formulas=formulas)


def _no_gaps(named: Mapping[str, Sheet]) -> bool:
    """Tell whether all raters rated all items."""
    frame = named["agreement"].frame
    n_items, n_ratings, n_raters = frame[["n_items", "n_ratings", "n_raters"]].to_numpy(float).T
    return bool(np.allclose(n_ratings, n_raters * n_items, rtol=TINY))


def _once(labels: list[str]) -> list[str]:
    """Name a group where it begins, as an axis of several levels wants it."""
    return ["" if row and labels[row - 1] == label else label for row, label in enumerate(labels)]


def _pooled(sheet: Sheet, rows: Sequence[int]) -> list[_Bar]:
    """Put all groups of a category together; keep the most frequent categories."""
    last = sheet.frame.index.get_level_values(-1)
    weight = sheet.frame["n_ratings"].to_numpy(dtype=np.float64)
    of_label: dict[Any, list[int]] = {}
    for row in rows:
        of_label.setdefault(last[row], []).append(row)
    found = sorted(of_label, key=lambda label: -float(weight[of_label[label]].sum()))
    kept = set(found[:MOST_POOLED])
    labels = [label for label in of_label if label in kept]
    if all(isinstance(label, Real) for label in labels):
        labels.sort()
    return [_Bar("", one_line(label), of_label[label]) for label in labels]
