"""Types for annotations: entry points that pandas makes, and what options can be."""

from __future__ import annotations

from pdkappa._typing import (
    Adjustment,
    Benchmark,
    By,
    Categories,
    Coefficient,
    GroupWeights,
    Interval,
    ItemWeights,
    Label,
    Missing,
    Normalize,
    OfAll,
    Raters,
    Shares,
    Stat,
    Vary,
    Weights,
    WeightType,
)
from pdkappa.accessor import KappaGroupBy

__all__ = [
    "Adjustment",
    "Benchmark",
    "By",
    "Categories",
    "Coefficient",
    "GroupWeights",
    "Interval",
    "ItemWeights",
    "KappaGroupBy",
    "Label",
    "Missing",
    "Normalize",
    "OfAll",
    "Raters",
    "Shares",
    "Stat",
    "Vary",
    "WeightType",
    "Weights",
]


def __dir__() -> list[str]:
    """List the public names."""
    return __all__
