"""Time agreement of crowds, of a wide frame beside its peers, and of very many groups.

    python benchmarks/crowds.py

Each row runs in a process of its own, which first calls the function once with little data.
Times are those of the processor, the least of seven; extra memory is the peak of the resident
memory during the first of them, less that before it. The peers of the wide frame are statsmodels
(Fleiss' kappa) and krippendorff (alpha), timed in turn with pdkappa in one process.
"""

from __future__ import annotations

import resource
import subprocess
import sys
import time
import warnings
from typing import TYPE_CHECKING

import numpy as np
import pandas as pd

import pdkappa

if TYPE_CHECKING:
    from collections.abc import Callable

MIB = 2**20
RSS_UNIT = 1 if sys.platform == "darwin" else 1024
TIMES = 7
KNOWN = 0.6  # share of the ratings that are the truth, whatever the rest


def crowd(n_ratings: int, n_raters: int, n_items: int) -> pd.DataFrame:
    """Simulate workers of whom few do most of the work, five categories, in random order."""
    rng = np.random.default_rng(20261122)
    share = rng.pareto(1.2, n_raters) + 0.2
    item = np.arange(n_ratings) % n_items
    rater = rng.choice(n_raters, n_ratings, p=share / share.sum())
    frame = pd.DataFrame({"item": item, "rater": rater}).drop_duplicates()
    truth = rng.integers(0, 5, n_items)[frame["item"]]
    seen = rng.random(len(frame)) < KNOWN
    frame["rating"] = np.where(seen, truth, rng.integers(0, 5, len(frame)))
    return frame.sample(frac=1, random_state=1, ignore_index=True)


def agreement_of_crowd(frame: pd.DataFrame, **options: object) -> pd.DataFrame:
    """Estimate every coefficient that is there by default."""
    ratings = pdkappa.from_long(frame, item="item", rater="rater", rating="rating")
    return ratings.agreement(**options)


def wide(n_items: int) -> pd.DataFrame:
    """Simulate fifty raters who rated everything."""
    rng = np.random.default_rng(20261122)
    truth = rng.integers(0, 5, n_items)
    shape = (n_items, 50)
    seen = np.where(rng.random(shape) < KNOWN, truth[:, None], rng.integers(0, 5, shape))
    return pd.DataFrame(seen, columns=[f"r{rater}" for rater in range(50)])


def peers_of_wide(frame: pd.DataFrame) -> tuple[float, float]:
    """Estimate Fleiss' kappa and Krippendorff's alpha elsewhere."""
    import krippendorff
    from statsmodels.stats.inter_rater import aggregate_raters, fleiss_kappa

    values = frame.to_numpy()
    alpha = krippendorff.alpha(reliability_data=values.T, level_of_measurement="nominal")
    return fleiss_kappa(aggregate_raters(values)[0]), alpha


def grouped(n_rows: int) -> pd.DataFrame:
    """Simulate two raters and groups of two items."""
    rng = np.random.default_rng(20261122)
    first = rng.integers(1, 6, n_rows)
    second = np.clip(first + rng.integers(-1, 2, n_rows), 1, 5)
    return pd.DataFrame({"a": first, "b": second, "group": np.arange(n_rows) // 2})


def of_groups(frame: pd.DataFrame) -> object:
    """Estimate kappa of every group, and the means."""
    return frame.kappa.grouped("a", "b", by="group", weights="quadratic")


WORK: dict[str, tuple[Callable[[int], pd.DataFrame], tuple[Callable[..., object], ...], int]] = {
    "agreement, 90,000 annotations by 825 raters of 11,000 items": (
        lambda n: crowd(n, 825, max(n * 11 // 90, 10)),
        (agreement_of_crowd,),
        90_000,
    ),
    "agreement, 500,000 annotations by 2,000 raters of 100,000 items": (
        lambda n: crowd(n, 2000, max(n // 5, 10)),
        (agreement_of_crowd,),
        500_000,
    ),
    "the same, Light's kappa": (
        lambda n: crowd(n, 2000, max(n // 5, 10)),
        (lambda frame: agreement_of_crowd(frame, coefficients="light"),),
        500_000,
    ),
    "agreement, 10,000 x 50, all seven": (
        wide,
        (lambda frame: frame.kappa.agreement(), peers_of_wide),
        10_000,
    ),
    "grouped, 1,000,000 rows in 500,000 groups": (grouped, (of_groups,), 1_000_000),
}


def peak() -> int:
    """Largest resident memory of this process so far, in bytes."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * RSS_UNIT


def measure(name: str) -> None:
    """Print one row of the table."""
    make, work, size = WORK[name]
    warnings.simplefilter("ignore")
    little, data = make(100), make(size)
    for one in work:
        one(little)  # imports what is needed
    before = peak()
    taken: list[list[float]] = [[] for _ in work]
    extra = 0
    for number in range(TIMES):
        for found, one in zip(taken, work, strict=True):
            start = time.process_time()
            one(data)
            found.append(time.process_time() - start)
            extra = peak() - before if number == 0 and one is work[0] else extra
    ours, *peers = map(min, taken)
    ratio = f"{ours / peers[0]:.2f}" if peers else ""
    print(f"| {name} | {ours:.3f} s | {extra / MIB:.0f} MiB | {ratio} |", flush=True)


def main() -> None:
    """Print the table, each row by a process of its own."""
    print("| work | processor time | extra memory | / peers |")
    print("|---|---:|---:|---:|", flush=True)
    for name in WORK:
        subprocess.run([sys.executable, __file__, name], check=True)  # noqa: S603


if __name__ == "__main__":
    if len(sys.argv) > 1:
        measure(*sys.argv[1:])
    else:
        main()
