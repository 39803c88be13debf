"""Rows of figures -> a frame that is labelled by their first values."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from pdkappa.methods.estimates.pair_frames import whole
from pdkappa.ratings.items import index_of

if TYPE_CHECKING:
    from collections.abc import Sequence


def labelled(
    rows: Sequence[tuple[Any, ...]], labels: Sequence[str], columns: Sequence[str]
) -> pd.DataFrame:
    """Put rows into a frame; the first column counts something."""
    names = [*labels, *columns]
    values = list(zip(*rows, strict=True)) if rows else [()] * len(names)
    held = {name: list(one) for name, one in zip(names, values, strict=True)}
    index = pd.MultiIndex.from_arrays([index_of(held.pop(name), name) for name in labels])
    frame = pd.DataFrame(held, index=index)
    frame[columns[0]] = whole(frame[columns[0]].to_numpy(dtype=np.float64))
    return frame
