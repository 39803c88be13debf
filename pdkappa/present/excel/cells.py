"""What one value of a frame becomes in the cell of a worksheet, and what a cell can hold."""

from __future__ import annotations

import datetime as dt
import math
import re
import textwrap
import unicodedata
from typing import TypeAlias, cast

import numpy as np
import pandas as pd

Content: TypeAlias = str | int | float | dt.date | None

# What Excel can hold.
MAX_ROWS = 1_048_576
MAX_COLUMNS = 16_384
MAX_TEXT = 32_767  # UTF-16 units
MAX_DIGITS = 15  # of a number; it drops any more

ILLEGAL = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\ud800-\udfff\ufffe\uffff]")
SHOWN = 20  # characters of a text that a message quotes

# Of the characters of a proportional font, in units of a digit.
CHARACTER_WIDTHS = {
    **dict.fromkeys(" !',.:;Iijl|", 0.55),
    **dict.fromkeys('"()*-/[]frt{}', 0.7),
    **dict.fromkeys("%@MWmw", 1.6),
}


def content(value: object) -> Content:
    """Turn a value into what a cell holds, losing nothing.

    Parameters
    ----------
    value : object
        One value or label of a frame.

    Returns
    -------
    str, int, float, date, datetime or None
        Numbers and text by value. None, an empty cell, for what pandas holds to be missing. Text
        for an integer beyond 15 digits, an infinite number, a date with a time zone, outside
        the calendar of a spreadsheet or finer than a second, and for every other object.

    Examples
    --------
    >>> content(0.5), content("=1+1"), content(2**53 + 1), content(True), content(pd.NA)
    (0.5, '=1+1', '9007199254740993', 'True', None)
    """
    value = _unwrap(value)
    if pd.api.types.is_scalar(value) and pd.isna(cast("float", value)):
        return None
    if isinstance(value, str):
        return str.__str__(value)
    if isinstance(value, int) and not isinstance(value, bool):
        return int(value) if abs(value) < 10**MAX_DIGITS else str(int(value))
    if isinstance(value, float):
        return float(value) + 0.0 if math.isfinite(value) else str(float(value))  # no -0.0
    if isinstance(value, dt.date):
        return _date(value)
    return str(value)


def flag(value: object) -> Content:
    """Turn a value of a column of yes and no into what a cell holds.

    >>> flag(True), flag(np.False_), flag(None)
    ('yes', 'no', None)
    """
    value = _unwrap(value)
    return ("no", "yes")[value] if isinstance(value, bool) else content(value)


def legal(text: str) -> str:
    r"""Write characters that no workbook can hold as codes.

    >>> print(legal("a\x07b"))
    a\x07b
    """
    return ILLEGAL.sub(lambda one: one[0].encode("unicode_escape").decode(), text)


def problem(text: str) -> str | None:
    """Tell why a cell cannot hold a text; None if it can."""
    text = legal(text)
    if len(text) > MAX_TEXT // 2 and utf16_length(text) > MAX_TEXT:
        return (
            f"holds {utf16_length(text)} characters, and {MAX_TEXT} is the most a cell can hold. "
            f"Shorten {_excerpt(text)}."
        )
    return None


def cell_name(row: int, column: int, *, fixed: bool = False) -> str:
    """Name a cell as a spreadsheet does; both numbers count from 0.

    >>> cell_name(0, 0), cell_name(6, 27), cell_name(6, 27, fixed=True)
    ('A1', 'AB7', '$AB$7')
    """
    letters = ""
    column += 1
    while column:
        column, letter = divmod(column - 1, 26)
        letters = chr(ord("A") + letter) + letters
    return f"${letters}${row + 1}" if fixed else f"{letters}{row + 1}"


def utf16_length(text: str) -> int:
    """Count characters as a spreadsheet does: those beyond U+FFFF count twice.

    >>> utf16_length("ab\N{GRINNING FACE}")
    4
    """
    return len(text) + sum(character > "\uffff" for character in text)


def display_width(text: str) -> int:
    r"""Estimate the width of the longest line, in units of a digit.

    >>> display_width("essay"), display_width("作文"), display_width("two\nlines")
    (5, 4, 5)
    """
    return max((math.ceil(_line_width(line)) for line in text.splitlines()), default=0)


def line_count(text: str, width: float) -> int:
    r"""Estimate the number of lines that a text takes in a column.

    >>> line_count("two\nlines", 9), line_count("broken between words", 9)
    (2, 3)
    """
    return sum(_wrapped_lines(line, width) for line in text.splitlines())


def _unwrap(value: object) -> object:
    """Take a NumPy scalar out of its wrapping."""
    match value:
        case np.datetime64():
            return pd.Timestamp(value)
        case np.timedelta64():
            return pd.Timedelta(value)
        case np.floating():
            return float(value)
        case np.generic():
            return value.item()
    return value


def _date(value: dt.date) -> dt.date | str:
    """Keep a date that a spreadsheet can hold exactly; spell out every other."""
    if not (1900, 3) <= (value.year, value.month) <= (9999, 12):
        return value.isoformat()
    if not isinstance(value, dt.datetime):
        return value
    if value.tzinfo is not None or value.microsecond or getattr(value, "nanosecond", 0):
        return value.isoformat()
    return value.to_pydatetime() if isinstance(value, pd.Timestamp) else value


def _line_width(line: str) -> float:
    """Add up the widths of the characters."""
    return sum(map(_character_width, line))


def _character_width(character: str) -> float:
    """Estimate the width of a character."""
    if width := CHARACTER_WIDTHS.get(character):
        return width
    if unicodedata.combining(character):
        return 0
    if unicodedata.east_asian_width(character) in "WF":
        return 2
    return 1.25 if character.isupper() else 1


def _wrapped_lines(line: str, width: float) -> int:
    """Count the pieces of one line of a text, at least one."""
    characters = width * len(line) / max(_line_width(line), 1)
    return max(1, len(textwrap.wrap(line, max(1, math.floor(characters)))))


def _excerpt(text: str) -> str:
    """Quote the beginning of a text that may be long."""
    return repr(text[:SHOWN]) + ("..." if text[SHOWN:] else "")
