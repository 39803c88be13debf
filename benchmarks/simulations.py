"""Simulate limits of scores of a machine, and of few labels with many judgements; print Markdown.

    python benchmarks/simulations.py             # some minutes
    python benchmarks/simulations.py scoring     # or prevalence, powered, best: only this part
    python benchmarks/simulations.py --samples 200
    python benchmarks/simulations.py --write     # and put the tables into simulations.md

`simulations.md` says what each part draws, and what its columns are.
"""

from __future__ import annotations

import argparse
import warnings
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
import pandas as pd
from readme import SIMULATIONS, put

import pdkappa
from pdkappa.coefficients.chance import COEFFICIENTS
from pdkappa.coefficients.rating_rows import RatingRows
from pdkappa.coefficients.weights import WEIGHTS, Scale
from pdkappa.methods.machine.judged_means import Values
from pdkappa.methods.machine.prediction_powered import PoweredKappas, powered_kappas
from pdkappa.methods.machine.prevalence import METHODS

if TYPE_CHECKING:
    from collections.abc import Iterator

COHEN, LEVEL = COEFFICIENTS["cohen"], 0.95
N_OTHERS, LABELLED = 2000, (50, 100, 200)
N_ESSAYS, RELIABILITIES, CASES = (20, 50, 100, 200), (0.6, 0.85), ("plain", "once", "nested")
CRITERIA = ("prmse", "correlation", "degradation", "smd", "qwk")
N_TRUE, N_RESAMPLES, PER_WRITER = 400_000, 500, 4
SHARES, MOST = (0.05, 0.1, 0.3, 0.5), 0.5
RIGHT = {"guesses": 0.5, "weak": 0.7, "good": 0.9, "hardly errs": 0.98, "reversed": 0.1}
BATCH = 1000  # samples at a time
MIDDLING, LARGE = 0.5, 1 << 19
SLIGHT = 0.01  # a lambda that leaves all estimates below 1


# --- scores of a machine -----------------------------------------------------------------------


def essays(rng: np.random.Generator, n: int, reliability: float, case: str) -> pd.DataFrame:
    """Draw the scores of n essays."""
    writer = np.arange(n) // PER_WRITER
    shared = rng.normal(size=n)[writer] if case == "nested" else rng.normal(size=n)
    true = (shared + rng.normal(size=n)) / np.sqrt(2)
    error = np.sqrt(1 / reliability - 1)
    humans = 3.5 + 1.2 * (true + rng.normal(scale=error, size=(2, n)))
    frame = pd.DataFrame(np.clip(np.round(humans), 1, 6).T, columns=["ann", "bob"])
    frame["machine"] = 3.55 + 1.2 * (0.9 * true + rng.normal(scale=0.4, size=n))
    frame["writer"] = writer
    if case == "once":
        frame.loc[rng.random(n) < 1 / 2, "bob"] = np.nan
    return frame


def judged(frame: pd.DataFrame, case: str, n_resamples: int, **options: str) -> pd.DataFrame:
    """Hold the machine against the criteria."""
    cluster = "writer" if case == "nested" else None
    return frame.kappa(n_resamples=n_resamples).machine.readiness(
        ["ann", "bob"], "machine", cluster=cluster, confidence_level=LEVEL, **options
    )


def row_of_scores(n: int, reliability: float, case: str, n_samples: int) -> str:
    """Write one line of the table."""
    rng = np.random.default_rng([n, int(100 * reliability), CASES.index(case)])
    true = judged(essays(rng, N_TRUE, reliability, "plain"), "plain", 1)["estimate"]
    samples = [essays(rng, n, reliability, case).assign(sample=i) for i in range(n_samples)]
    frame = pd.concat(samples, ignore_index=True)
    frame["writer"] += frame["sample"] * n
    found = judged(frame, case, N_RESAMPLES, by="sample")
    missed = []
    for name in CRITERIA:
        one = found.xs(name, level="criterion")
        above, below = (one["ci_low"] > true[name]).mean(), (one["ci_high"] < true[name]).mean()
        missed.append(f"{above:.3f} {below:.3f}")
    return f"| {case} | {reliability} | {n} | {' | '.join(missed)} |"


def scoring(n_samples: int) -> Iterator[str]:
    """Write how often limits of `readiness` lie above and below the true value."""
    yield f"| case | reliability | n | {' | '.join(CRITERIA)} |"
    yield f"|---|---|---|{'---|' * len(CRITERIA)}"
    for case in CASES:
        for reliability in RELIABILITIES:
            for n in N_ESSAYS:
                yield row_of_scores(n, reliability, case, n_samples)


# --- shares from few labels --------------------------------------------------------------------


def shares_drawn(
    rng: np.random.Generator, share: float, right: float, n: int, n_samples: int
) -> Values:
    """Draw labels and judgements of samples, each of which is a group."""
    size = n_samples * (n + N_OTHERS)
    truth = rng.random(size) < share
    codes = np.stack([truth, truth ^ (rng.random(size) >= right)]).astype(int)
    codes[0, np.arange(size) % (n + N_OTHERS) >= n] = -1
    group = np.arange(size) // (n + N_OTHERS)
    rows = RatingRows(codes, np.ones(size), group, n_samples, 2).compressed
    human, judge = (rows.codes == 1).astype(float)
    return Values(rows, human, judge, *(rows.codes >= 0), of_shares=True)


def row_of_share(share: float, n: int, judge: str, n_samples: int) -> str:
    """Write one line of the table."""
    rng = np.random.default_rng([n, int(100 * share), int(100 * RIGHT[judge])])
    values = shares_drawn(rng, share, RIGHT[judge], n, n_samples)
    found = {name: method(values, None, LEVEL) for name, method in METHODS.items()}
    variance = np.var(found["ppi"].estimate) / np.var(found["humans_only"].estimate)
    holds = []
    for one in found.values():
        known = ~np.isnan(one.estimate)
        inside = (one.ci_low <= share) & (share <= one.ci_high)
        holds.append(f"{inside[known].mean():.3f}" if known.mean() > MOST else "")
    return f"| {share} | {n} | {judge} | {variance:.2f} | {' | '.join(holds)} |"


def prevalence(n_samples: int) -> Iterator[str]:
    """Write how often limits of `prevalence` hold the share."""
    yield f"| share | n | judge | variance | {' | '.join(METHODS)} |"
    yield f"|---|---|---|---|{'---|' * len(METHODS)}"
    for share in SHARES:
        for n in LABELLED:
            for judge in RIGHT:
                yield row_of_share(share, n, judge, n_samples)


# --- kappa from few labels ---------------------------------------------------------------------


class Judge(NamedTuple):
    """How near the human, and by how many categories moved round."""

    near: float
    moved: int = 0


GUESSES = Judge(0.0)
JUDGES = {
    "guesses": GUESSES,
    "weak": Judge(0.4),
    "middling": None,
    "good": Judge(0.95),
    "reversed": Judge(-0.9),
    "moved": Judge(0.95, 1),
}


class Design(NamedTuple):
    """Cuts of the scale, its weights, and how far model and human follow the truth."""

    name: str
    cuts: tuple[float, ...]
    weights: str | None
    follows: float


DESIGNS = (
    Design("quadratic, 5 even", (-1.2, -0.4, 0.4, 1.2), "quadratic", 0.85),
    Design("quadratic, 5 even, high", (-1.2, -0.4, 0.4, 1.2), "quadratic", 0.95),
    Design("quadratic, 4 skewed", (0.0, 1.0, 1.6), "quadratic", 0.85),
    Design("linear, 4", (-0.5, 0.5, 1.2), "linear", 0.85),
    Design("nominal, 3", (-0.5, 0.8), None, 0.85),
    Design("binary, even", (0.0,), None, 0.85),
    Design("binary, share .3", (0.5,), None, 0.85),
    Design("binary, share .18", (0.9,), None, 0.85),
)


def codes(rng: np.random.Generator, design: Design, judge: Judge, size: int) -> np.ndarray:
    """Draw categories of a model, a human and a judge, shape (3, size)."""
    truth, noise = rng.standard_normal((2, size), dtype=np.float32)
    rest = np.sqrt(1 - design.follows**2)
    human = design.follows * truth + rest * noise
    model = design.follows * truth + rest * rng.standard_normal(size, dtype=np.float32)
    near = judge.near * human
    near += np.sqrt(1 - judge.near**2) * rng.standard_normal(size, dtype=np.float32)
    rated = np.searchsorted(design.cuts, np.stack([model, human, near]))
    rated[2] = (rated[2] + judge.moved) % (len(design.cuts) + 1)
    return rated


def scale_of(design: Design) -> Scale:
    """Place the categories at 0, 1, 2, ..."""
    k = len(design.cuts) + 1
    places = np.arange(k, dtype=float)[None]
    return Scale(WEIGHTS[design.weights], places, np.ones((1, k), dtype=bool))


def estimates(
    design: Design, judge: Judge, n: int, n_samples: int, lam: float | None = None
) -> list[np.ndarray]:
    """Estimate by samples: powered kappas with limits, and the same of the labels alone."""
    seed = [n, int(100 * judge.near) + 100]
    rng, k = np.random.default_rng(seed), len(design.cuts) + 1
    scale, found = scale_of(design), []
    for start in range(0, n_samples, BATCH):
        n_groups = min(BATCH, n_samples - start)
        size = n_groups * (n + N_OTHERS)
        rated = codes(rng, design, judge, size)
        rated[1, np.arange(size) % (n + N_OTHERS) >= n] = -1
        group = np.arange(size) // (n + N_OTHERS)
        rows = RatingRows(rated, np.ones(size), group, n_groups, k).compressed
        tuned, alone = (powered_kappas(rows, scale, COHEN, one, LEVEL) for one in (lam, 0.0))
        found.append((*tuned[2:8], *alone[2:6]))
    return [np.concatenate(one) for one in zip(*found, strict=True)]


def of_many(design: Design, judge: Judge, size: int) -> PoweredKappas:
    """Estimate from so many items, all with labels."""
    k = len(design.cuts) + 1
    rated = codes(np.random.default_rng(0), design, judge, size)
    rows = RatingRows(rated, np.ones(size), np.zeros(size, dtype=int), 1, k)
    return powered_kappas(rows, scale_of(design), COHEN, 0.0, LEVEL)


def middling(design: Design) -> Judge:
    """Find how near the human a judge is, the correlation with whom is .5."""
    low, high = 0.0, 1.0
    for _ in range(12):
        near = (low + high) / 2
        above = of_many(design, Judge(near), LARGE).correlation[0] > MIDDLING
        low, high = (low, near) if above else (near, high)
    return Judge(near)


def ratio(first: np.ndarray, second: np.ndarray) -> tuple[float, float]:
    """Variance of the first over that of the second, and its standard error."""
    squares = [(one - one.mean()) ** 2 for one in (first, second)]
    found = squares[0].mean() / squares[1].mean()
    error = np.std(squares[0] - found * squares[1]) / squares[1].mean() / np.sqrt(len(first))
    return float(found), float(error)


def row_of_kappa(
    design: Design, truth: float, n: int, judge: tuple[str, Judge], n_samples: int
) -> str:
    """Write one line of the table."""
    found = estimates(design, judge[1], n, n_samples)
    known = ~(np.isnan(found[1]) | np.isnan(found[7]))
    estimate, se, low, high, _, correlation, alone, _, alone_low, alone_high = (
        one[known] for one in found
    )
    variance, error = ratio(estimate, alone)
    cells = (
        f"{design.name} ({truth:.2f})",
        n,
        judge[0],
        f"{np.nanmean(correlation):.2f}",
        f"{variance:.3f} ± {error:.3f}",
        f"{((low <= truth) & (truth <= high)).mean():.3f}",
        f"{((alone_low <= truth) & (truth <= alone_high)).mean():.3f}",
        f"{se.mean() / estimate.std():.2f}",
    )
    return f"| {' | '.join(map(str, cells))} |"


def best(design: Design, judge: Judge, n: int, n_samples: int) -> float:
    """Find the variance with the best lambda over that of the labels alone."""
    found = estimates(design, judge, n, n_samples, SLIGHT)
    moved, alone = found[0] - found[6], found[6]
    known = ~(np.isnan(found[1]) | np.isnan(found[7]))
    return 1 - float(np.corrcoef(moved[known], alone[known])[0, 1]) ** 2


def powered(n_samples: int) -> Iterator[str]:
    """Write how often limits of `prediction_powered` hold, and its variance."""
    names = ("correlation", "variance", "coverage", "labels alone", "se/sd")
    yield f"| ratings (kappa) | n | judge | {' | '.join(names)} |"
    yield "|---|---|---|---|---|---|---|---|"
    for design in DESIGNS:
        truth = float(of_many(design, GUESSES, 8 * LARGE).estimate[0])
        judges = {**JUDGES, "middling": middling(design)}
        for n in LABELLED:
            for judge in judges.items():
                yield row_of_kappa(design, truth, n, judge, n_samples)


def of_best(n_samples: int) -> Iterator[str]:
    """Write the variance with the best lambda."""
    yield f"| ratings | judge | {' | '.join(f'n = {n}' for n in LABELLED)} |"
    yield "|---|---|---|---|---|"
    for design in DESIGNS:
        for name, judge in (("middling", middling(design)), ("moved", JUDGES["moved"])):
            cells = [f"{best(design, judge, n, n_samples):.3f}" for n in LABELLED]
            yield f"| {' | '.join([design.name, name, *cells])} |"


PARTS = {
    "scoring": (scoring, 600),
    "prevalence": (prevalence, 3000),
    "powered": (powered, 6000),
    "best": (of_best, 6000),
}


def main() -> None:
    """Print what is asked for."""
    warnings.simplefilter("ignore", pdkappa.KappaWarning)
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("parts", nargs="*", choices=[[], *PARTS], default=[])
    parser.add_argument("--samples", type=int, help="of each cell")
    parser.add_argument("--write", action="store_true", help=f"put it into {SIMULATIONS.name}")
    args = parser.parse_args()
    for part in args.parts or PARTS:
        work, n_samples = PARTS[part]
        lines = []
        for line in work(args.samples or n_samples):
            lines.append(line)
            print(line, flush=True)
        print()
        if args.write:
            put(part, lines, SIMULATIONS)


if __name__ == "__main__":
    main()
