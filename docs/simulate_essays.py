"""Simulate the essay scores of `pdkappa.datasets.load_essays`.

No student wrote these essays and nobody scored them. The eight essay sets have the score
ranges of the Automated Student Assessment Prize (2012) and nothing else of it. Run as a
script to rewrite the packaged file, byte for byte::

    python docs/simulate_essays.py
"""

from __future__ import annotations

import math
import random
from pathlib import Path
from statistics import NormalDist
from typing import NamedTuple

SEED = 20120210
HEADER = "essay_id,essay_set,essay_weight,human_1,human_2,machine"
TARGET = Path(__file__).parents[1] / "pdkappa" / "datasets" / "essays.csv"


class EssaySet(NamedTuple):
    """How the essays of one set are scored; `centre`, `spread`, `severity` in score points."""

    n_essays: int
    low: int
    high: int
    weight: float
    centre: float
    spread: float
    human: float
    """Correlation of a human score with the quality of the essay."""
    severity: float
    """How much lower than the first human the second one scores."""
    machine: float
    """Correlation of the machine score with the quality of the essay."""
    squeeze: float
    """Spread of the machine scores as a share of that of the human ones."""


ESSAY_SETS = (
    EssaySet(300, 2, 12, 1.0, 8.4, 1.8, 0.88, 0.0, 0.91, 0.85),
    EssaySet(300, 1, 6, 0.5, 3.4, 1.0, 0.93, 0.1, 0.88, 0.85),
    EssaySet(260, 0, 3, 1.0, 1.8, 0.9, 0.91, 0.0, 0.89, 0.90),
    EssaySet(260, 0, 3, 1.0, 1.4, 1.0, 0.96, 0.0, 0.92, 0.90),
    EssaySet(260, 0, 4, 1.0, 2.4, 1.0, 0.92, 0.1, 0.93, 0.85),
    EssaySet(260, 0, 4, 1.0, 2.7, 1.0, 0.93, 0.2, 0.91, 0.90),
    EssaySet(220, 0, 30, 1.0, 16.0, 5.5, 0.86, 0.6, 0.90, 0.80),
    EssaySet(140, 0, 60, 1.0, 36.5, 7.0, 0.84, 1.2, 0.88, 0.75),
)


def score(standing: float, spread: float, essay_set: EssaySet, shift: float = 0.0) -> int:
    """Turn a standard normal standing into a whole score within the range of the set."""
    points = math.floor(essay_set.centre - shift + spread * standing + 0.5)
    return min(max(points, essay_set.low), essay_set.high)


def simulate() -> str:
    """Return the text of the essay file: a header and one line per essay.

    Only `random.random` is drawn from, whose sequence Python guarantees for a seed.
    """
    uniform = random.Random(SEED).random  # noqa: S311 - a simulation, not a secret
    normal = NormalDist().inv_cdf

    def noisy(quality: float, correlation: float) -> float:
        noise = math.sqrt(1 - correlation**2) * normal(uniform())
        return correlation * quality + noise

    lines = [HEADER]
    for number, essays in enumerate(ESSAY_SETS, start=1):
        for _ in range(essays.n_essays):
            quality = normal(uniform())
            human_1 = score(noisy(quality, essays.human), essays.spread, essays)
            human_2 = score(noisy(quality, essays.human), essays.spread, essays, essays.severity)
            squeezed = essays.squeeze * essays.spread
            machine = score(noisy(quality, essays.machine), squeezed, essays, essays.severity / 2)
            scores = f"{human_1},{human_2},{machine}"
            lines.append(f"{len(lines)},{number},{essays.weight},{scores}")
    return "\n".join(lines) + "\n"


if __name__ == "__main__":
    TARGET.write_text(simulate(), encoding="utf-8", newline="\n")
