"""Weights of a sample -> the same in units of the rated items of each group."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from pdkappa._typing import BoolArray


def of_sample(coded: Any, rated: BoolArray) -> Any:
    """Scale weights of a sample to a mean of 1 of the items in each group that are `rated`, (N,).

    So neither other groups nor items without ratings count. The groups keep their means.
    """
    if coded.spread is None or coded.weights is None:
        return coded
    groups = coded.groups
    place = groups.within(np.zeros(len(rated), dtype=np.int64))
    n, total = (np.bincount(place, some, groups.n) for some in (rated, rated * coded.weights))
    mean = np.where(n > 0, total, 1.0) / np.maximum(n, 1)
    every = total.sum() / n.sum() if n.any() else 1.0
    weights = coded.weights / mean[place]
    groups = replace(groups, mean_weight=mean / every)
    return replace(coded, weights=weights, spread=weights**2, groups=groups)
