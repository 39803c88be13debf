"""Time the ways of counting all pairs of raters, for data of several shapes.

    python benchmarks/kernels.py            # the table, about two minutes
    python benchmarks/kernels.py --write    # and put it into README.md
    python benchmarks/kernels.py --clusters # what clusters add to all pairs of 20 raters

Times are those of the processor, on one core, medians of three runs. The last two ways were
tried and left out: a product of one-hot matrices, and of powers of the scores, which holds what
quadratic weights need of the tables, but not the tables themselves.
"""

from __future__ import annotations

import statistics
import sys
import time
from itertools import combinations

import numpy as np
import pandas as pd
from readme import put
from threadpoolctl import threadpool_limits

import pdkappa
from pdkappa.counts.core import kernels
from pdkappa.counts.core.pairs import count_pairs

RUNS = 3
MOST_WORK = 2e10  # products of items, pairs and cells that are waited for
ITEMS_AT_A_TIME = 4096
HEADER = (
    "| items x raters | K | missing | bits | joint histograms | one by one | **chosen** "
    "| one-hot product | moments |"
)
SHAPES = [
    (100_000, 20, 2),
    (100_000, 20, 5),
    (100_000, 20, 8),
    (100_000, 20, 11),
    (100_000, 20, 61),
    (10_000, 100, 5),
    (1_000, 100, 5),
    (1_000_000, 2, 5),
    (1_000_000, 2, 61),
]


def ratings(n_items: int, n_raters: int, k: int, missing: float) -> np.ndarray:
    """Simulate raters who see the truth with an error of a step, shape (R, N)."""
    rng = np.random.default_rng(20261120)
    seen = rng.integers(0, k, n_items) + rng.integers(-1, 2, (n_raters, n_items))
    codes = np.clip(seen, 0, k - 1).astype(np.int8)
    codes[rng.random(codes.shape) < missing] = -1
    return codes


def one_hot(codes: np.ndarray, k: int) -> np.ndarray:
    """Count all pairs by a product of one-hot matrices, shape (R, K, R, K)."""
    n_raters, n_items = codes.shape
    levels = np.arange(k, dtype=codes.dtype)[:, None]
    total = np.zeros((n_raters * k, n_raters * k), dtype=np.int64)
    for start in range(0, n_items, ITEMS_AT_A_TIME):
        part = codes[:, None, start : start + ITEMS_AT_A_TIME] == levels
        hot = part.reshape(n_raters * k, -1).astype(np.float32)
        total += (hot @ hot.T).astype(np.int64)
    return total.reshape(n_raters, k, n_raters, k)


def moments(codes: np.ndarray) -> np.ndarray:
    """Sum the products of powers of two raters' scores, as far as standard errors need them."""
    n_raters, n_items = codes.shape
    total = np.zeros((5 * n_raters, 5 * n_raters))
    for start in range(0, n_items, ITEMS_AT_A_TIME):
        scores = codes[:, start : start + ITEMS_AT_A_TIME].astype(np.float64)
        rated = scores >= 0
        scores *= rated
        powers = np.stack([rated, scores, scores**2, scores**3, scores**4])
        flat = powers.reshape(5 * n_raters, -1)
        total += flat @ flat.T
    return total


def seconds(work) -> float:
    """Median time of the processor, after one run that is not counted."""
    times = []
    for _ in range(RUNS + 1):
        start = time.process_time()
        work()
        times.append(time.process_time() - start)
    return statistics.median(times[1:])


def clusters() -> None:
    """Print how much longer all pairs of 20 raters take with 10,000 clusters of 100,000 items."""
    data = pd.DataFrame(ratings(100_000, 20, 5, 0.0).T)
    nested = np.random.default_rng(1).integers(0, 10_000, len(data))
    plain = seconds(lambda: pdkappa.pairs(data))
    with_clusters = seconds(lambda: pdkappa.pairs(data, cluster=nested))
    print(
        f"{1000 * plain:.0f} ms, with clusters {1000 * with_clusters:.0f}: "
        f"{with_clusters / plain:.1f} times"
    )


def ways_of(codes: np.ndarray, k: int):
    """Yield what the table holds of one shape: a piece of work, or None where it takes too long."""
    n_raters, n_items = codes.shape
    pairs = list(combinations(range(n_raters), 2))
    levels = k + bool((codes < 0).any())
    is_small = len(pairs) * n_items * k**2 < MOST_WORK
    size = kernels.raters_per_block(n_raters, n_items, levels)
    one = {"groups": None, "n_groups": 1, "weights": None}
    yield (lambda: kernels.by_bits(codes, k, pairs)) if is_small else None
    yield (lambda: kernels.by_blocks(codes, k, pairs, size, None)) if size > 1 else None
    yield lambda: kernels.one_by_one(codes, k, pairs, **one)
    yield lambda: count_pairs(codes, k, pairs=pairs)
    yield (lambda: one_hot(codes, k)) if is_small else None
    yield lambda: moments(codes)


def main() -> None:
    """Print the table."""
    lines = [HEADER, "|---" + "|---:" * HEADER.count(" | ") + "|"]
    print(*lines, sep="\n", flush=True)
    for n_items, n_raters, k in SHAPES:
        for missing in (0.0, 0.2):
            codes = ratings(n_items, n_raters, k, missing)
            cells = [f"{n_items:,} x {n_raters}", str(k), f"{missing:.0%}".replace("%", " %")]
            cells += [
                "" if work is None else f"{1000 * seconds(work):.1f}" for work in ways_of(codes, k)
            ]
            lines.append(f"| {' | '.join(cells)} |")
            print(lines[-1], flush=True)
    if "--write" in sys.argv:
        put("kernels", lines)


if __name__ == "__main__":
    with threadpool_limits(1):
        clusters() if "--clusters" in sys.argv else main()
