"""Make the pictures of the README and of the documentation: ``python docs/pictures.py``.

The matrix is that of the simulated team of `load_ratings`; forest and report are those of the
essays that come with pdkappa. The report is photographed by Chromium, which must be installed.
"""

from __future__ import annotations

import shutil
import subprocess
import tempfile
from pathlib import Path

import matplotlib as mpl
import numpy as np
import pandas as pd

import pdkappa

PICTURES = Path(__file__).parent / "pictures"
DATASETS = Path(pdkappa.datasets.__file__).parent
WIDTH, HEIGHT = 1220, 640  # pixels of the window that shows the report
RARE = 0.1  # share of the posts that are toxic
CHANCE = {
    "gwet": "Gwet's AC1",
    "brennan_prediger": "Brennan and Prediger",
    "cohen": "Cohen, Scott, Krippendorff",
}


def team(n_items: int = 120, seed: int = 12) -> pd.DataFrame:
    """Simulate six annotators who score from 1 to 5, each with a care and a habit of their own.

    Dora follows Carl, Eve is strict, and Finn is in a hurry and left out a third of the items.
    """
    rng = np.random.default_rng(seed)
    truth = rng.normal(3, 1.1, n_items)
    spread = {"Ann": 0.45, "Bob": 0.55, "Carl": 0.8, "Dora": 0.8, "Eve": 0.5, "Finn": 1.5}
    score = {name: truth + rng.normal(0, sd, n_items) for name, sd in spread.items()}
    score["Dora"] = score["Carl"] + rng.normal(0, 0.35, n_items)
    score["Eve"] = score["Eve"] - 0.9
    frame = pd.DataFrame(score).round().clip(1, 5)
    frame.loc[rng.random(n_items) < 1 / 3, "Finn"] = np.nan
    return frame.astype("Int64")


def save(figure: mpl.figure.Figure, name: str) -> None:
    """Write a picture without the name of the program, which changes with its version."""
    figure.savefig(PICTURES / f"{name}.png", dpi=130, metadata={"Software": None})


def draw_matrix() -> None:
    """Draw who agrees with whom."""
    save(team().kappa.plot.heatmap(weights="quadratic").figure, "matrix")


def draw_forest() -> None:
    """Draw the essay sets and their means."""
    essays = pdkappa.datasets.load_essays()
    options = {"by": "essay_set", "group_weights": "essay_weight"}
    save(essays.kappa.grouped("human_1", "machine", **options).plot.forest().figure, "forest")


def draw_chance() -> None:
    """Draw the coefficients of two raters who always find nine of ten, over the rare category.

    Each finds .9 of the items of either category by itself, and errs without the other.
    """
    from matplotlib import pyplot as plt

    shares = np.linspace(0.01, 0.5, 50)
    right = np.array([[0.9, 0.1], [0.1, 0.9]])
    tables = [right.T @ np.diag([share, 1 - share]) @ right * 1e6 for share in shares]
    figure, ax = plt.subplots(figsize=(6.2, 3.6), layout="constrained")
    for style, (name, label) in zip(["--", ":", "-"], CHANCE.items(), strict=True):
        found = [pdkappa.from_table(one.round()).pairs(coefficient=name) for one in tables]
        ax.plot(shares, pd.concat(found)["estimate"], style, label=label, color="#0b559f")
    ax.axhline(0.82, color="0.6", linewidth=1)
    ax.annotate("observed agreement", (0.5, 0.83), ha="right", color="0.35")
    ax.set(xlabel="share of the rarer category", ylabel="coefficient", xlim=(0, 0.5), ylim=(0, 1))
    ax.spines[["top", "right"]].set_visible(False)
    ax.legend(frameon=False, loc="lower right")
    save(figure, "chance")


def draw_weights() -> None:
    """Draw how much a disagreement of so many steps counts, from none to the whole of a scale."""
    from matplotlib import pyplot as plt

    steps = np.arange(6)
    found = {"None": (steps > 0).astype(float), "linear": steps / 5, "quadratic": (steps / 5) ** 2}
    figure, axes = plt.subplots(1, 3, figsize=(6.2, 2.3), sharey=True, layout="constrained")
    for ax, (name, counts) in zip(axes, found.items(), strict=True):
        ax.bar(steps, counts, color="#0b559f")
        ax.set(title=name, xticks=steps)
        ax.spines[["top", "right"]].set_visible(False)
    axes[0].set_ylabel("counts as")
    axes[1].set_xlabel("steps between the two ratings, on a scale from 1 to 6")
    save(figure, "weights")


def draw_judge() -> None:
    """Draw how far models agree with three people less than these do with each other."""
    rng = np.random.default_rng(1)
    toxic = rng.random(400) < RARE

    def rated(misses: float, alarms: float = 0.02) -> np.ndarray:
        found = np.where(toxic, rng.random(400) > misses, rng.random(400) < alarms)
        return np.where(found, "toxic", "fine")

    people = ["ann", "bob", "eve"]
    posts = pd.DataFrame({name: rated(0.2) for name in people})
    models = {"large": (0.1, 0.01), "small": (0.3, 0.02), "anxious": (0.1, 0.12)}
    posts = posts.assign(**{name: rated(*errors) for name, errors in models.items()}, lazy="fine")
    found = posts.kappa.machine.audit(people, [*models, "lazy"], margin=0.1)
    save(found.plot().figure, "judge")


def photograph_report() -> None:
    """Write a report and photograph the top of the page."""
    essays = pdkappa.datasets.load_essays()
    raters = ["human_1", "human_2", "machine"]
    options = {"by": "essay_set", "machine": "machine", "weights": "quadratic"}
    report = essays.kappa.report(raters, **options).titled("Essay scores: may the engine score?")
    with tempfile.TemporaryDirectory() as folder:
        page = report.to_html(Path(folder) / "report.html")
        browser = shutil.which("chromium") or "chromium"
        subprocess.run(  # noqa: S603, its arguments stand here
            [
                browser,
                "--headless",
                "--no-sandbox",
                "--disable-gpu",
                "--hide-scrollbars",
                f"--user-data-dir={folder}",
                f"--window-size={WIDTH},{HEIGHT}",
                f"--screenshot={PICTURES / 'report.png'}",
                page.as_uri(),
            ],
            check=True,
            capture_output=True,
        )


if __name__ == "__main__":
    mpl.use("agg")
    PICTURES.mkdir(exist_ok=True)
    team().to_csv(DATASETS / "ratings.csv", index=False)
    draw_matrix()
    draw_forest()
    draw_chance()
    draw_weights()
    draw_judge()
    photograph_report()
