"""Simulate how often the tests of comparisons reject what is true; print the shares.

    python benchmarks/compare_size.py            # 2,000 samples for each figure, some seconds
    python benchmarks/compare_size.py 20000      # as many as you like

Raters cut a normal score into five categories with the shares .1, .2, .4, .2, .1; the scores
of every two raters have the correlation .7 where a hypothesis is true. The coefficient is the
quadratic weighted kappa, the level .05. The error of a share is about .005 with 2,000 samples.
"""

from __future__ import annotations

import sys
import time

import numpy as np
import pandas as pd
from scipy.special import ndtri
from scipy.stats import multivariate_normal

from pdkappa.methods.comparisons.ceiling import ceiling
from pdkappa.methods.comparisons.compare import compare, homogeneity
from pdkappa.methods.comparisons.compare_groups import compare_groups

SHARES = (0.1, 0.2, 0.4, 0.2, 0.1)
CUTS = ndtri(np.cumsum(SHARES)[:-1])
RHO, LESS = 0.7, 0.55
SIZES = (50, 100, 300)
LEVEL = 0.05
SEED = 20261120
QWK = {"by": "sample", "weights": "quadratic", "categories": list(range(len(SHARES)))}


def equal(n_raters: int) -> np.ndarray:
    """Correlations of exchangeable raters."""
    return np.full((n_raters, n_raters), RHO) + (1 - RHO) * np.eye(n_raters)


def worse() -> np.ndarray:
    """Correlations of a machine, the first, that agrees less with three humans."""
    result = equal(4)
    result[0, 1:] = result[1:, 0] = LESS
    return result


def samples(correlation: np.ndarray, n_items: int, n_samples: int) -> pd.DataFrame:
    """Draw samples of items, one below the other."""
    rng = np.random.default_rng(SEED)
    n_rows = n_items * n_samples
    scores = rng.standard_normal((n_rows, len(correlation))) @ np.linalg.cholesky(correlation).T
    frame = pd.DataFrame(np.searchsorted(CUTS, scores), columns=list("abcd")[: len(correlation)])
    frame["sample"] = np.repeat(np.arange(n_samples), n_items)
    return frame


def kappa_of(rho: float) -> float:
    """Quadratic weighted kappa of two raters whose scores have a given correlation."""
    edges = np.concatenate([[-9.0], CUTS, [9.0]])
    normal = multivariate_normal(cov=[[1, rho], [rho, 1]])
    below = normal.cdf(np.stack(np.meshgrid(edges, edges, indexing="ij"), axis=-1))
    cells = np.diff(np.diff(below, axis=0), axis=1)
    apart = np.subtract.outer(np.arange(len(SHARES)), np.arange(len(SHARES))) ** 2
    return 1 - (cells * apart).sum() / (np.outer(SHARES, SHARES) * apart).sum()


def rejected(p_value: pd.Series) -> float:
    """Share of the samples with a p-value below the level, of those with one."""
    return float((p_value.dropna() < LEVEL).mean())


def two_pairs(n_items: int, n_samples: int) -> float:
    """Compare two kappas of the same items that share a rater."""
    frame = samples(equal(3), n_items, n_samples)
    return rejected(compare(frame, ("a", "b"), ("a", "c"), **QWK)["p_value"])


def no_shared_rater(n_items: int, n_samples: int) -> float:
    """Two kappas of the same items by four raters."""
    frame = samples(equal(4), n_items, n_samples)
    return rejected(compare(frame, ("a", "b"), ("c", "d"), **QWK)["p_value"])


def two_groups(n_items: int, n_samples: int) -> float:
    """Kappas of two groups of items: consecutive samples, two by two."""
    frame = samples(equal(2), n_items, 2 * n_samples)
    frame["half"] = frame["sample"] % 2
    parts = [
        compare_groups(part, "a", "b", **{**QWK, "by": "half"})["p_value"]
        for _, part in frame.groupby(frame["sample"] // 2)
    ]
    return rejected(pd.concat(parts))


def all_pairs(n_items: int, n_samples: int) -> float:
    """All six kappas of four raters."""
    return rejected(homogeneity(samples(equal(4), n_items, n_samples), **QWK)["p_value"])


def human_ceiling(n_items: int, n_samples: int) -> float:
    """Compare a machine as good as three humans, two-sided."""
    frame = samples(equal(4), n_items, n_samples)
    return rejected(ceiling(frame, "a", ["b", "c", "d"], **QWK)["p_value"])


def two_humans(n_items: int, n_samples: int) -> float:
    """Compare a machine as good as two humans, two-sided."""
    frame = samples(equal(3), n_items, n_samples)
    return rejected(ceiling(frame, "a", ["b", "c"], **QWK)["p_value"])


def at_the_margin(n_items: int, n_samples: int) -> float:
    """Test a machine exactly as much worse as the margin of non-inferiority."""
    frame = samples(worse(), n_items, n_samples)
    margin = kappa_of(RHO) - kappa_of(LESS)
    found = ceiling(frame, "a", ["b", "c", "d"], margin=margin, **QWK)
    return rejected(found["p_non_inferior"])


def verdict_at_the_margin(n_items: int, n_samples: int) -> float:
    """Share of verdicts that such a machine will do; their level is .025."""
    frame = samples(worse(), n_items, n_samples)
    margin = kappa_of(RHO) - kappa_of(LESS)
    found = ceiling(frame, "a", ["b", "c", "d"], margin=margin, **QWK)
    return float(found["non_inferior"].dropna().mean())


def power(n_items: int, n_samples: int) -> float:
    """No size but power: the machine agrees less, two kappas that share a rater."""
    frame = samples(worse(), n_items, n_samples)
    return rejected(compare(frame, ("b", "c"), ("b", "a"), **QWK)["p_value"])


def main() -> None:
    """Print one line for each test."""
    n_samples = int(sys.argv[1]) if len(sys.argv) > 1 else 2000
    print(f"{'items':24}" + "".join(f"{n:>8}" for n in SIZES) + f"{'seconds':>10}")
    tests = [two_pairs, no_shared_rater, two_groups, all_pairs, two_humans, human_ceiling]
    for test in [*tests, at_the_margin, verdict_at_the_margin, power]:
        start = time.perf_counter()
        shares = [test(n_items, n_samples) for n_items in SIZES]
        line = "".join(f"{share:8.3f}" for share in shares)
        print(f"{test.__name__:24}{line}{time.perf_counter() - start:10.1f}", flush=True)


if __name__ == "__main__":
    main()
