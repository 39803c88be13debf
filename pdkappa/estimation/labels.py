"""Labels of the rows of a frame: groups, and whole numbers as integers."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from pdkappa._typing import CountArray

LARGEST_INTEGER = 2.0**63


def whole(values: CountArray) -> CountArray:
    """Return whole numbers as integers, if all are and none is beyond them."""
    if ((values == np.floor(values)) & (np.abs(values) < LARGEST_INTEGER)).all():
        return values.astype(np.int64)
    return values
