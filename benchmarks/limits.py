"""Simulate what the default limits of two raters hold, table by table; print Markdown.

    python benchmarks/limits.py            # a tenth of all designs, half an hour on one core
    python benchmarks/limits.py --quick    # a hundredth of the designs, a fifth of the samples
    python benchmarks/limits.py --write    # put the tables into benchmarks/limits.md, too

Each design is a table of two raters of exactly the wanted kappa, from which samples are drawn; the
limits are those of `pdkappa.coefficients.intervals`, which every call uses. The rule was chosen on
the first generators, and not on the others, nor on these samples. A cell that comes out below .93
without a remark is simulated again with twenty times the samples and another seed, which count.
"""

from __future__ import annotations

import sys
import time
import zlib
from itertools import pairwise, product
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from readme import asked
from scipy import stats
from scipy.special import ndtr, ndtri, stdtrit

from pdkappa.coefficients.chance import COEFFICIENTS, chance_corrected
from pdkappa.coefficients.intervals import INTERVALS, Limits
from pdkappa.coefficients.pair_counts import PairCounts
from pdkappa.coefficients.pair_estimates import summarise
from pdkappa.coefficients.weights import WEIGHTS, Scale
from pdkappa.methods.estimates.pair_frames import remarks_on_limits

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    Table = np.ndarray

PAGE = Path(__file__).with_name("limits.md")
COHEN = COEFFICIENTS["cohen"]
KAPPAS, SIZES = (-0.3, 0.0, 0.3, 0.6, 0.8, 0.9, 0.95), (20, 50, 100, 200, 500)
CATEGORIES, WEIGHTINGS = (2, 3, 5, 7, 11, 13, 31, 61), (None, "linear", "quadratic")
MARGINS, LEVEL = ("equal", "unequal"), 0.95
NODES = np.polynomial.legendre.leggauss(60)
FAILS, DOUBTFUL, TAIL, HALF = 0.92, 0.93, 0.05, 0.5
METHODS = {
    "auto": "guarded",
    "score": "`score`",
    "fisher": "`fisher`",
    "plain": "Fisher's z, plain",
}
BANDS = ((0, 2), (2, 5), (5, 10), (10, 20), (20, np.inf))
ORDINARY = ("even", "hump", "skewed")
FEWEST, NEAR = 0.1, 0.01


def shares_of(kind: str, k: int) -> Table:
    """Shares of k categories."""
    x = np.arange(k)
    if k == len(MARGINS):
        first = {"even": 0.5, "hump": 0.6, "skewed": 0.75, "dominant": 0.85, "single": 0.93}
        return np.array([first.get(kind, 0.97), 1 - first.get(kind, 0.97)])
    rest = np.full(k - 2, 0.03 / (k - 2))
    found = {
        "even": np.ones(k),
        "hump": np.exp(-0.5 * ((x - (k - 1) / 2) * 4.5 / k) ** 2),
        "skewed": 0.6 ** (4 * x / (k - 1)),
        "dominant": np.array([0.85, 0.12, *rest]),
        "single": np.array([0.93, *[0.07 / (k - 1)] * (k - 1)]),
        "rare": np.array([*[0.97 / (k - 1)] * (k - 1), 0.03]),
    }[kind]
    return found / found.sum()


SHARES = ("even", "hump", "skewed", "dominant", "single", "rare")


def second_of(shares: Table, margins: str) -> Table:
    """Shares of the second rater, who gives higher ratings if margins are unequal."""
    steps = np.linspace(-0.5, 0.5, len(shares)) * (margins == "unequal")
    found = shares * np.exp(1.2 * steps)
    return found / found.sum()


def cut(first: Table, second: Table, rho: float, df: float | None = None) -> Table:
    """Cut two normal scores with a correlation, or scores with a t copula, into categories."""
    edges, rows = np.concatenate([[0.0], np.cumsum(first)]), []
    quantile = ndtri if df is None else lambda p: stdtrit(df, p)
    grid = np.concatenate([[-np.inf], quantile(np.cumsum(second)[:-1]), [np.inf]])
    for low, high in pairwise(edges):
        x = quantile(np.clip(low + (high - low) * (NODES[0] + 1) / 2, 1e-12, 1 - 1e-12))[:, None]
        if df is None:
            below = ndtr((grid - rho * x) / np.sqrt(1 - rho**2))
        else:
            scale = np.sqrt((df + 1) / ((df + x**2) * (1 - rho**2)))
            below = stats.t.cdf((grid - rho * x) * scale, df + 1)
        rows.append((high - low) / 2 * (NODES[1] @ np.diff(below, axis=1)))
    return np.maximum(rows, 0.0)


def slips(k: int, error: float, upwards: float = 0.5) -> Table:
    """Given the truth in the rows, ratings that slip to a neighbour."""
    found = np.eye(k) * (1 - error)
    for i in range(k):
        found[i, i + 1 if i + 1 < k else i - 1] += error * upwards
        found[i, i - 1 if i > 0 else i + 1] += error * (1 - upwards)
    return found


def common_trait(shares: Table, second: Table, x: float) -> Table:
    return cut(shares, second, 2 * x - 1)


def agree_or_guess(shares: Table, second: Table, x: float) -> Table:
    both = np.minimum(shares, second)
    return x * np.diag(both / both.sum()) + (1 - x) * np.outer(shares, second)


def _upwards(shares: Table, second: Table) -> float:
    return 0.5 if np.allclose(shares, second) else 0.9


def neighbour_slips(shares: Table, second: Table, x: float) -> Table:
    k = len(shares)
    of_second = slips(k, 1 - x, _upwards(shares, second))
    return (slips(k, 1 - x) * shares[:, None]).T @ of_second


def slips_and_blunders(shares: Table, second: Table, x: float) -> Table:
    k, often, seldom = len(shares), 0.9 * (1 - x), 0.2 * (1 - x)
    ratings = (slips(k, often), slips(k, often, _upwards(shares, second)))
    first, other = ((1 - seldom) * one + seldom / k for one in ratings)
    return (first * shares[:, None]).T @ other


def t_copula(shares: Table, second: Table, x: float) -> Table:
    return cut(shares, second, 2 * x - 1, df=2.5)


def tilted(shares: Table, second: Table, x: float) -> Table:
    steps = np.abs(np.subtract.outer(*[np.arange(len(shares))] * 2)) / (len(shares) - 1)
    tilt = 2 * np.tan((x - 0.5) * 0.98 * np.pi)
    return np.outer(shares, second) * np.exp(-tilt * (steps**0.7 + 0.3 * (steps > 0)))


def hard_items(shares: Table, second: Table, x: float) -> Table:
    k, hard = len(shares), min(1.0, 2 * (1 - x))
    both = np.minimum(shares, second)
    easy = slips(k, min(1.0, 0.5 * (1 - x))) * (both / both.sum())[:, None]
    return (1 - hard) * easy + hard * np.outer(*(0.5 * one + 0.5 / k for one in (shares, second)))


def severe_rater(shares: Table, second: Table, x: float) -> Table:
    k, error = len(shares), 1 - x
    lower, far = 0.5 * error, 0.3 * error * (not np.allclose(shares, second))
    rows, higher = np.arange(k), 0.3 * error - far
    other = np.eye(k) * (1 - 0.8 * error)
    np.add.at(other, (rows, np.maximum(rows - 1, 0)), lower)
    np.add.at(other, (rows, np.maximum(rows - 2, 0)), far)
    np.add.at(other, (rows, np.minimum(rows + 1, k - 1)), higher)
    return (slips(k, 0.3 * error) * shares[:, None]).T @ (0.97 * other + 0.03 / k)


CHOSEN_ON = {
    "common trait": common_trait,
    "agree or guess": agree_or_guess,
    "neighbour slips": neighbour_slips,
    "slips + blunders": slips_and_blunders,
}
OTHERS = {
    "t copula": t_copula,
    "tilted table": tilted,
    "hard items": hard_items,
    "severe rater": severe_rater,
}
GENERATORS: dict[str, Callable[[Table, Table, float], Table]] = CHOSEN_ON | OTHERS


class Design(NamedTuple):
    """One table, and how many items are drawn from it."""

    generator: str
    kappa: float
    n: int
    shares: str
    k: int
    weights: str | None
    margins: str

    def __str__(self) -> str:
        weights, kappa = self.weights or "no weights", f"{self.kappa:g}".replace("0.", ".")
        return (
            f"{self.generator}, kappa {kappa}, n {self.n}, {self.shares}, K {self.k}, {weights}, "
            f"{self.margins} margins"
        )

    @property
    def scale(self) -> Scale:
        used = np.ones((1, self.k), dtype=bool)
        return Scale(WEIGHTS[self.weights], np.arange(float(self.k))[None], used)


class Cell(NamedTuple):
    """What came out for a design: shares below and above the limits, and the median width."""

    design: Design
    below: dict[str, float]
    above: dict[str, float]
    width: dict[str, float]
    m: float
    marked: float
    is_second: bool = False

    def coverage(self, method: str = "auto") -> float:
        return 1 - self.below[method] - self.above[method]

    @property
    def is_marked(self) -> bool:
        return self.marked >= HALF

    @property
    def is_own(self) -> bool:
        return self.design.generator in OTHERS

    @property
    def is_ordinary(self) -> bool:
        d = self.design
        return d.kappa <= 0.8 and d.n >= 100 and d.shares in ORDINARY  # noqa: PLR2004


def designs() -> Iterator[Design]:
    """All designs that exist: slips have no kappa below zero, two categories have no weights."""
    every = product(GENERATORS, KAPPAS, SIZES, SHARES, CATEGORIES, WEIGHTINGS, MARGINS)
    for one in map(Design._make, every):
        slipping = one.generator in {"neighbour slips", "slips + blunders", "severe rater"}
        if (one.k > 2 or one.weights is None) and (one.kappa > 0 or not slipping):  # noqa: PLR2004
            yield one


def kappa_of(table: Table, apart: Table) -> float:
    row, col = table.sum(axis=1), table.sum(axis=0)
    return float(1 - (table * apart).sum() / (row @ apart @ col))


def table_of(design: Design) -> Table | None:
    """Find the table with the kappa, if the generator has one."""
    shares, apart = shares_of(design.shares, design.k), design.scale.matrix()
    second, generate = second_of(shares, design.margins), GENERATORS[design.generator]
    low, high = 1e-2, 1 - 5e-6
    for _ in range(26):
        middle = (low + high) / 2
        table = generate(shares, second, middle)
        table /= table.sum()
        low, high = (middle, high) if kappa_of(table, apart) < design.kappa else (low, middle)
    return table if abs(kappa_of(table, apart) - design.kappa) < NEAR else None


def drawn(table: Table, n: int, n_samples: int, rng: np.random.Generator) -> PairCounts:
    """Draw samples of n items from a table."""
    cells = np.cumsum(table.ravel() / table.sum())
    cells[-1] = 1.0
    keys = np.searchsorted(cells, rng.random((n_samples, n)), side="right")
    keys += np.arange(n_samples)[:, None] * table.size
    return PairCounts.from_keys(*np.unique(keys, return_counts=True), n_samples, len(table))


def limits_of(counts: PairCounts, scale: Scale) -> dict[str, Limits]:
    """Compute all limits of the tables, inside the range of kappa."""
    agreement = chance_corrected(counts, scale, COHEN)
    found = {}
    for method in METHODS:
        if method == "plain":
            k, se, t = agreement.estimate, agreement.se, stdtrit(agreement.n_items - 1, 0.975)
            half = t * se / (1 - k**2)
            pair = (np.where(abs(k) < 1, np.tanh(np.arctanh(k) + s * half), k) for s in (-1, 1))
            found[method] = Limits(*pair)
            continue
        pivot = INTERVALS[method](agreement, counts, scale, COHEN)
        found[method] = Limits(*pivot.limits(LEVEL)).around(agreement.estimate, np.array([-1.0]))
    return found


def simulate(design: Design, n_samples: int, seed: int) -> Cell | None:
    """Draw samples of a design, in parts; none if it has no table, or kappa is mostly 0/0."""
    table = table_of(design)
    if table is None:
        return None
    truth, parts = kappa_of(table, design.scale.matrix()), []
    rng = np.random.default_rng([seed, zlib.crc32(repr(design).encode())])
    for start in range(0, n_samples, 1000):
        counts = drawn(table, design.n, min(1000, n_samples - start), rng)
        figures = summarise(counts, design.scale, COHEN, ci="auto", level=LEVEL)
        known = ~np.isnan(figures.estimate)
        if known.mean() < FEWEST:
            return None
        remark = remarks_on_limits(figures, figures.n_items)[known] != ""
        limits = limits_of(counts, design.scale)
        parts.append(
            [
                {m: (~(one.low[known] <= truth + 1e-12)).mean() for m, one in limits.items()},
                {m: (one.high[known] < truth - 1e-12).mean() for m, one in limits.items()},
                {m: np.nanmedian((one.high - one.low)[known]) for m, one in limits.items()},
                {"m": np.median(figures.effective_disagreements[known]), "marked": remark.mean()},
            ]
        )
    below, above, width, rest = (
        {name: float(np.mean([one[name] for one in some])) for name in some[0]}
        for some in zip(*parts, strict=True)
    )
    return Cell(design, below, above, width, rest["m"], rest["marked"])


def simulated(share: float, n_samples: int, seed: int = 20261126) -> list[Cell]:
    """Simulate a share of all designs, and the doubtful ones again."""
    every, rng = list(designs()), np.random.default_rng(seed)
    chosen = [every[i] for i in rng.permutation(len(every))[: int(len(every) * share)]]
    cells, start = list[Cell](), time.perf_counter()
    for number, design in enumerate(chosen):
        cell = simulate(design, n_samples, seed)
        if cell and not cell.is_marked and (cell.coverage() < DOUBTFUL or _tail(cell) > TAIL):
            again = simulate(design, 20 * n_samples, seed + 1)
            cell = again and again._replace(is_second=True)
        if cell:
            cells.append(cell)
        if number % 200 == 0:
            passed = time.perf_counter() - start
            print(f"{number} of {len(chosen)}: {passed:.0f} s", file=sys.stderr, flush=True)
    return cells


def _tail(cell: Cell, method: str = "auto") -> float:
    return max(cell.below[method], cell.above[method])


# --- tables -------------------------------------------------------------------------------------


def short(value: float) -> str:
    return f"{value:.3f}".removeprefix("0")


def compared(parts: dict[str, list[Cell]]) -> Iterator[str]:
    """Write a line for each part and method."""
    yield "| cells | number | limits | < .92 | < .93 | lowest | > .98 | a tail > .05 | width |"
    yield "|---|---:|---|---:|---:|---:|---:|---:|---:|"
    for name, cells in parts.items():
        for method, called in METHODS.items() if cells else ():
            held = np.array([cell.coverage(method) for cell in cells])
            tails = np.array([_tail(cell, method) for cell in cells])
            width = np.median([c.width[method] / max(c.width["score"], 1e-9) for c in cells])
            shares = [(held < FAILS).mean(), (held < DOUBTFUL).mean()]
            more = [(held > 0.98).mean(), (tails > TAIL).mean()]  # noqa: PLR2004
            figures = (
                [f"{s:.1%}" for s in shares] + [short(held.min())] + [f"{s:.1%}" for s in more]
            )
            first = [name, str(len(cells))] if method == "auto" else ["", ""]
            yield f"| {' | '.join([*first, called, *figures, f'{width:.2f}'])} |"


def named(cells: list[Cell]) -> Iterator[str]:
    """Name cells, one a line."""
    yield "| cell | coverage | below | above | m | marked | `score` |"
    yield "|---|---:|---:|---:|---:|---:|---:|"
    for cell in cells:
        figures = (cell.coverage(), cell.below["auto"], cell.above["auto"])
        again = "'" * cell.is_second
        row = [str(cell.design), short(figures[0]) + again, *map(short, figures[1:])]
        row += [f"{cell.m:.1f}", f"{cell.marked:.2f}", short(cell.coverage("score"))]
        yield f"| {' | '.join(row)} |"


def page(cells: list[Cell], n_samples: int) -> list[str]:
    """Write the tables."""
    silent = [cell for cell in cells if not cell.is_marked]
    ordinary = [cell for cell in cells if cell.is_ordinary]
    marked = np.mean([cell.is_marked for cell in ordinary])
    good = [cell for cell in silent if cell.coverage("score") >= DOUBTFUL]
    width = np.median([cell.width["auto"] / cell.width["score"] for cell in good])
    failing = sum(cell.coverage() < FAILS for cell in silent)
    first = (
        f"{len(cells):,} designs of {n_samples:,} samples, {len(silent):,} of them without a "
        f"remark in most samples: of these, {failing} cover less than .92 (by `score` "
        f"{sum(cell.coverage('score') < FAILS for cell in silent)}). Of {len(ordinary):,} ordinary "
        f"cells (kappa at most .8, n at least 100, shares even, hump or skewed) {marked:.1%} have "
        f"a remark. Where `score` holds .93 or more, the median width is {width:.2f} times its "
        f"width. {sum(cell.is_second for cell in cells)} cells, doubtful at first, were simulated "
        "again with twenty times the samples."
    )
    parts = {
        "all": cells,
        "no remark": silent,
        "the same, generators it was not chosen on": [cell for cell in silent if cell.is_own],
        "no remark, two categories": [cell for cell in silent if cell.design.k == len(MARGINS)],
        "no remark, kappa < 0": [cell for cell in silent if cell.design.kappa < 0],
        "no remark, kappa at least .9": [c for c in silent if c.design.kappa >= 0.9],  # noqa: PLR2004
    }
    bands = {
        f"m {low} to {high}" if high < np.inf else f"m {low} or more": [
            cell for cell in cells if low <= cell.m < high
        ]
        for low, high in BANDS
    }
    worst = sorted(silent, key=Cell.coverage)[:20]
    tails = sorted((c for c in silent if _tail(c) > TAIL), key=_tail, reverse=True)
    lines = ["<!-- summary -->", "", first, "", *compared(parts), "", *compared(bands), ""]
    lines += ["<!-- end of summary -->", "<!-- worst -->", ""]
    lines += ["The twenty cells with the lowest coverage, without a remark:", "", *named(worst), ""]
    lines += [f"The {len(tails)} cells with a tail above .05, without a remark:", ""]
    lines += [*named(tails[:40]), "", "<!-- end of worst -->", ""]
    for field in ("generator", "kappa", "n", "shares", "k", "weights", "margins"):
        values = sorted({getattr(cell.design, field) for cell in silent}, key=str)
        by_field: dict[str, Any] = {
            f"{field} {value}": [c for c in silent if getattr(c.design, field) == value]
            for value in values
        }
        lines += [f"No remark, by {field}:", "", *compared(by_field), ""]
    return lines


def main() -> None:
    """Simulate, and print the page."""
    args = asked(__doc__)
    is_quick = args.quick
    n_samples = 200 if is_quick else 1000
    with np.errstate(all="ignore"):
        lines = page(simulated(0.01 if is_quick else 0.1, n_samples), n_samples)
    print("\n".join(lines))
    if args.write:
        PAGE.write_text("\n".join(lines).rstrip() + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
