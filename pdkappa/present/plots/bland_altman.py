"""Differences of two raters' scores with their limits of agreement → a picture; no statistics."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from pdkappa.present.labels import drawn, two_decimals, wrapped
from pdkappa.present.plots.drawing import (
    BLUE,
    GREY,
    PLAIN,
    VERMILION,
    check_characters,
    check_matplotlib,
    fit,
    new_axes,
)

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.axes import Axes

BLAND_ALTMAN_SIZE = (3.4, 4.8)  # inches: height, width
SMALLEST_AREA, LARGEST_AREA = 9.0, 220.0  # square points of a dot
LINES = {"lower_limit": (VERMILION, "--"), "bias": (BLUE, "-"), "upper_limit": (VERMILION, "--")}


def draw_bland_altman(
    points: pd.DataFrame, figures: pd.DataFrame, *, ax: Axes | None = None
) -> Axes:
    """Draw the differences of two raters against the means of their scores.

    Parameters
    ----------
    points : DataFrame
        One row for each pair of scores, with the columns ``mean, difference, n_items``; in its
        ``attrs["raters"]`` the names of the two.
    figures : DataFrame
        As `bland_altman` returns it.
    """
    check_matplotlib()
    check_characters(figures.attrs["raters"])
    is_new = ax is None
    ax = new_axes(*BLAND_ALTMAN_SIZE) if ax is None else ax
    count = points["n_items"].to_numpy(dtype=float)
    size = np.clip(count / count.max(initial=1) * LARGEST_AREA, SMALLEST_AREA, None)
    if (count == count.max(initial=0)).all():
        size[:] = SMALLEST_AREA
    ax.scatter(points["mean"], points["difference"], s=size, color=GREY, alpha=0.6, linewidths=0)
    ax.axhline(0, color=GREY, linewidth=0.6)
    rows: dict[Any, Any] = figures.to_dict("index")
    beside = ax.get_yaxis_transform()
    for name, (color, line) in LINES.items():
        row = rows[name]
        if not np.isfinite(row["estimate"]):
            continue
        ax.axhline(row["estimate"], color=color, linestyle=line, linewidth=1.2)
        if np.isfinite(row["ci_low"]):
            ax.axhspan(row["ci_low"], row["ci_high"], color=color, alpha=0.15, linewidth=0)
        text = f"{name.replace('_', ' ')} {two_decimals(row['estimate'])}"
        ax.text(1.02, row["estimate"], text, transform=beside, va="center", **PLAIN)
    first, second = (drawn(name) for name in figures.attrs["raters"])
    ax.set_xlabel("mean of the two scores", **PLAIN)
    ax.set_ylabel(wrapped(f"{second} minus {first}"), **PLAIN)
    fit(ax, is_new=is_new)
    return ax
