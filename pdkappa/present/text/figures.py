"""Figures as text: an estimate with its interval, and labels without markup."""

from __future__ import annotations

import html
import math
from typing import Any

import pandas as pd

from pdkappa.present.labels import one_line, rounded

UNDEFINED = "\N{EN DASH}"


def with_interval(
    estimate: float, low: float = math.nan, high: float = math.nan, *, digits: int = 2
) -> str:
    """Write an estimate with its confidence interval, as in "0.71 [0.65, 0.77]".

    Parameters
    ----------
    estimate : float
        The estimate. A dash stands for NaN.
    low, high : float, optional
        Limits of its interval. Where one is NaN, the estimate stands alone.
    digits : int, default 2
        Number of decimals.

    Returns
    -------
    str
        Numbers are rounded as pandas rounds what it shows: to the nearest, from the double
        itself, and to the even digit in a tie such as 0.125. No zero has a minus sign, and
        what is short of 1 is ">0.99".

    Examples
    --------
    >>> with_interval(0.714, 0.648, 0.771)
    '0.71 [0.65, 0.77]'
    >>> with_interval(0.99999), with_interval(-0.001), with_interval(math.nan) == UNDEFINED
    ('>0.99', '0.00', True)
    """
    if math.isnan(estimate):
        return UNDEFINED
    text = rounded(estimate, digits)
    if math.isnan(low) or math.isnan(high):
        return text
    return f"{text} [{rounded(low, digits)}, {rounded(high, digits)}]"


def has_default_rows(frame: pd.DataFrame) -> bool:
    """Whether the rows have numbers that say nothing, rather than labels."""
    return isinstance(frame.index, pd.RangeIndex) and frame.index.name is None


def plain(labels: pd.Index) -> pd.Index:
    """Write labels as text, and their names as HTML, which a Styler does not escape."""
    names = [None if name is None else html.escape(one_line(name)) for name in labels.names]
    if isinstance(labels, pd.MultiIndex):
        texts: list[Any] = [tuple(map(one_line, label)) for label in labels]
        return pd.MultiIndex.from_tuples(texts, names=names)
    texts = [one_line(label) for label in labels]
    return pd.Index(texts, dtype=object, name=names[0])
