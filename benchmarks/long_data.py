"""Time the pairs of 2,000 raters who gave 500,000 annotations, and measure the extra memory.

    python benchmarks/long_data.py

Each of 100,000 items is rated by five raters, drawn at random, into five categories. Each
function runs once, in a process of its own. Extra memory is the peak of the resident memory
during the call, less that before it: result included, frame excluded.
"""

from __future__ import annotations

import resource
import subprocess
import sys
import tempfile
import time
import warnings
from pathlib import Path

import numpy as np
import pandas as pd

import pdkappa

N_ITEMS = 100_000
N_RATERS = 2_000
PER_ITEM = 5
N_CATEGORIES = 5
MIB = 2**20
RSS_UNIT = 1 if sys.platform == "darwin" else 1024


def read(data: pd.DataFrame) -> pdkappa.Ratings:
    return pdkappa.from_long(data, item="item", rater="rater", rating="rating")


WORK = {
    "from_long": read,
    "from_long, pairs": lambda data: read(data).pairs(),
    "from_long, pairs, quadratic weights": lambda data: read(data).pairs(weights="quadratic"),
    "from_long, pairwise": lambda data: read(data).pairwise(),
    "the pivot alone": lambda data: data.pivot_table(  # what it takes without
        index="item", columns="rater", values="rating"
    ),
}


def annotations(n_items: int, n_raters: int) -> pd.DataFrame:
    """Simulate raters who see the truth with an error of a step, in random order."""
    rng = np.random.default_rng(20261120)
    truth = rng.integers(0, N_CATEGORIES, n_items)
    raters = np.sort(rng.integers(0, n_raters - PER_ITEM + 1, (n_items, PER_ITEM)), axis=1)
    raters += np.arange(PER_ITEM)  # distinct
    seen = truth[:, None] + rng.integers(-1, 2, raters.shape)
    frame = pd.DataFrame(
        {
            "item": np.repeat(np.arange(n_items), PER_ITEM),
            "rater": [f"r{rater:04}" for rater in raters.reshape(-1)],
            "rating": np.clip(seen, 0, N_CATEGORIES - 1).reshape(-1),
        }
    )
    return frame.sample(frac=1, random_state=1, ignore_index=True)


def peak() -> int:
    """Largest resident memory of this process so far, in bytes."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * RSS_UNIT


def measure(name: str, path: str) -> None:
    """Print one row of the table; the data are read, since to simulate them takes memory too."""
    work = WORK[name]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", pdkappa.UndefinedKappaWarning)
        work(annotations(200, 20))  # imports what is needed
        data = pd.read_pickle(path)  # noqa: S301 (our own)
        before, start = peak(), time.perf_counter()
        found = work(data)
        taken, extra = time.perf_counter() - start, peak() - before
    size = len(found) if isinstance(found, pd.DataFrame) else ""
    print(f"| {name} | {size} | {taken:.2f} s | {extra / MIB:.0f} MiB |")


def main() -> None:
    """Print the table, each row by a process of its own."""
    print("| function | rows of the result | time | extra memory |")
    print("|---|---:|---:|---:|", flush=True)
    with tempfile.TemporaryDirectory() as folder:
        path = str(Path(folder, "annotations.pickle"))
        annotations(N_ITEMS, N_RATERS).to_pickle(path)
        for name in WORK:
            subprocess.run([sys.executable, __file__, name, path], check=True)  # noqa: S603


if __name__ == "__main__":
    if len(sys.argv) > 1:
        measure(*sys.argv[1:])
    else:
        main()
