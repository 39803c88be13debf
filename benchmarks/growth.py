"""Draw how time and memory grow with items, raters, categories and groups: growth.svg.

    python benchmarks/growth.py

Quadratic weighted kappa of all pairs of raters, and of groups, as `pairwise` and `grouped` give
it. Times are those of the processor, medians of three runs; extra memory is the largest
allocation of Python and NumPy during the call.
"""

from __future__ import annotations

import statistics
import time
import tracemalloc
import warnings
from pathlib import Path

import matplotlib as mpl
import numpy as np
import pandas as pd

import pdkappa

mpl.use("Agg")
from matplotlib import pyplot as plt

RUNS = 3
MIB = 2**20
PICTURE = Path(__file__).with_name("growth.svg")
BLUE, GREY = "#2066a8", "#8c8c8c"


def ratings(n_items: int, n_raters: int, k: int) -> pd.DataFrame:
    """Simulate raters who see the truth with an error of a step."""
    rng = np.random.default_rng(20261120)
    seen = rng.integers(0, k, (n_items, 1)) + rng.integers(-1, 2, (n_items, n_raters))
    return pd.DataFrame(np.clip(seen, 0, k - 1), columns=[f"r{i}" for i in range(n_raters)])


def pairwise(n_items: int = 100_000, n_raters: int = 10, k: int = 5):
    """Return the work of comparing all raters."""
    frame = ratings(n_items, n_raters, k)
    return lambda: pdkappa.pairwise(frame, weights="quadratic")


def grouped(n_groups: int):
    """Return the work of comparing two raters of a million items group by group."""
    frame = ratings(1_000_000, 2, 5)
    frame["group"] = np.random.default_rng(1).integers(0, n_groups, len(frame))
    return lambda: pdkappa.grouped(frame, "r0", "r1", by="group", weights="quadratic").pooled


PANELS = {
    "items": (
        "10 raters, K = 5",
        [1_000, 3_000, 10_000, 30_000, 100_000, 300_000, 1_000_000],
        lambda n: pairwise(n_items=n),
    ),
    "raters": (
        "10,000 items, K = 5",
        [2, 5, 10, 20, 50, 100, 200, 400],
        lambda n: pairwise(n_items=10_000, n_raters=n),
    ),
    "categories": (
        "100,000 items, 10 raters",
        [2, 4, 8, 9, 16, 17, 32, 64, 128, 256, 512, 1024],
        lambda n: pairwise(k=n),
    ),
    "groups": (
        "1,000,000 items, 2 raters, K = 5",
        [1, 10, 100, 1_000, 10_000, 100_000],
        grouped,
    ),
}


def measure(work) -> tuple[float, float]:
    """Milliseconds of the processor, and extra memory in MiB."""
    times = []
    for _ in range(RUNS + 1):
        start = time.process_time()
        work()
        times.append(time.process_time() - start)
    tracemalloc.start()
    work()
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    return 1000 * statistics.median(times[1:]), peak / MIB


def draw(figure, panels: dict[str, tuple[str, list[int], list[tuple[float, float]]]]) -> None:
    """Draw times above and memory below, with a line of growth in proportion."""
    axes = figure.subplots(2, len(panels), sharey="row", sharex="col")
    for column, (name, (fixed, sizes, found)) in enumerate(panels.items()):
        axes[0, column].set_title(f"{name}\n{fixed}", fontsize=9)
        axes[1, column].set_xlabel(name)
        for row, values in enumerate(zip(*found, strict=True)):
            axis = axes[row, column]
            line = values[-1] * np.array(sizes) / sizes[-1]
            axis.loglog(sizes, line, color=GREY, linewidth=1, linestyle=":")
            axis.loglog(sizes, values, color=BLUE, marker="o", markersize=3.5)
            axis.set_ylim(*((1, 3000) if row == 0 else (0.05, 1000)))
            axis.grid(visible=True, which="major", linewidth=0.4, alpha=0.5)
            axis.minorticks_off()
    axes[0, 0].set_ylabel("milliseconds")
    axes[0, -1].legend(["in proportion"], loc="upper left", frameon=False, fontsize=8)
    axes[1, 0].set_ylabel("extra memory, MiB")


def main() -> None:
    """Measure, print and draw."""
    panels = {}
    for name, (fixed, sizes, work) in PANELS.items():
        found = []
        for size in sizes:
            found.append(measure(work(size)))
            print(
                f"{size:>9,} {name:10} {found[-1][0]:8.1f} ms {found[-1][1]:8.1f} MiB", flush=True
            )
        panels[name] = (fixed, sizes, found)
    mpl.rcParams |= {"svg.hashsalt": "growth", "svg.fonttype": "none"}
    figure = plt.figure(figsize=(11, 5), layout="constrained")
    draw(figure, panels)
    figure.savefig(PICTURE, metadata={"Date": None})


if __name__ == "__main__":
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", pdkappa.UndefinedKappaWarning)  # in tiny groups
        main()
