"""The panel of a board: figures of other methods, limits, verdicts, thresholds, messages."""

from __future__ import annotations

import re

import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_allclose
from pandas.testing import assert_frame_equal
from scipy.special import stdtrit

from conftest import each
from pdkappa import errors
from pdkappa.methods.machine import readiness as core
from pdkappa.methods.machine.evaluation import Scores
from pdkappa.methods.machine.readiness import BOUNDS, THRESHOLDS
from pdkappa.present import schema
from pdkappa.ratings.options import Reading

nan = float("nan")
undefined = pytest.mark.filterwarnings("ignore::pdkappa.errors.UndefinedKappaWarning")


def made(n, groups=1, seed=0, *, machine=0.5):
    """Make scores of 1 to 6 by two humans and a machine, in groups of n."""
    rng = np.random.default_rng(seed)
    true = rng.normal(size=n * groups)
    frame = pd.DataFrame(
        {name: true + rng.normal(scale=0.6, size=len(true)) for name in ("h1", "h2")}
    )
    frame = (1.2 * frame + 3.5).round().clip(1, 6)
    frame["m"] = 1.2 * (0.95 * true + rng.normal(scale=machine, size=len(true))) + 3.56
    return frame.assign(g=np.arange(len(frame)) % groups)


def panel(frame, *humans, **options):
    """Judge the machine with few resamples."""
    few = {"n_resamples": 40, "rng": 0} if humans or "error_variance" in options else {}
    return frame.kappa.machine.readiness(["h1", *humans], "m", **few | options)


@each(
    "options",
    [
        {},
        {"by": "g"},
        {"exclude": 1},
        {"missing": "listwise"},
        {"categories": range(7)},
        {"rounded": False},
    ],
)
def test_figures_are_those_of_other_methods(options):
    frame = made(60, 2)
    frame.loc[::7, "h2"] = nan
    found = panel(frame, "h2", **options)
    assert list(found) == list(schema.READINESS)
    assert found.index.unique("criterion").tolist() == list(BOUNDS)
    table = frame.kappa.machine.evaluate(["h1", "h2"], "m", **options)

    def of(name, comparison="evaluation"):
        criteria = found.index.get_level_values("criterion")
        comparisons = table.index.get_level_values("comparison")
        return found[criteria == name], table[comparisons == comparison]

    for name in ("qwk", "correlation", "smd", "exact_agreement", "adjacent_agreement"):
        rows, expected = of(name)
        assert_allclose(rows["estimate"], expected[name], rtol=1e-12)
        assert_allclose(rows["n_items"], expected["n_items"])
        assert ((rows["ci_low"] <= rows["estimate"]) & (rows["estimate"] < rows["ci_high"])).all()
    rows, expected = of("qwk")
    assert_allclose(rows[["ci_low", "ci_high"]], expected[["qwk_low", "qwk_high"]])
    rows, expected = of("degradation", "difference")
    assert_allclose(rows["estimate"], -expected["qwk"], atol=1e-12)
    if not {"exclude", "missing", "categories", "rounded"} & set(options):
        rows, _ = of("prmse")
        expected = frame.kappa.machine.prmse(["h1", "h2"], "m", n_resamples=40, rng=0, **options)
        names = ["ci_low", "ci_high"]
        assert_allclose(rows["estimate"], expected["estimate"])
        assert_allclose(rows[names], expected[names])


def test_rows_that_there_is_something_for():
    frame = made(30)
    few = [name for name in BOUNDS if name not in ("degradation", "prmse")]
    assert panel(frame).index.tolist() == few
    assert "prmse" in panel(frame, error_variance=0.3).index
    assert panel(frame.head(0), "h2", by="g").empty
    by_group = panel(frame.assign(g=1), by="g")
    assert by_group.loc[(1, "smd"), "threshold"] == THRESHOLDS["smd_subgroup"]
    assert_frame_equal(frame.groupby("g").kappa.machine.readiness("h1", "m"), panel(frame, by="g"))


def test_limits_hold_the_true_value_as_often_as_they_say():
    """In 800 samples of 40 items, at the level .9: 5 standard errors around it."""
    frame, whole = made(40, 800, seed=3), made(200_000, seed=4)

    def figures(frame, **options):
        reading = Reading(**options)
        scores = Scores.read(
            frame, ["h1", "h2", "m"], reading, None, None, rounded=True, method="x"
        )
        both, _ = scores.joint("evaluation")
        values = scores.scored.scores
        return [
            core.correlation(both, values, 0.9),
            core.mean_difference(both, values, 0.9),
            core.degradation(scores.scored.rows, values, 0.9),
        ]

    for found, true in zip(figures(frame, by="g"), figures(whole), strict=True):
        held = (found.ci_low <= true.estimate[0]) & (true.estimate[0] <= found.ci_high)
        assert 0.85 < held.mean() < 0.95


def test_errors_are_those_of_the_jackknife():
    """Of correlation and degradation, each item left out in turn; 7 items lack the second human."""
    frame = made(50)
    frame.loc[::8, "h2"] = nan

    def figures(some):
        qwk = some.kappa.machine.evaluate(["h1", "h2"], "m")["qwk"]
        return np.array([some["h1"].corr(some["m"]), qwk["consistency"] - qwk["evaluation"]])

    r, lost = figures(frame)
    left = np.array([figures(frame.drop(index=item)) for item in frame.index])
    n = np.array([50, 50])
    se = np.sqrt((n - 1) / n * ((left - [r, lost]) ** 2).sum(axis=0))
    t = stdtrit(49, 0.975)
    found = panel(frame, "h2")
    expected = np.tanh(np.arctanh(r) + np.array([-1, 1]) * t * se[0] / (1 - r**2))
    assert_allclose(found.loc["correlation", ["ci_low", "ci_high"]].astype(float), expected)
    expected = lost + np.array([-1, 1]) * t * se[1]
    assert_allclose(
        found.loc["degradation", ["ci_low", "ci_high"]].astype(float), expected, rtol=0.02
    )


def test_clusters_of_one_item_and_clusters_of_copies():
    frame = made(50).assign(item=np.arange(50))
    options = {"n_resamples": 200}
    figures = ["estimate", "ci_low", "ci_high"]
    single, plain = (panel(frame, "h2", **x)[figures] for x in ({"cluster": "item"}, {}))
    of_t = ["qwk", "exact_agreement", "adjacent_agreement"]  # instead of normal quantiles
    assert_allclose(single.drop(index=of_t), plain.drop(index=of_t), rtol=1e-9)
    assert_allclose(single, plain, atol=0.01)
    copies = pd.concat([frame] * 4)
    found, expected = panel(copies, "h2", cluster="item", **options), panel(frame, "h2", **options)
    width, usual = (x["ci_high"] - x["ci_low"] for x in (found, expected))
    assert_allclose(width / usual, 1, rtol=0.15)


@each(
    ("bound", "limits", "expected"),
    [
        ("at least", (0.7, 0.8), "pass"),
        ("at least", (0.5, 0.6999), "fail"),
        ("at least", (0.69, 0.7), "cannot tell"),
        ("at most", (0.2, 0.7), "pass"),
        ("at most", (0.71, 0.8), "fail"),
        ("at most", (0.7, 0.8), "cannot tell"),
        ("within", (-0.7, 0.7), "pass"),
        ("within", (-0.9, -0.71), "fail"),
        ("within", (0.71, 0.9), "fail"),
        ("within", (-0.8, 0.1), "cannot tell"),
        ("at least", (nan, nan), "cannot tell"),
    ],
)
def test_verdicts(bound, limits, expected):
    low, high = np.array(limits)[:, None]
    found = core.Bounded(np.array([9.0]), low, low, high)
    assert core.verdicts(found, 0.7, bound).tolist() == [expected]


@each("n", [2, 3, 40])
def test_items_that_are_all_alike_pass_nothing_by_limits_without_width(n):
    frame = made(n).assign(h1=np.arange(n) % 6 + 1)
    frame = frame.assign(h2=frame["h1"], m=frame["h1"])
    found = panel(frame, "h2").loc[["degradation", "smd", "prmse"]]
    assert found["estimate"].tolist() == [0, 0, 1]
    assert found[["ci_low", "ci_high"]].isna().all(axis=None)
    assert set(found["verdict"]) == {"cannot tell"}
    assert set(found["reason"]) == {"no_variance"}


@undefined
def test_reasons():
    frame = made(8)
    constant = panel(frame.assign(h1=3), "h2")
    assert set(constant["reason"]) == {"constant_rater", "", "no_true_variance"}
    assert constant["verdict"]["correlation"] == "cannot tell"
    assert panel(frame.head(1))["reason"]["qwk"] == "n_lt_2"
    nobody = panel(frame.assign(h2=nan), "h2")["reason"]
    assert nobody[["qwk", "degradation", "prmse"]].tolist() == [
        "",
        "no_joint_items",
        "no_double_ratings",
    ]
    with pytest.warns(errors.UndefinedKappaWarning, match="'degradation'"):
        panel(frame.assign(h2=nan), "h2")


def test_scales_that_are_put_together_pass_nothing():
    """What is right set by set is not what is shown for all together."""
    parts = {"a": made(100).drop(columns="g"), "b": 30 + 5 * made(100, seed=2).drop(columns="g")}
    frame = pd.concat(parts, names=["set"]).round().reset_index("set").reset_index(drop=True)
    with pytest.warns(errors.CrudeKappaWarning, match="'set'"):
        found = panel(frame, "h2")
    judged = found["threshold"].notna()
    assert set(found["verdict"][judged]) == {"cannot tell"}
    assert set(found["remark"]) == {"scales differ by 'set': pass by='set'"}
    apart = panel(frame, "h2", by="set", thresholds={"qwk": 0.1, "smd_subgroup": 2})
    assert set(apart.xs("qwk", level="criterion")["verdict"]) == {"pass"}
    assert set(apart["remark"]) == {""}


def test_messages():
    frame, names = made(5), ", ".join(THRESHOLDS)
    cases = {
        0.7: f"thresholds must be a dict such as {{'qwk': 0.75}}, got 0.7. Name some of: {names}.",
        ("qkw", 0.7): "thresholds has 'qkw', which is no criterion. Did you mean 'qwk'?",
        (3, 0.7): f"thresholds has 3, which is no criterion. Name some of: {names}.",
        ("smd", "low"): "thresholds['smd']='low' must be a finite number, or None.",
        ("smd", nan): "thresholds['smd']=nan must be a finite number, or None.",
        ("exact_agreement", 70): "thresholds['exact_agreement']=70 must be at most 1, as the "
        "figure is.",
        ("smd_subgroup", -0.1): "thresholds['smd_subgroup']=-0.1 must be 0 or more: it bounds "
        "differences of either sign.",
    }
    words = frame.assign(h1=list("abcab"), m=list("abbab"))
    with pytest.raises(errors.CategoryError, match=r"^readiness needs ordered categories, but "):
        panel(words)
    for given, message in cases.items():
        thresholds = dict([given]) if isinstance(given, tuple) else given
        with pytest.raises(errors.OptionError, match=f"^{re.escape(message)}$"):
            panel(frame, thresholds=thresholds)


def test_a_threshold_that_nothing_is_compared_with():
    frame = made(30).assign(group=["a", "b"] * 15)
    both = "a second human or error_variance"
    cases = [
        (
            {"thresholds": {"prmse": 0.8}},
            f"thresholds names 'prmse', which needs {both}. Pass {both}, or leave out 'prmse'.",
        ),
        (
            {"thresholds": {"degradation": 0.1}, "error_variance": 0.3},
            (
                "thresholds names 'degradation', which needs a second human. Pass a second human, "
                "or leave out 'degradation'."
            ),
        ),
        (
            {"thresholds": {"smd": 0.5}, "by": "group"},
            (
                "thresholds names 'smd', which is for all items together. With by, name "
                "'smd_subgroup', with which the groups are compared."
            ),
        ),
    ]
    for options, message in cases:
        with pytest.raises(errors.OptionError, match=f"^{re.escape(message)}$"):
            panel(frame, **options)
    every = {"prmse": 0.8, "degradation": 0.1, "smd": 0.5, "smd_subgroup": 0.4}
    grouped = panel(frame, "h2", thresholds=every, by="group").loc["a", "threshold"]
    assert grouped[["prmse", "degradation", "smd"]].tolist() == [0.8, 0.1, 0.4]
    none = {"prmse": None, "degradation": None}
    assert not {*none} & {*panel(frame, thresholds=none).index}
