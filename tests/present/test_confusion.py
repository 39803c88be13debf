"""The picture of a table of two raters: counts, residuals, colours."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from matplotlib import pyplot as plt
from matplotlib.text import Annotation

import pdkappa
from conftest import each
from pdkappa.present.plot_heatmaps import draw_confusion

TABLE = pd.DataFrame(
    [[30, 5, 0], [4, 20, 0], [0, 3, 0]],
    index=pd.Index(["low", "mid", "high"], name="ann"),
    columns=pd.Index(["low", "mid", "high"], name="bob"),
)


@pytest.fixture(autouse=True)
def _pyplot():
    """Draw without a screen, and leave no figure behind."""
    plt.switch_backend("agg")
    yield
    plt.close("all")


def cells(ax):
    """Return the text of each cell from top to bottom, by (row, column)."""
    found = {}
    written = [one for one in ax.texts if isinstance(one, Annotation)]
    for one in sorted(written, key=lambda one: -one.xyann[1]):
        found.setdefault(one.xy[::-1], []).append(one.get_text())
    return found


def colours(ax):
    return ax.images[0].get_array()[..., :3]


def labels(axis):
    return [label.get_text() for label in axis.get_ticklabels()]


def ratings():
    """Return what TABLE counts, with the methods of a frame."""
    return pdkappa.from_table(TABLE, categories=["low", "mid", "high"])


def test_residuals_beyond_four_have_the_same_colour():
    residuals = pd.DataFrame([[9.0, 4.0], [-9.0, -4.0]])
    ax = draw_confusion(pd.DataFrame(np.ones((2, 2))), residuals)
    found = colours(ax)
    np.testing.assert_array_equal(found[:, 0], found[:, 1])
    (bar,) = ax.child_axes
    assert bar.get_ylim() == (-4, 4)
    scale = plt.get_cmap("RdBu")
    np.testing.assert_allclose(found[:, 0], [scale(1.0)[:3], scale(0.0)[:3]])


def test_sample_weights_and_whole_numbers():
    frame = pd.DataFrame({"ann": [1, 2, np.nan], "bob": [1.0, 2, 2], "w": [0.5, 2, 1]})
    ax = frame.kappa.plot.confusion("ann", "bob", sample_weight="w", show="counts")
    assert {texts[0] for texts in cells(ax).values()} == {"0.5", "2", "0"}
    assert labels(ax.yaxis) == ["1", "2"]


@each("show", ["residuals", "counts"])
def test_no_items_and_no_categories(show):
    frame = pd.DataFrame({"ann": [1.0, np.nan], "bob": [np.nan, 2]})
    ax = frame.kappa.plot.confusion("ann", "bob", show=show)
    assert {texts[0] for texts in cells(ax).values()} == {"0"}
    ax = frame.iloc[:0].kappa.plot.confusion("ann", "bob", show=show)
    assert cells(ax) == {}
    ax.figure.draw_without_rendering()


def test_many_categories_have_no_text():
    rng = np.random.default_rng(1)
    frame = pd.DataFrame(rng.integers(0, 200, (500, 2)), columns=["ann", "bob"])
    ax = frame.kappa.plot.confusion("ann", "bob")
    assert cells(ax) == {}
    assert len(labels(ax.yaxis)) <= 100


def test_what_to_show_is_checked():
    with pytest.raises(pdkappa.errors.OptionError) as caught:
        ratings().plot.confusion("ann", "bob", show="both")
    assert str(caught.value) == ("show='both' is not known. Choose one of: 'counts', 'residuals'.")
