"""What the user passes as `weights` and `distance` -> a weighting and the scores it acts on."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from pdkappa.core.weights import WEIGHTS, Scale, from_matrix
from pdkappa.errors import CategoryError, TooLargeError, WeightsError, listing, unknown_choice

if TYPE_CHECKING:
    from pdkappa._typing import BoolArray, FloatArray, Weights
    from pdkappa.categories import CategorySet
    from pdkappa.core.weights import Weighting

LARGEST_MATRIX = 2000
SYNONYMS = {
    "squared": "'quadratic'",
    "fleiss-cohen": "'quadratic'",
    "interval": "'quadratic'",
    "qwk": "'quadratic'",
    "equal": "'linear'",
    "cicchetti-allison": "'linear'",
    "absolute": "'linear'",
    "unweighted": "None",
    "nominal": "None",
    "identity": "None",
    "none": "None",
}


def named_weighting(weights: Weights | None) -> Weighting | None:
    """Look up a weighting by name; None for a matrix, a frame or a callable."""
    if weights is None or isinstance(weights, str):
        if weights not in WEIGHTS:
            raise unknown_choice("weights", weights, WEIGHTS, SYNONYMS)
        return WEIGHTS[weights]
    return None


def needs_order(weights: Weights | None) -> str | None:
    """Name the option that needs ordered categories, for messages; None if none does."""
    named = named_weighting(weights)
    if named is not None:
        return f"weights={weights!r}" if named.ordered else None
    if isinstance(weights, pd.DataFrame):
        return None
    return "a callable as weights" if callable(weights) else "an array of weights"


def scale_of(
    weights: Weights | None, categories: CategorySet, distance: str, in_use: BoolArray
) -> Scale:
    """Build the scale of the categories.

    Parameters
    ----------
    weights : str, array, DataFrame, callable or None
        As the user passed it.
    categories : CategorySet
        The K categories.
    distance : {"value", "rank"}
        Whether scores are the values of the categories or their ranks among those in use.
    in_use : ndarray of bool, shape (G, K) or (1, K)
        The categories on the scale of each group.

    Raises
    ------
    WeightsError
        If a matrix is none of agreement or disagreement weights.
    TooLargeError
        If weights without a closed form meet more than 2,000 categories.
    """
    weighting = named_weighting(weights)
    if weighting is None:
        weighting = from_matrix(_as_disagreement(_matrix(weights, categories)))
        positions = np.arange(float(len(categories)))[None]
        return Scale(weighting, positions, np.ones((1, len(categories)), dtype=bool))
    if weighting.spread is None and len(categories) > LARGEST_MATRIX:
        message = (
            f"weights={weights!r} with {len(categories)} categories would need a matrix of "
            f"{len(categories)} x {len(categories)}; the limit is {LARGEST_MATRIX}. "
            "Use 'quadratic', 'linear' or None, or merge categories."
        )
        raise TooLargeError(message)
    if weighting.ordered and (weighting.ranks or distance == "rank"):
        return Scale(weighting, np.cumsum(in_use, axis=1, dtype=np.float64), in_use)
    scores = categories.scores
    if not weighting.ordered or scores is None:
        scores = np.arange(1.0, len(categories) + 1)
    _check_scores(weights, categories, scores if weighting.ordered else np.empty(0))
    return Scale(weighting, scores[None], in_use)


def _check_scores(weights: Weights | None, categories: CategorySet, scores: FloatArray) -> None:
    """Distances need finite scores, and ratios scores that are not negative."""
    infinite = [categories.labels[i] for i in np.flatnonzero(~np.isfinite(scores))]
    if infinite:
        message = (
            f"weights={weights!r} needs finite ratings, got {listing(infinite)}. "
            "Set them to missing, or pass categories={category: score}."
        )
        raise CategoryError(message)
    if weights == "ratio" and (scores < 0).any():
        negative = [categories.labels[i] for i in np.flatnonzero(scores < 0)]
        message = f"weights='ratio' needs scores from zero upwards, got {listing(negative)}."
        raise WeightsError(message)


def _matrix(weights: Any, categories: CategorySet) -> FloatArray:
    """Get the (K, K) matrix out of an array, a frame or a callable."""
    k = len(categories)
    if isinstance(weights, pd.DataFrame):
        weights = _aligned(weights, categories)
    elif callable(weights):
        weights = weights(
            categories.scores if categories.scores is not None else np.arange(1.0, k + 1)
        )
    try:
        matrix = np.array(weights, dtype=np.float64)
    except (TypeError, ValueError) as error:
        message = f"weights must be a name, a matrix of numbers or a callable, got {weights!r}."
        raise WeightsError(message) from error
    if matrix.shape != (k, k):
        message = (
            f"weights has shape {matrix.shape}, but there are {k} categories: "
            f"{listing(categories.labels)}. Pass an array of shape ({k}, {k})."
        )
        raise WeightsError(message)
    return matrix


def _aligned(weights: pd.DataFrame, categories: CategorySet) -> pd.DataFrame:
    """Put the rows and columns of a frame of weights in the order of the categories."""
    for axis, name in ((weights.index, "index"), (weights.columns, "columns")):
        if not axis.is_unique:
            message = f"weights names {listing(axis[axis.duplicated()])} twice in its {name}."
            raise WeightsError(message)
        absent = [label for label in categories.labels if label not in axis]
        if absent:
            message = (
                f"weights has no {listing(absent)} in its {name}. "
                "Label its rows and columns with the categories."
            )
            raise WeightsError(message)
    return weights.loc[categories.labels, categories.labels]


def _as_disagreement(matrix: FloatArray) -> FloatArray:
    """Read a matrix with zeros on its diagonal as disagreement, with ones as agreement."""
    if not np.isfinite(matrix).all():
        message = "weights must be finite; it holds NaN or infinity."
        raise WeightsError(message)
    if (matrix < 0).any():
        row, col = np.argwhere(matrix < 0)[0]
        message = f"weights must not be negative, got {matrix[row, col]} at [{row}, {col}]."
        raise WeightsError(message)
    if not (matrix == matrix.T).all():
        row, col = np.argwhere(matrix != matrix.T)[0]
        message = (
            f"weights must be symmetric, got {matrix[row, col]} at [{row}, {col}] "
            f"and {matrix[col, row]} at [{col}, {row}]."
        )
        raise WeightsError(message)
    diagonal = matrix.diagonal()
    if (diagonal == 1).all() and (matrix <= 1).all():
        matrix = 1 - matrix
    elif not (diagonal == 0).all():
        message = (
            "weights must have zeros on its diagonal (disagreement) or ones there and at most "
            f"1 elsewhere (agreement), got {diagonal} with a maximum of {matrix.max()}."
        )
        raise WeightsError(message)
    if len(matrix) > 1 and not matrix.any():
        message = "weights counts no disagreement at all, so that no coefficient is defined."
        raise WeightsError(message)
    return matrix
