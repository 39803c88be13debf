"""The picture of what raters reached of what they could reach: bars, dots, text."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from matplotlib import pyplot as plt
from matplotlib.collections import LineCollection, PathCollection
from matplotlib.text import Annotation
from numpy.testing import assert_allclose

from conftest import each

pytestmark = pytest.mark.filterwarnings("ignore::pdkappa.errors.UndefinedKappaWarning")

RATINGS = pd.DataFrame(
    {
        "site": ["x"] * 6 + ["y"] * 6,
        "ann": [1, 2, 3, 1, 2, 3, 1, 2, 3, 4, 2, 1],
        "bob": [1, 2, 3, 2, 2, 4, 1, 3, 3, 4, 2, 2],
        "$a_b$": [1, 1, 3, 1, 2, 3, 2, 2, 4, 4, 2, 1],
    }
)


@pytest.fixture(autouse=True)
def _pyplot():
    """Draw without a screen, and leave no figure behind."""
    plt.switch_backend("agg")
    yield
    plt.close("all")


def bars(ax):
    """Return the bars as rows of y, start and end."""
    lines = next(one for one in ax.collections if isinstance(one, LineCollection))
    return np.array([[line[0, 1], *line[:, 0]] for line in lines.get_segments()])


def dots(ax):
    """Return the places of the dots, as rows of x and y."""
    return next(one for one in ax.collections if isinstance(one, PathCollection)).get_offsets()


def labels(ax):
    """Return the labels of the rows."""
    return [label.get_text() for label in ax.get_yticklabels()]


def figures(ax):
    """Return the text at the right."""
    return [one.get_text() for one in ax.texts if isinstance(one, Annotation)]


@pytest.mark.parametrize("text", ["bob", "a very long name " * 6, "$x_1^2$ & <b>"])
@pytest.mark.parametrize("given", [False, True])
def test_nothing_is_cut(text, given):
    frame = RATINGS.drop(columns=["site", "$a_b$"]).rename(columns={"bob": text})
    ax = plt.subplots(figsize=(12, 4))[1] if given else None
    ax = frame.kappa.plot.attainable(ax=ax)
    figure = ax.figure
    figure.canvas.draw()
    inside = figure.bbox
    texts = [*ax.texts, *ax.get_yticklabels(), ax.xaxis.label]
    for box in (one.get_window_extent() for one in texts):
        assert box.x0 >= inside.x0 - 1
        assert box.x1 <= inside.x1 + 1
        assert box.y0 >= inside.y0 - 1
        assert box.y1 <= inside.y1 + 1


@each("given", [False, True])
def test_many_pairs_have_a_row_for_each_rater(given):
    """25 raters make 300 pairs: each rater has the bars and dots of theirs, sorted, and means."""
    rng = np.random.default_rng(1)
    frame = pd.DataFrame(rng.integers(1, 4, (30, 25)), columns=[f"r{i}" for i in range(25)])
    found = frame.kappa.attainable()
    ax = plt.subplots(figsize=(9, 9))[1] if given else None
    ax = frame.kappa.plot.attainable(ax=ax, order=False)
    assert labels(ax) == list(frame.columns)
    assert len(bars(ax)) == len(dots(ax)) == 600
    own = found[(found["rater_a"] == "r3") | (found["rater_b"] == "r3")]
    middle = ax.get_yticks()[3]
    assert_allclose(dots(ax)[72:96, 0], np.sort(own["estimate"]))
    assert_allclose(dots(ax)[72:96, 1].mean(), middle)
    assert figures(ax)[0] == "mean estimate of maximum"
    minus = "\N{MINUS SIGN}"
    mean = f"{own['estimate'].mean():.2f} of {own['max_estimate'].mean():.2f}"
    assert figures(ax)[4] == mean.replace("-", minus)
    assert ax.get_xlabel().splitlines()[0].endswith("range, a bar for each other rater")
