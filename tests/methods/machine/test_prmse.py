"""PRMSE: values from elsewhere, laws, limits, reasons, messages."""

from __future__ import annotations

import re

import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_allclose
from pandas.testing import assert_frame_equal

from conftest import each
from elsewhere import DATA
from pdkappa import errors
from pdkappa.present import schema

HUMANS = ["h1", "h2", "h3", "h4"]
FIGURES = ["error_variance", "true_variance", "mse", "estimate"]
nan = float("nan")


def made(n, seed=0, *, error=0.4):
    """Make true scores of variance 1, two humans, and a machine with a PRMSE of .79."""
    rng = np.random.default_rng(seed)
    true = rng.normal(size=n)
    humans = true + rng.normal(scale=error**0.5, size=(2, n))
    machine = 0.9 * true + rng.normal(scale=0.2**0.5, size=n)
    return pd.DataFrame({"a": humans[0], "b": humans[1], "machine": machine})


def figures(frame, humans=("a", "b"), machine="machine", **options):
    """Estimate with few resamples."""
    return frame.kappa.machine.prmse(
        list(humans), machine, **{"n_resamples": 40, "rng": 0, **options}
    )


def test_ten_thousand_responses_of_johnson():
    """Whose figures ``elsewhere/rsmtool.py`` compares."""
    frame = pd.read_csv(DATA / "scoring" / "prmse_johnson.csv.gz")
    found = figures(frame, HUMANS, "system").iloc[0]
    assert found["ci_low"] < found["estimate"] < found["ci_high"]
    assert found["n_raters"] == 4


def test_true_values_of_many_items():
    """Also with holes, of one human where the variance of errors is known, and of a machine."""
    frame = made(20_000)
    expected = [0.4, 1.0, 0.1**2 + 0.2, 1 - 0.21]
    holes = frame.assign(b=frame["b"].where(np.arange(len(frame)) % 3 == 0))
    for found in (
        figures(frame, n_resamples=2),
        figures(holes, n_resamples=2),
        figures(frame, ["a"], error_variance=0.4, n_resamples=2),
    ):
        assert_allclose(found[FIGURES].iloc[0].astype(float), expected, atol=0.03)


def test_no_human_error_is_r_squared():
    """One human without errors: PRMSE is 1 - MSE / variance, as `evaluation` has it but for n."""
    frame = made(50)
    found = figures(frame, ["a"], error_variance=0).iloc[0]
    apart = (frame["a"] - frame["machine"]) ** 2
    assert_allclose(found["mse"], apart.mean())
    assert_allclose(found["true_variance"], frame["a"].var())


def test_limits_hold_the_true_value_as_often_as_they_say():
    """In 300 samples of 100 items, at the level .8: 3.5 standard errors around it."""
    frame = made(100 * 300, seed=5).assign(group=np.arange(30_000) % 300)
    found = figures(frame, by="group", n_resamples=150, confidence_level=0.8)
    held = (found["ci_low"] <= 0.79) & (found["ci_high"] >= 0.79)
    assert 0.72 < held.mean() < 0.88


def test_a_machine_in_other_units_leaves_true_scores_as_they_are():
    found, far = (
        figures(made(50)),
        figures(made(50).assign(machine=lambda one: one["machine"] + 1e9)),
    )
    assert_allclose(far["true_variance"], found["true_variance"])
    assert far["reason"].item() == ""


@each(
    "change",
    [
        lambda one: one * 1e-80,
        lambda one: one + 1e6,
        lambda one: one.iloc[::-1],
        lambda one: one.loc[one.index.repeat(1 + np.arange(len(one)) % 2)],
    ],
)
def test_laws(change):
    """Units and the place of zero make no difference, nor do the order of items, or weights."""
    frame = made(40).round(4)
    weights = pd.Series(1 + np.arange(40) % 2, frame.index)
    changed = change(frame)
    if len(changed) > len(frame):
        expected = figures(frame.assign(times=weights), sample_weight="times")
    else:
        expected = figures(frame)
    names = ["estimate", "ci_low", "ci_high"]
    assert_allclose(figures(changed)[names], expected[names], rtol=1e-6)


def test_groups_clusters_and_streams():
    frame = made(90).assign(site=list("xyz") * 30, student=np.arange(90) // 9)
    found = figures(frame, by="site")
    assert list(found.columns) == list(schema.PRMSE)
    assert_frame_equal(
        frame.groupby("site").kappa.machine.prmse(["a", "b"], "machine", n_resamples=40, rng=0),
        found,
    )
    alone = figures(frame.query("site == 'y'"))
    assert_allclose(found.loc["y", FIGURES].astype(float), alone[FIGURES].iloc[0].astype(float))
    # as many clusters as items
    own = figures(frame.assign(item=np.arange(90)), cluster="item")
    assert_frame_equal(own, figures(frame))
    with pytest.warns(errors.FewClustersWarning):
        nested = figures(frame, cluster="student")
    assert_allclose(nested["estimate"], own["estimate"])
    assert nested["ci_low"].item() != own["ci_low"].item()
    assert not figures(frame, rng=1).equals(figures(frame))
    assert_frame_equal(figures(frame, rng=0), figures(frame))


@pytest.mark.filterwarnings("ignore::pdkappa.errors.UndefinedKappaWarning")
def test_reasons():
    reasons = {
        "no_items": pd.DataFrame({"a": [nan], "b": [nan], "machine": [nan]}),
        "no_joint_items": pd.DataFrame({"a": [1, nan], "b": [2, nan], "machine": [nan, 1.0]}),
        "no_double_ratings": pd.DataFrame({"a": [1, nan], "b": [nan, 2], "machine": [1.0, 2]}),
        "n_lt_2": pd.DataFrame({"a": [1], "b": [2], "machine": [1.0]}),
        "no_true_variance": pd.DataFrame({"a": [1, 2], "b": [2, 1], "machine": [1.0, 2]}),
    }
    for reason, frame in reasons.items():
        found = figures(frame).iloc[0]
        assert found["reason"] == reason
        assert found[["estimate", "ci_low", "ci_high"]].isna().all()
    alike = made(30).round(2).assign(a=0.1, b=0.1, group=np.arange(30) % 4)
    for far in (0, 1e9):  # a mean that rounding moves off them, and a machine in other units
        found = figures(alike.assign(machine=alike["machine"] + far), by="group")
        assert set(found["reason"]) == {"no_true_variance"}
    none = reasons["no_items"].assign(group="x").head(0)
    assert figures(none, by="group").empty
    few = pd.DataFrame({"a": [1, 3], "b": [1, 3], "machine": [1.0, 2]})
    assert figures(few, n_resamples=1)["reason"].item() == "undefined_resamples"
    assert figures(few, n_resamples=2, rng=5)["estimate"].notna().all()
    with pytest.warns(errors.UndefinedKappaWarning, match=r"^1 of 1 PRMSE\(s\) are undefined"):
        figures(reasons["n_lt_2"])


def test_messages():
    frame = made(5)
    for wrong in (-1, nan, "0.5", True):
        message = (
            f"error_variance={wrong!r} must be a number from 0 upwards, in squared points of the "
            "scale, or None."
        )
        with pytest.raises(errors.OptionError, match=f"^{re.escape(message)}$"):
            figures(frame, error_variance=wrong)
    message = (
        "Limits of PRMSE resample items, so sample_weight must hold whole numbers that add up to "
        "less than 2**53, got 0.5. If they are shares of a sample, pass weight_type='probability'."
    )
    with pytest.raises(errors.OptionError, match=f"^{re.escape(message)}$"):
        figures(frame, sample_weight=[0.5, 1, 1, 1, 1], weight_type="frequency")
    message = (
        "1000000 resamples of 200 groups take too long; the limit is 134217728 in all. Use a "
        "smaller n_resamples, or fewer groups."
    )
    with pytest.raises(errors.TooLargeError, match=f"^{re.escape(message)}$"):
        figures(made(200).assign(g=range(200)), by="g", n_resamples=1_000_000)
