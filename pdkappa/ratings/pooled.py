"""Scores and a column -> whether the column is of groups with scales of their own.

Pooled groups with different scales make the scores of all items vary, and any rater who knows
which group an item belongs to then agrees with any other.
"""

from __future__ import annotations

from itertools import combinations
from typing import TYPE_CHECKING

import numpy as np

from pdkappa.errors import listing, shown
from pdkappa.ratings.raters import is_constant_within

if TYPE_CHECKING:
    from collections.abc import Mapping

    from pdkappa._typing import FloatArray, IntArray, Label
    from pdkappa.ratings.categories import CategorySet
    from pdkappa.ratings.columns import Column

FEWEST_OF_GROUP = 20
FEWEST_SCORES = 5
MOST_GROUPS = 50
MOST_LOOKED_AT = 2000  # items, evenly spread over the rows
FEWEST_RATERS, MOST_RATERS = 3, 30
TAIL = 0.05  # the share of scores that do not count, at either end
TIMES_AS_WIDE = 2
LESS = 0.05  # by which the correlation within groups is below that of all items
MOSTLY = 2 / 3  # of a variance, or of a correlation
SPLITS = "the scale of the others differs by it"
UNRELATED = 0.1  # the largest kappa of a column that is no rater's


def scores_of(codes: IntArray, categories: CategorySet) -> FloatArray | None:
    """Return the scores of all raters, shape (R, N), NaN where missing; None if they are few."""
    if not categories.numeric or categories.scores is None or len(categories) < FEWEST_SCORES:
        return None
    result: FloatArray = np.append(categories.scores, np.nan)[codes]
    return result


def step_of(n_items: int) -> int:
    """Return the step that leaves no more items than are looked at."""
    return max(-(-n_items // MOST_LOOKED_AT), 1)


def _evenly(n_rows: int, counts: FloatArray | None) -> IntArray | slice:
    """Select rows that are evenly spread over the items, of which each has its count."""
    if counts is None:
        return slice(None, None, step_of(n_rows))
    ends = np.cumsum(counts)
    size = min(MOST_LOOKED_AT, max(int(ends[-1]), 1))
    return np.searchsorted(ends, (np.arange(size) + 0.5) * ends[-1] / size)


def splits_the_scale(groups: IntArray, scores: FloatArray) -> bool:
    """Whether raters use other scales in some of the groups, of scores of shape (R, N).

    It is asked of the two raters with the largest correlation, and three things must hold. The
    groups explain most of the variance of both. The widest scale is at least twice as wide as the
    narrowest, by a quarter of all scores or more; it reaches from the 5th to the 95th of 100 scores
    of a group, of which it needs twenty. And the raters agree within the groups as well, if less
    than over all items: given another rating of the items, or a grade made of it, they would not.
    """
    rated = (groups >= 0) & np.isfinite(scores).all(axis=0)
    if np.count_nonzero(rated) < 2 * FEWEST_OF_GROUP:
        return False
    groups, scores = groups[rated], scores[:, rated]
    scores = scores / (np.abs(scores).max(initial=0.0) or 1.0)  # whose squares are finite
    alike = _correlations(scores)
    np.fill_diagonal(alike, -1.0)
    both = scores[list(np.unravel_index(alike.argmax(), alike.shape))]
    if not all(_differs(groups, one) for one in both):
        return False
    within = _correlations(np.stack([_standardised(groups, one) for one in both]))[0, 1]
    return bool(MOSTLY * alike.max() <= within <= alike.max() - LESS)


def _correlations(scores: FloatArray) -> FloatArray:
    """Correlate raters, of scores of shape (R, N); 0 where one does not vary."""
    centred = scores - scores.mean(axis=1, keepdims=True)
    size = np.sqrt((centred**2).sum(axis=1, keepdims=True))
    unit = centred / np.where(size > 0, size, 1.0)
    result: FloatArray = unit @ unit.T
    return result


def _centred(groups: IntArray, scores: FloatArray) -> FloatArray:
    """Subtract the mean of each group from the scores of one rater, shape (N,)."""
    n = np.maximum(np.bincount(groups), 1)
    result: FloatArray = scores - (np.bincount(groups, scores) / n)[groups]
    return result


def _standardised(groups: IntArray, scores: FloatArray) -> FloatArray:
    """Give the scores of one rater mean zero and the same spread in each group, shape (N,)."""
    centred = _centred(groups, scores)
    spread = np.sqrt(np.bincount(groups, centred**2) / np.maximum(np.bincount(groups), 1))
    result: FloatArray = centred / np.where(spread > 0, spread, 1.0)[groups]
    return result


def _differs(groups: IntArray, scores: FloatArray) -> bool:
    """Whether the scale of one rater differs by group, of arrays of shape (N,)."""
    if (_centred(groups, scores) ** 2).mean() > (1 - MOSTLY) * scores.var():
        return False
    order = np.lexsort((scores, groups))
    groups, scores = groups[order], scores[order]
    starts = np.flatnonzero(np.diff(groups, prepend=-1))
    n = np.diff(starts, append=len(groups))
    starts, n = starts[n >= FEWEST_OF_GROUP], n[n >= FEWEST_OF_GROUP]
    if len(n) <= 1:
        return False
    cut = (TAIL * n).astype(np.int64)
    low, high = scores[starts + cut], scores[starts + n - 1 - cut]
    width = high - low
    wider, most = width.max() - width.min(), high.max() - low.min()
    return bool(width.max() >= TIMES_AS_WIDE * width.min() and 4 * wider >= most)


def group_like(
    columns: list[Column], codes: IntArray, categories: CategorySet, counts: FloatArray | None
) -> dict[Label, str]:
    """Find columns among the raters that look like groups of the items, and say why.

    Rows of codes, of shape (R, N), may be distinct ones with counts.
    """
    n_raters, n_items = codes.shape
    total = n_items if counts is None else counts.sum()
    if not FEWEST_RATERS <= n_raters <= MOST_RATERS or total < 2 * FEWEST_OF_GROUP:
        return {}
    few = codes[:, _evenly(n_items, counts)]
    unrelated = _unrelated(few, len(categories))
    scores = scores_of(few, categories) if unrelated else None
    if scores is None:
        return {}
    found: dict[Label, str] = {}
    groups = []
    for rater in sorted(unrelated, key=lambda r: _is_float(columns[r])):
        others = np.delete(scores, rater, axis=0)
        if len(columns[rater].labels) <= MOST_GROUPS and splits_the_scale(few[rater], others):
            found[columns[rater].name] = SPLITS
            groups.append(columns[rater])
    for column in columns:
        if any(is_constant_within(column, group.codes) for group in groups if group is not column):
            found.setdefault(column.name, f"one value in each {shown(groups[0].name)}")
    return found if len(columns) - len(found) > 1 else {}


def _is_float(column: Column) -> bool:
    """Whether a column is of floats, which seldom name groups."""
    return any(isinstance(label, float) for label in column.labels[:1])


def _unrelated(codes: IntArray, n_categories: int) -> list[int]:
    """Return the raters who agree with no other one by more than chance."""
    n_raters, related = len(codes), np.zeros(len(codes), dtype=bool)
    for one, other in combinations(range(n_raters), 2):
        if not (related[one] and related[other]) and _related(codes[[one, other]], n_categories):
            related[[one, other]] = True
    return np.flatnonzero(~related).tolist()


def _related(pair: IntArray, n_categories: int) -> bool:
    """Whether the kappa of two raters is large enough for raters; codes have the shape (2, N)."""
    first, second = pair
    equal = np.count_nonzero((first == second) & (first >= 0)) / len(first)
    if equal <= UNRELATED:
        return False
    row, col = (np.bincount(one + 1, minlength=n_categories + 1)[1:] for one in pair)
    chance = float(row @ col) / len(first) ** 2
    return bool(equal - chance > UNRELATED * (1 - chance))


def groups_in_words(doubts: Mapping[Label, str], raters: list[Label]) -> str:
    """Tell of columns that look like groups, and how to leave them out."""
    groups = [name for name, why in doubts.items() if why == SPLITS]
    found = ", ".join(f"{shown(name)} ({why})" for name, why in doubts.items())
    left = listing(name for name in raters if name not in doubts)
    return (
        f"Columns that look like groups of items rather than raters: {found}. "
        f"raters=[{left}] leaves them out, by={groups[0]!r} looks into each group."
    )
