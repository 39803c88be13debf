"""Text of labels: one line, wrapped, and numbers as people read them."""

from __future__ import annotations

import textwrap
from typing import TYPE_CHECKING

from pdkappa.present.fonts import drawable

if TYPE_CHECKING:
    from typing import Any

    import pandas as pd

    from pdkappa._typing import Weights


LONGEST_LINE = 40  # characters of a label before it goes on in a new line


def titled(spoken: str) -> str:
    """Make a label of what a coefficient is called in a sentence.

    >>> titled("the Brennan-Prediger coefficient"), titled("Light's kappa (a mean)")
    ('Brennan-Prediger coefficient', "Light's kappa")
    """
    name = spoken.removeprefix("the ").partition(" (")[0]
    return name[:1].upper() + name[1:]


def name_of(weights: Weights | None) -> str | None:
    """Name a weighting for the label of an axis."""
    return weights if weights is None or isinstance(weights, str) else "custom"


def weighted(weights: str | None) -> str:
    """Add the name of a weighting to that of a coefficient, if there is one."""
    return f", {weights} weights" if weights else ""


def measure(coefficient: str, weights: str | None) -> str:
    """Say in print which coefficient it is, and with which weights."""
    return coefficient + weighted(weights)


def groups_of(frame: pd.DataFrame) -> list[tuple[Any, ...]]:
    """Return the group of each row: its labels, none where the rows are only counted.

    >>> frame = pd.DataFrame({"n": [4, 5]})
    >>> groups_of(frame), groups_of(frame.set_axis(pd.Index(["x", "y"], name="site")))
    ([(), ()], [('x',), ('y',)])
    """
    labels = frame.index
    if not any(name is not None for name in labels.names):
        return [()] * len(labels)
    return labels.tolist() if labels.nlevels > 1 else [(label,) for label in labels.tolist()]


def one_line(value: object) -> str:
    """Write a label in one line, a whole number without decimals; None is no label."""
    if isinstance(value, float) and value.is_integer():
        value = int(value)
    return "" if value is None else drawable(" ".join(str(value).split()))


def wrapped(label: str) -> str:
    """Break a long label into lines."""
    return textwrap.fill(drawable(label), LONGEST_LINE)


def two_decimals(value: float) -> str:
    """Write two decimals, with the minus sign of the user's fonts."""
    return decimals(value, 2)


def decimals(value: float, digits: int) -> str:
    """Write so many decimals, with the minus sign of the user's fonts."""
    from matplotlib.ticker import Formatter

    return Formatter.fix_minus(f"{value:z.{digits}f}")
