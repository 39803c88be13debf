"""What is typed -> options, in words that errors share."""

from __future__ import annotations

import argparse
import ast
import re
import shlex
from typing import Any

import pandas as pd

from pdkappa.coefficients.weights import WEIGHTS
from pdkappa.errors import OptionError

WEIGHTINGS = [name or "none" for name in WEIGHTS]


class Parser(argparse.ArgumentParser):
    """Report wrong usage in one line, as every other error, in the words of the command line."""

    def in_flags(self, text: str) -> str:
        """Name options as they are typed here: ``--sample-weight``, not ``sample_weight=``.

        A bare name is taken for an option where it begins the message or has an underscore;
        elsewhere it is a word, and within quotes a label.
        """
        names = [action.dest for action in self._actions if action.option_strings]
        for name in names:
            flag = f"--{name.replace('_', '-')}"
            text = re.sub(rf"(?<![\w'\"]){name}=(?!\{{)", f"{flag} ", text)
            text = re.sub(rf"^{name}\b(?!=)", flag, text)
            if "_" in name:
                text = re.sub(rf"(?<![\w'\"]){name}(?![\w'\"=])", flag, text)
        text = re.sub(r"(?<=--)([a-z-]+) \[(['\"][^\]]*['\"])\]", _listed, text)
        return text.replace("[...]", "...").replace("The frame has ", "The file has ")

    def error(self, message: str) -> None:  # type: ignore[override]
        """Raise instead of printing the usage."""
        text = f"{message}. Try: {self.prog} --help"
        raise OptionError(text)


def _listed(found: re.Match[str]) -> str:
    """Write a list of names as it is typed: ``--raters ann 'eve b'``."""
    try:
        names = ast.literal_eval(f"[{found[2]}]")
    except (SyntaxError, ValueError):  # not all are shown
        return found[0]
    return f"{found[1]} {shlex.join(names)}"


def by_columns(columns: list[str] | None) -> str | list[str] | None:
    """Group by one column itself, or by several as a list."""
    return columns[0] if columns is not None and len(columns) == 1 else columns


def weights_named(name: str) -> str | None:
    """Read the name of weights; Python has None for none."""
    return None if name == "none" else name


def typed(labels: list[str] | None) -> list[Any] | None:
    """Read categories as numbers if all of them are."""
    if labels is None:
        return None
    numbers = pd.to_numeric(pd.Series(labels), errors="coerce")
    return labels if numbers.isna().any() else numbers.tolist()
