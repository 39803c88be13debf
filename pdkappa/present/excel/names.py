"""Names of worksheets: valid, unique, and as a formula writes them."""

from __future__ import annotations

import re
import unicodedata
from typing import TYPE_CHECKING

from pdkappa.present.excel.cells import utf16_length

if TYPE_CHECKING:
    from collections.abc import Sequence

MAX_NAME = 31  # UTF-16 units
FORBIDDEN = re.compile("[\\[\\]:*?/\\\\\x00-\x1f\ud800-\udfff\ufffe\uffff]")
# The writer would take "FILTER(" within the name of a sheet for the function.
LIKE_A_FUNCTION = re.compile("(?<=[A-Z])\\(")


def sheet_names(wanted: Sequence[str]) -> list[str]:
    r"""Make names of worksheets valid and unique.

    What a name must not hold becomes an underscore, what is too long is cut, and what Excel
    might take for the same name is numbered.

    Parameters
    ----------
    wanted : sequence of str
        Any text, such as labels of raters and groups.

    Returns
    -------
    list of str
        As many names, in the same order.

    Examples
    --------
    >>> sheet_names(["Pairs", "a/b", "PAIRS", "History", ""])
    ['Pairs', 'a_b', 'PAIRS (2)', 'History_', 'Sheet']
    """
    names: list[str] = []
    taken: set[str] = set()
    for name in map(_valid_name, wanted):
        unique, number = name, 1
        while _name_key(unique) in taken:
            number += 1
            ending = f" ({number})"
            unique = _cut(name, MAX_NAME - len(ending)).rstrip() + ending
        taken.add(_name_key(unique))
        names.append(unique)
    return names


def quoted(name: str) -> str:
    """Write a name as a formula does.

    >>> print(quoted("O'Brien x b"))
    'O''Brien x b'
    """
    return "'" + name.replace("'", "''") + "'"


def _valid_name(wanted: str) -> str:
    """Replace what a name must not hold, and cut it to length."""
    wanted = LIKE_A_FUNCTION.sub(" (", FORBIDDEN.sub("_", wanted))
    name = _cut(wanted.strip(" '"), MAX_NAME).rstrip(" '")
    return f"{name}_" if name.casefold() == "history" else name or "Sheet"


def _name_key(name: str) -> str:
    """Give the same key to names that Excel might take for the same."""
    return unicodedata.normalize("NFKC", name).casefold()


def _cut(text: str, length: int) -> str:
    """Cut a text to a number of UTF-16 units."""
    text = text[:length]
    while utf16_length(text) > length:
        text = text[:-1]
    return text
