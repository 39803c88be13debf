"""Simulate how often intervals of pooled kappas hold the true value; print Markdown tables.

    python benchmarks/pooling_coverage.py            # 2,000 samples of each design, minutes
    python benchmarks/pooling_coverage.py --quick    # 200

Each sample has G groups of 20 to 60, or of 20 to 400 items. Two raters cut correlated normal
scores into categories; the correlation of a group is the one whose kappa has Fisher's z equal to
a common value plus tau times a standard normal number. Printed are the coverage of 95 % intervals
and how often tests of equal kappas reject at the level .05: where tau is zero, that is their
size. The interval of `random` is to hold the common value, that of the prediction the z of one
more group, and those of `fisher_mean` and `fixed` the mean, with their weights, of the true z of
the groups at hand. Samples with fewer than two groups that have a standard error are left out.
"""

from __future__ import annotations

import sys
from functools import cache

import numpy as np
from interval_coverage import EVEN, MIDDLE, SKEWED, THREE, Design, binormal, scale_of

from pdkappa.coefficients import small_tables
from pdkappa.coefficients.chance import COEFFICIENTS
from pdkappa.coefficients.intervals import fisher_z
from pdkappa.coefficients.pair_summary import summarise
from pdkappa.coefficients.pooling import (
    fixed_effect,
    paule_mandel,
    random_effects,
    weighted_fisher_mean,
)
from pdkappa.counts.core.pairs import PairCounts
from pdkappa.methods.groups.core.strata import donner_eliasziw_klar, same_mean

LEVEL = 0.95
PAIR = 2
COHEN = COEFFICIENTS["cohen"]
RHOS = np.concatenate([np.linspace(-0.5, 0.9, 57), np.linspace(0.905, 0.998, 60)])
GROUPS, SIZES, TAUS = (3, 8, 30), ((20, 60), (20, 400)), (0.0, 0.1, 0.3)
NEEDED = frozenset({"centre", "se_fisher_z"})
DESIGNS = {  # shares, weights, and the kappa whose z is the common value
    "nominal, .83": ((1 / 3,) * 3, None, 0.83),
    "nominal, skewed, .6": (THREE, None, 0.6),
    "binary, .6": (EVEN, None, 0.6),
    "binary, share .15, .6": ((0.85, 0.15), None, 0.6),
    "binary, share .05, .6": ((0.95, 0.05), None, 0.6),
    "QWK, .72": (MIDDLE, "quadratic", 0.72),
    "QWK, skewed, .72": (SKEWED, "quadratic", 0.72),
}


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


def cover(design, sizes, tau: float, n_samples: int, rng) -> dict[str, float]:
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
        estimate,
        np.ones(len(z)),
        se_fisher_z=np.sqrt(effects.variance),
        unbiased_z=z,
        level=LEVEL,
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


def main() -> None:
    """Print a table for each design."""
    n_samples = 200 if "--quick" in sys.argv else 2000
    rng = np.random.default_rng(20261120)
    columns = [(n, g, tau) for n in SIZES for g in GROUPS for tau in TAUS]
    for name, design in DESIGNS.items():
        found = []
        for (low, high), n_groups, tau in columns:
            sizes = np.round(np.geomspace(low, high, n_groups)).astype(int)
            found.append(cover(design, sizes, tau, n_samples, rng))
        for low, high in SIZES:
            chosen = [one for (n, _, _), one in zip(columns, found, strict=True) if n[1] == high]
            heads = [f"{g}, {tau:g}" for n, g, tau in columns if n[1] == high]
            print(f"| {name}, n = {low}-{high}; G, tau: | {' | '.join(heads)} |")
            print("|---|" + "---:|" * len(heads))
            for row in chosen[0]:
                print(f"| {row} | {' | '.join(f'{one[row]:.3f}' for one in chosen)} |")
            print(flush=True)


if __name__ == "__main__":
    main()
