"""Estimates, limits and p depend on nothing but the ratings: not on labels, nor on any order."""

from itertools import permutations

import numpy as np
import pandas as pd
import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from numpy.testing import assert_allclose
from pandas.testing import assert_frame_equal

from conftest import each, function_of
from pdkappa.coefficients.all_raters import MULTIRATER
from pdkappa.coefficients.chance import COEFFICIENTS
from pdkappa.coefficients.intervals import INTERVALS
from pdkappa.coefficients.weights import WEIGHTS

pytestmark = pytest.mark.filterwarnings("ignore::pdkappa.errors.KappaWarning")

SAME = ("estimate", "se", "ci_low", "ci_high", "p_value")
NEVER = np.array([[3, 2, 2, 1, 1, 0], [0, 3, 3, 0, 3, 3]])  # on its lower bound, up to rounding
# Resampled limits are left out: what is drawn depends on where an item stands.
intervals = st.sampled_from([*INTERVALS, "jackknife"])
weightings, coefficients = st.sampled_from([*WEIGHTS]), st.sampled_from([*COEFFICIENTS])
orders = {  # of labels, that leave the disagreement of every two ratings what it is
    None: [np.array(one) for one in permutations(range(4))],
    "ratio": [],
    "circular": [np.roll(np.arange(4), 1), np.arange(4)[::-1]],
}


def ratings(n_raters):
    """Draw small tables, where estimates often lie on a bound."""
    return st.integers(3, 9).flatmap(
        lambda n: arrays(np.int64, (n_raters, n), elements=st.integers(0, 3))
    )


def all_the_same(codes, function, *, weights, seed, **options):
    """Rate the same items in other words and orders, each a group of one call."""
    rng = np.random.default_rng(seed)
    others = [
        codes[::-1],
        codes[:, rng.permutation(codes.shape[1])],
        *(one[codes] for one in orders.get(weights, [np.arange(4)[::-1]])),
    ]
    raters = list("abc")[: len(codes)]
    versions = enumerate([codes, *others])
    frame = pd.concat(
        pd.DataFrame(dict(zip(raters, one, strict=True))).assign(version=i) for i, one in versions
    )
    options |= {"by": "version", "weights": weights, "categories": [0, 1, 2, 3]}
    found = function(frame, raters, **options)
    figures = found[list(SAME)].to_numpy(dtype=float).reshape(len(others) + 1, -1)
    assert_allclose(figures, np.repeat(figures[:1], len(figures), axis=0), rtol=1e-6, atol=1e-7)


@given(ratings(2), intervals, coefficients, weightings, st.integers(0, 9))
@example(NEVER, "auto", "gwet", None, 0)
@example(NEVER, "score", "brennan_prediger", "quadratic", 0)
def test_a_pair_is_the_same_in_other_words(codes, ci, coefficient, weights, seed):
    options = {"ci": ci, "coefficient": coefficient, "weights": weights}
    all_the_same(codes, function_of("pairs"), seed=seed, **options)


@given(ratings(3), intervals, weightings, st.sampled_from(["items", "ratings"]), st.integers(0, 9))
def test_all_raters_are_the_same_in_other_words(codes, ci, weights, shares, seed):
    options = {"ci": ci, "weights": weights, "shares": shares}
    all_the_same(codes, function_of("agreement"), seed=seed, **options)


@given(ratings(3), st.sampled_from([*MULTIRATER]), weightings, st.integers(0, 9))
def test_items_may_be_counted_or_listed(codes, coefficient, weights, seed):
    """Items that are alike are one row with their number, or as many rows in any order."""
    frame = pd.DataFrame(codes.T, columns=list("abc"))
    counted = frame.value_counts().rename("n").reset_index()
    shuffled = frame.sample(frac=1, random_state=seed)
    options = {"coefficients": [coefficient], "weights": weights, "categories": [0, 1, 2, 3]}
    expected, other = (one.kappa.agreement(list("abc"), **options) for one in (frame, shuffled))
    weighed = counted.kappa.agreement(list("abc"), sample_weight="n", **options)
    for found in (other, weighed):
        figures = [one[list(SAME)].to_numpy(dtype=float) for one in (found, expected)]
        assert_allclose(*figures, rtol=1e-6, atol=1e-7)


WHERE = ["mean_a", "mean_b", "min_a", "max_a", "min_b", "max_b"]  # which move with the scores
OF_SCORES = {
    "scores.concordance": {},
    "scores.within": {"tolerance": 0.25},
    "scores.kendall_w": {},
    "icc": {},
    "machine.evaluate": {"by": "g"},
    "machine.readiness": {},
    "machine.fairness": {"by": "g"},
}


@each("size", [2.0**40, -(2.0**42)])
@each("whole", [True, False])
def test_large_scores_that_differ_by_little_are_compared_as_small_ones(size, whole):
    """As times in milliseconds since 1970 are, of which means have more digits than a float."""
    rng = np.random.default_rng(3)
    truth, errors = rng.integers(1, 6, (200, 1)), rng.integers(-1, 2, (200, 3))
    small = pd.DataFrame(truth + errors, columns=["a", "b", "m"], dtype=float)
    small["m"] += 0 if whole else rng.integers(-8, 9, 200) / 16
    groups = {"g": rng.choice(["x", "y"], 200)}
    for name, options in OF_SCORES.items():
        of_machine = name.startswith("machine")
        raters = (["a", "b"], "m") if of_machine else (["a", "b", "m"],)
        raters = ("a", "m") if name == "machine.fairness" else raters
        study = {"n_resamples": 40, "rng": 0} if name == "machine.readiness" else {}
        found, expected = (
            function_of(name)(one.assign(**groups), *raters, **study, **options)
            for one in (small + size, small)
        )
        for table in getattr(expected, "tables", {"": expected}):
            one, other = (getattr(x, "tables", {"": x})[table] for x in (found, expected))
            dropped = [*{*WHERE} & {*one}]
            one, other = (x.drop(columns=dropped) for x in (one, other))
            assert_frame_equal(pd.DataFrame(one), pd.DataFrame(other), rtol=1e-6, atol=1e-9)
