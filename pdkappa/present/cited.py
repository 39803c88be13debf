"""The publications that sentences and docstrings cite, and the software."""

from __future__ import annotations

import platform
import re
from functools import cache
from importlib import resources
from typing import TYPE_CHECKING

from pdkappa.present.text_markup import ITALIC, ROMAN

if TYPE_CHECKING:
    from collections.abc import Iterator

SOFTWARE = "The pdkappa developers, 2026"
VERSION = "Version that runs"
EN_DASH = "\N{EN DASH}"


def cited_in(text: str) -> tuple[str, ...]:
    """Return the references of all citations in a text, in order of the authors."""
    found = [key for key in REFERENCES if _citation(key).search(text)]
    found.sort(key=lambda key: key.removeprefix("The ").casefold())
    every = [REFERENCES[key].replace(VERSION, f"Version {version_of('pdkappa')}") for key in found]
    return tuple(re.sub(r"\*(.*?)\*", rf"{ITALIC}\1{ROMAN}", text) for text in every)


def _citation(key: str) -> re.Pattern[str]:
    """Find the author and year in a text, where other years may stand between.

    >>> bool(_citation("Cohen, 1968").search("(Cohen, 1960, 1968)"))
    True
    """
    author, year = key.rsplit(", ", 1)
    return re.compile(rf"{re.escape(author)}, (?:\d{{4}}, )*{year}")


def in_plain_text(key: str) -> str:
    """Return a reference as terminals and worksheets show it.

    >>> in_plain_text("Kish, 1965")
    'Kish, L. (1965). Survey sampling. Wiley.'
    """
    return REFERENCES[key].replace("*", "").replace(EN_DASH, "-")


def _listed() -> Iterator[tuple[str, str]]:
    """Read what the citations of a text stand for, and the references, with *italics*."""
    text = resources.files(__package__).joinpath("references.txt").read_text(encoding="utf-8")
    for line in text.splitlines():
        key, _, reference = line.partition(" | ")
        yield key, reference


REFERENCES = dict(_listed())


@cache
def version_of(package: str) -> str:
    """Return the version of a package, which takes milliseconds to find out."""
    from importlib.metadata import version

    return version(package)


def software() -> str:
    """Cite the software, with the versions it ran on."""
    others = " and ".join(f"{name} {version_of(name)}" for name in ("NumPy", "pandas"))
    return (
        f"The analysis was made with pdkappa {version_of('pdkappa')} ({SOFTWARE}) in Python "
        f"{platform.python_version()} with {others}."
    )
