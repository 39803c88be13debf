"""Time pdkappa and what people run instead side by side, in one run; print the ratios.

    python benchmarks/against_peers.py            # the whole table, some minutes
    python benchmarks/against_peers.py --write    # and put it into README.md
    python benchmarks/against_peers.py --quick    # a tenth of the items, once

Times are those of the processor, medians of five runs of both, in turn; machines differ, so
quote the ratios. The floor is one pass over the same columns, ``df.to_numpy().sum()``. Extra
memory is the largest allocation of Python and NumPy during the call, beside the size of these
columns.
"""

from __future__ import annotations

import statistics
import sys
import time
import tracemalloc
from itertools import combinations
from typing import TYPE_CHECKING, NamedTuple

import krippendorff
import numpy as np
import pandas as pd
from readme import put
from sklearn.metrics import cohen_kappa_score
from statsmodels.stats.inter_rater import aggregate_raters, fleiss_kappa

import pdkappa

if TYPE_CHECKING:
    from collections.abc import Callable

RUNS = 5
MIB = 2**20
N_RESAMPLES = 2000
TIMED_RESAMPLES = 3


class Case(NamedTuple):
    """A row of the table: our work, and the peer's, whose results must be the same numbers."""

    name: str
    target: str
    columns: pd.DataFrame
    ours: Callable[[], object]
    peer: Callable[[], object] | str  # or why it cannot be run
    share: float = 1.0  # of the peer's work that is done
    same: bool = True


def ratings(n_items: int, n_raters: int, n_categories: int, missing: float = 0.0) -> pd.DataFrame:
    """Simulate raters who see the truth with an error of a step or two."""
    rng = np.random.default_rng(20261120)
    truth = rng.integers(0, n_categories, (n_items, 1))
    seen = truth + rng.integers(-1, 2, (n_items, n_raters))
    values = np.clip(seen, 0, n_categories - 1)
    frame = pd.DataFrame(values, columns=[f"r{i}" for i in range(n_raters)])
    return frame.mask(rng.random(values.shape) < missing) if missing else frame


def sklearn_loop(frame: pd.DataFrame, weights: str | None) -> list[float]:
    """Score every pair of columns with scikit-learn, as people do."""
    found = []
    has_missing = frame.isna().to_numpy().any()
    for a, b in combinations(frame.columns, 2):
        both = frame[[a, b]].dropna() if has_missing else frame
        found.append(cohen_kappa_score(both[a], both[b], weights=weights))
    return found


def sklearn_groups(frame: pd.DataFrame) -> pd.Series:
    """Score every group with scikit-learn, as people do."""
    return frame.groupby("group")[["r0", "r1"]].apply(
        lambda part: cohen_kappa_score(part["r0"], part["r1"], weights="quadratic")
    )


def sklearn_resamples(frame: pd.DataFrame, n_resamples: int) -> list[float]:
    """Score resampled rows with scikit-learn, as people do."""
    rng = np.random.default_rng(1)
    codes = frame.to_numpy().T
    found = []
    for _ in range(n_resamples):
        first, second = codes[:, rng.integers(0, len(frame), len(frame))]
        found.append(cohen_kappa_score(first, second, weights="quadratic"))
    return found


def two_of_many(frame: pd.DataFrame) -> list[float]:
    """Fleiss' kappa by statsmodels, with the counting that it needs, and alpha."""
    counts, _ = aggregate_raters(frame.to_numpy())
    alpha = krippendorff.alpha(frame.to_numpy().T, level_of_measurement="nominal")
    return [fleiss_kappa(counts), alpha]


def pairwise_case(name: str, target: str, frame: pd.DataFrame, weights: str | None) -> Case:
    """All pairs of raters, against a loop over the pairs."""
    above = np.triu_indices(frame.shape[1], 1)
    return Case(
        name,
        target,
        frame,
        lambda: frame.kappa.pairwise(weights=weights).to_numpy()[above],
        lambda: sklearn_loop(frame, weights),
    )


def cases(share: float):
    """Yield the rows of the table."""
    n = int(100_000 * share)
    quadratic = "quadratic"
    yield pairwise_case("pairwise QWK, 100,000 x 20, K = 5", "40", ratings(n, 20, 5), quadratic)
    frame = ratings(n, 20, 5, missing=0.2)
    yield pairwise_case("the same with 20 % missing", "40", frame, quadratic)
    yield pairwise_case("pairwise QWK, 10,000 x 100", "150", ratings(n // 10, 100, 5), quadratic)
    text = ratings(n, 10, 5).replace(dict(enumerate("abcde"))).astype(str)
    yield pairwise_case("pairwise kappa, text labels, 100,000 x 10", "20", text, None)
    yield pairwise_case("pairwise QWK, 100,000 x 20, 0-60", "20", ratings(n, 20, 61), quadratic)
    many = ratings(10 * n, 2, 5)
    many["group"] = np.random.default_rng(1).integers(0, int(10_000 * share), len(many))
    yield Case(
        "grouped, 1,000,000 rows, 10,000 groups, with SE, interval and mean",
        "100",
        many,
        lambda: means_of(many.kappa.grouped("r0", "r1", by="group")),
        lambda: sklearn_groups(many),
    )
    five = ratings(n, 5, 5)
    yield Case(
        "agreement, 100,000 x 5, seven coefficients with SE",
        "1",
        five,
        lambda: pdkappa.agreement(five)["estimate"][["fleiss", "krippendorff"]],
        lambda: two_of_many(five),
    )
    noise = np.random.default_rng(1).normal(0, 0.3, five.shape)
    scores = five + noise
    k = np.unique(scores.to_numpy()).size
    yield Case(
        "alpha, interval, 100,000 x 5 continuous scores",
        "runs",
        scores,
        lambda: pdkappa.agreement(scores, coefficients="krippendorff", weights="quadratic"),
        f"{k:,}² x 8 bytes = {k * k * 8 / 2**40:.1f} TiB",
    )
    two = five[["r0", "r1"]]
    options = {"ci": "percentile", "n_resamples": N_RESAMPLES, "rng": 1}
    yield Case(
        "bootstrap, 2,000 replicates, n = 100,000",
        "500",
        two,
        lambda: two.kappa.pairs(weights="quadratic", **options),
        lambda: sklearn_resamples(two, TIMED_RESAMPLES),
        share=TIMED_RESAMPLES / N_RESAMPLES,
        same=False,  # random
    )


def means_of(grouped: pdkappa.GroupedAgreement) -> pd.Series:
    """Ask for the mean over the groups too."""
    assert grouped.pooled is not None
    return grouped.groups["estimate"]


def timed(work: Callable[[], object]) -> tuple[float, object]:
    """Return the seconds of the processor that some work takes, and what it returns."""
    start = time.process_time()
    found = work()
    return time.process_time() - start, found


def times_of(case: Case, runs: int) -> tuple[float, float | None, float | None]:
    """Median times of pdkappa, of the peer and of the floor; None where there is none."""
    rounds: dict[str, list[float]] = {"ours": [], "peer": [], "floor": []}
    is_number = all(dtype.kind in "iuf" for dtype in case.columns.dtypes)
    case.ours()
    for _ in range(runs):
        seconds, found = timed(case.ours)
        rounds["ours"].append(seconds)
        if is_number:
            rounds["floor"].append(timed(lambda: case.columns.to_numpy().sum())[0])
        if callable(case.peer):
            seconds, expected = timed(case.peer)
            rounds["peer"].append(seconds / case.share)
            assert not case.same or np.allclose(found, expected)
    ours, peer, floor = (statistics.median(x) if x else None for x in rounds.values())
    assert ours is not None
    return ours, peer, floor


def extra_memory(work: Callable[[], object]) -> float:
    """Largest allocation during the call, in MiB."""
    tracemalloc.start()
    work()
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    return peak / MIB


def duration(seconds: float) -> str:
    """Show a time with three digits or fewer after its first."""
    return f"{seconds:.1f} s" if seconds >= 1 else f"{1000 * seconds:.3g} ms"


def row_of(case: Case, runs: int) -> str:
    """Measure one case."""
    ours, peer, floor = times_of(case, runs)
    size = case.columns.memory_usage(index=False, deep=True).sum() / MIB
    extra = extra_memory(case.ours)
    cells = [
        case.name,
        duration(ours),
        str(case.peer) if peer is None else duration(peer),
        "runs" if peer is None else f"{peer / ours:.0f}",
        case.target,
        "" if floor is None else f"{ours / floor:.0f}",
        f"{extra:.1f} / {size:.1f} MiB = {extra / size:.2f}",
    ]
    return f"| {' | '.join(cells)} |"


def main() -> None:
    """Print the table."""
    share, runs = (0.1, 1) if "--quick" in sys.argv else (1.0, RUNS)
    lines = [
        "| work | pdkappa | peer | peer / pdkappa | target | pdkappa / floor | extra memory |",
        "|---|---:|---:|---:|---:|---:|---:|",
    ]
    print(*lines, sep="\n", flush=True)
    for case in cases(share):
        lines.append(row_of(case, runs))
        print(lines[-1], flush=True)
    if "--write" in sys.argv:
        put("against_peers", lines)


if __name__ == "__main__":
    main()
