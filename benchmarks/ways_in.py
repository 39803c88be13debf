"""Send nasty ratings through every way in, and count what came of it.

    python benchmarks/ways_in.py                 # 10,000 tries, which takes some ten minutes
    python benchmarks/ways_in.py --seeds 150 400
    python benchmarks/ways_in.py --seed 61       # one data set, and all that came of it

A try is one of three methods, of one data set, by one way. It is the same as that of pandas, to
1e-9; a documented difference (docs/reading.md); another number; a raw error; or a check that
passes although not all could be compared. The last three must not be.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
import time
from collections import Counter, defaultdict
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1] / "tests"))

from ways import WAYS, Tried, drawn, tried

WORDS = ("same", "documented", "differs", "raw", "fail-open")
TRIES = 10_000


def told(one: Tried) -> str:
    """Say what was tried, and what came of it."""
    case = one.case
    return (
        f"seed {case.seed}: {case.kind}, {len(case.frame)} items, raters {case.raters}, "
        f"{case.text or [*map(str, case.frame.dtypes[case.raters])]}\n"
        f"  {one.way}, {one.method}: {one.word} {one.difference}\n"
        f"  found {one.found}\n  expected {one.expected}"
    )


def of_seed(seed: int) -> list[Tried]:
    """Try one data set."""
    with tempfile.TemporaryDirectory() as folder:
        return tried(drawn(seed), Path(folder))


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--seeds", nargs=2, type=int, metavar=("FIRST", "END"))
    parser.add_argument("--seed", type=int, help="show all that came of this one")
    options = parser.parse_args()
    if options.seed is not None:
        print(*map(told, of_seed(options.seed)), sep="\n\n")
        return 0
    first, end = options.seeds or (0, 10**9)
    counts: dict[str, Counter[str]] = defaultdict(Counter)
    why: Counter[str] = Counter()
    started, seed, n_tries = time.perf_counter(), first, 0
    while seed < end and (options.seeds or n_tries < TRIES):
        for one in of_seed(seed):
            counts[one.way][one.word] += 1
            why[one.difference] += bool(one.difference)
            n_tries += 1
            if one.word not in WORDS[:2]:
                print(told(one), flush=True)
        seed += 1
    print(f"\n| way | {' | '.join(WORDS)} |\n|---|{'---:|' * len(WORDS)}")
    total = sum(counts.values(), Counter())
    for name, found in [*((name, counts[name]) for name in WAYS), ("all", total)]:
        print(f"| {name} | {' | '.join(f'{found[word]:,}' for word in WORDS)} |")
    seconds = time.perf_counter() - started
    print(f"\n{n_tries:,} tries of {seed - first} data sets in {seconds:.0f} s; documented: {why}")
    return int(any(total[word] for word in WORDS[2:]))


if __name__ == "__main__":
    sys.exit(main())
