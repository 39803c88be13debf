"""Labels of the rows of a frame: groups, and whole numbers as integers."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pandas as pd

if TYPE_CHECKING:
    from pdkappa._typing import CountArray
    from pdkappa.counts.tables import PairTables
    from pdkappa.ratings.coded import Coded

LARGEST_INTEGER = 2.0**63


def whole(values: CountArray) -> CountArray:
    """Return whole numbers as integers, if all are and none is beyond them."""
    if ((values == np.floor(values)) & (np.abs(values) < LARGEST_INTEGER)).all():
        return values.astype(np.int64)
    return values


def by_group(tables: PairTables, labels: pd.Index) -> pd.Index:
    """Repeat the labels of rows for every group; as they are where there are no groups."""
    if tables.group_index is None:
        return labels
    groups = tables.group_index.repeat(len(labels))
    outer = [groups.get_level_values(level) for level in range(groups.nlevels)]
    inner = labels.take(np.tile(np.arange(len(labels)), tables.n_groups))
    return pd.MultiIndex.from_arrays([*outer, inner], names=[*groups.names, labels.name])


def places(coded: Coded) -> list[str]:
    """Name each group in words; without groups, there is a single one without a name."""
    if coded.group_index is None:
        return [""]
    frame = coded.group_index.to_frame(index=False)
    return [
        f" at {', '.join(f'{name}={value}' for name, value in zip(frame, row, strict=True))}"
        for row in frame.itertuples(index=False, name=None)
    ]
