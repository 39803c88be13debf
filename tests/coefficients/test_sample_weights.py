"""Weights of a sample: errors by matrices, laws over all methods, how often limits hold."""

import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_allclose

import pdkappa
from conftest import each, takes
from pdkappa.coefficients.chance import COEFFICIENTS
from pdkappa.coefficients.influence import standard_error
from pdkappa.coefficients.rating_rows import RatingRows

RNG = np.random.default_rng(5)
TRUTH = RNG.normal(size=90)
ITEMS = pd.DataFrame(
    {name: np.searchsorted([-0.5, 0.6], TRUTH + RNG.normal(0, 0.6, 90)) for name in "abc"}
).assign(g=np.arange(90) % 3, w=RNG.choice([0.5, 5.5], 90, p=[0.7, 0.3]))
ALL = list("abc")
SAMPLE = {"sample_weight": "w", "weight_type": "probability"}
METHODS = {
    "pairs": lambda k: k.pairs(ALL),
    "pairwise": lambda k: k.pairwise(ALL, stat="ci_low"),
    "agreement": lambda k: k.agreement(ALL),
    "raters": lambda k: k.raters(ALL),
    "scores.concordance": lambda k: k.scores.concordance(ALL),
    "compare": lambda k: k.compare(("a", "b"), ("a", "c")),
    "compare_groups": lambda k: k.compare_groups(["a", "b"], by="g"),
    "homogeneity": lambda k: k.homogeneity(ALL),
    "machine.ceiling": lambda k: k.machine.ceiling(["b", "c"], "a"),
    "grouped": lambda k: k.grouped("a", "b", by="g").groups,
    "machine.evaluate": lambda k: k.machine.evaluate("a", "b"),
    "machine.prevalence": lambda k: k.machine.prevalence("a", "b"),
    "machine.mean_score": lambda k: k.machine.mean_score("a", "b"),
    "machine.prediction_powered": lambda k: k.machine.prediction_powered(*ALL),
}


def numbers(frame):
    return frame.select_dtypes("number")


def test_errors_are_cr2_and_satterthwaite_where_variances_are_weights_squared():
    y, weight = RNG.normal(size=9), RNG.uniform(0.2, 4, 9)
    h = weight / weight.sum()
    codes, group = np.zeros((2, 9), dtype=int), np.zeros(9, dtype=int)
    rows = RatingRows(codes, weight, group, 1, 1, np.arange(9), weight**2)
    influence = y - h @ y
    se = standard_error(rows, influence)
    assert_allclose(se**2, ((h * influence) ** 2 / (1 - h)).sum())
    left = np.eye(9) - np.outer(h, np.ones(9))
    weighed = np.diag(1 / (1 - h)) @ left @ np.diag(weight**2) @ left.T
    assert_allclose(rows.units, np.trace(weighed) ** 2 / np.trace(weighed @ weighed) + 1)


@each("method", METHODS)
def test_their_unit_is_nothing_and_fractions_need_a_type(method):
    call = METHODS[method]
    found = call(ITEMS.kappa(**SAMPLE))
    other = call(ITEMS.assign(w=ITEMS["w"] * 10).kappa(**SAMPLE))
    assert_allclose(numbers(found), numbers(other), rtol=1e-9, atol=1e-12, err_msg=method)
    with pytest.raises(pdkappa.errors.WeightsError, match=r"^sample_weight is 5.5, at index"):
        call(ITEMS.kappa(sample_weight="w"))
    as_number = call(ITEMS.kappa(sample_weight="w", weight_type="frequency"))
    assert not numbers(as_number).equals(numbers(found)), method
    names = list(takes(method))
    assert names.index("weight_type") == names.index("sample_weight") + 1


UNEQUAL = ITEMS.assign(w=ITEMS["w"] * 9.0 ** ITEMS["g"])


@each("method", [one for one in METHODS if one != "compare_groups"])
def test_groups_are_what_they_are_alone(method):
    call, options = METHODS[method], SAMPLE if method == "grouped" else {"by": "g"} | SAMPLE
    found = numbers(call(UNEQUAL.kappa(**options))).drop(columns="dsm", errors="ignore")
    for group, items in UNEQUAL.groupby("g"):
        one = found[found.index.get_level_values("g") == group]
        alone = call(items.kappa(**SAMPLE))[found.columns]
        assert_allclose(one, alone, rtol=1e-11, atol=1e-13, err_msg=method)


@each("method", ["pairs", "agreement", "scores.concordance", "compare", "raters"])
def test_items_that_nobody_rated_count_nowhere(method):
    data = ITEMS.astype(float)
    others = pd.DataFrame({"g": [0, 1, 2], "w": [900.0, 5, 40]})
    more = pd.concat([data, others], ignore_index=True)
    for options in (SAMPLE, SAMPLE | {"by": "g"}, SAMPLE | {"missing": "listwise"}):
        expected = numbers(METHODS[method](data.kappa(**options)))
        found = numbers(METHODS[method](more.kappa(**options)))
        assert_allclose(found, expected, rtol=1e-11, atol=1e-13, err_msg=method)


def test_groups_together_count_as_in_the_sample():
    study = UNEQUAL.kappa(**SAMPLE)
    found = study.grouped("a", "b", by="g", weights=None)
    whole = study.pairs(["a", "b"]).iloc[0]
    crude = found.stratified.loc["crude"]
    assert_allclose([crude["estimate"], crude["se"]], [whole["estimate"], whole["se"]])
    share = UNEQUAL.groupby("g")["w"].sum()
    mean = np.average(found.groups["estimate"], weights=share)
    assert_allclose(found.stratified["estimate"]["size"], mean)
    apart = study.machine.evaluate("a", "b", by="g")["dsm"]
    assert_allclose(np.average(apart, weights=share), 0, atol=1e-12)


@each("coefficient", COEFFICIENTS)
def test_equal_ones_are_none_but_for_the_divisor(coefficient):
    plain = ITEMS.kappa.pairs(ALL, coefficient=coefficient)
    options = {"sample_weight": np.full(90, 0.4), "weight_type": "probability"}
    found = ITEMS.kappa(**options).pairs(ALL, coefficient=coefficient)
    assert_allclose(found["estimate"], plain["estimate"], rtol=1e-12)
    assert_allclose(found["n_items"], 90)
    assert_allclose(found["se"], plain["se"] * np.sqrt(90 / 89), rtol=1e-9)
    whole = ITEMS.assign(w=ITEMS["w"] * 2)
    twice = {"sample_weight": "w", "coefficient": coefficient}
    frequent = whole.kappa(weight_type="frequency").pairs(ALL, **twice)
    pd.testing.assert_frame_equal(whole.kappa.pairs(ALL, **twice), frequent)


def test_limits_hold_the_true_kappa():
    """As numbers of items, they did in .75 of the samples: errors were .57 of what they are."""

    def drawn(reps, n):
        truth = RNG.normal(size=reps * n)
        scores = truth + RNG.normal(0, 0.6, (2, reps * n))
        a, b = np.searchsorted([-0.8, 0.8], scores)
        weight = np.where(RNG.random(reps * n) < 0.1, 5.5, 0.5)
        return pd.DataFrame({"a": a, "b": b, "w": weight, "rep": np.repeat(range(reps), n)})

    true = drawn(1, 400_000).kappa.pairs(["a", "b"])["estimate"].item()
    options = {"by": "rep", "sample_weight": "w"}
    found = drawn(1000, 100).kappa(weight_type="probability").pairs(["a", "b"], **options)
    holds = found["ci_low"].le(true) & found["ci_high"].ge(true)
    assert 0.93 < holds.mean() < 0.98
    assert 0.9 < np.sqrt((found["se"] ** 2).mean()) / found["estimate"].std() < 1.1


def test_few_unequal_ones_warn_of_no_clusters_and_clusters_are_drawn():
    few = ITEMS.head(12)
    few.kappa(weight_type="probability").agreement(ALL, sample_weight="w")
    options = {"sample_weight": "w", "weight_type": "probability", "n_resamples": 99, "rng": 1}
    drawn = ITEMS.kappa(**options).pairs(ALL, ci="bca")
    plain = ITEMS.kappa(**SAMPLE).pairs(ALL)
    assert_allclose(drawn["estimate"], plain["estimate"])
    assert (drawn["ci_low"] < drawn["estimate"]).all()
    twice = pd.concat([ITEMS] * 2, ignore_index=True)
    one = twice.kappa(**options).pairs(ALL, cluster=np.arange(180), ci="bca")
    each_its_own = twice.kappa(**options).pairs(ALL, ci="bca")
    pd.testing.assert_frame_equal(one, each_its_own)
