"""What a judge says when it is asked again, or with the options in the other order."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from pdkappa.errors import DuplicateRatingError, OptionError, shown
from pdkappa.methods.comparisons.differences import check_different, kappas_of
from pdkappa.methods.estimates.options import check_label
from pdkappa.methods.judges.core.rates import mcnemar, shift_of_share, wilson
from pdkappa.methods.judges.kappas import of_raters
from pdkappa.methods.judges.tables import labelled
from pdkappa.present import schema

if TYPE_CHECKING:
    import pandas as pd

    from pdkappa._typing import Label
    from pdkappa.methods.estimates.study import Study

BINARY = 2


class Answers(NamedTuple):
    """Columns of other answers of some judges, by judge."""

    again: dict[Label, list[Label]]
    swapped: dict[Label, list[Label]]

    @property
    def columns(self) -> list[Label]:
        """All of the columns."""
        return [column for given in self for columns in given.values() for column in columns]


def columns_beside(
    option: str, given: Any, judges: list[Label], humans: list[Label]
) -> dict[Label, list[Label]]:
    """Return the columns that hold other answers of some judges, which are named by the user."""
    if given is None:
        return {}
    if not isinstance(given, Mapping):
        message = (
            f"{option} must be a dict of judges and their columns, got {shown(given)}. Write "
            f"{option}={{{judges[0]!r}: 'another column'}}."
        )
        raise OptionError(message)
    found = {}
    for judge, columns in given.items():
        if judge not in judges:
            message = (
                f"{option} names {shown(judge)}, which is not one of the judges. Add it to them."
            )
            raise OptionError(message)
        found[judge] = columns if isinstance(columns, list) else [columns]
        for column in found[judge]:
            check_label(option, column)
            if column in [*judges, *humans]:
                message = (
                    f"{option} has {column!r} as other answers of {judge!r}, but it is a judge or "
                    "a human itself. Name the column of the other answers."
                )
                raise DuplicateRatingError(message)
        check_different(found[judge], option)
    return found


def repeats_of(
    study: Study, again: Mapping[Label, list[Label]], coefficient: str, level: float
) -> pd.DataFrame:
    """Count how often judges change their minds: one row for each judge and column."""
    rows = []
    for judge, columns in again.items():
        for column in columns:
            own = of_raters(study, [judge, column])
            codes, count = own.rows.codes, own.rows.count
            both = (codes >= 0).all(axis=0)
            n = float(count[both].sum())
            flips = float(count[both & (codes[0] != codes[1])].sum())
            rate = wilson(flips / n if n else np.nan, n, level)
            kappas = kappas_of(own, [(judge, column)], coefficient)
            reason = "no_joint_items" if not n else str(kappas.reason[0, 0])
            rows.append((judge, column, n, *rate, float(kappas.estimate[0, 0]), reason))
    return labelled(rows, ("judge", "again"), schema.AUDIT_REPEATS)


def positions_of(study: Study, swapped: Mapping[Label, list[Label]], level: float) -> pd.DataFrame:
    """Compare the share of each category in both orders: one row for each judge and category."""
    rows = []
    for judge, columns in swapped.items():
        for column in columns:
            own = of_raters(study, [judge, column])
            codes, count = own.rows.codes, own.rows.count
            both = (codes >= 0).all(axis=0)
            n, flips = float(count[both].sum()), float(count[both & (codes[0] != codes[1])].sum())
            for k, label in enumerate(own.coded.categories.labels):
                first, second = (codes == k) & both
                if not (first | second).any():
                    continue
                lost = float(count[first & ~second].sum())
                gained = float(count[second & ~first].sum())
                shift = shift_of_share(gained, lost, n, level)
                share = float(count[first].sum()) / n
                figures = (n, flips / n, share, share + shift.estimate, *shift)
                rows.append((judge, column, label, *figures, mcnemar(gained, lost)))
    return labelled(rows, ("judge", "swapped", "category"), schema.AUDIT_POSITIONS)


def p_of_position(positions: pd.DataFrame, judge: Label) -> float:
    """Return the least p-value of the categories of a judge, times their number; of two just it."""
    own = positions[positions.index.get_level_values("judge") == judge]
    parts = [part["p_value"] for _, part in own.groupby(level="swapped", sort=False)]
    p_values = [len(part) * part.min() if len(part) > BINARY else part.min() for part in parts]
    return float(min(1.0, len(p_values) * min(p_values))) if p_values else np.nan
