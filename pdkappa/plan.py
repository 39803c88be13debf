"""Plan a study: as `pdkappa.sample_size` and `pdkappa.power` do for one kappa."""

from __future__ import annotations

from pdkappa.methods.machine.ceiling import qwk_ceiling
from pdkappa.methods.machine.prevalence import label_split
from pdkappa.methods.planning.sample_size_compare import (
    power_compare,
    power_icc,
    sample_size_compare,
    sample_size_icc,
)

__all__ = [
    "label_split",
    "power_compare",
    "power_icc",
    "qwk_ceiling",
    "sample_size_compare",
    "sample_size_icc",
]


def __dir__() -> list[str]:
    """List the public names."""
    return __all__
