"""The same numbers from other packages, side by side."""

from __future__ import annotations

from dataclasses import dataclass
from importlib.metadata import version
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

import numpy as np
import pandas as pd

from pdkappa.coefficients.intervals import FISHER_CAP
from pdkappa.coefficients.pooling import fixed_effect, heterogeneity, weighted_fisher_mean
from pdkappa.estimation.checks import check_by
from pdkappa.estimation.estimate import estimate, read_pairs
from pdkappa.estimation.intervals import USUAL
from pdkappa.present import schema
from pdkappa.ratings.coded import Counted
from pdkappa.ratings.columns import plain_label
from pdkappa.ratings.group_weights import weights_of_groups
from pdkappa.ratings.items import item_weights
from pdkappa.ratings.reading import Reading

if TYPE_CHECKING:
    from collections.abc import Iterator

    from pdkappa._typing import (
        By,
        Categories,
        Distance,
        FloatArray,
        GroupWeights,
        IntArray,
        ItemWeights,
        Label,
        Missing,
        Raters,
        Weights,
    )
    from pdkappa.counts.tables import PairTables
    from pdkappa.estimation.estimates import Estimates
    from pdkappa.estimation.study import Study

TOLERANCE = 1e-9
TOLERANCE_OF_VARIANCE = 1e-14  # zero but for rounding, and yet a root of 1e-7
MOST_CATEGORIES = 200
MOST_ENTRIES = 1 << 26
SCORED = ("linear", "quadratic")
LEVELS: dict[str | None, Literal["nominal", "interval"]] = {
    None: "nominal",
    "quadratic": "interval",
}
COMPARED = ("estimate", "se", "se_null", "max_estimate")

DROPPED = (
    "{n:.10g} item(s) with a missing rating were left out of the call: statsmodels would count "
    "them in a category of their own."
)
FULL_RANGE = "scikit-learn was given labels=range({low}, {high}): by default it closes the gaps."
BY_RANK = (
    "scikit-learn measures distance in ranks, which on this scale is another weighting; "
    "distance='rank' reproduces it."
)
WEIGHTED_MAX = (
    "By linear programming. The kappa_max of statsmodels, {value:.3f}, is that of the "
    "unweighted kappa."
)
UNDEFINED = "Not called: kappa is undefined here, for which every package has its own convention."
TOO_MANY = f"Left out: more than {MOST_CATEGORIES} categories take the other packages too long."


class CheckRow(NamedTuple):
    """One figure of another package; `comparable` is False where it is known to differ."""

    statistic: str
    pdkappa: float
    reference: float
    package: str
    note: str = ""
    comparable: bool = True


@dataclass(frozen=True)
class Question:
    """One pair of raters in one group, counted by pandas, with what pdkappa says of it."""

    table: FloatArray
    labels: list[Any]
    scores: FloatArray
    disagreement: FloatArray
    note: str
    weights: Any
    ours: dict[str, float]

    @property
    def is_custom(self) -> bool:
        """Whether weights are given by value rather than by name."""
        return not (self.weights is None or isinstance(self.weights, str))

    @property
    def is_whole(self) -> bool:
        """Whether all counts are whole numbers, so that items can be repeated."""
        return bool((self.table == np.floor(self.table)).all())

    def row(
        self,
        statistic: str,
        reference: float,
        package: str,
        *,
        note: str = "",
        comparable: bool = True,
    ) -> CheckRow:
        """Put a figure beside ours."""
        text = f"{self.note} {note}".strip()
        return CheckRow(
            statistic, self.ours[statistic], float(reference), package, text, comparable
        )

    def for_statsmodels(self) -> dict[str, Any]:
        """Return the arguments by which statsmodels weighs the same way."""
        if self.weights is None:
            return {}
        if not self.is_custom and self.weights in SCORED:
            return {"weights": self.scores, "wt": self.weights}
        return {"weights": self.disagreement}

    def for_scikit_learn(self) -> tuple[IntArray, str, bool]:
        """Return the place of each category, a note, and whether it weighs the same way."""
        steps = np.abs(np.diff(self.scores))
        if self.weights is None or len(steps) == 0 or np.allclose(steps, steps[0], rtol=1e-12):
            return np.arange(len(self.labels)), "", True
        from_low = self.scores - self.scores.min()
        if (steps == np.floor(steps)).all() and from_low.max() < MOST_CATEGORIES:
            low, high = self.scores.min(), self.scores.max()
            note = FULL_RANGE.format(low=f"{low:g}", high=f"{high + 1:g}")
            return from_low.astype(np.int64), note, True
        return np.arange(len(self.labels)), BY_RANK, False

    def ratings_of_items(self) -> IntArray:
        """Return how often each item got each category, shape (N, K)."""
        one = np.eye(len(self.table), dtype=np.int64)
        kinds = (one[:, None] + one).reshape(-1, len(one))
        return np.repeat(kinds, self.table.reshape(-1).astype(np.int64), axis=0)


def crosscheck(
    data: pd.DataFrame | Counted,
    raters: Raters | None = None,
    *,
    by: By | None = None,
    weights: Weights | None = None,
    categories: Categories | None = None,
    distance: Distance = "value",
    missing: Missing = "pairwise",
    sample_weight: ItemWeights | None = None,
    group_weights: GroupWeights | None = None,
) -> pd.DataFrame:
    """Compute the same numbers with other packages and put them side by side.

    The tables are counted by pandas and handed to ``cohens_kappa``, ``fleiss_kappa`` and
    ``combine_effects`` of statsmodels and, where they are installed, to
    ``cohen_kappa_score`` of scikit-learn and ``alpha`` of krippendorff.

    Parameters
    ----------
    data, raters, by, weights, categories, distance, missing, sample_weight
        As in `pdkappa.pairs`.
    group_weights : column label or dict or Series, optional
        As in `pdkappa.grouped`.

    Returns
    -------
    DataFrame
        One row for each figure of each package: the columns of `by` (empty for the means
        over groups), ``statistic, raters, weights, pdkappa, reference, package, version,
        abs_difference, agrees, note``. `agrees` is true where both values are the same up
        to 1e-9, and missing where the other package is known to compute something else on
        such data, or was not called; the note then says why. The statistics are

        - ``estimate``, ``se``, ``se_null``: Cohen's kappa, its standard error, and the one
          under agreement by chance;
        - ``max_estimate``: the greatest kappa under the given category shares;
        - ``scott``: Scott's pi, which is Fleiss' kappa of two raters;
        - ``krippendorff``: alpha of the two raters;
        - ``fisher_mean``: the weighted mean over groups on Fisher's z scale.

    Raises
    ------
    KappaError
        As in `pdkappa.pairs`.

    Examples
    --------
    >>> df = pd.DataFrame({"ann": [1, 2, 3, 4, 3], "bob": [2, 2, 4, 4, 5]})
    >>> check = pdkappa.crosscheck(df, weights="quadratic")
    >>> bool(check["agrees"].all())
    True
    """
    check_by(by, set(schema.CROSSCHECK))
    reading = Reading(
        by=by,
        weights=weights,
        categories=categories,
        distance=distance,
        missing=missing,
        sample_weight=sample_weight,
    )
    study = read_pairs(data, raters, reading, "cohen", USUAL)
    kappa = estimate(study, "cohen", USUAL)
    kappa.warn_if_undefined()
    return compare_packages(study, kappa, group_weights)


def compare_packages(
    study: Study, kappa: Estimates, group_weights: GroupWeights | None
) -> pd.DataFrame:
    """Put the kappas of a study beside those of other packages, and what else these have."""
    scott = estimate(study.nominal(), "scott", USUAL)
    alpha = estimate(study, "krippendorff", USUAL)
    frame, reading = study.frame, study.reading
    weights, missing = reading.weights, reading.missing
    if isinstance(study.data, Counted):
        counts: FloatArray | None = study.data.counts
    else:
        counts = item_weights(frame, reading.sample_weight)
    tables = kappa.tables
    rows: list[tuple[dict[Label, Label], int, CheckRow]] = []
    for number in range(tables.counts.n_tables):
        group, pair = divmod(number, len(tables.pairs))
        ours = {name: float(getattr(kappa.summary, name)[number]) for name in COMPARED}
        ours["scott"] = float(scott.summary.estimate[number])
        ours["krippendorff"] = float(alpha.summary.estimate[number])
        one = _count(_items(frame, counts, tables, group, missing), kappa, group, pair)
        found = _compare(Question(*one, weights=weights, ours=ours))
        rows += [(tables.groups.values(group), pair, row) for row in found]
    if tables.groups.labels is not None:
        w = weights_of_groups(frame, tables.groups.labels, group_weights)
        rows += [({}, pair, row) for pair, row in _compare_means(kappa, w)]
    return _frame(rows, tables, weights)


def _items(
    data: pd.DataFrame, counts: FloatArray | None, tables: PairTables, group: int, missing: str
) -> pd.DataFrame:
    """Return the ratings of one group with their counts in a last column."""
    rows = np.ones(len(data), dtype=bool) if counts is None else counts > 0
    for name, value in tables.groups.values(group).items():
        rows &= (data[name] == value).fillna(value=False).to_numpy(dtype=bool)
    items = data.loc[rows, tables.raters].astype(object)
    items.columns = pd.RangeIndex(len(tables.raters))
    items[len(tables.raters)] = 1.0 if counts is None else counts[rows]
    return items.dropna() if missing == "listwise" else items


def _count(
    items: pd.DataFrame, kappa: Estimates, group: int, pair: int
) -> tuple[FloatArray, list[Any], FloatArray, FloatArray, str]:
    """Count one pair of raters with pandas; return the table, its scale, and a note."""
    tables = kappa.tables
    used = tables.in_use[group if len(tables.in_use) > 1 else 0]
    labels = tables.categories.restricted_to(used).labels
    if len(labels) > MOST_CATEGORIES:
        return np.zeros((0, 0)), labels, np.zeros(0), np.zeros((0, 0)), ""
    first, second = tables.pairs[pair]
    rated = items[[first, second]].notna().all(axis=1)
    times = items[rated].groupby([first, second], sort=False)[len(tables.raters)].sum()
    place = {label: number for number, label in enumerate(labels)}
    table = np.zeros((len(labels), len(labels)))
    for cell, total in zip(times.index.tolist(), times, strict=True):
        row, col = (place[plain_label(label)] for label in cell)
        table[row, col] += total
    scale = kappa.scale.take(np.array([group]))
    left_out = items.loc[~rated, len(tables.raters)].sum()
    return (
        table,
        labels,
        scale.scores[0][used],
        scale.matrix()[np.ix_(used, used)],
        DROPPED.format(n=left_out) if left_out else "",
    )


def _compare(question: Question) -> Iterator[CheckRow]:
    """Ask every package that is installed."""
    if len(question.labels) > MOST_CATEGORIES:
        yield question.row("estimate", np.nan, "statsmodels", note=TOO_MANY, comparable=False)
        return
    used = question.table.sum(axis=0) + question.table.sum(axis=1) > 0
    if np.isnan(question.ours["estimate"]) or used.sum() < 2:  # noqa: PLR2004
        yield question.row("estimate", np.nan, "statsmodels", note=UNDEFINED, comparable=False)
        return
    yield from _statsmodels(question)
    if find_spec("sklearn") is not None:
        yield from _scikit_learn(question)
    if find_spec("krippendorff") is not None:
        yield from _krippendorff(question)


def _statsmodels(question: Question) -> Iterator[CheckRow]:
    """Kappa, both standard errors, the maximum, and Fleiss' kappa."""
    from statsmodels.stats.inter_rater import cohens_kappa, fleiss_kappa

    with np.errstate(all="ignore"):  # it takes roots of rounding errors
        result = cohens_kappa(question.table, **question.for_statsmodels())
        errors = np.sqrt(np.maximum([result.var_kappa, result.var_kappa0], 0.0))
    yield question.row("estimate", result.kappa, "statsmodels")
    if not np.isnan(question.ours["se"]):
        yield question.row("se", errors[0], "statsmodels")
        yield question.row("se_null", errors[1], "statsmodels")
    if question.weights is None:
        yield question.row("max_estimate", result.kappa_max, "statsmodels")
        few = question.table.size * question.table.sum() <= MOST_ENTRIES
        if question.is_whole and few and not np.isnan(question.ours["scott"]):
            yield question.row("scott", fleiss_kappa(question.ratings_of_items()), "statsmodels")
    elif not np.isnan(question.ours["max_estimate"]):
        note = WEIGHTED_MAX.format(value=result.kappa_max)
        yield question.row("max_estimate", _greatest(question), "scipy", note=note)


def _greatest(question: Question) -> float:
    """Greatest kappa under the margins, as a linear programme over all cells."""
    from scipy.optimize import linprog

    share = question.table / question.table.sum()
    row, col = share.sum(axis=1), share.sum(axis=0)
    k = len(row)
    sums = np.concatenate([np.repeat(np.eye(k), k, axis=1), np.tile(np.eye(k), k)])
    cost = question.disagreement.reshape(-1)
    best = linprog(cost, A_eq=sums[:-1], b_eq=np.concatenate([row, col])[:-1])
    return float(1 - best.fun / (row @ question.disagreement @ col))


def _scikit_learn(question: Question) -> Iterator[CheckRow]:
    """Kappa of scikit-learn, on the full range of a scale of integers."""
    from sklearn.metrics import cohen_kappa_score

    if question.is_custom or question.weights not in (None, *SCORED):
        return
    a, b = np.nonzero(question.table)
    places, note, comparable = question.for_scikit_learn()
    value = cohen_kappa_score(
        places[a],
        places[b],
        labels=np.arange(places.max() + 1),
        weights=question.weights,
        sample_weight=question.table[a, b],
    )
    yield question.row("estimate", value, "scikit-learn", note=note, comparable=comparable)


def _krippendorff(question: Question) -> Iterator[CheckRow]:
    """Alpha of the krippendorff package, for the weights that it has a level for."""
    import krippendorff

    k, n = len(question.labels), question.table.sum()
    if question.is_custom or question.weights not in LEVELS or not question.is_whole:
        return
    if np.isnan(question.ours["krippendorff"]) or n * k * k > MOST_ENTRIES:
        return
    values = np.arange(float(k)) if question.weights is None else question.scores
    a, b = np.nonzero(question.table)
    times = question.table[a, b].astype(np.int64)
    ratings = np.stack([np.repeat(values[a], times), np.repeat(values[b], times)])
    value = krippendorff.alpha(ratings, level_of_measurement=LEVELS[question.weights])
    yield question.row("krippendorff", value, "krippendorff")


def _compare_means(kappa: Estimates, weights: FloatArray) -> Iterator[tuple[int, CheckRow]]:
    """Means of the groups, and how far these differ, as a meta-analysis has them.

    The Fisher-z mean is the fixed effect of groups whose variance is the inverse weight.
    """
    from statsmodels.stats.meta_analysis import combine_effects

    n_pairs = len(kappa.tables.pairs)
    for pair in range(n_pairs):
        estimates = kappa.summary.estimate[pair::n_pairs]
        ours = weighted_fisher_mean(estimates, weights).estimate
        used = ~np.isnan(estimates) & (weights > 0)
        z = np.arctanh(np.clip(estimates[used], -FISHER_CAP, FISHER_CAP))
        mean = np.nan
        if len(z) > 1:
            with np.errstate(divide="ignore", invalid="ignore"):  # it divides by the spread of z
                mean = float(combine_effects(z, 1 / weights[used]).mean_effect_fe)
        elif len(z):
            mean = float(z[0])
        yield pair, CheckRow("fisher_mean", ours, float(np.tanh(mean)), "statsmodels")
        centre, error = (
            getattr(kappa.summary, name)[pair::n_pairs] for name in ("centre", "se_fisher_z")
        )
        known = (np.abs(centre) < 1) & (error > 0) & (weights > 0)
        if known.sum() > 1:
            z, error = np.arctanh(centre[known]), error[known]
            with np.errstate(divide="ignore", invalid="ignore"):  # it lets variances be negative
                theirs = combine_effects(z, error**2, method_re="chi2")
            fixed = fixed_effect(z, error, level=0.95).estimate
            mean = float(np.tanh(theirs.mean_effect_fe))
            yield pair, CheckRow("fixed", fixed, mean, "statsmodels")
            q = heterogeneity(z, error, np.nan).Q
            yield pair, CheckRow("Q", q, float(theirs.q), "statsmodels")


def _frame(
    rows: list[tuple[dict[Label, Label], int, CheckRow]], tables: PairTables, weights: object
) -> pd.DataFrame:
    """Put the rows into a frame, with differences and verdicts."""
    raters = [f"{tables.raters[a]} x {tables.raters[b]}" for a, b in tables.pairs]
    frame = pd.DataFrame([row for _, _, row in rows], columns=list(CheckRow._fields))
    frame["raters"] = [raters[pair] for _, pair, _ in rows]
    frame["weights"] = (
        "none" if weights is None else weights if isinstance(weights, str) else "custom"
    )
    versions = {package: version(package) for package in frame["package"].unique()}
    frame["version"] = frame["package"].map(versions).astype(object)
    frame["abs_difference"] = (frame["pdkappa"] - frame["reference"]).abs()
    undefined = frame["pdkappa"].isna() & frame["reference"].isna()
    is_error = frame["statistic"].isin(["se", "se_null"])
    squares = (frame["pdkappa"] ** 2 - frame["reference"] ** 2).abs()
    same = (frame["abs_difference"] <= TOLERANCE) | (is_error & (squares <= TOLERANCE_OF_VARIANCE))
    same = same.astype("boolean")
    frame["agrees"] = same.mask(~frame["comparable"] | undefined)
    frame = frame[list(schema.CROSSCHECK)]
    if tables.groups.labels is None:
        return frame
    names = list(tables.groups.labels.names)
    labels = [[place.get(name, "") for name in names] for place, _, _ in rows]
    return pd.concat([pd.DataFrame(labels, columns=names, dtype=object), frame], axis=1)
