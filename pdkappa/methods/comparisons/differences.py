"""What all comparisons share: from options to coefficients, from tests to a frame."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import combinations
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from pdkappa.coefficients.chance import COEFFICIENTS
from pdkappa.coefficients.multirater import covariance_of_pairs
from pdkappa.coefficients.pair_kappas import of_pairs
from pdkappa.errors import DuplicateRatingError, OptionError, check_choice, listing, shown
from pdkappa.estimation.checks import SYNONYMS, check_covariances
from pdkappa.estimation.old import code_rows
from pdkappa.estimation.undefined import MOST_NAMED, warn_of_undefined
from pdkappa.methods.comparisons.core.contrasts import t_test

if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

    from pdkappa._typing import FloatArray, Label, ObjectArray, Raters, Weights
    from pdkappa.coefficients.pair_kappas import PairKappas
    from pdkappa.methods.comparisons.core.contrasts import Contrast
    from pdkappa.ratings.coded import Coded, Counted

PAIR = 2


@dataclass(frozen=True)
class Found:
    """Coded ratings, and the coefficients of some pairs of raters in every group.

    Of all pairs there are the covariances, shape (G, P, P), instead of influence values.
    """

    coded: Coded
    kappas: PairKappas
    covariances: FloatArray | None = None


def estimate_pairs(
    data: pd.DataFrame | Counted,
    pairs: Sequence[tuple[Label, Label]] | None,
    *,
    raters: Raters | None = None,
    coefficient: str,
    weights: Weights | None,
    distance: str,
    missing: str,
    **options: Any,
) -> Found:
    """Check the options, code the ratings, and estimate some pairs, or all pairs of raters."""
    check_choice("coefficient", coefficient, COEFFICIENTS, SYNONYMS)
    if pairs is not None:
        raters = list(dict.fromkeys(name for pair in pairs for name in pair))
    coding = code_rows(data, raters, weights=weights, distance=distance, missing=missing, **options)
    names = coding.coded.raters
    if pairs is None:
        places = list(combinations(range(len(names)), 2))
    else:
        places = [(names.index(a), names.index(b)) for a, b in pairs]
    model, rows = COEFFICIENTS[coefficient], coding.rows.compressed()
    if pairs is not None:
        return Found(coding.coded, of_pairs(rows, coding.scale, model, places))
    check_covariances(len(names), coding.n_groups)
    kappas = of_pairs(rows, coding.scale, model, places, keep_influence=False)
    return Found(coding.coded, kappas, covariance_of_pairs(kappas.rows, coding.scale, model))


def listed(given: Any, option: str, what: str) -> list[Label]:
    """Return the columns that the user listed, in order."""
    is_list = pd.api.types.is_list_like(given) and not isinstance(given, set | frozenset | dict)
    if not is_list:
        message = f"{option} must be {what}, got {shown(given)}. Write {option}=('ann', 'bob')."
        raise OptionError(message)
    names = list(given)
    for name in names:
        if not pd.api.types.is_hashable(name):
            message = f"{option} must hold column labels, got {shown(name)}. Name the columns."
            raise OptionError(message)
    return names


def check_distinct(names: Sequence[Label], option: str) -> None:
    """Make sure that no rater is paired with himself."""
    twice = [name for name in dict.fromkeys(names) if list(names).count(name) > 1]
    if twice:
        message = f"{option} names {listing(twice)} more than once. Name different raters."
        raise DuplicateRatingError(message)


def tested(difference: Contrast, level: float) -> dict[str, FloatArray]:
    """Return the columns of a difference and its test."""
    test = t_test(difference, level)
    return {
        "difference": difference.estimate,
        "se": difference.se,
        "ci_low": test.low,
        "ci_high": test.high,
        "z": test.z,
        "p_value": test.p_value,
    }


def reasons_of(found: Found, reason: ObjectArray) -> ObjectArray:
    """Say that there are no items because none has a weight, where that is why."""
    if not found.coded.groups.no_weight.all():
        return reason
    return np.where(reason == "no_items", "zero_total_weight", reason)


def repeated(value: object, times: int) -> ObjectArray:
    """Repeat a value as it is, be it a tuple."""
    result = np.empty(times, dtype=object)
    result[:] = [value] * times
    return result


def by_group(found: Found, columns: dict[str, Any], figure: str) -> pd.DataFrame:
    """Put the columns into a frame, after the labels of the groups; warn of what is NaN."""
    frame = pd.DataFrame(columns)
    groups = found.coded.groups
    places = None if groups.labels is None else [groups.name(number) for number in range(groups.n)]
    warn_of_comparisons(frame, figure, places)
    return groups.beside(frame)


def warn_of_comparisons(frame: pd.DataFrame, figure: str, places: Sequence[str] | None) -> None:
    """Give one warning that counts the undefined comparisons and names the first."""
    undefined = np.flatnonzero(frame[figure].isna())
    if not len(undefined):
        return
    reasons, first = frame["reason"].to_numpy(), undefined[:MOST_NAMED]
    named = [reasons[k] if places is None else f"{places[k]} ({reasons[k]})" for k in first]
    warn_of_undefined("comparison", len(undefined), len(frame), named)
