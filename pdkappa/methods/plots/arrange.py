"""What the pictures share: checks, and frames arranged as they are drawn."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd

from pdkappa.errors import OptionError
from pdkappa.methods.plots.core.ordering import order_by_likeness
from pdkappa.present import schema
from pdkappa.present.labels import groups_of
from pdkappa.ratings.items import index_of

SHOWN = ("counts", "residuals")
MOST_FACETS = 36  # groups of a heatmap that are one below the other
NUMBERS = tuple(name for name in schema.PAIRS if schema.COLUMNS[name].kind not in ("label", "text"))


def check_one_group(holds: bool, name: str) -> None:  # noqa: FBT001
    """Refuse groups where a picture has no place for them."""
    if not holds:
        message = (
            f"plot.{name} shows one table, and by= makes one for each group. Draw one group: "
            f"df[df[...] == ...].kappa.plot.{name}(...)."
        )
        raise OptionError(message)


def check_facets(ax: object, n_groups: int) -> None:
    """Refuse more groups than can be seen, and other than as many Axes."""
    if n_groups > MOST_FACETS:
        message = (
            f"plot.heatmap draws a square for each group, {MOST_FACETS} at most, and there are "
            f"{n_groups}. Choose some of them: df[df[...].isin([...])]."
        )
        raise OptionError(message)
    n_axes = n_groups if ax is None else np.size(np.asarray(ax, dtype=object))
    if n_axes != n_groups:
        message = (
            f"ax must hold an Axes for each of the {n_groups} groups, and holds {n_axes}. Make "
            f"them with plt.subplots(1, {n_groups}, layout='constrained')."
        )
        raise OptionError(message)


def squares(
    pairs: pd.DataFrame, stat: str, *, order: bool
) -> dict[tuple[Any, ...], tuple[pd.DataFrame, pd.DataFrame]]:
    """Arrange a column of `pairs` and the number of items as squares, for each group.

    With `order` those raters are side by side who agree, over all groups.
    """
    groups = groups_of(pairs)
    parts = {
        group: pairs[np.array([one == group for one in groups], dtype=bool)]
        for group in dict.fromkeys(groups or [()])
    }
    places = None
    if order:
        estimates = np.array([square(part, "estimate").to_numpy() for part in parts.values()])
        n_known = np.isfinite(estimates).sum(axis=0)
        mean = np.where(n_known, np.nansum(estimates, axis=0) / np.maximum(n_known, 1), np.nan)
        places = order_by_likeness(mean)
    found = {}
    for group, part in parts.items():
        values, n_items = (square(part, name) for name in (stat, "n_items"))
        if places is not None:
            values, n_items = (frame.iloc[places, places] for frame in (values, n_items))
        found[group] = values, n_items
    return found


def square(pairs: pd.DataFrame, name: str) -> pd.DataFrame:
    """Arrange a column of `pairs` as a square of raters with NaN on its diagonal."""
    labels = list(dict.fromkeys([*pairs["rater_a"], *pairs["rater_b"]]))
    place = {label: number for number, label in enumerate(labels)}
    square = np.full((len(labels), len(labels)), np.nan)
    a, b = ([place[label] for label in pairs[column]] for column in ("rater_a", "rater_b"))
    square[a, b] = square[b, a] = pairs[name].to_numpy(dtype=np.float64)
    index = index_of(labels)
    return pd.DataFrame(square, index, index)


def worst_first(raters: pd.DataFrame) -> pd.DataFrame:
    """Sort raters by their effect within each group; those without one come last."""
    outer = list(range(raters.index.nlevels - 1))
    group = raters.groupby(level=outer, sort=False).ngroup() if outer else np.zeros(len(raters))
    return raters.iloc[np.lexsort((raters["effect"], group))]
