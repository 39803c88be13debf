"""What the user says about the ratings: the options that say how they are read."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from pdkappa.errors import OptionError, check_choice

if TYPE_CHECKING:
    from pdkappa._typing import By, Categories, ItemWeights, Label, Weights, WeightType

DISTANCES = ("value", "rank")
WEIGHT_TYPES = ("frequency", "probability")


@dataclass(frozen=True)
class Reading:
    """Options about the ratings, as the user passed them; those of `pdkappa.pairs`."""

    by: By | None = None
    weights: Weights | None = None
    categories: Categories | None = None
    distance: str = "value"
    missing: str = "pairwise"
    sample_weight: ItemWeights | None = None
    weight_type: WeightType | None = "frequency"  # None: as the weights look
    cluster: ItemWeights | None = None
    beside: tuple[Label, ...] = ()  # columns that are shown with the items, and are no ratings

    def __post_init__(self) -> None:
        """Refuse what is not known or goes with nothing; all else is checked against the data."""
        check_choice("distance", self.distance, DISTANCES)
        if self.weight_type is not None:
            check_choice("weight_type", self.weight_type, WEIGHT_TYPES)
        if self.is_sampled and self.sample_weight is None:
            message = (
                "weight_type='probability' without sample_weight: there are no weights of items. "
                "Pass sample_weight, or leave it out."
            )
            raise OptionError(message)

    @property
    def is_sampled(self) -> bool:
        """Whether weights say how likely an item was drawn, and not how many there are."""
        return self.weight_type == "probability"
