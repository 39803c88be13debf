"""How often differences of groups are found where there are none, and what limits of icc cover.

``python benchmarks/group_differences.py`` prints two tables of docs/inference.md. Every sample is a
group of one frame, so that figures come from the public methods.
"""

from __future__ import annotations

import sys
import warnings
from typing import Any, NamedTuple

import numpy as np
import pandas as pd

import pdkappa
from pdkappa.coefficients.means_over_groups import all_groups_equal

warnings.simplefilter("ignore", pdkappa.KappaWarning)
SAMPLES = 1500
LEVEL, HALF = 0.05, 0.5
EVEN, SKEWED, HUMP = (0.5, 0.5), (0.85, 0.15), (0.1, 0.2, 0.4, 0.2, 0.1)
TAIL = (0.5, 0.3, 0.12, 0.05, 0.03)


class Groups(NamedTuple):
    """Groups of items whose raters agree on a share kappa of them, and guess the others."""

    name: str
    sizes: tuple[int, ...]
    shares: tuple[tuple[float, ...], ...]
    options: dict[str, Any]
    n_raters: int = 2
    cluster: int = 1
    missing: float = 0.0
    weights: bool = False


QUADRATIC = {"weights": "quadratic"}
DESIGNS = [
    Groups("two categories", (40, 200), (EVEN, EVEN), {}),
    Groups("two categories, one rare", (60, 240), (SKEWED, EVEN), {}),
    Groups("five categories", (40, 160), (HUMP, HUMP), {}),
    Groups("five, quadratic", (50, 200), (HUMP, TAIL), QUADRATIC),
    Groups(
        "five, quadratic, 8 groups", (30, 40, 50, 60, 80, 100, 150, 200), (HUMP,) * 8, QUADRATIC
    ),
    Groups("four raters, Fleiss", (40, 160), (HUMP, TAIL), {"coefficients": "fleiss"}, 4),
    Groups("clusters of four", (160, 480), (HUMP, HUMP), QUADRATIC, cluster=4),
    Groups("sampling weights", (80, 240), (HUMP, HUMP), QUADRATIC, weights=True),
    Groups(
        "three raters, a fifth missing",
        (60, 240),
        (HUMP, HUMP),
        {"coefficients": "light"},
        3,
        1,
        0.2,
    ),
]


def drawn(design: Groups, kappa: float, rng: np.random.Generator) -> pd.DataFrame:
    """Draw the ratings of all samples of all groups."""
    frames = []
    for group, (n, shares) in enumerate(zip(design.sizes, design.shares, strict=True)):
        rows, k = SAMPLES * n, len(shares)
        own = rng.choice(k, size=(rows, design.n_raters), p=shares)
        agreed = rng.random(rows) < kappa
        if design.cluster > 1:  # half of the items of a cluster are alike in whether raters agree
            whole = np.repeat(rng.random(rows // design.cluster) < kappa, design.cluster)
            agreed = np.where(rng.random(rows) < HALF, whole, agreed)
        codes = np.where(agreed[:, None], own[:, :1], own).astype(float)
        codes[rng.random(codes.shape) < design.missing] = np.nan
        frame = pd.DataFrame(codes, columns=[f"r{i}" for i in range(design.n_raters)])
        frame["g"] = np.repeat(np.arange(SAMPLES), n) * len(design.sizes) + group
        frame["c"] = np.arange(rows) // design.cluster
        frame["w"] = rng.uniform(0.3, 1.7, rows) if design.weights else 1.0
        frames.append(frame)
    return pd.concat(frames, ignore_index=True)


def size_of(design: Groups, kappa: float, rng: np.random.Generator) -> tuple[float, float]:
    """Return the share of samples whose first two groups, and all groups, differ at .05."""
    data, k = drawn(design, kappa, rng), len(design.shares[0])
    options: dict[str, Any] = {"by": "g", "categories": list(range(k)), **design.options}
    options |= {"cluster": "c"} if design.cluster > 1 else {}
    options |= {"sample_weight": "w", "weight_type": "probability"} if design.weights else {}
    raters = [f"r{i}" for i in range(design.n_raters)]
    call = data.kappa.agreement if "coefficients" in options else data.kappa.pairs
    found = pd.DataFrame(call(raters, **options)).sort_index()
    shape = (SAMPLES, len(design.sizes))
    estimate, low, high = (
        found[one].to_numpy().reshape(shape) for one in ("estimate", "ci_low", "ci_high")
    )
    known = np.isfinite(low).all(axis=1) & np.isfinite(high).all(axis=1)
    difference = estimate[:, 0] - estimate[:, 1]
    below = np.hypot(estimate[:, 0] - low[:, 0], high[:, 1] - estimate[:, 1])
    above = np.hypot(high[:, 0] - estimate[:, 0], estimate[:, 1] - low[:, 1])
    apart = (difference > below) | (-difference > above)
    alike = [
        all_groups_equal(k, lambda _, ends=ends: ends, 0.95).p_value
        for k, *ends in zip(estimate[known], low[known], high[known], strict=True)
    ]
    return float(apart[known].mean()), float((np.array(alike) < LEVEL).mean())


def sizes() -> None:
    """Print the table of differences."""
    kappas = (0.3, 0.6, 0.8, 0.9)
    print("| groups | items | " + " | ".join(f"{k:g}" for k in kappas) + " | all groups |")
    print("|---|---|" + "---|" * (len(kappas) + 1))
    for number, design in enumerate(DESIGNS):
        found = [size_of(design, k, np.random.default_rng([number, int(10 * k)])) for k in kappas]
        ends = [f"{pair:.3f}"[1:] for pair, _ in found]
        every = [one for _, one in found]
        items = ", ".join(map(str, design.sizes))
        spread = f"{min(every):.3f}"[1:] + " to " + f"{max(every):.3f}"[1:]
        print(f"| {design.name} | {items} | {' | '.join(ends)} | {spread} |", flush=True)


def scores(kind: str, shape: tuple[int, ...], rng: np.random.Generator) -> np.ndarray:
    """Draw items with mean 0 and variance 1."""
    if kind == "t5":
        return rng.standard_t(5, shape) / np.sqrt(5 / 3)
    if kind.startswith("lognormal"):
        s = float(kind.split()[1])
        v = np.exp(s * s)
        return (rng.lognormal(0, s, shape) - np.sqrt(v)) / np.sqrt((v - 1) * v)
    if kind == "skewed":
        return (rng.gamma(0.5, 1, shape) - 0.5) / np.sqrt(0.5)
    return rng.normal(size=shape)


KINDS = ("normal", "ordinal", "t5", "skewed", "lognormal 0.5", "lognormal 0.9")


def covered(kind: str, n: int, n_raters: int, more: str, rng: np.random.Generator) -> list[str]:
    """Return what limits of both kinds cover for ICC(1,1), or for ICC(A,1) of raters who differ."""
    samples, icc = 600, 0.6
    items = np.sqrt(icc) * scores(kind, (samples, n, 1), rng)
    errors = np.sqrt(1 - icc) * scores(
        kind if kind == "t5" else "normal", (samples, n, n_raters), rng
    )
    if more == "clusters":  # of four items that share half of their variance
        shared = np.repeat(scores(kind, (samples, n // 4, 1), rng), 4, axis=1)
        items = np.sqrt(icc) * (
            np.sqrt(0.5) * shared + np.sqrt(0.5) * scores("normal", items.shape, rng)
        )
    differ = 0.6 * rng.normal(size=(samples, 1, n_raters)) if more == "raters differ" else 0.0
    y = items + errors + differ
    truth = icc / (1.36 if more == "raters differ" else 1.0)
    if kind == "ordinal":
        y = np.clip(np.round(1.2 * y + 3), 1, 5)
        big = np.sqrt(icc) * rng.normal(size=(400_000, 1)) + np.sqrt(1 - icc) * rng.normal(
            size=(400_000, 2)
        )
        truth = np.corrcoef(np.clip(np.round(1.2 * big + 3), 1, 5).T)[0, 1]
    y = np.where(rng.random(y.shape) < (0.2 if more == "missing" else 0), np.nan, y)
    names = [f"r{i}" for i in range(n_raters)]
    frame = pd.DataFrame(y.reshape(-1, n_raters), columns=names)
    frame["s"], frame["c"] = np.repeat(np.arange(samples), n), np.arange(samples * n) // 4
    form = "ICC(A,1)" if more == "raters differ" else "ICC(1,1)"
    ends = []
    for ci in ("f", "auto"):
        options = {"cluster": "c"} if more == "clusters" and ci == "auto" else {}
        found = pd.DataFrame(frame.kappa.icc(names, by="s", ci=ci, **options)).xs(
            form, level="form"
        )
        inside = (found["ci_low"] <= truth) & (truth <= found["ci_high"])
        ends.append(f"{inside.mean():.3f}"[1:])
    marked = (found["remark"] != "").mean()
    return [*ends, f"{inside[found['remark'] == ''].mean():.3f}"[1:], f"{marked:.2f}"]


def intraclass() -> None:
    """Print the table of intraclass correlations."""
    designs = [
        (50, 3, ""),
        (200, 3, ""),
        (60, 3, "missing"),
        (80, 3, "clusters"),
        (60, 3, "raters differ"),
        (100, 5, "raters differ"),
    ]
    print("| items | design | F | items left out | the same, unmarked | marked |")
    print("|---|---|---|---|---|---|")
    for kind in KINDS:
        for number, (n, n_raters, more) in enumerate(designs):
            if kind == "ordinal" and more in ("clusters", "raters differ"):
                continue
            rng = np.random.default_rng([number, KINDS.index(kind)])
            row = covered(kind, n, n_raters, more, rng)
            told = f"{n} items, {n_raters} raters" + (f", {more}" if more else "")
            print(f"| {kind} | {told} | {' | '.join(row)} |", flush=True)


if __name__ == "__main__":
    sizes() if "icc" not in sys.argv else intraclass()
