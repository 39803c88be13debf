"""Methods -> a menu of them, made of docstrings, so that it cannot go stale."""

from __future__ import annotations

import sys
import textwrap
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

WIDTH = 100  # characters of a line
INDENT = "    "


def menu_of_topics(methods: Mapping[str, Callable[..., Any]]) -> str:
    """List methods below the question that the room of their functions answers.

    Parameters
    ----------
    methods : dict
        Public functions or methods bound from them, by name; in this order.

    Returns
    -------
    str
        For each room the first line of its docstring, and the names below.
    """
    topics: dict[str, list[str]] = {}
    for name, method in methods.items():
        room = method.__module__.rpartition(".")[0]
        topics.setdefault(room, []).append(name)
    lines = []
    for room, names in topics.items():
        listed = textwrap.wrap(", ".join(names), WIDTH - len(INDENT))
        lines += [first_line(sys.modules[room]), *(f"{INDENT}{line}" for line in listed)]
    return "\n".join(lines)


def menu_of_methods(methods: Mapping[str, Callable[..., Any]]) -> str:
    """List methods with what each of them does.

    >>> print(menu_of_methods({"pairs": pdkappa.pairs, "usage": pdkappa.usage}))
    pairs  Estimate the agreement of every pair of raters, with its standard error.
    usage  Show how often each rater used each category.
    """
    widest = max(map(len, methods))
    return "\n".join(f"{name:{widest}}  {first_line(one)}" for name, one in methods.items())


def public_methods(cls: type) -> dict[str, Callable[..., Any]]:
    """List the methods of a class and of those that it is made of, in the order of their lines."""
    return {
        name: value
        for one in reversed(cls.__mro__)
        for name, value in vars(one).items()
        if callable(value) and not name.startswith("_")
    }


def first_line(documented: object) -> str:
    """Give the first line of a docstring, which ``python -OO`` leaves out."""
    return (documented.__doc__ or "").partition("\n")[0]
