"""What a row of tests says of itself where they do not hold what they promise."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from pdkappa.coefficients.chance import FEWEST_OUTSIDE

if TYPE_CHECKING:
    from pdkappa._typing import BoolArray, FloatArray, ObjectArray
    from pdkappa.coefficients.intervals import Figures
    from pdkappa.coefficients.rating_rows import Rows

FEWEST_OF_TESTS = 30
FEW_JOINT = f"fewer than {FEWEST_OF_TESTS} items a pair: the test is approximate"
FEW_RATINGS = f"fewer than {FEWEST_OF_TESTS} ratings: the test is approximate"
FEWEST_OF_LIMITS = 50
FEW_ITEMS = f"fewer than {FEWEST_OF_LIMITS} items: limits and test are approximate"
FEW_OF_PAIRS = f"fewer than {FEWEST_OF_LIMITS} items a pair: limits and test are approximate"
# By the number of ratings outside one category below which it holds.
OF_TESTS = {FEWEST_OUTSIDE: "the test is approximate", 5: "the test is unreliable"}
OF_LIMITS = {
    FEWEST_OUTSIDE: "limits and test are approximate",
    5: "limits and test are unreliable",
}


def remarks_on(
    n_outside: FloatArray, n_items: FloatArray, remark: str = FEW_RATINGS
) -> ObjectArray:
    """Tell which tests are unreliable; empty text for others.

    `n_outside` is the number of ratings expected there of each rater outside one category, which
    decides how far a test of coefficients holds, more than `n_items` does; `remark` is on that.
    """
    few = _where(n_items < FEWEST_OF_TESTS - 1e-9, remark)
    return _or_rare(few, n_outside, OF_TESTS)


def remarks_of(rows: Rows) -> ObjectArray:
    """Remark on the tests of groups of items, shape (G,): see `remarks_on`."""
    return remarks_on(rows.n_items * rows.share_outside, rows.items_of_pair, FEW_JOINT)


def remarks_on_limits(figures: Figures, n_joint: FloatArray) -> ObjectArray:
    """Tell which limits and tests of coefficients are unreliable, shape (S,).

    Empty text for the others, and where there are no limits. `n_joint` is the number of items, or
    of each pair where kappas of pairs are averaged.
    """
    few = _where(n_joint < FEWEST_OF_LIMITS - 1e-9, FEW_OF_PAIRS)
    few[figures.n_items < FEWEST_OF_LIMITS - 1e-9] = FEW_ITEMS
    remarks = _or_rare(few, figures.n_items * figures.share_outside, OF_LIMITS)
    remarks[np.isnan(figures.ci_low)] = ""
    return remarks


def _where(holds: BoolArray, text: str) -> ObjectArray:
    """Return a text where something holds, else empty text, without a copy of it for each."""
    remarks: ObjectArray = np.array(["", text], dtype=object)[np.asarray(holds, dtype=np.intp)]
    return remarks


def _or_rare(remarks: ObjectArray, n_outside: FloatArray, verdicts: dict[int, str]) -> ObjectArray:
    """Put in what too few ratings outside one category make of tests or limits."""
    for fewest, verdict in verdicts.items():
        rare = n_outside < fewest - 1e-9  # shares are up to rounding error
        remarks[rare] = f"fewer than {fewest} ratings outside one category: {verdict}"
    return remarks
