"""Limits of agreement: known figures, laws, edges and the picture. `test_r.py` asks R."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from matplotlib import pyplot as plt
from pandas.testing import assert_frame_equal

import pdkappa
from conftest import each

nan = float("nan")


def simulated(n_items, seed=0):
    """Return the scores of two raters, of whom the second is stricter."""
    rng = np.random.default_rng(seed)
    truth = rng.normal(5, 2, n_items)
    return pd.DataFrame({name: truth + rng.normal(size=n_items) for name in "ab"}).assign(
        b=lambda frame: frame["b"] - 0.5
    )


def test_exact_limits_cover_where_approximate_ones_do_not():
    """Of 4,000 samples of ten items, 95% of the limits of the upper limit hold the true one."""
    frame = simulated(40_000).assign(sample=np.repeat(np.arange(4000), 10))
    found = frame.kappa.scores.bland_altman("a", "b", by="sample").xs("upper_limit", level="figure")
    true = 0.5 + 1.959963984540054 * np.sqrt(2)
    missed = [(found["ci_low"] > true).mean(), (found["ci_high"] < true).mean()]
    assert missed == pytest.approx([0.025, 0.025], abs=0.007)
    plain = found["estimate"] + 2.262 * found["se"]  # of Bland and Altman
    assert (plain < true).mean() > 0.05


def test_order_units_groups_and_repeated_rows():
    frame = simulated(30).assign(set=np.repeat(["x", "y"], 15))
    found = frame.kappa.scores.bland_altman("a", "b", by="set")
    assert found.index.names == ["set", "figure"]
    for name, part in frame.groupby("set"):
        assert_frame_equal(found.loc[name], part.kappa.scores.bland_altman("a", "b"), rtol=1e-9)
    turned = frame.kappa.scores.bland_altman("b", "a", by="set")
    for name in ("bias", "slope"):
        ours, others = (one["estimate"].xs(name, level="figure") for one in (found, turned))
        np.testing.assert_allclose(ours, -others)
    wide = (1000 * frame[["a", "b"]]).kappa.scores.bland_altman("a", "b")["estimate"]
    one = frame[["a", "b"]].kappa.scores.bland_altman("a", "b")["estimate"]
    np.testing.assert_allclose(wide, one * [1000, 1000, 1000, 1000, 1])
    twice = pd.concat([frame, frame]).kappa.scores.bland_altman("a", "b")
    assert_frame_equal(
        frame.assign(w=2).kappa.scores.bland_altman("a", "b", sample_weight="w"), twice, rtol=1e-9
    )


@pytest.mark.filterwarnings("ignore::pdkappa.errors.UndefinedKappaWarning")
@each(
    ("a", "b", "estimates", "reason"),
    [
        ([1, nan], [nan, 2], [nan] * 5, "no_joint_items"),
        ([1], [3], [-2, nan, nan, nan, nan], "n_lt_2"),
        ([1, 2, 4], [2, 3, 5], [-1, 0, -1, -1, 0], "no_variance"),
        ([0.1, 0.2, 0.3], [0.3, 0.4, 0.5], [-0.2, 0, -0.2, -0.2, 0], "no_variance"),
    ],
)
def test_what_is_undefined_has_a_reason(a, b, estimates, reason):
    found = pd.DataFrame({"a": a, "b": b}, dtype=float).kappa.scores.bland_altman("a", "b")
    np.testing.assert_allclose(found["estimate"], estimates, atol=1e-12)
    assert found[["se", "ci_low", "ci_high", "p_value"]].isna().all(axis=None)
    assert set(found["reason"]) == {reason}


def test_two_items_have_no_error_of_the_slope():
    found = pd.DataFrame({"a": [1, 2], "b": [2, 4]}).kappa.scores.bland_altman("a", "b")
    assert found["reason"].tolist() == ["", "", "", "", "few_items"]


def test_the_picture_shows_every_item_once():
    frame = pdkappa.datasets.load_essays().query("essay_set == 1")
    ax = frame.kappa.plot.bland_altman("machine", "human_1", confidence_level=0.9)
    dots = ax.collections[0]
    apart = pd.DataFrame(
        {"d": frame["machine"] - frame["human_1"], "m": frame[["machine", "human_1"]].mean(axis=1)}
    )
    counts = apart.value_counts()
    assert len(dots.get_offsets()) == len(counts)
    largest = dots.get_offsets()[np.argmax(dots.get_sizes())]
    assert tuple(largest[::-1]) == counts.index[0]
    figures = frame.kappa.scores.bland_altman("machine", "human_1", confidence_level=0.9)
    assert [text.get_text() for text in ax.texts] == [
        "lower limit \N{MINUS SIGN}2.31",
        "bias \N{MINUS SIGN}0.04",
        "upper limit 2.23",
    ]
    drawn = [line.get_ydata()[0] for line in ax.get_lines()[1:]]
    np.testing.assert_allclose(
        drawn, figures["estimate"].loc[["lower_limit", "bias", "upper_limit"]]
    )
    assert ax.get_ylabel() == "machine minus human_1"
    plt.close(ax.figure)


def test_a_rater_who_always_says_the_same():
    """The slope of the differences is two, without an error."""
    found = pd.DataFrame({"a": 1, "b": [1, 3, 1, 3]}).kappa.scores.bland_altman("a", "b")
    assert found.loc["slope", ["estimate", "se", "p_value"]].tolist() == [-2, 0, 0]
