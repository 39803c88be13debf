"""Scores of humans and of a machine, read for one comparison after the other."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from pdkappa.coefficients.pair_kappas import joint_scores
from pdkappa.methods.estimates.real_scores import (
    are_whole,
    check_can_be_rounded,
    check_on_scale,
    read_excluded,
    read_scale,
    read_scores,
    with_excluded,
)
from pdkappa.methods.scoring.core.evaluation import evaluate, ranges, to_nearest, to_whole
from pdkappa.methods.scoring.core.population import difference_of_means

if TYPE_CHECKING:
    from typing import Self

    import pandas as pd

    from pdkappa._typing import Categories, FloatArray, Label
    from pdkappa.coefficients.rating_rows import RatingRows
    from pdkappa.methods.estimates.real_scores import NumericRows
    from pdkappa.ratings.coded import Counted
    from pdkappa.ratings.options import Reading

HUMAN = 0


@dataclass(frozen=True)
class Scores:
    """Scores of a human, perhaps of a second one, and last of a machine."""

    every: NumericRows  # those that are excluded, too
    scored: NumericRows
    scale: FloatArray | None
    rounded: bool

    @classmethod
    def read(
        cls,
        data: pd.DataFrame | Counted,
        names: list[Label],
        reading: Reading,
        categories: Categories | None,
        exclude: object,
        *,
        rounded: bool,
        method: str,
    ) -> Self:
        """Read them for a method, and make sure that the machine's can be rounded to the scale."""
        every, scale = _read(data, names, categories, exclude, reading, method=method)
        scored, last = every.without(read_excluded(exclude, every)), len(names) - 1
        if scale is not None:
            check_on_scale(scored, list(range(last)), scale)
        elif rounded:
            check_can_be_rounded(scored, HUMAN, last)
        return cls(every, scored, scale, rounded)

    @property
    def last(self) -> int:
        """The machine."""
        return len(self.scored.rows.codes) - 1

    @property
    def pairs(self) -> dict[str, tuple[int, int]]:
        """Who is compared, by the name of the comparison."""
        of_machine = {"evaluation": (HUMAN, self.last)}
        return of_machine if self.last == 1 else {"consistency": (HUMAN, 1), **of_machine}

    def joint(self, name: str) -> tuple[RatingRows, FloatArray]:
        """Return the rows of a comparison, and the second rater's rounded scores, shape (U,)."""
        rows = joint_scores(self.scored.rows, self.pairs[name])
        given = self.scored.scores[rows.codes[1]]
        if not self.rounded or name != "evaluation":
            return rows, given
        return rows, _rounded(self.scored, self.last, self.scale, given)

    def compared(
        self, name: str, weights: str | None, level: float, shared: dict[Any, Any]
    ) -> dict[str, Any]:
        """Return the columns of a comparison, those that `pairs` has from there."""
        rows, values = self.joint(name)
        given = self.scored.scores[rows.codes[1]]
        table = evaluate(
            rows,
            self.scored.scores,
            values,
            weights=weights,
            pooled=name == "consistency",
            level=level,
        )._asdict()
        table |= self.counts(self.pairs[name]) | {"n_rounded": rows.total(values != given)}
        table |= ranges(rows, self.scored.scores)
        if weights is not None or (values == given).all():
            table |= shared.get(self.pairs[name], {})
        groups = self.scored.coded.groups
        if groups.labels is not None:
            among = rows.among_groups(groups.mean_weight)
            table["dsm"] = difference_of_means(among, self.scored.scores).estimate
        empty = self.scored.empty
        table["reason"] = np.where(empty == "", table["reason"], empty)
        return table

    def counts(self, raters: tuple[int, ...]) -> dict[str, FloatArray]:
        """Count the items that some raters scored, and those with an excluded score."""
        rated, kept = (
            rows.total(np.logical_and.reduce(rows.codes[list(raters)] >= 0))
            for rows in (self.every.rows, self.scored.rows)
        )
        return {"n_items": kept, "n_excluded": rated - kept}


def _read(
    data: pd.DataFrame | Counted,
    names: list[Label],
    categories: Categories | None,
    exclude: object,
    reading: Reading,
    *,
    method: str,
) -> tuple[NumericRows, FloatArray | None]:
    """Read the scores, and the scale of them if one was declared, or if they are words."""
    scale = read_scale(categories)
    if scale is not None:
        return read_scores(data, names, reading), scale
    if categories is not None:
        reading = replace(reading, categories=with_excluded(categories, exclude))
    every = read_scores(data, names, reading, needs_order=method)
    return every, every.scores if every.of_words else None


def _rounded(
    scored: NumericRows, machine: int, scale: FloatArray | None, values: FloatArray
) -> FloatArray:
    """Round scores of the machine that are not on the scale, shape (U,), in all groups alike."""
    if scale is not None:
        return to_nearest(scale, values)
    human = scored.used_by(HUMAN)
    if are_whole(scored.used_by(machine)) or not are_whole(human):
        return values
    used = np.concatenate([scored.used_by(rater) for rater in range(machine)])
    return to_whole(used, values)
