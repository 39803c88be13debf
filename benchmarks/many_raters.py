"""Time 200 raters of 100,000 items who share few of them, and measure the extra memory.

    python benchmarks/many_raters.py                   # the whole table, some minutes
    python benchmarks/many_raters.py "items, light"    # one row of it

Four fifths of the ratings are missing at random, so that every row is its own pattern. Each
function runs once, in a process of its own; times are those of the processor. Extra memory is
the peak of the resident memory during the call, less that before it: result included, frame
excluded.
"""

from __future__ import annotations

import resource
import subprocess
import sys
import time
import warnings

import numpy as np
import pandas as pd

import pdkappa

N_ITEMS = 100_000
N_RATERS = 200
N_CATEGORIES = 5
MISSING = 0.8
MIB = 2**20
RSS_UNIT = 1 if sys.platform == "darwin" else 1024

WORK = {
    "agreement, all seven": pdkappa.agreement,
    "agreement, quadratic weights": lambda data: pdkappa.agreement(data, weights="quadratic"),
    "pairwise": pdkappa.pairwise,
    "pairs": pdkappa.pairs,
    "influence, light": lambda data: pdkappa.influence(data, coefficients="light"),
    "influence, conger": lambda data: pdkappa.influence(data, coefficients="conger"),
    "raters": pdkappa.raters,
    "items, light": lambda data: pdkappa.items(data, coefficient="light"),
    "items, conger": lambda data: pdkappa.items(data, coefficient="conger"),
    "categories, light": lambda data: pdkappa.categories(data, coefficient="light"),
}


def ratings(n_items: int, n_raters: int) -> pd.DataFrame:
    """Simulate raters who see the truth with an error of a step, as floats with NaN.

    Rater by rater, so that nothing larger than the frame is ever held.
    """
    rng = np.random.default_rng(20261120)
    truth = rng.integers(0, N_CATEGORIES, n_items)
    values = np.empty((n_items, n_raters), order="F")
    for rater in range(n_raters):
        seen = np.clip(truth + rng.integers(-1, 2, n_items), 0, N_CATEGORIES - 1)
        values[:, rater] = np.where(rng.random(n_items) < MISSING, np.nan, seen)
    return pd.DataFrame(values, columns=[f"r{i}" for i in range(n_raters)], copy=False)


def peak() -> int:
    """Largest resident memory of this process so far, in bytes."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * RSS_UNIT


def measure(name: str) -> None:
    """Print one row of the table."""
    work = WORK[name]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", pdkappa.UndefinedKappaWarning)
        work(ratings(200, 4))  # imports what is needed
        frame = ratings(N_ITEMS, N_RATERS)
        before, start = peak(), time.process_time()
        work(frame)
        taken, extra = time.process_time() - start, peak() - before
    size = frame.memory_usage(index=False).sum()
    print(
        f"| {name} | {taken:.1f} s | {extra / MIB:.0f} MiB | {extra / size:.2f} "
        f"| {extra / frame.size:.1f} |"
    )


def main() -> None:
    """Print the table, each row by a process of its own."""
    print("| function | processor time | extra memory | / columns | bytes a cell |")
    print("|---|---:|---:|---:|---:|", flush=True)
    for name in WORK:
        subprocess.run([sys.executable, __file__, name], check=True)  # noqa: S603


if __name__ == "__main__":
    if len(sys.argv) > 1:
        measure(sys.argv[1])
    else:
        main()
