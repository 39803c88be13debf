"""Time 52 judges beside the paper's procedure, and count how often its test errs on few items.

    python benchmarks/judges.py

The four data sets of the alternative annotator test in `tests/data/judges` hold 22 judges, most of
which are asked again to make 52. Beside `alt_test` stands the procedure as the paper writes it,
item by item, with SciPy's tests. Processor time, best of three.

The second table draws the number of items on which a human and a judge are nearer, with the human
nearer on `epsilon` more, which is where the hypothesis is just true, and counts p-values below .05.
"""

from __future__ import annotations

import time
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import pandas as pd
from scipy import stats

import pdkappa  # noqa: F401, which gives frames .kappa
from pdkappa.methods.judges.core.alignment import Wins
from pdkappa.methods.judges.core.replacement import exact_tests, t_test

if TYPE_CHECKING:
    from collections.abc import Callable

DATA = Path(__file__).parents[1] / "tests" / "data" / "judges"
N_JUDGES = 52
N_SAMPLES = 20_000
EPSILON, LEVEL = 0.2, 0.05
MOST_EXACT = 60  # items
Frames = dict[str, tuple[pd.DataFrame, list[str], list[str]]]


def frames() -> Frames:
    """Read the data sets, each with its humans and as many judges as make 52 together."""
    found: Frames = {}
    for path in sorted(DATA.glob("*.csv")):
        if path.stem == "expected":
            continue
        data = pd.read_csv(path, index_col="item")
        humans = [name for name in data if name.startswith("human_")]
        judges = [name for name in data if name not in humans]
        copies = {f"{name} {number}": data[name] for number in (2, 3, 4) for name in judges}
        data, wanted = data.assign(**copies), N_JUDGES // 4
        found[path.stem] = (data, humans, [*judges, *copies][:wanted])
    return found


def by_the_paper(data: pd.DataFrame, humans: list[str], judges: list[str]) -> list[float]:
    """Return the winning rates of the judges, item by item."""
    rates = []
    records = data.to_dict("records")
    for judge in judges:
        p_values = []
        for human in humans:
            d = []
            for row in records:
                others = [row[x] for x in humans if x != human and not pd.isna(row[x])]
                if others and not pd.isna(row[human]) and not pd.isna(row[judge]):
                    own, theirs = (
                        np.mean([row[of] == other for other in others]) for of in (judge, human)
                    )
                    d.append(int(theirs >= own) - int(own >= theirs))
            p_values.append(stats.ttest_1samp(d, EPSILON, alternative="less").pvalue)
        beaten = stats.false_discovery_control(p_values, method="by") <= LEVEL
        rates.append(float(beaten.mean()))
    return rates


def best_of_three(work: Callable[[], object]) -> float:
    times = []
    for _ in range(3):
        start = time.process_time()
        work()
        times.append(time.process_time() - start)
    return min(times)


def sizes(n: int, nearer: float) -> tuple[float, float]:
    """Share of samples in which t and the exact test reject at .05 what is just true."""
    rng = np.random.default_rng(20261123)
    shares = [nearer, nearer + EPSILON, 1 - 2 * nearer - EPSILON]
    judge, human, _ = rng.multinomial(n, shares, N_SAMPLES).T.astype(float)
    t = t_test(Wins(np.full((N_SAMPLES, 1), float(n)), judge[:, None], human[:, None]), EPSILON)
    if n > MOST_EXACT:
        return float((t <= LEVEL).mean()), np.nan
    exact = exact_tests(n, EPSILON)[judge.astype(int), human.astype(int)]
    return float((t <= LEVEL).mean()), float((exact <= LEVEL).mean())


def main() -> None:
    read = frames()
    judges = sum(len(names) for _, _, names in read.values())

    def ours() -> list[float]:
        return [
            rate
            for data, humans, names in read.values()
            for rate in data.kappa.alt_test(names, humans).judges["winning_rate"]
        ]

    def theirs() -> list[float]:
        return [rate for one in read.values() for rate in by_the_paper(*one)]

    print(f"same winning rates: {np.allclose(ours(), theirs())}")
    fast, slow = best_of_three(ours), best_of_three(theirs)
    print(f"{judges} judges: {fast:.3f} s, item by item {slow:.1f} s, {slow / fast:.0f} times")
    by_ceiling = best_of_three(
        lambda: [data.kappa.ceiling(names, humans) for data, humans, names in read.values()]
    )
    by_audit = best_of_three(
        lambda: [data.kappa.audit(names, humans) for data, humans, names in read.values()]
    )
    print(f"their ceilings: {by_ceiling:.2f} s, their audits: {by_audit:.2f} s\n")
    print("| items | judge nearer | t | exact |\n|---|---|---|---|")
    for n in (10, 15, 20, 29, 60, 200):
        for nearer in (0.0, 0.1, 0.3):
            t, exact = sizes(n, nearer)
            print(f"| {n} | {nearer} | {t:.3f} | {exact:.3f} |")


if __name__ == "__main__":
    main()
