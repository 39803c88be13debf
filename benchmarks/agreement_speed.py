"""Time seven coefficients with standard errors against two that come without; print the ratio.

    python benchmarks/agreement_speed.py

The peers are Fleiss' kappa by statsmodels, with the counting that it needs, and Krippendorff's
alpha by krippendorff. Times are medians of five runs, all in one process.
"""

from __future__ import annotations

import statistics
import time

import krippendorff
import numpy as np
import pandas as pd
from statsmodels.stats.inter_rater import aggregate_raters, fleiss_kappa

import pdkappa

N_ITEMS = 100_000
N_RATERS = 5
N_CATEGORIES = 5
RUNS = 5


def ratings() -> pd.DataFrame:
    """Simulate raters who see the truth with an error of a step."""
    rng = np.random.default_rng(20261120)
    truth = rng.integers(0, N_CATEGORIES, (N_ITEMS, 1))
    seen = truth + rng.integers(-1, 2, (N_ITEMS, N_RATERS))
    values = np.clip(seen, 0, N_CATEGORIES - 1)
    return pd.DataFrame(values, columns=[f"r{i}" for i in range(N_RATERS)])


def fleiss(frame: pd.DataFrame) -> float:
    """Fleiss' kappa by statsmodels."""
    counts, _ = aggregate_raters(frame.to_numpy())
    return fleiss_kappa(counts)


def alpha(frame: pd.DataFrame) -> float:
    """Krippendorff's alpha by krippendorff."""
    return krippendorff.alpha(frame.to_numpy().T, level_of_measurement="nominal")


def seconds(work, frame: pd.DataFrame) -> float:
    """Median time of some runs, after one that is not counted."""
    work(frame)
    times = []
    for _ in range(RUNS):
        start = time.perf_counter()
        work(frame)
        times.append(time.perf_counter() - start)
    return statistics.median(times)


def main() -> None:
    """Print the times and their ratio."""
    frame = ratings()
    ours = pdkappa.agreement(frame)
    assert np.isclose(ours["estimate"]["fleiss"], fleiss(frame))
    assert np.isclose(ours["estimate"]["krippendorff"], alpha(frame))
    fast = seconds(pdkappa.agreement, frame)
    slow = [seconds(peer, frame) for peer in (fleiss, alpha)]
    print("| 100,000 items, 5 raters, K = 5 | milliseconds |")
    print("|---|---:|")
    print(f"| pdkappa: seven coefficients with standard errors | {1000 * fast:.0f} |")
    print(f"| statsmodels: Fleiss' kappa | {1000 * slow[0]:.0f} |")
    print(f"| krippendorff: alpha | {1000 * slow[1]:.0f} |")
    print(f"| ratio of these two to pdkappa | {sum(slow) / fast:.1f} |")


if __name__ == "__main__":
    main()
