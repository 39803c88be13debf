"""How ratings are to be read: the options about raters, categories, groups and items."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import pandas as pd

from pdkappa.errors import OptionError, check_choice, listing, shown

if TYPE_CHECKING:
    from pandas.api.typing import DataFrameGroupBy

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


def check_groups(
    grouped: DataFrameGroupBy[Any, Any], used: pd.Index, frame: pd.DataFrame, by: Any
) -> None:
    """Make sure that the groups in use are those that the functions make of the columns."""
    names = list(used.names)
    known = set(names) <= set(frame.columns) - set(frame.index.names)  # or pandas asks which
    if known and not grouped.dropna and frame[names].isna().to_numpy().any():
        raise OptionError(
            "df.groupby(..., dropna=False).kappa would need a group of the items without one, and "
            f"column(s) {listing(name for name in names if frame[name].isna().any())} have such. "
            "Name that group with df.fillna(...), or leave out dropna=False."
        )

    if known:
        from pdkappa.ratings.items import number_groups

        places, labels = number_groups(frame, names)
        if used.equals(labels) and (grouped.ngroup().fillna(-1) == places).all():
            return
        again = frame.groupby(by, sort=False, observed=True, dropna=True)
    if known and not grouped.sort and grouped.ngroup().equals(again.ngroup()):
        raise OptionError(
            "df.groupby(..., sort=False).kappa would have its groups in the order of the rows, but "
            "groups are sorted. Leave out sort=False, or give the order with pd.Categorical(..., "
            "categories=[...])."
        )
    raise OptionError(
        "df.groupby(...).kappa needs groups that are the values of columns, with missing "
        "ones left out. Assign the groups to a column first, and pass by=."
    )
