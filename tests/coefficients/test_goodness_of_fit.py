"""Score limits of two categories: the chi-squared statistic of three counts, solved."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose

from conftest import each
from pdkappa.coefficients.intervals import GoodnessOfFit

pytestmark = pytest.mark.filterwarnings("ignore::pdkappa.errors.KappaWarning")
counts = st.tuples(*[st.integers(0, 30)] * 4)


def chi_squared(table, kappa):
    """Compare the numbers of items in both, one and neither with those of a common kappa."""
    (both, first), (second, neither) = table
    n = both + first + second + neither
    share = (2 * both + first + second) / (2 * n)
    mixed = share * (1 - share)
    expected = n * np.array(
        [share**2 + kappa * mixed, 2 * mixed * (1 - kappa), (1 - share) ** 2 + kappa * mixed]
    )
    return ((np.array([both, first + second, neither]) - expected) ** 2 / expected).sum()


def ratings(table):
    a, b = np.indices((2, 2)).reshape(2, -1).repeat(np.ravel(table), axis=1)
    return _frame(a, b).kappa.pairs(coefficient="scott", ci="score").iloc[0]


def _frame(a, b):
    import pandas as pd

    return pd.DataFrame({"a": a, "b": b})


@given(cells=counts)
def test_the_limits_of_scotts_pi_solve_the_equation(cells):
    table = np.reshape(cells, (2, 2))
    n = table.sum()
    share = (2 * table[0, 0] + table[0, 1] + table[1, 0]) / max(2 * n, 1)
    if n < 2 or share in (0, 1):
        return
    found = ratings(table)
    for limit in found[["ci_low", "ci_high"]]:
        if -1 < limit < 1 and abs(limit - found["estimate"]) > 1e-9:
            assert_allclose(chi_squared(table, limit), 3.841458820694124, rtol=1e-6)
    assert_allclose(found["z"] ** 2, chi_squared(table, 0.0), rtol=1e-9, atol=1e-9)


@given(cells=counts)
def test_a_raised_share_of_agreement_is_within_its_limits(cells):
    """Cohen's kappa and alpha lie above Scott's pi, and so do their limits."""
    table = np.reshape(cells, (2, 2))
    if table.sum() < 2 or ((table.sum(axis=0) > 0).sum() < 2 and (table.sum(axis=1) > 0).sum() < 2):
        return
    a, b = np.indices((2, 2)).reshape(2, -1).repeat(np.ravel(table), axis=1)
    found = {
        c: _frame(a, b).kappa.pairs(coefficient=c, ci="score").iloc[0] for c in ("scott", "cohen")
    }
    for column in ("estimate", "ci_low", "ci_high"):
        if not np.isnan(found["cohen"][column]):
            assert found["cohen"][column] >= found["scott"][column] - 0.35
    assert found["cohen"]["ci_low"] <= found["cohen"]["estimate"] <= found["cohen"]["ci_high"]


@each(
    ("first", "second", "kappa", "n", "least"),
    [
        (0.1, 0.1, 0.33, 20, 0.96),
        (0.02, 0.02, 0.6, 75, 0.96),
        (0.02, 0.02, 0.2, 75, 0.93),
        (0.05, 0.15, 0.4, 20, 0.96),
        (0.3, 0.45, 0.5, 40, 0.93),
        (0.1, 0.6, 0.1, 400, 0.93),
    ],
)
def test_rare_categories_and_unequal_margins_are_covered(first, second, kappa, n, least):
    excess = kappa * (first * (1 - second) + second * (1 - first)) / 2
    both = first * second + excess
    p = [1 - first - second + both, second - both, first - both, both]
    tables = np.random.default_rng(7).multinomial(n, p, size=1500)
    kinds = np.tile(np.indices((2, 2)).reshape(2, -1), len(tables))
    frame = _frame(*kinds).assign(w=tables.ravel(), sample=np.arange(len(tables)).repeat(4))
    found = frame.kappa.pairs(["a", "b"], by="sample", sample_weight="w", ci="score")
    found = found[found["estimate"].notna()]
    covered = found["ci_low"].le(kappa) & found["ci_high"].ge(kappa)
    assert least < covered.mean() < 0.995


def test_the_least_possible_kappa_is_not_rejected_by_itself():
    """One rater used a single category: no table with these shares has a smaller kappa."""
    found = _frame([0, 0, 0, 0, 1], [0, 0, 0, 0, 0]).kappa.pairs(ci="score").iloc[0]
    assert (found["estimate"], found["ci_low"], found["z"], found["p_value"]) == (0, 0, 0, 1)
    assert found["reason"] == "constant_rater"


def test_an_impossible_kappa_is_rejected():
    """With a share of 1/2 every kappa is possible, with one of 1/10 none below -1/9."""
    some = GoodnessOfFit(*(np.array([x]) for x in (0.5, 0.09, 50.0, 1.0, 1.0)))
    assert some.test(-0.2)[1] == 0
    assert some.test(-0.1)[1] > 0
    low, high = some.limits(0.95)
    assert -1 / 9 < low < 0.5 < high < 1
