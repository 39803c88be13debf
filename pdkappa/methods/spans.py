"""Spans of text or time: `from_spans`, F1 of pairs, alpha for units, pieces of texts."""

from __future__ import annotations

import warnings
from contextlib import suppress
from dataclasses import dataclass
from functools import cached_property
from itertools import combinations
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import pandas as pd
import scipy

from pdkappa.coefficients.pair_counts import listed_ranges
from pdkappa.coefficients.score_limits import half_width, ratio_of_sums, wilson, without_rounding
from pdkappa.errors import DuplicateRatingError, OptionError, RatingsError, TooLargeError, listing
from pdkappa.methods.estimates import asked as has
from pdkappa.methods.estimates.asks import Asked, anew, asks, column, option
from pdkappa.methods.estimates.options import check_label, is_number, number_that
from pdkappa.methods.estimates.pair_frames import FEW_TEXTS, FEWEST_OF_LIMITS, tabled, whole
from pdkappa.methods.estimates.told import hear_of
from pdkappa.present import schema
from pdkappa.present.findings import Caution, Finding, Findings, figure_of
from pdkappa.present.labels import listed
from pdkappa.present.text_markup import counted
from pdkappa.present.text_tables import Bundle, Result, result
from pdkappa.ratings.categories import index_of
from pdkappa.ratings.columns import EXACT_IN_FLOAT, numbers_of
from pdkappa.ratings.items import number, read_columns

if TYPE_CHECKING:
    from pdkappa._typing import BoolArray, FloatArray, IntArray, Label

MOST_FOLDS = 200
PAIRS = list(schema.SPANS)
PIECE = ("item", "start", "end", "length")
OUTSIDE = RatingsError, "end after it begins, within its text", "Ends are exclusive"
OVERLAP = DuplicateRatingError, "not overlap others of its rater and label", "Merge or relabel them"


class Marks(NamedTuple):
    """S spans in N texts by R raters, sorted by label, text, rater and start.

    Attributes
    ----------
    label, text, rater : ndarray of int, shape (S,)
    start, end : ndarray of float, shape (S,)
        In the text; the end is the first place that is not marked.
    low, high : ndarray of int, shape (S,)
        Ranks of starts and ends among all places, in which large ones are as far apart as others.
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
    low: IntArray
    high: IntArray
    seen: BoolArray
    lengths: FloatArray

    def take(self, keep: Any) -> Marks:
        """Keep some of the spans."""
        return Marks._make([*(one[keep] for one in self[:7]), self.seen, self.lengths])

    def of(self, rater: int, other: int) -> Marks:
        """Keep the spans of a rater in texts that another saw, too."""
        return self.take((self.rater == rater) & self.seen[self.text, other])


def overlapping(a: Marks, b: Marks) -> tuple[IntArray, IntArray]:
    """List the spans of one rater and of another that share a place and have one label.

    Those of each rater and label do not overlap themselves, so that ends are sorted as starts.
    """
    far = max(one.max(initial=0) for one in (a.high, b.high)) + 1
    n_texts = len(a.lengths)
    first, second = ((one.label * n_texts + one.text) * far for one in (a, b))
    low = np.searchsorted(second + b.high, first + a.low, side="right")
    high = np.searchsorted(second + b.low, first + a.high, side="left")
    return listed_ranges(low, high - low)


def matched(a: Marks, b: Marks, least: float) -> IntArray:
    """Count the spans of each text that match one to one, as many as can be, (N,).

    Two match if what they share is at least so much of what they cover together.
    """
    i, j = overlapping(a, b)
    shared = np.minimum(a.end[i], b.end[j]) - np.maximum(a.start[i], b.start[j])
    union = np.maximum(a.end[i], b.end[j]) - np.minimum(a.start[i], b.start[j])
    enough = shared >= least * union
    both = np.ones(enough.sum(), dtype=bool), (i[enough], j[enough])
    edges = scipy.sparse.csr_array(both, (len(a.text), len(b.text)))
    edges.indices, edges.indptr = (one.astype(np.int32) for one in (edges.indices, edges.indptr))
    partner = scipy.sparse.csgraph.maximum_bipartite_matching(edges, perm_type="column")
    return np.bincount(a.text[partner >= 0], minlength=len(a.lengths))


def alpha_u(marks: Marks, folds: IntArray) -> FloatArray:
    r"""Compute the disagreement of spans of one label, and that without each fold of texts.

    Beside it stands that of spans of which no two overlap: nothing is more.

    Parameters
    ----------
    marks : Marks
        Of one label.
    folds : ndarray of int, shape (N,)
        Fold of each text, from 0.

    Returns
    -------
    ndarray of float, shape (1 + folds, 3)
        Observed, expected, most: of all texts, and without one fold after the other.

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
    lengths, m, size = marks.lengths, marks.seen.sum(axis=1), marks.end - marks.start
    (gap, gap_at), at, n_folds = gaps(marks), folds[marks.text], folds.max(initial=-1) + 1
    gap_at, none = folds[gap_at], np.zeros(len(size), dtype=np.int64)

    def left(values: Any, fold: IntArray) -> FloatArray:
        return values.sum() - np.append(0.0, np.bincount(fold, values, n_folds))

    whole, places, pairs = (left(lengths * some, folds) for some in (m**0, m, m * (m - 1)))
    between = (left(size**0, at) - 1) * left(2 * size**3 - 3 * size**2 + size, at) / 3
    between += left(size**2 * room(size, none, gap, 0 * gap_at), at)
    order = np.sort(size)  # the same, by gaps; without a fold it is gone from both
    below, cubes = (np.append(0.0, np.cumsum(order**n)) for n in (2, 3))
    place = np.searchsorted(order, gap, side="right")
    between -= np.append(0.0, np.bincount(gap_at, (gap + 1) * below[place] - cubes[place], n_folds))
    between += np.append(0.0, np.bincount(at, size**2 * room(size, at, gap, gap_at), n_folds))
    with np.errstate(divide="ignore", invalid="ignore"):  # of no text
        expected = 2 / whole * between / (places * (places - 1) - left(size * (size - 1), at))
        observed = left(2 * squares(marks), folds) / (pairs * whole)
        most = left(2 * size**2 * (m[marks.text] - 1), at) / (pairs * whole)
    return np.stack([observed, expected, most], axis=1)


def squares(marks: Marks) -> FloatArray:
    """Sum the squared distances of spans over the pairs of raters of each text, (N,).

    Two spans that overlap are a half of theirs for each of them.
    """
    n_texts, n_raters = marks.seen.shape
    total = np.zeros(n_texts)
    for other in range(n_raters):
        a = marks.take((marks.rater != other) & marks.seen[marks.text, other])
        b = marks.take(marks.rater == other)
        i, j = overlapping(a, b)
        apart = (a.start[i] - b.start[j]) ** 2 + (a.end[i] - b.end[j]) ** 2
        alone = np.where(np.isin(np.arange(len(a.text)), i), 0.0, (a.end - a.start) ** 2)
        total += np.bincount(a.text, alone + np.bincount(i, apart / 2, len(a.text)), n_texts)
    return total


def gaps(marks: Marks) -> tuple[FloatArray, IntArray]:
    """Return the lengths of all gaps of all raters, from short to long, and their texts."""
    text, rater = np.nonzero(marks.seen)
    far, n = marks.lengths.max(initial=0.0) + 1, marks.seen.shape[1]
    # all texts of all raters in a row, from gap to gap
    own, every = (marks.text * n + marks.rater) * far, (text * n + rater) * far
    low = np.sort(np.append(every, own + marks.end))
    high = np.sort(np.append(own + marks.start, every + marks.lengths[text]))
    order = np.argsort(high - low)
    return (high - low)[order], (low // (far * n)).astype(np.int64)[order]


def room(size: FloatArray, at: IntArray, gap: FloatArray, gap_at: IntArray) -> FloatArray:
    """Count the places for each span in the gaps of its fold, sum of (g - l + 1) over g >= l.

    Gaps stand from short to long.
    """
    order, far = np.argsort(gap_at, kind="stable"), gap.max(initial=0.0) + 1
    sums, keys = np.append(0.0, np.cumsum(gap[order])), (gap_at * far + gap)[order]
    low = np.searchsorted(keys, at * far + np.minimum(size, far - 0.5))
    high = np.searchsorted(keys, (at + 1) * far)
    return sums[high] - sums[low] - (high - low) * (size - 1)


def pieces(marks: Marks) -> tuple[IntArray, FloatArray, FloatArray, IntArray, IntArray]:
    """Cut all texts at the ends of all spans.

    Returns
    -------
    text, start, end : ndarray, shape (P,)
        The pieces, in order.
    span, piece : ndarray of int
        Which span covers which of them.
    """
    every, far = np.arange(len(marks.lengths)), marks.lengths.max(initial=0.0) + 1
    text = np.concatenate([marks.text, marks.text, every, every])
    place = np.concatenate([marks.start, marks.end, 0 * marks.lengths, marks.lengths])
    keys, first = np.unique(text * far + place, return_index=True)
    text, place = text[first], place[first]
    inner = np.flatnonzero(np.diff(text) == 0)
    sides = (marks.text * far + one for one in (marks.start, marks.end))
    low, high = (np.searchsorted(keys[inner], side) for side in sides)
    return text[inner], place[inner], place[inner + 1], *listed_ranges(low, high - low)


class OfUnits(Asked):
    """Options of pieces."""

    figure = "pieces of texts, cut where a span begins or ends"
    label: Any = option(
        "What is said of spans.",
        "label",
        default=None,
        kw_only=False,
        check=check_label,
        also="One alone. Default: all of them.",
    )


class OfSpans(has.Item, has.Rater, has.Level):
    """Options of `from_spans`."""

    figure = "spans of text or time"

    start: Label = column("The column of where spans begin, from 0.")
    end: Label = column("The column of where they end: the first place that is not marked.")
    label: Label | None = anew(
        OfUnits, "label", kind="column label", default=None, also="A column. Default: one label."
    )
    length: Any = option(
        "How long the texts are: a Series by item, which may hold texts that nobody marked, a "
        "column, or a number for all. Only `pairs` does without.",
        "Series, column label or number",
        default=None,
    )
    seen: pd.DataFrame | None = option(
        "A frame with the columns of item and rater, of who saw which text. Default: everybody "
        "saw every text.",
        "DataFrame",
        default=None,
    )


@asks(
    OfSpans,
    item="Each is a text, or a recording.",
    rater="A row without a start says that they saw the text and marked nothing.",
)
def from_spans(data: pd.DataFrame, asked: OfSpans) -> Spans:
    """Read spans that raters marked in texts or recordings, one in each row.

    Do they mark the same places, and give them the same labels?

    Returns
    -------
    Spans
        With ``pairs()``, ``categories()``, ``agreement()`` and ``units()``.

    Raises
    ------
    RatingsError
        If a span ends before it begins, or lies outside of its text, or the length of a text is
        not known, or given twice.
    DuplicateRatingError
        If spans of one rater and label overlap; they may touch.

    Examples
    --------
    >>> df = pd.DataFrame({
    ...     "doc": 1, "who": ["ann", "ann", "bob", "bob"],
    ...     "start": [2, 14, 4, 15], "end": [10, 20, 8, 17],
    ... })
    >>> spans = pdkappa.from_spans(
    ...     df, item="doc", rater="who", start="start", end="end", length=24
    ... )
    >>> spans.pairs(match=0.5)[["n_spans_a", "n_spans_b", "n_matched", "estimate"]]
       n_spans_a  n_spans_b  n_matched  estimate
    0          2          2          1       0.5
    >>> spans.agreement()["estimate"].round(3).item()
    0.515
    """
    given, is_series = asked.length, isinstance(asked.length, pd.Series)
    length = {} if given is None or is_series or is_number(given) else {"length": given}
    data, _ = read_columns(data, "from_spans", asked.named_columns | length)
    saw = data[[asked.item, asked.rater]]
    if asked.seen is not None:
        others, _ = read_columns(asked.seen, "seen", {"item": asked.item, "rater": asked.rater})
        saw = pd.concat([saw, others[[*saw]]])
    rater, raters = number(saw, [asked.rater], "rater")
    every = saw[[asked.item]]
    if is_series:
        every = pd.concat([every, pd.DataFrame({asked.item: given.index})], ignore_index=True)
    text, texts = number(every, [asked.item], "item")
    seen = np.full((len(texts), len(raters)), asked.seen is None)
    seen[text[: len(saw)], rater] = True
    start, end = (
        numbers_of(data[name], f"Column {listing([name])}") for name in (asked.start, asked.end)
    )
    lengths = _lengths(data, given, text, texts)
    rows = np.flatnonzero(~np.isnan(start))
    label, labels = 0 * rater[rows], pd.Index(["span"])
    if asked.label is not None:
        label, labels = number(data.iloc[rows], [asked.label], "label")
    start, end = start[rows], end[rows]
    low, high = np.unique([start, end], return_inverse=True)[1].reshape(2, -1)
    marks = Marks(label, text[rows], rater[rows], start, end, low, high, seen, lengths)
    order = _checked(data, asked, rows, marks)
    hear_of(len(texts), "text", raters=raters)
    return Spans(marks.take(order), texts, raters.tolist(), labels, asked.seen is None, asked.level)


def _lengths(data: pd.DataFrame, given: Any, text: Any, texts: pd.Index) -> FloatArray:
    """Find the length of each text, (N,); NaN where none are given."""
    if given is None or is_number(given):
        return np.full(len(texts), given, dtype=np.float64)
    is_series = isinstance(given, pd.Series)
    values, at = (given, len(text) - len(given)) if is_series else (data[given], 0)
    of_text = pd.Series(numbers_of(values, "length")).groupby(text[at : at + len(values)])
    found = of_text.agg(["min", "max"])
    least, most = found.reindex(range(len(texts))).to_numpy().T
    for wrong, told in (
        (least < most, "has several lengths of {}. Give each text one."),
        (least < 0, "must be 0 or more, got {1:g}."),
        (np.isnan(least), "does not say how long {} is. Add it."),
    ):
        if wrong.any():
            raise RatingsError(f"length= {told.format(listing(texts[wrong]), least.min())}")
    return least


def _checked(data: pd.DataFrame, asked: OfSpans, rows: IntArray, marks: Marks) -> IntArray:
    """Sort spans; refuse those outside of their text, and those of a rater that overlap."""
    start, end, (n_texts, n_raters) = marks.start, marks.end, marks.seen.shape
    owner = (marks.label * n_texts + marks.text) * n_raters + marks.rater
    order = np.lexsort((start, owner))
    again = (np.diff(owner[order]) == 0) & (start[order][1:] < end[order][:-1])
    outside = (start < 0) | ~(end > start) | ~np.isfinite(end)
    outside |= end > marks.lengths[marks.text]
    for wrong, (error, rule, advice) in ((outside, OUTSIDE), (order[1:][again], OVERLAP)):
        if len(spoilt := data.iloc[rows[wrong]]):
            names = [asked.item, asked.rater, asked.start, asked.end]
            held = listing(spoilt[names].itertuples(index=False, name=None))
            where = f"{held} (item, rater, start, end), at index {listing(spoilt.index)}"
            raise error(f"A span must {rule}, got {where}. {advice}.")
    return order


class OfTable(Asked):
    """Options of a table of agreement, whose figures stand first."""

    def found_in(self, made: Any) -> Findings | None:
        """Say the figure, or the range of several."""
        known = made[made["estimate"].notna()]
        known = known.set_index(PAIRS[:2]) if PAIRS[0] in known else known
        return Findings(f"{self.figure} is {figure_of(known)}.") if len(known) else None


class OfPairs(OfTable):
    """Options of the pairs of raters."""

    figure = "F1 of spans"
    match: Any = option(
        "Spans match if both ends are equal, or if what they share is at least this part of what "
        "they cover together. Labels are equal in any case.",
        '"exact" or float in (0, 1]',
        default="exact",
        kw_only=False,
        check=number_that(
            lambda value: str(value) == "exact" or 0 < value <= 1,
            "be 'exact', or a number above 0 and up to 1",
            is_one=lambda value: str(value) == "exact" or is_number(value),
        ),
    )


class OfAlpha(OfTable):
    """Options of alpha for units."""

    figure = "Krippendorff's alpha for units"


class OfLabels(OfTable):
    """Options of alpha for units of each label."""

    figure = "Krippendorff's alpha for units of a label"


@dataclass(frozen=True, repr=False, eq=False)
class Spans(Bundle):
    """Spans that raters marked in texts or recordings.

    Attributes
    ----------
    marks : Marks
        The spans.
    items, labels : Index
        The texts and the labels, sorted.
    rater_labels : list
        The raters, sorted.
    all_seen : bool
        Whether everybody is taken to have seen every text.
    level : float
        Confidence level of the tables, unless they are asked for another.

    See Also
    --------
    pdkappa.from_spans : Make one of a frame.
    """

    marks: Marks
    items: pd.Index
    rater_labels: list[Label]
    labels: pd.Index
    all_seen: bool
    level: float

    @cached_property
    def tables(self) -> dict[str, Any]:
        """What the methods of these names return; without lengths in whole numbers `pairs`."""
        found = dict[str, Any]()
        with warnings.catch_warnings(), suppress(OptionError):
            warnings.simplefilter("ignore")  # each gives its warning when it is asked for
            for one in (self.pairs, self.categories, self.agreement):
                found[one.__name__] = one()
        return found

    @cached_property
    def findings(self) -> Findings:
        """Say how many spans there are, and how they agree."""
        told = [(name, one.findings.headline) for name, one in self.tables.items()]
        return Findings(
            f"{listed(self.rater_labels)} marked {counted(len(self.marks.text), 'span')} of "
            f"{counted(len(self.labels), 'label')} in {counted(len(self.items), 'text')}; "
            f"{'' if self.all_seen else 'not '}everybody saw every text.",
            tuple(Finding("spans", "", said, name) for name, said in told if said),
            cautions=tuple(map(Caution, self._told.remarks)),
            basis=self._told.line,
            subject="Agreement of spans",
        )

    @asks(OfPairs)
    def pairs(self, asked: OfPairs) -> Result:
        """Compare the spans of each pair of raters: span F1.

        Returns
        -------
        DataFrame
            One row for each pair: ``rater_a, rater_b, n_items, n_spans_a, n_spans_b, n_matched``,
            ``estimate``, the F1 in [0, 1] of the texts that both saw, ``se, ci_low, ci_high`` over
            texts, and ``reason`` for NaN: ``no_items`` (neither marked anything), ``n_lt_2`` (one
            text).

        Notes
        -----
        F1 is 2 m / (a + b) for m matches of a and b spans. Its squared error is
        ``n / (n - 1) sum((2 m_i - F1 n_i)**2) / sum(n_i)**2`` over n texts, and the limits are
        Wilson's, for as many spans as have this error. Matches are one to one, as many as can be.
        """
        least = 1.0 if asked.match == "exact" else float(asked.match)
        rows, names = [], self.rater_labels
        for rater, other in combinations(range(len(names)), 2):
            a, b = self.marks.of(rater, other), self.marks.of(other, rater)
            n_texts = int(self.marks.seen[:, [rater, other]].all(axis=1).sum())
            hits = 2 * matched(a, b, least)
            n = np.bincount(np.append(a.text, b.text), minlength=len(hits))
            share, se = ratio_of_sums(hits, n, n_texts)
            with np.errstate(divide="ignore", invalid="ignore"):
                worth = share * (1 - share) / se**2 if se != 0 else n_texts
                low, high = map(float, wilson(share, worth, half_width(self.level, n_texts - 1)))
            reason = ("n_lt_2" if n_texts == 1 else "") if n.any() else "no_items"
            sizes = n_texts, len(a.text), len(b.text), int(hits.sum()) // 2
            rows.append((names[rater], names[other], *sizes, share, se, low, high, reason))
        return self._table(pd.DataFrame(rows, columns=PAIRS[:-1]), asked)

    @asks(OfLabels)
    def categories(self, asked: OfLabels) -> Result:
        """Estimate Krippendorff's alpha for units of each label.

        Returns
        -------
        DataFrame
            One row for each label: ``n_items, n_spans, observed_disagreement,
            expected_disagreement, estimate, se, ci_low, ci_high, reason``. The estimate is at
            most 1; 0 is chance. Reasons for NaN: ``no_items`` (no span, or no second rater),
            ``n_lt_2`` (one text), ``undefined_without`` (all spans are in one text), and of limits
            ``no_variance`` (the raters agree everywhere).

        Raises
        ------
        OptionError
            If there are no lengths, or they or the spans are not whole numbers.
        """
        rows = [self._alpha([place]) for place in range(len(self.labels))]
        return self._table(pd.DataFrame(rows, self.labels.rename("label"), schema.UNITS), asked)

    @asks(OfAlpha)
    def agreement(self, asked: OfAlpha) -> Result:
        """Estimate Krippendorff's alpha for units of all labels together.

        Returns
        -------
        DataFrame
            One row, with the columns of `categories`.

        Raises
        ------
        OptionError
            If there are no lengths, or they or the spans are not whole numbers.

        Notes
        -----
        One less the ratio of the means over labels of observed and expected disagreement ([1]_, pp.
        251-256). The standard error is that of the jackknife over texts, in up to 200 groups, and
        the limits are symmetric for the logarithm of the ratio. The lower one is no less than alpha
        of these spans if no two of them overlapped.

        References
        ----------
        .. [1] Krippendorff, 2004
        """
        every = [*range(len(self.labels))] or [0]
        return self._table(pd.DataFrame([self._alpha(every)]), asked)

    @asks(OfUnits)
    def units(self, asked: OfUnits) -> Result:
        """Cut each text at all boundaries, for kappa per character or second.

        Returns
        -------
        DataFrame
            One row for each piece: ``item, start, end, length`` and a column for each rater: 1 or
            0 for one label, else the label, "" for none and several joined by "|". Missing where a
            rater did not see the text. Agreement per character is
            ``units.kappa(weight_type="probability").agreement(spans.rater_labels,
            sample_weight="length", cluster="item")``.

        Raises
        ------
        OptionError
            If there are no lengths, or there is no such label.
        RatingsError
            If a rater is called as another column.
        """
        label, marks = asked.label, self.marks
        if taken := [name for name in self.rater_labels if name in PIECE]:
            told = f"Rater {listing(taken)} is called as a column of the pieces"
            raise RatingsError(f"{told}. Rename them.")
        self._check_places()
        if label is not None:
            if label not in self.labels:
                raise OptionError(f"label={listing([label])} is none of {listing(self.labels)}.")
            marks = marks.take(marks.label == self.labels.get_loc(label))
        text, start, end, span, at = pieces(marks)
        rater = marks.rater[span]
        binary = label is not None or len(self.labels) == 1
        names = "|" + self.labels.astype(str).to_numpy(dtype=object)
        cells = np.full((len(text), len(self.rater_labels)), 0 if binary else "", dtype=object)
        np.add.at(cells, (at, rater), 1 if binary else names[marks.label[span]])
        cells[~marks.seen[text]] = None
        start, end = whole(np.stack([start, end]))
        places = (self.items.take(text), start, end, end - start)
        cut = pd.DataFrame(dict(zip(PIECE, places, strict=True)))
        said = pd.DataFrame(cells, columns=index_of(self.rater_labels))
        said = said if binary else said.map(lambda one: one[1:], na_action="ignore")
        hear_of(len(self.items), "text", raters=self.rater_labels)
        return result(pd.concat([cut, said.infer_objects()], axis=1), self.rater_labels)

    def _check_places(self, *, are_whole: bool = False) -> None:
        """Refuse texts of unknown length, and places that cannot be counted."""
        places = np.concatenate([self.marks.lengths, self.marks.start, self.marks.end])
        if np.isnan(places).any():
            told = "This needs the length of each text. Pass from_spans(..., length=...)."
            raise OptionError(told)
        n_places = self.marks.seen.size * (self.marks.lengths.max(initial=0.0) + 1)
        if n_places > EXACT_IN_FLOAT:
            told = f"Raters' texts have {n_places:.3g} places together, more than can be counted"
            raise TooLargeError(f"{told}. Begin each text at 0, or use a larger unit.")
        if are_whole and (fractions := places[places % 1 != 0]).any():
            told = f"Alpha for units counts places: {fractions[0]} is no whole number."
            raise OptionError(f"{told} Use a smaller unit, and round.")

    def _alpha(self, labels: list[int]) -> dict[str, Any]:
        """Estimate alpha of some labels, with its jackknife over texts."""
        self._check_places(are_whole=True)
        folds = np.arange(len(self.items)) % MOST_FOLDS
        parts = [alpha_u(self.marks.take(self.marks.label == one), folds) for one in labels]
        observed, expected, most = np.mean(parts, axis=0).T
        n = len(observed) - 1
        with np.errstate(divide="ignore", invalid="ignore"):
            left, *others = np.where(expected > 0, observed / expected, np.nan)
            apart = (others - np.mean(others)) ** 2 if n > 1 else np.full(1, np.nan)
            se = float(without_rounding(np.sqrt((n - 1) * apart.mean())))
            uneven = np.maximum(n * (apart**2).sum() / apart.sum() ** 2 - 1, 0.0)
            df = np.minimum(2 * n / uneven, n - 1)
            half = half_width(self.level, df) * se / left if se > 0 else np.nan
            low, high = 1 - np.minimum(left * np.exp([half, -half]), most[0] / expected[0])
        unknown = "undefined_without" if np.isnan(se) else "" if se > 0 else "no_variance"
        lost = "n_lt_2" if n == 1 else unknown
        reason, few = "no_items" if np.isnan(left) else lost, n < FEWEST_OF_LIMITS
        sizes = len(self.items), int(np.isin(self.marks.label, labels).sum())
        figures = observed[0], expected[0], 1 - left, se, low, high
        row = (*sizes, *figures, reason, FEW_TEXTS if few and se > 0 else "")
        return dict(zip(schema.UNITS, row, strict=True))

    def _table(self, frame: pd.DataFrame, asked: Asked) -> Result:
        """Return a result that knows of how many texts it is; warn once of what is undefined."""
        asked.tell(confidence_level=self.level)
        return tabled([frame], len(self.items), "text", raters=self.rater_labels)
