"""The forest plot: every figure where it belongs, every text whole and inside the figure."""

from __future__ import annotations

import sys
from itertools import pairwise

import matplotlib as mpl
import numpy as np
import pandas as pd
import pytest
from matplotlib import pyplot as plt
from matplotlib.collections import PathCollection
from matplotlib.patches import Polygon
from matplotlib.text import Annotation, Text

from conftest import each
from pdkappa.errors import MissingDependencyError
from pdkappa.present.plot_estimates import draw_forest

nan = np.nan
MEANS = ["fisher_mean", "fixed", "random"]


@pytest.fixture(autouse=True)
def _pyplot():
    """Draw without a screen, and leave no figure behind."""
    plt.switch_backend("agg")
    yield
    plt.close("all")


def frames(estimates, index=None, *, half=0.1, se=None):
    """Make the two frames of a result; a group without an estimate has constant ratings."""
    estimate = np.array(estimates, dtype=float)
    groups = pd.DataFrame(
        {
            "n_items": np.arange(len(estimate)) + 30,
            "estimate": estimate,
            "ci_low": estimate - half,
            "ci_high": estimate + half,
            "se_fisher_z": np.full(len(estimate), 0.1) if se is None else se,
            "reason": np.where(np.isnan(estimate), "constant_ratings", ""),
        },
        index=index,
    )
    pooled = pd.DataFrame(
        {
            "estimate": [0.5, 0.52, 0.48],
            "ci_low": [0.4, 0.42, 0.3],
            "ci_high": [0.6, 0.62, 0.66],
            "prediction_low": [nan, nan, 0.1],
            "prediction_high": [nan, nan, 0.9],
            "n_groups": [8, 8, 1],
            "reason": "",
        },
        index=MEANS,
    )
    return groups, pooled


def draw(groups, pooled, ax=None, **options):
    defaults = {"title": "a with b", "coefficient": "Cohen's kappa", "level": 0.95}
    return draw_forest(groups, pooled, ax=ax, **(defaults | options))


def texts(ax):
    """Return the text at the right, from top to bottom, as pairs of both columns."""
    written = [one for one in ax.texts if isinstance(one, Annotation) and one.xy[0] == 1]
    rows = {}
    for one in sorted(written, key=lambda one: (one.xy[1], one.xyann[0])):
        rows.setdefault(one.xy[1], []).append(one.get_text())
    return [tuple(row) for row in rows.values()]


def labels(ax):
    return [label.get_text() for label in ax.get_yticklabels()]


def found(ax, kind):
    return [one for one in ax.get_children() if isinstance(one, kind)]


def cut_texts(figure):
    """Return the texts that stick out of the figure, by half a pixel or more."""
    figure.draw_without_rendering()
    edges, outside = figure.bbox.padded(0.5), []
    for text in figure.findobj(Text):
        if text.get_text() and text.get_visible():
            box = text.get_window_extent()
            if not (edges.contains(box.x0, box.y0) and edges.contains(box.x1, box.y1)):
                outside.append(text.get_text())
    return outside


# --- figures -----------------------------------------------------------------------------------


def test_nothing_is_more_precise_than_a_standard_error_of_zero():
    (squares,) = found(draw(*frames([0.1, 0.2, 0.3], se=[0, 0.1, 0.2])), PathCollection)
    areas = squares.get_sizes()
    assert areas[0] == areas[1] == 4 * areas[2]


def test_diamonds_of_high_rows_stay_low():
    _, ax = plt.subplots(figsize=(8, 12))
    (_, first, _, last, _), *_ = (
        ax.transData.transform(one.get_xy()) for one in found(draw(*frames([0.7]), ax=ax), Polygon)
    )
    assert abs(first[1] - last[1]) * 72 / ax.figure.dpi == pytest.approx(12)


def test_everything_undefined():
    groups, pooled = frames([nan, nan])
    pooled[["estimate", "ci_low", "ci_high", "prediction_low", "prediction_high"]] = nan
    pooled = pooled.assign(n_groups=0, reason="constant_ratings")
    ax = draw(groups, pooled)
    assert [text for _, text in texts(ax)[1:]] == ["undefined: constant ratings"] * 4
    assert not found(ax, Polygon)
    assert not len(found(ax, PathCollection)[0].get_offsets())
    assert not cut_texts(ax.figure)


# --- labels ------------------------------------------------------------------------------------


def test_labels_and_names_are_no_mathematics():
    """Of the first label Matplotlib could not draw the formula, of the second it would."""
    wanted = [r"$\frac$", "$x$ or $y$", "a_b^c", r"\$"]
    ax = draw(*frames([0.2] * 4, pd.Index(wanted, name="$z$")), title="$r_1$ with $\\r$")
    ax.figure.canvas.draw()
    assert labels(ax)[:4] == wanted
    ours = [ax.title, *ax.get_yticklabels(), *ax.texts]
    assert not any(text.get_parse_math() or text.get_usetex() for text in ours)


LONG = "one very long label without an end to it, and the name of a place and of a year"
CASES = {
    "one": frames([0.5], ["only"]),
    "eight": frames(np.linspace(0.2, 0.9, 8), pd.Index(range(1, 9), name="essay_set")),
    "undefined": frames([0.9, nan, -0.9], pd.Index(list("abc"), name="a longer name of a column")),
    "forty": frames(
        np.linspace(-0.8, 0.8, 40),
        pd.MultiIndex.from_product([list("abcd"), range(10)], names=["site", "year"]),
    ),
    "long": frames([0.3, 1.0], [LONG, "x" * 100]),
    "many": frames(np.linspace(-0.8, 0.8, 250), [f"a school with number {i}" for i in range(250)]),
}
every_case = each("case", CASES.values())


@every_case
@each("size", [18])
def test_no_text_is_cut_in_a_new_figure(case, size):
    with plt.rc_context({"font.size": size}):
        ax = draw(*case, title=LONG, coefficient="Brennan-Prediger coefficient")
        assert cut_texts(ax.figure) == []


@every_case
def test_no_text_is_cut_in_a_figure_of_the_default_size(case):
    figure, ax = plt.subplots()
    draw(*case, ax=ax)
    assert cut_texts(figure) == []


@each("layout", [None, "tight", "constrained"])
def test_no_text_is_cut_beside_another_plot(layout):
    figure, (first, second) = plt.subplots(1, 2, figsize=(14, 4), layout=layout)
    for ax in (first, second):
        draw(*CASES["undefined"], ax=ax)
    assert cut_texts(figure) == []
    if layout is None:
        figure.tight_layout()
        assert cut_texts(figure) == []
    left, right = (ax.get_tightbbox() for ax in (first, second))
    assert left.x1 < right.x0


@each("name", ["eight", "forty", "long"])
def test_no_text_runs_into_another(name):
    ax = draw(*CASES[name])
    ax.figure.draw_without_rendering()
    written = [text for text in [*ax.get_yticklabels(), *ax.texts] if text.get_text()]
    boxes = [text.get_window_extent() for text in [*written, ax.title, ax.xaxis.label]]
    for i, box in enumerate(boxes):
        assert not box.count_overlaps([*boxes[:i], ax.get_window_extent()])


def test_axes_that_are_too_small_are_left_alone():
    figure, ax = plt.subplots(figsize=(0.3, 3))
    before = ax.get_position().bounds
    assert draw(*CASES["eight"], ax=ax) is ax
    assert ax.get_position().bounds == before
    figure.draw_without_rendering()


# --- many groups -------------------------------------------------------------------------------


def test_of_more_groups_some_have_labels_and_all_have_squares():
    ax = draw(*frames(np.linspace(0, 1, 101), pd.Index(range(101), name="school")))
    shown = [int(label) for label in labels(ax)[:-4]]
    assert shown == list(range(0, 101, shown[1]))
    assert list(ax.get_yticks()[:-4]) == shown
    assert len(found(ax, PathCollection)[0].get_offsets()) == 101
    assert [text for _, text in texts(ax)[1:]] == [
        *["0.50 [0.40, 0.60]", "0.52 [0.42, 0.62]", "0.48 [0.30, 0.66]", "[0.10, 0.90]"]
    ]
    boxes = [label.get_window_extent() for label in ax.get_yticklabels()]
    assert all(box.y0 > after.y1 for box, after in pairwise(boxes))


# --- manners -----------------------------------------------------------------------------------


def test_neither_frames_nor_settings_change():
    groups, pooled = frames([0.7, nan])
    before, settings = (groups.copy(), pooled.copy()), dict(mpl.rcParams)
    draw(groups, pooled)
    pd.testing.assert_frame_equal(groups, before[0])
    pd.testing.assert_frame_equal(pooled, before[1])
    assert dict(mpl.rcParams) == settings


def test_a_missing_package(monkeypatch):
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    with pytest.raises(MissingDependencyError) as caught:
        draw(*frames([0.2]))
    assert str(caught.value) == (
        "Drawing needs Matplotlib, which is not installed. Run: pip install 'pdkappa[plot]'"
    )
