"""What the user says about the ratings: the options that say how they are read."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from pdkappa.errors import check_choice

if TYPE_CHECKING:
    from pdkappa._typing import By, Categories, ItemWeights, Label, Weights

DISTANCES = ("value", "rank")


@dataclass(frozen=True)
class Reading:
    """Options about the ratings, as the user passed them; those of `pdkappa.pairs`."""

    by: By | None = None
    weights: Weights | None = None
    categories: Categories | None = None
    distance: str = "value"
    missing: str = "pairwise"
    sample_weight: ItemWeights | None = None
    cluster: ItemWeights | None = None
    beside: tuple[Label, ...] = ()  # columns that are shown with the items, and are no ratings

    def __post_init__(self) -> None:
        """Refuse a distance that is not known; all else is checked against the data."""
        check_choice("distance", self.distance, DISTANCES)
