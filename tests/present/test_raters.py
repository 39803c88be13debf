"""The picture of who differs from the others: effects with their intervals, the worst first."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pandas as pd
import pytest
from matplotlib import pyplot as plt
from matplotlib.collections import LineCollection, PathCollection
from matplotlib.text import Annotation
from numpy.testing import assert_allclose

from pdkappa.present.plot_drawing import BLUE, RED
from pdkappa.present.plot_ratings import draw_raters

pytestmark = pytest.mark.filterwarnings("ignore::pdkappa.errors.UndefinedKappaWarning")


@pytest.fixture(autouse=True)
def _pyplot():
    """Draw without a screen, and leave no figure behind."""
    plt.switch_backend("agg")
    yield
    plt.close("all")


def frame(rows, names="abcdef"):
    """Make a frame of (mean kappa, effect, half width, p)."""
    mean, effect, half, p = np.array(rows, dtype=float).T
    reason = np.where(np.isnan(effect), "no_other_pair", np.where(np.isnan(half), "n_lt_2", ""))
    columns = {
        "estimate": mean,
        "effect": effect,
        "effect_ci_low": effect - half,
        "effect_ci_high": effect + half,
        "p_value": p,
        "reason": reason,
    }
    return pd.DataFrame(columns, index=pd.Index(list(names)[: len(rows)], name="rater"))


def draw(rows, **options):
    return draw_raters(frame(rows), level=0.95, **options)


def dots(ax, colour):
    """Return the places of the marks of a colour, as rows of x and y."""
    marks = [one for one in ax.collections if isinstance(one, PathCollection)]
    found = (
        [
            one
            for one in marks
            if plt.matplotlib.colors.to_hex(one.get_facecolor()[0]).upper() == colour
        ]
        if marks
        else []
    )
    return np.concatenate([one.get_offsets() for one in found]) if found else np.empty((0, 2))


def lines(ax):
    """Return the intervals by row."""
    found = {}
    for one in ax.collections:
        if isinstance(one, LineCollection):
            for line in one.get_segments():
                found[float(line[0, 1])] = tuple(line[:, 0])
    return found


def labels(ax):
    return [label.get_text() for label in ax.get_yticklabels()]


def texts(ax):
    """Return the text at the right, row by row."""
    written = [one for one in ax.texts if isinstance(one, Annotation)]
    found = {}
    for one in sorted(written, key=lambda one: (one.xy[1], one.xyann[0])):
        found.setdefault(one.xy[1], []).append(one.get_text())
    return list(found.values())


def test_columns_of_figures_do_not_touch():
    ax = draw([(0.1, -0.2, 0.05, 1e-5), (0.4, 0.0006, 0.1, 0.8444)])
    rows = {}
    for one in ax.texts:
        rows.setdefault(one.xy[1], []).append(one.get_window_extent())
    for boxes in rows.values():
        boxes.sort(key=lambda box: box.x0)
        assert len(boxes) == 3
        assert all(left.x1 + 10 < right.x0 for left, right in pairwise(boxes))


# --- df.kappa.plot.raters ----------------------------------------------------------------------


def team():
    rng = np.random.default_rng(3)
    truth = rng.integers(1, 5, 120)

    def rater(share):
        return np.where(rng.random(120) < share, truth, rng.integers(1, 5, 120))

    found = pd.DataFrame(
        {
            name: rater(share)
            for name, share in {"ann": 0.9, "off": 0.1, "bob": 0.8, "eve": 0.7}.items()
        }
    )
    return found.assign(site=np.where(np.arange(120) < 60, "y", "x"))


def test_the_worst_is_first():
    df = team().drop(columns="site")
    found = df.kappa.raters(weights="linear", confidence_level=0.99).sort_values("effect")
    ax = df.kappa.plot.raters(weights="linear", confidence_level=0.99)
    assert labels(ax)[0] == "off"
    assert labels(ax) == list(found.index)
    effects = np.concatenate([dots(ax, RED), dots(ax, BLUE)])
    assert_allclose(effects[np.argsort(effects[:, 1]), 0], found["effect"])
    limits = lines(ax)
    assert_allclose([limits[i] for i in range(4)], found[["effect_ci_low", "effect_ci_high"]])
    assert texts(ax)[0][1] == "effect [99 %]"
    assert labels(df.kappa.plot.raters(order=False)) == list(df.columns)


def test_groups_stay_together():
    ax = team().kappa.plot.raters(by="site")
    sites = [label.split(", ")[0] for label in labels(ax)]
    assert sites == ["Site x"] * 4 + ["Site y"] * 4
    assert labels(ax)[0] == "Site x, off"
    assert labels(ax)[4] == "Site y, off"
    same = team().groupby("site").kappa.plot.raters()
    assert labels(same) == labels(ax)
    plain = team().kappa.plot.raters(by="site", order=False)
    assert labels(plain)[:4] == [f"Site x, {name}" for name in ("ann", "off", "bob", "eve")]


def test_more_raters_than_rows_with_text():
    rng = np.random.default_rng(1)
    df = pd.DataFrame(rng.integers(0, 3, (30, 120)), columns=[f"r{i}" for i in range(120)])
    ax = df.kappa.plot.raters()
    assert len(lines(ax)) == 120
    assert texts(ax) == []
    assert 10 < len(labels(ax)) < 120
