"""The same numbers from other packages, side by side: `crosscheck`."""

from __future__ import annotations

from dataclasses import dataclass
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

import numpy as np
import pandas as pd
import scipy

from pdkappa.coefficients.intervals import FISHER_CAP
from pdkappa.coefficients.means_over_groups import fixed_effect, heterogeneity, weighted_fisher_mean
from pdkappa.errors import TooLargeError, shown
from pdkappa.methods.estimates import asked as has
from pdkappa.methods.estimates.asks import asks
from pdkappa.methods.estimates.options import USUAL_INTERVALS, IntervalOptions, check_by
from pdkappa.methods.estimates.pair_frames import estimate, read_pairs
from pdkappa.present import schema
from pdkappa.present.text_markup import version_of
from pdkappa.present.text_tables import Result, result
from pdkappa.ratings.categories import index_of
from pdkappa.ratings.coded import Counted
from pdkappa.ratings.columns import as_sets, plain_label, with_sets
from pdkappa.ratings.items import item_weights
from pdkappa.ratings.raters import check_grouped, weights_of_groups

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterator, Sequence

    from pdkappa._typing import FloatArray, GroupWeights, IntArray, Label
    from pdkappa.methods.estimates.pair_frames import Estimates
    from pdkappa.methods.estimates.study import Study
    from pdkappa.ratings.counted_pairs import PairTables
    from pdkappa.ratings.options import Reading

MOST_CATEGORIES = 200
MOST_ENTRIES = 1 << 24  # 128 MiB
SCORED = ("linear", "quadratic")
LEVELS: dict[str | None, Literal["nominal", "interval"]] = {
    None: "nominal",
    "quadratic": "interval",
}
FULL_RANGE = "scikit-learn was given labels=range({low}, {high}): by default it closes the gaps."
BY_RANK = (
    "scikit-learn measures distance in ranks, which on this scale is another weighting; "
    "categories={category: rank} reproduces it."
)
WEIGHTED_MAX = (
    "By linear programming. The kappa_max of statsmodels, {value:.3f}, is that of the "
    "unweighted kappa."
)
UNDEFINED = "Not called: kappa is undefined here, for which every package has its own convention."
TOO_LARGE = "Left out: the other package would take more than 128 MiB."
NO_MEMORY = "Left out: there is not enough memory for what the other package does."
TOO_MANY = f"Left out: more than {MOST_CATEGORIES} categories take the other packages too long."


class CheckRow(NamedTuple):
    """One figure of another package; `comparable` is False where it is known to differ."""

    statistic: str
    estimate: float
    reference: float
    package: str
    remark: str = ""
    comparable: bool = True


@dataclass(frozen=True)
class Question:
    """One pair of raters in one group, counted by pandas, with what pdkappa says of it."""

    table: FloatArray
    labels: list[Any]
    scores: FloatArray
    disagreement: FloatArray
    remark: str
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
        remark: str = "",
        comparable: bool = True,
    ) -> CheckRow:
        """Put a figure beside ours."""
        text = f"{self.remark} {remark}".strip()
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
        """Return the place of each category, a remark, and whether it weighs the same way."""
        steps = np.abs(np.diff(self.scores))
        if self.weights is None or len(steps) == 0 or np.allclose(steps, steps[0], rtol=1e-12):
            return np.arange(len(self.labels)), "", True
        from_low = self.scores - self.scores.min()
        if (steps == np.floor(steps)).all() and from_low.max() < MOST_CATEGORIES:
            low, high = self.scores.min(), self.scores.max()
            remark = FULL_RANGE.format(low=f"{low:g}", high=f"{high + 1:g}")
            return from_low.astype(np.int64), remark, True
        return np.arange(len(self.labels)), BY_RANK, False

    def ratings_of_items(self) -> IntArray:
        """Return how often each item got each category, shape (N, K)."""
        one = np.eye(len(self.table), dtype=np.int64)
        kinds = (one[:, None] + one).reshape(-1, len(one))
        return np.repeat(kinds, self.table.reshape(-1).astype(np.int64), axis=0)


def ask_packages(question: Question) -> Iterator[CheckRow]:
    """Ask every package that is installed."""
    if len(question.labels) > MOST_CATEGORIES:
        yield question.row("estimate", np.nan, "statsmodels", remark=TOO_MANY, comparable=False)
        return
    used = question.table.sum(axis=0) + question.table.sum(axis=1) > 0
    if np.isnan(question.ours["estimate"]) or used.sum() < 2:  # noqa: PLR2004
        yield question.row("estimate", np.nan, "statsmodels", remark=UNDEFINED, comparable=False)
        return
    yield from _answers(_statsmodels, question, "estimate", "statsmodels")
    if find_spec("sklearn") is not None:
        yield from _answers(_scikit_learn, question, "estimate", "scikit-learn")
    if find_spec("krippendorff") is not None:
        yield from _answers(_krippendorff, question, "krippendorff", "krippendorff")


def _answers(
    ask: Callable[[Question], Iterator[CheckRow]], question: Question, statistic: str, package: str
) -> Iterator[CheckRow]:
    """Ask a package, which may need more memory than there is."""
    try:
        yield from ask(question)
    except MemoryError:
        yield question.row(statistic, np.nan, package, remark=NO_MEMORY, comparable=False)


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
    if question.ours["se"] > 0:  # else there is no width but that of rounding
        for name, limit in zip(LIMITS, (result.kappa_low, result.kappa_upp), strict=True):
            inside = bool(abs(limit) <= 1)
            remark = BY_WALD if inside else BEYOND
            yield question.row(name, limit, "statsmodels", remark=remark, comparable=inside)
    if question.ours["se_null"] > 0:  # else it divides by rounding
        yield question.row("p_value", result.pvalue_two_sided, "statsmodels")
    if question.weights is None:
        yield question.row("max_estimate", result.kappa_max, "statsmodels")
        few = question.table.size * question.table.sum() <= MOST_ENTRIES
        if question.is_whole and few and not np.isnan(question.ours["scott"]):
            yield question.row("scott", fleiss_kappa(question.ratings_of_items()), "statsmodels")
    elif not np.isnan(question.ours["max_estimate"]):
        remark = WEIGHTED_MAX.format(value=result.kappa_max)
        yield question.row("max_estimate", _greatest(question), "scipy", remark=remark)


def _greatest(question: Question) -> float:
    """Greatest kappa under the margins, as a linear programme over all cells."""
    share = question.table / question.table.sum()
    row, col = share.sum(axis=1), share.sum(axis=0)
    k = len(row)
    sums = np.concatenate([np.repeat(np.eye(k), k, axis=1), np.tile(np.eye(k), k)])
    cost = question.disagreement.reshape(-1)
    best = scipy.optimize.linprog(cost, A_eq=sums[:-1], b_eq=np.concatenate([row, col])[:-1])
    return float(1 - best.fun / (row @ question.disagreement @ col))


def _scikit_learn(question: Question) -> Iterator[CheckRow]:
    """Kappa of scikit-learn, on the full range of a scale of integers."""
    from sklearn.metrics import cohen_kappa_score

    if question.is_custom or question.weights not in (None, *SCORED):
        return
    a, b = np.nonzero(question.table)
    items = question.table[a, b]
    places, remark, comparable = question.for_scikit_learn()
    value = cohen_kappa_score(
        places[a],
        places[b],
        labels=np.arange(places.max() + 1),
        weights=question.weights,
        sample_weight=np.ldexp(items, -np.frexp(items.max())[1]),  # whose products do not overflow
    )
    yield question.row("estimate", value, "scikit-learn", remark=remark, comparable=comparable)


def _krippendorff(question: Question) -> Iterator[CheckRow]:
    """Alpha of the krippendorff package, for the weights that it has a level for."""
    import krippendorff

    k, n = len(question.labels), question.table.sum()
    if question.is_custom or question.weights not in LEVELS or not question.is_whole:
        return
    if np.isnan(question.ours["krippendorff"]):
        return
    if n * k * k > MOST_ENTRIES:
        yield question.row(
            "krippendorff", np.nan, "krippendorff", remark=TOO_LARGE, comparable=False
        )
        return
    values = np.arange(float(k)) if question.weights is None else question.scores
    a, b = np.nonzero(question.table)
    times = question.table[a, b].astype(np.int64)
    ratings = np.stack([np.repeat(values[a], times), np.repeat(values[b], times)])
    value = krippendorff.alpha(ratings, level_of_measurement=LEVELS[question.weights])
    yield question.row("krippendorff", value, "krippendorff")


def ask_for_means(
    kappa: Estimates, weights: FloatArray, pairs: Sequence[int]
) -> Iterator[tuple[int, CheckRow]]:
    """Means of the groups of some pairs, and how far these differ, as a meta-analysis has them.

    The Fisher-z mean is the fixed effect of groups whose variance is the inverse weight.
    """
    from statsmodels.stats.meta_analysis import combine_effects

    n_pairs = kappa.tables.n_pairs
    for pair in pairs:
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
        known = (error > 0) & (weights > 0)
        if known.sum() > 1:
            z, error = np.arctanh(centre[known]), error[known]
            with np.errstate(divide="ignore", invalid="ignore"):  # it lets variances be negative
                theirs = combine_effects(z, error**2, method_re="chi2")
            fixed = fixed_effect(z, error, level=0.95).estimate
            mean = float(np.tanh(theirs.mean_effect_fe))
            yield pair, CheckRow("fixed", fixed, mean, "statsmodels")
            q = float(heterogeneity(z, error, np.nan).q)
            yield pair, CheckRow("q", q, float(theirs.q), "statsmodels")


MOST_TABLES = 10_000  # some hundredths of a second each
TOLERANCE = 1e-9
TOLERANCE_OF_VARIANCE = 1e-14  # zero but for rounding, and yet a root of 1e-7
COMPARED = ("estimate", "se", "se_null", "p_value", "max_estimate")
WALD, LIMITS = IntervalOptions("wald", 0.95), ("ci_low", "ci_high")
BY_WALD = "With ci='wald'; limits by default are others."
BEYOND = "With ci='wald', whose limits end at -1 and 1; those of statsmodels do not."
ESTIMATE = frozenset({"estimate"})

DROPPED = (
    "Items with a missing rating, {n:.10g}, were left out of the call: statsmodels would count "
    "them as a separate category."
)


class OfCrosscheck(has.Raters, has.By, has.Weights, has.Ratings, has.GroupWeights):
    """Options of `crosscheck`."""

    figure = "values of other packages"


@asks(OfCrosscheck, group_weights="It needs `by`.")
def crosscheck(data: pd.DataFrame | Counted, asked: OfCrosscheck) -> Result:
    """Compute the same numbers with other packages and put them side by side.

    The tables are counted by pandas and handed to ``cohens_kappa``, ``fleiss_kappa`` and
    ``combine_effects`` of statsmodels and, where they are installed, to
    ``cohen_kappa_score`` of scikit-learn and ``alpha`` of krippendorff.

    Returns
    -------
    DataFrame
        One row for each figure of each package: the columns of `by` (empty for the means
        over groups), ``rater_a, rater_b, statistic, weights, estimate, reference, package, version,
        abs_difference, agrees, reason, remark``. `agrees` is true where both values are the same up
        to 1e-9, and missing where the other package is known to compute something else on
        such data, or was not called; the remark then says why. The statistics are

        - ``estimate``, ``se``, ``se_null``: Cohen's kappa, its standard error, and the one
          under agreement by chance;
        - ``ci_low``, ``ci_high``, ``p_value``: limits by ``ci="wald"``, at the level .95, and the
          two-sided p of agreement by chance;
        - ``max_estimate``: the greatest kappa under the given category shares;
        - ``scott``: Scott's pi, which is Fleiss' kappa of two raters;
        - ``krippendorff``: alpha of the two raters;
        - ``fisher_mean``: the weighted mean over groups on Fisher's z scale.

    Raises
    ------
    TooLargeError
        If there are more than 10,000 pairs of raters (times groups).

    Examples
    --------
    >>> df = pd.DataFrame({"ann": [1, 2, 3, 4, 3], "bob": [2, 2, 4, 4, 5]})
    >>> check = df.kappa.crosscheck(weights="quadratic")
    >>> bool(check["agrees"].all())
    True
    """
    check_by(asked.by, set(schema.CROSSCHECK))
    check_grouped(asked.by, asked.group_weights)
    study = read_pairs(data, asked.raters, asked.reading, "cohen", USUAL_INTERVALS)
    n_tables = study.tables.counts.n_tables
    if n_tables > MOST_TABLES:
        raise TooLargeError(
            f"crosscheck runs other packages on every pair of raters (in every group), and "
            f"there are {n_tables}; the limit is {MOST_TABLES}. Pass fewer raters or groups."
        )
    kappa = estimate(study, "cohen", USUAL_INTERVALS)
    kappa.warn_if_undefined()
    return result(compare_packages(study, kappa, asked.group_weights), study.raters)


def compare_packages(
    study: Study,
    kappa: Estimates,
    group_weights: GroupWeights | None,
    *,
    tables: Collection[int] | None = None,
) -> pd.DataFrame:
    """Put the kappas of a study beside those of other packages, and what else these have.

    The `tables` are the numbers of those that are asked about; default: all of them.
    """
    scott = estimate(study.weighted(None), "scott", USUAL_INTERVALS, needed=ESTIMATE)
    by_wald = estimate(study, "cohen", WALD, needed=frozenset(LIMITS))
    alpha = estimate(study, "krippendorff", USUAL_INTERVALS, needed=ESTIMATE)
    frame, reading = study.frame, study.reading
    weights = reading.weights
    if isinstance(study.data, Counted):
        counts: FloatArray | None = study.data.counts
    else:
        counts = item_weights(frame, reading.sample_weight)
    counted = kappa.tables
    asked = range(counted.counts.n_tables) if tables is None else tables
    rows: list[tuple[dict[Label, Label], int, CheckRow]] = []
    for number in asked:
        group, pair = divmod(number, counted.n_pairs)
        ours = {name: float(getattr(kappa.summary, name)[number]) for name in COMPARED}
        ours |= {name: float(getattr(by_wald.summary, name)[number]) for name in LIMITS}
        ours["scott"] = float(scott.summary.estimate[number])
        ours["krippendorff"] = float(alpha.summary.estimate[number])
        items = _items(frame, counts, counted, number, reading)
        one = _count(items, kappa, group, pair)
        found = ask_packages(Question(*one, weights=weights, ours=ours))
        rows += [(counted.groups.values(group), pair, row) for row in found]
    if counted.groups.labels is not None:
        w = weights_of_groups(frame, counted.groups.labels, group_weights)
        pairs = sorted({number % counted.n_pairs for number in asked})
        rows += [({}, pair, row) for pair, row in ask_for_means(kappa, w, pairs)]
    return _frame(rows, counted, weights)


def _items(
    data: pd.DataFrame, counts: FloatArray | None, tables: PairTables, number: int, reading: Reading
) -> pd.DataFrame:
    """Return the ratings of one pair in one group, with their counts in a last column.

    Of all raters, if only items count that all of them rated.
    """
    group, pair = divmod(number, len(tables.pairs))
    listwise = reading.missing == "listwise"
    raters = range(len(tables.raters)) if listwise else dict.fromkeys(tables.pairs[pair])
    rows = np.ones(len(data), dtype=bool) if counts is None else counts > 0
    for name, value in tables.groups.values(group).items():
        rows &= (data[name] == value).fillna(value=False).to_numpy(dtype=bool)
    places: Any = [data.columns.get_loc(tables.raters[rater]) for rater in raters]
    items = data.iloc[:, places].loc[rows].astype(object)
    items.columns = pd.Index(list(raters))
    for rater in items:
        name, given = tables.raters[rater], items[rater]
        items[rater] = (
            as_sets(given, name, reading)
            if reading.of_sets
            else with_sets(given, f"Column {shown(name)}")
        )
    items[len(tables.raters)] = 1.0 if counts is None else counts[rows]
    return items.dropna() if listwise else items


def _count(
    items: pd.DataFrame, kappa: Estimates, group: int, pair: int
) -> tuple[FloatArray, list[Any], FloatArray, FloatArray, str]:
    """Count one pair of raters with pandas; return the table, its scale, and a remark."""
    tables = kappa.tables
    used = tables.in_use[group if len(tables.in_use) > 1 else 0]
    labels = tables.categories.restricted_to(used).labels
    if len(labels) > MOST_CATEGORIES:
        return np.zeros((0, 0)), labels, np.zeros(0), np.zeros((0, 0)), ""
    first, second = tables.pairs[pair]
    rated = items[[first, second]].notna().all(axis=1)
    place = {label: number for number, label in enumerate(labels)}
    coded = []
    for one in (first, second):
        codes, found = pd.factorize(items.loc[rated, one])
        coded.append(np.array([place[plain_label(label)] for label in found], dtype=int)[codes])
    times = items.loc[rated, len(tables.raters)].groupby(coded, sort=False).sum()
    table = np.zeros((len(labels), len(labels)))
    for cell, total in zip(times.index.tolist(), times, strict=True):
        table[cell] = total
    scale = kappa.scale.take(np.array([group]))
    left_out = items.loc[~rated, len(tables.raters)].sum()
    return (
        table,
        labels,
        scale.scores[0][used],
        scale.matrix()[np.ix_(used, used)],
        DROPPED.format(n=left_out) if left_out else "",
    )


def _frame(
    rows: list[tuple[dict[Label, Label], int, CheckRow]], tables: PairTables, weights: object
) -> pd.DataFrame:
    """Put the rows into a frame, with differences and verdicts."""
    frame = pd.DataFrame([row for _, _, row in rows], columns=list(CheckRow._fields))
    raters, sides = index_of(tables.raters), np.array([tables.pairs[pair] for _, pair, _ in rows])
    for name, side in zip(("rater_a", "rater_b"), sides.reshape(-1, 2).T, strict=True):
        frame[name] = raters.take(side)
    frame["weights"] = (
        "none" if weights is None else weights if isinstance(weights, str) else "custom"
    )
    frame["version"] = frame["package"].map(version_of).astype(object)
    frame["abs_difference"] = (frame["estimate"] - frame["reference"]).abs()
    undefined = frame["estimate"].isna() & frame["reference"].isna()
    is_error = frame["statistic"].isin(["se", "se_null"])
    squares = (frame["estimate"] ** 2 - frame["reference"] ** 2).abs()
    same = (frame["abs_difference"] <= TOLERANCE) | (is_error & (squares <= TOLERANCE_OF_VARIANCE))
    same = same.astype("boolean")
    frame["agrees"] = same.mask(~frame["comparable"] | undefined)
    frame["reason"] = np.where(frame["reference"].isna(), "no_reference", "")
    frame = frame[list(schema.CROSSCHECK)]
    if tables.groups.labels is None:
        return frame
    levels = [
        pd.Index([place.get(name, "") for place, _, _ in rows], dtype=object, name=name)
        for name in tables.groups.labels.names
    ]
    frame.index = levels[0] if len(levels) == 1 else pd.MultiIndex.from_arrays(levels)
    return frame
