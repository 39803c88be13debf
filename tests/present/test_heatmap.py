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
from pdkappa.present.plot_heatmaps import BLANK, HATCH, draw_heatmap

pytestmark = pytest.mark.filterwarnings("ignore::pdkappa.UndefinedKappaWarning")
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


def test_each_cell_has_its_value_and_its_n():
    n = [[0, 20, 30], [20, 0, 12.5], [30, 12.5, 0]]
    ax = draw_heatmap(*squares([[1, 0.5, -0.25], [0, 1, 0.004], [0, 0, 1]], n))
    assert cells(ax) == {
        **{place: ["0.50", "n=20"] for place in [(0, 1), (1, 0)]},
        **{place: [f"{MINUS}0.25", "n=30"] for place in [(0, 2), (2, 0)]},
        **{place: ["0.00", "n=12.5"] for place in [(1, 2), (2, 1)]},
    }
    assert labels(ax.yaxis) == labels(ax.xaxis) == ["a", "b", "c"]
    assert ax.get_ylim() == (2.5, -0.5)
    assert ax.get_xlim() == (-0.5, 2.5)


def test_the_diagonal_is_blank():
    ax = draw_heatmap(*squares([[1, 0.5], [0, np.nan]]))
    np.testing.assert_allclose(colours(ax)[[0, 1], [0, 1]], [to_rgb(BLANK)] * 2)
    assert hatched(ax) == set()


def test_what_is_undefined_is_hatched_and_white():
    ax = draw_heatmap(*squares([[1, np.nan, 0.2], [0, 1, 0.3], [0, 0, 1]], 7))
    assert hatched(ax) == {(0, 1), (1, 0)}
    assert cells(ax)[0, 1] == ["n=7"]
    np.testing.assert_allclose(colours(ax)[0, 1], 1)
    (note,) = [one for one in ax.texts if one.xy == (1, 0)]
    assert note.xyann == (0, 0)
    assert note.get_bbox_patch().get_facecolor() == (1, 1, 1, 1)


def test_agreement_has_the_same_colours_in_all_pictures():
    first = draw_heatmap(*squares([[1, 0.5, 0.9], [0, 1, 0.1], [0, 0, 1]]))
    second = draw_heatmap(*squares([[1, 0.5, -0.9], [0, 1, -0.1], [0, 0, 1]]))
    np.testing.assert_array_equal(colours(first)[0, 1], colours(second)[0, 1])
    scale = plt.get_cmap("RdBu")
    for ax, value, place in ((first, 0.9, (0, 2)), (second, -0.9, (0, 2)), (second, -0.1, (1, 2))):
        np.testing.assert_allclose(colours(ax)[place], scale((value + 1) / 2)[:3])
    red, _, blue = np.moveaxis(colours(second)[[0, 0], [1, 2]], -1, 0)
    assert blue[0] > red[0]
    assert blue[1] < red[1]


@each(("least", "bottom"), [(0.0, 0), (-0.01, -1)])
def test_the_colour_bar_begins_below_zero_where_agreement_does(least, bottom):
    ax = draw_heatmap(
        *squares([[1, least], [0, 1]]), coefficient="Gwet's coefficient", weights="linear"
    )
    (bar,) = ax.child_axes
    assert bar.get_ylim() == (bottom, 1)
    assert " ".join(bar.get_ylabel().split()) == "Gwet's coefficient, linear weights"


@each(("n_raters", "n_lines"), [(2, 2), (8, 1)])
def test_the_caption_of_the_colour_bar_is_no_longer_than_the_bar(n_raters, n_lines):
    ax = draw_heatmap(*squares(np.full((n_raters,) * 2, 0.5)), weights="quadratic")
    (bar,) = ax.child_axes
    assert len(bar.get_ylabel().splitlines()) == n_lines
    caption, box = bar.yaxis.label.get_window_extent(), bar.get_window_extent()
    assert caption.height <= box.height


def test_text_stands_out_from_its_cell():
    ax = draw_heatmap(*squares([[1, 0.95, 0.02], [0, 1, -0.97], [0, 0, 1]]))
    ink = {one.xy[::-1]: one.get_color() for one in ax.texts}
    assert (ink[0, 1], ink[0, 2], ink[1, 2]) == ("white", "black", "white")


def test_text_has_the_contrast_that_readers_need():
    """At least 4.5 to 1, as WCAG 2 asks of small text."""
    values = np.zeros((10, 10))
    values[np.triu_indices(10, 1)] = np.linspace(-1, 1, 45)
    ax = draw_heatmap(*squares(values))

    def luminance(colour):
        colour = np.asarray(colour, dtype=float)
        linear = np.where(colour <= 0.04045, colour / 12.92, ((colour + 0.055) / 1.055) ** 2.4)
        return linear @ [0.2126, 0.7152, 0.0722]

    assert len(ax.texts) == 2 * 90
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
    assert cells(ax)[0, 1] == ["20"]
    blues = plt.get_cmap("Blues")
    np.testing.assert_allclose(colours(ax)[0, 2], blues(1.0)[:3])
    np.testing.assert_allclose(colours(ax)[1, 2], blues(1 / 3)[:3])


@each("values", [np.zeros((2, 2)), np.full((2, 2), np.nan)])
def test_numbers_that_are_all_zero_or_undefined(values):
    ax = draw_heatmap(*squares(values), stat="se")
    assert ax.child_axes[0].get_ylim() == (0, 1)


def test_z_below_zero():
    ax = draw_heatmap(*squares([[1, -3, 2], [0, 1, 0], [0, 0, 1]]), stat="z")
    assert ax.child_axes[0].get_ylim() == (-3, 2)


# --- how many raters ---------------------------------------------------------------------------


def team(n_raters):
    rng = np.random.default_rng(n_raters)
    values = rng.uniform(-0.99, 0.99, (n_raters, n_raters))
    return squares(values, 1234, [f"rater_{i}" for i in range(n_raters)])


@each(("n_raters", "lines"), [(2, 2), (12, 2), (40, 1), (100, 0)])
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


def test_labels_of_columns_are_upright_where_they_would_touch():
    flat = draw_heatmap(*squares([[1, 0.5], [0, 1]]))
    upright = draw_heatmap(*squares([[1, 0.5], [0, 1]], names=["a" * 30, "b"]))
    assert {label.get_rotation() for label in flat.get_xticklabels()} == {0}
    assert {label.get_rotation() for label in upright.get_xticklabels()} == {90}


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
        assert found[places] == found[places[::-1]] == [text, f"n={row.n_items}"]
    assert labels(ax.yaxis) == labels(ax.xaxis) == names
    assert " ".join(ax.child_axes[0].get_ylabel().split()) == "Scott's pi, quadratic weights"


def test_raters_who_agree_are_side_by_side():
    ax = RATINGS.kappa.plot.heatmap()
    assert set(labels(ax.yaxis)[:3]) == {"ann", "bob", "eve"}
    assert labels(ax.yaxis) == labels(ax.xaxis)
    names = labels(ax.yaxis)
    pairs = RATINGS.kappa.pairwise()
    for (i, j), (text, _) in cells(ax).items():
        assert text == f"{pairs.loc[names[i], names[j]]:z.2f}".replace("-", MINUS)


def test_the_order_is_that_of_the_estimate_whatever_is_shown():
    plain, shown = (RATINGS.kappa.plot.heatmap(stat=stat) for stat in ("estimate", "n_items"))
    assert labels(plain.yaxis) == labels(shown.yaxis)
    names = labels(shown.yaxis)
    assert cells(shown)[names.index("ann"), names.index("eve")] == ["7"]


def test_a_matrix_of_weights_is_called_custom():
    ax = RATINGS.kappa.plot.heatmap(weights=1 - np.eye(3), categories=[1, 2, 3])
    assert "custom weights" in " ".join(ax.child_axes[0].get_ylabel().split())


def test_nothing_is_defined():
    frame = pd.DataFrame({"a": [1, 1], "b": [1, 1], "c": [np.nan, np.nan]})
    ax = frame.kappa.plot.heatmap()
    assert hatched(ax) == {(i, j) for i in range(3) for j in range(3) if i != j}
    assert labels(ax.yaxis) == ["a", "b", "c"]
    empty = frame.iloc[:0].kappa.plot.heatmap()
    assert {text for (text,) in cells(empty).values()} == {"n=0"}


def test_ratings_that_are_no_frame():
    long = RATINGS.rename_axis("item").reset_index().melt("item", var_name="rater").dropna()
    ratings = pdkappa.from_long(long, item="item", rater="rater", rating="value")
    ax = ratings.plot.heatmap(order=False)
    assert sorted(labels(ax.yaxis)) == sorted(RATINGS)
    table = pd.DataFrame([[3, 1], [0, 2]], pd.Index([1, 2], name="A"), pd.Index([1, 2], name="B"))
    ax = pdkappa.from_table(table).plot.heatmap()
    assert cells(ax)[0, 1][1] == "n=6"


def test_labels_of_raters_may_be_tuples_and_numbers():
    frame = RATINGS.iloc[:, :3].set_axis(pd.Index([("x", 1), 2, 3.0], tupleize_cols=False), axis=1)
    ax = frame.kappa.plot.heatmap(order=False)
    assert labels(ax.yaxis) == ["('x', 1)", "2", "3"]


def test_a_stat_that_is_no_number():
    with pytest.raises(pdkappa.OptionError) as caught:
        RATINGS.kappa.plot.heatmap(stat="reason")
    assert str(caught.value) == (
        "stat='reason' is not known. Choose one of: 'n_items', 'estimate', 'se', 'ci_low', "
        "'ci_high', 'z', 'p_value', 'observed_agreement', 'expected_agreement', 'max_estimate'."
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
        for (i, j), (text, _) in cells(one).items():
            pair = (names[i], names[j]) if (names[i], names[j]) in rows else (names[j], names[i])
            assert text == f"{rows[pair]:z.2f}".replace("-", MINUS)
    assert [len(one.child_axes) for one in axes] == [0, 1]
    scale = plt.get_cmap("RdBu")
    place = names.index("off"), names.index("bob")
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


def test_titles_of_neighbours_do_not_touch():
    frame = in_groups(3)
    frame["site"] = frame["site"].map({i: f"{i} " + "x" * 50 + " a long name" for i in range(3)})
    axes = frame.kappa.plot.heatmap(["ann", "bob"], by="site")
    axes[0].figure.draw_without_rendering()
    boxes = [one.title.get_window_extent() for one in axes]
    assert all(left.x1 < right.x0 for left, right in pairwise(boxes))


def test_groups_on_given_axes():
    _, axes = plt.subplots(1, 2, layout="constrained")
    found = in_groups(2).kappa.plot.heatmap(by="site", ax=axes)
    assert list(found) == list(axes)
    with pytest.raises(pdkappa.OptionError) as caught:
        in_groups(3).kappa.plot.heatmap(by="site", ax=axes)
    assert str(caught.value) == (
        "ax must hold an Axes for each of the 3 groups, and holds 2. Make them with "
        "plt.subplots(1, 3, layout='constrained')."
    )


def test_more_groups_than_can_be_seen():
    with pytest.raises(pdkappa.OptionError) as caught:
        in_groups(37).kappa.plot.heatmap(["ann", "bob"], by="site")
    assert str(caught.value) == (
        "plot.heatmap draws a square for each group, 36 at most, and there are 37. Choose some of "
        "them: df[df[...].isin([...])]."
    )
    assert not plt.get_fignums()
