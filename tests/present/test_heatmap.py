"""The heatmap: every value in its cell, undefined ones hatched, labels whole."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pandas as pd
import pytest
from matplotlib import pyplot as plt
from matplotlib.collections import PatchCollection
from matplotlib.colors import to_rgb
from matplotlib.text import Annotation

import pdkappa
from conftest import each
from pdkappa.present.plot_heatmaps import HATCH, draw_heatmap

pytestmark = pytest.mark.filterwarnings("ignore::pdkappa.errors.UndefinedKappaWarning")
MINUS = "\N{MINUS SIGN}"


@pytest.fixture(autouse=True)
def _pyplot():
    """Draw without a screen, and leave no figure behind."""
    plt.switch_backend("agg")
    yield
    plt.close("all")


def squares(values, n=30, names=None):
    """Make the two frames of a picture from the upper triangle of the values."""
    values = np.array(values, dtype=float)
    values = np.where(np.tri(len(values), k=-1), values.T, values)
    names = names or list("abcdefghij")[: len(values)]
    n_items = np.broadcast_to(n, values.shape)
    return pd.DataFrame(values, names, names), pd.DataFrame(n_items, names, names)


def cells(ax):
    """Return the text of each cell from top to bottom, by (row, column)."""
    found = {}
    written = [one for one in ax.texts if isinstance(one, Annotation)]
    for one in sorted(written, key=lambda one: -one.xyann[1]):
        found.setdefault(one.xy[::-1], []).append(one.get_text())
    return found


def colours(ax):
    """Return the colours of the cells, shape (R, R, 3)."""
    return ax.images[0].get_array()[..., :3]


def hatched(ax):
    """Return the (row, column) of the cells that are hatched."""
    (collection,) = [one for one in ax.collections if isinstance(one, PatchCollection)]
    assert collection.get_hatch() == HATCH
    boxes = [path.get_extents() for path in collection.get_paths()]
    return {(round(box.y0 + 0.5), round(box.x0 + 0.5)) for box in boxes}


def labels(axis):
    return [label.get_text() for label in axis.get_ticklabels()]


def test_what_is_undefined_is_hatched_and_white():
    ax = draw_heatmap(*squares([[1, np.nan, 0.2], [0, 1, 0.3], [0, 0, 1]], 7))
    assert hatched(ax) == {(1, 0)}
    assert cells(ax)[0, 1] == ["7"]
    np.testing.assert_allclose(colours(ax)[[0, 1], [1, 0]], 1)
    assert (1, 0) not in cells(ax)


@each(("least", "bottom"), [(0.0, 0), (-0.01, -1)])
def test_the_colour_bar_begins_below_zero_where_agreement_does(least, bottom):
    ax = draw_heatmap(
        *squares([[1, least], [0, 1]]), coefficient="Gwet's coefficient", weights="linear"
    )
    (bar,) = ax.child_axes
    assert bar.get_ylim() == (bottom, 1)
    assert " ".join(bar.get_ylabel().split()) == "Gwet's coefficient, linear weights"


def test_text_has_the_contrast_that_readers_need():
    """At least 4.5 to 1, as WCAG 2 asks of small text."""
    values = np.zeros((10, 10))
    values[np.triu_indices(10, 1)] = np.linspace(-1, 1, 45)
    ax = draw_heatmap(*squares(values))

    def luminance(colour):
        colour = np.asarray(colour, dtype=float)
        linear = np.where(colour <= 0.04045, colour / 12.92, ((colour + 0.055) / 1.055) ** 2.4)
        return linear @ [0.2126, 0.7152, 0.0722]

    assert len(ax.texts) == 90
    for text in ax.texts:
        low, high = sorted(
            luminance(one) for one in (to_rgb(text.get_color()), colours(ax)[text.xy[::-1]])
        )
        assert (high + 0.05) / (low + 0.05) > 4.5


def test_numbers_that_are_no_agreement_go_from_zero_to_the_greatest():
    values, n_items = squares([[99, 20, 30], [0, 99, 10], [0, 0, 99]])
    ax = draw_heatmap(values, n_items, stat="n_items")
    (bar,) = ax.child_axes
    assert bar.get_ylim() == (0, 30)
    assert bar.get_ylabel() == "Items (Cohen's kappa)"
    assert cells(ax)[1, 0] == ["20"]
    blues = plt.get_cmap("Blues")
    np.testing.assert_allclose(colours(ax)[2, 0], blues(1.0)[:3])
    np.testing.assert_allclose(colours(ax)[2, 1], blues(1 / 3)[:3])


# --- how many raters ---------------------------------------------------------------------------


def team(n_raters):
    rng = np.random.default_rng(n_raters)
    values = rng.uniform(-0.99, 0.99, (n_raters, n_raters))
    return squares(values, 1234, [f"rater_{i}" for i in range(n_raters)])


@each(("n_raters", "lines"), [(2, 1), (12, 1), (40, 1), (100, 0)])
def test_text_that_fits_and_no_more(n_raters, lines):
    ax = draw_heatmap(*team(n_raters))
    found = cells(ax)
    assert {len(texts) for texts in found.values()} == ({lines} if lines else set())
    assert len(found) == (n_raters * (n_raters - 1) if lines else 0)
    assert all(text.get_fontsize() >= 6.5 - 1e-9 for text in ax.texts)
    ax.figure.draw_without_rendering()
    cell = ax.get_window_extent().width / n_raters
    assert all(text.get_window_extent().width < cell for text in ax.texts)


@each("size", [(3, 3), (8, 4)])
def test_text_fits_into_the_cells_of_given_axes(size):
    _, ax = plt.subplots(figsize=size, layout="constrained")
    draw_heatmap(*team(6), ax=ax)
    ax.figure.draw_without_rendering()
    box = ax.get_window_extent()
    for text in ax.texts:
        own = text.get_window_extent()
        assert own.width < box.width / 6
        assert own.height < box.height / 6


def test_rows_that_are_too_low_share_labels():
    ax = draw_heatmap(*team(150))
    shown = labels(ax.yaxis)
    step = int(shown[1].removeprefix("rater_"))
    assert step > 1
    assert shown == [f"rater_{i}" for i in range(0, 150, step)]
    assert labels(ax.xaxis) == shown
    boxes = [label.get_window_extent() for label in ax.get_yticklabels()]
    assert all(above.y0 >= below.y1 - 1 for above, below in pairwise(boxes))


# --- df.kappa.plot.heatmap ---------------------------------------------------------------------

RATINGS = pd.DataFrame(
    {
        "ann": [1, 2, 3, 1, 2, 3, 1, 2],
        "off": [3, 1, 1, 2, 3, 1, 2, 3],
        "bob": [1, 2, 3, 1, 2, 3, 2, 2],
        "eve": [1, 2, 3, 1, 2, np.nan, 1, 1],
    }
)


def test_the_figures_are_those_of_pairs():
    ax = RATINGS.kappa.plot.heatmap(order=False, weights="quadratic", coefficient="scott")
    pairs = RATINGS.kappa.pairs(weights="quadratic", coefficient="scott")
    names = list(RATINGS.columns)
    found = cells(ax)
    assert len(found) == 2 * len(pairs)
    for row in pairs.itertuples():
        places = names.index(row.rater_a), names.index(row.rater_b)
        text = f"{row.estimate:z.2f}".replace("-", MINUS)
        assert (found[places[::-1]], found[places]) == ([text], [f"{row.n_items}"])
    assert labels(ax.yaxis) == labels(ax.xaxis) == names
    assert " ".join(ax.child_axes[0].get_ylabel().split()) == "Scott's pi, quadratic weights"


def test_nothing_is_defined():
    frame = pd.DataFrame({"a": [1, 1], "b": [1, 1], "c": [np.nan, np.nan]})
    ax = frame.kappa.plot.heatmap()
    assert hatched(ax) == {(i, j) for i in range(3) for j in range(i)}
    assert labels(ax.yaxis) == ["a", "b", "c"]
    empty = frame.iloc[:0].kappa.plot.heatmap()
    assert {text for (text,) in cells(empty).values()} == {"0"}


def test_a_stat_that_is_no_number():
    with pytest.raises(pdkappa.errors.OptionError) as caught:
        RATINGS.kappa.plot.heatmap(stat="reason")
    assert str(caught.value) == (
        "stat='reason' is not known. Choose one of: 'n_items', 'observed_agreement', "
        "'expected_agreement', 'estimate', 'se', 'ci_low', 'ci_high', 'z', 'p_value', "
        "'max_estimate', 'effective_disagreements'."
    )


# --- one for each group ------------------------------------------------------------------------


def in_groups(n_groups):
    frame = pd.concat([RATINGS] * n_groups, ignore_index=True)
    return frame.assign(site=np.repeat(np.arange(n_groups), len(RATINGS)))


def test_each_group_has_its_heatmap_with_the_same_raters_and_colours():
    frame = in_groups(2)
    frame.loc[frame["site"] == 1, "bob"] = frame["off"]
    first, second = axes = frame.kappa.plot.heatmap(by="site")
    assert axes.shape == (2,)
    assert [one.get_title() for one in axes] == ["Site 0", "Site 1"]
    assert labels(first.yaxis) == labels(second.xaxis)
    names = labels(first.yaxis)
    pairs = frame.kappa.pairs(by="site")
    for site, one in enumerate(axes):
        rows = pairs.loc[site].set_index(["rater_a", "rater_b"])["estimate"]
        for (i, j), (text,) in cells(one).items():
            pair = (names[i], names[j]) if (names[i], names[j]) in rows else (names[j], names[i])
            assert i < j or text == f"{rows[pair]:z.2f}".replace("-", MINUS)
    assert [len(one.child_axes) for one in axes] == [0, 1]
    scale = plt.get_cmap("RdBu")
    place = tuple(sorted((names.index("off"), names.index("bob")), reverse=True))
    np.testing.assert_allclose(colours(second)[place], scale(1.0)[:3])
    same = frame.groupby("site").kappa.plot.heatmap(["ann", "off", "bob", "eve"])
    assert [cells(one) for one in same] == [cells(one) for one in axes]


def test_neighbours_share_labels_in_a_new_figure_and_none_is_cut():
    axes = in_groups(5).kappa.plot.heatmap(by="site", stat="n_items", order=False)
    figure = axes[0].figure
    assert len(figure.axes) == 5
    figure.draw_without_rendering()
    seen = [
        (
            one.yaxis.get_tick_params()["labelleft"],
            one.xaxis.get_tick_params()["labelbottom"],
        )
        for one in axes
    ]
    assert seen == [(True, False), (False, False), (False, True), (True, True), (False, True)]
    assert [len(one.child_axes) for one in axes] == [0, 0, 1, 0, 0]
    for one in axes:
        box = one.get_tightbbox()
        assert figure.bbox.padded(1).contains(box.x0, box.y0)
        assert figure.bbox.padded(1).contains(box.x1, box.y1)


def test_groups_on_given_axes():
    _, axes = plt.subplots(1, 2, layout="constrained")
    found = in_groups(2).kappa.plot.heatmap(by="site", ax=axes)
    assert list(found) == list(axes)
    with pytest.raises(pdkappa.errors.OptionError) as caught:
        in_groups(3).kappa.plot.heatmap(by="site", ax=axes)
    assert str(caught.value) == (
        "ax must hold an Axes for each of the 3 groups, and holds 2. Make them with "
        "plt.subplots(1, 3, layout='constrained')."
    )


def test_more_groups_than_can_be_seen():
    with pytest.raises(pdkappa.errors.OptionError) as caught:
        in_groups(37).kappa.plot.heatmap(["ann", "bob"], by="site")
    assert str(caught.value) == (
        "plot.heatmap draws a square for each group, 36 at most, and there are 37. Choose some of "
        "them: df[df[...].isin([...])]."
    )
    assert not plt.get_fignums()
