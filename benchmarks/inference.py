"""Simulate what every interval holds and every test rejects, design by design; print Markdown.

    python benchmarks/inference.py            # one design in six, twenty minutes on one core
    python benchmarks/inference.py --quick    # one in 50, a quarter of the samples
    python benchmarks/inference.py --write    # put the tables into benchmarks/inference.md, too

R raters cut scores with a common factor into categories; their shares are the same for all raters
and the kappa of every pair is .6, or 0 for tests of no agreement, exactly: the shares of the cells
are those of the latent normal scores. Samples are groups of one call of the public function, so
that what is simulated is what ships. Samples whose estimate is undefined are left out, and
counted; an estimate without limits counts as missed.

Of many cells some are outside by chance. Designs with a cell that is outside, or has a tail above
.05, though the call does not say that it is weak, are simulated again with five times the samples
and another seed, and the second figures of that cell count.
"""

from __future__ import annotations

import math
import os
import sys
import time
import warnings
from collections import defaultdict
from functools import cache
from itertools import product
from operator import attrgetter
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

os.environ["OPENBLAS_NUM_THREADS"] = "1"  # one process on each core

import numpy as np
import pandas as pd
from intervals import Design, binormal, scale_of
from readme import asked
from scipy.optimize import brentq
from scipy.special import ndtri

from pdkappa.coefficients.chance import COEFFICIENTS, chance_corrected
from pdkappa.coefficients.pair_counts import PairCounts

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

PAGE = Path(__file__).with_name("inference.md")
INSIDE = {"coverage": (0.93, 0.97), "size": (0.03, 0.07)}
WORST = {"coverage": (0.88, 1.0), "size": (0.0, 0.12)}
HALF = 0.5  # of the samples say so
FIELDS = ("family", "shares", "raters", "condition", "n")
WEIGHTS = {"nominal": None, "binary": None, "quadratic": "quadratic"}
SHARES = {
    ("nominal", "even"): (1 / 3, 1 / 3, 1 / 3),
    ("nominal", "skewed"): (0.6, 0.25, 0.15),
    ("nominal", "rare"): (0.7, 0.25, 0.05),
    ("binary", "even"): (0.5, 0.5),
    ("binary", "skewed"): (0.8, 0.2),
    ("binary", "rare"): (0.95, 0.05),
    ("quadratic", "even"): (0.2, 0.2, 0.2, 0.2, 0.2),
    ("quadratic", "skewed"): (0.4, 0.25, 0.15, 0.1, 0.1),
    ("quadratic", "rare"): (0.55, 0.2, 0.12, 0.08, 0.05),
}
RATERS = (2, 3, 4, 8)
SIZES = (20, 40, 75, 150)
CONDITIONS = ("complete", "missing", "clusters", "large clusters")
GROUPS, TAUS = (3, 8, 30), (0.0, 0.1, 0.3)
ITEMS = {"20-60": (20, 60), "20-400": (20, 400)}
KAPPA, MISSING, LEVEL = 0.6, 0.2, 0.05
# Items of each cluster, in turn. Where they are large, there is a cluster for every five of n.
OF_CLUSTERS = {"clusters": (1, 2, 3, 4), "large clusters": (2, 20)}
SHARED = 0.3  # of the variance of an item's score, and of a rater's error, within a cluster
OF_MANY = {"fleiss": "scott", "conger": "cohen", "light": "cohen"}
TWO = ("cohen", "gwet", "brennan_prediger", "scott", "krippendorff")
TWO_PAIRS = {
    3: ("shared rater", ("a", "b"), ("a", "c")),
    4: ("no shared rater", ("a", "b"), ("c", "d")),
}
AT_ONCE = 4
MARKS = ("FewClustersWarning",)  # warnings that are about every row
TIMES = 5  # as many samples where a cell is outside and nothing says so
TAIL = 0.05
BANDS = ((0, 5), (5, 10), (10, 20), (20, math.inf))  # of effective disagreements
FEWEST = 0.1  # of the samples have an estimate, or it is no cell
PAIR, EXACT = 2, 1e-9


# --- cells and tables ---------------------------------------------------------------------------


class Cell(NamedTuple):
    """What came out for one row of one call in one design.

    `below` and `above` are the shares of truths below and above the limits, `m` the effective
    disagreements, and `marked` the share of samples that the call marks.
    """

    call: str
    row: str
    figure: str
    family: str
    shares: str
    raters: str
    condition: str
    n: str
    value: float
    below: float
    above: float
    width: float
    m: float
    marked: float
    undefined: float
    is_second: bool = False

    def again(self, parts: Iterable[Cell]) -> Cell:
        """Return the cell of more samples, which came in several parts of the same size."""
        names = ("value", "below", "above", "width", "m", "marked")
        means = np.mean([[getattr(part, name) for name in names] for part in parts], axis=0)
        return self._replace(**dict(zip(names, means.tolist(), strict=True)), is_second=True)

    @property
    def is_marked(self) -> bool:
        """Whether the call says in at least half of the samples that it is weak."""
        return self.marked >= HALF

    @property
    def is_silent(self) -> bool:
        """Whether the share is outside, or a tail too large, and the call does not say so."""
        weak = not self.is_inside or max(self.below, self.above) > TAIL  # NaN of a size is not
        return weak and not math.isnan(self.value) and not self.is_marked

    @property
    def is_inside(self) -> bool:
        """Whether the share is as near to its level as is aimed at."""
        low, high = INSIDE[self.figure]
        return bool(low <= round(self.value, 3) <= high)

    @property
    def is_bad(self) -> bool:
        """Whether the share is so far off that the call must say so."""
        low, high = WORST[self.figure]
        return not low <= round(self.value, 3) <= high

    @property
    def name(self) -> str:
        """What was simulated."""
        return f"`{self.call}` {self.row}".strip()


def table(head: Iterable[str], rows: Iterable[Iterable[str]], n_texts: int) -> list[str]:
    """Write a Markdown table whose first columns are texts."""
    head = list(head)
    rule = "|---" * n_texts + "|---:" * (len(head) - n_texts) + "|"
    return [f"| {' | '.join(head)} |", rule, *(f"| {' | '.join(row)} |" for row in rows)]


def short(value: float) -> str:
    """Write a share without the zero before the point."""
    return f"{value:.3f}".removeprefix("0")


def parts_of(cells: list[Cell], *names: str) -> dict[tuple[str, ...], list[Cell]]:
    """Sort cells by some of their fields."""
    parts = defaultdict(list)
    for cell in cells:
        parts[tuple(getattr(cell, name) for name in names)].append(cell)
    return parts


def counted(cells: list[Cell], *by: str) -> list[str]:
    """Count the cells inside, and those outside without a mark, by some fields."""
    rows = []
    for names, some in parts_of(cells, *by, "figure").items():
        silent = [cell for cell in some if cell.is_silent]
        quantiles = np.quantile([cell.value for cell in some], (0, 0.5, 1))
        share = np.mean([cell.is_inside for cell in some])
        bad = sum(cell.is_bad for cell in silent)
        figures = [f"{share:.0%}", *map(short, quantiles), str(len(silent)), str(bad)]
        rows.append([*names, str(len(some)), *figures])
    last = ("inside", "lowest", "median", "highest", "outside, no mark", "bad, no mark")
    return table([*by, "figure", "cells", *last], rows, len(by) + 1)


def ranges(cells: list[Cell], columns: list[str]) -> list[str]:
    """Give the lowest and the highest share of every test and interval at each n."""
    rows = []
    for names, some in parts_of(cells, "name", "figure", "condition").items():
        at = parts_of(some, "n")
        values = [[cell.value for cell in at.get((n,), [])] for n in columns]
        rows.append([*names, *(f"{short(min(v))} to {short(max(v))}" if v else "" for v in values)])
    return table(["call", "figure", "ratings", *(f"n = {n}" for n in columns)], sorted(rows), 3)


def every(cells: list[Cell], columns: list[tuple[str, str]]) -> list[str]:
    """Write a line for each row of a call in each design, and a column for condition and n."""
    rows = []
    for names, some in sorted(parts_of(cells, "name", "figure", *FIELDS[:3]).items()):
        at = {(cell.condition, cell.n): cell for cell in some}
        rows.append([*names, *(shown(at[c]) if c in at else "" for c in columns)])
    head = ["call", "figure", "ratings", "shares", "R or G"]
    return table([*head, *(" ".join(column) for column in columns)], rows, len(head))


def shown(cell: Cell) -> str:
    """Write a share: bold is outside, a star says that the call marks it, ' that it is second."""
    value = short(cell.value) + "'" * cell.is_second
    return (value if cell.is_inside else f"**{value}**") + (r"\*" if cell.is_marked else "")


def named(cells: list[Cell]) -> list[str]:
    """Name cells, one a line."""
    rows = []
    for c in cells:
        where = ", ".join([c.family, c.shares, f"{c.raters} raters", c.condition, f"n {c.n}"])
        tails = [short(c.below), short(c.above)] if c.figure == "coverage" else ["", ""]
        rest = ["" if math.isnan(one) else f"{one:.2f}" for one in (c.width, c.m)]
        value = short(c.value) + "'" * c.is_second
        rows.append([c.name, where, value, *tails, *rest, f"{c.marked:.2f}"])
    return table(["call", "cell", "share", "below", "above", "width", "m", "marked"], rows, 2)


def worst(cells: list[Cell]) -> list[str]:
    """Name the worst cells without a mark: twenty intervals, twenty tests, and all large tails."""
    silent = [cell for cell in cells if not cell.is_marked]
    of = {f: [c for c in silent if c.figure == f] for f in INSIDE}
    lowest = sorted(of["coverage"], key=lambda c: c.value)[:20]
    tests = sorted(of["size"], key=lambda c: c.value, reverse=True)[:20]
    tails = [c for c in of["coverage"] if max(c.below, c.above) > TAIL]
    text = ["The twenty intervals that cover least, without a mark:", "", *named(lowest), ""]
    text += ["The twenty tests that reject most, without a mark:", "", *named(tests), ""]
    return [
        *text,
        f"The {len(tails)} intervals with a tail above .05, without a mark:",
        "",
        *named(tails),
    ]


def bands(cells: list[Cell]) -> list[str]:
    """Count intervals by effective disagreements."""
    rows = []
    for low, high in BANDS:
        some = [cell for cell in cells if low <= cell.m < high]
        silent = [cell for cell in some if not cell.is_marked]
        if some:
            held = np.quantile([cell.value for cell in some], (0, 0.5))
            tails = sum(max(cell.below, cell.above) > TAIL for cell in silent)
            width = float(np.median([cell.width for cell in some]))
            least = short(min(cell.value for cell in silent)) if silent else ""
            name = f"{low} to {high}" if high < math.inf else f"{low} or more"
            figures = [len(some), *map(short, held), f"{width:.2f}", len(silent), least, tails]
            rows.append([name, *map(str, figures)])
    head = ["m", "cells", "lowest", "median", "width", "no mark", "lowest", "tail > .05"]
    return table(head, rows, 1)


def order(column: tuple[str, str]) -> tuple[bool, str, int, str]:
    """Sort complete ratings first, then by condition, then by n."""
    condition, n = column
    return condition != "complete", condition, len(n), n


def page(cells: list[Cell], n_samples: int) -> list[str]:
    """Return the summary, what is bad and not marked, and all cells."""
    cells = [cell for cell in cells if not math.isnan(cell.value)]
    of_groups = [cell for cell in cells if cell.call == "grouped"]
    of_raters = [cell for cell in cells if cell.call != "grouped"]
    inside, undefined = (
        np.mean([getattr(c, f) for c in cells]) for f in ("is_inside", "undefined")
    )
    n_bad = sum(cell.is_bad and not cell.is_marked for cell in cells)
    marked = np.mean([cell.is_marked for cell in cells])
    first = (
        f"{len(cells):,} cells of {n_samples:,} samples: {inside:.1%} inside; {n_bad} with a "
        f"coverage below .88 or a size above .12 are not marked. {marked:.0%} of the cells are "
        f"marked. {undefined:.2%} of the estimates are undefined. "
        f"{sum(cell.is_second for cell in cells)} cells, outside without a mark, were simulated "
        f"again with {TIMES} times the samples."
    )
    text = ["<!-- summary -->", "", first, "", *counted(cells, "name")]
    for field in FIELDS:
        text += ["", *counted(of_raters, field)]
    for some in (of_raters, of_groups):
        columns = list(dict.fromkeys(cell.n for cell in some))
        text += ["", *ranges(some, sorted(columns, key=lambda n: (len(n), n)))]
    text += ["", "By effective disagreements, where the call counts them:", "", *bands(cells)]
    text += ["", "<!-- end of summary -->", "<!-- worst -->", "", *worst(cells)]
    text += ["", "<!-- end of worst -->"]
    for some in (of_raters, of_groups):
        columns = {(cell.condition, cell.n) for cell in some}
        text += ["", *every(some, sorted(columns, key=order))]
    return text


# --- designs ------------------------------------------------------------------------------------


class Task(NamedTuple):
    """One design; as many raters or groups, and as many items."""

    family: str
    shares: str
    many: int
    condition: str
    n: int | str


def marked(frame: pd.DataFrame, told: set[str]) -> np.ndarray:
    """Whether the call itself says of each row that its inference is weak."""
    said = np.full(len(frame), not told.isdisjoint(MARKS))
    for column in ("reason", "remark"):
        if column in frame:
            said |= frame[column].fillna("").ne("").to_numpy()
    return said


def ask(method: str, frame: pd.DataFrame, *args: Any, **options: Any) -> Any:
    """Call a method of ``df.kappa``, and note in its frame which rows it marks."""
    with warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always")
        found = attrgetter(method)(frame.kappa)(*args, **options)
    said = {one.category.__name__ for one in told}
    return found.assign(marked=marked(found, said)) if isinstance(found, pd.DataFrame) else found


@cache
def rho_of(family: str, shares: str) -> float:
    """Correlation of two raters' scores at which their kappa is .6."""
    return brentq(lambda rho: value_of(family, shares, rho, "cohen") - KAPPA, 0.1, 0.9999)


@cache
def value_of(family: str, shares: str, rho: float, coefficient: str) -> float:
    """Coefficient of two raters in the population."""
    of_each = SHARES[family, shares]
    design = Design("", WEIGHTS[family], rho, of_each, of_each)
    counts = PairCounts.from_tables(binormal(design) * 1e9)
    found = chance_corrected(counts, scale_of(design), COEFFICIENTS[coefficient])
    return float(found.estimate[0])


def ratings(task: Task, kappa: float, n_samples: int, rng: np.random.Generator) -> pd.DataFrame:
    """Draw samples of items, one below the other."""
    clusters = np.arange(task.n)
    if task.condition in OF_CLUSTERS:
        sizes = np.resize(OF_CLUSTERS[task.condition], task.n)
        clusters = np.arange(task.n).repeat(sizes)[: task.n]
        if task.condition == "large clusters":
            clusters = np.arange(task.n // 5).repeat(sizes[: task.n // 5])
    rho = rho_of(task.family, task.shares) if kappa else 0.0
    shape = n_samples * len(clusters)
    factor, errors = (rng.standard_normal((shape, width)) for width in (1, task.many))
    cluster = (np.arange(n_samples)[:, None] * task.n + clusters).ravel()
    if task.condition in OF_CLUSTERS:
        common = rng.standard_normal((n_samples * task.n, task.many + 1))[cluster]
        factor = np.sqrt(SHARED) * common[:, :1] + np.sqrt(1 - SHARED) * factor
        errors = np.sqrt(SHARED) * common[:, 1:] + np.sqrt(1 - SHARED) * errors
    cuts = ndtri(np.cumsum(SHARES[task.family, task.shares])[:-1])
    codes = np.searchsorted(cuts, np.sqrt(rho) * factor + np.sqrt(1 - rho) * errors)
    if task.condition == "missing":
        codes = np.where(rng.random(codes.shape) < MISSING, np.nan, codes)
    frame = pd.DataFrame(codes, columns=list("abcdefgh")[: task.many])
    return frame.assign(sample=np.arange(n_samples).repeat(len(clusters)), cluster=cluster)


def options_of(task: Task, by: str = "sample") -> dict[str, Any]:
    """Options of every call for a design."""
    categories = list(range(len(SHARES[task.family, task.shares])))
    cluster = {"cluster": "cluster"} if task.condition in OF_CLUSTERS else {}
    return {"by": by, "weights": WEIGHTS[task.family], "categories": categories, **cluster}


def rejected(frame: pd.DataFrame) -> np.ndarray:
    """Whether the test of each row rejects."""
    return (frame["p_value"] < LEVEL).to_numpy()


class Found(NamedTuple):
    """Rows of all samples for one line of the table."""

    call: str
    row: str
    figure: str
    frame: pd.DataFrame
    truth: Any = None  # of a test there is none
    defined: str = "estimate"

    def cell(self, task: Task) -> Cell:
        """Return the share of the samples with an estimate."""
        used = self.frame[self.defined].notna().to_numpy()
        enough = used.mean() > FEWEST
        frame = self.frame[used]
        said = frame["marked"].mean() if enough else 0.0
        below = above = width = m = value = float("nan")
        if enough and self.figure == "size":
            value = rejected(frame).mean()
        elif enough:
            truth = self.truth[used] if np.ndim(self.truth) else self.truth
            low, high = frame["ci_low"].to_numpy(), frame["ci_high"].to_numpy()
            below, above = (low > truth).mean(), (high < truth).mean()
            value, width = ((low <= truth) & (truth <= high)).mean(), np.nanmedian(high - low)
            if "effective_disagreements" in frame:
                m = frame["effective_disagreements"].median()
        family, shares, many, condition, n = task
        where = (family, shares, str(many), condition, str(n))
        figures = (float(one) for one in (value, below, above, width, m, said))
        return Cell(self.call, self.row, self.figure, *where, *figures, 1 - used.mean())


def of_agreement(task: Task, frames: dict[float, pd.DataFrame]) -> Iterator[Found]:
    """All raters together, and two of them as a pair: coverage at .6 and size at 0."""
    rho, raters = rho_of(task.family, task.shares), list("abcdefgh")[: task.many]
    options = options_of(task)
    for kappa, frame in frames.items():
        calls = {"agreement": ask("agreement", frame, raters, **options).reset_index()}
        if len(raters) == PAIR:
            each = {c: ask("pairs", frame, raters, coefficient=c, **options) for c in TWO}
            calls["pairs"] = pd.concat([one.assign(coefficient=c) for c, one in each.items()])
        for call, every in calls.items():
            for name, rows in every.groupby("coefficient", sort=False):
                two = OF_MANY.get(name, name)
                if kappa:
                    truth = value_of(*task[:2], rho, two)
                    yield Found(call, name, "coverage", rows, truth)
                elif name != "percent" and abs(value_of(*task[:2], 0.0, two)) < EXACT:
                    yield Found(call, name, "size", rows)


def of_comparisons(task: Task, frame: pd.DataFrame) -> Iterator[Found]:
    """Test raters who agree equally well."""
    first, *rest = raters = list("abcdefgh")[: task.many]
    options, difference = options_of(task), "difference"
    same = ask("homogeneity", frame, raters, **options)
    yield Found("homogeneity", "", "size", same, defined="f")
    above = ask("machine.ceiling", frame, rest, first, **options)
    yield Found("ceiling", f"{len(rest)} humans", "size", above, defined=difference)
    apart = ask("raters", frame, raters, **options).xs(first, level="rater")
    yield Found("raters", "outlier", "size", apart)
    if task.many in TWO_PAIRS:
        row, *pairs = TWO_PAIRS[task.many]
        two = ask("compare", frame, *pairs, **options)
        yield Found("compare", row, "size", two, defined=difference)


def of_two_groups(task: Task, n_samples: int, rng: np.random.Generator) -> Found:
    """Kappas of n items and of twice as many; some samples are groups of one call."""
    one = ratings(task, KAPPA, n_samples, rng)
    other = ratings(task._replace(n=2 * task.n), KAPPA, n_samples, rng)
    both = [part.assign(group=2 * part["sample"] + i) for i, part in enumerate((one, other))]
    frame = pd.concat(both)
    options, parts = options_of(task, by="group"), []
    for _, some in frame.groupby(frame["group"] // AT_ONCE):
        found = ask("compare_groups", some, ["a", "b"], **options)
        parts.append(found[found["first"] // 2 == found["second"] // 2])
    found = pd.concat(parts)
    return Found("compare_groups", "n with 2n", "size", found, defined="difference")


@cache
def tables_of(family: str, shares: str) -> tuple[np.ndarray, np.ndarray]:
    """Tables of many correlations, and Fisher's z of their kappas."""
    of_each = SHARES[family, shares]
    rhos = np.concatenate([np.linspace(-0.95, 0.9, 75), np.linspace(0.905, 0.999, 60)])
    designs = [Design("", WEIGHTS[family], rho, of_each, of_each) for rho in rhos]
    tables = np.stack([binormal(design) for design in designs])
    found = chance_corrected(
        PairCounts.from_tables(tables * 1e9), scale_of(designs[0]), COEFFICIENTS["cohen"]
    )
    return tables, np.arctanh(found.estimate)


def tables_at(task: Task, z: np.ndarray) -> np.ndarray:
    """Tables with the given Fisher z, between the two that are nearest."""
    tables, known = tables_of(task.family, task.shares)
    above = np.clip(np.searchsorted(known, z), 1, len(known) - 1)
    share = np.clip((z - known[above - 1]) / (known[above] - known[above - 1]), 0, 1)
    return (1 - share[..., None, None]) * tables[above - 1] + share[..., None, None] * tables[above]


def of_groups(task: Task, n_samples: int, rng: np.random.Generator) -> Iterator[Found]:
    """Means over groups of items: one call for each sample."""
    tau, k = float(task.condition.split()[1]), len(SHARES[task.family, task.shares])
    items = np.geomspace(*ITEMS[task.n], task.many).round().astype(int)
    z = np.arctanh(KAPPA) + tau * rng.standard_normal((n_samples, task.many + 1))
    groups, options = np.arange(task.many).repeat(items), options_of(task, by="group")
    cells = tables_at(task, z[:, :-1]).reshape(n_samples, task.many, k * k)
    means, tests = [], []
    for drawn in rng.multinomial(items, cells):
        codes = np.tile(np.arange(k * k), task.many).repeat(drawn.ravel())
        frame = pd.DataFrame({"a": codes // k, "b": codes % k, "group": groups})
        found = ask("grouped", frame, "a", "b", **options)
        for all_, one in ((means, found.pooled), (tests, found.equality)):
            all_.append(one.assign(marked=marked(one, set())))
    mean, equality = (pd.concat(all_) for all_ in (means, tests))
    common, here = KAPPA, np.tanh(z[:, :-1].mean(axis=1))
    truths = {"fisher_mean": here, "fixed": common, "random": common}
    for name, truth in truths.items():
        if name != "fixed" or tau == 0:
            frame = mean.loc[name]
            yield Found("grouped", name, "coverage", frame, truth)
    if tau == 0:
        for name in ("fisher_z", "kappa", "donner_eliasziw_klar"):
            frame = equality.loc[name]
            if name != "donner_eliasziw_klar" or task.family == "binary":
                yield Found("grouped", f"equality: {name}", "size", frame, defined="chi2")


def run(task: Task, n_samples: int, seed: int) -> list[Cell]:
    """Simulate one design."""
    warnings.simplefilter("ignore")
    rng, found = np.random.default_rng([20261122, seed]), list[Found]()
    if task.condition.startswith("tau"):
        found += of_groups(task, n_samples, rng)
    else:
        frames = {kappa: ratings(task, kappa, n_samples, rng) for kappa in (KAPPA, 0.0)}
        found += of_agreement(task, frames)
        if task.many > PAIR:
            found += of_comparisons(task, frames[KAPPA])
        else:
            found.append(of_two_groups(task, n_samples // 2, rng))  # it takes longest
    return [one.cell(task) for one in found]


def tasks() -> list[Task]:
    """All designs."""
    of_raters = [
        Task(*where, many, condition, n)
        for n, many in product(SIZES, RATERS)
        for condition, where in product(CONDITIONS, SHARES)
    ]
    return of_raters + [
        Task(*where, many, f"tau {tau:g}", items)
        for many, items in product(GROUPS, ITEMS)
        for tau, where in product(TAUS, SHARES)
    ]


def simulated(share: float, n_samples: int, seed: int = 20261126) -> list[Cell]:
    """Simulate a share of the designs, and those again with a cell outside without a mark."""
    every, start = tasks(), time.perf_counter()
    order = np.random.default_rng(seed).permutation(len(every))
    chosen, cells = order[: int(share * len(every))].tolist(), list[Cell]()
    for number, i in enumerate(chosen):
        some = run(every[i], n_samples, i)
        if any(cell.is_silent for cell in some):
            more = [run(every[i], n_samples, (part + 1) * len(every) + i) for part in range(TIMES)]
            parts = zip(*more, strict=True)
            some = [
                cell.again(part) if cell.is_silent else cell
                for cell, part in zip(some, parts, strict=True)
            ]
        cells += some
        if number % 20 == 0 or number == len(chosen) - 1:
            passed = time.perf_counter() - start
            print(f"{number} of {len(chosen)}: {passed:.0f} s", file=sys.stderr, flush=True)
    return cells


def main() -> None:
    """Simulate what is asked for, and print it."""
    args = asked(__doc__)
    is_quick = args.quick
    n_samples = 100 if is_quick else 400
    lines = page(simulated(1 / 50 if is_quick else 1 / 6, n_samples), n_samples)
    print("\n".join(lines))
    if args.write:
        PAGE.write_text("\n".join(lines) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
