"""An analysis → how many items and ratings there are, what is missing, and what is left out."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from pdkappa.ratings.long_ratings import CodedList

if TYPE_CHECKING:
    import pandas as pd

    from pdkappa.methods.report.analysis import Analysis

PAIR = 2
ROUNDING = 1e-9  # by which a sum of weights may be off


class Numbers(NamedTuple):
    """What was rated, in all groups; with numbers of items as weights, what these add up to."""

    n_raters: int
    items: float  # that somebody rated
    ratings: float
    joint: float | None  # items that both of two raters rated, if only these are compared
    left_out: float  # items with a rating that "listwise" left out, which are no `items`

    @property
    def possible(self) -> float:
        """Ratings there would be if everybody had rated all items."""
        return self.items * self.n_raters

    @property
    def missing(self) -> float:
        """Possible ratings that there are not."""
        n = self.possible - self.ratings
        return n if n > ROUNDING * self.possible else 0.0

    @property
    def is_sparse(self) -> bool:
        """Whether more is missing than is there, so that nobody meant to rate all items."""
        return self.missing > self.possible / 2

    @property
    def of_missing(self) -> str:
        """Say how many ratings are missing, unless most are by design."""
        return "" if self.is_sparse else f"{self.missing:,.10g} of {self.possible:,.10g}"

    @property
    def of_joint(self) -> str:
        """Say how many items two raters are compared on; empty unless some are missing."""
        if self.joint is None or not self.missing:
            return ""
        were = "was" if self.joint == 1 else "were"
        return f"{self.joint:,.10g} of {self.items:,.10g} items, rated by both, {were} compared"

    @property
    def of_left_out(self) -> str:
        """Say how many items were left out; empty if none were."""
        if not self.left_out:
            return ""
        were = "was" if self.left_out == 1 else "were"
        every = self.items + self.left_out
        return f"{self.left_out:,.10g} of {every:,.10g} items {were} left out"


def numbers_of(asked: Analysis, agreement: pd.DataFrame) -> Numbers:
    """Count items and ratings; `agreement` has those of the analysis.

    Two raters are compared on joint items, of which it has the number; what one of them rated
    alone is a rating all the same. Of a sample, items are counted, not what they stand for.
    """
    coded, n_raters = asked.study.coded, len(asked.raters)
    is_of_joint = n_raters == PAIR and asked.study.reading.missing != "em"
    if coded.spread is not None and not isinstance(coded, CodedList):
        rated = coded.codes >= 0
        items, ratings = float(rated.any(axis=0).sum()), float(rated.sum())
        joint = float(rated.all(axis=0).sum())
    else:
        names = agreement.index.get_level_values("coefficient")
        first = agreement[names.isin(names[:1])]
        items, ratings = float(first["n_items"].sum()), float(first["n_ratings"].sum())
        joint = items
        items = ratings - joint if is_of_joint else items
    return Numbers(n_raters, items, ratings, joint if is_of_joint else None, coded.left_out)
