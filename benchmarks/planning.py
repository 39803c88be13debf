"""Simulate the power of the planned numbers of items, and the width of limits; print tables.

    python benchmarks/planning.py            # 2,000 studies for each design, 300 of scores
    python benchmarks/planning.py --quick    # 500
    python benchmarks/planning.py --write    # put the tables into simulations.md, too

Each design is planned with power .80, or for a half width, by `sample_size`, once by simulation
and once by the formula of large samples. Studies of that many items are then drawn apart from
the planning, and their tests and limits are those of `pairs` by default (for three raters and
more, of Fleiss' kappa in `agreement`), or of `icc`.
"""

from __future__ import annotations

import functools
import warnings
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import pandas as pd
from readme import asked

import pdkappa

if TYPE_CHECKING:
    from collections.abc import Iterator

PAGE, MARKS = (
    Path(__file__).with_name("simulations.md"),
    ("<!-- planning -->", "<!-- end of it -->"),
)
MIDDLE = (0.1, 0.2, 0.4, 0.2, 0.1)
SKEWED = (0.55, 0.2, 0.12, 0.08, 0.05)
PAIR = 2
POWER, LEVEL = 0.8, 0.05


class Design(NamedTuple):
    """What is expected, and what it is to be told from, or how closely it is to be known."""

    name: str
    kappa: float
    goal: float
    margins: Any
    weights: str | None = None
    n_raters: int = 2


TOLD_FROM = [
    Design("binary, share .3", 0.3, 0, (0.7, 0.3)),
    Design("QWK, skewed", 0.4, 0, SKEWED, "quadratic"),
    Design("binary, even", 0.9, 0.8, (1, 1)),
    Design("binary, even", 0.8, 0.6, (1, 1)),
    Design("binary, even", 0.6, 0.3, (1, 1)),
    Design("binary, share .02", 0.6, 0.2, (0.98, 0.02)),
    Design("binary, share .1", 0.7, 0.4, (0.9, 0.1)),
    Design("binary, shares .3 and .45", 0.5, 0.2, ((0.7, 0.3), (0.55, 0.45))),
    Design("nominal, .5, .3, .2", 0.6, 0.4, (0.5, 0.3, 0.2)),
    Design("nominal, twelve alike", 0.8, 0.6, (1,) * 12),
    Design("nominal, .9, .06, .04", 0.6, 0.3, (0.9, 0.06, 0.04)),
    Design("QWK, .1, .2, .4, .2, .1", 0.65, 0.5, MIDDLE, "quadratic"),
    Design("QWK, skewed", 0.8, 0.6, SKEWED, "quadratic"),
    Design("QWK, twenty alike", 0.9, 0.8, (1,) * 20, "quadratic"),
    Design("binary, share .3, three raters", 0.6, 0.4, (0.7, 0.3), None, 3),
    Design("binary, share .1, six raters", 0.6, 0.4, (0.9, 0.1), None, 6),
    Design("binary, share .3, four raters", 0.2, 0, (0.7, 0.3), None, 4),
]
KNOWN_TO = [
    Design("nominal, three alike", 0.9, 0.15, (1, 1, 1)),
    Design("binary, even", 0.6, 0.1, (1, 1)),
    Design("binary, share .02", 0.6, 0.2, (0.98, 0.02)),
    Design("nominal, twelve alike", 0.8, 0.1, (1,) * 12),
    Design("QWK, skewed", 0.8, 0.1, SKEWED, "quadratic"),
    Design("binary, share .3, three raters", 0.6, 0.1, (0.7, 0.3), None, 3),
]
OF_SCORES: list[tuple[float, dict[str, Any]]] = [
    (0.8, {"null": 0.6}),
    (0.8, {"null": 0.6, "n_raters": 4}),
    (0.3, {"null": 0.0, "n_raters": 3, "form": "ICC(C,1)"}),
    (0.9, {"null": 0.7, "n_raters": 3, "form": "ICC(C,k)"}),
    (0.6, {"null": 0.8, "form": "ICC(1,1)"}),
    (0.8, {"half_width": 0.1}),
    (0.85, {"half_width": 0.1, "n_raters": 4, "form": "ICC(C,1)"}),
    (0.6, {"half_width": 0.2, "n_raters": 3, "form": "ICC(1,k)"}),
]


class Found(NamedTuple):
    """The planned number of items, and what it comes to."""

    n_items: int
    share: float


def limits_of(design: Design, size: pdkappa.results.SampleSize, n_studies: int) -> pd.DataFrame:
    """Draw studies of so many items, and return the rows of their coefficient."""
    rng = np.random.default_rng(20261122)
    if design.n_raters == PAIR:
        kinds = np.indices(size.table.shape).reshape(2, -1)
        shares = size.table.to_numpy().ravel()
    else:  # so many raters agree on a part kappa of the items, and choose by chance elsewhere
        kinds = np.tri(design.n_raters + 1, design.n_raters, -1, dtype=int).T
        shares = votes_of(design)
    drawn = rng.multinomial(size.n_items, shares / shares.sum(), size=n_studies)
    study, kind = np.nonzero(drawn)
    names = [f"rater {number}" for number in range(len(kinds))]
    ratings = pd.DataFrame(kinds[:, kind].T, columns=names).assign(
        study=study, items=drawn[study, kind]
    )
    options: dict[str, Any] = {
        "by": "study",
        "sample_weight": "items",
        "categories": list(range(int(kinds.max()) + 1)),
    }
    if design.n_raters == PAIR:
        return ratings.kappa.pairs(names, weights=design.weights, **options)
    return ratings.kappa.agreement(names, coefficients="fleiss", **options)


def votes_of(design: Design) -> np.ndarray:
    """Probability that 0 to R raters choose the second category, shape (R + 1,)."""
    margins = np.array(design.margins) / sum(design.margins)
    chance = functools.reduce(np.convolve, [margins] * design.n_raters)
    votes = (1 - design.kappa) * chance
    votes[[0, -1]] += design.kappa * margins
    return votes


def planned(design: Design, goal: str, method: str, n_studies: int) -> Found:
    """Plan a design, and see what comes of it."""
    size = pdkappa.sample_size(
        design.kappa,
        **{goal: design.goal},
        margins=design.margins,
        weights=design.weights,
        n_raters=design.n_raters,
        method=method,
        power=POWER if goal == "null" else None,
    )
    found = limits_of(design, size, n_studies)
    if goal == "null":
        told = (found["ci_low"] > design.goal) | (found["ci_high"] < design.goal)
        told = told if design.goal else found["p_value"] < LEVEL
        return Found(size.n_items, told.sum() / n_studies)
    half = (found["ci_high"] - found["ci_low"]) / 2  # NaN where there are no limits
    return Found(size.n_items, half.mean())


def table_of(designs: list[Design], goal: str, asked: str, n_studies: int) -> Iterator[str]:
    """Write one table."""
    what = "power" if goal == "null" else "half width"
    yield f"| design | kappa | {asked} | items | {what} | by formula | {what} |"
    yield "|---|---:|---:|---:|---:|---:|---:|"
    for design in designs:
        of_large = "fisher" if design.n_raters == PAIR else "goodness_of_fit"
        drawn, formula = (
            planned(design, goal, method, n_studies) for method in ("simulation", of_large)
        )
        yield (
            f"| {design.name} | {design.kappa:g} | {design.goal:g} | {drawn.n_items} "
            f"| {drawn.share:.3f} | {formula.n_items} | {formula.share:.3f} |"
        )


def of_scores(icc: float, options: dict[str, Any], ci: str, n_studies: int) -> Found:
    """Plan a study of scores, and see what the default limits of `icc` come to."""
    size = pdkappa.plan.sample_size_icc(icc, ci=ci, **options)
    form, n_raters = options.get("form", "ICC(1,1)"), options.get("n_raters", PAIR)
    single = icc / (n_raters - (n_raters - 1) * icc) if form.endswith("k)") else icc
    rng, shape = np.random.default_rng(20261126), (n_studies, size.n_items)
    items = rng.standard_normal((*shape, 1)) * np.sqrt(single / (1 - single))
    scores = items + rng.standard_normal((*shape, n_raters))
    frame = pd.DataFrame(scores.reshape(-1, n_raters)).add_prefix("r")
    frame["study"] = np.arange(n_studies).repeat(size.n_items)
    names = list(frame.columns[:-1])
    found = frame.kappa.icc(names, by="study").xs(form, level="form")
    if "null" in options:
        null = options["null"]
        return Found(size.n_items, ((found["ci_low"] > null) | (found["ci_high"] < null)).mean())
    return Found(size.n_items, (found["ci_high"] - found["ci_low"]).mean() / 2)


def table_of_scores(n_studies: int) -> Iterator[str]:
    """Write the table of intraclass correlations."""
    yield '| form, raters | ICC | asked | items | found | by ci="f" | found |'
    yield "|---|---:|---:|---:|---:|---:|---:|"
    for icc, options in OF_SCORES:
        drawn, formula = (of_scores(icc, options, ci, n_studies) for ci in ("auto", "f"))
        asked = "from {null:g}" if "null" in options else "to within {half_width:g}"
        name = f"{options.get('form', 'ICC(1,1)')}, {options.get('n_raters', PAIR)}"
        yield (
            f"| {name} | {icc:g} | {asked.format(**options)} | {drawn.n_items} "
            f"| {drawn.share:.3f} | {formula.n_items} | {formula.share:.3f} |"
        )


def main() -> None:
    """Print what comes of planning for power, and for precision."""
    warnings.simplefilter("ignore", pdkappa.KappaWarning)  # studies without limits
    args = asked(__doc__)
    n_studies, n_of_scores = (500, 100) if args.quick else (2000, 300)
    tables = [
        table_of(TOLD_FROM, "null", "told from", n_studies),
        table_of(KNOWN_TO, "half_width", "to within", n_studies),
        table_of_scores(n_of_scores),
    ]
    lines: list[str] = []
    for table in tables:
        for line in [*table, ""]:
            print(line, flush=True)
            lines.append(line)
    if args.write:
        before, rest = PAGE.read_text(encoding="utf-8").split(MARKS[0])
        after = rest.split(MARKS[1])[1]
        text = "\n".join([MARKS[0], "", *lines, MARKS[1]])
        PAGE.write_text(before + text + after, encoding="utf-8")


if __name__ == "__main__":
    main()
