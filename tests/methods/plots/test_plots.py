"""The manners of all pictures: axes in and out, labels whole, groups, errors."""

import inspect
import sys
from itertools import pairwise

import matplotlib as mpl
import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp
from matplotlib import pyplot as plt
from matplotlib.axes import Axes
from matplotlib.text import Text
from numpy.testing import assert_allclose
from scipy.cluster.hierarchy import linkage, to_tree
from scipy.stats import chi2_contingency

import pdkappa
from conftest import each
from pdkappa.methods.groups.grouped_results import GroupPlots
from pdkappa.methods.plots import KappaPlots, order_by_likeness, residuals

pytestmark = [
    pytest.mark.usefixtures("pyplot"),
    pytest.mark.filterwarnings("ignore::pdkappa.errors.UndefinedKappaWarning"),
    pytest.mark.filterwarnings("ignore::pdkappa.errors.MissingGlyphWarning"),
]
LONG = "one very long label without an end to it, and the name of a place"


def ratings(names=("ann", "bob", "eve"), categories=(1, 2, 3, 4), n=40):
    """Make ratings of three raters, the last of whom guesses, with a score and groups."""
    rng = np.random.default_rng(1)
    truth = rng.integers(0, len(categories), n)
    codes = [
        np.where(rng.random(n) < p, truth, rng.integers(0, len(categories), n))
        for p in (0.9, 0.7, 0)
    ]
    frame = pd.DataFrame(
        {name: np.array(categories)[code] for name, code in zip(names, codes, strict=True)}
    )
    return frame.assign(
        score=truth + rng.normal(0, 0.5, n), site=np.where(np.arange(n) < 20, "x", "y")
    )


OF_TRIALS = {one: one for one in ("item", "rater", "trial", "rating", "truth")}


def trials_of(df, raters):
    """Let each rater rate again, every fifth item as the one before; the first is the standard."""
    again = df[raters].where(
        df.index.to_series() % 5 > 0, df[raters].shift(fill_value=df.iloc[0, 0])
    )
    parts = [
        pd.DataFrame({"item": df.index, "rater": one, "trial": trial, "rating": rated[one]})
        for trial, rated in enumerate((df[raters], again))
        for one in raters
    ]
    return pd.concat([part.assign(truth=df[raters[0]]) for part in parts], ignore_index=True)


def pictures(df, names=("ann", "bob", "eve"), **options):
    """Draw every picture by its name; each is a function of `ax`."""
    a, b, _ = names
    plot = df.kappa.plot
    three = list(names)
    repeated = trials_of(df, three).kappa
    numbers = df.assign(
        **{name: pd.factorize(df[name])[0] for name in three if name in df}
    ).kappa.plot
    return {
        "heatmap": lambda ax=None: plot.heatmap(three, ax=ax, **options),
        "forest": lambda ax=None: plot.forest(a, b, by="site", weights=None, ax=ax, **options),
        "confusion": lambda ax=None: plot.confusion(a, b, ax=ax, **options),
        "bland_altman": lambda ax=None: numbers.bland_altman(a, b, ax=ax, **options),
        "categories": lambda ax=None: plot.categories(three, ax=ax, **options),
        "raters": lambda ax=None: plot.raters(three, ax=ax, **options),
        "attainable": lambda ax=None: plot.attainable(three, ax=ax, **options),
        "trials": lambda ax=None: repeated.plot.trials(**OF_TRIALS, ax=ax, **options),
    }


PICTURES = pictures(ratings())
every_picture = pytest.mark.parametrize("name", PICTURES)


def cut_texts(figure):
    """Return the texts that stick out of the figure, by half a pixel or more."""
    figure.draw_without_rendering()
    return texts_outside(figure)


def texts_outside(figure):
    """Return them for a figure that was drawn."""
    edges, outside = figure.bbox.padded(0.5), []
    unseen = {id(label) for ax in figure.findobj(Axes) for label in labels_out_of_range(ax)}
    for text in figure.findobj(lambda one: isinstance(one, Text)):
        if text.get_text() and text.get_visible() and id(text) not in unseen:
            box = text.get_window_extent()
            if not (edges.contains(box.x0, box.y0) and edges.contains(box.x1, box.y1)):
                outside.append(text.get_text())
    return outside


def labels_out_of_range(ax):
    """Return the labels of ticks beyond the ends of the axes, which are not drawn."""
    for axis in (ax.xaxis, ax.yaxis):
        low, high = sorted(axis.get_view_interval())
        for tick in axis.get_major_ticks():
            if not low <= tick.get_loc() <= high:
                yield tick.label1


def test_every_picture_is_here():
    methods = {name for name, _ in inspect.getmembers(KappaPlots, inspect.isfunction)}
    assert {name for name in methods if not name.startswith("_")} == {*PICTURES, "cutpoints"}


@every_picture
def test_given_axes_are_used_and_no_figure_is_made(name):
    figure, ax = plt.subplots(figsize=(9, 5), layout="constrained")
    size = tuple(figure.get_size_inches())
    assert PICTURES[name](ax) is ax
    assert plt.get_fignums() == [figure.number]
    assert tuple(figure.get_size_inches()) == size


@every_picture
def test_settings_and_data_stay_as_they_are(name):
    df = ratings()
    before, settings = df.copy(), dict(mpl.rcParams)
    pictures(df)[name]()
    pd.testing.assert_frame_equal(df, before)
    assert dict(mpl.rcParams) == settings


CASES = {
    "plain": {},
    "long": {"names": (LONG, "x" * 60, "c"), "categories": (LONG, "y" * 50, "z", "w")},
    "formula": {
        "names": (r"$\frac$", "$x_1$", r"a_b^c \$"),
        "categories": ("$a", "b$", "<c>", "d_e"),
    },
    "scripts": {"names": ("評価者", "מדרג", "المقيم"), "categories": ("低", "נמוך", "é", "高")},
}


@every_picture
@each("case", ["long", "scripts"])
def test_no_text_is_cut_in_a_new_figure(name, case):
    chosen = CASES[case]
    df = ratings(**chosen)
    with plt.rc_context({"font.size": 16}):
        ax = pictures(df, chosen.get("names", ("ann", "bob", "eve")))[name]()
        ax.figure.canvas.draw()
        assert texts_outside(ax.figure) == []


@every_picture
@each("layout", [None, "constrained"])
def test_no_text_is_cut_beside_another_plot(name, layout):
    figure, axes = plt.subplots(1, 2, figsize=(17, 6), layout=layout)
    for ax in axes:
        PICTURES[name](ax)
    assert cut_texts(figure) == []
    if layout is None:
        figure.tight_layout()
        assert cut_texts(figure) == []
    left, right = (ax.get_tightbbox() for ax in axes)
    assert left.x1 < right.x0


@every_picture
@each(("layout", "case"), [(None, "long"), ("constrained", "formula")])
def test_in_a_small_figure_no_text_is_cut_or_too_small(name, layout, case):
    chosen = CASES[case]
    names = chosen.get("names", ("ann", "bob", "eve"))
    figure, ax = plt.subplots(figsize=(4, 3), layout=layout)
    pictures(ratings(**chosen), names)[name](ax)
    assert cut_texts(figure) == []
    assert min(text.get_fontsize() for text in ax.findobj(Text) if text.get_text()) >= 6.5
    assert ax.get_window_extent().width >= 0.15 * figure.bbox.width
    assert ax.get_window_extent().height >= 0.15 * figure.bbox.height


@each("size", [10, 20])
def test_the_legend_of_cutpoints_is_below_the_label_of_the_axis(size):
    with plt.rc_context({"axes.labelsize": size}):
        _, ax = ratings().kappa.plot.cutpoints("ann", "score", weights="quadratic", method="exact")
        ax.figure.draw_without_rendering()
    (note,) = ax.texts
    legend = ax.get_legend().get_window_extent()
    assert ax.xaxis.label.get_window_extent().y0 >= legend.y1 - 1
    assert legend.y0 >= note.get_window_extent().y1 - 1


@pytest.mark.parametrize("layout", [None, "constrained"])
def test_cutpoints_in_a_small_figure(layout):
    figure, axes = plt.subplots(2, 1, sharex=True, figsize=(4, 3), layout=layout)
    ratings().kappa.plot.cutpoints("ann", "score", weights="quadratic", method="exact", ax=axes)
    assert cut_texts(figure) == []
    upper, lower = (ax.get_window_extent() for ax in axes)
    legend = axes[0].get_legend().get_window_extent()
    assert not legend.count_overlaps([upper.shrunk(1, 0.99), lower.shrunk(1, 0.99)])


@every_picture
def test_data_text_is_no_mathematics(name):
    chosen = CASES["formula"]
    ax = pictures(ratings(**chosen), chosen["names"])[name]()
    numbers_beside = {"bland_altman": [], "trials": ax.get_xticklabels()}
    ticks = numbers_beside.get(name, ax.get_yticklabels())
    ours = [ax.title, ax.xaxis.label, ax.yaxis.label, *ticks, *ax.texts]
    assert not any(text.get_parse_math() for text in ours if text.get_text())


@every_picture
def test_a_missing_package(name, monkeypatch, refuses):
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    with refuses():
        PICTURES[name]()


@each("name", ["confusion", "bland_altman", "cutpoints"])
@each("n_groups", [1, 2])
def test_one_picture_has_no_place_for_groups(name, n_groups):
    df = ratings().iloc[: 20 * n_groups]
    message = (
        f"plot.{name} shows one table, and by= makes one for each group. Draw one group: "
        f"df[df[...] == ...].kappa.plot.{name}(...)."
    )
    arguments, chosen = ["ann", "bob"], {}
    if name == "cutpoints":
        arguments, chosen = ["ann", "score"], {"weights": "quadratic"}
    with pytest.raises(pdkappa.errors.OptionError) as caught:
        getattr(df.groupby("site").kappa.plot, name)(*arguments, **chosen)
    assert str(caught.value) == message
    assert not plt.get_fignums()


def drawn(ax):
    """Return all text and all places of lines, to compare two pictures."""
    texts = [text.get_text() for text in ax.findobj(lambda one: isinstance(one, Text))]
    places = [
        segment.tolist()
        for one in ax.collections
        if hasattr(one, "get_segments")
        for segment in one.get_segments()
    ]
    return texts, places


def test_the_forest_is_that_of_the_result():
    df = ratings()
    expected = drawn(df.kappa.grouped("ann", "bob", by="site", weights="linear").plot.forest())
    assert drawn(df.kappa.plot.forest("ann", "bob", by="site", weights="linear")) == expected
    assert drawn(df.groupby("site").kappa.plot.forest("ann", "bob", weights="linear")) == expected
    assert isinstance(df.kappa.grouped("ann", "bob", by="site").plot, GroupPlots)


def test_the_cut_points_are_those_of_the_result():
    df, exact = ratings(), {"method": "exact", "weights": "quadratic"}
    study = df.kappa(rng=0)
    expected = study.predictions.cutpoints("ann", "score", **exact).plot()
    found = study.plot.cutpoints("ann", "score", **exact)
    assert found.shape == (2,)
    assert [one.get_title() for one in found] == [one.get_title() for one in expected]
    for one, other in zip(found[1].lines, expected[1].lines, strict=True):
        np.testing.assert_array_equal(one.get_xydata(), other.get_xydata())
    _, axes = plt.subplots(2, 1)
    given = df.kappa.plot.cutpoints("ann", "score", weights="quadratic", method="exact", ax=axes)
    assert list(given) == list(axes)


def test_a_heatmap_without_any_pair_is_empty():
    frame = pd.DataFrame({"a": [1, 2, 1], "b": [1, 2, 2], "g": [1, 1, 2]})
    for by in (None, "g"):
        axes = frame.kappa(min_items=100).plot.heatmap(["a", "b"], by=by)
        assert [text.get_text() for text in np.ravel(axes)[0].texts] == []


@each("off", [0, 2, 4])
def test_who_agrees_with_few_is_last(off):
    agreement = np.full((5, 5), 0.8) + np.linspace(0, 0.01, 25).reshape(5, 5)
    agreement = (agreement + agreement.T) / 2
    agreement[off] = agreement[:, off] = -0.2
    assert order_by_likeness(agreement)[-1] == off


def orders(tree):
    """List all orders of the leaves that a tree allows."""
    if tree.is_leaf():
        return [[tree.id]]
    left, right = orders(tree.left), orders(tree.right)
    return [one + other for a, b in ((left, right), (right, left)) for one in a for other in b]


@each("seed", range(25))
def test_the_order_is_the_best_that_average_linkage_allows(seed):
    agreement = np.random.default_rng(seed).uniform(-0.2, 1, (6, 6))
    agreement = (agreement + agreement.T) / 2
    apart = 1 - agreement
    allowed = orders(to_tree(linkage(apart[np.triu_indices(6, 1)], "average")))
    found = list(order_by_likeness(agreement))
    assert found in allowed

    def between_neighbours(order):
        return sum(apart[one, other] for one, other in pairwise(order))

    assert between_neighbours(found) == pytest.approx(min(map(between_neighbours, allowed)))


def test_what_is_undefined_counts_as_the_mean():
    rng = np.random.default_rng(2)
    agreement = rng.uniform(0, 1, (6, 6))
    agreement = (agreement + agreement.T) / 2
    agreement[1, 4] = agreement[4, 1] = np.nan
    known = agreement[np.triu_indices(6, 1)]
    filled = np.where(np.isnan(agreement), np.nanmean(known), agreement)
    np.testing.assert_array_equal(order_by_likeness(agreement), order_by_likeness(filled))


@each("n_raters", [0, 1, 2, 4])
def test_without_a_figure_the_order_is_kept(n_raters):
    nothing = np.full((n_raters, n_raters), np.nan)
    np.testing.assert_array_equal(order_by_likeness(nothing), np.arange(n_raters))


tables = (
    st.integers(1, 5)
    .flatmap(lambda k: hnp.arrays(np.int64, (k, k), elements=st.integers(0, 9)))
    .map(lambda table: table.astype(float))
)


@pytest.mark.parametrize(
    ("n_categories", "end"), [(2, "both"), (3, "max"), (9, "max"), (1, "neither")]
)
def test_the_bar_points_to_what_lies_beyond(n_categories, end):
    """Forty items of each category, on which all agree."""
    ratings = np.arange(40 * n_categories) % n_categories
    plot = pd.DataFrame({"a": ratings, "b": ratings}).kappa.plot
    [bar] = plot.confusion("a", "b", show="residuals").child_axes
    assert bar._colorbar.extend == end


@given(tables)
def test_residuals_add_up_to_the_chi_square_of_scipy(table):
    found = residuals(table)
    rows, columns = table.sum(axis=1) > 0, table.sum(axis=0) > 0
    assert (np.isfinite(found) == np.outer(rows, columns)).all()
    if rows.any():
        used = chi2_contingency(table[np.ix_(rows, columns)], correction=False)
        assert_allclose(np.nansum(found**2), used.statistic, atol=1e-9)
