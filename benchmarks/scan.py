"""Scan 10,000,000 rows of five raters from 16 files, and measure the peak of the memory.

    python benchmarks/scan.py

Writes the files into a temporary folder. Each function runs once, in a fresh process, whose
peak of resident memory is that of everything: Python, pandas and pyarrow included. Times are
those of the processor, imports apart.
"""

from __future__ import annotations

import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy as np
import pandas as pd

import pdkappa

N_FILES = 16
N_ROWS = 10_000_000
RATED = 0.8  # of the ratings of the last rater
RATERS = ["ann", "bob", "eve", "ida", "joe"]
MIB = 2**20
RSS_UNIT = 1 if sys.platform == "darwin" else 1024

WORK = {
    "pairs, quadratic weights": lambda data: data.pairs(RATERS, weights="quadratic"),
    "pairs by 8 sites": lambda data: data.pairs(RATERS, by="site", weights="quadratic"),
    "pairwise": lambda data: data.pairwise(RATERS),
    "agreement, all seven": lambda data: data.agreement(RATERS),
    "grouped by 8 sites": lambda data: data.grouped("ann", "bob", by="site"),
    "report": lambda data: data.report(RATERS, weights="quadratic"),
}


def write(folder: Path, kind: str) -> None:
    """Write the files, one after the other."""
    rng = np.random.default_rng(20261120)
    n = N_ROWS // N_FILES
    for number in range(N_FILES):
        truth = rng.integers(0, 5, n)
        ratings = {name: np.clip(truth + rng.integers(-1, 2, n), 0, 4) for name in RATERS}
        frame = pd.DataFrame({**ratings, "site": rng.integers(0, 8, n)})
        frame["joe"] = frame["joe"].where(rng.random(n) < RATED)
        path = folder / f"{number:02}.{kind}"
        if kind == "csv":
            frame.astype({"joe": "Int64"}).to_csv(path, index=False)
        else:
            frame.to_parquet(path)


def measure(folder: Path, kind: str, name: str) -> None:
    """Print one row of the table."""
    start = time.process_time()
    WORK[name](pdkappa.scan(folder / f"*.{kind}"))
    taken = time.process_time() - start
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * RSS_UNIT
    print(f"| {name} | {kind} | {taken:.1f} s | {peak / MIB:.0f} MiB |", flush=True)


def main() -> None:
    """Print the table; every process is a fresh one, so that none inherits a peak."""
    print(
        "| function | files | processor time | peak of the process |\n|---|---|---:|---:|",
        flush=True,
    )
    with tempfile.TemporaryDirectory() as folder:
        for kind in ("parquet", "csv"):
            run = [sys.executable, __file__, folder, kind]
            subprocess.run(run, check=True)  # noqa: S603
            for name in WORK:
                subprocess.run([*run, name], check=True)  # noqa: S603


if __name__ == "__main__":
    _, *given = sys.argv
    if not given:
        main()
    elif given[2:]:
        measure(Path(given[0]), *given[1:])
    else:
        write(Path(given[0]), *given[1:])
