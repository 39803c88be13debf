"""Frames -> text on the streams, or JSON."""

from __future__ import annotations

import json
import math
import os
import sys
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from pdkappa.present.labels import rounded
from pdkappa.present.text_tables import written

if TYPE_CHECKING:
    from typing import TextIO

LEFT_OUT = ("observed_agreement", "expected_agreement", "z", "fisher_z", "se_fisher_z")


def say(text: str) -> None:
    """Print a line."""
    _write(sys.stdout, text)


def complain(text: str) -> None:
    """Print a line on the error stream."""
    _write(sys.stderr, f"pdkappa: {text}")


def flush() -> None:
    """Write what was printed."""
    try:
        sys.stdout.flush()
    except BrokenPipeError:
        _no_reader()


def _write(stream: TextIO, text: str) -> None:
    """Write a line; what the terminal cannot show is escaped."""
    encoding = stream.encoding or "utf-8"
    try:
        stream.write(f"{text.encode(encoding, 'backslashreplace').decode(encoding)}\n")
    except BrokenPipeError:
        _no_reader()


def _no_reader() -> None:
    """Print no more, as the reader, such as head, has seen enough; what was found still counts."""
    sys.stdout = open(os.devnull, "w")  # noqa: PTH123, SIM115


def heading(text: str) -> None:
    """Print a heading."""
    say(f"\n{text}\n")


def one_line(error: BaseException | str) -> str:
    """Message without line breaks."""
    return " ".join(str(error).split())


def summary(frame: pd.DataFrame) -> str:
    """Show the columns that a reader looks for first."""
    left_out = [*LEFT_OUT]
    if "reason" in frame and not frame["reason"].any():
        left_out.append("reason")
    shown = frame.drop(columns=left_out, errors="ignore")
    shown = shown.reset_index() if "rater_a" in shown and any(shown.index.names) else shown
    return text_of(shown, index=not isinstance(shown.index, pd.RangeIndex))


def text_of(frame: pd.DataFrame, *, index: bool = True) -> str:
    """Show a frame whole, with four decimals, and nothing where a value is missing."""
    if "n_categories" in frame:  # pandas shows <NA> in it, whatever na_rep is
        known = frame["n_categories"].notna()
        frame = frame.assign(n_categories=frame["n_categories"].astype(object).where(known, ""))
    decimals, formatters = lambda one: rounded(one, 4), {"p_value": p_value}
    return frame.to_string(index=index, float_format=decimals, formatters=formatters, na_rep="")


def p_value(value: float) -> str:
    """Show a p-value, a tiny one as what it is less than."""
    return "" if math.isnan(value) else written(value, "p")


def say_json(result: dict[str, Any]) -> None:
    """Print a result for programs."""
    say(json.dumps(result, allow_nan=False))


def records(frame: pd.DataFrame) -> list[dict[str, Any]]:
    """Return the rows for JSON, with what names them."""
    plain = frame if isinstance(frame.index, pd.RangeIndex) else frame.reset_index()
    return [fields(row) for row in plain.to_dict("records")]


def fields(row: Any) -> dict[str, Any]:
    """Return what a row holds for JSON."""
    return {str(name): _plain(value) for name, value in row.items()}


def _plain(value: Any) -> Any:
    """Convert a value for JSON, which has no NaN and no infinity."""
    if isinstance(value, str | bool):
        return value
    if pd.isna(value):
        return None
    if isinstance(value, np.bool):
        return bool(value)
    if not isinstance(value, int | float | np.number):
        return str(value)
    if not math.isfinite(value):
        return None
    return int(value) if float(value).is_integer() else float(value)
