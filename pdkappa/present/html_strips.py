"""Frames -> strips and squares of coloured cells, without Matplotlib."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias

import numpy as np

from pdkappa.present import schema
from pdkappa.present.findings import signed
from pdkappa.present.html_drawings import (
    MOST_ROWS,
    SHORT,
    Cell,
    PageRow,
    Table,
    label,
    left_out,
    number,
    reasons_in,
    row_heading,
    short_labels,
)
from pdkappa.present.labels import (
    OF_ROWS,
    ROWS,
    are_times,
    group_in_words,
    groups_of,
    heading_of,
    parts_of,
    reason_in_words,
)
from pdkappa.present.sheets import totals_in
from pdkappa.present.text_markup import UNDEFINED, with_interval

if TYPE_CHECKING:
    from collections.abc import Collection, Hashable, Mapping, Sequence

    import pandas as pd

    from pdkappa._typing import BoolArray, FloatArray
    from pdkappa.present.sheets import Sheet

EDGE = 4.0  # per cent of the width that stay free at either side
MOST_TICKS = 6  # of an axis, unless no step is wide enough
TICK_STEPS = (0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1.0, 2.0, 5.0, 10.0)
NARROWEST, NARROWEST_OF_EFFECTS = 0.1, 0.01  # axes, on which there are ticks
LARGEST, SMALLEST = 11.0, 5.0  # pixels, sides of the squares
MOST_STRIPS = 45  # that are shown at once
LONG_FOREST = 15  # strips, beyond which there is an axis above, too


class Strip(NamedTuple):
    """One row of a forest plot."""

    # What is written: the figures are the estimate and its interval.
    label: Cell
    n_items: Cell
    figures: Cell
    # Where the interval and the estimate are, in per cent of the width; empty where there is none.
    low: str
    middle: str
    high: str
    tip: str  # where the estimate is between the limits, in per cent of their distance
    size: str  # side of the square in pixels; empty for a mean, which is a diamond
    later: bool = False  # whether it waits until all are asked for


Blocks: TypeAlias = list[tuple[str, list[Strip]]]


class Forest(NamedTuple):
    """Strips in blocks, each with a title that may be empty, and what they share."""

    caption: str
    header: str  # what the labels of the strips are
    level: str  # the confidence level in words
    blocks: list[tuple[str, list[Strip]]]
    ticks: list[tuple[str, str]]  # places on the axis in per cent, with their numbers
    zero: str  # the place of agreement by chance; empty if it is beyond the axis
    notes: list[str]
    more: str = ""  # how many strips are shown at first, and of how many; empty if all are
    is_long: bool = False  # whether it has an axis above, too


class Mark(NamedTuple):
    """An estimate with its interval on a lane: places in per cent of the width, and whose it is."""

    low: str
    middle: str
    high: str
    css: str  # "humans" or "machine"
    y: str = "50%"


class Lane(NamedTuple):
    """One row with a picture: what is written before and behind it, and the marks in it."""

    label: Cell
    before: list[Cell]
    marks: list[Mark]
    after: list[Cell]
    css: str = ""


class Lanes(NamedTuple):
    """Rows with pictures that share an axis."""

    caption: str
    heads: list[Cell]  # the names of the columns, with that of the picture among them
    lanes: list[Lane]
    ticks: list[tuple[str, str]]
    line: str  # the place of the line through all lanes: no effect, or the mean
    notes: list[str]


class Axis(NamedTuple):
    """The range of numbers that the width of a strip stands for."""

    low: float
    high: float

    def place(self, value: float) -> str:
        """Return the place of a number in per cent of the width; empty for NaN."""
        if math.isnan(value):
            return ""
        share = (value - self.low) / (self.high - self.low)
        return f"{EDGE + (100 - 2 * EDGE) * share:.2f}"

    def ticks(self) -> list[tuple[str, str]]:
        """Choose round numbers; return the place and the text of each."""
        for step in TICK_STEPS:
            # A tick on the very edge may miss it by rounding.
            first, last = math.ceil(self.low / step - 1e-9), math.floor(self.high / step + 1e-9)
            if last - first < MOST_TICKS:
                break
        values = [step * place for place in range(first, last + 1)]
        return [(self.place(one), f"{one:z.3f}".rstrip("0").rstrip(".")) for one in values]


def forest(
    caption: str, frame: pd.DataFrame, level: str, totals: Sequence[Hashable] = ()
) -> Forest:
    """Lay out the strips of a frame.

    Parameters
    ----------
    caption : str
        The caption.
    frame : DataFrame
        With the columns ``n_items, estimate, ci_low, ci_high, reason``, and either ``se`` or
        ``se_fisher_z`` for the size of the squares. The last level of the index names the
        strips, the others the blocks.
    level : str
        The confidence level in words, such as ``"95% CI"``.
    totals : list of hashable, default ()
        Labels of strips that are means.
    """
    is_mean = totals_in(frame.index, totals)
    is_shown = np.where(is_mean, is_mean.cumsum(), (~is_mean).cumsum()) <= MOST_ROWS
    shown, axis = frame[is_shown], _axis(frame[is_shown])
    size = _sizes(shown, is_mean[is_shown])
    blocks: dict[str, list[Strip]] = {}
    sides = np.where(is_mean[is_shown], "", size).tolist()
    are_known = shown.index.names[-1] in OF_ROWS
    for labels, side, (_, row) in zip(shown.index, sides, shown.iterrows(), strict=True):
        names = parts_of(labels, shown.index.names)
        block = " x ".join(text for text in (label(one).text for one in names[:-1]) if text)
        name = ROWS.get(names[-1], names[-1]) if are_known or not side else names[-1]
        strip = _strip(name, row, axis, side)
        blocks.setdefault(block, []).append(strip)
    n_strips = int((~is_mean[is_shown]).sum())
    made, n_first = _first(list(blocks.items()))
    return Forest(
        caption,
        row_heading(frame.index.names[-1] or "").text,
        level,
        made,
        axis.ticks(),
        axis.place(0.0) if axis.low <= 0 <= axis.high else "",
        [*left_out(int((~is_mean).sum()), MOST_ROWS), *reasons_in(shown)],
        more=f"{n_first} of {n_strips} rows" if n_first < n_strips else "",
        is_long=len(shown) > LONG_FOREST,
    )


def _first(blocks: Blocks) -> tuple[Blocks, int]:
    """Let strips of a long plot wait, and the means of blocks that wait; count the others."""
    found: Blocks = []
    n, is_long = 0, sum(len(strips) for _, strips in blocks) > MOST_STRIPS
    for name, strips in blocks:
        room = min(SHORT, MOST_STRIPS - n) if is_long else len(strips)
        first = [one for one in strips if one.size][:room]
        waits = not first and any(one.size for one in strips)
        known = {id(one) for one in first}
        found.append(
            (
                name,
                [
                    one._replace(later=waits or bool(one.size and id(one) not in known))
                    for one in strips
                ],
            )
        )
        n += len(first)
    return found, n


def _axis(frame: pd.DataFrame) -> Axis:
    """Choose the range that holds every estimate and limit; 0 to 1 if there is none."""
    values = frame[["estimate", "ci_low", "ci_high"]].to_numpy(float)
    values = values[np.isfinite(values)]
    if not len(values):
        return Axis(0.0, 1.0)
    low, high = float(values.min()), float(values.max())
    missing = max(0.0, NARROWEST - (high - low)) / 2
    over = max(0.0, high + missing - 1) if high <= 1 else 0.0  # which no coefficient is
    return Axis(low - missing - over, high + missing - over)


def _sizes(frame: pd.DataFrame, is_mean: BoolArray) -> list[str]:
    """Choose the sides of the squares: the smaller the standard error, the larger."""
    se = frame["se_fisher_z" if "se_fisher_z" in frame else "se"].astype(float)
    least = se[(se > 0) & ~is_mean].min()
    sides = (LARGEST * least / se.where(se > 0, least)).clip(lower=SMALLEST)
    return [f"{side:.1f}" for side in sides.fillna(SMALLEST)]


def _strip(name: Hashable, row: pd.Series[Any], axis: Axis, size: str) -> Strip:
    """Lay out one strip."""
    estimate, low, high = (float(row[one]) for one in ("estimate", "ci_low", "ci_high"))
    text = with_interval(estimate, low, high) if math.isfinite(estimate) else UNDEFINED
    reason = reason_in_words(row["reason"]) if isinstance(row["reason"], str) else ""
    figures = number(estimate, "agreement")._replace(text=f"{text} {reason}".rstrip())
    width = high - low
    return Strip(
        label=label(name),
        n_items=number(row["n_items"], "count"),
        figures=figures,
        low=axis.place(low),
        middle=axis.place(estimate),
        high=axis.place(high),
        tip=f"{100 * (estimate - low) / width:.2f}" if width > 0 else "",
        size=size,
    )


def effects(sheet: Sheet, named: Collection[Hashable] = ()) -> Lanes:
    """Show what each rater does to the agreement of the team, the lowest first.

    Rows of groups name the group, too; rows that were `named` are set apart.
    """
    machines = sheet.machines
    sides = ("effect_low", "effect", "effect_high")
    frame = sheet.frame.dropna(subset="effect").sort_values("effect", kind="stable")
    every = len(frame)
    frame = frame[
        np.array([k < MOST_LANES or name in named for k, name in enumerate(frame.index)], bool)
    ]
    figures = frame[list(sides)].to_numpy(float)
    ends = float(np.nanmin(figures, initial=0)), float(np.nanmax(figures, initial=0))
    room = max(0.0, NARROWEST_OF_EFFECTS - (ends[1] - ends[0])) / 2
    axis = Axis(ends[0] - room, ends[1] + room)
    lanes = []
    for name, row in frame.iterrows():
        *group, rater = parts_of(name, frame.index.names)
        where = group_in_words(frame.index.names[:-1], tuple(group))
        lanes.append(
            Lane(
                label(f"{rater}, {where}" if where else rater),
                [number(row["estimate"], "agreement")],
                [_mark(row, sides, axis, "machine" if rater in machines else "humans")],
                [number(row["light_without"], "agreement")],
                "apart" * (name in named),
            )
        )
    heads = [
        row_heading("rater"),
        Cell("With the others", css="n"),
        Cell("Effect on the agreement of the team", css="strip"),
        Cell("Team without", css="n"),
    ]
    notes = [f"The {len(frame)} lowest of {every:,}."] if len(frame) < every else []
    return Lanes("Who pulls agreement down?", heads, lanes, axis.ticks(), axis.place(0.0), notes)


def _mark(
    row: pd.Series[Any], names: tuple[str, str, str], axis: Axis, css: str, y: str = "50%"
) -> Mark:
    """Place an estimate between its limits."""
    low, middle, high = (axis.place(float(row[name])) for name in names)
    return Mark(low, middle, high, css, y)


OF_ALL = ("ci_low", "estimate", "ci_high")
OF_BOTH = {
    name: (f"estimate_{name}_low", f"estimate_{name}", f"estimate_{name}_high")
    for name in ("humans", "machine")
}
ABOVE = {"humans": "30%", "machine": "70%"}


def by_group(
    sheet: Sheet, level: str, named: Collection[Hashable] = (), mean: float = math.nan
) -> Lanes:
    """Show each group: humans and machine beside each other, or all raters, the highest first.

    Times keep their order. Rows that were `named` are set apart. A line stands at the `mean`.
    """
    frame, is_pair = sheet.frame, "difference" in sheet.frame
    if not (is_pair or are_times(frame.index)):
        frame = frame.sort_values("estimate", kind="stable", ascending=False)
    counted = "n_items" if "n_items" in frame else "n_ratings"
    shown = OF_BOTH if is_pair else {"humans": OF_ALL}
    every = frame[[one for names in shown.values() for one in names]].to_numpy(float)
    low = float(every[np.isfinite(every)].min(initial=1 - NARROWEST))
    axis = Axis(math.floor(10 * low) / 10 if is_pair else min(low, 0.0), 1.0)
    criteria = [one for one in frame.columns if str(one) not in schema.COLUMNS]
    lanes = []
    for (name, row), names in zip(frame.iterrows(), _names_of(frame), strict=True):
        marks = [
            _mark(row, one, axis, css, ABOVE[css] if is_pair else "50%")
            for css, one in shown.items()
        ]
        figures = [
            float(row[one]) for one in ("difference" if is_pair else "estimate", *OF_ALL[::2])
        ]
        cells = [Cell((signed if is_pair else with_interval)(*figures), css="n")]
        if "smd" in frame:
            cells.append(Cell(signed(float(row["smd"])), css="n wide"))
        cells += [Cell(row[one], css=VERDICTS.get(row[one][:1], "")) for one in criteria]
        items = number(row[counted], "count")
        apart = "apart" * (name in named)
        lanes.append(Lane(names, [items._replace(css="n wide")], marks, cells, apart))
    heads = [
        label(", ".join(map(heading_of, frame.index.names))),
        Cell(heading_of(counted), css="n wide"),
        Cell("\N{BLACK CIRCLE} humans \N{BLACK SQUARE} machine" if is_pair else "", css="strip"),
        Cell(f"{'Machine minus humans' if is_pair else 'Agreement'} [{level}]", css="n"),
        *([Cell("In SD", css="n wide")] if "smd" in frame else []),
        *(Cell(str(one)) for one in criteria),
    ]
    line = "" if is_pair else axis.place(mean)
    return Lanes(sheet.title, heads, lanes, axis.ticks(), line, [*sheet.notes])


def _names_of(frame: pd.DataFrame) -> list[Cell]:
    """Name the rows of a frame, which may have several labels."""
    every = [parts_of(name, frame.index.names) for name in frame.index]
    return [label(", ".join(label(part).text for part in one)) for one in every]


VERDICTS = {"\N{CHECK MARK}": "pass", "\N{BALLOT X}": "fail", "?": "open"}

MOST_LANES = 24  # raters with pictures
MOST_COLUMNS = 100  # of a matrix
MOST_MATRICES = 60  # of groups
MOST_NAMED = 8  # columns of a matrix with their names; more have numbers
LONGEST_HEAD, LONGEST_HEADS = 6, 36  # characters of one and of all of a confusion table, likewise
DENSE, SOLID = 6, 30  # columns, beyond which a phone, or any screen, shows colours only
DENSE_COUNTS, SOLID_COUNTS = 12, 45  # the same of confusion tables
STEPS = 10  # of the colours from 0 to 1
STEPS_BELOW = 4  # of those from 0 to -1


def matrix_tables(sheet: Sheet, pairs: pd.DataFrame | None = None) -> list[Table]:
    """Show a square of raters as a heat map, one for each group.

    The frame of pairs has the reasons of what is undefined.
    """
    frame = sheet.frame
    why = {} if pairs is None else _of_pairs(pairs[pairs["estimate"].isna()], "reason")
    joint = {} if pairs is None else _of_pairs(pairs, "n_items")
    if frame.index.nlevels == 1:
        one = _matrix(frame, sheet.title, (), why, joint)
        return [one._replace(untitled=True)]
    names = frame.index.names[:-1]
    n_raters = frame.shape[1]
    tables = []
    for first in range(0, min(len(frame), MOST_MATRICES * n_raters), n_raters):
        part = frame.iloc[first : first + n_raters]
        group = part.index[0][:-1]
        title = group_in_words(names, group)
        part = part.set_axis(part.index.get_level_values(-1))
        tables.append(_matrix(part, title, group, why, joint))
    return tables


def confusion_table(sheet: Sheet) -> Table:
    """Show the counts of a pair of raters, the darker the more items."""
    frame = sheet.frame
    inner = frame.loc[~frame.index.isin(sheet.emphasis), ~frame.columns.isin(sheet.emphasis)]
    largest = float(inner.to_numpy(float).max(initial=0)) or 1.0
    rows: list[PageRow] = []
    foot: list[PageRow] = []
    names, heads = short_labels(list(frame.index)), short_labels(list(frame.columns))
    lengths = [len(one.text) for one in heads]
    if max(lengths, default=0) > LONGEST_HEAD and sum(lengths) > LONGEST_HEADS:
        names, heads = _numbered(names, heads, len(heads) - len(inner.columns))
    for name, shown, values in zip(frame.index, names, frame.to_numpy().tolist(), strict=True):
        total = name in sheet.emphasis
        cells = [
            _count(value, largest, same=name == other, total=total or other in sheet.emphasis)
            for other, value in zip(frame.columns, values, strict=True)
        ]
        (foot if total else rows).append(PageRow([shown], cells))
    heads = [
        one._replace(css="n sum") if name in sheet.emphasis else one
        for name, one in zip(frame.columns, heads, strict=True)
    ]
    header = [label(frame.index.name), *heads]
    above = label(frame.columns.name).text
    css = _density(len(rows), DENSE_COUNTS, SOLID_COUNTS)
    return Table(sheet.title, header, above, rows, foot, [], sortable=False, css=css)


def shade(value: float) -> str:
    """Choose the colour of a value in [-1, 1].

    >>> shade(0.0), shade(0.99), shade(1.0), shade(-0.3), shade(float("nan"))
    ('h0', 'h9', 'h9', 'm1', 'none')
    """
    if math.isnan(value):
        return "none"
    if value < 0:
        return f"m{min(int(-value * STEPS_BELOW), STEPS_BELOW - 1)}"
    return f"h{min(int(value * STEPS), STEPS - 1)}"


def _matrix(
    frame: pd.DataFrame,
    title: str,
    group: tuple[Hashable, ...],
    why: Mapping[tuple[Any, ...], str],
    joint: Mapping[tuple[Any, ...], float],
) -> Table:
    """Show the square of one group: most alike first, kappa below the diagonal, items above."""
    order = _most_alike(frame.to_numpy(float))[:MOST_COLUMNS]
    shown = frame.iloc[order, order]
    names, heads = short_labels(list(shown.index)), short_labels(list(shown.columns))
    if len(names) > MOST_NAMED:
        names, heads = _numbered(names, heads)
    values = shown.to_numpy(float).tolist()
    rows = []
    for i, (name, a, line) in enumerate(zip(names, shown.index, values, strict=True)):
        pairs = [(*group, _pair(a, b)) for b in shown.columns]
        cells = [
            Cell("", css="own")
            if i == j
            else number(joint[pair], "count")._replace(css="n above")
            if j > i and pair in joint
            else _heat(value, why.get(pair))
            for j, (value, pair) in enumerate(zip(line, pairs, strict=True))
        ]
        rows.append(PageRow([name], cells))
    notes = [*left_out(len(frame), MOST_COLUMNS, "raters")]
    if (shown.isna().to_numpy() & ~np.eye(len(shown), dtype=bool)).any():
        notes.append(f"{UNDEFINED} is undefined: the table of pairs says why.")
    header = [row_heading(frame.index.name), *heads]
    return Table(title, header, "", rows, [], notes, sortable=False, css=_density(len(heads)))


def _most_alike(values: FloatArray) -> list[int]:
    """Order raters by their mean agreement with the others, the highest first."""
    own = np.where(np.eye(len(values), dtype=bool), np.nan, values)
    n = np.maximum((~np.isnan(own)).sum(axis=1), 1)
    return np.argsort(-np.nansum(own, axis=1) / n, kind="stable").tolist()


def _numbered(
    names: list[Cell], heads: list[Cell], but_last: int = 0
) -> tuple[list[Cell], list[Cell]]:
    """Give numbers to rows and columns, but the last, and names to rows only."""
    n = len(heads) - but_last
    rows = [
        one._replace(text=f"{place} {one.text}") for place, one in enumerate(names[:n], start=1)
    ]
    columns = [
        Cell(str(place), title=one.title or one.text)
        for place, one in enumerate(heads[:n], start=1)
    ]
    return [*rows, *names[n:]], [*columns, *heads[n:]]


def _density(n_columns: int, dense: int = DENSE, solid: int = SOLID) -> str:
    """Choose the class of a table of so many columns; where there are many, colours suffice."""
    return "solid" if n_columns > solid else "dense" if n_columns > dense else ""


def _heat(value: float, reason: str | None) -> Cell:
    """Colour a cell of a matrix; say why it is undefined."""
    cell = number(value, "agreement")
    title = schema.REASONS.get(reason or "", "") if math.isnan(value) else cell.title
    if reason and title:
        title = f"{reason_in_words(reason)}: {title}"
    return cell._replace(css=f"n {shade(value)}", title=title)


def _count(value: float, largest: float, *, same: bool, total: bool) -> Cell:
    """Colour a cell of a confusion table by its number of items."""
    cell = number(value, "count")
    if total:
        return cell._replace(css="n sum")
    css = shade(value / largest) if value else "zero"
    return cell._replace(css=f"n {css} same" if same else f"n {css}")


def _of_pairs(pairs: pd.DataFrame, name: str) -> dict[tuple[Any, ...], Any]:
    """Look up what a column says of a pair (in a group)."""
    rows = zip(*(pairs[one] for one in ("rater_a", "rater_b", name)), strict=True)
    return {
        (*group, _pair(a, b)): value
        for group, (a, b, value) in zip(groups_of(pairs), rows, strict=True)
    }


def _pair(a: Hashable, b: Hashable) -> frozenset[Hashable]:
    """Name a pair of raters whatever their order."""
    return frozenset((a, b))
