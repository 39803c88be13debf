"""LaTeX and Markdown: the table as a whole, and every character that would be read as code."""

import re

import pandas as pd
from hypothesis import given
from hypothesis import strategies as st

from conftest import each
from pdkappa.present.text_markup import UNDEFINED, to_latex, to_markdown

TABLE = pd.DataFrame(
    {"n_items": ["8", "9"], "estimate [95% CI]": ["-0.42 [-0.50, -0.30]", UNDEFINED]},
    index=pd.MultiIndex.from_tuples([("a", "x"), ("a", "y")], names=["rater_a", "rater_b"]),
)


def label_of(text, write):
    """Write a frame with a label in its only row, and return the cell of the label."""
    lines = write(pd.DataFrame({"c": ["1"]}, index=[text])).splitlines()
    if write is to_latex:
        return lines[4].removesuffix(r" & 1 \\")
    return re.fullmatch(r"\| (.*?) +\| +1 \|", lines[2]).group(1)


def test_a_tabular():
    assert to_latex(TABLE).splitlines() == [
        r"\begin{tabular}{llrr}",
        r"\toprule",
        r"rater\_a & rater\_b & n\_items & estimate [95\% CI] \\",
        r"\midrule",
        r"a & x & 8 & $-$0.42 [$-$0.50, $-$0.30] \\",
        r"a & y & 9 & -- \\",
        r"\bottomrule",
        r"\end{tabular}",
    ]


@each(
    ("text", "expected"),
    [
        ("R&D", r"R\&D"),
        ("50%", r"50\%"),
        ("a_b", r"a\_b"),
        ("#1", r"\#1"),
        ("$5", r"\$5"),
        ("{x}", r"\{x\}"),
        ("~", r"\textasciitilde{}"),
        ("x^2", r"x\textasciicircum{}2"),
        (r"\input{a}", r"\textbackslash{}input\{a\}"),
        ("<0.0001", r"\textless{}0.0001"),
        ("a>b|c", r"a\textgreater{}b\textbar{}c"),
        ("[1]", "{[}1]"),
        ("*", "{*}"),
        ("two\nlines", "two lines"),
        ("2024-01-31", "2024-01-31"),
        ("-0.5", "$-$0.5"),
    ],
)
def test_latex_is_escaped(text, expected):
    assert label_of(text, to_latex) == expected


@given(st.text(st.characters(codec="ascii", exclude_categories=["Cc"])))
def test_no_label_breaks_a_tabular(text):
    cell = to_latex(pd.DataFrame({"c": ["1"]}, index=[text])).splitlines()[4]
    rest = re.sub(r"\\text\w+\{\}|\\[&%$#_{}]|\{[\[*]\}|\$-\$", "", cell.removesuffix(r" & 1 \\"))
    assert not set(rest) & set(r"\&%$#_{}~^<>|")
    assert not cell.startswith(("[", "*"))


def test_a_table_with_pipes():
    assert to_markdown(TABLE).splitlines() == [
        "| rater_a | rater_b | n_items |    estimate [95% CI] |",
        "|:--------|:--------|--------:|---------------------:|",
        "| a       | x       |       8 | -0.42 [-0.50, -0.30] |",
        f"| a       | y       |       9 | {UNDEFINED:>20} |",
    ]


@each(
    ("text", "expected"),
    [
        ("a|b", r"a\|b"),
        ("a_b", "a_b"),
        ("_a_", r"\_a\_"),
        ("*a*", r"\*a\*"),
        ("`a`", r"\`a\`"),
        ("<script>", r"\<script\>"),
        ("$a$", r"\$a\$"),
        ("~~a~~", r"\~\~a\~\~"),
        (r"a\|b", r"a\\\|b"),
        ("[a](http://b)", r"[a\](http://b)"),
        ("&lt; &#60; R&D", r"\&lt; \&#60; R&D"),
        ("two\nlines", "two lines"),
    ],
)
def test_markdown_is_escaped(text, expected):
    assert label_of(text, to_markdown) == expected


@given(st.lists(st.text(st.characters(codec="utf-8", exclude_categories=["C"])), min_size=1))
def test_no_label_breaks_a_row(labels):
    for line in to_markdown(pd.DataFrame({"c": ["1"] * len(labels)}, index=labels)).splitlines():
        assert len(re.findall(r"(?<!\\)(?:\\\\)*\|", line)) == 3
