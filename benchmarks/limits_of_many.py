"""Simulate what the default limits of all raters hold, also in clusters; print Markdown.

    python benchmarks/limits_of_many.py           # 200 designs of 500 samples, ten minutes
    python benchmarks/limits_of_many.py --quick   # 40 designs of 200
    python benchmarks/limits_of_many.py --write   # put the tables into limits_of_many.md, too

Raters of a class of items choose categories by its probabilities, independently of each other, so
that the kappa of every two of them is that of one table. Samples are groups of one call. Beside
the guarded limits and those of ``ci="score"`` stand the two that Moss (2024) recommends: Fisher's z
and the arcsine of the estimate, with its standard error and t quantiles. "One rater" is the first
of `raters`, whose mean kappa with the others has the same limits, by the items of the rater; beside
them the estimate plus and minus t quantiles times the standard error.

Designs with a cell of guarded limits below .93, or with a tail above .05, that has no remark are
simulated again with 20,000 samples and another seed, and these count.
"""

from __future__ import annotations

import sys
import warnings
import zlib
from itertools import product
from pathlib import Path
from typing import NamedTuple

import numpy as np
import pandas as pd
from limits import kappa_of, shares_of, slips
from readme import asked
from scipy import stats
from scipy.special import ndtr, ndtri

import pdkappa  # noqa: F401, as it registers df.kappa
from pdkappa.coefficients.weights import WEIGHTS, Scale

PAGE = Path(__file__).with_name("limits_of_many.md")
COEFFICIENTS, ONE = ["fleiss", "conger", "light", "krippendorff"], "one rater"
KAPPAS, SIZES, RATERS = (0.0, 0.3, 0.6, 0.8, 0.9), (20, 50, 100, 200), (3, 5, 8)
SHARES, CATEGORIES = ("even", "hump", "skewed", "dominant", "single", "rare"), (2, 3, 5, 7)
CONDITIONS = ("complete", "missing", "clusters", "weights")
SHARED, OF_CLUSTER, MISSING, HALF, FEWEST = 0.5, 3, 0.25, 0.5, 0.1
FAILS, DOUBTFUL, MUCH, TAIL = 0.92, 0.93, 0.98, 0.05
SEED = 20261126
PARTS, OF_PART = 10, 2000  # samples of a design that is simulated again


class Design(NamedTuple):
    """Raters and items."""

    generator: str
    kappa: float
    n: int
    shares: str
    k: int
    weights: str | None
    raters: int
    condition: str


def classes(generator: str, shares: np.ndarray, x: float) -> tuple[np.ndarray, np.ndarray]:
    """Return the shares of the classes of items, and the categories' probabilities in each."""
    k = len(shares)
    if generator == "agree or guess":
        return np.append(x * shares, 1 - x), np.vstack([np.eye(k), shares])
    if generator == "neighbour slips":
        return shares, slips(k, 1 - x)
    if generator == "slips + blunders":
        return shares, (0.8 + 0.2 * x) * slips(k, 0.9 * (1 - x)) + 0.2 * (1 - x) / k
    if generator == "common trait":
        nodes, weight = np.polynomial.legendre.leggauss(200)
        cuts = np.concatenate([[-np.inf], ndtri(np.cumsum(shares)[:-1]), [np.inf]])
        trait = np.sqrt(x) * ndtri((nodes + 1) / 2)[:, None]
        return weight / 2, np.diff(ndtr((cuts - trait) / np.sqrt(1 - x)), axis=1)
    if generator == "dirichlet":
        draws = np.random.default_rng(5).gamma(shares * k * np.exp(1.5 - 5 * x), size=(4000, k))
        draws += 1e-300
        return np.full(4000, 1 / 4000), draws / draws.sum(axis=1, keepdims=True)
    hard = min(1.0, 1.6 * (1 - x))
    mixed = 0.6 / k + 0.4 * shares
    return np.append((1 - hard) * shares, hard), np.vstack([np.eye(k), mixed])


CHOSEN_ON = ("agree or guess", "neighbour slips", "slips + blunders", "common trait")
GENERATORS = (*CHOSEN_ON, "dirichlet", "hard items")


def found(design: Design) -> tuple[np.ndarray, np.ndarray, float] | None:
    """Find the classes with the kappa, which they have exactly."""
    shares, used = shares_of(design.shares, design.k), np.ones((1, design.k), dtype=bool)
    apart = Scale(WEIGHTS[design.weights], np.arange(float(design.k))[None], used).matrix()
    low, high = 1e-3, 1 - 1e-4
    for _ in range(30):
        x = (low + high) / 2
        weight, chosen = classes(design.generator, shares, x)
        value = kappa_of((chosen * weight[:, None]).T @ chosen, apart)
        low, high = (x, high) if value < design.kappa else (low, x)
    return (weight, chosen, value) if abs(value - design.kappa) < 0.01 else None  # noqa: PLR2004


def ratings(
    design: Design, weight: np.ndarray, chosen: np.ndarray, n_samples: int, seed: int
) -> pd.DataFrame:
    """Draw samples of items, one below the other."""
    rng = np.random.default_rng([seed, zlib.crc32(repr(design).encode())])
    n = n_samples * design.n
    cluster = np.arange(n) // OF_CLUSTER if design.condition == "clusters" else np.arange(n)
    kind = rng.choice(len(weight), size=n, p=weight / weight.sum())
    kind = np.where(rng.random(n) < SHARED, kind[cluster], kind)  # the class of another item
    below = np.cumsum(chosen, axis=1)
    codes = np.empty((design.raters, n))
    for one in codes:
        one[:] = np.minimum((rng.random(n)[:, None] > below[kind]).sum(axis=1), design.k - 1)
    if design.condition == "missing":
        codes[rng.random(codes.shape) < MISSING] = np.nan
    data = pd.DataFrame(codes.T, columns=list("abcdefgh")[: design.raters])
    data = data.assign(sample=np.arange(n).repeat(1) // design.n, cluster=cluster)
    return data.assign(w=rng.uniform(0.5, 1.5, n))


def around(frame: pd.DataFrame, n: int, scale: str) -> tuple[np.ndarray, np.ndarray]:
    """Limits of the estimate and its standard error on a scale."""
    k, se, t = frame["estimate"].to_numpy(), frame["se"].to_numpy(), stats.t.ppf(0.975, n - 1)
    if scale == "fisher":
        half = t * se / (1 - k**2)
        low, high = (np.tanh(np.arctanh(k) + side * half) for side in (-1, 1))
    else:
        half = t * se / np.sqrt(1 - k**2)
        low, high = (
            np.sin(np.clip(np.arcsin(k) + s * half, -np.pi / 2, np.pi / 2)) for s in (-1, 1)
        )
    return np.where(k < 1, low, k), np.where(k < 1, high, k)


def simulate(design: Design, n_samples: int, seed: int = SEED) -> list[dict]:
    """Return a row for each coefficient and method."""
    known = found(design)
    if known is None:
        return []
    data, truth = ratings(design, *known[:2], n_samples, seed), known[2]
    options = {"by": "sample", "weights": design.weights, "coefficients": COEFFICIENTS}
    study = {}
    if design.condition == "clusters":
        options["cluster"] = "cluster"
    if design.condition == "weights":
        study = {"sample_weight": "w", "weight_type": "probability"}
    calls = {
        ci: data.kappa(**study).agreement(
            list("abcdefgh")[: design.raters], categories=range(design.k), ci=ci, **options
        )
        for ci in ("auto", "score")
    }
    del options["coefficients"]
    each = data.kappa(**study).raters(
        list("abcdefgh")[: design.raters], categories=range(design.k), **options
    )
    rows = []
    for name in [*COEFFICIENTS, ONE]:
        if name == ONE:
            tables = {"auto": each.xs("a", level="rater")}
        else:
            tables = {ci: one.xs(name, level="coefficient") for ci, one in calls.items()}
        frame = tables["auto"]
        used = frame["estimate"].notna().to_numpy()
        if used.mean() < FEWEST:
            continue
        limits = {
            ci: (one["ci_low"].to_numpy(), one["ci_high"].to_numpy()) for ci, one in tables.items()
        }
        if name == ONE:
            half = stats.t.ppf(0.975, design.n - 1) * frame["se"].to_numpy()
            middle = frame["estimate"].to_numpy()
            limits["t quantiles"] = (middle - half, np.minimum(middle + half, 1.0))
        limits |= {
            f"Moss, {scale}": around(frame, design.n, scale) for scale in ("fisher", "arcsine")
        }
        is_marked = bool((frame["remark"] != "")[used].mean() >= HALF)
        for method, pair in limits.items():
            low, high = pair[0][used], pair[1][used]
            rows.append(
                {
                    "coefficient": name,
                    "method": method,
                    "condition": design.condition,
                    "is_own": design.generator not in CHOSEN_ON,
                    "is_marked": is_marked,
                    "below": 1 - (low <= truth + 1e-12).mean(),
                    "above": (high < truth - 1e-12).mean(),
                    "width": np.nanmedian(high - low),
                    "design": design,
                    "is_second": seed != SEED,
                }
            )
    return rows


def is_doubtful(row: dict) -> bool:
    """Whether guarded limits hold little, and no remark says so."""
    below, above = row["below"], row["above"]
    weak = 1 - below - above < DOUBTFUL or max(below, above) > TAIL
    return weak and row["method"] == "auto" and not row["is_marked"]


def settled(design: Design, n_samples: int) -> list[dict]:
    """Simulate a design, and again with more samples where a cell is doubtful."""
    rows = simulate(design, n_samples)
    if not any(map(is_doubtful, rows)):
        return rows
    parts = [simulate(design, OF_PART, SEED + 1 + part) for part in range(PARTS)]
    means = ("below", "above", "width")
    return [
        {**row, **{name: np.mean([part[i][name] for part in parts]) for name in means}}
        for i, row in enumerate(parts[0])
    ]


def page(rows: pd.DataFrame, n_samples: int) -> list[str]:
    """Write the tables."""
    rows = rows.assign(
        held=1 - rows["below"] - rows["above"], tail=rows[["below", "above"]].max(axis=1)
    )
    score = rows[rows["method"].isin(["score", "t quantiles"])]
    score = score.set_index(["design", "coefficient"])["width"]
    keys = pd.MultiIndex.from_frame(rows[["design", "coefficient"]])
    rows["ratio"] = rows["width"].to_numpy() / score.reindex(keys).clip(lower=1e-9).to_numpy()
    silent = rows[~rows["is_marked"]]
    every, rows = rows, rows[rows["coefficient"] != ONE]
    of_one, silent = every[every["coefficient"] == ONE], silent[silent["coefficient"] != ONE]
    parts = {
        "all": rows,
        "no remark": silent,
        "no remark, generators it was not chosen on": silent[silent["is_own"]],
    }
    parts |= {f"no remark, {name}": silent[silent["condition"] == name] for name in CONDITIONS}
    parts |= {f"no remark, {name}": silent[silent["coefficient"] == name] for name in COEFFICIENTS}
    parts |= {"one rater": of_one, "one rater, no remark": of_one[~of_one["is_marked"]]}
    lines = ["<!-- summary -->", ""]
    again = rows.loc[rows["is_second"], "design"].nunique()
    first = (
        f"{rows['design'].nunique()} designs of {n_samples} samples, four coefficients each; "
        f"{again} of them, doubtful at first, of {PARTS * OF_PART:,} and another seed."
    )
    lines += [first, ""]
    lines += ["| cells | number | limits | < .92 | lowest | > .98 | a tail > .05 | width |"]
    lines += ["|---|---:|---|---:|---:|---:|---:|---:|"]
    for name, part in parts.items():
        for method, some in part.groupby("method", sort=False):
            first = [name, str(len(some))] if method == "auto" else ["", ""]
            called = {"auto": "guarded", "score": "`score`"}.get(method, method)
            held, tail = some["held"], some["tail"]
            shares = [(held < FAILS).mean(), (held > MUCH).mean(), (tail > TAIL).mean()]
            a, b, c = (f"{share:.1%}" for share in shares)
            lowest, width = (
                f"{some['held'].min():.3f}".removeprefix("0"),
                f"{some['ratio'].median():.2f}",
            )
            lines.append(f"| {' | '.join([*first, called, a, lowest, b, c, width])} |")
    lines += [
        "",
        "<!-- end of summary -->",
        "",
        "Guarded limits without a remark, the ten worst cells:",
        "",
    ]
    worst = silent[silent["method"] == "auto"].nsmallest(10, "held")
    lines += [
        f"- {row.coefficient}, {', '.join(map(str, row.design))}: "
        f"{row.held:.3f}{chr(39) * row.is_second}"
        for row in worst.itertuples()
    ]
    return lines


def main() -> None:
    """Simulate, and print the page."""
    warnings.simplefilter("ignore")
    args = asked(__doc__)
    n_designs, n_samples = (40, 200) if args.quick else (200, 500)
    every = [
        one
        for one in map(
            Design._make,
            product(
                GENERATORS,
                KAPPAS,
                SIZES,
                SHARES,
                CATEGORIES,
                (None, "linear", "quadratic"),
                RATERS,
                CONDITIONS,
            ),
        )
        if one.k > 2 or one.weights is None  # noqa: PLR2004
    ]
    order, rows = np.random.default_rng(SEED).permutation(len(every))[:n_designs], []
    with np.errstate(all="ignore"):
        for number, place in enumerate(order):
            rows += settled(every[place], n_samples)
            if number % 20 == 0:
                print(f"{number} of {n_designs}", file=sys.stderr, flush=True)
        lines = page(pd.DataFrame(rows), n_samples)
    print("\n".join(lines))
    if args.write:
        PAGE.write_text("\n".join(lines) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
