"""Simulate how often 95 % intervals of kappa hold the true value; print a Markdown table.

    python benchmarks/interval_coverage.py            # 2,000 tables for each design and size
    python benchmarks/interval_coverage.py --quick    # 200

Each of fourteen designs cuts two correlated normal variables into the categories of two
raters. Tables of n items are drawn from it, and the intervals of all tables of a design are
one call. Tables whose kappa is undefined (0/0) are left out, and counted below. Tables in
which one rater used a single category have a kappa, zero, but no interval except by "auto" with two
categories: without one they count as missed.
"""

from __future__ import annotations

import sys
from itertools import pairwise
from typing import NamedTuple

import numpy as np
from scipy.special import ndtr, ndtri

from pdkappa.coefficients.chance import COEFFICIENTS
from pdkappa.coefficients.intervals import limits
from pdkappa.coefficients.pairwise import chance_corrected
from pdkappa.coefficients.weights import WEIGHTS, Scale
from pdkappa.counts.core.pairs import PairCounts

SIZES = (20, 30, 50, 100, 200)
METHODS = ("auto", "fisher", "wald")
TARGETS = {20: 0.055, 30: 0.035, 50: 0.02, 100: 0.012}
LEVEL = 0.95
COHEN = COEFFICIENTS["cohen"]
MIDDLE = (0.1, 0.2, 0.4, 0.2, 0.1)
SKEWED = (0.55, 0.2, 0.12, 0.08, 0.05)
THREE = (0.5, 0.3, 0.2)
EVEN = (0.5, 0.5)
RARE = (0.9, 0.1)
NODES = np.polynomial.legendre.leggauss(400)


class Design(NamedTuple):
    """Two raters: their correlation, and the shares of the categories of each."""

    name: str
    weights: str | None
    rho: float
    first: tuple[float, ...]
    second: tuple[float, ...]


class Coverage(NamedTuple):
    """Share of tables whose limits hold the true value, and counts of those without limits."""

    share: dict[str, float]
    undefined: int
    constant: int


DESIGNS = [
    *(Design(f"QWK, {rho}", "quadratic", rho, MIDDLE, MIDDLE) for rho in (0, 0.4, 0.7, 0.9, 0.97)),
    Design("QWK, skewed, 0.7", "quadratic", 0.7, SKEWED, SKEWED),
    Design("QWK, shifted, 0.8", "quadratic", 0.8, MIDDLE, SKEWED),
    *(Design(f"nominal, {rho}", None, rho, THREE, THREE) for rho in (0.4, 0.8, 0.95)),
    *(Design(f"binary, {rho}", None, rho, EVEN, EVEN) for rho in (0.6, 0.9)),
    *(Design(f"rare, {rho}", None, rho, RARE, RARE) for rho in (0.6, 0.9)),
]


def binormal(design: Design) -> np.ndarray:
    """Probability of every cell of the table, shape (K, K)."""
    inner = ndtri(np.cumsum(design.second)[:-1])
    grid = np.concatenate([[-np.inf], inner, [np.inf]])
    nodes, weight = NODES
    edges = np.concatenate([[0.0], np.cumsum(design.first)])
    cells = []
    for low, high in pairwise(edges):
        share = np.minimum(low + (high - low) * (nodes + 1) / 2, 1.0)
        x = ndtri(share)[:, None]
        below = ndtr((grid - design.rho * x) / np.sqrt(1 - design.rho**2))
        cells.append((high - low) / 2 * (weight @ np.diff(below, axis=1)))
    table = np.array(cells)
    return table / table.sum()


def scale_of(design: Design) -> Scale:
    k = len(design.first)
    return Scale(WEIGHTS[design.weights], np.arange(float(k))[None], np.ones((1, k), dtype=bool))


def cover(design: Design, n: int, n_tables: int, rng: np.random.Generator) -> Coverage:
    """Draw tables of n items, and compare the limits of each with the true kappa."""
    scale, table = scale_of(design), binormal(design)
    truth = chance_corrected(PairCounts.from_tables(table), scale, COHEN).estimate[0]
    drawn = rng.multinomial(n, table.ravel(), size=n_tables).reshape(n_tables, *table.shape)
    counts = PairCounts.from_tables(drawn)
    agreement = chance_corrected(counts, scale, COHEN)
    undefined = np.isnan(agreement.estimate)
    share = {}
    for method in METHODS:
        low, high = limits(agreement, counts, scale, COHEN, method=method, level=LEVEL)
        share[method] = float(((low <= truth) & (truth <= high))[~undefined].mean())
    constant = int((agreement.is_fixed & ~undefined).sum())
    return Coverage(share, int(undefined.sum()), constant)


def main() -> None:
    """Print the coverage of every design, and how far it is from 95 % on average."""
    n_tables = 200 if "--quick" in sys.argv else 2000
    rng = np.random.default_rng(20261120)
    found = {(d, n): cover(d, n, n_tables, rng) for d in DESIGNS for n in SIZES}
    sizes = " | ".join(f"n = {n}" for n in SIZES)
    print(f"| design | interval | {sizes} |")
    print("|---|---|" + "---:|" * len(SIZES))
    for design in DESIGNS:
        for method in METHODS:
            row = " | ".join(f"{found[design, n].share[method]:.3f}" for n in SIZES)
            print(f"| {design.name} | {method} | {row} |")
    for method in METHODS:
        away = [np.mean([abs(found[d, n].share[method] - LEVEL) for d in DESIGNS]) for n in SIZES]
        row = " | ".join(f"**{one:.3f}**" for one in away)
        print(f"| mean distance from {LEVEL} | {method} | {row} |")
    row = " | ".join(f"{TARGETS[n]:.3f}" if n in TARGETS else "" for n in SIZES)
    print(f"| the same, at most | fisher | {row} |")
    for kind, name in (
        ("undefined", "left out: kappa undefined"),
        ("constant", "one rater constant"),
    ):
        share = [
            sum(getattr(found[d, n], kind) for d in DESIGNS) / n_tables / len(DESIGNS)
            for n in SIZES
        ]
        row = " | ".join(f"{one:.2%}" for one in share)
        print(f"| {name} | all | {row} |")


if __name__ == "__main__":
    main()
