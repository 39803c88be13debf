"""Spans of several raters -> which of them overlap, how many match, and alpha for units."""

from __future__ import annotations

from dataclasses import dataclass, replace
from itertools import combinations
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from scipy.sparse import csr_array
from scipy.sparse.csgraph import maximum_bipartite_matching

if TYPE_CHECKING:
    from pdkappa._typing import BoolArray, FloatArray, IntArray

MOST_FOLDS = 200


@dataclass(frozen=True)
class Marks:
    """S spans in N texts by R raters, sorted by label, text, rater and start.

    Attributes
    ----------
    label, text, rater : ndarray of int, shape (S,)
    start, end : ndarray of float, shape (S,)
        In the text; the end is the first place that is not marked.
    seen : ndarray of bool, shape (N, R)
        Who saw which text.
    lengths : ndarray of float, shape (N,)
        Those of the texts; NaN where they are not known.
    """

    label: IntArray
    text: IntArray
    rater: IntArray
    start: FloatArray
    end: FloatArray
    seen: BoolArray
    lengths: FloatArray

    def take(self, keep: Any) -> Marks:
        """Keep some of the spans."""
        names = ("label", "text", "rater", "start", "end")
        return replace(self, **{name: getattr(self, name)[keep] for name in names})

    def of(self, rater: int, other: int) -> Marks:
        """Keep the spans of a rater in texts that another saw, too."""
        return self.take((self.rater == rater) & self.seen[self.text, other])


def overlapping(a: Marks, b: Marks) -> tuple[IntArray, IntArray]:
    """List the spans of one rater and of another that share a place and have one label.

    Those of each rater and label do not overlap themselves, so that ends are sorted as starts.
    """
    far = max(one.max(initial=0.0) for one in (a.end, b.end)) + 1
    n_texts = len(a.lengths)
    first, second = ((one.label * n_texts + one.text) * far for one in (a, b))
    low = np.searchsorted(second + b.end, first + a.start, side="right")
    high = np.searchsorted(second + b.start, first + a.end, side="left")
    n = high - low
    before = np.cumsum(n) - n
    return np.repeat(np.arange(len(n)), n), np.arange(n.sum()) + np.repeat(low - before, n)


def matched(a: Marks, b: Marks, least: float) -> IntArray:
    """Count the spans of each text that match one to one, as many as can be, (N,).

    Two match if what they share is at least so much of what they cover together.
    """
    i, j = overlapping(a, b)
    shared = np.minimum(a.end[i], b.end[j]) - np.maximum(a.start[i], b.start[j])
    union = np.maximum(a.end[i], b.end[j]) - np.minimum(a.start[i], b.start[j])
    enough = shared >= least * union
    edges = csr_array(
        (np.ones(enough.sum(), dtype=bool), (i[enough], j[enough])), (len(a.text), len(b.text))
    )
    partner = maximum_bipartite_matching(edges, perm_type="column")
    return np.bincount(a.text[partner >= 0], minlength=len(a.lengths))


class Disagreement(NamedTuple):
    """Sums over the texts of each fold, (folds,), of which alpha of all but one is made."""

    observed: FloatArray
    expected: FloatArray


def alpha_u(marks: Marks, folds: IntArray) -> Disagreement:
    r"""Compute the disagreement of spans of one label, and that without each fold of texts.

    Parameters
    ----------
    marks : Marks
        Of one label.
    folds : ndarray of int, shape (N,)
        Fold of each text, from 0.

    Returns
    -------
    Disagreement
        Each of shape (1 + folds,): of all texts, and without one fold after the other.

    Notes
    -----
    Krippendorff (1995; 2004, p. 251-256). With m raters of texts of a length of L together, N spans
    of lengths l and gaps of lengths g, of whole numbers,

    .. math:: D_o = \frac{\sum \delta^2}{m (m - 1) L^2}, \quad
              D_e = \frac{2}{L} \cdot \frac{\sum_l [(N - 1)(2 l^3 - 3 l^2 + l) / 3 +
              l^2 \sum_{g \ge l} (g - l + 1)]}{m L (m L - 1) - \sum_l l (l - 1)},

    where :math:`\delta^2` of two spans that overlap is the squared difference of their starts plus
    that of their ends, and of a span in a gap of the other rater its squared length; each counts
    for both orders of the raters. Gaps end with their text. Where not everybody saw every text,
    sums of the texts with their numbers of raters take the place of m L and m (m - 1) L.
    """
    n_folds, m = int(folds.max()) + 1, marks.seen.sum(axis=1)

    def without(values: FloatArray, at: IntArray) -> FloatArray:
        """Sum values over everything, and without each fold."""
        own = np.bincount(at, weights=values, minlength=n_folds)
        return np.append(own.sum(), own.sum() - own)

    whole = without(marks.lengths, folds)
    continuum = without(marks.lengths * m, folds)
    pairs = without(marks.lengths * m * (m - 1), folds)
    apart = 2 * without(squares(marks), folds)
    at, size = folds[marks.text], marks.end - marks.start
    gap, gap_at = gaps(marks)
    gap_at = folds[gap_at]
    n = without(np.ones(len(size)), at)
    of_spans = without((2 * size**3 - 3 * size**2 + size) / 3, at)
    of_gaps = without(size**2 * room(size, gap), at) + without(weight(size, gap), gap_at)
    both = (size**2 * room(size, gap)).sum()
    own = [
        (size[at == k] ** 2 * room(size[at == k], gap[gap_at == k])).sum() for k in range(n_folds)
    ]
    of_gaps = of_gaps - both + np.append(0.0, own)  # of all: twice less once
    places = continuum * (continuum - 1) - without(size * (size - 1), at)
    with np.errstate(divide="ignore", invalid="ignore"):  # of no text
        expected = 2 * ((n - 1) * of_spans + of_gaps) / whole / places
        return Disagreement(apart / (pairs * whole), expected)


def squares(marks: Marks) -> FloatArray:
    """Sum the squared distances of spans over the pairs of raters of each text, (N,)."""
    n_texts, n_raters = marks.seen.shape
    total = np.zeros(n_texts)
    for rater, other in combinations(range(n_raters), 2):
        a, b = marks.of(rater, other), marks.of(other, rater)
        i, j = overlapping(a, b)
        apart = (a.start[i] - b.start[j]) ** 2 + (a.end[i] - b.end[j]) ** 2
        total += np.bincount(a.text[i], weights=apart, minlength=n_texts)
        for one, met in ((a, i), (b, j)):
            alone = np.bincount(met, minlength=len(one.text)) == 0
            lengths = (one.end - one.start)[alone] ** 2
            total += np.bincount(one.text[alone], weights=lengths, minlength=n_texts)
    return total


def gaps(marks: Marks) -> tuple[FloatArray, IntArray]:
    """Return the lengths of all gaps of all raters, and their texts."""
    text, rater = np.nonzero(marks.seen)
    order = np.lexsort(
        (
            np.append(marks.start, marks.lengths[text]),
            np.append(marks.rater, rater),
            np.append(marks.text, text),
        )
    )  # the end of each text after the spans
    at, who = np.append(marks.text, text)[order], np.append(marks.rater, rater)[order]
    start = np.append(marks.start, marks.lengths[text])[order]
    end = np.append(marks.end, marks.lengths[text])[order]
    new = np.append(True, (np.diff(at) != 0) | (np.diff(who) != 0))
    last = np.where(new, 0.0, np.append(0.0, end[:-1]))
    return start - last, at


def room(size: FloatArray, gap: FloatArray) -> FloatArray:
    """Count the places for each span in all gaps, sum of (g - l + 1) over g >= l."""
    gap = np.sort(gap)
    place = np.searchsorted(gap, size, side="left")
    above = np.append(np.cumsum(gap[::-1])[::-1], 0.0)[place]
    return above - (len(gap) - place) * (size - 1)


def weight(size: FloatArray, gap: FloatArray) -> FloatArray:
    """Sum l**2 (g - l + 1) over the spans that fit into each gap."""
    size = np.sort(size)
    place = np.searchsorted(size, gap, side="right")
    squared = np.append(0.0, np.cumsum(size**2))[place]
    return (gap + 1) * squared - np.append(0.0, np.cumsum(size**3))[place]


def pieces(marks: Marks) -> tuple[IntArray, FloatArray, FloatArray]:
    """Cut all texts at the ends of all spans: the text, start and end of each piece, in order."""
    every, none = np.arange(len(marks.lengths)), np.zeros(len(marks.lengths))
    text = np.concatenate([marks.text, marks.text, every, every])
    place = np.concatenate([marks.start, marks.end, none, marks.lengths])
    text, place = np.unique(np.stack([text, place]), axis=1)
    inner = np.flatnonzero(np.diff(text) == 0)
    return text[inner].astype(np.int64), place[inner], place[inner + 1]


def covered(marks: Marks, text: IntArray, start: FloatArray) -> tuple[IntArray, IntArray, IntArray]:
    """List which pieces each span covers: the piece, the rater and the label."""
    far = marks.lengths.max(initial=0.0) + 1
    low, high = (
        np.searchsorted(text * far + start, marks.text * far + one)
        for one in (marks.start, marks.end)
    )
    n = high - low
    piece = np.arange(n.sum()) + np.repeat(low - (np.cumsum(n) - n), n)
    return piece, np.repeat(marks.rater, n), np.repeat(marks.label, n)
