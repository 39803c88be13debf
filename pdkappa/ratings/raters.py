"""Which columns are raters, and the weights of groups."""

from __future__ import annotations

import contextlib
import re
from collections import Counter
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from pdkappa.errors import (
    OptionError,
    RatingsError,
    WeightsError,
    check_text,
    listing,
    plural,
    reasons,
    shown,
)
from pdkappa.ratings.columns import as_float, code_column, numbers_of
from pdkappa.ratings.items import check_columns, check_distinct, check_weights, column_of
from pdkappa.ratings.suspicious_labels import (
    MOST_LOOKED_AT,
    NUMBER,
    is_constant_within,
    looks_long,
    plain,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from pdkappa._typing import By, FloatArray, GroupWeights, IntArray, Label, Raters
    from pdkappa.ratings.columns import Column

FEWEST_LEFT = 2
OF_PANDAS = re.compile(r"Unnamed: \d+")  # what a comma at the end of all rows makes
FIRST = ("Unnamed: 0", "column0")  # what pandas, and DuckDB, call a first column without a name
OF_DUCKDB = re.compile(r"column\d+")  # where no column has a name, these are all
FEWEST_DISTINCT = 3
FEWEST_COUNTED = 10  # items; fewer prove little, and all of the labels must stand apart
NEARLY_ALL = 0.9
LONG = 20  # characters, on average
MOST_MEASURED = 1000
UNRELATED = 0.5  # a correlation below which numbers are of something else
EQUAL, CORRELATED = 0.6, 0.8  # by which a rater follows another one: equal ratings, correlation
MOST_FOLLOWED = 50  # items: scores of more are hardly all distinct
FREE_TEXT, IDENTIFIERS = "free text", "identifiers"
UNNAMED = "it has no name"
STRANGER = "it shares no label with any other"
BEYOND = "most of its numbers are beyond those of all others"
NOT_RATINGS = ("date", "datetime", "timedelta", "period")
DATE = re.compile(r"(\d{4}-\d{1,2}-\d{1,2}|\d{1,2}([./])\d{1,2}\2\d{2,4})([ T].*)?", re.DOTALL)


def rater_names(
    data: pd.DataFrame,
    raters: Raters | None,
    named: list[Any],
    fewest: int,
    beside: Sequence[Label] = (),
) -> list[Label]:
    """Return the columns of the raters; those `beside` them are only if they are named."""
    names: list[Label] = [name for name in data.columns if name not in [*named, *beside]]
    if raters is not None:
        names = _listed(raters)
    check_columns(data, names, "rater")
    check_distinct(names, "raters", "rater")
    check_text(names, "A name of a rater")
    both = [name for name in names if name in named]
    if both:
        raise OptionError(
            "A column cannot be a rater and the group, weight or cluster of the items at once, got "
            f"{listing(both)}. Leave it out of raters=[{listing(names)}], or of the other option."
        )
    check_fewest(names, fewest, {})
    return names


def check_fewest(names: list[Label], fewest: int, never: Mapping[Label, str]) -> None:
    """Refuse fewer raters than are needed, without those that are `never` ratings, and why."""
    if len(names) < fewest:
        held = f" in columns {listing(names)}" if names else ""
        held += f", without {reasons(never)}" if never else ""
        raise RatingsError(
            f"Agreement needs two raters or more, got {len(names)}{held}. Pass raters=[...] with "
            "the columns of two or more; ratings one below the other go to pdkappa.from_long."
        )


def _listed(raters: Any) -> list[Label]:
    """Return the columns that the user listed."""
    if isinstance(raters, set | frozenset):
        raise OptionError("raters is a set, which has no order. Pass a list of columns.")
    if isinstance(raters, str | bytes) or not pd.api.types.is_list_like(raters):
        given = shown(raters)
        raise OptionError(
            f"raters must be a list of columns, got {given}. Write raters=[{given}, ...]."
        )
    return list(raters.tolist() if isinstance(raters, np.ndarray) else raters)


def nameless(names: Sequence[Any]) -> list[Any]:
    """Return those of all names that say nothing, as of the row numbers that pandas and R write."""
    n_numbered = sum(OF_DUCKDB.fullmatch(str(name)) is not None for name in names)
    first = FIRST if n_numbered == 1 else FIRST[:1]
    return [
        name
        for name in names
        if (
            name in first or not name.strip()
            if isinstance(name, str)
            else pd.api.types.is_scalar(name) and pd.isna(name)
        )
    ]


def not_raters(
    columns: list[Column], given: Callable[[], Mapping[Label, float]], groups: IntArray | None
) -> dict[Label, str]:
    """Say which columns cannot be ratings, and why, as long as two are left.

    `given` tells the number of ratings of each column, and `groups` the group of each item. Row
    numbers are never ratings, however many columns are left.
    """
    numbers: dict[Label, str] = dict.fromkeys(nameless([one.name for one in columns]), UNNAMED)
    counting = [column for column in columns if column.name in numbers]
    columns = [column for column in columns if column.name not in numbers]
    said = {label for column in columns for label in column.labels} if counting else set()
    for column in counting:
        if said.issuperset(column.labels) and given()[column.name] > len(column.labels):
            raise RatingsError(
                f"Column {shown(column.name)} has no name, and holds nothing but labels of other "
                "columns. Pass raters=[...], with it or without."
            )
    if len(columns) <= FEWEST_LEFT:
        return numbers
    return numbers | _no_raters(columns, given(), groups)


def _no_raters(
    columns: list[Column], given: Mapping[Label, float], groups: IntArray | None
) -> dict[Label, str]:
    """Say the same of columns that have a name."""
    found: dict[Label, str] = {}

    def rest() -> list[Column]:
        return [column for column in columns if column.name not in found]

    def leave_out(others: dict[Label, str]) -> None:
        if len(rest()) - len(others) >= FEWEST_LEFT:
            found.update(others)

    leave_out({column.name: why for column in columns if (why := _no_ratings(column))})
    leave_out(_identifiers(rest(), given))
    if groups is not None:
        constant = [column.name for column in rest() if is_constant_within(column, groups)]
        leave_out(dict.fromkeys(constant, "it has one value in each group"))
    if not looks_long(rest()):  # which is refused: an item shares no label with a rater
        leave_out(_strangers(rest(), given))
        leave_out(_numbers_of_others(rest()))
    return found


def recognised(
    data: pd.DataFrame, raters: Sequence[Label], named: Sequence[Label]
) -> tuple[list[Label], list[Label]]:
    """Find the columns that name the items, and those of their texts, beside the raters.

    The first rows are looked at; columns that are `named` for something else are neither.
    """
    others = [name for name in data.columns if name not in [*raters, *named]]
    if not others or not data.columns.is_unique:
        return [], []
    found = left_out(data, [*raters, *others])
    ids: list[Label] = [name for name in others if found.get(name, "").startswith(IDENTIFIERS)]
    return ids, [name for name in others if found.get(name) == FREE_TEXT]


def _no_ratings(column: Column) -> str:
    """Say why a column holds no ratings, whatever the others hold; empty if it may."""
    if isinstance(column.name, str) and OF_PANDAS.fullmatch(column.name) and column.is_empty:
        return "neither a name nor values"
    if any(kind.endswith(NOT_RATINGS) for kind in column.kinds):
        return "durations" if column.kinds == {"timedelta"} else "dates"
    texts = column.labels if column.kinds == {"text"} and not column.ordered else []
    return "dates" if texts and all(DATE.fullmatch(text) for text in texts) else ""


def left_out(data: pd.DataFrame, names: Sequence[Label]) -> dict[Label, str]:
    """Say which of some columns cannot be ratings, and why; the first rows are looked at."""
    columns = []
    for name in names:
        with contextlib.suppress(TypeError):  # whatever a column that is not used may hold
            columns.append(code_column(data[name].iloc[:MOST_LOOKED_AT], name))
    return not_raters(columns, lambda: {one.name: one.n_ratings for one in columns}, None)


def _identifiers(columns: list[Column], given: Mapping[Label, float]) -> dict[Label, str]:
    """Find free text and identifiers: values that never occur twice, apart from all others."""
    if all(column.reals is not None for column in columns):  # fractions
        return {}
    most = max(given.values())
    never_twice = [
        column
        for column in columns
        if len(column.labels) >= max(FEWEST_DISTINCT, NEARLY_ALL * given[column.name])
        and given[column.name] >= NEARLY_ALL * most
        and not column.ordered
    ]
    if not never_twice:
        return {}
    others = [column for column in columns if column not in never_twice]
    found = {}
    for column in never_twice:
        is_distinct = len(column.labels) == given[column.name]
        if column.kinds == {"text"} and _is_unknown_to(column, others):
            if _is_long(column):
                found[column.name] = FREE_TEXT
            elif is_distinct:
                found[column.name] = f"{IDENTIFIERS}, no value occurs twice"
        elif is_distinct and _counts_items(column, columns, others):
            found[column.name] = f"{IDENTIFIERS}, no value occurs twice"
    return found


def _strangers(columns: list[Column], given: Mapping[Label, float]) -> dict[Label, str]:
    """Find columns that share no label with any other one, where the others do.

    Scores need not be equal: numbers have to be few, and beyond those of all others.
    """
    apart = _beyond_others([column for column in columns if not column.is_empty])
    often = [one for one in apart if given[one.name] >= max(FEWEST_COUNTED, 2 * len(one.labels))]
    if not often:
        return {}
    known = [{*column.labels, *(column.declared or ())} for column in columns]
    times = Counter(label for labels in known for label in labels)
    if max(times.values(), default=0) == 1:
        return {}
    return {
        one.name: STRANGER + _however(one, columns)
        for one in often
        if not any(times[label] > 1 for label in (*one.labels, *(one.declared or ())))
    }


def _however(column: Column, columns: list[Column]) -> str:
    """Say what makes text of its numbers, or which label looks like one elsewhere; else empty."""
    texts = column.labels if column.kinds == {"text"} else []
    words = [text for text in texts if not NUMBER.fullmatch(text)]
    is_number = len(texts) >= 2 * len(words) and any(one.kinds == {"number"} for one in columns)
    if words and is_number:
        return f", as {listing(words)} {plural(len(words), 'makes', 'make')} text of its numbers"
    others = [one for one in reversed(columns) if one is not column]
    seen = {plain(str(label)): (label, one.name) for one in others for label in one.labels}
    alike = ((label, seen.get(plain(str(label)))) for label in column.labels)
    found = ((label, *like) for label, like in alike if like is not None)
    for label, like, name in found:
        return f", though its {shown(label)} looks like {shown(like)} of {shown(name)}"
    return ""


def _numbers_of_others(columns: list[Column]) -> dict[Label, str]:
    """Find whole numbers of patients and the like, which come again: more than others have scores.

    Most labels and ratings are beyond the scale of the others, and follow none of them, as the
    scores of a rater with another unit would.
    """
    numeric = [column for column in columns if column.kinds == {"number"} and not column.is_empty]
    found = []
    for column in numeric:
        others = [other for other in numeric if other is not column]
        if len(others) < FEWEST_LEFT or not column.has_more_labels(FEWEST_COUNTED - 1):
            continue
        low, high = min(one.span[0] for one in others), max(one.span[1] for one in others)
        if column.span[1] <= high and column.span[0] >= low:
            continue
        x, rated = values_of(column), column.rated
        weights = rated * (1.0 if column.counts is None else column.counts)
        labels, beyond = np.unique(x[rated]), (x < low) | (x > high)
        far = np.count_nonzero((labels < low) | (labels > high))
        is_beyond = 2 * far > len(labels) and 2 * weights[beyond].sum() > weights.sum()
        if is_beyond and (labels == np.floor(labels)).all():
            follows = (abs(_correlation(column, other)) >= UNRELATED for other in others)
            found += [] if any(follows) else [column.name]
    return dict.fromkeys(found, BEYOND)


def _correlation(one: Column, other: Column) -> float:
    """Return the correlation of two columns of numbers, 0 where either does not vary."""
    both = one.rated & other.rated
    if not both.any():
        return 0.0
    weights = None if one.counts is None else one.counts[both]
    x, y = values_of(one)[both], values_of(other)[both]
    (xx, xy), (_, yy) = np.cov(x, y, ddof=0, aweights=weights)
    return float(xy / np.sqrt(xx * yy)) if xx * yy > 0 else 0.0


def _beyond_others(columns: list[Column]) -> list[Column]:
    """List columns whose numbers are all below, or above, those of all others; other labels too."""
    spans = [column.span for column in columns if column.kinds == {"number"}]
    if len(spans) <= 1:
        return columns
    (_, second, *_), (*_, last_but_one, _) = (sorted(ends) for ends in zip(*spans, strict=True))
    return [
        one
        for one in columns
        if one.kinds != {"number"} or one.span[1] < second or one.span[0] > last_but_one
    ]


def _is_long(column: Column) -> bool:
    """Whether texts are sentences rather than labels."""
    texts = column.labels[:MOST_MEASURED]
    return sum(map(len, texts)) >= LONG * len(texts)


def _is_unknown_to(column: Column, others: list[Column]) -> bool:
    """Whether most labels are those of no other rater, of few labels all."""
    known = set().union(*(other.labels for other in others)).intersection(column.labels)
    most = len(column.labels) / 2 if len(column.labels) >= FEWEST_COUNTED else 1
    return len(known) < most


def _counts_items(column: Column, columns: list[Column], others: list[Column]) -> bool:
    """Whether distinct whole numbers stand for the items rather than for ratings.

    Where `others` repeat their ratings, most of the numbers are beyond theirs, or count the items
    without following them. Where hardly any rater does, scores may well be distinct.
    """
    labels = column.labels
    if not all(type(label) is int for label in labels):
        return False
    low, high = min(labels), max(labels)
    is_counting = high - low == len(labels) - 1
    if len(others) < FEWEST_LEFT:
        rest = [x for x in columns if x is not column and x.kinds == column.kinds]
        alike = [x for x in rest if x.labels and max(x.labels) - min(x.labels) != len(x.labels) - 1]
        enough = len(labels) >= FEWEST_COUNTED and len(alike) >= FEWEST_LEFT
        return enough and is_counting and _is_unknown_to(column, alike)
    numeric = [other for other in others if other.kinds == {"number"} and other.labels]
    if not numeric:
        return True
    lowest, highest = (of(of(other.labels) for other in numeric) for of in (min, max))
    beyond = sum(not lowest <= label <= highest for label in labels)
    if len(labels) < FEWEST_COUNTED:
        is_far = max(low - highest, lowest - high) > highest - lowest
        return beyond == len(labels) and (is_counting or is_far)
    follows = any(_follows(column, other) for other in numeric)
    return not follows and (2 * beyond > len(labels) or is_counting)


def _follows(column: Column, other: Column) -> bool:
    """Whether a rater gives much the same ratings as another one, as no identifier does."""
    both = column.rated & other.rated
    if not FEWEST_DISTINCT <= np.count_nonzero(both) <= MOST_FOLLOWED:
        return False
    x, y = values_of(column)[both], values_of(other)[both]
    if float(np.mean(x == y)) >= EQUAL:
        return True
    spread = x.std() * y.std()
    return bool(spread > 0 and np.mean((x - x.mean()) * (y - y.mean())) > CORRELATED * spread)


def values_of(column: Column) -> FloatArray:
    """Return the numbers of a column, shape (N,), without meaning where they are missing."""
    if column.reals is not None:
        return column.reals
    of_slot = np.zeros(int(column.slots.max()) + 1)
    of_slot[column.slots] = [as_float(label) for label in column.labels]
    return of_slot[column.codes]


def check_grouped(by: By | None, given: GroupWeights | None) -> None:
    """Refuse weights of groups where there are no groups."""
    if by is None and given is not None:
        raise OptionError(
            "group_weights without by: there are no groups to weight. Pass by, or leave it out."
        )


def weights_of_groups(
    data: pd.DataFrame, groups: pd.Index | None, given: GroupWeights | None
) -> FloatArray:
    """Return the weight of each group, shape (G,), from a constant column or by group."""
    groups = pd.Index([]) if groups is None else groups
    if given is None:
        return np.ones(len(groups))
    if isinstance(given, Mapping | pd.Series):
        values = _by_group(pd.Series(given), groups)
    elif pd.api.types.is_list_like(given) and not isinstance(given, tuple):
        raise WeightsError(
            "group_weights must be a column, or a dict or Series from group to weight: "
            "the order of a list says nothing about the groups."
        )
    else:
        values = _by_column(data, groups, given)
    weights = check_weights(values, "group_weights", len(groups))
    if len(weights) and not weights.any():
        raise WeightsError("group_weights are all zero. Give at least one group a positive weight.")
    return weights


def _by_group(weights: pd.Series, groups: pd.Index) -> pd.Series:
    """Look up the weight of each group by its label."""
    if not weights.index.is_unique:
        twice = weights.index[weights.index.duplicated()]
        raise WeightsError(
            "group_weights must have one weight for each group, got more than one for "
            f"{listing(twice)}."
        )
    absent = [group for group in groups if group not in weights.index]
    if absent:
        raise WeightsError(
            f"group_weights must have one weight for each group, got none for {listing(absent)}."
        )
    return weights.reindex(groups)


def _by_column(data: pd.DataFrame, groups: pd.Index, name: Label) -> pd.Series:
    """Read the weight of each group from a column that is constant within the groups."""
    held = column_of(data, name, "weight")
    column = pd.Series(numbers_of(held, "group_weights", WeightsError), held.index)
    grouper = column.groupby([data[level] for level in groups.names], observed=True)
    found = grouper.agg(["min", "max", "size", "count"]).reindex(groups)
    uneven = groups[(found["min"] != found["max"]) | (found["size"] != found["count"])]
    if len(uneven):
        raise WeightsError(
            f"group_weights={shown(name)} must be constant in each group, and is not in "
            f"{listing(uneven)}. A group has one weight; for weights of items use sample_weight."
        )
    return found["min"]
