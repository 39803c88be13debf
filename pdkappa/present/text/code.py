"""Options -> the call that makes a report again."""

from __future__ import annotations

import inspect
from collections.abc import Sized
from functools import cache
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

LONGEST_CALL = 90  # characters
LONGEST_OPTION = 10_000


def call_of(function: Callable[..., Any], options: Mapping[str, Any], bound: str) -> str:
    """Write the call of a function, with the options that are not its defaults.

    Parameters
    ----------
    function : callable
        The function that was called; its first argument is the data.
    options : dict
        What was passed, by name.
    bound : str
        What has the function as a method, such as ``"df.kappa"``.

    Returns
    -------
    str
        Code. What cannot be written as code, such as an array, is described in angle brackets.

    Examples
    --------
    >>> call_of(pdkappa.report, {"raters": ["ann", "bob"], "by": None}, "df.kappa")
    "df.kappa.report(raters=['ann', 'bob'])"
    """
    parameters = _parameters(function)
    passed = [
        f"{name}={as_code(value)}"
        for name, value in options.items()
        if not _is_same(value, parameters[name].default)
    ]
    start, line = f"{bound}.{function.__name__}(", ", ".join(passed)
    if len(start) + len(line) < LONGEST_CALL:
        return f"{start}{line})"
    return "\n".join([start, *(f"    {one}," for one in passed), ")"])


@cache
def _parameters(function: Callable[..., Any]) -> Mapping[str, inspect.Parameter]:
    """Return the parameters of a function by name."""
    return inspect.signature(function).parameters


def as_code(value: object) -> str:
    """Write an option as code, or, in angle brackets, what it is.

    >>> as_code(["ann", "bob"]), as_code(np.ones(3)), as_code([0.5] * 10_000)
    ("['ann', 'bob']", '<ndarray of shape (3,)>', '<list of length 10000>')
    """
    kind = type(value).__name__
    if isinstance(value, np.ndarray | pd.DataFrame | pd.Series):
        return f"<{kind} of shape {value.shape}>"
    if callable(value):
        return f"<{getattr(value, '__name__', kind)}>"
    text = repr(value)
    if len(text) > LONGEST_OPTION and isinstance(value, Sized):
        return f"<{kind} of length {len(value)}>"
    return f"<{kind}>" if text.startswith("<") or " at 0x" in text else text


def _is_same(value: object, default: object) -> bool:
    """Whether an option is its default; an array never is."""
    return value is default or (isinstance(value, str | float | int) and value == default)
