"""Simulate how often intervals hold the true value, and verdicts err; print Markdown tables.

    python benchmarks/intervals.py             # 2,000 samples a cell, minutes
    python benchmarks/intervals.py intervals   # or means, margin, judges: only this part
    python benchmarks/intervals.py --quick     # a tenth of the samples
    python benchmarks/intervals.py --write     # and put the tables into simulations.md

`simulations.md` says what each part draws. Two raters cut correlated normal variables into
categories; what every default interval and test of the public functions is worth is simulated by
`inference.py`, which draws from the same populations.
"""

from __future__ import annotations

import argparse
import warnings
from functools import cache
from itertools import pairwise, product
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
import pandas as pd
from readme import SIMULATIONS, put
from scipy.special import ndtr, ndtri

import pdkappa
from pdkappa.coefficients import means_over_groups as small_tables
from pdkappa.coefficients.chance import COEFFICIENTS, chance_corrected
from pdkappa.coefficients.intervals import fisher_z, limits
from pdkappa.coefficients.means_over_groups import (
    fixed_effect,
    paule_mandel,
    random_effects,
    weighted_fisher_mean,
)
from pdkappa.coefficients.pair_counts import PairCounts
from pdkappa.coefficients.pair_estimates import summarise
from pdkappa.coefficients.weights import WEIGHTS, Scale
from pdkappa.methods.groups.strata import donner_eliasziw_klar, same_mean
from pdkappa.methods.machine.alt_test import Wins, exact_tests, t_test

if TYPE_CHECKING:
    from collections.abc import Iterator

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
RHO, LESS, OF_CEILING = 0.7, 0.55, (50, 100, 300)  # of two humans, of the machine and a human
EPSILON, MOST_EXACT = 0.2, 60  # items
PAIR = 2
RHOS = np.concatenate([np.linspace(-0.5, 0.9, 57), np.linspace(0.905, 0.998, 60)])
GROUPS, ITEMS, TAUS = (3, 8, 30), ((20, 60), (20, 400)), (0.0, 0.1, 0.3)
NEEDED = frozenset({"centre", "se_fisher_z"})
OF_MEANS = {  # shares, weights, and the kappa whose z is the common value
    "nominal, .83": ((1 / 3,) * 3, None, 0.83),
    "nominal, skewed, .6": (THREE, None, 0.6),
    "binary, .6": (EVEN, None, 0.6),
    "binary, share .15, .6": ((0.85, 0.15), None, 0.6),
    "binary, share .05, .6": ((0.95, 0.05), None, 0.6),
    "QWK, .72": (MIDDLE, "quadratic", 0.72),
    "QWK, skewed, .72": (SKEWED, "quadratic", 0.72),
}
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


# --- means over groups -------------------------------------------------------------------------


@cache
def tables_of(shares: tuple[float, ...], weights: str | None) -> tuple[np.ndarray, np.ndarray]:
    """Tables of all correlations, and Fisher's z of their kappas."""
    designs = [Design("", weights, rho, shares, shares) for rho in RHOS]
    tables = np.stack([binormal(design) for design in designs])
    found = summarise(
        PairCounts.from_tables(tables), scale_of(designs[0]), COHEN, ci="wald", level=LEVEL
    )
    return tables, fisher_z(found.estimate, None)


def between(tables: np.ndarray, z_of: np.ndarray, z: np.ndarray) -> np.ndarray:
    """Tables with the given z, between the two that are nearest, shape (..., K, K)."""
    z = np.clip(z, z_of[0], z_of[-1])
    above = np.clip(np.searchsorted(z_of, z), 1, len(z_of) - 1)
    share = ((z - z_of[above - 1]) / (z_of[above] - z_of[above - 1]))[..., None, None]
    return (1 - share) * tables[above - 1] + share * tables[above]


def draw(cells: np.ndarray, sizes: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    """Draw tables of items, shape of the cells."""
    flat = cells.reshape(*cells.shape[:-2], -1)
    return rng.multinomial(np.broadcast_to(sizes, flat.shape[:-1]), flat).reshape(cells.shape)


def holds(mean, truth: float) -> bool:
    """Whether an interval of a pooled mean holds the true z."""
    return bool(mean.ci_low <= np.tanh(truth) <= mean.ci_high)


def cover_means(design, sizes, tau: float, n_samples: int, rng) -> dict[str, float]:
    """Coverage of every interval, and how often tests reject."""
    shares, weights, kappa = design
    tables, z_of = tables_of(shares, weights)
    true_z = np.arctanh(kappa) + tau * rng.standard_normal((n_samples, len(sizes) + 1))
    counts = draw(between(tables, z_of, true_z[:, :-1]), sizes, rng)
    scale = scale_of(Design("", weights, 0.0, shares, shares))
    pairs = PairCounts.from_tables(counts)
    found = summarise(pairs, scale, COHEN, ci="wald", level=LEVEL, needed=NEEDED)
    moments = small_tables.moments(pairs, scale, COHEN)
    hits: dict[str, list[bool]] = {}
    for sample in range(n_samples):
        groups = np.arange(sample * len(sizes), (sample + 1) * len(sizes))
        groups = groups[found.se_fisher_z[groups] > 0]
        if len(groups) < PAIR:
            continue
        truth = true_z[sample, groups - sample * len(sizes)]
        effects = small_tables.effects(
            found.estimate[groups],
            found.se[groups],
            found.n_items[groups],
            found.worst[groups],
            small_tables.Moments(*(values[groups] for values in moments)),
        )
        seen = what_holds(effects, found.estimate[groups], truth, np.arctanh(kappa), true_z[sample])
        if len(shares) == PAIR:
            p = donner_eliasziw_klar(counts[sample]).p_value
            seen["test `donner_eliasziw_klar`"] = p < 1 - LEVEL
        for name, hit in seen.items():
            hits.setdefault(name, []).append(hit)
    return {name: float(np.mean(values)) for name, values in hits.items()}


def what_holds(effects, estimate, truth, common, one_more) -> dict[str, bool]:
    """Which intervals of one sample hold what they are for, and whether Q rejects."""
    z, se = effects.z, np.sqrt(effects.common)
    tau2 = paule_mandel(z, se)
    random = random_effects(z, se, tau2, level=LEVEL)
    mean = weighted_fisher_mean(
        estimate, np.ones(len(z)), se_fisher_z=np.sqrt(effects.variance), unbiased_z=z, level=LEVEL
    )
    fixed = fixed_effect(z, se, level=LEVEL)
    return {
        "`fisher_mean`": holds(mean, truth.mean()),
        "`fixed`": holds(fixed, np.average(truth, weights=se**-2)),
        "`random`": holds(random, common),
        "prediction": bool(
            random.prediction_low <= np.tanh(one_more[-1]) <= random.prediction_high
        ),
        "tests `heterogeneity`, `fisher_z`": same_mean(z, se).p_value < 1 - LEVEL,
        "test `kappa`": same_mean(np.tanh(z), np.sqrt(effects.raw)).p_value < 1 - LEVEL,
    }


def table_of_intervals(n_tables: int) -> Iterator[str]:
    """Write the coverage of every design, and how far it is from 95 % on average."""
    rng = np.random.default_rng(20261120)
    found = {(d, n): cover(d, n, n_tables, rng) for d in DESIGNS for n in SIZES}
    sizes = " | ".join(f"n = {n}" for n in SIZES)
    yield f"| design | interval | {sizes} |"
    yield "|---|---|" + "---:|" * len(SIZES)
    for design in DESIGNS:
        for method in METHODS:
            row = " | ".join(f"{found[design, n].share[method]:.3f}" for n in SIZES)
            yield f"| {design.name} | {method} | {row} |"
    for method in METHODS:
        away = [np.mean([abs(found[d, n].share[method] - LEVEL) for d in DESIGNS]) for n in SIZES]
        row = " | ".join(f"**{one:.3f}**" for one in away)
        yield f"| mean distance from {LEVEL} | {method} | {row} |"
    row = " | ".join(f"{TARGETS[n]:.3f}" if n in TARGETS else "" for n in SIZES)
    yield f"| the same, at most | fisher | {row} |"
    for kind, name in (
        ("undefined", "left out: kappa undefined"),
        ("constant", "one rater constant"),
    ):
        share = [
            sum(getattr(found[d, n], kind) for d in DESIGNS) / n_tables / len(DESIGNS)
            for n in SIZES
        ]
        row = " | ".join(f"{one:.2%}" for one in share)
        yield f"| {name} | all | {row} |"


def table_of_means(n_samples: int) -> Iterator[str]:
    """Write a table for each design of groups."""
    rng = np.random.default_rng(20261120)
    columns = [(n, g, tau) for n in ITEMS for g in GROUPS for tau in TAUS]
    for name, design in OF_MEANS.items():
        found = []
        for (low, high), n_groups, tau in columns:
            sizes = np.round(np.geomspace(low, high, n_groups)).astype(int)
            found.append(cover_means(design, sizes, tau, n_samples, rng))
        for low, high in ITEMS:
            chosen = [one for (n, _, _), one in zip(columns, found, strict=True) if n[1] == high]
            heads = [f"{g}, {tau:g}" for n, g, tau in columns if n[1] == high]
            yield f"| {name}, n = {low}-{high}; G, tau: | {' | '.join(heads)} |"
            yield "|---|" + "---:|" * len(heads)
            for row in chosen[0]:
                yield f"| {row} | {' | '.join(f'{one[row]:.3f}' for one in chosen)} |"
            yield ""


# --- a machine at the margin, and judges -------------------------------------------------------


def table_of_margin(n_samples: int) -> Iterator[str]:
    """Write how often `ceiling` says that a machine will do that is at the margin."""
    edges = np.ndarray.tolist(ndtri(np.cumsum(MIDDLE)[:-1]))
    kappas = [
        chance_corrected(PairCounts.from_tables(binormal(one)), scale_of(one), COHEN).estimate[0]
        for one in (Design("", "quadratic", rho, MIDDLE, MIDDLE) for rho in (RHO, LESS))
    ]
    correlation = np.full((4, 4), RHO) + (1 - RHO) * np.eye(4)
    correlation[0, 1:] = correlation[1:, 0] = LESS
    yield f"| `ceiling`, 3 humans | {' | '.join(f'n = {n}' for n in OF_CEILING)} |"
    yield "|---|" + "---:|" * len(OF_CEILING)
    rows: dict[str, list[str]] = {"`p_non_inferior` below .05": [], "`non_inferior`": []}
    for n in OF_CEILING:
        rng = np.random.default_rng(20261120)
        scores = rng.standard_normal((n * n_samples, 4)) @ np.linalg.cholesky(correlation).T
        frame = pd.DataFrame(np.searchsorted(edges, scores), columns=list("abcd"))
        found = frame.assign(sample=np.arange(len(frame)) // n).kappa.machine.ceiling(
            ["b", "c", "d"],
            "a",
            margin=kappas[0] - kappas[1],
            by="sample",
            weights="quadratic",
            categories=list(range(len(MIDDLE))),
        )
        shares = (found["p_non_inferior"] < 1 - LEVEL, found["non_inferior"].astype(float))
        for row, share in zip(rows.values(), shares, strict=True):
            row.append(f"{share.mean():.3f}")
    yield from (f"| {name} | {' | '.join(row)} |" for name, row in rows.items())


def table_of_judges(n_samples: int) -> Iterator[str]:
    """Write how often t and the exact test of `alt_test` reject at .05 what is just true."""
    yield "| items | judge nearer | t | exact |"
    yield "|---:|---:|---:|---:|"
    for n, nearer in product((10, 15, 20, 29, 60, 200), (0.0, 0.1, 0.3)):
        rng = np.random.default_rng(20261123)
        shares = [nearer, nearer + EPSILON, 1 - 2 * nearer - EPSILON]
        judge, human, _ = rng.multinomial(n, shares, 10 * n_samples).T
        wins = Wins(np.full((len(judge), 1), float(n)), *(x[:, None] * 1.0 for x in (judge, human)))
        by_t, exact = (t_test(wins, EPSILON) <= 1 - LEVEL).mean(), ""
        if n <= MOST_EXACT:
            p_values = exact_tests(n, EPSILON)[judge, human]
            exact = f"{(p_values <= 1 - LEVEL).mean():.3f}"
        yield f"| {n} | {nearer} | {by_t:.3f} | {exact} |"


PARTS = {
    "intervals": table_of_intervals,
    "means": table_of_means,
    "margin": table_of_margin,
    "judges": table_of_judges,
}


def main() -> None:
    """Print what is asked for."""
    warnings.simplefilter("ignore", pdkappa.KappaWarning)
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("parts", nargs="*", choices=[[], *PARTS], default=[])
    parser.add_argument("--quick", action="store_true", help="a tenth of the samples")
    parser.add_argument("--write", action="store_true", help=f"put it into {SIMULATIONS.name}")
    args = parser.parse_args()
    for part in args.parts or PARTS:
        lines = []
        for line in PARTS[part](200 if args.quick else 2000):
            lines.append(line)
            print(line, flush=True)
        print()
        if args.write:
            put(part, lines, SIMULATIONS)


if __name__ == "__main__":
    main()
