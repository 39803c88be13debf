"""Simulate how often intervals of pooled kappas hold the true value; print Markdown tables.

    python benchmarks/pooling_coverage.py            # 4,000 samples of eight sets, 20 seconds
    python benchmarks/pooling_coverage.py --quick    # 400

Each sample has eight sets of 60 to 400 items. Two raters cut correlated normal scores into five
categories; the correlation of a set is the one whose quadratic weighted kappa has Fisher's z
equal to a common value plus tau times a standard normal number. The first table holds the
coverage of 95 % intervals for the common value (that of the prediction interval is for one more
set), the second how often tests of equal kappas reject it at the level .05 where it is true.
"""

from __future__ import annotations

import sys

import numpy as np
from interval_coverage import EVEN, MIDDLE, Design, binormal, scale_of

from pdkappa.coefficients.chance import COEFFICIENTS
from pdkappa.coefficients.intervals import fisher_z
from pdkappa.coefficients.pair_summary import summarise
from pdkappa.coefficients.pooling import (
    fixed_effect,
    heterogeneity,
    paule_mandel,
    random_effects,
    weighted_fisher_mean,
)
from pdkappa.counts.core.pairs import PairCounts
from pdkappa.methods.groups.core.strata import donner_eliasziw_klar, same_mean

SIZES = np.array([60, 80, 100, 140, 180, 240, 320, 400])
TAUS = (0.0, 0.05, 0.15, 0.3)
COMMON = 0.9  # Fisher's z of a quadratic weighted kappa of .72
LEVEL, NORMAL = 0.95, 1.959963984540054
COHEN = COEFFICIENTS["cohen"]
RHOS = np.concatenate([np.linspace(-0.5, 0.9, 57), np.linspace(0.905, 0.998, 60)])
SMALL = (25, 50, 100)


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


def cover(tau: float, n_samples: int, rng: np.random.Generator) -> dict[str, float]:
    """Coverage of every interval, and size of Q, with a standard deviation between sets."""
    tables, z_of = tables_of(MIDDLE, "quadratic")
    true_z = COMMON + tau * rng.standard_normal((n_samples, len(SIZES) + 1))
    counts = draw(between(tables, z_of, true_z[:, :-1]), SIZES, rng)
    scale = scale_of(Design("", "quadratic", 0.0, MIDDLE, MIDDLE))
    found = summarise(PairCounts.from_tables(counts), scale, COHEN, ci="wald", level=LEVEL)
    z, se = (
        values.reshape(n_samples, len(SIZES))
        for values in (fisher_z(found.estimate, None), found.se_fisher_z)
    )
    hits: dict[str, list[bool]] = {}
    for one_z, one_se, one_more in zip(z, se, true_z[:, -1], strict=True):
        tau2 = paule_mandel(one_z, one_se)
        random = random_effects(one_z, one_se, tau2, level=LEVEL)
        mean = weighted_fisher_mean(
            np.tanh(one_z), np.ones(len(one_z)), se_fisher_z=one_se, level=LEVEL
        )
        plain = 1 / np.sqrt((1 / (one_se**2 + tau2)).sum())
        away = abs(np.arctanh(random.estimate) - COMMON)
        seen = {
            "`fisher_mean`": holds(mean, COMMON),
            "`fixed`": holds(fixed_effect(one_z, one_se, level=LEVEL), COMMON),
            "random effects with a normal interval": bool(away <= NORMAL * plain),
            "`random`: Hartung and Knapp": holds(random, COMMON),
            "`random`: prediction interval": bool(
                random.prediction_low <= np.tanh(one_more) <= random.prediction_high
            ),
            "Q rejects": heterogeneity(one_z, one_se, tau2).p_value < 1 - LEVEL,
        }
        for name, hit in seen.items():
            hits.setdefault(name, []).append(hit)
    return {name: float(np.mean(values)) for name, values in hits.items()}


def sizes_of_tests(n: int, n_samples: int, rng: np.random.Generator) -> dict[str, float]:
    """Share of rejections of a true common kappa of four binary groups of n items."""
    tables, z_of = tables_of(EVEN, None)
    counts = draw(between(tables, z_of, np.full((n_samples, 4), 0.5)), np.array(n), rng)
    scale = scale_of(Design("", None, 0.0, EVEN, EVEN))
    found = summarise(PairCounts.from_tables(counts), scale, COHEN, ci="wald", level=LEVEL)
    estimate, se = (values.reshape(n_samples, 4) for values in (found.estimate, found.se))
    rejects = {"`fisher_z`": [], "`kappa`": [], "`donner_eliasziw_klar`": []}
    for k, s, table in zip(estimate, se, counts, strict=True):
        used = (np.abs(k) < 1) & (s > 0)
        rejects["`kappa`"].append(same_mean(k[used], s[used]).p_value)
        z, error = np.arctanh(k[used]), s[used] / (1 - k[used] ** 2)
        rejects["`fisher_z`"].append(same_mean(z, error).p_value)
        rejects["`donner_eliasziw_klar`"].append(donner_eliasziw_klar(table).p_value)
    return {name: float(np.mean(np.array(p) < 1 - LEVEL)) for name, p in rejects.items()}


def show(columns: list[str], found: list[dict[str, float]], first: str) -> None:
    """Print one column for each simulation."""
    print(f"| {first} | {' | '.join(columns)} |")
    print("|---|" + "---:|" * len(columns))
    for name in found[0]:
        print(f"| {name} | {' | '.join(f'{one[name]:.3f}' for one in found)} |")


def main() -> None:
    """Print both tables."""
    n_samples = 400 if "--quick" in sys.argv else 4000
    rng = np.random.default_rng(20261120)
    found = [cover(tau, n_samples, rng) for tau in TAUS]
    show([f"tau = {tau:g}" for tau in TAUS], found, "eight sets")
    print()
    found = [sizes_of_tests(n, n_samples, rng) for n in SMALL]
    show([f"n = {n}" for n in SMALL], found, "four equal binary groups")


if __name__ == "__main__":
    main()
