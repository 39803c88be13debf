"""Time pdkappa and the loop over scikit-learn side by side, in one run; print the ratios.

    python benchmarks/against_peers.py            # the whole table, some minutes
    python benchmarks/against_peers.py --quick    # a tenth of the items

Times are medians of five runs, or of one for the loops; machines differ, so quote the ratios.
Extra memory is the largest allocation of Python and NumPy during the call, beside the size
of the rater columns themselves.
"""

from __future__ import annotations

import statistics
import sys
import time
import tracemalloc
from itertools import combinations

import numpy as np
import pandas as pd
from sklearn.metrics import cohen_kappa_score

import pdkappa  # noqa: F401  # registers df.kappa

RUNS = 5
MIB = 2**20


def ratings(n_items: int, n_raters: int, n_categories: int, missing: float = 0.0) -> pd.DataFrame:
    """Simulate raters who see the truth with an error of a step or two."""
    rng = np.random.default_rng(20261120)
    truth = rng.integers(0, n_categories, (n_items, 1))
    seen = truth + rng.integers(-1, 2, (n_items, n_raters))
    values = np.clip(seen, 0, n_categories - 1)
    frame = pd.DataFrame(values, columns=[f"r{i}" for i in range(n_raters)])
    return frame.mask(rng.random(values.shape) < missing) if missing else frame


def sklearn_loop(frame: pd.DataFrame, weights: str | None) -> None:
    """Score every pair of columns with scikit-learn, as people do."""
    for a, b in combinations(frame.columns, 2):
        both = frame[[a, b]].dropna() if frame.isna().to_numpy().any() else frame
        cohen_kappa_score(both[a], both[b], weights=weights)


def sklearn_groups(frame: pd.DataFrame) -> None:
    """Score every group with scikit-learn, as people do."""
    frame.groupby("group")[["r0", "r1"]].apply(
        lambda part: cohen_kappa_score(part["r0"], part["r1"], weights="quadratic")
    )


def seconds(work, runs: int) -> float:
    """Median time of some runs."""
    times = []
    for _ in range(runs):
        start = time.perf_counter()
        work()
        times.append(time.perf_counter() - start)
    return statistics.median(times)


def extra_memory(work) -> float:
    """Largest allocation during the call, in MiB."""
    tracemalloc.start()
    work()
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    return peak / MIB


def cases(share: float):
    """Name, our work, the peer's work, and the columns that hold the ratings."""
    n = int(100_000 * share)
    for name, frame, weights in (
        ("pairwise QWK, 100,000 x 20, K = 5", ratings(n, 20, 5), "quadratic"),
        ("the same with 20 % missing", ratings(n, 20, 5, missing=0.2), "quadratic"),
        ("pairwise QWK, 10,000 x 100, K = 5", ratings(n // 10, 100, 5), "quadratic"),
        ("pairwise QWK, 100,000 x 20, 0-60", ratings(n, 20, 61), "quadratic"),
        (
            "pairwise kappa, text labels, 100,000 x 10",
            ratings(n, 10, 5).replace(dict(enumerate("abcde"))).astype(str),
            None,
        ),
    ):
        yield (
            name,
            lambda frame=frame, weights=weights: frame.kappa.pairwise(weights=weights),
            lambda frame=frame, weights=weights: sklearn_loop(frame, weights),
            frame,
        )
    many = ratings(10 * n, 2, 5)
    many["group"] = np.random.default_rng(1).integers(0, int(10_000 * share), len(many))
    yield (
        "grouped and pooled, 1,000,000 rows in 10,000 groups",
        lambda: many.kappa.grouped("r0", "r1", by="group").pooled,
        lambda: sklearn_groups(many),
        many[["r0", "r1"]],
    )


def main() -> None:
    """Print the table."""
    share = 0.1 if "--quick" in sys.argv else 1.0
    print("| work | pdkappa | scikit-learn | ratio | extra memory / columns |")
    print("|---|---:|---:|---:|---:|")
    for name, ours, theirs, columns in cases(share):
        ours()
        fast, slow = seconds(ours, RUNS), seconds(theirs, 1)
        size = columns.memory_usage(index=False, deep=True).sum() / MIB
        extra = extra_memory(ours)
        print(
            f"| {name} | {1000 * fast:.0f} ms | {1000 * slow:.0f} ms | {slow / fast:.0f} x "
            f"| {extra:.1f} / {size:.1f} MiB = {extra / size:.2f} |"
        )


if __name__ == "__main__":
    main()
