"""Frames to grids: names of worksheets, labels, widths, and the limits with whole messages."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from conftest import each
from pdkappa.errors import ExportError
from pdkappa.present.excel_grids import make_grid, make_grids, shared_widths, sheet_names
from pdkappa.present.sheets import Sheet

# --- names -------------------------------------------------------------------------------------


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


@given(st.lists(st.from_regex(r"[a-z]{1,31}", fullmatch=True), unique=True))
def test_good_names_are_kept(wanted):
    wanted = [name for name in wanted if name != "history"]
    assert sheet_names(wanted) == wanted


# --- cells -------------------------------------------------------------------------------------


def grid(frame, kind="table", **options):
    return make_grid(Sheet("S", frame, "Title", kind=kind, **options), "S")


def test_a_default_index_is_left_out_of_a_table():
    found = grid(pd.DataFrame({"rater_a": ["x"], "estimate": [0.5]}))
    assert found.n_labels == 0
    assert found.header == [["rater_a", "estimate"]]
    assert found.columns == [["x"], [0.5]]
    assert found.kinds == ["label", "agreement"]


@each(
    ("index", "kind", "option", "shown"),
    [
        (pd.RangeIndex(2), "table", None, False),
        (pd.RangeIndex(2, name="essay_set"), "table", None, True),
        (pd.Index([0, 1]), "table", None, True),
        (pd.Index(["a", "b"]), "table", False, False),
        (pd.RangeIndex(2), "table", True, True),
        (pd.RangeIndex(2), "matrix", None, True),
        (pd.RangeIndex(2), "confusion", None, True),
        (pd.Index(["a", "b"]), "text", None, False),
    ],
)
def test_whether_the_index_is_shown(index, kind, option, shown):
    found = grid(pd.DataFrame({"x": [1, 2]}, index=index), kind, index=option)
    assert found.n_labels == shown


def test_every_level_of_the_index_is_shown_in_every_row():
    index = pd.MultiIndex.from_product([[1, 2], ["a", "b"]], names=["essay_set", "rater"])
    found = grid(pd.DataFrame(np.eye(4, 2), index, ["a", "b"]), "matrix")
    assert found.header == [["essay_set", "rater", "a", "b"]]
    assert found.columns[:2] == [[1, 1, 2, 2], ["a", "b", "a", "b"]]


def test_several_levels_of_columns():
    columns = pd.MultiIndex.from_tuples([("one", "se"), ("two", "p_value")])
    found = grid(pd.DataFrame([[0.1, 0.2]], pd.Index(["x"], name="set"), columns))
    assert found.header == [[None, "one", "two"], ["set", "se", "p_value"]]
    assert found.kinds == ["label", "measure", "p"]


def test_duplicate_columns():
    frame = pd.DataFrame([[1, "a"], [2, "b"]], columns=["x", "x"])
    assert grid(frame).columns == [[1, 2], ["a", "b"]]


def test_a_confusion_matrix_says_who_is_where():
    frame = pd.DataFrame(
        [[1, 2], [3, 4]], pd.Index([0, 1], name="human"), pd.Index([0, 1], name="machine")
    )
    found = grid(frame, "confusion")
    assert found.header == [[None, "Columns: machine", None], ["Rows: human", 0, 1]]


def test_a_confusion_matrix_without_names():
    found = grid(pd.DataFrame([[1, 2], [3, 4]]), "confusion")
    assert found.header == [[None, "Columns", None], ["Rows", 0, 1]]


def test_a_confusion_matrix_by_group():
    index = pd.MultiIndex.from_product([["s"], [0, 1]], names=["essay_set", "human"])
    found = grid(pd.DataFrame(np.eye(2, dtype=int), index), "confusion", emphasis=(1,))
    assert found.header[1][:2] == ["essay_set", "Rows: human"]
    assert found.strong_rows == [False, True]
    assert found.strong_columns == [False, False, False, True]


@each(("values", "kind"), [([[1, 2]], "count"), ([[1.0, 2.0]], "count"), ([[0.5, 1.0]], "measure")])
def test_shares_of_a_confusion_matrix_have_decimals(values, kind):
    assert grid(pd.DataFrame(values), "confusion").kinds[1:] == [kind, kind]


@each(
    ("values", "kind"),
    [([1, 2], "count"), ([1.0, None], "count"), ([0.5, 1.0], "measure"), ([], "count")],
)
def test_counts_that_are_not_whole_have_decimals(values, kind):
    assert grid(pd.DataFrame({"n_items": values})).kinds == [kind]


def test_a_matrix_has_the_format_of_its_statistic():
    assert grid(pd.DataFrame([[0.01]]), "matrix", stat="p_value").kinds == ["label", "p"]


@pytest.mark.needs("pyarrow")
@each("dtype", ["Int64", "int64[pyarrow]", "object"])
def test_nullable_integers_stay_integers(dtype):
    found = grid(pd.DataFrame({"n_items": pd.array([2**53 + 1, None, 3], dtype=dtype)}))
    assert found.columns == [["9007199254740993", None, 3]]


def test_headings_of_a_text():
    frame = pd.DataFrame([["Options", None], ["weights", "linear"], ["Versions", ""]])
    found = grid(frame, "text")
    assert found.header == []
    assert found.strong_rows == [True, False, True]


def test_a_text_of_one_column_is_not_all_headings():
    assert grid(pd.DataFrame({"line": ["a", "b"]}), "text").strong_rows == [False, False]


def test_emphasis_with_labels_that_cannot_be_compared():
    frame = pd.DataFrame({"x": [1, 2, 3]}, index=[pd.NA, np.nan, "all"])
    assert grid(frame, emphasis=("all",)).strong_rows == [False, False, True]


@each("kind", ["table", "matrix", "confusion", "text"])
@each("frame", [pd.DataFrame(), pd.DataFrame({"x": []}), pd.DataFrame(index=[1])])
def test_empty_frames(frame, kind):
    found = grid(frame, kind)
    assert len(found.strong_rows) == len(frame)
    assert len(found.widths) == len(found.columns) == len(found.kinds)


# --- widths ------------------------------------------------------------------------------------


def test_columns_fit_what_they_hold_and_not_the_title():
    frame = pd.DataFrame({"rater_a": ["a" * 20], "observed_agreement": [0.123456789]})
    short = make_grid(Sheet("S", frame, "T"), "S").widths
    long = make_grid(Sheet("S", frame, "T" * 500, notes=("N" * 500,)), "S").widths
    assert short == long
    assert 20 <= short[0] <= 24
    assert 18 <= short[1] <= 22


def test_widths_have_limits():
    found = grid(pd.DataFrame({"a": ["word " * 100], "z": [1.0]}))
    assert found.widths == [50, 8]
    assert found.wraps == [True, False]
    assert 7 < found.lines(0) < 12


def test_a_line_break_makes_lines():
    found = grid(pd.DataFrame({"a": ["one\ntwo", "one"]}))
    assert found.wraps == [True]
    assert [found.lines(0), found.lines(1)] == [2, 1]


def test_headings_take_one_line():
    """All columns of a matrix are alike; what is too long there stands whole in the rows."""
    names = ["Model A of the year 2024", "Model B of the year 2024", "b"]
    found = grid(pd.DataFrame(np.eye(3), names, names), "matrix")
    assert found.header[0][1:] == ["Model A of the y\u2026", "Model B of the y\u2026", "b"]
    assert len(set(found.widths[1:])) == 1
    assert found.widths[1] <= 20
    table = grid(pd.DataFrame({"a heading of some words": [0.5]}))
    assert table.widths[0] >= len("a heading of some words")


def test_headings_in_words():
    frame = pd.DataFrame({"n_items": [3]}, pd.Index(["x"], name="essay_set"))
    found = grid(frame, headings={"n_items": "Items", "essay_set": "Essay set"})
    assert found.header == [["Essay set", "Items"]]
    assert found.kinds == ["label", "count"]


def test_the_name_of_the_second_rater_may_stick_out():
    frame = pd.DataFrame([[1]], columns=pd.Index([0], name="a rater with a very long name"))
    assert grid(frame, "confusion").widths[1] == 5


def test_tables_below_each_other_have_even_columns():
    """Also where a list below the counts has wider ones."""
    counts = pd.DataFrame(np.eye(3, dtype=int), [*"abc"], [*"abc"])
    below = Sheet("p", pd.DataFrame({"x": [1.0], "a wide heading": ["y"]}), "P", kind="list")
    sheet = Sheet("S", counts, "T", kind="confusion", parts=(below,))
    widths = shared_widths(make_grids(sheet, "S"))
    assert len(set(widths[1:])) == 1


# --- limits ------------------------------------------------------------------------------------


def frame_of_rows(n):
    return pd.DataFrame({"x": np.zeros(n, dtype="int8")})


def test_a_sheet_may_be_full():
    sheet = Sheet("a", pd.DataFrame(np.zeros((1, 16_384), dtype="int8")), "T", index=False)
    assert len(make_grid(sheet, "a").columns) == 16_384


@each(
    ("sheet", "message"),
    [
        (
            Sheet("a", frame_of_rows(1_048_574), "T"),
            (
                "Sheet 'Pairs' needs 1048577 rows, and 1048576 is the most that a worksheet holds. "
                "Export fewer, or save this table with to_csv or to_parquet."
            ),
        ),
        (
            Sheet("a", frame_of_rows(1_048_572), "T", notes=("a note",)),
            (
                "Sheet 'Pairs' needs 1048577 rows, and 1048576 is the most that a worksheet holds. "
                "Export fewer, or save this table with to_csv or to_parquet."
            ),
        ),
        (
            Sheet("a", pd.DataFrame(np.zeros((1, 16_384), dtype="int8")), "T", kind="matrix"),
            (
                "Sheet 'Pairs' needs 16385 columns, and 16384 is the most that a worksheet holds. "
                "Export fewer, or save this table with to_csv or to_parquet."
            ),
        ),
        (
            Sheet("a", pd.DataFrame({"rater_a": ["ok", "x" * 32_768]}), "T"),
            (
                "Cell A5 of sheet 'Pairs' holds 32768 characters, and 32767 is the most a cell can "
                "hold. Shorten 'xxxxxxxxxxxxxxxxxxxx'...."
            ),
        ),
    ],
)
def test_limits(sheet, message):
    with pytest.raises(ExportError) as caught:
        make_grid(sheet, "Pairs")
    assert str(caught.value) == message
    assert isinstance(caught.value, ValueError)


def test_the_longest_text_fits():
    assert grid(pd.DataFrame({"x": ["x" * 32_767]})).columns == [["x" * 32_767]]


# --- several tables on one worksheet -----------------------------------------------------------

FIGURES = pd.DataFrame(
    {"value": [12.0, 0.5], "meaning": ["number of items", "x" * 200]},
    pd.Index(["n_items", "estimate"], name="figure"),
)


def test_parts_stand_below_each_other():
    parts = (Sheet("p", FIGURES, "P", kind="list", notes=("A note.",)), Sheet("q", FIGURES, "Q"))
    grids = make_grids(Sheet("S", FIGURES, "Title", parts=parts), "S")
    assert [(grid.start, grid.top, grid.bottom, grid.last_row) for grid in grids] == [
        (0, 3, 4, 4),
        (6, 9, 10, 12),
        (14, 17, 18, 18),
    ]
    assert next((row, text) for row, _, text in grids[1].texts()) == (6, "P")
    assert {row for row, _, _ in grids[1].texts()} == {6, 8, 9, 10, 12}


def test_parts_must_fit_the_worksheet(monkeypatch):
    monkeypatch.setattr("pdkappa.present.excel_grids.MAX_ROWS", 10)
    make_grids(Sheet("S", FIGURES, "Title"), "S")
    with pytest.raises(ExportError, match="'S' needs 11 rows, and 10 is the most"):
        make_grids(Sheet("S", FIGURES, "Title", parts=(Sheet("p", FIGURES, "P"),)), "S")


def test_the_last_column_of_a_list_sticks_out():
    found = grid(FIGURES, "list")
    assert found.kinds == ["label", "measure", "text"]
    assert [found.sticks_out(j) for j in range(3)] == [False, False, True]
    assert found.widths[2] == 5
    assert found.wraps[:2] == [False, False]
    assert grid(FIGURES).widths[2] == 50


def test_a_list_without_names_of_columns_has_no_headings():
    found = make_grid(Sheet("S", pd.DataFrame([("a", "b")]), "T", kind="list", index=False), "S")
    assert found.header == []
    assert found.columns == [["a"], ["b"]]


def test_what_a_sheet_is_called():
    assert Sheet("S", FIGURES, "T").called == "S"
    assert Sheet("S", FIGURES, "T", key=("table", 1)).called == ("table", 1)
