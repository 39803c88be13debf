"""Labels that no terminal should obey and no file can hold, and figures short of 1."""

from __future__ import annotations

import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from matplotlib import pyplot as plt

from conftest import each
from pdkappa.present.labels import one_line, shortened, visible

HALF = "half \ud83d"  # of a surrogate pair
KEPT = ["", "plain", "Zo\xeb", "\u65e5\u672c", "a\u200db", "\U0001f600", "a b", "\u05e9\u05dc"]


@each("text", KEPT)
def test_text_stays_as_it_is(text):
    assert visible(text) == text


def test_what_acts_on_a_terminal_becomes_its_code():
    assert visible("\x1b[31mred\x07") == r"\x1b[31mred\x07"
    assert visible(HALF) == r"half \ud83d"
    assert visible("\u202eabc") == r"\u202eabc"
    assert one_line("a\n b\tc") == "a b c"


@pytest.mark.skipif(
    pd.__version__ < "3", reason="pandas 2 may take half of a surrogate pair for two labels"
)
@pytest.mark.filterwarnings("ignore::pdkappa.errors.KappaWarning")
def test_half_of_a_surrogate_pair_ends_nothing(tmp_path):
    frame = pd.DataFrame(
        {0: ["x", HALF, "x", "z"] * 5, 1: ["x", HALF, "z", "z"] * 5, 2: ["p", HALF] * 10},
        dtype=object,
    )
    frame.columns = pd.Index([HALF, "bob", "g"], dtype=object)
    raters = [HALF, "bob"]
    found = [
        getattr(frame.kappa, name)(raters, **options)
        for name in (
            "pairs",
            "pairwise",
            "agreement",
            "usage",
            "items",
            "categories",
        )
        for options in ({}, {"by": "g"})
    ]
    found += [frame.kappa.confusion(*raters), frame.kappa.cells(*raters)]
    for one in found:
        assert one.attrs["raters"] == raters
        (repr(one) + one._repr_html_()).encode()
    assert found[0]["rater_a"].tolist() == [HALF]
    assert found[1].index.tolist() == ["half \ud83d", "p"]
    for options in ({}, {"by": "g", "weights": None}):
        report = frame.kappa.report(raters, **options)
        assert report.to_excel(tmp_path / "a.xlsx").stat().st_size
        assert r"half \ud83d" in report.to_html(tmp_path / "a.html").read_text()
    frame.kappa.plot.confusion(*raters).figure.savefig(tmp_path / "a.png")
    plt.close("all")


ALIKE = st.builds(
    "{}{}{}".format,
    st.sampled_from(["", "reader of the "]),
    st.text("ab 1\u2026", max_size=12),
    st.sampled_from(["", " in Basel, 2"]),
)


@given(st.lists(ALIKE, max_size=8))
def test_shortened_labels_stay_apart(labels):
    cut = shortened(labels, 9)
    assert len(set(zip(labels, cut, strict=True))) == len(set(labels)) == len(set(cut))
    assert cut == labels or max(map(len, cut)) <= 9
    assert all(len(one) > 9 or one == short for one, short in zip(labels, cut, strict=True))
