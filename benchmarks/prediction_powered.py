"""Simulate how often limits of `prediction_powered` hold, and its variance beside the labels alone.

Run: python benchmarks/prediction_powered.py [SAMPLES]
The default takes some minutes; benchmarks/prediction_powered.md holds its tables. Of each cell
samples are drawn of a model, a human who labelled n of n + 2000 items, and judges: one who guesses,
a weak, a middling and a good one, one who says the opposite, and one who is good but moves all
categories round by one, so that the correlation may be zero though the judge knows the labels. The
middling one is such that the correlation of the errors of both coefficients is .5.

- *correlation*: of the errors of both coefficients, as the column of that name has it;
- *variance*: that of the estimate over that of the labels alone, with the error of the simulation;
- *coverage*: how often limits at the level .95 hold the kappa of all items; beside it that of the
  labels alone, by `pairs(ci="fisher")`;
- *se/sd*: mean standard error over the standard deviation of the estimates.

A second table has the variance with the middling judge, and with the one who moves categories, if
the best lambda were known: it is found from the samples themselves.
"""

from __future__ import annotations

import argparse
from typing import NamedTuple

import numpy as np

from pdkappa.coefficients.chance import COEFFICIENTS
from pdkappa.coefficients.weights import WEIGHTS, Scale
from pdkappa.counts.core.rows import RatingRows
from pdkappa.methods.prevalence.core.kappa import PoweredKappas, powered_kappas

N_OTHERS, LABELLED = 2000, (50, 100, 200)
COHEN, LEVEL = COEFFICIENTS["cohen"], 0.95
BATCH = 1000  # samples at a time
MIDDLING, LARGE = 0.5, 1 << 19
SLIGHT = 0.01  # a lambda that leaves all estimates below 1


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
        rows = RatingRows(rated, np.ones(size), group, n_groups, k).compressed()
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


def row(design: Design, truth: float, n: int, judge: tuple[str, Judge], n_samples: int) -> str:
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


def of_best(n_samples: int) -> None:
    """Print the second table."""
    print("\n## Best lambda known: variance\n")
    print(f"| ratings | judge | {' | '.join(f'n = {n}' for n in LABELLED)} |")
    print("|---|---|---|---|---|")
    for design in DESIGNS:
        for name, judge in (("middling", middling(design)), ("moved", JUDGES["moved"])):
            cells = [f"{best(design, judge, n, n_samples):.3f}" for n in LABELLED]
            print(f"| {' | '.join([design.name, name, *cells])} |", flush=True)


def main(n_samples: int) -> None:
    """Print both tables."""
    print(f"# Prediction-powered kappa, {n_samples} samples of each cell\n")
    print("Made by `python benchmarks/prediction_powered.py`, which says what the columns are.\n")
    print(
        "| ratings (kappa) | n | judge | correlation | variance | coverage | labels alone | se/sd |"
    )
    print("|---|---|---|---|---|---|---|---|")
    for design in DESIGNS:
        truth = float(of_many(design, GUESSES, 8 * LARGE).estimate[0])
        judges = {**JUDGES, "middling": middling(design)}
        for n in LABELLED:
            for judge in judges.items():
                print(row(design, truth, n, judge, n_samples), flush=True)
    of_best(n_samples)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("samples", nargs="?", type=int, default=6000)
    main(parser.parse_args().samples)
