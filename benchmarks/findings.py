"""How often a report names what was planted, and how often something that was not.

python benchmarks/findings.py [draws]
"""

from __future__ import annotations

import sys
import warnings
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1] / "tests"))

from elsewhere.planted import CAUTIONS, FINDINGS, named

DRAWS = 200
CLEAN = ("leaning", "leaning of labels", "rater", "rater in a group", "groups of many")
CLEAN += ("drift", "order of a judge")


def main(draws=DRAWS):
    """Print how many reports name what is planted, then how many name anything in clean data."""
    warnings.simplefilter("ignore")
    for kind, case in (FINDINGS | CAUTIONS).items():
        found = [named(case.report(seed, planted=True)) for seed in range(draws // 4)]
        hits = sum(any(case.name in one for one in each) for each in found)
        print(f"{kind:20} planted: {hits:4} of {len(found)}", flush=True)
    for kind in CLEAN:  # all kinds are looked for in each
        found = [named(FINDINGS[kind].report(seed, planted=False)) for seed in range(draws)]
        told = "; ".join(sorted({one[:60] for each in found for one in each})[:3])
        print(f"{kind:20} clean:   {sum(map(bool, found)):4} of {draws} {told}", flush=True)


if __name__ == "__main__":
    main(*map(int, sys.argv[1:]))
