"""What the user passes as `weights` -> a weighting and the scores it acts on."""

from __future__ import annotations

import inspect
from fractions import Fraction
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from pdkappa.coefficients.score_limits import ROUNDING
from pdkappa.coefficients.weights import WEIGHTS, Scale, distances, from_matrix
from pdkappa.errors import (
    CategoryError,
    TooLargeError,
    WeightsError,
    listing,
    listing_at,
    shown,
    unknown_choice,
)
from pdkappa.ratings.columns import EXACT_IN_FLOAT, check_sets, numbers_of, plain_label
from pdkappa.ratings.options import OF_SETS

if TYPE_CHECKING:
    from collections.abc import Callable

    import numpy.typing as npt

    from pdkappa._typing import BoolArray, FloatArray, Weights
    from pdkappa.coefficients.weights import Weighting
    from pdkappa.ratings.categories import CategorySet

LARGEST_MATRIX = 2000
LARGEST_EXPONENT = 200
PAIR = 2
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
    """Look up a weighting by name; None for distances of sets, a matrix, a frame or a callable."""
    if is_of_sets(weights) or not isinstance(weights, str | None):
        return None
    if weights not in WEIGHTS:
        raise unknown_choice("weights", weights, [*WEIGHTS, *OF_SETS], SYNONYMS)
    return WEIGHTS[weights]


def is_of_sets(weights: object) -> bool:
    """Whether weights are a named distance of sets."""
    return isinstance(weights, str) and weights in OF_SETS


def needs_an_order(weights: Weights | None) -> str | None:
    """Name the option that needs ordered categories, for messages; None if none does."""
    named = named_weighting(weights)
    if named is not None:
        return f"weights={shown(weights)}" if named.ordered else None
    if isinstance(weights, str | pd.DataFrame) or is_of_two_labels(weights):
        return None
    return "a callable as weights" if callable(weights) else "an array of weights"


def is_of_two_labels(weights: object) -> bool:
    """Whether weights are a callable that needs two arguments, as the distances of NLTK do."""
    if isinstance(weights, np.ufunc):
        return weights.nin == PAIR
    try:
        parameters = inspect.signature(weights).parameters.values()  # type: ignore[arg-type]
    except (TypeError, ValueError):  # an array, or a class written in C
        return False
    positional = (inspect.Parameter.POSITIONAL_ONLY, inspect.Parameter.POSITIONAL_OR_KEYWORD)
    needed = [one for one in parameters if one.kind in positional and one.default is one.empty]
    return len(needed) == PAIR


def scale_of(
    weights: Weights | None,
    categories: CategorySet,
    in_use: BoolArray,
    *,
    symmetric: bool = True,
    where: Callable[[int], str] | None = None,
) -> Scale:
    """Build the scale of the categories.

    Parameters
    ----------
    weights : str, array, DataFrame, callable or None
        As the user passed it.
    categories : CategorySet
        The K categories.
    in_use : ndarray of bool, shape (G, K) or (1, K)
        The categories on the scale of each group.
    symmetric : bool
        Whether a matrix must be the same both ways. Otherwise its rows are the truth, and its
        columns what is taken for it.
    where : callable, optional
        Tells, for messages, where the ratings in one of the categories stand.

    Raises
    ------
    CategoryError
        If scores are infinite, or too close for a float to tell them apart.
    WeightsError
        If a matrix is none of agreement or disagreement weights.
    TooLargeError
        If weights without a closed form meet more than 2,000 categories.
    """
    k = len(categories)
    weighting = named_weighting(weights)
    is_called = callable(weights) or is_of_sets(weights)
    if k > LARGEST_MATRIX and (is_called if weighting is None else not weighting.spread):
        raise _too_large(weights, k)
    if weighting is None:
        disagreement = np.empty((0, 0))
        if k:
            disagreement = _as_disagreement(_matrix(weights, categories), symmetric=symmetric)
        positions = np.arange(float(k))[None]
        return Scale(from_matrix(disagreement), positions, np.ones((1, k), dtype=bool))
    if not weighting.ordered:
        return Scale(weighting, np.arange(1.0, k + 1)[None], in_use)
    if weighting.ranks:
        return Scale(weighting, np.cumsum(in_use, axis=1, dtype=np.float64), in_use)
    scores = _scores(weights, categories)
    _check_scores(weights, categories, scores, where)
    if weights != "circular":  # whose unit is a step of 1
        scores = _within_range(scores)
    return Scale(weighting, scores[None], in_use)


def _too_large(weights: Weights | None, k: int) -> TooLargeError:
    """Build the error for weights that would need a matrix."""
    named = f"weights={shown(weights)}" if isinstance(weights, str) else "a callable as weights"
    return TooLargeError(
        f"{named} with {k} categories would need a matrix of {k} x {k}; the limit is "
        f"{LARGEST_MATRIX}. Use 'quadratic', 'linear' or None, or merge categories."
    )


def _scores(weights: Weights | None, categories: CategorySet) -> FloatArray:
    """Return the positions of the categories, shape (K,).

    Numbers beyond 2**53 become their exact distances from the smallest, which changes
    nothing but for ratios.
    """
    scores = categories.scores
    if scores is None:  # no rating at all
        return np.arange(1.0, len(categories) + 1)
    largest = np.abs(scores).max(initial=0)
    if not categories.numeric or weights == "ratio" or not EXACT_IN_FLOAT <= largest < np.inf:
        return scores
    exact = [Fraction(label) for label in categories.labels]
    low, high = min(exact), max(exact)
    unit = 1 if high - low <= int(np.finfo(float).max) else 2  # which cancels out
    return np.array([float((label - low) / unit) for label in exact])


def _within_range(values: FloatArray) -> FloatArray:
    """Multiply huge or tiny values by a power of 2, so that their fourth powers are finite."""
    exponent = int(np.frexp(np.abs(values).max(initial=0))[1])
    return values if abs(exponent) <= LARGEST_EXPONENT else np.ldexp(values, -exponent)


def check_finite(option: str, categories: CategorySet, where: Callable[[int], str] | None) -> None:
    """Refuse ratings without a distance from others, for an option as the user typed it."""
    scores = categories.scores
    infinite = np.flatnonzero(~np.isfinite([] if scores is None else scores))
    if len(infinite):
        raise CategoryError(
            f"{option} needs finite ratings, got {listing_at(categories.labels, infinite, where)}. "
            "Set them to missing, or pass categories={category: score}."
        )


def _check_scores(
    weights: Weights | None,
    categories: CategorySet,
    scores: FloatArray,
    where: Callable[[int], str] | None,
) -> None:
    """Distances need finite, distinct scores, and ratios scores that are not negative."""
    check_finite(f"weights={shown(weights)}", categories, where)
    if weights == "ratio" and (scores < 0).any():
        negative = [categories.labels[i] for i in np.flatnonzero(scores < 0)]
        raise WeightsError(
            f"weights='ratio' needs scores from zero upwards, got {listing(negative)}. "
            "Shift the ratings, or use 'quadratic'."
        )
    ties = np.flatnonzero(scores[1:] == scores[:-1])
    if len(ties):
        first, second = categories.labels[ties[0]], categories.labels[ties[0] + 1]
        raise CategoryError(
            f"weights={shown(weights)} cannot tell {shown(first)} from {shown(second)}, which are "
            f"the same float on a scale from {shown(categories.labels[0])} to "
            f"{shown(categories.labels[-1])}. Rescale the ratings, or pass "
            "categories={category: score}."
        )


def _matrix(weights: Any, categories: CategorySet) -> FloatArray:
    """Get the (K, K) matrix out of an array, a frame or a callable."""
    k = len(categories)
    if is_of_sets(weights):
        check_sets(categories.labels, f"weights={shown(weights)}")
        weights = distances(weights, categories.labels)
    elif isinstance(weights, pd.DataFrame):
        weights = _aligned(weights, categories)
    elif callable(weights) and not isinstance(weights, type):
        weights = _called(weights, categories)
    if _n_axes(weights) != PAIR:
        raise WeightsError(
            "weights must be a name, an array with a row and a column for each category, a "
            f"DataFrame labelled with them, or a callable, got {shown(weights)}."
        )
    matrix = numbers_of(weights, "weights", WeightsError)
    if matrix.shape != (k, k):
        raise WeightsError(
            f"weights has shape {matrix.shape}, but there are {k} categories: "
            f"{listing(categories.labels)}. Pass an array of shape ({k}, {k}), or name the "
            "categories that it has with categories=[...]."
        )
    return matrix


def _called(weights: Callable[..., Any], categories: CategorySet) -> Any:
    """Ask a callable for the weights of every two labels, or of the scores of all."""
    labels, scores = categories.labels, categories.scores
    if is_of_two_labels(weights):
        return [[_asked(weights, first, second) for second in labels] for first in labels]
    return weights(np.arange(1.0, len(labels) + 1) if scores is None else scores)


def _asked(weights: Callable[..., Any], first: Any, second: Any) -> Any:
    """Ask a callable for the weight of two labels."""
    try:
        return weights(first, second)
    except (TypeError, ValueError, AttributeError, ArithmeticError, LookupError) as error:
        raise WeightsError(
            f"The callable given as weights fails for the labels {shown(first)} and "
            f"{shown(second)}: {type(error).__name__}: {error}. It must take two labels and return "
            "a number."
        ) from error


def _n_axes(values: Any) -> int | None:
    """Count the axes of an array; None for rows of different lengths."""
    try:
        return int(np.ndim(values))
    except ValueError:
        return None


def _aligned(weights: pd.DataFrame, categories: CategorySet) -> npt.NDArray[Any]:
    """Put the rows and columns of a frame of weights in the order of the categories."""
    places = []
    for axis, name in ((weights.index, "index"), (weights.columns, "columns")):
        if not axis.is_unique:
            raise WeightsError(
                f"weights names {listing(axis[axis.duplicated()])} twice in its {name}. "
                "Name each category once."
            )
        place = {plain_label(label): number for number, label in enumerate(axis)}
        absent = [label for label in categories.labels if label not in place]
        if absent:
            raise WeightsError(
                f"weights has no {listing(absent)} in its {name}. "
                "Label its rows and columns with the categories."
            )
        places.append([place[label] for label in categories.labels])
    return weights.to_numpy()[np.ix_(*places)]


def _as_disagreement(matrix: FloatArray, *, symmetric: bool) -> FloatArray:
    """Read a matrix with zeros on its diagonal as disagreement, with ones as agreement."""
    if not np.isfinite(matrix).all():
        row, col = np.argwhere(~np.isfinite(matrix))[0]
        raise WeightsError(
            f"weights must be finite, got {matrix[row, col]} at [{row}, {col}]. "
            "Give every two categories a number."
        )
    slack = ROUNDING * np.abs(matrix).max()
    _check_signs(matrix, slack)
    if symmetric:
        _check_symmetry(matrix, slack)
    diagonal = matrix.diagonal()
    if (np.abs(diagonal - 1) <= slack).all() and (matrix <= 1 + slack).all():
        matrix = 1 - matrix
    elif not (diagonal <= slack).all():
        raise WeightsError(
            "weights must have zeros on its diagonal (disagreement), or ones there and at most 1 "
            f"elsewhere (agreement), got {diagonal} with a maximum of {matrix.max()}."
        )
    matrix = _within_range(matrix)
    matrix = np.maximum(matrix / 2 + matrix.T / 2 if symmetric else matrix, 0)
    np.fill_diagonal(matrix, 0)
    if len(matrix) > 1 and not matrix.any():
        raise WeightsError(
            "weights counts no disagreement at all, so that no coefficient is defined. "
            "Give at least one pair of categories a weight other than that of agreement."
        )
    return matrix


def _check_signs(matrix: FloatArray, slack: float) -> None:
    """Make sure that weights are not negative, up to rounding."""
    if (matrix < -slack).any():
        row, col = np.argwhere(matrix < -slack)[0]
        raise WeightsError(
            f"weights must not be negative, got {matrix[row, col]} at [{row}, {col}]. "
            "A disagreement counts 0 or more."
        )


def _check_symmetry(matrix: FloatArray, slack: float) -> None:
    """Make sure that weights are the same both ways, up to rounding."""
    uneven = np.abs(matrix - matrix.T) > slack
    if uneven.any():
        row, col = np.argwhere(uneven)[0]
        raise WeightsError(
            f"weights must be symmetric, got {matrix[row, col]} at [{row}, {col}] "
            f"and {matrix[col, row]} at [{col}, {row}]. A disagreement counts the same both ways."
        )
