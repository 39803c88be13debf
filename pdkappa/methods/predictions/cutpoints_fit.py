"""The cuts of some items: their classes and scores read, and what the cuts do to them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from pdkappa.errors import (
    OptionError,
    RatingsError,
    RatingTypeError,
    TooLargeError,
    WeightsError,
    check_choice,
    listing,
    shown,
)
from pdkappa.methods.estimates.weightings import LARGEST_MATRIX, scale_of
from pdkappa.methods.predictions.core.cut_rules import AUTO, RULES, FoundCuts, find_cuts
from pdkappa.methods.predictions.core.cutpoints import Costs, Scored
from pdkappa.methods.predictions.cutpoints_result import Cutpoints
from pdkappa.ratings.categories import recode, unite
from pdkappa.ratings.columns import code_column, numbers_of

if TYPE_CHECKING:
    import pandas as pd

    from pdkappa._typing import FloatArray, IntArray
    from pdkappa.ratings.categories import CategorySet
    from pdkappa.ratings.options import Reading

METHODS = (AUTO, *RULES)
MOST_ITEMS = 1 << 22  # that whole-number weights may stand for
LEAST_WEIGHT = 1e-12  # of the largest
NORMAL = (1e-100, 1e100)  # weights that can be multiplied safely


@dataclass(frozen=True)
class CutOptions:
    """How the classes are read and the cuts are found, checked."""

    reading: Reading
    method: str
    n_folds: Any

    def __post_init__(self) -> None:
        """Refuse what is none of the choices."""
        check_choice("method", self.method, METHODS)
        whole = isinstance(self.n_folds, int | np.integer) and not isinstance(self.n_folds, bool)
        if not whole or self.n_folds < 0 or self.n_folds == 1:
            message = (
                f"n_folds={shown(self.n_folds)} must be a whole number from 2 upwards, or 0 for "
                "no cross-validation."
            )
            raise OptionError(message)
        if self.n_folds == 0 and self.method == AUTO:
            message = (
                "method='auto' chooses by cross-validation, which n_folds=0 leaves out. Choose "
                f"one of: {', '.join(map(repr, RULES))}."
            )
            raise OptionError(message)


def fit(
    truth: pd.Series,
    score: pd.Series,
    counts: FloatArray | None,
    options: CutOptions,
    rng: np.random.Generator,
) -> Cutpoints:
    """Read the classes and scores of some items, two columns with a name, and find their cuts."""
    column = code_column(truth, truth.name)
    classes = unite([column], options.reading.categories, "cutpoints")
    codes = recode([column], classes)[0]
    values = _finite(score)
    known = (codes >= 0) & ~np.isnan(values)
    joint = known if counts is None else known & (counts > 0)
    classes, costs, turned = _ordered(classes, options.reading)
    codes = (len(classes) - 1 - codes if turned else codes)[joint]
    k, weights, items, exponent = len(classes), options.reading.weights, None, 0
    if len(codes):
        kept = None if counts is None else counts[joint]
        items, exponent = _items(values[joint], codes, kept, k)
        found = find_cuts(items, costs, method=options.method, n_folds=options.n_folds, rng=rng)
        reason = "constant_ratings" if np.isnan(found.estimate) else ""
    else:
        nothing = np.full(max(k - 1, 0), np.nan)
        found = FoundCuts(nothing, options.method, np.zeros((k, k)), np.nan, {}, np.nan)
        reason = "zero_total_weight" if known.any() else "no_joint_items"
    return Cutpoints(
        cuts=found.cuts,
        estimate=found.estimate,
        cv_estimate=found.cv_estimate,
        method=found.method,
        cv_estimates=found.cv_estimates,
        reason=reason,
        weights=weights if weights is None or isinstance(weights, str) else "custom",
        classes=classes,
        table=np.ldexp(found.table, exponent),
        items=items,
        costs=costs,
    )


def _finite(score: pd.Series) -> FloatArray:
    """Return scores as floats, NaN where they are missing, shape (N,)."""
    values = numbers_of(score, str(score.name), RatingTypeError)
    infinite = np.flatnonzero(np.isinf(values))
    if len(infinite):
        message = (
            f"{score.name} must be finite, got {values[infinite[0]]} at index "
            f"{listing(score.index[infinite])}. Set it to missing, or to a large number."
        )
        raise RatingsError(message)
    return values


def _ordered(classes: CategorySet, reading: Reading) -> tuple[CategorySet, Costs, bool]:
    """Put the classes in ascending order, with their costs; tell whether that turned them."""
    k = len(classes)
    if not k:
        return classes, Costs(np.empty((0, 0))), False
    if k > LARGEST_MATRIX:
        message = (
            f"cutpoints with {k} classes would need a matrix of {k} x {k}; the limit is "
            f"{LARGEST_MATRIX}. Merge classes, or use the score itself."
        )
        raise TooLargeError(message)
    in_use = np.ones((1, k), dtype=bool)
    scale = scale_of(reading.weights, classes, reading.distance, in_use, symmetric=False)
    matrix, scores = scale.matrix(), scale.scores[0]
    turned = classes.scores is not None and classes.scores[0] > classes.scores[-1]
    if turned:
        classes, matrix, scores = classes.turned(), matrix[::-1, ::-1], np.sort(scores)
    is_quadratic = isinstance(reading.weights, str) and reading.weights == "quadratic"
    return classes, Costs(matrix, scores if is_quadratic else None), turned


def _items(
    score: FloatArray, truth: IntArray, counts: FloatArray | None, n_classes: int
) -> tuple[Scored, int]:
    """Sort the items; their weights are divided by 2 to the power of the number returned.

    Whole-number weights are so many items each.
    """
    exponent = 0
    if counts is None:
        counts = np.ones(len(score))
    elif (counts == np.rint(counts)).all() and counts.sum() <= MOST_ITEMS:
        times = counts.astype(np.int64)
        score, truth, counts = score.repeat(times), truth.repeat(times), np.ones(times.sum())
    elif counts.max() * LEAST_WEIGHT > counts.min():
        message = (
            f"sample_weight reaches from {counts.min():g} to {counts.max():g}, too far apart for "
            "one fit. Leave out items that hardly count."
        )
        raise WeightsError(message)
    elif not NORMAL[0] < counts.min() <= counts.max() < NORMAL[1]:
        exponent = int(np.frexp(counts.max())[1])
        counts = np.ldexp(counts, -exponent)
    return Scored.of(score, truth, counts, n_classes), exponent
