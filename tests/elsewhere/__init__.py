"""What other systems say, beside what pdkappa says of the same ratings.

The values stand in `tests/data`, or here where they were printed in an article; nowhere else. Each
module gives records, `Held`, of one kind of them. The tests hold every record to its tolerance, and
`docs/validation.py` makes the page of them.
"""

from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

import pdkappa

DATA = Path(__file__).parents[1] / "data"


class Held(NamedTuple):
    """A figure that another system returned, or an array of them, and ours."""

    data: str  # the ratings
    figure: str  # what was computed
    system: str  # the system, its version, the function
    value: float | np.ndarray
    ours: float | np.ndarray
    tolerance: float  # largest difference, absolute or in proportion to a value above 1
    confirmed_by: Sequence[str] = ()  # systems that returned the same value
    remark: str = ""  # what was done to make the two comparable

    @property
    def n_values(self) -> int:
        """How many figures these are."""
        return np.size(self.value)

    @property
    def difference(self) -> float:
        """The largest difference, in proportion to values above 1; 0 where both are undefined."""
        value, ours = (np.asarray(one, dtype=float) for one in (self.value, self.ours))
        if value.shape != ours.shape:
            return np.inf
        undefined = np.isnan(value) & np.isnan(ours)
        apart = np.abs(ours - value) / np.maximum(np.abs(value), 1)
        return float(np.where(undefined, 0, np.where(np.isnan(apart), np.inf, apart)).max())

    @property
    def holds(self) -> bool:
        """Whether the two are the same as far as the value is known."""
        return self.difference <= self.tolerance


def kappa_of(data: Any) -> Any:
    """Return what has the methods of ratings, in a frame or not."""
    return data if isinstance(data, pdkappa.Ratings) else data.kappa
