"""Columns of a frame with one rating, or one stretch, in each row -> rows and their numbers."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pandas as pd

from pdkappa.errors import OptionError, RatingsError, listing
from pdkappa.ratings.columns import native
from pdkappa.ratings.items import (
    check_columns,
    check_distinct,
    columns_of_groups,
    number_groups,
    warn_of_ungrouped,
)

if TYPE_CHECKING:
    from pdkappa._typing import By, IntArray, Label


def read_columns(
    data: object, call: str, named: dict[str, Label], *, by: By | None = None
) -> tuple[pd.DataFrame, list[Label]]:
    """Check the columns of a call, each named once; leave out rows that have no group.

    Returns
    -------
    DataFrame
        The rows, with numbers as the machine has them.
    list
        The columns of the groups; none without `by`.
    """
    if not isinstance(data, pd.DataFrame):
        message = (
            f"{call} reads a pandas frame with one rating or span in each row, got "
            f"{type(data).__name__}. Frames of other packages have to_pandas() or compute()."
        )
        raise OptionError(message)
    for role, name in named.items():
        check_columns(data, [name], role)
    groups = [] if by is None else columns_of_groups(data, by)
    check_distinct([*named.values(), *groups], call, "column")
    if groups:
        warn_of_ungrouped(data, groups)
        data = data[data[groups].notna().all(axis=1)]
    return native(data), groups


def number(data: pd.DataFrame, names: list[Label], role: str) -> tuple[IntArray, pd.Index]:
    """Give what columns name together a number, sorted; nothing may be missing."""
    codes, labels = number_groups(data, names)
    lost = data.index[codes < 0]
    if len(lost):
        message = (
            f"Column(s) {listing(names)} name no {role} for {len(lost)} row(s), at index "
            f"{listing(lost)}. Fill in the {role}, or drop those rows."
        )
        raise RatingsError(message)
    return codes, labels
