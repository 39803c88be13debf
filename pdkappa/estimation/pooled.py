"""Warn of agreement over all items where a column that is not used splits the scale."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pandas as pd

from pdkappa.errors import CrudeKappaWarning, warn
from pdkappa.ratings.columns import code_column
from pdkappa.ratings.items import is_column
from pdkappa.ratings.raters import values_of
from pdkappa.ratings.suspicious_labels import MOST_GROUPS, scores_of, splits_the_scale, step_of

if TYPE_CHECKING:
    from pdkappa._typing import FloatArray
    from pdkappa.ratings.coded import Coded
    from pdkappa.ratings.columns import Column

EQUAL = 1 / 3  # the share of equal numbers by which a column is another rating


def warn_of_pooled(frame: pd.DataFrame, coded: Coded, named: list[Any]) -> None:
    """Warn once of a column that is not used, by which the scale of the raters differs.

    Only frames with such a column are looked at, and only raters who use five scores or more.
    """
    used = [*coded.raters, *(name for name in named if is_column(frame, name))]
    unused = [name for name in frame.columns if name not in used]
    scores = scores_of(coded.codes, coded.categories) if unused else None
    if scores is None or len(scores[0]) != len(frame):
        return
    step = step_of(len(frame))
    for name in unused:
        column, some = _few_values(frame[name].iloc[::step]), scores[:, ::step]
        if column is None or _is_rating(column, some):
            continue
        if splits_the_scale(column.codes, some):
            warn(
                f"Groups of {name!r} have different scales: agreement of all items together "
                f"credits the raters with telling the groups apart. Analyse each group with "
                f"by={name!r}, or average within them with grouped.",
                CrudeKappaWarning,
            )
            return


def _few_values(column: pd.Series | pd.DataFrame) -> Column | None:
    """Code a column that may be of groups: whole numbers, texts, booleans or Categoricals."""
    if isinstance(column, pd.DataFrame) or column.dtype.kind in "fcmM":
        return None
    try:
        coded = code_column(column, column.name)
    except TypeError:  # whatever a column that is not used may hold
        return None
    return coded if 1 < len(coded.labels) <= MOST_GROUPS else None


def _is_rating(column: Column, scores: FloatArray) -> bool:
    """Whether a column often holds the score of a rater, as another rating of the items does."""
    if column.kinds != {"number"}:
        return False
    same = (values_of(column) == scores) & (column.codes >= 0)
    return bool((same.mean(axis=1) > EQUAL).any())
