"""Labels in any script: other fonts where the user's own lack a character, or its code."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from matplotlib import font_manager
from matplotlib import pyplot as plt

from pdkappa.present import fonts
from pdkappa.present.fonts import drawable, give_fonts
from pdkappa.present.labels import drawn, one_line

NOWHERE = "\N{EGYPTIAN HIEROGLYPH A001}"  # no font of Matplotlib has it
pytestmark = pytest.mark.filterwarnings("ignore::pdkappa.UndefinedKappaWarning")


@pytest.fixture(autouse=True)
def _pyplot(monkeypatch):
    """Draw without a screen, with the fonts of Matplotlib alone, and leave no figure behind."""
    own = [font for font in font_manager.fontManager.ttflist if "mpl-data" in str(font.fname)]
    monkeypatch.setattr(font_manager.fontManager, "ttflist", own)
    fonts._search.cache_clear()
    plt.switch_backend("agg")
    yield
    plt.close("all")
    fonts._search.cache_clear()


def test_text_that_can_be_drawn_stays():
    for text in ("", "plain", "Zoë é ß", "מדרג שני", "المقيم", "κ ≤ ½", "a\tb"):
        assert drawable(text) == text


def test_a_character_without_a_font_becomes_its_code():
    assert drawable(f"a {NOWHERE}{NOWHERE}") == r"a \U00013000\U00013000"
    assert drawable("\u65e5!") == r"\u65e5!"
    assert drawn("\u65e5\n!") == r"\u65e5 !"
    assert one_line("\u65e5\n!") == "\u65e5 !", "a terminal has fonts of its own"


def test_another_font_steps_in():
    """The fonts of TeX have no letter with an accent; others have."""
    with plt.rc_context({"font.family": ["cmr10"], "axes.formatter.use_mathtext": True}):
        _, ax = plt.subplots()
        assert drawable("é") == "é"
        ax.set_title("é")
        ax.set_xlabel("plain")
        give_fonts(ax)
        first, second, *_ = ax.title.get_fontfamily()
        assert first == "cmr10"
        font = font_manager.get_font(font_manager.findfont(second))
        assert font.get_char_index(ord("é"))
        assert ax.xaxis.label.get_fontfamily() == ["cmr10"]
        ax.figure.draw_without_rendering()


@pytest.mark.parametrize("given", [False, True])
def test_pictures_let_another_font_step_in(given):
    with plt.rc_context({"font.family": ["cmr10"], "axes.formatter.use_mathtext": True}):
        ax = plt.subplots()[1] if given else None
        frame = pd.DataFrame({"Zoé": [1, 2, 3, 1], "Noël": [1, 2, 2, 1]})
        ax = frame.kappa.plot.attainable(ax=ax)
        (label,) = ax.get_yticklabels()
        assert label.get_text() == "Zoé with Noël"
        assert label.get_fontfamily()[0] == "cmr10"
        assert len(label.get_fontfamily()) > 1


def test_placeholders_are_no_font():
    names = {font.name for font in font_manager.fontManager.ttflist}
    families, lost = fonts._search(frozenset({"\u65e5", "é"}), "cmr10")
    assert lost == {"\u65e5"}
    assert set(families) <= names
    assert not any(name.startswith("Last Resort") for name in families)


SCRIPTS = {
    "評価者": [1, 2, 3, 1],
    "מדרג שני": [1, 2, 3, 2],
    "المقيم": [1, 2, 2, 1],
    NOWHERE: [1, 1, 3, 1],
}


@pytest.mark.parametrize("name", ["heatmap", "raters", "attainable"])
def test_pictures_with_labels_in_any_script(name):
    ax = getattr(pd.DataFrame(SCRIPTS).kappa.plot, name)()
    ax.figure.canvas.draw()
    assert r"\U00013000" in " ".join(label.get_text() for label in ax.get_yticklabels())


@pytest.mark.parametrize("name", ["confusion", "agreement"])
def test_pictures_of_two_raters_in_any_script(name):
    first, second = "評価者", NOWHERE
    words = np.array(["", "低い", "منخفض", "גבוה"])
    frame = pd.DataFrame({key: words[values] for key, values in SCRIPTS.items()})
    ax = getattr(frame.kappa.plot, name)(first, second)
    ax.figure.canvas.draw()
    assert ax.get_xlabel() == r"\U00013000"
