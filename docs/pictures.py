"""Make the pictures of the README: ``python docs/pictures.py``.

The matrix is that of a simulated team; the report is that of the essays that come with pdkappa,
photographed by Chromium, which must be installed.
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
WIDTH, HEIGHT = 1000, 793  # pixels of the window that shows the report


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
    return frame


def draw_matrix(path: Path) -> None:
    """Draw who agrees with whom."""
    mpl.use("agg")
    ax = team().kappa.plot.heatmap(weights="quadratic")
    ax.figure.savefig(path, dpi=130, metadata={"Software": None})


def photograph_report(path: Path) -> None:
    """Write a report and photograph the top of the page."""
    essays = pdkappa.datasets.load_essays()
    raters = ["human_1", "human_2", "machine"]
    report = essays.kappa.report(raters, by="essay_set", weights="quadratic")
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
                f"--screenshot={path}",
                page.as_uri(),
            ],
            check=True,
            capture_output=True,
        )


if __name__ == "__main__":
    PICTURES.mkdir(exist_ok=True)
    draw_matrix(PICTURES / "matrix.png")
    photograph_report(PICTURES / "report.png")
