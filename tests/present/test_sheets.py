"""Frames to grids: names of worksheets, labels, widths, and the limits with whole messages."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from conftest import each
from pdkappa.errors import ExportError
from pdkappa.present.excel_grids import make_grid, make_grids, sheet_names
from pdkappa.present.sheets import Sheet, totals_in


@each(
    ("wanted", "expected"),
    [
        (["Pairs", "pairs", "PAIRS"], ["Pairs", "pairs (2)", "PAIRS (3)"]),
        (["a", "a", "a (2)"], ["a", "a (2)", "a (2) (2)"]),
        (["[a]:b*c?d/e\\f"], ["_a__b_c_d_e_f"]),
        (["'a'", "it's", "''"], ["a", "it's", "Sheet"]),
        (["History", "HISTORY", "history 1"], ["History_", "HISTORY_ (2)", "history 1"]),
        (["", " ", ""], ["Sheet", "Sheet (2)", "Sheet (3)"]),
        (["x" * 40, "X" * 31], ["x" * 31, "X" * 27 + " (2)"]),
        (["\U0001f600" * 16], ["\U0001f600" * 15]),
        (["a\tb\nc\x00\ud800\uffff"], ["a_b_c___"]),
        (["x" * 30 + "'y"], ["x" * 30]),
        (["straße", "STRASSE", "\uff41", "A"], ["straße", "STRASSE (2)", "\uff41", "A (2)"]),
        ([], []),
    ],
)
def test_sheet_names(wanted, expected):
    assert sheet_names(wanted) == expected


@given(st.lists(st.text(st.characters() | st.sampled_from("[]:*?/\\' ")), max_size=30))
def test_names_are_always_valid_and_unique(wanted):
    names = sheet_names(wanted)
    assert len(names) == len(wanted)
    assert len({name.casefold() for name in names}) == len(names)
    for name in names:
        assert 1 <= len(name.encode("utf-16-le")) // 2 <= 31
        assert not set("[]:*?/\\") & set(name)
        assert name == name.strip("'")
        assert name.casefold() != "history"


def grid(frame, kind="table", **options):
    return make_grid(Sheet("S", frame, "Title", kind=kind, **options), "S")


@each(("values", "kind"), [([[1, 2]], "count"), ([[1.0, 2.0]], "count"), ([[0.5, 1.0]], "measure")])
def test_shares_of_a_confusion_matrix_have_decimals(values, kind):
    assert grid(pd.DataFrame(values), "confusion").kinds[1:] == [kind, kind]


@each(
    ("values", "kind"),
    [([1, 2], "count"), ([1.0, None], "count"), ([0.5, 1.0], "measure"), ([], "count")],
)
def test_counts_that_are_not_whole_have_decimals(values, kind):
    assert grid(pd.DataFrame({"n_items": values})).kinds == [kind]


@each("kind", ["table", "matrix", "confusion", "text"])
@each("frame", [pd.DataFrame(), pd.DataFrame({"x": []}), pd.DataFrame(index=[1])])
def test_empty_frames(frame, kind):
    found = grid(frame, kind)
    assert len(found.strong_rows) == len(frame)
    assert len(found.widths) == len(found.columns) == len(found.kinds)


def frame_of_rows(n):
    return pd.DataFrame({"x": np.zeros(n, dtype="int8")})


WIDE = pd.DataFrame(np.zeros((1, 16_384), dtype="int8"))


def test_a_sheet_may_be_full():
    assert len(grid(WIDE, index=False).columns) == 16_384


def test_what_is_too_large(refuses):
    for place, (frame, options) in enumerate(
        [
            (frame_of_rows(1_048_574), {}),
            (frame_of_rows(1_048_572), {"notes": ("a note",)}),
            (WIDE, {"kind": "matrix"}),
        ]
    ):
        with refuses(place):
            grid(frame, **options)


def test_a_text_that_is_too_long(refuses):
    with refuses():
        grid(pd.DataFrame({"rater_a": ["ok", "x" * 32_768]}))


def test_the_longest_text_fits():
    assert grid(pd.DataFrame({"x": ["x" * 32_767]})).columns == [["x" * 32_767]]


FIGURES = pd.DataFrame(
    {"value": [12.0, 0.5], "meaning": ["number of items", "x" * 200]},
    pd.Index(["n_items", "estimate"], name="figure"),
)


def test_parts_must_fit_the_worksheet(monkeypatch):
    monkeypatch.setattr("pdkappa.present.excel_grids.MAX_ROWS", 10)
    make_grids(Sheet("S", FIGURES, "Title"), "S")
    with pytest.raises(ExportError, match="'S' needs 11 rows, and 10 is the most"):
        make_grids(Sheet("S", FIGURES, "Title", parts=(Sheet("p", FIGURES, "P"),)), "S")


def test_a_category_called_as_the_sum_is_no_sum():
    assert totals_in(pd.Index(["total", "x", "total"]), ("total",)).tolist() == [False, False, True]
