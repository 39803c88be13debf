"""A study and a method -> the labels of the items, and what they were made of."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pandas as pd

from pdkappa.errors import (
    NotConvergedWarning,
    OptionError,
    TooLargeError,
    check_choice,
    shown,
    warn,
)
from pdkappa.methods.consensus.core.methods import METHODS, Steps
from pdkappa.methods.consensus.core.votes import leading
from pdkappa.methods.consensus.rated import rated_items, votes_by_group
from pdkappa.methods.consensus.result import Consensus, Fit

if TYPE_CHECKING:
    from pdkappa._typing import IntArray
    from pdkappa.methods.consensus.core.votes import Votes
    from pdkappa.methods.estimates.study import Study
    from pdkappa.ratings.categories import CategorySet

MODELLED = "dawid_skene"
LARGEST_MODEL = 1 << 26  # cells
SYNONYMS = {
    "mv": "'majority'",
    "vote": "'majority'",
    "mode": "'majority'",
    "ds": "'dawid_skene'",
    "em": "'dawid_skene'",
    "dawid-skene": "'dawid_skene'",
    "wawa": "'weighted'",
}


def check_method(method: object) -> None:
    """Refuse a method that is not known."""
    check_choice("method", method, METHODS, SYNONYMS)


def fitted(study: Study, method: str, steps: Steps) -> Consensus:
    """Find the labels of the items, group by group."""
    ratings = rated_items(study)
    fit = Fit(study, {})
    n_items = len(ratings.items)
    code = np.full(n_items, -1)
    probability, margin = np.full((2, n_items), np.nan)
    tied = np.zeros(n_items, dtype=bool)
    for group, items, votes in votes_by_group(ratings, study):
        _check_size(votes, method)
        found = METHODS[method](votes, steps)
        fit.groups[group] = votes, found
        code[items], probability[items], margin[items], tied[items] = leading(found.probability)
    _warn_of_steps(fit, steps)
    columns = {
        "label": _labels(study.coded.categories, code),
        "probability": probability,
        "n_ratings": np.bincount(ratings.item, minlength=n_items),
        "margin": margin,
        "tied": tied,
    }
    return Consensus.of(pd.DataFrame(columns), study.groups.of_items(ratings.items), fit)


def _labels(categories: CategorySet, code: IntArray) -> pd.Series:
    """Return the labels of codes, missing for -1."""
    labels = categories.index().to_series().reset_index(drop=True)
    return labels.reindex(code).reset_index(drop=True)


def steps_of(max_iter: object, tol: object) -> Steps:
    """Check when the algorithm ends."""
    whole = isinstance(max_iter, int | np.integer) and not isinstance(max_iter, bool)
    if not whole or max_iter < 1:  # type: ignore[operator]
        message = f"max_iter={shown(max_iter)} must be a whole number from 1 upwards."
        raise OptionError(message)
    number = isinstance(tol, float | int | np.number) and not isinstance(tol, bool)
    if not number or not 0 <= tol < np.inf:  # type: ignore[operator]
        message = f"tol={shown(tol)} must be a number from 0 upwards, such as 1e-7."
        raise OptionError(message)
    return Steps(int(max_iter), float(tol))  # type: ignore[call-overload, arg-type]


def _check_size(votes: Votes, method: str) -> None:
    """Refuse a model that is too large."""
    k = votes.n_categories
    n_cells = max(votes.n_items, votes.n_raters * k) * k
    if method == MODELLED and n_cells > LARGEST_MODEL:
        message = (
            f"method={method!r} would model {votes.n_raters} raters and {votes.n_items} items of "
            f"{k} categories in {n_cells} cells; the limit is {LARGEST_MODEL}. Use 'weighted', "
            "pass fewer raters, or merge categories."
        )
        raise TooLargeError(message)


def _warn_of_steps(fit: Fit, steps: Steps) -> None:
    """Warn once if an algorithm was stopped."""
    stopped = [group for group, (_, found) in fit.groups.items() if not found.converged]
    if stopped:
        where = fit.study.groups.at(stopped[0])
        more = f" and in {len(stopped) - 1} more group(s)" if len(stopped) > 1 else ""
        warn(
            f"The probabilities still change after {steps.most} step(s){where}{more}. Pass a "
            "larger max_iter, or a larger tol if that is precise enough.",
            NotConvergedWarning,
        )
