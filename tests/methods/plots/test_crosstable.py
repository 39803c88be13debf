"""Residuals from chance."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp
from numpy.testing import assert_allclose
from scipy.stats import chi2_contingency

from pdkappa.methods.plots import residuals

tables = (
    st.integers(1, 5)
    .flatmap(lambda k: hnp.arrays(np.int64, (k, k), elements=st.integers(0, 9)))
    .map(lambda table: table.astype(float))
)


@given(tables)
def test_residuals_add_up_to_the_chi_square_of_scipy(table):
    found = residuals(table)
    rows, columns = table.sum(axis=1) > 0, table.sum(axis=0) > 0
    assert (np.isfinite(found) == np.outer(rows, columns)).all()
    if rows.any():
        used = chi2_contingency(table[np.ix_(rows, columns)], correction=False)
        assert_allclose(np.nansum(found**2), used.statistic, atol=1e-9)
