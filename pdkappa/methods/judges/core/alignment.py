"""Ratings -> how near each is to those of the other humans, and how often a judge's is nearer.

Nearness is any number that is greater the nearer a rating is; all that counts is which of two is
greater.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

if TYPE_CHECKING:
    from pdkappa._typing import FloatArray, IntArray
    from pdkappa.coefficients.rating_rows import RatingRows

FEWEST_HUMANS = 2
ROUNDINGS = 8  # that a sum of squares goes through, more or less


class Nearness(NamedTuple):
    """How near two ratings of U items are to those of all humans but one, each of shape (H, U).

    They differ by more than the `tolerance`, or are equal but for errors of rounding.
    """

    of_judge: FloatArray
    of_human: FloatArray
    tolerance: float = 0.0


class Wins(NamedTuple):
    """Of the items that a judge and each human rated: their number, and whose rating was nearer.

    Each of shape (H, G): H humans in G groups. A tie is in none of the last two.
    """

    n_items: FloatArray
    judge: FloatArray
    human: FloatArray


def same_labels(humans: IntArray, judge: IntArray, n_categories: int) -> Nearness:
    """Count the other humans with the same label as a judge, and as the human left out.

    Parameters
    ----------
    humans : ndarray of int, shape (H, U)
        Codes of the humans; -1 where a rating is missing.
    judge : ndarray of int, shape (U,)
        Codes of the judge.
    n_categories : int
        K.

    Returns
    -------
    Nearness
        Without meaning where one of the two ratings is missing.
    """
    places = np.arange(humans.shape[1], dtype=np.int64) * n_categories
    rated = humans >= 0
    cells, times = np.unique((places + humans)[rated], return_counts=True)

    def number(of: IntArray) -> FloatArray:
        wanted = places + of
        found = np.searchsorted(cells, wanted)
        known = np.append(cells, -1)[found] == wanted
        return np.where(known, np.append(times, 0)[found], 0).astype(np.float64)

    return Nearness(number(judge) - (humans == judge), number(humans) - 1.0)


def square_distances(humans: FloatArray, judge: FloatArray) -> Nearness:
    """Sum the squared differences from the scores of the other humans, with a minus sign.

    The order is that of minus the root of their mean. Scores have the shapes of `same_labels`,
    and are NaN where a rating is missing.
    """
    rated = ~np.isnan(humans)
    lowest = humans[rated].min(initial=np.inf)
    known = np.where(rated, humans - lowest, 0.0)  # integers stay exact
    n, total, squares = rated.sum(axis=0), known.sum(axis=0), (known**2).sum(axis=0)

    def away(of: FloatArray) -> FloatArray:
        found: FloatArray = 2 * of * total - n * of**2 - squares + (of - known) ** 2
        return found

    judged = np.where(np.isnan(judge), 0.0, judge - lowest)
    widest = max(known.max(initial=0.0), np.abs(judged).max(initial=0.0))
    largest = widest + abs(lowest) if rated.any() else 0.0
    tolerance = ROUNDINGS * np.finfo(float).eps * n.max(initial=0) * widest * largest
    return Nearness(away(np.broadcast_to(judged, humans.shape)), away(known), float(tolerance))


def count_wins(rows: RatingRows, n_humans: int, judge: int, near: Nearness) -> Wins:
    """Count the items on which a judge, or each human, is nearer to the other humans.

    Items with a rating of the judge and of two humans or more count, for the humans who rated
    them; the humans are the first raters.
    """
    humans = rows.codes[:n_humans] >= 0
    used = humans & (humans.sum(axis=0) >= FEWEST_HUMANS) & (rows.codes[judge] >= 0)
    ahead = near.of_judge - near.of_human
    some = (used, used & (ahead > near.tolerance), used & (ahead < -near.tolerance))
    return Wins(*(np.stack([rows.total(human) for human in one]) for one in some))


def n_judged(rows: RatingRows, n_humans: int, judge: int) -> FloatArray:
    """Count the items with a rating of the judge and of two humans or more, shape (G,)."""
    humans = (rows.codes[:n_humans] >= 0).sum(axis=0)
    return rows.total((humans >= FEWEST_HUMANS) & (rows.codes[judge] >= 0))
