"""Categories, or cuts of the scale, with the agreement on each → a picture; no statistics."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from pdkappa.present.labels import two_decimals, weighted
from pdkappa.present.plots.drawing import (
    BLUE,
    VERMILION,
    check_characters,
    check_matplotlib,
)
from pdkappa.present.plots.rows import (
    Rows,
    finish,
    labels_of,
    place_rows,
    set_range,
    undefined,
    write_columns,
)

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.axes import Axes

LARGEST, SMALLEST = 11.0, 2.5  # points, the dots
DIAMOND = 4.5  # points
WIDEST = 0.9  # of a row


def draw_categories(
    frame: pd.DataFrame,
    *,
    coefficient: str,
    level: float,
    weights: str | None = None,
    ax: Axes | None = None,
) -> Axes:
    """Draw how well the raters agree on each category, or on each cut of the scale.

    Parameters
    ----------
    frame : DataFrame
        As `categories` or `cuts` returns it, indexed by ``category`` or ``cut`` (after the
        group), and drawn from top to bottom, with the columns ``estimate, ci_low, ci_high,
        prevalence, bias, weight, specific_agreement, reason``.
    coefficient : str
        What the kappa is, for the label of the horizontal axis.
    level : float
        Confidence level of the limits.
    weights : str, optional
        Name of the weighting, for the same label.

    Notes
    -----
    The area of a dot is proportional to the weight of its kappa in the coefficient of the whole
    scale, but never too small to be seen; the line through it are its limits. Diamonds are the
    specific agreement, of which chance is not taken off.
    """
    check_matplotlib()
    check_characters(frame.index, frame.index.names)
    labels = labels_of(frame.index)
    if frame.index.names[-1] == "cut":
        labels = [f"up to {label}" for label in labels]
    ax, rows = place_rows(labels, ax)
    _draw(ax, frame, rows)
    texts = {f"kappa [{100 * level:g} %]": [_kappa(row) for row in frame.to_dict("records")]}
    texts |= {
        header: ["" if np.isnan(value) else two_decimals(value) for value in frame[name]]
        for header, name in COLUMNS.items()
    }
    write_columns(ax, rows, texts, undefined(frame, "estimate"))
    of = "each cut" if frame.index.names[-1] == "cut" else "each category against the rest"
    what = f"{coefficient} of {of}{weighted(weights)}"
    finish(ax, rows, f"{what} (dots)\nspecific agreement (diamonds)")
    return ax


def _draw(ax: Axes, frame: pd.DataFrame, rows: Rows) -> None:
    """Draw a dot with its limits and a diamond in each row."""
    kappa, weight, specific = (
        frame[name].to_numpy(dtype=np.float64)
        for name in ("estimate", "weight", "specific_agreement")
    )
    low, high = (frame[name].to_numpy(dtype=np.float64) for name in ("ci_low", "ci_high"))
    set_range(ax, np.concatenate([kappa, specific, low, high]))
    widest = min(LARGEST, WIDEST * rows.height)
    found = np.isfinite(kappa)
    share = weight[found] / weight[found].max(initial=0) if weight[found].any() else weight[found]
    area = np.maximum(share * widest**2, SMALLEST**2)
    ax.scatter(kappa[found], rows.y[found], s=area, color=BLUE, zorder=3)
    limited = np.isfinite(low) & np.isfinite(high)
    ax.hlines(rows.y[limited], low[limited], high[limited], color=BLUE, linewidth=1.2)
    shown = np.isfinite(specific)
    diamond = min(DIAMOND, WIDEST * rows.height) ** 2
    ax.scatter(
        specific[shown],
        rows.y[shown],
        s=diamond,
        marker="D",
        facecolor=ax.get_facecolor(),  # not hidden by a dot, nor hiding it
        edgecolor=VERMILION,
        zorder=4,
    )


def _kappa(row: dict[Any, Any]) -> str:
    """Write a kappa and its limits, as far as it has any."""
    if np.isnan(row["ci_low"]):
        return two_decimals(row["estimate"])
    low, high = two_decimals(row["ci_low"]), two_decimals(row["ci_high"])
    return f"{two_decimals(row['estimate'])} [{low}, {high}]"


# What is written at the right of the kappa, by header.
COLUMNS: dict[str, str] = {"weight": "weight", "share": "prevalence", "bias": "bias"}
