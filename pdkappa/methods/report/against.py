"""Machines among the raters: the items on which all humans agree, and a machine does not."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import pandas as pd

from pdkappa.methods.drilldown.items import item_labels
from pdkappa.present import schema
from pdkappa.present.excel.sheets import Sheet
from pdkappa.present.labels import visible
from pdkappa.ratings.coded import Counted

if TYPE_CHECKING:
    from pdkappa._typing import BoolArray, IntArray, Label
    from pdkappa.methods.report.analysis import Analysis

FEWEST_HUMANS = 2
MOST_ITEMS = 50
MOST_MACHINES = 6


class Against(NamedTuple):
    """Items on which machines are against all humans: a sheet, and the same in a sentence."""

    sheet: Sheet
    sentence: str


class _Codes(NamedTuple):
    """What N items were given: by M machines, and by the humans if they are of one mind.

    Attributes
    ----------
    machines : ndarray of int, shape (M, N)
        Codes, -1 for none.
    label : ndarray of int, shape (N,)
        The code that all humans gave, two or more.
    agreed : ndarray of bool, shape (N,)
        Whether there is such a code.
    n_humans : ndarray of int, shape (N,)
        How many humans rated the item.
    """

    machines: IntArray
    label: IntArray
    agreed: BoolArray
    n_humans: IntArray

    @property
    def against(self) -> BoolArray:
        """Which machine gave which item another label than all humans, (M, N)."""
        return self.agreed & (self.machines >= 0) & (self.machines != self.label)


def against_humans(asked: Analysis) -> Against | None:
    """List the items on which all humans agree against a machine; None if nobody can know."""
    study = asked.study
    humans = [name for name in asked.raters if name not in asked.machines]
    if not asked.machines or len(humans) < FEWEST_HUMANS or isinstance(study.data, Counted):
        return None
    codes = _codes(asked, humans)
    against = codes.against
    found = np.flatnonzero(against.any(axis=0))
    group = study.rows.group
    apart = [study.scale.between(group, codes.label, one) for one in codes.machines]
    furthest = np.where(against, apart, 0.0).max(axis=0)
    order = np.lexsort((-codes.n_humans[found], -against[:, found].sum(axis=0), -furthest[found]))
    shown = found[order][:MOST_ITEMS]
    each = [
        _share(name, int(one.sum()), int((codes.agreed & (theirs >= 0)).sum()))
        for name, one, theirs in zip(asked.machines, against, codes.machines, strict=True)
    ]
    n_agreed, n_items = int(codes.agreed.sum()), len(codes.label)
    told = f"All humans, two or more, agree on {n_agreed:,} of {n_items:,} items."
    more = [f"{len(each) - MOST_MACHINES} more"] if len(each) > MOST_MACHINES else []
    named = "; ".join([*each[:MOST_MACHINES], *more])
    sentence = f"{told} Of these {named}." if n_agreed else told
    sheet = Sheet(
        "against humans",
        _frame(asked, codes, shown),
        "Items on which all humans agree, and a machine does not",
        notes=(sentence, f"{len(shown)} of {len(found)} items, those furthest apart first."),
        index=True,
    )
    return Against(sheet, sentence)


def _codes(asked: Analysis, humans: list[Label]) -> _Codes:
    """Collect the codes of all items."""
    place, codes = asked.raters.index, asked.study.rows.codes
    people = codes[[place(name) for name in humans]]
    n_humans, label = (people >= 0).sum(axis=0), people.max(axis=0)
    agreed = (n_humans >= FEWEST_HUMANS) & ((people == label) | (people < 0)).all(axis=0)
    return _Codes(codes[[place(name) for name in asked.machines]], label, agreed, n_humans)


def _share(machine: Label, n_against: int, n_agreed: int) -> str:
    """Tell how many of these items a machine got wrong.

    >>> _share("gpt", 3, 40)
    'gpt differs on 3 of 40 (8 %)'
    """
    percent = f" ({100 * n_against / n_agreed:.0f} %)" if n_agreed else ""
    return visible(f"{machine} differs on {n_against:,} of {n_agreed:,}{percent}")


def _frame(asked: Analysis, codes: _Codes, shown: IntArray) -> pd.DataFrame:
    """Show some items: what stands beside them, what all humans say, and what machines do."""
    study, beside = asked.study, asked.beside
    items = study.frame.iloc[study.coded.rows[shown]]
    labels = study.coded.categories.labels
    given = [
        ", ".join(
            visible(f"{name}: {labels[theirs[item]]}")
            for name, theirs, is_against in zip(
                asked.machines, codes.machines, codes.against, strict=True
            )
            if is_against[item]
        )
        for item in shown.tolist()
    ]
    groups = [] if study.groups.labels is None else list(study.groups.labels.names)
    names = [name for name in (*groups, *beside.columns) if name not in schema.AGAINST]
    columns: dict[Any, Any] = {
        "humans": [labels[code] for code in codes.label[shown].tolist()],
        "against": given,
        "n_humans": codes.n_humans[shown],
    }
    columns |= {name: items[name].array for name in names}
    return pd.DataFrame(columns, index=item_labels(study, beside)[shown])
