"""What one value becomes in a cell: by value, nothing lost, nothing guessed."""

import datetime as dt
import enum
from decimal import Decimal

import numpy as np
import pandas as pd
from hypothesis import given
from hypothesis import strategies as st

from conftest import each
from pdkappa.present.sheets import cell_name, content, display_width, legal, line_count, problem


class Level(enum.IntEnum):
    LOW = 1


class Colour(enum.StrEnum):
    RED = "red"


def same(value, expected):
    return type(value) is type(expected) and value == expected


@each(
    ("value", "expected"),
    [
        ("text", "text"),
        ("", ""),
        ("nan", "nan"),
        (np.str_("text"), "text"),
        (Colour.RED, "red"),
        (3, 3),
        (np.int8(-3), -3),
        (np.uint64(7), 7),
        (Level.LOW, 1),
        (999_999_999_999_999, 999_999_999_999_999),
        (10**15, "1000000000000000"),
        (-(10**15), "-1000000000000000"),
        (2**53 + 1, "9007199254740993"),
        (np.int64(2**53 + 1), "9007199254740993"),
        (2**80, "1208925819614629174706176"),
        (0.1 + 0.2, 0.30000000000000004),
        (np.float64(0.5), 0.5),
        (np.float32(0.1), 0.10000000149011612),
        (-0.0, 0.0),
        (1e300, 1e300),
        (float("inf"), "inf"),
        (-np.inf, "-inf"),
        (True, "True"),
        (np.False_, "False"),
        (Decimal("1.10"), "1.10"),
        (1 + 2j, "(1+2j)"),
        (("a", 1), "('a', 1)"),
        (b"raw", "b'raw'"),
        (pd.Timedelta("1D"), "1 days 00:00:00"),
        (np.timedelta64(1, "D"), "1 days 00:00:00"),
        (pd.Period("2024-03", "M"), "2024-03"),
        (pd.Interval(0, 1), "(0, 1]"),
        (dt.time(12, 30), "12:30:00"),
    ],
)
def test_by_value(value, expected):
    assert same(content(value), expected)


@each(
    "value",
    [
        None,
        float("nan"),
        np.float32("nan"),
        pd.NA,
        pd.NaT,
        np.datetime64("NaT", "s"),
        np.timedelta64("NaT", "s"),
        Decimal("NaN"),
    ],
)
def test_missing_is_an_empty_cell(value):
    assert content(value) is None


DAY = dt.datetime(2024, 2, 29, 13, 30, 5)  # noqa: DTZ001


@each(
    ("value", "expected"),
    [
        (DAY, DAY),
        (DAY.date(), DAY.date()),
        (pd.Timestamp(DAY), DAY),
        (np.datetime64(DAY), DAY),
        (pd.Timestamp(DAY, tz="UTC"), "2024-02-29T13:30:05+00:00"),
        (pd.Timestamp(DAY, tz="Europe/Berlin"), "2024-02-29T13:30:05+01:00"),
        (DAY.replace(tzinfo=dt.UTC), "2024-02-29T13:30:05+00:00"),
        (DAY.replace(microsecond=1), "2024-02-29T13:30:05.000001"),
        (pd.Timestamp(DAY) + pd.Timedelta(1, "ns"), "2024-02-29T13:30:05.000000001"),
        (dt.date(1900, 3, 1), dt.date(1900, 3, 1)),
        (dt.date(1900, 2, 28), "1900-02-28"),
        (dt.date(9999, 12, 31), dt.date(9999, 12, 31)),
        (np.datetime64("12024-01-01", "s"), "12024-01-01T00:00:00"),
    ],
)
def test_dates(value, expected):
    assert same(content(value), expected)


def test_what_no_workbook_can_hold_becomes_its_code():
    found = legal("a\x00\x0b \x1b[31m \ud800 \uffff \t\n\r\x85\U0001f600")
    assert found == r"a\x00\x0b \x1b[31m \ud800 \uffff " + "\t\n\r\x85\U0001f600"


@each(("letter", "n"), [("x", 32768), ("\U0001f600", 16384)])
def test_problem(letter, n):
    assert problem(letter * n) == (
        "holds 32768 characters, and 32767 is the most a cell can hold. "
        f"Shorten '{letter * 20}'...."
    )


@each(
    ("row", "column", "name"),
    [(0, 0, "A1"), (9, 25, "Z10"), (0, 26, "AA1"), (0, 701, "ZZ1"), (1048575, 16383, "XFD1048576")],
)
def test_cell_name(row, column, name):
    assert cell_name(row, column) == name


@given(st.text())
def test_a_text_is_at_least_as_wide_as_any_part(text):
    assert display_width(text) >= display_width(text[: len(text) // 2]) >= 0


def test_wide_and_combining_characters():
    assert display_width("漢字") == 4
    assert display_width("e\N{COMBINING ACUTE ACCENT}") == 1
    assert display_width("MMMM") > display_width("aaaa") > display_width("iiii")


@each(
    ("text", "width", "lines"),
    [
        ("", 10, 0),
        ("one", 10, 1),
        ("one\ntwo\n\nthree", 10, 4),
        ("a" * 25, 10, 3),
        ("漢" * 10, 10, 2),
    ],
)
def test_line_count(text, width, lines):
    assert line_count(text, width) == lines
