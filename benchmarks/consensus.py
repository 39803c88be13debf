"""Time the labels of 100,000 ratings beside crowd-kit, and compare the probabilities.

    pip install crowd-kit
    python benchmarks/consensus.py

20,000 items are rated by five of 500 workers each, who are right in 40 to 95 of 100 cases and
guess otherwise. Both packages take as many steps, from the same start. Processor time, best of
three.
"""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

import numpy as np
import pandas as pd
from crowdkit.aggregation import DawidSkene, MajorityVote

import pdkappa

if TYPE_CHECKING:
    from collections.abc import Callable

N_ITEMS = 20_000
N_WORKERS = 500
PER_ITEM = 5
LABELS = np.array(["a", "b", "c", "d"])


def crowd() -> pd.DataFrame:
    """Simulate the ratings, one below the other."""
    rng = np.random.default_rng(20261122)
    truth = rng.integers(0, len(LABELS), N_ITEMS)
    accuracy = rng.uniform(0.4, 0.95, N_WORKERS)
    worker = np.sort(rng.integers(0, N_WORKERS - PER_ITEM + 1, (N_ITEMS, PER_ITEM)), axis=1)
    worker = (worker + np.arange(PER_ITEM)).reshape(-1)  # distinct
    item = np.repeat(np.arange(N_ITEMS), PER_ITEM)
    guess = rng.integers(0, len(LABELS), len(item))
    label = np.where(rng.random(len(item)) < accuracy[worker], truth[item], guess)
    return pd.DataFrame({"task": item, "worker": worker, "label": LABELS[label]})


def best_of_three(work: Callable[[], object]) -> float:
    times = []
    for _ in range(3):
        start = time.process_time()
        work()
        times.append(time.process_time() - start)
    return min(times)


def main() -> None:
    data = crowd()
    ratings = read(data)
    found = ratings.consensus(method="dawid_skene")
    steps = len(found.log_likelihood)
    ours = best_of_three(lambda: ratings.consensus(method="dawid_skene"))
    theirs = best_of_three(lambda: DawidSkene(n_iter=steps, tol=-np.inf).fit(data))
    print(f"Dawid and Skene, {steps} steps: {ours:.2f} s, crowd-kit {theirs:.2f} s")
    peer = DawidSkene(n_iter=steps, tol=-np.inf).fit(data).probas_.max(axis=1).sort_index()
    print(f"largest difference of a probability: {(found['probability'] - peer).abs().max():.1e}")
    ours = best_of_three(ratings.consensus)
    theirs = best_of_three(lambda: MajorityVote().fit(data))
    print(f"majority: {ours:.3f} s, crowd-kit {theirs:.3f} s")
    figures = best_of_three(lambda: (found.raters, found.confusion))
    print(f"from_long: {best_of_three(lambda: read(data)):.3f} s, raters: {figures:.3f} s")


def read(data: pd.DataFrame) -> pdkappa.Ratings:
    return pdkappa.from_long(data, item="task", rater="worker", rating="label")


if __name__ == "__main__":
    main()
