"""Shares with their limits and tests of them: other packages, laws, simple cases."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose
from scipy import stats
from statsmodels.stats.contingency_tables import mcnemar as of_statsmodels
from statsmodels.stats.oneway import anova_oneway
from statsmodels.stats.proportion import proportion_confint

from pdkappa.coefficients.rating_rows import RatingRows
from pdkappa.methods.machine.verdicts import (
    all_equal,
    mcnemar,
    mean_of,
    rate,
    ratio,
    shift_of_share,
)

seeds = st.integers(0, 2**32 - 1)


@given(seeds)
def test_limits_and_tests_are_those_of_other_packages(seed):
    rng = np.random.default_rng(seed)
    n, hits = 40, int(rng.integers(0, 41))
    expected = proportion_confint(hits, n, method="wilson")
    assert_allclose(rate(hits / n, n, 0.95)[1:], np.clip(expected, 0, 1), atol=1e-12)
    values = (np.arange(n) < hits).astype(float)
    once = ratio(values, np.ones(n), np.ones(n), 0.95)
    assert_allclose(once, (hits / n, *np.clip(expected, 0, 1)), atol=1e-12)
    gained, lost = rng.integers(0, 12, 2)
    table = of_statsmodels([[3, gained], [lost, 4]], exact=True)
    assert_allclose(mcnemar(gained, lost), table.pvalue)
    groups = [rng.normal(rng.normal(), size, 20) for size in (1.0, 2.0, 0.5)]
    welch = anova_oneway(groups, use_var="unequal", welch_correction=True).pvalue
    se = np.array([stats.sem(one) for one in groups])
    assert_allclose(
        all_equal(np.array([one.mean() for one in groups]), se, np.full(3, 19.0)), welch, rtol=1e-7
    )
    low, high = stats.t.interval(0.9, 19, groups[0].mean(), se[0])
    rows = RatingRows(np.zeros((1, 20), int), np.ones(20), np.zeros(20, int), 1, 1)
    assert_allclose(mean_of(rows, groups[0], 0.9), (groups[0].mean(), low, high))


def test_limits_of_a_shift_are_those_of_agresti_and_min():
    """Wald's, of a table with half an item more in each of its four cells."""
    gained, lost, n = 14, 6, 60
    table = np.array([[30.0, lost], [gained, 10.0]]) + 0.5
    share = table / table.sum()
    middle = share[1, 0] - share[0, 1]
    half = stats.norm.ppf(0.975) * np.sqrt((share[1, 0] + share[0, 1] - middle**2) / table.sum())
    expected = ((gained - lost) / n, middle - half, middle + half)
    assert_allclose(shift_of_share(gained, lost, n, 0.95), expected)
