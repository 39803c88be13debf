"""Groups and their pooled means → a forest plot; no statistics."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

import numpy as np

from pdkappa.present.labels import one_line, two_decimals, wrapped
from pdkappa.present.plots.drawing import (
    BLUE,
    GREY,
    INCH,
    PLAIN,
    VERMILION,
    check_matplotlib,
    fit_figure,
    fit_subplots,
    new_axes,
)

if TYPE_CHECKING:
    from collections.abc import Hashable

    import pandas as pd
    from matplotlib.axes import Axes

    from pdkappa._typing import BoolArray, FloatArray

EXTRA_LINE = 0.75  # rows that each new line takes
RULE = 0.75  # rows that the line between groups and means takes
MOST_ROWS = 100  # groups of a new figure that all have text
COMPACT_HEIGHT = 7.0  # inches of a plot of more groups than that
ROW_HEIGHT = 1.75  # times the size of the font
LOWEST_ROW = 6.0  # points: text of a lower row cannot be read
LABELLED_ROW = 14.0  # points between labels if not every row has one
GAP = 14.0  # points between the plot and the columns of text
LARGEST, SMALLEST = 80.0, 6.0  # square points, areas of the squares
TALLEST = 6.0  # points from the middle of a diamond to its top
MARGIN = 0.04  # of the range of the data, at either side


class _Row(NamedTuple):
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


class _Places(NamedTuple):
    """Where the rows are.

    Attributes
    ----------
    y : ndarray of float, shape (n_rows,)
        Middle of each row.
    top, rule, bottom : float
        Upper end, line between groups and means, lower end.
    step : int
        Every how many groups there is a label, and the height of the rows below the line.
    points : float
        Height of one unit of y.
    """

    y: FloatArray
    top: float
    rule: float
    bottom: float
    step: int
    points: float


def draw_forest(
    groups: pd.DataFrame,
    pooled: pd.DataFrame,
    *,
    title: str,
    coefficient: str,
    level: float,
    weights: str | None = None,
    ax: Axes | None = None,
) -> Axes:
    """Draw the groups with their intervals, the pooled means and the prediction interval.

    Parameters
    ----------
    groups : DataFrame
        One row for each group, drawn from top to bottom, with the columns ``n_items,
        estimate, ci_low, ci_high, se_fisher_z, reason``.
    pooled : DataFrame
        The rows ``fisher_mean, fixed, random`` with the columns ``estimate, ci_low, ci_high,
        prediction_low, prediction_high, n_groups, reason``.
    title : str
        Text above the plot.
    coefficient : str
        What the coefficient is called, for the label of the horizontal axis.
    level : float
        Confidence level of the intervals.
    weights : str, optional
        Name of the weighting, for the same label.
    ax : Axes, optional
        Where to draw. A figure with several subplots should have ``layout="constrained"``,
        which makes room for the text of each; without a layout, the subplots are moved in
        from the edges of the figure. Default: a new figure with room for everything.

    Returns
    -------
    Axes
        The vertical axis points down, and the first group is at 0.

    Raises
    ------
    MissingDependencyError
        If Matplotlib is not installed.

    Notes
    -----
    The area of a square is proportional to ``1 / se_fisher_z**2``, the weight of the group in
    the fixed-effect mean, but never too small to be seen. A diamond is as wide as the interval
    of a mean. What is undefined keeps its row, with the reason in grey. Where rows are too low
    for text (in a new figure: beyond 100 groups), only some groups have a label, and the
    text at the right is that of the means.
    """
    check_matplotlib()
    is_new = ax is None
    rows = _rows(groups, pooled)
    ax = new_axes(_height(rows)) if ax is None else ax
    places = _places(rows, ax)
    _prepare(ax, rows, places)
    _draw_groups(ax, rows, places)
    _draw_means(ax, rows, places)
    header = "" if groups.index.nlevels > 1 else one_line(groups.index.name)
    interval = f"{100 * level:g} %"
    right = ("n", f"estimate [{interval}]") if places.step == 1 else ("", "")
    _write(ax, rows, places, header=(header, *right))
    weighting = f", {weights} weights" if weights else ""
    ax.set_xlabel(f"{coefficient}{weighting} ({interval} interval)", **PLAIN)
    ax.set_title(wrapped(title), **PLAIN)
    if is_new:
        fit_figure(ax)
    else:
        fit_subplots(ax)
    return ax


# --- rows --------------------------------------------------------------------------------------


def _rows(groups: pd.DataFrame, pooled: pd.DataFrame) -> list[_Row]:
    """List what is drawn, from top to bottom: groups, means, prediction interval."""
    found = [
        _Row("group", label, f"{row['n_items']:.10g}", se=row["se_fisher_z"], **_shared(row))
        for label, row in zip(_labels(groups.index), groups.to_dict("records"), strict=True)
    ]
    means = pooled.to_dict("index")
    for name, label in MEANS.items():
        n = means[name]["n_groups"]
        n_groups = "1 group" if n == 1 else f"{n} groups"
        found.append(_Row("mean", label, n_groups, **_shared(means[name])))
    low, high = (means["random"][name] for name in ("prediction_low", "prediction_high"))
    prediction = _Row("prediction", "Prediction interval", "", math.nan, low, high, reason="")
    return [*found, prediction] if prediction.has_limits else found


def _shared(row: dict[Hashable, Any]) -> dict[str, Any]:
    """Read what groups and means have in common."""
    names = {"estimate": "estimate", "low": "ci_low", "high": "ci_high", "reason": "reason"}
    return {ours: row[theirs] for ours, theirs in names.items()}


def _labels(index: pd.Index[Any]) -> list[str]:
    """Name each group: by its value, or by the names and values of several levels."""
    if index.nlevels == 1:
        return [one_line(value) for value in index]
    names = ["" if name is None else f"{one_line(name)}=" for name in index.names]
    return [
        ", ".join(name + one_line(value) for name, value in zip(names, group, strict=True))
        for group in index
    ]


def _figures(row: _Row) -> str:
    """Write the estimate and its interval, or why there is none."""
    interval = f"[{two_decimals(row.low)}, {two_decimals(row.high)}]"
    why = f": {row.reason}" if row.reason else ""
    if row.kind == "prediction":
        return interval
    if not math.isfinite(row.estimate):
        return f"undefined{why}"
    estimate = two_decimals(row.estimate)
    return f"{estimate} {interval}" if row.has_limits else f"{estimate}, no interval{why}"


# --- places ------------------------------------------------------------------------------------


def _height(rows: list[_Row]) -> float:
    """Choose the height of a new figure, in inches, so that all rows have room."""
    from matplotlib import rcParams

    if _is_group(rows).sum() > MOST_ROWS:
        return COMPACT_HEIGHT
    return _total(_heights(rows, 1), 1) * ROW_HEIGHT * rcParams["font.size"] / INCH


def _places(rows: list[_Row], ax: Axes) -> _Places:
    """Divide the height of the axes among the rows."""
    height = ax.get_window_extent().height * INCH / ax.figure.dpi
    step = 1
    if height < LOWEST_ROW * _total(_heights(rows, step), step):
        step = math.ceil(LABELLED_ROW * len(rows) / height)
    heights = _heights(rows, step)
    below = ~_is_group(rows)
    y = np.cumsum(heights) - heights / 2 + RULE * step * below
    y -= y[0]
    return _Places(
        y=y,
        top=y[0] - heights[0] / 2 - step,
        rule=y[below][0] - step / 2 - RULE * step / 2,
        bottom=y[-1] + step / 2,
        step=step,
        points=height / _total(heights, step),
    )


def _heights(rows: list[_Row], step: int) -> FloatArray:
    """Heights of the rows, shape (n_rows,); that of a label in one line is 1."""
    lines = [1 + EXTRA_LINE * wrapped(row.label).count("\n") for row in rows]
    return np.where(_is_group(rows), lines if step == 1 else 1.0, step)


def _is_group(rows: list[_Row]) -> BoolArray:
    """Tell the rows of groups from those below them, shape (n_rows,)."""
    return np.array([row.kind == "group" for row in rows])


def _total(heights: FloatArray, step: int) -> float:
    """Add the header and the line between groups and means to the heights of the rows."""
    return float(heights.sum()) + (1 + RULE) * step


# --- drawing -----------------------------------------------------------------------------------


def _prepare(ax: Axes, rows: list[_Row], places: _Places) -> None:
    """Set limits and labels; draw the lines that belong to no row."""
    values = np.array([(row.estimate, row.low, row.high) for row in rows], dtype=float)
    values = values[np.isfinite(values)]
    low, high = (values.min(), values.max()) if len(values) else (0.0, 1.0)
    margin = MARGIN * (high - low or 1.0)
    ax.set_xlim(low - margin, high + margin)
    ax.locator_params(axis="x", steps=(1, 2, 5, 10))
    ax.set_ylim(places.bottom, places.top)
    ink = ax.xaxis.label.get_color()
    if low < 0 < high:
        ax.axvline(0, color=GREY, linewidth=0.8, linestyle=(0, (4, 3)), zorder=0.5)
    ax.axhline(places.rule, color=ink, linewidth=0.6)
    ax.spines[["left", "right", "top"]].set_visible(False)
    labelled = np.flatnonzero(~_is_group(rows) | (np.arange(len(rows)) % places.step == 0))
    labels = [rows[i].label for i in labelled]
    ax.set_yticks(
        places.y[labelled],
        [wrapped(label) for label in labels] if places.step == 1 else labels,
        fontsize=_font_size(places),
        **PLAIN,
    )
    ax.tick_params(axis="y", length=0)


def _draw_groups(ax: Axes, rows: list[_Row], places: _Places) -> None:
    """Draw a square for each group that has an estimate, and a line if it has limits."""
    groups = [(row, y) for row, y in zip(rows, places.y, strict=True) if row.kind == "group"]
    lines = [(y, row.low, row.high) for row, y in groups if row.has_limits]
    y, low, high = np.array(lines).reshape(-1, 3).T
    ax.hlines(y, low, high, color=BLUE, linewidth=1.2)
    squares = [(row.estimate, y, row.se) for row, y in groups if math.isfinite(row.estimate)]
    x, y, se = np.array(squares).reshape(-1, 3).T
    area = np.where(se == 0, 1.0, 0.0)
    area[se > 0] = (se[se > 0].min(initial=np.inf) / se[se > 0]) ** 2
    area *= min(LARGEST, (0.8 * places.points) ** 2)
    ax.scatter(x, y, s=np.maximum(area, SMALLEST), marker="s", color=BLUE, zorder=3)


def _draw_means(ax: Axes, rows: list[_Row], places: _Places) -> None:
    """Draw the means as diamonds, and the prediction interval as a line with ends."""
    half = min(0.3 * places.step, TALLEST / places.points)
    for row, y in zip(rows, places.y, strict=True):
        if row.kind == "prediction":
            ax.plot([row.low, row.high], [y, y], "|-", color=VERMILION, linewidth=1, markersize=7)
        elif row.kind == "mean" and row.has_limits:
            x = [row.low, row.estimate, row.high, row.estimate]
            ax.fill(x, [y, y - half, y, y + half], color=VERMILION, linewidth=1)
        elif row.kind == "mean" and math.isfinite(row.estimate):
            ax.plot(row.estimate, y, "D", color=VERMILION, markersize=5)


def _write(ax: Axes, rows: list[_Row], places: _Places, *, header: tuple[str, str, str]) -> None:
    """Write the header and, at the right, the columns of figures."""
    style: dict[str, Any] = {
        "xycoords": ax.get_yaxis_transform(),
        "textcoords": "offset points",
        "verticalalignment": "center_baseline",
        "fontsize": _font_size(places),
        "annotation_clip": False,
        **PLAIN,
    }
    top = places.top + 0.5
    ax.annotate(header[0], (0, top), (-3.5, 0), horizontalalignment="right", **style)
    shown = [
        (row, (1, y))
        for row, y in zip(rows, places.y, strict=True)
        if row.kind != "group" or places.step == 1
    ]
    written = [ax.annotate(header[1], (1, top), (0, 0), **style)]
    written += [ax.annotate(row.n, place, (0, 0), **style) for row, place in shown]
    width = max(text.get_window_extent().width for text in written) * INCH / ax.figure.dpi
    for text in written:
        text.set(horizontalalignment="right", position=(GAP + width, 0))
    right = (2 * GAP + width, 0)
    ax.annotate(header[2], (1, top), right, **style)
    for row, place in shown:
        text = ax.annotate(_figures(row), place, right, **style)
        if not row.has_limits:
            text.set_color(GREY)


def _font_size(places: _Places) -> float:
    """Choose the size of text that fits into the rows, in points."""
    from matplotlib import rcParams

    return min(rcParams["font.size"], 0.8 * places.points * places.step)


# How the means are called in print.
MEANS: dict[str, str] = {
    "fisher_mean": "Fisher-z mean",
    "fixed": "Fixed effect",
    "random": "Random effects",
}
