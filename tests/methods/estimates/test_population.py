"""Finite populations: by hand, laws over every interval, how often limits hold, bad input."""

import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_allclose

import pdkappa
from conftest import each, function_of, raising
from pdkappa.coefficients.all_raters import MULTIRATER
from pdkappa.coefficients.chance import COEFFICIENTS

RNG = np.random.default_rng(6)
TRUTH = RNG.normal(size=2400)
EVERYONE = pd.DataFrame(
    {name: np.searchsorted([-0.5, 0.6], TRUTH + RNG.normal(0, 0.6, 2400)) for name in "abc"}
)
DRAWN = EVERYONE.iloc[:60].assign(g=["x"] * 20 + ["y"] * 40)
RATERS = list("abc")
CLOSED = ("auto", "fisher", "wald", "score")
KNOWN = ["n_items", "estimate", "observed_agreement", "expected_agreement"]


def frames(data=DRAWN, **options):
    """Rows of every coefficient of pairs, and of all raters."""
    of_pairs = [function_of("pairs")(data, RATERS, coefficient=c, **options) for c in COEFFICIENTS]
    return [
        *of_pairs,
        function_of("agreement")(data, RATERS, coefficients=list(MULTIRATER), **options),
    ]


@each("ci", CLOSED)
def test_errors_shrink_by_the_root_of_what_is_left(ci):
    plain, found = (frames(ci=ci, population=n) for n in (None, 80))
    for one, other in zip(plain, found, strict=True):
        assert_allclose(other[KNOWN], one[KNOWN])
        assert_allclose(other["se"], one["se"] / 2, rtol=1e-12)
        assert_allclose(other["z"], one["z"] * 2, rtol=1e-9)
        assert (other["ci_high"] - other["ci_low"] < one["ci_high"] - one["ci_low"]).all()
    for one, other in zip(plain, frames(ci=ci, population=np.inf), strict=True):
        assert_allclose(other[["se", "ci_low", "p_value"]], one[["se", "ci_low", "p_value"]])


@each("ci", CLOSED)
def test_p_inverts_the_limits(ci):
    limits = frames(ci=ci, population=90)
    for null in (-0.2, 0.3, 0.4, 0.5, 0.6, 0.7):
        for one, tested in zip(limits, frames(ci=ci, population=90, null=null), strict=True):
            outside = (null < one["ci_low"]) | (one["ci_high"] < null)
            assert ((tested["p_value"] < 0.05) == outside).all()


def test_limits_hold_the_value_of_the_population():
    """Of half of the items: without the correction they did in nearly all samples."""
    population = EVERYONE.iloc[:120]
    true = population.kappa.pairs(RATERS)["estimate"].to_numpy()
    draws = [RNG.permutation(120)[:60] for _ in range(400)]
    samples = pd.concat([population.iloc[one].assign(s=i) for i, one in enumerate(draws)])
    found = samples.kappa(population=120).pairs(RATERS, by="s", categories=[0, 1, 2])
    true = np.tile(true, 400)
    holds = (found["ci_low"] <= true) & (true <= found["ci_high"])
    assert 0.93 < holds.mean() < 0.975


def test_a_census_is_known():
    for one in frames(population=60):
        assert_allclose(one["se"], 0, atol=1e-15)
        assert_allclose(one["ci_low"], one["estimate"], atol=1e-7)
        assert_allclose(one["ci_high"], one["estimate"], atol=1e-7)


def test_each_group_may_have_its_own():
    sizes = {"x": 25, "y": 160}
    plain, found = (DRAWN.kappa(population=n).pairs(RATERS, by="g") for n in (None, sizes))
    assert_allclose(found["se"] / plain["se"], np.sqrt([0.2] * 3 + [0.75] * 3))
    other = DRAWN.kappa(population=pd.Series(sizes)).agreement(RATERS, by="g")
    plain = DRAWN.kappa.agreement(RATERS, by="g")
    assert_allclose(other["se"] / plain["se"], np.sqrt([0.2] * 7 + [0.75] * 7))


REFUSED = {
    "more items than the population": {"population": 40},
    "more in a group": {"population": 30, "by": "g"},
    "names without groups": {"population": {"x": 3}},
    "a group without a number": {"population": {"x": 30}, "by": "g"},
    "no number": {"population": "all"},
    "ci='bca'": {"ci": "bca"},
    "cluster": {"cluster": "g"},
    "weight_type='probability'": {"weight_type": "probability", "sample_weight": "w"},
    "vary='both'": {"vary": "both"},
}


@pytest.mark.filterwarnings("ignore::pdkappa.errors.FewClustersWarning")
@raising("population", REFUSED)
def test_the_whole_message(call, refused):
    for method in ("agreement", "pairs")[: 2 - ("vary" in call)]:
        with refused():
            function_of(method)(DRAWN.assign(w=1.5), RATERS, **{"population": 90} | call)


def test_there_is_nothing_to_remark_on_where_every_item_is_known():
    anxiety = pdkappa.datasets.load_anxiety()
    for size, is_told in ((None, True), (21, True), (20, False)):
        study = anxiety.kappa(population=size)
        for found in (study.pairs(), study.agreement()):
            assert ((found["remark"] != "") == is_told).all()
