"""Figures of a machine beside people -> a verdict in plain words."""

from __future__ import annotations

import math
from dataclasses import replace
from itertools import combinations
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import pandas as pd
import scipy

from pdkappa.coefficients.influence import spans_groups, standard_error, worth_of
from pdkappa.coefficients.intervals import Limits, fisher_of_many
from pdkappa.coefficients.pair_counts import sums_at
from pdkappa.coefficients.score_limits import (
    ROUNDING,
    fdtrc,
    half_width,
    positive,
    two_sided,
    wilson,
)
from pdkappa.methods.comparisons.compare import contrast, kappas_of, shares
from pdkappa.methods.estimates.pair_frames import whole
from pdkappa.methods.estimates.told import more_items, p_in_words
from pdkappa.methods.machine.ceiling import Compared, telling
from pdkappa.present import schema
from pdkappa.present.findings import NO_FIGURES, Finding, with_minus
from pdkappa.present.labels import ROWS, place_of, rounded
from pdkappa.present.schema import REASONS
from pdkappa.ratings.categories import index_of
from pdkappa.ratings.coded import Codes

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from pdkappa._typing import FloatArray, Label, ObjectArray
    from pdkappa.coefficients.influence import Worth
    from pdkappa.coefficients.pair_kappas import PairKappas
    from pdkappa.coefficients.rating_rows import RatingRows
    from pdkappa.methods.comparisons.compare import Contrast
    from pdkappa.methods.estimates.study import Study
    from pdkappa.present.findings import Verdict

HALF_A_COUNT = 0.5
FEWEST = 2
ALIKE_WEIGH = 10.0  # as many items


class Rate(NamedTuple):
    """A share, or a difference of shares, with its limits; NaN where it is 0/0."""

    estimate: float
    low: float
    high: float


NONE = Rate(np.nan, np.nan, np.nan)


def rate(share: float, n: float, level: float, df: float | None = None) -> Rate:
    """Give a share of n its score limits."""
    return Rate(share, *map(float, wilson(share, n, half_width(level, df))))


def joint(rows: RatingRows) -> RatingRows:
    """Select the items with all ratings; equal ones of a cluster are merged."""
    both = rows.select(np.all(rows.codes >= 0, axis=0))
    return both if rows.cluster is None else both.compressed


def flip_rate(rows: RatingRows, level: float) -> tuple[float, Rate]:
    """Count the items that two columns rated, and the share of those that are not the same."""
    both = joint(rows)
    n = float(both.n_items.sum())
    if not n:
        return 0.0, NONE
    flips = both.codes[0] != both.codes[1]
    share = float(both.total(flips)[0]) / n
    worth = worth_of(both, flips - share)
    return n, rate(share, float(worth.n[0]), level, _degrees(both, worth))


def _degrees(rows: RatingRows, worth: Worth) -> float | None:
    """Degrees of freedom of a group of clusters, NaN of a single one; None of items."""
    return None if rows.cluster is None else float(positive(worth.df)[0])


def ratio(
    top: FloatArray, bottom: FloatArray, count: FloatArray, level: float, *, nested: bool = False
) -> Rate:
    """Estimate a share of ratings, of which an item may have several.

    Parameters
    ----------
    top, bottom : ndarray of float, shape (U,)
        Ratings of each item that are counted, and of which they are a part.
    count : ndarray of float, shape (U,)
        Number of items like this.
    level : float
        Confidence level.
    nested : bool
        Whether a row is a cluster of items.

    Notes
    -----
    ``R = sum(top) / sum(bottom)``, with the variance ``sum((top - R bottom)**2) /
    sum(bottom)**2``. Of few items that is known badly, so that it is averaged with what it would
    be if all ratings of an item were alike, ``R (1 - R) sum(bottom**2) / sum(bottom)**2``: of m
    items with a part in it, these weigh m to 10. Limits are Wilson's for as many independent
    ratings as would have that variance, at most those that there are.
    """
    m, total = float(count[bottom > 0].sum()), float((count * bottom).sum())
    if not m > 0:
        return NONE
    share = float((count * top).sum() / total)
    df = (m - 1 if m > 1 else np.nan) if nested else None
    alike = float((count * bottom**2).sum()) / total**2
    if not 0 < share < 1:
        return rate(share, 1 / alike, level, df)
    own = float((count * (top - share * bottom) ** 2).sum()) / total**2
    binomial = share * (1 - share)
    variance = (m * own + ALIKE_WEIGH * binomial * alike) / (m + ALIKE_WEIGH)
    return rate(share, min(binomial / variance, total), level, df)


def mean_of(rows: RatingRows, values: FloatArray, level: float) -> Rate:
    """Estimate the mean of a value of each item, with limits by t; none where nothing varies."""
    n, units = float(rows.n_items.sum()), float(rows.units.sum())
    if not n > 0:
        return NONE
    mean = float(rows.total(values).sum() / n)
    se = standard_error(rows, values - mean)[0] if units >= FEWEST else 0.0
    half = half_width(level, units - 1) * se if se > ROUNDING else np.nan
    return Rate(mean, float(mean - half), float(mean + half))


def shift_of_share(
    gained: float, lost: float, n: float, level: float, df: float | None = None
) -> tuple[Rate, float]:
    """Estimate by how much a share grew among n items, of which some gained it and some lost it.

    The second is the two-sided p-value that it did not. Limits are those of Agresti and Min (2005),
    who add half an item to each of the four cells. The test is McNemar's exact one; of items that
    are worth less, with `df` degrees of freedom of clusters, it is no surer than the limits are.
    """
    more, less, all_of_them = gained + HALF_A_COUNT, lost + HALF_A_COUNT, n + 4 * HALF_A_COUNT
    middle = (more - less) / all_of_them
    error = np.sqrt((more + less) - (more - less) ** 2 / all_of_them) / all_of_them
    half = half_width(level, df) * error
    low, high = max(middle - half, -1.0), min(middle + half, 1.0)
    p_value = mcnemar(gained, lost)
    if df is not None:
        p_value = float(np.maximum(p_value, two_sided(middle / error, df)))
    return Rate((gained - lost) / n, float(low), float(high)), p_value


def mcnemar(gained: float, lost: float) -> float:
    """Two-sided p-value of the exact test that as many items gain something as lose it.

    Numbers need not be whole, as of items that are worth less.

    >>> round(mcnemar(9, 1), 6), mcnemar(0, 0)
    (0.021484, 1.0)
    """
    less, more = sorted((gained, lost))
    return float(min(1.0, 2 * scipy.special.betainc(more, less + 1, 0.5))) if more > 0 else 1.0


def all_equal(estimate: FloatArray, se: FloatArray, df: FloatArray) -> float:
    """p-value of Welch's test that independent estimates, shape (G,), are of the same value.

    NaN with fewer than two of them that have a standard error.
    """
    known = (se > 0) & (df > 0) & ~np.isnan(estimate)
    k = int(known.sum())
    if k < FEWEST:
        return np.nan
    weight = 1 / se[known] ** 2
    share = weight / weight.sum()
    mean = float(share @ estimate[known])
    between = float(weight @ (estimate[known] - mean) ** 2) / (k - 1)
    loss = float(((1 - share) ** 2 / df[known]).sum())
    f = between / (1 + 2 * (k - 2) / (k**2 - 1) * loss)
    return float(fdtrc(k - 1, (k**2 - 1) / (3 * loss), f))


def labelled(
    rows: Sequence[tuple[Any, ...]], labels: Sequence[str], columns: Sequence[str]
) -> pd.DataFrame:
    """Put rows into a frame; the first column counts something."""
    names = [*labels, *columns]
    values = list(zip(*rows, strict=True)) if rows else [()] * len(names)
    held = {name: list(one) for name, one in zip(names, values, strict=True)}
    index = pd.MultiIndex.from_arrays([index_of(held.pop(name), name) for name in labels])
    frame = pd.DataFrame(held, index=index)
    frame[columns[0]] = whole(frame[columns[0]].to_numpy(dtype=np.float64))
    return frame


MOST_CATEGORIES = 100


def classes_of(
    study: Study, machines: Sequence[Label], humans: Sequence[Label], level: float
) -> pd.DataFrame:
    """Compare each machine with the humans on each category, the most frequent ones if many occur.

    One row for each machine and category, of the items that the machine and a human rated.
    """
    ratings = study.rows.compressed  # whose sums do not depend on the order of the items
    raters, codes = study.coded.raters, ratings.codes
    people = codes[[raters.index(name) for name in humans]]
    rated = (people >= 0).sum(axis=0)
    labels = study.coded.categories.labels
    times = np.bincount(people[people >= 0], minlength=len(labels))
    used = np.sort(np.argsort(-times, kind="stable")[:MOST_CATEGORIES]).tolist()
    given = {k: (people == k).sum(axis=0) for k in used}
    rows = []
    for machine in machines:
        own = codes[raters.index(machine)]
        both = (own >= 0) & (rated > 0)
        for k in used:
            known = (one[both].astype(np.float64) for one in (own == k, given[k], rated))
            figures = _Known(ratings.select(both), *known).row(level)
            rows.append((machine, labels[k], *figures, ""))
    return labelled(rows, ("machine", "category"), schema.AUDIT_CLASSES)


class _Known(NamedTuple):
    """What is known of one category on the items that the machine and a human rated, each (U,).

    Whether the machine gave it, how many humans did, and how many rated at all.
    """

    rows: RatingRows
    own: FloatArray
    given: FloatArray
    rated: FloatArray

    def row(self, level: float) -> tuple[float | str, ...]:
        """Compute the figures of the machine and the category."""
        rows, own, given, rated = self
        others = rated - given
        recall = self._ratio(given * own, given, level)
        specificity = self._ratio(others * (1 - own), others, level)
        humans = self._ratio(given * (given - 1), given * (rated - 1), level).estimate
        excess = mean_of(rows, own - given / rated, level)
        excess = excess._replace(low=max(excess.low, -1.0), high=min(excess.high, 1.0))
        shares = [mean_of(rows, one, level).estimate for one in (own, given / rated)]
        n_ratings = float(rows.total(given).sum())
        lost = "no_variance" if rows.units.sum() >= FEWEST else "n_lt_2"
        reason = lost if np.isnan(excess.low) else ""
        alone = np.isnan([recall.low, specificity.low]).any()  # in a single cluster
        reason = "n_lt_2" if alone and not reason else reason
        reason = reason if given.any() and others.any() else "unseen_class"
        reason = reason if len(own) else "no_joint_items"
        return (n_ratings, *recall, humans, *specificity, *shares, *excess, reason)

    def _ratio(self, top: FloatArray, bottom: FloatArray, level: float) -> Rate:
        """Estimate a share of ratings of the items, or of their clusters."""
        rows = self.rows
        if rows.cluster is None:
            return ratio(top, bottom, rows.count, level)
        clusters, place = np.unique(rows.cluster, return_inverse=True)
        top, bottom = (sums_at(place, rows.count * one, len(clusters)) for one in (top, bottom))
        return ratio(top, bottom, np.ones(len(top)), level, nested=True)


HUMANS = "humans with each other"


class Mean(NamedTuple):
    """A mean of coefficients in G groups with its limits, each of shape (G,)."""

    n_items: FloatArray
    estimate: FloatArray
    se: FloatArray
    ci_low: FloatArray
    ci_high: FloatArray
    df: FloatArray
    reason: ObjectArray

    @property
    def columns(self) -> dict[str, Any]:
        """The columns of a frame."""
        found = self._asdict() | {"n_items": whole(self.n_items), "remark": ""}
        del found["df"]
        return found


def of_raters(study: Study, names: Sequence[Label]) -> Study:
    """Ask the ratings of some of the raters on the scale of all."""
    coded = study.coded
    held = Codes(coded.codes[[coded.raters.index(name) for name in names]], coded.categories)
    groups = coded.groups.rated_by(np.logical_or.reduce(held.rated, axis=0))
    some = replace(coded, raters=list(names), held=held, groups=groups)
    return replace(study, coded=some)


def together(study: Study) -> Study:
    """Ask the same ratings as if they were not grouped; clusters are numbered over all groups."""
    coded = study.coded
    clusters = None if coded.clusters is None else coded.clusters // coded.n_groups
    coded = replace(coded, groups=coded.groups.together(), clusters=clusters)
    return replace(study, coded=coded, reading=replace(study.reading, by=None))


def mean_with_humans(found: Compared, level: float) -> Mean:
    """Average the coefficients of a machine with each human."""
    is_own = ~found.of_humans
    return _mean(found.kappas, shares(telling(found.kappas, is_own), is_own), level)


def mean_of_humans(study: Study, humans: Sequence[Label], coefficient: str, level: float) -> Mean:
    """Average the coefficients of all pairs of humans."""
    kappas = kappas_of(of_raters(study, humans), list(combinations(humans, 2)), coefficient)
    every = np.ones(len(kappas.estimate), dtype=bool)
    return _mean(kappas, shares(telling(kappas, every), every), level)


def limited_mean(
    kappas: PairKappas, weights: FloatArray, level: float
) -> tuple[Contrast, FloatArray, FloatArray]:
    """Average coefficients by weights, shape (C, G), with limits on Fisher's z scale, (G,)."""
    one = contrast(kappas, weights)
    worst = np.where(weights > 0, weights * kappas.worst, 0.0).sum(axis=0)
    pivot = fisher_of_many(one.estimate, one.se, kappas.units, worst)
    limits = Limits(*pivot.limits(level)).around(one.estimate, np.full(worst.shape, -1.0))
    return one, *limits


def _mean(kappas: PairKappas, weights: FloatArray, level: float) -> Mean:
    """Average coefficients, and say on how many items, and why there is no mean."""
    one, low, high = limited_mean(kappas, weights, level)
    rated = ((weights > 0) & (kappas.n_items > 0)).any(axis=0)
    n_items = np.where(rated, kappas.rows.n_items, 0.0)
    reason = np.where(one.reason == "no_variance", "", one.reason).astype(object)
    return Mean(n_items, one.estimate, one.se, low, high, one.df, reason)


def drift_of(found: Compared, level: float) -> tuple[pd.DataFrame, float]:
    """Follow a machine's agreement with humans, and theirs, over batches; test that it stays."""
    mean, study = mean_with_humans(found, level), found.study
    columns, why = mean.columns, study.groups.why_empty()
    reason = np.where(why != "", why, columns.pop("reason"))
    of_humans = shares(telling(found.kappas, found.of_humans), found.of_humans)
    columns["estimate_humans"] = contrast(found.kappas, of_humans).estimate
    columns |= {"reason": reason, "remark": columns.pop("remark")}
    names = index_of([study.raters[0]], "machine").repeat(study.n_groups)
    batches: Any = study.groups.labels
    levels = [batches.get_level_values(place) for place in range(batches.nlevels)]
    index = pd.MultiIndex.from_arrays([names, *levels])
    p_value = all_equal(mean.estimate, mean.se, mean.df)
    without_error = ~np.isnan(mean.estimate) & ~((mean.se > 0) & (mean.df > 0))
    if without_error.any():  # such as a batch on which all agree: it may differ from the others
        p_value, told = np.nan, "drift is not tested: a group has no standard error"
        columns["remark"] = np.where(without_error, told, columns["remark"])
    if spans_groups(study.rows):
        p_value = np.nan
        columns["remark"] = "drift is not tested: clusters have items in several groups"
    return pd.DataFrame(columns, index=index)[list(schema.AUDIT_DRIFT)], p_value


BINARY = 2


def repeats_of(
    study: Study, again: Mapping[Label, list[Label]], coefficient: str, level: float
) -> pd.DataFrame:
    """Count how often machines change their minds: one row for each machine and column."""
    rows = []
    for machine, columns in again.items():
        for column in columns:
            own = of_raters(study, [machine, column])
            n, flipped = flip_rate(own.rows, level)
            kappas = kappas_of(own, [(machine, column)], coefficient)
            reason = "no_joint_items" if not n else str(kappas.reason[0, 0])
            rows.append((machine, column, n, *flipped, float(kappas.estimate[0, 0]), reason, ""))
    return labelled(rows, ("machine", "again"), schema.AUDIT_REPEATS)


def positions_of(study: Study, swapped: Mapping[Label, list[Label]], level: float) -> pd.DataFrame:
    """Compare the share of each category in both orders: one row for each machine and category."""
    rows = []
    for machine, columns in swapped.items():
        for column in columns:
            own = of_raters(study, [machine, column])
            both = joint(own.rows)
            n, flips = flip_rate(own.rows, level)
            for k, label in enumerate(own.coded.categories.labels):
                first, second = both.codes == k
                if not (first | second).any():
                    continue
                moved = second * 1.0 - first
                share, shift = (float(both.total(one)[0]) / n for one in (first, moved))
                worth = worth_of(both, moved - shift)
                times, df = float(worth.n[0]) / n, _degrees(both, worth)
                gained, lost = (times * float(both.total(moved == side)[0]) for side in (1, -1))
                limits, p_value = shift_of_share(gained, lost, times * n, level, df)
                figures = (n, flips.estimate, share, share + shift, *limits, p_value)
                reason = "n_lt_2" if np.isnan(p_value) else ""
                rows.append((machine, column, label, *figures, reason, ""))
    return labelled(rows, ("machine", "swapped", "category"), schema.AUDIT_POSITIONS)


def p_of_position(positions: pd.DataFrame, machine: Label) -> float:
    """Return the least p-value of a machine's categories, times their number; of two just it."""
    own = positions[positions.index.get_level_values("machine") == machine]
    known = own["p_value"].dropna()
    parts = [part for _, part in known.groupby(level="swapped", sort=False)]
    p_values = [len(part) * part.min() if len(part) > BINARY else part.min() for part in parts]
    return float(min(1.0, len(p_values) * min(p_values))) if p_values else np.nan


NOT_ALLOWED = "not said"
SIGNIFICANT = 0.05  # a convention, for the choice of words only
CONCLUSIONS = {
    "better": "agrees better with humans than they do with each other",
    "as good": "agrees with humans as well as they do with each other, within the margin",
    "nearly": "agrees with humans less than they do with each other, but within the margin",
    "worse": "agrees with humans less than they do with each other, by more than the margin",
    "lower": "agrees with humans less than they do with each other; whether by more than the "
    "margin cannot be told",
    "open": "has not been shown to agree with humans as well as they do with each other",
    "below": "agrees with humans less than they do with each other",
    "untold": "agrees with humans neither more nor less than they do with each other, as far as "
    "can be told",
}
NOT_SAID = {
    "better": (
        "The interval does not show that the machine is right where humans differ from it, nor "
        "that it is better by more than {lowest}."
    ),
    "below": (
        "No margin was given, so it does not show whether the machine is good enough. State how "
        "much less agreement is acceptable."
    ),
    "untold": (
        "The interval includes 0, and no margin was given, so it does not show that the machine is "
        "as good as a human. More items may decide."
    ),
    "as good": "The interval includes 0, so it does not show which of the two agrees better.",
    "nearly": (
        "The whole interval is below 0, so it does not show that the machine is as good as a human."
    ),
    "worse": (
        "The interval does not show that the machine is of no use: only that it agrees less by "
        "{least} or more, not what that costs."
    ),
    "open": (
        "The interval includes {margin}, so it shows neither that the machine is worse than the "
        "margin allows, nor that it is not. More items may decide."
    ),
    "lower": (
        "The interval is below 0 but includes {margin}, so it does not show whether the machine is "
        "within the margin. More items may decide."
    ),
}


def conclusion_of(low: float, high: float, margin: float = math.nan) -> str:
    """Name what the interval of a difference, machine less humans, says beside a margin.

    >>> [conclusion_of(*limits, 0.1) for limits in ((0.02, 0.2), (-0.05, 0.1), (-0.09, -0.01))]
    ['better', 'as good', 'nearly']
    >>> [conclusion_of(*limits, 0.1) for limits in ((-0.3, -0.2), (-0.3, 0.2), (-0.2, -0.05))]
    ['worse', 'open', 'lower']
    >>> [conclusion_of(*limits) for limits in ((0.02, 0.2), (-0.2, 0.3), (-0.3, -0.2))]
    ['better', 'untold', 'below']
    """
    if low > 0:
        return "better"
    if math.isnan(margin):
        return "below" if high < 0 else "untold"
    if low > -margin:
        return "as good" if high >= 0 else "nearly"
    if high < -margin:
        return "worse"
    return "open" if high >= 0 else "lower"


def findings_of(row: Mapping[Any, Any], level: float, by: str = "") -> dict[str, str]:
    """Say what the figures of a machine mean, by what they are about.

    Parameters
    ----------
    row : mapping
        The columns of an audit but those in words.
    level : float
        The confidence level.
    by : str
        What the groups are called, of which drift is told.

    Returns
    -------
    dict of str
        ``agreement``, and as far as they are known ``replacement, asked again, order, drift``, and
        `NOT_ALLOWED`: what the interval of the difference does not show.
    """
    low, high, margin = (
        float(row[name]) for name in ("difference_low", "difference_high", "margin")
    )
    if math.isnan(low):
        why = REASONS.get(str(row["reason"]), "There are too few items.")
        return {"agreement": f"It is undecided how the machine compares. {why}", **_beside(row, by)}
    found = conclusion_of(low, high, margin)
    main = CONCLUSIONS[found]
    figures = (
        f"{rounded(row['estimate'])} with humans, {rounded(row['estimate_humans'])} among "
        f"them, difference {rounded(row['difference'])} ({100 * level:.10g} % interval "
        f"{rounded(low)} to {rounded(high)})"
    )
    beside = _beside(row, by)
    told_apart = row["non_inferior"] is not pd.NA and row["replaces"] is not pd.NA
    if told_apart and "replacement" in beside and row["non_inferior"] != row["replaces"]:
        beside["replacement"] += (
            " That test asks a different question, with a different answer here."
        )
    limits = {"margin": f"{-margin or 0:g}", "least": rounded(-high), "lowest": rounded(low)}
    not_said = NOT_SAID[found].format(**limits)
    return {"agreement": f"The machine {main}: {figures}.", **beside, NOT_ALLOWED: not_said}


def verdict_of(findings: Mapping[str, str]) -> tuple[str, str]:
    """Put findings into a few sentences; beside them what may not be said, or empty text."""
    said = [text for about, text in findings.items() if about != NOT_ALLOWED]
    return " ".join(said), findings.get(NOT_ALLOWED, "")


def _beside(row: Mapping[Any, Any], by: str) -> dict[str, str]:
    """Say what else was found: the alternative annotator test, consistency, order, drift."""
    said = {}
    rate, flips = float(row["winning_rate"]), float(row["flip_rate"])
    if not math.isnan(rate):
        n, may = int(row["n_humans"]), "may" if row["replaces"] else "may not"
        said["replacement"] = (
            f"By the alternative annotator test it {may} replace a human: it beats "
            f"{round(rate * n)} of {n}."
        )
    if not math.isnan(flips):
        share = f"{100 * flips:.2g} %"
        said["asked again"] = f"Asked again, it changes its mind on {share} of the items."
    for about, name, yes, no in (
        (
            "order",
            "p_position",
            "The order of the options matters",
            "No effect of the order is seen",
        ),
        ("drift", "p_drift", f"Its agreement differs by {by}", f"No difference by {by} is seen"),
    ):
        p = float(row[name])
        if not math.isnan(p):
            said[about] = f"{yes if p < SIGNIFICANT else no} ({p_in_words(p)})."
    return said


PASS, FAIL, UNKNOWN = "pass", "fail", "cannot tell"


def _within(name: str) -> str:
    """Write what a row is called within a sentence."""
    return name if name.isupper() else f"{name[0].lower()}{name[1:]}"


def those(names: list[str]) -> str:
    """List criteria."""
    spoken = [_within(ROWS[name]) for name in names]
    return " and ".join(filter(None, [", ".join(spoken[:-1]), *spoken[-1:]]))


def of_criterion(name: str, rows: pd.DataFrame, level: float) -> Finding:
    """Tell the figure of a criterion that is not passed beside its threshold."""
    threshold = float(rows["threshold"].iloc[0])
    asks_for = f"{rows['bound'].iloc[0]} {rounded(threshold)}"
    spoken = ROWS[name]
    is_failed = (rows["verdict"] == FAIL).to_numpy()
    verdict: Verdict = "shown not" if is_failed.any() else "cannot tell"
    if len(rows) > 1:
        lost = rows[is_failed] if is_failed.any() else rows[(rows["verdict"] != PASS).to_numpy()]
        ends = dict.fromkeys(with_minus(lost["estimate"].agg(end)) for end in ("min", "max"))
        may = "is not" if is_failed.any() else "may or may not be"
        where = f"in {len(lost)} of {len(rows)} groups"
        if len(lost) == 1:
            *group, _ = lost.index[0]
            label = tuple(group) if len(group) > 1 else group[0]
            where = f"in {place_of(lost.index.names[:-1], label)}"
        said = f"{spoken} {may} {asks_for} {where}: {' to '.join(ends)}."
        return Finding(name, "", said, "readiness", NO_FIGURES, verdict)
    row = rows.iloc[0]
    estimate, low, high = (float(row[one]) for one in ("estimate", "ci_low", "ci_high"))
    told, figures = f"{spoken} is {with_minus(estimate, low, high)}", (estimate, low, high)
    if is_failed.all():
        return Finding(name, "", f"{told}, not {asks_for}.", "readiness", figures, verdict)
    apart = abs(estimate) - threshold if "within" in asks_for else estimate - threshold
    error = (high - low) / (2 * float(half_width(level)))
    more = more_items(apart, error, float(row["n_items"]), level)
    said = f"{told}: it cannot be told whether it is {asks_for}{more}."
    return Finding(name, "", said, "readiness", figures, verdict)
