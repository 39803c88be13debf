"""How ratings are to be read: the options about raters, categories, groups and items."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import pandas as pd

from pdkappa.errors import OptionError, check_choice, shown

if TYPE_CHECKING:
    from pdkappa._typing import By, Categories, ItemWeights, Label, Weights, WeightType

OF_SETS = ("jaccard", "masi")  # weights
WEIGHT_TYPES = ("frequency", "probability")


@dataclass(frozen=True)
class Reading:
    """Options about the ratings, as the user passed them; those of `pairs`."""

    by: By | None = None
    weights: Weights | None = None
    categories: Categories | None = None
    missing: str = "pairwise"
    sample_weight: ItemWeights | None = None
    weight_type: WeightType | None = "frequency"  # None: as the weights look
    cluster: ItemWeights | None = None
    beside: tuple[Label, ...] = ()  # columns that are shown with the items, and are no ratings
    sep: str | None = None  # what stands between the labels of a text that is a set of them

    def __post_init__(self) -> None:
        """Refuse what is not known or goes with nothing; all else is checked against the data."""
        if self.weight_type is not None:
            check_choice("weight_type", self.weight_type, WEIGHT_TYPES)
        check_separator(self.sep)
        if self.is_sampled and self.sample_weight is None:
            raise OptionError(
                "weight_type='probability' without sample_weight: there are no weights of items. "
                "Pass sample_weight, or leave it out."
            )

    @property
    def of_sets(self) -> bool:
        """Whether each rating is a set of labels."""
        return self.sep is not None or (isinstance(self.weights, str) and self.weights in OF_SETS)

    @property
    def is_sampled(self) -> bool:
        """Whether weights say how likely an item was drawn, and not how many there are."""
        return self.weight_type == "probability"


def check_separator(sep: object) -> None:
    """Refuse what cannot stand between labels."""
    if sep is not None and (not isinstance(sep, str) or not sep):
        raise OptionError(
            f"sep={shown(sep)} must be a text that stands between labels, such as '|'."
        )


def labels_of(value: Any, known: pd.Index) -> list[Label]:
    """Return the columns that an argument names: one, a list of them, or of pairs, or a dict.

    What cannot name any is left to the function, which refuses it.
    """
    is_label = pd.api.types.is_hashable(value)
    if is_label and value in known:
        return [value]
    if value is None:
        return []
    if isinstance(value, dict):
        return [name for one in value.values() for name in labels_of(one, known)]
    if pd.api.types.is_list_like(value):
        return [name for one in value for name in labels_of(one, known)]
    return [value] if is_label else []
