"""What the user passes as `group_weights` -> one weight for each group; groups without any."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

import numpy as np
import pandas as pd

from pdkappa.errors import OptionError, WeightsError, listing
from pdkappa.ratings.columns import numbers_of
from pdkappa.ratings.items import check_weights, column_of

if TYPE_CHECKING:
    from pdkappa._typing import By, FloatArray, GroupWeights, Label


def check_grouped(by: By | None, given: GroupWeights | None) -> None:
    """Refuse weights of groups where there are no groups."""
    if by is None and given is not None:
        message = (
            "group_weights without by: there are no groups to weight. Pass by, or leave it out."
        )
        raise OptionError(message)


def weights_of_groups(
    data: pd.DataFrame, groups: pd.Index | None, given: GroupWeights | None
) -> FloatArray:
    """Return the weight of each group, shape (G,), from a constant column or by group."""
    groups = pd.Index([]) if groups is None else groups
    if given is None:
        return np.ones(len(groups))
    if isinstance(given, Mapping | pd.Series):
        values = _by_group(pd.Series(given), groups)
    elif pd.api.types.is_list_like(given) and not isinstance(given, tuple):
        message = (
            "group_weights must be a column, or a dict or Series from group to weight: "
            "the order of a list says nothing about the groups."
        )
        raise WeightsError(message)
    else:
        values = _by_column(data, groups, given)
    weights = check_weights(values, "group_weights", len(groups))
    if len(weights) and not weights.any():
        message = "group_weights are all zero. Give at least one group a positive weight."
        raise WeightsError(message)
    return weights


def _by_group(weights: pd.Series, groups: pd.Index) -> pd.Series:
    """Look up the weight of each group by its label."""
    if not weights.index.is_unique:
        twice = weights.index[weights.index.duplicated()]
        message = f"group_weights has more than one weight for group(s) {listing(twice)}."
        raise WeightsError(message)
    absent = [group for group in groups if group not in weights.index]
    if absent:
        message = f"group_weights has no weight for group(s) {listing(absent)}."
        raise WeightsError(message)
    return weights.reindex(groups)


def _by_column(data: pd.DataFrame, groups: pd.Index, name: Label) -> pd.Series:
    """Read the weight of each group from a column that is constant within the groups."""
    held = column_of(data, name, "weight")
    column = pd.Series(numbers_of(held, "group_weights", WeightsError), held.index)
    grouper = column.groupby([data[level] for level in groups.names], observed=True)
    found = grouper.agg(["min", "max", "size", "count"]).reindex(groups)
    uneven = groups[(found["min"] != found["max"]) | (found["size"] != found["count"])]
    if len(uneven):
        message = (
            f"group_weights={name!r} is not constant in group(s) {listing(uneven)}. "
            "A group has one weight; for weights of items use sample_weight."
        )
        raise WeightsError(message)
    return found["min"]
