"""Warn where errors come from few clusters."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from pdkappa.coefficients.influence import units_of_sizes
from pdkappa.errors import FewClustersWarning, warn

if TYPE_CHECKING:
    from pdkappa.ratings.coded import Coded

FEWEST_TO_TRUST = 30


def warn_of_few_clusters(coded: Coded) -> None:
    """Warn once of groups whose clusters are worth fewer than thirty equal ones."""
    if coded.clusters is None:
        return
    number, place = coded.clusters, None
    if number.max(initial=0) > 4 * len(number):  # of clusters within many groups
        number, place = np.unique(number, return_inverse=True)
    of_item = coded.clusters if place is None else place
    sums = np.bincount(of_item, weights=coded.weights)
    size = spread = sums[sums > 0].astype(np.float64)
    if coded.spread is not None:
        spread = np.bincount(of_item, coded.spread)[sums > 0].astype(np.float64)
    group = (np.flatnonzero(sums) if place is None else number[sums > 0]) % coded.n_groups
    units = units_of_sizes(size, spread, group, coded.n_groups)
    few = np.flatnonzero((units > 0) & (units < FEWEST_TO_TRUST - 1e-9))
    if not len(few):
        return
    least = few[np.argmin(units[few])]
    others = f" and {len(few) - 1} other group(s)" if len(few) > 1 else ""
    warn(
        f"Standard errors{coded.groups.at(int(least))}{others} come from few clusters: "
        f"{np.count_nonzero(group == least)}, equivalent to {units[least]:.3g} of equal size. "
        f"Below {FEWEST_TO_TRUST}, limits and p-values are approximate; collect more clusters, "
        f"or report this.",
        FewClustersWarning,
    )
