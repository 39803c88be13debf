"""The gate of the public functions: their options are looked at before anything is read."""

from __future__ import annotations

import functools
import inspect
import sys
from typing import TYPE_CHECKING, Any, ParamSpec, TypeVar

import pandas as pd

from pdkappa.errors import (
    OptionError,
    UnknownOptionError,
    check_flag,
    did_you_mean,
    shown,
)

if TYPE_CHECKING:
    from collections.abc import Callable

P = ParamSpec("P")
R = TypeVar("R")
LARGEST = int(sys.float_info.max)


def check_label(option: str, value: Any) -> None:
    """Refuse what cannot name one column, such as a list of one."""
    if value is pd.NA or not pd.api.types.is_hashable(value):
        single = value[0] if isinstance(value, list) and len(value) == 1 else "ann"
        message = f"{option} must be one label, got {shown(value)}. Write {option}={shown(single)}."
        raise OptionError(message)


def _check_size(option: str, value: Any) -> None:
    """Refuse a whole number that no float can hold."""
    if isinstance(value, int) and abs(value) > LARGEST:
        message = f"{option} must not exceed the largest float, {sys.float_info.max:.4g}."
        raise OptionError(message)


def _check_given(option: str, value: object) -> None:
    """Refuse None where groups are what a function is about."""
    if value is None:
        message = (
            f"{option}=None, but groups are what this is about. Name the column that defines them, "
            "or use pairs for all items together."
        )
        raise OptionError(message)


CHECKS: dict[str, Callable[[str, Any], None]] = {
    "By": _check_given,
    "bool": check_flag,
    "float": _check_size,
    "float | None": _check_size,
    "int": _check_size,
    "Label": check_label,
    "Label | None": check_label,
}


def gate(function: Callable[P, R]) -> Callable[P, R]:
    """Let a function be called only with options that it has, of the types that it says.

    What an annotation of `CHECKS` says is held here; choices, ranges and shapes are checked
    by the records of options and where the data are read.
    """
    code = function.__code__
    names = code.co_varnames[: code.co_argcount + code.co_kwonlyargcount]
    said = function.__annotations__
    checks = {name: CHECKS[said[name]] for name in names if said.get(name) in CHECKS}
    takes_others = bool(code.co_flags & inspect.CO_VARKEYWORDS)
    known = frozenset(names)

    @functools.wraps(function)
    def checked(*args: P.args, **kwargs: P.kwargs) -> R:
        if not (takes_others or known.issuperset(kwargs)):
            raise _unknown(function.__name__, kwargs, names)
        for name in kwargs.keys() & checks:
            checks[name](name, kwargs[name])
        for name, value in zip(names, args, strict=False):
            if name in checks:
                checks[name](name, value)
        return function(*args, **kwargs)

    return checked


def _unknown(function: str, given: Any, names: tuple[str, ...]) -> UnknownOptionError:
    """Build the error for an option that a function does not have."""
    name = next(name for name in given if name not in names)
    options = ", ".join(name for name in names if name not in ("self", "data"))
    hint = did_you_mean(name, names) or f" It has: {options}."
    return UnknownOptionError(f"{function} has no option {name!r}.{hint}")
