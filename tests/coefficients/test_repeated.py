"""Equal tables are found, and nothing else is."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from pdkappa.coefficients.pair_counts import PairCounts
from pdkappa.coefficients.rating_rows import repeated, taken


@given(st.integers(0, 2**32 - 1), st.booleans(), st.sampled_from([1, 1.0, 0.5, 10**6]))
def test_equal_tables_are_worked_out_once(seed, of_kinds, unit):
    rng = np.random.default_rng(seed)
    few = rng.integers(0, 3, (4, 3, 3)) * unit
    tables = few[rng.integers(0, 4, 40)]
    counts = PairCounts.from_tables(tables)
    kinds = [rng.integers(0, 2, (40, 3)) > 0] if of_kinds else []
    found = repeated(counts, kinds)
    keys = [
        (table.tobytes(), *(kind[number].tobytes() for kind in kinds))
        for number, table in enumerate(tables)
    ]
    assert (found is None) == (2 * len(set(keys)) > len(keys))
    if found is not None:
        assert len(found.first) == len(set(keys))
        assert [keys[place] for place in found.first[found.number]] == keys
        distinct = taken(counts, found.first)
        np.testing.assert_array_equal(distinct.tables()[found.number], tables)
