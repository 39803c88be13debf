"""Options about ratings -> their rows of codes, with the scale of the categories."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, TypedDict

import numpy as np
import pandas as pd

from pdkappa.counts.tables import rating_rows
from pdkappa.errors import OptionError, check_choice
from pdkappa.estimation import weights as weighting
from pdkappa.ratings.coded import encode

if TYPE_CHECKING:
    from pdkappa._typing import (
        BoolArray,
        By,
        Categories,
        IntArray,
        ItemWeights,
        ObjectArray,
        Raters,
        Weights,
    )
    from pdkappa.coefficients.weights import Scale
    from pdkappa.counts.core.rows import RatingRows
    from pdkappa.ratings.coded import Coded, Counted

WITHOUT_EM = ("pairwise", "listwise", "raise")


class ItemOptions(TypedDict, total=False):
    """Options that a function hands on to `code_rows` as they are."""

    by: By | None
    categories: Categories | None
    sample_weight: ItemWeights | None
    cluster: ItemWeights | None


@dataclass(frozen=True)
class CodedRows:
    """Coded ratings as rows with counts, and their scale.

    Attributes
    ----------
    coded : Coded
        Ratings of N items by R raters in G groups.
    rows : RatingRows
        The same as rows, one for each item.
    scale : Scale
        Where the categories stand, and how far they are apart.
    """

    coded: Coded
    rows: RatingRows
    scale: Scale

    @property
    def n_groups(self) -> int:
        """G; 1 without groups."""
        return self.rows.n_groups

    @property
    def in_use(self) -> BoolArray:
        """Categories on the scale of each group, shape (G, K)."""
        shape = (self.n_groups, self.rows.n_categories)
        return np.broadcast_to(self.coded.in_use, shape)

    def index(self, groups: IntArray, inner: list[pd.Index]) -> pd.Index:
        """Label rows by their groups, if there are groups, and by some indices."""
        outer = self.coded.group_index
        if outer is None and len(inner) == 1:
            return inner[0]
        levels = [] if outer is None else [outer.get_level_values(i) for i in range(outer.nlevels)]
        taken = [level.take(groups) for level in levels] + inner
        return pd.MultiIndex.from_arrays(taken, names=[level.name for level in taken])

    def no_ratings(self) -> ObjectArray:
        """Say of each group why it has no ratings; empty where it has some, shape (G,)."""
        reason = np.full(self.n_groups, "", dtype=object)
        empty = "zero_total_weight" if self.coded.no_weight else "no_items"
        reason[~self.coded.has_ratings()] = empty
        return reason


def code_rows(
    data: pd.DataFrame | Counted,
    raters: Raters | None,
    *,
    by: By | None = None,
    weights: Weights | None = None,
    categories: Categories | None = None,
    distance: str = "value",
    missing: str = "pairwise",
    sample_weight: ItemWeights | None = None,
    cluster: ItemWeights | None = None,
    needs_order: str | None = None,
    needs_identity: bool = True,
    allows_em: bool = False,
    quiet: bool = False,
) -> CodedRows:
    """Check the ratings, and put them into rows with their scale.

    Parameters
    ----------
    data, raters, by, weights, categories, distance, missing, sample_weight, cluster
        As the user passed them.
    needs_order : str, optional
        The option that needs an order, for the message; default: `weights`, if they do.
    needs_identity : bool
        Whether it must be known who gave which rating.
    allows_em : bool
        Whether ``missing="em"``, which estimates a joint distribution, makes sense.
    quiet : bool
        Whether warnings have been given already.
    """
    check_choice("distance", distance, weighting.DISTANCES)
    if not allows_em:
        _check_without_em(missing)
    coded = encode(
        data,
        raters,
        by=by,
        categories=categories,
        needs_order=needs_order or weighting.needs_order(weights),
        missing=missing,
        sample_weight=sample_weight,
        cluster=cluster,
        needs_identity=needs_identity,
        quiet=quiet,
    )
    scale = weighting.scale_of(weights, coded.categories, distance, coded.in_use)
    return CodedRows(coded, rating_rows(coded), scale)


def _check_without_em(missing: str) -> None:
    """Refuse what gives no influence of an item on a coefficient."""
    if missing == "em":
        message = (
            "missing='em' is for the coefficients of pairs, pairwise, grouped and agreement "
            "alone: it does not say what each item does to them. "
            f"Choose one of: {', '.join(map(repr, WITHOUT_EM))}."
        )
        raise OptionError(message)
    check_choice("missing", missing, WITHOUT_EM)
