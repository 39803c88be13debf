"""What a row of tests says of itself where they do not hold what they promise."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from pdkappa.coefficients.pairwise import FEWEST_OUTSIDE

if TYPE_CHECKING:
    from pdkappa._typing import FloatArray, ObjectArray
    from pdkappa.coefficients.figures import Figures
    from pdkappa.counts.core.base_rows import Rows

FEWEST_JOINT = 30
FEW_JOINT = f"fewer than {FEWEST_JOINT} items a pair of raters: the test is rough"
FEWEST_OF_LIMITS = 25
FEW_ITEMS = f"fewer than {FEWEST_OF_LIMITS} items: limits and test are rough"
RARE = f"fewer than {FEWEST_OUTSIDE} ratings outside one category: mistrust limits and test"
REMARK = f"fewer than {FEWEST_OUTSIDE} ratings outside one category: mistrust the test"


def remarks_on(n_outside: FloatArray) -> ObjectArray:
    """Tell of which tests too few ratings are outside one category; empty text for others.

    `n_outside` is the number of ratings expected there of each rater, which decides how far a test
    of coefficients holds, more than the number of items does.
    """
    few = n_outside < FEWEST_OUTSIDE - 1e-9  # which shares are up to rounding error
    return np.where(few, REMARK, "").astype(object)


def remarks_of(rows: Rows) -> ObjectArray:
    """Remark on groups of items, shape (G,): see `remarks_on`, or that pairs have few items."""
    n_raters = np.bincount(rows.by_rater.occurring()[0] // rows.n_raters, minlength=rows.n_groups)
    with np.errstate(invalid="ignore"):  # no ratings
        of_pair = rows.total(rows.n_ratings * (rows.n_ratings - 1)) / (n_raters * (n_raters - 1))
    few = np.where(of_pair < FEWEST_JOINT, FEW_JOINT, "").astype(object)
    rare = remarks_on(rows.n_items * rows.share_outside)
    return np.where(rare != "", rare, few)


def remarks_on_limits(figures: Figures) -> ObjectArray:
    """Tell which limits and tests of coefficients hold less than they promise, shape (S,).

    Empty text for the others, and where there are no limits.
    """
    remark = np.where(figures.n_items < FEWEST_OF_LIMITS - 1e-9, FEW_ITEMS, "").astype(object)
    remark[figures.n_items * figures.share_outside < FEWEST_OUTSIDE - 1e-9] = RARE
    remark[np.isnan(figures.ci_low)] = ""
    return remark
