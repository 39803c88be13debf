"""Options about ratings that are numbers -> their rows, and the scores that the codes stand for."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np
import pandas as pd

from pdkappa.counts.tables import rating_rows
from pdkappa.errors import (
    CategoryError,
    OptionError,
    RatingsError,
    RatingTypeError,
    check_choice,
    listing,
    shown,
)
from pdkappa.estimation.pooled import warn_of_pooled
from pdkappa.estimation.study import WITHOUT_EM
from pdkappa.ratings.categories import declared_set
from pdkappa.ratings.coded import Counted, encode
from pdkappa.ratings.columns import numbers_of

if TYPE_CHECKING:
    from pdkappa._typing import (
        Categories,
        FloatArray,
        ObjectArray,
        Raters,
    )
    from pdkappa.counts.core.rows import RatingRows
    from pdkappa.ratings.coded import Coded
    from pdkappa.ratings.reading import Reading

LARGEST = 1e75  # whose fourth power is finite


@dataclass(frozen=True)
class NumericRows:
    """Ratings that are numbers."""

    coded: Coded
    rows: RatingRows  # one for each item
    scores: FloatArray  # (K,), what each code stands for, ascending
    empty: ObjectArray  # (G,), why a group has no ratings; else empty text

    def without(self, excluded: FloatArray) -> NumericRows:
        """Take some scores for missing ones."""
        codes = self.rows.codes
        bad = np.append(
            np.isin(self.scores, excluded), False
        )  # for -1 where there is no score at all
        return replace(self, rows=replace(self.rows, codes=np.where(bad[codes], -1, codes)))

    def used_by(self, rater: int) -> FloatArray:
        """Return the scores that a rater gave, each once."""
        codes = self.rows.codes[rater]
        return self.scores[np.unique(codes[codes >= 0])]


def read_scores(
    data: pd.DataFrame | Counted, raters: Raters | None, reading: Reading
) -> NumericRows:
    """Check that ratings are numbers, and put them into rows.

    Nothing looks like a mistake here: numbers of any kind are what is asked for.
    """
    check_choice("missing", reading.missing, WITHOUT_EM)
    coded = encode(data, raters, reading, lookalikes=False)
    if reading.by is None and isinstance(data, pd.DataFrame):
        warn_of_pooled(data, coded, [reading.sample_weight, reading.cluster])
    return NumericRows(
        coded,
        rating_rows(coded),
        _scores_of(coded, has_counts=isinstance(data, Counted)),
        coded.groups.why_empty(),
    )


def _scores_of(coded: Coded, *, has_counts: bool) -> FloatArray:
    """Return the numbers that the categories are, shape (K,)."""
    labels, scores = coded.categories.labels, coded.categories.scores
    if not labels:
        return np.empty(0)
    if scores is None or not coded.categories.numeric:
        number = isinstance(labels[0], float | int)
        kind = "an ordered category" if number else type(labels[0]).__name__
        message = (
            f"Scores must be numbers, got {shown(labels[0])} ({kind}). Convert the columns, as "
            "with pd.to_numeric or astype(float)."
        )
        raise RatingTypeError(message)
    beyond = [label for label, x in zip(labels, scores, strict=True) if not abs(x) < LARGEST]
    if beyond:
        place = "" if has_counts else coded.where(labels.index(beyond[0]))
        message = (
            f"Scores must lie between -{LARGEST:g} and {LARGEST:g}, got {listing(beyond)}{place}. "
            "Set them to missing, or divide all by a constant."
        )
        raise RatingsError(message)
    return scores


def read_excluded(exclude: object) -> FloatArray:
    """Return the scores that are none, shape (E,)."""
    if exclude is None:
        return np.empty(0)
    if isinstance(exclude, bool | str):
        message = (
            f"exclude={exclude!r} must be a score or a list of scores, such as exclude=0, or None."
        )
        raise OptionError(message)
    if isinstance(exclude, set | frozenset):
        exclude = list(exclude)
    return np.atleast_1d(numbers_of(exclude, "exclude", OptionError)).reshape(-1)


def read_scale(categories: Categories) -> FloatArray:
    """Return the scores of a declared scale, ascending."""
    declared = declared_set(categories)
    if not declared.numeric or declared.scores is None:
        message = (
            f"categories must be the scores of the scale, got {listing(declared.labels)}. "
            "Pass a list of numbers, such as range(1, 7)."
        )
        raise CategoryError(message)
    return np.sort(declared.scores)


def check_on_scale(scored: NumericRows, humans: list[int], scale: FloatArray) -> None:
    """Make sure that human scores are on the declared scale."""
    for rater in humans:
        used = scored.used_by(rater)
        beside = used[~np.isin(used, scale)]
        if len(beside):
            message = (
                f"Column {scored.coded.raters[rater]!r} holds scores that are not in categories: "
                f"{listing(beside.tolist())}. Add them to categories, or exclude them."
            )
            raise CategoryError(message)


def are_whole(scores: FloatArray) -> bool:
    """Whether all scores are whole numbers."""
    return bool(np.all(scores == np.floor(scores)))


def check_can_be_rounded(scored: NumericRows, human: int, machine: int) -> None:
    """Refuse to round to whole numbers where human scores are none."""
    used, others = scored.used_by(human), scored.used_by(machine)
    fractions, between = used[used != np.floor(used)], others[~np.isin(others, used)]
    if len(fractions) and len(between):
        names = [scored.coded.raters[rater] for rater in (human, machine)]
        message = (
            f"Column {names[0]!r} holds {listing(fractions.tolist())}, so the scores of "
            f"{names[1]!r}, such as {between[0]:g}, cannot be rounded to whole numbers. Pass "
            "categories=[...], the scores of the scale, or rounded=False."
        )
        raise RatingsError(message)
