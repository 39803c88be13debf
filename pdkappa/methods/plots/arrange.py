"""What the pictures share: checks, and frames arranged as they are drawn."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pandas as pd

from pdkappa.errors import OptionError
from pdkappa.methods.plots.core.crosstable import bangdiwala
from pdkappa.present import schema
from pdkappa.present.labels import name_of, two_decimals
from pdkappa.ratings.labels import index_of

if TYPE_CHECKING:
    from pdkappa._typing import FloatArray, Weights

SHOWN = ("residuals", "counts")
NUMBERS = tuple(name for name in schema.PAIRS if schema.COLUMNS[name].kind not in ("label", "text"))


def check_one_group(holds: bool, name: str) -> None:  # noqa: FBT001
    """Refuse groups where a picture has no place for them."""
    if not holds:
        message = (
            f"plot.{name} shows one table, and by= makes one for each group. Draw one group: "
            f"df[df[...] == ...].kappa.plot.{name}(...)."
        )
        raise OptionError(message)


def square(pairs: pd.DataFrame, name: str) -> pd.DataFrame:
    """Arrange a column of `pairs` as a square of raters with NaN on its diagonal."""
    labels = list(dict.fromkeys([*pairs["rater_a"], *pairs["rater_b"]]))
    place = {label: number for number, label in enumerate(labels)}
    square = np.full((len(labels), len(labels)), np.nan)
    a, b = ([place[label] for label in pairs[column]] for column in ("rater_a", "rater_b"))
    square[a, b] = square[b, a] = pairs[name].to_numpy(dtype=np.float64)
    index = index_of(labels)
    return pd.DataFrame(square, index, index)


def table_of(cells: pd.DataFrame, name: str) -> pd.DataFrame:
    """Arrange a column of `cells` as a table, its categories in their order."""
    rows, columns = (cells.index.get_level_values(level).unique() for level in (0, 1))
    values = cells[name].to_numpy(dtype=np.float64)
    return pd.DataFrame(values.reshape(len(rows), len(columns)), rows, columns)


def strength(counts: pd.DataFrame, agreement: FloatArray, weights: Weights | None) -> str:
    """Say what B is, without and with partial agreement."""
    table = counts.to_numpy(dtype=np.float64)
    exact = bangdiwala(table, np.eye(len(table)))
    if np.isnan(exact):
        return "Bangdiwala's B is undefined"
    text, name = f"Bangdiwala's B = {two_decimals(exact)}", name_of(weights)
    if name is None:
        return text
    return f"{text} ({name} weights: {two_decimals(bangdiwala(table, agreement))})"


def worst_first(raters: pd.DataFrame) -> pd.DataFrame:
    """Sort raters by their effect within each group; those without one come last."""
    outer = list(range(raters.index.nlevels - 1))
    group = raters.groupby(level=outer, sort=False).ngroup() if outer else np.zeros(len(raters))
    return raters.iloc[np.lexsort((raters["effect"], group))]
