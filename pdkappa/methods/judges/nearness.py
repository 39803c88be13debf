"""How near a rating is to those of other people: the score of an alternative annotator test."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from pdkappa.errors import OptionError, check_choice, shown
from pdkappa.estimation.intervals import is_number
from pdkappa.methods.judges.core.alignment import Nearness, same_labels, square_distances

if TYPE_CHECKING:
    from collections.abc import Callable

    from pdkappa._typing import IntArray
    from pdkappa.ratings.categories import CategorySet

SCORES = ("accuracy", "rmse")
SYNONYMS = {"neg_rmse": "'rmse'", "exact": "'accuracy'", "mse": "'rmse'"}


def check_score(score: object) -> None:
    """Refuse what is neither a score by name nor a callable."""
    if not callable(score):
        check_choice("score", score, SCORES, SYNONYMS)


class Nearby:
    """A score, asked for the ratings of one judge after the other.

    Parameters
    ----------
    score : str or callable
        As the user passed it.
    categories : CategorySet
        What the codes of the ratings stand for.
    """

    def __init__(
        self, score: str | Callable[[Any, list[Any]], float], categories: CategorySet
    ) -> None:
        """Keep what was told by a callable, which is asked once for the same ratings."""
        self._score = score
        self._categories = categories
        self._told: dict[tuple[int, ...], float] = {}

    def of(self, humans: IntArray, judge: IntArray) -> Nearness:
        """Compare codes of shapes (H, U) and (U,), -1 where a rating is missing."""
        if callable(self._score):
            return self._asked(humans, judge)
        if self._score == "accuracy" or self._categories.scores is None:  # without any rating
            return same_labels(humans, judge, len(self._categories))
        scores = np.append(self._categories.scores, np.nan)
        return square_distances(scores[humans], scores[judge])

    def _asked(self, humans: IntArray, judge: IntArray) -> Nearness:
        """Ask the callable of each rating and the list of the others' ratings of the item."""
        near = np.zeros((2, *humans.shape))
        for item in np.flatnonzero(judge >= 0).tolist():
            rated = np.flatnonzero(humans[:, item] >= 0).tolist()
            for human in rated if len(rated) > 1 else []:
                others = [int(humans[other, item]) for other in rated if other != human]
                for of, code in zip(near, (judge[item], humans[human, item]), strict=True):
                    of[human, item] = self._tell(int(code), *others)
        return Nearness(near[0], near[1])

    def _tell(self, code: int, *others: int) -> float:
        """Return what the callable says, of the same ratings what it said before."""
        key = (code, *others)
        if key not in self._told:
            label, *rest = (self._categories.labels[one] for one in key)
            value = self._score(label, rest)  # type: ignore[operator]
            if not is_number(value) or np.isnan(value):
                message = (
                    f"score returned {shown(value)} for {shown(label)} beside {shown(rest)}. It "
                    "must return a number that is greater the nearer a rating is to the others."
                )
                raise OptionError(message)
            self._told[key] = float(value)
        return self._told[key]
