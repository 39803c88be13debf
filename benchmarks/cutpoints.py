"""Compare `cutpoints` with Nelder and Mead's method on scikit-learn's kappa; print three tables.

    python benchmarks/cutpoints.py speed          # time, and kappa on the training items
    python benchmarks/cutpoints.py gap            # kappa on the training items, 100 data sets
    python benchmarks/cutpoints.py quality        # kappa on new items, 30 data sets a setting
    python benchmarks/cutpoints.py quality 100    # 100 data sets a setting

Nelder-Mead is what people run: `scipy.optimize.minimize(method="Nelder-Mead")` on
`-cohen_kappa_score(weights="quadratic")`. It starts from .5, 1.5, ... for the times, and for
the quality from the quantiles of the score that give every class its share, which is better.
"""

from __future__ import annotations

import statistics
import sys
import time
from typing import NamedTuple

import numpy as np
from scipy.optimize import minimize
from scipy.special import ndtr, ndtri
from sklearn.metrics import cohen_kappa_score

import pdkappa

SEED = 20261120
RHO = 0.75
SIX = (0.12, 0.25, 0.3, 0.2, 0.1, 0.03)
FIVE = (0.1, 0.2, 0.4, 0.2, 0.1)
TREE_CUTS = (-1.2, -0.35, 0.45, 1.2, 1.9)
SIZES = (100, 300, 1000, 5000)
LARGE = 5000
FRESH = 200_000
RULES = ("exact", "isotonic", "fixed_point", "auto")


class Sample(NamedTuple):
    """True classes from 0 upwards, and scores."""

    truth: np.ndarray
    score: np.ndarray


# --- data --------------------------------------------------------------------------------------


def regression(n: int, cuts: np.ndarray, rng: np.random.Generator) -> Sample:
    """Classes cut from z, and their mean given h, which has the correlation .75 with z."""
    z = rng.normal(size=n)
    h = RHO * z + np.sqrt(1 - RHO**2) * rng.normal(size=n)
    score = sum(ndtr((RHO * h - cut) / np.sqrt(1 - RHO**2)) for cut in cuts)
    return Sample(np.searchsorted(cuts, z), np.asarray(score))


def smooth(n: int, rng: np.random.Generator) -> Sample:
    """Six classes, and what the best regression would predict."""
    return regression(n, ndtri(np.cumsum(SIX)[:-1]), rng)


def tree(n: int, rng: np.random.Generator) -> Sample:
    """Scores of a tree: few different ones."""
    z = rng.normal(size=n)
    score = np.floor(3 * (RHO * z + 0.66 * rng.normal(size=n) + 4)) / 3
    return Sample(np.searchsorted(TREE_CUTS, z), score)


def bimodal(n: int, rng: np.random.Generator) -> Sample:
    """Two heaps of scores."""
    upper = rng.random(n) < 0.5  # noqa: PLR2004
    truth = rng.integers(0, 3, n) + 3 * upper
    return Sample(truth, 10 * upper + 0.35 * truth + rng.normal(size=n))


def step(n: int, rng: np.random.Generator) -> Sample:
    """Classes whose mean jumps."""
    score = rng.uniform(0, 10, n)
    mean = np.select([score < 2, score < 5, score < 8], [0.4, 2.1, 2.6], 4.6)  # noqa: PLR2004
    return Sample(np.clip(np.round(mean + 0.9 * rng.normal(size=n)), 0, 5).astype(int), score)


def scores_to_60(n: int, rng: np.random.Generator) -> Sample:
    """Draw sixty-one classes, like an essay set scored from 0 to 60."""
    return regression(n, (np.arange(60) - 29.5) / 9, rng)


KINDS = {"smooth": smooth, "tree": tree, "bimodal": bimodal, "step": step}


# --- methods -----------------------------------------------------------------------------------


def nelder_mead(sample: Sample, start: np.ndarray) -> tuple[np.ndarray, int]:
    """Optimise the cuts as people do; the cuts, and how often kappa was computed."""

    def loss(cuts: np.ndarray) -> float:
        predicted = np.searchsorted(np.sort(cuts), sample.score, side="right")
        return -cohen_kappa_score(sample.truth, predicted, weights="quadratic")

    found = minimize(loss, start, method="Nelder-Mead")
    return np.sort(found.x), found.nfev


def qwk(sample: Sample, cuts: np.ndarray) -> float:
    return pdkappa.qwk(sample.truth, np.searchsorted(cuts, sample.score, side="right"))


def ours(sample: Sample, k: int, method: str, n_folds: int = 5) -> pdkappa.Cutpoints:
    return pdkappa.cutpoints(
        sample.truth, sample.score, categories=range(k), method=method, n_folds=n_folds
    )


def seconds(work, runs: int) -> float:
    """Median time of some runs."""
    times = []
    for _ in range(runs):
        start = time.perf_counter()
        work()
        times.append(time.perf_counter() - start)
    return statistics.median(times)


# --- tables ------------------------------------------------------------------------------------


def speed() -> None:
    """Print times, and kappa on the items that the cuts were fitted to."""
    print(
        "| K | items | exact | exact, 5 folds | auto | Nelder-Mead | ratio to exact | with 5 folds "
        "| QWK exact | QWK Nelder-Mead |"
    )
    print("|---:|" + "---:|" * 9)
    for k in (5, 61):
        n_calls = 0
        for n in (1000, 10_000, 100_000, 1_000_000):
            rng = np.random.default_rng(SEED)
            cuts = ndtri(np.cumsum(FIVE)[:-1])
            sample = regression(n, cuts, rng) if k == len(FIVE) else scores_to_60(n, rng)
            exact = seconds(lambda s=sample, k=k: ours(s, k, "exact", 0), 7)
            folds = seconds(lambda s=sample, k=k: ours(s, k, "exact"), 7)
            auto = seconds(lambda s=sample, k=k: ours(s, k, "auto"), 3)
            best = ours(sample, k, "exact", 0).estimate
            begin = time.perf_counter()
            if n < 1_000_000:  # noqa: PLR2004
                found, n_calls = nelder_mead(sample, np.arange(k - 1) + 0.5)
                peer = time.perf_counter() - begin
                theirs = f"{qwk(sample, found):.6f}"
                assert best >= qwk(sample, found) - 1e-12
                mark = ""
            else:  # as many calls as with a tenth of the items
                rounded = np.clip(np.round(sample.score), 0, k - 1).astype(int)
                once = seconds(
                    lambda s=sample, r=rounded: cohen_kappa_score(s.truth, r, weights="quadratic"),
                    3,
                )
                peer, theirs, mark = once * n_calls, "", " (extrapolated)"
            print(
                f"| {k} | {n:,} | {1000 * exact:.1f} ms | {1000 * folds:.1f} ms "
                f"| {1000 * auto:.0f} ms | {1000 * peer:.0f} ms{mark} | {peer / exact:.0f} "
                f"| {peer / folds:.0f} | {best:.6f} | {theirs} |",
                flush=True,
            )


def gap(n_sets: int) -> None:
    """Print how much kappa Nelder-Mead's method misses on the items that it is fitted to."""
    print("| items | mean gap | largest gap | sets in which Nelder-Mead found the optimum |")
    print("|---:|---:|---:|---:|")
    for n in (100, 300, 1000, 3000):
        gaps = []
        for stream in np.random.default_rng([SEED, n]).spawn(n_sets):
            sample = smooth(n, stream)
            best = ours(sample, len(SIX), "exact", 0).estimate
            gaps.append(best - qwk(sample, nelder_mead(sample, np.arange(5) + 0.5)[0]))
            assert gaps[-1] >= -1e-12  # noqa: PLR2004
        found = sum(one <= 1e-12 for one in gaps)  # noqa: PLR2004
        print(f"| {n} | {np.mean(gaps):.4f} | {max(gaps):.4f} | {found} of {n_sets} |", flush=True)


def held_out(kind: str, n: int, stream: np.random.Generator) -> list[float]:
    """Kappa on new items with the cuts of every rule, and of Nelder-Mead's method last."""
    sample, fresh = KINDS[kind](n, stream), KINDS[kind](FRESH, stream)
    k = len(SIX)
    found = [qwk(fresh, ours(sample, k, rule).cuts) for rule in RULES]
    below = np.cumsum(np.bincount(sample.truth, minlength=k))[:-1] / n
    found.append(qwk(fresh, nelder_mead(sample, np.quantile(sample.score, below))[0]))
    return found


def quality(n_sets: int) -> None:
    """Print mean kappa on new items in sixteen settings."""
    print("| scores | items | Nelder-Mead | exact | isotonic | fixed_point | auto | auto less NM |")
    print("|---|---:|" + "---:|" * 6)
    worse = 0
    for kind in KINDS:
        for n in SIZES:
            times = n_sets if n < LARGE else -(-n_sets // 3)
            streams = np.random.default_rng([SEED, n, *kind.encode()]).spawn(times)
            found = np.array([held_out(kind, n, stream) for stream in streams])
            *rules, peer = found.mean(axis=0)
            gain = found[:, -2] - found[:, -1]
            error = gain.std(ddof=1) / np.sqrt(times)
            worse += gain.mean() <= 0
            row = " | ".join(f"{one:.4f}" for one in (peer, *rules))
            print(f"| {kind} | {n} | {row} | {gain.mean():+.4f} ± {error:.4f} |", flush=True)
    print(f"\nauto is not above Nelder-Mead in {worse} of {len(KINDS) * len(SIZES)} settings.")


def main() -> None:
    """Print one of the tables."""
    if "speed" in sys.argv:
        speed()
    numbers = [int(word) for word in sys.argv[1:] if word.isdigit()]
    if "gap" in sys.argv:
        gap(numbers[0] if numbers else 100)
    if "quality" in sys.argv:
        quality(numbers[0] if numbers else 30)


if __name__ == "__main__":
    main()
