"""Labels in any script: other fonts where the user's own lack a character, or its code."""

import warnings

import numpy as np
import pandas as pd
import pytest
from matplotlib import font_manager
from matplotlib import pyplot as plt

import pdkappa
from conftest import each
from pdkappa.present import labels as fonts
from pdkappa.present.labels import drawable, drawn, give_fonts, one_line

NOWHERE = "\N{EGYPTIAN HIEROGLYPH A001}"  # no font of Matplotlib has it
pytestmark = [
    pytest.mark.filterwarnings("ignore::pdkappa.errors.UndefinedKappaWarning"),
    pytest.mark.filterwarnings("ignore::pdkappa.errors.MissingGlyphWarning"),
]


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


def test_placeholders_are_no_font():
    names = {font.name for font in font_manager.fontManager.ttflist}
    families, lost = fonts._search(frozenset({"\u65e5", "é"}), 1000, "cmr10")
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


SHARED = {"評価者 1": [1, 2, 3, 1, 2, 3], f"{NOWHERE} 2": [1, 2, 3, 2, 2, 3]}


@each("name", ["heatmap", "facets", "categories", "raters", "attainable", "forest"])
def test_one_warning_names_what_has_no_font(name):
    """Once, from the caller's line, however many labels have it; Matplotlib itself is silent."""
    frame = pd.DataFrame(SHARED).assign(site=["者", "x"] * 3)
    both, plot = list(SHARED), frame.kappa.plot
    if name == "categories":
        frame[both] = frame[both].map({1: "評", 2: "価者", 3: NOWHERE}.get)
    draw = {
        "heatmap": lambda: plot.heatmap(both),
        "facets": lambda: plot.heatmap(both, by="site")[0],
        "forest": lambda: plot.forest("評価者 1", f"{NOWHERE} 2", by="site"),
    }.get(name, lambda: getattr(frame.kappa.plot, name)(both))
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        warnings.simplefilter("ignore", pdkappa.errors.UndefinedKappaWarning)
        draw().figure.canvas.draw()
    (warning,) = caught
    assert warning.category is pdkappa.errors.MissingGlyphWarning
    assert warning.filename == __file__
    if name == "heatmap":
        assert str(warning.message) == (
            f"No installed font has '評', '価', '者', {NOWHERE!r}; "
            "the picture shows codes instead, such as \\u8a55. "
            "Install a font that has them, such as one of Google's Noto fonts, and load it: "
            "matplotlib.font_manager.fontManager.addfont(path)."
        )


@each("name", ["heatmap", "facets", "categories", "raters", "attainable", "confusion"])
def test_no_warning_where_another_font_steps_in(name):
    """Nor of Matplotlib: what measures labels gives them their fonts first."""
    words = np.array(["é", "à la carte", "Zoë", "ß"])
    frame = pd.DataFrame(
        {f"rätér {key}": words[values] for key, values in enumerate(SCRIPTS.values())}
    )
    plot, both = frame.kappa.plot, list(frame)
    frame["sité"] = ["ä", "ö"] * (len(frame) // 2) + ["ö"] * (len(frame) % 2)
    draw = {
        "heatmap": lambda: plot.heatmap(both),
        "facets": lambda: plot.heatmap(both, by="sité")[0],
        "confusion": lambda: plot.confusion(*both[:2]),
    }.get(name, lambda: getattr(plot, name)(both))
    with plt.rc_context({"font.family": ["cmr10"], "axes.formatter.use_mathtext": True}):
        draw().figure.canvas.draw()  # every warning is an error


def test_a_font_that_is_added_is_seen(monkeypatch):
    assert drawable("a\u0142") == "a\u0142"
    both = font_manager.fontManager.ttflist
    with plt.rc_context({"font.family": ["cmr10"]}):
        monkeypatch.setattr(font_manager.fontManager, "ttflist", both[:0])
        assert drawable("\u05d0") == r"\u05d0"
        monkeypatch.setattr(font_manager.fontManager, "ttflist", both)
        assert drawable("\u05d0") == "\u05d0"
