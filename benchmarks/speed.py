"""Time pdkappa and a reference in turn, in one process: ratio, goal and extra memory of each work.

    python benchmarks/speed.py             # all works, some minutes
    python benchmarks/speed.py icc crowd   # the works with one of these words in their name
    python benchmarks/speed.py --quick     # a tenth of the items, one round
    python benchmarks/speed.py --write     # and put both tables into README.md

A reference is what people run instead, or the least work that would do, in NumPy or pandas.
Times are those of the processor, one thread, medians of three rounds; ratios are pdkappa /
reference, so that less is better, and machines differ less in them than in times. Where both give
the same numbers, that is checked. Extra memory is the largest allocation of Python and NumPy
during the call, beside the size of the data. A work is a function that returns both sides, and
the line above it, with its name, the reference and the largest ratio that is aimed at.
"""

from __future__ import annotations

import argparse
import functools
import os
import statistics
import subprocess
import sys
import tempfile
import time
import tracemalloc
import warnings
from itertools import combinations
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

os.environ["OPENBLAS_NUM_THREADS"] = "1"
os.environ["POLARS_MAX_THREADS"] = "1"

import numpy as np
import pandas as pd
from readme import put

import pdkappa
from pdkappa.methods.predictions.cutpoints import cutpoints

if TYPE_CHECKING:
    from collections.abc import Callable

ROUNDS, AT_LEAST = 3, 0.02  # seconds of a round
MIB = 2**20
N_RESAMPLES, TIMED = 2000, 3
QUADRATIC = "quadratic"
NAMES = {"item": "item", "rater": "rater", "rating": "rating"}
PEERS, LEAST = "speed", "least work"
CACHE = tempfile.TemporaryDirectory()


class Sides(NamedTuple):
    """Our work and that of the reference, which may be done in part, or only named."""

    data: Any
    ours: Callable[[], Any]
    reference: Callable[[], Any] | str
    share: float = 1.0
    same: bool = True


class Work(NamedTuple):
    """A row of a table."""

    table: str
    name: str
    reference: str
    goal: float | None
    make: Callable[[float], Sides]


WORKS: list[Work] = []


def work(table: str, name: str, reference: str, goal: float | None = None) -> Callable[..., Any]:
    """Put a function into one of the tables."""

    def listed(make: Callable[[float], Sides]) -> Callable[[float], Sides]:
        WORKS.append(Work(table, name, reference, goal, make))
        return make

    return listed


# --- data --------------------------------------------------------------------------------------


def ratings(n_items: float, n_raters: int, k: int = 5, missing: float = 0.0) -> pd.DataFrame:
    """Simulate raters who see the truth with an error of a step."""
    rng = np.random.default_rng(20261120)
    truth = rng.integers(0, k, (int(n_items), 1))
    values = np.clip(truth + rng.integers(-1, 2, (len(truth), n_raters)), 0, k - 1)
    frame = pd.DataFrame(values, columns=[f"r{i}" for i in range(n_raters)])
    return frame.mask(rng.random(values.shape) < missing) if missing else frame


def real_scores(n_items: float, n_raters: int) -> pd.DataFrame:
    """Simulate scores that are no whole numbers."""
    scores = ratings(n_items, n_raters)
    return scores + np.random.default_rng(1).normal(0, 0.3, scores.shape)


def in_groups(n_items: float, n_groups: float, n_raters: int = 2) -> pd.DataFrame:
    """Simulate raters of items in groups."""
    frame = ratings(n_items, n_raters)
    return frame.assign(group=np.random.default_rng(1).integers(0, int(n_groups), len(frame)))


def crowd(n_ratings: float, n_raters: int, per_item: int = 5) -> pd.DataFrame:
    """Simulate annotations of a crowd, one below the other, in random order."""
    rng = np.random.default_rng(20261123)
    shape = (int(n_ratings) // per_item, per_item)
    rater = np.sort(rng.integers(0, n_raters - per_item + 1, shape), axis=1) + np.arange(per_item)
    rating = np.clip(rng.integers(0, 5, (shape[0], 1)) + rng.integers(-1, 2, shape), 0, 4)
    columns = {"item": np.arange(shape[0]).repeat(per_item), "rater": rater, "rating": rating}
    frame = pd.DataFrame({name: values.reshape(-1) for name, values in columns.items()})
    return frame.sample(frac=1, random_state=1, ignore_index=True)


# --- beside what people run instead ------------------------------------------------------------


def by_sklearn(frame: pd.DataFrame, weights: str | None = QUADRATIC) -> list[float]:
    """Score every pair of columns with scikit-learn, as people do."""
    from sklearn.metrics import cohen_kappa_score

    pairs = [frame[[*pair]].dropna().to_numpy().T for pair in combinations(frame, 2)]
    return [cohen_kappa_score(one, other, weights=weights) for one, other in pairs]


def all_pairs(frame: pd.DataFrame, weights: str | None = QUADRATIC) -> Sides:
    """All pairs of raters, against a loop over the pairs."""
    above = np.triu_indices(frame.shape[1], 1)
    return Sides(
        frame,
        lambda: frame.kappa.pairwise(weights=weights).to_numpy()[above],
        lambda: by_sklearn(frame, weights),
    )


@work(PEERS, "pairwise QWK, 100,000 x 20, K = 5", "scikit-learn", 0.025)
def complete(share: float) -> Sides:
    return all_pairs(ratings(share * 1e5, 20))


@work(PEERS, "the same with 20 % missing", "scikit-learn", 0.025)
def with_missing(share: float) -> Sides:
    return all_pairs(ratings(share * 1e5, 20, missing=0.2))


@work(PEERS, "pairwise QWK, 10,000 x 100", "scikit-learn", 0.0067)
def of_many_raters(share: float) -> Sides:
    return all_pairs(ratings(share * 1e4, 100))


@work(PEERS, "pairwise kappa, text labels, 100,000 x 10", "scikit-learn", 0.05)
def of_texts(share: float) -> Sides:
    return all_pairs(ratings(share * 1e5, 10).replace(dict(enumerate("abcde"))).astype(str), None)


@work(PEERS, "pairwise QWK, 100,000 x 20, 0-60", "scikit-learn", 0.05)
def of_many_categories(share: float) -> Sides:
    return all_pairs(ratings(share * 1e5, 20, 61))


@work(PEERS, "grouped, 1,000,000 rows, 10,000 groups", "groupby.apply of it", 0.01)
def of_groups(share: float) -> Sides:
    frame = in_groups(share * 1e6, share * 1e4)
    parts = frame.groupby("group")[["r0", "r1"]]
    return Sides(
        frame,
        lambda: frame.kappa.grouped("r0", "r1", by="group", weights=QUADRATIC).groups["estimate"],
        lambda: parts.apply(lambda part: by_sklearn(part)[0]),
    )


@work(PEERS, "report by groups, 1,000 x 50, 8 groups", "scikit-learn's kappa of each", 1)
def report_of_groups(share: float) -> Sides:
    frame = in_groups(share * 1e3, 8, 50)
    first = frame[frame["group"] == 0].drop(columns="group")
    return Sides(
        frame, lambda: frame.kappa.report(by="group"), lambda: by_sklearn(first), 1 / 8, same=False
    )


@work(PEERS, "agreement, 100,000 x 5, seven coefficients", "statsmodels and krippendorff: two", 1)
def of_all_raters(share: float) -> Sides:
    frame = ratings(share * 1e5, 5)
    return Sides(frame, lambda: two_of(frame), lambda: two_elsewhere(frame))


@work(PEERS, "agreement, 10,000 x 50, seven coefficients", "statsmodels and krippendorff: two", 1)
def of_fifty_raters(share: float) -> Sides:
    frame = ratings(share * 1e4, 50)
    return Sides(frame, lambda: two_of(frame), lambda: two_elsewhere(frame))


def two_of(frame: pd.DataFrame) -> pd.Series:
    """Estimate all coefficients, and return those that others have."""
    return frame.kappa.agreement()["estimate"][["fleiss", "krippendorff"]]


def two_elsewhere(frame: pd.DataFrame) -> list[float]:
    """Fleiss' kappa by statsmodels, with the counting that it needs, and alpha."""
    import krippendorff
    from statsmodels.stats.inter_rater import aggregate_raters, fleiss_kappa

    counts, _ = aggregate_raters(frame.to_numpy())
    alpha = krippendorff.alpha(frame.to_numpy().T, level_of_measurement="nominal")
    return [fleiss_kappa(counts), alpha]


@work(PEERS, "alpha, interval, 100,000 x 5 real scores", "krippendorff")
def alpha_of_scores(share: float) -> Sides:
    frame = real_scores(share * 1e5, 5)
    k = np.unique(frame.to_numpy()).size
    needs = f"{k:,}² x 8 bytes = {k * k * 8 / 2**40:.1f} TiB"
    return Sides(frame, lambda: alpha(frame), needs)


def alpha(frame: pd.DataFrame) -> float:
    return frame.kappa.agreement(coefficients="krippendorff", weights=QUADRATIC)["estimate"].item()


@work(PEERS, "bootstrap, 2,000 replicates, n = 100,000", "scikit-learn on resampled rows", 0.002)
def resampled(share: float) -> Sides:
    frame = ratings(share * 1e5, 2)
    rng = np.random.default_rng(1)

    def theirs() -> list[float]:
        draws = (rng.integers(0, len(frame), len(frame)) for _ in range(TIMED))
        return [by_sklearn(frame.iloc[rows])[0] for rows in draws]

    return Sides(frame, lambda: bootstrap(frame), theirs, TIMED / N_RESAMPLES, same=False)


def bootstrap(frame: pd.DataFrame) -> pd.DataFrame:
    return frame.kappa(n_resamples=N_RESAMPLES, rng=1).pairs(weights=QUADRATIC, ci="percentile")


@work(PEERS, "qwk of 1,000 items", "scikit-learn", 0.05)
def of_two_arrays(_: float) -> Sides:
    frame = ratings(1e3, 2)
    one, other = frame.to_numpy().T
    return Sides(frame, lambda: [pdkappa.qwk(one, other)], lambda: by_sklearn(frame))


@work(PEERS, "pairs, 120 x 2", "scikit-learn", 0.9)
def of_a_small_frame(_: float) -> Sides:
    frame = ratings(120, 2)
    ours = frame.kappa.pairs
    return Sides(frame, lambda: ours(weights=QUADRATIC)["estimate"], lambda: by_sklearn(frame))


@work(PEERS, "pairwise QWK, 120 x 2", "scikit-learn", 0.45)
def of_a_small_matrix(_: float) -> Sides:
    return all_pairs(ratings(120, 2))


@work(PEERS, "qwk of two columns of 120 items", "scikit-learn", 0.09)
def of_two_columns(_: float) -> Sides:
    frame = ratings(120, 2)
    one, other = frame["r0"], frame["r1"]
    return Sides(frame, lambda: [pdkappa.qwk(one, other)], lambda: by_sklearn(frame))


@work(PEERS, "icc, 100,000 x 4 real scores", "pingouin", 0.05)
def intraclass(share: float) -> Sides:
    import pingouin

    frame = real_scores(share * 1e5, 4)
    long = frame.reset_index().melt("index")
    columns = {"targets": "index", "raters": "variable", "ratings": "value"}
    return Sides(
        frame,
        lambda: frame.kappa.icc()["estimate"],
        lambda: pingouin.intraclass_corr(long, **columns)["ICC"],
    )


@work(PEERS, "Dawid and Skene, 100,000 annotations of a crowd, 20 steps", "crowd-kit", 0.5)
def labels_of_a_crowd(share: float) -> Sides:
    from crowdkit.aggregation import DawidSkene

    data = crowd(share * 1e5, 500)
    theirs = data.set_axis(["task", "worker", "label"], axis=1)
    read = pdkappa.from_long(data, **NAMES)
    return Sides(
        data,
        lambda: read.consensus(method="dawid_skene", max_iter=20)["probability"],
        lambda: DawidSkene(n_iter=20, tol=-np.inf).fit(theirs).probas_,
        same=False,
    )


@work(PEERS, "cutpoints, 10,000 scores, K = 5", "Nelder and Mead on scikit-learn's kappa", 0.02)
def cuts(share: float) -> Sides:
    from scipy.optimize import minimize

    frame = real_scores(share * 1e4, 1).assign(truth=ratings(share * 1e4, 1)["r0"])
    score, truth = frame["r0"].to_numpy(), frame["truth"].to_numpy()

    def loss(at: np.ndarray) -> float:
        cut = np.searchsorted(np.sort(at), score, side="right")
        return -by_sklearn(pd.DataFrame({"truth": truth, "cut": cut}))[0]

    return Sides(
        frame,
        lambda: cutpoints(truth, score, method="exact", n_folds=0, weights="quadratic").estimate,
        lambda: -minimize(loss, np.arange(4) + 0.5, method="Nelder-Mead").fun,
        same=False,  # never better than the exact cuts
    )


# --- beside the least work that would do -------------------------------------------------------


@work(LEAST, "pairwise QWK, 10,000 x 100", "one product of sums, squares and products", 2)
def least_pairs(share: float) -> Sides:
    frame = ratings(share * 1e4, 100)
    values = frame.to_numpy().astype(float)

    def theirs() -> np.ndarray:
        mean = values.mean(axis=0)
        both = np.diag(product := values.T @ values / len(values))
        apart = both[:, None] + both - 2 * product
        chance = both[:, None] + both - 2 * np.outer(mean, mean)
        return (1 - apart / chance)[np.triu_indices(100, 1)]

    return Sides(frame, all_pairs(frame).ours, theirs)


@work(LEAST, "grouped, 1,000,000 rows, 10,000 groups", "one bincount", 4)
def least_groups(share: float) -> Sides:
    frame = in_groups(share * 1e6, share * 1e4)
    one, other, group = frame.to_numpy().T
    ours = of_groups(share).ours
    return Sides(frame, ours, lambda: np.bincount(group * 25 + one * 5 + other), same=False)


@work(LEAST, "groupby().kappa.pairs, 100,000 rows, 1,000 groups", "pairs(by=)", 1.1)
def least_groupby(share: float) -> Sides:
    frame = in_groups(share * 1e5, share * 1e3)
    parts = frame.groupby("group")
    return Sides(
        frame,
        lambda: parts.kappa.pairs()["estimate"],
        lambda: frame.kappa.pairs(["r0", "r1"], by="group")["estimate"],
    )


@work(LEAST, "agreement with clusters, 100,000 x 5", "agreement without", 3)
def least_clusters(share: float) -> Sides:
    frame = in_groups(share * 1e5, share * 1e4, 5)
    five = frame.drop(columns="group")
    return Sides(
        frame,
        lambda: five.kappa.agreement(cluster=frame["group"].to_numpy())["estimate"],
        lambda: five.kappa.agreement()["estimate"],
    )


@work(LEAST, "bootstrap, 2,000 replicates, n = 100,000", "multinomial and einsum", 2)
def least_bootstrap(share: float) -> Sides:
    frame = ratings(share * 1e5, 2)
    table = np.bincount(frame.to_numpy() @ [5, 1], minlength=25)
    apart = np.subtract.outer(np.arange(5), np.arange(5)) ** 2

    def theirs() -> np.ndarray:
        rng = np.random.default_rng(1)
        drawn = rng.multinomial(len(frame), table / len(frame), N_RESAMPLES).reshape(-1, 5, 5)
        rows, columns = drawn.sum(axis=2), drawn.sum(axis=1)
        observed = np.einsum("rij,ij->r", drawn, apart) * len(frame)
        return 1 - observed / np.einsum("ri,ij,rj->r", rows, apart, columns)

    return Sides(frame, lambda: bootstrap(frame), theirs, same=False)


@work(LEAST, "icc, 100,000 x 4 real scores", "analysis of variance in NumPy", 20)
def least_icc(share: float) -> Sides:
    frame = real_scores(share * 1e5, 4)

    def theirs() -> tuple[float, ...]:
        values = frame.to_numpy()
        means = [values.mean(axis=axis) for axis in (1, 0)]
        return float(values.var()), *(float(mean.var()) for mean in means)

    return Sides(frame, frame.kappa.icc, theirs, same=False)


@work(LEAST, "alpha, interval, 30,000 x 4 real scores", "two variances", 20)
def least_alpha(share: float) -> Sides:
    frame = real_scores(share * 3e4, 4)

    def theirs() -> float:
        values = frame.to_numpy()
        return 1 - values.var(axis=1, ddof=1).mean() / values.var(ddof=1)

    return Sides(frame, lambda: alpha(frame), theirs)


def foreign(engine: str, n_ratings: float, **study: Any) -> Callable[[float], Sides]:
    """Return the pairs of a crowd whose annotations another package holds."""

    def sides(share: float) -> Sides:
        from importlib import import_module

        own = crowd(share * n_ratings, 2000)
        held = {
            "polars": lambda: import_module("polars").from_pandas(own),
            "pyarrow": lambda: import_module("pyarrow").Table.from_pandas(own),
            "DuckDB": lambda: import_module("duckdb").from_df(own),
        }[engine]()
        ours, theirs = (
            lambda data=data: pdkappa.from_long(data, **NAMES)(**study).pairs()["estimate"]
            for data in (held, own)
        )
        return Sides(own, ours, theirs)

    return sides


for package in ("polars", "pyarrow", "DuckDB"):
    for size, more in ((1e6, {}), (5e6, {"min_items": 10})):
        name = f"from_long of {package}, pairs({', '.join(more)}) of {size:,.0f}"
        work(LEAST, name, "the same of pandas", 1.2)(foreign(package, size, **more))


@work(LEAST, "from_frame of polars, pairs, 1,000,000 x 6", "one group_by", 1.5)
def least_frame(share: float) -> Sides:
    import polars as pl

    own = ratings(share * 1e6, 6)
    held = pl.from_pandas(own)
    ours = pdkappa.from_frame(held)
    return Sides(own, ours.pairs, lambda: held.group_by(held.columns).len(), same=False)


@work(LEAST, "raters(), 10,000 x 100", "pairs()", 3)
def least_raters(share: float) -> Sides:
    frame = ratings(share * 1e4, 100)
    return Sides(frame, frame.kappa.raters, frame.kappa.pairs, same=False)


@work(LEAST, "categories(), 10,000 x 100", "pairs()", 3)
def least_categories(share: float) -> Sides:
    frame = ratings(share * 1e4, 100)
    return Sides(frame, frame.kappa.categories, frame.kappa.pairs, same=False)


@work(LEAST, "qwk(labels=) of 1,000 items", "qwk", 3)
def least_labels(_: float) -> Sides:
    frame = ratings(1e3, 2)
    one, other = frame.to_numpy().T
    return Sides(
        frame, lambda: pdkappa.qwk(one, other, labels=range(5)), lambda: pdkappa.qwk(one, other)
    )


@work(LEAST, "qwk(sample_weight=) of 1,000 items", "qwk", 3)
def least_weights(_: float) -> Sides:
    frame = ratings(1e3, 2)
    one, other = frame.to_numpy().T
    ones = np.ones(len(one))
    return Sides(
        frame, lambda: pdkappa.qwk(one, other, sample_weight=ones), lambda: pdkappa.qwk(one, other)
    )


@work(LEAST, "Series.kappa.pair of 1,000 items", "qwk", 3)
def least_series(_: float) -> Sides:
    frame = ratings(1e3, 2)
    one, other = frame.to_numpy().T
    pair = frame["r0"].kappa.pair
    return Sides(
        frame,
        lambda: pair(frame["r1"], weights=QUADRATIC),
        lambda: pdkappa.qwk(one, other),
        same=False,
    )


@work(LEAST, "qwk of 1,000 texts", "factorize and bincount", 2)
def least_texts(_: float) -> Sides:
    letters = np.array(list("abcde"), dtype=object)
    frame = ratings(1e3, 2)
    one, other = letters[frame.to_numpy().T]

    def theirs() -> np.ndarray:
        codes = pd.factorize(np.concatenate([one, other]), sort=True)[0]
        return np.bincount(codes[: len(one)] * 5 + codes[len(one) :], minlength=25)

    ours = functools.partial(pdkappa.qwk, one, other, labels=list(letters))
    return Sides(frame, ours, theirs, same=False)


@work(LEAST, "pairwise QWK of half points, 100,000 x 20", "the same of whole points", 2)
def least_halves(share: float) -> Sides:
    whole = ratings(share * 1e5, 20)
    return Sides(whole, all_pairs(whole / 2).ours, all_pairs(whole).ours)


@work(LEAST, "qwk of 1,000 half points", "qwk of whole points", 3)
def least_half_sequences(_: float) -> Sides:
    one, other = (frame := ratings(1e3, 2)).to_numpy().T
    halves = one / 2, other / 2
    return Sides(frame, lambda: [pdkappa.qwk(*halves)], lambda: [pdkappa.qwk(one, other)])


@work(LEAST, "majority of 100,000 annotations", "a bincount", 5)
def least_majority(share: float) -> Sides:
    data = crowd(share * 1e5, 500)
    read = pdkappa.from_long(data, **NAMES)
    item, rating = data["item"].to_numpy(), data["rating"].to_numpy()
    n_cells = 5 * (item.max() + 1)
    return Sides(
        data,
        read.consensus,
        lambda: np.bincount(item * 5 + rating, minlength=n_cells).reshape(-1, 5).argmax(axis=1),
        same=False,
    )


@work(LEAST, "import pdkappa, beyond pandas", "import pandas", 0.25)
def least_import(_: float) -> Sides:
    return Sides(None, lambda: fresh("pdkappa", "import pandas"), lambda: fresh("pandas", ""))


@work(LEAST, "first report() of 100 x 3 in a process", "import pandas", 1)
def least_report(_: float) -> Sides:
    before = "import pdkappa; from speed import ratings; data = ratings(100, 3)"
    return Sides(None, lambda: fresh("data.kappa.report()", before), lambda: fresh("pandas", ""))


@work(LEAST, "report() of 1,000 x 200", "pairs()", 10)
def least_report_of_many(share: float) -> Sides:
    frame = ratings(share * 1e3, 200)
    return Sides(frame, frame.kappa.report, frame.kappa.pairs, same=False)


@work(LEAST, "report() of 10,000 x 50 in 8 groups", "pairs(by=)", 20)
def least_report_by_groups(share: float) -> Sides:
    frame = in_groups(share * 1e4, 8, 50)
    raters = list(frame.columns[:-1])
    return Sides(
        frame,
        lambda: frame.kappa.report(by="group"),
        lambda: frame.kappa.pairs(raters, by="group"),
        same=False,
    )


@work(LEAST, "report() of a crowd, 100,000 annotations by 200", "pairs()", 20)
def least_report_of_a_crowd(share: float) -> Sides:
    data = crowd(share * 1e5, 200)
    read = pdkappa.from_long(data, **NAMES)
    return Sides(data, read.report, read.pairs, same=False)


@work(LEAST, "report(machine=) of the same, 20,000 by 100", "pairs()", 100)
def least_report_of_a_machine(share: float) -> Sides:
    read = pdkappa.from_long(data := crowd(share * 2e4, 100), **NAMES)
    machine = read.rater_labels[0]
    return Sides(data, lambda: read.report(machine=machine), read.pairs, same=False)


@work(LEAST, "report() of 10,000 x 3 real scores", "pairs()", 10)
def least_report_of_scores(share: float) -> Sides:
    frame = real_scores(share * 1e4, 3)
    return Sides(frame, frame.kappa.report, frame.kappa.pairs, same=False)


@work(LEAST, "icc of a crowd, 5,000 annotations by 100", "pairs()", 300)
def least_icc_of_a_crowd(share: float) -> Sides:
    read = pdkappa.from_long(data := crowd(share * 5e3, 100), **NAMES)
    return Sides(data, read.icc, read.pairs, same=False)


@work(LEAST, "repr() of the pairs of 20 raters", "to_string() of pandas", 2)
def least_repr(_: float) -> Sides:
    frame = ratings(1e3, 20)
    found = frame.kappa.pairs()
    plain = pd.DataFrame(found)
    return Sides(frame, lambda: repr(found), plain.to_string, same=False)


def in_cells(share: float, names: dict[str, int], holes: float) -> pd.DataFrame:
    """Return one row for each combination of levels, of which some are missing, with a score."""
    rng = np.random.default_rng(5)
    sizes = [int(n * share) if place == 0 else n for place, n in enumerate(names.values())]
    levels = [x.ravel() for x in np.indices(sizes)]
    effects = sum(rng.normal(size=n)[level] for n, level in zip(sizes, levels, strict=True))
    frame = pd.DataFrame(dict(zip(names, levels, strict=True)))
    frame["score"] = effects + rng.normal(size=len(frame))
    return frame[rng.random(len(frame)) >= holes]


FACETS = {"person": 1000, "rater": 5, "occasion": 3}


@work(LEAST, "trials, 1,000 parts x 5 x 3", "a groupby and value_counts", 150)
def of_trials(share: float, n_trials: int = 3) -> Sides:
    frame = in_cells(share, {"part": 1000, "who": 5, "trial": n_trials}, 0.0)
    frame["grade"] = pd.cut(frame["score"], 4, labels=False)
    frame["standard"] = frame["part"] % 4
    call = {"item": "part", "rater": "who", "trial": "trial", "rating": "grade"}
    return Sides(
        frame,
        lambda: frame.kappa.trials(**call, truth="standard", conforming=1),
        frame.groupby(["part", "who"])["grade"].value_counts,
        same=False,
    )


def of_study(share: float, method: str, *, limits: bool, n_raters: int = 5) -> Sides:
    """Estimate components, and limits of them and of all coefficients."""
    frame = in_cells(share, FACETS | {"rater": n_raters}, 0.2)
    call = {"rating": "score", "item": "person", "facets": ["rater", "occasion"]}

    def ours() -> Any:
        study = frame.kappa.generalizability(**call, method=method)
        return study.coefficients if limits else study

    pairs = [["person", "rater"], ["person", "occasion"], ["rater", "occasion"]]
    every = [[name] for name in FACETS] + pairs
    return Sides(
        frame, ours, lambda: [frame.groupby(one)["score"].mean() for one in every], same=False
    )


@work(LEAST, "generalizability, anova, 1,000 x 5 x 3, holes", "six groupby().mean()", 150)
def of_anova(share: float) -> Sides:
    return of_study(share, "anova", limits=True)


@work(LEAST, "generalizability, reml, 1,000 x 5 x 3, holes", "six groupby().mean()", 1000)
def of_reml(share: float) -> Sides:
    return of_study(share, "reml", limits=True)


@work(LEAST, "alpha for units, 24,000 spans, 500 texts, 5 raters", "sorting them ten times", 3)
def of_units(share: float, n_spans: int = 10) -> Sides:
    rng, n, length = np.random.default_rng(6), int(500 * share), 200 * n_spans
    places = np.tile(np.arange(0, length, 10), (n * 5, 1))
    ends = np.sort(rng.permuted(places, axis=1)[:, : 2 * n_spans])
    text, who = (np.repeat(x.ravel(), n_spans) for x in np.indices((n, 5)))
    frame = pd.DataFrame({"text": text, "who": who})
    frame["start"], frame["end"] = ends[:, ::2].ravel(), ends[:, 1::2].ravel()
    names = {"item": "text", "rater": "who", "start": "start", "end": "end"}
    return Sides(
        frame,
        lambda: pdkappa.from_spans(frame, **names, length=length).agreement(),
        lambda: [frame.sort_values(["who", "text", "start"]) for _ in range(10)],
        same=False,
    )


class Seconds(float):
    """Time that a fresh process measured itself."""


def fresh(what: str, before: str) -> Seconds:
    """Run or import something in a process of its own, after the rest."""
    done = what if "(" in what else f"import {what}"
    code = f"import time\n{before}\nt = time.process_time()\n{done}\nprint(time.process_time() - t)"
    places = os.pathsep.join([str(Path(__file__).parent), *sys.path])
    own = os.environ | {"PYTHONPATH": places, "PYTHONPYCACHEPREFIX": CACHE.name}
    own.pop("PYTHONDONTWRITEBYTECODE", None)  # an installed package has its bytecode
    command = [sys.executable, "-W", "ignore", "-c", code]
    return Seconds(subprocess.check_output(command, env=own))  # noqa: S603 (this interpreter)


# --- times -------------------------------------------------------------------------------------


def timed(call: Callable[[], Any]) -> tuple[float, Any]:
    """Seconds of the processor that a call takes, of as many as a round needs, and its result."""
    start, n = time.process_time(), 0
    while True:
        found, n = call(), n + 1
        taken = time.process_time() - start
        if isinstance(found, Seconds):
            return found, found
        if taken > AT_LEAST:
            return taken / n, found


def extra_memory(call: Callable[[], Any]) -> float:
    """Largest allocation during the call, in MiB."""
    tracemalloc.start()
    call()
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    return peak / MIB


def duration(seconds: float) -> str:
    """Show a time with three digits or fewer after its first."""
    return f"{seconds:.1f} s" if seconds >= 1 else f"{1000 * seconds:.3g} ms"


def row_of(one: Work, share: float, rounds: int) -> str:
    """Measure one work."""
    sides = one.make(share)
    ours: list[float] = []
    theirs: list[float] = []
    sides.ours()
    for _ in range(rounds):
        seconds, found = timed(sides.ours)
        ours.append(seconds)
        if callable(sides.reference):
            seconds, expected = timed(sides.reference)
            theirs.append(seconds / sides.share)
            if sides.same and not isinstance(found, Seconds):
                np.testing.assert_allclose(found, expected, atol=1e-6)
    mine, memory = statistics.median(ours), ""
    if sides.data is not None:
        size = sides.data.memory_usage(index=False, deep=True).sum() / MIB
        memory = f"{extra_memory(sides.ours):.1f} / {size:.1f} MiB"
    shown, ratio = str(sides.reference), "runs"
    if theirs:
        other = statistics.median(theirs)
        shown, ratio = duration(other), f"{mine / other:.2g}"
    goal = "runs" if one.goal is None else f"{one.goal:g}"
    cells = [one.name, duration(mine), one.reference, shown, ratio, goal, memory]
    return f"| {' | '.join(cells)} |"


def main() -> None:
    """Print both tables."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("words", nargs="*", help="only works with one of these in their name")
    parser.add_argument("--quick", action="store_true", help="a tenth of the items, one round")
    parser.add_argument("--write", action="store_true", help="put the tables into README.md")
    args = parser.parse_args()
    share, rounds = (0.1, 1) if args.quick else (1.0, ROUNDS)
    warnings.simplefilter("ignore")
    head = "| work | pdkappa | reference | its time | ratio | goal | extra memory / data |"
    for table in (PEERS, LEAST):
        lines = [head, "|---|---:|---|---:|---:|---:|---:|"]
        print(*lines, sep="\n", flush=True)
        for one in WORKS:
            if one.table != table or not any(word in one.name for word in args.words or [""]):
                continue
            try:
                lines.append(row_of(one, share, rounds))
            except ModuleNotFoundError as error:
                print(f"left out: {one.name}: {error}", file=sys.stderr)
                continue
            print(lines[-1], flush=True)
        print()
        if args.write:
            put(table, lines)


if __name__ == "__main__":
    main()
