"""Estimates, limits and p depend on nothing but the ratings: not on labels, nor on any order."""

from __future__ import annotations

from itertools import permutations

import numpy as np
import pandas as pd
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from numpy.testing import assert_allclose

from conftest import each, function_of
from pdkappa.coefficients.chance import COEFFICIENTS
from pdkappa.coefficients.intervals import INTERVALS

pytestmark = pytest.mark.filterwarnings("ignore::pdkappa.errors.KappaWarning")

SAME = ("estimate", "se", "ci_low", "ci_high", "p_value")
NEVER = np.array([[3, 2, 2, 1, 1, 0], [0, 3, 3, 0, 3, 3]])  # on its lower bound, up to rounding
every_interval = each("ci", INTERVALS)
every_coefficient = each("coefficient", COEFFICIENTS)
some = settings(max_examples=8)


def ratings(n_raters):
    """Draw small tables, where estimates often lie on a bound."""
    return st.integers(3, 9).flatmap(
        lambda n: arrays(np.int64, (n_raters, n), elements=st.integers(0, 3))
    )


def all_the_same(codes, function, *, ordered, seed, **options):
    """Rate the same items in other words and orders, each a group of one call."""
    rng = np.random.default_rng(seed)
    labels = [np.arange(4)[::-1]] if ordered else [np.array(one) for one in permutations(range(4))]
    others = [
        codes[::-1],
        codes[:, rng.permutation(codes.shape[1])],
        *(one[codes] for one in labels),
    ]
    raters = list("abc")[: len(codes)]
    versions = enumerate([codes, *others])
    frame = pd.concat(
        pd.DataFrame(dict(zip(raters, one, strict=True))).assign(version=i) for i, one in versions
    )
    found = function(frame, raters, by="version", categories=[0, 1, 2, 3], **options)
    figures = found[list(SAME)].to_numpy(dtype=float).reshape(len(others) + 1, -1)
    assert_allclose(figures, np.repeat(figures[:1], len(figures), axis=0), rtol=1e-6, atol=1e-7)


@every_interval
@every_coefficient
@pytest.mark.parametrize("weights", [None, "quadratic"])
@some
@given(codes=ratings(2), seed=st.integers(0, 9))
@example(codes=NEVER, seed=0)
def test_a_pair_is_the_same_in_other_words(ci, coefficient, weights, *, codes, seed):
    options = {"ci": ci, "coefficient": coefficient, "weights": weights}
    all_the_same(codes, function_of("pairs"), ordered=weights is not None, seed=seed, **options)


@each("ci", ["auto", "fisher", "wald"])
@pytest.mark.parametrize("weights", [None, "quadratic"])
@some
@given(codes=ratings(3), seed=st.integers(0, 9))
def test_all_raters_are_the_same_in_other_words(ci, weights, codes, seed):
    options = {"ci": ci, "weights": weights}
    all_the_same(codes, function_of("agreement"), ordered=weights is not None, seed=seed, **options)
