"""What counts as zero, for all parts."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from pdkappa._typing import FloatArray

ROUNDING = 1e-12


def positive(values: FloatArray, size: FloatArray | float = 0.0) -> FloatArray:
    """Keep what is more than rounding error of terms of this size; NaN elsewhere."""
    return np.where(values > ROUNDING * size, values, np.nan)
