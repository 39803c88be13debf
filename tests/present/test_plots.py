"""Plots: every value at its place, undefined ones shown as such, labels whole."""

from itertools import pairwise

import numpy as np
import pandas as pd
import pytest
from matplotlib import pyplot as plt
from matplotlib.collections import LineCollection, PatchCollection, PathCollection
from matplotlib.colors import to_rgb
from matplotlib.patches import Polygon
from matplotlib.text import Annotation, Text
from numpy.testing import assert_allclose, assert_array_equal

import pdkappa
from conftest import each
from pdkappa.methods.predictions.cutpoints import cutpoints
from pdkappa.present.plot_drawing import About
from pdkappa.present.plot_estimates import draw_forest
from pdkappa.present.plot_heatmaps import HATCH, draw_confusion, draw_heatmap
from pdkappa.present.plot_ratings import draw_categories, draw_raters

pytestmark = [
    pytest.mark.usefixtures("pyplot"),
    pytest.mark.filterwarnings("ignore::pdkappa.errors.UndefinedKappaWarning"),
]

KAPPA = About("Cohen's kappa", level=0.95)


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


@each(("least", "bottom"), [(0.0, 0), (-0.01, -1)])
def test_the_colour_bar_begins_below_zero_where_agreement_does(least, bottom):
    about = About("Gwet's coefficient", "linear")
    ax = draw_heatmap(*squares([[1, least], [0, 1]]), "estimate", about)
    (bar,) = ax.child_axes
    assert bar.get_ylim() == (bottom, 1)
    assert " ".join(bar.get_ylabel().split()) == "Gwet's coefficient, linear weights"


def test_text_has_the_contrast_that_readers_need():
    """At least 4.5 to 1, as WCAG 2 asks of small text."""
    values = np.zeros((10, 10))
    values[np.triu_indices(10, 1)] = np.linspace(-1, 1, 45)
    ax = draw_heatmap(*squares(values), "estimate", KAPPA)

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


def team(n_raters):
    rng = np.random.default_rng(n_raters)
    values = rng.uniform(-0.99, 0.99, (n_raters, n_raters))
    return squares(values, 1234, [f"rater_{i}" for i in range(n_raters)])


@each(("n_raters", "lines"), [(2, 1), (24, 1), (100, 0)])
def test_text_that_fits_and_no_more(n_raters, lines):
    ax = draw_heatmap(*team(n_raters), "estimate", KAPPA)
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
    draw_heatmap(*team(6), "estimate", KAPPA, ax)
    ax.figure.draw_without_rendering()
    box = ax.get_window_extent()
    for text in ax.texts:
        own = text.get_window_extent()
        assert own.width < box.width / 6
        assert own.height < box.height / 6


def test_rows_that_are_too_low_share_labels():
    ax = draw_heatmap(*team(150), "estimate", KAPPA)
    shown = labels(ax.yaxis)
    step = int(shown[1].removeprefix("rater_"))
    assert step > 1
    assert shown == [f"rater_{i}" for i in range(0, 150, step)]
    assert labels(ax.xaxis) == shown
    boxes = [label.get_window_extent() for label in ax.get_yticklabels()]
    assert all(above.y0 >= below.y1 - 1 for above, below in pairwise(boxes))


RATINGS = pd.DataFrame(
    {
        "ann": [1, 2, 3, 1, 2, 3, 1, 2],
        "off": [3, 1, 1, 2, 3, 1, 2, 3],
        "bob": [1, 2, 3, 1, 2, 3, 2, 2],
        "eve": [1, 2, 3, 1, 2, np.nan, 1, 1],
    }
)


def test_nothing_is_defined():
    frame = pd.DataFrame({"a": [1, 1], "b": [1, 1], "c": [np.nan, np.nan]})
    ax = frame.kappa.plot.heatmap()
    assert hatched(ax) == {(i, j) for i in range(3) for j in range(i)}
    assert labels(ax.yaxis) == ["a", "b", "c"]
    empty = frame.iloc[:0].kappa.plot.heatmap()
    assert {text for (text,) in cells(empty).values()} == {"0"}


def test_a_stat_that_is_no_number(refuses):
    with refuses():
        RATINGS.kappa.plot.heatmap(stat="reason")


def in_groups(n_groups):
    frame = pd.concat([RATINGS] * n_groups, ignore_index=True)
    return frame.assign(site=np.repeat(np.arange(n_groups), len(RATINGS)))


def test_neighbours_share_labels_in_a_new_figure_and_none_is_cut():
    axes = in_groups(5).kappa.plot.heatmap(by="site", stat="n_items", order=False)
    figure = axes[0].figure
    assert len(figure.axes) == 5
    figure.draw_without_rendering()
    seen = [
        (one.yaxis.get_tick_params()["labelleft"], one.xaxis.get_tick_params()["labelbottom"])
        for one in axes
    ]
    assert seen == [(True, False), (False, False), (False, True), (True, True), (False, True)]
    assert [len(one.child_axes) for one in axes] == [0, 0, 1, 0, 0]
    for one in axes:
        box = one.get_tightbbox()
        assert figure.bbox.padded(1).contains(box.x0, box.y0)
        assert figure.bbox.padded(1).contains(box.x1, box.y1)


def test_groups_on_given_axes(refuses):
    _, axes = plt.subplots(1, 2, layout="constrained")
    found = in_groups(2).kappa.plot.heatmap(by="site", ax=axes)
    assert list(found) == list(axes)
    with refuses():
        in_groups(3).kappa.plot.heatmap(by="site", ax=axes)


def test_more_groups_than_can_be_seen(refuses):
    before = plt.get_fignums()
    with refuses():
        in_groups(37).kappa.plot.heatmap(["ann", "bob"], by="site")
    assert plt.get_fignums() == before


TABLE = pd.DataFrame(
    [[30, 5, 0], [4, 20, 0], [0, 3, 0]],
    index=pd.Index(["low", "mid", "high"], name="ann"),
    columns=pd.Index(["low", "mid", "high"], name="bob"),
)


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


def test_what_to_show_is_checked(refuses):
    with refuses():
        ratings().plot.confusion("ann", "bob", show="both")


nan = np.nan


def marks(ax):
    """Return the dots and the diamonds."""
    return [one for one in ax.collections if isinstance(one, PathCollection)]


def texts(ax):
    """Return the text at the right, row by row."""
    written = [one for one in ax.texts if isinstance(one, Annotation)]
    found = {}
    for one in sorted(written, key=lambda one: (one.xy[1], one.xyann[0])):
        found.setdefault(one.xy[1], []).append(one.get_text())
    return list(found.values())


FRAME = pd.DataFrame(
    {
        "prevalence": [0.5, 0.25, 0.25, 0.0],
        "bias": [0.1, -0.1, 0.0, 0.0],
        "estimate": [0.8, -0.2, 0.4, nan],
        "ci_low": [0.7, -0.3, nan, nan],
        "ci_high": [0.85, -0.1, nan, nan],
        "weight": [0.4, 0.1, 0.0, nan],
        "specific_agreement": [0.9, 0.3, 0.6, nan],
        "reason": ["", "", "", "constant_ratings"],
    },
    index=pd.Index(["a", "b", "c", "d"], name="category"),
)


def test_nothing_is_known():
    frame = FRAME.iloc[[3]].assign(bias=nan)
    ax = draw_categories(frame, About())
    assert [len(one.get_offsets()) for one in marks(ax)] == [0, 0]
    assert texts(ax)[1:] == [["undefined: constant ratings"]]
    empty = draw_categories(FRAME.iloc[:0], About())
    assert labels(empty.yaxis) == []
    empty.figure.draw_without_rendering()


MEANS = ["fisher_mean", "fixed", "random"]


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
    return draw_forest(groups, pooled, **({"title": "a with b", "about": KAPPA} | options), ax=ax)


def texts_of_forest(ax):
    """Return the text at the right, from top to bottom, as pairs of both columns."""
    written = [one for one in ax.texts if isinstance(one, Annotation) and one.xy[0] == 1]
    rows = {}
    for one in sorted(written, key=lambda one: (one.xy[1], one.xyann[0])):
        rows.setdefault(one.xy[1], []).append(one.get_text())
    return [tuple(row) for row in rows.values()]


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
    assert [text for _, text in texts_of_forest(ax)[1:]] == ["undefined: constant ratings"] * 4
    assert not found(ax, Polygon)
    assert not len(found(ax, PathCollection)[0].get_offsets())
    assert not cut_texts(ax.figure)


def test_labels_and_names_are_no_mathematics():
    """Of the first label Matplotlib could not draw the formula, of the second it would."""
    wanted = [r"$\frac$", "$x$ or $y$", "a_b^c", r"\$"]
    ax = draw(*frames([0.2] * 4, pd.Index(wanted, name="$z$")), title="$r_1$ with $\\r$")
    ax.figure.canvas.draw()
    assert labels(ax.yaxis)[:4] == wanted
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


@each("case", CASES.values())
def test_no_text_is_cut(case):
    with plt.rc_context({"font.size": 18}):
        ax = draw(*case, title=LONG, about=About("Brennan-Prediger coefficient", level=0.95))
        assert cut_texts(ax.figure) == []
    figure, ax = plt.subplots()
    draw(*case, ax=ax)
    assert cut_texts(figure) == []


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


def test_of_more_groups_some_have_labels_and_all_have_squares():
    ax = draw(*frames(np.linspace(0, 1, 101), pd.Index(range(101), name="school")))
    shown = [int(label) for label in labels(ax.yaxis)[:-4]]
    assert shown == list(range(0, 101, shown[1]))
    assert list(ax.get_yticks()[:-4]) == shown
    assert len(found(ax, PathCollection)[0].get_offsets()) == 101
    assert [text for _, text in texts_of_forest(ax)[1:]] == [
        *["0.50 [0.40, 0.60]", "0.52 [0.42, 0.62]", "0.48 [0.30, 0.66]", "[0.10, 0.90]"]
    ]
    boxes = [label.get_window_extent() for label in ax.get_yticklabels()]
    assert all(box.y0 > after.y1 for box, after in pairwise(boxes))


def bars(ax):
    """Return the bars as rows of y, start and end."""
    lines = next(one for one in ax.collections if isinstance(one, LineCollection))
    return np.array([[line[0, 1], *line[:, 0]] for line in lines.get_segments()])


def dots(ax):
    """Return the places of the dots, as rows of x and y."""
    return next(one for one in ax.collections if isinstance(one, PathCollection)).get_offsets()


def figures(ax):
    """Return the text at the right."""
    return [one.get_text() for one in ax.texts if isinstance(one, Annotation)]


@each("given", [False, True])
def test_many_pairs_have_a_row_for_each_rater(given):
    """25 raters make 300 pairs: each rater has the bars and dots of theirs, sorted, and means."""
    rng = np.random.default_rng(1)
    frame = pd.DataFrame(rng.integers(1, 4, (30, 25)), columns=[f"r{i}" for i in range(25)])
    found = frame.kappa.attainable()
    ax = plt.subplots(figsize=(9, 9))[1] if given else None
    ax = frame.kappa.plot.attainable(ax=ax, order=False)
    assert labels(ax.yaxis) == list(frame.columns)
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


def frame(rows, names="abcdef"):
    """Make a frame of (mean kappa, effect, half width, p)."""
    mean, effect, half, p = np.array(rows, dtype=float).T
    reason = np.where(np.isnan(effect), "no_other_pair", np.where(np.isnan(half), "n_lt_2", ""))
    columns = {
        "estimate": mean,
        "effect": effect,
        "effect_low": effect - half,
        "effect_high": effect + half,
        "p_value": p,
        "reason": reason,
    }
    return pd.DataFrame(columns, index=pd.Index(list(names)[: len(rows)], name="rater"))


def draw_of_team(rows, **options):
    return draw_raters(frame(rows), KAPPA, **options)


def lines(ax):
    """Return the intervals by row."""
    found = {}
    for one in ax.collections:
        if isinstance(one, LineCollection):
            for line in one.get_segments():
                found[float(line[0, 1])] = tuple(line[:, 0])
    return found


def test_columns_of_figures_do_not_touch():
    ax = draw_of_team([(0.1, -0.2, 0.05, 1e-5), (0.4, 0.0006, 0.1, 0.8444)])
    rows = {}
    for one in ax.texts:
        rows.setdefault(one.xy[1], []).append(one.get_window_extent())
    for boxes in rows.values():
        boxes.sort(key=lambda box: box.x0)
        assert len(boxes) == 3
        assert all(left.x1 + 10 < right.x0 for left, right in pairwise(boxes))


def test_more_raters_than_rows_with_text():
    rng = np.random.default_rng(1)
    df = pd.DataFrame(rng.integers(0, 3, (30, 120)), columns=[f"r{i}" for i in range(120)])
    ax = df.kappa.plot.raters()
    assert len(lines(ax)) == 120
    assert texts(ax) == []
    assert 10 < len(labels(ax.yaxis)) < 120


def of_classes(k=4, **options):
    """Cuts of 300 scores into k classes."""
    rng = np.random.default_rng(1)
    truth = rng.integers(1, k + 1, 300)
    options = {"method": "exact", "weights": "quadratic", **options}
    return cutpoints(truth, truth / 2 + rng.normal(size=300), **options)


def test_quantiles_are_those_of_the_scores():
    rng = np.random.default_rng(2)
    truth, score = np.repeat([1, 2], 200), rng.normal(size=400)
    upper, _ = cutpoints(truth, score, method="exact", weights="quadratic").plot()
    medians = upper.lines[0].get_xdata()
    thin, thick = ([path[:, 0] for path in c.get_segments()] for c in upper.collections)
    for place, label in enumerate((1, 2)):
        of_class = score[truth == label]
        quantiles = [0.05, 0.25, 0.5, 0.75, 0.95]
        low, left, middle, right, high = np.quantile(of_class, quantiles, method="inverted_cdf")
        assert medians[place] == middle
        assert_array_equal(thin[place], [low, high])
        assert_array_equal(thick[place], [left, right])


@pytest.mark.parametrize("shared", [False, True])
def test_nothing_is_cut_and_nothing_is_covered(shared):
    labels = ["a long name of a class without an end", "b", "c"]
    found = cutpoints(
        np.repeat(labels, 20),
        np.arange(60.0),
        categories=labels,
        method="exact",
        weights="quadratic",
    )
    given = plt.subplots(1, 2, figsize=(14, 5), layout="constrained")[1]
    upper, lower = found.plot(given if shared else None)
    figure = upper.figure
    figure.draw_without_rendering()
    inside = figure.bbox.padded(1)
    for one in (upper, lower):
        box = one.get_legend().get_window_extent()
        under = [label.get_window_extent() for label in one.get_xticklabels()]
        under = [label for label in under if label.width]
        assert all(box.y1 <= label.y0 for label in under)
        for text in (*one.get_legend().get_texts(), *one.texts, *upper.get_yticklabels()):
            extent = text.get_window_extent()
            assert inside.contains(extent.x0, extent.y0)
            assert inside.contains(extent.x1, extent.y1)


def test_many_classes_have_few_labels_and_labels_are_plain():
    upper, _ = of_classes(61).plot()
    assert len(upper.get_yticks()) <= 20
    labels = ["$a_1$", "b_2$"]
    truth = pd.Series(["$a_1$", "b_2$"] * 5)
    found = cutpoints(
        truth, np.arange(10.0), categories=labels, method="exact", weights="quadratic"
    )
    upper, lower = found.plot()
    upper.figure.draw_without_rendering()
    assert [label.get_text() for label in upper.get_yticklabels()] == labels
    assert not any(label.get_parse_math() for label in upper.get_yticklabels())
    assert len(lower.lines) == 2


@pytest.mark.filterwarnings("ignore::pdkappa.errors.UndefinedKappaWarning")
@pytest.mark.parametrize("truth", [[2, 2], [None, None], [1, None]])
def test_undefined_cuts_are_drawn_as_far_as_there_are_any(truth):
    found = cutpoints(truth, [1.0, 2.0], categories=[1, 2, 3], weights="quadratic")
    upper, lower = found.plot()
    upper.figure.draw_without_rendering()
    assert len(upper.get_yticks()) == 3
    assert lower.get_xlabel() == "score"


def places_of(ax):
    """Return where the points of a plot of figures are, from top to bottom."""
    found = [one.get_offsets() for one in ax.collections if isinstance(one, PathCollection)]
    points = np.concatenate([np.ma.getdata(one) for one in found])
    return points[points[:, 1].argsort(), 0]


ESSAYS = pdkappa.datasets.load_essays()
ONE, PEOPLE = ESSAYS.query("essay_set == 1"), ["human_1", "human_2"]


def standardised():
    """Subtract the scores of a human from those of a machine, both standardised, in each set."""
    z = ESSAYS[["human_1", "machine"]].apply(lambda one: (one - one.mean()) / one.std())
    return (z["machine"] - z["human_1"]).groupby(ESSAYS["essay_set"]).mean()


def adjudicated():
    """Plot the agreement before and after adjudication."""
    found = ONE.kappa.machine.adjudication(PEOPLE, "machine")
    return found.plot(), found.agreement["qwk"]


def replaced():
    """Plot the alternative annotator test."""
    three = ONE.assign(third=ONE["human_1"].where(ONE.index % 3 > 0, ONE["machine"]))
    found = three.kappa.machine.alt_test([*PEOPLE, "third"], "machine")
    return found.plot(), found.humans["machine_nearer"] - found.humans["human_nearer"]


def fair():
    """Plot how far a machine is above or below a human in each group."""
    return ESSAYS.kappa.machine.fairness(
        "human_1", "machine", by="essay_set"
    ).plot(), standardised()


def cut():
    """Plot kappa of each group for items that were left out."""
    some = ESSAYS.query("essay_set < 3")
    found = some.kappa(rng=1).predictions.cutpoints(
        "human_1", "machine", by="essay_set", weights="quadratic"
    )
    ax = found.plot()
    assert {"kappa", "cross-validated"} <= {one.get_text() for one in ax.texts}
    return ax, found.summary["cv_estimate"]


@each("plot", [adjudicated, replaced, fair, cut])
def test_what_a_result_draws_is_what_it_holds(plot):
    ax, expected = plot()
    assert_allclose(places_of(ax), expected, rtol=1e-9)
    plt.close(ax.figure)


def test_a_projection_has_a_curve_for_each_coefficient():
    study = ONE.melt("essay_id", [*PEOPLE, "machine"], "rater", "score").kappa.generalizability(
        item="essay_id", facets=["rater"], rating="score"
    )
    ax = study.plot.projection("rater")
    curves = [one for one in ax.lines if len(one.get_xdata()) > 2]
    wanted = study.project(rater=[*curves[0].get_xdata().astype(int)])
    for curve, name in zip(curves, ["g", "phi"], strict=True):
        assert_allclose(curve.get_ydata(), wanted[name], rtol=1e-9)
