"""Text of labels: one line, wrapped, and numbers as people read them."""

from __future__ import annotations

import textwrap
import unicodedata
from os.path import commonprefix
from typing import TYPE_CHECKING

from pdkappa.present.fonts import drawable
from pdkappa.present.headings import heading_of

if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

    import pandas as pd

    from pdkappa._typing import Label, Weights


SHORT = 1e-12  # by which 1 may be missed: an error of rounding
MOST_NAMED = 12
LONGEST_LINE = 40  # characters of a label before it goes on in a new line

# Kinds of Unicode that act on a terminal or belong to no text: control characters, lone halves
# of surrogate pairs; and the marks that turn the direction of what follows.
UNSEEN = {"Cc", "Cs"}
TURNS = set("\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069")


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


def weights_in_words(weights: Weights | None) -> str:
    """Say which weights a figure has, as part of a sentence.

    >>> weights_in_words("quadratic"), weights_in_words(None)
    ('quadratic weights', 'unweighted')
    """
    return "unweighted" if weights is None else f"{name_of(weights)} weights"


def listed(labels: Sequence[Label], most: int = MOST_NAMED) -> str:
    """List some labels, and say how many more there are.

    >>> listed(["ann", "bob", "eve"], 2)
    'ann, bob and 1 more'
    """
    shown = ", ".join(map(one_line, labels[:most]))
    more = len(labels) - most
    return f"{shown} and {more} more" if more > 0 else shown


def shortened(labels: Sequence[str], most: int, *, distinct: bool = True) -> list[str]:
    """Shorten long labels in the middle, or at an end, but none so that it could be another.

    Where that cannot be done they stay as they are, unless they need not be `distinct`.

    >>> [one[:-1] for one in shortened(["reader 1 of Basel", "reader 2 of Basel"], 12)]
    ['reader 1 of', 'reader 2 of']
    >>> [one[-5:] for one in shortened(["reader of Basel 1", "reader of Basel 2"], 12)]
    ['sel 1', 'sel 2']
    >>> [one[1:5] for one in shortened(["state of Ohio, north", "state of Utah, north"], 8)]
    ['Ohio', 'Utah']
    """
    dots, half, rest = "\N{HORIZONTAL ELLIPSIS}", (most - 1) // 2, most - 1
    start = len(commonprefix(list(labels)))  # noqa: RUF071  # of characters, not of paths
    ways = (
        [one[:rest].rstrip() + dots for one in labels],
        [one[:half].rstrip() + dots + one[len(one) - half :].lstrip() for one in labels],
        [dots + one[len(one) - rest :].lstrip() for one in labels],
        [dots + one[start:][: rest - 1].strip() + dots for one in labels],
    )
    cuts = [
        [one if len(one) <= most else short for one, short in zip(labels, way, strict=True)]
        for way in ways
    ]
    apart = (cut for cut in cuts if len(set(cut)) == len(set(labels)))
    return next(apart, list(labels) if distinct else cuts[1])


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


def group_in_words(names: Sequence[Any], group: tuple[Any, ...]) -> str:
    """Name a group by what it is grouped by.

    >>> group_in_words(["site", "year"], ("x", 2024.0))
    'Site x, Year 2024'
    """
    named = zip(names, group, strict=False)
    return ", ".join(f"{one_line(heading_of(a))} {one_line(b)}" for a, b in named)


def one_line(value: object) -> str:
    """Write a label in one line, a whole number without decimals; None is no label.

    >>> one_line(3.0), one_line(" "), one_line(None)
    ('3', "' '", '')
    """
    if isinstance(value, float) and value.is_integer():
        value = int(value)
    text = str(value)
    if text.isspace():
        return repr(text)
    return "" if value is None else visible(" ".join(text.split()))


def drawn(value: object) -> str:
    """Write a label in one line for a picture, whose fonts may lack some of its characters."""
    return drawable(one_line(value))


def reason_in_words(reason: object) -> str:
    """Write the code of a reason for people.

    >>> reason_in_words("no_joint_items"), reason_in_words("n_lt_2")
    ('no joint items', 'n < 2')
    """
    return str(reason).replace("_lt_", " < ").replace("_", " ")


def visible(text: str) -> str:
    r"""Show as codes what a terminal would obey, and what is no character.

    >>> visible("\x1b[31mred"), visible("half \ud83d"), visible("Zo\xeb")
    ('\\x1b[31mred', 'half \\ud83d', 'Zoë')
    """
    if text.isprintable():
        return text
    return "".join(
        one.encode("unicode_escape").decode()
        if unicodedata.category(one) in UNSEEN or one in TURNS
        else one
        for one in text
    )


def wrapped(label: str) -> str:
    """Break a long label into lines."""
    return textwrap.fill(drawable(visible(label)), LONGEST_LINE)


def rounded(value: float, digits: int = 2) -> str:
    """Write so many decimals; what is short of 1 or -1 is not rounded to it, nor has 0 a sign.

    >>> rounded(0.714), rounded(0.99999), rounded(1.0), rounded(-0.99999, 3), rounded(-0.0001)
    ('0.71', '>0.99', '1.00', '<-0.999', '0.00')
    """
    short = 1 - abs(value)
    if digits and SHORT < short <= 0.5 * 10**-digits:
        most = f"{1 - 10**-digits:.{digits}f}"
        return f">{most}" if value > 0 else f"<-{most}"
    return f"{value:z.{digits}f}"


def two_decimals(value: float) -> str:
    """Write two decimals, with the minus sign of the user's fonts."""
    return decimals(value, 2)


def decimals(value: float, digits: int) -> str:
    """Write so many decimals, with the minus sign of the user's fonts."""
    from matplotlib.ticker import Formatter

    return Formatter.fix_minus(rounded(value, digits))
