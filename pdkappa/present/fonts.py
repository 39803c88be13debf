r"""Text in any script -> fonts that have its characters, or codes for those that none has."""

from __future__ import annotations

import functools
from typing import TYPE_CHECKING

from pdkappa.errors import MissingGlyphWarning, listing, warn

if TYPE_CHECKING:
    from collections.abc import Iterable

    from matplotlib.artist import Artist

PLACEHOLDERS = "Last Resort"  # a font with the same box for many characters


def drawable(text: str) -> str:
    r"""Replace characters that no installed font has by their codes, such as \u65e5.

    Matplotlib would warn, and draw the same box for all of them.
    """
    lost = _found(text)[1]
    return "".join(
        one.encode("ascii", "backslashreplace").decode() if one in lost else one for one in text
    )


def warn_of_lost(texts: Iterable[str]) -> None:
    """Give one warning that names the characters for which there is no font."""
    whole = "".join(texts)
    lost = _found(whole)[1]
    if lost:
        found = [one for one in dict.fromkeys(whole) if one in lost]
        warn(
            f"No installed font has {listing(found)}; the picture shows codes instead, such as "
            f"{drawable(found[0])}. Install a font that has them, such as one of Google's Noto "
            "fonts, and load it: matplotlib.font_manager.fontManager.addfont(path).",
            MissingGlyphWarning,
        )


def give_fonts(artist: Artist) -> None:
    """Let all text of an artist use other installed fonts for characters that its own lack."""
    from matplotlib.text import Text

    for one in artist.findobj(lambda it: isinstance(it, Text)):
        if isinstance(one, Text):
            families, own = _found(one.get_text())[0], one.get_fontfamily()
            if not set(families) <= set(own):
                one.set_fontfamily(list(dict.fromkeys([*own, *families])))


def _found(text: str) -> tuple[list[str], frozenset[str]]:
    """Find families for what the user's own fonts lack, and what no other font has either."""
    if text.isascii():
        return [], frozenset()
    from matplotlib import rcParams
    from matplotlib.font_manager import fontManager

    characters = frozenset(one for one in text if one.isprintable())
    return _search(characters, len(fontManager.ttflist), *rcParams["font.family"])


@functools.lru_cache(maxsize=4096)
def _search(
    characters: frozenset[str], n_fonts: int, *own: str
) -> tuple[list[str], frozenset[str]]:
    """Do the same for the characters of a text, and the families of the user's settings.

    The number of fonts is there to look again once one is added.
    """
    from matplotlib.font_manager import FontProperties, findfont, fontManager, get_font

    def without(path: str) -> frozenset[str]:
        font = get_font(path)
        return frozenset(one for one in lost if not font.get_char_index(ord(one)))

    lost = characters
    for family in own:
        lost = without(findfont(FontProperties(family=[family])))
    families = []
    for font in fontManager.ttflist[:n_fonts]:
        if not lost:
            break
        if not font.name.startswith(PLACEHOLDERS):
            rest = without(font.fname)
            if rest != lost:
                families.append(font.name)
            lost = rest
    return families, lost
