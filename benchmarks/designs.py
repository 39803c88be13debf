"""Simulate what limits of trials, facets and spans hold, and print Markdown.

    python benchmarks/designs.py           # 300 samples a design, six minutes of a core
    python benchmarks/designs.py --quick   # 50
    python benchmarks/designs.py --write   # and put the tables into benchmarks/designs.md

Scores are sums of normal effects, of some designs faint ones beside a large residual; cells are
lost at random, the same in all samples of a design.
Raters of trials are right, or guess; those of spans move both ends of true spans, or miss them.
What limits of trials and of spans should hold is the figure of 20,000 items.
"""

from __future__ import annotations

import os
import warnings
from pathlib import Path

os.environ["OPENBLAS_NUM_THREADS"] = "1"

import numpy as np
import pandas as pd
from readme import asked

import pdkappa
from pdkappa.methods.facets import components
from pdkappa.methods.facets.components import Fit, six_figures

components.N_DRAWS = 2039  # of 8191: four times as fast, and no limit moves by more than 1 %
PAGE = Path(__file__).with_name("designs.md")
CALL = {"rating": "score", "item": "person", "method": "anova"}
LEVEL, MANY, CELLS = 0.95, 20_000, ("person", "task", "rater")
TRUE = {"person": 1.0, "task": 0.3, "rater": 0.2, "person x task": 0.5, "person x rater": 0.3}
TRUE |= {"task x rater": 0.1, "residual": 1.0}
FAINT = {"person": 0.6, "task": 0.05, "rater": 0.02, "person x task": 0.2, "person x rater": 0.1}
FAINT |= {"task x rater": 0.02, "residual": 1.5}
STUDIES = dict.fromkeys(((20, 3, 2), (30, 3, 4), (100, 5, 3), (40, 1, 4)), TRUE)
STUDIES |= dict.fromkeys(((15, 4, 3), (12, 5, 2), (60, 2, 3)), FAINT)
LOST = dict.fromkeys(STUDIES, (0.0, 0.2, 0.4))
STUDIES[40, 4, 4], LOST[40, 4, 4] = TRUE, (0.7,)  # fewer cells than levels of interactions
HARD, FOUND = 0.3, 0.8
LIMITS = ["ci_low", "ci_high"]


def inside(limits, truth):
    """Whether each truth is within its limits; where both are 0 it is."""
    low, high = limits
    return (low <= truth * (1 + 1e-9)) & (truth <= high * (1 + 1e-9))


def of_facets(n_samples, _):
    """Yield the coverage of components, coefficients, and of the gauge and the total variance."""
    for size, variances in STUDIES.items():
        rng = np.random.default_rng(1)  # each as alone
        for holes in LOST[size]:
            index = [x.ravel() for x in np.indices(size)]
            frame = pd.DataFrame(dict(zip(CELLS, index, strict=True))).assign(score=0.0)
            frame = frame[np.random.default_rng(1).random(len(frame)) >= holes]
            facets = ["rater"] if size[1] == 1 else ["task", "rater"]
            frame["score"] = rng.random(len(frame))
            design = frame.kappa.generalizability(**CALL, facets=facets).fits[0].design
            truth = np.array([variances[name] for name in design.names])
            of_means = six_figures(design, truth, design.shares)
            of_sums = np.array([truth.sum() - truth[design.item_place], truth.sum()])
            for method in ("anova", "reml"):
                hits = []
                for _ in range(n_samples):
                    scores = sum(
                        np.sqrt(one) * rng.normal(size=int(n))[effect.level]
                        for one, n, effect in zip(
                            truth, design.n_levels, design.effects, strict=True
                        )
                    )
                    fit = Fit(design, scores - scores.mean(), method, LEVEL)
                    components = inside(fit.limits(lambda x: x), truth)
                    found = inside(fit.coefficients()[LIMITS].to_numpy().T, of_means)
                    sums = inside(fit.gauge()[LIMITS].to_numpy()[[0, -1]].T, of_sums)
                    hits.append([*components, *found[:4], *sums])
                hits = np.mean(hits, axis=0)
                name = " x ".join(str(n) for n in size if n > 1)
                name += ", faint" if variances is FAINT else ""
                own = hits[: len(truth)]
                yield [name, f"{holes:.0%}", method, f"{own.min():.3f}", f"{own.max():.3f}"] + [
                    f"{one:.3f}" for one in hits[len(truth) :]
                ]


def trials(n, rng):
    """Return ratings of n parts by 2 people in 3 trials, with the standard."""
    truth = rng.choice(["good", "bad"], n, p=[0.6, 0.4])
    part, who, trial = (x.ravel() for x in np.indices((n, 2, 3)))
    hard = rng.random(n) < HARD  # parts on which people guess
    guess = rng.choice(["good", "bad"], len(part))
    right = rng.random(len(part)) < np.where(hard[part], 0.4, 0.95)
    frame = {"part": part, "who": who, "trial": trial, "grade": np.where(right, truth[part], guess)}
    return pd.DataFrame(frame).assign(standard=truth[part])


def of_trials(n_samples, rng):
    """Yield the coverage of the figures of trials."""
    call = {"item": "part", "rater": "who", "trial": "trial", "rating": "grade"}
    call |= {"truth": "standard", "conforming": "good"}
    truth = trials(MANY, rng).kappa.trials(**call)["estimate"]
    for n in (20, 50, 150):
        hits = []
        for _ in range(n_samples):
            found = trials(n, rng).kappa.trials(**call)
            hits.append(inside((found["ci_low"], found["ci_high"]), truth))
        hits = pd.concat(hits, axis=1).mean(axis=1)
        for comparison, of_all in hits.groupby(level="comparison"):
            figures = of_all.groupby(level="figure").mean()
            yield [str(n), comparison, ", ".join(f"{k} {v:.3f}" for k, v in figures.items())]


def spans(n, n_raters, rng):
    """Return spans that raters find in n texts of 200 places."""
    rows = []
    for item in range(n):
        n_true = rng.integers(0, 5)
        true = np.sort(rng.choice(200, 2 * n_true, replace=False)).reshape(n_true, 2)
        for rater in range(n_raters):
            moved = true + rng.choice([-2, -1, 0, 0, 0, 0, 1, 2], size=true.shape)
            moved = moved.clip(0, 200)
            keep = (rng.random(n_true) < FOUND) & (moved[:, 1] > moved[:, 0])
            rows.append((item, rater, np.nan, np.nan))
            last = 0
            for start, end in moved[keep]:
                if start >= last:
                    rows.append((item, rater, start, end))
                    last = end
    frame = pd.DataFrame(rows, columns=["text", "who", "start", "end"])
    names = {"item": "text", "rater": "who", "start": "start", "end": "end"}
    return pdkappa.from_spans(frame, **names, length=200)


def of_spans(n_samples, rng):
    """Yield the coverage of F1 and of alpha over texts."""
    for n_raters in (2, 4):

        def figures(found):
            parts = [found.pairs().iloc[[0]], found.pairs(0.5).iloc[[0]], found.agreement()]
            return pd.concat(parts)[["estimate", "ci_low", "ci_high"]].to_numpy()

        truth = figures(spans(MANY, n_raters, rng))[:, 0]
        for n in (10, 20, 50, 150):
            drawn = np.array([figures(spans(n, n_raters, rng)) for _ in range(n_samples)])
            hits = inside((drawn[..., 1].T, drawn[..., 2].T), truth[:, None]).mean(axis=1)
            yield [str(n), str(n_raters), *(f"{one:.3f}" for one in hits)]


TABLES = {
    "components, coefficients of the mean of an item, and sums of a gauge": (
        of_facets,
        "design | holes | method | parts, from | to | g | phi | SEM, relative | abs. | gauge | all",
    ),
    "trials": (of_trials, "parts | comparison | coverage"),
    "spans": (of_spans, "texts | raters | F1, exact | F1, half | alpha"),
}


def main():
    args = asked(__doc__)
    n_samples, lines = 50 if args.quick else 300, []
    warnings.simplefilter("ignore")
    print(f"Coverage of {LEVEL:.0%} limits in {n_samples} samples of each design.")
    for title, (simulate, head) in TABLES.items():
        names = head.split(" | ")
        lines += [
            "",
            f"## {title[0].upper()}{title[1:]}",
            "",
            f"| {head} |",
            "|---" * len(names) + "|",
        ]
        print(*lines[-5:], sep="\n", flush=True)
        for row in simulate(n_samples, np.random.default_rng(1)):
            lines.append(f"| {' | '.join(row)} |")
            print(lines[-1], flush=True)
    if args.write:
        head = f"Coverage of {LEVEL:.0%} limits in {n_samples} samples of each design.\n"
        PAGE.write_text(head + "\n".join(lines) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
