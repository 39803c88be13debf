"""Ratings that are scores -> their rows, and the numbers that the codes stand for."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from pdkappa.coefficients.chance import COEFFICIENTS
from pdkappa.coefficients.pair_counts import count_pairs
from pdkappa.coefficients.pair_estimates import EVERY_FIGURE, summarise, with_clusters
from pdkappa.coefficients.pair_kappas import in_units
from pdkappa.coefficients.rating_rows import distinct_scores
from pdkappa.coefficients.weights import WEIGHTS, Scale
from pdkappa.errors import (
    CategoryError,
    OptionError,
    RatingsError,
    RatingTypeError,
    listing,
    listing_at,
    shown,
)
from pdkappa.methods.estimates.study import warn_of_few_clusters, warn_of_pooled
from pdkappa.ratings.categories import declared_set
from pdkappa.ratings.coded import Codes, Counted, encode
from pdkappa.ratings.columns import EXACT_IN_FLOAT, check_hashable, numbers_of, plain_label
from pdkappa.ratings.counted_pairs import rated_rows, rating_rows

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

    from pdkappa._typing import Categories, FloatArray, IntArray, Label, ObjectArray, Raters
    from pdkappa.coefficients.rating_rows import RatingRows
    from pdkappa.ratings.coded import Coded
    from pdkappa.ratings.options import Reading

NEEDED = EVERY_FIGURE - {"max_estimate"}
OF_PAIRS = ("estimate", "se", "ci_low", "ci_high")
MOST_ROWS = 1 << 16  # of pairs that are asked at once
MOST_CATEGORIES = 100  # distinct scores that are taken for categories, too
LARGEST = 1e75  # whose fourth power is finite


@dataclass(frozen=True)
class NumericRows:
    """Ratings that are numbers, or words that stand for some."""

    coded: Coded
    empty: ObjectArray  # (G,), why a group has no ratings; else empty text
    pooled: Label | None = None  # column by which the scale differs, where it is not used

    @cached_property
    def rows(self) -> RatingRows:
        """The codes of the ratings, a row for each item."""
        return rating_rows(self.coded)

    @property
    def scores(self) -> FloatArray:
        """What each code stands for, ascending, shape (K,)."""
        scores = self.coded.categories.scores
        return np.empty(0) if scores is None else scores

    def distinct(self, *, drawn: bool = True) -> tuple[RatingRows, FloatArray]:
        """Merge equal rows and sort them: who rated, and the scores, (R, U), NaN where missing.

        Complete fractions that count the same are mostly distinct, and stay as they are if no
        rows are `drawn`: sums need no order.
        """
        values = self.coded.held.reals
        if values is None:
            rows = self.rows.compressed
            return rows, np.append(self.scores, np.nan)[rows.codes]
        rows = rated_rows(self.coded)
        if not drawn and self.coded.weights is None and (rows.codes == 0).all():
            return rows, values
        first, place = distinct_scores(rows.outer, values)
        return rows.of_first(first, place), values.take(first, axis=1)

    @property
    def of_words(self) -> bool:
        """Whether the ratings are words, or other ordered categories, and not numbers."""
        return len(self.scores) > 0 and not self.coded.categories.numeric

    def without(self, excluded: FloatArray, *, listwise: bool) -> NumericRows:
        """Take some scores for missing ones; listwise so are all others of the item."""
        codes, categories = self.coded.codes, self.coded.categories
        bad = np.append(np.isin(self.scores, excluded), False)  # for -1, even without any score
        lost = np.logical_or.reduce(bad[codes], axis=0) if listwise else bad[codes]
        held = Codes(np.where(lost, -1, codes), categories)
        return replace(self, coded=replace(self.coded, held=held))

    def used_by(self, rater: int) -> FloatArray:
        """Return the scores that a rater gave, each once."""
        codes = self.rows.codes[rater]
        return self.scores[np.unique(codes[codes >= 0])]


def as_in_pairs(
    rows: RatingRows, scores: FloatArray, kind: str, *, ci: str, level: float
) -> dict[str, FloatArray]:
    """Take the figures of `pairs` where the scores are few enough for categories.

    Parameters
    ----------
    rows : RatingRows
        Ratings of two raters, none of them missing.
    scores : ndarray of float, shape (K,)
        What each code stands for, ascending.
    kind : {"linear", "quadratic"}
        The weights.
    ci : {"auto", "fisher", "wald"}
    level : float
        Confidence level.

    Returns
    -------
    dict of ndarray of float, shape (G,)
        ``estimate, se, ci_low, ci_high``, of groups with a hundred distinct scores at most; of
        others without meaning, and ``is_few`` is false.

    Notes
    -----
    One question has one answer, whatever other raters and groups there are. Each group has a scale
    of its own, since the scores of all groups together may be many more.
    """
    n_groups = rows.n_groups
    held = np.unique(rows.group.astype(np.int64) * len(scores) + rows.codes)
    group, score = np.divmod(held, max(len(scores), 1))
    number = np.bincount(group, minlength=n_groups)
    is_few = number <= MOST_CATEGORIES
    held, group, score = (one[is_few[group]] for one in (held, group, score))
    rank = np.arange(len(held)) - np.searchsorted(group, group)
    k = int(rank.max(initial=-1)) + 1
    in_use = np.arange(k) < np.where(is_few, number, 0)[:, None]
    positions = np.zeros((n_groups, k))
    positions[group, rank] = in_units(rows, scores)[1][score]
    positions = np.maximum.accumulate(np.where(in_use, positions, -np.inf), axis=1)
    rows = rows.select(is_few[rows.group])
    place = np.searchsorted(held, rows.group.astype(np.int64) * len(scores) + rows.codes)
    rows = rows.with_rows(codes=np.append(rank, 0)[place], n_categories=k).compressed
    scale, model, pair = Scale(WEIGHTS[kind], positions, in_use), COEFFICIENTS["cohen"], [(0, 1)]
    weights = rows.count / rows.unit
    counts = count_pairs(
        rows.codes, k, pairs=pair, groups=rows.group, n_groups=n_groups, weights=weights
    )
    counts = replace(counts, unit=rows.unit)
    found = summarise(counts, scale, model, needed=NEEDED, ci=ci, level=level)
    if rows.cluster is not None:
        found = with_clusters(found, rows, counts, scale, model, pairs=pair, ci=ci, level=level)
    return {name: getattr(found, name) for name in OF_PAIRS} | {"is_few": is_few}


def of_many_pairs(
    parts: Iterable[RatingRows], scores: FloatArray, kind: str, *, ci: str, level: float
) -> Iterator[tuple[RatingRows, dict[str, FloatArray]]]:
    """Yield the rows of each pair and `as_in_pairs`; several pairs are asked at once, as groups."""
    for some in _in_batches(parts):
        found = as_in_pairs(_as_groups(some), scores, kind, ci=ci, level=level)
        split = {name: values.reshape(len(some), -1) for name, values in found.items()}
        for place, rows in enumerate(some):
            yield rows, {name: values[place] for name, values in split.items()}


def _in_batches(parts: Iterable[RatingRows]) -> Iterator[list[RatingRows]]:
    """Take so many at a time that their rows, and groups, need little memory."""
    some, size = [], 0
    for rows in parts:
        some.append(rows)
        size += len(rows.count) + rows.n_groups
        if size > MOST_ROWS:
            yield some
            some, size = [], 0
    if some:
        yield some


def _as_groups(parts: list[RatingRows]) -> RatingRows:
    """Put rows of several pairs one below the other, pair by pair, as groups of their own."""
    first = parts[0]

    def together(name: str, step: int = 0) -> Any:
        if getattr(first, name) is None:
            return None
        values = [getattr(one, name) + step * place for place, one in enumerate(parts)]
        return np.concatenate(values, axis=-1)

    clusters = [0 if one.cluster is None else one.cluster.max(initial=0) + 1 for one in parts]
    return first.with_rows(
        codes=together("codes"),
        count=together("count"),
        group=together("group", first.n_groups),
        n_groups=len(parts) * first.n_groups,
        cluster=together("cluster", int(max(clusters))),
        spread=together("spread"),
    )


def where_few(
    own: dict[str, Any], of_pairs: dict[str, FloatArray], names: Mapping[str, str]
) -> dict[str, Any]:
    """Replace figures by those of `as_in_pairs`, by the names of theirs, where it has some."""
    few = of_pairs["is_few"]
    return own | {
        ours: np.where(few, of_pairs[theirs], own[ours]) for ours, theirs in names.items()
    }


def read_scores(
    data: pd.DataFrame | Counted,
    raters: Raters | None,
    reading: Reading,
    *,
    needs_order: str | None = None,
) -> NumericRows:
    """Check that ratings are numbers, and put them into rows.

    Nothing looks like a mistake here: numbers of any kind are what is asked for. `needs_order`
    names what takes ordered categories, too, for the message.
    """
    coded = encode(data, raters, reading, needs_order=needs_order, lookalikes=False)
    pooled = None
    if reading.by is None and isinstance(data, pd.DataFrame):
        pooled = warn_of_pooled(data, coded)
    if reading.cluster is not None:
        warn_of_few_clusters(coded)
    _check_scores(coded, has_counts=isinstance(data, Counted), words=needs_order is not None)
    return NumericRows(coded, coded.groups.why_empty(), pooled)


def _check_scores(coded: Coded, *, has_counts: bool, words: bool) -> None:
    """Make sure that categories are numbers, or stand for some, of which squares are finite."""
    reals = coded.held.reals
    if reals is not None:
        low, high = (of.reduce(reals, axis=None, initial=np.nan) for of in (np.fmin, np.fmax))
        if not (low <= -LARGEST or high >= LARGEST):
            return
    labels, scores = coded.categories.labels, coded.categories.scores
    if not labels:
        return
    if scores is None or not (words or coded.categories.numeric):
        number = isinstance(labels[0], float | int)
        kind = "an ordered category" if number else type(labels[0]).__name__
        raise RatingTypeError(
            f"Scores must be numbers, got {shown(labels[0])} ({kind}). Convert the columns, as "
            "with pd.to_numeric or astype(float)."
        )

    def told(places: IntArray) -> str:
        return listing_at(labels, places, None if has_counts else coded.where)

    check_sizes(scores, told)
    if coded.categories.numeric and np.abs(scores).max() >= EXACT_IN_FLOAT:
        _check_exact(labels, told)


def _check_exact(labels: Any, told: Callable[[IntArray], str]) -> None:
    """Refuse whole numbers that no float is equal to, of which differences are not known."""
    inexact = [isinstance(label, int) and float(label) != label for label in labels]
    places = np.flatnonzero(inexact)
    if len(places):
        raise RatingsError(
            f"Whole scores beyond 2**53 lose their last digits, such as {told(places)}. Subtract a "
            "constant from all scores first."
        )


def check_sizes(scores: FloatArray, told: Callable[[IntArray], str]) -> None:
    """Refuse scores whose squares are not finite; they are `told` with where they stand."""
    places = np.flatnonzero(~(np.abs(scores) < LARGEST))
    if len(places):
        raise RatingsError(
            f"Scores must lie between -{LARGEST:g} and {LARGEST:g}, got {told(places)}. "
            "Set them to missing, or divide all by a constant."
        )


def read_excluded(exclude: object, every: NumericRows) -> FloatArray:
    """Return the scores that are none, shape (E,)."""
    if exclude is None:
        return np.empty(0)
    if every.of_words:
        labels, words = every.coded.categories.labels, _words_of(exclude)
        unknown = [word for word in words if word not in labels]
        if unknown:
            raise OptionError(
                f"exclude holds {listing(unknown)}, but the categories are {listing(labels)}. Name "
                "one of them, or a list of some."
            )
        return every.scores[[labels.index(word) for word in words]]
    if isinstance(exclude, bool | str):
        raise OptionError(
            f"exclude={shown(exclude)} must be a score or a list of scores, such as exclude=0, or "
            "None."
        )
    if isinstance(exclude, set | frozenset):
        exclude = list(exclude)
    return np.atleast_1d(numbers_of(exclude, "exclude", OptionError)).reshape(-1)


def _words_of(exclude: object) -> list[Any]:
    """List the words that are no scores."""
    words = (
        list(exclude)
        if isinstance(exclude, Iterable) and not isinstance(exclude, str)
        else [exclude]
    )
    check_hashable(words, "exclude")
    return [plain_label(word) for word in words]


def read_scale(categories: Categories | None) -> FloatArray | None:
    """Return the scores of a declared scale of numbers, ascending; None of any other."""
    declared = None if categories is None else declared_set(categories)
    if declared is None or declared.scores is None or not declared.numeric:
        return None
    return np.sort(declared.scores)


def with_excluded(categories: Categories, exclude: object) -> dict[Any, float]:
    """Return a declared scale of words with their scores, and what is excluded above it."""
    declared = declared_set(categories)
    scores = {} if declared.scores is None else declared.scores.tolist()
    scale = dict(zip(declared.labels, scores, strict=True))
    for word in _words_of(exclude):
        if isinstance(word, type(declared.labels[0])):  # others are refused once all is read
            scale.setdefault(word, max(scale.values()) + 1)
    return scale


def check_on_scale(scored: NumericRows, humans: list[int], scale: FloatArray) -> None:
    """Make sure that human scores are on the declared scale."""
    for rater in humans:
        used = scored.used_by(rater)
        beside = used[~np.isin(used, scale)]
        if len(beside):
            raise CategoryError(
                f"Column {shown(scored.coded.raters[rater])} holds scores that are not in "
                f"categories: {listing(beside.tolist())}. Add them to categories, or exclude them."
            )


def are_whole(scores: FloatArray) -> bool:
    """Whether all scores are whole numbers."""
    return bool(np.all(scores == np.floor(scores)))


def check_can_be_rounded(scored: NumericRows, human: int, machine: int) -> None:
    """Refuse to round to whole numbers where human scores are none."""
    used, others = scored.used_by(human), scored.used_by(machine)
    fractions, between = used[used != np.floor(used)], others[~np.isin(others, used)]
    if len(fractions) and len(between):
        names = [scored.coded.raters[rater] for rater in (human, machine)]
        raise RatingsError(
            f"Column {shown(names[0])} holds {listing(fractions.tolist())}, so the scores of "
            f"{shown(names[1])}, such as {between[0]:g}, cannot be rounded to whole numbers. Pass "
            "categories=[...], the scores of the scale, or rounded=False."
        )
