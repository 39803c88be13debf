"""Cut-points → a picture of the scores of each class, and of kappa along each cut."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from pdkappa.present.labels import drawn
from pdkappa.present.plots.drawing import BLUE, GREY, PLAIN, VERMILION, check_matplotlib, points_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    import numpy.typing as npt
    import pandas as pd
    from matplotlib.axes import Axes

MOST_LABELS = 20  # classes that all have a label
SIZE = (6.4, 6.4)  # inches
BAND = 0.9  # height of a band; classes are 1 apart
MARGIN = 0.05  # of the range of the scores, at either side


def draw_cutpoints(
    classes: pd.DataFrame,
    profile: pd.DataFrame,
    *,
    title: str,
    ax: Sequence[Axes] | None = None,
) -> npt.NDArray[Any]:
    """Draw the scores of each class with the cuts, and kappa along each cut.

    Parameters
    ----------
    classes : DataFrame
        One row for each class, drawn from bottom to top, with the columns ``category, lower,
        upper, q05, q25, q50, q75, q95``.
    profile : DataFrame
        Kappa with one cut moved, in the columns ``category, cut, estimate``.
    title : str
        Text above the plot.

    Notes
    -----
    A grey band holds the scores that are given to a class. Dots are medians of the scores of the
    true classes, thick lines hold the middle half and thin ones 90 per cent.
    """
    upper, lower = axes = np.asarray(_new_axes() if ax is None else ax, dtype=object)
    _draw_classes(upper, classes)
    _draw_profile(lower, profile, classes)
    upper.set_title(title, wrap=True, **PLAIN)
    lower.set_xlabel("score", **PLAIN)
    return axes


def _new_axes() -> npt.NDArray[Any]:
    """Make a figure of two plots with the same scores."""
    check_matplotlib()
    from matplotlib import pyplot as plt

    return plt.subplots(2, 1, sharex=True, figsize=SIZE, layout="constrained")[1]


def _draw_classes(ax: Axes, classes: pd.DataFrame) -> None:
    """Draw a band from cut to cut, and the quantiles of the scores, for each class."""
    y = np.arange(len(classes))
    edges = classes[["lower", "upper", "q05", "q95"]].to_numpy(dtype=float)
    known = edges[np.isfinite(edges)]
    low, high = (known.min(), known.max()) if len(known) else (0.0, 1.0)
    margin = MARGIN * (high - low or 1.0)
    ax.set_xlim(low - margin, high + margin)
    band = edges[:, :2].clip(low - margin, high + margin)
    ax.barh(y, band[:, 1] - band[:, 0], BAND, left=band[:, 0], color=GREY, alpha=0.25)
    row = points_of(ax)[1] / max(len(y), 1)
    ax.hlines(y, classes["q05"], classes["q95"], color=BLUE, linewidth=min(1, 0.2 * row))
    ax.hlines(y, classes["q25"], classes["q75"], color=BLUE, linewidth=min(4, 0.4 * row))
    ax.plot(classes["q50"], y, "o", color=VERMILION, markersize=min(5, 0.6 * row))
    # Rounded up, so that there are no more labels than that; 0 would be no step.
    shown = y[:: -(-len(y) // MOST_LABELS)] if len(y) else y
    ax.set_yticks(shown, [drawn(label) for label in classes["category"].iloc[shown]], **PLAIN)
    ax.set_ylabel("true class; grey: predicted", **PLAIN)


def _draw_profile(ax: Axes, profile: pd.DataFrame, classes: pd.DataFrame) -> None:
    """Draw kappa along each cut as a line, and the cut itself as a point."""
    cuts = dict(zip(classes["category"], classes["lower"], strict=True))
    for number, (category, part) in enumerate(profile.groupby("category", sort=False)):
        inner = part[np.isfinite(part["cut"].to_numpy(dtype=float))]
        color, line = (BLUE, "-") if number % 2 else (VERMILION, "--")
        ax.plot(inner["cut"], inner["estimate"], color=color, linestyle=line, linewidth=1)
        at = inner[inner["cut"] == cuts[category]]
        ax.plot(at["cut"], at["estimate"], "o", color=color, markersize=5)
    ax.set_ylabel("kappa with one cut moved", **PLAIN)
