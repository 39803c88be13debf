"""Class probabilities -> labels that maximise expected kappa: `decide`, `expected_kappa`."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from pdkappa.errors import (
    CategoryError,
    OptionError,
    RatingsError,
    UndefinedKappaWarning,
    listing,
    warn,
)
from pdkappa.methods.estimates import asked as has
from pdkappa.methods.estimates.asks import asks, option
from pdkappa.methods.estimates.weightings import needs_an_order, scale_of
from pdkappa.methods.predictions.inputs import SLACK, check_probabilities
from pdkappa.ratings.categories import check_known, in_one_order, read_numbers, recode
from pdkappa.ratings.columns import code_column
from pdkappa.ratings.items import align, sequence

if TYPE_CHECKING:
    import numpy.typing as npt

    from pdkappa._typing import BoolArray, FloatArray, IntArray
    from pdkappa.coefficients.weights import Scale
    from pdkappa.ratings.categories import CategorySet, Numbers

TIE = 1e-14  # of the largest disagreement: labels as near as this are equally good


def best_labels(apart: FloatArray, by_chance: FloatArray) -> IntArray:
    """Find the labels that maximise one less observed over expected disagreement, shape (N,).

    Parameters
    ----------
    apart : ndarray of float, shape (N, K)
        Expected disagreement of the true class of each item with each label; N > 0.
    by_chance : ndarray of float, shape (K,)
        Expected disagreement of the true class of any item with each label.

    Notes
    -----
    With A and B the sums of `apart` and of `by_chance` over the labels, the greatest kappa
    1 - A / B belongs to the labels that minimise A - (A* / B*) B, where A* and B* are their
    own sums: one item at a time, starting from A = B, until nothing improves; among labels that
    are as good, those with the least disagreement. The steps are those of Newton's method on a
    concave function that is linear in pieces, so that they end at its root after finitely many
    [1]_.

    References
    ----------
    .. [1] Dinkelbach, 1967
    """
    labels, improves = _cheapest(apart, by_chance, 1.0, 1.0), True
    while improves:
        observed, expected = means_of(apart, by_chance, labels)
        labels = _cheapest(apart, by_chance, observed, expected)
        found = means_of(apart, by_chance, labels)
        improves = found[0] * expected < found[1] * observed
    return labels


def means_of(apart: FloatArray, by_chance: FloatArray, labels: IntArray) -> tuple[float, float]:
    """Return the observed and the expected disagreement of some labels."""
    observed = apart[np.arange(len(apart)), labels].mean()
    return float(observed), float(by_chance[labels].mean())


def kappa_of_means(observed: float, expected: float) -> float:
    """Return one less observed over expected disagreement; NaN where none is expected."""
    return 1 - observed / expected if expected > 0 else np.nan


def _cheapest(
    apart: FloatArray, by_chance: FloatArray, observed: float, expected: float
) -> IntArray:
    """Minimise A - (observed / expected) B; among equals, A."""
    cost = expected * apart - observed * by_chance
    slack = TIE * (expected * apart.max() + observed * by_chance.max())
    equal = cost <= cost.min(axis=1, keepdims=True) + slack
    return np.where(equal, apart, np.inf).argmin(axis=1)


ITEMS_BY_CLASSES = 2


@dataclass(frozen=True)
class _Problem:
    """Class probabilities of N items, checked, with the scale of the K classes."""

    classes: CategorySet  # the K classes
    values: FloatArray  # (N, K): probabilities that add up to 1, or NaN for an item without any
    known: BoolArray  # (N,): items with probabilities
    prior: FloatArray | None  # (K,): shares of the true classes, if the user passed them
    scale: Scale  # how far the classes are apart
    index: pd.Index  # labels of the items

    def disagreement(self, items: BoolArray) -> tuple[FloatArray, FloatArray]:
        """Return the expected disagreement of some items, and of any item, with each label."""
        values = self.values[items]
        prior = values.mean(axis=0) if self.prior is None else self.prior
        return self.scale.spread(values), self.scale.spread(prior[None])[0]


class _OfChances(has.Chosen, has.Categories):
    """Options of both."""

    probabilities: npt.ArrayLike | pd.DataFrame = option(
        "Probability of each class for each item.",
        "DataFrame or array, shape (N, K)",
        kw_only=False,
        also="The columns of a frame are the classes; those of an array are `categories` in the "
        "order given, or 0 to K - 1. An item whose probabilities are all missing has no label.",
    )
    prior: npt.ArrayLike | pd.Series | dict[Any, float] | None = option(
        "The share of each true class, ``{class: share}``.",
        "Series, dict or array, shape (K,)",
        default=None,
        also="Those where the labels are to be scored; an array has the order of the columns. "
        "Default: the mean of the probabilities. It says what chance would give; the "
        "probabilities themselves are taken as they are.",
    )


class OfDecide(_OfChances):
    """Options of `decide`."""


@asks(
    OfDecide,
    weights="A matrix may be asymmetric: its rows are the true classes and its columns the "
    "labels, so that missing a disease may count more than a false alarm.",
    categories="An ordered `CategoricalIndex` defines the order, too. A class without a column "
    "has the probability 0.",
)
def decide(asked: OfDecide) -> pd.Series:
    """Choose the labels that maximise expected kappa.

    The most probable class maximises accuracy, and the rounded mean minimises squared
    error; neither maximises kappa, which rewards labels that vary as much as the truth.
    No other labels have a larger expected kappa.

    Returns
    -------
    Series, shape (N,)
        One class for each item, named "decision", with the index of `probabilities`. NaN for an
        item without probabilities.

    Raises
    ------
    RatingsError
        If the probabilities of an item, or the prior, are not between 0 and 1 or do not add
        up to 1 within 1e-6.
    CategoryError
        If distances are needed and nothing says what the order of the classes is, or a
        column is not among `categories`, or `prior` has a share for a class that neither
        columns nor categories have.
    WeightsError
        If a matrix of weights cannot be used.

    See Also
    --------
    expected_kappa : What these or other labels are expected to reach.
    scorecard : What labels did reach, against the truth.

    Notes
    -----
    With P the probabilities, d the disagreement and b the disagreement by chance,
    ``b[j] = sum(prior[k] * d[k, j])``, the label of item i is the j with the smallest
    ``sum(P[i, k] * d[k, j]) - (1 - kappa) * b[j]``, where kappa is the attained maximum
    itself. It is found by Dinkelbach's method for ratios [1]_. With quadratic weights that is
    the class nearest to ``mean + (E[i] - mean) / kappa``, where E[i] is the expected
    class of the item: the predictions are spread out by 1 / kappa and then rounded. Without
    weights it is the class with the greatest ``P[i, j] - (1 - kappa) * prior[j]``. Among labels
    that are as good, those with the least expected disagreement are taken.

    The labels depend on all items of the call, so pass those that are scored together at once.
    Expected kappa is one less expected observed over expected chance disagreement: with
    calibrated probabilities, what many items reach.

    References
    ----------
    .. [1] Dinkelbach, 1967

    Examples
    --------
    >>> probabilities = pd.DataFrame(
    ...     {1: [0.6, 0.4, 0.0, 0.0], 2: [0.4, 0.6, 0.9, 0.6], 3: [0.0, 0.0, 0.1, 0.4]},
    ...     index=["ann", "bob", "eve", "joe"],
    ... )
    >>> labels = pdkappa.decide(probabilities, weights="quadratic")
    >>> labels.to_dict()
    {'ann': 1, 'bob': 1, 'eve': 2, 'joe': 3}

    Class 2 is the most probable one of Bob and Joe, too, but costs kappa:

    >>> round(pdkappa.expected_kappa(probabilities, labels, weights="quadratic"), 3)
    0.6
    >>> likely = probabilities.idxmax(axis=1)
    >>> round(pdkappa.expected_kappa(probabilities, likely, weights="quadratic"), 3)
    0.422

    Classes of scikit-learn are in alphabetical order, which is never taken for theirs: name
    the columns by ``classes_``, and give the order.

    >>> array = [[0.1, 0.7, 0.2], [0.6, 0.1, 0.3], [0.3, 0.2, 0.5]]
    >>> frame = pd.DataFrame(array, columns=["high", "low", "mid"])
    >>> pdkappa.decide(
    ...     frame, weights="quadratic", categories=["low", "mid", "high"]
    ... ).tolist()
    ['low', 'high', 'mid']
    """
    problem = _read(asked)
    codes = np.full(len(problem.values), -1)
    if problem.known.any():
        codes[problem.known] = best_labels(*problem.disagreement(problem.known))
    labels = pd.Series(problem.classes.index()).reindex(codes)
    columns = getattr(asked.probabilities, "columns", None)
    if isinstance(columns, pd.CategoricalIndex) and labels.dropna().isin(columns.categories).all():
        labels = labels.astype(columns.dtype)
    return labels.set_axis(problem.index).rename("decision")


class OfExpectedKappa(_OfChances):
    """Options of `expected_kappa`."""

    labels: npt.ArrayLike = option(
        "One class for each item. A Series is aligned with a frame of probabilities on the index. "
        "Items whose label or probabilities are missing are left out.",
        "array-like, shape (N,)",
        kw_only=False,
    )


@asks(OfExpectedKappa)
def expected_kappa(asked: OfExpectedKappa) -> float:
    """Compute the expected kappa of some labels, given class probabilities.

    What do the labels of `decide` gain over the most probable classes?

    Returns
    -------
    float
        At most 1. NaN where no disagreement with the labels is expected by chance (0/0), or no
        item has both a label and probabilities.

    Raises
    ------
    CategoryError
        If a label is not among the classes.

    Warns
    -----
    UndefinedKappaWarning
        If the result is NaN.

    See Also
    --------
    decide : The labels that maximise it.

    Examples
    --------
    A model that knows only the shares of the classes has an expected kappa of 0, whatever the
    labels:

    >>> round(pdkappa.expected_kappa([[0.2, 0.8], [0.2, 0.8]], [0, 1], weights=None), 12) + 0.0
    0.0
    """
    problem = _read(asked)
    codes = _codes_of(asked, problem)
    used = problem.known & (codes >= 0)
    kappa = np.nan
    if used.any():
        kappa = kappa_of_means(*means_of(*problem.disagreement(used), codes[used]))
    if np.isnan(kappa):
        why = "no disagreement is expected by chance" if used.any() else "no item has both"
        warn(f"The expected kappa of the labels is undefined (NaN): {why}.", UndefinedKappaWarning)
    return float(kappa)


def _read(asked: _OfChances) -> _Problem:
    """Check the probabilities, the prior and the weights, and put the classes in order."""
    probabilities: Any = asked.probabilities
    weights, categories = asked.weights, asked.categories
    tables = [read_numbers(probabilities, "probabilities")]
    given = tables[0].held
    if given.ndim != ITEMS_BY_CLASSES:
        raise RatingsError(
            f"probabilities must have a row for each item and a column for each class, got shape "
            f"{given.shape}. For a single item, pass [probabilities]."
        )
    framed = isinstance(probabilities, pd.DataFrame)
    index = probabilities.index if framed else pd.RangeIndex(len(given))
    names = tables[0].labels or list(range(given.shape[1]))
    missing: BoolArray = np.logical_and.reduce(np.isnan(given), axis=1)
    check_probabilities(given, missing, names, index)
    if asked.prior is not None:
        shared = read_numbers(asked.prior, "prior")
        _check_prior(shared.held)
        tables.append(shared if categories is not None else _of_columns(shared, tables[0]))
    needs_order = needs_an_order(weights)
    classes, (values, *shares) = in_one_order(tables, categories, needs_order)
    in_use = np.ones((1, len(classes)), dtype=bool)
    scale = scale_of(weights, classes, in_use, symmetric=False)
    return _Problem(
        classes,
        values / values.sum(axis=1, keepdims=True),
        ~missing,
        shares[0] / shares[0].sum() if shares else None,
        scale,
        index,
    )


def _check_prior(prior: FloatArray) -> None:
    """Make sure that the prior is one distribution."""
    if prior.ndim != 1:
        raise OptionError(
            f"prior must be one share for each class, got shape {prior.shape}. Pass a Series, a "
            "dict {class: share}, or an array in the order of the columns."
        )
    if not (prior >= 0).all() or not abs(prior.sum() - 1) <= SLACK:
        raise OptionError(
            f"prior must be shares from 0 upwards that add up to 1, got {listing(prior.tolist())}. "
            "Divide counts by their sum."
        )


def _of_columns(prior: Numbers, columns: Numbers) -> Numbers:
    """Leave out classes without a share; refuse others that the columns do not name."""
    if prior.labels is None:
        return prior
    used = np.flatnonzero(prior.held > 0)
    labels = [prior.labels[place] for place in used]
    check_known(labels, columns.order or columns.labels or range(columns.held.shape[-1]))
    return prior._replace(held=prior.held[used], labels=labels)


def _codes_of(asked: OfExpectedKappa, problem: _Problem) -> IntArray:
    """Code labels by the classes, shape (N,); -1 is missing."""
    series = sequence(asked.labels, "labels", "classes")
    if len(series) != len(problem.values):
        raise RatingsError(
            f"There are {len(series)} labels, but probabilities of {len(problem.values)} items. "
            "Pass one label for each item."
        )
    if isinstance(asked.labels, pd.Series) and isinstance(asked.probabilities, pd.DataFrame):
        series = align(series, problem.index, "labels")
    column = code_column(series, "labels")
    known = {*problem.classes.labels}
    outside = [label for label in column.labels if label not in known]
    if outside:
        raise CategoryError(
            f"labels holds {listing(outside)}, which are not among the classes: "
            f"{listing(problem.classes.labels)}. Label items with the columns of probabilities."
        )
    return recode([column], problem.classes)[0]
