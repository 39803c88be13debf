"""Text of an estimate with its interval, colours, and tables with both."""

import re
import sys
import unicodedata

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from conftest import each
from pdkappa.present.text_cells import cells_of, heat, styler_of
from pdkappa.present.text_markup import UNDEFINED, TextCells, with_interval

EVIL = "<script>alert('x')</script>&"
SAFE = re.compile(r"&lt;script&gt;alert\(&#(?:39|x27);x&#(?:39|x27);\)&lt;/script&gt;&amp;")


nan = float("nan")


@each("limits", [(), (0.648, nan), (nan, 0.771), (nan, nan)])
def test_an_interval_has_both_limits_or_is_left_out(limits):
    assert with_interval(0.714, *limits) == "0.71"
    assert with_interval(nan, *limits) == UNDEFINED


@given(st.floats(-1, 1), st.integers(0, 6))
def test_what_is_written_is_the_nearest_number(value, digits):
    text = with_interval(value, digits=digits)
    if text[0] in "<>":  # short of 1 or -1, which is the nearest
        assert abs(round(value, digits)) == 1 > abs(value)
        assert abs(float(text[1:])) == pytest.approx(1 - 10**-digits)
        return
    assert abs(float(text) - value) <= 0.5 * 10**-digits + 1e-15
    assert not re.fullmatch(r"-0\.?0*", text)


def luminance(colour: str) -> float:
    """Relative luminance by the definition of WCAG 2.2."""
    parts = np.array([int(colour[i : i + 2], 16) for i in (1, 3, 5)]) / 255
    linear = np.where(parts <= 0.04045, parts / 12.92, ((parts + 0.055) / 1.055) ** 2.4)
    return float(linear @ [0.2126, 0.7152, 0.0722])


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
def test_names_that_are_equal_to_python():
    """Two Unicode forms of one name cannot both be fields of a tuple."""
    names = [unicodedata.normalize(form, "André") for form in ("NFC", "NFD")]
    styled = styler_of(cells_of(pd.DataFrame(np.eye(2), names, names)))
    for text in (styled.to_html(), styled.to_latex()):
        assert all(text.count(name) == 2 for name in names)


def test_without_jinja2(monkeypatch, refuses):
    monkeypatch.setitem(sys.modules, "jinja2", None)
    with refuses():
        styler_of(TextCells(pd.DataFrame({"a": ["0.50"]}), np.array([[0.5]])))
