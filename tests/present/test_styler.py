"""Text of an estimate with its interval, colours, and tables with both."""

from __future__ import annotations

import re
import sys

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from conftest import each
from pdkappa.errors import MissingDependencyError
from pdkappa.present.text_markup import UNDEFINED, TextCells, with_interval
from pdkappa.present.text_tables import cells_of, heat, styler_of

nan = float("nan")
EVIL = "<script>alert('x')</script>&"
SAFE = re.compile(r"&lt;script&gt;alert\(&#(?:39|x27);x&#(?:39|x27);\)&lt;/script&gt;&amp;")


# --- An estimate with its interval -----------------------------------------------------------


@each(
    ("figures", "expected"),
    [
        ((0.714, 0.648, 0.771), "0.71 [0.65, 0.77]"),
        ((0.714,), "0.71"),
        ((0.714, 0.648, nan), "0.71"),
        ((0.714, nan, 0.771), "0.71"),
        ((nan, 0.1, 0.2), UNDEFINED),
        ((-0.25, -0.5, 0.0), "-0.25 [-0.50, 0.00]"),
        ((-0.004, -0.0049, -0.0), "0.00 [0.00, 0.00]"),
        ((1, -1, 1), "1.00 [-1.00, 1.00]"),
        ((np.float64(0.996), np.float32(0.5), 1), ">0.99 [0.50, 1.00]"),
        ((0.99999999, -0.99999999, 1 - 1e-16), ">0.99 [<-0.99, 1.00]"),
        ((0.994, -1, 1), "0.99 [-1.00, 1.00]"),
    ],
)
def test_an_estimate_with_its_interval(figures, expected):
    assert with_interval(*figures) == expected


def test_a_tie_goes_to_the_even_digit_and_nothing_else_is_one():
    """0.125 and 0.375 are doubles; 0.285, 0.145 and 0.615 lie a little beside theirs."""
    values = [0.125, 0.375, -0.125, 0.285, 0.145, 0.615]
    found = [with_interval(value) for value in values]
    assert found == ["0.12", "0.38", "-0.12", "0.28", "0.14", "0.61"]
    assert found == [f"{value:.2f}" for value in np.array(values)]


@each(("digits", "expected"), [(0, "1 [0, 1]"), (3, "0.714 [0.400, 0.771]")])
def test_the_number_of_decimals(digits, expected):
    assert with_interval(0.714, 0.4, 0.771, digits=digits) == expected


@given(st.floats(-1, 1), st.integers(0, 6))
def test_what_is_written_is_the_nearest_number(value, digits):
    text = with_interval(value, digits=digits)
    if text[0] in "<>":  # short of 1 or -1, which is the nearest
        assert abs(round(value, digits)) == 1 > abs(value)
        assert abs(float(text[1:])) == pytest.approx(1 - 10**-digits)
        return
    assert abs(float(text) - value) <= 0.5 * 10**-digits + 1e-15
    assert not re.fullmatch(r"-0\.?0*", text)


# --- Colours ---------------------------------------------------------------------------------


def luminance(colour: str) -> float:
    """Relative luminance by the definition of WCAG 2.2."""
    parts = np.array([int(colour[i : i + 2], 16) for i in (1, 3, 5)]) / 255
    linear = np.where(parts <= 0.04045, parts / 12.92, ((parts + 0.055) / 1.055) ** 2.4)
    return float(linear @ [0.2126, 0.7152, 0.0722])


def test_white_is_chance_and_the_ends_are_those_of_okabe_and_ito():
    assert [heat(value) for value in (0.0, -0.0, 1.0, -1.0)] == [
        "#ffffff",
        "#ffffff",
        "#56b4e9",
        "#e69f00",
    ]
    assert heat(-7.0) == heat(-1.0)


def test_black_text_can_be_read_on_every_colour():
    contrast = [(luminance(heat(value)) + 0.05) / 0.05 for value in np.linspace(-1, 1, 401)]
    assert min(contrast) >= 9


def test_the_farther_from_chance_the_darker():
    for sign in (-1, 1):
        found = [luminance(heat(sign * value)) for value in np.linspace(0, 1, 51)]
        assert (np.diff(found) < 0).all()


def test_both_sides_of_chance_are_told_apart_without_red_or_green():
    """The blue channel, which all common kinds of colour blindness see, goes apart."""
    blue = [int(heat(value)[5:], 16) for value in (-1.0, -0.5, 0.5, 1.0)]
    assert blue[0] < blue[1] < blue[3] < blue[2]


# --- Tables ----------------------------------------------------------------------------------


def page_of(frame, caption="", **options):
    """Write a frame as HTML; the identifier of the table is left out."""
    return re.sub(r"T_\w{5}_", "", styler_of(cells_of(frame, **options), caption).to_html())


@pytest.mark.needs("jinja2")
def test_all_text_is_escaped():
    frame = pd.DataFrame(
        {EVIL: ["a"], "estimate": [0.5], "reason": [EVIL]},
        index=pd.MultiIndex.from_tuples([(EVIL, (EVIL,))], names=[EVIL, ("x", EVIL)]),
    )
    frame.columns.name = EVIL
    page = page_of(frame, EVIL)
    assert "<script" not in page
    assert len(SAFE.findall(page)) == 8
    assert "&amp;lt;" not in page


@pytest.mark.needs("jinja2")
def test_a_coefficient_has_its_colour_and_nothing_else_has_one():
    frame = pd.DataFrame({"n_items": [8, 9, 9], "estimate": [0.5, nan, -1.0], "se": [0.1, nan, 0]})
    page = page_of(frame)
    rules = re.findall(r"td\.(row\d)\.(col\d) \{\s+background-color: (.*?);\s+color: (.*?);", page)
    assert rules == [
        ("row0", "col1", "#aadaf4", "#000000"),
        ("row2", "col1", "#e69f00", "#000000"),
    ]


@pytest.mark.needs("jinja2")
def test_rows_that_are_only_counted_have_no_labels():
    frame = pd.DataFrame({"estimate": [0.5]})
    assert "row_heading" not in page_of(frame)
    assert "row_heading" in page_of(frame.set_axis([0], axis=0).rename_axis("set"))
    assert "row_heading" in page_of(frame.set_axis(["x"], axis=0))


@pytest.mark.needs("jinja2")
def test_labels_that_occur_twice_keep_their_colours():
    """As where a group is called like one of the means."""
    frame = pd.DataFrame({"estimate": [0.5, 1.0]}, index=["fixed", "fixed"])
    page = page_of(frame)
    assert "#aadaf4" in page
    assert "#56b4e9" in page


@pytest.mark.needs("jinja2")
def test_a_styler_can_go_on_to_be_styled():
    cells = TextCells(pd.DataFrame({"a": ["0.50"]}, index=["x"]), np.array([[0.5]]))
    styler = styler_of(cells, "one").set_caption("two")
    assert ">two</caption>" in styler.to_html()
    assert styler.data.loc["x", "a"] == "0.50"


def test_without_jinja2(monkeypatch):
    monkeypatch.setitem(sys.modules, "jinja2", None)
    message = "Styling needs Jinja2, which is not installed. Run: pip install 'pdkappa[report]'"
    with pytest.raises(MissingDependencyError, match=f"^{re.escape(message)}$"):
        styler_of(TextCells(pd.DataFrame({"a": ["0.50"]}), np.array([[0.5]])))
