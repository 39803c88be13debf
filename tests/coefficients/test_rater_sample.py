"""Raters as a sample: the jackknife by public calls, coverage, and where it has no answer."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_allclose
from pandas.testing import assert_frame_equal, assert_series_equal
from scipy import stats

from conftest import each

RATERS = [f"r{i}" for i in range(5)]
CATEGORIES = [0, 1, 2]


@pytest.fixture(name="team", scope="module")
def five_raters():
    rng = np.random.default_rng(7)
    truth = rng.integers(0, 3, 60)
    frame = pd.DataFrame(
        {name: np.where(rng.random(60) < 0.8, truth, rng.integers(0, 3, 60)) for name in RATERS}
    ).astype("Int64")
    frame = frame.mask(rng.random(frame.shape) < 0.15)
    return frame.assign(times=rng.integers(1, 4, 60), author=np.arange(60) // 2, site="x")


@each(
    "options",
    [
        {},
        {"weights": "quadratic", "sample_weight": "times", "null": 0.3},
        {"cluster": "author", "shares": "ratings", "ci": "wald"},
        {
            "weights": "krippendorff_ordinal",
            "coefficients": ["krippendorff"],
            "missing": "listwise",
        },
    ],
)
def test_errors_are_those_of_leaving_out_each_rater(team, options):
    """As in kappaetc, Gwet (2014, 5.4.4), but for the degrees of freedom."""

    def found(raters, **further):
        return team.kappa.agreement(raters, categories=CATEGORIES, **options, **further)

    items, raters, both = (found(RATERS, vary=vary) for vary in ("items", "raters", "both"))
    complete = team.dropna() if "missing" in options else team
    given = {name: value for name, value in options.items() if name != "missing"}
    without = [
        complete.kappa.agreement(
            [one for one in RATERS if one != out], categories=CATEGORIES, **given
        )["estimate"]
        for out in RATERS
    ]
    of_raters = 4 / 5 * 5 * np.var(without, axis=0)
    assert_frame_equal(items, found(RATERS))
    assert_series_equal(both["estimate"], items["estimate"])
    assert_allclose(raters["se"] ** 2, of_raters)
    assert_allclose(both["se"] ** 2, items["se"] ** 2 + of_raters)
    # The distance of the limits, on Fisher's z or not, in standard errors: t quantiles.
    scale = (lambda x: x) if options.get("ci") == "wald" else np.arctanh
    slope = 1 if options.get("ci") == "wald" else 1 - raters["estimate"] ** 2

    def quantile(result):
        width = scale(result["ci_high"]) - scale(result["ci_low"])
        return (width / 2 * slope / result["se"]).to_numpy()

    assert_allclose(quantile(raters), stats.t.ppf(0.975, 4))
    n = len(complete) - 1
    if "cluster" in options:
        n = 29
    elif "sample_weight" in options:
        n = team["times"].sum() - 1
    df = both["se"] ** 4 / (items["se"] ** 4 / n + of_raters**2 / 4)
    assert_allclose(quantile(both), stats.t.ppf(0.975, df), rtol=1e-6)


def test_limits_hold_the_value_of_the_population_of_raters():
    """Eight raters of varied bias and noise, 100 items, 300 samples; .93 in a long run."""
    rng, cuts = np.random.default_rng(11), [-0.5, 0.5]

    def draw(n_samples, n, n_raters):
        score, size = rng.normal(size=(n_samples, n)), (n_samples, 1)
        noise = [0.7 * np.exp(0.6 * rng.normal(size=size)) for _ in range(n_raters)]
        bias = [0.5 * rng.normal(size=size) for _ in range(n_raters)]
        seen = [
            score + b + s * rng.normal(size=score.shape) for b, s in zip(bias, noise, strict=True)
        ]
        return pd.DataFrame({f"r{i}": np.searchsorted(cuts, x.ravel()) for i, x in enumerate(seen)})

    one = {"coefficients": "krippendorff"}
    truth = np.mean([draw(1, 1000, 100).kappa.agreement(**one)["estimate"] for _ in range(3)])
    samples = draw(300, 100, 8).assign(sample=np.repeat(np.arange(300), 100))

    def coverage(vary):
        found = samples.kappa.agreement(by="sample", vary=vary, **one)
        return found["ci_low"].le(truth).mul(found["ci_high"].ge(truth)).mean()

    assert coverage("items") < 0.8
    assert 0.9 <= coverage("both") <= 0.98


def test_groups_are_alone_and_need_three_raters(team):
    """Whoever did not rate in a group is none of its raters."""
    data = pd.concat([team.assign(site=site) for site in "xyz"], ignore_index=True)
    for rater in RATERS[2:]:
        gone = data["site"] == "y"
        data[rater] = data[rater].mask(gone | ((data["site"] == "z") & (rater == RATERS[4])))
    four = data[data["site"] == "z"].reset_index(drop=True)
    options = {"categories": CATEGORIES, "vary": "both"}
    found = data.kappa.agreement(RATERS, by="site", **options)
    for site, frame, raters in (("x", team, RATERS), ("z", four, RATERS[:4])):
        assert_frame_equal(found.loc[site], frame.kappa.agreement(raters, **options))
    assert found.loc["y", "estimate"].notna().all()
    assert found.loc["y", ["se", "ci_low", "ci_high", "z", "p_value"]].isna().all(axis=None)
    assert set(found.loc["y", "reason"]) == {"few_raters"}


def test_a_coefficient_that_hangs_on_one_rater():
    """Without r2 all ratings are the same."""
    frame = pd.DataFrame({"r0": [1, 1, 1, 1], "r1": [1, 1, 1, 1], "r2": [1, 1, 2, 2]})
    found = frame.kappa.agreement(coefficients=["fleiss", "percent"], vary="both")
    assert found["reason"].tolist() == ["undefined_without", ""]
    assert_allclose(found["se"], [np.nan, np.sqrt(1 / 27 + 2 / 3 * (1 / 6))])


def test_raters_who_never_disagree():
    """Nothing varies: their limits are those of the items."""
    ratings = [1, 2, 1, 2, 2]
    frame = pd.DataFrame({"a": ratings, "b": ratings, "c": ratings})
    both, items = (frame.kappa.agreement(vary=vary) for vary in ("both", "items"))
    assert_frame_equal(both, frame.kappa.agreement(ci="fisher"))
    assert (both["se"] == 0).all()
    assert (both["ci_low"] < 1).all()
    assert_series_equal(both["estimate"], items["estimate"])
