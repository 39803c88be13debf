"""Time a report on 12,000 essays in eight sets with three raters: tables, workbook, page.

    python benchmarks/report_speed.py

Scores are whole numbers on the scales of the eight sets, with a true score behind them. Each step
runs once, the packages that it imports included.
"""

from __future__ import annotations

import tempfile
import time
from pathlib import Path

import numpy as np
import pandas as pd

import pdkappa  # registers df.kappa

N_ESSAYS = 12_000
TOPS = np.array([12, 6, 3, 3, 4, 4, 30, 60])
RATERS = ["human_1", "human_2", "machine"]


def essays() -> pd.DataFrame:
    rng = np.random.default_rng(1)
    essay_set = rng.integers(0, len(TOPS), N_ESSAYS)
    top = TOPS[essay_set]
    true = rng.random(N_ESSAYS) * top
    scores = {
        name: np.clip(np.rint(true + rng.normal(0, 0.12 * top)), 0, top).astype(int)
        for name in RATERS
    }
    return pd.DataFrame({"essay_set": essay_set + 1, **scores})


def main() -> None:
    data = essays()
    print(f"pdkappa {pdkappa.__version__}, {len(data):,} essays, {len(RATERS)} raters")
    start = time.perf_counter()
    report = data.kappa.report(RATERS, by="essay_set", weights="quadratic")
    tables = time.perf_counter()
    with tempfile.TemporaryDirectory() as folder:
        workbook = report.to_excel(Path(folder) / "report.xlsx")
        written = time.perf_counter()
        page = report.to_html(Path(folder) / "report.html")
        shown = time.perf_counter()
        sizes = [path.stat().st_size / 1e6 for path in (workbook, page)]
    print(f"tables    {tables - start:6.2f} s")
    print(f"to_excel  {written - tables:6.2f} s  {sizes[0]:.1f} MB")
    print(f"to_html   {shown - written:6.2f} s  {sizes[1]:.1f} MB")


if __name__ == "__main__":
    main()
