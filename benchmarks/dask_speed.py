"""Measure the pairs of five raters of 5,000,000 items in Parquet files, by pandas and by Dask.

    python benchmarks/dask_speed.py

Dask has two worker processes of one thread each, which are started beforehand. Each way reads
the files, and runs once, after a run on the first file. Processor time is that of all three
processes; it says more than the clock where the machine has other work. Kappas are compared bit
by bit.
"""

from __future__ import annotations

import tempfile
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

import dask.dataframe as dd
import numpy as np
import pandas as pd
from distributed import Client, LocalCluster

import pdkappa.dask  # noqa: F401 (registers ddf.kappa)

if TYPE_CHECKING:
    from collections.abc import Callable

N_ITEMS = 5_000_000
N_FILES = 20
RATERS = ["ann", "bob", "eve", "joe", "machine"]
TWO_PROCESSES: dict[str, Any] = {
    "n_workers": 2,
    "threads_per_worker": 1,
    "dashboard_address": ":0",
    "silence_logs": "ERROR",
}
WORK: dict[str, Callable[[str], Any]] = {
    "pandas: `read_parquet` and `pairs`": lambda path: pd.read_parquet(path).kappa.pairs(
        weights="quadratic"
    ),
    "Dask: `pairs`": lambda path: dd.read_parquet(path).kappa.pairs(weights="quadratic"),
    "Dask: `groupby(raters).size()`": lambda path: (
        dd.read_parquet(path).groupby(RATERS).size().compute()
    ),
    "Dask: `groupby(raters).size(split_out=1)`": lambda path: (
        dd.read_parquet(path).groupby(RATERS).size(split_out=1).compute()
    ),
}


def write(folder: Path) -> None:
    """Simulate raters who see the truth with an error of a step."""
    rng = np.random.default_rng(20261120)
    for number in range(N_FILES):
        truth = rng.integers(1, 6, N_ITEMS // N_FILES)
        off = rng.integers(-1, 2, (len(RATERS), len(truth)))
        ratings = (truth + off).clip(1, 5)
        frame = pd.DataFrame(dict(zip(RATERS, ratings, strict=True)))
        frame.to_parquet(folder / f"part_{number:02}.parquet", index=False)


def processor_time(client: Client) -> float:
    """Processor time of the workers and of this process so far."""
    return sum(client.run(time.process_time).values()) + time.process_time()


def main() -> None:
    print("| 5,000,000 items, 5 raters, Parquet | seconds | processor time |\n|---|---:|---:|")
    found = []
    with (
        tempfile.TemporaryDirectory() as folder,
        LocalCluster(**TWO_PROCESSES) as cluster,
        Client(cluster) as client,
    ):
        write(Path(folder))
        for name, work in WORK.items():
            work(f"{folder}/part_00.parquet")
            before, start = processor_time(client), time.perf_counter()
            found.append(work(folder))
            taken, processor = time.perf_counter() - start, processor_time(client) - before
            print(f"| {name} | {taken:.2f} | {processor:.2f} |")
    pandas, ours, *sizes = found
    pd.testing.assert_frame_equal(ours, pandas, check_exact=True)
    assert all(size.sum() == N_ITEMS for size in sizes)


if __name__ == "__main__":
    main()
