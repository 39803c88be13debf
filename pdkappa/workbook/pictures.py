"""Frames of estimates -> what the charts on the cover show, and the data that they follow."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from pdkappa.present.excel.charts import HEAD, MEAN, POINT, Chart
from pdkappa.present.excel.formulas import CellRange, Formula
from pdkappa.present.excel.sheets import Sheet, totals_in
from pdkappa.present.headings import heading_of
from pdkappa.present.labels import one_line, shortened
from pdkappa.workbook.links import cell, place

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from pdkappa._typing import IntArray

MOST_ROWS = 40  # of a forest
MOST_BARS, MOST_GROUPS = 150, 12
MOST_POOLED = 61
LONGEST = 22  # characters of a name
PAIR = 2
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
    return [
        Sheet(
            "chart data",
            first.frame,
            first.title,
            formulas=first.formulas,
            kind="list",
            key=first.key,
            index=False,
            parts=tuple(rest),
            hidden=True,
        )
    ]


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
    axis = (max(min(math.floor(min(least) * 10) / 10, 0.8), -1.0), 1.0)
    names = tuple(shortened([one.name for one in rows], LONGEST))
    kinds = tuple(one.kind for one in rows)
    unit = "Estimate with its interval"
    return Chart("forest", title, unit, FOREST, names, kinds, axis), _data(rows, axis[0], title)


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
    rows = [_Row(_group_name(index[row], names), groups, row) for row in at.tolist()]
    means = [_Row("Mean of the groups", groups, row, MEAN) for row in mean_at.tolist()]
    return [*rows, *means], title


def _of_groups_of_pairs(groups: Sheet, at: IntArray, mean_at: IntArray) -> tuple[list[_Row], str]:
    """Show the groups below the name of each pair, or only the means of too many."""
    index, last = groups.frame.index, int(mean_at[-1])
    of_all = _Row("Mean of all pairs", groups, last, MEAN)
    of_pairs = mean_at[:-1]
    if len(at) + 2 * len(of_pairs) > MOST_ROWS:
        title = "The mean of the groups, pair by pair"
        of_pairs, title = _ends(groups, of_pairs, title, "pairs")
        rows = [_Row(_pair_name(*index[row][:PAIR]), groups, row) for row in of_pairs.tolist()]
        return [*rows, of_all], title
    rows, first = [], 0
    for mean in of_pairs.tolist():
        own = at[(at >= first) & (at < mean)].tolist()
        names = [*index.names[PAIR:]]
        rows.append(_Row(_pair_name(*index[mean][:PAIR]), kind=HEAD))
        rows += [_Row(_group_name(index[row][PAIR:], names), groups, row) for row in own]
        rows.append(_Row("Mean", groups, mean, MEAN))
        first = mean
    return [*rows, of_all], "Each group, and the means"


def _group_name(label: Any, names: Sequence[Any]) -> str:
    """Name a group by its columns and values."""
    values = label if isinstance(label, tuple) else (label,)
    named = zip(names, values, strict=True)
    return ", ".join(f"{heading_of(name)} {one_line(value)}" for name, value in named)


def _pair_name(first: Any, second: Any) -> str:
    """Name two raters."""
    return f"{one_line(first)} with {one_line(second)}"


def _of_pairs(named: Mapping[str, Sheet]) -> tuple[list[_Row], str]:
    """Choose pairs, or the raters of too many."""
    pairs, raters = named["pairs"], named.get("raters")
    frame, title = pairs.frame, "Each pair of raters"
    if len(frame) > MOST_ROWS and raters is not None and len(raters.frame) <= MOST_ROWS:
        labels = map(one_line, raters.frame.index)
        rows = [_Row(name, raters, row) for row, name in enumerate(labels)]
        return rows, "Each rater with all others"
    at, title = _ends(pairs, np.arange(len(frame)), title, "pairs")
    first, second = frame["rater_a"].tolist(), frame["rater_b"].tolist()
    return [_Row(_pair_name(first[row], second[row]), pairs, row) for row in at.tolist()], title


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


def _bars(named: Mapping[str, Sheet]) -> tuple[Chart, Sheet] | None:
    """Show for each category which share of the other raters gave it too."""
    if "categories" not in named:
        return None
    frame = named["categories"].frame
    frame = frame[frame["specific_agreement"].notna()]
    if frame.empty:
        return None
    groups = {label[:-1] for label in frame.index} if frame.index.nlevels > 1 else set()
    if len(frame) > MOST_BARS or len(groups) > MOST_GROUPS:
        frame, groups = _pooled(frame), set()
    title = "Share of the other raters who give the same category"
    labels = {"Category": list(map(one_line, frame.index.get_level_values(-1)))}
    of_labels = "Category"
    if groups:
        groups_of_rows = [", ".join(map(one_line, label[:-1])) for label in frame.index]
        labels = {"Group": _once(groups_of_rows), **labels}
        of_labels = f"Category, by {', '.join(map(heading_of, frame.index.names[:-1])).lower()}"
    data = pd.DataFrame({**labels, "Others who agree": frame["specific_agreement"].to_numpy()})
    sheet = Sheet(BARS, data, title, kind="list", key=BARS, index=False)
    names, n_labels = tuple(data["Category"]), len(labels)
    return Chart("bars", title, "Share", BARS, names, n_labels=n_labels, of_labels=of_labels), sheet


def _once(labels: list[str]) -> list[str]:
    """Name a group where it begins, as an axis of several levels wants it."""
    return ["" if row and labels[row - 1] == label else label for row, label in enumerate(labels)]


def _pooled(frame: pd.DataFrame) -> pd.DataFrame:
    """Average the groups of a category by their ratings; keep the most frequent categories."""
    level = frame.index.get_level_values(-1)
    weight = frame["n_ratings"].astype(np.float64)
    sums = (
        pd.DataFrame(
            {"n_ratings": weight, "specific_agreement": weight * frame["specific_agreement"]}
        )
        .groupby(level, sort=False, observed=True)
        .sum()
    )
    sums["specific_agreement"] /= sums["n_ratings"]
    most = sums["n_ratings"].nlargest(MOST_POOLED).index
    kept = sums[sums.index.isin(most)]
    try:
        return kept.sort_index()
    except TypeError:  # labels of several types have no order
        return kept
