r"""Text in any script -> fonts that have its characters, or codes for those that none has."""

from __future__ import annotations

import functools
from typing import TYPE_CHECKING

if TYPE_CHECKING:
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


def give_fonts(artist: Artist) -> None:
    """Let all text of an artist use other installed fonts for characters that its own lack."""
    from matplotlib.text import Text

    for one in artist.findobj(lambda it: isinstance(it, Text)):
        if isinstance(one, Text):
            families = _found(one.get_text())[0]
            if families:
                one.set_fontfamily([*one.get_fontfamily(), *families])


def _found(text: str) -> tuple[list[str], frozenset[str]]:
    """Find families for what the user's own fonts lack, and what no other font has either."""
    if text.isascii():
        return [], frozenset()
    from matplotlib import rcParams

    return _search(frozenset(one for one in text if one.isprintable()), *rcParams["font.family"])


@functools.lru_cache(maxsize=4096)
def _search(characters: frozenset[str], *own: str) -> tuple[list[str], frozenset[str]]:
    """Do the same for the characters of a text, and the families of the user's settings."""
    from matplotlib.font_manager import FontProperties, findfont, fontManager, get_font

    def without(path: str) -> frozenset[str]:
        font = get_font(path)
        return frozenset(one for one in lost if not font.get_char_index(ord(one)))

    lost = characters
    for family in own:
        lost = without(findfont(FontProperties(family=[family])))
    families = []
    for font in fontManager.ttflist:
        if not lost:
            break
        if not font.name.startswith(PLACEHOLDERS):
            rest = without(font.fname)
            if rest != lost:
                families.append(font.name)
            lost = rest
    return families, lost
