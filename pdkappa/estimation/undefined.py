"""One warning that counts what is undefined."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pdkappa.errors import UndefinedKappaWarning, warn

if TYPE_CHECKING:
    import pandas as pd

MOST_NAMED = 5


def warn_of_undefined_rows(frame: pd.DataFrame) -> None:
    """Give one warning that counts the undefined coefficients and names the first."""
    undefined = frame[frame["estimate"].isna()]
    if not len(undefined):
        return
    reasons = undefined["reason"].head(MOST_NAMED)
    labels = [label if isinstance(label, tuple) else (label,) for label in reasons.index]
    named = [
        f"{' at '.join(map(str, reversed(label)))} ({reason})"
        for label, reason in zip(labels, reasons, strict=True)
    ]
    warn_of_undefined("coefficient", len(undefined), len(frame), named)


def warn_of_undefined(what: str, n_undefined: int, n_all: int, named: list[str]) -> None:
    """Give one warning that counts what is undefined and names the first, with their reasons."""
    rest = n_undefined - len(named)
    more = f" and {rest} more" if rest else ""
    warn(
        f"{n_undefined} of {n_all} {what}(s) are undefined (NaN): {', '.join(named)}{more}. "
        "The column 'reason' says why.",
        UndefinedKappaWarning,
    )
