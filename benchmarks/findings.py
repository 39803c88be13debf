"""How often a report names what was planted, and how often something in data that are clean.

python benchmarks/findings.py [--write] [kind ...]

Every kind of finding and of caution is looked up in the tables of kinds; one without planted data
is an error. Clean data are those of the same design without what is planted, and all kinds are
looked for in them. With kinds, only these are run; `--write` puts the rows into findings.md.
"""

from __future__ import annotations

import sys
import warnings
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1] / "tests"))

from elsewhere.planted import CASES, named, without_data

PLANTED, CLEAN = 50, 200  # draws
PAGE = Path(__file__).with_suffix(".md")
HEAD = ("| kind | planted: named | clean: anything named |", "|---|---|---|")


def row_of(kind, known):
    """Count the planted draws in which the right one is named, and the clean ones with a name."""
    case = CASES[kind]
    found = [named(case.report(seed, planted=True)) for seed in range(PLANTED)]
    hits = sum(any(case.name in one for one in each) for each in found)
    false = sum(bool(named_in_clean(case, seed, known)) for seed in range(CLEAN))
    return f"| {kind} | {hits} of {PLANTED} | {false} of {CLEAN} |"


def named_in_clean(case, seed, known):
    """Say whom a report of clean data names; kinds that have the same data share the report."""
    data = case.data(seed, planted=False)
    key = data.to_csv(), repr(case.options), case.make
    if key not in known:
        known[key] = named(case.make(data, **case.options))
    return known[key]


def write(rows):
    """Put rows into the table of the page, in the order of the kinds."""
    lines = PAGE.read_text(encoding="utf-8").splitlines()
    first = lines.index(HEAD[1]) + 1
    last = next((n for n in range(first, len(lines)) if not lines[n]), len(lines))
    known = {line.split(" | ")[0].removeprefix("| "): line for line in lines[first:last]} | rows
    lines[first:last] = [known[kind] for kind in CASES if kind in known]
    PAGE.write_text("\n".join([*lines, ""]), encoding="utf-8")


def main(arguments):
    """Run the kinds that are asked for, or all."""
    if "--help" in arguments:
        sys.exit(__doc__)
    warnings.simplefilter("ignore")
    if lost := without_data():
        sys.exit(f"no planted data for: {', '.join(sorted(lost))}")
    kinds = [one for one in arguments if one != "--write"] or [*CASES]
    known = {}
    for kind in kinds:
        row = row_of(kind, known)
        print(row, flush=True)
        if "--write" in arguments:
            write({kind: row})


if __name__ == "__main__":
    main(sys.argv[1:])
