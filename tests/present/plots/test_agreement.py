"""Bangdiwala's agreement chart: areas, shades, labels and B."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from matplotlib import pyplot as plt
from matplotlib.collections import LineCollection
from matplotlib.patches import Rectangle
from numpy.testing import assert_allclose

import pdkappa
from conftest import each
from pdkappa.methods.plots.core.crosstable import bangdiwala
from pdkappa.present.plots.agreement import draw_agreement_chart

pytestmark = pytest.mark.filterwarnings("ignore::pdkappa.UndefinedKappaWarning")
NAMES = ["never", "fairly", "very", "always"]
TABLE = np.array([[7, 7, 2, 3], [2, 8, 3, 7], [1, 5, 4, 9], [2, 8, 9, 14]], dtype=float)
STEPS = np.abs(np.subtract.outer(range(4), range(4)))


@pytest.fixture(autouse=True)
def _pyplot():
    """Draw without a screen, and leave no figure behind."""
    plt.switch_backend("agg")
    yield
    plt.close("all")


def frame(table=TABLE, names=None):
    names = names or NAMES[: len(table)]
    return pd.DataFrame(table, pd.Index(names, name="husband"), pd.Index(names, name="wife"))


def rectangles(ax, *, filled):
    """Return the boxes of the shaded parts, or of the frames, in the order of drawing."""
    found = [one for one in ax.patches if isinstance(one, Rectangle)]
    return [one for one in found if one.get_fill() == filled]


def areas(ax, shade):
    """Return the areas of all parts of a shade, from left to right."""
    parts = [
        one for one in rectangles(ax, filled=True) if round(one.get_facecolor()[0], 3) == shade
    ]
    return [one.get_width() * one.get_height() for one in parts]


def labels(axis):
    return [label.get_text() for label in axis.get_ticklabels()]


def test_frames_have_the_areas_of_the_margins():
    ax = draw_agreement_chart(frame(), np.eye(4))
    frames = rectangles(ax, filled=False)
    assert [one.get_width() for one in frames] == list(TABLE.sum(axis=0))
    assert [one.get_height() for one in frames] == list(TABLE.sum(axis=1))
    corner = (0.0, 0.0)
    for one in frames:
        assert one.get_xy() == corner
        corner = corner[0] + one.get_width(), corner[1] + one.get_height()
    assert corner == (91, 91)
    assert ax.get_xlim() == ax.get_ylim() == (0, 91)


def test_black_squares_have_the_areas_of_the_agreements():
    ax = draw_agreement_chart(frame(), np.eye(4))
    black = rectangles(ax, filled=True)
    assert [one.get_width() for one in black] == list(TABLE.diagonal())
    assert [one.get_height() for one in black] == list(TABLE.diagonal())
    assert {one.get_facecolor() for one in black} == {(0, 0, 0, 1)}
    filled = sum(areas(ax, 0.0))
    whole = sum(one.get_width() * one.get_height() for one in rectangles(ax, filled=False))
    assert filled / whole == pytest.approx(0.1464624, abs=5e-8)  # agreementplot of vcd


def test_black_squares_lie_after_what_the_others_gave():
    """The square of 'fairly' comes after the items that only one rater called 'never'."""
    ax = draw_agreement_chart(frame(), np.eye(4))
    assert rectangles(ax, filled=True)[1].get_xy() == (12 + 7, 19 + 2)


def test_partial_agreement_surrounds_the_squares():
    ax = draw_agreement_chart(frame(), 1 - (STEPS / 3) ** 2)
    near = [(14, 9), (20, 13), (16, 18), (23, 23)]
    assert areas(ax, round(np.sqrt(1 - (8 / 9) ** 2), 3)) == [a * b for a, b in near]
    assert areas(ax, 0.0) == list(TABLE.diagonal() ** 2)
    last = {}
    for place, one in enumerate(ax.patches):
        last.setdefault(one.get_facecolor()[0], place)
    drawn = [one.get_facecolor()[0] for one in rectangles(ax, filled=True)]
    assert drawn[:3] == sorted(drawn[:3], reverse=True)  # the darkest on top


def test_the_shaded_areas_make_b():
    agreement = 1 - STEPS / 3
    ax = draw_agreement_chart(frame(), agreement)
    total, before = 0.0, np.zeros(4)
    for weight in (1, 2 / 3, 1 / 3):
        now = np.array(areas(ax, round(np.sqrt(1 - weight**2), 3)))
        total += weight * (now - before).sum()
        before = now
    whole = TABLE.sum(axis=0) @ TABLE.sum(axis=1)
    assert total / whole == pytest.approx(bangdiwala(TABLE, agreement), rel=1e-12)


def test_near_categories_need_not_stand_side_by_side():
    """On a circle the first and the last category are neighbours: four parts, with gaps."""
    agreement = 1 - np.minimum(STEPS, 4 - STEPS) / 2
    ax = draw_agreement_chart(frame(), agreement)
    grey = areas(ax, round(np.sqrt(1 - 0.5**2), 3))
    near = [(7 + 7 + 3) * (7 + 2 + 2), 13 * 20, 18 * 16, (14 + 9 + 2) * (14 + 9 + 3)]
    assert len(grey) == 4 + 1 + 1 + 4
    assert_allclose([sum(grey[:4]), grey[4], grey[5], sum(grey[6:])], near)


def test_the_diagonal_is_that_of_equal_margins():
    ax = draw_agreement_chart(frame(), np.eye(4))
    (line,) = ax.lines
    assert list(line.get_xdata()) == list(line.get_ydata()) == [0, 91]


def test_labels_are_in_the_middle_of_their_sides():
    ax = draw_agreement_chart(frame(), np.eye(4), title="a $chart$ of two")
    assert labels(ax.yaxis) == labels(ax.xaxis) == NAMES
    assert list(ax.get_yticks()) == [9.5, 29, 48.5, 74.5]
    assert list(ax.get_xticks()) == [6, 26, 49, 74.5]
    assert (ax.get_ylabel(), ax.get_xlabel()) == ("husband", "wife")
    assert ax.get_title() == "a $chart$ of two"


def leads(ax):
    """Return the lines from sides to labels that were moved: of rows, then of columns."""
    return [one.get_segments() for one in ax.collections if isinstance(one, LineCollection)]


def test_no_label_is_lost():
    """However rare its category: labels move apart, with a line to their place."""
    table = np.diag([100.0, 1, 0, 100])
    ax = draw_agreement_chart(frame(table), np.eye(4))
    assert labels(ax.yaxis) == labels(ax.xaxis) == ["never", "fairly", "always"]
    table = np.diag([100.0, *[1] * 30, 100])
    names = [f"c{i}" for i in range(32)]
    given = plt.subplots(1, 2, figsize=(12, 6), layout="constrained")[1][0]
    for where in (None, given):
        ax = draw_agreement_chart(frame(table, names), np.eye(32), ax=where)
        for axis, ends in ((ax.yaxis, ("y0", "y1")), (ax.xaxis, ("x0", "x1"))):
            assert labels(axis) == names
            boxes = [label.get_window_extent() for label in axis.get_ticklabels()]
            low, high = (np.array([getattr(box, end) for box in boxes]) for end in ends)
            assert (low[1:] > high[:-1] - 1).all()
        sides = [50, *np.arange(100.5, 130), 180]
        rows, columns = leads(ax)
        assert_allclose([line[0] for line in rows], [(0, side) for side in sides])
        assert_allclose([line[0] for line in columns], [(side, 0) for side in sides])
        assert_allclose([line[1][1] for line in rows], ax.get_yticks())
    assert not leads(draw_agreement_chart(frame(), np.eye(4)))


def test_where_labels_cannot_be_read_the_largest_have_them():
    sizes = np.ones(60)
    sizes[[7, 50]] = 30
    _, ax = plt.subplots(figsize=(2, 2))
    names = [f"c{i}" for i in range(60)]
    draw_agreement_chart(frame(np.diag(sizes), names), np.eye(60), ax=ax)
    assert {"c7", "c50"} <= set(labels(ax.yaxis))
    assert len(labels(ax.yaxis)) < 60


@each(("names", "rotation"), [(["a long name " * 3, *"bcd"], 0), ([c * 30 for c in "abcd"], 90)])
def test_long_labels_of_columns_are_upright(names, rotation):
    ax = draw_agreement_chart(frame(TABLE, names), np.eye(4))
    assert {label.get_rotation() for label in ax.get_xticklabels()} == {rotation}
    assert len(labels(ax.xaxis)) == 4


# --- df.kappa.plot.agreement -------------------------------------------------------------------


def ratings():
    return pdkappa.from_table(frame(), categories=NAMES)


def test_the_chart_is_that_of_the_table():
    ax = ratings().plot.agreement("husband", "wife")
    assert ax.get_title() == "Bangdiwala's B = 0.15"
    assert [one.get_width() for one in rectangles(ax, filled=True)] == list(TABLE.diagonal())
    assert [one.get_width() for one in rectangles(ax, filled=False)] == list(TABLE.sum(axis=0))
    assert labels(ax.yaxis) == NAMES
    assert (ax.get_ylabel(), ax.get_xlabel()) == ("husband", "wife")


def test_weights_make_partial_agreement():
    ax = ratings().plot.agreement("husband", "wife", weights="quadratic")
    strength = bangdiwala(TABLE, 1 - (STEPS / 3) ** 2)
    assert ax.get_title() == f"Bangdiwala's B = 0.15 (quadratic weights: {strength:.2f})"
    assert areas(ax, round(np.sqrt(1 - (8 / 9) ** 2), 3))[0] == 14 * 9
    matrix = np.minimum(STEPS, 2) / 2
    ax = ratings().plot.agreement("husband", "wife", weights=matrix)
    strength = bangdiwala(TABLE, 1 - matrix)
    assert ax.get_title() == f"Bangdiwala's B = 0.15 (custom weights: {strength:.2f})"


def test_raters_of_a_frame_in_either_order():
    df = pdkappa.datasets.load_anxiety()
    first = df.kappa.plot.agreement("rater_1", "rater_2")
    second = df.kappa.plot.agreement("rater_2", "rater_1")
    assert first.get_title() == second.get_title()
    assert [one.get_width() for one in rectangles(first, filled=False)] == [
        one.get_height() for one in rectangles(second, filled=False)
    ]


def test_perfect_agreement_and_none():
    same = pd.DataFrame({"a": [1, 1, 1], "b": [1, 1, 1]})
    assert same.kappa.plot.agreement("a", "b").get_title() == "Bangdiwala's B = 1.00"
    apart = pd.DataFrame({"a": [1, 1.0], "b": [np.nan, np.nan]})
    for data in (apart, apart.iloc[:0]):
        ax = data.kappa.plot.agreement("a", "b", weights="linear")
        assert ax.get_title() == "Bangdiwala's B is undefined"
        assert not ax.patches
        ax.figure.draw_without_rendering()
