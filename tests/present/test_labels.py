"""Labels that no terminal should obey and no file can hold, and figures short of 1."""

from hypothesis import given
from hypothesis import strategies as st

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
