"""The gate of the public functions: their options are looked at before anything is read."""

from __future__ import annotations

import functools
import inspect
import sys
from dataclasses import dataclass
from functools import cached_property
from itertools import chain
from typing import TYPE_CHECKING, Any, ParamSpec, TypeVar

import pandas as pd

from pdkappa.errors import (
    OptionError,
    UnknownOptionError,
    check_flag,
    did_you_mean,
    shown,
)
from pdkappa.estimation.adjusted import check_adjustment

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from typing import Self

P = ParamSpec("P")
R = TypeVar("R")
LARGEST = int(sys.float_info.max)


def is_label(value: object) -> bool:
    """Whether a value can name a column."""
    return value is not pd.NA and pd.api.types.is_hashable(value)


def check_label(option: str, value: Any) -> None:
    """Refuse what cannot name one column, such as a list of one."""
    if not is_label(value):
        single = value[0] if isinstance(value, list) and len(value) == 1 else "ann"
        message = f"{option} must be one label, got {shown(value)}. Write {option}={shown(single)}."
        raise OptionError(message)


def _check_size(option: str, value: Any) -> None:
    """Refuse a whole number that no float can hold."""
    if isinstance(value, int) and abs(value) > LARGEST:
        message = f"{option} must not exceed the largest float, {sys.float_info.max:.4g}."
        raise OptionError(message)


def _check_flag_or_none(option: str, value: object) -> None:
    """Refuse what is neither True nor False where None leaves it to the data."""
    if value is not None:
        check_flag(option, value)


def _check_given(option: str, value: object) -> None:
    """Refuse None where groups are what a function is about."""
    if value is None:
        message = (
            f"{option}=None, but this function compares groups. Name the column that defines "
            f"them, "
            "or use pairs for all items together."
        )
        raise OptionError(message)


CHECKS: dict[str, Callable[[str, Any], None]] = {
    "Adjustment | None": check_adjustment,
    "By": _check_given,
    "bool": check_flag,
    "bool | None": _check_flag_or_none,
    "float": _check_size,
    "float | None": _check_size,
    "int": _check_size,
    "Label": check_label,
    "Label | None": check_label,
}


@dataclass(frozen=True)
class Gate:
    """The options of a function by name, in order, and what is asked of some of them."""

    function: str
    names: tuple[str, ...]
    checks: dict[str, Callable[[str, Any], None]]
    takes_others: bool

    @classmethod
    def of(cls, function: Callable[..., Any]) -> Self:
        """Read the annotations of a function once, as they stand."""
        code = function.__code__
        names = code.co_varnames[: code.co_argcount + code.co_kwonlyargcount]
        said = function.__annotations__
        checks = {name: CHECKS[said[name]] for name in names if said.get(name) in CHECKS}
        return cls(function.__name__, names, checks, bool(code.co_flags & inspect.CO_VARKEYWORDS))

    def hold(self, args: tuple[Any, ...], kwargs: Mapping[str, Any]) -> None:
        """Refuse an option that is not there, or of another type than it says."""
        if not (self.takes_others or kwargs.keys() <= self.known):
            raise self._unknown(next(name for name in kwargs if name not in self.known))
        checks = self.checks
        for name, value in chain(zip(self.names, args, strict=False), kwargs.items()):
            if name in checks:  # in the order of the call, so that the first wrong one is told
                checks[name](name, value)

    @cached_property
    def known(self) -> frozenset[str]:
        """The same names, to look one up."""
        return frozenset(self.names)

    def _unknown(self, name: str) -> UnknownOptionError:
        """Build the error for an option that the function does not have."""
        options = [name for name in self.names if name not in ("self", "data")]
        hint = did_you_mean(name, options) or f" It has: {', '.join(options)}."
        return UnknownOptionError(f"{self.function} has no option {name!r}.{hint}")


def gate(function: Callable[P, R]) -> Callable[P, R]:
    """Let a function be called only with options that it has, of the types that it says.

    What an annotation of `CHECKS` says is held here; choices, ranges and shapes are checked
    by the records of options and where the data are read.
    """
    held = Gate.of(function)

    @functools.wraps(function)
    def checked(*args: P.args, **kwargs: P.kwargs) -> R:
        held.hold(args, kwargs)
        return function(*args, **kwargs)

    vars(checked)["gate"] = held
    return checked


def gate_of(function: Callable[..., Any]) -> Gate:
    """Return what holds the options of a function, for those who read data before they call it."""
    held: Gate | None = vars(function).get("gate")
    return held or Gate.of(function)
