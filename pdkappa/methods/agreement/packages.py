"""One table of two raters -> the kappas of other packages, with what has to be said of each."""

from __future__ import annotations

from dataclasses import dataclass
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

import numpy as np

from pdkappa.coefficients.intervals import FISHER_CAP
from pdkappa.coefficients.means_over_groups import fixed_effect, heterogeneity, weighted_fisher_mean

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from pdkappa._typing import FloatArray, IntArray
    from pdkappa.methods.estimates.pair_frames import Estimates

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
    "distance='rank' reproduces it."
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


def ask_packages(question: Question) -> Iterator[CheckRow]:
    """Ask every package that is installed."""
    if len(question.labels) > MOST_CATEGORIES:
        yield question.row("estimate", np.nan, "statsmodels", note=TOO_MANY, comparable=False)
        return
    used = question.table.sum(axis=0) + question.table.sum(axis=1) > 0
    if np.isnan(question.ours["estimate"]) or used.sum() < 2:  # noqa: PLR2004
        yield question.row("estimate", np.nan, "statsmodels", note=UNDEFINED, comparable=False)
        return
    yield from _answers(_statsmodels, question, "estimate", "statsmodels")
    if find_spec("sklearn") is not None:
        yield from _answers(_scikit_learn, question, "estimate", "scikit-learn")
    if find_spec("krippendorff") is not None:
        yield from _answers(_krippendorff, question, "krippendorff", "krippendorff")


def _left_out(question: Question, note: str) -> CheckRow:
    """Say why alpha was not asked for."""
    return question.row("krippendorff", np.nan, "krippendorff", note=note, comparable=False)


def _answers(
    ask: Callable[[Question], Iterator[CheckRow]], question: Question, statistic: str, package: str
) -> Iterator[CheckRow]:
    """Ask a package, which may need more memory than there is."""
    try:
        yield from ask(question)
    except MemoryError:
        yield question.row(statistic, np.nan, package, note=NO_MEMORY, comparable=False)


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
    items = question.table[a, b]
    places, note, comparable = question.for_scikit_learn()
    value = cohen_kappa_score(
        places[a],
        places[b],
        labels=np.arange(places.max() + 1),
        weights=question.weights,
        sample_weight=np.ldexp(items, -np.frexp(items.max())[1]),  # whose products do not overflow
    )
    yield question.row("estimate", value, "scikit-learn", note=note, comparable=comparable)


def _krippendorff(question: Question) -> Iterator[CheckRow]:
    """Alpha of the krippendorff package, for the weights that it has a level for."""
    import krippendorff

    k, n = len(question.labels), question.table.sum()
    if question.is_custom or question.weights not in LEVELS or not question.is_whole:
        return
    if np.isnan(question.ours["krippendorff"]):
        return
    if n * k * k > MOST_ENTRIES:
        yield _left_out(question, TOO_LARGE)
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
        known = (np.abs(centre) < 1) & (error > 0) & (weights > 0)
        if known.sum() > 1:
            z, error = np.arctanh(centre[known]), error[known]
            with np.errstate(divide="ignore", invalid="ignore"):  # it lets variances be negative
                theirs = combine_effects(z, error**2, method_re="chi2")
            fixed = fixed_effect(z, error, level=0.95).estimate
            mean = float(np.tanh(theirs.mean_effect_fe))
            yield pair, CheckRow("fixed", fixed, mean, "statsmodels")
            q = heterogeneity(z, error, np.nan).q
            yield pair, CheckRow("q", q, float(theirs.q), "statsmodels")
