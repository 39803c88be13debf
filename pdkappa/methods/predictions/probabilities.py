"""What a user passes as probabilities of classes, or as their shares: distributions, checked."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from pdkappa.errors import OptionError, RatingsError, listing, shown
from pdkappa.methods.predictions.inputs import check_names, names_of
from pdkappa.ratings.categories import check_known
from pdkappa.ratings.columns import numbers_of, plain_label

if TYPE_CHECKING:
    from pdkappa._typing import BoolArray, FloatArray, Label
    from pdkappa.methods.predictions.inputs import Answers
    from pdkappa.ratings.categories import CategorySet

SLACK = 1e-6  # by which the sum of a distribution may differ from 1


def read_probabilities(
    data: pd.DataFrame, given: Any, answers: Answers, truth: Label
) -> FloatArray:
    """Return the probability of each item's true class, shape (N,); NaN where it is missing."""
    if not answers.single:
        message = (
            "probabilities are those of the one true class of each item, but items have several "
            "labels. Leave them out."
        )
        raise OptionError(message)
    of_class = _columns_of_classes(data, given, answers)
    names = list(of_class.values())
    held = [numbers_of(data[name], f"Column {name!r}", RatingsError) for name in names]
    values = np.column_stack(held)
    missing: BoolArray = np.logical_and.reduce(np.isnan(values), axis=1)
    check_probabilities(values, missing, names, data.index)
    place = {label: number for number, label in enumerate(of_class)}
    places = np.array([place.get(label, -1) for label in answers.labels.labels] + [-1])
    column = places[answers.truth]
    lost = np.flatnonzero((column < 0) & (answers.truth >= 0))
    if len(lost):
        classes = dict.fromkeys(answers.labels.labels[code] for code in answers.truth[lost])
        message = (
            f"Column {truth!r} holds {len(lost)} item(s) of class(es) {listing(classes)}, which "
            "have no column in probabilities. Add a column for each class, with 0 if need be."
        )
        raise RatingsError(message)
    return np.where(missing, np.nan, values[np.arange(len(values)), column])


def _columns_of_classes(data: pd.DataFrame, given: Any, answers: Answers) -> dict[Any, Label]:
    """Find out which column holds the probability of which class."""
    if isinstance(given, Mapping):
        check_names(data, list(given.values()), "probabilities")
        return {plain_label(label): name for label, name in given.items()}
    names = names_of(data, given)
    if names is None:
        message = (
            f"probabilities must be a list of columns or a dict {{class: column}}, "
            f"got {shown(given)}."
        )
        raise OptionError(message)
    check_names(data, names, "probabilities")
    labels = answers.labels
    if set(labels.labels) <= {*names}:
        return {plain_label(name): name for name in names}
    if labels.scores is None or len(labels) != len(names):
        message = (
            f"Nothing says which column of probabilities belongs to which class: there are "
            f"{len(names)} columns, {listing(names)}, and {len(labels)} classes, "
            f"{listing(labels.labels)}. Pass a dict {{class: column}}."
        )
        raise OptionError(message)
    return dict(zip(labels.labels, names, strict=True))


def check_probabilities(
    values: FloatArray, missing: BoolArray, names: list[Label], index: pd.Index
) -> None:
    """Make sure that every row that is not missing is a distribution."""
    outside = ~((values >= 0) & (values <= 1)) & ~missing[:, None]
    if outside.any():
        row, column = np.argwhere(outside)[0]
        message = (
            f"probabilities must lie between 0 and 1, got {values[row, column]} in column "
            f"{names[column]!r} at index {shown(index[row])}. Set all of an item's "
            "probabilities to missing to leave it out."
        )
        raise RatingsError(message)
    total = values.sum(axis=1)
    wrong = np.flatnonzero(~missing & ~(np.abs(total - 1) <= SLACK))
    if len(wrong):
        message = (
            f"probabilities must add up to 1 for each item, but {len(wrong)} do not, at index "
            f"{listing(index[wrong])}; the first adds up to {total[wrong[0]]:.9g}. Divide them "
            "by their sums, as with df[columns].div(df[columns].sum(axis=1), axis=0)."
        )
        raise RatingsError(message)


@dataclass(frozen=True)
class Priors:
    """P distributions over K categories, each with a name; `shares` is None for the observed."""

    names: list[Any]
    shares: FloatArray | None


def read_priors(given: Any, categories: CategorySet) -> Priors:
    """Check the shares, and put them into the order of the categories."""
    if given is None:
        return Priors(["observed"], None)
    if isinstance(given, Mapping):
        given = pd.Series(dict(given), dtype=object)
    if isinstance(given, pd.Series):
        given = given.to_frame("new" if given.name is None else given.name).T
    if not isinstance(given, pd.DataFrame):
        message = (
            f"prior must be a dict or Series from class to share, or a DataFrame with a column "
            f"for each class, got {type(given).__name__}: the order of a list says nothing about "
            "the classes."
        )
        raise OptionError(message)
    labels = [plain_label(label) for label in given.columns]
    shares = numbers_of(given.to_numpy(), "prior", OptionError).reshape(given.shape)
    names = list(given.index)
    _check_shares(shares, labels, names)
    return Priors(names, _in_order(shares, labels, categories))


def _check_shares(shares: FloatArray, labels: list[Any], names: list[Any]) -> None:
    """Make sure that every row is a distribution over different classes."""
    twice = [label for label in dict.fromkeys(labels) if labels.count(label) > 1]
    if twice:
        message = f"prior names class(es) {listing(twice)} more than once. Name each class once."
        raise OptionError(message)
    outside = np.argwhere(~((shares >= 0) & (shares <= 1 + SLACK)))
    if len(outside):
        row, column = outside[0]
        message = (
            f"prior must hold shares between 0 and 1, got {shares[row, column]} for class "
            f"{shown(labels[column])}. Divide numbers of items by their sum, and set the share of "
            "an absent class to 0."
        )
        raise OptionError(message)
    total = shares.sum(axis=1)
    wrong = np.flatnonzero(~(np.abs(total - 1) <= SLACK))
    if len(wrong):
        message = (
            f"The shares of prior {shown(names[wrong[0]])} must add up to 1, and add up to "
            f"{total[wrong[0]]:.9g}. Divide them by their sum, or name the classes that are left "
            "out."
        )
        raise OptionError(message)


def _in_order(shares: FloatArray, labels: list[Any], categories: CategorySet) -> FloatArray:
    """Put shares into the order of the categories, shape (P, K)."""
    places = {label: number for number, label in enumerate(categories.labels)}
    some = shares.max(axis=0, initial=0) > 0
    check_known([label for label, used in zip(labels, some, strict=True) if used], places)
    result = np.zeros((len(shares), len(categories)))
    for column, label in enumerate(labels):
        if label in places:
            result[:, places[label]] = shares[:, column]
    return result / result.sum(axis=1, keepdims=True)
