"""What a user passes as scores, labels or probabilities of classes -> arrays, checked."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from itertools import chain, pairwise
from operator import itemgetter
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import pandas as pd

from pdkappa.coefficients.pair_counts import listed_ranges, sums_at
from pdkappa.coefficients.weights import in_parts
from pdkappa.errors import OptionError, RatingsError, RatingTypeError, listing, shown
from pdkappa.ratings.categories import CategorySet, check_known, recode, unite
from pdkappa.ratings.columns import EXACT_IN_FLOAT, Column, code_column, numbers_of, plain_label
from pdkappa.ratings.items import (
    align,
    check_columns,
    check_distinct,
    check_weights,
    column_of,
    is_column,
    sequence,
    where_in,
)
from pdkappa.ratings.suspicious_labels import warn_of_looks

if TYPE_CHECKING:
    from pdkappa._typing import BoolArray, Categories, CountArray, FloatArray, IntArray, Label
    from pdkappa.coefficients.pair_counts import PairCounts

EPSILON = float(np.finfo(np.float64).eps)


@dataclass(frozen=True)
class LabelSets:
    """S sets of labels: what an item can have, be it one label or several."""

    start: IntArray  # where each set starts in `label`, and where the last one ends, (S + 1,)
    # The labels of all sets, one set after the other, ascending and distinct in each, (M,).
    label: IntArray

    @classmethod
    def of_one(cls, n_labels: int) -> LabelSets:
        """Return the sets of one label each, numbered as the labels."""
        return cls(np.arange(n_labels + 1), np.arange(n_labels))

    def __len__(self) -> int:
        """Count the sets."""
        return len(self.start) - 1

    def size(self, sets: IntArray) -> IntArray:
        """Count the labels in some sets; -1 is no set and has none."""
        sizes: IntArray = np.append(np.diff(self.start), 0)
        return sizes[sets]

    def members(self, sets: IntArray) -> tuple[IntArray, IntArray]:
        """List the labels in some sets: the place among `sets` of each, and the label."""
        owner, place = listed_ranges(self.start[sets], self.size(sets))
        return owner, self.label[place]


def label_scores(counts: PairCounts, sets: LabelSets) -> dict[str, FloatArray]:
    """Score predicted labels from how often each met which true ones.

    Parameters
    ----------
    counts : PairCounts
        T tables of truth (rows) by prediction (columns), over S sets of labels.
    sets : LabelSets
        The S sets.

    Returns
    -------
    dict of ndarray, shape (T,)
        All in [0, 1], NaN where there is no item; an F1 also where there is no label.

        - ``accuracy``: the share of items whose predicted set of labels is the true one;
        - ``mean_f1``: the mean over the items of the F1 of each item's labels;
        - ``macro_f1``: the mean over the labels of the F1 of each label;
        - ``micro_f1``: the F1 of all pairs of an item and a label.

    Notes
    -----
    With t true labels, p predicted ones, and h that are both, ``F1 = 2 h / (t + p)``. It is
    0/0 for an item without any label, and for a label that is neither true nor predicted of
    any item; these are left out of the means.
    """
    true, predicted = sets.members(counts.row), sets.members(counts.col)
    n_labels = int(sets.label.max(initial=-1)) + 1
    keys, others = (cell * n_labels + label for cell, label in (true, predicted))
    is_hit = _are_among(keys, others)
    hits = 2 * np.bincount(true[0][is_hit], minlength=len(counts.row))
    labels = sets.size(counts.row) + sets.size(counts.col)
    labelled = np.where(labels > 0, counts.count, 0)
    f1 = np.nan_to_num(_ratio(hits, labels))
    return {
        "accuracy": _ratio(counts.sum(counts.count * (counts.row == counts.col)), counts.total),
        "mean_f1": _ratio(counts.sum(labelled * f1), counts.sum(labelled)),
        "macro_f1": _macro_f1(counts, true, predicted, is_hit),
        "micro_f1": _ratio(counts.sum(counts.count * hits), counts.sum(counts.count * labels)),
    }


def _macro_f1(
    counts: PairCounts,
    true: tuple[IntArray, IntArray],
    predicted: tuple[IntArray, IntArray],
    is_hit: BoolArray,
) -> FloatArray:
    """Average the F1 of the labels that occur in each table, shape (T,)."""
    cell, label = (np.concatenate(both) for both in zip(true, predicted, strict=True))
    hits = np.concatenate([2 * is_hit, np.zeros(len(predicted[0]), dtype=np.int64)])
    n_labels = int(label.max(initial=-1)) + 1
    key = counts.table[cell].astype(np.int64) * n_labels + label
    occurring, place = np.unique(key, return_inverse=True)
    count = counts.count[cell]
    n = len(occurring)
    f1 = _ratio(sums_at(place, count * hits, n), sums_at(place, count, n))
    return weighted_mean(f1, occurring // max(n_labels, 1), counts.n_tables, np.ones(n))


def log_loss(probability: FloatArray) -> FloatArray:
    """Compute the loss of each item from the probability of its true class, shape (N,).

    It is ``-ln(p)`` with p clipped to ``[eps, 1 - eps]``, where eps is the distance of 1 from
    the next float, 2.2e-16: at most 36.04.
    """
    return -np.log(np.clip(probability, EPSILON, 1 - EPSILON))


class Ranking(NamedTuple):
    """Labels ranked for each item, sorted by item and from best to worst."""

    # The item, and its place in the ranking, counted from 1, (M,).
    item: IntArray
    place: IntArray
    label: IntArray  # the label there; -1 for one that no item has, (M,)


def average_precision(
    sets: LabelSets, truth: IntArray, ranking: Ranking, k: int, n_labels: int
) -> FloatArray:
    """Score the first k ranked labels of each item, shape (N,), in [0, 1].

    Parameters
    ----------
    sets : LabelSets
        The S sets of labels.
    truth : ndarray of int, shape (N,)
        The set of true labels of each item; -1 where it is missing.
    ranking : Ranking
        The labels ranked for each item. One that is ranked twice counts where it comes first.
    k : int
        How many ranked labels count.
    n_labels : int
        Number of labels.

    Returns
    -------
    ndarray of float
        NaN for an item without true labels.

    Notes
    -----
    The precision at each place that holds a true label, summed and divided by the number of
    true labels, or by k if that is less.
    """
    item, place, label = ranking
    known = (place <= k) & (label >= 0)
    item, place, key = item[known], place[known], (item * n_labels + label)[known]
    owner, true = sets.members(truth)
    hit = np.flatnonzero(_are_among(key, owner * n_labels + true))
    hit = hit[np.sort(np.unique(key[hit], return_index=True)[1])]
    item, place = item[hit], place[hit]
    n_hits = np.bincount(item, minlength=len(truth))
    before = np.cumsum(n_hits) - n_hits
    precision = (np.arange(1, len(item) + 1) - before[item]) / place
    return _ratio(sums_at(item, precision, len(truth)), np.minimum(sets.size(truth), k))


def weighted_mean(
    values: FloatArray, group: IntArray, n_groups: int, weights: FloatArray
) -> FloatArray:
    """Average the values of each group that are not NaN, shape (G,); NaN where there is none."""
    defined = ~np.isnan(values)
    values, group, weights = values[defined], group[defined], weights[defined]
    return _ratio(sums_at(group, values * weights, n_groups), sums_at(group, weights, n_groups))


def _are_among(keys: IntArray, known: IntArray) -> BoolArray:
    """Whether each key is among known ones, which are ascending."""
    place = np.searchsorted(known, keys)
    return np.append(known, -1)[place] == keys


def _ratio(part: CountArray, whole: FloatArray | IntArray) -> FloatArray:
    """Divide; NaN where the whole is zero."""
    return np.divide(part, whole, out=np.full(np.shape(part), np.nan), where=whole > 0)


SETS = (set, frozenset)
LISTS = (list, np.ndarray)


@dataclass(frozen=True)
class Labelled:
    """True or predicted labels of N items."""

    column: Column  # all labels, those of one item after the other
    item: IntArray  # the item of each label
    # Items about which nothing is known, which is not the same as to have no label, (N,).
    missing: BoolArray
    single: bool = False  # whether the column holds one label for each item


@dataclass(frozen=True)
class Answers:
    """True and predicted labels of N items, coded by one set of L labels."""

    # The set of labels of each item, -1 where it is missing. `prediction` is None where no labels
    # are predicted, (N,).
    truth: IntArray
    prediction: IntArray | None
    sets: LabelSets  # the S sets of labels
    labels: CategorySet  # the L labels
    columns: list[Column]  # where the labels come from
    single: bool  # whether every item has one label, so that sets are labels


def read_answers(
    data: pd.DataFrame, truth: Any, prediction: Any, categories: Categories | None
) -> Answers:
    """Read true and predicted labels: a column, a column of lists, or columns of 0 and 1."""
    found = [_read_labels(data, truth, "truth", None)]
    if prediction is not None:
        names = names_of(data, truth)
        found.append(_read_labels(data, prediction, "predictions", names))
    columns = [labelled.column for labelled in found]
    single = all(labelled.single for labelled in found)
    if not single:
        _check_lists(found)
    labels = unite(columns, categories, None)
    orders = [column.declared for column in columns if column.ordered]
    if categories is None and any(order != orders[0] for order in orders):
        labels = replace(labels, scores=None)  # one contradicts the other
    if single and categories is None and len(columns) > 1:
        warn_of_looks(columns)
    codes = [recode([column], labels)[0] for column in columns]
    sets = LabelSets.of_one(len(labels))
    if not single:
        sets, codes = _as_sets(found, codes, len(labels))
    return Answers(codes[0], codes[1] if len(codes) > 1 else None, sets, labels, columns, single)


def read_ranking(
    data: pd.DataFrame, given: Any, answers: Answers, categories: Categories | None
) -> tuple[Ranking, BoolArray]:
    """Read labels ranked from best to worst: a column of lists, or a column for each place.

    Whether an item has a ranking is told beside, shape (N,).
    """
    names = names_of(data, given)
    if names is None:
        lists = _of_lists(column_of(data, given, "ranked"), given, (*LISTS, tuple))
        columns, item, missing = [lists.column], lists.item, lists.missing
        place = np.arange(1, len(item) + 1) - np.searchsorted(item, item)
    else:
        check_names(data, names, "ranked")
        columns = [code_column(data[name], name) for name in names]
        missing = np.logical_and.reduce([column.codes < 0 for column in columns])
        item = np.arange(len(data)).repeat(len(columns))
        place = np.tile(np.arange(1, len(columns) + 1), len(data))
    together = unite([answers.columns[0], *columns], categories, None)
    places = {label: number for number, label in enumerate(answers.labels.labels)}
    known = np.array([places.get(label, -1) for label in together.labels] + [-1])
    label = known[recode(columns, together).T.reshape(-1)]
    return Ranking(item, place, label), ~missing


def read_sequences(
    first: Any, second: Any, sample_weight: Any, kinds: dict[str, str]
) -> tuple[pd.Series, pd.Series, FloatArray | None]:
    """Read two sequences with weights, each Series aligned on the index of the first one.

    `kinds` says of each option what it holds, for the messages.
    """
    one, other = (
        sequence(given, option, kind).rename(option)
        for given, (option, kind) in zip((first, second), kinds.items(), strict=True)
    )
    if len(one) != len(other):
        kind, other_kind = (f" {kind}" for kind in kinds.values())
        raise RatingsError(
            f"{one.name} has {len(one)}{kind} and {other.name} {len(other)}"
            f"{other_kind if other_kind != kind else ''}. Pass one of each for every item."
        )
    labelled = [values.index for values in (first, second) if isinstance(values, pd.Series)]
    if len(labelled) == 2:  # noqa: PLR2004
        other = align(other, one.index, str(other.name))
    if labelled and isinstance(sample_weight, pd.Series):
        sample_weight = align(sample_weight, labelled[0], "sample_weight")
    if sample_weight is None:
        return one, other, None
    return one, other, check_weights(sample_weight, "sample_weight", len(one))


def whole_numbers(values: Any, parts: int = 1) -> IntArray | None:
    """Return so many times a list, array or Series as an array, if all are whole numbers then."""
    if isinstance(values, pd.Series) and isinstance(values.dtype, np.dtype):
        values = values.to_numpy()
    if type(values) is np.ndarray and values.dtype == object:
        values = values.tolist()
    if type(values) is list and set(map(type, values)) in ({int}, {float}):
        values = np.array(values)
    if type(values) is not np.ndarray or values.ndim != 1 or not len(values):
        return None
    if values.dtype.kind == "f" and float(abs(values).max()) < EXACT_IN_FLOAT / parts:
        whole = in_parts(values, parts)
        return None if whole is None else whole.astype(np.int64)
    if parts > 1 or values.dtype == bool or not np.can_cast(values.dtype, np.int64):
        return None
    return values.astype(np.int64, copy=False)


BYTE = 256  # places that fit one, of which an array is made twice as fast as of integers


def places_of_texts(values: Any, labels: list[str]) -> IntArray | None:
    """Return a list, array or Series of nothing but some texts as their places among all."""
    if type(values) not in (list, np.ndarray, pd.Series):
        return None
    if not isinstance(values, list) and values.dtype.kind not in "OU":
        return None
    texts = values if isinstance(values, list) else np.asarray(values, dtype=object).tolist()
    known = {label: place for place, label in enumerate(labels)}
    if len(known) < len(labels) or not texts:
        return None
    try:  # of two keys or more a getter makes a tuple, several times as fast as calls
        places = itemgetter(*texts, labels[0])(known)
    except (KeyError, TypeError):  # another label, or none
        return None
    if len(labels) <= BYTE:
        return np.frombuffer(bytes(places), np.uint8)[:-1].astype(np.int64)
    return np.fromiter(places, np.int64, len(texts))


def names_of(data: pd.DataFrame, given: Any) -> list[Label] | None:
    """Return the columns of a list; None for what may be the label of one column."""
    unordered = isinstance(given, str | bytes | Mapping | set | frozenset)
    if unordered or is_column(data, given) or not pd.api.types.is_list_like(given):
        return None
    return list(given)


def check_names(data: pd.DataFrame, names: list[Label], option: str) -> None:
    """Make sure that a list names columns, each once."""
    if not names:
        raise OptionError(f"{option} is an empty list. Name the columns, or pass None.")
    check_columns(data, names, option)
    check_distinct(names, option, "column")


def _read_labels(
    data: pd.DataFrame, given: Any, role: str, true_names: list[Label] | None
) -> Labelled:
    """Read the labels of every item, in whichever of the three forms they are."""
    names = names_of(data, given)
    if names is None:
        series = column_of(data, given, role)
        if _holds_lists(series):
            return _of_lists(series, given, (*LISTS, *SETS))
        column = code_column(series, given)
        return Labelled(column, np.arange(len(series)), column.codes < 0, single=True)
    check_names(data, names, role)
    if true_names is not None and len(names) != len(true_names):
        raise OptionError(
            f"truth names {len(true_names)} columns and predictions {len(names)}. "
            "Name one column for each label, in the same order."
        )
    return _of_indicators(data, names, role, true_names or names)


def _holds_lists(series: pd.Series) -> bool:
    """Whether a column holds several labels for an item."""
    if not isinstance(series.dtype, pd.ArrowDtype) and series.dtype != object:
        return False
    return any(isinstance(cell, (*LISTS, *SETS)) for cell in series)


def _of_lists(series: pd.Series, name: Label, kinds: tuple[type, ...]) -> Labelled:
    """Read a column of lists, each label with its item."""
    cells = series.tolist()
    is_list = np.array([isinstance(cell, kinds) for cell in cells], dtype=bool)
    for place in np.flatnonzero(~is_list).tolist():
        cell = cells[place]
        if not pd.api.types.is_scalar(cell) or not pd.isna(cell):
            raise RatingTypeError(
                f"Column {shown(name)} must hold lists of labels, got {shown(cell)} "
                f"({type(cell).__name__}) at index {shown(series.index[place])}. "
                "Put the labels of each item into a list."
            )
    held = [cell if known else () for cell, known in zip(cells, is_list, strict=True)]
    item = np.arange(len(cells)).repeat([len(cell) for cell in held])
    labels = pd.Series(list(chain.from_iterable(held)), index=series.index[item], dtype=object)
    return Labelled(code_column(labels, name), item, ~is_list)


def _of_indicators(
    data: pd.DataFrame, names: list[Label], role: str, labels: list[Label]
) -> Labelled:
    """Read a column of 0 and 1 for each label, each label with its item."""
    where = f"one of several columns of {role},"
    held = [
        numbers_of(data[name], f"Column {shown(name)}, {where}", RatingsError) for name in names
    ]
    values = np.column_stack(held)
    for name, column in zip(names, held, strict=True):
        wrong = np.flatnonzero(~np.isnan(column) & (column != 0) & (column != 1))
        if len(wrong):
            raise RatingsError(
                f"Column {shown(name)} must hold 0 or 1, as one of several columns of {role}, "
                f"got {shown(column[wrong[0]].item())} at index "
                f"{shown(data.index[wrong[0]])}. Pass a single column for classes."
            )
    missing: BoolArray = np.logical_or.reduce(np.isnan(values), axis=1)
    item, label = np.nonzero((values == 1) & ~missing[:, None])
    index = pd.Index(labels, tupleize_cols=False)
    series = pd.Series(pd.Categorical.from_codes(label, index), index=data.index[item])
    return Labelled(code_column(series, role), item, missing)


def _check_lists(found: list[Labelled]) -> None:
    """Make sure that there are lists of labels everywhere, and no gaps in them."""
    for labelled in found:
        column = labelled.column
        if labelled.single and column.labels:
            raise RatingTypeError(
                f"Column {shown(column.name)} holds one label for each item, such as "
                f"{shown(column.labels[0])}, beside lists of labels. Put it into lists too, or "
                "pass the lists as ranked."
            )
        gaps = np.flatnonzero((column.codes < 0) & ~labelled.missing[labelled.item])
        if len(gaps):
            gaps = gaps[np.unique(labelled.item[gaps], return_index=True)[1]]  # one for each list
            raise RatingTypeError(
                f"Column {shown(column.name)} has missing labels in its lists"
                f"{where_in(column.index, gaps)}. Drop them from the lists, or set a whole list to "
                "missing."
            )


def _as_sets(
    found: list[Labelled], codes: list[IntArray], n_labels: int
) -> tuple[LabelSets, list[IntArray]]:
    """Find the distinct sets of labels, and code the items by them; -1 is missing."""
    held: list[bytes] = []
    for labelled, code in zip(found, codes, strict=True):
        known = code >= 0
        key = np.sort(labelled.item[known] * n_labels + code[known])
        key = key[np.diff(key, prepend=-1) > 0]
        ends = np.searchsorted(key, np.arange(len(labelled.missing) + 1) * n_labels)
        label = key % max(n_labels, 1)
        held += [label[start:end].tobytes() for start, end in pairwise(ends)]
    together = np.empty(len(held), dtype=object)
    together[:] = held
    number, distinct = pd.factorize(together)
    labels = [np.frombuffer(one, dtype=np.int64) for one in distinct]
    start = np.concatenate([[0], np.cumsum([len(one) for one in labels], dtype=np.int64)])
    sets = LabelSets(start, np.concatenate([np.empty(0, dtype=np.int64), *labels]))
    parts = np.split(number, len(found))
    return sets, [np.where(x.missing, -1, part) for x, part in zip(found, parts, strict=True)]


SLACK = 1e-6  # by which the sum of a distribution may differ from 1


def read_probabilities(
    data: pd.DataFrame, given: Any, answers: Answers, truth: Label | list[Label]
) -> FloatArray:
    """Return the probability of each item's true class, shape (N,); NaN where it is missing."""
    if not answers.single:
        raise OptionError(
            "probabilities are those of the one true class of each item, but items have several "
            "labels. Leave them out."
        )
    of_class = _columns_of_classes(data, given, answers)
    names = list(of_class.values())
    held = [numbers_of(data[name], f"Column {shown(name)}", RatingsError) for name in names]
    values = np.column_stack(held)
    missing: BoolArray = np.logical_and.reduce(np.isnan(values), axis=1)
    check_probabilities(values, missing, names, data.index)
    place = {label: number for number, label in enumerate(of_class)}
    places = np.array([place.get(label, -1) for label in answers.labels.labels] + [-1])
    column = places[answers.truth]
    lost = np.flatnonzero((column < 0) & (answers.truth >= 0))
    if len(lost):
        classes = dict.fromkeys(answers.labels.labels[code] for code in answers.truth[lost])
        raise RatingsError(
            f"probabilities has no column for {listing(classes)}, held by column {shown(truth)}. "
            "Add a column for each class, with 0 if need be."
        )
    return np.where(missing, np.nan, values[np.arange(len(values)), column])


def _columns_of_classes(data: pd.DataFrame, given: Any, answers: Answers) -> dict[Any, Label]:
    """Find out which column holds the probability of which class."""
    if isinstance(given, Mapping):
        check_names(data, list(given.values()), "probabilities")
        return {plain_label(label): name for label, name in given.items()}
    names = names_of(data, given)
    if names is None:
        raise OptionError(
            f"probabilities must be a list of columns or a dict {{class: column}}, "
            f"got {shown(given)}."
        )
    check_names(data, names, "probabilities")
    labels = answers.labels
    if set(labels.labels) <= {*names}:
        return {plain_label(name): name for name in names}
    if labels.scores is None or len(labels) != len(names):
        raise OptionError(
            f"Nothing says which column of probabilities belongs to which class: there are "
            f"{len(names)} columns, {listing(names)}, and {len(labels)} classes, "
            f"{listing(labels.labels)}. Pass a dict {{class: column}}."
        )
    return dict(zip(labels.labels, names, strict=True))


def check_probabilities(
    values: FloatArray, missing: BoolArray, names: list[Label], index: pd.Index
) -> None:
    """Make sure that every row that is not missing is a distribution."""
    outside = ~((values >= 0) & (values <= 1)) & ~missing[:, None]
    if outside.any():
        row, column = np.argwhere(outside)[0]
        raise RatingsError(
            f"probabilities must lie between 0 and 1, got {values[row, column]} in column "
            f"{shown(names[column])} at index {shown(index[row])}. Set all of an item's "
            "probabilities to missing to leave it out."
        )
    total = values.sum(axis=1)
    wrong = np.flatnonzero(~missing & ~(np.abs(total - 1) <= SLACK))
    if len(wrong):
        raise RatingsError(
            f"probabilities must add up to 1 for each item, but {len(wrong)} do not, at index "
            f"{listing(index[wrong])}; the first adds up to {total[wrong[0]]:.9g}. Divide them "
            "by their sums, as with df[columns].div(df[columns].sum(axis=1), axis=0)."
        )


@dataclass(frozen=True)
class Priors:
    """P distributions over K categories, each with a name; `shares` is None for the observed."""

    names: list[Any]
    shares: FloatArray | None


def read_priors(given: Any, categories: CategorySet) -> Priors:
    """Check the shares, and put them into the order of the categories."""
    if given is None:
        return Priors(["observed"], None)
    if isinstance(given, Mapping):
        given = pd.Series(dict(given), dtype=object)
    if isinstance(given, pd.Series):
        given = given.to_frame("new" if given.name is None else given.name).T
    if not isinstance(given, pd.DataFrame):
        raise OptionError(
            f"prior must be a dict or Series from class to share, or a DataFrame with a column "
            f"for each class, got {type(given).__name__}: the order of a list says nothing about "
            "the classes."
        )
    labels = [plain_label(label) for label in given.columns]
    shares = numbers_of(given.to_numpy(), "prior", OptionError).reshape(given.shape)
    names = list(given.index)
    _check_shares(shares, labels, names)
    return Priors(names, _in_order(shares, labels, categories))


def _check_shares(shares: FloatArray, labels: list[Any], names: list[Any]) -> None:
    """Make sure that every row is a distribution over different classes."""
    twice = [label for label in dict.fromkeys(labels) if labels.count(label) > 1]
    if twice:
        raise OptionError(f"prior must name each class once, got {listing(twice)} more than once.")
    outside = np.argwhere(~((shares >= 0) & (shares <= 1 + SLACK)))
    if len(outside):
        row, column = outside[0]
        raise OptionError(
            f"prior must hold shares between 0 and 1, got {shares[row, column]} for class "
            f"{shown(labels[column])}. Divide numbers of items by their sum, and set the share of "
            "an absent class to 0."
        )
    total = shares.sum(axis=1)
    wrong = np.flatnonzero(~(np.abs(total - 1) <= SLACK))
    if len(wrong):
        raise OptionError(
            f"The shares of prior {shown(names[wrong[0]])} must add up to 1, and add up to "
            f"{total[wrong[0]]:.9g}. Divide them by their sum, or name the classes that are left "
            "out."
        )


def _in_order(shares: FloatArray, labels: list[Any], categories: CategorySet) -> FloatArray:
    """Put shares into the order of the categories, shape (P, K)."""
    places = {label: number for number, label in enumerate(categories.labels)}
    some = shares.max(axis=0, initial=0) > 0
    check_known([label for label, used in zip(labels, some, strict=True) if used], places)
    result = np.zeros((len(shares), len(categories)))
    for column, label in enumerate(labels):
        if label in places:
            result[:, places[label]] = shares[:, column]
    return result / result.sum(axis=1, keepdims=True)
