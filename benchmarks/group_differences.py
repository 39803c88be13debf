"""How often differences of groups are found where there are none, and what limits of icc cover.

Groups of people, too, whom a machine scores alike (`fairness`).

    python benchmarks/group_differences.py                # ten minutes on one core
    python benchmarks/group_differences.py icc            # or groups, fairness: one of the tables
    python benchmarks/group_differences.py icc --write    # put it into group_differences.md, too

Every sample is a group of one frame, so that figures come from the public methods. Cells of icc
that hold less than .93, or have a tail above .05, and are not marked, are drawn again, with more
samples and another seed. `intraclass.py` draws complete scores, and more of them.
"""

from __future__ import annotations

import argparse
import warnings
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import pandas as pd
from readme import put

import pdkappa
from pdkappa.coefficients.means_over_groups import all_groups_equal, along_a_line

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

PAGE = Path(__file__).with_suffix(".md")
warnings.simplefilter("ignore", pdkappa.KappaWarning)
SAMPLES = 6000
LEVEL, HALF = 0.05, 0.5
NAMES = ("estimate", "ci_low", "ci_high")
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


def drawn(design: Groups, kappas: Sequence[float], rng: np.random.Generator) -> pd.DataFrame:
    """Draw the ratings of all samples of all groups, each of its own kappa."""
    frames = []
    for group, (n, shares, kappa) in enumerate(
        zip(design.sizes, design.shares, kappas, strict=True)
    ):
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


def figures_of(design: Groups, kappas: Sequence[float], rng: np.random.Generator) -> np.ndarray:
    """Return estimates and limits of the groups of all samples, shape (3, samples, G)."""
    data, k = drawn(design, kappas, rng), len(design.shares[0])
    options: dict[str, Any] = {"by": "g", "categories": list(range(k)), **design.options}
    options |= {"cluster": "c"} if design.cluster > 1 else {}
    study = {"sample_weight": "w", "weight_type": "probability"} if design.weights else {}
    raters = [f"r{i}" for i in range(design.n_raters)]
    of_study = data.kappa(**study)
    call = of_study.agreement if "coefficients" in options else of_study.pairs
    found = pd.DataFrame(call(raters, **options)).sort_index()
    shape = (SAMPLES, len(design.sizes))
    return np.stack([found[one].to_numpy().reshape(shape) for one in NAMES])


def size_of(design: Groups, kappa: float, rng: np.random.Generator) -> tuple[float, float]:
    """Return the share of samples whose first two groups, and all groups, differ at .05."""
    estimate, low, high = figures_of(design, [kappa] * len(design.sizes), rng)
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


def sizes() -> Iterator[str]:
    """Write the table of differences."""
    kappas = (0.3, 0.6, 0.8, 0.9)
    yield "| groups | items | " + " | ".join(f"{k:g}" for k in kappas) + " | all groups |"
    yield "|---|---|" + "---|" * (len(kappas) + 1)
    for number, design in enumerate(DESIGNS):
        found = [size_of(design, k, np.random.default_rng([number, int(10 * k)])) for k in kappas]
        every = sorted(short(one) for _, one in found)
        items, pairs = ", ".join(map(str, design.sizes)), [short(pair) for pair, _ in found]
        yield f"| {design.name} | {items} | {' | '.join(pairs)} | {every[0]} to {every[-1]} |"


BATCHES = [
    Groups("two categories", (40,) * 6, (EVEN,) * 6, {}),
    Groups("five, quadratic", (60,) * 6, (HUMP,) * 6, QUADRATIC),
    Groups("five, quadratic", (200, 160, 120, 90, 60, 40), (HUMP,) * 6, QUADRATIC),
    Groups("three raters, Light", (50,) * 4, (TAIL,) * 4, {"coefficients": "light"}, 3),
    Groups("clusters of four", (120,) * 5, (HUMP,) * 5, QUADRATIC, cluster=4),
]
STEPS = [(0.3, 0.0), (0.6, 0.0), (0.9, 0.0), (0.9, -0.06), (0.5, 0.05)]  # the first, and from it


def drifts() -> Iterator[str]:
    """Write what the limits of the change from batch to batch cover, and both tails."""
    yield "| batches | items | " + " | ".join(f"{k:g} {s:+.2f}" for k, s in STEPS) + " |"
    yield "|---|---|" + "---|" * len(STEPS)
    for number, design in enumerate(BATCHES):
        cells = []
        for place, (first, step) in enumerate(STEPS):
            kappas = first + step * np.arange(len(design.sizes))
            figures = figures_of(design, kappas, np.random.default_rng([7, number, place]))
            known = figures.transpose(1, 0, 2)[np.isfinite(figures).all(axis=(0, 2))]
            found = np.array(
                [
                    along_a_line(
                        own, np.array(design.sizes), lambda _, ends=ends: ends, 0.95
                    ).limits()
                    for own, *ends in known
                ]
            )[..., 0]
            below, above = (found[:, 0] > step).mean(), (found[:, 1] < step).mean()
            cells.append(f"{short(1 - below - above)} ({short(below)}, {short(above)})")
        yield f"| {design.name} | {', '.join(map(str, design.sizes))} | {' | '.join(cells)} |"


def short(value: float) -> str:
    """Write a share without the zero before the point."""
    return f"{value:.3f}".removeprefix("0")


def scores(kind: str, shape: tuple[int, ...], rng: np.random.Generator) -> np.ndarray:
    """Draw items with mean 0 and variance 1."""
    if kind == "t5":
        return rng.standard_t(5, shape) / np.sqrt(5 / 3)
    if kind.startswith("lognormal"):
        s = float(kind.split()[1])
        v = np.exp(s * s)
        return (rng.lognormal(0, s, shape) - np.sqrt(v)) / np.sqrt((v - 1) * v)
    if kind in {"skewed", "exponential"}:
        mean = 0.5 if kind == "skewed" else 1.0  # and variance
        return (rng.gamma(mean, 1, shape) - mean) / np.sqrt(mean)
    if kind == "uniform":
        return rng.uniform(-np.sqrt(3), np.sqrt(3), shape)
    if kind.startswith("share"):
        share = float(kind.split()[1])
        return ((rng.random(shape) < share) - share) / np.sqrt(share * (1 - share))
    return rng.normal(size=shape)


KINDS = ("normal", "t5", "skewed", "lognormal 0.5", "lognormal 0.9")
SHARED, DIFFER, OF_CLUSTER, MISSING = 0.5, 0.6, 4, 0.2
STUDIES, AGAIN, AT_ONCE = 400, (2000, 20_000), 400
PERSONS, MORE_PERSONS, LOW = 1000, 4000, 0.035
FAILS, DOUBTFUL, TAIL_OF_MOST = 0.92, 0.93, 0.05


class Scores(NamedTuple):
    """A sample of items; the intraclass correlation of scores that are not rounded is `icc`."""

    n: int
    raters: int
    more: str = ""
    icc: float = 0.6

    def __str__(self) -> str:
        told = f"{self.n} items, {self.raters} raters" + (f", {self.more}" if self.more else "")
        return told + (f", ICC {self.icc:g}".replace("0.", ".") if self.icc != 0.6 else "")  # noqa: PLR2004

    def drawn(self, kind: str, studies: int, rng: np.random.Generator) -> np.ndarray:
        """Draw the scores of studies, shape (S, n, R)."""
        kind, _, rounded = kind.partition(" ordinal")
        shape = (studies, self.n, 1)
        items = scores(kind, shape, rng)
        if self.more == "clusters":
            of_each = scores(kind, (studies, self.n // OF_CLUSTER, 1), rng)
            shared = np.repeat(of_each, OF_CLUSTER, axis=1)
            items = np.sqrt(SHARED) * shared + np.sqrt(1 - SHARED) * scores("normal", shape, rng)
        errors = scores(kind if kind == "t5" else "normal", (*shape[:2], self.raters), rng)
        y = np.sqrt(self.icc) * items + np.sqrt(1 - self.icc) * errors
        if self.more == "raters differ":
            y += DIFFER * rng.normal(size=(studies, 1, self.raters))
        return y if not rounded else np.clip(np.round(1.2 * y + 2 + (kind == "normal")), 1, 5)

    def truth(self, kind: str) -> float:
        """Return ICC(1,1), or ICC(A,1) of raters who differ."""
        if "ordinal" in kind:
            pairs = self._replace(raters=2, n=400_000).drawn(kind, 1, np.random.default_rng(1))[0]
            return float(np.corrcoef(pairs.T)[0, 1])
        return self.icc / (1 + DIFFER**2 * (self.more == "raters differ"))


class Covered(NamedTuple):
    """What limits of F hold, and what the default ones do; both tails, and the share marked."""

    of_f: float
    held: float
    below: float
    above: float
    marked: float
    n_samples: int

    @property
    def is_silent(self) -> bool:
        """Whether fewer than half of the samples are marked."""
        return self.marked < HALF

    def fails(self, least: float) -> bool:
        """Whether limits hold less than that, or a tail is large."""
        return self.held < least or max(self.below, self.above) > TAIL_OF_MOST

    def __str__(self) -> str:
        of_f, held, below, above = map(short, self[:4])
        shown = f"**{held}**" if self.is_silent and self.fails(FAILS) else held
        return f"{of_f} | {shown} | {below} | {above} | {self.marked:.2f} | {self.n_samples:,}"


def covered(kind: str, design: Scores, n_samples: int, seed: list[int]) -> Covered:
    """Analyse so many samples."""
    rng, truth = np.random.default_rng(seed), design.truth(kind)
    parts = [part_of(kind, design, truth, rng) for _ in range(n_samples // AT_ONCE)]
    return Covered(*np.mean(parts, axis=0).tolist(), n_samples)


def part_of(kind: str, design: Scores, truth: float, rng: np.random.Generator) -> list[float]:
    """Analyse some samples in one call."""
    y = design.drawn(kind, AT_ONCE, rng)
    names, n = [f"r{i}" for i in range(design.raters)], AT_ONCE * design.n
    y = np.where(rng.random(y.shape) < MISSING * (design.more == "missing"), np.nan, y)
    frame = pd.DataFrame(y.reshape(n, -1), columns=names)
    frame = frame.assign(s=np.arange(n) // design.n, w=rng.uniform(0.3, 1.7, n))
    studies = {"weights": {"sample_weight": "w", "weight_type": "probability"}}
    tails = []
    for ci in ("f", "auto"):
        own = studies.get(design.more, {}) if ci == "auto" else {}
        found = pd.DataFrame(frame.kappa(**own).icc(names, by="s", ci=ci))
        found = found.xs("ICC(A,1)" if design.more == "raters differ" else "ICC(1,1)", level="form")
        tails.append(((found["ci_low"] > truth).mean(), (found["ci_high"] < truth).mean()))
    marked = found["remark"].ne("").mean()
    return [*(1 - sum(both) for both in tails), *tails[1], marked]


OF_SCORES = [
    Scores(60, 3, "missing"),
    Scores(80, 3, "weights"),
    Scores(60, 3, "raters differ"),
    Scores(100, 5, "raters differ"),
]


def intraclass() -> Iterator[str]:
    """Write the table of intraclass correlations."""
    yield "| items | design | F | default | below | above | marked | samples |"
    yield "|---|---|---|---|---|---|---|---:|"
    for kind in KINDS:
        for number, design in enumerate(OF_SCORES):
            seed = [number, KINDS.index(kind)]
            found = covered(kind, design, STUDIES, seed)
            for stage, n_samples in enumerate(AGAIN, 1):
                if found.is_silent and found.fails(DOUBTFUL):
                    found = covered(kind, design, n_samples, [*seed, stage])
            yield f"| {kind} | {design} | {found} |"


class People(NamedTuple):
    """Groups of so many people, and the standard deviations of the machine's errors in each."""

    sizes: tuple[int, ...]
    errors: tuple[float, ...]
    clusters: bool = False

    def __str__(self) -> str:
        spread = ", ".join(f"{one:g}" for one in self.errors)
        return ", ".join(map(str, self.sizes)) + f" | {spread} | {'of four' * self.clusters}"

    def rejected(self, rng: np.random.Generator) -> tuple[np.ndarray, bool] | None:
        """Return whether `osd` and `csd` reject in one study, and whether that has a remark."""
        group = np.repeat(np.arange(len(self.sizes)), self.sizes)
        cluster = np.arange(len(group)) // OF_CLUSTER
        errors = rng.normal(size=(2, len(group)))
        if self.clusters:
            errors[0] = np.sqrt([SHARED, 1 - SHARED]) @ [errors[0][cluster], errors[1]]
        human = np.clip(np.round(3 + rng.normal(size=len(group))), 1, 5)
        machine = human + np.repeat(self.errors, self.sizes) * errors[0]
        frame = pd.DataFrame({"h": human, "m": machine, "g": group, "c": cluster})
        options = {"cluster": "c"} if self.clusters else {}
        try:
            tests = frame.kappa.machine.fairness("h", "m", by="g", **options).tests
        except pdkappa.KappaError:  # a human score of a single person
            return None
        rows = tests.loc[["osd", "csd"]]
        return rows["p_value"].to_numpy() < LEVEL, bool((rows["remark"] != "").all())


PEOPLE = [
    People((100, 20), (1, 1)),
    People((100, 20), (1, 3)),
    People((100, 20), (1, 0.3)),
    People((60, 30, 15), (1, 2, 0.5)),
    People((200, 100, 50, 25), (1, 0.5, 2, 4)),
    People((40, 10), (1, 1)),
    People((40, 5), (1, 1)),
    People((200, 80), (1, 1), clusters=True),
    People((80, 20), (1, 1), clusters=True),
]


def fairness() -> Iterator[str]:
    """Write the table of the tests of fairness; small sizes come from more samples, drawn anew."""
    yield "| people | sd of errors | clusters | osd | csd | marked | samples |"
    yield "|---|---|---|---|---|---|---:|"
    for number, people in enumerate(PEOPLE):
        for n_samples in (PERSONS, MORE_PERSONS):
            rng = np.random.default_rng([number, n_samples])
            every = (people.rejected(rng) for _ in range(n_samples))
            found = [one for one in every if one is not None]
            shares = np.mean([one for one, _ in found], axis=0)
            if shares.min() >= LOW:
                break
        figures = [*map(short, shares), f"{np.mean([one for _, one in found]):.2f}"]
        yield f"| {people} | {' | '.join(figures)} | {n_samples:,} |"


TABLES = {"groups": sizes, "drift": drifts, "icc": intraclass, "fairness": fairness}


def main() -> None:
    """Print what is asked for."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("tables", nargs="*", choices=[[], *TABLES], default=[])
    parser.add_argument("--write", action="store_true", help=f"put it into {PAGE.name}")
    args = parser.parse_args()
    for name in args.tables or TABLES:
        lines = []
        for line in TABLES[name]():
            print(line, flush=True)
            lines.append(line)
        if args.write:
            put(name, lines, PAGE)


if __name__ == "__main__":
    main()
