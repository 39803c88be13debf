"""Counts and estimates of pairs -> labelled frames, with remarks and reasons."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from pdkappa.coefficients.all_raters import FEWEST_JOINT, MULTIRATER, share_few
from pdkappa.coefficients.all_raters_estimates import FEWEST_RATERS
from pdkappa.coefficients.chance import COEFFICIENTS, FEWEST_OUTSIDE
from pdkappa.coefficients.guarded_limits import effective_number
from pdkappa.coefficients.influence import disagreement_within, mean_apart
from pdkappa.coefficients.pair_estimates import (
    EVERY_FIGURE,
    INFERENCE,
    MOST_PROGRAMMES,
    OF_MOMENTS,
    of_moments,
    summarise,
    with_clusters,
    with_population,
)
from pdkappa.coefficients.pair_kappas import LARGEST_PROGRAMME
from pdkappa.coefficients.score_limits import ROUNDING, interpret
from pdkappa.coefficients.sparse_rows import wide
from pdkappa.errors import (
    LookalikeLabelsWarning,
    OptionError,
    TooLargeError,
    UndefinedKappaWarning,
    plural,
    shown,
    warn,
)
from pdkappa.methods.estimates.options import adjusted_for_number, check_by, resample_pairs
from pdkappa.methods.estimates.study import left_of_population, read
from pdkappa.methods.estimates.told import hear_of
from pdkappa.present import schema
from pdkappa.present.labels import parts_of
from pdkappa.present.text_tables import Result, result, tidy
from pdkappa.ratings.categories import index_of, taken, texts_of
from pdkappa.ratings.coded import Counted
from pdkappa.ratings.counted_pairs import rater_pairs
from pdkappa.ratings.items import Groups

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from pdkappa._typing import BoolArray, CountArray, FloatArray, Label, ObjectArray, Raters
    from pdkappa.coefficients.intervals import Figures, PairFigures, RaterFigures
    from pdkappa.coefficients.rating_rows import RatingRows, Rows
    from pdkappa.coefficients.weights import Scale
    from pdkappa.methods.estimates.options import IntervalOptions
    from pdkappa.methods.estimates.study import Study
    from pdkappa.ratings.counted_pairs import PairTables, RaterPairs
    from pdkappa.ratings.long_ratings import Listed
    from pdkappa.ratings.options import Reading

LARGEST_COVARIANCE = 1 << 26
MOST_PAIRS = 20_000
# What a coefficient is called elsewhere, and what one of all raters is for a pair.
SYNONYMS = {word: repr(name) for name, row in COEFFICIENTS.items() for word in row.synonyms} | {
    row.many: f"{shown(name)} for a pair of raters"
    for name, row in COEFFICIENTS.items()
    if row.many not in COEFFICIENTS
}
SYNONYMS_OF_MANY = {word: repr(name) for name, row in MULTIRATER.items() for word in row.synonyms}


def check_raters_vary(vary: str, data: object, n_raters: int) -> None:
    """Refuse raters as a sample where they cannot be left out one by one."""
    if vary == "items":
        return
    if isinstance(data, Counted) and data.anonymous:
        raise OptionError(
            f"Counts of categories do not say who rated, so vary={shown(vary)} cannot leave out "
            f"one rater at a time. Use vary='items'."
        )
    if n_raters < FEWEST_RATERS:
        raise OptionError(
            f"vary={shown(vary)} leaves out one rater at a time, which needs three raters or more, "
            f"got {n_raters}. Pass more raters, or use vary='items'."
        )


def check_covariances(n_raters: int, n_groups: int = 1) -> None:
    """Refuse more raters than the covariances of all pairs leave room for."""
    n_pairs = n_raters * (n_raters - 1) // 2
    n_cells = n_pairs**2 * n_groups
    if n_cells > LARGEST_COVARIANCE:
        raise TooLargeError(
            f"{n_pairs} pairs of {n_raters} raters have {n_cells} covariances over all groups; the "
            f"limit is {LARGEST_COVARIANCE}. Pass fewer raters."
        )


def check_pairs(n_raters: int, function: str) -> None:
    """Refuse more pairs of raters than a function of every pair gets through in a minute."""
    n_pairs = n_raters * (n_raters - 1) // 2
    if n_pairs > MOST_PAIRS:
        raise TooLargeError(
            f"{function} takes a millisecond for each of the {n_pairs} pairs of {n_raters} raters; "
            f"the limit is {MOST_PAIRS} pairs. Pass fewer raters."
        )


def check_clip(clip: object) -> None:
    """Refuse a cap that is neither None nor a number between 0 and 1."""
    if clip is None:
        return
    if isinstance(clip, bool) or not isinstance(clip, float | int) or not 0 < clip < 1:
        raise OptionError(
            f"clip={shown(clip)} must lie between 0 and 1. Pass None to average without a cap."
        )


LARGEST_INTEGER = 2.0**63


def whole(values: CountArray) -> CountArray:
    """Return whole numbers as integers, if all are and none is beyond them."""
    if ((values == np.floor(values)) & (np.abs(values) < LARGEST_INTEGER)).all():
        return values.astype(np.int64)
    return values


def joined(*remarks: Iterable[str]) -> ObjectArray:
    """Put remarks on the same rows one behind the other, each once."""
    lists = [list(each) for each in remarks]
    rows = list(zip(*filter(any, lists), strict=True)) or [()] * len(lists[0])
    known = {row: "; ".join(dict.fromkeys(filter(None, row))) for row in set(rows)}
    return np.array([known[row] for row in rows], dtype=object)


def framed(columns: dict[str, Any], index: pd.Index | None = None) -> pd.DataFrame:
    """Put columns into a frame, counts (n_...) as integers where they are whole."""
    counts = {name: whole(one) for name, one in columns.items() if name.startswith("n_")}
    return pd.DataFrame(columns | counts, index=index)


def in_turns(
    parts: list[dict[str, Any]], names: tuple[str, ...], groups: Groups, inner: pd.Index
) -> pd.DataFrame:
    """Put the rows of parts, each of shape (G,) or the same of all, group by group."""

    def in_order(name: str) -> Any:
        rows = [one[name] if np.ndim(one[name]) else [one[name]] * groups.n for one in parts]
        return np.stack(rows, axis=1).reshape(-1)

    return framed({name: in_order(name) for name in names}, groups.each(inner))


FEWEST_OF_TESTS = 30
FEW_JOINT = f"fewer than {FEWEST_OF_TESTS} items a pair: the test is approximate"
FEWEST_OF_LIMITS = 50
FEW_RATINGS = f"fewer than {FEWEST_OF_LIMITS} ratings: limits and test are approximate"
FEW_ITEMS = f"fewer than {FEWEST_OF_LIMITS} items: limits and test are approximate"
FEW_TEXTS = f"fewer than {FEWEST_OF_LIMITS} texts: limits are approximate"
FEW_OF_PAIRS = f"fewer than {FEWEST_OF_LIMITS} items a pair: limits and test are approximate"
BIASED = f"fewer than {FEWEST_JOINT} items a pair: the mean of their kappas is biased"
FEWEST_AGREEING = 10
FEW_AGREE = f"fewer than {FEWEST_AGREEING} items agree: limits are approximate"
# By the number of effective disagreements below which it holds.
OF_DISAGREEMENTS = {
    10: "fewer than 10 effective disagreements: limits are approximate",
    5: "fewer than 5 effective disagreements: limits are unreliable, as one large disagreement "
    "would move them",
}
# By the number of ratings outside one category below which it holds.
OF_TESTS = {FEWEST_OUTSIDE: "the test is approximate", 5: "the test is unreliable"}
UNRELIABLE = "limits and test are unreliable"
OF_LIMITS = {FEWEST_OUTSIDE: "limits and test are approximate", 5: UNRELIABLE}


def remarks_on_raters(n_outside: FloatArray, n_ratings: FloatArray) -> ObjectArray:
    """Tell which limits and tests of raters are unreliable; empty text for others.

    `n_outside` is the number of ratings expected there of each rater outside one category, which
    decides how far a test of coefficients holds, more than `n_ratings` does.
    """
    few = told_where(n_ratings < FEWEST_OF_LIMITS - 1e-9, FEW_RATINGS)
    return _or_rare(few, n_outside, OF_LIMITS)


def remarks_of(rows: Rows, scale: Scale) -> ObjectArray:
    """Remark on the tests of groups of items, shape (G,): see `remarks_on_raters`.

    Few effective disagreements among all their ratings make a test as weak as few ratings do.
    """
    apart = mean_apart(rows, disagreement_within(rows, scale))
    effective = effective_number(rows.total(apart), rows.total(apart**2))
    remarks = told_where(rows.items_of_pair < FEWEST_OF_TESTS - 1e-9, FEW_JOINT)
    for fewest, verdict in OF_TESTS.items():
        few = (effective < fewest - 1e-9) & (rows.n_items > 0)
        remarks[few] = f"fewer than {fewest} effective disagreements: {verdict}"
        remarks = _or_rare(remarks, rows.n_items * rows.share_outside, {fewest: verdict})
    return remarks


def remarks_on_limits(figures: Figures, n_joint: FloatArray) -> ObjectArray:
    """Tell which limits and tests of coefficients are unreliable, shape (S,).

    Empty text for the others, and where there are no limits, or all items are known. `n_joint` is
    the number of items, or of each pair where kappas of pairs are averaged. Of several remarks the
    gravest is told.
    """
    remarks = told_where(n_joint < FEWEST_OF_LIMITS - 1e-9, FEW_OF_PAIRS)
    remarks[figures.n_items < FEWEST_OF_LIMITS - 1e-9] = FEW_ITEMS
    remarks[figures.n_agreeing < FEWEST_AGREEING - 1e-9] = FEW_AGREE
    n_outside = figures.n_items * figures.share_outside
    for fewest, verdict in OF_LIMITS.items():
        remarks[figures.effective_disagreements < fewest - 1e-9] = OF_DISAGREEMENTS[fewest]
        remarks = _or_rare(remarks, n_outside, {fewest: verdict})
    remarks[~(figures.ci_high - figures.ci_low > ROUNDING)] = ""
    remarks[share_few(n_joint, figures.n_items)] = BIASED
    return remarks


def on_disagreements(effective: FloatArray) -> ObjectArray:
    """Remark on limits that rest on few disagreements, shape (S,); empty text for others."""
    remarks = told_where(np.zeros(effective.shape, dtype=bool), "")
    for fewest, remark in OF_DISAGREEMENTS.items():
        remarks[effective < fewest - 1e-9] = remark
    return remarks


def told_where(holds: BoolArray, text: str) -> ObjectArray:
    """Return a text where something holds, else empty text, without a copy of it for each."""
    return np.array(["", text], dtype=object)[np.asarray(holds, dtype=np.intp)]


def _or_rare(remarks: ObjectArray, n_outside: FloatArray, verdicts: dict[int, str]) -> ObjectArray:
    """Put in what too few ratings outside one category make of tests or limits."""
    for fewest, verdict in verdicts.items():
        rare = n_outside < fewest - 1e-9  # shares are up to rounding error
        remarks[rare] = f"fewer than {fewest} ratings outside one category: {verdict}"
    return remarks


MOST_NAMED = 5


def stacked(frames: list[pd.DataFrame], groups: pd.Index | None) -> pd.DataFrame:
    """Put the frames of groups one below the other, labelled by them."""
    if groups is None:
        return frames[0]
    found, place = pd.concat(frames), np.repeat(np.arange(len(frames)), [*map(len, frames)])
    inner = [found.index.get_level_values(level) for level in range(found.index.nlevels)]
    return found.set_axis(Groups.of(groups, None, None).index(place, inner))


def tabled(
    frames: Iterable[pd.DataFrame],
    n: float,
    unit: str = "item",
    figure: str = "estimate",
    **of: Any,
) -> Result:
    """Make a result of a frame for each group of long data; `of` is what `hear_of` takes, too.

    What is read while the frames are made is heard after it. Where the `figure` is undefined, one
    warning says so; of none there is no warning.
    """
    hear_of(n, unit, **of)
    found = stacked([*frames], of.get("groups"))
    if figure:
        warn_if_undefined("estimate", found[figure].isna(), found["reason"])
    return tidy(found, of.get("raters", ()))


def warn_if_undefined(
    what: str,
    undefined: pd.Series | BoolArray,
    reasons: pd.Series,
    name: Callable[[int], str] | None = None,
) -> None:
    """Give one warning that counts the undefined rows and names the first, with their reasons.

    `what` is what is undefined, as in "3 of 8 coefficients". `name` gives the name of a row from
    its place, by default its label; without a name the reason stands alone.
    """
    rows = np.flatnonzero(undefined)
    if not len(rows):
        return
    first = reasons.iloc[rows[:MOST_NAMED]]
    names = map(repr, first.index) if name is None else map(name, rows[:MOST_NAMED].tolist())
    named = [f"{one} ({why})" if one else why for one, why in zip(names, first, strict=True)]
    rest = len(rows) - len(named)
    more = f" and {rest} more" if rest else ""
    warn(
        f"{len(rows)} of {len(reasons)} {plural(len(reasons), what)} "
        f"{plural(len(rows), 'is', 'are')} undefined (NaN): {', '.join(named)}{more}. The column "
        "'reason' says why.",
        UndefinedKappaWarning,
    )


def warn_if_swapped(items: tuple[Label, float], raters: tuple[Label, float]) -> None:
    """Warn of fewer items, named with their number, than raters, or levels of another facet."""
    if items[1] < raters[1]:
        warn(
            f"There {plural(items[1], 'is', 'are')} {items[1]:.0f} {plural(items[1], 'level')} of "
            f"{shown(items[0])} and {raters[1]:.0f} of {shown(raters[0])}: are items and raters "
            f"swapped?",
            LookalikeLabelsWarning,
        )


def warn_of_undefined_rows(frame: pd.DataFrame) -> None:
    """Give one warning that counts the undefined coefficients and names the first."""

    def name(row: int) -> str:
        return " at ".join(map(str, reversed(parts_of(frame.index[row], frame.index.names))))

    warn_if_undefined("coefficient", frame["estimate"].isna(), frame["reason"], name)


TEXTS = ("reason", "remark")


@dataclass(frozen=True)
class PairEstimates:
    """All pairs, and what was computed of them."""

    tables: RaterPairs
    summary: PairFigures
    lost: str = field(default="", kw_only=True)  # what resampling lost, in words

    def column(self, name: str) -> Any:
        """Return one figure of every table, shape (G x P,), as a frame would hold it."""
        if name == "reason":
            return self._reasons()
        if name == "remark":
            return remarks_on_limits(self.summary, self.summary.n_items)
        values = getattr(self.summary, name)
        return whole(values) if name == "n_items" else values

    def frame(self, names: tuple[str, ...], **known: Any) -> Result:
        """Return one row for each pair (and group), labelled by the group, with such columns."""
        raters = index_of(self.tables.raters).array
        for name, side in zip(("rater_a", "rater_b"), self.tables.sides, strict=True):
            known[name] = taken(raters, np.tile(side, self.tables.n_groups))
        rows = pd.RangeIndex(len(self.summary.estimate))
        known |= {name: texts_of(self.column(name)) for name in names if name in TEXTS}
        columns = [known[name] if name in known else self.column(name) for name in names]
        frame = result(dict(enumerate(columns)), self.tables.raters, index=rows)
        frame.columns = index_of(names)
        self.tables.groups.label(frame)
        return frame

    def warn_if_undefined(self, min_items: float = 0) -> None:
        """Give one warning that counts the undefined coefficients and names the first.

        Those of fewer items are not shown.
        """
        if self.lost:
            warn(self.lost, UndefinedKappaWarning)
        if not np.isnan(self.summary.estimate).any():
            return
        first, second = self.tables.sides
        meant = np.tile(first != second, self.tables.n_groups)
        meant &= self.summary.n_items >= min_items
        if self.tables.only_joint:
            meant &= self.summary.n_items > 0
        undefined, cells = np.isnan(self.summary.estimate[meant]), np.flatnonzero(meant)
        if undefined.any():
            reasons = pd.Series(self._reasons()[meant])
            warn_if_undefined(
                "coefficient", undefined, reasons, lambda row: self._name(int(cells[row]))
            )

    def warn_if_unsolved(self) -> None:
        """Give one warning that counts the greatest estimates that were not computed."""
        summary, n_rows = self.summary, len(self.summary.estimate)
        n_unsolved = int((np.isnan(summary.max_estimate) & ~np.isnan(summary.estimate)).sum())
        if not n_unsolved:
            return
        warn(
            f"max_estimate is not computed (NaN) for {n_unsolved} of {n_rows} "
            f"{plural(n_rows, 'row')}: these weights need a linear programme for each, which is "
            f"left out beyond {MOST_PROGRAMMES} rows or {LARGEST_PROGRAMME} categories. Choose "
            "fewer raters, groups or categories if you need it.",
            UndefinedKappaWarning,
        )

    def _name(self, cell: int) -> str:
        """Name one table in words."""
        group, pair = divmod(cell, self.tables.n_pairs)
        a, b = (self.tables.raters[rater] for rater in self.tables.sides[:, pair])
        return f"{shown(a)} with {shown(b)}{self.tables.groups.at(group)}"

    def _reasons(self) -> ObjectArray:
        """Say why a figure is undefined; empty where none is, shape (G x P,)."""
        if self.tables.groups.has_ratings.all():
            return self.summary.reason
        empty = np.repeat(self.tables.groups.why_empty(), self.tables.n_pairs)
        return np.where(empty != "", empty, self.summary.reason)


@dataclass(frozen=True)
class Estimates(PairEstimates):
    """Counts of all pairs, and every figure computed from them."""

    tables: PairTables
    scale: Scale
    rows: RatingRows | None = None  # where items are nested in clusters

    @property
    def on_scale(self) -> PairTables:
        """The tables with the categories of their scales: a matrix of weights is for all."""
        return replace(self.tables, in_use=self.scale.in_use)

    def of_pair(self, pair: int) -> Estimates:
        """Return the figures of one pair in all groups, as they are among all raters."""
        tables, rows = self.tables.of_pair(pair), self.rows
        own = slice(pair, None, self.tables.n_pairs)
        if rows is not None:
            rows = replace(rows, codes=rows.codes[list(self.tables.pairs[pair])]).compressed
        return replace(self, tables=tables, summary=self.summary.at(own), rows=rows)


def read_pairs(
    data: pd.DataFrame | Counted | Listed,
    raters: Raters | None,
    reading: Reading,
    coefficient: str,
    interval: IntervalOptions,
    *,
    warns: bool = True,
) -> Study:
    """Read the ratings for the functions of pairs."""
    check_by(reading.by, {*schema.PAIRS, *schema.ADJUSTED, "rater"})
    # Clusters, weights of a sample and resamples need the rows; else a list is counted.
    by_list = reading.cluster is None and reading.missing == "pairwise"
    by_list = by_list and interval.ci == interval.first and not reading.is_sampled
    study = read(data, raters, reading, by_list=by_list, of_crowds=True, warns=warns)
    if warns:
        study.warn_of_categories([coefficient])
    return study


def estimate(
    study: Study,
    coefficient: str,
    interval: IntervalOptions,
    *,
    with_itself: bool = False,
    needed: frozenset[str] = EVERY_FIGURE,
    min_items: float = 0,
) -> Estimates:
    """Estimate all pairs of raters, each with itself too if that is asked for.

    Pairs with fewer joint items than `min_items` in every group are left out.
    """
    drawn = study.rows if interval.ci != interval.first else None  # before anything is computed
    tables = study.count(with_itself=True) if with_itself else study.tables
    if min_items > 0:
        tables = tables.sharing(min_items)
    scale, model = study.scale, COEFFICIENTS[coefficient]
    ci, level, null = interval.first, interval.level, interval.null
    summary = summarise(tables.counts, scale, model, needed=needed, ci=ci, level=level, null=null)
    left = left_of_population(study, interval, summary.n_items)
    if left is not None:
        summary = with_population(
            summary, tables.counts, scale, model, left, ci=ci, level=level, null=null
        )
    rows = None
    if study.coded.clusters is not None:
        found = study.ratings.compressed
        parts, pairs = (found, tables.counts, scale, model), tables.pairs
        summary = with_clusters(summary, *parts, pairs=pairs, ci=ci, level=level, null=null)
        rows = None if study.is_listed else wide(found)
    if drawn is None:
        return Estimates(tables, summary, scale, rows)
    summary, lost = resample_pairs(summary, tables, drawn, scale, model=model, options=interval)
    return Estimates(tables, summary, scale, rows, lost=lost)


def estimate_square(
    study: Study, coefficient: str, interval: IntervalOptions, stat: str
) -> PairEstimates:
    """Estimate one figure of all pairs, and of each rater with itself, from moments if they do."""
    codes, found = study.alike if stat in OF_MOMENTS else None, None
    if codes is not None:
        study.check_pairs()
        pairs = rater_pairs(study.coded, with_itself=True)
        found = of_moments(codes, pairs.sides, study.scale, COEFFICIENTS[coefficient])
    if found is not None:
        return PairEstimates(pairs, found)
    return estimate(study, coefficient, interval, with_itself=True, needed=frozenset([stat]))


def figures_of(estimates: Estimates, coefficient: str, *, ci: str, level: float) -> PairFigures:
    """Compute limits of the same tables at another level, by a formula."""
    tables, scale, rows = estimates.tables, estimates.scale, estimates.rows
    model = COEFFICIENTS[coefficient]
    found = summarise(tables.counts, scale, model, needed=INFERENCE, ci=ci, level=level)
    if rows is None:
        return found
    parts = (rows, tables.counts, scale, model)
    return with_clusters(found, *parts, pairs=[(0, 1)], ci=ci, level=level, null=0.0)


def pairs_frame(
    estimates: Estimates,
    min_items: float = 0,
    *,
    columns: tuple[str, ...] = schema.PAIRS,
    p_adjust: str | None = None,
) -> Result:
    """One row for each pair of raters with so many items, in each group if there are groups."""
    estimates.warn_if_unsolved()
    n_items = estimates.summary.n_items
    meant = n_items >= min_items
    if estimates.tables.only_joint:
        meant &= n_items > 0
    p_values = np.where(meant, estimates.summary.p_value, np.nan)
    frame = estimates.frame(columns, p_adjusted=adjusted_for_number(p_values, p_adjust))
    if meant.all():
        return frame
    kept, is_grouped = frame[meant], estimates.tables.groups.labels is not None
    return result(kept if is_grouped else kept.reset_index(drop=True), estimates.tables.raters)


def matrix_frame(estimates: PairEstimates, stat: str, min_items: float) -> Result:
    """Square frame of one figure, raters by raters, one below the other for groups."""
    tables = estimates.tables
    n_raters = len(tables.raters)
    values = np.asarray(estimates.column(stat))
    if stat == "max_estimate":
        estimates.warn_if_unsolved()
    few = estimates.summary.n_items < min_items
    if stat == "reason":
        values = np.where(few & (values == ""), "fewer_than_min_items", values)
    elif stat != "n_items" and few.any():
        values = np.where(few, np.nan, values)
    values = values.reshape(tables.n_groups, tables.n_pairs)
    alone = {"reason": "no_joint_items", "n_items": 0}.get(stat, np.nan)  # listed, sharing none
    square = np.full((tables.n_groups, n_raters, n_raters), alone, dtype=values.dtype)
    first, second = tables.sides
    square[:, first, second] = values
    square[:, second, first] = values
    columns = index_of(tables.raters)
    groups = tables.groups
    index = columns if groups.labels is None else groups.each(columns.rename("rater"))
    return result(square.reshape(-1, n_raters), tables.raters, index=index, columns=columns)


def confusion_frame(
    tables: PairTables, *, normalize: str | None, margins: bool, margins_name: Label
) -> Result:
    """Contingency table of the only pair, one below the other for groups."""
    dense: CountArray = tables.counts.tables() * tables.counts.unit
    totals = {
        None: 1,
        "all": dense.sum(axis=(1, 2), keepdims=True),
        "index": dense.sum(axis=2, keepdims=True),
        "columns": dense.sum(axis=1, keepdims=True),
    }
    total = totals[normalize]
    labels = tables.categories.index()
    if margins:
        dense = np.concatenate([dense, dense.sum(axis=1, keepdims=True)], axis=1)
        dense = np.concatenate([dense, dense.sum(axis=2, keepdims=True)], axis=2)
        labels = pd.Index([*labels, margins_name], dtype=object, tupleize_cols=False)
        if normalize in {"index", "columns"}:
            axis = 1 if normalize == "index" else 2
            total = np.concatenate([total, np.sum(total, axis=axis, keepdims=True)], axis=axis)
    if normalize is None:
        values = whole(dense)
    else:
        values = np.divide(dense, total, out=np.full(dense.shape, np.nan), where=total > 0)
    name_a, name_b = tables.raters
    index = tables.groups.each(labels.rename(name_a))
    frame = pd.DataFrame(
        values.reshape(len(index), len(labels)), index=index, columns=labels.rename(name_b)
    )
    shown = result(frame, tables.raters)
    if margins:
        shown.attrs["margins_name"] = margins_name
    return shown


def agreement_frame(
    summaries: dict[str, RaterFigures], groups: Groups, interpretation: str
) -> pd.DataFrame:
    """One row for each coefficient of all raters, in each group if there are groups."""
    parts = []
    for name, summary in summaries.items():
        columns = dict(vars(summary))
        corrected = np.where(name == "percent", np.nan, summary.estimate)
        columns["interpretation"] = interpret(corrected, summary.se, interpretation)
        columns["remark"] = remarks_on_limits(summary, summary.n_joint)
        parts.append(columns)
    return in_turns(parts, schema.AGREEMENT, groups, pd.Index(list(summaries), name="coefficient"))
