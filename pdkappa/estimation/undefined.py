"""One warning that counts what is undefined."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from pdkappa.errors import UndefinedKappaWarning, warn

if TYPE_CHECKING:
    from collections.abc import Callable

    import pandas as pd

    from pdkappa._typing import BoolArray

MOST_NAMED = 5


def warn_if_undefined(
    what: str,
    undefined: pd.Series | BoolArray,
    reasons: pd.Series,
    name: Callable[[int], str] | None = None,
) -> None:
    """Give one warning that counts the undefined rows and names the first, with their reasons.

    `what` is what is undefined, as in "3 of 8 coefficient(s)". `name` gives the name of a row from
    its place, by default its label; without a name the reason stands alone.
    """
    rows = np.flatnonzero(undefined)
    if not len(rows):
        return
    first = reasons.iloc[rows[:MOST_NAMED]]
    names = map(repr, first.index) if name is None else map(name, rows[:MOST_NAMED].tolist())
    named = [f"{one} ({why})" if one else why for one, why in zip(names, first, strict=True)]
    rest = len(rows) - len(named)
    more = f" and {rest} more" if rest else ""
    warn(
        f"{len(rows)} of {len(reasons)} {what}(s) are undefined (NaN): {', '.join(named)}{more}. "
        "The column 'reason' says why.",
        UndefinedKappaWarning,
    )


def warn_of_undefined_rows(frame: pd.DataFrame) -> None:
    """Give one warning that counts the undefined coefficients and names the first."""

    def name(row: int) -> str:
        label = frame.index[row]
        return " at ".join(map(str, reversed(label if isinstance(label, tuple) else (label,))))

    warn_if_undefined("coefficient", frame["estimate"].isna(), frame["reason"], name)
