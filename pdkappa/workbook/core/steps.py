"""One table of two raters -> every step from its counts to a coefficient."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from pdkappa.coefficients.weights import Scale, from_matrix

if TYPE_CHECKING:
    from pdkappa._typing import CountArray, FloatArray
    from pdkappa.coefficients.chance import Coefficient


class Steps(NamedTuple):
    """Figures of one table, NaN where it is empty or nothing is defined.

    With the shares a and b of the categories of both raters, and the disagreement W of the
    categories, ``margins_ab`` is ``a @ W @ b`` and ``same_ab`` is ``a @ b``.

    Attributes
    ----------
    n_items : float
        Sum of the counts.
    largest_disagreement, even_disagreement : float
        Largest and mean entry of W; 1 for the former where all are zero.
    observed_disagreement, expected_disagreement : float
        Their ratio is one less the coefficient.
    margins_ab, margins_aa, margins_bb : float
        Disagreement of ratings drawn from the margins of both raters, or twice of one.
    same_ab, same_aa, same_bb : float
        Probability that two such ratings are in one category.
    cohen_kappa : float
        One less the observed disagreement over ``margins_ab``.
    """

    n_items: float
    largest_disagreement: float
    even_disagreement: float
    observed_disagreement: float
    margins_ab: float
    margins_aa: float
    margins_bb: float
    same_ab: float
    same_aa: float
    same_bb: float
    expected_disagreement: float
    cohen_kappa: float


def steps_of(counts: CountArray, disagreement: FloatArray, coefficient: Coefficient) -> Steps:
    """Compute the steps of a table, given its counts and disagreement, both of shape (K, K)."""
    k, n = len(counts), float(counts.sum())
    largest = float(disagreement.max(initial=0.0)) or 1.0
    share = np.asarray(counts / n if n > 0 else np.full((k, k), np.nan), dtype=np.float64)
    a, b = share.sum(axis=1), share.sum(axis=0)
    places: FloatArray = np.arange(k, dtype=np.float64)[None]
    scale = Scale(from_matrix(disagreement), places, np.ones((1, k), dtype=bool))
    chance = coefficient.chance(a[None], b[None], scale, np.array([n]))
    observed, across = float((share * disagreement).sum()), float(a @ disagreement @ b)
    return Steps(
        n_items=n,
        largest_disagreement=largest,
        even_disagreement=float(disagreement.sum()) / max(k, 1) ** 2,
        observed_disagreement=observed,
        margins_ab=across,
        margins_aa=float(a @ disagreement @ a),
        margins_bb=float(b @ disagreement @ b),
        same_ab=float(a @ b),
        same_aa=float(a @ a),
        same_bb=float(b @ b),
        expected_disagreement=float(chance.expected[0]) if n > 0 else np.nan,
        cohen_kappa=1 - observed / across if across > 0 else np.nan,
    )
