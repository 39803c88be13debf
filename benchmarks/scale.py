"""Measure ratings of crowds, one below the other: in memory, in files and on Dask.

    python benchmarks/scale.py pairs       pairs of 5,000,000 annotations, beside DuckDB
    python benchmarks/scale.py files       20,000,000 annotations in 1 to 200 Parquet files
    python benchmarks/scale.py sizes       100,000 to 100,000,000 ratings in Parquet files
    python benchmarks/scale.py dask        100,000 to 20,000,000 annotations, two processes

2,000 raters give five ratings an item, of five categories, in random order. Each row is a process
of its own: processor time, without imports, and the peak of its memory, everything included; "more"
is what the call adds to the memory that there was before. On Dask, both are those of the two
workers and this process together.
"""

from __future__ import annotations

import resource
import shutil
import subprocess
import sys
import tempfile
import time
import warnings
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

import pdkappa

N_RATERS, PER_ITEM, N_CATEGORIES = 2_000, 5, 5
NAMES = {"item": "item", "rater": "rater", "rating": "rating"}
MIB = 2**20
RSS_UNIT = 1 if sys.platform == "darwin" else 1024
SIDES = ", ".join(
    f"count(*) FILTER (a.rating = {k}) AS a{k}, count(*) FILTER (b.rating = {k}) AS b{k}"
    for k in range(N_CATEGORIES)
)
CHANCE = " + ".join(f"a{k} * b{k}" for k in range(N_CATEGORIES))
OF_CELLS = """
    WITH cell AS (SELECT a.rater AS r, b.rater AS s, a.rating AS x, b.rating AS y, count(*) AS n
                  FROM data a JOIN data b ON a.item = b.item AND a.rater < b.rater GROUP BY ALL),
    pair AS (SELECT r, s, sum(n) AS n, sum(n) FILTER (x = y) AS same FROM cell GROUP BY ALL),
    of_r AS (SELECT r, s, x AS k, sum(n) AS m FROM cell GROUP BY ALL),
    of_s AS (SELECT r, s, y AS k, sum(n) AS m FROM cell GROUP BY ALL),
    chance AS (SELECT r, s, sum(of_r.m * of_s.m) AS e FROM of_r JOIN of_s USING (r, s, k)
               GROUP BY ALL)
    SELECT r, s, n, (coalesce(same, 0) / n - coalesce(e, 0) / (n * n))
           / (1 - coalesce(e, 0) / (n * n)) AS kappa FROM pair LEFT JOIN chance USING (r, s)
"""
OF_PAIRS = f"""
    WITH pair AS (SELECT a.rater AS r, b.rater AS s, count(*) AS n,
                         count(*) FILTER (a.rating = b.rating) AS same, {SIDES}
                  FROM data a JOIN data b ON a.item = b.item AND a.rater < b.rater GROUP BY ALL)
    SELECT r, s, n, (same / n - ({CHANCE}) / (n * n)) / (1 - ({CHANCE}) / (n * n)) AS kappa
    FROM pair
"""  # noqa: S608 (our own)


def annotations(n: int, start: int = 0) -> pd.DataFrame:
    """Simulate raters who see the truth with an error of a step, in random order."""
    rng = np.random.default_rng([20261123, start])
    n_items = n // PER_ITEM
    shape = (n_items, PER_ITEM)
    rater = np.sort(rng.integers(0, N_RATERS - PER_ITEM + 1, shape), axis=1) + np.arange(PER_ITEM)
    truth = rng.integers(0, N_CATEGORIES, n_items)[:, None]
    rating = np.clip(truth + rng.integers(-1, 2, shape), 0, N_CATEGORIES - 1)
    order = rng.permutation(n_items * PER_ITEM)
    item = np.repeat(np.arange(start, start + n_items), PER_ITEM)
    columns = {"item": item, "rater": rater.reshape(-1), "rating": rating.reshape(-1)}
    return pd.DataFrame({name: values[order] for name, values in columns.items()})


def of_items(kind: str, n: int, start: int = 0) -> pd.DataFrame:
    """Simulate annotations, or, if they are to be wide, five raters who all rated all items."""
    part = annotations(n, start)
    if not kind.startswith("wide"):
        return part
    ratings = part.sort_values("item", kind="stable")["rating"].to_numpy().reshape(-1, PER_ITEM)
    return pd.DataFrame(ratings, columns=[f"r{one}" for one in range(PER_ITEM)])


def write(folder: Path, n: int, n_files: int) -> None:
    """Write annotations into files, items by items."""
    for number in range(n_files):
        part = of_items(folder.name, n // n_files, number * (n // n_files) // PER_ITEM)
        part.to_parquet(folder / f"{number:04}.parquet", index=False)


def duckdb_on(path: str, query: str, *, threads: int = 2) -> Any:
    """Have DuckDB compute something of the annotations, which are in memory."""
    import duckdb

    connection = duckdb.connect(config={"threads": threads})
    connection.execute(f"CREATE TABLE data AS SELECT * FROM '{path}/*.parquet'")  # noqa: S608
    start = time.process_time()
    found = connection.sql(query).df()
    return found, time.process_time() - start


def in_memory(path: str, method: str, **study: Any) -> Any:
    """Compute something of a frame of pandas."""
    pdkappa.from_long(annotations(500), **NAMES).pairs()  # imports what is needed
    data = pd.read_parquet(path)
    before, start = peak(), time.process_time()
    found = getattr(pdkappa.from_long(data, **NAMES)(**study), method)()
    return found, time.process_time() - start, peak() - before


def of_files(path: str, method: str, **study: Any) -> Any:
    """Compute something of files with one rating, or with those of an item, in each row."""

    def read(folder: str) -> Any:
        is_wide = Path(folder).name.startswith("wide")
        return pdkappa.scan(folder) if is_wide else pdkappa.scan_long(folder, **NAMES)

    with tempfile.TemporaryDirectory(prefix=Path(path).name) as small:
        of_items(Path(path).name, 500).to_parquet(f"{small}/0.parquet")
        getattr(read(small), method)()  # imports what is needed
    before, start = peak(), time.process_time()
    found = getattr(read(path)(**study), method)()
    return found, time.process_time() - start, peak() - before


def read_by_duckdb(path: str) -> Any:
    """Have DuckDB read the rows."""
    import duckdb

    start = time.process_time()
    rows = duckdb.sql(f"SELECT item, rater, rating FROM '{path}/*.parquet'")  # noqa: S608
    n_rows = sum(batch.num_rows for batch in rows.to_arrow_reader(1 << 20))
    return range(n_rows), time.process_time() - start


WORK = {
    "pdkappa: pairs, every figure": lambda path: in_memory(path, "pairs"),
    "pdkappa: pairs of 10 joint items": lambda path: in_memory(path, "pairs", min_items=10),
    "pdkappa: pairwise": lambda path: in_memory(path, "pairwise"),
    "DuckDB: self-join, kappas from cells": lambda path: duckdb_on(path, OF_CELLS),
    "DuckDB: self-join, kappas by filters": lambda path: duckdb_on(path, OF_PAIRS),
    "DuckDB: reading the rows": read_by_duckdb,
    "scan_long: agreement": lambda path: of_files(path, "agreement"),
    "scan_long: usage": lambda path: of_files(path, "usage"),
}
OF_SIZES: dict[str, tuple[str, str, dict[str, Any]]] = {
    "`scan`, five raters: `agreement`": ("wide", "agreement", {}),
    "`scan`, five raters: `pairs`": ("wide", "pairs", {}),
    "`scan_long`, 2,000 raters: `agreement`": ("long", "agreement", {}),
    "`scan_long`, 2,000 raters: `usage`": ("long", "usage", {}),
    "`scan_long`, 2,000 raters: `pairs`, `min_items=10`": ("long", "pairs", {"min_items": 10}),
}


def peak() -> int:
    """Largest resident memory of this process so far, in bytes."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * RSS_UNIT


def measure(name: str, path: str) -> None:
    """Print one row of a table."""
    warnings.simplefilter("ignore", pdkappa.KappaWarning)
    found, taken, *more = WORK[name](path)
    added = f"{more[0] / MIB:.0f} MiB" if more else ""
    print(f"| {name} | {len(found)} | {taken:.2f} s | {added} | {peak() / MIB:.0f} MiB |")


def of_size(name: str, n: int, path: str) -> None:
    """Print time and memory of some ratings, each."""
    warnings.simplefilter("ignore", pdkappa.KappaWarning)
    _, method, study = OF_SIZES[name]
    _, taken, more = of_files(path, method, **study)
    cells = f"{taken:.2f} s | {taken / n * 1e6:.2f} us | {more / MIB:.0f} MiB | {more / n:.1f}"
    print(f"| {name} | {n:,} | {cells} |", flush=True)


def of_sizes(folder: Path) -> None:
    """Print the rows of all sizes."""
    head = "| work | ratings | processor time | each | more memory | bytes each |"
    print(f"{head}\n|---|---:|---:|---:|---:|---:|", flush=True)
    for n in (100_000, 1_000_000, 10_000_000, 100_000_000):
        for kind in ("wide", "long"):
            own = folder / f"{kind}{n}"
            own.mkdir()
            run("write", own, str(n), str(max(n // 500_000, 1)))
            for name in [name for name, (of, *_) in OF_SIZES.items() if of == kind]:
                run("sizes", own, str(n), name)
            shutil.rmtree(own)


def on_dask(folder: Path, n: int) -> None:
    """Print time and memory of two workers, by annotation."""
    import dask.dataframe as dd
    from distributed import Client, LocalCluster

    import pdkappa.dask

    warnings.simplefilter("ignore", pdkappa.KappaWarning)
    options: dict[str, Any] = {"n_workers": 2, "threads_per_worker": 1, "dashboard_address": ":0"}
    with LocalCluster(**options, silence_logs="ERROR") as cluster, Client(cluster) as client:

        def spent() -> float:
            return sum(client.run(time.process_time).values()) + time.process_time()

        def held() -> int:
            return sum(client.run(peak).values()) + peak()

        few = dd.from_pandas(annotations(500), npartitions=2)
        pdkappa.from_long(few, **NAMES).agreement()  # imports what is needed
        base, before, start = held(), spent(), time.perf_counter()
        ratings = pdkappa.from_long(dd.read_parquet(folder), **NAMES)
        ratings.agreement()
        agreed, clock = spent() - before, time.perf_counter() - start
        more = held() - base
        before = spent()
        found = ratings(min_items=10).pairs()
        paired = spent() - before
        print(
            f"| {n:,} | {clock:.1f} s | {agreed / n * 1e6:.2f} | {more / n:.0f} | "
            f"{paired / n * 1e6:.2f} | {(held() - base) / n:.0f} | {len(found)} |",
            flush=True,
        )


def run(*arguments: Any) -> None:
    """Do something in a process of its own, which inherits no peak."""
    subprocess.run([sys.executable, __file__, *arguments], check=True)  # noqa: S603


def main(kind: str) -> None:
    """Print the tables."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        if kind == "sizes":
            of_sizes(folder)
            return
        if kind == "dask":
            print(
                "| annotations | agreement | processor time, us each | bytes each | pairs of 10 "
                "items, us each | bytes each | pairs |\n|---:|---:|---:|---:|---:|---:|---:|",
                flush=True,
            )
            for n in (100_000, 500_000, 2_000_000, 20_000_000):
                own = folder / str(n)
                own.mkdir()
                run("write", own, str(n), str(max(n // 500_000, 2)))
                run(kind, own, str(n))
            return
        head = "| work | rows of the result | processor time | more memory | peak of the process |"
        print(f"{head}\n|---|---:|---:|---:|---:|", flush=True)
        sizes = (10,) if kind == "pairs" else (1, 200)
        for n_files in sizes:
            own = folder / str(n_files)
            own.mkdir()
            n = 5_000_000 if kind == "pairs" else 20_000_000
            run("write", own, str(n), str(n_files))
            rows = list(WORK)[:5] if kind == "pairs" else list(WORK)[5:]
            for row in rows:
                run(kind, own, row)


if __name__ == "__main__":
    if len(sys.argv) == 2:  # noqa: PLR2004
        main(sys.argv[1])
    elif sys.argv[1] == "write":
        write(Path(sys.argv[2]), *map(int, sys.argv[3:]))
    elif sys.argv[1] == "sizes":
        of_size(sys.argv[4], int(sys.argv[3]), sys.argv[2])
    elif sys.argv[1] == "dask":
        on_dask(Path(sys.argv[2]), int(sys.argv[3]))
    else:
        measure(sys.argv[3], sys.argv[2])
