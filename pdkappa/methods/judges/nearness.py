"""How near a rating is to those of other people: the score of an alternative annotator test."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from pdkappa.errors import CategoryError, OptionError, check_choice, shown
from pdkappa.methods.estimates.options import is_number
from pdkappa.methods.judges.core.alignment import Nearness, same_labels, square_distances
from pdkappa.ratings.coded import Counted

if TYPE_CHECKING:
    from collections.abc import Callable

    from pdkappa._typing import IntArray
    from pdkappa.methods.estimates.study import Study

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
    study : Study
        The ratings, whose codes are compared; by "rmse" with weights that need an order.
    """

    def __init__(self, score: str | Callable[[Any, list[Any]], float], study: Study) -> None:
        """Keep what was told by a callable, which is asked once for the same ratings."""
        self._score = score
        self._labels = study.coded.categories.labels
        if score == "rmse":
            _check_finite(study)
            self._scores = np.append(study.scale.scores[0], np.nan)
        self._told: dict[tuple[int, ...], float] = {}

    def of(self, humans: IntArray, judge: IntArray) -> Nearness:
        """Compare codes of shapes (H, U) and (U,), -1 where a rating is missing."""
        if callable(self._score):
            return self._asked(humans, judge)
        if self._score == "accuracy":
            return same_labels(humans, judge, len(self._labels))
        return square_distances(self._scores[humans], self._scores[judge])

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
            label, *rest = (self._labels[one] for one in key)
            try:
                value = self._score(label, rest)  # type: ignore[operator]
            except (TypeError, ValueError, AttributeError, ArithmeticError, LookupError) as error:
                message = f"score fails for {shown(label)} beside {shown(rest)}: {error!r}."
                raise OptionError(message) from error
            if not is_number(value) or np.isnan(value):
                message = (
                    f"score returned {shown(value)} for {shown(label)} beside {shown(rest)}. It "
                    f"must return a number that is larger the closer a rating is to the others."
                )
                raise OptionError(message)
            self._told[key] = float(value)
        return self._told[key]


def _check_finite(study: Study) -> None:
    """Refuse ratings without a distance from others."""
    scores = study.coded.categories.scores
    infinite = np.flatnonzero(~np.isfinite([] if scores is None else scores)).tolist()
    if infinite:
        place = "" if isinstance(study.data, Counted) else study.coded.where(infinite[0])
        message = (
            f"score='rmse' needs finite ratings, got {study.coded.categories.labels[infinite[0]]}"
            f"{place}. Set them to missing, or pass categories={{category: score}}."
        )
        raise CategoryError(message)
