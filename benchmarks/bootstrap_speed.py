"""Time 2,000 resamples of one quadratic weighted kappa against scikit-learn; print the ratio.

    python benchmarks/bootstrap_speed.py

pdkappa draws the counts of the table anew. The peer draws rows and scores them with
scikit-learn, as people do: three resamples are timed, and the time of 2,000 is extrapolated
from their mean. Our time is the median of five runs, counting the rows included.
"""

from __future__ import annotations

import statistics
import time

import numpy as np
from sklearn.metrics import cohen_kappa_score

from pdkappa.core.chance import COEFFICIENTS
from pdkappa.core.counts import count_pairs
from pdkappa.core.pairwise import chance_corrected
from pdkappa.core.resampling import resampled_limits
from pdkappa.core.weights import WEIGHTS, Scale

N_ITEMS = 100_000
N_CATEGORIES = 5
N_RESAMPLES = 2000
TIMED = 3
RUNS = 5


def ratings() -> np.ndarray:
    """Simulate two raters who see the truth with an error of a step, shape (2, N)."""
    rng = np.random.default_rng(20261120)
    truth = rng.integers(0, N_CATEGORIES, N_ITEMS)
    seen = truth + rng.integers(-1, 2, (2, N_ITEMS))
    return np.clip(seen, 0, N_CATEGORIES - 1)


def redraw_counts(codes: np.ndarray) -> tuple[float, float]:
    """Percentile limits from the table."""
    cohen = COEFFICIENTS["cohen"]
    counts = count_pairs(codes, N_CATEGORIES, pairs=[(0, 1)])
    scores = np.arange(float(N_CATEGORIES))[None]
    scale = Scale(WEIGHTS["quadratic"], scores, np.ones(scores.shape, dtype=bool))
    found = resampled_limits(
        chance_corrected(counts, scale, cohen),
        counts,
        scale,
        cohen,
        method="percentile",
        level=0.95,
        n_resamples=N_RESAMPLES,
        rng=1,
    )
    return found.low[0], found.high[0]


def redraw_rows(codes: np.ndarray, n_resamples: int) -> None:
    """Score resampled rows with scikit-learn."""
    rng = np.random.default_rng(1)
    for _ in range(n_resamples):
        first, second = codes[:, rng.integers(0, N_ITEMS, N_ITEMS)]
        cohen_kappa_score(first, second, weights="quadratic")


def seconds(work) -> float:
    start = time.perf_counter()
    work()
    return time.perf_counter() - start


def main() -> None:
    """Print the two times and their ratio."""
    codes = ratings()
    redraw_counts(codes)
    ours = statistics.median(seconds(lambda: redraw_counts(codes)) for _ in range(RUNS))
    redraw_rows(codes, 1)
    theirs = seconds(lambda: redraw_rows(codes, TIMED)) / TIMED * N_RESAMPLES
    low, high = redraw_counts(codes)
    print(f"95 % percentile limits of QWK: {low:.4f} to {high:.4f}\n")
    print("| 2,000 resamples of QWK, 100,000 items, K = 5 | seconds |")
    print("|---|---:|")
    print(f"| pdkappa, counts | {ours:.4f} |")
    print(f"| scikit-learn, rows (extrapolated from {TIMED}) | {theirs:.1f} |")
    print(f"| ratio | {theirs / ours:.0f} |")


if __name__ == "__main__":
    main()
