"""What the default limits of ICC(1,1) hold, and which samples have a remark, in 20,000 samples.

    python benchmarks/intraclass.py            # two minutes on one core
    python benchmarks/intraclass.py --write    # put the table into group_differences.md, too

Limits of complete scores, of all samples at once; first they are compared with those of `icc`.
"""

from __future__ import annotations

import argparse
import warnings
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
import pandas as pd
from group_differences import OF_CLUSTER, PAGE, Scores, short
from readme import put
from scipy.special import fdtri, stdtrit

import pdkappa
from pdkappa.coefficients.intraclass_limits import from_log
from pdkappa.methods.agreement.intraclass import FEWEST_DEGREES, FEWEST_SKEWED, SKEWED

if TYPE_CHECKING:
    from collections.abc import Iterator

    from pdkappa._typing import BoolArray, FloatArray

PARTS, OF_PART, SEED = 10, 2000, 20261126
CLOSE = 1e-9
KINDS = (
    "normal",
    "normal ordinal",
    "uniform",
    "share 0.5",
    "share 0.1",
    "t5",
    "exponential",
    "skewed",
    "skewed ordinal",
    "lognormal 0.5",
    "lognormal 0.9",
)
DESIGNS = (
    Scores(50, 2),
    Scores(50, 3),
    Scores(100, 5, icc=0.3),
    Scores(100, 3, icc=0.9),
    Scores(200, 3),
    Scores(200, 3, "clusters"),
    Scores(400, 3, "clusters"),
)


class Limits(NamedTuple):
    """Limits of ICC(1,1) of S samples, also of F, and which have a remark; each of shape (S,)."""

    low: FloatArray
    high: FloatArray
    marked: BoolArray
    of_f: tuple[FloatArray, FloatArray]


def limits(y: FloatArray, of_cluster: int) -> Limits:
    """Leave out each item of each sample: the formula of `of_pseudo_values`."""
    n_samples, n, k = y.shape
    mean = y.mean(axis=2)
    within = ((y - mean[..., None]) ** 2).sum(axis=2)
    mean = mean - mean.mean(axis=1, keepdims=True)
    square, rest = (one.sum(axis=1, keepdims=True) for one in (mean**2, within))
    theta = np.log(k * square / (n - 1) / (rest / (n * (k - 1))))
    between = k * (square - mean**2 - mean**2 / (n - 1)) / (n - 2)
    apart = (theta - np.log(between / ((rest - within) / ((n - 1) * (k - 1))))) * (n - 1) / n
    centre, apart = theta[:, 0] + apart.sum(axis=1), apart - apart.mean(axis=1, keepdims=True)
    units = n // of_cluster
    apart = apart.reshape(n_samples, units, of_cluster).sum(axis=2)
    of_units = mean.reshape(n_samples, units, of_cluster).mean(axis=2)
    second, fourth = ((apart**power).sum(axis=1) for power in (2, 4))
    df = np.minimum(2 * units / (units * fourth / second**2 - 1), units - 1)
    half = stdtrit(df, 0.975) * np.sqrt(units / (units - 1) * second)
    skewness = (of_units**3).mean(axis=1) / (of_units**2).mean(axis=1) ** 1.5
    return Limits(
        from_log(np.minimum(centre - half, theta[:, 0]), k),
        from_log(np.maximum(centre + half, theta[:, 0]), k),
        (df < FEWEST_DEGREES) | ((df < FEWEST_SKEWED) & (np.abs(skewness) > SKEWED)),
        (
            from_log(theta[:, 0] - np.log(fdtri(n - 1, n * (k - 1), 0.975)), k),
            from_log(theta[:, 0] + np.log(fdtri(n * (k - 1), n - 1, 0.975)), k),
        ),
    )


def check(design: Scores, rng: np.random.Generator) -> None:
    """Compare with `icc`."""
    y = design.drawn("lognormal 0.9", 20, rng)
    frame = pd.DataFrame(y.reshape(-1, design.raters)).add_prefix("r")
    raters, place = list(frame), np.arange(len(frame))
    frame = frame.assign(sample=place // design.n, cluster=place // OF_CLUSTER)
    options = {"cluster": "cluster"} if design.more else {}
    public = pd.DataFrame(frame.kappa.icc(raters, by="sample", **options))
    public = public.xs("ICC(1,1)", level="form")
    found = limits(y, OF_CLUSTER if design.more else 1)
    np.testing.assert_allclose(found.low, public["ci_low"], rtol=CLOSE)
    np.testing.assert_allclose(found.high, public["ci_high"], rtol=CLOSE)
    np.testing.assert_array_equal(found.marked, public["remark"] != "")
    by_f = pd.DataFrame(frame.kappa.icc(raters, by="sample", ci="f")).xs("ICC(1,1)", level="form")
    np.testing.assert_allclose(np.transpose(found.of_f), by_f[["ci_low", "ci_high"]], rtol=CLOSE)


def table() -> Iterator[str]:
    """Write what limits hold: tails, the share marked, and what holds without a remark."""
    yield "| items | design | F | default | below | above | marked | holds without a remark |"
    yield "|---|---|---|---|---|---|---|---|"
    for kind in KINDS:
        for number, design in enumerate(DESIGNS):
            if "ordinal" in kind and design.more:
                continue
            rng, parts = np.random.default_rng([SEED, KINDS.index(kind), number]), []
            truth = design.truth(kind)
            for _ in range(PARTS):
                y = design.drawn(kind, OF_PART, rng)
                found = limits(y, OF_CLUSTER if design.more else 1)
                low, high = found.of_f
                misses = (low > truth) | (high < truth)
                parts.append([misses, found.low > truth, found.high < truth, found.marked])
            of_f, below, above, marked = np.concatenate(parts, axis=1)
            missed = below | above
            figures = [1 - of_f.mean(), 1 - missed.mean(), below.mean(), above.mean()]
            shown = " | ".join(map(short, figures))
            held = short(1 - missed[~marked].mean())
            yield f"| {kind} | {design} | {shown} | {marked.mean():.2f} | {held} |"


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--write", action="store_true", help=f"put it into {Path(PAGE).name}")
    args, lines = parser.parse_args(), []
    warnings.simplefilter("ignore", pdkappa.KappaWarning)
    rng = np.random.default_rng(SEED)
    for design in DESIGNS:
        check(design, rng)
    for line in table():
        print(line, flush=True)
        lines.append(line)
    if args.write:
        put("complete scores", lines, PAGE)


if __name__ == "__main__":
    main()
