"""Warn of labels and columns that look like a mistake in the data; nothing is changed."""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from itertools import combinations, product
from typing import TYPE_CHECKING, Any

import numpy as np

from pdkappa.errors import LookalikeLabelsWarning, RatingsError, listing, listing_pairs, shown, warn
from pdkappa.ratings.columns import FIRST, LabelSet, as_float

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from pdkappa._typing import BoolArray, FloatArray, IntArray, Label
    from pdkappa.ratings.columns import Column

    Numbers = Callable[[], FloatArray | None]

FEWEST_OF_GROUP, FEWEST_SCORES, MOST_GROUPS = 20, 5, 50
MOST_LOOKED_AT = 2000  # items, evenly spread over the rows
FEWEST_RATERS, MOST_RATERS = 3, 30
TAIL = 0.05  # the share of scores that do not count, at either end
TIMES_AS_WIDE = 2
LESS = 0.05  # by which the correlation within groups is below that of all items
MOSTLY = 2 / 3  # of a variance, or of a correlation
SPLITS = "the scale of the others differs by it"
MOST_OF_LONG = 6  # columns
FEWEST_OF_LONG = 20  # rows that no raters would fill by chance
MOST_CELLS = 2  # times as many as there are rows
RARELY = 24  # n rows fill n**2 / 24 cells or fewer, each once, by chance in one of exp(12) cases
FEWEST_LEFT, FEWEST_WITHIN = 2, 5
WEIGHT = re.compile(r"(^|_)weights?$", re.IGNORECASE)
WRITTEN = {"nan", "NaN", "NaT", "<NA>", "None"}  # missing values after astype(str)
CODES = (-9, -99, -999, -9999, 99, 999, 9999)  # of missing values, where they are far from others
MOST_HEADINGS = 3  # below the names of a table
NUMBER = re.compile(r"\s*[-+]?\d*[.,]?\d+\s*")
FAR = 0.8  # times as far as the others lie apart
MOST_TEXTS = 1000  # that are still labels
UNRELATED = 0.1  # the largest kappa of a column that is no rater's


def scores_of(codes: IntArray, numbers: FloatArray | None) -> FloatArray | None:
    """Return the scores of all raters, shape (R, N), NaN where missing; None if they are few.

    The categories are `numbers`, None if they are something else.
    """
    if numbers is None or len(numbers) < FEWEST_SCORES:
        return None
    return np.append(numbers, np.nan)[codes]


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
    return unit @ unit.T


def _centred(groups: IntArray, scores: FloatArray) -> FloatArray:
    """Subtract the mean of each group from the scores of one rater, shape (N,)."""
    n = np.maximum(np.bincount(groups), 1)
    return scores - (np.bincount(groups, scores) / n)[groups]


def _standardised(groups: IntArray, scores: FloatArray) -> FloatArray:
    """Give the scores of one rater mean zero and the same spread in each group, shape (N,)."""
    centred = _centred(groups, scores)
    spread = np.sqrt(np.bincount(groups, centred**2) / np.maximum(np.bincount(groups), 1))
    return centred / np.where(spread > 0, spread, 1.0)[groups]


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
    columns: list[Column],
    some: Callable[[IntArray | slice], tuple[IntArray, FloatArray | None]],
    counts: FloatArray | None,
) -> dict[Label, str]:
    """Find columns among the raters that look like groups of the items, and say why.

    `some` gives the codes of some of the N rows, and the numbers that these stand for; rows may be
    distinct ones with counts.
    """
    n_rows = columns[0].n_rows
    total = n_rows if counts is None else counts.sum()
    if not FEWEST_RATERS <= len(columns) <= MOST_RATERS or total < 2 * FEWEST_OF_GROUP:
        return {}
    few, numbers = some(_evenly(n_rows, counts))
    scores = scores_of(few, numbers)
    if numbers is None or scores is None:
        return {}
    unrelated = _unrelated(few, len(numbers))
    found: dict[Label, str] = {}
    groups = []
    for rater in sorted(unrelated, key=lambda r: _is_float(columns[r])):
        others = np.delete(scores, rater, axis=0)
        is_grouping = not columns[rater].has_more_labels(MOST_GROUPS)
        if is_grouping and splits_the_scale(few[rater], others):
            found[columns[rater].name] = SPLITS
            groups.append(columns[rater])
    for column in columns:
        if any(is_constant_within(column, group.codes) for group in groups if group is not column):
            found.setdefault(column.name, f"one value in each {shown(groups[0].name)}")
    for name in [columns[rater].name for rater in unrelated]:
        if WEIGHT.search(str(name)):
            found.setdefault(name, "weights, by its name")
    return found if len(columns) - len(found) > 1 else {}


def _is_float(column: Column) -> bool:
    """Whether a column is of floats, which seldom name groups."""
    return column.reals is not None or any(isinstance(one, float) for one in column.labels[:1])


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


CLOSE = 1e-9
CLOSE_TO_THE_MEAN_GAP = 1e-8
FEWEST_IDS = 10
FEW = 0.1  # the share of ratings that may lie between the scores of another rater
GRIDS = (1.0, 0.5, 0.25, 0.1)
GRID_ROUNDING = 1e-6  # that of tenths in single precision
QUARTER = 0.25
SINGLE = ("float32", "float[", "sparse[float32")
BY_EQUALITY = ", to which they are never equal."
BY_DISTANCE = (
    ". Cohen's kappa with quadratic or linear weights uses their values, as concordance does; "
    "coefficients and weights that count or rank categories, such as "
    "Gwet's coefficient or ordinal weights, do not."
)
ROUND_FIRST = (
    "Round predictions first if they stand for scores, name the scale with categories=[...] if it "
    "has such scores, or use concordance."
)
ZERO_WIDTH = dict.fromkeys(map(ord, "\u200b\u200c\u200d\u2060\ufeff\u00ad"))
REMEDIES: dict[str, Callable[[str], str]] = {
    ".str.strip()": str.strip,
    ".str.split().str.join(' ')": lambda text: " ".join(text.split()),
    r".str.replace('[\u00ad\u200b-\u200d\u2060\ufeff]', '', regex=True)": (
        lambda text: text.translate(ZERO_WIDTH)
    ),
    ".str.normalize('NFC')": lambda text: unicodedata.normalize("NFC", text),
    ".str.casefold()": str.casefold,
}


def looks_long(columns: list[Column], fewest: int = FEWEST_OF_LONG) -> str:
    """Say how to read columns that look like items, their raters and ratings; else empty.

    They do if two of three columns to six tell apart all rows, of which there are at least as many
    as `fewest` and as half the cells of a table of the two; of three columns, also if independent
    values would hardly ever tell them apart, as where each item has a few of many raters.
    """
    if not FEWEST_LEFT < len(columns) <= MOST_OF_LONG:
        return ""
    n_items = columns[0].n_items
    is_bare = len(columns) == FEWEST_LEFT + 1
    most = int(n_items * max(MOST_CELLS, n_items / RARELY if is_bare else 0.0))
    few = [column for column in columns if not column.has_more_labels(int(most**0.5))]
    for item, rater in product(columns, few):
        if item is rater or item.has_more_labels(most // max(len(rater.labels), 1)):
            continue
        n_cells = len(item.labels) * len(rater.labels)
        is_table = len(item.labels) >= len(rater.labels) > 1 and len(item.labels) < n_items
        if not is_table or not n_items <= n_cells <= most:
            continue
        if n_items >= fewest and _n_cells(item, rater) == n_items:
            others = [x for x in columns if x is not item and x is not rater]
            if len(others) > 1 and any(set(item.labels) <= set(x.labels) for x in others):
                continue  # they are ratings as well
            varied = [x for x in others if _n_cells(item, x) > len(item.labels)]
            rating = (varied or others)[0]
            return (
                f"Each row looks like one rating: {shown(rater.name)} of {shown(item.name)}. If it "
                f"is, use pdkappa.from_long(df, item={shown(item.name)}, "
                f"rater={shown(rater.name)}, rating={shown(rating.name)})."
            )
    return ""


def _n_cells(one: Column, other: Column) -> int:
    """Count the pairs of values of two columns that occur."""
    keys = one.codes.astype(np.int64) * (int(other.slots.max(initial=0)) + 2) + other.codes
    return len(np.unique(keys))


def is_constant_within(column: Column, groups: IntArray) -> bool:
    """Whether a column has one value for all items of a group, and not the same in all groups."""
    n_items = column.n_items
    if n_items < FEWEST_OF_GROUP or not column.has_more_labels(1):
        return False
    of_first = (column.codes if column.reals is None else column.reals)[groups == groups[0]]
    if (of_first != of_first[0]).any() and not np.isnan(of_first).all():  # as good as always
        return False
    keys = groups.astype(np.int64) * (int(column.slots.max()) + 2) + column.codes
    n_groups = len(np.unique(groups))
    return len(np.unique(keys)) == n_groups and n_items >= FEWEST_WITHIN * n_groups


def refuse_long(columns: list[Column]) -> None:
    """Refuse columns that nobody has named, and that look like items, raters and ratings."""
    if found := looks_long([column for column in columns if not column.is_empty]):
        raise RatingsError(f"{found} If not, name the raters with raters=[...].")


def warn_of_looks(
    columns: list[Column], numbers: Numbers = lambda: None, *, by_distance: bool = False
) -> None:
    """Give one warning that lists everything of the labels that looks like a mistake.

    `numbers` are all labels, ascending, if they are numbers and somebody has sorted them;
    `by_distance` says whether disagreements count by distance, so that measurements need not be
    equal.
    """
    rated = [column for column in columns if not column.is_empty]
    if findings := _alike(rated, numbers, by_distance=by_distance):
        warn(f"{' '.join(findings)} Nothing was changed.", LookalikeLabelsWarning)


def _alike(rated: list[Column], numbers: Numbers, *, by_distance: bool) -> list[str]:
    """Say what of the labels looks like a mistake."""
    has_texts = any(column.kinds != {"number"} for column in rated)
    return [
        *(_no_labels(rated) if has_texts else ()),
        *_codes_of_missing(rated),
        *(_headings(rated) if has_texts else ()),
        *(_close_texts(rated) if has_texts else ()),
        *_close_numbers(rated, numbers),
        *_single_precision(rated),
        *_unrounded(rated, by_distance=by_distance),
        *_id_like(rated),
        *(_texts(rated) if has_texts else ()),
        *_nothing_shared(rated, by_distance=by_distance),
    ]


def _close_texts(columns: list[Column]) -> Iterator[str]:
    """Find texts that differ only in ways that are easily overlooked."""
    labels = dict.fromkeys(x for column in columns if column.reals is None for x in column.labels)
    sets = [label for label in labels if isinstance(label, LabelSet)]
    texts = [x for x in (*labels, *LabelSet(frozenset().union(*sets))) if isinstance(x, str)]
    seen: dict[str, str] = {}
    pairs = [
        (seen[key], text) for text in texts if seen.setdefault(key := plain(text), text) != text
    ]
    if pairs:
        remedies = dict.fromkeys(way for pair in pairs for way in _remedies(*pair) if not sets)
        advice = f" Make them one with {', '.join(remedies)}, if they are." if remedies else ""
        yield f"Labels that look alike: {listing_pairs(pairs)}.{advice}"


def _remedies(one: str, other: str) -> Iterator[str]:
    """Name what makes two texts equal, step by step."""
    for way, apply in REMEDIES.items():
        before, (one, other) = (one, other), (apply(one), apply(other))
        if before != (one, other):
            yield way
        if one == other:
            return
    yield "pd.to_numeric"


def _no_labels(columns: list[Column]) -> Iterator[str]:
    """Find texts that are no label: white space, or a number, or missing value, made text."""
    mixed = [column for column in columns if column.reals is None]
    texts = [(one.name, x) for one in mixed for x in one.labels if isinstance(x, str)]
    if blank := {name: x for name, x in texts if not x.strip()}:
        yield (
            f"Blank text such as {shown(next(iter(blank.values())))} is a label of "
            f"{listing(blank)}. "
            r"Set it to missing with .replace(r'^\s*$', pd.NA, regex=True), if nothing was rated."
        )
    if (commas := [x for _, x in texts if "," in x]) and all(NUMBER.fullmatch(x) for _, x in texts):
        yield (
            f"Numbers with a decimal comma, such as {shown(commas[0])}, are text. Read them with "
            "pd.read_csv(decimal=','), or write points, if they are scores."
        )
    if written := {name: x for name, x in texts if x in WRITTEN}:
        words = sorted({x for _, x in texts} & WRITTEN)
        yield (
            f"Missing values written as text, such as {shown(words[0])}, are labels of "
            f"{listing(written)}. Set them to missing with .replace({shown(words)}, pd.NA), or "
            "name them in categories=[...] if they are labels."
        )


def _codes_of_missing(columns: list[Column]) -> Iterator[str]:
    """Find numbers such as -9 and 99 that stand apart from all others."""
    numeric = [column for column in columns if column.kinds == {"number"}]
    if not any(
        np.isin(x.reals, CODES).any() if x.reals is not None else {*CODES}.intersection(x.labels)
        for x in numeric
    ):
        return
    known = np.unique(np.concatenate([_finite(column) for column in numeric]))
    rest, codes = np.setdiff1d(known, CODES), np.intersect1d(known, CODES)
    # halves, as the largest floats are further apart than any float is large
    apart = max(FAR * (rest[-1] / 2 - rest[0] / 2), 1.0) if len(rest) else np.inf
    far = [one for one in codes.tolist() if np.abs(rest - one).min(initial=np.inf) / 2 > apart]
    if far:
        found = ", ".join(f"{one:g}" for one in far)
        yield (
            f"Numbers stand apart from the others, {rest[0]:g} to {rest[-1]:g}, as codes for "
            f"missing ratings do: {found}. Set them to missing with .replace([{found}], pd.NA), or "
            "name them in categories=[...] if they are ratings."
        )


def _headings(columns: list[Column]) -> Iterator[str]:
    """Find rows that name the columns, as of joined files, or describe them, as those of surveys.

    One column alone is that of long data, of which a label may be the name.
    """
    if len(columns) < FEWEST_LEFT or any(x.kinds == {"number"} for x in columns):
        return
    if _rows_with(columns, [[x == one.name for x in one.labels] for one in columns]):
        yield f"A row names the columns: {listing(x.name for x in columns)}. Leave it out."
        return
    words = [[not NUMBER.fullmatch(str(x)) for x in one.labels] for one in columns]
    n, n_items = sum(words[0]), columns[0].n_items
    if n <= min(MOST_HEADINGS, n_items / 4) and 0 < n == _rows_with(columns, words):
        first = columns[0].labels[words[0].index(True)]
        yield (
            f"All columns have words such as {shown(first)} in {n} of {n_items:,.10g} rows, and "
            "numbers elsewhere, as below the headings of a survey. Leave these rows out, and make "
            "the others numbers with pd.to_numeric."
        )


def _rows_with(columns: list[Column], wanted: list[list[bool]]) -> int:
    """Count the rows in which all columns have such labels, each as many; 0 if some do alone."""
    if {*map(sum, wanted)} != {sum(wanted[0]) or None}:
        return 0
    own = [np.isin(x.codes, x.slots[np.array(y)]) for x, y in zip(columns, wanted, strict=True)]
    some = np.logical_or.reduce(own)
    return 0 if some.all() or (some != np.logical_and.reduce(own)).any() else int(some.sum())


def plain(text: str) -> str:
    """Reduce a label to what a reader sees: case, white space, Unicode forms, 1 and 1.0."""
    if not text.isascii():
        text = unicodedata.normalize("NFC", text.translate(ZERO_WIDTH))
    text = " ".join(text.split()).casefold()
    if text[:1].isdigit() or text[:1] in ("-", "+", "."):
        try:
            return repr(float(text))
        except ValueError:
            return text
    return text


def _close_numbers(columns: list[Column], numbers: Numbers) -> Iterator[str]:
    """Find floats much closer than the others, as 0.1 + 0.2 is to 0.3."""
    if all(x.reals is None and {*map(type, x.labels)} <= {int, str} for x in columns):
        return
    if (values := numbers()) is None:
        values = np.unique(np.concatenate([*map(_finite, columns)]))
    values = values[np.isfinite(values)]
    gaps = np.diff(values / 4)  # of the largest floats, too
    close = min(CLOSE / 4, CLOSE_TO_THE_MEAN_GAP * gaps.sum() / max(len(gaps), 1))
    near = np.flatnonzero((gaps > 0) & (gaps < close))  # integers may be the same float
    if len(near):
        pairs = [(float(values[i]), float(values[i + 1])) for i in near]
        yield f"Numbers closer than 1e-9: {listing_pairs(pairs)}."


def _single_precision(columns: list[Column]) -> Iterator[str]:
    """Find the float32 0.1, which is 0.10000000149, beside the float64 0.1."""
    if len({column.dtype for column in columns}) == 1:
        return
    is_single = [str(column.dtype).lower().startswith(SINGLE) for column in columns]
    single = [column for column, yes in zip(columns, is_single, strict=True) if yes]
    double = [column for column, yes in zip(columns, is_single, strict=True) if not yes]
    known = {x for column in single for x in _finite(column).tolist()}
    others = dict.fromkeys(x for column in double for x in _finite(column).tolist())
    with np.errstate(over="ignore"):
        near = np.array(list(others)).astype(np.float32).astype(float).tolist()
    pairs = [(one, x) for one, x in zip(near, others, strict=True) if one != x and one in known]
    if pairs:
        yield (
            f"Numbers that differ by the precision of column {shown(single[0].name)} (float32): "
            f"{listing_pairs(pairs)}."
        )


def _finite(column: Column) -> FloatArray:
    """Return the finite numbers of a column; none if it holds something else."""
    values = _as_floats(column) if column.kinds == {"number"} else np.empty(0)
    return values[np.isfinite(values)]


def _as_floats(column: Column) -> FloatArray:
    """Return the labels of a column of numbers as floats; fractions as often as they were given."""
    if column.reals is not None:
        return column.reals[column.rated] + 0.0  # so that -0.0 becomes 0.0
    return np.array([as_float(label) for label in column.labels], dtype=np.float64)


def _unrounded(columns: list[Column], *, by_distance: bool) -> Iterator[str]:
    """Find the scores of a rater that lie between those of another one.

    Predictions, averages and half points do beside whole scores, and predictions beside half
    points. Halves and quarters may be scores that another rater seldom gives or has no use
    for, so a few of them are no mistake; other fractions are scores of hardly any scale.
    """
    numeric = [column for column in columns if column.kinds == {"number"}]
    if all(_is_whole(column) for column in numeric):
        return
    values = [_as_floats(column) for column in numeric]
    for step in GRIDS:
        first = [_on_grid(x[:FIRST], step).all() for x in values]  # which mostly tell
        coarse = [numeric[i] for i in np.flatnonzero(first) if _on_grid(values[i], step).all()]
        for column, x in zip(numeric, values, strict=True) if coarse else ():
            between = np.isfinite(x) & ~_on_grid(x, step)
            unscored = between & ~_on_grid(x, QUARTER)
            if not between.any():
                continue
            if unscored.any() or _share(column, between) > FEW:
                score, beside = float(x[between][0]), f"multiples of {step:g}"
                held = (
                    f"Column {shown(column.name)} holds fractions such as {shown(score)} beside "
                    f"the {'whole scores' if step == 1 else beside} of {shown(coarse[0].name)}"
                )
                yield f"{held}{BY_DISTANCE if by_distance else BY_EQUALITY} {ROUND_FIRST}"
                return


def _is_whole(column: Column) -> bool:
    """Whether all numbers are integers, or floats that equal one."""
    if column.reals is not None:
        values = _as_floats(column)
        return bool((np.isfinite(values) & (values == np.floor(values))).all())
    return all(
        isinstance(x, int) or (isinstance(x, float) and x.is_integer()) for x in column.labels
    )


def _on_grid(values: FloatArray, step: float) -> BoolArray:
    """Whether numbers are multiples of a step."""
    with np.errstate(invalid="ignore", over="ignore"):  # infinite
        times = values / step
        off = np.abs(times - np.rint(times))
    return off <= GRID_ROUNDING * np.minimum(np.abs(times), 1)


def _share(column: Column, labels: BoolArray) -> float:
    """Return the share of a column's ratings that are among some of those of `_as_floats`."""
    if column.reals is None:
        labels = np.isin(column.codes[column.rated], column.slots[labels])
    counts = None if column.counts is None else column.counts[column.rated]
    return float(np.average(labels, weights=counts))


def _fraction(column: Column) -> float | None:
    """Return a number of a column that is no multiple of a quarter, if it has one."""
    values = _finite(column)
    off = np.flatnonzero(values / QUARTER != np.floor(values / QUARTER))
    return float(values[off[0]]) if len(off) else None


def _id_like(columns: list[Column]) -> Iterator[str]:
    """Find a column that numbers or names the items rather than rating them."""
    others = [column for column in columns if not _never_repeats(column)]
    names = [x.name for x in columns if others and _never_repeats(x) and _is_apart(x, others)]
    if names:
        yield f"No value occurs twice in {listing(names)}, as in a column of identifiers."


def _texts(columns: list[Column]) -> Iterator[str]:
    """Find columns of more texts than a scale has labels."""
    many = [x for x in columns if x.kinds == {"text"} and len(x.labels) > MOST_TEXTS]
    if many and not any(x.ordered for x in many):
        n = max(len(column.labels) for column in many)
        yield (
            f"There are up to {n} distinct texts in {listing(column.name for column in many)}, "
            "each a category of its own. Leave free text out of raters=[...]."
        )


def _never_repeats(column: Column) -> bool:
    """Whether ten whole numbers or texts or more never repeat."""
    if not column.has_more_labels(FEWEST_IDS - 1) or not column.kinds <= {"number", "text"}:
        return False
    is_whole = (values := _finite(column)) == np.floor(values)
    return bool(is_whole.all()) and len(column.slots) == column.n_ratings


def _is_apart(column: Column, others: list[Column]) -> bool:
    """Whether most labels are beyond those of the others: texts of no one, numbers of no range."""
    alike = [other for other in others if other.kinds == column.kinds]
    if column.kinds == {"number"} and alike:
        low, high = _range(alike)
        outside = sum(not low <= label <= high for label in column.labels)
    else:
        outside = len(set(column.labels).difference(*(other.labels for other in alike)))
    return 2 * outside > len(column.labels) - (column.kinds == {"number"})


def _range(columns: list[Column]) -> tuple[Any, Any]:
    """Smallest and largest label of some columns."""
    low, high = zip(*(column.ends for column in columns), strict=True)
    return min(low), max(high)


def _of_one_alone(columns: list[Column]) -> list[Column]:
    """Find the columns of which no other one has a label."""
    values = [column.numbers for column in columns if column.numbers is not None]
    if len(values) == len(columns):
        _, place, times = np.unique(np.concatenate(values), return_inverse=True, return_counts=True)
        once = np.split(times[place.reshape(-1)] == 1, np.cumsum([len(x) for x in values])[:-1])
        return [column for column, yes in zip(columns, once, strict=True) if yes.all()]
    uses = Counter(label for column in columns for label in column.labels)
    return [column for column in columns if all(uses[label] == 1 for label in column.labels)]


def _nothing_shared(columns: list[Column], *, by_distance: bool) -> Iterator[str]:
    """Find raters who have no label in common with any other rater.

    A rater with a single label proves nothing, and neither do numbers among those of the
    others, unless they are measurements that would have to be equal to agree.
    """
    varied = [column for column in columns if column.has_more_labels(1)]
    if len(varied) < FEWEST_LEFT:
        return
    if by_distance and all(column.kinds == {"number"} for column in columns):
        low, high = zip(*(column.ends for column in columns), strict=True)
        if max(low) <= min(high):  # every two of them reach into each other's range
            return
    names = [
        column.name
        for column in _of_one_alone(columns)
        if column.has_more_labels(1)
        and (
            not _is_among(column, [other for other in columns if other is not column])
            or not (by_distance or _fraction(column) is None)
        )
    ]
    if names:
        yield f"No label of {listing(names)} is shared with any other rater."


def _is_among(column: Column, others: list[Column]) -> bool:
    """Whether numbers reach into the range of others'."""
    if column.kinds != {"number"}:
        return False
    (low, high), (lowest, highest) = _range([column]), _range(others)
    return bool(low <= highest and lowest <= high)
