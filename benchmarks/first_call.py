"""Time what a user meets first: the metric, the square frame, the pairs, and the import.

    python benchmarks/first_call.py

Times are of the processor, each the least of many in one process beside scikit-learn's. Imports run
in fresh processes that find the bytecode of an earlier one, as an installed package has it.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
import time
from typing import TYPE_CHECKING

import numpy as np
import pandas as pd
from sklearn.metrics import cohen_kappa_score

import pdkappa

if TYPE_CHECKING:
    from collections.abc import Callable

SIZES = (100, 1_000, 10_000)
ROUNDS, SECONDS = 9, 0.05
HELD: dict[str, Callable[[np.ndarray], object]] = {
    "array": np.asarray,
    "Series": pd.Series,
    "list": np.ndarray.tolist,
}
IMPORT = """
import time, pandas
start = time.process_time()
import pdkappa
print(time.process_time() - start)
"""


def least(call: Callable[[], object]) -> float:
    """Milliseconds of the processor that a call takes, at best."""
    call()
    best = np.inf
    for _ in range(ROUNDS):
        start, n = time.process_time(), 0
        while time.process_time() - start < SECONDS:
            call()
            n += 1
        best = min(best, (time.process_time() - start) / n)
    return 1e3 * best


def scores(rng: np.random.Generator, n: int, raters: int) -> np.ndarray:
    true = rng.integers(1, 7, (n, 1))
    return np.clip(true + rng.integers(-1, 2, (n, raters)), 1, 6)


def metric(rng: np.random.Generator) -> None:
    print("| items | held as | `qwk`, ms | scikit-learn, ms | ratio |\n|---:|---|---:|---:|---:|")
    for n in SIZES:
        drawn = scores(rng, n, 2).T.copy()
        for name, make in HELD.items():
            one, other = map(make, drawn)
            ours = least(lambda a=one, b=other: pdkappa.qwk(a, b))
            theirs = least(lambda a=one, b=other: cohen_kappa_score(a, b, weights="quadratic"))
            print(f"| {n:,} | {name} | {ours:.3f} | {theirs:.3f} | {theirs / ours:.0f} |")


def frames(rng: np.random.Generator) -> None:
    print("\n| 100 x 3 held as | `pairwise`, ms | `pairs`, ms |\n|---|---:|---:|")
    whole = pd.DataFrame(scores(rng, 100, 3), columns=list("abc"))
    for name in ("int64", "object", "category", "str"):
        frame = whole.astype(name)
        print(f"| {name} | {least(frame.kappa.pairwise):.2f} | {least(frame.kappa.pairs):.2f} |")


def imports() -> None:
    with tempfile.TemporaryDirectory() as cache:
        own = {key: value for key, value in os.environ.items() if key != "PYTHONDONTWRITEBYTECODE"}
        command, environment = [sys.executable, "-c", IMPORT], own | {"PYTHONPYCACHEPREFIX": cache}
        runs = [subprocess.check_output(command, env=environment) for _ in range(ROUNDS)]  # noqa: S603
    print(f"\n`import pdkappa` beyond pandas: {min(map(float, runs)):.3f} s")


def main() -> None:
    rng = np.random.default_rng(1)
    metric(rng)
    frames(rng)
    imports()


if __name__ == "__main__":
    main()
