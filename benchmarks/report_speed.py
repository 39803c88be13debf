"""Time reports: tables, workbook, page. Of essays, of many raters, and of many groups.

    python benchmarks/report_speed.py

12,000 essays in eight sets by three raters have whole numbers on the scales of the sets, with a
true score behind them. 50 raters give 12,000 items scores from 0 to 60, or 2,000 items in eight
groups scores from 0 to 4; three raters give 40,000 items in 2,000 groups scores from 0 to 4.
Seconds of the processor; each step runs once, the packages that it imports included. The last line
is the agreement of all 1,225 pairs of 50 raters in each of 2,000 groups, which no sheet holds.
"""

from __future__ import annotations

import tempfile
import time
from functools import partial
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


def scores(n: int, n_raters: int, n_groups: int, top: int) -> pd.DataFrame:
    rng = np.random.default_rng(1)
    true = rng.random(n) * top
    noise = rng.normal(0, 0.12 * top, (n_raters, n))
    columns = {
        f"rater {number}": np.clip(np.rint(true + one), 0, top).astype(int)
        for number, one in enumerate(noise)
    }
    return pd.DataFrame({**columns, "group": rng.integers(0, n_groups, n)})


def timed(name: str, data: pd.DataFrame, raters: list[str], by: str | None) -> None:
    start = time.process_time()
    report = data.kappa.report(raters, by=by, weights="quadratic")
    took, sizes = [time.process_time() - start], []
    with tempfile.TemporaryDirectory() as folder:
        writers = {
            "brief.xlsx": report.to_excel,
            "full.xlsx": partial(report.to_excel, detail="full"),
            "page.html": report.to_html,
        }
        for file, write in writers.items():
            start = time.process_time()
            sizes.append(write(Path(folder) / file).stat().st_size / 1e6)
            took.append(time.process_time() - start)
    steps = zip(["tables", "workbook", "full workbook", "page"], took, strict=True)
    shown = "  ".join(f"{step} {seconds:5.2f} s" for step, seconds in steps)
    print(f"{name:42} {shown}  ({', '.join(f'{size:.1f}' for size in sizes)} MB)", flush=True)


def main() -> None:
    print(f"pdkappa {pdkappa.__version__}")
    timed("12,000 essays, 8 sets, 3 raters", essays(), RATERS, "essay_set")
    for n, n_raters, n_groups, top in (
        (12_000, 50, 1, 60),
        (2_000, 50, 8, 4),
        (40_000, 3, 2_000, 4),
    ):
        data = scores(n, n_raters, n_groups, top)
        name = f"{n:,} items, {n_raters} raters, {n_groups:,} group(s), 0-{top}"
        timed(name, data, [*data][:-1], "group" if n_groups > 1 else None)
    data = scores(40_000, 50, 2_000, 4)
    start = time.process_time()
    n_rows = len(data.kappa.pairs([*data][:-1], by="group", weights="quadratic"))
    print(
        f"pairs of 50 raters in 2,000 groups, {n_rows:,} rows: {time.process_time() - start:.1f} s"
    )


if __name__ == "__main__":
    main()
