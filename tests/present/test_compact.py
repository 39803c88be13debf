"""The cells of a short table: each kind of column, limits in the cell, squares of raters."""

import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_array_equal

import pdkappa
from conftest import each
from pdkappa.present.text_cells import matrix_cells, written
from pdkappa.present.text_markup import UNDEFINED

nan = float("nan")
pytestmark = pytest.mark.filterwarnings("ignore::pdkappa.errors.CrudeKappaWarning")

ESSAYS = pdkappa.datasets.load_essays()
RATERS = ["human_1", "human_2", "machine"]


@each(
    ("value", "kind", "expected"),
    [
        (0.71449, "agreement", "0.71"),
        (-0.001, "agreement", "0.00"),
        (0.02849, "measure", "0.028"),
        (1, "measure", "1"),
        (300, "count", "300"),
        (1234567.0, "count", "1234567"),
        (12.5, "count", "12.5"),
        (1.234, "z", "1.23"),
        (0.04999, "p", "0.0500"),
        (0.0001, "p", "0.0001"),
        (0.00009999, "p", "<0.0001"),
        (0.0, "p", "<0.0001"),
        (2.7e-15, "difference", "2.7e-15"),
        (True, "flag", "yes"),
        (np.False_, "flag", "no"),
        (nan, "agreement", UNDEFINED),
        (pd.NA, "count", UNDEFINED),
        (None, "flag", UNDEFINED),
        (None, "label", ""),
        (nan, "text", ""),
        ("two\nlines", "label", "two lines"),
        ((1, "x"), "label", "(1, 'x')"),
        (True, "label", "True"),
        (2.483721, "label", "2.484"),
        (1.66, "label", "1.660"),
        (-12345.6789, "label", "-12345.679"),
        (0.00123456, "label", "0.001235"),
        (-0.0, "label", "0"),
        (float("inf"), "label", "inf"),
        (np.int64(7), "label", "7"),
    ],
)
def test_a_value_is_written_as_its_kind(value, kind, expected):
    assert written(value, kind) == expected


@each("by", [None, "essay_set", ["essay_set", "twice"]])
def test_the_cells_of_a_square_are_those_of_the_pairs(by):
    essays = ESSAYS.assign(twice=ESSAYS["essay_set"] % 2)
    options = {"raters": RATERS, "by": by, "weights": "quadratic"}
    matrix, pairs = essays.kappa.pairwise(**options), essays.kappa.pairs(**options)
    cells = matrix_cells(matrix, pairs)
    assert_array_equal(cells.heat, matrix)
    assert cells.text.index.equals(matrix.index)
    groups = [] if by is None else by if isinstance(by, list) else [by]
    for row in pairs.reset_index().to_dict("records"):
        expected = f"{row['estimate']:.2f} [{row['ci_low']:.2f}, {row['ci_high']:.2f}]"
        group = tuple(row[name] for name in groups)
        for a, b in [("rater_a", "rater_b"), ("rater_b", "rater_a")]:
            label = (*group, row[a]) if group else row[a]
            assert cells.text.loc[label, row[b]] == expected
    assert cells.text.iloc[0, 0] == "1.00"
