"""What a frame is grouped by, if that is the values of its columns."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from pdkappa.errors import OptionError, listing

if TYPE_CHECKING:
    import pandas as pd
    from pandas.api.typing import DataFrameGroupBy


def check_groups(
    grouped: DataFrameGroupBy[Any, Any], used: pd.Index, frame: pd.DataFrame, by: Any
) -> None:
    """Make sure that the groups in use are those that the functions make of the columns."""
    names = list(used.names)
    known = set(names) <= set(frame.columns) - set(frame.index.names)  # or pandas asks which
    if known and not grouped.dropna and frame[names].isna().to_numpy().any():
        message = (
            "df.groupby(..., dropna=False).kappa would need a group of the items without one, and "
            f"column(s) {listing(name for name in names if frame[name].isna().any())} have such. "
            "Name that group with df.fillna(...), or leave out dropna=False."
        )
        raise OptionError(message)

    def is_made_of(*, sort: bool) -> bool:
        again = frame.groupby(by, sort=sort, observed=True, dropna=True)
        return used.equals(again.size().index) and grouped.ngroup().equals(again.ngroup())

    if known and is_made_of(sort=True):
        return
    if known and not grouped.sort and is_made_of(sort=False):
        message = (
            "df.groupby(..., sort=False).kappa would have its groups in the order of the rows, but "
            "groups are sorted. Leave out sort=False, or give the order with pd.Categorical(..., "
            "categories=[...])."
        )
        raise OptionError(message)
    message = (
        "df.groupby(...).kappa needs groups that are the values of columns, with missing "
        "ones left out. Assign the groups to a column first, and pass by=."
    )
    raise OptionError(message)
