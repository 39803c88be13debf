"""Limits of agreement on categories and cuts: those of pairs, and of the jackknife."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_allclose
from pandas.testing import assert_frame_equal
from scipy import stats

import pdkappa
from pdkappa.methods.drilldown import categories as scale_limits
from pdkappa.methods.drilldown.categories import ADDITIVE

FIGURES = ["estimate", "se", "ci_low", "ci_high"]


def ratings(*, missing=False):
    """Return four raters who often agree, of 90 items in two groups of unequal size."""
    rng = np.random.default_rng(3)
    truth = rng.integers(1, 5, 90)
    data = pd.DataFrame({name: np.clip(truth + rng.integers(-1, 2, 90), 1, 4) for name in "abcd"})
    return data.astype(float).mask(rng.random(data.shape) < 0.15) if missing else data


@pytest.mark.parametrize("level", [0.9, 0.95])
def test_two_raters_have_the_limits_of_pairs_of_what_is_dichotomised(level):
    data = ratings()[["a", "b"]]
    found = data.kappa.categories(confidence_level=level)
    cuts = data.kappa.categories(confidence_level=level, kind="cut")
    for label in range(1, 5):
        expected = (data == label).kappa.pairs(confidence_level=level)[FIGURES].loc[0]
        assert_allclose(found.loc[label, FIGURES].astype(float), expected, rtol=1e-12)
        if label < 4:
            expected = (data <= label).kappa.pairs(confidence_level=level)[FIGURES].loc[0]
            assert_allclose(cuts.loc[label, FIGURES].astype(float), expected, rtol=1e-12)


@pytest.mark.parametrize(
    ("coefficient", "missing"), [(ADDITIVE[0], False), *((one, True) for one in ADDITIVE)]
)
@pytest.mark.parametrize("kind", ["category", "cut"])
def test_the_error_of_more_raters_is_that_of_the_jackknife(kind, coefficient, missing):
    data = ratings(missing=missing)
    found = data.kappa.categories(kind=kind, coefficient=coefficient)
    left = [
        data.drop(index=item).kappa.categories(kind=kind, coefficient=coefficient)["estimate"]
        for item in data.index
    ]
    jackknife = np.sqrt(np.var(left, axis=0) * (len(data) - 1))
    assert_allclose(found["se"], jackknife, rtol=0.05)
    assert (found["ci_low"] < found["estimate"]).all()
    assert (found["estimate"] < found["ci_high"]).all()


@pytest.mark.parametrize("coefficient", ADDITIVE)
@pytest.mark.parametrize("kind", ["category", "cut"])
def test_groups_and_weights_and_blocks_change_nothing(kind, coefficient, monkeypatch):
    data = ratings().assign(g=np.repeat(["x", "y"], [30, 60]), w=2)
    names = list("abcd")

    def parts(frame, **options):
        return frame.kappa.categories(names, kind=kind, coefficient=coefficient, **options)

    found = parts(data, by="g")
    for group, part in data.groupby("g"):
        assert_frame_equal(found.loc[group], parts(part, categories=[1, 2, 3, 4]))
    twice = pd.concat([data, data], ignore_index=True)
    assert_frame_equal(parts(data, sample_weight="w"), parts(twice))
    monkeypatch.setattr(scale_limits, "LARGEST_BLOCK", 1)
    assert_frame_equal(parts(data, by="g"), found)


@pytest.mark.filterwarnings("ignore::pdkappa.errors.FewClustersWarning")
def test_clusters_are_those_of_what_is_dichotomised():
    """Errors are those of pairs; limits have t quantiles of the clusters on Fisher's z scale."""
    data, cluster = ratings()[["a", "b"]], np.arange(90) // 3
    for kind, parts in (("category", data.eq), ("cut", data.le)):
        found = data.kappa.categories(kind=kind, cluster=cluster)
        for label in (1, 2, 3):
            expected = parts(label).kappa.pairs(cluster=cluster).loc[0]
            k, se = found.loc[label, ["estimate", "se"]]
            assert_allclose([k, se], expected[["estimate", "se"]].astype(float), rtol=1e-9)
            half = stats.t(29).ppf(0.975) * se / (1 - k**2)
            ends = np.tanh(np.arctanh(k) + np.array([-half, half]))
            assert_allclose(found.loc[label, ["ci_low", "ci_high"]].astype(float), ends)
    for coefficient in ADDITIVE:
        once = ratings().kappa.categories(coefficient=coefficient)
        twice = pd.concat([ratings()] * 2, ignore_index=True).kappa.categories(
            coefficient=coefficient, cluster=np.tile(np.arange(90), 2)
        )
        assert_allclose(twice["se"], once["se"], rtol=2e-3)


def test_a_binary_scale_has_one_error():
    """Of two categories, each is the other against the rest, and both are the coefficient."""
    data = (ratings() > 2).astype(int)
    for coefficient in ("fleiss", "conger", "krippendorff"):
        whole = data.kappa.agreement(coefficients=[coefficient])
        for row in data.kappa.categories(coefficient=coefficient)[FIGURES].to_numpy():
            assert_allclose(row, whole.loc[coefficient, FIGURES].astype(float), rtol=1e-9)


def test_what_has_no_error_says_why():
    one = pd.DataFrame({"a": [1], "b": [2]})
    assert one.kappa.categories()["reason"].tolist() == ["n_lt_2", "n_lt_2"]
    constant = pd.DataFrame({"a": [1, 1, 1], "b": [1, 2, 1]})
    found = constant.kappa.categories()
    assert found["reason"].tolist() == ["constant_rater"] * 2
    assert found["se"].isna().all()
    alike = pd.DataFrame({name: [1, 2, 1, 2] for name in "abc"})
    for coefficient in ADDITIVE:
        found = alike.kappa.categories(coefficient=coefficient)
        assert (found["se"] == 0).all()
        assert (found["ci_low"] < 1).all()
        assert (found["ci_high"] == 1).all()
    with pytest.raises(pdkappa.errors.OptionError, match=r"^confidence_level=95 must lie between"):
        alike.kappa.categories(confidence_level=95, kind="cut")
