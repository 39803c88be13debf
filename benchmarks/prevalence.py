"""Simulate how often limits of `prevalence` hold the share, and how wide they are.

Run: python benchmarks/prevalence.py [SAMPLES]
benchmarks/prevalence.md holds its table, of limits at the level .95 where n of n + 2000 items have
labels. Judges are right about items in the category, and outside, with the probability named.

- *variance*: that of ``ppi`` over that of the labels alone;
- *ppi, rogan_gladen, human_only, judge_only*: how often their limits hold the true share.
"""

from __future__ import annotations

import argparse

import numpy as np

from pdkappa.counts.core.rows import RatingRows
from pdkappa.methods.prevalence.core.means import Values
from pdkappa.methods.prevalence.prevalence import METHODS

N_OTHERS, LABELLED, SHARES = 2000, (50, 100, 200), (0.05, 0.1, 0.3, 0.5)
JUDGES = {"guesses": 0.5, "weak": 0.7, "good": 0.9, "hardly errs": 0.98, "reversed": 0.1}
LEVEL, MOST = 0.95, 0.5


def drawn(rng: np.random.Generator, share: float, right: float, n: int, n_samples: int) -> Values:
    """Draw labels and judgements of samples, each of which is a group."""
    size = n_samples * (n + N_OTHERS)
    truth = rng.random(size) < share
    codes = np.stack([truth, truth ^ (rng.random(size) >= right)]).astype(int)
    codes[0, np.arange(size) % (n + N_OTHERS) >= n] = -1
    group = np.arange(size) // (n + N_OTHERS)
    rows = RatingRows(codes, np.ones(size), group, n_samples, 2).compressed()
    human, judge = (rows.codes == 1).astype(float)
    return Values(rows, human, judge, *(rows.codes >= 0), of_shares=True)


def row(share: float, n: int, judge: str, n_samples: int) -> str:
    """Write one line of the table."""
    rng = np.random.default_rng([n, int(100 * share), int(100 * JUDGES[judge])])
    values = drawn(rng, share, JUDGES[judge], n, n_samples)
    found = {name: method(values, None, LEVEL) for name, method in METHODS.items()}
    variance = np.var(found["ppi"].estimate) / np.var(found["human_only"].estimate)
    holds = []
    for one in found.values():
        known = ~np.isnan(one.estimate)
        inside = (one.ci_low <= share) & (share <= one.ci_high)
        holds.append(f"{inside[known].mean():.3f}" if known.mean() > MOST else "")
    return f"| {share} | {n} | {judge} | {variance:.2f} | {' | '.join(holds)} |"


def main(n_samples: int) -> None:
    """Print the table."""
    print(f"# Shares from labels and judgements, {n_samples} samples of each cell\n")
    print("Made by `python benchmarks/prevalence.py`, which says what the columns are. A judge who")
    print("guesses or is reversed leaves `rogan_gladen` undefined in most samples.\n")
    print(f"| share | n | judge | variance | {' | '.join(METHODS)} |")
    print(f"|---|---|---|---|{'---|' * len(METHODS)}")
    for share in SHARES:
        for n in LABELLED:
            for judge in JUDGES:
                print(row(share, n, judge, n_samples), flush=True)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("samples", nargs="?", type=int, default=3000)
    main(parser.parse_args().samples)
