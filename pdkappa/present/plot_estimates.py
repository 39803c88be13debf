"""Estimates with limits -> a forest plot, or what was attained; trials and components."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

import numpy as np
import pandas as pd

from pdkappa.errors import plural
from pdkappa.present.labels import (
    ROWS,
    drawable,
    drawn,
    group_in_words,
    groups_of,
    heading_of,
    one_line,
    reason_in_words,
    two_decimals,
    wrapped,
)
from pdkappa.present.plot_drawing import (
    BLACK,
    BLUE,
    GAP,
    GREY,
    LABELS,
    LIMITS,
    LOWEST_ROW,
    MOST_ROWS,
    PLAIN,
    About,
    Rows,
    check_characters,
    check_matplotlib,
    finish,
    fit,
    labels_of,
    mark_mean,
    new_axes,
    place_rows,
    points_of,
    room_for_columns,
    room_of,
    rows_of,
    settle,
    shorten_to,
    show_unit,
    undefined,
    widest,
    with_limits,
    with_line,
    write,
    write_columns,
)

if TYPE_CHECKING:
    from collections.abc import Hashable

    from matplotlib.axes import Axes

    from pdkappa._typing import FloatArray


LARGEST, SMALLEST = 80.0, 6.0  # square points, areas of the squares
FEWEST_OF_RANDOM = 5  # groups
TALLEST = 6.0  # points from the middle of a diamond to its top
BEFORE_PLOT = -3.5  # points between the header of the labels and the plot, as Matplotlib pads


class ForestRow(NamedTuple):
    """What is drawn and written in one row."""

    kind: Literal["group", "mean", "prediction"]
    label: str
    n: str
    estimate: float
    low: float
    high: float
    reason: str
    se: float = math.nan

    @property
    def has_limits(self) -> bool:
        """Whether there is an interval."""
        return math.isfinite(self.low) and math.isfinite(self.high)


def draw_forest(
    groups: pd.DataFrame, pooled: pd.DataFrame, title: str, about: About, ax: Axes | None = None
) -> Axes:
    """Draw the groups with their intervals, the pooled means and the prediction interval.

    Parameters
    ----------
    groups : DataFrame
        One row for each group, drawn from top to bottom, with the columns ``n_items,
        estimate, ci_low, ci_high, se_fisher_z, reason``.
    pooled : DataFrame
        The rows ``fisher_mean, fixed, random``, or one for each of several means, with the
        columns ``estimate, ci_low, ci_high, prediction_low, prediction_high, n_groups,
        reason``.

    Notes
    -----
    The axis is 0 to 1 unless something lies outside, with a line at the first mean. Random effects
    are drawn from five groups on. The area of a square is proportional to ``1 / se_fisher_z**2``,
    the weight of the group in the fixed-effect mean, but never too small to be seen. A
    diamond is as wide as the interval of a mean. What is undefined keeps its row, with the reason
    in grey. Where rows are too low for text (in a new figure: beyond 100 groups), only some groups
    have a label, and the text at the right is that of the means.
    """
    check_matplotlib()
    check_characters(groups.index, groups.index.names, pooled.index, [title])
    lines = _lines(groups, pooled)
    ax, rows = place_rows([line.label for line in lines], ax, below=len(lines) - len(groups))
    _set_range(ax, lines)
    _draw_groups(ax, lines, rows)
    _draw_means(ax, lines, rows)
    name = "" if groups.index.nlevels > 1 else one_line(groups.index.name)
    header = drawable(heading_of(name)) if name else ""
    right = ("n", f"estimate [{about.interval}]") if rows.step == 1 else ("", "")
    _write(ax, lines, rows, header=(header, *right))
    ax.set_title(wrapped(title), **PLAIN)
    mark_mean(ax, float(pooled["estimate"].iloc[0]) if len(pooled) else math.nan)
    finish(ax, rows, f"{about.measure} ({about.interval} interval)", about.line)
    return ax


# --- rows --------------------------------------------------------------------------------------


def _lines(groups: pd.DataFrame, pooled: pd.DataFrame) -> list[ForestRow]:
    """List what is drawn, from top to bottom: groups, means, prediction interval."""
    index = groups.index
    names = ["" if name is None else f"{drawn(heading_of(name))} " for name in index.names]
    found = [
        ForestRow("group", label, f"{row['n_items']:.10g}", se=row["se_fisher_z"], **_shared(row))
        for label, row in zip(labels_of(index, names), groups.to_dict("records"), strict=True)
    ]
    means = pooled.to_dict("index")
    if len(groups) < FEWEST_OF_RANDOM:
        means.pop("random", None)
    for name, mean in means.items():
        n_groups = f"{mean['n_groups']} {plural(mean['n_groups'], 'group')}"
        found.append(ForestRow("mean", ROWS.get(name, drawn(name)), n_groups, **_shared(mean)))
    if "random" not in means:
        return found
    low, high = (means["random"][name] for name in ("prediction_low", "prediction_high"))
    prediction = ForestRow("prediction", "Prediction interval", "", math.nan, low, high, reason="")
    return [*found, prediction] if prediction.has_limits else found


def _shared(row: dict[Hashable, Any]) -> dict[str, Any]:
    """Read what groups and means have in common."""
    names = {"estimate": "estimate", "low": "ci_low", "high": "ci_high", "reason": "reason"}
    return {ours: row[theirs] for ours, theirs in names.items()}


def _figures(row: ForestRow) -> str:
    """Write the estimate and its interval, or why there is none."""
    why = f": {reason_in_words(row.reason)}" if row.reason else ""
    if row.kind == "prediction":
        return f"[{two_decimals(row.low)}, {two_decimals(row.high)}]"
    if not math.isfinite(row.estimate):
        return f"undefined{why}"
    return with_limits(row._asdict(), ("estimate", "low", "high"), none=f", no interval{why}")


# --- drawing -----------------------------------------------------------------------------------


def _set_range(ax: Axes, lines: list[ForestRow]) -> None:
    """Show all estimates and limits, and a line for chance if it lies among them."""
    values = np.array([(line.estimate, line.low, line.high) for line in lines], dtype=float)
    show_unit(ax, values)


def _draw_groups(ax: Axes, lines: list[ForestRow], rows: Rows) -> None:
    """Draw a square for each group that has an estimate, and a line if it has limits."""
    groups = [(row, y) for row, y in zip(lines, rows.y, strict=True) if row.kind == "group"]
    limits = [(y, row.low, row.high) for row, y in groups if row.has_limits]
    y, low, high = np.array(limits).reshape(-1, 3).T
    ax.hlines(y, low, high, color=BLUE, linewidth=1.2)
    squares = [(row.estimate, y, row.se) for row, y in groups if math.isfinite(row.estimate)]
    x, y, se = np.array(squares).reshape(-1, 3).T
    # Without an error a weight is infinite: such a group gets the largest square.
    area = np.where(se == 0, 1.0, 0.0)
    area[se > 0] = (se[se > 0].min(initial=np.inf) / se[se > 0]) ** 2
    area *= min(LARGEST, (0.8 * rows.height) ** 2)
    ax.scatter(x, y, s=np.maximum(area, SMALLEST), marker="s", color=BLUE, zorder=3)


def _draw_means(ax: Axes, lines: list[ForestRow], rows: Rows) -> None:
    """Draw the means as diamonds, and the prediction interval as a line with ends."""
    half = min(0.3 * rows.step, TALLEST / rows.height)
    for row, y in zip(lines, rows.y, strict=True):
        if row.kind == "prediction":
            ax.plot([row.low, row.high], [y, y], "|-", color=BLACK, linewidth=1, markersize=7)
        elif row.kind == "mean" and row.has_limits:
            x = [row.low, row.estimate, row.high, row.estimate]
            ax.fill(x, [y, y - half, y, y + half], color=BLACK, linewidth=1)
        elif row.kind == "mean" and math.isfinite(row.estimate):
            ax.plot(row.estimate, y, "D", color=BLACK, markersize=5)


def _write(ax: Axes, lines: list[ForestRow], rows: Rows, *, header: tuple[str, str, str]) -> None:
    """Write the header and, at the right, the columns of figures for which there is room."""
    write(ax, rows, header[0], (0, rows.header), BEFORE_PLOT, horizontalalignment="right")
    shown = [
        (line, (1, y))
        for line, y in zip(lines, rows.y, strict=True)
        if line.kind != "group" or rows.step == 1
    ]
    room = room_for_columns(ax, rows)
    figures = [write(ax, rows, header[2], (1, rows.header), 0)]
    for line, place in shown:
        figures.append(write(ax, rows, _figures(line), place, 0))
        if not line.has_limits:
            figures[-1].set_color(GREY)
    counts = [write(ax, rows, header[1], (1, rows.header), 0)]
    counts += [write(ax, rows, line.n, place, 0) for line, place in shown]
    left, width = GAP, widest(ax, counts)
    if 2 * GAP + width + widest(ax, figures) <= room:
        for text in counts:
            text.set(horizontalalignment="right", position=(GAP + width, 0))
        left, counts = 2 * GAP + width, []
    elif GAP + widest(ax, figures) > room:
        counts += figures
    for text in counts:
        text.remove()
    for text in figures:
        text.set_position((left, 0))


# How the means are called in print.
THICK = 0.5  # of a row, the bar of what is possible
THICKEST = 8.0  # points
LIGHT = "#BFBFBF"
FILLED = 0.8  # of a row with several bars
ROOMY = 2.0  # times the height of a row with one bar
SMALLEST_DOT, LARGEST_DOT = 2.0, 4.0  # points, a dot on one of several bars
HEADER = "estimate of maximum"
GOES_ON = "bars that touch the left edge begin further left"


def draw_attainable(frame: pd.DataFrame, about: About, ax: Axes | None = None) -> Axes:
    """Draw what each pair reached within the range of what it could reach.

    Parameters
    ----------
    frame : DataFrame
        One row for each pair (and group), drawn from top to bottom, with the columns
        ``rater_a, rater_b, estimate, min_estimate, max_estimate, reason``. The
        index names the groups, if there are any.

    Notes
    -----
    The axis is 0 to 1, and holds the estimates and the maxima; the least agreement may be far
    below. The line is the mean of the estimates. Where rows
    would be too many for text, each rater has one, with a bar for each other rater, sorted.
    """
    check_matplotlib()
    check_characters(frame["rater_a"], frame["rater_b"], frame.index, frame.index.names)
    most = MOST_ROWS if ax is None else points_of(ax)[1] / LOWEST_ROW - 1
    what = f"{about.measure}: estimate (line: mean) and attainable range"
    if len(frame) > most:
        ax, rows = _draw_raters(frame, ax)
        what += ", a bar for each other rater"
    else:
        ax, rows = _draw_pairs(frame, ax)
    if (frame["min_estimate"] < ax.get_xlim()[0]).any():
        what += f"\n{GOES_ON}"
    mark_mean(ax, float(frame["estimate"].mean()))
    finish(ax, rows, what, about.line)
    return ax


def _draw_pairs(frame: pd.DataFrame, ax: Axes | None) -> tuple[Axes, Rows]:
    """Draw a row for each pair."""
    records = frame.to_dict("records")
    labels = [
        _labelled(frame, group, f"{drawn(row['rater_a'])} with {drawn(row['rater_b'])}")
        for group, row in zip(groups_of(frame), records, strict=True)
    ]
    ax, rows = place_rows(labels, ax)
    thickness = min(THICK * rows.height, THICKEST)
    _draw(ax, frame, rows.y, thickness=thickness, size=thickness)
    figures = [_of_highest(row["estimate"], row["max_estimate"]) for row in records]
    write_columns(ax, rows, {HEADER: figures}, undefined(frame, "estimate"))
    return ax, rows


def _draw_raters(frame: pd.DataFrame, ax: Axes | None) -> tuple[Axes, Rows]:
    """Draw a row for each rater (of each group), with a bar for each of their pairs."""
    places: dict[tuple[Any, Any], list[int]] = {}
    for place, (group, row) in enumerate(
        zip(groups_of(frame), frame.to_dict("records"), strict=True)
    ):
        for rater in (row["rater_a"], row["rater_b"]):
            places.setdefault((group, rater), []).append(place)
    parts = [frame.iloc[some].sort_values("estimate") for some in places.values()]
    labels = [_labelled(frame, group, drawn(rater)) for group, rater in places]
    ax, rows = place_rows(labels, ax, least=ROOMY)
    span = FILLED * (ROOMY if rows.step == 1 else 1)
    y = np.concatenate(
        [
            middle + span * ((np.arange(len(part)) + 0.5) / len(part) - 0.5)
            for middle, part in zip(rows.y, parts, strict=True)
        ]
    )
    bar = span * rows.height / max(map(len, parts))
    size = min(max(SMALLEST_DOT, bar), LARGEST_DOT)
    _draw(ax, pd.concat(parts), y, thickness=min(bar, THICKEST), size=size)
    means = [part[["estimate", "max_estimate"]].mean() for part in parts]
    write_columns(
        ax,
        rows,
        {f"mean {HEADER}": [_of_highest(*mean) for mean in means]},
        [undefined(part, "estimate")[0] for part in parts],  # sorted: NaN first if all are
    )
    return ax, rows


def _labelled(frame: pd.DataFrame, group: tuple[Any, ...], label: str) -> str:
    """Put the group, if there is one, before a label."""
    place = drawable(group_in_words(frame.index.names, group))
    return f"{place}, {label}" if place else label


def _draw(ax: Axes, frame: pd.DataFrame, y: FloatArray, *, thickness: float, size: float) -> None:
    """Draw a bar from the least to the greatest value of each row, and a dot on it."""
    low, high, estimate = frame[["min_estimate", "max_estimate", "estimate"]].to_numpy(float).T
    show_unit(ax, np.concatenate([high, estimate]))
    known = np.isfinite(low) & np.isfinite(high)
    ax.hlines(y[known], low[known], high[known], color=LIGHT, linewidth=thickness)
    found = np.isfinite(estimate)
    ax.scatter(estimate[found], y[found], s=size**2, color=BLUE, zorder=3)


def _of_highest(estimate: float, highest: float) -> str:
    """Write the estimate and the maximum."""
    high = two_decimals(highest) if math.isfinite(highest) else "?"
    return f"{two_decimals(estimate)} of {high}"


PANELS = {
    "within": ("each rater\nwith themselves", BLUE, "o"),
    "vs_truth": ("each rater\nwith the standard", GREY, "D"),
}
HEIGHT, WIDTH_OF_RATER, NARROWEST = 3.2, 0.55, 2.6  # inches
DOT, WIDEST = 6.0, 4.0  # points; times the largest estimate that limits are drawn to


def draw_trials(
    frame: pd.DataFrame, *, level: float, line: str = "", ax: Axes | None = None
) -> Axes:
    """Draw how often the ratings of each rater match each other, and the standard, in percent.

    Parameters
    ----------
    frame : DataFrame
        The rows "matched" of `trials`, with the columns ``estimate, ci_low, ci_high`` and the
        index ``comparison, rater``.
    level : float
        Confidence level of the limits.
    """
    check_matplotlib()
    parts = [(name, frame.loc[[name]]) for name in PANELS if name in frame.index]
    shown = [(name, part.droplevel(0)) for name, part in parts]
    check_characters(*(part.index for _, part in shown))
    is_new, n = ax is None, sum(len(part) for _, part in shown)
    ax = new_axes(HEIGHT, max(WIDTH_OF_RATER * (n + 1), NARROWEST)) if ax is None else ax
    labels, start = dict[float, str](), 0
    for name, part in shown:
        title, colour, marker = PANELS[name]
        x = start + np.arange(len(part))
        share, low, high = (100 * part[one] for one in ("estimate", "ci_low", "ci_high"))
        ax.vlines(x, low, high, color=colour, linewidth=1.5)
        ax.plot(x, share, marker, color=colour, markersize=DOT)
        ax.annotate(
            title, (x.mean(), 103), ha="center", va="bottom", annotation_clip=False, **PLAIN
        )
        if start:
            ax.axvline(start - 1, color="0.8", linewidth=0.8)
        labels |= zip(x.tolist(), map(drawn, part.index), strict=True)
        start += len(part) + 1
    _name_dots(ax, labels, is_new=is_new)
    ax.set_ylim(0, 103)
    ax.set_xlim(-0.7, start - 1.3)
    ax.set_ylabel(f"items that match, % [{100 * level:g} %]", **PLAIN)
    ax.set_xlabel(with_line("", line).strip(), **PLAIN)
    ax.spines[["right", "top"]].set_visible(False)
    fit(ax, is_new=is_new)
    if is_new:
        settle(ax)  # names that stick out move the axes, and these the dots at which they end
    return ax


def _name_dots(ax: Axes, labels: dict[float, str], *, is_new: bool) -> None:
    """Name what is at some places below the axes; long names end there."""
    names, turned = [*labels.values()], dict[str, Any]()
    if max(map(len, names)) > 6:  # noqa: PLR2004
        turned = {"rotation": 45, "ha": "right", "rotation_mode": "anchor"}
    ax.set_xticks([*labels], names, **turned, **PLAIN)
    if not is_new:
        size = float(ax.get_xticklabels()[0].get_fontsize())
        ax.set_xticklabels(shorten_to(ax, names, LABELS * room_of(ax)[1], size), **PLAIN)


def draw_components(
    frame: pd.DataFrame, *, level: float, line: str = "", ax: Axes | None = None
) -> Axes:
    """Draw the components of variance as bars, with their limits as far as there is room.

    Parameters
    ----------
    frame : DataFrame
        As `components` of a study has it.
    level : float
        Confidence level of the limits.
    """
    ax, rows = rows_of(frame, ax)
    estimate, low, high = frame[[*LIMITS]].to_numpy(float).T
    most = WIDEST * np.nanmax(estimate, initial=0.0)
    known = np.isfinite(estimate)
    widest = np.nanmax(np.append(np.minimum(high, most), [estimate.max(), 0.0]))
    ax.set_xlim(0, 1.05 * widest if widest > 0 else 1)
    ax.barh(rows.y[known], estimate[known], height=0.5, color=BLUE, alpha=0.5)
    ax.hlines(rows.y[known], low[known], np.minimum(high, most)[known], color=BLUE, linewidth=1.2)
    far = known & (high > most)
    ax.plot(np.full(far.sum(), most), rows.y[far], ">", color=BLUE, markersize=DOT, clip_on=False)
    records = frame.to_dict("records")
    write_columns(
        ax,
        rows,
        {
            f"variance [{100 * level:g} %]": [
                f"{row['estimate']:.3g} [{row['ci_low']:.3g}, {row['ci_high']:.3g}]"
                if np.isfinite(row["estimate"])
                else ""
                for row in records
            ],
            "share": [
                f"{100 * row['share']:.0f} %" if np.isfinite(row["share"]) else ""
                for row in records
            ],
        },
        undefined(frame, "estimate"),
    )
    finish(ax, rows, "variance of the scores", line)
    return ax


def draw_projection(
    frame: pd.DataFrame, *, level: float, line: str = "", ax: Axes | None = None
) -> Axes:
    """Draw g and phi against the number of levels of a facet, with bands for their limits.

    Parameters
    ----------
    frame : DataFrame
        As `project` returns it for one facet.
    level : float
        Confidence level of the limits.
    """
    check_matplotlib()
    is_new = ax is None
    ax = new_axes(HEIGHT, HEIGHT * 1.4) if ax is None else ax
    sizes = frame.index.to_numpy()
    for name, colour, style, told in (
        ("g", BLUE, "-", "g, for ranks"),
        ("phi", GREY, "--", "phi, for levels"),
    ):
        ax.plot(sizes, frame[name], style, color=colour, marker="o", markersize=DOT / 2, label=told)
        ax.fill_between(
            sizes,
            frame[f"{name}_low"],
            frame[f"{name}_high"],
            color=colour,
            alpha=0.12,
            linewidth=0,
        )
    ax.set_ylim(0, 1)
    ax.set_xlabel(with_line(f"number of levels of {drawn(frame.index.name)}", line), **PLAIN)
    ax.set_ylabel(f"coefficient [{100 * level:g} %]")
    ax.legend(frameon=False, loc="lower right")
    ax.spines[["right", "top"]].set_visible(False)
    fit(ax, is_new=is_new)
    return ax
