"""Shares of items within a tolerance, and Kendall's W: known figures, brute force, edges."""

from __future__ import annotations

import re

import numpy as np
import pandas as pd
import pytest
from pandas.testing import assert_frame_equal
from scipy import stats
from statsmodels.stats.proportion import proportion_confint

import pdkappa
from conftest import each

nan = float("nan")


def simulated(holes=0.0):
    """Return four raters of sixty items in two sets, in whole scores with many ties."""
    rng = np.random.default_rng(3)
    values = np.clip(rng.normal(3, 1, (60, 1)) + rng.normal(size=(60, 4)), 1, 5).round()
    frame = pd.DataFrame(values, columns=list("abcd")).mask(rng.random((60, 4)) < holes)
    return frame.assign(set=np.repeat(["x", "y"], 30))


# --- within ----------------------------------------------------------------------------------


@pytest.mark.oracle
@each("holes", [0.0, 0.2])
def test_shares_by_hand_and_wilsons_limits(holes):
    frame = simulated(holes)
    found = frame.kappa.scores.within(list("abcd"), by="set", confidence_level=0.9)
    assert found.index.tolist() == ["x"] * 6 + ["y"] * 6
    for name, row in zip(found.index, found.to_dict("records"), strict=True):
        part = frame.loc[frame["set"] == name, [row["rater_a"], row["rater_b"]]].dropna()
        near = part.diff(axis=1).iloc[:, 1].abs() <= 1
        limits = proportion_confint(near.sum(), len(part), 0.1, "wilson")
        se = np.sqrt(near.mean() * (1 - near.mean()) / len(part))
        expected = [len(part), near.mean(), se, *limits]
        ours = [row[key] for key in ("n_items", "estimate", "se", "ci_low", "ci_high")]
        assert ours == pytest.approx(expected)
    several = frame[list("abcd")].loc[lambda part: part.notna().sum(axis=1) > 1]
    apart = several.max(axis=1) - several.min(axis=1)
    every = frame.kappa.scores.within(list("abcd"), tolerance=2, together=True)
    assert every["estimate"].item() == pytest.approx((apart <= 2).mean())
    assert every[["rater_a", "rater_b"]].isna().all(axis=None)


def test_decimals_that_are_one_step_apart_are_within_it():
    frame = pd.DataFrame({"a": [0.1, 0.2, 0.3, 0.3], "b": [0.2, 0.3, 0.2, 0.5]})
    assert frame.kappa.scores.within(tolerance=0.1)["estimate"].item() == 0.75
    assert frame.kappa.scores.within(tolerance=0)["estimate"].item() == 0
    limits = frame.kappa.scores.within(tolerance=9)[["se", "ci_low", "ci_high"]].to_numpy()
    np.testing.assert_allclose(limits, [[0, 0.51010916, 1]])


@pytest.mark.filterwarnings("ignore::pdkappa.errors.UndefinedKappaWarning")
def test_what_is_no_share():
    frame = pd.DataFrame({"a": [1, nan], "b": [nan, 2]})
    for together in (False, True):
        found = frame.kappa.scores.within(together=together)
        assert found["reason"].tolist() == ["no_joint_items"]
        assert found[["estimate", "se", "ci_low", "ci_high"]].isna().all(axis=None)
    for tolerance in (-1, nan, "1", True):
        message = f"tolerance={tolerance!r} must be a number from 0 upwards."
        with pytest.raises(pdkappa.errors.OptionError, match=f"^{re.escape(message)}$"):
            frame.kappa.scores.within(tolerance=tolerance)


# --- Kendall's W ---------------------------------------------------------------------------------


def test_kendall_is_friedmans_test_turned():
    """With ties, in groups, with missing ratings left out."""
    frame = simulated(0.1)
    found = frame.kappa.scores.kendall_w(list("abcd"), by="set")
    for name, part in frame.groupby("set"):
        complete = part[list("abcd")].dropna()
        chi2, p_value = stats.friedmanchisquare(*complete.to_numpy())
        row = found.loc[name]
        assert row[["n_items", "df"]].tolist() == [len(complete), len(complete) - 1]
        assert row[["chi2", "p_value"]].tolist() == pytest.approx([chi2, p_value])
        assert row["estimate"] == pytest.approx(chi2 / (4 * (len(complete) - 1)))


def test_only_the_order_counts():
    frame = simulated().drop(columns="set")
    found = frame.kappa.scores.kendall_w()
    assert_frame_equal(np.exp(frame).kappa.scores.kendall_w(), found)
    words = frame.replace(dict(enumerate(["", "e", "d", "c", "b", "a"])))
    assert_frame_equal(words.kappa.scores.kendall_w(categories=list("edcba")), found)
    twice = pd.concat([frame, frame])
    counted = frame.assign(w=2).kappa.scores.kendall_w(list("abcd"), sample_weight="w")
    assert_frame_equal(counted, twice.kappa.scores.kendall_w(), check_dtype=False)
    spearman = frame.assign(e=frame["a"].rank(method="first"))[["e"]]
    spearman = spearman.assign(f=np.random.default_rng(0).permutation(60))
    rho = spearman.corr("spearman").loc["e", "f"]
    assert spearman.kappa.scores.kendall_w()["estimate"].item() == pytest.approx((1 + rho) / 2)


@pytest.mark.filterwarnings("ignore::pdkappa.errors.UndefinedKappaWarning")
@each(
    ("rows", "estimate", "reason"),
    [
        ([[nan, nan], [nan, nan]], nan, "no_items"),
        ([[1, nan], [nan, 2]], nan, "no_items"),
        ([[1, 2]], nan, "n_lt_2"),
        ([[2, 3], [2, 3]], nan, "constant_ratings"),
        ([[1, 1], [2, 2]], 1, ""),
        ([[1, 2], [2, 1]], 0, ""),
    ],
)
def test_edges_of_kendall(rows, estimate, reason):
    found = pd.DataFrame(rows, columns=["a", "b"], dtype=float).kappa.scores.kendall_w(["a", "b"])
    np.testing.assert_equal(found["estimate"].item(), estimate)
    assert found["reason"].item() == reason
