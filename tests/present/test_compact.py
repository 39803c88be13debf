"""The cells of a short table: each kind of column, limits in the cell, squares of raters."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_array_equal

import pdkappa
from conftest import each
from pdkappa.present.text_markup import UNDEFINED
from pdkappa.present.text_tables import cells_of, is_matrix, matrix_cells, written

nan = float("nan")
pytestmark = pytest.mark.filterwarnings("ignore::pdkappa.CrudeKappaWarning")

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


def test_digits_are_those_of_coefficients():
    assert written(0.71449, "agreement", 3) == "0.714"
    assert written(0.71449, "measure", 3) == "0.7145"
    assert written(1.2345, "z", 3) == "1.23"


def test_limits_stand_in_the_cell_of_what_they_belong_to():
    frame = pd.DataFrame(
        {
            "n_items": [8, 9],
            "estimate": [0.5, nan],
            "se": [0.1, nan],
            "ci_low": [0.2, nan],
            "ci_high": [0.7, nan],
            "qwk": [0.3, 0.4],
            "reason": ["", "no_items"],
        }
    )
    cells = cells_of(frame, level=0.9)
    assert cells.text.to_dict("list") == {
        "n_items": ["8", "9"],
        "estimate [90% CI]": ["0.50 [0.20, 0.70]", UNDEFINED],
        "se": ["0.100", UNDEFINED],
        "qwk": ["0.30", "0.40"],
        "reason": ["", "no_items"],
    }
    assert_array_equal(cells.heat[:, 1], [0.5, nan])
    assert np.isnan(cells.heat[:, [0, 2, 3, 4]]).all()


def test_an_estimate_without_limits_is_coloured_too():
    cells = cells_of(pd.DataFrame({"estimate": [0.5]}))
    assert list(cells.text) == ["estimate"]
    assert cells.heat.tolist() == [[0.5]]


@each(("level", "expected"), [(None, "CI"), (0.95, "95% CI"), (0.999, "99.9% CI")])
def test_the_heading_names_the_level(level, expected):
    frame = pd.DataFrame({"estimate": [0.5], "ci_low": [0.1], "ci_high": [0.7]})
    assert list(cells_of(frame, level=level).text) == [f"estimate [{expected}]"]


@each("reason", ["", None, nan])
def test_reasons_are_left_out_where_there_are_none(reason):
    frame = pd.DataFrame({"estimate": [0.5], "reason": [reason]})
    assert list(cells_of(frame).text) == ["estimate"]


def test_labels_on_the_left_become_labels_of_the_rows():
    cells = cells_of(ESSAYS.kappa.pairs(RATERS, by="essay_set"))
    assert list(cells.text.index.names) == ["essay_set", "rater_a", "rater_b"]
    assert next(iter(cells.text)) == "n_items"
    frame = pd.DataFrame({"rater_a": ["x"], "rater_b": ["y"]})
    assert list(cells_of(frame).text) == ["rater_b"]  # something must be left to be shown


def test_numbers_with_decimals_are_no_labels():
    frame = pd.DataFrame({"class": ["x"], "cut": [0.123456], "n_items": [3]})
    assert cells_of(frame).text.to_dict("list") == {"cut": ["0.123"], "n_items": ["3"]}


def test_a_frame_without_rows():
    frame = ESSAYS.kappa.pairs(RATERS).iloc[:0]
    assert cells_of(frame).text.shape == (0, 8)
    assert cells_of(frame).heat.shape == (0, 8)


# --- Squares ---------------------------------------------------------------------------------


def test_a_square_of_raters_is_told_from_other_frames():
    assert is_matrix(ESSAYS.kappa.pairwise(RATERS))
    assert is_matrix(ESSAYS.kappa.pairwise(RATERS, by="essay_set"))
    assert not is_matrix(ESSAYS.kappa.confusion("human_1", "human_2"))
    assert not is_matrix(ESSAYS.kappa.pairs(RATERS))
    assert not is_matrix(pd.DataFrame())


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


def test_raters_that_are_tuples():
    frame = pd.DataFrame({("x", 1): [1, 2, 3, 1], ("x", 2): [1, 2, 3, 2]})
    cells = matrix_cells(frame.kappa.pairwise(), frame.kappa.pairs())
    assert cells.text.shape == (2, 2)
    assert cells.text.iloc[0, 1].startswith("0.64 [")


@each("stat", ["n_items", "z", "p_value", "se", "ci_low", "reason"])
def test_what_is_no_coefficient_has_no_colour(stat):
    cells = cells_of(ESSAYS.kappa.pairwise(RATERS, stat=stat))
    assert np.isnan(cells.heat).all()
    assert cells.text.shape == (3, 3)


def test_undefined_cells_of_a_square():
    frame = pd.DataFrame({"a": [1, 1], "b": [1, 1]}, dtype=float)
    with pytest.warns(pdkappa.UndefinedKappaWarning):
        cells = cells_of(frame.kappa.pairwise())
    assert (cells.text == UNDEFINED).all(axis=None)
