"""Steps from counts to a coefficient, against sums written out, and against the coefficient."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose

from conftest import each, scale_of
from pdkappa.coefficients.chance import COEFFICIENTS, chance_corrected
from pdkappa.coefficients.pair_counts import PairCounts
from pdkappa.coefficients.weights import WEIGHTS
from pdkappa.methods.workbook.sheets import steps_of


def tables(k):
    cells = st.lists(st.integers(0, 9), min_size=k * k, max_size=k * k)
    return cells.map(lambda counts: np.array(counts).reshape(k, k))


@given(table=st.integers(2, 4).flatmap(tables))
@each("weights", WEIGHTS)
def test_the_steps_are_the_sums_that_they_are_named_after(weights, table):
    k, n = len(table), table.sum()
    if n == 0:
        return
    apart = scale_of(weights, k).matrix()
    found = steps_of(table, apart, COEFFICIENTS["cohen"])
    pairs = [(i, j) for i in range(k) for j in range(k)]
    rows, columns = table.sum(axis=1) / n, table.sum(axis=0) / n
    assert found.n_items == n
    assert_allclose(found.largest_disagreement, max(apart[pair] for pair in pairs))
    assert_allclose(found.even_disagreement, sum(apart[pair] for pair in pairs) / k**2)
    observed = sum(table[pair] * apart[pair] for pair in pairs) / n
    assert_allclose(found.observed_disagreement, observed, atol=1e-15)
    for name, one, other in (("ab", rows, columns), ("aa", rows, rows), ("bb", columns, columns)):
        expected = sum(one[i] * other[j] * apart[i, j] for i, j in pairs)
        assert_allclose(getattr(found, f"margins_{name}"), expected, atol=1e-15)
        same = sum(one[i] * other[i] for i in range(k))
        assert_allclose(getattr(found, f"same_{name}"), same, atol=1e-15)


@given(table=tables(3), weights=st.sampled_from([None, "linear", "quadratic", "bipolar"]))
@each("name", COEFFICIENTS)
def test_one_less_their_ratio_is_the_coefficient(name, table, weights):
    scale, model = scale_of(weights, 3), COEFFICIENTS[name]
    found = steps_of(table, scale.matrix(), model)
    expected = chance_corrected(PairCounts.from_tables(table[None]), scale, model)
    if table.sum() and found.expected_disagreement > 0:
        ratio = found.observed_disagreement / found.expected_disagreement
        assert_allclose(1 - ratio, expected.estimate[0], atol=1e-12)
    else:
        assert np.isnan(expected.estimate[0])
    if name == "cohen":
        assert_allclose(found.cohen_kappa, expected.estimate[0], atol=1e-12)
