"""Which categories a judge finds, misses, and gives too often, beside what people do."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from pdkappa.methods.judges.core.rates import mean_of, ratio
from pdkappa.methods.judges.tables import labelled
from pdkappa.present import schema

if TYPE_CHECKING:
    from collections.abc import Sequence

    import pandas as pd

    from pdkappa._typing import FloatArray, Label
    from pdkappa.methods.estimates.study import Study

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
    rated = (people >= 0).sum(axis=0)
    labels = study.coded.categories.labels
    times = np.bincount(people[people >= 0], minlength=len(labels))
    used = np.sort(np.argsort(-times, kind="stable")[:MOST_CATEGORIES]).tolist()
    given = {k: (people == k).sum(axis=0) for k in used}
    rows = []
    for judge in judges:
        own = codes[raters.index(judge)]
        both = (own >= 0) & (rated > 0)
        for k in used:
            known = (own == k, given[k], rated, ratings.count)
            figures = _Known(*(one[both].astype(np.float64) for one in known)).row(level)
            rows.append((judge, labels[k], *figures))
    return labelled(rows, ("judge", "category"), schema.AUDIT_CLASSES)


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
