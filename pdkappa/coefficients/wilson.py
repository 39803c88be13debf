"""Score limits of a share."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from pdkappa.coefficients.distributions import ndtri

if TYPE_CHECKING:
    from pdkappa._typing import FloatArray


def wilson(share: FloatArray, n: FloatArray, level: float) -> tuple[FloatArray, FloatArray]:
    """Compute Wilson's limits of shares p of n: the true e has ``n (p - e)**2 = z**2 e (1 - e)``.

    They are in [0, 1], each of shape (S,), and NaN where n is 0.
    """
    z = ndtri((1 + level) / 2)
    with np.errstate(divide="ignore", invalid="ignore"):
        middle = (share + z**2 / (2 * n)) / (1 + z**2 / n)
        half = z * np.sqrt(share * (1 - share) / n + z**2 / (4 * n**2)) / (1 + z**2 / n)
    return np.maximum(middle - half, 0), np.minimum(middle + half, 1)
