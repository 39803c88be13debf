"""Warn of labels and columns that look like a mistake in the data; they are taken literally."""

from __future__ import annotations

import unicodedata
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from pdkappa.errors import MOST_SHOWN, LookalikeLabelsWarning, listing, shown, warn
from pdkappa.ratings.columns import as_float
from pdkappa.ratings.pooled import group_like, groups_in_words
from pdkappa.ratings.raters import looks_long, warn_of_left_out

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

    from pdkappa._typing import BoolArray, FloatArray, IntArray, Label
    from pdkappa.ratings.categories import CategorySet
    from pdkappa.ratings.columns import Column

CLOSE = 1e-9
CLOSE_TO_THE_MEAN_GAP = 1e-8
FEWEST_IDS = 10
FEWEST_TO_COMPARE = 2
FEW = 0.1  # the share of ratings that may lie between the scores of another rater
GRIDS = (1.0, 0.5, 0.25, 0.1)
GRID_ROUNDING = 1e-6  # that of tenths in single precision
QUARTER = 0.25
SINGLE = ("float32", "float[", "sparse[float32")
BY_EQUALITY = ", to which they are never equal."
BY_DISTANCE = (
    ". Cohen's kappa with quadratic or linear weights uses their values, as concordance does, "
    "unless distance='rank'; coefficients and weights that count or rank categories, such as "
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


class Looked(NamedTuple):
    """The ratings that are looked at.

    Attributes
    ----------
    columns : list of Column
    codes : ndarray of int, shape (R, N)
        Their codes by the shared categories.
    categories : CategorySet
    counts : ndarray of float, shape (N,), or None
        How often each row stands for an item, if rows are distinct ones.
    by_distance : bool
        Whether disagreements count by distance, so that measurements need not be equal.
    """

    columns: list[Column]
    codes: IntArray
    categories: CategorySet
    counts: FloatArray | None
    by_distance: bool


def warn_of_looks(
    data: Looked, *, labels: bool, raters: bool, left_out: Mapping[Label, str]
) -> None:
    """Give one warning that lists everything that looks like a mistake.

    `labels` says whether labels can be mistakes, as those in declared categories cannot, and
    `raters` whether columns can be no raters, as those that are named cannot. A warning of what
    is `left_out` goes before it, and both advise to name the same raters.
    """
    doubts = group_like(data.columns, data.codes, data.categories, data.counts) if raters else {}
    warn_of_left_out(left_out, [x.name for x in data.columns if x.name not in doubts])
    rated = [column for column in data.columns if column.labels and column.name not in doubts]
    findings = []
    if doubts:
        findings.append(groups_in_words(doubts, [column.name for column in data.columns]))
    if raters:
        findings.extend(filter(None, [looks_long(rated)]))
    if labels:
        findings.extend(_alike(rated, by_distance=data.by_distance))
    _warn(findings)


def warn_of_labels(columns: list[Column]) -> None:
    """Give one warning of all labels that look like a mistake."""
    _warn(_alike([column for column in columns if column.labels], by_distance=False))


def _warn(findings: list[str]) -> None:
    """Give one warning of all findings, if there are some."""
    if findings:
        text = " ".join(findings)
        warn(f"{text} They were taken literally.", LookalikeLabelsWarning)


def _alike(rated: list[Column], *, by_distance: bool) -> list[str]:
    """Say what of the labels looks like a mistake."""
    return [
        *_blank(rated),
        *_close_texts(rated),
        *_close_numbers(rated),
        *_single_precision(rated),
        *_unrounded(rated, by_distance=by_distance),
        *_id_like(rated),
        *_nothing_shared(rated, by_distance=by_distance),
    ]


def _close_texts(columns: list[Column]) -> Iterator[str]:
    """Find texts that differ only in ways that are easily overlooked."""
    labels = dict.fromkeys(label for column in columns for label in column.labels)
    texts = [label for label in labels if isinstance(label, str)]
    seen: dict[str, str] = {}
    pairs = [
        (seen[key], text) for text in texts if seen.setdefault(key := _plain(text), text) != text
    ]
    if pairs:
        remedies = dict.fromkeys(way for pair in pairs for way in _remedies(*pair))
        advice = f" Make them one with {', '.join(remedies)}, if they are." if remedies else ""
        yield f"Labels that look alike: {_pairs(pairs)}.{advice}"


def _remedies(one: str, other: str) -> Iterator[str]:
    """Name what makes two texts equal, step by step."""
    for way, apply in REMEDIES.items():
        before, (one, other) = (one, other), (apply(one), apply(other))
        if before != (one, other):
            yield way
        if one == other:
            return
    yield "pd.to_numeric"


def _blank(columns: list[Column]) -> Iterator[str]:
    """Find texts of nothing but white space, which are no label."""
    found = {
        column.name: label
        for column in columns
        for label in column.labels
        if isinstance(label, str) and not label.strip()
    }
    if found:
        example = shown(next(iter(found.values())))
        yield (
            f"Column(s) {listing(found)} hold blank text such as {example}. "
            r"Set it to missing with .replace(r'^\s*$', pd.NA, regex=True), if nothing was rated."
        )


def _plain(text: str) -> str:
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


def _close_numbers(columns: list[Column]) -> Iterator[str]:
    """Find floats much closer than the others, as 0.1 + 0.2 is to 0.3."""
    if not any(isinstance(label, float) for column in columns for label in column.labels):
        return
    values = np.unique([x for column in columns for x in _finite(column)])
    gaps = np.diff(values)
    if len(gaps):
        near = np.flatnonzero(gaps < min(CLOSE, CLOSE_TO_THE_MEAN_GAP * gaps.mean()))
        if len(near):
            pairs = [(float(values[i]), float(values[i + 1])) for i in near]
            yield f"Numbers closer than 1e-9: {_pairs(pairs)}."


def _single_precision(columns: list[Column]) -> Iterator[str]:
    """Find the float32 0.1, which is 0.10000000149, beside the float64 0.1."""
    if len({column.dtype for column in columns}) == 1:
        return
    is_single = [str(column.dtype).lower().startswith(SINGLE) for column in columns]
    single = [column for column, yes in zip(columns, is_single, strict=True) if yes]
    double = [column for column, yes in zip(columns, is_single, strict=True) if not yes]
    if not single or not double:
        return
    known = {x for column in single for x in _finite(column)}
    others = dict.fromkeys(x for column in double for x in _finite(column))
    pairs = [
        (nearest, x) for x in others if x != (nearest := float(np.float32(x))) and nearest in known
    ]
    if pairs:
        yield (
            f"Numbers that differ by the precision of column {single[0].name!r} (float32): "
            f"{_pairs(pairs)}."
        )


def _finite(column: Column) -> list[float]:
    """Return the numbers of a column as floats; none if it holds something else."""
    if column.kinds != {"number"}:
        return []
    return [x for x in map(as_float, column.labels) if abs(x) < np.inf]


def _pairs(pairs: list[tuple[Any, Any]]) -> str:
    """Show pairs of labels, in ASCII if they would look the same."""
    rest = len(pairs) - MOST_SHOWN
    more = f" and {rest} more" if rest > 0 else ""
    return "; ".join(" and ".join(_told_apart(*pair)) for pair in pairs[:MOST_SHOWN]) + more


def _told_apart(a: object, b: object) -> tuple[str, str]:
    """Show two labels so that they look different."""
    first, second = shown(a), shown(b)
    same = unicodedata.normalize("NFC", first) == unicodedata.normalize("NFC", second)
    return (ascii(a), ascii(b)) if same else (first, second)


def _unrounded(columns: list[Column], *, by_distance: bool) -> Iterator[str]:
    """Find the scores of a rater that lie between those of another one.

    Predictions, averages and half points do beside whole scores, and predictions beside half
    points. Halves and quarters may be scores that another rater seldom gives or has no use
    for, so a few of them are no mistake; other fractions are scores of hardly any scale.
    """
    numeric = [column for column in columns if column.kinds == {"number"}]
    if all(_is_whole(label) for column in numeric for label in column.labels):
        return
    values = [np.array([as_float(label) for label in column.labels]) for column in numeric]
    for step in GRIDS:
        coarse = [c for c, x in zip(numeric, values, strict=True) if _on_grid(x, step).all()]
        for column, x in zip(numeric, values, strict=True):
            between = np.isfinite(x) & ~_on_grid(x, step)
            unscored = between & ~_on_grid(x, QUARTER)
            if not (coarse and between.any()):
                continue
            if unscored.any() or _share(column, between) > FEW:
                score, beside = float(x[between][0]), f"multiples of {step:g}"
                held = (
                    f"Column {column.name!r} holds fractions such as {score!r} beside the "
                    f"{'whole scores' if step == 1 else beside} of {coarse[0].name!r}"
                )
                yield f"{held}{BY_DISTANCE if by_distance else BY_EQUALITY} {ROUND_FIRST}"
                return


def _is_whole(number: Any) -> bool:
    """Whether a number is an integer, or a float that equals one."""
    return isinstance(number, int) or (isinstance(number, float) and number.is_integer())


def _on_grid(values: FloatArray, step: float) -> BoolArray:
    """Whether numbers are multiples of a step."""
    with np.errstate(invalid="ignore", over="ignore"):  # infinite
        times = values / step
        off = np.abs(times - np.rint(times))
    result: BoolArray = off <= GRID_ROUNDING * np.minimum(np.abs(times), 1)
    return result


def _share(column: Column, labels: BoolArray) -> float:
    """Return the share of a column's ratings that are among some of its labels."""
    given = column.codes[column.codes >= 0]
    return float(np.isin(given, column.slots[labels]).mean())


def _fraction(column: Column) -> float | None:
    """Return a number of a column that is no multiple of a quarter, if it has one."""
    return next((x for x in _finite(column) if not (x / QUARTER).is_integer()), None)


def _id_like(columns: list[Column]) -> Iterator[str]:
    """Find a column that numbers or names the items rather than rating them."""
    others = [column for column in columns if not _never_repeats(column)]
    names = [
        column.name
        for column in columns
        if others and _never_repeats(column) and _is_apart(column, others)
    ]
    if names:
        yield f"Column(s) {listing(names)} look like identifiers: no value occurs twice."


def _never_repeats(column: Column) -> bool:
    """Whether ten whole numbers or texts or more never repeat."""
    n = len(column.labels)
    if n < FEWEST_IDS or not column.kinds <= {"number", "text"}:
        return False
    if any(not x.is_integer() for x in _finite(column)):
        return False
    return n == int(np.count_nonzero(column.codes >= 0))


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
    labels = [label for column in columns for label in column.labels]
    return min(labels), max(labels)


def _nothing_shared(columns: list[Column], *, by_distance: bool) -> Iterator[str]:
    """Find raters who have no label in common with any other rater.

    A rater with a single label proves nothing, and neither do numbers among those of the
    others, unless they are measurements that would have to be equal to agree.
    """
    varied = [column for column in columns if len(column.labels) > 1]
    if len(varied) < FEWEST_TO_COMPARE:
        return
    uses: dict[Any, int] = {}
    for column in columns:
        for label in column.labels:
            uses[label] = uses.get(label, 0) + 1
    alone = [column for column in varied if all(uses[label] == 1 for label in column.labels)]
    names = [
        column.name
        for column in alone
        if not _is_among(column, [other for other in columns if other is not column])
        or not (by_distance or _fraction(column) is None)
    ]
    if names:
        yield f"Rater(s) {listing(names)} share no label with any other rater."


def _is_among(column: Column, others: list[Column]) -> bool:
    """Whether numbers reach into the range of others'."""
    if column.kinds != {"number"}:
        return False
    (low, high), (lowest, highest) = _range([column]), _range(others)
    return bool(low <= highest and lowest <= high)
