"""Tables that are equal are found, whatever they are numbered, and none that only look equal."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pdkappa.counts.core import equal_tables
from pdkappa.counts.core.equal_tables import distinct_tables
from pdkappa.counts.core.pairs import PairCounts


def many_tables(seed, *, fractional=False):
    """Tables of up to three items, some without any."""
    rng = np.random.default_rng(seed)
    dense = np.zeros((5000, 3, 3))
    for _ in range(3):
        there = rng.random(5000) < 0.6
        row, col = rng.integers(0, 3, (2, 5000))
        np.add.at(dense, (np.flatnonzero(there), row[there], col[there]), 0.5 if fractional else 1)
    return PairCounts.from_tables(dense)


@given(st.integers(0, 99), st.booleans())
def test_every_table_is_one_of_those_that_differ(seed, fractional):
    counts = many_tables(seed, fractional=fractional)
    distinct, number = distinct_tables(counts)
    dense = distinct.tables()
    assert len(np.unique(dense, axis=0)) == distinct.n_tables < counts.n_tables / 2
    np.testing.assert_array_equal(dense[number], counts.tables())


def test_tables_of_one_digest_may_differ(monkeypatch):
    monkeypatch.setattr(equal_tables, "MIXERS", (0, 0, 0))
    assert distinct_tables(many_tables(1)) is None


@pytest.mark.parametrize("name", ["FEWEST_TABLES", "MOST_CELLS"])
def test_where_little_is_to_be_won_nothing_is_done(name, monkeypatch):
    monkeypatch.setattr(equal_tables, name, {"FEWEST_TABLES": 5001, "MOST_CELLS": 0}[name])
    assert distinct_tables(many_tables(1)) is None
