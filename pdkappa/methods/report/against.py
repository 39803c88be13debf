"""Machines among the raters: the items on which all humans agree, and a machine does not."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import pandas as pd

from pdkappa.methods.drilldown.items import item_labels
from pdkappa.methods.estimates.pair_frames import whole
from pdkappa.present import schema
from pdkappa.present.labels import visible
from pdkappa.present.sheets import Sheet
from pdkappa.ratings.coded import Counted

if TYPE_CHECKING:
    from pdkappa._typing import BoolArray, FloatArray, IntArray, Label
    from pdkappa.methods.report.analysis import Analysis

FEWEST_HUMANS = 2
MOST_ITEMS = 50
MOST_MACHINES = 6
N_ITEMS = "n_items"


class Against(NamedTuple):
    """Items on which machines are against all humans: a sheet, and the same in a sentence."""

    sheet: Sheet
    sentence: str


class _Codes(NamedTuple):
    """What N items were given: by M machines, and by the humans if they all agree.

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
    n_items : ndarray of float, shape (N,)
        How many items each stands for: one, but where distinct rows were counted.
    """

    machines: IntArray
    label: IntArray
    agreed: BoolArray
    n_humans: IntArray
    n_items: FloatArray

    def size(self, items: BoolArray) -> float:
        """Count some of the items."""
        return float(self.n_items[items].sum())

    @property
    def against(self) -> BoolArray:
        """Which machine gave which item another label than all humans, (M, N)."""
        return self.agreed & (self.machines >= 0) & (self.machines != self.label)


def against_humans(asked: Analysis) -> Against | None:
    """List the items on which all humans agree against a machine; None if nobody can know.

    Where distinct rows were counted nobody knows the items, but how many each of the labels have.
    """
    study = asked.study
    humans = [name for name in asked.raters if name not in asked.machines]
    is_counted = type(study.data) is Counted
    if not asked.machines or len(humans) < FEWEST_HUMANS:
        return None
    if isinstance(study.data, Counted) and not is_counted:  # of a crowd, in parts
        return None
    codes = _codes(asked, humans)
    against, group = codes.against, study.rows.group
    found: IntArray = np.flatnonzero(against.any(axis=0))
    many = codes.n_humans[found].astype(np.float64)
    if is_counted:
        found, many = _alike(codes, group, found)
    apart = [study.scale.between(group, codes.label, one) for one in codes.machines]
    furthest = np.where(against, apart, 0.0).max(axis=0)
    order = np.lexsort((-many, -against[:, found].sum(axis=0), -furthest[found]))[:MOST_ITEMS]
    shown, what = found[order], "Labels" if is_counted else "Items"
    listed = f"{len(shown)} of {len(found)} {'rows' if is_counted else 'items'}"
    sentence = _told(asked, codes)
    sheet = Sheet(
        "against humans",
        _frame(asked, codes, shown, many[order] if is_counted else None),
        f"{what} on which all humans agree, and a machine does not",
        notes=(sentence, f"{listed}, those furthest apart first."),
        index=not is_counted,
    )
    return Against(sheet, sentence)


def _told(asked: Analysis, codes: _Codes) -> str:
    """Say on how many items all humans agree, and on how many of these machines differ."""
    each = [
        _share(name, codes.size(one), codes.size(codes.agreed & (theirs >= 0)))
        for name, one, theirs in zip(asked.machines, codes.against, codes.machines, strict=True)
    ]
    n_agreed, n_items = codes.size(codes.agreed), codes.n_items.sum()
    told = f"All humans, two or more, agree on {n_agreed:,.10g} of {n_items:,.10g} items."
    more = [f"{len(each) - MOST_MACHINES} more"] if len(each) > MOST_MACHINES else []
    named = "; ".join([*each[:MOST_MACHINES], *more])
    return f"{told} Of these {named}." if n_agreed else told


def _alike(codes: _Codes, group: IntArray, found: IntArray) -> tuple[IntArray, FloatArray]:
    """Return the first of the rows that show the same, and how many items they stand for."""
    given = np.where(codes.against, codes.machines, -1)
    shown = np.vstack([group, codes.label, given])[:, found]
    _, first, place = np.unique(shown, axis=1, return_index=True, return_inverse=True)
    n_items = np.bincount(place.ravel(), codes.n_items[found], len(first))
    return found[first], n_items.astype(np.float64, copy=False)


def _codes(asked: Analysis, humans: list[Label]) -> _Codes:
    """Collect the codes of all items."""
    place, codes = asked.raters.index, asked.study.rows.codes
    people = codes[[place(name) for name in humans]]
    n_humans, label = (people >= 0).sum(axis=0), people.max(axis=0)
    agreed = (n_humans >= FEWEST_HUMANS) & ((people == label) | (people < 0)).all(axis=0)
    is_counted = isinstance(asked.study.data, Counted)
    count = asked.study.rows.count if is_counted else np.ones(len(label))
    return _Codes(codes[[place(name) for name in asked.machines]], label, agreed, n_humans, count)


def _share(machine: Label, n_against: float, n_agreed: float) -> str:
    """Tell how many of these items a machine got wrong.

    >>> _share("gpt", 3, 40)
    'gpt differs on 3 of 40 (8 %)'
    """
    percent = f" ({100 * n_against / n_agreed:.0f} %)" if n_agreed else ""
    return visible(f"{machine} differs on {n_against:,.10g} of {n_agreed:,.10g}{percent}")


def _frame(
    asked: Analysis, codes: _Codes, shown: IntArray, n_items: FloatArray | None
) -> pd.DataFrame:
    """Show some items: what stands beside them, what all humans say, and what machines do.

    Of distinct rows, `n_items` are shown in their place.
    """
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
    columns_beside = beside.columns if n_items is None else ()
    names = [name for name in (*groups, *columns_beside) if name not in (*schema.AGAINST, N_ITEMS)]
    columns: dict[Any, Any] = {
        "humans": [labels[code] for code in codes.label[shown].tolist()],
        "against": given,
    }
    columns |= {"n_humans": codes.n_humans[shown]} if n_items is None else {N_ITEMS: whole(n_items)}
    columns |= {name: items[name].array for name in names}
    index = item_labels(study, beside)[shown] if n_items is None else None
    return pd.DataFrame(columns, index=index)
