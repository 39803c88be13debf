"""What counts as zero, where differences of rounded numbers are meant to vanish."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from pdkappa._typing import FloatArray

# Coefficients, Fisher's z, shares and influence values are free of units: what is below this is
# none. A rounding error is 1e-16 of a term; sums and quotients of many terms gather thousands.
ROUNDING = 1e-12
# How far an estimate may lie below its floor and still be there. It is a quotient of disagreements,
# which keeps fewer digits than ROUNDING asks for where both are small.
AT_FLOOR = 1e-9


def without_rounding(values: FloatArray) -> FloatArray:
    """Set to zero what is no more than rounding error: a coefficient or standard error."""
    return np.where(np.abs(values) < ROUNDING, 0.0, values)


def at_least(floor: FloatArray | float, estimate: FloatArray) -> FloatArray:
    """Lift a coefficient that misses its floor by rounding.

    Observed disagreement is at most twice the expected one where weights are distances, though
    not always in floats. One that is far below has other weights, and no floor.
    """
    missed = (estimate < floor) & (estimate >= floor - AT_FLOOR)
    return np.where(missed, floor, estimate)


def one_minus(ratio: FloatArray) -> FloatArray:
    """Turn a ratio of observed to expected disagreement into a coefficient.

    It is exactly zero for raters who agree as chance would have it, as without a shared label.
    """
    return at_least(-1.0, without_rounding(1 - ratio))


def positive(values: FloatArray, size: FloatArray | float = 0.0) -> FloatArray:
    """Keep what is more than rounding error of terms of this size; NaN elsewhere."""
    return np.where(values > ROUNDING * size, values, np.nan)
