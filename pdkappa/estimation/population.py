"""The population that items are drawn from without being put back -> how much less errors are."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from pdkappa.errors import OptionError, shown
from pdkappa.estimation.intervals import is_number

if TYPE_CHECKING:
    from pdkappa._typing import FloatArray
    from pdkappa.estimation.intervals import IntervalOptions
    from pdkappa.estimation.study import Study

LARGEST = 1 << 1000  # that is a number with a point, too
NEXT_TO_NOTHING = 1e-30  # is left of a population whose every item was drawn


def left_of_population(
    study: Study, interval: IntervalOptions, n_items: FloatArray
) -> FloatArray | None:
    """Compute the share of each population that was not drawn, shape (S,), or None without one.

    `n_items`, of shape (S,), are the items of tables that lie group by group.
    """
    if interval.population is None:
        return None
    _check_design(study, interval)
    sizes = _sizes(study, interval.population)
    size = sizes.repeat(len(n_items) // max(len(sizes), 1))
    low = np.flatnonzero(n_items > size)
    if len(low):
        where = study.groups.at(int(low[0] * len(sizes) // len(n_items)), " at ")
        message = (
            f"population={size[low[0]]:g}{where} is less than its {n_items[low[0]]:g} items. "
            "It is the number of items in the whole population."
        )
        raise OptionError(message)
    return np.maximum(1 - n_items / size, NEXT_TO_NOTHING)


def _check_design(study: Study, interval: IntervalOptions) -> None:
    """Refuse what draws other things than items, or draws them anew."""
    reading, other = study.reading, ""
    if interval.ci != interval.first:
        other = f"ci={interval.ci!r}"
    elif reading.missing == "em":
        other = "missing='em'"
    elif reading.cluster is not None:
        other = "cluster"
    elif reading.is_sampled:
        other = "weight_type='probability'"
    elif interval.vary != "items":
        other = f"vary={interval.vary!r}"
    if other:
        message = (
            f"population is for single items that are sampled once, and cannot be combined with "
            f"{other}. "
            "Leave one of the two out."
        )
        raise OptionError(message)


def _sizes(study: Study, given: Any) -> FloatArray:
    """Return the size of the population of each group, shape (G,)."""
    labels = study.groups.labels
    if isinstance(given, dict | pd.Series):
        of_group = dict(given)
        if labels is None:
            message = "population names groups, but there are none. Pass by, or one number."
            raise OptionError(message)
        for label in labels:
            if label not in of_group:
                message = f"population has no number for the group {label!r}. Name every group."
                raise OptionError(message)
        values = [of_group[label] for label in labels]
    else:
        values = [given] * study.groups.n
    for value in values:
        if not is_number(value) or not (0 < value < LARGEST or value == np.inf):
            message = (
                f"population must be a number of items above zero, or one for each group, got "
                f"{shown(value)}."
            )
            raise OptionError(message)
    return np.array(values, dtype=np.float64)
