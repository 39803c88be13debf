"""The picture of a table of two raters: counts, residuals, colours."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from matplotlib import pyplot as plt
from matplotlib.collections import PatchCollection
from matplotlib.text import Annotation

import pdkappa
from conftest import each
from pdkappa.present.plot_heatmaps import draw_confusion

MINUS = "\N{MINUS SIGN}"
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


def hatched(ax):
    (collection,) = [one for one in ax.collections if isinstance(one, PatchCollection)]
    boxes = [path.get_extents() for path in collection.get_paths()]
    return {(round(box.y0 + 0.5), round(box.x0 + 0.5)) for box in boxes}


def labels(axis):
    return [label.get_text() for label in axis.get_ticklabels()]


def ratings():
    """Return what TABLE counts, with the methods of a frame."""
    return pdkappa.from_table(TABLE, categories=["low", "mid", "high"])


def test_counts_and_residuals_stand_in_their_cells():
    ax = ratings().plot.confusion("ann", "bob", show="residuals")
    expected = np.outer(TABLE.sum(axis=1), TABLE.sum(axis=0)) / 62
    for (i, j), texts in cells(ax).items():
        count = TABLE.iloc[i, j]
        if j == 2:
            assert texts == ["0"]
        else:
            residual = (count - expected[i, j]) / np.sqrt(expected[i, j])
            assert texts == [str(count), f"{residual:+.1f}".replace("-", MINUS)]
    assert len(cells(ax)) == 9
    assert hatched(ax) == {(0, 2), (1, 2), (2, 2)}
    assert labels(ax.yaxis) == labels(ax.xaxis) == ["low", "mid", "high"]
    assert (ax.get_ylabel(), ax.get_xlabel()) == ("ann", "bob")
    assert ax.get_ylim() == (2.5, -0.5)


def test_more_than_by_chance_is_blue_and_less_is_red():
    ax = ratings().plot.confusion("ann", "bob", show="residuals")
    red, _, blue = np.moveaxis(colours(ax), -1, 0)
    assert (blue[[0, 1], [0, 1]] > red[[0, 1], [0, 1]]).all()
    assert (blue[[0, 1], [1, 0]] < red[[0, 1], [1, 0]]).all()
    (bar,) = ax.child_axes
    assert " ".join(bar.get_ylabel().split()) == "Pearson residual against chance"


def test_residuals_beyond_four_have_the_same_colour():
    residuals = pd.DataFrame([[9.0, 4.0], [-9.0, -4.0]])
    ax = draw_confusion(pd.DataFrame(np.ones((2, 2))), residuals)
    found = colours(ax)
    np.testing.assert_array_equal(found[:, 0], found[:, 1])
    (bar,) = ax.child_axes
    assert bar.get_ylim() == (-4, 4)
    scale = plt.get_cmap("RdBu")
    np.testing.assert_allclose(found[:, 0], [scale(1.0)[:3], scale(0.0)[:3]])


@each(("residual", "extend"), [(3, "neither"), (5, "max"), (-5, "min"), ([[5, -5]], "both")])
def test_the_colour_bar_says_what_is_beyond_it(residual, extend):
    residuals = pd.DataFrame(np.broadcast_to(residual, (1, 2)).astype(float))
    ax = draw_confusion(pd.DataFrame(np.ones((1, 2))), residuals)
    assert ax.child_axes[0]._colorbar.extend == extend


def test_counts_come_first():
    ax = ratings().plot.confusion("ann", "bob")
    assert {place: text for place, (text,) in cells(ax).items()} == {
        (i, j): str(TABLE.iloc[i, j]) for i in range(3) for j in range(3)
    }
    assert hatched(ax) == set()
    blues = plt.get_cmap("Blues")
    np.testing.assert_allclose(colours(ax)[1, 1], blues(20 / 30)[:3])
    (bar,) = ax.child_axes
    assert bar.get_ylim() == (0, 30)
    assert bar.get_ylabel() == "items"


def test_declared_categories_and_their_order():
    frame = pd.DataFrame({"ann": ["b", "a", "b"], "bob": ["b", "a", "a"]})
    ax = frame.kappa.plot.confusion("bob", "ann", categories=["b", "a", "c"])
    assert labels(ax.yaxis) == ["b", "a", "c"]
    assert cells(ax)[1, 0][0] == "1"
    assert cells(ax)[0, 1][0] == "0"
    assert (ax.get_ylabel(), ax.get_xlabel()) == ("bob", "ann")


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
    with pytest.raises(pdkappa.OptionError) as caught:
        ratings().plot.confusion("ann", "bob", show="both")
    assert str(caught.value) == ("show='both' is not known. Choose one of: 'counts', 'residuals'.")
