"""Scores of humans and a machine -> items to adjudicate, and agreement with and without them."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from pdkappa.coefficients.pair_kappas import DISTANCES, influence_of
from pdkappa.coefficients.score_limits import AT_FLOOR

if TYPE_CHECKING:
    from pdkappa._typing import BoolArray, FloatArray
    from pdkappa.coefficients.rating_rows import RatingRows

ITEMS = ("all", "without", "settled")


class Apart(NamedTuple):
    """How far scores of each row are apart, NaN without two of them, and whether that is too far.

    Every field has shape (U,).
    """

    humans: FloatArray
    machine: FloatArray
    listed_for_humans: BoolArray
    listed_for_machine: BoolArray

    @property
    def listed(self) -> BoolArray:
        """Whether it is too far for either reason."""
        return self.listed_for_humans | self.listed_for_machine


def apart(rows: RatingRows, scores: FloatArray, humans: float, machine: float) -> Apart:
    """Find the rows whose humans, or machine and mean of the humans, are further apart than that.

    The last rater is the machine.
    """
    values = np.append(scores, np.nan)[rows.codes]
    known = rows.codes[:-1] >= 0
    n = known.sum(axis=0)
    with np.errstate(invalid="ignore"):  # no human
        mean = np.where(known, values[:-1], 0.0).sum(axis=0) / np.where(n > 0, n, np.nan)
    spread = np.where(n > 1, np.ptp(np.where(known, values[:-1], mean), axis=0), np.nan)
    away = np.abs(values[-1] - mean)
    return Apart(spread, away, spread > humans + AT_FLOOR, away > machine + AT_FLOOR)


def agreement_of_humans(
    rows: RatingRows, scores: FloatArray, listed: BoolArray
) -> dict[str, tuple[FloatArray, FloatArray]]:
    """Compute items and qwk of two raters, each (G,): all, without some, with these settled.

    Settled items have the score of the first rater twice.
    """
    settled = np.where(listed, rows.codes[0], rows.codes[1])
    versions = (
        rows,
        rows.select(~listed),
        rows.with_rows(codes=np.stack([rows.codes[0], settled])),
    )
    return {
        name: (one.n_items, influence_of(one, scores, DISTANCES["quadratic"])[0])
        for name, one in zip(ITEMS, versions, strict=True)
    }
