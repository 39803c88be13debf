"""What was computed for a report, and whether a name in its findings is sure enough."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from pdkappa.present.labels import group_in_words, one_line
from pdkappa.present.text_markup import number_in_words

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    import pandas as pd

    from pdkappa._typing import FloatArray
    from pdkappa.methods.report.analysis import Analysis, Line

PAIR = 2
SURE = 0.001  # of an adjusted p: a name in the first line is worth more than one error in twenty
MOST_NAMED, LONGEST = 6, 60  # raters in a sentence, and the characters of their names


class Seen(NamedTuple):
    """What was computed.

    Attributes
    ----------
    asked : Analysis
    frames : dict of DataFrame
        Those of the report, by name.
    main : Line or None
        The main figure; None where all is undefined.
    others : list of Line
        The same with other weights.
    machines : list of Line
        Agreement of humans, that of machines with them, and the difference; or the second alone.
    quadratic : list of Line
        The same with quadratic weights, where ratings are ordered and nobody named weights.
    """

    asked: Analysis
    frames: Mapping[str, pd.DataFrame]
    main: Line | None
    others: Sequence[Line]
    machines: Sequence[Line]
    quadratic: Sequence[Line] = ()

    @property
    def humans(self) -> list[Any]:
        """The raters that are no machines."""
        return [one for one in self.asked.raters if one not in self.asked.machines]

    @property
    def machine(self) -> str:
        """Who is compared with people."""
        return joined(self.asked.machines)

    @property
    def level(self) -> float:
        """The confidence level."""
        return self.asked.interval.level

    def place(self, label: Any) -> str:
        """Name a group in a sentence."""
        names = self.asked.study.groups.labels.names  # type: ignore[union-attr]
        group = label if isinstance(label, tuple) else (label,)
        if all(isinstance(one, str) for one in group):
            return ", ".join(map(one_line, group))
        words = group_in_words(names, group)
        return f"{words[0].lower()}{words[1:]}"


def figure_of(seen: Seen) -> Line | None:
    """Choose the figure of the headline: that of machines with humans, or the main one."""
    if seen.machines:
        return seen.machines[len(seen.machines) > 1]
    return seen.main


def worst_of(p_value: pd.Series, z: pd.Series) -> int | None:
    """Find the row with the largest z, if its p-value is small after adjustment; None if not."""
    adjusted, size = holm(p_value.to_numpy(dtype=float)), z.to_numpy(dtype=float)
    if np.isnan(size).all():
        return None
    place = int(np.nanargmax(size))
    return place if adjusted[place] < SURE else None


def holm(p_value: FloatArray) -> FloatArray:
    """Adjust p-values for their number as Holm does; NaN are no tests.

    >>> holm(np.array([0.01, np.nan, 0.04, 0.03])).tolist()
    [0.03, nan, 0.06, 0.06]
    """
    adjusted, known = np.full(len(p_value), np.nan), np.flatnonzero(~np.isnan(p_value))
    order = known[np.argsort(p_value[known])]
    times = np.arange(len(order), 0, -1) * p_value[order]
    adjusted[order] = np.minimum(np.maximum.accumulate(times), 1.0)
    return adjusted


def joined(names: Sequence[Any]) -> str:
    """List names as a sentence does; of many, count them.

    >>> joined(["ann", "bob", "eve"]), joined(range(20))
    ('ann, bob and eve', '20 raters')
    """
    shown = [one_line(one) for one in names]
    if len(shown) > MOST_NAMED or (len(shown) > PAIR and sum(map(len, shown)) > LONGEST):
        return f"{number_in_words(len(shown))} raters"
    return " and ".join(filter(None, [", ".join(shown[:-1]), *shown[-1:]]))
