"""The picture of cut-points: every band, quantile and curve where it belongs."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from matplotlib import pyplot as plt
from numpy.testing import assert_allclose, assert_array_equal

from pdkappa.methods.predictions.cutpoints import cutpoints


@pytest.fixture(autouse=True)
def _pyplot():
    """Draw without a screen, and leave no figure behind."""
    plt.switch_backend("agg")
    yield
    plt.close("all")


def of_classes(k=4, **options):
    """Cuts of 300 scores into k classes."""
    rng = np.random.default_rng(1)
    truth = rng.integers(1, k + 1, 300)
    options = {"method": "exact", "weights": "quadratic", **options}
    return cutpoints(truth, truth / 2 + rng.normal(size=300), **options)


def test_bands_reach_from_cut_to_cut():
    found = of_classes()
    upper, _ = found.plot()
    low, high = upper.get_xlim()
    bands = upper.patches
    edges = [low, *found.cuts, high]
    assert_allclose([band.get_x() for band in bands], edges[:-1])
    assert_allclose([band.get_x() + band.get_width() for band in bands], edges[1:])
    assert_allclose([band.get_y() + band.get_height() / 2 for band in bands], range(4))
    assert [label.get_text() for label in upper.get_yticklabels()] == ["1", "2", "3", "4"]


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


def test_curves_have_their_peak_at_the_cut():
    found = of_classes()
    _, lower = found.plot()
    curves, points = lower.lines[::2], lower.lines[1::2]
    assert len(curves) == len(points) == 3
    for curve, point, cut in zip(curves, points, found.cuts, strict=True):
        assert_allclose(point.get_xydata(), [[cut, found.estimate]])
        assert np.nanmax(curve.get_ydata()) <= found.estimate + 1e-12
    assert lower.get_xlabel() == "score"


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
