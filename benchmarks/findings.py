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


def counted(case, draws, *, planted):
    """Count the reports that name what is planted, and those that name anything at all."""
    found = [named(case.report(seed, planted=planted)) for seed in range(draws)]
    is_named = sum(any(case.name in one for one in each) for each in found)
    shown = "; ".join(sorted({one[:60] for each in found for one in each})[:3])
    return is_named, sum(map(bool, found)), shown


def main(draws=DRAWS):
    """Print a row for each kind."""
    warnings.simplefilter("ignore")
    print(f"{'kind':20} {'planted':>8} {'clean':>6}   of {draws}")
    for kind, case in (FINDINGS | CAUTIONS).items():
        hits, _, _ = counted(case, draws, planted=True)
        _, alarms, shown = counted(case, draws, planted=False)
        print(f"{kind:20} {hits:8} {alarms:6}   {shown}", flush=True)


if __name__ == "__main__":
    main(*map(int, sys.argv[1:]))
