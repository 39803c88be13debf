"""Measure how time and memory grow with items, raters, categories, groups and annotations.

    python benchmarks/growth.py            # all works, some minutes
    python benchmarks/growth.py --quick    # the two smallest sizes of each
    python benchmarks/growth.py --write    # and put the table into README.md

The exponent is the slope of the logarithm of time against that of size, between the two largest
sizes: 1 is growth in proportion. Times are those of the processor, medians of three runs; extra
memory is the largest allocation of Python and NumPy during the call.
"""

from __future__ import annotations

import math
import statistics
import warnings
from typing import TYPE_CHECKING, Any

from readme import asked, put
from speed import (
    NAMES,
    QUADRATIC,
    crowd,
    duration,
    extra_memory,
    in_groups,
    of_study,
    of_trials,
    of_units,
    ratings,
    real_scores,
    timed,
)

import pdkappa

if TYPE_CHECKING:
    from collections.abc import Callable

RUNS = 3
HEAD = "| work | growing | sizes | times | exponent | extra memory, MiB |"


def pairwise(n_items: int = 100_000, n_raters: int = 10, k: int = 5) -> Callable[[], Any]:
    """Return the work of comparing all raters."""
    frame = ratings(n_items, n_raters, k)
    return lambda: frame.kappa.pairwise(weights=QUADRATIC)


def grouped(n_groups: int) -> Callable[[], Any]:
    """Return the work of comparing two raters of a million items group by group."""
    frame = in_groups(1_000_000, n_groups)
    return lambda: frame.kappa.grouped("r0", "r1", by="group", weights=QUADRATIC).pooled


def of_method(method: str) -> Callable[[int], Callable[[], Any]]:
    """Return what asks something of many raters of 2,000 items."""
    return lambda n: getattr(ratings(2_000, n).kappa, method)


def of_scores(method: str) -> Callable[[int], Callable[[], Any]]:
    """Return what asks something of scores that are all different."""
    return lambda n: getattr(real_scores(n, 4).kappa, method)


def by_groups(method: str) -> Callable[[int], Callable[[], Any]]:
    """Return what asks something of each of many groups."""
    return lambda n: getattr(in_groups(6_000, n, 4).kappa(by="group"), method)


def of_crowd(method: str, n_raters: int) -> Callable[[int], Callable[[], Any]]:
    """Return what reads annotations, and asks something of them."""

    def made(n: int) -> Callable[[], Any]:
        data = crowd(n, n_raters)

        def asked() -> Any:
            return getattr(pdkappa.from_long(data, **NAMES), method)()

        return asked

    return made


WORKS: list[tuple[str, str, list[int], Callable[[int], Callable[[], Any]]]] = [
    ("pairwise QWK of 10 raters", "items", [1_000, 10_000, 100_000, 1_000_000], pairwise),
    ("pairwise QWK of 10,000 items", "raters", [5, 20, 100, 400], lambda n: pairwise(10_000, n)),
    ("pairwise QWK, 100,000 x 10", "categories", [4, 16, 64, 256, 1024], lambda n: pairwise(k=n)),
    ("grouped, 1,000,000 rows", "groups", [1, 100, 10_000, 100_000], grouped),
    ("trials of 5 raters", "items", [1_000, 10_000], lambda n: of_trials(n / 1000).ours),
    ("trials of 1,000 items", "trials", [3, 12, 48], lambda n: of_trials(1, n).ours),
    (
        "components by anova, limits",
        "persons",
        [100, 1_000, 4_000],
        lambda n: of_study(n / 1000, "anova", limits=True).ours,
    ),
    (
        "components by anova, limits, 100 persons",
        "raters",
        [4, 16, 64],
        lambda n: of_study(0.1, "anova", limits=True, n_raters=n).ours,
    ),
    (
        "components by REML",
        "persons",
        [100, 1_000],
        lambda n: of_study(n / 1000, "reml", limits=False).ours,
    ),
    (
        "components by REML, 100 persons",
        "raters",
        [4, 16],
        lambda n: of_study(0.1, "reml", limits=False, n_raters=n).ours,
    ),
    ("alpha for units", "texts", [500, 5_000], lambda n: of_units(n / 500).ours),
    ("alpha for units of 100 texts", "spans", [10, 40, 160], lambda n: of_units(0.2, n).ours),
    ("raters() of 2,000 items", "raters", [10, 40, 160], of_method("raters")),
    ("categories() of 2,000 items", "raters", [10, 40, 160], of_method("categories")),
    ("raters() of 4 raters", "real scores", [1_000, 10_000, 100_000], of_scores("raters")),
    ("report() of 4 raters", "real scores", [1_000, 10_000, 100_000], of_scores("report")),
    ("raters(by=), 6,000 x 4", "groups", [12, 120, 1_200], by_groups("raters")),
    ("categories(by=), 6,000 x 4", "groups", [12, 120, 1_200], by_groups("categories")),
    ("report(by=), 6,000 x 4", "groups", [12, 120, 1_200], by_groups("report")),
    (
        "agreement of 2,000 raters",
        "annotations",
        [10_000, 100_000, 1_000_000],
        of_crowd("agreement", 2_000),
    ),
    (
        "pairs of 2,000 raters",
        "annotations",
        [10_000, 100_000, 1_000_000],
        of_crowd("pairs", 2_000),
    ),
]


def measure(work: Callable[[], Any]) -> tuple[float, float]:
    """Seconds of the processor, and extra memory in MiB."""
    work()
    return statistics.median(timed(work)[0] for _ in range(RUNS)), extra_memory(work)


def main() -> None:
    """Print the table."""
    args = asked(__doc__)
    warnings.simplefilter("ignore")
    lines = [HEAD, "|---|---|---|---|---:|---|"]
    print(*lines, sep="\n", flush=True)
    for name, growing, sizes, make in WORKS:
        taken = sizes[:2] if args.quick else sizes
        times, memory = zip(*(measure(make(size)) for size in taken), strict=True)
        slope = math.log(times[-1] / times[-2]) / math.log(taken[-1] / taken[-2])
        cells = [
            name,
            growing,
            ", ".join(f"{size:,}".replace(",", " ") for size in taken),
            ", ".join(map(duration, times)),
            f"{slope:.2f}",
            ", ".join(f"{one:.3g}" for one in memory),
        ]
        lines.append(f"| {' | '.join(cells)} |")
        print(lines[-1], flush=True)
    if args.write:
        put("growth", lines)


if __name__ == "__main__":
    main()
