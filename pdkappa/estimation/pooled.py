"""Warn of agreement over all items where a column that is not used splits the scale."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pandas as pd

from pdkappa.errors import CrudeKappaWarning, warn
from pdkappa.ratings.columns import code_column
from pdkappa.ratings.items import is_column
from pdkappa.ratings.pooled import MOST_GROUPS, scores_of, splits_the_scale, step_of

if TYPE_CHECKING:
    from pdkappa._typing import IntArray
    from pdkappa.ratings.coded import Coded


def warn_of_pooled(frame: pd.DataFrame, coded: Coded, named: list[Any]) -> None:
    """Warn once of a column that is not used, by which the scale of the raters differs.

    Only frames with such a column are looked at, and only raters who use five scores or more.
    """
    used = [*coded.raters, *(name for name in named if is_column(frame, name))]
    unused = [name for name in frame.columns if name not in used]
    scores = scores_of(coded.codes, coded.categories)
    if not unused or scores is None or len(scores[0]) != len(frame):
        return
    step = step_of(len(frame))
    for name in unused:
        codes = _few_values(frame[name].iloc[::step])
        if codes is not None and splits_the_scale(codes, scores[:, ::step]):
            warn(
                f"Groups of {name!r} have scales of their own: agreement of all items together "
                "credits the raters with telling the groups apart. See each group with "
                f"by={name!r}, or average within them with grouped.",
                CrudeKappaWarning,
            )
            return


def _few_values(column: pd.Series | pd.DataFrame) -> IntArray | None:
    """Code a column that may be of groups: whole numbers, texts, booleans or Categoricals."""
    if isinstance(column, pd.DataFrame) or column.dtype.kind in "fcmM":
        return None
    try:
        coded = code_column(column, column.name)
    except TypeError:  # whatever a column that is not used may hold
        return None
    return coded.codes if 1 < len(coded.labels) <= MOST_GROUPS else None
