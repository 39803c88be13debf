"""Which categories a judge finds, misses, and gives too often, beside what people do."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np
import pandas as pd

from pdkappa.estimation.labels import whole
from pdkappa.methods.judges.core.rates import mean_of, ratio
from pdkappa.present import schema
from pdkappa.ratings.labels import index_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    from pdkappa._typing import FloatArray, Label
    from pdkappa.estimation.study import Study

MOST_CATEGORIES = 100


def classes_of(
    study: Study, judges: Sequence[Label], humans: Sequence[Label], level: float
) -> pd.DataFrame:
    """Compare each judge with the humans on each category, the most frequent ones if many occur.

    One row for each judge and category, of the items that the judge and a human rated.
    """
    ratings = study.rows.compressed()  # whose sums do not depend on the order of the items
    raters, codes = study.coded.raters, ratings.codes
    people = codes[[raters.index(name) for name in humans]]
    rated = (people >= 0).sum(axis=0).astype(np.float64)
    times = np.bincount(people[people >= 0], minlength=len(study.coded.categories))
    used = np.sort(np.argsort(-times, kind="stable")[:MOST_CATEGORIES])
    rows = []
    for k in used.tolist():
        given = (people == k).sum(axis=0).astype(np.float64)
        for judge in judges:
            own = codes[raters.index(judge)]
            both = (own >= 0) & (rated > 0)
            known = _Known(*(x[both] + 0.0 for x in (own == k, given, rated, ratings.count)))
            rows.append(known.row(level))
    columns = dict(zip(schema.AUDIT_CLASSES, zip(*rows, strict=True), strict=True))
    names = [
        index_of(list(judges), "judge"),
        index_of([*study.coded.categories.labels], "category"),
    ]
    by_judge = np.arange(len(rows)).reshape(len(used), len(judges)).T.reshape(-1)
    index = pd.MultiIndex.from_arrays(
        [names[0].take(by_judge % len(judges)), names[1].take(used[by_judge // len(judges)])]
    )
    frame = pd.DataFrame({name: list(values) for name, values in columns.items()})
    frame = frame.reindex(columns=list(schema.AUDIT_CLASSES)).iloc[by_judge].set_axis(index)
    frame["n_ratings"] = whole(frame["n_ratings"].to_numpy(dtype=np.float64))
    return frame


class _Known(NamedTuple):
    """What is known of one category on the items that the judge and a human rated, each (U,).

    Whether the judge gave it, how many humans did, how many rated at all, and how many items there
    are like this.
    """

    own: FloatArray
    given: FloatArray
    rated: FloatArray
    number: FloatArray

    def row(self, level: float) -> tuple[float | str, ...]:
        """Compute the figures of the judge and the category."""
        own, given, rated, count = self
        others = rated - given
        recall = ratio(given * own, given, count, level)
        specificity = ratio(others * (1 - own), others, count, level)
        humans = ratio(given * (given - 1), given * (rated - 1), count, level).estimate
        excess = mean_of(own - given / rated, count, level)
        shares = [mean_of(one, count, level).estimate for one in (own, given / rated)]
        n_ratings = float((count * given).sum())
        reason = "no_joint_items" if not len(count) else "" if n_ratings else "unseen_class"
        return (n_ratings, *recall, humans, *specificity, *shares, *excess, reason)
