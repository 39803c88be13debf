"""Simulate how often limits of `prmse` and `readiness` miss the true value.

Run: python benchmarks/scoring.py [SAMPLES]
benchmarks/scoring.md holds its table: of limits at the level .95, the shares of samples of n essays
whose limits lie above and below the true value. Two humans of one reliability score 1 to 6, and a
machine scores without rounding; *once*: half of the essays have a single human score; *nested*:
four essays of each writer, whose true scores correlate .5, with `cluster`.
"""

from __future__ import annotations

import argparse
import warnings

import numpy as np
import pandas as pd

import pdkappa

SIZES, RELIABILITIES, CASES = (20, 50, 100, 200), (0.6, 0.85), ("plain", "once", "nested")
CRITERIA = ("prmse", "correlation", "degradation", "smd", "qwk")
LEVEL, N_TRUE, N_RESAMPLES, PER_WRITER = 0.95, 400_000, 500, 4


def drawn(rng: np.random.Generator, n: int, reliability: float, case: str) -> pd.DataFrame:
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
    return frame.kappa.readiness(
        "ann",
        "machine",
        "bob",
        cluster=cluster,
        confidence_level=LEVEL,
        n_resamples=n_resamples,
        **options,
    )


def row(n: int, reliability: float, case: str, n_samples: int) -> str:
    """Write one line of the table."""
    rng = np.random.default_rng([n, int(100 * reliability), CASES.index(case)])
    true = judged(drawn(rng, N_TRUE, reliability, "plain"), "plain", 1)["value"]
    samples = [drawn(rng, n, reliability, case).assign(sample=i) for i in range(n_samples)]
    frame = pd.concat(samples, ignore_index=True)
    frame["writer"] += frame["sample"] * n
    found = judged(frame, case, N_RESAMPLES, by="sample")
    missed = []
    for name in CRITERIA:
        one = found.xs(name, level="criterion")
        above, below = (one["ci_low"] > true[name]).mean(), (one["ci_high"] < true[name]).mean()
        missed.append(f"{above:.3f} {below:.3f}")
    return f"| {case} | {reliability} | {n} | {' | '.join(missed)} |"


def main(n_samples: int) -> None:
    """Print the table."""
    warnings.simplefilter("ignore", pdkappa.KappaWarning)
    print(f"# Limits of scores of a machine, {n_samples} samples of each cell\n")
    print("Made by `python benchmarks/scoring.py`, which says what the columns are.\n")
    print(f"| case | reliability | n | {' | '.join(CRITERIA)} |")
    print(f"|---|---|---|{'---|' * len(CRITERIA)}")
    for case in CASES:
        for reliability in RELIABILITIES:
            for n in SIZES:
                print(row(n, reliability, case, n_samples), flush=True)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("samples", type=int, nargs="?", default=600)
    main(parser.parse_args().samples)
