"""A frame with one span in each row -> `Spans`, which knows how far raters mark the same places."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import combinations
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from pdkappa.coefficients.score_limits import half_width, wilson
from pdkappa.errors import (
    DuplicateRatingError,
    OptionError,
    RatingsError,
    RatingTypeError,
    listing,
    shown,
)
from pdkappa.methods.estimates import asked as has
from pdkappa.methods.estimates.asks import asks, option
from pdkappa.methods.estimates.options import check_label, is_number
from pdkappa.methods.estimates.pair_frames import warn_if_undefined
from pdkappa.methods.spans.unitizing import MOST_FOLDS, Marks, alpha_u, covered, matched, pieces
from pdkappa.present.text_tables import result
from pdkappa.ratings.categories import index_of
from pdkappa.ratings.columns import numbers_of
from pdkappa.ratings.long_columns import number, read_columns

if TYPE_CHECKING:
    from pdkappa._typing import FloatArray, IntArray, Label

PIECE = ("item", "start", "end", "length")


class OfSpans(has.Item, has.Rater):
    """Options of `from_spans`."""

    start: Label = option(
        "The column of where spans begin, from 0.", "column label", check=check_label
    )
    end: Label = option(
        "The column of where they end: the first place that is not marked.",
        "column label",
        check=check_label,
    )
    label: Label | None = option(
        "The column of what is said of them. Default: they have one label.",
        "column label",
        default=None,
        check=check_label,
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
        not known.
    DuplicateRatingError
        If spans of one rater and label overlap; they may touch.
    KappaError
        If an option is not known, or the ratings cannot be read. See `pdkappa.errors`.

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
    named = {name: getattr(asked, name) for name in ("item", "rater", "start", "end")}
    named |= {"label": asked.label} if asked.label is not None else {}
    of_column = pd.api.types.is_hashable(asked.length) and not is_number(asked.length)
    named |= {"length": asked.length} if of_column and asked.length is not None else {}
    frame, _ = read_columns(data, "from_spans", named)
    saw = frame[[asked.item, asked.rater]]
    if asked.seen is not None:
        others, _ = read_columns(asked.seen, "seen", {"item": asked.item, "rater": asked.rater})
        saw = pd.concat([saw, others[[asked.item, asked.rater]]], ignore_index=True)
    if isinstance(asked.length, pd.Series):
        unmarked = asked.length.index.difference(pd.Index(saw[asked.item].dropna().unique()))
        every = pd.DataFrame({asked.item: unmarked})
        text, texts = number(pd.concat([saw, every], ignore_index=True), [asked.item], "item")
        text = text[: len(saw)]
    else:
        text, texts = number(saw, [asked.item], "item")
    rater, raters = number(saw, [asked.rater], "rater")
    seen = np.full((len(texts), len(raters)), asked.seen is None)
    seen[text, rater] = True
    start, end = (
        numbers_of(frame[name], f"Column {name!r}", RatingTypeError)
        for name in (asked.start, asked.end)
    )
    lengths = _lengths(frame, asked, text[: len(frame)], texts)
    rows = np.flatnonzero(~np.isnan(start))
    text, rater, start, end = text[rows], rater[rows], start[rows], end[rows]
    label: IntArray = np.zeros(len(rows), dtype=np.int64)
    labels = pd.Index(["span"])
    if asked.label is not None:
        label, labels = number(frame.iloc[rows], [asked.label], "label")
    wrong = (start < 0) | ~(end > start) | (end > lengths[text])
    _check_places(frame.iloc[rows], asked, wrong)
    order = np.lexsort((start, rater, text, label))
    ids = np.stack([label, text, rater])[:, order]
    again = (np.diff(ids) == 0).all(axis=0) & (start[order][1:] < end[order][:-1])
    _check_overlaps(frame.iloc[rows[order]], asked, again)
    marks = Marks(label, text, rater, start, end, seen, lengths).take(order)
    return Spans(marks, texts, raters.tolist(), labels, asked.seen is None)


def _lengths(frame: pd.DataFrame, asked: OfSpans, text: Any, texts: pd.Index) -> FloatArray:
    """Find the length of each text, (N,); NaN where none are given."""
    if asked.length is None:
        return np.full(len(texts), np.nan)
    if is_number(asked.length):
        return np.full(len(texts), float(asked.length))
    if isinstance(asked.length, pd.Series):
        found = asked.length.reindex(texts)
    else:
        found = frame.groupby(text)[asked.length].first().reindex(range(len(texts)))
    lengths = numbers_of(found, "length", RatingTypeError)
    if np.isnan(lengths).any():
        message = f"length= does not say how long {listing(texts[np.isnan(lengths)])} is. Add it."
        raise RatingsError(message)
    return lengths


def _check_places(frame: pd.DataFrame, asked: OfSpans, wrong: Any) -> None:
    """Refuse spans that end before they begin, or lie outside of their text."""
    if wrong.any():
        names = [asked.item, asked.start, asked.end]
        message = (
            f"{wrong.sum()} span(s) do not lie in their text, from 0 to its length, or end before "
            f"they begin: {listing(frame.loc[wrong, names].itertuples(index=False, name=None))} "
            f"(item, start, end), at index {listing(frame.index[wrong])}. Ends are exclusive."
        )
        raise RatingsError(message)


def _check_overlaps(frame: pd.DataFrame, asked: OfSpans, again: Any) -> None:
    """Refuse spans of one rater and label that overlap; `again` is about rows but the first."""
    if again.any():
        first = int(again.argmax())
        names = [asked.item, asked.rater, asked.start, asked.end]
        message = (
            f"{again.sum()} span(s) overlap another one of the same rater and label, such as "
            f"{listing(frame[names].iloc[first + 1].tolist())} (item, rater, start, end), at index "
            f"{listing(frame.index[first : first + 2])}. Merge them, or give them other labels."
        )
        raise DuplicateRatingError(message)


def _check_match(option: str, value: object) -> None:
    """Refuse what is no way to match spans."""
    if value != "exact" and not (is_number(value) and 0 < value <= 1):
        message = f"{option}={shown(value)} must be 'exact', or a number above 0 and up to 1."
        raise OptionError(message)


class OfPairs(has.Level):
    """Options of the pairs of raters."""

    figure = "F1 of spans"
    match: Any = option(
        "Spans match if both ends are equal, or if what they share is at least this part of what "
        "they cover together. Labels are equal in any case.",
        '"exact" or float in (0, 1]',
        default="exact",
        kw_only=False,
        check=_check_match,
    )


class OfAlpha(has.Level):
    """Options of alpha for units."""

    figure = "Krippendorff's alpha for units"


@dataclass(frozen=True, repr=False, eq=False)
class Spans:
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

    See Also
    --------
    pdkappa.from_spans : Make one of a frame.
    """

    marks: Marks
    items: pd.Index
    rater_labels: list[Label]
    labels: pd.Index
    all_seen: bool

    def __repr__(self) -> str:
        """Say how many there are of what."""
        seen = "everybody saw every text" if self.all_seen else "not everybody saw every text"
        return (
            f"{len(self.marks.text)} spans of {len(self.labels)} label(s) in {len(self.items)} "
            f"texts by {listing(self.rater_labels)}; {seen}"
        )

    @asks(OfPairs)
    def pairs(self, asked: OfPairs) -> pd.DataFrame:
        """Compare the spans of each pair of raters: span F1.

        Returns
        -------
        DataFrame
            One row for each pair: ``rater_a, rater_b, n_items, n_spans_a, n_spans_b, n_matched``,
            ``estimate``, the F1 in [0, 1] of the texts that both saw, ``se, ci_low, ci_high`` over
            texts, and ``reason`` for NaN: ``no_items`` (neither marked anything), ``n_lt_2`` (one
            text).

        Raises
        ------
        OptionError
            If `match` is neither "exact" nor a number in (0, 1].

        Notes
        -----
        F1 is 2 m / (a + b) for m matches of a and b spans. Its squared error is
        ``n / (n - 1) sum((2 m_i - F1 n_i)**2) / sum(n_i)**2`` over n texts, and the limits are
        Wilson's, for as many spans as have this error. Matches are one to one, as many as can be.
        """
        least = 1.0 if asked.match == "exact" else float(asked.match)
        rows = []
        for rater, other in combinations(range(len(self.rater_labels)), 2):
            a, b = self.marks.of(rater, other), self.marks.of(other, rater)
            n_texts = int(self.marks.seen[:, [rater, other]].all(axis=1).sum())
            hits = 2 * matched(a, b, least).astype(np.float64)
            n = np.bincount(np.append(a.text, b.text), minlength=len(hits)).astype(float)
            known = {"n_items": n_texts, "n_spans_a": len(a.text), "n_spans_b": len(b.text)}
            known["n_matched"] = int(hits.sum() / 2)
            rows.append(known | _share(hits, n, n_texts, asked.level))
        sides = [*zip(*combinations(self.rater_labels, 2), strict=True)] or [(), ()]
        frame = pd.DataFrame(rows)
        for place, name in enumerate(("rater_a", "rater_b")):
            frame.insert(place, name, index_of(sides[place]))
        warn_if_undefined("F1", frame["estimate"].isna(), frame["reason"])
        return result(frame, self.rater_labels)

    @asks(OfAlpha)
    def categories(self, asked: OfAlpha) -> pd.DataFrame:
        """Estimate Krippendorff's alpha for units of each label.

        Returns
        -------
        DataFrame
            One row for each label: ``n_items, n_spans, observed_disagreement,
            expected_disagreement, estimate, se, ci_low, ci_high, reason``. The estimate is at
            most 1; 0 is chance.

        Raises
        ------
        OptionError
            If there are no lengths, or they or the spans are not whole numbers.
        """
        places = range(len(self.labels))
        rows = [self._alpha([place], asked.level) for place in places]
        frame = pd.DataFrame(rows, index=self.labels.rename("label"))
        return self._alphas(frame)

    @asks(OfAlpha)
    def agreement(self, asked: OfAlpha) -> pd.DataFrame:
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
        One less the ratio of the means over labels of observed and expected disagreement [1]_. The
        standard error is that of the jackknife over texts, in up to 200 groups.

        References
        ----------
        .. [1] Krippendorff, K. (2004). Content analysis (2nd ed., pp. 251-256). Sage.
        """
        frame = pd.DataFrame([self._alpha([*range(len(self.labels))] or [0], asked.level)])
        return self._alphas(frame)

    def units(self, label: Label | None = None) -> pd.DataFrame:
        """Cut each text at all boundaries, for kappa per character or second.

        Parameters
        ----------
        label : optional
            Ask for this label alone. Default: all of them.

        Returns
        -------
        DataFrame
            One row for each piece: ``item, start, end, length`` and a column for each rater: 1 or
            0 for one label, else the label, "" for none and several joined by "|". Missing where a
            rater did not see the text. Agreement per character is
            ``units.kappa.agreement(spans.rater_labels, sample_weight="length", cluster="item")``.

        Raises
        ------
        OptionError
            If there are no lengths, or there is no such label.
        RatingsError
            If a rater is called as another column.
        """
        taken = [name for name in self.rater_labels if name in PIECE]
        if taken:
            message = f"Rater {listing(taken)} is called as a column of the pieces. Rename them."
            raise RatingsError(message)
        self._check_lengths()
        marks = self.marks
        if label is not None:
            if label not in self.labels:
                message = f"label={shown(label)} is none of {listing(self.labels)}."
                raise OptionError(message)
            marks = marks.take(marks.label == self.labels.get_loc(label))
        text, start, end = pieces(marks)
        at, rater, of_label = covered(marks, text, start)
        binary = label is not None or len(self.labels) == 1
        cells = np.full((len(text), len(self.rater_labels)), 0 if binary else "", dtype=object)
        if binary:
            cells[at, rater] = 1
        else:
            names = np.array([str(one) for one in self.labels], dtype=object)[of_label]
            for one, who, what in zip(at, rater, names, strict=True):
                cells[one, who] = f"{cells[one, who]}|{what}" if cells[one, who] else what
        cells[~marks.seen[text]] = None
        frame = pd.DataFrame(cells, columns=index_of(self.rater_labels)).infer_objects()
        for place, column in enumerate((self.items.take(text), start, end, end - start)):
            frame.insert(place, PIECE[place], column)
        return frame

    def _check_lengths(self, *, whole: bool = False) -> None:
        """Refuse texts of unknown length, and fractions where places are counted."""
        if np.isnan(self.marks.lengths).any():
            message = "This needs the length of each text. Pass from_spans(..., length=...)."
            raise OptionError(message)
        numbers = np.concatenate([self.marks.lengths, self.marks.start, self.marks.end])
        if whole and (numbers % 1 != 0).any():
            message = (
                f"Alpha for units counts places, and {numbers[numbers % 1 != 0][0]} is no whole "
                "number. Use a smaller unit, such as milliseconds, and round."
            )
            raise OptionError(message)

    def _alpha(self, labels: list[int], level: float) -> dict[str, Any]:
        """Estimate alpha of some labels, with its jackknife over texts."""
        self._check_lengths(whole=True)
        folds = np.arange(len(self.items)) % MOST_FOLDS
        parts = [alpha_u(self.marks.take(self.marks.label == one), folds) for one in labels]
        observed, expected = np.mean(parts, axis=0)
        with np.errstate(divide="ignore", invalid="ignore"):
            alpha = np.where(expected > 0, 1 - observed / expected, np.nan)
        n = len(alpha) - 1
        parts_of = alpha[1:]
        se = np.sqrt((n - 1) / n * ((parts_of - parts_of.mean()) ** 2).sum()) if n > 1 else np.nan
        half = half_width(level, n - 1) * se if n > 1 else np.nan
        reason = "n_lt_2" if n == 1 else ""
        return {
            "n_items": len(self.items),
            "n_spans": int(np.isin(self.marks.label, labels).sum()),
            "observed_disagreement": observed[0],
            "expected_disagreement": expected[0],
            "estimate": alpha[0],
            "se": se,
            "ci_low": alpha[0] - half,
            "ci_high": min(alpha[0] + half, 1.0),
            "reason": "no_items" if np.isnan(alpha[0]) else reason,
        }

    def _alphas(self, frame: pd.DataFrame) -> pd.DataFrame:
        """Return a result, with one warning if something is undefined."""
        warn_if_undefined("alpha", frame["estimate"].isna(), frame["reason"])
        return result(frame, self.rater_labels)


def _share(hits: FloatArray, n: FloatArray, n_texts: int, level: float) -> dict[str, Any]:
    """Estimate a ratio of sums over texts, with Wilson's limits."""
    total = n.sum()
    if not total:
        return dict.fromkeys(("estimate", "se", "ci_low", "ci_high"), np.nan) | {
            "reason": "no_items"
        }
    share = hits.sum() / total
    if n_texts == 1:
        return (
            {"estimate": share}
            | dict.fromkeys(("se", "ci_low", "ci_high"), np.nan)
            | {"reason": "n_lt_2"}
        )
    se = np.sqrt(n_texts / (n_texts - 1) * ((hits - share * n) ** 2).sum()) / total
    worth = share * (1 - share) / se**2 if se > 0 else n_texts
    low, high = wilson(share, worth, half_width(level, n_texts - 1))
    return {"estimate": share, "se": se, "ci_low": float(low), "ci_high": float(high), "reason": ""}


for _method in (Spans.pairs, Spans.categories, Spans.agreement):
    _method.__doc__ = vars(_method)["call"].docstring(data="")
